"""Ranges, speeds, torques, singularities, box, collision and cuts along motions and files."""

import math
import re
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from misuse import refused_in_one_line
from path_programs import joints, motion, program, ramp

import irbmodels as irb
from irbmodels import cli, rapid
from irbmodels.kinematics.singularities import NEAR_ANGLE
from irbmodels.robot.tool_extent import ToolExtent
from irbmodels.tasks.milling import CuttingForce, process_load
from irbmodels.tasks.path_check import (
    Box,
    Cut,
    ProgramMotion,
    check_path,
    programmed_motion,
)
from irbmodels.trajectory.motion_files import write_motion


def test_margins_of_postures_worked_by_hand(robot):
    """Axis 2 at 100 deg is 10 from its 110; axis 3 counts q3 - q2, -60..65: at q2 = 30, q3 = 80 it
    has 15 left.
    """
    q = robot.from_controller([[0, 100, 90, 0, 30, 0], [-170, 30, 80, 190, -110, 390]])
    actual = check_path(robot, motion(q))
    np.testing.assert_allclose(np.degrees(actual.margin.value), [10, 10, 15, 10, 10, 10], atol=1e-9)
    np.testing.assert_allclose(
        actual.used.value,
        1.0 - np.array([10, 10, 15, 10, 10, 10]) / [180, 105, 62.5, 200, 120, 400],
    )
    np.testing.assert_allclose(actual.margin.time, [0.01, 0.0, 0.01, 0.01, 0.01, 0.01], atol=1e-15)
    assert not actual.findings
    assert actual.first is None


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
    actual = check_path(robot, motion(robot.from_controller([[0, 60, -10, 0, 30, 0]]))).findings
    assert [(one.kind, one.axis, one.quantity) for one in actual] == [("range", 3, "q3 - q2")]
    np.testing.assert_allclose(
        np.degrees([actual[0].value, actual[0].lower, actual[0].upper]), [-70, -60, 65], atol=1e-9
    )
    assert (
        str(actual[0]) == "t = 0 s: axis 3: q3 - q2 = -70 deg is outside its bounds -60 .. 65 deg"
    )


def test_shares_against_rated_speed_and_given_acceleration(robot):
    """Axis 1 is rated 150 deg/s (as ROS-Industrial has it): 75 deg/s is half; 75 of 300 deg/s^2 a
    quarter, for either sign.
    """
    q = np.tile(robot.from_controller([0, 0, 0, 0, 30, 0]), (3, 1))
    v, a = np.zeros((3, 6)), np.zeros((3, 6))
    v[1, 0], v[2, 0], a[2, 0] = np.radians(30.0), -np.radians(75.0), -np.radians(75.0)
    actual = check_path(robot, motion(q, v, a), acceleration=np.full(6, np.radians(300.0)))
    np.testing.assert_allclose(actual.speed.value, [0.5, 0, 0, 0, 0, 0], atol=1e-12)
    np.testing.assert_allclose(actual.acceleration.value, [0.25, 0, 0, 0, 0, 0], atol=1e-12)
    assert (actual.speed.time[0], actual.acceleration.time[0]) == (0.02, 0.02)
    assert check_path(robot, motion(q, v, a)).acceleration is None


def test_torque_share_peaks_and_friction_share_against_plain_formulas(robot):
    """Sample by sample with inverse dynamics, gravity and the printed friction law, as sums of
    numbers.
    """
    rng = np.random.default_rng(0)
    q, v, a = (rng.uniform(-0.4, 0.4, (40, 6)) for _ in range(3))
    actual = check_path(robot, motion(q, v, a))
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
    np.testing.assert_allclose(actual.peaks[:4], parts.max(axis=1), rtol=1e-9, atol=1e-9)
    np.testing.assert_allclose(actual.peaks[4], np.abs(bare + rubbing).max(axis=0), rtol=1e-9)
    np.testing.assert_allclose(
        actual.torque.value, actual.peaks[4] / robot.limits.effort, rtol=1e-9
    )
    np.testing.assert_allclose(
        actual.friction_share, parts[3].sum(axis=0) / parts.sum(axis=(0, 1)), rtol=1e-7
    )


def test_singularities_and_measures_against_determinants(robot):
    """The nearest approach to the wrist is |q5|; manipulability is |det J|; the smallest singular
    value is numpy's.
    """
    q = ramp(robot, 5, 40.0, -20.0, 31)
    actual = check_path(robot, motion(q))
    np.testing.assert_allclose(actual.singularities["wrist"].value, 0.0, atol=1e-9)  # at sample 20
    assert actual.singularities["wrist"].time[0] == pytest.approx(0.2)
    assert [(one.kind, one.start, one.end) for one in actual.near] == [
        ("wrist", pytest.approx(0.18), pytest.approx(0.22))
    ]
    assert not actual.findings  # nearness is no violation
    apart = check_path(robot, motion(q[:10]))
    np.testing.assert_allclose(np.degrees(apart.singularities["wrist"].value), 22.0, atol=1e-9)
    dets = [abs(np.linalg.det(robot.jacobian(x))) for x in q[:10]]
    np.testing.assert_allclose(apart.manipulability.value, min(dets), rtol=1e-9)
    least = min(np.linalg.svd(robot.jacobian(x), compute_uv=False)[-1] for x in q[:10])
    np.testing.assert_allclose(apart.smallest.value, least, rtol=1e-9)
    assert math.degrees(NEAR_ANGLE) == pytest.approx(5.0)


