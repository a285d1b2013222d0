"""A program as equations that people read, in the notation of SymPy, LaTeX or MATLAB.

Values used once stand where they are used; the others get names. Sums and products have no more
parentheses than they need, and sines and cosines of axis angles are called ``s2``, ``c23`` (of q2 +
q3), ``s3m2`` (of q3 - q2).
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Callable, Iterator
from typing import ClassVar, NamedTuple, TypeAlias, cast

import numpy as np

from ...compiled.program import LEAVES, Output, Program

WIDTH = 110  # characters of a line
PRINTED = 55  # letters of a printed line of LaTeX
BREAK = "\0"  # where a line may be broken
WORTH = 3  # leaves that a value used more than once needs to get a name
SHORT = 2  # factors of a product that is written in full wherever it is used


class Name(NamedTuple):
    """A constant, a component of an input, a sine or cosine, a value with a name, or an entry of an output."""

    kind: str
    word: str
    indices: tuple[int, ...] = ()
    """From 1; of a sine or cosine the axes whose angles are added, negative where subtracted."""


class Call(NamedTuple):
    """A function of a sum."""

    function: str
    argument: Sum


class Term(NamedTuple):
    """A number times powers of factors."""

    number: float
    factors: tuple[tuple[Factor, int], ...]


Sum: TypeAlias = tuple[Term, ...]
Factor: TypeAlias = Name | Call | Sum
RANKS = ("constant", "input", "cos", "sin", "value", "output")


class Equation(NamedTuple):
    """What a name stands for; further entries of outputs may be the same."""

    names: tuple[Name, ...]
    value: Sum


class Sheet(NamedTuple):
    """The equations of a program, in an order in which each needs only what is above it."""

    angles: tuple[Name, ...]
    """Sines and cosines in use."""
    equations: tuple[Equation, ...]
    """Values with names, and every entry that is not 0."""


def sheet_of(program: Program) -> Sheet:
    """Give names to what is worth one, and collect the rest into sums of products."""
    return _Writing(program).sheet()


class _Writing:
    """A sheet while it is written."""

    def __init__(self, program: Program) -> None:
        self.program, self.steps = program, program.steps
        self.angles = {
            number: angle for number in range(len(self.steps)) if (angle := self._angle(number))
        }
        self.shared = self._shared()
        self.known: dict[int, Term] = {}
        self.found: dict[frozenset[Term], list[Name]] = {}
        self.sums: list[Sum] = []
        self.entries: dict[int, list[Name]] = {}
        for output in program.outputs:
            for number, indices in zip(output.steps, np.ndindex(output.shape), strict=True):
                self.entries.setdefault(number, []).append(
                    Name("output", output.name, tuple(i + 1 for i in indices))
                )
        self.opposite = {
            self.steps[i].operands[0]: i for i in self.entries if self.steps[i].operation == "neg"
        }

    def sheet(self) -> Sheet:
        """Write the entries in their order, and before each what it needs."""
        for number, entries in self.entries.items():
            value = [] if number in self.known else self.terms(number, named=False)
            if value and number not in self.known:  # it may have become so meanwhile
                self.write(value, entries)
        equations = tuple(
            Equation(tuple(self.found[frozenset(value)]), value) for value in self.sums
        )
        used = {
            name for value in self.sums for name in _names(value) if name.kind in ("sin", "cos")
        }
        order = sorted(used, key=lambda name: (len(name.indices), name.indices, name.kind == "cos"))
        return Sheet(tuple(order), equations)

    def write(self, value: list[Term], entries: list[Name]) -> Name:
        """Note what entries, or else a new name, stand for; the same value is written once."""
        key = frozenset(value)
        if key not in self.found:
            count = sum(names[0].kind == "value" for names in self.found.values())
            self.found[key] = []
            self.sums.append(tuple(value))
            entries = entries or [Name("value", "t", (count + 1,))]
        self.found[key] += entries
        return self.found[key][0]

    def reference(self, number: int) -> Term:
        """Return how a shared step is written where it is used: by its name, or in full if that is as short."""
        if number not in self.known:
            value, entries = self.terms(number, named=False), self.entries.get(number, [])
            if (
                not entries
                and len(value) <= 1
                and sum(abs(power) for term in value for _, power in term.factors) <= SHORT
            ):
                self.known[number] = value[0] if value else Term(0.0, ())
            elif not entries and number in self.opposite:
                opposite = self.opposite[number]
                name = self.write(
                    _collected([Term(-k, factors) for k, factors in value]), self.entries[opposite]
                )
                self.known[number], self.known[opposite] = (
                    Term(-1.0, ((name, 1),)),
                    Term(1.0, ((name, 1),)),
                )
            else:
                self.known[number] = Term(1.0, ((self.write(value, entries), 1),))
        return self.known[number]

    def terms(self, number: int, named: bool = True) -> list[Term]:
        """Return a step as a sum, by its name if it has one and it is not ``named=False``."""
        step = self.steps[number]
        if step.operation in ("add", "sub") and not (named and number in self.shared):
            sign = 1.0 if step.operation == "add" else -1.0
            second = [Term(sign * k, factors) for k, factors in self.terms(step.operands[1])]
            return _collected([*self.terms(step.operands[0]), *second])
        powers: Counter[Factor] = Counter()
        coefficient = self._multiply(number, 1, powers, named)
        factors = sorted(((factor, power) for factor, power in powers.items() if power), key=_rank)
        return _collected([Term(coefficient, tuple(factors))])

    def _multiply(
        self, number: int, power: int, powers: Counter[Factor], named: bool = True
    ) -> float:
        """Collect a step's factors, or with power -1 its inverse's, into ``powers``.

        Return the number among them.
        """
        step = self.steps[number]
        if number in self.angles:
            sign, angle = self.angles[number]
            powers[angle] += power
            return sign
        if named and number in self.shared:
            number_of, factors = self.reference(number)
            powers.update({factor: exponent * power for factor, exponent in factors})
            return float(number_of**power)
        match step.operation:
            case "number":
                return float(step.number**power)
            case "constant":
                powers[Name("constant", self.program.constants[step.operands[0]])] += power
            case "input":
                powers[
                    Name("input", self.program.inputs[step.operands[0]][0], (step.operands[1] + 1,))
                ] += power
            case "neg":
                return -self._multiply(step.operands[0], power, powers)
            case "mul":
                return self._multiply(step.operands[0], power, powers) * self._multiply(
                    step.operands[1], power, powers
                )
            case "div":
                return self._multiply(step.operands[0], power, powers) * self._multiply(
                    step.operands[1], -power, powers
                )
            case "inv":
                return self._multiply(step.operands[0], -power, powers)
            case "add" | "sub":
                return self._of_sum(tuple(self.terms(number)), power, powers)
            case function:
                powers[Call(function, tuple(self.terms(step.operands[0])))] += power
        return 1.0

    def _of_sum(self, value: Sum, power: int, powers: Counter[Factor]) -> float:
        if len(value) == 1:  # what was a sum has collapsed
            for factor, exponent in value[0].factors:
                powers[factor] += exponent * power
            return float(value[0].number ** power)
        if not value:
            return 0.0
        sign = -1.0 if all(term.number < 0.0 for term in value) else 1.0
        powers[tuple(Term(sign * k, factors) for k, factors in value)] += power
        return sign  # the power is 1 or -1

    def _angle(self, number: int) -> tuple[float, Name] | None:
        """Sign and name of the sine or cosine of a sum of axis angles."""
        step = self.steps[number]
        if step.operation not in ("sin", "cos"):
            return None
        parts = self._axes(step.operands[0])
        if not parts or any(abs(k) != 1 for k in parts.values()):
            return None
        backwards = all(k < 0 for k in parts.values())
        signs = {axis: -k if backwards else k for axis, k in parts.items()}
        indices = sorted(
            (k * axis for axis, k in signs.items()), key=lambda index: (index < 0, abs(index))
        )
        return -1.0 if backwards and step.operation == "sin" else 1.0, Name(
            step.operation, step.operation[0], tuple(indices)
        )

    def _axes(self, number: int) -> dict[int, int] | None:
        """How often each axis position stands in a sum; None if there is anything else in it."""
        step = self.steps[number]
        if step.operation == "input" and self.program.inputs[step.operands[0]][0] == "q":
            return {step.operands[1] + 1: 1}
        if step.operation not in ("add", "sub", "neg"):
            return None
        parts = [self._axes(operand) for operand in step.operands]
        total: Counter[int] = Counter()
        for part, sign in zip(
            parts, {"add": (1, 1), "sub": (1, -1), "neg": (-1,)}[step.operation], strict=True
        ):
            if part is None:
                return None
            for axis, k in part.items():
                total[axis] += sign * k
        return {axis: k for axis, k in total.items() if k}

    def _shared(self) -> set[int]:
        """Steps that get a name: used more than once, and longer than the name is worth."""
        leaves = [0] * len(self.steps)
        for number, step in enumerate(self.steps):
            is_leaf = step.operation in LEAVES or number in self.angles
            leaves[number] = (
                1
                if is_leaf
                else min(WORTH, sum(leaves[i] for i in step.operands) + (step.operation in CALLED))
            )
        uses: Counter[int] = Counter()
        for output in self.program.outputs:
            uses.update(set(output.steps))
        shared = set()
        for number in reversed(range(len(self.steps))):
            step = self.steps[number]
            if step.operation in LEAVES or number in self.angles:
                continue
            if uses[number] > 1 and leaves[number] >= WORTH and step.operation != "neg":
                shared.add(number)
            for operand in step.operands:
                uses[operand] += 1 if number in shared else uses[number]
        return shared


CALLED = ("sin", "cos", "exp", "sqrt", "sign", "abs", "inv")


def _collected(terms: list[Term]) -> list[Term]:
    """Add terms with the same factors; a positive one comes first."""
    numbers: dict[tuple[tuple[Factor, int], ...], float] = {}
    for term in terms:
        numbers[term.factors] = numbers.get(term.factors, 0.0) + term.number
    kept = [Term(k, factors) for factors, k in numbers.items() if k]
    if any(map(_is_sum, kept)):
        return _collected([part for term in kept for part in _opened(term)])
    first = next((i for i, term in enumerate(kept) if term.number > 0.0), 0)
    return [*kept[first : first + 1], *kept[:first], *kept[first + 1 :]]


def _is_sum(term: Term) -> bool:
    """Whether a term is a sum in parentheses, or less it: they can go."""
    return (
        abs(term.number) == 1.0
        and len(term.factors) == 1
        and term.factors[0][1] == 1
        and type(term.factors[0][0]) is tuple
    )


def _opened(term: Term) -> list[Term]:
    return (
        [Term(term.number * k, factors) for k, factors in cast(Sum, term.factors[0][0])]
        if _is_sum(term)
        else [term]
    )


def _rank(factor_power: tuple[Factor, int]) -> tuple[int, tuple[int, ...], str]:
    """Order of the factors of a product: constants, speeds, turns, names, sums."""
    factor = factor_power[0]
    if isinstance(factor, Name):
        return RANKS.index(factor.kind) - (factor.kind == "sin"), factor.indices, factor.word
    return len(RANKS) + (not isinstance(factor, Call)), (), repr(factor)


def _names(value: Sum) -> Iterator[Name]:
    for term in value:
        for factor, _ in term.factors:
            if isinstance(factor, Name):
                yield factor
            else:
                yield from _names(factor.argument if isinstance(factor, Call) else factor)


# --- notations
# -------------------------------------------------------------------------------------------------------


class Notation:
    """How names, products and equations are written.

    :class:`Sympy` and :class:`Matlab` differ in little.
    """

    power = "^"
    functions: ClassVar[dict[str, str]] = {}
    separator = " + "

    def name(self, name: Name) -> str:
        """Return a name."""
        if name.kind in ("sin", "cos"):
            joint = "_" if any(abs(index) > 9 for index in name.indices) else ""
            return name.word + joint.join(
                f"m{-index}" if index < 0 else str(index) for index in name.indices
            )
        if name.kind == "output":
            return self.entry(name)
        return name.word + "_".join(map(str, name.indices))

    def entry(self, name: Name) -> str:
        """Return an entry of an output."""
        raise NotImplementedError

    def call(self, function: str, argument: str) -> str:
        """Return a function's value."""
        return f"{self.functions.get(function, function)}({argument})"

    def sum(self, value: Sum) -> str:
        """Return a sum; it may be broken at :data:`BREAK`."""
        if not value:
            return "0"
        text = ""
        for term in value:
            sign = "-" if term.number < 0.0 else "+"
            product = self.product(abs(term.number), term.factors)
            text += (f"{BREAK}{sign} " if text else sign.removesuffix("+")) + product
        return text

    def product(self, number: float, factors: tuple[tuple[Factor, int], ...]) -> str:
        """Return a positive number times factors."""
        above = [self.raised(factor, power) for factor, power in factors if power > 0]
        below = [self.raised(factor, -power) for factor, power in factors if power < 0]
        if number != 1.0 and (1.0 / number).is_integer():
            below.append(f"{1.0 / number:.0f}")
        elif number != 1.0 or not above:
            above.insert(0, plain(number))
        return "/".join(["*".join(above or ["1"]), *below])

    def raised(self, factor: Factor, power: int) -> str:
        """Return a power of a factor."""
        return self.factor(factor) + (f"{self.power}{power}" if power != 1 else "")

    def factor(self, factor: Factor) -> str:
        """Return a factor, in parentheses where it is a sum."""
        if isinstance(factor, Name):
            return self.name(factor)
        if isinstance(factor, Call):
            return self.call(factor.function, self.sum(factor.argument))
        return f"({self.sum(factor)})"

    def angles(self, sheet: Sheet, equals: str = " = ") -> list[list[str]]:
        """Return what the sines and cosines stand for, by angle."""
        found: dict[tuple[int, ...], list[str]] = {}
        for name in sheet.angles:
            terms = (
                Term(float(np.sign(index)), ((Name("input", "q", (abs(index),)), 1),))
                for index in name.indices
            )
            text = self.call(name.kind, self.sum(tuple(terms))).replace(BREAK, " ")
            found.setdefault(name.indices, []).append(f"{self.name(name)}{equals}{text}")
        return list(found.values())

    def equations(self, program: Program) -> list[str]:
        """Return the lines that compute the outputs of a program."""
        raise NotImplementedError


