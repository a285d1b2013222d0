"""A parallelogram as a closed loop: elbow, crank and rod turn freely, and the rod's pins join them.

The parallelogram tree has two hinges about one line at the elbow and at the rod, because URDF's
``<mimic>`` has one source. Here they are one each, so a tree with ``n + 2`` joints is left whose
loop is open at the rod's upper pin. Where that pin lies, seen from the rod, closes it:

    r = R_rod^T (p_lever - p_rod),    r_x = long + e,    r_y = 0

with the rod's elongation ``e``, which is 0 of a rigid rod. A planar loop binds nothing across its
plane: how hinges share loads there depends on stiffness and play (see ``reactions.Bars``).

Accelerations and pin forces are one solution of the equations of motion and of the closure:

    M a + h = S^T tau + J_x^T f_x + J_y^T f_y,    J a + (dJ/dt) v = (e'', 0)

Pinocchio's own ``constraintDynamics`` factors ``M`` of the open tree, and returns NaN where bars
have no mass, as in most sets of inertials; LU of the whole does not need its factor.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..errors import InputError
from ..model import axis_springs as springs
from ..model.coupling import AxisCoupling
from ..model.model import Model
from ..model.tree import Tree, copy_of
from ..model.types import Array

_CARRIERS = ("joint_carrier", "joint_rod_carrier")
_DEPENDENT = ("joint_3", "joint_rod")  # angles that the closure gives
_DRIVEN = ("joint_1", "joint_2", "joint_crank", "joint_4", "joint_5", "joint_6")
_CLOSED = 1e-13  # of the rod's length, by which its pins may miss each other: rounding
_STEPS = 20  # of Newton's method, which needs 4 where the rod is 1 % longer
_FLAT = 1e-6  # of the largest slope, below which crank and lower arm are in one line


class Closure(NamedTuple):
    """Place of the upper pin, seen from the rod: along it and across, in the loop's plane."""

    place: Array
    """[m], shape ``(2,)``."""
    jacobian: Array
    """Of the place by the coordinates of the tree, shape ``(2, n + 2)``."""
    drift: Array
    """Second derivative of the place where the coordinates do not accelerate, shape ``(2,)``."""


class LoopState(NamedTuple):
    """Coordinates and speeds of the open tree with the loop closed, shape ``(n + 2,)`` each."""

    q: Array
    v: Array


class LoopAcceleration(NamedTuple):
    """What the loop does under torques at one state."""

    a: Array
    """Accelerations of the axes [rad/s^2], ``(n,)``; that of axis 3 is the crank's."""
    e_ddot: float
    """Second derivative of the rod's elongation [m/s^2], 0 of a rigid rod."""
    pin: Array
    """Force [N] of the rod on the upper arm's lever, along the rod and across, shape ``(2,)``."""


class LoopTorque(NamedTuple):
    """What a motion of the loop needs at one state."""

    torque: Array
    """Torques of the motors in axis coordinates [N m], ``(n,)``: axis 3's is the crank's."""
    pin: Array
    """Force [N] of the rod on the upper arm's lever, along the rod and across, shape ``(2,)``."""


