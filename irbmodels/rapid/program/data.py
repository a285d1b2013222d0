"""Data of a program while it runs: what routines assign, followed as far as the text tells."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any, TypeVar

from ...errors import InputError, RapidError
from ..constants import Constants
from ..expressions import (
    ExpressionEvaluator,
    Partial,
    Undeclared,
    Unknown,
    Unset,
    reason_in,
)
from ..functions import operate
from ..grammar import subtrees
from ..module import Declaration, Module
from ..value_builder import NUMERIC, Builder
from ..values import RECORDS
from .conditions import truth
from .datum import Datum, Journal
from .moves import Scope, hidden_names, routines_of
from .routines import Routine

T = TypeVar("T")

_LARGEST_DATUM = 10_000  # values of a datum that begin as 0


class Program:
    """The modules of a task, and the data that their routines share."""

    def __init__(self, module: Module) -> None:
        """Begin with the initial values of a module and of those that it was read with."""
        self.module = module
        self.modules = _seeing_each_other(module)
        self.names = [
            {one.name.lower(): one.scope != "LOCAL" for one in reversed(each.declarations)}
            for each in self.modules
        ]
        """Names of each module's data, in lower case, and whether other modules see them."""
        self._owners: dict[tuple[int, str], int | None] = {}
        self.routines = [
            {one.name.lower(): one for one in routines_of(each)[1]} for each in self.modules
        ]
        """Each module's routines by name in lower case."""
        self.data: dict[tuple[int, str], Datum] = {}
        self.journal = Journal()
        self.outside = ""
        """Name of a datum that was read last and may have been changed from outside."""
        self.trapped: dict[tuple[int, str], str] = {}
        """Data that interrupts assign: at any time."""
        for number, one in enumerate(self.modules):
            for routine in routines_of(one)[1]:
                if routine.kind == "trap":
                    hidden = hidden_names(one, routine)
                    for name in routine.assigned.keys() - hidden:
                        owner = self.owner(number, name)
                        if owner is not None:
                            self.trapped[owner, name] = routine.name

    def owner(self, number: int, name: str) -> int | None:
        """Return the number of the module whose datum a module means by a name."""
        key = number, name
        if key not in self._owners:
            seeing = (k for k, names in enumerate(self.names) if names.get(name, False))
            self._owners[key] = number if name in self.names[number] else next(seeing, None)
        return self._owners[key]

    def routine(self, number: int, name: str) -> tuple[int, Routine] | None:
        """Return the routine that a module calls by a name, and the number of its module."""
        own = self.routines[number].get(name)
        if own is not None:
            return number, own
        for k, routines in enumerate(self.routines):
            if name in routines and not routines[name].local:
                return k, routines[name]
        return None

    def scope(self, number: int, routine: Routine) -> Scope:
        """Return the names of a routine, as the text tells them."""
        scopes = _scopes_of(self.modules[number])
        if id(routine) not in scopes:
            builder, routines = routines_of(self.modules[number])
            scopes[id(routine)] = Scope(self.modules[number], builder, routine, routines)
        return scopes[id(routine)]

    def frame(self, number: int, routine: Routine) -> Frame:
        """Return the names of a routine that runs without arguments."""
        frame = Frame(self, number, routine, self.scope(number, routine))
        frame.absent = routine.optional
        return frame

    def traced(self, evaluate: Callable[[], T]) -> tuple[T, str]:
        """Return a result, and the name of a datum in it that may be changed from outside."""
        before, self.outside = self.outside, ""
        try:
            result = evaluate()
            return result, self.outside
        finally:
            self.outside = self.outside or before

    def datum(self, number: int, name: Any) -> Datum:
        """Return the datum that a module means by a name.

        Raises:
            Undeclared: if no module declares it.
        """
        lower = name.lower()
        owner = self.owner(number, lower)
        key = -1 if owner is None else owner, lower
        if owner is None and key not in self.data:
            constants = Constants(self.modules[number])
            kind, value = constants.datum(name)
            self.data[key] = Datum(kind, (), value, decides=True, constant=True, name=lower)
        if owner is None:
            return self.data[key]
        if key in self.trapped:
            reason = f"{name} is assigned in the TRAP {self.trapped[key]}"
            return Datum("", (), Unset(f"{reason}: what it is then depends on the run"))
        if key not in self.data:
            constants = Constants(self.modules[owner])
            declared = constants.declaration(lower)
            if declared is None:
                raise Undeclared(f"{name} is declared neither in this module nor in another")
            self.data[key] = initial(constants, declared, constants)
        return self.data[key]


@lru_cache(maxsize=8)
def _seeing_each_other(module: Module) -> tuple[Module, ...]:
    """Return a module and those that it was read with, each with all others as its ``uses``."""
    uses = module.uses
    return module, *(
        replace(one, uses=(module, *(other for other in uses if other is not one))) for one in uses
    )


@lru_cache(maxsize=256)
def _scopes_of(_module: Module) -> dict[int, Scope]:
    """Return the names of a module's routines by identity, as far as they were asked for."""
    return {}


