"""From the tree of an initial value to the value, checked against its type."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..errors import InputError, RapidError
from .predefined import type_of
from .records import Orient, components
from .text import Number, string
from .values import RECORDS

NUMERIC = frozenset(("num", "dnum"))
UNSEEN = frozenset(
    re.findall(
        r"\w+",
        """
    aiotrigg arcdata beaddata btnres busstate buttondata byte camdev cameradev camerastatus cameratarget capdata
    caplatrackdata capspeeddata capstopmode capwaittimes capweavedata cfgdomain clock cnvcmd confsupdata corrdescr
    datapos dionum dir egm_minmax egmframetype egmident egmstate egmstopmode equipdata errdomain errnum errstr errtype
    event_type exec_level fcboxvol fccondstatus fccylindervol fcdamping fcforcevector fcframe fclindir fcprocess
    fcrotdir fcspdchgtunetype fcspeedvector fcspherevol fctorquevector fcxyznum flypointdata flystartdata forcedata
    gundata handler_type icondata identno indcnvdata inposdata intdata intnum iodev iounit_state itmtgt jointtol
    listitem loadidnum loadsession mecunit motionprocessmode motsetdata opcalc opnum optscandata paridnum paridvalidnum
    pathrecid processtimes progdisp rawbytes restartblkdata restartdata rmqheader rmqmessage rmqslot seamdata
    selectiondata sensor sensorstate sensorvardata shapedata signalai signalao signaldi signaldo signalgi signalgo
    signalorigin simdata smeqdata socketdev socketstatus sourcedata speedlimdata spotdata spotmultdata stoppoint
    stoppointdata stringdig supervtimeouts switch symnum syncident taskid tasks testsignal toolpointdata tpnum trackdata
    trapdata triggdata triggflag triggios triggiosdnum triggmode triggstrgo tsp_status tunegtype tunetype uishownum
    veldata weavedata weavestartdata welddata weldeditdata wzstationary wztemporary zonetype
    """,
    )
)
"""ABB's other types: their values are kept as numbers, texts and tuples, without a check of the components."""
_DEEPEST = 30  # brackets within brackets; ABB's deepest type has four


@dataclass(frozen=True)
class Expression:
    """An initial value that has to be computed, ``2*pi``.

    It is kept as it stands, and not computed.
    """

    text: str


