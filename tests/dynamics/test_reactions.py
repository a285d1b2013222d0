import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb

ROD = {"irb2400_16": 0.705, "irb1400": 0.600}  # [m] long side of the parallelogram


def body_wrenches(arm, q, v, a, gravity):
    """Return per joint the force and moment [base axes, about the frame's origin] that its bodies
    need to move so.
    """
    frames, slid = oracles.poses(arm, q), oracles.poses(arm, q + 1j * oracles.STEP * v)
    needed = np.zeros((len(arm.joints), 6))
    for body in arm.bodies:
        frame, turn = frames[body.joint], frames[body.joint][:3, :3]
        arm_of_mass = turn @ body.com
        J = oracles.jacobian(arm, frames, body.joint, frame[:3, 3] + arm_of_mass)
        moved = slid[body.joint]
        rate = (
            oracles.jacobian(arm, slid, body.joint, moved[:3, 3] + moved[:3, :3] @ body.com).imag
            / oracles.STEP
        )
        motion, omega, tensor = J @ a + rate @ v, J[3:] @ v, turn @ body.tensor @ turn.T
        force = body.mass * (motion[:3] - gravity)
        moment = (
            tensor @ motion[3:] + np.cross(omega, tensor @ omega) + np.cross(arm_of_mass, force)
        )
        needed[body.joint] += np.r_[force, moment]
    return frames, needed


def closed_loop(arm, name, q, v, a, gravity, at_tip):
    """Solve the equilibrium of all bodies, crank and rod included, for every bearing; the loop is
    closed by unknown pin forces.

    Unknowns: a wrench per joint of the arm and of the crank (at the elbow without moment about its
    axis), and a force at either end of the rod. Equations: force and moment balance of the six
    links, the crank and the rod.
    """
    frames, needed = body_wrenches(arm, q, v, a, gravity)
    tip = (frames[arm.wrist] @ arm.tip)[:3, 3]
    columns, rows = {}, []

    def unknown(label, size):
        start = sum(len(c) for c in columns.values())
        columns[label] = np.arange(start, start + size)

    for label in ("j1", "j2", "j3", "j4", "j5", "j6", "crank"):
        unknown(label, 6)
    unknown("upper", 3)
    unknown("lower", 3)
    # about itself a rod on two ball joints would spin freely; the lower one holds it
    unknown("spin", 1)
    total = sum(len(c) for c in columns.values())

    def at(label, place, origin, sign):
        """Rows that add a wrench or force, acting at ``place``, to the balance of a body about
        ``origin``.
        """
        block, lever = np.zeros((6, total)), place - origin
        skew = np.array(
            [[0, -lever[2], lever[1]], [lever[2], 0, -lever[0]], [-lever[1], lever[0], 0]]
        )
        block[:3, columns[label][:3]], block[3:, columns[label][:3]] = np.eye(3), skew
        if len(columns[label]) == 6:
            block[3:, columns[label][3:]] = np.eye(3)
        return sign * block

    place = {f"j{i + 1}": frames[i][:3, 3] for i in range(6)} | {
        "crank": frames[6][:3, 3],
        "lower": frames[7][:3, 3],
    }
    place["upper"] = frames[7][:3, 3] + ROD[name] * frames[7][:3, 0]
    right = []
    for i in range(6):
        origin = frames[i][:3, 3]
        block = at(f"j{i + 1}", place[f"j{i + 1}"], origin, 1)
        if i < 5:
            block = block + at(f"j{i + 2}", place[f"j{i + 2}"], origin, -1)
        if i == 0:
            block = block + at("crank", place["crank"], origin, -1)
        if i == 2:
            block = block + at("upper", place["upper"], origin, 1)
        load = needed[i].copy()
        if i == 5:
            load -= np.r_[at_tip[:3], at_tip[3:] + np.cross(tip - origin, at_tip[:3])]
        rows.append(block)
        right.append(load)
    rows.append(
        at("crank", place["crank"], place["crank"], 1)
        + at("lower", place["lower"], place["crank"], 1)
    )
    right.append(needed[6])
    held = np.zeros((6, total))
    held[3:, columns["spin"][0]] = frames[7][:3, 0]
    rows[-1] = rows[-1] - held
    rows.append(
        at("upper", place["upper"], place["lower"], -1)
        + at("lower", place["lower"], place["lower"], -1)
        + held
    )
    right.append(needed[7])
    pin = np.zeros((1, total))
    pin[0, columns["j3"][3:]] = frames[2][:3, 2]
    matrix, load = np.vstack([*rows, pin]), np.append(np.concatenate(right), 0.0)
    solution, *_ = np.linalg.lstsq(matrix, load, rcond=None)
    assert np.abs(matrix @ solution - load).max() < 1e-8
    return {label: solution[index] for label, index in columns.items()}


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("irb2400_16", "obal2025"),
        ("irb2400_16", "cad"),
        ("irb1400", "cad"),
        ("irb1400", "stretched"),
    ],
)
def test_reactions_equal_a_loop_closure_solve(name, parameters):
    """Every bearing, the rod and the elbow pin equal the equilibrium of all bodies solved with the
    loop closed.
    """
    robot = irb.load(name, tool="spindle", parameters=parameters).with_gravity([1.0, 2.0, -9.0])
    arm = oracles.carrying(
        oracles.arm(name, parameters, bars=True), *oracles.SPINDLE, tip=oracles.SPINDLE_TCP
    )
    wrench = np.array([40.0, -30.0, 20.0, 2.0, 3.0, -4.0])
    for q, v, a in oracles.states(name, 10, seed=3):
        wanted = closed_loop(arm, name, q, v, a, np.array([1.0, 2.0, -9.0]), wrench)
        actual = robot.reactions(q, v, a, wrench=wrench)
        size = np.abs(wanted["j1"]).max()
        for i in range(6):
            np.testing.assert_allclose(
                actual.joints[f"joint_{i + 1}"], wanted[f"j{i + 1}"], atol=1e-10 * size
            )
        np.testing.assert_allclose(actual.bars.upper_pin, wanted["upper"], atol=1e-10 * size)
        np.testing.assert_allclose(actual.bars.lower_pin, wanted["lower"], atol=1e-10 * size)
        np.testing.assert_allclose(actual.bars.crank, wanted["crank"], atol=1e-10 * size)


