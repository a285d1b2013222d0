"""Coupled wrists: friction acts on motors, which may stick while their axes move."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from simulated import TIGHT, check_energy, posture, smooth_torque, wrist

import irbmodels as irb
from irbmodels.simulation import LuGre, Plant, Regularised, rollouts, simulate
from irbmodels.simulation.drives import DriveCoordinates

TURNS, ROTORS = -0.6, np.array([0.3, 0.05])
LAW = irb.Stribeck(*np.array([[3.0, 1.5], [2.0, 0.9], [0.4, 0.3], [0.3, 0.2]]))
EVENTS = ("sticks", "slips")


@pytest.fixture
def coupled(tmp_path):
    """Return the wrist with rotors."""
    return wrist(tmp_path, TURNS, rotors=ROTORS)


@pytest.fixture(scope="module")
def coupled_arm():
    """Return the IRB 2400 with a wrist whose motors 5 and 6 turn with the axes before."""
    arm, D = irb.load("irb2400", tool="spindle"), np.eye(6)
    D[4, 3], D[5, 3], D[5, 4] = 0.5, -0.25, 0.75
    return arm.with_drives(D)


class Motors:
    """The wrist in motor coordinates ``(x1, x2) = (q1, q2 + k q1)``, by Lagrange's equations.

    ``2 T = (0.5 + J1) x1'^2 + 0.2 (x2' - k x1')^2 + J2 x2'^2``, and motor 2 alone may stick.
    """

    def __init__(self, torque):
        k, (J1, J2) = TURNS, ROTORS
        self.M = np.array([[0.5 + 0.2 * k * k + J1, -0.2 * k], [-0.2 * k, 0.2 + J2]])
        self.torque = torque  # of the axes, of time

    def load(self, t, x, u, sign):
        """Torques without friction of motor 2."""
        tau = self.torque(t)
        weight = -4.0 * 9.81 * 0.3 * np.cos(x[0])
        fall = 1.0 * np.exp(-((u[0] / 0.3) ** 2))
        friction = (2.0 + fall) * sign + 0.4 * u[0]
        return np.array([tau[0] - TURNS * tau[1] - weight - friction, tau[1]])

    def slipping(self, t, y, sign):
        """Rates with the signs of both motors' speeds."""
        x, u = y[:2], y[2:]
        right = self.load(t, x, u, sign[0])
        right[1] -= (0.9 + 0.6 * np.exp(-((u[1] / 0.2) ** 2))) * sign[1] + 0.3 * u[1]
        return [*u, *np.linalg.solve(self.M, right)]

    def held(self, t, y, sign):
        """Rates while motor 2 sticks."""
        return [y[2], 0.0, self.load(t, y[:2], y[2:], sign[0])[0] / self.M[0, 0], 0.0]

    def holding(self, t, y, sign):
        """Torque that holds motor 2."""
        right = self.load(t, y[:2], y[2:], sign[0])
        return right[1] - self.M[1, 0] * right[0] / self.M[0, 0]


