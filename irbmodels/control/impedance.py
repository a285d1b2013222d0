"""Impedance at the TCP: under a force the arm is a mass on a spring and damper [Hogan 1985]."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, numbers
from ..errors import InputError
from ..model.friction import Stribeck
from ..model.types import Array
from ..robot.robot import Robot
from .joint_space import model_torque
from .signals import Measured, TcpReference, apply_gain
from .task_space import solve_rates, task_state


class Impedance(NamedTuple):
    """Desired impedance at the TCP in base axes: a number, one per task row, or a matrix each."""

    stiffness: ArrayLike
    """[N/m, N m/rad]."""
    damping: ArrayLike
    """[N s/m, N m s/rad]."""
    inertia: ArrayLike | None = None
    """[kg, kg m^2]; None keeps the arm's own."""


def impedance(
    state: Measured,
    reference: TcpReference,
    model: Robot,
    wanted: Impedance,
    *,
    rows: Sequence[int] | None = None,
    friction: Stribeck | bool = False,
) -> Array:
    """Torques that hold the TCP at the reference by a spring and a damper.

    With ``d = -e`` the deviation from the reference (:func:`tcp_error`), ``w`` the external wrench
    on the robot at the TCP, and ``L = (J M^-1 J')^-1`` the arm's own inertia there:

    - without ``inertia``: ``L d'' + D d' + K d = w``, and no force is measured (moving references
      add ``L a_d`` at both sides);
    - with ``inertia`` ``H`` and a measured force: ``H d'' + D d' + K d = w``;
    - with ``inertia`` and no force sensor: ``H d'' + D d' + K d = H L^-1 w``, right in stiffness
      only where ``H`` is ``L``.

    Args:
        state: Measured state; its ``wrench`` (force first, base axes, at the TCP) is used with
            ``inertia``.
        reference: Desired motion of the TCP without a force.
        model: The controller's model.
        wanted: Stiffness, damping and inertia.
        rows: As in :func:`tcp_speed`; a force in other rows is carried by the arm's structure.
        friction: As in :func:`irbmodels.control.computed_torque`.

    Returns:
        Torques [N m, N], shape ``(n,)``.

    Raises:
        InputError: at a singularity, for gains that do not fit, or an inertia that is not positive.
    """
    state, task = task_state(state, reference, model, rows)
    as_instance(
        wanted,
        Impedance,
        "what is wanted of a contact is an Impedance(stiffness, damping, inertia)",
    )
    spring = apply_gain(wanted.stiffness, task.error, "stiffness") + apply_gain(
        wanted.damping, task.rate, "damping"
    )
    drift = task.acceleration - task.J_rate @ state.v
    force = -spring
    if wanted.inertia is not None:
        wrench = np.zeros(6) if state.wrench is None else state.wrench
        force = wrench[list(task.rows)]
        inertia = _checked_inertia(wanted.inertia, len(task.rows))
        drift = drift + np.linalg.solve(inertia, spring + force)
    a = solve_rates(task.J, drift, model)
    return model_torque(state, a, model, friction) - task.J.T @ force


def _checked_inertia(value: ArrayLike, m: int) -> Array:
    inertia = numbers(value, "inertia")
    if inertia.shape not in ((), (m,), (m, m)):
        raise InputError(
            f"inertia needs a number, or shape ({m},) or ({m}, {m}), got {inertia.shape}"
        )
    matrix: Array = inertia if inertia.ndim == 2 else np.diag(np.broadcast_to(inertia, (m,)))
    if not np.isfinite(matrix).all() or np.linalg.eigvalsh(matrix + matrix.T)[0] <= 0.0:
        raise InputError(f"inertia needs positive masses and moments, got {inertia.tolist()}")
    return matrix
