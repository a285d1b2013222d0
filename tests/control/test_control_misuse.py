"""Everything of irbmodels.control that is called wrongly: one line that says what, where, and what
would be right.
"""

from __future__ import annotations

from functools import partial

import numpy as np
from grouped import together
from misuse import refused_in_one_line
from scipy.spatial.transform import Rotation

import irbmodels as irb
from irbmodels.control import (
    AdaptiveGains,
    AdaptiveMemory,
    AxisReference,
    Gains,
    Impedance,
    Measured,
    ObserverMemory,
    PidGains,
    PidMemory,
    TcpReference,
    adaptive,
    axis_speed,
    collision,
    computed_torque,
    feed_forward,
    follow,
    hold,
    impedance,
    momentum,
    momentum_observer,
    pd_gravity,
    pid,
    residuals,
    run_loop,
    sampled,
    speed_servo,
    task_inverse_dynamics,
    task_rows,
    tcp_along,
    tcp_error,
    tcp_hold,
    tcp_of,
    tcp_speed,
    tracking_regressor,
)
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import Motion, joined, line, move

ROBOT = irb.load("irb930")
Q, REST = np.array([0.3, -0.8, -0.1, 0.5]), np.zeros(4)
STATE, GOAL, GAINS = Measured(Q, REST), AxisReference(Q, REST, REST), Gains.of(10.0)
POSE = ROBOT.pose(Q).homogeneous
TCP = TcpReference(POSE, np.zeros(6), np.zeros(6))
WAY = line(POSE, POSE + 0.1 * np.eye(4, k=3))
SEEN = ObserverMemory.at(STATE, ROBOT)
BASE = base_parameters(ROBOT)
KNOWN = AdaptiveMemory.of(BASE, ROBOT)
LEARNING = AdaptiveGains(1.0, 1.0, 1.0)
LAW = partial(computed_torque, gains=GAINS)
DEGREES = np.array([30.0, 40.0, -0.1, 50.0])
SIX = irb.load("irb1600")
BACK = line(POSE + 0.1 * np.eye(4, k=3), POSE + np.outer([0.1, 0.1, 0, 0], [0, 0, 0, 1]))
MOTION = Motion(np.arange(3.0), *np.zeros((4, 3, 4)))
LEANING = Rotation.from_rotvec([0.0, np.radians(3.0), 0.0]).as_matrix()
TILTED = TcpReference(
    np.vstack([np.c_[LEANING @ POSE[:3, :3], POSE[:3, 3]], POSE[3]]), *np.zeros((2, 6))
)
TILT = "cannot reach this goal: it is off in turn about y by 3 deg"
STRETCHED, SOFT = np.array([0.2, 0.0, -0.1, 0.0]), Impedance(100.0, 10.0)


def loop(**changed):
    return run_loop(
        **{"robot": ROBOT, "law": LAW, "reference": hold(Q), "duration": 0.008, **changed}
    )


