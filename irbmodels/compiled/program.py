"""Straight-line programs: what every writer (LLVM IR, C99, equations) starts from.

A program is a list of steps, each of which computes one value from earlier ones; there are no
branches and no loops.
"""

from __future__ import annotations

import heapq
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

ARITHMETIC = {
    "add": 2, "sub": 2, "mul": 2, "div": 2, "neg": 1, "inv": 1,
    "sin": 1, "cos": 1, "exp": 1, "log": 1, "sqrt": 1, "sign": 1, "abs": 1,
}  # fmt: skip
"""Names of operations with their number of operands; every writer knows them."""
MASKS = {"less": 2, "less_equal": 2, "and": 2, "or": 2, "not": 1}
"""Operations whose result is a mask; comparisons with NaN are false."""
OPERATIONS = ARITHMETIC | MASKS | {"select": 3, "atan2": 2, "nearest": 1}
"""All operations: queries need arithmetic alone, and so do writers for people and other tools."""
LEAVES = ("input", "constant", "number")
COST = {"sin": 14, "cos": 14, "exp": 16, "log": 16, "sign": 3, "inv": 4, "sqrt": 5, "atan2": 30}
"""Time of operations in additions; the others take one."""
# values that may wait for their use: of 8 to 20 the best, 9 % faster than in the order of CasADi
ROOM = 14


class Step(NamedTuple):
    """One value: an operation on earlier values, or a leaf."""

    operation: str
    operands: tuple[int, ...] = ()
    """Numbers of earlier steps.

    Of an input (input, component), of a constant its place in :attr:`Program.constants`.
    """
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
        """Number of uses of each step's value, outputs included."""
        counter: Counter[int] = Counter(
            number for output in self.outputs for number in output.steps
        )
        for step in self.steps:
            if step.operation in OPERATIONS:
                counter.update(step.operands)
        return counter


def evaluate(
    program: Program,
    inputs: Sequence[Sequence[Any]],
    constants: Sequence[Any],
    functions: Mapping[str, Callable[..., Any]],
) -> list[list[Any]]:
    """Return the entries of each output, by functions of any algebra: arrays, symbols ...

    Args:
        program: What is evaluated.
        inputs: Components of each input.
        constants: Values of :attr:`Program.constants`.
        functions: By the names of :data:`OPERATIONS`; those that the program uses.
    """
    values: list[Any] = []
    for operation, operands, number in program.steps:
        if operation == "input":
            values.append(inputs[operands[0]][operands[1]])
        elif operation == "constant":
            values.append(constants[operands[0]])
        elif operation == "number":
            values.append(number)
        else:
            values.append(functions[operation](*(values[i] for i in operands)))
    return [[values[i] for i in output.steps] for output in program.outputs]


def _reordered(program: Program, order: list[int]) -> Program:
    """Return a program with the steps of ``order``, in that order."""
    place = {old: new for new, old in enumerate(order)}
    steps = [
        (
            Step(operation, tuple([place[i] for i in operands]))
            if operation in OPERATIONS
            else Step(operation, operands, number)
        )
        for operation, operands, number in map(program.steps.__getitem__, order)
    ]
    outputs = tuple(
        output._replace(steps=tuple([place[i] for i in output.steps])) for output in program.outputs
    )
    return replace(program, steps=tuple(steps), outputs=outputs)


def scheduled(program: Program) -> Program:
    """Return the same steps in an order that suits a processor.

    It looks some hundred instructions ahead.
    The step with the longest way to a result comes first, unless more than ROOM values wait: then
    the one that frees most.
    """
    done = [step.operation in LEAVES for step in program.steps]
    inner = [
        () if leaf else [i for i in dict.fromkeys(step.operands) if not done[i]]
        for step, leaf in zip(program.steps, done, strict=True)
    ]
    users: list[list[int]] = [[] for _ in program.steps]
    way = [COST.get(step.operation, 1) for step in program.steps]
    for number in reversed(range(len(program.steps))):
        way[number] += max((way[user] for user in users[number]), default=0)
        for operand in inner[number]:
            users[operand].append(number)
    results = {number for output in program.outputs for number in output.steps}
    uses = [len(of) + (number in results) for number, of in enumerate(users)]
    waits, live = [len(operands) for operands in inner], 0
    order = [number for number, leaf in enumerate(done) if leaf]
    freed = [0] * len(program.steps)
    # ready steps by the number of values that they free, the longest way first, then the oldest
    ready: list[list[tuple[int, int, int]]] = [[] for _ in range(4)]
    ages: dict[int, int] = {}

    def offer(number: int) -> None:
        freed[number] = sum(uses[operand] == 1 for operand in inner[number])
        age = ages.setdefault(number, len(ages))
        heapq.heappush(ready[freed[number]], (-way[number], age, number))

    for number, leaf in enumerate(done):
        if not (leaf or waits[number]):
            offer(number)
    while True:
        for count, heap in enumerate(ready):  # entries of before a step came to free more
            while heap and (done[heap[0][2]] or freed[heap[0][2]] != count):
                heapq.heappop(heap)
        filled = [heap for heap in reversed(ready) if heap]
        if not filled:
            return _reordered(program, order)
        chosen = (filled[0] if live > ROOM else min(filled))[0][2]
        done[chosen] = True
        order.append(chosen)
        live += 1 - freed[chosen]
        for operand in inner[chosen]:
            uses[operand] -= 1
            if uses[operand] == 1:
                for user in users[operand]:
                    if not (done[user] or waits[user]):
                        offer(user)
        for user in users[chosen]:
            waits[user] -= 1
            if not waits[user]:
                offer(user)


def pairs(program: Program) -> Iterator[tuple[int, int, int]]:
    """Yield angles whose sine and cosine are both needed, with the numbers of the steps."""
    uses: dict[int, dict[str, int]] = {}
    for number, step in enumerate(program.steps):
        if step.operation in ("sin", "cos"):
            uses.setdefault(step.operands[0], {})[step.operation] = number
    for angle, numbers in uses.items():
        if len(numbers) == 2:
            yield angle, numbers["sin"], numbers["cos"]
