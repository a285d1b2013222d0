"""Which positions, speeds and accelerations of one state are taken for another unit, and which are
not.
"""

from __future__ import annotations

import warnings
from contextlib import nullcontext

import numpy as np
import pytest
import shipped
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot

ROBOT, SCARA = irb.load("irb2400"), irb.load("irb930")
Q, REST = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.zeros(6)
FAST, STRONG = np.full(6, 100.0), np.full(6, 1000.0)  # [deg/s, deg/s^2]
ELASTIC = FlexibleRobot(ROBOT, [Drive(2e5, 5.0)] * 6, friction=False)
BY_SPEED, BY_TORQUE = "are these deg/s", r"are these deg/s\^2"
BAD = {
    "inverse_dynamics, v": (
        lambda: ROBOT.inverse_dynamics(Q, FAST, REST),
        f"v1 = 100 rad/s of irb2400_16 .* 20 times .*{BY_SPEED}",
    ),
    "inverse_dynamics, a": (
        lambda: ROBOT.inverse_dynamics(Q, REST, STRONG),
        f"a of irb2400_16 needs .* N m .*{BY_TORQUE}",
    ),
    "forward_dynamics, v": (lambda: ROBOT.forward_dynamics(Q, FAST, REST), BY_SPEED),
    "torque_parts, v": (lambda: ROBOT.torque_parts(Q, FAST, REST), BY_SPEED),
    "torque_parts, a": (lambda: ROBOT.torque_parts(Q, REST, STRONG), BY_TORQUE),
    "coriolis": (lambda: ROBOT.coriolis(Q, FAST), BY_SPEED),
    "friction": (lambda: ROBOT.friction(FAST), BY_SPEED),
    "energy": (lambda: ROBOT.energy(Q, FAST), BY_SPEED),
    "regressor, v": (lambda: ROBOT.regressor(Q, FAST, REST), BY_SPEED),
    "regressor, a": (lambda: ROBOT.regressor(Q, REST, STRONG), BY_TORQUE),
    "inverse derivatives, v": (lambda: ROBOT.inverse_dynamics_derivatives(Q, FAST, REST), BY_SPEED),
    "inverse derivatives, a": (
        lambda: ROBOT.inverse_dynamics_derivatives(Q, REST, STRONG),
        BY_TORQUE,
    ),
    "forward derivatives": (lambda: ROBOT.forward_dynamics_derivatives(Q, FAST, REST), BY_SPEED),
    "energy_regressor": (lambda: ROBOT.energy_regressor(Q, FAST), BY_SPEED),
    "reactions, v": (lambda: ROBOT.reactions(Q, FAST, REST), BY_SPEED),
    "reactions, a": (lambda: ROBOT.reactions(Q, REST, STRONG), BY_TORQUE),
    "sensor": (lambda: ROBOT.sensor(Q, REST, STRONG), BY_TORQUE),
    "jacobian_rate": (lambda: ROBOT.jacobian_rate(Q, FAST), BY_SPEED),
    "inverse_acceleration": (lambda: ROBOT.inverse_acceleration(Q, FAST, REST), BY_SPEED),
    "link_motion": (lambda: ROBOT.link_motion(Q, FAST, REST), BY_SPEED),
    "motors' speed": (
        lambda: ELASTIC.forward_dynamics(Q, REST, Q, FAST, REST),
        "theta_dot1 = 100 rad/s",
    ),
    "motors' position": (
        lambda: ELASTIC.energy(Q, REST, np.degrees(Q), REST),
        "theta6 = 34.3775 rad .* are these deg",
    ),
    "feedforward": (lambda: ELASTIC.feedforward(Q, REST, STRONG, REST, REST), BY_TORQUE),
    "linear axis, speed": (
        lambda: SCARA.energy([0, 0, 0, 0], [0, 0, 100, 0]),
        "v3 = 100 m/s .* are these mm/s",
    ),
    "linear axis, acceleration": (
        lambda: SCARA.regressor([0] * 4, [0] * 4, [0, 0, 5000, 0]),
        r"N at axis 3.* are these mm/s\^2",
    ),
    "text": (
        lambda: ROBOT.gravity(["0"] * 6),
        "q of irb2400_16 is not an array of numbers, but of str",
    ),
    "complex": (
        lambda: ROBOT.gravity(Q + 0j),
        "q of irb2400_16 is not an array of numbers, but of complex",
    ),
    "masked": (lambda: ROBOT.gravity(np.ma.array(Q, mask=[1, 0, 0, 0, 0, 0])), "masked"),
    "friction, inverse": (
        lambda: ROBOT.inverse_dynamics(Q, REST, REST, friction="no"),
        "friction is True or False, not 'no'",
    ),
    "friction, forward": (
        lambda: ROBOT.forward_dynamics(Q, REST, REST, friction="no"),
        "friction is True or False, not 'no'",
    ),
    "friction, derivatives": (
        lambda: ROBOT.inverse_dynamics_derivatives(Q, REST, REST, friction="no"),
        "friction is True or False",
    ),
    "friction, compiled": (lambda: ROBOT.compiled(friction="no"), "friction is True or False"),
    "single, compiled": (lambda: ROBOT.compiled(single="no"), "single is True or False"),
    "threads, compiled": (
        lambda: ROBOT.compiled(threads=True),
        "threads must be a whole number, at least 1, got True",
    ),
    "friction, symbolic": (
        lambda: ROBOT.symbolic("gravity", friction="no"),
        "friction is True or False",
    ),
    "parameters, symbolic": (
        lambda: ROBOT.symbolic("gravity", parameters="no"),
        "parameters is True or False",
    ),
    "in_range": (
        lambda: ROBOT.inverse_kinematics(ROBOT.pose(Q), in_range="no"),
        "in_range is True or False",
    ),
    "turns": (
        lambda: ROBOT.inverse_kinematics(ROBOT.pose(Q), turns="no"),
        "turns is True or False",
    ),
}


