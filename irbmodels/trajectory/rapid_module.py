"""A trajectory as a RAPID module: jointtargets, and a MoveAbsJ to each in its time."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from ..checks import as_instance, positive, short_repr
from ..errors import InputError
from .motion import Motion, checked_motion
from .rapid_log import RapidLog, log_declarations, log_end, log_start, log_trap

_MOST = 4000  # targets; a larger array does not fit into a controller's program memory for sure


def rapid_module(
    motion: Motion,
    robot: Any,
    name: str = "Trajectory",
    tool: str = "tool0",
    log: RapidLog | None = None,
) -> str:
    r"""Return the text of a RAPID module that runs through the samples of a motion.

    Each sample is a jointtarget; ``MoveAbsJ \NoEOffs ... \T`` gives each stroke the time between
    two samples. The controller plans its own course from target to target, within zones z0, and
    slows down where it must: take samples some 50 to 100 ms apart. ``irbmodels.rapid.read`` reads
    the module back: ``q`` from its jointtargets, the steps of time from ``seconds``.

    Args:
        motion: Samples, as of :meth:`Trajectory.sample`.
        robot: Whose axes they are, an ``irbmodels.Robot``.
        name: Of the module, and of its procedure ``run<name>``.
        tool: Name of the controller's tooldata.
        log: Of positions, speeds and torques, to a file on the controller; default none.

    Raises:
        InputError: if the name or the tool is no name in RAPID, there are fewer than two samples,
            or too many, or a target is out of range.
    """
    from ..rapid.names import check_name  # few need it

    if not hasattr(robot, "to_controller"):
        raise InputError(f"a module is one of an irbmodels.Robot, not {short_repr(robot)}")
    motion = checked_motion(motion, "a module", (), robot.n, robot.name, least=0)
    as_instance(name, str, "the name of a module is a text")
    as_instance(tool, str, "the tool of a module is the name of a tooldata")
    for what, word in (("module", name), ("procedure", f"run{name}"), ("tool", tool)):
        check_name(what, word)
    if not 2 <= len(motion.t) <= _MOST:
        raise InputError(
            f"a module takes 2 to {_MOST} targets, the motion has {len(motion.t)} samples; sample"
            " at a lower rate"
        )
    outside = np.flatnonzero(~robot.limits.in_range(motion.q))
    if outside.size:
        broken = robot.limits.violations(motion.q[outside[0]])[0]
        raise InputError(
            f"target {outside[0] + 1}, at t = {motion.t[outside[0]]:.6g} s, is out of range:"
            f" {broken}"
        )
    return "\n".join(_lines(motion, robot, name, tool, log)) + "\n"


def at_rate(motion: Motion, rate: float) -> Motion:
    """Return the positions of a motion at some targets per second, by a cubic spline.

    A motion with fewer samples keeps its own.

    Args:
        motion: Positions at growing times.
        rate: Targets per second [Hz]; all steps are equal.

    Raises:
        InputError: if the rate is no positive number.
    """
    positive(rate, "the targets per second [Hz]")
    length = float(motion.t[-1] - motion.t[0])
    count = max(int(np.ceil(length * rate - 1e-9)), 1)
    if count + 1 >= len(motion.t):
        return Motion(motion.t - motion.t[0], motion.q)
    from scipy.interpolate import CubicSpline

    t = np.linspace(0.0, length, count + 1)
    return Motion(t, CubicSpline(motion.t - motion.t[0], motion.q)(t))


def _lines(motion: Motion, robot: Any, name: str, tool: str, log: RapidLog | None) -> Iterator[str]:
    from ..rapid import JointTarget
    from ..rapid.text import literal

    targets = [JointTarget.of(robot, q) for q in motion.q]
    steps = [0.0, *np.round(np.diff(motion.t), 9).tolist()]
    count = len(targets)
    yield f"MODULE {name}"
    yield f"    ! {count} targets of {robot.name}, {motion.t[-1] - motion.t[0]:.6g} s"
    yield f"    CONST jointtarget target{{{count}}}:=["
    yield ",\n".join(f"        {target}" for target in targets)
    yield "    ];"
    yield "    ! from the target before"
    yield f"    CONST num seconds{{{count}}}:={literal(steps)};"
    if log is not None:
        yield from log_declarations(log, name)
    yield ""
    yield f"    PROC run{name}()"
    yield f"        MoveAbsJ target{{1}}\\NoEOffs,v100,fine,{tool};"
    if log is not None:
        yield from log_start(log, robot, name)
    if count > 2:  # a loop from 2 to 1 would run backwards
        yield f"        FOR i FROM 2 TO {count - 1} DO"
        yield f"            MoveAbsJ target{{i}}\\NoEOffs,vmax\\T:=seconds{{i}},z0,{tool};"
        yield "        ENDFOR"
    yield f"        MoveAbsJ target{{{count}}}\\NoEOffs,vmax\\T:=seconds{{{count}}},fine,{tool};"
    if log is not None:
        yield from log_end(log, name)
    yield "    ENDPROC"
    if log is not None:
        yield from log_trap(log, robot)
    yield "ENDMODULE"
