"""Templates (``string.Template``) of the files of a ROS 2 package."""

from __future__ import annotations

SERIAL = """\
The arm has a parallelogram: `$other` of this open chain is the angle between the arms, `$second` less `$first` of the
controller, and its range is the catalogue's. Its four-bar transmission says `$first = $one` and
`$second = $one + $other`, for positions and speeds. For efforts that keep the power,
`effort($first) = effort($one) - effort($other)` and `effort($second) = effort($other)`, it takes a ros2_control of
June 2025 or newer (5.2.0, in Jazzy 4.31.0, in Humble 2.51.0): older ones compute other efforts."""

PARALLELOGRAM = """\
The arm has a parallelogram: `joint_3` is the controller's axis 3, an absolute angle, and the bars follow as `<mimic>`
joints, which robot_state_publisher moves. The range of `joint_3` is all that axis 3 can reach; the catalogue's range is one of
`joint_3 - joint_2`, which no URDF can say. A planner that must keep it needs the package of the open chain
(`Options("serial")`)."""

FILES = {
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

ROS 2 description of the $robot$tool$mounted, written by irbmodels $version. Lengths in m, angles in rad.
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
- Gravity, springs, rotor inertias and stiffness.

`config/$name.srdf` names the group `manipulator` and the links that need no check against each other.
Fill in the maintainer in `package.xml` before you publish the package.
"""
    ),
}
