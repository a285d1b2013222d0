"""The closed forms in NumPy, all branches of many poses at once: the reference for the kernel, and what runs without one.

Sines and cosines come from lengths by products and square roots, angles at the end from ``arctan2``
of both: nothing is lost near a singularity. Near the reach of the arm ``sqrt(1 - D^2)`` is written
as a product of differences of lengths (Heron), and axis 6 is solved for the axis 4 that was found,
so that an ill-determined axis 4 does not turn the tool.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, Mask
from ..arm_geometry import Scara, SixAxis

Bits = NDArray[np.uint8]

TOUCH = 1e-12  # [m, rad] nearer to a singularity than this, a solution is on it
REACH = 1e-10  # [m] a wrist centre so far beyond the reach of the arm is answered from the edge
TILT = 1e-9  # [rad] how far a SCARA's tool may lean
RIGID = 1e-9  # what rounding leaves of a rotation typed with ten digits
VALID, INSIDE, WRIST, ELBOW, SHOULDER = 1, 2, 4, 8, 16
"""Bits of a solution: it exists, keeps every range, and which singularities it is on."""


class Bounds(NamedTuple):
    """Where full turns are put: the turn of ``A q`` nearest to ``seed``, or the next one within the range."""

    A: Array
    """Unit lower triangular, ``(n, n)``: the ranges are those of ``A q``."""
    lower: Array
    upper: Array
    turn_lower: Array
    """Range that a turn is looked for in; as ``lower``, or -inf where the turn is prescribed."""
    turn_upper: Array
    seed: Array
    """``A q`` of the seed, inside the range that turns are looked for in."""
    linear: Mask


class Found(NamedTuple):
    """All branches of N poses."""

    q: Array
    """``(N, slots, n)``; NaN where there is no solution."""
    bits: Bits
    """``(N, slots)``."""
    missing: Array
    """``(N,)`` [m], 0 where reachable, inf where no position would do."""


class TwoLinks(NamedTuple):
    """Absolute angles of a planar arm of two links."""

    sin_a: Array
    cos_a: Array
    sin_b: Array
    cos_b: Array
    beyond: Array
    """Distance beyond reach [m]."""
    straight: Mask
    """Whether the arm is stretched or folded."""


def two_links(
    r: Array, z: Array, long: float, short: float, e: float, free: tuple[float, float]
) -> TwoLinks:
    """Solve a planar arm of two links for the point ``(r, z)``: the upper one is turned against the lower by ``e`` times 0 to pi.

    Angles are counted from z towards r. ``free`` are sine and cosine of the lower link where the
    point is on its axis.
    """
    c = np.hypot(r, z)
    outer, inner = long + short - c, c - abs(long - short)
    beyond = np.maximum(np.maximum(-outer, -inner), 0.0)
    touching = np.minimum(outer, inner) < TOUCH
    area = (
        np.maximum(outer, 0.0)
        * (long + short + c)
        * np.maximum(inner, 0.0)
        * (c + abs(long - short))
    )
    S = e * np.sqrt(np.where(touching, 0.0, area))
    excess = (long - short) * (long + short)
    lower, upper = c * c + excess, c * c - excess
    nowhere = c < TOUCH
    size_lower, size_upper = (np.where(nowhere, 1.0, c * np.hypot(K, S)) for K in (lower, upper))
    sin_a = np.where(nowhere, free[0], (r * lower - z * S) / size_lower)
    cos_a = np.where(nowhere, free[1], (z * lower + r * S) / size_lower)
    sin_b = np.where(nowhere, -free[0], (r * upper + z * S) / size_upper)
    cos_b = np.where(nowhere, -free[1], (z * upper - r * S) / size_upper)
    return TwoLinks(sin_a, cos_a, sin_b, cos_b, beyond, touching)


def six_axis(arm: SixAxis, poses: Array, near: Array, bounds: Bounds) -> Found:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are front and back (of axis 1), each elbow up and down, each axis 5 positive and negative:
    the order that S003 prints. S003 eq. 2.29-2.49, corrected: the second solution of axis 1 has its
    own radius in the plane (docs/errata.md).

    Args:
        arm: The normal form.
        poses: ``base_from_tcp``.
        near: Absolute angles that are kept where a singularity leaves them free, ``(6,)``.
        bounds: Where full turns are put.
    """
    turn = poses[:, :3, :3]
    point = (poses[:, :3, 3] + turn @ arm.wrist - arm.origin) @ arm.arm_from_base.T
    M = arm.arm_from_base @ turn @ arm.E
    px, py, pz = point.T
    rho, side = np.hypot(px, py), abs(arm.d)
    gap = rho - side
    above, none = gap < TOUCH, np.zeros(len(poses), dtype=bool)
    free = list(zip(np.sin(near).tolist(), np.cos(near).tolist(), strict=True))
    q, bits, missing = np.full((len(poses), 8, 6), np.nan), np.zeros((len(poses), 8), np.uint8), []
    for f in (1.0, -1.0):
        X = np.where(above, 0.0, f * np.sqrt(np.maximum(gap, 0.0) * (rho + side)))
        s1, c1 = X * py - arm.d * px, X * px + arm.d * py
        size = np.hypot(s1, c1)
        s1, c1 = (
            np.where(size == 0.0, u, v / np.where(size == 0.0, 1.0, size))
            for u, v in zip(free[0], (s1, c1), strict=True)
        )
        for e in (1.0, -1.0):
            sa, ca, sb, cb, beyond, straight = two_links(
                X - arm.a1, pz, arm.lower_arm_length, arm.forearm_length, e * f, free[1]
            )
            beyond = np.hypot(beyond, np.maximum(-gap, 0.0))
            missing.append(beyond)
            there = (
                (beyond <= REACH) & ~(above if f < 0.0 else none) & ~(straight if e < 0.0 else none)
            )
            # W = C Ry(-x3) Rz(-x1) M = Rz(x4) Ry(x5) Rz(x6)
            forward, across = (
                c1[:, None] * M[:, 0] + s1[:, None] * M[:, 1],
                c1[:, None] * M[:, 1] - s1[:, None] * M[:, 0],
            )
            along = sb[:, None] * forward + cb[:, None] * M[:, 2]
            forward = cb[:, None] * forward - sb[:, None] * M[:, 2]
            W = arm.C @ np.stack([forward, across, along], axis=1)
            h = np.hypot(W[:, 0, 2], W[:, 1, 2])
            in_line = h < TOUCH
            for w in (1.0, -1.0):
                sign = np.where(in_line, 1.0, w * arm.wrist_sign / np.where(in_line, 1.0, h))
                s4 = np.where(in_line, free[3][0], sign * W[:, 1, 2])
                c4 = np.where(in_line, free[3][1], sign * W[:, 0, 2])
                x4 = np.arctan2(s4, c4)
                x5 = np.arctan2(c4 * W[:, 0, 2] + s4 * W[:, 1, 2], W[:, 2, 2])
                x6 = np.arctan2(
                    c4 * W[:, 1, 0] - s4 * W[:, 0, 0], c4 * W[:, 1, 1] - s4 * W[:, 0, 1]
                )
                x = np.stack(
                    [np.arctan2(s1, c1), np.arctan2(sa, ca), np.arctan2(sb, cb), x4, x5, x6], axis=1
                )
                slot = int(2.0 - 2.0 * f + 1.0 - e + 0.5 - 0.5 * w)
                valid = there & ~(in_line if w < 0.0 else none)
                found, inside = turned(x @ arm.axis_map.H.T + arm.axis_map.h, bounds)
                q[:, slot] = np.where(valid[:, None], found, np.nan)
                flags = (
                    VALID + INSIDE * inside + WRIST * in_line + ELBOW * straight + SHOULDER * above
                )
                bits[:, slot] = np.where(valid, flags, 0)
    return _known(poses, Found(q, bits, np.min(missing, axis=0)))


