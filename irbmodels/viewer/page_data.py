"""Numbers of a robot that its page needs: joints, axes, limits, frames, bodies, motion."""

from __future__ import annotations

import base64
import math
from contextlib import suppress
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from ..errors import InputError, MissingData
from ..model.coupling import coupling_of
from ..model.inertia import Inertial
from ..model.limits import ROUNDING
from ..model.shapes import link_of, placement_of
from ..model.tree import UNLIMITED
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion

_LIGHT = 1e-4  # [kg] carriers of exchange files are not drawn
# [kg/m^3] a centre of mass is drawn as a ball of steel that weighs as much as its link
_STEEL = 7850.0
_SAMPLES = 20_000  # of a motion in a page; longer ones are thinned


def node_path(path: str) -> list[str]:
    """Return the names of a node of meshcat's tree, from its root."""
    return ["meshcat", *path.split("/")]


def root_link(document: Element) -> str:
    """Return the link that is no child of a joint."""
    children = {link_of(joint, "child") for joint in document.iterfind("joint")}
    return next(
        str(link.get("name"))
        for link in document.iterfind("link")
        if link.get("name") not in children
    )


def link_paths(document: Element, root: str) -> dict[str, str]:
    """Return the node of each link: parent's node, fixed node of the joint, moving node."""
    above = {link_of(joint, "child"): joint for joint in document.iterfind("joint")}
    paths: dict[str, str] = {}

    def path(link: str) -> str:
        if link not in paths:
            joint = above.get(link)
            start = (
                root
                if joint is None
                else f"{path(link_of(joint, 'parent'))}/{node_name(str(joint.get('name')))}"
            )
            paths[link] = f"{start}/{node_name(link)}"
        return paths[link]

    for link in document.iterfind("link"):
        path(str(link.get("name")))
    return paths


def node_name(name: str) -> str:
    """Return a name as one part of a path; meshcat drops empty parts."""
    return name.replace("/", ":") or "_"


