"""ABB's IRB 2400, 1400, 1600 and 930: kinematics and dynamics in the axis positions that the controller shows."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

from .dynamics.derivatives import EnergyRegressor, ForwardDerivatives, InverseDerivatives
from .dynamics.equations_of_motion import Energy, TorqueParts
from .dynamics.reactions import Bars, Reactions
from .errors import (
    FileError,
    InputError,
    IrbError,
    MissingData,
    MissingExtra,
    MissingProgram,
    MotionError,
    NoSolution,
    PhysicsWarning,
    RapidError,
    TableError,
    UnknownName,
    UrdfError,
)
from .exchange.write import Options, export
from .model.dh import DHTable
from .model.friction import Stribeck
from .model.inertia import Inertial
from .model.limits import Limits, Violation
from .model.motors import Motors
from .model.tool import Tool, payload
from .robot.robot import Robot, from_urdf, load
from .tables.building import load_tool
from .tables.description import aliases, describe, robots, tools, urdf_path
from .tables.overlays import new_robot
from .trajectory import Motion
from .trajectory.motion_files import MotionFile, open_motion, write_motion
from .trajectory.torque_prediction import Prediction, predict
from .version import __version__ as __version__
from .viewer import Actor, Viewer, save_page, save_picture, view

if TYPE_CHECKING:
    from .exchange.c.codegen import write_c
    from .exchange.equations.equations import equations_text
    from .exchange.read.from_file import from_file
    from .exchange.write.tables import write_tables
    from .kinematics.configuration import Configuration
    from .kinematics.inverse.solutions import Branches, Solution, Solutions
    from .kinematics.link_velocities import LinkMotion
    from .kinematics.planar_boundary import Arc
    from .kinematics.singularities import DampedVelocity, Measures, Singularities, SingularPosture
    from .kinematics.workspace import Workspace
    from .kinematics.wrist_crossing import Crossing
    from .rapid import JointTarget, LoadData, RobTarget, ToolData, WobjData
    from .report.workspace_drawing import workspace_figure
    from .robot.collision import Clearance, clearance, collides, contacts
    from .simulation import Plant, Run, SimulationError, simulate
    from .tasks.path_check import PathCheck, check_path

_LATER = {  # imported when they are first asked for
    **dict.fromkeys(("Clearance", "clearance", "collides", "contacts"), "robot.collision"),
    **dict.fromkeys(("Branches", "Solution", "Solutions"), "kinematics.inverse.solutions"),
    "Configuration": "kinematics.configuration",
    "equations_text": "exchange.equations.equations",
    "from_file": "exchange.read.from_file",
    **dict.fromkeys(("JointTarget", "LoadData", "RobTarget", "ToolData", "WobjData"), "rapid"),
    "write_c": "exchange.c.codegen",
    "write_tables": "exchange.write.tables",
    **dict.fromkeys(("DampedVelocity", "Measures", "SingularPosture", "Singularities"), "kinematics.singularities"),
    **dict.fromkeys(("PathCheck", "check_path"), "tasks.path_check"),
    **dict.fromkeys(("Plant", "Run", "SimulationError", "simulate"), "simulation"),
    "Arc": "kinematics.planar_boundary",
    "Crossing": "kinematics.wrist_crossing",
    "LinkMotion": "kinematics.link_velocities",
    "Workspace": "kinematics.workspace",
    "workspace_figure": "report.workspace_drawing",
}

__all__ = [
    "Actor",
    "Arc",
    "Bars",
    "Branches",
    "Clearance",
    "Configuration",
    "Crossing",
    "DHTable",
    "DampedVelocity",
    "Energy",
    "EnergyRegressor",
    "FileError",
    "ForwardDerivatives",
    "Inertial",
    "InputError",
    "InverseDerivatives",
    "IrbError",
    "JointTarget",
    "Limits",
    "LinkMotion",
    "LoadData",
    "Measures",
    "MissingData",
    "MissingExtra",
    "MissingProgram",
    "Motion",
    "MotionError",
    "MotionFile",
    "Motors",
    "NoSolution",
    "Options",
    "PathCheck",
    "PhysicsWarning",
    "Plant",
    "Prediction",
    "RapidError",
    "Reactions",
    "RobTarget",
    "Robot",
    "Run",
    "SimulationError",
    "SingularPosture",
    "Singularities",
    "Solution",
    "Solutions",
    "Stribeck",
    "TableError",
    "Tool",
    "ToolData",
    "TorqueParts",
    "UnknownName",
    "UrdfError",
    "Viewer",
    "Violation",
    "WobjData",
    "Workspace",
    "aliases",
    "check_path",
    "clearance",
    "collides",
    "contacts",
    "describe",
    "equations_text",
    "export",
    "from_file",
    "from_urdf",
    "load",
    "load_tool",
    "new_robot",
    "open_motion",
    "payload",
    "predict",
    "robots",
    "save_page",
    "save_picture",
    "simulate",
    "tools",
    "urdf_path",
    "view",
    "workspace_figure",
    "write_c",
    "write_motion",
    "write_tables",
]


def __dir__() -> list[str]:
    """Return the public names, those that are imported later too."""
    return [*__all__, *(name for name in globals() if name.startswith("__"))]


def __getattr__(name: str) -> object:
    """Import what few need when it is asked for."""
    if name in _LATER:
        return getattr(import_module(f".{_LATER[name]}", __name__), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
