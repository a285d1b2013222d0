"""Logs of a robot: samples in SI units, flags on bad samples, and findings in words.

Nothing is left out in silence: a sample that is missing, wrong or made up keeps its place and
carries a :class:`Flag` per axis; what is done to a log stands in its findings;
:meth:`Recording.usable` is where samples are left out, and says how many.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from enum import IntFlag
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...checks import as_instance, as_int
from ...errors import InputError, UnknownName
from ...model.types import Array, Mask
from ...trajectory import Motion
from ...trajectory.motion_files import columns_and_factors, write_columns
from ...trajectory.rate_consistency import GAP
from .temperatures import drive_temperatures, implausible_temperature

Flags = NDArray[np.uint16]

STEADY = 0.5  # of a step: time stamps that wander less are only rounded
UNEQUAL = 0.05  # of a step: what steps may differ by, and still be called a rate
QUANTITIES = ("q", "v", "a", "tau")


class Flag(IntFlag):
    """Defect of a sample of an axis; several may apply."""

    NO_POSITION = 1
    """The log has no number there."""
    NO_SPEED = 2
    """The log has speeds or accelerations, but no number there."""
    NO_TORQUE = 4
    """The log has torques, but no number there."""
    POSITION_OUTLIER = 8
    TORQUE_OUTLIER = 16
    SATURATED = 32
    """The torque stands at its limit, so that it is not what the motion needs."""
    INTERPOLATED = 64
    """The sample was not measured: it lies between others, or replaces one."""
    AT_REST = 128
    """The axis stands still: friction may be anything up to its static value."""
    EDGE = 256
    """A filter had no samples on one side."""


UNUSABLE = Flag(sum(flag for flag in Flag if flag is not Flag.AT_REST))
"""All flags but ``AT_REST``: what an estimate of parameters should not see.

