"""Lists of the shipped robots and of their families: ratings, grades, and what is unknown."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby
from typing import NamedTuple, get_args

from ..model.provenance import Grade, Source
from ..tables.description import Description, aliases, describe, robots
from ..tables.forms import Build
from ..tables.reader import Row
from ..tables.spring_rows import numbers_of
from .text_table import TextTable

_NO_SOURCE = "unknown"
_MARK = "*"  # behind an assumed number
_WRIST = "wrist centre from axis 1"
_REACH: dict[Build, str] = {
    "palletizer": "axis 4 from axis 1",
    "scara": "axis 4 from axis 1",
    "seven_axis": "wrist from shoulder",
}
_OFFSET = "axis 6 from axis 1"  # of an offset wrist, held straight
_REACH_NOTE = "Reach: from axis 1 to the wrist centre, or as stated behind it; flanges get farther."


class ListedRobot(NamedTuple):
    """One variant; None where a number is unknown."""

    name: str
    family: str
    alias: str | None
    build: Build
    payload_kg: float
    reach_mm: float
    reach_of: str
    """Point and origin of the distance that the reach is."""
    mass_kg: float | None
    mass_grade: Grade | None
    kinematics: Grade
    """Worst grade of the lengths."""
    inertials: Grade | None
    """Worst grade of the default set."""
    friction: Grade | None
    """Worst grade of the default set."""


class ListedFamily(NamedTuple):
    """The variants of one folder; ranges over those of which a number is known."""

    family: str
    build: Build
    variants: tuple[str, ...]
    payload_kg: tuple[float, float]
    reach_mm: tuple[float, float]
    reach_of: str
    mass_kg: tuple[float, float] | None
    mass_grade: Grade | None
    kinematics: Grade
    inertials: Grade | None
    unknown: tuple[str, ...]
    """Few words each."""


def listed_robots() -> tuple[ListedRobot, ...]:
    """Return every variant, in the order of robots.yaml."""
    alias = {variant: name for name, variant in aliases().items()}
    return tuple(_listed(describe(name), alias.get(name)) for name in robots())


def listed_families() -> tuple[ListedFamily, ...]:
    """Return every family, in the order of robots.yaml."""
    return tuple(
        _family(family, list(members))
        for family, members in groupby(listed_robots(), key=lambda robot: robot.family)
    )


def list_record(families: bool) -> dict[str, object]:
    """Return the variants, or the families, for programs: lengths in m, the other one None."""
    rows = [row._asdict() for row in (listed_families() if families else listed_robots())]
    for row in rows:
        reach = row.pop("reach_mm")
        row["reach_m"] = tuple(x / 1000.0 for x in reach) if families else reach / 1000.0
    return {"robots": None if families else rows, "families": rows if families else None}


def robots_table() -> TextTable:
    """Return every variant with its ratings, and the worst grades of its parameters."""
    heads = ("robot", "also", "kg", "reach mm", "mass kg", "bars", "inertials", "friction")
    rows = [
        (
            robot.name,
            robot.alias or "",
            f"{robot.payload_kg:g}",
            _range([robot.reach_mm]) + _of(robot.reach_of),
            _range([robot.mass_kg], robot.mass_grade),
            "yes" if robot.build in ("parallelogram", "palletizer") else "no",
            robot.inertials or _NO_SOURCE,
            robot.friction or _NO_SOURCE,
        )
        for robot in listed_robots()
    ]
    return TextTable(
        *heads,
        rows=rows,
        title="robots (kg: payload; * assumed); irbmodels list --families",
        notes=[_REACH_NOTE],
    )


def families_table() -> TextTable:
    """Return every family with the ranges of its ratings, worst grades, and what is unknown."""
    heads = (
        "family",
        "build",
        "variants",
        "payload kg",
        "reach mm",
        "mass kg",
        "lengths",
        "inertials",
    )
    rows = [
        (
            one.family,
            one.build,
            f"{len(one.variants)}",
            _range(one.payload_kg),
            _range(one.reach_mm) + _of(one.reach_of),
            _range(one.mass_kg or (None,), one.mass_grade),
            one.kinematics,
            one.inertials or _NO_SOURCE,
            ", ".join(one.unknown),
        )
        for one in listed_families()
    ]
    return TextTable(
        *(*heads, "unknown"),
        rows=rows,
        title="families (* assumed in one variant at least; grades are the worst)",
        notes=[
            _REACH_NOTE,
            "Efforts are assumed where info marks them: hardly any torque limit is published.",
        ],
    )


def _listed(robot: Description, alias: str | None) -> ListedRobot:
    ratings, sources = robot.limits.ratings, robot.limits.sources
    known = ratings.mass_kg is not None
    bars = robot.kinematics.parallelogram
    bodies = robot.inertials.sets[robot.inertials.default].links.values()
    friction = robot.friction.default
    axes = {} if friction is None else robot.friction.sets[friction].axes
    lengths = (*robot.chain.values(), robot.kinematics.tool0, *([bars] if bars else []))
    kinematics = _worst(lengths, robot.kinematics.sources)
    assert kinematics is not None  # a robot has joints
    return ListedRobot(
        robot.name,
        robot.family,
        alias,
        _build(robot),
        ratings.payload_kg,
        ratings.reach_mm,
        _reach_of(robot),
        ratings.mass_kg,
        sources[ratings.source_of("mass_kg")].grade if known else None,
        kinematics,
        _worst(bodies, robot.inertials.sources),
        _worst(axes.values(), robot.friction.sources),
    )


def _build(robot: Description) -> Build:
    if robot.kinematics.level is not None:
        return "palletizer"
    if robot.kinematics.parallelogram is not None:
        return "parallelogram"
    by_axes: dict[int, Build] = {4: "scara", 7: "seven_axis"}
    return by_axes.get(len(robot.axes), "serial")


def _reach_of(robot: Description) -> str:
    build = _build(robot)
    offset = build == "serial" and robot.kinematics.joints["joint_6"].a_mm != 0.0
    return _OFFSET if offset else _REACH.get(build, _WRIST)


def _of(reach: str) -> str:
    """Return the words behind a reach that is not that of a wrist centre."""
    return "" if reach == _WRIST else f", {reach.removesuffix(' from axis 1')}"


def _family(family: str, robots: Sequence[ListedRobot]) -> ListedFamily:
    masses = [robot.mass_kg for robot in robots if robot.mass_kg is not None]
    payloads, reaches = (
        [robot.payload_kg for robot in robots],
        [robot.reach_mm for robot in robots],
    )
    kinematics = _worst_of(robot.kinematics for robot in robots)
    assert kinematics is not None  # a family has a variant
    return ListedFamily(
        family,
        robots[0].build,
        tuple(robot.name for robot in robots),
        (min(payloads), max(payloads)),
        (min(reaches), max(reaches)),
        robots[0].reach_of,
        (min(masses), max(masses)) if masses else None,
        _worst_of(robot.mass_grade for robot in robots),
        kinematics,
        _worst_of(robot.inertials for robot in robots),
        tuple(_unknown(robots, len(masses))),
    )


def _unknown(robots: Sequence[ListedRobot], weighed: int) -> Iterable[str]:
    tables = [describe(robot.name) for robot in robots]
    if weighed < len(robots):
        yield f"mass of {len(robots) - weighed}" if weighed else "mass"
    slow = sum(None in [row.speed for row in table.limits.axes.values()] for table in tables)
    if slow:
        yield f"speeds of {slow}" if slow < len(robots) else "speeds"
    yield from dict.fromkeys(name for robot in tables for name in _unknown_springs(robot))
    if any(robot.friction is None for robot in robots):
        yield "friction"
    if not any(row.gear_ratio for robot in tables for row in robot.drives.axes.values()):
        yield "gears"


def _unknown_springs(robot: Description) -> Iterable[str]:
    """Yield the springs and balancers of which a number is unknown."""
    for name, row in robot.springs.elements.items():
        linear = robot.linear[robot.axes.index(row.axis)]
        if None in numbers_of(row, linear).values():
            yield name.replace("_", " ")


def _worst(rows: Iterable[Row], sources: dict[str, Source]) -> Grade | None:
    """Return the worst grade of the sources of some rows, None without rows."""
    names = {
        name
        for row in rows
        for name in ([row.source] if isinstance(row.source, str) else row.source.values())
    }
    return _worst_of(sources[name].grade for name in names)


def _worst_of(grades: Iterable[Grade | None]) -> Grade | None:
    order = get_args(Grade)
    return max((grade for grade in grades if grade is not None), key=order.index, default=None)


def _range(numbers: Sequence[float | None], grade: Grade | None = None) -> str:
    """Return a number, the ends of a range, or that it is unknown."""
    known = list(dict.fromkeys(number for number in numbers if number is not None))
    text = " to ".join(f"{number:g}" for number in known) or _NO_SOURCE
    return text + (_MARK if grade == "assumed" else "")
