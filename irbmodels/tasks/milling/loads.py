"""Axis torques, their share of the limits, and static deflection by a process force at the TCP."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, broadcast, finite, numbers, rows, short_repr
from ...errors import InputError
from ...model.types import Array, Mask
from ...robot.robot import Robot
from ...trajectory import Motion
from ...trajectory.motion import checked_motion
from .cutting import CuttingForce

ALONG = 1e-6  # share of the feed across the tool's axis below which it is a plunge


class ProcessLoad(NamedTuple):
    """Along a motion of ``N`` samples."""

    wrench: Array
    """Wrench of the workpiece on the tool [N, N m] at the TCP, base axes, shape ``(N, 6)``."""
    torque: Array
    """Axis torques against it alone, ``-J' w`` [N m, N], shape ``(N, n)``."""
    total: Array
    """With the motion's own torque: inertia, gravity, friction."""
    share: Array
    """``|total|`` over the effort limits.

    ``robot.limits.effort_assumed`` says which of these are assumed; of unknown ones it is 0.
    """
    deflection: Array | None
    """Displacement [m] and rotation [rad] of the TCP, ``J K^-1 J' w``, base axes, ``(N, 6)``.

    None where no stiffness is given.
    """


def process_wrench(robot: Robot, q: ArrayLike, feed: ArrayLike, force: CuttingForce) -> Array:
    """Return the wrench of a cut at the TCP for postures.

    Args:
        robot: With its tool; the axis of the cutter is the z of the TCP, out of the tool.
        q: Axis positions [rad, m], shape ``(..., n)``.
        feed: Direction of the tool's motion against the workpiece, base axes, shape ``(..., 3)``;
            its length does not count.
        force: In the frame of the cut.

    Returns:
        Shape ``(..., 6)``: force first, base axes, at the TCP; what the world exerts on the robot.

    Raises:
        InputError: if a feed is zero or along the tool's axis: then it has no direction across.
    """
    checked_force(force)
    place = as_instance(robot, Robot, "a cut is one of an irbmodels.Robot").pose(
        rows(q, robot.n, "q")
    )
    poses = np.asarray(getattr(place, "homogeneous", place))
    z, along = poses[..., :3, 2], rows(feed, 3, "feed")
    z, along = broadcast(z, along)
    length = np.linalg.norm(along, axis=-1, keepdims=True)
    with np.errstate(invalid="ignore", divide="ignore"):
        unit = along / length
        x = unit - np.sum(unit * z, axis=-1, keepdims=True) * z
        across = np.linalg.norm(x, axis=-1, keepdims=True)
    if not np.all(across > ALONG):
        first = np.argwhere(~(across[..., 0] > ALONG))[0].tolist() if across.ndim > 1 else ""
        raise InputError(
            f"the feed {f'of sample {first[0]} ' if first else ''}is zero or along the tool's axis,"
            " so the cut has no sides"
        )
    x = x / across
    y = np.cross(z, x)
    return np.concatenate(
        [force.feed * x + force.across * y + force.axial * z, force.torque * z], axis=-1
    )


def process_load(
    robot: Robot, motion: Motion, force: CuttingForce, stiffness: ArrayLike | None = None
) -> ProcessLoad:
    """Return wrench, torques and deflection by a cut along a motion.

    The feed is the velocity of the TCP; where it stands still no wrench acts (the cutter does not
    cut).

    Args:
        robot: With its tool.
        motion: With speeds and accelerations.
        force: In the frame of the cut; :meth:`Milling.mean`, or a force that was measured.
        stiffness: Of each axis, arm side [N m/rad, N/m], shape ``(n,)``; infinite where an axis
            does not give.

    Raises:
        InputError: if the motion has no speeds or accelerations, or a stiffness is not positive.
    """
    as_instance(robot, Robot, "a cut is one of an irbmodels.Robot")
    motion = checked_motion(motion, "a process load", n=robot.n, name=robot.name)
    assert motion.v is not None  # checked_motion sees to it
    assert motion.a is not None
    wrench, torque, deflection = process_torque(robot, motion.q, motion.v, force, stiffness)
    total = robot.inverse_dynamics(motion.q, motion.v, motion.a) + torque
    return ProcessLoad(wrench, torque, total, np.abs(total) / robot.limits.effort, deflection)


