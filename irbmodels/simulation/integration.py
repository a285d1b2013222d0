"""One simulation under way: from event to event, and from switch to switch."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.types import Array
from .mechanics import FASTEST
from .recorder import Recorder
from .run import Run, SimulationError
from .smooth_friction import numbers_of
from .smooth_phase import Phase
from .world import Modes, World

Progress = Callable[[float, float], object]
"""Called with the time reached and the end [s] after every step.

What returns False stops the simulation.
"""

METHODS = ("DOP853", "RK45", "Radau", "BDF", "LSODA")
_FRACTIONS = (0.25, 0.5, 0.75, 1.0)  # of a step, at which its guards are looked at
# [s]: where a function fails within a step as short as this, it fails at the state itself
_LEAST = 1e-9
_BUSY, _MOMENT = 1000, 1e-3  # events within a time [s], after which nothing comes of it
_SAME = 1e-12  # [s] between times that are one


class Course:
    """State of a simulation, and what moves it on."""

    def __init__(
        self,
        worlds: list[tuple[float, World]],
        recorder: Recorder,
        y: Array,
        end: Mapping[str, Any] | None = None,
    ) -> None:
        """Begin with a state, or where another simulation ended; ``y`` then says how long a state is.

        Raises:
            InputError: if that end is not one of the same friction law and switches, or is damaged.
        """
        self._worlds, self._recorder = worlds, recorder
        self.n, self.y, self.t = worlds[0][1].mechanics.n, y, 0.0
        self._step: float | None = None
        self._modes: Modes | None = None  # None where they are to be decided
        self._before: Modes | None = None  # until the last event
        self._number, self._since, self._busy = 0, 0.0, 0
        if end is not None:
            self._go_on(end)

    def _go_on(self, end: Mapping[str, Any]) -> None:
        try:
            y, law = np.array(end["y"], dtype=float), dict(end["law"])
            self.t, self._step, self._number = end["t"], end["step"], end["number"]
            self._modes, self._before = (_modes_of(end[name]) for name in ("modes", "before"))
        except (LookupError, TypeError, ValueError) as err:
            raise InputError(f"the end of the run to go on from is damaged: {err!r}") from None
        for name, values in numbers_of(self._worlds[0][1].law).items():
            if law.get(name) != values:
                raise InputError(
                    f"a run with {name} = {law.get(name)} of the friction law does not go on with"
                    f" {name} = {values}"
                )
        if y.shape != self.y.shape:
            raise InputError(
                f"the end of the run to go on from is damaged: its state has {y.size} numbers, not"
                f" {self.y.size}"
            )
        if any(
            t < self.t - _SAME for t, _ in self._worlds[1 + self._number :]
        ) or self._number >= len(self._worlds):
            raise InputError(
                f"a run after {self._number} switches of the robot goes on with the same switches,"
                " none of them new"
            )
        self.y = y

    def run(
        self, method: str, options: Mapping[str, float], end: float, progress: Progress | None
    ) -> Run:
        """Go on to the end, or until stopped."""
        stopped = ""
        try:
            while self.t < end and not stopped:
                stopped = self._segment(method, options, end, progress)
        except KeyboardInterrupt:
            stopped = f"interrupted at t = {self.t:.9g} s"
        except SimulationError as err:
            raise SimulationError(
                err.t, err.problem, self._result(f"failed at t = {err.t:.9g} s")
            ) from err.__cause__
        return self._result(stopped)

    def _segment(
        self, method: str, options: Mapping[str, float], end: float, progress: Progress | None
    ) -> str:
        """Integrate to the next time at which something is switched from outside."""
        while (
            self._number + 1 < len(self._worlds)
            and self._worlds[self._number + 1][0] <= self.t + _SAME
        ):
            self._switch()
        world = self._worlds[self._number][1]
        world.drive.begin(self.t)
        times = np.concatenate([world.drive.times, [t for t, _ in self._worlds], [end]])
        until = float(times[(times > self.t + _SAME) & (times <= end)].min(initial=end))
        stopped = ""
        while self.t < until and not stopped:
            phase = self._phase(world)
            stopped = self._smooth(phase, method, options, until, end, progress)
        return stopped

    def _smooth(
        self,
        phase: Phase,
        method: str,
        options: Mapping[str, float],
        until: float,
        end: float,
        progress: Progress | None,
    ) -> str:
        """Integrate to the next event, at most ``until``."""
        from scipy import integrate

        def start(first: float | None) -> Any:
            first = None if first is None else min(first, until - self.t)
            implicit = {"jac": phase.slopes} if method in ("Radau", "BDF") else {}
            with np.errstate(over="ignore", invalid="ignore"):
                return getattr(integrate, method)(
                    phase.rate, self.t, self.y, until, first_step=first, **options, **implicit
                )

        solver: Any = None
        first = self._step
        while self.t < until:
            try:
                solver = solver or start(first)
                # of trial steps that are too long, and taken back
                with np.errstate(over="ignore", invalid="ignore"):
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
                finer = phase.finer(self.y, solver.y)
                if finer < 1.0:
                    solver, first = None, finer * solver.step_size
                    continue
                dense = solver.dense_output()
                at, fired = self._event(phase, dense, solver.t_old, solver.t)
            except SimulationError:  # a function may fail at what a trial step takes for a state
                tried = getattr(solver, "t", self.t) - self.t or getattr(solver, "h_abs", None)
                # LSODA tells only its last step
                tried = tried or getattr(solver, "step_size", None) or first or until - self.t
                if tried <= _LEAST:
                    raise
                solver, first = None, 0.1 * min(tried, until - self.t)
                continue
            self._recorder.sample(at, lambda t, dense=dense: self._row(phase, t, dense(t)))  # type: ignore[misc]
            self._step = getattr(solver, "h_abs", None)
            self.t, self.y = at, dense(at) if fired else solver.y
            self._refuse_fast(phase.world)
            if fired:
                self._after(phase, fired)
            if progress is not None and progress(self.t, end) is False and self.t < end:
                return f"stopped at t = {self.t:.9g} s"
            if fired:
                break
        return ""

    def _refuse_fast(self, world: World) -> None:
        """Give up where a speed says that torques cannot be meant: the integrator would take steps of nanoseconds from there."""
        speed = np.abs(self.y[self.n : 2 * self.n])
        if (speed > world.mechanics.fastest).any():
            i = int(np.argmax(speed / world.mechanics.fastest))
            what = (
                f"axis {world.mechanics.axes[i]} has {speed[i]:.3g} rad/s or m/s, over {FASTEST:g}"
                " times its limit"
            )
            raise SimulationError(self.t, f"{what}; are torques in N m and N?")

    def _event(
        self, phase: Phase, dense: Callable[[float], Array], start: float, stop: float
    ) -> tuple[float, list[int]]:
        """Return the first time at which a guard of a step is passed, and the guards.

        The step's end if none is.
        """
        from scipy.optimize import brentq

        earlier, before = start, phase.guards(start, dense(start))
        for fraction in _FRACTIONS:
            later = start + fraction * (stop - start) if fraction < 1.0 else stop
            now = phase.guards(later, dense(later))
            passed = np.flatnonzero(now < 0.0)
            if passed.size:
                roots = [
                    (
                        brentq(
                            lambda t, i=i: phase.guards(t, dense(t))[i], earlier, later, xtol=1e-15
                        )
                        if before[i] > 0.0
                        else earlier
                    )
                    for i in passed
                ]
                at = min(roots)
                return at, [
                    int(i) for i, root in zip(passed, roots, strict=True) if root <= at + _SAME
                ]
            earlier, before = later, now
        return stop, []

    def _after(self, phase: Phase, fired: list[int]) -> None:
        """Let axes come to rest and stops act.

        Who moves on is decided when the next stretch begins.
        """
        world, n, y = phase.world, self.n, self.y.copy()
        resting, met = phase.concerned(fired)
        y[n : 2 * n][resting] = 0.0
        if met:
            y[:n] = world.stops.within(y[:n])
            speed = world.after_impact(y[:n], y[n : 2 * n], phase.modes.holds)
            M, _ = world.mechanics.terms(y[:n], speed)
            y[-1] += 0.5 * (y[n : 2 * n] @ M @ y[n : 2 * n] - speed @ M @ speed)
            y[n : 2 * n] = speed
            for row in met:
                self._recorder.event(self.t, world.stops.axis(row, n), "hits its stop")
        self.y, self._modes = y, None
        self._before = phase.modes
        self._busy += 1
        if self.t > self._since + _MOMENT:
            self._since, self._busy = self.t, 0
        if self._busy > _BUSY:
            raise SimulationError(self.t, f"more than {_BUSY} events within {1e3 * _MOMENT:g} ms")

    def _phase(self, world: World) -> Phase:
        """Return the stretch that begins now, and note what has changed since the last."""
        n, y = self.n, self.y
        if self._modes is not None:
            phase = Phase(world, self._modes)
            if (phase.guards(self.t, y) >= 0.0).all():
                return phase
            self._before = self._modes
        # that of other modes says nothing: while everything holds it grows without bound
        self._step = None
        phase = Phase(world, world.decided(self.t, y[:n], y[n : 2 * n], y[2 * n : -2])).relieved(
            self.t, y
        )
        self._modes, before = phase.modes, self._before
        if before is not None:
            for axis in np.flatnonzero(before.holds != phase.modes.holds):
                self._recorder.event(
                    self.t, int(axis) + 1, "slips" if before.holds[axis] else "sticks"
                )
            for row in np.flatnonzero(before.leans & ~phase.modes.leans):
                self._recorder.event(self.t, world.stops.axis(int(row), n), "leaves its stop")
        self._before = None
        return phase

    def _switch(self) -> None:
        """Go on with the next robot, at the same positions and speeds."""
        n = self.n
        states = self.y[:n], self.y[n : 2 * n]
        old, new = (
            self._worlds[i][1].mechanics.robot.energy(*states)
            for i in (self._number, self._number + 1)
        )
        self.y = self.y.copy()
        self.y[-2] += sum(new) - sum(old)
        self._number += 1
        self._recorder.event(self.t, 0, "robot")

    def _row(self, phase: Phase, t: float, y: Array) -> tuple[Array | float, ...]:
        moving, n = phase.motion(t, y), self.n
        return (
            y[:n],
            y[n : 2 * n],
            moving.a,
            moving.tau,
            moving.friction,
            moving.stop,
            float(y[-2]),
            float(y[-1]),
        )

    def _result(self, stopped: str) -> Run:
        end: dict[str, Any] = {"t": float(self.t), "y": self.y.tolist(), "number": self._number}
        end["law"] = numbers_of(self._worlds[0][1].law)
        end["step"] = None if self._step is None else float(self._step)
        for name, modes in (("modes", self._modes), ("before", self._before)):
            end[name] = None if modes is None else [values.tolist() for values in modes]
        return self._recorder.result({"stopped": stopped} if stopped else {}, end)


def _modes_of(plain: Any) -> Modes | None:
    return (
        None
        if plain is None
        else Modes(np.array(plain[0], bool), np.array(plain[1], float), np.array(plain[2], bool))
    )
