"""Literals of RAPID without a grammar: numbers, TRUE, texts and brackets, as the nodes that the grammar makes of them."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import RapidError

_TOKENS = re.compile(
    r"(?P<skip>(?:\s|\ufeff|![^\n]*)+)|(?P<OPEN>\[)|(?P<CLOSE>\])|(?P<COMMA>,)|(?P<STRING>\"(?>[^\"\n]|\"\")*+\")"
    r"|(?P<BOOL>(?i:TRUE|FALSE)\b)"
    r"|(?P<NUMBER>(?:[-+]["
    r" \t]*)?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)"
    r"(?![\w.]))"
)


class Token(str):
    """A number, truth value or text, and where it stands."""

    type: str
    line: int
    column: int
    start_pos: int
    end_pos: int


@dataclass(eq=False)
class Aggregate:
    """Values in brackets, and where they stand."""

    meta: Token
    data: str = "aggregate"
    children: list[Any] = field(default_factory=list)

    def iter_subtrees(self) -> Iterator[Aggregate]:
        """Yield this aggregate and those in it."""
        waiting = [self]
        while waiting:
            one = waiting.pop()
            waiting += [part for part in one.children if isinstance(part, Aggregate)]
            yield one


def parse_literal(text: str) -> Any:
    """Return the node of one literal: a :class:`Token` or an :class:`Aggregate`.

    Raises:
        RapidError: if the text is anything else; names and sums are.
    """
    opened, whole, wanted = list[Aggregate](), list[Any](), True
    for token in _tokens(text):
        if token.type == "COMMA":
            if wanted or not opened:
                raise _misplaced(token, "a value belongs" if wanted else "the text ends")
            wanted = True
            continue
        if token.type == "CLOSE":
            if wanted or not opened:
                raise _misplaced(token, "a value belongs" if wanted else "the text ends")
            closed = opened.pop()
            closed.meta.end_pos = token.end_pos
            continue
        if not wanted:
            raise _misplaced(token, "',' or ']' belongs" if opened else "the text ends")
        node = Aggregate(token) if token.type == "OPEN" else token
        (opened[-1].children if opened else whole).append(node)
        if isinstance(node, Aggregate):
            opened.append(node)
        wanted = token.type == "OPEN"
    if opened or wanted:
        raise RapidError(
            *_place(text, len(text.rstrip())), "the text ends where a value, ',' or ']' belongs"
        )
    return whole[0]


def _tokens(text: str) -> Iterator[Token]:
    place = 0
    while place < len(text):
        match = _TOKENS.match(text, place)
        if match is None:
            raise RapidError(
                *_place(text, place),
                f"found {text[place : place + 10].split()[0]!r} where a value belongs",
            )
        kind = str(match.lastgroup)
        if kind != "skip":
            token = Token(match[0])
            token.type, token.start_pos, token.end_pos = kind, match.start(), match.end()
            token.line, token.column = _place(text, place)
            yield token
        place = match.end()


def _misplaced(token: Token, wanted: str) -> RapidError:
    return RapidError(token.line, token.column, f"found {str(token)[:20]!r} where {wanted}")


def _place(text: str, place: int) -> tuple[int, int]:
    return text.count("\n", 0, place) + 1, place - text.rfind("\n", 0, place)
