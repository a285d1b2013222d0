"""From tables to a model: tree, limits, friction, motors and rotors of a robot, and tools."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from math import radians
from pathlib import Path
from typing import cast

import numpy as np
import pinocchio as pin

from ..checks import as_path
from ..errors import InputError, MissingData, TableError
from ..model.friction import Stribeck
from ..model.limits import Limits
from ..model.load_limits import LoadLimits
from ..model.model import Linkage, Model
from ..model.motors import Motors
from ..model.springs import Spring
from ..model.tool import Tool, doubt_metres
from ..model.tree import Tree, tree_of_robot
from ..model.types import Array, Mask
from .bare_urdf import bare_urdf
from .description import Coupling, Description, mesh_folder, tool_path
from .friction_rows import law_of
from .reader import read
from .row_checks import check_shape
from .schema import HANDLING, InertialSet, SpringRow, ToolTable
from .spring_rows import existing_spring

SECOND = {"q3 - q2": -1.0, "q3 + q2": 1.0}
"""Factor of q2 in each sum of limits.yaml, which has q3 once."""


def model_of(description: Description, coupling: Coupling, parameters: str) -> Model:
    """Return the model of a robot's tables with one set of inertials, without tool and payload.

    Friction None where unknown.

    Raises:
        TableError: if a table breaks the format, that of shapes too.
    """
    description.check()
    tree, limits, friction = (
        tree_of(description, coupling, parameters),
        limits_of(description),
        friction_of(description),
    )
    bodies = description.inertials.sets[parameters]
    rotors = rotors_of_set(bodies, description.axes, description.linear)
    return Model(
        tree,
        limits,
        friction,
        rotors,
        drive_axes_of(description),
        _linkage_of(description),
        springs_of(description, limits),
        has_masses=bool(bodies.links),
    )


def tree_of(description: Description, coupling: Coupling, parameters: str) -> Tree:
    """Build a robot's tree for axis positions as the controller shows them, without tool.

    Bars without data weigh nothing.
    """
    tree = tree_of_robot(bare_urdf(description, coupling, parameters))
    # joint_3 of the serial tree is the angle between the arms; of the parallelogram tree it is the
    # axis position itself
    return tree.with_axes(description.dh("modified").A) if coupling == "serial" else tree


def limits_of(description: Description) -> Limits:
    """Return a robot's limits in SI units.

    Each bound is marked where its source is only assumed.
    """
    table = description.limits
    rows = list(table.axes.values())

    def column(rotary: str, linear: str) -> tuple[Array, Mask]:
        values, assumed = [], []
        for row in rows:
            name = rotary if getattr(row, rotary) is not None else linear
            if getattr(row, name) is None:  # an unknown speed or effort is no bound
                values.append(np.array(np.inf))
                assumed.append(False)
                continue
            value = np.array(getattr(row, name))
            values.append(
                value / 1000.0 if "_mm" in name else np.radians(value) if "_deg" in name else value
            )
            assumed.append(table.sources[row.source_of(name)].grade == "assumed")
        return np.array(values, dtype=float), np.array(assumed)

    ranges, range_assumed = column("range_deg", "range_mm")
    velocity, velocity_assumed = column("speed_deg_s", "speed_mm_s")
    effort, effort_assumed = column("effort_N_m", "effort_N")
    A = np.eye(len(rows))
    for i, row in enumerate(rows):
        if row.range_of is not None:
            A[i, 1] = SECOND[row.range_of]
    for row in rows:
        if row.bound_of is not None and row.bound_deg is not None:
            A = np.vstack([A, A[2]])
            A[-1, 1] = SECOND[row.bound_of]
            ranges = np.vstack([ranges, np.radians(row.bound_deg)])
            bound_assumed = table.sources[row.source_of("bound_deg")].grade == "assumed"
            range_assumed = np.append(range_assumed, bound_assumed)
    return Limits(
        lower=ranges[:, 0].copy(),
        upper=ranges[:, 1].copy(),
        velocity=velocity,
        effort=effort,
        A=A,
        linear=np.array(description.linear),
        range_assumed=range_assumed,
        velocity_assumed=velocity_assumed,
        effort_assumed=effort_assumed,
        load=_load_limits(description),
    )


def _load_limits(description: Description) -> LoadLimits:
    table = description.limits
    ratings, handling = table.ratings, table.handling
    assumed = table.sources[ratings.source_of("payload_kg")].grade == "assumed"
    wrist = {} if handling is None else handling.known()
    guessed = frozenset(
        name
        for name, key in HANDLING.items()
        if handling is not None
        and name in wrist
        and table.sources[handling.source_of(key)].grade == "assumed"
    )
    return LoadLimits(ratings.payload_kg, assumed, wrist, guessed, _flange_distance(description))


def _flange_distance(description: Description) -> float | None:
    """Return the distance from axis 5 to tool0 [m], of a six-axis arm whose wrist axes meet."""
    joints, tool0 = description.kinematics.joints, description.kinematics.tool0
    if len(description.axes) != 6 or len(joints) != 6 or joints["joint_6"].a_mm or tool0.a_mm:
        return None
    return (joints["joint_6"].d_mm + tool0.d_mm) / 1000.0


def friction_of(description: Description) -> Stribeck | None:
    """Return the friction law of a robot's tables, None where they have none."""
    table = description.friction
    if table.default is None:
        return None
    return law_of(table.sets[table.default], description.linear)


