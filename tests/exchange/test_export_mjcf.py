import sys
from pathlib import Path
from xml.etree import ElementTree

import mujoco
import numpy as np
import oracles
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import irbmodels as irb
from irbmodels.errors import InputError, MissingExtra, UrdfError
from irbmodels.exchange.read.from_file import from_file
from irbmodels.exchange.write import Options, export
from irbmodels.robot.collision import adjacent, random_postures, read_srdf, srdf_path

BIT = mujoco.mjtDisableBit
BARS = ("joint_crank", "joint_rod")
# of the rotors, by the axes
TURNS = np.eye(6) + np.diag([0.0, 0.0, 0.0, 0.2, -0.3], -1) + np.diag([0.0, 0.0, 0.0, 0.1], -2)
TURNS[0, 0] = 0.5  # geared
ROTORS = [5.0, 4.0, 3.0, 0.5, 0.4, 0.3]
START, SPEED = np.array([0.1, 0.3, 0.2, 0.4, 0.5, -0.3]), np.array([1.0, 0.2, -0.4, 0.5, 0.3, 1.0])
CEILING = np.array([[1.0, 0, 0, 0.2], [0, -1, 0, -0.3], [0, 0, -1, 3.0], [0, 0, 0, 1]])
ROBOTS = {name: lambda name=name: irb.load(name) for name in oracles.NAMES} | {
    "spindle": lambda: irb.load("irb2400", tool="spindle"),
    "weighed bars": lambda: irb.load("irb2400", parameters="cad"),
    "rotors": lambda: irb.load("irb2400", tool="spindle").with_rotors(ROTORS),
    "coupled wrist": lambda: irb.load("irb2400").with_rotors(ROTORS).with_drives(TURNS),
    "point payload": (
        lambda: irb.load("irb2400", tool="spindle").with_payload(irb.payload(5.0, [0.1, 0.0, 0.1]))
    ),
    "ceiling": lambda: (
        irb.load("irb1400")
        .with_payload(irb.payload(5.0, [0.1, 0.0, 0.1], np.eye(3) * 0.1))
        .mounted(CEILING)
    ),
    "own tool": (
        lambda: irb.load("irb1600").with_tool(
            irb.Tool(
                "gun",
                pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.4, 0.5), np.array([0.1, 0.2, 0.3])),
                irb.payload(2.0, [0.0, 0.1, 0.2]),
            )
        )
    ),
}


class Exported:
    """A robot, the files of its export, and fresh MuJoCo models of them."""

    def __init__(self, robot, folder, options=None):
        self.robot, self.folder = robot, folder
        self.files = export(robot, "mjcf", folder, options or Options())
        self.text = self.files[0].read_text(encoding="utf-8")

    def model(self, off=0, file=0):
        """Load the robot's file, or the scene, with some of MuJoCo's forces off."""
        model = mujoco.MjModel.from_xml_path(str(self.files[file]))
        model.opt.disableflags |= int(off)
        return model, mujoco.MjData(model)

    def map(self, model):
        """``joints = map @ q``: written down here by name, not read from the file."""
        rows = dict(zip(self.robot.axes, self.robot.limits.A, strict=True))
        if self.robot.n == 6:
            rows |= {"joint_crank": np.eye(6)[2], "joint_rod": np.eye(6)[1] - np.eye(6)[2]}
        return np.array([rows[model.joint(i).name] for i in range(model.njnt)])

    def axes(self, model, data):
        """Axis positions, from the joints that are no bars."""
        main = [i for i in range(model.njnt) if model.joint(i).name not in BARS]
        return np.linalg.solve(self.robot.limits.A, data.qpos[main])


@pytest.fixture(scope="module")
def exported(tmp_path_factory):
    """Export each robot of ``ROBOTS`` once."""
    made = {}

    def get(name):
        if name not in made:
            made[name] = Exported(ROBOTS[name](), tmp_path_factory.mktemp("mjcf"))
        return made[name]

    return get


def random_states(robot, count, seed=0):
    rng = np.random.default_rng(seed)
    low, high = np.maximum(robot.limits.lower, -1.5), np.minimum(robot.limits.upper, 1.5)
    inside = rng.uniform(low, high, (count, robot.n)) @ np.linalg.inv(robot.limits.A).T
    return zip(
        inside,
        rng.uniform(-1.0, 1.0, (count, robot.n)),
        rng.uniform(-1.0, 1.0, (count, robot.n)),
        strict=True,
    )


