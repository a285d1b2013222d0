"""What a newcomer gets wrong in Python: each misuse has its answer, one line of an error or the
right value.
"""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.identification.fits import TorqueEquations, least_squares
from irbmodels.identification.friction import fit_friction, friction_points
from irbmodels.identification.recordings import (
    Recording,
    estimate_delay,
    exact_run,
    flag_outliers,
    flag_rest,
    flag_saturation,
    low_pass,
    merge_recordings,
    read_recording,
    resample,
    savitzky_golay,
    shift_signal,
    simulate_log,
)
from irbmodels.rapid import (
    JointTarget,
    RobTarget,
    body_of,
    loaddata_of,
    read_value,
    tool0_pose,
    tool_of,
    tooldata_of,
    write,
)
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.simulation import Plant, simulate
from irbmodels.trajectory import Chain, move, rapid_module

ROBOT, SCARA = irb.load("irb2400"), irb.load("irb930")
Q, Q4, REST = (
    np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]),
    np.array([0.3, -0.8, -0.1, 0.5]),
    np.zeros(6),
)
POSE = ROBOT.pose(Q).homogeneous
MOVE = move(Q, Q + 0.1, duration=1.0)
MOTION, OTHER = MOVE.sample(200.0), move(Q4, Q4 + 0.1, duration=1.0).sample(200.0)
RUN = exact_run(ROBOT, MOTION)
LOG = simulate_log(RUN)
PLANT = Plant(SCARA)
TARGET = "[[1000,0,1000],[1,0,0,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]]"
SHORT = "[TRUE,[[0,0,0.1],[1,0,0,0]],[1,[0,0,0.05],[1,0,0,0],0,0,0]]"
HOLED = np.where(np.arange(len(MOTION.t))[:, None] == 3, np.nan, MOTION.q)


def below(pose):
    """A pose whose last row is none: a file that was read by columns."""
    return np.vstack([pose[:3], [0.0, 0.0, 1.0, 1.0]])


def written(**changes):
    """Write a motion in which something is wrong."""
    irb.write_motion("m.csv", MOTION._replace(**changes), ROBOT)


def torque_of(value):
    """Simulate with a torque that a function gets wrong."""
    return simulate(SCARA, Q4, torque=lambda t, q, v: value, duration=0.01)