HEAVY = """
robot: irb2400
about: bars with mass
sources: {made: {ref: made up for this test, grade: assumed}}
inertials:
  default: heavy
  sets:
    heavy:
      about: bars weighed
      links:
        link_crank:
          {mass_kg: 9.0, com_mm: [10, -70, -20], source: made,
           inertia_kg_m2: {xx: 0.05, yy: 0.02, zz: 0.06, xy: 0.001, xz: 0, yz: 0.002}}
        link_rod:
          {mass_kg: 7.0, com_mm: [340, 5, -30], source: made,
           inertia_kg_m2: {xx: 0.01, yy: 0.30, zz: 0.301, xy: 0.002, xz: 0.001, yz: 0}}
"""


def test_bars_with_mass_share_the_load_too(tmp_path):
    """With a crank of 9 kg and a rod of 7 kg every bearing still equals the closed-loop solve."""
    (tmp_path / "heavy.yaml").write_text(HEAVY)
    robot = irb.load("irb2400", tool="spindle", overlays=[tmp_path / "heavy.yaml"])
    assert robot.parameters == "heavy"
    arm = oracles.arm("irb2400_16", "heavy", robot.description.folder)
    arm = oracles.carrying(arm, *oracles.SPINDLE, tip=oracles.SPINDLE_TCP)
    assert len(arm.bodies) == 9
    for q, v, a in oracles.states("irb2400_16", 10, seed=3):
        wanted = closed_loop(arm, "irb2400_16", q, v, a, oracles.GRAVITY, np.zeros(6))
        actual = robot.reactions(q, v, a)
        size = np.abs(wanted["j1"]).max()
        assert list(actual.joints) == [f"joint_{i}" for i in range(1, 7)]
        for i in range(6):
            np.testing.assert_allclose(
                actual.joints[f"joint_{i + 1}"], wanted[f"j{i + 1}"], atol=1e-10 * size
            )
        for ours, theirs in (
            (actual.bars.upper_pin, "upper"),
            (actual.bars.lower_pin, "lower"),
            (actual.bars.crank, "crank"),
        ):
            np.testing.assert_allclose(ours, wanted[theirs], atol=1e-10 * size)
        along = robot.pose(q, "link_rod").rotation[:, 0]
        np.testing.assert_allclose(
            actual.bars.lower_moment, -wanted["spin"] * along, atol=1e-10 * size
        )
        tau = robot.inverse_dynamics(q, v, a, friction=False)
        assert actual.bars.crank[3:] @ robot.pose(q, "link_2").rotation[:, 2] == pytest.approx(
            tau[2], abs=1e-9 * size
        )
        np.testing.assert_allclose(tau, oracles.lagrange(arm, q, v, a), atol=1e-10 * size)


