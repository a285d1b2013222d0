"""RAPID that records positions, speeds and torques of a robot to a file on its controller.

Torques and speeds are test signals 4002 and 4001, which ABB's manual of TestSignDefine calls
predefined, "measured on the arm side", in deg/s and N m, or mm/s and N (quoted by an ABB developer
in github.com/ros-industrial/abb_libegm, issue 86); positions are those of CJointT, in deg or mm.
Two signals of six axes take 12 channels. The other instructions stand in public modules:

- CJointT, also of another task; ClkRead with HighRes; Open, Close: robot/HOME of
  github.com/rpiRobotics/abb_motion_program_exec at aca577d, which logs from a task of its own with
  the option 623-1 Multitasking (its docs/robot_setup_manual.md);
- Write with NoNewLine, NumToStr: error_reporter.mod there;
- ITimer of 0.1 s, CONNECT, IDelete: Module1.mod of github.com/Springa13/ABBController.

No module has run on a controller by us.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ..checks import as_instance, number
from ..errors import InputError, MissingData

FASTEST_TIMER = 0.1  # [s]: RAPID's cyclic timer interrupt is no faster
_FASTEST_TASK = 0.004  # [s]: period of abb_motion_program_exec's loop
_SPEED, _TORQUE = 4001, 4002  # numbers of test signals
_COLUMNS = (("q", "deg", "mm"), ("v", "deg_s", "mm_s"), ("tau", "Nm", "N"))
"""Quantities of a row, with the units of rotary and linear axes."""
_LONGEST_FILE = 60  # of a name, so that it fits into a string with its folder


@dataclass(frozen=True, kw_only=True)
class RapidLog:
    """Settings of a log on the controller, in the columns that ``read_recording`` takes."""

    file: str = ""
    """Name in ``HOME:``; default that of the module, such as ``excitation.csv``."""
    unit: str = "ROB_1"
    """Mechanical unit."""
    sample: float = 0.0
    """Time between samples [s]; default 0.1, the fastest timer, or 0.01 from a task of its own.

    Identification needs 0.04 or less.
    """
    task: str = ""
    """Name of the task that moves, such as ``T_ROB1``, where another task logs; default none."""

    def __post_init__(self) -> None:
        """Check the settings.

        Raises:
            InputError: if a name is none in RAPID or on a disk, or samples are too fast.
        """
        as_instance(self.file, str, "the file of a log is a text")
        if (
            not set('"/\\:').isdisjoint(self.file)
            or len(self.file) > _LONGEST_FILE
            or not self.file.isascii()
            or not (self.file or " ").isprintable()
        ):
            raise InputError(f"{self.file!r} is no name of a file in HOME:")
        from ..rapid.names import check_name  # few need it

        check_name("mechanical unit", as_instance(self.unit, str, "a mechanical unit is a text"))
        if as_instance(self.task, str, "a task is a text"):
            check_name("task", self.task)
        fastest = _FASTEST_TASK if self.task else FASTEST_TIMER
        seconds = number(self.sample, "the time between samples [s]", 0.0) or max(0.01, fastest)
        if seconds < fastest:
            raise InputError(
                f"a {'task' if self.task else 'timer interrupt'} logs every {fastest:g} s at most,"
                f" not every {seconds!r} s"
            )
        object.__setattr__(self, "sample", seconds)


def log_declarations(log: RapidLog, name: str) -> Iterator[str]:
    """Yield what a module declares to log in it, or to let another task log."""
    yield "    ! Log by test signals 4001 (speed) and 4002 (torque), measured on the arm side."
    yield "    ! Not run on a controller by us: check in the manual of your RobotWare that"
    yield "    ! TestSignDefine knows these numbers, and which option or access level it needs."
    if log.task:
        yield f"    ! A task with the module {name}Log logs (option 623-1 Multitasking)"
        yield f"    PERS bool logs{name}:=FALSE;"
        return
    yield "    VAR iodev log;"
    yield "    VAR clock timer;"
    yield "    VAR intnum tick;"
    yield "    VAR jointtarget now;"


def log_start(log: RapidLog, robot: Any, name: str, indent: str = "        ") -> Iterator[str]:
    """Yield the instructions that begin a log, with half a second of rest or more."""
    if log.task:
        yield f"{indent}logs{name}:=TRUE;"
        yield f"{indent}WaitTime 1;"
        return
    yield from (indent + line for line in _open(log, robot, name))
    yield f"{indent}CONNECT tick WITH logSample;"
    yield f"{indent}ITimer {log.sample:g},tick;"
    yield f"{indent}WaitTime 0.5;"


def log_end(log: RapidLog, name: str, indent: str = "        ") -> Iterator[str]:
    """Yield the instructions that end a log, with half a second of rest."""
    yield f"{indent}WaitTime\\InPos,0.5;"
    if log.task:
        yield f"{indent}logs{name}:=FALSE;"
        return
    yield f"{indent}IDelete tick;"
    yield f"{indent}Close log;"
    yield f"{indent}TestSignReset;"


def log_trap(log: RapidLog, robot: Any) -> Iterator[str]:
    """Yield the interrupt routine that writes a sample; none where another task logs."""
    if not log.task:
        yield ""
        yield "    TRAP logSample"
        yield from (f"        {line}" for line in _sample(robot, "CJointT()"))
        yield "    ENDTRAP"


def log_task(robot: Any, name: str, log: RapidLog) -> str:
    """Return the module of the task that logs the module ``name`` of another task.

    Args:
        robot: Robot that moves, an ``irbmodels.Robot``.
        name: Of the module that moves it.
        log: Settings, with a task.

    Raises:
        InputError: if the settings name no task.
    """
    if not log.task:
        raise InputError("a log from a task of its own needs the name of the task that moves")
    return "\n".join(_task(robot, name, log)) + "\n"


def _task(robot: Any, name: str, log: RapidLog) -> Iterator[str]:
    yield f"MODULE {name}Log"
    yield f"    ! Logs the module {name} of the task {log.task}, from a task of its own"
    yield "    ! (option 623-1 Multitasking). Not run on a controller by us."
    yield f"    PERS bool logs{name}:=FALSE;"
    yield "    VAR iodev log;"
    yield "    VAR clock timer;"
    yield "    VAR jointtarget now;"
    yield ""
    yield "    PROC main()"
    yield f"        WaitUntil logs{name};"
    yield from (f"        {line}" for line in _open(log, robot, name))
    yield f"        WHILE logs{name} DO"
    yield from (
        f"            {line}" for line in _sample(robot, f'CJointT(\\TaskName:="{log.task}")')
    )
    yield f"            WaitTime {log.sample:g};"
    yield "        ENDWHILE"
    yield "        Close log;"
    yield "        TestSignReset;"
    yield "    ENDPROC"
    yield "ENDMODULE"


def logged_axes(robot: Any) -> tuple[int, ...]:
    """Return the numbers of a robot's axes in a log by test signals.

    Raises:
        MissingData: if it has an axis 7.
    """
    numbers: tuple[int, ...] = robot.rapid_axes
    if 7 in numbers:
        raise MissingData(
            f"no module logs {robot.name}: how test signals number axis 7 of an arm is not known"
        )
    return numbers


def _open(log: RapidLog, robot: Any, name: str) -> Iterator[str]:
    yield "TestSignReset;"
    for k, signal in enumerate((_SPEED, _TORQUE)):
        for i, axis in enumerate(logged_axes(robot), start=1):
            yield f"TestSignDefine {k * robot.n + i},{signal},{log.unit},{axis},0;"
    yield f'Open "HOME:"\\File:="{log.file or name.lower() + ".csv"}",log\\Write;'
    yield 'Write log,"t"\\NoNewLine;'
    for k, (quantity, *units) in enumerate(_COLUMNS, start=1):
        names = [
            f"{quantity}{i}_{units[linear]}"
            for i, linear in enumerate(robot.limits.linear.tolist(), start=1)
        ]
        yield f'Write log,",{",".join(names)}"{_no_line(k)};'
    yield "ClkReset timer;"
    yield "ClkStart timer;"


def _sample(robot: Any, position: str) -> Iterator[str]:
    """Yield the instructions that write a row.

    A string of RAPID has 80 characters at most: it holds one quantity of all axes.
    """
    yield f"now:={position};"
    yield "Write log,NumToStr(ClkRead(timer\\HighRes),4)\\NoNewLine;"
    groups = [
        [f"now.robax.rax_{axis},4" for axis in logged_axes(robot)],
        [f"TestSignRead({i + 1}),4" for i in range(robot.n)],
        [f"TestSignRead({robot.n + i + 1}),3" for i in range(robot.n)],
    ]
    for k, group in enumerate(groups, start=1):
        text = "+".join(f'","+NumToStr({value})' for value in group)
        yield f"Write log,{text}{_no_line(k)};"


def _no_line(k: int) -> str:
    return "\\NoNewLine" if k < 3 else ""
