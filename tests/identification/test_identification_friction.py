"""Friction identification of S000 (eq. 70-74): plan, log, points, law. The truth is Tab. 5, written
out in oracles.py.
"""

import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.signal
from grouped import together
from misuse import refused_in_one_line
from oracles import friction_2400

import irbmodels as irb
from irbmodels import rapid
from irbmodels.identification.friction import (
    FrictionFit,
    FrictionPoints,
    coarse_grid,
    fit_friction,
    friction_module,
    friction_plan,
    friction_points,
    friction_table,
    grid_of_s000,
)
from irbmodels.identification.friction.constant_speed_segments import constant_speed_segments
from irbmodels.identification.recordings import (
    Flag,
    Recording,
    Sensors,
    read_recording,
    simulate_log,
    simulate_tracking,
    synthetic_recording,
)

TABLE_5 = np.array(  # Fs, Fc [N m], Fv [N m s/rad], v_St [rad/s] of S000 Tab. 5
    [
        [36.3, 24.2, 11.85, 0.0085],
        [39.2, 31.2, 8.323, 0.0031],
        [25.3, 16.9, 9.3613, 0.0094],
        [19.2, 7.9, 7.1228, 0.0175],
        [39.7, 13.7, 7.2654, 0.0176],
        [17.5, 8.8, 2.323, 0.0162],
    ]
)


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400", tool="spindle")


@pytest.fixture(scope="module")
def plan(robot):
    return friction_plan(robot, 2, coarse_grid(5e-4, 0.4, 14), posture=np.zeros(6))


def strokes(plan, gravity=lambda q: 0.0 * q, noise=0.0, count=0.0, seed=0):
    """Log of a plan without any robot: friction of Tab. 5 and a gravity of our own."""
    motion, rng, i = plan.motion(), np.random.default_rng(seed), plan.axis - 1
    tau = np.zeros_like(motion.q)
    tau[:, i] = friction_2400(motion.v)[:, i] + gravity(motion.q[:, i])
    tau[:, i] += noise * rng.normal(size=len(motion.t))
    q = motion.q if not count else np.round(motion.q / count + 0.3) * count
    return Recording(motion.t, q, tau=tau)


@pytest.fixture(scope="module")
def log(plan):
    """A log without gravity or noise."""
    return strokes(plan)


def points_of(speeds, truth, sigma=0.1, seed=0, axis=1):
    """Points of a law, with noise that is known."""
    speeds = np.asarray(speeds)
    Fs, Fc, Fv, v_St = truth
    F = Fc + (Fs - Fc) * np.exp(-((speeds / v_St) ** 2)) + Fv * speeds
    if sigma:
        F = F + np.random.default_rng(seed).normal(0.0, sigma, speeds.size)
    deviation, samples = np.full(speeds.size, sigma), np.full(speeds.size, 99)
    return FrictionPoints(
        axis, False, speeds, F + 5.0, -F + 5.0, F, deviation, 0.0 * speeds, samples, {}
    )


@pytest.fixture(scope="module")
def many_fits():
    """Fits of 250 draws of points with known noise."""
    speeds = np.geomspace(1e-3, 0.5, 25)
    return [fit_friction(points_of(speeds, TABLE_5[0], seed=seed)) for seed in range(250)]


# --- the plan


def test_the_grid_of_equation_74():
    """1499 + 925 + 301 speeds from 1e-5 to 0.5 rad/s with the three steps of the paper (ERRATA note
    D).
    """
    grid = grid_of_s000()
    assert grid.size == 2725
    assert grid[0] == pytest.approx(1e-5)
    assert grid[-1] == pytest.approx(0.5)
    steps = np.diff(grid)
    for low, high, step in ((0.0, 0.015, 1e-5), (0.015, 0.2, 2e-4), (0.2, 0.5, 1e-3)):
        inside = (grid[:-1] > low - 1e-9) & (grid[:-1] < high - 1e-9)
        np.testing.assert_allclose(steps[inside], step, rtol=1e-6)


def test_the_cost_in_time_is_that_of_the_motion(plan, robot):
    """What a grid costs is the length of its motion; the paper's takes hours, a coarse one
    minutes.
    """
    motion = plan.motion(100.0)
    assert motion.t[-1] == pytest.approx(plan.duration, abs=0.011)
    # pause, steady part, two ramps at 1 rad/s^2
    by_hand = sum(2.0 * (0.5 + max(2e-3, v) / v + 2.0 * v) for v in plan.speeds)
    ways = np.diff([max(2e-3, v) + v**2 for v in plan.speeds]) / 2.0
    # a quintic to the next start, whose peak is 10/sqrt(3) way / time^2
    by_hand += np.sqrt(10.0 / np.sqrt(3.0) * ways).sum()
    assert plan.duration == pytest.approx(by_hand)
    whole = friction_plan(robot, 1, grid_of_s000(), posture=np.zeros(6))
    assert 3.0 < whole.duration / 3600.0 < 3.2
    assert f"2725 speeds 1e-05 .. 0.5 rad/s, both ways, {whole.duration / 3600.0:.2f} h" in str(
        whole
    )


