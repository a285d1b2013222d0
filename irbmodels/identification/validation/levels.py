"""Levels of a set of parameters per axis, and the limitations that hold them down.

The level of an axis follows from the share of its torque that the set leaves unexplained beyond
noise, ``sqrt(mean(e^2) - s^2) / std(tau)``: ``e`` are residuals averaged over blocks of 50 ms,
which are the same at any rate of sampling, ``s^2`` is the variance of such a mean by white noise,
and ``tau`` is the measured torque of the same blocks.

Bounds are definitions: what a level promises, for the reason that stands with it. What tells a
mistake from none is chosen from logs, one arm left out (docs/background/measured_arms.md), and
stands where mistakes are looked for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np

from ...model.provenance import Level
from ...model.types import Array, Mask
from .mistakes import BLOCK, Mistake, block_size
from .verdict import LEVELS, Limitation, PredictedTorques, Verdict

# unexplained shares up to which an axis is reference, good, usable, poor. The only published model
# of an IRB 2400 errs by 3 to 12 % of the mean torque (S000 Tab. 6); beyond 40 % another robot's
# tables may do as well, and right sets of ten arms stay below 34 %
BOUNDS = (0.03, 0.1, 0.2, 0.4)
# relative standard deviation of a significant base parameter: its 95 % interval is +- 20 %
SIGNIFICANT = 0.1
WEAK = 0.5  # above it a 95 % interval contains 0
# RMSE on held-out samples over that of the fit: 1.0 +- 0.05 by noise alone, more by overfitting
GROWTH = 1.3
# RMSE on held-out samples over that of the previous set; 5 % is noise
WORSE = 1.05
# of the regressor with unit columns: amplification of measurement errors; intervals and bands tell
# what it does to them
CONDITION, WORST_CONDITION = 100.0, 1000.0
# share of the residual's variance explained by one of q, v, a: a term is missing in the model
DEPENDENT = 0.1
NEGLIGIBLE = 0.01  # of the mean torque: smaller systematic terms do not matter
ALPHA = 0.01  # significance level of all tests of dependence together
# standard deviations per base parameter between possible bodies and the unconstrained fit: a wrong
# tool, or a missing term; right sets of ten arms reach 2
DISTANCE = 3.0
# of the range and of the rated speed: elsewhere the model extrapolates
COVERED, HARDLY_COVERED = 0.1, 0.03
SATURATED = 0.01  # of the samples: their neighbours are affected too, without a flag
LARGEST_GAIN = 1.0  # relative error: a log that would show larger ones only shows none
# of the samples: more are no single spikes, and the noise is not that of the fit
OUTLYING = 0.05


def unexplained_share(
    held_out: Sequence[PredictedTorques], fitted: Sequence[PredictedTorques] = ()
) -> Array:
    """Return the unexplained share of the torque of each axis, ``(size,)``.

    Args:
        held_out: Samples that are judged.
        fitted: Further ones, whose torques count for the spread of torques too.
    """
    means: list[Array] = []
    noise: list[Array] = []
    torques: list[Array] = []
    for number, part in enumerate((*held_out, *fitted)):
        size = block_size(part.motion)
        if not size:
            continue
        count = len(part.measured) // size
        measured, predicted = (
            values[: count * size].reshape(count, size, -1)
            for values in (part.measured, part.predicted)
        )
        torques.append(measured.mean(axis=1))
        if number < len(held_out):
            errors = measured - predicted
            means.append(errors.mean(axis=1))
            # second differences hold noise, and hardly anything that a model could explain
            second = errors[:, 2:] - 2.0 * errors[:, 1:-1] + errors[:, :-2]
            noise.append(np.square(second).mean(axis=1) / (6.0 * size))
    if not means:
        return np.full(held_out[0].measured.shape[1], np.nan)
    squares, variance, spread = (
        _mean(np.square(np.concatenate(means))),
        _mean(np.concatenate(noise)),
        np.concatenate(torques),
    )
    deviation = np.sqrt(_mean(np.square(spread - _mean(spread))))
    rest = np.sqrt(np.maximum(squares - variance, 0.0))
    infinite = np.full(rest.shape, np.inf)
    return np.asarray(np.divide(rest, deviation, out=infinite, where=deviation > 0.0))


def accuracy_level(share: float) -> Level:
    """Return the level of an unexplained share; ``wrong`` for NaN."""
    return LEVELS[int(np.searchsorted(BOUNDS, share))]


def limitations_of(verdict: Verdict) -> tuple[Limitation, ...]:
    """Return the limitations of a set, the worst first, and of equal ones that of most gain."""
    found = [
        *_mistakes(verdict),
        *_accuracy(verdict),
        *_comparison(verdict),
        *_dependence(verdict),
        *_fit(verdict),
        *_coverage(verdict),
    ]
    return tuple(sorted(found, key=lambda one: (-LEVELS.index(one.level), -one.gain)))


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


def _mistakes(verdict: Verdict) -> Iterator[Limitation]:
    # a mistake is put right before anything else is looked at
    for mistake in verdict.mistakes:
        text = mistake_text(mistake, verdict)
        if mistake.kind in ("payload", "unit", "late", "degrees", "mounting"):
            yield Limitation(text, "wrong", None, np.inf)
        else:
            yield from (Limitation(text, "wrong", axis, np.inf) for axis in mistake.axes)


def mistake_text(mistake: Mistake, verdict: Verdict) -> str:
    """Return a mistake in one line, with what to do."""
    names = ", ".join(str(axis + 1) for axis in mistake.axes)
    size, deviation = mistake.estimate, mistake.deviation
    if mistake.kind == "payload":
        word = "more" if size > 0.0 else "less"
        return (
            f"torques are those of {abs(size):.3g} +- {2.0 * deviation:.1g} kg {word} on the flange"
            " than the robot carries: give payload and tool"
        )
    if mistake.kind == "unit":
        return (
            f"torques are {size:.2g} times those of the robot: N m, kN m or currents, of the axes"
            " or of the motors?"
        )
    if mistake.kind == "robot":
        return (
            f"axis {names}: bodies of the robot do not explain the torques, whatever its friction"
            " is: is it another robot, or are its inertials placeholders?"
        )
    if mistake.gravity is not None:
        vector = ", ".join(f"{value:.3g}" for value in mistake.gravity)
        return (
            f"the arm is mounted another way, by {np.degrees(size):.0f} deg: gravity in its base"
            f" is ({vector}) m/s^2; robot.mounted and robot.with_gravity take that"
        )
    simple = {
        "degrees": "positions are in degrees, and read as radians",
        "late": f"torques are {1e3 * size:.2g} +- {2e3 * deviation:.2g} ms later than positions:"
        " are both on one clock?",
        "sign": f"axis {names}: its sign is reversed in the log",
        "torque sign": f"axis {names}: the sign of its torque is reversed in the log",
        "torque unit": f"axis {names}: its torque is in another unit than those of others, by a"
        f" factor of {size:g}",
        "swap": f"axes {names.replace(', ', ' and ')} are swapped in the log",
        "gain": f"axis {names}: measured torques are {1.0 + size:.3g} +- {2.0 * deviation:.1g}"
        " times those of the set: its gain, gear ratio or unit is another",
    }
    if mistake.kind in simple:
        return simple[mistake.kind]
    linear = verdict.units[verdict.axes.index(mistake.axes[0])] == "N"
    factor, unit = _shown(linear)
    one = "its zero is" if len(mistake.axes) == 1 else "the zero of one of them is"
    return (
        f"axis {names.replace(', ', ' or ')}: {one} shifted by {factor * size:.2g} +-"
        f" {2.0 * factor * deviation:.1g} {unit} in the log"
    )


def visibility_text(verdict: Verdict) -> str:
    """Return which shifted zeros and gains the logs would show, in one line; "" if unknown."""
    if verdict.visible is None:
        return ""
    numbers = np.array(verdict.axes)
    linear = np.array([unit == "N" for unit in verdict.units])
    zeros, gains = (column[numbers] for column in verdict.visible)
    found: list[str] = []
    hidden: list[str] = []
    for name, sizes, largest, these in (
        ("zero", zeros, np.inf, ~linear),
        ("zero", zeros, np.inf, linear),
        ("gain", gains, LARGEST_GAIN, np.ones(len(numbers), dtype=bool)),
    ):
        factor, unit = _shown(bool(linear[these].any())) if name == "zero" else (100.0, "%")
        known = these & np.isfinite(sizes) & (sizes <= largest)
        if known.any():
            listed = ", ".join(f"{factor * size:.2g}" for size in sizes[known])
            found.append(
                f"a wrong {name} of axis {_listed(numbers[known])} from {listed} {unit} on"
            )
        if (these & ~known).any():
            hidden.append(f"the {name} of axis {_listed(numbers[these & ~known])}")
    parts = [f"these logs would show {'; '.join(found)}"] if found else []
    parts += [f"could not be seen, if it were wrong: {'; '.join(hidden)}"] if hidden else []
    return "; ".join(parts)


def _listed(axes: Array) -> str:
    return ", ".join(str(axis + 1) for axis in axes.tolist())


def _shown(linear: bool) -> tuple[float, str]:
    return (1000.0, "mm") if linear else (float(np.degrees(1.0)), "deg")


def _accuracy(verdict: Verdict) -> Iterator[Limitation]:
    for i, axis in enumerate(verdict.axes):
        share = float(verdict.unexplained[i])
        level = accuracy_level(share)
        better = BOUNDS[max(LEVELS.index(level) - 1, 0)]
        text = f"{share:.1%} of its torque are unexplained beyond noise"
        if np.isnan(share):
            text = f"no stretch of {BLOCK:g} s on held-out logs has its torque: nothing is known"
        elif level != "reference":
            text += f", more than {better:.0%}"
        yield Limitation(f"axis {axis + 1}: {text}", level, axis, share)


def _comparison(verdict: Verdict) -> Iterator[Limitation]:
    """Compare the RMSE on held-out samples with that of the fit and of the previous set."""
    # differences of residuals that are negligible do not count: exact logs leave rounding
    negligible = 0.1 * NEGLIGIBLE * verdict.held_out.average
    for other, threshold, name in (
        (verdict.estimation, GROWTH, "that of the fit's own samples"),
        (verdict.previous, WORSE, "that of the previous set"),
    ):
        if other is None:
            continue
        ratio = verdict.held_out.rmse / np.maximum(other.rmse, negligible)
        for i in np.flatnonzero(~(ratio <= threshold)).tolist():
            yield Limitation(
                f"axis {verdict.axes[i] + 1}: RMSE on held-out samples is {ratio[i]:.2f} times"
                f" {name}, more than {threshold:g}",
                "usable",
                verdict.axes[i],
                float(verdict.unexplained[i] * max(0.0, 1.0 - 1.0 / ratio[i])),
            )


def _dependence(verdict: Verdict) -> Iterator[Limitation]:
    """Yield the strongest significant dependence of each axis, at its level of accuracy."""
    explained = np.where(significant_dependence(verdict), verdict.dependence.explained, -1.0)
    for i in np.flatnonzero(explained.max(axis=(1, 2)) >= 0.0).tolist():
        kind, other = np.unravel_index(int(explained[i].argmax()), explained[i].shape)
        share = float(explained[i, kind, other])
        rms = np.sqrt(share) * verdict.held_out.rmse[i]
        before = float(verdict.unexplained[i])
        yield Limitation(
            f"axis {verdict.axes[i] + 1}: {share:.0%} of the residual's variance depends on"
            f" {'qva'[kind]}{other + 1} ({rms:.2g} {verdict.units[i]}), more than"
            f" {DEPENDENT:.0%}: the model misses a term",
            accuracy_level(before),
            verdict.axes[i],
            before * (1.0 - np.sqrt(max(0.0, 1.0 - share))),
        )


def _fit(verdict: Verdict) -> Iterator[Limitation]:
    if verdict.condition is not None and not verdict.condition <= CONDITION:
        yield Limitation(
            f"the condition number is {verdict.condition:.3g}, more than {CONDITION:g}: the motion"
            " hardly excites some base parameters",
            "good" if verdict.condition <= WORST_CONDITION else "usable",
        )
    if verdict.impossible_bodies:
        bodies = ", ".join(verdict.impossible_bodies)
        yield Limitation(f"physically impossible bodies: {bodies}", "poor")
    if verdict.negative_parameters:
        yield Limitation(
            f"negative friction or rotor inertia: {', '.join(verdict.negative_parameters)}; no"
            " table takes that",
            "wrong",
        )
    if verdict.distance is not None and not verdict.distance <= DISTANCE:
        suspect = "is the tool another one, or a term missing?"
        if verdict.impossible_in_prior:
            suspect = (
                f"the prior is impossible in {', '.join(verdict.impossible_in_prior)}; take"
                " another first"
            )
        yield Limitation(
            f"physically possible bodies are {verdict.distance:.1f} standard deviations per base"
            f" parameter from the unconstrained fit, more than {DISTANCE:g}: {suspect}",
            "poor",
        )


def _coverage(verdict: Verdict) -> Iterator[Limitation]:
    for quantity, shares in (
        ("range", verdict.coverage.span),
        ("rated speed", verdict.coverage.speed_share),
    ):
        for i in np.flatnonzero(shares < COVERED).tolist():
            yield Limitation(
                f"axis {verdict.axes[i] + 1}: the logs cover {shares[i]:.1%} of the {quantity},"
                f" less than {COVERED:.0%}",
                "usable" if shares[i] >= HARDLY_COVERED else "poor",
                verdict.axes[i],
            )
    levels: tuple[tuple[str, str, float, Level], ...] = (
        ("SATURATED", "are at a torque limit", SATURATED, "poor"),
        ("TORQUE_OUTLIER", "are torque outliers", OUTLYING, "usable"),
    )
    for flag, description, threshold, level in levels:
        share = verdict.flagged.get(flag, 0.0)
        if not share <= threshold:
            # clipped torques are the first thing to put right
            yield Limitation(
                f"{share:.1%} of the samples {description}, more than {threshold:.0%}",
                level,
                gain=np.inf if flag == "SATURATED" else 0.0,
            )


def _mean(rows: Array) -> Array:
    """Mean of each column without its NaN; NaN where it has nothing else."""
    seen = np.isfinite(rows)
    total, count = np.where(seen, rows, 0.0).sum(axis=0), seen.sum(axis=0)
    none = np.full(total.shape, np.nan)
    return np.asarray(np.divide(total, count, out=none, where=count > 0))
