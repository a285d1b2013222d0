"""A program as a C99 function without library, allocation, state, loop or branch on data.

Sine, cosine, exponential, logarithm and sign are those of :mod:`.elementary`; a root is an exponential of half a logarithm.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.program import Program
from ...compiled.scalar_writer import Expression, statements, used_components
from ...errors import InputError

WIDTH = 120  # characters of a line
CALLS = {"exp": "exponential", "log": "logarithm", "sign": "sign_of", "abs": "magnitude"}


class Dialect(NamedTuple):
    """Types and qualifiers of a language of the C family.

    A writer for CUDA would need another of these, and kernels around the functions.
    """

    real: str
    suffix: str
    """Of literals."""
    single: bool
    function: str = ""
    """Qualifiers of a function that others call."""
    helper: str = "static inline "
    """Qualifiers of a function that only this file calls."""
    constant: str = "static const "

    def number(self, value: float) -> str:
        """Return a literal that is read back as the same number.

        Raises:
            InputError: if it is infinite or NaN.
        """
        if not np.isfinite(value):
            raise InputError(f"a model with the number {value} cannot be written in C")
        return (str(np.float32(value)) if self.single else repr(float(value))) + self.suffix

    def variable(self, name: str, value: str) -> str:
        """Return the statement of a new variable."""
        return f"    const {self.real} {name} = {value};"

    def comment(self, text: str) -> str:
        """Return a comment on a line of its own."""
        return f"    /* {text} */"

    def turn(self, name: str, angle: str) -> str:
        """Return the statement of sine and cosine of an angle."""
        return f"    const struct turn {name} = turned({angle});"

    def call(self, operation: str, operands: Sequence[Expression]) -> Expression:
        """Return a call of an elementary function."""
        inner = operands[0].text
        if operation == "sqrt":  # of a length, which is positive
            return Expression(f"{CALLS['exp']}({self.number(0.5)} * {CALLS['log']}({inner}))")
        if operation not in CALLS:
            raise NotImplementedError(
                f"no query takes the {operation} of anything, and C99 without libm has none"
            )
        return Expression(f"{CALLS[operation]}({inner})")


DOUBLE = Dialect("double", "", False)
SINGLE = Dialect("float", "f", True)


def prototype(program: Program, name: str, dialect: Dialect) -> str:
    """Return the function's declaration without semicolon; outputs follow the inputs."""
    arrays = [f"const {dialect.real} {label}[{length}]" for label, length in program.inputs]
    for output in program.outputs:
        bounds = "".join(f"[{length}]" for length in output.shape)
        arrays.append(
            f"{dialect.real} {output.name}{bounds}" if bounds else f"{dialect.real} *{output.name}"
        )
    return textwrap.fill(
        f"{dialect.function}void {name}({', '.join(arrays)})", WIDTH, subsequent_indent="    "
    )


def function_text(
    program: Program, name: str, constants: Mapping[str, str], dialect: Dialect
) -> str:
    """Return a program as a C function.

    All inputs are read before the first output is written: an output may be the same array as an
    input.

    Args:
        program: What to compute.
        name: Name of the function.
        constants: Name in C of each constant of the program.
        dialect: Language and precision.
    """
    names = [constants[label] for label in program.constants]
    body, results = statements(program, names, dialect)
    read = []
    for number, (label, _) in enumerate(program.inputs):
        used = used_components(program, number)
        each = ", ".join(f"{label}{i + 1} = {label}[{i}]" for i in used)
        read.append(f"    const {dialect.real} {each};" if used else f"    (void){label};")
    written = [
        f"    {name}{''.join(f'[{i}]' for i in place)} = {text};"
        if place
        else f"    *{name} = {text};"
        for name, place, text in results
    ]
    return (
        "\n".join([prototype(program, name, dialect), "{", *read, *body, "", *written, "}"]) + "\n"
    )


def comment(*lines: str) -> str:
    """Return lines as one comment: plain ASCII without ``*/``, ``/*`` or trigraphs inside."""
    text: list[str] = []
    for line in lines:
        plain = unicodedata.normalize("NFKD", line).encode("ascii", "replace").decode()
        for pair, apart in {"*/": "* /", "/*": "/ *", "??": "? ?"}.items():
            plain = plain.replace(pair, apart)
        text += textwrap.wrap(
            plain.rstrip("\\"), WIDTH, subsequent_indent="  ", break_on_hyphens=False
        ) or [""]
    if len(text) == 1:
        return f"/* {text[0]} */\n"
    return "\n".join(["/*", *(f" * {line}".rstrip() for line in text), " */"]) + "\n"


def replace_words(text: str, words: Mapping[str, str]) -> str:
    """Return a template with its words replaced."""
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text
