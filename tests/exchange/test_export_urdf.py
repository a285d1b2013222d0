"""URDFs that stand on their own: the same robot in every reader, from another folder; and what is
refused.
"""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import oracles
import pinocchio as pin
import pytest
from peers import require_peer

import irbmodels as irb
from irbmodels.exchange.verify.check import states
from irbmodels.exchange.verify.engines import load_engine
from irbmodels.exchange.write import Options, export
from irbmodels.exchange.write.meshes import copied_meshes, gathered_meshes, write_files

CARRIER = 1e-9  # [kg] weighs 1e-10 of the largest torque at most
TREES = [(name, coupling) for name in oracles.NAMES for coupling in irb.describe(name).couplings]
FEW = [("irb2400_16", "parallelogram"), ("irb2400_16", "serial"), ("irb930_12_105", "serial")]
TOLERANCE = {"pybullet": 1e-6}  # its numbers are single precision; others 1e-9
HAND = irb.Tool(
    "hand",
    pin.SE3(pin.rpy.rpyToMatrix(0.3, np.pi / 2 - 1e-8, 0.5), np.array([0.1, 0.2, 0.3])),
    irb.payload(5.0, [0.01, 0.02, 0.1], [[0.1, 0.01, 0.0], [0.01, 0.12, 0.02], [0.0, 0.02, 0.15]]),
)
PART = irb.payload(3.0, [0.0, 0.03, 0.05], np.diag([0.02, 0.03, 0.04]))
BOX = (
    '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"'
    ' iyz="0"/></inertial>'
)
TRIANGLE = "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n"


def loaded(name, coupling, tool="spindle"):
    parameters = oracles.open_chain(name) if coupling == "serial" else None
    return irb.load(name, tool=None if "930" in name else tool, parameters=parameters)


def compare(robot, file, engine, serial=False, count=3):
    """Poses and torques of an engine that reads the file are those of the robot."""
    require_peer(engine)
    peer, read = load_engine(engine, file), irb.from_urdf(file)
    assert read.axes == robot.axes
    G, q0 = read.coupling
    rows = [list(read.model.names)[1:].index(joint) for joint in peer.joints]
    G, q0 = (G @ robot.limits.A if serial else G)[rows], q0[rows]
    for q, v, a in states(robot, count):
        scale = TOLERANCE.get(engine, 1e-9)
        np.testing.assert_allclose(
            peer.pose(G @ q + q0), robot.pose(q).homogeneous, rtol=0, atol=scale
        )
        if peer.torque is not None:
            expected = robot.inverse_dynamics(q, v, a, friction=False)
            tau = G.T @ peer.torque(G @ q + q0, G @ v, G @ a)
            np.testing.assert_allclose(tau, expected, rtol=0, atol=scale * np.abs(expected).max())


def mesh_names(file):
    return re.findall(r'filename="([^"]*)"', file.read_text(encoding="utf-8"))


@pytest.fixture
def elsewhere(tmp_path, monkeypatch):
    """An empty folder to export to, while the current folder is another one."""
    (tmp_path / "cwd").mkdir()
    monkeypatch.chdir(tmp_path / "cwd")
    return tmp_path / "out"


@pytest.mark.parametrize(("name", "coupling"), TREES)
def test_every_robot_in_the_quick_engines(name, coupling, elsewhere):
    """Pinocchio with all meshes, MuJoCo and PyBullet load every tree from another folder; poses and
    torques are the robot's.
    """
    robot = loaded(name, coupling)
    file, *meshes = export(robot, "urdf", elsewhere, Options(coupling, carrier_kg=CARRIER))
    twin = coupling == "serial" and name in oracles.PARALLELOGRAM
    assert file.name == f"{name}{'_serial' if twin else ''}.urdf"
    # where relative paths start
    _, collision, visual = pin.buildModelsFromUrdf(str(file), [str(elsewhere)])
    assert (
        len(collision.geometryObjects) + len(visual.geometryObjects)
        == len(mesh_names(file))
        == len(meshes)
        > 20
    )
    for geometry in [*collision.geometryObjects, *visual.geometryObjects]:
        assert Path(geometry.meshPath).resolve() in [mesh.resolve() for mesh in meshes]
    assert all(mesh.is_relative_to(elsewhere) and mesh.is_file() for mesh in meshes)
    for engine in ("mujoco", "pybullet"):
        compare(robot, file, engine, twin)