@pytest.mark.parametrize("name", ROBOTS)
def test_every_robot_loads_anywhere_and_is_the_same_arm(name, exported, monkeypatch, tmp_path):
    """Robot and scene load from another folder; poses, sensors, torques, mass and ranges are those
    of the robot.
    """
    monkeypatch.chdir(tmp_path)
    made = exported(name)
    robot, (model, data) = made.robot, made.model(BIT.mjDSBL_CONSTRAINT | BIT.mjDSBL_DAMPER)
    scene, in_scene = made.model(file=1)
    mujoco.mj_resetDataKeyframe(scene, in_scene, scene.key("home").id)
    mujoco.mj_forward(scene, in_scene)
    assert in_scene.ncon == 0
    assert scene.nq == model.nq
    assert scene.geom("floor").type == mujoco.mjtGeom.mjGEOM_PLANE
    G = made.map(model)
    for q, v, a in random_states(robot, 20):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ q, G @ v, G @ a
        mujoco.mj_inverse(model, data)
        wanted = robot.inverse_dynamics(q, v, a, friction=False)
        assert np.abs(G.T @ data.qfrc_inverse - wanted).max() < 1e-12 * np.abs(wanted).max()
        for site in ("tcp", "tool0", "flange"):
            base = CEILING if name == "ceiling" else np.eye(4)
            pose = pin.SE3(base @ robot.pose(q, site).homogeneous)
            np.testing.assert_allclose(data.site(site).xpos, pose.translation, atol=1e-9)
            np.testing.assert_allclose(data.site(site).xmat.reshape(3, 3), pose.rotation, atol=1e-9)
        for axis in range(robot.n):
            assert data.sensor(f"axis_{axis + 1}_position").data[0] == pytest.approx(
                q[axis], abs=1e-14
            )
            assert data.sensor(f"axis_{axis + 1}_speed").data[0] == pytest.approx(
                v[axis], abs=1e-14
            )
    ranges = np.array([model.joint(joint).range for joint in robot.axes])
    np.testing.assert_allclose(
        ranges, np.transpose([robot.limits.lower, robot.limits.upper]), rtol=1e-15
    )
    assert all(model.joint(joint).limited for joint in robot.axes)
    carried = [] if robot.tool is None else [robot.tool.load.mass]
    carried += [] if robot.payload is None else [robot.payload.mass]
    rows = robot.description.inertials.sets[robot.parameters].links.values()
    assert model.body_mass.sum() == pytest.approx(
        sum(row.mass_kg for row in rows) + sum(carried), rel=1e-14
    )
    assert model.body("base_link").mass > 10.0
    np.testing.assert_array_equal(model.opt.gravity, [0.0, 0.0, -9.81])


def test_a_mounted_robot_comes_back_in_the_world(exported):
    """The worldbody is the base of what is read: its poses are those of the world, and gravity
    points down there.
    """
    made = exported("ceiling")
    back = from_file(made.files[0])
    for q, _, _ in random_states(made.robot, 5):
        expected = CEILING @ made.robot.pose(q).homogeneous
        np.testing.assert_allclose(back.pose(q).homogeneous, expected, rtol=0, atol=1e-12)
        torque = made.robot.gravity(q)
        np.testing.assert_allclose(back.gravity(q), torque, rtol=0, atol=1e-12 * abs(torque).max())


def test_the_bars_close_the_parallelogram(exported):
    """The rod's top is the rear pin of the upper arm, whatever the posture."""
    for name in ("irb2400_16", "irb1400"):
        made = exported(name)
        model, data = made.model()
        linkage = made.robot.dynamic_model.linkage
        for q, _, _ in random_states(made.robot, 10):
            data.qpos[:] = made.map(model) @ q
            mujoco.mj_kinematics(model, data)
            rod, arm = data.body("link_rod"), data.body("link_3")
            top = rod.xpos + rod.xmat.reshape(3, 3) @ [linkage.long, 0.0, 0.0]
            np.testing.assert_allclose(
                top, arm.xpos + arm.xmat.reshape(3, 3) @ [0.0, -linkage.crank, 0.0], atol=1e-14
            )


