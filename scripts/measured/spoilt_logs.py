"""Levels of sets on copies of logs with one usual mistake each."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

import numpy as np

from irbmodels.errors import InputError
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import Identification, evaluate, identify, prepare_logs
from irbmodels.identification.validation.verdict import Verdict
from irbmodels.model.inertia import Inertial
from irbmodels.robot.robot import Robot

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))
from spoilt import spoilt

Spoil = Callable[[Recording], Recording]
# payloads of the data sheets [kg]
RATED = {"ur10e": 10.0, "ur10": 10.0, "kr300": 300.0, "tx40": 2.3, "panda": 3.0, "ar5": 5.0}


COPIES = 14  # as measured, twelve mistakes, and the wrong robot


def copies(name: str, robot: Robot) -> dict[str, Spoil]:
    """Return what spoils a log, by a description."""
    return {
        "as measured": lambda log: log,
        "positions in degrees, read as radians": partial(spoilt, kind="degrees"),
        "torque of axis 3 in kN m": partial(spoilt, kind="gain", axis=2, size=1e-3),
        "sign of the torque of axis 2": partial(spoilt, kind="torque sign", axis=1),
        "sign of axis 3": partial(spoilt, kind="sign", axis=2),
        "axes 2 and 3 swapped": partial(spoilt, kind="swap", axis=1),
        "zero of axis 2 shifted by 3 deg": partial(
            spoilt, kind="zero", axis=1, size=np.deg2rad(3.0)
        ),
        "zero of axis 3 shifted by 3 deg": partial(
            spoilt, kind="zero", axis=2, size=np.deg2rad(3.0)
        ),
        "torque of axis 2 by 1.1": partial(spoilt, kind="gain", axis=1, size=1.1),
        "a fifth of the rated payload": partial(
            _carrying, robot=robot, mass=0.2 * _rated(name, robot)
        ),
        "torque of axis 2 clipped at 60 %": partial(spoilt, kind="clipped", axis=1, size=0.6),
        "torques 20 ms late": partial(spoilt, kind="late", size=0.02),
        "a fifth of the rows missing": partial(spoilt, kind="missing", size=0.2),
    }


def _rated(name: str, robot: Robot) -> float:
    if robot.description is None:
        return RATED[name]
    return float(robot.description.limits.ratings.payload_kg or np.nan)


def _carrying(log: Recording, robot: Robot, mass: float) -> Recording:
    """Return a log with the torques of a payload that is 100 mm in front of the flange."""
    ready = prepare_logs(robot, [log], bandwidth=5.0, late=0.0).estimation[0]
    assert ready.v is not None
    assert ready.a is not None
    payload = Inertial.of(mass, [0.0, 0.0, 0.1], 0.01 * mass * np.eye(3))
    bare = robot.with_friction(None)
    states = [np.nan_to_num(part) for part in (ready.q, ready.v, ready.a)]
    added = bare.with_payload(payload).inverse_dynamics(*states, friction=False)
    added -= bare.inverse_dynamics(*states, friction=False)
    return log.changed(tau=np.asarray(log.tau) + added)


def rows(
    name: str,
    robot: Robot,
    other: Identification,
    clean: Identification,
    fit: Sequence[Recording],
    held_out: Recording,
) -> Iterator[tuple[str, str, str]]:
    """Yield a mistake, and what `validate` and `identify` say of it.

    Args:
        name: Of the arm.
        robot: With the prior.
        other: Identification of another arm, whose set is the wrong robot's.
        clean: Of this arm, from logs without a mistake.
        fit: Logs of the fit.
        held_out: Another one.
    """
    for title, spoil in copies(name, robot).items():
        yield (
            title,
            _said(lambda spoil=spoil: _validated(clean, spoil(held_out))),
            _said(
                lambda spoil=spoil: _identified(robot, [spoil(one) for one in fit], spoil(held_out))
            ),
        )
    yield (
        f"the robot is a {other.parameters.robot.name}",
        _said(lambda: _validated(other, held_out)),
        _said(lambda: _identified(other.parameters.robot, fit, held_out)),
    )


def _validated(known: Identification, log: Recording) -> Verdict:
    robot = known.parameters.robot
    logs = prepare_logs(robot, [log], late=0.0)
    return evaluate(robot, logs.estimation, known.parameters.vector)


def _identified(robot: Robot, fit: Sequence[Recording], held_out: Recording) -> Verdict:
    logs = prepare_logs(robot, fit, [held_out])
    return identify(robot, logs.estimation, logs.held_out).verdict


def _said(judge: Callable[[], Verdict]) -> str:
    """Return the level and the first limitation, or the refusal."""
    try:
        verdict = judge()
    except InputError as err:
        return f"refused: {str(err).rpartition(': ')[2] if len(str(err)) > 160 else err}"
    first = next((one.message for one in verdict.limitations if one.level == verdict.level), "")
    return f"**{verdict.level}**" + (f": {first}" if verdict.level != "reference" else "")