def rotors_of_set(bodies: InertialSet, axes: Sequence[str], linear: Sequence[bool]) -> Array:
    """Rotor inertias of a set, arm side; 0 where it has none."""
    return np.array(
        [
            bodies.rotors[axis].value(straight) if axis in bodies.rotors else 0.0
            for axis, straight in zip(axes, linear, strict=True)
        ],
        dtype=float,
    )


def springs_of(description: Description, limits: Limits) -> tuple[Spring, ...]:
    """Return the springs of a robot's tables; those of which a number is unknown are left out.

    Raises:
        TableError: if one cannot exist on the range of its axis.
    """
    elements, file = description.springs.elements, description.folder / "springs.yaml"
    return springs_of_rows(elements, description.axes, limits, file)


def springs_of_rows(
    rows: Mapping[str, SpringRow], axes: Sequence[str], limits: Limits, file: Path
) -> tuple[Spring, ...]:
    """Return springs of checked rows; those of which a number is unknown are left out.

    Args:
        rows: By the name of the part.
        axes: Names of the axes.
        limits: Their ranges.
        file: Of the rows.

    Raises:
        TableError: if one cannot exist on the range of its axis.
    """
    springs: list[Spring] = []
    for name, row in rows.items():
        try:
            element = existing_spring(row, axes, *limits.envelope(), limits.linear)
            springs += [] if element is None else [element]
        except InputError as err:
            raise TableError(file, f"elements.{name}", str(err)) from None
    return tuple(springs)


def _linkage_of(description: Description) -> Linkage | None:
    """Return the dimensions of a parallelogram; None for an arm without one, and a palletizer."""
    bar = description.kinematics.parallelogram
    return (
        None
        if bar is None or description.kinematics.level is not None
        else Linkage(description.kinematics.joints["joint_3"].a_mm / 1000.0, bar.crank_mm / 1000.0)
    )


def motors_of(description: Description) -> Motors:
    """Return the motor map of drives.yaml; motors without a row are unknown."""
    ratios = np.full(len(description.axes), np.nan)
    for name, row in description.drives.axes.items():
        if row.gear_ratio is not None:
            ratios[description.axes.index(name)] = row.gear_ratio
    matrix = np.diag(ratios)
    for name, row in description.drives.axes.items():
        for other, ratio in (row.turned_by or {}).items():
            matrix[description.axes.index(name), description.axes.index(other)] = ratio
    return Motors(matrix)


def drive_axes_of(description: Description) -> Array:
    """Turns of drives per turn of axes, in turns of their own axis, shape ``(n, n)``."""
    D = np.eye(len(description.axes))
    for name, row in description.drives.axes.items():
        for other, turns in (row.turned_by or {}).items():
            drive, axis = description.axes.index(name), description.axes.index(other)
            D[drive, axis] = turns / cast(float, row.gear_ratio)  # such a row has its gear
    return D


def rotors_of(description: Description) -> Array:
    """Rotor inertias of drives.yaml on the motor side [kg m^2], shape ``(n,)``.

    0 where the table has none or no gear.

    Raises:
        MissingData: if no axis has one.
    """
    result = np.zeros(len(description.axes))
    for name, row in description.drives.axes.items():
        if row.rotor_inertia_kg_m2 is not None and row.gear_ratio is not None:
            result[description.axes.index(name)] = row.rotor_inertia_kg_m2
    if not result.any():
        raise MissingData(
            f"{description.name}: no rotor inertia is known; give one value per axis, arm side [kg"
            " m^2]"
        )
    return result


def load_tool(name_or_path: str | Path) -> Tool:
    """Read a shipped tool by name, or a tool table by path.

    A load whose moments are all zero is a point mass, as ABB has it.

    Raises:
        UnknownName: if there is no such tool.
        TableError: if the table breaks the format, or no body can have its load.

    Example:
        >>> import irbmodels as irb
        >>> irb.load_tool("spindle").load.mass
        12.7
    """
    path = tool_path(str(as_path(name_or_path, "a tool is a name or a path; what is given")))
    table = read(path, ToolTable)
    inertial = table.load.inertial()
    # else it is a point mass
    wrong = inertial.impossibilities() if inertial.tensor.any() or inertial.mass <= 0.0 else []
    if wrong:
        raise TableError(path, "load", "; ".join(wrong))
    meshes = mesh_folder(path.parent)
    for key, rows in (("shapes", table.shapes), ("collision", table.collision)):
        for number, row in enumerate(rows):
            check_shape(row, path, f"{key}[{number}]", meshes)
    doubt_metres([*table.tcp.xyz_mm, *table.load.com_mm], str(path))
    rotation = pin.rpy.rpyToMatrix(*(radians(angle) for angle in table.tcp.rpy_deg))
    source = table.sources[table.load.source_of("mass_kg")]
    tcp = pin.SE3(rotation, np.array(table.tcp.xyz_mm) / 1000.0)
    try:
        return Tool(path.stem, tcp, inertial, source.ref, source.grade, path)
    except InputError as err:
        raise TableError(path, "", str(err)) from None
