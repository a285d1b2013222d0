"""Mass, centre of mass and tensor of one body, and the physical limits of the three."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from grouped import together

from irbmodels.model.inertia import DENSEST, Inertial


def cloud(rng: np.random.Generator, count: int = 30) -> tuple[np.ndarray, np.ndarray]:
    """Return masses and places of points: a body whose every number follows by summing."""
    return rng.uniform(0.1, 1.0, count), rng.normal(
        scale=[0.3, 0.2, 0.1], size=(count, 3)
    ) + np.array([0.2, -0.1, 0.4])


def summed(masses: np.ndarray, places: np.ndarray) -> Inertial:
    """Return the body of the points: tensor entries are -sum m x y."""
    total = masses.sum()
    com = masses @ places / total
    offsets = places - com
    tensor = sum(
        m * (r @ r * np.eye(3) - np.outer(r, r)) for m, r in zip(masses, offsets, strict=True)
    )
    return Inertial.of(total, com, tensor)


def same(one: Inertial, other: Inertial) -> None:
    """Compare two bodies to rounding."""
    np.testing.assert_allclose(one.mass, other.mass, rtol=1e-13)
    np.testing.assert_allclose(one.com, other.com, rtol=0, atol=1e-13)
    np.testing.assert_allclose(one.tensor, other.tensor, rtol=0, atol=1e-12)


def test_covariance_is_the_second_moment_of_mass():
    """The covariance is int r r' dm about the centre, here summed over a cloud of points."""
    masses, places = cloud(np.random.default_rng(0))
    offsets = places - masses @ places / masses.sum()
    np.testing.assert_allclose(
        summed(masses, places).covariance(), (offsets.T * masses) @ offsets, atol=1e-12
    )


def test_moved_body_is_the_moved_cloud():
    """Turning and shifting every point turns and shifts centre and tensor."""
    masses, places = cloud(np.random.default_rng(1))
    turn, shift = (
        (oracles.rotation(0, 0.3) @ oracles.rotation(1, -1.2) @ oracles.rotation(2, 2.0))[:3, :3],
        np.array([1, -2, 3]),
    )
    same(summed(masses, places).moved(turn, shift), summed(masses, places @ turn.T + shift))


def test_stretched_body_is_the_stretched_cloud():
    """Stretching the shape along the frame's axes moves every point; mass grows with the volume and
    the density.
    """
    masses, places = cloud(np.random.default_rng(2))
    factors = np.array([1.5, 0.7, 2.0])
    same(
        summed(masses, places).stretched(factors, density=0.4),
        summed(0.4 * 2.1 * masses, factors * places),
    )


@together(
    "mass, diagonal, reasons",
    [
        (10.0, (0.3, 0.4, 0.5), []),
        (10.0, (0.3, 0.4, 0.7), []),  # a flat body is the limit of the triangle inequality
        (10.0, (0.3, 0.4, 0.71), ["triangle inequality"]),
        (10.0, (0.3, -0.4, 0.5), ["not positive definite", "triangle inequality"]),
        (10.0, (0.0, 0.4, 0.4), ["not positive definite"]),
        (-1.0, (0.3, 0.4, 0.5), ["mass -1 kg is not positive"]),
        (0.0, (0.3, 0.4, 0.5), ["mass 0 kg is not positive"]),
        (0.0, (0.0, 0.0, 0.0), []),  # a frame without a body
        (100.0, (0.1, 0.1, 0.1), ["below that of a lead ball"]),
    ],
)
def test_impossible_bodies_say_why(mass, diagonal, reasons):
    """A body is possible when mass is positive and principal moments are positive, triangular and
    not too small.
    """
    turn = (oracles.rotation(0, 0.3) @ oracles.rotation(2, 2.0))[:3, :3]
    for tensor in (np.diag(diagonal), turn @ np.diag(diagonal) @ turn.T):
        actual = Inertial.of(mass, np.zeros(3), tensor).impossibilities()
        assert len(actual) == len(reasons)
        for text, reason in zip(actual, reasons, strict=True):
            assert reason in text


def test_densest_body_is_a_ball_of_lead():
    """A ball of lead is possible; the same mass in a ball 1 % smaller is not."""
    mass = 5.0
    radius = (3 * mass / (4 * np.pi * DENSEST)) ** (1 / 3)
    for scale, count in ((1.001, 0), (0.99, 1)):
        tensor = 0.4 * mass * (scale * radius) ** 2 * np.eye(3)
        assert len(Inertial.of(mass, np.zeros(3), tensor).impossibilities()) == count


def test_products_alone_can_make_a_body_impossible():
    """Off-diagonals count: |Ixy| above sqrt(Ixx Iyy) is no body (Tab. 3, link 2)."""
    tensor = np.array(
        [[0.23517, 0.58498, 0.22733], [0.58498, 1.22338, 0.56479], [0.22733, 0.56479, 1.16539]]
    )
    assert "not positive definite" in Inertial.of(26.5, np.zeros(3), tensor).impossibilities()[0]


def test_arrays_are_copies_and_read_only():
    """A body keeps its numbers, whatever happens to the caller's arrays."""
    com, tensor = np.ones(3), np.eye(3)
    body = Inertial.of(1.0, com, tensor)
    com[:] = tensor[:] = 7.0
    np.testing.assert_array_equal(body.com, np.ones(3))
    np.testing.assert_array_equal(body.tensor, np.eye(3))
    for array in (body.com, body.tensor):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0
