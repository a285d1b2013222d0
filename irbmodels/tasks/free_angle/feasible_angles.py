"""All intervals of the free angle of a symmetric tool: every branch, every full turn.

Between two neighbouring ends (:mod:`interval_ends`) nothing can change, so each arc of the circle
is evaluated at its middle. Arcs that meet without a bound or a singularity between them are one
interval, however often axes go round.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Collection
from typing import Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import as_instance, as_list, finite, is_rotation, short_repr
from ...errors import InputError, UnknownName
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from .arm_lines import ArmLines, arm_lines
from .interval_ends import (
    AT_ELBOW,
    AT_SHOULDER,
    AT_WRIST,
    Ranges,
    interval_ends,
    midpoints,
    postures,
    widened_ranges,
)
from .intervals import End, FreeAngles, Interval, nearest_turn
from .tool_circle import ToolCircle, tool_circle

Turns = tuple[int, ...]

ONE_LINE = 1e-12  # [m, rad] the tool's axis and axis 6 are one line
SHORT = 1e-6  # [rad] an interval between two passes of one singularity that belongs to it
NOTHING = 1e-9  # [rad] error of the ends
CIRCLE = End("circle", "the whole circle")


def feasible_angles(
    robot: Robot,
    pose: pin.SE3 | ArrayLike,
    axis: ArrayLike = (0.0, 0.0, 1.0),
    *,
    branch: int | Collection[int] | None = None,
) -> FreeAngles:
    """Return every interval of the angle of a tool about its axis in which postures are in range.

    The pose turned by ``phi`` is ``pose * Rot(axis, phi)``. Postures that move continuously with
    ``phi`` within all ranges are one interval: a component of all pairs of angle and posture. So
    each branch and each full turn of an axis has its own; an interval across pi is one; and an axis
    6 with room for more than a turn makes intervals longer than a turn. A singularity that the tool
    passes exactly (sine of the wrist angle below 3e-10; wrist centre within 1e-12 m of axis 1; arm
    stretched within 1e-12 m) ends an interval, as two branches meet there.

    Ends are exact to rounding divided by how fast the bound is approached (about 1e-12 rad; where a
    bound is only touched, the axis is within 1e-9 rad of it), and, near a singularity that leaves
    axes 1, 4 or 6 almost free, by the distance from it. Ends by reach and by axes 1 to 3 are roots
    of trigonometric polynomials. Ends by axes 4 to 6 are roots of functions that stay smooth at a
    wrist singularity, expanded to 1e-10 and isolated without gaps: what lies above a bound by 1e-8
    is found, however narrow. Not found is an interval shorter than 1e-9 rad, or one single angle at
    which a bound is met exactly. Ranges count as kept within 5e-10 rad.

    Where the tool's axis is axis 6, ``phi`` is an angle of axis 6 alone. If axes 4 and 6 are in
    line there, axis 4 stays at 0.

    Args:
        robot: Six axes with a spherical wrist.
        pose: ``base_from_tcp`` at ``phi = 0`` [m], ``pin.SE3`` or ``(4, 4)``.
        axis: Axis of symmetry through the TCP, in its frame; any length.
        branch: Only these slots of ``robot.inverse_kinematics`` (0 to 7, :data:`BRANCHES`).

    Returns:
        A sequence of intervals with ``low``, ``high``, ``branch``, ``low_reason``, ``high_reason``
        and ``q(phi)``; empty where there is none, and then ``note`` says why and ``missing`` how
        far the pose is out of reach at least.

    Raises:
        InputError: if the pose is no rigid motion, or the axis has no direction.
        MissingData: if the arm has no spherical wrist, or couples axes in another way than 2 with
            3.
    """
    as_instance(robot, Robot, "free angles are those of an irbmodels.Robot")
    direction = unit_axis(axis)
    matrix = finite(getattr(pose, "homogeneous", pose), (4, 4), "pose")
    if not is_rigid(matrix):
        raise InputError(
            "the pose is no rigid motion (a rotation, and 0, 0, 0, 1 below):"
            f" {matrix.round(9).tolist()}"
        )
    return solve_free_angles(robot, arm_lines(robot), matrix, direction, branch_slots(branch))


def is_rigid(matrix: Array) -> bool:
    """Return whether a matrix ``(4, 4)`` is a rotation and a translation."""
    below = np.abs(matrix[3] - (0.0, 0.0, 0.0, 1.0)).max()
    return is_rotation(matrix[:3, :3]) and bool(below <= 1e-9)


def unit_axis(axis: ArrayLike) -> Array:
    """Return an axis of symmetry as a unit vector.

    Raises:
        InputError: if it has no direction.
    """
    direction = finite(axis, (3,), "axis of symmetry")
    if not np.linalg.norm(direction) > 0.0:
        raise InputError("the axis of symmetry needs a direction, got 0, 0, 0")
    return np.asarray(direction / np.linalg.norm(direction))


def branch_slots(branch: int | Collection[int] | None) -> list[int]:
    """Return the branches that are asked for.

    Raises:
        InputError: if they are no whole numbers, or none.
        UnknownName: if one does not exist.
    """
    if branch is None:
        return list(range(8))
    what = "branches are whole numbers, one or several"
    given: Any = branch
    slots = as_list(
        [given] if isinstance(given, int | np.integer) else given, int | np.integer, what
    )
    if not slots or any(isinstance(slot, bool) for slot in slots):
        raise InputError(f"{what}, not {short_repr(branch)}")
    for slot in slots:
        if slot not in range(8):
            raise UnknownName("branch", slot, map(str, range(8)))
    return [int(slot) for slot in slots]


def solve_free_angles(
    robot: Robot, arm: ArmLines, pose: Array, axis: Array, branches: Collection[int] = range(8)
) -> FreeAngles:
    """Return the free angles of a pose ``(4, 4)`` for a robot with known arm and a unit axis."""
    circle, ranges = tool_circle(arm, pose, axis), widened_ranges(robot)
    answer = FreeAngles(robot, circle, ranges)
    aside = arm.wrist - axis * (axis @ arm.wrist)
    if max(np.linalg.norm(np.cross(axis, arm.axis_6)), np.linalg.norm(aside)) < ONE_LINE:
        intervals = _along_axis_6(answer, branches)
    else:
        phi = interval_ends(robot, circle, ranges)
        both = postures(robot, circle, np.concatenate([phi, midpoints(phi)])) @ ranges.A.T
        intervals = [
            interval
            for slot in branches
            for interval in _link(
                answer, _branch(circle, slot, phi, both[: len(phi)], both[len(phi) :])
            )
        ]
    answer.intervals = tuple(sorted(intervals, key=Interval.order))
    return answer


class _Branch(NamedTuple):
    """One branch around the circle."""

    slot: int
    phi: Array
    """Ends ``(m,)``; piece ``i`` lies behind end ``i``."""
    at: Array
    """``A q`` at the ends, ``(m, 6)``, less than half a turn from the piece behind."""
    within: Array
    """``A q`` in the middle of the pieces, ``(m, 6)``."""
    singular: tuple[str, ...]
    """Singularity at each end, or empty."""
    turns: IntArray
    """Full turns from piece ``i`` to piece ``i + 1`` of one posture, ``(m, 6)``."""

    def is_passable(self, end: int) -> bool:
        """Return whether postures pass an end."""
        around = np.array([self.at[end], self.within[end - 1], self.within[end]])
        return not self.singular[end] and bool(np.isfinite(around).all())


def _branch(circle: ToolCircle, slot: int, phi: Array, at: Array, within: Array) -> _Branch:
    """Follow a branch from piece to piece; ``at`` and ``within`` are ``(m, 8, 6)``."""
    there = np.flatnonzero(np.isfinite(within[:, slot, 0]))
    singular = np.full(len(phi), "", dtype=object)
    # there both branches of the wrist have the solution of the first
    singular[np.abs(np.sin(at[:, slot & 6, 4] + circle.arm.wrist_at_home)) < AT_WRIST] = "wrist"
    if len(there):
        ahead = circle.forward_distance(
            float(midpoints(phi)[there[0]]), float(within[there[0], slot, 0])
        )
        singular[np.abs(circle.elbow_margin(phi, math.copysign(1.0, ahead))) < AT_ELBOW] = "elbow"
    singular[np.abs(circle.shoulder_margin(phi)) < AT_SHOULDER] = "shoulder"
    inside = within[:, slot]
    behind, before = (
        nearest_turn(at[:, slot], inside),
        nearest_turn(np.roll(at[:, slot], -1, axis=0), inside),
    )
    turns = np.nan_to_num(np.round((before - np.roll(behind, -1, axis=0)) / math.tau)).astype(int)
    return _Branch(slot, phi, behind, inside, tuple(singular), turns)


def _link(answer: FreeAngles, branch: _Branch) -> list[Interval]:
    """Return the intervals of one branch: pieces in range, linked where postures pass."""
    ranges, m = answer.ranges, len(branch.phi)
    nodes = {
        (int(i), k)
        for i in np.flatnonzero(np.isfinite(branch.within[:, 0]))
        for k in _full_turns(ranges, branch.within[i])
    }
    if not nodes:
        return []
    limited = ranges.bounded.astype(int)
    passable = [branch.is_passable(i) for i in range(m)]

    def after(node: tuple[int, Turns]) -> tuple[int, Turns] | None:
        i, k = node
        turns = tuple(int(turn) for turn in (np.array(k) + branch.turns[i]) * limited)
        following = (i + 1) % m, turns
        return following if passable[following[0]] and following in nodes else None

    links = {node: after(node) for node in nodes}
    firsts = sorted(nodes - {node for node in links.values() if node is not None})
    chains, seen = [], set[tuple[int, Turns]]()
    # chains without a beginning are circles; they begin at piece 0
    for first in [*firsts, *sorted(nodes)]:
        chain: list[tuple[int, Turns]] = []
        node: tuple[int, Turns] | None = first
        while node is not None and node not in seen:
            seen.add(node)
            chain.append(node)
            node = links[node]
        if chain:
            chains.append((chain, node is not None))
    intervals = (_interval(answer, branch, chain, closed) for chain, closed in chains)
    return [interval for interval in intervals if interval is not None]


def _full_turns(ranges: Ranges, y: Array) -> list[Turns]:
    """Return the full turns in which a posture keeps all ranges; 0 of an axis without range."""
    bounded = ranges.bounded
    first = np.where(bounded, np.ceil((ranges.lower - y) / math.tau), 0.0).astype(int)
    last = np.where(bounded, np.floor((ranges.upper - y) / math.tau), 0.0).astype(int)
    turns = itertools.product(*map(range, first.tolist(), (last + 1).tolist()))
    return [k for k in turns if ranges.keep_sums(y + math.tau * np.array(k))]


def _interval(
    answer: FreeAngles, branch: _Branch, chain: list[tuple[int, Turns]], closed: bool
) -> Interval | None:
    """Return the interval of linked pieces, or None where it is too short to be one."""
    phi, m = branch.phi, len(branch.phi)
    start = chain[0][0]
    pieces = start + np.arange(len(chain) + 1)
    ends = phi[pieces % m] + math.tau * (pieces // m)
    turns = np.array([k for _, k in chain])
    onward = np.cumsum(branch.turns[pieces[:-1] % m], axis=0) - branch.turns[pieces[:-1] % m]
    known = branch.within[pieces[:-1] % m] + math.tau * np.where(
        answer.ranges.bounded, turns, onward
    )
    if closed:
        return Interval(-math.pi, math.pi, branch.slot, CIRCLE, CIRCLE, answer, ends[:-1], known)
    last = int(pieces[-1] % m)
    low = _end(answer, branch, start, start - 1, known[0])
    high = _end(answer, branch, last, last, known[-1])
    length = ends[-1] - ends[0]
    if length < NOTHING or (length < SHORT and low.kind == high.kind and low.axis is None):
        return None
    return Interval(
        float(ends[0]), float(ends[-1]), branch.slot, low, high, answer, ends[:-1], known
    )


def _end(answer: FreeAngles, branch: _Branch, index: int, beyond: int, known: Array) -> End:
    """Return the end of an interval, by the piece beyond and the posture ``known`` before it."""
    singular = branch.singular[index]
    if not np.isfinite(branch.within[beyond]).all():
        what = (
            "the wrist centre comes too near to axis 1"
            if singular == "shoulder"
            else "the arm is stretched or folded"
        )
        return End("reach", f"out of reach: {what}")
    if singular:
        return End(singular, f"{singular} singularity, where two branches meet")  # type: ignore[arg-type]
    at = nearest_turn(branch.at[index], known)
    across = nearest_turn(branch.within[beyond], at)
    limits, ranges = answer.robot.limits, answer.ranges
    lower = np.append(ranges.lower, ranges.sum_lower)
    upper = np.append(ranges.upper, ranges.sum_upper)
    at, across = (np.append(y, ranges.sums @ y) for y in (at, across))
    outside = np.maximum(lower - across, across - upper)
    to_lower, to_upper = np.abs(at - lower), np.abs(at - upper)
    row = int(np.where(outside > 0.0, np.minimum(to_lower, to_upper), np.inf).argmin())
    bound = float((limits.lower if to_lower[row] < to_upper[row] else limits.upper)[row])
    axis = int(limits.row_axes[row]) + 1
    text = f"axis {axis}: {limits.names()[row]} = {math.degrees(bound):.6g} deg"
    return End("range", text, axis, bound)


def _along_axis_6(answer: FreeAngles, branches: Collection[int]) -> list[Interval]:
    """Return the intervals where the tool's axis is axis 6: only axis 6 turns, and has ends."""
    ranges, arm, limits = answer.ranges, answer.circle.arm, answer.robot.limits
    sense = float(np.sign(answer.circle.axis @ arm.axis_6))
    ends = [CIRCLE, CIRCLE]
    if ranges.bounded[5]:
        ends = [
            End("range", f"axis 6: q6 = {math.degrees(bound):.6g} deg", 6, float(bound))
            for bound in (limits.lower[5], limits.upper[5])
        ]
    intervals = []
    for slot in branches:
        y = postures(answer.robot, answer.circle, np.zeros(1))[0, slot] @ ranges.A.T
        if not np.isfinite(y).all():
            continue
        free = ranges._replace(lower=np.append(ranges.lower[:5], -np.inf))
        for k in sorted({(*turns[:5], 0) for turns in _full_turns(free, y)}):
            posture = y + math.tau * np.array(k)
            first, last = -math.pi, math.pi
            if ranges.bounded[5]:
                bounds = ranges.lower[5], ranges.upper[5]
                first, last = sorted(sense * (bound - posture[5]) for bound in bounds)
            shift = -math.tau * math.floor((first + math.pi) / math.tau)
            starts = first + np.arange(0.0, last - first, 1.0)
            known = np.tile(posture, (len(starts), 1))
            known[:, 5] += sense * (starts + 0.5)
            low, high = ends if sense > 0.0 else ends[::-1]
            intervals.append(
                Interval(
                    first + shift, last + shift, slot, low, high, answer, starts + shift, known
                )
            )
    return intervals
