"""Straight-line programs as JavaScript."""

from __future__ import annotations

import math
from collections.abc import Sequence

from ..compiled.program import Program
from ..compiled.scalar_writer import (
    ATOM,
    CHOICE,
    OR,
    SUM,
    UNARY,
    Expression,
    statements,
    used_components,
)


class JavaScript:
    """The language of pages; its numbers are those of Python."""

    def number(self, value: float) -> str:
        """Return a literal that is read back as the same number."""
        if math.isnan(value):
            return "NaN"
        return repr(float(value)).replace("inf", "Infinity")

    def variable(self, name: str, value: str) -> str:
        """Return the statement of a new variable."""
        return f"  const {name} = {value};"

    def comment(self, text: str) -> str:
        """Return a comment on a line of its own."""
        return f"  // {text}"

    def turn(self, name: str, angle: str) -> str:
        """Return nothing: Math has sine and cosine."""
        return ""

    def call(self, operation: str, operands: Sequence[Expression]) -> Expression:
        """Return an operation that is no infix operator."""
        if operation == "not":
            return Expression(f"!{operands[0].within(ATOM)}", UNARY)
        if operation == "select":
            mask, yes, no = (one.within(OR) for one in operands)
            return Expression(f"{mask} ? {yes} : {no}", CHOICE)
        if operation == "nearest":  # the even one of two: 3 * 2^51 has a last digit of 1
            inner = operands[0].within(SUM)
            return Expression(f"({inner} + 6755399441055744) - 6755399441055744", SUM)
        return Expression(f"Math.{operation}({', '.join(one.text for one in operands)})")


def function_text(program: Program) -> str:
    """Return a program as a function of its constants and inputs, all arrays of numbers.

    It returns one array per output, in row-major order.
    """
    constants = [f"c[{k}]" for k in range(len(program.constants))]
    body, results = statements(program, constants, JavaScript())
    arguments = ", ".join(["c", *(label for label, _ in program.inputs)])
    read = [
        f"  const {', '.join(f'{label}{i + 1} = {label}[{i}]' for i in used)};"
        for number, (label, _) in enumerate(program.inputs)
        if (used := used_components(program, number))
    ]
    texts = [text for _, _, text in results]
    outputs = []
    for output in program.outputs:
        count = math.prod(output.shape)
        outputs.append(f"[{', '.join(texts[:count])}]")
        del texts[:count]
    return "\n".join(
        [f"({arguments}) => {{", *read, *body, "", f"  return [{', '.join(outputs)}];", "}"]
    )
