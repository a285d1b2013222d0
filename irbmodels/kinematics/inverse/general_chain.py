"""All postures of six turning axes with offsets everywhere: an eliminant, polished by Newton.

After Raghavan and Roth (J. Mech. Design 115, 1993), with the eigenvalues of Manocha and Canny (IEEE
Trans. Robotics and Automation 10, 1994). With the tool at its pose the arm is a closed loop of six
axes, which may be read from any of them on: here from axis 4, so that axis 3 is the last. It is a
line, direction ``l`` through ``p``; ``p``, ``l``, ``p x l``, ``(p.p) l - 2 (p.l) p``, ``p.p`` and
``p.l`` are 14 numbers which a motion of the line changes linearly. Turned back by axes 4 and 5 they
are those that axes 6, 1 and 2 turn forward: 14 equations. Eight combinations of sines and cosines
of axes 4 and 5 are eliminated; of the other six, with tangents of half of axes 1 and 2 to powers,
remains ``(M0 + M1 x6 + M2 x6^2) m = 0`` for 12 monomials ``m`` and the tangent ``x6`` of half of
axis 6. Real eigenvalues of 24 are postures, up to 16; the others are complex.

Read from another axis on the eliminant of an arm like the IRB 14000's vanishes (axis 1), or does
where axes 2 and 3 are parallel (axis 2). From axis 4 eliminating depends on neither the pose
nor what stands between axes 2 and 3. At poses of plane postures it vanishes even so: it is solved
beside the pose as well, on both sides, so that one of them has the postures that meet in a double
one, and Newton's method goes from there to the pose.
"""

from __future__ import annotations

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ...model.mechanism import Mechanism
from ...model.rotations import rotation_z
from ...model.types import Array, IntArray
from .newton import polished

Complex = NDArray[np.complex128]
LOOP = (3, 4, 5, 0, 1, 2)
"""Axes, from 0, in the order in which the loop is read."""
PHASES = (0.4, 1.1, -0.7)  # [rad] of axes 6, 1 and 2 at x = 0: tangents are finite at right angles
NEARLY_REAL = 0.05  # imaginary part of x6 up to which Newton's method tries, of 1 + |x6|^2
# [m, rad] by which the eliminant is solved beside the pose: any direction that is no axis of
# anything. At 1e-2 two of 5000 postures are missed, at 1e-3 and 1e-4 none.
BESIDE = 1e-3 * np.array([0.1, 0.16, -0.08, 0.6, -0.5, 0.7])
# parts of it: nearly none for what is 1e-3 from a singular posture, of which Newton's method finds
# another one from elsewhere (one of 10 000); not quite none, so that no matrix has rank 11 exactly
SIDES = (1.0, -1.0, 1e-6)
# from tangents of the half angle to cosine, sine and 1, times 1 + x^2
_HALF = np.array([[1.0, 0.0, -1.0], [0.0, 2.0, 0.0], [1.0, 0.0, 1.0]])


def postures_of_chain(chain: Mechanism, poses: Array) -> tuple[IntArray, Array, Array]:
    """Return the postures of poses ``(N, 4, 4)`` of the chain's frame, with their poses' numbers.

    Postures ``(K, 6)`` repeat, and are in no order; last comes the smallest singular value of each
    at a length of 1 m.
    """
    rows = np.stack([joint.row for joint in chain.joints])
    offsets = np.array([joint.offset for joint in chain.joints])
    sides = [poses @ pin.exp6(side * BESIDE).homogeneous for side in SIDES]
    pose, angles = _candidates(*_loop(chain, np.concatenate(sides)))
    q = np.linalg.solve(rows, (angles - offsets).T).T
    return polished(chain, poses, pose % len(poses), q)


