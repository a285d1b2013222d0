"""Checks of arguments at every public entrance, and evaluation along leading axes."""

from __future__ import annotations

import math
import os
import sys
from collections.abc import Callable, Iterable
from pathlib import Path
from types import UnionType
from typing import Any, TypeVar

import numpy as np
from numpy.typing import ArrayLike, NDArray

from . import errors
from .errors import InputError, UnknownName

Array = NDArray[np.float64]
T = TypeVar("T")


MOST = 20  # numbers that an error shows
_SCALAR = (int, float, np.integer, np.floating)
# float() takes them, or drops half of them
_NO_NUMBER = (bool, np.bool_, complex, np.complexfloating)


def short_repr(value: object) -> str:
    """Return a value as an error shows it: in one line, and a short one.

    Of a long array its shape.
    """
    if isinstance(value, np.ndarray) and value.size > MOST:
        return f"an array of shape {value.shape}"
    return errors.short_repr(value)


def numbers(value: ArrayLike | None, what: str) -> Array:
    """Return a copy of ``value`` as floats of its own shape; NaN passes.

    Raises:
        InputError: for text, complex numbers, truth values, masked entries, rows of unlike length,
            and what is no number at all.
    """
    if hasattr(value, "mask") and np.ma.is_masked(value):  # numpy.ma is slow to import
        raise InputError(
            f"{what} is not an array of numbers: some are masked; use .filled(np.nan), or"
            " .compressed()"
        )
    try:
        given = np.array(value)
        if given.dtype.kind not in "iufO":
            raise InputError(
                f"{what} is not an array of numbers, but of {given.dtype.name}: {short_repr(value)}"
            )
        if given.dtype.kind == "O":  # NumPy would read text, and take None for NaN
            for item in given.flat:
                if isinstance(item, _NO_NUMBER) or not hasattr(item, "__float__"):
                    raise InputError(
                        f"{what} is not an array of numbers, but holds {short_repr(item)}"
                    )
        with np.errstate(over="ignore"):  # longer floats become infinity
            array: Array = given.astype(float, copy=False)
    except (TypeError, ValueError, OverflowError) as err:
        if isinstance(err, InputError):
            raise
        uneven = "inhomogeneous" in str(err)
        raise InputError(
            f"{what} is not an array of numbers:"
            f" {'its rows are of unlike length' if uneven else err}"
        ) from None
    return array


def nan_for_infinity(array: Array) -> Array:
    """Return the array with NaN for infinity, which stays in its row and brings no warning."""
    sound = np.isfinite(array)
    return array if sound.all() else np.where(sound, array, np.nan)


def states(value: ArrayLike, n: int, what: str) -> Array:
    """Return vectors ``(n,)`` or ``(..., n)`` as floats; NaN and infinity pass.

    Raises:
        InputError: if it is anything else.
    """
    array = value if type(value) is np.ndarray and value.dtype == float else numbers(value, what)
    if array.shape[-1:] != (n,):
        raise InputError(f"{what} need shape ({n},) or (..., {n}), got {array.shape}")
    return array


def six(value: ArrayLike, what: str, parts: str) -> Array:
    """Return one motion or load ``(6,)`` of finite numbers, or ``(..., 6)`` with NaN for infinity.

    Raises:
        InputError: if it is anything else.
    """
    array = numbers(value, what)
    if array.shape[-1:] != (6,) or (array.ndim == 1 and not np.isfinite(array).all()):
        raise InputError(f"{what} needs six finite numbers ({parts}), got {short_repr(array)}")
    return nan_for_infinity(array)


def finite(value: ArrayLike | None, shape: tuple[int, ...] | None, what: str) -> Array:
    """Return a copy of ``value`` as finite floats of one shape; of any shape if that is None.

    Raises:
        InputError: if it is anything else.
    """
    array = numbers(value, what)
    if (shape is not None and array.shape != shape) or not np.isfinite(array).all():
        given = array.tolist() if array.size <= MOST else f"shape {array.shape}"
        raise InputError(
            f"{what} needs {'only' if shape is None else shape} finite numbers, got {given}"
        )
    return array


def rows(value: ArrayLike, n: int, what: str) -> Array:
    """Return a copy of ``value`` as finite floats of shape ``(..., n)``.

    Raises:
        InputError: if it is anything else.
    """
    array = numbers(value, what)
    return finite(array, (*array.shape[:-1], n), what)


def per_axis(value: ArrayLike, n: int, what: str) -> Array:
    """Return one number for all axes, or one each, as an array ``(n,)``; NaN and infinity pass.

    Raises:
        InputError: if it is anything else.
    """
    array = numbers(value, what)
    if array.shape not in ((), (n,)):
        raise InputError(f"{what} needs one number, or {n}, one per axis; got {short_repr(array)}")
    return np.array(np.broadcast_to(array, (n,)))


def as_pose(value: Any, what: str) -> Array:
    """Return a pose, ``pin.SE3`` or matrix, as a matrix ``(4, 4)``.

    Raises:
        InputError: if it is none: a transposed one has its translation below.
    """
    matrix = finite(getattr(value, "homogeneous", value), (4, 4), what)
    if not is_rotation(matrix[:3, :3]) or (matrix[3] != (0.0, 0.0, 0.0, 1.0)).any():
        raise InputError(
            f"{what} needs a rotation in its upper left 3 by 3 numbers, and 0, 0, 0, 1 below"
        )
    return matrix


