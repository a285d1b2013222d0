"""RAPID programs as motions: moves, their times, notes and findings."""

import math
import re

import numpy as np
import pytest
from path_programs import FRAME, SPINDLE, joints, kinds, program, target

import irbmodels as irb
from irbmodels import rapid
from irbmodels.tasks.path_check import (
    check_path,
    programmed_motion,
)
from irbmodels.tasks.path_check.ik_following import _jumps
from irbmodels.tasks.path_check.move_timing import SpeedProfile
from irbmodels.trajectory import axis_path, rapid_module, time_optimal


def test_the_third_move_leaves_the_coupled_range(robot):
    """Each target is in range on its own axes; on line 6 q3 - q2 passes -60 at the time that the
    trapezoid says.
    """
    body = "\n".join(
        f"MoveAbsJ {joints(*q)},v500,fine,tSp;"
        for q in ((0, 0, 0, 0, 30, 0), (0, 50, 40, 0, 30, 0), (0, 50, -30, 0, 30, 0))
    )
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    actual = check_path(robot, made)
    assert {one.line for one in actual.findings} == {6}
    assert (actual.first.kind, actual.first.axis, actual.first.quantity) == ("range", 3, "q3 - q2")
    assert math.degrees(actual.first.value) == pytest.approx(-80.0)
    timing = made.timings[-1]
    t = np.linspace(timing.start, timing.end, 100_001)
    q3 = np.degrees(np.interp(t, made.motion.t, made.motion.q[:, 2]))
    # one sample
    assert actual.first.start == pytest.approx(t[np.argmax(q3 - 50.0 < -60.0)], abs=0.0101)
    assert actual.first.end == made.motion.t[-1]
    assert [one.line for one in actual.by_line] == [4, 5, 6]
    # of the half range of -60..65
    assert actual.by_line[-1].used == pytest.approx(1.0 + 20.0 / 62.5)
    assert actual.by_line[-1].used_axis == 3


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
        notes = [note for note in made.notes if "ends in the configuration" in note]
        assert bool(notes) == noted
        assert all(
            "line 5: MoveL ends in the configuration [0,0,0,0], not in " + str(end.robconf) in note
            for note in notes
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
    actual = check_path(robot, made)
    assert actual.first.line == 5


def test_a_line_through_the_wrist_singularity_jumps(robot):
    """From q5 = 30 to -30 deg of the same plane by MoveL: the wrist must flip, or axis 4 turn,
    within a few millimetres.
    """
    start = robot.from_controller([0, 0, 0, 0, 30, 0])
    end = robot.from_controller([5, 0, 0, 0, -30, 10])
    one, two = (target(robot, np.degrees(q)) for q in (start, end))
    body = f"MoveAbsJ {joints(0, 0, 0, 0, 30, 0)},v500,fine,tSp;\nMoveL {two},v200,fine,tSp;"
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    jumps = [actual for actual in made.findings if actual.kind == "jump"]
    assert one is not None
    assert jumps
    assert {actual.line for actual in jumps} == {5}
    assert {actual.axis for actual in jumps} <= {4, 6}
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
    text = "\n".join(made.notes)
    for words in (
        "line 5: MoveL not evaluated: nowhere is declared neither",
        "line 6: WHILE not evaluated: DInput() is not evaluated; its first round is driven",
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
        assert words in text, words
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
    actual = check_path(robot, made)
    assert [(one.kind, one.line) for one in actual.findings] == [
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
    for body in ("MoveL CRobT(),v10,fine,tSp;", "grip 3;", "grip;", "GOTO on;"):
        actual = made(body)
        assert (actual.findings, actual.kept, len(actual.program.unevaluated)) == ((), False, 1), (
            body
        )
        assert actual.program.unevaluated[0].startswith("line 5: ")
    strange = home.replace("tSp", "tX")
    assert made(strange).program.unevaluated == (
        "tX has no value in the program: the robot's tool spindle stands for it",
    )
    assert made(strange, stand_in=True).kept


def test_confj_off_takes_the_nearest_posture(robot):
    """A target programmed with the wrist turned over: as programmed, or nearest to the start."""
    start = robot.from_controller([0, 0, 0, 10, 30, 0])
    end = target(robot, [20, 0, 0, -170, -30, 180])
    ends = []
    for setting in ("", "ConfJ\\Off;"):
        moves = rapid.sequence_of(program(f"{setting}\nMoveJ {end},v500,fine,tSp;", SPINDLE))
        made = programmed_motion(robot, moves, start=start)
        assert not made.findings
        ends.append(np.degrees(made.motion.q[-1]))
    np.testing.assert_allclose(ends[0][3:], [-170, -30, 180], atol=1e-4)
    np.testing.assert_allclose(ends[1][3:], [10, 30, 0], atol=1e-4)


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
    actual = time_optimal(
        axis_path(q), velocity=robot.limits.velocity, acceleration=np.full(6, 6.0), intervals=100
    )
    read = rapid.read(rapid_module(actual.sample(50.0), robot))
    made = programmed_motion(robot, rapid.sequence_of(read))
    assert made.motion.t[-1] == pytest.approx(actual.duration, abs=1e-6)
    assert made.unevaluated == ()
    assert not made.findings
    assert not any("stopped at" in note for note in made.notes)
    exact = [actual.at(t) for t in made.motion.t]
    # a spline through samples 20 ms apart of a motion whose acceleration jumps by up to 12 rad/s^2:
    # of the order of a h^2 / 10
    np.testing.assert_allclose(made.motion.q, [one.q for one in exact], atol=12.0 * 0.02**2 / 10.0)
    dense = actual.sample(500.0)
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
    started = programmed_motion(
        robot, rapid.sequence_of(program(body, SPINDLE))[1:], start=robot.from_controller(ways[0])
    )
    np.testing.assert_allclose(started.motion.q, q, atol=1e-12)
    assert started.motion.t[0] == 0.0


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


def ways_of(made):
    """Return where each move starts and ends, rounded to 1e-6 rad, with its line and time."""
    t, q = made.motion.t, made.motion.q
    return {
        (
            one.line,
            round(one.end - one.start, 6),
            *(tuple(q[np.abs(t - when).argmin()].round(6)) for when in (one.start, one.end)),
        )
        for one in made.timings
    }


def test_branches_are_driven_each_from_where_it_starts(robot):
    """Ways of a program with branches are those of the programs with one of each: its moves from
    the same starts to the same ends in the same times, neither more nor less.
    """
    text = "\n".join(
        f"{head}MoveAbsJ {joints(*q)},v500,fine,tSp;{tail}"
        for head, q, tail in (
            ("", (0, 0, 0, 0, 30, 0), ""),
            ("IF {0} THEN\n", (20, 0, 0, 0, 30, 0), ""),
            ("IF {1} ", (30, 0, 0, 0, 30, 0), ""),
            ("ELSE\nIF {1} RETURN;\n", (0, 20, 0, 0, 40, 0), "\nENDIF"),
            ("", (0, 10, 0, 0, 30, 20), ""),
            (r"TEST {2}" "\nCASE 1:\n", (10, 10, 0, 0, 30, 0), r""),
            ("CASE 2:\nWaitTime 1;\nDEFAULT:\n", (10, 10, 10, 0, 30, 0), "\nENDTEST"),
            ("", (0, 0, 0, 0, 30, 0), ""),
        )
    ).replace("v500,fine,tSp;\nENDTEST", "v500\\T:=1,z10,tSp;\nENDTEST")
    made = programmed_motion(
        robot,
        rapid.sequence_of(program(text.format("DInput(a)=1", "DInput(b)=1", "DInput(c)"), SPINDLE)),
    )
    single = set()
    for first, second, third in np.ndindex(2, 2, 3):
        conditions = *("TRUE" if one else "FALSE" for one in (first, second)), third + 1
        moves = rapid.sequence_of(program(text.format(*conditions), SPINDLE))
        single |= ways_of(programmed_motion(robot, moves))
    assert ways_of(made) == single
    v = made.motion.v
    jumps = np.abs(np.diff(made.motion.q, axis=0)).max(axis=1) > 0.1  # [rad] in a step of 0.01 s
    assert jumps.sum() >= 4
    assert not np.any(v[:-1][jumps])  # from rest
    assert not np.any(v[1:][jumps])  # to rest
    notes = "\n".join(made.notes)
    assert (
        "line 10: MoveAbsJ starts where line 4 ends: what stands between is another branch" in notes
    )
    assert "line 12: MoveAbsJ starts where line 7, 6 or 10 ends: it is driven from each" in notes
    assert "branches that the run chooses from follow one another here" in notes


def test_every_wait_is_remarked(robot):
    """Each wait is a remark by its line, in a loop and a branch of the run as well, and leaves the
    program wholly checked; one in an ERROR handler is none.
    """
    ends = [f"MoveAbsJ {joints(k, 0, 0, 0, 30, 0)},v500,fine,tSp;" for k in (0, 10)]
    body = (
        f"{ends[0]}\nWaitTime 2;\nIF DInput(di1)=1 WaitTime 1;\nWHILE DInput(di1)=0 DO\n"
        f"WaitTime 0.1;\nENDWHILE\nWaitUntil DInput(di1)=1;\n{ends[1]}\nERROR\nWaitTime 7;"
    )
    made = programmed_motion(robot, rapid.sequence_of(program(body, SPINDLE)))
    waits = [note.partition(" noted")[0] for note in made.notes if "how long it waits" in note]
    assert waits == [
        "line 5: WaitTime",
        "line 6: WaitTime",
        "line 8: WaitTime",
        "line 10: WaitUntil",
    ]
    assert made.unevaluated == ()
    assert len(made.timings) == 1
