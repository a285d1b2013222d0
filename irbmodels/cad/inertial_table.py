"""inertials.yaml as text: derived sets of bodies with the source of each number."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..tables.reader import SCHEMA

SourcedBodies = dict[str, tuple[Inertial, str]]
"""Body of each link in its own frame, and the source of its mass, centre of mass and tensor."""


@dataclass(frozen=True)
class DerivedSet:
    """One set to be written."""

    about: str
    rows: SourcedBodies
    impossible: tuple[str, ...] = ()
    """Links whose tensor no body can have."""
    variants: Mapping[str, SourcedBodies] = field(default_factory=dict)
    """Bodies of variants that differ."""
    unknown: tuple[str, ...] = ()
    """Variants without bodies."""
    serial: str | None = None
    """Set for the open chain, where this one has bars."""


def sourced(bodies: Mapping[str, Inertial], source: str) -> SourcedBodies:
    """Return bodies that all have one source."""
    return {link: (body, source) for link, body in bodies.items()}


def table_text(sources: Mapping[str, Source], sets: Mapping[str, DerivedSet]) -> str:
    """Return the table as YAML; its default is the first set."""
    default = next(iter(sets))
    lines = [
        "# Written by irbmodels.cad; a test regenerates it. Do not edit.",
        "# Every body in its own link frame (MDH; base_link: the base); tensor about the centre of"
        " mass, products as -int.",
        f"schema: {SCHEMA}",
        f"default: {default}",
        "sources:" if sources else "sources: {}",
    ]
    for name, source in sources.items():
        lines += [
            f"  {name}:",
            f'    ref: "{source.ref}"',
            f"    licence: {source.licence}",
            f"    grade: {source.grade}",
        ]
        lines += [f'    how: "{source.how}"'] if source.how else []
    lines.append("sets:")
    for name, entry in sets.items():
        lines += [f"  {name}:", f'    about: "{entry.about}"']
        lines += [f"    serial: {entry.serial}"] if entry.serial else []
        lines += [f"    impossible: [{', '.join(entry.impossible)}]"] if entry.impossible else []
        lines += [f"    unknown: [{', '.join(entry.unknown)}]"] if entry.unknown else []
        bodies = rows_text(entry.rows, 6)
        lines += ["    links:", *bodies] if bodies else ["    links: {}"]
        if entry.variants:
            lines.append("    variants:")
            for variant, rows in entry.variants.items():
                lines += [f"      {variant}:", "        links:", *rows_text(rows, 10)]
    return "\n".join(lines) + "\n"


def rows_text(rows: SourcedBodies, indent: int) -> list[str]:
    """Return a row of YAML for every body, indented by so many spaces."""
    return [" " * indent + f"{link}: {_row(body, source)}" for link, (body, source) in rows.items()]


def _row(body: Inertial, source: str) -> str:
    tensor = body.tensor
    entries = zip(
        ["xx", "yy", "zz", "xy", "xz", "yz"], (0, 1, 2, 0, 0, 1), (0, 1, 2, 1, 2, 2), strict=True
    )
    inertia = ", ".join(f"{name}: {_number(tensor[i, j])}" for name, i, j in entries)
    com = ", ".join(_number(1000.0 * value, digits=9) for value in body.com)
    return (
        f"{{mass_kg: {_number(body.mass)}, com_mm: [{com}], inertia_kg_m2: {{{inertia}}}, source:"
        f" {source}}}"
    )


def _number(value: float, digits: int = 9) -> str:
    """Return the number with ``digits`` digits, as YAML 1.1 reads a float (1.0e-05, not 1e-05)."""
    short = f"{0.0 if abs(value) < 1e-15 else value:.{digits}g}"
    return short.replace("e", ".0e") if "e" in short and "." not in short else short
