"""ABB's configuration data of a posture: the quadrants cf1, cf4, cf6 of axes 1, 4 and 6, and cfx.

A quadrant is ``floor(q / 90 deg)``. That of cfx depends on the arm (RAPID ``confdata``):

* six axes one behind the other (IRB 1600): 4 if the wrist centre is behind axis 1, plus 2 if it is
  behind the lower arm, plus 1 if axis 5 is negative (py-opw-kinematics, ARTE; so do 72 targets of
  programs for five arms, with 0, 1, 4 and 5: tests/data/taught_targets.yaml). Behind axis 1 the
  lower arm is looked at from the arm's own front.
* six axes whose wrist axes miss one point (CRB 15000): the same, counted at the crossing of axes 4
  and 5, which the three angles of axes 1 to 3 put in place. Not sure: no document was seen that
  says so of an offset wrist; one taught point of a CRB 15000-12 agrees. Two postures of a pose may
  have the same four numbers.
* a parallelogram arm (IRB 2400, 1400): quadrant of axis 2, ABB's rule for "other robots". Not sure:
  manuals of the S4 controller do not use cfx, some programs write the number above, and no IRB 2400
  was seen.
* a palletizer (IRB 260, 460, 660, 760): 0, and so is cf4; cf6 is the quadrant of its last axis,
  which is axis 6 of the controller. Not sure: no document was seen, and all targets of a cell in
  RobotStudio with an IRB 760 have [0,0,0,0]. Two postures of a pose may have the same four numbers.
* a SCARA: 0 or 1; their meaning is not published. Taken as 1 where the second arm is turned to
  negative angles; eight targets for an IRB 910SC have 0, and positive ones. cf6 is 0.

Exactly at a multiple of 90 deg the documents leave the quadrant open: ``floor`` is taken. ``sure``
is True where neither doubt matters; :func:`matches` counts a posture on an edge to both sides.
"""

from __future__ import annotations

import math
from typing import Any, NamedTuple

import numpy as np

from ..checks import short_repr
from ..errors import InputError, MissingData
from ..model.types import Array, Mask
from .arm_geometry import CALIBRATED, Arm, OffsetWrist, Palletizer, Scara, SixAxis
from .seven_axis import HeldAxis

EDGE = 1e-6  # [rad, m] what the digits of a printed target leave of an angle
ROUNDING = 1e-12  # of a right angle, rad or m: -1e-17 rad is 0, in quadrant 0
QUARTER = math.pi / 2.0
CONFIGURATION_AXES = (1, 4, 6)
"""Axes of the controller whose quadrants cf1, cf4 and cf6 are."""
UNSURE = (
    "? not sure: at the edge of a quadrant, or ABB's rule of cfx for such an arm is not published"
)
"""Meaning of the mark of a configuration that is not sure."""


class Configuration(NamedTuple):
    """ABB's ``confdata``, and whether it is beyond doubt."""

    cf1: int
    cf4: int
    cf6: int
    cfx: int
    sure: bool = True
    """False on the edge of a quadrant other than 0 deg, or where ABB's rule for cfx is unknown."""

    def __str__(self) -> str:
        """Write it as RAPID does, with a question mark where it is not sure."""
        return f"[{self.cf1},{self.cf4},{self.cf6},{self.cfx}]{'' if self.sure else '?'}"


def configuration_of(arm: Arm | HeldAxis, q: Array) -> Configuration:
    """Return the configuration of one posture ``(n,)`` [rad, m].

    Raises:
        MissingData: if the arm has seven axes.
    """
    arm = _configured(arm)
    axes = quadrant_axes(arm)
    angles = [float(q[axis]) for axis in axes.values()]
    on_edge = any(
        abs(angle) > EDGE and abs(angle - QUARTER * round(angle / QUARTER)) <= EDGE
        for angle in angles
    )
    cf1, cf4, cf6 = (_quadrant(float(q[axes[i]])) if i in axes else 0 for i in range(3))
    cfx, known = _cfx(arm, q)
    return Configuration(cf1, cf4, cf6, cfx, known and not on_edge)


