"""Equations in the notation of SymPy, MATLAB or LaTeX, in lines that fit a page."""

from __future__ import annotations

import re
from collections.abc import Callable
from typing import Any, ClassVar

import sympy
from sympy.printing.precedence import PRECEDENCE
from sympy.printing.str import StrPrinter

from ...compiled.program import Output, Program
from .expressions import Equations, Name, entries

WIDTH = 110  # characters of a line
PRINTED = 55  # letters of a printed line of LaTeX
BREAK = "\0"  # where a line may be broken


class Notation(StrPrinter):  # type: ignore[misc]
    """Names, sums and equations of a program."""

    functions: ClassVar[dict[str, str]] = {}

    def __init__(self, program: Program) -> None:
        super().__init__()
        self.program, self.sheet = program, Equations(program)

    def lines(self) -> list[str]:
        """Return the lines that compute the outputs."""
        raise NotImplementedError

    def entry(self, name: Name) -> str:
        """Return an entry of an output."""
        raise NotImplementedError

    def name(self, name: Name) -> str:
        """Return a name."""
        if name.kind == "output":
            return self.entry(name)
        separator = "_" if name.kind == "angle" and max(map(abs, name.indices)) > 9 else ""
        return name.word + separator.join(f"m{-i}" if i < 0 else str(i) for i in name.indices)

    def angles(self, equals: str = " = ") -> list[list[str]]:
        """Return the definitions of sines and cosines, by angle."""
        by_angle: dict[tuple[int, ...], list[str]] = {}
        for name, angle in self.sheet.used_angles():
            text = self.call({"s": "sin", "c": "cos"}[name.word], self.doprint(angle))
            text = f"{self.name(name)}{equals}{text}".replace(BREAK, " ")
            by_angle.setdefault(name.indices, []).append(text)
        return list(by_angle.values())

    def call(self, function: str, argument: str) -> str:
        """Return a function's value."""
        return f"{self.functions.get(function, function)}({argument})"

    def _as_ordered_terms(self, expr: Any, order: Any = None) -> list[Any]:
        """Return the terms of a sum, a positive one first."""
        terms = super()._as_ordered_terms(expr, order)
        first = next((term for term in terms if not term.could_extract_minus_sign()), terms[0])
        return [first, *(term for term in terms if term is not first)]

    def _print_Add(self, expr: Any, order: Any = None) -> str:
        return re.sub(r" (?=[+-] )", BREAK, super()._print_Add(expr, order))

    def _print_Symbol(self, expr: Any) -> str:
        return self.name(self.sheet.names[expr])

    def _print_Function(self, expr: Any) -> str:
        return self.call(type(expr).__name__, self.doprint(expr.args[0]))

    _print_Abs = _print_Function


class Sympy(Notation):
    """Python with SymPy's names."""

    def entry(self, name: Name) -> str:
        """Return an entry, counted from 0."""
        indices = ", ".join(str(i - 1) for i in name.indices)
        return f"{name.word}[{indices}]" if indices else name.word

    def lines(self) -> list[str]:
        """Return statements."""
        lines = ["; ".join(pair) for pair in self.angles()]
        lines += [f"{output.name} = {self._empty(output)}" for output in self.program.outputs]
        for names, value in self.sheet.equations():
            left = " = ".join(map(self.name, names))
            first, *others = filled(f"{left} = {self.doprint(value)}", WIDTH)
            if others:
                first = f"{left} = (\n    {first.removeprefix(f'{left} = ')}"
                others = [*(f"    {row}" for row in others), ")"]
            lines += [first, *others]
        return lines

    @staticmethod
    def _empty(output: Output) -> str:
        shape = output.shape if len(output.shape) != 1 else (*output.shape, 1)
        kind = "zeros" if len(shape) == 2 else "MutableDenseNDimArray.zeros"
        return f"{kind}({', '.join(map(str, shape))})" if shape else "0"


