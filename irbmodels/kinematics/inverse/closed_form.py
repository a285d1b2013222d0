"""Closed forms in NumPy, all branches of many poses at once.

They are the reference for the kernel, and run without one.

Sines and cosines come from lengths by products and square roots, angles at the end from ``arctan2``
of both: nothing is lost near a singularity. Near the reach of the arm ``sqrt(1 - D^2)`` is written
as a product of differences of lengths (Heron), and axis 6 is solved with the computed axis 4,
so that an ill-determined axis 4 does not rotate the tool.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, IntArray, Mask
from ..arm_geometry import Palletizer, Scara, SixAxis

Bits = NDArray[np.uint8]

SINGULAR = 1e-12  # [m, rad] nearer to a singularity than this, a solution is on it
REACH = 1e-10  # [m] a wrist centre so little beyond reach is solved at the edge
# [rad] largest tilt of the tool of a SCARA or a palletizer. Controllers write quaternions with six
# decimals: four errors of 5e-7 are 1e-6 together, and turn by twice that; a target, its user frame
# and object frame, the tool and the base have one each.
TILT = 5 * 2.0 * np.sqrt(4.0) * 5e-7
RIGID = 1e-9  # what rounding leaves of a rotation typed with ten digits
HALF_TURN = 1e-10  # [turns] what rounding leaves of half a turn, which is shown as positive
VALID, INSIDE, WRIST, ELBOW, SHOULDER, MERGED = 1, 2, 4, 8, 16, 32
"""Bits of a solution: it exists, keeps every range, and which singularities it is on."""


class Bounds(NamedTuple):
    """Ranges and seed of full turns: ``A q`` nearest to ``seed``, or the next turn in range."""

    A: Array
    """Ranges are those of ``A q``, ``(m, n)``: ``n`` rows unit lower triangular, then sums that end
    with 1 times an axis, whose range they narrow by the axes before it."""
    lower: Array
    """``(m,)``"""
    upper: Array
    turn_lower: Array
    """Range of the turns to choose from, ``(n,)``.

    As ``lower``, or -inf where the turn is prescribed.
    """
    turn_upper: Array
    seed: Array
    """``A q`` of the seed, within the range of the turns."""
    linear: Mask


class BranchArrays(NamedTuple):
    """All branches of N poses."""

    q: Array
    """``(N, slots, n)``; NaN where there is no solution."""
    bits: Bits
    """``(N, slots)``."""
    missing: Array
    """``(N,)`` [m], 0 where reachable, inf where no position would do."""


class PlanarAngles(NamedTuple):
    """Absolute angles of a planar arm of two links."""

    sin_a: Array
    cos_a: Array
    sin_b: Array
    cos_b: Array
    beyond: Array
    """Distance beyond reach [m]."""
    straight: Mask
    """True where the arm is stretched or folded."""


def solve_two_links(
    r: Array, z: Array, lower: float, fore: float, e: float, free: tuple[float, float]
) -> PlanarAngles:
    """Solve a planar arm of two links for the point ``(r, z)``.

    Angles are counted from z towards r.

    Args:
        r: First coordinate [m].
        z: Second coordinate [m].
        lower: Length of the first link [m].
        fore: Length of the second link [m].
        e: Side of the elbow: the second link is at ``e`` times 0 to pi from the first.
        free: Sine and cosine of the first link where the point is on its axis.
    """
    c = np.hypot(r, z)
    longest, shortest = lower + fore, abs(lower - fore)
    outer, inner = longest - c, c - shortest
    beyond = np.maximum(np.maximum(-outer, -inner), 0.0)
    straight = np.minimum(outer, inner) < SINGULAR
    area = np.maximum(outer, 0.0) * (longest + c) * np.maximum(inner, 0.0) * (c + shortest)
    S = e * np.sqrt(np.where(straight, 0.0, area))
    excess = (lower - fore) * longest
    K, L = c * c + excess, c * c - excess
    folded = c < SINGULAR
    size_a, size_b = (np.where(folded, 1.0, c * np.hypot(k, S)) for k in (K, L))
    return PlanarAngles(
        np.where(folded, free[0], (r * K - z * S) / size_a),
        np.where(folded, free[1], (z * K + r * S) / size_a),
        np.where(folded, -free[0], (r * L + z * S) / size_b),
        np.where(folded, -free[1], (z * L - r * S) / size_b),
        beyond,
        straight,
    )


def six_axis(arm: SixAxis, poses: Array, near: Array, bounds: Bounds) -> BranchArrays:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are front and back (of axis 1), each elbow up and down, each axis 5 positive and negative:
    the order that S003 prints. S003 eq. 2.29-2.49, corrected: the second solution of axis 1 has its
    own radius in the plane (docs/background/errata.md).

    Args:
        arm: The normal form.
        poses: ``base_from_tcp``.
        near: Absolute angles that are kept where a singularity leaves them free, ``(6,)``.
        bounds: Where full turns are put.
    """
    rotation = poses[:, :3, :3]
    point = (poses[:, :3, 3] + rotation @ arm.wrist - arm.origin) @ arm.arm_from_base.T
    M = arm.arm_from_base @ rotation @ arm.E
    px, py, pz = point.T
    rho, side = np.hypot(px, py), abs(arm.d)
    gap = rho - side
    above, none = gap < SINGULAR, np.zeros(len(poses), dtype=bool)
    free = list(zip(np.sin(near).tolist(), np.cos(near).tolist(), strict=True))
    result, missing = _empty(len(poses), arm.slots, 6), []
    for f in (1.0, -1.0):
        X = np.where(above, 0.0, f * np.sqrt(np.maximum(gap, 0.0) * (rho + side)))
        s1, c1 = X * py - arm.d * px, X * px + arm.d * py
        size = np.hypot(s1, c1)
        s1, c1 = (
            np.where(size == 0.0, u, v / np.where(size == 0.0, 1.0, size))
            for u, v in zip(free[0], (s1, c1), strict=True)
        )
        for e in (1.0, -1.0):
            sa, ca, sb, cb, beyond, straight = solve_two_links(
                X - arm.a1, pz, arm.lower_arm_length, arm.forearm_length, e * f, free[1]
            )
            beyond = np.hypot(beyond, np.maximum(-gap, 0.0))
            missing.append(beyond)
            # of branches that a singularity makes one, the first is kept
            twin = (above if f < 0.0 else none) | (straight if e < 0.0 else none)
            # W = C Ry(-x3) Rz(-x1) M = Rz(x4) Ry(x5) Rz(x6)
            forward = c1[:, None] * M[:, 0] + s1[:, None] * M[:, 1]
            across = c1[:, None] * M[:, 1] - s1[:, None] * M[:, 0]
            along = sb[:, None] * forward + cb[:, None] * M[:, 2]
            forward = cb[:, None] * forward - sb[:, None] * M[:, 2]
            W = arm.C @ np.stack([forward, across, along], axis=1)
            h = np.hypot(W[:, 0, 2], W[:, 1, 2])
            in_line = h < SINGULAR
            x123 = [np.arctan2(s1, c1), np.arctan2(sa, ca), np.arctan2(sb, cb)]
            flags = WRIST * in_line + ELBOW * straight + SHOULDER * above
            for w in (1.0, -1.0):
                sign = np.where(in_line, 1.0, w * arm.wrist_sign / np.where(in_line, 1.0, h))
                s4 = np.where(in_line, free[3][0], sign * W[:, 1, 2])
                c4 = np.where(in_line, free[3][1], sign * W[:, 0, 2])
                x5 = np.arctan2(c4 * W[:, 0, 2] + s4 * W[:, 1, 2], W[:, 2, 2])
                x6 = np.arctan2(
                    c4 * W[:, 1, 0] - s4 * W[:, 0, 0], c4 * W[:, 1, 1] - s4 * W[:, 0, 1]
                )
                x = np.stack([*x123, np.arctan2(s4, c4), x5, x6], axis=1)
                slot = int(2.0 - 2.0 * f + 1.0 - e + 0.5 - 0.5 * w)
                valid = (beyond <= REACH) & ~twin & ~(in_line if w < 0.0 else none)
                _store(result, slot, arm.axis_map.positions(x), valid, flags, bounds)
    return _finish(poses, result._replace(missing=np.min(missing, axis=0)))