def test_the_motion_is_one_with_its_derivatives(plan):
    """Speeds and accelerations are those of the positions; each speed is held both ways; the others
    stand.
    """
    motion, i = plan.motion(1000.0), 1
    dt = 1e-3
    np.testing.assert_allclose(
        np.gradient(motion.q[:, i], dt)[1:-1], motion.v[1:-1, i], atol=0.6 * dt
    )  # ramps of 1 rad/s^2 have corners
    np.testing.assert_allclose(np.cumsum(motion.a[:, i]) * dt, motion.v[:, i], atol=30 * dt)
    for speed, travel in zip(plan.speeds, plan.travel, strict=True):
        for sign in (1.0, -1.0):
            held = np.isclose(motion.v[:, i], sign * speed, rtol=1e-9, atol=0.0) & (
                motion.a[:, i] == 0.0
            )
            assert held.sum() * dt * speed == pytest.approx(travel, abs=3 * dt * speed)
    assert motion.q[:, i].max() == pytest.approx(0.5 * plan.stroke.max())
    assert motion.q[:, i].min() == pytest.approx(-0.5 * plan.stroke.max())
    others = [0, 2, 3, 4, 5]
    assert not motion.v[:, others].any()
    np.testing.assert_array_equal(motion.q[:, others], 0.0)


@pytest.mark.parametrize("rate", [20.0, 250.0, 333.3])
def test_the_motion_rests_between_its_strokes_and_at_its_end(robot, rate):
    """The last sample is the end; in every pause and at the end the speed is exactly 0, wherever
    the samples are.
    """
    plan = friction_plan(robot, 1, [0.05, 0.1, 0.2, 0.4, 0.8], posture=np.zeros(6))
    motion = plan.motion(rate)
    assert motion.t[-1] == plan.duration
    assert not motion.v[[0, -1]].any()
    start = 0.0
    for seconds, between in zip(plan.seconds, plan.between, strict=True):
        start += between
        for _ in range(2):
            pause = (motion.t >= start - 1e-9) & (motion.t <= start + plan.pause + 1e-9)
            assert not motion.v[pause].any()
            start += plan.pause + seconds


@pytest.mark.parametrize(
    ("name", "axis"),
    [
        *(("irb2400", axis) for axis in (1, 4, 5, 6)),
        *(("irb1400", axis) for axis in (1, 5)),
        *(("irb1600", axis) for axis in (4, 6)),
    ],
)
def test_gravity_vanishes_where_it_can(name, axis):
    """Axes 1 and 4 to 6 are posed so that they carry nothing along the stroke: the potential energy
    does not change.
    """
    arm = irb.load(name, tool="spindle" if name == "irb2400" else None)
    plan = friction_plan(arm, axis)
    ends = np.tile(plan.posture, (9, 1))
    ends[:, axis - 1] += np.linspace(-0.5, 0.5, 9) * plan.stroke.max()
    assert arm.limits.in_range(ends).all()
    energies = [arm.energy(q, np.zeros(6)).potential for q in ends]
    assert np.ptp(energies) < 1e-4  # [J]; a millimetre of the spindle is 0.12 J
    assert "no gravity on the axis" in str(plan)


@pytest.mark.parametrize("axis", [2, 3])
def test_gravity_that_stays_is_stated(robot, axis):
    """Axes 2 and 3 lie flat: what is left is the slope of the potential energy, less than in the
    zero posture, and it is said.
    """
    plan = friction_plan(robot, axis)
    places = np.linspace(-0.5, 0.5, 9) * plan.stroke.max()
    h = 1e-5

    def slope(shift, posture):
        q = np.tile(posture, (2, 1))
        q[:, axis - 1] += shift + np.array([-h, h])
        low, high = (robot.energy(x, np.zeros(6)).potential for x in q)
        return (high - low) / (2.0 * h)

    left = np.array([slope(shift, plan.posture) for shift in places])
    np.testing.assert_allclose(plan.gravity, left, atol=1e-3)
    assert np.abs(left).max() < np.abs([slope(shift, np.zeros(6)) for shift in places]).max()
    low, high = re.search(r"gravity (\S+) \.\. (\S+) N m stays", str(plan)).groups()
    assert float(low) == pytest.approx(left.min(), rel=0.01)
    assert float(high) == pytest.approx(left.max(), rel=0.01)
    assert not irb.collides(robot, plan.posture)


def test_a_linear_axis_is_planned_in_metres():
    """Axis 3 of the SCARA: gravity is the same everywhere and stays."""
    plan = friction_plan(irb.load("irb930"), 3, coarse_grid(1e-4, 0.05, 8), slide=5e-4)
    assert "m/s" in str(plan)
    assert re.search(r"gravity \S+ \.\. \S+ N stays", str(plan))
    assert np.ptp(plan.gravity) < 1e-9
    assert abs(plan.gravity[0]) > 1.0


