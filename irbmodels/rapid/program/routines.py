"""Instructions of a routine, found by words, brackets and blocks, without a full grammar."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import pairwise
from typing import NamedTuple

from ...errors import RapidError
from ..grammar import RESERVED
from ..text import line_column
from .instructions import MOTION, MOVES, NON_MOTION, WRITING
from .settings import EFFECTS

_WORDS = re.compile(
    r'(?P<skip>![^\n]*|\s+|<(?i:SMT|EIT|CSE)>)|"(?>[^"\n]|"")*+"|:=|<=|>=|<>|[^\W\d]\w*|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?|.'
)
_SETTINGS = re.compile(
    r"PDisp(On|Off|Set)|VelSet|ConfL|ConfJ|Corr(Con|Write|Discon)\w*|GripLoad|GOTO", re.IGNORECASE
)
CHANGING = frozenset(("incr", "decr", "clear", "add"))
_OPENING, _CLOSING = frozenset("([{"), frozenset(")]}")
_ENDS = {"endif": "IF", "endfor": "FOR", "endwhile": "WHILE", "endtest": "TEST"}
_HANDLERS = frozenset(("error", "undo", "backward"))
_LEAVING = frozenset(("return", "raise", "exit", "exitcycle"))
_OPERATORS = frozenset(("and", "or", "xor", "not", "div", "mod"))


class Word(NamedTuple):
    """A word or sign of a routine, with its position in the module's text."""

    text: str
    start: int

    @property
    def lower(self) -> str:
        """Text in lower case: RAPID does not distinguish case."""
        return self.text.lower()

    @property
    def end(self) -> int:
        """Position after its last character."""
        return self.start + len(self.text)


@dataclass(eq=False)
class Block:
    """IF, FOR, WHILE, TEST, or the handler of a routine."""

    word: str
    """``IF`` .. or ``ERROR handler``."""
    start: int
    expressions: list[tuple[int, int] | None] = field(default_factory=list)
    """Spans of conditions (IF, WHILE), of values (CASE), of FROM, TO and STEP (FOR).

    None for ELSE and DEFAULT.
    """
    subject: tuple[int, int] = (0, 0)
    """Span of the counter of a FOR, or of the expression of a TEST."""
    compact: bool = True
    """True for an IF with one instruction, without THEN."""
    open_from: int | None = None
    """Start of the expression that is not closed yet."""

    def close(self, end: int) -> None:
        """End the open expression."""
        if self.open_from is not None:
            self.expressions.append((self.open_from, end))
            self.open_from = None


class Instruction(NamedTuple):
    """A declaration or an instruction in a routine."""

    kind: str
    """``declaration``, ``move``, ``other``, ``setting``, ``note``, ``call``, ``leave``, ``assign``,
    ``write``

    ``other`` moves in a way that is not evaluated, a ``setting`` changes later moves, after a
    ``note`` a check of the path still holds, a ``call`` is of a procedure, ``leave`` ends the
    routine or the program, ``assign`` is ``x:=...;``, ``Incr`` and their like, ``write`` another
    instruction that writes to its arguments.
    """
    name: str
    span: tuple[int, int]
    inside: tuple[tuple[Block, int], ...]
    """Blocks around it, the outermost first, each with the number of its branch."""


class Parameter(NamedTuple):
    """One parameter of a routine."""

    name: str
    """In lower case, as all words here."""
    type: str
    by_reference: bool
    """INOUT, VAR or PERS: what the routine assigns is the caller's."""
    optional: bool
    array: bool


@dataclass
class Routine:
    """The parts of a routine that its moves depend on."""

    name: str
    kind: str
    """``proc``, ``func`` or ``trap``."""
    span: tuple[int, int]
    instructions: list[Instruction] = field(default_factory=list)
    assigned: dict[str, int] = field(default_factory=dict)
    """Names in lower case that the routine assigns, and the position of the first assignment."""
    local_names: dict[str, tuple[str, int]] = field(default_factory=dict)
    """Parameters and loop counters in lower case: description and position."""
    parameters: list[Parameter] = field(default_factory=list)
    type: str = ""
    """Of the value of a function, in lower case."""
    local: bool = False
    """Whether other modules do not see it."""

    @property
    def optional(self) -> frozenset[str]:
        """Parameters that a call may leave out."""
        return frozenset(one.name for one in self.parameters if one.optional)


