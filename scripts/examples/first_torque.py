"""Axis torques of an IRB 2400 with the spindle at one state, and what they are made of.

python scripts/examples/first_torque.py
"""

import numpy as np

import irbmodels as irb


def main() -> None:
    """Print the torque of every axis by cause."""
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([0, 20, 10, 0, 30, 0])  # degrees, as on the controller; q is in rad
    v = np.array([0.1, 0.2, -0.1, 0.3, 0.2, 0.5])  # [rad/s]
    a = np.full(6, 0.5)  # [rad/s^2]

    parts = robot.torque_parts(q, v, a)  # [N m], at the arm side of the gearboxes
    print("axis  inertia  coriolis  gravity  friction    total [N m]")
    for axis, row in enumerate(
        zip(parts.inertia, parts.coriolis, parts.gravity, parts.friction, parts.total, strict=True),
        1,
    ):
        print(f"{axis:4d} {row[0]:8.2f} {row[1]:9.2f} {row[2]:8.2f} {row[3]:9.2f} {row[4]:8.2f}")

    # All of an array of states are computed at once, with the same leading axes.
    q_grid = np.linspace(robot.from_controller([0, 0, 0, 0, 30, 0]), q, 5)
    print("gravity along axis 2 [N m]:", robot.gravity(q_grid)[:, 1].round(1))


if __name__ == "__main__":
    main()
