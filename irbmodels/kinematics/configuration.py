"""ABB's configuration data of a posture: the quadrants cf1, cf4, cf6 of axes 1, 4 and 6, and cfx.

A quadrant is ``floor(q / 90 deg)``. What cfx says depends on the kind of arm (RAPID ``confdata``):

* six axes one behind the other (IRB 1600): 4 if the wrist centre is behind axis 1, plus 2 if it is
  behind the lower arm, plus 1 if axis 5 is negative (py-opw-kinematics, ARTE). Behind axis 1 the
  lower arm is looked at from the arm's own front.
* a parallelogram arm (IRB 2400, 1400): quadrant of axis 2, ABB's rule for "other robots". Not sure:
  manuals of the S4 controller do not use cfx, some programs write the number above, and no IRB 2400
  was seen.
* a SCARA: 0 or 1; which is which was not found. Taken as 1 where the second arm is turned to
  negative angles. cf6 is 0.

Exactly at a multiple of 90 deg the documents leave the quadrant open: ``floor`` is taken. ``sure``
says whether neither doubt matters; :func:`matches` counts a posture on an edge to both sides.
"""

from __future__ import annotations

import math
from typing import NamedTuple

import numpy as np

from ..checks import short_repr
from ..errors import InputError
from ..model.types import Array, Mask
from .arm_geometry import Scara, SixAxis

EDGE = 1e-6  # [rad, m] what the digits of a printed target leave of an angle
ROUNDING = 1e-12  # of a right angle, rad or m: -1e-17 rad is 0, in quadrant 0
QUARTER = math.pi / 2.0


class Configuration(NamedTuple):
    """ABB's ``confdata``, and whether it is beyond doubt."""

    cf1: int
    cf4: int
    cf6: int
    cfx: int
    sure: bool = True
    """False on the edge of a quadrant (other than 0 deg), and where ABB's rule for cfx is not known for this kind of arm."""

    def __str__(self) -> str:
        """Write it as RAPID does, with a question mark where it is not sure."""
        return f"[{self.cf1},{self.cf4},{self.cf6},{self.cfx}]{'' if self.sure else '?'}"


def configuration_of(arm: SixAxis | Scara, q: Array) -> Configuration:
    """Return the configuration of one posture ``(n,)`` [rad, m]."""
    axes = _counted(arm)
    quadrants = [_quadrant(float(q[axis])) for axis in axes]
    cfx, known = _cfx(arm, q)
    on_edge = any(abs(q[axis]) > EDGE and _to_edge(float(q[axis])) <= EDGE for axis in axes)
    cf1, cf4, cf6 = quadrants if isinstance(arm, SixAxis) else [*quadrants, 0]
    return Configuration(cf1, cf4, cf6, cfx, known and not on_edge)


def matches(arm: SixAxis | Scara, q: Array, wanted: Configuration) -> Mask:
    """Whether postures ``(..., n)`` have a configuration; what is on an edge belongs to both sides.

    NaN never matches.
    """
    good = np.ones(q.shape[:-1], dtype=bool)
    for axis, quadrant in zip(_counted(arm), wanted, strict=False):
        good &= np.abs(q[..., axis] - (quadrant + 0.5) * QUARTER) <= 0.5 * QUARTER + EDGE
    if isinstance(arm, SixAxis) and arm.coupled:
        return good & (np.abs(q[..., 1] - (wanted.cfx + 0.5) * QUARTER) <= 0.5 * QUARTER + EDGE)
    for bit, value in enumerate(_signs(arm, q)):
        good &= np.where(wanted.cfx >> bit & 1, value <= EDGE, value >= -EDGE)
    return good


def seeds(arm: SixAxis | Scara, wanted: Configuration) -> dict[int, float]:
    """Return the middle of the quadrant of each axis that has one [rad]: the nearest full turn lies in it."""
    return {
        axis: (quadrant + 0.5) * QUARTER
        for axis, quadrant in zip(_counted(arm), wanted, strict=False)
    }


def checked(arm: SixAxis | Scara, value: object) -> Configuration:
    """Return what a caller gave as configuration.

    Raises:
        InputError: if it is not four whole numbers, or this kind of arm has no such cfx.
    """
    try:
        given = (
            value[:4]
            if isinstance(value, Configuration)
            else ()
            if isinstance(value, str | bytes)
            else value
        )
        numbers = [float(number) for number in given]  # type: ignore[attr-defined]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or any(
        number != np.floor(number) or abs(number) > 1000.0 for number in numbers
    ):
        raise InputError(
            f"a configuration is four whole numbers (cf1, cf4, cf6, cfx), not {short_repr(value)}"
        )
    cf1, cf4, cf6, cfx = (int(number) for number in numbers)
    most = 1 if isinstance(arm, Scara) else 7
    if not (isinstance(arm, SixAxis) and arm.coupled) and not 0 <= cfx <= most:
        raise InputError(f"cfx of this kind of arm is 0 to {most}, not {cfx}")
    return Configuration(cf1, cf4, cf6, cfx)


def _counted(arm: SixAxis | Scara) -> tuple[int, ...]:
    """Axes whose quadrants are told."""
    return (0, 3, 5) if isinstance(arm, SixAxis) else (0, 3)


def _cfx(arm: SixAxis | Scara, q: Array) -> tuple[int, bool]:
    if isinstance(arm, SixAxis) and arm.coupled:
        return _quadrant(float(q[1])), False
    number = sum(1 << bit for bit, value in enumerate(_signs(arm, q)) if value < -ROUNDING)
    return number, isinstance(arm, SixAxis)


def _signs(arm: SixAxis | Scara, q: Array) -> list[Array]:
    """Quantities whose negative sign sets the bits of cfx, from the lowest bit on."""
    x = arm.axis_map.angles(q)
    bend = (
        np.sin(x[..., 2] - x[..., 1]) if isinstance(arm, SixAxis) else np.sin(x[..., 1] - x[..., 0])
    )
    if isinstance(arm, Scara):
        return [bend]
    ahead = (
        arm.a1 + arm.lower_arm_length * np.sin(x[..., 1]) + arm.forearm_length * np.sin(x[..., 2])
    )
    return [np.asarray(q[..., 4]), bend, ahead]


def _quadrant(angle: float) -> int:
    return math.floor(angle / QUARTER + ROUNDING)


def _to_edge(angle: float) -> float:
    return abs(angle - QUARTER * round(angle / QUARTER))
