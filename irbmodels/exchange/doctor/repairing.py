"""The nearest tensor that a body could have, written into a URDF in place of one that no body has.

A tensor ``I`` about the centre of mass belongs to a body exactly when the second moments of its
mass, ``P = tr(I)/2 1 - I``, are positive semidefinite [Wensing2018]: that is positive definiteness
and the triangle inequality in one. ``repair`` keeps mass and centre and moves ``P`` as little as
possible in the Frobenius norm, which with mass and centre kept is also the norm of the 4x4
pseudo-inertia: its eigenvalues below a small bound are raised to that bound, and all that are above
it alike where their sum is below that of a lead ball. The written digits keep every check that a
reader makes.
"""

from __future__ import annotations

import math
import os
from pathlib import Path
from typing import NamedTuple

import numpy as np

from ...errors import InputError, UrdfError
from ...files import replacing
from ...model.inertia import Inertial, is_possible, moments_of
from ...model.types import Array
from .xml import Tag, edited, number, numbers, parse, read, shown

ENTRIES = ("ixx", "ixy", "ixz", "iyy", "iyz", "izz")
_FOREIGN = 10.0  # relative change beyond which the old tensor has no part in the new one
_LARGEST = 1e30  # [kg, m, kg m^2] beyond it squares overflow, and no robot is


class Repair(NamedTuple):
    """One tensor that was replaced."""

    link: str
    before: Inertial
    after: Inertial
    moved: float
    """Frobenius norm of the change of the tensor [kg m^2]."""
    relative: float
    """The same over the norm of the old tensor; infinite where that was zero."""

    def __str__(self) -> str:
        """One line: how much moved, and the principal moments before and after."""
        old, new = (
            ", ".join(f"{value:.3g}" for value in moments_of(body.tensor))
            for body in (self.before, self.after)
        )
        known = math.isfinite(self.relative) and self.relative < _FOREIGN
        share = f"{100.0 * self.relative:.3g} %" if known else "it determined no body"
        return (
            f"link {shown(self.link)}: tensor moved by {self.moved:.3g} kg m^2 ({share}): principal"
            f" moments {old} -> {new}"
        )


def repair(path: str | Path, output: str | Path) -> list[Repair]:
    """Write a URDF with every impossible tensor replaced by the nearest possible one.

    All other bytes stay.

    Links whose mass is not positive, or whose tensor is not six finite numbers, are left as they
    are: what they should be cannot be computed. Relative mesh paths are not rewritten, so
    ``output`` belongs beside ``path``.

    Returns:
        What was replaced, in the order of the file; empty if the written file is the same.

    Raises:
        FileError: if a file cannot be read or written.
        InputError: if ``output`` is the file itself.
        UrdfError: if it is no URDF, or encoded such that its numbers cannot be replaced.
    """
    if os.path.exists(output) and os.path.exists(path) and os.path.samefile(path, output):
        raise InputError(f"{output} is the file that is examined; repair it into another one")
    data, robot = read(path)
    repairs, changes = [], {}
    for link in robot.all("link"):
        body, place = body_of(link), _inertia_tag(link)
        if (
            body is None
            or place is None
            or body.mass <= 0.0
            or is_possible(moments_of(body.tensor))
        ):
            continue
        after = body.nearest_possible()
        moved, size = (
            float(np.linalg.norm(tensor)) for tensor in (after.tensor - body.tensor, body.tensor)
        )
        repairs.append(
            Repair(link.get("name") or "", body, after, moved, moved / size if size else math.inf)
        )
        changes[place.start] = _differing(body.tensor, after.tensor)
    repaired = edited(data, changes)
    if any(_still_impossible(link) for link in parse(repaired, path).all("link")):
        raise UrdfError(f"{path}: its encoding does not let its numbers be replaced")
    with replacing(output) as temporary:
        temporary.write_bytes(repaired)
    return repairs


def body_of(link: Tag) -> Inertial | None:
    """Mass, centre (link frame) and tensor (axes of the inertial frame) of a link.

    None where one is not given in numbers.
    """
    inertial, place = link.first("inertial"), _inertia_tag(link)
    if inertial is None or place is None:
        return None
    mass_tag, origin = inertial.first("mass"), inertial.first("origin")
    mass = number(mass_tag.get("value") if mass_tag else None)
    centre = (
        numbers(origin.get("xyz"), 3)
        if origin and origin.get("xyz") is not None
        else [0.0, 0.0, 0.0]
    )
    xx, xy, xz, yy, yz, zz = values = [number(place.get(key)) for key in ENTRIES]
    if centre is None or not all(abs(value) <= _LARGEST for value in (mass, *centre, *values)):
        return None
    return Inertial.of(mass, centre, [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def _inertia_tag(link: Tag) -> Tag | None:
    inertial = link.first("inertial")
    return inertial.first("inertia") if inertial else None


def _still_impossible(link: Tag) -> bool:
    body = body_of(link)
    return body is not None and body.mass > 0.0 and not is_possible(moments_of(body.tensor))


def _differing(before: Array, after: Array) -> dict[str, str]:
    """Entries that moved by more than rounding, as text.

    Both lose less than a tenth of the slack of any check (ROUNDING).
    """
    slack = 1e-14 * float(np.abs(after).max())
    rows, columns = np.triu_indices(3)
    return {
        key: f"{after[i, j]:.15g}"
        for key, i, j in zip(ENTRIES, rows, columns, strict=True)
        if abs(after[i, j] - before[i, j]) > slack
    }
