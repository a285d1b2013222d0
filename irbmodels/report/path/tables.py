"""Rows of numbers: for a terminal, and for the page."""

from __future__ import annotations

import math
from collections.abc import Iterator

from ...robot.robot import Robot
from ...tasks.path_check import MoveTiming, PathCheck
from ...tasks.path_check.samples import format_axes, format_lines
from ..tables import notes
from ..text_table import TextTable

_LISTED = 20  # findings in the terminal


def verdict(check: PathCheck) -> str:
    """Return the conclusion in one line: what is not kept, what was not evaluated, what was not checked."""
    return f"{conclusion(check)}; the first: {check.first}" if check.first else conclusion(check)


def conclusion(check: PathCheck) -> str:
    """Return the number of violations, or what every bound being kept rests on."""
    count, left = len(check.findings) + check.more, unevaluated(check)
    if count:
        return f"{count} violation{'' if count == 1 else 's'}{f'; {left}' if left else ''}"
    kept = f"{left}; the rest keeps every checked bound" if left else "every checked bound is kept"
    if not check.moved:
        kept = (
            left
            if not check.rows
            else "; ".join(
                [*([left] if left else []), "nothing moves; the posture keeps its bounds"]
            )
        )
    return f"{kept} (not checked: {', '.join(check.unchecked)})" if check.unchecked else kept


def unevaluated(check: PathCheck) -> str:
    """Say how much of a program was not evaluated, or was with a tool that is not its own.

    Nothing where all was.
    """
    notes = check.program.unevaluated if check.program else ()
    tools = sum(" stands for it" in note for note in notes)
    moves = len(notes) - tools
    said = (
        [f"{moves} instruction{'' if moves == 1 else 's'} could not be evaluated"] if moves else []
    )
    if tools:
        said.append(
            f"{tools} tool{'' if tools == 1 else 's'} of the program"
            f" {'has' if tools == 1 else 'have'} no value"
        )
    return " and ".join(said)


def remarks(check: PathCheck, robot: Robot) -> list[str]:
    """What to know before trusting the numbers: assumed bounds, friction, what was not looked at, what a program leaves open."""
    found = list(notes(robot))
    if robot.limits.effort_assumed.any():
        found.append(f"torque limits of {robot.name} are assumed: none is published")
    if robot.limits.velocity_assumed.any():
        found.append(f"speed limits of {format_axes(robot.limits.velocity_assumed)} are assumed")
    if robot.limits.range_assumed.any():
        found.append(f"ranges of {format_axes(robot.limits.range_assumed)} are assumed")
    if check.friction_share is None:
        found.append(f"{robot.name} has no friction data: torques hold none")
    if check.extrapolated.any():
        one = check.extrapolated.sum() == 1
        moves, its = ("moves", "its") if one else ("move", "their")
        who = f"{format_axes(check.extrapolated)} {moves} faster"
        found.append(f"{who} than {its} friction was measured; friction there is extrapolated")
    if check.acceleration is None:
        found.append(
            "accelerations were held against no limit: none is published, and none was given"
        )
    found.append(
        "collision of the robot with itself was looked for"
        if check.collision_checked
        else "collision was not looked for"
    )
    if check.cut is not None:
        force, lines = check.cut.force, check.cut.lines
        where = "wherever the TCP moves" if lines is None else f"in {format_lines(lines)}"
        found.append(
            f"torques hold a cut of {force.feed:g}, {force.across:g}, {force.axial:g} N (feed,"
            f" across, axial) {where}"
        )
    if check.deflection is not None:
        most = check.deflection
        found.append(
            f"the TCP gives way to the cut by {1e3 * most.value[0]:.3g} mm at t ="
            f" {most.time[0]:.4g} s, with the stiffness given"
        )
    if check.box_scope:
        found.append(f"held against the box: {check.box_scope}")
    return [*found, *(check.program.notes if check.program else ())]


def check_tables(check: PathCheck, robot: Robot) -> list[TextTable]:
    """Return margins, shares and peaks per axis, singularities, moves, and the first violations."""
    tables = [_axis_table(check, robot), _singularity_table(check)] if check.rows else []
    if check.by_line:
        tables.append(_move_table(check))
    if check.findings:
        title = (
            f"violations (the first {_LISTED} of {len(check.findings) + check.more})"
            if len(check.findings) > _LISTED
            else "violations"
        )
        table = TextTable("line", "from s", "to s", "kind", "what", title=title)
        for one in check.findings[:_LISTED]:
            table.add_row(
                line_of(one.line), f"{one.start:.4g}", f"{one.end:.4g}", one.kind, one.what
            )
        tables.append(table)
    return tables


