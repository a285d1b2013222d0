"""Derivatives of kinematics and dynamics in axis coordinates, for one state.

Friction and rotors included.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..kinematics import frames as kinematics
from ..model.model import Model
from ..model.tree import Tree
from ..model.types import Array
from . import equations_of_motion as dynamics


class InverseDerivatives(NamedTuple):
    """Derivatives of the torque, shape ``(..., n, n)`` each; entry ij is ``d tau_i / d x_j``."""

    q: Array
    v: Array
    """At ``v = 0`` the slope of friction is that of its continuous part, Fv."""
    a: Array
    """The mass matrix."""


class ForwardDerivatives(NamedTuple):
    """Derivatives of the acceleration, shape ``(..., n, n)`` each.

    Entry ij is ``d a_i / d x_j``.
    """

    q: Array
    v: Array
    tau: Array
    """The inverse of the mass matrix."""


class EnergyRegressor(NamedTuple):
    """Rows whose products with the parameter vector are the energies [J], shape ``(p,)`` each."""

    kinetic: Array
    potential: Array


def hessian(tree: Tree, frame: int, q: Array, point: Array | None = None) -> Array:
    """Derivative of the base-axes Jacobian, ``H[i, j, k] = d J_ij / d q_k``, shape ``(6, n, n)``.

    From the columns alone: a column turns with every joint before it, ``w_k x J_j``; a joint after
    it moves the point it acts on, ``w_j x v_k``.
    """
    G = tree.coupling.G
    J = kinematics.tree_jacobian(tree, frame, q, point)
    linear, angular = J[:3].T, J[3:].T  # one row per joint of the tree
    # k <= j: a tree numbers its joints outward
    before = np.tril(np.ones((len(G), len(G)), dtype=bool))
    turned = np.cross(angular[None, :, :], linear[:, None, :])  # [j, k] = w_k x v_j
    carried = np.cross(angular[:, None, :], linear[None, :, :])  # [j, k] = w_j x v_k
    swung = np.cross(angular[None, :, :], angular[:, None, :])  # [j, k] = w_k x w_j
    H = np.concatenate(
        [np.where(before[..., None], turned, carried), np.where(before[..., None], swung, 0.0)],
        axis=2,
    )
    result: Array = np.einsum("jki,ja,kb->iab", H, G, G)
    return result


def jacobian_rate(
    tree: Tree, frame: int, q: Array, v: Array, point: Array | None = None, local: bool = False
) -> Array:
    """Time derivative of the Jacobian along a motion, shape ``(6, n)``, in the axes of the Jacobian it belongs to."""
    rate: Array = hessian(tree, frame, q, point) @ v
    if not local:
        return rate
    J = kinematics.jacobian(tree, frame, q, point)
    back = kinematics.pose(tree, frame, q).rotation.T
    spin = J[3:] @ v
    # d(R' J)/dt = R' (dJ/dt - w x J)
    return np.concatenate(
        [back @ (rate[k : k + 3] - np.cross(spin, J[k : k + 3], axisb=0).T) for k in (0, 3)]
    )


def inverse_dynamics(
    model: Model, q: Array, v: Array, a: Array, friction: bool
) -> InverseDerivatives:
    """Derivatives of ``M a + C v + g + F(v)``."""
    tree, coupling = model.tree, model.tree.coupling
    states = (coupling.position(q), coupling.velocity(v), coupling.velocity(a))
    dq, dv, _ = (np.array(x) for x in pin.computeRNEADerivatives(tree.model, tree.data, *states))
    G = coupling.G
    by_q, by_v = G.T @ dq @ G, G.T @ dv @ G
    if friction and model.friction is not None:
        by_v = by_v + np.diag(model.friction.derivative(v))
    return InverseDerivatives(by_q, by_v, dynamics.mass_matrix(model, q))


def forward_dynamics(inverse: InverseDerivatives) -> ForwardDerivatives:
    """Derivatives of the acceleration from those of the torque that gives it: of ``tau = id(q, v, a)``, solved for ``a``."""
    by_tau = mass_matrix_inverse(inverse.a)
    return ForwardDerivatives(-by_tau @ inverse.q, -by_tau @ inverse.v, by_tau)


def mass_matrix_inverse(M: Array) -> Array:
    """Inverses of mass matrices ``(..., n, n)``, exactly symmetric."""
    inverse = np.asarray(np.linalg.inv(M), dtype=float)
    symmetric: Array = 0.5 * (inverse + np.swapaxes(inverse, -1, -2))
    return symmetric


def energy_regressor(model: Model, q: Array, v: Array) -> EnergyRegressor:
    """Rows of the energies in the order of :func:`dynamics.parameter_vector`.

    Friction stores none.
    """
    tree, coupling = model.tree, model.tree.coupling
    tree_q, tree_v = coupling.position(q), coupling.velocity(v)
    kinetic = np.array(
        pin.computeKineticEnergyRegressor(tree.model, tree.data, tree_q, tree_v)
    ).ravel()
    potential = np.array(pin.computePotentialEnergyRegressor(tree.model, tree.data, tree_q)).ravel()
    rubbing = np.zeros(3 * model.n if model.friction else 0)
    rotors = 0.5 * np.square(model.rotor_axes @ v)
    return EnergyRegressor(
        np.concatenate([kinetic, rotors, rubbing]),
        np.concatenate([potential, np.zeros(model.n), rubbing]),
    )