def initial(constants: Constants, declared: Declaration, names: Any) -> Datum:
    """Return a datum with its initial value.

    A VAR without one is 0, FALSE, or an empty text, each component of a record so (ABB
    3HAC050947-001, initial values).
    """
    builder = constants.builder("")
    kind = builder.resolve(declared.type)
    try:
        if declared.value is None and declared.storage == "VAR":
            value = _zero(builder, kind, declared.size)
        else:
            value = constants.value(declared, names)[1]
    except Unknown as reason:
        value = Unset(str(reason))
    except RapidError as err:
        value = Unset(err.reason)
    const, shared = declared.storage == "CONST", declared.storage == "PERS"
    return Datum(kind, declared.size, value, const, shared, const, declared.name)


def _zero(builder: Builder, kind: str, size: tuple[int, ...]) -> Any:
    """Return the value that a variable without an initial value has."""
    count = math.prod(size) * _components(builder, kind, {})
    if count > _LARGEST_DATUM:
        raise Unknown(f"a datum of {count:.0f} values is not followed")
    if size:
        return (_zero(builder, kind, size[1:]),) * size[0]
    simple: dict[str, Any] = {"bool": False, "string": "", **dict.fromkeys(NUMERIC, 0.0)}
    if kind in simple:
        return simple[kind]
    fields = builder.fields(kind)
    if not fields:
        raise Unknown(f"a {kind} has no value until the program runs")
    parts = tuple(_zero(builder, builder.resolve(inner), ()) for inner, _ in fields)
    return RECORDS[kind](*parts) if kind in RECORDS else parts


def _components(builder: Builder, kind: str, known: dict[str, int]) -> int:
    """Return the number of components of a type, those of records within it too."""
    if kind not in known:
        parts = [builder.resolve(inner) for inner, _ in builder.fields(kind)]
        known[kind] = sum(_components(builder, part, known) for part in parts) or 1
    return known[kind]


@dataclass
class Frame:
    """One run of a routine: its names with their values, for its expressions."""

    program: Program
    number: int
    """Of its module."""
    routine: Routine
    scope: Scope
    own: dict[str, Datum] = field(default_factory=dict)
    """Parameters, local data and counters, by name in lower case."""
    absent: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()
    callers: tuple[tuple[int, int], ...] = ()
    """Routines that run, by identity, each with the number of doubts where it was called."""
    outcomes: list[Any] = field(default_factory=list)
    """States in which the routine may be left, one for each way through it."""
    scope_of_run: int = 0
    """Scope of the journal that began with the routine."""
    function: Any = None
    """What calls the program's functions."""

    def declare(self) -> None:
        """Begin with the routine's local data."""
        for name, declared in self.scope.local.items():
            self.own[name] = initial(self.scope.constants, declared, self)

    def find(self, name: Any) -> Datum:
        """Return the datum of a name."""
        lower = name.lower()
        if lower in self.own:
            return self.own[lower]
        if lower in self.routine.local_names:
            self.scope.datum(name)  # raises the reason
        return self.program.datum(self.number, name)

    def datum(self, name: Any) -> tuple[str, Any]:
        """Return type and value of a name, or raise Unknown; parts may be :class:`Unset`."""
        one = self.find(name)
        if isinstance(one.value, Unset):
            raise Unknown(one.value.reason)
        if not one.decides:
            self.program.outside = str(name)
        return one.type, one.value

    def call(self, evaluator: ExpressionEvaluator, node: Any) -> tuple[str, Any]:
        """Return type and value of a call."""
        result: tuple[str, Any] = self.function(self, evaluator, node)
        return result

    # --- expressions in the text

    def number_at(self, span: tuple[int, int]) -> float:
        """Return the value of an expression of numbers."""
        evaluator, node = self.scope.parsed(span, self)
        return _known(lambda: evaluator.number(node))

    def holds(self, span: tuple[int, int]) -> bool:
        """Return whether a condition holds, of constants and of data that this run assigned."""
        return self._decided(lambda: self._truth(span))

    def _truth(self, span: tuple[int, int]) -> bool:
        evaluator, node = self.scope.parsed(span, self)
        return _known(lambda: truth(evaluator, node))

    def _decided(self, evaluate: Callable[[], T]) -> T:
        """Return a result, if nothing but constants and data of this run has a part in it."""
        result, outside = self.program.traced(evaluate)
        if outside:
            raise Unknown(f"{outside} is no constant: what it is then depends on the run")
        return result

    def is_case(self, subject: tuple[int, int], values: tuple[int, int]) -> bool:
        """Return whether the value of a TEST is among those of a CASE."""
        start, end = values
        parts = self.scope.module.text[start:end].split(",")
        ends = [start + sum(map(len, parts[: k + 1])) + k for k in range(len(parts))]

        def among() -> bool:
            value = self.number_at(subject)
            return any(
                self.number_at((end - len(part), end)) == value
                for part, end in zip(parts, ends, strict=True)
            )

        return self._decided(among)

    def value_of(self, evaluator: ExpressionEvaluator, node: Any, kind: str, size: Any) -> Any:
        """Return the value of an expression of a type.

        Raises:
            Unknown: if it depends on the run.
        """
        if kind == "bool" and not size:
            return _known(lambda: truth(evaluator, node))
        return _known(lambda: evaluator.evaluate(kind, size, node, "this value"))

    # --- assignments

    def assign(self, span: tuple[int, int], reason: str) -> None:
        """Make the assignment at a span of the text; ``reason`` where its value is not known."""
        text = self.scope.module.text[slice(*span)]
        sign = text.find(":=")
        word = text.split(None, 1)[0].lower().rstrip(";")
        if sign < 0:  # Incr n; Add n, 5;
            self._change(span, word, reason)
            return
        evaluator, target = self.scope.parsed((span[0], span[0] + sign), self)
        end = span[1] - 1 if text.endswith(";") else span[1]
        value_at = span[0] + sign + 2, end

        def new(kind: str, size: tuple[int, ...]) -> Any:
            inner, node = self.scope.parsed(value_at, self)
            return self.value_of(inner, node, kind, size)

        self.put(evaluator, target, new, reason)

    def _change(self, span: tuple[int, int], word: str, reason: str) -> None:
        evaluator, tree = self.scope.arguments(span, self)
        target, *more = [part.children[0] for part in subtrees(tree, "argument")]

        def new(kind: str, size: tuple[int, ...]) -> Any:
            if kind not in NUMERIC or size:
                raise Unknown(f"{word} of a {kind}")
            step = {"incr": 1.0, "decr": -1.0}.get(word)
            if word == "clear":
                return 0.0
            step = evaluator.number(more[0]) if step is None else step
            return _known(lambda: operate("+", evaluator.number(target), step))

        self.put(evaluator, target, new, reason)

    def put(self, evaluator: ExpressionEvaluator, target: Any, new: Any, reason: str) -> None:
        """Assign ``new(type, size)`` to a name, its elements and components followed."""
        if getattr(target, "data", "") != "reference":
            return
        root, *path = target.children
        try:
            one = self.find(root)
        except Unknown:
            return
        if one.constant:
            return
        outside = ""
        try:
            value, outside = self.program.traced(
                lambda: _put(evaluator, (one.type, one.size), one.value, path, new)
            )
        except Unknown as unknown:
            cause = str(unknown).split(" (")[0]
            value = Unset(reason if cause in reason else f"{reason} ({cause})")
        kept = path and one.shared and not one.decides  # other parts are as they were
        self.program.journal.write(one, value, not outside and not kept)

    def forget(self, names: Iterable[str | tuple[int | None, str]], reason: str) -> None:
        """Note that data may have other values from here on.

        A name is one of this routine, or comes with the number of the module that means it.
        """
        for each in names:
            number, name = (None, each) if isinstance(each, str) else each
            try:
                one = self.find(name) if number is None else self.program.datum(number, name)
            except Unknown:
                continue
            if not one.constant:
                self.program.journal.write(one, Unset(f"{name} {reason}"), True)


