"""What is asked and answered: order, turns, filters, reasons, wrong questions."""

import itertools
import re
from dataclasses import replace
from importlib.util import find_spec
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from inverse_cases import ROBOTS, compiled, forward, postures, ranges_kept
from own_arms import arm_urdf, urdf, written

import irbmodels as irb
from irbmodels import rapid
from irbmodels.kinematics.inverse.solver import InverseKinematics
from irbmodels.rapid import grammar


def test_solutions_are_sorted_by_time_from_the_seed():
    """The seed's own posture comes first; distances are times at rated speed, with axis 6 in the
    seed's full turn.
    """
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([20, 10, 15, 100, 40, 370])
    solutions = robot.inverse_kinematics(robot.pose(q), near=q, in_range=True)
    np.testing.assert_allclose(solutions[0].q, q, atol=1e-9)
    assert solutions[0].distance < 1e-9
    assert [s.distance for s in solutions] == sorted(s.distance for s in solutions)
    for solution in solutions:
        wanted = np.linalg.norm((solution.q - q) / robot.limits.velocity)
        assert solution.distance == pytest.approx(wanted)
    assert robot.inverse_kinematics(robot.pose(q))[0].distance is None
    plain = robot.inverse_kinematics(robot.pose(q), in_range=True)
    assert np.abs(plain.q[:, 5]).max() <= np.pi
    batch = robot.inverse_kinematics(robot.pose(q).homogeneous[None], near=q)
    assert np.abs(batch.q[0] - q).max(axis=1).min() < 1e-9
    unknown = replace(robot.limits, velocity=np.where(np.arange(6) < 2, np.inf, 0.5))
    distances = InverseKinematics(robot._inverse.arm, unknown).distances(plain.q, q)
    speeds = [1.0, 1.0, 0.5, 0.5, 0.5, 0.5]
    np.testing.assert_allclose(distances, np.linalg.norm((plain.q - q) / speeds, axis=1))


def test_axis_three_of_the_1600_is_shown_in_its_range():
    """-235 to 55 deg: -200 deg is shown as such, not as 160, whether or not there is a seed."""
    robot = ROBOTS["irb1600_6_120"]
    q = robot.from_controller([10, 20, -200, 30, 40, 50])
    for seed in (None, np.zeros(6), q):
        solutions = robot.inverse_kinematics(robot.pose(q), near=seed, in_range=True)
        assert np.abs(solutions.q - q).max(axis=1).min() < 1e-9


@pytest.mark.parametrize("seed", [-390.0, 390.0, 900.0, -900.0])
def test_seeds_at_and_beyond_the_end_of_a_range(seed):
    """Axis 6 is shown in the turn in range that is nearest to the seed, also where the nearest of
    all is not in range.
    """
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([20, 10, 15, 100, 40, 0])
    for turn in range(-150, 180, 30):
        q[5], near = np.radians(turn), q.copy()
        near[5] = np.radians(seed)
        T = robot.pose(q)
        shown = max if seed > 0 else min
        expected = shown(value for value in (turn - 360, turn, turn + 360) if abs(value) <= 400)
        T = T.homogeneous[None]
        for solutions in (
            robot.inverse_kinematics(T, near=near).q,
            robot._inverse._solve(T, near, None).q,
        ):
            same = np.abs(solutions[0, :, :5] - q[:5]).max(axis=1) < 1e-9
            assert np.degrees(solutions[0, same, 5]) == pytest.approx([expected])


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_full_turns(name):
    """With turns every posture inside the ranges is listed once, and nothing else changes."""
    robot = ROBOTS[name]
    for q in postures(name, 5, seed=10):
        base = robot.inverse_kinematics(robot.pose(q), in_range=True)
        solutions = robot.inverse_kinematics(robot.pose(q), in_range=True, turns=True)
        expected = []
        steps = [(0,) if linear else (-2, -1, 0, 1, 2) for linear in robot.limits.linear]
        for solution in base:
            every = solution.q + 2.0 * np.pi * np.array(list(itertools.product(*steps)))
            expected += list(every[ranges_kept(name, every)])
        assert len(solutions) == len(expected)
        table = np.abs(solutions.q[:, None] - np.array(expected)[None]).max(axis=-1)
        assert (table.min(axis=0) < 1e-9).all()
        assert (table.min(axis=1) < 1e-9).all()
        assert all(solution.in_range for solution in solutions)


