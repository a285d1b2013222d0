"""Simulate an arm with elastic joints: the coordinates are those of the links, then those of the elastic axes' motors.

In them it is a mechanism like any other, so that true stiction (on the motors) and hard stops (of
the links) are those of :mod:`irbmodels.simulation`.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_bool, as_instance, number
from ...errors import UnknownName
from ...model.friction import Stribeck
from ...model.types import Array
from ...robot.robot import Robot
from ...trajectory import Motion
from ..inputs import Drive, Load, TorqueInput, WrenchInput, check_numbers, longest_step
from ..integration import METHODS, Course
from ..mechanics import Mechanics, Stops, checked_start, effort_of, law_of
from ..recorder import Recorder
from ..run import Run, SimulationError, run_of
from ..world import World
from .model import FlexibleModel


class Settings(NamedTuple):
    """How to simulate; see :meth:`FlexibleRobot.simulate`."""

    stops: bool
    rebound: float
    torque_limit: ArrayLike | None
    method: str
    rtol: float
    atol: float
    max_step: float
    every: float


class _Mechanics(Mechanics):
    """Links and motors as one mechanism, one state at a time."""

    def __init__(self, arm: FlexibleModel) -> None:
        super().__init__(arm.robot)
        self._arm, self._links = arm, arm.n
        self.n = arm.n + arm.elastic.size
        self.axes = np.concatenate([self.axes, arm.elastic + 1])
        self.fastest = np.concatenate([self.fastest, self.fastest[arm.elastic]])

    def terms(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Inertia of links and rotors, and all torques but those of motors, dry friction and the world."""
        arm, n = self._arm, self._links
        M, h = super().terms(q[:n], v[:n])
        return arm.inertia(M), arm.bias(h, q, v)

    def pose(self, q: Array) -> object:
        """Pose of the TCP in the base."""
        return super().pose(q[: self._links])

    def pull(self, q: Array, wrench: Array) -> Array:
        """What a wrench at the TCP does to the links."""
        return np.concatenate(
            [super().pull(q[: self._links], wrench), np.zeros(self.n - self._links)]
        )


class _Stops(Stops):
    """Ends of the links' ranges; motors turn freely."""

    def __init__(self, robot: Robot, there: bool, motors: int) -> None:
        super().__init__(robot, there)
        free = np.full(motors, np.inf)
        A = np.eye(robot.n + motors)
        A[: robot.n, : robot.n] = self.A
        self.A, self._inverse = A, np.linalg.inv(A)
        self.lower, self.upper = (
            np.concatenate([self.lower, -free]),
            np.concatenate([self.upper, free]),
        )
        self.rows = np.vstack([A, -A])
        self.ends = np.concatenate([self.lower, -self.upper])


class _Drive(Drive):
    """Torques of the motors, from what a controller sees: positions and speeds of the motors."""

    def __init__(self, arm: FlexibleModel, torque: TorqueInput, limit: Array | None) -> None:
        super().__init__(arm.robot, torque, limit)
        self._motors = arm.motor_positions

    def __call__(self, t: float, q: Array, v: Array) -> Array:
        """Torques along the coordinates of links and motors."""
        return super().__call__(t, self._motors @ q, self._motors @ v) @ self._motors


def simulate(
    arm: FlexibleModel,
    start: tuple[ArrayLike, ArrayLike | None, ArrayLike | None, ArrayLike | None],
    duration: float,
    torque: TorqueInput,
    wrench: WrenchInput,
    settings: Settings,
) -> Run:
    """See :meth:`FlexibleRobot.simulate`; ``start`` is q, v, theta, theta_dot."""
    _check(settings, duration)
    robot, motors = arm.robot, arm.elastic.size
    q, v, theta, theta_dot = start
    links = checked_start(robot, Stops(robot, settings.stops), q, v)
    position = arm.equilibrium(links.q).theta if theta is None else robot.states.one(theta, "theta")
    speed = links.v if theta_dot is None else robot.states.one_velocity(theta_dot, "theta_dot")
    world = World(
        _Mechanics(arm),
        _on_motors(arm, law_of(robot, arm.friction)),
        _Stops(robot, settings.stops, motors),
        _Drive(arm, torque, effort_of(robot, settings.torque_limit)),
        Load(robot, wrench),
        settings.rebound,
    )
    notes = {
        "method": settings.method,
        "rtol": settings.rtol,
        "atol": settings.atol,
        "stops": settings.stops,
    }
    notes |= {"rebound": settings.rebound, "drives": [repr(drive) for drive in arm.drives]}
    recorder = Recorder(robot, settings.every, duration, notes)
    first = np.concatenate(
        [links.q, position[arm.elastic], links.v, speed[arm.elastic], np.zeros(2)]
    )
    longest = longest_step(settings.max_step, world.drive, world.load)
    options = {"rtol": settings.rtol, "atol": settings.atol, "max_step": longest}
    try:
        run = Course([(0.0, world)], recorder, first).run(
            settings.method, options, float(duration), None
        )
    except SimulationError as err:
        so_far = None if err.run is None else _named(arm, err.run)
        raise SimulationError(err.t, err.problem, so_far) from err.__cause__
    return _named(arm, run)


def _check(settings: Settings, duration: float) -> None:
    if not isinstance(settings.max_step, float):  # infinite is no bound
        number(settings.max_step, "max_step")
    as_bool(settings.stops, "stops, whether the ends of the ranges are walls,")
    check_numbers(
        duration, settings.every, settings.rtol, settings.atol, settings.max_step, settings.rebound
    )
    if (
        as_instance(settings.method, str, f"the method is one of {', '.join(METHODS)}")
        not in METHODS
    ):
        raise UnknownName("method", settings.method, METHODS)


def _on_motors(arm: FlexibleModel, law: Stribeck) -> Stribeck:
    """Return the friction law of the axes as one of the coordinates: on links of rigid axes, and on motors."""
    turning = arm.motor_positions
    v_St = np.where(turning.any(axis=0), law.v_St @ turning, 1.0)
    return Stribeck(law.Fs @ turning, law.Fc @ turning, law.Fv @ turning, v_St)


def _named(arm: FlexibleModel, run: Run) -> Run:
    """Return a run whose columns are those of the links, and of the motors beside them."""
    n, turning = arm.n, arm.motor_positions.T
    names = ("q", "v", "a", "tau", "friction", "stop")
    q, v, a, tau, friction, stop = (
        run[name] if len(run) else np.zeros((0, len(turning))) for name in names
    )
    motion = Motion(run.t, q[:, :n], v[:, :n], a[:, :n], tau @ turning)
    more = {"theta": (q @ turning, "rad"), "theta_dot": (v @ turning, "rad/s")}
    more |= {"friction": (friction @ turning, "N m"), "stop": (stop[:, :n], "N m")}
    more |= {name: (run[name], "J") for name in ("work", "lost")}
    axes = np.concatenate([np.arange(n), arm.elastic]) + 1
    events = [
        event._replace(axis=int(axes[event.axis - 1]) if event.axis else 0) for event in run.events
    ]
    return run_of(arm.robot, motion, more, events, run.notes)
