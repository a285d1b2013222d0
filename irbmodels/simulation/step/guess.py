"""Guess of a round: which axes slip up or down or stick, which stops they touch, which are tied.

Per axis it is one number: LOW, STILL or HIGH of :mod:`..stiction`, plus four times: 1 where the
lower end of its row was passed in an earlier round, 2 where the upper end was, and 4 where the two
axes of its row move together if they touch its stop.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...compiled.masks import Mask, all_of, any_of, negated
from ...compiled.trace import Scalar, Value, nearest, where
from ...model.types import Array
from ..mechanics import CONTACT
from ..stiction import LOW, STILL
from .ranges import UNCOUPLED, Ranges

PASSED_LOW, PASSED_HIGH, TIED = 4.0, 8.0, 16.0
Vector = list[Scalar]


class RowContact(NamedTuple):
    """Contact at the two ends of a row of the ranges."""

    low: Mask = False
    """Touched and not being left when the step begins, or passed in an earlier round."""
    high: Mask = False
    passed_low: Mask = False
    """In an earlier round."""
    passed_high: Mask = False
    tied: Mask = False

    @property
    def touched(self) -> Mask:
        """Contact at either end."""
        return any_of(self.low, self.high)


class Guess(NamedTuple):
    """Guess of a round, by axis and by row."""

    modes: Vector
    """LOW, STILL or HIGH; a float where only LOW can be: without dry friction and stops."""
    moves: list[Mask]
    """Where the mode is not STILL."""
    tied: list[Mask]
    """Where an axis moves with the other of its row."""
    low: list[Mask]
    """Where an axis is at the lower stop of its own range."""
    high: list[Mask]
    signed: list[Mask]
    """Where friction or a stop of its own range makes the direction of an axis count."""
    contacts: list[RowContact]


def first_guess(v: Array, ranges: Ranges) -> Array:
    """Return the guess for a first step: what moves goes on, pairs at their stop together.

    Args:
        v: Speeds, ``(n,)`` or ``(n, N)``.
        ranges: Hard stops.
    """
    guess: Array = STILL - np.sign(v)
    guess[[i for i, _ in ranges.pairs]] += TIED
    return guess


def row_contact(
    code: Value,
    ranges: Ranges,
    k: int,
    place: Scalar,
    rate: Scalar,
    constant: Callable[[str], Value],
) -> RowContact:
    """Return the contact of row ``k``, with ``place`` and ``rate`` of its start."""
    has_low, has_high = ranges.lower[k], ranges.upper[k]
    if not (has_low or has_high):
        return RowContact()
    quarters: Scalar = 0.25 * code
    bits: Scalar = nearest(quarters)
    tied: Mask = False
    if ranges.other[k] >= 0:
        tied = bits > 3.5
        bits = where(tied, bits - 4.0, bits)
    passed_low = all_of(has_low, abs(abs(bits - 2.0) - 1.0) < 0.5)  # 1 or 3
    passed_high = all_of(has_high, bits > 1.5)
    low: Mask = False
    high: Mask = False
    if has_low:
        gap = place - constant(f"lower{k + 1}")
        low = any_of(all_of(gap <= CONTACT, rate <= CONTACT), passed_low)
    if has_high:
        gap = constant(f"upper{k + 1}") - place
        high = any_of(all_of(gap <= CONTACT, rate >= -CONTACT), passed_high)
    return RowContact(low, high, passed_low, passed_high, tied)


def read_guess(
    codes: Sequence[Value], ranges: Ranges, contacts: list[RowContact], b: Vector, dry: bool
) -> Guess:
    """Return the guess of a round, without what cannot be.

    An axis does not move into its stop, and one that nothing can hold does not stick.

    Args:
        codes: One number per axis.
        ranges: Hard stops.
        contacts: By row.
        b: Largest impulse of dry friction per axis.
        dry: True with dry friction.
    """
    n = len(codes)
    own = [
        contact if ranges.other[i] == UNCOUPLED else RowContact()
        for i, contact in enumerate(contacts)
    ]
    low, high = [contact.low for contact in own], [contact.high for contact in own]
    signed = [any_of(own[i].touched, all_of(dry, b[i] > 0.0)) for i in range(n)]
    held = [contact.touched for contact in own]
    for i, j in ranges.pairs:
        held[i], held[j] = (any_of(held[axis], contacts[i].touched) for axis in (i, j))
    modes: Vector = []
    for i, code in enumerate(codes):
        if not dry and held[i] is False:
            modes.append(float(LOW))
            continue
        bounded = ranges.lower[i] or ranges.upper[i]
        mode: Scalar = code
        if bounded:
            quarters: Scalar = 0.25 * code
            mode = code - 4.0 * nearest(quarters)
        blocked = any_of(all_of(low[i], mode > 0.0), all_of(high[i], mode < 0.0))
        mode = where(blocked, float(STILL), mode)
        free = all_of(negated(held[i]), any_of(not dry, b[i] <= 0.0))
        modes.append(where(all_of(free, abs(mode) < 0.5), float(LOW), mode))
    tied: list[Mask] = [False] * n
    for i, j in ranges.pairs:
        tied[i] = all_of(contacts[i].tied, contacts[i].touched, abs(modes[j]) > 0.5)
        modes[i] = where(tied[i], float(np.sign(ranges.factor(i))) * modes[j], modes[i])
    moves = [abs(mode) > 0.5 for mode in modes]
    return Guess(modes, moves, tied, low, high, signed, contacts)
