"""The sampled loop: what acts when, what is read, and what is kept when something goes wrong."""

from functools import partial

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.control import (
    AxisReference,
    Gains,
    Measured,
    PidGains,
    PidMemory,
    computed_torque,
    follow,
    hold,
    pid,
    run_loop,
    sampled,
    task_inverse_dynamics,
    tcp_along,
    tcp_hold,
    tcp_of,
)
from irbmodels.simulation import SimulationError
from irbmodels.trajectory import arc, line, move

ROBOT = irb.load("irb930")
START, END = np.array([0.3, -0.8, -0.1, 0.5]), np.array([-0.6, 1.1, -0.25, -1.0])
REFERENCE = follow(move(START, END, duration=0.8))
LAW = partial(computed_torque, gains=Gains.of(20.0))


def test_error_shrinks_with_the_period():
    """A sampled law tends to the continuous one, whose error is zero: four times the rate, a
    quarter of the error.
    """
    worst = [
        np.abs(run_loop(ROBOT, LAW, REFERENCE, 0.8, period=T)["error"]).max()
        for T in (0.008, 0.002)
    ]
    assert worst[0] < 5e-3
    assert worst[1] == pytest.approx(worst[0] / 4.0, rel=0.35)


def test_run_has_its_columns():
    """Samples stand at whole periods, torques act from their sample on, and every column has its
    unit.
    """
    run = run_loop(ROBOT, LAW, REFERENCE, 0.4, period=0.01)
    np.testing.assert_allclose(run.t, np.arange(41) * 0.01, atol=1e-12)
    np.testing.assert_allclose(run.q[0], START)
    np.testing.assert_allclose(run.tau, run["tau_wanted"], rtol=0, atol=1e-12)
    # trapezoids of 10 ms: 2e-5 off at a jerk of 200 rad/s^3
    moved = 0.005 * (run.v[1:] + run.v[:-1])
    np.testing.assert_allclose(run.q[1:] - run.q[:-1], moved, rtol=0, atol=1e-4)
    np.testing.assert_allclose(run.a[:-1] * 0.01, np.diff(run.v, axis=0), atol=1e-12)
    np.testing.assert_allclose(run["q_wanted"] - run.q, run["error"], atol=1e-15)
    np.testing.assert_allclose(run["v_wanted"], [REFERENCE(t).v for t in run.t], atol=1e-15)
    np.testing.assert_array_equal(run["q_read"], run.q)
    assert run.units["error"] == "rad"
    assert run.notes["period"] == 0.01
    assert not np.isnan(run.tau).any()


def test_law_sees_what_is_measured_and_its_own_model():
    """A law is called with the state read, the reference at that time and the controller's
    model.
    """
    other = irb.load("irb930", parameters="cad_scaled")
    seen = []

    def law(state, reference, model):
        seen.append((state, reference, model))
        return model.gravity(state.q)

    run = run_loop(ROBOT, law, REFERENCE, 0.02, model=other, wrench=lambda t: np.full(6, t))
    assert len(seen) == len(run) == 6
    for k, (state, reference, model) in enumerate(seen):
        assert model is other
        np.testing.assert_array_equal(state.q, run.q[k])
        np.testing.assert_array_equal(state.wrench, np.full(6, run.t[k]))
        np.testing.assert_array_equal(reference.q, REFERENCE(run.t[k]).q)
    assert run.notes["model_parameters"] == "cad_scaled"
    np.testing.assert_array_equal(run["force"][:, 0], run.t)


def test_wrong_model_tracks_worse():
    """With the other CAD set as the controller's model the error is larger, and with feedback stays
    bounded.
    """
    other = irb.load("irb930", parameters="cad_scaled")
    right, wrong = (run_loop(ROBOT, LAW, REFERENCE, 0.8, model=model) for model in (ROBOT, other))
    assert np.abs(wrong["error"]).max() > 2.0 * np.abs(right["error"]).max()
    assert np.abs(wrong["error"]).max() < 0.2


