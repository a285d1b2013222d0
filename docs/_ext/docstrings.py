"""Docstrings of Google's style whose values and attributes are sentences.

napoleon takes what stands before the first colon of a ``Returns`` section, or of an attribute's
docstring, for a type; types stand in our signatures, and a colon is a colon. Names of pages become
links.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx
from sphinx.ext import napoleon
from sphinx.pycode import ModuleAnalyzer
from sphinx.util.inspect import TypeAliasForwardRef


class Docstring(napoleon.GoogleDocstring):
    """A docstring without types."""

    def _consume_returns_section(
        self, preprocess_types: bool = False
    ) -> list[tuple[str, str, list[str]]]:
        lines = self._dedent(self._consume_to_next_section())
        return [("", "", lines)] if lines else []


def process(app: Sphinx, what: str, name: str, obj: object, options: Any, lines: list[str]) -> None:
    """Format a docstring."""
    kind = "method" if what in ("attribute", "data", "property") else what
    lines[:] = [re.sub(r"\bdocs/([\w/]+)\.md", r":doc:`/\1`", line) for line in lines]
    lines[:] = Docstring(lines, app.config, app, kind, name, obj, options).lines()


def public_signature(
    app: Sphinx, what: str, name: str, obj: object, options: Any, signature: str | None, value: Any
) -> tuple[str, None] | None:
    """Leave out the signature of a class whose arguments are private: users do not make it."""
    return ("", None) if what == "class" and re.search(r"[(\s]_\w", signature or "") else None


def setup(app: Sphinx) -> dict[str, bool]:
    """Format docstrings, with the options of napoleon."""
    for value in napoleon.Config._config_values:
        app.add_config_value(*value)
    app.setup_extension("sphinx.ext.autodoc")
    app.connect("autodoc-process-docstring", process)
    app.connect("autodoc-process-signature", public_signature)
    # in a union Sphinx prints an alias by its representation, TypeAliasForwardRef('Array')
    TypeAliasForwardRef.__repr__ = lambda alias: alias.name
    # overloads are for type checkers; a page shows all that a call takes, once
    ModuleAnalyzer.overloads = property(lambda _: {}, lambda *_: None)
    return {"parallel_read_safe": True}
