"""Impedance at the TCP: the arm answers a force as a mass on a spring with a damper [Hogan 1985]."""

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
from .joint_space import torque
from .signals import Measured, TcpReference, weighed
from .task_space import solved, task_state


class Impedance(NamedTuple):
    """How the TCP answers a force, in base axes: a number, one per task row, or a matrix each."""

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
    """Torques with which the TCP is held by a spring and a damper at the reference.

    With ``d = -e`` the deviation from the reference (:func:`tcp_error`), ``w`` what the world
    exerts on the robot at the TCP, and ``L = (J M^-1 J')^-1`` the arm's own inertia there:

    - without ``inertia``: ``L d'' + D d' + K d = w``, and no force is measured (moving references
      add ``L a_d`` at both sides);
    - with ``inertia`` ``H`` and a measured force: ``H d'' + D d' + K d = w``;
    - with ``inertia`` and no force sensor: ``H d'' + D d' + K d = H L^-1 w``, right in stiffness
      only where ``H`` is ``L``.

    Args:
        state: What was measured; its ``wrench`` (force first, base axes, at the TCP) is used with
            ``inertia``.
        reference: Where the TCP should be without a force.
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
    spring = weighed(wanted.stiffness, task.error, "stiffness") + weighed(
        wanted.damping, task.rate, "damping"
    )
    drift = task.acceleration - task.J_rate @ state.v
    if wanted.inertia is None:
        held = torque(state, solved(task.J, drift, model), model, friction)
        return held + task.J.T @ spring
    pull = np.zeros(len(task.rows)) if state.wrench is None else state.wrench[list(task.rows)]
    answer = np.linalg.solve(_inertia(wanted.inertia, len(task.rows)), spring + pull)
    a = solved(task.J, drift + answer, model)
    return torque(state, a, model, friction) - task.J.T @ pull


def _inertia(value: ArrayLike, m: int) -> Array:
    given = numbers(value, "inertia")
    if given.shape not in ((), (m,), (m, m)):
        raise InputError(
            f"inertia needs a number, or shape ({m},) or ({m}, {m}), got {given.shape}"
        )
    matrix: Array = given if given.ndim == 2 else np.diag(np.broadcast_to(given, (m,)))
    if not np.isfinite(matrix).all() or np.linalg.eigvalsh(matrix + matrix.T)[0] <= 0.0:
        raise InputError(f"inertia needs positive masses and moments, got {given.tolist()}")
    return matrix
