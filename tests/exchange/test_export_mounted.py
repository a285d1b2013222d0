"""URDF and ROS 2 of a robot that is mounted: a link ``world``, which a fixed joint holds the base on.

Expected poses are the product of a matrix written here and the pose in the base.
"""

import warnings
from xml.etree import ElementTree

import numpy as np
import oracles
import pytest
from peers import require_peer

import irbmodels as irb
from irbmodels.exchange.verify import exports as verify
from irbmodels.exchange.verify.check import states
from irbmodels.exchange.verify.engines import load_engine
from irbmodels.exchange.write import export

# on a wall, 1.5 m up: base z along world y, base x down; and 0.3 rad more about base z
BASE = oracles.shift(0.4, -0.7, 1.5)
BASE[:3, :3] = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]]) @ np.array(
    [[np.cos(0.3), -np.sin(0.3), 0.0], [np.sin(0.3), np.cos(0.3), 0.0], [0.0, 0.0, 1.0]]
)


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb1600", tool="spindle").mounted(BASE)


@pytest.fixture(scope="module")
def file(robot, tmp_path_factory):
    return export(robot, "urdf", tmp_path_factory.mktemp("mounted"))[0]


def test_the_root_is_the_world(file):
    """Its one joint is fixed, and its child the base."""
    root = ElementTree.parse(file).getroot()
    assert root[0].attrib == {"name": "world"}
    assert len(root[0]) == 0
    (joint,) = [one for one in root.iterfind("joint") if one.find("parent").get("link") == "world"]
    assert (joint.get("name"), joint.get("type")) == ("world-base_link", "fixed")
    assert joint.find("child").get("link") == "base_link"
    place = [float(word) for word in joint.find("origin").get("xyz").split()]
    turn = [float(word) for word in joint.find("origin").get("rpy").split()]
    np.testing.assert_array_equal(place, BASE[:3, 3])
    about_x, about_y, about_z = (oracles.rotation(k, angle) for k, angle in enumerate(turn))
    turned = (about_z @ about_y @ about_x)[:3, :3]
    np.testing.assert_allclose(turned, BASE[:3, :3], rtol=0, atol=1e-15)


def test_the_floor_has_no_world(tmp_path):
    text = export(irb.load("irb1600"), "urdf", tmp_path)[0].read_text()
    assert '"world"' not in text


@pytest.mark.parametrize("engine", ["pinocchio", "mujoco", "drake"])
def test_engines_have_it_where_it_stands(robot, file, engine):
    """TCP in the world, and torques under the gravity of the engine, along its own -z."""
    require_peer(engine)
    peer, floor = load_engine(engine, file), irb.load("irb1600", tool="spindle")
    down = BASE[:3, :3].T @ np.array([0.0, 0.0, -9.81])
    for q, v, a in states(robot, 3):
        expected = BASE @ floor.pose(q).homogeneous
        np.testing.assert_allclose(peer.pose(q), expected, rtol=0, atol=1e-9)
        torque = floor.with_gravity(down).inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(
            peer.torque(q, v, a), torque, rtol=0, atol=1e-9 * np.abs(torque).max()
        )


def test_it_is_read_back_in_the_world(robot, file):
    """The base of what is read is the world."""
    read, q = irb.from_urdf(file), np.array([0.1, 0.2, -0.3, 0.4, 0.5, -0.6])
    expected = robot.pose(q, reference="world").homogeneous
    np.testing.assert_allclose(read.pose(q).homogeneous, expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(read.gravity(q), robot.gravity(q), rtol=0, atol=1e-9)
    np.testing.assert_allclose(read.pose(q, "base_link").homogeneous, BASE, rtol=0, atol=1e-15)


@pytest.mark.filterwarnings("ignore:.*eft out:irbmodels.PhysicsWarning")
@pytest.mark.parametrize("to", ["urdf", "ros2", "sdf", "mjcf"])
def test_every_format_agrees_in_every_tool(robot, to, tmp_path):
    """What the toolbox leaves out, fixed joints in torques, is said."""
    verdicts = verify.verify(robot, to, export(robot, to, tmp_path)[0])
    assert all(one.holds for one in verdicts), verdicts
    said = {one.tool for one in verdicts if "mounting in torques" in one.loses}
    assert said == ({"roboticstoolbox"} & {one.tool for one in verdicts if one.installed})


def test_a_package_of_ros_plans_from_the_base_and_shows_the_world(robot, tmp_path):
    folder = export(robot, "ros2", tmp_path)[0].parents[1]
    name = folder.name.removesuffix("_description")
    chain = ElementTree.parse(folder / f"config/{name}.srdf").find("group/chain")
    assert chain.get("base_link") == "base_link"
    assert 'Fixed Frame: "world"' in (folder / "rviz/display.rviz").read_text()
    assert "mounted below the link `world`" in (folder / "README.md").read_text()


def test_a_name_that_is_taken_is_not_used_twice(tmp_path):
    """A URDF whose own root is called world keeps it."""
    text = """<robot name="r"><link name="world"/><link name="arm"/><joint name="world_-world"
 type="revolute"><parent link="world"/><child link="arm"/><axis xyz="0 0 1"/>
 <limit lower="-1" upper="1" velocity="1" effort="1"/></joint></robot>"""
    (tmp_path / "r.urdf").write_text(text)
    robot = irb.from_urdf(tmp_path / "r.urdf").mounted(BASE)
    root = ElementTree.parse(export(robot, "urdf", tmp_path / "out")[0]).getroot()
    links = [link.get("name") for link in root.iterfind("link")]
    joints = [joint.get("name") for joint in root.iterfind("joint")]
    assert len(set(links)) == len(links)
    assert len(set(joints)) == len(joints)
    read = irb.from_urdf(tmp_path / "out/r.urdf")
    pose = read.pose([0.4], "arm").homogeneous
    np.testing.assert_allclose(pose, BASE @ oracles.rotation(2, 0.4), rtol=0, atol=1e-15)


@pytest.mark.parametrize(
    ("to", "last"),
    [
        ("urdf", "Left out, as a URDF has none: gravity of [0.0, 1.0, -9.0] m/s^2"),
        ("ros2", "Left out, as a URDF has none: gravity of [0.0, 1.0, -9.0] m/s^2"),
        (
            "sdf",
            "Left out of model.sdf, and in world.sdf: gravity of [0.0, 1.0, -9.0] m/s^2 and the"
            " mounting",
        ),
        ("mjcf", None),
    ],
)
def test_what_a_format_leaves_out_is_said(to, last, tmp_path):
    """Rotors, a gravity of one's own, and in SDF the mounting: a warning for each; MJCF has all."""
    if to == "mjcf":
        pytest.importorskip("mujoco")
    robot = irb.load("irb1600").with_gravity([0.0, 1.0, -9.0]).with_rotors([3.0, 2.0, 1.0, 0, 0, 0])
    robot = robot.mounted(BASE)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        files = export(robot, to, tmp_path / "out")
    said = [str(one.message).partition(": ")[2] for one in caught]
    rotors = "Rotor inertias are left out, on the arm side [kg m^2, kg]: 3, 2, 1, 0, 0, 0"
    assert said == ([rotors, last] if last else [])
    if to != "ros2":  # which has no comments
        assert all(line in files[0].read_text() for line in said)
