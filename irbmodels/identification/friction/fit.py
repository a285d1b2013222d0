"""Stribeck friction of one axis with its uncertainty, and its figure (S000 Fig. 9)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import positive
from ...errors import InputError
from ...model.friction import Stribeck
from ...model.types import Array
from ..figures import BLUE, GREEN, ORANGE, label, new_figure
from ..recordings.recording import Finding
from .levels import FrictionPoints

if TYPE_CHECKING:
    from matplotlib.figure import Figure

NAMES = ("Fs", "Fc", "Fv", "v_St")
_TABLE = (("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s"), ("Fs_N", "Fc_N", "Fv_N_s_m", "v_St_m_s"))
UNITS = (("N m", "N m", "N m s/rad", "rad/s"), ("N", "N", "N s/m", "m/s"))
_FIGURE_9 = 0.15  # [rad/s]: as far as S000 draws


@dataclass(frozen=True, eq=False)
class FrictionFit:
    """Stribeck friction of one axis with its uncertainty."""

    points: FrictionPoints
    values: Array
    """Fs, Fc, Fv, v_St in SI units, shape ``(4,)``."""
    covariance: Array
    """Of the values, shape ``(4, 4)``; infinite where the data do not determine them."""
    scatter: float
    """Root mean square of residuals over their deviations.

    1 if the law and the noise are right, more if not.
    """
    findings: tuple[Finding, ...]
    """Parameters that the data do not identify, and samples that were left out."""

    @property
    def deviation(self) -> Array:
        """Standard deviations of Fs, Fc, Fv, v_St, shape ``(4,)``."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)), dtype=float)

    def intervals(self, level: float = 0.95) -> Array:
        """Confidence intervals of Fs, Fc, Fv, v_St, shape ``(4, 2)``.

        By Student's t, with the law linear about the estimate.
        """
        half = self._quantile(level) * self.deviation
        return np.stack([self.values - half, self.values + half], axis=1)

    def torque(self, v: ArrayLike) -> Array:
        """Friction at speeds [rad/s, m/s] of any sign, same shape."""
        speed = np.asarray(v, dtype=float)
        return np.asarray(
            self.law().torque(speed.reshape(-1, 1))[:, 0].reshape(speed.shape), dtype=float
        )

    def band(self, v: ArrayLike, level: float = 0.95) -> Array:
        """Half width of the confidence band of the friction at speeds [N m, N]."""
        J = law_jacobian(np.abs(np.asarray(v, dtype=float)), self.values)
        return np.asarray(
            self._quantile(level) * np.sqrt(np.einsum("...i,ij,...j->...", J, self.covariance, J)),
            dtype=float,
        )

    def law(self) -> Stribeck:
        """The law of this axis alone."""
        fastest = float(self.points.speed[-1])
        Fs, Fc, Fv, v_St = (np.array([value]) for value in self.values)
        return Stribeck(Fs, Fc, Fv, v_St, fastest)

    def figure(self, fastest: float | None = None) -> Figure:
        """Draw points, law and band over speed, as S000 Fig. 9, and below them the residuals.

        Points of both directions are shown less gravity, the median over the speeds of their mean,
        so that a drift or an asymmetry shows.

        Args:
            fastest: Largest speed that is drawn [rad/s, m/s]; default that of Fig. 9.

        Raises:
            InputError: if ``fastest`` is no positive finite number, or nothing is measured below
                it.
        """
        return _figure(self, fastest)

    def row(self) -> str:
        """Return the row of ``friction.yaml``, without its source; six digits."""
        names = _TABLE[self.points.linear]
        return ", ".join(
            f"{name}: {number_text(value)}"
            for name, value in zip(names, self.values.tolist(), strict=True)
        )

    def __str__(self) -> str:
        """Return the values with their intervals, and the findings."""
        rows = zip(NAMES, self.values, self.intervals(), UNITS[self.points.linear], strict=True)
        parts = [
            f"{name} {value:.5g} ({low:.5g} .. {high:.5g}) {unit}"
            for name, value, (low, high), unit in rows
        ]
        synthetic = ", synthetic" if self.points.synthetic else ""
        return "\n".join(
            [f"axis {self.points.axis}{synthetic}: {', '.join(parts)}", *map(str, self.findings)]
        )

    def _quantile(self, level: float) -> float:
        from scipy.special import stdtrit

        if not 0.0 < level < 1.0:
            raise InputError(f"a confidence level lies between 0 and 1, got {level!r}")
        return float(stdtrit(len(self.points.speed) - 4, 0.5 + 0.5 * level))


