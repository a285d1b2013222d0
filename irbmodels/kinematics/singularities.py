"""Distance of a posture from singularities in closed form, and motion near them.

``det J = -a2 sin(q5) b3 sin(r3 - r3 stretched) (a1 + a2 sin(q2) + a3 sin(q2 + r3) + d4 cos(q2 +
r3))`` for an arm with a spherical wrist and any tool (S000 eq. 33, S003; here in the absolute
angles of :mod:`irbmodels.kinematics.arm_geometry`, which serve any mounting and any signs), and
``-a1 a2 sin(q2)`` for the rows vx, vy, vz, wz of a SCARA (S004, whose z of axis 3 points down);
the same rows of a palletizer have the factors of its lower and upper arm.
Each factor is zero on its own: wrist, elbow, shoulder.

The determinant of an arm whose wrist axes miss one point has no factors: its singularities are
surfaces that mix all axes but the first. There the determinant and the smallest singular value
(:func:`measures`) tell how near they are, and two solutions of a pose become one (``flags``).
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import nan_for_infinity, numbers, positive, six
from ..errors import InputError, MissingData
from ..model.limits import Limits
from ..model.types import Array
from .angle_ranges import AngleRange, angle_range
from .arm_geometry import Arm, OffsetWrist, Palletizer, Scara, SixAxis
from .axis_rates import singular_values
from .chain import poses_and_jacobian
from .workspace import Workspace
from .workspace_of_arm import workspace_of

LENGTH = 1.0  # [m] at which 1 m/s counts as much as 1 rad/s
NEAR = 0.05  # [rad-like] smallest singular value below which motion is damped
NEAR_ANGLE = math.radians(5.0)
"""[rad] of a wrist or an elbow: speeds of the axes there are over ten times the tool's."""
NEAR_AXIS = 0.05
"""[m] of the wrist centre from axis 1."""


class Singularities(NamedTuple):
    """Signed distances from each singularity, shape ``(...)`` each.

    Infinite where an arm has no such singularity, NaN where it has none that is of one part alone:
    its wrist axes miss one point, or a calibration has tilted its axes.
    """

    wrist: Array
    """Of axis 5 from where axes 4 and 6 are one line [rad]."""
    elbow: Array
    """Of the arm-to-arm angle from the stretched or folded arm [rad]: r3, or q2 of a SCARA.

    Its sign distinguishes both elbows.
    """
    shoulder: Array
    """Of the wrist center from axis 1 [m]; positive ahead of it, negative behind."""
    determinant: Array
    """Of the Jacobian [m^3]; of a SCARA's rows vx, vy, vz, wz [m^2]."""


class SingularPosture(NamedTuple):
    """One way in which an arm is singular, and whether its ranges let it happen."""

    kind: Literal["wrist", "elbow", "shoulder"]
    where: str
    """In the controller's degrees and millimetres."""
    reachable: bool
    """Within the ranges, the coupled one included."""
    outside: float
    """Distance beyond the range of its axis [rad].

    0 where it is reachable, NaN for an unreachable shoulder.
    """
    edge: Literal["boundary", "interior"]
    """S004's two kinds: on the edge of what the arm reaches in its plane, or inside of it."""
    values: tuple[float, ...]
    """Positions of axis 5 or of the arm-to-arm angle [rad].

    For the shoulder, ends of the stretches of axis 1 [m] that the wrist center reaches, two for
    each.
    """


class Measures(NamedTuple):
    """Numbers of a Jacobian, shape ``(...)`` each but the singular values."""

    manipulability: Array
    """Product of the singular values: ``|det J|`` for six axes [m^3]."""
    condition: Array
    """Largest singular value over the smallest, linear rows divided by the length.

    Infinite at a singularity.
    """
    smallest: Array
    """Smallest singular value of the same, [1/s] of tool motion per [rad/s]."""
    singular_values: Array
    """All of the same, the largest first, shape ``(..., min(6, n))``."""


class DampedVelocity(NamedTuple):
    """Axis speeds for a wanted tool velocity that stay bounded at singularities."""

    v: Array
    """Axis speeds [rad/s, m/s], shape ``(..., n)``."""
    missed: Array
    """Wanted less actual tool velocity, shape ``(..., 6)``: linear [m/s], angular [rad/s]."""
    damping: Array
    """``lambda`` in use, shape ``(...)``; 0 away from singularities, where nothing is missed."""
    bound: Array
    """Bound of ``|v|``: ``2/sqrt(3) |twist| / near``, shape ``(...)``."""