REFUSED = {
    "limits of a robot of four axes": (
        lambda: ROBOT.limits.violations(Q4),
        r"positions of one state need shape \(6,\), got \(4,\)",
    ),
    "limits of many states": (
        lambda: ROBOT.limits.violations([Q, Q]),
        r"of one state need shape \(6,\), got \(2, 6\)",
    ),
    "speeds as one number": (
        lambda: ROBOT.limits.violations(Q, 1.0),
        r"axis speeds of one state need shape \(6,\), got \(\)",
    ),
    "gravity in mm/s^2": (
        lambda: ROBOT.with_gravity([0, 0, -9810]),
        r"gravity of 9810 m/s\^2 is more .* is it in mm/s\^2\?",
    ),
    "gravity without end": (
        lambda: ROBOT.with_gravity([0, 0, -1e308]),
        r"gravity of 1e\+308 m/s\^2",
    ),
    "mounted on a transposed pose": (
        lambda: ROBOT.mounted(pin.SE3(np.eye(3), np.ones(3)).homogeneous.T),
        "mounting needs a rotation .* and 0, 0, 0, 1 below",
    ),
    "a sensor of no pose": (
        lambda: ROBOT.sensor(Q, REST, REST, tool0_from_sensor=below(np.eye(4))),
        "tool0_from_sensor needs a rotation in its upper left 3 by 3 numbers, and 0, 0, 0, 1 below",
    ),
    "a robtarget as nested lists": (
        lambda: ROBOT.inverse_kinematics([[1000, 0, 1000], [1, 0, 0, 0], [0, 0, 0, 0], [9e9] * 6]),
        r"a pose is a pin.SE3, or numbers of shape \(4, 4\) .* its rows are of unlike length",
    ),
    "a pose in float32": (
        lambda: ROBOT.inverse_kinematics(POSE.astype(np.float32)),
        "its rotation is off by 5e-08, as float32 rounds; orthogonalise it in float64",
    ),
    "a configuration in a word": (
        lambda: ROBOT.inverse_kinematics(POSE, configuration="0000"),
        r"a configuration is four whole numbers \(cf1, cf4, cf6, cfx\), not '0000'",
    ),
    "a motion with a hole in a file": (
        lambda: written(q=HOLED),
        "q of axis 1 is not finite at t = 0.015 s",
    ),
    "a motion back in time": (
        lambda: written(t=MOTION.t[::-1]),
        "1 or more samples, whose times are finite and grow",
    ),
    "a motion of columns of time": (
        lambda: written(t=MOTION.t[:, None]),
        "whose times are finite and grow",
    ),
    "a motion without positions": (
        lambda: written(q=None),
        "q of a motion is not an array of numbers, but holds None",
    ),
    "an infinite torque in a file": (
        lambda: written(tau=MOTION.q + np.inf),
        "tau of axis 1 is not finite at t = 0 s",
    ),
    "no sample in a file": (
        lambda: irb.write_motion("m.csv", MOTION.each(lambda x: x[:0]), ROBOT),
        "a motion file needs a motion of 1 or more samples",
    ),
    "pieces of two robots": (
        lambda: irb.Motion.joined([MOTION, OTHER]),
        r"pieces 1 and 2 of a motion have other axes: rows of shape \(6,\) and \(4,\)",
    ),
    "a piece twice": (
        lambda: irb.Motion.joined([MOTION, MOTION]),
        "piece 2 of a motion begins at 0 s, and piece 1 ends at 1 s",
    ),
    "parts of two robots": (
        lambda: Chain([MOVE, move(Q4, Q4 + 1, duration=1.0)]),
        "position jumps from part 1 to part 2",
    ),
    "a program out of range": (
        lambda: rapid_module(MOTION._replace(q=MOTION.q + 4.0), ROBOT),
        (
            r"target 1, at t = 0 s, is out of range: axis 1: q1 = 234.9\d* deg is outside its"
            r" bounds -180 .. 180 deg"
        ),
    ),
    "the state of another plant": (
        lambda: Plant(ROBOT).advance(PLANT.start(Q4), REST, 0.01),
        r"a plant of irb2400_16 goes on from a State of 6 axes, not from State\(t=0.0,",
    ),
    "events of no axis": (
        lambda: torque_of(np.zeros(4)).of_axis(5),
        "an axis of this run must be a whole number, 0 to 4, got 5",
    ),
    "torque of another robot": (
        lambda: torque_of(REST),
        "at t = 0 s: torque needs 4 finite numbers, got",
    ),
    "torque of nothing": (
        lambda: torque_of(None),
        "at t = 0 s: torque needs 4 finite numbers, got nan",
    ),
    "a log of no motion": (
        lambda: Recording.of(None),
        "a recording is made of an irbmodels.Motion, not None",
    ),
    "flags of another log": (
        lambda: LOG.with_flag(np.ones(3, bool), 1),
        r"samples to flag need shape \(251,\) or \(251, 6\), got \(3,\)",
    ),
    "samples beyond the log": (
        lambda: LOG.select([0, 999]),
        "samples of this recording are 0 .. 250: index 999",
    ),
    "axes beyond the log": (
        lambda: LOG.usable(axes=[9]),
        "an axis of this recording must be a whole number, 1 to 6, got 9",
    ),
    "columns in a list": (
        lambda: read_recording("m.csv", ROBOT, columns=["t"]),
        r"columns map names of the own form .* not \['t'\]",
    ),
    "a log for a robot's name": (
        lambda: read_recording("m.csv", "irb2400"),
        "a log is one of an irbmodels.Robot, not 'irb2400'",
    ),
    "a cutoff in words": (
        lambda: savitzky_golay(LOG, "10"),
        "below half the rate of 250 Hz, not '10'",
    ),
    "a motion to filter": (
        lambda: savitzky_golay(MOTION, 10.0),
        "what is filtered is a Recording, not Motion",
    ),
    "a filter at no rate": (
        lambda: low_pass(MOTION.q, 10.0, 0),
        r"a rate \[Hz\] must be a positive finite number, got 0",
    ),
    "a filter of a word": (
        lambda: low_pass("x", 10.0, 200.0),
        "samples to filter is not an array of numbers",
    ),
    "a filter of nothing": (
        lambda: low_pass([], 10.0, 200.0),
        r"needs samples along the first axis, got shape \(0,\)",
    ),
    "outliers of a motion": (
        lambda: flag_outliers(MOTION),
        "what is looked through is a Recording, not Motion",
    ),
    "rest of a motion": (
        lambda: flag_rest(MOTION),
        "what is looked through is a Recording, not Motion",
    ),
    "limits of a motion": (
        lambda: flag_saturation(MOTION),
        "what is looked through is a Recording, not Motion",
    ),
    "a motion shifted": (lambda: shift_signal(MOTION, 0.01), "a log is a Recording, not Motion"),
    "a motion merged": (lambda: merge_recordings(LOG, MOTION), "a log is a Recording, not Motion"),
    "a delay of nothing": (
        lambda: estimate_delay([], [], 0.01),
        "0 samples are too few for delays",
    ),
    "a rate beyond memory": (
        lambda: resample(LOG, 1e12),
        r"leaves 2 to 1e\+08 samples, not 1000000000000.0",
    ),
    "a motion logged": (lambda: simulate_log(MOTION), "what is logged is a Run, .* not Motion"),
    "a seed below 0": (
        lambda: simulate_log(RUN, seed=-1),
        "seed of the noise must be a whole number, at least 0, got -1",
    ),
    "torques of a motion with a hole": (
        lambda: exact_run(ROBOT, MOTION._replace(q=HOLED)),
        "q of axis 1 is not finite at t",
    ),
    "equations of another robot": (
        lambda: TorqueEquations(ROBOT, base_parameters(SCARA)),
        r"base parameters of \d+ parameters are of another robot: irb2400_16 has 84",
    ),
    "a fit of nothing": (
        lambda: least_squares(None),
        r"the sums that accumulate\(samples, rows\) returns, not None",
    ),
    "friction of nothing": (
        lambda: fit_friction(None),
        "a law is fitted to FrictionPoints, .* not None",
    ),
    "friction of axis 7": (
        lambda: friction_points(LOG, 7),
        "an axis of a log must be a whole number, 1 to 6, got 7",
    ),
    "a jointtarget of a robot's name": (
        lambda: JointTarget.of(ROBOT, Q).q("irb2400"),
        "axis positions are those of an irbmodels.Robot, not 'irb2400'",
    ),
    "a work object by its name": (
        lambda: read_value(TARGET, RobTarget).pose("wobj0"),
        "a work object is a WobjData, .* not 'wobj0'",
    ),
    "a tool of a number": (
        lambda: tool_of(5),
        "a tool is made of tooldata, a value or its text, not 5",
    ),
    "tooldata of a number": (
        lambda: tooldata_of(5),
        "tooldata is that of an irbmodels.Tool, not 5",
    ),
    "a body of a tool": (
        lambda: body_of(irb.load_tool("spindle")),
        "a body is made of loaddata, not Tool",
    ),
    "loaddata of a number": (
        lambda: loaddata_of(5),
        "loaddata is that of an irbmodels.Inertial, not 5",
    ),
    "a target by its text": (lambda: tool0_pose(TARGET, SHORT), "a target is a RobTarget, not"),
    "a module of text": (
        lambda: write("MODULE m"),
        "a module is what irbmodels.rapid.read returns, not 'MODULE m'",
    ),
}


