"""Programs as statements of languages with infix operators, one scalar at a time.

What depends on the first input only comes first, then what needs the second as well, and so on.
Values used once stand inside what uses them.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple, Protocol

import numpy as np

from .program import OPERATIONS, Program, Step

LONGEST = 46  # characters of an expression that stands inside another
CHOICE, OR, AND, COMPARISON, SUM, PRODUCT, UNARY, ATOM = range(8)
"""How tightly an expression holds together."""
INFIX = {
    "add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT),
    "less": ("<", COMPARISON), "less_equal": ("<=", COMPARISON),
    "and": ("&&", AND), "or": ("||", OR),
}  # fmt: skip


class Expression(NamedTuple):
    """Text of a value, and how tightly it holds together."""

    text: str
    level: int = ATOM

    def within(self, level: int) -> str:
        """Return the text as an operand of a level, in brackets where they are needed."""
        return self.text if self.level >= level else f"({self.text})"


class Language(Protocol):
    """What a language writes otherwise than others."""

    def number(self, value: float) -> str:
        """Return a literal that is read back as the same number."""

    def variable(self, name: str, value: str) -> str:
        """Return the statement of a new variable."""

    def comment(self, text: str) -> str:
        """Return a comment on a line of its own."""

    def turn(self, name: str, angle: str) -> str:
        """Return the statement of sine and cosine of an angle; empty if a call gives each."""

    def call(self, operation: str, operands: Sequence[Expression]) -> Expression:
        """Return an operation that :data:`INFIX` does not have."""


def statements(
    program: Program, constants: Sequence[str], language: Language
) -> tuple[list[str], list[tuple[str, tuple[int, ...], str]]]:
    """Return the statements that compute, and name, indices and expression of each result.

    Args:
        program: What to compute. Component i of an input ``q`` is the variable ``q{i + 1}``.
        constants: Expression of each constant of the program.
        language: Language to write.
    """
    needs, uses, last = _needs(program), program.uses(), _last(program)
    values: dict[int, Expression] = {}
    turns: dict[int, str] = {}
    lines: list[str] = []
    block, count = -1, 0
    for number in sorted(range(len(program.steps)), key=needs.__getitem__):
        step = program.steps[number]
        operands = [values[i] for i in step.operands] if step.operation in OPERATIONS else []
        made = []
        turn = turns.get(step.operands[0]) if step.operation in ("sin", "cos") else None
        if step.operation in ("sin", "cos") and turn is None:
            turn = f"turn{len(turns) + 1}"
            statement = language.turn(turn, operands[0].text)
            if statement:
                turns[step.operands[0]] = turn
                made = [statement]
            else:
                turn = None
        if turn is not None:
            values[number] = Expression(f"{turn}.{step.operation}")
        else:
            values[number] = _expression(program, step, operands, constants, language)
            inside = uses[number] == 1 and (last[number] == needs[number] or needs[number] < 0)
            if step.operation in OPERATIONS and not (
                inside and len(values[number].text) <= LONGEST
            ):
                count += 1
                made = [language.variable(f"t{count}", values[number].text)]
                values[number] = Expression(f"t{count}")
        if made and needs[number] > block:
            block = needs[number]
            inputs = ", ".join(label for label, _ in program.inputs[: block + 1])
            lines += ["", language.comment(f"from {inputs}")]
        lines += made
    results = [
        (output.name, place, values[number].text)
        for output in program.outputs
        for place, number in zip(np.ndindex(output.shape), output.steps, strict=True)
    ]
    return lines, results


def used_components(program: Program, number: int) -> list[int]:
    """Return the components of an input that a program uses."""
    length = program.inputs[number][1]
    steps = set(program.steps)
    return [i for i in range(length) if Step("input", (number, i)) in steps]


def _needs(program: Program) -> list[int]:
    """Return the last input that each step depends on; -1 for none."""
    needs: list[int] = []
    for step in program.steps:
        if step.operation in OPERATIONS:
            needs.append(max(needs[i] for i in step.operands))
        else:
            needs.append(step.operands[0] if step.operation == "input" else -1)
    return needs


def _last(program: Program) -> list[int]:
    """Return the last input that a step or one of its users depends on."""
    needs = _needs(program)
    last = list(needs)
    for step, own in zip(program.steps, needs, strict=True):
        for number in step.operands if step.operation in OPERATIONS else ():
            last[number] = max(last[number], own)
    return last


def _expression(
    program: Program,
    step: Step,
    operands: list[Expression],
    constants: Sequence[str],
    language: Language,
) -> Expression:
    operation = step.operation
    if operation == "input":
        return Expression(f"{program.inputs[step.operands[0]][0]}{step.operands[1] + 1}")
    if operation == "constant":
        return Expression(constants[step.operands[0]])
    if operation == "number":
        return Expression(language.number(step.number), UNARY if step.number < 0.0 else ATOM)
    if operation in INFIX:
        sign, level = INFIX[operation]
        left, right = operands
        after = ATOM if right.level == UNARY else level + 1
        return Expression(f"{left.within(level)} {sign} {right.within(after)}", level)
    if operation == "neg":
        return Expression(f"-{operands[0].within(ATOM)}", UNARY)
    if operation == "inv":
        return Expression(f"{language.number(1.0)} / {operands[0].within(ATOM)}", PRODUCT)
    return language.call(operation, operands)
