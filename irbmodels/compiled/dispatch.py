"""When a query gets machine code: once it has been asked for so many states that Pinocchio's time would be noticed."""

from __future__ import annotations

import importlib.util
import os
from collections import Counter
from collections.abc import Callable, Hashable
from functools import cache
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from .kernels import Kernel

WORTH = 1000
"""States, in one array or one by one, after which a query is compiled.

Pinocchio needs some 10 ms for as many.
"""
LONGEST = 20_000
"""Operations; what is longer would take minutes to compile, and stays with Pinocchio."""


class Dispatch:
    """Counts states that queries are asked for, and keeps the kernels of those that are worth one."""

    def __init__(self) -> None:
        """Start without kernels."""
        self._asked: Counter[Hashable] = Counter()
        self.kernels: dict[Hashable, Kernel | None] = {}
        """By key; None where a kernel would be too long, or cannot be compiled."""

    def kernel(
        self, key: Hashable, states: int, make: Callable[[], Kernel], remember: bool = True
    ) -> Kernel | None:
        """Count states that a query is asked for.

        Return its kernel if it is in use, or worth it from now on.

        What is not to be remembered (queries of a point, which may be another each time) is judged
        by these states alone.
        """
        if not remember:
            return _worthy(make) if states >= WORTH and installed() else None
        if key in self.kernels:
            return self.kernels[key]
        self._asked[key] += states
        if self._asked[key] < WORTH:
            return None
        self.kernels[key] = _worthy(make) if installed() else None
        return self.kernels[key]


def _worthy(make: Callable[[], Kernel]) -> Kernel | None:
    kernel = make()
    if kernel.is_ready() or (operations := kernel.operations()) <= LONGEST:
        return kernel
    _say(
        f"{kernel.query} takes {operations} operations, too many to compile: Pinocchio answers,"
        " state by state"
    )
    return None


@cache
def installed() -> bool:
    """Whether kernels can be compiled; says once if not."""
    missing = [name for name in ("casadi", "numba") if importlib.util.find_spec(name) is None]
    if missing:
        advice = "get machine code with: pip install 'irbmodels[fast]'"
        _say(f"{' and '.join(missing)} not installed: Pinocchio answers, state by state; {advice}")
    elif os.environ.get("NUMBA_DISABLE_JIT", "0") not in ("", "0"):
        _say("NUMBA_DISABLE_JIT is set: Pinocchio answers, state by state")
        return False
    return not missing


def _say(message: str) -> None:
    import logging  # few need it, and it takes 2 ms to import

    logging.getLogger("irbmodels").warning(message)
