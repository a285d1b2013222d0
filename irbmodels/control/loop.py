"""Sampled loop of a law around a simulated arm: delay, limits, encoders, noise, a wrong model."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_bool, as_callable, as_instance, as_int, finite, number, per_axis, positive
from ..errors import InputError, IrbError, MissingData
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from ..simulation import Event, Plant, Run, SimulationError, run_of
from ..simulation import State as PlantState
from ..simulation.mechanics import has_dry_friction
from ..simulation.run import STANDARD
from ..trajectory import Motion
from .signals import AxisReference, Measured, TcpReference, checked_model, checked_reference
from .task_space import tcp_error

Law = Callable[..., Any]
"""``law(state, reference, model)`` returns torques.

With a memory ``law(..., memory=, period=)`` returns torques and the next.
"""
RUNAWAY = 10.0  # times the speed limit, beyond which a loop counts as diverged


def run_loop(
    robot: Robot,
    law: Law,
    reference: Callable[[float], AxisReference | TcpReference],
    duration: float,
    *,
    period: float = 0.004,
    start: ArrayLike | None = None,
    model: Robot | None = None,
    memory: Any = None,
    delay: float = 0.0,
    saturation: ArrayLike | None = None,
    encoder_counts: ArrayLike | None = None,
    noise: ArrayLike = 0.0,
    seed: int = 0,
    wrench: Callable[[float], ArrayLike] | None = None,
    friction: Stribeck | bool = True,
    stops: bool = True,
) -> Run:
    """Run a law around a simulated arm (:class:`irbmodels.simulation.Plant`), sample by sample.

    Every ``period`` the encoders are read, the law is evaluated once, and its torque is held until
    the next one. Gains come with ``functools.partial(computed_torque, gains=Gains.of(10.0))``.

    Args:
        robot: The arm.
        law: ``law(state, reference, model)``; with ``memory``, ``law(state, reference, model,
            memory=..., period=...)``.
        reference: Desired motion as a function of time [s].
        duration: [s].
        period: Sample time [s].
        start: Axis positions at the start [rad, m], at rest; default where the reference starts, if
            it is one of axes.
        model: The controller's own model; default the robot itself.
        memory: Initial memory of a law that has one.
        delay: From reading the encoders until the torque acts [s]. Until the first one acts, the
            start is held.
        saturation: Largest torques [N m, N], shape ``(n,)``, such as ``robot.limits.effort``;
            default none.
        encoder_counts: Counts per turn of each axis, per metre of a linear one, one for all or
            ``(n,)``.
        noise: Standard deviation of the positions read [rad, m], one for all or ``(n,)``. With
            encoder counts or noise the speed is the difference of two readings, as a controller has
            it; else it is exact.
        seed: Of the noise.
        wrench: External wrench on the robot at the TCP, force first, base axes, shape ``(6,)``, as
            a function of time; laws see it measured.
        friction: The arm's friction: True for its own data (none where there is none), False, or a
            law.
        stops: True for mechanical stops at the ends of the ranges.

    Returns:
        A run with ``q, v, a, tau`` of the arm; ``a`` and ``tau`` are means over the period that
        begins. Further columns are ``q_read``, ``v_read`` and ``tau_wanted``; for a reference of
        axes ``q_wanted``, ``v_wanted`` and ``error`` [rad, m], for one of the TCP ``tcp_error`` [m]
        and ``turn_error`` [rad], as the true arm has them; with a wrench ``force`` and ``moment``;
        arrays of the memory as ``memory_...``. Events: ``saturates``; of drives with dry friction
        ``slips`` and ``sticks``, at the end of the period in which a drive begins to move, or
        stands still again.

    Raises:
        InputError: if an argument is of another type, shape or range.
        SimulationError: if a law fails, a torque is not finite, a target cannot be reached, or the
            loop diverges, with its time ``t`` and, as ``run``, everything until then.

    Example:
        >>> from functools import partial
        >>> import irbmodels as irb
        >>> from irbmodels.control import Gains, computed_torque, follow, run_loop
        >>> from irbmodels.trajectory import move
        >>> robot = irb.load("irb930")
        >>> start, end = robot.from_controller([[20, -60, -50, 30], [-40, 70, -250, -60]])
        >>> law = partial(computed_torque, gains=Gains.of(20.0))
        >>> run = run_loop(robot, law, follow(move(start, end, duration=1.0)), 1.2)
        >>> bool(abs(run["error"][-1]).max() < 1e-3)
        True
    """
    n = as_instance(robot, Robot, "what is controlled is an irbmodels.Robot").n
    own = robot if model is None else checked_model(model)
    as_callable(
        law,
        "a law is a function of state, reference and model, such as computed_torque with its gains",
    )
    as_callable(
        reference,
        "a reference is a function of time, as hold, follow, sampled and tcp_along make it",
    )
    if wrench is not None:
        as_callable(wrench, "a wrench is a function of time that returns (6,)")
    positive(duration, "duration of a loop [s]")
    positive(period, "period of a loop [s]")
    number(delay, "delay of a loop [s]", 0.0, duration)
    as_int(seed, "seed of the noise")
    as_instance(
        friction,
        bool | Stribeck,
        "friction is True (the robot's), False (none) or an irbmodels.Stribeck",
    )
    as_bool(stops, "stops, whether the ends of the ranges are walls,")
    if own.n != n:
        raise InputError(f"the model {own.name} has {own.n} axes, {robot.name} has {n}")
    limit = None if saturation is None else per_axis(saturation, n, "saturation")
    plant = Plant(robot, friction=friction, stops=stops, torque_limit=limit)
    state = plant.start(_start(reference, start))
    encoders = _Encoders(robot, encoder_counts, noise, period, seed)
    settings = {
        "period": period,
        "delay": delay,
        "saturation": None if limit is None else limit.tolist(),
        "encoder_counts": np.asarray(encoder_counts).tolist(),
        "noise": np.asarray(noise).tolist(),
        "seed": seed,
    }
    record = _Recorder(robot, own, settings)
    # torques that have not acted yet; gravity's is held until the first one of the law
    pending = [robot.gravity(state.q)] * (int(delay / period + 1e-9) + 1)
    # from a sample until the first of them begins to act
    late = max(delay - (len(pending) - 1) * period, 0.0)
    target: Array | None = None
    t = 0.0
    try:
        for k in range(round(duration / period) + 1):
            t = k * period
            load = None if wrench is None else finite(wrench(t), (6,), "wrench (force, moment)")
            measured = encoders.read(state.q, state.v)._replace(wrench=load)
            goal = _goal(reference, t)
            if isinstance(goal, AxisReference):
                goal = checked_reference(goal, n, robot)
            record.sample(t, state, measured, goal, memory)
            if isinstance(goal, TcpReference) and not (
                target is not None and np.array_equal(goal.pose, target)
            ):
                target = goal.pose
                _check_reachable(own, target)
            if memory is None:
                tau = law(measured, goal, own)
            else:
                tau, memory = law(measured, goal, own, memory=memory, period=period)
            pending.append(finite(tau, (n,), "the law's torque [N m, N]"))
            record.set_command(pending[-1])
            before, impulse = state, np.zeros(n)
            if late:
                state = plant.advance(state, pending[0], late, load)
                impulse = late * state.tau
            state = plant.advance(state, pending[1], period - late, load)
            impulse = impulse + (period - late) * state.tau
            record.set_applied((state.v - before.v) / period, impulse / period)
            record.add_stick_slip(before, state, plant.law)
            pending.pop(0)
            _check_speed(robot, state)
    except SimulationError as err:
        slower = f", or a delay shorter than {1e3 * delay:g} ms" if delay else ""
        advice = (
            f"; the loop may be unstable: gains lower, or a period shorter than {1e3 * period:g}"
            f" ms{slower}"
        )
        raise SimulationError(err.t, err.problem + advice, record.run()) from err
    # whatever a user's law raises, the samples so far are kept
    except Exception as err:
        message = str(err) if isinstance(err, IrbError) else f"{type(err).__name__}: {err}"
        raise SimulationError(t, message, record.run()) from err
    return record.run()


class _Encoders:
    """Encoders with counts and noise, whose speeds are differences of readings; or exact ones."""

    def __init__(
        self, robot: Robot, counts: ArrayLike | None, noise: ArrayLike, period: float, seed: int
    ) -> None:
        n = robot.n
        self.noise = per_axis(noise, n, "noise")
        if not (np.isfinite(self.noise).all() and (self.noise >= 0.0).all()):
            raise InputError(
                f"noise is a standard deviation [rad, m], not {np.asarray(noise).tolist()}"
            )
        self.step = None
        if counts is not None:
            per_turn = per_axis(counts, n, "encoder_counts")
            if not (np.isfinite(per_turn).all() and (per_turn > 0.0).all()):
                raise InputError(
                    "encoder_counts are counts per turn, or per metre, not"
                    f" {np.asarray(counts).tolist()}"
                )
            self.step = np.where(robot.limits.linear, 1.0, 2.0 * np.pi) / per_turn
        self.period, self.random = period, np.random.default_rng(seed)
        self.last: Array | None = None

    def read(self, q: Array, v: Array) -> Measured:
        if self.step is None and not self.noise.any():
            return Measured(q.copy(), v.copy())  # the law may write into what it gets
        reading = q + self.noise * self.random.normal(size=q.size)
        if self.step is not None:
            reading = self.step * np.round(reading / self.step)
        speed = np.zeros(q.size) if self.last is None else (reading - self.last) / self.period
        self.last = reading
        return Measured(reading, speed)


class _Recorder:
    """Samples and events so far."""

    def __init__(self, robot: Robot, model: Robot, settings: dict[str, Any]) -> None:
        self.robot = robot
        self.notes = {
            **settings,
            "model": model.name,
            "model_parameters": model.parameters,
            "model_tool": model.tool.name if model.tool else None,
            "model_payload_kg": model.payload.mass if model.payload else None,
        }
        self.times: list[float] = []
        self.columns: dict[str, list[Array]] = {}
        self.units: dict[str, str] = {}
        self.events: list[Event] = []
        self._limit = np.inf if settings["saturation"] is None else settings["saturation"]
        self._saturated = np.zeros(robot.n, dtype=bool)

    def sample(
        self,
        t: float,
        state: PlantState,
        measured: Measured,
        goal: AxisReference | TcpReference,
        memory: Any,
    ) -> None:
        """Add what is known before the law is evaluated; what is not yet, is NaN."""
        self.times.append(t)
        unknown = np.full(self.robot.n, np.nan)
        values: dict[str, tuple[Array, str]] = {
            "q": (state.q, STANDARD["q"]),
            "v": (state.v, STANDARD["v"]),
            "a": (unknown, STANDARD["a"]),
            "tau": (unknown, STANDARD["tau"]),
            "q_read": (measured.q, "rad"),
            "v_read": (measured.v, "rad/s"),
            "tau_wanted": (unknown, "N m"),
        }
        if measured.wrench is not None:
            values |= {"force": (measured.wrench[:3], "N"), "moment": (measured.wrench[3:], "N m")}
        if isinstance(goal, TcpReference):
            error = tcp_error(self.robot.pose(state.q), goal.pose)
            values |= {"tcp_error": (error[:3], "m"), "turn_error": (error[3:], "rad")}
        else:
            values |= {"q_wanted": (goal.q, "rad"), "v_wanted": (goal.v, "rad/s")}
            values["error"] = goal.q - state.q, "rad"
        for name, part in memory._asdict().items() if hasattr(memory, "_asdict") else ():
            if isinstance(part, np.ndarray) and part.ndim == 1:
                values[f"memory_{name}"] = part, "1"
        for name, (column, unit) in values.items():
            self.columns.setdefault(name, []).append(np.array(column, dtype=float))
            self.units[name] = unit

    def set_command(self, tau: Array) -> None:
        """Set the law's torque; an event is where it begins to saturate."""
        self.columns["tau_wanted"][-1] = tau
        saturated = np.abs(tau) > self._limit
        self.events += [
            Event(self.times[-1], int(i) + 1, "saturates")
            for i in np.flatnonzero(saturated & ~self._saturated)
        ]
        self._saturated = saturated

    def set_applied(self, a: Array, tau: Array) -> None:
        """Set means of acceleration and torque from this sample until the next."""
        self.columns["a"][-1], self.columns["tau"][-1] = a, tau

    def add_stick_slip(self, before: PlantState, after: PlantState, law: Stribeck) -> None:
        """Add events of drives with dry friction that begin or cease to stick in a period."""
        changed = (before.sticks != after.sticks) & has_dry_friction(law)
        self.events += [
            Event(after.t, int(axis) + 1, "sticks" if after.sticks[axis] else "slips")
            for axis in np.flatnonzero(changed)
        ]

    def run(self) -> Run:
        """Return the run."""
        columns = {name: np.array(values) for name, values in self.columns.items()}
        rest = {name: columns.pop(name, np.zeros((0, self.robot.n))) for name in STANDARD}
        motion = Motion(np.array(self.times), rest["q"], rest["v"], rest["a"], rest["tau"])
        more = {name: (values, self.units[name]) for name, values in columns.items()}
        return run_of(self.robot, motion, more, self.events, self.notes)