def scara(arm: Scara, poses: Array, near: Array, bounds: Bounds) -> Found:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are the second arm turned left and right (S004, corrected).
    """
    turn = arm.arm_from_base @ poses[:, :3, :3] @ arm.E.T
    point = (poses[:, :3, 3] + poses[:, :3, :3] @ arm.wrist - arm.origin) @ arm.arm_from_base.T
    height = (poses[:, :3, 3] - arm.origin) @ arm.arm_from_base[2] - arm.height
    leaning = np.hypot(turn[:, 0, 2], turn[:, 1, 2])
    upright = (leaning <= TILT) & (turn[:, 2, 2] > 0.0)
    tool = np.arctan2(turn[:, 1, 0] - turn[:, 0, 1], turn[:, 0, 0] + turn[:, 1, 1])
    q, bits = np.full((len(poses), 2, 4), np.nan), np.zeros((len(poses), 2), np.uint8)
    beyond, none = np.zeros(len(poses)), np.zeros(len(poses), dtype=bool)
    free = (float(np.sin(near[0])), float(np.cos(near[0])))
    for slot, e in enumerate((1.0, -1.0)):
        sa, ca, sb, cb, beyond, straight = two_links(
            point[:, 1], point[:, 0], arm.lower_arm_length, arm.forearm_length, e, free
        )
        x = np.stack([np.arctan2(sa, ca), np.arctan2(sb, cb), tool, height], axis=1)
        valid = (beyond <= REACH) & upright & ~(straight if e < 0.0 else none)
        found, inside = turned(x @ arm.axis_map.H.T + arm.axis_map.h, bounds)
        q[:, slot] = np.where(valid[:, None], found, np.nan)
        bits[:, slot] = np.where(valid, VALID + INSIDE * inside + ELBOW * straight, 0)
    return _known(poses, Found(q, bits, np.where(upright, beyond, np.inf)))


def turned(q: Array, bounds: Bounds) -> tuple[Array, Mask]:
    """Add full turns to positions ``(..., n)``, axis by axis.

    Also return whether they keep every range.
    """
    q = q.copy()
    inside = np.ones(q.shape[:-1], dtype=bool)
    rows = zip(
        bounds.A,
        bounds.lower,
        bounds.upper,
        bounds.turn_lower,
        bounds.turn_upper,
        bounds.seed,
        strict=True,
    )
    for i, (row, lower, upper, low, high, seed) in enumerate(rows):
        others = q[..., :i] @ row[:i]
        value = q[..., i] + others
        if not bounds.linear[i]:
            value = seed + wrapped(value - seed)
            value = value - 2.0 * np.pi * (value > high) + 2.0 * np.pi * (value < low)
            fits = (value >= low) & (value <= high)
            q[..., i] = np.where(fits, value - others, wrapped(q[..., i]))
            value = q[..., i] + others
        inside &= (value >= lower) & (value <= upper)
    return q, inside


def wrapped(angle: Array) -> Array:
    """Return angles within half a turn of 0."""
    result: Array = angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi))
    return result


def are_rigid(poses: Array) -> Mask:
    """Whether each of ``(N, 4, 4)`` only turns and moves.

    True where it is not finite, which belongs to its own sample.

    A rotation is its own matrix of cofactors; so is no other matrix with a row of length 1.
    """
    first, second, third = (poses[:, i, :3] for i in range(3))
    with np.errstate(all="ignore"):
        cofactors = np.stack(
            [np.cross(second, third), np.cross(third, first), np.cross(first, second)], axis=1
        )
        off = np.abs(poses[:, :3, :3] - cofactors).max(axis=(1, 2))
        length = np.abs((first * first).sum(axis=1) - 1.0)
        foot = np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1)
        good = np.maximum(np.maximum(off, length), foot) <= RIGID
    result: Mask = good | ~np.isfinite(poses).all(axis=(1, 2))
    return result


def _known(poses: Array, found: Found) -> Found:
    """Leave nothing of poses that are not finite but NaN."""
    lost = ~np.isfinite(poses).all(axis=(1, 2))
    found.q[lost], found.bits[lost], found.missing[lost] = np.nan, 0, np.nan
    found.missing[found.missing <= REACH] = 0.0
    return found