def law_jacobian(v: Array, values: Array) -> Array:
    """Derivatives of the law by Fs, Fc, Fv, v_St, shape ``(..., 4)``."""
    Fs, Fc, _, v_St = values
    square = np.square(v / v_St)
    bump = np.exp(-square)
    return np.stack([bump, 1.0 - bump, v, (Fs - Fc) * bump * 2.0 * square / v_St], axis=-1)


def number_text(value: float) -> str:
    """Return a number of six digits as YAML reads it, without an exponent."""
    return np.format_float_positional(float(f"{value:.6g}"), trim="-")


def _figure(fit: FrictionFit, fastest: float | None) -> Figure:
    """See :meth:`.FrictionFit.figure`."""
    points = fit.points
    torque, rate = ("N", "m/s") if points.linear else ("N m", "rad/s")
    fastest = _FIGURE_9 if fastest is None else positive(fastest, "fastest")
    end = min(fastest, 1.02 * float(points.speed[-1]))
    if not points.speed[0] < end:
        raise InputError(
            f"nothing is measured below {fastest:g} {rate}: the slowest speed is"
            f" {points.speed[0]:.4g}"
        )
    figure = new_figure(8.0, 6.0)
    panel, residuals = figure.subplots(2, 1, height_ratios=[3, 1])
    v = np.unique([np.geomspace(1e-3 * end, end, 400), np.linspace(1e-3 * end, end, 400)])
    inside = points.speed <= end
    speed, gravity = points.speed[inside], float(np.median(points.gravity))
    band = {"color": ORANGE, "alpha": 0.25, "lw": 0.0}
    dots = {"fmt": "o", "ms": 3.5, "lw": 0.8}
    for sign, measured, color, name in (
        (1.0, points.forward, BLUE, "forwards"),
        (-1.0, points.backward, GREEN, "backwards"),
    ):
        law, half = fit.torque(sign * v), fit.band(v)
        labels = ("law (eq. 54)", "95 % of the law") if sign > 0.0 else (None, None)
        panel.plot(sign * v, law, color=ORANGE, lw=1.6, label=labels[0], zorder=3)
        panel.fill_between(sign * v, law - half, law + half, label=labels[1], **band)
        panel.errorbar(
            sign * speed,
            measured[inside] - gravity,
            2.0 * points.deviation[inside],
            color=color,
            label=f"{name}, less gravity",
            zorder=4,
            **dots,
        )
    panel.axhline(0.0, color="0.6", lw=0.6)
    panel.axvline(0.0, color="0.6", lw=0.6)
    label(panel, f"speed [{rate}]", f"friction [{torque}]", xlim=(-1.03 * end, 1.03 * end))
    panel.legend(frameon=False, loc="lower right", fontsize="small")
    synthetic = ", synthetic" if points.synthetic else ""
    panel.set_title(f"axis {points.axis}{synthetic}\n{_title(fit)}", fontsize="small")
    off, half = points.friction - fit.torque(points.speed), fit.band(points.speed)
    residuals.errorbar(points.speed, off, 2.0 * points.deviation, color=BLUE, **dots)
    residuals.fill_between(points.speed, -half, half, **band)
    residuals.axhline(0.0, color=ORANGE, lw=1.0)
    label(residuals, f"speed [{rate}]", f"off the law [{torque}]", xscale="log")
    return figure


def _title(fit: FrictionFit) -> str:
    half = fit.intervals()[:, 1] - fit.values
    rows = zip(
        ("$F_s$", "$F_c$", "$F_v$", "$v_{St}$"),
        fit.values,
        half,
        UNITS[fit.points.linear],
        strict=True,
    )
    return ", ".join(f"{name} {value:.4g} ± {h:.1g} {unit}" for name, value, h, unit in rows)
