"""Laws in poses of the TCP: speeds (S004 Fig. 10) and inverse dynamics (Fig. 12, eq. 49).

Both are exact, or damped near singularities. The error is ``e = (p_d - p, theta u)``, where the
rotation by ``theta`` about ``u`` leads from the tool's orientation to the desired one, in base
axes: right up to 180 deg. An arm with fewer than six axes controls as many rows: a SCARA x, y, z
and the rotation about z.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, as_list, as_pose, finite, positive
from ..errors import InputError
from ..kinematics.singularities import damped_velocity
from ..model.friction import Stribeck
from ..model.rotations import quaternion
from ..model.types import Array
from ..robot.robot import Robot
from .joint_space import model_torque
from .signals import Gains, Measured, TcpReference, apply_gain, checked_model, checked_state

UNREACHABLE = 1e-6  # [m, rad] error of rows that the arm cannot move; typed poses have less
SINGULAR = 1e-6  # smallest singular value [m, rad] at which an inverse would be mostly rounding
ROWS = ("x", "y", "z", "turn about x", "turn about y", "turn about z")


class TaskState(NamedTuple):
    """Error and its rate ``(m,)``, Jacobian and its rate ``(m, n)``, of the controlled rows."""

    error: Array
    rate: Array
    J: Array
    J_rate: Array
    acceleration: Array
    """The reference's, ``(m,)``."""
    rows: tuple[int, ...]


def tcp_error(pose: pin.SE3 | ArrayLike, goal: pin.SE3 | ArrayLike) -> Array:
    """Pose error in base axes, ``(6,)``: translation [m], rotation vector [rad] of at most pi."""
    actual, desired = as_pose(pose, "a pose"), as_pose(goal, "a pose")
    wxyz = quaternion(desired[:3, :3] @ actual[:3, :3].T)
    sine = float(np.linalg.norm(wxyz[1:]))
    angle = 2.0 * np.arctan2(sine, wxyz[0])
    rotation = wxyz[1:] * (angle / sine if sine > 0.0 else 2.0)
    return np.concatenate([desired[:3, 3] - actual[:3, 3], rotation])


def task_rows(model: Robot) -> tuple[int, ...]:
    """Rows of a pose that an arm can move: those in which its Jacobian is not always zero.

    Raises:
        InputError: if there are not as many rows as axes; then a law needs ``rows``.
    """
    return _task_rows(checked_model(model))


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
    """Return the state as arrays, and the task in the controlled rows.

    Raises:
        InputError: if the goal is off in a direction that the arm cannot move, the rows do not fit
            the axes, or an argument is of another type or shape.
    """
    state = checked_state(state, checked_model(model).n)
    as_instance(
        reference,
        TcpReference,
        "the reference of this law is a TcpReference(pose, twist, acceleration)",
    )
    error = tcp_error(model.pose(state.q), reference.pose)
    if rows is None:
        controlled = task_rows(model)
        _check_other_rows(error, controlled, model)
    else:
        controlled = tuple(as_list(rows, int, "rows are whole numbers from 0 to 5"))
        if len(set(controlled) & set(range(6))) != model.n or len(controlled) != model.n:
            raise InputError(f"{model.name} needs {model.n} rows out of 0..5, got {controlled}")
    J, J_rate = model.jacobian(state.q), model.jacobian_rate(state.q, state.v)
    twist, acceleration = (
        finite(getattr(reference, x), (6,), f"reference {x}") for x in ("twist", "acceleration")
    )
    rate, k = twist - J @ state.v, list(controlled)
    return state, TaskState(error[k], rate[k], J[k], J_rate[k], acceleration[k], controlled)


def tcp_speed(
    state: Measured,
    reference: TcpReference,
    model: Robot,
    gain: ArrayLike,
    *,
    near: float | None = None,
    rows: Sequence[int] | None = None,
) -> Array:
    """Axis speeds ``J^-1 (twist_d + gain e)``, so that ``e' = -gain e`` (S004, kinematic control).

    S004 prints ``mu_d' + r mu''`` and the inverse of the 6 by 4 J of its arm: no position is fed
    back, and no inverse exists.

    Args:
        state: Measured state; its speed is not used.
        reference: Desired motion of the TCP.
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
    as_instance(state, Measured, "the state is Measured(q, v)")
    at_rest = state._replace(v=np.zeros(checked_model(model).n))
    _, task = task_state(at_rest, reference, model, rows)
    twist = np.asarray(reference.twist, dtype=float)[list(task.rows)] + apply_gain(
        gain, task.error, "gain [1/s]"
    )
    return _axis_rates(task, twist, model, near)


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
    """Torques ``M J^-1 (a_d - J' v + kd e' + kp e) + C v + g`` (S004 eq. 49, corrected).

    Then ``e'' + kd e' + kp e = 0``. S004 prints ``J'(q_d) q_d'`` for ``J'(q, v) v``: then the
    error's equation has another right side, which vanishes only with the error. Of an orientation
    the equation is ``w_d' - w' + kd
    (w_d - w) + kp theta u = 0``; ``1/2 |w_d - w|^2 + 1/2 kp theta^2`` falls by ``kd |w_d - w|^2``.

    Args:
        state: Measured state.
        reference: Desired motion of the TCP.
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
    feedback = apply_gain(gains.kd, task.rate, "kd") + apply_gain(gains.kp, task.error, "kp")
    a = _axis_rates(task, task.acceleration + feedback - task.J_rate @ state.v, model, near)
    return model_torque(state, a, model, friction)


def _axis_rates(task: TaskState, rates: Array, model: Robot, near: float | None) -> Array:
    """Axis rates for rates of the task, exact or damped."""
    if near is None:
        return solve_rates(task.J, rates, model)
    positive(near, "near, the singular value below which the inverse is damped,")
    J, twist = np.zeros((6, model.n)), np.zeros(6)
    J[list(task.rows)], twist[list(task.rows)] = task.J, rates
    return damped_velocity(J, twist, near).v


def solve_rates(J: Array, rates: Array, model: Robot) -> Array:
    """Return the axis rates ``J^-1 rates``.

    Raises:
        InputError: at a singularity.
    """
    least = float(np.linalg.svd(J, compute_uv=False)[-1])
    if least < SINGULAR:
        raise InputError(
            f"{model.name} is singular here (smallest singular value {least:.1e}); near=0.05 damps"
            " the inverse"
        )
    return np.asarray(np.linalg.solve(J, rates), dtype=float)


def _check_other_rows(error: Array, rows: tuple[int, ...], model: Robot) -> None:
    off = [
        f"{ROWS[row]} by {np.degrees(error[row]):.3g} deg" if row > 2 else ROWS[row]
        for row in range(6)
        if row not in rows and abs(error[row]) > UNREACHABLE
    ]
    if off:
        raise InputError(
            f"{model.name} cannot reach this goal: it is off in {', '.join(off)}, where the arm has"
            " no axis"
        )
