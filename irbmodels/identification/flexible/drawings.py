"""Figures 3.3 to 3.6 of S003, and two more: frequency response and residual."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np

from ...errors import InputError
from ...model.types import Array, Mask
from ..figures import BLUE, GREEN, GREY, ORANGE, label, new_figure
from .check import ResonanceCheck
from .fit import FlexibleFit
from .model import fit_percentages, simulate
from .samples import OneAxisData

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


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
    """Draw signals of several sets of data side by side, as in Figures 3.3 and 3.4.

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
    figure = new_figure(4.2 * len(data), 1.2 + 1.9 * len(signals))
    panels = figure.subplots(len(signals), len(data), sharex="col", sharey="row", squeeze=False)
    for column, one, title in zip(panels.T, data, titles, strict=True):
        for panel, name in zip(column, signals, strict=True):
            panel.plot(one.t, getattr(one, name), color=BLUE, lw=0.6)
            label(panel, ylabel=_LABELS[name] if panel in panels[:, 0] else "")
        column[0].set_title(f"{title}{_synthetic(one)}", fontsize="medium")
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
    figure = new_figure(7.5, 1.0 + 2.6 * len(validation.outputs))
    panels = figure.subplots(len(validation.outputs), 1, sharex=True, squeeze=False)[:, 0]
    for i, (panel, name) in enumerate(zip(panels, validation.outputs, strict=True)):
        measured = validation.measured[:, i]
        inside = _draw_outputs(panel, validation.t, measured, simulated[:, i], percent[i], span)
        difference = (measured - simulated[:, i])[inside]
        panel.plot(validation.t[inside], difference, color=GREY, lw=0.7, label="difference")
        label(panel, ylabel=_LABELS[name])
        _legend_above(panel)
    panels[-1].set_xlabel("time [s]")
    panels[0].set_title(f"three states, validation data{_synthetic(validation)}", fontsize="medium")
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
    simulated = simulate(fit.axis.four_states(), data, measured, drift=True)
    percent = fit_percentages(simulated, measured)[0]
    figure = new_figure(7.5, 3.4)
    panel = figure.subplots()
    _draw_outputs(panel, data.t, data.angle, simulated[:, 0], percent, span)
    label(panel, "time [s]", _LABELS["angle"])
    _legend_above(panel)
    through = "" if data.highpass is None else f", high-pass {data.highpass.cutoff:g} Hz"
    panel.set_title(f"four states{through}{_synthetic(data)}", fontsize="medium")
    return figure


def response_figure(fit: FlexibleFit, check: ResonanceCheck) -> Figure:
    """Draw the response from torque to speed, measured and simulated, and the coherences."""
    f = check.measured.frequency
    top = min(f[-1], 1.2 * np.nanmax([check.band[1], fit.resonance.value]))
    fine = np.geomspace(f[0], top, 2000)
    model = fit.axis.three_states().response(fine)[:, 0, 0]
    figure = new_figure(7.5, 7.0)
    gain, phase, explained = figure.subplots(3, 1, sharex=True, height_ratios=[3, 2, 1.6])
    dots: dict[str, Any] = {"marker": ".", "ms": 4}
    for x, response, name, style in (
        (f, check.measured.response, "measured (Welch)", {"color": ORANGE, "lw": 0.7, **dots}),
        (f, check.simulated.response, "model, by the same estimate", {"color": BLUE, "lw": 1.2}),
        (fine, model, "model, not sampled", {"color": "black", "lw": 0.8, "ls": "--"}),
    ):
        decibels = 20.0 * np.log10(np.maximum(np.abs(response), 1e-300))
        gain.semilogx(x, decibels, label=name, **style)
        phase.semilogx(x, np.degrees(np.angle(response)), **style)
    for name, color in (("antiresonance", GREEN), ("resonance", GREY)):
        value, sd = getattr(fit, name)
        for panel in (gain, phase, explained):
            text = f"{name} {value:.2f} ± {sd:.2g} Hz" if panel is gain else None
            panel.axvline(value, color=color, lw=1.0, ls=":", label=text)
    explained.semilogx(f, check.measured.coherence, color=ORANGE, lw=1.0, label="torque and speed")
    explained.semilogx(f, check.missed, color=BLUE, lw=1.0, label="torque and residual")
    explained.axhline(check.threshold, color=GREY, lw=0.8, label="1 % by chance")
    label(gain, ylabel="gain [dB, (rad/s)/(N m)]", xlim=(f[0], top))
    label(phase, ylabel="phase [deg]", yticks=[-180, -90, 0, 90, 180])
    label(explained, "frequency [Hz]", "coherence", ylim=(0.0, 1.05))
    level = 20.0 * np.log10(np.abs(model))
    gain.set_ylim(level.min() - 8.0, level.max() + 8.0)
    gain.legend(frameon=False, fontsize="small", loc="lower left")
    explained.legend(frameon=False, fontsize="small", loc="upper left", bbox_to_anchor=(0.0, 0.9))
    result = "agrees" if check.agrees else "; ".join(check.findings)
    gain.set_title(f"resonance check: {result}", fontsize="medium", wrap=True)
    return figure


