import re

import mujoco
import numpy as np
import oracles
import pytest
from elastic_arms import ROTORS, STIFFNESS, drives

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot


def state(n, seed=0, apart=3e-3):
    """Return a random state and torques: q, v, theta, theta_dot, torque."""
    rng = np.random.default_rng(seed)
    q, v, theta_dot = rng.uniform(-1.0, 1.0, (3, n)) * (0.1 if n == 4 else 1.0)
    return q, v, q + rng.uniform(-apart, apart, n), theta_dot, rng.uniform(-100.0, 100.0, n)


# --- against MuJoCo


def in_mujoco(robot, arm):
    """Build the arm in MuJoCo: a body per motor on the ground, and a tendon between it and its axis
    as spring and damper.
    """
    text = re.sub(
        r"<collision>.*?</collision>", "", robot.description.urdf(looks=False), flags=re.DOTALL
    )
    spec = mujoco.MjSpec.from_string(text)
    spec.option.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    for i, drive in enumerate(arm.drives, start=1):
        if not drive.elastic:
            spec.joint(f"joint_{i}").armature = drive.reflected_inertia
            continue
        motor = spec.worldbody.add_body(
            name=f"motor_{i}", mass=1.0, inertia=[drive.reflected_inertia] * 3
        )
        motor.explicitinertial = True
        motor.add_joint(name=f"theta_{i}", axis=[0, 0, 1])
        spring = spec.add_tendon(
            name=f"spring_{i}",
            stiffness=drive.stiffness,
            damping=drive.damping,
            springlength=[0, 0],
        )
        spring.wrap_joint(f"theta_{i}", 1.0)
        spring.wrap_joint(f"joint_{i}", -1.0)
    model = spec.compile()
    for i, drive in enumerate(arm.drives, start=1):
        model.dof_damping[model.joint(f"joint_{i}").dofadr] = drive.bearing
        if drive.elastic:
            model.dof_damping[model.joint(f"theta_{i}").dofadr] = drive.reflected_viscous
    return model


def test_accelerations_are_those_of_mujoco():
    """IRB 1600 with five elastic axes, damped, and a rigid one: MuJoCo with explicit motors,
    springs and dampers agrees.
    """
    robot = irb.load("irb1600")
    more = [
        Drive(STIFFNESS[i], ROTORS[i] / 1e4, 100.0, viscous=2e-4, damping=30.0 + i, bearing=5.0 + i)
        for i in range(5)
    ]
    arm = FlexibleRobot(robot, [*more, Drive(rotor_inertia=0.5, bearing=2.0)])
    model = in_mujoco(robot, arm)
    data = mujoco.MjData(model)
    for seed in range(5):
        q, v, theta, theta_dot, torque = state(6, seed)
        for i in range(6):
            data.joint(f"joint_{i + 1}").qpos, data.joint(f"joint_{i + 1}").qvel = q[i], v[i]
            driven = f"joint_{i + 1}" if i == 5 else f"theta_{i + 1}"
            if i < 5:
                data.joint(driven).qpos, data.joint(driven).qvel = theta[i], theta_dot[i]
            data.joint(driven).qfrc_applied = torque[i]
        mujoco.mj_forward(model, data)
        a, theta_ddot = arm.forward_dynamics(q, v, theta, theta_dot, torque)
        scale = np.abs(a).max()
        links = [data.joint(f"joint_{i}").qacc[0] for i in range(1, 7)]
        motors = [data.joint(f"theta_{i}").qacc[0] for i in range(1, 6)]
        # solving with M loses its condition, a few 1e3
        np.testing.assert_allclose(a, links, atol=1e-11 * scale)
        np.testing.assert_allclose(theta_ddot[:5], motors, atol=1e-11 * scale)
        assert theta_ddot[5] == a[5]


# --- against Lagrange's equations


