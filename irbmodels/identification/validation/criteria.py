"""Criteria of a trustworthy set of parameters: thresholds, and a line for each failed one."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model.types import Array, Mask
from .verdict import Verdict

# relative standard deviation of a significant base parameter: its 95 % interval is +- 20 %
SIGNIFICANT = 0.1
WEAK = 0.5  # above it a 95 % interval contains 0
# RMSE over mean torque on held-out samples; the worst axis of the only published IRB 2400 has 0.116
# (S000 Tab. 6)
ERROR = 0.15
# RMSE on held-out samples over that of the fit: 1.0 +- 0.05 by noise alone, more by overfitting
GROWTH = 1.3
# RMSE on held-out samples over that of the previous set; 5 % is noise
WORSE = 1.05
# of the regressor with unit columns: amplification of measurement errors
CONDITION = 100.0
# share of the residual's variance explained by one of q, v, a: a term is missing in the model
DEPENDENT = 0.1
NEGLIGIBLE = 0.01  # of the mean torque: smaller systematic terms do not matter
ALPHA = 0.01  # significance level of all tests of dependence together
# of the mean torque, RMS of the autocorrelated part; all errors of S000 together have 0.03 to 0.12
# (Tab. 6)
CORRELATED = 0.1
# standard deviations per base parameter between possible bodies and the unconstrained fit: a wrong
# tool, or a missing term
DISTANCE = 3.0
# of the range and of the rated speed: elsewhere the model extrapolates
COVERED = 0.1
SATURATED = 0.01  # of the samples: their neighbours are affected too, without a flag
# of the samples: more are no single spikes, and the noise is not that of the fit
OUTLYING = 0.05


def check_criteria(verdict: Verdict) -> Iterator[str]:
    """Yield one line per failed criterion, with value and threshold."""
    shares = verdict.held_out.rmse_over_average / 100.0
    for i, axis in _failing(verdict, shares <= ERROR):
        yield (
            f"{axis}: RMSE is {shares[i]:.1%} of the mean torque on held-out samples, more than"
            f" {ERROR:.0%}"
        )
    yield from _compare(verdict)
    yield from _check_dependence(verdict)
    rms = correlated_rms(verdict)
    for i, axis in _failing(verdict, rms <= CORRELATED * verdict.held_out.average):
        yield (
            f"{axis}: residuals are not white: {rms[i]:.2g} {verdict.units[i]} of them are"
            f" autocorrelated, more than {CORRELATED:.0%} of the mean torque"
        )
    if verdict.condition is not None and not verdict.condition <= CONDITION:
        yield (
            f"the condition number is {verdict.condition:.3g}, more than {CONDITION:g}: the motion"
            " hardly excites some base parameters"
        )
    if verdict.impossible_bodies:
        yield f"physically impossible bodies: {', '.join(verdict.impossible_bodies)}"
    if verdict.negative_parameters:
        yield (
            f"negative friction or rotor inertia: {', '.join(verdict.negative_parameters)}; no"
            " table takes that"
        )
    if verdict.distance is not None and not verdict.distance <= DISTANCE:
        suspect = "is the tool another one, or a term missing?"
        if verdict.impossible_in_prior:
            suspect = (
                f"the prior is impossible in {', '.join(verdict.impossible_in_prior)}; take"
                " another first"
            )
        yield (
            f"physically possible bodies are {verdict.distance:.1f} standard deviations per base"
            f" parameter from the unconstrained fit, more than {DISTANCE:g}: {suspect}"
        )
    for quantity, shares in (
        ("range", verdict.coverage.span),
        ("rated speed", verdict.coverage.speed_share),
    ):
        for i, axis in _failing(verdict, ~(shares < COVERED)):
            yield (
                f"{axis}: the logs cover {shares[i]:.1%} of the {quantity}, less than {COVERED:.0%}"
            )
    for flag, description, threshold in (
        ("SATURATED", "are at a torque limit", SATURATED),
        ("TORQUE_OUTLIER", "are torque outliers", OUTLYING),
    ):
        share = verdict.flagged.get(flag, 0.0)
        if not share <= threshold:
            yield f"{share:.1%} of the samples {description}, more than {threshold:.0%}"


def correlated_rms(verdict: Verdict) -> Array:
    """RMS of the autocorrelated part of the residual of each axis [N m, N], ``(size,)``."""
    share = np.maximum(verdict.whiteness.autocorrelation[0], 0.0)
    return np.asarray(np.sqrt(share) * verdict.held_out.rmse, dtype=float)


def significant_dependence(verdict: Verdict) -> Mask:
    """True where a residual depends on q, v, a of an axis: ``(size, 3, n)``.

    The dependence is large, statistically significant and not negligible against the torque.
    """
    share, p = verdict.dependence
    rmse, average = (
        column[:, None, None] for column in (verdict.held_out.rmse, verdict.held_out.average)
    )
    large = (share > DEPENDENT) & (np.sqrt(share) * rmse > NEGLIGIBLE * average)
    return np.asarray(large & (p < ALPHA / verdict.dependence.tests), dtype=bool)


def _failing(verdict: Verdict, met: Mask) -> Iterator[tuple[int, str]]:
    """Yield index and name of the axes that do not meet a criterion; NaN meets none."""
    return ((i, f"axis {verdict.axes[i] + 1}") for i in np.flatnonzero(~met).tolist())


def _compare(verdict: Verdict) -> Iterator[str]:
    """Compare the RMSE on held-out samples with that of the fit and of the previous set."""
    # differences of residuals that are negligible do not count: exact logs leave rounding
    negligible = 0.1 * NEGLIGIBLE * verdict.held_out.average
    for other, threshold, name in (
        (verdict.estimation, GROWTH, "that of the fit's own samples"),
        (verdict.previous, WORSE, "that of the previous set"),
    ):
        if other is not None:
            ratio = verdict.held_out.rmse / np.maximum(other.rmse, negligible)
            for i, axis in _failing(verdict, ratio <= threshold):
                yield (
                    f"{axis}: RMSE on held-out samples is {ratio[i]:.2f} times {name}, more than"
                    f" {threshold:g}"
                )


def _check_dependence(verdict: Verdict) -> Iterator[str]:
    """Yield the strongest significant dependence of each axis."""
    explained = np.where(significant_dependence(verdict), verdict.dependence.explained, -1.0)
    for i, axis in _failing(verdict, explained.max(axis=(1, 2)) < 0.0):
        kind, other = np.unravel_index(int(explained[i].argmax()), explained[i].shape)
        share = explained[i, kind, other]
        rms = np.sqrt(share) * verdict.held_out.rmse[i]
        yield (
            f"{axis}: {share:.0%} of the residual's variance depends on {'qva'[kind]}{other + 1}"
            f" ({rms:.2g} {verdict.units[i]}), more than {DEPENDENT:.0%}: the model misses a term"
        )
