"""Postures at the targets of a RAPID module, with ranges and singularities, as text or data."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping
from typing import Any, Literal, NamedTuple

import numpy as np

from ..errors import InputError, MissingData, UnknownName
from ..kinematics.configuration import UNSURE
from ..kinematics.singularities import near_singularities
from ..model.tool import Tool
from ..model.types import Array
from ..rapid import Expression, JointTarget, Module, RobTarget, WobjData, values_of
from ..rapid.constants import visible_value, visible_values
from ..rapid.convert import tool_named
from ..robot.robot import Robot, tool_from


def declaration_lines(module: Module) -> Iterator[str]:
    """Lines with every declaration of a module, each with its line in the file."""
    yield f"{module.name}: {len(module.declarations)} declarations"
    for declaration in module:
        yield f"{declaration.line:6d}  {declaration}"


def find_tool(module: Module, name: str) -> Tool:
    """Return the tool of a module's tooldata by its name, in any case.

    Else the tool that the name means by itself, as of :func:`irbmodels.load`.

    Raises:
        RapidError: if the tooldata is no tool that a robot can carry; with file, line and name.
        UnknownName: if there is neither.
    """
    own = visible_values(module, "tooldata")
    if name.lower() in map(str.lower, own):
        return tool_named(module, name)
    try:
        return tool_from(name)
    except UnknownName as err:
        if err.kind != "tool":  # of another file
            raise
        raise UnknownName(err.kind, name, [*own, *err.known]) from None


class TargetPosture(NamedTuple):
    """Posture of a robot at a target."""

    q: Array
    """Axis positions [rad, m], shape ``(n,)``."""
    configuration: str | None
    """confdata; None of a jointtarget."""
    programmed: bool
    """It has the configuration of the target."""
    in_range: bool


class TargetPostures(NamedTuple):
    """All postures of a robot at a target of a module."""

    name: str
    kind: Literal["robtarget", "jointtarget"]
    problem: str | None
    """Why there is none."""
    wanted: str
    """confdata of a robtarget."""
    postures: tuple[TargetPosture, ...]
    """As programmed before others."""


def target_postures(
    module: Module, robot: Robot, wobj: str | None = None, units: Mapping[str, Robot] | None = None
) -> Iterator[TargetPostures]:
    """Every posture of a robot at each target of a module.

    Args:
        module: Its robtargets and jointtargets are taken, those in arrays too.
        robot: With its tool, mounted where it stands in the world of the work object.
        wobj: Name of the work object that targets are given in; None is ``wobj0``.
        units: Mechanical units by name, for a work object that one moves.

    Raises:
        UnknownName: if the module has no such work object.
    """
    frame = None if wobj is None else visible_value(module, "wobjdata", wobj)
    kinds: tuple[Literal["robtarget", "jointtarget"], ...] = ("robtarget", "jointtarget")
    for kind in kinds:
        for name, target in values_of(module, kind).items():
            problem: str | None = None
            postures: tuple[TargetPosture, ...] = ()
            wanted = ""
            try:
                if isinstance(target, Expression):
                    problem = f"{target.text} has to be computed, and is left out"
                elif isinstance(target, JointTarget):
                    q = target.q(robot)
                    postures = (TargetPosture(q, None, True, bool(robot.in_range(q))),)
                else:
                    wanted = str(target.robconf)
                    problem, postures = _of_target(robot, target, frame, units)
            except InputError as err:
                problem = str(err)
            yield TargetPostures(name, kind, problem, wanted, postures)


def posture_lines(targets: Iterable[TargetPostures], robot: Robot) -> Iterator[str]:
    """Lines with every posture of a robot at each target; ``*`` is as programmed."""
    unsure = False
    for name, kind, problem, wanted, postures in targets:
        if problem is not None:
            yield f"{name}: {problem}"
        elif kind == "jointtarget":
            yield _row(robot, f"{name}:", postures[0])
        else:
            inside = sum(one.in_range for one in postures)
            missing = "" if postures[0].programmed else f", none as programmed, {wanted}"
            yield f"{name}: {len(postures)} solutions, {inside} in range{missing}"
            for one in postures:
                unsure |= str(one.configuration).endswith("?")
                yield _row(robot, f"  {'*' if one.programmed else ' '}", one)
    if unsure:
        yield UNSURE


def targets_record(
    module: Module, robot: Robot | None, targets: Iterable[TargetPostures] | None
) -> dict[str, Any]:
    """Return declarations, and postures of a robot where there is one, for programs: SI units."""
    about: dict[str, Any] = {"robot": None, "targets": None}
    if robot is not None and targets is not None:
        about = {
            "targets": [
                {
                    "name": one.name,
                    "kind": one.kind,
                    "problem": one.problem,
                    "postures": [_posture(robot, posture) for posture in one.postures],
                }
                for one in targets
            ]
        }
    return {
        **about,
        "module": module.name,
        "declarations": [{"line": one.line, "text": str(one)} for one in module],
        "notes": list(map(str, module.notes)),
    }


def _of_target(
    robot: Robot, target: RobTarget, wobj: WobjData | None, units: Mapping[str, Robot] | None
) -> tuple[str | None, tuple[TargetPosture, ...]]:
    pose = target.pose(wobj, units)
    solutions: Any = robot.inverse_kinematics(pose, reference="world")
    if not solutions:
        return f"no solution: {solutions.note}", ()
    programmed: Any = robot.inverse_kinematics(
        pose, configuration=target.robconf.values, reference="world"
    )
    others = [
        one
        for one in solutions
        if not any(np.allclose(one.q, own.q, atol=1e-6) for own in programmed)
    ]
    return None, tuple(
        TargetPosture(one.q, str(one.configuration), as_programmed, one.in_range)
        for as_programmed, found in ((True, programmed), (False, others))
        for one in found
    )


def _posture(robot: Robot, one: TargetPosture) -> dict[str, Any]:
    return {
        "q_rad": one.q,
        "configuration": one.configuration,
        "programmed": one.programmed,
        "in_range": one.in_range,
        "violations": robot.violations(one.q),
        "near": list(near_texts(robot, one.q)),
    }


def _row(robot: Robot, head: str, one: TargetPosture) -> str:
    shown = " ".join(f"{round(float(value), 3) + 0.0:9.3f}" for value in robot.to_controller(one.q))
    notes = [*map(str, robot.violations(one.q)), *near_texts(robot, one.q)]
    return " ".join([head, shown, one.configuration or "", "; ".join(notes)]).rstrip()


def near_texts(robot: Robot, q: Array) -> Iterator[str]:
    """Yield the singularities that a posture is near, with distances in degrees and mm."""
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
