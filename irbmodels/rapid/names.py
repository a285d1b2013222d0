"""Names in RAPID."""

from __future__ import annotations

import re

from ..errors import InputError
from .grammar import RESERVED

_LONGEST = 32  # characters
_NAME = re.compile(rf"[A-Za-z][A-Za-z0-9_]{{0,{_LONGEST - 1}}}")


def check_name(what: str, word: str) -> None:
    """Refuse a text that is no name in RAPID.

    Args:
        what: Kind of thing that is named, such as ``module``.
        word: The name.

    Raises:
        InputError: if it is none.
    """
    if not _NAME.fullmatch(word) or word.lower() in RESERVED:
        raise InputError(
            f"{word!r} is no name of a {what} in RAPID: a letter, then letters, digits and _,"
            f" {_LONGEST} at most, and no word of RAPID itself"
        )
