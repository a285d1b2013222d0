"""Ranges, speeds, torques, singularities, box and collision along motions and programs; RAPID
programs as motions.
"""

import itertools
import math
import re
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels import cli, rapid
from irbmodels.robot.tool_extent import ToolExtent
from irbmodels.tasks.milling import CuttingForce, process_load
from irbmodels.tasks.path_check import (
    NEAR,
    Box,
    Cut,
    Finding,
    ProgramMotion,
    check_path,
    programmed_motion,
)
from irbmodels.tasks.path_check.ik_following import _jumps
from irbmodels.tasks.path_check.move_timing import SpeedProfile
from irbmodels.tasks.path_check.violations import FindingCollector, bounds_criterion
from irbmodels.trajectory import axis_path, rapid_module, time_optimal
from irbmodels.trajectory.motion_files import write_motion

FRAME = "[9E9,9E9,9E9,9E9,9E9,9E9]"


@pytest.fixture
def robot():
    """A robot of its own for each test: one that is asked for more than a thousand states is
    compiled, which takes long.
    """
    return irb.load("irb2400", tool="spindle")


def motion(q, v=None, a=None, step=0.01):
    q = np.atleast_2d(np.asarray(q, dtype=float))
    zero = np.zeros_like(q)
    return irb.Motion(
        step * np.arange(len(q)), q, zero if v is None else v, zero if a is None else a
    )


def ramp(robot, axis, start_deg, stop_deg, count, base=(0, 0, 0, 0, 30, 0)):
    """One axis moves evenly, the others stand; positions in the controller's degrees."""
    shown = np.tile(np.array(base, dtype=float), (count, 1))
    shown[:, axis - 1] = np.linspace(start_deg, stop_deg, count)
    return robot.from_controller(shown)


def kinds(check):
    return [(one.kind, one.axis) for one in check.findings]


# --- numbers of single samples
# --------------------------------------------------------------------------------------------


def test_margins_of_postures_worked_by_hand(robot):
    """Axis 2 at 100 deg is 10 from its 110; axis 3 counts q3 - q2, -60..65: at q2 = 30, q3 = 80 it
    has 15 left.
    """
    q = robot.from_controller([[0, 100, 90, 0, 30, 0], [-170, 30, 80, 190, -110, 390]])
    found = check_path(robot, motion(q))
    np.testing.assert_allclose(np.degrees(found.margin.value), [10, 10, 15, 10, 10, 10], atol=1e-9)
    np.testing.assert_allclose(
        found.used.value, 1.0 - np.array([10, 10, 15, 10, 10, 10]) / [180, 105, 62.5, 200, 120, 400]
    )
    np.testing.assert_allclose(found.margin.time, [0.01, 0.0, 0.01, 0.01, 0.01, 0.01], atol=1e-15)
    assert not found.findings
    assert found.first is None


def test_an_overload_is_one_finding_of_the_path(robot, tmp_path):
    """Once, over the whole time, first of all; on the rating itself nothing, and nothing where no
    sample was.
    """
    light, heavy = (irb.load("irb2400").with_payload(irb.payload(mass)) for mass in (16.0, 16.1))
    path = motion(
        heavy.from_controller([[0, 0, 0, 0, 30, 0], [0, 0, 0, 0, 31, 0], [0, 0, 0, 0, 32, 0]])
    )._replace(t=np.array([2.0, 3.0, 4.0]))
    assert not check_path(light, path).findings
    (one,) = check_path(heavy, path).findings
    assert (one.kind, one.axis, one.start, one.end, one.value, one.upper, one.unit) == (
        "load",
        None,
        2.0,
        4.0,
        16.1,
        16.0,
        "kg",
    )
    assert str(one) == "t = 2 .. 4 s: load = 16.1 kg is outside its bounds 0 .. 16 kg"
    assert not check_path(heavy, path).kept


def test_a_coupled_range_is_left_while_each_axis_keeps_its_own(robot):
    """q2 = 60 and q3 = -10 are harmless alone; q3 - q2 = -70 is 10 deg beyond -60."""
    for alone in ([0, 60, 10, 0, 30, 0], [0, 0, -10, 0, 30, 0]):
        assert not check_path(robot, motion(robot.from_controller([alone]))).findings
    found = check_path(robot, motion(robot.from_controller([[0, 60, -10, 0, 30, 0]]))).findings
    assert [(one.kind, one.axis, one.quantity) for one in found] == [("range", 3, "q3 - q2")]
    np.testing.assert_allclose(
        np.degrees([found[0].value, found[0].lower, found[0].upper]), [-70, -60, 65], atol=1e-9
    )
    assert str(found[0]) == "t = 0 s: axis 3: q3 - q2 = -70 deg is outside its bounds -60 .. 65 deg"