@pytest.mark.parametrize(
    "loads", [(), ("link_rod",), ("link_crank",), ("link_rod", "link_crank", "tcp")]
)
def test_each_bar_is_in_balance(loads, tmp_path):
    """Newton and Euler for rod and crank alone: their pins and what acts on them move them as they
    do, moments included.
    """
    (tmp_path / "heavy.yaml").write_text(HEAVY)
    robot = irb.load("irb2400", tool="spindle", overlays=[tmp_path / "heavy.yaml"])
    arm = oracles.carrying(
        oracles.arm("irb2400_16", "heavy", robot.description.folder),
        *oracles.SPINDLE,
        tip=oracles.SPINDLE_TCP,
    )
    rng = np.random.default_rng(9)
    for q, v, a in oracles.states("irb2400_16", 5, seed=4):
        wrench = {name: rng.normal(size=6) * [200, 200, 200, 50, 50, 50] for name in loads}
        frames, needed = body_wrenches(arm, q, v, a, oracles.GRAVITY)
        reactions = robot.reactions(q, v, a, wrench=wrench)
        bars, (crank, rod) = reactions.bars, frames[6:8]
        upper = ROD["irb2400_16"] * rod[:3, 0]
        on_rod = np.r_[
            -bars.upper_pin - bars.lower_pin, -np.cross(upper, bars.upper_pin) - bars.lower_moment
        ]
        pin = rod[:3, 3] - crank[:3, 3]
        on_crank = (
            bars.crank + np.r_[bars.lower_pin, np.cross(pin, bars.lower_pin) + bars.lower_moment]
        )
        none = np.zeros(6)
        np.testing.assert_allclose(on_rod + wrench.get("link_rod", none), needed[7], atol=1e-9)
        np.testing.assert_allclose(on_crank + wrench.get("link_crank", none), needed[6], atol=1e-9)
        assert np.abs(np.cross(bars.lower_moment, rod[:3, 0])).max() < 1e-12
        assert np.linalg.norm(bars.lower_moment) > 0.01


def test_massless_bars_exchange_no_moment():
    """Two pins of a rod without mass and load pull along it, and do not turn it."""
    robot = irb.load("irb2400", tool="spindle")
    for q, v, a in oracles.states("irb2400_16", 3, seed=4):
        np.testing.assert_allclose(robot.reactions(q, v, a).bars.lower_moment, 0.0, atol=1e-12)


def test_the_rod_carries_its_lever_rule():
    """F = tau_3 / (crank cos r3): the torque of axis 3 over the rod's lever arm, more than 1 kN at
    an ordinary posture.
    """
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([0, 20, 30, 0, 30, 0])
    actual = robot.reactions(q, np.zeros(6), np.zeros(6))
    assert actual.bars.rod == pytest.approx(
        robot.gravity(q)[2] / (0.180 * np.cos(q[2] - q[1])), rel=1e-12
    )
    assert abs(actual.bars.rod) > 1000.0
    elbow = robot.pose(q, "link_3").rotation[:, 2]
    assert abs(actual.joints["joint_3"][3:] @ elbow) < 1e-9


