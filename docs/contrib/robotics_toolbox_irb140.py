"""Robotics Toolbox: the second link of models.DH.IRB140 has its center of mass 219 km away.

Lengths of the arm are below 1 m, and the whole arm weighs some 98 kg.
"""

import sys
from importlib.metadata import version

import numpy as np
import roboticstoolbox as rtb

print("roboticstoolbox-python", version("roboticstoolbox-python"))
robot = rtb.models.DH.IRB140()
for number, link in enumerate(robot.links[:3], start=1):
    print(f"link {number}: {link.m:.1f} kg, center of mass at {np.linalg.norm(link.r):.3f} m")
print(f"torque of axis 2 that holds the arm: {robot.gravload(np.zeros(6))[1]:.0f} N m")
sys.exit(np.linalg.norm(robot.links[1].r) > 1.0)
