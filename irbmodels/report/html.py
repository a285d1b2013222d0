"""What HTML reports share: their style, figures as elements of a page, rows of a table, bars."""

from __future__ import annotations

import html
import io
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

# One colour per axis, distinguishable without colour vision (Okabe-Ito).
COLORS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9")
BAD, GOOD, GREY = "#c4271b", "#0b7a4b", "#5b6570"


def style() -> str:
    """Return the style sheet of all reports."""
    return Path(__file__).with_name("page_style.css").read_text(encoding="utf-8")


def rows_html(heads: Sequence[str], rows: Any, bad: Sequence[bool] = ()) -> str:
    """Return a table; rows that are bad are red."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in heads)
    body = []
    for number, row in enumerate(rows):
        mark = ' class="bad"' if number < len(bad) and bad[number] else ""
        body.append(f"<tr{mark}>{''.join(f'<td>{html.escape(cell)}</td>' for cell in row)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def bar(percent: float) -> str:
    """Return a share as a bar with its number; beyond 100 % it is red."""
    state = "over" if percent > 100.0 + 1e-7 else ""
    return (
        f'<span class="bar {state}"><i'
        f' style="width:{min(max(percent, 0.0), 100.0):.1f}%"></i></span>{percent:.0f} %'
    )


def plain(axes: Axes) -> None:
    """Leave out what carries no number."""
    axes.spines[["top", "right"]].set_visible(False)
    axes.grid(axis="y", color="0.92", lw=0.7)
    axes.set_axisbelow(True)
    axes.tick_params(labelsize=8)
    axes.margins(x=0.01)


def blank(width: float, height: float) -> Figure:
    """Return an empty figure of a size [inch]."""
    # imported here: a third of a second that most users never need
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def svg(figure: Figure) -> str:
    """Return a figure as an element of a page: no header, and no address of anything outside."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irbmodels"}):
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(stream, format="svg", transparent=True, metadata=metadata)
    text = stream.getvalue()
    text = text[text.index("<svg") :]
    head, end, body = text.partition(">")
    size = head[head.index("viewBox=") :].split('"')[1]
    return f'<svg viewBox="{size}">{body.replace("xlink:href", "href")}' if end else text
