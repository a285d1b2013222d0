"""Draw the pictures of docs/howto/simulation.md: three friction laws under one load, and a stick-slip
cycle.

python scripts/simulation.py [FOLDER]
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.report.figures import save
from irbmodels.simulation import LuGre, Regularised, simulate

COLORS = {"true stiction": "#0072B2", "LuGre": "#E69F00", "regularised": "#D55E00"}  # Okabe-Ito
FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"


def laws(robot: irb.Robot) -> Figure:
    """Axis 6 under 80 % of Fs for 3 s, then beyond it, with each law."""
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    held, law = robot.gravity(q), robot.friction_model
    times, shares = [0.0, 0.5, 3.5, 4.0, 4.3, 4.6], [0.0, 0.8, 0.8, 1.1, 1.1, 0.0]
    load = lambda t: np.interp(t, times, shares) * law.Fs[5]  # noqa: E731
    torque = lambda t, q, v: held + np.eye(6)[5] * load(t)  # noqa: E731
    chosen = {
        "true stiction": law,
        "LuGre": LuGre(law, law.Fs / 3e-4, law.Fv),
        "regularised": Regularised(law, 1e-3),
    }
    figure = Figure(figsize=(9.0, 6.5), layout="constrained")
    top, middle, bottom = figure.subplots(3, 1, sharex=True, height_ratios=[1, 1.6, 1])
    for name, friction in chosen.items():
        run = simulate(
            robot, q, duration=5.0, torque=torque, friction=friction, every=0.005, max_step=0.02
        )
        middle.plot(run.t, np.degrees(run.q[:, 5]), color=COLORS[name], lw=1.4, label=name)
        bottom.plot(run.t, run["friction"][:, 5], color=COLORS[name], lw=1.2)
    top.plot(run.t, load(run.t), color="0.25", lw=1.2)
    top.axhline(law.Fs[5], color="0.5", lw=0.8, ls="--")
    top.annotate("Fs", (0.02, law.Fs[5]), va="bottom", color="0.4")
    top.set_ylabel("load [N m]")
    middle.set_ylabel("axis 6 [deg]")
    middle.set_ylim(-0.03, 0.45)
    middle.legend(frameon=False)
    bottom.set_ylabel("friction [N m]")
    bottom.set_xlabel("time [s]")
    for panel in (top, middle, bottom):
        panel.grid(alpha=0.25, lw=0.5)
    return figure


def stick_slip(robot: irb.Robot) -> Figure:
    """Axis 6 pulled by a soft spring that moves on at 2 deg/s."""
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    held, spring, pull = robot.gravity(q), 150.0, np.radians(2.0)
    torque = lambda t, q, v: held + np.eye(6)[5] * (spring * (pull * t - q[5]) - 0.5 * v[5])  # noqa: E731
    run = simulate(robot, q, duration=14.0, torque=torque, every=0.002, max_step=0.05)
    figure = Figure(figsize=(9.0, 6.5), layout="constrained")
    panels = figure.subplots(3, 1, sharex=True, height_ratios=[1.6, 1, 1])
    panels[0].plot(run.t, np.degrees(pull * run.t), color="0.6", lw=1.0, label="end of the spring")
    panels[0].plot(run.t, np.degrees(run.q[:, 5]), color="#0072B2", lw=1.4, label="axis 6")
    for kind, mark in (("slips", "^"), ("sticks", "o")):
        times = [event.t for event in run.of_axis(6, kind)]
        height = np.degrees(np.interp(times, run.t, run.q[:, 5]))
        panels[0].plot(
            times,
            height,
            mark,
            ms=5,
            color="#D55E00",
            mfc="none" if mark == "^" else "#D55E00",
            label=kind,
        )
    panels[0].legend(frameon=False)
    panels[0].set_ylabel("position [deg]")
    panels[1].plot(run.t, np.degrees(run.v[:, 5]), color="#0072B2", lw=1.0)
    panels[1].set_ylabel("speed [deg/s]")
    panels[2].plot(run.t, run["friction"][:, 5], color="#0072B2", lw=1.0)
    panels[2].axhline(robot.friction_model.Fs[5], color="0.5", lw=0.8, ls="--")
    panels[2].annotate("Fs", (0.02, robot.friction_model.Fs[5]), va="bottom", color="0.4")
    panels[2].set_ylim(-1.0, 21.0)
    panels[2].set_ylabel("friction [N m]")
    panels[2].set_xlabel("time [s]")
    for panel in panels:
        panel.grid(alpha=0.25, lw=0.5)
    return figure


def main() -> None:
    """Draw both."""
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 else FOLDER
    robot = irb.load("irb2400", tool="spindle")
    save(laws(robot), folder / "simulation_laws.png")
    save(stick_slip(robot), folder / "simulation_stick_slip.png")


if __name__ == "__main__":
    main()