class Sympy(Notation):
    """Python with SymPy's names."""

    power = "**"
    functions: ClassVar[dict[str, str]] = {"abs": "Abs"}

    def entry(self, name: Name) -> str:
        """Return an entry, counted from 0."""
        return name.word + (
            f"[{', '.join(str(i - 1) for i in name.indices)}]" if name.indices else ""
        )

    def equations(self, program: Program) -> list[str]:
        """Return statements."""
        sheet = sheet_of(program)
        lines = ["; ".join(pair) for pair in self.angles(sheet)]
        lines += [f"{output.name} = {self._empty(output)}" for output in program.outputs]
        for names, value in sheet.equations:
            rows = filled(" = ".join([*map(self.name, names), self.sum(value)]), WIDTH)
            if len(rows) > 1:
                start, equals, rest = rows[0].rpartition(" = ")
                rows = [
                    f"{start}{equals}(",
                    f"    {rest}",
                    *(f"    {row}" for row in rows[1:]),
                    ")",
                ]
            lines += rows
        return lines

    @staticmethod
    def _empty(output: Output) -> str:
        shape = output.shape if len(output.shape) != 1 else (*output.shape, 1)
        numbers = ", ".join(map(str, shape))
        return (
            f"zeros({numbers})"
            if len(shape) == 2
            else f"MutableDenseNDimArray.zeros({numbers})"
            if shape
            else "0"
        )


