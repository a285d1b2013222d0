"""RAPID's functions of numbers, positions and orientations, whose value no run changes.

Names, arguments and units as in ABB's reference manual (3HAC16581-1): angles in degrees, lengths in
mm.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from .predefined import VMAX_TCP
from .records import Orient, Pos, Pose, round_values

_LONGEST_STRING = 80  # characters (ABB 3HAC050917-001, string)


@dataclass(frozen=True)
class Function:
    """A function of RAPID: the types of its arguments and of its result, and what it computes."""

    arguments: tuple[str, ...]
    result: str
    compute: Callable[..., Any]
    options: tuple[str, ...] = ()
    """Names of options in lower case; their values, or True for a switch, are keywords."""


def _round(value: float, dec: float = 0.0) -> float:
    """Round half away from zero, as ``Round(-5.5)`` = -6 does; ``dec`` decimals."""
    scale = 10.0 ** int(dec)
    return math.copysign(math.floor(abs(value) * scale + 0.5), value) / scale


def _trunc(value: float, dec: float = 0.0) -> float:
    scale = 10.0 ** int(dec)
    return math.trunc(value * scale) / scale


def _euler(rot: Orient, x: bool = False, y: bool = False, z: bool = False) -> float:
    """Return the angle about one axis [deg]; exactly one switch is given."""
    if x + y + z != 1:
        raise ValueError
    about_z, about_y, about_x = rot.zyx_deg()
    return about_x if x else about_y if y else about_z


def _pose_mult(first: Pose, second: Pose) -> Pose:
    return Pose.of(first.se3() * second.se3())


def _pose_vect(frame: Pose, pos: Pos) -> Pos:
    moved = frame.se3().act(np.array(pos.values) / 1000.0)
    return Pos(*round_values(1000.0 * moved))


def _unit(rot: Orient) -> Orient:
    return Orient(*round_values(np.array(rot.values) / rot.length))


def _length(pos: Pos) -> float:
    return float(np.linalg.norm(pos.values))


def _distance(first: Pos, second: Pos) -> float:
    return float(np.linalg.norm(np.subtract(first.values, second.values)))


def _of_numbers(count: int, compute: Callable[..., float]) -> Function:
    return Function(("num",) * count, "num", compute)


FUNCTIONS: dict[str, Function] = {
    "abs": _of_numbers(1, abs),
    "sqrt": _of_numbers(1, math.sqrt),
    "exp": _of_numbers(1, math.exp),
    "pow": _of_numbers(2, math.pow),
    "sin": _of_numbers(1, lambda angle: math.sin(math.radians(angle))),
    "cos": _of_numbers(1, lambda angle: math.cos(math.radians(angle))),
    "tan": _of_numbers(1, lambda angle: math.tan(math.radians(angle))),
    "asin": _of_numbers(1, lambda value: math.degrees(math.asin(value))),
    "acos": _of_numbers(1, lambda value: math.degrees(math.acos(value))),
    "atan": _of_numbers(1, lambda value: math.degrees(math.atan(value))),
    "atan2": _of_numbers(2, lambda y, x: math.degrees(math.atan2(y, x))),
    "round": Function(("num",), "num", _round, ("dec",)),
    "trunc": Function(("num",), "num", _trunc, ("dec",)),
    "min": _of_numbers(2, min),
    "max": _of_numbers(2, max),
    "maxrobspeed": Function((), "num", lambda: VMAX_TCP),
    "numtodnum": _of_numbers(1, float),
    "dnumtonum": _of_numbers(1, float),
    "distance": Function(("pos", "pos"), "num", _distance),
    "vectmagn": Function(("pos",), "num", _length),
    "dotprod": Function(("pos", "pos"), "num", lambda a, b: float(np.dot(a.values, b.values))),
    "orientzyx": Function(("num",) * 3, "orient", Orient.of_zyx_deg),
    "eulerzyx": Function(("orient",), "num", _euler, ("x", "y", "z")),
    "norient": Function(("orient",), "orient", _unit),
    "posemult": Function(("pose", "pose"), "pose", _pose_mult),
    "poseinv": Function(("pose",), "pose", lambda frame: Pose.of(frame.se3().inverse())),
    "posevect": Function(("pose", "pos"), "pos", _pose_vect),
}
"""By name in lower case; ``SqrtDnum`` and its like stand for the same of ``num``."""
FUNCTIONS.update(
    {
        f"{name}dnum": FUNCTIONS[name]
        for name in (
            *("abs", "sqrt", "exp", "pow", "sin", "cos", "tan", "asin", "acos", "atan", "atan2"),
            *("round", "trunc", "min", "max"),
        )
    }
)


@np.errstate(over="raise", invalid="raise")
def operate(sign: str, left: Any, right: Any) -> Any:
    """Return a product, sum or difference of numbers, positions or orientations.

    ``pos * pos`` is the vector product, ``orient * orient`` one rotation after the other; operands
    of ``DIV`` and ``MOD`` are integers (ABB, Basic Characteristics RAPID, 7.1 arithmetic
    expressions). That of a negative number is cut towards zero, and the remainder has the sign of
    the dividend: assumed, since the manual says nothing of it.

    Raises:
        TypeError: if these values have no such product or sum.
        ArithmeticError: if the result is no finite number, or longer than a string can be.
    """
    numbers = isinstance(left, float | int) and isinstance(right, float | int)
    if numbers and sign in ("+", "-", "*"):
        return _finite(
            left + right if sign == "+" else left - right if sign == "-" else left * right
        )
    if numbers and right and sign == "/":
        return _finite(left / right)
    integers = numbers and float(left).is_integer() and float(right).is_integer()
    if integers and right and sign in ("div", "mod"):
        remainder = math.fmod(left, right)
        return remainder if sign == "mod" else (left - remainder) / right
    if isinstance(left, Pos) and isinstance(right, Pos) and sign in ("+", "-", "*"):
        a, b = np.array(left.values), np.array(right.values)
        return Pos(
            *round_values(a + b if sign == "+" else a - b if sign == "-" else np.cross(a, b))
        )
    if isinstance(left, Pos) and isinstance(right, float | int) and sign in ("*", "/"):
        return Pos(*round_values(np.array(left.values) * (right if sign == "*" else 1.0 / right)))
    if isinstance(left, float | int) and isinstance(right, Pos) and sign == "*":
        return operate(sign, right, left)
    if isinstance(left, Orient) and isinstance(right, Orient) and sign == "*":
        return Orient.of(left.matrix() @ right.matrix())
    if isinstance(left, str) and isinstance(right, str) and sign == "+":
        if len(left) + len(right) > _LONGEST_STRING:
            raise OverflowError(f"a string has at most {_LONGEST_STRING} characters")
        return left + right
    raise TypeError


def _finite(number: float) -> float:
    if not math.isfinite(number):
        raise OverflowError("the number is too large")
    return number