@together(
    "arguments, words",
    [
        ({"axis": 7}, "axis must be a whole number, 1 to 6, got 7"),
        ({"axis": 2, "speeds": [0.1, 3.0]}, "3 is above the speed limit of axis 2, 2.618"),
        ({"axis": 2, "speeds": [-0.1, 0.1]}, "speeds are positive numbers"),
        ({"axis": 2, "speeds": [0.1, np.nan]}, "speeds are positive numbers"),
        ({"axis": 3, "speeds": [1.0], "steady": 4.0}, r"do not fit into the range of q3 - q2"),
        (
            {"axis": 2, "speeds": [0.5], "posture": np.radians([0.0, 108.0, 108.0, 0.0, 0.0, 0.0])},
            "do not fit: axis 2",
        ),
        ({"axis": 2, "slide": 0.0}, r"slide \[rad, m\] must be a positive finite number, got 0.0"),
        (
            {"axis": 2, "acceleration": np.inf},
            "acceleration of the ramps .* must be a positive finite number, got inf",
        ),
        ({"axis": 2, "posture": [0.0, 90.0, 0.0, 0.0, 0.0, 0.0]}, "are these deg"),
    ],
)
def test_plans_that_do_not_fit_are_refused(robot, arguments, words):
    refused_in_one_line(lambda: friction_plan(robot, **arguments), words)


def test_strokes_that_turn_two_motors_are_refused(robot):
    """Motor 6 turns with axis 5: strokes of axis 5 measure both, those of axis 6 its own alone."""
    D = np.eye(6)
    D[5, 4] = 0.75
    coupled = robot.with_drives(D)
    refused_in_one_line(lambda: friction_plan(coupled, 5), "axis 5 of .* turns drives 5, 6")
    plans = [friction_plan(one, 6, [0.1]) for one in (coupled, robot)]
    np.testing.assert_array_equal(plans[0].posture, plans[1].posture)


@pytest.mark.parametrize("rate", [1e6, 0.0, np.nan])
def test_rates_that_cannot_be_are_refused(robot, rate):
    """The paper's grid at a megahertz is ten billion samples, and no rate is negative."""
    whole = friction_plan(robot, 1, grid_of_s000(), posture=np.zeros(6))
    words = r"a rate .* is positive and .* hold at most 5e7 samples"
    refused_in_one_line(lambda: whole.motion(rate), words)


# --- Tab. 5 comes back


@pytest.mark.parametrize("axis", range(1, 7))
def test_table_5_comes_back_from_a_log(robot, axis):
    """Noise-free, from the model's torques along the planned motion: all four numbers of each axis
    to 1e-6 of their size.
    """
    posture = np.radians([0.0, 10.0, 10.0, 20.0, 30.0, 40.0])
    plan = friction_plan(robot, axis, coarse_grid(5e-4, 0.4, 14), posture=posture)
    log = synthetic_recording(robot, plan.motion(), controller=False)
    points = friction_points(log, axis, plan.speeds)
    np.testing.assert_allclose(points.speed, plan.speeds, rtol=1e-7)
    fit = fit_friction(points)
    np.testing.assert_allclose(fit.values, TABLE_5[axis - 1], rtol=1e-6)
    assert fit.points.synthetic
    assert fit.findings == ()


def test_gravity_cancels_at_equal_places(plan):
    """562 N m of gravity (ERRATA note C) beside 31 of friction leaves no trace in friction, and
    comes out beside it.
    """
    points = friction_points(strokes(plan, lambda q: -562.0 * np.sin(q + 0.7)), 2)
    np.testing.assert_allclose(
        points.friction, friction_2400(np.outer(plan.speeds, np.ones(6)))[:, 1], rtol=1e-7
    )
    np.testing.assert_allclose(points.gravity, -562.0 * np.sin(points.position + 0.7), rtol=1e-7)
    np.testing.assert_allclose(points.forward - points.backward, 2.0 * points.friction)


def test_strokes_that_only_overlap_are_paired_where_they_do(plan, log):
    """Forwards over other places than backwards: torques are compared at the same ones (eq. 73),
    not on average.
    """
    forward = log.q[:, 1] + 0.05 * np.maximum(plan.motion().v[:, 1], 0.0)
    log = log.changed(
        q=np.column_stack([log.q[:, 0], forward, log.q[:, 2:]]),
        tau=log.tau + np.eye(6)[1] * 300.0 * forward[:, None],
    )
    points = friction_points(log, 2, tolerance=1e-7)
    expected = friction_2400(np.outer(points.speed, np.ones(6)))[:, 1]
    assert len(points.speed) > 8
    np.testing.assert_allclose(points.friction, expected, rtol=1e-6)


def test_intervals_hold_the_truth(plan):
    """Noise of 2 N m and an encoder of 2^20 counts, over many logs: 95 % intervals hold Tab. 5 in
    95 % of the cases.
    """
    small = friction_plan(
        plan.robot, 2, np.geomspace(1e-3, 0.3, 10), posture=np.zeros(6), slide=1e-3, steady=0.4
    )
    noisy = {"noise": 2.0, "count": 2.0 * np.pi / 2**20}
    logs = [
        strokes(small, lambda q: -200.0 * np.sin(q + 0.3), **noisy, seed=seed) for seed in range(24)
    ]
    fits = [fit_friction(friction_points(log, 2)) for log in logs]
    low, high = np.array([fit.intervals() for fit in fits]).transpose(2, 0, 1)
    held = ((low < TABLE_5[1]) & (TABLE_5[1] < high)).mean(axis=0)
    assert (held >= 0.8).all()  # of 24 at 95 %: fewer than 20 once in 150
    # of 24: +-14 %; deviations are widened, never narrowed
    scatter = np.std([fit.values for fit in fits], axis=0)
    ratio = scatter / np.mean([fit.deviation for fit in fits], axis=0)
    assert ((ratio > 0.6) & (ratio < 1.3)).all()