@pytest.mark.parametrize(("name", "coupling"), FEW)
@pytest.mark.parametrize("engine", ["drake", "yourdfpy"])
def test_some_robots_in_the_slow_engines(engine, name, coupling, elsewhere):
    """Drake and yourdfpy load both trees and the SCARA."""
    robot = loaded(name, coupling)
    file = export(robot, "urdf", elsewhere, Options(coupling, carrier_kg=CARRIER))[0]
    compare(robot, file, engine, coupling == "serial" and name in oracles.PARALLELOGRAM)


def test_as_committed(elsewhere):
    """The parallelogram with relative paths and carriers of 1e-6 kg is the committed file."""
    file = export(irb.load("irb2400"), "urdf", elsewhere, Options(carrier_kg=1e-6))[0]
    committed = irb.urdf_path("irb2400").read_text(encoding="utf-8")
    assert file.read_text(encoding="utf-8") == committed.replace("../../meshes", "meshes")


@pytest.mark.parametrize("engine", ["mujoco", "pybullet", "drake"])
@pytest.mark.parametrize("coupling", ["serial", "parallelogram"])
def test_tool_made_in_code_and_payload(engine, coupling, elsewhere):
    """A tool made in code, tilted by almost 90 degrees, and a payload in its TCP weigh what they
    weigh in the robot.
    """
    robot = irb.load("irb2400").with_tool(HAND).with_payload(PART)
    compare(
        robot,
        export(robot, "urdf", elsewhere, Options(coupling, carrier_kg=CARRIER))[0],
        engine,
        coupling == "serial",
    )


def test_tool_or_payload_alone(elsewhere):
    """A tool made in code and a payload come one by one; the load of a tool from a table is not
    written twice.
    """
    for robot in (irb.load("irb1600").with_tool(HAND), irb.load("irb1600").with_payload(PART)):
        compare(robot, export(robot, "urdf", elsewhere)[0], "mujoco")
    robot = irb.load("irb1600", tool="spindle").with_payload(PART)
    compare(robot, export(robot, "urdf", elsewhere)[0], "mujoco")


def test_carriers(elsewhere):
    """Carriers weigh 1e-9 kg unless asked for otherwise, and nothing if 0 is asked for."""
    for kg, expected in ((None, 1e-9), (0.0, 0.0), (1e-3, 1e-3)):
        file = export(irb.load("irb2400"), "urdf", elsewhere, Options(carrier_kg=kg))[0]
        model = pin.buildModelFromUrdf(str(file))
        assert model.inertias[model.getJointId("joint_carrier")].mass == expected


@pytest.mark.parametrize("style", ["relative", "absolute", "package"])
def test_mesh_paths(style, elsewhere):
    """Absolute paths lead to the originals, relative and package ones to copies; all are read by
    Pinocchio.
    """
    file, *meshes = export(irb.load("irb930"), "urdf", elsewhere, Options(meshes=style))
    names = mesh_names(file)
    assert len(meshes) == (0 if style == "absolute" else len(names))
    start = {
        "relative": "meshes/irb930/",
        "absolute": str(irb.urdf_path("irb930").parents[2]),
        "package": "package://out/meshes/",
    }
    assert all(name.startswith(start[style]) for name in names)
    pin.buildModelsFromUrdf(str(file), [str(elsewhere), str(elsewhere.parent)])