@pytest.mark.parametrize(
    ("delay", "shift", "share"), [(0.0, 0, 1.0), (0.004, 1, 1.0), (0.01, 2, 0.5), (0.003, 0, 0.25)]
)
def test_delay_shifts_the_torque(delay, shift, share):
    """A torque acts from its sample plus the delay on, in a period as the mean of what overlaps it;
    first the start is held.
    """
    steps = list(range(20))

    def law(state, reference, model):
        return model.gravity(START) + np.array([1.0 + steps.pop(0), 0.0, 0.0, 0.0])

    run = run_loop(ROBOT, law, hold(START), 0.06, delay=delay, start=START)
    given = np.r_[np.zeros(5), 1.0 + np.arange(16)]  # none before the first
    rest = ROBOT.gravity(START)
    k = np.arange(16) + 5 - shift
    expected = share * given[k] + (1.0 - share) * given[k - 1]
    np.testing.assert_allclose(run.tau[:, 0] - rest[0], expected, rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["tau_wanted"][:, 0] - rest[0], given[5:], rtol=0, atol=1e-12)


def test_delay_destabilises():
    """A delay of three periods makes a well damped step overshoot, and one of four is more than the
    loop can bear.
    """
    goal = hold(START + np.array([0.1, 0.0, 0.0, 0.0]))
    law = partial(computed_torque, gains=Gains.of(40.0))
    over = [
        (run_loop(ROBOT, law, goal, 0.6, start=START, delay=d).q[:, 0] - START[0] - 0.1).max()
        for d in (0.0, 0.012)
    ]
    assert over[0] < 1e-3
    assert over[1] > 0.005
    with pytest.raises(SimulationError, match="times its limit; the loop may be unstable"):
        run_loop(ROBOT, law, goal, 0.6, start=START, delay=0.016)


def test_saturation_cuts_the_torque_and_says_when():
    """Torques stay within the limits; each axis that begins to be cut off is an event."""
    limit = np.array([50.0, 20.0, 200.0, 1.0])
    run = run_loop(ROBOT, LAW, hold(END), 0.4, start=START, saturation=limit)
    assert (np.abs(run.tau) <= limit + 1e-12).all()
    np.testing.assert_allclose(
        run.tau, np.clip(run["tau_wanted"], -limit, limit), rtol=0, atol=1e-12
    )
    assert {event.kind for event in run.events} == {"saturates"}
    assert (run.events[0].t, run.events[0].axis) == (0.0, 1)
    beyond = np.abs(run["tau_wanted"]) > limit
    begins = np.argwhere(beyond & ~np.r_[np.zeros((1, 4), bool), beyond[:-1]])
    assert [[round(event.t / 0.004), event.axis - 1] for event in run.events] == begins.tolist()


def test_encoders_count():
    """Positions read are whole counts, half a count off at most; speeds are differences of
    readings.
    """
    counts = np.array([1000.0, 2000.0, 5000.0, 800.0])
    run = run_loop(ROBOT, LAW, REFERENCE, 0.4, encoder_counts=counts)
    step = np.array([2 * np.pi / 1000, 2 * np.pi / 2000, 1 / 5000, 2 * np.pi / 800])
    whole = run["q_read"] / step
    np.testing.assert_allclose(whole, np.round(whole), atol=1e-9)
    assert (np.abs(run["q_read"] - run.q) <= 0.5 * step + 1e-12).all()
    assert (np.abs(run["q_read"] - run.q).max(axis=0) > 0.3 * step).all()
    np.testing.assert_allclose(run["v_read"][1:], np.diff(run["q_read"], axis=0) / 0.004, atol=1e-9)
    np.testing.assert_array_equal(run["v_read"][0], 0.0)


def test_noise_has_its_size_and_its_seed():
    """Readings differ from the truth by noise of the standard deviation asked for; one seed is one
    run.
    """
    sigma = np.array([1e-4, 2e-4, 1e-5, 3e-4])
    law = partial(computed_torque, gains=Gains.of(3.0))
    first, again, other = (
        run_loop(ROBOT, law, hold(START), duration, start=START, noise=sigma, seed=seed)
        for duration, seed in ((2.0, 1), (0.1, 1), (0.1, 2))
    )
    off = first["q_read"] - first.q
    np.testing.assert_allclose(off.std(axis=0), sigma, rtol=0.1)  # 501 samples: 3 % standard error
    np.testing.assert_array_equal(again.q, first.q[: len(again)])
    assert np.abs(other.q - again.q).max() > 0.0


