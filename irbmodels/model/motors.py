"""Motor side of the gearboxes: a constant map from axes to motors by gear ratios.

A wrist may couple its axes.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import nan_for_infinity, numbers, short_repr
from ..errors import InputError
from .equality import ByValue
from .types import Array, Mask


@dataclass(frozen=True, eq=False)
class Motors(ByValue):
    """``q_m = N q``, ``v_m = N v``, ``tau = N' tau_m``; arrays of shape ``(..., n)``.

    Results for unknown motors are NaN, never 0.

    Made from gear ratios ``(n,)``, or from the full matrix ``(n, n)`` of a coupled wrist; NaN where
    unknown.

    Raises:
        InputError: if the shape is wrong, a known gear ratio is 0, or a known motor is coupled to
            an unknown one.
    """

    N: Array
    """``(n, n)``, turns of motor i per turn of axis j; the row of an unknown motor is NaN."""

    def __post_init__(self) -> None:
        """Make the matrix, check it, and make it read-only."""
        values = numbers(self.N, "the matrix of gear ratios")
        matrix = np.diag(values) if values.ndim == 1 else values
        if matrix.ndim != 2 or matrix.shape[0] != matrix.shape[1] or np.isinf(matrix).any():
            raise InputError(
                "gear ratios need shape (n,) or (n, n) and finite numbers (NaN: unknown), got"
                f" {values.shape}"
            )
        matrix.setflags(write=False)
        object.__setattr__(self, "N", matrix)
        known = self.known
        if known.any() and np.linalg.matrix_rank(matrix[np.ix_(known, known)]) < np.count_nonzero(
            known
        ):
            raise InputError("gear ratios must not be 0: the motors would not turn their axes")
        if matrix[np.ix_(known, ~known)].any():
            raise InputError(
                "a motor with a known gear is coupled to an axis whose gear is unknown"
            )

    @property
    def known(self) -> Mask:
        """True for motors whose gear is known, shape ``(n,)``."""
        return np.asarray(np.isfinite(self.N).all(axis=1), dtype=bool)

    def position(self, q: ArrayLike) -> Array:
        """Motor positions [rad] at axis positions [rad, m]; zero where the axes are zero."""
        return self._at_motors(self._shaped(q, "axis positions"))

    def velocity(self, v: ArrayLike) -> Array:
        """Motor speeds [rad/s] at axis speeds [rad/s, m/s]."""
        return self._at_motors(self._shaped(v, "axis speeds"))

    def torque(self, tau: ArrayLike) -> Array:
        """Motor torques [N m] that give axis torques [N m, N], without losses in the gears."""
        known, axes = self.known, self._shaped(tau, "axis torques")
        result = np.full(axes.shape, np.nan)
        inner = self.N[np.ix_(known, known)]
        if known.any():
            result[..., known] = np.linalg.solve(inner.T, axes[..., known, None])[..., 0]
        return result

    def axis_position(self, q_m: ArrayLike) -> Array:
        """Axis positions [rad, m] at motor positions [rad]."""
        return self._at_axes(self._shaped(q_m, "motor positions"))

    def axis_velocity(self, v_m: ArrayLike) -> Array:
        """Axis speeds [rad/s, m/s] at motor speeds [rad/s]."""
        return self._at_axes(self._shaped(v_m, "motor speeds"))

    def axis_torque(self, tau_m: ArrayLike) -> Array:
        """Axis torques [N m, N] that motor torques [N m] give."""
        known, motors = self.known, self._shaped(tau_m, "motor torques")
        result = np.full(motors.shape, np.nan)
        result[..., known] = motors[..., known] @ self.N[np.ix_(known, known)]
        return result

    def reflected(self, rotors: ArrayLike) -> Array:
        """Return rotor inertias on the arm side, ``J_i N_ii^2`` [kg m^2], shape ``(n,)``.

        Args:
            rotors: Inertias on the motor side [kg m^2], shape ``(n,)``; 0 where unknown.
        """
        ratios = np.where(self.known, np.diagonal(self.N), 0.0)
        return np.asarray(self._shaped(rotors, "rotor inertias") * ratios**2)

    @property
    def drive_axes(self) -> Array:
        """Rows of ``N`` in turns of their own axis, shape ``(n, n)``; of unknown motors identity.

        It is what ``robot.with_drives`` takes.

        Raises:
            InputError: if a motor does not turn with its own axis.
        """
        diagonal = np.where(self.known, np.diagonal(self.N), 1.0)
        if not diagonal.all():
            motor = int(np.flatnonzero(diagonal == 0.0)[0]) + 1
            raise InputError(f"motor {motor} does not turn with axis {motor}: its gear ratio is 0")
        return np.where(self.known[:, None], self.N / diagonal[:, None], np.eye(len(diagonal)))

    def _shaped(self, values: ArrayLike, what: str) -> Array:
        n = self.N.shape[0]
        array = numbers(values, f"an array of {what}")
        if array.shape[-1:] != (n,):
            raise InputError(
                f"{what} need shape ({n},) or (..., {n}) and numbers, got {short_repr(values)}"
            )
        return nan_for_infinity(array)

    def _at_motors(self, axes: Array) -> Array:
        result = np.full(axes.shape, np.nan)
        result[..., self.known] = axes @ self.N[self.known].T
        return result

    def _at_axes(self, motors: Array) -> Array:
        known = self.known
        result = np.full(motors.shape, np.nan)
        if known.any():
            result[..., known] = np.linalg.solve(
                self.N[np.ix_(known, known)], motors[..., known, None]
            )[..., 0]
        return result
