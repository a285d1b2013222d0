"""Tools and work objects of a program, and notes on assumptions and parts not evaluated."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np
import pinocchio as pin

from ...errors import InputError
from ...model.inertia import Inertial
from ...model.tool import Tool
from ...rapid import Move, WobjData
from ...rapid.records import orients
from ...robot.robot import Robot


class ProgramNotes:
    """Tools and work objects of moves, and notes about them."""

    def __init__(self, robot: Robot, wobjs: Mapping[str, WobjData], stand_in: bool) -> None:
        """Begin without notes; ``wobjs`` and ``stand_in`` as of :func:`programmed_motion`."""
        self.robot, self.stand_in = robot, stand_in
        self.wobjs = {name.lower(): one for name, one in wobjs.items()}
        self.notes: dict[str, None] = {}
        """In the order of the program, each once: a loop comes by again and again."""
        self.unevaluated: dict[str, None] = {}
        """Those without which the program is not wholly checked."""
        self.general: set[str] = set()
        """Notes on the whole program."""
        self._robots: dict[bytes, Robot] = {}

    def result(self) -> tuple[tuple[str, ...], tuple[str, ...]]:
        """Return all notes, and those of what is not evaluated."""
        return (*self.notes, *sorted(self.general)), tuple(self.unevaluated)

    def add(self, move: Move, text: str) -> None:
        """Add a note on one move."""
        self.notes[f"line {move.line}: {move.instruction} {text}"] = None

    def add_unevaluated(self, move: Move, reason: str) -> None:
        """Add a note that a move is not evaluated, and why."""
        text = f"line {move.line}: {move.instruction} not evaluated: {reason}"
        self.notes[text] = self.unevaluated[text] = None

    def add_remarks(self, move: Move) -> None:
        """Add notes on the parts of a move that are not regarded."""
        if move.inside:
            blocks = " in the ".join(reversed(move.inside))
            self.add(move, f"stands in the {blocks}; it is taken once")
        names = "target", "circle point", "tool", "work object"
        values = move.target, move.via, move.tool, move.wobj
        for what, value in zip(names, values, strict=True):
            for orient in orients(value) if value is not None else ():
                if orient.note:
                    self.add(move, f"has a {what} whose {orient.note}")
        for option in move.options:
            self.add(move, f"has {option}, which is not regarded")
        extax = getattr(move.target, "extax", None)
        if extax is not None and any(value is not None for value in extax.used):
            self.general.add("external axes are not moved")

    def add_starts(self, move: Move, lines: Sequence[int], most: int) -> None:
        """Add a note on a move that does not start where the one listed before it ends.

        Args:
            move: The move.
            lines: Of the moves after which it may come.
            most: Number of these from which it is driven.
        """
        *others, last = dict.fromkeys(map(str, lines))
        if others:
            where = f"{', '.join(others)} or {last} ends: it is driven from each"
        else:
            where = f"{last} ends: what stands between is another branch"
        self.add(move, f"starts where line {where}")
        if len(lines) > most:
            text = f"it is driven from the first {most} of {len(lines)} postures it may start in"
            self.add_unevaluated(move, text)
        self.general.add(
            "branches that the run chooses from follow one another here, each from where it starts:"
            " times and energies are those of all of them"
        )

    def has_tool(self, move: Move) -> bool:
        """Return whether the tooldata has a value; if not, note which tool stands for it."""
        if move.tool is not None:
            return True
        own = "tool0" if self.robot.tool is None else f"tool {self.robot.tool.name}"
        text = f"{move.tool_name} has no value in the program: the robot's {own} stands for it"
        self.notes[text] = None
        if not self.stand_in:
            self.unevaluated[text] = None
        return False

    def robot_with_tool(self, move: Move) -> Robot:
        """Return the robot with the TCP of the program.

        Its mass stays that of the robot's own tool.

        Raises:
            InputError: if the tool is stationary.
        """
        own = self.robot.tool
        if not self.has_tool(move) or move.tool is None:
            return self.robot
        if not move.tool.robhold:
            raise InputError(f"{move.tool_name} is stationary")
        tcp = move.tool.tframe.se3()
        if tcp.isApprox(pin.SE3.Identity() if own is None else own.tcp, 1e-9):
            return self.robot
        name = "no tool" if own is None else own.name
        self.general.add(
            f"the TCP of {move.tool_name} is the program's; torques are those of {name}"
        )
        key = tcp.homogeneous.tobytes()
        if key not in self._robots:
            load = Inertial.of(0.0, np.zeros(3), np.zeros((3, 3))) if own is None else own.load
            self._robots[key] = self.robot.with_load(
                Tool(move.tool_name, tcp, load), self.robot.payload
            )
        return self._robots[key]

    def work_object(self, move: Move) -> WobjData:
        """Return the work object of a move.

        Raises:
            InputError: if it has no value in the program, and none was given.
        """
        wobj = move.wobj if move.wobj is not None else self.wobjs.get(move.wobj_name.lower())
        if wobj is None:
            raise InputError(f"the work object {move.wobj_name} has no value in the program")
        return wobj
