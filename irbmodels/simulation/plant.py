"""A robot in a sampled control loop, at a fixed step that is stable whatever the friction.

Per step the speeds ``x`` at its end solve, at the position half a step ahead (Moreau's time
stepping),

    (M + dt d) x = M v + dt (tau - h - dFc - dry Sgn(x)) + D' k

with all drives and all touched stops at once (:func:`.stiction.solve_stiction`), in the coordinates
of the drives (:mod:`.drives`). Friction dissipates energy whatever the step: it acts against the
speed at the END of the step. Its dry level and the slope ``d`` of viscous friction are evaluated at
the speed before, and its load where the mass matrix is; at rest the level is Fs. A drive that
sticks has a speed of exactly zero. The order is one in the step; stops are without rebound.
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
    viscous_slope,
)
from .run import SimulationError
from .stiction import STILL, ActiveSet, solve_stiction

if TYPE_CHECKING:
    from .step.one_state import OneState

STEP = 1e-3  # [s] of the integration inside a sample
_MAX_STEPS = 100_000  # of a sample: more is a mistake of units

_Start = tuple[Array, Array, ActiveSet]
_Step = tuple[Array, Array, Array, Array, ActiveSet]
"""Positions, speeds, friction, stop torques and active set of the drives."""


class State(NamedTuple):
    """State of a plant, and mean torques of the sample before, arrays ``(n,)``."""

    t: float
    """[s]"""
    q: Array
    """Axis positions [rad, m]."""
    v: Array
    """Axis speeds [rad/s, m/s]."""
    a: Array
    """Axis accelerations [rad/s^2, m/s^2]."""
    tau: Array
    """Motor torques as applied, within their limits [N m, N]."""
    friction: Array
    """Friction torques [N m, N] as ``robot.friction``: positive against a positive speed."""
    stop: Array
    """Torques that the stops exert on the axes [N m, N]."""
    drive_speed: Array
    """Speeds of the drives, in turns of their axes; exactly zero where a drive sticks."""
    active_set: ActiveSet
    """Initial guess of the next solve: it changes the time that it takes, not its solution."""

    @property
    def sticks(self) -> Mask:
        """True per drive that stands still: per axis, unless a wrist is coupled."""
        sticking: Mask = self.drive_speed == 0.0
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
                ``robot.limits.effort`` is assumed or unknown for most arms, and not applied unless
                given.
            step: Longest step of the integration [s]; a sample is cut into equal steps.

        Raises:
            InputError: if an argument cannot be.
        """
        check_robot(robot)
        positive(step, "step [s]")
        self.robot, self.step = robot, float(step)
        self.law = friction_law(robot, friction)
        self._limit = torque_bounds(robot, torque_limit)
        self._mechanics = Mechanics(robot)
        self.coordinates = self._mechanics.coordinates
        """Coordinates of the drives."""
        self._axis_stops = Stops(robot, stops)
        self.stops = self._axis_stops.on_drives(self.coordinates)
        """Ends of the ranges as bounds of the drives' positions."""
        self._count = 0  # steps until now
        self._machines: dict[float, OneState] = {}

    def start(self, q: ArrayLike, v: ArrayLike | None = None, t: float = 0.0) -> State:
        """Return a state to begin with, at rest unless ``v`` is given.

        Raises:
            InputError: if a range is not kept, an axis moves through its stop, or a value is not
                finite.
        """
        position, speed = start_state(self.robot, self._axis_stops, q, v, t)
        none, u = np.zeros(self.robot.n), self.coordinates.drives(speed)
        return State(float(t), position, speed, none, none, none, none, u, guess_of(u))

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
        frame, before = self.coordinates, state.drive_speed
        start = frame.drives(state.q)
        x, u, friction, stop, active_set = advance(
            state.t, (start, before, state.active_set), frame.drive_torque(torque), dt / count,
            count, load,
        )  # fmt: skip
        # a difference: what sticks stays where it is to the last bit
        q = state.q + frame.axes(x - start) if frame.coupled else x
        a, f, k = (
            frame.axes((u - before) / dt),
            *(frame.axis_torque(total / count) for total in (friction, stop)),
        )
        return State(state.t + dt, q, frame.axes(u), a, torque, f, k, u, active_set)

    def _advance_by_numpy(
        self, t: float, start: _Start, tau: Array, dt: float, count: int, wrench: Array | None
    ) -> _Step:
        x, u, active_set = start
        sums = np.zeros((2, len(x)))  # of friction and stop torques
        for i in range(count):
            x, u, friction, stop, active_set = self.solve_step(
                t + i * dt, x, u, tau, dt, wrench, active_set
            )
            sums += friction, stop
        return x, u, *sums, active_set

    def _advance_by_kernel(
        self, t: float, start: _Start, tau: Array, step: float, count: int, wrench: Array | None
    ) -> _Step:
        """Advance by machine code; by NumPy the steps that it does not solve."""
        if step not in self._machines:
            from .step.one_state import OneState  # a short simulation needs none of it

            # of the last length alone
            self._machines = {step: OneState(self.robot, self.law, self.stops, step)}

        def applied(x: Array, u: Array) -> Array:
            if wrench is None:
                return tau
            return tau + self._mechanics.external_torque(x + 0.5 * step * u, wrench)

        def by_numpy(i: int, x: Array, u: Array) -> tuple[Array, Array, Array, Array]:
            return self.solve_step(t + i * step, x, u, tau, step, wrench, guess_of(u))[:4]

        x, u, friction, stop = self._machines[step].advance(*start[:2], count, applied, by_numpy)
        return x, u, friction, stop, guess_of(u)

    def solve_step(
        self,
        t: float,
        q: Array,
        v: Array,
        tau: Array,
        dt: float,
        wrench: Array | None,
        active_set: ActiveSet,
    ) -> _Step:
        """Advance by one step, all in the coordinates of the drives.

        Raises:
            SimulationError: if the step is too large for the motion.
        """
        law, stops = self.law, self.stops
        middle = q + 0.5 * dt * v
        M, h = self._mechanics.terms(middle, v)
        load = self._mechanics.static_torque(middle) if law.needs_load else None
        applied, slope = tau - h - law.dFc, viscous_slope(law, v)
        if wrench is not None:
            applied = applied + self._mechanics.external_torque(middle, wrench)
        A = M + np.diag(dt * slope)
        right, bound = M @ v + dt * applied, dt * dry_friction(law, v, load)
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
        friction = slope * solution.x + law.dFc - solution.friction / dt
        stop = stops.rows[touched].T @ solution.stop / dt
        return end, solution.x, friction, stop, solution.state[: len(q)]


def guess_of(v: Array) -> ActiveSet:
    """Return the guess that a drive that moves goes on, and one that stands sticks."""
    return (STILL - np.sign(v)).astype(np.int8)  # LOW slips upwards
