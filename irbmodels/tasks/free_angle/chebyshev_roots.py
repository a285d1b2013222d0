"""All roots of smooth functions: Chebyshev expansions on pieces that are cut until they fit, then roots that cannot hide.

With ``x = cos t`` an expansion is ``F(t) = sum c_k cos(k t)``, so ``|F''| <= B = sum k^2 |c_k|``.
In a cell of width ``w`` whose ends have one sign there is no root if ``min |F| > B w^2 / 8``; where
the ends differ there is just one if ``|F'| > B w / 2`` in the middle. Cells that settle neither way
are cut again: what is left, 1e-8 wide, are double roots.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray, Mask

TERMS = 20
FITS = 1e-10  # last coefficients of an expansion that fits, beside functions of size 1
NARROW = 2.0**-36  # share of a run below which a piece is taken as it is
_NODES = np.cos(math.pi * (np.arange(TERMS) + 0.5) / TERMS)
_ORDERS = np.arange(TERMS)
_TRANSFORM = (
    (2.0 - (_ORDERS[:, None] == 0))
    / TERMS
    * np.cos(math.pi * _ORDERS[:, None] * (np.arange(TERMS) + 0.5) / TERMS)
)
_CELLS = 48
_WIDTH = 1e-8  # [rad of t] cells this wide hold a double root


class Runs(NamedTuple):
    """Stretches of an angle on which functions are smooth, their ends apart, where they may bend as a square root does."""

    low: Array
    high: Array

    def angle(self, run: IntArray, x: Array) -> Array:
        """Return angles for ``x`` in -1 .. 1.

        Both ends are passed as a sine passes its top, which smooths a root.
        """
        middle, half = (self.high + self.low) / 2.0, (self.high - self.low) / 2.0
        return np.asarray(middle[run] + half[run] * np.sin(math.pi / 2.0 * x))

    def rate(self, run: IntArray, x: Array) -> Array:
        """Return the derivative of the angle by ``x``."""
        return np.asarray(
            (self.high - self.low)[run] / 2.0 * math.pi / 2.0 * np.cos(math.pi / 2.0 * x)
        )


class Pieces(NamedTuple):
    """Expansions on pieces of runs."""

    run: IntArray
    """Which run, ``(P,)``."""
    middle: Array
    half: Array
    """In the ``x`` of the run, ``(P,)``."""
    terms: Array
    """Coefficients, ``(P, functions, TERMS)``."""


def expanded(
    runs: Runs, functions: Callable[[IntArray, Array], Array], rounding: Callable[[Array], Array]
) -> Pieces:
    """Expand functions on runs.

    Args:
        runs: Where.
        functions: Values ``(K, functions)`` of the run ``(K,)`` at the angle ``(K,)``, all of size
            1 and smooth.
        rounding: How far values at the angle ``(K,)`` may be off, ``(K,)``: no expansion fits
            better.
    """
    counts = np.ceil((runs.high - runs.low) / 1.2).astype(int)
    run = np.repeat(np.arange(len(counts)), counts)
    places = np.concatenate(
        [(2.0 * np.arange(count) + 1.0) / count - 1.0 for count in counts] or [np.empty(0)]
    )
    half = np.repeat(1.0 / np.maximum(counts, 1), counts)
    done: list[Pieces] = []
    while len(run):
        x = places[:, None] + half[:, None] * _NODES
        flat = np.repeat(run, TERMS)
        angle = runs.angle(flat, x.ravel())
        values = functions(flat, angle).reshape(len(run), TERMS, -1)
        wanted = np.maximum(FITS, rounding(angle).reshape(-1, TERMS).max(axis=1))
        terms = np.swapaxes(_TRANSFORM @ values, 1, 2)
        fits = (np.abs(terms[:, :, -3:]).max(axis=(1, 2)) < wanted) | (half < NARROW)
        done.append(Pieces(run[fits], places[fits], half[fits], terms[fits]))
        run, places, half = (
            np.repeat(run[~fits], 2),
            np.repeat(places[~fits], 2),
            np.repeat(half[~fits] / 2.0, 2),
        )
        places = places + half * np.tile([-1.0, 1.0], len(run) // 2)
    if not done:
        return Pieces(run, places, half, np.empty((0, 0, TERMS)))
    return Pieces(*(np.concatenate(parts) for parts in zip(*done, strict=True)))


def zeros(terms: Array) -> tuple[IntArray, Array, Array]:
    """Return all roots of expansions ``(M, TERMS)``: which one, ``t``, and ``F'`` there, ``(K,)`` each.

    What is zero everywhere has none.
    """
    bound = np.abs(terms) @ _ORDERS**2.0
    row = np.flatnonzero(np.abs(terms).sum(axis=1) > 1e-9)
    # in most pieces nothing comes near zero
    row = row[np.abs(terms[row, 0]) <= np.abs(terms[row, 1:]).sum(axis=1)]
    grid = np.linspace(0.0, math.pi, _CELLS + 1)
    F = terms[row] @ np.cos(np.outer(_ORDERS, grid))
    row, left, first, last = (
        np.repeat(row, _CELLS),
        np.tile(grid[:-1], len(row)),
        F[:, :-1].ravel(),
        F[:, 1:].ravel(),
    )
    width = math.pi / _CELLS
    found: list[tuple[IntArray, Array, Array]] = []
    while len(row):
        same = first * last > 0.0
        open_ = ~(same & (np.minimum(np.abs(first), np.abs(last)) > bound[row] * width**2 / 8.0))
        row, left, first, last, same = (array[open_] for array in (row, left, first, last, same))
        single = ~same & (
            np.abs(_derivative(terms[row], left + width / 2.0)) > bound[row] * width / 2.0
        )
        ready = single | (width < _WIDTH)
        start = (
            left[ready]
            + np.where(single, width * first / np.where(single, first - last, 1.0), width / 2.0)[
                ready
            ]
        )
        found.append(_newton(terms, row[ready], start, left[ready], width, single[ready]))
        row, left, first, last = (array[~ready] for array in (row, left, first, last))
        width /= 4.0
        cuts = left[:, None] + width * np.arange(5)
        F = (terms[row][:, :, None] * np.cos(_ORDERS[:, None] * cuts[:, None, :])).sum(axis=1)
        row, left, first, last = (
            np.repeat(row, 4),
            cuts[:, :-1].ravel(),
            F[:, :-1].ravel(),
            F[:, 1:].ravel(),
        )
    if not found:
        return row, left, first
    return tuple(np.concatenate(parts) for parts in zip(*found, strict=True))  # type: ignore[return-value]


def _newton(
    terms: Array, row: IntArray, t: Array, left: Array, width: float, single: Mask
) -> tuple[IntArray, Array, Array]:
    for _ in range(5):
        F = (terms[row] * np.cos(_ORDERS * t[:, None])).sum(axis=1)
        change = F / np.where(single, _derivative(terms[row], t), 1.0)
        t = np.where(single, np.clip(t - change, left, left + width), t)
    return row, t, _derivative(terms[row], t)


def _derivative(terms: Array, t: Array) -> Array:
    return np.asarray(-(terms * _ORDERS * np.sin(_ORDERS * t[:, None])).sum(axis=1))
