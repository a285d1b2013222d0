"""Figures of an identification, as elements of a page."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from ...identification.validation.levels import (
    DEPENDENT,
    SIGNIFICANT,
    WEAK,
    significant_dependence,
)
from ...identification.validation.residuals import binned_mean
from ...identification.validation.verdict import Verdict
from ...model.types import Array
from ..panels import AXIS_COLORS, BAD, blank_figure, lay_out, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


STATES = {"significant": "#009E73", "weak": "#E69F00", "insignificant": "#8a949e"}
_SHOWN = 15.0  # [s] of a log of logs in the figure of torques
_GAP = 0.1  # [s] between stretches there
_POINTS = 3000  # per curve: a page stays below a megabyte


def torque_figure(verdict: Verdict) -> Figure:
    """Draw measured and predicted torques of held-out samples, and residuals.

    The 95 % band of a measurement is shaded, where the set has one.
    """
    t, tau, model, half = _joined(verdict)
    figure, grid = _grid(len(verdict.axes), 2, 10.0, 1.9)
    for i, (axes, axis) in enumerate(zip(grid, verdict.axes, strict=True)):
        if verdict.inside is not None:
            low, high = model[:, i] - half[:, i], model[:, i] + half[:, i]
            axes.fill_between(
                t, low, high, color=AXIS_COLORS[0], alpha=0.18, lw=0.0, label="95 % band"
            )
        axes.plot(t, tau[:, i], color="0.65", lw=0.9, label="measured")
        axes.plot(t, tau[:, i] - model[:, i], color=BAD, lw=0.6, alpha=0.75, label="residual")
        axes.plot(t, model[:, i], color=AXIS_COLORS[0], lw=1.3, label="model")
        lay_out(axes, f"axis {axis + 1} [{verdict.units[i]}]")
    for axes in grid[-2:]:
        axes.set_xlabel("time, one stretch after another [s]")
    legend_below(figure, grid[0])
    return figure


def memory_figure(verdict: Verdict) -> Figure:
    """Draw the autocorrelation of each axis' residual.

    The band holds 95 % of that of white noise.
    """
    figure, grid = _grid(len(verdict.axes), 3, 10.0, 1.55, sharey=True)
    white = verdict.whiteness
    lags = np.arange(1, len(white.bound) + 1)
    for i, (axes, axis) in enumerate(zip(grid, verdict.axes, strict=True)):
        r, bound = white.autocorrelation[:, i], white.bound[:, i]
        axes.fill_between(lags, -bound, bound, color="0.9", lw=0.0)
        axes.vlines(
            lags,
            0.0,
            r,
            color=[BAD if outside else AXIS_COLORS[0] for outside in np.abs(r) > bound],
            lw=2.2,
        )
        axes.axhline(0.0, color="0.5", lw=0.6)
        axes.set_xticks([1, *range(5, len(lags) + 1, 5)])
        lay_out(axes, f"axis {axis + 1}")
    top = max(0.12, 1.1 * float(np.abs(white.autocorrelation).max()))
    for axes in grid:
        axes.set_ylim(-min(top, 1.0), min(top, 1.0))
    for axes in grid[-3:]:
        axes.set_xlabel("lag [samples]")
    return figure


def dependence_figure(verdict: Verdict) -> Figure:
    """Draw the share of each residual's variance that depends on each quantity.

    Squares of what counts are framed.
    """
    from matplotlib.patches import Rectangle

    share, names = verdict.dependence.explained, "qva"
    size, kinds, n = share.shape
    table = 100.0 * share.reshape(size, kinds * n)
    figure = blank_figure(10.0, 0.9 + 0.34 * size)
    axes = figure.subplots()
    most = max(100.0 * DEPENDENT, float(np.nanmax(table)))
    image = axes.imshow(table, cmap="Blues", vmin=0.0, vmax=most, aspect="auto")
    for i, j in zip(*np.nonzero(table > 0.1 * most), strict=True):
        dark = table[i, j] > 0.55 * most
        axes.text(
            j,
            i,
            f"{table[i, j]:.0f}",
            ha="center",
            va="center",
            fontsize=8,
            color="white" if dark else "0.2",
        )
    for i, j in zip(*np.nonzero(significant_dependence(verdict).reshape(table.shape)), strict=True):
        axes.add_patch(Rectangle((j - 0.5, i - 0.5), 1.0, 1.0, fill=False, edgecolor=BAD, lw=1.4))
    axes.set_xticks(
        range(kinds * n), [f"${names[k]}_{j + 1}$" for k in range(kinds) for j in range(n)]
    )
    axes.set_yticks(range(size), [f"axis {axis + 1}" for axis in verdict.axes])
    for k in range(1, kinds):
        axes.axvline(k * n - 0.5, color="white", lw=3.0)
    axes.tick_params(length=0, labelsize=8)
    axes.spines[:].set_visible(False)
    figure.colorbar(image, ax=axes, label="% of variance", pad=0.01, fraction=0.025)
    return figure


def curves_figure(verdict: Verdict) -> Figure:
    """Draw the mean residual over its axis' q, v and a, with twice its standard deviation."""
    residual, size = verdict.residual(), len(verdict.axes)
    figure = blank_figure(10.0, 0.8 + 1.15 * size)
    grid = np.asarray(figure.subplots(size, 3, sharey="row", squeeze=False))
    for row, i, axis in zip(grid, range(size), verdict.axes, strict=True):
        linear = verdict.units[i] == "N"
        factor, unit = (1000.0, "mm") if linear else (float(np.degrees(1.0)), "deg")
        reach = 0.0
        for axes, quantity, per in zip(row, ("q", "v", "a"), ("", "/s", "/s²"), strict=True):
            binned = binned_mean(
                residual[:, i],
                verdict.state(quantity)[:, axis],
                float(verdict.whiteness.correlation_length[i]),
            )
            at = factor * binned.at
            low, high = binned.mean - 2.0 * binned.error, binned.mean + 2.0 * binned.error
            axes.fill_between(at, low, high, color=AXIS_COLORS[0], alpha=0.18, lw=0.0)
            axes.plot(at, binned.mean, color=AXIS_COLORS[0], lw=1.4)
            axes.axhline(0.0, color="0.5", lw=0.6)
            lay_out(axes)
            reach = max(reach, float(np.max(np.abs([low, high]))))
            if i == size - 1:
                name = {"q": "position", "v": "speed", "a": "acceleration"}[quantity]
                axes.set_xlabel(f"{name} of the axis [{unit}{per}]")
        row[0].set_ylim(-1.1 * reach, 1.1 * reach)
        row[0].set_ylabel(f"axis {axis + 1}\n[{verdict.units[i]}]", fontsize=8)
    return figure