def test_motor_2_sticks_while_both_axes_move(coupled):
    """The run of a coupled wrist is that of its equations in motor coordinates: motor 2 slows down
    and sticks, axis 2 goes on with axis 1, and motor 2 slips again as its torque grows.
    """

    def torque(t):
        return np.array([4.0 - 11.0 * np.cos(2.0 * t), 6.0 * max(t - 0.35, 0.0)])

    wanted, kinds = Motors(torque), ((1.0, 1.0), (1.0, 0.0), (1.0, 1.0))

    def rest(t, y, sign):
        return y[3]

    def breaks(t, y, sign):
        return 1.5 - abs(wanted.holding(t, y, sign))

    y, t, times, pieces = np.array([0.2, -0.1 + TURNS * 0.2, 2.0, 0.25]), 0.0, [], []
    options = {"rtol": 1e-11, "atol": 1e-12, "dense_output": True}
    for sign, ends in zip(kinds, (rest, breaks, None), strict=True):
        if ends:
            ends.terminal, ends.direction = True, -1.0
        rates = wanted.slipping if sign[1] else wanted.held
        piece = solve_ivp(rates, (t, 0.8), y, args=(sign,), events=ends, **options)
        pieces.append(piece)
        t, y = piece.t[-1], piece.y[:, -1].copy()
        y[3] = 0.0 if ends is rest else y[3]
        times.append(t)
    run = simulate(
        coupled,
        [0.2, -0.1],
        [2.0, 0.25 - TURNS * 2.0],
        duration=0.8,
        torque=lambda t, q, v: torque(t),
        friction=LAW,
        max_step=2e-3,
        **TIGHT,
    )
    events = [event for event in run.events if event.kind in EVENTS]
    assert [(event.axis, event.kind) for event in events] == [(2, "sticks"), (2, "slips")]
    np.testing.assert_allclose([event.t for event in events], times[:2], rtol=0, atol=1e-8)
    stuck = (run.t > times[0]) & (run.t < times[1])
    assert stuck.sum() > 10
    assert np.abs(run.v[stuck]).min() > 0.1  # both axes move
    np.testing.assert_array_equal(run.v[stuck, 1], -TURNS * run.v[stuck, 0])
    piece = np.searchsorted(times[:2], run.t)
    exact = np.array([pieces[i].sol(t) for i, t in zip(piece, run.t, strict=True)])
    q = np.column_stack([exact[:, 0], exact[:, 1] - TURNS * exact[:, 0]])
    v = np.column_stack([exact[:, 2], exact[:, 3] - TURNS * exact[:, 2]])
    np.testing.assert_allclose(run.q, q, rtol=0, atol=1e-8)
    np.testing.assert_allclose(run.v, v, rtol=0, atol=1e-7)
    # torques along the axes: what holds motor 2 loads axis 1 too
    held = np.array([wanted.holding(t, y, (1.0, 0.0)) for t, y in zip(run.t, exact, strict=True)])
    np.testing.assert_allclose(run["friction"][stuck, 1], held[stuck], rtol=0, atol=1e-7)
    first = (2.0 + np.exp(-((exact[:, 2] / 0.3) ** 2))) + 0.4 * exact[:, 2]
    np.testing.assert_allclose(
        run["friction"][stuck, 0], (first + TURNS * held)[stuck], rtol=0, atol=1e-7
    )


def test_a_held_motor_turns_no_further_than_rounding(coupled):
    """Both axes swing under a load that motor 2 holds: ``q2 + k q1`` stays where it is."""
    run = simulate(
        coupled,
        [0.4, 0.3],
        duration=1.0,
        torque=lambda t, q, v: [-11.0 + 8.0 * np.sin(4.0 * t), 0.2 * np.sin(5.0 * t)],
        friction=LAW,
    )
    assert np.ptp(run.q[:, 0]) > 0.1
    assert np.ptp(run.q[:, 1]) > 0.06
    np.testing.assert_allclose(run.q @ [TURNS, 1.0], 0.3 + TURNS * 0.4, rtol=0, atol=1e-15)


def test_energy_balances_where_a_stop_bounds_three_motors(coupled_arm):
    """Energy, work and losses of a coupled arm balance through sticking, impacts and contacts of
    axis 6, whose stop bounds three motors.
    """
    arm, rng, kinds = coupled_arm, np.random.default_rng(0), set()
    q = posture(arm)
    q[5] = arm.limits.upper[5] - 0.01
    for _ in range(2):
        gravity, push = arm.gravity(q), smooth_torque(rng, [300, 300, 300, 60, 60, 40])
        run = simulate(
            arm,
            q,
            rng.uniform(-0.4, 0.4, 6),
            duration=0.3,
            torque=lambda t, q, v: gravity + push(t, q, v),
            rebound=0.3,
            rtol=1e-9,
            atol=1e-11,
        )
        check_energy(arm, run)
        assert arm.in_range(run.q).all()
        kinds |= {(event.axis, event.kind) for event in run.events}
    assert {kind for _, kind in kinds} >= {"sticks", "slips", "hits its stop"}
    assert (6, "hits its stop") in kinds


