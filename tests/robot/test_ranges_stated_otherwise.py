"""An arm whose ranges are stated otherwise: the same postures give the same answers everywhere.

The IRB 2400 has a range of q3 - q2. Stated as a range of q3 that never binds, and a bound on
q3 - q2, its postures are the same, and so is all that follows from them.
"""

import math
from xml.etree import ElementTree

import numpy as np
import pytest
from coupled_2400 import LESS, SAME, coupled_2400

import irbmodels as irb
from irbmodels.exchange.verify.exports import verify
from irbmodels.identification.excitation.bounds import Bounds, MotionLimits
from irbmodels.identification.friction.posture import (
    gravity_torque,
    least_gravity_posture,
    stroke_postures,
)
from irbmodels.kinematics.tcp_extremes import tcp_extremes
from irbmodels.robot.collision import random_postures
from irbmodels.simulation import Plant, rollouts, simulate
from irbmodels.tasks.free_angle import feasible_angles
from irbmodels.tasks.path_check import check_path
from irbmodels.trajectory import Motion
from irbmodels.viewer.page_data import limit_data


@pytest.fixture(scope="module")
def own():
    return irb.load("irb2400")


@pytest.fixture(scope="module")
def same(tmp_path_factory):
    """The same postures."""
    return coupled_2400(tmp_path_factory.mktemp("same"), SAME)


@pytest.fixture(scope="module")
def less(tmp_path_factory):
    """Both the range of q3 and the bound on q3 - q2 count."""
    return coupled_2400(tmp_path_factory.mktemp("less"), LESS)


def is_inside(q):
    """Ranges of q2 and q3 and the bound of ``less``, written apart."""
    q2, q3 = np.degrees(q[..., 1]), np.degrees(q[..., 2])
    kept = (q2 >= -100) & (q2 <= 110) & (q3 >= -30) & (q3 <= 100)
    return kept & (q3 - q2 >= -60) & (q3 - q2 <= 65)


def test_ranges_of_axes_and_what_is_inside(own, same):
    np.testing.assert_allclose(same.limits.envelope(), own.limits.envelope(), atol=1e-12)
    q = np.random.default_rng(0).uniform(-3.0, 3.0, (5000, 6)) * [1, 1, 1, 1, 0.5, 1]
    np.testing.assert_array_equal(own.in_range(q), same.in_range(q))
    assert 0.02 < own.in_range(q).mean() < 0.5
    for one in q[:200]:
        stated = {str(row) for row in same.violations(one) if row.quantity != "q3"}
        assert stated == {str(row) for row in own.violations(one)}


def test_workspace_and_extremes(own, same):
    one, other = own.workspace(), same.workspace()
    np.testing.assert_allclose(other.extremes(), one.extremes(), atol=1e-12)
    sizes = (one.area(), one.volume()), (other.area(), other.volume())
    np.testing.assert_allclose(*sizes, rtol=1e-9)
    assert len(one.outlines[0]) == len(other.outlines[0])
    extremes = (tcp_extremes(robot.workspace().arm, robot.limits)[:3] for robot in (own, same))
    np.testing.assert_allclose(*extremes, atol=1e-6)


