"""ABB's IRB 2400, 1400, 1600 and 930: kinematics and dynamics in the axis positions that the controller shows."""

from __future__ import annotations

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
from .robot import Robot, from_urdf, load
from .tool import Tool, load_tool, payload
from .view import view

__version__ = "0.1.0"

__all__ = [
    "DHTable",
    "Energy",
    "FileError",
    "Inertial",
    "InputError",
    "IrbError",
    "Limits",
    "MissingData",
    "MissingExtra",
    "MotionError",
    "PhysicsWarning",
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
    "payload",
    "robots",
    "tools",
    "urdf_path",
    "view",
]