@dataclass(frozen=True, eq=False)
class LoopTree:
    """The open tree of an arm with a parallelogram, and the closure of its loop.

    Raises:
        InputError: if the arm has no parallelogram, or its model is the serial one.
        MissingData: if its masses are unknown.
    """

    of: Model
    """Model of the arm, with the tree of the parallelogram."""

    def __post_init__(self) -> None:
        """Check that there is a loop. The tables of an arm see to it that rigid bars close it."""
        name = self.of.tree.model.name
        if self.of.linkage is None:
            raise InputError(f"{name} has no parallelogram: it has no loop to close")
        if "joint_rod" not in self.of.tree.coupling.joints:
            raise InputError(
                f"{name} was loaded without its bars, which make the loop: load(...,"
                " coupling='parallelogram')"
            )
        self.of.need_masses()

    @cached_property
    def tree(self) -> Tree:
        """The open tree of ``n + 2`` joints, with the coupling that rigid bars give it."""
        whole, coupling = self.of.tree.model, self.of.tree.coupling
        locked = [whole.getJointId(name) for name in _CARRIERS]
        model = pin.buildReducedModel(copy_of(whole), locked, np.zeros(whole.nq))
        names, above = tuple(model.names)[1:], dict(zip(_DEPENDENT, _CARRIERS, strict=True))
        # angles about one line add
        sums = np.array(
            [[float(part in (name, above.get(name))) for part in coupling.joints] for name in names]
        )
        rigid = AxisCoupling(sums @ coupling.G, sums @ coupling.q0, names, coupling.axes)
        return Tree(model, rigid, self.of.tree.frames)

    @cached_property
    def driven(self) -> Array:
        """Numbers of the coordinates that are axes, in their order: axis 3 is the crank."""
        return np.array([self._number(name) for name in _DRIVEN])

    @cached_property
    def dependent(self) -> Array:
        """Numbers of the coordinates that the closure gives: elbow and rod."""
        return np.array([self._number(name) for name in _DEPENDENT])

    @property
    def long(self) -> float:
        """Length of the rod without force [m]."""
        assert self.of.linkage is not None
        return self.of.linkage.long

    def closure(self, state: LoopState) -> Closure:
        """Return where the upper pin is, seen from the rod."""
        assert self.of.linkage is not None
        model, data = self.tree.model, self.tree.data
        rod, arm = model.getJointId("joint_rod"), model.getJointId("joint_3")
        pin.computeJointJacobians(model, data, state.q)
        pin.forwardKinematics(model, data, state.q, state.v, np.zeros(model.nv))
        own, on_arm = (pin.getJointJacobian(model, data, i, pin.LOCAL) for i in (rod, arm))
        lever = pin.SE3(np.eye(3), np.array([0.0, -self.of.linkage.crank, 0.0]))
        rod_from_arm = data.oMi[rod].actInv(data.oMi[arm] * lever)
        r, axes = rod_from_arm.translation, rod_from_arm.rotation
        jacobian = axes @ (lever.toActionMatrixInverse() @ on_arm)[:3] - own[:3]
        jacobian += pin.skew(r) @ own[3:]
        speed, turn = lever.actInv(data.v[arm]), pin.skew(data.v[rod].angular)
        r_dot = axes @ speed.linear - data.v[rod].linear - turn @ r
        pin_moves = lever.actInv(data.a[arm]).linear + pin.skew(speed.angular) @ speed.linear
        rod_moves = data.a[rod].linear + turn @ data.v[rod].linear
        swept = pin.skew(data.a[rod].angular) @ r + turn @ (turn @ r) + 2.0 * (turn @ r_dot)
        drift = axes @ pin_moves - rod_moves - swept
        return Closure(r[:2], jacobian[:2], drift[:2])

    def state(self, q: Array, v: Array, e: float = 0.0, e_dot: float = 0.0) -> LoopState:
        """Return coordinates and speeds of the tree for those of the axes and the elongation.

        Raises:
            InputError: if no angles of elbow and rod close the loop.
        """
        x = self.tree.coupling.position(q)
        still, wanted = np.zeros(len(x)), np.array([self.long + e, 0.0])
        for _ in range(_STEPS):
            closure = self.closure(LoopState(x, still))
            missed = wanted - closure.place
            by_angles = closure.jacobian[:, self.dependent]
            if abs(np.linalg.det(by_angles)) < _FLAT * np.abs(by_angles).max() ** 2:
                break
            if np.abs(missed).max() < _CLOSED * self.long:
                return self._moving(x, closure, v, e_dot)
            x[self.dependent] += np.linalg.solve(by_angles, missed)
        raise InputError(
            f"bars do not close the loop with a rod {e * 1e3:.4g} mm longer at q = {q.tolist()}, or"
            " crank and lower arm are in one line"
        )

    def _moving(self, x: Array, closure: Closure, v: Array, e_dot: float) -> LoopState:
        x_dot = np.zeros(len(x))
        x_dot[self.driven] = v
        rest = np.array([e_dot, 0.0]) - closure.jacobian @ x_dot
        x_dot[self.dependent] = np.linalg.solve(closure.jacobian[:, self.dependent], rest)
        return LoopState(x, x_dot)

    def velocity_map(self, q: Array, e: float = 0.0) -> Array:
        """Return the speeds of the tree per speed of axes and elongation, ``(n + 2, n + 1)``."""
        state = self.state(q, np.zeros(len(q)), e)
        columns = np.zeros((len(state.q), len(q) + 1))
        columns[self.driven, np.arange(len(q))] = 1.0
        closure = self.closure(state)
        rest = -closure.jacobian @ columns
        rest[0, -1] += 1.0
        columns[self.dependent] = np.linalg.solve(closure.jacobian[:, self.dependent], rest)
        return columns

    def mass_matrix(self, q: Array, e: float = 0.0) -> Array:
        """Return the inertia of axes and elongation, ``(n + 1, n + 1)``, rotors included."""
        T = self.velocity_map(q, e)
        return np.asarray(T.T @ self._tree_inertia(self.state(q, np.zeros(len(q)), e).q) @ T)

    def tcp(self, state: LoopState) -> pin.SE3:
        """Return the pose of the TCP in the base."""
        model, data = self.tree.model, self.tree.data
        number = model.getFrameId("tcp", pin.FrameType.BODY)
        pin.forwardKinematics(model, data, state.q)
        return pin.updateFramePlacement(model, data, number).copy()

    def acceleration(
        self, state: LoopState, torque: Array, wrench: Array, force: float | None = None
    ) -> LoopAcceleration:
        """Return accelerations and pin force under torques of the axes.

        Args:
            state: Of the tree.
            torque: In axis coordinates [N m], springs of the axes and friction not in it.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.
            force: Force along the rod [N] where it is elastic, positive where it pushes lever and
                crank apart; None: what keeps a rigid rod at its length.

        Raises:
            InputError: if nothing has inertia in a direction that is free to move: an elastic rod
                beside a motor 3 and bars without any.
        """
        closure = self.closure(state)
        J, drift = closure.jacobian, closure.drift
        size, given = len(state.q), np.zeros(len(state.q))
        bound = slice(0, 2) if force is None else slice(1, 2)
        given[self.driven] = torque - springs.torque(self.of.springs, state.q[self.driven])
        right = given - self._bias(state, wrench)
        if force is not None:
            right = right + force * J[0]
        rows = J[bound]
        matrix = np.zeros((size + len(rows), size + len(rows)))
        matrix[:size, :size] = self._tree_inertia(state.q)
        matrix[size:, :size], matrix[:size, size:] = rows, -rows.T
        if force is not None:
            self._need_inertia(matrix[:size, :size], J)
        solution = np.linalg.solve(matrix, np.concatenate([right, -drift[bound]]))
        a, multipliers = solution[:size], solution[size:]
        pins = multipliers if force is None else np.array([force, multipliers[0]])
        e_ddot = 0.0 if force is None else float(J[0] @ a + drift[0])
        return LoopAcceleration(a[self.driven], e_ddot, pins)

    def torque(self, state: LoopState, a: Array, wrench: Array) -> LoopTorque:
        """Return the torques of the axes and the pin force of a motion.

        The rod keeps its length in it, elongated or not. The pin force balances what the tree needs
        at its dependent joints.

        Args:
            state: Of the tree, without a rate of the elongation.
            a: Accelerations of the axes [rad/s^2], ``(n,)``.
            wrench: As :meth:`acceleration`.
        """
        closure = self.closure(state)
        J = closure.jacobian
        moved = np.zeros(len(state.q))
        moved[self.driven] = a
        rest = -closure.drift - J @ moved
        moved[self.dependent] = np.linalg.solve(J[:, self.dependent], rest)
        needed = self._tree_inertia(state.q) @ moved + self._bias(state, wrench)
        pins = np.linalg.solve(J[:, self.dependent].T, needed[self.dependent])
        held = springs.torque(self.of.springs, state.q[self.driven])
        return LoopTorque((needed - J.T @ pins)[self.driven] + held, pins)

    def need_inertia(self, q: Array) -> None:
        """Refuse free motors with an elastic rod if crank, rod and motor 3 have no inertia.

        Raises:
            InputError: if they have none.
        """
        state = self.state(q, np.zeros(len(q)))
        self._need_inertia(self._tree_inertia(state.q), self.closure(state).jacobian)

    def _need_inertia(self, M: Array, J: Array) -> None:
        crank, rod = self.driven[2], self.dependent[1]
        turned = np.zeros(len(M))  # the crank turns, the rod follows it, and the arm stands
        turned[crank], turned[rod] = 1.0, -J[1, crank] / J[1, rod]
        if not float(turned @ M @ turned) > 0.0:
            raise InputError(
                "neither crank, rod nor motor 3 has inertia, and an elastic rod leaves them free:"
                " give rotors (robot.with_rotors) or a set of inertials with bars"
            )

    def _tree_inertia(self, x: Array) -> Array:
        M = np.array(pin.crba(self.tree.model, self.tree.data, x))
        M[self.driven[:, None], self.driven] += self.of.rotor_inertia
        return M

    def _bias(self, state: LoopState, wrench: Array) -> Array:
        model, data = self.tree.model, self.tree.data
        h = np.array(pin.nonLinearEffects(model, data, state.q, state.v))
        if not wrench.any():
            return h
        number = model.getFrameId("tcp", pin.FrameType.BODY)
        J = pin.computeFrameJacobian(model, data, state.q, number, pin.LOCAL_WORLD_ALIGNED)
        return np.asarray(h - J.T @ wrench)

    def _number(self, name: str) -> int:
        return int(self.tree.model.joints[self.tree.model.getJointId(name)].idx_v)
