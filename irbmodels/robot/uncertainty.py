"""Uncertainty of an identified set of parameters, as files of sets keep it.

Torques are ``Y beta`` in base parameters; their covariance is ``Y C Y'``, that of a measurement
adds the variance of the residuals. Tool, payload and gravity are known beside it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import InputError, TableError
from ..model.model import GRAVITY
from ..model.types import Array
from ..tables.overlays import Identified


@dataclass(frozen=True, eq=False, kw_only=True)
class ParameterUncertainty:
    """Covariance of the base parameters of a set, and the noise of the torques it came from."""

    names: tuple[str, ...]
    """Base parameters, each begins with its own column of the regressor (``mx_2 + 0.7 m_3``).

    Behind them parameters in which friction is not linear, such as ``v_St_3``.
    """
    factor: Array
    """Lower triangular ``L`` of the covariance ``L L'`` [SI], shape ``(p, p)``."""
    degrees: float
    """Of freedom of the covariance (Student's t)."""
    axes: tuple[int, ...]
    """Axes that were identified, 0-based."""
    noise: Array
    """Standard deviation of the residuals of these axes [N m, N], shape ``(size,)``."""
    correlation_time: Array
    """Of the residuals [s]: one sample of white noise, shape ``(size,)``."""
    gravity: Array = field(default_factory=lambda: GRAVITY)
    """While it was identified [m/s^2], in axes of the base."""
    held: Array | None = None
    """Positions of the axes that were not identified [rad, m], ``(n,)``; None if all were."""

    @classmethod
    def of(cls, covariance: Array, **others: Any) -> ParameterUncertainty:
        """Return the uncertainty of a covariance ``(p, p)``, which may be singular."""
        size = np.sqrt(np.maximum(np.diagonal(covariance), 0.0))
        scale = np.where(size > 0.0, size, 1.0)
        values, vectors = np.linalg.eigh(covariance / np.outer(scale, scale))
        root = scale[:, None] * vectors * np.sqrt(np.maximum(values, 0.0))
        upper: Array = np.asarray(np.linalg.qr(root.T, mode="r"), dtype=float)
        return cls(factor=upper.T, **others)

    @property
    def covariance(self) -> Array:
        """Of the parameters in the order of ``names``, shape ``(p, p)``."""
        return self.factor @ self.factor.T

    def half_width(self, spread: Array, level: float, noise: bool) -> Array:
        """Return half the band of torques, shape ``(..., size)``.

        Args:
            spread: Derivatives of the torques by the parameters times :attr:`factor`, shape
                ``(..., size, p)``.
            level: Confidence.
            noise: True for the band of a measurement.

        Raises:
            InputError: if the level does not lie between 0 and 1.
        """
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        variance = np.einsum("...p,...p->...", spread, spread)
        if noise:
            variance = variance + np.square(self.noise)
        return np.asarray(stdtrit(self.degrees, 0.5 + 0.5 * level) * np.sqrt(variance), dtype=float)


def uncertainty_of_record(record: Identified | None, file: Path) -> ParameterUncertainty | None:
    """Return the uncertainty that a file of a set states, None if it states none.

    Raises:
        TableError: if its numbers do not fit together.
    """
    row = None if record is None else record.uncertainty
    if record is None or row is None:
        return None
    p, size = len(record.sums), len(row.axes)
    for name, fits, right in (
        (
            "covariance_factor",
            [len(line) for line in row.covariance_factor] == list(range(1, p + 1)),
            f"rows of 1 to {p} numbers, one per sum",
        ),
        ("noise", len(row.noise) == size, f"{size} numbers, one per axis of axes"),
        (
            "correlation_time_s",
            len(row.correlation_time_s) == size,
            f"{size} numbers, one per axis of axes",
        ),
        ("degrees", row.degrees > 0.0, "a positive number"),
        (
            "axes",
            bool(row.axes) and all(a < b for a, b in zip((0, *row.axes), row.axes, strict=False)),
            "numbers of axes from 1, growing",
        ),
    ):
        if not fits:
            raise TableError(file, f"identified.uncertainty.{name}", f"needs {right}")
    factor = np.zeros((p, p))
    factor[np.tril_indices(p)] = [number for line in row.covariance_factor for number in line]
    return ParameterUncertainty(
        names=tuple(record.sums),
        factor=factor,
        degrees=row.degrees,
        axes=tuple(axis - 1 for axis in row.axes),
        noise=np.array(row.noise),
        correlation_time=np.array(row.correlation_time_s),
        gravity=np.array(row.gravity_m_s2),
        held=None if row.held is None else np.array(row.held),
    )


def record_of_uncertainty(uncertainty: ParameterUncertainty) -> dict[str, Any]:
    """Return the key ``identified.uncertainty`` of a file of a set, for its sums in their order."""
    held = uncertainty.held
    return {
        "axes": [axis + 1 for axis in uncertainty.axes],
        "degrees": _rounded(uncertainty.degrees),
        "noise": [_rounded(value) for value in uncertainty.noise],
        "correlation_time_s": [_rounded(value) for value in uncertainty.correlation_time],
        "gravity_m_s2": uncertainty.gravity.tolist(),
        "covariance_factor": [
            [_rounded(value) for value in row[: i + 1]] for i, row in enumerate(uncertainty.factor)
        ],
    } | ({} if held is None else {"held": held.tolist()})


def _rounded(value: float) -> float:
    """Return a number with the digits that a file keeps: bands are right to a thousandth."""
    return float(f"{value:.6g}")
