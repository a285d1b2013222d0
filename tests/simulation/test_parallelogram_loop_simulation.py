"""An elastic rod: statics and frequencies by hand, energy kept, MuJoCo's motion, the rigid limit."""

import mujoco
import numpy as np
import oracles
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.exchange.write import Options
from irbmodels.simulation import SimulationError
from irbmodels.simulation.flexible import Drive, FlexibleRobot
from irbmodels.simulation.parallelogram_loop import ParallelogramLoop

BIT = mujoco.mjtDisableBit
K = 3.0e6  # [N/m] made up
ROTORS = [60.0, 55.0, 40.0, 2.0, 2.0, 1.0]  # [kg m^2] made up
Q = np.array([0.2, 0.3, -0.15, 0.4, -0.5, 0.6])
CRANK, LONG = 0.180, 0.705  # [m] IRB 2400
PUSH = np.array([100.0, -100.0, 80.0, 0.1, 0.1, 0.01])  # [N m]


def robot():
    """Return an IRB 2400 with weightless bars, the spindle, and made-up rotors."""
    return irb.load("irb2400", tool="spindle", coupling="parallelogram").with_rotors(ROTORS)


def about_elbow():
    """Return inertia and moment of weight about the elbow of what hangs on it, by the oracle."""
    arm = oracles.carrying(
        oracles.arm("irb2400_16", "obal2025"), *oracles.SPINDLE, tip=oracles.SPINDLE_TCP
    )
    unit = np.eye(6)
    arm = arm._replace(joints=[j._replace(gain=unit[i]) for i, j in enumerate(arm.joints)])
    x = Q.copy()
    x[2] -= x[1]
    return oracles.mass_matrix(arm, x)[2, 2], oracles.gravity_torque(arm, x)[2]


def test_held_motors_leave_the_arm_on_its_spring():
    """``f = sqrt(k (crank cos(q3 - q2))^2 / I) / 2 pi``, I about the elbow; and it swings so.

    In the simulation heavy rotors hold the motors; the spring of 3e6 N/m gives by 0.5 mm, 3e-3 of
    the crank, within which the formula holds there.
    """
    lever, (inertia, _) = CRANK * np.cos(Q[2] - Q[1]), about_elbow()
    by_hand = np.sqrt(K * lever**2 / inertia) / (2.0 * np.pi)
    bare = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    held = ParallelogramLoop(bare.with_rotors(np.full(6, 1e9)), K)
    assert held.frequencies(Q)[0] == pytest.approx(by_hand, rel=1e-12)
    rest = held.equilibrium(Q)
    swing = held.simulate(Q, duration=0.5, e=rest.e + 1e-5, torque=rest.torque, every=1e-4)
    away = (swing.e - rest.e)[:, 0]
    up = np.flatnonzero((away[:-1] < 0.0) & (away[1:] >= 0.0))
    crossed = swing.t[up] - 1e-4 * away[up] / (away[up + 1] - away[up])
    assert len(crossed) > 3
    assert 1.0 / np.diff(crossed).mean() == pytest.approx(by_hand, rel=5e-3)


@pytest.mark.parametrize("rotor", [40.0, 1e-2])
def test_free_motors_swing_against_the_arm(rotor):
    """Axis 3 alone, all else heavy: two inertias on a spring, ``sqrt(k_a (1/I + 1/J))``; a light
    rotor is an inertia, too.
    """
    heavy = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    arm = ParallelogramLoop(heavy.with_rotors([1e9, 1e9, rotor, 1e9, 1e9, 1e9]), 1e4 * K)
    lever, (inertia, _) = CRANK * np.cos(Q[2] - Q[1]), about_elbow()
    stiffness = 1e4 * K * lever**2
    by_hand = np.sqrt(stiffness * (1.0 / inertia + 1.0 / rotor)) / (2.0 * np.pi)
    assert arm.frequencies(Q, "free")[0] == pytest.approx(by_hand, rel=1e-4)
    assert arm.frequencies(Q, "free")[0] > arm.frequencies(Q, "held")[0]


