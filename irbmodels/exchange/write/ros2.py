"""A ROS 2 description package: URDF, xacro with ros2_control, SRDF, limits, controllers, launch.

It is plain text, written without ROS and read without macros of this package.
"""

from __future__ import annotations

import json
import re
from html import escape
from pathlib import Path
from string import Template
from typing import NamedTuple

import numpy as np

from ...errors import InputError, MissingData
from ...model.shapes import shapes_of
from ...model.tree import UNLIMITED
from ...model.urdf import parse_urdf
from ...robot.body_hulls import shapes_urdf
from ...robot.collision import Collider, Pair, adjacent, always_touching, read_srdf, srdf_path
from ...robot.robot import Robot
from ...tables.description import data_folder, robots
from ...version import __version__
from . import Options
from .meshes import gathered_meshes, write_files
from .ros2_templates import FILES, PARALLELOGRAM, SERIAL
from .springs import spring_files
from .urdf import is_serial_twin, standing, urdf_of

_LIMITS = ("lower", "upper", "velocity")
_HARDWARE = "mock_components/GenericSystem"
_RATE = 250  # [Hz] what ABB's externally guided motion takes at most


class _Axis(NamedTuple):
    """A commanded joint, with the limits of the URDF; None where it gives none."""

    joint: str
    lower: float | None
    upper: float | None
    velocity: float | None
    assumed: bool
    """True if the tables grade the speed as assumed."""


def write(robot: Robot, folder: Path, options: Options) -> list[Path]:
    """Write the package ``NAME_description`` into the folder, all its meshes inside it.

    ``coupling`` is the parallelogram where the arm has one, so that ``joint_3`` is the controller's
    axis 3; on the open chain ``joint_3`` is the angle between the arms, and a four-bar transmission
    leads from one to the other.

    Raises:
        InputError: if an option does not go with the robot, or absolute mesh paths are asked for.
        FileError: if a mesh is not there, or a file cannot be written.
    """
    if options.meshes == "absolute":
        raise InputError(
            "the meshes of a ROS 2 package are inside it: leave meshes out, or say package"
        )
    name = ros_name(robot.name)
    package = f"{name}_description"
    if (folder / package / "urdf").resolve() == robot.folder.resolve():
        raise InputError(
            f"{folder / package} is the package that {robot.name} comes from; choose another folder"
        )
    bare = urdf_of(robot, options)
    text, meshes = gathered_meshes(standing(bare, robot), robot.folder, f"package://{package}/")
    axes, serial = _axes(text, robot), is_serial_twin(robot, options)
    couplings = _couplings(robot) if serial else {}
    shipped = robot.description is not None and robot.name in robots()
    values = {
        "name": name,
        "package": package,
        "robot": re.sub(r"[<>&\"\n]", " ", robot.name),
        "version": __version__,
        "licence": "Apache-2.0" if shipped else "see the URDF that it was made from",
        "hardware": _HARDWARE,
        "joints": _block(axes),
        "transmissions": _transmissions(axes, couplings),
        "names": ", ".join(_in_yaml(axis.joint) for axis in axes),
        "rate": str(_RATE),
        "root": _in_yaml(_root_link(text)),
        "folders": " ".join(["config", "launch", *(["meshes"] if meshes else []), "rviz", "urdf"]),
        "coupling": _coupling_note(robot, axes, serial),
        "friction": ", which is known for this robot" if robot.friction_model is not None else "",
        "tool": f" with the tool `{robot.tool.name}`" if robot.tool else "",
        "mounted": ""
        if robot.world_from_base.isIdentity(0.0)
        else ", mounted below the link `world`",
    }
    files: dict[str, str | Path] = {f"urdf/{name}.urdf": text}
    files |= {
        path.replace("NAME", name): Template(content).substitute(values)
        for path, content in FILES.items()
    }
    files[f"config/{name}.srdf"] = _srdf(robot, bare, name, axes)
    files["config/joint_limits.yaml"] = _joint_limits(axes)
    files |= {f"config/{file}": table for file, table in spring_files(robot, name).items()}
    licence = data_folder().parent / "meshes" / "LICENSE"
    if shipped and licence.is_file():
        files["LICENSE"] = licence
    copies = write_files(folder / package, meshes)  # before the files that name them
    return [*write_files(folder / package, files), *copies]


