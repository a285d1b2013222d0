"""One check of a whole path: piece by piece, so that files may be larger than memory."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_bool, as_callable, as_instance, as_list, as_path, finite, number, positive
from ...errors import InputError
from ...files import replacing
from ...model.limits import ROUNDING
from ...model.types import Array, IntArray, Mask
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from ...trajectory import Motion
from ...trajectory.differentiation import REST
from ...trajectory.motion import checked_motion
from ...trajectory.motion_files import ROWS, MotionFile
from . import csv_table as table
from .criteria import Box, axis_watches, box_watches, collision_watch, near_told, near_watches, told
from .extremes import Nearest, PerLine, Totals, Trace
from .program_motion import ProgramMotion
from .samples import Cut, checked_cut, format_axes, format_lines, in_lines, samples_of, with_cut
from .violations import Finding, Stretches, overloaded


@dataclass(frozen=True, eq=False)
class PathCheck:
    """What a path does to a robot."""

    rows: int
    duration: float
    """[s]"""
    findings: tuple[Finding, ...]
    """What is not kept, in the order of time."""
    more: int
    """Findings beyond the ten thousand that are listed."""
    near: tuple[Finding, ...]
    """Stretches near a singularity; none of them is a violation."""
    margin: Nearest
    """Per axis the smallest distance to an end of its range [rad, m], the coupled one included.

    Negative outside.
    """
    used: Nearest
    """Per axis the largest share of its half range that is used: 0 is the middle, 1 an end."""
    speed: Nearest
    """Per axis the largest share of its speed limit."""
    acceleration: Nearest | None
    """The same of the limits that were given; None without."""
    torque: Nearest
    """The same of the torque limits, which are assumed."""
    peaks: Array
    """Largest inertia, Coriolis, gravity, friction and total torque per axis [N m, N], ``(5, n)``.

    A cut is in the total.
    """
    friction_share: Array | None
    """Per axis: sum of ``|friction|`` by that of all four causes; None without friction data."""
    singularities: dict[str, Nearest]
    """Nearest approach to ``wrist``, ``elbow`` [rad], ``shoulder`` [m].

    Empty for an arm whose singularities are not known.
    """
    smallest: Nearest
    """Smallest singular value of the TCP's Jacobian at 1 m/rad."""
    manipulability: Nearest
    extrapolated: Mask
    """Per axis whether it moved faster than its friction was ever measured."""
    by_line: tuple[PerLine, ...]
    """Of a program: the same per move."""
    box_scope: str
    """What was held against the box: ``TCP and tool``, ``TCP``, or nothing without a box."""
    unlimited: tuple[str, ...]
    """Bounds without a known limit: ``speeds of axes 1 and 2``."""
    collision_checked: bool
    """Whether collision was looked for."""
    program: ProgramMotion | None
    cut: Cut | None
    """What was milled along the way."""
    deflection: Nearest | None
    """How far the TCP gives way under the cut [m]; None without a cut or a stiffness."""
    trace: Trace
    """For figures: at most a few thousand samples, in which no extreme is lost."""

    @property
    def kept(self) -> bool:
        """Whether something moved, every bound is kept, and nothing of a program was left out."""
        return self.moved and not self.findings and not (self.program and self.program.unevaluated)

    @property
    def moved(self) -> bool:
        """Whether there are two samples or more: one alone is a posture at rest, which says nothing about a motion."""
        return self.rows > 1

    @property
    def unchecked(self) -> tuple[str, ...]:
        """Names of the bounds that were not checked, here or for want of a limit."""
        if not self.rows:
            return ("everything: no move could be driven",)
        resting = (
            () if self.moved else ("speeds and torques of a motion: there is one posture at rest",)
        )
        limits = () if self.acceleration is not None else ("accelerations",)
        return (
            *resting,
            *self.unlimited,
            *limits,
            *(() if self.collision_checked else ("collision",)),
        )

    def __repr__(self) -> str:
        """Say whether every bound is kept, or what first is not, and how near the limits the path comes."""
        kept = "every checked bound kept" if self.moved else "nothing moves"
        found = (
            f"{len(self.findings) + self.more} bounds not kept, first {self.first}"
            if self.first
            else kept
        )
        unevaluated = len(self.program.unevaluated) if self.program else 0
        left = f", {unevaluated} notes of what is not evaluated" if unevaluated else ""
        shares = self._shares().items() if self.rows else ()
        used = ", ".join(f"{name} {100.0 * np.max(one.value):.3g} %" for name, one in shares)
        most = f"; used at most: {used}" if used else ""
        return f"<PathCheck of {self.rows} samples, {self.duration:.4g} s: {found}{left}{most}>"

    def _shares(self) -> dict[str, Nearest]:
        shares = {"range": self.used, "speed": self.speed, "torque": self.torque}
        return (
            shares if self.acceleration is None else {**shares, "acceleration": self.acceleration}
        )

    @property
    def first(self) -> Finding | None:
        """The first violation, in time and so in the program; None where everything is kept."""
        return self.findings[0] if self.findings else None