class Matlab(Notation):
    """MATLAB and Octave."""

    def entry(self, name: Name) -> str:
        """Return an entry."""
        return name.word + (f"({', '.join(map(str, name.indices))})" if name.indices else "")

    def equations(self, program: Program) -> list[str]:
        """Return statements."""
        sheet = sheet_of(program)
        lines = [f"{'; '.join(pair)};" for pair in self.angles(sheet)]
        for output in program.outputs:
            shape = [*output.shape, 1, 1] if len(output.shape) < 2 else output.shape
            lines.append(
                f"{output.name} = zeros({', '.join(map(str, shape[: max(2, len(output.shape))]))});"
            )
        for names, value in sheet.equations:
            first, *others = map(self.name, names)
            rows = filled(f"{first} = {self.sum(value)}", WIDTH)
            lines += [*(f"{row} ..." for row in rows[:-1]), f"{rows[-1]};"]
            lines += [f"{other} = {first};" for other in others]
        return lines


class Latex(Notation):
    """LaTeX with amsmath."""

    functions: ClassVar[dict[str, str]] = {
        "sin": r"\sin",
        "cos": r"\cos",
        "exp": r"\exp",
        "sign": r"\operatorname{sgn}",
    }
    words: ClassVar[dict[str, str]] = {
        "tau": r"\tau", "c": r"\mathit{Cv}", "kinetic": "E_{kin}", "potential": "E_{pot}",
        "dtau_dq": r"\partial_{q} \tau", "dtau_dv": r"\partial_{v} \tau",
    }  # fmt: skip

    def name(self, name: Name) -> str:
        """Return a name with its indices below."""
        if name.kind == "constant":
            return self.constant(name.word)
        if name.kind in ("sin", "cos"):
            comma = "," if any(abs(index) > 9 for index in name.indices) else ""
            below = "".join(
                str(index) if index < 0 else f"{comma}{index}" for index in name.indices
            ).removeprefix(",")
        else:
            below = ("," if any(index > 9 for index in name.indices) else "").join(
                map(str, name.indices)
            )
        word = (
            self.words.get(name.word, name.word) if name.kind in ("input", "output") else name.word
        )
        return word + (f"_{{{below}}}" if below else "")

    @staticmethod
    def constant(word: str) -> str:
        r"""Return the name of a constant: ``p_{4,x}`` for p4x, ``\mathit{MX}_{3}`` for MX3."""
        match = re.fullmatch(r"([gpR](?=E|[xyz])|[A-Za-z]+)(E|\d*)_?(\w*)", word)
        letters, *below = match.groups() if match else (word,)
        letters = "m" if letters == "M" else letters  # M_{12} is an entry of the mass matrix
        return (
            letters if len(letters) == 1 else rf"\mathit{{{letters}}}"
        ) + f"_{{{','.join(filter(None, below))}}}"

    def call(self, function: str, argument: str) -> str:
        """Return a function's value."""
        if function == "sqrt":
            return rf"\sqrt{{{argument}}}".replace(BREAK, " ")
        return (
            rf"\lvert {argument} \rvert"
            if function == "abs"
            else f"{self.functions[function]}({argument})"
        )

    def product(self, number: float, factors: tuple[tuple[Factor, int], ...]) -> str:
        """Return a positive number times factors.

        A division is a negative power, which lines may be broken behind.
        """
        parts = [self.raised(factor, power) for factor, power in factors]
        if number != 1.0 and (1.0 / number).is_integer():
            parts.insert(0, rf"\tfrac{{1}}{{{1.0 / number:.0f}}}")
        elif number != 1.0 or not parts:
            parts.insert(0, printed(number))
        return r" \, ".join(parts)

    def raised(self, factor: Factor, power: int) -> str:
        """Return a power of a factor."""
        return self.factor(factor) + (f"^{{{power}}}" if power != 1 else "")

    def entry(self, name: Name) -> str:
        """Return an entry."""
        return self.name(name)

    def equations(self, program: Program) -> list[str]:
        """Return the sines and cosines, and the equations."""
        sheet = sheet_of(program)
        lines = []
        if sheet.angles:
            pairs = [" & ".join(pair) for pair in self.angles(sheet, " &= ")]
            rows = [" & ".join(pairs[i : i + 2]) for i in range(0, len(pairs), 2)]
            lines += [
                r"\begin{align*}",
                *(rf"{row} \\" for row in rows[:-1]),
                rows[-1],
                r"\end{align*}",
            ]
        rows, lefts = [], [" = ".join(map(self.name, names)) for names, _ in sheet.equations]
        width = PRINTED - round(max(map(visible, lefts), default=0))
        for left, (_, value) in zip(lefts, sheet.equations, strict=True):
            first, *others = filled(self.sum(value), width, visible)
            rows += [f"{left} &= {first}", *(rf"&\quad {part}" for part in others)]
        if rows:
            lines += [
                r"\begin{align*}",
                *(rf"{row} \\" for row in rows[:-1]),
                rows[-1],
                r"\end{align*}",
            ]
        given = {name for names, _ in sheet.equations for name in names}
        empty = [
            output
            for output in program.outputs
            if len(given & set(entries(output))) < len(output.steps)
        ]
        if empty:
            told = " and ".join(f"${self.words.get(output.name, output.name)}$" for output in empty)
            lines.append(f"All other entries of {told} are zero.")
        return lines