def test_shares_against_rated_speed_and_given_acceleration(robot):
    """Axis 1 is rated 150 deg/s (as ROS-Industrial has it): 75 deg/s is half; 75 of 300 deg/s^2 a
    quarter, for either sign.
    """
    q = np.tile(robot.from_controller([0, 0, 0, 0, 30, 0]), (3, 1))
    v, a = np.zeros((3, 6)), np.zeros((3, 6))
    v[1, 0], v[2, 0], a[2, 0] = np.radians(30.0), -np.radians(75.0), -np.radians(75.0)
    found = check_path(robot, motion(q, v, a), acceleration=np.full(6, np.radians(300.0)))
    np.testing.assert_allclose(found.speed.value, [0.5, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(found.acceleration.value, [0.25, 0, 0, 0, 0, 0], atol=1e-12)
    assert (found.speed.time[0], found.acceleration.time[0]) == (0.02, 0.02)
    assert check_path(robot, motion(q, v, a)).acceleration is None


def test_torque_share_peaks_and_friction_share_against_plain_formulas(robot):
    """Sample by sample with inverse dynamics, gravity and the printed friction law, as sums of
    numbers.
    """
    rng = np.random.default_rng(0)
    q, v, a = (rng.uniform(-0.4, 0.4, (40, 6)) for _ in range(3))
    found = check_path(robot, motion(q, v, a))
    law = robot.friction_model
    rubbing = (
        np.sign(v) * (law.Fc + (law.Fs - law.Fc) * np.exp(-((v / law.v_St) ** 2))) + law.Fv * v
    )
    bare = np.array(
        [robot.inverse_dynamics(x, y, z, friction=False) for x, y, z in zip(q, v, a, strict=True)]
    )
    held = np.array([robot.gravity(x) for x in q])
    inertia = np.array([robot.mass_matrix(x) @ z for x, z in zip(q, a, strict=True)])
    parts = np.abs([inertia, bare - inertia - held, held, rubbing])
    np.testing.assert_allclose(found.peaks[:4], parts.max(axis=1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(found.peaks[4], np.abs(bare + rubbing).max(axis=0), rtol=1e-9)
    np.testing.assert_allclose(found.torque.value, found.peaks[4] / robot.limits.effort, rtol=1e-9)
    np.testing.assert_allclose(
        found.friction_share, parts[3].sum(axis=0) / parts.sum(axis=(0, 1)), rtol=1e-7
    )


def test_singularities_and_measures_against_determinants(robot):
    """The nearest approach to the wrist is |q5|; manipulability is |det J|; the smallest singular
    value is numpy's.
    """
    q = ramp(robot, 5, 40.0, -20.0, 31)
    found = check_path(robot, motion(q))
    np.testing.assert_allclose(found.singularities["wrist"].value, 0.0, atol=1e-9)  # at sample 20
    assert found.singularities["wrist"].time[0] == pytest.approx(0.2)
    assert [(one.kind, one.start, one.end) for one in found.near] == [
        ("wrist", pytest.approx(0.18), pytest.approx(0.22))
    ]
    assert not found.findings  # nearness is no violation
    apart = check_path(robot, motion(q[:10]))
    np.testing.assert_allclose(np.degrees(apart.singularities["wrist"].value), 22.0, atol=1e-9)
    dets = [abs(np.linalg.det(robot.jacobian(x))) for x in q[:10]]
    np.testing.assert_allclose(apart.manipulability.value, min(dets), rtol=1e-9)
    least = min(np.linalg.svd(robot.jacobian(x), compute_uv=False)[-1] for x in q[:10])
    np.testing.assert_allclose(apart.smallest.value, least, rtol=1e-9)
    assert math.degrees(NEAR) == pytest.approx(5.0)


def test_a_robot_whose_friction_and_singularities_nobody_knows():
    """A positioner: no share of friction, no distances, but measures; a SCARA has no wrist, and is
    far from its singularity.
    """
    two = irb.from_urdf(irb.urdf_path("positioner"))
    found = check_path(two, motion(np.full((2, two.n), 0.1)))
    assert found.friction_share is None
    assert found.singularities == {}
    assert (found.used.value[~np.isfinite(two.limits.upper)] == 0.0).all()
    assert not found.near
    assert np.isfinite(found.smallest.value).all()
    scara = irb.load("irb930")
    assert np.isinf(
        check_path(scara, motion(np.full((2, 4), -0.1))).singularities["wrist"].value
    ).all()


# --- stretches
# ------------------------------------------------------------------------------------------------------------


def test_times_of_stretches_are_those_of_samples(robot):
    """Axis 2 goes 0 to 120 deg and back, 1 deg a sample: outside 110 from sample 111 to 129, worst
    in the middle.
    """
    up = np.concatenate([np.arange(121.0), np.arange(119.0, -1.0, -1.0)])
    shown = np.zeros((241, 6))
    shown[:, 1], shown[:, 2] = up, up
    found = [
        one
        for one in check_path(robot, motion(robot.from_controller(shown))).findings
        if one.kind == "range"
    ]
    assert len(found) == 1
    assert (found[0].axis, found[0].quantity) == (2, "q2")
    assert (found[0].start, found[0].end, found[0].time) == pytest.approx(
        (1.11, 1.29, 1.20), abs=1e-12
    )
    assert math.degrees(found[0].value) == pytest.approx(120.0)
    np.testing.assert_allclose(np.degrees(found[0].q), shown[120], atol=1e-9)


def test_speed_acceleration_and_torque_are_told_with_axis_and_time(robot):
    """Each bound broken once, at its own sample, told in the order of time; an assumed bound is
    called so.
    """
    q = np.tile(robot.from_controller([0, 0, 0, 0, 30, 0]), (50, 1))
    v, a = np.zeros((50, 6)), np.zeros((50, 6))
    v[10:13, 3], a[20, 5], a[30:32, 1] = -1.01 * robot.limits.velocity[3], 40.1, 60.0
    limits = np.array([100.0, 100.0, 100.0, 100.0, 100.0, 40.0])
    found = check_path(robot, motion(q, v, a), acceleration=limits)
    assert kinds(found)[:2] == [("speed", 4), ("acceleration", 6)]
    assert ("torque", 2) in kinds(found)
    assert [(one.start, one.end) for one in found.findings[:2]] == [
        pytest.approx((0.1, 0.12)),
        pytest.approx((0.2, 0.2)),
    ]
    assert found.first is found.findings[0]
    torque = next(one for one in found.findings if one.kind == "torque")
    assert (torque.start, torque.end, torque.assumed) == (
        pytest.approx(0.3),
        pytest.approx(0.31),
        True,
    )
    assert "outside its assumed bounds" in str(torque)
    assert "a6 = 2297.56 deg/s^2 is outside its bounds -2291.83 .. 2291.83 deg/s^2" in str(
        found.findings[1]
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

    def found(cuts, by_line):
        all_of_it = FindingCollector(0.0, by_line)
        for part in np.split(np.arange(400), cuts):
            all_of_it.add(
                [bounds_criterion("range", 1, "q1", value[part], (-3.0, 3.0), "rad")],
                t[part],
                q[part],
                lines[part],
            )
        return [(one.start, one.end, one.time, one.value, one.line) for one in all_of_it.result()]

    whole = found([], False)
    assert found([1, 17, 18, 100, 333], False) == whole
    bad = np.abs(value) > 3.0
    starts = np.flatnonzero(bad & ~np.append(False, bad[:-1]))
    assert [one[0] for one in whole] == starts.tolist()
    for start, end, time, worst, line in whole:
        part = value[int(start) : int(end) + 1]
        assert (np.abs(part) > 3.0).all()
        assert worst == part[int(time - start)]
        assert abs(worst) == np.abs(part).max()
        assert line == lines[int(start)]
    parted = found([50, 250], True)
    assert parted == found([], True)
    assert all(lines[int(start)] == lines[int(end)] == line for start, end, _, _, line in parted)
    assert sum(end - start + 1 for start, end, *_ in parted) == bad.sum()
    assert len(parted) > len(whole)


@pytest.mark.parametrize("cuts", [[], [2], [3], [7], [1, 4, 8], list(range(1, 12))])
def test_a_good_sample_parts_two_stretches(cuts):
    """Runs of 110101100001 are those of itertools.groupby, wherever the pieces end."""
    bad = np.array([int(bit) for bit in "110101100001"])
    found = FindingCollector(0.0, False)
    for part in np.split(np.arange(12), cuts):
        values = bad[part].astype(float)
        watch = (
            bounds_criterion("range", 1, "q1", values, (-0.5, 0.5), "rad"),
            bounds_criterion("range", 2, "q2", 1.0 - values, (-0.5, 0.5), "rad"),
        )
        found.add(
            watch, part.astype(float), np.zeros((len(part), 1)), np.zeros(len(part), dtype=int)
        )
    runs = [
        [k for k, _ in group]
        for _, group in itertools.groupby(enumerate(bad), key=lambda pair: pair[1])
    ]
    expected = sorted((run[0], run[-1], 1 if bad[run[0]] else 2) for run in runs)
    assert [(one.start, one.end, one.axis) for one in found.result()] == expected


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
    found = check_path(robot, motion(q, v))
    assert (found.rows, found.duration) == (400, pytest.approx(3.99))
    assert [(kind, axis) for kind, axis in kinds(found) if kind != "torque"] == [
        ("range", 1),
        ("speed", 3),
    ]
    assert list(map(str, found.findings)) == list(map(str, whole.findings))
    assert list(map(str, found.near)) == list(map(str, whole.near))
    assert found.speed.time[2] == pytest.approx(3.13)
    assert found.margin.time[0] == pytest.approx(1.99)
    np.testing.assert_allclose(found.friction_share, whole.friction_share, rtol=1e-12)
    np.testing.assert_array_equal(found.peaks, whole.peaks)
    assert len(whole.trace.t) == 400
    assert 32 <= len(found.trace.t) <= 64
    assert found.trace.speed[:, 2].max() == pytest.approx(99.0 / robot.limits.velocity[2])
    assert found.trace.used[:, 0].max() == pytest.approx(181.0 / 180.0)
    assert np.abs(found.trace.wrist).min() == 0.0  # it was crossed within one of the groups


# --- box and collision
# ----------------------------------------------------------------------------------------------------


def test_the_box_holds_the_tcp_of_a_tool_without_shapes():
    """A TCP 300 mm ahead along x of tool0, turned about axis 1: y beyond 400 mm from the sample
    where sin says so.
    """
    tool = irb.Tool(
        "tip", pin.SE3(np.eye(3), np.array([0.0, 0.0, 0.3])), irb.load_tool("spindle").load
    )
    robot = irb.load("irb2400", tool=tool)
    q = ramp(robot, 1, 0.0, 60.0, 61)
    radius = float(np.hypot(*robot.pose(q[0]).translation[:2]))
    found = check_path(robot, motion(q), box=Box((-2, -2, 0), (2, 0.4, 2)))
    first = math.ceil(math.degrees(math.asin(0.4 / radius)))
    assert found.box_scope == "TCP"
    assert [(one.kind, one.quantity, one.start, one.end) for one in found.findings] == [
        ("box", "TCP y", pytest.approx(first / 100), pytest.approx(0.6))
    ]
    assert found.findings[0].value == pytest.approx(radius * math.sin(math.radians(60.0)))
    assert str(found.findings[0]).endswith(
        f"TCP y = {1000 * found.findings[0].value:.6g} mm is outside -2000 .. 400 mm"
    )


def test_the_tools_shape_counts_as_well(robot):
    """Ends of the spindle's hull are those of all its vertices, moved by the pose of tool0; the TCP
    alone is less.
    """
    from irbmodels.model.shapes import corners, mesh_of, shapes_of
    from irbmodels.model.urdf import parse_urdf

    shapes = [
        one
        for one in shapes_of(parse_urdf(robot.urdf()), robot.folder, "collision")
        if one.link == "tool0"
    ]
    assert shapes
    q = np.random.default_rng(1).uniform(-0.5, 0.5, (5, 6))
    low, high = ToolExtent(robot).ends(q, np.asarray(robot.pose(q))[:, :3, 3])
    for k in range(5):
        pose = robot.pose(q[k], "tool0").homogeneous
        points = [robot.pose(q[k]).translation[None]]
        for one in shapes:
            local = np.asarray(mesh_of(one).vertices()) if one.kind == "mesh" else None
            if local is None:  # the box around a round shape bounds it
                local = corners(one._replace(placement=np.eye(4)))
            moved = pose @ one.placement
            points.append(local @ moved[:3, :3].T + moved[:3, 3])
        everything = np.vstack(points)
        if all(one.kind in ("mesh", "box") for one in shapes):
            np.testing.assert_allclose(low[k], everything.min(axis=0), atol=1e-12)
            np.testing.assert_allclose(high[k], everything.max(axis=0), atol=1e-12)
        assert (low[k] >= everything.min(axis=0) - 1e-12).all()
        assert (high[k] <= everything.max(axis=0) + 1e-12).all()
    tcp = robot.pose(q[0]).translation
    floor = 0.5 * (low[0, 2] + tcp[2])
    found = check_path(robot, motion(q[:1]), box=Box((-3, -3, floor), (3, 3, 3)))
    assert [one.quantity for one in found.findings] == ["tool z"]
    assert found.findings[0].value == pytest.approx(low[0, 2])
    assert found.box_scope == "TCP and tool"


@pytest.mark.parametrize(
    ("shape", "size"), [("sphere", 'radius="0.05"'), ("cylinder", 'radius="0.05" length="0.2"')]
)
def test_round_shapes_reach_as_far_as_their_surface(shape, size, tmp_path):
    """Against ten thousand points of the surface; it is never less, and more by what lies between
    points.
    """
    document = ElementTree.fromstring(irb.load("irb2400").urdf())  # with absolute mesh paths
    tag = (
        f'<collision><origin xyz="0.1 0.02 -0.03" rpy="0.4 0.5 0.6"/><geometry><{shape}'
        f" {size}/></geometry></collision>"
    )
    document.find("link[@name='tool0']").append(ElementTree.fromstring(tag))
    (tmp_path / "arm.urdf").write_text(ElementTree.tostring(document, encoding="unicode"))
    robot = irb.from_urdf(tmp_path / "arm.urdf").with_tool(
        irb.Tool("t", pin.SE3.Identity(), irb.load_tool("spindle").load)
    )
    rng = np.random.default_rng(2)
    angle, z = rng.uniform(0, 2 * np.pi, 10_000), rng.uniform(-1, 1, 10_000)
    if shape == "sphere":
        points = 0.05 * np.stack(
            [np.sqrt(1 - z**2) * np.cos(angle), np.sqrt(1 - z**2) * np.sin(angle), z], axis=1
        )
    else:
        points = np.stack([0.05 * np.cos(angle), 0.05 * np.sin(angle), 0.1 * np.sign(z)], axis=1)
    local = points @ pin.rpy.rpyToMatrix(0.4, 0.5, 0.6).T + [0.1, 0.02, -0.03]
    q = rng.uniform(-0.5, 0.5, (4, 6))
    low, high = ToolExtent(robot).ends(q, np.asarray(robot.pose(q))[:, :3, 3])
    for k, pose in enumerate(np.asarray(robot.pose(q, "tool0"))):
        world = np.vstack([local @ pose[:3, :3].T, np.zeros((1, 3))]) + pose[:3, 3]
        assert (low[k] <= world.min(axis=0) + 1e-12).all()
        np.testing.assert_allclose(low[k], world.min(axis=0), atol=1e-3)
        np.testing.assert_allclose(high[k], world.max(axis=0), atol=1e-3)


def test_collisions_are_found_and_named(robot):
    """Along a motion into the base, samples that collide are those that collides() tells, and the
    links are contacts()'.
    """
    q = ramp(robot, 3, 40.0, 140.0, 21, (0, 90, 0, 0, 30, 0))
    touching = irb.collides(robot, q)
    assert touching.any()
    assert not touching.all()
    found = [
        one
        for one in check_path(robot, motion(q), collision=True).findings
        if one.kind == "collision"
    ]
    covered = np.zeros(21, dtype=bool)
    for one in found:
        covered[round(one.start * 100) : round(one.end * 100) + 1] = True
        assert one.text == "; ".join(f"{a} touches {b}" for a, b in irb.contacts(robot, one.q))
    assert (covered == touching).all()
    assert not any(one.kind == "collision" for one in check_path(robot, motion(q)).findings)


# --- what comes in
# --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        (
            {"v": None},
            "the check needs a motion with speeds and accelerations; irbmodels.open_motion",
        ),
        ({"t": np.array([0.0, 0.0])}, "whose times are finite and grow"),
        (
            {"q": np.zeros((2, 5))},
            r"q of a motion of irb2400_16 needs shape \(2, 6\), got \(2, 5\)",
        ),
        ({"a": np.full((2, 6), np.nan)}, "a of axis 1 is not finite at t = 0 s"),
        (
            {"q": np.full((2, 6), 90.0)},
            "more than three times the largest limit; are these degrees",
        ),
    ],
)
def test_bad_motions_are_refused(robot, change, reason):
    """One line that says what is wrong and where."""
    with pytest.raises(irb.InputError, match=reason):
        check_path(robot, motion(np.zeros((2, 6)))._replace(**change))


def test_bad_arguments_are_refused(robot, tmp_path):
    """Limits that are not positive, an empty box, a table in place of the motion, times that are
    none.
    """
    still = motion(np.zeros((2, 6)))
    with pytest.raises(irb.InputError, match="acceleration limits are positive"):
        check_path(robot, still, acceleration=np.zeros(6))
    with pytest.raises(irb.InputError, match="the box is empty"):
        check_path(robot, still, box=Box((0, 0, 1), (1, 1, 0)))
    file = tmp_path / "m.csv"
    write_motion(file, still, robot)
    with pytest.raises(irb.InputError, match="is the motion itself"):
        check_path(robot, irb.open_motion(file, robot), output=file)
    scara = irb.load("irb930")
    write_motion(file, motion(np.zeros((2, 4))), scara)
    with pytest.raises(irb.InputError, match="was opened for irb930"):
        check_path(robot, irb.open_motion(file, scara))
    for words in ({"ramp": 0.0}, {"step": -1.0}, {"ramp": math.nan}):
        with pytest.raises(irb.InputError, match="must be a positive finite number"):
            programmed_motion(robot, (), **words)
    with pytest.raises(irb.InputError, match="the program holds no MoveL"):
        programmed_motion(robot, ())


def test_a_file_is_checked_with_its_rows(robot, tmp_path):
    """The row of the first bad sample, the header being row 1; the table has a row per sample with
    the same numbers.
    """
    q = ramp(robot, 2, 100.0, 119.0, 20, (0, 0, 90, 0, 30, 0))
    write_motion(tmp_path / "m.csv", motion(q), robot)
    found = check_path(robot, irb.open_motion(tmp_path / "m.csv", robot), output=tmp_path / "t.csv")
    # 111 deg is sample 11
    assert (found.first.line, found.first.axis, found.first.start) == (13, 2, pytest.approx(0.11))
    assert str(found.first).startswith("line 13, t = 0.11 .. 0.19 s: axis 2: q2 = 119 deg")
    header = (tmp_path / "t.csv").read_text().splitlines()[0].split(",")
    table = dict(
        zip(header, np.loadtxt(tmp_path / "t.csv", delimiter=",", skiprows=1).T, strict=True)
    )
    np.testing.assert_allclose(
        table["margin2_deg"], 110.0 - np.linspace(100.0, 119.0, 20), atol=1e-6
    )
    np.testing.assert_allclose(table["line"], np.arange(2, 22))
    np.testing.assert_allclose(table["tau2_gravity_Nm"], robot.gravity(q)[:, 1], rtol=1e-7)
    np.testing.assert_allclose(
        table["torque2_percent"],
        100.0 * np.abs(robot.gravity(q)[:, 1]) / robot.limits.effort[1],
        rtol=1e-7,
    )
    np.testing.assert_allclose(table["wrist_deg"], 30.0, atol=1e-7)
    np.testing.assert_allclose(
        table["tcp_z_mm"], 1000.0 * np.asarray(robot.pose(q))[:, 2, 3], rtol=1e-7
    )


def test_the_table_is_a_motion_file(tmp_path):
    """Positions, speeds and accelerations of a SCARA program, axis 3 in millimetres, come back from
    the table; nine digits.
    """
    robot = irb.load("irb930")
    body = (
        f"MoveAbsJ {joints(10, 40, -100, 20, 0, 0)},v500,fine,tool0;\nMoveAbsJ"
        f" {joints(30, 60, -120, 10, 0, 0)},v900,fine,tool0;"
    )
    made = programmed_motion(robot, rapid.sequence_of(program(body)))
    check_path(robot, made, output=tmp_path / "t.csv")
    file = irb.open_motion(tmp_path / "t.csv", robot)
    assert not file.derived
    read = file.read()
    for mine, its in zip(made.motion[:4], read[:4], strict=True):
        np.testing.assert_allclose(its, mine, rtol=1e-8, atol=1e-9)


# --- programs
# -------------------------------------------------------------------------------------------------------------


def program(body, declarations=""):
    return rapid.read(f"MODULE m\n{declarations}\nPROC main()\n{body}\nENDPROC\nENDMODULE")


def joints(*degrees):
    return f"[[{','.join(map(str, degrees))}],{FRAME}]"


def target(robot, q_deg, conf=None):
    """A robtarget that the robot is on at a posture, with its own configuration."""
    q = robot.from_controller(q_deg)
    pose, found = rapid.Pose.of(robot.pose(q)), robot.configuration(q)
    return rapid.RobTarget(pose.trans, pose.rot, conf or found[:4], rapid.ExtJoint())


SPINDLE = f"PERS tooldata tSp:={rapid.tooldata_of(irb.load_tool('spindle'))};"


def test_the_third_move_leaves_the_coupled_range(robot):
    """Each target is in range on its own axes; on line 6 q3 - q2 passes -60 at the time that the
    trapezoid says.
    """
    body = "\n".join(
        f"MoveAbsJ {joints(*q)},v500,fine,tSp;"
        for q in ((0, 0, 0, 0, 30, 0), (0, 50, 40, 0, 30, 0), (0, 50, -30, 0, 30, 0))
    )
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    found = check_path(robot, made)
    assert {one.line for one in found.findings} == {6}
    assert (found.first.kind, found.first.axis, found.first.quantity) == ("range", 3, "q3 - q2")
    assert math.degrees(found.first.value) == pytest.approx(-80.0)
    timing = made.timings[-1]
    t = np.linspace(timing.start, timing.end, 100_001)
    q3 = np.degrees(np.interp(t, made.motion.t, made.motion.q[:, 2]))
    # one sample
    assert found.first.start == pytest.approx(t[np.argmax(q3 - 50.0 < -60.0)], abs=0.0101)
    assert found.first.end == made.motion.t[-1]
    assert [one.line for one in found.by_line] == [4, 5, 6]
    # of the half range of -60..65
    assert found.by_line[-1].used == pytest.approx(1.0 + 20.0 / 62.5)
    assert found.by_line[-1].used_axis == 3


def test_moves_are_summed_up_wherever_pieces_end(robot, monkeypatch):
    """Per move the worst of its samples, by plain maxima; the same if the moves are cut into pieces
    of 7 samples.
    """
    ways = ((0, 0, 0, 0, 30, 0), (0, 50, 40, 0, -30, 0), (90, -40, 10, 60, 5, 100))
    body = "\n".join(f"MoveAbsJ {joints(*q)},v500,fine,tSp;" for q in ways)
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)), step=0.05)
    whole = check_path(robot, made)
    monkeypatch.setattr("irbmodels.tasks.path_check.check.ROWS", 7)
    cut = check_path(robot, made)
    assert cut.by_line == whole.by_line
    for one in whole.by_line:
        here = made.lines == one.line
        q, v, a = (x[here] for x in made.motion[1:4])
        speed = np.abs(v) / robot.limits.velocity
        torque = (
            np.abs([robot.inverse_dynamics(*state) for state in zip(q, v, a, strict=True)])
            / robot.limits.effort
        )
        assert (one.start, one.end) == (made.motion.t[here][0], made.motion.t[here][-1])
        assert one.speed == pytest.approx(speed.max())
        assert one.speed_axis == 1 + np.argmax(speed.max(axis=0))
        assert one.torque == pytest.approx(torque.max())
        assert one.torque_axis == 1 + np.argmax(torque.max(axis=0))
        assert one.wrist == pytest.approx(np.abs(q[:, 4]).min())


