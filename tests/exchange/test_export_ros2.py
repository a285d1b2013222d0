"""The ROS 2 description package, as far as it can be tried without ROS."""

from __future__ import annotations

import re
import shutil
import subprocess
import sys
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import oracles
import pinocchio as pin
import pytest
import yaml

import irbmodels as irb
from irbmodels.exchange.write import Options, export
from irbmodels.exchange.write.ros2 import ros_name
from irbmodels.robot.collision import Collider, adjacent, always_touching, read_srdf
from irbmodels.tables.xacro import expand

TREES = [(name, coupling) for name in oracles.NAMES for coupling in irb.describe(name).couplings]


@pytest.fixture(scope="module")
def package(tmp_path_factory):
    """Write the package of a robot once, and return its folder and what was written."""
    written = {}

    def make(name, coupling=None, tool=None):
        if (name, coupling, tool) not in written:
            folder = tmp_path_factory.mktemp("ros2")
            files = export(irb.load(name, tool=tool), "ros2", folder, Options(coupling))
            written[name, coupling, tool] = (next(folder.iterdir()), files)
        return written[name, coupling, tool]

    return make


def expanded(package, **arguments):
    """Return what xacro makes of the package's own file."""
    path = next((package / "urdf").glob("*.xacro"))
    return expand(path, arguments, list((package / "urdf").iterdir()))


# --- ros2_control's transmissions, as its pages write them


def actuators(kind, n_a, n_j, offset, x):
    """Positions of the actuators at joint positions."""
    if kind == "SimpleTransmission":
        return [n_a[0] * n_j[0] * (x[0] - offset[0])]
    assert kind == "FourBarLinkageTransmission"
    return [
        n_j[0] * n_a[0] * (x[0] - offset[0]),
        n_a[1] * ((x[0] - offset[0]) + n_j[1] * (x[1] - offset[1])),
    ]


def joints(kind, n_a, n_j, offset, x):
    """Positions of the joints at actuator positions; speeds with offsets of 0."""
    first = x[0] / (n_j[0] * n_a[0])
    if kind == "SimpleTransmission":
        return [first + offset[0]]
    assert kind == "FourBarLinkageTransmission"
    return [first + offset[0], (x[1] / n_a[1] - first) / n_j[1] + offset[1]]


def four_bar_efforts(tau):
    """Efforts of the joints that a four-bar transmission of reductions 1 made of those of its
    actuators before ros2_control 5.2.0.
    """
    return np.array([tau[0], tau[1] - tau[0]])


def transmissions(text):
    """Yield kind, actuators, joints, reductions of both, and offsets."""
    for tag in ElementTree.fromstring(text).iterfind("ros2_control/transmission"):
        kind = tag.findtext("plugin", "").removeprefix("transmission_interface/")
        parts = {}
        for what in ("actuator", "joint"):
            actual = sorted(tag.iterfind(what), key=lambda part: part.get("role"))
            assert [part.get("role") for part in actual] == [
                f"{what}{i + 1}" for i in range(len(actual))
            ]
            parts[what] = [part.get("name") for part in actual]
            parts["n" + what] = [
                float(part.findtext("mechanical_reduction", "1")) for part in actual
            ]
            parts["offset"] = [float(part.findtext("offset", "0")) for part in actual]
        yield (
            kind,
            parts["actuator"],
            parts["joint"],
            parts["nactuator"],
            parts["njoint"],
            parts["offset"],
        )