def check_path(
    robot: Robot,
    path: Motion | MotionFile | ProgramMotion,
    *,
    acceleration: ArrayLike | None = None,
    box: Box | None = None,
    collision: bool = False,
    cut: Cut | None = None,
    output: str | Path | None = None,
    window: float | None = None,
    rest: float = REST,
    advance: Callable[[int], object] = lambda _: None,
) -> PathCheck:
    """Check ranges (the coupled one too), speeds, torques, singularities.

    On request acceleration, a box and collision.

    Times of a finding are those of samples: the first and the last that do not keep the bound.

    Args:
        robot: With its tool.
        path: A motion with speeds and accelerations, an opened motion file, or what a program asks
            for.
        acceleration: Limits [rad/s^2, m/s^2], shape ``(n,)``; nobody publishes any, so None checks
            none.
        box: Box [m] in base axes for the TCP and, where the tool has collision shapes, for the
            whole tool.
        collision: Whether to look for collisions of the robot with itself and its tool, in every
            sample.
        cut: What is milled along the path: torques then hold against it too.
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
    """
    as_instance(robot, Robot, "what is checked is a path of an irbmodels.Robot")
    what = (
        "a path is a Motion, a motion file (irbmodels.open_motion) or what a program asks for"
        " (programmed_motion)"
    )
    as_instance(path, Motion | MotionFile | ProgramMotion, what)
    as_bool(collision, "collision, whether to look for it,")
    number(rest, "rest [deg, mm]", 0.0)
    as_callable(advance, "advance is a function of a number of bytes")
    if window is not None:
        positive(window, "window, the length of the derivative filter [s],")
    limit = (
        None
        if acceleration is None
        else finite(acceleration, (robot.n,), "acceleration limits [rad/s^2, m/s^2]")
    )
    if limit is not None and not (limit > 0.0).all():
        raise InputError(f"acceleration limits are positive, got {limit.tolist()}")
    if box is not None:
        corners = as_instance(box, Box, "a box is Box(lower, upper)")
        low, high = (finite(corner, (3,), "a corner of the box [m]") for corner in corners)
        if not (low < high).all():
            raise InputError(f"the box is empty: {low.tolist()} .. {high.tolist()} m")
    file = None if output is None else as_path(output, "the table to write")
    if (
        file is not None
        and isinstance(path, MotionFile)
        and file.exists()
        and file.samefile(path.path)
    ):
        raise InputError(f"{output} is the motion itself; write the table to another file")
    program = path if isinstance(path, ProgramMotion) else None
    if program is not None:
        as_list(program.findings, Finding, "findings of a program are a list of Finding")
    cut = None if cut is None else checked_cut(cut, robot.n)
    if cut is not None and cut.lines is not None and isinstance(path, Motion):
        raise InputError(
            "a motion made in code has no lines; cut along the whole of it, or along a program or a"
            " file"
        )
    tool = ToolExtent(robot) if box is not None else None
    found, near = Stretches(ROUNDING, program is not None), Stretches(0.0, program is not None)
    totals = Totals(robot.n, program is not None)
    wanting = () if cut is None else cut.lines or ()
    with ExitStack() as stack:
        stream = None
        if output is not None:
            stream = stack.enter_context(
                stack.enter_context(replacing(output)).open("w", encoding="utf-8")
            )
            table.write_header(stream, robot, limit is not None)
        for motion, lines in _pieces(robot, path, window, rest, advance):
            assert motion.v is not None  # _pieces sees to it
            assert motion.a is not None
            samples = samples_of(robot, motion.q, motion.v, motion.a, limit)
            if cut is not None:
                wanting = tuple(
                    one for one in wanting if lines is None or not in_lines(lines, (one,)).any()
                )
                samples = with_cut(robot, motion.q, motion.v, samples, cut, lines)
            watches = [*axis_watches(robot, motion, samples, limit)]
            if tool is not None and box is not None:
                watches += box_watches(tool, box, motion.q, samples.tcp)
            if collision:
                watches.append(collision_watch(robot, motion.q))
            found.add(watches, motion.t, motion.q, lines)
            near.add(near_watches(samples), motion.t, motion.q, lines)
            totals.add(motion, samples, lines)
            if stream is not None:
                table.write_rows(stream, robot, motion, samples, lines)
        if wanting:
            what = (
                "move stands in"
                if program is not None
                else f"row of the {totals.rows} of the file, from 2 on, is"
            )
            raise InputError(f"no {what} {format_lines(wanting)}, where the tool should cut")
        if stream is not None:
            stream.close()  # before it is moved into place
    law = robot.friction_model
    broken = [told(robot, one) for one in found.result()]
    carried = (
        [overloaded(row, totals.start, totals.duration) for row in robot.overload]
        if totals.rows
        else []
    )
    broken = sorted(
        [*carried, *broken, *(program.findings if program else ())], key=lambda one: one.start
    )
    singular = {name: totals.worst(name) for name in ("wrist", "elbow", "shoulder")}
    return PathCheck(
        rows=totals.rows,
        duration=totals.duration,
        findings=tuple(broken),
        more=found.more,
        near=tuple(near_told(one) for one in near.result()),
        margin=totals.worst("margin"),
        used=totals.worst("used"),
        speed=totals.worst("speed"),
        acceleration=None if limit is None else totals.worst("acceleration"),
        torque=totals.worst("torque"),
        peaks=totals.peaks,
        friction_share=None if law is None else totals.friction_share(),
        singularities={} if np.isnan(singular["wrist"].value).any() else singular,
        smallest=totals.worst("smallest"),
        manipulability=totals.worst("manipulability"),
        extrapolated=totals.fastest
        > (np.inf if law is None or law.measured_to is None else law.measured_to),
        by_line=totals.per_line(),
        box_scope="" if tool is None else tool.name,
        unlimited=_unlimited(robot),
        collision_checked=collision,
        program=program,
        cut=cut,
        deflection=None if cut is None or cut.stiffness is None else totals.worst("deflection"),
        trace=totals.trace(),
    )