BAD = {
    "frequency in words": (
        lambda: Gains.of("a"),
        r"natural frequency of gains \[rad/s\] must be a positive finite number, got 'a'",
    ),
    "damping in words": (
        lambda: Gains.of(1.0, None),
        "damping ratio of gains must be a positive finite number, got None",
    ),
    "hold a word": (lambda: hold("abc"), "q is not an array of numbers, but of str"),
    "hold a number": (lambda: hold(5.0), r"q needs shape \(n,\), got \(\)"),
    "follow a word": (lambda: follow("abc"), "what is followed is a Trajectory, .* not 'abc'"),
    "follow from never": (
        lambda: follow(move(Q, Q + 0.1, duration=1.0), np.inf),
        r"begin \[s\] must be a finite number, got inf",
    ),
    "follow at a word": (
        lambda: follow(move(Q, Q + 0.1, duration=1.0))("now"),
        r"t \[s\] must be a finite number, got 'now'",
    ),
    "samples of nothing": (lambda: sampled(None), "a reference needs a Motion, not None"),
    "samples that go back": (
        lambda: sampled(Motion(np.array([1.0, 0.0]), *np.zeros((3, 2, 4)))),
        "times are finite and grow",
    ),
    "samples at nan": (
        lambda: sampled(Motion(np.arange(2.0), *np.zeros((3, 2, 4))))(np.nan),
        "t .* finite number, got nan",
    ),
    "hold a pose of rags": (lambda: tcp_hold([[1, 2], [3]]), "pose is not an array of numbers"),
    "hold no rigid pose": (
        lambda: tcp_hold(np.ones((4, 4))),
        "a pose needs a rotation .* and 0, 0, 0, 1 below",
    ),
    "error to a stretched pose": (
        lambda: tcp_error(POSE, 2.0 * np.eye(4)),
        "a pose needs a rotation",
    ),
    "along a word": (lambda: tcp_along("way", 1.0), "the way is a PosePath, .* not 'way'"),
    "along for a word": (lambda: tcp_along(WAY, "1"), "duration of a motion .* got '1'"),
    "the TCP of nothing": (lambda: tcp_of(5, ROBOT), "a reference is a function of time, .* not 5"),
    "the TCP of a word": (
        lambda: tcp_of(hold(Q), "irb930"),
        "the model is an irbmodels.Robot, .* not 'irb930'",
    ),
    "the TCP of a pose": (
        lambda: tcp_of(tcp_hold(POSE), ROBOT)(0.0),
        r"of the axes returns an AxisReference\(q, v, a\), not Tcp",
    ),
    "no state": (
        lambda: computed_torque(None, GOAL, ROBOT, GAINS),
        r"the state is Measured\(q, v\), not None",
    ),
    "state as a pair": (
        lambda: pd_gravity((Q, REST), GOAL, ROBOT, GAINS),
        r"the state is Measured\(q, v\), not \(",
    ),
    "state of another arm": (
        lambda: LAW(Measured(np.zeros(6), np.zeros(6)), GOAL, ROBOT),
        r"measured q needs \(4,\)",
    ),
    "speed of one axis": (
        lambda: LAW(Measured(Q, 0.0), GOAL, ROBOT),
        r"measured v needs \(4,\) finite numbers, got 0.0",
    ),
    "speed that is none": (
        lambda: LAW(Measured(Q, REST * np.nan), GOAL, ROBOT),
        "measured v needs .* nan",
    ),
    "no reference": (
        lambda: feed_forward(STATE, None, ROBOT, GAINS),
        r"of this law is an AxisReference\(q, v, a\), not None",
    ),
    "a TCP for axes": (lambda: LAW(STATE, TCP, ROBOT), "reference of this law is an AxisReference"),
    "axes for a TCP": (
        lambda: tcp_speed(STATE, GOAL, ROBOT, 1.0),
        "reference of this law is a TcpReference",
    ),
    "reference of one axis": (
        lambda: LAW(STATE, GOAL._replace(a=0.0), ROBOT),
        r"reference a needs \(4,\)",
    ),
    "reference in degrees": (
        lambda: LAW(STATE, GOAL._replace(q=DEGREES), ROBOT),
        "more than three times .* are these deg",
    ),
    "no model": (
        lambda: LAW(STATE, GOAL, "irb930"),
        "the model is an irbmodels.Robot, as irbmodels.load makes it, not 'irb930'",
    ),
    "gains as a number": (
        lambda: computed_torque(STATE, GOAL, ROBOT, 5.0),
        r"gains are Gains\(kp, kd\), not 5.0",
    ),
    "gains in words": (
        lambda: pd_gravity(STATE, GOAL, ROBOT, Gains("a", 1.0)),
        "kp is not an array of numbers",
    ),
    "friction in words": (
        lambda: LAW(STATE, GOAL, ROBOT, friction="yes"),
        r"friction is True .* or an irbmodels.Stribeck, not 'y",
    ),
    "friction of two": (
        lambda: LAW(STATE, GOAL, ROBOT, friction=irb.Stribeck(*np.ones((4, 2)))),
        "one of 2 axes, irb930",
    ),
    "axis speed to a word": (lambda: axis_speed(STATE, "goal", 1.0), "an AxisReference"),
    "servo of one speed": (
        lambda: speed_servo(STATE, 1.0, ROBOT, 1.0),
        r"speed needs \(4,\) finite numbers, got 1.0",
    ),
    "pid without gains": (
        lambda: pid(STATE, GOAL, ROBOT, GAINS, PidMemory.empty(4), 0.01),
        "gains of a PID are PidGains",
    ),
    "pid without memory": (
        lambda: pid(STATE, GOAL, ROBOT, PidGains(1.0, 1.0, 1.0), None, 0.01),
        "memory of a PID is a PidMemory",
    ),
    "pid of another": (
        lambda: pid(STATE, GOAL, ROBOT, PidGains(1, 1, 1), PidMemory.empty(6), 0.01),
        r"integral of a PID needs \(4,",
    ),
    "pid back in time": (
        lambda: pid(STATE, GOAL, ROBOT, PidGains(1, 1, 1), PidMemory.empty(4), -0.01),
        r"period \[s\] .* at least 0",
    ),
    "pid of three limits": (
        lambda: pid(STATE, GOAL, ROBOT, PidGains(1, 1, 1, [1, 2, 3]), PidMemory.empty(4), 0.01),
        "the torque limit of a PID needs one number, or 4",
    ),
    "memory of none": (
        lambda: PidMemory.empty(0),
        "number of axes of a memory must be a whole number, at least 1",
    ),
    "adaptive without gains": (
        lambda: adaptive(STATE, GOAL, ROBOT, GAINS, BASE, KNOWN, 0.01),
        "are AdaptiveGains",
    ),
    "adaptive without base": (
        lambda: adaptive(STATE, GOAL, ROBOT, LEARNING, None, KNOWN, 0.01),
        "base parameters are those of",
    ),
    "adaptive memory": (
        lambda: adaptive(STATE, GOAL, ROBOT, LEARNING, BASE, None, 0.01),
        "adaptive control is an AdaptiveMemory",
    ),
    "adaptive period": (
        lambda: adaptive(STATE, GOAL, ROBOT, LEARNING, BASE, KNOWN, np.nan),
        r"period \[s\] .* got nan",
    ),
    "memory of no base": (
        lambda: AdaptiveMemory.of(5, ROBOT),
        "base parameters are those of .* not 5",
    ),
    "regressor of texts": (
        lambda: tracking_regressor(ROBOT, Q, REST, REST, ["1"] * 4),
        "a_r is not an array of numbers",
    ),
    "impedance of gains": (
        lambda: impedance(STATE, TCP, ROBOT, GAINS),
        "what is wanted of a contact is an Impedance",
    ),
    "impedance in words": (
        lambda: impedance(STATE, TCP, ROBOT, Impedance(1.0, 1.0, "a")),
        "inertia is not an array of numbers",
    ),
    "half a wrench": (
        lambda: impedance(Measured(Q, REST, np.zeros(3)), TCP, ROBOT, Impedance(1.0, 1.0, 1.0)),
        r"measured wrench \(force, moment\) needs \(6,\)",
    ),
    "rows in words": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, rows="xyz"),
        "rows are whole numbers from 0 to 5, not 'xyz'",
    ),
    "a row twice": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, rows=(0, 0, 1, 5)),
        "needs 4 rows out of 0..5",
    ),
    "near below nothing": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, near=-1.0),
        "near, .* positive finite number, got -1.0",
    ),
    "twist of three": (
        lambda: task_inverse_dynamics(STATE, TCP._replace(twist=np.zeros(3)), ROBOT, GAINS),
        r"reference twist needs \(6,\) finite numbers",
    ),
    "rows of a word": (lambda: task_rows("irb930"), "the model is an irbmodels.Robot"),
    "momentum of nothing": (lambda: momentum(STATE, None), "the model is an irbmodels.Robot"),
    "observer's memory": (
        lambda: momentum_observer(STATE, REST, ROBOT, 1.0, None, 0.01),
        "an observer is an ObserverMemory",
    ),
    "observer's period": (
        lambda: momentum_observer(STATE, REST, ROBOT, 1.0, SEEN, "1"),
        r"period \[s\] .* got '1'",
    ),
    "observer's past": (
        lambda: momentum_observer(STATE, REST, ROBOT, 1.0, SEEN._replace(rate=np.nan * REST), 0.01),
        r"rate of the memory needs \(4,\)",
    ),
    "residuals of a list": (
        lambda: residuals([1.0], ROBOT, 1.0),
        "a momentum observer needs a Motion",
    ),
    "residuals of another": (
        lambda: residuals(Motion(np.arange(2.0), *np.zeros((4, 2, 6))), ROBOT, 1.0),
        r"q of a motion of irb930_12_105 needs shape \(2, 4\), got \(2, 6\)",
    ),
    "collision in words": (
        lambda: collision([0.0], [["a"]], 1.0),
        "residual is not an array of numbers",
    ),
    "loop of a word": (
        lambda: loop(robot="irb930"),
        "what is controlled is an irbmodels.Robot, not 'irb930'",
    ),
    "loop without law": (
        lambda: loop(law=None),
        "a law is a function of state, reference and model",
    ),
    "loop with no model": (lambda: loop(model="irb930"), "the model is an irbmodels.Robot"),
    "loop for a word": (lambda: loop(duration="1"), "duration of a loop .* got '1'"),
    "loop that is late": (
        lambda: loop(delay=1e300),
        r"delay of a loop \[s\] must be a finite number in 0 .. 0.008",
    ),
    "loop of a seed": (
        lambda: loop(seed="a"),
        "seed of the noise must be a whole number, at least 0, got 'a'",
    ),
    "loop of a wrench": (
        lambda: loop(wrench=np.zeros(6)),
        r"a wrench is a function of time that returns \(6,\)",
    ),
    "loop of stops": (lambda: loop(stops="False"), "stops, .* is True or False, not 'False'"),
    "loop of friction": (
        lambda: loop(friction=None),
        r"friction is True \(the robot's\), False .* not None",
    ),
    "loop of three limits": (
        lambda: loop(saturation=[1.0, 2.0, 3.0]),
        "saturation needs one number, or 4, one per axis",
    ),
    "loop to nowhere": (
        lambda: loop(reference=lambda t: Q),
        "a reference returns an AxisReference or a TcpReference, not",
    ),
    "loop backwards in time": (lambda: loop(duration=-1.0), "duration of a loop"),
    "loop for ever": (lambda: loop(duration=np.nan), "duration of a loop"),
    "loop without a period": (lambda: loop(period=0.0), "period of a loop"),
    "loop ahead of time": (lambda: loop(delay=-0.001), "delay of a loop"),
    "loop of another model": (lambda: loop(model=SIX), "has 6 axes"),
    "loop of two limits": (lambda: loop(saturation=[1.0, 2.0]), "saturation"),
    "encoders that count nothing": (lambda: loop(encoder_counts=0.0), "encoder_counts"),
    "encoders of two axes": (lambda: loop(encoder_counts=[1.0, 2.0]), "encoder_counts"),
    "negative noise": (lambda: loop(noise=-1.0), "noise"),
    "loop without a start": (lambda: loop(reference=tcp_hold(POSE)), "start=q"),
    "loop from three axes": (lambda: loop(start=[0.0, 0.0, 0.0]), "q of irb930"),
    "loop along a trajectory": (
        lambda: loop(reference=move(Q, Q + 0.1, duration=1.0)),
        "a reference is a function of time, as hold, follow",
    ),
    "samples without speeds": (
        lambda: sampled(Motion(np.arange(3.0), np.zeros((3, 4)))),
        "speeds and accelerations",
    ),
    "along a path with corners": (lambda: tcp_along(joined([WAY, BACK]), 1.0), "corners"),
    "along in no time": (
        lambda: tcp_along(WAY, 0.0),
        r"duration .* must be a positive finite number",
    ),
    "hold a stretched pose": (lambda: tcp_hold(2.0 * np.eye(4)), "rotation"),
    "hold nowhere": (lambda: hold([np.nan, 0.0, 0.0, 0.0]), "q needs"),
    "base of two axes": (
        lambda: adaptive(STATE, GOAL, ROBOT, LEARNING, base_parameters(ROBOT, [1, 2]), KNOWN, 0.01),
        "of all 4 axes, these are of 2",
    ),
    "memory of another base": (
        lambda: adaptive(STATE, GOAL, ROBOT, LEARNING, BASE, AdaptiveMemory(np.zeros(7)), 0.01),
        "base parameters",
    ),
    "friction without data": (
        lambda: feed_forward(STATE, GOAL, ROBOT, GAINS),
        "no friction data: friction=False",
    ),
    "residuals without torques": (
        lambda: residuals(MOTION._replace(tau=None), ROBOT, 10.0),
        "needs a motion with speeds and torques",
    ),
    "residuals of unknown friction": (
        lambda: residuals(MOTION, ROBOT, 10.0, friction=True),
        "no friction data",
    ),
    "collision of unlike arrays": (
        lambda: collision(np.arange(2.0), np.zeros((3, 4)), 1.0),
        "do not go together",
    ),
    "observer of nan": (
        lambda: momentum_observer(STATE, [np.nan] * 4, ROBOT, 10.0, SEEN, 0.004),
        "tau",
    ),
    "rows too few": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, rows=(0, 1, 2)),
        "needs 4 rows",
    ),
    "rows beyond six": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, rows=(0, 1, 2, 6)),
        "needs 4 rows",
    ),
    "rows one too many": (
        lambda: tcp_speed(STATE, TCP, ROBOT, 1.0, rows=(0, 1, 2, 5, 5)),
        "needs 4 rows",
    ),
    "a tilted tool": (lambda: tcp_speed(STATE, TILTED, ROBOT, 1.0), TILT),
    "a tilted tool by torques": (lambda: task_inverse_dynamics(STATE, TILTED, ROBOT, GAINS), TILT),
    "impedance of a stretched arm": (
        lambda: impedance(
            Measured(STRETCHED, REST), tcp_hold(ROBOT.pose(STRETCHED))(0.0), ROBOT, SOFT
        ),
        "singular",
    ),
    "loop in degrees": (
        lambda: loop(reference=hold(DEGREES), start=Q),
        "more than three times the largest limit; are these deg",
    ),
}


