"""Errors that the split of mass leaves in gravity torques and inertias of reference arms.

Each arm is drawn and weighed by what is known of the others, and compared with its own bodies.
What these weigh together is the robot without its base, that of its class where its own is unknown;
links whose mass alone is known have the shape of the drawing.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import NamedTuple

import numpy as np
import pinocchio as pin

from ..model.inertia import Inertial
from ..model.types import Array
from ..robot.robot import load
from .body import at_mass
from .mass_split import derived_split
from .reference_arms import LINKS, ReferenceArm, SizeClass, reference_arms, size_class

POSTURES = 500
# [deg] of all arms: near the ranges of ABB's serial arms
RANGES = np.array([[-180, 180], [-90, 110], [-180, 70], [-180, 180], [-115, 115], [-180, 180]])

PARALLELOGRAMS = {"irb2400_16": "obal2025", "irb4400_60_196": "hiqp"}
"""Arms with a parallelogram whose bodies are published, and the set that has them."""


class SplitErrors(NamedTuple):
    """Root mean square over postures of the error, relative to that of the known values.

    Of each axis, ``(6,)``. Gravity pulls at axis 1 in no posture.
    """

    gravity: Array
    inertia: Array
    """Of the diagonal of the mass matrix."""


@cache
def class_errors(size: SizeClass) -> SplitErrors:
    """Return the largest errors among the reference arms of a size class."""
    arms = reference_arms().items()
    errors = [split_errors(name) for name, arm in arms if size_class(arm.mass) == size]
    gravity, inertia = (np.max(group, axis=0) for group in zip(*errors, strict=True))
    return SplitErrors(gravity, inertia)


@cache
def parallelogram_errors() -> SplitErrors:
    """Return the largest errors of the drawing, at one density, of :data:`PARALLELOGRAMS`."""
    errors = []
    for name, known in PARALLELOGRAMS.items():
        drawn, robot = load(name, parameters="cad"), load(name, parameters=known)
        _, inverse, lower, upper = robot.limits.axis_ranges
        inside = np.random.default_rng(0).uniform(lower, upper, (POSTURES, robot.n))
        q = robot.limits.moved_inside(inside @ inverse.T)
        inertias = [one.mass_matrix(q).diagonal(axis1=1, axis2=2) for one in (drawn, robot)]
        errors.append((_relative(drawn.gravity(q), robot.gravity(q)), _relative(*inertias)))
    gravity, inertia = (np.max(group, axis=0) for group in zip(*errors, strict=True))
    gravity[0] = 0.0  # rounding of two torques that are none
    return SplitErrors(gravity, inertia)


@cache
def split_errors(name: str) -> SplitErrors:
    """Return the errors of a reference arm that is weighed by what is known of the others."""
    arm, rng = reference_arms()[name], np.random.default_rng(0)
    q = np.radians(rng.uniform(RANGES[:, 0], RANGES[:, 1], (POSTURES, 6)))
    estimated, known = (
        gravity_and_inertia(arm.joints(), bodies, q) for bodies in bodies_of(arm, name)
    )
    return SplitErrors(*map(_relative, estimated, known))


def bodies_of(arm: ReferenceArm, name: str) -> tuple[dict[str, Inertial], dict[str, Inertial]]:
    """Return moving links as drawn and weighed without this arm, and as known, in their frames."""
    split = derived_split(arm.mass, without=name)
    drawn, _ = split.moving(arm.drawn(), arm.mass)
    ours, pose = {}, np.eye(4)
    for link, joint in zip(LINKS, arm.joints(), strict=True):
        pose = pose @ joint
        turn, place = pose[:3, :3].T, pose[:3, 3]
        ours[link] = drawn[link].moved(turn, -turn @ place)
    moving = arm.mass - (split.base if arm.base is None else arm.base)
    factor = moving / sum(arm.masses.values())
    known = {
        link: at_mass(arm.bodies.get(link, ours[link]), factor * mass)
        for link, mass in arm.masses.items()
    }
    return ours, known


def gravity_and_inertia(
    joints: Sequence[Array], bodies: Mapping[str, Inertial], q: Array
) -> tuple[Array, Array]:
    """Return gravity torques [N m] and diagonals of the mass matrix [kg m^2] of an open chain.

    Args:
        joints: Pose of each link's frame in that of the link before, at home, ``(4, 4)`` [m].
        bodies: Moving links, in their frames; each turns about its z.
        q: Joint angles [rad], ``(N, 6)``.

    Returns:
        Both of shape ``(N, 6)``.
    """
    model, number = pin.Model(), 0
    for link, joint in zip(LINKS, joints, strict=True):
        number = model.addJoint(number, pin.JointModelRZ(), pin.SE3(joint), link)
        body = bodies[link]
        inertia = pin.Inertia(body.mass, np.array(body.com), np.array(body.tensor))
        model.appendBodyToJoint(number, inertia, pin.SE3.Identity())
    data = model.createData()
    gravity = [pin.computeGeneralizedGravity(model, data, one).copy() for one in q]
    inertia = [pin.crba(model, data, one).diagonal().copy() for one in q]
    return np.array(gravity), np.array(inertia)


def _relative(estimated: Array, known: Array) -> Array:
    """Return the root mean square of a difference over that of what is known, by column."""
    error, size = (np.sqrt(np.mean(values**2, axis=0)) for values in (estimated - known, known))
    return np.asarray(np.divide(error, size, out=np.zeros_like(error), where=size > 1e-9))