@pytest.mark.parametrize(
    ("name", "tolerance", "slack"),
    [("irb2400_16", 1e-9, 3e-7), ("weighed bars", 1e-8, 1e-7), ("irb1400", 1e-8, 1e-7)],
)
def test_free_motion_is_that_of_the_robot(name, tolerance, slack, exported):
    """After 1 s without friction, limits and contacts the TCP is where a tight integration puts it;
    asked for is 1e-6 m.

    Measured: 8e-11 m with bars that weigh nothing, 2e-9 and 4e-9 m with weighed ones; the bars slip
    by 8e-8, 2e-8, 4e-8 rad.
    """
    made = exported(name)
    robot, still = made.robot, np.zeros(6)

    def rate(_, state):
        return np.concatenate(
            [state[6:], robot.forward_dynamics(state[:6], state[6:], still, friction=False)]
        )

    start = np.concatenate([START, SPEED])
    wanted = solve_ivp(rate, (0.0, 1.0), start, method="DOP853", rtol=1e-11, atol=1e-12).y[:6, -1]
    off = BIT.mjDSBL_LIMIT | BIT.mjDSBL_CONTACT | BIT.mjDSBL_FRICTIONLOSS | BIT.mjDSBL_DAMPER
    model, data = made.model(off)
    model.opt.integrator = mujoco.mjtIntegrator.mjINT_RK4
    G = made.map(model)
    data.qpos[:], data.qvel[:], slipped = G @ START, G @ SPEED, 0.0
    for _ in range(round(1.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        slipped = max(slipped, np.abs(data.qpos - G @ made.axes(model, data)).max())
    mujoco.mj_kinematics(model, data)
    moved = np.linalg.norm(robot.pose(wanted).translation - robot.pose(START).translation)
    assert moved > 0.5  # it did move
    assert np.linalg.norm(data.site("tcp").xpos - robot.pose(wanted).translation) < tolerance
    assert slipped < slack


@pytest.mark.parametrize("name", ["irb2400_16", "spindle", "weighed bars", "irb1400", "ceiling"])
@pytest.mark.parametrize(
    "off", [0, BIT.mjDSBL_FRICTIONLOSS | BIT.mjDSBL_DAMPER], ids=["as written", "frictionless"]
)
def test_a_held_arm_stays_and_its_bars_with_it(name, off, exported):
    """Gravity torques on the motors hold the arm for 2 s, and the bars do not slip (at most 1e-8
    rad; 1e-6 is asked for).

    Without friction the balance is unstable, and rounding grows.
    """
    made = exported(name)
    model, data = made.model(off)
    G, q = made.map(model), np.array([0.3, 0.4, 0.2, 0.5, 0.7, 0.1])
    data.qpos[:], data.ctrl[:], slipped = G @ q, made.robot.gravity(q), 0.0
    for _ in range(round(2.0 / model.opt.timestep)):
        mujoco.mj_step(model, data)
        slipped = max(slipped, np.abs(data.qpos - G @ made.axes(model, data)).max())
    assert slipped < 1e-7
    stuck = not off and made.robot.friction_model is not None
    assert np.abs(made.axes(model, data) - q).max() < (1e-6 if stuck else 1e-4)


def test_home_holds_itself(exported):
    """The keyframe has the torques that carry the arm at home."""
    made = exported("irb1400")
    model, data = made.model()
    mujoco.mj_resetDataKeyframe(model, data, model.key("home").id)
    for _ in range(400):
        mujoco.mj_step(model, data)
    assert np.abs(data.qpos).max() < 1e-7


@pytest.mark.parametrize("name", ["irb2400_16", "rotors"])
def test_sliding_friction_is_coulomb_and_viscous_in_axis_coordinates(name, exported):
    """At speed the axes feel ``Fc sgn(v) + Fv v`` of their own speeds, not of the angle between the
    arms.
    """
    made = exported(name)
    law, (model, data) = made.robot.friction_model, made.model()
    G = made.map(model)
    for v in (
        np.array([0.3, 0.5, 0.2, -0.4, 0.6, -0.5]),
        np.array([-0.3, -0.2, 0.2, 0.4, -0.6, 0.5]),
    ):  # joint_3 at -0.3, 0.4
        data.qpos[:], data.qvel[:] = G @ START, G @ v
        data.ctrl[:] = made.robot.inverse_dynamics(START, v, np.zeros(6))  # keeps the speed
        mujoco.mj_forward(model, data)
        felt = G.T @ (data.qfrc_passive + data.qfrc_constraint)
        np.testing.assert_allclose(felt, -(law.Fc * np.sign(v) + law.Fv * v), atol=1e-4)
    excess = np.abs(law.torque(v) - (law.Fc * np.sign(v) + law.Fv * v)).max()
    assert excess < 1e-12  # at these speeds nothing of the Stribeck peak is left


def test_a_motor_that_is_too_weak_sticks(exported):
    """5 % of the weight missing is less than Coulomb friction: the arm creeps by less than 1e-6 rad
    in half a second.
    """
    made = exported("irb2400_16")
    model, data = made.model()
    G, q = made.map(model), START
    data.qpos[:], data.ctrl[:] = G @ q, 0.95 * made.robot.gravity(q)
    for _ in range(1000):
        mujoco.mj_step(model, data)
    assert np.abs(made.axes(model, data) - q).max() < 1e-6


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_motors_drive_the_axes_up_to_their_efforts(name, exported):
    """A command is the axis torque, that of axis 3 too; what exceeds the effort limit is cut
    off.
    """
    made = exported(name)
    model, data = made.model(BIT.mjDSBL_CONSTRAINT)
    n, effort, G = made.robot.n, made.robot.limits.effort, made.map(model)
    assert [model.actuator(i).name for i in range(model.nu)] == [f"axis_{i + 1}" for i in range(n)]
    for axis in range(n):
        for share, got in ((0.5, 0.5), (-2.0, -1.0)):
            data.ctrl[:] = 0.0
            data.ctrl[axis] = share * effort[axis]
            mujoco.mj_forward(model, data)
            main = [i for i in range(model.njnt) if model.joint(i).name not in BARS]
            np.testing.assert_allclose(
                G[main].T @ data.qfrc_actuator[main],
                got * effort[axis] * np.eye(n)[axis],
                atol=1e-9,
            )
            assert not data.qfrc_actuator[[i for i in range(model.nv) if i not in main]].any()
    assumed = [f"axis_{i + 1}" for i in np.flatnonzero(made.robot.limits.effort_assumed)]
    assert f"<!-- Effort limits of {', '.join(assumed)} are ASSUMED" in made.text


def test_what_mujoco_cannot_hold_is_told(exported):
    """The peak of the Stribeck law and the speed limits stand in the file as numbers; unknown
    friction is absent.
    """
    made = exported("irb2400_16")
    model, _ = made.model()
    assert "no Stribeck law" in made.text
    np.testing.assert_array_equal(model.numeric("friction_Fs").data, made.robot.friction_model.Fs)
    np.testing.assert_array_equal(
        model.numeric("friction_v_St").data, made.robot.friction_model.v_St
    )
    np.testing.assert_array_equal(model.numeric("speed_limit").data, made.robot.limits.velocity)
    unknown = exported("irb1600_6_120")
    model, _ = unknown.model()
    assert not model.dof_damping.any()
    assert not model.dof_frictionloss.any()
    assert "Friction is not known" in unknown.text


@pytest.mark.parametrize(
    "name", ["irb2400_16", "spindle", "irb1400", "irb1600_6_120", "irb930_12_105"]
)
def test_contacts_are_those_of_the_robot(name, exported):
    """Excluded are the pairs of the SRDF and the neighbours; in random postures both find the same
    links touching.
    """
    made = exported(name)
    robot, (model, data) = made.robot, made.model()
    tags = ElementTree.fromstring(made.text).iterfind("contact/exclude")
    excluded = {frozenset((tag.get("body1"), tag.get("body2"))) for tag in tags}
    wanted = set(read_srdf(srdf_path(robot))) | {
        frozenset("tool" if x == "tool0" else x for x in pair) for pair in adjacent(robot)
    }
    assert {
        pair for pair in wanted if pair <= {model.body(i).name for i in range(model.nbody)}
    } <= excluded
    assert all(pair in wanted or "tool" in pair for pair in excluded)
    touching = 0
    for q in random_postures(robot.limits, 150, seed=1):
        data.qpos[:] = made.map(model) @ q
        mujoco.mj_forward(model, data)
        ours = {
            tuple(sorted("tool" if link == "tool0" else link for link in pair))
            for pair in irb.contacts(robot, q)
        }
        bodies = model.geom_bodyid[data.contact.geom]
        theirs = {tuple(sorted(model.body(i).name for i in pair)) for pair in bodies.tolist()}
        assert ours == theirs
        touching += bool(ours)
    assert touching or name in ("irb1400", "irb1600_6_120", "irb930_12_105")


def test_looks_and_collision_are_apart(exported):
    """Visuals are group 2 and touch nothing, convex pieces are group 3; the meshes are copies in
    the folder.
    """
    made = exported("spindle")
    model, _ = made.model()
    visual = model.geom_group == 2
    assert visual.sum() > 15
    assert (model.geom_group[~visual] == 3).all()
    assert not model.geom_contype[visual].any()
    assert not model.geom_conaffinity[visual].any()
    assert (model.geom_contype[~visual] == 1).all()
    assert {"link_rod", "link_crank", "tool"} <= {model.body(i).name for i in model.geom_bodyid}
    assert all(path.is_relative_to(made.folder) and path.is_file() for path in made.files)
    assert len(made.files) == 2 + model.nmesh
    assert "/" not in "".join(ElementTree.fromstring(made.text).find("compiler").attrib.values())


def test_writing_again_changes_nothing(exported, tmp_path):
    """Two exports have the same bytes, and name no folder of this machine."""
    first, second = exported("spindle"), Exported(ROBOTS["spindle"](), tmp_path)
    assert [path.relative_to(first.folder) for path in first.files] == [
        path.relative_to(tmp_path) for path in second.files
    ]
    for one, other in zip(first.files, second.files, strict=True):
        assert one.read_bytes() == other.read_bytes()
    for text in (first.text, first.files[1].read_text(encoding="utf-8")):
        assert str(Path(irb.__file__).parent.parent) not in text
        assert str(first.folder) not in text


def test_serial_leaves_the_bars_out(tmp_path):
    """``serial`` is the open chain; a set with weighed bars is replaced by the one that stands for
    it there, and says so.
    """
    made = Exported(irb.load("irb1400"), tmp_path, Options(coupling="serial"))
    model, data = made.model(BIT.mjDSBL_CONSTRAINT)
    assert (model.nv, model.neq) == (6, 0)
    assert "set cad_lumped, the open chain of cad" in made.text
    lumped, G = irb.load("irb1400", parameters="cad_lumped"), made.map(model)
    for q, v, a in random_states(lumped, 5):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ q, G @ v, G @ a
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(
            G.T @ data.qfrc_inverse, lumped.inverse_dynamics(q, v, a, friction=False), atol=1e-9
        )


@pytest.mark.parametrize("carrier", [0.5, 1e-6])
def test_a_chosen_carrier_changes_no_torque(carrier, tmp_path):
    """Bars of 0.5 kg or 1 mg move the arm as bars of nothing do, the links around them give the
    mass; and neither slips.
    """
    made = Exported(irb.load("irb2400"), tmp_path, Options(carrier_kg=carrier))
    model, data = made.model(BIT.mjDSBL_CONSTRAINT | BIT.mjDSBL_DAMPER)
    assert model.body("link_rod").mass == carrier
    G = made.map(model)
    for q, v, a in random_states(made.robot, 5):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ q, G @ v, G @ a
        mujoco.mj_inverse(model, data)
        wanted = made.robot.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(G.T @ data.qfrc_inverse, wanted, atol=1e-9)
    model, data = made.model()
    data.qpos[:], data.ctrl[:] = G @ START, made.robot.gravity(START)
    for _ in range(1000):
        mujoco.mj_step(model, data)
        assert np.abs(data.qpos - G @ made.axes(model, data)).max() < 1e-7


@pytest.mark.parametrize("name", ["irb2400", "irb1400"])
def test_our_urdf_read_back_is_exact_too(name, tmp_path):
    """From the URDF with carriers: their hinges are put together, axis 3 is a tendon with the range
    that the URDF gives q3.
    """
    made = Exported(irb.from_urdf(irb.urdf_path(name)), tmp_path)
    model, data = made.model(BIT.mjDSBL_CONSTRAINT)
    assert model.nv == 8
    A = irb.load(name).limits.A
    rows = dict(zip(made.robot.axes, A, strict=True)) | {
        "joint_crank": np.eye(6)[2],
        "joint_rod": np.eye(6)[1] - np.eye(6)[2],
    }
    G = np.array([rows[model.joint(i).name] for i in range(model.njnt)])
    for q, v, a in random_states(made.robot, 5):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ q, G @ v, G @ a
        mujoco.mj_inverse(model, data)
        wanted = made.robot.inverse_dynamics(q, v, a, friction=False)
        assert np.abs(G.T @ data.qfrc_inverse - wanted).max() < 1e-9 * np.abs(wanted).max()
        np.testing.assert_allclose(data.site("tcp").xpos, made.robot.pose(q).translation, atol=1e-9)
    model, data = made.model()
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.7, 0.1])
    data.qpos[:], data.ctrl[:] = G @ q, made.robot.gravity(q)
    for _ in range(1000):  # bars of 1e-6 kg as in the URDF; the solver must not lose them
        mujoco.mj_step(model, data)
        main = [model.joint(joint).qposadr[0] for joint in made.robot.axes]
        assert np.abs(data.qpos - G @ np.linalg.solve(A, data.qpos[main])).max() < 1e-7
    envelope = irb.load(name).limits.envelope()
    np.testing.assert_allclose(
        model.tendon_range[model.tendon("joint_3").id], [envelope[0][2], envelope[1][2]], rtol=1e-12
    )


