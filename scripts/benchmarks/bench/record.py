"""A run as a record: everything measured, with its spread, and the machine, versions and code it
was measured on; written and read as JSON.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

from irbmodels.errors import InputError
from irbmodels.files import read_text, write_text

FORMAT, SCHEMA = "irbmodels benchmark", 1
NS = "ns/state"
BETTER = ("lower", "higher", "")
"""Which direction is the better one; empty where neither is."""


class Spread(NamedTuple):
    """Distribution of a quantity over the rounds of a run."""

    median: float
    lower: float
    """Quartile."""
    upper: float
    least: float
    largest: float
    rounds: int

    @classmethod
    def of(cls, values: Any) -> Spread:
        """Return the spread of one value per round."""
        rounds = np.atleast_1d(np.asarray(values, dtype=float))
        lower, median, upper = np.quantile(rounds, [0.25, 0.5, 0.75])
        ends = float(rounds.min()), float(rounds.max())
        return cls(float(median), float(lower), float(upper), *ends, rounds.size)


class Row(NamedTuple):
    """One measured quantity."""

    group: str
    who: str
    """Whose code: irbmodels, pin, mujoco ...; empty where it is of none."""
    name: str
    unit: str
    value: Spread
    states: int | None = None
    """Answered by one call, or in one array."""
    layout: str = ""
    precision: str = ""
    better: str = "lower"

    @property
    def key(self) -> tuple[Any, ...]:
        """Tell which quantity it is, in any run."""
        return (*self[:4], *self[5:8])


class Claim(NamedTuple):
    """Something that must hold, and what was measured."""

    what: str
    against: str
    ours: float | None
    """Nanoseconds per state, where the claim is a ratio."""
    theirs: float | None
    reached: float
    bound: float
    at_least: bool
    unit: str

    @property
    def holds(self) -> bool:
        """Whether the bound is kept."""
        return self.reached >= self.bound if self.at_least else self.reached <= self.bound


class Record(NamedTuple):
    """One run."""

    date: str
    """Of its start, UTC, ISO 8601."""
    machine: dict[str, Any]
    versions: dict[str, str | None]
    """Of packages; None where one is not installed."""
    code: dict[str, Any]
    """``commit`` of the package (None outside a checkout), and whether it was ``changed`` since."""
    run: dict[str, Any]
    """Rounds, seed, steps, seconds it took, load of the machine before."""
    rows: list[Row]
    claims: list[Claim]
    notes: list[str]

    def write(self, path: Path) -> None:
        """Write it as JSON."""
        write_text(path, json.dumps(self.as_json(), indent=1) + "\n")

    def as_json(self) -> dict[str, Any]:
        """Return it as what JSON can hold."""
        head = {"format": FORMAT, "schema": SCHEMA}
        rows = [
            {name: value for name, value in row._asdict().items() if name != "value"}
            | row.value._asdict()
            for row in self.rows
        ]
        claims = [claim._asdict() | {"holds": claim.holds} for claim in self.claims]
        return head | self._asdict() | {"rows": rows, "claims": claims}


def read_record(path: Path) -> Record:
    """Read a record.

    Raises:
        FileError: if the file cannot be read.
        InputError: if it is no record, or one of another schema.
    """
    try:
        content = json.loads(read_text(path))
    except (ValueError, RecursionError) as err:
        raise InputError(
            f"{path}: is no record of a benchmark, since it is no JSON: {err}"
        ) from err
    if not isinstance(content, dict) or content.get("format") != FORMAT:
        raise InputError(f'{path}: is no record of a benchmark: "format" is not "{FORMAT}"')
    if content.get("schema") != SCHEMA:
        raise InputError(
            f"{path}: has schema {content.get('schema')!r}, and this reads {SCHEMA}: measure again"
        )
    try:
        return _record(content)
    except (KeyError, TypeError, ValueError, AttributeError) as err:
        problem = f"{err.args[0]!r} is missing" if isinstance(err, KeyError) else err
        raise InputError(f"{path}: is a broken record of a benchmark: {problem}") from err


def _record(content: Mapping[str, Any]) -> Record:
    parts = {name: content[name] for name in Record._fields}
    kinds = {"date": str, "rows": list, "claims": list, "notes": list}
    for name, part in parts.items():
        if not isinstance(part, kinds.get(name, dict)):
            raise ValueError(f'"{name}" is a {type(part).__name__}')
    rows = [_row(number, row) for number, row in enumerate(content["rows"])]
    keys = [row.key for row in rows]
    if repeated := next((key for key in keys if keys.count(key) > 1), None):
        raise ValueError(f"two rows are {repeated}")
    claims = [Claim(*(claim[name] for name in Claim._fields)) for claim in content["claims"]]
    return Record(**parts | {"rows": rows, "claims": claims})


def _row(number: int, row: Any) -> Row:
    if not isinstance(row, dict):
        raise ValueError(f"row {number}: is {row!r}")
    spread = Spread(*(row[name] for name in Spread._fields))
    parts = [row[name] for name in Row._fields if name != "value"]
    texts, states = [*parts[:4], *parts[5:]], parts[4]
    if not all(isinstance(text, str) for text in texts) or parts[-1] not in BETTER:
        raise ValueError(f"row {number}: {texts} are not the texts of a row")
    if not all(type(x) in (int, float) and math.isfinite(x) for x in spread):
        raise ValueError(f"row {number}: {list(spread)} are not the numbers of a spread")
    if not (states is None or type(states) is int):
        raise ValueError(f"row {number}: states is {states!r}")
    return Row(*parts[:4], spread, *parts[4:])


def grouped(rows: Sequence[Row]) -> dict[str, list[Row]]:
    """Return rows by group, in the order in which groups begin."""
    groups: dict[str, list[Row]] = {}
    for row in rows:
        groups.setdefault(row.group, []).append(row)
    return groups