def test_again_changes_nothing(elsewhere):
    """A second export writes the same bytes, and leaves files that hold them alone."""
    first = {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in export(irb.load("irb930"), "urdf", elsewhere)
    }
    again = {
        path: (path.read_bytes(), path.stat().st_mtime_ns)
        for path in export(irb.load("irb930"), "urdf", elsewhere)
    }
    assert first == again
    assert sorted(path for path in elsewhere.rglob("*") if path.is_file()) == sorted(first)


# --- robots from a URDF


def foreign(folder, links="", mesh="package://their_arm/look.obj"):
    """Write a URDF as others write them, with two different meshes of one name, in a package that
    it stands in.
    """
    package = folder / "their_arm"
    for name, text in {
        "look.obj": f"mtllib look.mtl\n{TRIANGLE}",
        "more/look.obj": TRIANGLE,
        "look.mtl": "newmtl skin\nmap_Kd skin.png\n",
    }.items():
        (package / name).parent.mkdir(parents=True, exist_ok=True)
        (package / name).write_text(text, encoding="utf-8")
    (package / "skin.png").write_bytes(b"\x89PNG\r\n\x1a\n")
    (package / "urdf").mkdir()
    path = package / "urdf" / "their arm.urdf"
    path.write_text(
        f"""<robot name="their arm"><!-- <mesh filename="gone.obj"/> -->
        <link name="floor"><visual><geometry><mesh filename='{mesh}'/></geometry></visual></link>
        <link name="arm">{BOX}<visual><geometry><mesh filename="../more/look.obj"/></geometry></visual>
          <collision><geometry><mesh scale="1 1 1" filename="../look.obj"/></geometry></collision></link>
        <joint name="hinge" type="continuous"><parent link="floor"/><child link="arm"/><axis xyz="0 1 0"/></joint>
        {links}</robot>""",
        encoding="utf-8",
    )
    return path


def test_robot_from_a_urdf(tmp_path):
    """Its meshes are copied, different ones of one name apart, equal ones once, with their
    materials.
    """
    robot = irb.from_urdf(foreign(tmp_path))
    file, *meshes = export(robot, "urdf", tmp_path / "out")
    assert file.name == "their_arm.urdf"
    assert [str(mesh.relative_to(tmp_path / "out")) for mesh in meshes] == [
        "meshes/look.obj",
        "meshes/look.mtl",
        "meshes/skin.png",
        "meshes/2/look.obj",
    ]
    # the first is in a comment
    assert mesh_names(file)[1:] == ["meshes/look.obj", "meshes/2/look.obj", "meshes/look.obj"]
    assert irb.from_urdf(file).pose([0.3]).isApprox(robot.pose([0.3]), 1e-15)


WITH_TCP = (
    '<link name="tcp"/><joint name="end" type="fixed"><parent link="arm"/><child'
    ' link="tcp"/><origin xyz="0 0 1"/></joint>'
)
WITH_BOTH = WITH_TCP.replace('link="arm"', 'link="tool0"') + WITH_TCP.replace(
    "tcp", "tool0"
).replace("end", "mount")


@pytest.mark.parametrize(
    "links", ["", WITH_TCP, WITH_BOTH], ids=["neither", "tcp", "tool0 and tcp"]
)
def test_tool_on_a_robot_from_a_urdf(links, tmp_path):
    """Tool and payload go where the robot has them, with or without links tool0 and tcp in the
    file.
    """
    bare = irb.from_urdf(foreign(tmp_path, links))
    for robot in (
        bare.with_tool(HAND),
        bare.with_payload(PART),
        bare.with_tool(HAND).with_payload(PART),
        bare.with_tool("spindle"),
    ):
        again = irb.from_urdf(export(robot, "urdf", tmp_path / "out")[0])
        np.testing.assert_allclose(
            again.pose([0.4]).homogeneous, robot.pose([0.4]).homogeneous, rtol=0, atol=1e-12
        )
        tau = robot.inverse_dynamics([0.4], [1.0], [2.0], friction=False)
        np.testing.assert_allclose(
            again.inverse_dynamics([0.4], [1.0], [2.0], friction=False), tau, rtol=1e-12
        )