def test_weight_presses_the_rod_by_hand():
    """Force and elongation of the rod, and the sag of the TCP, from moments about the elbow."""
    given = robot()
    rest = ParallelogramLoop(given, 1e3 * K).equilibrium(Q)
    lever, (_, moment) = CRANK * np.cos(Q[2] - Q[1]), about_elbow()
    assert rest.rods[0] == pytest.approx(given.reactions(Q, 0 * Q, 0 * Q).bars.rod, rel=1e-5)
    assert abs(rest.rods[0]) == pytest.approx(abs(moment / lever), rel=1e-5)
    assert rest.e[0] == pytest.approx(-rest.rods[0] / (1e3 * K), rel=1e-12)
    turned = -abs(rest.e[0]) / lever * np.sign(moment)  # the weight turns the upper arm down
    elbow, axis = given.pose(Q, "link_3"), given.pose(Q, "link_3").rotation[:, 2]
    sag = np.cross(axis, given.pose(Q).translation - elbow.translation) * turned
    moved = rest.tcp.translation - given.pose(Q).translation
    np.testing.assert_allclose(moved, sag, atol=1e-3 * np.linalg.norm(sag))


def test_torques_at_rest_do_the_work_of_the_weight():
    """Torques that hold the arm on its rod are the slope of potential energy at equilibrium.

    By differences: the elongation is free to follow, so its own energy counts.
    """
    arm, step = ParallelogramLoop(robot(), K), 1e-4
    rest = arm.equilibrium(Q)

    def energy(q):
        at = arm.equilibrium(q)
        tree, state = arm.tree, arm.tree.state(q, np.zeros(6), at.e)
        weight = pin.computePotentialEnergy(tree.tree.model, tree.tree.model.createData(), state.q)
        return weight + 0.5 * K * at.e[0] ** 2

    slope = [(energy(Q + d) - energy(Q - d)) / (2.0 * step) for d in step * np.eye(6)]
    np.testing.assert_allclose(rest.torque, slope, atol=2e-5 * np.abs(slope).max())


def test_growing_stiffness_is_the_rigid_arm():
    """Ten times the stiffness, a tenth of the distance to the rigid arm at rest."""
    given = robot()
    rigid = ParallelogramLoop(given).equilibrium(Q)
    assert not rigid.e.any()
    np.testing.assert_allclose(rigid.torque, given.gravity(Q), atol=1e-9)
    np.testing.assert_allclose(rigid.tcp.homogeneous, given.pose(Q).homogeneous, atol=1e-12)
    gaps = []
    for k in (1e7, 1e8, 1e9):
        rest = ParallelogramLoop(given, k).equilibrium(Q)
        at = rest.tcp.translation - rigid.tcp.translation
        gaps.append([abs(rest.e[0]), np.linalg.norm(at), np.abs(rest.torque - rigid.torque).max()])
    ratio = np.array(gaps[:-1]) / gaps[1:]
    np.testing.assert_allclose(ratio, 10.0, rtol=5e-3)


def total_energy(arm, motion, k):
    """Kinetic, potential and elastic energy of samples, from poses of the bodies alone."""
    model, result = arm.tree.tree.model, []
    for q, v, e, e_dot in zip(motion.q, motion.v, motion.e, motion.e_dot, strict=True):
        state = arm.tree.state(q, v, e, e_dot)
        data = model.createData()
        kinetic = pin.computeKineticEnergy(model, data, state.q, state.v)
        kinetic += 0.5 * float(v**2 @ ROTORS)
        weight = pin.computePotentialEnergy(model, data, state.q)
        result.append(kinetic + weight + 0.5 * k * e[0] ** 2)
    return np.array(result)


