"""The friction experiment as a RAPID module: strokes at constant speeds, and a log by test signals.

EGM's messages carry no measured torque, so the torque comes from test signals: numbers 4000, 4001
and 4002 are position, speed and torque of an axis on the arm side, in deg, deg/s and N m (mm, mm/s
of a linear axis), as ABB's manual of the instruction TestSignDefine lists them (quoted by an ABB
developer in github.com/ros-industrial/abb_libegm, issue 86). Not run on a controller by us.
"""

from __future__ import annotations

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...rapid import JointTarget
from ...rapid.names import check_name
from ...rapid.text import literal
from ...trajectory.rapid_log import FASTEST_TIMER, logged_axes
from .plan import FrictionPlan

_FEWEST = 14  # samples of a segment: the ramps and the line through the rest
_PER_LINE = 8  # numbers


def friction_module(
    plan: FrictionPlan,
    name: str = "",
    *,
    tool: str = "tool0",
    unit: str = "ROB_1",
    sample: float = FASTEST_TIMER,
    file: str = "",
) -> str:
    r"""Return a RAPID module that runs a plan and writes a log for :func:`read_recording`.

    Each stroke is a ``MoveAbsJ ... \T`` in its time, from and to a stop; the controller makes the
    ramps. A timer interrupt logs the axis by test signals, the other axes by ``CJointT``. What
    moves is one axis near one posture: check it in T1 first.

    Args:
        plan: Of one axis.
        name: Of the module; default ``FrictionAxis2``. Its procedure is ``run<name>``.
        tool: Name of the controller's tooldata, with the load in it.
        unit: Mechanical unit.
        sample: Time between samples [s].
        file: Name of the log in ``HOME:``; default ``friction_axis2.csv``.

    Raises:
        InputError: if a name is not valid in RAPID, samples are faster than a timer interrupt, or a
            stroke is too short to hold enough of them: plan with a larger ``steady``.
    """
    module, log = name or f"FrictionAxis{plan.axis}", file or f"friction_axis{plan.axis}.csv"
    names = {
        "module": module,
        "procedure": f"run{module}",
        "tool": tool,
        "mechanical unit": unit,
    }
    for what, word in names.items():
        check_name(what, word)
    if not FASTEST_TIMER <= sample < np.inf:
        raise InputError(
            f"a timer interrupt comes every {FASTEST_TIMER:g} s at most, not every {sample!r} s"
        )
    shortest = float((plan.travel / plan.speeds).min())
    if shortest < _FEWEST * sample:
        raise InputError(
            f"a stroke of {shortest:.3g} s at constant speed holds {shortest / sample:.0f} samples"
            f" of {sample:g} s, {_FEWEST} are needed: friction_plan(...,"
            f" steady={_FEWEST * sample:.2g}), or log faster by other means"
        )
    if '"' in log or len(log) > 60 or not log.isascii() or not log.isprintable():
        raise InputError(f"{log!r} is no name of a file in HOME:")
    return _text(plan, module, tool, unit, sample, log)


def _text(plan: FrictionPlan, name: str, tool: str, unit: str, sample: float, log: str) -> str:
    robot, i = plan.robot, plan.axis
    numbers = logged_axes(robot)
    linear = robot.limits.linear.tolist()
    length, scale, torque = ("mm", 1000.0, "N") if linear[i - 1] else ("deg", np.degrees(1.0), "Nm")
    header = ",".join(f"q{k + 1}_{'mm' if flag else 'deg'}" for k, flag in enumerate(linear))
    count, axis = len(plan.speeds), f"robax.rax_{numbers[i - 1]}"
    signals = "".join(
        f"        TestSignDefine {channel},{signal},{unit},{numbers[i - 1]},0;\n"
        for channel, signal in enumerate(("positionSignal", "speedSignal", "torqueSignal"), start=1)
    )
    strokes = "".join(
        f"""\
            WaitTime\\InPos,{literal(round(plan.pause, 3))};
            stroke:={index};
            target.{axis}:=middle.{axis}{sign}half{{i}};
            MoveAbsJ target\\NoEOffs,vmax\\T:=seconds{{i}},fine,{tool};
            stroke:=0;
"""
        for sign, index in (("+", "i"), ("-", "-i"))
    )
    values = [
        "TestSignRead(1),7" if k == numbers[i - 1] else f"now.robax.rax_{k},5" for k in numbers
    ]
    positions = "".join(
        f'        Write log,NumToStr({value})+","\\NoNewLine;\n' for value in values
    )
    return f"""\
MODULE {name}
    ! Friction of axis {i} of {robot.name}: {count} speeds, both ways, some \
{plan.duration / 60.0:.0f} min
    ! Test signals on the arm side: position, speed, torque. \
Check their numbers in your RobotWare's manual.
    CONST num positionSignal:=4000;
    CONST num speedSignal:=4001;
    CONST num torqueSignal:=4002;
    CONST jointtarget middle:={JointTarget.of(robot, plan.posture)};
    ! {length}, from the middle to each end
{_array("half", 0.5 * scale * plan.stroke)}
    ! s, both ramps included
{_array("seconds", plan.seconds)}
    VAR iodev log;
    VAR clock timer;
    VAR intnum tick;
    VAR num stroke:=0;

    PROC run{name}()
        VAR jointtarget target;
        target:=middle;
        MoveAbsJ middle\\NoEOffs,v50,fine,{tool};
        TestSignReset;
{signals}\
        Open "HOME:"\\File:="{log}",log\\Write;
        Write log,"t,{header},"\\NoNewLine;
        Write log,"v{i}_{length}_s,tau{i}_{torque},stroke";
        ClkReset timer;
        ClkStart timer;
        CONNECT tick WITH logSample;
        ITimer {literal(float(sample))},tick;
        FOR i FROM 1 TO {count} DO
            target.{axis}:=middle.{axis}-half{{i}};
            MoveAbsJ target\\NoEOffs,v50,fine,{tool};
{strokes}\
        ENDFOR
        IDelete tick;
        Close log;
        TestSignReset;
        MoveAbsJ middle\\NoEOffs,v50,fine,{tool};
    ENDPROC

    TRAP logSample
        VAR jointtarget now;
        now:=CJointT();
        Write log,NumToStr(ClkRead(timer\\HighRes),4)+","\\NoNewLine;
{positions}\
        Write log,NumToStr(TestSignRead(2),6)+","+NumToStr(TestSignRead(3),4)+","+\
NumToStr(stroke,0);
    ENDTRAP
ENDMODULE
"""


def _array(name: str, values: Array) -> str:
    numbers = [literal(float(f"{value:.7g}")) for value in values]
    rows = [",".join(numbers[k : k + _PER_LINE]) for k in range(0, len(numbers), _PER_LINE)]
    text = ",\n".join(f"        {row}" for row in rows)
    return f"    CONST num {name}{{{len(numbers)}}}:=[\n{text}\n    ];"
