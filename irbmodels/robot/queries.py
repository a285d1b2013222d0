"""Reference of every query: its value for one state by Pinocchio, of a model or of a frame.

Kernels and C code are compared with these functions. Inputs and outputs of each query are those of
:data:`irbmodels.compiled.queries.QUERIES`; friction is included where the model has any.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from ..compiled.queries import QUERIES
from ..dynamics import derivatives
from ..dynamics import equations_of_motion as dynamics
from ..kinematics import frames as kinematics
from ..model.model import Model
from ..model.tree import Frame
from ..model.types import Array


def inverse_dynamics(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Axis torques of a motion, friction included."""
    tau = dynamics.inverse_dynamics(model, q, v, a)
    if model.friction is not None:
        tau += dynamics.friction(model, q, v)
    return tau


def forward_dynamics(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Axis accelerations under torques, friction included."""
    if model.friction is not None:
        tau = tau - dynamics.friction(model, q, v)
    return dynamics.forward_dynamics(model, q, v, tau)


def coriolis_torque(model: Model, q: Array, v: Array) -> Array:
    """``C v``."""
    rest = np.zeros(model.n)
    return dynamics.inverse_dynamics(model, q, v, rest) - dynamics.gravity(model, q)


def friction(model: Model, *state: Array) -> Array:
    """Friction torques at ``v``, or at ``q, v`` where the law needs the load; 0 without a law."""
    q = state[0] if len(state) > 1 else None
    return dynamics.friction(model, q, state[-1])


def inverse_dynamics_derivatives(model: Model, q: Array, v: Array, a: Array) -> tuple[Array, ...]:
    """Derivatives of :func:`inverse_dynamics` with respect to q, v and a."""
    return derivatives.inverse_dynamics(model, q, v, a, True)


def pose(frame: Frame, q: Array) -> Array:
    """Homogeneous matrix of a frame in the base."""
    return kinematics.homogeneous(frame.tree, frame.number, q, frame.point)


def jacobian(frame: Frame, q: Array) -> Array:
    """Jacobian at a frame in base axes, linear rows first."""
    return kinematics.jacobian(frame.tree, frame.number, q, frame.point)


def pose_and_jacobian(frame: Frame, q: Array) -> tuple[Array, Array]:
    """Both."""
    return pose(frame, q), jacobian(frame, q)


def hessian(frame: Frame, q: Array) -> Array:
    """Derivative of :func:`jacobian`."""
    return kinematics.hessian(frame.tree, frame.number, q, frame.point)


REFERENCES: dict[str, Callable[..., Any]] = {
    "inverse_dynamics": inverse_dynamics,
    "forward_dynamics": forward_dynamics,
    "mass_matrix": dynamics.mass_matrix,
    "coriolis": dynamics.coriolis,
    "coriolis_torque": coriolis_torque,
    "gravity": dynamics.gravity,
    "friction": friction,
    "energy": dynamics.energy,
    "regressor": dynamics.regressor,
    "inverse_dynamics_derivatives": inverse_dynamics_derivatives,
    "pose": pose,
    "jacobian": jacobian,
    "pose_and_jacobian": pose_and_jacobian,
    "hessian": hessian,
}
"""Functions ``(source, *state)`` by query; a tuple for a query with several outputs."""


def reference(query: str, source: Model | Frame) -> Callable[..., tuple[Array, ...]]:
    """Return a query as a function of one state, with one array per output."""
    function = partial(REFERENCES[query], source)
    if len(QUERIES[query].outputs) == 1:
        return lambda *state: (function(*state),)
    return lambda *state: tuple(np.asarray(output) for output in function(*state))
