r"""Instructions that change later moves, or that a check of the path need not regard.

``AccSet``, ``WaitTime`` or ``SyncMoveOn`` leave the path where it is: :data:`EFFECTS` says what
they do. ``ConfJ``, ``VelSet``, displacements and ``GripLoad`` are followed in the sequence of
moves.

Sources: ``VelSet`` after the example of blog.csdn.net/weixin_39917576/article/details/111179201
(percent of the speed, of ``\V`` and, inversely, of the time ``\T``; then the bound of the TCP);
``ConfJ`` and ``ConfL`` after "ABB Robot configL configJ: Configuration Control Explained" of
industrialmonitordirect.com (on where a program begins; off: the nearest configuration). All else is
assumed: ABB's manual of instructions (3HAC16581-1) was not at hand.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from ...errors import RapidError
from ..expressions import ExpressionEvaluator, Unknown, arguments_of
from ..predefined import PREDEFINED
from ..values import LoadData, RobTarget, SpeedData

if TYPE_CHECKING:
    from .arguments import Move

_ACCELERATION = "it limits accelerations; those of a check are its own"
_EXTERNAL = "it concerns external axes, which are not moved"
_TASKS = "it waits for other tasks, whose times are not known here"
_SOFT = "it changes how closely the path is followed, not the path"
_PAUSE = "it stops or starts the motion on its path, and leaves the path"
WAIT = "how long it waits is not part of a check"
EFFECTS: Mapping[str, str] = {
    **dict.fromkeys(("accset", "pathacclim", "worldacclim"), _ACCELERATION),
    **dict.fromkeys(("eoffson", "eoffsoff", "eoffsset", "actunit", "deactunit"), _EXTERNAL),
    **dict.fromkeys(("indreset", "moveextj"), _EXTERNAL),
    **dict.fromkeys(("syncmoveon", "syncmoveoff", "syncmoveundo", "waitsynctask"), _TASKS),
    **dict.fromkeys(("syncmovesuspend", "syncmoveresume"), _TASKS),
    **dict.fromkeys(("softact", "softdeact", "tuneservo", "tunereset", "pathresol"), _SOFT),
    **dict.fromkeys(("motionsup", "motionprocessmodeset", "cornerpathwarning"), _SOFT),
    **dict.fromkeys(("stopmove", "startmove", "stopmovereset", "startmoveretry"), _PAUSE),
    **dict.fromkeys(("storepath", "restopath"), _PAUSE),
    **dict.fromkeys(("waittime", "waituntil", "waitrob", "waitsensor", "waitwobj"), WAIT),
    **dict.fromkeys(("waitai", "waitao", "waitdi", "waitdo", "waitgi", "waitgo"), WAIT),
    **dict.fromkeys(("speedrefresh", "speedlimaxis", "speedlimcheckpoint"),
                    "it slows moves; a check takes them at the programmed speed"),
    "singarea": "near a singularity it may turn the tool off its programmed orientation",
    "cirpathmode": "it changes the orientation on the way of MoveC, not its ends",
    "mechunitload": "the load of a mechanical unit is not regarded",
    "setsysdata": "moves name their tool and work object themselves",
}  # fmt: skip
"""What instructions do (assumed) after which a check of the path still holds, in lower case."""


@dataclass
class Settings:
    """Settings of a run, which begin as ABB's controllers begin with them."""

    monitored: dict[str, bool]
    """Whether ``ConfJ`` and ``ConfL`` are on, by name in lower case."""
    displaced: str = ""
    """Why targets are displaced; empty if they are not."""
    override: float = 100.0
    """Speed in percent of the programmed one, of ``VelSet``."""
    fastest: float = math.inf
    """[mm/s] of the TCP, of ``VelSet``; ABB's default depends on the type of robot."""
    slowed: str = ""
    """Why the speed is not known."""

    @classmethod
    def initial(cls) -> Settings:
        """Return the settings that a program begins with."""
        return cls({"confj": True, "confl": True})

    def copy(self) -> Settings:
        """Return settings that change apart from these."""
        return replace(self, monitored=dict(self.monitored))

    def joined(self, other: Settings, where: str) -> Settings:
        """Return what two ways through an instruction agree in; ``where`` names it.

        A configuration that is taken after one of them is taken.
        """
        depends = f"whether {{}} depends on {where}"
        joined = self.copy()
        for name, on in other.monitored.items():
            joined.monitored[name] = joined.monitored[name] or on
        if bool(self.displaced) != bool(other.displaced):
            joined.displaced = depends.format("targets are displaced")
        if (self.override, self.fastest, bool(self.slowed)) != (
            other.override,
            other.fastest,
            bool(other.slowed),
        ):
            joined.slowed = depends.format("VelSet changes the speed")
        return joined

    def apply(self, move: Move, evaluator: ExpressionEvaluator, tree: Any) -> Move:
        """Change the settings by an instruction; return it with its effect, or why it has none.

        Args:
            move: The instruction, with the reason why it is not evaluated by itself.
            evaluator: Of its arguments.
            tree: Of the instruction.
        """
        name = move.instruction.lower()
        required, options = arguments_of(tree)
        if name == "pdispoff":
            self.displaced = ""
            return _with(move, "targets are not displaced from here on")
        if name in ("pdispon", "pdispset"):
            self.displaced = f"the {move.instruction} of line {move.line} displaces its target"
            return move
        if name in ("confj", "confl"):
            self.monitored[name] = "off" not in options
            return _with(move, _CONFIGURATION[self.monitored[name]])
        if name == "velset":
            return self._velset(move, evaluator, required)
        if name == "gripload" and len(required) == 1:
            try:
                if evaluator.value(LoadData, required[0], "the load") == PREDEFINED["load0"]:
                    return _with(move, "no payload is held from here on")
            except (Unknown, RapidError):
                pass
            return replace(move, unknown="torques are those of the payload that the robot has")
        return move

    def _velset(self, move: Move, evaluator: ExpressionEvaluator, given: list[Any]) -> Move:
        """Take the override [%] and the largest speed of the TCP [mm/s] of a ``VelSet``."""
        try:
            if len(given) != 2:
                raise Unknown(f"{move.instruction} takes Override, Max")
            override, fastest = (evaluator.number(one) for one in given)
            if not (override > 0.0 and fastest > 0.0):
                raise Unknown(f"{override:g} % and {fastest:g} mm/s are no speeds")
            self.override, self.fastest = override, fastest
        except (Unknown, RapidError) as reason:
            self.slowed = f"the speed that {move.instruction} of line {move.line} leaves: {reason}"
            return replace(move, unknown=self.slowed)
        self.slowed = ""
        return _with(move, f"speeds are {self.override:g} % of the programmed ones, at most"
                           f" {self.fastest:g} mm/s")  # fmt: skip

    def moved(self, move: Move) -> Move:
        """Return a move as the settings make it."""
        reasons = [reason for reason in (move.unknown, self.slowed) if reason]
        if isinstance(move.target, RobTarget) and self.displaced:
            reasons.append(self.displaced)
        speed = move.speed
        if speed is not None:
            v_tcp = min(speed.v_tcp * self.override / 100.0, self.fastest)
            speed = SpeedData(
                v_tcp, speed.v_ori * self.override / 100.0, speed.v_leax, speed.v_reax
            )
        unknown = "; ".join(reasons)
        return replace(
            move,
            speed=move.speed if speed == move.speed else speed,
            seconds=None if move.seconds is None else move.seconds * 100.0 / self.override,
            monitored=self.monitored["confj" if move.is_joint else "confl"],
            unknown=unknown,
            target=None if unknown else move.target,
            via=None if unknown else move.via,
        )


_CONFIGURATION = {
    True: "the axes take the programmed configuration",
    False: "the axes take the configuration nearest to where they start",
}


def _with(move: Move, effect: str) -> Move:
    return replace(move, unknown="", effect=effect)
