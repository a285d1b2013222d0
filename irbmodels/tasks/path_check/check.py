"""The check of a whole path, piece by piece, so that files may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_bool, as_instance, as_list, finite
from ...errors import InputError
from ...model.limits import ROUNDING, format_axes
from ...model.types import Array, IntArray, Mask
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from ...trajectory import Motion
from ...trajectory.differentiation import REST, check_filter
from ...trajectory.motion import checked_motion, implausible_values
from ...trajectory.motion_files import ROWS, MotionFile, table_stream
from . import csv_table
from .criteria import (
    Box,
    axis_criteria,
    box_corners,
    box_criteria,
    collision_criterion,
    describe_singularity,
    name_links,
    singularity_criteria,
)
from .cycle import Cycle, CycleIntegrals
from .extremes import Extreme, Extremes, PerLine, Trace
from .program_loads import CarriedLoad, own_load
from .program_motion import ProgramMotion
from .samples import Cut, checked_cut, evaluate_samples, format_lines, in_lines
from .violations import Finding, FindingCollector, overload_finding, rms_findings


@dataclass(frozen=True, eq=False)
class PathCheck:
    """Findings and extremes of a path of a robot."""

    rows: int
    duration: float
    """[s]"""
    findings: tuple[Finding, ...]
    """Violated bounds, in the order of time."""
    more: int
    """Findings beyond the ten thousand that are listed."""
    near: tuple[Finding, ...]
    """Segments near a singularity; none of them is a violation."""
    margin: Extreme
    """Per axis the smallest distance to an end of its range [rad, m], the coupled one included.

    Negative outside.
    """
    used: Extreme
    """Per axis the largest share of its half range that is used: 0 is the middle, 1 an end."""
    speed: Extreme
    """Per axis the largest share of its speed limit; NaN where that is unknown."""
    acceleration: Extreme | None
    """The same of the limits that were given; None without."""
    torque: Extreme
    """The same of the torque limits, which are assumed; NaN, too, where masses are unknown."""
    peaks: Array
    """Largest inertia, Coriolis, gravity, friction and total torque per axis [N m, N], ``(5, n)``.

    A cut is in the total.
    """
    friction_share: Array | None
    """Per axis: sum of ``|friction|`` by that of all four causes; None without friction data."""
    cycle: Cycle
    """Power, energy and duty of the axes, the path taken as one cycle."""
    loads: tuple[CarriedLoad, ...]
    """Tool and payload of the robot, and those of the program."""
    rated_torque: Array | None
    """Rated torques that were given, ``(n,)`` [N m, N]; None: no rating is known."""
    singularities: dict[str, Extreme]
    """Nearest approach to ``wrist``, ``elbow`` [rad], ``shoulder`` [m].

    Empty for an arm whose singularities are not known.
    """
    smallest: Extreme
    """Smallest singular value of the TCP's Jacobian at 1 m/rad."""
    manipulability: Extreme
    extrapolated: Mask
    """True per axis if its drive moved faster than its friction was ever measured."""
    by_line: tuple[PerLine, ...]
    """Of a program: the same per move."""
    box_scope: str
    """Parts checked against the box: ``TCP and tool``, ``TCP``, or empty without a box."""
    unlimited: tuple[str, ...]
    """Bounds without a known limit: ``speeds of axes 1 and 2``."""
    collision_checked: bool
    """True if collision was checked."""
    program: ProgramMotion | None
    cut: Cut | None
    """The cut along the way."""
    deflection: Extreme | None
    """Displacement of the TCP by the cut [m]; None without a cut or a stiffness."""
    trace: Trace
    """For figures: at most a few thousand samples, in which no extreme is lost."""

    @property
    def kept(self) -> bool:
        """True if something moved, every bound is kept, and nothing of a program was left out."""
        return self.moved and not self.findings and not (self.program and self.program.unevaluated)

    @property
    def moved(self) -> bool:
        """True if there are two samples or more: one alone is a posture at rest, not a motion."""
        return self.rows > 1

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Names of the bounds that were not checked, here or for want of a limit."""
        if not self.rows:
            return ("everything: no move could be driven",)
        missing = {
            "speeds and torques of a motion: there is one posture at rest": not self.moved,
            **dict.fromkeys(self.unlimited, True),
            "accelerations": self.acceleration is None,
            "collision": not self.collision_checked,
        }
        return tuple(name for name, unchecked in missing.items() if unchecked)

    def __repr__(self) -> str:
        """Return the first violation, or that every bound is kept, and the largest shares."""
        kept = "every checked bound kept" if self.moved else "nothing moves"
        if self.first:
            count = len(self.findings) + self.more
            kept = f"{count} bounds not kept, first {self.first}"
        if self.program and self.program.unevaluated:
            kept += f", {len(self.program.unevaluated)} notes of what is not evaluated"
        shares = {"range": self.used, "speed": self.speed, "torque": self.torque}
        if self.acceleration is not None:
            shares["acceleration"] = self.acceleration
        if self.rows:
            known = {name: one.value[np.isfinite(one.value)] for name, one in shares.items()}
            most = [f"{name} {100.0 * one.max():.3g} %" for name, one in known.items() if one.size]
            kept += f"; used at most: {', '.join(most)}"
        return f"<PathCheck of {self.rows} samples, {self.duration:.4g} s: {kept}>"

    @property
    def first(self) -> Finding | None:
        """The first violation, in time and so in the program; None where everything is kept."""
        return self.findings[0] if self.findings else None


def check_path(
    robot: Robot,
    path: Motion | MotionFile | ProgramMotion,
    *,
    acceleration: ArrayLike | None = None,
    rated_torque: ArrayLike | None = None,
    box: Box | None = None,
    collision: bool = False,
    cut: Cut | None = None,
    output: str | Path | None = None,
    window: float | None = None,
    rest: float = REST,
    advance: Callable[[int], object] = lambda _: None,
) -> PathCheck:
    """Check ranges (the coupled one too), speeds, torques and singularities of a path.

    On request acceleration, a box and collision. Times of a finding are those of samples: the first
    and the last that do not keep the bound.

    Args:
        robot: With its tool.
        path: A motion with speeds and accelerations, an opened motion file, or the motion of a
            program.
        acceleration: Limits [rad/s^2, m/s^2], shape ``(n,)``; nobody publishes any, so None checks
            none.
        rated_torque: Continuous torques of the axes, arm side [N m, N], shape ``(n,)``, which the
            root mean square over the path must not exceed; nobody publishes any, so None checks
            none.
        box: Box [m] in the world for the TCP and, where the tool has collision shapes, for the
            whole tool.
        collision: Whether to look for collisions of the robot with itself and its tool, in every
            sample.
        cut: The cut along the path, whose torques are added.
        output: CSV to write, a row per sample.
        window: Length of the derivative filter [s], of a file without speeds; as
            :func:`irbmodels.predict`.
        rest: Move within the window [deg, mm] that counts as standing still.
        advance: Called with the number of bytes read from a file.

    Raises:
        InputError: if the motion has no speeds or accelerations, a number is not finite, the box is
            empty, or no move or row has a line in which the tool should cut.
        MotionError: if a row of the file is wrong; nothing is written then.
        MissingData: if collision is asked for and the robot has no collision shapes.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> from irbmodels.trajectory import move
        >>> irb.check_path(robot, move(0.0 * q, q, duration=1.0).sample(100.0)).findings
        ()
    """
    as_instance(robot, Robot, "what is checked is a path of an irbmodels.Robot")
    what = (
        "a path is a Motion, a motion file (irbmodels.open_motion) or what a program asks for"
        " (programmed_motion)"
    )
    as_instance(path, Motion | MotionFile | ProgramMotion, what)
    as_bool(collision, "collision, whether to look for it,")
    check_filter(window, rest, advance)
    limits = _positive(acceleration, robot.n, "acceleration limits [rad/s^2, m/s^2]")
    rated = _positive(rated_torque, robot.n, "rated torques [N m, N]")
    if box is not None:
        box_corners(box)
    tool = ToolExtent(robot, "world") if box is not None else None
    program = path if isinstance(path, ProgramMotion) else None
    own = own_load(robot)
    loads = (*([own] if own else []), *(program.loads if program else ()))
    if program is not None:
        as_list(program.findings, Finding, "findings of a program are a list of Finding")
    cut = None if cut is None else checked_cut(cut, robot.n)
    uncut = () if cut is None else cut.lines or ()
    if cut is not None and cut.lines is not None and isinstance(path, Motion):
        raise InputError(
            "a motion made in code has no lines; cut along the whole of it, or along a program or a"
            " file"
        )
    violations = FindingCollector(ROUNDING, program is not None)
    near = FindingCollector(0.0, program is not None)
    extremes = Extremes(robot.drive_axes, program is not None)
    integrals = CycleIntegrals(robot.limits.linear)
    source = path.path if isinstance(path, MotionFile) else None
    with table_stream(output, source) as stream:
        if stream is not None:
            csv_table.write_header(stream, robot, limits is not None)
        for motion, lines in _pieces(robot, path, window, rest, advance):
            samples = evaluate_samples(robot, motion, lines, limits, cut)
            uncut = tuple(one for one in uncut if not in_lines(lines, (one,)).any())
            criteria = [*axis_criteria(robot, samples, limits)]
            if tool is not None and box is not None:
                criteria += box_criteria(tool, box, samples)
            if collision:
                criteria.append(collision_criterion(robot, samples.q))
            violations.add(criteria, samples.t, samples.q, lines)
            near.add(singularity_criteria(samples), samples.t, samples.q, lines)
            extremes.add(samples)
            integrals.add(samples)
            if stream is not None:
                csv_table.write_rows(stream, robot, samples)
        if uncut:
            rows = f"row of the {extremes.rows} of the file, from 2 on, is"
            what = "move stands in" if program is not None else rows
            raise InputError(f"no {what} {format_lines(uncut)}, where the tool should cut")
    findings, cycle = [name_links(robot, one) for one in violations.result()], integrals.result()
    if extremes.rows:
        start, duration = extremes.start, extremes.duration
        for load in reversed(loads):
            times = [one for one in program.timings if one.line == load.line] if program else []
            span = (times[0].start, times[-1].end) if times else (start, start + duration)
            findings[:0] = [
                overload_finding(one, *span, load.line, "" if load.line is None else load.name)
                for one in robot.limits.load_violations(load.body)
            ]
        if rated is not None:
            ends = extremes.start, extremes.start + extremes.duration
            findings += rms_findings(cycle.rms_torque, rated, robot.limits.linear, *ends)
    if program is not None:
        findings += program.findings
    friction = robot.friction_model
    measured_to = (
        np.inf if friction is None or friction.measured_to is None else friction.measured_to
    )
    worst = extremes.worst
    singularities = {name: worst(name) for name in ("wrist", "elbow", "shoulder")}
    return PathCheck(
        rows=extremes.rows,
        duration=extremes.duration,
        findings=tuple(sorted(findings, key=lambda finding: finding.start)),
        more=violations.more,
        near=tuple(map(describe_singularity, near.result())),
        margin=worst("margin"),
        used=worst("used"),
        speed=worst("speed"),
        acceleration=None if limits is None else worst("acceleration"),
        torque=worst("torque"),
        peaks=extremes.peaks,
        friction_share=None if friction is None else extremes.friction_share(),
        cycle=cycle,
        loads=loads,
        rated_torque=rated,
        singularities={} if np.isnan(singularities["wrist"].value).any() else singularities,
        smallest=worst("smallest"),
        manipulability=worst("manipulability"),
        extrapolated=extremes.fastest_drive > measured_to,
        by_line=extremes.per_line(),
        box_scope="" if tool is None else tool.name,
        unlimited=_unlimited(robot),
        collision_checked=collision,
        program=program,
        cut=cut,
        deflection=None if cut is None or cut.stiffness is None else worst("deflection"),
        trace=extremes.trace(),
    )


def _pieces(
    robot: Robot,
    path: Motion | MotionFile | ProgramMotion,
    window: float | None,
    rest: float,
    advance: Callable[[int], object],
) -> Iterator[tuple[Motion, IntArray]]:
    """Yield pieces of the path, each with the line or row of every sample, or zeros."""
    if isinstance(path, MotionFile):
        if path.robot.n != robot.n:
            raise InputError(
                f"the file was opened for {path.robot.name}, which has {path.robot.n} axes;"
                f" {robot.name} has {robot.n}"
            )
        row = 2  # after the header
        for motion in path.motions(window, rest, advance):
            yield motion, np.arange(row, row + len(motion.t))
            row += len(motion.t)
        return
    program = None
    if isinstance(path, ProgramMotion):
        program, path = path, path.motion
    least = 1 if program is None else 0
    motion = checked_motion(path, "the check", n=robot.n, name=robot.name, least=least)
    far = next(implausible_values(motion, robot.limits, quantities="q"), None)
    if far is not None:
        k, i = far[:2]
        raise InputError(
            f"q{i + 1} = {motion.q[k, i]:g} at t = {motion.t[k]:.6g} s is more than {far[3]};"
            " are these degrees? use robot.from_controller(...)"
        )
    lines = np.zeros(len(motion.t)) if program is None else program.lines
    lines = finite(lines, motion.t.shape, "lines of a program, one per sample,").astype(np.int64)
    for begin in range(0, len(motion.t), ROWS):
        end = begin + ROWS
        yield motion.slice(begin, end), lines[begin:end]


def _positive(limits: ArrayLike | None, n: int, what: str) -> Array | None:
    """Return limits ``(n,)`` that are positive, or None."""
    if limits is None:
        return None
    values = finite(limits, (n,), what)
    if not (values > 0.0).all():
        raise InputError(f"{what.partition(' [')[0]} are positive, got {values.tolist()}")
    return values


def _unlimited(robot: Robot) -> tuple[str, ...]:
    unlimited = {what: np.isinf(getattr(robot.limits, what)) for what in ("velocity", "effort")}
    names = {"velocity": "speeds", "effort": "torques"}
    if not robot.dynamic_model.has_masses:
        unlimited["effort"][:] = True
    return tuple(
        f"{names[what]} of {format_axes(axes)}" for what, axes in unlimited.items() if axes.any()
    )
