"""Numbers of springs that their torque is not linear in: rest, pivot after the axis, gas column.

Torques of one axis do not tell all pivots. A pulling element is the same to them when both pivots
are turned together, exchanged, or moved away from the axis in proportion with its length, its force
as little as they are farther. Of the pivots only the one after the axis is a parameter here.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from .springs import GasSpring, PullingElement, Spring, TorsionSpring
from .types import Array

KINDS = {
    "rest": ("rad", "m"),
    "after_x": ("m", "m"),
    "after_y": ("m", "m"),
    "column": ("m", "m"),
}
"""Names before the number of the axis, with units for rotary and linear axes."""
STEP = 1e-5  # [rad, m] of central differences: truncation 1e-10 of the slope, rounding 1e-11


def kinds_of(spring: Spring, pivots_known: bool = False) -> tuple[str, ...]:
    """Return the kinds of an element's geometry that are unknown, of :data:`KINDS`."""
    if isinstance(spring, TorsionSpring):
        return ("rest",)
    if isinstance(spring, PullingElement):
        pivot = () if pivots_known else ("after_x", "after_y")
        return (*pivot, *["column"] * isinstance(spring, GasSpring))
    return ()


def values_of(spring: Spring, kinds: Sequence[str]) -> Array:
    """Return the geometry of an element, ``(g,)`` for its ``kinds``."""
    return np.array([_value(spring, kind) for kind in kinds])


def changed(spring: Spring, kinds: Sequence[str], values: Sequence[float] | Array) -> Spring:
    """Return an element with another geometry: a value for each of ``kinds``."""
    new = dict(zip(kinds, np.asarray(values, dtype=float).tolist(), strict=True))
    fields: dict[str, Any] = {kind: new[kind] for kind in ("rest", "column") if kind in new}
    if "after_x" in new:
        fields["after"] = (new["after_x"], new["after_y"])
    return replace(spring, **fields)


def slopes(spring: Spring, q: Array, kinds: Sequence[str]) -> Array:
    """Return derivatives of the torque by the geometry at positions ``(...)``, ``(..., g)``."""
    own, columns = values_of(spring, kinds), []
    for step in STEP * np.eye(own.size):
        above, below = (changed(spring, kinds, own + sign * step).torque(q) for sign in (1.0, -1.0))
        columns.append((above - below) / (2.0 * STEP))
    return np.stack(columns, axis=-1) if columns else np.zeros((*q.shape, 0))


def _value(spring: Spring, kind: str) -> float:
    if kind.startswith("after"):
        assert isinstance(spring, PullingElement)
        return spring.after[kind == "after_y"]
    return float(getattr(spring, kind))
