"""Samples of a simulation while it runs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion
from .run import STANDARD, Event, Run, robot_notes, run_of

_UNITS = {"friction": "N m", "stop": "N m", "work": "J", "lost": "J"}
_NAMES = (*STANDARD, *_UNITS)
_SETTINGS = ("friction", "stops", "rebound")  # that a simulation does not change on its way
_MAX_SAMPLES = 10_000_000  # more would fill the memory: a mistake of units


class Recorder:
    """Samples at the multiples of a time, and events."""

    def __init__(
        self, robot: Robot, every: float, duration: float, settings: Mapping[str, Any]
    ) -> None:
        """Start empty.

        Raises:
            InputError: if there would be too many samples.
        """
        if duration / every > _MAX_SAMPLES:
            raise InputError(
                f"{duration:g} s in samples of {every:g} s are more than {_MAX_SAMPLES:,}; take"
                " a longer time between them"
            )
        self._robot, self._every, self._settings = robot, every, dict(settings)
        self._rows: list[tuple[Array | float, ...]] = []
        self._times: list[float] = []
        self.events: list[Event] = []
        self._before: Run | None = None
        self._next = 0

    def resume(self, run: Run) -> None:
        """Append to the samples of a run.

        Raises:
            InputError: if that run is one of another robot, with another friction law, or has other
                times.
        """
        required = {
            **robot_notes(self._robot),
            "every": self._every,
            **{name: self._settings.get(name) for name in _SETTINGS},
        }
        _check_same("a run", run.notes, required)
        happened = sum(event.kind == "robot" for event in run.events)
        before, now = (
            (notes.get("switches") or [])[:happened] for notes in (run.notes, self._settings)
        )
        times = [[t for t, _ in switches] for switches in (before, now)]
        if times[0] != times[1]:
            raise InputError(
                f"a run after switches at {times[0]} s does not go on with switches at {times[1]} s"
            )
        for (t, old), (_, new) in zip(before, now, strict=True):
            _check_same(f"a run after a switch at {t:g} s to a robot", old, new)
        self._before, self._next, self.events = run, len(run), list(run.events)

    def sample(self, reached: float, row: Callable[[float], tuple[Array | float, ...]]) -> None:
        """Record ``row`` at every sample time up to ``reached``."""
        # 7 s are a hundred times 0.07 s, which rounds
        while (t := self._next * self._every) <= reached + 1e-9 * self._every:
            self._rows.append(row(min(t, reached)))
            self._times.append(t)
            self._next += 1

    def event(self, t: float, axis: int, kind: str) -> None:
        """Record an event."""
        self.events.append(Event(float(t), int(axis), kind))

    def result(self, notes: Mapping[str, Any], end: Mapping[str, Any] | None) -> Run:
        """Return the run so far."""
        n, t = self._robot.n, np.array(self._times)
        empty = [np.zeros((0, n))] * 6 + [np.zeros(0)] * 2
        columns = zip(*self._rows, strict=True) if self._rows else empty
        values = {name: np.array(column) for name, column in zip(_NAMES, columns, strict=True)}
        if self._before is not None:
            t = np.concatenate([self._before.t, t])
            values = {name: np.concatenate([self._before[name], values[name]]) for name in _NAMES}
        motion = Motion(t, *(values[name] for name in _NAMES[:4]))
        more = {name: (values[name], unit) for name, unit in _UNITS.items()}
        settings = {"every": self._every, **self._settings, **notes}
        return run_of(self._robot, motion, more, self.events, settings, end)


def _check_same(what: str, before: Mapping[str, Any], now: Mapping[str, Any]) -> None:
    for name, value in now.items():
        if before.get(name) != value:
            raise InputError(
                f"{what} with {name} = {before.get(name)!r} does not go on with {name} = {value!r}"
            )
