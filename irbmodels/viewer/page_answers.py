"""What a page computes by itself: programs of a robot's queries with their numbers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from ..compiled.queries import mechanism_for, program_for
from ..errors import MissingData
from ..kinematics.arm_geometry import OffsetWrist, SixAxis
from ..kinematics.configuration import quadrant_axes
from ..kinematics.inverse.solver import ClosedForm
from ..kinematics.inverse.structure import kind_of
from ..model.model import Model, load_on_flange
from ..model.tree import Frame
from ..robot.robot import Robot
from .javascript import function_text
from .page_data import packed

KINEMATICS = ("pose", "jacobian")
DYNAMICS = ("gravity", "inverse_dynamics", "mass_matrix")


def answer_data(robot: Robot) -> dict[str, Any]:
    """Return programs and numbers with which a page answers for a robot.

    ``queries`` are functions of :mod:`.javascript`, each with its constants. Dynamics, friction
    included, are left out of a robot without masses. ``causes`` are the further ones that split a
    torque by cause. ``arm`` is the geometry behind configuration data and singularities, None of an
    arm of another shape; without a closed form it has no ``inverse``.
    """
    tcp, model = robot.find_frame("tcp"), robot.evaluate.models[True]
    queries = {name: _query(name, tcp) for name in KINEMATICS}
    if model.has_masses:
        queries |= {name: _query(name, model) for name in DYNAMICS}
    carried = load_on_flange(robot.tool, robot.payload)
    try:
        arm = _arm(robot.closed_form)
    except MissingData:
        arm = None
    return {
        "queries": queries,
        "causes": _causes(robot) if model.has_masses else {},
        "gravity": robot.gravity_vector.tolist(),
        "payload": None if robot.limits.load is None else robot.limits.load.mass,
        "carried": 0.0 if carried is None else carried.mass,
        "world": robot.world_from_base.homogeneous.tolist(),
        "robax": [number - 1 for number in robot.rapid_axes] if robot.n <= 7 else None,
        "arm": arm,
    }


def _causes(robot: Robot) -> dict[str, dict[str, Any]]:
    """Return the programs that split a torque by cause, beside those of every page.

    ``friction``, with ``loaded`` true where it depends on the posture; ``unloaded``, the inverse
    dynamics without payload and friction; ``weight``, gravity without springs and payload. What a
    model does not have is absent.
    """
    causes: dict[str, dict[str, Any]] = {}
    model = robot.evaluate.models[True]
    rigid = robot.with_load(robot.tool).evaluate.models[False]
    if model.friction is not None:
        loaded = mechanism_for("friction", model).needs_load
        causes["friction"] = {**_query("friction", model), "loaded": loaded}
    if robot.payload is not None:
        causes["unloaded"] = _query("inverse_dynamics", rigid)
    if rigid.springs:
        causes["weight"] = _query("gravity", replace(rigid, springs=()))
    return causes


def gravity_query(robot: Robot) -> dict[str, str] | None:
    """Return the program of gravity torques with its constants, None without masses."""
    model = robot.evaluate.models[True]
    return _query("gravity", model) if model.has_masses else None


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