def test_tcp_that_moves_takes_no_tool(tmp_path):
    """A URDF that moves its link tcp against the place of tools cannot hold a tool."""
    moving = (
        '<joint name="end" type="revolute"><parent link="arm"/><child link="tcp"/><limit effort="1"'
        ' velocity="1"/></joint>'
    )
    robot = irb.from_urdf(foreign(tmp_path, f'<link name="tcp">{BOX}</link>{moving}')).with_tool(
        HAND
    )
    with pytest.raises(irb.InputError, match="moves its link 'tcp'"):
        export(robot, "urdf", tmp_path / "out")


# --- what is refused


def test_refused(tmp_path, monkeypatch):
    """Wrong options, lost meshes and folders that cannot be written are one line, and nothing is
    written.
    """
    robot, theirs = irb.load("irb930"), irb.from_urdf(foreign(tmp_path))
    out = tmp_path / "out"
    for given, options, kind, words in (
        (robot, Options("parallelogram"), irb.UnknownName, "coupling of irb930_12_105"),
        (robot, Options("slanted"), irb.UnknownName, "slanted"),
        (robot, Options(meshes="near"), irb.UnknownName, "near"),
        (robot, Options(carrier_kg=-1.0), irb.InputError, "carrier"),
        (robot, Options(carrier_kg=float("nan")), irb.InputError, "carrier"),
        (theirs, Options("serial"), irb.InputError, "leave coupling out"),
        (theirs, Options(carrier_kg=0.0), irb.InputError, "leave carrier_kg out"),
    ):
        with pytest.raises(kind, match=words) as caught:
            export(given, "urdf", out, options)
        assert "\n" not in str(caught.value)
    (tmp_path / "9").mkdir()
    with pytest.raises(irb.InputError, match="no name of a package"):
        export(robot, "urdf", tmp_path / "9", Options(meshes="package"))
    (tmp_path / "their_arm" / "more" / "look.obj").unlink()
    with pytest.raises(irb.FileError, match=r"more/look.obj is not there"):
        export(theirs, "urdf", out)
    assert not [path for path in (*out.rglob("*"), *(tmp_path / "9").rglob("*")) if path.is_file()]
    (tmp_path / "file").write_text("", encoding="utf-8")
    with pytest.raises(irb.FileError):
        export(robot, "urdf", tmp_path / "file")


SECRET = "root:x:0:0\nnothing else\nof use here\n"


@pytest.mark.parametrize("to", ["urdf", "sdf", "ros2"])
@pytest.mark.parametrize("name", ["../../secret", "../link.stl", "../secret.dae", "../look.ply"])
def test_only_meshes_are_copied(to, name, tmp_path):
    """A mesh tag that names another file, or a link to one, is refused, and nothing is written."""
    robot = irb.from_urdf(foreign(tmp_path, mesh=name))
    for file in ("secret", "their_arm/secret.dae", "their_arm/look.ply"):
        (tmp_path / file).write_text(SECRET, encoding="utf-8")
    (tmp_path / "their_arm" / "link.stl").symlink_to(tmp_path / "secret")
    with pytest.raises(irb.FileError, match="no mesh"):
        export(robot, to, tmp_path / "out")
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("file", ["look.mtl", "skin.png", "bricks.png"])
def test_only_materials_and_images_are_copied(file, tmp_path):
    """Materials of an OBJ and textures that are something else stay behind, with a warning."""
    path = foreign(tmp_path, '<material name="b"><texture filename="../bricks.png"/></material>')
    (path.parents[1] / "bricks.png").write_bytes(b"\xff\xd8\xff")
    (path.parents[1] / file).write_text(SECRET, encoding="utf-8")
    with pytest.warns(irb.PhysicsWarning, match=f"{file}.* is no image.*; it is not copied"):
        export(irb.from_urdf(path), "urdf", tmp_path / "out")
    assert not list((tmp_path / "out").rglob(file))