class Matlab(Notation):
    """MATLAB and Octave."""

    functions: ClassVar[dict[str, str]] = {"Abs": "abs"}

    def entry(self, name: Name) -> str:
        """Return an entry."""
        return name.word + (f"({', '.join(map(str, name.indices))})" if name.indices else "")

    def lines(self) -> list[str]:
        """Return statements."""
        lines = [f"{'; '.join(pair)};" for pair in self.angles()]
        for output in self.program.outputs:
            shape = (*output.shape, 1, 1)[: max(2, len(output.shape))]
            lines.append(f"{output.name} = zeros({', '.join(map(str, shape))});")
        for names, value in self.sheet.equations():
            first, *others = map(self.name, names)
            rows = filled(f"{first} = {self.doprint(value)}", WIDTH)
            lines += [*(f"{row} ..." for row in rows[:-1]), f"{rows[-1]};"]
            lines += [f"{other} = {first};" for other in others]
        return lines

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        return str(super()._print_Pow(expr, rational)).replace("**", "^")


class Latex(Notation):
    """LaTeX with amsmath."""

    functions: ClassVar[dict[str, str]] = {
        "sin": r"\sin",
        "cos": r"\cos",
        "exp": r"\exp",
        "log": r"\ln",
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
        comma = "," if any(abs(index) > 9 for index in name.indices) else ""
        below = "".join(
            str(i) if i < 0 and name.kind == "angle" else f"{comma}{i}" for i in name.indices
        )
        below = below.removeprefix(",")
        word = (
            name.word if name.kind in ("angle", "value") else self.words.get(name.word, name.word)
        )
        return word + (f"_{{{below}}}" if below else "")

    @staticmethod
    def constant(word: str) -> str:
        r"""Return the name of a constant: ``p_{4,x}`` for p4x, ``\mathit{MX}_{3}`` for MX3."""
        match = re.fullmatch(r"([gpR](?=E|[xyz])|[A-Za-z]+)(E|\d*)_?(\w*)", word)
        letters, *below = match.groups() if match else (word,)
        letters = "m" if letters == "M" else letters  # M_{12} is an entry of the mass matrix
        letters = letters if len(letters) == 1 else rf"\mathit{{{letters}}}"
        return f"{letters}_{{{','.join(filter(None, below))}}}"

    def call(self, function: str, argument: str) -> str:
        """Return a function's value."""
        if function == "Abs":
            return rf"\lvert {argument} \rvert"
        return super().call(function, argument)

    def lines(self) -> list[str]:
        """Return the sines and cosines, and the equations."""
        pairs = [" & ".join(pair) for pair in self.angles(" &= ")]
        lines = _aligned([" & ".join(pairs[i : i + 2]) for i in range(0, len(pairs), 2)])
        equations = list(self.sheet.equations())
        rows, lefts = [], [" = ".join(map(self.name, names)) for names, _ in equations]
        width = PRINTED - round(max(map(visible, lefts), default=0))
        for left, (_, value) in zip(lefts, equations, strict=True):
            first, *others = filled(self.doprint(value), width, visible)
            rows += [f"{left} &= {first}", *(rf"&\quad {part}" for part in others)]
        lines += _aligned(rows)
        incomplete = " and ".join(
            f"${self.words.get(output.name, output.name)}$"
            for output in self.program.outputs
            if not self.sheet.written.issuperset(entries(output))
        )
        return [*lines, f"All other entries of {incomplete} are zero."] if incomplete else lines

    def _print_Mul(self, expr: Any) -> str:
        """Print a product; a division is a negative power, behind which lines may be broken."""
        number, product = expr.as_coeff_Mul()
        factors = [self.parenthesize(x, PRECEDENCE["Mul"]) for x in product.as_ordered_factors()]
        if abs(number) != 1:
            factors.insert(0, self.doprint(abs(number)))
        return ("-" if number.is_negative else "") + r" \, ".join(factors)

    def _print_Pow(self, expr: Any, rational: bool = False) -> str:
        if expr.exp == sympy.S.Half:
            return rf"\sqrt{{{self.doprint(expr.base)}}}".replace(BREAK, " ")
        return rf"{self.parenthesize(expr.base, PRECEDENCE['Pow'])}^{{{expr.exp}}}"

    def _print_Rational(self, expr: Any) -> str:
        return rf"{'-' * (expr.p < 0)}\tfrac{{{abs(expr.p)}}}{{{expr.q}}}"


def _aligned(rows: list[str]) -> list[str]:
    if not rows:
        return []
    return [r"\begin{align*}", *(rf"{row} \\" for row in rows[:-1]), rows[-1], r"\end{align*}"]


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
    """Break a text at :data:`BREAK` into lines no longer than ``width``.

    Lines end where the fewest parentheses are open, and there as late as the width allows.
    """
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
