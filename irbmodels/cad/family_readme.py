"""README of a family that was made from its data sheet: origins, grades, and what is unknown."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..files import read_text
from ..model.limits import format_axes
from ..tables.balancers import BalancerRow
from ..tables.datasheet import Arm, read_datasheet
from ..tables.description import Description
from ..tables.row_checks import sum_of_ranges
from .output import SHEET, Files

MARK = "<!-- Written from datasheet.yaml by irbmodels.cad. Without this line it stays as it is. -->"
PUBLISHED = "published.yaml"
BESIDE = {
    "friction.yaml": "friction of the axes, as far as known",
    "drives.yaml": "gears and motors, as far as known",
    PUBLISHED: "bodies as others publish them",
}
"""Tables that stand beside the data sheet where anything of that is known."""
TEXT = """\
{mark}
# {title}: where the numbers come from

`datasheet.yaml` states the numbers{more}; all else is written from it
(`irbmodels new {name} --datasheet datasheet.yaml`, in a checkout
`python scripts/build_families.py {name}`). Change numbers there, and write the family anew.

| variant | payload [kg] | reach [mm] | of the lengths [mm] | mass [kg] |
|---|---|---|---|---|
{variants}

| file | content |
|---|---|
| `datasheet.yaml` | lengths, ranges, speeds and ratings with their sources |
{beside}| `kinematics.yaml` | the same as modified DH rows |
| `limits.yaml` | ranges, speeds, ratings; efforts are assumed bounds, by the rule it states |
| `inertials.yaml` | {inertials} |{springs}
| `shapes.yaml`, `meshes/` | own shapes from lengths, payload and mass; no drawing of ABB's |
| `*.urdf`, `*.srdf` | for other tools; pairs of links that need no collision check |

## Sources

{sources}

## What is not known

{unknown}
"""
SPRINGS = "\n| `springs.yaml` | pivots of the balancer, and its force where known |"


def readme_file(robots: Sequence[Description]) -> Files:
    """Return README.md of a family with a data sheet; none where a README written by hand stands.

    Raises:
        TableError: if the data sheet breaks the format.
    """
    folder = robots[0].folder
    path = folder / "README.md"
    if not (folder / SHEET).is_file() or (path.is_file() and MARK not in read_text(path)):
        return {}
    return {Path(path.name): _text(folder, robots[0].name, robots[0].inertials.default)}


def _text(folder: Path, name: str, chosen: str) -> str:
    sheet, arms = read_datasheet(folder / SHEET, name)
    weighed = [arm for arm in arms if arm.ratings.mass_kg is not None]
    beside = {file: text for file, text in BESIDE.items() if (folder / file).is_file()}
    inertials = (
        "bodies of our shapes at the catalogue mass: derived, no measured set of this arm is known"
        if weighed
        else "no bodies: the mass of the robot was not found, so it has no dynamics"
    )
    if PUBLISHED in beside and chosen not in ("cad", "unknown"):
        inertials = (
            f"set `{chosen}`, the default: bodies of `{PUBLISHED}` at the catalogue mass: derived,"
            " no measured set of this arm is known; bodies of our shapes besides"
        )
    elif PUBLISHED in beside:
        inertials += f"; sets of bodies in `{PUBLISHED}` besides"
    sources = "\n".join(
        f"- `{key}` ({source.grade}): {source.ref}{f'; {source.how}' if source.how else ''}"
        for key, source in sheet.sources.items()
    )
    stated = " and ".join(f"`{file}`" for file in beside)
    motors = " and ".join(f"`{file}`" for file in beside if file != PUBLISHED)
    known = f", but for what is in {motors}" if motors else ""
    laws = (_unknown_law(*item) for item in sheet.balancers.items())
    unknown = [*sheet.unknown, *(line for line in laws if line is not None)]
    unknown += [f"Friction, gears, rotor inertias and torque limits{known}."]
    unknown += [line for line in map(_idle_bound, arms) if line is not None]
    unknown += [line for line in map(_unknown_speeds, arms) if line is not None]
    unknown += [f"Mass of `{arm.name}`." for arm in arms if arm.ratings.mass_kg is None]
    if weighed:
        unknown.append("Measured inertials; inertials.yaml says how its set is made.")
    return TEXT.format(
        mark=MARK,
        title=sheet.title,
        name=folder.name,
        more=f" ({stated} more)" if beside else "",
        variants="\n".join(map(_row, arms)),
        beside="".join(f"| `{file}` | {text} |\n" for file, text in beside.items()),
        inertials=inertials,
        springs=SPRINGS if sheet.balancers else "",
        sources=sources,
        unknown="\n".join(f"- {line}" for line in unknown),
    )


def _unknown_law(name: str, row: BalancerRow) -> str | None:
    """Return a line about a balancer of which a number is unknown, None for a complete one."""
    missing = row.unknown
    part = name.replace("_", " ")
    return f"{', '.join(missing)} of the {part} of axis 2: no torque holds it." if missing else None


def _unknown_speeds(arm: Arm) -> str | None:
    """Return a line about the axes whose speed is unknown, None where all are known."""
    unknown = np.array([row.speed is None for row in arm.axes.values()])
    return f"Speeds of {format_axes(unknown)} of `{arm.name}`." if unknown.any() else None


def _idle_bound(arm: Arm) -> str | None:
    """Return a line about a bound of a sum that the ranges of both axes keep anyway."""
    row, second = arm.axes.get("axis_3"), arm.axes.get("axis_2")
    if row is None or second is None or row.bound_deg is None:
        return None
    (low, high), none = row.bound_deg, (0.0, 0.0)
    least, most = sum_of_ranges(row.bound_of, second.range_deg or none, row.range_deg or none)
    if low > least or high < most:
        return None
    return (
        f"Why `{arm.name}` bounds {row.bound_of} by {low:g} .. {high:g} deg: the ranges of both"
        f" axes leave it between {least:g} and {most:g} deg."
    )


def _row(arm: Arm) -> str:
    ratings = arm.ratings
    mass = "unknown" if ratings.mass_kg is None else f"{ratings.mass_kg:g}"
    return (
        f"| `{arm.name}`: {arm.title} | {ratings.payload_kg:g} | {ratings.reach_mm:g} |"
        f" {arm.reach:.1f} | {mass} |"
    )
