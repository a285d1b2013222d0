"""ABB's IRB 2400, 1400, 1600 and 930: kinematics and dynamics in the axis positions that the controller shows."""

from __future__ import annotations

from .derivatives import EnergyRegressor, ForwardDerivatives, InverseDerivatives
from .description import aliases, describe, robots, tools, urdf_path
from .dh import DHTable
from .dynamics import Energy, TorqueParts
from .errors import (
    FileError,
    InputError,
    IrbError,
    MissingData,
    MissingExtra,
    MotionError,
    PhysicsWarning,
    TableError,
    UnknownName,
    UrdfError,
)
from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits, Violation
from .logs import MotionFile, open_motion, write_motion
from .motors import Motors
from .overlays import new_robot
from .prediction import Prediction, predict
from .reactions import Bars, Reactions
from .robot import Robot, from_urdf, load
from .tool import Tool, load_tool, payload
from .trajectory import Motion
from .view import view

__version__ = "0.1.0"

__all__ = [
    "Bars",
    "DHTable",
    "Energy",
    "EnergyRegressor",
    "FileError",
    "ForwardDerivatives",
    "Inertial",
    "InputError",
    "InverseDerivatives",
    "IrbError",
    "Limits",
    "MissingData",
    "MissingExtra",
    "Motion",
    "MotionError",
    "MotionFile",
    "Motors",
    "PhysicsWarning",
    "Prediction",
    "Reactions",
    "Robot",
    "Stribeck",
    "TableError",
    "Tool",
    "TorqueParts",
    "UnknownName",
    "UrdfError",
    "Violation",
    "aliases",
    "describe",
    "from_urdf",
    "load",
    "load_tool",
    "new_robot",
    "open_motion",
    "payload",
    "predict",
    "robots",
    "tools",
    "urdf_path",
    "view",
    "write_motion",
]
