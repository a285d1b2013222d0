"""Write the meshes of every robot and tool from the parametric CAD in scripts/cad, and the tables
that name them.

    python scripts/build_meshes.py                   writes meshes/ and urdf/<family>/shapes.yaml
    python scripts/build_meshes.py --check           exit code 1 if a committed file differs
    python scripts/build_meshes.py FOLDER --like irb1600   draws an arm of your own from the lengths
    in its tables

Visuals: OBJ with normals, one file per link and colour. Collision: convex OBJ pieces. All in metres
in the frame of their link.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Mapping
from pathlib import Path

import numpy as np
from numpy.typing import NDArray
from rich.progress import track

import irbmodels as irb
from irbmodels.cad import positioner, spindle
from irbmodels.cad.body import Body
from irbmodels.cad.builds import FAMILIES, frames
from irbmodels.cad.obj import convex, visual
from irbmodels.tables.description import data_folder
from irbmodels.tables.reader import SCHEMA

Array = NDArray[np.float64]
Files = dict[Path, str]


class Family:
    """Meshes and shapes.yaml of the variants of one family; what variants share is written once."""

    def __init__(self, name: str) -> None:
        """Start empty."""
        self.name = name
        self.files: Files = {}
        self.shapes: dict[str, dict[str, tuple[list[tuple[str, str]], list[str]]]] = {}
        """Per variant and link: visuals (path, colour) and collision pieces (path)."""

    def add(self, variant: str, bodies: Mapping[str, Body], poses: Mapping[str, Array]) -> None:
        """Add the links of one variant."""
        self.shapes[variant] = {}
        for link, body in bodies.items():
            inverse: Array = np.linalg.inv(poses[link]).astype(np.float64)
            visuals = {colour: visual(solid, inverse) for colour, solid in body.drawn().items()}
            pieces = [convex(solid, inverse) for solid in body.pieces]
            self.shapes[variant][link] = (
                [
                    (self._kept("visual", f"{link}_{colour}", variant, text), colour)
                    for colour, text in visuals.items()
                ],
                [
                    self._kept("collision", f"{link}_{number}", variant, text)
                    for number, text in enumerate(pieces)
                ],
            )

    def _kept(self, folder: str, stem: str, variant: str, text: str) -> str:
        """Keep a file, under the first variant's name where that has the same one, and return its
        path.
        """
        shared, own = (
            Path(self.name, folder, f"{name}.obj") for name in (stem, f"{stem}_{variant}")
        )
        known = {
            path
            for path in self.files
            if path.name.startswith(f"{stem}.") or path.name.startswith(f"{stem}_irb")
        }
        path = next(
            (path for path in sorted(known) if self.files[path] == text),
            own if shared in self.files else shared,
        )
        self.files[path] = text
        return path.as_posix()

    def table(self) -> str:
        """Return shapes.yaml: the first variant's rows, and what differs in the others."""
        (_, first), *others = ((variant, _rows(shapes)) for variant, shapes in self.shapes.items())
        lines = [
            (
                "# Written by scripts/build_meshes.py from the lengths in kinematics.yaml. Do not"
                " edit."
            ),
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
    shapes: Mapping[str, tuple[list[tuple[str, str]], list[str]]],
) -> dict[str, dict[str, str]]:
    """Return the rows of shapes.yaml, per key and link."""
    return {
        "links": {
            link: ", ".join(
                f"{{shape: mesh, file: {path}, colour: {colour}}}" for path, colour in visuals
            )
            for link, (visuals, _) in shapes.items()
        },
        "collision": {
            link: ", ".join(f"{{shape: mesh, file: {path}}}" for path in pieces)
            for link, (_, pieces) in shapes.items()
        },
    }


def shipped() -> Files:
    """Return every committed file that this script writes, by its path below the top folder."""
    result: Files = {}
    families: dict[str, Family] = {}
    for name in track(irb.robots(), description="meshes", disable=not sys.stderr.isatty()):
        robot = irb.describe(name)
        family = families.setdefault(robot.family, Family(robot.family))
        family.add(name, FAMILIES[robot.family](robot), frames(robot))
    for family in families.values():
        result |= {Path("meshes") / path: text for path, text in family.files.items()}
        result[Path("urdf", family.name, "shapes.yaml")] = family.table()
    tool, table = Family("spindle"), Family("positioner")
    tool.add("spindle", spindle.bodies(), {"tool0": np.eye(4)})
    table.add("positioner", positioner.bodies(), positioner.frames())
    result |= {
        Path("meshes") / path: text for one in (tool, table) for path, text in one.files.items()
    }
    result[Path("urdf", "positioner", "positioner.urdf")] = positioner.urdf(
        table.shapes["positioner"]
    )
    return result


def own(folder: Path, like: str) -> Files:
    """Return the meshes and shapes.yaml of an arm of one's own, drawn like a shipped family, by
    their absolute path.
    """
    robot, model = irb.describe(folder), irb.describe(like)
    if robot.links != model.links:
        raise irb.InputError(
            f"{robot.name} has the links {', '.join(robot.links)}; {model.name} has"
            f" {', '.join(model.links)}"
        )
    family = Family(robot.name)
    family.add(robot.name, FAMILIES[model.family](robot), frames(robot))
    meshes = {robot.folder / "meshes" / path: text for path, text in family.files.items()}
    return meshes | {robot.folder / "shapes.yaml": family.table()}


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("folder", nargs="?", type=Path, help="tables of an arm of your own")
    parser.add_argument(
        "--like", default="irb1600", help="shipped robot whose build it has (default irb1600)"
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    top = data_folder().parent
    try:
        files = shipped() if arguments.folder is None else own(arguments.folder, arguments.like)
    except irb.IrbError as err:
        print(err, file=sys.stderr)
        return 2
    stale = 0
    for path, text in files.items():
        target = top / path
        if arguments.check:
            if not target.exists() or target.read_text(encoding="utf-8") != text:
                print(f"{path} is not what this script writes")
                stale = 1
        else:
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(text, encoding="utf-8")
    for path in left_over({top / path for path in files}):
        if arguments.check:
            print(
                f"{path.relative_to(top) if path.is_relative_to(top) else path} is a mesh that this"
                " script does not write"
            )
            stale = 1
        else:
            path.unlink()
            print(f"removed {path}")
    for folder in sorted({path.parents[1] for path in files if path.suffix == ".obj"}):
        group = [len(text) for path, text in files.items() if folder in path.parents]
        print(f"{folder}: {len(group)} files, {sum(group) / 1e6:.2f} MB")
    return stale


def left_over(files: set[Path]) -> list[Path]:
    """Return the meshes beside those that were written: of links or colours that a robot no longer
    has.
    """
    folders = {path.parent for path in files if path.suffix == ".obj"}
    return sorted(path for folder in folders for path in folder.glob("*.obj") if path not in files)


if __name__ == "__main__":
    sys.exit(main())
