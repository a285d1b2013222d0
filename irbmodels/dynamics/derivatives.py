"""Derivatives of the dynamics in axis coordinates, for one state, friction and rotors included."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..model import axis_springs as springs
from ..model.model import Model
from ..model.types import Array
from . import equations_of_motion as dynamics


class InverseDerivatives(NamedTuple):
    """Derivatives of the torque, shape ``(..., n, n)`` each; entry ij is ``d tau_i / d x_j``."""

    q: Array
    v: Array
    """At ``v = 0`` the slope of friction is that of its continuous part, Fv + Fd / v_d."""
    a: Array
    """The mass matrix."""


class ForwardDerivatives(NamedTuple):
    """Derivatives of the acceleration, ``(..., n, n)`` each; entry ij is ``d a_i / d x_j``."""

    q: Array
    v: Array
    tau: Array
    """The inverse of the mass matrix."""


class EnergyRegressor(NamedTuple):
    """Rows whose products with the parameter vector are the energies [J], shape ``(p,)`` each."""

    kinetic: Array
    potential: Array


def inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, friction: bool
) -> InverseDerivatives:
    """Derivatives of ``M a + C v + g + F(v)``, springs in ``g``."""
    tree, coupling = model.tree, model.tree.coupling
    states = (coupling.position(q), coupling.velocity(v), coupling.velocity(a))
    dq, dv, _ = (np.array(x) for x in pin.computeRNEADerivatives(tree.model, tree.data, *states))
    G = coupling.G
    by_q, by_v = G.T @ dq @ G, G.T @ dv @ G
    if model.springs:
        by_q = by_q + np.diag(springs.stiffness(model.springs, q))
    if friction and model.friction is not None:
        D, law = model.drive_axes, model.friction
        by_v = by_v + (D.T * law.derivative(D @ v)) @ D
        if law.needs_load:
            slopes = law.load_derivative(D @ v, dynamics.drive_load(model, q))
            by_q = by_q + (D.T * slopes) @ model.loads_per_torque @ gravity(model, q)
    return InverseDerivatives(by_q, by_v, dynamics.mass_matrix(model, q))


def gravity(model: Model, q: Array) -> Array:
    """Derivatives of the static torques by q, springs included, shape ``(n, n)``."""
    tree, coupling = model.tree, model.tree.coupling
    slopes = pin.computeGeneralizedGravityDerivatives(tree.model, tree.data, coupling.position(q))
    result = np.asarray(coupling.G.T @ slopes @ coupling.G)
    return result + np.diag(springs.stiffness(model.springs, q)) if model.springs else result


def forward_dynamics(inverse: InverseDerivatives) -> ForwardDerivatives:
    """Derivatives of the acceleration: ``tau = id(q, v, a)`` solved for ``a``."""
    by_tau = mass_matrix_inverse(inverse.a)
    return ForwardDerivatives(-by_tau @ inverse.q, -by_tau @ inverse.v, by_tau)


def mass_matrix_inverse(M: Array) -> Array:
    """Inverses of mass matrices ``(..., n, n)``, exactly symmetric."""
    inverse = np.asarray(np.linalg.inv(M), dtype=float)
    symmetric: Array = 0.5 * (inverse + np.swapaxes(inverse, -1, -2))
    return symmetric


def energy_regressor(model: Model, q: Array, v: Array) -> EnergyRegressor:
    """Rows of the energies in the order of :func:`dynamics.parameter_vector`; 0 for friction."""
    tree, coupling = model.tree, model.tree.coupling
    tree_q, tree_v = coupling.position(q), coupling.velocity(v)
    kinetic = np.array(
        pin.computeKineticEnergyRegressor(tree.model, tree.data, tree_q, tree_v)
    ).ravel()
    potential = np.array(pin.computePotentialEnergyRegressor(tree.model, tree.data, tree_q)).ravel()
    friction = np.zeros(len(model.friction.kinds) * model.n if model.friction else 0)
    rotors = 0.5 * np.square(model.drive_axes @ v)
    stored = springs.energy_regressor(model.springs, q)
    return EnergyRegressor(
        np.concatenate([kinetic, rotors, friction, np.zeros_like(stored)]),
        np.concatenate([potential, np.zeros(model.n), friction, stored]),
    )