def test_a_sample_obeys_the_equation_of_motion(coupled_arm):
    """``M a + h = tau - D' f(D v)`` with the axes' M and h; motors whose speed is not 0 have the
    law's friction.
    """
    arm, q = coupled_arm, posture(coupled_arm)
    run = simulate(arm, q, [0.3, 0.2, -0.3, 0.4, 0.3, 0.5], duration=0.2, torque=arm.gravity(q))
    rigid = arm.inverse_dynamics(run.q, run.v, run.a, friction=False)
    np.testing.assert_allclose(rigid + run["friction"], run.tau, rtol=0, atol=1e-8)
    D = arm.drive_axes
    u, f = run.v @ D.T, np.linalg.solve(D.T, run["friction"].T).T
    moves = np.abs(u) > 1e-9
    np.testing.assert_allclose(f[moves], arm.friction_model.torque(u)[moves], rtol=1e-9, atol=1e-9)
    assert (np.abs(f) <= arm.friction_model.Fs * (1.0 + 1e-8))[~moves].all()
    assert moves.any(axis=1).all()


def test_a_run_goes_on_with_the_same_drives(coupled):
    """A coupled run that was stopped goes on to the last bit; not with other drives."""
    torque = {"torque": [-10.0, 1.0], "friction": LAW, "duration": 0.4, "max_step": 0.02}
    whole = simulate(coupled, [0.2, 0.0], [1.0, 0.5], **torque)
    part = simulate(coupled, [0.2, 0.0], [1.0, 0.5], progress=lambda t, _: t < 0.1, **torque)
    assert len(part) < len(whole)
    again = simulate(coupled, resume=part, **torque)
    for name in ("q", "v", "friction", "lost"):
        np.testing.assert_array_equal(again[name], whole[name])
    other = coupled.with_drives([[1.0, 0.0], [0.2, 1.0]])
    with pytest.raises(irb.InputError, match="does not go on with drives"):
        simulate(other, resume=part, **torque)
    with pytest.raises(irb.InputError, match="axes and drives of wrist"):
        simulate(coupled, [0.2, 0.0], switches=[(0.1, other)], **torque)


def test_coordinates_keep_power_and_kinetic_energy():
    """Torque times speed and ``v' M v`` are the same in both coordinates; identity costs nothing."""
    rng = np.random.default_rng(4)
    frame = DriveCoordinates(np.eye(3) + np.tril(rng.normal(size=(3, 3)), -1))
    v, tau, root = rng.normal(size=3), rng.normal(size=3), rng.normal(size=(3, 3))
    u, M = frame.drives(v), root @ root.T
    np.testing.assert_allclose(frame.axes(u), v, rtol=1e-14)
    np.testing.assert_allclose(frame.drive_torque(tau) @ u, tau @ v, rtol=1e-12)
    np.testing.assert_allclose(frame.axis_torque(frame.drive_torque(tau)), tau, rtol=1e-12)
    np.testing.assert_allclose(u @ frame.mass_matrix(M) @ u, v @ M @ v, rtol=1e-12)
    assert (np.triu(frame.inverse, 1) == 0.0).all()
    own = DriveCoordinates(np.eye(3))
    assert own.drives(v) is v
    assert own.mass_matrix(M) is M


@pytest.mark.parametrize("law", [lambda: Regularised(LAW, 1e-3), lambda: LuGre(LAW, 3e4, 20.0)])
def test_smooth_laws_come_near_to_stiction_of_motors(coupled, law):
    """A steep smooth law moves a coupled wrist as stiction does, motor 2 creeping where it holds."""
    start = {"torque": [-8.0, 0.3], "duration": 0.4}
    true = simulate(coupled, [0.2, 0.0], [1.5, 0.9], friction=LAW, **start)
    smooth = simulate(coupled, [0.2, 0.0], [1.5, 0.9], friction=law(), **start)
    assert any(event.axis == 2 and event.kind == "sticks" for event in true.events)
    np.testing.assert_allclose(smooth.q, true.q, rtol=0, atol=2e-3)


