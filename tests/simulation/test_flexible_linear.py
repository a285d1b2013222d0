import math

import control
import numpy as np
import pytest
import scipy.linalg
import scipy.signal
import sympy as sp

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, LinearModel, OneAxis, identified

R = 1.0 / 118.461539  # S003 section 3.3.2
# every number there, the gear reverses
FULL = OneAxis(Drive(8e4, 6e-4, -100.0, viscous=0.01, damping=25.0, bearing=3.0), 7.0)
BARE = OneAxis(Drive(8e4, 6e-4, 120.0), 7.0)


def test_antiresonance_and_resonance_of_s003():
    """Table 3.1 in the consistent reading: 18.16 Hz, which the printed k / Ja gives too, and 23.99
    Hz.
    """
    axis = identified(irb.load("irb1400"))
    assert axis.antiresonance == pytest.approx(18.16, abs=0.005)
    assert axis.antiresonance == pytest.approx(math.sqrt(677.2 / 5.2e-2) / (2 * math.pi), rel=1e-8)
    assert axis.resonance == pytest.approx(23.99, abs=0.005)
    assert axis.inertia == pytest.approx(6.160, abs=5e-4)


def test_poles_of_s003():
    """What the printed eq. 3.73 has with its own numbers: 0, -12.700, -4.667 +- 150.240i; the
    consistent model equals it.
    """
    Jm, Ja, fm, k = 5.9e-4, 5.2e-2, 1.3e-2, 677.2
    printed = np.array(
        [
            [0, 1, 0, 0],
            [-k * R / Jm, -fm / Jm, k / Jm, 0],
            [0, 0, 0, 1],
            [k * R / Ja, 0, -k / Ja, 0],
        ]
    )
    axis = identified(irb.load("irb1400"))
    # digits of the table
    np.testing.assert_allclose(axis.four_states().A, printed, rtol=1e-8, atol=1e-12)
    np.testing.assert_allclose(
        axis.four_states().poles[1:], [-12.700, -4.667 - 150.240j, -4.667 + 150.240j], atol=5e-4
    )
    assert abs(axis.four_states().poles[0]) < 1e-9
    np.testing.assert_allclose(axis.three_states().poles, axis.four_states().poles[1:], rtol=1e-9)


def test_four_states_follow_from_the_energies():
    """Lagrange's equations of 1/2 Jm m'^2 + 1/2 Ja a'^2 - 1/2 k (r m - a)^2 with Rayleigh's
    dissipation, by SymPy.
    """
    t = sp.symbols("t")
    m, a = sp.Function("m")(t), sp.Function("a")(t)
    d = FULL.drive
    Jm, Ja, k, r = (
        d.rotor_inertia,
        FULL.inertia,
        d.stiffness,
        sp.Rational(1) / sp.nsimplify(d.gear_ratio),
    )
    energy = Jm * m.diff(t) ** 2 / 2 + Ja * a.diff(t) ** 2 / 2 - k * (r * m - a) ** 2 / 2
    loss = (
        d.viscous * m.diff(t) ** 2 / 2
        + d.bearing * a.diff(t) ** 2 / 2
        + d.damping * (r * m.diff(t) - a.diff(t)) ** 2 / 2
    )
    state = [m, m.diff(t), a, a.diff(t)]
    rows = [
        # what is left of d/dt dL/dx' is the inertia times x''
        (energy.diff(x) - loss.diff(x.diff(t))) / inertia
        for x, inertia in ((m, Jm), (a, Ja))
    ]
    symbols = sp.symbols("x1:5")
    swapped = [row.subs(dict(zip(reversed(state), reversed(symbols), strict=True))) for row in rows]
    A = [
        [0, 1, 0, 0],
        [float(swapped[0].diff(x)) for x in symbols],
        [0, 0, 0, 1],
        [float(swapped[1].diff(x)) for x in symbols],
    ]
    model = FULL.four_states()
    np.testing.assert_allclose(model.A, A, rtol=1e-12)
    np.testing.assert_allclose(model.B, [[0], [1 / Jm], [0], [0]])
    np.testing.assert_array_equal(model.C, [[1, 0, 0, 0]])


def test_energy_is_conserved_without_losses():
    """The energy x' P x is constant: P A + A' P = 0 with the energy's matrix (the printed eq. 3.71
    fails it).
    """
    d = BARE.drive
    spring = np.array([1.0 / d.gear_ratio, 0.0, -1.0, 0.0])
    P = np.diag([0.0, d.rotor_inertia, 0.0, BARE.inertia]) + d.stiffness * np.outer(spring, spring)
    A = BARE.four_states().A
    assert np.abs(P @ A + A.T @ P).max() < 1e-12 * np.abs(P @ A).max()


def test_three_states_are_the_four_without_the_position():
    """Speed is i w times position at every frequency, and of the four states three are seen in the
    speed.
    """
    f = np.geomspace(0.1, 500.0, 40)
    position, speed = FULL.four_states().response(f), FULL.three_states().response(f)
    np.testing.assert_allclose(speed, 2j * np.pi * f[:, None, None] * position, rtol=1e-9)
    T = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1 / FULL.drive.gear_ratio, 0, -1, 0]])  # x3 of x4
    np.testing.assert_allclose(
        T @ FULL.four_states().A, FULL.three_states().A @ T, rtol=1e-12, atol=1e-12
    )
    np.testing.assert_array_equal(FULL.three_states().C, [[1, 0, 0]])


