"""Values of conditions: comparisons of numbers, TRUE and FALSE, with AND, OR and XOR."""

from __future__ import annotations

import operator
from collections.abc import Iterator, Sequence
from typing import Any

from ..expressions import ExpressionEvaluator, Unknown

_COMPARISONS = {
    "=": operator.eq,
    "<>": operator.ne,
    "<": operator.lt,
    ">": operator.gt,
    "<=": operator.le,
    ">=": operator.ge,
}


def truth(evaluator: ExpressionEvaluator, node: Any) -> bool:
    """Return whether a condition holds.

    AND binds more than OR and XOR, comparisons more than AND (ABB 3HAC16581-1). NOT is evaluated
    only before brackets.

    Raises:
        Unknown: if it depends on the run.
    """
    data = getattr(node, "data", "")
    if data == "group":
        return truth(evaluator, node.children[0])
    if data == "expression":
        return _any(evaluator, node.children, evaluator.builder.source(node))
    if data == "signed" and node.children[0].lower() == "not":
        return not truth(evaluator, node.children[1])
    if getattr(node, "type", "") == "BOOL":
        return bool(node.lower() == "true")
    if data == "reference":
        _, value = evaluator.typed(node)
        if isinstance(value, bool):
            return value
    if data == "call":
        if node.children[0].lower() == "present" and len(node.children) == 2:
            name = evaluator.builder.source(node.children[1]).lower()
            if name in evaluator.scope.absent | evaluator.scope.given:
                return name in evaluator.scope.given
        has, value = evaluator.typed(node)
        if has == "bool":
            return bool(value)
    raise Unknown(f"{evaluator.builder.source(node)} is not evaluated")


def _any(evaluator: ExpressionEvaluator, parts: Sequence[Any], source: str) -> bool:
    """Return a chain of OR and XOR, from left to right."""
    if any(
        getattr(part, "data", "") == "signed" and part.children[0].lower() == "not"
        for part in parts
    ):
        raise Unknown(f"{source} has NOT without brackets, and is not evaluated")
    result, joint = False, "or"
    for word, terms in _split(parts, ("or", "xor")):
        value = all(_compared(evaluator, one, source) for _, one in _split(terms, ("and",)))
        result = result != value if joint == "xor" else result or value
        joint = word
    return result


def _compared(evaluator: ExpressionEvaluator, parts: Sequence[Any], source: str) -> bool:
    if len(parts) == 1:
        return truth(evaluator, parts[0])
    sides = [*_split(parts, tuple(_COMPARISONS))]
    if len(sides) != 2:
        raise Unknown(f"{source} is not evaluated")
    (sign, left), (_, right) = sides
    kinds = {_kind(evaluator, one[0]) for one in (left, right) if len(one) == 1}
    if sign in ("=", "<>") and kinds & {"bool", "string"} and len(left) == len(right) == 1:
        same = _plain(evaluator, left[0]) == _plain(evaluator, right[0])
        return same if sign == "=" else not same
    return bool(_COMPARISONS[sign](evaluator.chain(left, source), evaluator.chain(right, source)))


def _kind(evaluator: ExpressionEvaluator, node: Any) -> str:
    """Return the type of an operand, as far as equality needs it."""
    token = getattr(node, "type", "")
    if token in ("BOOL", "STRING"):
        return str(token.lower())
    if getattr(node, "data", "") == "reference":
        return evaluator.typed(node)[0]
    return ""


def _plain(evaluator: ExpressionEvaluator, node: Any) -> Any:
    """Return a truth value or a text."""
    if _kind(evaluator, node) == "string":
        return evaluator.evaluate("string", (), node, "this text")
    return truth(evaluator, node)


def _split(parts: Sequence[Any], words: tuple[str, ...]) -> Iterator[tuple[str, list[Any]]]:
    """Yield operands between operators, each with the operator after it."""
    one: list[Any] = []
    for place, part in enumerate(parts):
        if place % 2 and part.lower() in words:
            yield part.lower(), one
            one = []
        else:
            one.append(part)
    yield "", one
