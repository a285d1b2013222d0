"""Structure of an arm, which decides on the program of its closed form, and its constants.

What runs machine code that is kept on disk needs this, and neither formulas nor traces.
"""

from __future__ import annotations

import math
from typing import Any, Literal, NamedTuple

import numpy as np

from ...model.types import Array
from ..arm_geometry import Arm, Palletizer, SixAxis
from .closed_form import Bounds

Pattern = tuple[tuple[bool, ...], ...]
"""Entries of a matrix that may differ from 0."""
GEOMETRY = {
    "arm_from_base": (3, 3), "origin": (3,), "wrist": (3,), "E": (3, 3),
    "lower_arm_length": (), "forearm_length": (),
}  # fmt: skip
SIX_AXIS = GEOMETRY | {"C": (3, 3), "a1": (), "d": (), "wrist_sign": ()}
SEED = ("free_sin", "free_cos", "turn_lower", "turn_upper", "seed")
SCARA = GEOMETRY | {"height": ()}
PALLETIZER = SCARA | {"a1": (), "a4": (), "d": ()}
Kind = Literal["six axes", "palletizer", "scara"]


class Structure(NamedTuple):
    """All that the program of an arm depends on, besides its constants."""

    kind: Kind
    H: Pattern
    """Of the axis map."""
    A: Pattern
    """Of the ranges."""
    linear: tuple[bool, ...]


def kind_of(arm: Arm) -> Kind:
    """Return which of the closed forms solves an arm."""
    if isinstance(arm, SixAxis):
        return "six axes"
    return "palletizer" if isinstance(arm, Palletizer) else "scara"


def structure_of(arm: Arm, bounds: Bounds) -> Structure:
    """Return the structure of an arm; six axes without unusual couplings share one."""
    patterns = [arm.axis_map.H != 0.0, bounds.A != 0.0]
    if isinstance(arm, SixAxis):
        common = np.eye(6, dtype=bool)
        common[2, 1] = True  # forearm by lower arm, with a parallelogram or without
        for pattern in patterns:
            if (pattern[:6] <= common).all():
                pattern[:6] = common
    H, A = (tuple(map(tuple, pattern.tolist())) for pattern in patterns)
    return Structure(kind_of(arm), H, A, tuple(bounds.linear.tolist()))


def constant_shapes(kind: Kind, rows: int) -> dict[str, tuple[int, ...]]:
    """Return shapes of all constants by name.

    First come those of a seed. ``rows`` is the number of ranges and of bounds of sums.
    """
    n = 6 if kind == "six axes" else 4
    shapes: dict[str, tuple[int, ...]] = dict.fromkeys(SEED, (n,))
    shapes |= {"six axes": SIX_AXIS, "palletizer": PALLETIZER, "scara": SCARA}[kind]
    return shapes | {"H": (n, n), "h": (n,), "A": (rows, n), "lower": (rows,), "upper": (rows,)}


def constant_names(kind: Kind, rows: int) -> list[str]:
    """Return the names of the entries of all constants in a program."""
    return [
        f"{name}[{k}]"
        for name, shape in constant_shapes(kind, rows).items()
        for k in range(math.prod(shape))
    ]


def seed_constants(near: Array, bounds: Bounds) -> Array:
    """Return the constants of a seed.

    Args:
        near: Absolute angles that are kept where a singularity leaves them free, ``(n,)``.
        bounds: Where full turns are put.
    """
    turns = bounds.turn_lower, bounds.turn_upper, bounds.seed
    return np.concatenate([np.sin(near), np.cos(near), *turns])


def arm_constants(arm: Arm, bounds: Bounds) -> Array:
    """Return the constants that come after those of a seed."""
    values: dict[str, Any] = vars(arm) | vars(arm.axis_map) | bounds._asdict()
    names = list(constant_shapes(kind_of(arm), len(bounds.A)))[len(SEED) :]
    return np.concatenate([np.ravel(values[name]) for name in names])