def singularities(arm: Arm, q: Array) -> Singularities:
    """Return the distances of axis positions ``(..., n)`` [rad, m] from every singularity."""
    if isinstance(arm, OffsetWrist):
        unknown = np.full(q.shape[:-1], np.nan)[()]
        _, jacobians = poses_and_jacobian(arm.chain, q.reshape(-1, 6))
        determinants = np.linalg.det(jacobians).reshape(q.shape[:-1])[()]
        return Singularities(unknown, unknown, unknown, determinants)
    x = arm.axis_map.angles(q)
    elbow = arm.elbow_angle(x)
    # 1 or -1, by which axes turn against x
    direction = float(np.round(np.linalg.det(arm.axis_map.H)))
    determinant = -arm.lower_arm_length * arm.forearm_length * direction * np.sin(elbow)
    if isinstance(arm, Scara):
        none = np.full(q.shape[:-1], np.inf)[()]
        # vy, vz, wz change sign where the arm hangs
        upright = math.copysign(1.0, arm.arm_from_base[2, 2])
        return Singularities(none, _from_half_turns(elbow), none, upright * determinant)
    shoulder = arm.wrist_radius(x)
    if isinstance(arm, Palletizer):
        none = np.full(q.shape[:-1], np.inf)[()]
        # of rows vx, vy, vz, wz, whose sign does not change where the arm hangs
        return Singularities(none, _from_half_turns(elbow), shoulder, -determinant * shoulder)
    return Singularities(
        _from_half_turns(x[..., 4]),
        _from_half_turns(elbow),
        shoulder,
        determinant * np.sin(x[..., 4]) * shoulder,
    )


def near_singularities(distances: Singularities) -> dict[str, float]:
    """Return the singularities that one posture is near, with their distances [rad; m].

    Near are a wrist or an elbow within :data:`NEAR_ANGLE`, a shoulder within :data:`NEAR_AXIS`;
    a distance that is unknown (NaN) is not.
    """
    bounds = {"wrist": NEAR_ANGLE, "elbow": NEAR_ANGLE, "shoulder": NEAR_AXIS}
    return {
        kind: abs(float(getattr(distances, kind)))
        for kind, bound in bounds.items()
        if abs(getattr(distances, kind)) < bound
    }


def singular_postures(arm: Arm, limits: Limits) -> list[SingularPosture]:
    """Return every way in which an arm can be singular, and whether its ranges let it.

    Raises:
        MissingData: for an arm without a spherical wrist.
    """
    if isinstance(arm, OffsetWrist):
        raise MissingData(
            "the wrist is not spherical: singular postures are surfaces that mix its axes, and"
            " have no list; measures(q).smallest tells how near a posture is"
        )
    elbow = angle_range(
        arm, limits, {0: -1.0, 1: 1.0} if isinstance(arm, Scara) else {1: -1.0, 2: 1.0}
    )
    elbows = [
        _singular_angle("elbow", elbow, angle, note, "boundary")
        for angle, note in ((0.0, " (stretched)"), (math.pi, " (folded)"))
    ]
    if isinstance(arm, Scara):
        return elbows
    wrists = []
    if isinstance(arm, SixAxis):
        fifth = angle_range(arm, limits, {4: 1.0})
        wrists = [
            _singular_angle("wrist", fifth, angle, "", "interior") for angle in (0.0, math.pi)
        ]
    # the factor is zero abreast of axis 1, however far beside it
    heights = _on_axis(workspace_of(replace(arm, d=0.0), limits))
    beside = f"{1e3 * abs(arm.d):.3g} mm beside" if arm.d else "on"
    point = "wrist center" if wrists else "axis 4"
    where = f"{point} {beside} axis 1"
    if heights:
        ranges = ", ".join(f"{1e3 * low:.1f} .. {1e3 * high:.1f}" for low, high in heights)
        where += f" at z = {ranges} mm"
    outside, ends = 0.0 if heights else math.nan, tuple(z for pair in heights for z in pair)
    shoulder = SingularPosture("shoulder", where, bool(heights), outside, "interior", ends)
    return [*wrists, *elbows, shoulder]


def measures(J: ArrayLike, length: float = LENGTH) -> Measures:
    """Return manipulability, condition number and smallest singular value of Jacobians.

    Args:
        J: Jacobians ``(..., 6, n)``, linear rows [m/rad] first.
        length: Characteristic length [m]: linear rows are divided by it, so that all rows are
            angles. Two postures can be compared at one length only.

    Raises:
        InputError: if the length is not positive, or J is no Jacobian.
    """
    jacobian = _jacobians(J)
    _, values, _ = singular_values(_scaled(jacobian, length))
    smallest = values[..., -1][()]
    with np.errstate(divide="ignore"):
        return Measures(
            np.prod(singular_values(jacobian)[1], axis=-1),
            values[..., 0] / smallest,
            smallest,
            values,
        )


