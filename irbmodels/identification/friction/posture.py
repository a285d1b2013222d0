"""Posture of a friction test: least gravity on the tested axis, and no self-collision."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial

import numpy as np

from ...checks import map_states
from ...dynamics import equations_of_motion as dynamics
from ...errors import InputError, MissingData
from ...model.types import Array
from ...robot.robot import Robot

SAMPLES = 9  # along the longest stroke, at which gravity is evaluated
# [rad, m] of every range that a posture keeps free
_MARGIN, _LINEAR_MARGIN = np.radians(5.0), 5e-3
_TRIES, _KEPT = 1024, 4  # postures drawn, and those that are refined
_BEYOND = 10.0  # [1/rad] weight of what breaks a bound of a sum; the margin takes the rest
# weights of the distance from home, of the largest gravity torque; more where the arm is folded up
_NEAR = (1e-3, 1e-2, 0.1, 1.0)


def stroke_postures(postures: Array, axis: int, half: float) -> Array:
    """Samples of the longest stroke about postures ``(..., n)``, shape ``(..., SAMPLES, n)``."""
    q = np.repeat(postures[..., None, :], SAMPLES, axis=-2)
    q[..., axis] += np.linspace(-half, half, SAMPLES)
    return q


def least_gravity_posture(robot: Robot, axis: int, half: float) -> Array:
    """Posture within the ranges, near zero, with least gravity on the axis and no self-collision.

    Gravity is a smooth function of angles: many postures, and the best of them refined.
    """
    from scipy.optimize import least_squares

    limits = robot.limits
    inverse = limits.axis_ranges.inverse
    reach = np.abs(limits.A[:, axis]) * half
    slides = (np.abs(limits.A[:, limits.linear]) > 0.0).any(axis=1)
    margin = np.where(slides, _LINEAR_MARGIN, _MARGIN)
    low = np.maximum(limits.lower + margin, -np.pi) + reach
    high = np.minimum(limits.upper - margin, np.pi) - reach
    if (low > high).any():
        name = limits.names()[int(np.argmax(low - high))]
        raise InputError(
            f"strokes of {2.0 * half:.4g} [rad, m] do not fit into the range of {name}; fewer fast"
            " speeds help"
        )
    sums = slice(robot.n, None)
    least, most, row = low[sums], high[sums], limits.A[sums] @ inverse
    low, high = low[: robot.n], high[: robot.n]
    home, size = np.clip(0.0, low, high), np.maximum(high - low, 1e-9)

    def torques(u: Array) -> Array:
        return gravity_torque(robot, stroke_postures(u @ inverse.T, axis, half), axis)

    def residuals(u: Array) -> Array:
        beyond = row @ u - np.clip(row @ u, least, most)  # bounds of sums
        return np.append(torques(u), _BEYOND * scale * beyond)

    def cost(u: Array, share: float) -> Array:
        return np.concatenate([residuals(u), share * scale * (u - home) / size])

    drawn = np.random.default_rng(0).uniform(low, high, (_TRIES, robot.n))
    drawn[0] = home
    left = torques(drawn)
    scale = max(float(np.abs(left).max()), 1e-9)
    options = {"bounds": (low, high), "x_scale": size}
    for near in _NEAR:
        distance = near * scale * (drawn - home) / size
        total = np.square(left).sum(axis=1) + np.square(distance).sum(axis=1)
        best = drawn[np.argsort(total)[:_KEPT]]
        solutions = [least_squares(cost, start, args=(near,), **options) for start in best]
        for result in sorted(solutions, key=lambda result: float(result.cost)):
            u = _rounded(
                _zero_gravity(cost, result.x, (low, high), size, scale), home, residuals, scale
            )
            strokes = stroke_postures(inverse @ u, axis, half)
            if limits.keep_sums(strokes).all() and not _collides(robot, strokes):
                return np.asarray(inverse @ u, dtype=float)
    raise InputError(
        f"in the postures with least gravity on axis {axis + 1} the robot touches itself; give a"
        " posture"
    )


def _zero_gravity(
    cost: Callable[..., Array], u: Array, bounds: tuple[Array, Array], size: Array, scale: float
) -> Array:
    """Return the posture near ``u`` at which gravity vanishes, or ``u`` if it does not."""
    from scipy.optimize import least_squares

    if np.abs(cost(u, 0.0)).max() > 0.05 * scale:
        return u
    solution = least_squares(
        cost,
        np.clip(u, *bounds),
        bounds=bounds,
        args=(0.0,),
        x_scale=size,
        xtol=1e-12,
        ftol=1e-12,
        max_nfev=30,
    )
    return np.asarray(solution.x if np.abs(solution.fun).max() < 1e-6 * scale else u, dtype=float)


def _rounded(u: Array, home: Array, torques: Callable[[Array], Array], scale: float) -> Array:
    """Move axes without influence on gravity home; round others to degrees or tenths of them."""
    allowed = float(np.abs(torques(u)).max()) * 1.001 + 1e-7 * scale
    for i in [*range(u.size)] * 2:  # one that is brought to a whole number may free another
        for value in (
            home[i],
            np.radians(np.round(np.degrees(u[i]))),
            np.radians(np.round(np.degrees(u[i]), 1)),
        ):
            tried = u.copy()
            tried[i] = value
            if np.abs(torques(tried)).max() <= allowed:
                u = tried
                break
    return u


def _collides(robot: Robot, postures: Array) -> bool:
    from ...robot.collision import collides

    try:
        return bool(np.any(collides(robot, postures)))
    except MissingData:
        return False


def gravity_torque(robot: Robot, q: Array, axis: int) -> Array:
    """Gravity torque on one axis, shape of ``q`` without its last axis."""
    return map_states(partial(dynamics.gravity, robot.dynamic_model), (robot.n,), q)[..., axis]
