"""Tables of an identification: rows for a terminal and for the page."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterator

import numpy as np

from ...identification.recordings.recording import TORQUE_FLAGS, Flag
from ...identification.validation.levels import (
    SIGNIFICANT,
    WEAK,
    significant_dependence,
    visibility_text,
)
from ...identification.validation.residuals import LAGS
from ...identification.validation.spring_text import spring_text
from ...identification.validation.verdict import BaseParameterEstimate, Verdict
from ..text_table import TextTable

ACCURACY = (
    *("axis", "MAE", "RMSE", "AVG", "RMSE/AVG %", "RMSE of the fit", "RMSE before", "unit"),
    *("unexplained %", "level"),
)
RESIDUALS = (
    "axis",
    "Ljung-Box",
    "p of white noise",
    "memory",
    "depends most on",
    "share %",
    "p of noise",
    "its RMS",
)
COVERAGE = (
    "axis",
    "from",
    "to",
    "unit",
    "range %",
    "speed /s",
    "speed %",
    "acceleration /s2",
    "slow %",
)
SUMS = (
    "base parameter",
    "estimate",
    "+- 95 %",
    "unit",
    "deviation %",
    "significance",
    "before",
    "changed",
)
FRICTION = ("axis", "terms beside Coulomb and viscous", "error", "+-", "RMSE", "unit", "chosen")
SPRINGS = ("axis", "spring", "error", "+-", "RMSE", "unit", "chosen")
_LONG = 2.0  # samples of memory that are worth a remark
_MOVED = 10  # sums in the terminal


def headline(verdict: Verdict) -> str:
    """Return the level in one line, and those of axes."""
    axes = ", ".join(
        f"{axis + 1} {level}" for axis, level in zip(verdict.axes, verdict.levels, strict=True)
    )
    return f"level {verdict.level} (axes: {axes})"


def verdict_tables(verdict: Verdict) -> list[TextTable]:
    """Return accuracy, residuals and coverage; of a fit also the sums that have moved most."""
    errors = "model against measurement on held-out samples (S000 eq. 75-77)"
    residuals = f"memory over {LAGS} samples, dependence on q, v, a"
    moved = sorted(
        (one for one in verdict.estimates if one.changed and one.significance != "insignificant"),
        key=lambda one: (
            -abs(one.estimate - one.previous) / one.deviation if one.deviation else -math.inf
        ),
    )
    tables = [
        TextTable(*ACCURACY, rows=accuracy_rows(verdict), title=f"{verdict.robot}: {errors}"),
        TextTable(
            *RESIDUALS,
            rows=residual_rows(verdict),
            title=f"residuals on held-out samples: {residuals}",
        ),
        TextTable(*COVERAGE, rows=coverage_rows(verdict), title="what the logs cover"),
        TextTable(
            *FRICTION,
            rows=friction_rows(verdict),
            title="friction on stretches left out of the fit: mean square over all axes",
        ),
        TextTable(
            *SPRINGS,
            rows=spring_rows(verdict),
            title="springs on stretches left out of the fit: mean square over all axes",
        ),
        TextTable(
            *SUMS,
            rows=map(sum_row, moved[:_MOVED]),
            title=f"base parameters that have changed most, of {len(moved)}",
        ),
    ]
    return [table for table in tables if table.rows]


def remarks(verdict: Verdict) -> list[str]:
    """Return what the numbers rest on: samples, flags, estimated and missing parameters."""
    if verdict.estimates:
        counts = Counter(one.significance for one in verdict.estimates)
        lines = [
            f"{verdict.samples} samples for the fit, {verdict.held_samples} held out",
            (
                f"condition number {verdict.condition:.3g} of the weighted regressor with columns"
                " of unit length"
            ),
            (
                f"{len(verdict.estimates)} base parameters: {counts['significant']} significant"
                f" (deviation up to {SIGNIFICANT:.0%}), {counts['weak']} weak (up to {WEAK:.0%}),"
                f" {counts['insignificant']} insignificant"
            ),
            (
                f"no body can be {', '.join(verdict.impossible_bodies)}"
                if verdict.impossible_bodies
                else "every link is a body that can exist"
            ),
        ]
    else:
        lines = [f"{verdict.held_samples} samples, none of them used for a fit"]
    long = [
        f"{axis + 1} ({m:.0f})"
        for axis, m in zip(verdict.axes, verdict.whiteness.correlation_length, strict=True)
        if m >= _LONG
    ]
    if long:
        intervals = "; intervals account for it, but for method huber" if verdict.estimates else ""
        lines.append(
            f"residuals are no white noise: memory in samples of axis {', '.join(long)}{intervals}"
        )
    if verdict.inside is not None:
        shares = ", ".join(f"{100.0 * share:.1f}" for share in verdict.inside)
        lines.append(
            f"held-out torques within the 95% band of the set, per axis: {shares} % (95 % where the"
            " model lacks nothing)"
        )
    lines += [f"would raise the level: {message}" for message in verdict.improvements]
    lines += verdict.notes
    lines += [text for text in (visibility_text(verdict),) if text]
    lines += [
        f"no body can be {link} of the robot's own set: {reason}"
        for link, reason in verdict.impossible_in_prior.items()
    ]
    # an impossible prior is the first suspect, and named above
    if significant_dependence(verdict).any() and not verdict.impossible_in_prior:
        lines.append(
            "if the model misses a term: are positions and torques on one clock"
            " (recordings.estimate_delay tells), the arm mounted as the robot says, tool and"
            " payload given, rotors in?"
        )
    if verdict.unidentifiable:
        lines.append(
            f"no torque of these axes depends on {', '.join(verdict.unidentifiable)}: they keep"
            " what they were"
        )
    for name, share in verdict.flagged.items():
        lines.append(
            f"{share:.1%} of the samples have a torque that is flagged {name} and left out"
            if Flag[name] & TORQUE_FLAGS
            else f"{share:.1%} of the samples are flagged {name} and left out"
        )
    return lines


def accuracy_rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield errors per axis as Tab. 6 of S000, and RMSE of the fit and of the previous set."""
    held, others = verdict.held_out, (verdict.estimation, verdict.previous)
    for i, (axis, unit) in enumerate(zip(verdict.axes, verdict.units, strict=True)):
        cells = (f"{column[i]:.2f}" for column in held)
        yield (
            str(axis + 1),
            *cells,
            *("" if other is None else f"{other.rmse[i]:.2f}" for other in others),
            unit,
            f"{100.0 * verdict.unexplained[i]:.1f}",
            verdict.levels[i],
        )