@together("name", BAD)
def test_another_unit_or_type_is_one_clear_line(name):
    """Whatever query is asked, one state in deg/s, in deg/s^2, in text, or a flag that is none, is
    refused with a hint.
    """
    refused_in_one_line(*BAD[name])


def test_arrays_pass_no_guard():
    """What one state may not be, a sample of an array may: it may be one bad sample of a
    recording.
    """
    assert ROBOT.inverse_dynamics(Q[None], FAST[None], STRONG[None]).shape == (1, 6)
    assert ROBOT.pose(np.full((2, 6), 50.0)).shape == (2, 4, 4)
    # one acceleration for two postures
    assert ROBOT.inverse_dynamics(np.tile(Q, (2, 1)), REST, STRONG).shape == (2, 6)


@shipped.of_variants(shipped.WEIGHED)
def test_bounds_are_the_stated_multiples(name):
    """Each axis may have 2.99 times the largest limit of its kind, 19.9 times its speed and its
    inertia 9.9 times its effort, and neither 3.01, 20.1 nor 10.1 times; an unknown speed is none.
    """
    robot = irb.load(name)
    known = np.isfinite(robot.limits.velocity)
    q, rest = robot.limits.envelope()[0] / 2, np.zeros(robot.n)
    ends, linear = np.abs(robot.limits.envelope()).max(axis=0), robot.limits.linear
    farthest = np.where(linear, ends[linear].max(initial=0.0), ends[~linear].max())
    for axis, has_speed in zip(np.eye(robot.n), known, strict=True):
        robot.gravity(2.99 * farthest * axis)
        with pytest.raises(irb.InputError, match="three times the largest"):
            robot.gravity(-3.01 * farthest * axis)
        speed = np.where(known, robot.limits.velocity, 1.0) * axis
        robot.energy(q, 19.9 * speed)
        refused = pytest.raises(irb.InputError, match="20 times its speed limit")
        with refused if has_speed else nullcontext():
            robot.energy(q, -20.1 * speed)
        a = np.linalg.solve(robot.mass_matrix(q), robot.limits.effort * axis)
        robot.inverse_dynamics(q, rest, 9.9 * a, friction=False)
        with pytest.raises(irb.InputError, match="10 times its effort"):
            robot.inverse_dynamics(q, rest, -10.1 * a, friction=False)