@pytest.mark.parametrize(
    ("length", "top", "rate"), [(2.0, 0.5, 1.0), (0.1, 0.5, 1.0), (0.25, 0.5, 1.0)]
)
def test_a_trapezoid_is_the_integral_of_its_rate(length, top, rate):
    """Distance and speed by trapezoidal sums of the rate; it ends in time, at rest, at the end;
    short ways are triangles.
    """
    law = SpeedProfile(length, top, rate)
    t = np.linspace(0.0, law.duration, 200_001)
    s, speed, gain = law.at(t)
    step = t[1]
    np.testing.assert_allclose(
        np.append(0, np.cumsum(0.5 * (gain[1:] + gain[:-1])) * step), speed, atol=1e-4
    )
    np.testing.assert_allclose(
        np.append(0, np.cumsum(0.5 * (speed[1:] + speed[:-1])) * step), s, atol=1e-6
    )
    assert (s[0], s[-1], speed[0]) == (0.0, pytest.approx(length), 0.0)
    assert speed[-1] == pytest.approx(0.0, abs=1e-12)
    assert speed.max() == pytest.approx(min(top, math.sqrt(length * rate)), rel=1e-4)
    expected = (
        length / top + top / rate if length >= top**2 / rate else 2.0 * math.sqrt(length / rate)
    )
    assert law.duration == pytest.approx(expected)


