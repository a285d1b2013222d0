"""Dynamics of a model in axis coordinates, for one state: the reference of all machine code.

Rigid bodies are computed on the unreduced tree and projected with the constant coupling. Springs of
the axes, and friction and rotor inertia of the drives, are added after the projection.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..model import axis_springs as springs
from ..model.model import Model
from ..model.types import Array


class TorqueParts(NamedTuple):
    """Axis torques [N m, N] by cause; springs count to gravity, ``total`` is the sum."""

    inertia: Array
    coriolis: Array
    gravity: Array
    friction: Array
    total: Array


class Energy(NamedTuple):
    """Mechanical energy [J]; potential energy is 0 for a mass at the base origin.

    That of a pulling spring is 0 at the length where it has the force F0.
    """

    kinetic: Array
    potential: Array


def inverse_dynamics(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Axis torques without friction: ``G' rnea(G q + q0, G v, G a) + dU/dq + J_rotor a``."""
    tree, coupling = model.tree, model.tree.coupling
    tree_tau = pin.rnea(
        tree.model, tree.data, coupling.position(q), coupling.velocity(v), coupling.velocity(a)
    )
    tau = coupling.torque(tree_tau)
    if model.springs:
        tau = tau + springs.torque(model.springs, q)
    return tau + model.rotor_inertia.dot(a) if model.has_rotors else tau


def forward_dynamics(model: Model, q: Array, v: Array, tau: Array) -> Array:
    """Axis accelerations under ``tau`` less friction: by ABA, else by solving with ``M``."""
    tree, coupling = model.tree, model.tree.coupling
    if coupling.is_square and not model.has_rotors:
        if model.springs:
            tau = tau - springs.torque(model.springs, q)
        tree_tau = coupling.G_inverse.T.dot(tau)
        tree_a = pin.aba(
            tree.model, tree.data, coupling.position(q), coupling.velocity(v), tree_tau
        )
        a: Array = coupling.G_inverse.dot(tree_a)
        return a
    rest = inverse_dynamics(model, q, v, np.zeros(model.n))
    return np.asarray(np.linalg.solve(mass_matrix(model, q), tau - rest), dtype=float)


def mass_matrix(model: Model, q: Array) -> Array:
    """``M = G' M_tree G + D' diag(J_rotor) D``, shape ``(n, n)``."""
    tree, coupling = model.tree, model.tree.coupling
    M: Array = coupling.G.T.dot(pin.crba(tree.model, tree.data, coupling.position(q))).dot(
        coupling.G
    )
    return M + model.rotor_inertia if model.has_rotors else M


def coriolis(model: Model, q: Array, v: Array) -> Array:
    """Coriolis matrix of the Christoffel symbols (eq. 51), shape ``(n, n)``: ``dM/dt = C + C'``."""
    tree, coupling = model.tree, model.tree.coupling
    C: Array = pin.computeCoriolisMatrix(
        tree.model, tree.data, coupling.position(q), coupling.velocity(v)
    )
    result: Array = coupling.G.T @ C @ coupling.G
    return result


def gravity(model: Model, q: Array) -> Array:
    """Axis torques that balance gravity and hold the springs, shape ``(n,)``."""
    tree, coupling = model.tree, model.tree.coupling
    held = coupling.torque(
        pin.computeGeneralizedGravity(tree.model, tree.data, coupling.position(q))
    )
    return held + springs.torque(model.springs, q) if model.springs else held


def friction(model: Model, q: Array | None, v: Array) -> Array:
    """Friction torques of the axes, ``D' f(D v, D^-T g)``, of one state; 0 without a law.

    Raises:
        MissingData: if the law needs the load and ``q`` is None.
    """
    law = model.friction
    if law is None:
        return np.zeros(v.shape)
    if model.has_axis_friction:
        return law.torque(v)
    D, load = model.drive_axes, None
    if law.needs_load and q is not None:
        load = drive_load(model, q)
    return np.asarray(law.torque(v @ D.T, load) @ D)


def drive_load(model: Model, q: Array) -> Array:
    """Static torques at the drives [N m, N], shape ``(n,)``: ``D' load = g``."""
    held = gravity(model, q)
    return np.asarray(model.loads_per_torque @ held) if model.has_coupled_drives else held


def energy(model: Model, q: Array, v: Array) -> Energy:
    """Kinetic and potential energy [J] of links, tool, payload, rotors and springs."""
    tree, coupling = model.tree, model.tree.coupling
    tree_q, tree_v = coupling.position(q), coupling.velocity(v)
    kinetic = pin.computeKineticEnergy(tree.model, tree.data, tree_q, tree_v) + 0.5 * float(
        v @ model.rotor_inertia @ v
    )
    potential = pin.computePotentialEnergy(tree.model, tree.data, tree_q)
    if model.springs:
        potential += float(springs.energy(model.springs, q))
    return Energy(kinetic, potential)


def regressor(model: Model, q: Array, v: Array, a: Array) -> Array:
    """Matrix ``Y`` whose product with :func:`parameter_vector` is the torque, friction included.

    Columns: ten per body of the tree [m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link origin,
    then the rotor inertias, then the ``kinds`` of the friction law per drive where there is one, at
    the load of the model as it is, then the coefficients of its springs.
    """
    tree, coupling = model.tree, model.tree.coupling
    G = coupling.G
    of_tree = pin.computeJointTorqueRegressor(
        tree.model, tree.data, coupling.position(q), coupling.velocity(v), coupling.velocity(a)
    )
    bodies = G.T @ np.reshape(of_tree, (len(G), -1))  # eigenpy drops the axis of a single row
    D, law = model.drive_axes, model.friction
    columns = [bodies, D.T * (D @ a)]
    if law is not None:
        load = drive_load(model, q) if law.needs_load else None
        columns.append(D.T @ law.regressor(D @ v, load))
    if model.springs:
        columns.append(springs.regressor(model.springs, q))
    return np.hstack(columns)


def friction_columns(model: Model) -> slice:
    """Columns of :func:`regressor` that belong to friction; none where the model has no law."""
    first = 10 * (model.tree.model.njoints - 1) + model.n
    count = 0 if model.friction is None else len(model.friction.kinds) * model.n
    return slice(first, first + count)


def parameter_vector(model: Model) -> Array:
    """Parameters in the order of :func:`regressor`; tool and payload are part of the last link."""
    bodies = [inertia.toDynamicParameters() for inertia in list(model.tree.model.inertias)[1:]]
    friction = [model.friction.parameters()] if model.friction else []
    return np.concatenate([*bodies, model.rotors, *friction, springs.parameters(model.springs)])