def _put(
    evaluator: ExpressionEvaluator,
    kind: tuple[str, tuple[int, ...]],
    value: Any,
    path: Sequence[Any],
    new: Any,
) -> Any:
    """Return a value with a part of it replaced; an element that is not known stays so."""
    has, size = kind
    if not path:
        return new(has, size)
    part, *rest = path
    if getattr(part, "type", "") == "NAME":
        fields = evaluator.builder.fields(has)
        names = [name.lower() for _, name in fields]
        if size or part.lower() not in names:
            raise Unknown(f"{part!s} is no component")
        place = names.index(part.lower())
        inner = evaluator.builder.resolve(fields[place][0]), ()
        parts = [value] * len(fields) if isinstance(value, Unset) else list(value)
        parts[place] = _part(evaluator, inner, parts[place], rest, new)
        if has not in RECORDS:
            return tuple(parts)
        try:
            return Partial(parts) if any(map(reason_in, parts)) else RECORDS[has](*parts)
        except InputError as err:
            raise Unknown(str(err)) from None
    if isinstance(value, Unset):
        raise Unknown(value.reason)
    place = int(evaluator.number(part)) - 1
    if not size or not 0 <= place < len(value):
        raise Unknown(f"there is no element {place + 1}")
    changed = _part(evaluator, (has, size[1:]), value[place], rest, new)
    return (*value[:place], changed, *value[place + 1 :])


def _part(
    evaluator: ExpressionEvaluator, kind: Any, value: Any, path: Sequence[Any], new: Any
) -> Any:
    try:
        return _put(evaluator, kind, value, path, new)
    except Unknown as unknown:
        return Unset(str(unknown))


def _known(evaluate: Callable[[], T]) -> T:
    """Return a result; what breaks the language in an expression is a value that is not known."""
    try:
        return evaluate()
    except RapidError as err:
        raise Unknown(err.reason) from None
    except (InputError, OverflowError) as err:
        raise Unknown(str(err)) from None