def _loop(chain: Mechanism, poses: Array) -> tuple[list[Array], Array]:
    """Return places from axis to axis, ``(4, 4)``, and with the tool's poses from axis 6 to axis 1.

    The former are those of axes 2 to 6 in the axis before, the latter ``(N, 4, 4)``; their unit of
    length is of the order of the arm's links.
    """
    assert chain.frame is not None
    places = [_place(joint.rotation, joint.position) for joint in chain.joints]
    places.append(_place(chain.frame.rotation, chain.frame.position))
    closing = places[6] @ np.linalg.inv(poses) @ places[0]
    length = sum(float(np.linalg.norm(place[:3, 3])) for place in places[1:6]) / 3.0
    for place in (*places, closing):
        place[..., :3, 3] /= length
    return places[1:6], closing


def _place(rotation: Array, position: Array) -> Array:
    result = np.eye(4)
    result[:3, :3], result[:3, 3] = rotation, position
    return result


def _candidates(places: list[Array], closing: Array) -> tuple[IntArray, Array]:
    """Return angles ``(K, 6)`` of the joints that are next to a posture, with their poses."""
    left, known = _turned_back(places)
    kept = np.linalg.svd(left)[0][:, 8:].T  # (6, 14)
    reduced = kept @ _turned_forward(places, closing)  # (N, 3, 6, 9): of cos, sin and 1 of axis 6
    reduced[:, 2, :, 8] -= kept @ known
    shape = (len(closing), 3, 6, 3, 3)
    forms = np.einsum("ax,by,cz,naibc->nxiyz", _HALF, _HALF, _HALF, reduced.reshape(shape))
    powers_of_6 = np.zeros((len(closing), 3, 12, 4, 3))
    powers_of_6[:, :, :6, :3], powers_of_6[:, :, 6:, 1:] = forms, forms
    M = powers_of_6.reshape(-1, 3, 12, 12)
    companion = np.zeros((len(closing), 24, 24))
    companion[:, :12, 12:] = np.eye(12)
    companion[:, 12:] = -np.linalg.solve(M[:, 2], np.concatenate([M[:, 0], M[:, 1]], axis=2))
    x6, vectors = np.linalg.eig(companion)
    pose, column = np.nonzero(np.abs(x6.imag) < NEARLY_REAL * (1.0 + np.abs(x6) ** 2))
    powers: Complex = vectors[pose, :12, column].reshape(-1, 4, 3)
    x1 = _ratio(powers[:, :3], powers[:, 1:])
    x2 = _ratio(powers[:, :, :2], powers[:, :, 1:])
    angles = np.zeros((len(pose), 6))
    for axis, x, phase in zip(LOOP[2:5], (x6[pose, column], x1, x2), PHASES, strict=True):
        angles[:, axis] = 2.0 * np.arctan(x.real) + phase
    _add_others(places, closing[pose], np.asarray(np.linalg.pinv(left)), known, angles)
    return pose, angles


def _turned_back(places: list[Array]) -> tuple[Array, Array]:
    """Return axis 3 as seen behind axis 5: factors of eight products, and what is known.

    ``(14, 8)`` and ``(14,)``; products are (cos, sin, 1) of axis 4 times those of axis 5, without
    the last.
    """
    back = _motion(np.asarray(np.linalg.inv(places[3])))
    line = _line(np.asarray(np.linalg.inv(places[2])))
    turn = _TURN * np.array([1.0, -1.0, 1.0])[:, None, None]
    columns = np.einsum("bij,jk,akl,l->iab", turn, back, turn, line)[:14].reshape(14, 9)
    return columns[:, :8], columns[:, 8]


def _turned_forward(places: list[Array], closing: Array) -> Array:
    """Return axis 3 as axes 6, 1 and 2 turn it.

    Factors ``(N, 3, 14, 9)`` of (cos, sin, 1) of axis 6 times the products of those of 1 and 2.
    """
    sixth, first, second = (rotation_z(phase) for phase in PHASES)
    inner = np.einsum(
        "bij,jk,ckl,l->ibc", _TURN, _motion(first @ places[0]), _TURN, _line(second @ places[1])
    ).reshape(15, 9)
    outer = np.einsum("ij,ajk->aik", _motion(places[4]), _TURN)
    return np.asarray((outer @ (_motion(sixth @ closing) @ inner)[:, None])[:, :, :14])


