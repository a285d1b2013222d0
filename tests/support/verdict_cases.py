"""Logs of a simulated IRB 2400, good ones and bad ones, and what is identified from them."""

from functools import cache

import numpy as np
from excited import SIGMA, excitation

import irbmodels as irb
from irbmodels.identification.recordings import Sensors, synthetic_recording
from irbmodels.identification.validation import identify, prepare, split_recording


@cache
def truth():
    """The arm that the logs come from."""
    return irb.load("irb2400", tool="spindle")


@cache
def prior():
    """The arm with another set of inertials, the CAD of S001."""
    return irb.load("irb2400", tool="spindle", parameters="jia2018")


def motion(seed, duration=12.0, scale=(1.0,) * 6):
    """An exciting motion; axes scaled towards where they start."""
    wanted = excitation(truth(), duration, seed=seed)
    q = wanted.q[0] + (wanted.q - wanted.q[0]) * scale
    return wanted._replace(q=q, v=wanted.v * scale, a=wanted.a * scale, tau=None)


@cache
def log(seed=1, tool=True, scale=(1.0,) * 6, **sensors):
    """A log as it is read; ``sensors`` are further ones."""
    arm = truth() if tool else truth().with_tool(None)
    seen = Sensors(counts=2**20, torque_noise=SIGMA, **sensors)
    return synthetic_recording(arm, motion(seed, scale=scale), seen, controller=False, seed=seed)


def identified(robot, *logs, **words):
    """What is identified from logs, the last quarter of each held out."""
    parts = [split_recording(one) for one in logs]
    return identify(
        robot, [prepare(one[0]) for one in parts], [prepare(one[1]) for one in parts], **words
    )


@cache
def good():
    """What two good logs say, from another prior than the truth."""
    return identified(prior(), log(1), log(2))


def plus(recording, torque):
    """The log with more torque, ``(N, n)`` or ``(n,)``."""
    return recording.changed(tau=np.asarray(recording.tau) + torque)
