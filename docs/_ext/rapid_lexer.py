"""Colors of RAPID in the pages."""

from __future__ import annotations

from pygments.lexer import RegexLexer, words
from pygments.token import Comment, Keyword, Name, Number, Operator, Punctuation, String, Whitespace
from sphinx.application import Sphinx

KEYWORDS = (
    *("MODULE", "ENDMODULE", "PROC", "ENDPROC", "FUNC", "ENDFUNC", "TRAP", "ENDTRAP", "RECORD"),
    *("ENDRECORD", "IF", "THEN", "ELSEIF", "ELSE", "ENDIF", "FOR", "FROM", "TO", "STEP", "DO"),
    *("ENDFOR", "WHILE", "ENDWHILE", "TEST", "CASE", "DEFAULT", "ENDTEST", "GOTO", "RETURN"),
    *("EXIT", "ERROR", "UNDO", "CONNECT", "WITH", "AND", "OR", "NOT", "XOR", "DIV", "MOD"),
)
DECLARATIONS = ("CONST", "PERS", "VAR", "INOUT", "LOCAL", "TASK", "ALIAS")


class RapidLexer(RegexLexer):
    """ABB's RAPID, as far as colors need it."""

    name = "RAPID"
    aliases = ("rapid",)
    tokens = {  # noqa: RUF012
        "root": [
            (r"\s+", Whitespace),
            (r"!.*?$", Comment.Single),
            (r'"(?:[^"\n]|"")*"', String),
            (words(KEYWORDS, prefix=r"(?i)\b", suffix=r"\b"), Keyword),
            (words(DECLARATIONS, prefix=r"(?i)\b", suffix=r"\b"), Keyword.Declaration),
            (words(("TRUE", "FALSE"), prefix=r"(?i)\b", suffix=r"\b"), Keyword.Constant),
            (r"\d+(?:\.\d*)?(?:[eE][+-]?\d+)?|\.\d+", Number),
            (r"\\\w+", Name.Attribute),
            (r"[A-Za-z]\w*", Name),
            (r":=|<=|>=|<>|[-+*/=<>?\\]", Operator),
            (r"[][(){},;:.%]", Punctuation),
        ]
    }


def setup(app: Sphinx) -> dict[str, bool]:
    """Add the lexer."""
    app.add_lexer("rapid", RapidLexer)
    return {"parallel_read_safe": True}
