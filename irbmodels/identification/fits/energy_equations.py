"""Energy equations: work of the drives equals gain of energy plus loss by friction.

``integral of v' tau dt = E(t1) - E(t0) + integral of v' F(v) dt``, linear in the same base
parameters as the torques [Gautier & Khalil 1988; Gautier 1997]. No acceleration is needed, and of
the torques no more than their integral. All axes share one equation per window, so a parameter is
determined less well than by the torques of each axis.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from ...dynamics.equations_of_motion import friction_columns
from ...errors import InputError
from ...model.types import Array, Mask
from ...trajectory import Motion
from .accumulator import Blocks
from .torque_equations import BaseParameterEquations, TorqueEquations, blocks

# [rad, m] of path in a window: 100 N m do 0.01 J there, as much as the noise of 1 N m at 250 Hz
# does in ten samples at 1 rad/s
STILL = 1e-4


@dataclass(frozen=True, eq=False)
class EnergyEquations(BaseParameterEquations):
    """One equation per window of samples; windows share their end samples.

    Samples at the end of a log that fill no window are not used. A torque of NaN is masked: windows
    that have one of an axis that moves there are left out, since its work is unknown; an axis at
    rest does none.
    """

    window: int
    """Steps of time in one window: short against the motion, long against the noise of the torque.

    Even (Simpson's rule).
    """
    noise: Array | None = None
    """Standard deviation of the torques [N m, N], ``(n,)``, to scale equations to unit noise."""

    def __post_init__(self) -> None:
        """Check the window.

        Raises:
            InputError: if it is not even and positive, or robot and base parameters do not go
                together.
        """
        super().__post_init__()
        if not isinstance(self.window, int) or self.window < 2 or self.window % 2:
            raise InputError(f"a window is an even number of steps, got {self.window!r}")

    @property
    def size(self) -> int:
        """One equation."""
        return 1

    @cached_property
    def _known(self) -> Array:
        return TorqueEquations(self.robot, self.base).known

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(windows, 1, rank)``, work ``(windows, 1)`` [J], however a log is cut."""
        axes, length = list(self.base.axes), 64 * self.window
        held: list[Array] | None = None
        for piece in pieces:
            for t, (q, v, tau) in zip(
                _times(piece, length),
                blocks(piece, self.robot, "v", "tau", length=length, masked=True),
                strict=True,
            ):
                new = [t, q, v, tau]
                held = (
                    new
                    if held is None
                    else [np.concatenate(pair) for pair in zip(held, new, strict=True)]
                )
                count = (len(held[0]) - 1) // self.window
                if count > 0:
                    yield self._windows([array[: count * self.window + 1] for array in held], axes)
                    held = [array[count * self.window :] for array in held]

    def _windows(self, arrays: list[Array], axes: list[int]) -> tuple[Array, Array]:
        """Equations of whole windows.

        A window in which nothing moves says nothing, and is left out.
        """
        t, q, v, tau = arrays
        power = np.where(np.isnan(tau), 0.0, v * tau)[:, axes]
        ends = range(0, len(t), self.window)
        energy = np.array([np.sum(self.robot.energy_regressor(q[k], v[k]), axis=0) for k in ends])
        rows = np.diff(energy, axis=0)
        if self.robot.friction_model is not None:
            own = friction_columns(self.robot.dynamic_model)
            rubbing = self.robot.regressor(q, v, np.zeros_like(v))[:, axes, own]
            rows[:, own] += self._integral(np.einsum("ni,nij->nj", v[:, axes], rubbing), t)
        work = self._integral(power.sum(axis=1), t) - rows @ self._known
        Y = rows[:, list(self.base.columns)]
        moved = self._integral(np.square(v[:, axes]).sum(axis=1), t) > 0.0
        moved &= ~self._unknown(v[:, axes], np.isnan(tau[:, axes]), t)
        Y, work = Y[moved], work[moved]
        if self.noise is not None:
            steps = np.diff(t).reshape(-1, self.window).mean(axis=1)
            spread = np.sqrt(
                steps * self._integral(np.square(v[:, axes]) @ np.square(self.noise[axes]), t)
            )[moved]
            Y, work = Y / spread[:, None], work / spread
        return Y[:, None], work[:, None]

    def _unknown(self, v: Array, masked: Mask, t: Array) -> Mask:
        """Return windows in which the torque of an axis is masked that moves, ``(windows,)``."""
        index = self._index(t)
        path = np.sum(np.abs(v[index[:, :-1]]) * np.diff(t[index], axis=1)[..., None], axis=1)
        return np.asarray((masked[index].any(axis=1) & (path > STILL)).any(axis=1), dtype=bool)

    def _index(self, t: Array) -> NDArray[np.intp]:
        """Return the samples of each window, ``(windows, window + 1)``."""
        starts = np.arange(0, len(t) - 1, self.window)[:, None]
        return starts + np.arange(self.window + 1)

    def _integral(self, values: Array, t: Array) -> Array:
        """Integrals over each window of samples ``(N, ...)``."""
        from scipy.integrate import simpson

        index = self._index(t)
        x = t[index].reshape(*index.shape, *(1,) * (values.ndim - 1)) + np.zeros(values.shape[1:])
        return np.asarray(simpson(values[index], x=x, axis=1), dtype=float)


def _times(piece: Motion, length: int) -> Iterable[Array]:
    t = np.asarray(piece.t, dtype=float)
    if not (np.diff(t) > 0.0).all():
        raise InputError("times must grow")
    return (t[start : start + length] for start in range(0, len(piece.q), length))