def test_intervals_of_points_are_as_wide_as_they_say(many_fits):
    """Points with known noise, 250 draws: coverage of each parameter within 3 standard deviations
    of 95 %.
    """
    low, high = np.array([fit.intervals() for fit in many_fits]).transpose(2, 0, 1)
    held = ((low < TABLE_5[0]) & (TABLE_5[0] < high)).mean(axis=0)
    # sqrt(0.95 0.05 / 250) = 1.4 %, and the law is not linear
    assert (np.abs(held - 0.95) < 0.04).all()


def test_a_simulated_arm_with_stiction_gives_its_law(robot):
    """A controller, true stiction, encoders and noise: the friction of the simulated arm is found
    within its intervals.
    """
    arm = robot.with_rotors(
        [8.0, 8.0, 8.0, 5.0, 5.0, 5.0]
    )  # with less, the feedback cannot brake where friction falls: stick-slip
    plan = friction_plan(
        arm, 6, np.geomspace(0.004, 0.3, 6), slide=2e-3, steady=0.35, pause=0.1, acceleration=2.0
    )
    run = simulate_tracking(arm, plan.motion(90.0), bandwidth=12.0)
    fit = fit_friction(
        friction_points(
            simulate_log(run, Sensors(counts=2**20, torque_noise=0.3), seed=1), 6, plan.speeds
        )
    )
    assert (np.abs(fit.values - TABLE_5[5]) < 4.0 * fit.deviation).all()
    assert np.abs(fit.values / TABLE_5[5] - 1.0)[[0, 1, 3]].max() < 0.05
    assert fit.points.synthetic


def test_stick_slip_is_no_constant_speed(robot):
    """A soft controller sticks and slips at slow speeds: these are named, and what is held is right
    all the same.
    """
    arm = robot.with_rotors([8.0, 8.0, 8.0, 1.0, 1.0, 1.0])
    plan = friction_plan(
        arm,
        6,
        np.array([0.008, 0.05, 0.1, 0.2]),
        slide=2e-3,
        steady=0.2,
        pause=0.05,
        acceleration=3.0,
    )
    points = friction_points(
        simulate_log(
            simulate_tracking(arm, plan.motion(90.0), bandwidth=12.0), Sensors(counts=2**20)
        ),
        6,
        plan.speeds,
    )
    assert any(
        "planned speeds were not held: 0.008" in finding.message for finding in points.findings
    )
    np.testing.assert_allclose(
        points.friction, friction_2400(np.outer(points.speed, np.ones(6)))[:, 5], rtol=0.02
    )


# --- stretches and points


def test_segments_are_the_constant_speeds(plan, log):
    """Every planned speed both ways and the rests between; ramps are none."""
    segments = constant_speed_segments(log, 2)
    speeds = [piece.speed for piece in segments if abs(piece.travel) > 1e-6]
    assert len(speeds) >= 2 * plan.speeds.size
    motion = plan.motion()
    for piece in segments:
        inside = motion.a[piece.start : piece.stop, 1]
        assert np.mean(inside == 0.0) > 0.98
        assert piece.travel == pytest.approx(
            piece.speed * (motion.t[piece.stop - 1] - motion.t[piece.start]), rel=1e-6
        )
    ratio = np.array(speeds) / plan.speeds[:, None]
    for sign in (1.0, -1.0):
        assert (np.abs(ratio - sign) < 1e-6).any(axis=1).all()


def test_noise_of_positions_breaks_no_segment(plan):
    """With an encoder of 2^18 counts and noise of a count the same pairs are found."""
    log = strokes(plan, count=2.0 * np.pi / 2**18)
    log = log.changed(q=log.q + np.random.default_rng(0).normal(0.0, 2e-5, log.q.shape))
    points = friction_points(log, 2, plan.speeds)
    assert points.speed.size >= plan.speeds.size - 2
    assert not any(
        "planned speeds" in finding.message and "3 of" in finding.message
        for finding in points.findings
    )


def test_one_line_with_noise_is_one_segment():
    """Normal noise over 5000 samples breaks no straight line; a change of speed by a noticeable
    step does.
    """
    t = np.arange(5000) * 0.004
    noise = np.random.default_rng(3).normal(0.0, 1e-5, t.size)
    (one,) = constant_speed_segments(Recording(t, (0.01 * t + noise)[:, None]), 1)
    assert one.speed == pytest.approx(0.01, abs=2e-7)
    bent = np.where(t < 10.0, 0.01 * t, 0.1 + 0.02 * (t - 10.0))
    speeds = [
        piece.speed for piece in constant_speed_segments(Recording(t, (bent + noise)[:, None]), 1)
    ]
    np.testing.assert_allclose(speeds, [0.01, 0.02], atol=1e-5)


def test_strokes_one_way_are_no_pair():
    """Forwards at one speed again and again, back at another: nothing cancels gravity, and no point
    is made.
    """
    t = np.arange(6000) * 0.004
    phase = t % 4.0
    q = np.where(phase < 3.0, 0.1 * phase, 0.3 - 0.3 * (phase - 3.0))
    with pytest.raises(irb.InputError, match="no two segments of one speed"):
        friction_points(Recording(t, q[:, None], tau=np.ones((6000, 1))), 1)


