import re

import numpy as np
import pytest
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.rapid import read, values_of, write
from irbmodels.trajectory import Motion, move, rapid_module


def motion_of(robot, seconds=0.5, rate=20.0):
    low, high = robot.limits.envelope()
    return move(0.1 * low, 0.1 * high, duration=seconds).sample(rate)


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_module_reads_back(name):
    """The reader gives the positions back to a billionth of a degree, and the steps of time, whose
    sum is the duration.
    """
    robot = irb.load(name)
    motion = motion_of(robot)
    module = read(rapid_module(motion, robot, "Swing"))
    targets = [target.q(robot) for target in values_of(module, "jointtarget").values()]
    np.testing.assert_allclose(targets, motion.q, atol=1e-11)
    steps = np.array(module["seconds"], dtype=float)
    np.testing.assert_allclose(np.cumsum(steps), motion.t, atol=1e-9)
    assert module.name == "Swing"
    assert write(module) == rapid_module(motion, robot, "Swing")


def test_procedure_moves_to_every_target_in_its_time():
    """The first target is reached slowly and exactly, those in between in their time, the last in
    its time and exactly.
    """
    robot = irb.load("irb2400")
    text = rapid_module(motion_of(robot), robot, "Swing", tool="tSpindle")
    moves = re.findall(r"MoveAbsJ (.+);", text)
    assert "PROC runSwing()" in text
    assert moves == [
        r"target{1}\NoEOffs,v100,fine,tSpindle",
        r"target{i}\NoEOffs,vmax\T:=seconds{i},z0,tSpindle",
        r"target{11}\NoEOffs,vmax\T:=seconds{11},fine,tSpindle",
    ]
    assert "FOR i FROM 2 TO 10 DO" in text


def test_two_samples_are_one_stroke():
    """Of two samples only the first and the last move are left to do: a loop from 2 to 1 would run
    backwards in RAPID.
    """
    robot = irb.load("irb2400")
    motion = Motion(np.array([0.0, 1.0]), np.array([np.zeros(6), np.full(6, 0.1)]))
    text = rapid_module(motion, robot)
    assert "FOR" not in text
    assert text.count("MoveAbsJ") == 2


@pytest.mark.parametrize(
    ("wrong", "message"),
    [
        (lambda robot: rapid_module(motion_of(robot), robot, "2nd"), "no name of a module"),
        (lambda robot: rapid_module(motion_of(robot), robot, "a name"), "no name of a module"),
        (lambda robot: rapid_module(motion_of(robot), robot, "n" * 40), "no name of a module"),
        (lambda robot: rapid_module(motion_of(robot), robot, "n" * 30), "no name of a procedure"),
        (lambda robot: rapid_module(motion_of(robot), robot, "Step"), "no name of a module"),
        (lambda robot: rapid_module(motion_of(robot), robot, tool=""), "no name of a tool"),
        (
            lambda robot: rapid_module(motion_of(robot, 100.0, 100.0), robot),
            "sample at a lower rate",
        ),
        (
            lambda robot: rapid_module(Motion(np.zeros(1), np.zeros((1, 6))), robot),
            "2 to 4000 targets",
        ),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(lambda: wrong(irb.load("irb2400")), message)
