"""The force of a milling cutter, from chip thickness and the pressures of the material.

Frame of the cut: ``x`` the feed of the tool against the workpiece, ``z`` the tool's axis out of the
tool, ``y = z x x``. The cutter turns right-handed about ``z`` (clockwise seen from the spindle), so
material on the side of ``+y`` is milled in climb. A tooth at the angle ``psi`` from ``x`` cuts a
chip of thickness ``h = f cos(psi)`` and feels, per depth of cut, ``Kt h + Kte`` against its motion,
``Kr h + Kre`` towards the axis and ``Ka h + Kae`` along it (the linear mechanistic law of the
textbooks).
"""

from __future__ import annotations

import math
from dataclasses import dataclass, fields
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_int, finite, positive, short_repr
from ...errors import InputError
from ...model.types import Array

Side = Literal["climb", "conventional"]


class CuttingForce(NamedTuple):
    """Force and torque of the workpiece on the tip of the tool, in the frame of the cut."""

    feed: float
    """Along the feed [N]; negative: against it."""
    across: float
    """Along ``z x feed`` [N]."""
    axial: float
    """Along the tool's axis, out of the tool [N]; negative pushes the tool into its holder."""
    torque: float = 0.0
    """About the tool's axis [N m]; negative: against the cutter's turning."""


@dataclass(frozen=True)
class Milling:
    """A cut with a cylindrical cutter, and the cutting pressures of its material.

    Raises:
        InputError: if a number is not finite, a length not positive, or the cut wider than the
            cutter.
    """

    diameter: float
    """Of the cutter [m]."""
    teeth: int
    depth: float
    """Of the cut along the tool's axis [m]."""
    width: float
    """Of the cut across the feed [m]; the diameter for a slot."""
    feed_per_tooth: float
    """[m]."""
    pressure: tuple[float, float, float]
    """``Kt, Kr, Ka`` [N/m^2]: tangential, radial, axial (positive: out of the holder)."""
    edge: tuple[float, float, float] = (0.0, 0.0, 0.0)
    """``Kte, Kre, Kae`` [N/m]: force of a blunt edge per depth of cut."""
    side: Side = "climb"

    def __post_init__(self) -> None:
        """Check every number."""
        for field in fields(self):
            value = getattr(self, field.name)
            if field.name == "side":
                if not isinstance(value, str) or value not in ("climb", "conventional"):
                    raise InputError(f"a cut is climb or conventional, not {short_repr(value)}")
            elif field.name in ("pressure", "edge"):
                kept = finite(value, (3,), f"{field.name} of a cut (tangential, radial, axial)")
                object.__setattr__(self, field.name, tuple(kept.tolist()))
            elif field.name == "teeth":
                as_int(value, "the number of teeth of a cutter", 1)
            else:
                positive(value, f"{field.name} of a cut [m]")
        if self.width > self.diameter:
            raise InputError(
                f"a cut of {self.width:g} m is wider than its cutter of {self.diameter:g} m"
            )
        if self.diameter > 0.5 or self.feed_per_tooth > 0.05:
            raise InputError(
                f"lengths of a cut are in metres: a cutter of {self.diameter:g} m,"
                f" {self.feed_per_tooth:g} m per tooth?"
            )

    @property
    def engaged(self) -> tuple[float, float]:
        """Angles [rad] between which a tooth is in the material."""
        begin = math.asin(1.0 - 2.0 * self.width / self.diameter)
        return (begin, math.pi / 2) if self.side == "climb" else (-math.pi / 2, -begin)

    def mean(self) -> CuttingForce:
        """Return the force averaged over a turn of the cutter; no helix changes it.

        ``teeth / (2 pi)`` times the integral of a tooth's force over the angles at which it is
        engaged.
        """
        (p, q), f = self.engaged, self.feed_per_tooth
        kt, kr, ka = self.pressure
        et, er, ea = self.edge
        # integrals of cos^2, sin cos, cos, sin
        cc = (q - p) / 2.0 + (math.sin(2.0 * q) - math.sin(2.0 * p)) / 4.0
        sc = (math.sin(q) ** 2 - math.sin(p) ** 2) / 2.0
        c, s = math.sin(q) - math.sin(p), math.cos(p) - math.cos(q)
        scale = self.teeth * self.depth / math.tau
        return CuttingForce(
            feed=scale * (f * (kt * sc - kr * cc) + et * s - er * c),
            across=scale * (-f * (kt * cc + kr * sc) - et * c - er * s),
            axial=scale * (f * ka * c + ea * (q - p)),
            torque=-scale * (f * kt * c + et * (q - p)) * self.diameter / 2.0,
        )

    def over_a_turn(self, angle: ArrayLike) -> Array:
        """Return forces and torque of a cutter without helix with one tooth at ``angle`` [rad].

        Feed, across and axial force [N] and torque [N m], shape ``(..., 4)``.
        """
        turned = finite(angle, None, "angle [rad]")[..., None] + math.tau / self.teeth * np.arange(
            self.teeth
        )
        psi = np.mod(turned + math.pi, math.tau) - math.pi
        low, high = self.engaged
        inside = (psi >= low) & (psi <= high)
        h, c, s = self.feed_per_tooth * np.cos(psi), np.cos(psi), np.sin(psi)
        t, r, a = (
            self.depth * np.where(inside, k * h + e, 0.0)
            for k, e in zip(self.pressure, self.edge, strict=True)
        )
        parts = [t * s - r * c, -t * c - r * s, a, -t * self.diameter / 2.0]
        return np.stack([part.sum(axis=-1) for part in parts], axis=-1)
