"""Values made of the tree of an initial value, checked against their types."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import dataclass
from difflib import get_close_matches
from functools import partial
from typing import Any

from ..errors import InputError, RapidError
from .options import OPTION_TYPES
from .predefined import type_of
from .records import Orient, components
from .text import Number, shifted, string
from .values import RECORDS

NUMERIC = frozenset(("num", "dnum"))
_SIMPLE = NUMERIC | {"bool", "string"}
OPAQUE_TYPES = OPTION_TYPES | frozenset(
    re.findall(
        r"\w+",
        """
    aiotrigg arcdata beaddata btnres busstate buttondata byte camdev cameradev camerastatus
    cameratarget capdata caplatrackdata capspeeddata capstopmode capwaittimes capweavedata
    cfgdomain clock cnvcmd confsupdata corrdescr datapos dionum dir egm_minmax egmframetype
    egmident egmstate egmstopmode equipdata errdomain errnum errstr errtype event_type
    exec_level fcboxvol fccondstatus fccylindervol fcdamping fcforcevector fcframe fclindir
    fcprocess fcrotdir fcspdchgtunetype fcspeedvector fcspherevol fctorquevector fcxyznum
    flypointdata flystartdata forcedata gundata handler_type icondata identno indcnvdata
    inposdata intdata intnum iodev iounit_state itmtgt jointtol listitem loadidnum loadsession
    mecunit motionprocessmode motsetdata opcalc opnum optscandata paridnum paridvalidnum
    pathrecid processtimes progdisp rawbytes restartblkdata restartdata rmqheader rmqmessage
    rmqslot seamdata selectiondata sensor sensorstate sensorvardata shapedata signalai signalao
    signaldi signaldo signalgi signalgo signalorigin simdata smeqdata socketdev socketstatus
    sourcedata speedlimdata spotdata spotmultdata stoppoint stoppointdata stringdig
    supervtimeouts switch symnum syncident taskid tasks testsignal toolpointdata tpnum trackdata
    trapdata triggdata triggflag triggios triggiosdnum triggmode triggstrgo tsp_status tunegtype
    tunetype uishownum veldata weavedata weavestartdata welddata weldeditdata wzstationary
    wztemporary zonetype
    """,
    )
)
"""ABB's other types, kept as numbers, texts and tuples without a check of components.

