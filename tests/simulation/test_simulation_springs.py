"""Springs in every simulation: against an integrator of another's, and the balance of energy."""

import numpy as np
import pytest
from elastic_arms import POSTURE, ROTORS, drives
from numpy.polynomial import Polynomial
from scipy.integrate import solve_ivp

import irbmodels as irb
from irbmodels.simulation import Plant, rollouts, simulate
from irbmodels.simulation.flexible import Drive, FlexibleRobot
from irbmodels.simulation.flexible.feedforward import link_torques

SPRINGS = (
    irb.CoilSpring(2, before=(-0.35, -0.3), after=(0.3, 0.05), length=0.3, F0=2e3, k=3e3),
    irb.GasSpring(
        3, before=(-0.02, -0.8), after=(0.2, 0.0), length=0.6, F0=3e3, column=0.58, exponent=1.4
    ),
    irb.TorqueOffset(4, 1.5),
    irb.TorsionSpring(6, 20.0, 0.3),
)
START = np.array([0.3, 0.3, -0.2, 0.4, 0.5, -0.3])


@pytest.fixture(scope="module")
def arm():
    """A light wrist would fall through a turn in no time: rotors slow it."""
    return irb.load("irb2400").with_rotors([1.0, 2.0, 2.0, 0.5, 0.5, 0.5]).with_springs(SPRINGS)


def hand(q):
    """Torque of the springs by the slope of energies written out."""
    h, slope = 1e-6, np.zeros(6)
    for i in (1, 2, 3, 5):
        step = h * np.eye(6)[i]
        slope[i] = (stored(q + step) - stored(q - step)) / (2.0 * h)
    return slope


def stored(q):
    """Energy of the springs from points in the plane."""
    stroke = [
        abs(complex(*spring.after) * np.exp(1j * q[spring.axis - 1]) - complex(*spring.before))
        - spring.length
        for spring in SPRINGS[:2]
    ]
    coil = 2e3 * stroke[0] + 1.5e3 * stroke[0] ** 2
    gas = 3e3 * 0.58 / 0.4 * ((1.0 - stroke[1] / 0.58) ** -0.4 - 1.0)
    return coil + gas + 1.5 * q[3] + 10.0 * (q[5] - 0.3) ** 2


def test_a_falling_arm_against_another_integrator(arm):
    """Accelerations of the arm without springs under their torque, integrated by SciPy."""
    bare = arm.with_springs(None)

    def slope(_, x):
        a = bare.forward_dynamics(x[:6], x[6:], -hand(x[:6]), friction=False)
        return np.concatenate([x[6:], a])

    wanted = solve_ivp(slope, (0.0, 0.3), [*START, *np.zeros(6)], rtol=1e-9, atol=1e-10).y[:, -1]
    run = simulate(arm, START, duration=0.3, friction=False, stops=False, every=0.1)
    assert np.abs(wanted[:6] - START).max() > 0.1
    np.testing.assert_allclose(run.q[-1], wanted[:6], atol=1e-6)
    np.testing.assert_allclose(run.v[-1], wanted[6:], atol=1e-5)


def test_energy_is_kept(arm):
    """Without friction and motors kinetic and potential energy, springs included, stay one sum."""
    run = simulate(
        arm, START, duration=0.3, friction=False, stops=False, every=0.05, rtol=1e-9, atol=1e-10
    )
    kinetic, potential = arm.energy(run.q, run.v)
    assert np.ptp(kinetic) > 50.0
    assert np.ptp(kinetic + potential) < 1e-5
    bare = arm.with_springs(None).energy(run.q, run.v).potential
    gain = potential - bare
    np.testing.assert_allclose(
        gain - gain[0], [stored(q) - stored(START) for q in run.q], atol=1e-8
    )


def test_an_arm_held_by_its_gravity_torque_stays(arm):
    """With friction too: what ``gravity`` says holds springs and weight."""
    run = simulate(arm, START, duration=0.1, torque=arm.gravity(START))
    np.testing.assert_allclose(run.q[-1], START, atol=1e-9)
    state = Plant(arm).advance(Plant(arm).start(START), arm.gravity(START), 0.05)
    np.testing.assert_allclose(state.q, START, atol=1e-9)


@pytest.mark.parametrize("friction", [True, False])
def test_plant_by_machine_code_and_by_numpy(arm, friction, monkeypatch):
    """Both ways of a step end alike, at a rigid simulation's end to the plant's accuracy."""
    tau, ends = 0.9 * arm.gravity(START), []
    for worth in (0, np.inf):
        monkeypatch.setattr("irbmodels.simulation.plant.WORTH", worth)
        plant = Plant(arm, friction=friction)
        state = plant.start(START)
        for _ in range(10):
            state = plant.advance(state, tau, 0.004)
        ends.append(state.q)
    np.testing.assert_allclose(ends[0], ends[1], rtol=0, atol=1e-12)
    assert np.abs(ends[0] - START).max() > 1e-3
    run = simulate(arm, START, duration=0.04, torque=tau, friction=friction, every=0.04)
    np.testing.assert_allclose(ends[0], run.q[-1], atol=1e-4)


def test_rollouts_are_those_of_the_plant(arm):
    """Robots with and without springs side by side in one batch."""
    robots = [arm, arm.with_springs(None), arm]
    tau = 0.9 * arm.gravity(START)
    batch = rollouts(robots, START, duration=0.05, torque=tau, every=0.05)
    for i, robot in enumerate(robots):
        state = Plant(robot).advance(Plant(robot).start(START), tau, 0.05)
        np.testing.assert_allclose(batch.q[i, -1], state.q, atol=1e-9)
    assert np.abs(batch.q[0, -1] - batch.q[1, -1]).max() > 1e-3


