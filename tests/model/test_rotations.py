"""Rotations both ways, at the places where formulas lose digits."""

import itertools

import numpy as np
import pytest
from grouped import together
from scipy.spatial.transform import Rotation

from irbmodels import InputError
from irbmodels.model.rotations import (
    from_zyx,
    from_zyz,
    quaternion,
    rotation,
    rotation_x,
    rotation_y,
    rotation_z,
    translation,
    upright,
    zyx,
    zyz,
)

RNG = np.random.default_rng(7)


def about(axis, angle):
    """Rodrigues' formula, which shares nothing with the module."""
    x, y, z = axis = np.asarray(axis) / np.linalg.norm(axis)
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1 - np.cos(angle)) * K @ K


def unit(n):
    q = RNG.normal(size=(n, 4))
    return q / np.linalg.norm(q, axis=1, keepdims=True)


def test_there_and_back_for_arrays():
    """Quaternion to matrix to quaternion is the same up to sign, to rounding, for any leading
    axes.
    """
    q = upright(unit(3000)).reshape(10, 300, 4)
    np.testing.assert_allclose(quaternion(rotation(q)), q, atol=1e-15)
    np.testing.assert_allclose(
        rotation(q[0, 0]), Rotation.from_quat(q[0, 0][[1, 2, 3, 0]]).as_matrix(), atol=1e-15
    )


@together(
    "angle", [np.pi, np.pi - 1e-13, np.pi - 1e-9, np.pi - 1e-5, np.pi + 1e-9, 1e-9, 1e-5, 0.0, 2.0]
)
def test_quaternion_at_and_near_half_a_turn(angle):
    """About random axes, and those with one or two components zero, every digit is there."""
    axes = [
        *RNG.normal(size=(200, 3)),
        *(a for a in itertools.product((-1.0, 0.0, 1.0), repeat=3) if any(a)),
    ]
    axes += [[1.0, 1e-7, 0.0], [1e-9, 0.0, -1.0]]
    for axis in axes:
        R = about(axis, angle)
        q = quaternion(R)
        assert abs(np.linalg.norm(q) - 1.0) < 1e-15
        np.testing.assert_allclose(rotation(q), R, atol=4e-15)
        exact = np.concatenate(
            [[np.cos(angle / 2)], np.sin(angle / 2) * np.asarray(axis) / np.linalg.norm(axis)]
        )
        assert min(abs(q - exact).max(), abs(q + exact).max()) < 1e-15


def test_sign_is_that_of_the_first_nonzero_component():
    """All 80 sign patterns give one answer; rounding below 1e-12 is no sign."""
    for signs in itertools.product((-1.0, 0.0, 1.0), repeat=4):
        if any(signs):
            q = np.array(signs) / np.linalg.norm(signs)
            actual = quaternion(rotation(q))
            assert actual[np.flatnonzero(np.abs(actual) > 1e-12)[0]] > 0.0
            np.testing.assert_allclose(actual, upright(q), atol=1e-15)
    np.testing.assert_array_equal(upright([-1e-17, 0.6, -0.8, 0.0]), [-1e-17, 0.6, -0.8, 0.0])
    np.testing.assert_array_equal(upright([1e-17, -0.6, 0.8, 0.0]), [-1e-17, 0.6, -0.8, 0.0])


def test_s003_with_its_errata_is_the_same():
    """S003 eq. 2.16-2.22 with r31 + r13 in 2.19, sign(0) = 1 in 2.20 and k''' in 2.22; printed,
    they are not (ERRATA A2 4-6).
    """

    def paper(R, corrected):
        s = 0.5 * np.sqrt(max(np.trace(R) + 1.0, 0.0))
        single = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
        double = np.array(
            [
                R[0, 0] - R[1, 1] - R[2, 2] + 1,
                R[1, 0] + R[0, 1],
                (R[2, 0] if corrected else R[1, 2]) + R[0, 2],
            ]
        )
        triple = single + (1.0 if single[0] >= 0 else -1.0) * double
        k = triple if corrected else double
        return np.concatenate([[s], np.sqrt(max(1 - s * s, 0.0)) * k / np.linalg.norm(k)])

    rotations = [R for R in rotation(unit(3000)) if R[0, 0] > max(R[1, 1], R[2, 2])]
    right = [
        [abs(paper(R, way) - quaternion(R)).max() < 1e-6 for R in rotations]
        for way in (True, False)
    ]
    assert all(right[0])
    assert not any(right[1])


