"""Event-driven integration: from event to event, and from switch to switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.types import Array
from .mechanics import MAX_SPEED_RATIO
from .recorder import Recorder
from .run import Run, SimulationError
from .smooth_phase import SmoothPhase
from .world import Modes, World

Progress = Callable[[float, float], object]
"""Called with the time reached and the end [s] after every step.

A function that returns False stops the simulation.
"""

METHODS = ("DOP853", "RK45", "Radau", "BDF", "LSODA")
_FRACTIONS = (0.25, 0.5, 0.75, 1.0)  # of a step, at which its guards are evaluated
# [s]: where a function fails within a step as short as this, it fails at the state itself
_MIN_STEP = 1e-9
_MAX_EVENTS, _EVENT_WINDOW = 1000, 1e-3  # events within a time [s]; more come to no end
_SAME_TIME = 1e-12  # [s]


class Integrator:
    """State of a simulation, advanced event by event."""

    def __init__(
        self,
        worlds: list[tuple[float, World]],
        recorder: Recorder,
        y: Array,
        end: Mapping[str, Any] | None = None,
    ) -> None:
        """Start at ``y``, or at the end of another simulation with a state of the same length.

        Raises:
            InputError: if that end is not one of the same friction law and switches, or is damaged.
        """
        self._worlds, self._recorder = worlds, recorder
        self.n, self.y, self.t = worlds[0][1].mechanics.n, y, 0.0
        self._step: float | None = None
        self._modes: Modes | None = None  # None where contacts are to be resolved
        self._before: Modes | None = None  # until the last event
        self._world_index, self._window_start, self._event_count = 0, 0.0, 0
        if end is not None:
            self._restore(end)

    def _restore(self, end: Mapping[str, Any]) -> None:
        damaged = "the end of the run to go on from is damaged"
        try:
            y, law = np.array(end["y"], dtype=float), dict(end["law"])
            self.t, self._step, self._world_index = end["t"], end["step"], end["number"]
            self._modes, self._before = (_as_modes(end[name]) for name in ("modes", "before"))
        except (LookupError, TypeError, ValueError) as err:
            raise InputError(f"{damaged}: {err!r}") from None
        for name, values in self._worlds[0][1].friction_parameters.items():
            if law.get(name) != values:
                raise InputError(
                    f"a run with {name} = {law.get(name)} of the friction law does not go on with"
                    f" {name} = {values}"
                )
        if y.shape != self.y.shape:
            raise InputError(f"{damaged}: its state has {y.size} numbers, not {self.y.size}")
        later = self._worlds[1 + self._world_index :]
        if self._world_index >= len(self._worlds) or any(t < self.t - _SAME_TIME for t, _ in later):
            raise InputError(
                f"a run after {self._world_index} switches of the robot goes on with the same"
                " switches, none of them new"
            )
        self.y = y

    def run(
        self, method: str, options: Mapping[str, float], end: float, progress: Progress | None
    ) -> Run:
        """Integrate to the end, or until stopped."""
        stopped = ""
        try:
            while self.t < end and not stopped:
                stopped = self._integrate_segment(method, options, end, progress)
        except KeyboardInterrupt:
            stopped = f"interrupted at t = {self.t:.9g} s"
        except SimulationError as err:
            raise SimulationError(
                err.t, err.problem, self._result(f"failed at t = {err.t:.9g} s")
            ) from err.__cause__
        return self._result(stopped)

    def _integrate_segment(
        self, method: str, options: Mapping[str, float], end: float, progress: Progress | None
    ) -> str:
        """Integrate to the next switch or torque sample; return why the user stopped it, if so."""
        switch_times = [t for t, _ in self._worlds]
        while self._world_index + 1 < len(self._worlds) and (
            switch_times[self._world_index + 1] <= self.t + _SAME_TIME
        ):
            self._switch()
        world = self._worlds[self._world_index][1]
        world.motors.hold_sample(self.t)
        times = np.concatenate([world.motors.times, switch_times, [end]])
        until = float(times[(times > self.t + _SAME_TIME) & (times <= end)].min(initial=end))
        stopped = ""
        while self.t < until and not stopped:
            phase = self._next_phase(world)
            stopped = self._integrate_phase(phase, method, options, until, end, progress)
        return stopped

    def _integrate_phase(
        self,
        phase: SmoothPhase,
        method: str,
        options: Mapping[str, float],
        until: float,
        end: float,
        progress: Progress | None,
    ) -> str:
        """Integrate to the next event, at most ``until``."""
        from scipy import integrate

        implicit = {"jac": phase.jacobian} if method in ("Radau", "BDF") else {}
        solver: Any = None
        first = self._step
        while self.t < until:
            try:
                # overflow of trial steps that are too long, and taken back
                with np.errstate(over="ignore", invalid="ignore"):
                    solver = solver or getattr(integrate, method)(
                        phase.derivative,
                        self.t,
                        self.y,
                        until,
                        first_step=None if first is None else min(first, until - self.t),
                        **options,
                        **implicit,
                    )
                    try:
                        problem = solver.step()
                    # of SciPy's linear algebra, where trial steps have left all bounds
                    except ValueError as err:
                        raise SimulationError(
                            self.t, f"the integrator {method} gives up: {err}"
                        ) from err
                if solver.status == "failed" or not np.isfinite(solver.y).all():
                    raise SimulationError(
                        solver.t,
                        f"the integrator {method} gives up: {problem or 'the state is not finite'}",
                    )
                fraction = phase.step_fraction(self.y, solver.y)
                if fraction < 1.0:
                    solver, first = None, fraction * solver.step_size
                    continue
                dense = solver.dense_output()
                at, fired = self._first_event(phase, dense, solver.t_old, solver.t)
            except SimulationError:  # a function may fail at the state of a trial step
                tried = getattr(solver, "t", self.t) - self.t or getattr(solver, "h_abs", None)
                # LSODA has only its last step
                tried = tried or getattr(solver, "step_size", None) or first or until - self.t
                if tried <= _MIN_STEP:
                    raise
                solver, first = None, 0.1 * min(tried, until - self.t)
                continue
            self._recorder.sample(at, partial(self._row, phase, dense))
            self._step = getattr(solver, "h_abs", None)
            self.t, self.y = at, dense(at) if fired else solver.y
            self._check_speed(phase.world)
            if fired:
                self._apply_event(phase, fired)
            if progress is not None and progress(float(self.t), end) is False and self.t < end:
                return f"stopped at t = {self.t:.9g} s"
            if fired:
                break
        return ""

    def _check_speed(self, world: World) -> None:
        """Raise SimulationError at a speed that no arm has: steps would be nanoseconds long."""
        frame = world.mechanics.coordinates
        speed = np.abs(frame.axes(self.y[self.n : 2 * self.n]))
        if (speed > world.mechanics.max_speed).any():
            i = int(np.argmax(speed / world.mechanics.max_speed))
            raise SimulationError(
                self.t,
                f"axis {world.mechanics.axes[i]} has {speed[i]:.3g} rad/s or m/s, over"
                f" {MAX_SPEED_RATIO:g} times its limit; are torques in N m and N?",
            )

    def _first_event(
        self, phase: SmoothPhase, dense: Callable[[float], Array], start: float, stop: float
    ) -> tuple[float, list[int]]:
        """Return when the first guards of a step are passed, and these; else its end."""
        from scipy.optimize import brentq

        earlier, before = start, phase.guards(start, dense(start))
        for fraction in _FRACTIONS:
            later = start + fraction * (stop - start) if fraction < 1.0 else stop
            now = phase.guards(later, dense(later))
            passed = np.flatnonzero(now < 0.0)
            if passed.size:
                roots = {
                    int(i): brentq(
                        lambda t, i=i: phase.guards(t, dense(t))[i], earlier, later, xtol=1e-15
                    )
                    if before[i] > 0.0
                    else earlier
                    for i in passed
                }
                at = min(roots.values())
                return at, [i for i, t in roots.items() if t <= at + _SAME_TIME]
            earlier, before = later, now
        return stop, []

    def _apply_event(self, phase: SmoothPhase, fired: list[int]) -> None:
        """Let axes come to rest and stops exert impulses; the next phase resolves contacts."""
        world, n, y = phase.world, self.n, self.y.copy()
        resting, hit = phase.events_at(fired)
        y[n : 2 * n][resting] = 0.0
        if hit:
            y[:n] = world.stops.clamp(y[:n])
            speed = world.after_impact(y[:n], y[n : 2 * n], phase.modes.sticking)
            M, _ = world.mechanics.terms(y[:n], speed)
            y[-1] += 0.5 * (y[n : 2 * n] @ M @ y[n : 2 * n] - speed @ M @ speed)
            y[n : 2 * n] = speed
            for row in hit:
                self._recorder.event(self.t, world.stops.axis(row), "hits its stop")
        self.y, self._modes, self._before = y, None, phase.modes
        self._event_count += 1
        if self.t > self._window_start + _EVENT_WINDOW:
            self._window_start, self._event_count = self.t, 0
        if self._event_count > _MAX_EVENTS:
            raise SimulationError(
                self.t, f"more than {_MAX_EVENTS} events within {1e3 * _EVENT_WINDOW:g} ms"
            )

    def _next_phase(self, world: World) -> SmoothPhase:
        """Return the phase that begins now, and record what has changed since the last."""
        n, y = self.n, self.y
        if self._modes is not None:
            phase = SmoothPhase(world, self._modes)
            if (phase.guards(self.t, y) >= 0.0).all():
                return phase
            self._before = self._modes
        # a step of other modes means nothing: while everything sticks it grows without bound
        self._step = None
        modes = world.resolve_contacts(self.t, y[:n], y[n : 2 * n], y[2 * n : -2])
        phase = SmoothPhase(world, modes).release_overloaded(self.t, y)
        self._modes, before = phase.modes, self._before
        if before is not None:
            for axis in np.flatnonzero(before.sticking != phase.modes.sticking):
                kind = "slips" if before.sticking[axis] else "sticks"
                self._recorder.event(self.t, int(axis) + 1, kind)
            for row in np.flatnonzero(before.in_contact & ~phase.modes.in_contact):
                self._recorder.event(self.t, world.stops.axis(int(row)), "leaves its stop")
        self._before = None
        return phase

    def _switch(self) -> None:
        """Go on with the next robot, at the same positions and speeds."""
        index = self._world_index
        axes = self._worlds[index][1].mechanics.coordinates.axes
        q, v = axes(self.y[: self.n]), axes(self.y[self.n : 2 * self.n])
        old, new = (
            sum(world.mechanics.robot.energy(q, v)) for _, world in self._worlds[index : index + 2]
        )
        self.y = self.y.copy()
        self.y[-2] += new - old
        self._world_index += 1
        self._recorder.event(self.t, 0, "robot")

    def _row(
        self, phase: SmoothPhase, dense: Callable[[float], Array], t: float
    ) -> tuple[Array | float, ...]:
        y = dense(t)
        a, friction, stop, tau, _ = phase.loads(t, y)
        n, frame = self.n, phase.world.mechanics.coordinates
        motion = (frame.axes(x) for x in (y[:n], y[n : 2 * n], a))
        torques = (frame.axis_torque(x) for x in (friction, stop))
        return *motion, tau, *torques, float(y[-2]), float(y[-1])

    def _result(self, stopped: str) -> Run:
        modes = {
            name: None if values is None else [array.tolist() for array in values]
            for name, values in (("modes", self._modes), ("before", self._before))
        }
        end = {
            "t": float(self.t),
            "y": self.y.tolist(),
            "number": self._world_index,
            "law": self._worlds[0][1].friction_parameters,
            "step": None if self._step is None else float(self._step),
            **modes,
        }
        return self._recorder.result({"stopped": stopped} if stopped else {}, end)


def _as_modes(lists: Any) -> Modes | None:
    """Return modes from the lists of a run's end."""
    if lists is None:
        return None
    return Modes(np.array(lists[0], bool), np.array(lists[1], float), np.array(lists[2], bool))
