"""How long a user waits for the first answer of each query: with an empty cache of kernels (cold),
with the kernel on disk, and warm.

Each first answer is one of a process of its own, with a cache of its own.
"""

from __future__ import annotations

import json
import shutil
import tempfile
from collections import defaultdict
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np

import irbmodels as irb
from irbmodels.compiled.cache import FOLDER
from irbmodels.compiled.dispatch import WORTH
from irbmodels.compiled.queries import QUERIES
from irbmodels.simulation import rollouts

from . import first_answer
from .arm import NAME, TOOL, Arm
from .first_answer import COLUMNS, ONE, ROWS, STATES
from .processes import run
from .races import Contestant, Results, calls

IK, ROLLOUTS = "inverse_kinematics", "rollouts"
SCARA = "irb930"
COLD, COLD_PROCESSOR = "first answer, cold", "first answer, cold, processor time"
DISK, DISK_RATIO = "first answer, from disk", "first answer, from disk / import pinocchio"
WARM, IMPORTS = "warm answers", "imports of a first answer"
THIRD, SHARE = 1.0 / 3.0, 0.15
"""Bounds: of inverse dynamics, cold [s]; of any query from disk, over ``import pinocchio``."""


class Case(NamedTuple):
    """A first answer."""

    query: str
    layout: str
    precision: str = "double"
    robot: str = NAME
    tool: str | None = TOOL

    @property
    def name(self) -> str:
        """Name in tables."""
        return self.query if self.robot == NAME else f"{self.query}, {self.robot}"

    @property
    def kind(self) -> tuple[str, bool]:
        """Tell what it imports: cases of one kind import the same."""
        return "" if self.query in QUERIES else self.name, self.layout == ONE

    @property
    def states(self) -> int:
        """Answered by the call."""
        if self.query in QUERIES:
            return 1 if self.layout == ONE else STATES
        return WORTH if self.query == IK else 2

    @property
    def where(self) -> dict[str, Any]:
        """Fields of its rows."""
        return {"who": "irbmodels", "layout": self.layout, "precision": self.precision}


CASES = (
    *(Case(query, layout) for query in QUERIES for layout in (COLUMNS, ROWS, ONE)),
    Case("inverse_dynamics", COLUMNS, "single"),
    Case("inverse_dynamics", ONE, "single"),
    Case(IK, ROWS),
    Case(IK, ROWS, robot=SCARA, tool=None),
    Case(ROLLOUTS, ROWS),
)


def measurements(arm: Arm) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [("first answers", first_answers), ("warm answers", partial(warm_answers, arm))]


def first_answers(results: Results) -> None:
    """Every case cold and from disk, in turns with the others, and ``import pinocchio`` before
    each; the first process of a kind tells what it imports, which is imported apart when cold.
    """
    cases = [CASES[0], CASES[2]] if results.effort.quick else CASES
    modules: dict[tuple[str, bool], list[str]] = {}
    cold, disk = defaultdict(list), defaultdict(list)
    for number in range(results.effort.fresh):
        for case in cases:
            results.tell(f"{case.name}, {case.layout}, round {number + 1}")
            with tempfile.TemporaryDirectory() as folder:
                if case.kind not in modules:
                    modules[case.kind] = answer(case, Path(folder))["modules"]
                    shutil.rmtree(folder)
                cold[case].append(answer(case, Path(folder), modules[case.kind]))
                disk[case].append(answer(case, Path(folder)))
    keep(results, cold, disk)


def keep(
    results: Results,
    cold: dict[Case, list[dict[str, Any]]],
    disk: dict[Case, list[dict[str, Any]]],
) -> None:
    """Keep what the processes answered: rows of all cases, and what must show."""
    shares = {}
    for case, answers in cold.items():
        where = case.where | {"states": case.states}
        for group, name in ((COLD, "answer"), (COLD_PROCESSOR, "processor")):
            results.number(group, case.name, times(answers, name), "s", **where)
        from_disk = times(disk[case], "answer")
        shares[case] = from_disk / times(disk[case], "import pinocchio")
        results.number(DISK, case.name, from_disk, "s", **where)
        results.number(DISK_RATIO, case.name, shares[case], "x", **where)
    everybody = [answer for answers in (*cold.values(), *disk.values()) for answer in answers]
    for name in ("import pinocchio", "import irbmodels, load"):
        results.number(IMPORTS, name, times(everybody, name), "s")
    imports = defaultdict(list)
    for answer in (answer for answers in cold.values() for answer in answers):
        for library, seconds in answer["imports"].items():
            imports[library].append(seconds)
    for library, seconds in imports.items():
        results.number(IMPORTS, f"beyond that: {library}", seconds, "s")
    first = CASES[0]
    what = f"first answer, cold, {first.name}, {first.layout}"
    results.within(what, times(cold[first], "answer"), THIRD, "s")
    slowest = max(shares, key=lambda case: float(np.median(shares[case])))
    what = f"first answer, from disk, slowest ({slowest.name}, {slowest.layout})"
    results.within(what, shares[slowest], SHARE, "import pinocchio")


def times(answers: list[dict[str, Any]], name: str) -> Any:
    """Return one of the times of several processes [s]."""
    return np.array([answer["times"][name] for answer in answers])


def answer(case: Case, cache: Path, imports: list[str] | None = None) -> dict[str, Any]:
    """Answer a case in a process of its own.

    Args:
        case: What is asked.
        cache: Folder of kernels.
        imports: Modules that are imported before the time begins.
    """
    inputs = len(QUERIES[case.query].inputs) if case.query in QUERIES else 0
    argument = json.dumps(case._asdict() | {"inputs": inputs, "imports": imports or []})
    times: dict[str, Any] = json.loads(run(first_answer.__file__, argument, **{FOLDER: str(cache)}))
    return times


def warm_answers(arm: Arm, results: Results) -> None:
    """All queries when they are in use: arrays that fit into the cache, and one state per call."""
    count, single = results.effort.batch, 20 if results.effort.quick else 2000
    states = arm.states(count)
    columns, one = states.columns, [x[0].copy() for x in states]
    for query in QUERIES:
        kernel = getattr(arm.kernels, query)
        if results.effort.quick and not kernel.is_ready():
            continue
        inputs = len(QUERIES[query].inputs)
        runs = {
            COLUMNS: (partial(kernel, *columns[:inputs]), count),
            ROWS: (partial(kernel.rows, *states[:inputs]), count),
            ONE: (calls(kernel, *one[:inputs], number=single), single),
        }
        keep_race(results, Case(query, ""), runs)
    if not results.effort.quick:
        for robot, case in (
            (arm.robot, Case(IK, "")),
            (irb.load(SCARA), Case(IK, "", robot=SCARA)),
        ):
            q = np.random.default_rng(0).uniform(0.1, 0.5, (count, robot.n))
            poses = robot.pose(q)
            ask = robot.inverse_kinematics
            runs = {
                ROWS: (partial(ask, poses), count),
                ONE: (calls(ask, poses[0], number=single // 10), single // 10),
            }
            keep_race(results, case, runs)
        q = 0.1 * states.q[:1000]
        roll = partial(rollouts, arm.robot, q, duration=0.05, step=1e-3, every=0.05)
        keep_race(results, Case(ROLLOUTS, ""), {ROWS: (roll, 50 * len(q))})


def keep_race(
    results: Results, case: Case, runs: dict[str, tuple[Callable[[], object], int]]
) -> None:
    """Race the layouts of one query."""
    contestants = [
        Contestant("irbmodels", case.name, answer, count, layout)
        for layout, (answer, count) in runs.items()
    ]
    results.race(WARM, contestants)