def palletizer(arm: Palletizer, poses: Array, near: Array, bounds: Bounds) -> BranchArrays:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are front and back (of axis 1), each elbow up and down.
    """
    M = arm.arm_from_base @ poses[:, :3, :3] @ arm.E.T
    point = poses[:, :3, 3] + poses[:, :3, :3] @ arm.wrist - arm.origin
    px, py, pz = arm.arm_from_base @ point.T
    upright, tool = _upright(M)
    rho, side = np.hypot(px, py), abs(arm.d)
    gap = rho - side
    above = gap < SINGULAR
    free = list(zip(np.sin(near).tolist(), np.cos(near).tolist(), strict=True))
    result, missing = _empty(len(poses), arm.slots, 4), []
    for f in (1.0, -1.0):
        X = np.where(above, 0.0, f * np.sqrt(np.maximum(gap, 0.0) * (rho + side)))
        s1, c1 = X * py - arm.d * px, X * px + arm.d * py
        still = np.hypot(s1, c1) == 0.0
        x1 = np.arctan2(np.where(still, free[0][0], s1), np.where(still, free[0][1], c1))
        for e in (1.0, -1.0):
            lengths = arm.lower_arm_length, arm.forearm_length
            sa, ca, sb, cb, beyond, straight = solve_two_links(
                X - arm.a1 - arm.a4, pz - arm.height, *lengths, e * f, free[1]
            )
            beyond = np.hypot(beyond, np.maximum(-gap, 0.0))
            missing.append(beyond)
            twin = (above & (f < 0.0)) | (straight & (e < 0.0))
            x = np.stack([x1, np.arctan2(sa, ca), np.arctan2(sb, cb), tool], axis=1)
            valid = (beyond <= REACH) & upright & ~twin
            flags = ELBOW * straight + SHOULDER * above
            slot = int(1.0 - f + 0.5 - 0.5 * e)
            _store(result, slot, arm.axis_map.positions(x), valid, flags, bounds)
    least = np.where(upright, np.min(missing, axis=0), np.inf)
    return _finish(poses, result._replace(missing=least))


def _upright(M: Array) -> tuple[Mask, Array]:
    """Return whether rotations ``(N, 3, 3)`` are about z, and their angles."""
    tool = np.arctan2(M[:, 1, 0] - M[:, 0, 1], M[:, 0, 0] + M[:, 1, 1])
    return (np.hypot(M[:, 0, 2], M[:, 1, 2]) <= TILT) & (M[:, 2, 2] > 0.0), tool


def scara(arm: Scara, poses: Array, near: Array, bounds: Bounds) -> BranchArrays:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are the second arm to the left and to the right (S004, corrected).
    """
    M = arm.arm_from_base @ poses[:, :3, :3] @ arm.E.T
    wrist = poses[:, :3, 3] + poses[:, :3, :3] @ arm.wrist
    point = (wrist - arm.origin) @ arm.arm_from_base.T
    height = (poses[:, :3, 3] - arm.origin) @ arm.arm_from_base[2] - arm.height
    upright, tool = _upright(M)
    result, missing = _empty(len(poses), arm.slots, 4), np.zeros(len(poses))
    free = (float(np.sin(near[0])), float(np.cos(near[0])))
    for slot, e in enumerate((1.0, -1.0)):
        sa, ca, sb, cb, missing, straight = solve_two_links(
            point[:, 1], point[:, 0], arm.lower_arm_length, arm.forearm_length, e, free
        )
        x = np.stack([np.arctan2(sa, ca), np.arctan2(sb, cb), tool, height], axis=1)
        valid = (missing <= REACH) & upright & ~(straight & (e < 0.0))
        _store(result, slot, arm.axis_map.positions(x), valid, ELBOW * straight, bounds)
    return _finish(poses, result._replace(missing=np.where(upright, missing, np.inf)))


