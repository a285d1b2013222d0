"""Draw the figures of docs/flexible_joints.md.

    python scripts/flexible_joints.py [-o FOLDER]

- flexible_bode.png: axis 1 of the IRB 1400 as S003 identified it (Table 3.1, read so that energy is
  conserved).
- flexible_map.png: lowest eigenfrequency of the IRB 1400 over axes 2 and 3. Only axis 1 is known;
  the rest is assumed below.
- flexible_steps.png: axis 1 under a step of torque, with its stiffness and 4 and 16 times as much,
  and as a rigid axis.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.report.figures import save
from irbmodels.simulation.flexible import Drive, FlexibleRobot, bode_figure, identified, map_figure

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
# Nobody has published drives of axes 2 to 6. These are guesses: axis 1's numbers at the arm side,
# and a tenth for the wrist.
ASSUMED = [None, *[Drive(80e3, 8.3)] * 2, *[Drive(8e3, 0.83)] * 3]


def steps(robot: irb.Robot) -> Figure:
    """Draw motor and link of axis 1 after a step of 100 N m (arm side), for growing stiffness."""
    axis = identified(robot)
    figure = Figure(figsize=(7.0, 4.5), layout="constrained")
    panels = figure.subplots(1, 2)
    rest, push = np.zeros(robot.n), np.array([100.0, *[0.0] * (robot.n - 1)])
    gravity = robot.gravity(rest)
    for grown, color in (
        (1.0, "#D55E00"),
        (4.0, "#E69F00"),
        (16.0, "#56B4E9"),
        (np.inf, "#000000"),
    ):
        drive = replace(axis.drive, stiffness=grown * axis.drive.stiffness)
        arm = FlexibleRobot(robot, [drive, *[None] * (robot.n - 1)])
        run = arm.simulate(rest, duration=0.25, torque=push + gravity, every=5e-4)
        label = "rigid" if np.isinf(grown) else f"{grown:g} k" if grown > 1.0 else "k of S003"
        panels[0].plot(1e3 * run.t, np.degrees(run.v[:, 0]), color=color, lw=1.4, label=label)
        panels[1].plot(1e3 * run.t, np.degrees(run["theta"] - run.q)[:, 0], color=color, lw=1.4)
    panels[0].set_ylabel("speed of the link [deg/s]")
    panels[1].set_ylabel("motor ahead of the link [deg]")
    for panel in panels:
        panel.set_xlabel("time [ms]")
        panel.grid(alpha=0.3, lw=0.4)
    panels[0].legend(frameon=False)
    figure.suptitle("irb1400, axis 1: a step of 100 N m, masses assumed", fontsize="medium")
    return figure


def main() -> int:
    """Write the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder for the pictures")
    folder: Path = parser.parse_args().output
    robot = irb.load("irb1400")
    arm = FlexibleRobot.of(robot, ASSUMED)
    pictures = {
        "bode": bode_figure(
            identified(robot), "IRB 1400, axis 1 (S003 Table 3.1): motor torque to motor speed"
        ),
        "map": map_figure(arm, robot.from_controller([0, 0, 0, 0, 30, 0])),
        "steps": steps(robot),
    }
    for name, figure in pictures.items():
        save(figure, folder / f"flexible_{name}.png")
        print(folder / f"flexible_{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