def entries(output: Output) -> Iterator[Name]:
    """Names of the entries of an output, in row-major order."""
    for indices in np.ndindex(output.shape):
        yield Name("output", output.name, tuple(i + 1 for i in indices))


def plain(number: float) -> str:
    """Return a number with the twelve digits that a sum of table values can have."""
    return f"{number + 0.0:.12g}"


def printed(number: float) -> str:
    """Return a number for LaTeX."""
    mantissa, _, exponent = plain(number).partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def visible(text: str) -> float:
    """Return about how long LaTeX's text is in print, in letters."""
    small = "".join(re.findall(r"[_^]\{([^{}]*)\}", text))
    bare = re.sub(r"[_^]\{[^{}]*\}|\\[a-zA-Z]+|\\,|[{} &]", "", text)
    return (
        len(bare)
        + 0.4 * sum(map(str.isupper, bare))
        + 0.65 * len(small)
        + 0.35 * text.count(r"\,")
        + sum(text.count(f" {sign} ") for sign in "+-=")
    )


def filled(text: str, width: int, length: Callable[[str], float] = len) -> list[str]:
    """Break a text at :data:`BREAK` into lines, where the fewest parentheses are open, and there as late as the width allows."""
    pieces, start, lines = text.split(BREAK), 0, []
    while start < len(pieces):
        end, best, depth, least = start, start, 0, len(text)
        while end < len(pieces) and (
            end == start or length(" ".join(pieces[start : end + 1])) <= width
        ):
            depth += pieces[end].count("(") - pieces[end].count(")")
            if depth <= least or length(" ".join(pieces[start : best + 1])) < width / 2:
                best, least = end, depth
            end += 1
        best = len(pieces) - 1 if end == len(pieces) else best
        lines.append(" ".join(pieces[start : best + 1]))
        start = best + 1
    return lines