@shipped.of_variants(shipped.WEIGHED)
def test_what_the_motors_can_do_passes(name):
    """Accelerations under full efforts, tens of thousands of rad/s^2 at a bare wrist, pass back
    into the inverse dynamics.
    """
    robot, rng = irb.load(name), np.random.default_rng(1)
    low, high = robot.limits.envelope()
    known = np.where(np.isfinite(robot.limits.velocity), robot.limits.velocity, 1.0)
    for _ in range(50):
        q, v = rng.uniform(low, high), rng.uniform(-1, 1, robot.n) * known
        tau = rng.choice([-1.0, 1.0], robot.n) * robot.limits.effort
        a = robot.forward_dynamics(q, v, tau, friction=False)
        np.testing.assert_allclose(
            robot.inverse_dynamics(q, v, a, friction=False),
            tau,
            rtol=1e-8,
            atol=1e-8 * abs(tau).max(),
        )


def test_efforts_that_do_not_hold_the_arm_are_no_bound(tmp_path):
    """A URDF with an effort of 1 N m in place of an unknown one takes any acceleration; so does one
    without efforts.
    """
    for effort in ("1", "0"):
        path = tmp_path / f"arm{effort}.urdf"
        path.write_text(
            '<robot name="arm"><link name="base"/><link name="bar"><inertial><origin xyz="0.5 0'
            ' 0"/><mass value="10"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
            ' iyz="0"/></inertial></link><joint name="turn" type="revolute"><parent'
            ' link="base"/><child link="bar"/><axis xyz="0 1 0"/><limit lower="-1" upper="1"'
            f' effort="{effort}" velocity="0"/></joint></robot>'
        )
        assert irb.from_urdf(path).inverse_dynamics([0.0], [1e3], [1e3], friction=False)[
            0
        ] == pytest.approx(3500.0 - 49.05)


@pytest.mark.parametrize(
    "q",
    [
        [0, 5, 5, 0, 5, 0],
        [0.0, 5.0, 5.0, 0.0, 5.0, 0.0],
        (0, -2, 0, 0, 4, 0),
        np.array([0, 5, 5, 0, 5, 0]),
    ],
)
def test_whole_numbers_out_of_range_are_doubted_once(q):
    """A posture typed in whole numbers that only degrees bring into range is answered with one
    warning per robot.
    """
    robot = irb.load("irb2400")
    with pytest.warns(
        irb.PhysicsWarning,
        match="is out of range, and in range as the controller counts; are these degrees",
    ) as seen:
        robot.gravity(q)
    assert seen[0].filename == __file__
    with pytest.warns(irb.PhysicsWarning) as deeper:
        irb.load("irb2400").violations(q)
    assert deeper[0].filename == __file__
    robot.gravity(q)


@pytest.mark.parametrize(
    "q",
    [
        [0, 1, 0, 0, 1, 3],
        [0, 2.5, 0, 0, 0, 0],
        [0, 2, 3, 0, 0, 0],
        np.array([0.0, 5.0, 5.0, 0.0, 5.0, 0.0]),
    ],
)
def test_what_may_be_radians_is_not_doubted(q):
    """In range, no whole numbers, within half a turn, or computed: nothing warns."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        irb.load("irb2400").gravity(q)


def test_measures_of_one_state_are_of_one_type():
    """One state gives numbers, an array gives arrays, and all fields alike but the vector of
    singular values; so do distances from singularities.
    """
    for robot, q in ((ROBOT, Q), (SCARA, Q[:4] * 0.1)):
        for ask in (robot.measures, robot.singularities):
            one, many = ask(q)._asdict(), ask(np.tile(q, (2, 3, 1)))._asdict()
            if ask == robot.measures:
                vectors = (one.pop("singular_values"), many.pop("singular_values"))
                assert [x.shape for x in vectors] == [(robot.n,), (2, 3, robot.n)]
            assert {type(x) for x in one.values()} == {np.float64}
            assert {x.shape for x in many.values()} == {(2, 3)}