def test_memory_goes_from_sample_to_sample():
    """A law with a memory gets back what it returned, and the run has it; the integral takes up
    gravity.
    """
    m = np.diag(ROBOT.mass_matrix(START))
    law = partial(pid, gains=PidGains(100.0 * m, 200.0 * m, 20.0 * m))
    run = run_loop(ROBOT, law, hold(START), 4.0, start=START, memory=PidMemory.empty(4))
    np.testing.assert_array_equal(run["memory_integral"][0], 0.0)
    grown = np.diff(run["memory_integral"], axis=0)
    np.testing.assert_allclose(grown, 200.0 * m * 0.004 * run["error"][:-1], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run["memory_integral"][-1], ROBOT.gravity(START), rtol=0, atol=0.5)


def test_stiction_holds_what_is_too_weak():
    """With friction of the arm a torque below Fs moves nothing; the friction can be a law of one's
    own.
    """
    stribeck = irb.Stribeck(np.full(4, 20.0), np.full(4, 10.0), np.full(4, 1.0), np.full(4, 0.01))

    def law(state, reference, model):
        return model.gravity(state.q) + np.array([19.0, 21.0, 0.0, 0.0])

    run = run_loop(ROBOT, law, hold(START), 0.1, start=START, friction=stribeck)
    assert (run.v[:, 0] == 0.0).all()
    assert run.v[-1, 1] > 0.0


@pytest.mark.parametrize("delay", [0.0, 0.006])
def test_sticking_and_slipping_are_events_as_of_a_simulation(delay):
    """Torques that come and go: the same axes slip and stick in the same order as integrated, each
    within a period or two.
    """
    stribeck = irb.Stribeck(
        np.array([20.0, 0.0, 20.0, 0.5]),
        np.array([15.0, 0.0, 20.0, 0.5]),
        np.ones(4),
        np.full(4, 0.01),
    )
    period, count = 0.004, 100
    pulses = np.zeros((count, 4))
    pulses[10:30, 0], pulses[20:24, 2], pulses[50:60, 0] = 40.0, -80.0, -40.0
    samples = iter(ROBOT.gravity(START) + pulses)

    def law(state, reference, model):
        return next(samples)

    run = run_loop(
        ROBOT,
        law,
        hold(START),
        (count - 2) * period,
        start=START,
        friction=stribeck,
        period=period,
        delay=delay,
    )
    torque = irb.Motion(
        period * np.arange(count) + delay, np.zeros((count, 4)), tau=ROBOT.gravity(START) + pulses
    )
    exact = irb.simulation.simulate(
        ROBOT, START, duration=run.t[-1], torque=torque, friction=stribeck
    )
    for axis in (1, 3, 4):
        mine, its = run.of_axis(axis), exact.of_axis(axis)
        assert [event.kind for event in mine] == [event.kind for event in its]
        np.testing.assert_allclose(
            [event.t for event in mine], [event.t for event in its], rtol=0, atol=2.0 * period
        )
    assert [event.kind for event in run.of_axis(1)] == ["slips", "sticks"]
    assert [event.kind for event in run.of_axis(3)] == ["slips", "sticks"]
    assert not run.of_axis(2)
    assert [event.t for event in run.events] == sorted(event.t for event in run.events)


def test_tcp_reference_has_its_error():
    """A task law holds the TCP on a straight line, and the run says how far off the true arm is."""
    start = ROBOT.pose(START).homogeneous
    end = start.copy()
    end[:3, 3] += [-0.2, 0.1, -0.05]
    law = partial(task_inverse_dynamics, gains=Gains.of(25.0))
    run = run_loop(ROBOT, law, tcp_along(line(start, end), 0.8), 1.2, start=START)
    assert np.abs(run["tcp_error"]).max() < 2e-3
    assert np.linalg.norm(run["tcp_error"][-1]) < 1e-5
    np.testing.assert_allclose(ROBOT.pose(run.q[-1]).translation, end[:3, 3], atol=1e-5)
    assert run.units["turn_error"] == "rad"