Equations without dry friction may see rest.
"""
TORQUE_FLAGS = Flag.NO_TORQUE | Flag.TORQUE_OUTLIER | Flag.SATURATED | Flag.AT_REST
"""Flags that spoil the torque of their axis; others spoil its motion, and so all torques."""


class Finding(NamedTuple):
    """Something that a log holds, or that was done to it."""

    message: str
    advice: str = ""
    row: int | None = None
    """Of the file, 1-based, the header being row 1.

    Of what was made in code, of the samples from 0.
    """
    column: str = ""
    samples: int = 1
    """Number of samples concerned."""

    def __str__(self) -> str:
        """Return one line."""
        place = ", ".join(
            text
            for text in (
                f"row {self.row}" if self.row is not None else "",
                f"column {self.column!r}" if self.column else "",
            )
            if text
        )
        return f"{place}: {self.message}"[2 * (not place) :] + (
            f"; {self.advice}" if self.advice else ""
        )


@dataclass(frozen=True, eq=False, repr=False)
class Recording:
    """Samples of a log in SI units, arm side.

    Arrays are read-only; ``with_...`` and functions of this package return others.
    """

    t: Array
    """Times [s], shape ``(N,)``, growing."""
    q: Array
    """Axis positions [rad, m], shape ``(N, n)``; NaN where ``NO_POSITION``."""
    v: Array | None = None
    """Axis speeds [rad/s, m/s]."""
    a: Array | None = None
    """Axis accelerations [rad/s^2, m/s^2]."""
    tau: Array | None = None
    """Motor torques at the axes [N m, N]."""
    extra: Mapping[str, Array] = field(default_factory=dict)
    """Further columns ``(N,)`` by their names in the file.

    ``temp1_degC`` is the temperature of drive 1.
    """
    linear: tuple[bool, ...] = ()
    """Per axis whether it is linear; default all rotary."""
    flags: Flags = None  # type: ignore[assignment]
    """Bits of :class:`Flag`, shape ``(N, n)``; those of values that are not there are added."""
    findings: tuple[Finding, ...] = ()
    source: str = ""
    """File, or how it was made."""
    synthetic: bool = False
    """True if it comes from a model instead of a robot; files keep it."""

    def __post_init__(self) -> None:
        """Check shapes, flag what is not there, keep read-only copies.

        Raises:
            InputError: if a shape is wrong, the times do not grow, or a temperature is none in
                [deg C].
        """
        arrays: dict[str, Array] = {
            name: _unchanging(getattr(self, name))
            for name in ("t", *QUANTITIES)
            if getattr(self, name) is not None
        }
        t, q = arrays["t"], arrays["q"]
        if (
            t.ndim != 1
            or q.ndim != 2
            or not np.isfinite(t).all()
            or (np.diff(t) <= 0.0).any()
            or not len(t)
        ):
            raise InputError(
                f"a recording needs growing times (N,) and positions (N, n), got {t.shape} and"
                f" {q.shape}"
            )
        for name in QUANTITIES:
            if name in arrays and arrays[name].shape != (len(t), q.shape[1]):
                raise InputError(
                    f"{name} of this recording needs shape {(len(t), q.shape[1])}, got"
                    f" {arrays[name].shape}"
                )
        more = {name: _unchanging(values) for name, values in self.extra.items()}
        for name, values in more.items():
            if values.shape != t.shape:
                raise InputError(
                    f"column {name!r} of this recording needs shape {t.shape}, got {values.shape}"
                )
        if (hot := implausible_temperature(more)) is not None:
            raise InputError(f"sample {hot[0]} of this recording, column {hot[1]!r}: {hot[2]}")
        flags = (
            np.zeros(q.shape, dtype=np.uint16)
            if self.flags is None
            else np.array(self.flags, dtype=np.uint16)
        )
        linear = self.linear or (False,) * q.shape[1]
        if flags.shape != q.shape or len(linear) != q.shape[1]:
            raise InputError(
                f"flags of this recording need shape {q.shape}, got {flags.shape}; linear"
                f" {q.shape[1]} values"
            )
        for names, flag in (
            (("q",), Flag.NO_POSITION),
            (("v", "a"), Flag.NO_SPEED),
            (("tau",), Flag.NO_TORQUE),
        ):
            for name in names:
                if name in arrays:
                    flags[~np.isfinite(arrays[name])] |= np.uint16(flag)
        kept: list[NDArray[Any]] = [*arrays.values(), *more.values(), flags]
        for array in kept:
            array.setflags(write=False)
        for name, value in {**arrays, "flags": flags, "extra": more, "linear": linear}.items():
            object.__setattr__(self, name, value)

    @staticmethod
    def of(motion: Motion, **more: object) -> Recording:
        """Return the samples of a motion; ``more`` are further fields.

        Raises:
            InputError: as the constructor, or if it is no motion.
        """
        columns = as_instance(motion, Motion, "a recording is made of an irbmodels.Motion")
        extra = (
            {
                f"temp{i + 1}_degC": np.array(values)
                for i, values in enumerate(np.transpose(columns.temperature))
                if np.isfinite(values).any()
            }
            if columns.temperature is not None
            else {}
        )
        return Recording(*columns[:5], **{"extra": extra} | more)  # type: ignore[arg-type]

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.t)

    def __repr__(self) -> str:
        """Return source, number of samples, times and columns."""
        held = ", ".join(name for name in QUANTITIES if getattr(self, name) is not None)
        kind = "Synthetic recording" if self.synthetic else "Recording"
        return (
            f"<{kind} {self.source}: {len(self)} samples, {self.t[0]:g} .. {self.t[-1]:g} s,"
            f" {', '.join([held, *self.extra])}>"
        )

    @property
    def n(self) -> int:
        """Number of axes."""
        return int(self.q.shape[1])

    @property
    def step(self) -> float:
        """Usual time between two samples [s], the median."""
        return float(np.median(np.diff(self.t))) if len(self) > 1 else np.nan

    @property
    def sampling(self) -> str:
        """Rate; of unequal steps ``about 94 Hz, unequal steps of 10 to 12 ms``."""
        steps = np.diff(self.t)
        steps = steps[steps < GAP * self.step]
        if not steps.size or np.ptp(steps) < UNEQUAL * self.step:
            return f"{1.0 / self.step:.5g} Hz"
        low, high = 1e3 * steps.min(), 1e3 * steps.max()
        return f"about {1.0 / steps.mean():.3g} Hz, unequal steps of {low:.3g} to {high:.3g} ms"

    @property
    def motion(self) -> Motion:
        """Every sample, flagged or not."""
        return Motion(self.t, self.q, self.v, self.a, self.tau, self.temperature)

    @property
    def temperature(self) -> Array | None:
        """Of the drives [deg C], shape ``(N, n)``; None where no axis has a column of it."""
        return drive_temperatures(self.t, self.extra, self.n)

    def __getitem__(self, name: str) -> Array:
        """Return a further column.

        Raises:
            UnknownName: if there is no such column.
        """
        if name not in self.extra:
            raise UnknownName("column of this recording", name, self.extra)
        return self.extra[name]

    def has(self, flag: Flag) -> Mask:
        """For each sample and axis whether any of the flags holds, shape ``(N, n)``."""
        return np.asarray((self.flags & np.uint16(int(flag) & 0xFFFF)) != 0, dtype=bool)

    def with_flag(self, where: ArrayLike, flag: Flag, *findings: Finding) -> Recording:
        """Return the recording with a flag on more samples, ``(N, n)`` or ``(N,)`` for all axes.

        Raises:
            InputError: if ``where`` has another shape.
        """
        mask = np.asarray(where, dtype=bool)
        if mask.shape not in ((len(self),), self.flags.shape):
            raise InputError(
                f"samples to flag need shape ({len(self)},) or {self.flags.shape}, got {mask.shape}"
            )
        added = np.broadcast_to(
            mask[:, None] if mask.ndim == 1 else mask, self.flags.shape
        ) * np.uint16(flag)
        return self.changed(
            flags=self.flags | added.astype(np.uint16), findings=(*self.findings, *findings)
        )

    def with_findings(self, *findings: Finding) -> Recording:
        """Return the recording with more findings."""
        return self.changed(findings=(*self.findings, *findings))

    def changed(self, **fields: Any) -> Recording:
        """Return the recording with other fields."""
        return replace(self, **fields)

    def select(self, chosen: slice | Mask | NDArray[np.intp]) -> Recording:
        """Return some of the samples, with their flags.

        Raises:
            InputError: if there are no such samples, or their times do not grow.
        """
        kept = chosen
        try:
            if not isinstance(chosen, slice):  # of which NumPy takes views
                kept = np.arange(len(self))[chosen]
        except IndexError as err:
            raise InputError(f"samples of this recording are 0 .. {len(self) - 1}: {err}") from None
        rows = {
            name: None if getattr(self, name) is None else getattr(self, name)[kept]
            for name in ("t", *QUANTITIES, "flags")
        }
        return self.changed(
            **rows, extra={name: values[kept] for name, values in self.extra.items()}
        )

    def segments(self, broken: Mask | None = None, gap: float = GAP) -> Iterator[slice]:
        """Yield the runs without a lost sample, and without one that is ``broken`` ``(N,)``.

        Args:
            broken: Samples that end a run.
            gap: Step that has lost a sample, in usual steps.
        """
        bad = np.zeros(len(self), dtype=bool) if broken is None else broken
        step = self.step
        ends = np.zeros(len(self) + 1, dtype=bool)
        ends[[0, -1]] = True
        ends[1:-1] = (np.diff(self.t) > gap * step) | (bad[1:] != bad[:-1])
        places = np.flatnonzero(ends)
        for start, stop in zip(places[:-1].tolist(), places[1:].tolist(), strict=True):
            if not bad[start]:
                yield slice(start, stop)

    def unsteady_segment(self) -> slice | None:
        """Return the first segment whose time stamps are not evenly spaced, or None."""
        for part in self.segments():
            t = self.t[part]
            if np.abs(t - np.linspace(t[0], t[-1], len(t))).max() > STEADY * self.step:
                return part
        return None

    def usable(
        self, avoid: Flag = UNUSABLE, axes: ArrayLike | None = None
    ) -> tuple[list[Motion], Finding]:
        """Return segments that can be used, and a finding on what is left out of them.

        A position of one axis is in the torques of all: a flag on it leaves the sample out. A flag
        on a torque leaves out that torque alone, which is NaN in the segments.

        Args:
            avoid: Flags that exclude a position or a torque.
            axes: Numbers from 1 of the axes that count; default all.

        Raises:
            InputError: if the recording has no such axis.
        """
        counted = range(1, self.n + 1) if axes is None else np.atleast_1d(axes).tolist()
        chosen = [as_int(axis, "an axis of this recording", 1, self.n) - 1 for axis in counted]
        masked = np.zeros(self.q.shape, dtype=bool)
        masked[:, chosen] = self.has(avoid & TORQUE_FLAGS)[:, chosen]
        bad = self.has(avoid & ~TORQUE_FLAGS)[:, chosen].any(axis=1)
        bad = np.asarray(bad | masked[:, chosen].all(axis=1), dtype=bool)
        tau = None if self.tau is None else np.where(masked, np.nan, self.tau)
        warm = self.temperature  # of the whole log: cells may be empty all along a segment
        motions = [
            self.select(part).motion._replace(
                tau=None if tau is None else tau[part],
                temperature=None if warm is None else warm[part],
            )
            for part in self.segments(bad)
        ]
        single = int(masked[~bad].sum())
        message = f"{int(bad.sum())} of {len(self)} samples left out"
        message += f", and {single} torques of single axes" * bool(single)
        counts = {
            flag.name: int(held.sum() if flag & TORQUE_FLAGS else held.any(axis=1).sum())
            for flag in avoid
            if (held := self.has(flag)[:, chosen]).any()
        }
        reasons = ", ".join(f"{count} {name}" for name, count in counts.items())
        return motions, Finding(message + f" ({reasons})" * bool(reasons))

    def report(self) -> str:
        """Return all findings and counts of flags, one per line."""
        lines = [repr(self).strip("<>"), *map(str, self.findings)]
        for flag in Flag:
            counts = self.has(flag).sum(axis=0)
            if counts.any():
                axes = ", ".join(
                    f"axis {i + 1}: {count}" for i, count in enumerate(counts.tolist()) if count
                )
                lines.append(f"{flag.name}: {axes}")
        return "\n".join(lines)

    def columns(self) -> dict[str, Array]:
        """Return all but the findings as columns ``(N,)`` by names with units, ``q1_deg``.

        Flags stand in columns ``flags1 ..``, and a synthetic recording has a column ``synthetic``
        of ones.

        Raises:
            InputError: if a further column has a name that :func:`read_recording` takes for one of
                these.
        """
        flags = {f"flags{i + 1}": column.astype(float) for i, column in enumerate(self.flags.T)}
        columns, own = {"t": self.t}, {"t", "synthetic", *flags}
        for quantity in QUANTITIES:
            values: Array | None = getattr(self, quantity)
            names, factor = columns_and_factors(quantity, self.linear)
            own.update(names)
            if values is not None:
                columns |= zip(names, (values / factor).T, strict=True)
        for name in self.extra:
            if name in own:
                raise InputError(
                    f"further column {name!r} has a name of the recording's own; rename it in more"
                )
        if self.flags.any():
            columns |= flags
        if self.synthetic:
            columns["synthetic"] = np.ones(len(self))
        return {**columns, **self.extra}

    def save(self, path: str | Path) -> None:
        """Write the columns to a CSV or Parquet file (by its suffix) for :func:`read_recording`.

        Raises:
            InputError: if a further column has a name of the recording's own.
            FileError: if the file cannot be written.
            MissingExtra: for Parquet without pyarrow.
        """
        write_columns(path, self.columns(), digits=12)


def _unchanging(values: ArrayLike) -> Array:
    """Return a copy as floats, or the array itself if it is one that nobody can write to."""
    if (
        isinstance(values, np.ndarray)
        and values.dtype == np.float64
        and values.flags.owndata
        and not values.flags.writeable
    ):
        return values
    return np.array(values, dtype=float)