def by_hand(name, k, J, springs, friction, q, v, theta, theta_dot, torque):
    """Return the accelerations of links and motors with every axis elastic, from the oracle's
    energies.
    """
    robot = oracles.arm(name)
    load = springs(theta - q)
    a = np.linalg.solve(
        oracles.mass_matrix(robot, q), load - oracles.lagrange(robot, q, v, np.zeros_like(q))
    )
    return a, (torque - friction(theta_dot) - load) / J


@pytest.mark.parametrize("name", ["irb1400", "irb2400_16", "irb930_12_105"])
def test_accelerations_follow_from_the_energies(name):
    """Parallelogram arms and a SCARA: S003 eq. 3.70 corrected, written down once more on the
    oracle's matrices.
    """
    robot = irb.load(name)
    n = robot.n
    arm = FlexibleRobot(robot, drives(n), friction=False)
    for seed in range(3):
        now = state(n, seed)
        expected = by_hand(
            name, STIFFNESS[:n], ROTORS[:n], lambda x: STIFFNESS[:n] * x, np.zeros_like, *now
        )
        # conditioned as M
        np.testing.assert_allclose(arm.forward_dynamics(*now), expected, rtol=1e-9, atol=1e-7)


def test_friction_acts_on_the_motors():
    """The IRB 2400's law (S000 Tab. 5) brakes theta', not q', and with it springs that harden and
    have backlash.
    """

    def springs(apart):
        u = np.sign(apart) * np.maximum(np.abs(apart) - 5e-4, 0.0)
        return STIFFNESS * u + 2e9 * u**3

    robot = irb.load("irb2400")
    arm = FlexibleRobot(robot, drives(6, backlash=1e-3, hardening=2e9))
    for seed in range(3):
        now = state(6, seed)
        expected = by_hand("irb2400_16", STIFFNESS, ROTORS, springs, oracles.friction_2400, *now)
        np.testing.assert_allclose(arm.forward_dynamics(*now), expected, rtol=1e-9, atol=1e-7)


def test_a_wrench_pulls_the_links_only():
    """J' w enters the links' equations; the motors feel it through the springs alone."""
    arm, w = (
        FlexibleRobot(irb.load("irb1600"), drives(6)),
        np.array([30.0, -20.0, 10.0, 3.0, 2.0, 1.0]),
    )
    now = state(6)
    (a, b), (a_w, b_w) = arm.forward_dynamics(*now), arm.forward_dynamics(*now, wrench=w)
    robot = oracles.arm("irb1600_6_120")
    frames = oracles.poses(robot, now[0])
    J = oracles.jacobian(robot, frames, robot.wrist, oracles.tip_pose(robot, now[0])[:3, 3])
    np.testing.assert_allclose(
        a_w - a, np.linalg.solve(oracles.mass_matrix(robot, now[0]), J.T @ w), rtol=1e-6, atol=1e-8
    )
    np.testing.assert_array_equal(b_w, b)


