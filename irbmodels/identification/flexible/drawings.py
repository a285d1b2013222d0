"""Figures 3.3 to 3.6 of S003, and two that it lacks: the measured frequency response beside the model's, and the residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...model.types import Array, Mask
from . import model as law
from .check import ResonanceCheck
from .fit import FlexibleFit
from .samples import OneAxisData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


_BLUE, _ORANGE, _GREEN, _GREY = "#0072B2", "#D55E00", "#009E73", "0.45"  # Okabe-Ito
_LABELS = {
    "torque": "motor torque [N m]",
    "speed": "motor speed [rad/s]",
    "angle": "motor angle [rad]",
    "arm_speed": "arm speed [rad/s]",
    "arm_acceleration": "arm acceleration [rad/s²]",
}


def data_figure(
    data: Sequence[OneAxisData], titles: Sequence[str], signals: Sequence[str] = ("torque", "speed")
) -> Figure:
    """Draw signals of several sets of data side by side: raw data as in Figure 3.3, processed ones as in Figure 3.4.

    Raises:
        InputError: if a set lacks a signal, or there is not one title per set.
    """
    if len(titles) != len(data) or not data:
        raise InputError(f"{len(data)} sets of data need as many titles, got {len(titles)}")
    lacking = [
        name
        for name in signals
        if name not in _LABELS or any(getattr(one, name) is None for one in data)
    ]
    if lacking or not signals:
        raise InputError(
            f"not all of these data have {', '.join(lacking) or 'a signal'}; signals are"
            f" {', '.join(_LABELS)}"
        )
    figure = _figure(4.2 * len(data), 1.2 + 1.9 * len(signals))
    panels = figure.subplots(len(signals), len(data), sharex="col", sharey="row", squeeze=False)
    for column, one, title in zip(panels.T, data, titles, strict=True):
        for panel, name in zip(column, signals, strict=True):
            panel.plot(one.t, getattr(one, name), color=_BLUE, lw=0.6)
            panel.grid(alpha=0.3, lw=0.4)
            if panel in panels[:, 0]:
                panel.set_ylabel(_LABELS[name])
        column[0].set_title(f"{title}{' (synthetic)' if one.synthetic else ''}", fontsize="medium")
        column[-1].set_xlabel("time [s]")
    return figure


def validation_figure(
    fit: FlexibleFit, validation: OneAxisData, span: tuple[float, float] | None = None
) -> Figure:
    """Draw measured and simulated outputs on validation data, and their difference: Figure 3.5.

    Args:
        fit: The model.
        validation: Other data than it was estimated from.
        span: First and last time that is shown [s]; default 1 s in the middle. The percentages are
            those of all samples.
    """
    simulated, percent = fit.simulated(validation), fit.percentage(validation)
    shown, start, end = _shown(validation.t, span)
    names = validation.outputs
    figure = _figure(7.5, 1.0 + 2.6 * len(names))
    panels = figure.subplots(len(names), 1, sharex=True, squeeze=False)[:, 0]
    for i, (panel, name) in enumerate(zip(panels, names, strict=True)):
        measured = validation.measured[:, i]
        panel.plot(
            validation.t[shown],
            measured[shown],
            color=_ORANGE,
            lw=1.8,
            ls=":",
            zorder=3,
            label="measured",
        )
        panel.plot(
            validation.t[shown],
            simulated[shown, i],
            color=_BLUE,
            lw=1.0,
            label=f"simulated, fit {percent[i]:.1f} %",
        )
        panel.plot(
            validation.t[shown],
            (measured - simulated[:, i])[shown],
            color=_GREY,
            lw=0.7,
            label="difference",
        )
        panel.set_ylabel(_LABELS[name])
        panel.grid(alpha=0.3, lw=0.4)
        panel.set_xlim(start, end)
        _legend_above(panel)
    panels[-1].set_xlabel("time [s]")
    panels[0].set_title(
        f"three states, validation data{' (synthetic)' if validation.synthetic else ''}",
        fontsize="medium",
    )
    return figure


def angle_figure(
    fit: FlexibleFit, data: OneAxisData, span: tuple[float, float] | None = None
) -> Figure:
    """Draw the motor's angle as measured and as the model with four states has it: Figure 3.6.

    S003 passes the torque through a high-pass of 2.5 Hz, because the gain at low frequencies is not
    well known; so should ``data`` (``data.prepared(highpass=2.5)``), which filters the angle alike.

    Raises:
        InputError: if ``data`` have no angle.
    """
    if data.angle is None:
        raise InputError("Figure 3.6 needs data with the angle of the motor [rad]")
    measured = data.angle[:, None]
    simulated = law.simulated(fit.axis.four_states(), data, measured, drift=True)
    percent = law.percentages(simulated, measured)[0]
    shown, start, end = _shown(data.t, span)
    figure = _figure(7.5, 3.4)
    panel = figure.subplots()
    panel.plot(
        data.t[shown], measured[shown, 0], color=_ORANGE, lw=1.8, ls=":", zorder=3, label="measured"
    )
    panel.plot(
        data.t[shown],
        simulated[shown, 0],
        color=_BLUE,
        lw=1.0,
        label=f"simulated, fit {percent:.1f} %",
    )
    panel.set_ylabel(_LABELS["angle"])
    panel.set_xlabel("time [s]")
    panel.set_xlim(start, end)
    panel.grid(alpha=0.3, lw=0.4)
    _legend_above(panel)
    through = "" if data.highpass is None else f", high-pass {data.highpass.cutoff:g} Hz"
    panel.set_title(
        f"four states{through}{' (synthetic)' if data.synthetic else ''}", fontsize="medium"
    )
    return figure


def response_figure(fit: FlexibleFit, check: ResonanceCheck) -> Figure:
    """Draw the response from torque to speed, measured and simulated, and the coherences that say how far to trust it."""
    f = check.measured.frequency
    top = min(f[-1], 1.2 * np.nanmax([check.band[1], fit.resonance.value]))
    fine = np.geomspace(f[0], top, 2000)
    model = fit.axis.three_states().response(fine)[:, 0, 0]
    figure = _figure(7.5, 7.0)
    gain, phase, explained = figure.subplots(3, 1, sharex=True, height_ratios=[3, 2, 1.6])
    for x, response, style in (
        (
            f,
            check.measured.response,
            {"color": _ORANGE, "marker": ".", "ms": 4, "lw": 0.7, "label": "measured (Welch)"},
        ),
        (
            f,
            check.simulated.response,
            {"color": _BLUE, "lw": 1.2, "label": "model, by the same estimate"},
        ),
        (fine, model, {"color": "black", "lw": 0.8, "ls": "--", "label": "model, not sampled"}),
    ):
        gain.semilogx(x, 20.0 * np.log10(np.maximum(np.abs(response), 1e-300)), **style)
        phase.semilogx(x, np.degrees(np.angle(response)), **style)
    for name, color in (("antiresonance", _GREEN), ("resonance", _GREY)):
        value, sd = getattr(fit, name)
        for panel in (gain, phase, explained):
            label = f"{name} {value:.2f} ± {sd:.2g} Hz" if panel is gain else None
            panel.axvline(value, color=color, lw=1.0, ls=":", label=label)
    explained.semilogx(f, check.measured.coherence, color=_ORANGE, lw=1.0, label="torque and speed")
    explained.semilogx(f, check.missed, color=_BLUE, lw=1.0, label="torque and residual")
    explained.axhline(check.threshold, color=_GREY, lw=0.8, label="1 % by chance")
    for panel, label in (
        (gain, "gain [dB, (rad/s)/(N m)]"),
        (phase, "phase [deg]"),
        (explained, "coherence"),
    ):
        panel.set_ylabel(label)
        panel.grid(alpha=0.3, which="both", lw=0.4)
    level = 20.0 * np.log10(np.abs(model))
    gain.set_ylim(level.min() - 8.0, level.max() + 8.0)
    gain.set_xlim(f[0], top)
    phase.set_yticks([-180, -90, 0, 90, 180])
    explained.set_ylim(0.0, 1.05)
    explained.set_xlabel("frequency [Hz]")
    gain.legend(frameon=False, fontsize="small", loc="lower left")
    explained.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0.0, 0.9))
    told = "agrees" if check.agrees else "; ".join(check.findings)
    gain.set_title(f"resonance check: {told}", fontsize="medium", wrap=True)
    return figure


def residual_figure(fit: FlexibleFit, lags: int = 50) -> Figure:
    """Draw the autocorrelation of the residual of each output with the bound of white noise, and poles and zeros of the model."""
    figure = _figure(8.5, 3.6)
    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1])
    for i, name in enumerate(fit.data.outputs):
        test = fit.whiteness(i, lags)
        told: dict[str, Any] = {
            "color": (_BLUE, _ORANGE, _GREEN)[i],
            "label": f"{name}: p = {test.p:.2g}",
        }
        left.vlines(np.arange(1, lags + 1) + 0.25 * i, 0.0, test.autocorrelation, lw=1.6, **told)
    left.axhspan(-test.bound, test.bound, color=_GREY, alpha=0.2, lw=0, label="white noise, 99 %")
    left.axhline(0.0, color="black", lw=0.6)
    left.set_ylim(
        *(
            np.array([-1.0, 1.0])
            * max(0.1, 1.1 * left.dataLim.intervaly.max(), -1.1 * left.dataLim.intervaly.min())
        )
    )
    left.set_xlabel("lag [samples]")
    left.set_ylabel("autocorrelation of the residual")
    left.legend(frameon=False, fontsize="small")
    model = fit.axis.three_states()
    right.plot(
        model.poles.real, model.poles.imag / (2 * np.pi), "x", color=_BLUE, ms=8, label="poles"
    )
    right.plot(
        model.zeros.real,
        model.zeros.imag / (2 * np.pi),
        "o",
        color=_ORANGE,
        mfc="none",
        ms=8,
        label="zeros",
    )
    right.axvline(0.0, color="black", lw=0.6)
    right.axhline(0.0, color="black", lw=0.6)
    right.set_xlim(1.25 * model.poles.real.min(), 0.15 * -model.poles.real.min())
    right.set_xlabel("real part [1/s]")
    right.set_ylabel("imaginary part / 2π [Hz]")
    for panel in (left, right):
        panel.grid(alpha=0.3, lw=0.4)
    right.legend(frameon=False, fontsize="small", loc="lower left")
    return figure


def _figure(width: float, height: float) -> Figure:
    from matplotlib.figure import Figure

    return Figure(figsize=(width, height), layout="constrained")


def _legend_above(panel: Axes) -> None:
    """Put the legend above all curves."""
    low, high = panel.get_ylim()
    panel.set_ylim(low, high + 0.15 * (high - low))
    panel.legend(frameon=False, loc="upper right", ncols=3, fontsize="small")


def _shown(t: Array, span: tuple[float, float] | None) -> tuple[Mask, float, float]:
    middle = 0.5 * (t[0] + t[-1])
    start, end = (middle - 0.5, middle + 0.5) if span is None else span
    shown = (t >= start) & (t <= end)
    if not shown.any():
        raise InputError(
            f"the data go from {t[0]:g} to {t[-1]:g} s; nothing lies in {start:g} .. {end:g} s"
        )
    return shown, start, end
