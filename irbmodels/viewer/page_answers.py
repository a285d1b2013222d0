"""What a page computes by itself: programs of a robot's queries with their numbers."""

from __future__ import annotations

from typing import Any

import numpy as np

from ..compiled.queries import mechanism_for, program_for
from ..errors import MissingData
from ..kinematics.arm_geometry import OffsetWrist, SixAxis
from ..kinematics.configuration import quadrant_axes
from ..kinematics.inverse.program import kind_of
from ..kinematics.inverse.solver import ClosedForm
from ..model.model import Model
from ..model.tree import Frame
from ..robot.robot import Robot
from .javascript import function_text
from .page_data import packed

KINEMATICS = ("pose", "jacobian")
DYNAMICS = ("gravity", "inverse_dynamics", "mass_matrix")


def answer_data(robot: Robot) -> dict[str, Any]:
    """Return programs and numbers with which a page answers for a robot.

    ``queries`` are functions of :mod:`.javascript`, each with its constants. Dynamics, friction
    included, are left out of a robot without masses. ``arm`` is the geometry behind configuration
    data and singularities, None of an arm of another shape; without a closed form it has no
    ``inverse``.
    """
    tcp, model = robot.find_frame("tcp"), robot.evaluate.models[True]
    queries = {name: _query(name, tcp) for name in KINEMATICS}
    if model.has_masses:
        queries |= {name: _query(name, model) for name in DYNAMICS}
    try:
        arm = _arm(robot.closed_form)
    except MissingData:
        arm = None
    return {
        "queries": queries,
        "gravity": robot.gravity_vector.tolist(),
        "payload": None if robot.limits.load is None else robot.limits.load.mass,
        "world": robot.world_from_base.homogeneous.tolist(),
        "robax": [number - 1 for number in robot.rapid_axes] if robot.n <= 6 else None,
        "arm": arm,
    }


def _query(name: str, source: Model | Frame) -> dict[str, str]:
    mechanism = mechanism_for(name, source)
    program = program_for(name, mechanism)
    constants = np.array([mechanism.free[label] for label in program.constants])
    return {"function": function_text(program), "constants": packed(constants)}


def _arm(form: ClosedForm) -> dict[str, Any]:
    """Return the absolute angles of an arm, its lengths [m], and its closed form."""
    arm = form.arm
    return {
        "kind": kind_of(arm),
        "coupled": isinstance(arm, SixAxis) and arm.coupled,
        "offset": isinstance(arm, OffsetWrist),
        "quadrants": [quadrant_axes(arm).get(i) for i in range(3)],
        "angles": arm.axis_map.inverse.tolist(),
        "zero": arm.axis_map.h.tolist(),
        "lengths": [
            getattr(arm, "a1", 0.0) + getattr(arm, "a4", 0.0),
            arm.lower_arm_length,
            arm.forearm_length,
        ],
        "inverse": None if form.program is None else _inverse(form),
    }


def _inverse(form: ClosedForm) -> dict[str, Any]:
    """Return the closed form, with the places of the constants of a seed: of axis i, or -1."""
    assert form.program is not None
    names = form.program.constants
    places = {name: k for k, name in enumerate(names)}
    n = len(form.arm.axis_map.h)
    return {
        "function": function_text(form.program),
        "constants": packed(np.array([form.constants[name] for name in names])),
        "seed": {
            name: [places.get(f"{name}[{i}]", -1) for i in range(n)]
            for name in ("free_sin", "free_cos", "seed")
        },
    }
