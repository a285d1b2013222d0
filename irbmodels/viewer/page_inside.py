"""What lies inside a robot, for its page: plane and working range, bodies and their sources."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Sequence
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import InputError, MissingData, PhysicsWarning
from ..kinematics.arm_geometry import OffsetWrist, Scara
from ..kinematics.planar_boundary import Arc
from ..kinematics.planar_links import planar_links
from ..kinematics.singularities import NEAR_ANGLE, NEAR_AXIS
from ..model.shapes import placement_of
from ..model.types import Array
from ..robot.robot import Robot
from ..tables.schema import BodyRow
from .page_answers import gravity_query


def plane_data(robot: Robot) -> dict[str, Any] | None:
    """Return the arm's plane with the outlines of its working range, None without either.

    ``pose`` is that of the frame at the foot of axis 1 in the base, ``(4, 4)``; at angle x1 of the
    arm its plane is that of x and z, turned about z by x1. A SCARA's (``plan``) is that of x and y.
    """
    try:
        space = robot.workspace()
    except (InputError, MissingData):
        return None
    arm, plan = space.arm, isinstance(space.arm, Scara)
    pose = np.eye(4)
    pose[:3, :3] = arm.arm_from_base.T
    pose[:3, 3] = pose[:3, :3] @ (arm.origin_in_arm * [1.0, 1.0, 0.0])
    turned = arm.axis_map.inverse[[0, 1] if plan else [1, 2]]
    return {
        "pose": pose.tolist(),
        "plan": plan,
        "axes": np.flatnonzero(turned.any(axis=0)).tolist(),
        "links": planar_links(arm),
        "outlines": [_points(loop) for loop in space.outlines],
        "near": None
        if isinstance(arm, OffsetWrist)
        else {"elbow": NEAR_ANGLE, "shoulder": NEAR_AXIS},
    }


def _points(arcs: Sequence[Arc]) -> Any:
    return np.round(np.concatenate([arc.sample() for arc in arcs]), 5).tolist()


def set_data(robot: Robot, document: Element) -> dict[str, Any]:
    """Return the bodies of each set of inertials that the robot can have, and their gravity.

    A body is in the axes of its link: mass [kg], centre [mm], inertia about it [kg m^2] in the
    order xx, yy, zz, xy, xz, yz, and the source of each number.
    """
    tool = {} if robot.tool is None else {"tool": _tool(robot)}
    if robot.description is None:
        bodies = {str(link.get("name")): _stated(link) for link in document.iterfind("link")}
        known = {name: body for name, body in bodies.items() if body["mass"]}
        own = {"URDF": {"links": known | tool, "gravity": None}} if known else {}
        return {"own": "URDF", "sets": own, "sources": {}}
    table = robot.description.inertials
    sets: dict[str, dict[str, Any]] = {
        name: {
            "about": table.sets[name].about,
            "links": {
                link: _body(row) | {"impossible": link in table.sets[name].impossible}
                for link, row in table.sets[name].links.items()
            }
            | tool,
            "gravity": gravity_query(other),
        }
        for name, other in _sets(robot)
    }
    sources = {
        key: {"ref": source.ref, "grade": source.grade, "how": source.how}
        for key, source in table.sources.items()
    }
    return {"own": robot.parameters, "sets": sets, "sources": sources}


def _sets(robot: Robot) -> Iterator[tuple[str, Robot]]:
    """Yield the robot with each of its sets that its tree can have; doubts about them are known."""
    assert robot.description is not None
    for name, entry in robot.description.inertials.sets.items():
        if not entry.links:
            continue
        if name == robot.parameters:
            yield name, robot
            continue
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicsWarning)
            try:
                yield name, robot.with_parameters(name)
            except (InputError, MissingData):
                continue


def _body(row: BodyRow) -> dict[str, Any]:
    numbers = ("mass_kg", "com_mm", "inertia_kg_m2")
    return {
        "mass": row.mass_kg,
        "com": list(row.com_mm),
        "inertia": _six(row.inertia_kg_m2.matrix()),
        "sources": [row.source_of(name) for name in numbers],
    }


def _tool(robot: Robot) -> dict[str, Any]:
    assert robot.tool is not None
    mass, com, tensor = robot.tool.load
    source = f"{robot.tool.grade}: {robot.tool.source}, in the axes of tool0"
    return {
        "mass": mass,
        "com": (1e3 * com).tolist(),
        "inertia": _six(tensor),
        "sources": [source] * 3,
    }


def _stated(link: Element) -> dict[str, Any]:
    """Return the inertial of a URDF's link, in the axes of the link."""
    inertial = link.find("inertial")
    if inertial is None:
        return {"mass": 0.0}
    pose = placement_of(inertial.find("origin"))
    mass, inertia = inertial.find("mass"), inertial.find("inertia")
    six = {ij: 0.0 if inertia is None else float(inertia.get(f"i{ij}", "0")) for ij in _ENTRIES}
    rows = [[six["".join(sorted(i + j))] for j in "xyz"] for i in "xyz"]
    tensor = pose[:3, :3] @ rows @ pose[:3, :3].T
    return {
        "mass": 0.0 if mass is None else float(mass.get("value", "0")),
        "com": (1e3 * pose[:3, 3]).tolist(),
        "inertia": _six(tensor),
        "sources": ["the URDF, which states no grade"] * 3,
    }


_ENTRIES = ("xx", "yy", "zz", "xy", "xz", "yz")


def _six(tensor: Array) -> list[float]:
    return [float(tensor["xyz".index(ij[0]), "xyz".index(ij[1])]) for ij in _ENTRIES]
