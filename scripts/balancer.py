"""Draw gravity of axis 2 of an IRB 4400/60 with and without a balancer, and print its numbers.

    python scripts/balancer.py [docs/pictures/balancer.png]

Bodies are those of the set hiqp: all bars, the counterweight, cylinder and piston. The pivots are
those of springs.yaml. The force law is not known: drawn is a gas strut of the force that leaves the
least torque of axis 2 with half the rated payload, in least squares over its range; none of ABB's.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import irbmodels as irb

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "balancer.png"
NAME = "irb4400_60_196"
LENGTH = 0.82  # [m] between the pivots where the strut is longest
COLUMN = 0.6  # [m] of gas there; assumed: what a cylinder of that length has room for
EXPONENT = 1.2  # nitrogen, between a constant temperature (1) and no exchange of heat (1.4)
Array = NDArray[np.float64]


def torques(robot: irb.Robot, angles: Array, payload: float) -> Array:
    """Return gravity of axis 2 [N m] at positions of it [rad], a payload [kg] at the flange.

    It does not depend on axis 3, which the parallelogram holds against the base.
    """
    held = robot.with_payload(irb.payload(payload, (0.0, 0.0, 0.0))) if payload else robot
    q = np.zeros((len(angles), 6))
    q[:, 1] = q[:, 2] = angles
    return held.gravity(q)[:, 1]


def strut(robot: irb.Robot, angles: Array, gravity: Array) -> irb.GasSpring:
    """Return the gas strut between the pivots of the tables that leaves the least torque."""
    assert robot.description is not None
    row = robot.description.springs.elements["balancer"]
    assert row.before_mm is not None
    assert row.after_mm is not None
    before, after = ((x / 1000.0, y / 1000.0) for x, y in (row.before_mm, row.after_mm))
    unit = irb.GasSpring(2, before, after, LENGTH, -1.0, -COLUMN, EXPONENT)
    per_newton = unit.torque(angles)
    force = -float(gravity @ per_newton) / float(per_newton @ per_newton)
    return irb.GasSpring(2, before, after, LENGTH, -force, -COLUMN, EXPONENT)


def figure(angles: Array, curves: dict[str, tuple[Array, Array]], element: irb.GasSpring) -> Figure:
    """Draw torques without and with the strut, and its force and length."""
    drawing = Figure(figsize=(7.0, 6.0), layout="constrained")
    above, below = drawing.subplots(2, 1, sharex=True, height_ratios=(3, 1.4))
    shown = np.degrees(angles)
    for colour, (name, (bare, relieved)) in zip(("C0", "C3"), curves.items(), strict=True):
        above.plot(shown, bare / 1000.0, "--", color=colour, label=f"{name}, without balancer")
        above.plot(shown, relieved / 1000.0, color=colour, label=f"{name}, with balancer")
    above.axhline(0.0, color="0.6", linewidth=0.8)
    above.set_ylabel("gravity of axis 2 [kN m]")
    above.set_title("IRB 4400/60, set hiqp; force law of the balancer fitted, not ABB's")
    above.legend(fontsize=8)
    below.plot(shown, -element.force(angles) / 1000.0, color="C2")
    below.set_ylabel("push [kN]", color="C2")
    below.set_xlabel("axis 2 [deg]")
    length = below.twinx()
    length.plot(shown, 1000.0 * element.distance(angles), color="0.4", linestyle=":")
    length.set_ylabel("between pivots [mm]", color="0.4")
    return drawing


def main(picture: Path) -> None:
    """Write the figure, and print what the strut leaves."""
    robot = irb.load(NAME)
    assert robot.description is not None
    rated = robot.description.limits.ratings.payload_kg
    low, high = (float(end[1]) for end in robot.limits.envelope())
    angles = np.linspace(low, high, 166)
    element = strut(robot, angles, torques(robot, angles, 0.5 * rated))
    relieved = robot.with_springs([element])
    curves = {
        f"{payload:g} kg": (torques(robot, angles, payload), torques(relieved, angles, payload))
        for payload in (0.0, rated)
    }
    print(
        f"strut: {-element.F0:.0f} N at {1000.0 * LENGTH:.0f} mm, {1000.0 * COLUMN:.0f} mm of gas"
    )
    for name, (bare, with_strut) in curves.items():
        print(
            f"{name}: at most {np.abs(bare).max():.0f} N m without,"
            f" {np.abs(with_strut).max():.0f} N m with the balancer"
        )
    figure(angles, curves, element).savefig(picture, dpi=110)


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE)
