"""Moves, and the arguments of their instructions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeVar, cast

from ..expressions import (
    ExpressionEvaluator,
    Names,
    Undeclared,
    Unknown,
    forwarded_names,
    is_option,
)
from ..predefined import PREDEFINED
from ..records import Value
from ..value_builder import Builder
from ..values import JointTarget, RobTarget, SpeedData, ToolData, WobjData, ZoneData
from .routines import MOTION

V = TypeVar("V", bound=Value)

# options that need no further word
_KEPT = frozenset(("conc", "id", "noeoffs", "inpos", "z", "v", "t", "wobj"))


@dataclass(frozen=True)
class Move:
    """One instruction that moves the robot, or changes how later ones move it."""

    instruction: str
    """``MoveL``, ``MoveJ``, ``MoveAbsJ``, ``MoveC``; or another, which is never evaluated."""
    line: int
    """1-based, in the file."""
    column: int
    routine: str
    text: str
    """As it stands there."""
    inside: tuple[str, ...] = ()
    """Blocks around it: ``FOR of line 12``; whether and how often it runs is not known."""
    target: RobTarget | JointTarget | None = None
    """None where :attr:`unknown` says why."""
    target_name: str = ""
    """As it is written: ``p10``, ``Offs(p10,0,0,50)``."""
    via: RobTarget | None = None
    """Point of a ``MoveC`` between its start and its target."""
    via_name: str = ""
    speed: SpeedData | None = None
    zone: ZoneData | None = None
    tool_name: str = ""
    tool: ToolData | None = None
    """None where its value is not known here."""
    wobj_name: str = "wobj0"
    wobj: WobjData | None = None
    """The same."""
    options: tuple[str, ...] = ()
    """What is not regarded: ``\\Corr``, ``\\TLoad``."""
    unknown: str = ""
    """Why target, point, speed, zone or time cannot be told from the text; empty where all can."""
    undeclared: bool = False
    """Whether that is so because a name is declared nowhere."""
    seconds: float | None = None
    """Time ``\\T`` that the move takes instead of its speed [s]."""

    @property
    def is_motion(self) -> bool:
        """Whether the instruction moves the robot, evaluated or not: settings, calls and conditions do not."""
        return MOTION.fullmatch(self.instruction) is not None


class Arguments:
    """The arguments of one instruction."""

    def __init__(self, scope: Names, builder: Builder) -> None:
        """Begin; errors say where in the text of ``builder``."""
        self.builder, self.evaluator = builder, ExpressionEvaluator(scope, builder)
        self.reasons: list[str] = []
        self.undeclared = False

    def of(self, move: Move, tree: Any) -> Move:
        """Return a move with what the tree of its instruction says.

        Raises:
            RapidError: if there are too few arguments or too many, or one has another type.
        """
        word, *arguments = tree.children
        name = word.lower()
        required = [node.children[0] for node in arguments if not is_option(node.children[0])]
        options = {
            str(o.children[0]).lower(): o
            for node in arguments
            for o in node.children
            if is_option(o)
        }
        options = {key: option for key, option in options.items() if not self._is_absent(option)}
        points = {"moveabsj": ["ToJointPos"], "movec": ["CirPoint", "ToPoint"]}.get(
            name, ["ToPoint"]
        )
        wanted = [*points, "Speed", "Zone", "Tool"]
        if len(required) != len(wanted):
            raise self.builder.fail(
                word, f"{word!s} has {len(required)} arguments; it takes {', '.join(wanted)}"
            )
        given = dict(zip(wanted, required, strict=True))
        joint = name == "moveabsj"
        target: Any = self._known(
            JointTarget if joint else RobTarget,
            given["ToJointPos" if joint else "ToPoint"],
            f"{word!s}'s target",
        )
        via = (
            self._known(RobTarget, given["CirPoint"], "MoveC's circle point")
            if "CirPoint" in given
            else None
        )
        speed = self._known(SpeedData, given["Speed"], f"{word!s}'s speed")
        if speed is not None and "v" in options:
            v_tcp = self._or_note(
                lambda: self.evaluator.number(self.evaluator.option(options["v"]))
            )
            speed = None if v_tcp is None else replace(speed, v_tcp=v_tcp)
        zone = self._known(ZoneData, given["Zone"], f"{word!s}'s zone")
        seconds = (
            self._or_note(lambda: self.evaluator.number(self.evaluator.option(options["t"])))
            if "t" in options
            else None
        )
        if seconds is not None and not seconds > 0.0:
            raise self.builder.fail(options["t"], f"\\T is a positive time, not {seconds:g} s")
        unknown, undeclared = "; ".join(self.reasons), self.undeclared
        tool = self._known(ToolData, given["Tool"], f"{word!s}'s tool")
        wobj_node = options.get("wobj")
        wobj = (
            PREDEFINED["wobj0"]
            if wobj_node is None
            else self._known_option(WobjData, wobj_node, f"{word!s}'s work object")
        )
        return replace(
            move,
            target=None if unknown else target,
            target_name=self.builder.source(given[points[-1]]),
            via=None if unknown else via,
            via_name=self.builder.source(given["CirPoint"]) if "CirPoint" in given else "",
            speed=speed,
            zone=zone,
            tool_name=self.builder.source(given["Tool"]),
            tool=tool,
            wobj_name="wobj0" if wobj_node is None else self.builder.source(wobj_node.children[-1]),
            wobj=cast("WobjData | None", wobj),
            options=tuple(
                self.builder.source(node) for key, node in options.items() if key not in _KEPT
            ),
            unknown=unknown,
            undeclared=undeclared,
            seconds=seconds,
        )

    def _is_absent(self, option: Any) -> bool:
        r"""Whether an option passes on (``\WObj?WObj``) an argument that the routine was not given."""
        return any(
            str(part) in self.evaluator.scope.absent
            for part in map(str.lower, forwarded_names(option))
        )

    def _or_note(self, ask: Callable[[], Any]) -> Any:
        """Return what ``ask`` returns, or note why the text does not tell it and return None."""
        try:
            return ask()
        except Unknown as reason:
            self.reasons.append(str(reason))
            self.undeclared |= isinstance(reason, Undeclared)
            return None

    def _known(self, kind: type[V], node: Any, what: str) -> V | None:
        found: V | None = self._or_note(lambda: self.evaluator.value(kind, node, what))
        return found

    def _known_option(self, kind: type[V], option: Any, what: str) -> V | None:
        value: V | None = self._or_note(
            lambda: self.evaluator.value(kind, self.evaluator.option(option), what)
        )
        return value