SHAPES = (mujoco.mjtGeom.mjGEOM_BOX, mujoco.mjtGeom.mjGEOM_SPHERE, mujoco.mjtGeom.mjGEOM_CYLINDER)
GRIPPER = """<robot name="grip">
<link name="world"/>
<joint name="fix" type="fixed"><parent link="world"/><child link="base"/><origin xyz="0 0 .5"/></joint>
<link name="base"><inertial><mass value="1"/>{ball}</inertial></link>
<joint name="turn" type="continuous"><parent link="base"/><child link="palm"/><axis xyz="0 2 0"/>
  <origin xyz="0 0 .1" rpy=".1 .2 .3"/></joint>
<link name="palm"><inertial><origin xyz=".1 0 0" rpy=".3 .2 .1"/><mass value="1"/>
  <inertia ixx=".01" iyy=".012" izz=".013" ixy=".001" ixz="0" iyz="0"/></inertial>
  <collision><geometry><box size=".1 .1 .1"/></geometry></collision></link>
<joint name="left" type="prismatic"><parent link="palm"/><child link="a"/><axis xyz="1 0 0"/><origin xyz=".2 0 0"/>
  <limit lower="-.1" upper=".2" effort="5" velocity="1"/></joint>
<link name="a"><inertial><mass value=".1"/>{ball}</inertial><visual><geometry><sphere radius=".02"/></geometry></visual></link>
<joint name="right" type="prismatic"><parent link="palm"/><child link="b"/><axis xyz="1 0 0"/><origin xyz="-.2 0 0"/>
  <mimic joint="left" multiplier="-2" offset=".05"/><limit lower="-.5" upper=".5" effort="0" velocity="1"/></joint>
<link name="b"><inertial><mass value=".1"/>{ball}</inertial>
  <visual><geometry><cylinder radius=".02" length=".1"/></geometry></visual></link>
</robot>""".format(ball='<inertia ixx=".001" iyy=".001" izz=".001" ixy="0" ixz="0" iyz="0"/>')


