"""Arms with made-up elastic joints."""

from __future__ import annotations

import numpy as np

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot

STIFFNESS = np.array([2e5, 1e5, 8e4, 3e4, 2e4, 1e4])
ROTORS = np.array([8.0, 7.0, 6.0, 1.0, 0.8, 0.5])  # arm side [kg m^2]
POSTURE = np.array([0.3, 0.4, -0.2, 0.5, 0.6, -0.4])


def drives(n=6, **more) -> list[Drive]:
    """Return elastic drives."""
    return [Drive(STIFFNESS[i], ROTORS[i], **more) for i in range(n)]


def elastic(name="irb1400", count=6, friction=True, **more) -> FlexibleRobot:
    """Return a robot whose first axes are elastic, the others rigid with their rotors."""
    robot = irb.load(name)
    rigid = [Drive(rotor_inertia=inertia) for inertia in ROTORS[count : robot.n]]
    return FlexibleRobot(robot, [*drives(count, **more), *rigid], friction)
