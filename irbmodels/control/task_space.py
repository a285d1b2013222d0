"""Laws in poses of the TCP: speeds (S004 Fig. 10) and inverse dynamics (Fig. 12, eq. 49), plain or damped near singularities.

The error is ``e = (p_d - p, theta u)``, where the turn by ``theta`` about ``u`` leads from the
tool's orientation to the wanted one, in base axes: right up to 180 deg. An arm with fewer than six
axes obeys as many rows: a SCARA x, y, z and the turn about z.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, as_list, finite, positive
from ..errors import InputError
from ..kinematics.singularities import damped_velocity
from ..model.friction import Stribeck
from ..model.rotations import quaternion
from ..model.types import Array
from ..robot.robot import Robot
from .joint_space import torque
from .signals import Gains, Measured, TcpReference, homogeneous, model_of, state_of, weighed

# [m, rad] error in a direction the arm has not that poses typed with seven digits leave
TURNED = 1e-6
SINGULAR = 1e-6  # smallest singular value [m, rad] at which an inverse would be mostly rounding
ROWS = ("x", "y", "z", "turn about x", "turn about y", "turn about z")


class TaskState(NamedTuple):
    """A task as a law sees it: error and its rate ``(m,)``, Jacobian and its rate ``(m, n)``, of the rows that are controlled."""

    error: Array
    rate: Array
    J: Array
    J_rate: Array
    acceleration: Array
    """The reference's, ``(m,)``."""
    rows: tuple[int, ...]


def tcp_error(pose: pin.SE3 | ArrayLike, goal: pin.SE3 | ArrayLike) -> Array:
    """What leads from a pose to another, base axes, shape ``(6,)``: a step [m] and a rotation vector [rad] of at most pi."""
    here, there = homogeneous(pose), homogeneous(goal)
    wxyz = quaternion(there[:3, :3] @ here[:3, :3].T)
    sine = float(np.linalg.norm(wxyz[1:]))
    angle = 2.0 * np.arctan2(sine, wxyz[0])
    turn = wxyz[1:] * (angle / sine if sine > 0.0 else 2.0)
    return np.concatenate([there[:3, 3] - here[:3, 3], turn])


def task_rows(model: Robot) -> tuple[int, ...]:
    """Rows of a pose that an arm can move: all six, or those in which its Jacobian is not always zero.

    Raises:
        InputError: if there are not as many rows as axes; then the law has to be told which ones.
    """
    return _task_rows(model_of(model))


@lru_cache(maxsize=64)
def _task_rows(model: Robot) -> tuple[int, ...]:
    low, high = model.limits.envelope()
    q = np.random.default_rng(0).uniform(
        np.maximum(low, -np.pi), np.minimum(high, np.pi), (5, model.n)
    )
    size = np.abs([model.jacobian(one) for one in q]).max(axis=(0, 2))
    rows = tuple(np.flatnonzero(size > SINGULAR).tolist())
    if len(rows) != model.n:
        moved = ", ".join(ROWS[row] for row in rows)
        raise InputError(
            f"{model.name} has {model.n} axes and moves {moved}: name as many rows as axes,"
            " rows=(0, 1, ...)"
        )
    return rows


def task_state(
    state: Measured, reference: TcpReference, model: Robot, rows: Sequence[int] | None = None
) -> tuple[Measured, TaskState]:
    """Return the state as arrays, and error, rate, Jacobian and its rate in the rows that are controlled.

    Raises:
        InputError: if the goal is off in a direction that the arm cannot move, the rows do not fit
            the axes, or an argument is of another type or shape.
    """
    state = state_of(state, model_of(model).n)
    as_instance(
        reference,
        TcpReference,
        "the reference of this law is a TcpReference(pose, twist, acceleration)",
    )
    error = tcp_error(model.pose(state.q), reference.pose)
    kept = (
        task_rows(model)
        if rows is None
        else tuple(as_list(rows, int, "rows are whole numbers from 0 to 5"))
    )
    if len(kept) != model.n or len(set(kept)) != model.n or not set(kept) <= set(range(6)):
        raise InputError(f"{model.name} needs {model.n} rows out of 0..5, got {kept}")
    if rows is None:
        _refuse_off(error, kept, model)
    J, J_rate = model.jacobian(state.q), model.jacobian_rate(state.q, state.v)
    index = list(kept)
    twist, wanted = (
        finite(getattr(reference, x), (6,), f"reference {x}") for x in ("twist", "acceleration")
    )
    rate = twist - J @ state.v
    return state, TaskState(error[index], rate[index], J[index], J_rate[index], wanted[index], kept)


