"""One redrawn figure or table with its numbers, and how it is laid out and written."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from irbmodels.report.figures import save

Array = NDArray[np.float64]

BLACK, ORANGE, BLUE, GREEN, RED = "#000000", "#E69F00", "#0072B2", "#009E73", "#D55E00"  # Okabe-Ito
_DIGITS = 6


class Sheet(NamedTuple):
    """What one call of a figure's function gives."""

    numbers: Mapping[str, Any]
    """What a reader would take off it: plain numbers and lists, SI units, each key with its
    unit."""
    figure: Figure | None = None
    table: str = ""
    """Markdown, of a table."""

    def write(self, folder: Path, name: str) -> list[Path]:
        """Write ``NAME.json`` and ``NAME.png`` or ``NAME.md``.

        The same sheet always gives the same bytes.
        """
        files = [folder / f"{name}.json"]
        text = json.dumps(rounded(self.numbers), indent=1, sort_keys=True)
        files[0].write_text(text + "\n", encoding="utf-8")
        if self.figure is not None:
            files.append(folder / f"{name}.png")
            save(self.figure, files[-1])
        if self.table:
            files.append(folder / f"{name}.md")
            files[-1].write_text(self.table + "\n", encoding="utf-8")
        return files


def rounded(value: Any) -> Any:
    """Return plain numbers of six digits: below lies what differs from one processor to another."""
    if isinstance(value, Mapping):
        return {key: rounded(one) for key, one in value.items()}
    if isinstance(value, np.ndarray | list | tuple):
        return [rounded(one) for one in value]
    return float(f"{value:.{_DIGITS}g}") if isinstance(value, float | np.floating) else value


def grid(
    rows: int, columns: int, title: str, size: tuple[float, float], **layout: Any
) -> tuple[Figure, NDArray[Any]]:
    """Return a figure and its panels ``(rows, columns)``, time to the right."""
    figure = Figure(figsize=size, layout="constrained")
    panels = figure.subplots(rows, columns, squeeze=False, **layout)
    figure.suptitle(title, fontsize="medium")
    for panel in panels.ravel():
        panel.grid(alpha=0.25, lw=0.5)
    return figure, panels


def stamped(figure: Figure) -> Figure:
    """Write into a figure, and across it, that nothing in it was measured on a robot."""
    figure.suptitle(f"{figure.get_suptitle()} (synthetic data)", fontsize="medium")
    figure.text(
        0.5,
        0.5,
        "synthetic",
        fontsize=58,
        color="0.5",
        alpha=0.13,
        rotation=25,
        ha="center",
        va="center",
        zorder=10,
    )
    return figure


def legend(figure: Figure, panel: Axes) -> None:
    """Put the legend of one panel below all."""
    handles, labels = panel.get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)


def markdown(heads: Sequence[str], rows: Sequence[Sequence[object]]) -> str:
    """Return a table; numbers with four digits."""

    def cell(value: object) -> str:
        return f"{value:.4g}" if isinstance(value, float | np.floating) else str(value)

    lines = [heads, ["---"] * len(heads), *([cell(value) for value in row] for row in rows)]
    return "\n".join(f"| {' | '.join(line)} |" for line in lines)