def _start(
    reference: Callable[[float], AxisReference | TcpReference], start: ArrayLike | None
) -> ArrayLike:
    if start is not None:
        return start
    goal = _goal(reference, 0.0)
    if isinstance(goal, TcpReference):
        raise InputError("a reference of the TCP does not say where the axes start: start=q")
    return goal.q


def _goal(
    reference: Callable[[float], AxisReference | TcpReference], t: float
) -> AxisReference | TcpReference:
    what = "a reference returns an AxisReference or a TcpReference"
    return as_instance(reference(t), AxisReference | TcpReference, what)


def _check_reachable(model: Robot, pose: Array) -> None:
    try:
        solutions = model.inverse_kinematics(pose, in_range=True)
    except MissingData:  # an arm without closed forms
        return
    if not solutions:
        raise InputError(
            f"the target cannot be reached: {solutions.note or 'no posture within the ranges'}"
        )


def _check_speed(robot: Robot, state: PlantState) -> None:
    fast = np.abs(state.v) > RUNAWAY * robot.limits.velocity
    if fast.any():
        axis = int(np.argmax(fast))
        unit = "m/s" if robot.limits.linear[axis] else "rad/s"
        raise SimulationError(
            state.t,
            f"axis {axis + 1} has {state.v[axis]:.3g} {unit}, over {RUNAWAY:g} times its limit",
        )