def joint_data(document: Element, robot: Robot, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return node, axis and coupling row of each moving joint, those of the axes first."""
    moving = {
        str(joint.get("name")): joint
        for joint in document.iterfind("joint")
        if joint.get("type") != "fixed"
    }
    names = [*robot.axes, *(name for name in moving if name not in robot.axes)]
    coupling = coupling_of(document, names)
    joints = []
    for name, row, offset in zip(names, coupling.G.tolist(), coupling.q0.tolist(), strict=True):
        joint = moving[name]
        tag = joint.find("axis")
        axis = np.array(["1", "0", "0"] if tag is None else tag.get("xyz", "1 0 0").split(), float)
        joints.append(
            {
                "name": name,
                "path": node_path(paths[link_of(joint, "child")]),
                "axis": (axis / np.linalg.norm(axis)).tolist(),
                "slides": joint.get("type") == "prismatic",
                "row": row,
                "offset": offset,
            }
        )
    return joints


def axis_data(robot: Robot, i: int, joint: int) -> dict[str, Any]:
    """Return label, units, range and joint of an axis, as its slider shows it."""
    linear = bool(robot.limits.linear[i])
    scale, unit = (1000.0, "mm") if linear else (math.degrees(1.0), "°")
    low, high = (float(bound[i]) for bound in robot.limits.envelope())
    unlimited = high - low >= UNLIMITED
    low, high = (-math.pi, math.pi) if unlimited else (low, high)
    speed, effort = float(robot.limits.velocity[i]), float(robot.limits.effort[i])
    assumed = {"speed": robot.limits.velocity_assumed[i], "torque": robot.limits.effort_assumed[i]}
    return {
        "label": str(i + 1) if robot.description is not None else robot.axes[i],
        "unit": unit,
        "torque": "N" if linear else "N m",
        "scale": scale,
        "step": 1.0,
        "low": scale * low,
        "high": scale * high,
        "bounded": not unlimited,
        "range": "unlimited" if unlimited else f"{scale * low:.6g} to {scale * high:.6g} {unit}",
        "joint": joint,
        "speed": speed if math.isfinite(speed) else None,
        "assumed": {name: bool(flag) for name, flag in assumed.items()},
        "effort": effort if math.isfinite(effort) else None,
        "full": effort if math.isfinite(effort) else 100.0,
    }


def limit_data(robot: Robot) -> list[dict[str, Any]]:
    """Return ranges as rows over the axes, coupled ones included."""
    limits = robot.limits
    ranges = zip(
        limits.names(), limits.A.tolist(), limits.lower.tolist(), limits.upper.tolist(), strict=True
    )
    rows = zip(limits.row_axes.tolist(), limits.range_assumed.tolist(), ranges, strict=True)
    return [
        {
            "row": row,
            "low": low - ROUNDING,
            "high": high + ROUNDING,
            "axis": axis,
            "text": name,
            "assumed": assumed,
        }
        for axis, assumed, (name, row, low, high) in rows
    ]


def balancer_data(robot: Robot, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return axis, nodes and geometry of balancers whose cylinder and rod move within a link.

    Axis (a point and a direction) and pivots are in the frame of the link before the axis [m], the
    one of the link after it where it is at 0. Nodes hold shapes as at home.
    """
    if robot.description is None:
        return []
    rows = robot.description.springs.elements
    balancers = []
    for name, row in rows.items():
        if row.before_mm is None or row.after_mm is None:
            continue
        axis = robot.description.axes.index(row.axis)
        above = f"link_{axis}" if axis else "base_link"
        home = np.zeros((1, robot.n))
        base, turned = (
            np.asarray(robot.pose(home, link))[0] for link in (above, f"link_{axis + 1}")
        )
        turning = np.linalg.inv(base) @ turned
        centre, normal = turning[:3, 3], turning[:3, 2]
        forward = base[0, :3]  # x of the base: the plane of the tables is (x, -z)
        plane = np.stack([forward, np.cross(normal, forward)], axis=1) / 1000.0
        balancers.append(
            {
                "axis": axis,
                "cylinder": node_path(f"{paths[above]}/{name}_cylinder"),
                "rod": node_path(f"{paths[above]}/{name}_rod"),
                "normal": normal.tolist(),
                "centre": centre.tolist(),
                "before": (centre + plane @ row.before_mm).tolist(),
                "after": (centre + plane @ row.after_mm).tolist(),
            }
        )
    return balancers


def tcp_data(robot: Robot, paths: dict[str, str]) -> dict[str, Any]:
    """Return the link that holds the TCP, and the pose of the TCP in it."""
    rng = np.random.default_rng(0)
    postures = np.stack([np.zeros(robot.n), rng.uniform(-0.3, 0.3, robot.n)])
    tcp = np.asarray(robot.pose(postures))
    for link in ("tcp", "tool0", *reversed(paths)):
        # a tool may have moved it
        if link in paths and link in robot.frames and not (link == "tcp" and robot.tool):
            offsets = np.linalg.inv(np.asarray(robot.pose(postures, link))) @ tcp
            if np.abs(offsets[0] - offsets[1]).max() < 1e-9:
                return {"path": node_path(paths[link]), "matrix": offsets[0].tolist()}
    raise InputError(f"{robot.name}: the TCP is fixed to no link")


def frame_data(robot: Robot, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return frames to draw: of a robot from tables the MDH frames and tool0, else all links."""
    names = [name for name in paths if name in robot.frames]
    if robot.description is not None:
        joints = robot.description.kinematics.joints
        names = ["base", *(joint.replace("joint", "link") for joint in joints), "tool0"]
    shown = [
        {"name": name.replace("link_", ""), "path": node_path(paths[name]), "matrix": None}
        for name in names
    ]
    return [*shown, {"name": "tcp"} | tcp_data(robot, paths)] if robot.tool is not None else shown


def body_data(document: Element, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return centre, ball of equal mass, ellipsoid and box of equal inertia of links with mass."""
    bodies = []
    for link in document.iterfind("link"):
        mass, com, tensor = stated_body(link)
        if mass < _LIGHT:
            continue
        moments, rotation = np.linalg.eigh(tensor)
        rotation[:, 2] *= np.linalg.det(rotation)  # right-handed
        # root mean square of x, y, z
        spread = np.sqrt(np.maximum(0.5 * moments.sum() - moments, 0.0) / mass)
        bodies.append(
            {
                "path": node_path(paths[str(link.get("name"))]),
                "com": com.tolist(),
                "turn": pin.Quaternion(rotation).coeffs().tolist(),
                "ball": (3.0 * mass / (4.0 * math.pi * _STEEL)) ** (1.0 / 3.0),
                "ellipsoid": (math.sqrt(5.0) * spread).tolist(),
                "box": (math.sqrt(12.0) * spread).tolist(),
            }
        )
    return bodies


def motion_data(robot: Robot, motion: Motion) -> dict[str, Any]:
    """Return columns of a motion and its predicted torques, thinned and packed.

    ``half`` is half the 95 % band of a measurement about them, where the set of the robot has one.
    Accelerations are needed to split torques only where the robot holds a payload. ``samples`` is
    their number before thinning.
    """
    count = len(motion.t)
    rows = np.unique([*range(0, count, -(-count // _SAMPLES)), count - 1])
    t, q = motion.t[rows], motion.q[rows]
    v, a, measured = (None if column is None else column[rows] for column in motion[2:5])
    tau, half = None, None
    if v is not None and a is not None and robot.dynamic_model.has_masses:
        friction = robot.friction_model is not None
        tau = robot.inverse_dynamics(q, v, a, friction=friction)
        if robot.uncertainty is not None:
            with suppress(MissingData):  # mounted otherwise than while it was identified
                half = robot.inverse_dynamics_band(q, v, a, noise=True).upper - tau
    columns = {"t": t, "q": q, "v": v, "tau": tau, "half": half, "measured": measured}
    columns["a"] = None if robot.payload is None or tau is None else a
    texts = {name: None if rows is None else packed(rows) for name, rows in columns.items()}
    return texts | {"samples": count}


def packed(rows: Array) -> str:
    """Return an array of numbers as text: doubles in base 64."""
    return base64.b64encode(np.ascontiguousarray(rows, dtype="<f8").tobytes()).decode()


def stated_body(link: Element) -> Inertial:
    """Return the inertial of a URDF's link in its axes; zeros for what is not stated."""

    def numbers(path: str, *keys: str) -> list[float]:
        tag = link.find(path)
        return [0.0 if tag is None else float(tag.get(key, "0")) for key in keys]

    pose, (mass,) = placement_of(link.find("inertial/origin")), numbers("inertial/mass", "value")
    xx, yy, zz, xy, xz, yz = numbers(
        "inertial/inertia", *("ixx", "iyy", "izz", "ixy", "ixz", "iyz")
    )
    tensor = np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
    return Inertial(mass, pose[:3, 3], pose[:3, :3] @ tensor @ pose[:3, :3].T)