def test_linear_moves_are_straight_at_the_programmed_speed(robot):
    """MoveL over 300 mm at v200: 1.5 s + ramp; every TCP on the line, cruising at 200 mm/s; v and a
    are the derivatives of q.
    """
    first = target(robot, [0, 10, 20, 0, 40, 0])
    body = f"MoveJ {first},v500,fine,tSp;\nMoveL Offs({'p'},0,300,-50),v200,fine,tSp;"
    read = program(body.replace(str(first), "p"), f"CONST robtarget p:={first}; {SPINDLE}")
    made = programmed_motion(robot, rapid.sequence_of(read), ramp=0.25, step=0.002)
    assert not made.findings
    length = math.hypot(0.3, 0.05)
    assert made.motion.t[-1] == pytest.approx(length / 0.2 + 0.25)
    assert made.timings[0].share == pytest.approx(1.0)
    poses = np.asarray(robot.pose(made.motion.q))
    start = first.pose().translation
    along = (poses[:, :3, 3] - start) @ np.array([0, 0.3, -0.05]) / length
    off = poses[:, :3, 3] - start - along[:, None] * np.array([0, 0.3, -0.05]) / length
    assert np.abs(off).max() < 1e-9
    np.testing.assert_allclose(
        poses[:, :3, :3], np.broadcast_to(first.pose().rotation, (len(poses), 3, 3)), atol=1e-8
    )
    t, q, v, a = made.motion[:4]
    cruise = (t > 0.26) & (t < t[-1] - 0.26)
    speed = np.gradient(along, t)
    np.testing.assert_allclose(speed[cruise], 0.2, rtol=1e-5)
    inner = slice(2, -2)
    np.testing.assert_allclose(
        np.gradient(q, t, axis=0)[cruise][inner], v[cruise][inner], atol=1e-5
    )
    np.testing.assert_allclose(
        np.gradient(v, t, axis=0)[cruise][inner], a[cruise][inner], atol=1e-4
    )
    ramping = (t > 0.01) & (t < 0.24)
    np.testing.assert_allclose(
        np.gradient(v, t, axis=0)[ramping][inner], a[ramping][inner], atol=2e-3
    )  # second differences of 2 ms


def test_circular_moves_keep_their_circle(robot):
    """MoveC through three points: the TCP stays at one distance from the centre, and passes the
    circle point.
    """
    p = target(robot, [0, 10, 20, 0, 40, 0])
    read = program(
        "MoveJ p,v500,fine,tSp;\nMoveC Offs(p,100,100,0),Offs(p,0,200,0),v400,z10,tSp;",
        f"CONST robtarget p:={p}; {SPINDLE}",
    )
    made = programmed_motion(robot, rapid.sequence_of(read))
    points = np.asarray(robot.pose(made.motion.q))[:, :3, 3] - p.pose().translation
    np.testing.assert_allclose(np.linalg.norm(points - [0, 0.1, 0], axis=1), 0.1, atol=1e-9)
    assert points[:, 0].max() == pytest.approx(0.1, abs=1e-4)  # between samples 4 mm apart
    assert made.motion.t[-1] == pytest.approx(math.pi * 0.1 / 0.4 + 0.2)
    assert "1 point with zones is stopped at; corners are not rounded" in made.notes
    t, q, v = made.motion[:3]
    # second order in 10 ms
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[22:-22], v[22:-22], atol=1e-3)


def test_joint_moves_are_linear_in_axis_space_and_slowed_by_the_slowest_axis(robot):
    """At vmax axis 1 turns 120 deg at its rated 150 deg/s, and says so; with slow=False it is
    faster, and a violation.
    """
    body = (
        f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},vmax,fine,tSp;\nMoveAbsJ"
        f" {joints(120, 10, 5, 0, 30, 20)},vmax,fine,tSp;"
    )
    moves = rapid.sequence_of(program(body, SPINDLE))
    made = programmed_motion(robot, moves)
    start, end = made.motion.q[0], made.motion.q[-1]
    share = (made.motion.q[:, 0] - start[0]) / (end[0] - start[0])
    np.testing.assert_allclose(made.motion.q, start + share[:, None] * (end - start), atol=1e-12)
    assert np.abs(made.motion.v).max(axis=0)[0] == pytest.approx(np.radians(150.0))
    assert made.timings[0].slowed_by == 1
    assert made.motion.t[-1] == pytest.approx(120 / 150 + 0.2)
    assert ("speed", 1) not in kinds(check_path(robot, made))
    hasty = programmed_motion(robot, moves, slow=False)
    assert hasty.timings[0].slowed_by is None
    assert ("speed", 1) in kinds(check_path(robot, hasty))