def test_zeros_and_poles_without_damping_are_both_frequencies():
    """A still motor leaves the link its antiresonance; motor and link against each other have the
    resonance.
    """
    zeros, poles = BARE.three_states().zeros, BARE.three_states().poles
    np.testing.assert_allclose(
        zeros, 2j * np.pi * BARE.antiresonance * np.array([-1, 1]), atol=1e-6
    )
    np.testing.assert_allclose(
        poles[1:], 2j * np.pi * BARE.resonance * np.array([-1, 1]), atol=1e-6
    )
    np.testing.assert_allclose(BARE.four_states().zeros, zeros, atol=1e-6)


def test_dip_and_peak_of_the_response():
    """S003's identified axis: gain dips at 18.16 Hz and peaks at 23.99 Hz, damping and all."""
    axis, f = identified(irb.load("irb1400")), np.linspace(15.0, 28.0, 13001)
    gain = np.abs(axis.three_states().response(f)[:, 0, 0])
    assert f[gain.argmin()] == pytest.approx(18.163, abs=2e-3)
    assert f[gain.argmax()] == pytest.approx(23.986, abs=2e-3)


def test_scipy_and_python_control_take_the_models():
    """Both packages find the same poles and the same response."""
    f = np.array([1.0, 17.0, 60.0])
    for model in (FULL.four_states(), FULL.three_states()):
        answer = model.response(f)[:, 0, 0]
        for theirs in (model.state_space(), scipy.signal.StateSpace(*model)):
            t, y = scipy.signal.impulse(theirs, T=np.linspace(0.0, 0.1, 21))
            expected = [(model.C @ scipy.linalg.expm(model.A * time) @ model.B)[0, 0] for time in t]
            # both of matrix exponentials
            np.testing.assert_allclose(y, expected, rtol=1e-9, atol=1e-9 * np.abs(expected).max())
        system = control.ss(*model)
        np.testing.assert_allclose(
            np.sort_complex(system.poles()), np.sort_complex(model.poles), rtol=1e-9, atol=1e-9
        )
        np.testing.assert_allclose(system(2j * np.pi * f), answer, rtol=1e-9)
        np.testing.assert_allclose(
            np.sort_complex(system.zeros()), np.sort_complex(model.zeros), rtol=1e-8
        )


def test_zeros_with_feed_through():
    """(s + 2) / (s + 5) has its zero at -2, and two outputs of one input have no zeros to speak
    of.
    """
    model = LinearModel(
        np.array([[-5.0]]), np.array([[1.0]]), np.array([[-3.0]]), np.array([[1.0]])
    )
    np.testing.assert_allclose(model.zeros, [-2.0])
    np.testing.assert_allclose(model.response(1.5), [[(3j * np.pi + 2) / (3j * np.pi + 5)]])
    with pytest.raises(irb.InputError, match="as many outputs as inputs"):
        _ = LinearModel(np.eye(1), np.eye(1), np.ones((2, 1)), np.zeros((2, 1))).zeros


def test_one_frequency_gives_one_matrix():
    """Leading axes of the frequencies go through; an integrator has no response at 0 Hz."""
    assert BARE.four_states().response(3.0).shape == (1, 1)
    assert BARE.four_states().response(np.ones((2, 3))).shape == (2, 3, 1, 1)
    integrator = LinearModel(np.zeros((1, 1)), np.eye(1), np.eye(1), np.zeros((1, 1)))
    np.testing.assert_allclose(integrator.response(1.0), 1 / (2j * np.pi))
    with pytest.raises(irb.InputError, match="no bound"):
        integrator.response([0.0, 1.0])


@pytest.mark.parametrize("frequency", [-1.0, [1.0, np.nan], np.inf, "fast"])
def test_frequencies_are_checked(frequency):
    """Negative, endless and no frequencies are refused."""
    with pytest.raises(irb.InputError, match=r"frequencies \[Hz\]"):
        BARE.four_states().response(frequency)


@pytest.mark.parametrize(
    ("drive", "inertia", "words"),
    [
        (Drive(), 6.0, "finite stiffness"),
        (None, 6.0, "finite stiffness"),
        (Drive(8e4, 5.0, backlash=1e-3), 6.0, "linear"),
        (Drive(8e4, 5.0, hardening=1e9), 6.0, "linear"),
        (Drive(8e4, 5.0), 0.0, "positive"),
        (Drive(8e4, 5.0), math.nan, "positive"),
    ],
)
def test_what_is_not_two_masses_is_refused(drive, inertia, words):
    """A one-axis model needs a linear spring between two masses."""
    with pytest.raises(irb.InputError, match=words):
        OneAxis(drive, inertia)


def test_only_axis_1_of_the_1400_is_identified():
    """Nobody has published another two-mass model of these robots."""
    for robot, axis in (("irb1400", 2), ("irb2400", 1)):
        with pytest.raises(irb.MissingData, match="no two-mass model of axis"):
            identified(irb.load(robot), axis)
    for axis in (0, 7, "1"):
        with pytest.raises(
            irb.InputError, match=r"an axis of irb1[0-9]* must be a whole number, 1 to 6"
        ):
            identified(irb.load("irb1400"), axis)