def damped_velocity(
    J: ArrayLike, twist: ArrayLike, near: float = NEAR, length: float = LENGTH
) -> DampedVelocity:
    """Return axis speeds for a tool velocity by damped least squares.

    Exact away from singularities, bounded everywhere:
    ``v = J' (J J' + lambda^2)^-1 twist`` with ``lambda^2 = (near/2)^2 (1 - (s/near)^2)`` where the
    smallest singular value ``s`` is below ``near``, else 0. Every singular value is then inverted
    to at most ``2/(sqrt(3) near)``: that is the bound. (A constant lambda would keep ``|twist|/(2
    lambda)`` and miss something everywhere.)

    Args:
        J: Jacobians ``(..., 6, n)``, linear rows first.
        twist: Tool velocities ``(..., 6)``: linear [m/s], angular [rad/s].
        near: Smallest singular value at which damping begins.
        length: Characteristic length [m]; the bound counts linear velocity in units of it.

    Raises:
        InputError: if ``near`` or ``length`` is not positive, or a shape is wrong.
    """
    jacobian, wanted = _jacobians(J), six(twist, "twist", "linear, angular")
    near = positive(near, "near, the smallest singular value at which damping begins,")
    scaled = _scaled(wanted[..., None], length)
    left, values, right = singular_values(_scaled(jacobian, length))
    squared = (near / 2.0) ** 2 * np.maximum(1.0 - (values[..., -1] / near) ** 2, 0.0)
    gains = values / (values**2 + squared[..., None])
    v = np.swapaxes(right, -1, -2) @ (gains[..., None] * (np.swapaxes(left, -1, -2) @ scaled))
    bound = 2.0 / math.sqrt(3.0) / near * np.linalg.norm(scaled[..., 0], axis=-1)
    return DampedVelocity(v[..., 0], wanted - (jacobian @ v)[..., 0], np.sqrt(squared), bound)


def _jacobians(J: ArrayLike) -> Array:
    array = numbers(J, "a Jacobian")
    if array.ndim < 2 or array.shape[-2] != 6:
        raise InputError(f"a Jacobian has shape (6, n), or (..., 6, n), not {array.shape}")
    return nan_for_infinity(array)


def _scaled(rows: Array, length: float) -> Array:
    """Return rows of a twist with the linear ones divided by the characteristic length."""
    units = [positive(length, "the characteristic length [m]")] * 3 + [1.0] * 3
    return np.asarray(rows / np.array(units)[:, None])


def _from_half_turns(angle: Array) -> Array:
    """Return the signed distance from the nearest half turn [rad], within a quarter turn of 0."""
    distance: Array = angle - math.pi * np.round(angle / math.pi)
    return distance


def _within(angle: float, low: float, high: float) -> tuple[list[float], float]:
    """Return the values of an angle within a range, full turns apart.

    Else the nearest to it, and how far outside that is.
    """
    turns = range(math.floor((low - angle) / math.tau), math.ceil((high - angle) / math.tau) + 1)
    values = np.array([angle + math.tau * k for k in turns])
    outside = np.maximum(np.maximum(low - values, values - high), 0.0)
    least = float(outside.min())
    return values[outside <= least + 1e-9].tolist(), least


def _singular_angle(
    kind: Literal["wrist", "elbow"],
    angles: AngleRange,
    angle: float,
    note: str,
    edge: Literal["boundary", "interior"],
) -> SingularPosture:
    """Return the singularity where an angle of the arm has a value, or one full turns away."""
    endless = not math.isfinite(angles.high - angles.low)
    values, outside = ([angle], 0.0) if endless else _within(angle, angles.low, angles.high)
    positions = tuple(sorted(angles.axis_value(value) for value in values))
    degrees = ", ".join(f"{math.degrees(q):.3f}".rstrip("0").rstrip(".") for q in positions)
    far = f", {math.degrees(outside):.1f} deg outside the range" if outside > 0.0 else ""
    where = f"{angles.name} = {degrees} deg{far}{note}"
    return SingularPosture(kind, where, outside == 0.0, outside, edge, positions)


def _on_axis(space: Workspace) -> list[tuple[float, float]]:
    """Return the intervals of axis 1 that the wrist center reaches [m above the base]."""
    crossing = [arc for loop in space.outlines for arc in loop if abs(arc.center[0]) < arc.radius]
    heights = sorted(z for arc in crossing for z in arc.crossings())
    middles = [[0.0, (low + high) / 2.0] for low, high in pairwise(heights)]
    inside = space.in_plane(np.array(middles).reshape(-1, 2)).tolist()
    intervals: list[tuple[float, float]] = []
    for (low, high), reached in zip(pairwise(heights), inside, strict=True):
        if reached and intervals and intervals[-1][1] == low:
            intervals[-1] = (intervals[-1][0], high)
        elif reached:
            intervals.append((low, high))
    return intervals
