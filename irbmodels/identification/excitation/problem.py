"""One family of motions of one robot: its samples, its criterion and its limits, as functions of the parameters."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from ...errors import InputError
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...trajectory.fourier import Maps
from .bounds import Cuts, Limiting
from .parametrizations import Family
from .regressor import BaseRegressor, Slope, criterion_of

PER_WAVE = 20  # samples of the search per wave; ten times as many are verified
FINER = 10
SCAN = 12  # steps in which the first limit on the way is looked for
CLOSE = 1e-6  # of the scale that a first limit is told to
ROUNDING = 1e-9  # of a share
SCALES = (1.0, 0.98, 0.95, 0.9, 0.8, 0.65, 0.5, 0.35, 0.2, 0.1)  # of what may still touch


@dataclass(eq=False)
class Task:
    """One family of motions of one robot under its limits."""

    family: Family
    base: BaseParameters
    """What is to be told; its axes move."""
    regressor: BaseRegressor
    limiting: Limiting
    posture: Array
    """Where motions are drawn about, and where the other axes stand [rad, m], ``(n,)``."""

    def __post_init__(self) -> None:
        """Lay out the samples, and check the posture.

        Raises:
            InputError: if the posture itself does not keep the limits.
        """
        count = PER_WAVE * self.family.waves
        self.rate = FINER * count / self.family.duration
        """Of the verified samples [Hz]."""
        self.coarse: Maps = self.family.maps(
            (np.arange(count) + 0.5) * (self.family.duration / count)
        )
        self.times: Array = np.arange(FINER * count + 1) / self.rate
        self.times[-1] = self.family.duration
        self.fine: Maps = self.family.maps(self.times)
        self.centre = self.family.still(self.posture)
        rest = (
            self.posture[None],
            np.zeros((1, self.posture.size)),
            np.zeros((1, self.posture.size)),
        )
        kept = {
            kind: float(np.nan_to_num(shares, nan=np.inf).max())
            for kind, shares in self.limiting.worst(*rest).items()
        }
        worst = max(kept, key=lambda kind: kept[kind])
        told = "give another posture to move about, inside all limits"
        if kept[worst] >= self.limiting.bounds.share:
            raise InputError(
                f"standing at {self.posture.round(4).tolist()} already takes {kept[worst]:.0%} of a"
                f" {worst} limit; {told}"
            )
        if not self.limiting.free(self.posture[None]):
            raise InputError(
                f"at {self.posture.round(4).tolist()} the robot touches itself; {told}"
            )

    # --- motions
    # ---------------------------------------------------------------------------------------------------

    def states(self, x: Array, maps: Maps) -> tuple[Array, Array, Array]:
        """Return the states ``(N, n)`` of parameters ``(size, n)``."""
        return maps.q @ x, maps.v @ x, maps.a @ x

    def drawn(self, rng: np.random.Generator) -> Array:
        """Return a random direction: parameters N(0, 1) of the axes that move, 0 of the others."""
        x = np.zeros_like(self.centre)
        x[:, list(self.base.axes)] = self.family.drawn(rng, len(self.base.axes))
        return x

    def start(self, rng: np.random.Generator) -> Array:
        """Return a random motion up to the first limit, in which each axis has its fair share of range and speed."""
        direction = self.drawn(rng)
        far = np.zeros(self.posture.size)
        for _, change in self._straight(direction, self.coarse):
            far = np.maximum(far, np.abs(change).max(axis=0))
        return self.scaled(direction / np.where(far > 0.0, far, 1.0), self.coarse)

    def _straight(self, direction: Array, maps: Maps) -> list[tuple[Array, Array]]:
        """Shares that are linear in the parameters: of the posture ``(1, n)``, and what a direction adds ``(N, n)``."""
        q, v, a = self.states(self.centre + direction, maps)
        still = self.limiting.shares(self.posture[None], 0.0 * v[:1], 0.0 * a[:1], slopes=False)
        moved = self.limiting.shares(q, v, a, slopes=False)
        pairs = zip(still, moved, strict=True)
        return [
            (one.values, two.values - one.values)
            for one, two in pairs
            if two.kind in ("range", "speed", "acceleration")
        ]

    def scaled(self, direction: Array, maps: Maps, most: float = np.inf) -> Array:
        """Return the motion in a direction from the posture that just reaches the first limit, or ``most`` of the direction.

        Raises:
            InputError: if nothing bounds the motion.
        """
        allowed = self.limiting.bounds.share
        for still, change in self._straight(direction, maps):
            with np.errstate(divide="ignore"):
                most = min(
                    most, float(((allowed - np.sign(change) * still) / np.abs(change)).min())
                )
        if not np.isfinite(most):
            raise InputError(
                f"no limit of {self.limiting.robot.name} bounds this motion; it needs ranges or"
                " speed limits"
            )

        low = 0.0
        for high in np.linspace(0.0, most, SCAN + 1)[1:].tolist():
            if not self._fits(direction, high, maps):
                while high - low > CLOSE * most:
                    middle = 0.5 * (low + high)
                    low, high = (
                        (middle, high) if self._fits(direction, middle, maps) else (low, middle)
                    )
                break
            low = high
        return np.asarray(self.centre + low * direction)

    def _fits(self, direction: Array, scale: float, maps: Maps) -> bool:
        worst = self.limiting.worst(*self.states(self.centre + scale * direction, maps))
        return (
            max(float(shares.max()) for shares in worst.values())
            <= self.limiting.bounds.share + ROUNDING
        )

    # --- search
    # ----------------------------------------------------------------------------------------------------

    def value(self, x: Array, criterion: str) -> float:
        """What is made small, over the verified samples."""
        return criterion_of(criterion).exact(self.regressor.stacked(*self.states(x, self.fine)))

    def objective(self, x: Array, smooth: Callable[[Array], Slope]) -> tuple[float, Array]:
        """Return what a search makes small, and its derivatives by the parameters, ``(size, n)``."""
        states = self.states(x, self.coarse)
        found = smooth(self.regressor.stacked(*states))
        back = self.regressor.backwards(*states, found.gradient)
        pulled = [rows.T @ by for rows, by in zip(self.coarse[:3], back, strict=True)]
        return found.value, np.asarray(sum(pulled))

    def room(self, x: Array, cuts: Sequence[Cuts] = ()) -> Array:
        """Return what is left of every limit, and beyond every cut.

        Negative where one is missed.
        """
        shares = self.limiting.shares(*self.states(x, self.coarse), slopes=False)
        beyond = [
            (self.family.maps(cut.times).q @ x * cut.normals).sum(axis=1) + cut.offsets
            for cut in cuts
        ]
        return np.concatenate(
            [*(self.limiting.bounds.share - one.largest()[0] for one in shares), *beyond]
        )

    def room_slope(self, x: Array, cuts: Sequence[Cuts] = ()) -> Array:
        """Return the derivatives of :meth:`room` by the parameters, shape ``(K, size, n)``."""
        shares = self.limiting.shares(*self.states(x, self.coarse))
        found = [-one.pulled(one.largest()[1], self.coarse[:3]) for one in shares]
        return np.concatenate(
            [
                *found,
                *(
                    self.family.maps(cut.times).q[:, :, None] * cut.normals[:, None, :]
                    for cut in cuts
                ),
            ]
        )

    def kept(self, x: Array) -> Array | None:
        """Return a motion nearer to the posture that keeps all limits in the verified samples.

        None where all of them touch.
        """
        inside = self.scaled(x - self.centre, self.fine, most=1.0)
        direction = inside - self.centre
        for scale in SCALES:
            nearer = self.centre + scale * direction
            if self._fits(direction, scale, self.fine) and self.limiting.free(self.fine.q @ nearer):
                return np.asarray(nearer)
        return None