def _axis_table(check: PathCheck, robot: Robot) -> TextTable:
    accelerated = ["acceleration %"] if check.acceleration is not None else []
    # each name stands alone where a table splits
    lines = [f"{quantity} line" for quantity in ("margin", "speed", "torque")]
    heads = [
        "axis",
        "range of",
        "margin",
        lines[0],
        "speed %",
        lines[1],
        *accelerated,
        "torque %*",
        lines[2],
        "peak torque",
    ]
    title = (
        f"{robot.name}: what the path takes of each limit (* of an assumed limit)"
        if robot.limits.effort_assumed.any()
        else robot.name
    )
    table = TextTable(*heads, "friction %", title=title, keys=2)
    for i, row in enumerate(axis_rows(check, robot)):
        more = [] if check.acceleration is None else [f"{100.0 * check.acceleration.value[i]:.1f}"]
        friction = (
            "unknown" if check.friction_share is None else f"{100.0 * check.friction_share[i]:.0f}"
        )
        plain = [row[key] for key in ("axis", "range", "margin", "margin_line")]
        speed, torque = (f"{100.0 * share.value[i]:.1f}" for share in (check.speed, check.torque))
        table.add_row(
            *plain,
            speed,
            row["speed_line"],
            *more,
            torque,
            row["torque_line"],
            row["peak"],
            friction,
        )
    return table


def axis_rows(check: PathCheck, robot: Robot) -> Iterator[dict[str, str]]:
    """Yield what stands in a row per axis, as text."""
    names = robot.limits.names()
    for i, linear in enumerate(robot.limits.linear.tolist()):
        unit, factor = ("mm", 1000.0) if linear else ("deg", math.degrees(1.0))
        yield {
            "axis": str(i + 1),
            "range": names[i],
            "margin": f"{factor * check.margin.value[i]:.2f} {unit}",
            "margin_line": line_of(int(check.margin.line[i])),
            "speed_line": line_of(int(check.speed.line[i])),
            "torque_line": line_of(int(check.torque.line[i])),
            "peak": f"{check.peaks[4, i]:.1f} {'N' if linear else 'N m'}",
        }


def _singularity_table(check: PathCheck) -> TextTable:
    table = TextTable("singularity", "nearest approach", "at s", "at line", title="singularities")
    for row in singular_rows(check):
        table.add_row(*row)
    return table


def singular_rows(check: PathCheck) -> Iterator[tuple[str, str, str, str]]:
    """Yield name, nearest approach, time and line of each singularity and measure."""
    for name, one in check.singularities.items():
        value = float(one.value[0])
        if math.isfinite(value):
            said = (
                f"{1000.0 * abs(value):.1f} mm"
                if name == "shoulder"
                else f"{math.degrees(abs(value)):.3f} deg"
            )
            yield name, said, f"{one.time[0]:.4g}", line_of(int(one.line[0]))
    for name, one in (
        ("smallest singular value", check.smallest),
        ("manipulability", check.manipulability),
    ):
        yield name, f"{one.value[0]:.4g}", f"{one.time[0]:.4g}", line_of(int(one.line[0]))


def _move_table(check: PathCheck) -> TextTable:
    heads = (
        "line",
        "move",
        "from s",
        "to s",
        "TCP mm/s",
        "range %",
        "speed %",
        "torque %",
        "wrist deg",
        "verdict",
    )
    table = TextTable(*heads, title="moves", keys=2)
    for cells, bad in move_rows(check):
        table.add_row(*cells, "VIOLATION" if bad else "")
    return table


def move_rows(check: PathCheck) -> Iterator[tuple[list[str], bool]]:
    """Yield what stands in a row per move, and whether a bound is not kept there."""
    assert check.program is not None
    timings: dict[int, MoveTiming] = {}
    # a line in a loop, or of a procedure that is called twice, has several
    for time in check.program.timings:
        old = timings.get(time.line, time)
        timings[time.line] = max(old, time, key=_by_speed)._replace(start=old.start, end=time.end)
    bad = {one.line for one in check.findings}
    for one in check.by_line:
        timing = timings.get(one.line)
        start, end = (one.start, one.end) if timing is None else (timing.start, timing.end)
        slowed = f" (axis {timing.slowed_by})" if timing and timing.slowed_by else ""
        speed = (
            ""
            if timing is None
            else f"{1000.0 * _by_speed(timing):.0f} of {1000.0 * timing.speed:.0f}{slowed}"
        )
        wrist = f"{math.degrees(one.wrist):.1f}" if math.isfinite(one.wrist) else ""
        cells = [
            str(one.line), "start" if timing is None else timing.instruction, f"{start:.3f}", f"{end:.3f}", speed,
            f"{100.0 * one.used:.0f} (axis {one.used_axis})", f"{100.0 * one.speed:.0f} (axis {one.speed_axis})",
            f"{100.0 * one.torque:.0f} (axis {one.torque_axis})", wrist,
        ]  # fmt: skip
        yield cells, one.line in bad


def line_of(line: int | None) -> str:
    """Return a line as text; nothing for a motion that has none."""
    return "" if not line else str(line)


def _by_speed(timing: MoveTiming) -> float:
    """Return the highest speed that the TCP reaches [m/s]."""
    return timing.share * timing.speed
