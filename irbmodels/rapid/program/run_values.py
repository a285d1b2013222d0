"""Values that a run gives: where the robot stands, sizes of arrays, the counter of a FOR."""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any, cast

from ..expressions import ExpressionEvaluator, Unknown, arguments_of
from ..values import JointTarget, RobTarget
from .arguments import Move
from .data import Frame


def position(last: Move | None, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
    """Return where the robot stands: the last target, if it stopped there with these frames."""
    word = node.children[0]
    reason = f"{word!s}() is where the robot stands, which the run tells"
    if last is None:
        raise Unknown(reason)
    move, zone = last, last.zone
    _, options = arguments_of(node)
    tool = evaluator.builder.source(options["tool"].children[-1]) if "tool" in options else ""
    wobj = evaluator.builder.source(options["wobj"].children[-1]) if "wobj" in options else ""
    same = tool.lower() in ("", move.tool_name.lower()) and wobj.lower() in (
        "",
        move.wobj_name.lower(),
    )
    kind = JointTarget if word.lower() == "cjointt" else RobTarget
    if zone is None or not zone.finep or not same or not isinstance(move.target, kind):
        raise Unknown(reason)
    if word.lower() == "cpos":
        return "pos", cast(RobTarget, move.target).trans
    return kind.rapid, move.target


def dimension(frame: Frame, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
    """Return ``Dim(array,number)``: the size of an array, also of one that a parameter is."""
    required, _ = arguments_of(node)
    array: Any = required[0] if required else None
    if len(required) != 2 or getattr(array, "data", "") != "reference" or len(array.children) > 1:
        raise Unknown(f"{evaluator.builder.source(node)} takes an array and a number")
    size, place = frame.find(array.children[0]).size, evaluator.number(required[1])
    if place not in range(1, len(size) + 1):
        raise Unknown(f"{array.children[0]!s} has {len(size)} sizes, no size {place:g}")
    return "num", float(size[int(place) - 1])


def counter_values(heads: list[float]) -> Iterator[float]:
    """Return the values of a counter FROM, TO and maybe STEP.

    Without STEP it counts up or down by 1 (ABB 3HAC16581-1, FOR).
    """
    if len(heads) < 2:
        raise Unknown("its bounds cannot be read")
    first, last, *steps = heads
    step = steps[0] if steps else math.copysign(1.0, last - first)
    if step == 0.0:
        raise Unknown("its STEP is 0")
    rounds = min((last - first) / step, 1e18)  # infinite with a tiny step
    return (first + k * step for k in range(int(rounds + 1e-9) + 1 if rounds >= 0.0 else 0))