``rapid-for-vim`` 2.3.0 (see :mod:`.options`) lists them, but for sixteen that are assumed: camdev
camerastatus capwaittimes fcprocess fctorquevector intdata itmtgt jointtol optscandata selectiondata
sourcedata speedlimdata spotmultdata toolpointdata weldeditdata zonetype.
"""
_MAX_DEPTH = 30  # brackets within brackets; ABB's deepest type has four


@dataclass(frozen=True)
class Expression:
    """An initial value that has to be computed, ``2*pi``.

    It is kept as it stands, and not computed.
    """

    text: str


class Builder:
    """Builder of values: knows ABB's types, a module's own records, and its constants."""

    def __init__(self, text: str, file: str = "", origin: tuple[int, int] = (1, 1)) -> None:
        """Begin with ABB's types; the reader adds the others, names in lower case.

        ``origin`` is line and column of the text in its module, for errors.
        """
        self.text, self.file, self.origin = text, file, origin
        self.records: dict[str, tuple[tuple[str, str], ...]] = {}
        self.aliases: dict[str, str] = {}
        self.notes: list[str] = []
        """Remarks by line."""
        self.constants: dict[str, Any] = {}
        """Nodes of constants for expressions and sizes; values of those of other modules."""

    def fail(self, node: Any, reason: str) -> RapidError:
        """Return the error that is at ``node``."""
        place = getattr(node, "meta", node)
        return RapidError(*shifted(place.line, place.column, self.origin), reason, self.file)

    def source(self, node: Any) -> str:
        """Return the text of ``node``."""
        place = getattr(node, "meta", node)
        return self.text[place.start_pos : place.end_pos]

    def resolve(self, name: str) -> str:
        """Return the type that a name or alias stands for, in lower case."""
        name = str(name).lower()
        for _ in self.aliases:  # one may stand for another
            if name not in self.aliases:
                break
            name = self.aliases[name]
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
            RapidError: if there is no such type.
        """
        name = self.resolve(token)
        if not any(name in kinds for kinds in (RECORDS, _SIMPLE, self.records, OPAQUE_TYPES)):
            known = [*RECORDS, *sorted(_SIMPLE), *self.records, *sorted(OPAQUE_TYPES)]
            close = get_close_matches(name, known, n=1)
            raise self.fail(
                token, f"there is no type {token!s}{f'; did you mean {close[0]}?' if close else ''}"
            )
        return name

    def size(self, node: Any, number: Callable[[Any], float | None]) -> tuple[int, ...]:
        """Return the size of an array, ``{2,rows+1}``; ``number`` evaluates each part.

        Raises:
            RapidError: if a number is not whole and positive, or there are more than three.
        """
        counts = []
        for part in node.children:
            count = number(part)
            if count is None or not 1.0 <= count < 1e9 or count != int(count):
                raise self.fail(
                    part,
                    "the size of an array is a whole number from 1 on, or a sum of constants, not"
                    f" {self.source(part)}",
                )
            counts.append(int(count))
        if len(counts) > 3:
            raise self.fail(node, f"an array has one to three sizes, not {len(counts)}")
        return tuple(counts)

    def value(self, kind: str, size: tuple[int, ...], node: Any, what: str) -> Any:
        """Return the value, or array of values, of a node.

        Raises:
            RapidError: if it is of another type.
        """
        if hasattr(node, "data") and any(part.data != "aggregate" for part in node.iter_subtrees()):
            for root in (reference.children[0] for reference in node.find_data("reference")):
                if root.lower() not in self.constants and not type_of(root):
                    raise self.fail(
                        root,
                        f"{root!s} is no constant of this module, and {what} needs"
                        f" {_expected(kind, size)}",
                    )
            return Expression(self.source(node))
        return self._literal(kind, size, node, what)

    def compose(
        self,
        kind: str,
        size: tuple[int, ...],
        node: Any,
        what: str,
        convert: Callable[[str, tuple[int, ...], Any, str], Any],
    ) -> Any:
        """Return an array or record whose parts ``convert(kind, size, node, what)`` returns.

        Raises:
            RapidError: if the number of parts is another, or the record cannot have them.
        """
        if size:
            parts = self.parts(node, size[0], f"array of {size[0]}", what)
            return tuple(
                convert(kind, size[1:], part, f"{what}{{{i}}}") for i, part in enumerate(parts, 1)
            )
        fields = self.fields(kind)
        names = ",".join(name for _, name in fields)
        parts = self.parts(node, len(fields), f"{kind} [{names}]", what)
        values = [
            convert(inner, (), part, f"{what}.{name}")
            for (inner, name), part in zip(fields, parts, strict=True)
        ]
        try:
            return RECORDS[kind](*values) if kind in RECORDS else tuple(values)
        except InputError as err:
            raise self.fail(node, f"{what}: {err}") from None

    def _literal(
        self, name: str, size: tuple[int, ...], node: Any, what: str, depth: int = 0
    ) -> Any:
        kind = self.kind(name) if name in self.aliases else name
        if depth > _MAX_DEPTH:
            raise self.fail(node, f"more than {_MAX_DEPTH} brackets within brackets")
        if not size and not self.fields(kind):
            return self._simple(kind, node, what, depth)
        value = self.compose(
            kind, size, node, what, partial(self._literal, depth=depth + (not size))
        )
        if isinstance(value, Orient) and value.note:
            self.notes.append(f"line {node.meta.line}: {what}: {value.note}")
        return value

    def _simple(self, kind: str, node: Any, what: str, depth: int) -> Any:
        if hasattr(node, "data"):
            if kind in OPAQUE_TYPES:
                return tuple(
                    self._literal(kind, (), part, what, depth + 1) for part in node.children
                )
            raise self.fail(node, f"{what} is {_expected(kind)}, not [...] of {len(node.children)}")
        if node.type == "NUMBER" and kind in NUMERIC | OPAQUE_TYPES:
            # int() and float() are slow for what no num can hold
            number = Number(str(node)) if len(node) < 400 else None
            if number is None or abs(number) > (1.7976931e308 if kind == "dnum" else 3.4028235e38):
                raise self.fail(node, f"{what} is larger than a {kind} can be")
            return number
        if node.type == "BOOL" and kind in OPAQUE_TYPES | {"bool"}:
            return node.upper() == "TRUE"
        if node.type == "STRING" and kind in OPAQUE_TYPES | {"string"}:
            try:
                return string(str(node))
            except InputError as err:
                raise self.fail(node, f"{what}: {err}") from None
        raise self.fail(node, f"{what} is {_expected(kind)}, not {node!s}")

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


def _expected(kind: str, size: tuple[int, ...] = ()) -> str:
    simple = {"num": "a number", "dnum": "a number", "bool": "TRUE or FALSE", "string": 'a "text"'}
    return f"an array of {kind}" if size else simple.get(kind, f"a {kind}")
