"""Write the assumed effort bounds of urdf/<family>/limits.yaml by one rule, since no torque limit
is published.

    python scripts/derive_limits.py            writes the rows whose effort names the source 'rule'
    python scripts/derive_limits.py --check    exit code 1 if a committed number differs

Bound of an axis = largest gravity torque inside the ranges, with the rated payload 100 mm before
and 100 mm beside the
                   flange centre
                 + largest inertia of the axis times its speed limit reached in 0.25 s
                 + friction at the speed limit, where it is known; rounded up to two digits.
Rows that several variants share take the largest of them.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
from pathlib import Path

import numpy as np

import irbmodels as irb
from irbmodels.tables.description import describe
from irbmodels.tables.reader import read
from irbmodels.tables.schema import LimitsTable

RISE_TIME = 0.25  # [s] to the speed limit
PAYLOAD_AT = (0.1, 0.0, 0.1)  # [m] in tool0
STATES = 2000


def bounds(name: str) -> np.ndarray:
    """Return the bound of every axis [N m, N], not rounded."""
    robot = irb.load(name)
    robot = robot.with_payload(irb.payload(describe(name).limits.ratings.payload_kg, PAYLOAD_AT))
    limits, rng = robot.limits, np.random.default_rng(0)
    q = rng.uniform(limits.lower, limits.upper, (STATES, robot.n)) @ np.linalg.inv(limits.A).T
    gravity = np.abs(robot.gravity(q)).max(axis=0)
    inertia = robot.mass_matrix(q).diagonal(axis1=1, axis2=2).max(axis=0)
    friction = robot.friction(limits.velocity) if robot.friction_model else 0.0
    return gravity + inertia * limits.velocity / RISE_TIME + friction


def rounded_up(value: float, digits: int = 2) -> float:
    """Return the next larger number with ``digits`` digits."""
    scale = 10.0 ** (math.floor(math.log10(value)) - digits + 1)
    return float(f"{math.ceil(value / scale) * scale:.{digits}g}")


def efforts(family: Path) -> dict[tuple[str, str], float]:
    """Return the bound of every row of a family that follows the rule, by (variant or '', axis)."""
    table = read(family / "limits.yaml", LimitsTable)
    largest: dict[tuple[str, str], float] = {}
    for name in irb.robots():
        robot = describe(name)
        if robot.folder != family:
            continue
        own = table.variants[name].axes
        for axis, bound in zip(robot.axes, bounds(name), strict=True):
            row, place = (
                (own[axis], (name, axis)) if axis in own else (table.axes[axis], ("", axis))
            )
            if row.source_of("effort_N" if row.effort_N is not None else "effort_N_m") == "rule":
                largest[place] = max(largest.get(place, 0.0), rounded_up(float(bound)))
    return largest


def rewritten(text: str, largest: dict[tuple[str, str], float]) -> str:
    """Return limits.yaml with the bounds in place."""
    lines, variant, below = text.splitlines(), "", False
    for i, line in enumerate(lines):
        below = below or line.startswith("variants:")
        if below and (match := re.match(r"  (\w+):", line)):
            variant = match[1]
        if (match := re.match(r"\s+(axis_\d+): \{", line)) and (variant, match[1]) in largest:
            lines[i] = re.sub(
                r"(effort_N(?:_m)?: )[\d.]+", rf"\g<1>{largest[variant, match[1]]:g}", line
            )
    return "\n".join(lines) + "\n"


def main() -> int:
    """Write the files, or compare them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--check", action="store_true", help="compare instead of writing")
    arguments = parser.parse_args()
    stale = 0
    for family in sorted({describe(name).folder for name in irb.robots()}):
        path = family / "limits.yaml"
        largest, text = efforts(family), path.read_text(encoding="utf-8")
        wanted = rewritten(text, largest)
        if arguments.check:
            if wanted != text:
                print(f"{family.name}/limits.yaml is not what this script writes")
                stale = 1
        else:
            path.write_text(wanted, encoding="utf-8")
            print(
                family.name,
                {f"{variant} {axis}".strip(): value for (variant, axis), value in largest.items()},
            )
    return stale


if __name__ == "__main__":
    sys.exit(main())