def matches(arm: Arm | HeldAxis, q: Array, wanted: Configuration) -> Mask:
    """Return whether postures ``(..., n)`` have a configuration, shape ``(...)``.

    One on the edge of a quadrant belongs to both sides; NaN never matches.
    """

    def in_quadrant(axis: int, quadrant: int) -> Mask:
        middle = (quadrant + 0.5) * QUARTER
        return np.asarray(np.abs(q[..., axis] - middle) <= 0.5 * QUARTER + EDGE)

    arm, matching = _configured(arm), np.ones(q.shape[:-1], dtype=bool)
    for place, axis in quadrant_axes(arm).items():
        matching &= in_quadrant(axis, wanted[place])
    if _is_coupled(arm):
        return matching & in_quadrant(1, wanted.cfx)
    for bit, value in enumerate(_cfx_signs(arm, q)):
        matching &= np.where(wanted.cfx >> bit & 1, value <= EDGE, value >= -EDGE)
    return matching


def seeds(arm: Arm | HeldAxis, wanted: Configuration) -> dict[int, float]:
    """Return the middle of the quadrant of each axis that has one [rad].

    The nearest full turn lies in the quadrant.
    """
    return {
        axis: (wanted[i] + 0.5) * QUARTER for i, axis in quadrant_axes(_configured(arm)).items()
    }


def checked(arm: Arm | HeldAxis, value: object) -> Configuration:
    """Return a caller's configuration as :class:`Configuration`.

    Raises:
        InputError: if it is not four whole numbers, or this kind of arm has no such cfx.
        MissingData: if the arm has seven axes.
    """
    arm = _configured(arm)
    given: Any = value[:4] if isinstance(value, Configuration) else value
    try:
        numbers = [] if isinstance(given, str | bytes) else [float(part) for part in given]
    except (TypeError, ValueError):
        numbers = []
    if len(numbers) != 4 or any(
        number != np.floor(number) or abs(number) > 1000.0 for number in numbers
    ):
        raise InputError(
            f"a configuration is four whole numbers (cf1, cf4, cf6, cfx), not {short_repr(value)}"
        )
    cf1, cf4, cf6, cfx = map(int, numbers)
    most = 7 if isinstance(arm, SixAxis) else 1 if isinstance(arm, Scara) else 0
    if not _is_coupled(arm) and not 0 <= cfx <= most:
        values = f"0 to {most}" if most else "0"
        raise InputError(f"cfx of this kind of arm is {values}, not {cfx}")
    return Configuration(cf1, cf4, cf6, cfx)


def _configured(arm: Arm | HeldAxis) -> Arm:
    if isinstance(arm, HeldAxis):
        raise MissingData("ABB's rule for cfx of an arm of seven axes is not known")
    return arm


def quadrant_axes(arm: Arm) -> dict[int, int]:
    """Return the axis, from 0, of each of cf1, cf4 and cf6 (0, 1, 2) that the arm has."""
    axes = {number: axis for axis, number in enumerate(arm.rapid_axes)}
    return {i: axes[number] for i, number in enumerate(CONFIGURATION_AXES) if number in axes}


def _is_coupled(arm: Arm) -> bool:
    return isinstance(arm, SixAxis) and arm.coupled


def _cfx(arm: Arm, q: Array) -> tuple[int, bool]:
    """Return cfx, and whether ABB's rule for it is known."""
    if _is_coupled(arm):
        return _quadrant(float(q[1])), False
    bits = [1 << bit for bit, value in enumerate(_cfx_signs(arm, q)) if value < -ROUNDING]
    offset = isinstance(arm, OffsetWrist) and math.hypot(*arm.offset) > CALIBRATED
    return sum(bits), isinstance(arm, SixAxis) and not offset


def _cfx_signs(arm: Arm, q: Array) -> list[Array]:
    """Return the quantities whose negative sign sets the bits of cfx, from the lowest bit on."""
    if isinstance(arm, Palletizer):
        return []
    x = arm.axis_map.angles(q)
    elbow = np.sin(arm.elbow_angle(x))
    if isinstance(arm, Scara):
        return [elbow]
    return [np.asarray(q[..., 4]), elbow, arm.wrist_radius(x)]


def _quadrant(angle: float) -> int:
    return math.floor(angle / QUARTER + ROUNDING)
