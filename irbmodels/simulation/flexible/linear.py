"""Linear models of elastic joints: S003 eq. 3.69 to 3.73 and section 3.3.2, corrected.

Printed are ``k (r theta_m - theta_a)`` on the motor, without the factor r, and ``-k/J_a`` in the
model with three states, which makes it unstable. Here both masses feel the same spring: its energy
is ``1/2 k (r theta_m - theta_a)^2``.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import as_instance, as_int, finite, numbers, positive
from ...errors import InputError, MissingData
from ...model.types import Array, ComplexArray
from ...robot.robot import Robot
from .drive import Drive, drives_of


class LinearModel(NamedTuple):
    """``x' = A x + B u``, ``y = C x + D u``, as ``scipy.signal.StateSpace(*model)`` takes it."""

    A: Array
    B: Array
    C: Array
    D: Array

    @property
    def poles(self) -> ComplexArray:
        """Eigenvalues of A [1/s], by their size, the lower of a pair first."""
        return _sorted(np.linalg.eigvals(self._matrices().A))

    @property
    def zeros(self) -> ComplexArray:
        """Invariant zeros [1/s] of a model with as many outputs as inputs, by their size.

        Raises:
            InputError: if there are more outputs than inputs, or fewer.
        """
        from scipy.linalg import eigvals

        A, B, C, D = self._matrices()
        states, inputs, outputs = len(A), B.shape[1], C.shape[0]
        if inputs != outputs:
            raise InputError(
                f"zeros need as many outputs as inputs; this model has {outputs} and {inputs}"
            )
        pencil = np.block([[A, B], [C, D]])
        mass = np.zeros_like(pencil)
        mass[:states, :states] = np.eye(states)
        alpha, beta = eigvals(pencil, mass, homogeneous_eigvals=True)
        # the others are infinite: beta is 0 but for rounding
        is_finite = np.abs(beta) > 1e-9 * np.abs(alpha)
        return _sorted(alpha[is_finite] / beta[is_finite])

    def response(self, frequency: ArrayLike) -> ComplexArray:
        """Frequency response at frequencies [Hz], shape ``(..., outputs, inputs)``.

        Raises:
            InputError: if a frequency is negative, not finite, or that of an undamped pole.
        """
        s = 2j * math.pi * as_frequencies(frequency)[..., None, None]
        A, B, C, D = self._matrices()
        return C @ solve(s * np.eye(len(A)) - A, B) + D

    def state_space(self) -> Any:
        """Return the model as ``scipy.signal.StateSpace``."""
        from scipy.signal import StateSpace

        return StateSpace(*self._matrices())

    def _matrices(self) -> LinearModel:
        """Return the four matrices as finite arrays whose shapes go together."""
        A, B, C, D = (
            finite(matrix, None, f"{name} of a linear model")
            for name, matrix in self._asdict().items()
        )
        shapes = [matrix.shape for matrix in (A, B, C, D)]
        n, m, p = len(np.atleast_1d(A)), B.shape[-1] if B.ndim else 0, len(np.atleast_1d(C))
        if shapes != [(n, n), (n, m), (p, n), (p, m)]:
            raise InputError(
                "A, B, C, D of a linear model need shapes (n, n), (n, m), (p, n), (p, m), got"
                f" {shapes}"
            )
        return LinearModel(A, B, C, D)


