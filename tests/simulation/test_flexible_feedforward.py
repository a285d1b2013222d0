import numpy as np
import oracles
import pytest
from elastic_arms import ROTORS, STIFFNESS, drives
from numpy.polynomial import Polynomial

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot
from irbmodels.simulation.flexible.feedforward import link_torques

STROKE = np.array([0.5, 0.4, -0.3, 0.6, -0.5, 0.4])
LINEAR = np.array([1.0, 1.0, 0.3, 1.0])  # the SCARA's axis 3 moves by less
# over 0 .. 1; four derivatives vanish at both ends
REST_TO_REST = Polynomial([0, 0, 0, 0, 0, 126, -420, 540, -315, 70])


def motion(t, duration=1.0, orders=5, start=0.0):
    """Return the derivatives of a move of six axes at a time, shape ``(orders, ..., 6)``."""
    x = np.asarray(t, dtype=float)[..., None] / duration
    return np.stack(
        [start * (k == 0) + REST_TO_REST.deriv(k)(x) / duration**k * STROKE for k in range(orders)]
    )


def of_time(name, t, coefficients):
    """Return the oracle's torque along polynomials of time, without gravity's rounding."""
    derivatives = [
        [Polynomial(c).deriv(k)(t) if k else Polynomial(c)(t) for c in coefficients.T]
        for k in range(3)
    ]
    return oracles.lagrange(oracles.arm(name), *np.array(derivatives))


@pytest.mark.parametrize("name", ["irb1400", "irb2400_16", "irb930_12_105", "irb1600_6_120"])
def test_torque_and_its_derivatives_against_lagrange(name):
    """Taylor arithmetic gives the torque of Lagrange's equations, and its first two time
    derivatives by their differences.
    """
    robot, rng = irb.load(name), np.random.default_rng(0)
    coefficients = rng.uniform(-0.5, 0.5, (5, robot.n))
    if robot.n == 4:
        coefficients *= LINEAR
    series = link_torques(FlexibleRobot(robot, [None] * robot.n).mechanism, coefficients)
    # [s]: eighth-order differences, whose error is h^8 of a smooth motion, and rounding of 1e-15 /
    # h^2
    h = 0.02
    samples = np.array([of_time(name, k * h, coefficients) for k in range(-4, 5)])
    scale = np.abs(samples).max()
    first = np.array([1 / 280, -4 / 105, 1 / 5, -4 / 5, 0, 4 / 5, -1 / 5, 4 / 105, -1 / 280]) / h
    second = (
        np.array([-1 / 560, 8 / 315, -1 / 5, 8 / 5, -205 / 72, 8 / 5, -1 / 5, 8 / 315, -1 / 560])
        / h**2
    )
    np.testing.assert_allclose(series[0], samples[4], atol=1e-12 * scale)
    np.testing.assert_allclose(series[1], first @ samples, atol=1e-9 * scale)
    np.testing.assert_allclose(2.0 * series[2], second @ samples, atol=1e-8 * scale)


def test_tools_and_mounting_are_in_it():
    """A spindle on an arm on the wall: the series starts with the robot's own inverse dynamics."""
    robot = irb.load("irb2400", tool="spindle").mounted([[1, 0, 0], [0, 0, -1], [0, 1, 0]])
    q, v, a = np.random.default_rng(1).uniform(-1.0, 1.0, (3, 6))
    series = link_torques(FlexibleRobot(robot, [None] * 6).mechanism, np.array([q, v, a / 2.0]))
    np.testing.assert_allclose(
        series[0], robot.inverse_dynamics(q, v, a, friction=False), rtol=1e-11, atol=1e-11
    )


def test_mimic_joints_with_an_offset(tmp_path):
    """A joint that follows another by -0.5 q + 0.7 stands where its mimic tag says."""
    tensor = '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/>'
    body = f'<inertial><origin xyz="0.3 0 0.1"/><mass value="2"/>{tensor}</inertial>'
    path = tmp_path / "mimic.urdf"
    path.write_text(
        f'<robot name="mimic"><link name="l0"/><link name="l1">{body}</link><link'
        f' name="l2">{body}</link><joint name="j1" type="continuous"><parent link="l0"/><child'
        ' link="l1"/><axis xyz="0 1 0"/></joint><joint name="j2" type="continuous"><parent'
        ' link="l1"/><child link="l2"/><origin xyz="0.5 0 0"/><axis xyz="0 1 0"/><mimic joint="j1"'
        ' multiplier="-0.5" offset="0.7"/></joint></robot>'
    )
    robot = irb.from_urdf(path)
    q, v, a = np.array([[0.4], [0.9], [-1.1]])
    series = link_torques(FlexibleRobot(robot, [None]).mechanism, np.array([q, v, a / 2.0]))
    np.testing.assert_allclose(
        series[0], robot.inverse_dynamics(q, v, a, friction=False), rtol=1e-12
    )


@pytest.mark.parametrize("elastic", [6, 3])
def test_links_accelerate_as_asked(elastic):
    """Put into the equations of motion, its torque and motor motion give the links' and the motors'
    accelerations back.
    """
    springs = {"hardening": 1e10, "bearing": 3.0, "viscous": 2.0}
    rigid = [Drive(rotor_inertia=ROTORS[i], viscous=2.0) for i in range(elastic, 6)]
    arm = FlexibleRobot(irb.load("irb2400"), [*drives(elastic, **springs), *rigid])
    q, v, a, jerk, snap = motion(np.linspace(0.1, 0.9, 7))
    torque, theta, theta_dot, theta_ddot = arm.feedforward(q, v, a, jerk, snap)
    links, motors = arm.forward_dynamics(q, v, theta, theta_dot, torque)
    np.testing.assert_allclose(links, a, atol=1e-9)
    np.testing.assert_allclose(motors, theta_ddot, atol=1e-8)  # of several 10 rad/s^2
    assert (theta[:, elastic:] == q[:, elastic:]).all()


