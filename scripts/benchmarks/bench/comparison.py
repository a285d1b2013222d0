"""Two records side by side: ratios of what both measured, and what of them is noise."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from .record import Record, Row

MACHINE = ("processor", "llvm", "features", "architecture", "cores", "memory [GB]", "system")
RUN = ("quick", "batch", "large", "slow", "threads")
"""Settings under which rows of the same name are of the same work."""
PEER = "pin"


class Pair(NamedTuple):
    """One quantity in two runs."""

    before: Row
    after: Row

    @property
    def ratio(self) -> float:
        """Median of the second over that of the first; NaN where one is not positive."""
        first, second = self.before.value.median, self.after.value.median
        return second / first if min(first, second) > 0.0 else np.nan

    @property
    def factor(self) -> float:
        """How many times worse the second is: above 1 where it is; NaN where none is better."""
        if not self.before.better:
            return np.nan
        return self.ratio if self.before.better == "lower" else 1.0 / self.ratio

    @property
    def spread_known(self) -> bool:
        """Whether both were measured more than once."""
        return min(self.before.value.rounds, self.after.value.rounds) > 1

    @property
    def within_noise(self) -> bool:
        """Whether the middle halves of the rounds overlap."""
        a, b = self.before.value, self.after.value
        return self.spread_known and a.lower <= b.upper and b.lower <= a.upper

    @property
    def verdict(self) -> str:
        """Return what to make of the ratio, in a word or two."""
        if self.before.value.median == self.after.value.median:
            return "same"
        if self.within_noise:
            return "within noise"
        once = "" if self.spread_known else ", one round"
        if not np.isfinite(self.factor) or self.factor == 1.0:
            return f"differs{once}"
        return f"{'worse' if self.factor > 1.0 else 'better'}{once}"


def pairs_of(before: Record, after: Record) -> list[Pair]:
    """Return what both runs measured, in the order of the first."""
    rows = {row.key: row for row in after.rows}
    return [Pair(row, rows[row.key]) for row in before.rows if row.key in rows]


def only_in(one: Record, other: Record) -> list[Row]:
    """Return what the first run measured and the other did not."""
    keys = {row.key for row in other.rows}
    return [row for row in one.rows if row.key not in keys]


def differences(before: Record, after: Record) -> list[str]:
    """Return a line for everything that lets ratios mean something else than the code."""
    lines = [
        _difference(f"machines differ: {name}", before.machine.get(name), after.machine.get(name))
        for name in MACHINE
    ]
    names = dict.fromkeys((*before.versions, *after.versions))
    lines += [
        _difference(f"versions differ: {name}", before.versions.get(name), after.versions.get(name))
        for name in names
    ]
    lines += [
        _difference(f"runs differ: {name}", before.run.get(name), after.run.get(name))
        for name in RUN
    ]
    return [line for line in lines if line]


def drift(pairs: Sequence[Pair]) -> list[float]:
    """Return the ratios of Pinocchio's own rows, in ascending order.

    Their code is the same in both runs: their median tells how much slower the machine was, and
    their ends how far two runs of one code are apart.
    """
    ratios = (pair.ratio for pair in pairs if pair.before.who == PEER)
    return sorted(ratio for ratio in ratios if np.isfinite(ratio))


def mean_ratio(pairs: Sequence[Pair]) -> float:
    """Return the geometric mean of the ratios; NaN without one."""
    ratios = np.array([pair.ratio for pair in pairs if np.isfinite(pair.ratio)])
    return float(np.exp(np.log(ratios).mean())) if ratios.size else np.nan


def worse_than(threshold: float, pairs: Sequence[Pair]) -> list[Pair]:
    """Return what of ours became worse by more than a factor, and not by noise.

    A quantity of one round counts as it is; what others need is theirs.
    """
    ours = [pair for pair in pairs if pair.before.who in ("", "irbmodels")]
    return [pair for pair in ours if pair.factor > threshold and not pair.within_noise]


def _difference(name: str, one: object, other: object) -> str:
    if one == other:
        return ""
    if isinstance(one, list) and isinstance(other, list):
        first, second = sorted(set(one) - set(other)), sorted(set(other) - set(one))
        return f"{name}: only in A {first or 'none'}, only in B {second or 'none'}"
    return f"{name}: {one} in A, {other} in B"