def test_any_mimic_becomes_a_stiff_equality(tmp_path):
    """A gripper with factor and offset: exact torques on the open tree, and fingers that stay
    together within 1e-6 m.
    """
    (tmp_path / "grip.urdf").write_text(GRIPPER)
    robot = irb.from_urdf(tmp_path / "grip.urdf")
    made = Exported(robot, tmp_path / "out")
    model, data = made.model(BIT.mjDSBL_CONSTRAINT)
    G, q0 = np.array([[1.0, 0.0], [0.0, 1.0], [0.0, -2.0]]), np.array([0.0, 0.0, 0.05])
    for q, v, a in np.random.default_rng(0).uniform(-0.1, 0.1, (5, 3, 2)):
        data.qpos[:], data.qvel[:], data.qacc[:] = G @ q + q0, G @ v, G @ a
        mujoco.mj_inverse(model, data)
        np.testing.assert_allclose(
            G.T @ data.qfrc_inverse, robot.inverse_dynamics(q, v, a, friction=False), atol=1e-12
        )
    model, data = made.model()
    mujoco.mj_resetDataKeyframe(model, data, 0)
    np.testing.assert_allclose(data.qpos, q0)
    data.ctrl[:] = 0.0
    for _ in range(400):
        mujoco.mj_step(model, data)
        assert abs(data.qpos[2] + 2.0 * data.qpos[1] - 0.05) < 1e-6
    assert abs(data.qpos[0]) > 0.01
    box, ball, rod = (
        [i for i in range(model.ngeom) if model.geom_type[i] == kind] for kind in SHAPES
    )
    assert model.geom_size[[*box, *ball, *rod]].tolist() == [
        [0.05, 0.05, 0.05],
        [0.02, 0.0, 0.0],
        [0.02, 0.05, 0.0],
    ]
    assert model.actuator("left").ctrlrange.tolist() == [-5.0, 5.0]
    assert not model.actuator("turn").ctrllimited
    assert not model.joint("turn").limited
    # the class reaches below a link named world
    np.testing.assert_allclose(model.jnt_solref[:, 0], 0.004)


