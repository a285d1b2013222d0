"""The friction experiment as a RAPID module: strokes at constant speeds, and a log by test signals.

EGM's messages carry no torque, so the torque comes from test signals: numbers 4000, 4001 and 4002
are position, speed and torque of an axis on the arm side, in deg, deg/s and N m (mm, mm/s of a
linear axis), as ABB's manual of the instruction TestSignDefine lists them (quoted by an ABB
developer in github.com/ros-industrial/abb_libegm, issue 86). Not run on a controller by us.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...errors import InputError
from ...rapid import JointTarget
from ...rapid.grammar import RESERVED
from ...rapid.text import literal
from .plan import FrictionPlan

FASTEST_TIMER = 0.1  # [s]: RAPID's cyclic timer interrupt is no faster
_FEWEST = 14  # samples of a stretch: the ramps and the line through the rest
_PER_LINE = 8  # numbers
_LONGEST_NAME = 32  # characters of a name in RAPID


def friction_module(
    plan: FrictionPlan,
    name: str = "",
    *,
    tool: str = "tool0",
    unit: str = "ROB_1",
    sample: float = FASTEST_TIMER,
    file: str = "",
) -> str:
    r"""Return the text of a module that runs a plan and writes a log that :func:`read_recording` reads.

    Each stroke is a ``MoveAbsJ ... \T`` in its time, from and to a stop; the controller makes the
    ramps. A timer interrupt logs the axis by test signals, the other axes by ``CJointT``. What
    moves is one axis near one posture: check it in T1 first.

    Args:
        plan: Of one axis.
        name: Of the module; default ``FrictionAxis2``. Its procedure is ``run<name>``.
        tool: Name of the controller's tooldata, with the load in it: its mass is what the
            controller thinks it moves.
        unit: Mechanical unit.
        sample: Time between samples [s].
        file: Name of the log in ``HOME:``; default ``friction_axis2.csv``.

    Raises:
        InputError: if a name is none in RAPID, samples are faster than a timer interrupt can be, or
            a stroke is too short to hold enough of them: plan with a larger ``steady``.
    """
    called, log = name or f"FrictionAxis{plan.axis}", file or f"friction_axis{plan.axis}.csv"
    for what, word in (
        ("module", called),
        ("procedure", f"run{called}"),
        ("tool", tool),
        ("mechanical unit", unit),
    ):
        legal = (
            word.isascii()
            and word.isidentifier()
            and word[0].isalpha()
            and len(word) <= _LONGEST_NAME
        )
        if not legal or word.lower() in RESERVED:
            raise InputError(
                f"{word!r} is no name of a {what} in RAPID: a letter, then letters, digits and _,"
                f" {_LONGEST_NAME} at most"
            )
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
    return "\n".join(_lines(plan, called, tool, unit, sample, log)) + "\n"


def _lines(
    plan: FrictionPlan, name: str, tool: str, unit: str, sample: float, log: str
) -> Iterator[str]:
    robot, i = plan.robot, plan.axis
    linear = robot.limits.linear.tolist()
    shown = 1000.0 if linear[i - 1] else np.degrees(1.0)
    words = "mm" if linear[i - 1] else "deg"
    header = [f"q{k + 1}_{'mm' if flag else 'deg'}" for k, flag in enumerate(linear)]
    torque = f"v{i}_{words}_s,tau{i}_{'N' if linear[i - 1] else 'Nm'},stroke"
    count, axis = len(plan.speeds), f"robax.rax_{i}"
    yield f"MODULE {name}"
    yield (
        f"    ! Friction of axis {i} of {robot.name}: {count} speeds, both ways, some"
        f" {plan.duration / 60.0:.0f} min"
    )
    yield (
        "    ! Test signals on the arm side: position, speed, torque. Check their numbers in your"
        " RobotWare's manual."
    )
    yield "    CONST num positionSignal:=4000;"
    yield "    CONST num speedSignal:=4001;"
    yield "    CONST num torqueSignal:=4002;"
    yield f"    CONST jointtarget middle:={JointTarget.of(robot, plan.posture)};"
    yield f"    ! {words}, from the middle to each end"
    yield from _array("half", 0.5 * shown * plan.stroke)
    yield "    ! s, both ramps included"
    yield from _array("seconds", plan.seconds)
    yield "    VAR iodev log;"
    yield "    VAR clock timer;"
    yield "    VAR intnum tick;"
    yield "    VAR num stroke:=0;"
    yield ""
    yield f"    PROC run{name}()"
    yield "        VAR jointtarget target;"
    yield "        target:=middle;"
    yield f"        MoveAbsJ middle\\NoEOffs,v50,fine,{tool};"
    yield "        TestSignReset;"
    for channel, signal in enumerate(("positionSignal", "speedSignal", "torqueSignal"), start=1):
        yield f"        TestSignDefine {channel},{signal},{unit},{i},0;"
    yield f'        Open "HOME:"\\File:="{log}",log\\Write;'
    yield f'        Write log,"t,{",".join(header)},"\\NoNewLine;'
    yield f'        Write log,"{torque}";'
    yield "        ClkReset timer;"
    yield "        ClkStart timer;"
    yield "        CONNECT tick WITH logSample;"
    yield f"        ITimer {literal(float(sample))},tick;"
    yield f"        FOR i FROM 1 TO {count} DO"
    yield f"            target.{axis}:=middle.{axis}-half{{i}};"
    yield f"            MoveAbsJ target\\NoEOffs,v50,fine,{tool};"
    for sign, way in (("+", "i"), ("-", "-i")):
        yield f"            WaitTime\\InPos,{literal(round(plan.pause, 3))};"
        yield f"            stroke:={way};"
        yield f"            target.{axis}:=middle.{axis}{sign}half{{i}};"
        yield f"            MoveAbsJ target\\NoEOffs,vmax\\T:=seconds{{i}},fine,{tool};"
        yield "            stroke:=0;"
    yield "        ENDFOR"
    yield "        IDelete tick;"
    yield "        Close log;"
    yield "        TestSignReset;"
    yield f"        MoveAbsJ middle\\NoEOffs,v50,fine,{tool};"
    yield "    ENDPROC"
    yield ""
    yield "    TRAP logSample"
    yield "        VAR jointtarget now;"
    yield "        now:=CJointT();"
    yield '        Write log,NumToStr(ClkRead(timer\\HighRes),4)+","\\NoNewLine;'
    for k in range(robot.n):
        value = "TestSignRead(1),7" if k == i - 1 else f"now.robax.rax_{k + 1},5"
        yield f'        Write log,NumToStr({value})+","\\NoNewLine;'
    yield (
        "        Write"
        ' log,NumToStr(TestSignRead(2),6)+","+NumToStr(TestSignRead(3),4)+","+NumToStr(stroke,0);'
    )
    yield "    ENDTRAP"
    yield "ENDMODULE"


def _array(name: str, values: np.ndarray) -> Iterator[str]:
    numbers = [literal(float(f"{value:.7g}")) for value in values]
    rows = [",".join(numbers[k : k + _PER_LINE]) for k in range(0, len(numbers), _PER_LINE)]
    yield f"    CONST num {name}{{{len(numbers)}}}:=["
    yield ",\n".join(f"        {row}" for row in rows)
    yield "    ];"
