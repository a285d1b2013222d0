"""Data sheet of a family of arms: lengths, ranges, speeds and ratings as its catalogue has them.

One YAML file states what a dimension drawing and a data sheet print, every number with its source;
:mod:`irbmodels.tables.datasheet_tables` makes kinematics.yaml and limits.yaml of it.

Lengths are named after the modified DH rows of docs/background/conventions.md: ``d1`` floor to
axis 2, ``a1`` axis 1 to axis 2, ``a2`` lower arm, ``a3`` axis 3 to axis 4, ``d4`` axis 3 to the
wrist centre along axis 4, ``d6`` wrist centre to the flange; ``d3`` is the wrist's lateral offset
from axis 1, ``a5`` how far axis 6 passes above axis 5 at home (of a collaborative arm: 0 of a
spherical wrist). Of a seven-axis arm, whose axis 7 turns the upper arm ``a2``, axes 1
and 7 pass axis 2 by ``a1``, axes 7 and 4 axis 3 by ``a3``, axes 4 and 6 axis 5 by ``a5``; ``d1``
counts from ``arm_base``. Of a palletizer ``a3`` is the upper arm, ``a4`` leads on to axis 4, and
``d5`` down to the flange; ``crank`` is the lever of the rod to the upper arm, ``level`` those of
the lower and the upper rod that keep the tool level, ``level_deg`` their angles from the vertical
at home, positive ahead. Of a SCARA ``d1``, ``a1`` and ``a2`` are height and lengths of its two
arms, ``d2`` and ``d3`` the steps up from the first to the second and on to the zero of axis 3,
``d4`` from there down to tool0.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from pathlib import Path
from typing import Any, TypeVar, cast

import numpy as np

from ..checks import as_path
from ..errors import InputError, TableError, UnknownName, short_repr
from ..model.provenance import Source
from .balancers import BalancerRow, check_balancer
from .description import data_folder
from .forms import FORMS, Build
from .reader import Row, Table, read
from .row_checks import (
    check_axis,
    check_crank,
    check_handling,
    check_part,
    check_ratings,
    check_sums,
)
from .schema import AxisRow, BaseRow, CrankRow, FrameRow, HandlingRow

NEEDED: dict[str, tuple[str, ...]] = {
    "serial": ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "d4_mm", "d6_mm"),
    "parallelogram": ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "d4_mm", "d6_mm", "crank_mm"),
    "palletizer": ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "a4_mm", "d5_mm", "crank_mm", "level_mm"),
    "seven_axis": ("d1_mm", "a1_mm", "a2_mm", "a3_mm", "d4_mm", "a5_mm", "d6_mm"),
    "scara": ("d1_mm", "a1_mm", "a2_mm"),
}
"""Lengths that a build needs."""
ALLOWED: dict[str, tuple[str, ...]] = {
    "serial": ("d3_mm", "a5_mm"),
    "parallelogram": (),
    "palletizer": ("level_deg",),
    "seven_axis": (),
    "scara": ("d2_mm", "d3_mm", "d4_mm"),
}
"""Lengths that a build may have besides; 0 where absent."""
# of arms that need them
POSITIVE = ("d1_mm", "a2_mm", "d4_mm", "d6_mm", "crank_mm", "level_mm")
AXES: dict[str, tuple[str, ...]] = {
    "serial": tuple(f"axis_{i}" for i in range(1, 7)),
    "parallelogram": tuple(f"axis_{i}" for i in range(1, 7)),
    "palletizer": tuple(f"axis_{i}" for i in range(1, 5)),
    "seven_axis": tuple(f"axis_{i}" for i in range(1, 8)),
    "scara": tuple(f"axis_{i}" for i in range(1, 5)),
}
LEVERS = ("crank_mm", "level_mm")
# of the lower arm: known cranks have 0.26 (IRB 2400) to 0.71 (IRB 6660-205/1.90) of it; at 0.1 the
# rod bears ten times what acts at the arm's end
SHORTEST_LEVER = 0.1
WITH_PARALLELOGRAM = ("parallelogram", "palletizer")
# of the stated reach: catalogues round to 10 or 50 mm, a wrong length or range is more
ROUNDED = 0.02
Ends = tuple[float, float]
R = TypeVar("R", bound=Row)


@dataclass(frozen=True, kw_only=True)
class LengthsRow(Row):
    """Lengths of the dimension drawing; a variant states those that differ."""

    d1_mm: float | None = None
    a1_mm: float | None = None
    d2_mm: float | None = None
    a2_mm: float | None = None
    d3_mm: float | None = None
    a3_mm: float | None = None
    a4_mm: float | None = None
    d4_mm: float | None = None
    a5_mm: float | None = None
    d5_mm: float | None = None
    d6_mm: float | None = None
    crank_mm: float | None = None
    level_mm: float | None = None
    level_deg: tuple[float, float] | None = None


@dataclass(frozen=True, kw_only=True)
class CatalogueRow(Row):
    """Ratings; a variant states those that differ."""

    payload_kg: float | None = None
    reach_mm: float | None = None
    mass_kg: float | None = None
    repeatability_mm: float | None = None


@dataclass(frozen=True, kw_only=True)
class ZeroRow(Row):
    """Joint angles of the modified DH rows at 0 of the controller, where not those of the build."""

    theta0_deg: tuple[float, ...]


@dataclass(frozen=True)
class VariantRows:
    """Numbers of one variant, in place of the family's."""

    title: str | None = None
    lengths: LengthsRow | None = None
    axes: dict[str, AxisRow] = field(default_factory=dict)
    ratings: CatalogueRow | None = None
    handling: HandlingRow | None = None
    zero: ZeroRow | None = None
    arm_base: FrameRow | None = None


