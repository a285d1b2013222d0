"""Mass, centre of mass and inertia tensor of one body, and whether a body could have them."""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import numbers
from .types import Array

DENSEST = 11_340.0  # [kg/m^3] lead: no machine part on average is denser
ROUNDING = 1e-12  # relative slack for eigenvalues of a tensor typed with finitely many digits
# least second moment over the largest: survives any printing and MuJoCo's own eigenvalues
MARGIN = 1e-6
LEAST = 1e-13  # [kg m^2] least second moment: MuJoCo refuses principal moments below 1e-14


class Inertial(NamedTuple):
    """Mass [kg], centre of mass [m] and tensor about it [kg m^2], in the axes of one stated frame.

    Off-diagonals are tensor entries, ``I_xy = -int x y dm``, as in URDF and Pinocchio.
    """

    mass: float
    com: Array
    tensor: Array

    @staticmethod
    def of(mass: float, com: ArrayLike, tensor: ArrayLike) -> Inertial:
        """Return an inertial with read-only arrays; ``tensor`` is ``(3, 3)``."""
        centre, matrix = (
            numbers(com, "a centre of mass [m]"),
            numbers(tensor, "a tensor of inertia [kg m^2]"),
        )
        centre.setflags(write=False)
        matrix.setflags(write=False)
        return Inertial(float(mass), centre, matrix)

    def covariance(self) -> Array:
        """Second moments of mass about the centre, ``int r r' dm`` [kg m^2], shape ``(3, 3)``.

        Positive semidefinite exactly when the tensor obeys the triangle inequality [Wensing2018].
        """
        return 0.5 * float(np.trace(self.tensor)) * np.eye(3) - self.tensor

    def moved(self, rotation: ArrayLike, translation: ArrayLike) -> Inertial:
        """Return the same body in another frame, whose pose ``new_from_old`` is given."""
        R = np.asarray(rotation, dtype=float)
        return Inertial.of(self.mass, R @ self.com + np.asarray(translation), R @ self.tensor @ R.T)

    def stretched(self, factors: ArrayLike, density: float = 1.0) -> Inertial:
        """Return the body with its shape scaled along the frame's axes, and its density scaled.

        The result of a possible body is a possible body: the covariance of mass maps to ``S P S``.
        """
        stretch = np.asarray(factors, dtype=float)
        growth = density * float(np.prod(stretch))
        covariance = growth * stretch[:, None] * self.covariance() * stretch[None, :]
        tensor = float(np.trace(covariance)) * np.eye(3) - covariance
        return Inertial.of(self.mass * growth, stretch * self.com, tensor)

    def impossibilities(self) -> list[str]:
        """Return why no body can have these numbers; empty when one can."""
        if self.mass == 0.0 and not self.tensor.any():
            return []  # a frame without a body
        if self.mass <= 0.0:
            return [f"mass {self.mass:g} kg is not positive"]
        low, middle, high = moments_of(self.tensor)
        problems = []
        if low <= ROUNDING * high:
            problems.append(
                f"tensor is not positive definite (principal moments {low:.3g}, {middle:.3g},"
                f" {high:.3g} kg m^2)"
            )
        if high > (low + middle) * (1.0 + ROUNDING):
            problems.append(
                f"principal moments break the triangle inequality ({high:.3g} > {low:.3g} +"
                f" {middle:.3g} kg m^2)"
            )
        if self.is_too_dense():
            trace, ball = low + middle + high, 6.0 * ball_moment(self.mass)
            problems.append(
                f"trace {trace:.3g} kg m^2 is below that of a lead ball of {self.mass:g} kg"
                f" ({ball:.3g})"
            )
        return problems

    def is_too_dense(self) -> bool:
        """Return whether the trace of the tensor is below that of a lead ball of this mass."""
        # each moment of inertia is the sum of two second moments
        ball = 6.0 * ball_moment(self.mass)
        return float(np.trace(self.tensor)) < ball * (1.0 - ROUNDING)

    def nearest_possible(self) -> Inertial:
        """Return the body of positive mass with the nearest possible tensor in the Frobenius norm.

        Mass and centre stay. Each second moment about the centre is at least ``MARGIN`` of the
        largest, and their sum that of a lead ball of that mass. Where none exceeds those of the
        ball, the tensor does not determine a body, and the ball is the nearest one.
        """
        moments, axes = np.linalg.eigh(self.covariance())
        ball, largest = ball_moment(self.mass), float(moments[-1])
        least = max(LEAST, ball if largest <= ball else MARGIN * largest)
        raised = np.maximum(moments, least)
        # the smallest stay at the least, the others rise alike
        for held in range(3 if float(raised.sum()) < 3.0 * ball else 0):
            lift = (3.0 * ball - held * least - float(moments[held:].sum())) / (3 - held)
            if moments[held] + lift >= least:
                raised = np.concatenate([np.full(held, least), moments[held:] + lift])
                break
        covariance = axes @ np.diag(raised) @ axes.T
        return Inertial.of(
            self.mass, self.com, float(np.trace(covariance)) * np.eye(3) - covariance
        )


def moments_of(tensor: Array) -> tuple[float, float, float]:
    """Principal moments [kg m^2], ascending."""
    low, middle, high = np.linalg.eigvalsh(tensor).tolist()
    return low, middle, high


def is_possible(moments: tuple[float, float, float]) -> bool:
    """Return whether principal moments are positive and obey the triangle inequality."""
    low, middle, high = moments
    return low > ROUNDING * high and high <= (low + middle) * (1.0 + ROUNDING)


def ball_moment(mass: float) -> float:
    """Second moment of a lead ball about each axis, ``m r^2 / 5`` [kg m^2].

    No machine part of that mass is as compact.
    """
    return 0.2 * mass * math.pow(3.0 * mass / (4.0 * math.pi * DENSEST), 2.0 / 3.0)


def gyration(body: Inertial) -> float:
    """Radius of gyration about the centre [m]: root mean square distance of the mass from it."""
    return math.sqrt(max(float(np.trace(body.tensor)), 0.0) / (2.0 * body.mass))
