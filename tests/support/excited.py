"""Motions that excite an arm, their torques, and what measuring does to both."""

import numpy as np
from scipy.signal import butter, sosfiltfilt

from irbmodels.dynamics import equations_of_motion as dynamics
from irbmodels.trajectory.fourier import FourierSeries
from irbmodels.trajectory.motion import Motion

RATE = 250.0  # [Hz] of the controller's log (S000, Tab. 6)
SIGMA = np.array([4.08, 10.89, 3.79, 1.17, 0.78, 0.81])  # [N m] RMSE of S000 Tab. 6
COUNT = 2.0 * np.pi / 2**20  # [rad] step of an encoder, arm side
CUT = 25  # samples at each end: the series starts and ends at rest, where friction has no sign


def torques(robot, q, v, a):
    """Pinocchio's torques with friction, state by state: never the regressor, and nothing is
    compiled.
    """
    rigid = np.array(
        [
            dynamics.inverse_dynamics(robot.dynamic_model, *state)
            for state in zip(q, v, a, strict=True)
        ]
    )
    return rigid if robot.friction_model is None else rigid + robot.friction(v, q)


def random_states(robot, count, seed=0, axes=None):
    """Random states of all axes, or of some, with exact torques; every second one slow enough for
    Stribeck's drop.
    """
    rng = np.random.default_rng(seed)
    low, high = robot.limits.envelope()
    moving = np.isin(np.arange(1, robot.n + 1), range(1, robot.n + 1) if axes is None else axes)
    q = rng.uniform(np.maximum(low, -2.0), np.minimum(high, 2.0), (count, robot.n)) * moving
    v, a = (
        rng.normal(size=(count, robot.n)) * moving,
        3.0 * rng.normal(size=(count, robot.n)) * moving,
    )
    if robot.friction_model is not None:
        v[::2] *= robot.friction_model.v_St
    return Motion(np.arange(count) / RATE, q, v, a, torques(robot, q, v, a))


def excitation(robot, duration=10.0, seed=1, harmonics=5):
    """One period of a random Fourier series within range and speed limits, with exact torques."""
    series, rng = FourierSeries(harmonics, duration), np.random.default_rng(seed)
    x = rng.normal(size=(series.size, robot.n))
    x[0] = 0.0
    low, high = robot.limits.envelope()
    low, high = np.maximum(low, -2.5), np.minimum(high, 2.5)
    bounds = series.amplitudes(x)
    x *= np.minimum(
        0.45 * (high - low) / bounds.offset,
        0.9 * np.minimum(robot.limits.velocity, 10.0) / bounds.speed,
    )
    x[0] = 0.5 * (low + high)
    t = np.arange(0.0, duration - 0.5 / RATE, 1.0 / RATE)
    maps = series.maps(t)
    q, v, a = maps.q @ x, maps.v @ x, maps.a @ x
    return Motion(t, q, v, a, torques(robot, q, v, a))


def low_pass(x, cutoff=10.0):
    """Zero-phase filter of one period of a periodic signal."""
    sos = butter(4, cutoff, fs=RATE, output="sos")
    return sosfiltfilt(sos, np.concatenate([x, x, x]), axis=0)[len(x) : 2 * len(x)]


def measured(motion, rng, sigma=SIGMA, count=COUNT):
    """A period as measured: positions rounded to counts and filtered at 10 Hz, rates derived from
    them, torques raw.
    """
    q = low_pass(np.round(motion.q / count + rng.uniform(-0.5, 0.5, motion.q.shape[1])) * count)
    step = 1.0 / RATE
    (back, ahead), (before, after) = (
        [np.roll(q, sign * k, axis=0) for sign in (1, -1)] for k in (1, 2)
    )
    v = (8.0 * (ahead - back) - (after - before)) / (12.0 * step)
    a = (16.0 * (ahead + back) - (after + before) - 30.0 * q) / (12.0 * step**2)
    tau = motion.tau + sigma[: motion.tau.shape[1]] * rng.normal(size=motion.tau.shape)
    return Motion(motion.t, q, v, a, tau)


def inner(motion):
    """Leave the rests at both ends out."""
    return motion.each(lambda x: x[CUT:-CUT])
