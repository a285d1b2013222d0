"""Parts that figures of reports share: an empty figure, colours, panels, a legend below."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# One colour per axis, distinguishable without colour vision (Okabe-Ito).
AXIS_COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BAD, GOOD, GREY = "#c4271b", "#0b7a4b", "#5b6570"


def blank_figure(width: float, height: float) -> Figure:
    """Return an empty figure of a size [inch]."""
    # imported here: a third of a second that most users never need
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def lay_out(axes: Axes, title: str = "") -> None:
    """Give a panel a grey title and horizontal grid lines, and no frame."""
    if title:
        axes.set_title(title, loc="left", fontsize=9, color=GREY)
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.92", lw=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    axes.margins(x=0.01)


def legend_below(figure: Figure, *labelled: Axes) -> None:
    """Put the legend of some panels below a figure, in one row."""
    handles = [line for axes in labelled for line in axes.get_legend_handles_labels()[0]]
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), frameon=False)