def test_a_robot_whose_friction_and_singularities_nobody_knows():
    """A positioner: no share of friction, no distances, but measures; a SCARA has no wrist, and is
    far from its singularity.
    """
    two = irb.from_urdf(irb.urdf_path("positioner"))
    actual = check_path(two, motion(np.full((2, two.n), 0.1)))
    assert actual.friction_share is None
    assert actual.singularities == {}
    assert (actual.used.value[~np.isfinite(two.limits.upper)] == 0.0).all()
    assert not actual.near
    assert np.isfinite(actual.smallest.value).all()
    scara = irb.load("irb930")
    assert np.isinf(
        check_path(scara, motion(np.full((2, 4), -0.1))).singularities["wrist"].value
    ).all()


# --- box and collision


def test_an_arm_without_masses_is_checked_but_for_its_torques(tmp_path):
    """Ranges, speeds and singularities are those of the same arm with masses; torques are unknown,
    and named as not checked.
    """
    arm = irb.load("irb1100_4_58")
    q = arm.from_controller(np.linspace([0, 80, 0, 0, 30, 0], [10, 120, 0, 0, 30, 0], 101))
    v = np.gradient(q, 0.01, axis=0)
    path = irb.Motion(0.01 * np.arange(101), q, v, np.zeros_like(q))
    check = check_path(arm, path, output=tmp_path / "check.csv")
    assert [(one.kind, one.axis) for one in check.findings] == [("range", 2)]
    assert check.margin.value[1] == pytest.approx(np.radians(-7.0))
    np.testing.assert_allclose(
        check.speed.value[:2], np.radians([10, 40]) / arm.limits.velocity[:2]
    )
    assert np.abs(check.singularities["wrist"].value) == pytest.approx(np.radians(30.0))
    assert np.isnan([*check.torque.value, *check.peaks.ravel()]).all()
    assert check.unlimited == ("torques of axes 1, 2, 3, 4, 5 and 6",)
    assert "torque" not in repr(check)
    table = np.genfromtxt(tmp_path / "check.csv", delimiter=",", names=True)
    assert np.isnan(table["tau2_total_Nm"]).all()
    assert np.isfinite(table["margin2_deg"]).all()


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
    actual = check_path(robot, motion(q), box=Box((-2, -2, 0), (2, 0.4, 2)))
    first = math.ceil(math.degrees(math.asin(0.4 / radius)))
    assert actual.box_scope == "TCP"
    assert [(one.kind, one.quantity, one.start, one.end) for one in actual.findings] == [
        ("box", "TCP y", pytest.approx(first / 100), pytest.approx(0.6))
    ]
    assert actual.findings[0].value == pytest.approx(radius * math.sin(math.radians(60.0)))
    assert str(actual.findings[0]).endswith(
        f"TCP y = {1000 * actual.findings[0].value:.6g} mm is outside -2000 .. 400 mm"
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
    actual = check_path(robot, motion(q[:1]), box=Box((-3, -3, floor), (3, 3, 3)))
    assert [one.quantity for one in actual.findings] == ["tool z"]
    assert actual.findings[0].value == pytest.approx(low[0, 2])
    assert actual.box_scope == "TCP and tool"


@pytest.mark.parametrize("link", ["tool0", "tcp"])
@pytest.mark.parametrize(
    ("shape", "size"), [("sphere", 'radius="0.05"'), ("cylinder", 'radius="0.05" length="0.2"')]
)
def test_round_shapes_reach_as_far_as_their_surface(shape, size, link, tmp_path):
    """Against ten thousand points of the surface; it is never less, and more by what lies between
    points.
    """
    document = ElementTree.fromstring(irb.load("irb2400").urdf())  # with absolute mesh paths
    tag = (
        f'<collision><origin xyz="0.1 0.02 -0.03" rpy="0.4 0.5 0.6"/><geometry><{shape}'
        f" {size}/></geometry></collision>"
    )
    document.find(f"link[@name='{link}']").append(ElementTree.fromstring(tag))
    (tmp_path / "arm.urdf").write_text(ElementTree.tostring(document, encoding="unicode"))
    robot = irb.from_urdf(tmp_path / "arm.urdf").with_tool(
        irb.Tool("t", irb.load_tool("spindle").tcp, irb.load_tool("spindle").load)
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
    for k, pose in enumerate(np.asarray(robot.pose(q, link))):
        tcp = robot.pose(q[k]).translation
        world = np.vstack([local @ pose[:3, :3].T + pose[:3, 3], tcp])
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
    actual = [
        one
        for one in check_path(robot, motion(q), collision=True).findings
        if one.kind == "collision"
    ]
    covered = np.zeros(21, dtype=bool)
    for one in actual:
        covered[round(one.start * 100) : round(one.end * 100) + 1] = True
        assert one.text == "; ".join(f"{a} touches {b}" for a, b in irb.contacts(robot, one.q))
    assert (covered == touching).all()
    assert not any(one.kind == "collision" for one in check_path(robot, motion(q)).findings)


# --- what comes in


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
    actual = check_path(
        robot, irb.open_motion(tmp_path / "m.csv", robot), output=tmp_path / "t.csv"
    )
    # 111 deg is sample 11
    assert (actual.first.line, actual.first.axis, actual.first.start) == (
        13,
        2,
        pytest.approx(0.11),
    )
    assert str(actual.first).startswith("line 13, t = 0.11 .. 0.19 s: axis 2: q2 = 119 deg")
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


# --- a cut


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
    stderr = capsys.readouterr().err
    assert "torques hold a cut of -30, -40, 10 N (feed, across, axial) in lines 10, 12-14" in stderr
    assert "the TCP gives way to the cut by" in stderr
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


@together("name", MISUSED)
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