def test_axes_without_a_range_are_listed_once(tmp_path):
    """Full turns of a continuous joint are endless, and one of them is enough."""
    text = (
        arm_urdf()
        .replace('type="revolute"', 'type="continuous"')
        .replace('lower="-18" upper="18" ', "")
    )
    robot = irb.from_urdf(written(text, tmp_path))
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    assert len(robot.inverse_kinematics(robot.pose(q), turns=True)) == len(
        robot.inverse_kinematics(robot.pose(q))
    )


def test_a_notebook_shows_the_table():
    """Every cell that print shows, in rows, and the notes; without solutions the reason."""
    robot = ROBOTS["irb2400_16"]
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    solutions = robot.inverse_kinematics(robot.pose(q), near=q)
    heads, rows, notes = solutions.table()
    table = ElementTree.fromstring(f"<p>{solutions._repr_html_()}</p>".replace("<br>", "<br/>"))
    shown = [["".join(cell.itertext()) for cell in row] for row in table.iter("tr")]
    assert shown == [heads, *rows]
    assert list(table.find("p").itertext()) == notes
    far = robot.pose(q)
    far.translation = np.array([9.0, 0.0, 0.0])
    none = robot.inverse_kinematics(far)
    assert none._repr_html_() == f"<p>no solution: {none.note}</p>"


def test_sequence():
    """Solutions can be counted, sliced, run over and shown; arrays keep their leading axes."""
    robot = ROBOTS["irb2400_16"]
    q = np.array([0.3, 0.4, 0.2, 0.5, 0.6, 0.7])
    solutions = robot.inverse_kinematics(robot.pose(q))
    assert repr(solutions) == f"<{len(solutions)} solutions>"
    assert (
        [s.q.tolist() for s in solutions]
        == [s.q.tolist() for s in solutions[:]]
        == solutions.q.tolist()
    )
    assert solutions[-1].q.tolist() == solutions.q[-1].tolist()
    assert ["out of range" in repr(s) for s in solutions] == [not s.in_range for s in solutions]
    assert not all(s.in_range for s in solutions)
    assert repr(solutions[0]).startswith("<Solution q=[0.3")
    T = robot.pose(np.tile(q, (2, 3, 1)))
    many = robot.inverse_kinematics(T)
    assert many.q.shape == (2, 3, 8, 6)
    assert many.valid.shape == many.flags.wrist.shape == many.in_range.shape == (2, 3, 8)
    assert many.missing.shape == (2, 3)
    np.testing.assert_allclose(many.q[1, 2][many.valid[1, 2]], solutions.q, atol=1e-12)
    assert robot.inverse_kinematics(np.zeros((0, 4, 4))).q.shape == (0, 8, 6)
    far = pin.SE3(np.eye(3), np.array([5.0, 0.0, 0.0]))
    none = robot.inverse_kinematics(far, in_range=True, turns=True, near=q)
    assert not none
    assert repr(none) == f"<0 solutions: {none.note}>"


def test_reasons_for_none():
    """An empty answer says why."""
    robot = ROBOTS["irb2400_16"]
    q = robot.from_controller([0, 20, 120, 0, 30, 0])  # q3 - q2 = 100 deg
    T = robot.pose(q)
    none = robot.inverse_kinematics(T, in_range=True)
    count = len(robot.inverse_kinematics(T))
    assert (
        none.note
        == f"none of {count} solutions is in range; the nearest has q3 - q2 = 100.0 not in -60 .."
        " 65 deg"
    )
    assert str(none) == f"no solution: {none.note}"
    with pytest.raises(
        irb.NoSolution,
        match=r"^no solution: none of 8 solutions is in range; the nearest has q3 - q2 = ",
    ):
        none[0]
    other = robot.inverse_kinematics(
        robot.pose(robot.from_controller([10, 20, 60, 5, 30, 5])), configuration=(3, 0, 0, 0)
    )
    assert other.note.startswith(
        "none of 8 solutions has the configuration [3,0,0,0]; there are [0,0,0,0], [0,"
    )
    with pytest.raises(IndexError, match="there is no solution 8, but 0 to 7"):
        robot.inverse_kinematics(T)[8]
    scara = ROBOTS["irb930_12_105"]
    pose = scara.pose(np.zeros(4))
    leaning = pin.SE3(pose.rotation @ pin.exp3(np.array([0.1, 0.0, 0.0])), pose.translation)
    solutions = scara.inverse_kinematics(leaning)
    assert solutions.missing == np.inf
    assert (
        solutions.note
        == "the tool would have to lean by 5.73 deg, and the axes of a SCARA are parallel"
    )
    assert scara.inverse_kinematics(leaning.homogeneous[None]).missing[0] == np.inf
    upside_down = pin.SE3(np.eye(3), pose.translation)
    assert "lean by 180 deg" in scara.inverse_kinematics(upside_down).note


