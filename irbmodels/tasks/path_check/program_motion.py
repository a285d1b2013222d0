"""The motion of a RAPID program, with the line of each sample.

Simpler than a controller: every point is stopped at (zones are not rounded), but for those of joint
moves with times; each move has a trapezoid of speed; axes in MoveJ and MoveAbsJ go linearly; MoveL
and MoveC stay in the posture that they start in. The notes of the result list this.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import as_bool, as_instance, as_list, finite, positive
from ...errors import InputError
from ...kinematics.configuration import CONFIGURATION_AXES, EDGE, QUARTER
from ...model.types import Array, IntArray
from ...rapid import JointTarget, LoadData, Move, RobTarget, WobjData
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.cartesian_path import PosePath, arc, line
from ...trajectory.rounding import displacement
from .ik_following import JointPath, ik_along_path, path_derivatives, postures_at
from .joint_segments import JointSegment, MoveTiming, tcp_speed
from .motion_pieces import SAME, MotionPieces, Start, Starts
from .move_timing import SpeedProfile, speed_profile
from .program_loads import CarriedLoad, ProgramLoads
from .program_notes import ProgramNotes
from .violations import Finding

# [s] from rest to the speed of a move: assumed, nobody publishes accelerations of these arms
RAMP = 0.2
STEP = 0.01  # [s] between samples
_TRIES, _SLOWER = 8, 1.0 + 1e-6  # to slow a move until no sample is too fast
_LONGEST = 60  # characters of a target that an error shows
MOST_STARTS = 16  # of one move after branches that the run chooses


class ProgramMotion(NamedTuple):
    """The motion of a program, and what of it cannot be made or evaluated."""

    motion: Motion
    """With speeds and accelerations."""
    lines: IntArray
    """Line of the move that each sample belongs to, ``(N,)``."""
    timings: tuple[MoveTiming, ...]
    findings: tuple[Finding, ...]
    """Moves that cannot be made as programmed.

    Out of reach, no such configuration, through a singularity, of an undeclared target.
    """
    notes: tuple[str, ...]
    """Parts that were not evaluated, and assumptions, with lines."""
    unevaluated: tuple[str, ...] = ()
    """Those of the notes without which the program is not wholly checked."""
    loads: tuple[CarriedLoad, ...] = ()
    """Tools and payloads of the program, but for the robot's own: torques are those of that."""


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
    loads: Mapping[str, LoadData] | None = None,
    stand_in: bool = False,
) -> ProgramMotion:
    """Return the motion of moves, one after another, each from stand to stand.

    Args:
        robot: With its tool, mounted where it stands in the world of the work objects. A move
            whose tooldata is not known goes with the robot's; TCPs of the others are the program's.
        moves: As ``irbmodels.rapid.sequence_of(module)`` lists them.
        start: Axis positions before the first move [rad, m]; None begins at its target.
        ramp: Time from rest to the speed of a move [s], and back; assumed.
        step: Time between samples [s].
        slow: Slow a move, as a controller does, so that no axis exceeds its rated speed; False
            keeps the programmed speed.
        wobjs: Work objects by name, for moves whose own is not declared in the module.
        units: Mechanical units by name, for work objects that one moves.
        loads: Loaddata of the program by name, for its ``GripLoad``.
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
    named_values = {
        "work objects": (wobjs, WobjData),
        "mechanical units": (units, Robot),
        "loads": (loads, LoadData),
    }
    for values, (named, kind) in named_values.items():
        if named is not None:
            what = f"{values} are a dictionary of names to {kind.__name__}"
            as_list(as_instance(named, Mapping, what).values(), kind, what)
    notes = ProgramNotes(robot, wobjs or {}, stand_in)
    q = None
    if start is not None:
        q = np.array(robot.states.one(finite(start, (robot.n,), "start [rad, m]")))
    carried = ProgramLoads(robot, loads or {}, notes.notes)
    run = _Run(notes, ramp, units, carried, MotionPieces(robot, step, slow), q)
    starts = Starts(Start(q, 0, carried.held))
    for move in moves:
        starts.add(run.take(move, starts.of(move)))
    if not any(move.is_motion for move in moves):
        reasons = "".join(f"; {note}" for note in list(notes.unevaluated)[:1])
        raise InputError(f"the program holds no MoveL, MoveJ, MoveC or MoveAbsJ{reasons}")
    return run.result()


@dataclass
class _Run:
    """The state of a program while its moves are added one after another."""

    notes: ProgramNotes
    ramp: float
    units: Mapping[str, Robot] | None
    loads: ProgramLoads
    pieces: MotionPieces
    q: Array | None = None
    findings: list[Finding] = field(default_factory=list)
    first_line: int = 0
    zones_stopped: int = 0

    def take(self, move: Move, starts: Sequence[Start]) -> list[Start]:
        """Add one instruction from each of its starts; return where it ends."""
        driven = move.is_motion and not move.unknown and not _handler(move)
        lines = [start.line for start in starts if start.line]  # but where the program begins
        if driven and lines and (len(starts) > 1 or starts[0].q is not self.q):
            self.notes.add_starts(move, lines, MOST_STARTS)
        ends = []
        for start in starts[:MOST_STARTS]:
            self.loads.held = start.held
            if driven and start.q is not self.q:
                self._run_segments()
                self.q = start.q
            self.add(move)
            moved = driven and self.q is not start.q
            ends.append(
                Start(self.q, move.line, self.loads.held)
                if moved
                else start._replace(held=self.loads.held)
            )
        return ends

    def add(self, move: Move) -> None:
        """Add one move, or a note why it is left out."""
        self.first_line = self.first_line or move.line
        self.loads.take(move)
        unknown = move.unknown
        if (handler := _handler(move)) and not unknown:
            unknown = f"it stands in the {handler}, which runs after an error"
        if move.effect and not unknown:
            self.notes.add(move, f"noted: {move.effect}")
        if unknown or move.target is None or move.speed is None:
            if unknown or not move.effect:
                self._leave_out(move, unknown)
            return
        self.notes.add_remarks(move)
        try:
            if isinstance(move.target, JointTarget):
                self.notes.has_tool(move)
                self._absolute(move, move.target)
                return
            robot, wobj = self.notes.robot_with_tool(move), self.notes.work_object(move)
            base_from_world = robot.world_from_base.inverse()
            pose = base_from_world * move.target.pose(wobj, self.units)
            if move.is_joint or self.q is None:
                self._joint(move, robot, pose, move.target)
            else:
                via = (
                    None if move.via is None else base_from_world * move.via.pose(wobj, self.units)
                )
                self._cartesian(move, robot, self.q, pose, via)
        except InputError as err:
            self._leave_out(move, str(err))

    def result(self) -> ProgramMotion:
        self._run_segments()
        if self.zones_stopped:
            point, are = ("point", "is") if self.zones_stopped == 1 else ("points", "are")
            self.notes.general.add(
                f"{self.zones_stopped} {point} with zones {are} stopped at; corners are not rounded"
            )
        if self.pieces.slow:
            self.notes.general.add(
                "moves in which an axis would exceed its rated speed are slowed as a whole"
            )
        if not self.pieces.pieces and self.q is not None:
            # the moves end where the arm starts, or cannot be made
            self.pieces.stand(self.first_line, self.q)
        motion, lines = self.pieces.joined()
        moves = tuple(self.pieces.timings), tuple(self.findings)
        return ProgramMotion(motion, lines, *moves, *self.notes.result(), self.loads.result())

    def _leave_out(self, move: Move, reason: str) -> None:
        """Note that a move is not evaluated, and why; an undeclared name is a finding."""
        self.notes.add_unevaluated(move, reason)
        if move.undeclared:
            self._fail(move, "undeclared", f"{move.instruction} not evaluated: {reason}")

    # --- kinds of moves

    def _absolute(self, move: Move, target: JointTarget) -> None:
        try:
            q = target.q(self.notes.robot)
        except InputError as err:
            self._fail(move, "range", f"{_named(move)}: {err}; it is left out")
            return
        self._go_to(move, self.notes.robot, q)

    def _reaches(self, move: Move, robot: Robot, pose: pin.SE3, name: str) -> bool:
        """Return whether a pose has any posture; if not, that is a finding."""
        postures: Any = robot.inverse_kinematics(pose)
        if not postures:
            text = f"{name}: {postures.note}; it is left out"
            self._fail(move, "reach", text, float(postures.missing), "m")
        return bool(postures)

    def _joint(self, move: Move, robot: Robot, pose: pin.SE3, target: RobTarget) -> None:
        wanted = target.robconf.values
        if not self._reaches(move, robot, pose, _named(move)):
            return
        every: Any = robot.inverse_kinematics(pose, near=self.q, turns=True)
        if not move.monitored and self.q is not None:  # the nearest one
            self._go_to(move, robot, every[0].q)
            return
        programmed: Any = [*robot.inverse_kinematics(pose, configuration=wanted, near=self.q)]
        # cfx may mean something else: cf1, cf4 and cf6 decide, and then the ranges
        if not every[0].configuration.sure:
            quadrants = tuple(int(value) for value in wanted[:3])
            programmed += [one for one in every if one.configuration[:3] == quadrants]
            programmed.sort(key=lambda one: not one.in_range)
            self.notes.general.add(
                f"cfx of {robot.name} is not known for sure: cf1, cf4, cf6 and the ranges choose"
                " the posture"
            )
        if not programmed:
            text = f"no posture has the configuration {target.robconf}; it is reached as"
            programmed = sorted(every, key=lambda one: not one.in_range)
            text += f" {programmed[0].configuration}"
            # A palletizer has one posture in range but for full turns, and targets of a RobotStudio
            # cell with an IRB 760 have [0,0,0,0] throughout: not known to be an error.
            if 4 in robot.rapid_axes:
                self._fail(move, "configuration", f"{_named(move)}: {text}")
            else:
                self.notes.add(move, f"has a target of which {text}")
        self._go_to(move, robot, programmed[0].q)

    def _go_to(self, move: Move, robot: Robot, end: Array) -> None:
        """Go linearly in axis positions; moves with times and zones are joined to segments."""
        start = self.q
        if start is None:
            # the program does not tell where the arm comes from
            self.notes.general.add(
                f"the motion begins at the target of line {move.line}: where the arm comes from is"
                " not in the program"
            )
            self.pieces.stand(move.line, end)
            self.q = end
            return
        passes = move.seconds is not None and move.zone is not None and not move.zone.finep
        if move.seconds is not None and (passes or self.pieces.segments):
            self.pieces.segments.append(
                JointSegment(start, end, move.seconds, move.line, move.instruction)
            )
            self.q = end
            if not passes:
                self._run_segments()
            return
        self._stop_before(move, start)
        way = displacement(start, end)
        if np.abs(way).max() <= SAME:
            return
        share = np.linspace(0.0, 1.0, 101)
        twists = np.einsum("kij,j->ki", robot.jacobian(start + share[:, None] * way), way)
        profile, slowed_by = self._speed_profile(move, 1.0, twists, way[None])
        t = profile.times(self.pieces.step)
        moved, v, a = (x[:, None] * way for x in profile.at(t))
        self._append(move, robot, profile, slowed_by, Motion(t, start + moved, v, a))
        self.q = end

    def _cartesian(
        self, move: Move, robot: Robot, start: Array, pose: pin.SE3, via: pin.SE3 | None
    ) -> None:
        self._stop_before(move, start)
        first: Any = robot.pose(start)
        shift, turn = first.translation - pose.translation, first.rotation - pose.rotation
        if via is None and np.linalg.norm(shift) + np.linalg.norm(turn) <= 10.0 * SAME:
            return
        if via is not None and not self._reaches(move, robot, via, _named(move, via=True)):
            return
        if not self._reaches(move, robot, pose, _named(move)):
            return
        path = line(first, pose) if via is None else arc(first, via, pose)
        joint_path = ik_along_path(robot, path, start)
        if joint_path.missing:
            way = f"{1000.0 * joint_path.s[-1]:.6g} mm of {1000.0 * path.length:.6g} mm"
            text = f"{_named(move)}: the way leaves the reach after {way}; it is left out"
            self._fail(move, "reach", text, joint_path.missing, "m")
            return
        self._along(move, robot, path, joint_path)
        if move.monitored:
            self._note_configuration(move, robot, joint_path.q[-1])

    def _along(self, move: Move, robot: Robot, path: PosePath, joint_path: JointPath) -> None:
        slopes, _ = path_derivatives(robot, path, joint_path.s, joint_path.q)
        slopes = slopes[joint_path.off_jumps(joint_path.s)]
        profile, slowed_by = self._speed_profile(
            move, path.length, path.twists(joint_path.s), slopes
        )
        for _ in range(_TRIES):
            t = profile.times(self.pieces.step)
            s, speed, gain = profile.at(t)
            q = postures_at(robot, joint_path, path.poses(s), s)
            q[0], q[-1] = joint_path.q[0], joint_path.q[-1]
            slope, bend = path_derivatives(robot, path, s, q)
            v = slope * speed[:, None]
            shares = np.abs(v[joint_path.off_jumps(s)]).max(axis=0, initial=0.0)
            shares = shares / robot.limits.velocity
            if not self.pieces.slow or shares.max() <= 1.0:
                break  # an axis may be faster between the samples that gave the profile
            profile = profile.slower(_SLOWER * float(shares.max()))
            slowed_by = int(np.argmax(shares)) + 1
        for jump in joint_path.jumps:
            turned, within = math.degrees(jump.angle), 1000.0 * jump.within
            text = (
                f"axis {jump.axis + 1} turns {turned:.4g} deg within {within:.3g} mm of"
                f" {move.instruction}: it passes a singularity, or the arm changes its posture"
            )
            when = self.pieces.t + float(np.interp(jump.s, s, t))
            self._fail(move, "jump", text, jump.angle, "rad", when, jump.axis + 1)
        a = bend * speed[:, None] ** 2 + slope * gain[:, None]
        self._append(move, robot, profile, slowed_by, Motion(t, q, v, a))
        self.q = joint_path.q[-1]

    def _note_configuration(self, move: Move, robot: Robot, q: Array) -> None:
        """Note where a linear move ends in other quadrants of its axes than programmed."""
        assert isinstance(move.target, RobTarget)
        quadrants = dict(zip(CONFIGURATION_AXES, move.target.robconf.values, strict=False))
        off = [
            abs(angle - (quadrants[number] + 0.5) * QUARTER) - 0.5 * QUARTER
            for angle, number in zip(q, robot.rapid_axes, strict=True)
            if number in quadrants
        ]
        if max(off) > EDGE:
            reached = str(robot.configuration(q)).rstrip("?")
            text = (
                f"ends in the configuration {reached}, not in {move.target.robconf} as programmed"
            )
            self.notes.add(move, text)

    # --- time

    def _speed_profile(
        self, move: Move, length: float, twists: Array, slopes: Array
    ) -> tuple[SpeedProfile, int | None]:
        """Return the profile over a length, for twists ``(K, 6)`` and slopes ``(K, n)`` by it."""
        speed = move.speed
        assert speed is not None
        if not (speed.v_tcp > 0.0 and speed.v_ori > 0.0):
            raise InputError(f"its speed {speed} is not positive")
        bounds = (twists[:, :3], 1e-3 * speed.v_tcp), (twists[:, 3:], math.radians(speed.v_ori))
        rated = self.notes.robot.limits.velocity if self.pieces.slow else None
        return speed_profile(length, self.ramp, bounds, slopes, rated, move.seconds)

    def _append(
        self,
        move: Move,
        robot: Robot,
        profile: SpeedProfile,
        slowed_by: int | None,
        motion: Motion,
    ) -> None:
        """Append the motion of a move; its times begin at 0."""
        self.notes.general.add(
            f"each move takes {self.ramp:g} s from rest to its speed, and to brake (assumed)"
        )
        assert move.speed is not None
        assert motion.v is not None
        fastest = float(tcp_speed(robot, motion.q, motion.v).max())
        programmed = fastest if move.seconds is not None else 1e-3 * move.speed.v_tcp
        share = 1.0 if move.seconds is not None else fastest / programmed
        end = self.pieces.t + profile.duration
        timing = MoveTiming(
            move.line, move.instruction, self.pieces.t, end, programmed, share, slowed_by
        )
        self.pieces.append(motion, timing)

    def _stop_before(self, move: Move, start: Array) -> None:
        """Run the joint moves that wait; a move without a time begins and ends at rest."""
        self._run_segments()
        self.pieces.begin(start)
        self.zones_stopped += move.zone is not None and not move.zone.finep

    def _run_segments(self) -> None:
        """Append the motion of the joint moves with times that wait."""
        if self.pieces.run_segments():
            self.notes.general.add(
                "joint moves with times pass their points without a stop, on a cubic spline"
            )

    def _fail(
        self,
        move: Move,
        kind: str,
        text: str,
        value: float = math.nan,
        unit: str = "",
        when: float | None = None,
        axis: int | None = None,
    ) -> None:
        """Add a finding at the present time and posture, or ``when`` [s]."""
        self._run_segments()
        t = self.pieces.t if when is None else when
        q = None if self.q is None else self.q.copy()
        bounds = value, math.nan, math.nan, unit
        self.findings.append(Finding(kind, t, t, move.line, t, axis, kind, *bounds, q, text=text))


def _handler(move: Move) -> str:
    """Return the handler that a move stands in, ``ERROR handler of line 12``; empty if none."""
    return next((block for block in move.inside if "handler" in block), "")


def _named(move: Move, via: bool = False) -> str:
    """Return a move's target, or the circle point of a MoveC, with its instruction and routine."""
    name = " ".join((move.via_name if via else move.target_name).split())
    name = name if len(name) <= _LONGEST else f"{name[:_LONGEST]} ..."
    return f"{'circle point' if via else 'target'} {name} of {move.instruction} in {move.routine}"
