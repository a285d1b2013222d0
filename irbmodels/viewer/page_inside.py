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
from ..model.inertia import Inertial
from ..robot.robot import Robot
from .page_answers import gravity_query
from .page_data import stated_body

_NUMBERS = ("mass_kg", "com_mm", "inertia_kg_m2")


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
    order xx, yy, zz, xy, xz, yz, and the sources of mass, centre and inertia.
    """
    tool = {}
    if robot.tool is not None:
        source = f"{robot.tool.grade}: {robot.tool.source}, in the axes of tool0"
        tool = {"tool": _body(robot.tool.load, [source] * 3)}
    if robot.description is None:
        stated = {str(link.get("name")): stated_body(link) for link in document.iterfind("link")}
        source = "the URDF, which states no grade"
        known = {link: _body(one, [source] * 3) for link, one in stated.items() if one.mass}
        own = {"URDF": {"links": known | tool, "gravity": None}} if known else {}
        return {"own": "URDF", "sets": own, "sources": {}}
    table = robot.description.inertials
    sets = {}
    for name, other in _sets(robot):
        entry = table.sets[name]
        links = {
            link: _body(row.inertial(), [row.source_of(number) for number in _NUMBERS])
            | {"impossible": link in entry.impossible}
            for link, row in entry.links.items()
        }
        sets[name] = {"links": links | tool, "gravity": gravity_query(other)}
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
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", PhysicsWarning)
            try:
                other = robot if name == robot.parameters else robot.with_parameters(name)
            except (InputError, MissingData):
                continue
        yield name, other


def _body(inertial: Inertial, sources: list[str]) -> dict[str, Any]:
    mass, com, tensor = inertial
    upper = [float(tensor[i, j]) for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
    return {"mass": mass, "com": (1e3 * com).tolist(), "inertia": upper, "sources": sources}
