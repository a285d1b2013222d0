"""Straight-line programs: what every writer (numba, C99, readable text) starts from.

A program is a list of steps, each of which computes one value from earlier ones; there are no branches and no loops.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

OPERATIONS = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "inv": 1, "sin": 1, "cos": 1, "exp": 1, "sqrt": 1, "sign": 1, "abs": 1,
}  # fmt: skip
"""Names of operations with their number of operands; a writer knows all of them."""
LEAVES = ("input", "constant", "number")


class Step(NamedTuple):
    """One value: an operation on earlier values, or a leaf."""

    operation: str
    operands: tuple[int, ...] = ()
    """Numbers of earlier steps; of an input (input, component), of a constant its place in :attr:`Program.constants`."""
    number: float = 0.0
    """Value of a ``number``."""


class Output(NamedTuple):
    """An array of results, in row-major order."""

    name: str
    shape: tuple[int, ...]
    steps: tuple[int, ...]


@dataclass(frozen=True)
class Program:
    """Steps from inputs and constants to outputs."""

    name: str
    inputs: tuple[tuple[str, int], ...]
    """Name and length of each input."""
    constants: tuple[str, ...]
    """Names of the constants it uses."""
    steps: tuple[Step, ...]
    outputs: tuple[Output, ...]

    def count(self) -> int:
        """Number of arithmetic operations."""
        return sum(step.operation in OPERATIONS for step in self.steps)

    def uses(self) -> Counter[int]:
        """How often each step's value is used, outputs included."""
        counter: Counter[int] = Counter(number for output in self.outputs for number in output.steps)
        for step in self.steps:
            if step.operation in OPERATIONS:
                counter.update(step.operands)
        return counter


def program_of(
    name: str, inputs: Mapping[str, Any], constants: Mapping[str, Any], outputs: Mapping[str, tuple[tuple[int, ...], Any]]
) -> Program:
    """Write CasADi expressions as a program; equal subexpressions are computed once.

    Args:
        name: What is computed; an identifier.
        inputs: Columns of symbols by name.
        constants: Scalar symbols by name; the program keeps those that it uses.
        outputs: Shape and expression (a matrix whose entries in row-major order fill the shape) by name.
    """
    import casadi as ca

    columns = [ca.vec(ca.densify(ca.SX(expression)).T) for _, expression in outputs.values()]
    columns = ca.cse(columns)
    function = ca.Function(name, [*inputs.values(), ca.vertcat(*constants.values())], columns)
    names = list(constants)
    steps: list[Step] = []
    known: dict[Step, int] = {}
    work: dict[int, int] = {}
    results = [[-1] * column.shape[0] for column in columns]

    def step(operation: str, *operands: int, number: float = 0.0) -> int:
        if operation in ("add", "mul"):
            operands = tuple(sorted(operands))  # a b and b a are one value
        made = Step(operation, operands, number)
        if made not in known:
            known[made] = len(steps)
            steps.append(made)
        return known[made]

    for number in range(function.n_instructions()):
        code, into, came = (
            function.instruction_id(number),
            function.instruction_output(number),
            function.instruction_input(number),
        )
        if code == ca.OP_OUTPUT:
            results[into[0]][into[1]] = work[came[0]]
        elif code == ca.OP_INPUT:
            is_constant = came[0] == len(inputs)
            work[into[0]] = step("constant", came[1]) if is_constant else step("input", *came)
        elif code == ca.OP_CONST:
            work[into[0]] = step("number", number=function.instruction_constant(number))
        else:
            work[into[0]] = _operation(ca, code, [work[i] for i in came], step)
    zero = step("number", number=0.0) if any(-1 in result for result in results) else -1
    results = [[zero if number == -1 else number for number in result] for result in results]
    shaped = [Output(label, shape, tuple(result)) for (label, (shape, _)), result in zip(outputs.items(), results, strict=True)]
    return _trimmed(
        Program(name, tuple((label, x.shape[0]) for label, x in inputs.items()), tuple(names), tuple(steps), tuple(shaped))
    )


def _operation(ca: Any, code: int, operands: list[int], step: Any) -> int:
    names = {
        ca.OP_ADD: "add", ca.OP_SUB: "sub", ca.OP_MUL: "mul", ca.OP_NEG: "neg", ca.OP_INV: "inv", ca.OP_SIN: "sin",
        ca.OP_COS: "cos", ca.OP_EXP: "exp", ca.OP_SQRT: "sqrt", ca.OP_SIGN: "sign", ca.OP_FABS: "abs",
    }  # fmt: skip
    if code == ca.OP_SQ:
        return int(step("mul", operands[0], operands[0]))
    if code == ca.OP_TWICE:
        return int(step("add", operands[0], operands[0]))
    if code == ca.OP_ASSIGN:
        return operands[0]
    if code == ca.OP_DIV:  # one slow reciprocal serves every division by the same value
        return int(step("mul", operands[0], step("inv", operands[1])))
    return int(step(names[code], *operands))


def _trimmed(program: Program) -> Program:
    """Drop steps that no output needs, and constants that no step needs."""
    needed = {number for output in program.outputs for number in output.steps}
    for number in reversed(range(len(program.steps))):
        if number in needed and program.steps[number].operation in OPERATIONS:
            needed.update(program.steps[number].operands)
    kept = sorted(needed)
    used = sorted({program.steps[i].operands[0] for i in kept if program.steps[i].operation == "constant"})
    renumbered = {old: new for new, old in enumerate(kept)}
    steps = []
    for old in kept:
        step = program.steps[old]
        if step.operation == "constant":
            step = step._replace(operands=(used.index(step.operands[0]),))
        elif step.operation in OPERATIONS:
            step = step._replace(operands=tuple(renumbered[i] for i in step.operands))
        steps.append(step)
    outputs = tuple(output._replace(steps=tuple(renumbered[i] for i in output.steps)) for output in program.outputs)
    return Program(program.name, program.inputs, tuple(program.constants[i] for i in used), tuple(steps), outputs)


def pairs(program: Program) -> Iterator[tuple[int, int, int]]:
    """Angles whose sine and cosine are both needed, with the numbers of the steps: writers compute them together."""
    found: dict[int, dict[str, int]] = {}
    for number, step in enumerate(program.steps):
        if step.operation in ("sin", "cos"):
            found.setdefault(step.operands[0], {})[step.operation] = number
    for angle, numbers in found.items():
        if len(numbers) == 2:
            yield angle, numbers["sin"], numbers["cos"]
