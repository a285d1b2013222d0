"""Derivatives of traced formulas, by forward mode: tangents that are 0 cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .program import OPERATIONS
from .trace import Scalar, Value, cos, exp, sign, sin, sqrt

_ELEMENTARY: dict[str, Callable[[Value], Scalar]] = {
    "inv": lambda x: -((1.0 / x) * (1.0 / x)),
    "sin": cos,
    "cos": lambda x: -sin(x),
    "exp": exp,
    "sqrt": lambda x: 0.5 / sqrt(x),
    "sign": lambda x: 0.0,
    "abs": sign,
}
"""Derivatives of the functions of one value."""


def jacobian(results: Sequence[Scalar], inputs: Sequence[Value]) -> list[list[Scalar]]:
    """Derivatives of results with respect to inputs: one row per result.

    Raises:
        KeyError: for an operation that a mask or an angle of two values has.
    """
    columns = [_tangents(results, x) for x in inputs]
    return [list(row) for row in zip(*columns, strict=True)]


def _tangents(results: Sequence[Scalar], x: Value) -> list[Scalar]:
    trace = x.trace
    wanted = [result.number for result in results if isinstance(result, Value)]
    needed = set(wanted)
    steps = trace.steps[: max(wanted, default=-1) + 1]
    for number in reversed(range(len(steps))):
        if number in needed and steps[number].operation in OPERATIONS:
            needed.update(steps[number].operands)
    tangents: dict[int, Scalar] = {x.number: 1.0}
    for number, (operation, operands, _) in enumerate(steps):
        if number not in needed or not any(i in tangents for i in operands):
            continue
        if operation in ("input", "constant"):
            continue
        a, da = trace.at(operands[0]), tangents.get(operands[0], 0.0)
        if operation in ("add", "sub", "mul", "div"):
            b, db = trace.at(operands[1]), tangents.get(operands[1], 0.0)
        if operation == "add":
            tangent = da + db
        elif operation == "sub":
            tangent = da - db
        elif operation == "mul":
            tangent = da * b + a * db
        elif operation == "div":
            tangent = (da - trace.at(number) * db) / b
        elif operation == "neg":
            tangent = -da
        else:
            tangent = _ELEMENTARY[operation](a) * da
        if isinstance(tangent, Value) or tangent != 0.0:
            tangents[number] = tangent
    return [
        tangents.get(result.number, 0.0) if isinstance(result, Value) else 0.0 for result in results
    ]