@pytest.mark.parametrize(("apart", "held"), [(0.03, True), (0.08, False)])
def test_the_two_ways_may_differ_by_five_per_cent(apart, held):
    """A controller that holds 3 % more on the way back makes a point at the mean of both speeds; 8
    % are another speed.
    """
    v, dt = np.array([0.1, 0.1 * (1.0 + apart)]), 0.004
    counts = np.round(0.3 / v / dt).astype(int)  # the same way both times
    moves = np.concatenate(
        [
            np.zeros(200),
            np.full(counts[0], v[0]),
            np.zeros(200),
            np.full(counts[1], -v[1]),
            np.zeros(200),
        ]
    )
    q = np.cumsum(moves) * dt
    tau = 40.0 + 7.0 * np.sign(moves)
    log = Recording(np.arange(q.size) * dt, q[:, None], tau=tau[:, None])
    if held:
        points = friction_points(log, 1, [v.mean()])
        # counts are whole: one sample of 600 less
        np.testing.assert_allclose(points.speed, v.mean(), rtol=1e-3)
        np.testing.assert_allclose([points.friction[0], points.gravity[0]], [7.0, 40.0], rtol=1e-6)
        assert not any("planned speeds" in finding.message for finding in points.findings)
        # a speed is held to as many per cent
        off = friction_points(log, 1, [0.96 * v.mean(), 1.08 * v.mean()]).findings
        assert any(
            "1 of 2 planned speeds were not held: 0.1096" in finding.message for finding in off
        )
    else:
        with pytest.raises(irb.InputError, match="no two segments of one speed"):
            friction_points(log, 1)


def test_flagged_samples_do_not_count(log):
    bad = np.random.default_rng(0).random(len(log)) < 0.05
    tau = log.tau.copy()
    tau[bad, 1] += 500.0
    tau[::97, 1] = np.nan
    marked = log.changed(tau=tau).with_flag(bad, Flag.SATURATED)
    np.testing.assert_allclose(
        fit_friction(friction_points(marked, 2)).values, TABLE_5[1], rtol=1e-6
    )
    with pytest.raises(AssertionError):
        np.testing.assert_allclose(
            fit_friction(friction_points(log.changed(tau=tau), 2)).values, TABLE_5[1], rtol=1e-3
        )


def test_autocorrelated_noise_widens_deviations(log):
    """By sqrt((1 + rho) / (1 - rho)), that of a mean under noise of first order."""
    white = np.random.default_rng(0).normal(size=len(log))
    coloured = scipy.signal.lfilter([0.6], [1.0, -0.8], white)  # the same variance
    deviations = [
        friction_points(log.changed(tau=log.tau + noise[:, None]), 2).deviation
        for noise in (white, coloured)
    ]
    assert np.median(deviations[1] / deviations[0]) == pytest.approx(3.0, rel=0.15)


def test_conditions_are_kept(plan, log):
    log = log.changed(
        extra={"temperature2_degC": 20.0 + log.t, "load_kg": np.where(log.t < 3.0, np.nan, 12.7)}
    )
    points = friction_points(log, 2)
    assert set(points.conditions) == {"temperature2_degC", "load_kg"}
    motion = plan.motion()
    for speed, temperature in zip(
        points.speed, points.conditions["temperature2_degC"], strict=True
    ):
        held = np.isclose(np.abs(motion.v[:, 1]), speed, rtol=1e-6)
        assert temperature == pytest.approx(20.0 + motion.t[held].mean(), abs=0.5)
    assert points.conditions["load_kg"][-1] == pytest.approx(12.7)


def test_speeds_that_were_not_held_are_named(plan, log):
    """A stroke without its way back is left out and said; a planned speed without a pair is
    named.
    """
    motion = plan.motion()
    lost = motion.v[:, 1] < -0.39
    gone = log.select(~(lost & (np.arange(len(log)) > 0)))
    points = friction_points(gone, 2, plan.speeds)
    words = "\n".join(map(str, points.findings))
    assert "1 of 14 planned speeds were not held: 0.4" in words
    assert "has no counterpart the other way" in words
    assert points.speed.size == 13
    fit = fit_friction(points)
    # a fit says what its points left out
    assert fit.findings[: len(points.findings)] == points.findings
    assert "has no counterpart the other way" in str(fit)


@pytest.mark.parametrize(
    ("change", "words"),
    [
        (lambda log: log.changed(tau=None), r"needs its torques: column tau2_Nm; EGM has none"),
        (lambda log: log.changed(q=np.zeros_like(log.q)), "no two segments of one speed"),
        (
            lambda log: log.changed(
                q=np.cumsum(np.random.default_rng(0).normal(0.0, 0.1, log.q.shape), axis=0)
            ),
            "no two segments|five speeds",
        ),
        (lambda log: log.select(np.arange(len(log)) < 700), "no two segments|five speeds"),
    ],
)
def test_logs_without_friction_in_them_are_refused(log, change, words):
    with pytest.raises(irb.InputError, match=words):
        fit_friction(friction_points(change(log), 2))


# --- the fit and what it does not know


