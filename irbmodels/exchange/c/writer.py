"""A program as a C99 function without library, allocation, state, loop or branch on data.

Sine, cosine, exponential and sign are those of :mod:`.elementary`, with masks in place of choices.
What depends on the first input only comes first, then what needs the second as well, and so on.
Values used once stand inside what uses them.
"""

from __future__ import annotations

import textwrap
import unicodedata
from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np

from ...compiled.program import OPERATIONS, Program, Step
from ...errors import InputError

WIDTH = 120  # characters of a line
LONGEST = 46  # characters of an expression that stands inside another
ATOM, UNARY, PRODUCT, SUM = range(4)  # how tightly an expression holds together
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


# --- what every program shares

CALLS = {"exp": "exponential", "sign": "sign_of", "abs": "magnitude"}


def preamble(dialect: Dialect) -> str:
    """Return preprocessor checks that refuse options which change the arithmetic."""
    return f"""\
#if defined(__FAST_MATH__) || defined(__ASSOCIATIVE_MATH__) || defined(_M_FP_FAST)
#error "compile without -ffast-math and its like: they break the range reduction of sine and cosine, and lose NaN"
#endif
#if defined(__FINITE_MATH_ONLY__) && __FINITE_MATH_ONLY__
#error "compile without -ffinite-math-only: NaN must stay NaN"
#endif
#if !defined(FLT_EVAL_METHOD) || FLT_EVAL_METHOD != 0
#error "{dialect.real} must be computed as {dialect.real}: on 32-bit x86 compile with -msse2 -mfpmath=sse"
#endif
"""


def helpers_text(programs: Iterable[Program], dialect: Dialect) -> str:
    """Return the helper functions that programs call."""
    used = {step.operation for program in programs for step in program.steps}
    parts = [_UNION] if used & {"sin", "cos", "exp", "sign"} else []
    if used & {"sin", "cos"}:
        parts.append(_TURNED_SINGLE if dialect.single else _TURNED)
    if "exp" in used:
        parts += [_CHOSEN, _EXPONENTIAL_SINGLE if dialect.single else _EXPONENTIAL]
    if "sign" in used:
        parts.append(_SIGN)
    if "abs" in used:
        parts.append(_MAGNITUDE)
    words = {
        "REAL": dialect.real,
        "WORD": "uint32_t" if dialect.single else "uint64_t",
        "HELPER ": dialect.helper,
    }
    words |= {
        "TOP": "31" if dialect.single else "63",
        "ONE": dialect.number(1.0),
        "ZERO": dialect.number(0.0),
    }
    return replace_words("\n".join(parts), words)


def replace_words(text: str, words: Mapping[str, str]) -> str:
    """Return a template with its words replaced."""
    for word, replacement in words.items():
        text = text.replace(word, replacement)
    return text


_UNION = """\
union word {
    REAL real;
    WORD bits;
};
"""

_TURNED = """\
struct turn {
    REAL sin, cos;
};

/* Within 2.5 units in the last place for |x| <= 1e4; NaN for NaN and infinity. Turns to the nearest multiple of a right angle
   (constant in three parts, Cody & Waite; polynomials of Cephes), then swaps and changes signs by its last two bits. */
HELPER struct turn turned(REAL x)
{
    const union word nearest = {x * 0.6366197723675814 + 6755399441055744.0}; /* 1.5 * 2^52 leaves an integer in the last bits */
    const double k = nearest.real - 6755399441055744.0;
    const double r = ((x - k * 1.5707963267341256) - k * 6.077100506303966e-11) - k * 2.0222662487959506e-21;
    const double z = r * r;
    const double s2 = 1.58962301576546568060e-10 * z - 2.50507477628578072866e-8;
    const double s1 = ((s2 * z + 2.75573136213857245213e-6) * z - 1.98412698295895385996e-4) * z + 8.33333333332211858878e-3;
    const union word s = {r + r * z * (s1 * z - 1.66666666666666307295e-1)};
    const double c2 = -1.13585365213876817300e-11 * z + 2.08757008419747316778e-9;
    const double c1 = ((c2 * z - 2.75573141792967388112e-7) * z + 2.48015872888517045348e-5) * z - 1.38888888888730564116e-3;
    const union word c = {1.0 - (0.5 * z - z * z * (c1 * z + 4.16666666666665929218e-2))};
    const uint64_t odd = (uint64_t)0 - (nearest.bits & 1u);
    union word sine, cosine;
    struct turn result;
    sine.bits = ((c.bits & odd) | (s.bits & ~odd)) ^ ((nearest.bits & 2u) << 62);
    cosine.bits = ((s.bits & odd) | (c.bits & ~odd)) ^ (((nearest.bits + 1u) & 2u) << 62);
    result.sin = sine.real;
    result.cos = cosine.real;
    return result;
}
"""

