"""One HTML page with tables and figures.

It needs nothing beside it, and asks nothing of a network.
"""

from __future__ import annotations

import html
import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from string import Template

import numpy as np

from ...files import replacing
from ...robot.robot import Robot
from ...tasks.path_check import Box, PathCheck
from ...version import __version__
from ..html import bar, rows_html, style, svg
from .drawings import distance_figure, path_figure, shares_figure
from .tables import axis_rows, conclusion, line_of, move_rows, remarks, singular_rows

_PRINTED = 500  # findings in the page
_NOTHING = "<p>No move could be driven.</p>"


def write_report(
    path: str | Path, check: PathCheck, robot: Robot, source: str = "", box: Box | None = None
) -> None:
    """Write the page; it needs nothing beside it.

    Args:
        path: File to write.
        check: What was found.
        robot: The robot it was found of.
        source: What was checked, for the heading.
        box: The box that was checked, to be drawn.

    Raises:
        FileError: if the file cannot be written; then nothing is.
    """
    text = report_html(check, robot, source, box)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def report_html(check: PathCheck, robot: Robot, source: str = "", box: Box | None = None) -> str:
    """Return the page as text."""
    said = html.escape
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    tool = f" with {robot.tool.name}" if robot.tool else ""
    first, headline = check.first, conclusion(check)
    return template.substitute(
        style=style(),
        title=said(f"Path check: {source or robot.name}"),
        source=said(source or "motion"),
        robot=said(f"{robot.name}{tool}"),
        made=f"irbmodels {__version__}, {date.today():%Y-%m-%d}",
        state="good" if check.kept else "bad",
        verdict=said(headline[:1].upper() + headline[1:]),
        first=said(f"First: {first}" if first else _good_news(check)),
        cards="".join(
            f"<div><b>{said(value)}</b><span>{said(what)}</span></div>"
            for what, value in _cards(check, robot)
        ),
        findings=_findings_html(check),
        axes=_axes_html(check, robot) if check.rows else _NOTHING,
        moves=_moves_html(check, robot),
        singularities=rows_html(("", "nearest approach", "at s", "at line"), singular_rows(check))
        if check.rows
        else _NOTHING,
        shares=svg(shares_figure(check, robot)) if check.rows else _NOTHING,
        path=svg(path_figure(check, box)) if check.rows else _NOTHING,
        distances=svg(distance_figure(check)) if check.singularities else "",
        star="* of an assumed limit: none is published. " if _star(robot) else "",
        remarks="".join(f"<li>{said(line)}</li>" for line in remarks(check, robot)),
    )


def _star(robot: Robot) -> str:
    return "*" if robot.limits.effort_assumed.any() else ""


def _good_news(check: PathCheck) -> str:
    if not check.moved:
        return "Nothing of a motion was checked; the remarks say what is missing."
    what = (
        "the whole path"
        if check.kept
        else "the part that could be evaluated; the remarks say what is missing"
    )
    return f"Ranges, speeds and torques stay within their limits on {what}."


def _cards(check: PathCheck, robot: Robot) -> Iterator[tuple[str, str]]:
    used = 100.0 * check.used.value
    yield "duration", f"{check.duration:.2f} s"
    yield "samples", f"{check.rows:,}"
    if not check.rows:
        return
    for what, shares in (
        ("of a range", used),
        ("of a speed", 100.0 * check.speed.value),
        (f"of a torque{_star(robot)}", 100.0 * check.torque.value),
    ):
        axis = int(np.nanargmax(shares))
        yield f"{what}, axis {axis + 1}", f"{shares[axis]:.0f} %"
    wrist = check.singularities.get("wrist")
    if wrist is not None and np.isfinite(wrist.value[0]):
        yield "from the wrist singularity", f"{math.degrees(abs(float(wrist.value[0]))):.1f}\u00b0"


def _findings_html(check: PathCheck) -> str:
    if not check.findings:
        return '<p class="none">None.</p>'
    rows = [
        (line_of(one.line), f"{one.start:.3f}", f"{one.end:.3f}", one.kind, one.what)
        for one in check.findings[:_PRINTED]
    ]
    hidden = len(check.findings) + check.more - len(rows)
    more = f"<p>{hidden} more are not listed here.</p>" if hidden else ""
    return rows_html(("line", "from s", "to s", "kind", "what"), rows) + more


def _axes_html(check: PathCheck, robot: Robot) -> str:
    used = 100.0 * check.used.value
    friction = None if check.friction_share is None else 100.0 * check.friction_share
    torque = f"torque{_star(robot)}"
    heads = (
        "axis",
        "range of",
        "smallest margin",
        "at line",
        "range used",
        "speed",
        torque,
        "peak torque",
        "friction share",
    )
    rows = []
    for i, row in enumerate(axis_rows(check, robot)):
        bars = [
            bar(value)
            for value in (used[i], 100.0 * check.speed.value[i], 100.0 * check.torque.value[i])
        ]
        plain = [html.escape(row[key]) for key in ("axis", "range", "margin", "margin_line")]
        rows.append(
            [
                *plain,
                *bars,
                html.escape(row["peak"]),
                "unknown" if friction is None else f"{friction[i]:.0f} %",
            ]
        )
    head = "".join(f"<th>{cell}</th>" for cell in heads)
    body = "".join(f"<tr>{''.join(f'<td>{cell}</td>' for cell in cells)}</tr>" for cells in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _moves_html(check: PathCheck, robot: Robot) -> str:
    if not check.by_line:
        return ""
    heads = (
        "line",
        "move",
        "from s",
        "to s",
        "TCP mm/s",
        "range %",
        "speed %",
        f"torque{_star(robot)} %",
        "wrist deg",
    )
    rows = [*move_rows(check)]
    table = rows_html(heads, [cells for cells, _ in rows], [bad for _, bad in rows])
    return f'<h2>Moves</h2><section class="sheet">{table}</section>'