def test_free_angles_of_tools(own, same, less):
    """Intervals are the same; those of fewer postures are complete by counting at every angle."""
    rng, phi = np.random.default_rng(5), -np.pi + 2.0 * np.pi * (np.arange(2000) + 0.5) / 2000
    named = set()
    for q in random_postures(less.limits, 12, 3):
        axis = rng.normal(size=3)
        axis /= np.linalg.norm(axis)
        one, other = (feasible_angles(robot, own.pose(q), axis) for robot in (own, same))
        assert len(one) == len(other)
        for a, b in zip(one, other, strict=True):
            np.testing.assert_allclose([a.low, a.high], [b.low, b.high], atol=1e-9)
            assert (a.branch, a.low_reason, a.high_reason) == (
                b.branch,
                b.low_reason,
                b.high_reason,
            )
        count, at_end = np.zeros((len(phi), 8)), np.zeros(len(phi), dtype=bool)
        fewer = feasible_angles(less, own.pose(q), axis)
        for interval in fewer:
            inside = np.floor((interval.high - phi) / math.tau) - np.ceil(
                (interval.low - phi) / math.tau
            )
            count[:, interval.branch] += 1 if interval.full else np.maximum(inside + 1.0, 0.0)
            for end, reason in (
                (interval.low, interval.low_reason),
                (interval.high, interval.high_reason),
            ):
                at_end |= np.abs(np.remainder(phi - end + np.pi, math.tau) - np.pi) < 1e-7
                named.add(reason.text)
        solutions = less.inverse_kinematics(fewer.pose(phi)).q
        low, high = (
            np.radians([-180, -100, -30, -200, -120, -400]),
            np.radians([180, 110, 100, 200, 120, 400]),
        )
        turns = (
            np.floor((high - solutions) / math.tau) - np.ceil((low - solutions) / math.tau) + 1.0
        )
        between = np.remainder(solutions[..., 2] - solutions[..., 1] + np.pi, math.tau) - np.pi
        kept = (between >= math.radians(-60.0)) & (between <= math.radians(65.0))
        expected = np.where(kept, np.maximum(turns, 0.0).prod(axis=-1), 0.0)
        np.testing.assert_array_equal(count[~at_end], expected[~at_end])
    assert {
        "axis 3: q3 - q2 = -60 deg",
        "axis 3: q3 - q2 = 65 deg",
        "axis 3: q3 = -30 deg",
    } <= named


def test_stops_of_the_simulation(own, same):
    """Arms that meet the stop of q3 - q2: by plant, machine code for one and for many, and events."""
    q = own.from_controller([0.0, -20.0, 30.0, 0.0, 30.0, 0.0])
    tau = own.gravity(q) + np.array([0.0, -100.0, 500.0, 0.0, 0.0, 0.0])
    ends = []
    for robot in (own, same):
        plant = Plant(robot, step=1e-3)
        state = plant.advance(plant.start(q), tau, 0.3)
        assert state.q[2] - state.q[1] == pytest.approx(math.radians(65.0), abs=1e-9)
        assert np.abs(state.stop).max() > 100.0
        many = rollouts(
            robot, np.tile(q, (2, 1)), np.zeros((2, 6)), duration=0.3, torque=tau, every=0.3
        )
        run = simulate(robot, q, duration=0.3, torque=lambda t, q, v: tau)
        hits = [
            (event.axis, round(event.t, 6)) for event in run.events if event.kind == "hits its stop"
        ]
        assert hits[0][0] == 3
        ends.append([*state.q, *many.q[0, -1], *run.q[-1], hits[0][1]])
    np.testing.assert_allclose(ends[1], ends[0], rtol=0, atol=1e-7)


def test_two_stops_at_a_corner(less):
    """Axis 2 falls back and takes axis 3 along by the stop of q3 - q2, until q3 is at its own."""
    q = less.from_controller([0.0, 80.0, 95.0, 0.0, 30.0, 0.0])
    tau = less.gravity(q) + np.array([0.0, -900.0, 900.0, 0.0, 0.0, 0.0])
    plant = Plant(less, step=1e-3)
    state = plant.advance(plant.start(q), tau, 1.0)
    np.testing.assert_allclose(np.degrees(state.q[1:3]), [-95.0, -30.0], atol=1e-6)
    assert not np.abs(state.v[1:3]).any()
    with pytest.raises(irb.InputError, match=r"q3 - q2 stands at its end, and goes on"):
        plant.start(state.q, [0.0, -0.1, 0.0, 0.0, 0.0, 0.0])


def test_path_check_names_the_sum(own, same, less):
    """Margins of axis 3 are those of the tightest of its rows."""
    t = np.linspace(0.0, 1.0, 101)
    q = np.outer(1.0 - np.cos(np.pi * t), np.radians([0.0, 25.0, -10.0, 0.0, 10.0, 0.0]))
    v = np.gradient(q, t, axis=0)
    motion = Motion(t, q, v, np.gradient(v, t, axis=0))
    checks = [check_path(robot, motion) for robot in (own, same)]
    for check in checks:
        (finding,) = (one for one in check.findings if one.kind == "range")
        assert "q3 - q2 = -70 deg is outside its bounds -60 .. 65 deg" in str(finding)
    np.testing.assert_allclose(checks[1].margin.value, checks[0].margin.value, atol=1e-12)
    assert math.degrees(check_path(less, motion).margin.value[2]) == pytest.approx(-10.0)


