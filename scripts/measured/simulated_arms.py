"""Logs of arms of the tables, with noise and friction that no law of the package has."""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

import irbmodels as irb
from irbmodels.identification.recordings import Recording
from irbmodels.robot.robot import Robot

from .sources import MeasuredArm

sys.path.insert(0, str(Path(__file__).resolve().parents[2] / "tests" / "support"))
from excited import excitation

Array = NDArray[np.float64]
NAMES = ("irb2400", "irb1400", "irb1600_6_120", "irb930_12_105")
NOISE = 0.03  # of the spread of the torque of bodies, per sample at 250 Hz
RIPPLE = 0.015  # of it, by gears: sines of the position
COUNT = 2.0 * np.pi / 2**18  # [rad, m] of an encoder
TURN_ROUND = 0.02  # of the RMS speed, within which dry friction turns round
OTHER_MASS = 1.25  # masses of the prior lie within this factor of the true ones
SECONDS, WARM = 20.0, 15.0  # [s] of a log, and until friction of a cold gear has fallen to 1 / e


def simulated(name: str) -> MeasuredArm:
    """Return an arm with a prior that is not the truth, two logs of the fit and one held out.

    Dry friction grows with the load of the axis, falls as the gear warms up, and differs by
    direction; viscous friction flattens; gears ripple.
    """
    rng, true = np.random.default_rng(NAMES.index(name)), irb.load(name)
    n = true.n
    motions = [
        excitation(true, SECONDS, seed=3 * NAMES.index(name) + k, harmonics=5) for k in range(3)
    ]
    torques = [true.inverse_dynamics(*motion[1:4], friction=False) for motion in motions]
    size = np.concatenate(torques).std(axis=0)
    speed = np.sqrt(np.square(np.concatenate([motion.v for motion in motions])).mean(axis=0))
    dry, viscous = (
        rng.uniform(low, high, n) * np.maximum(size, 0.1 * size.max())
        for low, high in ((0.15, 0.35), (0.1, 0.3))
    )
    uneven, teeth, start = rng.uniform(-0.08, 0.08, n), rng.uniform(20.0, 60.0, n), rng.random(n)
    logs = []
    for k, (motion, torque) in enumerate(zip(motions, torques, strict=True)):
        v = np.asarray(motion.v) / speed
        cold = 1.0 + 0.1 * np.exp(-np.asarray(motion.t) / WARM)[:, None]
        friction = dry * (1.0 + 0.075 * np.abs(torque) / size) * (1.0 + uneven * np.sign(v))
        friction = friction * np.tanh(v / TURN_ROUND) + viscous * v * (1.0 + 0.3 / (1.0 + v**2))
        ripple = RIPPLE * size * np.sin(teeth * (np.asarray(motion.q) + start))
        noise = NOISE * size * rng.normal(size=torque.shape)
        logs.append(
            Recording(
                motion.t,
                np.round(np.asarray(motion.q) / COUNT) * COUNT,
                tau=torque + cold * friction + ripple + noise,
                linear=tuple(bool(one) for one in true.limits.linear),
                source=f"{name}, motion {k + 1}",
            )
        )
    return MeasuredArm(name, name, "simulated", _prior(true, rng), tuple(logs[:2]), logs[2])


def _prior(true: Robot, rng: np.random.Generator) -> Robot:
    """Return the robot with another set: of CAD where there is one, else with other masses."""
    if true.name.startswith("irb2400"):
        return irb.load("irb2400", parameters="jia2018")
    count = true.model.njoints - 1
    bodies = true.parameter_vector()[: 10 * count].reshape(count, 10)
    factors = OTHER_MASS ** rng.uniform(-1.0, 1.0, (count, 1))
    return true.with_bodies((bodies * factors).ravel())
