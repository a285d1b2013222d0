"""Arguments of calls: given to a routine, and assigned when it has run."""

from __future__ import annotations

from typing import Any

from ..expressions import ExpressionEvaluator, Unknown, Unset, forwarded_names
from .data import Frame
from .datum import Datum
from .routines import Instruction, Parameter

Given = list[tuple[ExpressionEvaluator, Parameter, Any]]
"""Arguments that a routine may assign: evaluator of the caller, parameter, node."""


def called_name(item: Instruction, frame: Frame) -> str:
    """Return the name of the procedure that a call means, in lower case.

    Late binding, ``%"weld"+part%;``, is followed where its text is known, without arguments.
    """
    if item.name != "%":
        return item.name.lower()
    text = frame.scope.module.text[slice(*item.span)]
    closing = text.find("%", 1)
    if closing < 0 or text[closing + 1 :].strip() != ";":
        return item.name
    try:
        evaluator, node = frame.scope.parsed((item.span[0] + 1, item.span[0] + closing), frame)
        return str(frame.value_of(evaluator, node, "string", ())).lower()
    except Unknown:
        return item.name


def bind(
    evaluator: ExpressionEvaluator,
    required: list[Any],
    options: dict[str, Any],
    inner: Frame,
) -> Given:
    """Give a routine its arguments, in the caller's names; return those that it may assign.

    Raises:
        Unknown: if it takes others.
    """
    parameters, waiting, given = inner.routine.parameters, list(required), Given()
    for one in parameters:
        node: Any = None
        if not one.optional:
            if not waiting:
                raise Unknown(f"{inner.routine.name} takes more arguments")
            node = waiting.pop(0)
        elif one.name in options:
            option = options[one.name]
            passed_on = [str(name).lower() for name in forwarded_names(option)]
            if passed_on and passed_on[0] in evaluator.scope.absent:
                continue
            inner.absent -= {one.name}
            if one.type == "switch":
                inner.own[one.name] = Datum("switch", (), True)
                continue
            node = option.children[-1]
            if passed_on:
                node = _forwarded(evaluator, passed_on[0])
        if node is None:
            continue
        inner.own[one.name] = _argument(evaluator, one, node, inner)
        if one.by_reference and getattr(node, "data", "") == "reference":
            given.append((evaluator, one, node))
    inner.given = frozenset(inner.own)
    if waiting or options.keys() - {one.name for one in parameters if one.optional}:
        raise Unknown(f"{inner.routine.name} takes other arguments")
    return given


def _argument(
    evaluator: ExpressionEvaluator, parameter: Parameter, node: Any, inner: Frame
) -> Datum:
    """Return the datum that a parameter is."""
    kind, frame = inner.scope.builder.resolve(parameter.type), evaluator.scope
    unset = Unset(f"{parameter.name} depends on the run")
    try:
        if isinstance(node, Datum):
            return Datum(node.type, node.size, node.value, node.decides, name=parameter.name)
        if parameter.array and isinstance(frame, Frame):
            one = frame.find(node.children[0])
            return Datum(kind, one.size, one.value, one.decides, name=parameter.name)
        if isinstance(frame, Frame):
            value, outside = frame.program.traced(lambda: frame.value_of(evaluator, node, kind, ()))
            return Datum(kind, (), value, decides=not outside, name=parameter.name)
    except (Unknown, AttributeError) as reason:
        unset = Unset(str(reason))
    return Datum(kind, (), unset, decides=True, name=parameter.name)


def copy_back(given: Given, frame: Frame, inner: Frame, reason: str) -> None:
    """Assign what a routine made of the arguments that it may change."""
    for evaluator, one, node in given:
        datum = inner.own[one.name]

        def new(
            _kind: str, _size: tuple[int, ...], datum: Datum = datum, name: str = one.name
        ) -> Any:
            if isinstance(datum.value, Unset):
                raise Unknown(datum.value.reason)
            if not datum.decides:
                frame.program.outside = name
            return datum.value

        frame.put(evaluator, node, new, f"{node.children[0]!s} {reason}")


def _forwarded(evaluator: ExpressionEvaluator, name: str) -> Any:
    """Return the datum of a parameter that is passed on."""
    frame = evaluator.scope
    return frame.own.get(name) if isinstance(frame, Frame) else None
