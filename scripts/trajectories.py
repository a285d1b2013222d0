"""Draw the pictures of docs/howto/trajectories.md: python scripts/trajectories.py [FOLDER]."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.trajectory import LAWS, axis_path, joined, line, time_optimal

# Okabe-Ito, told apart by anybody
COLORS = ("#000000", "#E69F00", "#56B4E9", "#009E73", "#D55E00", "#0072B2", "#CC79A7")
POSTURES_DEG = (
    (0, 0, 0, 0, 30, 0),
    (40, 25, 20, 30, 45, 60),
    (-35, 45, 40, -40, 60, -90),
    (-60, -20, -10, 0, 40, 0),
)


def laws() -> Figure:
    """Position, speed, acceleration and jerk of every time law, for a stroke of 1 in a time of
    1.
    """
    figure = Figure(figsize=(11.0, 6.6), layout="constrained")
    x = np.linspace(0.0, 1.0, 2401)
    names = ("position [h]", "speed [h/T]", "acceleration [h/T²]", "jerk [h/T³]")
    for order, (axes, name) in enumerate(
        zip(figure.subplots(2, 2, sharex=True).ravel(), names, strict=True)
    ):
        for color, law in zip(COLORS, LAWS.values(), strict=True):
            y = law.derivative(order, x)
            if order == 2:  # it rests before and after: show the jumps at the ends
                axes.plot([0.0, *x, 1.0], [0.0, *y, 0.0], color=color, lw=1.5, label=law.name)
            elif order < 3 or law.smooth:
                axes.plot(x, y, color=color, lw=1.5, label=law.name)
        axes.set_ylabel(name)
        axes.grid(color="0.9")
        if order == 3:
            axes.text(
                0.5,
                0.96,
                "cubic and trapezoid: impulses",
                transform=axes.transAxes,
                ha="center",
                va="top",
                color="0.3",
            )
        if order >= 2:
            axes.set_xlabel("time [T]")
    handles, labels = figure.axes[0].get_legend_handles_labels()
    figure.legend(handles, labels, loc="outside lower center", ncols=len(labels), frameon=False)
    return figure


def phase() -> Figure:
    """Phase plane of the fastest timing of an IRB 2400's path, with and without friction, and what
    it uses of its bounds.
    """
    robot = irb.load("irb2400")
    path = axis_path([robot.from_controller(posture) for posture in POSTURES_DEG])
    bound = 0.5 * robot.limits.effort  # so that friction matters; the efforts are assumed anyway
    timed, free = (
        time_optimal(path, robot, torque=bound, friction=friction, intervals=600)
        for friction in (True, False)
    )
    figure = Figure(figsize=(11.0, 6.6), layout="constrained")
    top, bottom = figure.subplots(2, 1, sharex=True, height_ratios=[1.1, 1.0])
    s = np.linspace(0.0, path.length, 1500)
    slope = np.maximum(np.abs(path.at(s).slope), 1e-9)
    ceiling = (robot.limits.velocity / slope).min(axis=1)
    highest = 1.25 * float(np.sqrt(free.x.max()))
    top.fill_between(
        s,
        np.minimum(ceiling, highest),
        highest,
        color="0.9",
        lw=0.0,
        label="an axis would be too fast",
    )
    top.plot(
        free.s,
        np.sqrt(free.x),
        color=COLORS[2],
        lw=1.5,
        label=f"without friction, {free.duration:.3f} s",
    )
    top.plot(
        timed.s,
        np.sqrt(timed.x),
        color=COLORS[0],
        lw=1.5,
        label=f"with Stribeck friction, {timed.duration:.3f} s",
    )
    top.plot(
        path.knots,
        np.zeros(len(path.knots)),
        "o",
        color=COLORS[4],
        clip_on=False,
        label="waypoints",
    )
    top.set_ylim(0.0, highest)
    top.set_ylabel("ds/dt [rad/s]")
    top.legend(loc="lower center", frameon=True)
    t = np.linspace(0.0, timed.duration, 3000)
    state = timed.at(t)
    share = robot.inverse_dynamics(state.q, state.v, state.a) / bound
    along = np.interp(t, timed.times, timed.s)
    for axis, color in enumerate(COLORS[:6]):
        bottom.plot(along, 100.0 * share[:, axis], color=color, lw=1.2, label=f"axis {axis + 1}")
    for edge in (-100.0, 100.0):
        bottom.axhline(edge, color="0.5", lw=0.8, ls="--")
    bottom.set_ylabel("torque [% of its bound]")
    bottom.set_xlabel("s along the path [rad]")
    figure.legend(
        *bottom.get_legend_handles_labels(), loc="outside lower center", ncols=6, frameon=False
    )
    for axes in (top, bottom):
        axes.margins(x=0.01)
        axes.grid(color="0.92")
    return figure


def blends() -> Figure:
    """A corner of two lines with zones of several sizes, and the curvature along each blend."""
    figure = Figure(figsize=(11.0, 3.6), layout="constrained")
    plane, bend = figure.subplots(1, 2, width_ratios=[1.0, 1.3])
    a, b, c = np.eye(4), np.eye(4), np.eye(4)
    b[0, 3], c[:2, 3] = 0.5, (0.75, 0.433)
    for color, zone in zip(COLORS, (0.0, 0.05, 0.1, 0.2), strict=False):
        path = joined([line(a, b), line(b, c)], zone)
        s = np.linspace(0.0, path.length, 2000)
        state = path.at(s)
        passed = f", passes at {1000 * path.deviations[0]:.1f} mm" if zone else ""
        plane.plot(
            1000 * state.poses[:, 0, 3],
            1000 * state.poses[:, 1, 3],
            color=color,
            lw=1.5,
            label=f"zone {1000 * zone:.0f} mm{passed}",
        )
        if zone:
            bend.plot(
                1000 * s, np.linalg.norm(state.accelerations[:, :3], axis=1), color=color, lw=1.5
            )
    plane.set(xlabel="x [mm]", ylabel="y [mm]", aspect="equal", xlim=(200, 780), ylim=(-30, 460))
    plane.legend(loc="upper left", frameon=False)
    bend.set(xlabel="s [mm]", ylabel="curvature [1/m]", xlim=(250, 750))
    for axes in (plane, bend):
        axes.grid(color="0.92")
    return figure


def main(folder: str = "docs/pictures") -> None:
    """Write the pictures into ``folder``."""
    for draw in (laws, phase, blends):
        draw().savefig(Path(folder) / f"trajectories_{draw.__name__}.png", dpi=110)


if __name__ == "__main__":
    main(*sys.argv[1:])
