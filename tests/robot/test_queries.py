"""Every query that takes arrays keeps a broken sample to itself."""

from __future__ import annotations

import numpy as np
from grouped import together

import irbmodels as irb
from irbmodels.compiled.dispatch import WORTH
from irbmodels.simulation.flexible import Drive, FlexibleRobot

ROWS = {"few": 6, "many": WORTH}  # Pinocchio, and machine code
ARMS = {"irb2400": ("few",), "irb930": ("few", "many")}
BROKEN = {1: np.nan, 3: np.inf, 4: -np.inf}  # row: value
LAW = (2.0, 1.0, 0.5, 0.1)  # Fs, Fc, Fv, v_St of every axis
LOAD = np.array([10.0, -20.0, 30.0, 1.0, 2.0, -3.0])

KINEMATIC = {
    "to_controller": lambda robot, q, v, a: robot.to_controller(q),
    "from_controller": lambda robot, q, v, a: robot.from_controller(q),
    "pose": lambda robot, q, v, a: robot.pose(q),
    "pose of a point": lambda robot, q, v, a: robot.pose(q, "link_2", point=[0.1, 0.2, 0.3]),
    "jacobian": lambda robot, q, v, a: robot.jacobian(q),
    "local jacobian": lambda robot, q, v, a: robot.jacobian(q, axes="local"),
    "hessian": lambda robot, q, v, a: robot.hessian(q),
    "jacobian_rate": lambda robot, q, v, a: robot.jacobian_rate(q, v),
    "local jacobian_rate": lambda robot, q, v, a: robot.jacobian_rate(q, v, axes="local"),
    "singularities": lambda robot, q, v, a: robot.singularities(q)[-1],
    "measures": lambda robot, q, v, a: robot.measures(q),
    "inverse_velocity": lambda robot, q, v, a: robot.inverse_velocity(q, tool_motion(robot, v)),
    "inverse_acceleration": lambda robot, q, v, a: robot.inverse_acceleration(
        q, v, tool_motion(robot, a)
    ),
    "damped_velocity": lambda robot, q, v, a: robot.damped_velocity(q, tool_motion(robot, v)),
    "inverse_kinematics": lambda robot, q, v, a: robot.inverse_kinematics(robot.pose(q)).missing,
}
DYNAMIC = {
    "inverse_dynamics": lambda robot, q, v, a: robot.inverse_dynamics(q, v, a),
    "inverse_dynamics with a wrench": lambda robot, q, v, a: robot.inverse_dynamics(
        q, v, a, wrench={"link_2": LOAD}
    ),
    "forward_dynamics": lambda robot, q, v, a: robot.forward_dynamics(q, v, a),
    "forward_dynamics with a wrench": lambda robot, q, v, a: robot.forward_dynamics(
        q, v, a, wrench=LOAD
    ),
    "torque_parts": lambda robot, q, v, a: robot.torque_parts(q, v, a),
    "mass_matrix": lambda robot, q, v, a: robot.mass_matrix(q),
    "mass_matrix_inverse": lambda robot, q, v, a: robot.mass_matrix_inverse(q),
    "coriolis": lambda robot, q, v, a: robot.coriolis(q, v),
    "gravity": lambda robot, q, v, a: robot.gravity(q),
    "friction": lambda robot, q, v, a: robot.friction(q + v + a),
    "energy": lambda robot, q, v, a: robot.energy(q, v),
    "regressor": lambda robot, q, v, a: robot.regressor(q, v, a),
    "inverse_dynamics_derivatives": lambda robot, q, v, a: robot.inverse_dynamics_derivatives(
        q, v, a
    ),
    "derivatives with a wrench": lambda robot, q, v, a: robot.inverse_dynamics_derivatives(
        q, v, a, wrench=LOAD
    ),
    "forward_dynamics_derivatives": lambda robot, q, v, a: robot.forward_dynamics_derivatives(
        q, v, a
    ),
    "motors": lambda robot, q, v, a: robot.motors.axis_position(robot.motors.position(q))[
        ..., robot.motors.known
    ],
    "motor torques": lambda robot, q, v, a: robot.motors.torque(q)[..., robot.motors.known],
}
ELASTIC = {
    "frequencies": lambda arm, q, v, a: arm.frequencies(q),
    "frequencies, motors held": lambda arm, q, v, a: arm.frequencies(q, "held"),
    "equilibrium": lambda arm, q, v, a: arm.equilibrium(q),
    "energy of a flexible robot": lambda arm, q, v, a: arm.energy(q, v, q + 1e-3, v),
    "forward_dynamics of a flexible robot": lambda arm, q, v, a: arm.forward_dynamics(
        q, v, q + 1e-3, v, a
    ),
    "feedforward": lambda arm, q, v, a: arm.feedforward(q, v, a, v, a),
}
CONSTANT = ("gravity", "many")  # of a SCARA: machine code does not even read q
QUERIES = {**KINEMATIC, **DYNAMIC, **ELASTIC}


def tool_motion(robot, rates):
    """Return twists that go with axis speeds, so that broken speeds give broken twists."""
    return np.concatenate([rates, rates[..., :2]], axis=-1)[..., :6]


def states(robot, count):
    """Return ``q, v, a`` of shape ``(count, n)`` within the ranges, away from singularities."""
    rng = np.random.default_rng(3)
    low, high = robot.limits.envelope()
    q = (low + high) / 2.0 + rng.uniform(0.1, 0.3, (count, robot.n)) * (high - low)
    return [q, *rng.uniform(0.2, 0.8, (2, count, robot.n))]


def results_of(answer, count):
    """Return the arrays of an answer, each with one row per state."""
    arrays = answer if isinstance(answer, tuple) else (answer,)
    return [np.asarray(array, dtype=float).reshape(count, -1) for array in arrays]


def has(name, query):
    """Whether a robot answers a query: motors are asked where a gear ratio is known."""
    return not query.startswith("motor") or irb.load(name).motors.known.any()


@together(
    "name, rows, query",
    [
        (name, rows, query)
        for name, kinds in ARMS.items()
        for rows in kinds
        for query in QUERIES
        if has(name, query)
    ],
)
def test_a_broken_sample_stays_alone(name, rows, query):
    """NaN or infinity in any input of some rows makes no error and no warning, is seen there, and
    changes no other row.
    """
    robot, count = irb.load(name), ROWS[rows]
    robot = robot.with_friction(irb.Stribeck(*(np.full(robot.n, value) for value in LAW)))
    asked = FlexibleRobot(robot, [Drive(2e5, 5.0)] * robot.n) if query in ELASTIC else robot
    given = states(robot, count)
    whole = results_of(QUERIES[query](asked, *given), count)
    for place in range(3):
        spoiled = [array.copy() for array in given]
        for row, value in BROKEN.items():
            spoiled[place][row, 1] = value
        results = results_of(QUERIES[query](asked, *spoiled), count)
        others = np.setdiff1d(np.arange(count), list(BROKEN))
        for result, right in zip(results, whole, strict=True):
            np.testing.assert_allclose(
                result[others], right[others], rtol=1e-12, atol=1e-12 * np.abs(right).max()
            )
        unread = all(
            np.array_equal(result, right) for result, right in zip(results, whole, strict=True)
        )
        assert unread or not any(np.isfinite(np.hstack(results)[list(BROKEN)]).all(axis=1)), place
        assert place or not unread or (query, rows) == CONSTANT
