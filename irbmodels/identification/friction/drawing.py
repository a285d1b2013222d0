"""The figure of friction over speed, as S000 Fig. 9: points of both directions, the law, its band."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from ...errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from .fitting import FrictionFit

_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe-Ito
_FIGURE_9 = 0.15  # [rad/s]: as far as S000 draws


def figure_of(fit: FrictionFit, fastest: float | None = None) -> Figure:
    """Draw points and law against speed up to ``fastest``, and below what is left of ``(u+ - u-) / 2``, over its logarithm.

    Gravity is the median over the speeds of what both ways have in common, so that a drift or an asymmetry shows.

    Raises:
        InputError: if nothing is measured below ``fastest``.
    """
    from matplotlib.figure import Figure

    points = fit.points
    end = min(_FIGURE_9 if fastest is None else float(fastest), 1.02 * float(points.speed[-1]))
    if not points.speed[0] < end < np.inf:
        raise InputError(f"nothing is measured below {fastest!r} [rad/s, m/s]: the slowest speed is {points.speed[0]:.4g}")
    torque, rate = ("N", "m/s") if points.linear else ("N m", "rad/s")
    figure = Figure(figsize=(8.0, 6.0), layout="constrained")
    panel, rest = figure.subplots(2, 1, height_ratios=[3, 1])
    v = np.unique(np.concatenate([np.geomspace(1e-3 * end, end, 400), np.linspace(1e-3 * end, end, 400)]))
    for sign in (1.0, -1.0):
        law, wide = fit.torque(sign * v), fit.band(v)
        panel.plot(sign * v, law, color=_ORANGE, lw=1.6, label="law (eq. 54)" if sign > 0.0 else None, zorder=3)
        band = {"color": _ORANGE, "alpha": 0.25, "lw": 0.0, "label": "95 % of the law" if sign > 0.0 else None}
        panel.fill_between(sign * v, law - wide, law + wide, **band)
    shown = points.speed <= end
    speed, gravity = points.speed[shown], float(np.median(points.gravity))
    for sign, measured, color, name in ((1.0, points.forward, _BLUE, "forwards"), (-1.0, points.backward, _GREEN, "backwards")):
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
    panel.set(xlabel=f"speed [{rate}]", ylabel=f"friction [{torque}]", xlim=(-1.03 * end, 1.03 * end))
    panel.legend(frameon=False, loc="lower right", fontsize="small")
    synthetic = ", synthetic" if points.synthetic else ""
    panel.set_title(f"axis {points.axis}{synthetic}\n{_shown(fit)}", fontsize="small")
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


def _shown(fit: FrictionFit) -> str:
    half = fit.intervals()[:, 1] - fit.values
    units = ("N", "N", "N s/m", "m/s") if fit.points.linear else ("N m", "N m", "N m s/rad", "rad/s")
    names = ("$F_s$", "$F_c$", "$F_v$", "$v_{St}$")
    return ", ".join(
        f"{name} {value:.4g} ± {h:.1g} {unit}" for name, value, h, unit in zip(names, fit.values, half, units, strict=True)
    )