LIGHT = irb.payload(0.1, [0.0, 0.0, 0.01])


def six_digits(pose):
    """A pose whose quaternion has six decimals, as controllers write it."""
    quaternion = np.round(pin.Quaternion(pose.rotation).coeffs(), 6)
    return pin.SE3(pin.Quaternion(quaternion).normalized().matrix(), pose.translation)


@pytest.mark.parametrize("name", ["irb910sc", "irb930_12_105", "irb260", "irb660_180_315"])
def test_six_digits_of_quaternions_do_not_lean(name):
    """A target whose quaternion and those of tool, frames and base have six decimals is reached by
    arms whose tool stays upright; one that leans by twice what these digits do is not.
    """
    rng, bare = np.random.default_rng(18), irb.load(name)
    for _ in range(40):
        base, tool, user, work = (
            pin.SE3(pin.exp3(rng.uniform(-2.0, 2.0, 3)), rng.uniform(-0.1, 0.1, 3))
            for _ in range(4)
        )
        q = rng.uniform(0.3, 0.5, bare.n)
        there = bare.mounted(base).with_tool(irb.Tool("t", tool, LIGHT))
        written = (user * work).actInv(there.pose(q, reference="world"))
        user, work, written = map(six_digits, (user, work, written))
        robot = bare.mounted(six_digits(base)).with_tool(irb.Tool("t", six_digits(tool), LIGHT))
        pose = user * work * written
        solutions = robot.inverse_kinematics(pose, reference="world")
        # digits turn by 1e-5 rad at most, a metre from the wrist, arms of 0.2 m and more
        assert np.abs(solutions.q - q).max(axis=1).min() < 1e-4
        upright = robot.pose(solutions.q[0], reference="world")
        leaning = pin.SE3(pin.exp3(base.rotation[:, 0] * 2e-5), np.zeros(3)) * upright
        assert "lean by 0.00115 deg" in robot.inverse_kinematics(leaning, reference="world").note


NONE = "[9E9,9E9,9E9,9E9,9E9,9E9]"


def target(robot, q_deg, conf=None):
    """A robtarget that the robot is on at a posture, with its own configuration."""
    q = robot.from_controller(q_deg)
    pose = rapid.Pose.of(robot.pose(q))
    return rapid.RobTarget(
        pose.trans, pose.rot, conf or robot.configuration(q)[:4], rapid.ExtJoint()
    )


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_the_programmed_posture_of_a_robtarget_comes_first(name):
    """All postures of its pose, as value and as text; the one with its configuration is marked, in
    the turn that it tells.
    """
    robot = ROBOTS[name]
    for q in postures(name, 5, seed=4):
        one = target(robot, robot.to_controller(q))
        every = robot.inverse_kinematics(one.pose())
        for given in (one, str(one)):
            solutions = robot.inverse_kinematics(given)
            assert [s.programmed for s in solutions] == [
                k < solutions.programmed for k in range(len(solutions))
            ]
            assert [s.programmed for s in solutions[:]] == [s.programmed for s in solutions]
            np.testing.assert_allclose(solutions[0].q, q, atol=1e-6)
            for posture in every.q:
                assert (np.abs(solutions.q - posture).max(axis=1) < 1e-6).any()
            assert len(every) <= len(solutions) <= len(every) + solutions.programmed
        near = robot.inverse_kinematics(one, near=every.q[-1], in_range=True)
        assert near[0].programmed
        assert near.distances[0] == pytest.approx(
            robot.inverse_kinematics(one.pose(), near=every.q[-1]).distances.min(), abs=9.0
        )
        assert list(near.distances[near.programmed :]) == sorted(near.distances[near.programmed :])
        assert all(s.in_range for s in near)


