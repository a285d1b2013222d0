"""A robot as a MATLAB function that builds a ``rigidBodyTree`` of the Robotics System Toolbox."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...model.tree import UNLIMITED
from ...robot.robot import Robot
from ..text import identifier, linear_form

_LONGEST = 63  # what MATLAB reads of a name


def matlab_script(robot: Robot, provenance: Sequence[str]) -> tuple[str, str]:
    """Return name and text of a function file: ``[robot, G, q0] = NAME()``.

    The tree is the one that the robot computes on, tool and payload included; ``q_tree = G*q + q0``
    and ``tau = G'*tau_tree`` say what the axes are. Frames that do not move are bodies without
    mass. MATLAB's ``Inertia`` is ``[Ixx Iyy Izz Iyz Ixz Ixy]`` about the origin of the body's
    frame, in its axes, the products as entries of the tensor.
    """
    model = robot.model
    name = identifier(robot.name)[:_LONGEST]
    frames = [frame for frame in model.frames if frame.type == pin.FrameType.BODY]
    link_of: dict[int, str] = {}
    for frame in frames:  # in the model's order: the link a joint moves before what is fixed to it
        if frame.parentJoint not in link_of and np.array_equal(
            frame.placement.homogeneous, np.eye(4)
        ):
            link_of[frame.parentJoint] = frame.name
    for number in range(model.njoints):
        link_of.setdefault(number, "base" if number == 0 else f"{model.names[number]}_link")
    lines = [*_header(robot, name, provenance), *_joints(robot, model, link_of)]
    for frame in frames:
        if frame.name != link_of[frame.parentJoint]:
            lines += _fixed(frame, link_of[frame.parentJoint])
    G, q0 = robot.coupling
    lines += ["", f"G = {_matrix(G)};", f"q0 = {_matrix(q0.reshape(-1, 1))};", "end"]
    return f"{name}.m", "\n".join(lines) + "\n"


def _header(robot: Robot, name: str, provenance: Sequence[str]) -> Iterator[str]:
    model, (G, q0) = robot.model, robot.coupling
    tool = f", tool {robot.tool.name}" if robot.tool else ""
    carried = f", payload {robot.payload.mass:g} kg" if robot.payload else ""
    yield f"function [robot, G, q0] = {name}()"
    yield f"% {name.upper()}  rigidBodyTree of {robot.name}{tool}{carried}, written by irbmodels."
    yield (
        f"% Set of inertials: {robot.parameters or 'of the file'}. Units: m, rad, kg, kg m^2, N m."
        " No friction, no rotors."
    )
    yield "%"
    yield "% Configurations of the tree are not axis positions q, as the controller shows them, but"
    yield (
        "%     q_tree = G*q + q0,  v_tree = G*v,  a_tree = G*a,  tau = G'*tau_tree,  M ="
        " G'*M_tree*G:"
    )
    for joint, row, offset in zip(list(model.names)[1:], G, q0.tolist(), strict=True):
        axes = ((f"q{i}", factor) for i, factor in enumerate(row.tolist(), 1))
        yield f"%     {joint} = {linear_form(axes, offset)}"
    yield "%"
    yield "% Sources (grades):"
    yield from (f"%     {' '.join(line.split())}" for line in provenance)
    root = next(
        frame.name
        for frame in model.frames
        if frame.type == pin.FrameType.BODY and frame.parentJoint == 0
    )
    yield "robot = rigidBodyTree('DataFormat', 'column');"
    yield f"robot.BaseName = {_quoted(root)};"
    yield f"robot.Gravity = {_matrix(robot.gravity_vector)};"


def _joints(robot: Robot, model: pin.Model, link_of: dict[int, str]) -> Iterator[str]:
    data = model.createData()
    pin.computeJointJacobians(model, data, pin.neutral(model))
    home = robot.coupling[1]
    for number in range(1, model.njoints):
        column = model.joints[number].idx_v
        motion = pin.getJointJacobian(model, data, number, pin.ReferenceFrame.LOCAL).reshape(6, -1)[
            :, column
        ]
        slides = bool(np.linalg.norm(motion[:3]) > 0.5)
        low, high = float(model.lowerPositionLimit[column]), float(model.upperPositionLimit[column])
        if low >= high:  # how URDF writers say that they do not know
            low, high = -UNLIMITED, UNLIMITED
        bounds = [low if low > -UNLIMITED else -np.inf, high if high < UNLIMITED else np.inf]
        yield ""
        yield f"body = rigidBody({_quoted(link_of[number])});"
        yield (
            f"joint = rigidBodyJoint({_quoted(model.names[number])},"
            f" '{'prismatic' if slides else 'revolute'}');"
        )
        yield f"joint.JointAxis = {_matrix(np.round(motion[:3] if slides else motion[3:], 15))};"
        yield f"setFixedTransform(joint, {_matrix(model.jointPlacements[number].homogeneous)});"
        yield f"joint.PositionLimits = {_matrix(bounds)};"
        yield f"joint.HomePosition = {_number(float(np.clip(home[column], low, high)))};"
        yield "body.Joint = joint;"
        inertia = model.inertias[number]
        tensor = inertia.matrix()[3:, 3:]  # about the origin
        entries = [tensor[at] for at in ((0, 0), (1, 1), (2, 2), (1, 2), (0, 2), (0, 1))]
        yield from _body(inertia.mass, inertia.lever, entries)
        yield f"addBody(robot, body, {_quoted(link_of[model.parents[number]])});"


def _fixed(frame: pin.Frame, parent: str) -> Iterator[str]:
    yield ""
    yield f"body = rigidBody({_quoted(frame.name)});"
    yield f"joint = rigidBodyJoint({_quoted(frame.name + '_fixed')}, 'fixed');"
    yield f"setFixedTransform(joint, {_matrix(frame.placement.homogeneous)});"
    yield "body.Joint = joint;"
    yield from _body(0.0, np.zeros(3), np.zeros(6))  # MATLAB's own defaults weigh 1 kg
    yield f"addBody(robot, body, {_quoted(parent)});"


def _body(mass: float, com: ArrayLike, inertia: ArrayLike) -> Iterator[str]:
    yield f"body.Mass = {_number(mass)};"
    yield f"body.CenterOfMass = {_matrix(com)};"
    yield f"body.Inertia = {_matrix(inertia)};"


def _quoted(name: str) -> str:
    return "'" + name.replace("'", "''") + "'"


def _number(value: float) -> str:
    if np.isinf(value):
        return "Inf" if value > 0 else "-Inf"
    number = repr(float(value) + 0.0)
    return number.removesuffix(".0")


def _matrix(values: ArrayLike) -> str:
    rows = np.atleast_2d(np.asarray(values, dtype=float))
    return "[" + "; ".join(" ".join(_number(float(value)) for value in row) for row in rows) + "]"
