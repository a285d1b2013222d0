import numpy as np
import pinocchio as pin

from irbmodels.identification.fits.pseudo import (
    frame_change,
    inertial_of,
    parameters_of,
    pseudo_inertia,
)


def points(seed=0):
    """A body of a few point masses: masses ``(8,)`` and places ``(8, 3)``."""
    rng = np.random.default_rng(seed)
    return rng.uniform(0.5, 2.0, 8), rng.normal(size=(8, 3))


def parameters(masses, places):
    """The ten parameters by their definition, in Pinocchio's order."""
    tensor = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, places, strict=True)
    )
    entries = [tensor[i, j] for i, j in ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))]
    return np.array([masses.sum(), *(masses @ places), *entries])


def test_pseudo_inertia_is_the_second_moment_of_homogeneous_places():
    """``J = sum m [r 1]' [r 1]``, and its ten numbers come back."""
    masses, places = points()
    homogeneous = np.column_stack([places, np.ones(8)])
    J = (masses[:, None] * homogeneous).T @ homogeneous
    np.testing.assert_allclose(
        pseudo_inertia(parameters(masses, places)), J, rtol=1e-12, atol=1e-13
    )
    np.testing.assert_allclose(parameters_of(J), parameters(masses, places), rtol=1e-12, atol=1e-13)


def test_moving_is_moving_the_points():
    """The matrix of a pose gives the parameters of the moved body."""
    masses, places = points()
    pose = pin.SE3(pin.rpy.rpyToMatrix(0.3, -1.1, 2.0), np.array([0.1, 0.7, -0.4]))
    moved = places @ pose.rotation.T + pose.translation
    np.testing.assert_allclose(
        frame_change(pose.homogeneous) @ parameters(masses, places),
        parameters(masses, moved),
        rtol=1e-12,
        atol=1e-12,
    )


def test_inertial_is_about_the_centre():
    """Mass, centre and tensor about it are Pinocchio's."""
    ten = parameters(*points())
    expected, actual = pin.Inertia.FromDynamicParameters(ten), inertial_of(ten)
    assert actual.mass == expected.mass
    np.testing.assert_allclose(actual.com, expected.lever, rtol=1e-12)
    np.testing.assert_allclose(actual.tensor, expected.inertia, rtol=1e-12, atol=1e-13)