@dataclass(frozen=True)
class DataSheet(Table):
    """A data sheet."""

    title: str
    build: Build
    sources: dict[str, Source]
    lengths: LengthsRow
    axes: dict[str, AxisRow]
    ratings: CatalogueRow
    variants: dict[str, VariantRows] = field(default_factory=dict)
    zero: ZeroRow | None = None
    arm_base: FrameRow | None = None
    """Frame that axis 1 stands up from, in the base; absent where it is the base itself."""
    handling: HandlingRow | None = None
    base: BaseRow | None = None
    """Of every variant."""
    crank: CrankRow | None = None
    """Of every variant of an arm with a parallelogram whose crank has a counterweight."""
    balancers: dict[str, BalancerRow] = field(default_factory=dict)
    """Of every variant, by the name of the part."""
    unknown: tuple[str, ...] = ()
    """Sentences on what was looked for and not found, for the family's README."""


@dataclass(frozen=True)
class Arm:
    """One variant of a data sheet, the family's numbers in place where it has none of its own."""

    name: str
    title: str
    build: Build
    lengths: LengthsRow
    axes: dict[str, AxisRow]
    ratings: CatalogueRow
    handling: HandlingRow | None
    zero: ZeroRow | None
    balancers: dict[str, BalancerRow] = field(default_factory=dict)
    arm_base: FrameRow | None = None

    def length(self, name: str) -> float:
        """Return a length [mm]; 0 where the build does without."""
        return float((name and getattr(self.lengths, name)) or 0.0)

    @property
    def shoulder(self) -> tuple[float, float]:
        """Axis 2 (x, z) in base axes at home [mm]."""
        return self.length("a1_mm"), self.length("d1_mm")

    @property
    def turned(self) -> tuple[float, ...]:
        """Angles of the joints at 0 of the controller, from the build's zero posture [deg].

        That of a six-axis arm is lower arm up, forearm level.
        """
        joints, _ = FORMS[self.build]
        stated = self.zero.theta0_deg if self.zero else [form.theta0 for form in joints]
        return tuple(own - form.theta0 for own, form in zip(stated, joints, strict=True))

    @property
    def reach(self) -> float:
        """Largest distance of the wrist centre from axis 1, ahead of the base [mm].

        With an offset wrist, that is held straight, it is of axis 6; of a SCARA and a palletizer of
        the last axis. Axes 2 and 3 keep their ranges and bounds of sums. Of a seven-axis arm it is
        the distance of axis 4 at the wrist from axis 1 at the shoulder, stretched.
        """
        if self.build == "seven_axis":
            elbow = np.hypot(self.length("a2_mm"), self.length("a1_mm") + self.length("a3_mm"))
            fore = np.hypot(self.length("d4_mm"), self.length("a3_mm"))
            return self.length("a1_mm") + float(elbow + fore)
        if self.build == "scara":
            return self.length("a1_mm") + self.length("a2_mm")
        # a1 + lower sin(q2) + fore sin(slope + bend): lower arm and forearm against the vertical
        lower = self.length("a2_mm")
        rise, along = self.length("a3_mm") + self.length("a5_mm"), self.length("d4_mm")
        if self.build == "palletizer":
            rise, along = 0.0, self.length("a3_mm")
        fore = float(np.hypot(along, rise))
        bend = float(np.arctan2(along, rise))
        level = 0.5 * np.pi - bend
        (low, high), slopes, elbows = self._arm_ranges()
        # q2 and slope of stationary points inside the ranges, and on their edges
        postures = []
        for q2 in (low, high, _nearest(0.5 * np.pi, (low, high))):
            ends = max(slopes[0], q2 + elbows[0]), min(slopes[1], q2 + elbows[1])
            postures.append((q2, _nearest(level, ends), ends))
        for slope in filter(np.isfinite, slopes):
            ends = max(low, slope - elbows[1]), min(high, slope - elbows[0])
            postures.append((_nearest(0.5 * np.pi, ends), slope, ends))
        for elbow in filter(np.isfinite, elbows):
            ahead = float(np.angle(lower + fore * np.exp(1j * (elbow + bend))))
            ends = max(low, slopes[0] - elbow), min(high, slopes[1] - elbow)
            q2 = _nearest(0.5 * np.pi - ahead, ends)
            postures.append((q2, q2 + elbow, ends))
        return (
            self.length("a1_mm")
            + self.length("a4_mm")
            + max(
                lower * float(np.sin(q2)) + fore * float(np.sin(slope + bend))
                for q2, slope, ends in postures
                if ends[0] <= ends[1]
            )
        )

    def _arm_ranges(self) -> tuple[Ends, Ends, Ends]:
        """Return the ranges of q2, of the forearm's slope, and of the angle between both [rad].

        The slope counts as q2 does, 0 at the build's zero posture: ``q2`` and the angle between the
        arms together. One without bound is infinite.
        """
        row, (_, lower, elbow, *_) = self.axes["axis_3"], self.turned
        absolute = self.build in WITH_PARALLELOGRAM and row.range_of is None
        slopes, elbows = row.bound_deg, row.range_deg
        if absolute:
            slopes, elbows = elbows, slopes
        second = _radians(self.axes["axis_2"].range_deg, lower)
        return second, _radians(slopes, lower + elbow), _radians(elbows, elbow)


