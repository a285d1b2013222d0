"""Samples of a motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import Any, NamedTuple

import numpy as np

from ..checks import as_callable, as_instance, as_list, numbers
from ..errors import InputError
from ..model.limits import Limits
from ..model.types import Array

FARTHEST, FASTEST = 3.0, 100.0
"""Times the largest position, and the speed limit: beyond it a column is not what its name says."""
_NUMBERS = ("q", "v", "a", "tau")
_NAMES = {"v": "speeds", "a": "accelerations", "tau": "torques"}


class Motion(NamedTuple):
    """Samples of a motion in SI units: ``t`` ``(N,)``, the others ``(N, n)``.

    What is not known is None.
    """

    t: Array
    q: Array
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None
    temperature: Array | None = None
    """Of the drives [deg C], NaN where it is unknown."""

    def each(self, change: Callable[[Array], Array]) -> Motion:
        """Return the motion with a function applied to every array that is there."""
        as_callable(change, "a change of a motion is a function of an array")
        return Motion(
            change(self.t), change(self.q), *(None if x is None else change(x) for x in self[2:])
        )

    def slice(
        self, start: int | None = None, stop: int | None = None, step: int | None = None
    ) -> Motion:
        """Return some of the samples, as ``t[start:stop:step]``."""
        return self.each(lambda x: x[start:stop:step])

    @staticmethod
    def joined(pieces: Sequence[Motion]) -> Motion:
        """Return pieces one after another; a column that one of them lacks is None.

        Raises:
            InputError: if there are none, one is no motion or one of other axes, or it begins
                before the one before it ends.
        """
        pieces = as_list(pieces, Motion, "a motion is joined of a list of motions")
        if not pieces:
            raise InputError("a motion is joined of one piece or more, and this list is empty")
        for i, (first, second) in enumerate(pairwise(pieces), start=1):
            axes = np.shape(first.q)[1:], np.shape(second.q)[1:]
            if axes[0] != axes[1]:
                raise InputError(
                    f"pieces {i} and {i + 1} of a motion have other axes: rows of shape {axes[0]}"
                    f" and {axes[1]}"
                )
            if len(first.t) and len(second.t) and not second.t[0] > first.t[-1]:
                times = f"{second.t[0]:g} s, and piece {i} ends at {first.t[-1]:g} s"
                raise InputError(f"piece {i + 1} of a motion begins at {times}: times have to grow")
        columns: list[Any] = []
        for column in zip(*pieces, strict=True):
            known = [x for x in column if x is not None]
            columns.append(np.concatenate(known) if len(known) == len(column) else None)
        return Motion(*columns)


def checked_motion(
    motion: Motion,
    purpose: str,
    needs: Sequence[str] = ("v", "a"),
    n: int | None = None,
    name: str = "",
    least: int = 1,
) -> Motion:
    """Return a motion of finite arrays that go together.

    Args:
        motion: The motion to check.
        purpose: Its use, as the errors begin: ``"a process load"``.
        needs: Columns that must be there.
        n: Number of axes; default as many as q has.
        name: Of the robot whose motion it should be.
        least: Samples that it must have.

    Raises:
        InputError: if it is no motion, lacks a column or samples, its times do not grow, or an
            array has another shape or is not finite.
    """
    as_instance(motion, Motion, f"{purpose} needs a Motion")
    if any(getattr(motion, column) is None for column in needs):
        wanted = " and ".join(_NAMES[column] for column in needs)
        advice = "; irbmodels.open_motion(path, robot) derives them from a file"
        raise InputError(
            f"{purpose} needs a motion with {wanted}{'' if 'tau' in needs else advice}"
        )
    t = numbers(motion.t, "t of a motion")
    if t.ndim != 1 or len(t) < least or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise InputError(
            f"{purpose} needs a motion of {least} or more samples, whose times are finite and grow"
        )
    temperature = motion.temperature
    columns = {
        name: numbers(values, f"{name} of a motion")
        for name, values in zip(_NUMBERS, motion[1:], strict=False)
        if values is not None or name == "q"
    }
    axes = columns["q"].shape[-1] if n is None and columns["q"].ndim == 2 else n
    whose = f" of {name}" if name else ""
    for column, values in columns.items():
        if values.shape != (len(t), axes):
            raise InputError(
                f"{column} of a motion{whose} needs shape ({len(t)}, {axes or 'n'}), got"
                f" {values.shape}"
            )
        bad = np.argwhere(~np.isfinite(values))
        if len(bad):
            raise InputError(
                f"{column} of axis {bad[0][1] + 1} is not finite at t = {t[bad[0][0]]:.6g} s"
            )
    return Motion(t, **columns, temperature=temperature)


def implausible_values(
    motion: Motion, limits: Limits, quantities: str = "qv"
) -> Iterator[tuple[int, int, str, str]]:
    """Yield the first position, and the first speed, that is surely in another unit.

    Args:
        motion: Samples.
        limits: Of the robot.
        quantities: Those to check.

    Yields:
        Sample, axis, quantity, and the bound that it exceeds in words.
    """
    bounds = {
        "q": (FARTHEST * limits.largest(), "three times the largest limit"),
        "v": (FASTEST * limits.velocity, f"{FASTEST:g} times the speed limit"),
    }
    for quantity in quantities:
        values, (bound, what) = getattr(motion, quantity), bounds[quantity]
        for sample, axis in np.argwhere(np.abs(values) > bound)[:1] if values is not None else ():
            yield int(sample), int(axis), quantity, what
