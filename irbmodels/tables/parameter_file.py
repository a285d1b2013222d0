"""Set of parameters of a robot without tables, in a file beside the robot's own.

It has the keys of an overlay's set: inertials by link, rotors, friction, springs, and the record of
the identification. Axes and a hash of the kinematics say whose the numbers are.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from ..errors import TableError
from ..model.limits import Limits
from ..model.provenance import Source
from ..model.springs import Spring
from ..model.types import Array
from .building import springs_of_rows
from .friction_rows import check_friction, check_temperature
from .overlays import NOT_STATED, Identified
from .reader import Row, Table, check_known, read
from .row_checks import check_bodies, check_rotors
from .schema import FrictionSet, InertialSet, SpringRow
from .spring_rows import check_spring


@dataclass(frozen=True)
class RobotIdentity:
    """Robot file whose numbers they are."""

    file: str
    """Its name; shown, never opened."""
    axes: tuple[str, ...]
    """Names of the joints that are axes, in their order."""
    kinematics: str
    """Hash of the joints (:func:`.kinematics_key`)."""


@dataclass(frozen=True)
class NamedInertials:
    """Sets of inertials, one of which is in use."""

    default: str
    sets: dict[str, InertialSet]


@dataclass(frozen=True)
class NamedFriction:
    """Sets of friction, one of which is in use."""

    default: str
    sets: dict[str, FrictionSet]


@dataclass(frozen=True, kw_only=True)
class DriveTurns(Row):
    """Turns of one drive per turn of each axis, in turns of its own axis; axes left out: 0."""

    turns: dict[str, float]


@dataclass(frozen=True)
class DriveRows:
    """Drives that several axes turn; each of the others turns with its own axis."""

    axes: dict[str, DriveTurns]


@dataclass(frozen=True)
class SpringRows:
    """Springs, balancers and torque offsets, by the name of the part."""

    elements: dict[str, SpringRow]


@dataclass(frozen=True)
class ParameterFile(Table):
    """A whole set; what no key states is as the robot's own file has it."""

    robot: str
    of: RobotIdentity
    about: str
    sources: dict[str, Source]
    inertials: NamedInertials
    tool: str | None = NOT_STATED
    """Tool that the numbers were identified with; null: none was mounted."""
    friction: NamedFriction | None = None
    drives: DriveRows = field(default_factory=lambda: DriveRows({}))
    springs: SpringRows = field(default_factory=lambda: SpringRows({}))
    identified: Identified | None = None

    @property
    def bodies(self) -> InertialSet:
        """The set of inertials in use."""
        return self.inertials.sets[self.inertials.default]

    @property
    def friction_set(self) -> FrictionSet | None:
        """The set of friction in use."""
        return None if self.friction is None else self.friction.sets[self.friction.default]

    def drive_axes(self) -> Array:
        """Turns of drives per turn of axes, shape ``(n, n)``."""
        axes = list(self.of.axes)
        D = np.eye(len(axes))
        for name, row in self.drives.axes.items():
            D[axes.index(name)] = [row.turns.get(axis, 0.0) for axis in axes]
        return D


def read_parameter_file(
    file: Path, robot: RobotIdentity, name: str, links: Sequence[str], limits: Limits
) -> tuple[ParameterFile, tuple[Spring, ...]]:
    """Read a set that is that of a robot, with its springs.

    Args:
        file: To read.
        robot: The robot it should be of.
        name: Name of the robot, for messages.
        links: Links that its moving joints carry.
        limits: Of its axes.

    Raises:
        FileError: if it cannot be read.
        TableError: if it breaks the format, or is of another robot.
    """
    table, linear = read(file, ParameterFile), limits.linear.tolist()
    whose = f"the numbers are those of {table.robot} ({table.of.file}), not of {name}"
    if table.of.axes != robot.axes:
        there, here = ", ".join(table.of.axes), ", ".join(robot.axes)
        raise TableError(file, "of.axes", f"{whose}: axes are {there}; here {here}")
    if table.of.kinematics != robot.kinematics:
        raise TableError(
            file, "of.kinematics", f"{whose}: its joints lie elsewhere than those of {robot.file}"
        )
    chosen = [table.inertials.default]
    check_known("set of inertials", chosen, table.inertials.sets, file, "inertials.default")
    key, bodies = f"inertials.sets.{table.inertials.default}", table.bodies
    check_known("link", bodies.links, links, file, f"{key}.links")
    for link in links:
        if link not in bodies.links:
            raise TableError(file, f"{key}.links", f"{link} is missing")
    check_bodies(bodies, file, key)
    check_rotors(bodies.rotors, robot.axes, linear, file, key)
    if table.friction is not None:
        chosen = [table.friction.default]
        check_known("set of friction", chosen, table.friction.sets, file, "friction.default")
        key, friction = f"friction.sets.{table.friction.default}", table.friction_set
        assert friction is not None
        if tuple(friction.axes) != robot.axes:
            wanted = ", ".join(robot.axes)
            raise TableError(file, f"{key}.axes", f"needs rows for {wanted}, in this order")
        for (axis, row), slides in zip(friction.axes.items(), linear, strict=True):
            check_friction(row, slides, file, f"{key}.axes.{axis}")
        check_temperature(friction, file, key)
    for axis, turns in table.drives.axes.items():
        check_known("axis", [axis, *turns.turns], robot.axes, file, f"drives.axes.{axis}")
    if np.linalg.matrix_rank(table.drive_axes()) < len(robot.axes):
        raise TableError(file, "drives.axes", "an axis could move without any drive")
    for part, spring in table.springs.elements.items():
        check_spring(spring, list(robot.axes), linear, file, f"springs.elements.{part}")
    springs = springs_of_rows(table.springs.elements, list(robot.axes), limits, file)
    return table, springs


def drive_rows(D: Array, axes: Sequence[str], source: str) -> dict[str, Any]:
    """Return rows of drives that more turn than their own axis, once, for the key ``drives``."""
    return {
        axis: {
            "turns": {other: float(x) for other, x in zip(axes, D[i], strict=True) if x},
            "source": source,
        }
        for i, axis in enumerate(axes)
        if not np.array_equal(D[i], np.eye(len(axes))[i])
    }
