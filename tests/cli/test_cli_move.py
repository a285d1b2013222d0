"""The command move, against closed forms, differences of its file, and Pinocchio's torques."""

import json
from itertools import pairwise

import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.cli import moving
from irbmodels.trajectory import LAWS

LINES = (
    *("move", "irb2400", "--tool", "spindle"),
    *("--via", "pose:949,0,1124,0.258819,0,-0.965926,0"),
    *("--via", "line:949,200,1124,0.258819,0,-0.965926,0"),
    *("--via", "line:1049,200,1024,0.258819,0,-0.965926,0"),
)
CORNERS = np.array([[0.949, 0.0, 1.124], [0.949, 0.2, 1.124], [1.049, 0.2, 1.024]])


@pytest.fixture
def moved(run, tmp_path):
    """Call the command; its object, times, and axis positions [rad] of its file."""

    def call(*words):
        path = tmp_path / "motion.csv"
        code, out, err = run(*words, "-o", path, "--json")
        assert code == 0, err
        columns = np.genfromtxt(path, delimiter=",", names=True)
        q = np.stack([np.radians(columns[f"q{i}_deg"]) for i in range(1, 7)], axis=1)
        return json.loads(out), columns["t"], q

    return call


def torques(robot, t, q, urdf):
    """Torques of a serial arm by Pinocchio from differences of positions, but for the ends."""
    model = pin.buildModelFromUrdf(str(urdf))
    data, v = model.createData(), np.gradient(q, t, axis=0)
    a = np.gradient(v, t, axis=0)
    tau = [pin.rnea(model, data, *state) for state in zip(q, v, a, strict=True)]
    return np.array(tau)[3:-3]


def test_a_time_law_keeps_speeds_and_torques(moved):
    """1-3-5: peak speed 2 h / T (docs/howto/trajectories.md). At a fifth of the speeds one binds,
    at a quarter of the torques one of these, by Pinocchio's own rnea of the URDF.
    """
    assert set(moving.TIME_LAWS.values()) == set(LAWS)
    robot, urdf = irb.load("irb1600"), irb.urdf_path("irb1600")
    ends = ("--via", "0,0,0,0,30,0", "--via", "60,10,-5,20,50,-40")
    stroke = np.radians([60, 10, -5, 20, 20, -40])
    record, t, q = moved("move", "irb1600", *ends, "--speed", "20")
    shortest = (2.0 * np.abs(stroke) / (0.2 * robot.limits.velocity)).max()
    assert record["duration_s"] == pytest.approx(shortest, rel=1e-9)
    np.testing.assert_allclose(q[[0, -1]], [q[0], q[0] + stroke], atol=1e-9)
    speeds = np.abs(np.gradient(q, t, axis=0)).max(axis=0) / robot.limits.velocity
    np.testing.assert_allclose(record["largest_shares"]["speed"], speeds, atol=2e-4)
    record, t, q = moved("move", "irb1600", *ends, "--torque", "25")
    shares = np.abs(torques(robot, t, q, urdf)).max(axis=0) / robot.limits.effort
    assert shares.max() == pytest.approx(0.25, abs=0.002)
    # accelerations here are differences of samples, which miss the peaks between them
    np.testing.assert_allclose(record["largest_shares"]["torque"], shares, atol=0.01)


def test_the_fastest_turn_of_one_axis_is_bang_bang(moved):
    """Axis 1 alone, upright and without friction: T = h / v + v M / tau, with Pinocchio's M."""
    robot = irb.load("irb1600")
    words = ("--law", "fastest", "--via", "0,0,0,0,30,0", "--via", "120,0,0,0,30,0")
    record, _, _ = moved("move", "irb1600", *words)
    model = pin.buildModelFromUrdf(str(irb.urdf_path("irb1600")))
    M = pin.crba(model, model.createData(), np.radians([0, 0, 0, 0, 30, 0]))[0, 0]
    v, h, tau = robot.limits.velocity[0], np.radians(120.0), robot.limits.effort[0]
    assert v * v * M / tau < h  # it cruises
    assert record["duration_s"] == pytest.approx(h / v + v * M / tau, rel=1e-3)
    assert record["fullest_limit"]["axis"] == 1
    cruise, ramps = (record["binding_shares_of_time"][name][0] for name in ("speed", "torque"))
    assert cruise == pytest.approx((h / v - v * M / tau) / record["duration_s"], abs=0.02)
    assert ramps == pytest.approx(1.0 - cruise, abs=0.02)


def test_lines_are_straight_and_corners_rounded(moved):
    """The TCP is within a micrometre of the lines outside the zone, at 200 mm/s at most; it passes
    a right angle at 3/8 zone sin(phi / 2); without a zone it goes to the corner.
    """
    robot = irb.load("irb2400", tool="spindle")
    for zone, away in ((20.0, 0.375 * 0.02 * np.sin(np.pi / 4)), (0.0, 0.0)):
        record, t, q = moved(*LINES, "--zone", zone, "--tcp-speed", "200")
        p = robot.pose(q)[:, :3, 3]
        near = np.linalg.norm(p - CORNERS[1], axis=1)
        assert near.min() == pytest.approx(away, abs=4e-5)  # 0.8 mm between samples
        assert record["corner_deviations_m"][0] == pytest.approx(away, abs=2e-6)
        off = []
        for start, end in pairwise(CORNERS):
            way = (end - start) / np.linalg.norm(end - start)
            off.append(np.linalg.norm(np.cross(p - start, way), axis=1))
        assert np.min(off, axis=0)[near > zone / 1000.0].max() < 1e-6
        speed = np.linalg.norm(np.gradient(p, t, axis=0), axis=1)
        assert speed.max() == pytest.approx(0.2, rel=2e-3)
        assert record["largest_tcp_speed_m_s"] == pytest.approx(0.2, rel=2e-3)


