"""Where instructions stand in a routine, without a grammar of all of RAPID: words, brackets and blocks are enough."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from ..errors import RapidError

_WORDS = re.compile(
    r'(?P<skip>![^\n]*|\s+)|"(?>[^"\n]|"")*+"|:=|<=|>=|<>|[^\W\d]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|.'
)
_MOVES = re.compile(
    r"Move(L|J|C|AbsJ)|(Move(L|J|C)(AO|DO|GO|Sync)|MoveExtJ|MovePnP|Trigg(L|J|C|AbsJ)(IOs)?|Search(L|C|ExtJ)|Arc(L|C|J)\w*"
    r"|(Spot|Nut|Paint|Disp|Cap|Calib|Force|FC|Laser|Cut)(L|J|C|AbsJ)\w*|EGM(Move|Run)\w+|Ind[ACDR]Move)",
    re.IGNORECASE,
)
_SETTINGS = re.compile(
    r"PDisp(On|Off|Set)|EOffs(On|Off|Set)|VelSet|AccSet|PathAccLim|WorldAccLim|SpeedRefresh|SpeedLim(Axis|CheckPoint)|SoftAct"
    r"|ConfL|ConfJ|SingArea|CirPathMode|Corr(Con|Write|Discon)\w*|GripLoad|MechUnitLoad|ActUnit|DeactUnit|TuneServo|SetSysData"
    r"|WaitSyncTask|SyncMove(On|Off)|GOTO",
    re.IGNORECASE,
)
_CHANGING = frozenset(("incr", "decr", "clear", "add"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ENDS = {"endif": "IF", "endfor": "FOR", "endwhile": "WHILE", "endtest": "TEST"}
_HANDLERS = frozenset(("error", "undo", "backward"))


class Word(NamedTuple):
    """A word or sign of a routine, and where it stands in the module's text."""

    text: str
    start: int

    @property
    def lower(self) -> str:
        """Names and keywords do not distinguish case."""
        return self.text.lower()

    @property
    def end(self) -> int:
        """Where it ends."""
        return self.start + len(self.text)

    def error(self, text: str, reason: str) -> RapidError:
        """Return the error that is here in a module's text."""
        return RapidError(text.count("\n", 0, self.start) + 1, self.start - text.rfind("\n", 0, self.start), reason)


class Found(NamedTuple):
    """A declaration or an instruction in a routine."""

    kind: str
    """``declaration``, ``move``, ``other`` (moves in a way that is not evaluated) or ``setting`` (changes later moves)."""
    name: str
    span: tuple[int, int]
    inside: tuple[tuple[str, int], ...]
    """Keywords of the blocks around it and where they stand."""


@dataclass
class Routine:
    """What of a routine matters to its moves."""

    name: str
    span: tuple[int, int]
    found: list[Found] = field(default_factory=list)
    assigned: dict[str, int] = field(default_factory=dict)
    """Names in lower case that the routine gives a value to, and where first."""
    own: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Parameters and loop counters in lower case: what it is, and where."""


def words(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield words and signs; comments and blanks are passed over."""
    for match in _WORDS.finditer(text, start, end):
        if match["skip"] is None:
            yield Word(match[0], match.start())


def routine_of(text: str, span: tuple[int, int]) -> Routine:
    """Return the instructions of the routine that stands at ``span`` of a module's text, in the order of the text.

    Raises:
        RapidError: if the bracket of its parameters is not closed.
    """
    given = list(words(text, *span))
    place = 1 if given[0].lower == "local" else 0
    place += 2 if given[place].lower == "func" else 1
    routine = Routine(given[place].text, span)
    body = _header(text, routine, given, place + 1)
    _Scan(routine, given, body).run()
    return routine


def _header(text: str, routine: Routine, given: list[Word], place: int) -> int:
    """Note the parameters, and return where the body begins."""
    if given[place].text != "(":
        return place
    closing = [number for number in range(place, len(given)) if given[number].text == ")"]
    if not closing:
        raise given[place].error(text, f"the '(' of {routine.name} is not closed: ')' is missing")
    while place < closing[0]:
        place += 1
        if given[place].text in (",", ")", "|", "{") and given[place - 1].text[0].isalpha():
            routine.own[given[place - 1].lower] = ("a parameter of the routine", given[place - 1].start)
    return place + 1


class _Scan:
    """One pass over the words of a body."""

    def __init__(self, routine: Routine, given: list[Word], body: int) -> None:
        self.routine, self.given, self.body = routine, given, body
        self.blocks: list[tuple[str, int]] = []
        self.depth, self.first = 0, True

    def run(self) -> None:
        place = self.body
        while place < len(self.given) - 1:  # the last word is ENDPROC
            place = self._word(place)

    def _word(self, place: int) -> int:
        word = self.given[place]
        if word.text in _OPENING:
            self.depth += 1
        elif word.text in _CLOSING:
            self.depth = max(self.depth - 1, 0)
        elif self.depth == 0:
            return self._outside(place, word)
        return place + 1

    def _outside(self, place: int, word: Word) -> int:
        first, self.first = self.first, False
        if word.text == ":=":
            self._assign(place)
        elif word.text in (";", ":"):
            self._end_statement(word)
        elif word.lower in ("if", "for", "while", "test") and first:
            self.blocks.append((word.text.upper(), word.start))
            if word.lower == "for":
                self.routine.own[self.given[place + 1].lower] = ("the counter of the FOR", word.start)
        elif word.lower == "then":
            self.first = True
            self.blocks[-1:] = [("IF THEN", self.blocks[-1][1])] if self.blocks else []
        elif word.lower in ("do", "else"):
            self.first = True
        elif word.lower in _ENDS:
            self.first = True
            if self.blocks:
                self.blocks.pop()
        elif word.lower in _HANDLERS and first:
            self.first, self.blocks = True, [(f"{word.text.upper()} handler", word.start)]
        elif word.lower in ("const", "var", "pers") and first:
            return self._take("declaration", place)
        elif word.lower in _CHANGING and first:
            self.routine.assigned.setdefault(self.given[place + 1].lower, word.start)
        elif (move := _MOVES.fullmatch(word.text)) and self.given[place - 1].text not in (":=", ".", ",", "\\"):
            return self._take("move" if move[1] else "other", place)
        elif first and _SETTINGS.fullmatch(word.text):
            return self._take("setting", place)
        return place + 1

    def _end_statement(self, word: Word) -> None:
        self.first = True
        if word.text == ";" and self.blocks and self.blocks[-1][0] == "IF":  # without THEN: it held one instruction
            self.blocks.pop()

    def _take(self, kind: str, place: int) -> int:
        """Keep an instruction up to its semicolon, and go on there."""
        last = place
        while last < len(self.given) - 2 and self.given[last].text != ";":
            last += 1
        inside = tuple((name.removesuffix(" THEN"), start) for name, start in self.blocks)
        span = self.given[place].start, self.given[last].end
        self.routine.found.append(Found(kind, self.given[place].text, span, inside))
        return max(last, place + 1)

    def _assign(self, place: int) -> None:
        """Note what gets a value here: the name before ``.component`` and ``{index}``, unless it is an argument's."""
        place -= 1
        while place > 0:
            if self.given[place].text == "}":
                while place > 0 and self.given[place].text != "{":
                    place -= 1
                place -= 1
            elif self.given[place - 1].text == ".":
                place -= 2
            else:
                break
        if self.given[place - 1].text != "\\":
            self.routine.assigned.setdefault(self.given[place].lower, self.given[place].start)
