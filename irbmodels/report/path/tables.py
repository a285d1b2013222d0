"""Tables of a path check: rows for a terminal and for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from ...model.limits import format_axes
from ...model.load_limits import LoadShare
from ...model.types import Array
from ...robot.robot import Robot
from ...tasks.path_check import MoveTiming, PathCheck
from ...tasks.path_check.samples import format_lines
from ..load_check import load_check_table
from ..tables import notes
from ..text_table import TextTable, counted
from .cycle import cycle_table

_LISTED = 20  # findings in the terminal


def verdict(check: PathCheck) -> str:
    """Return the conclusion in one line, with the first violation."""
    return f"{conclusion(check)}; the first: {check.first}" if check.first else conclusion(check)


def conclusion(check: PathCheck) -> str:
    """Return the number of violations, or that bounds are kept and what was not checked."""
    count, left = len(check.findings) + check.more, unevaluated(check)
    if count:
        return "; ".join(filter(None, [counted(count, "violation"), left]))
    if check.moved:
        kept = (
            f"{left}; the rest keeps every checked bound" if left else "every checked bound is kept"
        )
    else:
        resting = "nothing moves; the posture keeps its bounds" if check.rows else ""
        kept = "; ".join(filter(None, [left, resting]))
    return f"{kept} (not checked: {', '.join(check.unchecked)})" if check.unchecked else kept


def unevaluated(check: PathCheck) -> str:
    """Return how many instructions and tools of a program were not evaluated; empty if none."""
    notes = check.program.unevaluated if check.program else ()
    tools = sum(" stands for it" in note for note in notes)
    parts = []
    if len(notes) > tools:
        parts.append(f"{counted(len(notes) - tools, 'instruction')} could not be evaluated")
    if tools:
        has = "has" if tools == 1 else "have"
        parts.append(f"{counted(tools, 'tool')} of the program {has} no value")
    return " and ".join(parts)


def remarks(check: PathCheck, robot: Robot) -> list[str]:
    """Return what the numbers rest on: assumptions, missing data, and notes of the program."""
    limits, has_masses = robot.limits, robot.dynamic_model.has_masses
    one, unknown = check.extrapolated.sum() == 1, np.isinf(limits.velocity)
    moves, its = ("moves", "its") if one else ("move", "their")
    cases = (
        (
            has_masses and limits.effort_assumed.any(),
            f"torque limits of {robot.name} are assumed: none is published",
        ),
        (
            limits.velocity_assumed.any(),
            f"speed limits of {format_axes(limits.velocity_assumed)} are assumed",
        ),
        (
            check.program is not None and unknown.any(),
            f"no speed of {format_axes(unknown)} is known: moves may take longer than they do here",
        ),
        (
            limits.range_assumed.any(),
            f"ranges of {format_axes(limits.by_axis(limits.range_assumed))} are assumed",
        ),
        (not has_masses, f"no masses of {robot.name} are known: its torques are not"),
        (
            has_masses and check.friction_share is None,
            f"{robot.name} has no friction data: torques hold none",
        ),
        (
            check.extrapolated.any(),
            (
                f"{format_axes(check.extrapolated)} {moves} faster than {its} friction was"
                " measured; friction there is extrapolated"
            ),
        ),
        (
            check.acceleration is None,
            "accelerations were held against no limit: none is published, and none was given",
        ),
        (
            has_masses and check.rated_torque is None,
            "RMS torques were held against no rating: none is published, and none was given",
        ),
        (check.collision_checked, "collision of the robot with itself was looked for"),
        (not check.collision_checked, "collision was not looked for"),
    )
    lines = [*notes(robot), *(text for applies, text in cases if applies)]
    if check.cut is not None:
        force, cut_lines = check.cut.force, check.cut.lines
        where = "wherever the TCP moves" if cut_lines is None else f"in {format_lines(cut_lines)}"
        lines.append(
            f"torques hold a cut of {force.feed:g}, {force.across:g}, {force.axial:g} N (feed,"
            f" across, axial) {where}"
        )
    if check.deflection is not None:
        lines.append(
            f"the TCP gives way to the cut by {1e3 * check.deflection.value[0]:.3g} mm at t ="
            f" {check.deflection.time[0]:.4g} s, with the stiffness given"
        )
    if check.box_scope:
        lines.append(f"held against the box: {check.box_scope}")
    return [*lines, *(check.program.notes if check.program else ())]


def check_tables(check: PathCheck, robot: Robot) -> list[TextTable]:
    """Return margins, shares and peaks per axis, singularities, moves, power, first violations."""
    tables = []
    if check.rows:
        tables.append(_axis_table(check, robot))
        heads = ["singularity", "nearest approach", "at s", "at line"]
        tables.append(TextTable(*heads, rows=singularity_rows(check), title="singularities"))
    if check.by_line:
        heads = ["line", "move", "from s", "to s", "TCP mm/s", "range %", "speed %", "torque %"]
        rows = [(*cells, "VIOLATION" if bad else "") for cells, bad in move_rows(check, robot)]
        tables.append(TextTable(*heads, "wrist deg", "verdict", rows=rows, title="moves", keys=2))
    if loads := load_shares(check, robot):
        tables.append(load_check_table(loads))
    if check.moved and robot.dynamic_model.has_masses:
        tables.append(cycle_table(check, robot))
    if check.findings:
        count = len(check.findings)
        first = f" (the first {_LISTED} of {count + check.more})" if count > _LISTED else ""
        rows = [
            (line_text(one.line), f"{one.start:.4g}", f"{one.end:.4g}", one.kind, one.what)
            for one in check.findings[:_LISTED]
        ]
        heads = ["line", "from s", "to s", "kind", "what"]
        tables.append(TextTable(*heads, rows=rows, title=f"violations{first}"))
    return tables


def load_shares(check: PathCheck, robot: Robot) -> list[tuple[str, list[LoadShare]]]:
    """Return every load of a path by name, beside its limits; empty where none are known."""
    limits = robot.limits.load
    if limits is None:
        return []
    return [(load.name, limits.shares(load.body)) for load in check.loads]


def _axis_table(check: PathCheck, robot: Robot) -> TextTable:
    accelerated = check.acceleration is not None
    # each name stands alone where a table splits
    heads = (
        *("axis", "range of", "margin", "margin line", "speed %", "speed line"),
        *["acceleration %"] * accelerated,
        *("torque %", "torque line", "peak torque", "friction %"),
    )
    starred, marks = star(robot), assumed_marks(robot)
    legend = f" ({starred} of an assumed limit)" if starred else ""
    title = f"{robot.name}: what the path takes of each limit{legend}"

    def percent(shares: Array | None, i: int, digits: int = 1, kind: str = "") -> str:
        share = math.nan if shares is None else 100.0 * float(shares[i])
        mark = marks[kind][i] if kind else ""
        return f"{share:.{digits}f}{mark}" if math.isfinite(share) else "unknown"

    rows = [
        (
            *(row[key] for key in ("axis", "range", "margin", "margin_line")),
            percent(check.speed.value, i, kind="speed"),
            row["speed_line"],
            *([] if check.acceleration is None else [percent(check.acceleration.value, i)]),
            percent(check.torque.value, i, kind="torque"),
            row["torque_line"],
            row["peak"],
            percent(check.friction_share, i, 0),
        )
        for i, row in enumerate(axis_rows(check, robot))
    ]
    return TextTable(*heads, rows=rows, title=title, keys=2)


def assumed_marks(robot: Robot) -> dict[str, list[str]]:
    """Return the mark behind a value per axis, ``*`` where its limit is only assumed, by kind."""
    return {
        kind: ["*" if one else "" for one in axes.tolist()]
        for kind, axes in robot.limits.assumed.items()
    }


def star(robot: Robot) -> str:
    """Return ``*`` where a limit of a robot is assumed that a share is of; else nothing."""
    known = [
        axes
        for kind, axes in robot.limits.assumed.items()
        if kind != "torque" or robot.dynamic_model.has_masses
    ]
    return "*" if np.any(known) else ""


def axis_rows(check: PathCheck, robot: Robot) -> Iterator[dict[str, str]]:
    """Yield the cells of each axis, as text."""
    limits = robot.limits
    rows = list(zip(limits.names(), limits.row_axes.tolist(), strict=True))
    names = [", ".join(name for name, axis in rows if axis == i) for i in range(robot.n)]
    marks = assumed_marks(robot)
    for i, linear in enumerate(limits.linear.tolist()):
        unit, factor = ("mm", 1000.0) if linear else ("deg", math.degrees(1.0))
        peak = float(check.peaks[4, i])
        yield {
            "axis": str(i + 1),
            "range": names[i],
            "margin": f"{factor * check.margin.value[i]:.2f} {unit}{marks['range'][i]}",
            "margin_line": line_text(int(check.margin.line[i])),
            "speed_line": line_text(int(check.speed.line[i])),
            "torque_line": line_text(int(check.torque.line[i])) if math.isfinite(peak) else "",
            "peak": f"{peak:.1f} {'N' if linear else 'N m'}" if math.isfinite(peak) else "unknown",
        }


def singularity_rows(check: PathCheck) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, nearest approach, time and line of each singularity and measure."""
    for name, one in check.singularities.items():
        value = float(one.value[0])
        if math.isfinite(value):
            distance = (
                f"{1000.0 * abs(value):.1f} mm"
                if name == "shoulder"
                else f"{math.degrees(abs(value)):.3f} deg"
            )
            yield name, distance, f"{one.time[0]:.4g}", line_text(int(one.line[0]))
    for name, one in (
        ("smallest singular value", check.smallest),
        ("manipulability", check.manipulability),
    ):
        yield name, f"{one.value[0]:.4g}", f"{one.time[0]:.4g}", line_text(int(one.line[0]))


