"""A robot in a sampled control loop, at a fixed step that is stable whatever the friction.

Per step the speeds ``x`` at its end solve, at the position half a step ahead (Moreau's time
stepping),

    (M + dt Fv) x = M v + dt (tau - h - dry Sgn(x)) + D' k

with all axes and all touched stops at once (:func:`.stiction.solve_stiction`). Friction dissipates
energy whatever the step: it acts against the speed at the END of the step. The Stribeck curve is
evaluated at the speed before; at rest it is Fs. An axis that sticks has a speed of exactly zero.
The order is one in the step; stops are without rebound.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, positive, short_repr
from ..compiled.dispatch import WORTH, installed
from ..errors import InputError
from ..model.friction import Stribeck
from ..model.types import Array, Mask
from ..robot.robot import Robot
from .mechanics import (
    CONTACT,
    MAX_MOVE,
    Mechanics,
    Stops,
    check_robot,
    dry_friction,
    friction_law,
    start_state,
    torque_bounds,
)
from .run import SimulationError
from .stiction import STILL, ActiveSet, solve_stiction

if TYPE_CHECKING:
    from .step.one_state import OneState

STEP = 1e-3  # [s] of the integration inside a sample
_MAX_STEPS = 100_000  # of a sample: more is a mistake of units


class State(NamedTuple):
    """State of a plant, and mean torques of the sample before, arrays ``(n,)``."""

    t: float
    """[s]"""
    q: Array
    """Axis positions [rad, m]."""
    v: Array
    """Axis speeds [rad/s, m/s]; exactly zero where an axis sticks."""
    a: Array
    """Axis accelerations [rad/s^2, m/s^2]."""
    tau: Array
    """Motor torques as applied, within their limits [N m, N]."""
    friction: Array
    """Friction torques [N m, N] as ``robot.friction``: positive against a positive speed."""
    stop: Array
    """Torques that the stops exert on the axes [N m, N]."""
    active_set: ActiveSet
    """Initial guess of the next solve: it changes the time that it takes, not its solution."""

    @property
    def sticks(self) -> Mask:
        """True per axis that stands still."""
        sticking: Mask = self.v == 0.0
        return sticking


class Plant:
    """A rigid robot with true stiction and hard stops, to be driven by torques sample by sample.

    >>> plant = Plant(robot)
    >>> state = plant.start(q)
    >>> state = plant.advance(state, tau, 0.004)
    """

    def __init__(
        self,
        robot: Robot,
        *,
        friction: Stribeck | bool = True,
        stops: bool = True,
        torque_limit: ArrayLike | None = None,
        step: float = STEP,
    ) -> None:
        """Take a robot.

        Args:
            robot: With tool and payload.
            friction: True for the robot's own law (none where none is published), False for none,
                or another law.
            stops: True for hard stops at the ends of the ranges, the coupled range included.
            torque_limit: Bounds of the motor torques [N m, N], shape ``(n,)``;
                ``robot.limits.effort`` is assumed for every robot here, and not applied unless
                given.
            step: Longest step of the integration [s]; a sample is cut into equal steps.

        Raises:
            InputError: if an argument cannot be.
        """
        check_robot(robot)
        positive(step, "step [s]")
        self.robot, self.step = robot, float(step)
        self.law = friction_law(robot, friction)
        self.stops = Stops(robot, stops)
        self._limit = torque_bounds(robot, torque_limit)
        self._mechanics = Mechanics(robot)
        self._count = 0  # steps until now
        self._machines: dict[float, OneState] = {}

    def start(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> State:
        """Return a state to begin with, at rest unless ``v`` is given.

        Raises:
            InputError: if a range is not kept, an axis moves through its stop, or a value is not
                finite.
        """
        position, speed = start_state(self.robot, self.stops, q, v, t)
        none = np.zeros(self.robot.n)
        return State(float(t), position, speed, none, none, none, none, _guess(speed))

    def advance(
        self, state: State, tau: ArrayLike, dt: float, wrench: ArrayLike | None = None
    ) -> State:
        """Return the state ``dt`` later under motor torques that do not change meanwhile.

        Args:
            state: Of :meth:`start`, or of the sample before; it is not changed.
            tau: Motor torques [N m, N], arm side, shape ``(n,)``.
            dt: Time [s].
            wrench: What the world exerts on the robot at the TCP: force [N], moment [N m], base
                axes, shape ``(6,)``.

        Raises:
            InputError: if ``dt`` is no time, or too many steps, or the state one of another robot.
            SimulationError: if a torque is not finite, or the step is too large for the motion;
                names the time.
        """
        positive(dt, "dt [s]")
        if dt > _MAX_STEPS * self.step:
            raise InputError(
                f"dt = {dt:g} s in steps of {self.step:g} s are more than {_MAX_STEPS:,} steps;"
                " take shorter samples or a longer step"
            )
        if not isinstance(state, State) or len(state.q) != self.robot.n:
            raise InputError(
                f"a plant of {self.robot.name} goes on from a State of {self.robot.n} axes, not"
                f" from {short_repr(state)}"
            )
        try:
            torque = finite(tau, (self.robot.n,), "tau")
            load = None if wrench is None else finite(wrench, (6,), "wrench (force, moment)")
        except InputError as err:
            raise SimulationError(state.t, str(err)) from None
        if self._limit is not None:
            torque = np.clip(torque, -self._limit, self._limit)
        # 4 ms are four steps of 1 ms, although 0.004 / 0.001 rounds
        count = max(1, int(np.ceil(dt / self.step - 1e-9)))
        self._count += count
        worth = self._count >= WORTH and installed()
        advance = self._advance_by_kernel if worth else self._advance_by_numpy
        return advance(state, torque, dt, count, load)

    def _advance_by_numpy(
        self, state: State, tau: Array, dt: float, count: int, wrench: Array | None
    ) -> State:
        q, v, active_set = state.q, state.v, state.active_set
        sums = np.zeros((2, len(q)))  # of friction and stop torques
        for i in range(count):
            t = state.t + i * dt / count
            q, v, friction, stop, active_set = self._step(
                t, q, v, tau, dt / count, wrench, active_set
            )
            sums += friction, stop
        a, friction, stop = (v - state.v) / dt, *(sums / count)
        return State(state.t + dt, q, v, a, tau, friction, stop, active_set)

    def _advance_by_kernel(
        self, state: State, tau: Array, dt: float, count: int, wrench: Array | None
    ) -> State:
        """Advance by machine code; by NumPy the steps that it does not solve."""
        step = dt / count
        if step not in self._machines:
            from .step.one_state import OneState  # a short simulation needs none of it

            # of the last length alone
            self._machines = {step: OneState(self.robot, self.law, self.stops, step)}

        def applied(q: Array, v: Array) -> Array:
            if wrench is None:
                return tau
            return tau + self._mechanics.external_torque(q + 0.5 * step * v, wrench)

        def by_numpy(i: int, q: Array, v: Array) -> tuple[Array, Array, Array, Array]:
            return self._step(state.t + i * step, q, v, tau, step, wrench, _guess(v))[:4]

        q, v, friction, stop = self._machines[step].advance(
            state.q, state.v, count, applied, by_numpy
        )
        a = (v - state.v) / dt
        return State(state.t + dt, q, v, a, tau, friction / count, stop / count, _guess(v))

    def _step(
        self,
        t: float,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        wrench: Array | None,
        active_set: ActiveSet,
    ) -> tuple[Array, Array, Array, Array, ActiveSet]:
        law, stops = self.law, self.stops
        middle = q + 0.5 * dt * v
        M, h = self._mechanics.terms(middle, v)
        applied = tau - h
        if wrench is not None:
            applied = applied + self._mechanics.external_torque(middle, wrench)
        A = M + np.diag(dt * law.Fv)
        right, bound = M @ v + dt * applied, dt * dry_friction(law, v)
        touched = stops.touched(q, v)
        while True:
            guess = np.append(active_set, np.zeros(touched.sum(), np.int8))
            solution = solve_stiction(A, right, bound, stops.rows[touched], guess)
            ahead = q + 0.5 * dt * (v + solution.x)
            passed = (stops.gaps(ahead) < 0.0) & ~touched
            if not passed.any():
                break
            touched |= passed
        # the step would have gone through: it ends there
        in_contact = touched & (stops.rows @ solution.x <= CONTACT)
        end = stops.clamp(ahead, in_contact)
        move = np.maximum(np.abs(dt * solution.x), np.abs(end - q))
        if not move.max() <= MAX_MOVE:
            axis = int(np.argmax(~(move <= MAX_MOVE)))
            raise SimulationError(
                t,
                f"a step of {1e3 * dt:g} ms is too large: axis {axis + 1} would move by"
                f" {move[axis]:.3g} rad or m in it",
            )
        friction = law.Fv * solution.x - solution.friction / dt
        stop = stops.rows[touched].T @ solution.stop / dt
        return end, solution.x, friction, stop, solution.state[: len(q)]


def _guess(v: Array) -> ActiveSet:
    """Return the guess that an axis that moves goes on, and one that stands sticks."""
    return (STILL - np.sign(v)).astype(np.int8)  # LOW slips upwards
