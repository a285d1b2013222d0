"""Modules that log on the controller: run here by a small interpreter of the instructions that they
use, which shares no code with the writer, they leave a file that is read without a mapping.
"""

import re

import numpy as np
import pytest
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels import rapid
from irbmodels.identification.recordings import read_recording
from irbmodels.identification.validation.preparation import mark
from irbmodels.trajectory import RapidLog, log_task, move, rapid_module
from irbmodels.trajectory.rapid_module import at_rate

LONGEST = 80  # characters of a string in RAPID


class Controller:
    """Test signals, a clock and files: what the instructions of a log act on."""

    def __init__(self, state):
        self.state = state  # (time, signal, axis) -> value; signal 0 is the position
        self.time, self.file, self.name = None, "", ""
        self.channels, self.running, self.period = {}, False, None

    def run(self, lines):
        """Execute instructions, each in a line."""
        for line in map(str.strip, lines):
            verb, _, arguments = line.rstrip(";").partition(" ")
            if verb == "TestSignReset":
                self.channels = {}
            elif verb == "TestSignDefine":
                channel, signal, unit, axis, _ = arguments.split(",")
                assert unit == "ROB_1"
                assert 1 <= int(channel) <= 12
                self.channels[int(channel)] = (int(signal), int(axis))
            elif verb == "Open":
                self.name = re.fullmatch(r'"HOME:"\\File:="(.+)",log\\Write', arguments)[1]
            elif verb == "Write":
                text, _, end = arguments.removeprefix("log,").partition("\\NoNewLine")
                assert end == ""
                self.file += self.text(text) + "\n" * ("NoNewLine" not in arguments)
            elif verb == "ITimer":
                self.period = float(arguments.split(",")[0])
            elif verb == "WaitTime" and self.period is None:
                self.period = float(arguments)
            else:
                assert re.match(r"Clk(Reset|Start) timer|CONNECT tick|now:=CJointT", line), line

    def text(self, expression):
        """Value of constants and numbers that are joined by +."""
        parts = re.findall(r'"([^"]*)"|NumToStr\((.+?),(\d)\)(?=\+|$)', expression)
        joined = "".join(
            constant if not call else f"{self.value(call):.{digits}f}"
            for constant, call, digits in parts
        )
        assert len(joined) <= LONGEST, joined
        return joined

    def value(self, call):
        """Number that a function, or a component of a jointtarget, returns."""
        if call == r"ClkRead(timer\HighRes)":
            return self.time
        if channel := re.fullmatch(r"TestSignRead\((\d+)\)", call):
            return self.state(self.time, *self.channels[int(channel[1])])
        return self.state(self.time, 0, int(re.fullmatch(r"now\.robax\.rax_(\d)", call)[1]))


def blocks(text):
    """Instructions that open a log, and those that write a row."""
    lines = [line.strip() for line in text.splitlines()]
    start = lines.index("TestSignReset;")
    clock = lines.index("ClkStart timer;")
    row = next(i for i, line in enumerate(lines) if line.startswith("now:=CJointT"))
    return lines[start : clock + 1], lines[row : row + 5]


@pytest.fixture(scope="module", params=["irb2400", "irb930", "irb460"])
def motion(request):
    robot = irb.load(request.param)
    low, high = robot.limits.envelope()
    return robot, move(0.3 * low + 0.1 * high, 0.1 * low + 0.3 * high, duration=6.0).sample(250.0)


@pytest.mark.parametrize("task", ["", "T_ROB1"])
def test_the_log_is_read_without_a_mapping(tmp_path, motion, task):
    """Positions from CJointT, speeds and torques from channels, in the units of the controller."""
    robot, samples = motion
    log = RapidLog(task=task)
    text = (
        log_task(robot, "Run", log)
        if task
        else rapid_module(at_rate(samples, 10), robot, "Run", log=log)
    )
    opening, row = blocks(text)
    linear = robot.limits.linear
    shown = np.where(linear, 1e3, 180.0 / np.pi)
    torque = 30.0 * np.cos(samples.t[:, None] + np.arange(robot.n))

    def state(time, signal, axis):
        i = list(robot.rapid_axes).index(axis)
        values = {0: samples.q * shown, 4001: samples.v * shown, 4002: torque}[signal]
        return np.interp(time, samples.t, values[:, i])

    controller = Controller(state)
    controller.run(opening)
    assert controller.name == "run.csv"
    for time in np.arange(0.0, 6.0, log.sample):
        controller.time = time
        controller.run(row)
    (tmp_path / controller.name).write_text(controller.file)
    recording = read_recording(tmp_path / controller.name, robot)
    q, v, tau = (
        np.array([np.interp(recording.t, samples.t, column) for column in values.T]).T
        for values in (samples.q, samples.v, torque)
    )
    np.testing.assert_allclose(recording.q, q, atol=2e-6)  # half of 1e-4 deg
    np.testing.assert_allclose(recording.v, v, atol=2e-6)
    np.testing.assert_allclose(recording.tau, tau, atol=6e-4)
    assert not recording.extra
    if task:
        assert len(mark(recording)) == 600
    else:  # the timer is too slow for identification
        with pytest.raises(irb.InputError, match="outliers need a window of three samples"):
            mark(recording)
    assert not [text for text in map(str, recording.findings) if "column" in text]


