"""All postures of arms whose wrist axes miss one point: roots of an eliminant, polished by Newton.

With axis 6 at an angle ``x6`` link 5 stands still, and so do axis 5 and the wrist centre. Axes 1 to
3 then have the closed form of an arm with a spherical wrist, in four branches, and each is a
posture where axis 4 comes out at right angles to axis 5: at the zeros of ``F(x6)``, the cosine
between both. The product of the four, times ``rho^4 c_front^2 c_back^2`` (distances of the wrist
centre from axis 1, and from axis 2 in front and back), is a trigonometric polynomial of degree 8
in ``x6``. Its Fourier coefficients follow from samples, for which it does not matter where branches
are complex, and its 16 zeros are eigenvalues of a companion matrix: none is searched for, and so
none is stepped over. Zeros on the unit circle are postures; Newton's method on the arm's own chain
takes away what rounding has left.

Zeros of a calibrated arm are those of the regular arm next to it, and Newton's method takes up the
difference. A pair of postures that the regular arm has just lost, or is about to, may be there:
zeros beside the circle start Newton's method on both sides. Where an angle is nearly free, axis 4
in line with axis 6 or axis 1 below the wrist centre, a calibration alone decides how many postures
there are, and every sample starts it.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array, IntArray, Mask
from ..arm_geometry import OffsetWrist
from .closed_form import (
    INSIDE,
    MERGED,
    REACH,
    VALID,
    Bounds,
    BranchArrays,
    add_full_turns,
    in_slots,
)
from .closed_form import wrap_angle as wrapped
from .newton import MERGING, first_of_each, polished

DEGREE, SAMPLES = 8, 24
PHASE = 0.3  # [rad] first sample: beside the angles at which wrist centres are on axis 1
VANISHED = 1e-13  # coefficients that rounding has left, of the largest
BESIDE = 0.02  # logarithm of a zero's size: what rounding leaves of a fourfold zero on the circle
CALIBRATED_BESIDE = 0.3  # and what a calibration may bring back to the circle
CLOSING = 0.1  # cosine between axes 4 and 5 from which Newton's method starts
OVERHEAD = (
    0.05  # distance of a wrist centre from axis 1, of the forearm, within which axis 1 is free
)
ANY_CLOSING, ANY_OVERHEAD = 0.02, 0.02  # the same at every sample, for a calibrated arm
BRANCHES = ((1.0, 1.0), (1.0, -1.0), (-1.0, 1.0), (-1.0, -1.0))  # front and back, elbow up, down
BLOCK = 512  # poses at a time
Complex = NDArray[np.complex128]


class _MainAxes(NamedTuple):
    """Sines and cosines of axes 1 to 3 for a wrist centre, complex out of reach: ``(...)`` each."""

    s1: Array
    c1: Array
    s2: Array
    c2: Array
    s3: Array
    c3: Array


class _Wrist(NamedTuple):
    """Link 5 for an angle of axis 6, in the arm's frame."""

    center: Array
    """Wrist centre [m], ``(..., 3)``."""
    x: Array
    """Of link 5, ``(..., 3)``."""
    y: Array
    """Axis 5, ``(..., 3)``."""
    z: Array
    """Axis 6, ``(..., 3)``."""


def offset_wrist(arm: OffsetWrist, poses: Array, bounds: Bounds) -> BranchArrays:
    """Solve for poses ``(N, 4, 4)`` of the TCP.

    Slots are filled from the first on: front before back, elbow up before down, axis 5 positive
    before negative, then by axis 6. What is ``missing`` is inf where the wrist centre can be where
    it has to, but never with this orientation of the tool.
    """
    parts = [
        _solve_block(arm, poses[k : k + BLOCK], bounds) for k in range(0, len(poses), BLOCK)
    ] or [_solve_block(arm, poses, bounds)]
    q, bits, missing = zip(*parts, strict=True)
    return BranchArrays(np.concatenate(q), np.concatenate(bits), np.concatenate(missing))