@pytest.mark.parametrize(
    ("there", "back", "sequence"), [(from_zyx, zyx, "ZYX"), (from_zyz, zyz, "ZYZ")]
)
def test_euler_both_ways(there, back, sequence):
    """Angles to matrix as scipy has it, and back to the same matrix, gimbal included; away from it
    to the same angles.
    """
    angles = RNG.uniform(-np.pi, np.pi, (2000, 3))
    middle = (-np.pi / 2, np.pi / 2) if sequence == "ZYX" else (0.0, np.pi)
    angles[:, 1] = RNG.uniform(*middle, 2000)
    R = there(angles)
    np.testing.assert_allclose(R, Rotation.from_euler(sequence, angles).as_matrix(), atol=1e-15)
    np.testing.assert_allclose(there(back(R)), R, atol=1e-14)
    inside = (angles[:, 1] > middle[0] + 0.01) & (angles[:, 1] < middle[1] - 0.01)
    np.testing.assert_allclose(back(R)[inside], angles[inside], atol=1e-13)
    for edge, off in itertools.product(middle, (0.0, 1e-16, 1e-12, 1e-9, 1e-7, 1e-3)):
        locked = RNG.uniform(-np.pi, np.pi, (50, 3))
        locked[:, 1] = edge + np.where(edge == middle[0], off, -off)
        actual = back(there(locked))
        np.testing.assert_allclose(there(actual), there(locked), atol=3e-8)
        if off < 1e-9:
            assert not actual[:, 2].any()
        np.testing.assert_allclose(actual[:, 1], locked[:, 1], atol=2e-8)


def test_zyx_is_rapids():
    """OrientZYX(90, 0, 0) turns about z; z first, then the new y, then the new x."""
    c = np.sqrt(0.5)
    np.testing.assert_allclose(
        quaternion(from_zyx(np.radians([90, 0, 0]))), [c, 0, 0, c], atol=1e-15
    )
    np.testing.assert_allclose(
        quaternion(from_zyx(np.radians([0, 90, 0]))), [c, 0, c, 0], atol=1e-15
    )
    np.testing.assert_allclose(
        quaternion(from_zyx(np.radians([0, 0, 90]))), [c, c, 0, 0], atol=1e-15
    )
    np.testing.assert_allclose(
        from_zyx([0.3, 0.2, 0.1]),
        about([0, 0, 1], 0.3) @ about([0, 1, 0], 0.2) @ about([1, 0, 0], 0.1),
    )


def test_what_is_no_rotation_is_refused():
    """Zeros, wrong shapes and texts say so."""
    with pytest.raises(InputError, match="four zeros"):
        rotation([0, 0, 0, 0])
    with pytest.raises(InputError, match=r"quaternion has shape \(\.\.\., 4\), not \(3,\)"):
        rotation([1, 0, 0])
    with pytest.raises(InputError, match=r"matrix has shape \(\.\.\., 3, 3\)"):
        quaternion(np.eye(4))
    with pytest.raises(InputError, match="numbers"):
        from_zyx("abc")


def test_elementary_transforms():
    """Rotations about one axis are right-handed; homogeneous ones keep the origin, translations
    move it.
    """
    for angle in RNG.uniform(-4.0, 4.0, 20):
        for rotate, axis in zip((rotation_x, rotation_y, rotation_z), np.eye(3), strict=True):
            pose = rotate(angle)
            np.testing.assert_allclose(pose[:3, :3], about(axis, angle), rtol=0, atol=1e-15)
            np.testing.assert_array_equal(pose[3] + pose[:, 3], [0, 0, 0, 2])
    np.testing.assert_array_equal(translation(1, 2, 3) @ [0, 0, 0, 1], [1, 2, 3, 1])
