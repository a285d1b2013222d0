"""Derivatives of traced formulas, by forward mode: tangents that are 0 cost nothing."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from .program import LEAVES
from .trace import Scalar, Value, cos, exp, sign, sin, sqrt

_ELEMENTARY: dict[str, Callable[[Value], Scalar]] = {
    "inv": lambda x: -((1.0 / x) * (1.0 / x)),
    "sin": cos,
    "cos": lambda x: -sin(x),
    "exp": exp,
    "log": lambda x: 1.0 / x,
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
    tangents = _tangents([x for x in results if isinstance(x, Value)], inputs)
    return [
        [
            tangents.get(result.number, {}).get(x.number, 0.0) if isinstance(result, Value) else 0.0
            for x in inputs
        ]
        for result in results
    ]


def _tangents(results: Sequence[Value], inputs: Sequence[Value]) -> dict[int, dict[int, Scalar]]:
    """Derivatives that are not 0 of all steps that results need: by step, by input."""
    if not results:
        return {}
    trace = results[0].trace
    values = trace.values
    tangents: dict[int, dict[int, Scalar]] = {x.number: {x.number: 1.0} for x in inputs}
    none: dict[int, Scalar] = {}
    for number in trace.needed(result.number for result in results):
        operation, operands = values[number].operation, values[number].operands
        if operation in LEAVES:
            continue
        first = tangents.get(operands[0], none)
        second = tangents.get(operands[1], none) if len(operands) > 1 else none
        if not (first or second):
            continue
        own: dict[int, Scalar] = {}
        if operation in _ELEMENTARY:
            slope = _ELEMENTARY[operation](values[operands[0]])
            own = {x: slope * tangent for x, tangent in first.items()}
        elif operation == "mul" and operands[0] == operands[1]:
            double = values[operands[0]] + values[operands[0]]  # one for all inputs
            own = {x: double * tangent for x, tangent in first.items()}
        else:
            for x in first | second:
                da, db = first.get(x, 0.0), second.get(x, 0.0)
                if operation == "add":
                    own[x] = da + db
                elif operation == "sub":
                    own[x] = da - db
                elif operation == "mul":
                    own[x] = da * values[operands[1]] + values[operands[0]] * db
                elif operation == "neg":
                    own[x] = -da
                else:
                    raise KeyError(operation)
        tangents[number] = {
            x: tangent for x, tangent in own.items() if isinstance(tangent, Value) or tangent != 0.0
        }
    return tangents