def number(value: Any, what: str, low: float = -np.inf, high: float = np.inf) -> float:
    """Return one finite number from ``low`` to ``high``, both included.

    Raises:
        InputError: if it is anything else.
    """
    given = _float(value)
    if not math.isfinite(given) or not low <= given <= high:
        bounds = (
            ""
            if np.isinf(low)
            else f", at least {low:g}"
            if np.isinf(high)
            else f" in {low:g} .. {high:g}"
        )
        raise InputError(f"{what} must be a finite number{bounds}, got {short_repr(value)}")
    return given


def positive(value: Any, what: str) -> float:
    """Return a positive finite number.

    Raises:
        InputError: if it is anything else.
    """
    given = _float(value)
    if not 0.0 < given < np.inf:
        raise InputError(f"{what} must be a positive finite number, got {short_repr(value)}")
    return given


def as_int(value: Any, what: str, low: int = 0, high: float = np.inf) -> int:
    """Return a whole number from ``low`` to ``high``, both included.

    Raises:
        InputError: if it is anything else.
    """
    if (
        isinstance(value, bool)
        or not isinstance(value, int | np.integer)
        or not low <= value <= min(high, sys.maxsize)
    ):
        bounds = f"at least {low}" if np.isinf(high) else f"{low} to {high:.0f}"
        raise InputError(f"{what} must be a whole number, {bounds}, got {short_repr(value)}")
    return int(value)


def as_bool(value: object, what: str) -> bool:
    """Return True or False.

    Raises:
        InputError: if it is anything else: every text is true, ``"False"`` too.
    """
    if not isinstance(value, bool | np.bool_):
        raise InputError(f"{what} is True or False, not {short_repr(value)}")
    return bool(value)


def as_instance(value: T, kind: type[Any] | UnionType, what: str) -> T:
    """Return an instance of a class; ``what`` states it: ``"the model is an irbmodels.Robot"``.

    Raises:
        InputError: if it is of another.
    """
    if not isinstance(value, kind):
        raise InputError(f"{what}, not {short_repr(value)}")
    return value


def as_callable(value: T, what: str) -> T:
    """Return a callable.

    Raises:
        InputError: if it cannot.
    """
    if not callable(value):
        raise InputError(f"{what}, not {short_repr(value)}")
    return value


def as_list(value: Iterable[T], kind: type[Any] | UnionType, what: str) -> list[T]:
    """Return instances of a class as a list; ``what`` states what is expected.

    Raises:
        InputError: if it is no list, or one of them is something else.
    """
    try:
        items: list[T] | None = None if isinstance(value, str) else list(value)
    except TypeError:
        items = None
    wrong: list[Any] = (
        [value] if items is None else [item for item in items if not isinstance(item, kind)]
    )
    if items is None or wrong:
        raise InputError(f"{what}, not {short_repr(wrong[0])}")
    return items


def as_choice(value: str, known: Iterable[str], kind: str) -> str:
    """Return one of the known names.

    Raises:
        UnknownName: if it is none of them, or no text.
    """
    names = tuple(known)
    if not isinstance(value, str) or value not in names:
        raise UnknownName(kind, value, names)
    return value


def poses(value: ArrayLike, what: str) -> Array:
    """Return finite matrices ``(N, 4, 4)``, at least one.

    Raises:
        InputError: if it is anything else.
    """
    array = numbers(value, what)
    if (
        array.ndim != 3
        or array.shape[1:] != (4, 4)
        or not len(array)
        or not np.isfinite(array).all()
    ):
        raise InputError(f"{what} need shape (N, 4, 4) and finite numbers, got {short_repr(array)}")
    return array


def as_path(value: object, what: str) -> Path:
    """Return a path.

    Raises:
        InputError: if it is none.
    """
    if not isinstance(value, str | os.PathLike):
        raise InputError(f"{what} is a path, not {short_repr(value)}")
    return Path(value)


def _float(value: object) -> float:
    """Return a number as float; NaN for what is none, or an integer beyond every float."""
    if not isinstance(value, _SCALAR) or isinstance(value, bool):
        return math.nan
    try:
        return float(value)
    except OverflowError:
        return math.nan


_ROTATION = 1e-9  # what rounding leaves of a rotation typed with ten digits
_EYE = np.eye(3)


def is_rotation(matrix: Array) -> bool:
    """Return whether a matrix is a rotation: orthogonal, and of determinant 1."""
    if matrix.shape != (3, 3) or not np.isfinite(matrix).all():
        return False
    off = np.abs(matrix @ matrix.T - _EYE).max()
    return bool(off <= _ROTATION and np.linalg.det(matrix) > 0.0)


def broadcast(*arrays: Array) -> list[Array]:
    """Return the arrays with the same leading axes.

    Raises:
        InputError: if they do not go together.
    """
    try:
        return list(np.broadcast_arrays(*arrays))
    except ValueError:
        raise InputError(
            f"arrays of shapes {', '.join(str(array.shape) for array in arrays)} do not go together"
        ) from None


def map_states(
    function: Callable[..., Array], shape: tuple[int, ...], first: Array, /, *more: Array
) -> Array:
    """Apply ``function`` to one state, or to each along the leading axes of arrays."""
    if first.ndim == 1:
        return function(first, *more)
    leading = first.shape[:-1]
    flat = [array.reshape(-1, array.shape[-1]) for array in (first, *more)]
    result = np.empty((flat[0].shape[0], *shape))
    for i, states in enumerate(zip(*flat, strict=True)):
        result[i] = function(*states)
    return result.reshape(*leading, *shape)