def test_a_coupled_wrist_in_motor_coordinates():
    """Lagrange's equations in the motors' own angles: kinetic energy 1/2 sum J w^2 + links, with N
    of a coupled wrist.
    """
    n, turned = 6, {4: -1.5}
    own = [Drive(STIFFNESS[i], 1e-3, 100.0 - 10.0 * i, viscous=0.02) for i in range(4)]
    coupled = Drive(STIFFNESS[4], 4e-4, 50.0, viscous=0.01, turned_by=turned)
    # rigid, and turned by an elastic axis
    last = Drive(rotor_inertia=3e-4, gear_ratio=40.0, turned_by={4: 2.0, 5: -30.0})
    arm = FlexibleRobot(irb.load("irb1600"), [*own, coupled, last])
    N = np.diag([100.0, 90.0, 80.0, 70.0, 50.0, 40.0])
    N[4, 3], N[5, 3], N[5, 4] = -1.5, 2.0, -30.0
    J, f = np.diag([1e-3] * 4 + [4e-4, 3e-4]), np.diag([0.02] * 4 + [0.01, 0.0])
    np.testing.assert_allclose(arm.rotor_inertia, N.T @ J @ N)
    q, v, theta, theta_dot, torque = state(n)
    P = np.zeros((n, 2 * n - 1))  # theta of all axes in the coordinates (q, theta 1 .. 5)
    P[5, 5], P[np.arange(5), 6 + np.arange(5)] = 1.0, 1.0
    robot = oracles.arm("irb1600_6_120")
    H = P.T @ N.T @ J @ N @ P
    H[:n, :n] += oracles.mass_matrix(robot, q)
    load = STIFFNESS[:5] * (theta - q)[:5]
    right = P.T @ (torque - N.T @ f @ N @ np.append(theta_dot[:5], v[5]))
    right[:n] += np.append(load, 0.0) - oracles.lagrange(robot, q, v, np.zeros(n))
    right[n:] -= load
    actual = np.linalg.solve(H, right)
    a, theta_ddot = arm.forward_dynamics(q, v, theta, theta_dot, torque)
    np.testing.assert_allclose(a, actual[:n], rtol=1e-9)
    np.testing.assert_allclose(theta_ddot, np.append(actual[n:], actual[5]), rtol=1e-9)
    np.testing.assert_allclose(arm.motors.torque(torque), np.linalg.solve(N.T, torque))
    np.testing.assert_allclose(arm.rigid.friction(v), N.T @ f @ N @ v, rtol=1e-12)
    np.testing.assert_allclose(arm.rigid.dynamic_model.rotor_inertia, N.T @ J @ N, rtol=1e-12)
    last = Drive(rotor_inertia=3e-4, gear_ratio=40.0, turned_by={5: -30.0}, bearing=0.1)
    arm = FlexibleRobot(irb.load("irb1600"), [*own, coupled, last])
    with pytest.raises(irb.InputError, match="bearing of axis 6 brakes the axis"):
        _ = arm.rigid


def test_energy_is_that_of_links_rotors_and_springs():
    """Kinetic energy of links and motors, potential energy, and what the springs hold, from the
    oracle's energies.
    """
    arm = FlexibleRobot(irb.load("irb1400"), [*drives(5, hardening=1e9), Drive(rotor_inertia=0.7)])
    q, v, theta, theta_dot, _ = state(6)
    robot, apart = oracles.arm("irb1400"), (theta - q)[:5]
    kinetic, potential, elastic = arm.energy(q, v, theta, theta_dot)
    motors = ROTORS[:5] @ theta_dot[:5] ** 2 + 0.7 * v[5] ** 2
    assert kinetic == pytest.approx(
        0.5 * (v @ oracles.mass_matrix(robot, q) @ v + motors), rel=1e-12
    )
    rest = np.zeros(6)
    lifted = oracles.potential(robot, q) - oracles.potential(robot, rest)
    assert potential - arm.energy(rest, rest, rest, rest).potential == pytest.approx(
        lifted, rel=1e-11
    )
    assert elastic == pytest.approx(
        0.5 * STIFFNESS[:5] @ apart**2 + 0.25e9 * (apart**4).sum(), rel=1e-12
    )


def test_power_balance():
    """dE/dt along the motion is the motors' power less friction of motors and bearings and the
    gears' damping.
    """
    arm = FlexibleRobot(irb.load("irb1400"), drives(6, viscous=3.0, damping=40.0, bearing=7.0))
    q, v, theta, theta_dot, torque = state(6)
    a, theta_ddot = arm.forward_dynamics(q, v, theta, theta_dot, torque)
    # [s]; the error is (h w)^2 / 6 of what swings, w up to 6000 rad/s, and rounding of 400 J
    h = 1e-7

    def energy(t):
        return sum(
            arm.energy(
                q + t * v + t * t * a / 2,
                v + t * a,
                theta + t * theta_dot + t * t * theta_ddot / 2,
                theta_dot + t * theta_ddot,
            )
        )

    lost = 3.0 * theta_dot @ theta_dot + 7.0 * v @ v + 40.0 * (theta_dot - v) @ (theta_dot - v)
    assert (energy(h) - energy(-h)) / (2 * h) == pytest.approx(torque @ theta_dot - lost, rel=1e-6)


