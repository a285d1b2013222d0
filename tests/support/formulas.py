"""Random formulas for Hypothesis, built in any algebra."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

from hypothesis import strategies as st

NAMES = ("x", "y", "z")
_LEAVES = st.sampled_from([*NAMES, 0.0, 1.0, -1.0, 2.0, 0.5])
FORMULAS = st.recursive(
    _LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*"]), inner, inner),
        st.tuples(st.sampled_from(["neg", "sin", "cos"]), inner),
    ),
    max_leaves=25,
)
"""Trees of names and numbers: ``("+", ("sin", "x"), 2.0)``; numbers are exact in binary."""


def built(
    formula: Any, leaves: Mapping[str, Any], functions: Mapping[str, Callable[[Any], Any]]
) -> Any:
    """Return a formula in the algebra of its leaves and of ``sin`` and ``cos``."""
    if isinstance(formula, str):
        return leaves[formula]
    if isinstance(formula, float):
        return formula
    name, *operands = formula
    a, *rest = (built(operand, leaves, functions) for operand in operands)
    match name:
        case "+":
            return a + rest[0]
        case "-":
            return a - rest[0]
        case "*":
            return a * rest[0]
        case "neg":
            return -a
        case _:
            return functions[name](a)
