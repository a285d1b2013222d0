"""Parts that HTML reports share: the page around them, tables, bars, figures."""

from __future__ import annotations

import io
from collections.abc import Iterable, Sequence
from datetime import date
from html import escape
from pathlib import Path
from string import Template
from typing import TYPE_CHECKING

from ..version import __version__

if TYPE_CHECKING:
    from matplotlib.figure import Figure


class Markup(str):
    """A text that is HTML already."""


def page_html(template: Path, **parts: str) -> str:
    """Return a page: a template with its parts, the style of all reports, version and date."""
    style = Path(__file__).with_name("page_style.css").read_text(encoding="utf-8")
    made = f"irbmodels {__version__}, {date.today():%Y-%m-%d}"
    text = Template(template.read_text(encoding="utf-8"))
    return text.substitute(style=style, made=made, **parts)


def table_html(
    heads: Sequence[str], rows: Iterable[Sequence[str]], bad: Sequence[bool] = ()
) -> str:
    """Return a table; cells are text or :class:`Markup`, bad rows are red."""
    head = "".join(f"<th>{escape(cell)}</th>" for cell in heads)
    body = []
    for number, row in enumerate(rows):
        state = ' class="bad"' if number < len(bad) and bad[number] else ""
        cells = (cell if isinstance(cell, Markup) else escape(cell) for cell in row)
        body.append(f"<tr{state}>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>")
    return f"<table><thead><tr>{head}</tr></thead><tbody>{''.join(body)}</tbody></table>"


def list_html(lines: Iterable[str]) -> str:
    """Return the items of a list."""
    return "".join(f"<li>{escape(line)}</li>" for line in lines)


def cards_html(cards: Iterable[tuple[str, str]]) -> str:
    """Return numbers that sum a report up, given as label and value."""
    return "".join(
        f"<div><b>{escape(value)}</b><span>{escape(label)}</span></div>" for label, value in cards
    )


def bar(percent: float, label: str = "", over: bool | None = None) -> Markup:
    """Return a share as a bar with its number; red if ``over``, by default beyond 100 %."""
    state = "over" if (percent > 100.0 + 1e-7 if over is None else over) else ""
    width = min(max(percent, 0.0), 100.0)
    return Markup(
        f'<span class="bar {state}"><i style="width:{width:.1f}%"></i></span>'
        f"{label or f'{percent:.0f} %'}"
    )


def svg(figure: Figure) -> str:
    """Return a figure as an element of a page: no header, and no address of anything outside."""
    import matplotlib as mpl

    stream = io.StringIO()
    with mpl.rc_context({"svg.fonttype": "none", "svg.hashsalt": "irbmodels"}):
        metadata = dict.fromkeys(("Creator", "Date", "Format", "Type"))
        figure.savefig(stream, format="svg", transparent=True, metadata=metadata)
    text = stream.getvalue()
    head, _, body = text[text.index("<svg") :].partition(">")
    size = head[head.index("viewBox=") :].split('"')[1]
    return f'<svg viewBox="{size}">{body.replace("xlink:href", "href")}'