def test_configurations_of_robtargets():
    """Another configuration is a filter; none such is a note; on a parallelogram arm cf1, cf4, cf6
    stand in for all four.
    """
    robot, unsure = ROBOTS["irb1600_6_120"], ROBOTS["irb2400_16"]
    one = target(robot, [10, 20, 30, 40, 50, 60])
    other = robot.inverse_kinematics(one.pose())[1].configuration[:4]
    assert [s.configuration[:4] for s in robot.inverse_kinematics(one, configuration=other)] == [
        other
    ]
    lost = robot.inverse_kinematics(target(robot, [10, 20, 30, 40, 50, 60], (3, 3, 3, 0)))
    assert (lost.programmed, lost.note) == (0, "none has the configuration [3,3,3,0]")
    assert len(lost) == len(robot.inverse_kinematics(one.pose()))
    assert "none has the configuration [3,3,3,0]" in str(lost)
    solutions = unsure.inverse_kinematics(target(unsure, [10, 20, 30, 40, 50, 60], (0, 0, 0, 1)))
    assert solutions[0].programmed
    assert solutions[0].configuration[:3] == (0, 0, 0)
    assert (
        "cfx of this kind of arm is not known for sure: cf1, cf4 and cf6 choose" in solutions.note
    )


def test_solutions_print_as_a_table():
    """Degrees, mm, configuration, ranges and singularities; a star for what is programmed; what is
    out of range below.
    """
    robot, scara = ROBOTS["irb2400_16"], ROBOTS["irb930_12_105"]
    inline = robot.pose(robot.from_controller([20, 10, 15, 100, 0, -30]))
    lines = str(robot.inverse_kinematics(inline, near=np.zeros(6))).splitlines()
    heads = "q1 deg q2 deg q3 deg q4 deg q5 deg q6 deg cf1,cf4,cf6,cfx singular range distance s"
    assert " ".join(lines[0].split()) == heads
    first = lines[1].split()
    assert (first[:4], first[-3:-1]) == (
        ["1", "20.0000", "10.0000", "15.0000"],
        ["wrist", "inside"],
    )
    assert any(re.match(r"\d+: q3 - q2 = -?\d+\.\d not in -60 \.\. 65 deg", line) for line in lines)
    programmed = str(
        robot.inverse_kinematics(target(robot, [20, 10, 15, 100, 40, -30]))
    ).splitlines()
    assert programmed[1].split()[:2] == ["*1", "20.0000"]
    assert "* as programmed" in programmed
    text = str(scara.inverse_kinematics(scara.pose([0.1, 0.2, -0.1, 0.3])))
    assert "q3 mm" in text
    assert "-100.0000" in text
    assert "*" not in text


def test_targets_need_no_parser_and_refuse_what_they_are_not(monkeypatch):
    """Without lark a literal is read all the same; a malformed one says where, and what is no
    robtarget is refused.
    """
    robot = ROBOTS["irb1600_6_120"]
    q = robot.from_controller([10, 20, 30, 40, 50, 60])
    text = str(target(robot, robot.to_controller(q)))
    joints = rapid.JointTarget.of(robot, q)
    with pytest.raises(
        irb.InputError,
        match="a target is a robtarget, not a jointtarget; it has axis positions already",
    ):
        robot.inverse_kinematics(joints)
    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    monkeypatch.setattr("irbmodels.rapid.parser.find_spec", lambda name: None)
    np.testing.assert_allclose(robot.inverse_kinematics(f" ! taught\n{text}")[0].q, q, atol=1e-6)
    for wrong, reason in (
        (text[:-1], "the text ends where"),
        (text.replace("],[", "][", 1), "found '[' where ',' or ']' belongs"),
        (f"{text},", "found ','"),
        (text.replace("[0,", "[x,", 1), "found 'x,"),
        (f"{text}]", "found ']' where the text ends"),
        ("[[1,2,3],[1,0,0,0],]", "found ']' where a"),
        (
            "[[1,2,3],[1,0,0,0]]",
            "robtarget has 2 components; robtarget [trans,rot,robconf,extax] has 4",
        ),
        ("", "the text ends"),
        (f"[[1,2,3],[1,1,0,0],[0,0,0,0],{NONE}]", "has length 1.41421"),
        (f"[[1,2,3],[0,0,0,0],[0,0,0,0],{NONE}]", "four zeros"),
        (f"[[1,2,3],[1,0,0,0],[0,0,0,9],{NONE}]", "cfx of this kind of arm is 0 to 7, not 9"),
        ("[" * 5000, "the text ends"),
    ):
        with pytest.raises(irb.InputError, match=re.escape(reason)) as caught:
            robot.inverse_kinematics(wrong)
        assert len(str(caught.value)) < 250
    grammar._parser.cache_clear()  # another test may have made it
    with pytest.raises(irb.MissingExtra, match="lark is not installed"):
        robot.inverse_kinematics(f"CONST robtarget p:={text};")


