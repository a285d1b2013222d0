"""Serial arms whose split of mass is known in part: reference_arms.yaml, and a shipped robot."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cache
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..model.rotations import rotation_x, rotation_z, translation
from ..model.types import Array
from ..tables.datasheet import CatalogueRow, LengthsRow
from ..tables.description import Description, describe
from ..tables.reader import Row, Table, read
from ..tables.schema import BaseRow, BodyRow, Tensor
from .body import Body
from .lengths import Lengths
from .published import published
from .serial_arm import COMPACT, serial_arm, usual_mass

SizeClass = Literal["compact", "medium", "heavy"]
HEAVY = 700.0  # [kg]; between an IRB 4600 (435) and an IRB 6700 (1205)
LINKS = tuple(f"link_{n}" for n in range(1, 7))
PUBLISHED = {"irb120_3_58": "ros", "irb1200_5_90": "ros", "irb1600_6_120": "cad_wr"}
"""Shipped arms, and the sets of their published bodies that are references besides."""


@dataclass(frozen=True, kw_only=True)
class LinkRow(Row):
    """A link as its source gives it: of some only the mass."""

    mass_kg: float
    com_mm: tuple[float, float, float] | None = None
    inertia_kg_m2: Tensor | None = None

    def inertial(self) -> Inertial | None:
        """Return the body in SI units, where more than its mass is known."""
        if self.com_mm is None or self.inertia_kg_m2 is None:
            return None
        return BodyRow(
            mass_kg=self.mass_kg,
            com_mm=self.com_mm,
            inertia_kg_m2=self.inertia_kg_m2,
            source=self.source,
        ).inertial()


@dataclass(frozen=True)
class ArmRows:
    """What is known of the masses of one arm."""

    ratings: CatalogueRow
    base: BaseRow | None = None
    lengths: LengthsRow | None = None
    links: dict[str, LinkRow] = field(default_factory=dict)


@dataclass(frozen=True)
class ReferenceTable(Table):
    """reference_arms.yaml."""

    sources: dict[str, Source]
    arms: dict[str, ArmRows]


class ReferenceArm(NamedTuple):
    """An arm whose moving links are known: numbers that its drawing needs, and its links."""

    lengths: Lengths
    payload: float
    mass: float
    """[kg]; of an arm whose mass was not found that of arms of its payload and reach."""
    base: float | None
    """[kg]"""
    masses: Mapping[str, float]
    """Of its links; from a CAD of one density, so only relative to each other."""
    bodies: Mapping[str, Inertial]
    """Links of which more than the mass is known, in their own frames."""

    def drawn(self) -> Mapping[str, Body]:
        """Return its drawing."""
        return _drawn(self.lengths, self.payload, self.mass)

    def joints(self) -> list[Array]:
        """Return the pose of each link's frame in that of the link before, at home, ``(4, 4)``.

        Modified DH rows of docs/background/conventions.md [m].
        """
        s = Lengths(*(1e-3 * getattr(self.lengths, name) for name in Lengths.__annotations__))
        quarter = 0.5 * np.pi
        return [
            translation(0.0, 0.0, s.d1),
            rotation_x(-quarter) @ translation(s.a1, 0.0, 0.0) @ rotation_z(-quarter),
            translation(s.a2, 0.0, 0.0),
            rotation_x(-quarter) @ translation(s.a3, 0.0, s.d4),
            rotation_x(quarter) @ rotation_z(2.0 * quarter),
            rotation_x(quarter),
        ]


@cache
def _drawn(lengths: Lengths, payload: float, mass: float) -> Mapping[str, Body]:
    return serial_arm(lengths, payload, mass)


def reference_table() -> ReferenceTable:
    """Return the table of reference arms."""
    return read(Path(__file__).with_name("reference_arms.yaml"), ReferenceTable)


def reference_arms() -> dict[str, ReferenceArm]:
    """Return the arms whose moving links are known, by name."""
    known = {name: rows for name, rows in reference_table().arms.items() if rows.links}
    return {name: _arm(rows) for name, rows in known.items()} | {
        name: _published_arm(describe(name), chosen) for name, chosen in PUBLISHED.items()
    }


def _published_arm(robot: Description, chosen: str) -> ReferenceArm:
    bodies, ratings, base = published(robot)[chosen], robot.limits.ratings, robot.limits.base
    assert ratings.mass_kg is not None
    links = {link: bodies[link] for link in LINKS}
    masses = {link: body.mass for link, body in links.items()}
    weight = None if base is None else base.mass_kg
    lengths, payload = Lengths.read(robot), ratings.payload_kg
    return ReferenceArm(lengths, payload, ratings.mass_kg, weight, masses, links)


def size_class(mass: float) -> SizeClass:
    """Return the class of a serial arm that weighs ``mass`` [kg]."""
    if mass < COMPACT:
        return "compact"
    return "medium" if mass < HEAVY else "heavy"


def _arm(rows: ArmRows) -> ReferenceArm:
    payload, reach = rows.ratings.payload_kg, rows.ratings.reach_mm
    assert payload is not None
    assert reach is not None
    lengths = Lengths(*(getattr(rows.lengths, f"{name}_mm") for name in Lengths.__annotations__))
    bodies = {link: body for link, row in rows.links.items() if (body := row.inertial())}
    return ReferenceArm(
        lengths,
        payload,
        rows.ratings.mass_kg or usual_mass(payload, reach),
        None if rows.base is None else rows.base.mass_kg,
        {link: row.mass_kg for link, row in rows.links.items()},
        bodies,
    )