# --- rest, and the limit


def test_equilibrium_stays_at_rest():
    """Motors at the equilibrium, with its torques, accelerate nothing; the wrench is carried as
    well.
    """
    arm = FlexibleRobot(irb.load("irb1400"), [*drives(4, hardening=1e9, backlash=1e-3), None, None])
    postures, w, still = (
        np.random.default_rng(3).uniform(-0.6, 0.6, (4, 6)),
        np.array([0.0, 50.0, -100.0, 0.0, 5.0, 0.0]),
        np.zeros(6),
    )
    for load in (None, w):
        theta, torque = arm.equilibrium(postures, wrench=load)
        a, b = arm.forward_dynamics(postures, still, theta, still, torque, wrench=load)
        np.testing.assert_allclose(a, 0.0, atol=1e-10)
        np.testing.assert_allclose(b, 0.0, atol=1e-10)
        assert (theta[:, 4:] == postures[:, 4:]).all()
    np.testing.assert_allclose(
        arm.equilibrium(postures).torque, arm.robot.gravity(postures), atol=1e-11
    )
    # nothing loads axis 1: middle of its dead zone
    assert (arm.equilibrium(postures).theta[:, 0] == postures[:, 0]).all()


def test_rigid_axes_carry_their_rotors():
    """Without any elastic axis the arm is the rigid robot with rotors, and that is also its
    limit.
    """
    robot = irb.load("irb2400")
    arm = FlexibleRobot(robot, [Drive(rotor_inertia=J, viscous=2.0, bearing=1.0) for J in ROTORS])
    q, v, _, _, torque = state(6)
    # theta of rigid axes is not read
    a, theta_ddot = arm.forward_dynamics(q, v, q + 1.0, v + 1.0, torque)
    expected = np.linalg.solve(
        oracles.mass_matrix(oracles.arm("irb2400_16"), q) + np.diag(ROTORS),
        torque
        - oracles.lagrange(oracles.arm("irb2400_16"), q, v, np.zeros(6))
        - oracles.friction_2400(v)
        - 3.0 * v,
    )
    np.testing.assert_allclose(a, expected, rtol=1e-9)
    np.testing.assert_array_equal(theta_ddot, a)
    np.testing.assert_allclose(arm.rigid.forward_dynamics(q, v, torque), expected, rtol=1e-9)
    assert arm.rigid.rotors.tolist() == ROTORS.tolist()


def test_friction_of_the_limit():
    """Robots without a law get that of drives and bearings; friction=False leaves the robot's own
    out.
    """
    v = np.array([0.3, -0.2, 0.5, 0.1, -0.4, 0.2])
    plain = FlexibleRobot(irb.load("irb1400"), drives(6))
    assert plain.friction_law is None
    assert plain.rigid.friction_model is None
    braked = FlexibleRobot(irb.load("irb1400"), drives(6, viscous=2.0, bearing=1.0))
    np.testing.assert_allclose(braked.rigid.friction(v), 3.0 * v)
    own = FlexibleRobot(irb.load("irb2400"), drives(6, viscous=2.0))
    np.testing.assert_allclose(own.rigid.friction(v), oracles.friction_2400(v) + 2.0 * v)
    without = FlexibleRobot(irb.load("irb2400"), drives(6, viscous=2.0), friction=False)
    np.testing.assert_allclose(without.rigid.friction(v), 2.0 * v)
    other = irb.Stribeck(np.full(6, 3.0), np.full(6, 3.0), np.zeros(6), np.ones(6))
    np.testing.assert_allclose(
        FlexibleRobot(irb.load("irb2400"), drives(6), other).rigid.friction(v), 3.0 * np.sign(v)
    )


