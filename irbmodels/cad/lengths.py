"""Numbers of an arm that its drawing starts from: lengths, payload and mass, and room to turn."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Self

from ..errors import InputError
from ..tables.description import Description
from .link_frames import turned

SLIMMEST = 0.8  # of the size that follows from mass: usual masses are right to 0.84 to 1.20
ALIKE = 1.1  # ratio of two sizes up to which variants of a family have the same sections


@dataclass(frozen=True)
class Lengths:
    """Lengths of one arm [mm], or of its drawing; names: docs/background/conventions.md."""

    a1: float
    d1: float
    a2: float
    a3: float
    d4: float
    d6: float

    @classmethod
    def read(cls, robot: Description) -> Self:
        """Read them from the tables [mm]."""
        rows = robot.kinematics.joints
        one, two, three, four = (rows[f"joint_{n}"] for n in (1, 2, 3, 4))
        flange = rows["joint_6"].d_mm + robot.kinematics.tool0.d_mm
        return cls(two.a_mm, one.d_mm, three.a_mm, four.a_mm, four.d_mm, flange)

    def in_units(self, size: float) -> tuple[float, float, float, float, float, float]:
        """Return them in order, where a unit is ``size`` millimetres."""
        first = self.a1 / size, self.d1 / size, self.a2 / size
        return (*first, self.a3 / size, self.d4 / size, self.d6 / size)


class Swing(NamedTuple):
    """Largest angles [deg] of axes for which other links leave room in the drawing."""

    axis_2: float = 110.0
    axis_5: float = 120.0

    @classmethod
    def of(cls, robot: Description) -> Swing:
        """Read them from the ranges of the first variant of the family, whose base all share."""
        first = first_variant(robot)
        largest = []
        for name, offset in zip(first.axes, turned(first), strict=True):
            ends = first.limits.axes[name].range_deg
            if name in cls._fields:
                largest.append(max(abs(end + offset) for end in ends) if ends else 0.0)
        return cls(*largest)


class Ratings(NamedTuple):
    """What the sections of an arm follow from."""

    payload: float
    """[kg]"""
    mass: float
    """[kg]"""


class Need(NamedTuple):
    """Least length that a drawing needs, in its units."""

    what: str
    """Name of the length, as a message has it."""
    length: float
    """[mm]"""
    least: float
    besides: float = 0.0
    """What another length adds [mm]."""


def fitted_size(size: float, needs: Sequence[Need], arm: str) -> float:
    """Return millimetres per unit of a drawing: ``size``, or less where a length asks for it.

    Args:
        size: That of the arm's mass.
        needs: Least lengths.
        arm: Name of the arm in messages.

    Raises:
        InputError: if a length would need less than 0.8 of that size.
    """

    def lack(need: Need) -> float:
        return SLIMMEST * size * need.least - need.besides - need.length

    worst = max(needs, key=lack)
    if lack(worst) > 0.0:
        raise InputError(
            f"{worst.what} {worst.length:g} mm is too short for {arm}: it needs"
            f" {worst.length + lack(worst):.0f} mm"
        )
    return min(size, *((length + besides) / least for _, length, least, besides in needs))


def first_variant(robot: Description) -> Description:
    """Return the variant that is named first in the tables of a family."""
    return Description(next(iter(robot.kinematics.variants)), robot.folder)


def drawn_ratings(
    robot: Description,
    usual_mass: Callable[[float, float], float],
    sizes: Callable[[Ratings], tuple[float, ...]],
) -> Ratings:
    """Return payload and mass that a variant is drawn for.

    Those of the first variant of the family whose ``sizes`` are within 10 % of its own, or whose
    lengths and mass are its own: variants share their castings unless that is seen. A variant whose
    mass is unknown has the first one that is known of its family, or the usual mass of its payload
    [kg] and reach [mm].
    """
    names = list(robot.kinematics.variants)
    rows = [Description(name, robot.folder).limits.ratings for name in names]
    known = next((row.mass_kg for row in rows if row.mass_kg is not None), None)
    ratings = [
        Ratings(row.payload_kg, row.mass_kg or known or usual_mass(row.payload_kg, row.reach_mm))
        for row in rows
    ]
    lengths = [Lengths.read(Description(name, robot.folder)) for name in names]
    index = names.index(robot.name)
    own = ratings[index]

    def alike(other: Ratings) -> bool:
        pairs = zip(sizes(own), sizes(other), strict=True)
        return all(1.0 / ALIKE < one / two < ALIKE for one, two in pairs)

    return next(
        other
        for other, arm in zip(ratings, lengths, strict=True)
        if alike(other) or (arm == lengths[index] and other.mass == own.mass)
    )
