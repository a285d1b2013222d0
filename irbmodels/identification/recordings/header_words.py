"""Headers of columns in words: quantity, axis and unit, as in ``Torque J1 (Nm)``, ``pos_1_deg``.

A header counts only if every word of it is known, and its unit too: what a program means by
``q1_ref [deg]`` or by ``q1`` alone is not guessed.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

_TURN, _MM = np.pi / 180.0, 1e-3
_RPM = 2.0 * np.pi / 60.0
UNITS: dict[str, dict[str, tuple[float, bool]]] = {
    "q": {"deg": (_TURN, False), "rad": (1.0, False), "mm": (_MM, True), "m": (1.0, True)},
    "v": {
        "deg/s": (_TURN, False),
        "rad/s": (1.0, False),
        "rpm": (_RPM, False),
        "mm/s": (_MM, True),
        "m/s": (1.0, True),
    },
    "a": {
        "deg/s2": (_TURN, False),
        "rad/s2": (1.0, False),
        "mm/s2": (_MM, True),
        "m/s2": (1.0, True),
    },
    "tau": {
        "nm": (1.0, False),
        "nmm": (1e-3, False),
        "mnm": (1e-3, False),
        "knm": (1e3, False),
        "n": (1.0, True),
        "kn": (1e3, True),
    },
}
"""Factor to SI, and whether the axis is linear."""
_SECONDS = {"s": 1.0, "sec": 1.0, "seconds": 1.0, "ms": 1e-3, "us": 1e-6, "ns": 1e-9}
_KNOWN = {unit for units in UNITS.values() for unit in units} | set(_SECONDS)
_SHOWN = {
    "q": ("a position", "deg, rad, mm or m"),
    "v": ("a speed", "deg/s, rad/s, rpm, mm/s or m/s"),
    "a": ("an acceleration", "deg/s2, rad/s2, mm/s2 or m/s2"),
    "tau": ("a torque", "Nm, kNm, Nmm, N or kN"),
    "t": ("a time", "s, ms, us or ns"),
}
_QUANTITIES = {
    **dict.fromkeys(("q", "pos", "position", "positions", "angle", "angles"), "q"),
    **dict.fromkeys(("v", "qd", "dq", "vel", "velocity", "velocities", "speed", "speeds"), "v"),
    **dict.fromkeys(("qdd", "ddq", "acc", "accel", "acceleration", "accelerations"), "a"),
    **dict.fromkeys(("tau", "trq", "torque", "torques", "effort", "force"), "tau"),
}
_TIME = frozenset(("t", "time", "timestamp"))
_PLAIN = frozenset(
    (
        *("j", "jnt", "joint", "joints", "a", "ax", "axis", "axes", "arm", "robot"),
        *("actual", "act", "measured", "meas", "feedback", "fbk"),
    )
)
"""Words that say nothing more: what is measured at an axis."""
_SPELLED = (
    ("\N{DEGREE SIGN}", "deg"),
    ("\N{MICRO SIGN}", "u"),
    ("\N{GREEK SMALL LETTER MU}", "u"),
    ("\N{SUPERSCRIPT TWO}", "2"),
    ("degrees", "deg"),
    ("degree", "deg"),
    ("radians", "rad"),
    ("radian", "rad"),
    ("_", "/"),
    ("per", "/"),
)
_UNIT_FORMS = {"dps": "deg/s", "deg/s/s": "deg/s2", "rad/s/s": "rad/s2", "1/min": "rpm"}
_BRACKETS = re.compile(r"\s*[\[(]([^\[\]()]*[^\[\]()\d][^\[\]()]*)[\])]\s*")
"""Unit in brackets; a number alone in them is an index."""
_WORDS = re.compile(r"[a-z]+|\d+")
_NO_WORDS = re.compile(r"[\s_./:,#\-]+")
_INDEX = re.compile(r"\[(\d+)\]")


class Header(NamedTuple):
    """Meaning of a header."""

    quantity: str
    """``q``, ``v``, ``a``, ``tau``, or ``t``."""
    axis: int
    """As it is written; 0 for a time."""
    factor: float
    """To SI units; NaN where the unit is not known."""
    linear: bool
    problem: str = ""
    """About the unit."""


def header_meaning(name: str) -> Header | None:
    """Return what a header in words says; None if a word of it is not known, or the unit absent.

    A time without a unit is in seconds.
    """
    rest, unit = _without_unit(name)
    rest = re.sub(r"rob_?1(?!\d)", "", rest.lower())
    words = _WORDS.findall(rest)
    if not words or _NO_WORDS.sub("", rest) != "".join(words):
        return None  # letters of another alphabet, signs
    if set(words) <= _TIME:
        return _time(unit or "s")
    before, last = _unit_at_end(words)
    if not unit or unit == last:
        words, unit = before, last
    if set(words) <= _TIME:
        return _time(unit)
    numbers = [int(word) for word in words if word.isdigit()]
    letters = [word for word in words if not word.isdigit()]
    said = {_QUANTITIES[word] for word in letters if word in _QUANTITIES}
    known = all(word in _QUANTITIES or word in _PLAIN for word in letters)
    if len(numbers) != 1 or not letters or not unit or not known or len(said) > 1:
        return None
    of_unit = {quantity for quantity, units in UNITS.items() if unit in units}
    quantity = next(iter(said or of_unit), "")
    if quantity and quantity not in of_unit:
        return Header(quantity, numbers[0], np.nan, False, _problem(quantity))
    return Header(quantity, numbers[0], *UNITS[quantity][unit]) if quantity else None


def unit_row(names: Sequence[str], cells: Sequence[str]) -> list[str]:
    """Return the names with the units of a row below them; empty if that row holds no units."""
    texts = [cell.strip().strip("[]()") for cell in cells]
    units = [_canonical(text) in _KNOWN for text in texts]
    if len(names) != len(cells) or not any(units):
        return []
    if not all(flag or text in ("", "-", "1") for flag, text in zip(units, texts, strict=True)):
        return []
    return [
        f"{name} [{text}]" if flag else name
        for name, text, flag in zip(names, texts, units, strict=True)
    ]


def _time(unit: str) -> Header:
    factor = _SECONDS.get(unit, np.nan)
    return Header("t", 0, factor, False, "" if np.isfinite(factor) else _problem("t"))


def _problem(quantity: str) -> str:
    what, units = _SHOWN[quantity]
    return f"its unit is none of {what}: {units}"


def _without_unit(name: str) -> tuple[str, str]:
    """Return a header without the unit in its brackets, and that unit.

    An index in brackets goes to the front, so that a unit may stand at the end.
    """
    index = _INDEX.search(name)
    if index is not None:
        name = f"{index[1]} {name[: index.start()]} {name[index.end() :]}"
    found = [*_BRACKETS.finditer(name)]
    if len(found) != 1:
        return name, ""
    return f"{name[: found[0].start()]} {name[found[0].end() :]}", _canonical(found[0][1])


def _unit_at_end(words: list[str]) -> tuple[list[str], str]:
    """Return the words without the unit at their end, and it: ``deg``, ``rad s 2``, ``N m``."""
    for length in (3, 2, 1):
        tail = words[-length:]
        unit = _canonical("/".join(tail)).replace("s/2", "s2").replace("n/m", "nm")
        if len(words) > length and unit in _KNOWN and not tail[0].isdigit():
            return words[:-length], unit
    return words, ""


def _canonical(unit: str) -> str:
    text = unit.strip().lower()
    for one, other in _SPELLED:
        text = text.replace(one, other)
    text = re.sub("[\\s*^.\N{MIDDLE DOT}]", "", text)
    text = re.sub("s-([12])", lambda hit: "/s" + hit[1].strip("1"), text)
    return _UNIT_FORMS.get(text, re.sub("/+", "/", text))
