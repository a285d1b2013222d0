"""References as functions of time, for the axes and for the TCP."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_callable, as_instance, as_pose, number, positive
from ..errors import InputError
from ..robot.robot import Robot
from ..trajectory import Motion, PosePath, TimeLaw, Trajectory
from ..trajectory.motion import checked_motion
from ..trajectory.rounding import snap
from ..trajectory.time_laws import time_law
from ..trajectory.trajectory import posture
from .signals import AxisReference, TcpReference, checked_model

AxisReferences = Callable[[float], AxisReference]
TcpReferences = Callable[[float], TcpReference]


def hold(q: ArrayLike) -> AxisReferences:
    """Stay at axis positions [rad, m], shape ``(n,)``: from anywhere else, a step.

    Raises:
        InputError: if they are not one posture.
    """
    position = posture(q, what="q")
    return lambda t: AxisReference(
        position.copy(), np.zeros(position.size), np.zeros(position.size)
    )


def follow(trajectory: Trajectory, begin: float = 0.0) -> AxisReferences:
    """Follow a trajectory of the axes from a time ``begin`` [s] on.

    Before and after it, stand at its ends.

    Raises:
        InputError: if it is no trajectory, or the time not finite.
    """
    as_instance(
        trajectory,
        Trajectory,
        "what is followed is a Trajectory, as irbmodels.trajectory.move makes it",
    )
    number(begin, "begin [s]")

    def at(t: float) -> AxisReference:
        since, moving = _motion_time(t, begin, trajectory.duration)
        state = trajectory.at(since)
        return AxisReference(state.q, moving * state.v, moving * state.a)

    return at


def sampled(motion: Motion) -> AxisReferences:
    """Follow a motion with speeds and accelerations; then stand.

    From sample to sample the position is a polynomial of degree 5.

    Raises:
        InputError: if the motion lacks speeds or accelerations, or has fewer than two samples.
    """
    from scipy.interpolate import BPoly

    motion = checked_motion(motion, "a reference", least=2)
    q = BPoly.from_derivatives(motion.t, np.stack(motion[1:4], axis=1))  # type: ignore[arg-type]
    v, a, first = q.derivative(), q.derivative(2), float(motion.t[0])
    duration = float(motion.t[-1]) - first

    def at(t: float) -> AxisReference:
        since, moving = _motion_time(t, first, duration)
        inside = snap(np.array(first + since), motion.t, abs(t) + duration)
        return AxisReference(q(inside), moving * v(inside), moving * a(inside))

    return at


def tcp_hold(pose: pin.SE3 | ArrayLike) -> TcpReferences:
    """Stay at a pose of the TCP in the base, ``pin.SE3`` or ``(4, 4)``.

    Raises:
        InputError: if it is no pose.
    """
    matrix = as_pose(pose, "a pose")
    return lambda t: TcpReference(matrix.copy(), np.zeros(6), np.zeros(6))


def tcp_along(
    path: PosePath, duration: float, law: str | TimeLaw = "freudenstein", begin: float = 0.0
) -> TcpReferences:
    """Follow a path of poses by a time law; stand before ``begin`` [s] and at its end.

    Raises:
        InputError: if the duration is not positive, or the path has corners, where the TCP would
            have to stop.
        UnknownName: if there is no such law.
    """
    chosen = time_law(law)
    as_instance(path, PosePath, "the way is a PosePath, as irbmodels.trajectory.line makes it")
    if path.stops:
        raise InputError(
            f"the path has corners at s = {', '.join(f'{s:g}' for s in path.stops)} m: blend them,"
            " or go in parts"
        )
    rate = 1.0 / positive(duration, "the duration of a motion [s]")
    number(begin, "begin [s]")

    def at(t: float) -> TcpReference:
        since, moving = _motion_time(t, begin, duration)
        x = since * rate
        s, v, a = (path.length * float(chosen.derivative(k, x)) * rate**k for k in range(3))
        point = path.at(s)
        acceleration = point.accelerations * v**2 + point.twists * a
        return TcpReference(point.poses, moving * point.twists * v, moving * acceleration)

    return at


def tcp_of(reference: AxisReferences, model: Robot) -> TcpReferences:
    """Follow the motion of the TCP along a reference of the axes, which is always within reach.

    Raises:
        InputError: if it is no function, or the model no robot.
    """
    as_callable(reference, "a reference is a function of time, as hold, follow and sampled make it")
    checked_model(model)

    def at(t: float) -> TcpReference:
        q, v, a = as_instance(
            reference(t), AxisReference, "a reference of the axes returns an AxisReference(q, v, a)"
        )
        J = model.jacobian(q)
        return TcpReference(
            as_pose(model.pose(q), "a pose"), J @ v, J @ a + model.jacobian_rate(q, v) @ v
        )

    return at


def _motion_time(t: float, begin: float, duration: float) -> tuple[float, float]:
    """Return the time since a begin, clipped to the duration, and 1.

    0 before and after it, where the reference stands.
    """
    since = float(
        snap(np.array(number(t, "t [s]") - begin), (0.0, duration), abs(t) + abs(begin) + duration)
    )
    inside = min(max(since, 0.0), duration)
    return inside, float(inside == since)
