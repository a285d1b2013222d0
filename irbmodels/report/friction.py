"""Friction tests of single axes: their plan, and the laws fitted to their logs."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from ..identification.friction import FrictionFit, FrictionPlan
from .text_table import TextTable

_FIELDS = ("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s")
_NAMES = ("Fs", "Fc", "Fv", "v_St")


def plan_record(plan: FrictionPlan) -> dict[str, Any]:
    """Return a plan in SI units: a row per speed, in the order of the strokes."""
    return {
        "axis": plan.axis,
        "posture_rad": plan.posture,
        "duration_s": plan.duration,
        "acceleration_rad_s2": plan.acceleration,
        "pause_s": plan.pause,
        "gravity_N_m": [plan.gravity.min(), plan.gravity.max()],
        "strokes": [
            {"speed_rad_s": speed, "travel_rad": travel, "stroke_rad": stroke, "seconds": seconds}
            for speed, travel, stroke, seconds in zip(
                plan.speeds, plan.travel, plan.stroke, plan.seconds, strict=True
            )
        ],
    }


def plan_table(plan: FrictionPlan) -> TextTable:
    """Return the strokes of a plan in the controller's units, a row per speed."""
    linear = bool(plan.robot.limits.linear[plan.axis - 1])
    unit, factor = ("mm", 1000.0) if linear else ("deg", float(np.degrees(1.0)))
    rows = [
        (
            f"{factor * speed:.4g}",
            f"{factor * travel:.4g}",
            f"{factor * stroke:.4g}",
            f"{seconds:.4g}",
        )
        for speed, travel, stroke, seconds in zip(
            plan.speeds, plan.travel, plan.stroke, plan.seconds, strict=True
        )
    ]
    heads = (f"speed [{unit}/s]", f"at it [{unit}]", f"with ramps [{unit}]", "time [s]")
    posture = ", ".join(f"{value:.4g}" for value in plan.robot.to_controller(plan.posture))
    title = f"Axis {plan.axis} of {plan.robot.name} about ({posture}), each stroke both ways"
    return TextTable(*heads, rows=rows, title=title, right=heads)


def plan_notes(plan: FrictionPlan) -> list[str]:
    """Return what to mind when a plan is run, and its log read."""
    name = f"temp{plan.axis}_degC"
    return [
        str(plan),
        "obstacles, the floor too, are not known here: run the strokes in manual mode first",
        "the tool and payload of the plan have to be mounted, and stay the same for all strokes",
        (
            "friction changes with temperature: move the axis until it is as warm as in work, and"
            f" log the temperature of its drive as {name} if the controller tells it"
        ),
    ]


def fit_record(fits: Sequence[FrictionFit]) -> dict[str, Any]:
    """Return fitted laws in SI units, with 95 % intervals; what is unknown has infinite ones."""
    return {
        "axes": [
            {
                "axis": fit.points.axis,
                **dict(zip(_FIELDS, fit.values, strict=True)),
                "intervals": dict(zip(_FIELDS, fit.intervals(), strict=True)),
                "points": len(fit.points.speed),
                "slowest_rad_s": fit.points.speed[0],
                "fastest_rad_s": fit.points.speed[-1],
                "scatter": fit.scatter,
                "conditions": {
                    name: [np.nanmin(values), np.nanmax(values)]
                    for name, values in fit.points.conditions.items()
                    if np.isfinite(values).any()
                },
                "synthetic": fit.points.synthetic,
                "findings": [str(one) for one in fit.findings],
            }
            for fit in fits
        ]
    }


def fit_table(fits: Sequence[FrictionFit]) -> TextTable:
    """Return Fs, Fc, Fv and v_St of each axis with half the width of their 95 % intervals."""
    rows = []
    for fit in fits:
        half = fit.intervals()[:, 1] - fit.values
        cells = [
            f"{value:.5g} +- {spread:.2g}" if np.isfinite(spread) else "unknown"
            for value, spread in zip(fit.values, half, strict=True)
        ]
        units = "N, N s/m, m/s" if fit.points.linear else "N m, N m s/rad, rad/s"
        rows.append((str(fit.points.axis), *cells, units, str(len(fit.points.speed))))
    heads = ("axis", *_NAMES, "units", "speeds")
    return TextTable(
        *heads, rows=rows, title="Friction of single axes, 95 % intervals (S000 eq. 54)"
    )