def datasheets() -> tuple[str, ...]:
    """Return the names of the families whose data sheets are shipped."""
    return tuple(sorted(path.parent.name for path in data_folder().glob("*/datasheet.yaml")))


def datasheet_path(name_or_path: str | Path) -> Path:
    """Return a shipped data sheet by the name of its family, or a file by its path.

    Raises:
        UnknownName: if it is neither.
        InputError: if it is the path of another kind of file.
    """
    path = as_path(name_or_path, "a data sheet is a family or a file; what is given")
    if path.suffix in (".yaml", ".yml"):
        return path
    if str(name_or_path) not in datasheets():
        unknown = UnknownName("data sheet", str(name_or_path), datasheets())
        if path.suffix or path.exists() or "/" in str(name_or_path):
            raise InputError(f"{unknown}; one of your own is a path that ends in .yaml")
        raise unknown
    return data_folder() / path / "datasheet.yaml"


def read_datasheet(path: str | Path, name: str | None = None) -> tuple[DataSheet, tuple[Arm, ...]]:
    """Read and check a data sheet, and return it with its variants.

    Without ``variants`` it is of one arm, which has the name, by default that of the file.

    Raises:
        FileError: if it cannot be read.
        TableError: if it breaks the format, or its numbers are of no arm; names key and value.
    """
    file = as_path(path, "a data sheet")
    sheet = read(file, DataSheet)
    variants = sheet.variants or {name or file.stem: VariantRows()}
    _check_names(variants, file)
    arms = tuple(_arm(sheet, variant, rows) for variant, rows in variants.items())
    for arm in arms:
        try:
            _check(arm, file)
        except TableError as err:
            key = _place(err.key, arm.name, variants[arm.name])
            raise TableError(file, key, err.problem) from None
        mass = arm.ratings.mass_kg
        check_part(sheet.base, mass, file, "base")
        check_crank(sheet.crank, sheet.build == "parallelogram", mass, file, "crank")
    return sheet, arms


