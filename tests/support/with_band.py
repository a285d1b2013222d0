"""A robot whose set of inertials has a covariance, and with it torque bands."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

import irbmodels as irb
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.uncertainty import ParameterUncertainty


def scara_with_band() -> irb.Robot:
    """Return an IRB 930 of known uncertainty: axis 3 slides, and friction is unknown."""
    robot = irb.load("irb930")
    base = base_parameters(robot)
    known = ParameterUncertainty.of(
        0.01 * np.eye(base.rank),
        names=base.names,
        degrees=50.0,
        axes=base.axes,
        noise=np.array([5.0, 3.0, 20.0, 0.5]),
        correlation_time=np.full(4, 0.004),
    )
    return replace(robot, _bare=replace(robot._bare, uncertainty=known))