def test_straight_moves_are_slowed_to_the_rated_speed_of_the_fastest_axis(robot):
    """A line at 5 m/s past the wrist singularity, 5 mm beside it: the fastest sample of all is at
    100 %, and named.
    """
    p = target(robot, [0, 0, 0, 0, 6, 0])
    read = program(
        "MoveJ p,v500,fine,tSp;\nMoveL Offs(p,20,150,-60),v5000,fine,tSp;",
        f"CONST robtarget p:={p}; {SPINDLE}",
    )
    made = programmed_motion(robot, rapid.sequence_of(read), step=0.02)
    assert not [one for one in made.findings if one.kind == "jump"]
    shares = np.abs(made.motion.v) / robot.limits.velocity
    # the law is made from samples of the path, and then from those of time
    assert 0.9 < shares.max() <= 1.0 + 1e-12
    assert made.timings[0].slowed_by == 1 + np.argmax(shares.max(axis=0))
    assert made.timings[0].share < 0.5
    assert "speed" not in {one.kind for one in check_path(robot, made).findings}
    t, q = made.motion[:2]
    assert t[-1] == pytest.approx(made.timings[0].end)
    np.testing.assert_allclose(
        np.asarray(robot.pose(q[-1]).translation) - p.pose().translation,
        [0.02, 0.15, -0.06],
        atol=1e-9,
    )


def test_an_axis_that_is_fastest_between_samples_of_the_path_slows_the_move_too(robot, monkeypatch):
    """Seen at four places of the line only, the speed would be 2 % too high at a fifth; samples of
    time are held to the limit.
    """
    for name, value in (("_FEWEST", 3), ("_STEP", 1.0), ("_TURN", 10.0)):
        monkeypatch.setattr(f"irbmodels.tasks.path_check.ik_following.{name}", value)
    p = target(robot, [0, 0, 0, 0, 15, 0])
    body = "MoveJ Offs(p,0,-110,0),v500,fine,tSp;\nMoveL Offs(p,0,100,0),v5000,fine,tSp;"
    moves = rapid.sequence_of(program(body, f"CONST robtarget p:={p}; {SPINDLE}"))
    made = programmed_motion(robot, moves, ramp=0.02, step=0.004)
    shares = (np.abs(made.motion.v) / robot.limits.velocity).max(axis=0)
    assert 0.99 < shares.max() <= 1.0
    assert made.timings[0].slowed_by == 1 + np.argmax(shares)


def test_a_slower_law_reaches_the_share_it_should():
    """Speeds divide by the factor, for a trapezoid and for a triangle."""
    for length in (2.0, 0.01):
        law = SpeedProfile(length, 0.5, 2.5)
        assert law.slower(1.7).reached == pytest.approx(law.reached / 1.7)


def test_reorientation_keeps_its_own_speed():
    """Axis 6 of the IRB 1600 alone, TCP on its axis: v_ori of 100 deg/s bounds the turn, not the 10
    mm/s of v_tcp.
    """
    robot = irb.load("irb1600")
    read = program(
        f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v10,fine,tool0;\nMoveAbsJ"
        f" {joints(0, 0, 0, 0, 30, 90)},[10,100,1,1],fine,tool0;"
    )
    moves = rapid.sequence_of(read)
    made = programmed_motion(robot, moves)
    assert np.abs(made.motion.v[:, 5]).max() == pytest.approx(np.radians(100.0))
    assert made.motion.t[-1] == pytest.approx(0.9 + 0.2)


def test_targets_in_work_objects_with_the_programs_tcp():
    """The TCP of the program's own tooldata goes to oframe * target, whatever tool the robot
    carries; notes say so.
    """
    bare = irb.load("irb2400")
    read = program(
        "MoveJ p,v500,fine,tG\\WObj:=w;",
        "PERS tooldata"
        " tG:=[TRUE,[[50,0,200],[0.965926,0,0.258819,0]],[2,[0,0,50],[1,0,0,0],0,0,0]];PERS"
        " wobjdata"
        ' w:=[FALSE,TRUE,"",[[800,100,700],[1,0,0,0]],[[0,0,50],[0.707106781,0,0,0.707106781]]];CONST'
        f" robtarget p:=[[10,20,30],[0,0.707107,0.707107,0],[0,0,0,0],{FRAME}];",
    )
    made = programmed_motion(bare, rapid.sequence_of(read))
    tcp = bare.pose(made.motion.q[0]) * read["tG"].tframe.se3()
    expected = read["w"].frame() * rapid.Pose(read["p"].trans, read["p"].rot).se3()
    np.testing.assert_allclose(tcp.homogeneous, expected.homogeneous, atol=1e-9)
    assert "the TCP of tG is the program's; torques are those of no tool" in made.notes


def test_the_configuration_of_a_target_chooses_the_posture():
    """IRB 1600, whose cfx is known: each posture of one pose is reached by its own confdata, and an
    absent one is told.
    """
    robot = irb.load("irb1600")
    q0 = robot.from_controller([20, 30, 10, 40, 50, 60])
    for one in robot.inverse_kinematics(robot.pose(q0), in_range=True):
        p = target(robot, np.degrees(one.q))
        made = programmed_motion(robot, rapid.sequence_of(program(f"MoveJ {p},v500,fine,tool0;")))
        np.testing.assert_allclose(made.motion.q[0], one.q, atol=1e-6)  # targets have nine decimals
        assert not made.findings
    wrong = target(robot, np.degrees(q0), (2, 0, 0, 0))
    made = programmed_motion(robot, rapid.sequence_of(program(f"MoveJ {wrong},v500,fine,tool0;")))
    assert [(one.kind, one.line) for one in made.findings] == [("configuration", 4)]
    assert (
        "of MoveJ in main: no posture has the configuration [2,0,0,0]; it is reached as [0,"
        in made.findings[0].what
    )


def test_a_line_that_ends_in_another_configuration_is_noted(robot):
    """MoveL keeps its posture; quadrants of axes 1, 4 and 6 that differ from the target's are told,
    an edge belongs to both.
    """
    p = target(robot, [10, 10, 20, 30, 40, 50])
    for conf, noted in (
        ((0, 0, 0, 0), False),
        ((1, 0, 0, 0), True),
        ((0, -1, 0, 0), True),
        ((0, 0, 1, 0), True),
    ):
        end = target(robot, [20, 15, 25, 35, 45, 55], conf)
        read = program(f"MoveJ {p},v500,fine,tSp;\nMoveL {end},v500,fine,tSp;", SPINDLE)
        made = programmed_motion(robot, rapid.sequence_of(read))
        said = [note for note in made.notes if "ends in the configuration" in note]
        assert bool(said) == noted
        assert all(
            "line 5: MoveL ends in the configuration [0,0,0,0], not in " + str(end.robconf) in note
            for note in said
        )
    start, edge = (
        target(robot, [-10, 10, 20, 30, 40, 50]),
        target(robot, [0, 10, 20, 30, 40, 50], (-1, 0, 0, 0)),
    )
    read = program(f"MoveJ {start},v500,fine,tSp;\nMoveL {edge},v500,fine,tSp;", SPINDLE)
    made = programmed_motion(robot, rapid.sequence_of(read))
    assert not any("ends in the configuration" in note for note in made.notes)


def test_what_cannot_be_reached_is_told_by_line(robot):
    """A joint move and a line out of reach are findings; the rest of the program is still checked,
    from where the arm is.
    """
    p = target(robot, [0, 10, 20, 0, 40, 0])
    ways = (
        "MoveJ p",
        "MoveL Offs(p,2000,0,0)",
        "MoveJ Offs(p,0,0,5000)",
        "MoveC Offs(p,173.6,15.2,0),Offs(p,-984.8,1173.6,0)",
        "MoveL Offs(p,0,50,0)",
    )
    body = "\n".join(f"{way},v200,fine,tSp;" for way in ways)
    made = programmed_motion(
        robot, rapid.sequence_of(program(body, f"CONST robtarget p:={p}; {SPINDLE}"))
    )
    assert [(one.kind, one.line, one.start) for one in made.findings] == [
        ("reach", 5, 0.0),
        ("reach", 6, 0.0),
        ("reach", 7, 0.0),
    ]
    away = r"out of reach by \d+(\.\d+)? mm; it is left out"
    assert re.fullmatch(
        rf"target Offs\(p,2000,0,0\) of MoveL in main: {away}", made.findings[0].what
    )
    assert re.fullmatch(
        rf"target Offs\(p,0,0,5000\) of MoveJ in main: {away}", made.findings[1].what
    )
    assert re.search(
        r"of MoveC in main: the way leaves the reach after \d+\.\d+ mm of 4\d+\.\d+ mm; it",
        made.findings[2].what,
    )
    assert set(made.lines) == {4, 8}
    found = check_path(robot, made)
    assert found.first.line == 5


