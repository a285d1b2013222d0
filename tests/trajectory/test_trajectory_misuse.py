"""Everything of irbmodels.trajectory that is called wrongly: one line that says what, where, and
what would be right.
"""

from __future__ import annotations

import numpy as np
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.trajectory import (
    LAWS,
    Chain,
    FourierSeries,
    Motion,
    arc,
    axis_path,
    jerk_limited,
    joined,
    line,
    move,
    rapid_module,
    s_curve,
    through,
    time_optimal,
    trapezoid,
)

P, Q = [0.0, 0.1], [0.5, -0.2]
PATH, MOVE, SERIES, QUINTIC = (
    axis_path([P, Q]),
    move(P, Q, duration=1.0),
    FourierSeries(3, 2.0),
    LAWS["quintic"],
)
MOTION = MOVE.sample(20.0)
LONG = Motion(np.arange(2.0), np.zeros((2, 4)))
HERE, THERE = np.eye(4), np.eye(4) + np.eye(4, k=3) * 0.5  # half a metre along x
BOUNDS = {"velocity": 1.0, "acceleration": 2.0, "jerk": 10.0}

BAD = {
    "law in a list": (
        lambda: move(P, Q, law=["quintic"], duration=1.0),
        r"a law is a name \(freudenstein, .*\) or a TimeLaw, not",
    ),
    "no law": (lambda: move(P, Q, law=None, duration=1.0), "a law is a name .* not None"),
    "text for a posture": (
        lambda: move("ab", Q, duration=1.0),
        "start is not an array of numbers, but of str",
    ),
    "complex posture": (
        lambda: move(np.array([1j, 0]), Q, duration=1.0),
        "start is not an array of numbers, but of complex",
    ),
    "texts for numbers": (
        lambda: move(["0", "1"], Q, duration=1.0),
        "start is not an array of numbers",
    ),
    "duration in words": (
        lambda: move(P, Q, duration="1"),
        "duration of a move .* positive finite number, got '1'",
    ),
    "duration as a flag": (
        lambda: move(P, Q, duration=True),
        "duration of a move .* positive finite number, got True",
    ),
    "bound in words": (lambda: move(P, Q, velocity="1"), "velocity is not an array of numbers"),
    "bound of others": (
        lambda: move(P, Q, velocity=np.ones((3, 7))),
        "velocity needs one number, or 2, .* array of shape",
    ),
    "through a number": (
        lambda: through(5, duration=1.0),
        "a motion needs a list of postures, not 5",
    ),
    "through a word": (
        lambda: through("ab", duration=1.0),
        "a motion needs a list of postures, not 'ab'",
    ),
    "joined of a number": (lambda: joined(5), "joined needs a list of paths: .* not 5"),
    "joined of one path": (
        lambda: joined(line(HERE, THERE)),
        "joined needs a list of paths: .* not <PosePath",
    ),
    "joined of nothing": (
        lambda: joined([]),
        "joined needs a list of paths, and this one is empty",
    ),
    "ragged zones": (
        lambda: joined([line(HERE, THERE)], [[1.0, 2.0], [3.0]]),
        "zones of 0 corners .* not an array of numbers",
    ),
    "line to a word": (lambda: line(HERE, "there"), "end, a pose in .* not an array of numbers"),
    "arc by rags": (
        lambda: arc(HERE, [[1, 2], [3]], THERE),
        "via, a pose or a position .* not an array of numbers",
    ),
    "s as text": (lambda: line(HERE, THERE).at("0.1"), "s is not an array of numbers, but of str"),
    "s beyond the axes' path": (lambda: PATH.at([0.0, 9.0]), "s = 9 is not on the path: 0 .. 0.58"),
    "s that is none": (lambda: PATH.at(np.nan), "s = nan is not on the path"),
    "path of rags": (
        lambda: axis_path([[1, 2], [3]]),
        "postures of a path is not an array of numbers",
    ),
    "a law beyond its end": (
        lambda: QUINTIC.speed(1.5),
        r"x = 1.5 is no share of a duration: 0 .. 1",
    ),
    "a law at nan": (lambda: LAWS["cycloidal"].position([0.5, np.nan]), "x = nan is no share"),
    "a fourth derivative": (
        lambda: QUINTIC.derivative(4, 0.5),
        "order of a derivative must be a whole number, 0 to 3, got 4",
    ),
    "blend as text": (
        lambda: trapezoid("0.3"),
        "blend, a share, must be a finite number, got '0.3'",
    ),
    "rounding too large": (
        lambda: s_curve(0.3, 0.7),
        "rounding is a share above 0 and at most 0.5, got 0.7",
    ),
    "a chain of a number": (lambda: Chain(5), "a chain needs a list of trajectories, not 5"),
    "a chain of moves and words": (
        lambda: Chain([MOVE, "a"]),
        "a chain needs a list of trajectories, not 'a'",
    ),
    "time as text": (lambda: MOVE.at("0.1"), "t is not an array of numbers"),
    "rate as text": (
        lambda: MOVE.sample("10"),
        r"a rate \[Hz\] must be a positive finite number, got '10'",
    ),
    "jerk beyond rounding": (
        lambda: jerk_limited(P, Q, **{**BOUNDS, "jerk": 1e300}),
        "no move keeps these bounds",
    ),
    "timing of a word": (
        lambda: time_optimal("path", acceleration=1.0),
        "a timing is one of an AxisPath, as axis_path makes it",
    ),
    "timing of no robot": (
        lambda: time_optimal(PATH, "irb2400"),
        "torques of a timing are those of an irbmodels.Robot, not 'irb",
    ),
    "friction as a word": (
        lambda: time_optimal(PATH, acceleration=1.0, friction="a"),
        "friction, .* is True or False, not 'a'",
    ),
    "intervals as text": (
        lambda: time_optimal(PATH, acceleration=1.0, intervals="9"),
        "number of intervals .* 10 to 100000, got '9'",
    ),
    "harmonics as an array": (
        lambda: FourierSeries(np.zeros((9, 9)), 1.0),
        "number of harmonics .* at least 2, got an array of shape",
    ),
    "series at rags": (
        lambda: SERIES.maps([[1, 2], [3]]),
        r"times \[s\] is not an array of numbers",
    ),
    "series of rags": (
        lambda: SERIES.trajectory([[1, 2], [3]]),
        "parameters of a series is not an array of numbers",
    ),
    "no coefficients": (
        lambda: SERIES.parameters(None),
        r"parameters are those of Coefficients\(q0, a, b\), not None",
    ),
    "module of no motion": (
        lambda: rapid_module(None, irb.load("irb930")),
        "a module needs a Motion, not None",
    ),
    "module of another arm": (
        lambda: rapid_module(MOTION, irb.load("irb930")),
        r"q of a motion of irb930_12_105 needs shape .*4",
    ),
    "module of no robot": (
        lambda: rapid_module(MOTION, "irb930"),
        "a module is one of an irbmodels.Robot, not 'irb930'",
    ),
    "module without a name": (
        lambda: rapid_module(LONG, irb.load("irb930"), name=None),
        "the name of a module is a text, not None",
    ),
    "pieces of no motion": (
        lambda: Motion.joined([MOTION, None]),
        "a motion is joined of a list of motions, not None",
    ),
    "no pieces": (lambda: Motion.joined([]), "joined of one piece or more, and this list is empty"),
    "a change that is none": (
        lambda: MOTION.each(5),
        "a change of a motion is a function of an array, not 5",
    ),
}


@together("name", BAD)
def test_misuse_is_one_clear_line(name):
    refused_in_one_line(*BAD[name])