def test_arrays_of_states():
    """Leading axes go in and come out, each state for itself."""
    arm = FlexibleRobot(irb.load("irb1400"), drives(6))
    rows = [state(6, seed) for seed in range(6)]
    stacked = [np.array(column).reshape(2, 3, 6) for column in zip(*rows, strict=True)]
    a, b = arm.forward_dynamics(*stacked)
    for k, row in enumerate(rows):
        np.testing.assert_array_equal(
            (a[k // 3, k % 3], b[k // 3, k % 3]), arm.forward_dynamics(*row)
        )
    assert arm.energy(*stacked[:4]).elastic.shape == (2, 3)


# --- how it is made


def test_tables_and_assumptions():
    """Of the IRB 1400 axis 1 is elastic by the tables; what is assumed is said, and cannot replace
    what is known.
    """
    robot = irb.load("irb1400")
    arm = FlexibleRobot.of(robot)
    assert arm.elastic.tolist() == [0]
    assert (
        repr(arm) == "<FlexibleRobot irb1400: elastic axes 1 (derived); rigid axes 2, 3, 4, 5, 6>"
    )
    more = FlexibleRobot.of(robot, [None, Drive(8e4, 7.0), None, None, None, None])
    assert (
        repr(more)
        == "<FlexibleRobot irb1400: elastic axes 1 (derived), 2 (assumed); rigid axes 3, 4, 5, 6>"
    )
    with pytest.raises(irb.InputError, match="know the drive of axis 1"):
        FlexibleRobot.of(robot, drives(6))
    with pytest.raises(irb.InputError, match="one Drive or None per axis; got 2"):
        FlexibleRobot.of(robot, [None, Drive(8e4, 7.0)])
    with pytest.raises(irb.MissingData, match="no stiffness of irb1600_6_120 is known"):
        FlexibleRobot.of(irb.load("irb1600"))


def test_one_axis_has_the_robots_inertia():
    """The linear model of axis 2 takes M22 of the posture; a rigid axis has none."""
    arm = FlexibleRobot.of(irb.load("irb1400"), [None, Drive(8e4, 7.0), None, None, None, None])
    q = np.array([0.1, 0.4, -0.2, 0.3, 0.5, 0.1])
    axis = arm.one_axis(q, 2)
    assert axis.inertia == pytest.approx(
        oracles.mass_matrix(oracles.arm("irb1400"), q)[1, 1], rel=1e-12
    )
    assert axis.drive is arm.drives[1]
    for other, message in (
        (3, r"elastic axes \[1, 2\]"),
        (0, "a whole number, 1 to 6, got 0"),
        (7, "1 to 6, got 7"),
    ):
        with pytest.raises(irb.InputError, match=message):
            arm.one_axis(q, other)


def test_wrong_parts_are_refused():
    """Robot, drives and states must go together; each message says what would be right."""
    robot = irb.load("irb1600")
    with pytest.raises(irb.InputError, match=r"made of an irbmodels.Robot"):
        FlexibleRobot("irb1600", drives(6))
    for wrong in (drives(5), [*drives(5), 8e4]):
        with pytest.raises(irb.InputError, match="needs 6 drives"):
            FlexibleRobot(robot, wrong)
    law = irb.Stribeck(*np.ones((4, 4)))
    with pytest.raises(irb.InputError, match="needs 6 axes, not 4"):
        FlexibleRobot(robot, drives(6), friction=law)
    with pytest.raises(irb.InputError, match="friction is True"):
        FlexibleRobot(robot, drives(6), friction="none")
    with pytest.raises(irb.InputError, match="leave with_rotors out"):
        FlexibleRobot(robot.with_rotors(ROTORS), drives(6))
    arm, now = FlexibleRobot(robot, drives(6)), state(6)
    with pytest.raises(irb.InputError, match="shape"):
        arm.forward_dynamics(now[0], now[1], now[2], now[3], np.zeros(5))
    with pytest.raises(irb.InputError, match="are these deg"):
        arm.forward_dynamics(np.full(6, 90.0), *now[1:])
    with pytest.raises(irb.InputError, match="not finite"):
        arm.energy(now[0], now[1], np.full(6, np.nan), now[3])