def test_the_fit_is_the_least_squares_of_eq_54():
    points = points_of(np.geomspace(1e-3, 0.5, 25), TABLE_5[3], seed=5)
    fit = fit_friction(points)

    def cost(values):
        Fs, Fc, Fv, v_St = values
        law = Fc + (Fs - Fc) * np.exp(-((points.speed / v_St) ** 2)) + Fv * points.speed
        return np.square((law - points.friction) / points.deviation).sum()

    best = cost(fit.values)
    for direction in np.vstack(
        [np.eye(4), -np.eye(4), np.random.default_rng(0).normal(size=(20, 4))]
    ):
        assert cost(fit.values * (1.0 + 1e-3 * direction)) > best
    np.testing.assert_allclose(fit.scatter, np.sqrt(best / 21.0))


def test_points_with_more_noise_weigh_less():
    """Ten bad points that say so do not move the fit by more than they weigh."""
    clean = points_of(np.geomspace(1e-3, 0.5, 30), TABLE_5[0], sigma=0.01)
    friction, deviation = clean.friction.copy(), clean.deviation.copy()
    friction[::3] += 5.0
    deviation[::3] = 50.0
    fit = fit_friction(replace(clean, friction=friction, deviation=deviation))
    np.testing.assert_allclose(fit.values, TABLE_5[0], rtol=5e-3)


def test_scatter_widens_intervals_and_nothing_narrows_them():
    """Noise three times as large as stated widens the intervals threefold; a third of it leaves
    them.
    """
    speeds = np.geomspace(1e-3, 0.5, 25)
    base = fit_friction(points_of(speeds, TABLE_5[0], sigma=0.1, seed=2))
    width = np.ptp(base.intervals(), axis=1) / max(base.scatter, 1.0)

    def stated(sigma):
        points = points_of(speeds, TABLE_5[0], sigma=0.1, seed=2)
        return fit_friction(replace(points, deviation=np.full(25, sigma)))

    low = stated(0.1 / 3.0)
    assert low.scatter == pytest.approx(3.0 * base.scatter, rel=1e-6)
    np.testing.assert_allclose(np.ptp(low.intervals(), axis=1), width * base.scatter, rtol=1e-3)
    np.testing.assert_allclose(np.ptp(stated(0.3).intervals(), axis=1), 3.0 * width, rtol=1e-3)


@pytest.mark.parametrize(
    ("speeds", "truth", "words"),
    [
        (
            np.geomspace(0.1, 0.5, 20),
            TABLE_5[1],
            "no drop of friction from Fs to Fc stands out of the noise; v_St means nothing",
        ),
        (np.geomspace(0.01, 0.5, 20), TABLE_5[3] * [1.0, 1.0, 1.0, 0.4], "no speed is below v_St"),
        (np.geomspace(1e-4, 0.02, 20), TABLE_5[4], "no speed is above 3 v_St"),
        (np.geomspace(1e-3, 0.5, 20), [20.0, 20.0, 5.0, 0.01], "no drop of friction"),
    ],
)
def test_parameters_that_the_data_do_not_determine_are_named(speeds, truth, words):
    fit = fit_friction(points_of(speeds, truth, sigma=0.05))
    assert words in str(fit)


def test_a_parameter_that_nothing_depends_on_has_no_interval():
    """Without slow speeds v_St and Fs are unknown, and their intervals say so; Fv is known all the
    same.
    """
    fit = fit_friction(points_of(np.geomspace(0.2, 0.5, 20), TABLE_5[1], sigma=0.02))
    wide = np.ptp(fit.intervals(), axis=1)
    assert np.isinf(wide[[0, 3]]).all()
    assert "v_St means nothing" in str(fit)
    assert abs(fit.values[2] - TABLE_5[1, 2]) < 3.0 * fit.deviation[2]


def test_the_band_is_that_of_many_fits(many_fits):
    speeds = np.array([0.002, 0.02, 0.4])
    spread = np.std([fit.torque(speeds) for fit in many_fits], axis=0)
    band = np.mean([fit.band(speeds, 0.6827) for fit in many_fits], axis=0)  # one deviation
    np.testing.assert_allclose(band, spread, rtol=0.2)  # 250 draws: 5 %; scatter widens some


# --- what comes out


def fits_of_all():
    return [
        fit_friction(points_of(np.geomspace(1e-3, 0.5, 25), truth, sigma=0.0, axis=i + 1))
        for i, truth in enumerate(TABLE_5)
    ]


def test_the_table_is_one_that_the_package_reads(copied):
    """Rows for friction.yaml, grade identified: a robot with the file in its folder has the law."""
    text = friction_table(fits_of_all(), "mine", "IRB 2400 no. 24-12345", 'both ways, "warm"')
    folder = copied("irb2400")
    (folder / "friction.yaml").write_text(text)
    law = irb.load(folder / "irb2400_16").friction_model
    # six digits
    np.testing.assert_allclose([law.Fs, law.Fc, law.Fv, law.v_St], TABLE_5.T, rtol=1e-5)
    assert law.measured_to == pytest.approx(0.5)
    assert "grade: identified" in text