def tcp_speed(
    state: Measured,
    reference: TcpReference,
    model: Robot,
    gain: ArrayLike,
    *,
    near: float | None = None,
    rows: Sequence[int] | None = None,
) -> Array:
    """Axis speeds ``J^-1 (twist_d + gain e)``, so that ``e' = -gain e`` (S004, kinematic control in task space).

    S004 prints ``mu_d' + r mu''`` and the inverse of the 6 by 4 J of its arm: no position is fed
    back, and no inverse exists.

    Args:
        state: What was measured; its speed is not used.
        reference: Where the TCP should be.
        model: The controller's model.
        gain: ``r`` [1/s]: a number, or one per row.
        near: Smallest singular value below which the inverse is damped
            (:meth:`Robot.damped_velocity`), so that speeds stay bounded through singularities; None
            inverts exactly.
        rows: Rows of the pose to be controlled, 0..5, as many as axes; default all that the arm can
            move.

    Returns:
        Speeds [rad/s, m/s], shape ``(n,)``.

    Raises:
        InputError: if J is singular and ``near`` is None, or the goal is off in a direction that
            the arm cannot move.
    """
    here = as_instance(state, Measured, "the state is Measured(q, v)")._replace(
        v=np.zeros(model_of(model).n)
    )
    _, task = task_state(here, reference, model, rows)
    twist = np.asarray(reference.twist, dtype=float)[list(task.rows)] + weighed(
        gain, task.error, "gain [1/s]"
    )
    return _axis_values(task, twist, model, near)


def task_inverse_dynamics(
    state: Measured,
    reference: TcpReference,
    model: Robot,
    gains: Gains,
    *,
    near: float | None = None,
    rows: Sequence[int] | None = None,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques ``M J^-1 (a_d - J' v + kd e' + kp e) + C v + g``: ``e'' + kd e' + kp e = 0`` (S004 eq. 49, corrected).

    S004 prints ``J'(q_d) q_d'`` for ``J'(q, v) v``: then the error's equation has another right
    side, which vanishes only with the error. Of an orientation the equation is ``w_d' - w' + kd
    (w_d - w) + kp theta u = 0``; ``1/2 |w_d - w|^2 + 1/2 kp theta^2`` falls by ``kd |w_d - w|^2``.

    Args:
        state: What was measured.
        reference: Where the TCP should be.
        model: The controller's model.
        gains: [1/s^2, 1/s], such as ``Gains.of(frequency)``: a number, one per row, or a matrix.
        near: As in :func:`tcp_speed`.
        rows: As in :func:`tcp_speed`.
        friction: As in :func:`irbmodels.control.computed_torque`.

    Raises:
        InputError: as :func:`tcp_speed`.
    """
    as_instance(gains, Gains, "gains are Gains(kp, kd)")
    state, task = task_state(state, reference, model, rows)
    wanted = (
        task.acceleration + weighed(gains.kd, task.rate, "kd") + weighed(gains.kp, task.error, "kp")
    )
    a = _axis_values(task, wanted - task.J_rate @ state.v, model, near)
    return torque(state, a, model, friction)


def _axis_values(task: TaskState, wanted: Array, model: Robot, near: float | None) -> Array:
    """Axis rates for rates of the task, exact or damped."""
    if near is not None:
        J, whole = np.zeros((6, task.J.shape[1])), np.zeros(6)
        J[list(task.rows)], whole[list(task.rows)] = task.J, wanted
        return damped_velocity(
            J, whole, positive(near, "near, the singular value below which the inverse is damped,")
        ).v
    return solved(task.J, wanted, model)


def solved(J: Array, wanted: Array, model: Robot) -> Array:
    """Return ``J^-1 wanted``.

    Raises:
        InputError: at a singularity.
    """
    least = float(np.linalg.svd(J, compute_uv=False)[-1])
    if least < SINGULAR:
        raise InputError(
            f"{model.name} is singular here (smallest singular value {least:.1e}); near=0.05 damps"
            " the inverse"
        )
    return np.asarray(np.linalg.solve(J, wanted), dtype=float)


def _refuse_off(error: Array, rows: tuple[int, ...], model: Robot) -> None:
    off = [row for row in range(6) if row not in rows and abs(error[row]) > TURNED]
    if off:
        told = ", ".join(
            f"{ROWS[row]} by {np.degrees(error[row]):.3g} deg" if row > 2 else ROWS[row]
            for row in off
        )
        raise InputError(
            f"{model.name} cannot reach this goal: it is off in {told}, where the arm has no axis"
        )