# --- elastic joints


@pytest.fixture(scope="module")
def elastic(arm):
    """The arm with elastic joints; its drives bring the rotors."""
    return FlexibleRobot(irb.load("irb2400").with_springs(SPRINGS), drives())


def test_stiff_joints_give_the_rigid_robot(arm):
    """Rigid drives with rotors have the accelerations of the rigid robot."""
    rigid = [Drive(rotor_inertia=inertia) for inertia in ROTORS]
    robot = irb.load("irb2400").with_springs(SPRINGS)
    flexible = FlexibleRobot(robot, rigid)
    tau = np.array([10.0, 100.0, 50.0, 5.0, 5.0, 1.0])
    v = np.full(6, 0.1)
    a, _ = flexible.forward_dynamics(POSTURE, v, POSTURE, v, tau)
    wanted = robot.with_rotors(ROTORS).forward_dynamics(POSTURE, v, tau)
    np.testing.assert_allclose(a, wanted, atol=1e-10)


def test_equilibrium_carries_springs(elastic):
    """Motors bear weight and springs, links rest; small motions have the stiffness of both."""
    theta, torque = elastic.equilibrium(POSTURE)
    np.testing.assert_allclose(torque, elastic.robot.gravity(POSTURE), atol=1e-9)
    none = np.zeros(6)
    links, motors = elastic.forward_dynamics(POSTURE, none, theta, none, torque)
    np.testing.assert_allclose([links, motors], 0.0, atol=1e-8)
    bare = FlexibleRobot(elastic.robot.with_springs(None), drives())
    change = elastic.linearized(POSTURE).A - bare.linearized(POSTURE).A
    M = elastic.robot.mass_matrix(POSTURE)
    h = 1e-5
    slope = np.diag(
        [
            (hand(POSTURE + h * e) - hand(POSTURE - h * e))[i] / (2 * h)
            for i, e in enumerate(np.eye(6))
        ]
    )
    np.testing.assert_allclose(-M @ change[12:18, :6], slope, atol=0.5)


def test_taylor_series_of_links(elastic):
    """The series of the links' torques starts with inverse dynamics, and goes on with its time
    derivatives by differences, springs of every kind included.
    """
    rng = np.random.default_rng(2)
    c = 0.3 * rng.normal(size=(6, 6))
    series = link_torques(elastic.mechanism, c)

    def torque(t):
        q, v, a = (
            np.array([Polynomial(row).deriv(k)(t) if k else Polynomial(row)(t) for row in c.T])
            for k in range(3)
        )
        return elastic.robot.inverse_dynamics(q, v, a, friction=False)

    h = 0.01
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    samples = np.array([torque(k * h) for k in range(-4, 5)])
    scale = np.abs(samples).max()
    np.testing.assert_allclose(series[0], samples[4], atol=1e-12 * scale)
    np.testing.assert_allclose(series[1], first @ samples, atol=1e-8 * scale)
    for k in range(1, 4):  # of what the springs alone add, by their torques along the motion
        whole = [row for row in (series - link_torques(_bare(elastic), c))]
        times = 0.02 * np.cos(np.pi * (np.arange(12) + 0.5) / 12)
        along = [hand_exact(np.array([Polynomial(row)(t) for row in c.T])) for t in times]
        fit = (
            np.polynomial.polynomial.polyfit(times / 0.02, along, 8) / 0.02 ** np.arange(9)[:, None]
        )
        np.testing.assert_allclose(whole[k], fit[k], rtol=1e-5, atol=1e-4 * scale)


def _bare(elastic):
    return FlexibleRobot(elastic.robot.with_springs(None), drives()).mechanism


def hand_exact(q):
    """Torque of the springs by complex steps of the energies, right to rounding."""
    total = np.zeros(6)
    for spring in SPRINGS[:2]:
        outer = complex(*spring.after) * np.exp(1j * q[spring.axis - 1])
        line = outer - complex(*spring.before)
        stroke = abs(line) - spring.length
        force = 2e3 + 3e3 * stroke if spring.axis == 2 else 3e3 * (1.0 - stroke / 0.58) ** -1.4
        total[spring.axis - 1] = force * (line.conjugate() * 1j * outer).real / abs(line)
    total[3], total[5] = 1.5, 20.0 * (q[5] - 0.3)
    return total


def test_feedforward_moves_an_elastic_arm(elastic):
    """Motion and torque of the motors that feed-forward names give the links' accelerations."""
    q, v, a = POSTURE, np.full(6, 0.2), np.full(6, 0.5)
    torque, theta, theta_dot, theta_ddot = elastic.feedforward(q, v, a, np.ones(6), np.ones(6))
    links, motors = elastic.forward_dynamics(q, v, theta, theta_dot, torque)
    np.testing.assert_allclose(links, a, atol=1e-7)
    np.testing.assert_allclose(motors, theta_ddot, atol=1e-7)


def test_an_elastic_arm_keeps_its_energy():
    """Falling without friction, energies of motion, weight, elastic joints and springs are one
    sum.
    """
    arm = FlexibleRobot(irb.load("irb2400").with_springs(SPRINGS), drives(), False)
    run = arm.simulate(START, duration=0.1, stops=False, every=0.02, rtol=1e-9, atol=1e-10)
    energies = np.array(arm.energy(run.q, run.v, run["theta"], run["theta_dot"]))
    assert np.ptp(energies[0]) > 1.0
    assert np.ptp(energies.sum(axis=0)) < 1e-5