@together("name", oracles.NAMES)
def test_motors_are_the_components_about_the_axes(name):
    """Along its own axis each bearing carries the torque of inverse dynamics without friction."""
    robot = irb.load(name, tool="spindle")
    for q, v, a in oracles.states(name, 5, seed=4):
        tau, actual = robot.inverse_dynamics(q, v, a, friction=False), robot.reactions(q, v, a)
        axes = [robot.pose(q, f"link_{i + 1}").rotation[:, 2] for i in range(robot.n)]
        along = [
            (
                actual.joints[f"joint_{i + 1}"][:3] @ axis
                if robot.limits.linear[i]
                else actual.joints[f"joint_{i + 1}"][3:] @ axis
            )
            for i, axis in enumerate(axes)
        ]
        if actual.bars is not None:
            along[2] = actual.bars.crank[3:] @ robot.pose(q, "link_2").rotation[:, 2]
        np.testing.assert_allclose(along, tau, atol=1e-10 * max(np.abs(tau).max(), 1.0))


def test_a_serial_arm_has_no_bars():
    assert irb.load("irb1600").reactions(np.zeros(6), np.zeros(6), np.zeros(6)).bars is None


def test_a_sensor_at_rest_reads_the_weight():
    """Force m g downward, moment of the centre of mass, in the sensor's axes; the robot itself is
    not weighed.
    """
    robot = irb.load("irb2400", tool="spindle")
    q = np.array([0.3, 0.2, 0.1, 0.4, 0.5, 0.6])
    reading = robot.sensor(q, np.zeros(6), np.zeros(6))
    turn = robot.pose(q, "tool0").rotation
    weight = turn.T @ [0.0, 0.0, -12.7 * 9.81]
    np.testing.assert_allclose(
        reading, np.r_[weight, np.cross([-0.0383, 0.0, 0.1293], weight)], atol=1e-10
    )


def test_a_cutting_force_is_the_reading_less_the_model():
    """A force on the TCP shows up, in sensor axes about the sensor's origin, as reading minus
    model, whatever the motion.
    """
    robot = irb.load("irb2400", tool="spindle").with_payload(irb.payload(1.0, [0.0, 0.0, 0.05]))
    q, v, a = oracles.states("irb2400_16", 1, seed=6)[0]
    sensor = np.eye(4)
    sensor[:3, :3], sensor[:3, 3] = oracles.rotation(2, 0.7)[:3, :3], [0.01, 0.02, 0.03]
    cut = np.array([100.0, -50.0, 30.0, 1.0, 2.0, -1.0])
    read = robot.sensor(q, v, a, wrench=cut, tool0_from_sensor=sensor)
    force = read - robot.sensor(q, v, a, tool0_from_sensor=sensor)
    pose = robot.pose(q, "tool0").homogeneous @ sensor
    lever = robot.pose(q).translation - pose[:3, 3]
    wanted = np.r_[pose[:3, :3].T @ cut[:3], pose[:3, :3].T @ (cut[3:] + np.cross(lever, cut[:3]))]
    np.testing.assert_allclose(force, wanted, atol=1e-9)


def test_a_moving_sensor_reads_newton_and_euler():
    """In motion the reading is m (g - a_c) and its moment about the sensor, from the oracle's
    kinematics.
    """
    robot = irb.load("irb2400", tool="spindle")
    tool = oracles.carrying(oracles.arm("irb2400_16")._replace(bodies=[]), *oracles.SPINDLE)
    for q, v, a in oracles.states("irb2400_16", 5, seed=7):
        frames, needed = body_wrenches(tool, q, v, a, oracles.GRAVITY)
        tool0 = frames[5] @ tool.tip
        moment = needed[5][3:] - np.cross(tool0[:3, 3] - frames[5][:3, 3], needed[5][:3])
        wanted = -np.r_[tool0[:3, :3].T @ needed[5][:3], tool0[:3, :3].T @ moment]
        np.testing.assert_allclose(robot.sensor(q, v, a), wanted, atol=1e-9)
        flange = robot.reactions(q, v, a).flange
        np.testing.assert_allclose(flange, np.r_[needed[5][:3], moment], atol=1e-9)