def test_an_arc_goes_through_its_point_and_a_pose_is_reached(moved):
    """Half a circle of 100 mm in the plane x, y; then a pose by the axes, in the same turn."""
    turn = "0.258819,0,-0.965926,0"
    words = ("move", "irb2400", "--tool", "spindle", "--via", f"pose:949,-100,1124,{turn}")
    words += ("--via", f"arc:1049,0,1124/949,100,1124,{turn}", "--law", "quintic")
    robot = irb.load("irb2400", tool="spindle")
    record, t, q = moved(*words, "--via", f"pose:949,0,1124,{turn}", "--duration", "1.5")
    p = robot.pose(q)[:, :3, 3]
    assert record["duration_s"] == pytest.approx(3.0)
    radius = np.linalg.norm(p - [0.949, 0.0, 1.124], axis=1)[t <= 1.5]
    np.testing.assert_allclose(radius, 0.1, atol=1e-6)
    assert p[t <= 1.5, 0].max() == pytest.approx(1.049, abs=1e-5)
    np.testing.assert_allclose(p[-1], [0.949, 0.0, 1.124], atol=1e-9)
    assert np.abs(np.gradient(q, t, axis=0)).max() < robot.limits.velocity.max()


def test_a_jerk_limited_move_keeps_its_bounds(moved):
    words = ("--law", "jerk-limited", "--via", "0,0,0,0,30,0", "--via", "60,10,-5,20,50,-40")
    bounds = ("--acceleration", ",".join(["400"] * 6), "--jerk", ",".join(["4000"] * 6))
    record, t, q = moved("move", "irb1600", *words, *bounds)
    v = np.gradient(q, t, axis=0)
    a = np.gradient(v, t, axis=0)
    assert np.degrees(np.abs(a)).max() == pytest.approx(400.0, rel=1e-3)
    assert max(record["largest_shares"]["acceleration"]) == pytest.approx(1.0, abs=1e-6)


def test_an_arm_without_masses_moves_by_speeds_alone(run):
    """A palletizer by a time law; the fastest timing asks for accelerations, and keeps them."""
    words = ("move", "irb660", "--via", "0,0,0,0", "--via", "30,10,10,40", "--json")
    code, out, err = run(*words)
    record = json.loads(out)
    limit = irb.load("irb660").limits.velocity
    shortest = (2.0 * np.radians([30, 10, 10, 40]) / limit).max()
    assert (code, record["duration_s"]) == (0, pytest.approx(shortest))
    assert list(record["largest_shares"]) == ["speed"]
    assert "no masses of irb660_180_315 are known" in err
    assert "needs bounds of acceleration" in run(*words, "--law", "fastest")[2]
    bounded = json.loads(run(*words, "--law", "fastest", "--acceleration", "50,50,50,50")[1])
    way = np.radians(40.0)  # of axis 4, up to the middle and back: v < its limit
    assert bounded["duration_s"] == pytest.approx(2.0 * np.sqrt(way / np.radians(50.0)), rel=1e-3)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--via", "0,0,0,0,30,0"), "at least two waypoints"),
        (("--via", "0,0,0,0,30"), "needs 6 numbers"),
        (("--via", "0,0,0,0,30,0", "--via", "0,0,0,0,500,0"), "waypoint 2: axis 5"),
        (("--via", "line:1,2,3,1,0,0,0", "--via", "0,0,0,0,30,0"), "where the motion starts"),
        (("--via", "0,0,0,0,30,0", "--via", "curve:1"), "a waypoint is axis positions, pose:POSE"),
        ((*LINES[4:6], "--via", "pose:9000,0,0,1,0,0,0"), "no posture within the ranges"),
        ((*LINES[4:6], "--via", "line:4000,0,1124,0.258819,0,-0.965926,0"), "leaves the reach"),
        ((*LINES[4:], "--law", "jerk-limited"), "needs bounds of acceleration and jerk"),
        ((*LINES[4:], "--law", "fastest", "--duration", "2"), "no duration"),
        ((*LINES[4:], "--duration", "2", "--speed", "50"), "no --speed, --torque or --jerk"),
        ((*LINES[4:], "--law", "jerk-limited", "--torque", "50"), "knows no torques"),
        ((*LINES[4:], "--duration", "2", "--tcp-speed", "50"), "either a duration [s] or bounds"),
        ((*LINES[4:], "--speed", "0"), "--speed 0: a share is above 0"),
        ((*LINES[4:], "--torque", "1"), "however slow, this move takes"),
        ((*LINES[4:], "--zone", "500"), "zones of path"),
        ((*LINES[4:], "--rate", "0"), "a rate [Hz] must be a positive"),
    ],
)
def test_motions_that_cannot_be_are_refused_in_one_line(words, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run("move", "irb2400", "--tool", "spindle", *words, "-o", "m.csv")
    assert (code, err.count("\n"), list(tmp_path.iterdir())) == (2, 1, [])
    assert message in err