def test_a_line_through_the_wrist_singularity_jumps(robot):
    """From q5 = 30 to -30 deg of the same plane by MoveL: the wrist must flip, or axis 4 turn,
    within a few millimetres.
    """
    start = robot.from_controller([0, 0, 0, 0, 30, 0])
    end = robot.from_controller([5, 0, 0, 0, -30, 10])
    one, two = (target(robot, np.degrees(q)) for q in (start, end))
    body = f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;\nMoveL {two},v200,fine,tSp;"
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    jumps = [found for found in made.findings if found.kind == "jump"]
    assert one is not None
    assert jumps
    assert {found.line for found in jumps} == {5}
    assert {found.axis for found in jumps} <= {4, 6}
    assert "passes a singularity" in jumps[0].what
    step = np.abs(np.diff(made.motion.q[:, jumps[0].axis - 1]))
    near = np.abs(made.motion.t[1:] - jumps[0].start) < 0.1
    assert step.max() == step[near].max()


def test_a_jump_is_one_in_either_direction(robot):
    """More than 20 deg between two samples, up or down; 19 deg is none."""
    q = np.radians(
        [[0, 0, 0, 0, 0, 0], [0, 0, 0, -21, 0, 0], [0, 0, 0, -2, 0, 0], [0, 0, 0, -2, 0, 21]]
    )
    jumps = _jumps(robot, np.array([0.0, 0.01, 0.03, 0.06]), q)
    assert [(one.s, one.axis, one.within) for one in jumps] == [
        (0.01, 3, 0.01),
        (0.06, 5, pytest.approx(0.03)),
    ]
    np.testing.assert_allclose(np.degrees([one.angle for one in jumps]), 21.0)


def test_notes_name_what_was_not_evaluated_or_regarded(robot):
    """Unknown targets, handlers, loops, options, tools and objects without a value: each by line,
    none dropped in silence.
    """
    body = (
        f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;\nMoveL nowhere,v10,fine,tSp;\nWHILE"
        " DInput(di1)=0 DO\nMoveAbsJ"
        f" {joints(5, 0, 0, 0, 30, 0)},v500\\TLoad:=load0,z5,tSp;\nENDWHILE\nMoveJ"
        " p,v500,fine,tX;\nMoveL p,v500,fine,tSp\\WObj:=wX;\nMoveL"
        " p,v500,fine,still;\nERROR\nMoveJ p,v500,fine,tSp;"
    )
    p = str(target(robot, [0, 10, 20, 0, 40, 0])).replace("9E+09,9E+09", "100,9E+09", 1)
    still = "PERS tooldata still:=[FALSE,[[0,0,0],[1,0,0,0]],[1,[0,0,0],[1,0,0,0],0,0,0]];"
    read = program(body, f"CONST robtarget p:={p}; {still} {SPINDLE}")
    made = programmed_motion(robot, rapid.sequence_of(read))
    said = "\n".join(made.notes)
    for words in (
        "line 5: MoveL not evaluated: nowhere is declared neither",
        "line 6: WHILE not evaluated: DInput() is not evaluated; it is driven once",
        r"line 7: MoveAbsJ has \TLoad:=load0, which is not regarded",
        "tX has no value in the program: the robot's tool spindle stands for it",
        "line 10: MoveL not evaluated: the work object wX has no value",
        "line 11: MoveL not evaluated: still is stationary",
        "line 13: MoveJ not evaluated: it stands in the ERROR handler of line 12",
        "external axes are not moved",
        "1 point with zones is stopped at",
        "the motion begins at the target of line 4",
        "0.2 s from rest to its speed",
    ):
        assert words in said, words
    given = programmed_motion(
        robot, rapid.sequence_of(read), wobjs={"WX": rapid.PREDEFINED["wobj0"]}
    )
    assert "wX has no value" not in "\n".join(given.notes)


def test_a_given_start_takes_time(robot):
    """With a start the first move takes time, in whichever routine the program starts."""
    text = "PROC {0}()\nMoveAbsJ {1},v500,fine,tSp;\nENDPROC\n"
    body = "".join(
        text.format(name, joints(k, 0, 0, 0, 30, 0)) for name, k in (("main", 10), ("second", 20))
    )
    read = rapid.read(f"MODULE m\n{SPINDLE}\n{body}ENDMODULE")
    start = robot.from_controller([0, 0, 0, 0, 30, 0])
    made = programmed_motion(robot, rapid.sequence_of(read), start=start)
    np.testing.assert_allclose(made.motion.q[0], start, atol=1e-15)
    assert [one.line for one in made.timings] == [4]
    assert not any("begins at the target" in note for note in made.notes)
    assert (np.diff(made.motion.t) > 0.0).all()
    assert made.motion.t[-1] == pytest.approx(made.timings[-1].end)
    assert [
        one.line
        for one in programmed_motion(robot, rapid.sequence_of(read, "second"), start=start).timings
    ] == [7]


def test_a_called_procedure_is_driven_where_it_is_called(robot):
    """Home, a call, home, a call: the violation is on the line of the procedure, each time that it
    is called.
    """
    home = f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;"
    read = rapid.read(
        f"MODULE m\n{SPINDLE}\nPROC main()\n{home}\ngoB;\n{home}\ngoB;\nENDPROC\n"
        f"PROC goB()\nMoveAbsJ {joints(0, 60, -10, 0, 30, 0)},v500,fine,tSp;\nENDPROC\nENDMODULE"
    )
    made = programmed_motion(robot, rapid.sequence_of(read), step=0.05)
    assert [one.line for one in made.timings] == [10, 6, 10]
    found = check_path(robot, made)
    assert [(one.kind, one.line) for one in found.findings] == [
        ("range", 10),
        ("range", 6),
        ("range", 10),
    ]  # and on the way back
    np.testing.assert_allclose(
        robot.to_controller(made.motion.q[-1]), [0, 60, -10, 0, 30, 0], atol=1e-9
    )


def test_what_is_not_evaluated_is_no_clean_check(robot):
    """A name declared nowhere is a finding by line; a function, a call with arguments and a strange
    tool are left over.
    """
    home = f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;"
    start = robot.from_controller([5, 0, 0, 0, 30, 0])

    def made(body, **words):
        moves = rapid.sequence_of(program(f"{home}\n{body}", SPINDLE))
        return check_path(robot, programmed_motion(robot, moves, start=start, **words))

    assert made(home.replace("[[0,", "[[9,")).kept
    missing = made("MoveL nowhere,v10,fine,tSp;")
    assert [(one.kind, one.line) for one in missing.findings] == [("undeclared", 5)]
    assert "nowhere is declared neither" in str(missing.first)
    for body in ("MoveL CRobT(),v10,fine,tSp;", "grip 3;", "grip;", "ConfL\\Off;"):
        found = made(body)
        assert (found.findings, found.kept, len(found.program.unevaluated)) == ((), False, 1), body
        assert found.program.unevaluated[0].startswith("line 5: ")
    strange = home.replace("tSp", "tX")
    assert made(strange).program.unevaluated == (
        "tX has no value in the program: the robot's tool spindle stands for it",
    )
    assert made(strange, stand_in=True).kept


@pytest.mark.parametrize(("seconds", "top"), [(2.0, 60.0 / 1.8), (0.3, 60.0 / 0.15)])
def test_a_time_stands_for_the_speed(robot, seconds, top):
    r"""60 deg in \T: with ramps of 0.2 s the top speed is 60 / (T - 0.2); in less than two ramps it
    is twice the mean speed.
    """
    body = (
        f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;\nMoveAbsJ"
        f" {joints(0, 0, 0, 60, 30, 0)},v10\\T:={seconds},fine,tSp;"
    )
    moves = rapid.sequence_of(program(body, SPINDLE))
    made = programmed_motion(robot, moves, slow=False)
    assert made.motion.t[-1] == pytest.approx(seconds)
    assert np.degrees(np.abs(made.motion.v).max()) == pytest.approx(top, rel=1e-9)
    assert made.timings[0].share == 1.0
    fastest = math.degrees(robot.limits.velocity[3])
    slowed = programmed_motion(robot, moves)
    assert slowed.timings[0].slowed_by == (4 if top > fastest else None)
    assert np.degrees(np.abs(slowed.motion.v).max()) == pytest.approx(min(top, fastest), rel=1e-9)