def words(text: str, start: int, end: int) -> Iterator[Word]:
    """Yield words and signs; comments and blanks are passed over."""
    for match in _WORDS.finditer(text, start, end):
        if match["skip"] is None:
            yield Word(match[0], match.start())


def routine_of(text: str, span: tuple[int, int]) -> Routine:
    """Return the routine at a span of a module's text, its instructions in order.

    Raises:
        RapidError: if the bracket of its parameters is not closed.
    """
    given = list(words(text, *span))
    place = 1 if given[0].lower == "local" else 0
    kind = given[place].lower
    place += 2 if kind == "func" else 1
    routine = Routine(given[place].text, kind, span)
    if kind == "func":
        routine.type = given[place - 1].lower
    body = _header(text, routine, given, place + 1)
    _RoutineScanner(routine, given, body).run()
    return routine


def _header(text: str, routine: Routine, given: list[Word], place: int) -> int:
    """Add the parameters, and return the number of the body's first word."""
    if given[place].text != "(":
        return place
    closing = [number for number in range(place, len(given)) if given[number].text == ")"]
    if not closing:
        reason = f"the '(' of {routine.name} is not closed: ')' is missing"
        raise RapidError(*line_column(text, given[place].start), reason)
    optional, one = False, list[Word]()
    for word in given[place + 1 : closing[0] + 1]:
        if word.text in (",", ")", "|", "\\"):
            _add_parameter(routine, one, optional)
            optional = word.text == "\\" or (optional and word.text == "|")
            one = []
        else:
            one.append(word)
    return closing[0] + 1


def _add_parameter(routine: Routine, given: list[Word], optional: bool) -> None:
    """Add a parameter: ``INOUT num rows{*}``, or ``switch on``."""
    named = [word for word in given if word.text[0].isalpha()]
    if not named:
        return
    name, kind = named[-1], named[-2].lower if len(named) > 1 else ""
    routine.local_names[name.lower] = ("a parameter of the routine", name.start)
    by_reference = len(named) > 2 and named[0].lower in ("inout", "var", "pers", "ref")
    array = any(word.text == "{" for word in given)
    routine.parameters.append(Parameter(name.lower, kind, by_reference, optional, array))


