import numpy as np
import pytest

import irbmodels as irb

WRIST = np.diag([100.0, -120.0, 110.0, 80.0, 70.0, 60.0])
# a wrist whose inner axes turn the outer motors
WRIST[4, 3], WRIST[5, 3], WRIST[5, 4] = -1.5, 2.0, -60.0


def test_power_is_the_same_on_both_sides():
    """tau_m' v_m = tau' v for a coupled wrist, and both maps undo each other."""
    motors, rng = irb.Motors(WRIST), np.random.default_rng(0)
    v, tau = rng.normal(size=(2, 5, 6))
    np.testing.assert_allclose(motors.velocity(v), v @ WRIST.T)
    np.testing.assert_allclose(
        (motors.torque(tau) * motors.velocity(v)).sum(axis=1), (tau * v).sum(axis=1)
    )
    np.testing.assert_allclose(motors.axis_velocity(motors.velocity(v)), v)
    np.testing.assert_allclose(motors.axis_position(motors.position(v)), v)
    np.testing.assert_allclose(motors.axis_torque(motors.torque(tau)), tau)


def test_gear_ratios_alone_are_a_diagonal():
    """A list of ratios: motor speed n v, motor torque tau / n."""
    motors = irb.Motors([100.0, -50.0])
    np.testing.assert_allclose(motors.velocity([1.0, 2.0]), [100.0, -100.0])
    np.testing.assert_allclose(motors.torque([1.0, 2.0]), [0.01, -0.04])


def test_reflected_rotors_have_the_energy_of_the_motors():
    """1/2 v' N' J N v: what with_rotors makes of it equals the rotors' own kinetic energy."""
    rotors, v = (
        np.array([1e-3, 2e-3, 3e-3, 4e-4, 5e-4, 6e-4]),
        np.random.default_rng(1).normal(size=6),
    )
    robot = (
        irb.load("irb2400")
        .with_rotors(irb.Motors(WRIST).reflected(rotors))
        .with_drives(irb.Motors(WRIST).drive_axes)
    )
    spinning = (
        robot.energy(np.zeros(6), v).kinetic - irb.load("irb2400").energy(np.zeros(6), v).kinetic
    )
    assert spinning == pytest.approx(0.5 * rotors @ (WRIST @ v) ** 2, rel=1e-12)


@pytest.mark.parametrize(
    ("ratios", "words"),
    [
        ([100.0, 0.0], "must not be 0"),
        (np.ones((2, 3)), "shape"),
        ([np.inf, 1.0], "finite"),
        ([[1.0, 2.0], [np.nan, np.nan]], "coupled"),
    ],
)
def test_ratios_that_are_none_are_refused(ratios, words):
    """Zero, wrong shape, infinity, and a known motor coupled to an unknown one."""
    with pytest.raises(irb.InputError, match=words):
        irb.Motors(ratios)
