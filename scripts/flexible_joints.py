"""Draw the figures of docs/howto/flexible_joints.md.

    python scripts/flexible_joints.py [-o FOLDER]

- flexible_bode.png: axis 1 of the IRB 1400 as S003 identified it (Table 3.1, read so that energy is
  conserved).
- flexible_map.png: lowest eigenfrequency of the IRB 1400 over axes 2 and 3. Only axis 1 is known;
  the rest is assumed below.
- flexible_steps.png: axis 1 under a step of torque, with its stiffness and 4 and 16 times as much,
  and as a rigid axis.
- flexible_rod.png: rod of the parallelogram of the IRB 2400, rigid and elastic, after a step of
  torque on axis 3; and its eigenfrequency over the angle between the arms. Stiffness and rotors are
  assumed.
- flexible_rod_forces.png: force along the rod at rest over axis 2 and the angle between the arms:
  IRB 4400/60 with the bodies of set hiqp and its payload, and what the payload of an IRB
  6660-205/1.90 alone asks, whose masses are unknown.
"""

from __future__ import annotations

import argparse
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import irbmodels as irb
from irbmodels.report.figures import save
from irbmodels.simulation.flexible import Drive, FlexibleRobot, bode_figure, identified, map_figure
from irbmodels.simulation.parallelogram_loop import ParallelogramLoop

Array = NDArray[np.float64]
LOWER_ARM, BETWEEN = np.eye(6)[1], np.array([0.0, -1.0, 1.0, 0.0, 0.0, 0.0])  # q2, q3 - q2
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


def rod() -> Figure:
    """Draw the force in a rigid and an elastic rod, and the frequency that the elastic one has."""
    robot = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    robot = robot.with_rotors([8.3, 8.3, 8.3, 0.83, 0.83, 0.83])  # those of ASSUMED
    q, k = robot.from_controller([0, 0, 0, 0, 30, 0]), 2e7
    push = robot.gravity(q) + np.array([0.0, 0.0, -100.0, 0.0, 0.0, 0.0])
    figure = Figure(figsize=(7.0, 3.6), layout="constrained")
    force, frequency = figure.subplots(1, 2)
    for arm, color, label in (
        (ParallelogramLoop(robot, k), "#D55E00", f"{k / 1e6:g} kN/mm"),
        (ParallelogramLoop(robot), "#000000", "rigid"),
    ):
        run = arm.simulate(q, duration=0.1, torque=push, every=5e-4)
        force.plot(1e3 * run.t, run.rods[:, 0], color=color, lw=1.4, label=label)
    force.set_xlabel("time [ms]")
    force.set_ylabel("force along the rod [N]")
    force.set_ylim(top=0.0)
    force.legend(frameon=False, loc="upper right")
    angles, elastic = np.arange(-60.0, 61.0, 5.0), ParallelogramLoop(robot, k)
    postures = [robot.from_controller([0, 0, angle, 0, 30, 0]) for angle in angles]
    for motors, style in (("held", "-"), ("free", "--")):
        values = [elastic.frequencies(posture, motors)[0] for posture in postures]
        frequency.plot(angles, values, style, color="#D55E00", lw=1.4, label=f"motors {motors}")
    frequency.set_xlabel("q3 - q2 [deg]")
    frequency.set_ylabel("eigenfrequency [Hz]")
    frequency.set_ylim(bottom=0.0)
    frequency.legend(frameon=False)
    for panel in (force, frequency):
        panel.grid(alpha=0.3, lw=0.4)
    title = "irb2400, a step of -100 N m on axis 3; stiffness of the rod and rotors assumed"
    figure.suptitle(title, fontsize="medium")
    return figure


def rod_forces() -> Figure:
    """Draw the force along the rod of two heavy arms at rest, over their ranges."""
    known = irb.load("irb4400_60_196", parameters="hiqp").with_payload(irb.payload(60.0, [0, 0, 0]))
    unknown = irb.load("irb6660_205_190", coupling="parallelogram")
    loop, linkage, rest = ParallelogramLoop(known), unknown.dynamic_model.linkage, np.zeros(6)
    assert linkage is not None

    def of_arm(q: Array) -> float:
        return float(loop.inverse_dynamics(q, rest, rest).pins[0, 0])

    def of_payload(q: Array) -> float:
        held = -unknown.external_torque(q, [0.0, 0.0, -205.0 * 9.81, 0.0, 0.0, 0.0])[2]
        return float(held / (linkage.crank * np.cos(q[2] - q[1])))

    figure = Figure(figsize=(7.4, 3.6), layout="constrained")
    for panel, robot, force, title in zip(
        figure.subplots(1, 2),
        (known, unknown),
        (of_arm, of_payload),
        ("IRB 4400/60, set hiqp, 60 kg", "IRB 6660-205/1.90, 205 kg alone"),
        strict=True,
    ):
        ranges = (robot.limits.sum_range(row) for row in (LOWER_ARM, BETWEEN))
        x, y = np.meshgrid(*(np.linspace(*ends, 40) for ends in ranges))
        q = np.zeros((*x.shape, 6))
        q[..., 1], q[..., 2] = x, x + y
        values = np.apply_along_axis(force, -1, q) / 1e3
        values[~robot.limits.in_range(q)] = np.nan
        ends = {"vmin": -np.nanmax(np.abs(values)), "vmax": np.nanmax(np.abs(values))}
        drawn = panel.contourf(np.degrees(x), np.degrees(y), values, 12, cmap="RdBu_r", **ends)
        figure.colorbar(drawn, ax=panel, label="force along the rod [kN]")
        panel.set_xlabel("axis 2 [deg]")
        panel.set_ylabel("q3 - q2 [deg]")
        panel.set_title(title, fontsize="medium")
    figure.suptitle("at rest, wrist at zero, payload at the flange", fontsize="medium")
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
        "rod": rod(),
        "rod_forces": rod_forces(),
    }
    for name, figure in pictures.items():
        save(figure, folder / f"flexible_{name}.png")
        print(folder / f"flexible_{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
