"""Postures at the targets of a RAPID module, with ranges and singularities, as text."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np

from ..errors import InputError, MissingData, RapidError, UnknownName
from ..kinematics.singularities import near_singularities
from ..model.tool import Tool
from ..model.types import Array
from ..rapid import Expression, JointTarget, Module, RobTarget, WobjData, tool_of, values_of
from ..robot.robot import Robot
from ..tables.building import load_tool


def declaration_lines(module: Module) -> Iterator[str]:
    """Lines with every declaration of a module, each with its line in the file."""
    yield f"{module.name}: {len(module.declarations)} declarations"
    for declaration in module:
        yield f"{declaration.line:6d}  {declaration}"


def visible_value(module: Module, kind: str, name: str) -> Any:
    """Return a value of a module by its type and name, in any case.

    Raises:
        UnknownName: if there is none of that type.
    """
    known = visible_values(module, kind)
    value = next((value for one, value in known.items() if one.lower() == name.lower()), None)
    if value is None:
        raise UnknownName(kind, name, known)
    return value


def visible_values(module: Module, kind: str) -> dict[str, Any]:
    """Return all values of a type by name, with those of used modules that are not LOCAL."""
    shared = {
        name: value
        for other in reversed(module.uses)
        for name, value in values_of(other, kind).items()
        if other.declaration(name.partition("{")[0]).scope != "LOCAL"
    }
    return shared | values_of(module, kind)


def find_tool(module: Module, name: str) -> Tool:
    """Return the tool of a module's tooldata by its name, in any case.

    Else the shipped tool, or that of a table or a text.

    Raises:
        RapidError: if the tooldata is no tool that a robot can carry; with file, line and name.
        UnknownName: if there is neither.
    """
    own = {one.lower(): one for one in visible_values(module, "tooldata")}
    if name.lstrip().startswith("[") or ":=" in name:
        return tool_of(name)
    if name.lower() not in own:
        try:
            return load_tool(name)
        except UnknownName as err:
            raise UnknownName(err.kind, name, [*own.values(), *err.known]) from None
    data, declared = visible_value(module, "tooldata", name), own[name.lower()].partition("{")[0]
    where = next(
        one
        for one in (module, *module.uses)
        if declared in {visible_value.name for visible_value in one}
    )
    place = where.declaration(declared)
    try:
        if isinstance(data, Expression):
            raise InputError(f"{data.text} has to be computed")
        return tool_of(data, own[name.lower()])
    except InputError as err:
        column = place.span[0] - where.text.rfind("\n", 0, place.span[0])
        raise RapidError(
            place.line, column, f"tooldata {own[name.lower()]}: {err}", where.file
        ) from None


def posture_lines(
    module: Module, robot: Robot, wobj: str | None = None, units: Mapping[str, Robot] | None = None
) -> Iterator[str]:
    """Lines with every posture of a robot at each target of a module; ``*`` is as programmed.

    Args:
        module: Its robtargets and jointtargets are taken, those in arrays too.
        robot: With its tool, mounted where it stands in the world of the work object.
        wobj: Name of the work object that targets are given in; None is ``wobj0``.
        units: Mechanical units by name, for a work object that one moves.

    Raises:
        UnknownName: if the module has no such work object.
    """
    frame = None if wobj is None else visible_value(module, "wobjdata", wobj)
    for kind in ("robtarget", "jointtarget"):
        for name, target in values_of(module, kind).items():
            try:
                if isinstance(target, Expression):
                    yield f"{name}: {target.text} has to be computed, and is left out"
                elif isinstance(target, JointTarget):
                    yield from _row(robot, f"{name}:", target.q(robot))
                else:
                    yield from _of_target(robot, name, target, frame, units)
            except InputError as err:
                yield f"{name}: {err}"


def _of_target(
    robot: Robot,
    name: str,
    target: RobTarget,
    wobj: WobjData | None,
    units: Mapping[str, Robot] | None,
) -> Iterator[str]:
    pose = target.pose(wobj, units)
    solutions: Any = robot.inverse_kinematics(pose, reference="world")
    if not solutions:
        yield f"{name}: no solution: {solutions.note}"
        return
    programmed: Any = robot.inverse_kinematics(
        pose, configuration=target.robconf.values, reference="world"
    )
    others = [
        one
        for one in solutions
        if not any(np.allclose(one.q, own.q, atol=1e-6) for own in programmed)
    ]
    inside = sum(one.in_range for one in (*programmed, *others))
    wanted = "" if programmed else f", none as programmed, {target.robconf}"
    yield f"{name}: {len(programmed) + len(others)} solutions, {inside} in range{wanted}"
    for sign, solutions in (("*", programmed), (" ", others)):
        for one in solutions:
            yield from _row(robot, f"  {sign}", one.q, str(one.configuration))


def _row(robot: Robot, head: str, q: Array, configuration: str = "") -> Iterator[str]:
    shown = " ".join(f"{round(float(value), 3) + 0.0:9.3f}" for value in robot.to_controller(q))
    notes = [*map(str, robot.violations(q)), *_near(robot, q)]
    yield " ".join([head, shown, configuration, "; ".join(notes)]).rstrip()


def _near(robot: Robot, q: Array) -> Iterator[str]:
    """Yield the singularities that a posture is near, with distances."""
    try:
        distances = robot.singularities(q)
    except MissingData:  # an arm of another shape
        return
    for kind, distance in near_singularities(distances).items():
        away = (
            f"{1000.0 * distance:.2f} mm"
            if kind == "shoulder"
            else f"{math.degrees(distance):.3f} deg"
        )
        yield f"{away} from the {kind} singularity"
