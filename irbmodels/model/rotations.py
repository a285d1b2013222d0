"""Rotations as ABB writes them (quaternion, EulerZYX, ZYZ) and about single axes, in [rad].

Functions of quaternions, matrices and triples take leading axes; quaternions have their scalar
first. Sign of a quaternion: its first
component that is not zero is positive, so ``q1 >= 0`` as ABB shows it, and at 180 deg, where ``q1``
is 0, there is still one answer.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from .types import Array

ROUNDING = 1e-12  # a component that only rounding made decides no sign
# below this sine the two outer angles of an Euler triple are one: nearer, each would be rounding
GIMBAL = 1e-8


def quaternion(rotation: ArrayLike) -> Array:
    """Return ``q1..q4``, scalar first, of rotation matrices ``(..., 3, 3)``; shape ``(..., 4)``.

    Of the four columns of ``4 q q'``, whose entries are sums of the matrix's, the one with the
    largest diagonal is taken: no component is divided by a small one, so it is right at and near
    180 deg, where S003's eq. 2.16-2.22 lose digits.
    """
    R = _shaped(rotation, (3, 3), "a rotation matrix")
    (xx, xy, xz), (yx, yy, yz), (zx, zy, zz) = (
        tuple(R[..., i, j] for j in range(3)) for i in range(3)
    )
    columns = np.stack(
        [
            np.stack([1 + xx + yy + zz, zy - yz, xz - zx, yx - xy], -1),
            np.stack([zy - yz, 1 + xx - yy - zz, xy + yx, xz + zx], -1),
            np.stack([xz - zx, xy + yx, 1 - xx + yy - zz, yz + zy], -1),
            np.stack([yx - xy, xz + zx, yz + zy, 1 - xx - yy + zz], -1),
        ],
        -2,
    )
    largest = np.argmax(np.diagonal(columns, axis1=-2, axis2=-1), axis=-1)
    best = np.take_along_axis(columns, largest[..., None, None], axis=-2)[..., 0, :]
    return upright(best / np.linalg.norm(best, axis=-1, keepdims=True))


def upright(q: ArrayLike) -> Array:
    """Return quaternions ``(..., 4)`` with this module's sign: first nonzero component positive."""
    wxyz = _shaped(q, (4,), "a quaternion")
    first = np.argmax(np.abs(wxyz) > ROUNDING, axis=-1)
    lead = np.take_along_axis(wxyz, first[..., None], axis=-1)
    return np.where(lead < 0.0, -wxyz, wxyz)


def rotation(q: ArrayLike) -> Array:
    """Return rotation matrices ``(..., 3, 3)`` of quaternions ``(..., 4)``, scalar first.

    Their length may be any but 0.

    Raises:
        InputError: if a quaternion is zero.
    """
    wxyz = _shaped(q, (4,), "a quaternion")
    length = np.linalg.norm(wxyz, axis=-1, keepdims=True)
    if not (length > 0.0).all():
        raise InputError("a quaternion of four zeros is no rotation; none at all is [1,0,0,0]")
    w, x, y, z = np.moveaxis(wxyz / length, -1, 0)
    return _matrix(
        [
            [1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)],
            [2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)],
            [2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)],
        ]
    )


def from_zyx(angles: ArrayLike) -> Array:
    """Return ``Rz(a) Ry(b) Rx(c)`` of ``(a, b, c)`` [rad], shape ``(..., 3)``.

    RAPID's ``OrientZYX(c_z, b_y, a_x)`` as a matrix.
    """
    (ca, cb, cc), (sa, sb, sc) = _cosines_and_sines(angles)
    return _matrix(
        [
            [ca * cb, ca * sb * sc - sa * cc, ca * sb * cc + sa * sc],
            [sa * cb, sa * sb * sc + ca * cc, sa * sb * cc - ca * sc],
            [-sb, cb * sc, cb * cc],
        ]
    )


