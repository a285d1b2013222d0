"""Simulation of an arm with elastic joints in coordinates of links, then motors of elastic axes.

In them it is a mechanism like any other, so that true stiction (on the motors) and hard stops (of
the links) are those of :mod:`irbmodels.simulation`.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import as_bool, as_choice, as_instance
from ...model.friction import ANY_SPEED, FURTHER, NAMES, SCALE_OF, Stribeck
from ...model.types import Array
from ...robot.robot import Robot
from ...trajectory import Motion
from ..drives import DriveCoordinates
from ..inputs import (
    TorqueInput,
    TorqueSource,
    WrenchInput,
    WrenchSource,
    check_settings,
    longest_step,
)
from ..integration import METHODS, Integrator
from ..mechanics import Mechanics, Stops, friction_law, start_state, torque_bounds
from ..recorder import Recorder
from ..run import Run, SimulationError, run_of
from ..world import World
from .model import FlexibleModel


class _Mechanics(Mechanics):
    """Links and motors as one mechanism, one state at a time."""

    def __init__(self, arm: FlexibleModel) -> None:
        super().__init__(arm.robot, DriveCoordinates(arm.drive_positions))
        self._arm, self._links = arm, arm.n
        self.n = arm.n + arm.elastic.size
        self.axes = np.concatenate([self.axes, arm.elastic + 1])
        self.max_speed = np.concatenate([self.max_speed, self.max_speed[arm.elastic]])

    def axis_terms(self, q: Array, v: Array) -> tuple[Array, Array]:
        """Inertia of links and rotors, and torques except of motors, dry friction and wrench."""
        arm, n = self._arm, self._links
        M, h = super().axis_terms(q[:n], v[:n])
        return arm.inertia(M), arm.bias(h, q, v)

    def axis_static_torque(self, q: Array) -> Array:
        """Torques of the motors that hold the links at rest where they are."""
        links = super().axis_static_torque(q[: self._links])
        return links @ self._arm.motor_positions

    def axis_pose(self, q: Array) -> pin.SE3:
        """Pose of the TCP in the base."""
        return super().axis_pose(q[: self._links])

    def axis_external_torque(self, q: Array, wrench: Array) -> Array:
        """``J' w`` of a wrench at the TCP on the links; 0 on the motors."""
        torque = super().axis_external_torque(q[: self._links], wrench)
        return np.concatenate([torque, np.zeros(self.n - self._links)])


class _Stops(Stops):
    """Hard stops of the links; motors turn freely."""

    def __init__(self, robot: Robot, enabled: bool, motors: int) -> None:
        super().__init__(robot, enabled)
        n, m = robot.n, len(self.A)
        A = np.zeros((m + motors, n + motors))
        A[:n, :n], A[n : n + motors, n:], A[n + motors :, :n] = (
            self.A[:n],
            np.eye(motors),
            self.A[n:],
        )
        free = np.full(motors, np.inf)
        self.row_axes = np.insert(self.row_axes, n, range(n, n + motors))
        self.set_ranges(A, np.insert(self.lower, n, -free), np.insert(self.upper, n, free))


class _TorqueSource(TorqueSource):
    """Torques of the motors as a function of the encoders: positions and speeds of the motors."""

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
    *,
    stops: bool,
    rebound: float,
    torque_limit: ArrayLike | None,
    method: str,
    rtol: float,
    atol: float,
    max_step: float,
    every: float,
) -> Run:
    """See :meth:`FlexibleRobot.simulate`; ``start`` is q, v, theta, theta_dot."""
    as_bool(stops, "stops, whether the ends of the ranges are walls,")
    check_settings(duration, every, rtol, atol, max_step, rebound)
    as_choice(
        as_instance(method, str, f"the method is one of {', '.join(METHODS)}"),
        METHODS,
        "method",
    )
    robot = arm.robot
    q, v, theta, theta_dot = start
    links = start_state(robot, Stops(robot, stops), q, v)
    position = arm.equilibrium(links.q).theta if theta is None else robot.states.one(theta, "theta")
    speed = links.v if theta_dot is None else robot.states.one_velocity(theta_dot, "theta_dot")
    mechanics = _Mechanics(arm)
    world = World(
        mechanics,
        _on_motors(arm, friction_law(robot, arm.friction)),
        _Stops(robot, stops, arm.elastic.size).on_drives(mechanics.coordinates),
        _TorqueSource(arm, torque, torque_bounds(robot, torque_limit)),
        WrenchSource(wrench),
        rebound,
    )
    notes = {"method": method, "rtol": rtol, "atol": atol, "stops": stops, "rebound": rebound}
    notes["drives"] = [repr(drive) for drive in arm.drives]
    recorder = Recorder(robot, every, duration, notes)
    motion = (
        mechanics.coordinates.drives(np.append(of_links, of_motors[arm.elastic]))
        for of_links, of_motors in ((links.q, position), (links.v, speed))
    )
    y = np.concatenate([*motion, np.zeros(2)])
    longest = longest_step(max_step, world.motors, world.wrench)
    options = {"rtol": rtol, "atol": atol, "max_step": longest}
    try:
        integrator = Integrator([(0.0, world)], recorder, y)
        run = integrator.run(method, options, float(duration), None)
    except SimulationError as err:
        partial = None if err.run is None else _split_columns(arm, err.run)
        raise SimulationError(err.t, err.problem, partial) from err.__cause__
    return _split_columns(arm, run)


def _on_motors(arm: FlexibleModel, law: Stribeck) -> Stribeck:
    """Return the friction law in the coordinates: on links of rigid axes, and on motors."""
    S = arm.motor_positions
    values = {name: getattr(law, name) @ S for name in (*NAMES, *FURTHER)}
    for name in SCALE_OF.values():
        values[name] = np.where(S.any(axis=0), values[name], ANY_SPEED)
    return replace(law, **values)


def _split_columns(arm: FlexibleModel, run: Run) -> Run:
    """Return a run with columns of the links, and of the motors beside them."""
    n, to_motors = arm.n, arm.motor_positions.T
    names = ("q", "v", "a", "tau", "friction", "stop")
    q, v, a, tau, friction, stop = (
        run[name] if len(run) else np.zeros((0, len(to_motors))) for name in names
    )
    motion = Motion(run.t, q[:, :n], v[:, :n], a[:, :n], tau @ to_motors)
    more = {"theta": (q @ to_motors, "rad"), "theta_dot": (v @ to_motors, "rad/s")}
    more |= {"friction": (friction @ to_motors, "N m"), "stop": (stop[:, :n], "N m")}
    more |= {name: (run[name], "J") for name in ("work", "lost")}
    axes = np.concatenate([np.arange(n), arm.elastic]) + 1
    events = [
        event._replace(axis=int(axes[event.axis - 1]) if event.axis else 0) for event in run.events
    ]
    return run_of(arm.robot, motion, more, events, run.notes)