@pytest.mark.parametrize("name", REFUSED)
def test_misuse_is_refused_in_one_line(name, tmp_path, monkeypatch):
    """What was wrong, where, and what would be right; no file is left."""
    monkeypatch.chdir(tmp_path)
    refused_in_one_line(*REFUSED[name])
    assert not list(tmp_path.iterdir())


TORQUE = ROBOT.inverse_dynamics(Q, Q, Q)


def mutated_start():
    """Position at 0 of a move whose start is written into afterwards."""
    start = Q.copy()
    course = move(start, start + 0.1, duration=1.0)
    start[:] = 9.0
    return course.at(0.0).q


def mutated_tool():
    """Torque of a robot whose tool's frame is written into afterwards, less that of one left
    alone.
    """
    tool = irb.Tool(
        "t", pin.SE3(np.eye(3), np.array([0.0, 0.05, 0.1])), irb.payload(2.0, [0.0, 0.0, 0.05])
    )
    robot = ROBOT.with_tool(tool)
    before = robot.gravity(Q)
    tool.tcp.translation[:] = 9.0
    return robot.with_payload(None).gravity(Q) - before


ANSWERED = {
    "big-endian": (lambda: ROBOT.inverse_dynamics(*[Q.astype(">f8")] * 3), TORQUE),
    "read-only and backwards": (
        lambda: ROBOT.inverse_dynamics(*[np.flip(np.broadcast_to(Q[::-1], (6,)))] * 3),
        TORQUE,
    ),
    "lists and tuples": (lambda: ROBOT.inverse_dynamics(Q.tolist(), tuple(Q), Q), TORQUE),
    "no states": (lambda: ROBOT.inverse_dynamics(*[np.zeros((0, 3, 6))] * 3), np.zeros((0, 3, 6))),
    "no poses": (lambda: ROBOT.inverse_kinematics(np.zeros((0, 4, 4))).q, np.zeros((0, 8, 6))),
    "no wrenches": (lambda: ROBOT.inverse_dynamics(Q, Q, Q, wrench={}), TORQUE),
    "pickled and copied": (
        lambda: copy.deepcopy(pickle.loads(pickle.dumps(ROBOT))).inverse_dynamics(Q, Q, Q),
        TORQUE,
    ),
    "no times": (lambda: MOVE.at([]).q, np.zeros((0, 6))),
    "a start written into": (mutated_start, Q),
    "a tool written into": (mutated_tool, REST),
    "bounds in lists": (
        lambda: [row.axis for row in ROBOT.limits.violations([9.0, 0, 0, 0, 0, 0])],
        [1],
    ),
    "a configuration of a posture": (
        lambda: ROBOT.inverse_kinematics(POSE, configuration=ROBOT.configuration(Q))[0].q,
        Q,
    ),
    "a torque that writes into the state": (
        lambda: simulate(SCARA, Q4, torque=lambda t, q, v: 0.0 * q.__iadd__(9.0), duration=0.01).q[
            0
        ],
        Q4,
    ),
}