def process_torque(
    robot: Robot,
    q: Array,
    v: Array,
    force: CuttingForce,
    stiffness: ArrayLike | None = None,
    cuts: Mask | None = None,
) -> tuple[Array, Array, Array | None]:
    """Return wrench, torques and deflection of :class:`ProcessLoad` for states ``(N, n)``.

    Args:
        robot: With its tool.
        q: Axis positions [rad, m].
        v: Axis speeds [rad/s, m/s].
        force: In the frame of the cut.
        stiffness: As for :func:`process_load`.
        cuts: In which samples the tool cuts, shape ``(N,)``; default in all in which it moves.

    Raises:
        InputError: if a shape is wrong, or a number not finite.
    """
    checked_force(force)
    q = rows(q, as_instance(robot, Robot, "a cut is one of an irbmodels.Robot").n, "q")
    if q.ndim != 2:
        raise InputError(f"q needs shape (N, {robot.n}), got {q.shape}")
    v = finite(v, q.shape, "v")
    if cuts is not None and (np.shape(cuts) != q.shape[:1] or np.asarray(cuts).dtype.kind != "b"):
        raise InputError(
            f"cuts need one True or False per sample, shape ({len(q)},), not {short_repr(cuts)}"
        )
    J = robot.jacobian(q)
    velocity = np.einsum("nij,nj->ni", J[:, :3], v)
    moving = np.linalg.norm(velocity, axis=1) > 0.0
    moving = moving if cuts is None else moving & cuts
    wrench = np.zeros((len(q), 6))
    if moving.any():
        wrench[moving] = process_wrench(robot, q[moving], velocity[moving], force)
    torque = -np.einsum("nij,ni->nj", J, wrench)
    return wrench, torque, None if stiffness is None else deflected(J, wrench, stiffness)


def deflected(J: Array, wrench: Array, stiffness: ArrayLike) -> Array:
    """Return the static deflection of the TCP by a wrench, ``J K^-1 J' w``, shape ``(..., 6)``.

    Raises:
        InputError: if a shape is wrong, or there is not one positive stiffness per axis.
    """
    jacobian, load = finite(J, None, "J"), rows(wrench, 6, "wrench (force, moment)")
    if (
        jacobian.ndim < 2
        or jacobian.shape[-2] != 6
        or load.shape[:-1] not in ((), jacobian.shape[:-2])
    ):
        raise InputError(
            f"J needs shape (..., 6, n) and the wrench (..., 6), got {jacobian.shape} and"
            f" {load.shape}"
        )
    k = stiffness_of(stiffness, jacobian.shape[-1])
    turned = np.einsum("...ij,...i->...j", jacobian, load) / k
    bent: Array = np.einsum("...ij,...j->...i", jacobian, turned)
    return bent


def stiffness_of(stiffness: ArrayLike, n: int) -> Array:
    """Return the stiffness of ``n`` axes as an array ``(n,)``; infinite where one does not give.

    Raises:
        InputError: if there is not one positive number per axis.
    """
    k = numbers(stiffness, "a stiffness [N m/rad, N/m]")
    if k.shape != (n,) or not (k > 0.0).all():
        raise InputError(
            f"a stiffness needs one positive number per axis [N m/rad, N/m], {n} of them, got"
            f" {short_repr(k)}"
        )
    return k


def checked_force(force: CuttingForce) -> CuttingForce:
    """Return a cutting force.

    Raises:
        InputError: if it is none, or not finite.
    """
    as_instance(force, CuttingForce, "a force is a CuttingForce, as Milling(...).mean() returns it")
    finite(force, (4,), "a cutting force (feed, across, axial, torque)")
    return force
