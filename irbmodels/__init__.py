"""ABB's IRB 2400, 1400, 1600 and 930: kinematics and dynamics in the axis positions that the controller shows."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING

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
    MissingProgram,
    MotionError,
    NoSolution,
    PhysicsWarning,
    RapidError,
    TableError,
    UnknownName,
    UrdfError,
)
from .export import Options, export
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
from .view import Actor, Viewer, save_page, save_picture, view

if TYPE_CHECKING:
    from .codegen import write_c
    from .collision import Clearance, clearance, collides, contacts
    from .configuration import Configuration
    from .crossing import Crossing
    from .drawings import workspace_figure
    from .equations import equations_text
    from .export.tables import write_tables
    from .inverse.solutions import Branches, Solution, Solutions
    from .outline import Arc
    from .path_check import PathCheck, check_path
    from .rapid import JointTarget, LoadData, RobTarget, ToolData, WobjData
    from .reading import from_file
    from .simulation import Plant, Run, SimulationError, simulate
    from .singularities import DampedVelocity, Measures, Singularities, SingularPosture
    from .velocities import LinkMotion
    from .workspace import Workspace

__version__ = "0.1.0"
_LATER = {  # imported when they are first asked for
    **dict.fromkeys(("Clearance", "clearance", "collides", "contacts"), "collision"),
    **dict.fromkeys(("Branches", "Solution", "Solutions"), "inverse.solutions"),
    "Configuration": "configuration",
    "equations_text": "equations",
    "from_file": "reading",
    **dict.fromkeys(("JointTarget", "LoadData", "RobTarget", "ToolData", "WobjData"), "rapid"),
    "write_c": "codegen",
    "write_tables": "export.tables",
    **dict.fromkeys(("DampedVelocity", "Measures", "SingularPosture", "Singularities"), "singularities"),
    **dict.fromkeys(("PathCheck", "check_path"), "path_check"),
    **dict.fromkeys(("Plant", "Run", "SimulationError", "simulate"), "simulation"),
    "Arc": "outline",
    "Crossing": "crossing",
    "LinkMotion": "velocities",
    "Workspace": "workspace",
    "workspace_figure": "drawings",
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