def test_a_motion_keeps_its_energy_and_damping_takes_it():
    """Energy stays to 1e-7 of what the motion exchanges; a damper only takes."""
    v = np.array([0.5, -0.8, 1.0, 1.0, -1.0, 2.0])
    arm = ParallelogramLoop(robot(), K)
    motion = arm.simulate(Q, v, duration=0.1, e=4e-4, every=0.002, rtol=1e-9)
    energy = total_energy(arm, motion, K)
    exchanged = np.ptp(0.5 * K * motion.e**2)
    assert exchanged > 0.1
    assert np.ptp(energy) < 1e-6 * exchanged
    np.testing.assert_allclose(motion.rods, -K * motion.e, atol=1e-9 * K * 1e-3)
    damped = ParallelogramLoop(robot(), K, 1e5)
    motion = damped.simulate(Q, v, duration=0.1, e=4e-4, every=0.002)
    energy = total_energy(damped, motion, K)
    assert (np.diff(energy) < 1e-9 * energy[0]).all()
    assert energy[0] - energy[-1] > 0.1 * exchanged


def test_a_rigid_loop_moves_as_the_robot_does():
    """0.2 s under torques: the motion of ``irb.simulate`` without friction."""
    given = robot()
    tau = np.array([20.0, -300.0, 200.0, 5.0, 5.0, 1.0])
    motion = ParallelogramLoop(given).simulate(Q, duration=0.2, torque=tau, every=0.02)
    wanted = irb.simulate(
        given.with_friction(None), Q, duration=0.2, torque=tau, every=0.02, stops=False
    )
    np.testing.assert_allclose(motion.q, wanted.q, atol=1e-7)
    assert not motion.e.any()


def test_an_arm_that_is_held_stays_where_its_rod_carries_it():
    """A start without an elongation is the equilibrium: held by its torques nothing moves."""
    arm, wrench = ParallelogramLoop(robot(), K), np.array([30.0, 0.0, -200.0, 0.0, 5.0, 0.0])
    rest = arm.equilibrium(Q, wrench=wrench)
    motion = arm.simulate(Q, duration=0.05, torque=rest.torque, wrench=wrench, every=0.01)
    np.testing.assert_allclose(motion.e[:, 0], rest.e[0], atol=1e-6 * abs(rest.e[0]))
    np.testing.assert_allclose(motion.q, np.tile(Q, (6, 1)), atol=1e-9)
    np.testing.assert_allclose(motion.rods[:, 0], rest.rods[0], rtol=1e-6)


def test_a_motion_that_cannot_go_on_says_when():
    """A function that fails, and a push that a soft rod gives way to, name the time."""
    arm = ParallelogramLoop(robot())

    def failing(t, q, v):
        return np.full(6, np.nan) if t > 0.01 else np.zeros(6)

    with pytest.raises(SimulationError, match="torque needs 6 finite numbers"):
        arm.simulate(Q, duration=0.1, torque=failing)
    soft = ParallelogramLoop(robot(), 1e5)
    with pytest.raises(SimulationError, match="do not close the loop"):
        soft.simulate(Q, duration=2.0, torque=[0.0, 0.0, 9000.0, 0.0, 0.0, 0.0], e=0.0)
    with pytest.raises(irb.InputError, match="constant or a function"):
        arm.simulate(Q, duration=0.1, torque=irb.Motion([0.0, 0.1], [Q, Q], tau=[0 * Q, 0 * Q]))


def test_a_function_of_time_drives_as_a_constant_does():
    """Torques as a function see time, the crank's angle and speeds."""
    tau = np.array([20.0, -300.0, 200.0, 5.0, 5.0, 1.0])
    arm = ParallelogramLoop(robot(), K)
    one = arm.simulate(Q, duration=0.03, torque=tau, every=0.01)
    two = arm.simulate(Q, duration=0.03, torque=lambda t, q, v: tau, every=0.01)
    np.testing.assert_allclose(two.q, one.q, atol=1e-9)


def test_a_short_push_is_not_stepped_over():
    """20 ms of torque in the middle of rest: their impulse is the arm's."""
    arm = ParallelogramLoop(robot())
    rest, push = arm.equilibrium(Q).torque, np.array([0.0, 0.0, 200.0, 0.0, 0.0, 0.0])

    def torque(t, q, v):
        return rest + push * (0.5 < t < 0.52)

    run = arm.simulate(Q, duration=1.56, torque=torque, every=0.52)
    # of 4 N m s; what the arm moves while it is pushed changes weight and mass matrix (6e-4)
    np.testing.assert_allclose(arm.mass_matrix(Q) @ run.v[1], 0.02 * push, atol=2e-3)


