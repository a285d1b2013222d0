"""What speaks against a set of parameters: thresholds, each with its reason, and the sentences that they lead to."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from ...model.types import Array, Mask
from .verdict import Verdict

# relative standard deviation of a sum that is determined: then its 95 % interval is +- 20 %
SURE = 0.1
POOR = 0.5  # above it a 95 % interval holds 0
# RMSE over mean torque, held out; the worst axis of the only published IRB 2400 has 0.116 (S000
# Tab. 6)
ERROR = 0.15
# held-out RMSE over that of the fit: noise alone gives 1.0 +- 0.05, more was fitted to the noise or
# to one motion
GROWTH = 1.3
# held-out RMSE over that of the previous set: a new set that predicts worse is no gain; 5 % is
# noise
WORSE = 1.05
# of unit columns: errors of measurement may grow as much on their way into the sums
CONDITION = 100.0
# share of the residual's variance that depends on one of q, v, a: the model misses a term
DEPENDENT = 0.1
SYSTEMATIC = 0.01  # of the mean torque: smaller terms are nobody's concern, however sure they are
SIGNIFICANT = 0.01  # probability, over all tests together, that noise alone depends so much
# of the mean torque, RMS of what lasts longer than a sample: all errors of S000 together have 0.03
# to 0.12 (Tab. 6)
SLOW = 0.1
# standard deviations per sum: bodies cannot have what the torques want; a wrong tool, or a missing
# term
DISTANCE = 3.0
# of the range and of the rated speed: beyond what was covered a set extrapolates, here nearly
# everywhere
COVERED = 0.1
SATURATED = 0.01  # of the samples: their neighbours are wrong too, which no flag shows
# of the samples: no longer single spikes, but another noise than the fit believes in
OUTLYING = 0.05


def reasons_against(verdict: Verdict) -> Iterator[str]:
    """Yield one line per reason, with the number and its threshold."""
    numbers = [axis + 1 for axis in verdict.axes]
    for axis, share in zip(
        numbers, (verdict.held_out.rmse_over_average / 100.0).tolist(), strict=True
    ):
        if not share <= ERROR:
            yield (
                f"axis {axis}: RMSE is {share:.1%} of the mean torque on held-out samples, more"
                f" than {ERROR:.0%}"
            )
    yield from _compared(verdict, numbers)
    yield from _depending(verdict, numbers)
    for axis, value, average, unit in zip(
        numbers, lasting(verdict), verdict.held_out.average, verdict.units, strict=True
    ):
        if not value <= SLOW * average:
            yield (
                f"axis {axis}: residuals are no noise: {value:.2g} {unit} of them last longer than"
                f" a sample, more than {SLOW:.0%} of the mean torque"
            )
    if verdict.condition is not None and not verdict.condition <= CONDITION:
        yield (
            f"the condition number is {verdict.condition:.3g}, more than {CONDITION:g}: the motion"
            " tells some sums hardly apart"
        )
    if verdict.bodies:
        yield f"no body can have the numbers of {', '.join(verdict.bodies)}"
    if verdict.driving:
        yield (
            f"friction or a rotor would drive its axis: {', '.join(verdict.driving)} is negative;"
            " no table takes that"
        )
    if verdict.distance is not None and not verdict.distance <= DISTANCE:
        suspect = "is the tool another one, or a term missing?"
        if verdict.impossible:
            suspect = (
                f"the prior is impossible in {', '.join(verdict.impossible)}; take another first"
            )
        yield (
            f"bodies that can exist are {verdict.distance:.1f} standard deviations per sum off what"
            f" the torques say, more than {DISTANCE:g}: {suspect}"
        )
    for what, shares in (
        ("range", verdict.coverage.span),
        ("rated speed", verdict.coverage.speed_share),
    ):
        for axis, share in zip(numbers, shares.tolist(), strict=True):
            if not share >= COVERED:
                yield (
                    f"axis {axis}: the logs cover {share:.1%} of the {what}, less than"
                    f" {COVERED:.0%}"
                )
    for name, words, most in (
        ("SATURATED", "stand at a limit of torque", SATURATED),
        ("TORQUE_OUTLIER", "are outliers of torque", OUTLYING),
    ):
        if not verdict.flagged.get(name, 0.0) <= most:
            yield f"{verdict.flagged[name]:.1%} of the samples {words}, more than {most:.0%}"


def _compared(verdict: Verdict, numbers: list[int]) -> Iterator[str]:
    for other, most, words in (
        (verdict.estimation, GROWTH, "that of the fit's own samples"),
        (verdict.before, WORSE, "that of the previous set"),
    ):
        if other is not None:
            # a residual far below what matters may grow: exact logs leave rounding
            ratio = verdict.held_out.rmse / np.maximum(
                other.rmse, 0.1 * SYSTEMATIC * verdict.held_out.average
            )
            for axis, value in zip(numbers, ratio.tolist(), strict=True):
                if not value <= most:
                    yield (
                        f"axis {axis}: RMSE on held-out samples is {value:.2f} times {words}, more"
                        f" than {most:g}"
                    )


def lasting(verdict: Verdict) -> Array:
    """RMS of what lasts longer than a sample in the residual of each axis [N m, N], ``(size,)``."""
    return np.asarray(
        np.sqrt(np.maximum(verdict.whiteness.correlations[0], 0.0)) * verdict.held_out.rmse,
        dtype=float,
    )


def depending(verdict: Verdict) -> Mask:
    """For each residual whether its dependence on q, v, a of each axis is large, sure, and of any concern: ``(size, 3, n)``."""
    share, p = verdict.dependence
    rmse, average = (
        column[:, None, None] for column in (verdict.held_out.rmse, verdict.held_out.average)
    )
    large = (share > DEPENDENT) & (np.sqrt(share) * rmse > SYSTEMATIC * average)
    return np.asarray(large & (p < SIGNIFICANT / verdict.dependence.tests), dtype=bool)


def _depending(verdict: Verdict, numbers: list[int]) -> Iterator[str]:
    """Yield the strongest dependence of each axis that counts."""
    counts, shares = depending(verdict), verdict.dependence.share
    for i, axis in enumerate(numbers):
        if counts[i].any():
            kind, other = np.unravel_index(
                int(np.argmax(np.where(counts[i], shares[i], -1.0))), shares[i].shape
            )
            share = shares[i, kind, other]
            part = np.sqrt(share) * verdict.held_out.rmse[i]
            yield (
                f"axis {axis}: {share:.0%} of the residual's variance depends on"
                f" {'qva'[kind]}{other + 1} ({part:.2g} {verdict.units[i]}), more than"
                f" {DEPENDENT:.0%}: the model misses a term"
            )
