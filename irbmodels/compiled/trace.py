"""Tracing: formulas written with Python's operators become a program.

Equal steps are one value, and sums and products with 0, 1 and -1 fold away as they are written, so
that numbers of a mechanism's structure may be plain floats. Formulas are those of real numbers:
signs move outwards and equal summands cancel, so that no sum can be written to catch a rounding.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from .program import COST, LEAVES, Output, Program, Step


class Trace:
    """Steps of a program that is being written."""

    def __init__(self) -> None:
        """Start without steps."""
        self.values: list[Value] = []
        """Every step, by its number."""
        self._known: dict[tuple[Any, ...], Value] = {}
        self._inputs: list[tuple[str, int]] = []
        self._constants: list[str] = []

    def input(self, name: str, length: int) -> list[Value]:
        """Return the components of a new input."""
        self._inputs.append((name, length))
        return [self.step("input", len(self._inputs) - 1, i) for i in range(length)]

    def constant(self, name: str) -> Value:
        """Return a new named constant."""
        self._constants.append(name)
        return self.step("constant", len(self._constants) - 1)

    def value(self, x: Value | float) -> Value:
        """Return a number as a step; a value as it is."""
        if isinstance(x, Value):
            return x
        key = ("number", x, math.copysign(1.0, x))
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Value(self, len(self.values), "number", (), float(x))
            self.values.append(known)
        return known

    def step(self, operation: str, *operands: int) -> Value:
        """Return the value of an operation on earlier steps, or of a leaf."""
        key = (operation, operands)
        known = self._known.get(key)
        if known is None:
            known = self._known[key] = Value(self, len(self.values), operation, operands)
            self.values.append(known)
        return known

    def known(self, operation: str, *operands: int) -> Value | None:
        """Return the value of an operation if there is one already."""
        return self._known.get((operation, operands))

    def program(
        self, name: str, outputs: Mapping[str, tuple[tuple[int, ...], Sequence[Value | float]]]
    ) -> Program:
        """Return the program of some results, without the steps that none of them needs.

        Args:
            name: What is computed; an identifier.
            outputs: Shape, and entries in row-major order, by name.
        """
        results = {
            label: (shape, [self.value(x).number for x in entries])
            for label, (shape, entries) in outputs.items()
        }
        needed = self.needed(number for _, numbers in results.values() for number in numbers)
        place = dict(zip(needed, range(len(needed)), strict=True))
        steps: list[Step] = []
        constants: list[str] = []
        for value in map(self.values.__getitem__, needed):
            operands = value.operands
            if value.operation == "constant":
                constants.append(self._constants[operands[0]])
                operands = (len(constants) - 1,)
            elif value.operation not in LEAVES:
                operands = tuple([place[i] for i in operands])
            steps.append(Step(value.operation, operands, value.literal))
        return Program(
            name,
            tuple(self._inputs),
            tuple(constants),
            tuple(steps),
            tuple(
                Output(label, shape, tuple([place[i] for i in numbers]))
                for label, (shape, numbers) in results.items()
            ),
        )

    def needed(self, results: Iterable[int]) -> list[int]:
        """Return the numbers of the steps that some steps need, themselves included, in order."""
        wanted = set(results)
        for value in reversed(self.values[: max(wanted, default=-1) + 1]):
            if value.number in wanted and value.operation not in LEAVES:
                wanted.update(value.operands)
        return sorted(wanted)

    def shortest(self, *formulas: list[list[Scalar]]) -> list[list[Scalar]]:
        """Return the matrix that takes least time among formulas of one; of equals the first."""
        return min(formulas, key=self._time)

    def _time(self, rows: list[list[Scalar]]) -> int:
        needed = self.needed(x.number for row in rows for x in row if isinstance(x, Value))
        operations = (self.values[number].operation for number in needed)
        return sum(COST.get(operation, 1) for operation in operations if operation not in LEAVES)


class Value:
    """A step of a trace, with the operators of arithmetic, comparison and logic."""

    __slots__ = ("literal", "number", "operands", "operation", "trace")
    __array_ufunc__ = None  # so that numbers of NumPy leave their operators to ours

    def __init__(
        self,
        trace: Trace,
        number: int,
        operation: str,
        operands: tuple[int, ...],
        literal: float = 0.0,
    ) -> None:
        """Refer to a step; :class:`Trace` makes them."""
        self.trace = trace
        self.number = number
        self.operation = operation
        self.operands = operands
        self.literal = literal

    def without_sign(self) -> Value:
        """Return the value whose negative this is, or itself."""
        return self.trace.values[self.operands[0]] if self.operation == "neg" else self

    def __add__(self, other: Value | float) -> Value:
        if not isinstance(other, Value):
            if other == 0.0:
                return self
            other = self.trace.value(other)
        if other.operation == "neg":
            return self - other.without_sign()  # type: ignore[return-value]
        if self.operation == "neg":
            return other - self.without_sign()  # type: ignore[return-value]
        a, b = self.number, other.number
        if self.operation == "sub" and self.operands[1] == b:  # (x - b) + b
            return self.trace.values[self.operands[0]]
        if other.operation == "sub" and other.operands[1] == a:
            return self.trace.values[other.operands[0]]
        return self.trace.step("add", a, b) if a <= b else self.trace.step("add", b, a)

    __radd__ = __add__

    def __sub__(self, other: Value | float) -> Value | float:
        if not isinstance(other, Value):
            if other == 0.0:
                return self
            other = self.trace.value(other)
        if other is self:
            return 0.0
        if other.operation == "neg":
            return self + other.without_sign()
        if self.operation == "neg":
            return -(self.without_sign() + other)
        return self._cancelled(other) or self.trace.step("sub", self.number, other.number)

    def _cancelled(self, other: Value) -> Value | None:
        """Return the difference where a summand is in both, or where the opposite one is known."""
        trace, a, b = self.trace, self.number, other.number
        if self.operation == "add" and b in self.operands:
            return trace.values[self.operands[self.operands[0] == b]]
        if self.operation == "sub" and self.operands[0] == b:
            return -trace.values[self.operands[1]]
        if other.operation == "sub" and other.operands[0] == a:
            return trace.values[other.operands[1]]
        if other.operation == "add" and a in other.operands:
            return -trace.values[other.operands[other.operands[0] == a]]
        opposite = trace.known("sub", b, a)
        return None if opposite is None else -opposite

    def __rsub__(self, other: float) -> Value | float:
        return -self if other == 0.0 else self.trace.value(other) - self

    def __mul__(self, other: Value | float) -> Value | float:
        if not isinstance(other, Value):
            if other == 0.0:
                return 0.0
            if other == 1.0:
                return self
            if other == -1.0:
                return -self
            other = self.trace.value(other)
        if self.operation == "neg":
            return -(self.without_sign() * other)
        if other.operation == "neg":
            return -(self * other.without_sign())
        a, b = self.number, other.number
        return self.trace.step("mul", a, b) if a <= b else self.trace.step("mul", b, a)

    __rmul__ = __mul__

    def __truediv__(self, other: Value | float) -> Value | float:
        """Multiply by the reciprocal: one slow division serves all by the same value."""
        if not isinstance(other, Value):
            return self * (1.0 / other)
        return self * other.apply("inv")

    def __rtruediv__(self, other: float) -> Value | float:
        return self.apply("inv") * other

    def __neg__(self) -> Value:
        return (
            self.without_sign() if self.operation == "neg" else self.trace.step("neg", self.number)
        )

    def __abs__(self) -> Value:
        return self.without_sign().apply("abs")

    def __lt__(self, other: Value | float) -> Value:
        return self.apply("less", other)

    def __le__(self, other: Value | float) -> Value:
        return self.apply("less_equal", other)

    def __gt__(self, other: Value | float) -> Value:
        return self.trace.value(other).apply("less", self)

    def __ge__(self, other: Value | float) -> Value:
        return self.trace.value(other).apply("less_equal", self)

    def __and__(self, other: Value) -> Value:
        return self.apply("and", other)

    def __or__(self, other: Value) -> Value:
        return self.apply("or", other)

    def __invert__(self) -> Value:
        return self.apply("not")

    def apply(self, operation: str, *others: Value | float) -> Value:
        """Return an operation on this value and others."""
        trace = self.trace
        return trace.step(operation, self.number, *(trace.value(x).number for x in others))


Scalar = Any
"""A value, or a float where it folded."""


def sin(x: Scalar) -> Scalar:
    """Sine of an angle [rad]."""
    return _odd("sin", x) if isinstance(x, Value) else math.sin(x)


def cos(x: Scalar) -> Scalar:
    """Cosine of an angle [rad]."""
    return x.without_sign().apply("cos") if isinstance(x, Value) else math.cos(x)


def exp(x: Scalar) -> Scalar:
    """Exponential."""
    return x.apply("exp") if isinstance(x, Value) else math.exp(x)


def log(x: Scalar) -> Scalar:
    """Natural logarithm of a positive number."""
    return x.apply("log") if isinstance(x, Value) else math.log(x)


def sqrt(x: Scalar) -> Scalar:
    """Square root."""
    return x.apply("sqrt") if isinstance(x, Value) else math.sqrt(x)


def sign(x: Scalar) -> Scalar:
    """1, -1, or x where it is 0 or NaN."""
    return _odd("sign", x) if isinstance(x, Value) else math.copysign(1.0, x) if x else x


def _odd(operation: str, x: Value) -> Value:
    """Return a function whose sign changes with its operand's."""
    return -x.without_sign().apply(operation) if x.operation == "neg" else x.apply(operation)


def nearest(x: Value) -> Value:
    """Nearest whole number, the even one of two, of ``|x| < 2^51``."""
    return x.apply("nearest")


def atan2(y: Value, x: Scalar) -> Value:
    """Angle of a point from the x axis [rad]; 0 at the origin."""
    return y.apply("atan2", x)


def where(mask: Value | bool, a: Scalar, b: Scalar) -> Scalar:
    """Return ``a`` where a comparison holds, ``b`` elsewhere; both are evaluated."""
    if not isinstance(mask, Value):
        return a if mask else b
    return mask.apply("select", a, b)