def _solve_block(arm: OffsetWrist, poses: Array, bounds: Bounds) -> BranchArrays:
    known: Mask = np.asarray(np.isfinite(poses).all(axis=(1, 2)))
    given = np.where(known[:, None, None], poses, np.eye(4))
    pose, q, smallest = polished(arm.chain, given, *_starts(arm, given))
    q = wrapped(q)
    x = arm.axis_map.angles(q)
    back, down = arm.wrist_radius(x) < 0.0, np.sin(arm.elbow_angle(x)) < 0.0
    order = np.lexsort((q[:, 5], q[:, 4] < 0.0, down, back, pose))
    order = order[first_of_each(pose[order], q[order]) & known[pose[order]]]
    pose, q, smallest = pose[order], q[order], smallest[order]
    q, inside = add_full_turns(q, bounds)
    bits = VALID + INSIDE * inside + MERGED * (smallest < MERGING)
    result = in_slots(arm.slots, pose, q, bits, known)
    for none in np.setdiff1d(np.flatnonzero(known), pose):
        result.missing[none] = _missing(arm, given[none])
    return result


def _starts(arm: OffsetWrist, poses: Array) -> tuple[IntArray, Array]:
    """Return axis positions ``(K, 6)`` next to all postures, and the number of each one's pose."""
    angles = PHASE + 2.0 * np.pi * np.arange(SAMPLES) / SAMPLES
    pose, x6 = _zeros_near_circle(arm, poses, angles)
    pose, x = _branches(arm, poses, pose, x6, CLOSING, OVERHEAD)
    if not arm.regular:
        every, sample = (part.ravel() for part in np.indices((len(poses), SAMPLES)))
        every, beside = _branches(arm, poses, every, angles[sample], ANY_CLOSING, ANY_OVERHEAD)
        pose, x = np.concatenate([pose, every]), np.concatenate([x, beside])
    return pose, arm.axis_map.positions(x)


def _zeros_near_circle(arm: OffsetWrist, poses: Array, angles: Array) -> tuple[IntArray, Array]:
    """Return angles of axis 6 at which some branch closes, and the number of each one's pose."""
    wrist = _wrist(arm, poses[:, None], angles)
    product = np.ones(wrist.center.shape[:-1], dtype=complex)
    for front, up in BRANCHES:
        axes, scale = _main_axes(arm, wrist.center, front, up, exact=True)
        product *= _closure(arm, axes, wrist) * scale
    coefficients = np.fft.fft(product.real, axis=1) / SAMPLES
    coefficients = coefficients[:, np.arange(-DEGREE, DEGREE + 1)]
    size = np.abs(coefficients)
    there = size[:, DEGREE:] > VANISHED * size.max(axis=1, keepdims=True)
    degrees = DEGREE - np.argmax(there[:, ::-1], axis=1)
    allowed = BESIDE if arm.regular else CALIBRATED_BESIDE
    found: list[tuple[IntArray, Array]] = []
    for degree in range(1, DEGREE + 1):
        rows = np.flatnonzero(degrees == degree)
        zeros = _zeros(coefficients[rows, DEGREE - degree : DEGREE + degree + 1])
        beside = np.log(np.maximum(np.abs(zeros), np.finfo(float).tiny))
        row, column = np.nonzero(np.abs(beside) < allowed)
        x6 = angles[0] + np.angle(zeros[row, column]) + beside[row, column]
        found.append((rows[row], x6))
    pose, x6 = zip(*found, strict=True)
    return np.concatenate(pose), np.concatenate(x6)