def _check_names(variants: Mapping[str, VariantRows], file: Path) -> None:
    """Check names of variants, which those of files follow, and that their rows state something."""
    written: dict[str, str] = {}
    for name, rows in variants.items():
        if not re.fullmatch(r"[A-Za-z][\w-]*", name):
            problem = f"{name!r} is no name: letters, digits, _ and -"
            raise TableError(file, "variants", problem)
        if name.lower() in written:
            problem = f"{name} differs from {written[name.lower()]} by capitals alone"
            raise TableError(file, "variants", problem)
        written[name.lower()] = name
        own = {"lengths": rows.lengths, "ratings": rows.ratings}
        for key, row in (own | {f"axes.{axis}": row for axis, row in rows.axes.items()}).items():
            stated = row is None or any(
                getattr(row, item.name) is not None for item in fields(row) if item.name != "source"
            )
            if not stated:
                problem = "states no number; leave it out, or state what differs"
                raise TableError(file, f"variants.{name}.{key}", problem)


def _place(key: str, variant: str, rows: VariantRows) -> str:
    """Return where a number stands: among the rows of its variant, or the family's."""
    item: Any = rows
    for part in key.split("."):
        item = item.get(part) if isinstance(item, Mapping) else getattr(item, part, None)
    return key if item is None else f"variants.{variant}.{key}"


def _arm(sheet: DataSheet, name: str, rows: VariantRows) -> Arm:
    own = {axis: _replaced(sheet.axes.get(axis), row) for axis, row in rows.axes.items()}
    return Arm(
        name,
        sheet.title if rows.title is None else rows.title,
        sheet.build,
        _replaced(sheet.lengths, rows.lengths),
        dict(sorted((sheet.axes | own).items())),
        _replaced(sheet.ratings, rows.ratings),
        rows.handling or sheet.handling,
        rows.zero or sheet.zero,
        sheet.balancers,
        rows.arm_base or sheet.arm_base,
    )


def _replaced(row: R | None, own: R | None) -> R:
    """Return a row with the numbers that a variant has of its own, each with its source."""
    if row is None or own is None:
        return cast(R, row or own)
    numbers: dict[str, object] = {}
    sources: dict[str, str] = {}
    for name in (item.name for item in fields(row) if item.name != "source"):
        origin = own if getattr(own, name) is not None else row
        if (value := getattr(origin, name)) is not None:
            numbers[name] = value
            if not isinstance(value, str):
                sources[name] = origin.source_of(name)
    return replace(row, **numbers, source=sources)


