"""Stribeck friction (S000 eq. 54), its slope, and the robots without friction data."""

from __future__ import annotations

import warnings

import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels import Stribeck
from irbmodels.robot.dynamics import warn_of_no_friction


@pytest.fixture
def law() -> irb.Stribeck:
    actual = irb.load("irb2400").friction_model
    assert actual is not None
    return actual


def test_law_is_eq_54_with_tab_5(law):
    """(Fc + (Fs - Fc) exp(-(v/v_St)^2)) sgn v + Fv v, from creep to the speed limit, both ways."""
    speeds = np.concatenate([-np.geomspace(1e-6, 8, 200), [0.0], np.geomspace(1e-6, 8, 200)])
    v = np.repeat(speeds[:, None], 6, axis=1)
    np.testing.assert_allclose(law.torque(v), oracles.friction_2400(v), rtol=1e-14)
    np.testing.assert_array_equal(irb.load("irb2400").friction(v), law.torque(v))


def test_law_is_odd_and_zero_at_rest(law):
    """sgn(0) = 0: no friction at rest, and the same both ways."""
    v = np.geomspace(1e-6, 8, 50)[:, None] * np.ones(6)
    np.testing.assert_array_equal(law.torque(-v), -law.torque(v))
    np.testing.assert_array_equal(law.torque(np.zeros(6)), np.zeros(6))


def test_breakaway_is_static_friction_and_fast_motion_is_coulomb_plus_viscous(law):
    """The law starts at Fs and ends on the line Fc + Fv v."""
    np.testing.assert_allclose(
        law.torque(np.full(6, 1e-9)), [36.3, 39.2, 25.3, 19.2, 39.7, 17.5], rtol=1e-8
    )
    np.testing.assert_allclose(
        law.torque(np.full(6, 2.0)), np.array([24.2, 31.2, 16.9, 7.9, 13.7, 8.8]) + 2.0 * law.Fv
    )


def test_dips_of_every_axis(law):
    """Each axis has one minimum, where ERRATA note D says, with its torque (printed there to two
    digits after the point).
    """
    speeds = np.linspace(0.002, 0.1, 98001)  # a step of 1e-6 rad/s
    torques = law.torque(np.repeat(speeds[:, None], 6, axis=1))
    lowest = torques.argmin(axis=0)
    np.testing.assert_allclose(
        speeds[lowest], [0.0215, 0.0085, 0.0233, 0.0432, 0.0465, 0.0432], atol=5.1e-5
    )
    np.testing.assert_allclose(
        torques.min(axis=0), [24.47, 31.28, 17.14, 8.23, 14.06, 8.91], atol=5.1e-3
    )


def test_speed_not_position_stands_in_the_exponent(law):
    """Joint 2 at 0.001 rad/s rubs with 38.418 N m, not with the 31.208 of the misprinted eq. 55
    (ERRATA 0-15).
    """
    assert law.torque(np.full(6, 0.001))[1] == pytest.approx(38.418, abs=5e-4)


def test_derivative_is_the_slope_of_the_law(law):
    """Complex steps of eq. 54 away from rest; central differences agree with the package's own law."""
    speeds = np.concatenate([-np.geomspace(1e-4, 3, 40), np.geomspace(1e-4, 3, 40)])
    for v in speeds:
        here, step = np.full(6, v), 1e-30
        ratio = (here + 1j * step) / law.v_St
        complex_law = (law.Fc + (law.Fs - law.Fc) * np.exp(-(ratio**2))) * np.sign(v) + law.Fv * (
            here + 1j * step
        )
        np.testing.assert_allclose(law.derivative(here), complex_law.imag / step, rtol=1e-12)
        tiny = 1e-4 * abs(v)
        slope = (law.torque(here + tiny) - law.torque(here - tiny)) / (2 * tiny)
        np.testing.assert_allclose(law.derivative(here), slope, rtol=1e-4, atol=1e-3)


def test_derivative_at_rest_is_the_viscous_slope(law):
    """The jump of sgn has no slope; what is left is Fv."""
    np.testing.assert_array_equal(
        law.derivative(np.zeros(6)), [11.85, 8.323, 9.3613, 7.1228, 7.2654, 2.323]
    )


def test_torque_is_linear_in_its_parameters(law):
    """Y p = F(v) with p = (Fv, Fc, Fs - Fc) per axis."""
    for v in np.random.default_rng(0).normal(scale=0.02, size=(20, 6)):
        np.testing.assert_allclose(
            law.regressor(v) @ law.parameters(), oracles.friction_2400(v), rtol=1e-13
        )
    np.testing.assert_allclose(law.parameters()[3:6], [8.323, 31.2, 8.0], rtol=1e-14)
    assert not law.regressor(np.zeros(6)).any()


