"""The robot of the races, and Pinocchio's loops over its states."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

import irbmodels as irb

Array = NDArray[np.float64]
NAME, TOOL = "irb2400", "spindle"
SEED = 0
WORLD_ALIGNED = pin.ReferenceFrame.LOCAL_WORLD_ALIGNED


class States(NamedTuple):
    """Positions, speeds, and accelerations or torques, one row per state."""

    q: Array
    v: Array
    a: Array

    @property
    def columns(self) -> list[Array]:
        """The same with one column per state, the layout of the kernels."""
        return [np.ascontiguousarray(x.T) for x in self]

    def head(self, count: int) -> States:
        """Return the first states."""
        return States(*(np.ascontiguousarray(x[:count]) for x in self))


class Arm:
    """The IRB 2400 with the spindle: ours in axis positions with coupling and friction, Pinocchio's
    serial tree without.
    """

    def __init__(self) -> None:
        """Load it."""
        self.robot = irb.load(NAME, tool=TOOL)
        self.model = self.robot.model
        self.data = self.model.createData()
        self.tcp = self.model.getFrameId("tcp")
        self.G, self.q0 = self.robot.coupling
        self.kernels = self.robot.compiled()
        self.bare = self.robot.compiled(friction=False)

    def states(self, count: int) -> States:
        """Return random states in axis coordinates."""
        return States(*np.random.default_rng(SEED).uniform(-1.0, 1.0, (3, count, self.robot.n)))

    def tree(self, states: States) -> States:
        """Return the same states in the coordinates of the serial tree."""
        return States(states.q @ self.G.T + self.q0, states.v @ self.G.T, states.a @ self.G.T)

    def to_axes(self, stack: Array, *places: int) -> Array:
        """Multiply the given dimensions of an array by ``G'``, in place.

        Some additions, since nearly all of G is identity.
        """
        G = self.G
        assert np.array_equal(np.tril(G), G)
        assert (np.diag(G) == 1.0).all()
        for place in places:
            entries = np.moveaxis(stack, place, 0)
            for i, j in zip(*np.nonzero(np.tril(G, -1).T), strict=True):
                entries[i] += G[j, i] * entries[j]
        return stack


# --- loops: the first two keep nothing, the others give exactly what the kernels give


def rnea(arm: Arm, s: States) -> None:
    """Bare inverse dynamics of the serial tree."""
    model, data, (Q, V, A) = arm.model, arm.data, s
    for i in range(len(Q)):
        pin.rnea(model, data, Q[i], V[i], A[i])


def aba(arm: Arm, s: States) -> None:
    """Bare forward dynamics of the serial tree."""
    model, data, (Q, V, T) = arm.model, arm.data, s
    for i in range(len(Q)):
        pin.aba(model, data, Q[i], V[i], T[i])


def pose(arm: Arm, s: States, T: Array) -> Array:
    """Homogeneous matrices of the TCP."""
    model, data, tcp, Q = arm.model, arm.data, arm.tcp, s.q
    for i in range(len(Q)):
        pin.forwardKinematics(model, data, Q[i])
        T[i] = pin.updateFramePlacement(model, data, tcp).homogeneous
    return T


def pose_and_jacobian(arm: Arm, s: States, T: Array, J: Array) -> tuple[Array, Array]:
    """Homogeneous matrices of the TCP, and Jacobians in base axes.

    The columns are coupled after the loop.
    """
    model, data, tcp, Q = arm.model, arm.data, arm.tcp, s.q
    for i in range(len(Q)):
        pin.computeJointJacobians(model, data, Q[i])
        T[i] = pin.updateFramePlacement(model, data, tcp).homogeneous
        J[i] = pin.getFrameJacobian(model, data, tcp, WORLD_ALIGNED)
    return T, arm.to_axes(J, 2)


def mass_matrix(arm: Arm, s: States, M: Array) -> Array:
    """Mass matrices by crba, whose binding fills in the other half; coupled after the loop."""
    model, data, Q = arm.model, arm.data, s.q
    for i in range(len(Q)):
        M[i] = pin.crba(model, data, Q[i])
    return arm.to_axes(M, 1, 2)


def regressor(arm: Arm, s: States, Y: Array) -> Array:
    """Regressors.

    Coupled after the loop, where the columns of rotors and friction are filled in for all states at
    once.
    """
    model, data, (Q, V, A), n = arm.model, arm.data, s, arm.robot.n
    bodies = 10 * n
    for i in range(len(Q)):
        Y[i, :, :bodies] = pin.computeJointTorqueRegressor(model, data, Q[i], V[i], A[i])
    arm.to_axes(Y[:, :, :bodies], 1)
    back, R, axes = np.linalg.inv(arm.G).T, arm.robot.drive_axes, np.arange(n)
    v, a, law = V @ back, A @ back, arm.robot.friction_model
    assert law is not None
    Y[:, :, bodies : bodies + n] = R.T * (a @ R.T)[:, None, :]
    sign = np.sign(v)
    for k, column in enumerate((v, sign, np.exp(-np.square(v / law.v_St)) * sign)):
        Y[:, axes, bodies + n + 3 * axes + k] = column
    return Y


def derivatives(
    arm: Arm, s: States, by_q: Array, by_v: Array, by_a: Array
) -> tuple[Array, Array, Array]:
    """Derivatives of the torque.

    Coupled after the loop, where the slopes of friction are added for all states at once.
    """
    model, data, (Q, V, A) = arm.model, arm.data, s
    for i in range(len(Q)):
        by_q[i], by_v[i], by_a[i] = pin.computeRNEADerivatives(model, data, Q[i], V[i], A[i])
    for stack in (by_q, by_v, by_a):
        arm.to_axes(stack, 1, 2)
    axes, law = np.arange(arm.robot.n), arm.robot.friction_model
    assert law is not None
    by_v[:, axes, axes] += law.derivative(V @ np.linalg.inv(arm.G).T)
    return by_q, by_v, by_a