def _branches(
    arm: OffsetWrist, poses: Array, pose: IntArray, x6: Array, closing: float, overhead: float
) -> tuple[IntArray, Array]:
    """Return absolute angles of the branches that are next to closing at angles of axis 6.

    Args:
        arm: Geometry.
        poses: Of the TCP, ``(N, 4, 4)``.
        pose: Number of each angle's pose, ``(K,)``.
        x6: Angles, ``(K,)``.
        closing: Largest cosine between axes 4 and 5.
        overhead: Distance of the wrist centre from axis 1, of the forearm's length, within which
            axis 1 is turned to close.
    """
    wrist, starts = _wrist(arm, poses[pose], x6), []
    over = np.hypot(*wrist.center.T[:2]) < overhead * (arm.forearm_length + abs(arm.d))
    above = _Wrist(*(one[over] for one in wrist))
    for front, up in BRANCHES:
        axes, _ = _main_axes(arm, wrist.center, front, up, exact=False)
        near = np.abs(_closure(arm, axes, wrist)) < closing
        starts.append((pose[near], _angles(arm, axes, wrist, x6)[near]))
        for turned in _turned_to_close(arm, _MainAxes(*(one[over] for one in axes)), above):
            starts.append((pose[over], _angles(arm, turned, above, x6[over])))
    numbers, x = zip(*starts, strict=True)
    return np.concatenate(numbers), np.concatenate(x)


def _zeros(coefficients: Complex) -> Complex:
    """Return the zeros ``(N, n)`` of polynomials with coefficients ``(N, n + 1)``, lowest first."""
    count, n = coefficients.shape[0], coefficients.shape[1] - 1
    companion = np.zeros((count, n, n), dtype=complex)
    companion[:, np.arange(1, n), np.arange(n - 1)] = 1.0
    companion[:, :, -1] = -coefficients[:, :-1] / coefficients[:, -1:]
    return np.asarray(np.linalg.eigvals(companion))


def _wrist(arm: OffsetWrist, poses: Array, x6: Array) -> _Wrist:
    """Return link 5 of poses ``(..., 4, 4)`` of the TCP, for angles of axis 6."""
    rotation = poses[..., :3, :3]
    point = (poses[..., :3, 3] + rotation @ arm.wrist - arm.origin) @ arm.arm_from_base.T
    M = arm.arm_from_base @ rotation @ arm.E
    c, s = np.cos(x6)[..., None], np.sin(x6)[..., None]
    x, y = c * M[..., 0] - s * M[..., 1], s * M[..., 0] + c * M[..., 1]
    z = np.broadcast_to(M[..., 2], x.shape)
    return _Wrist(point + arm.offset[0] * x + arm.offset[1] * y, x, y, z)


