"""What every query does with its arrays: check them at the border, and run along their leading axes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .errors import InputError

Array = NDArray[np.float64]


MOST = 20  # numbers that an error shows


def finite(value: ArrayLike | None, shape: tuple[int, ...], what: str) -> Array:
    """Return a copy of ``value`` as finite floats of one shape.

    Raises:
        InputError: if it is anything else.
    """
    try:
        array = np.array(value, dtype=float)
    except (TypeError, ValueError) as err:
        raise InputError(f"{what} is not an array of numbers: {err}") from None
    if array.shape != shape or not np.isfinite(array).all():
        shown = array.tolist() if array.size <= MOST else f"shape {array.shape}"
        raise InputError(f"{what} needs {shape} finite numbers, got {shown}")
    return array


_TURNED = 1e-9  # what rounding leaves of a rotation typed with ten digits


def is_rotation(matrix: Array) -> bool:
    """Whether a matrix turns, and neither stretches nor mirrors."""
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        return False
    return bool(np.allclose(matrix @ matrix.T, np.eye(3), rtol=0.0, atol=_TURNED) and np.linalg.det(matrix) > 0.0)


def together(*arrays: Array) -> list[Array]:
    """Return the arrays with the same leading axes.

    Raises:
        InputError: if they do not go together.
    """
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        raise InputError(f"arrays of shapes {', '.join(str(array.shape) for array in arrays)} do not go together") from None


def each(function: Callable[..., Array], shape: tuple[int, ...], first: Array, /, *more: Array) -> Array:
    """Apply ``function`` to one state, or to each state along the leading axes of arrays of the same leading shape."""
    if first.ndim == 1:
        return function(first, *more)
    leading = first.shape[:-1]
    flat = [array.reshape(-1, array.shape[-1]) for array in (first, *more)]
    result = np.empty((flat[0].shape[0], *shape))
    for i, states in enumerate(zip(*flat, strict=True)):
        result[i] = function(*states)
    return result.reshape(*leading, *shape)
