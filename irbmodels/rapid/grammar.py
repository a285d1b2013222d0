"""The declarations of a RAPID module as a grammar, and that of one instruction.

In a module routines are one token each, to be kept word for word; :mod:`.program.routines` finds
the instructions in them.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any

from ..errors import RapidError, require
from .text import line_column, shifted

if TYPE_CHECKING:
    from lark import Lark

# no END inside a text or a comment counts
_INSIDE = r"""(?>[^"!eE]++|"(?>[^"\n]|"")*+"|![^\n]*+|(?!\bEND{0}\b)["eE])*+"""

GRAMMAR = r"""
module: HEADER? MODULE NAME attributes? item* ENDMODULE
attributes: "(" NAME ("," NAME)* ")"
?item: declaration | record | alias | routine
routine: LOCAL? (PROC | FUNC | TRAP)
record: LOCAL? RECORD NAME (NAME NAME ";")+ ENDRECORD
alias: LOCAL? ALIAS NAME NAME ";"
declaration: (LOCAL | TASK)? STORAGE NAME NAME size? (ASSIGN value)? ";"
size: "{" value ("," value)* "}"
text: value | declaration

?value: operand | expression
expression: operand (OPERATOR operand)+
?operand: NUMBER | BOOL | STRING | aggregate | reference | group | signed
aggregate: "[" value ("," value)* "]"
reference: NAME ("." NAME | "{" value ("," value)* "}")*
group: "(" value ")"
signed: SIGN operand

STORAGE.3: /(CONST|PERS|VAR)\b/i
LOCAL.3: /LOCAL\b/i
TASK.3: /TASK\b/i
MODULE.3: /MODULE\b/i
ENDMODULE.3: /ENDMODULE\b/i
RECORD.3: /RECORD\b/i
ENDRECORD.3: /ENDRECORD\b/i
ALIAS.3: /ALIAS\b/i
PROC.3: /PROC\b@PROC@END(?:PROC)\b/i
FUNC.3: /FUNC\b@FUNC@END(?:FUNC)\b/i
TRAP.3: /TRAP\b@TRAP@END(?:TRAP)\b/i
BOOL.3: /(TRUE|FALSE)\b/i
NUMBER.2: /(?:[-+][ \t]*)?(?:0[xX][0-9a-fA-F]+|0[oO][0-7]+|0[bB][01]+|(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][-+]?[0-9]+)?)/
ASSIGN: ":="
STRING: /"(?>[^"\n]|"")*+"/
OPERATOR.2: /<=|>=|<>|[-+*\/<>=]|(?:DIV|MOD|AND|OR|XOR)\b/i
SIGN.1: /[-+]|NOT\b/i
NAME: /[^\W\d]\w*/
HEADER: /%%%[\s\S]*?%%%/
COMMENT: /![^\n]*/
BLANK: /[\s\ufeff]+/
PLACEHOLDER: /<(?:DN|TDN|DDN|RDN)>/i
%ignore COMMENT
%ignore PLACEHOLDER
%ignore BLANK
"""

INSTRUCTION = r"""
condition: value
instruction: NAME (argument ("," argument)*)? ";"
argument: value option* | option+
option: "\\" NAME (ASSIGN value | "?" NAME)?
call: NAME "(" (argument ("," argument)*)? ")"
%extend operand: call
"""
"""A declaration holds no function call, an argument may."""

RESERVED = frozenset(
    re.findall(
        r"\w+",
        """
    alias and backward case connect const default div do else elseif endfor endfunc endif
    endmodule endproc endrecord endtest endtrap endwhile error exit false for from func goto if
    inout local mod module nostepin not noview or pers proc raise readonly record retry return
    step sysmodule test then to trap true trynext undo var viewonly while with xor
    """,
    )
)
_BLOCKS = ("PROC", "FUNC", "TRAP", "RECORD")
_BRACKETS = {"LSQB": "]", "LPAR": ")", "LBRACE": "}"}
_CLOSING = tuple(_BRACKETS.values())


@cache
def _parser(calls: bool = False) -> Lark:
    from lark import Lark

    grammar = GRAMMAR
    for kind in ("PROC", "FUNC", "TRAP"):
        grammar = grammar.replace(f"@{kind}@", _INSIDE.replace("{0}", kind))
    grammar, start = (
        (grammar + INSTRUCTION, ["instruction", "condition"])
        if calls
        else (grammar, ["module", "text"])
    )
    return Lark(
        grammar, parser="lalr", start=start, propagate_positions=True, maybe_placeholders=False
    )


def parse(text: str, start: str, file: str = "", origin: tuple[int, int] = (1, 1)) -> Any:
    """Return the tree of a text: ``module``, ``text`` (a value), ``instruction``, ``condition``.

    ``origin`` is line and column of the text in its module, for errors.

    Raises:
        RapidError: if it breaks the grammar; says where, why, and what would be right.
        MissingExtra: without lark.
    """
    require("lark", "rapid")
    parser = _parser(start in ("instruction", "condition"))
    from lark.exceptions import UnexpectedInput

    try:
        return parser.parse(text, start=start)
    except UnexpectedInput as err:
        position, reason = _explain(text, err, origin)
        raise RapidError(*shifted(*line_column(text, position), origin), reason, file) from None


def tokens(node: Any, *types: str) -> list[Any]:
    """Return the tokens of some types directly below a node."""
    return [part for part in node.children if getattr(part, "type", "") in types]


def subtrees(node: Any, *rules: str) -> list[Any]:
    """Return the trees of some rules directly below a node."""
    return [part for part in node.children if getattr(part, "data", "") in rules]


def _explain(text: str, err: Any, origin: tuple[int, int]) -> tuple[int, str]:
    """Return where a text breaks the grammar, and why."""
    token = getattr(err, "token", None)
    at = (
        err.pos_in_stream
        if token is None
        else token.start_pos
        if token.type != "$END"
        else len(text.rstrip())
    )
    word = "" if at >= len(text.rstrip()) else text[at] if token is None else str(token).split()[0]
    actual = f"found {word!r}" if word else "the text ends"
    stack = err.interactive_parser.parser_state.value_stack
    before = _span(stack[-1])[1] if stack else 0
    expected = {
        "$END": "",
        **dict.fromkeys(
            getattr(err, "accepts", None) or getattr(err, "expected", None) or err.allowed
        ),
    }
    opened = [item for item in stack if getattr(item, "type", None) in _BRACKETS]
    if word == '"':
        return at, 'this string is not closed on its line; it needs a second "'
    if opened and (
        word in ("", ";", ":=") or (word in _CLOSING and word != _BRACKETS[opened[-1].type])
    ):
        bracket, close = opened[-1], _BRACKETS[opened[-1].type]
        line, column = shifted(bracket.line, bracket.column, origin)
        opening = f"{str(bracket)!r} of line {line}, column {column}"
        return at, f"{actual}, but the {opening} is not closed: {close!r} is missing"
    if opened and "COMMA" in expected:
        return (
            before,
            f"{actual} without ',' before it; ',' or {_BRACKETS[opened[-1].type]!r} is missing",
        )
    if word in _CLOSING and not opened:
        return at, f"{actual} that nothing opened"
    if "NUMBER" in expected:
        return at, f'{actual} where a value belongs: a number, TRUE or FALSE, a "text", or [...]'
    if word == "(" and "OPERATOR" in expected:
        return at, "a declaration holds no function call; write the value that it gives"
    if "ASSIGN" in expected and word in ("=", ":"):
        return at, f"{actual}; a value is given with ':='"
    if "SEMICOLON" in expected:
        return (
            before,
            (
                f"{actual} without ';' before it: ';' is missing after"
                f" {text[slice(*_span(stack[-1]))].split()[-1]!r}"
            ),
        )
    if word.upper() in _BLOCKS and "PROC" in expected:
        return at, f"{word} is not closed: END{word.upper()} is missing"
    if "ENDMODULE" in expected:
        return (
            at,
            (
                f"{actual} where ENDMODULE belongs, or a routine, or a declaration, which begins"
                " with CONST, PERS or VAR"
            ),
        )
    if "MODULE" in expected:
        return at, f"{actual} where a module begins, with: MODULE name"
    if "STORAGE" in expected:
        return at, f"{actual} where CONST, PERS or VAR belongs"
    if "NAME" in expected:
        return (
            at,
            f"{actual} where a name belongs; a declaration reads: CONST robtarget p10:=[...];",
        )
    return at, f"{actual}, and nothing but comments may follow"


def _span(item: Any) -> tuple[int, int]:
    """Start and end of a token or tree."""
    meta = getattr(item, "meta", item)
    return int(meta.start_pos), int(meta.end_pos)
