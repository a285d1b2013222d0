"""Limits of an excitation as shares, with gradients and linear constraints against contact.

A share is a quantity over its limit; 1 and -1 are the ends. The largest share over a motion is
smoothed, so that a search has its gradient.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import finite
from ...errors import InputError
from ...model.tree import UNLIMITED
from ...model.types import Array
from ...robot.collision import Clearance, clearance, collides
from ...robot.robot import Robot
from ...robot.tool_extent import ToolExtent
from ...tasks.path_check import Box
from .regressor import StateFunction

# the smooth maximum of N shares is above the largest by at most log(2 N) / 200, some 2 %
SHARPNESS = 200.0
MIN_CLEARANCE = 0.001  # [m] between links in the samples; motions bend by less between them
# [m, of half the box] that linear constraints keep from contact and from the sides of the box
MARGIN = 0.01
NEAR = 0.05  # [m, of half the box] from either, below which a sample is constrained
PER_RUN = 6  # of such samples in a row, besides the nearest
STEP = 1e-6  # [rad, m] of central differences of a tool's extent, which has corners


@dataclass(frozen=True, eq=False)
class Bounds:
    """Bounds besides ranges (the coupled one too), speeds and torques, which are always kept."""

    acceleration: ArrayLike | None = None
    """Limits [rad/s^2, m/s^2], shape ``(n,)``; nobody publishes any."""
    box: Box | None = None
    """For the TCP and, where the tool has collision shapes, for the whole tool [m], base axes."""
    collision: bool = True
    """True if the robot and its tool must not touch themselves."""
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


class LinearConstraints(NamedTuple):
    """Half spaces ``normal . q + offset >= 0`` at some times.

    Beyond one, links would touch or the tool would leave the box, to first order.
    """

    times: Array
    normals: Array
    """``(K, n)``"""
    offsets: Array


Slopes = Callable[[], tuple[Array | None, Array | None, Array | None]]


class LimitShares(NamedTuple):
    """Shares of one kind of limit along ``N`` states."""

    kind: str
    """``range``, ``speed``, ``acceleration``, ``torque`` or ``box``."""
    values: Array
    """``(N, K)``, a column per axis, or per base axis of the box."""
    slopes: Slopes
    """Returns derivatives by q, v and a: ``(K, n)`` where they are constant, else ``(N, K, n)``.

    None where they are 0.
    """

    def smooth_maximum(self) -> tuple[Array, Array]:
        """Smooth maximum of ``|value|`` by column, ``(K,)``, and its derivatives ``(N, K)``."""
        top = np.abs(self.values).max(axis=0)
        up, down = (np.exp(SHARPNESS * (sign * self.values - top)) for sign in (1.0, -1.0))
        total = (up + down).sum(axis=0)
        return top + np.log(total) / SHARPNESS, (up - down) / total

    def parameter_gradient(self, weights: Array, maps: tuple[Array, ...]) -> Array:
        """Derivatives of ``sum over N of weights * values`` by the parameters of a family.

        Shape ``(K, size, n)``; ``maps`` lead from the parameters to q, v and a.
        """
        gradient = np.zeros((self.values.shape[1], maps[0].shape[1], 1))
        for rows, slope in zip(maps, self.slopes(), strict=True):
            if slope is not None and slope.ndim == 2:
                gradient = gradient + (weights.T @ rows)[:, :, None] * slope[:, None, :]
            elif slope is not None:
                by_state = (weights[:, :, None] * slope).transpose(1, 2, 0)
                gradient = gradient + (by_state @ rows).swapaxes(1, 2)
        return gradient


class MotionLimits:
    """Limits of one robot, and the shares that states take of them."""

    def __init__(self, robot: Robot, bounds: Bounds) -> None:
        """Collect the limits that are finite.

        Raises:
            InputError: if acceleration limits are not ``(n,)`` positive numbers.
            MissingData: if collision is asked for and the robot has no collision shapes.
            MissingExtra: without casadi.
        """
        # a copy: collision library and kernels of a used robot differ in the last bit
        self.robot: Robot = replace(robot)
        self.bounds = bounds
        self._last: tuple[Array, list[Clearance]] = np.zeros((0, robot.n)), []
        limits, n = robot.limits, robot.n
        acceleration = np.full(n, np.inf)
        if bounds.acceleration is not None:
            acceleration = finite(bounds.acceleration, (n,), "acceleration limits [rad/s^2, m/s^2]")
            if not (acceleration > 0.0).all():
                raise InputError(f"acceleration limits are positive, got {acceleration.tolist()}")
        endless = (np.abs(limits.lower) >= UNLIMITED) | (np.abs(limits.upper) >= UNLIMITED)
        low, high = (np.where(endless, 0.0, ends) for ends in (limits.lower, limits.upper))
        half = np.where(endless, np.inf, 0.5 * (high - low))
        self.middle: Array = limits.middle
        """Posture in the middle of all ranges; 0 where an axis has none."""
        self._range = limits.A / half[:, None], 0.5 * (low + high) / half
        self._speed = np.diag(1.0 / limits.velocity)
        self._acceleration = np.diag(1.0 / acceleration)
        self._effort = 1.0 / limits.effort
        self._tcp, self._tcp_slope = _tcp_functions(robot)
        if bounds.box is not None:
            low, high = (np.array(corner, dtype=float) for corner in bounds.box)
            self._box = 0.5 * (low + high), 0.5 * (high - low)
            self._tool = ToolExtent(self.robot)
        if bounds.collision:
            collides(self.robot, self.middle)  # raises where there are no shapes

    def shares(self, q: Array, v: Array, a: Array) -> list[LimitShares]:
        """Return the shares of states ``(N, n)``."""
        rows, centre = self._range
        speed, acceleration = self._speed, self._acceleration
        shares = [
            LimitShares("range", q @ rows.T - centre, lambda: (rows, None, None)),
            LimitShares("speed", v @ speed, lambda: (None, speed, None)),
        ]
        if self.bounds.acceleration is not None:
            change = a @ acceleration
            shares.append(LimitShares("acceleration", change, lambda: (None, None, acceleration)))
        robot, friction = self.robot, self.robot.friction_model is not None
        tau = robot.inverse_dynamics(q, v, a, friction=friction)

        def of_torques() -> tuple[Array, Array, Array]:
            by = robot.inverse_dynamics_derivatives(q, v, a, friction=friction)
            effort = self._effort[:, None]
            return by.q * effort, by.v * effort, by.a * effort

        shares.append(LimitShares("torque", tau * self._effort, of_torques))
        if self.bounds.box is not None:
            centre, half = self._box

            def of_sides() -> tuple[Array, None, None]:
                return self._tcp_slope(q) / half[:, None], None, None

            shares.append(LimitShares("box", (self._positions(q) - centre) / half, of_sides))
        return shares

    def _positions(self, q: Array) -> Array:
        """Positions of the TCP [m], ``(N, 3)``."""
        return self._tcp(q)[..., 0]

    def largest_shares(self, q: Array, v: Array, a: Array) -> dict[str, Array]:
        """Return the largest share of each limit by its kind; of the box that of the whole tool."""
        largest = {one.kind: np.abs(one.values).max(axis=0) for one in self.shares(q, v, a)}
        if self.bounds.box is not None:
            largest["box"] = np.abs(self._tool_shares(q)).max(axis=0).reshape(2, 3).max(axis=0)
        return largest

    def _tool_shares(self, q: Array) -> Array:
        """Lowest and highest coordinates of the tool as shares of the box, ``(N, 6)``."""
        centre, half = self._box
        ends = self._tool.ends(q, self._positions(q))
        return np.hstack([(end - centre) / half for end in ends])

    def is_clear(self, q: Array) -> bool:
        """True if links stay apart and the tool inside the box in all postures ``(N, n)``."""
        if self.bounds.box is not None:
            outside = np.abs(self._tool_shares(q)) > self.bounds.share + 1e-9
            if outside.any():
                return False
        if not self.bounds.collision:
            return True
        touching = bool(np.any(collides(self.robot, q)))  # much cheaper than a distance
        return not touching and min(gap.distance for gap in self._gaps(q)) >= MIN_CLEARANCE

    def _gaps(self, q: Array) -> list[Clearance]:
        """Nearest links in all postures ``(N, n)``; those of the last ones are kept.

        What was found clear is what is linearised next.
        """
        if not np.array_equal(self._last[0], q):
            self._last = q.copy(), [clearance(self.robot, posture) for posture in q]
        return self._last[1]

    def linear_constraints(self, t: Array, q: Array) -> list[LinearConstraints]:
        """Linearise contact and the box's sides where a clear motion comes near to either.

        Args:
            t: Times of its samples, shape ``(N,)``.
            q: Their postures, shape ``(N, n)``.
        """
        near = []
        if self.bounds.collision:
            gaps = self._gaps(q)
            room = np.array([gap.distance for gap in gaps])
            at = _critical_samples(room)
            normals = [self._distance_gradient(q[k], gaps[k]) for k in at]
            near.append((at, room[at], np.array(normals)))
        if self.bounds.box is not None:
            for side, room in enumerate(self.bounds.share - np.abs(self._tool_shares(q)).T):
                at = _critical_samples(room)
                normals = [self._side_gradient(posture, side) for posture in q[at]]
                near.append((at, room[at], np.array(normals)))
        return [
            LinearConstraints(t[at], rows, room - MARGIN - (rows * q[at]).sum(axis=1))
            for at, room, rows in near
            if at.size
        ]

    def _distance_gradient(self, q: Array, gap: Clearance) -> Array:
        """Derivatives of the distance between the nearest links by the axes, ``(n,)``."""
        normal = (gap.points[1] - gap.points[0]) / gap.distance
        first, second = (
            self._point_jacobian(q, link, point)
            for link, point in zip(gap.links, gap.points, strict=True)
        )
        return np.asarray(normal @ (second - first))

    def _side_gradient(self, q: Array, side: int) -> Array:
        """Derivatives of the room between the tool and a side of the box by the axes, ``(n,)``."""
        steps = STEP * np.eye(self.robot.n)
        room = -np.abs(self._tool_shares(np.vstack([q + steps, q - steps]))[:, side])
        return np.asarray((room[: len(steps)] - room[len(steps) :]) / (2.0 * STEP))

    def _point_jacobian(self, q: Array, link: str, point: Array) -> Array:
        """Jacobian of a link's point, which is at ``point`` in base axes, ``(3, n)``."""
        pose: Any = self.robot.pose(q, link)
        return self.robot.jacobian(q, link, pose.actInv(point))[:3]


def _critical_samples(room: Array) -> NDArray[np.int_]:
    """Indices of samples that stand for all with less room than ``NEAR``.

    The nearest of each run of samples, and some spread over it.
    """
    near = np.flatnonzero(room < NEAR)
    chosen: set[int] = set()
    for run in np.split(near, np.flatnonzero(np.diff(near) > 1) + 1) if near.size else ():
        spread = np.linspace(0, run.size - 1, PER_RUN).round().astype(int)
        chosen.update(run[spread].tolist(), [int(run[np.argmin(room[run])])])
    return np.array(sorted(chosen), dtype=int)


@lru_cache(maxsize=8)  # a hundred random motions of one robot ask for the same
def _tcp_functions(robot: Robot) -> tuple[StateFunction, StateFunction]:
    """Position of the TCP, and its derivative by q."""
    pose = robot.symbolic("pose")
    import casadi as ca

    q = ca.SX.sym("q", robot.n)
    position = pose(q)[:3, 3]
    return StateFunction([q], position), StateFunction([q], ca.jacobian(position, q))