BAD |= {
    f"gains of {wrong}": (
        lambda wrong=wrong: Gains.of(*wrong),
        r"gains .*must be a positive finite number",
    )
    for wrong in ((0.0, 1.0), (-1.0, 1.0), (1.0, 0.0), (np.nan, 1.0), (np.inf, 1.0), (1.0, np.inf))
}
BAD |= {
    f"kp of {kp}": (
        lambda kp=kp: computed_torque(STATE, GOAL, ROBOT, Gains(kp, 1.0)),
        message,
    )
    for kp, message in (
        (-1.0, "kp must not be negative"),
        ([1.0, 2.0], r"kp needs a finite number, or shape \(4,\) or \(4, 4\)"),
        (np.nan, "kp needs a finite number"),
        ([1.0, 1.0, -1e-3, 1.0], "kp must not be negative"),
        (np.diag([1.0, 1.0, -1.0, 1.0]), "kp must not be negative"),
    )
}
BAD |= {
    f"threshold of {limit}": (
        lambda limit=limit: collision(np.arange(3.0), np.zeros((3, 4)), limit),
        "threshold is positive",
    )
    for limit in (0.0, -1.0, np.nan, [1.0, 1.0, 1.0, 0.0])
}
BAD |= {
    f"pid with a limit of {limit}": (
        lambda limit=limit: pid(
            STATE, GOAL, ROBOT, PidGains(1.0, 1.0, 1.0, limit), PidMemory.empty(4), 0.0
        ),
        "limit of a PID is positive",
    )
    for limit in (0.0, -1.0, np.nan, [1.0, 1.0, 0.0, 1.0])
}
BAD |= {
    f"impedance of {wanted}": (
        lambda wanted=wanted: impedance(STATE, TCP, ROBOT, Impedance(*wanted)),
        message,
    )
    for wanted, message in (
        ((-1.0, 1.0), "stiffness must not be negative"),
        ((1.0, [1.0, 2.0]), "damping needs"),
        ((1.0, 1.0, 0.0), "inertia needs positive"),
        ((1.0, 1.0, [1.0, 1.0, 1.0, -1.0]), "inertia needs positive"),
        ((1.0, 1.0, [1.0, 1.0]), "inertia needs a number, or shape"),
    )
}


@together("name", BAD)
def test_misuse_is_one_clear_line(name):
    refused_in_one_line(*BAD[name])


def test_what_a_reference_hands_out_is_a_copy():
    for reference in (hold(Q), tcp_hold(POSE)):
        before = reference(0.0)
        before[0][...] = 99.0
        assert not (reference(0.0)[0] == 99.0).any()


def test_kinematic_laws_need_no_speed():
    blind = Measured(Q, np.full(4, np.nan))
    np.testing.assert_array_equal(axis_speed(blind, GOAL, 2.0), REST)
    np.testing.assert_allclose(tcp_speed(blind, TCP, ROBOT, 2.0), REST, rtol=0, atol=1e-12)