def test_synthetic_points_identify_nothing(robot):
    """A table of a synthetic log would be a lie about a robot; so would one with an axis
    missing.
    """
    plan = friction_plan(robot, 1, coarse_grid(5e-4, 0.3, 8), posture=np.zeros(6))
    fit = fit_friction(
        friction_points(synthetic_recording(robot, plan.motion(), controller=False), 1)
    )
    with pytest.raises(irb.InputError, match="nothing of a robot is identified"):
        friction_table([fit], "mine", "x", "y")
    with pytest.raises(irb.InputError, match="every axis once"):
        friction_table(fits_of_all()[1:], "mine", "x", "y")
    assert "synthetic" in str(fit)
    with pytest.raises(irb.InputError, match="nothing of a robot is identified"):
        friction_table([fit, *fits_of_all()[1:]], "mine", "x", "y")  # one of six is enough
    lame = fit_friction(points_of(np.geomspace(0.2, 0.5, 20), TABLE_5[0], sigma=0.02))
    with pytest.raises(irb.InputError, match="axis 1: Fs and v_St are not determined"):
        friction_table([lame, *fits_of_all()[1:]], "mine", "x", "y")


def test_the_figure_has_both_directions_the_law_and_its_band(plan):
    fit = fit_friction(friction_points(strokes(plan, lambda q: 100.0 + 0.0 * q, noise=0.5), 2))
    figure = fit.figure(0.3)
    panel, rest = figure.axes
    labels = panel.get_legend_handles_labels()[1]
    assert {"law (eq. 54)", "95 % of the law"} <= set(labels)
    shown = [
        line for line in panel.lines if len(line.get_xdata()) == (fit.points.speed <= 0.3).sum()
    ]
    forwards, backwards = (np.array(line.get_ydata()) for line in shown[:2])
    assert (forwards > 0.0).all()
    assert (backwards < 0.0).all()
    np.testing.assert_allclose(
        forwards, fit.torque(fit.points.speed)[fit.points.speed <= 0.3], atol=1.5
    )
    assert rest.get_xscale() == "log"
    with pytest.raises(irb.InputError, match="nothing is measured below"):
        fit.figure(1e-6)


@pytest.mark.parametrize("fastest", [None, 0.15, "0.15", [0.1, 0.2], np.nan, np.inf, True])
def test_a_figure_names_its_largest_speed(fastest):
    """One line that says which speed, that of Fig. 9 by default; anything but a positive number is
    refused.
    """
    fit = fit_friction(points_of(np.geomspace(0.2, 0.5, 20), TABLE_5[0], sigma=0.02))
    below = "nothing is measured below 0.15 rad/s: the slowest speed is 0.2"
    reason = below if fastest in (None, 0.15) else "fastest must be a positive finite number"
    with pytest.raises(irb.InputError, match=reason):
        fit.figure(fastest)
    assert fit.figure(0.5).axes


# --- RAPID


def test_the_module_is_rapid_and_moves_as_planned(robot):
    """It parses; its targets, times and signals are those of the plan, in degrees and seconds."""
    plan = friction_plan(
        robot,
        2,
        coarse_grid(1e-3, 0.4, 9),
        posture=np.radians([0.0, 5.0, 10.0, 0.0, 30.0, 0.0]),
        steady=1.5,
    )
    module = rapid.read(friction_module(plan, tool="tSpindle"))
    np.testing.assert_allclose(module["middle"].q(robot), plan.posture, atol=1e-9)
    np.testing.assert_allclose(module["half"], np.degrees(0.5 * plan.stroke), rtol=1e-6)
    np.testing.assert_allclose(module["seconds"], plan.seconds, rtol=1e-6)
    signals = [module[f"{name}Signal"] for name in ("position", "speed", "torque")]
    assert signals == [4000, 4001, 4002]
    moves = rapid.moves_of(module, "runFrictionAxis2")
    assert {move.instruction for move in moves} == {"MoveAbsJ", "WaitTime"}
    timed = [step.seconds for step in rapid.sequence_of(module, "runFrictionAxis2") if step.seconds]
    # forwards and backwards at every speed
    np.testing.assert_allclose(timed, np.repeat(plan.seconds, 2), rtol=1e-6)
    text = rapid.write(module)
    lines = "TestSignDefine 3,torqueSignal,ROB_1,2,0;|ITimer 0.1,tick;|CONNECT tick WITH logSample;"
    assert all(line in text for line in (*lines.split("|"), "tSpindle;"))
    assert text.index("target.robax.rax_2:=middle.robax.rax_2+half{i}") > text.index(
        "target.robax.rax_2:=middle.robax.rax_2-half{i}"
    )
    assert max(len(actual) for actual in re.findall(r'"([^"]*)"', text)) <= 80  # a string of RAPID


def test_the_log_of_the_module_is_read(robot, tmp_path):
    """The header that the module writes, with rows as it writes them, becomes points; other axes
    have and need no torque.
    """
    plan = friction_plan(robot, 2, coarse_grid(1e-3, 0.4, 9), posture=np.zeros(6), steady=1.6)
    text = friction_module(plan)
    header = "".join(re.findall(r'Write log,"([^"]+)"', text)[:2])
    columns = header.split(",")
    assert columns == ["t", *(f"q{i}_deg" for i in range(1, 7)), "v2_deg_s", "tau2_Nm", "stroke"]
    motion = plan.motion(10.0)
    tau = friction_2400(motion.v)[:, 1] - 300.0 * np.sin(motion.q[:, 1])
    table = np.column_stack(
        [motion.t, np.degrees(motion.q), np.degrees(motion.v[:, 1]), tau, 0.0 * motion.t]
    )
    np.savetxt(
        tmp_path / "friction_axis2.csv",
        table,
        delimiter=",",
        header=header,
        comments="",
        fmt="%.7f",
    )
    log = read_recording(tmp_path / "friction_axis2.csv", robot)
    assert log.has(Flag.NO_TORQUE)[:, 0].all()
    assert "stroke" in log.extra
    fit = fit_friction(friction_points(log, 2, plan.speeds))
    # ten samples a second, 1e-7 deg and N m
    np.testing.assert_allclose(fit.values, TABLE_5[1], rtol=2e-3)


