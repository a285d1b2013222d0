"""Literals of RAPID, read without the grammar but as its nodes: numbers, TRUE, texts, brackets."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any

from ..errors import RapidError
from .text import line_column

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
    opened, top, value_expected = list[Aggregate](), list[Any](), True
    for token in _tokens(text):
        if token.type in ("COMMA", "CLOSE"):
            if value_expected or not opened:
                raise _mispositiond(token, "a value belongs" if value_expected else "the text ends")
            value_expected = token.type == "COMMA"
            if token.type == "CLOSE":
                opened.pop().meta.end_pos = token.end_pos
            continue
        if not value_expected:
            raise _mispositiond(token, "',' or ']' belongs" if opened else "the text ends")
        node = Aggregate(token) if token.type == "OPEN" else token
        (opened[-1].children if opened else top).append(node)
        if isinstance(node, Aggregate):
            opened.append(node)
        value_expected = token.type == "OPEN"
    if opened or value_expected:
        raise RapidError(
            *line_column(text, len(text.rstrip())),
            "the text ends where a value, ',' or ']' belongs",
        )
    return top[0]


def _tokens(text: str) -> Iterator[Token]:
    position = 0
    while position < len(text):
        match = _TOKENS.match(text, position)
        if match is None:
            raise RapidError(
                *line_column(text, position),
                f"found {text[position : position + 10].split()[0]!r} where a value belongs",
            )
        kind = str(match.lastgroup)
        if kind != "skip":
            token = Token(match[0])
            token.type, token.start_pos, token.end_pos = kind, match.start(), match.end()
            token.line, token.column = line_column(text, position)
            yield token
        position = match.end()


def _mispositiond(token: Token, expected: str) -> RapidError:
    return RapidError(token.line, token.column, f"found {str(token)[:20]!r} where {expected}")
