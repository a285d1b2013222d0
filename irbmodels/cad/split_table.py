"""Split of mass and its errors by size class, as mass_split.yaml states them.

They follow from drawings of the reference arms, which take a second to make and weigh; here they
are read. Arms with a parallelogram are weighed at one density: of them the errors alone are stated.
``python scripts/build_families.py mass_split`` derives them again.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from ..tables.reader import SCHEMA, Table, read
from .mass_split import MassSplit, base_share, known_bases, link_corrections
from .output import Files
from .reference_arms import LINKS, SizeClass, size_class
from .split_errors import SplitErrors, class_errors, parallelogram_errors

TABLE = Path(__file__).with_name("mass_split.yaml")
MASSES: dict[SizeClass, float] = {"compact": 50.0, "medium": 250.0, "heavy": 1000.0}
"""A mass [kg] of each class."""


@dataclass(frozen=True, kw_only=True)
class ErrorRow:
    """Errors of a set of bodies that follows from a drawing."""

    gravity_error: tuple[float, ...]
    """Of the torques of axes 1 to 6, relative; root mean square over postures."""
    inertia_error: tuple[float, ...]

    def errors(self) -> str:
        """Return the errors in percent, of axes where they say something."""
        gravity = ", ".join(f"{100.0 * self.gravity_error[axis]:.0f}" for axis in (1, 2, 4))
        inertia = ", ".join(f"{100.0 * value:.0f}" for value in self.inertia_error[:5])
        return (
            f"expected error in % of gravity torques of axes 2, 3 and 5: {gravity}; of inertias of"
            f" axes 1 to 5: {inertia}"
        )


@dataclass(frozen=True, kw_only=True)
class ClassRow(ErrorRow):
    """Split and errors of a size class of serial arms."""

    bases: tuple[str, ...]
    """Reference arms whose bases are known."""
    base_share: float
    """Of the robot's mass."""
    corrections: tuple[float, ...]
    """Factors on the masses of links 1 to 6 as drawn; none where the drawing is left."""


@dataclass(frozen=True)
class SplitTable(Table):
    """mass_split.yaml."""

    classes: dict[str, ClassRow]
    parallelogram: ErrorRow


def class_row(mass: float) -> ClassRow:
    """Return the row of serial arms as heavy as ``mass`` [kg]."""
    return read(TABLE, SplitTable).classes[size_class(mass)]


def parallelogram_row() -> ErrorRow:
    """Return the row of arms with a parallelogram."""
    return read(TABLE, SplitTable).parallelogram


def serial_split(mass: float) -> MassSplit:
    """Return the split of a serial arm of ``mass`` [kg]."""
    row = class_row(mass)
    return MassSplit(row.base_share * mass, dict(zip(LINKS, row.corrections, strict=False)))


def split_files() -> Files:
    """Return mass_split.yaml, derived from the reference arms."""
    lines = [
        "# Written by irbmodels.cad.split_table from drawings of arms whose masses are known.",
        f"schema: {SCHEMA}",
        "classes:",
    ]
    for name, mass in MASSES.items():
        lines += [
            f"  {name}:",
            f"    bases: [{', '.join(known_bases(name))}]",
            f"    base_share: {base_share(mass):.7f}",
            f"    corrections: {_row(link_corrections(name).values())}",
            *_errors(class_errors(name), "    "),
        ]
    lines += ["parallelogram:", *_errors(parallelogram_errors(), "  ")]
    return {Path(TABLE.name): "\n".join(lines) + "\n"}


def _errors(errors: SplitErrors, indent: str) -> list[str]:
    return [
        f"{indent}gravity_error: {_row(errors.gravity)}",
        f"{indent}inertia_error: {_row(errors.inertia)}",
    ]


def _row(values: Iterable[float]) -> str:
    return "[" + ", ".join(f"{value:.5f}" for value in values) + "]"
