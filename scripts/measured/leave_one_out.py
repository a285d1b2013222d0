"""Thresholds between right and wrong, chosen without an arm and tried on it, in turn.

A statistic of a log is the strictest value of a threshold at which a mistake is named, all others
as they are in use. Rule: the geometric middle between the largest statistic of clean logs and the
next larger one of spoilt logs, of all other arms. Sizes below which a mistake does not count and
levels of unexplained torque up to ``poor`` are no such thresholds: they say what matters to a user.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import count
from typing import Any, NamedTuple

import numpy as np

from irbmodels.errors import InputError
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import (
    arrangements,
    evaluate,
    evaluation,
    fit_mistakes,
    identify,
    levels,
    mistake_search,
    mistakes,
    prepare_logs,
)
from irbmodels.identification.validation.verdict import Verdict
from irbmodels.robot.robot import Robot

from .sources import MeasuredArm
from .spoilt_logs import copies

MODULES = (mistakes, fit_mistakes, mistake_search, arrangements)
CLEAN, ROBOT, UNIT = "as measured", "another robot", "all torques in kN m"
ZEROS = {f"zero of axis {axis} shifted by 3 deg": ("zero",) for axis in (2, 3)}
GAIN = {"torque of axis 2 by 1.1": ("gain",)}
LOAD = {"a fifth of the rated payload": ("payload",)}
LATE = {"torques 20 ms late": ("late",)}
TURNED = {
    "sign of axis 3": ("sign",),
    "sign of the torque of axis 2": ("torque sign",),
    "axes 2 and 3 swapped": ("swap",),
    "torque of axis 3 in kN m": ("torque unit",),
    "positions in degrees, read as radians": ("degrees",),
}
VALIDATE, IDENTIFY = "validate", "identify"
STEPS = 16  # of a constant from its laxest to its strictest value


class Case(NamedTuple):
    """A set on a log: what the search for mistakes was given, and what else is known."""

    given: tuple[Any, ...]
    verdict: Verdict
    memory: dict[int, Any]
    """Other arrangements that were found, in the order of the searches."""

    @property
    def share(self) -> float:
        """Return the largest unexplained share of a torque."""
        return float(np.max(self.verdict.unexplained))

    @property
    def distance(self) -> float:
        """Return deviations between possible bodies and the unconstrained fit; NaN without one."""
        return np.nan if self.verdict.distance is None else self.verdict.distance

    def kinds(self, constant: str) -> set[str]:
        """Return the kinds of mistakes that are named, of which a constant has been set.

        The search for another arrangement of the axes, which takes longest, is done again only for
        a constant of its own.
        """
        numbers = count()
        search = arrangements.find_arrangement

        def remembered(*arguments: Any) -> Any:
            number = next(numbers)
            if hasattr(arrangements, constant) or number not in self.memory:
                found = search(*arguments)
                if hasattr(arrangements, constant):
                    return found
                self.memory[number] = found
            return self.memory[number]

        mistake_search.find_arrangement = remembered
        try:
            return {one.kind for one in mistake_search.search_mistakes(*self.given).mistakes}
        finally:
            mistake_search.find_arrangement = search


@dataclass(frozen=True)
class Threshold:
    """A constant that tells wrong from right."""

    name: str
    about: str
    lax: float
    strict: float
    spoilt: Mapping[str, tuple[str, ...]]
    """Kinds that are right, by the description of a spoilt log."""
    commands: tuple[str, ...] = (VALIDATE, IDENTIFY)
    number: Callable[[Case], float] | None = None
    """Statistic of a case; None: by trying values of the constant."""

    def statistic(self, case: Case | None, kinds: Sequence[str]) -> float:
        """Return the strictest value at which one of these kinds is named, from 0, lax, to 1.

        Args:
            case: None for a log that is refused.
            kinds: That count.
        """
        if case is None:
            return 1.0
        if self.number is not None:
            share = np.log(self.number(case) / self.lax) / np.log(self.strict / self.lax)
            return float(np.clip(share, 0.0, 1.0))
        low, high = 0, STEPS + 1
        while high - low > 1:
            middle = (low + high) // 2
            with _using(self.name, self.value(middle / STEPS)):
                low, high = (middle, high) if case.kinds(self.name) & set(kinds) else (low, middle)
        return low / STEPS

    def value(self, strictness: float) -> float:
        """Return the value of the constant from 0, lax, to 1, strict."""
        return float(self.lax * (self.strict / self.lax) ** strictness)


SMALL = ZEROS | GAIN | LOAD | LATE
TURNED_OR_OTHER: dict[str, tuple[str, ...]] = TURNED | LOAD | {ROBOT: ("robot",)}
THRESHOLDS = (
    Threshold("SURE", "deviations of a zero, gain, payload, delay", 2.0, 64.0, SMALL),
    Threshold("SHARE", "of the residuals that one explains", 5e-3, 0.64, SMALL, (VALIDATE,)),
    Threshold("ARRANGED", "of the squared error, by other signs, axes, units", 1.0, 0.02, TURNED),
    Threshold("PAYLOAD", "of the residuals, by a payload", 0.2, 1.0, LOAD, (IDENTIFY,)),
    Threshold(
        "OTHER_ROBOT", "of a torque, by own bodies", 0.1, 3.0, {ROBOT: ("robot",)}, (IDENTIFY,)
    ),
    Threshold("UNIT", "times the torque of own bodies", 3.0, 1200.0, {UNIT: ("unit",)}),
    Threshold(
        "BOUNDS[3]",
        "of a torque, unexplained",
        0.01,
        10.0,
        TURNED_OR_OTHER,
        number=lambda case: case.share,
    ),
    Threshold(
        "DISTANCE",
        "deviations of possible bodies",
        0.1,
        100.0,
        TURNED_OR_OTHER,
        (IDENTIFY,),
        lambda case: case.distance,
    ),
)
TITLES = (CLEAN, *SMALL, *TURNED, UNIT)
HEADER = [
    "constant",
    "in use",
    "clean logs up to",
    "next spoilt log",
    "chosen without an arm",
    "false alarms there",
    "found there",
]


class Tried(NamedTuple):
    """Statistics of the logs of one arm, strictness from 0 to 1."""

    clean: list[float]
    spoilt: list[float]


def cases_of(arm: MeasuredArm, other: Robot | None) -> dict[tuple[str, str], Case | None]:
    """Return what commands make of an arm's logs, clean and spoilt; None where they refuse.

    Args:
        arm: With logs.
        other: Another robot with as many axes.
    """
    ready = prepare_logs(arm.robot, arm.fit, [arm.held_out])
    given = {"bandwidth": ready.bandwidth, "late": ready.late}
    known = identify(arm.robot, ready.estimation, ready.held_out)
    robot = known.parameters.robot
    spoils = copies(arm.name, arm.robot)
    spoils[UNIT] = lambda log: log.changed(tau=1e-3 * np.asarray(log.tau))
    result: dict[tuple[str, str], Case | None] = {}

    def validated(spoil: Callable[[Recording], Recording]) -> Case | None:
        try:
            logs = prepare_logs(robot, [spoil(arm.held_out)], **given)
            return _case(lambda: evaluate(robot, logs.estimation, known.parameters.vector))
        except InputError:
            return None

    def identified(prior: Robot, spoil: Callable[[Recording], Recording]) -> Case | None:
        try:
            logs = prepare_logs(
                prior, [spoil(log) for log in arm.fit], [spoil(arm.held_out)], **given
            )
            return _case(lambda: identify(prior, logs.estimation, logs.held_out).verdict)
        except InputError:
            return None

    for title in TITLES:
        result[VALIDATE, title] = validated(spoils[title])
        result[IDENTIFY, title] = identified(arm.robot, spoils[title])
    if other is not None:
        result[IDENTIFY, ROBOT] = identified(other, spoils[CLEAN])
    return result


def tried(arms: Iterable[MeasuredArm]) -> dict[str, dict[str, Tried]]:
    """Return the statistics of each threshold, by its name, for each arm, by its name.

    The other robot is the arm before with as many axes.
    """
    result: dict[str, dict[str, Tried]] = {one.name: {} for one in THRESHOLDS}
    before: dict[int, Robot] = {}
    for arm in arms:
        cases = cases_of(arm, before.get(arm.robot.n))
        before[arm.robot.n] = arm.robot
        for one in THRESHOLDS:
            kinds = sorted({kind for right in one.spoilt.values() for kind in right})
            pairs = [key for key in cases if key[0] in one.commands]
            result[one.name][arm.name] = Tried(
                [one.statistic(cases[key], kinds) for key in pairs if key[1] == CLEAN],
                [
                    one.statistic(cases[key], one.spoilt[key[1]])
                    for key in pairs
                    if key[1] in one.spoilt
                ],
            )
    return result


def choice(arms: Sequence[Tried]) -> tuple[float, float]:
    """Return the largest statistic of clean logs and the next larger one of spoilt logs."""
    clean = max(value for arm in arms for value in arm.clean)
    return clean, min((x for arm in arms for x in arm.spoilt if x > clean), default=1.0)


def rows(statistics: Mapping[str, Mapping[str, Tried]]) -> Iterator[tuple[str, ...]]:
    """Yield a line per threshold, of the columns of ``HEADER``."""
    for one in THRESHOLDS:
        arms = statistics[one.name]
        clean, spoilt = choice(list(arms.values()))
        chosen = {
            name: 0.5 * sum(choice([arms[other] for other in arms if other != name]))
            for name in arms
        }
        values = sorted((one.value(x) for x in chosen.values()), key=lambda x: x * one.strict)
        alarms = [name for name in arms if max(arms[name].clean) >= chosen[name]]
        found = {name: sum(x >= chosen[name] for x in arms[name].spoilt) for name in arms}
        total = sum(len(tried.spoilt) for tried in arms.values())
        missed = [
            f"{name} {len(arms[name].spoilt) - found[name]}"
            for name in arms
            if found[name] < len(arms[name].spoilt)
        ]
        yield (
            f"`{one.name}`: {one.about}",
            f"{_in_use(one.name):g}",
            f"{one.value(clean):.2g}",
            f"{one.value(spoilt):.2g}",
            f"{values[0]:.2g} to {values[-1]:.2g}",
            ", ".join(alarms) or "none",
            f"{sum(found.values())} of {total}" + f" (not: {', '.join(missed)})" * bool(missed),
        )


def _case(judge: Callable[[], Verdict]) -> Case:
    """Return a verdict with what its search for mistakes was given."""
    given: list[tuple[Any, ...]] = []

    def recorded(*arguments: Any) -> Any:
        given.append(arguments)
        return mistake_search.search_mistakes(*arguments)

    evaluation.search_mistakes = recorded
    try:
        verdict = judge()
    finally:
        evaluation.search_mistakes = mistake_search.search_mistakes
    return Case(given[-1], verdict, {})


def _in_use(name: str) -> float:
    if name == "BOUNDS[3]":
        return levels.BOUNDS[3]
    return float(next(vars(module)[name] for module in (*MODULES, levels) if hasattr(module, name)))


@contextmanager
def _using(name: str, value: float) -> Iterator[None]:
    """Set a constant in all modules that have it."""
    owners = [module for module in MODULES if hasattr(module, name)]
    before = getattr(owners[0], name)
    for module in owners:
        setattr(module, name, value)
    try:
        yield
    finally:
        for module in owners:
            setattr(module, name, before)
