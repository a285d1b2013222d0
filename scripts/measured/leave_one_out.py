"""Deviations from which a mistake counts, chosen without a robot and tried on it, in turn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping

import numpy as np

from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import Identification, prepare_logs, usable_segments
from irbmodels.identification.validation.mistakes import Mistake, blocks_of, find_mistakes
from irbmodels.robot.torque_regressor import TorqueRegressor

from .spoilt_logs import copies

TRIED = {
    "zero of axis 2 shifted by 3 deg": ("zero", (1,)),
    "zero of axis 3 shifted by 3 deg": ("zero", (2,)),
    "torque of axis 2 by 1.1": ("gain", (1,)),
    "a fifth of the rated payload": ("payload", None),
}


def rows(known: Mapping[str, tuple[Identification, Recording]]) -> Iterator[tuple[str, ...]]:
    """Yield per arm what its own log says of a constant that others chose.

    Args:
        known: Identification of each arm, and a log that it has not seen.
    """
    clean, spoilt = {}, {}
    for name, (result, log) in known.items():
        spoils = copies(name, result.parameters.robot)
        clean[name] = max(map(_deviations, _mistakes(name, result, log)), default=0.0)
        spoilt[name] = [
            max(
                (
                    _deviations(one)
                    for one in _mistakes(name, result, spoils[title](log))
                    if one.kind == kind and axes in (None, one.axes)
                ),
                default=0.0,
            )
            for title, (kind, axes) in TRIED.items()
        ]
    for name in known:
        chosen = math.ceil(max(value for other, value in clean.items() if other != name))
        yield (
            name,
            f"{clean[name]:.1f}",
            str(chosen),
            "yes" if clean[name] > chosen else "no",
            *(f"{value:.1f}" + ("" if value > chosen else " (missed)") for value in spoilt[name]),
        )


def _deviations(mistake: Mistake) -> float:
    # a sign is a gain that is far from 1
    return math.inf if math.isnan(mistake.estimate) else abs(mistake.estimate) / mistake.deviation


def _mistakes(name: str, known: Identification, log: Recording) -> list[Mistake]:
    robot, values = known.parameters.robot, known.parameters.vector
    logs = prepare_logs(robot, [log])
    regressor, last = TorqueRegressor(robot), 10 * (robot.model.njoints - 2)
    return find_mistakes(
        blocks_of(usable_segments(logs.estimation, range(robot.n))),
        lambda q, v, a: np.asarray(regressor(q, v, a) @ values),
        lambda q, v, a: regressor(q, v, a)[:, :, last : last + 4],
        robot.limits.linear,
        0.02 * sum(float(body.mass) for body in list(robot.model.inertias)[1:]),
        sure=0.0,
        share=-np.inf,
    )
