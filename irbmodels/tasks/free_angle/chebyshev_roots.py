"""All roots of smooth functions, isolated on piecewise Chebyshev expansions.

With ``x = cos t`` an expansion is ``F(t) = sum c_k cos(k t)``, so ``|F''| <= B = sum k^2 |c_k|``.
In a cell of width ``w`` whose ends have one sign there is no root if ``min |F| > B w^2 / 8``; where
the ends differ there is just one if ``|F'| > B w / 2`` in the middle. Cells of neither kind are
split again: those that remain, 1e-8 wide, hold double roots.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray, Mask

TERMS = 20
FITS = 1e-10  # last coefficients of an expansion that fits, beside functions of size 1
NARROW = 2.0**-36  # share of a span below which a piece is taken as it is
_NODES = np.cos(math.pi * (np.arange(TERMS) + 0.5) / TERMS)
_ORDERS = np.arange(TERMS)
_TRANSFORM = (
    (2.0 - (_ORDERS[:, None] == 0))
    / TERMS
    * np.cos(math.pi * _ORDERS[:, None] * (np.arange(TERMS) + 0.5) / TERMS)
)
_CELLS = 48
_WIDTH = 1e-8  # [rad of t] cells this wide hold a double root


class Spans(NamedTuple):
    """Ranges of an angle on which functions are smooth, at their ends up to a square root."""

    low: Array
    high: Array

    def angle(self, span: IntArray, x: Array) -> Array:
        """Return angles for ``x`` in -1 .. 1; the sine smooths a square root at the ends."""
        low, high = self.low[span], self.high[span]
        return np.asarray((high + low) / 2.0 + (high - low) / 2.0 * np.sin(math.pi / 2.0 * x))

    def rate(self, span: IntArray, x: Array) -> Array:
        """Return the derivative of the angle by ``x``."""
        return np.asarray(
            (self.high - self.low)[span] / 2.0 * math.pi / 2.0 * np.cos(math.pi / 2.0 * x)
        )


class Pieces(NamedTuple):
    """Expansions on pieces of spans."""

    span: IntArray
    """Index of the span, ``(P,)``."""
    middle: Array
    half: Array
    """In the ``x`` of the span, ``(P,)``."""
    terms: Array
    """Coefficients, ``(P, functions, TERMS)``."""


def expand(
    spans: Spans, functions: Callable[[IntArray, Array], Array], rounding: Callable[[Array], Array]
) -> Pieces:
    """Expand functions on spans.

    Args:
        spans: Of the angle.
        functions: Values ``(K, functions)`` of the span ``(K,)`` at the angle ``(K,)``, all of size
            1 and smooth.
        rounding: Error of the values at the angle ``(K,)``, ``(K,)``: no expansion fits better.
    """
    counts = np.ceil((spans.high - spans.low) / 1.2).astype(int)
    span = np.repeat(np.arange(len(counts)), counts)
    index = np.arange(len(span)) - np.repeat(np.cumsum(counts) - counts, counts)
    half = 1.0 / counts[span]
    middle = (2.0 * index + 1.0) * half - 1.0
    done: list[Pieces] = []
    while len(span):
        x = middle[:, None] + half[:, None] * _NODES
        flat = np.repeat(span, TERMS)
        angle = spans.angle(flat, x.ravel())
        values = functions(flat, angle).reshape(len(span), TERMS, -1)
        wanted = np.maximum(FITS, rounding(angle).reshape(-1, TERMS).max(axis=1))
        terms = np.swapaxes(_TRANSFORM @ values, 1, 2)
        fits = (np.abs(terms[:, :, -3:]).max(axis=(1, 2)) < wanted) | (half < NARROW)
        done.append(Pieces(span[fits], middle[fits], half[fits], terms[fits]))
        span, middle, half = (np.repeat(x[~fits], 2) for x in (span, middle, half / 2.0))
        middle = middle + half * np.tile([-1.0, 1.0], len(span) // 2)
    if not done:
        return Pieces(span, middle, half, np.empty((0, 0, TERMS)))
    return Pieces(*(np.concatenate(parts) for parts in zip(*done, strict=True)))


def chebyshev_roots(terms: Array) -> tuple[IntArray, Array, Array]:
    """Return all roots of expansions ``(M, TERMS)``: index, ``t``, and ``F'`` there, ``(K,)`` each.

    An expansion that is zero everywhere has none.
    """
    bound = np.abs(terms) @ _ORDERS**2.0
    row = np.flatnonzero(np.abs(terms).sum(axis=1) > 1e-9)
    # in most pieces nothing comes near zero
    row = row[np.abs(terms[row, 0]) <= np.abs(terms[row, 1:]).sum(axis=1)]
    # left ends of the cells, and values at both ends
    edges = np.linspace(0.0, math.pi, _CELLS + 1)[None]
    width = math.pi / _CELLS
    isolated: list[tuple[IntArray, Array, Array]] = []
    while len(row):
        F = (terms[row][:, :, None] * np.cos(_ORDERS[:, None] * edges[:, None, :])).sum(axis=1)
        first, last = F[:, :-1].ravel(), F[:, 1:].ravel()
        left = np.broadcast_to(edges[:, :-1], F[:, 1:].shape).ravel()
        row = np.repeat(row, F.shape[1] - 1)
        same = first * last > 0.0
        unclear = ~same | (np.minimum(np.abs(first), np.abs(last)) <= bound[row] * width**2 / 8.0)
        row, left, first, last, same = (x[unclear] for x in (row, left, first, last, same))
        slope = np.abs(_derivative(terms[row], left + width / 2.0))
        single = ~same & (slope > bound[row] * width / 2.0)
        ready = single | (width < _WIDTH)
        secant = np.where(single, first / np.where(single, first - last, 1.0), 0.5)
        start = (left + width * secant)[ready]
        isolated.append(_newton(terms, row[ready], start, left[ready], width, single[ready]))
        row, left, width = row[~ready], left[~ready], width / 4.0
        edges = left[:, None] + width * np.arange(5)
    if not isolated:
        return row, np.empty(0), np.empty(0)
    return tuple(np.concatenate(parts) for parts in zip(*isolated, strict=True))  # type: ignore[return-value]


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
