"""A law by its name, with gains by one frequency, and its run along a sampled motion."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_choice, as_instance, positive
from ..errors import InputError
from ..model.types import Array
from ..robot.robot import Robot
from ..simulation import Run
from ..trajectory import Motion
from .axis_pid import PidGains, PidMemory, pid
from .joint_space import computed_torque, feed_forward, pd_gravity
from .loop import Law, run_loop
from .reference import sampled, tcp_of
from .signals import AxisReference, Gains, TcpReference, checked_model
from .task_space import task_inverse_dynamics

LAW_NAMES = ("feed-forward", "computed-torque", "pd-gravity", "pid", "task-inverse-dynamics")
FREQUENCY = 20.0  # [rad/s] that samples of 4 ms follow well (docs/howto/control)


class TunedLaw(NamedTuple):
    """A law with its gains."""

    law: Law
    memory: Any
    """Initial memory, or None of a law that has none."""
    by_tcp: bool
    """Whether its reference is one of the TCP."""


def tuned_law(name: str, model: Robot, q: ArrayLike, frequency: float = FREQUENCY) -> TunedLaw:
    """Return a law by its name, with gains that make its error fall by one frequency.

    Laws of accelerations (``computed-torque``, ``task-inverse-dynamics``) have ``kp = w^2`` and
    ``kd = 2 w``: the error is critically damped. Those of torques have these times the axis' own
    inertia ``m`` at ``q`` (``feed-forward``, ``pd-gravity``); ``pid`` has ``kd = 3 w m``, ``kp = 3
    w^2 m``, ``ki = w^3 m``, a triple pole at ``-w`` of ``m e''' + kd e'' + kp e' + ki e``.
    ``feed-forward`` adds the model's friction where it is known; there its ``kp`` is at least
    ``(Fs - Fc) / 1 deg`` (1 mm of a linear axis), so that an axis which sticks breaks away before
    it errs by more: inertia alone asks for next to no gain at a light wrist.

    Args:
        name: One of :data:`LAW_NAMES`.
        model: The controller's model.
        q: Axis positions at the start [rad, m], shape ``(n,)``.
        frequency: ``w`` [rad/s].

    Raises:
        UnknownName: if there is no such law.
        InputError: if the frequency is not positive, or ``q`` is no posture.
    """
    as_choice(name, LAW_NAMES, "law")
    w = positive(frequency, "the frequency of gains [rad/s]")
    start = checked_model(model).states.one(q)
    if name == "computed-torque":
        return TunedLaw(partial(computed_torque, gains=Gains.of(w)), None, False)
    if name == "task-inverse-dynamics":
        return TunedLaw(partial(task_inverse_dynamics, gains=Gains.of(w)), None, True)
    m: Array = np.diag(model.mass_matrix(start))
    gains, friction = Gains(w * w * m, 2.0 * w * m), model.friction_model
    if name == "feed-forward":
        if friction is not None:
            stuck = np.where(model.limits.linear, 1e-3, np.radians(1.0))  # [rad, m]
            gains = gains._replace(kp=np.maximum(gains.kp, (friction.Fs - friction.Fc) / stuck))
        known = friction is not None
        return TunedLaw(partial(feed_forward, gains=gains, friction=known), None, False)
    if name == "pd-gravity":
        return TunedLaw(partial(pd_gravity, gains=gains), None, False)
    triple = PidGains(3.0 * w * w * m, w**3 * m, 3.0 * w * m)
    # what holds the arm at the start is in the integral
    return TunedLaw(partial(pid, gains=triple), PidMemory(model.gravity(start)), False)


def follow_motion(
    robot: Robot,
    motion: Motion,
    law: str,
    *,
    frequency: float = FREQUENCY,
    model: Robot | None = None,
    duration: float | None = None,
    **settings: Any,
) -> Run:
    """Run a law by its name around a simulated arm along a motion, from its first posture.

    Args:
        robot: The arm.
        motion: Samples with speeds and accelerations.
        law: One of :data:`LAW_NAMES`.
        frequency: Of the gains [rad/s].
        model: The controller's model; default the robot itself.
        duration: [s]; default that of the motion. Behind its end the reference stands.
        settings: Those of :func:`.run_loop`, such as ``period`` and ``delay``.

    Raises:
        UnknownName: if there is no such law.
        InputError: if the motion lacks speeds or accelerations, or as :func:`.run_loop`.
        SimulationError: as :func:`.run_loop`.

    Example:
        >>> import irbmodels as irb
        >>> from irbmodels.control import follow_motion
        >>> from irbmodels.trajectory import move
        >>> robot = irb.load("irb930")
        >>> ends = robot.from_controller([[20, -60, -50, 30], [-40, 70, -250, -60]])
        >>> run = follow_motion(robot, move(*ends, duration=1.0).sample(250.0), "computed-torque")
        >>> bool(abs(run["error"]).max() < 1e-3)
        True
    """
    as_instance(motion, Motion, "what is followed is an irbmodels.Motion")
    own = robot if model is None else checked_model(model)
    if len(motion.t) < 2:
        raise InputError("a motion that is followed needs two samples or more")
    moved = motion._replace(t=motion.t - motion.t[0])
    chosen = tuned_law(law, own, moved.q[0], frequency)
    reference: Callable[[float], AxisReference | TcpReference] = sampled(moved)
    if chosen.by_tcp:
        reference = tcp_of(sampled(moved), own)
    return run_loop(
        robot,
        chosen.law,
        reference,
        float(moved.t[-1]) if duration is None else duration,
        start=moved.q[0],
        model=own,
        memory=chosen.memory,
        **settings,
    )
