"""Stribeck's four numbers of an axis from friction at speeds (S000 eq. 54, Tab. 5), their uncertainty, and the figure of both.

``F(v) = Fc + (Fs - Fc) exp(-(v / v_St)^2) + Fv v`` for ``v > 0``. At each ``v_St`` the law is
linear in the other three.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, positive
from ...errors import InputError
from ...model.friction import Stribeck
from ...model.types import Array
from ..recordings.recording import Finding
from .levels import FrictionPoints

if TYPE_CHECKING:
    from matplotlib.figure import Figure


NAMES = ("Fs", "Fc", "Fv", "v_St")
_TABLE = (("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s"), ("Fs_N", "Fc_N", "Fv_N_s_m", "v_St_m_s"))
_UNITS = (("N m", "N m", "N m s/rad", "rad/s"), ("N", "N", "N s/m", "m/s"))
_EXACT = 1e-9  # of the largest friction: deviations below it are rounding, and weigh no more
_STEPS = 60  # values of v_St that are tried first
_DROP = 11.83  # by how much chi^2 must fall for two parameters more: three standard deviations
_UNSURE = 0.5  # of its value: a parameter with a wider deviation is not told by the data
_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe-Ito
_FIGURE_9 = 0.15  # [rad/s]: as far as S000 draws


@dataclass(frozen=True, eq=False)
class FrictionFit:
    """Stribeck friction of one axis with its uncertainty."""

    points: FrictionPoints
    values: Array
    """Fs, Fc, Fv, v_St in SI units, shape ``(4,)``."""
    covariance: Array
    """Of the values, shape ``(4, 4)``; infinite where the data say nothing."""
    scatter: float
    """Root of the mean square of residuals over their deviations: 1 if the law and the noise are right, more if not."""
    findings: tuple[Finding, ...]
    """What the data do not tell."""

    @property
    def deviation(self) -> Array:
        """Standard deviations of Fs, Fc, Fv, v_St, shape ``(4,)``."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)), dtype=float)

    def intervals(self, level: float = 0.95) -> Array:
        """Confidence intervals of Fs, Fc, Fv, v_St, shape ``(4, 2)`` (Student's t.

        The law as linear about the estimate).
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
        J = _jacobian(np.abs(np.asarray(v, dtype=float)), self.values)
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
        """Draw the points of both directions, the law and its band over speed, as S000 Fig. 9, and below them the residuals.

        Gravity is the median over the speeds of what both ways have in common, so that a drift or
        an asymmetry shows.

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
            f"{name}: {_plain(value)}"
            for name, value in zip(names, self.values.tolist(), strict=True)
        )

    def __str__(self) -> str:
        """Say the values with their deviations, and what is not told."""
        shown = zip(NAMES, self.values, self.intervals(), _UNITS[self.points.linear], strict=True)
        parts = [
            f"{name} {value:.5g} ({low:.5g} .. {high:.5g}) {unit}"
            for name, value, (low, high), unit in shown
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


def fit_friction(points: FrictionPoints) -> FrictionFit:
    """Fit the law to the points, each weighted by its deviation, within ``Fs >= Fc >= 0``, ``Fv >= 0``, ``v_St > 0``.

    Where the points scatter more than their deviations say, these are widened in proportion; they
    are never narrowed. If no drop from Fs to Fc stands out of the noise, only Fc and Fv are fitted:
    Fs is given as Fc, v_St as the slowest speed, both with infinite deviations.

    Raises:
        InputError: if there are fewer than five points, or fewer than five speeds.
    """
    from scipy.optimize import least_squares

    as_instance(
        points, FrictionPoints, "a law is fitted to FrictionPoints, as friction_points returns them"
    )
    v, friction = points.speed, points.friction
    if len(v) < 5 or len(np.unique(np.round(np.log(v), 3))) < 5:
        raise InputError(
            f"four parameters need five speeds or more, axis {points.axis} has"
            f" {len(np.unique(np.round(np.log(v), 3)))}"
        )
    deviation = np.maximum(points.deviation, _EXACT * float(np.abs(friction).max()))
    start = _start(v, friction, deviation)

    def residual(x: Array) -> Array:
        return (_law(v, _values(x)) - friction) / deviation

    def jacobian(x: Array) -> Array:
        values = _values(x)
        J = _jacobian(v, values) / deviation[:, None]
        return np.column_stack([J[:, 0], J[:, 0] + J[:, 1], J[:, 2], J[:, 3] * values[3]])

    lower = np.array([0.0, 0.0, 0.0, np.log(0.1 * v[0])])
    upper = np.array([np.inf, np.inf, np.inf, np.log(10.0 * v[-1])])
    scale = np.maximum(np.abs(start), [1e-3 * np.abs(friction).max()] * 2 + [1e-3, 1.0])
    found = least_squares(
        residual,
        np.clip(start, lower, upper),
        jacobian,
        (lower, upper),
        xtol=1e-15,
        ftol=1e-15,
        gtol=1e-15,
        x_scale=scale,
        max_nfev=2000,
    )
    values = _values(found.x)
    rest = float(np.sqrt(np.square(residual(found.x)).sum() / (len(v) - 4)))
    J = _jacobian(v, values) / deviation[:, None]
    straight, worse = _without_drop(v, friction, deviation)
    if worse - np.square(residual(found.x)).sum() < _DROP * max(rest, 1.0) ** 2:
        rest = float(np.sqrt(worse / (len(v) - 2)))
        values = np.array([straight[0], straight[0], straight[1], v[0]])
        J = _jacobian(v, values) / deviation[:, None]
        J = np.column_stack([0.0 * J[:, 0], J[:, 0] + J[:, 1], J[:, 2], 0.0 * J[:, 3]])
    covariance = _covariance(J) * max(rest, 1.0) ** 2
    told = (*points.findings, *_untold(points, values, covariance, rest))
    return FrictionFit(points, values, covariance, rest, told)


def friction_table(
    fits: Sequence[FrictionFit], name: str, ref: str, how: str, axes: Sequence[str] | None = None
) -> str:
    """Return the text of a ``friction.yaml``, grade identified, with the fits of all axes.

    Args:
        fits: One per axis of the robot, in any order.
        name: Of the set and its source.
        ref: What was measured: robot, serial number, date, file.
        how: How, conditions included.
        axes: Names of the axes; default ``axis_1 ..``.

    Raises:
        InputError: if an axis is there twice or lacks, a fit does not tell all its values, or is of
            a synthetic recording: that is not identified.
    """
    ordered = sorted(fits, key=lambda fit: fit.points.axis)
    if [fit.points.axis for fit in ordered] != list(range(1, len(ordered) + 1)) or not ordered:
        raise InputError(
            f"a table needs every axis once, got axes {[fit.points.axis for fit in ordered]}"
        )
    if any(fit.points.synthetic for fit in ordered):
        raise InputError(
            "these points come from a synthetic recording: nothing of a robot is identified by them"
        )
    names = [f"axis_{i + 1}" for i in range(len(ordered))] if axes is None else list(axes)
    for fit in ordered:
        if not np.isfinite(fit.deviation).all():
            raise InputError(
                f"axis {fit.points.axis}: Fs and v_St are not told by its points, and a table needs"
                f" them; {fit.findings[-1]}"
            )
    fastest = min(float(fit.points.speed[-1]) for fit in ordered)
    lines = [
        (
            "# Stribeck friction per axis, arm side (S000 eq. 54): (Fc + (Fs - Fc)"
            " exp(-(v/v_St)^2)) sgn(v) + Fv v."
        ),
        f"default: {name}",
        "sources:",
        f"  {name}:",
        f"    ref: {_quoted(ref)}",
        "    grade: identified",
        f"    how: {_quoted(how)}",
        "sets:",
        f"  {name}:",
        f"    measured_to_rad_s: {_plain(fastest)}",
        "    axes:",
    ]
    lines += [
        f"      {axis}: {{{fit.row()}, source: {name}}}"
        for axis, fit in zip(names, ordered, strict=True)
    ]
    return "\n".join(lines) + "\n"


def _law(v: Array, values: Array) -> Array:
    Fs, Fc, Fv, v_St = values
    result: Array = Fc + (Fs - Fc) * np.exp(-np.square(v / v_St)) + Fv * v
    return result


def _values(x: Array) -> Array:
    """Fs, Fc, Fv, v_St of the unknowns ``Fs - Fc, Fc, Fv, log v_St``."""
    drop, Fc, Fv, log_speed = x
    return np.array([Fc + drop, Fc, Fv, np.exp(log_speed)])


def _jacobian(v: Array, values: Array) -> Array:
    """Derivatives of the law by Fs, Fc, Fv, v_St, shape ``(..., 4)``."""
    Fs, Fc, _, v_St = values
    square = np.square(v / v_St)
    bump = np.exp(-square)
    return np.stack([bump, 1.0 - bump, v, (Fs - Fc) * bump * 2.0 * square / v_St], axis=-1)


def _start(v: Array, friction: Array, deviation: Array) -> Array:
    """Best of many ``v_St``, each with its linear fit."""
    from scipy.optimize import nnls

    best, cost = np.zeros(4), np.inf
    for v_St in np.geomspace(v[0], v[-1], _STEPS):
        Y = np.column_stack([np.exp(-np.square(v / v_St)), np.ones_like(v), v]) / deviation[:, None]
        x, rest = nnls(Y, friction / deviation)
        if rest < cost:
            best, cost = np.append(x, np.log(v_St)), rest
    return best


def _without_drop(v: Array, friction: Array, deviation: Array) -> tuple[Array, float]:
    """Fc and Fv of the law without its drop, and the sum of squares that it leaves."""
    from scipy.optimize import nnls

    x, rest = nnls(np.column_stack([np.ones_like(v), v]) / deviation[:, None], friction / deviation)
    return np.asarray(x, dtype=float), float(rest) ** 2


def _covariance(J: Array) -> Array:
    """Inverse of ``J' J``; infinite variances where the data say nothing."""
    size = np.linalg.norm(J, axis=0)
    dead = size == 0.0
    scaled = J / np.where(dead, 1.0, size)
    _, values, right = np.linalg.svd(scaled, full_matrices=False)
    weak = values < 1e-10 * values[0]
    spread = (right.T[:, ~weak] / values[~weak]) @ (right.T[:, ~weak] / values[~weak]).T
    result = spread / np.outer(np.where(dead, 1.0, size), np.where(dead, 1.0, size))
    lost = dead | (np.abs(right[weak]) > 1e-6).any(axis=0)
    result[lost, :] = result[:, lost] = 0.0
    result[lost, lost] = np.inf
    return np.asarray(result, dtype=float)


def _untold(points: FrictionPoints, values: Array, covariance: Array, rest: float) -> list[Finding]:
    """What the data do not tell, in words."""
    v_St = float(values[3])
    deviation, found = np.sqrt(np.diagonal(covariance)), []
    slowest, fastest = float(points.speed[0]), float(points.speed[-1])
    if np.isinf(deviation[3]):
        found.append(
            Finding(
                "no drop of friction from Fs to Fc stands out of the noise",
                "v_St means nothing then; measure slower speeds",
            )
        )
    elif slowest > v_St:
        found.append(
            Finding(
                f"no speed is below v_St = {v_St:.3g}",
                f"Fs is extrapolated; measure speeds down to {0.3 * v_St:.2g}",
            )
        )
    if fastest < 3.0 * v_St:
        found.append(
            Finding(
                f"no speed is above 3 v_St = {3.0 * v_St:.3g}",
                "Fc and Fv are not told apart; measure faster speeds",
            )
        )
    for name, value, wide in zip(NAMES, values, deviation, strict=True):
        if not wide <= _UNSURE * max(value, 1e-300):
            found.append(
                Finding(f"{name} is not told by the data: its standard deviation is {wide:.3g}")
            )
    if rest > 3.0:
        found.append(
            Finding(
                f"points lie {rest:.3g} times farther from the law than their noise",
                "another law, temperature, or stick-slip",
            )
        )
    return found


def _plain(value: float) -> str:
    return np.format_float_positional(float(f"{value:.6g}"), trim="-")


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def _figure(fit: FrictionFit, fastest: float | None) -> Figure:
    """See :meth:`FrictionFit.figure`."""
    from matplotlib.figure import Figure

    points = fit.points
    torque, rate = ("N", "m/s") if points.linear else ("N m", "rad/s")
    fastest = _FIGURE_9 if fastest is None else positive(fastest, "fastest")
    end = min(fastest, 1.02 * float(points.speed[-1]))
    if not points.speed[0] < end:
        raise InputError(
            f"nothing is measured below {fastest:g} {rate}: the slowest speed is"
            f" {points.speed[0]:.4g}"
        )
    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    panel, rest = figure.subplots(2, 1, height_ratios=[3, 1])
    v = np.unique(
        np.concatenate([np.geomspace(1e-3 * end, end, 400), np.linspace(1e-3 * end, end, 400)])
    )
    for sign in (1.0, -1.0):
        law, wide = fit.torque(sign * v), fit.band(v)
        panel.plot(
            sign * v,
            law,
            color=_ORANGE,
            lw=1.6,
            label="law (eq. 54)" if sign > 0.0 else None,
            zorder=3,
        )
        band = {
            "color": _ORANGE,
            "alpha": 0.25,
            "lw": 0.0,
            "label": "95 % of the law" if sign > 0.0 else None,
        }
        panel.fill_between(sign * v, law - wide, law + wide, **band)
    shown = points.speed <= end
    speed, gravity = points.speed[shown], float(np.median(points.gravity))
    for sign, measured, color, name in (
        (1.0, points.forward, _BLUE, "forwards"),
        (-1.0, points.backward, _GREEN, "backwards"),
    ):
        error = 2.0 * points.deviation[shown]
        panel.errorbar(
            sign * speed,
            measured[shown] - gravity,
            error,
            fmt="o",
            ms=3.5,
            color=color,
            lw=0.8,
            label=f"{name}, less gravity",
            zorder=4,
        )
    panel.axhline(0.0, color="0.6", lw=0.6)
    panel.axvline(0.0, color="0.6", lw=0.6)
    panel.set(
        xlabel=f"speed [{rate}]", ylabel=f"friction [{torque}]", xlim=(-1.03 * end, 1.03 * end)
    )
    panel.legend(frameon=False, loc="lower right", fontsize="small")
    synthetic = ", synthetic" if points.synthetic else ""
    panel.set_title(f"axis {points.axis}{synthetic}\n{_title(fit)}", fontsize="small")
    off = points.friction - fit.torque(points.speed)
    rest.errorbar(points.speed, off, 2.0 * points.deviation, fmt="o", ms=3.5, color=_BLUE, lw=0.8)
    wide = fit.band(points.speed)
    rest.fill_between(points.speed, -wide, wide, color=_ORANGE, alpha=0.25, lw=0.0)
    rest.axhline(0.0, color=_ORANGE, lw=1.0)
    rest.set_xscale("log")
    rest.set(xlabel=f"speed [{rate}]", ylabel=f"off the law [{torque}]")
    for axes in (panel, rest):
        axes.grid(alpha=0.25, lw=0.5)
    return figure


def _title(fit: FrictionFit) -> str:
    half = fit.intervals()[:, 1] - fit.values
    rows = zip(
        ("$F_s$", "$F_c$", "$F_v$", "$v_{St}$"),
        fit.values,
        half,
        _UNITS[fit.points.linear],
        strict=True,
    )
    return ", ".join(f"{name} {value:.4g} ± {h:.1g} {unit}" for name, value, h, unit in rows)
