"""Conversions: tooldata and tools, loaddata and bodies, targets of stationary tools."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import permutations, product

import numpy as np

from ..checks import as_instance
from ..errors import InputError, RapidError
from ..model.inertia import Inertial
from ..model.tool import Tool, doubt_metres, payload
from ..model.types import SE3, Array
from .constants import visible_value, visible_values
from .module import Module
from .parser import read_value
from .records import Orient, Pos, Pose, round_values
from .value_builder import Expression
from .values import LoadData, RobTarget, ToolData, Unit, WobjData

_DIGITS = 12  # of a moment of inertia that an eigendecomposition gave; the rest is rounding


def tool_of(data: ToolData | str, name: str = "tool") -> Tool:
    """Return the tool of a tooldata, or of its text; a declaration's text gives the name too.

    Raises:
        RapidError: if the text is no tooldata.
        InputError: if the tool is stationary, or no body can have its load.
    """
    if isinstance(data, str):
        declared = data.partition(":=")[0].split() if ":=" in data else [name]
        data, name = read_value(data, ToolData), declared[-1]
    if not as_instance(data, ToolData, "a tool is made of tooldata, a value or its text").robhold:
        raise InputError(
            f"tool {name!r} is stationary (robhold FALSE): it stands in the world, its load is a"
            " gripper's"
        )
    body = body_of(data.tload)
    doubt_metres([*data.tframe.trans.values, *data.tload.cog.values], f"tooldata of tool {name!r}")
    return Tool(name, data.tframe.se3(), body, source="tooldata")


def tool_named(module: Module, name: str) -> Tool:
    """Return the tool of a module's tooldata, or of a module that it uses, in any case.

    Raises:
        UnknownName: if there is no such tooldata.
        RapidError: if it is no tool that a robot can carry; with file, line and name.
    """
    data = visible_value(module, "tooldata", name)
    own = next(one for one in visible_values(module, "tooldata") if one.lower() == name.lower())
    declared = own.partition("{")[0]
    where = next(one for one in (module, *module.uses) if declared in {datum.name for datum in one})
    place = where.declaration(declared)
    try:
        if isinstance(data, Expression):
            raise InputError(f"{data.text} has to be computed")
        return tool_of(data, own)
    except InputError as err:
        column = place.span[0] - where.text.rfind("\n", 0, place.span[0])
        raise RapidError(place.line, column, f"tooldata {own}: {err}", where.file) from None


def tooldata_of(tool: Tool) -> ToolData:
    """Return the tooldata of a tool, held by the robot.

    Numbers have nine decimals, moments twelve digits.
    """
    as_instance(tool, Tool, "tooldata is that of an irbmodels.Tool")
    return ToolData(True, Pose.of(tool.tcp), loaddata_of(tool.load))


def body_of(data: LoadData) -> Inertial:
    """Return mass [kg], centre of mass [m] and inertia [kg m^2] of a loaddata, in its frame.

    Moments that are all zero mean a point mass.

    Raises:
        InputError: if the mass is not positive, or no body can have these moments.
    """
    if not as_instance(data, LoadData, "a body is made of loaddata").mass > 0.0:
        raise InputError(
            f"mass {data.mass:g} kg: this load was never defined; a load needs a positive mass"
        )
    rotation = data.aom.matrix() if any((data.ix, data.iy, data.iz)) else np.eye(3)
    tensor = rotation @ np.diag([data.ix, data.iy, data.iz]) @ rotation.T
    return payload(data.mass, np.array(data.cog.values) / 1000.0, 0.5 * (tensor + tensor.T))


def loaddata_of(body: Inertial) -> LoadData:
    """Return the loaddata of a body, in the axes of tool0 (a tool) or of the TCP (a payload).

    Of the 24 right-handed frames of principal axes, the one nearest to the body's frame is taken: a
    diagonal tensor keeps its order, and aom is [1,0,0,0].
    """
    as_instance(body, Inertial, "loaddata is that of an irbmodels.Inertial")
    centre = Pos(*round_values(1000.0 * body.com))
    if not np.any(body.tensor):
        return LoadData(body.mass, centre, Orient(1.0, 0.0, 0.0, 0.0), 0.0, 0.0, 0.0)
    moments, rotation = principal(body.tensor)
    return LoadData(
        body.mass,
        centre,
        Orient.of(rotation),
        *(float(f"{value:.{_DIGITS}g}") for value in moments),
    )


def principal(tensor: Array) -> tuple[Array, Array]:
    """Return principal moments and axes, the columns of the rotation nearest to the identity."""
    moments, vectors = np.linalg.eigh(tensor)
    best = max(
        (
            (order, np.array(signs))
            for order in permutations(range(3))
            for signs in product((1.0, -1.0), repeat=3)
            if np.linalg.det(vectors[:, order] * signs) > 0.0
        ),
        # ties: the first, on any machine
        key=lambda choice: round(float(np.trace(vectors[:, choice[0]] * choice[1])), 9),
    )
    order, signs = best
    return moments[list(order)], vectors[:, order] * signs


def tool0_pose(
    target: RobTarget,
    tool: ToolData,
    wobj: WobjData | None = None,
    units: Mapping[str, Unit] | None = None,
) -> SE3:
    """Return the pose of tool0 [m] in the world that puts a tool on a target.

    For a held tool, or a stationary tool and a held work object.

    Raises:
        InputError: if the robot holds both or neither, or the object's unit is not known.
    """
    as_instance(target, RobTarget, "a target is a RobTarget")
    as_instance(tool, ToolData, "the tool of a target is a ToolData")
    held = wobj is not None and as_instance(wobj, WobjData, "a work object is a WobjData").robhold
    if tool.robhold == held:
        both = "both tool and work object" if held else "neither tool nor work object"
        raise InputError(f"the robot holds {both}: one robhold is TRUE, the other FALSE")
    if wobj is None or not held:
        return target.pose(wobj, units) * tool.tframe.se3().inverse()
    tool0_from_tcp = wobj.frame(target.extax, units) * Pose(target.trans, target.rot).se3()
    return tool.tframe.se3() * tool0_from_tcp.inverse()