BODY = (
    '<inertial><origin xyz=".2 0 .05"/><mass value="1"/><inertia ixx=".1" iyy=".1" izz=".1" ixy="0"'
    ' ixz="0" iyz="0"/></inertial>'
)
SHIFTED = f"""<robot name="shifted"><link name="base">{BODY}</link>
<joint name="lower" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
  <limit lower="-1" upper="1.5" effort="9" velocity="1"/></joint><link name="arm">{BODY}</link>
<joint name="back" type="revolute"><parent link="arm"/><child link="carrier"/><axis xyz="0 1 0"/><origin xyz="0 0 .6"/>
  <limit lower="-9" upper="9" effort="0" velocity="0"/><mimic joint="lower" multiplier="-1" offset=".3"/></joint>
<link name="carrier"/>
<joint name="upper" type="revolute"><parent link="carrier"/><child link="forearm"/><axis xyz="0 1 0"/>
  <limit lower="-.7" upper=".9" effort="9" velocity="1"/></joint><link name="forearm">{BODY}</link>
<joint name="grip" type="revolute"><parent link="forearm"/><child link="finger"/><axis xyz="1 0 0"/><origin xyz=".5 0 0"/>
  <limit lower="-9" upper="9" effort="0" velocity="0"/><mimic joint="upper" multiplier="2" offset="-.4"/></joint>
<link name="finger">{BODY}</link></robot>"""


