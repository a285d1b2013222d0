"""A program as SymPy expressions: named values, and the entries of the outputs.

Values used once stand where they are used; longer ones used more often get names. Sines and cosines
of axis angles are called ``s2``, ``c23`` (of q2 + q3), ``s3m2`` (of q3 - q2).
"""

from __future__ import annotations

import operator
from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
import sympy

from ...compiled.program import Output, Program

DIGITS = 12  # that a sum of table values can have
SHORT = 2  # symbols and functions of an expression that is written in full wherever it is used
RANKS = ("constant", "input", "angle", "value", "output")
"""Order of the factors of a product."""
OPERATIONS: dict[str, Any] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv,
    "neg": operator.neg, "inv": lambda x: 1 / x, "sin": sympy.sin, "cos": sympy.cos,
    "exp": sympy.exp, "log": sympy.log, "sqrt": sympy.sqrt, "sign": sympy.sign, "abs": sympy.Abs,
}  # fmt: skip


class Name(NamedTuple):
    """Name of a constant, an input's component, a sine or cosine, a value, or an output's entry."""

    kind: str
    word: str
    indices: tuple[int, ...] = ()
    """From 1; of a sine or cosine the axes whose angles are added, negative where subtracted."""

    @property
    def symbol(self) -> Any:
        """Symbol whose own name only puts it into its place in products."""
        axes = "".join(f"{abs(index):03}{index < 0:d}" for index in self.indices)
        return sympy.Symbol(f"{RANKS.index(self.kind)} {axes} {self.word}", real=True)


class Equation(NamedTuple):
    """A named value or entry; further entries may be equal to it."""

    names: tuple[Name, ...]
    value: Any


class Equations:
    """The equations of a program, in an order in which each needs only what is above it."""

    def __init__(self, program: Program) -> None:
        self.program = program
        self.names: dict[Any, Name] = {}
        """Name by symbol."""
        self.angles: dict[Any, Any] = {}
        """Sum of axis angles by the symbol of its sine or cosine."""
        self._values: dict[int, Any] = {}
        self._defined: dict[Any, list[Name]] = {}
        self.written: set[Name] = set()
        """Entries that are not 0."""
        self._uses = program.uses()
        self._entries: dict[int, list[Name]] = {}
        for output in program.outputs:
            for number, entry in zip(output.steps, entries(output), strict=True):
                self._entries.setdefault(number, []).append(entry)
        steps = program.steps
        self._negative_of = {
            steps[i].operands[0]: i for i in self._entries if steps[i].operation == "neg"
        }
        for number, names in self._entries.items():
            value = self._value(number)
            if value != 0 and names[0] not in self.written:
                self._define(value, names)

    def equations(self) -> Iterator[Equation]:
        """Yield the named values, and every entry that is not 0."""
        for value, names in self._defined.items():
            yield Equation(tuple(names), value)

    def used_angles(self) -> list[tuple[Name, Any]]:
        """Return the sines and cosines in use, in the order of their axes, with their angles."""
        used = {symbol for value in self._defined for symbol in value.free_symbols}
        angles = [(self.names[symbol], x) for symbol, x in self.angles.items() if symbol in used]
        return sorted(
            angles, key=lambda item: (len(item[0].indices), item[0].indices, item[0].word == "c")
        )

    def _value(self, number: int) -> Any:
        """Return a step as an expression: a symbol where it has a name."""
        if number not in self._values:
            value = self._expression(number)
            if number in self._values:  # as the negative of one of its operands
                return self._values[number]
            targets, shared = self._entries.get(number, []), self._uses[number] > 1
            negative = self._negative_of.get(number)
            if self._is_short(value):
                pass
            elif shared and not targets and negative is not None:
                value = -self._define(-value, self._entries[negative])
                self._values[negative] = -value
            elif shared or targets:
                value = self._define(value, targets)
            self._values[number] = value
        return self._values[number]

    def _define(self, value: Any, targets: list[Name]) -> Any:
        """Give a value the names of entries, or else a new one; return its first symbol."""
        if value not in self._defined:
            count = sum(names[0].kind == "value" for names in self._defined.values())
            self._defined[value] = []
            targets = targets or [Name("value", "t", (count + 1,))]
        self._defined[value] += targets
        self.written.update(targets)
        return self._symbol(self._defined[value][0])

    def _symbol(self, name: Name) -> Any:
        self.names[name.symbol] = name
        return name.symbol

    def _expression(self, number: int) -> Any:
        operation, operands, value = self.program.steps[number]
        if operation == "number":
            return sympy.Rational(plain(value))
        if operation == "constant":
            return self._symbol(Name("constant", self.program.constants[operands[0]]))
        if operation == "input":
            word, _ = self.program.inputs[operands[0]]
            return self._symbol(Name("input", word, (operands[1] + 1,)))
        arguments = [self._value(operand) for operand in operands]
        if operation in ("sin", "cos") and (axes := self._axes(arguments[0])):
            backwards = all(axis < 0 for axis in axes)
            indices = sorted(
                (-axis if backwards else axis for axis in axes), key=lambda i: (i < 0, abs(i))
            )
            symbol = self._symbol(Name("angle", operation[0], tuple(indices)))
            self.angles[symbol] = -arguments[0] if backwards else arguments[0]
            return -symbol if backwards and operation == "sin" else symbol
        return OPERATIONS[operation](*arguments)

    def _axes(self, value: Any) -> list[int]:
        """Return the axes whose positions a sum adds, negative where it subtracts; else none."""
        terms = [(self.names.get(symbol), k) for symbol, k in value.as_coefficients_dict().items()]
        if not all(name and name[:2] == ("input", "q") and abs(k) == 1 for name, k in terms):
            return []
        return [int(k) * name.indices[0] for name, k in terms if name]

    def _is_short(self, value: Any) -> bool:
        nodes = sum(node.is_Symbol or node.is_Function for node in sympy.preorder_traversal(value))
        return nodes <= SHORT or bool(self._axes(value))


def entries(output: Output) -> Iterator[Name]:
    """Yield the names of the entries of an output, in row-major order."""
    for indices in np.ndindex(output.shape):
        yield Name("output", output.name, tuple(i + 1 for i in indices))


def plain(number: float) -> str:
    """Return a number with :data:`DIGITS` digits."""
    return f"{number + 0.0:.{DIGITS}g}"