@dataclass(frozen=True)
class OneAxis:
    """Two-mass model of one axis, the others held: motor, spring and link, linear, without gravity.

    Raises:
        InputError: if the drive is rigid or its spring is not linear, or the inertia is not
            positive.
    """

    drive: Drive
    inertia: float
    """Of the link side of the axis [kg m^2], at one posture."""

    def __post_init__(self) -> None:
        """Check that there are two masses and a linear spring."""
        if not isinstance(self.drive, Drive) or not self.drive.elastic:
            raise InputError("a one-axis model needs a Drive with a finite stiffness")
        if self.drive.backlash or self.drive.hardening:
            raise InputError(
                "a one-axis model is linear: its drive has neither backlash nor hardening"
            )
        positive(self.inertia, "the inertia of the link [kg m^2]")

    @property
    def antiresonance(self) -> float:
        """Frequency at which the link swings against a still motor, without damping [Hz]."""
        return math.sqrt(self.drive.stiffness / self.inertia) / (2.0 * math.pi)

    @property
    def resonance(self) -> float:
        """Frequency at which motor and link swing against each other, without damping [Hz]."""
        both = 1.0 / self.inertia + 1.0 / self.drive.reflected_inertia
        return math.sqrt(self.drive.stiffness * both) / (2.0 * math.pi)

    def four_states(self) -> LinearModel:
        """S003 eq. 3.71 to 3.73: ``x = theta_m, theta_m', theta_a, theta_a'`` [rad, rad/s].

        The input is the torque of the motor [N m], the output its angle, both on the motor side;
        ``theta_a`` is the angle of the link.
        """
        Jm, Ja, k, d, fm, fa, r = self._numbers()
        A = [
            [0.0, 1.0, 0.0, 0.0],
            [-k * r * r / Jm, -(fm + d * r * r) / Jm, k * r / Jm, d * r / Jm],
            [0.0, 0.0, 0.0, 1.0],
            [k * r / Ja, d * r / Ja, -k / Ja, -(fa + d) / Ja],
        ]
        return _model(A, [0.0, 1.0 / Jm, 0.0, 0.0], [1.0, 0.0, 0.0, 0.0])

    def three_states(self) -> LinearModel:
        """S003 section 3.3.2: ``x = theta_m', theta_a', r theta_m - theta_a``.

        The output is the speed of the motor [rad/s]. Of the four states only these three are
        observable from it.
        """
        Jm, Ja, k, d, fm, fa, r = self._numbers()
        A = [
            [-(fm + d * r * r) / Jm, d * r / Jm, -k * r / Jm],
            [d * r / Ja, -(fa + d) / Ja, k / Ja],
            [r, -1.0, 0.0],
        ]
        return _model(A, [1.0 / Jm, 0.0, 0.0], [1.0, 0.0, 0.0])

    def _numbers(self) -> tuple[float, ...]:
        drive = self.drive
        return (
            drive.rotor_inertia,
            self.inertia,
            drive.stiffness,
            drive.damping,
            drive.viscous,
            drive.bearing,
            1.0 / drive.gear_ratio,
        )


def identified(robot: Robot, axis: int = 1) -> OneAxis:
    """Return the published two-mass model of an axis at its posture: S003 Table 3.1 (IRB 1400).

    Raises:
        InputError: if there is no such axis.
        MissingData: if the tables have no such model.
    """
    as_instance(robot, Robot, "a model is one of an irbmodels.Robot")
    as_int(axis, f"an axis of {robot.name}", 1, robot.n)
    row = robot.description.drives.axes.get(f"axis_{axis}") if robot.description else None
    load = None if row is None else row.load_inertia_kg_m2
    drive = None if load is None else drives_of(robot)[axis - 1]
    if drive is None or load is None or not drive.elastic:
        raise MissingData(
            f"{robot.name}: no two-mass model of axis {axis} is published; give"
            " OneAxis(Drive(...), inertia)"
        )
    return OneAxis(drive, load)


def _model(A: list[list[float]], B: list[float], C: list[float]) -> LinearModel:
    return LinearModel(np.array(A), np.array(B)[:, None], np.array(C)[None], np.zeros((1, 1)))


def _sorted(roots: NDArray[Any]) -> ComplexArray:
    roots = np.asarray(roots, dtype=complex)
    return roots[np.lexsort((roots.imag, np.round(np.abs(roots), 9)))]


def solve(matrices: NDArray[Any], right: Array) -> ComplexArray:
    """Return ``matrices^-1 right``.

    Raises:
        InputError: if one is singular.
    """
    try:
        return np.asarray(np.linalg.solve(matrices, right), dtype=complex)
    except np.linalg.LinAlgError:
        raise InputError(
            "an undamped mode has one of these frequencies: there the response has no bound"
        ) from None


def as_frequencies(frequency: ArrayLike) -> Array:
    """Return frequencies [Hz] as an array.

    Raises:
        InputError: if one is negative or not finite.
    """
    f = numbers(frequency, "frequencies [Hz]")
    if not (np.isfinite(f) & (f >= 0.0)).all():
        raise InputError("frequencies [Hz] must be finite and not negative")
    return f
