"""Verdict on a set of parameters as a record for programs, in SI units."""

from __future__ import annotations

from typing import Any

from ...identification.validation.spring_text import spring_text
from ...identification.validation.verdict import Verdict
from ...trajectory.torque_prediction import Accuracy
from .tables import remarks, strongest

_ERRORS = ("mae_N_m", "rmse_N_m", "average_N_m", "rmse_over_average_percent")
_COVERAGE = {
    "low_rad": "low",
    "high_rad": "high",
    "range_share": "span",
    "speed_rad_s": "speed",
    "speed_share": "speed_share",
    "acceleration_rad_s2": "acceleration",
    "slow_share": "slow",
}


def verdict_record(verdict: Verdict) -> dict[str, Any]:
    """Return level and reasons, and the numbers behind them; of a linear axis ``_N_m`` means N."""
    details = {
        "samples": verdict.samples,
        "held_out_samples": verdict.held_samples,
        "condition": verdict.condition,
        "axes": [_axis(verdict, i) for i in range(len(verdict.axes))],
        "base_parameters": [{**one._asdict(), "changed": one.changed} for one in verdict.estimates],
        "friction_trials": [
            {
                "axis": axis + 1,
                "terms": [{"kind": kind, "scale": scale} for kind, scale in trial.terms],
                "error": trial.error,
                "deviation": trial.deviation,
                "rmse_N_m": trial.rmse,
                "chosen": trial.terms == choice.terms,
            }
            for axis, choice in zip(verdict.axes, verdict.friction, strict=False)
            for trial in choice.trials
        ],
        "spring_trials": [
            {
                "axis": choice.axis + 1,
                "spring": trial.spring
                and spring_text(
                    trial.spring, verdict.units[verdict.axes.index(choice.axis)] == "N"
                ),
                "error": trial.error,
                "deviation": trial.deviation,
                "rmse_N_m": trial.rmse,
                "chosen": trial.spring is choice.spring,
            }
            for choice in verdict.springs
            for trial in choice.trials
        ],
        "impossible_bodies": verdict.impossible_bodies,
        "negative_parameters": verdict.negative_parameters,
        "unidentifiable": verdict.unidentifiable,
        "flagged_share": verdict.flagged,
        "improvements": verdict.improvements,
        "remarks": remarks(verdict),
    }
    return {"level": verdict.level, "reasons": verdict.reasons, "verdict": details}


def unidentified_record(reason: str) -> dict[str, Any]:
    """Return the same where no set could be fitted."""
    return {"level": "wrong", "reasons": [reason], "verdict": None}


def _axis(verdict: Verdict, i: int) -> dict[str, Any]:
    white, depends, inside = verdict.whiteness, verdict.dependence, verdict.inside
    kind, other = strongest(verdict, i)
    return {
        "axis": verdict.axes[i] + 1,
        "level": verdict.levels[i],
        "held_out": _errors(verdict.held_out, i),
        "estimation": _errors(verdict.estimation, i),
        "previous": _errors(verdict.previous, i),
        "unexplained_share": verdict.unexplained[i],
        "inside_band_share": None if inside is None else inside[i],
        "ljung_box": white.statistic[i],
        "white_p": white.p[i],
        "memory_samples": white.correlation_length[i],
        "depends_most_on": f"{'qva'[kind]}{other + 1}",
        "dependence_share": depends.explained[i, kind, other],
        "dependence_p": depends.p[i, kind, other],
        "coverage": {
            name: getattr(verdict.coverage, field)[i] for name, field in _COVERAGE.items()
        },
    }


def _errors(accuracy: Accuracy | None, i: int) -> dict[str, Any] | None:
    if accuracy is None:
        return None
    return {name: column[i] for name, column in zip(_ERRORS, accuracy, strict=True)}
