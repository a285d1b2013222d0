"""Parallelograms as closed loops: bars turn freely, and the pin at each rod's far end joins them.

The parallelogram tree has two hinges about one line at the elbow and at the rod, because URDF's
``<mimic>`` has one source. Here they are one each, but for the plate of a palletizer, which has its
own. What is left is a tree with ``m`` open loops, one per rod. All their hinges are
parallel, so a loop is a polygon of complex numbers ``z``, one per segment between hinges, each
turned with its body by an angle ``psi`` against the rod. The far pin lies, seen from the rod, at

    r = sum z exp(i psi),    Re r = length + e,    Im r = 0

with the rod's elongation ``e``, which is 0 of a rigid rod. A planar loop binds nothing across its
plane: how hinges share loads there depends on stiffness and play (see ``reactions.Bars``).

The closures, ``J x' = (e', 0)`` with ``J = dr/dx``, give the speeds of the tree
``x' = T (q', e')``, and accelerations ``x'' = T (q'', e'') + b``. With inertia ``M`` and bias ``h``
of the tree the equations of motion are those of its virtual work, and the pin forces ``F`` balance
the dependent joints ``d``, which have no motor:

    T^T (M x'' + h) = (tau, f),    J_d^T F = (M x'' + h)_d

Pinocchio's own ``constraintDynamics`` factors ``M`` of the open tree, and returns NaN where bars
have no mass, as in most sets of inertials. Its point constraints take pins for coincident: a rod
that is longer needs a point of its own, and is bound to that length, which an elastic rod is not.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray

from ..errors import InputError
from ..model import axis_springs as springs
from ..model.coupling import AxisCoupling
from ..model.model import Model
from ..model.tree import Tree, copy_of
from ..model.types import Array

_RODS = {  # joint of the body at the far pin, and joint at the far end of the link beside the rod
    "joint_rod": ("joint_3", "joint_carrier"),
    "joint_lower_rod": ("joint_carrier", "joint_carrier"),
    "joint_upper_rod": ("joint_level", "joint_level"),
}
_PLATE_ROD = "joint_lower_rod"  # where it is, the carrier on the elbow is a plate of its own
_NEEDED = ("joint_crank", "joint_rod_carrier", "joint_rod", "joint_carrier", "joint_3")
_CLOSED = 1e-13  # of the longest rod, by which pins may miss each other: rounding
_STEPS = 20  # of Newton's method, which needs 4 where a rod is 1 % longer
_WORST = 1e6  # condition number, by largest entries, above which bars of a loop are in one line
_NO_INERTIA = 1e-12  # of its own inertia, that is left of a coordinate as the others give way


class LoopState(NamedTuple):
    """Coordinates and speeds of the open tree with its loops closed, and how they follow."""

    q: Array
    """Coordinates of the tree [rad], ``(n + 2m,)``."""
    v: Array
    """Their speeds [rad/s]."""
    velocity_map: Array
    """``T``: speeds of the tree per speed of axes and elongations, ``(n + 2m, n + m)``."""
    bias: Array
    """Accelerations of the tree where axes and elongations have none [rad/s^2], ``(n + 2m,)``."""
    angles_of_pins: Array
    """Inverse of ``J_d``: dependent angles per displacement of the far pins [rad/m], ``(2m, 2m)``:
    all displacements along the rods first, then all across."""


class LoopAcceleration(NamedTuple):
    """What the loops do under torques at one state."""

    a: Array
    """Accelerations of the axes [rad/s^2], ``(n,)``; that of axis 3 is the crank's."""
    e_ddot: Array
    """Second derivatives of the rods' elongations [m/s^2], ``(m,)``, 0 of rigid rods."""
    pins: Array
    """Force [N] of each rod on the body at its far pin, along the rod and across, ``(m, 2)``."""


class LoopTorque(NamedTuple):
    """What a motion of the loops needs at one state."""

    torque: Array
    """Torques of the motors in axis coordinates [N m], ``(n,)``: axis 3's is the crank's."""
    pins: Array
    """Force [N] of each rod on the body at its far pin, along the rod and across, ``(m, 2)``."""


class _Polygons(NamedTuple):
    """Loops as sums of ``k`` segments, in the axes of their rods where all axes are at zero."""

    loop: Array
    """1 where a segment is of a loop, ``(m, k)``."""
    z: NDArray[np.complex128]
    """Segments where all axes are at zero [m], ``(k,)``."""
    turns: Array
    """Angle of a segment against its rod per coordinate of the tree, ``(k, n + 2m)``."""
    zero: Array
    """Coordinates of the tree where all axes are at zero [rad], ``(n + 2m,)``."""


