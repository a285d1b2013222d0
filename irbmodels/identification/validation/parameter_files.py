"""The set of parameters that a fit leads to, and its file in the tables' own format."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import yaml

from ...errors import InputError
from ...files import replacing
from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.uncertainty import record_of_uncertainty
from ...tables.writing import write_tables
from ..fits.identified_parameters import IdentifiedParameters
from ..fits.regression import Fit
from .verdict import Verdict


def nearest_parameters(fit: Fit, robot: Robot, base: BaseParameters) -> IdentifiedParameters:
    """Return the set nearest to the robot's own with the base parameters of a fit.

    Bodies may be physically impossible.

    Least squares of the moves, each in units of what a body has of its kind: mass, ``sqrt(mass *
    second moment)``, second moment.

    Args:
        fit: Of torques.
        robot: With the tool of the experiment.
        base: Base parameters of the fit.
    """
    bare = robot.with_load().parameter_vector()
    carried = robot.parameter_vector() - bare
    last = 10 * (robot.model.njoints - 1)
    size = np.concatenate([_sizes(bare[:last]), np.ones(bare.size - last)])
    wanted = fit.beta - base.values(bare + carried)
    own = bare + size * np.linalg.lstsq(base.grouping * size, wanted, rcond=None)[0]
    return IdentifiedParameters.of(fit, robot, base, own, carried)


def _sizes(bodies: Array) -> Array:
    rows = bodies.reshape(-1, 10)
    mass, second = (
        np.maximum(rows[:, :1], 0.0),
        np.maximum(0.5 * rows[:, [4, 6, 9]].sum(axis=1, keepdims=True), 0.0),
    )
    kinds = [mass, np.repeat(np.sqrt(mass * second), 3, axis=1), np.repeat(second, 6, axis=1)]
    return np.concatenate(kinds, axis=1).ravel()


def write_parameter_set(
    path: str | Path,
    found: IdentifiedParameters,
    verdict: Verdict,
    ref: str,
    name: str = "identified",
) -> Path:
    """Write a set for ``irbmodels.load(..., parameters=path)``, with its verdict.

    Links without influence keep what the robot has. Friction is stated as measured up to the speed
    that every rotary axis has reached in the logs. A poor or wrong set is written, and warns when
    it is loaded.

    Args:
        path: File to write, with the suffix .yaml.
        found: Set of bodies and friction.
        verdict: Verdict on the set.
        ref: Where the samples come from.
        name: Of the set of inertials, and of the set of friction.

    Raises:
        InputError: if it is no .yaml file, or friction or a rotor would drive an axis.
        FileError: if it cannot be written; then nothing is.
    """
    file = Path(path)
    if file.suffix != ".yaml":
        raise InputError(f"a set of parameters is a .yaml file, not {str(path)!r}")
    if verdict.negative_parameters:
        raise InputError(
            f"{', '.join(verdict.negative_parameters)} is negative: friction or a rotor would drive"
            " the axis; method consistent keeps it from that"
        )
    with replacing(file) as temporary:
        found.write(temporary, name, ref, _about(verdict))
        table: dict[str, Any] = yaml.safe_load(temporary.read_text(encoding="utf-8"))
        if verdict.impossible_bodies:
            chosen = table["inertials"]["sets"][name]
            chosen["impossible"] = sorted(
                {*chosen.get("impossible", ()), *verdict.impossible_bodies}
            )
        rotary = [
            float(v)
            for v, unit in zip(verdict.coverage.speed, verdict.units, strict=True)
            if unit == "N m"
        ]
        if "friction" in table and rotary:
            kept = not np.isfinite(found.friction[:, :2]).all()
            law = found.robot.friction_model
            before = law.measured_to if kept and law is not None else None
            table["friction"]["sets"][name]["measured_to_rad_s"] = (
                min(rotary) if before is None else min(before, *rotary)
            )
        table["identified"] = {
            "level": verdict.level,
            "reasons": list(verdict.reasons),
            "sums": {one.name: [one.estimate, one.deviation] for one in verdict.estimates},
        }
        if found.uncertainty is not None:
            table["identified"]["uncertainty"] = record_of_uncertainty(found.uncertainty)
        write_tables(temporary.parent, {temporary.stem: table}, f"{verdict.robot}: {ref}")
    return file


def _about(verdict: Verdict) -> str:
    axes = ", ".join(f"{value:.1f}" for value in verdict.held_out.rmse_over_average)
    worth = verdict.level.upper() + ": " if verdict.level in ("poor", "wrong") else ""
    return (
        f"{worth}identified from {verdict.samples} samples; RMSE over mean torque on"
        f" {verdict.held_samples} others: {axes} %"
    )