_TURNED_SINGLE = """\
struct turn {
    REAL sin, cos;
};

/* Within 2.5 units in the last place for |x| <= 4 pi; NaN for NaN and infinity. Turns to the nearest multiple of a right angle
   (constant in four parts, Cody & Waite; polynomials of Cephes), then swaps and changes signs by its last two bits. */
HELPER struct turn turned(REAL x)
{
    const union word nearest = {x * 0.63661975f + 12582912.0f}; /* 1.5 * 2^23 leaves an integer in the last bits */
    const float k = nearest.real - 12582912.0f;
    const float near = (x - k * 1.5703125f) - k * 4.8351287841796875e-4f;
    const float r = (near - k * 3.13855707645416259765625e-7f) - k * 6.077100628276710e-11f;
    const float z = r * r;
    const union word s = {r + r * z * ((-1.9515295891e-4f * z + 8.3321608736e-3f) * z - 1.6666654611e-1f)};
    const float c1 = (2.443315711809948e-5f * z - 1.388731625493765e-3f) * z + 4.166664568298827e-2f;
    const union word c = {1.0f - (0.5f * z - z * z * c1)};
    const uint32_t odd = (uint32_t)0 - (nearest.bits & 1u);
    union word sine, cosine;
    struct turn result;
    sine.bits = ((c.bits & odd) | (s.bits & ~odd)) ^ ((nearest.bits & 2u) << 30);
    cosine.bits = ((s.bits & odd) | (c.bits & ~odd)) ^ (((nearest.bits + 1u) & 2u) << 30);
    result.sin = sine.real;
    result.cos = cosine.real;
    return result;
}
"""

_CHOSEN = """\
HELPER REAL chosen(int which, REAL yes, REAL no)
{
    const WORD mask = (WORD)0 - (WORD)which;
    const union word a = {yes}, b = {no};
    union word result;
    result.bits = (a.bits & mask) | (b.bits & ~mask);
    return result.real;
}
"""

_EXPONENTIAL = """\
/* Within 2.5 units in the last place; 2^k in two halves, so that results beyond the range become infinity or fade to 0. */
HELPER REAL exponential(REAL given)
{
    const double low = chosen(given < -1000.0, -1000.0, given);
    const double x = chosen(low > 1000.0, 1000.0, low);
    const double k = (x * 1.4426950408889634 + 6755399441055744.0) - 6755399441055744.0;
    const double r = (x - k * 0.6931471803691238) - k * 1.9082149292705877e-10;
    const double p3 = (2.510038549551032e-08 * r + 2.7620088445409746e-07) * r + 2.7557268459997064e-06;
    const double p2 = ((p3 * r + 2.4801521295954376e-05) * r + 0.00019841269863053618) * r + 0.0013888888917213717;
    const double p1 = ((p2 * r + 0.008333333333330062) * r + 0.04166666666662413) * r + 0.16666666666666669;
    const double p = 1.0 + (r + r * r * (p1 * r + 0.5000000000000001));
    const union word half = {k * 0.5 + 6755399441055744.0};
    const union word rest = {(k - (half.real - 6755399441055744.0)) + 6755399441055744.0};
    union word first, second;
    first.bits = (half.bits + 1023u) << 52;
    second.bits = (rest.bits + 1023u) << 52;
    return p * first.real * chosen(x < -745.2, 0.0, second.real); /* products that underflow take some processors long */
}
"""

_EXPONENTIAL_SINGLE = """\
/* Within 2.5 units in the last place; 2^k in two halves, so that results beyond the range become infinity or fade to 0. */
HELPER REAL exponential(REAL given)
{
    const float low = chosen(given < -120.0f, -120.0f, given);
    const float x = chosen(low > 120.0f, 120.0f, low);
    const float k = (x * 1.44269504f + 12582912.0f) - 12582912.0f;
    const float r = (x - k * 0.693359375f) - k * -2.12194440e-4f;
    const float p2 = ((1.9875691500e-4f * r + 1.3981999507e-3f) * r + 8.3334519073e-3f) * r + 4.1665795894e-2f;
    const float p = 1.0f + (r + r * r * ((p2 * r + 1.6666665459e-1f) * r + 5.0000001201e-1f));
    const union word half = {k * 0.5f + 12582912.0f};
    const union word rest = {(k - (half.real - 12582912.0f)) + 12582912.0f};
    union word first, second;
    first.bits = (half.bits + 127u) << 23;
    second.bits = (rest.bits + 127u) << 23;
    return p * first.real * chosen(x < -104.0f, 0.0f, second.real); /* products that underflow take some processors long */
}
"""

_SIGN = """\
/* 1, -1, or x where it is 0 or NaN. */
HELPER REAL sign_of(REAL x)
{
    const union word given = {x}, one = {ONE};
    const WORD moves = (WORD)0 - (WORD)((x < ZERO) | (x > ZERO));
    union word result;
    result.bits = (given.bits & ~(moves >> 1)) | (one.bits & moves);
    return result.real;
}
"""

_MAGNITUDE = """\
HELPER REAL magnitude(REAL x)
{
    return x < ZERO ? -x : x;
}
"""