def _pieces(
    robot: Robot,
    path: Motion | MotionFile | ProgramMotion,
    window: float | None,
    rest: float,
    advance: Callable[[int], object],
) -> Iterator[tuple[Motion, IntArray | None]]:
    """Yield pieces of the path, each with the line or row of every sample."""
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
    motion, lines = (path.motion, path.lines) if isinstance(path, ProgramMotion) else (path, None)
    motion = checked_motion(
        motion, "the check", n=robot.n, name=robot.name, least=0 if lines is not None else 1
    )
    _refuse_degrees(robot, motion)
    if lines is not None:
        lines = finite(lines, motion.t.shape, "lines of a program, one per sample,").astype(
            np.int64
        )
    for begin in range(0, len(motion.t), ROWS):
        part = slice(begin, begin + ROWS)
        yield motion.each(lambda x, part=part: x[part]), None if lines is None else lines[part]  # type: ignore[misc]


def _unlimited(robot: Robot) -> tuple[str, ...]:
    bounds = {"speeds": robot.limits.velocity, "torques": robot.limits.effort}
    return tuple(
        f"{what} of {format_axes(np.isinf(limit))}"
        for what, limit in bounds.items()
        if np.isinf(limit).any()
    )


def _refuse_degrees(robot: Robot, motion: Motion) -> None:
    farthest = 3.0 * robot.limits.largest()
    far = np.argwhere(np.abs(motion.q) > farthest)
    if len(far):
        k, i = far[0]
        raise InputError(
            f"q{i + 1} = {motion.q[k, i]:g} at t = {motion.t[k]:.6g} s is more than three times the"
            " largest limit; are these degrees? use robot.from_controller(...)"
        )
