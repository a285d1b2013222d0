"""Robotics Toolbox: Robot.rne forgets the pose of a fixed joint in front of a moving one.

An arm of two joints about y, each with 1 kg at x = 1 m of its link; fixed joints turn the base and
the first link by angles about x. The torque that holds the arm is the derivative of its potential
energy, here from fkine, which is right.
"""

import sys
from importlib.metadata import version

import numpy as np
import roboticstoolbox as rtb
from roboticstoolbox import ET, ETS, Link


def arm(before, between):
    """Return the arm with fixed joints of these angles in [rad]."""
    body = {"m": 1.0, "r": [1.0, 0.0, 0.0], "I": [0.1, 0.1, 0.1, 0, 0, 0]}
    links = [Link(ETS(ET.Rx(before)), name="base")]
    links.append(Link(ETS(ET.Ry()), name="one", parent=links[-1], **body))
    links.append(Link(ETS(ET.Rx(between)), name="fixed", parent=links[-1]))
    links.append(Link(ET.tx(1.0) * ET.Ry(), name="two", parent=links[-1], **body))
    return rtb.Robot(links)


def energy(robot, q):
    """Return the potential energy in [J]."""
    return sum(9.81 * (robot.fkine(q, end=end) * [1.0, 0.0, 0.0])[2, 0] for end in ("one", "two"))


print("roboticstoolbox-python", version("roboticstoolbox-python"))
q, h, fault = np.array([0.3, 0.4]), 1e-6, False
for before, between in ((0.0, 0.0), (0.7, 0.0), (0.0, 0.7)):
    robot = arm(before, between)
    right = [(energy(robot, q + h * e) - energy(robot, q - h * e)) / (2 * h) for e in np.eye(2)]
    tau = robot.rne(q, 0 * q, 0 * q, gravity=[0, 0, -9.81])
    print(f"fixed angles {before}, {between}: rne {tau.round(3)}, right {np.round(right, 3)} N m")
    fault |= not np.allclose(tau, right, atol=1e-5)
sys.exit(fault)