def _main_axes(
    arm: OffsetWrist, center: Array, front: float, up: float, exact: bool
) -> tuple[_MainAxes, Array]:
    """Return axes 1 to 3 for wrist centres ``(..., 3)`` in one branch, and its share of the scale.

    Args:
        arm: Geometry.
        center: Wrist centre in the arm's frame [m].
        front: 1, or -1 for axis 1 turned round.
        up: 1, or -1 for the elbow down.
        exact: Complex where the wrist centre is out of reach; else the nearest that is within.
    """
    X, Y, Z = np.moveaxis(center, -1, 0)
    rho2, root = X * X + Y * Y, np.emath.sqrt if exact else _real_root
    u = front * root(rho2 - arm.d**2)
    s1, c1 = u * Y - arm.d * X, u * X + arm.d * Y
    r, lower, fore = u - arm.a1, arm.lower_arm_length, arm.forearm_length
    c2 = r * r + Z * Z
    S = (
        front
        * up
        * (np.emath.sqrt if exact else _root_of_size)(
            ((lower + fore) ** 2 - c2) * (c2 - (lower - fore) ** 2)
        )
    )
    K, L = c2 + lower**2 - fore**2, c2 - lower**2 + fore**2
    sines = [s1, c1, r * K - Z * S, Z * K + r * S, r * L + Z * S, Z * L - r * S]
    if exact:
        sizes = [rho2, 2.0 * lower * c2, 2.0 * fore * c2]
    else:
        sizes = [np.hypot(*sines[k : k + 2]) for k in (0, 2, 4)]
        sizes = [np.where(size == 0.0, 1.0, size) for size in sizes]
    with np.errstate(all="ignore"):
        axes = _MainAxes(*(value / sizes[k // 2] for k, value in enumerate(sines)))
        return axes, np.sqrt(rho2) * np.sqrt(c2 + 0j)


def _root_of_size(values: Array) -> Array:
    return np.sqrt(np.abs(values))


def _real_root(values: Array) -> Array:
    return np.sqrt(np.maximum(values, 0.0))


def _closure(arm: OffsetWrist, axes: _MainAxes, wrist: _Wrist) -> Array:
    """Return the cosine between axes 4 and 5, ``(...)``."""
    forward, across, along = _in_forearm(axes, wrist.y)
    fourth = arm.C[2]
    return np.asarray(forward * fourth[0] + across * fourth[1] + along * fourth[2])


def _turned_to_close(arm: OffsetWrist, axes: _MainAxes, wrist: _Wrist) -> list[_MainAxes]:
    """Return axis 1 turned to where branches close, or are next to it.

    For wrist centres on axis 1, whose place it does not change.
    """
    (x, y, z), (ahead, across, along) = wrist.y.T, arm.C[2]
    forward = axes.c3 * ahead + axes.s3 * along
    u, v = forward * x + across * y, forward * y - across * x
    still = z * (axes.c3 * along - axes.s3 * ahead)
    bend = np.arccos(np.clip(-still / np.maximum(np.hypot(u, v), 1e-300), -1.0, 1.0))
    angles = [np.arctan2(v, u) + sign * bend for sign in (1.0, -1.0)]
    return [axes._replace(s1=np.sin(angle), c1=np.cos(angle)) for angle in angles]


def _in_forearm(axes: _MainAxes, vector: Array) -> list[Array]:
    """Return components of vectors ``(..., 3)`` of the arm's frame in the forearm's."""
    x, y, z = np.moveaxis(vector, -1, 0)
    forward, across = axes.c1 * x + axes.s1 * y, axes.c1 * y - axes.s1 * x
    return [axes.c3 * forward - axes.s3 * z, across, axes.s3 * forward + axes.c3 * z]


def _angles(arm: OffsetWrist, axes: _MainAxes, wrist: _Wrist, x6: Array) -> Array:
    """Return absolute angles ``(K, 6)``: those of the wrist follow from link 5."""
    y, z = (np.stack(_in_forearm(axes, one), axis=-1) @ arm.C.T for one in (wrist.y, wrist.z))
    x4 = np.arctan2(-y[:, 0], y[:, 1])
    x5 = np.arctan2(np.cos(x4) * z[:, 0] + np.sin(x4) * z[:, 1], z[:, 2])
    main = [np.arctan2(axes[k], axes[k + 1]) for k in (0, 2, 4)]
    return np.stack([*main, x4, x5, x6], axis=1)


def _missing(arm: OffsetWrist, pose: Array) -> float:
    """Return the least distance of the wrist centre beyond reach [m], inf where it is within."""
    low, high = -np.pi, np.pi
    for _ in range(4):
        angles = np.linspace(low, high, 181)
        X, Y, Z = _wrist(arm, pose[None], angles).center.T
        rho2 = X * X + Y * Y
        u, beside = _real_root(rho2 - arm.d**2), np.maximum(abs(arm.d) - np.sqrt(rho2), 0.0)
        distances = []
        for front in (1.0, -1.0):
            c = np.hypot(front * u - arm.a1, Z)
            longest = arm.lower_arm_length + arm.forearm_length
            shortest = abs(arm.lower_arm_length - arm.forearm_length)
            distances.append(
                np.hypot(np.maximum(np.maximum(c - longest, shortest - c), 0.0), beside)
            )
        beyond = np.minimum(*distances)
        best = angles[int(np.argmin(beyond))]
        low, high = best - (high - low) / 90.0, best + (high - low) / 90.0
    least = float(beyond.min())
    return least if least > REACH else np.inf
