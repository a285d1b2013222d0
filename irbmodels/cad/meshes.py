"""Meshes of a family from the CAD, and the table that names them.

Visuals: OBJ with normals, one file per link and colour. Collision: convex OBJ pieces. All in metres
in the frame of their link.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ..model.types import Array
from ..tables.description import Description
from ..tables.reader import SCHEMA
from .body import Body
from .builds import bodies
from .link_frames import link_frames
from .obj import convex, visual
from .output import Files

LinkFiles = tuple[list[tuple[str, str, str]], list[str]]
"""Visuals (path, colour, name of a part that moves within the link or ""), and collision pieces
(path) of a link, below the folder of meshes."""


def mesh_files(robots: Sequence[Description]) -> Files:
    """Return the meshes and shapes.yaml of the variants of a family.

    Raises:
        InputError: if the CAD has no build for them, or cannot draw it with their lengths.
    """
    family = MeshFamily(robots[0].family)
    for robot in robots:
        family.add(robot.name, bodies(robot), link_frames(robot))
    return family.files() | {Path("shapes.yaml"): family.table()}


class MeshFamily:
    """Meshes and shapes.yaml of the variants of one family; what variants share is written once."""

    def __init__(self, name: str) -> None:
        """Start empty."""
        self.name = name
        self._texts: Files = {}
        self.shapes: dict[str, dict[str, LinkFiles]] = {}
        """Per variant and link."""

    def add(self, variant: str, bodies: Mapping[str, Body], poses: Mapping[str, Array]) -> None:
        """Add the links of one variant."""
        self.shapes[variant] = {}
        for link, body in bodies.items():
            inverse: Array = np.linalg.inv(poses[link]).astype(np.float64)
            visuals = {key: visual(solid, inverse) for key, solid in body.shown().items()}
            pieces = [convex(solid, inverse) for solid in body.pieces]
            self.shapes[variant][link] = (
                [
                    (self._kept("visual", f"{link}_{part or colour}", variant, text), colour, part)
                    for (colour, part), text in visuals.items()
                ],
                [
                    self._kept("collision", f"{link}_{number}", variant, text)
                    for number, text in enumerate(pieces)
                ],
            )

    def _kept(self, folder: str, stem: str, variant: str, text: str) -> str:
        """Keep a file and return its path; one of the same text is kept once."""
        shared, own = (
            Path(self.name, folder, f"{name}.obj") for name in (stem, f"{stem}_{variant}")
        )
        known = {
            path
            for path in self._texts
            if path.name.startswith(f"{stem}.") or path.name.startswith(f"{stem}_irb")
        }
        path = next(
            (path for path in sorted(known) if self._texts[path] == text),
            own if shared in self._texts else shared,
        )
        self._texts[path] = text
        return path.as_posix()

    def files(self) -> Files:
        """Return the OBJ files."""
        return {Path("meshes") / path: text for path, text in self._texts.items()}

    def table(self) -> str:
        """Return shapes.yaml: the first variant's rows, and what differs in the others."""
        (_, first), *others = ((variant, _rows(shapes)) for variant, shapes in self.shapes.items())
        lines = [
            ("# Written by irbmodels.cad from the lengths in kinematics.yaml. Do not edit."),
            (
                "# Files are below meshes/; no physics is taken from them here (inertials.yaml says"
                " what is)."
            ),
            f"schema: {SCHEMA}",
        ]
        for key, rows in first.items():
            lines += [f"{key}:", *(f"  {link}: [{row}]" for link, row in rows.items())]
        changed = {
            name: {
                key: {k: row for k, row in rows.items() if first[key].get(k) != row}
                for key, rows in own.items()
            }
            for name, own in others
        }
        if any(rows for own in changed.values() for rows in own.values()):
            lines.append("variants:")
            for name, own in changed.items():
                if any(own.values()):
                    lines.append(f"  {name}:")
                    for key, rows in own.items():
                        lines += (
                            [
                                f"    {key}:",
                                *(f"      {link}: [{row}]" for link, row in rows.items()),
                            ]
                            if rows
                            else []
                        )
        return "\n".join(lines) + "\n"


def _rows(
    shapes: Mapping[str, LinkFiles],
) -> dict[str, dict[str, str]]:
    """Return the rows of shapes.yaml, per key and link."""
    return {
        "links": {
            link: ", ".join(
                f"{{shape: mesh, file: {path}, colour: {colour}{part and f', part: {part}'}}}"
                for path, colour, part in visuals
            )
            for link, (visuals, _) in shapes.items()
        },
        "collision": {
            link: ", ".join(f"{{shape: mesh, file: {path}}}" for path in pieces)
            for link, (_, pieces) in shapes.items()
        },
    }