@together(
    "pose, message",
    [
        (
            "here",
            (
                "the text of a target is a robtarget"
                " [[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[9E9,...]] in mm: line 1, col"
            ),
        ),
        (
            [["here"]],
            (
                "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4): what is given is"
                " not an array"
            ),
        ),
        (np.eye(3), "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4), got (3, 3)"),
        (
            np.zeros((2, 3, 4)),
            "a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4), got (2, 3, 4)",
        ),
        (1.0, "got ()"),
        (np.full((4, 4), np.nan), "the pose is not finite"),
        (np.diag([1.0, 1.0, 1.0, np.inf]), "the pose is not finite"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "the pose is no rigid motion"),
        (np.diag([1.0, 1.0, 1.0001, 1.0]), "the pose is no rigid motion"),
        (np.diag([2.0, 0.5, 1.0, 1.0]), "the pose is no rigid motion"),
        (np.diag([1.0, 1.0, 1.0, 2.0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0, 0.1, 0, 0]), "the pose is no rigid motion"),
        (np.zeros((4, 4)), "the pose is no rigid motion"),
        (np.diag([0.0, 0.0, 0.0, 1.0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0.1, 0, 0, 0]), "the pose is no rigid motion"),
        (np.eye(4) + np.outer([0, 0, 0, 1], [0, 0, 0.1, 0]), "the pose is no rigid motion"),
        (np.stack([np.eye(4), np.diag([-1.0, 1, 1, 1])]), "pose 1: the pose is no rigid motion"),
    ],
)
@together("name", ["irb2400_16", "irb930_12_105"])
def test_wrong_poses(name, pose, message):
    """One line says what is wrong, whether machine code is in use or not."""
    if find_spec("llvmlite"):
        compiled(ROBOTS[name])
    for robot in (ROBOTS[name], irb.load(name)):
        with pytest.raises(irb.InputError) as caught:
            robot.inverse_kinematics(pose)
        assert str(caught.value).startswith(message) or message.startswith("got")
        assert message in str(caught.value)
        assert "\n" not in str(caught.value)


@pytest.mark.parametrize("name", ["irb2400_16", "irb930_12_105"])
def test_poses_at_any_distance(name):
    """What overflows when squared is out of reach, whether machine code is in use or not."""
    if find_spec("llvmlite"):
        compiled(ROBOTS[name])
    for robot in (ROBOTS[name], irb.load(name)):
        pose = robot.pose(np.full(robot.n, 0.1)).homogeneous
        for far in (1e3, 1e150, 1e200, 1.7e308):
            pose[:3, 3] = far, -far, far
            solutions = robot.inverse_kinematics(pose)
            assert solutions.note.startswith("out of reach by")
            assert solutions.note.endswith("it counts in m")
            assert solutions.missing >= far
            branches = robot.inverse_kinematics(pose[None])
            assert branches.missing[0] == solutions.missing
            assert not branches.valid.any()
        pose[0, 0] = 1.7e308
        with pytest.raises(irb.InputError, match="pose 0: the pose is no rigid motion"):
            robot.inverse_kinematics(pose[None])


def test_wrong_arguments():
    """Seeds are checked as positions are, and turns are for one pose."""
    robot = ROBOTS["irb2400_16"]
    with pytest.raises(irb.InputError, match="full turns are listed for one pose"):
        robot.inverse_kinematics(np.eye(4)[None], turns=True)
    with pytest.raises(irb.InputError, match=r"needs shape \(6,\)"):
        robot.inverse_kinematics(np.eye(4), near=[0, 0])
    with pytest.raises(irb.InputError, match="not finite"):
        robot.inverse_kinematics(np.eye(4), near=[np.nan] * 6)


def test_nan_stays_in_its_own_sample():
    """Beside a sample that is not finite all others are as without it."""
    for name in ("irb2400_16", "irb930_12_105"):
        robot = ROBOTS[name]
        T = forward(name, postures(name, 1200, seed=11))
        clean = robot.inverse_kinematics(T)
        for place, value in (
            ((3, 0, 0), np.nan),
            ((1190, 1, 3), np.nan),
            ((700, 2, 2), np.inf),
            ((701, 3, 1), np.nan),
        ):
            T[place] = value
        solutions, lost = robot.inverse_kinematics(T), [3, 700, 701, 1190]
        assert np.isnan(solutions.q[lost]).all()
        assert np.isnan(solutions.missing[lost]).all()
        assert not solutions.valid[lost].any()
        others = np.delete(np.arange(1200), lost)
        assert np.array_equal(solutions.q[others], clean.q[others], equal_nan=True)
        assert np.array_equal(solutions.missing[others], clean.missing[others])