def test_references_have_the_derivatives_they_say():
    """Speeds and accelerations of sampled, followed and TCP references are slopes of their
    positions; before and after, rest.
    """
    trajectory = move(START, END, duration=0.8)
    h = 1e-6
    for at in (follow(trajectory, begin=0.1), sampled(trajectory.sample(200.0))):
        for t in (0.2, 0.5, 0.733):
            before, here, after = at(t - h), at(t), at(t + h)
            np.testing.assert_allclose((after.q - before.q) / (2 * h), here.v, rtol=0, atol=1e-7)
            np.testing.assert_allclose((after.v - before.v) / (2 * h), here.a, rtol=0, atol=1e-6)
        for t, q in ((-1.0, START), (2.0, END)):
            np.testing.assert_allclose(at(t).q, q, atol=1e-12)
            np.testing.assert_array_equal([at(t).v, at(t).a], 0.0)
    np.testing.assert_allclose(
        sampled(trajectory.sample(200.0))(0.3).q, trajectory.at(0.3).q, rtol=0, atol=1e-7
    )
    there = ROBOT.pose(END)
    bow = arc(
        ROBOT.pose(START), ROBOT.pose(START).translation + np.array([-0.1, 0.3, -0.05]), there
    )
    for at in (
        tcp_of(follow(trajectory), ROBOT),
        tcp_along(line(ROBOT.pose(START), there), 0.8),
        tcp_along(bow, 0.8),
    ):
        for t in (0.2, 0.5):
            before, here, after = at(t - h), at(t), at(t + h)
            slope = (after.pose - before.pose) / (2 * h)
            np.testing.assert_allclose(slope[:3, 3], here.twist[:3], rtol=0, atol=1e-7)
            spin = slope[:3, :3] @ here.pose[:3, :3].T
            np.testing.assert_allclose(
                [spin[2, 1], spin[0, 2], spin[1, 0]], here.twist[3:], rtol=0, atol=1e-7
            )
            np.testing.assert_allclose(
                (after.twist - before.twist) / (2 * h), here.acceleration, rtol=0, atol=1e-6
            )
        np.testing.assert_allclose(at(9.0).pose, there.homogeneous, atol=1e-12)
        np.testing.assert_array_equal([at(9.0).twist, at(-1.0).acceleration], 0.0)


def test_references_rest_before_and_after_laws_that_jump():
    """Before and after a law whose acceleration jumps at its ends speed and acceleration are zero,
    within it they are not.
    """
    path = line(ROBOT.pose(START), ROBOT.pose(END))
    axes, tcp = (
        follow(move(START, END, "cubic", duration=0.8), begin=0.1),
        tcp_along(path, 0.8, "cubic", begin=0.1),
    )
    for t in (0.0, 0.9 + 1e-9, 5.0):
        np.testing.assert_array_equal([axes(t).v, axes(t).a], 0.0)
        np.testing.assert_array_equal([tcp(t).twist, tcp(t).acceleration], 0.0)
    for t in (0.1 + 1e-9, 0.9 - 1e-9):
        assert np.abs(axes(t).a).min() > 0.1
        assert np.linalg.norm(tcp(t).acceleration) > 0.1


@pytest.mark.parametrize("law", ["cubic", "s_curve"])
@pytest.mark.parametrize("begin", [0.0, 0.3, 86400.3])
def test_references_end_at_rest_whatever_rounding_does(law, begin):
    """At times that miss the end by rounding every reference has a speed of exactly 0."""
    swing = move(START, END, law, duration=0.8)
    samples = swing.sample(10.0)
    references = [
        follow(swing, begin=begin),
        sampled(samples._replace(t=begin + samples.t)),
        tcp_along(line(ROBOT.pose(START), ROBOT.pose(END)), 0.8, law, begin=begin),
    ]
    for end in (begin, begin + 0.8):
        for t in (np.nextafter(end, -1.0), end, np.nextafter(end, 1e9)):
            for reference in references:
                assert not np.any(reference(t)[1]), (t, reference)


# --- errors


def test_nan_torque_names_its_time_and_keeps_the_rest():
    """A law that returns NaN stops the loop at that time; all samples until then are kept, that one
    included.
    """

    def law(state, reference, model):
        tau = LAW(state, reference, model)
        return tau * np.nan if reference.v[0] and state.q[0] < 0.1 else tau

    whole = run_loop(ROBOT, LAW, REFERENCE, 0.8)
    k = int(np.argmax(whole.q[:, 0] < 0.1))
    with pytest.raises(
        SimulationError, match=rf"at t = {whole.t[k]:.9g} s: the law's torque .* finite numbers"
    ) as caught:
        run_loop(ROBOT, law, REFERENCE, 0.8)
    kept = caught.value.run
    assert caught.value.t == whole.t[k]
    assert len(kept) == k + 1
    np.testing.assert_array_equal(kept.q, whole.q[: k + 1])
    np.testing.assert_array_equal(kept.tau[:-1], whole.tau[:k])
    assert np.isnan(kept["tau_wanted"][-1]).all()


