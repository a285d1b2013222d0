"""Base of ABB's record types, and the records of frames.

A value is immutable. ``str(value)`` is its text in ABB's layout; a number that was read keeps its
digits.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterator, Sequence
from dataclasses import dataclass, fields
from functools import cache
from typing import Any, ClassVar, cast, get_type_hints

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.rotations import from_zyx, quaternion, rotation, zyx
from ..model.types import SE3, Array
from .text import literal, number

# error in length of a quaternion by printed digits: ABB writes five to six decimals (0.99998)
PRINT_TOLERANCE = 1e-5
# largest error in length, as from three decimals (0.707): it is normalised, with a note
LENGTH_LIMIT = 4e-4
UNCHANGED = 1e-9  # [mm, 1] a number that came back from a matrix is the old one


@dataclass(frozen=True, repr=False)
class Value:
    """Base of ABB's record types."""

    rapid: ClassVar[str] = ""
    """Name of the type in RAPID."""

    def __post_init__(self) -> None:
        """Check every component, and take plain numbers in place of a record's.

        Raises:
            InputError: if a component has the wrong type or number of components.
        """
        for name, kind in components(type(self)).items():
            object.__setattr__(
                self, name, _component(kind, getattr(self, name), f"{self.rapid}.{name}")
            )

    def __str__(self) -> str:
        """Return the text in ABB's layout."""
        return literal(self.values)

    def __repr__(self) -> str:
        """Return type and text."""
        return f"<{self.rapid} {self}>"

    def __len__(self) -> int:
        """Return the number of components."""
        return len(components(type(self)))

    def __getitem__(self, index: int) -> Any:
        """Return a component by its index, so that arrays can be made of positions."""
        return self.values[index]

    def __iter__(self) -> Iterator[Any]:
        """Iterate over the components: ``x, y, z = target.trans``."""
        return iter(self.values)

    @property
    def values(self) -> tuple[Any, ...]:
        """The components in ABB's order."""
        return tuple(getattr(self, name) for name in components(type(self)))


@dataclass(frozen=True, repr=False)
class Pos(Value):
    """A position [mm]."""

    rapid: ClassVar[str] = "pos"
    x: float
    y: float
    z: float


@dataclass(frozen=True, repr=False)
class Orient(Value):
    """A rotation as unit quaternion, scalar first; four zeros where none was taught yet."""

    rapid: ClassVar[str] = "orient"
    q1: float
    q2: float
    q3: float
    q4: float

    def __post_init__(self) -> None:
        """Check the length.

        Raises:
            InputError: if it is not 1 within 4e-4.
        """
        super().__post_init__()
        length = self.length
        if length and abs(length - 1.0) > LENGTH_LIMIT + UNCHANGED:
            right = literal(tuple(np.round(np.divide(self.values, length), 6).tolist()))
            raise InputError(
                f"quaternion {self} has length {length:.6g}, not 1; the rotation it points to is"
                f" {right}"
            )

    @property
    def length(self) -> float:
        """Length of the quaternion: 1 but for its digits, 0 where none was taught.

        :meth:`matrix` normalises it.
        """
        return float(np.linalg.norm(self.values))

    @property
    def note(self) -> str:
        """Remark on a length beyond rounding of printed digits, else empty."""
        off = self.length and abs(self.length - 1.0) > PRINT_TOLERANCE
        return (
            f"quaternion {self} has length {self.length:.6g}, not 1; it is normalised"
            if off
            else ""
        )

    @classmethod
    def of(cls, matrix: ArrayLike) -> Orient:
        """Return the quaternion of a rotation ``(3, 3)``, first nonzero component positive."""
        return cls(*round_values(quaternion(matrix)))

    @classmethod
    def of_zyx_deg(cls, z: float, y: float, x: float) -> Orient:
        """Return RAPID's ``OrientZYX(z, y, x)``: rotations about z, new y, new x [deg]."""
        return cls.of(from_zyx(np.radians([z, y, x])))

    def zyx_deg(self) -> tuple[float, float, float]:
        """Return RAPID's ``EulerZYX``: angles about z, new y, new x [deg]; x is 0 at y = +-90."""
        z, y, x = (np.degrees(zyx(self.matrix())) + 0.0).tolist()  # never -0
        return z, y, x

    def matrix(self) -> Array:
        """Return the rotation matrix ``(3, 3)``.

        Raises:
            InputError: if the orientation is four zeros.
        """
        return rotation(self.values)


@dataclass(frozen=True, repr=False)
class Pose(Value):
    """A frame: position [mm] and rotation."""

    rapid: ClassVar[str] = "pose"
    trans: Pos
    rot: Orient

    @classmethod
    def of(cls, pose: SE3) -> Pose:
        """Return the frame of a pose in [m], to nine decimals."""
        return cls(Pos(*round_values(1000.0 * pose.translation)), Orient.of(pose.rotation))

    def se3(self) -> SE3:
        """Return the pose in [m]."""
        pose: SE3 = pin.SE3(self.rot.matrix(), np.array(self.trans.values) / 1000.0)
        return pose

    def moved(self, pose: SE3) -> Pose:
        """Return the frame of another pose [m]; equal coordinates keep their text."""
        new = Pose.of(pose)
        pairs = zip(self.trans, new.trans, strict=True)
        trans = Pos(
            *(
                old if abs(old - value) <= UNCHANGED * max(1.0, abs(old)) else value
                for old, value in pairs
            )
        )
        difference = 1.0
        if any(self.rot.values):
            difference = np.abs(self.rot.matrix() - pose.rotation).max()
        return Pose(trans, self.rot if difference <= UNCHANGED else new.rot)


def orients(value: Value) -> Iterator[Orient]:
    """Yield the rotations in a record."""
    for part in value:
        if isinstance(part, Orient):
            yield part
        elif isinstance(part, Value):
            yield from orients(part)


def components(kind: type[Value]) -> dict[str, Any]:
    """Return names and Python types of a record's components, in ABB's order."""
    return _components(cast(Hashable, kind))


@cache
def _components(kind: Any) -> dict[str, Any]:
    hints = get_type_hints(kind)
    return {field.name: hints[field.name] for field in fields(kind)}


def _component(kind: Any, value: Any, what: str) -> Any:
    if kind is float:
        try:
            return number(value)
        except InputError as err:
            raise InputError(f"{what}: {err}") from None
    if isinstance(value, kind):
        return value
    if (
        issubclass(kind, Value)
        and isinstance(value, Sequence | np.ndarray)
        and not isinstance(value, str)
    ):
        if len(value) != len(components(kind)):
            raise InputError(f"{what} has {len(components(kind))} components, not {len(value)}")
        return kind(*value)
    raise InputError(f"{what} is a {getattr(kind, 'rapid', kind.__name__)}, not {value!r}")


def round_values(values: ArrayLike) -> list[float]:
    """Return numbers to nine decimals, as RobotStudio writes them."""
    rounded: list[float] = (np.round(np.asarray(values, dtype=float), 9) + 0.0).tolist()
    return rounded