def bent(link, old, new):
    """Return an arm with the axis of one joint bent by 5.71 deg, or the place of one joint
    changed.
    """
    return arm_urdf().replace(f'{old}"/><parent link="{link}"', f'{new}"/><parent link="{link}"')


SHOULDER, STEP = (
    ("revolute", (0, 0, 0.3), (0.5, 0, 0), (0, 1, 0)),
    ("revolute", (1, 0, 0.3), (0, 0, 0), (0, 0, 1)),
)
SLIDE = ("prismatic", (0, 0, 0), (0, 0.2, 0), (0, 0, 1))
UPRIGHT, STILL = (
    ("prismatic", (0, 0, 0), (0, 0, 0), (0, 0, 1)),
    ("revolute", (0, 0, 0), (0, 0, 0), (0, 0, 1)),
)
ONE_LINE = arm_urdf(a2=0.0, signs=(1, 1, -1, 1, 1, 1)).replace(
    'xyz="0.01 -0.1 0.0"', 'xyz="0 -0.1 0.0"'
)


ON_AXIS_3 = arm_urdf(a3=0.0, d4=0.2).replace('xyz="0.2 0.05 0.0"', 'xyz="0 0 0"')


OTHERS = [
    (
        arm_urdf().replace('"0.6000000000000001 0.0 0.0"', '"0.6 0.0 0.1"'),
        "its axes 4, 5 and 6 miss one point by 60.3 mm, and axes 4 and 5 each other by 92.1 mm",
    ),
    (arm_urdf(tilt=0.1), "axes 1 and 2 are 5.73 deg off a right angle"),
    (bent("l3", "0.0 1.0 0.0", "0.1 1.0 0.0"), "axes 2 and 3 are 5.71 deg off parallel"),
    (bent("l5", "0.0 1.0 0.0", "0.1 1.0 0.0"), "axes 4 and 5 are 5.71 deg off a right angle"),
    (bent("l6", "1.0 0.0 0.0", "1.0 0.1 0.0"), "axes 5 and 6 are 5.71 deg off a right angle"),
    (ONE_LINE, "its axes 2 and 3 are one line"),
    (ON_AXIS_3, "its wrist centre is on axis 3"),
    (urdf([SHOULDER] * 7), "7 turning and 0 sliding joints move its TCP"),
    (urdf([SHOULDER] * 5 + [SLIDE]), "5 turning and 1 sliding joints move its TCP"),
    (urdf([STEP, STEP, SLIDE, STEP]), "axes 1 and 3 are 11.5 deg off parallel"),
    (urdf([STEP, STEP, UPRIGHT, STILL]), "two of its axes are one line"),
]


@pytest.mark.parametrize(("text", "message"), OTHERS)
def test_arms_of_another_shape(text, message, tmp_path):
    """MissingData says in what the arm differs."""
    robot = irb.from_urdf(written(text, tmp_path))
    with pytest.raises(irb.MissingData) as caught:
        robot.inverse_kinematics(np.eye(4))
    assert str(caught.value).startswith(f"own has no inverse kinematics: {message}")
    assert str(caught.value).endswith(
        "(it is for six axes of which 4 and 5 meet, palletizers, and the SCARA)"
    )


def test_axes_by_a_ratio_are_refused(tmp_path):
    """Where a full turn of a joint is no full turn of an axis, solutions cannot be wrapped."""
    text = arm_urdf().replace(
        "</robot>",
        '<link name="g"/><joint name="j9" type="revolute"><parent link="l4"/><child link="g"/>',
    )
    text += (
        '<axis xyz="0 1 0"/><limit lower="-9" upper="9" effort="1" velocity="1"/></joint></robot>'
    )
    text = text.replace(
        '<joint name="j4" type="revolute">',
        '<joint name="j4" type="revolute"><mimic joint="j9" multiplier="0.5"/>',
    )
    with pytest.raises(irb.MissingData, match="by a ratio that is no whole number"):
        irb.from_urdf(written(text, tmp_path)).inverse_kinematics(np.eye(4))