def mujoco_spec(tmp_path, given, coupling):
    """Return the exported arm as MuJoCo reads it, without couplings, motors, friction and stops."""
    spec = mujoco.MjSpec.from_file(str(irb.export(given, "mjcf", tmp_path, Options(coupling))[0]))
    for thing in [*spec.equalities, *spec.actuators, *spec.sensors, *spec.keys, *spec.tendons]:
        spec.delete(thing)
    spec.option.disableflags |= int(BIT.mjDSBL_FRICTIONLOSS | BIT.mjDSBL_LIMIT | BIT.mjDSBL_CONTACT)
    return spec


def test_mujoco_swings_on_the_same_spring(tmp_path):
    """A weightless elastic rod is a spatial tendon with stiffness between two pins.

    The same motion over 0.1 s, six swings of the rod.
    """
    given = robot()
    spec = mujoco_spec(tmp_path, given.with_rotors(0.0 * Q).with_friction(None), "serial")
    lower = spec.body("link_2")
    crank = spec.body("link_1").add_body(name="crank", pos=lower.pos, quat=lower.quat)
    crank.mass, crank.inertia, crank.explicitinertial = 1e-9, [1e-9] * 3, True
    crank.add_joint(name="crank", axis=[0, 0, 1])
    names = ["joint_1", "joint_2", "crank", "joint_4", "joint_5", "joint_6"]
    for name, rotor in zip(names, ROTORS, strict=True):
        spec.joint(name).armature = rotor
    for joint in spec.joints:
        joint.damping = 0.0 * np.array(joint.damping)
    crank.add_site(name="below", pos=[0, -CRANK, 0])
    spec.body("link_3").add_site(name="above", pos=[0, -CRANK, 0])
    rod = spec.add_tendon(name="rod")
    # from 4.0 on a polynomial of the elongation, of which K is the linear term
    linear = np.zeros(np.size(rod.stiffness))
    linear[0] = K
    rod.stiffness = linear if linear.size > 1 else K
    rod.springlength = [LONG, LONG]
    rod.wrap_site("below")
    rod.wrap_site("above")
    spec.option.timestep, spec.option.integrator = 1e-4, mujoco.mjtIntegrator.mjINT_RK4
    model = spec.compile()
    data = mujoco.MjData(model)
    arm, v = ParallelogramLoop(given, K), np.array([0.5, -0.8, 1.0, 1.0, -1.0, 2.0])
    state = arm.tree.state(Q, v, np.array([4e-4]))
    elbow = model.joint("joint_3")
    at = [int(model.joint(name).qposadr[0]) for name in names]
    data.qpos[at], data.qvel[at] = Q, v
    data.qpos[elbow.qposadr] = state.q[arm.tree.dependent[0]]
    data.qvel[elbow.dofadr] = state.v[arm.tree.dependent[0]]
    tau = np.array([20.0, -300.0, 200.0, 5.0, 5.0, 1.0])
    data.qfrc_applied[at] = tau
    motion = arm.simulate(Q, v, duration=0.1, e=4e-4, torque=tau, every=0.01, rtol=1e-10)
    elongation, q = [], []
    for i in range(1001):
        mujoco.mj_forward(model, data)
        if i % 100 == 0:
            elongation.append(float(data.ten_length[0]) - LONG)
            q.append(data.qpos[at].copy())
        mujoco.mj_step(model, data)
    size = np.ptp(motion.e)
    np.testing.assert_allclose(elongation, motion.e[:, 0], atol=1e-5 * size)
    np.testing.assert_allclose(q, motion.q, atol=1e-7)


