"""How far a posture is from being singular, in closed form with a physical meaning, and how to move near it.

``det J = -a2 sin(q5) b3 sin(r3 - r3 stretched) (a1 + a2 sin(q2) + a3 sin(q2 + r3) + d4 cos(q2 +
r3))`` for an arm with a spherical wrist and any tool (S000 eq. 33, S003; here in the absolute
angles of :mod:`irbmodels.kinematics.arm_geometry`, which serve any mounting and any signs), and
``-a1 a2 sin(q2)`` for the rows vx, vy, vz, wz of a SCARA (S004, whose z of axis 3 points down).
Each factor is zero on its own: wrist, elbow, shoulder.
"""

from __future__ import annotations

import math
from dataclasses import replace
from itertools import pairwise
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import nan_for_infinity, numbers, positive, six
from ..errors import InputError
from ..model.limits import Limits
from ..model.types import Array
from .angle_ranges import Span, span
from .arm_geometry import Scara, SixAxis
from .axis_rates import singular_values
from .planar_boundary import Arc
from .workspace import Workspace, workspace_of

LENGTH = 1.0  # [m] at which 1 m/s counts as much as 1 rad/s
NEAR = 0.05  # [rad-like] smallest singular value below which motion is damped


class Singularities(NamedTuple):
    """Signed distances from each singularity, shape ``(...)`` each.

    Infinite where an arm has no such singularity.
    """

    wrist: Array
    """Of axis 5 from where axes 4 and 6 are one line [rad]."""
    elbow: Array
    """Of the arm-to-arm angle from the stretched or folded arm [rad]: r3, or q2 of a SCARA.

    Its sign tells both elbows apart.
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
    """How far beyond the range of its axis [rad].

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
    """Numbers of a Jacobian, shape ``(...)`` each."""

    manipulability: Array
    """Product of the singular values: ``|det J|`` for six axes [m^3]."""
    condition: Array
    """Largest singular value over the smallest, linear rows divided by the length.

    Infinite at a singularity.
    """
    smallest: Array
    """Smallest singular value of the same, [1/s] of tool motion per [rad/s]."""


class DampedVelocity(NamedTuple):
    """Axis speeds for a wanted tool velocity that stay bounded at singularities."""

    v: Array
    """Axis speeds [rad/s, m/s], shape ``(..., n)``."""
    missed: Array
    """Wanted less actual tool velocity, shape ``(..., 6)``: linear [m/s], angular [rad/s]."""
    damping: Array
    """``lambda`` in use, shape ``(...)``; 0 away from singularities, where nothing is missed."""
    bound: Array
    """What ``|v|`` keeps: ``2/sqrt(3) |twist| / near``, shape ``(...)``."""


def singularities(arm: SixAxis | Scara, q: Array) -> Singularities:
    """Return the distances of axis positions ``(..., n)`` [rad, m] from every singularity."""
    x = arm.axis_map.angles(q)
    far = np.full(q.shape[:-1], np.inf)[()]
    # 1 or -1, by which axes turn against x
    scale = (
        -arm.lower_arm_length * arm.forearm_length * float(np.round(np.linalg.det(arm.axis_map.H)))
    )
    if isinstance(arm, Scara):
        bend = x[..., 1] - x[..., 0]
        upright = math.copysign(
            1.0, arm.arm_from_base[2, 2]
        )  # vy, vz, wz change sign where the arm hangs
        return Singularities(far, _nearest(bend), far, upright * scale * np.sin(bend))
    bend = x[..., 2] - x[..., 1]
    shoulder = (
        arm.a1 + arm.lower_arm_length * np.sin(x[..., 1]) + arm.forearm_length * np.sin(x[..., 2])
    )
    return Singularities(
        _nearest(x[..., 4]),
        _nearest(bend),
        shoulder,
        scale * np.sin(x[..., 4]) * np.sin(bend) * shoulder,
    )