@dataclass(frozen=True, eq=False)
class LoopTree:
    """The open tree of an arm with parallelograms, and the closures of its loops.

    Raises:
        InputError: if the arm has no parallelogram, or its model is the serial one.
        MissingData: if its masses are unknown.
    """

    of: Model
    """Model of the arm, with the tree of the parallelograms."""
    elastic: tuple[int, ...] = ()
    """Numbers of the rods that elongate."""

    def __post_init__(self) -> None:
        """Check that there is a loop. The tables of an arm see to it that rigid bars close it."""
        name = self.of.tree.model.name
        if not set(_NEEDED) <= set(self.of.tree.coupling.joints):
            if self.of.linkage is None:
                raise InputError(f"{name} has no parallelogram: it has no loop to close")
            raise InputError(
                f"{name} was loaded without its bars, which make the loop: load(...,"
                " coupling='parallelogram')"
            )
        self.of.need_masses()

    @cached_property
    def tree(self) -> Tree:
        """The open tree of ``n + 2m`` joints, with the coupling that rigid bars give it."""
        whole, coupling = self.of.tree.model, self.of.tree.coupling
        merged = {"joint_rod_carrier": "joint_rod", "joint_carrier": "joint_3"}
        if _PLATE_ROD in coupling.joints:
            del merged["joint_carrier"]
        locked = [whole.getJointId(name) for name in merged]
        model = pin.buildReducedModel(copy_of(whole), locked, np.zeros(whole.nq))
        names = tuple(model.names)[1:]
        # angles about one line add
        sums = np.array(
            [
                [float(name in (part, merged.get(part))) for part in coupling.joints]
                for name in names
            ]
        )
        rigid = AxisCoupling(sums @ coupling.G, sums @ coupling.q0, names, coupling.axes)
        return Tree(model, rigid, self.of.tree.frames)

    @cached_property
    def rods(self) -> tuple[str, ...]:
        """Links whose far pins close a loop each."""
        present = self.tree.coupling.joints
        return tuple(name.replace("joint", "link") for name in _RODS if name in present)

    @cached_property
    def lengths(self) -> Array:
        """Lengths of the rods without force [m], ``(m,)``: those of the links beside them."""
        whole = self.of.tree.model
        ends = [_RODS[name.replace("link", "joint")][1] for name in self.rods]
        return np.array(
            [whole.jointPlacements[whole.getJointId(name)].translation[0] for name in ends]
        )

    @cached_property
    def driven(self) -> Array:
        """Numbers of the coordinates that are axes, in their order: axis 3 is the crank."""
        joints, axes = self.tree.coupling.joints, self.tree.coupling.axes
        crank = {"joint_3": "joint_crank"}
        return np.array([joints.index(crank.get(name, name)) for name in axes])

    @cached_property
    def dependent(self) -> Array:
        """Numbers of the coordinates that the closures give: elbow, rods, and what is level."""
        return np.setdiff1d(np.arange(len(self.tree.coupling.joints)), self.driven)

    @cached_property
    def free(self) -> Array:
        """Numbers of the axes, and of the elongations of elastic rods after them."""
        n = self.of.n
        return np.array([*range(n), *(n + rod for rod in self.elastic)])

    def state(
        self, q: Array, v: Array, e: Array | None = None, e_dot: Array | None = None
    ) -> LoopState:
        """Return coordinates and speeds of the tree for those of axes and elongations.

        Args:
            q: Axis positions [rad], ``(n,)``.
            v: Their speeds [rad/s].
            e: Elongations of the rods [m], ``(m,)``; default none.
            e_dot: Their rates [m/s].

        Raises:
            InputError: if no angles of the bars close the loops.
        """
        still = np.zeros(len(self.rods))
        e, e_dot = still if e is None else e, still if e_dot is None else e_dot
        x, longest = self.tree.coupling.position(q), self.lengths.max()
        wanted = np.concatenate([self.lengths + e, np.zeros(len(e))])
        for _ in range(_STEPS):
            position, J = self._closure(x)
            inverse = _inverse(J[:, self.dependent])
            if inverse is None:
                break
            missed = wanted - position
            if np.abs(missed).max() < _CLOSED * longest:
                return self._moving(x, np.concatenate([v, e_dot]), J, inverse)
            x[self.dependent] += inverse @ missed
        at = f"at q = {q.tolist()}"
        if not e.any():
            raise InputError(f"bars of the loop are in one line {at}: pins cannot hold them")
        longer = ", ".join(f"{1e3 * value:.4g}" for value in e)
        raise InputError(
            f"bars do not close the loop {at} with rods {longer} mm longer, or they are in one line"
        )

    def _moving(self, x: Array, u: Array, J: Array, inverse: Array) -> LoopState:
        T, n = np.zeros((len(x), len(u))), self.of.n
        T[self.driven, np.arange(n)] = 1.0
        T[self.dependent, :n] = -inverse @ J[:, self.driven]
        T[self.dependent, n:] = inverse[:, : len(u) - n]
        v, bias = T @ u, np.zeros(len(x))
        if u.any():
            bias[self.dependent] = -inverse @ self._drift(x, v)
        return LoopState(x, v, T, bias, inverse)

    def mass_matrix(self, state: LoopState) -> Array:
        """Return the inertia of axes and all elongations, ``(n + m, n + m)``, rotors included."""
        return self._folded(state, self._tree_inertia(state))

    def tcp(self, state: LoopState) -> pin.SE3:
        """Return the pose of the TCP in the base."""
        model, data = self.tree.model, self.tree.data
        number = model.getFrameId("tcp", pin.FrameType.BODY)
        pin.forwardKinematics(model, data, state.q)
        return pin.updateFramePlacement(model, data, number).copy()

    def acceleration(
        self, state: LoopState, torque: Array, wrench: Array, force: Array
    ) -> LoopAcceleration:
        """Return accelerations and pin forces under torques of the axes.

        Args:
            state: Of the tree.
            torque: In axis coordinates [N m], springs of the axes and friction not in it.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.
            force: Force along each rod [N], positive where it pushes its pins apart, ``(m,)``; of
                rigid rods it is not read.

        Raises:
            InputError: as :meth:`need_inertia`.
        """
        M, n = self._tree_inertia(state), self.of.n
        folded = self._folded(state, M)
        self.need_inertia(folded)
        needed = self._needed(state, state.bias, wrench)
        held = springs.torque(self.of.springs, state.q[self.driven])
        right = np.concatenate([torque - held, force]) - state.velocity_map.T @ needed
        u_dot = np.zeros(len(right))
        u_dot[self.free] = np.linalg.solve(folded[self._block], right[self.free])
        needed += M @ (state.velocity_map @ u_dot)
        return LoopAcceleration(u_dot[:n], u_dot[n:], self._pins(state, needed))

    def torque(self, state: LoopState, a: Array, wrench: Array) -> LoopTorque:
        """Return the torques of the axes and the pin forces of a motion.

        The rods keep their lengths in it, elongated or not.

        Args:
            state: Of the tree, without rates of the elongations.
            a: Accelerations of the axes [rad/s^2], ``(n,)``.
            wrench: As :meth:`acceleration`.
        """
        n = self.of.n
        moved = state.velocity_map[:, :n] @ a + state.bias
        needed = self._needed(state, moved, wrench)
        held = springs.torque(self.of.springs, state.q[self.driven])
        torque = state.velocity_map[:, :n].T @ needed + self.of.rotor_inertia @ a + held
        return LoopTorque(torque, self._pins(state, needed))

    def need_inertia(self, folded: Array) -> None:
        """Refuse elastic rods where crank, rod and motor 3 have no inertia.

        Args:
            folded: :meth:`mass_matrix`.

        Raises:
            InputError: if nothing has inertia in a direction that is free to move.
        """
        if not self.elastic:
            return
        free = folded[self._block]
        try:
            left = np.diag(np.linalg.cholesky(free)) ** 2
        except np.linalg.LinAlgError:
            left = np.zeros(1)
        if not (left > _NO_INERTIA * np.diag(free)).all():
            raise InputError(
                "neither crank, rod nor motor 3 has inertia, and an elastic rod leaves them free:"
                " give rotors (robot.with_rotors) or a set of inertials with bars"
            )

    @cached_property
    def _block(self) -> tuple[Array, ...]:
        return np.ix_(self.free, self.free)

    @cached_property
    def _polygons(self) -> _Polygons:
        model, zero = self.tree.model, self.tree.coupling.position(np.zeros(self.of.n))
        pin.forwardKinematics(model, self.tree.data, zero)
        loop, z, turns = [], [], []
        for i, (link, length) in enumerate(zip(self.rods, self.lengths, strict=True)):
            joint = link.replace("link", "joint")
            rod, body = (model.getJointId(name) for name in (joint, _RODS[joint][0]))
            x, y, normal = self.tree.data.oMi[rod].rotation.T
            own, of_rod = self._branch(rod, body, normal)
            other, of_body = self._branch(body, rod, normal)
            far = own[-1] + length * x
            # from the rod back to its first hinge, across to the other branch, and up to the pin
            sides = [*(-np.diff(own, axis=0)), other[0] - own[0], *np.diff([*other, far], axis=0)]
            z += [complex(side @ x, side @ y) for side in sides]
            turns += [row - of_rod[-1] for row in (*of_rod[:-1], 0.0 * zero, *of_body)]
            loop += [np.eye(len(self.rods))[i]] * len(sides)
        return _Polygons(np.array(loop).T, np.array(z), np.array(turns), zero)

    def _branch(self, joint: int, other: int, normal: Array) -> tuple[list[Array], list[Array]]:
        """Return the hinges of a branch that two joints do not share, and how each turns.

        Positions [m], from the first hinge to the joint, and the angle of the body of each about
        the normal of the loop per coordinate of the tree.
        """
        model, data = self.tree.model, self.tree.data
        positions, angles, turned = [], [], np.zeros(model.nv)
        for number in model.supports[joint]:
            if number not in model.supports[other]:
                positions.append(data.oMi[number].translation.copy())
                direction = np.sign(data.oMi[number].rotation[:, 2] @ normal)
                turned[model.joints[number].idx_v] = direction
                angles.append(turned.copy())
        return positions, angles

    def _closure(self, x: Array) -> tuple[Array, Array]:
        """Return where the far pins lie, seen from their rods, and its Jacobian.

        All along the rods first, then all across: ``(2m,)`` and ``(2m, n + 2m)``.
        """
        loop, _, turns, _ = self._polygons
        sides = loop * self._sides(x)
        r, J = sides.sum(axis=1), sides @ (1j * turns)
        return np.concatenate([r.real, r.imag]), np.concatenate([J.real, J.imag])

    def _drift(self, x: Array, v: Array) -> Array:
        """Return the second derivatives of that where the tree does not accelerate, ``(2m,)``."""
        drift = -(self._polygons.loop @ (self._sides(x) * (self._polygons.turns @ v) ** 2))
        return np.concatenate([drift.real, drift.imag])

    def _sides(self, x: Array) -> NDArray[np.complex128]:
        """Return the segments of the loops, ``(k,)`` [m]."""
        _, z, turns, zero = self._polygons
        return np.asarray(z * np.exp(1j * (turns @ (x - zero))))

    def _tree_inertia(self, state: LoopState) -> Array:
        """Return the inertia of the open tree, without rotors."""
        return np.array(pin.crba(self.tree.model, self.tree.data, state.q))

    def _folded(self, state: LoopState, M: Array) -> Array:
        n = self.of.n
        folded = np.asarray(state.velocity_map.T @ M @ state.velocity_map)
        folded[:n, :n] += self.of.rotor_inertia
        return folded

    def _needed(self, state: LoopState, acceleration: Array, wrench: Array) -> Array:
        """Return torques of all joints of the open tree for a motion, rotors and springs apart."""
        model, data = self.tree.model, self.tree.data
        needed = np.array(pin.rnea(model, data, state.q, state.v, acceleration))
        if wrench.any():
            number = model.getFrameId("tcp", pin.FrameType.BODY)
            axes = pin.LOCAL_WORLD_ALIGNED
            needed -= pin.computeFrameJacobian(model, data, state.q, number, axes).T @ wrench
        return needed

    def _pins(self, state: LoopState, needed: Array) -> Array:
        forces = state.angles_of_pins.T @ needed[self.dependent]
        return np.asarray(forces.reshape(2, -1).T)


def _inverse(matrix: Array) -> Array | None:
    """Return the inverse; None where it is singular, or nearly so."""
    try:
        inverse = np.asarray(np.linalg.inv(matrix))
    except np.linalg.LinAlgError:
        return None
    return inverse if np.abs(matrix).max() * np.abs(inverse).max() < _WORST else None
