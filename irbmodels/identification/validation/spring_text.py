"""Springs in words."""

from __future__ import annotations

import numpy as np

from ...model.springs import GasSpring, PullingElement, Spring, TorqueOffset, TorsionSpring


def spring_text(spring: Spring, linear: bool, known: bool = False) -> str:
    """Return an element in words; ``known`` if its pivots are those of the tables."""
    unit, stiffness = ("N", "N/m") if linear else ("N m", "N m/rad")
    if isinstance(spring, TorqueOffset):
        return f"a torque offset of {spring.offset:.3g} {unit}"
    if isinstance(spring, TorsionSpring):
        rest = position_text(spring.rest, linear)
        return f"a spring of {spring.k:.3g} {stiffness} at rest at {rest}"
    assert isinstance(spring, PullingElement)
    ratio = float(np.hypot(*spring.after) / np.hypot(*spring.before))
    angle = np.degrees(np.arctan2(*spring.after[::-1]) - np.arctan2(*spring.before[::-1]))
    kind = "a coil spring"
    if isinstance(spring, GasSpring):
        kind = "a gas spring that pulls" if spring.column > 0.0 else "a gas strut that pushes"
    if known:
        return f"{kind} between the pivots of the tables"
    return (
        f"{kind} between pivots whose distances from the axis are as {ratio:.3g} to 1, at"
        f" {float(angle):.3g} deg from each other"
    )


def position_text(x: float, linear: bool) -> str:
    """Return a position [rad, m] in degrees or millimetres."""
    return f"{1000.0 * x:.3g} mm" if linear else f"{float(np.degrees(x)):.3g} deg"