class _RoutineScanner:
    """One pass over the words of a body."""

    def __init__(self, routine: Routine, given: list[Word], body: int) -> None:
        self.routine, self.words, self.body = routine, given, body
        self.blocks: list[Block] = []
        self.depth, self.first = 0, True
        self.begin = body

    def run(self) -> None:
        place = self.body
        while place < len(self.words) - 1:  # the last word is ENDPROC
            place = max(self._word(place), place + 1)  # an assignment of nothing ends at its sign

    def _word(self, place: int) -> int:
        word = self.words[place]
        if word.text in _OPENING:
            self.depth += 1
        elif word.text in _CLOSING:
            self.depth = max(self.depth - 1, 0)
        elif self.depth == 0:
            return self._outside(place, word)
        return place + 1

    def _outside(self, place: int, word: Word) -> int:
        if self._begins_compact(place):
            self.blocks[-1].close(word.start)
            self.first = True
        first, self.first = self.first, False
        if first:
            self.begin = place
        if word.text == ":=":
            return self._assign(place)
        elif word.text in (";", ":"):
            self._end_statement(word)
        elif self._block(place, word, first):
            pass
        elif word.lower in ("const", "var", "pers") and first:
            return self._add_instruction("declaration", place)
        elif word.lower in CHANGING and first:
            self.routine.assigned.setdefault(self.words[place + 1].lower, word.start)
            return self._add_instruction("assign", place)
        elif word.lower in WRITING and first:
            return self._add_writing(place)
        elif first and word.lower in EFFECTS:
            return self._add_instruction("note", place)
        elif MOTION.fullmatch(word.text) and self.words[place - 1].text not in (
            ":=",
            ".",
            ",",
            "\\",
        ):
            return self._add_instruction("move" if word.lower in MOVES else "other", place)
        elif first and _SETTINGS.fullmatch(word.text):
            return self._add_instruction("setting", place)
        elif first and word.lower in _LEAVING:
            return self._add_instruction("leave", place)
        elif first and self._calls(place, word):
            return self._add_instruction("call", place)
        return place + 1

    def _block(self, place: int, word: Word, first: bool) -> bool:
        """Return whether a word begins, continues or ends a block, and record that."""
        lower, last = word.lower, self.blocks[-1] if self.blocks else None
        if lower in ("if", "for", "while", "test") and first:
            block = Block(word.text.upper(), word.start, open_from=word.end)
            if lower == "for":
                counter = self.words[place + 1]
                block.subject, block.open_from = (counter.start, counter.end), None
                self.routine.local_names[counter.lower] = ("the counter of the FOR", word.start)
            self.blocks.append(block)
        elif lower in ("from", "to", "step", "do", "then") and last is not None:
            last.close(word.start)
            last.open_from = None if lower in ("do", "then") else word.end
            last.compact, self.first = last.compact and lower != "then", lower in ("do", "then")
        elif lower in ("case", "default") and last is not None and last.word == "TEST":
            if not last.expressions and last.open_from is not None:
                last.subject = (last.open_from, word.start)
            last.open_from = word.end if lower == "case" else None
            if lower == "default":
                last.expressions.append(None)
        elif lower == "elseif" and last is not None:
            last.open_from = word.end
        elif lower == "else":
            self.first = True
            if last is not None:
                last.expressions.append(None)
        elif lower in _ENDS:
            self.first = True
            if self.blocks:
                self.blocks.pop()
        elif lower in _HANDLERS and first:
            self.first, self.blocks = True, [Block(f"{word.text.upper()} handler", word.start)]
        else:
            return False
        return True

    def _begins_compact(self, place: int) -> bool:
        """Return whether the instruction of an IF without THEN begins at a word.

        That is a name right after the end of an operand.
        """
        block = self.blocks[-1] if self.blocks else None
        if block is None or block.word != "IF" or not block.compact or block.open_from is None:
            return False
        before, word = self.words[place - 1], self.words[place]
        ended = (
            before.text[-1] in '")]}'
            or before.text[0].isalnum()
            or (before.text[0] == "." and len(before.text) > 1)
        )
        named = word.text[0].isalpha() and word.lower not in _OPERATORS | {"then"}
        return named and ended and before.start > block.start and before.lower not in _OPERATORS

    def _calls(self, place: int, word: Word) -> bool:
        """Return whether a statement calls a procedure, or an unknown instruction."""
        if word.text == "%":  # %"name"%, late binding
            return True
        after = self.words[place + 1].text
        known = word.lower in NON_MOTION or word.lower in RESERVED
        return word.text[0].isalpha() and not known and after not in (":=", ":", ".", "{")

    def _end_statement(self, word: Word) -> None:
        self.first = True
        last = self.blocks[-1] if self.blocks else None
        if last is None:
            return
        if word.text == ";" and last.word == "IF" and last.compact:  # it held one instruction
            self.blocks.pop()
        elif word.text == ":" and last.word == "TEST":
            last.close(word.start)

    def _add_instruction(self, kind: str, place: int) -> int:
        """Add an instruction up to its semicolon, and return the number of its last word."""
        last = place
        while last < len(self.words) - 2 and self.words[last].text != ";":
            last += 1
        inside = tuple((block, max(len(block.expressions) - 1, 0)) for block in self.blocks)
        span = self.words[place].start, self.words[last].end
        self.routine.instructions.append(Instruction(kind, self.words[place].text, span, inside))
        return max(last, place + 1)

    def _add_writing(self, place: int) -> int:
        """Add an instruction that writes to its arguments: names, but for those of its options."""
        last = self._add_instruction("write", place)
        for before, word in pairwise(self.words[place : last + 1]):
            if word.text[0].isalpha() and before.text != "\\" and word.lower not in RESERVED:
                self.routine.assigned.setdefault(word.lower, self.words[place].start)
        return last

    def _assign(self, place: int) -> int:
        """Record the assigned name before ``.component`` and ``{index}``; arguments are none."""
        sign = place
        place -= 1
        while place > 0:
            if self.words[place].text == "}":
                while place > 0 and self.words[place].text != "{":
                    place -= 1
                place -= 1
            elif self.words[place - 1].text == ".":
                place -= 2
            else:
                break
        if self.words[place - 1].text == "\\":
            return sign + 1
        self.routine.assigned.setdefault(self.words[place].lower, self.words[place].start)
        return self._add_instruction("assign", place) if place == self.begin else sign + 1
