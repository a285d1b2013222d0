"""Colours and set-up of the figures of identification."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# Okabe-Ito, distinguishable without colour vision
BLUE, ORANGE, GREEN, GREY = "#0072B2", "#D55E00", "#009E73", "0.45"
COLORS = (BLUE, "#E69F00", GREEN, "#CC79A7", "#56B4E9", ORANGE, "#000000")
"""Of series side by side."""


def new_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size [inch], without pyplot."""
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def label(panel: Axes, xlabel: str = "", ylabel: str = "", **properties: Any) -> None:
    """Set the labels of a panel, other properties, and a light grid."""
    panel.set(xlabel=xlabel, ylabel=ylabel, **properties)
    panel.grid(alpha=0.25, which="both", lw=0.5)
