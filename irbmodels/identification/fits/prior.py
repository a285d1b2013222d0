"""Prior of a fit: physically impossible bodies of a robot, and the nearest possible ones."""

from __future__ import annotations

import numpy as np
import pinocchio as pin

from ...errors import InputError
from ...model.inertia import Inertial
from ...model.tree import body_names
from ...model.types import Array
from ...robot.robot import Robot


def impossible_bodies(robot: Robot) -> dict[str, str]:
    """Return the links whose numbers no body can have, each with the reason.

    Tool and payload do not count.
    """
    model = robot.with_load().model
    impossible = {}
    for link, body in zip(body_names(model), list(model.inertias)[1:], strict=True):
        if reasons := Inertial.of(body.mass, body.lever, body.inertia).impossibilities():
            impossible[link] = reasons[0]
    return impossible


def possible_prior(robot: Robot) -> Array:
    """Return the bodies without tool and payload, ten numbers each, impossible ones mended.

    The nearest possible one stands for each of these.

    Raises:
        InputError: if one weighs nothing or less; nothing is near to it.
    """
    bare = robot.with_load()
    model = bare.model
    parameters = bare.parameter_vector()[: 10 * (model.njoints - 1)]
    for i, link in enumerate(body_names(model)):
        body = Inertial.of(
            *(getattr(model.inertias[i + 1], name) for name in ("mass", "lever", "inertia"))
        )
        if not body.impossibilities():
            continue
        if body.mass <= 0.0:
            raise InputError(
                f"{link} of {robot.name} weighs {body.mass:g} kg: no body is near to it as prior"
            )
        near = body.nearest_possible()
        parameters[10 * i : 10 * i + 10] = pin.Inertia(
            near.mass, np.array(near.com), np.array(near.tensor)
        ).toDynamicParameters()
    return parameters
