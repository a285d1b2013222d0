"""A program as a C99 function without library, allocation, state, loop or branch on data.

Sine, cosine, exponential, logarithm and sign are those of :mod:`.elementary`; a root is an exponential of half a logarithm.
What depends on the first input only comes first, then what needs the second as well, and so on.
Values used once stand inside what uses them.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from ...compiled.program import OPERATIONS, Program, Step
from ...errors import InputError

WIDTH = 120  # characters of a line
LONGEST = 46  # characters of an expression that stands inside another
ATOM, UNARY, PRODUCT, SUM = range(4)  # how tightly an expression holds together
CALLS = {"exp": "exponential", "log": "logarithm", "sign": "sign_of", "abs": "magnitude"}
INFIX = {"add": ("+", SUM), "sub": ("-", SUM), "mul": ("*", PRODUCT), "div": ("/", PRODUCT)}


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
    body, written = _body(program, [constants[label] for label in program.constants], dialect)
    read = []
    for number, (label, length) in enumerate(program.inputs):
        used = [i for i in range(length) if Step("input", (number, i)) in program.steps]
        each = ", ".join(f"{label}{i + 1} = {label}[{i}]" for i in used)
        read.append(f"    const {dialect.real} {each};" if used else f"    (void){label};")
    return (
        "\n".join([prototype(program, name, dialect), "{", *read, *body, "", *written, "}"]) + "\n"
    )


def _body(program: Program, constants: list[str], dialect: Dialect) -> tuple[list[str], list[str]]:
    """Return the statements that compute, and those that write the outputs."""
    needs, uses, last = _needs(program), program.uses(), _last(program)
    texts: dict[int, tuple[str, int]] = {}
    turns: dict[int, str] = {}
    lines: list[str] = []
    block, count = -1, 0
    for number in sorted(range(len(program.steps)), key=needs.__getitem__):
        step = program.steps[number]
        names = [texts[i] for i in step.operands] if step.operation in OPERATIONS else []
        made = []
        if step.operation in ("sin", "cos"):
            angle = step.operands[0]
            if angle not in turns:
                turns[angle] = f"turn{len(turns) + 1}"
                made = [f"    const struct turn {turns[angle]} = turned({names[0][0]});"]
            texts[number] = f"{turns[angle]}.{step.operation}", ATOM
        else:
            texts[number] = _text(program, step, names, constants, dialect)
            inside = uses[number] == 1 and (last[number] == needs[number] or needs[number] < 0)
            if step.operation in OPERATIONS and not (inside and len(texts[number][0]) <= LONGEST):
                count += 1
                made = [f"    const {dialect.real} t{count} = {texts[number][0]};"]
                texts[number] = f"t{count}", ATOM
        if made and needs[number] > block:
            block = needs[number]
            lines += [
                "",
                f"    /* from {', '.join(label for label, _ in program.inputs[: block + 1])} */",
            ]
        lines += made
    written = []
    for output in program.outputs:
        for place, number in zip(np.ndindex(output.shape), output.steps, strict=True):
            target = (
                f"{output.name}{''.join(f'[{i}]' for i in place)}" if place else f"*{output.name}"
            )
            written.append(f"    {target} = {texts[number][0]};")
    return lines, written


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


def _text(
    program: Program,
    step: Step,
    names: list[tuple[str, int]],
    constants: list[str],
    dialect: Dialect,
) -> tuple[str, int]:
    operation = step.operation
    if operation == "input":
        return f"{program.inputs[step.operands[0]][0]}{step.operands[1] + 1}", ATOM
    if operation == "constant":
        return constants[step.operands[0]], ATOM
    if operation == "number":
        return dialect.number(step.number), UNARY if step.number < 0.0 else ATOM
    if operation in INFIX:
        sign, level = INFIX[operation]
        (left, first), (right, second) = names
        left = f"({left})" if first > level else left
        right = f"({right})" if second >= level or second == UNARY else right
        return f"{left} {sign} {right}", level
    inner, level = names[0]
    if operation in ("neg", "inv"):
        inner = inner if level == ATOM else f"({inner})"
        return (
            (f"-{inner}", UNARY)
            if operation == "neg"
            else (f"{dialect.number(1.0)} / {inner}", PRODUCT)
        )
    if operation == "sqrt":  # of a length, which is positive
        half = f"{dialect.number(0.5)} * {CALLS['log']}({inner})"
        return f"{CALLS['exp']}({half})", ATOM
    if operation not in CALLS:
        raise NotImplementedError(
            f"no query takes the {operation} of anything, and C99 without libm has none"
        )
    return f"{CALLS[operation]}({inner})", ATOM


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
