"""Workspace of an arm by its lengths and ranges: which links and ranges bound its plane."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, numbers
from ..errors import InputError, MissingData
from ..model.limits import Limits, sum_ends
from .angle_ranges import angle_range, axis_sum
from .arm_geometry import CALIBRATED, Arm, OffsetWrist, Palletizer, Scara, SixAxis
from .planar_boundary import TwoLinks
from .workspace import IN_PLANE, PlanarJointRange, Workspace


def workspace_of(arm: Arm, limits: Limits, wrist: ArrayLike | None = None) -> Workspace:
    """Return the workspace of an arm.

    Args:
        arm: Its geometry, for the TCP.
        limits: Its ranges.
        wrist: Fixed positions of axes 4 to 6 [rad]: then the workspace is the TCP's. Default is the
            wrist center, of a palletizer the point of axis 4 at the height of the TCP. Of arms with
            four axes that of the tool's axis; default 0 of a SCARA.

    Raises:
        InputError: if the TCP then lies beside the arm's plane: no outline in it is exact.
        MissingData: if ranges couple the arm's angles otherwise than those of a parallelogram do.
    """
    if isinstance(arm, Scara):
        return _scara_workspace(arm, limits, wrist)
    x, y, z = 0.0, arm.d, arm.forearm_length
    base = arm.a1, float(arm.origin_in_arm[2])
    if isinstance(arm, Palletizer):
        ahead = 0.0
        if wrist is not None:
            ahead, y = _tool_of_palletizer(arm, wrist)
        base = base[0] + arm.a4 + ahead, base[1] + arm.height
    elif wrist is not None:
        q = np.concatenate([np.zeros(3), finite(wrist, (3,), "wrist [rad], axes 4 to 6,")])
        x, y, z = arm.tcp_from_elbow(arm.axis_map.angles(q)).tolist()
    calibrated = isinstance(arm, OffsetWrist) and not arm.regular
    if abs(y) > (CALIBRATED if calibrated else IN_PLANE):
        raise InputError(
            f"with these wrist axes the TCP is {1e3 * y:g} mm beside the arm's plane; no outline"
            " there is exact"
        )
    bend = math.atan2(x, z)
    first = _joint_range(arm, limits, {1: -1.0}, math.pi / 2)
    second = _joint_range(arm, limits, {1: 1.0, 2: -1.0}, -bend)
    slope = _joint_range(arm, limits, {2: -1.0}, math.pi / 2 - bend)
    ends = _link_ends(first, second, slope)
    if first is None or ends is None or not _bounds_all(arm, limits, (first, second, slope)):
        raise MissingData(
            "ranges bound sums of axes; outlines are for ranges that bound the directions of lower"
            " arm and forearm, and the angle between them, one by one"
        )
    lengths = arm.lower_arm_length, math.hypot(x, z)
    links = TwoLinks(base, *lengths, (first.ends, ends), None if slope is None else slope.ends)
    wrist_ranges = None
    if isinstance(arm, SixAxis):
        fourth, fifth = (_joint_range(arm, limits, {k: 1.0}) for k in (3, 4))
        wrist_ranges = None if fourth is None or fifth is None else (fourth, fifth)
    azimuth = _needed(_joint_range(arm, limits, {0: 1.0}))
    off = 0.0
    if isinstance(arm, OffsetWrist) and calibrated:
        off = _uncertainty(arm, limits) + abs(y)
    return Workspace(arm, links, azimuth, (first, second, slope), wrist_ranges, uncertainty=off)


def _link_ends(
    first: PlanarJointRange | None, second: PlanarJointRange | None, slope: PlanarJointRange | None
) -> tuple[float, float] | None:
    """Return the ends of the angle between two links [rad].

    They are those of its own range, or what directions of both leave; None where one is missing.
    """
    if second is not None:
        return second.ends
    if first is None or slope is None:
        return None
    return slope.low - first.high, slope.high - first.low


def _bounds_all(arm: Arm, limits: Limits, joints: Sequence[PlanarJointRange | None]) -> bool:
    """Return whether every row of the limits that bounds axes of the plane is one of these."""
    rows = {joint.row for joint in joints if joint is not None}
    moving = (axis_sum(arm, {1: 1.0})[0] != 0.0) | (axis_sum(arm, {2: 1.0})[0] != 0.0)
    return rows == set(np.flatnonzero((limits.A[:, moving] != 0.0).any(axis=1)).tolist())


def _uncertainty(arm: OffsetWrist, limits: Limits) -> float:
    """Return the largest distance found between a calibrated arm's TCP and the regular arm's."""
    ranges = limits.axis_ranges
    low, high = (np.clip(ends, -math.pi, math.pi) for ends in (ranges.lower, ranges.upper))
    bounded = np.random.default_rng(0).uniform(low, high, (4096, len(low)))
    x = arm.axis_map.angles(bounded @ ranges.inverse.T)
    apart = arm.in_plane(x) - replace(arm, regular=True).in_plane(x)
    return float(np.linalg.norm(apart, axis=1).max())


def _tool_of_palletizer(arm: Palletizer, wrist: ArrayLike) -> tuple[float, float]:
    """Return the TCP from axis 4 at a position of that, ahead of and beside the arm's plane [m]."""
    values = np.ravel(numbers(wrist, "wrist [rad]"))
    fixed = float(finite(values, (1,), "wrist [rad], axis 4,")[0])
    x = arm.axis_map.angles(np.array([0.0, 0.0, 0.0, fixed]))
    ahead, beside = arm.tcp_from_axis(x[3] - x[0]).tolist()
    return ahead, beside


def _scara_workspace(arm: Scara, limits: Limits, wrist: ArrayLike | None) -> Workspace:
    tool = angle_range(arm, limits, {1: -1.0, 2: 1.0})
    slide = angle_range(arm, limits, {3: 1.0})
    fixed = 0.0
    if wrist is not None:
        values = np.ravel(numbers(wrist, "wrist [rad]"))
        fixed = float(finite(values, (1,), "wrist [rad], axis 4,")[0])
    x, y = arm.tcp_from_elbow(np.array(tool.sign * fixed + tool.zero)).tolist()
    first = _needed(_joint_range(arm, limits, {0: 1.0}))
    second = _needed(_joint_range(arm, limits, {0: -1.0, 1: 1.0}, math.atan2(y, x)))
    links = TwoLinks((0.0, 0.0), arm.lower_arm_length, math.hypot(x, y), (first.ends, second.ends))
    level = float(arm.origin_in_arm[2]) + arm.height
    heights = level + slide.low, level + slide.high
    return Workspace(arm, links, first, (first, second, None), None, heights)


def _joint_range(
    arm: Arm, limits: Limits, factors: dict[int, float], offset: float = 0.0
) -> PlanarJointRange | None:
    """Return the range of a sum of the arm's angles, ``offset`` [rad] added.

    None where no row of the limits bounds it.
    """
    row, zero = axis_sum(arm, factors)
    bound = limits.row_of(row)
    if bound is None:
        return None
    k, sign = bound
    low, high = sum_ends(np.array([sign]), limits.lower[[k]], limits.upper[[k]])
    low, high = low + zero, high + zero
    if not math.isfinite(high - low):  # an axis without end
        low, high = -math.pi, math.pi
    return PlanarJointRange(k, sign, zero + offset, low + offset, high + offset)


def _needed(joint: PlanarJointRange | None) -> PlanarJointRange:
    """Return a range, which outlines need."""
    if joint is None:
        raise MissingData("ranges bound sums of axes of which outlines need the parts")
    return joint