def ros_name(name: str) -> str:
    """Return a ROS name: small letters, digits and single underscores, a letter first."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if re.match(r"[a-z]", plain) else f"robot_{plain}".rstrip("_")


def _axes(text: str, robot: Robot) -> list[_Axis]:
    joints = {joint.get("name"): joint for joint in parse_urdf(text).iterfind("joint")}
    axes = []
    for name, assumed in zip(robot.axes, robot.limits.velocity_assumed, strict=True):
        joint = joints[name]
        limit = joint.find("limit")
        low, high, speed = (0.0 if limit is None else float(limit.get(key, "0")) for key in _LIMITS)
        bounded = joint.get("type") != "continuous" and -UNLIMITED < low < high < UNLIMITED
        lower, upper = (low, high) if bounded else (None, None)
        axes.append(_Axis(name, lower, upper, speed if speed > 0.0 else None, bool(assumed)))
    return axes


def _couplings(robot: Robot) -> dict[int, int]:
    """Return ``{i: j}`` where joint i of the open chain is ``q_i - q_j`` of the axes.

    Joint j is axis j itself.
    """
    couplings: dict[int, int] = {}
    if robot.description is None:
        return couplings
    A = robot.description.dh("modified").A
    for i, j in np.argwhere(A).tolist():
        if i != j:
            # what a parallelogram does, and a four-bar transmission says
            assert (A[i, i], A[i, j]) == (1.0, -1.0)
            couplings[i] = j
    return couplings


def _block(axes: list[_Axis]) -> str:
    lines = []
    for axis in axes:
        lines.append(f'      <joint name="{escape(axis.joint)}">')
        start = 0.0
        if axis.lower is None or axis.upper is None:
            lines.append('        <command_interface name="position"/>')
        else:
            start = min(max(0.0, axis.lower), axis.upper)
            ends = (
                f'<param name="min">{axis.lower!r}</param><param name="max">{axis.upper!r}</param>'
            )
            lines.append(f'        <command_interface name="position">{ends}</command_interface>')
        lines.append(
            '        <state_interface name="position"><param'
            f' name="initial_value">{start!r}</param></state_interface>'
        )
        lines += ['        <state_interface name="velocity"/>', "      </joint>"]
    return "\n".join(lines)


def _transmissions(axes: list[_Axis], couplings: dict[int, int]) -> str:
    """Return a transmission per axis.

    An axis that is coupled shares one with the axis that turns it along.
    """
    lines = []
    for i in range(len(axes)):
        if i in couplings.values():
            continue  # with its partner
        members = [couplings[i], i] if i in couplings else [i]
        kind = "FourBarLinkageTransmission" if i in couplings else "SimpleTransmission"
        lines += [
            f'      <transmission name="transmission_{"_".join(str(k + 1) for k in members)}">',
            f"        <plugin>transmission_interface/{kind}</plugin>",
        ]
        for tag in ("actuator", "joint"):
            for role, k in enumerate(members, 1):
                member = f"axis_{k + 1}" if tag == "actuator" else escape(axes[k].joint)
                reduction = "<mechanical_reduction>1.0</mechanical_reduction>"
                lines.append(
                    f'        <{tag} name="{member}" role="{tag}{role}">{reduction}</{tag}>'
                )
        lines.append("      </transmission>")
    return "\n".join(lines)


def _srdf(robot: Robot, text: str, name: str, axes: list[_Axis]) -> str:
    links = {str(link.get("name")) for link in parse_urdf(text).iterfind("link")}
    pairs = {
        (min(pair), max(pair)): reason for pair, reason in _ignored(robot).items() if pair <= links
    }
    tree = robot.whole_tree
    tip = "tool0" if "tool0" in links else tree.model.frames[tree.flange].name
    if tip not in links:  # a place to mount tools on, which a URDF does not name
        tip = tree.model.frames[tree.model.frames[tree.flange].parentFrame].name
    home = [
        f'    <joint name="{escape(axis.joint)}"'
        f' value="{min(max(0.0, axis.lower or 0.0), axis.upper or 0.0)}"/>'
        for axis in axes
    ]
    rows = [
        f'  <disable_collisions link1="{escape(one)}" link2="{escape(two)}" reason="{why}"/>'
        for (one, two), why in sorted(pairs.items())
    ]
    group = (
        f'  <group name="manipulator"><chain base_link="{escape(_root_link(text))}"'
        f' tip_link="{escape(tip)}"/></group>'
    )
    start = [
        '<?xml version="1.0" ?>',
        f'<robot name="{name}">',
        group,
        '  <group_state name="home" group="manipulator">',
    ]
    return "\n".join([*start, *home, "  </group_state>", *rows, "</robot>", ""])


def _ignored(robot: Robot) -> dict[Pair, str]:
    """Return the pairs of links that need no check, those that ``irbmodels.collides`` ignores."""
    path = srdf_path(robot)
    known: dict[Pair, str] = dict.fromkeys(adjacent(robot) | _fixed_together(robot), "Adjacent")
    if path is not None:
        known |= read_srdf(path)
    if path is None or robot.tool is not None:
        try:
            collider = Collider(robot, ignored=known)
        except MissingData:
            return known
        new = {pair for pair in collider.pairs if path is None or "tool0" in pair}
        known |= dict.fromkeys(always_touching(robot, collider.only(new)), "Always")
    return known


def _fixed_together(robot: Robot) -> set[Pair]:
    """Return pairs of links with collision shapes fixed to each other, such as tool and flange."""
    tree = robot.whole_tree
    shaped = {
        shape.link for shape in shapes_of(parse_urdf(shapes_urdf(robot)), robot.folder, "collision")
    }
    body = {link: tree.model.frames[tree.frame(link)].parentJoint for link in shaped}
    return {
        frozenset((one, other))
        for one in shaped
        for other in shaped
        if one < other and body[one] == body[other]
    }


def _joint_limits(axes: list[_Axis]) -> str:
    lines = [
        "# Speeds are those of the URDF. No acceleration limit is published, so none is given.",
        (
            "# The efforts in the URDF are assumed bounds: no torque limit of these robots is"
            " published."
        ),
        "joint_limits:",
    ]
    for axis in axes:
        lines += [
            f"  {_in_yaml(axis.joint)}:",
            f"    has_velocity_limits: {'false  # unknown' if axis.velocity is None else 'true'}",
        ]
        if axis.velocity is not None:
            lines.append(
                f"    max_velocity: {axis.velocity!r}{'  # assumed' if axis.assumed else ''}"
            )
        lines += ["    has_acceleration_limits: false", "    has_jerk_limits: false"]
    return "\n".join([*lines, ""])


def _coupling_note(robot: Robot, axes: list[_Axis], serial: bool) -> str:
    """Return the paragraph on the coupling for the package's README."""
    if serial:
        i, j = next(iter(_couplings(robot).items()))
        return Template(SERIAL).substitute(
            one=axes[j].joint, other=axes[i].joint, first=f"axis_{j + 1}", second=f"axis_{i + 1}"
        )
    if robot.description is None:
        return "Every joint without `<mimic>` is an axis."
    return (
        PARALLELOGRAM
        if robot.description.kinematics.parallelogram
        else "Every joint is an axis of the controller."
    )


def _in_yaml(name: str) -> str:
    return name if re.fullmatch(r"[a-z]+_[a-z0-9_]+", name) else json.dumps(name)


def _root_link(text: str) -> str:
    root = parse_urdf(text)
    children = {child.get("link") for child in root.iterfind("joint/child")}
    return next(
        str(link.get("name")) for link in root.iterfind("link") if link.get("name") not in children
    )