def test_ranges_move_with_the_offset_of_a_mimic(tmp_path):
    """Where a carrier with an offset becomes part of an axis, its coordinate is shifted: so are
    range, follower and start.
    """
    (tmp_path / "shifted.urdf").write_text(SHIFTED)
    robot = irb.from_urdf(tmp_path / "shifted.urdf")
    made = Exported(robot, tmp_path / "out")
    model, data = made.model(BIT.mjDSBL_LIMIT)
    place = model.tendon("upper")  # lower + upper, in MuJoCo's coordinates
    np.testing.assert_allclose(model.tendon_range[place.id], [-0.7 + 0.3, 0.9 + 0.3], rtol=1e-12)
    np.testing.assert_allclose(model.joint("lower").range, [-1.0, 1.5], rtol=1e-12)
    names = [model.joint(number).name for number in range(model.njnt)]
    assert names == ["lower", "upper", "grip"]
    for lower, upper in np.random.default_rng(5).uniform(-0.6, 0.8, (5, 2)):
        data.qpos[:] = lower, upper - lower + 0.3, 2.0 * upper - 0.4
        mujoco.mj_forward(model, data)
        assert data.ten_length[place.id] == pytest.approx(upper + 0.3, abs=1e-12)
        np.testing.assert_allclose(data.efc_pos[: data.ne], 0.0, atol=1e-12)
        for link in ("arm", "forearm", "finger"):
            pose = robot.pose([lower, upper], link)
            np.testing.assert_allclose(data.body(link).xpos, pose.translation, atol=1e-12)
            np.testing.assert_allclose(
                data.body(link).xmat.reshape(3, 3), pose.rotation, atol=1e-12
            )
    mujoco.mj_resetDataKeyframe(model, data, 0)
    np.testing.assert_allclose(data.qpos, [0.0, 0.3, -0.4], atol=1e-15)
    assert "the axis position that the controller shows plus 0.3: lower + upper" in made.text