def sums_figure(verdict: Verdict) -> Figure:
    """Draw how sure each sum is, surest first, and how far it lies from the previous set."""
    order = sorted(
        verdict.estimates,
        key=lambda one: one.deviation / abs(one.estimate) if one.estimate else np.inf,
    )
    ranks = np.arange(1, len(order) + 1)
    colors = [STATES[one.significance] for one in order]
    figure = blank_figure(10.0, 3.1)
    left, right = figure.subplots(1, 2)
    relative = [
        min(100.0 * one.deviation / abs(one.estimate), 1e4) if one.estimate else 1e4
        for one in order
    ]
    left.scatter(ranks, relative, c=colors, s=22)
    for value, name in ((SIGNIFICANT, "significant"), (WEAK, "weak")):
        left.axhline(100.0 * value, color=STATES[name], lw=0.9, ls=(0, (4, 3)))
    left.set_yscale("log")
    left.set_ylabel("% of the value")
    lay_out(left, "standard deviation")
    moved = [
        (one.previous - one.estimate) / one.deviation if one.deviation else 0.0 for one in order
    ]
    right.axhspan(-1.96, 1.96, color="0.9", lw=0.0)
    right.scatter(ranks, moved, c=colors, s=22)
    right.set_yscale("symlog", linthresh=2.0)
    right.set_ylabel("standard deviations")
    lay_out(right, "previous value less the estimate; the band is the 95 % interval")
    for axes in (left, right):
        axes.set_xlabel("sums of parameters, the surest first")
    for name, color in STATES.items():
        left.scatter([], [], c=color, s=22, label=name)
    legend_below(figure, left)
    return figure


def spring_figure(verdict: Verdict) -> Figure:
    """Draw the torque of each spring that was found over the range of its axis in the logs."""
    found = verdict.sprung
    ranges = {one.axis: one.moved for one in verdict.springs}
    figure, grid = _grid(len(found), 3, 10.0, 2.2)
    for panel, spring in zip(grid, found, strict=True):
        axis = spring.axis - 1
        unit = verdict.units[verdict.axes.index(axis)]
        q = np.linspace(*ranges[axis], 200)
        factor, name = (1000.0, "mm") if unit == "N" else (float(np.degrees(1.0)), "deg")
        panel.plot(factor * q, spring.torque(q), color=AXIS_COLORS[0], lw=1.4)
        panel.axhline(0.0, color="0.5", lw=0.6)
        panel.set_xlabel(f"position [{name}]")
        panel.set_ylabel(f"torque that holds it [{unit}]")
        panel.tick_params(labelbottom=True)
        lay_out(panel, f"axis {axis + 1}")
    return figure


def _joined(verdict: Verdict) -> tuple[Array, Array, Array, Array]:
    """Return times, measured and predicted torques and half of their band, of all stretches.

    There are gaps between them; without a band its half is NaN.
    """
    gap, start, pieces = np.full((1, len(verdict.axes)), np.nan), 0.0, []
    for part in verdict.logs:
        t = start + part.motion.t - part.motion.t[0]
        pieces.append(
            (
                np.append(t, t[-1]),
                np.concatenate([part.measured, gap]),
                np.concatenate([part.predicted, gap]),
                np.concatenate(
                    [
                        np.full(part.predicted.shape, np.nan)
                        if part.half_width is None
                        else part.half_width,
                        gap,
                    ]
                ),
            )
        )
        start = float(t[-1]) + _GAP
        if start > _SHOWN:
            break
    t, tau, model, half = (np.concatenate(columns) for columns in zip(*pieces, strict=True))
    shown = int(np.searchsorted(t, _SHOWN))
    kept = slice(0, shown, max(1, shown // _POINTS))
    return t[kept], tau[kept], model[kept], half[kept]


def _grid(
    count: int, columns: int, width: float, height: float, **shared: Any
) -> tuple[Figure, list[Axes]]:
    """Return a figure with so many panels, the last row perhaps not full."""
    columns = min(columns, count)
    rows = -(-count // columns)
    figure = blank_figure(width, 0.6 + height * rows)
    panels = list(
        np.asarray(figure.subplots(rows, columns, sharex=True, squeeze=False, **shared)).flat
    )
    for spare in panels[count:]:
        spare.set_visible(False)
    return figure, panels[:count]
