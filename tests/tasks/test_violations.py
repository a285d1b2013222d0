"""Violations as segments of time, across pieces and lines."""

import itertools
import math

import numpy as np
import pytest
from path_programs import kinds, motion, ramp

import irbmodels as irb
from irbmodels.tasks.path_check import (
    Finding,
    check_path,
)
from irbmodels.tasks.path_check.violations import FindingCollector, bounds_criterion


def test_times_of_stretches_are_those_of_samples(robot):
    """Axis 2 goes 0 to 120 deg and back, 1 deg a sample: outside 110 from sample 111 to 129, worst
    in the middle.
    """
    up = np.concatenate([np.arange(121.0), np.arange(119.0, -1.0, -1.0)])
    shown = np.zeros((241, 6))
    shown[:, 1], shown[:, 2] = up, up
    actual = [
        one
        for one in check_path(robot, motion(robot.from_controller(shown))).findings
        if one.kind == "range"
    ]
    assert len(actual) == 1
    assert (actual[0].axis, actual[0].quantity) == (2, "q2")
    assert (actual[0].start, actual[0].end, actual[0].time) == pytest.approx(
        (1.11, 1.29, 1.20), abs=1e-12
    )
    assert math.degrees(actual[0].value) == pytest.approx(120.0)
    np.testing.assert_allclose(np.degrees(actual[0].q), shown[120], atol=1e-9)


def test_speed_acceleration_and_torque_are_told_with_axis_and_time(robot):
    """Each bound broken once, at its own sample, told in the order of time; an assumed bound is
    called so.
    """
    q = np.tile(robot.from_controller([0, 0, 0, 0, 30, 0]), (50, 1))
    v, a = np.zeros((50, 6)), np.zeros((50, 6))
    v[10:13, 3], a[20, 5], a[30:32, 1] = -1.01 * robot.limits.velocity[3], 40.1, 60.0
    limits = np.array([100.0, 100.0, 100.0, 100.0, 100.0, 40.0])
    actual = check_path(robot, motion(q, v, a), acceleration=limits)
    assert kinds(actual)[:2] == [("speed", 4), ("acceleration", 6)]
    assert ("torque", 2) in kinds(actual)
    assert [(one.start, one.end) for one in actual.findings[:2]] == [
        pytest.approx((0.1, 0.12)),
        pytest.approx((0.2, 0.2)),
    ]
    assert actual.first is actual.findings[0]
    torque = next(one for one in actual.findings if one.kind == "torque")
    assert (torque.start, torque.end, torque.assumed) == (
        pytest.approx(0.3),
        pytest.approx(0.31),
        True,
    )
    assert "outside its assumed bounds" in str(torque)
    assert "a6 = 2297.56 deg/s^2 is outside its bounds -2291.83 .. 2291.83 deg/s^2" in str(
        actual.findings[1]
    )


def test_bounds_are_kept_to_the_last_digit(robot):
    """What stands exactly on a bound, as typed in degrees, keeps it; a millionth of a degree beyond
    does not.
    """
    assert not check_path(robot, motion(ramp(robot, 2, 0, 110, 5, (0, 0, 60, 0, 30, 0)))).findings
    beyond = check_path(robot, motion(ramp(robot, 2, 0, 110.000001, 5, (0, 0, 60, 0, 30, 0))))
    assert kinds(beyond) == [("range", 2)]
    v = np.zeros((1, 6))
    v[0, 0] = robot.limits.velocity[0]
    assert not check_path(robot, motion(np.zeros((1, 6)) + 0.1, v)).findings


def test_stretches_go_on_across_pieces_and_are_parted_by_lines():
    """However samples are cut into pieces, the findings are the same; with lines, each line has its
    own.
    """
    rng = np.random.default_rng(5)
    value, t, q = rng.normal(size=400).cumsum(), np.arange(400.0), np.zeros((400, 1))
    lines = np.repeat([3, 5, 9, 12], 100)

    def actual(cuts, by_line):
        all_of_it = FindingCollector(0.0, by_line)
        for part in np.split(np.arange(400), cuts):
            all_of_it.add(
                [bounds_criterion("range", 1, "q1", value[part], (-3.0, 3.0), "rad")],
                t[part],
                q[part],
                lines[part],
            )
        return [(one.start, one.end, one.time, one.value, one.line) for one in all_of_it.result()]

    whole = actual([], False)
    assert actual([1, 17, 18, 100, 333], False) == whole
    bad = np.abs(value) > 3.0
    starts = np.flatnonzero(bad & ~np.append(False, bad[:-1]))
    assert [one[0] for one in whole] == starts.tolist()
    for start, end, time, worst, line in whole:
        part = value[int(start) : int(end) + 1]
        assert (np.abs(part) > 3.0).all()
        assert worst == part[int(time - start)]
        assert abs(worst) == np.abs(part).max()
        assert line == lines[int(start)]
    parted = actual([50, 250], True)
    assert parted == actual([], True)
    assert all(lines[int(start)] == lines[int(end)] == line for start, end, _, _, line in parted)
    assert sum(end - start + 1 for start, end, *_ in parted) == bad.sum()
    assert len(parted) > len(whole)