@pytest.mark.parametrize(("name", "coupling"), TREES)
def test_axes_through_the_transmissions_pose_the_robot(name, coupling, package):
    """The controller's axes as actuators give joints that put the TCP of the URDF where the robot
    says, there and back.
    """
    robot, text = irb.load(name), expanded(package(name, coupling)[0])
    kinds = [kind for kind, *_ in transmissions(text)]
    four_bar = coupling == "serial" and name in oracles.PARALLELOGRAM  # and nowhere else
    assert sorted(kinds) == ["FourBarLinkageTransmission"] * four_bar + ["SimpleTransmission"] * (
        robot.n - 2 * four_bar
    )
    assert '"effort"' not in text
    reader, rng = pin.buildModelFromXML(text), np.random.default_rng(0)
    data = reader.createData()
    for q in rng.uniform(-0.8, 0.8, (5, robot.n)):
        axes, moved = {f"axis_{i + 1}": value for i, value in enumerate(q)}, {}
        for kind, ours, theirs, *numbers in transmissions(text):
            values = joints(kind, *numbers, [axes[axis] for axis in ours])
            np.testing.assert_allclose(
                actuators(kind, *numbers, values), [axes[axis] for axis in ours], rtol=0, atol=1e-15
            )
            moved |= dict(zip(theirs, values, strict=True))
        assert tuple(moved) == robot.axes
        for tag in ElementTree.fromstring(text).iterfind("joint"):
            if (mimic := tag.find("mimic")) is not None:
                moved[tag.get("name")] = float(mimic.get("multiplier")) * moved[mimic.get("joint")]
        x = np.array([moved[joint] for joint in list(reader.names)[1:]])
        pin.framesForwardKinematics(reader, data, x)
        tcp = data.oMf[reader.getFrameId("tcp")]
        np.testing.assert_allclose(tcp.homogeneous, robot.pose(q).homogeneous, rtol=0, atol=1e-12)


def test_four_bar_efforts_lose_power_and_the_page_says_what_keeps_it(package):
    """The efforts of older versions are not those of their speeds; the package's page has those
    that are.
    """
    rng = np.random.default_rng(0)
    tau, v = rng.uniform(-1.0, 1.0, (2, 2))  # of axes 2 and 3
    kind, _, _, *numbers = next(
        actual
        for actual in transmissions(expanded(package("irb2400", "serial")[0]))
        if "Four" in actual[0]
    )
    speed = np.array(joints(kind, *numbers, v))
    assert abs(four_bar_efforts(tau) @ speed - tau @ v) > 0.1
    kept = np.array(
        [tau[0] + tau[1], tau[1]]
    )  # effort(axis_2) = effort(joint_2) - effort(joint_3), effort(axis_3) = effort(joint_3)
    np.testing.assert_allclose(kept @ speed, tau @ v, rtol=1e-14)
    page = (package("irb2400", "serial")[0] / "README.md").read_text(encoding="utf-8")
    assert "`effort(axis_2) = effort(joint_2) - effort(joint_3)`" in page
    assert "`effort(axis_3) = effort(joint_3)`" in page


# --- the files


@pytest.mark.parametrize(("name", "coupling"), TREES)
@pytest.mark.skipif(shutil.which("check_urdf") is None, reason="check_urdf is not installed")
def test_urdfdom_reads_the_expanded_file(name, coupling, package, tmp_path):
    """ROS's own parser accepts what xacro makes."""
    path = tmp_path / "expanded.urdf"
    path.write_text(expanded(package(name, coupling)[0]), encoding="utf-8")
    process = subprocess.run(["check_urdf", path], capture_output=True, text=True, check=False)
    assert process.returncode == 0, process.stderr
    assert "root Link: base_link" in process.stdout


