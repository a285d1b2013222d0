"""Logs larger than memory, read in pieces once per pass, here or on Dask, with one result."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from copy import deepcopy
from functools import partial, reduce
from pathlib import Path
from typing import Any, Protocol, TypeVar

from ...errors import InputError, MotionError, require
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.motion_files import open_motion
from .accumulator import Accumulator, Equations


class Mergeable(Protocol):
    """Sums over samples."""

    def merge(self, other: Any) -> Any:
        """Return the sums over both."""


M = TypeVar("M", bound=Mergeable)


class Samples:
    """Logs of one experiment.

    What is summed runs along each log on its own, and then over the logs in their order.
    """

    def __init__(
        self, logs: Sequence[Any], read: Callable[[Any], Iterable[Motion]], client: Any = None
    ) -> None:
        """Take the logs, and what opens one of them anew each time.

        Args:
            logs: Names, numbers, motions: whatever ``read`` takes.
            read: Returns the pieces of one log, in the order of time.
            client: A ``dask.distributed.Client``; None reads here.

        Raises:
            InputError: if there is no log.
        """
        self.logs, self.read, self.client = tuple(logs), read, client
        if not self.logs:
            raise InputError("samples need one log or more")

    @staticmethod
    def of(*motions: Motion) -> Samples:
        """Return samples that lie in memory; each motion is a log of its own."""
        return Samples(motions, _alone)

    def reduce(self, of_log: Callable[[Iterable[Motion]], M]) -> M:
        """Apply ``of_log`` to the pieces of each log, and merge the results in their order."""
        one = partial(_reduced, read=self.read, of_log=of_log)
        if self.client is None:
            return reduce(_merged, map(one, self.logs))
        parts = self.client.map(one, self.logs, pure=False)
        total = reduce(
            lambda done, part: self.client.submit(_merged, done, part, pure=False), parts
        )
        del parts  # what is merged may be forgotten
        result: M = total.result()
        return result

    def fold(self, add: Callable[[M, Iterable[Motion]], M], empty: M) -> M:
        """Add the pieces of each log to sums that start ``empty``, and return these.

        Without a client there is one sum for all logs, which may be thousands of short segments;
        with one each log has its own, and these are merged in their order.
        """
        if self.client is not None:
            return self.reduce(partial(_added, add=add, empty=empty))
        total = deepcopy(empty)
        for log in self.logs:
            total = add(total, self.read(log))
        return total


def accumulate(samples: Samples, rows: Equations) -> Accumulator:
    """Return the triangular factors of all samples: one pass, whatever their number."""
    empty = Accumulator(rows.size, rows.names, rows.units)
    return samples.fold(partial(_accumulated, rows=rows), empty)


def from_files(paths: Sequence[str | Path], robot: Robot, window: float | None = None) -> Samples:
    """Return the samples of motion files (:func:`irbmodels.open_motion`), read in pieces.

    Args:
        paths: Files; each is a log of its own.
        robot: Robot of the logs.
        window: Length of the filter [s] that derives speeds which a file does not have.

    Raises:
        FileError: if a file does not exist.
        MotionError: if its header does not fit the robot, or has no torques.
    """
    if isinstance(paths, str | Path):
        raise InputError(f"paths are a list of files: [{str(paths)!r}]")
    files = [Path(path) for path in paths]
    for file in files:
        if "tau" not in open_motion(file, robot).columns:
            raise MotionError(f"{file}: no torques: columns tau1_Nm .. are missing")
    return Samples(files, partial(_pieces, robot=robot, window=window))


def on_dask(samples: Samples, client: Any) -> Samples:
    """Return the samples read by the workers of a Dask cluster, each log by one worker.

    Args:
        samples: Files must lie where the workers see them.
        client: A ``dask.distributed.Client`` of a running cluster, or of
            ``LocalCluster(n_workers=2)``.

    Raises:
        MissingExtra: without dask.
        InputError: if it is no client.
    """
    require("distributed", "logs")
    from distributed import Client

    if not isinstance(client, Client):
        raise InputError(f"a cluster is reached through a dask.distributed.Client, not {client!r}")
    return Samples(samples.logs, samples.read, client)


def _accumulated(total: Accumulator, pieces: Iterable[Motion], rows: Equations) -> Accumulator:
    for Y, y in rows(pieces):
        total.add(Y, y)
    return total


def _added(pieces: Iterable[Motion], add: Callable[[M, Iterable[Motion]], M], empty: M) -> M:
    return add(deepcopy(empty), pieces)


def _alone(motion: Motion) -> tuple[Motion]:
    return (motion,)


def _reduced(
    log: Any, read: Callable[[Any], Iterable[Motion]], of_log: Callable[[Iterable[Motion]], M]
) -> M:
    return of_log(read(log))


def _merged(one: M, other: M) -> M:
    result: M = one.merge(other)
    return result


def _pieces(path: Path, robot: Robot, window: float | None) -> Iterable[Motion]:
    return open_motion(path, robot).motions(window)