def zyx(rotation: ArrayLike) -> Array:
    """Return ``(z, y, x)`` [rad] of matrices ``(..., 3, 3)``, RAPID's ``EulerZYX``.

    y is within -90..90 deg. At y = +-90 deg only z - x (or z + x) is determined; x is 0 there, by
    our choice.
    """
    R = _shaped(rotation, (3, 3), "a rotation matrix")
    size = np.hypot(R[..., 0, 0], R[..., 1, 0])
    locked = size < GIMBAL
    z = np.where(
        locked, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 0], R[..., 0, 0])
    )
    x = np.where(locked, 0.0, np.arctan2(R[..., 2, 1], R[..., 2, 2]))
    return np.stack([z, np.arctan2(-R[..., 2, 0], size), x], -1)


def from_zyz(angles: ArrayLike) -> Array:
    """Return ``Rz(a) Ry(b) Rz(c)`` of ``(a, b, c)`` [rad], shape ``(..., 3)``."""
    (ca, cb, cc), (sa, sb, sc) = _cosines_and_sines(angles)
    return _matrix(
        [
            [ca * cb * cc - sa * sc, -ca * cb * sc - sa * cc, ca * sb],
            [sa * cb * cc + ca * sc, -sa * cb * sc + ca * cc, sa * sb],
            [-sb * cc, sb * sc, cb],
        ]
    )


def zyz(rotation: ArrayLike) -> Array:
    """Return ``(a, b, c)`` [rad] with ``Rz(a) Ry(b) Rz(c)`` of matrices ``(..., 3, 3)``.

    b is within 0..180 deg. At b = 0 or 180 deg only a + c (or a - c) is determined; c is 0 there,
    by our choice.
    """
    R = _shaped(rotation, (3, 3), "a rotation matrix")
    size = np.hypot(R[..., 2, 0], R[..., 2, 1])
    locked = size < GIMBAL
    first = np.where(
        locked, np.arctan2(-R[..., 0, 1], R[..., 1, 1]), np.arctan2(R[..., 1, 2], R[..., 0, 2])
    )
    last = np.where(locked, 0.0, np.arctan2(R[..., 2, 1], -R[..., 2, 0]))
    return np.stack([first, np.arctan2(size, R[..., 2, 2]), last], -1)


def rotation_x(angle: float) -> Array:
    """Return the homogeneous rotation about x by ``angle`` [rad], shape ``(4, 4)``."""
    return _in_plane(1, 2, angle)


def rotation_y(angle: float) -> Array:
    """Return the homogeneous rotation about y by ``angle`` [rad], shape ``(4, 4)``."""
    return _in_plane(2, 0, angle)


def rotation_z(angle: float) -> Array:
    """Return the homogeneous rotation about z by ``angle`` [rad], shape ``(4, 4)``."""
    return _in_plane(0, 1, angle)


def translation(x: float, y: float, z: float) -> Array:
    """Return the homogeneous translation [m], shape ``(4, 4)``."""
    result = np.eye(4)
    result[:3, 3] = x, y, z
    return result


def _in_plane(i: int, j: int, angle: float) -> Array:
    """Return the homogeneous rotation from axis ``i`` towards axis ``j``."""
    result = np.eye(4)
    result[i, i] = result[j, j] = np.cos(angle)
    result[j, i] = np.sin(angle)
    result[i, j] = -result[j, i]
    return result


def _cosines_and_sines(angles: ArrayLike) -> tuple[Array, Array]:
    triples = np.moveaxis(_shaped(angles, (3,), "an Euler triple"), -1, 0)
    return np.cos(triples), np.sin(triples)


def _matrix(rows: list[list[Array]]) -> Array:
    return np.stack([np.stack(row, -1) for row in rows], -2)


def _shaped(value: ArrayLike, shape: tuple[int, ...], what: str) -> Array:
    try:
        array = np.asarray(value, dtype=float)
    except (TypeError, ValueError) as err:
        raise InputError(f"{what} is made of numbers: {err}") from None
    if array.shape[-len(shape) :] != shape:
        raise InputError(
            f"{what} has shape {(..., *shape)}, not {array.shape}".replace("Ellipsis", "...")
        )
    return array
