"""Mistakes that a fit shows beside all its parameters, and bodies that are not the robot's own.

A gain or a shifted zero of an axis goes into fitted bodies in part only: equations of several axes
share them. A wrong sign makes dry friction drive. Bodies of the robot's own set, with any friction,
show another robot's tables, a wrong unit and a payload.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from ...model.types import Array, Mask
from .mistakes import (
    SURE,
    Blocks,
    Kind,
    Mistake,
    Visible,
    friction_columns,
    is_plausible,
    smallest_visible,
    with_alike,
)
from .stretch_equations import STRETCHES, Eliminated, StretchSums, rms, spread

# of the spread of the torque, left by bodies of the robot's own set with any friction: those of
# ten arms leave up to 65 %, of other arms 68 % (IRB 1400 for 2400), 94 % and more of one axis
OTHER_ROBOT = 0.8
# times the torque of these bodies: they are others; a unit is another, off by 800 where it is kN m
SIZE, UNIT = 2.0, 30.0
HALF = 0.5  # of the error is left at most by bodies of another size, where torques tell that
MAIN = 0.1  # of the largest spread: axes that carry less say little of bodies
# of the residuals that a payload explains: on clean logs of ten arms none is named at 0.2, a fifth
# of the rated one explains 0.8 and more
PAYLOAD = 0.5
INTERVAL = 2.0  # deviations, of 95 % intervals as messages have them


def driving_friction(blocks: Blocks, fitted: Array, coulomb: Sequence[int]) -> list[Mistake]:
    """Return axes whose fitted dry friction drives: the sign of their torques is wrong.

    Args:
        blocks: Of all logs.
        fitted: Columns of the fitted parameters ``(N, n, p)``.
        coulomb: Column of Fc of each axis among these, -1 without one.
    """
    if len(blocks.q) < 2 * STRETCHES:
        return []
    friction = StretchSums.of(_with_offsets(fitted), blocks.tau).estimate()
    return [
        Mistake("sign", (i,), np.nan, np.nan)
        for i, k in enumerate(coulomb)
        if k >= 0 and friction.value[k] < -SURE * friction.deviation[k]
    ]


def find_fit_mistakes(
    blocks: Blocks,
    predicted: Array,
    slopes: Array,
    fitted: Array,
    linear: Mask,
    axes: Sequence[int],
    unexplained: Array,
) -> tuple[list[Mistake], Visible]:
    """Return the gain or zero that residuals ask for beside all fitted parameters.

    A shift of a zero that turns into fitted bodies whole, as that of a vertical first axis or of
    the last one, is none that a fit could show: the part of its torque that no fitted column has,
    against what a jackknife says of it, tells the smallest shift that these logs show.

    Args:
        blocks: Of all logs, NaN for torques that the fit does not explain well.
        predicted: Torques ``(N, n)`` of the fitted set.
        slopes: Of torques of bodies and springs by zeros (:func:`.position_slopes`). Friction that
            depends on the load stays: fitted bodies, turned by the shift, give the right load.
        fitted: Columns of the fitted parameters ``(N, n, p)``.
        linear: Per axis whether it is linear.
        axes: That are in question, 0-based.
        unexplained: Share of the torque of each axis that the fit leaves. What a model lacks lasts
            in all stretches, and looks like a mistake that changes a torque by as much.
    """
    n = len(linear)
    visible = Visible(np.full(n, np.inf), np.full(n, np.inf))
    if len(blocks.q) < 2 * STRETCHES or not np.isfinite(blocks.tau).any():
        return [], visible
    own = _with_offsets(fitted)
    gains = predicted[:, :, None] * np.eye(n)
    columns, first = np.concatenate([own, gains, slopes], axis=2), own.shape[2]
    sums = StretchSums.of(columns, blocks.tau - predicted)
    known = Eliminated.of(sums, list(range(first)))
    places: dict[Kind, dict[int, list[int]]] = {
        "gain": {i: [first + i] for i in axes},
        "zero": {i: [first + n + i] for i in axes},
    }
    tried, error = [], unexplained * spread(blocks.tau)
    for kind, of_axes in places.items():
        for i, place in of_axes.items():
            fit = known.estimate(place)
            value, deviation = float(fit.value[0]), float(fit.deviation[0])
            mistake, is_linear = Mistake(kind, (i,), value, deviation), bool(linear[i])
            if known.length(place[0]) > 0.0:
                change = spread(columns[:, :, place[0]])
                least = min((error[j] / change[j] for j in axes if change[j] > 0.0), default=np.inf)
                smallest = smallest_visible(kind, deviation, is_linear, least)
                (visible.gains if kind == "gain" else visible.zeros)[i] = smallest
                if is_plausible(mistake, linear, np.inf) and abs(value) > smallest:
                    tried.append((abs(value) / deviation, mistake))
    if not tried:
        return [], visible
    # a mistake moves what is estimated of others: the surest one is named
    return [with_alike(max(tried)[1], known, places["zero"])], visible


def _with_offsets(fitted: Array) -> Array:
    n = fitted.shape[1]
    return np.concatenate([fitted, np.broadcast_to(np.eye(n), (len(fitted), n, n))], axis=2)


def check_bodies(blocks: Blocks, predicted: Array, load: Array, payload: float) -> list[Mistake]:
    """Return why torques are not those of the robot's own bodies, whatever its friction is.

    Args:
        blocks: Of all logs.
        predicted: Torques of the robot's own set, ``(N, n)``.
        load: Columns ``(N, n, k)`` of the last body, mass first.
        payload: The smallest that counts [kg].
    """
    size, tiny = spread(blocks.tau), np.finfo(float).tiny
    if len(predicted) < 2 * STRETCHES or not predicted.any():
        return []
    own, rest = friction_columns(blocks), blocks.tau - predicted
    main = size >= MAIN * size.max()
    scale = np.maximum(size, tiny)
    share = rms(rest - own @ StretchSums.of(own, rest).estimate(jackknife=False).value) / scale
    scaled = np.concatenate([own, predicted[:, :, None]], axis=2)
    weights = np.where(main, 1.0 / scale, 0.0)
    value = StretchSums.of(scaled, rest, weights).estimate(jackknife=False).value
    left = rms(rest - scaled @ value) / scale
    # where bodies add little to friction, torques do not tell their size
    explained = np.linalg.norm(left[main]) < HALF * np.linalg.norm(share[main])
    times = 1.0 + float(value[-1]) if explained else 1.0
    if times > 0.0 and not 1.0 / UNIT < times < UNIT:
        return [Mistake("unit", (), times, np.nan)]
    # rotors that the own set has not are no load
    own = np.concatenate([own, blocks.a[:, :, None] * np.eye(len(size))], axis=2)
    sums = StretchSums.of(np.concatenate([own, load], axis=2), rest)
    known = Eliminated.of(sums, list(range(own.shape[2])))
    usual = known.estimate([]).cost
    fit = known.estimate(list(range(own.shape[2], own.shape[2] + load.shape[2])))
    mass, deviation = float(fit.value[0]), float(fit.deviation[0])
    # less than the own set has may as well be another set of the wrist
    if mass > max(SURE * deviation, payload) and fit.cost < (1.0 - PAYLOAD) * usual:
        deviation = float(np.hypot(deviation, between_axes(own, load[:, :, :4], rest)))
        # and so may more, where single axes do not agree on a load that counts
        if mass - INTERVAL * deviation > payload:
            measuring = np.flatnonzero(size > 0.0).tolist()
            return [Mistake("payload", tuple(measuring), mass, deviation)]
    if share[main].max() > OTHER_ROBOT or not 1.0 / SIZE < times < SIZE:
        bad = np.flatnonzero(main & (share > OTHER_ROBOT)) if times == 1.0 else np.flatnonzero(main)
        return [Mistake("robot", tuple(bad.tolist()), times, np.nan)]
    return []


def between_axes(own: Array, load: Array, rest: Array) -> float:
    """Return the deviation of a load's mass by what equations of single axes say of it [kg].

    What the own set's bodies lack lasts as long as the log does, and no stretch of time tells it;
    but it is not the same mass on each axis. Axes count as studies with a random effect
    [DerSimonian & Laird 1986, Controlled Clinical Trials 7:177].

    Args:
        own: Columns of friction and rotors ``(N, n, k)``.
        load: Columns ``(N, n, 4)`` of mass and first moment.
        rest: Torques ``(N, n)`` that the own set leaves.
    """
    masses, variances = [], []
    for axis in range(rest.shape[1]):
        one = np.where(np.arange(rest.shape[1]) == axis, rest, np.nan)
        sums = StretchSums.of(np.concatenate([own, load], axis=2), one)
        known = Eliminated.of(sums, list(range(own.shape[2])))
        if known.length(own.shape[2]) > 0.0:
            fit = known.estimate(list(range(own.shape[2], own.shape[2] + 4)))
            if fit.deviation[0] > 0.0:
                masses.append(float(fit.value[0]))
                variances.append(float(fit.deviation[0]) ** 2)
    if len(masses) < 2:
        return 0.0
    mass, weight = np.array(masses), 1.0 / np.array(variances)
    scatter = float(weight @ np.square(mass - weight @ mass / weight.sum()))
    spare = float(weight.sum() - np.square(weight).sum() / weight.sum())
    effect = max(0.0, (scatter - (len(mass) - 1)) / spare)
    return float(1.0 / np.sqrt((1.0 / (1.0 / weight + effect)).sum()))
