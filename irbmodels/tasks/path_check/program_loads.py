"""Loads that a program carries: the tooldata of its moves with the loaddata of its GripLoad."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ...errors import InputError
from ...model.inertia import Inertial
from ...model.model import load_on_flange
from ...model.tool import Tool
from ...rapid import PREDEFINED, LoadData, Move, body_of
from ...robot.robot import Robot

_GRIP = re.compile(r"\s*GripLoad\s+([^;]*?)\s*;?\s*", re.IGNORECASE)
_NONE = "load0"  # ABB's name of no payload
_NO_LOAD = Inertial.of(0.0, np.zeros(3), np.zeros((3, 3)))


Held = tuple[str, Inertial | None] | None
"""Name and value of a payload; None where the value is not known."""


class CarriedLoad(NamedTuple):
    """Tool and payload together, as one body on the flange."""

    name: str
    """``tGrip``, ``tGrip with lPart``."""
    line: int | None
    """Of the first move that carries it; None of the robot's own."""
    body: Inertial
    """In the axes of tool0."""


def own_load(robot: Robot) -> CarriedLoad | None:
    """Return tool and payload that a robot has itself; None without mass."""
    body = load_on_flange(robot.tool, robot.payload)
    if body is None:
        return None
    tool = "tool0" if robot.tool is None else robot.tool.name
    return CarriedLoad(tool if robot.payload is None else f"{tool} with payload", None, body)


class ProgramLoads:
    """Loads of moves, collected in the order of the program."""

    def __init__(
        self, robot: Robot, values: Mapping[str, LoadData], notes: dict[str, None]
    ) -> None:
        """Begin with the robot's own payload.

        Args:
            robot: With its tool and payload.
            values: The program's loaddata by name.
            notes: Takes the loads that are not checked, and why.
        """
        self._robot = robot
        self._values = {name.lower(): value for name, value in values.items()}
        self.held: Held = "payload", robot.payload
        """The payload that the robot has now."""
        self._tools: dict[tuple[str, str], Tool | None] = {}
        self._loads: dict[tuple[str, str, str], CarriedLoad | None] = {}
        self._notes = notes

    def take(self, move: Move) -> None:
        """Take the next instruction: a GripLoad, or a move."""
        grip = _GRIP.fullmatch(move.text)
        if grip:
            self.held = self._gripped(move, grip[1])
        elif move.is_motion and self.held is not None:
            name, payload = self.held
            key = move.tool_name, name if payload is not None else "", _gripped_object(move)
            if key not in self._loads:
                body = load_on_flange(self._tool(move), payload)
                words = " with ".join(filter(None, key[:2]))
                self._loads[key] = None if body is None else CarriedLoad(words, move.line, body)

    def result(self) -> tuple[CarriedLoad, ...]:
        """Return the loads that are not the robot's own, each once."""
        own = own_load(self._robot)
        loads = [load for load in self._loads.values() if load is not None]
        return tuple(load for load in loads if own is None or not _same(load.body, own.body))

    def _gripped(self, move: Move, name: str) -> Held:
        """Return the payload of a GripLoad; None where its value is not known."""
        if name.lower() == _NONE:
            return name, None
        value = self._values.get(name.lower())
        try:
            if not isinstance(value, LoadData):
                raise InputError("it has no value in the program")
            return name, body_of(value)
        except InputError as err:
            self._notes[f"line {move.line}: load {name} is not checked: {err}"] = None
            return None

    def _tool(self, move: Move) -> Tool | None:
        """Return the tool of a move; the robot's own where its value is not known.

        Of a stationary tool: the load of the gripper, with the object in it as frame of payloads
        (ABB, Basic Characteristics RAPID, 7-tooldata-2 and 7-loaddata-1).
        """
        if move.tool is None:
            return self._robot.tool
        key = move.tool_name, _gripped_object(move)
        if key not in self._tools:
            data, tool = move.tool, None
            try:
                if data != PREDEFINED["tool0"]:  # whose load is none that counts
                    frame = data.tframe.se3() if data.robhold else _object_frame(move)
                    tool = Tool(move.tool_name, frame, _NO_LOAD)
                    tool = Tool(move.tool_name, frame, body_of(data.tload))
            except InputError as err:
                text = f"load of tool {move.tool_name} is not checked: {err}"
                self._notes[f"line {move.line}: {text}"] = None
            self._tools[key] = tool
        return self._tools[key]


def _gripped_object(move: Move) -> str:
    """Return the name of the work object at a stationary tool; empty at one that is held."""
    return "" if move.tool is None or move.tool.robhold else move.wobj_name


def _object_frame(move: Move) -> pin.SE3:
    """Return the object frame of a move with a stationary tool, in tool0."""
    if move.wobj is None or not move.wobj.robhold:
        raise InputError(f"it is stationary, and the robot does not hold {move.wobj_name}")
    return move.wobj.frame()


def _same(one: Inertial, other: Inertial) -> bool:
    pairs = (one.mass, other.mass), (one.com, other.com), (one.tensor, other.tensor)
    return all(np.allclose(a, b, rtol=1e-6, atol=1e-9) for a, b in pairs)