def test_unreachable_target_names_its_time():
    """A line that leaves the workspace stops where it leaves it, and so does a SCARA whose tool
    should lean.
    """
    start = ROBOT.pose(START).homogeneous
    away = start.copy()
    away[:2, 3] *= 1.5
    law = partial(task_inverse_dynamics, gains=Gains.of(25.0), near=0.02)
    with pytest.raises(SimulationError, match="the target cannot be reached") as caught:
        run_loop(ROBOT, law, tcp_along(line(start, away), 1.0), 1.0, start=START)
    reach = 0.560 + 0.490
    goal = tcp_along(line(start, away), 1.0)
    assert (
        np.linalg.norm(goal(caught.value.t).pose[:2, 3])
        > reach
        >= np.linalg.norm(goal(caught.value.t - 0.004).pose[:2, 3])
    )
    assert len(caught.value.run) == round(caught.value.t / 0.004) + 1
    above = start.copy()
    above[2, 3] += 0.15  # axis 3 would stand at 50 mm
    with pytest.raises(SimulationError, match=r"at t = 0 s: the target cannot be reached: .*range"):
        run_loop(ROBOT, law, tcp_hold(above), 1.0, start=START)
    leaning = start.copy()
    leaning[:3, :3] = np.array([[1, 0, 0], [0, 0, 1], [0, -1, 0]]) @ start[:3, :3]
    with pytest.raises(SimulationError, match=r"at t = 0 s: the target cannot be reached"):
        run_loop(ROBOT, law, tcp_hold(leaning), 1.0, start=START)


def test_too_long_a_period_names_its_time():
    """Gains that the period cannot carry end in one clear error with what happened until then, not
    in numbers without end.
    """
    law = partial(computed_torque, gains=Gains.of(60.0))
    with pytest.raises(
        SimulationError, match=r"the loop may be unstable.*period shorter than 50 ms"
    ) as caught:
        run_loop(ROBOT, law, hold(START + 0.05), 5.0, start=START, period=0.05)
    assert 0.0 < caught.value.t < 2.0
    assert len(caught.value.run) >= 2
    assert np.isfinite(caught.value.run.q).all()
    short = run_loop(ROBOT, law, hold(START + 0.05), 0.6, start=START, period=0.002)
    np.testing.assert_allclose(short.q[-1], START + 0.05, atol=1e-6)


def test_what_a_law_raises_is_kept_as_its_cause():

    def law(state, reference, model):
        raise KeyError("gain")

    with pytest.raises(SimulationError, match="at t = 0 s: KeyError: 'gain'") as caught:
        run_loop(ROBOT, law, REFERENCE, 0.1)
    assert isinstance(caught.value.__cause__, KeyError)
    with pytest.raises(SimulationError, match="at t = 0 s: kp must not be negative"):
        run_loop(ROBOT, partial(computed_torque, gains=Gains(-1.0, 1.0)), REFERENCE, 0.1)


def test_laws_keep_nothing():
    q, v = START.copy(), np.ones(4)
    goal = AxisReference(END.copy(), np.ones(4), np.zeros(4))
    first, second = (LAW(Measured(q, v), goal, ROBOT) for _ in range(2))
    np.testing.assert_array_equal(first, second)
    np.testing.assert_array_equal(q, START)
    np.testing.assert_array_equal(goal.q, END)


def test_notes_tell_what_the_loop_was():
    robot = irb.load("irb2400")
    tooled = robot.with_tool("spindle")
    start = robot.from_controller([0, 20, 10, 0, 30, 0])
    law = partial(computed_torque, gains=Gains.of(10.0))
    run = run_loop(tooled, law, hold(start), 0.02, model=robot, encoder_counts=4096, noise=1e-5)
    notes = {"tool": "spindle", "model_tool": None, "encoder_counts": 4096, "noise": 1e-5}
    assert notes.items() <= run.notes.items()


def test_a_law_that_writes_into_its_state_moves_nothing():
    """What a law gets is its own copy: the arm stays where its gravity is held."""
    robot = irb.load("irb930")
    start = robot.from_controller([20, -60, -50, 30])

    def law(state, reference, model):
        tau = model.gravity(state.q)
        state.q[0] += 0.01
        state.v[0] += 1.0
        return tau

    run = run_loop(robot, law, hold(start), 0.05)
    np.testing.assert_allclose(run.q, np.tile(start, (len(run), 1)), rtol=0, atol=1e-9)
