"""Share of the gains of currents in the covariance of parameters that were fitted to torques.

A gain that is off by a share ``e`` makes every torque of its drive off by as much: estimates move
by ``A^-1 sum Y' W D' u_i e``, ``u_i`` being the torque of the drive alone. No residual shows it.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace
from functools import partial

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...trajectory import Motion
from .accumulator import Equations, without_masked
from .regression import Fit, invert_factor
from .streaming import Samples


@dataclass(frozen=True, eq=False)
class _Sum:
    """``sum Y' W D' u_i`` of each drive, shape ``(p, size)``."""

    total: Array

    def merge(self, other: _Sum) -> _Sum:
        return _Sum(self.total + other.total)


def with_gain_deviations(
    fit: Fit, samples: Samples, rows: Equations, covariance: Array, drive_axes: Array | None = None
) -> Fit:
    """Return the fit with the covariance that deviations of gains add.

    Args:
        fit: From :func:`.weighted_least_squares` or :func:`.least_squares`, of torques that are
            currents times gains.
        samples: The samples of the fit.
        rows: Its equations; what they subtract from torques is taken as of the same gains.
        covariance: Of the gains of these axes, relative, shape ``(size, size)``
            (:attr:`.Drives.gain_covariance`).
        drive_axes: Turns of the drives per turn of these axes, shape ``(size, size)``; default
            identity.

    Raises:
        InputError: if a shape is wrong.
    """
    turns = np.eye(rows.size) if drive_axes is None else drive_axes
    for name, array in (("covariance of gains", covariance), ("turns of drives", turns)):
        if array.shape != (rows.size, rows.size):
            raise InputError(
                f"the {name} needs shape ({rows.size}, {rows.size}), got {array.shape}"
            )
    moved = samples.reduce(partial(_moves, rows=rows, weights=fit.weights, turns=turns)).total
    inverse = invert_factor(fit.factor[:-1, :-1], fit.names)
    slopes = inverse @ (inverse.T @ moved)
    return replace(fit, covariance=fit.covariance + slopes @ covariance @ slopes.T)


def _moves(pieces: Iterable[Motion], rows: Equations, weights: Array, turns: Array) -> _Sum:
    total = np.zeros((len(rows.names), rows.size))
    at_drives = np.linalg.inv(turns)
    for whole in rows(pieces):
        Y, y = without_masked(*whole)
        drives = y @ at_drives  # u of y = D' u
        total += np.einsum("nap,a,ka,nk->pk", Y, weights, turns, drives, optimize=True)
    return _Sum(total)
