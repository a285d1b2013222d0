"""A corner between two paths of a pose, rounded."""

from __future__ import annotations

import numpy as np

from ..errors import InputError
from ..model.types import Array
from .pose_path import TURN, Along, PosePath

# of the arc length along a blend; with eight nodes each its rounding is below 1e-12 of the zone
_PANELS = 64
_NODES, _WEIGHTS = (0.5 * np.array(x) for x in np.polynomial.legendre.leggauss(8))
_SLOWEST = 0.02  # share of the fastest speed: a blend that nearly stands still has a cusp


class Blend(PosePath):
    """A rounded corner as a function of ``u`` in 0..1, parametrised by its arc length ``s``."""

    def __init__(self, first: PosePath, second: PosePath, zone: float, on_the_spot: bool) -> None:
        self._first, self._second, self._zone = first, second, zone
        self._measured = (slice(3, 6), TURN) if on_the_spot else (slice(0, 3), 1.0)
        corner = second.poses(0.0)
        self._corner, self._corner_turn = corner[:3, 3], corner[:3, :3]
        self._u = np.linspace(0.0, 1.0, _PANELS + 1)
        steps = self._distance(self._u[:-1], self._u[1:])
        self._s = np.append(0.0, np.cumsum(steps))
        self.length = float(self._s[-1])
        self.deviations = (self._corner_distance(),)

    def slowest(self) -> float:
        """Smallest speed by ``u`` as a share of the largest."""
        speed = self._speed(np.linspace(0.0, 1.0, 8 * _PANELS + 1))
        return float(speed.min() / speed.max())

    def _along(self, s: Array) -> Along:
        number = np.clip(np.searchsorted(self._s, s, side="right") - 1, 0, _PANELS - 1)
        begin = self._u[number]
        u = np.interp(s, self._s, self._u)
        for _ in range(4):  # Newton: the first guess is good to 1e-3, and the speed changes slowly
            u = np.clip(
                u - (self._s[number] + self._distance(begin, u) - s) / self._speed(u), 0.0, 1.0
            )
        poses, rate, gain = self._by_u(u)
        part, unit = self._measured
        speed = unit * np.linalg.norm(rate[:, part], axis=1)
        faster = unit**2 * np.einsum("ki,ki->k", rate[:, part], gain[:, part]) / speed
        twists = rate / speed[:, None]
        return Along(poses, twists, (gain - twists * faster[:, None]) / speed[:, None] ** 2)

    def _by_u(self, u: Array) -> Along:
        """Poses and derivatives by ``u``: displacements from the corner add, rotations compose."""
        left, left_rate, left_gain = _fade_out(u)
        gone, gone_rate, gone_gain = _fade_out(1.0 - u)
        left, left_rate, left_gain, gone, gone_gain = (
            self._zone * x for x in (left, left_rate, left_gain, gone, gone_gain)
        )
        gone_rate = -self._zone * gone_rate
        a, b = self._first.at(np.clip(self._first.length - left, 0.0, None)), self._second.at(gone)
        turn = b.poses[:, :3, :3] @ self._corner_turn.T
        a_rate = -left_rate[:, None] * a.twists
        a_gain = left_rate[:, None] ** 2 * a.accelerations - left_gain[:, None] * a.twists
        b_rate = gone_rate[:, None] * b.twists
        b_gain = gone_rate[:, None] ** 2 * b.accelerations + gone_gain[:, None] * b.twists
        a_spin, a_faster = (np.einsum("kij,kj->ki", turn, x[:, 3:]) for x in (a_rate, a_gain))
        poses = np.zeros((u.size, 4, 4))
        poses[:, 3, 3] = 1.0
        poses[:, :3, :3] = turn @ a.poses[:, :3, :3]
        poses[:, :3, 3] = a.poses[:, :3, 3] + b.poses[:, :3, 3] - self._corner
        rate = np.hstack([a_rate[:, :3] + b_rate[:, :3], a_spin + b_rate[:, 3:]])
        gain = np.hstack(
            [
                a_gain[:, :3] + b_gain[:, :3],
                a_faster + b_gain[:, 3:] + np.cross(b_rate[:, 3:], a_spin),
            ]
        )
        return Along(poses, rate, gain)

    def _speed(self, u: Array) -> Array:
        part, unit = self._measured
        speed: Array = unit * np.linalg.norm(self._by_u(u.ravel()).twists[:, part], axis=1)
        return speed.reshape(u.shape)

    def _distance(self, begin: Array, end: Array) -> Array:
        """Distance between pairs of ``u`` within one panel, by Gauss-Legendre."""
        width = (end - begin)[:, None]
        u = np.clip(begin[:, None] + width * (0.5 + _NODES), 0.0, 1.0)
        distance: Array = (self._speed(u) * width) @ _WEIGHTS
        return distance

    def _corner_distance(self) -> float:
        """Distance of the nearest point from the corner."""
        from scipy.optimize import minimize_scalar  # few need it

        def away(u: float) -> float:
            return float(np.linalg.norm(self._by_u(np.array([u])).poses[0, :3, 3] - self._corner))

        return float(
            away(
                minimize_scalar(
                    away, bounds=(0.0, 1.0), method="bounded", options={"xatol": 1e-9}
                ).x
            )
        )


def _fade_out(u: Array) -> tuple[Array, Array, Array]:
    """A share from 1 (slope -2) to 0 (slope 0), curvature 0 at both ends, and two derivatives.

    The slope is that of a path which goes on at the mean speed of a straight corner, twice the zone
    in 1.
    """
    return (
        1.0 - 2.0 * u + 2.0 * u**3 - u**4,
        -2.0 + 6.0 * u**2 - 4.0 * u**3,
        12.0 * u - 12.0 * u**2,
    )


def blend_corner(first: PosePath, second: PosePath, zone: float, which: str) -> Blend:
    """Return the blend from ``zone`` before the end of a path to ``zone`` into the next.

    Raises:
        InputError: if one path turns on the spot and the other moves, or they go straight back;
            ``which`` names them.
    """
    tangents = [first.twists(first.length - zone)[:3], second.twists(zone)[:3]]
    # 1 where the point moves
    standing = [float(np.linalg.norm(tangent)) < 0.5 for tangent in tangents]
    if standing[0] != standing[1]:
        raise InputError(
            f"{which}: a turn on the spot and a path that moves have no common blend; give that"
            " corner zone 0"
        )
    blend = Blend(first, second, zone, standing[0])
    if blend.slowest() < _SLOWEST:
        raise InputError(
            f"{which}: the path turns straight back at the corner, which no blend can round; give"
            " it zone 0"
        )
    return blend