@pytest.mark.parametrize("to", ["urdf", "mjcf"])
def test_meshes_from_elsewhere_are_named(to, tmp_path):
    """A mesh from outside the package, by its path or by a link, is copied with a warning."""
    cube = "".join(f"v {x} {y} {z}\n" for x in (0, 1) for y in (0, 1) for z in (0, 1))
    mesh = tmp_path / "part.obj"
    mesh.write_text(f"{cube}f 1 2 3\nf 1 2 5\nf 2 3 5\nf 1 3 5\nf 6 7 8\n", encoding="utf-8")
    path = foreign(tmp_path)
    for link in ("look.obj", "more/look.obj"):
        (path.parents[1] / link).unlink()
        (path.parents[1] / link).symlink_to(mesh)
    with pytest.warns(irb.PhysicsWarning, match=r"copied from outside .*their_arm: .*part\.obj$"):
        files = export(irb.from_urdf(path), to, tmp_path / "out")
    assert any(file.name == "part.obj" for file in files)


def test_does_not_write_over_its_source(copied, tmp_path):
    """The folder of the tables, or of the URDF, is refused."""
    path = foreign(tmp_path)
    before = path.read_bytes()
    with pytest.raises(irb.InputError, match="comes from"):
        export(irb.from_urdf(path), "urdf", path.parent)
    with pytest.raises(irb.InputError, match="comes from"):
        export(irb.load(copied("irb1600") / "irb1600_6_120"), "urdf", copied("irb1600"))
    assert path.read_bytes() == before


def test_meshes_are_found_before_any_is_copied(tmp_path):
    """Copying starts when every mesh is there; a file that cannot be made names itself."""
    path = foreign(tmp_path)
    text = path.read_text(encoding="utf-8")
    with pytest.raises(irb.FileError, match=r"lost.obj"):
        copied_meshes(text.replace("../more/look.obj", "lost.obj"), path.parent, tmp_path / "out")
    assert not (tmp_path / "out").exists()
    assert list(gathered_meshes(text, path.parent)[1]) == [
        "meshes/look.obj",
        "meshes/look.mtl",
        "meshes/skin.png",
        "meshes/2/look.obj",
    ]
    (tmp_path / "out").mkdir()
    (tmp_path / "out" / "meshes").write_text("in the way", encoding="utf-8")
    with pytest.raises(irb.FileError, match="meshes"):
        copied_meshes(text, path.parent, tmp_path / "out")
    with pytest.raises(irb.FileError, match="gone"):
        write_files(tmp_path / "new", {"a": "text", "b": tmp_path / "gone"})
    assert not (tmp_path / "new").exists()


# --- robots of one's own


@pytest.mark.filterwarnings("ignore:.*no inverse kinematics:irbmodels.PhysicsWarning")
@pytest.mark.parametrize("coupling", ["serial", "parallelogram"])
def test_calibrated_robot(coupling, elsewhere):
    """A robot with an overlay is written with its own numbers, and its meshes come along."""
    table = elsewhere.parent / "specimen.yaml"
    table.write_text(
        "robot: irb2400\nabout: a specimen\nsources: {cert: {ref: certificate, grade: measured}}\n"
        "kinematics: {joints: {joint_2: {alpha_deg: -90.021, a_mm: 100.31, source: cert}}}\n",
        encoding="utf-8",
    )
    robot = irb.load("irb2400", overlays=[table])
    file, *meshes = export(robot, "urdf", elsewhere, Options(coupling, carrier_kg=CARRIER))
    assert len(meshes) == len(mesh_names(file)) > 20
    compare(robot, file, "mujoco", coupling == "serial")


def test_robot_of_own_tables(copied, elsewhere):
    """A folder of tables elsewhere takes the shipped meshes along."""
    robot = irb.load(
        copied("irb1600", "kinematics.yaml", "a_mm: 475", "a_mm: 480") / "irb1600_6_120"
    )
    compare(robot, export(robot, "urdf", elsewhere)[0], "pybullet")
