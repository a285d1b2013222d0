"""Checks of a round's solution: where friction and stops cannot exert it, and what to try next.

All axes and pairs that fail change at once.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from ...compiled.masks import Mask, all_of, any_of, negated
from ...compiled.trace import Scalar, Value, where
from ..stiction import HIGH, LOW, STILL
from .guess import Guess, Vector
from .ranges import Ranges

STICK = 1.0 + 1e-12  # of the largest friction, up to which an axis sticks


class Proposal(NamedTuple):
    """Guess for the next round."""

    modes: Vector
    tied: list[Mask]
    agrees: Mask
    """Where it is the guess that was solved for: the solution passes every check."""
    exerted: Vector
    """Impulse that friction and stops exert against each axis."""


class AxisCheck(NamedTuple):
    """Check of one axis."""

    exerted: Scalar
    """Impulse that friction and stops exert against it."""
    up: Mask
    """Sticks with more than friction and its own stop can exert, and would slip up."""
    down: Mask
    mode: Scalar
    """Proposed by this axis alone."""
    fails: Mask


def check(
    guess: Guess, ranges: Ranges, A: list[Vector], r: Vector, b: Vector, x: Vector
) -> Proposal:
    """Check a solution of ``A x = r - b Sgn(x) + D' k``.

    Args:
        guess: It was solved for.
        ranges: Hard stops.
        A: Symmetric positive definite matrix.
        r: Momentum, and impulse of the load.
        b: Largest impulse of dry friction.
        x: Speeds.
    """
    axes = [_check_axis(guess, i, A[i], r[i], b[i], x) for i in range(len(x))]
    modes, fails = [axis.mode for axis in axes], [axis.fails for axis in axes]
    tied: list[Mask] = [False] * len(x)
    for i, j in ranges.pairs:
        touched = guess.contacts[i].touched
        modes_ij, tied_ij, fails_ij = _check_pair(guess, ranges, i, axes, b, x)
        for axis, mode in zip((i, j), modes_ij, strict=True):
            modes[axis] = where(touched, mode, modes[axis])
            fails[axis] = all_of(fails[axis], negated(touched))
        fails.append(all_of(touched, fails_ij))
        tied[i] = all_of(touched, tied_ij)
    agrees = negated(any_of(*fails))
    return Proposal(modes, tied, agrees, [axis.exerted for axis in axes])


def _check_axis(guess: Guess, i: int, row: Vector, r: Scalar, b: Scalar, x: Vector) -> AxisCheck:
    mode = guess.modes[i]
    if not isinstance(mode, Value):  # nothing but LOW can be
        return AxisCheck(0.0, False, False, mode, False)
    exerted = r
    for a, xj in zip(row, x, strict=True):
        exerted = exerted - a * xj
    sticks, most = negated(guess.moves[i]), STICK * b
    up = all_of(sticks, exerted > most, negated(guess.high[i]))
    down = all_of(sticks, exerted < -most, negated(guess.low[i]))
    turned = all_of(mode * x[i] > 0.0, guess.signed[i])
    proposed = where(turned, float(STILL), mode)
    proposed = where(up, float(LOW), where(down, float(HIGH), proposed))
    return AxisCheck(exerted, up, down, proposed, any_of(up, down, turned))


def _check_pair(
    guess: Guess, ranges: Ranges, i: int, axes: list[AxisCheck], b: Vector, x: Vector
) -> tuple[tuple[Scalar, Scalar], Mask, Mask]:
    """Check axes i and j at a stop of ``q_i - f q_j``.

    They are tied, stand, or move apart; the directions that the stop leaves are a half plane of
    ``(x_i, x_j)``, bounded by those in which both move together.

    Returns:
        The modes of both that are proposed, where they are to be tied, and where they fail.
    """
    j, f, contact = ranges.other[i], ranges.factor(i), guess.contacts[i]
    along = float(np.sign(f))
    low, high, (at_low, at_high) = contact.low, contact.high, (guess.low[j], guess.high[j])
    mode_i, mode_j, one, two = guess.modes[i], guess.modes[j], axes[i], axes[j]

    # tied: they turn back, or the stop would have to pull
    push = -(one.exerted + mode_i * b[i])
    pulls = any_of(all_of(push > 0.0, negated(low)), all_of(push < 0.0, negated(high)))
    turned = all_of(mode_j * x[j] > 0.0, any_of(guess.signed[i], guess.signed[j]))
    if_tied = where(turned, float(STILL), mode_i), where(turned, float(STILL), mode_j)

    # both stand: one is pulled off the stop, or both along it
    up_i, down_i = all_of(one.up, negated(high)), all_of(one.down, negated(low))
    over, under = (low, high) if f > 0.0 else (high, low)
    up_j, down_j = all_of(two.up, negated(over)), all_of(two.down, negated(under))
    off = any_of(up_i, down_i, up_j, down_j)
    total, most = f * one.exerted + two.exerted, STICK * (abs(f) * b[i] + b[j])
    up, down = all_of(total > most, negated(at_high)), all_of(total < -most, negated(at_low))
    together = all_of(any_of(up, down), negated(off))
    lead = where(together, where(up, float(LOW), float(HIGH)), float(STILL))
    if_still = (
        where(up_i, float(LOW), where(down_i, float(HIGH), along * lead)),
        where(up_j, float(LOW), where(down_j, float(HIGH), lead)),
    )

    # apart: they move through the stop
    apart = x[i] - f * x[j]
    through = any_of(all_of(low, apart < 0.0), all_of(high, apart > 0.0))
    lead = where(abs(two.mode) > 0.5, two.mode, along * one.mode)
    into = any_of(all_of(at_low, lead > 0.0), all_of(at_high, lead < 0.0))
    lead = where(into, float(STILL), lead)
    if_apart = where(through, along * lead, one.mode), where(through, lead, two.mode)

    tied, still = guess.tied[i], negated(any_of(guess.moves[i], guess.moves[j]))

    def choose(if_tied: Mask, if_still: Mask, if_apart: Mask) -> Mask:
        loose = negated(tied)
        return any_of(
            all_of(tied, if_tied),
            all_of(loose, still, if_still),
            all_of(loose, negated(still), if_apart),
        )

    modes = [
        where(tied, in_tie, where(still, at_rest, loose))
        for in_tie, at_rest, loose in zip(if_tied, if_still, if_apart, strict=True)
    ]
    stays = negated(any_of(turned, pulls))
    to_tie = choose(stays, together, all_of(through, abs(lead) > 0.5))
    fails = choose(negated(stays), any_of(off, together), any_of(one.fails, two.fails, through))
    return (modes[0], modes[1]), to_tie, fails
