"""Reactions: wrenches across joints and at the flange, rod and pin forces of a parallelogram.

Friction, motor torque and springs act inside a joint, so the wrench across it does not depend on
how they share its torque. The force of a pulling element is part of it: the bearing alone bears the
wrench less that force, which acts along the line of its pivots.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..model.inertia import Inertial
from ..model.model import Linkage, Model
from ..model.tree import Tree
from ..model.types import Array

Load = tuple[Tree, int, Array]

BEYOND_FLANGE = ("tool0", "tcp")
"""Frames at which a load passes the flange."""


class Bars(NamedTuple):
    """Loads of the parallelogram's pins, base axes [N, N m].

    Statics determines what lies in the plane of the parallelogram, and the moment that both pins of
    the rod bear together along it. How two hinges share loads out of the plane depends on stiffness
    and play; the convention here is a ball joint at the upper pin, which bears no moment, and a
    lower pin that bears none but that along the rod, all of it.
    """

    rod: float
    """Force along the rod at its upper pin [N], positive where it pushes lever and crank apart."""
    upper_pin: Array
    """Force ``(3,)`` that the rod exerts on the lever of the upper arm."""
    lower_pin: Array
    """Force ``(3,)`` that the rod exerts on the crank."""
    crank: Array
    """Wrench ``(6,)`` that link_1 exerts on the crank (bearing and motor 3) at axis 2."""
    lower_moment: Array
    """Moment ``(3,)`` along the rod that the rod exerts on the crank at its lower pin.

    Zero where the rod weighs nothing and no wrench acts on it.
    """


class Reactions(NamedTuple):
    """Wrenches in base axes at the joint's origin: force [N] and moment [N m], shape ``(6,)``."""

    joints: dict[str, Array]
    """Wrench of the inboard body on the outboard one across each joint.

    Through a parallelogram ``joint_3`` is the elbow pin (no moment about its axis) and ``joint_2``
    carries the lower arm without the rod's share.
    """
    flange: Array | None
    """Wrench of the flange on tool and payload, at the origin of tool0; None if joints follow."""
    bars: Bars | None
    """None where the arm has no parallelogram."""


def reactions(
    model: Model, carried: list[Inertial] | None, q: Array, v: Array, a: Array, loads: list[Load]
) -> Reactions:
    """Return the wrenches across every joint, at the flange, and in the bars.

    Args:
        model: Robot.
        carried: Bodies beyond the flange, in the axes of tool0; None where some of them move.
        q: Axis positions.
        v: Axis speeds.
        a: Axis accelerations.
        loads: External wrenches: tree and frame at which they act, and their value in base axes at
            its origin.
    """
    tree, data, coupling = model.tree, model.tree.data, model.tree.coupling
    states = (coupling.position(q), coupling.velocity(v), coupling.velocity(a))
    pin.rnea(tree.model, data, *states, _external(tree, q, loads))
    pin.forwardKinematics(tree.model, data, states[0])
    poses = {name: data.oMi[i].copy() for i, name in enumerate(tree.model.names) if i > 0}
    wrenches = {
        name: _in_base_axes(data.f[tree.model.getJointId(name)], pose)
        for name, pose in poses.items()
    }
    bars = _share_with_rod(model.linkage, wrenches, poses) if model.linkage else None
    flange = None if carried is None else flange_wrench(model, carried, q, v, a, loads)
    return Reactions(wrenches, flange, bars)


def flange_wrench(
    model: Model, carried: list[Inertial], q: Array, v: Array, a: Array, loads: list[Load]
) -> Array:
    """Wrench of the flange on the bodies mounted on it: inertia and weight less external loads.

    Loads count if they act beyond the flange, at :data:`BEYOND_FLANGE`.
    """
    tree, data, coupling = model.tree, model.tree.data, model.tree.coupling
    tool0 = tree.model.frames[tree.flange]
    states = (coupling.position(q), coupling.velocity(v), coupling.velocity(a))
    pin.rnea(tree.model, data, *states)
    joint = tool0.parentJoint
    velocity = tool0.placement.actInv(data.v[joint])
    acceleration = tool0.placement.actInv(data.a_gf[joint])
    total = pin.Force.Zero()
    for body in carried:
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
        total += inertia * acceleration + velocity.cross(inertia * velocity)
    pin.forwardKinematics(tree.model, data, states[0])
    pose = data.oMi[joint] * tool0.placement
    wrench = _in_base_axes(total, pose)
    for carrier, frame, load in loads:
        if carrier.model.frames[frame].name in BEYOND_FLANGE:
            number = tree.frame(carrier.model.frames[frame].name)
            point = pin.updateFramePlacement(tree.model, data, number).translation
            wrench = wrench - _shifted(load, point - pose.translation)
    return wrench


def _external(tree: Tree, q: Array, loads: list[Load]) -> pin.StdVec_Force:
    """External wrenches per joint, in its own axes at its origin, for Pinocchio."""
    model, data = tree.model, tree.data
    result = pin.StdVec_Force(model.njoints, pin.Force.Zero())
    pin.framesForwardKinematics(model, data, tree.coupling.position(q))
    for carrier, frame, load in loads:
        number = tree.frame(carrier.model.frames[frame].name)
        point, joint = data.oMf[number].translation, model.frames[number].parentJoint
        pose = data.oMi[joint]
        wrench = _shifted(load, point - pose.translation)
        result[joint] += pin.Force(pose.rotation.T @ wrench[:3], pose.rotation.T @ wrench[3:])
    return result


def _shifted(wrench: Array, lever: Array) -> Array:
    """Return a wrench at the point from which ``lever`` leads to its own."""
    return np.concatenate([wrench[:3], wrench[3:] + np.cross(lever, wrench[:3])])


def _in_base_axes(force: pin.Force, pose: pin.SE3) -> Array:
    return np.concatenate([pose.rotation @ force.linear, pose.rotation @ force.angular])


def _share_with_rod(
    linkage: Linkage, wrenches: dict[str, Array], poses: dict[str, pin.SE3]
) -> Bars:
    """Move the rod's share out of joint_2 and joint_3 of the open chain, in place.

    Bars leave the list of joints.

    The elbow pin bears no moment about its axis, so the rod alone turns the upper arm: its force F
    along itself has the lever arm ``crank * cos r3``. Its force across itself accelerates its own
    mass about the lower pin; the moment about itself, which no force at the upper pin can balance,
    acts at the lower one.
    """
    along, axis = poses["joint_2"].rotation[:, 0], poses["joint_3"].rotation[:, 2]
    lever = poses["joint_3"].rotation @ np.array([0.0, -linkage.crank, 0.0])
    upper = poses["joint_3"].translation + lever
    own = {name: wrenches.pop(name, np.zeros(6)) for name in ("joint_rod", "joint_crank")}
    for name in ("joint_carrier", "joint_rod_carrier"):
        wrenches.pop(name, None)
    across = np.cross(along, own["joint_rod"][3:]) / linkage.long
    rod = float(
        (wrenches["joint_3"][3:] - np.cross(lever, across)) @ axis / (np.cross(lever, along) @ axis)
    )
    force = rod * along + across
    at_pin = np.concatenate([force, np.zeros(3)])
    share = {
        name: _shifted(at_pin, upper - poses[name].translation) for name in ("joint_2", "joint_3")
    }
    for name, wrench in share.items():
        wrenches[name] = wrenches[name] - wrench
    crank = own["joint_crank"] + share["joint_2"]
    moment = -(own["joint_rod"][3:] @ along) * along
    return Bars(rod, force, -(own["joint_rod"][:3] + force), crank, moment)
