"""README of a family that was made from its data sheet: origins, grades, and what is unknown."""

from __future__ import annotations

from collections.abc import Sequence

from ..tables.balancers import BalancerRow
from ..tables.datasheet import Arm, DataSheet

TEXT = """\
# {title}: where the numbers come from

All files of this folder but `datasheet.yaml` are written from it by
`irbmodels new {name} --datasheet datasheet.yaml`: change numbers there, and write the folder anew.

| variant | payload [kg] | reach [mm] | of the lengths [mm] | mass [kg] |
|---|---|---|---|---|
{variants}

| file | content |
|---|---|
| `datasheet.yaml` | lengths, ranges, speeds and ratings with their sources |
| `kinematics.yaml` | the same as modified DH rows |
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


def readme(name: str, sheet: DataSheet, arms: Sequence[Arm]) -> str:
    """Return the text."""
    weighed = [arm for arm in arms if arm.ratings.mass_kg is not None]
    rows = "\n".join(
        f"| `{arm.name}`: {arm.title} | {arm.ratings.payload_kg:g} | {arm.ratings.reach_mm:g} |"
        f" {arm.reach:.1f} | {_number(arm.ratings.mass_kg)} |"
        for arm in arms
    )
    inertials = (
        "bodies of our shapes at the catalogue mass: derived, no measured set of this arm is known"
        if weighed
        else "no bodies: the mass of the robot was not found, so it has no dynamics"
    )
    sources = "\n".join(
        f"- `{key}` ({source.grade}): {source.ref}{f'; {source.how}' if source.how else ''}"
        for key, source in sheet.sources.items()
    )
    laws = (_unknown_law(*item) for item in sheet.balancers.items())
    unknown = [*sheet.unknown, *(line for line in laws if line is not None)]
    unknown += ["Friction, gears, rotor inertias and torque limits."]
    unknown += [f"Mass of `{arm.name}`." for arm in arms if arm.ratings.mass_kg is None]
    if weighed:
        unknown.append("Measured inertials; inertials.yaml says how its set is made.")
    return TEXT.format(
        title=sheet.title,
        name=name,
        variants=rows,
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


def _number(value: float | None) -> str:
    return "unknown" if value is None else f"{value:g}"