def _ratio(below: Complex, above: Complex) -> Complex:
    size = np.sum(np.abs(below) ** 2, axis=(1, 2))
    return np.asarray(np.sum(below.conj() * above, axis=(1, 2)) / size)


def _add_others(
    places: list[Array], closing: Array, inverse: Array, known: Array, angles: Array
) -> None:
    """Fill in the angles of axes 3 to 5 for those of axes 6, 1 and 2."""
    forward = places[4] @ _turns(angles[:, 5]) @ closing @ _turns(angles[:, 0])
    forward = forward @ places[0] @ _turns(angles[:, 1]) @ places[1]
    products = (_line(forward)[:, :14] - known) @ inverse.T
    angles[:, 3] = np.arctan2(products[:, 5], products[:, 2])
    angles[:, 4] = np.arctan2(products[:, 7], products[:, 6])
    around = places[2] @ _turns(angles[:, 3]) @ places[3] @ _turns(angles[:, 4]) @ forward
    angles[:, 2] = np.arctan2(-around[:, 1, 0], around[:, 0, 0])


def _turns(angles: Array) -> Array:
    result = np.zeros((len(angles), 4, 4))
    c, s = np.cos(angles), np.sin(angles)
    result[:, 0, 0], result[:, 0, 1], result[:, 1, 0], result[:, 1, 1] = c, -s, s, c
    result[:, 2, 2] = result[:, 3, 3] = 1.0
    return result


def _line(place: Array) -> Array:
    """Return the z axis of places ``(..., 4, 4)`` as 15 numbers, the last one 1, ``(..., 15)``."""
    point, along = place[..., :3, 3], place[..., :3, 2]
    pp = np.sum(point * point, axis=-1, keepdims=True)
    pl = np.sum(point * along, axis=-1, keepdims=True)
    moment, mirrored = np.cross(point, along), pp * along - 2.0 * pl * point
    return np.concatenate([point, along, moment, mirrored, pp, pl, np.ones_like(pp)], axis=-1)


def _motion(place: Array) -> Array:
    """Return matrices ``(..., 15, 15)`` by which motions ``(..., 4, 4)`` change lines."""
    R, t = place[..., :3, :3], place[..., :3, 3]
    across = np.cross(t[..., None, :], np.swapaxes(R, -1, -2)).swapaxes(-1, -2)  # t x R
    along = (t[..., None, :] @ R)[..., 0, :]
    square = np.sum(t * t, axis=-1)
    result = np.zeros((*place.shape[:-2], 15, 15))
    for k in (0, 3, 6, 9):
        result[..., k : k + 3, k : k + 3] = R
    result[..., 0:3, 14] = t
    result[..., 6:9, 3:6] = across
    result[..., 9:12, 6:9] = -2.0 * across
    result[..., 9:12, 3:6] = square[..., None, None] * R - 2.0 * t[..., None] * along[..., None, :]
    result[..., 9:12, 13] = -2.0 * t
    result[..., 12, 0:3], result[..., 12, 14] = 2.0 * along, square
    result[..., 13, 3:6] = along
    result[..., 12, 12] = result[..., 13, 13] = result[..., 14, 14] = 1.0
    return result


def _turn_parts() -> Array:
    """Return the matrices of a turn about z that belong to its cosine, its sine and 1."""
    zero, right, whole = (_motion(rotation_z(angle)) for angle in (0.0, np.pi / 2.0, np.pi))
    still = 0.5 * (zero + whole)
    return np.stack([0.5 * (zero - whole), right - still, still])


_TURN = _turn_parts()
