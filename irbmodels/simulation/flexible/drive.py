"""The drive of one axis: rotor, gear, and the elasticity between motor and link."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, replace
from types import MappingProxyType
from typing import Any, get_args

import numpy as np

from ...checks import as_choice, as_instance, number, positive, short_repr
from ...errors import InputError, MissingData
from ...model.motors import Motors
from ...model.provenance import Grade
from ...robot.robot import Robot

_OPTIONAL = ("rotor_inertia", "viscous", "damping", "bearing", "backlash", "hardening")


@dataclass(frozen=True)
class Drive:
    """Rotor and gear of one axis.

    The motor's own numbers are on the motor side, those of spring and link on the arm side.

    A gear ratio of 1 makes the motor's numbers arm-side ones. For a linear axis read N/m, N s/m and
    m where it says N m/rad, N m s/rad and rad, and rad/m for the gear ratio.

    Args:
        stiffness: Of gear and shaft, arm side [N m/rad]; infinite: the axis is rigid, and its rotor
            adds to the mass matrix.
        rotor_inertia: Motor side [kg m^2]; an elastic axis needs it.
        gear_ratio: Turns of the motor per turn of the axis [1]; S003's r is its inverse.
        viscous: Viscous friction of the motor, motor side [N m s/rad] (S003: f_m); adds to the
            friction that the robot has.
        damping: Of the gear, parallel to the spring, arm side [N m s/rad]; it acts inside the
            backlash too.
        bearing: Viscous friction of the link's bearing, arm side [N m s/rad] (S003: f_a).
        backlash: Whole width of the dead zone of the spring, arm side [rad].
        hardening: Cubic term of the spring, arm side [N m/rad^3]: beyond the dead zone ``k u +
            hardening u^3``.
        turned_by: Turns of this motor per turn of another axis [1], by its number from 1, where a
            wrist couples them.
        grade: How good the stiffness is; what somebody types is assumed unless it says otherwise.

    Raises:
        InputError: if a number is not finite, negative, or does not go with the others.
        UnknownName: if the grade is none.
    """

    stiffness: float = math.inf
    rotor_inertia: float = 0.0
    gear_ratio: float = 1.0
    viscous: float = 0.0
    damping: float = 0.0
    bearing: float = 0.0
    backlash: float = 0.0
    hardening: float = 0.0
    turned_by: Mapping[int, float] = field(default_factory=dict, hash=False)
    grade: Grade = "assumed"

    def __post_init__(self) -> None:
        """Check every number."""
        if not isinstance(self.stiffness, float) or self.stiffness != math.inf:
            positive(self.stiffness, "the stiffness of a drive, math.inf for a rigid axis,")
        if number(self.gear_ratio, "gear_ratio of a drive") == 0.0:
            raise InputError("a gear ratio of 0 does not turn the axis")
        for name in _OPTIONAL:
            number(getattr(self, name), f"{name} of a drive", 0.0)
        if self.elastic and self.rotor_inertia == 0.0:
            raise InputError(
                "an elastic drive needs the inertia of its rotor: without it the motor has no"
                " equation of motion"
            )
        given = [name for name in ("damping", "backlash", "hardening") if getattr(self, name) > 0.0]
        if given and not self.elastic:
            raise InputError(
                f"a rigid drive has no spring, so it has no {' and no '.join(given)}; give a"
                " stiffness"
            )
        what = "turned_by takes axis numbers from 1 and finite turns"
        for other, turns in as_instance(self.turned_by, Mapping, what).items():
            if isinstance(other, bool) or not isinstance(other, int) or other < 1:
                raise InputError(f"{what}, not {short_repr(other)}: {short_repr(turns)}")
            number(turns, f"turned_by[{other}], turns per turn of axis {other},")
        as_choice(
            as_instance(self.grade, str, "the grade of a drive is a word"), get_args(Grade), "grade"
        )
        object.__setattr__(self, "turned_by", MappingProxyType(dict(self.turned_by)))

    def __reduce__(self) -> tuple[Any, ...]:
        """Pass on a plain dictionary, since the read-only one cannot be pickled or copied."""
        values = {f.name: getattr(self, f.name) for f in fields(self)} | {
            "turned_by": dict(self.turned_by)
        }
        return Drive, tuple(values.values())

    @property
    def elastic(self) -> bool:
        """True if motor and link move relative to each other."""
        return math.isfinite(self.stiffness)

    @property
    def reflected_inertia(self) -> float:
        """Rotor inertia seen from the arm side [kg m^2]."""
        return self.rotor_inertia * self.gear_ratio**2

    @property
    def reflected_viscous(self) -> float:
        """Viscous friction of the motor seen from the arm side [N m s/rad]."""
        return self.viscous * self.gear_ratio**2

    def __repr__(self) -> str:
        """Show the arguments that are not 0."""
        values = {f.name: getattr(self, f.name) for f in fields(self)}
        numbers = [
            f"{name}={value:.9g}"
            for name, value in values.items()
            if isinstance(value, int | float) and value
        ]
        turned_by = [f"turned_by={dict(self.turned_by)}"] if self.turned_by else []
        return f"Drive({', '.join([*numbers, *turned_by])}, grade={self.grade!r})"


def drives_of(robot: Robot, assumed: Sequence[Drive | None] | None = None) -> list[Drive | None]:
    """Return the drives in the tables of a robot, axis after axis, None where there is none.

    Args:
        robot: A robot from tables.
        assumed: Drive or None per axis, for those that the tables do not know. Where they know a
            stiffness without rotor or gear, the assumed drive brings these and no stiffness.

    Raises:
        MissingData: for a robot from a URDF, or where rotor or gear of a stiffness stay unknown.
        InputError: if a drive is assumed that the tables know.
    """
    as_instance(robot, Robot, "drives are those of an irbmodels.Robot")
    if robot.description is None:
        raise MissingData(
            f"{robot.name} comes from a URDF and has no table of drives; give one Drive, or None,"
            " per axis"
        )
    table, names = robot.description.drives, robot.description.axes
    drives: list[Drive | None] = [None] * robot.n if assumed is None else list(assumed)
    for name, row in table.axes.items():
        stiffness, i = row.stiffness_N_m_rad, names.index(name)
        if row.gear_ratio is None and stiffness is None:
            continue
        partial = stiffness is not None and None in (row.rotor_inertia_kg_m2, row.gear_ratio)
        given = drives[i]
        if given is not None and (given.elastic or not partial):
            raise InputError(
                f"the tables of {robot.name} know the {'stiffness' if partial else 'drive'} of axis"
                f" {i + 1}: do not assume one, or give all drives"
            )
        if given is None and partial:
            raise MissingData(
                f"{robot.name}: {name} has a stiffness, but no rotor inertia or gear ratio is"
                " known; assume them: FlexibleRobot.of(robot, [None or Drive(rotor_inertia=...,"
                " gear_ratio=...) of each axis])"
            )
        numbers: dict[str, Any] = {
            "stiffness": stiffness,
            "rotor_inertia": row.rotor_inertia_kg_m2,
            "gear_ratio": row.gear_ratio,
            "viscous": row.viscous_N_m_s_rad,
            "turned_by": row.turned_by
            and {names.index(other) + 1: turns for other, turns in row.turned_by.items()},
        }
        known = {key: value for key, value in numbers.items() if value is not None}
        grade = row.source_of("gear_ratio" if stiffness is None else "stiffness_N_m_rad")
        drives[i] = replace(given or Drive(), **known, grade=table.sources[grade].grade)
    return drives


def motors_of_drives(drives: Sequence[Drive | None]) -> Motors:
    """Return the map from axes to motors; the motors of axes without a drive are unknown.

    Raises:
        InputError: if a motor is turned by itself or by an axis that does not exist.
    """
    n = len(drives)
    matrix = np.diag([np.nan if drive is None else drive.gear_ratio for drive in drives])
    for i, drive in enumerate(drives):
        for other, turns in () if drive is None else drive.turned_by.items():
            if other > n or other == i + 1:
                raise InputError(
                    f"the motor of axis {i + 1} is turned by axis {other}: give the number of"
                    f" another axis, 1 .. {n}"
                )
            matrix[i, other - 1] = turns
        if drive is None:
            matrix[i] = np.nan
    return Motors(matrix)