def singular_postures(arm: SixAxis | Scara, limits: Limits) -> list[SingularPosture]:
    """Return every way in which an arm can be singular, and whether its ranges let it."""
    bends = (0.0, " (stretched)"), (math.pi, " (folded)")
    if isinstance(arm, Scara):
        elbow = span(arm, limits, {0: -1.0, 1: 1.0})
        return [_way("elbow", elbow, angle, word, "boundary") for angle, word in bends]
    wrist, elbow = span(arm, limits, {4: 1.0}), span(arm, limits, {1: -1.0, 2: 1.0})
    found = [_way("wrist", wrist, angle, "", "interior") for angle in (0.0, math.pi)]
    found += [_way("elbow", elbow, angle, word, "boundary") for angle, word in bends]
    # the factor is zero abreast of axis 1, however far beside it
    spans = _on_axis(workspace_of(replace(arm, d=0.0), limits))
    heights = ", ".join(f"{1e3 * low:.1f} .. {1e3 * high:.1f}" for low, high in spans)
    place = f"{1e3 * abs(arm.d):.3g} mm beside" if arm.d else "on"
    where = f"wrist center {place} axis 1" + (f" at z = {heights} mm" if spans else "")
    ends = tuple(end for span in spans for end in span)
    return [
        *found,
        SingularPosture(
            "shoulder", where, bool(spans), 0.0 if spans else math.nan, "interior", ends
        ),
    ]


def measures(J: ArrayLike, length: float = LENGTH) -> Measures:
    """Return manipulability, condition number and smallest singular value of Jacobians ``(..., 6, n)``.

    Args:
        J: Linear rows [m/rad] first.
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
            np.prod(singular_values(jacobian)[1], axis=-1), values[..., 0] / smallest, smallest
        )


def damped_velocity(
    J: ArrayLike, twist: ArrayLike, near: float = NEAR, length: float = LENGTH
) -> DampedVelocity:
    """Return axis speeds for a tool velocity by damped least squares: exact away from singularities, bounded everywhere.

    ``v = J' (J J' + lambda^2)^-1 twist`` with ``lambda^2 = (near/2)^2 (1 - (s/near)^2)`` where the
    smallest singular value ``s`` is below ``near``, else 0. Every singular value then answers with
    at most ``2/(sqrt(3) near)``: that is the bound. (A constant lambda would keep ``|twist|/(2
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
    scaled: Array = (
        rows
        / np.array([positive(length, "the characteristic length [m]")] * 3 + [1.0] * 3)[:, None]
    )
    return scaled


def _nearest(angle: Array) -> Array:
    """Signed distance from the nearest half turn [rad], within a quarter turn of 0."""
    distance: Array = angle - math.pi * np.round(angle / math.pi)
    return distance


def _within(angle: float, low: float, high: float) -> tuple[tuple[float, ...], float]:
    """Return the values of an angle within a range, whole turns apart.

    Else the nearest to it, and how far outside that is.
    """
    turns = range(math.floor((low - angle) / math.tau), math.ceil((high - angle) / math.tau) + 1)
    values = [angle + math.tau * k for k in turns]
    outside = [max(low - value, value - high, 0.0) for value in values]
    least = min(outside)
    return tuple(
        value for value, away in zip(values, outside, strict=True) if away <= least + 1e-9
    ), least


def _way(
    kind: Literal["wrist", "elbow"],
    of: Span,
    angle: float,
    word: str,
    edge: Literal["boundary", "interior"],
) -> SingularPosture:
    """Return the singularity at which an angle of the arm has a value, or one whole turns away."""
    endless = not math.isfinite(of.high - of.low)
    values, outside = ((angle,), 0.0) if endless else _within(angle, of.low, of.high)
    told = tuple(sorted(of.told(value) for value in values))
    angles = ", ".join(f"{math.degrees(value):.3f}".rstrip("0").rstrip(".") for value in told)
    far = f", {math.degrees(outside):.1f} deg outside the range" if outside > 0.0 else ""
    return SingularPosture(
        kind, f"{of.name} = {angles} deg{far}{word}", outside == 0.0, outside, edge, told
    )


def _on_axis(space: Workspace) -> list[tuple[float, float]]:
    """Return the stretches of axis 1 that the wrist center reaches [m above the base]."""
    heights = sorted(z for loop in space.outlines for arc in loop for z in _crossings(arc))
    middles = [(low + high) / 2.0 for low, high in pairwise(heights)]
    inside = space.in_plane(np.array([[0.0, z] for z in middles]).reshape(-1, 2)).tolist()
    spans: list[tuple[float, float]] = []
    for low, high, reached in zip(heights, heights[1:], inside, strict=False):
        if reached and spans and spans[-1][1] == low:
            spans[-1] = (spans[-1][0], high)
        elif reached:
            spans.append((low, high))
    return spans


def _crossings(arc: Arc) -> list[float]:
    x, z = arc.center
    if abs(x) >= arc.radius:
        return []
    angle = math.acos(-x / arc.radius)
    return [z + arc.radius * math.sin(t) for t in (angle, -angle) if arc.holds(t)]
