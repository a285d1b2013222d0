"""ABB's RAPID: data types as values with exact text in and out, and modules read and written."""

from __future__ import annotations

from ..errors import RapidError
from .constants import values_of
from .convert import body_of, loaddata_of, tool0_pose, tool_of, tooldata_of
from .editing import with_declarations, with_values
from .module import Declaration, Module
from .parser import read, read_file, read_value, write
from .predefined import PREDEFINED
from .program.arguments import Move
from .program.files import holds_rapid, read_program
from .program.moves import moves_of
from .program.sequence import sequence_of
from .program.summary import MoveSummary, summary_of
from .records import Orient, Pos, Pose, Value
from .text import Number
from .value_builder import Expression
from .values import (
    ConfData,
    ExtJoint,
    JointTarget,
    LoadData,
    RobJoint,
    RobTarget,
    SpeedData,
    ToolData,
    WobjData,
    ZoneData,
)

__all__ = [
    "PREDEFINED",
    "ConfData",
    "Declaration",
    "Expression",
    "ExtJoint",
    "JointTarget",
    "LoadData",
    "Module",
    "Move",
    "MoveSummary",
    "Number",
    "Orient",
    "Pos",
    "Pose",
    "RapidError",
    "RobJoint",
    "RobTarget",
    "SpeedData",
    "ToolData",
    "Value",
    "WobjData",
    "ZoneData",
    "body_of",
    "holds_rapid",
    "loaddata_of",
    "moves_of",
    "read",
    "read_file",
    "read_program",
    "read_value",
    "sequence_of",
    "summary_of",
    "tool0_pose",
    "tool_of",
    "tooldata_of",
    "values_of",
    "with_declarations",
    "with_values",
    "write",
]