def test_meshes_of_a_urdf_are_taken_as_they_are(tmp_path):
    """Meshes of one name from two folders, a scale, a flat visual; what MuJoCo cannot open is left
    out and named.
    """
    flat = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 1 1 0\nf 1 2 3\nf 2 4 3\n"
    for folder in ("one", "two"):
        (tmp_path / folder).mkdir()
        (tmp_path / folder / "part.obj").write_text(flat)
    (tmp_path / "part.dae").write_text("<COLLADA/>")
    visual = '<visual><geometry><mesh filename="{}" scale="{}"/></geometry></visual>'
    shapes = [
        ("one/part.obj", "1 1 1"),
        ("two/part.obj", "1 1 1"),
        ("one/part.obj", "2 2 2"),
        ("part.dae", "1 1 1"),
    ]
    with_meshes = GRIPPER.replace(
        "<collision>", "".join(visual.format(*shape) for shape in shapes) + "<collision>"
    )
    (tmp_path / "grip.urdf").write_text(with_meshes)
    made = Exported(irb.from_urdf(tmp_path / "grip.urdf"), tmp_path / "out")
    model, _ = made.model()
    assert model.nmesh == 3
    assert [path.name for path in made.files[2:]] == ["part.obj", "part_2.obj"]
    sizes = [
        np.ptp(model.mesh_vert[a : a + n], axis=0).max()
        for a, n in zip(model.mesh_vertadr, model.mesh_vertnum, strict=True)
    ]
    assert sizes[2] == pytest.approx(2.0 * sizes[0], rel=1e-6)
    assert "MuJoCo opens no part.dae: left out" in made.text


def test_pinocchio_reads_it_alike(exported):
    """Pinocchio builds the same tree from the MJCF; its inverse dynamics are the robot's, the
    rotors aside.
    """
    made = exported("spindle")
    model = pin.buildModelFromMJCF(str(made.files[0]))
    data, plan = model.createData(), made.model()[0]
    G = made.map(plan)[[plan.joint(name).id for name in list(model.names)[1:]]]
    for q, v, a in random_states(made.robot, 5):
        tau = G.T @ pin.rnea(model, data, G @ q, G @ v, G @ a)
        np.testing.assert_allclose(
            tau, made.robot.inverse_dynamics(q, v, a, friction=False), atol=1e-9
        )


def test_a_second_export_leaves_nothing_more_in_the_cache_of_mujoco(tmp_path):
    """Its 524 MB are for the meshes of the process that asks, not for trials of the writer."""
    robot, cache, size = irb.load("irb930"), mujoco.mj_getCache(), mujoco.mj_getCacheSize
    mujoco.mj_clearCache(cache)
    export(robot, "mjcf", tmp_path / "first")
    once = size(cache)
    export(robot, "mjcf", tmp_path / "second")
    assert 0 < size(cache) == once


def test_errors_say_what_would_be_right(tmp_path, monkeypatch):
    """Massless bars, mesh paths, a coupling for a URDF, an impossible body, no MuJoCo: each has its
    error, and no file.
    """
    with pytest.raises(InputError, match="coupling='serial' leaves them out"):
        export(irb.load("irb2400"), "mjcf", tmp_path, Options(carrier_kg=0.0))
    with pytest.raises(InputError, match="meshes='package' is for a URDF"):
        export(irb.load("irb2400"), "mjcf", tmp_path, Options(meshes="package"))
    with pytest.raises(InputError, match="comes from a URDF"):
        export(
            irb.from_urdf(irb.urdf_path("irb2400")), "mjcf", tmp_path, Options(coupling="serial")
        )
    with pytest.warns(irb.PhysicsWarning):
        printed = irb.load("irb2400", parameters="obal2025_printed")
    with pytest.raises(UrdfError, match=r"MuJoCo refuses irb2400_16: .*inertia"):
        export(printed, "mjcf", tmp_path)
    monkeypatch.setitem(sys.modules, "mujoco", None)
    with pytest.raises(MissingExtra, match=r"irbmodels\[export\]"):
        export(irb.load("irb2400"), "mjcf", tmp_path)
    assert not list(tmp_path.glob("*.xml"))