@together("name", ANSWERED)
def test_odd_use_is_answered(name):
    """What is odd, and not wrong, has its plain answer."""
    call, value = ANSWERED[name]
    result = np.asarray(call())
    assert result.shape == np.shape(value)
    np.testing.assert_allclose(result, value, rtol=0, atol=1e-9)


def test_a_motion_of_lists_is_written(tmp_path):
    """Lists are written as arrays are."""
    irb.write_motion(tmp_path / "m.csv", irb.Motion(MOTION.t.tolist(), MOTION.q.tolist()), ROBOT)
    np.testing.assert_allclose(
        irb.open_motion(tmp_path / "m.csv", ROBOT).read().q, MOTION.q, atol=1e-9
    )


def test_a_pose_in_mm_is_named_so():
    """What is out of reach by a kilometre was not meant in metres."""
    far = POSE.copy()
    far[:3, 3] *= 1000.0
    assert ROBOT.inverse_kinematics(far).note.endswith("mm; is the pose in mm? it counts in m")


def test_tooldata_in_metres_is_doubted():
    """RAPID counts in millimetres."""
    with pytest.warns(
        irb.PhysicsWarning,
        match="tooldata of tool 'tool': TCP and .* within 3 mm of the flange: these are mm, not m",
    ):
        tool_of(SHORT)


def test_speeds_of_zero_beside_positions_are_those_of_standing_still(tmp_path):
    """Postures one after another, for the torques that hold each of them, are no motion to
    judge.
    """
    swept = move(Q, Q + 0.5, duration=1.0).sample(200.0)
    irb.write_motion(tmp_path / "m.csv", swept._replace(v=0.0 * swept.v, a=0.0 * swept.a), ROBOT)
    assert not irb.open_motion(tmp_path / "m.csv", ROBOT).read().v.any()
