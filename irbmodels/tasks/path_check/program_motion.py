"""The motion that a RAPID program asks for, with the line of each sample.

Simple on purpose, and said so: every point is stopped at (zones are not rounded), but for those of
joint moves with times; each move has a trapezoid of speed; axes in MoveJ and MoveAbsJ go linearly;
MoveL and MoveC stay in the posture that they start in. A controller is cleverer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import as_bool, as_instance, as_list, finite, positive
from ...errors import InputError
from ...kinematics.configuration import EDGE
from ...model.types import Array, IntArray
from ...rapid import JointTarget, Move, RobTarget, WobjData
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.cartesian_path import PosePath, arc, line
from ...trajectory.rounding import displacement
from . import ik_following as following
from .joint_segments import MoveTiming, Strokes
from .move_timing import Law, law_of
from .program_notes import Said
from .violations import Finding

# [s] from rest to the speed of a move: assumed, nobody publishes accelerations of these arms
RAMP = 0.2
STEP = 0.01  # [s] between samples
_QUARTER = math.pi / 2.0
_TRIES, _SLOWER = 8, 1.0 + 1e-6  # to slow a move until no sample is too fast
_LONGEST = 60  # characters of a target that an error shows
_SAME = 1e-9  # [m, rad] a shorter move is none


class ProgramMotion(NamedTuple):
    """What a program asks for."""

    motion: Motion
    """With speeds and accelerations."""
    lines: IntArray
    """Line of the move that each sample belongs to, ``(N,)``."""
    timings: tuple[MoveTiming, ...]
    findings: tuple[Finding, ...]
    """Moves that cannot be made as programmed: out of reach, no such configuration, through a singularity, of a target that is
    declared nowhere.
    """
    notes: tuple[str, ...]
    """What was not evaluated, and what was assumed, with lines."""
    unevaluated: tuple[str, ...] = ()
    """Those of the notes without which the program is not wholly checked."""


def programmed_motion(
    robot: Robot,
    moves: Iterable[Move],
    *,
    start: ArrayLike | None = None,
    ramp: float = RAMP,
    step: float = STEP,
    slow: bool = True,
    wobjs: Mapping[str, WobjData] | None = None,
    units: Mapping[str, Robot] | None = None,
    stand_in: bool = False,
) -> ProgramMotion:
    """Return the motion of moves, one after another, each from stand to stand.

    Args:
        robot: With its tool. A move whose tooldata is not known goes with the robot's; TCPs of the
            others are the program's.
        moves: As ``irbmodels.rapid.sequence_of(module)`` lists them.
        start: Axis positions before the first move [rad, m]; None begins at its target.
        ramp: Time from rest to the speed of a move [s], and back; assumed.
        step: Time between samples [s].
        slow: Slow a move, as a controller does, so that no axis exceeds its rated speed; False
            keeps the programmed speed.
        wobjs: Work objects by name, for moves whose own is not declared in the module.
        units: Mechanical units by name, for work objects that one moves.
        stand_in: Whether the robot's tool is meant for tooldata whose value is not known; if not,
            it stands for them all the same, and they count as not evaluated.

    Raises:
        InputError: if there is no move at all, or a number is not positive.
    """
    as_instance(robot, Robot, "a program is one of an irbmodels.Robot")
    moves = as_list(moves, Move, "moves are those that irbmodels.rapid.sequence_of(module) lists")
    for what, time in (("ramp", ramp), ("step", step)):
        positive(time, f"{what} [s]")
    as_bool(slow, "slow, whether moves are slowed to the rated speeds,")
    as_bool(stand_in, "stand_in, whether the robot's tool stands for tooldata without a value,")
    for named, kind in ((wobjs, WobjData), (units, Robot)):
        if named is not None:
            what = (
                f"{'work objects' if kind is WobjData else 'mechanical units'} are a dictionary of"
                f" names to {kind.__name__}"
            )
            as_list(as_instance(named, Mapping, what).values(), kind, what)
    run = _Run(Said(robot, wobjs or {}, stand_in), ramp, step, slow, units)
    if start is not None:
        run.begin(np.array(robot.states.one(finite(start, (robot.n,), "start [rad, m]"))))
    for move in moves:
        run.take(move)
    if not any(move.is_motion for move in moves):
        reasons = "".join(f"; {note}" for note in list(run.said.unevaluated)[:1])
        raise InputError(f"the program holds no MoveL, MoveJ, MoveC or MoveAbsJ{reasons}")
    return run.result()


class _Run:
    """The state of a program that is being carried out."""

    def __init__(
        self, said: Said, ramp: float, step: float, slow: bool, units: Mapping[str, Robot] | None
    ) -> None:
        self.said, self.robot, self.ramp, self.step, self.slow, self.units = (
            said,
            said.robot,
            ramp,
            step,
            slow,
            units,
        )
        self.q: Array | None = None
        self.t = 0.0
        self.pieces: list[Motion] = []
        self.lines: list[IntArray] = []
        self.timings: list[MoveTiming] = []
        self.findings: list[Finding] = []
        self.strokes = Strokes(said.robot)
        self.first_line = 0
        self.stopped = 0

    def begin(self, q: Array) -> None:
        self.q = q

    def take(self, move: Move) -> None:
        """Carry out one move, or say why not."""
        self.first_line = self.first_line or move.line
        handler = next((block for block in move.inside if "handler" in block), "")
        if move.unknown or handler or move.target is None or move.speed is None:
            self._leave(
                move, move.unknown or f"it stands in the {handler}, which runs after an error"
            )
            return
        self.said.remark(move)
        try:
            if isinstance(move.target, JointTarget):
                self.said.tool_known(move)
                self._absolutely(move, move.target)
                return
            robot, wobj = self.said.carrying(move), self.said.work_object(move)
            pose = move.target.pose(wobj, self.units)
            if move.instruction.lower() == "movej" or self.q is None:
                self._jointly(move, robot, pose, move.target)
            else:
                self._straight(
                    move, robot, pose, None if move.via is None else move.via.pose(wobj, self.units)
                )
        except InputError as err:
            self._leave(move, str(err))

    def result(self) -> ProgramMotion:
        self._flush()
        if self.stopped:
            point, are = ("point", "is") if self.stopped == 1 else ("points", "are")
            self.said.aside.add(
                f"{self.stopped} {point} with zones {are} stopped at; corners are not rounded"
            )
        if self.slow:
            self.said.aside.add(
                "moves in which an axis would exceed its rated speed are slowed as a whole"
            )
        if not self.pieces and self.q is not None:
            # the moves end where the arm starts, or cannot be made
            self._rest(self.first_line, self.q)
        n = self.robot.n
        motion = Motion.joined([Motion(np.zeros(0), *np.zeros((3, 0, n))), *self.pieces])
        lines = np.concatenate([np.zeros(0, dtype=np.int64), *self.lines])
        notes, unevaluated = self.said.result()
        return ProgramMotion(
            motion, lines, tuple(self.timings), tuple(self.findings), notes, unevaluated
        )

    def _leave(self, move: Move, reason: str) -> None:
        """Say that a move is not evaluated, and why.

        A name that is declared nowhere is an error.
        """
        self.said.left(move, reason)
        if move.undeclared:
            self._fail(
                move, "undeclared", f"{move.instruction} not evaluated: {reason}", math.nan, ""
            )

    # --- ways to go
    # ------------------------------------------------------------------------------------------------

    def _absolutely(self, move: Move, target: JointTarget) -> None:
        try:
            q = target.q(self.robot)
        except InputError as err:
            self._fail(move, "range", f"{_named(move)}: {err}; it is left out", math.nan, "")
            return
        self._to(move, self.robot, q)

    def _reaches(self, move: Move, robot: Robot, pose: pin.SE3, name: str) -> bool:
        """Whether a pose has any posture; if not, that is a finding."""
        postures: Any = robot.inverse_kinematics(pose)
        if not postures:
            self._fail(
                move,
                "reach",
                f"{name}: {postures.note}; it is left out",
                float(postures.missing),
                "m",
            )
        return bool(postures)

    def _jointly(self, move: Move, robot: Robot, pose: pin.SE3, target: RobTarget) -> None:
        wanted = target.robconf.values
        if not self._reaches(move, robot, pose, _named(move)):
            return
        every: Any = robot.inverse_kinematics(pose, near=self.q, turns=True)
        found: Any = [*robot.inverse_kinematics(pose, configuration=wanted, near=self.q)]
        # cfx may mean something else: cf1, cf4 and cf6 decide, and then the ranges
        if not every[0].configuration.sure:
            found += [
                one
                for one in every
                if one.configuration[:3] == tuple(int(value) for value in wanted[:3])
            ]
            found.sort(key=lambda one: not one.in_range)
            self.said.aside.add(
                f"cfx of {robot.name} is not known for sure: cf1, cf4, cf6 and the ranges choose"
                " the posture"
            )
        if found:
            self._to(move, robot, found[0].q)
            return
        text = (
            f"{_named(move)}: no posture has the configuration {target.robconf}; it is reached as"
            f" {every[0].configuration}"
        )
        self._fail(move, "configuration", text, math.nan, "")
        self._to(move, robot, every[0].q)

    def _to(self, move: Move, robot: Robot, end: Array) -> None:
        """Go linearly in axis positions.

        With a time, and on to others with times where the point is flown by.
        """
        if self.q is None:
            self._stand(move, end)
            return
        flies = move.seconds is not None and move.zone is not None and not move.zone.finep
        if move.seconds is not None and (flies or self.strokes.waiting):
            self.strokes.add(self.q, end, move.seconds, move.line, move.instruction)
            self.q = end
            if not flies:
                self._flush()
            return
        self._flush()
        self._stop(move)
        begin, way = self.q, displacement(self.q, end)
        if np.abs(way).max() <= _SAME:
            return
        share = np.linspace(0.0, 1.0, 101)
        twists = np.einsum("kij,j->ki", robot.jacobian(begin + share[:, None] * way), way)
        law, slowed = self._law(move, 1.0, twists, way[None])
        t = law.times(self.step)
        u, rate, gain = law.at(t)
        self._add(
            move,
            robot,
            law,
            slowed,
            t,
            begin + u[:, None] * way,
            rate[:, None] * way,
            gain[:, None] * way,
        )
        self.q = end

    def _straight(self, move: Move, robot: Robot, pose: pin.SE3, via: pin.SE3 | None) -> None:
        assert self.q is not None  # the first move goes jointly
        self._flush()
        self._stop(move)
        first: Any = robot.pose(self.q)
        step = np.linalg.norm(first.translation - pose.translation) + np.linalg.norm(
            first.rotation - pose.rotation
        )
        if via is None and step <= 10.0 * _SAME:
            return
        if via is not None and not self._reaches(move, robot, via, _named(move, via=True)):
            return
        if not self._reaches(move, robot, pose, _named(move)):
            return
        path = line(first, pose) if via is None else arc(first, via, pose)
        followed = following.follow(robot, path, self.q)
        if followed.missing:
            text = (
                f"the way leaves the reach after {1000.0 * followed.s[-1]:.6g} mm of"
                f" {1000.0 * path.length:.6g} mm"
            )
            self._fail(
                move, "reach", f"{_named(move)}: {text}; it is left out", followed.missing, "m"
            )
            return
        self._along(move, robot, path, followed)
        self._compare(move, robot)

    def _along(
        self, move: Move, robot: Robot, path: PosePath, followed: following.Followed
    ) -> None:
        slopes, _ = following.rates(robot, path, followed.s, followed.q)
        law, slowed = self._law(
            move, path.length, path.twists(followed.s), slopes[followed.smooth(followed.s)]
        )
        for _ in range(_TRIES):
            t = law.times(self.step)
            s, speed, gain = law.at(t)
            q = following.at(robot, followed, path.poses(s), s)
            q[0], q[-1] = followed.q[0], followed.q[-1]
            slope, bend = following.rates(robot, path, s, q)
            v = slope * speed[:, None]
            a = bend * speed[:, None] ** 2 + slope * gain[:, None]
            shares = np.abs(v[followed.smooth(s)]).max(axis=0, initial=0.0) / robot.limits.velocity
            if not self.slow or shares.max() <= 1.0:
                break  # between the samples that the law was made from an axis may be faster still
            law, slowed = law.slower(_SLOWER * float(shares.max())), int(np.argmax(shares)) + 1
        for jump in followed.jumps:
            when = self.t + float(np.interp(jump.s, s, t))
            turned, within = math.degrees(jump.angle), 1000.0 * jump.within
            text = (
                f"axis {jump.axis + 1} turns {turned:.4g} deg within {within:.3g} mm of"
                f" {move.instruction}: it passes a singularity, or the arm changes its posture"
            )
            self._fail(move, "jump", text, jump.angle, "rad", when, jump.axis + 1)
        self._add(move, robot, law, slowed, t, q, v, a)
        self.q = followed.q[-1]

    def _compare(self, move: Move, robot: Robot) -> None:
        assert self.q is not None
        assert isinstance(move.target, RobTarget)
        wanted = move.target.robconf.values[:3]
        # of a SCARA axes 1 and 4
        for axis, quadrant in zip((1, 4, 6)[: robot.n // 2], wanted, strict=False):
            if abs(self.q[axis - 1] - (quadrant + 0.5) * _QUARTER) > 0.5 * _QUARTER + EDGE:
                reached = str(robot.configuration(self.q)).rstrip("?")
                self.said.note(
                    move,
                    f"ends in the configuration {reached}, not in {move.target.robconf} as"
                    " programmed",
                )
                return

    # --- time
    # ------------------------------------------------------------------------------------------------------

    def _law(
        self, move: Move, length: float, twists: Array, slopes: Array
    ) -> tuple[Law, int | None]:
        """Return the trapezoid over a length, for twists ``(K, 6)`` and axis rates ``(K, n)`` per unit of it."""
        speed = move.speed
        assert speed is not None
        if not (speed.v_tcp > 0.0 and speed.v_ori > 0.0):
            raise InputError(f"its speed {speed} is not positive")
        bounds = (twists[:, :3], 1e-3 * speed.v_tcp), (twists[:, 3:], math.radians(speed.v_ori))
        return law_of(
            length,
            self.ramp,
            bounds,
            slopes,
            self.robot.limits.velocity if self.slow else None,
            move.seconds,
        )

    def _add(
        self,
        move: Move,
        robot: Robot,
        law: Law,
        slowed: int | None,
        t: Array,
        q: Array,
        v: Array,
        a: Array,
    ) -> None:
        self.said.aside.add(
            f"each move takes {self.ramp:g} s from rest to its speed, and to brake (assumed)"
        )
        # the last sample of the move before is the first of this one
        first = 1 if self.pieces else 0
        self.pieces.append(Motion(self.t + t[first:], q[first:], v[first:], a[first:]))
        self.lines.append(np.full(len(t) - first, move.line))
        assert move.speed is not None
        speeds = np.linalg.norm(np.einsum("kij,kj->ki", robot.jacobian(q), v)[:, :3], axis=1)
        programmed = 1e-3 * move.speed.v_tcp if move.seconds is None else float(speeds.max())
        end, share = (
            self.t + law.duration,
            1.0 if move.seconds is not None else float(speeds.max()) / programmed,
        )
        self.timings.append(
            MoveTiming(move.line, move.instruction, self.t, end, programmed, share, slowed)
        )
        self.t = end

    def _stop(self, move: Move) -> None:
        self.stopped += move.zone is not None and not move.zone.finep

    def _flush(self) -> None:
        """Carry out the joint moves with times that wait."""
        if not self.strokes.waiting:
            return
        if self.strokes.waiting > 1:
            self.said.aside.add(
                "joint moves with times pass their points without a stop, on a cubic spline"
            )
        motion, lines, timings = self.strokes.carry_out(
            self.t, self.step, self.slow, 1 if self.pieces else 0
        )
        self.pieces.append(motion)
        self.lines.append(lines)
        self.timings += timings
        self.t = timings[-1].end

    def _stand(self, move: Move, q: Array) -> None:
        """Begin at a target: where the arm comes from is not in the program."""
        self.said.aside.add(
            f"the motion begins at the target of line {move.line}: where the arm comes from is not"
            " in the program"
        )
        self._rest(move.line, q)

    def _rest(self, line: int, q: Array) -> None:
        """Stand at a posture, for one sample."""
        still = np.zeros((1, len(q)))
        self.pieces.append(Motion(np.array([self.t]), q[None].copy(), still, still.copy()))
        self.lines.append(np.array([line]))
        self.q = q

    def _fail(
        self,
        move: Move,
        kind: str,
        text: str,
        value: float,
        unit: str,
        when: float | None = None,
        axis: int | None = None,
    ) -> None:
        self._flush()
        t = self.t if when is None else when
        q = None if self.q is None else self.q.copy()
        self.findings.append(
            Finding(
                kind, t, t, move.line, t, axis, kind, value, math.nan, math.nan, unit, q, text=text
            )
        )


def _named(move: Move, via: bool = False) -> str:
    """Return a move's target, or the circle point of a MoveC, with its instruction and routine."""
    name = " ".join((move.via_name if via else move.target_name).split())
    name = name if len(name) <= _LONGEST else f"{name[:_LONGEST]} ..."
    return f"{'circle point' if via else 'target'} {name} of {move.instruction} in {move.routine}"
