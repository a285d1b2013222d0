"""Figures of a path check."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Any

import numpy as np

from ...kinematics.singularities import NEAR_ANGLE, NEAR_AXIS
from ...robot.robot import Robot
from ...tasks.path_check import Box, PathCheck
from ..panels import AXIS_COLORS, BAD, GOOD, GREY, blank_figure, lay_out, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_SHADED = 500  # violations that are shaded
_LABEL_AT = -0.2  # of a panel's width: left of five digits
_SMALLEST = 10.0  # [mm] that a view of the path shows at least


def shares_figure(check: PathCheck, robot: Robot) -> Figure:
    """Draw shares of ranges, speeds and torques per axis; violations are shaded."""
    figure = blank_figure(10.0, 7.4)
    trace, kinds = check.trace, ("range", "speed", "torque")
    grid = figure.subplots(3, 1, sharex=True)
    columns = (100.0 * trace.used, 100.0 * trace.speed, 100.0 * trace.torque)
    titles = ["range used: 0 % in the middle, 100 % at an end", "speed", "torque"]
    for k, axes_assumed in enumerate(robot.limits.assumed.values()):
        titles[k] += ", of assumed limits" * bool(axes_assumed.any())
    if not robot.dynamic_model.has_masses:
        titles[2] = "torque: unknown, as masses are"
    for axes, kind, values, title in zip(grid, kinds, columns, titles, strict=True):
        for one in [one for one in check.findings if one.kind == kind][:_SHADED]:
            end = max(one.end, one.start + 1e-6)
            axes.axvspan(one.start, end, color=BAD, alpha=0.12, lw=0.0)
        for i, column in enumerate(values.T):
            axes.plot(
                trace.t,
                column,
                color=AXIS_COLORS[i % len(AXIS_COLORS)],
                lw=1.3,
                label=f"axis {i + 1}",
            )
        axes.axhline(100.0, color=BAD, lw=0.9, ls=(0, (4, 3)))
        axes.set_ylim(0.0, max(108.0, 1.06 * float(values[np.isfinite(values)].max(initial=0.0))))
        axes.set_ylabel("%")
        lay_out(axes, title)
    _mark_lines(grid, check)
    grid[-1].set_xlabel("time [s]")
    legend_below(figure, grid[0])
    return figure


def axes_figure(check: PathCheck, robot: Robot) -> Figure:
    """Draw speed, torque and power of each axis over time, with limits and RMS torque.

    Below 0 W the arm gives power back; the last row has that of all axes together.
    """
    trace, limits = check.trace, robot.limits
    figure = blank_figure(10.0, 1.15 * robot.n + 1.9)
    grid = figure.subplots(robot.n + 1, 3, sharex=True)
    assumed = [kind for kind in ("speed", "torque") if limits.assumed[kind].any()]
    limit = f"limit ({' and '.join(assumed)}: assumed)" if assumed else "limit"
    for i, linear in enumerate(limits.linear.tolist()):
        factor = 1000.0 if linear else math.degrees(1.0)
        rms = float(check.cycle.rms_torque[i])
        rated = math.nan if check.rated_torque is None else float(check.rated_torque[i])
        columns = (
            (factor * trace.v[:, i], "mm/s" if linear else "deg/s"),
            (trace.tau[:, i], "N" if linear else "N m"),
            (trace.power[:, i], "W"),
        )
        for axes, (values, unit) in zip(grid[i], columns, strict=True):
            color = AXIS_COLORS[i % len(AXIS_COLORS)]
            axes.plot(trace.t, values, color=color, lw=1.2)
            axes.set_ylabel(unit, fontsize=8)
            axes.yaxis.set_label_coords(_LABEL_AT, 0.5)
            lay_out(axes)
        _bound(grid[i, 0], factor * float(limits.velocity[i]), BAD, limit)
        _bound(grid[i, 1], float(limits.effort[i]), BAD, limit)
        _bound(grid[i, 1], rms, "0.15", "RMS torque", (0, (1, 1)))
        _bound(grid[i, 1], rated, GREY, "rated torque", "-")
        grid[i, 0].set_title(f"axis {i + 1}: speed", loc="left", fontsize=9, color=GREY)
        grid[i, 1].set_title("torque", loc="left", fontsize=9, color=GREY)
        grid[i, 2].set_title("power", loc="left", fontsize=9, color=GREY)
    for axes in grid[-1, :2]:
        axes.remove()
    total = grid[-1, 2]
    total.plot(trace.t, trace.total_power, color="0.15", lw=1.2)
    total.set_ylabel("W", fontsize=8)
    total.yaxis.set_label_coords(_LABEL_AT, 0.5)
    lay_out(total, "power of all axes")
    for axes in (*grid[-2, :2], total):
        axes.set_xlabel("time [s]", fontsize=8)
        axes.tick_params(labelbottom=True)
    legend_below(figure, grid[0, 1])
    return figure


def _bound(axes: Axes, size: float, color: str, label: str, style: Any = (0, (4, 3))) -> None:
    """Draw a bound on either side of 0; none where it is not finite."""
    for k, level in enumerate((size, -size) if math.isfinite(size) else ()):
        axes.axhline(level, color=color, lw=0.9, ls=style, label=label if k == 0 else None)


def distance_figure(check: PathCheck) -> Figure:
    """Draw distances to singularities on either side; near ones lie in the grey band."""
    figure = blank_figure(10.0, 3.4)
    trace = check.trace
    left = figure.subplots()
    for name, color in (("wrist", AXIS_COLORS[0]), ("elbow", AXIS_COLORS[2])):
        values = np.degrees(np.abs(getattr(trace, name)))
        if np.isfinite(values).any():
            left.plot(trace.t, values, color=color, lw=1.3, label=f"{name} [deg]")
    left.axhspan(0.0, math.degrees(NEAR_ANGLE), color="0.9", zorder=0)
    left.set_ylim(0.0, 95.0)
    left.set_ylabel("wrist, elbow [deg]")
    left.set_xlabel("time [s]")
    lay_out(left)
    if np.isfinite(trace.shoulder).any():
        right = left.twinx()
        distance = 1000.0 * np.abs(trace.shoulder)
        right.plot(trace.t, distance, color=AXIS_COLORS[4], lw=1.3, label="shoulder [mm]")
        right.set_ylim(0.0, 1.05 * max(float(np.nanmax(distance)), 2000.0 * NEAR_AXIS))
        right.set_ylabel("shoulder [mm]")
        right.spines[["top"]].set_visible(False)
    legend_below(figure, *figure.axes)
    return figure


def path_figure(check: PathCheck, box: Box | None) -> Figure:
    """Draw the TCP from above and from the side; samples that break a bound in red."""
    figure = blank_figure(10.0, 4.4)
    tcp, t = 1000.0 * check.trace.tcp, check.trace.t
    bad = np.zeros(len(t), dtype=bool)
    for one in check.findings:
        first, last = (
            np.searchsorted(t, one.start, side="right") - 1,
            np.searchsorted(t, one.end, side="left"),
        )
        bad[max(first, 0) : last + 1] = True
    spans = np.ptp(tcp, axis=0)
    along = 0 if spans[0] >= spans[1] else 1  # seen from the side where the path is longer
    views = ((0, 1), "from above"), ((along, 2), "from the side")
    for axes, ((i, j), title) in zip(figure.subplots(1, 2), views, strict=True):
        axes.plot(tcp[:, i], tcp[:, j], color=AXIS_COLORS[0], lw=1.4, label="TCP")
        if bad.any():
            axes.plot(
                np.where(bad, tcp[:, i], np.nan),
                np.where(bad, tcp[:, j], np.nan),
                color=BAD,
                lw=2.4,
                label="a bound is not kept",
            )
        axes.plot(*tcp[0, [i, j]], "o", color=GOOD, ms=6, label="start")
        axes.plot(*tcp[-1, [i, j]], "s", color="0.15", ms=5, label="end")
        if box is not None:
            (x0, y0), (x1, y1) = ((1000.0 * corner[i], 1000.0 * corner[j]) for corner in box)
            axes.plot(
                [x0, x1, x1, x0, x0],
                [y0, y0, y1, y1, y0],
                color=GREY,
                lw=1.0,
                ls=(0, (4, 3)),
                label="box",
            )
        middle, half = (
            0.5 * (tcp.min(axis=0) + tcp.max(axis=0))[[i, j]],
            0.5 * max(_SMALLEST, *spans),
        )
        # a straight path is a line, not rounding noise over the figure
        axes.update_datalim([middle - half, middle + half])
        axes.autoscale_view()
        axes.set_aspect("equal", adjustable="datalim")
        axes.set_xlabel(f"{'xyz'[i]} [mm]")
        axes.set_ylabel(f"{'xyz'[j]} [mm]")
        lay_out(axes, title)
    legend_below(figure, figure.axes[0])
    return figure


def _mark_lines(grid: Any, check: PathCheck) -> None:
    """Draw a vertical line where each move begins, and its line number above."""
    if check.program is None:
        return
    last_label = 0.0
    for one in check.program.timings:
        for axes in grid:
            axes.axvline(one.start, color="0.85", lw=0.7, zorder=0)
        middle = 0.5 * (one.start + one.end)
        if middle - last_label > 0.025 * check.duration:
            transform = grid[0].get_xaxis_transform()
            grid[0].text(
                middle,
                0.98,
                str(one.line),
                transform=transform,
                ha="center",
                va="top",
                fontsize=7.5,
                color=GREY,
            )
            last_label = middle
