"""References as functions of time, for the axes and for the TCP."""

from __future__ import annotations

import math
from collections.abc import Callable

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from ..checks import finite, is_rotation
from ..errors import InputError
from ..robot import Robot
from ..trajectory import Law, Motion, PosePath, Trajectory
from ..trajectory.laws import law_of
from .signals import AxisReference, TcpReference, homogeneous

Array = NDArray[np.float64]
AxisReferences = Callable[[float], AxisReference]
TcpReferences = Callable[[float], TcpReference]


def hold(q: ArrayLike) -> AxisReferences:
    """Stay at axis positions [rad, m], shape ``(n,)``: from anywhere else, a step."""
    position = np.array(q, dtype=float)
    still = AxisReference(finite(position, position.shape, "q"), np.zeros(position.shape), np.zeros(position.shape))
    return lambda t: still


def follow(trajectory: Trajectory, begin: float = 0.0) -> AxisReferences:
    """Follow a trajectory of the axes from a time ``begin`` [s] on; before and after it, stand at its ends."""

    def at(t: float) -> AxisReference:
        inside = min(max(t - begin, 0.0), trajectory.duration)
        state = trajectory.at(inside)
        moving = 1.0 if inside == t - begin else 0.0
        return AxisReference(state.q, moving * state.v, moving * state.a)

    return at


def sampled(motion: Motion) -> AxisReferences:
    """Follow a motion with speeds and accelerations, by polynomials of degree 5 from sample to sample; then stand.

    Raises:
        InputError: if the motion lacks speeds or accelerations, or has fewer than two samples.
    """
    from scipy.interpolate import BPoly

    if motion.v is None or motion.a is None or len(motion.t) < 2:
        raise InputError("a reference needs a motion of two samples and more, with speeds and accelerations")
    q = BPoly.from_derivatives(motion.t, np.stack([motion.q, motion.v, motion.a], axis=1))
    v, a, first, last = q.derivative(), q.derivative(2), float(motion.t[0]), float(motion.t[-1])

    def at(t: float) -> AxisReference:
        inside = min(max(t, first), last)
        moving = 1.0 if inside == t else 0.0
        return AxisReference(q(inside), moving * v(inside), moving * a(inside))

    return at


def tcp_hold(pose: pin.SE3 | ArrayLike) -> TcpReferences:
    """Stay at a pose of the TCP in the base, ``pin.SE3`` or ``(4, 4)``.

    Raises:
        InputError: if it is no pose.
    """
    matrix = homogeneous(pose)
    if not is_rotation(matrix[:3, :3]):
        raise InputError("a pose needs a rotation in its upper left 3 by 3 numbers")
    still = TcpReference(matrix, np.zeros(6), np.zeros(6))
    return lambda t: still


def tcp_along(path: PosePath, duration: float, law: str | Law = "freudenstein", begin: float = 0.0) -> TcpReferences:
    """Go along a path of poses by a time law; before ``begin`` [s], and ``duration`` [s] after it, stand.

    Raises:
        InputError: if the duration is not positive, or the path has corners, where the TCP would have to stop.
        UnknownName: if there is no such law.
    """
    chosen = law_of(law)
    if path.stops:
        raise InputError(f"the path has corners at s = {', '.join(f'{s:g}' for s in path.stops)} m: blend them, or go in parts")
    if not (math.isfinite(duration) and duration > 0.0):
        raise InputError(f"a motion needs a positive duration, got {duration!r} s")

    def at(t: float) -> TcpReference:
        x = min(max((t - begin) / duration, 0.0), 1.0)
        moving = 1.0 if x == (t - begin) / duration else 0.0
        s, v, a = (path.length * float(chosen.derivative(k, x)) / duration**k for k in range(3))
        here = path.at(s)
        return TcpReference(here.poses, moving * here.twists * v, moving * (here.accelerations * v**2 + here.twists * a))

    return at


def tcp_of(reference: AxisReferences, model: Robot) -> TcpReferences:
    """Follow what the TCP does along a reference of the axes: always within reach."""

    def at(t: float) -> TcpReference:
        q, v, a = reference(t)
        J = model.jacobian(q)
        return TcpReference(homogeneous(model.pose(q)), J @ v, J @ a + model.jacobian_rate(q, v) @ v)

    return at