@pytest.mark.parametrize(
    ("name", "parameters", "long", "strength"),
    [("irb1400", "cad", 0.600, 1.0), ("irb4400_60_196", "hiqp", 0.890, 10.0)],
)
def test_mujoco_closes_the_loop_by_a_connect(name, parameters, long, strength, tmp_path):
    """At rest under torques: accelerations and the rod's force of an equality ``connect``, from
    MuJoCo's mass matrix, weight and Jacobian, as its own solver softens an equality by 1 - 0.9999.
    And where its solver gets to in 0.2 s. The heavy arm has a crank with a counterweight.
    """
    given = irb.load(name, parameters=parameters).with_friction(None)
    spec = mujoco_spec(tmp_path, given, "parallelogram")
    pin_joint = spec.add_equality(
        type=mujoco.mjtEq.mjEQ_CONNECT,
        objtype=mujoco.mjtObj.mjOBJ_BODY,
        name1="link_rod",
        name2="link_3",
    )
    pin_joint.data[:3] = [long, 0.0, 0.0]
    pin_joint.solref, pin_joint.solimp = [0.001, 1], [0.9999, 0.9999, 0.001, 0.5, 2]
    for joint in spec.joints:
        joint.damping = 0.0 * np.array(joint.damping)
    spec.option.tolerance, spec.option.iterations = 0.0, 200
    model = spec.compile()
    data, arm = mujoco.MjData(model), ParallelogramLoop(given)
    rng = np.random.default_rng(1)
    names = ["joint_1", "joint_2", "joint_crank", "joint_4", "joint_5", "joint_6"]
    at = [int(model.joint(name).qposadr[0]) for name in names]
    for q, tau in rng.uniform(-0.5, 0.5, (5, 2, 6)) * [[1.0], [300.0 * strength]]:
        data.qpos[at] = q
        data.qpos[model.joint("joint_3").qposadr] = q[2] - q[1]
        data.qpos[model.joint("joint_rod").qposadr] = q[1] - q[2]
        data.qvel[:] = 0.0
        data.qfrc_applied[at] = tau
        mujoco.mj_forward(model, data)
        M, J = np.zeros((model.nv, model.nv)), data.efc_J.reshape(3, model.nv)
        mujoco.mj_fullM(model, data, M)
        rows = np.block([[M, -J.T], [J, np.zeros((3, 3))]])
        right = np.r_[data.qfrc_applied - data.qfrc_bias, np.zeros(3)]
        exact = np.linalg.lstsq(rows, right, rcond=1e-14)[0]
        moved = arm.forward_dynamics(q, np.zeros(6), tau)
        np.testing.assert_allclose(exact[at], moved.a, atol=1e-9 * np.abs(moved.a).max())
        assert np.linalg.norm(exact[-3:]) == pytest.approx(np.linalg.norm(moved.pins), rel=1e-9)
        np.testing.assert_allclose(data.qacc[at], moved.a, atol=1e-5 * np.abs(moved.a).max())
    data.qfrc_applied[at] = tau = given.gravity(q) + strength * PUSH
    run = arm.simulate(q, duration=0.2, torque=tau, every=0.2)
    for _ in range(400):  # its rows leave out what the loop's turning adds, and pull it back
        mujoco.mj_step(model, data)
    np.testing.assert_allclose(data.qpos[at], run.q[-1], atol=1e-4)
    assert np.abs(run.q[-1] - q).max() > 0.1


