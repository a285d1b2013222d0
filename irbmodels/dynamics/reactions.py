"""What the bearings carry: wrenches between bodies, the rod and pin forces of a parallelogram, a sensor at the flange.

Friction and motor torque act inside a joint, so the wrench across it does not depend on how they
share its torque.
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

    Statics tells what lies in the plane of the parallelogram, and the moment that both pins of the
    rod bear together along it. How two hinges share loads out of the plane depends on stiffness and
    play; the convention here is a ball joint at the upper pin, which bears no moment, and a lower
    pin that bears none but that along the rod, all of it.
    """

    rod: float
    """Force along the rod at its upper pin [N], positive where the rod pushes lever and crank apart."""
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
    """Wrenches of one state, force [N] first, then moment [N m], in base axes at the joint's origin, shape ``(6,)`` each."""

    joints: dict[str, Array]
    """What the inboard body exerts on the outboard one across each joint.

    Through a parallelogram ``joint_3`` is the elbow pin (no moment about its axis) and ``joint_2``
    carries the lower arm without the rod's share.
    """
    flange: Array | None
    """What the flange exerts on tool and payload, at the origin of tool0.

    None where joints go on beyond it.
    """
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
        loads: External wrenches: tree and frame they act at, and their value in base axes at its
            origin.
    """
    tree, data = model.tree, model.tree.data
    coupling = tree.coupling
    pin.rnea(
        tree.model,
        data,
        coupling.position(q),
        coupling.velocity(v),
        coupling.velocity(a),
        _external(tree, q, loads),
    )
    pin.forwardKinematics(tree.model, data, coupling.position(q))
    wrenches = {
        name: _in_base_axes(data.f[i], data.oMi[i])
        for i, name in enumerate(tree.model.names)
        if i > 0
    }
    places = {
        name: data.oMi[i].translation.copy() for i, name in enumerate(tree.model.names) if i > 0
    }
    frames = {name: data.oMi[i].rotation.copy() for i, name in enumerate(tree.model.names) if i > 0}
    bars = _share_with_rod(model.linkage, wrenches, places, frames) if model.linkage else None
    flange = None if carried is None else flange_wrench(model, carried, q, v, a, loads)
    return Reactions(wrenches, flange, bars)


def flange_wrench(
    model: Model, carried: list[Inertial], q: Array, v: Array, a: Array, loads: list[Load]
) -> Array:
    """Wrench that the flange exerts on what is mounted on it: inertia and weight of the bodies less the external loads.

    Loads count if they act beyond the flange, at :data:`BEYOND_FLANGE`.
    """
    tree, data = model.tree, model.tree.data
    coupling = tree.coupling
    tool0 = tree.model.frames[tree.flange]
    states = (coupling.position(q), coupling.velocity(v), coupling.velocity(a))
    pin.rnea(tree.model, data, *states)
    joint = tool0.parentJoint
    speed, rate = tool0.placement.actInv(data.v[joint]), tool0.placement.actInv(data.a_gf[joint])
    total = pin.Force.Zero()
    for body in carried:
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
        total += inertia * rate + speed.cross(inertia * speed)
    pin.forwardKinematics(tree.model, data, coupling.position(q))
    pose = data.oMi[joint] * tool0.placement
    wrench = _in_base_axes(total, pose)
    for carrier, frame, load in loads:
        if carrier.model.frames[frame].name in BEYOND_FLANGE:
            at = pin.updateFramePlacement(
                tree.model, data, tree.frame(carrier.model.frames[frame].name)
            ).translation
            wrench = wrench - np.concatenate(
                [load[:3], load[3:] + np.cross(at - pose.translation, load[:3])]
            )
    return wrench


def _external(tree: Tree, q: Array, loads: list[Load]) -> pin.StdVec_Force:
    """External wrenches as Pinocchio wants them: per joint, in its own axes at its origin."""
    model, data = tree.model, tree.data
    result = pin.StdVec_Force(model.njoints, pin.Force.Zero())
    pin.framesForwardKinematics(model, data, tree.coupling.position(q))
    for carrier, frame, load in loads:
        number = tree.frame(carrier.model.frames[frame].name)
        place, joint = data.oMf[number].translation, model.frames[number].parentJoint
        at_joint = data.oMi[joint]
        moment = load[3:] + np.cross(place - at_joint.translation, load[:3])
        turn = at_joint.rotation.T
        result[joint] += pin.Force(turn @ load[:3], turn @ moment)
    return result


def _in_base_axes(force: pin.Force, frame: pin.SE3) -> Array:
    return np.concatenate([frame.rotation @ force.linear, frame.rotation @ force.angular])


def _share_with_rod(
    linkage: Linkage, wrenches: dict[str, Array], places: dict[str, Array], frames: dict[str, Array]
) -> Bars:
    """Move the rod's share out of joint_2 and joint_3 of the open chain, in place.

    Bars leave the list of joints.

    The elbow pin bears no moment about its axis, so the rod alone turns the upper arm: its force F
    along itself has the lever arm ``crank * cos r3``. Across itself it exerts what swings its own
    mass about the lower pin; what would turn it about itself no force at the upper pin can hold,
    and passes the lower one.
    """
    along, axis = frames["joint_2"][:, 0], frames["joint_3"][:, 2]
    lever = frames["joint_3"] @ np.array([0.0, -linkage.crank, 0.0])
    upper = places["joint_3"] + lever
    own = {name: wrenches.pop(name, np.zeros(6)) for name in ("joint_rod", "joint_crank")}
    for name in ("joint_carrier", "joint_rod_carrier"):
        wrenches.pop(name, None)
    across = np.cross(along, own["joint_rod"][3:]) / linkage.long
    rod = float(
        (wrenches["joint_3"][3:] - np.cross(lever, across)) @ axis / (np.cross(lever, along) @ axis)
    )
    push = rod * along + across
    for name in ("joint_2", "joint_3"):
        wrenches[name] = wrenches[name] - np.concatenate(
            [push, np.cross(upper - places[name], push)]
        )
    crank = own["joint_crank"] + np.concatenate([push, np.cross(upper - places["joint_2"], push)])
    twist = -(own["joint_rod"][3:] @ along) * along
    return Bars(rod, push, -(own["joint_rod"][:3] + push), crank, twist)
