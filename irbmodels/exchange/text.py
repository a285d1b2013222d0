"""Pieces of text that several formats need: identifiers, free names, linear forms, LaTeX."""

from __future__ import annotations

import re
from collections.abc import Iterable

_LATEX = {"\\": r"\textbackslash{}", "^": r"\textasciicircum{}", "~": r"\textasciitilde{}"}


def identifier(name: str) -> str:
    """Return a name with ASCII letters, digits and underscores only, a letter first."""
    plain = re.sub(r"\W", "_", name, flags=re.ASCII)
    return plain if re.match("[A-Za-z]", plain) else f"robot_{plain.lstrip('_')}"


def free_name(name: str, taken: Iterable[str], suffix: str = "_") -> str:
    """Return a name, with suffixes as long as it is taken."""
    names = set(taken)
    while name in names:
        name += suffix
    return name


def linear_form(terms: Iterable[tuple[str, float]], offset: float = 0.0, digits: int = 6) -> str:
    """Return ``q3 - q2 + 0.3`` of names with their factors; positive terms come first."""
    named = [(name, factor) for name, factor in terms if factor]
    parts = [
        f"{_sign(factor)} {'' if abs(factor) == 1.0 else f'{abs(factor):.{digits}g} '}{name}"
        for name, factor in sorted(named, key=lambda term: term[1] < 0.0)
    ]
    if offset:
        parts.append(f"{_sign(offset)} {abs(offset):.{digits}g}")
    return " ".join(parts).removeprefix("+ ") or "0"


def latex_text(text: str) -> str:
    """Return text with LaTeX's special characters escaped."""
    return re.sub(r"[\\^~&%$#_{}]", lambda match: _LATEX.get(match[0], f"\\{match[0]}"), text)


def latex_number(number: float, digits: int) -> str:
    r"""Return a number for LaTeX's mathematics, such as ``2.8 \cdot 10^{-5}``."""
    mantissa, _, exponent = f"{number + 0.0:.{digits}g}".partition("e")
    return rf"{mantissa} \cdot 10^{{{int(exponent)}}}" if exponent else mantissa


def _sign(number: float) -> str:
    return "-" if number < 0.0 else "+"