@pytest.mark.parametrize(
    ("make", "line"),
    [
        (lambda: ParallelogramLoop(irb.load("irb1600")), "no parallelogram"),
        (lambda: ParallelogramLoop(irb.load("irb2400")), "coupling='parallelogram'"),
        (lambda: irb.load("irb2400", coupling="loop"), r"ParallelogramLoop\(load"),
        (lambda: ParallelogramLoop(robot(), 0.0), "rod_stiffness"),
        (lambda: ParallelogramLoop(robot(), {"link_rod": -1.0}), "rod_stiffness .* of link_rod"),
        (lambda: ParallelogramLoop(robot(), {"link_bar": K}), "link_bar.*known: link_rod"),
        (lambda: ParallelogramLoop(robot(), {}, {"link_rod": 9.0}), "rigid rod has no damping"),
        (lambda: ParallelogramLoop(robot(), K).mass_matrix(Q, e=[0.0, 1e-3]), r"needs \(1,\)"),
        (lambda: ParallelogramLoop(robot(), None, 5.0), "rigid rod has no damping"),
        (lambda: ParallelogramLoop(robot(), K, -1.0), "rod_damping"),
        (lambda: ParallelogramLoop("irb2400"), "is an irbmodels.Robot"),
        (lambda: ParallelogramLoop(robot()).frequencies(Q), "does not vibrate"),
        (lambda: ParallelogramLoop(robot(), K).frequencies(Q, "loose"), "state of the motors"),
        (lambda: ParallelogramLoop(robot()).forward_dynamics(Q, Q, Q, e=1e-3), "not elongate"),
        (lambda: ParallelogramLoop(robot()).simulate(Q, duration=0.1, e=1e-3), "not elongate"),
        (lambda: ParallelogramLoop(robot(), K).inverse_dynamics(Q, Q, Q), "simulate"),
        (lambda: ParallelogramLoop(robot(), K).forward_dynamics(Q, Q, Q, e=1.0), "do not close"),
        (lambda: ParallelogramLoop(robot()).mass_matrix([0, 0, np.pi / 2, 0, 0, 0]), "in one line"),
        (lambda: ParallelogramLoop(robot()).equilibrium([0, 0, np.pi / 2, 0, 0, 0]), "in one line"),
        (lambda: ParallelogramLoop(robot(), K).equilibrium(Q[:5]), "shape"),
        (lambda: ParallelogramLoop(robot(), K).equilibrium(Q, wrench=[1.0]), "wrench at tcp"),
        (lambda: ParallelogramLoop(robot(), K).simulate(Q, duration=0.1, every=0.0), "every"),
        (lambda: ParallelogramLoop(robot(), 3e3).equilibrium(Q), "does not hold"),
        (lambda: ParallelogramLoop(robot(), K).simulate(Q, duration=-1.0), "duration"),
    ],
)
def test_bad_input_says_what_is_wrong(make, line):
    """One line of the package's own errors."""
    with pytest.raises(irb.IrbError, match=line) as caught:
        make()
    assert "\n" not in str(caught.value)


def test_free_crank_without_inertia_is_refused():
    """Without rotors and with weightless bars nothing has inertia at the crank; held it vibrates."""
    bare = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    arm = ParallelogramLoop(bare, K)
    assert arm.frequencies(Q)[0] == pytest.approx(
        ParallelogramLoop(robot(), K).frequencies(Q)[0], rel=1e-9
    )
    with pytest.raises(irb.InputError, match="with_rotors"):
        arm.forward_dynamics(Q, 0 * Q, 0 * Q)
    with pytest.raises(irb.InputError, match="with_rotors"):
        arm.frequencies(Q, "free")
    with pytest.raises(irb.MissingData, match="no masses"):
        ParallelogramLoop(irb.load("irb1410", coupling="parallelogram"))


def test_an_arm_says_what_its_rod_is():
    """The repr has stiffness or that the rod is rigid."""
    assert (
        repr(ParallelogramLoop(robot(), K)) == "<ParallelogramLoop irb2400_16: link_rod 3e+06 N/m>"
    )
    assert repr(ParallelogramLoop(robot())) == "<ParallelogramLoop irb2400_16: link_rod rigid>"


@pytest.mark.parametrize("motors", ["held", "free"])
def test_a_stiff_rod_is_a_gear_whose_stiffness_is_that_of_its_lever(motors):
    """At one posture a rod is an elastic gear of axis 3 with ``k (crank cos(q3 - q2))^2``."""
    k, J = 1e4 * K, 40.0
    bare = irb.load("irb2400", tool="spindle", coupling="parallelogram").with_gravity([0, 0, 0])
    drive = Drive(k * (CRANK * np.cos(Q[2] - Q[1])) ** 2, J, 1.0)
    gear = FlexibleRobot(bare, [None, None, drive, None, None, None])
    arm = ParallelogramLoop(bare.with_rotors([0.0, 0.0, J, 0.0, 0.0, 0.0]), k)
    wanted = float(gear.frequencies(Q, motors)[0])
    assert arm.frequencies(Q, motors)[0] == pytest.approx(wanted, rel=1e-9)
