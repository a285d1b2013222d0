"""Samples of one elastic axis: torque, speed of the motor, sensor on the arm (S003 3.3.2)."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple, get_args

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_choice, as_int, number
from ...errors import InputError
from ...model.types import Array
from ...simulation import Run
from ...trajectory.rate_consistency import GAP
from ..recordings.recording import STEADY

Hold = Literal["zero", "linear"]

SIGNALS = ("torque", "speed", "angle", "arm_speed", "arm_acceleration")
OUTPUTS = ("speed", "arm_speed", "arm_acceleration")
_FEWEST = 100  # samples; three states and four parameters, and as much again to validate them
_GEARED = 10.0  # gear ratio from which the limits of a servo motor are checked
_FASTEST = 1000.0  # [rad/s] of a servo motor: 9500 rpm
_STRONGEST = 300.0  # [N m] of a servo motor
# arm speed times gear ratio over motor speed: degrees are 57, and the motor's own speed is the gear
# ratio
_APART = 30.0


class Highpass(NamedTuple):
    """Causal Butterworth high-pass that data were filtered with."""

    cutoff: float
    """[Hz]"""
    order: int

    def sections(self, step: float) -> Array:
        """Second-order sections for samples ``step`` seconds apart."""
        from scipy.signal import butter

        return np.asarray(
            butter(self.order, self.cutoff, "highpass", fs=1.0 / step, output="sos"), dtype=float
        )


@dataclass(frozen=True, eq=False, repr=False)
class OneAxisData:
    """Regular samples of one axis while the others stand still.

    Arrays are read-only, shape ``(N,)``.

    Raises:
        InputError: if a shape, a time or a number is wrong, there are too few samples, nothing
            moves, or a unit cannot be right.
        UnknownName: if there is no such hold.
    """

    t: Array
    """Times [s], equally spaced."""
    torque: Array
    """Of the motor, motor side [N m]."""
    speed: Array
    """Of the motor, motor side [rad/s]."""
    gear_ratio: float
    """Turns of the motor per turn of the axis; 1 for numbers at the arm side."""
    arm_speed: Array | None = None
    """Of the link, about the axis [rad/s], from a gyroscope on the arm."""
    arm_acceleration: Array | None = None
    """Of the link, about the axis [rad/s^2].

    That of a tangential accelerometer divided by its distance from the axis.
    """
    angle: Array | None = None
    """Of the motor, motor side [rad].

    Not fitted; Figure 3.6 compares it with the model of four states.
    """
    hold: Hold = "zero"
    """Torque between samples.

    ``zero`` keeps the value (a command that a drive holds), ``linear`` interpolates.
    """
    highpass: Highpass | None = None
    """Filter of all signals, by :meth:`prepared`."""
    source: str = ""
    synthetic: bool = False
    """True if it comes from a model instead of a robot."""
    notes: tuple[str, ...] = ()
    """Processing of the samples."""

    def __post_init__(self) -> None:
        """Check everything and keep read-only copies."""
        t = _signal("t", self.t, None)
        if t.size < _FEWEST:
            raise InputError(
                f"{t.size} samples are too few for a fit of a flexible joint: it takes {_FEWEST}"
            )
        _regular(t)
        arrays = {"t": t} | {
            name: _signal(name, getattr(self, name), t.size)
            for name in SIGNALS
            if getattr(self, name) is not None
        }
        for name, array in arrays.items():
            array.setflags(write=False)
            object.__setattr__(self, name, array)
            if name != "t" and not np.ptp(array) > 1e-12 * np.abs(array).max():
                raise InputError(
                    f"{name} is constant: {array[0]:g} in all {t.size} samples; nothing can be"
                    " learnt from it"
                )
        as_choice(self.hold, get_args(Hold), "hold")
        ratio = self.gear_ratio
        if not number(ratio, "the gear ratio, turns of the motor per turn of the axis,"):
            raise InputError("the gear ratio, turns of the motor per turn of the axis, is 0")
        self._check_units()

    def _check_units(self) -> None:
        ratio = abs(self.gear_ratio)
        fastest, strongest = np.abs(self.speed).max(), np.abs(self.torque).max()
        if ratio >= _GEARED and fastest > _FASTEST:
            raise InputError(
                f"speed reaches {fastest:.4g}, too fast for a motor in rad/s; is it in rpm? (1 rpm"
                " = pi/30 rad/s)"
            )
        if ratio >= _GEARED and strongest > _STRONGEST:
            raise InputError(
                f"torque reaches {strongest:.4g} N m, too much for a motor behind a gear of"
                f" {ratio:g}; is it at the arm side? divide by the gear ratio"
            )
        if self.arm_speed is not None:
            share = float(np.std(self.arm_speed) * ratio / np.std(self.speed))
            if not 1.0 / _APART < share < _APART:
                raise InputError(
                    f"arm_speed times the gear ratio is {share:.3g} times the motor's speed"
                    " (standard deviations); it is that of the link, in rad/s"
                )

    @staticmethod
    def of_run(
        run: Run, axis: int, gear_ratio: float, *, arm: bool = False, hold: Hold = "zero"
    ) -> OneAxisData:
        """Return motor and sensor signals of an axis of a simulated arm with elastic joints.

        Torque and speed of the motor come back to the motor's side by the gear ratio; no other axis
        may turn this motor.

        Args:
            run: Run of ``FlexibleRobot.simulate``.
            axis: From 1.
            gear_ratio: Turns of the motor per turn of the axis.
            arm: True to take the speed of the link as a second output.
            hold: Torque between samples. ``simulate`` holds given samples, and a run has at each
                time the torque that was held until then; a function of time is best interpolated.

        Raises:
            InputError: if there is no such axis, or its samples are no data to fit.
            UnknownName: if the run has no motors: it is of a rigid arm.
        """
        theta, theta_dot, tau = run["theta"], run["theta_dot"], run.tau
        as_int(axis, "axis of this run", 1, theta.shape[1])
        i, n, count = axis - 1, float(gear_ratio), len(run.t) - (hold == "zero")
        return OneAxisData(
            run.t[:count],
            tau[len(run.t) - count :, i] / n,
            theta_dot[:count, i] * n,
            n,
            arm_speed=run.v[:count, i] if arm else None,
            angle=theta[:count, i] * n,
            hold=hold,
            source=f"simulation of {run.notes.get('robot', '?')}, axis {axis}",
            synthetic=True,
        )

    def __len__(self) -> int:
        """Return the number of samples."""
        return len(self.t)

    @property
    def step(self) -> float:
        """Time between samples [s]."""
        return float(self.t[-1] - self.t[0]) / (len(self) - 1)

    @property
    def outputs(self) -> tuple[str, ...]:
        """Names of the measured outputs that a fit explains."""
        return tuple(name for name in OUTPUTS if getattr(self, name) is not None)

    @property
    def measured(self) -> Array:
        """Those outputs, shape ``(N, outputs)``."""
        return np.column_stack([getattr(self, name) for name in self.outputs])

    def prepared(
        self,
        start: float = 0.0,
        end: float = 0.0,
        *,
        mean: bool = True,
        highpass: float | None = None,
        order: int = 2,
    ) -> OneAxisData:
        """Filter, trim and remove means, as S003 does.

        Torque and measurements alike, so that the model stays the same. A fit accounts for it
        exactly: the transient of the filter and an offset are estimated with the initial state.
        There is no decimation: it would violate the hold of the torque between samples, and a fit
        of 1e5 samples is quick.

        Args:
            start: Seconds to leave out at the beginning.
            end: Seconds to leave out at the end.
            mean: True to remove the mean of each signal.
            highpass: Cut-off of a causal Butterworth high-pass [Hz]; S003 has 0.01 of Nyquist's
                frequency, 2.5 Hz.
            order: Of that filter; S003 does not print it.

        Raises:
            InputError: if too little is left, the cut-off is not below Nyquist's frequency, or the
                data are filtered already.
        """
        from scipy.signal import sosfilt, sosfilt_zi

        number(start, "start, the time to leave out [s],", 0.0)
        number(end, "end, the time to leave out [s],", 0.0)
        signals, notes, applied = self._signals(), list(self.notes), self.highpass
        if highpass is not None:
            if applied is not None:
                raise InputError(
                    f"these data went through a high-pass of {applied.cutoff:g} Hz already"
                )
            if not 0.0 < highpass < (0.5 - 1e-9) / self.step:
                raise InputError(
                    f"the high-pass needs a cut-off between 0 and {0.5 / self.step:g} Hz, not"
                    f" {highpass!r}"
                )
            applied = Highpass(float(highpass), as_int(order, "order of the high-pass", 1, 8))
            sections = applied.sections(self.step)
            rest = sosfilt_zi(sections)
            signals = {name: sosfilt(sections, x, zi=rest * x[0])[0] for name, x in signals.items()}
            notes.append(
                f"high-pass {highpass:g} Hz, Butterworth of order {order}, on torque and"
                " measurements"
            )
        first, last = round(start / self.step), len(self) - round(end / self.step)
        if last - first < _FEWEST:
            raise InputError(
                f"leaving out {start:g} s and {end:g} s of {len(self) * self.step:g} s leaves too"
                " few samples"
            )
        if first or last < len(self):
            notes.append(f"{first} samples left out at the start, {len(self) - last} at the end")
        signals = {name: x[first:last] for name, x in signals.items()}
        if mean:
            signals = {name: x - x.mean() for name, x in signals.items()}
            notes.append("means removed")
        return replace(self, t=self.t[first:last], highpass=applied, notes=tuple(notes), **signals)

    def split(self, share: float = 0.5) -> tuple[OneAxisData, OneAxisData]:
        """Split into the first ``share`` of the samples, for estimation, and the rest.

        Raises:
            InputError: if one part would have too few samples.
        """
        at = round(share * len(self)) if 0.0 < share < 1.0 else 0
        if not _FEWEST <= at <= len(self) - _FEWEST:
            raise InputError(
                f"a share of {share!r} of {len(self)} samples does not leave {_FEWEST} on both"
                " sides"
            )
        return tuple(  # type: ignore[return-value]
            replace(self, t=self.t[part], **{name: x[part] for name, x in self._signals().items()})
            for part in (slice(None, at), slice(at, None))
        )

    def __repr__(self) -> str:
        """Return source, samples and signals in one line."""
        kind = "Synthetic data" if self.synthetic else "Data"
        span = f"{len(self)} samples at {1.0 / self.step:.6g} Hz"
        return (
            f"<{kind} of one axis{f', {self.source}' if self.source else ''}: {span}, torque and"
            f" {', '.join(self.outputs)}>"
        )

    def _signals(self) -> dict[str, Any]:
        return {name: getattr(self, name) for name in SIGNALS if getattr(self, name) is not None}


def _signal(name: str, values: ArrayLike, size: int | None) -> Array:
    try:
        array = np.array(values, dtype=float)
    except (TypeError, ValueError) as err:
        raise InputError(f"{name} is not an array of numbers: {err}") from None
    if array.ndim != 1 or (size is not None and array.size != size):
        raise InputError(
            f"{name} needs shape {'(N,)' if size is None else (size,)}, got {array.shape}"
        )
    bad = np.flatnonzero(~np.isfinite(array))
    if bad.size:
        raise InputError(
            f"{name} has {bad.size} of {array.size} samples that are not finite, the first at index"
            f" {bad[0]}"
        )
    return array


def _regular(t: Array) -> None:
    steps = np.diff(t)
    usual = float(np.median(steps))
    if not (steps > 0.0).all():
        raise InputError(f"times must grow; at index {int(np.argmin(steps > 0.0)) + 1} they do not")
    lost = np.flatnonzero(steps > GAP * usual)
    wander = np.abs(t - np.linspace(t[0], t[-1], t.size)).max()
    if lost.size or wander > STEADY * usual:
        where = (
            f"a step of {steps[lost[0]]:g} s after t = {t[lost[0]]:g} s"
            if lost.size
            else f"times wander by {wander:g} s"
        )
        raise InputError(
            f"the samples are not {usual:g} s apart: {where}; resample them, or take a stretch"
            " without holes"
        )
