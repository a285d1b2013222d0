"""Choice of the build that draws a robot, and inertials of its links."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import NamedTuple

import numpy as np

from ..errors import InputError, MissingData
from ..model.inertia import Inertial
from ..tables.description import Description
from . import palletizer_arm, parallel_arm, scara, serial_arm, seven_axis_arm, tube_arm
from .body import Body, at_mass, closing
from .link_frames import link_frames
from .mass_split import MassSplit
from .split_table import serial_split


class Weighed(NamedTuple):
    """The links of a robot by its CAD, in their own frames."""

    bodies: dict[str, Inertial]
    castings: float
    """Factor on the density of castings that closes the robot, or its moving links, to its mass."""


def bodies(robot: Description) -> Mapping[str, Body]:
    """Return the links of a robot, drawn from the lengths in its tables.

    Raises:
        InputError: if there is no such build, or its lengths cannot be drawn.
    """
    drawn = _build(robot)(robot)
    for link, body in drawn.items():
        if any(piece.is_empty() for piece in body.pieces):
            raise InputError(
                f"{robot.name}: no room for {link} between the axes of an arm of its mass: lengths"
                " beside it do not go together, or are of another robot"
            )
    return drawn


def _build(robot: Description) -> Callable[[Description], Mapping[str, Body]]:
    if robot.kinematics.level is not None:
        return palletizer_arm.bodies
    if robot.kinematics.parallelogram is not None:
        return parallel_arm.bodies
    if has_offset_wrist(robot):
        return tube_arm.bodies
    if robot.linear == (False,) * 6:
        return serial_arm.bodies
    if robot.linear == (False,) * 7:
        return seven_axis_arm.bodies
    if robot.linear == (False, False, True, False):
        return scara.bodies
    axes = ", ".join("sliding" if slides else "turning" for slides in robot.linear)
    raise InputError(
        f"{robot.name} has {len(robot.axes)} axes ({axes}); drawn are arms of six turning axes,"
        " with a parallelogram or without, or of seven, palletizers, and SCARAs, whose third of"
        " four axes slides"
    )


def robot_mass(robot: Description) -> float:
    """Return the catalogue mass of a robot [kg].

    Raises:
        MissingData: if it is unknown.
    """
    mass = robot.limits.ratings.mass_kg
    if mass is None:
        raise MissingData(
            f"the mass of {robot.name} is unknown: limits.yaml has no ratings.mass_kg, at which its"
            " links are weighed"
        )
    return mass


def is_serial(robot: Description) -> bool:
    """Return whether a robot is drawn as an industrial arm of six axes without a parallelogram."""
    chain = robot.linear == (False,) * 6 and robot.kinematics.parallelogram is None
    return chain and not has_offset_wrist(robot)


def has_offset_wrist(robot: Description) -> bool:
    """Return whether axis 6 of six turning axes passes axis 5, as of collaborative arms."""
    return robot.linear == (False,) * 6 and robot.kinematics.joints["joint_6"].a_mm != 0.0


def mass_split(robot: Description) -> MassSplit | None:
    """Return how the links of a robot share its mass, by reference arms and its published base.

    None where neither says anything: castings then have one density.

    Raises:
        MissingData: if the mass of the robot is unknown.
    """
    base = robot.limits.base
    split = serial_split(robot_mass(robot)) if is_serial(robot) else None
    if base is None:
        return split
    return MassSplit(base.mass_kg, {} if split is None else split.corrections)


def weighed(robot: Description, split: MassSplit | None = None) -> Weighed:
    """Return the inertials of the links when the robot has its catalogue mass.

    They are rounded to what a parametric shape can claim.

    Args:
        robot: Tables of a variant.
        split: How its links share the mass; None for castings of one density from base to flange.

    Raises:
        MissingData: if its mass is unknown.
        InputError: if its castings would need a density that is not positive.
    """
    drawn, poses, mass = dict(bodies(robot)), link_frames(robot), robot_mass(robot)
    if split is None:
        stated = {}
        if robot.limits.crank is not None:  # drawn as heavy as it is
            stated["link_crank"] = drawn.pop("link_crank").weighed()
        castings = closing(drawn, mass - sum(body.mass for body in stated.values()))
        links = stated | {link: body.weighed(castings) for link, body in drawn.items()}
    else:
        moving, castings = split.moving(drawn, mass)
        base = at_mass(drawn["base_link"].weighed(), split.base)
        links = {"base_link": _centred(base, robot), **moving}
    if castings <= 0.0:
        raise InputError(
            f"{robot.name}: motors and gears of its drawing weigh more than mass_kg of limits.yaml,"
            f" {mass:g} kg, leaves for them: a wrong mass, or lengths of another robot"
        )
    result = {}
    for link, body in links.items():
        turn, place = poses[link][:3, :3].T, poses[link][:3, 3]
        result[link] = _rounded(body.moved(turn, -turn @ place))
    return Weighed(result, castings)


def _centred(base: Inertial, robot: Description) -> Inertial:
    """Return the base with its published centre of mass, where there is one."""
    row = robot.limits.base
    if row is None or row.com_mm is None:
        return base
    return Inertial.of(base.mass, np.array(row.com_mm) / 1000.0, base.tensor)


def _rounded(body: Inertial) -> Inertial:
    """Return a body in steps of 0.1 g, 1 um and a millionth of its largest moment.

    No processor's last digit is left.
    """
    digits = 6 - int(np.ceil(np.log10(np.abs(body.tensor).max())))
    return Inertial.of(
        round(body.mass, 4), np.round(body.com, 6) + 0.0, np.round(body.tensor, digits) + 0.0
    )
