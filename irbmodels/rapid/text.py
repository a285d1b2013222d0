"""Numbers and strings of RAPID, with the characters they were written with."""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

import numpy as np

from ..errors import InputError, RapidError

P = ParamSpec("P")
T = TypeVar("T")

UNUSED = 9e9
"""ABB's number for an external axis that is not used."""
_HEXADECIMAL = re.compile(r"\\([0-9A-Fa-f]{2})|(\\\\)|(\"\")|(.)", re.DOTALL)


class Number(float):
    """A number with its text; numbers computed from it are plain floats."""

    __slots__ = ("text",)
    text: str

    def __new__(cls, text: str) -> Number:
        """Read a RAPID literal: ``-12.5``, ``1.``, ``.5``, ``9E+09``, ``0xFF``."""
        plain = "".join(text.split())
        body = plain.lstrip("+-")
        value = float(int(body, 0)) if body[1:2] in ("x", "X", "o", "O", "b", "B") else float(body)
        number = super().__new__(cls, -value if plain.startswith("-") else value)
        number.text = plain
        return number

    def __getnewargs__(self) -> tuple[str]:  # type: ignore[override]
        """Copy and pickle the text, not the value."""
        return (self.text,)


def number(value: Any) -> float:
    """Return ``value`` as a finite number, its text kept.

    Raises:
        InputError: if it is none.
    """
    if isinstance(value, bool | str | bytes) or not isinstance(
        value, int | float | np.integer | np.floating
    ):
        raise InputError(f"{value!r} is not a number")
    try:
        result = value if isinstance(value, Number) else float(value)
    except OverflowError:
        result = math.inf
    if not math.isfinite(result):
        raise InputError(f"{value!r} is not a finite number")
    return result


def number_text(value: float) -> str:
    """Return a number as it was read, or in the fewest digits, as ABB: ``225.3``, ``9E+09``."""
    if isinstance(value, Number):
        return value.text
    if value == 0.0:
        return "0"  # never -0
    if 1e-4 <= abs(value) < 1e9:
        return np.format_float_positional(value, trim="-")
    return np.format_float_scientific(value, trim="-", exp_digits=2).upper()


def string_text(value: str) -> str:
    r"""Return a RAPID literal: quotes and backslashes doubled, control characters as ``\0A``."""
    doubled = value.replace("\\", "\\\\").replace('"', '""')
    return '"' + re.sub(r"[\x00-\x1f\x7f]", lambda match: f"\\{ord(match[0]):02X}", doubled) + '"'


def string(text: str) -> str:
    """Return the string of a RAPID literal with its quotes.

    Raises:
        InputError: if a backslash is neither doubled nor followed by two hexadecimal digits.
    """
    characters = []
    for code, backslash, quote, other in _HEXADECIMAL.findall(text[1:-1]):
        if other == "\\":
            raise InputError(
                r"a backslash in a string is doubled (\\), or has two hexadecimal digits (\0D)"
            )
        characters.append(
            chr(int(code, 16)) if code else "\\" if backslash else '"' if quote else other
        )
    return "".join(characters)


def literal(value: Any) -> str:
    """Return any value in ABB's layout.

    Tuples and lists are aggregates, None is an axis that is not used.
    """
    if value is None:
        return "9E+09"
    if isinstance(value, bool | np.bool_):
        return "TRUE" if value else "FALSE"
    if isinstance(value, str):
        return string_text(value)
    if isinstance(value, tuple | list):
        return f"[{','.join(map(literal, value))}]"
    return str(value) if hasattr(value, "rapid") else number_text(number(value))


def line_column(text: str, position: int) -> tuple[int, int]:
    """Return line and column, 1-based, of a position in a text."""
    return text.count("\n", 0, position) + 1, position - text.rfind("\n", 0, position)


def shifted(line: int, column: int, origin: tuple[int, int]) -> tuple[int, int]:
    """Return line and column in a module of a place in a part of it that begins at ``origin``."""
    return origin[0] + line - 1, column + (origin[1] - 1 if line == 1 else 0)


def refusing_depth(function: Callable[P, T]) -> Callable[P, T]:
    """Return a function that refuses what is nested deeper than Python's own stack."""

    @wraps(function)
    def inner(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return function(*args, **kwargs)
        except RecursionError:
            reason = "brackets, blocks, calls or constants are nested too deeply; make it flatter"
            raise RapidError(1, 1, reason) from None

    return inner
