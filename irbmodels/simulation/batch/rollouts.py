"""Many simulations at once, at a fixed step: :mod:`..plant` as machine code over all states."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import as_list, numbers, positive
from ...errors import InputError
from ...model.friction import Stribeck
from ...model.limits import ROUNDING
from ...model.types import Array, IntArray
from ...robot.robot import Robot
from ..mechanics import Stops, torque_bounds
from ..plant import STEP
from ..run import SimulationError

BatchTorque = Callable[[float, Array, Array], ArrayLike] | ArrayLike | None
"""Function of time, positions and speeds ``(N, n)``, or constants ``(n,)`` or ``(N, n)``.

It is evaluated at the start of each step.
"""

_MAX_STEPS = 10_000_000  # more is a mistake of units


class Rollouts(NamedTuple):
    """Samples of many simulations."""

    t: Array
    """[s], shape ``(T,)``."""
    q: Array
    """Axis positions [rad, m], shape ``(N, T, n)``; NaN after a simulation failed."""
    v: Array
    """Axis speeds [rad/s, m/s], shape ``(N, T, n)``."""
    failed: Array
    """Time of failure [s], ``(N,)``: torques not finite, or step too large; else NaN."""


def rollouts(
    robot: Robot | Sequence[Robot],
    q: ArrayLike,
    v: ArrayLike | None = None,
    *,
    duration: float,
    torque: BatchTorque = None,
    step: float = STEP,
    every: float = 0.01,
    friction: Stribeck | bool = True,
    stops: bool = True,
    torque_limit: ArrayLike | None = None,
) -> Rollouts:
    """Simulate many states, or many robots, at a fixed step.

    Args:
        robot: A robot, or one per state (with other payloads, parameters, overlays); those that are
            the same object share work.
        q: Axis positions at the start [rad, m], shape ``(N, n)``; ``(n,)`` for all.
        v: Axis speeds at the start [rad/s, m/s]; default at rest.
        duration: [s], a whole number of steps.
        torque: Motor torques [N m, N], arm side; default none.
        step: Step [s]; torques do not change within it.
        every: Time between samples [s], a whole number of steps.
        friction: As in :class:`irbmodels.simulation.Plant`.
        stops: True for hard stops at the ends of the ranges.
        torque_limit: Bounds of the motor torques [N m, N], shape ``(n,)``.

    Returns:
        Samples from 0 to ``duration``.

    Raises:
        MissingExtra: without llvmlite.
        InputError: if an argument cannot be, or a start is out of range.
        SimulationError: if the function of torques fails or returns another shape, with the time.
    """
    from .batch import Batch  # with all that machine code needs

    what = "a simulation needs a robot, such as irbmodels.load('irb2400'), or one per state"
    robots = as_list([robot] if isinstance(robot, Robot | str) else robot, Robot, what)
    if not robots or any(other.axes != robots[0].axes for other in robots):
        raise InputError("rollouts need one robot, or one per state with the same axes")
    n = robots[0].n
    first, start = _rows(q, n, "q"), _rows(np.zeros(n) if v is None else v, n, "v")
    try:
        count, _ = shape = np.broadcast_shapes(first.shape, start.shape, (len(robots), n))
    except ValueError:
        raise InputError(
            f"rollouts of {len(robots)} robots of {n} axes: q {first.shape} and v {start.shape} do"
            " not go together"
        ) from None
    position, speed = (np.array(np.broadcast_to(x, shape).T, order="C") for x in (first, start))
    groups = _groups(robots, count)
    for other, columns in groups:
        _check_start(other, Stops(other, stops), position, columns)
    steps, between = _steps(duration, step, "duration"), _steps(every, step, "every")
    motors = _BatchTorque(torque, torque_bounds(robots[0], torque_limit), (count, n))
    batches = [
        Batch(other, position[:, columns], speed[:, columns], step, friction, stops)
        for other, columns in groups
    ]
    samples = np.empty((2, steps // between + 1, n, count))
    for i in range(steps + 1):
        if i % between == 0 or callable(torque):
            for batch, (_, columns) in zip(batches, groups, strict=True):
                position[:, columns], speed[:, columns] = batch.q, batch.v
        if i % between == 0:
            samples[:, i // between] = position, speed
        if i == steps:
            break
        tau = motors(i * step, position, speed)
        for batch, (_, columns) in zip(batches, groups, strict=True):
            batch.advance(tau if len(batches) == 1 else tau.take(columns, axis=1), i)
    failed = np.empty(count, int)
    for batch, (_, columns) in zip(batches, groups, strict=True):
        failed[columns] = batch.failed
    taken: IntArray = np.arange(steps // between + 1) * between
    samples.transpose(3, 1, 0, 2)[(failed[:, None] >= 0) & (taken > failed[:, None])] = np.nan
    q_samples, v_samples = np.ascontiguousarray(samples.transpose(0, 3, 1, 2))
    t: Array = np.asarray(taken * step, float)
    return Rollouts(t, q_samples, v_samples, np.where(failed >= 0, failed * step, np.nan))


class _BatchTorque:
    """Motor torques of all states, ``(n, N)``."""

    def __init__(self, torque: BatchTorque, limit: Array | None, shape: tuple[int, int]) -> None:
        self._limit, self._shape = limit, shape
        self._function = torque if callable(torque) else None
        constant = np.zeros(shape) if torque is None or callable(torque) else torque
        self._constant = self._limited(constant)
        if not np.isfinite(self._constant).all():
            raise InputError("torques of rollouts must be finite")

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        if self._function is None:
            return self._constant
        try:
            return self._limited(self._function(t, q.T.copy(), v.T.copy()))
        except Exception as err:  # a user's function may raise anything
            raise SimulationError(t, f"the function torque fails: {err!r}") from err

    def _limited(self, torque: ArrayLike) -> Array:
        value = numbers(torque, "torque of rollouts")
        if value.shape not in (self._shape, self._shape[1:]):
            raise InputError(
                f"torques of rollouts have shape {self._shape} or {self._shape[1:]}, not"
                f" {value.shape}"
            )
        value = np.broadcast_to(value, self._shape)
        if self._limit is not None:
            value = np.clip(value, -self._limit, self._limit)
        return np.array(value.T, order="C")


def _groups(robots: list[Robot], count: int) -> list[tuple[Robot, NDArray[np.intp]]]:
    """Return each different robot with its states."""
    if len(robots) == 1:
        return [(robots[0], np.arange(count))]
    if len(robots) != count:
        raise InputError(f"{len(robots)} robots and {count} states do not go together")
    indices: dict[int, list[int]] = {}
    for i, robot in enumerate(robots):
        indices.setdefault(id(robot), []).append(i)
    return [(robots[group[0]], np.array(group)) for group in indices.values()]


def _check_start(robot: Robot, stops: Stops, position: Array, columns: NDArray[np.intp]) -> None:
    """Raise InputError if the start of a robot's state is out of range."""
    outside = columns[(stops.gaps(position[:, columns].T) < -ROUNDING).any(axis=1)]
    if outside.size:
        violation = robot.limits.violations(position[:, outside[0]])[0]
        raise InputError(f"start {outside[0]} is out of range: {violation}")


def _rows(value: ArrayLike, n: int, what: str) -> Array:
    """Return finite states, one or in rows; a number is not broadcast over the axes."""
    array = numbers(value, f"{what} of rollouts")
    if array.ndim not in (1, 2) or array.shape[-1] != n or not np.isfinite(array).all():
        raise InputError(
            f"{what} of rollouts is finite and of shape (N, {n}) or ({n},), got {array.shape}"
        )
    return array


def _steps(time: float, step: float, what: str) -> int:
    """Return the number of steps of a time."""
    positive(step, "step [s]")
    positive(time, f"{what} [s]")
    if time / step > _MAX_STEPS:
        raise InputError(
            f"{what} = {time:g} s in steps of {step:g} s are more than {_MAX_STEPS:,} steps; take a"
            " longer step"
        )
    steps = round(time / step)
    if steps < 1 or abs(steps * step - time) > 1e-6 * step:
        raise InputError(f"{what} = {time:g} s is no whole number of steps of {step:g} s")
    return steps
