"""Programs run by NumPy, step by step, over a batch of states, and what Pinocchio says to the
same.
"""

from __future__ import annotations

from collections.abc import Mapping

import numpy as np

import irbmodels as irb
from irbmodels.compiled.program import Program
from irbmodels.compiled.queries import OF_FRAMES, QUERIES, mechanism_for, program_for
from irbmodels.dynamics import derivatives
from irbmodels.model.mechanism import Mechanism

RULES = {
    "add": np.add,
    "sub": np.subtract,
    "mul": np.multiply,
    "div": np.divide,
    "neg": np.negative,
    "inv": np.reciprocal,
    "sin": np.sin,
    "cos": np.cos,
    "exp": np.exp,
    "log": np.log,
    "sqrt": np.sqrt,
    "sign": np.sign,
    "abs": np.abs,
    "nearest": np.rint,
    "less": np.less,
    "less_equal": np.less_equal,
    "and": np.logical_and,
    "or": np.logical_or,
    "not": np.logical_not,
    "select": np.where,
}


def evaluate(
    program: Program, constants: Mapping[str, float], **inputs: np.ndarray
) -> dict[str, np.ndarray]:
    """Return the outputs by name, shape ``(N, *shape)``, for inputs ``(N, length)`` by name."""
    given = [np.asarray(inputs[name], dtype=float) for name, _ in program.inputs]
    assert [x.shape[1] for x in given] == [length for _, length in program.inputs]
    values: list[np.ndarray] = []
    for step in program.steps:
        if step.operation == "input":
            values.append(given[step.operands[0]][:, step.operands[1]])
        elif step.operation == "constant":
            values.append(np.float64(constants[program.constants[step.operands[0]]]))
        elif step.operation == "number":
            values.append(np.float64(step.number))
        else:
            values.append(RULES[step.operation](*(values[number] for number in step.operands)))
    count = len(given[0])
    return {
        output.name: np.stack(
            [np.broadcast_to(values[number], count) for number in output.steps], axis=1
        ).reshape(count, *output.shape)
        for output in program.outputs
    }


def mechanism(
    robot: irb.Robot, query: str, frame: str = "tcp", point: np.ndarray | None = None
) -> Mechanism:
    """Return what a query of a robot is written for."""
    return mechanism_for(
        query, robot.find_frame(frame, point) if query in OF_FRAMES else robot.dynamic_model
    )


def answers(
    robot: irb.Robot,
    query: str,
    states: np.ndarray,
    frame: str = "tcp",
    point: np.ndarray | None = None,
) -> dict[str, np.ndarray]:
    """Return a query's outputs at states ``(3, N, n)``: q, v, and what stands for a or tau."""
    stripped = mechanism(robot, query, frame, point)
    q, v, a = states
    given = {"q": q, "v": v, "a": a, "tau": a}
    written = program_for(query, stripped)
    return evaluate(written, stripped.free, **{name: given[name] for name, _ in written.inputs})


def reference(
    robot: irb.Robot,
    query: str,
    states: np.ndarray,
    frame: str = "tcp",
    point: np.ndarray | None = None,
) -> list[np.ndarray]:
    """Return the same from Pinocchio."""
    q, v, a = states
    rubs = robot.friction_model is not None
    match query:
        case "inverse_dynamics" | "forward_dynamics":
            return [getattr(robot, query)(q, v, a, friction=rubs)]
        case "coriolis_torque":
            return [np.einsum("...ij,...j->...i", robot.coriolis(q, v), v)]
        case "friction":
            return [robot.friction(v, q) if rubs else np.zeros_like(v)]
        case "energy":
            return list(robot.energy(q, v))
        case "inverse_dynamics_derivatives":
            rows = [
                derivatives.inverse_dynamics(robot.dynamic_model, *state, rubs)
                for state in zip(q, v, a, strict=True)
            ]
            return [np.stack(x) for x in zip(*rows, strict=True)]
        case "pose_and_jacobian":
            return [robot.pose(q, frame, point), robot.jacobian(q, frame, point)]
        case "pose" | "jacobian" | "hessian":
            return [getattr(robot, query)(q, frame, point)]
        case _:
            given = {"q": q, "v": v, "a": a}
            return [getattr(robot, query)(*(given[name] for name in QUERIES[query].inputs))]