def test_the_program_of_a_motion_is_that_motion():
    """A time-optimal motion written as RAPID, 20 ms apart, comes back in its time, with its peaks
    of speed and torque.
    """
    robot = irb.load("irb2400")
    q = robot.from_controller(
        [[0, 0, 0, 0, 30, 0], [30, 20, 10, 20, 45, 30], [50, 10, 25, -20, 60, 0]]
    )
    found = time_optimal(
        axis_path(q), velocity=robot.limits.velocity, acceleration=np.full(6, 6.0), intervals=100
    )
    read = rapid.read(rapid_module(found.sample(50.0), robot))
    made = programmed_motion(robot, rapid.sequence_of(read))
    assert made.motion.t[-1] == pytest.approx(found.duration, abs=1e-6)
    assert made.unevaluated == ()
    assert not made.findings
    assert not any("stopped at" in note for note in made.notes)
    exact = [found.at(t) for t in made.motion.t]
    # a spline through samples 20 ms apart of a motion whose acceleration jumps by up to 12 rad/s^2:
    # of the order of a h^2 / 10
    np.testing.assert_allclose(made.motion.q, [one.q for one in exact], atol=12.0 * 0.02**2 / 10.0)
    dense = found.sample(500.0)
    fastest = np.abs(dense.v).max(axis=0)
    np.testing.assert_allclose(np.abs(made.motion.v).max(axis=0), fastest, rtol=0.02)
    # at the same times: static friction peaks at the slowest of the samples, and there is none at
    # rest
    inner = [robot.inverse_dynamics(one.q, one.v, one.a) for one in exact]
    made_tau = [robot.inverse_dynamics(*state) for state in zip(*made.motion[1:4], strict=True)]
    # the corners of the acceleration are rounded, or overshoot, within two samples: some percent of
    # a peak
    np.testing.assert_allclose(np.abs(made_tau).max(axis=0), np.abs(inner).max(axis=0), rtol=0.05)
    hasty = programmed_motion(robot, rapid.sequence_of(read), slow=False)
    np.testing.assert_array_equal(hasty.motion.q, made.motion.q)


def test_axes_that_do_not_move_and_points_that_are_stopped_at_have_no_speed(robot):
    """In the plane of the arm axes 1, 4 and 6 stand; at fine points all do, and where a timed move
    repeats its point.
    """
    places = [
        target(robot, q)
        for q in (
            (0, 20, 10, 0, 40, 0),
            (0, 30, 12, 0, 33, 0),
            (0, 22, 22, 0, 31, 0),
            (0, 25, 5, 0, 50, 0),
        )
    ]
    a, b, c, d = (str(one) for one in places)
    before, after = joints(0, 20, 30, 0, 30, 0), joints(0, 30, 35, 0, 30, 0)
    body = f"""
MoveJ {a},v500,fine,tSp;
MoveL {b},v500,fine,tSp;
MoveC {c},{d},v300,fine,tSp;
MoveJ {a},v500,fine,tSp;
MoveAbsJ {before},v500,fine,tSp;
MoveAbsJ {after},v500\\T:=1.13,z0,tSp;
MoveAbsJ {after},v500\\T:=0.7,z0,tSp;
MoveAbsJ {after},v500\\T:=0.71,z0,tSp;
MoveAbsJ {joints(0, 20, 30, 0, 31, 0)},v500\\T:=1.3,fine,tSp;
"""
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    t, q, v, a = made.motion[:4]
    assert not v[:, [0, 3, 5]].any()
    assert [one.instruction for one in made.timings] == [
        "MoveL",
        "MoveC",
        "MoveJ",
        *["MoveAbsJ"] * 5,
    ]
    for one in made.timings:
        inside = (t > one.start + 1e-6) & (t < one.end - 1e-6)
        assert v[inside][:, [1, 2, 4]].any() == (one not in made.timings[5:7])
        assert not v[np.abs(t - one.end) < 1e-9].any()
    stands = (t >= made.timings[5].start) & (t <= made.timings[6].end)
    assert stands.sum() > 100
    assert not v[stands].any()
    assert not a[stands][1:-1].any()
    np.testing.assert_allclose(
        robot.to_controller(q[stands]), np.tile([0, 30, 35, 0, 30, 0], (stands.sum(), 1)), atol=1e-9
    )
    timed = t > made.timings[4].start + 0.02
    # of 10 ms; a jumps
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[timed][:-2], v[timed][:-2], atol=5e-3)


def test_flown_points_keep_times_lines_and_rated_speeds(robot):
    """Three timed moves: points are met in time, each sample has its move's line, v is the slope of
    q; too fast is slowed.
    """
    ways = [(0, 0, 0, 0, 30, 0), (10, 0, 0, 0, 30, 0), (25, 5, 0, 0, 30, 0), (30, 5, 0, 0, 30, 0)]
    zones, seconds = ("fine", "z1", "z5", "fine"), ("", "\\T:=0.3", "\\T:=0.4", "\\T:=0.5")
    body = "\n".join(
        f"MoveAbsJ {joints(*q)},v500{t},{z},tSp;"
        for q, t, z in zip(ways, seconds, zones, strict=True)
    )
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    t, q, v, a = made.motion[:4]
    assert [(one.line, pytest.approx(one.start), pytest.approx(one.end)) for one in made.timings] == [
        (5, 0.0, 0.3), (6, 0.3, 0.7), (7, 0.7, 1.2),
    ]  # fmt: skip
    for when, way in zip((0.0, 0.3, 0.7, 1.2), ways, strict=True):
        np.testing.assert_allclose(
            robot.to_controller(q[np.argmin(np.abs(t - when))]), way, atol=1e-9
        )
    assert made.lines.tolist() == [
        4,
        *np.where(t[1:] < 0.3001, 5, np.where(t[1:] < 0.7001, 6, 7)).tolist(),
    ]
    np.testing.assert_allclose(v[[0, -1]], 0.0, atol=1e-12)
    # second differences of 10 ms
    np.testing.assert_allclose(np.gradient(q, t, axis=0)[2:-2], v[2:-2], atol=2e-3)
    # the rate of a jumps at the points
    np.testing.assert_allclose(np.gradient(v, t, axis=0)[2:-2], a[2:-2], atol=0.3)
    fast = body.replace("0.3", "0.03").replace("0.4", "0.04").replace("0.5", "0.05")
    slowed = programmed_motion(robot, rapid.sequence_of(program(fast, SPINDLE)), step=0.001)
    shares = np.abs(slowed.motion.v).max(axis=0) / robot.limits.velocity
    assert shares.max() == pytest.approx(1.0)
    assert {one.slowed_by for one in slowed.timings} == {1}
    kept = programmed_motion(
        robot, rapid.sequence_of(program(fast, SPINDLE)), step=0.001, slow=False
    )
    assert kept.motion.t[-1] == pytest.approx(0.12)
    factor = slowed.motion.t[-1] / 0.12
    assert factor == pytest.approx(
        (np.abs(kept.motion.v).max(axis=0) / robot.limits.velocity).max()
    )
    np.testing.assert_allclose(slowed.motion.a, kept.motion.a / factor**2, rtol=1e-9)
    begun = programmed_motion(
        robot, rapid.sequence_of(program(body, SPINDLE))[1:], start=robot.from_controller(ways[0])
    )
    np.testing.assert_allclose(begun.motion.q, q, atol=1e-12)
    assert begun.motion.t[0] == 0.0


def test_scara_programs_run():
    """IRB 930: joint and straight moves of four axes, axis 3 in millimetres."""
    robot = irb.load("irb930")
    a, b = ([10, 40, -100, 20], [30, 60, -120, 10])
    one, two = (target(robot, q) for q in (a, b))
    read = program(f"MoveJ {one},v500,fine,tool0;\nMoveL {two},v1000,fine,tool0;")
    made = programmed_motion(robot, rapid.sequence_of(read), step=0.02)
    np.testing.assert_allclose(robot.to_controller(made.motion.q[[0, -1]]), [a, b], atol=1e-6)
    points = np.asarray(robot.pose(made.motion.q))[:, :3, 3]
    way = points[-1] - points[0]
    assert np.abs(np.cross(points - points[0], way / np.linalg.norm(way))).max() < 1e-9
    assert not check_path(robot, made).findings


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


# --- a cut
# ---------------------------------------------------------------------------------------------------------------


