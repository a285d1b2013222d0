"""Torque equations with candidate terms of the friction of each drive beside their parameters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from functools import cached_property
from itertools import groupby
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.axis_springs import torque
from ...model.presliding import DahlState
from ...model.types import Array
from ...robot.torque_regressor import first_of_friction
from ...trajectory import Motion
from .torque_equations import TorqueEquations

# [rad/s, m/s]; S000 Tab. 5 has 0.003 to 0.018 rad/s, a factor of 1.4 lies between two
STRIBECK_SPEEDS = np.geomspace(1e-3, 0.3, 17)
# [rad/s, m/s]; the slowest softens a sign that a filtered speed has late, the fastest is nearly
# viscous; a factor of 1.7 lies between two, for the torque hardly depends on it
DEGRESSIVE_SPEEDS = np.geomspace(5e-3, 3.0, 13)
WARMTH = "per_K"
"""Kind of a change of viscous friction with temperature, to first order.

Its scale is the speed at which this friction has half its level; without one it is linear in speed.
"""
# [rad, m]; gears of measured arms have 1e-4 to 1e-3 rad. Twice the best distance gains nearly as
# much: a factor of 1.9 lies between two
PRESLIDING_DISTANCES = np.geomspace(3e-5, 5e-3, 9)
# exponents below it give 0: rounding of a column that slow samples fill up to 1
LEAST = -40.0


class Candidate(NamedTuple):
    """A further term of the friction law of one drive."""

    kind: str
    """Of :data:`irbmodels.model.friction.KINDS`, :data:`WARMTH`, or presliding."""
    scale: float = np.nan
    """``v_St`` or ``v_d`` [rad/s, m/s], or ``x_p`` [rad, m], where the kind has one."""


def candidates(
    believed: float, warm: bool = False, speed_known: bool = False
) -> tuple[Candidate, ...]:
    """Return the candidates of one drive.

    Args:
        believed: Speed of the last of Fs - Fc, which somebody believes in.
        warm: True for those of temperature.
        speed_known: True for Fs - Fc at that speed alone.
    """
    speeds = () if speed_known else STRIBECK_SPEEDS
    by_temperature = (
        Candidate(WARMTH),
        *(Candidate(WARMTH, float(speed)) for speed in DEGRESSIVE_SPEEDS),
    )
    return (
        *(Candidate("Fs-Fc", float(speed)) for speed in speeds),
        Candidate("Fs-Fc", believed),
        *(Candidate("Fd", float(speed)) for speed in DEGRESSIVE_SPEEDS),
        *(Candidate("presliding", float(distance)) for distance in PRESLIDING_DISTANCES),
        Candidate("dFc"),
        Candidate("dFv"),
        Candidate("mu"),
        *(by_temperature if warm else ()),
    )


@dataclass(frozen=True, eq=False)
class FrictionCandidates:
    """Torque equations with columns of every candidate term of each drive."""

    rows: TorqueEquations
    """With Fv and Fc of each moving axis among the base parameters, and no other friction."""
    believed: Array
    """Stribeck speed of each drive that somebody believes in [rad/s, m/s], shape ``(size,)``."""
    beta: Array
    """Base parameters whose static torques are the loads of the drives, shape ``(p,)``."""
    middle: Array | None = None
    """Temperature [deg C] that those of each drive lie around, shape ``(size,)``.

    NaN of drives whose friction is taken as that of one temperature; default all.
    """
    speeds_known: bool = False
    """True if these speeds are known better than the row of them is dense: none other is tried."""

    @cached_property
    def terms(self) -> tuple[tuple[Candidate, ...], ...]:
        """Candidates per drive of a moving axis, in the order of their columns."""
        speeds = self.believed.tolist()
        warm = np.isfinite(self._middle).tolist()
        return tuple(candidates(*one, self.speeds_known) for one in zip(speeds, warm, strict=True))

    @property
    def _middle(self) -> Array:
        return np.full(self.rows.size, np.nan) if self.middle is None else self.middle

    @cached_property
    def drives(self) -> Array:
        """Turns of the drives of moving axes per turn of these, shape ``(size, size)``."""
        axes = np.array(self.rows.base.axes)
        return np.asarray(self.rows.robot.dynamic_model.drive_axes[np.ix_(axes, axes)])

    def of_drive(self, i: int) -> NDArray[np.intp]:
        """Columns of the candidates of one drive."""
        before = sum(len(terms) for terms in self.terms[:i])
        return self.rows.base.rank + before + np.arange(len(self.terms[i]))

    @property
    def width(self) -> int:
        """Number of base parameters and candidates together."""
        return int(self.of_drive(self.rows.size - 1)[-1]) + 1

    @cached_property
    def columns(self) -> tuple[NDArray[np.intp], ...]:
        """Columns that each equation has: base parameters, and candidates of drives it turns."""
        first = np.arange(self.rows.base.rank)
        return tuple(
            np.concatenate([first, *(self.of_drive(m) for m in np.flatnonzero(turned).tolist())])
            for turned in self.drives.T
        )

    def __call__(self, pieces: Iterable[Motion]) -> Iterable[tuple[list[Array], Array]]:
        """Yield per equation the columns it has, ``(N, L)``, and ``y`` ``(N, size)``."""
        axes, law = list(self.rows.base.axes), self.rows.robot.friction_model
        assert law is not None
        for piece in pieces:
            dahl = DahlState(np.repeat(PRESLIDING_DISTANCES[:, None], len(axes), axis=1))
            for Y, y, (q, v, temperature) in self.rows.with_states([piece]):
                w, x = v[:, axes] @ self.drives.T, q[:, axes] @ self.drives.T
                states = zip(
                    w.T,
                    (law.viscous_factor(temperature)[:, axes] * w).T,
                    self._load(q).T,
                    (temperature[:, axes] - self._middle).T,
                    (dahl(x, w) - np.sign(w)[:, None]).T,
                    strict=True,
                )
                of_drives = [self._columns(i, *of_drive) for i, of_drive in enumerate(states)]
                yield (
                    [
                        np.hstack(
                            [Y[:, i], *(turned[m] * of_drives[m] for m in np.flatnonzero(turned))]
                        )
                        for i, turned in enumerate(self.drives.T)
                    ],
                    y,
                )

    def _load(self, q: Array) -> Array:
        """Static torques at the drives, ``(N, size)``."""
        held = self.rows.regressor.bodies.at_rest(q) @ self._weight
        return np.asarray((held + torque(self.rows.robot.springs, q)) @ self._drives_load)

    @cached_property
    def _weight(self) -> Array:
        """Parameters of bodies and rotors, of which ``beta`` are the sums, ``(p,)``."""
        base, first = self.rows.base, first_of_friction(self.rows.robot)
        result = np.zeros(first)
        bodies = [column for column in base.columns if column < first]
        result[bodies] = self.beta[: len(bodies)]
        return result

    @cached_property
    def _drives_load(self) -> Array:
        """Torques of moving axes in those of their drives: row vectors, ``(n, size)``."""
        axes = np.eye(self.rows.robot.n)[:, list(self.rows.base.axes)]
        return np.asarray(axes @ np.linalg.inv(self.drives))

    def _columns(
        self, i: int, w: Array, viscous: Array, load: Array, warmer: Array, late: Array
    ) -> Array:
        """Torques of the candidates of one drive, each with a coefficient of 1, ``(N, terms)``.

        Args:
            i: The drive.
            w: Its speeds, shape ``(N,)``.
            viscous: The same times what viscous friction changes by with temperature.
            load: Its static torques.
            warmer: Its temperatures, from their middle.
            late: Dahl's states less directions of sliding, shape ``(distances, N)``.
        """
        terms, sign, size = self.terms[i], np.sign(w), np.abs(w)
        speeds = np.array([term.scale for term in terms])
        result = np.empty((w.size, len(terms)))
        first = 0
        for kind, group in groupby(term.kind for term in terms):
            own = slice(first, first + len(list(group)))
            first = own.stop
            if kind == "Fs-Fc":
                exponents = -np.square(w)[:, None] / np.square(speeds[own])
                # most exponentials are 0, and those that underflow take ten times as long
                falling = np.exp(exponents, out=np.zeros_like(exponents), where=exponents > LEAST)
                result[:, own] = falling * sign[:, None]
            elif kind == "Fd":
                result[:, own] = viscous[:, None] / (speeds[own] + size[:, None])
            elif kind == WARMTH:
                slowing = np.where(np.isnan(speeds[own]), 1.0, speeds[own] + size[:, None])
                result[:, own] = (warmer * viscous)[:, None] / slowing
            elif kind == "presliding":
                result[:, own] = late.T
            else:
                column: dict[str, Callable[[], Array]] = {
                    "dFc": lambda: np.abs(sign),
                    "dFv": lambda: np.abs(viscous),
                    "mu": lambda: np.abs(load) * sign,
                }
                result[:, own.start] = column[kind]()
        return result
