"""Axis rates for a velocity of the tool (S003 eq. 2.66-2.69), by singular values."""

from __future__ import annotations

import numpy as np

from ..model.types import Array, Mask

_RANK = 1e-10  # share of the largest singular value below which a direction counts as lost
_MET = 1e-8  # [m/s, rad/s] or share of the wanted velocity within which it is met


def singular_values(matrices: Array) -> tuple[Array, Array, Array]:
    """Return singular value decompositions of matrices ``(..., m, n)``.

    Values are NaN for those that are not finite.
    """
    sound = np.asarray(np.isfinite(matrices).all(axis=(-2, -1), keepdims=True))
    left, values, right = np.linalg.svd(np.where(sound, matrices, 0.0), full_matrices=False)
    return left, np.where(sound[..., 0], values, np.nan), right


def axis_rates(J: Array, wanted: Array) -> tuple[Array, Mask]:
    """Solve ``J x = wanted`` (S003 eq. 2.68), and return where that is possible.

    Where J has lost a direction, or the arm has fewer than six axes, there is a solution only for
    what lies in the range of J: the smallest one is returned.

    Args:
        J: Jacobians ``(..., 6, n)``.
        wanted: Velocities of the tool ``(..., 6)``, or accelerations less ``dJ/dt v`` (eq. 2.69).

    Returns:
        Rates ``(..., n)``, NaN where there is no solution, and whether there is one ``(...)``.
    """
    left, values, right = singular_values(J)
    kept = values > _RANK * values[..., :1]
    gains = np.where(kept, 1.0 / np.where(kept, values, 1.0), 0.0)
    x = np.swapaxes(right, -1, -2) @ (
        gains[..., None] * (np.swapaxes(left, -1, -2) @ wanted[..., None])
    )
    missed = np.linalg.norm((J @ x)[..., 0] - wanted, axis=-1)
    possible: Mask = missed <= _MET * np.maximum(1.0, np.linalg.norm(wanted, axis=-1))
    return np.where(possible[..., None], x[..., 0], np.nan), possible
