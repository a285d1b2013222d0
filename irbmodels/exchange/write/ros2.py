"""A ROS 2 description package of a robot: URDF, xacro with ros2_control, SRDF, limits, controllers, a launch file.

It is plain text that needs no ROS to be written, and no macro of ours to be read.
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
from ...robot.collision import Collider, Pair, adjacent, always_touching, read_srdf, srdf_path
from ...robot.robot import Robot
from ...tables.description import data_folder, robots
from ...version import __version__
from . import Options
from .meshes import gathered_meshes, write_files
from .urdf import is_serial_twin, urdf_of

_HARDWARE = "mock_components/GenericSystem"
_RATE = 250  # [Hz] what ABB's externally guided motion takes at most


class _Axis(NamedTuple):
    """A joint that is commanded, with the limits of the URDF; None where it gives none."""

    joint: str
    lower: float | None
    upper: float | None
    velocity: float | None
    assumed: bool
    """Whether the tables grade the speed as assumed."""


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
    text, meshes = gathered_meshes(urdf_of(robot, options), robot.folder, f"package://{package}/")
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
        "coupling": _told(robot, axes, serial),
        "friction": ", which is known for this robot" if robot.friction_model is not None else "",
        "tool": f" with the tool `{robot.tool.name}`" if robot.tool else "",
    }
    files: dict[str, str | Path] = {f"urdf/{name}.urdf": text}
    files |= {
        path.replace("NAME", name): Template(content).substitute(values)
        for path, content in _FILES.items()
    }
    files[f"config/{name}.srdf"] = _srdf(robot, text, name, axes)
    files["config/joint_limits.yaml"] = _joint_limits(axes)
    licence = data_folder().parent / "meshes" / "LICENSE"
    if shipped and licence.is_file():
        files["LICENSE"] = licence
    copies = write_files(folder / package, meshes)  # before the files that name them
    return [*write_files(folder / package, files), *copies]


def ros_name(name: str) -> str:
    """Return a name as ROS wants them: small letters, digits and single underscores, a letter first."""
    plain = re.sub(r"[^a-z0-9]+", "_", name.lower()).strip("_")
    return plain if re.match(r"[a-z]", plain) else f"robot_{plain}".rstrip("_")


def _axes(text: str, robot: Robot) -> list[_Axis]:
    joints = {joint.get("name"): joint for joint in parse_urdf(text).iterfind("joint")}
    found = []
    for name, assumed in zip(robot.axes, robot.limits.velocity_assumed, strict=True):
        joint = joints[name]
        limit = joint.find("limit")
        number = {
            key: float(value) for key, value in ({} if limit is None else limit.attrib).items()
        }
        low, high, speed = (number.get(key, 0.0) for key in ("lower", "upper", "velocity"))
        bounded = joint.get("type") != "continuous" and -UNLIMITED < low < high < UNLIMITED
        rest = (speed if speed > 0.0 else None, bool(assumed))
        found.append(_Axis(name, low, high, *rest) if bounded else _Axis(name, None, None, *rest))
    return found


def _couplings(robot: Robot) -> dict[int, int]:
    """Return ``{i: j}`` where joint i of the open chain is ``q_i - q_j`` of the axes.

    Joint j is axis j itself.
    """
    found = {}
    for i, row in enumerate(robot.limits.A):
        for j in np.flatnonzero(row):
            if i != j:
                # what a parallelogram does, and a four-bar transmission says
                assert (row[i], row[j]) == (1.0, -1.0)
                found[i] = int(j)
    return found


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
    """Return the pairs of links that need no check, as ``irbmodels.collides`` leaves them out."""
    path = srdf_path(robot)
    known: dict[Pair, str] = dict.fromkeys(adjacent(robot) | _fixed_together(robot), "Adjacent")
    if path is not None:
        known |= read_srdf(path)
    if path is None or robot.tool is not None:
        try:
            asked = Collider(robot, ignored=known).pairs
        except MissingData:
            return known
        new = {pair for pair in asked if path is None or "tool0" in pair}
        known |= dict.fromkeys(always_touching(robot, new), "Always")
    return known


def _fixed_together(robot: Robot) -> set[Pair]:
    """Return the pairs of links with collision shapes that belong to one body, such as a tool and the flange that bears it."""
    tree = robot.whole_tree
    shaped = {
        shape.link for shape in shapes_of(parse_urdf(robot.urdf()), robot.folder, "collision")
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
            f"    has_velocity_limits: {'false' if axis.velocity is None else 'true'}",
        ]
        if axis.velocity is not None:
            lines.append(
                f"    max_velocity: {axis.velocity!r}{'  # assumed' if axis.assumed else ''}"
            )
        lines += ["    has_acceleration_limits: false", "    has_jerk_limits: false"]
    return "\n".join([*lines, ""])


def _told(robot: Robot, axes: list[_Axis], serial: bool) -> str:
    """Return what the package's page says about the coupling."""
    if serial:
        i, j = next(iter(_couplings(robot).items()))
        return Template(_SERIAL).substitute(
            one=axes[j].joint, other=axes[i].joint, first=f"axis_{j + 1}", second=f"axis_{i + 1}"
        )
    if robot.description is None:
        return "Every joint without `<mimic>` is an axis."
    return (
        _PARALLELOGRAM
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


_SERIAL = """\
The arm has a parallelogram: `$other` of this open chain is the angle between the arms, `$second` less `$first` of the
controller, and its range is the catalogue's. Its four-bar transmission says `$first = $one` and
`$second = $one + $other`, for positions and speeds. Leave efforts out of it: those of ros2_control's four-bar
transmission do not keep the power, which needs `effort($first) = effort($one) - effort($other)` and
`effort($second) = effort($other)`."""

_PARALLELOGRAM = """\
The arm has a parallelogram: `joint_3` is the controller's axis 3, an absolute angle, and the bars follow as `<mimic>`
joints, which robot_state_publisher moves. The range of `joint_3` is all that axis 3 can reach; the catalogue's range is one of
`joint_3 - joint_2`, which no URDF can say. A planner that must keep it needs the package of the open chain
(`Options("serial")`)."""

_FILES = {
    "urdf/NAME.urdf.xacro": (
        """\
<?xml version="1.0"?>
<!-- xacro $name.urdf.xacro [ros2_control:=false] [hardware:=PLUGIN]; it needs no ROS. -->
<robot name="$name" xmlns:xacro="http://www.ros.org/wiki/xacro">
  <xacro:arg name="ros2_control" default="true"/>
  <xacro:arg name="hardware" default="$hardware"/>
  <xacro:include filename="$name.urdf"/>
  <xacro:if value="$$(arg ros2_control)">
    <ros2_control name="$name" type="system">
      <hardware><plugin>$$(arg hardware)</plugin></hardware>
$joints
      <!-- Actuators are the axes that the controller shows, after the gears: every reduction is 1. -->
$transmissions
    </ros2_control>
  </xacro:if>
</robot>
"""
    ),
    "package.xml": (
        """\
<?xml version="1.0"?>
<?xml-model href="http://download.ros.org/schema/package_format3.xsd" schematypens="http://www.w3.org/2001/XMLSchema"?>
<package format="3">
  <name>$package</name>
  <version>$version</version>
  <description>URDF, limits and ros2_control of the $robot, written by irbmodels.</description>
  <maintainer email="maintainer@example.org">to be filled in</maintainer>
  <license>$licence</license>
  <buildtool_depend>ament_cmake</buildtool_depend>
  <exec_depend>controller_manager</exec_depend>
  <exec_depend>joint_state_broadcaster</exec_depend>
  <exec_depend>joint_state_publisher_gui</exec_depend>
  <exec_depend>joint_trajectory_controller</exec_depend>
  <exec_depend>launch</exec_depend>
  <exec_depend>launch_ros</exec_depend>
  <exec_depend>robot_state_publisher</exec_depend>
  <exec_depend>rviz2</exec_depend>
  <exec_depend>transmission_interface</exec_depend>
  <exec_depend>xacro</exec_depend>
  <export>
    <build_type>ament_cmake</build_type>
  </export>
</package>
"""
    ),
    "CMakeLists.txt": (
        """\
cmake_minimum_required(VERSION 3.8)
project($package)
find_package(ament_cmake REQUIRED)
install(DIRECTORY $folders DESTINATION share/$${PROJECT_NAME})
ament_package()
"""
    ),
    "config/ros2_controllers.yaml": (
        """\
controller_manager:
  ros__parameters:
    update_rate: $rate  # [Hz]
    joint_state_broadcaster: {type: joint_state_broadcaster/JointStateBroadcaster}
    arm_controller: {type: joint_trajectory_controller/JointTrajectoryController}

arm_controller:
  ros__parameters:
    joints: [$names]
    command_interfaces: [position]
    state_interfaces: [position, velocity]
"""
    ),
    "launch/display.launch.py": (
        '''\
"""Show the robot in RViz, with a slider per joint: ros2 launch $package display.launch.py."""

from launch import LaunchDescription
from launch.substitutions import Command, PathJoinSubstitution
from launch_ros.actions import Node
from launch_ros.parameter_descriptions import ParameterValue
from launch_ros.substitutions import FindPackageShare


def generate_launch_description():
    """Start robot_state_publisher, the sliders and RViz."""
    share = FindPackageShare("$package")
    xacro = PathJoinSubstitution([share, "urdf", "$name.urdf.xacro"])
    text = ParameterValue(Command(["xacro ", xacro, " ros2_control:=false"]), value_type=str)
    view = PathJoinSubstitution([share, "rviz", "display.rviz"])
    return LaunchDescription(
        [
            Node(package="robot_state_publisher", executable="robot_state_publisher", parameters=[{"robot_description": text}]),
            Node(package="joint_state_publisher_gui", executable="joint_state_publisher_gui"),
            Node(package="rviz2", executable="rviz2", arguments=["-d", view]),
        ]
    )
'''
    ),
    "rviz/display.rviz": (
        """\
Panels:
  - {Class: rviz_common/Displays, Name: Displays}
Visualization Manager:
  Displays:
    - {Class: rviz_default_plugins/Grid, Name: Grid, Enabled: true}
    - Class: rviz_default_plugins/RobotModel
      Name: RobotModel
      Enabled: true
      Description Source: Topic
      Description Topic: {Value: /robot_description, Durability Policy: Transient Local}
    - {Class: rviz_default_plugins/TF, Name: TF, Enabled: false}
  Global Options: {Fixed Frame: $root}
  Tools:
    - {Class: rviz_default_plugins/MoveCamera}
  Views:
    Current: {Class: rviz_default_plugins/Orbit, Distance: 4.0}
"""
    ),
    "README.md": (
        """\
# $package

ROS 2 description of the $robot$tool, written by irbmodels $version. Lengths in m, angles in rad.
`urdf/$name.urdf` is complete; `urdf/$name.urdf.xacro` adds the ros2_control block.

```console
$$ colcon build --packages-select $package
$$ ros2 launch $package display.launch.py
$$ xacro urdf/$name.urdf.xacro hardware:=$hardware
```

## Joints and axes

$coupling

The actuators of the transmissions are the axes that the controller shows, after the gears, so every reduction is 1. Hardware
plugins read transmissions or not; `$hardware` does not.

## What is not in it

- Torque limits: the `effort` values are assumed bounds, none of these robots' is published.
- Accelerations: none is published; `config/joint_limits.yaml` gives none.
- Friction${friction}: a URDF has no place for Stribeck's law, and `<dynamics>` is left out.
- Gravity, rotor inertias and stiffness.

`config/$name.srdf` names the group `manipulator` and the links that need no check against each other.
Fill in the maintainer in `package.xml` before you publish the package.
"""
    ),
}
