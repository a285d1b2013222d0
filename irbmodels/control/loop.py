"""A law in a sampled loop around a simulated arm, with what a real loop has: delay, limits, encoders, noise, a wrong model."""

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
from ..simulation.run import STANDARD
from ..trajectory import Motion
from .signals import AxisReference, Measured, TcpReference, model_of, reference_of
from .task_space import tcp_error

Law = Callable[..., Any]
"""``law(state, reference, model)`` returns torques.

With a memory ``law(..., memory=, period=)`` returns torques and the next.
"""
FASTEST = 10.0  # times the speed limit: what goes faster has left the loop's control


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

    Every ``period`` the encoders are read, the law is asked once, and its torque acts, held, until
    the next one. Gains come with ``functools.partial(computed_torque, gains=Gains.of(10.0))``.

    Args:
        robot: The arm.
        law: ``law(state, reference, model)``; with ``memory``, ``law(state, reference, model,
            memory=..., period=...)``.
        reference: What is wanted at a time [s].
        duration: [s].
        period: Sample time [s].
        start: Axis positions at the start [rad, m], at rest; default where the reference starts, if
            it is one of axes.
        model: The controller's own model; default the robot itself.
        memory: What a law with memory starts with.
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
        wrench: What the world exerts on the robot at the TCP, force first, base axes, shape
            ``(6,)``; laws see it measured.
        friction: The arm's friction: True for its own data (none where there is none), False, or a
            law.
        stops: Whether the ends of the ranges are walls.

    Returns:
        A run with ``q, v, a, tau`` of the arm; ``a`` and ``tau`` are means over the period that
        begins. Further columns are ``q_read``, ``v_read`` and ``tau_wanted``; for a reference of
        axes ``q_wanted``, ``v_wanted`` and ``error`` [rad, m], for one of the TCP ``tcp_error`` [m]
        and ``turn_error`` [rad], as the true arm has them; with a wrench ``force`` and ``moment``;
        arrays of the memory as ``memory_...``. Events: ``saturates``; of axes with dry friction
        ``slips`` and ``sticks``, at the end of the period in which an axis begins to move, or
        stands still again.

    Raises:
        InputError: if an argument cannot be.
        SimulationError: if a law fails, a torque is not finite, a target cannot be reached, or the
            loop diverges, with the time ``t`` at which it happened and, as ``run``, everything
            until then.
    """
    n = as_instance(robot, Robot, "what is controlled is an irbmodels.Robot").n
    own = robot if model is None else model_of(model)
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
    read = {
        "encoder_counts": np.asarray(encoder_counts).tolist(),
        "noise": np.asarray(noise).tolist(),
        "seed": seed,
    }
    record = _Record(
        robot, own, {"period": period, "delay": delay, "saturation": _plain(limit), **read}
    )
    # held until the first torque comes
    acting = [robot.gravity(state.q)] * (int(delay / period + 1e-9) + 1)
    # from a sample until the torque of an earlier one changes
    late = max(delay - (len(acting) - 1) * period, 0.0)
    target: Array | None = None
    t = 0.0
    try:
        for k in range(round(duration / period) + 1):
            t = k * period
            load = None if wrench is None else finite(wrench(t), (6,), "wrench (force, moment)")
            measured = encoders.read(state.q, state.v)._replace(wrench=load)
            goal = _goal(reference, t, robot)
            record.sample(t, state, measured, goal, memory)
            if isinstance(goal, TcpReference) and not (
                target is not None and np.array_equal(goal.pose, target)
            ):
                target = goal.pose
                _refuse_out_of_reach(own, target)
            if memory is None:
                tau = law(measured, goal, own)
            else:
                tau, memory = law(measured, goal, own, memory=memory, period=period)
            acting.append(finite(tau, (n,), "the law's torque [N m, N]"))
            record.commanded(acting[-1])
            v, first = state.v, np.zeros(n)
            before = state
            if late:
                state = plant.advance(state, acting[0], late, load)
                first = late * state.tau
            state = plant.advance(state, acting[1], period - late, load)
            record.rested(before, state, plant.law)
            record.acted((state.v - v) / period, (first + (period - late) * state.tau) / period)
            acting.pop(0)
            _refuse_runaway(robot, state)
    except SimulationError as err:
        slower = f", or a delay shorter than {1e3 * delay:g} ms" if delay else ""
        advice = (
            f"; the loop may be unstable: gains lower, or a period shorter than {1e3 * period:g}"
            f" ms{slower}"
        )
        raise SimulationError(err.t, err.problem + advice, record.run()) from err
    # a law is anybody's code: whatever it raises, what was computed is kept
    except Exception as err:
        told = str(err) if isinstance(err, IrbError) else f"{type(err).__name__}: {err}"
        raise SimulationError(t, told, record.run()) from err
    return record.run()


class _Encoders:
    """Positions as counts and with noise; then speeds are differences of readings."""

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


class _Record:
    """Samples so far, and the run that they make."""

    def __init__(self, robot: Robot, model: Robot, settings: dict[str, Any]) -> None:
        self.robot = robot
        carried = (
            model.tool.name if model.tool else None,
            model.payload.mass if model.payload else None,
        )
        self.notes = {**settings, "model": model.name, "model_parameters": model.parameters}
        self.notes |= dict(zip(("model_tool", "model_payload_kg"), carried, strict=True))
        self.times: list[float] = []
        self.columns: dict[str, list[Array]] = {}
        self.units: dict[str, str] = {}
        self.events: list[Event] = []
        self._full = np.zeros(robot.n, dtype=bool)

    def sample(
        self,
        t: float,
        state: PlantState,
        measured: Measured,
        goal: AxisReference | TcpReference,
        memory: Any,
    ) -> None:
        """Take what is known before the law is asked; what is not yet, is NaN."""
        self.times.append(t)
        unknown = np.full(self.robot.n, np.nan)
        for name, values in (("q", state.q), ("v", state.v), ("a", unknown), ("tau", unknown)):
            self._put(name, values, STANDARD[name])
        for name, values, unit in (
            ("q_read", measured.q, "rad"),
            ("v_read", measured.v, "rad/s"),
            ("tau_wanted", unknown, "N m"),
        ):
            self._put(name, values, unit)
        if measured.wrench is not None:
            self._put("force", measured.wrench[:3], "N")
            self._put("moment", measured.wrench[3:], "N m")
        if isinstance(goal, TcpReference):
            error = tcp_error(self.robot.pose(state.q), goal.pose)
            self._put("tcp_error", error[:3], "m")
            self._put("turn_error", error[3:], "rad")
        else:
            self._put("q_wanted", goal.q, "rad")
            self._put("v_wanted", goal.v, "rad/s")
            self._put("error", goal.q - state.q, "rad")
        for name, values in memory._asdict().items() if hasattr(memory, "_asdict") else ():
            if isinstance(values, np.ndarray) and values.ndim == 1:
                self._put(f"memory_{name}", values, "1")

    def commanded(self, tau: Array) -> None:
        """Take the law's torque; an event is where it begins to be cut off."""
        self.columns["tau_wanted"][-1] = tau
        limit = self.notes["saturation"]
        full = (
            np.zeros(self.robot.n, dtype=bool) if limit is None else np.abs(tau) > np.asarray(limit)
        )
        self.events += [
            Event(self.times[-1], int(i) + 1, "saturates")
            for i in np.flatnonzero(full & ~self._full)
        ]
        self._full = full

    def acted(self, a: Array, tau: Array) -> None:
        """Take what acted from this sample until the next."""
        self.columns["a"][-1], self.columns["tau"][-1] = a, tau

    def rested(self, before: PlantState, after: PlantState, law: Stribeck) -> None:
        """Take which axes with dry friction stand still before and after a period."""
        changed = (before.sticks != after.sticks) & ((law.Fs > 0.0) | (law.Fc > 0.0))
        for axis in np.flatnonzero(changed):
            self.events.append(
                Event(after.t, int(axis) + 1, "sticks" if after.sticks[axis] else "slips")
            )

    def run(self) -> Run:
        """Return what was recorded."""
        columns = {name: np.array(values) for name, values in self.columns.items()}
        rest = {name: columns.pop(name, np.zeros((0, self.robot.n))) for name in STANDARD}
        motion = Motion(np.array(self.times), rest["q"], rest["v"], rest["a"], rest["tau"])
        more = {name: (values, self.units[name]) for name, values in columns.items()}
        return run_of(self.robot, motion, more, self.events, self.notes)

    def _put(self, name: str, values: Array, unit: str) -> None:
        self.columns.setdefault(name, []).append(np.array(values, dtype=float))
        self.units[name] = unit