def _check(arm: Arm, file: Path) -> None:
    """Check the numbers of one variant."""
    if not arm.title.strip() or not arm.title.isprintable():
        raise TableError(file, "title", f"{short_repr(arm.title)} is no title of one line")
    _check_lengths(arm, file)
    for name in dict.fromkeys((*AXES[arm.build], *arm.axes)):
        if name not in arm.axes or name not in AXES[arm.build]:
            problem = "missing" if name in AXES[arm.build] else "no such axis"
            problem += f": a {arm.build} arm has {', '.join(AXES[arm.build])}"
            raise TableError(file, f"axes.{name}", problem)
    for name, row in arm.axes.items():
        linear = arm.build == "scara" and name == "axis_3"
        check_axis(row, linear, file, f"axes.{name}")
    check_sums(arm.axes, arm.build in WITH_PARALLELOGRAM, file, "axes")
    for name in ("payload_kg", "reach_mm"):
        if getattr(arm.ratings, name) is None:
            raise TableError(file, f"ratings.{name}", "missing: every arm has one")
    check_ratings(arm.ratings, file, "ratings")
    payload, mass = arm.ratings.payload_kg or 0.0, arm.ratings.mass_kg
    if mass is not None and payload >= mass:  # industrial arms carry less than a third of it
        problem = (
            f"{payload:g} kg, but {arm.name} weighs {mass:g} kg (mass_kg): an arm carries less"
        )
        raise TableError(file, "ratings.payload_kg", problem)
    check_handling(arm.handling, len(arm.axes), file, "handling")
    for name, balancer in arm.balancers.items():
        if arm.build not in ("serial", "parallelogram"):
            problem = f"goes with axis 2 of a six-axis arm, which a {arm.build} arm is not"
            raise TableError(file, f"balancers.{name}", problem)
        range_2 = arm.axes["axis_2"].range_deg
        assert range_2 is not None
        check_balancer(balancer, arm.shoulder, range_2, file, f"balancers.{name}")
    if arm.zero is not None and arm.build == "palletizer":
        problem = "a palletizer has none: its lower arm is up and its upper arm level at 0"
        raise TableError(file, "zero", problem)
    if arm.zero is not None and len(arm.zero.theta0_deg) != len(arm.axes):
        problem = f"{len(arm.zero.theta0_deg)} angles for {len(arm.axes)} joints"
        raise TableError(file, "zero.theta0_deg", problem)
    if arm.balancers and arm.turned[1] != 0.0:
        problem = "an arm with a balancer, whose pivots stand at 0, has its lower arm up there"
        raise TableError(file, "zero.theta0_deg", problem)
    stated = arm.ratings.reach_mm or 0.0
    if abs(arm.reach - stated) > ROUNDED * stated:
        problem = (
            f"{stated:g} mm, but lengths and ranges of axes 2 and 3 of {arm.name} give"
            f" {arm.reach:.1f} mm: one of them is wrong, or of another robot"
        )
        raise TableError(file, "ratings.reach_mm", problem)


def _check_lengths(arm: Arm, file: Path) -> None:
    needed, allowed = NEEDED[arm.build], ALLOWED[arm.build]
    for item in fields(LengthsRow):
        value = getattr(arm.lengths, item.name)
        if item.name == "source" or (value is None and item.name not in needed):
            continue
        key = f"lengths.{item.name}"
        if value is None:
            raise TableError(
                file, key, f"missing: a {arm.build} arm needs it; assume it if unknown"
            )
        if item.name not in (*needed, *allowed):
            raise TableError(file, key, f"a {arm.build} arm has no such length")
        if item.name in needed and item.name in POSITIVE and value <= 0.0:
            raise TableError(file, key, f"{value:g} is not positive")
    lower = arm.length("a2_mm")
    for name in LEVERS:
        value = arm.length(name)
        if name in needed and not SHORTEST_LEVER * lower <= value <= lower:
            problem = (
                f"{value:g} is no lever of a parallelogram whose lower arm has {lower:g} mm: it is"
                f" {SHORTEST_LEVER:g} to 1 times as long"
            )
            raise TableError(file, f"lengths.{name}", problem)


def _radians(ends: Ends | None, turned: float) -> Ends:
    """Return both ends of a range in degrees, counted from another angle, in [rad]."""
    low, high = (-float("inf"), float("inf")) if ends is None else ends
    return float(np.radians(low + turned)), float(np.radians(high + turned))


def _nearest(angle: float, ends: tuple[float, float]) -> float:
    """Return the angle in a range that is nearest to a direction, full turns apart from it."""
    middle = 0.5 * (ends[0] + ends[1])
    turned = angle - 2.0 * np.pi * np.round((angle - middle) / (2.0 * np.pi))
    return float(np.clip(turned, *ends))
