"""Paths of a pose: lines, arcs, turns on the spot, and chains of them with blended corners.

A path is a function of the distance ``s`` [m] that its point, the TCP, has gone, not of time. Base
axes throughout; rates per unit of ``s``, linear part first. Orientation turns about one constant
axis, in proportion to ``s`` (slerp).
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_list, as_pose, finite, numbers
from ..errors import InputError
from ..model.rotations import quaternion
from ..model.types import Array
from .blend import blend_corner
from .pose_path import ROUNDING, TURN, Along, PosePath

__all__ = ["PosePath", "arc", "joined", "line"]


STILL = 1e-6  # [m] a point that moves less stands on the spot
# sine of the angle below which three points are on one line: the radius would be mostly rounding
FLAT = 1e-6


def line(start: ArrayLike | pin.SE3, end: ArrayLike | pin.SE3) -> PosePath:
    """Return the straight path between two poses, or the turn on the spot of equal positions.

    It turns the short way. At 180 deg both ways are as short: the turn is right-handed about the
    axis whose first component that is not zero is positive.

    Args:
        start: Pose in the base, ``pin.SE3`` or ``(4, 4)``.
        end: Pose in the base.

    Raises:
        InputError: if one is no pose, or both are the same.

    Example:
        >>> import irbmodels as irb
        >>> from irbmodels.trajectory import line
        >>> robot = irb.load("irb1600")
        >>> start = robot.pose(robot.from_controller([0, 20, 0, 0, 40, 0]))
        >>> end = start.copy()
        >>> end.translation[1] += 0.3
        >>> line(start, end).length
        0.3
    """
    first, last = (
        as_pose(pose, f"{name}, a pose in [m],") for name, pose in (("start", start), ("end", end))
    )
    step, turn = last[:3, 3] - first[:3, 3], _rotation_vector(first, last)
    length = float(np.linalg.norm(step))
    if length < STILL:
        length = max(length, TURN * float(np.linalg.norm(turn)))
    if not length > ROUNDING:
        raise InputError("start and end are the same pose: a path needs a length")
    return _Line(length, first, step / length, turn / length)


def arc(start: ArrayLike | pin.SE3, via: ArrayLike | pin.SE3, end: ArrayLike | pin.SE3) -> PosePath:
    """Return the arc from ``start`` through the position of ``via`` to ``end``, less than a circle.

    The orientation turns from that of ``start`` to that of ``end`` as on a line; that of ``via`` is
    not used, as in RAPID's ``MoveC`` with a work object's frame. A full circle is two arcs.

    Args:
        start: Pose in the base, ``pin.SE3`` or ``(4, 4)``.
        via: A pose, or only its position ``(3,)`` [m].
        end: Pose in the base.

    Raises:
        InputError: if start and end are in one position, or the three positions are on one line.
    """
    first, last = (
        as_pose(pose, f"{name}, a pose in [m],") for name, pose in (("start", start), ("end", end))
    )
    what = "via, a pose or a position [m],"
    given = numbers(getattr(via, "homogeneous", via), what)
    middle = as_pose(via, what)[:3, 3] if given.shape == (4, 4) else finite(given, (3,), what)
    a, b = middle - first[:3, 3], last[:3, 3] - first[:3, 3]
    if np.linalg.norm(b) < STILL:
        raise InputError(
            "start and end are in one place: which circle goes there is open; make a full circle of"
            " two arcs"
        )
    normal = np.cross(a, b)
    if not np.linalg.norm(normal) > FLAT * np.linalg.norm(a) * np.linalg.norm(b) > 0.0:
        raise InputError(
            "start, via and end are on one line, or via is one of the ends: no circle goes through"
            " them; use line"
        )
    centre = np.cross(a @ a * b - b @ b * a, normal) / (2.0 * normal @ normal)  # from start
    radius = float(np.linalg.norm(centre))
    x, z = -centre / radius, normal / np.linalg.norm(normal)
    y = np.cross(z, x)
    angle = float(np.arctan2((b - centre) @ y, (b - centre) @ x)) % (2.0 * np.pi)
    length = radius * angle
    return _Arc(
        length, first, first[:3, 3] + centre, radius, x, y, _rotation_vector(first, last) / length
    )


def joined(paths: Sequence[PosePath], zones: float | Sequence[float] = 0.0) -> PosePath:
    """Return paths one after another, corners rounded within zones.

    A blend leaves the path a distance ``zone`` before the corner and meets it the same distance
    after. In between the two paths are run together: their displacements from the corner add, their
    turns compose, the first runs out and the second starts by a law of fourth order. Position and
    orientation are twice continuously differentiable by ``s`` at both ends. Between two lines that
    turn by ``phi`` the blend passes the corner at ``3/8 zone sin(phi / 2)``;
    :attr:`PosePath.deviations` has the distance at every corner.

    Args:
        paths: Each starts at the pose where the one before it ends.
        zones: Distance from each corner [m], measured along the paths, one for all or ``len(paths)
            - 1``; 0 keeps the corner.

    Raises:
        InputError: if two paths do not meet, zones are negative or overlap, or a path turns
            straight back within a zone.
    """
    parts = as_list(paths, PosePath, "joined needs a list of paths: [line(a, b), arc(b, c, d)]")
    if not parts:
        raise InputError("joined needs a list of paths, and this one is empty")
    corners = len(parts) - 1
    what = f"zones of {corners} corners [m]"
    given = numbers(zones, what)
    radii = finite(np.full(corners, given) if given.ndim == 0 else given, (corners,), what)
    if (radii < 0.0).any():
        raise InputError(f"a zone must not be negative: {radii.tolist()} m")
    before, after = np.append(0.0, radii), np.append(radii, 0.0)
    for i, part in enumerate(parts):
        if before[i] + after[i] > part.length + ROUNDING:
            raise InputError(
                f"the zones of path {i + 1} overlap: {before[i]:g} m and {after[i]:g} m do not fit"
                f" into its {part.length:g} m"
            )
    pieces: list[PosePath] = []
    stops: list[float] = []
    deviations: list[float] = []
    s = 0.0
    for i, part in enumerate(parts):
        start, stop = before[i], max(part.length - after[i], before[i])
        if any(0.0 < inner < start or stop < inner < part.length for inner in part.stops):
            raise InputError(
                f"path {i + 1} has a corner of its own within a zone, which no blend can round"
            )
        if stop - start > ROUNDING:
            pieces.append(_Part(part, start, stop))
            stops += [s + inner - start for inner in part.stops if start <= inner <= stop]
            s += stop - start
        if i == corners:
            break
        smooth = _is_smooth(part, parts[i + 1], f"path {i + 1} and path {i + 2}")
        if radii[i] > ROUNDING:
            blend = blend_corner(part, parts[i + 1], radii[i], f"path {i + 1} and path {i + 2}")
            pieces.append(blend)
            s += blend.length
        elif not smooth:
            stops.append(s)
        deviations += part.deviations
        deviations.append(pieces[-1].deviations[0] if radii[i] > ROUNDING else 0.0)
    return _Joined(pieces, tuple(stops), (*deviations, *parts[-1].deviations))


class _Line(PosePath):
    def __init__(self, length: float, first: Array, rate: Array, spin: Array) -> None:
        self.length, self._first, self._twist = length, first, np.append(rate, spin)

    def _along(self, s: Array) -> Along:
        poses = _rotate(self._first, self._twist[3:], s)
        poses[:, :3, 3] = self._first[:3, 3] + s[:, None] * self._twist[:3]
        return Along(poses, np.tile(self._twist, (s.size, 1)), np.zeros((s.size, 6)))


class _Arc(PosePath):
    def __init__(
        self,
        length: float,
        first: Array,
        centre: Array,
        radius: float,
        x: Array,
        y: Array,
        spin: Array,
    ) -> None:
        self.length, self._first, self._centre, self._radius = length, first, centre, radius
        self._x, self._y, self._spin = x, y, spin

    def _along(self, s: Array) -> Along:
        angle = s[:, None] / self._radius
        outward = np.cos(angle) * self._x + np.sin(angle) * self._y
        poses = _rotate(self._first, self._spin, s)
        poses[:, :3, 3] = self._centre + self._radius * outward
        tangent = np.cos(angle) * self._y - np.sin(angle) * self._x
        twists = np.hstack([tangent, np.tile(self._spin, (s.size, 1))])
        return Along(poses, twists, np.hstack([-outward / self._radius, np.zeros((s.size, 3))]))


class _Part(PosePath):
    """The part of a path between two distances."""

    def __init__(self, path: PosePath, start: float, stop: float) -> None:
        self.length, self._path, self._start = stop - start, path, start

    def _along(self, s: Array) -> Along:
        return self._path.at(np.clip(self._start + s, 0.0, self._path.length))


class _Joined(PosePath):
    def __init__(
        self, pieces: list[PosePath], stops: tuple[float, ...], deviations: tuple[float, ...]
    ) -> None:
        self._pieces, self.stops, self.deviations = pieces, stops, deviations
        self._ends = np.cumsum([piece.length for piece in pieces])
        self.length = float(self._ends[-1])

    def _along(self, s: Array) -> Along:
        number = np.searchsorted(self._ends[:-1], s, side="right")
        result = Along(np.empty((s.size, 4, 4)), np.empty((s.size, 6)), np.empty((s.size, 6)))
        for i in np.unique(number):
            here = number == i
            piece = self._pieces[i]
            for whole, part in zip(
                result,
                piece.at(np.clip(s[here] - (self._ends[i] - piece.length), 0.0, piece.length)),
                strict=True,
            ):
                whole[here] = part
        return result


def _is_smooth(first: PosePath, second: PosePath, which: str) -> bool:
    """Return whether the twist is continuous from one path to the next.

    Raises:
        InputError: if they do not meet.
    """
    end, start = first.at(first.length), second.at(0.0)
    gap = float(np.linalg.norm(end.poses[:3, 3] - start.poses[:3, 3]))
    turned = float(np.linalg.norm(end.poses[:3, :3] - start.poses[:3, :3]))
    if gap > ROUNDING or turned > ROUNDING:
        raise InputError(
            f"{which} do not meet: their poses differ by {1000.0 * gap:.6g} mm and"
            f" {np.degrees(turned):.3g} deg"
        )
    # poses typed with nine digits leave less
    return bool(np.abs(end.twists - start.twists).max() < 1e-6)


def _rotation_vector(first: Array, last: Array) -> Array:
    """Turn from one pose to another, about an axis in the base [rad]."""
    w, *xyz = quaternion(last[:3, :3] @ first[:3, :3].T)
    size = float(np.linalg.norm(xyz))
    return np.zeros(3) if size == 0.0 else 2.0 * np.arctan2(size, w) / size * np.array(xyz)


def _rotate(first: Array, spin: Array, s: Array) -> Array:
    """Poses with the rotation of ``first`` turned by ``spin s`` (Rodrigues), at the origin."""
    poses = np.zeros((s.size, 4, 4))
    poses[:, 3, 3] = 1.0
    rate = float(np.linalg.norm(spin))
    K = pin.skew(spin / rate) if rate > 0.0 else np.zeros((3, 3))
    angle = (rate * s)[:, None, None]
    poses[:, :3, :3] = (np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * (K @ K)) @ first[
        :3, :3
    ]
    return poses