def test_margins_and_postures_of_identification(own, same, less):
    """Shares of limits, the middle, and the posture of a friction test."""
    rest = np.zeros((3, 6))
    q = random_postures(own.limits, 3, 4)
    shares = [
        MotionLimits(robot, Bounds()).largest_shares(q, rest, rest)["range"]
        for robot in (own, same)
    ]
    np.testing.assert_allclose(shares[1][6], shares[0][2], rtol=1e-12)
    assert less.limits.in_range(MotionLimits(less, Bounds()).middle)
    torques = []
    for robot in (own, same, less):
        strokes = stroke_postures(least_gravity_posture(robot, 2, 0.3), 2, 0.3)
        assert robot.in_range(strokes).all()
        torques.append(np.abs(gravity_torque(robot, strokes, 2)).max())
    assert torques[1] == pytest.approx(torques[0], rel=0.02)  # another minimum of the same arm
    assert torques[2] >= torques[1]


def test_exports_state_what_their_formats_can(less, tmp_path):
    """A URDF has the range of joint_3 and a comment; MuJoCo has both; all are read back equal."""
    trees = {
        coupling: less.description.urdf(coupling, less.parameters, None)
        for coupling in ("parallelogram", "serial")
    }
    for coupling, ends in (("parallelogram", (-30, 100)), ("serial", (-60, 65))):
        joints = {
            joint.get("name"): joint
            for joint in ElementTree.fromstring(trees[coupling]).iter("joint")
        }
        limit = joints["joint_3"].find("limit")
        values = [math.degrees(float(limit.get(key))) for key in ("lower", "upper")]
        np.testing.assert_allclose(values, ends, rtol=1e-12)
    assert "which no URDF can state: joint_3 - joint_2, -60 .. 65 deg." in trees["parallelogram"]
    assert "which no URDF can state: joint_3 + joint_2, -30 .. 100 deg." in trees["serial"]
    for to in ("urdf", "mjcf", "sdf"):
        files = irb.export(less, to, tmp_path / to)
        verdicts = verify(less, to, files[0])
        assert verdicts
        assert all(verdict.ranges < 1e-9 for verdict in verdicts if verdict.installed)
    text = (tmp_path / "sdf" / "model.sdf").read_text(encoding="utf-8")
    assert "which SDF cannot state: q3 - q2 within -60 .. 65 deg" in text


def test_mujoco_stops_at_both(less, tmp_path):
    """Postures violate a range of MuJoCo's joints and tendons where they leave ours."""
    mujoco = pytest.importorskip("mujoco")
    file = irb.export(less, "mjcf", tmp_path / "arm")[0]
    model = mujoco.MjModel.from_xml_path(str(file))
    data = mujoco.MjData(model)
    for q in np.radians(
        [
            [0, -20, 30, 0, 30, 0],
            [0, -20, 50, 0, 30, 0],
            [0, -50, -35, 0, 30, 0],
            [0, 60, 101, 0, 9, 0],
        ]
    ):
        data.qpos[:6] = [q[0], q[1], q[2] - q[1], *q[3:]]
        mujoco.mj_forward(model, data)
        limits = mujoco.mjtConstraint.mjCNSTR_LIMIT_JOINT, mujoco.mjtConstraint.mjCNSTR_LIMIT_TENDON
        assert bool(is_inside(q)) == (not np.isin(data.efc_type, limits).any())


def test_tables_and_viewer_list_the_bound(less, tmp_path):
    irb.write_tables(less, "csv", tmp_path)
    rows = (tmp_path / "irb2400_16_limits.csv").read_text(encoding="utf-8").splitlines()
    assert sum("q3 - q2" in row for row in rows) == 1
    assert any(row.startswith("joint_3,q3,") for row in rows)
    *_, last = limit_data(less)
    assert (last["axis"], last["text"]) == (2, "q3 - q2")
    assert math.degrees(last["low"]) == pytest.approx(-60.0)
