"""From samples to a set of parameters and the verdict on it: equations, fit, bodies, judgement, in this order."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np

from ...base_parameters import BaseParameters, base_parameters
from ...errors import InputError, UnknownName
from ...robot import Robot
from ..fits.autocorrelation import with_autocorrelation
from ..fits.lmi import Consistent, consistent
from ..fits.regression import Fit, least_squares, weighted
from ..fits.robust import huber
from ..fits.streaming import Samples, accumulated
from ..fits.torques import TorqueRows
from ..recordings.recording import Recording
from .judging import Verdict, judge, usable
from .writing import nearest

Method = Literal["consistent", "huber", "wls", "ls"]
METHODS: tuple[Method, ...] = get_args(Method)
UNLIKELY = 0.01  # that white noise remembers as much on any axis: then the covariance accounts for the memory
MEMORY = 0.1  # [s] that it accounts for: one period of the cut-off of a usual filter, 10 Hz


class NotIdentifiable(InputError):
    """Samples that do not tell the parameters apart, or of which none can be used: there is no fit to be judged."""


@dataclass(frozen=True, eq=False)
class Identification:
    """A fit, the set that was made of it, and the verdict."""

    base: BaseParameters
    fit: Fit
    found: Consistent
    verdict: Verdict


def identify(
    robot: Robot,
    estimation: Sequence[Recording],
    held_out: Sequence[Recording],
    *,
    axes: Sequence[int] | None = None,
    method: Method = "consistent",
    seed: int = 0,
) -> Identification:
    """Fit a set of parameters, friction included where the robot has a law, and judge it.

    Args:
        robot: With the tool of the logs; its own set is the prior, and the one to compare with.
        estimation: Prepared logs (:func:`.prepared`) for the fit.
        held_out: Prepared logs for the verdict.
        axes: Axes that move and count, 1-based; default all. Others stand at the median of their positions.
        method: ``consistent``: weighted least squares, and the nearest set of bodies that can exist. ``huber``, ``wls``, ``ls``:
            robust, weighted, plain; and the nearest set with exactly these sums, whether bodies can have it or not.
        seed: Of the random states that find the sums.

    Raises:
        UnknownName: if there is no such method.
        NotIdentifiable: if no sample can be used, samples do not tell the sums apart, or no body has them.
        MissingExtra: for ``consistent`` without cvxpy and clarabel.
    """
    if method not in METHODS:
        raise UnknownName("method", method, METHODS)
    held = None if axes is None else np.nanmedian(np.concatenate([recording.q for recording in estimation]), axis=0)
    base = base_parameters(robot, axes, friction=robot.friction_model is not None, held=held, seed=seed)
    rows = TorqueRows(robot, base)
    try:
        samples = Samples.of(*usable(estimation, base.axes))
        fit = _fitted(samples, rows, method)
        usable(held_out, base.axes)
    except InputError as err:
        raise NotIdentifiable(str(err)) from None
    try:
        found = consistent(fit, robot, base) if method == "consistent" else nearest(fit, robot, base)
    except InputError as err:
        raise NotIdentifiable(f"no bodies are found that move so ({err}); is the tool another one, or a term missing?") from None
    judged = judge(robot, held_out, found.parameters, base=base, fit=fit, found=found, estimation=estimation)
    if method != "huber" and (judged.whiteness.p < UNLIKELY / len(base.axes)).any():
        fit = with_autocorrelation(fit, samples, rows, max(1, round(MEMORY / estimation[0].step)))
        judged = judge(robot, held_out, found.parameters, base=base, fit=fit, found=found, estimation=estimation)
    return Identification(base, fit, found, judged)


def _fitted(samples: Samples, rows: TorqueRows, method: Method) -> Fit:
    if method == "huber":
        return huber(samples, rows)
    total = accumulated(samples, rows)
    return least_squares(total) if method == "ls" else weighted(total)