@pytest.mark.parametrize("task", ["", "T_ROB1"])
def test_the_modules_are_rapid_and_move_as_without_a_log(motion, task):
    """Our reader writes them back to the character; the longest numbers fit into strings."""
    robot, samples = motion
    log = RapidLog(task=task, sample=0.25)
    targets = at_rate(samples, 10.0)
    np.testing.assert_allclose(targets.q[[0, -1]], samples.q[[0, -1]], atol=1e-12)
    texts = [rapid_module(targets, robot, "Run", log=log)]
    texts += [log_task(robot, "Run", log)] if task else []
    for text in texts:
        assert rapid.write(rapid.read(text)) == text
        assert "Not run on a controller by us" in text
    assert ("623-1 Multitasking" in texts[0]) == bool(task)
    moves = [line for line in texts[0].splitlines() if "MoveAbsJ" in line]
    plain = rapid_module(targets, robot, "Run")
    assert moves == [line for line in plain.splitlines() if "MoveAbsJ" in line]
    steps = rapid.sequence_of(rapid.read(texts[0]), "runRun")
    timed = [step.seconds for step in steps if step.seconds]
    np.testing.assert_allclose(timed, np.diff(targets.t), atol=1e-9)
    opening, row = blocks(texts[-1])
    controller = Controller(lambda time, signal, axis: -12345.6789)
    controller.run(opening)
    controller.time = 12345.6789
    controller.run(row)
    if task:
        assert texts[-1].count("logsRun") == 3
        assert "            WaitTime 0.25;" in texts[-1]
        assert 'now:=CJointT(\\TaskName:="T_ROB1");' in row
    else:
        before, after = texts[0].split("FOR i FROM")
        assert before.index("ITimer 0.25,tick;") > before.index("CONNECT tick WITH logSample;")
        assert after.index("fine,tool0;") < after.index("IDelete tick;") < after.index("Close log;")


@pytest.mark.parametrize(
    ("settings", "message"),
    [
        ({"sample": 0.05}, "a timer interrupt logs every 0.1 s at most, not every 0.05 s"),
        ({"sample": 0.001, "task": "T_ROB1"}, "a task logs every 0.004 s at most"),
        ({"sample": np.nan}, "the time between samples"),
        ({"sample": -1.0}, "the time between samples"),
        ({"file": 'a"b.csv'}, "is no name of a file in HOME:"),
        ({"file": "../a.csv"}, "is no name of a file in HOME:"),
        ({"unit": "ROB 1"}, "is no name of a mechanical unit in RAPID"),
        ({"task": "FOR"}, "is no name of a task in RAPID"),
        ({"task": 1}, "a task is a text"),
    ],
)
def test_wrong_settings_are_one_clear_line(settings, message):
    refused_in_one_line(lambda: RapidLog(**settings), message)


def test_logger_on_the_command_line(tmp_path, run):
    """One module, or one for each of two tasks; what cannot be is said in one line."""
    robot = irb.load("irb2400")
    irb.write_motion(
        tmp_path / "run.csv", move([0.1] * 6, [0.3] * 6, duration=6.0).sample(100), robot
    )
    samples = irb.open_motion(tmp_path / "run.csv", robot).read()  # nine digits
    words = ["logger", "irb2400", "--motion", tmp_path / "run.csv", "-o", tmp_path / "Swing.mod"]
    code, _, err = run(*words)
    assert code == 0
    assert "61 targets, 6 s, a sample every 0.1 s. Not run on a controller" in err
    assert "validate need a sample every 0.04 s or faster: log from a task of its own" in err
    text = (tmp_path / "Swing.mod").read_text()
    assert text == rapid_module(at_rate(samples, 10.0), robot, "Swing", log=RapidLog())
    code, _, err = run(*words, "--task", "T_ROB1", "--rate", 5, "--name", "Two")
    assert code == 0
    assert "or faster" not in err
    assert {path.name for path in tmp_path.glob("*.mod")} == {"Swing.mod", "TwoLog.mod"}
    assert (tmp_path / "TwoLog.mod").read_text() == log_task(robot, "Two", RapidLog(task="T_ROB1"))
    for more, message in (
        (["--sample", 0.01], "a timer interrupt logs every 0.1 s at most"),
        (["--rate", 0], "the targets per second"),
        (["--name", "2nd"], "'2nd' is no name of a module in RAPID"),
        (["--task", "T ROB"], "is no name of a task"),
        (["--motion", tmp_path / "none.csv"], "none.csv"),
        (["-o", tmp_path / "Swing.csv"], "a RAPID module ends in .mod"),
    ):
        code, out, err = run(*words, *more)
        assert (code, out) == (2, "")
        assert message in err
        assert len(err.splitlines()) == 1
