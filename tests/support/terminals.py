"""How a table comes out on terminals of several widths."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Any

from rich.console import Console

WIDTHS = (60, 80, 100, 200)
_LONG = 30  # characters: a longer word, as a path, may break


def printed(renderables: Iterable[Any], width: int) -> str:
    """Return what a terminal of that width shows."""
    console = Console(width=width, markup=False, highlight=False)
    with console.capture() as text:
        for one in renderables:
            console.print(one)
    return text.get()


def words(text: str) -> Counter[str]:
    """Return the words of a text with their counts; lines of tables are none."""
    return Counter(
        word for word in text.split() if len(word) <= _LONG and not set(word) <= set("─-")
    )


def assert_nothing_is_cut(renderables: Iterable[Any]) -> None:
    """No terminal elides: every word and number of the widest is on all of them, as often, in lines
    that fit.
    """
    shown = list(renderables)
    widest = words(printed(shown, WIDTHS[-1]))
    assert any(re.search(r"\d", word) for word in widest), "nothing to compare"
    for width in WIDTHS:
        text = printed(shown, width)
        assert "…" not in text
        assert max(map(len, text.splitlines())) <= width
        assert not widest - words(text), width