def test_torques_hold_against_a_cut_where_it_is_made():
    """In the lines that are named the torques are those of the process load, elsewhere the motion's
    alone.
    """
    robot = irb.load("irb2400", tool="spindle")
    t = np.arange(101) / 100
    q = robot.from_controller(t[:, None] * [5, 10, 5, 3, 2, 1] + np.array([0, 10, 10, 0, 30, 0]))
    v = np.gradient(q, t, axis=0)
    motion, force, springs = (
        irb.Motion(t, q, v, np.zeros_like(q)),
        CuttingForce(-300.0, -400.0, 100.0),
        np.full(6, 1e5),
    )
    load = process_load(robot, motion, force, springs)
    whole = check_path(robot, motion, cut=Cut(force, springs))
    np.testing.assert_allclose(whole.torque.value, load.share.max(axis=0), rtol=1e-12)
    np.testing.assert_allclose(whole.peaks[4], np.abs(load.total).max(axis=0), rtol=1e-12)
    given = np.linalg.norm(load.deflection[:, :3], axis=1)
    assert whole.deflection.value[0] == pytest.approx(given.max(), rel=1e-12)
    assert whole.deflection.time[0] == pytest.approx(t[np.argmax(given)])
    plain = check_path(robot, motion)
    assert plain.deflection is None
    assert not np.allclose(plain.torque.value, whole.torque.value)
    program = ProgramMotion(motion, np.where(t < 0.5, 3, 4), (), (), ())
    part = check_path(robot, program, cut=Cut(force, None, (range(4, 9),)))
    expected = np.where(t[:, None] < 0.5, np.abs(load.total - load.torque), np.abs(load.total)).max(
        axis=0
    )
    np.testing.assert_allclose(part.peaks[4], expected, rtol=1e-12)
    assert part.deflection is None
    other = check_path(robot, program, cut=Cut(force, None, (range(2, 4),)))  # line 3, and no more
    expected = np.where(t[:, None] < 0.5, np.abs(load.total), np.abs(load.total - load.torque)).max(
        axis=0
    )
    np.testing.assert_allclose(other.peaks[4], expected, rtol=1e-12)
    with pytest.raises(
        irb.InputError, match="no move stands in lines 5-6, where the tool should cut"
    ):
        check_path(robot, program, cut=Cut(force, None, (4, range(5, 7))))
    with pytest.raises(irb.InputError, match="a motion made in code has no lines"):
        check_path(robot, motion, cut=Cut(force, None, (4,)))


def test_cut_on_the_command_line(tmp_path, capsys):
    """Force, lines and stiffness; remarks say what the torques hold; parts without a force are
    refused.
    """
    robot = irb.load("irb2400", tool="spindle")
    t = np.arange(51) / 100
    q = robot.from_controller(t[:, None] * [5, 10, 5, 3, 2, 1] + np.array([0, 10, 10, 0, 30, 0]))
    write_motion(tmp_path / "motion.csv", irb.Motion(t, q), robot)
    command = ["path", str(tmp_path / "motion.csv"), "--robot", "irb2400", "--tool", "spindle"]
    assert (
        cli.main(
            [
                *command,
                "--cut",
                "-30,-40,10",
                "--stiffness",
                ",".join(["1e5"] * 6),
                "--cut-lines",
                "10,12-14",
            ]
        )
        == 0
    )
    said = capsys.readouterr().err
    assert "torques hold a cut of -30, -40, 10 N (feed, across, axial) in lines 10, 12-14" in said
    assert "the TCP gives way to the cut by" in said
    for wrong, message in (
        (["--stiffness", "1,2,3,4,5,6"], "are for a cut"),
        (["--cut", "1,2"], "--cut '1,2' is not a comma separated list of 3 numbers"),
        (["--cut", "1,2,3", "--cut-lines", "a"], "list of line numbers"),
        (["--cut", "1,2,3", "--cut-lines", "20-10"], "list of line numbers, and ranges as 10-20"),
        (
            ["--cut", "1,2,3", "--cut-lines", "2,53"],
            "no row of the 51 of the file, from 2 on, is line 53, where the tool",
        ),
        (["--cut", "1,2,3", "--cut-lines", "53-60,1"], "is lines 53-60, 1, where"),
        (["--cut", "1,2,3", "--stiffness", "-1,1,1,1,1,1"], "one positive number per axis"),
    ):
        assert cli.main([*command, *wrong]) == 2
        assert message in capsys.readouterr().err


STILL = irb.Motion(np.array([0.0, 0.1]), *np.zeros((3, 2, 6)))
MISUSED = {
    "no path": (lambda arm: check_path(arm, None), "a path is a Motion, a motion file .* not None"),
    "no robot": (
        lambda arm: check_path("irb2400", STILL),
        "a path of an irbmodels.Robot, not 'irb2400'",
    ),
    "collision in words": (
        lambda arm: check_path(arm, STILL, collision="no"),
        "collision, .* is True or False, not 'no'",
    ),
    "box of a list": (
        lambda arm: check_path(arm, STILL, box=[1.0]),
        r"a box is Box\(lower, upper\), not \[1.0\]",
    ),
    "box of words": (
        lambda arm: check_path(arm, STILL, box=Box("a", "b")),
        "a corner of the box .* not an array of numbers",
    ),
    "window of 0": (
        lambda arm: check_path(arm, STILL, window=0.0),
        "window, .* must be a positive finite number, got 0.0",
    ),
    "rest in words": (
        lambda arm: check_path(arm, STILL, rest="a"),
        "rest .* must be a finite number, at least 0, got 'a'",
    ),
    "advance of 5": (
        lambda arm: check_path(arm, STILL, advance=5),
        "advance is a function of a number of bytes, not 5",
    ),
    "output of 5": (
        lambda arm: check_path(arm, STILL, output=5),
        "the table to write is a path, not 5",
    ),
    "cut of a force": (
        lambda arm: check_path(arm, STILL, cut=CuttingForce(1, 2, 3)),
        "a cut is Cut",
    ),
    "cut of a number": (
        lambda arm: check_path(arm, STILL, cut=Cut(80.0)),
        "the force of a cut is a CuttingForce",
    ),
    "cut in words": (
        lambda arm: check_path(arm, STILL, cut=Cut(CuttingForce(1, 2, 3), lines="5")),
        "lines of a cut are numbers",
    ),
    "cut in steps": (
        lambda arm: check_path(arm, STILL, cut=Cut(CuttingForce(1, 2, 3), lines=(range(1, 9, 2),))),
        "ranges of lines of a cut go in steps of 1",
    ),
    "cut of one spring": (
        lambda arm: check_path(arm, STILL, cut=Cut(CuttingForce(1, 2, 3), 1e5)),
        "one positive number per axis",
    ),
    "lines of another": (
        lambda arm: check_path(arm, ProgramMotion(STILL, np.zeros(3, dtype=int), (), (), ())),
        r"lines of a program, one per sample, needs \(2,\)",
    ),
    "findings of words": (
        lambda arm: check_path(arm, ProgramMotion(STILL, np.zeros(2, dtype=int), (), ("a",), ())),
        "findings of a program are a list of Finding, not 'a'",
    ),
    "moves in words": (
        lambda arm: programmed_motion(arm, "MoveL"),
        "moves are those that .* lists, not 'MoveL'",
    ),
    "no arm": (
        lambda arm: programmed_motion(None, ()),
        "a program is one of an irbmodels.Robot, not None",
    ),
    "slow in words": (
        lambda arm: programmed_motion(arm, (), slow="no"),
        "slow, .* is True or False, not 'no'",
    ),
    "stand-in in words": (
        lambda arm: programmed_motion(arm, (), stand_in="no"),
        "stand_in, .* is True or False, not 'no'",
    ),
    "work objects": (
        lambda arm: programmed_motion(arm, (), wobjs={"a": 5}),
        "dictionary of names to WobjData, not 5",
    ),
    "units": (
        lambda arm: programmed_motion(arm, (), units=[1.0]),
        "dictionary of names to Robot, not",
    ),
    "start in words": (
        lambda arm: programmed_motion(arm, (), start="home"),
        r"start \[rad, m\] is not an array of numbers",
    ),
    "start in degrees": (lambda arm: programmed_motion(arm, (), start=[90.0] * 6), "are these deg"),
}


@pytest.mark.parametrize("name", MISUSED)
def test_misuse_is_one_clear_line(robot, name):
    call, message = MISUSED[name]
    refused_in_one_line(lambda: call(robot), message)


def test_a_check_prints_one_short_line(robot):
    """What is kept or first not, how long the path is, and how near the limits it comes."""
    kept = repr(check_path(robot, STILL))
    assert re.match(
        r"<PathCheck of 2 samples, 0.1 s: every checked bound kept; used at most: range [\d.]+ %,"
        r" speed 0 %, torque ",
        kept,
    )
    broken = check_path(
        robot, motion(np.tile([0.0, 2.5, 2.5, 0.0, 0.0, 0.0], (2, 1))), acceleration=np.ones(6)
    )
    text = repr(broken)
    assert (
        f": {len(broken.findings)} bounds not kept, first t = 0 .. 0.01 s: axis 2: q2 = 143.239 deg"
        " is outside" in text
    )
    assert text.endswith("acceleration 0 %>")
    assert max(len(kept), len(text)) < 300
    assert str(broken) == text