def test_motor_motion_belongs_together():
    """Speed and acceleration of the motors are the time derivatives of theta, by differences along
    the move.
    """
    arm = FlexibleRobot(irb.load("irb1400"), drives(hardening=1e10))
    h = 1e-3
    before, now, after = (arm.feedforward(*motion(0.4 + k * h)) for k in (-1, 0, 1))
    # h^2 / 6 of the jerk, 150
    np.testing.assert_allclose(now.theta_dot, (after.theta - before.theta) / (2 * h), atol=3e-5)
    np.testing.assert_allclose(
        now.theta_ddot, (after.theta_dot - before.theta_dot) / (2 * h), atol=1e-3
    )  # of the snap


def test_flexible_plant_tracks():
    """Fed to the simulated arm it moves the links on the path to 1e-7 rad; the rigid arm's torque
    does not.
    """
    arm = FlexibleRobot(irb.load("irb1400"), [*drives(3), None, None, None])
    start = np.array([0.2, 0.1, -0.1, 0.0, 0.3, 0.0])
    duration = 0.25

    def elastic(t, theta, theta_dot):
        return arm.feedforward(*motion(t, duration, start=start)).torque

    def rigid(t, theta, theta_dot):
        return arm.rigid.inverse_dynamics(*motion(t, duration, 3, start), friction=False)

    def missed(torque, rtol=1e-8):
        run = arm.simulate(
            start, duration=duration, torque=torque, every=0.02, rtol=rtol, stops=False
        )
        return np.abs(run.q - motion(run.t, duration, start=start)[0]).max()

    assert missed(elastic) < 1e-7  # the integrator's share
    assert missed(rigid, 1e-5) > 1e-4


def test_stiff_springs_leave_the_rigid_torque():
    robot = irb.load("irb2400")
    now = motion(0.3)
    off = []
    for grown in (1.0, 10.0, 100.0, 1000.0):
        arm = FlexibleRobot(
            robot,
            [Drive(grown * k, J, viscous=2.0) for k, J in zip(STIFFNESS, ROTORS, strict=True)],
        )
        off.append(
            np.abs(arm.feedforward(*now).torque - arm.rigid.inverse_dynamics(*now[:3])).max()
        )
    # friction's curve adds 1 / k^2
    np.testing.assert_allclose(np.array(off[1:]) * 10.0, off[:-1], rtol=0.05)
    assert off[0] > 0.5


def test_each_derivative_more_is_right_to_one_more_power_of_damping():
    """Gear damping is a series; halving it divides what is missed by 2, 4, 8 with 0, 1 and 2
    derivatives beyond snap.
    """
    robot, now = irb.load("irb1400"), motion(0.3, orders=9)

    def missed(d, orders):
        arm = FlexibleRobot(robot, drives(damping=d))
        return np.abs(arm.feedforward(*now[:orders]).torque - arm.feedforward(*now).torque).max()

    def misplaced(d):
        arm = FlexibleRobot(robot, drives(damping=d))
        short, best = arm.feedforward(*now[:5]), arm.feedforward(*now)
        return np.array([np.abs(short[k] - best[k]).max() for k in (1, 2, 3)])

    # theta and its rates
    np.testing.assert_allclose(misplaced(10.0) / misplaced(5.0), [8.0, 4.0, 2.0], rtol=0.05)
    for orders, power in ((5, 1), (6, 2), (7, 3)):
        ratio = missed(100.0, orders) / missed(50.0, orders)
        assert ratio == pytest.approx(2.0**power, rel=0.05)
    arm = FlexibleRobot(robot, drives(damping=50.0))
    torque, theta, theta_dot, theta_ddot = arm.feedforward(*now)
    a, b = arm.forward_dynamics(now[0], now[1], theta, theta_dot, torque)
    np.testing.assert_allclose(a, now[2], atol=1e-9)
    np.testing.assert_allclose(b, theta_ddot, atol=1e-7)


def test_backlash_is_taken_up_on_the_side_of_the_load():
    """Where a spring carries torque its motor stands half the backlash further; without torque in
    the middle.
    """
    robot, now = irb.load("irb1400"), motion(0.3)
    tight, loose = (FlexibleRobot(robot, drives(backlash=b)).feedforward(*now) for b in (0.0, 2e-3))
    load = robot.inverse_dynamics(*now[:3], friction=False)
    np.testing.assert_allclose(loose.theta - tight.theta, 1e-3 * np.sign(load), atol=1e-15)
    np.testing.assert_allclose(loose.torque, tight.torque, rtol=1e-12)


def test_arrays_and_single_states():
    """A whole motion at once equals its states one by one; derivatives must have the shape of q."""
    arm, whole = (
        FlexibleRobot(irb.load("irb1600"), drives()),
        motion(np.linspace(0.1, 0.9, 6).reshape(2, 3)),
    )
    actual = arm.feedforward(*whole)
    for at in np.ndindex(2, 3):
        np.testing.assert_allclose(
            actual.torque[at],
            arm.feedforward(*whole[(slice(None), *at)]).torque,
            rtol=1e-12,
            atol=1e-12,
        )
    with pytest.raises(irb.InputError, match="snap"):
        arm.feedforward(*motion(0.3)[:4], np.zeros(5))
    with pytest.raises(irb.InputError, match="derivative 5 of q"):
        arm.feedforward(*motion(0.3), np.zeros(5))
