"""Page of a path check: one HTML file that needs no other file and no network."""

from __future__ import annotations

import math
from collections.abc import Iterator
from html import escape
from pathlib import Path

import numpy as np

from ...files import write_text
from ...robot.robot import Robot
from ...tasks.path_check import Box, PathCheck
from ..html import bar, cards_html, list_html, page_html, svg, table_html
from ..load_check import load_rows
from .cycle import cycle_rows
from .drawings import axes_figure, distance_figure, path_figure, shares_figure
from .tables import (
    assumed_marks,
    axis_rows,
    conclusion,
    line_text,
    load_shares,
    move_rows,
    remarks,
    singularity_rows,
    star,
)

_PRINTED = 500  # violations in the page
_NOTHING = "<p>No move could be driven.</p>"


def write_report(
    path: str | Path, check: PathCheck, robot: Robot, source: str = "", box: Box | None = None
) -> None:
    """Write the page.

    Args:
        path: File to write.
        check: Result of the check.
        robot: Robot that was checked.
        source: Name of the program or motion, for the heading.
        box: Box that was checked, to be drawn.

    Raises:
        FileError: if the file cannot be written; then nothing is.
    """
    write_text(path, report_html(check, robot, source, box))


def report_html(check: PathCheck, robot: Robot, source: str = "", box: Box | None = None) -> str:
    """Return the page as text."""
    headline = conclusion(check)
    tool = f" with {robot.tool.name}" if robot.tool else ""
    parts = dict.fromkeys(("axes", "singularities", "shares", "path"), _NOTHING)
    if check.rows:
        heads = ("", "nearest approach", "at s", "at line")
        parts = {
            "axes": _axes_html(check, robot),
            "singularities": table_html(heads, singularity_rows(check)),
            "shares": svg(shares_figure(check, robot)),
            "path": svg(path_figure(check, box)),
        }
    return page_html(
        Path(__file__).with_name("page.html"),
        title=escape(f"Path check: {source or robot.name}"),
        source=escape(source or "motion"),
        robot=escape(f"{robot.name}{tool}"),
        state="good" if check.kept else "bad",
        verdict=escape(headline[:1].upper() + headline[1:]),
        first=escape(f"First: {check.first}" if check.first else _without_violations(check)),
        cards=cards_html(_cards(check, robot)),
        findings=_violations_html(check),
        loads=_loads_html(check, robot),
        cycle=_cycle_html(check, robot),
        moves=_moves_html(check, robot),
        distances=svg(distance_figure(check)) if check.singularities else "",
        star="* of an assumed limit: none is published. " if star(robot) else "",
        remarks=list_html(remarks(check, robot)),
        **parts,
    )


def _without_violations(check: PathCheck) -> str:
    if not check.moved:
        return "Nothing of a motion was checked; the remarks say what is missing."
    what = (
        "the whole path"
        if check.kept
        else "the part that could be evaluated; the remarks say what is missing"
    )
    shares = {"ranges": check.used, "speeds": check.speed, "torques": check.torque}
    known = [name for name, one in shares.items() if not np.isnan(one.value).all()]
    checked = " and ".join(filter(None, [", ".join(known[:-1]), known[-1]]))
    return f"{checked.capitalize()} stay within their limits on {what}."


def _cards(check: PathCheck, robot: Robot) -> Iterator[tuple[str, str]]:
    used, marks = 100.0 * check.used.value, assumed_marks(robot)
    yield "duration", f"{check.duration:.2f} s"
    yield "samples", f"{check.rows:,}"
    if not check.rows:
        return
    for kind, shares in (
        ("range", used),
        ("speed", 100.0 * check.speed.value),
        ("torque", 100.0 * check.torque.value),
    ):
        if np.isfinite(shares).any():
            axis = int(np.nanargmax(shares))
            yield f"of a {kind}, axis {axis + 1}", f"{shares[axis]:.0f} %{marks[kind][axis]}"
    wrist = check.singularities.get("wrist")
    if wrist is not None and np.isfinite(wrist.value[0]):
        yield "from the wrist singularity", f"{math.degrees(abs(float(wrist.value[0]))):.1f}\u00b0"


def _violations_html(check: PathCheck) -> str:
    if not check.findings:
        return '<p class="none">None.</p>'
    rows = [
        (line_text(one.line), f"{one.start:.3f}", f"{one.end:.3f}", one.kind, one.what)
        for one in check.findings[:_PRINTED]
    ]
    hidden = len(check.findings) + check.more - len(rows)
    more = f"<p>{hidden} more are not listed here.</p>" if hidden else ""
    return table_html(("line", "from s", "to s", "kind", "what"), rows) + more


def _axes_html(check: PathCheck, robot: Robot) -> str:
    heads = (
        *("axis", "range of", "smallest margin", "at line", "range used", "speed"),
        *("torque", "peak torque", "friction share"),
    )
    marks = assumed_marks(robot)
    shares = {
        "range": check.used.value,
        "speed": check.speed.value,
        "torque": check.torque.value,
    }
    rows = [
        [
            *(row[key] for key in ("axis", "range", "margin", "margin_line")),
            *(
                bar(100.0 * share[i], f"{100.0 * share[i]:.0f} %{marks[kind][i]}")
                if np.isfinite(share[i])
                else "unknown"
                for kind, share in shares.items()
            ),
            row["peak"],
            "unknown"
            if check.friction_share is None
            else f"{100.0 * check.friction_share[i]:.0f} %",
        ]
        for i, row in enumerate(axis_rows(check, robot))
    ]
    return table_html(heads, rows)


def _loads_html(check: PathCheck, robot: Robot) -> str:
    loads = load_shares(check, robot)
    if not loads:
        return ""
    table = table_html(*load_rows(loads))
    return f'<h2>Tool and payload, of their limits</h2><section class="sheet">{table}</section>'


def _cycle_html(check: PathCheck, robot: Robot) -> str:
    if not check.moved or not robot.dynamic_model.has_masses:
        return ""
    figure, table = svg(axes_figure(check, robot)), table_html(*cycle_rows(check, robot))
    heading = "<h2>Power, energy and duty over the cycle, at the arm</h2>"
    return f'{heading}<section class="sheet">{figure}{table}</section>'


def _moves_html(check: PathCheck, robot: Robot) -> str:
    if not check.by_line:
        return ""
    heads = (
        *("line", "move", "from s", "to s", "TCP mm/s"),
        *("range %", "speed %", "torque %", "wrist deg"),
    )
    cells, bad = zip(*move_rows(check, robot), strict=True)
    return f'<h2>Moves</h2><section class="sheet">{table_html(heads, cells, bad)}</section>'
