"""What an excitation keeps: every limit as a share, the largest share over a motion as a smooth number, and its gradient."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import lru_cache
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import InputError
from ...kinematics import frames as kinematics
from ...model.tree import UNLIMITED
from ...model.types import Array
from ...robot.collision import Clearance, clearance, collides
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from ...tasks.path_check import Box
from .regressor import Mapped, mapped

# the smooth maximum of N shares is above the largest by at most log(2 N) / 200, some 2 %
SHARPNESS = 200.0
BETWEEN = 0.001  # [m] that links stay apart in the samples; motions bend by less between them
# [m, of half the box] that a search is told to stay away from contact and from the edges of the box
APART = 0.01
NEAR = 0.05  # [m, of half the box] from either, below which a sample is told so
PER_STRETCH = 6  # of such samples in a row, besides the nearest
STEP = 1e-6  # [rad, m] of central differences of how far a tool reaches, whose corners take turns


@dataclass(frozen=True, eq=False)
class Bounds:
    """What to keep besides ranges (the coupled one too), speeds and torques of the robot, which are always kept."""

    acceleration: ArrayLike | None = None
    """Limits [rad/s^2, m/s^2], shape ``(n,)``; nobody publishes any."""
    box: Box | None = None
    """For the TCP and, where the tool has collision shapes, for the whole tool [m], base axes."""
    collision: bool = True
    """Whether the robot and its tool must not touch themselves."""
    share: float = 0.99
    """Of each limit that is used at most; the rest is for what lies between samples."""

    def __post_init__(self) -> None:
        """Check the share and the box.

        Raises:
            InputError: if the share is not above 0 and at most 1, or the box is empty.
        """
        if not isinstance(self.share, int | float | np.floating) or not 0.0 < self.share <= 1.0:
            raise InputError(f"a share of the limits is above 0 and at most 1, got {self.share!r}")
        if self.box is not None:
            low, high = (finite(corner, (3,), "a corner of the box [m]") for corner in self.box)
            if not (low < high).all():
                raise InputError(f"the box is empty: {low.tolist()} .. {high.tolist()} m")


class Cuts(NamedTuple):
    """Half spaces ``normal .

    q + offset >= 0`` at some times, beyond which links would touch or the tool leave the box.
    """

    times: Array
    normals: Array
    """``(K, n)``"""
    offsets: Array


class Shares(NamedTuple):
    """Limits of one kind as shares along ``N`` states; 1 and -1 are the ends."""

    kind: str
    """``range``, ``speed``, ``acceleration``, ``torque`` or ``box``."""
    values: Array
    """``(N, K)``, a column per axis, or per base axis of the box."""
    slopes: tuple[Array | None, Array | None, Array | None]
    """Derivatives by q, v and a: ``(K, n)`` where they are constant, else ``(N, K, n)``.

    None where they are 0.
    """

    def largest(self) -> tuple[Array, Array]:
        """Return the smooth maximum of ``|value|`` of each column, ``(K,)``, and its derivatives by the values, ``(N, K)``."""
        top = np.abs(self.values).max(axis=0)
        up, down = (np.exp(SHARPNESS * (sign * self.values - top)) for sign in (1.0, -1.0))
        total = (up + down).sum(axis=0)
        return top + np.log(total) / SHARPNESS, (up - down) / total

    def pulled(self, weights: Array, maps: tuple[Array, ...]) -> Array:
        """Return ``sum over N of weights * values``, differentiated by the parameters of a family, shape ``(K, size, n)``."""
        found = np.zeros((self.values.shape[1], maps[0].shape[1], 1))
        for rows, slope in zip(maps, self.slopes, strict=True):
            if slope is None:
                continue
            if slope.ndim == 2:
                found = found + (weights.T @ rows)[:, :, None] * slope[:, None, :]
            else:
                found = found + ((weights[:, :, None] * slope).transpose(1, 2, 0) @ rows).swapaxes(
                    1, 2
                )
        return found


class Limiting:
    """The limits of one robot as shares of states."""

    def __init__(self, robot: Robot, bounds: Bounds) -> None:
        """Collect the limits that are finite.

        Raises:
            InputError: if acceleration limits are not ``(n,)`` positive numbers.
            MissingData: if collision is asked for and the robot has no collision shapes.
            MissingExtra: without casadi.
        """
        # whose collision library and kernels nobody has asked: both remember, in the last bit
        self.robot: Robot = replace(robot)
        self.bounds = bounds
        limits, n = robot.limits, robot.n
        acceleration = np.full(n, np.inf)
        if bounds.acceleration is not None:
            acceleration = finite(bounds.acceleration, (n,), "acceleration limits [rad/s^2, m/s^2]")
            if not (acceleration > 0.0).all():
                raise InputError(f"acceleration limits are positive, got {acceleration.tolist()}")
        endless = (np.abs(limits.lower) >= UNLIMITED) | (np.abs(limits.upper) >= UNLIMITED)
        low, high = (np.where(endless, 0.0, ends) for ends in (limits.lower, limits.upper))
        half = np.where(endless, np.inf, 0.5 * (high - low))
        self.middle: Array = np.asarray(np.linalg.solve(limits.A, 0.5 * (low + high)))
        """Posture in the middle of all ranges; 0 where an axis has none."""
        self._range = limits.A / half[:, None], 0.5 * (low + high) / half
        self._speed, self._acceleration = (
            np.diag(1.0 / limits.velocity),
            np.diag(1.0 / acceleration),
        )
        self._effort = 1.0 / limits.effort
        self._torques, self._slopes, self._tcp = _functions(robot)
        self._tool = None if bounds.box is None else ToolExtent(self.robot)
        if bounds.collision:
            collides(self.robot, self.middle)  # says so, where there are no shapes

    def shares(self, q: Array, v: Array, a: Array, slopes: bool = True) -> list[Shares]:
        """Return the shares of states ``(N, n)``, with their derivatives where they are wanted."""
        rows, centre = self._range
        found = [
            Shares("range", q @ rows.T - centre, (rows, None, None)),
            Shares("speed", v @ self._speed, (None, self._speed, None)),
        ]
        if self.bounds.acceleration is not None:
            found.append(
                Shares("acceleration", a @ self._acceleration, (None, None, self._acceleration))
            )
        count, n = q.shape
        if slopes:
            tau, *by = self._slopes(count)(q.T, v.T, a.T)
            of_q, of_v, of_a = (
                x.reshape(n, count, n).swapaxes(0, 1) * self._effort[:, None] for x in by
            )
            found.append(Shares("torque", tau.T * self._effort, (of_q, of_v, of_a)))
        else:
            (tau,) = self._torques(count)(q.T, v.T, a.T)
            found.append(Shares("torque", tau.T * self._effort, (None, None, None)))
        if self.bounds.box is not None:
            place, by_q = self._tcp(count)(q.T)
            low, high = (np.array(corner, dtype=float) for corner in self.bounds.box)
            half = 0.5 * (high - low)
            slope = by_q.reshape(3, count, n).swapaxes(0, 1) / half[:, None]
            found.append(Shares("box", (place.T - 0.5 * (low + high)) / half, (slope, None, None)))
        return found

    def worst(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        """Return the largest share of each limit by its kind; of the box that of the whole tool."""
        found = {
            one.kind: np.abs(one.values).max(axis=0) for one in self.shares(q, v, a, slopes=False)
        }
        if self.bounds.box is not None:
            found["box"] = np.abs(self._reach(q)).max(axis=0).reshape(2, 3).max(axis=0)
        return found

    def _reach(self, q: Array) -> Array:
        """Lowest and highest coordinates of the tool as shares of the box, ``(N, 6)``."""
        assert self._tool is not None
        assert self.bounds.box is not None
        low, high = (np.array(corner, dtype=float) for corner in self.bounds.box)
        ends = self._tool.ends(q, self._tcp(len(q))(q.T)[0].T)
        return np.hstack([(end - 0.5 * (low + high)) / (0.5 * (high - low)) for end in ends])

    def free(self, q: Array) -> bool:
        """Whether the robot nowhere touches itself and its tool nowhere leaves the box, for postures ``(N, n)``."""
        if (
            self.bounds.box is not None
            and (np.abs(self._reach(q)) > self.bounds.share + 1e-9).any()
        ):
            return False
        if not self.bounds.collision:
            return True
        touching = bool(np.any(collides(self.robot, q)))  # much cheaper than a distance
        return (
            not touching
            and min(clearance(self.robot, posture).distance for posture in q) >= BETWEEN
        )

    def cuts(self, t: Array, q: Array) -> list[Cuts]:
        """Return half spaces that keep links apart, and the tool in the box, where a free motion comes near to either.

        Args:
            t: Times of its samples, shape ``(N,)``.
            q: Their postures, shape ``(N, n)``.
        """
        found = []
        if self.bounds.collision:
            near = [clearance(self.robot, posture) for posture in q]
            room = np.array([one.distance for one in near])
            at = _nearest(room)
            found.append((at, room[at], [self._apart(q[k], near[k]) for k in at]))
        if self.bounds.box is not None:
            for side, room in enumerate(self.bounds.share - np.abs(self._reach(q)).T):
                at = _nearest(room)
                found.append((at, room[at], [self._outwards(posture, side) for posture in q[at]]))
        return [
            _half_spaces(t[at], q[at], room, np.array(normals))
            for at, room, normals in found
            if at.size
        ]

    def _apart(self, q: Array, near: Clearance) -> Array:
        """How axes change the distance between the nearest links, ``(n,)``."""
        across = (near.points[1] - near.points[0]) / near.distance
        slopes = [
            self._moved(q, link, point) for link, point in zip(near.links, near.points, strict=True)
        ]
        return np.asarray(across @ (slopes[1] - slopes[0]))

    def _outwards(self, q: Array, side: int) -> Array:
        """How axes change the room between the tool and a side of the box, ``(n,)``."""
        steps = STEP * np.eye(self.robot.n)
        room = -np.abs(self._reach(np.vstack([q + steps, q - steps]))[:, side])
        return np.asarray((room[: len(steps)] - room[len(steps) :]) / (2.0 * STEP))

    def _moved(self, q: Array, link: str, point: Array) -> Array:
        """How axes move a point of a link that is at ``point`` in base axes, ``(3, n)``."""
        tree, frame, _ = self.robot.find_frame(link)
        return kinematics.jacobian(tree, frame, q, kinematics.pose(tree, frame, q).actInv(point))[
            :3
        ]


def _half_spaces(t: Array, q: Array, room: Array, normals: Array) -> Cuts:
    return Cuts(t, normals, room - APART - (normals * q).sum(axis=1))


def _nearest(room: Array) -> NDArray[np.int_]:
    """Numbers of samples that speak for those with less room than ``NEAR``: the nearest of each stretch, and a few more."""
    near = np.flatnonzero(room < NEAR)
    parts = np.split(near, np.flatnonzero(np.diff(near) > 1) + 1)
    few = [
        part[np.linspace(0, part.size - 1, PER_STRETCH).round().astype(int)]
        for part in parts
        if part.size
    ]
    return np.unique(
        np.concatenate(
            [near[:0], *few, *([part[np.argmin(room[part])]] for part in parts if part.size)]
        )
    )


@lru_cache(maxsize=8)  # a hundred random motions of one robot ask for the same
def _functions(robot: Robot) -> tuple[Mapped, Mapped, Mapped]:
    """Torques of many states; torques and their derivatives; the TCP and its derivative."""
    torque, slopes, pose = (
        robot.symbolic(name)
        for name in ("inverse_dynamics", "inverse_dynamics_derivatives", "pose")
    )
    import casadi as ca

    q, v, a = (ca.SX.sym(name, robot.n) for name in ("q", "v", "a"))
    tau, place = torque(q, v, a), pose(q)[:3, 3]
    whole = [tau, *slopes(q, v, a)]
    return (
        mapped(ca.Function("torques", [q, v, a], [tau])),
        mapped(ca.Function("slopes", [q, v, a], ca.cse(whole))),
        mapped(ca.Function("tcp", [q], ca.cse([place, ca.jacobian(place, q)]))),
    )
