"""Realistic logs of a simulated robot: stiction, elasticity, controller, encoders, noise, delay.

A run (:mod:`irbmodels.simulation`, :mod:`irbmodels.control`, :mod:`irbmodels.simulation.flexible`)
is the motion of the arm; :func:`simulate_log` gives the log of a controller. Every result
says that it is synthetic, in the data and in files.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, as_int, finite
from ...errors import InputError
from ...model.friction import Stribeck
from ...model.types import Array
from ...robot.robot import Robot
from ...simulation import Plant, Run, run_of
from ...simulation.flexible import FlexibleRobot
from ...trajectory import Motion
from ...trajectory.motion import checked_motion
from .recording import Finding, Recording


@dataclass(frozen=True, kw_only=True)
class Sensors:
    """Sensors and sampling between an arm and its log.

    Defaults are those of an ideal log at 250 Hz (S000, section 7: 4 ms).
    """

    rate: float = 250.0
    """Samples per second [Hz]."""
    counts: ArrayLike | None = None
    """Encoder counts per turn or metre, arm side, one for all or ``(n,)``; None is exact."""
    torque_noise: ArrayLike = 0.0
    """Standard deviation of the torques [N m, N], one for all or ``(n,)``."""
    torque_step: float = 0.0
    """Resolution of the torques [N m, N]."""
    torque_delay: float = 0.0
    """Delay of the logged torques [s]."""
    torque_limit: ArrayLike | None = None
    """Where the log of the torques ends [N m, N], shape ``(n,)``."""
    speed: bool = False
    """True to log speeds: the difference of two positions, as read."""
    lost: float = 0.0
    """Share of the samples that the log loses."""
    spikes: float = 0.0
    """Share of torques with a spike: up to ten times their noise and 10 % of the largest torque."""
    jitter: float = 0.0
    """Standard deviation of the time stamps [s].

    At most a fifth of the step, or they would not grow.
    """

    def __post_init__(self) -> None:
        """Check the numbers.

        Raises:
            InputError: if one of them cannot be.
        """
        for name in ("rate", "torque_step", "torque_delay", "lost", "spikes", "jitter"):
            value = getattr(self, name)
            if (
                not (0.0 <= value < np.inf)
                or (name in ("lost", "spikes") and value > 0.5)
                or (name == "rate" and value == 0.0)
            ):
                raise InputError(f"{name} of sensors is out of range: {value!r}")
        if self.jitter > 0.2 / self.rate:
            raise InputError(
                f"a jitter of {self.jitter:g} s is more than a fifth of the step of"
                f" {1.0 / self.rate:g} s"
            )


def simulate_log(run: Run, sensors: Sensors | None = None, seed: int = 0) -> Recording:
    """Return the log of a run.

    Of an arm with elastic joints the encoders sit on the motors (``theta``), as in a real one.

    Args:
        run: Motion of the arm with torques, sampled finer than the sensors' rate.
        sensors: Default exact values at 250 Hz.
        seed: Of all noise.

    Raises:
        InputError: if the run has no torques, or a sensor's numbers do not fit its axes.
    """
    as_instance(run, Run, "what is logged is a Run, as irbmodels.simulate and exact_run return it")
    sensors = as_instance(
        Sensors() if sensors is None else sensors, Sensors, "what lies between is Sensors(...)"
    )
    as_int(seed, "the seed of the noise")
    if "tau" not in run.columns:
        raise InputError("a log needs torques, and this run has none")
    n, random = run.q.shape[1], np.random.default_rng(seed)
    noise = _per_axis(sensors.torque_noise, n, "torque_noise")
    counts = None if sensors.counts is None else _per_axis(sensors.counts, n, "counts")
    if (noise < 0.0).any() or (counts is not None and (counts <= 0.0).any()):
        raise InputError("noise must not be negative, and counts are positive")
    t: Array = (
        run.t[0]
        + np.arange(int((run.t[-1] - run.t[0]) * sensors.rate * (1.0 + 1e-12)) + 1) / sensors.rate
    )
    turned = run["theta"] if "theta" in run.columns else run.q
    q = np.stack([np.interp(t, run.t, column) for column in turned.T], axis=1)
    if counts is not None:
        step = np.where(run.linear, 1.0, 2.0 * np.pi) / counts
        q = step * np.round(q / step + random.uniform(-0.5, 0.5, n))
    tau = np.stack(
        [np.interp(t - sensors.torque_delay, run.t, column) for column in run.tau.T], axis=1
    )
    tau = tau + noise * random.normal(size=tau.shape)
    if sensors.spikes:
        hit = random.random(tau.shape) < sensors.spikes
        reach = 10.0 * noise + 0.1 * np.abs(tau).max(axis=0)
        tau = np.where(
            hit,
            tau
            + reach * random.choice([-1.0, 1.0], tau.shape) * random.uniform(0.5, 1.0, tau.shape),
            tau,
        )
    if sensors.torque_step:
        tau = sensors.torque_step * np.round(tau / sensors.torque_step)
    if sensors.torque_limit is not None:
        limit = finite(sensors.torque_limit, (n,), "torque_limit")
        tau = np.clip(tau, -limit, limit)
    v = np.diff(q, axis=0, prepend=q[:1]) * sensors.rate if sensors.speed else None
    kept = random.random(len(t)) >= sensors.lost
    kept[[0, -1]] = True
    stamps = t + np.clip(
        sensors.jitter * random.normal(size=len(t)), -0.4 / sensors.rate, 0.4 / sensors.rate
    )
    finding = Finding(
        f"synthetic: simulated {run.notes.get('robot', 'arm')}, {sensors}, seed {seed}"
    )
    logged = Recording(
        stamps,
        q,
        v,
        None,
        tau,
        linear=run.linear,
        findings=(finding,),
        source=f"simulated {run.notes.get('robot', 'arm')}",
        synthetic=True,
    )
    return logged.select(kept)


def exact_run(robot: Robot, motion: Motion, friction: bool = True) -> Run:
    """Return a motion with the torques of the robot's own model: no controller, no stiction.

    Raises:
        InputError: if the motion has no speeds and accelerations, is of another robot, or not
            finite.
        MissingData: if friction is asked for and nobody has published any.
    """
    as_instance(robot, Robot, "torques are those of an irbmodels.Robot")
    motion = checked_motion(motion, "a prediction of torques", n=robot.n, name=robot.name)
    tau = robot.inverse_dynamics(
        motion.q, np.asarray(motion.v), np.asarray(motion.a), friction=friction
    )
    return run_of(robot, motion._replace(tau=tau))


def simulate_tracking(
    robot: Robot | FlexibleRobot,
    motion: Motion,
    *,
    model: Robot | None = None,
    bandwidth: float = 8.0,
    period: float = 0.002,
    friction: Stribeck | bool = True,
) -> Run:
    """Simulate a controller that follows a motion: PD on the axes, and the model's torque ahead.

    Stiction is true.

    A rigid robot runs in a sampled loop (:class:`irbmodels.simulation.Plant`); one with elastic
    joints is integrated, and its controller sees the motors. An axis whose inertia is far below
    that of a real drive, such as axis 6 without rotor and tool, is too weak against its friction:
    ``robot.with_rotors``.

    Args:
        robot: The arm; a :class:`irbmodels.simulation.flexible.FlexibleRobot` has elastic joints
            and friction of its own.
        motion: Reference with speeds and accelerations; the arm starts there at rest.
        model: Model of the controller, friction included; default the robot itself.
        bandwidth: Of the feedback [Hz]: ``kp = M_ii w^2``, ``kd = 2 M_ii w``, at the start's mass
            matrix.
        period: Of the loop [s], rigid arms only.
        friction: Of a rigid arm: True for the robot's own law, False for none, or another.

    Returns:
        A run; of a rigid robot with the columns ``q, v, a, tau, friction``, a sample per period.

    Raises:
        InputError: if the motion has no speeds and accelerations, or an argument is not positive.
        SimulationError: if the loop does not hold the arm.
    """
    if motion.v is None or motion.a is None:
        raise InputError(
            "a motion to follow needs speeds and accelerations; sample them from a trajectory"
        )
    if not (0.0 < bandwidth < np.inf and 0.0 < period < np.inf):
        raise InputError(f"bandwidth and period are positive, not {bandwidth!r}, {period!r}")
    known = model or (robot if isinstance(robot, Robot) else robot.rigid)
    law = known.friction_model is not None and friction is not False
    ahead = known.inverse_dynamics(motion.q, motion.v, motion.a, friction=law)
    inertia = np.diagonal(known.mass_matrix(motion.q[0]))
    w = 2.0 * np.pi * bandwidth
    wanted = (motion.q, motion.v, ahead)
    if not isinstance(robot, Robot):

        def torque(t: float, theta: Array, speed: Array) -> Array:
            q, v, tau = (_at(t, motion.t, values) for values in wanted)
            return tau + inertia * (w * w * (q - theta) + 2.0 * w * (v - speed))

        duration = float(motion.t[-1] - motion.t[0])
        return robot.simulate(motion.q[0], duration=duration, torque=torque, every=period)
    plant = Plant(robot, friction=friction)
    state = plant.start(motion.q[0], None, float(motion.t[0]))
    rows = []
    for k in range(int((motion.t[-1] - motion.t[0]) / period * (1.0 + 1e-12)) + 1):
        t = float(motion.t[0]) + k * period
        q, v, tau = (_at(t, motion.t, values) for values in wanted)
        command = tau + inertia * (w * w * (q - state.q) + 2.0 * w * (v - state.v))
        later = plant.advance(state, command, period)
        rows.append((t, state.q, state.v, later.a, later.tau, later.friction))
        state = later
    columns = [np.array(column) for column in zip(*rows, strict=True)]
    notes = {"period": period, "bandwidth": bandwidth, "controller": "PD and feed-forward"}
    return run_of(robot, Motion(*columns[:5]), {"friction": (columns[5], "N m")}, notes=notes)


def synthetic_recording(
    robot: Robot | FlexibleRobot,
    motion: Motion,
    sensors: Sensors | None = None,
    *,
    controller: bool = True,
    seed: int = 0,
    friction: Stribeck | bool = True,
    model: Robot | None = None,
) -> Recording:
    """Return the log of a simulated robot that was to follow a motion, labelled synthetic.

    Args:
        robot: The arm, rigid or with elastic joints.
        motion: With speeds and accelerations.
        sensors: Sensors and sampling of the log.
        controller: Whether it is simulated how the motion is followed (with true stiction), or the
            motion is taken as done and its torques from the model, which is fast.
        seed: Of all noise.
        friction: Of a rigid arm that is simulated.
        model: Model of the controller.

    Raises:
        InputError: if an argument does not fit; an arm with elastic joints needs its controller.
    """
    if controller:
        run = simulate_tracking(robot, motion, model=model, friction=friction)
    elif isinstance(robot, Robot) and isinstance(friction, bool):
        run = exact_run(robot, motion, friction and robot.friction_model is not None)
    else:
        raise InputError(
            "an arm with elastic joints, or another friction law, needs its controller:"
            " controller=True"
        )
    logged = simulate_log(run, sensors, seed)
    how = "followed by a simulated controller" if controller else "torques by the model"
    return logged.changed(source=f"{logged.source}, {how}")


def _at(t: float, times: Array, values: Array) -> Array:
    """Values at a time, on straight lines."""
    i = min(max(int(np.searchsorted(times, t, "right")) - 1, 0), len(times) - 2)
    share = min(max((t - times[i]) / (times[i + 1] - times[i]), 0.0), 1.0)
    result: Array = (1.0 - share) * values[i] + share * values[i + 1]
    return result


def _per_axis(value: ArrayLike, n: int, what: str) -> Array:
    array = np.asarray(value, dtype=float)
    return finite(np.full(n, array) if array.ndim == 0 else array, (n,), f"{what} of sensors")