@pytest.mark.parametrize("cuts", [[], [2], [3], [7], [1, 4, 8], list(range(1, 12))])
def test_a_good_sample_parts_two_stretches(cuts):
    """Runs of 110101100001 are those of itertools.groupby, wherever the pieces end."""
    bad = np.array([int(bit) for bit in "110101100001"])
    actual = FindingCollector(0.0, False)
    for part in np.split(np.arange(12), cuts):
        values = bad[part].astype(float)
        watch = (
            bounds_criterion("range", 1, "q1", values, (-0.5, 0.5), "rad"),
            bounds_criterion("range", 2, "q2", 1.0 - values, (-0.5, 0.5), "rad"),
        )
        actual.add(
            watch, part.astype(float), np.zeros((len(part), 1)), np.zeros(len(part), dtype=int)
        )
    runs = [
        [k for k, _ in group]
        for _, group in itertools.groupby(enumerate(bad), key=lambda pair: pair[1])
    ]
    expected = sorted((run[0], run[-1], 1 if bad[run[0]] else 2) for run in runs)
    assert [(one.start, one.end, one.axis) for one in actual.result()] == expected


def test_a_long_motion_is_checked_in_pieces(robot, monkeypatch):
    """400 samples, 100 a piece: peaks, findings and the few samples kept for figures keep an
    excursion of one sample.
    """
    q = np.tile(robot.from_controller([0, 0, 0, 0, 30, 0]), (400, 1))  # fewer than are compiled for
    v = np.zeros_like(q)
    v[313, 2], q[199, 0] = 99.0, np.radians(181.0)
    q[:, 4] = np.radians(np.linspace(-40.0, 45.0, 400))  # crosses q5 = 0 between two samples
    whole = check_path(irb.load("irb2400", tool="spindle"), motion(q, v))
    monkeypatch.setattr("irbmodels.tasks.path_check.check.ROWS", 100)
    monkeypatch.setattr("irbmodels.tasks.path_check.extremes._TRACE", 64)
    actual = check_path(robot, motion(q, v))
    assert (actual.rows, actual.duration) == (400, pytest.approx(3.99))
    assert [(kind, axis) for kind, axis in kinds(actual) if kind != "torque"] == [
        ("range", 1),
        ("speed", 3),
    ]
    assert list(map(str, actual.findings)) == list(map(str, whole.findings))
    assert list(map(str, actual.near)) == list(map(str, whole.near))
    assert actual.speed.time[2] == pytest.approx(3.13)
    assert actual.margin.time[0] == pytest.approx(1.99)
    np.testing.assert_allclose(actual.friction_share, whole.friction_share, rtol=1e-12)
    np.testing.assert_array_equal(actual.peaks, whole.peaks)
    assert len(whole.trace.t) == 400
    assert 32 <= len(actual.trace.t) <= 64
    assert actual.trace.speed[:, 2].max() == pytest.approx(99.0 / robot.limits.velocity[2])
    assert actual.trace.used[:, 0].max() == pytest.approx(181.0 / 180.0)
    assert actual.trace.v[:, 2].max() == 99.0
    most = actual.cycle.axes.peak[2], actual.cycle.together.peak
    assert (actual.trace.power[:, 2].max(), actual.trace.total_power.max()) == pytest.approx(most)
    assert np.abs(actual.trace.wrist).min() == 0.0  # it was crossed within one of the groups


def test_findings_read_well():
    """With and without line, one sample and a stretch."""
    one = Finding(
        "range",
        1.0,
        2.0,
        7,
        1.5,
        2,
        "q2",
        math.radians(120),
        math.radians(-100),
        math.radians(110),
        "rad",
    )
    assert (
        str(one)
        == "line 7, t = 1 .. 2 s: axis 2: q2 = 120 deg is outside its bounds -100 .. 110 deg"
    )
    assert str(one._replace(line=None, end=1.0, text="bad")) == "t = 1 s: bad"