def residual_rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield whiteness, and the quantity on which most of the residual's variance depends."""
    white, depends = verdict.whiteness, verdict.dependence
    for i, axis in enumerate(verdict.axes):
        kind, other = strongest(verdict, i)
        share, p = depends.explained[i, kind, other], depends.p[i, kind, other]
        part = math.sqrt(share) * verdict.held_out.rmse[i]
        yield (
            str(axis + 1),
            f"{white.statistic[i]:.1f}",
            probability(white.p[i]),
            f"{white.correlation_length[i]:.1f}",
            f"{'qva'[kind]}{other + 1}",
            f"{100.0 * share:.1f}",
            probability(p),
            f"{part:.2g} {verdict.units[i]}",
        )


def strongest(verdict: Verdict, i: int) -> tuple[int, int]:
    """Return the quantity (0, 1, 2 for q, v, a) and the axis on which a residual depends most."""
    share = verdict.dependence.explained[i]
    kind, other = np.unravel_index(int(np.nanargmax(share)), share.shape)
    return int(kind), int(other)


def coverage_rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield positions, speeds, accelerations [deg, mm] and their shares of range and limits."""
    cover = verdict.coverage
    for i, (axis, torque) in enumerate(zip(verdict.axes, verdict.units, strict=True)):
        factor, unit = (1000.0, "mm") if torque == "N" else (math.degrees(1.0), "deg")
        low, high, speed, acceleration = (
            f"{factor * column[i]:.1f}"
            for column in (cover.low, cover.high, cover.speed, cover.acceleration)
        )
        slow, span, of_limit = (  # NaN: no law, or no limit is known
            "" if math.isnan(share[i]) else f"{100.0 * share[i]:.{digits}f}"
            for share, digits in ((cover.slow, 1), (cover.span, 0), (cover.speed_share, 0))
        )
        yield (str(axis + 1), low, high, unit, span, speed, of_limit, acceleration, slow)


def friction_rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield the friction laws that were tried per axis, with their error and its deviation.

    The error is the mean square, weighted over all axes, of that without further terms; the
    deviation is the standard error of its difference to the best.
    """
    for axis, unit, choice in zip(verdict.axes, verdict.units, verdict.friction, strict=False):
        for trial in choice.trials:
            terms = [
                kind if math.isnan(scale) else f"{kind} at {scale:.2g}"
                for kind, scale in trial.terms
            ]
            yield (
                str(axis + 1),
                ", ".join(terms) or "none",
                f"{trial.error:.4f}",
                f"{trial.deviation:.4f}",
                f"{trial.rmse:.3g}",
                unit,
                "yes" if trial.terms == choice.terms else "",
            )


def spring_rows(verdict: Verdict) -> Iterator[tuple[str, ...]]:
    """Yield the springs that were tried per axis, with errors as of :func:`friction_rows`.

    None of an axis whose residuals ask for no spring.
    """
    for choice in verdict.springs:
        unit = verdict.units[verdict.axes.index(choice.axis)]
        for trial in choice.trials if len(choice.trials) > 1 else ():
            yield (
                str(choice.axis + 1),
                "none" if trial.spring is None else spring_text(trial.spring, unit == "N"),
                f"{trial.error:.4f}",
                f"{trial.deviation:.4f}",
                f"{trial.rmse:.3g}",
                unit,
                "yes" if trial.spring is choice.spring else "",
            )


def sum_row(one: BaseParameterEstimate) -> tuple[str, ...]:
    """Return a sum of parameters with its interval, and the previous value."""
    relative = 100.0 * one.deviation / abs(one.estimate) if one.estimate else math.inf
    shown = f"{relative:.1f}" if relative < 1000.0 else ">1000"
    half = 0.5 * (one.high - one.low)
    moved = "yes" if one.changed else ""
    before = "" if math.isnan(one.previous) else f"{one.previous:.4g}"
    return (
        one.name,
        f"{one.estimate:.4g}",
        f"{half:.2g}",
        one.unit,
        shown,
        one.significance,
        before,
        moved,
    )


def probability(p: float) -> str:
    """Return a probability, small ones as a bound."""
    return f"{p:.3f}" if p >= 0.001 else "< 0.001"