class Builder:
    """What values are checked against: ABB's types, a module's own records, and the constants it may name."""

    def __init__(self, text: str, file: str = "") -> None:
        """Begin with ABB's types; the reader adds the others, names in lower case."""
        self.text, self.file = text, file
        self.records: dict[str, tuple[tuple[str, str], ...]] = {}
        self.aliases: dict[str, str] = {}
        self.notes: list[str] = []
        """Remarks by line."""
        self.constants: dict[str, Any] = {}
        """Nodes, or values where another module declares them, of the constants that an expression or a size may name."""

    def fail(self, node: Any, reason: str) -> RapidError:
        """Return the error that is at ``node``."""
        place = getattr(node, "meta", node)
        return RapidError(place.line, place.column, reason, self.file)

    def source(self, node: Any) -> str:
        """Return the text of ``node``."""
        place = getattr(node, "meta", node)
        return self.text[place.start_pos : place.end_pos]

    def resolved(self, name: str) -> str:
        """Return the type that a name or alias stands for, in lower case."""
        name = str(name).lower()
        for _ in self.aliases:  # one may stand for another
            name = self.aliases.get(name, name)
        return name

    def fields(self, kind: str) -> tuple[tuple[str, str], ...]:
        """Return type and name of each component of a record; nothing for another type."""
        if kind in RECORDS:
            return tuple(
                (rapid_name(hint), name) for name, hint in components(RECORDS[kind]).items()
            )
        return self.records.get(kind, ())

    def kind(self, token: Any) -> str:
        """Return the type that a name stands for, in lower case.

        Raises:
            RapidError: if nobody knows it.
        """
        name = self.resolved(token)
        known = [*RECORDS, *sorted(NUMERIC), "bool", "string", *self.records, *sorted(UNSEEN)]
        if name not in known:
            close = get_close_matches(name, known, n=1)
            raise self.fail(
                token, f"there is no type {token!s}{f'; did you mean {close[0]}?' if close else ''}"
            )
        return name

    def size(self, node: Any, number: Callable[[Any], float | None]) -> tuple[int, ...]:
        """Return the size of an array, ``{2,rows+1}``; ``number`` tells what each of its parts comes to.

        Raises:
            RapidError: if a number is not whole and positive, or there are more than three.
        """
        counts = []
        for part in node.children:
            count = number(part)
            if count is None or not 1.0 <= count < 1e9 or count != int(count):
                said = self.source(part)
                raise self.fail(
                    part,
                    "the size of an array is a whole number from 1 on, or a sum of constants, not"
                    f" {said}",
                )
            counts.append(int(count))
        if len(counts) > 3:
            raise self.fail(node, f"an array has one to three sizes, not {len(counts)}")
        return tuple(counts)

    def value(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        """Return the value of a type, or an array of it, that ``node`` says.

        Raises:
            RapidError: if it says none.
        """
        if computed := self._computed(node):
            for root in (reference.children[0] for reference in computed.find_data("reference")):
                if root.lower() not in self.constants and not type_of(root):
                    raise self.fail(
                        root,
                        f"{root!s} is no constant of this module, and {what} needs"
                        f" {_wanted(kind, size)}",
                    )
            return Expression(self.source(node))
        return self._array(kind, size, node, what)

    def _computed(self, node: Any) -> Any:
        """Return a node if part of it is no literal."""
        if hasattr(node, "data") and any(part.data != "aggregate" for part in node.iter_subtrees()):
            return node
        return None

    def _array(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        if not size:
            return self._one(kind, node, what, 0)
        parts = self.parts(node, size[0], f"array of {size[0]}", what)
        return tuple(
            self._array(kind, size[1:], part, f"{what}{{{i + 1}}}") for i, part in enumerate(parts)
        )

    def _one(self, name: str, node: Any, what: str, depth: int) -> Any:
        kind = self.kind(name) if name in self.aliases else name
        if depth > _DEEPEST:
            raise self.fail(node, f"more than {_DEEPEST} brackets within brackets")
        if fields := self.fields(kind):
            parts = self.parts(
                node, len(fields), f"{kind} [{','.join(name for _, name in fields)}]", what
            )
            values = [
                self._one(inner, part, f"{what}.{name}", depth + 1)
                for (inner, name), part in zip(fields, parts, strict=True)
            ]
            try:
                made: Any = RECORDS[kind](*values) if kind in RECORDS else tuple(values)
            except InputError as err:
                raise self.fail(node, f"{what}: {err}") from None
            if isinstance(made, Orient) and made.note:
                self.notes.append(f"line {node.meta.line}: {what}: {made.note}")
            return made
        return self._simple(kind, node, what, depth)

    def _simple(self, kind: str, node: Any, what: str, depth: int) -> Any:
        if hasattr(node, "data"):
            if kind in UNSEEN:
                return tuple(self._one(kind, part, what, depth + 1) for part in node.children)
            raise self.fail(node, f"{what} is {_wanted(kind)}, not [...] of {len(node.children)}")
        wrong = self.fail(node, f"{what} is {_wanted(kind)}, not {node!s}")
        if node.type == "NUMBER" and kind in NUMERIC | UNSEEN:
            # int() and float() are slow for what no num can hold
            found = Number(str(node)) if len(node) < 400 else None
            if found is None or abs(found) > (1.7976931e308 if kind == "dnum" else 3.4028235e38):
                raise self.fail(node, f"{what} is larger than a {kind} can be")
            return found
        if node.type == "BOOL" and kind in UNSEEN | {"bool"}:
            return node.upper() == "TRUE"
        if node.type == "STRING" and kind in UNSEEN | {"string"}:
            try:
                return string(str(node))
            except InputError as err:
                raise self.fail(node, f"{what}: {err}") from None
        raise wrong

    def parts(self, node: Any, count: int, shape: str, what: str) -> list[Any]:
        """Return the nodes in an aggregate, if it has that many; else raise RapidError."""
        if getattr(node, "data", None) != "aggregate":
            raise self.fail(node, f"{what} is {shape}, not {node!s}")
        if len(node.children) != count:
            raise self.fail(
                node, f"{what} has {len(node.children)} components; {shape} has {count}"
            )
        return list(node.children)


def rapid_name(hint: Any) -> str:
    """Return the type of a component by its Python type."""
    simple = {float: "num", bool: "bool", str: "string"}
    return simple[hint] if hint in simple else str(hint.rapid)


def _wanted(kind: str, size: tuple[int, ...] = ()) -> str:
    simple = {"num": "a number", "dnum": "a number", "bool": "TRUE or FALSE", "string": 'a "text"'}
    return f"an array of {kind}" if size else simple.get(kind, f"a {kind}")