def test_parameters_cannot_be_changed(law):
    """The law is shared by robots and threads: its arrays are read-only."""
    for array in (law.Fs, law.Fc, law.Fv, law.v_St):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 0.0


@pytest.mark.parametrize("name", [name for name in oracles.NAMES if "2400" not in name])
def test_robots_without_friction_data_say_so(name):
    """Nobody has published friction of the 1400, 1600 and 930: asking for it is an error, adding it
    is a warning.
    """
    robot = irb.load(name)
    q, v, a = oracles.states(name, 1)[0]
    # it warns once per robot and process, and other tests may have been first
    warn_of_no_friction.cache_clear()
    assert robot.friction_model is None
    with pytest.raises(irb.MissingData, match=f"{name} has no friction data"):
        robot.friction(v)
    for ask in (robot.inverse_dynamics, robot.forward_dynamics, robot.torque_parts):
        # warnings are errors in these tests
        with pytest.raises(irb.PhysicsWarning, match="adds nothing"):
            ask(q, v, a)


def test_the_warning_comes_once_per_robot_and_points_to_the_caller(copied):
    """A robot without friction data says so once, at the line that asked, and then computes without
    friction.
    """
    for file in ("kinematics.yaml", "limits.yaml"):
        folder = copied("irb1400", file, "  irb1400: {}", "  warned_once: {}")
    robot, (q, v, a) = irb.load(folder), oracles.states("irb1400", 1)[0]
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        first, second = robot.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a)
    assert [str(warning.message) for warning in caught] == [
        "warned_once has no friction data: friction adds nothing"
    ]
    assert caught[0].filename == __file__
    np.testing.assert_array_equal(first, robot.inverse_dynamics(q, v, a, friction=False))
    np.testing.assert_array_equal(first, second)


def test_any_robot_takes_a_law_and_gives_it_back():
    """A law is added to the torques of a robot that had none; None takes it away; where Fs = Fc its
    speed has no influence.
    """
    robot, (q, v, a) = irb.load("irb1400"), oracles.states("irb1400", 1)[0]
    Fc, Fv = np.arange(1.0, 7.0), np.linspace(0.5, 1.0, 6)
    with_law = robot.with_friction(Stribeck(Fc, Fc, Fv, np.ones(6)))
    rigid = robot.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(
        with_law.inverse_dynamics(q, v, a) - rigid, Fc * np.sign(v) + Fv * v, rtol=1e-9, atol=1e-9
    )
    assert not with_law.friction_model.falls.any()
    other = robot.with_friction(Stribeck(Fc, Fc, Fv, np.full(6, 1e-3)))
    np.testing.assert_array_equal(
        other.inverse_dynamics(q, v, a), with_law.inverse_dynamics(q, v, a)
    )
    assert with_law.with_friction(None).friction_model is None
    assert irb.load("irb2400").friction_model.falls.all()


@pytest.mark.parametrize(
    ("law", "words"),
    [
        ("viscous", "is an irbmodels.Stribeck, not 'viscous'"),
        (Stribeck([1.0] * 4, [1.0] * 4, [1.0] * 4, [1.0] * 4), r"Fs of the friction law .*\(6,\)"),
        (
            Stribeck([1.0] * 6, [1.0] * 6, [1.0] * 6, [1.0] * 5 + [np.nan]),
            "v_St of the friction law",
        ),
        (
            Stribeck([1.0] * 6, [1.0] * 5 + [2.0], [1.0] * 6, [1.0] * 6),
            "friction of axis 6 would drive it: .* got Fs 1, Fc 2",
        ),
        (
            Stribeck([1.0] * 6, [1.0] * 6, [-1.0] + [0.0] * 5, [1.0] * 6),
            "friction of axis 1 would drive it: .* Fv -1",
        ),
        (
            Stribeck([1.0] * 6, [1.0] * 6, [1.0] * 6, [0.0] * 6),
            "friction of axis 1 would drive it: .* v_St 0",
        ),
    ],
)
def test_a_law_that_no_axis_has_is_refused(law, words):
    """Laws of other axes, or that would drive an axis, are refused with the axis and the
    numbers.
    """
    with pytest.raises(irb.InputError, match=words):
        irb.load("irb1600").with_friction(law)