# --- fixed steps


def test_the_plant_comes_near_to_the_simulation(coupled):
    """The plant's error falls with its step; its motor 2 stands exactly while both axes move."""
    start, tau = ([0.2, 0.0], [1.5, 0.9]), np.array([-8.0, 0.3])
    true = simulate(coupled, *start, duration=0.3, torque=tau, friction=LAW, **TIGHT)
    errors = []
    for step in (1e-3, 2.5e-4):
        plant = Plant(coupled, friction=LAW, step=step)
        state = plant.start(*start)
        for _ in range(30):
            before, state = state, plant.advance(state, tau, 0.01)
        errors.append(np.abs(state.q - true.q[-1]).max())
        assert state.sticks.tolist() == [False, True]
        assert state.drive_speed[1] == 0.0
        assert (np.abs(state.v) > 0.05).all()
        np.testing.assert_allclose(state.v[1], -TURNS * state.v[0], rtol=1e-15)
        rigid = coupled.inverse_dynamics(state.q, state.v, state.a, friction=False)
        # at the end of a sample, means over it: what changes in 10 ms
        np.testing.assert_allclose(rigid + state.friction, tau, rtol=0, atol=0.2)
        np.testing.assert_allclose((state.v - before.v) / 0.01, state.a, rtol=1e-9)
    assert errors[1] < 0.3 * errors[0] < 1e-3


def test_a_held_wrist_stays_to_the_last_bit(coupled_arm):
    """Under gravity's torque no bit of the axes changes, although motors are a combination."""
    plant, q = Plant(coupled_arm), posture(coupled_arm) + 1.0 / 3.0
    state = plant.start(q)
    for _ in range(50):
        state = plant.advance(state, coupled_arm.gravity(q), 0.004)
        np.testing.assert_array_equal(state.q, q)
    assert state.sticks.all()


@pytest.mark.parametrize("end", [2.0, 0.1])
def test_machine_code_steps_as_the_dual_solve(tmp_path, monkeypatch, end):
    """Samples and rollouts of a coupled wrist are the same by machine code, at the stop of axis 2,
    which bounds both motors, too.
    """
    robot = wrist(tmp_path, TURNS, -end, end, ROTORS)
    rng, plants = np.random.default_rng(2), (Plant(robot, friction=LAW), Plant(robot, friction=LAW))
    q, v = rng.uniform(-0.1, 0.1, (6, 2)), rng.uniform(-2.0, 2.0, (6, 2))
    tau = [-11.0, 0.0] + rng.uniform(-1.0, 1.0, (6, 2)) * [8.0, 9.0]
    tau[::2, 1] *= 0.1  # less than motor 2 needs to slip
    batch = rollouts(robot, q, v, duration=0.2, torque=tau, every=0.02, friction=LAW)
    rests = leans = 0
    for i in range(6):
        state = plants[0].start(q[i], v[i])
        for sample in range(1, 11):
            one, other = (
                advance_by(worth, monkeypatch, plant, state, tau[i], 0.02)
                for worth, plant in zip((np.inf, 0), plants, strict=True)
            )
            for name in ("q", "v", "drive_speed", "friction", "stop"):
                np.testing.assert_allclose(
                    getattr(other, name), getattr(one, name), rtol=1e-9, atol=1e-9
                )
            assert (one.sticks == other.sticks).all()
            rests += (one.sticks != (one.v == 0.0)).any()
            leans += np.abs(one.stop).max() > 1e-3
            state = one
            np.testing.assert_allclose(batch.q[i, sample], state.q, rtol=0, atol=1e-10)
            np.testing.assert_allclose(batch.v[i, sample], state.v, rtol=0, atol=1e-8)
    assert rests > 5
    assert (leans > 5) == (end < 1.0)


def advance_by(worth, monkeypatch, plant, *args):
    """Advance a plant whose machine code is worth compiling after a number of steps."""
    monkeypatch.setattr("irbmodels.simulation.plant.WORTH", worth)
    return plant.advance(*args)
