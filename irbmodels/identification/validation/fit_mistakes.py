"""Mistakes that a fit shows beside all its parameters, and bodies that are not the robot's own.

A gain or a shifted zero of an axis goes into fitted bodies in part only: equations of several axes
share them. A wrong sign makes dry friction drive. Bodies of the robot's own set, with any friction,
tell another robot's tables, a wrong unit and a payload.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from ...model.types import Array, Mask
from .mistakes import (
    GAIN,
    LARGEST_ZERO,
    LARGEST_ZERO_LINEAR,
    STEP,
    SURE,
    ZERO,
    ZERO_LINEAR,
    Blocks,
    Kind,
    Mistake,
    Predict,
    friction_columns,
)
from .stretch_equations import STRETCHES, Eliminated, StretchSums, rms, spread

# of the spread of the torque, left by bodies of the robot's own set with any friction: those of
# four measured arms leave up to 65 %, of other arms 94 % and more of one axis
OTHER_ROBOT = 0.8
SIZE, UNIT = 2.0, 30.0  # times the torque of these bodies: they are others; a unit is another
HALF = 0.5  # of the error is left at most by bodies of another size, where torques tell that
MAIN = 0.1  # of the largest spread: axes that carry less say little of bodies
PAYLOAD = 0.5  # of the residuals that a payload explains


def find_fit_mistakes(
    blocks: Blocks,
    predict: Predict,
    fitted: Callable[[Blocks], Array],
    coulomb: Sequence[int],
    linear: Mask,
) -> list[Mistake]:
    """Return gains, zeros and signs that residuals ask for beside all fitted parameters.

    Args:
        blocks: Of all logs.
        predict: Torques ``(N, n)`` of the fitted set at ``q, v, a``.
        fitted: Columns of the fitted parameters ``(N, n, p)``.
        coulomb: Column of Fc of each axis among these, -1 without one.
        linear: Per axis whether it is linear.
    """
    q, v, a, tau = blocks
    n = q.shape[1]
    if len(q) < 2 * STRETCHES:
        return []
    offsets = np.broadcast_to(np.eye(n), (len(q), n, n))
    own = np.concatenate([fitted(blocks), offsets], axis=2)
    friction = StretchSums.of(own, tau).estimate()
    found = [
        Mistake("sign", (i,), np.nan, np.nan)
        for i, k in enumerate(coulomb)
        if k >= 0 and friction.value[k] < -SURE * friction.deviation[k]
    ]
    if found:
        return found
    predicted = predict(q, v, a)
    columns = np.zeros((len(q), n, 2 * n))
    for i in range(n):
        columns[:, i, i] = predicted[:, i]
        step = STEP * (np.arange(n) == i)
        slope = (predict(q + step, v, a) - predict(q - step, v, a)) / (2.0 * STEP)
        columns[:, :, n + i] = -slope  # the log reads q + shift
    sums = StretchSums.of(np.concatenate([own, columns], axis=2), tau - predicted)
    known = Eliminated.of(sums, list(range(own.shape[2])))
    tried = []
    for k in range(2 * n):
        fit = known.estimate([own.shape[2] + k])
        value, deviation = float(fit.value[0]), float(fit.deviation[0])
        if k < n:
            least, most = GAIN, np.inf
        else:
            short = (ZERO_LINEAR, LARGEST_ZERO_LINEAR)
            least, most = short if linear[k - n] else (ZERO, LARGEST_ZERO)
        if least < abs(value) < most and abs(value) > SURE * deviation > 0.0:
            kind: Kind = "gain" if k < n else "zero"
            tried.append((abs(value) / deviation, Mistake(kind, (k % n,), value, deviation)))
    # a mistake moves what is estimated of others: the surest one is named
    return [max(tried)[1]] if tried else []


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
    own, rest = friction_columns(blocks.v), blocks.tau - predicted
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
        return [Mistake("payload", tuple(range(len(size))), mass, deviation)]
    if share[main].max() > OTHER_ROBOT or not 1.0 / SIZE < times < SIZE:
        bad = np.flatnonzero(main & (share > OTHER_ROBOT)) if times == 1.0 else np.flatnonzero(main)
        return [Mistake("robot", tuple(bad.tolist()), times, np.nan)]
    return []