def _empty(count: int, slots: int, n: int) -> BranchArrays:
    """Return arrays without a solution."""
    q, bits = np.full((count, slots, n), np.nan), np.zeros((count, slots), np.uint8)
    return BranchArrays(q, bits, np.zeros(count))


def _store(
    result: BranchArrays, slot: int, q: Array, valid: Mask, flags: IntArray, bounds: Bounds
) -> None:
    """Fill one slot with valid solutions, in the full turns of the bounds."""
    q, inside = add_full_turns(q, bounds)
    result.q[:, slot] = np.where(valid[:, None], q, np.nan)
    result.bits[:, slot] = np.where(valid, VALID + INSIDE * inside + flags, 0)


def in_slots(slots: int, pose: IntArray, q: Array, bits: Bits, known: Mask) -> BranchArrays:
    """Return postures ``(K, n)``, sorted by their poses, in the slots of N poses.

    ``missing`` is 0, or NaN where a pose is not ``known``, ``(N,)``.
    """
    slot = np.arange(len(pose)) - np.searchsorted(pose, pose)
    there = slot < slots
    result = BranchArrays(
        np.full((len(known), slots, q.shape[1]), np.nan),
        np.zeros((len(known), slots), np.uint8),
        np.where(known, 0.0, np.nan),
    )
    result.q[pose[there], slot[there]] = q[there]
    result.bits[pose[there], slot[there]] = bits[there]
    return result