def test_a_sensor_feels_only_what_passes_it():
    """Wrenches elsewhere, a URDF's unknown tool, and a frame that is no rotation are refused; a bar
    needs its tree.
    """
    robot, still = irb.load("irb2400", tool="spindle"), np.zeros((3, 6))
    with pytest.raises(irb.InputError, match="a wrench at link_3 does not pass the sensor"):
        robot.sensor(*still, wrench={"link_3": np.ones(6)})
    with pytest.raises(irb.InputError, match="tool0_from_sensor needs a rotation"):
        robot.sensor(*still, tool0_from_sensor=2.0 * np.eye(4))
    with pytest.raises(irb.InputError, match="needs the tree with bars: load"):
        robot.reactions(*still, wrench={"link_rod": np.ones(6)})


@pytest.mark.parametrize("built_in", [True, False])
def test_a_sensor_of_a_urdf_feels_the_tool_that_is_in_the_file(tmp_path, built_in):
    """Spindle and payload weigh the same in the file and on the robot, at rest and in motion."""
    path = tmp_path / "arm.urdf"
    path.write_text(
        irb.describe("irb2400").urdf("serial", tool="spindle" if built_in else None),
        encoding="utf-8",
    )
    foreign, robot = (
        irb.from_urdf(path),
        irb.load("irb2400", tool="spindle").with_payload(irb.payload(1.0, [0, 0.1, 0])),
    )
    if not built_in:
        foreign = foreign.with_tool("spindle")
    foreign = foreign.with_payload(irb.payload(1.0, [0, 0.1, 0]))
    A, wrench = robot.dh().A, np.array([1.0, -20.0, 30.0, 4.0, 5.0, 6.0])
    for q, v, a in oracles.states("irb2400_16", 3):
        wanted = robot.sensor(q, v, a, wrench=wrench)
        np.testing.assert_allclose(
            foreign.sensor(A @ q, A @ v, A @ a, wrench=wrench), wanted, rtol=0, atol=1e-9
        )
        assert np.linalg.norm(wanted[:3]) > 1.0
        flange = foreign.reactions(A @ q, A @ v, A @ a).flange
        np.testing.assert_allclose(flange, robot.reactions(q, v, a).flange, rtol=0, atol=1e-9)


def test_a_sensor_before_a_gripper_that_moves_is_refused(tmp_path):
    """Its fingers would need their own share."""
    finger = """<link name="finger"><inertial><mass value="0.1"/>
    <inertia ixx="1e-4" iyy="1e-4" izz="1e-4" ixy="0" ixz="0" iyz="0"/>
    </inertial></link><joint name="grip" type="prismatic"><parent link="tool0"/><child link="finger"/><axis xyz="0 1 0"/>
    <limit lower="0" upper="0.02" effort="1" velocity="1"/></joint></robot>"""
    path = tmp_path / "arm.urdf"
    path.write_text(irb.describe("irb1600").urdf().replace("</robot>", finger), encoding="utf-8")
    robot = irb.from_urdf(path)
    with pytest.raises(irb.MissingData, match="has joints beyond its flange"):
        robot.sensor(*np.zeros((3, 7)))
    assert robot.reactions(*np.zeros((3, 7))).flange is None


def test_a_sensor_of_a_urdf_knows_how_its_bodies_are_placed(tmp_path):
    """A probe fixed to tool0 with an offset and a turn: its weight and lever arm at rest, by
    hand.
    """
    probe = """<link name="probe"><inertial><origin xyz="0.1 0 0"/><mass value="3"/>
    <inertia ixx="0.01" iyy="0.01" izz="0.01" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="glue" type="fixed"><origin xyz="0 0.2 0" rpy="0 0 1.5707963267948966"/><parent link="tool0"/>
    <child link="probe"/></joint></robot>"""
    path = tmp_path / "arm.urdf"
    path.write_text(irb.describe("irb1600").urdf().replace("</robot>", probe), encoding="utf-8")
    robot, q = irb.from_urdf(path), oracles.states("irb1600_6_120", 1)[0, 0]
    down = robot.pose(q, "tool0").rotation.T @ np.array([0.0, 0.0, -9.81 * 3.0])
    wanted = np.r_[down, np.cross([0.0, 0.3, 0.0], down)]
    np.testing.assert_allclose(
        robot.sensor(q, np.zeros(6), np.zeros(6)), wanted, rtol=0, atol=1e-12
    )
