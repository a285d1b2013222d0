"""Types of arrays and poses that every room uses, and of arguments by which overloads choose."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Never, Protocol, overload

import numpy as np
from numpy.typing import NDArray

Array = NDArray[np.float64]
Mask = NDArray[np.bool_]
IntArray = NDArray[np.int64]
ComplexArray = NDArray[np.complex128]
Vector = np.ndarray[tuple[int], np.dtype[np.float64]]
Matrix = np.ndarray[tuple[int, int], np.dtype[np.float64]]
Matrices = np.ndarray[tuple[int, int, int, *tuple[int, ...]], np.dtype[np.float64]]

_Numbers = np.dtype[Any]
OneRow = Sequence[float] | np.ndarray[tuple[int], _Numbers]
ManyRows = (
    Sequence[Sequence[Any]]
    | Sequence[NDArray[Any]]
    | np.ndarray[tuple[int, int, *tuple[int, ...]], _Numbers]
)
OneMatrix = Sequence[Sequence[float]] | Sequence[Vector] | np.ndarray[tuple[int, int], _Numbers]
ManyMatrices = (
    Sequence[Sequence[Sequence[Any]]]
    | Sequence[Matrix]
    | np.ndarray[tuple[int, int, int, *tuple[int, ...]], _Numbers]
)
AnyRows = np.ndarray[tuple[Never], _Numbers]
"""Array whose shape type checkers do not know: the first overload, which returns ``Any``.

Each shape fits it that fits all shapes, and no shape that is known.
"""


class SE3(Protocol):
    """``pin.SE3`` for type checkers, which know nothing of Pinocchio."""

    @property
    def translation(self) -> Vector:
        """Position [m], shape ``(3,)``."""

    @property
    def rotation(self) -> Matrix:
        """Rotation matrix, shape ``(3, 3)``."""

    @property
    def homogeneous(self) -> Matrix:
        """Homogeneous matrix, shape ``(4, 4)``."""

    def inverse(self) -> SE3:
        """Return the inverse."""

    @overload
    def __mul__(self, other: SE3) -> SE3: ...

    @overload
    def __mul__(self, other: Any) -> Any: ...

    def __getattr__(self, name: str) -> Any: ...