def residual_figure(fit: FlexibleFit, lags: int = 50) -> Figure:
    """Draw the autocorrelation of each output's residual, and poles and zeros of the model."""
    figure = new_figure(8.5, 3.6)
    left, right = figure.subplots(1, 2, width_ratios=[1.6, 1])
    for i, name in enumerate(fit.data.outputs):
        test = fit.whiteness(i, lags)
        left.vlines(
            np.arange(1, lags + 1) + 0.25 * i,
            0.0,
            test.autocorrelation,
            lw=1.6,
            color=(BLUE, ORANGE, GREEN)[i],
            label=f"{name}: p = {test.p:.2g}",
        )
    left.axhspan(-test.bound, test.bound, color=GREY, alpha=0.2, lw=0, label="white noise, 99 %")
    left.axhline(0.0, color="black", lw=0.6)
    low, high = left.dataLim.intervaly
    half = max(0.1, 1.1 * high, -1.1 * low)
    label(left, "lag [samples]", "autocorrelation of the residual", ylim=(-half, half))
    left.legend(frameon=False, fontsize="small")
    model = fit.axis.three_states()
    hollow: dict[str, Any] = {"color": ORANGE, "mfc": "none"}
    for roots, marker, name, style in (
        (model.poles, "x", "poles", {"color": BLUE}),
        (model.zeros, "o", "zeros", hollow),
    ):
        right.plot(roots.real, roots.imag / (2 * np.pi), marker, ms=8, label=name, **style)
    right.axvline(0.0, color="black", lw=0.6)
    right.axhline(0.0, color="black", lw=0.6)
    left_end = model.poles.real.min()
    label(
        right,
        "real part [1/s]",
        "imaginary part / 2π [Hz]",
        xlim=(1.25 * left_end, -0.15 * left_end),
    )
    right.legend(frameon=False, fontsize="small", loc="lower left")
    return figure


def _draw_outputs(
    panel: Axes,
    t: Array,
    measured: Array,
    simulated: Array,
    percent: float,
    span: tuple[float, float] | None,
) -> Mask:
    """Draw measured and simulated values within a span; return its samples."""
    inside, start, end = _samples_within(t, span)
    dots: dict[str, Any] = {"color": ORANGE, "lw": 1.8, "ls": ":", "zorder": 3}
    panel.plot(t[inside], measured[inside], label="measured", **dots)
    name = f"simulated, fit {percent:.1f} %"
    panel.plot(t[inside], simulated[inside], color=BLUE, lw=1.0, label=name)
    panel.set_xlim(start, end)
    return inside


def _synthetic(data: OneAxisData) -> str:
    return " (synthetic)" if data.synthetic else ""


def _legend_above(panel: Axes) -> None:
    """Put the legend above all curves."""
    low, high = panel.get_ylim()
    panel.set_ylim(low, high + 0.15 * (high - low))
    panel.legend(frameon=False, loc="upper right", ncols=3, fontsize="small")


def _samples_within(t: Array, span: tuple[float, float] | None) -> tuple[Mask, float, float]:
    middle = 0.5 * (t[0] + t[-1])
    start, end = (middle - 0.5, middle + 0.5) if span is None else span
    inside = (t >= start) & (t <= end)
    if not inside.any():
        raise InputError(
            f"the data go from {t[0]:g} to {t[-1]:g} s; nothing lies in {start:g} .. {end:g} s"
        )
    return inside, start, end