@pytest.mark.parametrize(("name", "coupling"), TREES)
def test_package_holds_what_it_names(name, coupling, package):
    """Every package:// path is inside, Pinocchio loads it from there, CMake installs the folders
    that there are.
    """
    folder, files = package(name, coupling)
    assert folder.name == f"{name}_description"
    assert files[0] == folder / "urdf" / f"{name}.urdf"
    assert all(path.is_file() and path.is_relative_to(folder) for path in files)
    names = re.findall(
        r'<mesh filename="package://([^/"]+)/([^"]*)"', files[0].read_text(encoding="utf-8")
    )
    assert len(names) > 20
    assert {owner for owner, _ in names} == {folder.name}
    assert all((folder / path).is_file() for _, path in names)
    models = pin.buildModelsFromUrdf(str(files[0]), [str(folder.parent)])
    assert sum(len(model.geometryObjects) for model in models[1:]) == len(names)
    cmake = (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    listed = re.search(r"install\(DIRECTORY (.*) DESTINATION share/\$\{PROJECT_NAME\}\)", cmake)[
        1
    ].split()
    assert listed == sorted(path.name for path in folder.iterdir() if path.is_dir())
    assert f"project({folder.name})" in cmake


@pytest.mark.parametrize(
    ("name", "coupling"),
    [("irb2400_16", "serial"), ("irb1400", "parallelogram"), ("irb930_22_105", None)],
)
def test_limits_and_controllers(name, coupling, package):
    """Limits, controllers and command ranges name the axes, with the numbers of the URDF; nothing
    is made up.
    """
    folder, files = package(name, coupling)
    robot = irb.load(name)
    limits = yaml.safe_load((folder / "config" / "joint_limits.yaml").read_text(encoding="utf-8"))[
        "joint_limits"
    ]
    assert tuple(limits) == robot.axes
    assert all(isinstance(row["max_velocity"], float) for row in limits.values())
    assert [row["max_velocity"] for row in limits.values()] == pytest.approx(
        robot.limits.velocity.tolist(), rel=1e-15
    )
    assert all(
        row["has_velocity_limits"] and not row["has_acceleration_limits"] for row in limits.values()
    )
    control = yaml.safe_load(
        (folder / "config" / "ros2_controllers.yaml").read_text(encoding="utf-8")
    )
    assert control["arm_controller"]["ros__parameters"]["joints"] == list(robot.axes)
    assert {"joint_state_broadcaster", "arm_controller"} < set(
        control["controller_manager"]["ros__parameters"]
    )
    urdf = ElementTree.parse(files[0])
    for tag in ElementTree.fromstring(expanded(folder)).iterfind("ros2_control/joint"):
        limit = urdf.find(f"joint[@name='{tag.get('name')}']/limit")
        ends = [param.text for param in tag.iterfind("command_interface[@name='position']/param")]
        assert ends == [limit.get("lower"), limit.get("upper")]
        assert float(ends[0]) <= float(tag.findtext("state_interface/param")) <= float(ends[1])


@pytest.mark.parametrize(
    ("name", "tool"), [("irb2400_16", "spindle"), ("irb1600_6_120", None), ("irb930_12_105", None)]
)
@pytest.mark.parametrize("coupling", [None, "serial"])
def test_srdf(name, tool, coupling, package):
    """Pinocchio takes the SRDF, and keeps the pairs of links that irbmodels.collides asks; links of
    one body are named.
    """
    folder, files = package(name, coupling, tool)
    srdf = folder / "config" / f"{name}.srdf"
    model, geometry, _ = pin.buildModelsFromUrdf(str(files[0]), [str(folder.parent)])
    geometry.addAllCollisionPairs()
    pin.removeCollisionPairs(model, geometry, str(srdf))
    pin.loadReferenceConfigurations(model, str(srdf))
    assert not model.referenceConfigurations["home"].any()
    frames = [model.frames[form.parentFrame].name for form in geometry.geometryObjects]
    kept = {
        frozenset((frames[pair.first], frames[pair.second])) for pair in geometry.collisionPairs
    }
    robot = irb.load(name, tool=tool)
    known = dict.fromkeys(adjacent(robot), "") | read_srdf(robot.folder / f"{name}.srdf")
    collider = Collider(robot, ignored=known)
    of_tool = {pair for pair in collider.pairs if "tool0" in pair}
    asked = collider.pairs - always_touching(robot, collider.only(of_tool))
    links = {link.get("name") for link in ElementTree.parse(files[0]).iterfind("link")}
    assert kept == {pair for pair in asked if pair <= links}
    assert kept or name == "irb930_12_105"
    assert all(pair <= links for pair in read_srdf(srdf))
    if tool:
        assert read_srdf(srdf)[frozenset(("link_6", "tool0"))] == "Adjacent"
    assert ElementTree.parse(srdf).find("group/chain").attrib == {
        "base_link": "base_link",
        "tip_link": "tool0",
    }


def test_package_xml_and_the_rest(package):
    """package.xml has what format 3 asks for, the launch file compiles, RViz's file is YAML,
    licence and page are there.
    """
    folder, _ = package("irb2400_16")
    root = ElementTree.parse(folder / "package.xml").getroot()
    assert (root.tag, root.get("format")) == ("package", "3")
    assert re.fullmatch(r"[a-z][a-z0-9_]*[a-z0-9]", root.findtext("name"))
    assert root.findtext("name") == folder.name
    assert re.fullmatch(r"\d+\.\d+\.\d+", root.findtext("version"))
    assert root.findtext("description").strip()
    assert "@" in root.find("maintainer").get("email")
    assert root.findtext("license") == "Apache-2.0"
    assert root.findtext("buildtool_depend") == root.findtext("export/build_type") == "ament_cmake"
    launch = (folder / "launch" / "display.launch.py").read_text(encoding="utf-8")
    names = compile(launch, "display.launch.py", "exec").co_names
    assert "generate_launch_description" in names
    wanted = {tag.text for tag in root.iterfind("exec_depend")}
    assert set(re.findall(r'package="(\w+)"', launch)) | {"xacro", "launch_ros"} <= wanted
    assert f'FindPackageShare("{folder.name}")' in launch
    rviz = yaml.safe_load((folder / "rviz" / "display.rviz").read_text(encoding="utf-8"))
    assert rviz["Visualization Manager"]["Global Options"]["Fixed Frame"] == "base_link"
    assert "Apache License" in (folder / "LICENSE").read_text(encoding="utf-8")
    page = (folder / "README.md").read_text(encoding="utf-8")
    assert "assumed bounds" in page
    assert "Friction" in page
    for path in folder.rglob("*.*"):
        if path.suffix != ".obj" and path.is_file():
            assert "${" not in path.read_text(encoding="utf-8").replace("${PROJECT_NAME}", ""), path


def test_xacro_alone(package, tmp_path):
    """The xacro command expands the file from any folder; its arguments take the block out, or name
    the hardware.
    """
    folder, files = package("irb2400_16", "serial")
    path = folder / "urdf" / "irb2400_16.urdf.xacro"
    xacro = Path(sys.executable).with_name("xacro")
    command = [xacro, path, "hardware:=my_robot/Hardware"]
    text = subprocess.run(command, capture_output=True, text=True, check=True, cwd=tmp_path).stdout
    assert (
        ElementTree.fromstring(text).findtext("ros2_control/hardware/plugin") == "my_robot/Hardware"
    )
    bare = expanded(folder, ros2_control="false")
    assert ElementTree.fromstring(bare).find("ros2_control") is None
    for tag in ("link", "joint", "material"):
        read = [
            ElementTree.tostring(actual).split()
            for actual in ElementTree.parse(files[0]).iterfind(tag)
        ]
        assert [
            ElementTree.tostring(actual).split()
            for actual in ElementTree.fromstring(bare).iterfind(tag)
        ] == read


def test_any_urdf(tmp_path):
    """A robot from a URDF becomes a package under a name that ROS takes, without meshes, limits or
    a licence of ours.
    """
    path = tmp_path / "arm.urdf"
    path.write_text(
        """<robot name="2nd Arm-X"><link name="floor"/><link name="arm"><inertial><mass value="1"/>
        <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="h: &lt;1&gt;" type="continuous">
        <parent link="floor"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>""",
        encoding="utf-8",
    )
    files = export(irb.from_urdf(path), "ros2", tmp_path)
    folder = tmp_path / "robot_2nd_arm_x_description"
    assert files[0] == folder / "urdf" / "robot_2nd_arm_x.urdf"
    text = expanded(folder)
    assert [actual[1:3] for actual in transmissions(text)] == [(["axis_1"], ["h: <1>"])]
    assert (
        "h: <1>"
        in yaml.safe_load((folder / "config" / "joint_limits.yaml").read_text(encoding="utf-8"))[
            "joint_limits"
        ]
    )
    assert "meshes" not in (folder / "CMakeLists.txt").read_text(encoding="utf-8")
    assert not (folder / "LICENSE").exists()
    assert (
        ElementTree.parse(folder / "config" / "robot_2nd_arm_x.srdf")
        .find("group/chain")
        .get("tip_link")
        == "arm"
    )
    assert [ros_name(name) for name in ("IRB 2400/16", "__", "7")] == [
        "irb_2400_16",
        "robot",
        "robot_7",
    ]


def test_refused(tmp_path):
    """Absolute mesh paths do not go with a package; nothing is written."""
    with pytest.raises(irb.InputError, match="inside it"):
        export(irb.load("irb930"), "ros2", tmp_path / "out", Options(meshes="absolute"))
    assert not (tmp_path / "out").exists()
    file = export(irb.load("irb930"), "ros2", tmp_path)[0]
    with pytest.raises(irb.InputError, match="comes from"):
        export(irb.from_urdf(file), "ros2", tmp_path)
