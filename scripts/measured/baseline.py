"""Plain weighted least squares with Coulomb and viscous friction, by Pinocchio's regressor alone.

The common practice that an identification is measured against: no selection of terms, no physical
constraints, no delay. It shares no code with ``irbmodels.identification`` but the samples.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

Array = NDArray[np.float64]
ROUNDS = 3  # of weights by the residuals of each axis
RANK = 1e-9  # of singular values


def regressor(model: pin.Model, q: Array, v: Array, a: Array) -> Array:
    """Return columns of bodies, rotors, viscous and Coulomb friction, ``(N, n, p)``."""
    data, n = model.createData(), model.nv
    rows = np.empty((len(q), n, 10 * n + 3 * n))
    axes = np.arange(n)
    for row, state in zip(rows, zip(q, v, a, strict=True), strict=True):
        row[:, : 10 * n] = pin.computeJointTorqueRegressor(model, data, *state)
        row[:, 10 * n :] = 0.0
        for k, column in enumerate((state[2], state[1], np.sign(state[1]))):
            row[axes, (10 + k) * n + axes] = column
    return rows


def least_squares(rows: Array, tau: Array, usable: NDArray[np.bool_]) -> Array:
    """Return the parameters ``(p,)`` of the torques ``(N, n)`` that are usable."""
    noise = np.ones(tau.shape[1])
    for _ in range(ROUNDS):
        Y, y = (rows / noise[:, None])[usable], (tau / noise)[usable]
        parameters = np.linalg.lstsq(Y, y, rcond=RANK)[0]
        noise = rmse(tau - rows @ parameters, usable)
    return np.asarray(parameters)


def rmse(errors: Array, usable: NDArray[np.bool_]) -> Array:
    """Return the root mean square of the usable errors of each axis [N m, N], ``(n,)``."""
    squares = np.where(usable, np.square(errors), 0.0).sum(axis=0)
    return np.asarray(np.sqrt(squares / usable.sum(axis=0)))


def white_noise(residuals: Sequence[Array]) -> Array:
    """Return the deviation of white noise in residuals ``(N, n)`` of segments [N m, N], ``(n,)``.

    From second differences, which hold six times its variance, and hardly anything that a model of
    the motion could explain; torques that are missing are NaN.
    """
    second = [np.diff(part, n=2, axis=0) for part in residuals if len(part) > 2]
    return np.asarray(np.sqrt(np.nanmean(np.square(joined(second)), axis=0) / 6.0))


def joined(parts: Sequence[Array]) -> Array:
    """Return arrays of several logs as one."""
    return np.concatenate([np.asarray(part) for part in parts])
