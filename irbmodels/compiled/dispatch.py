"""Choice between Pinocchio and kernels: a query is compiled once its states make up for it."""

from __future__ import annotations

import importlib.util
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
    """Counts of states by query, and the kernels of queries that are worth one."""

    def __init__(self) -> None:
        """Start without kernels."""
        self._counts: Counter[Hashable] = Counter()
        self.kernels: dict[Hashable, Kernel | None] = {}
        """By key; None where a kernel would be too long, or cannot be compiled."""

    def kernel(
        self, key: Hashable, states: int, make: Callable[[], Kernel], remember: bool = True
    ) -> Kernel | None:
        """Count states of a query; return its kernel if it is in use, or worth it from now on.

        A query that is not to be remembered (of a point, which may be another each time) is judged
        by these states alone.
        """
        if not remember:
            return _if_short(make) if states >= WORTH and installed() else None
        if key in self.kernels:
            return self.kernels[key]
        self._counts[key] += states
        if self._counts[key] < WORTH:
            return None
        self.kernels[key] = _if_short(make) if installed() else None
        return self.kernels[key]


def _if_short(make: Callable[[], Kernel]) -> Kernel | None:
    kernel = make()
    if kernel.is_ready() or (operations := kernel.operations()) <= LONGEST:
        return kernel
    _log_warning(
        f"{kernel.name} takes {operations} operations, too many to compile: Pinocchio answers,"
        " state by state"
    )
    return None


def is_installed() -> bool:
    """Return whether kernels can be compiled and run."""
    return importlib.util.find_spec("llvmlite") is not None


@cache
def installed() -> bool:
    """Return whether kernels can be compiled; log once if not."""
    if not is_installed():
        advice = "get machine code with: pip install 'irbmodels[fast]'"
        _log_warning(f"llvmlite is not installed: Pinocchio answers, state by state; {advice}")
        return False
    return True


def _log_warning(message: str) -> None:
    import logging  # few need it, and it takes 2 ms to import

    logging.getLogger("irbmodels").warning(message)