def test_a_linear_axis_is_in_millimetres_and_newtons(tmp_path):
    """The module of the SCARA's third axis counts in mm, its log says so, and what is read from it
    is in m and N.
    """
    scara = irb.load("irb930")
    plan = friction_plan(scara, 3, coarse_grid(1e-3, 0.05, 9), slide=5e-4, steady=1.6)
    text = friction_module(plan)
    module = rapid.read(text)
    np.testing.assert_allclose(module["half"], 500.0 * plan.stroke, rtol=1e-6)  # half of it, in mm
    np.testing.assert_allclose(module["middle"].q(scara), plan.posture, atol=1e-9)
    assert "! mm, from the middle to each end" in text
    header = "".join(re.findall(r'Write log,"([^"]+)"', text)[:2])
    assert header.split(",") == [
        "t",
        "q1_deg",
        "q2_deg",
        "q3_mm",
        "q4_deg",
        "v3_mm_s",
        "tau3_N",
        "stroke",
    ]
    truth, motion = [50.0, 30.0, 400.0, 0.004], plan.motion(10.0)
    v = motion.v[:, 2]
    tau = (30.0 + 20.0 * np.exp(-((v / 0.004) ** 2))) * np.sign(v) + 400.0 * v - 100.0
    shown = motion.q * [180.0 / np.pi, 180.0 / np.pi, 1000.0, 180.0 / np.pi]
    table = np.column_stack([motion.t, shown, 1000.0 * v, tau, 0.0 * motion.t])
    np.savetxt(
        tmp_path / "friction_axis3.csv",
        table,
        delimiter=",",
        header=header,
        comments="",
        fmt="%.7f",
    )
    points = friction_points(read_recording(tmp_path / "friction_axis3.csv", scara), 3, plan.speeds)
    fit = fit_friction(points)
    # the file has seven digits after the point, of mm
    np.testing.assert_allclose(fit.values, truth, rtol=2e-3)
    np.testing.assert_allclose(points.gravity, -100.0, rtol=1e-4)
    assert re.findall(r"\) ([^,\n]+)", str(fit))[:4] == ["N", "N", "N s/m", "m/s"]
    assert [cell.split(":")[0] for cell in fit.row().split(", ")] == [
        "Fs_N",
        "Fc_N",
        "Fv_N_s_m",
        "v_St_m_s",
    ]
    panel, rest = fit.figure().axes
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("speed [m/s]", "friction [N]")
    assert rest.get_ylabel() == "off the law [N]"
    assert all(unit in panel.get_title() for unit in (" N,", " N s/m,", " m/s"))


def module(robot, **options):
    plan = friction_plan(robot, 2, coarse_grid(1e-3, 0.4, 9), posture=np.zeros(6), steady=1.5)
    return friction_module(plan, **options)


NINE = points_of(np.geomspace(1e-3, 0.5, 9), TABLE_5[0])
FOUR = "four parameters need five speeds or more, axis 1 has 4"


@together(
    "call, words",
    [
        (lambda robot, log: module(robot, name="1abc"), "is no name of a module"),
        (lambda robot, log: module(robot, tool="FOR"), "is no name of a tool"),
        (lambda robot, log: module(robot, unit="ROB 1"), "is no name of a mechanical unit"),
        (lambda robot, log: module(robot, sample=0.01), "interrupt comes every 0.1 s at most"),
        (lambda robot, log: module(robot, sample=0.2), "samples of 0.2 s"),
        (lambda robot, log: module(robot, file='a"b.csv'), "is no name of a file"),
        (lambda robot, log: coarse_grid(0.1, 0.01), "0 < slowest < fastest"),
        (lambda robot, log: coarse_grid(0.01, 0.1, 4), "5 speeds or more"),
        (lambda robot, log: constant_speed_segments(log, 7), "axis of a log must be .* 1 to 6"),
        (
            lambda robot, log: constant_speed_segments(log, 2, tolerance=-1.0),
            r"tolerance \[rad, m\] must be a positive finite number, got -1.0",
        ),
        (lambda robot, log: fit_friction(points_of(np.geomspace(1e-3, 0.5, 4), TABLE_5[0])), FOUR),
        (lambda robot, log: fit_friction(points_of(np.full(9, 0.1), TABLE_5[0])), "axis 1 has 1"),
        (lambda robot, log: fit_friction(NINE).intervals(1.5), "confidence level"),
    ],
)
def test_misuse_is_one_clear_line(robot, log, call, words):
    refused_in_one_line(lambda: call(robot, log), words)


def test_a_law_of_one_axis_is_a_stribeck():
    fit = fits_of_all()[2]
    assert isinstance(fit, FrictionFit)
    np.testing.assert_allclose(
        fit.law().torque(np.array([0.03])), friction_2400(np.full(6, 0.03))[2]
    )
    assert fit.law().measured_to == pytest.approx(0.5)
    assert fit.torque([[0.1, -0.1]]).shape == (1, 2)
