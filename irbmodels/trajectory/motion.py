"""Samples of a motion."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from ..checks import as_callable, as_instance, as_list, numbers
from ..errors import InputError
from ..model.limits import Limits
from ..model.types import Array

_FASTEST = 100.0  # times the speed limit: beyond it a column is not what its name says
_CALLED = {"v": "speeds", "a": "accelerations", "tau": "torques"}


class Motion(NamedTuple):
    """Samples of a motion in SI units: ``t`` ``(N,)``, the others ``(N, n)``.

    What is not known is None.
    """

    t: Array
    q: Array
    v: Array | None = None
    a: Array | None = None
    tau: Array | None = None

    def each(self, change: Callable[[Array], Array]) -> Motion:
        """Return the motion with one change made to every array that is there."""
        as_callable(change, "a change of a motion is a function of an array")
        return Motion(
            change(self.t), change(self.q), *(None if x is None else change(x) for x in self[2:])
        )

    @staticmethod
    def joined(pieces: Sequence[Motion]) -> Motion:
        """Return pieces one after another; what one of them lacks, the whole lacks.

        Raises:
            InputError: if there are none, one is no motion or one of other axes, or it begins
                before the one before it ends.
        """
        pieces = as_list(pieces, Motion, "a motion is joined of a list of motions")
        if not pieces:
            raise InputError("a motion is joined of one piece or more, and this list is empty")
        for i, (first, second) in enumerate(pairwise(pieces)):
            axes = np.shape(first.q)[1:], np.shape(second.q)[1:]
            if axes[0] != axes[1]:
                raise InputError(
                    f"pieces {i + 1} and {i + 2} of a motion have other axes: rows of shape"
                    f" {axes[0]} and {axes[1]}"
                )
            if len(first.t) and len(second.t) and not second.t[0] > first.t[-1]:
                times = f"{second.t[0]:g} s, and piece {i + 1} ends at {first.t[-1]:g} s"
                raise InputError(f"piece {i + 2} of a motion begins at {times}: times have to grow")
        t, q = (
            np.concatenate([piece.t for piece in pieces]),
            np.concatenate([piece.q for piece in pieces]),
        )
        rest = (
            _concatenated(column) for column in zip(*(piece[2:] for piece in pieces), strict=True)
        )
        return Motion(t, q, *rest)


def _concatenated(column: Sequence[Array | None]) -> Array | None:
    known = [x for x in column if x is not None]
    return np.concatenate(known) if len(known) == len(column) else None


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
        motion: What was given for one.
        purpose: What it is needed for, as the errors begin: ``"a process load"``.
        needs: Columns that must be there.
        n: Number of axes; default as many as q has.
        name: Of the robot whose motion it should be.
        least: Samples that it must have.

    Raises:
        InputError: if it is no motion, lacks a column or samples, its times do not grow, or an
            array has another shape or is not finite.
    """
    given = as_instance(motion, Motion, f"{purpose} needs a Motion")
    wanted = " and ".join(_CALLED[column] for column in needs)
    if any(getattr(given, column) is None for column in needs):
        derived = (
            ""
            if "tau" in needs
            else "; irbmodels.open_motion(path, robot) derives them from a file"
        )
        raise InputError(f"{purpose} needs a motion with {wanted}{derived}")
    t = numbers(given.t, "t of a motion")
    if t.ndim != 1 or len(t) < least or not np.isfinite(t).all() or not (np.diff(t) > 0.0).all():
        raise InputError(
            f"{purpose} needs a motion of {least} or more samples, whose times are finite and grow"
        )
    columns = {column: numbers(values, f"{column} of a motion") for column, values in _there(given)}
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
    return Motion(t, **columns)


def too_far(motion: Motion, limits: Limits) -> Iterator[tuple[int, int, str, str]]:
    """Yield sample, axis and quantity of the first position, and speed, that is another unit's, and what it is more than."""
    for quantity, values, bound, what in (
        ("q", motion.q, 3.0 * limits.largest(), "three times the largest limit"),
        ("v", motion.v, _FASTEST * limits.velocity, f"{_FASTEST:g} times the speed limit"),
    ):
        for sample, axis in np.argwhere(np.abs(values) > bound)[:1] if values is not None else ():
            yield int(sample), int(axis), quantity, what


def _there(motion: Motion) -> list[tuple[str, Array]]:
    """Return the columns beside the times that are there; q has to be."""
    more = zip(Motion._fields[2:], motion[2:], strict=True)
    return [("q", motion.q), *((name, values) for name, values in more if values is not None)]
