"""Equations with notes and constants above them, as a SymPy module, MATLAB function or LaTeX."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from textwrap import wrap

from ...compiled.program import Program
from ..constants import Constant
from ..text import latex_number, latex_text
from .expressions import DIGITS, plain
from .notations import WIDTH, Latex, Matlab, Sympy

ROWS = 45  # of constants on a page
Page = Callable[[Program, str, Sequence[str], Sequence[Constant]], Iterator[str]]
"""Takes a program, an identifier, sentences with mathematics between backticks, and constants."""


def _sympy(
    program: Program, _: str, notes: Sequence[str], constants: Sequence[Constant]
) -> Iterator[str]:
    equations = Sympy(program).lines()
    called = set(re.findall(r"(?<![\w.])[A-Za-z]\w*(?=\(|\.zeros)", "\n".join(equations)))
    yield from _comments("# ", notes)
    yield f"from sympy import {', '.join(sorted(called | {'symbols'}))}"
    yield ""
    for name, length in program.inputs:
        components = ", ".join(f"{name}{i}" for i in range(1, length + 1)) + "," * (length == 1)
        yield f'{components} = {name} = symbols("{name}1:{length + 1}", real=True)'
    for row in wrap(" ".join(constant.name for constant in constants), WIDTH // 2):
        yield f'{", ".join(row.split())} = symbols("{row}", real=True)'
    rows = (f"    {x.name}: {plain(x.value)},  # [{x.unit}] {x.meaning}" for x in constants)
    yield from ["CONSTANTS = {", *rows, "}", "", *equations]


def _matlab(
    program: Program, name: str, notes: Sequence[str], constants: Sequence[Constant]
) -> Iterator[str]:
    outputs = ", ".join(output.name for output in program.outputs)
    outputs = f"[{outputs}]" if len(program.outputs) > 1 else outputs
    yield f"function {outputs} = {name}({', '.join(dict(program.inputs))})"
    yield from _comments("% ", notes)
    yield from (f"{x.name} = {plain(x.value)}; % [{x.unit}] {x.meaning}" for x in constants)
    for word, length in program.inputs:
        yield " ".join(f"{word}{i} = {word}({i});" for i in range(1, length + 1))
    yield from [*Matlab(program).lines(), "end"]


def _latex(
    program: Program, _: str, notes: Sequence[str], constants: Sequence[Constant]
) -> Iterator[str]:
    yield r"% Needs \usepackage{amsmath}; \allowdisplaybreaks lets long ones run over pages."
    for note in notes:
        yield rf"\noindent {_latex_note(note)}\par"
    for start in range(0, len(constants), ROWS):
        yield from [r"\begin{center}\footnotesize", r"\begin{tabular}{lrll}"]
        for x in constants[start : start + ROWS]:
            name, value = Latex.constant(x.name), latex_number(x.value, DIGITS)
            yield rf"${name}$ & ${value}$ & {_latex_note(x.unit)} & {_latex_note(x.meaning)} \\"
        yield from [r"\end{tabular}", r"\end{center}"]
    yield from Latex(program).lines()


PAGES: dict[str, Page] = {"sympy": _sympy, "matlab": _matlab, "latex": _latex}


def _comments(mark: str, notes: Sequence[str]) -> Iterator[str]:
    for note in notes:
        # lines do not end within mathematics
        held = re.sub("`.*?`", lambda match: match[0].strip("`").replace(" ", "\0"), note)
        rows = wrap(held, WIDTH, initial_indent=mark, subsequent_indent=f"{mark}  ")
        yield from (row.replace("\0", " ") for row in rows)


def _latex_note(note: str) -> str:
    """Return a note with its mathematics and its powers of units set as mathematics."""
    parts = note.split("`")
    parts[::2] = [
        re.sub(r"([a-zA-Z])\\textasciicircum\{\}(\d)", r"\1$^\2$", latex_text(part))
        for part in parts[::2]
    ]
    parts[1::2] = [
        re.sub(r"([a-z])([0-9]+)", r"\1_{\2}", f"${Latex.words.get(part, part)}$")
        for part in parts[1::2]
    ]
    return "".join(parts)
