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
    arguments_of,
    forwarded_names,
)
from ..predefined import PREDEFINED
from ..records import Value
from ..value_builder import Builder
from ..values import JointTarget, RobTarget, SpeedData, ToolData, WobjData, ZoneData
from .instructions import MOTION, MOVES, SEARCHED

V = TypeVar("V", bound=Value)

# options that are evaluated, or change nothing
_KEPT = frozenset(("conc", "id", "noeoffs", "inpos", "z", "v", "t", "wobj"))
_SEARCH = frozenset(
    ("stop", "pstop", "sstop", "sup", "flanks", "posflank", "negflank", "highlevel", "lowlevel")
)


@dataclass(frozen=True)
class Move:
    """One instruction that moves the robot, or changes how later ones move it."""

    instruction: str
    """``MoveL``, ``MoveJ``, ``MoveAbsJ``, ``MoveC``, ``TriggL`` ...; or one without a target."""
    line: int
    """1-based, in the file."""
    column: int
    routine: str
    text: str
    """Text of the instruction."""
    inside: tuple[str, ...] = ()
    """Blocks around it: ``FOR of line 12``; it may run any number of times."""
    target: RobTarget | JointTarget | None = None
    """None if it is unknown, for the reason in :attr:`unknown`."""
    target_name: str = ""
    """Its text: ``p10``, ``Offs(p10,0,0,50)``."""
    via: RobTarget | None = None
    """Point of a ``MoveC`` between its start and its target."""
    via_name: str = ""
    speed: SpeedData | None = None
    zone: ZoneData | None = None
    tool_name: str = ""
    tool: ToolData | None = None
    """None if its value is unknown."""
    wobj_name: str = "wobj0"
    wobj: WobjData | None = None
    """None if its value is unknown."""
    options: tuple[str, ...] = ()
    """Options that are ignored: ``\\Corr``, ``\\TLoad``."""
    unknown: str = ""
    """Reason why target, point, speed, zone or time depend on the run; empty if none does."""
    undeclared: bool = False
    """True if :attr:`unknown` is due to a name that is declared nowhere."""
    module: str = ""
    """Name of the module where it stands, if that is another one of the program."""
    seconds: float | None = None
    """Time ``\\T`` that the move takes instead of its speed [s]."""
    effect: str = ""
    """What it does to the moves after it, or how far it goes, where a check of the path holds."""
    monitored: bool = True
    """Whether the target's configuration is taken; False after ``ConfJ\\Off`` or ``ConfL\\Off``."""
    after: tuple[int, ...] = (1,)
    """How far before it in the sequence stand the instructions that may come right before it.

    ``(1,)`` but for the branches of an IF or TEST that the run chooses, and what follows them.
    """

    @property
    def is_joint(self) -> bool:
        """True if the axes go to a robtarget each at its own speed, as by ``MoveJ``."""
        return self.instruction.lower().startswith(("movej", "triggj"))

    @property
    def is_motion(self) -> bool:
        """True if the instruction moves the robot, evaluated or not."""
        return MOTION.fullmatch(self.instruction) is not None


class Arguments:
    """The arguments of one instruction."""

    def __init__(self, scope: Names, builder: Builder) -> None:
        """Evaluate in a scope; ``builder`` holds the text, for positions of errors."""
        self.builder, self.evaluator = builder, ExpressionEvaluator(scope, builder)
        self.reasons: list[str] = []
        self.undeclared = False

    def of(self, move: Move, tree: Any) -> Move:
        """Return a move with the values of its instruction's tree.

        Raises:
            RapidError: if there are too few arguments or too many, or one has another type.
        """
        word = tree.children[0]
        name = word.lower()
        required, options = arguments_of(tree)
        options = {key: option for key, option in options.items() if not self._is_absent(option)}
        parameters = MOVES[name]
        if len(required) != len(parameters):
            raise self.builder.fail(
                word, f"{word!s} has {len(required)} arguments; it takes {', '.join(parameters)}"
            )
        arguments_by_name = dict(zip(parameters, required, strict=True))
        joint = "ToJointPos" in parameters
        point = "ToJointPos" if joint else "ToPoint"
        target: Any = self._known(
            JointTarget if joint else RobTarget,
            arguments_by_name[point],
            f"{word!s}'s target",
        )
        via = (
            self._known(RobTarget, arguments_by_name["CirPoint"], f"{word!s}'s circle point")
            if "CirPoint" in arguments_by_name
            else None
        )
        speed = self._known(SpeedData, arguments_by_name["Speed"], f"{word!s}'s speed")
        if speed is not None and "v" in options:
            v_tcp = self._or_note(
                lambda: self.evaluator.number(self.evaluator.option(options["v"]))
            )
            speed = None if v_tcp is None else replace(speed, v_tcp=v_tcp)
        zone = (
            self._known(ZoneData, arguments_by_name["Zone"], f"{word!s}'s zone")
            if "Zone" in arguments_by_name
            else cast(ZoneData, PREDEFINED["fine"])  # a search ends at a stop
        )
        seconds = (
            self._or_note(lambda: self.evaluator.number(self.evaluator.option(options["t"])))
            if "t" in options
            else None
        )
        if seconds is not None and not seconds > 0.0:
            raise self.builder.fail(options["t"], f"\\T is a positive time, not {seconds:g} s")
        unknown, undeclared = "; ".join(self.reasons), self.undeclared
        tool = self._known(ToolData, arguments_by_name["Tool"], f"{word!s}'s tool")
        wobj_node = options.get("wobj")
        wobj = (
            PREDEFINED["wobj0"]
            if wobj_node is None
            else self._known_option(WobjData, wobj_node, f"{word!s}'s work object")
        )
        return replace(
            move,
            target=None if unknown else target,
            target_name=self.builder.source(arguments_by_name[point]),
            via=None if unknown else via,
            via_name=self.builder.source(arguments_by_name["CirPoint"])
            if "CirPoint" in arguments_by_name
            else "",
            speed=speed,
            zone=zone,
            tool_name=self.builder.source(arguments_by_name["Tool"]),
            tool=tool,
            wobj_name="wobj0" if wobj_node is None else self.builder.source(wobj_node.children[-1]),
            wobj=cast("WobjData | None", wobj),
            options=tuple(
                self.builder.source(node)
                for key, node in options.items()
                if key not in _KEPT and not (key in _SEARCH and "SearchPoint" in parameters)
            ),
            effect=SEARCHED if "SearchPoint" in parameters else "",
            unknown=unknown,
            undeclared=undeclared,
            seconds=seconds,
        )

    def _is_absent(self, option: Any) -> bool:
        r"""Return whether an option forwards (``\WObj?WObj``) an argument that is absent."""
        return any(
            str(part) in self.evaluator.scope.absent
            for part in map(str.lower, forwarded_names(option))
        )

    def _or_note(self, evaluate: Callable[[], Any]) -> Any:
        """Return the result of ``evaluate``; if it depends on the run, add the reason: None."""
        try:
            return evaluate()
        except Unknown as reason:
            self.reasons.append(str(reason))
            self.undeclared |= isinstance(reason, Undeclared)
            return None

    def _known(self, kind: type[V], node: Any, what: str) -> V | None:
        value: V | None = self._or_note(lambda: self.evaluator.value(kind, node, what))
        return value

    def _known_option(self, kind: type[V], option: Any, what: str) -> V | None:
        value: V | None = self._or_note(
            lambda: self.evaluator.value(kind, self.evaluator.option(option), what)
        )
        return value