def move_rows(check: PathCheck, robot: Robot) -> Iterator[tuple[list[str], bool]]:
    """Yield the cells of each move, and True if a bound is not kept there."""
    assert check.program is not None
    marks = assumed_marks(robot)

    def percent(share: float, axis: int, kind: str) -> str:
        if not math.isfinite(share):
            return "unknown"
        return f"{100.0 * share:.0f}{marks[kind][axis - 1]} (axis {axis})"

    timings: dict[int, MoveTiming] = {}
    # a line in a loop, or of a procedure that is called twice, has several
    for time in check.program.timings:
        old = timings.get(time.line, time)
        timings[time.line] = max(old, time, key=_tcp_speed)._replace(start=old.start, end=time.end)
    bad = {one.line for one in check.findings}
    for one in check.by_line:
        timing = timings.get(one.line)
        start, end = (one.start, one.end) if timing is None else (timing.start, timing.end)
        slowed = f" (axis {timing.slowed_by})" if timing and timing.slowed_by else ""
        speed = (
            ""
            if timing is None
            else f"{1000.0 * _tcp_speed(timing):.0f} of {1000.0 * timing.speed:.0f}{slowed}"
        )
        wrist = f"{math.degrees(one.wrist):.1f}" if math.isfinite(one.wrist) else ""
        cells = [
            str(one.line), "start" if timing is None else timing.instruction,
            f"{start:.3f}", f"{end:.3f}", speed,
            percent(one.used, one.used_axis, "range"), percent(one.speed, one.speed_axis, "speed"),
            percent(one.torque, one.torque_axis, "torque"), wrist,
        ]  # fmt: skip
        yield cells, one.line in bad


def line_text(line: int | None) -> str:
    """Return a line number as text; empty for a motion without lines."""
    return "" if not line else str(line)


def _tcp_speed(timing: MoveTiming) -> float:
    """Return the highest speed that the TCP reaches [m/s]."""
    return timing.share * timing.speed