def add_full_turns(q: Array, bounds: Bounds) -> tuple[Array, Mask]:
    """Add full turns to positions ``(..., n)``, axis by axis.

    Also return whether they keep every range.
    """
    q = q.copy()
    inside, n = np.ones(q.shape[:-1], dtype=bool), len(bounds.seed)
    ends = zip(*bounds[3:], strict=True)
    for i, (low, high, seed, linear) in enumerate(ends):
        others = q[..., :i] @ bounds.A[i, :i]
        value = q[..., i] + others
        if not linear:
            turned, fits = _turn_in_range(value, low, high, seed)
            chosen = np.where(fits, turned - others, wrap_angle(q[..., i]))
            for k in sums_of_axis(bounds.A, i):
                shift = others - q[..., :i] @ bounds.A[k, :i]
                low = np.maximum(low, bounds.lower[k] + shift)
                high = np.minimum(high, bounds.upper[k] + shift)
                turned, fits = _turn_in_range(value, low, high, np.clip(seed, low, high))
                chosen = np.where(fits, turned - others, chosen)
            q[..., i] = chosen
            value = chosen + others
        inside &= (value >= bounds.lower[i]) & (value <= bounds.upper[i])
    for row, lower, upper in zip(bounds.A[n:], bounds.lower[n:], bounds.upper[n:], strict=True):
        value = q @ row
        inside &= (value >= lower) & (value <= upper)
    return q, inside


def _turn_in_range(value: Array, low: Array, high: Array, seed: Array) -> tuple[Array, Mask]:
    """Return angles in the turn nearest to a seed or next to it, and whether they are in range."""
    value = seed + wrap_angle(value - seed)
    value = value - 2.0 * np.pi * (value > high) + 2.0 * np.pi * (value < low)
    return value, (value >= low) & (value <= high)


def sums_of_axis(A: NDArray[Any], axis: int) -> list[int]:
    """Return those of the rows ``(m, n)`` beyond the first ``n`` that end with this axis."""
    n = A.shape[1]
    return [k for k in range(n, len(A)) if np.flatnonzero(A[k])[-1] == axis]


def wrap_angle(angle: Array) -> Array:
    """Return angles within half a turn of 0; half a turn is positive, however it is rounded."""
    return np.asarray(angle - 2.0 * np.pi * np.round(angle / (2.0 * np.pi) - HALF_TURN))


def are_rigid(poses: Array) -> Mask:
    """Return whether each of ``(N, 4, 4)`` is a rigid motion.

    True where it is not finite, which belongs to its own sample. A rotation is its own matrix of
    cofactors; so is no other matrix with a row of length 1.
    """
    R = poses[:, :3, :3]
    first, second, third = np.moveaxis(R, 1, 0)
    with np.errstate(all="ignore"):
        cofactors = np.stack(
            [np.cross(second, third), np.cross(third, first), np.cross(first, second)], axis=1
        )
        off = np.abs(R - cofactors).max(axis=(1, 2))
        length = np.abs((first * first).sum(axis=1) - 1.0)
        below = np.abs(poses[:, 3] - (0.0, 0.0, 0.0, 1.0)).max(axis=1)
        rigid = np.maximum(np.maximum(off, length), below) <= RIGID
    return np.asarray(rigid | ~np.isfinite(poses).all(axis=(1, 2)))


def _finish(poses: Array, result: BranchArrays) -> BranchArrays:
    """Clear the branches of poses that are not finite, and what rounding is missing."""
    lost = ~np.isfinite(poses).all(axis=(1, 2))
    result.q[lost], result.bits[lost], result.missing[lost] = np.nan, 0, np.nan
    result.missing[result.missing <= REACH] = 0.0
    return result