def _start(
    reference: Callable[[float], AxisReference | TcpReference], start: ArrayLike | None
) -> ArrayLike:
    if start is not None:
        return start
    goal = reference(0.0)
    if isinstance(goal, TcpReference):
        raise InputError("a reference of the TCP does not say where the axes start: start=q")
    return as_instance(
        goal, AxisReference, "a reference returns an AxisReference or a TcpReference"
    ).q


def _goal(
    reference: Callable[[float], AxisReference | TcpReference], t: float, robot: Robot
) -> AxisReference | TcpReference:
    """Return what is wanted at a time, as arrays."""
    goal = as_instance(
        reference(t),
        AxisReference | TcpReference,
        "a reference returns an AxisReference or a TcpReference",
    )
    if isinstance(goal, TcpReference):
        return goal
    return reference_of(goal, robot.n, robot)


def _refuse_out_of_reach(model: Robot, pose: Array) -> None:
    try:
        found = model.inverse_kinematics(pose, in_range=True)
    except MissingData:  # an arm without closed forms
        return
    if not found:
        raise InputError(
            f"the target cannot be reached: {found.note or 'no posture within the ranges'}"
        )


def _refuse_runaway(robot: Robot, state: PlantState) -> None:
    fast = np.abs(state.v) > FASTEST * robot.limits.velocity
    if fast.any():
        axis = int(np.argmax(fast))
        unit = "m/s" if robot.limits.linear[axis] else "rad/s"
        raise SimulationError(
            state.t,
            f"axis {axis + 1} has {state.v[axis]:.3g} {unit}, over {FASTEST:g} times its limit",
        )


def _plain(limit: Array | None) -> list[float] | None:
    return None if limit is None else [float(value) for value in limit]
