"""S004's recursion, corrected, against Pinocchio: torques, and what each joint passes on."""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.dynamics.closed_forms import joint_loads
from irbmodels.dynamics.oracles import Chain
from irbmodels.exchange.verify.check import chain_of
from irbmodels.model.dh import DHTable
from irbmodels.model.inertia import Inertial

# of the largest entry: two recursions in double precision differ by some 1e-15 per operation
CLOSE = 1e-11
OPEN = [name for name in oracles.NAMES if not oracles.has_bars(name)]
TILT = (oracles.rotation(0, 0.6) @ oracles.rotation(1, -1.1))[:3, :3]


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    """Compare to ``CLOSE`` times the largest entry."""
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=CLOSE * max(np.abs(expected).max(), 1.0)
    )


@together("name", [*OPEN, "irb1400"])
def test_torques_and_joint_loads_are_pinocchios(name):
    """Every open chain with tool, payload and a tilted stand: forces, moments, and torques of the
    controller's axes.
    """
    parameters = "stretched" if name == "irb1400" else None
    robot = irb.load(name, tool="spindle", parameters=parameters).mounted(TILT)
    robot = robot.with_payload(irb.payload(3.0, [0.03, -0.05, 0.12]))
    robot = robot.with_rotors(np.linspace(0.5, 3.0, robot.n))
    robot = robot.with_drives(np.eye(robot.n) + 0.3 * np.tri(robot.n, k=-1))
    chain, model, (G, q0) = chain_of(robot), robot.model, robot.coupling
    data = model.createData()
    for q, v, a in oracles.states(name, 10):
        found = joint_loads(chain, q, v, a)
        close(found.tau, robot.inverse_dynamics(q, v, a, friction=False))
        pin.rnea(model, data, G @ q + q0, G @ v, G @ a)
        close(found.force, np.array([data.f[i + 1].linear for i in range(robot.n)]))
        close(found.moment, np.array([data.f[i + 1].angular for i in range(robot.n)]))


@pytest.mark.parametrize("pattern", ["RPR", "PRP", "RRP", "PPR", "RPP"])
def test_slides_on_turning_links(pattern):
    """Random chains of revolute and prismatic joints on skew axes, the last coupled to the first:
    Pinocchio's torques.
    """
    rng = np.random.default_rng(sum(map(ord, pattern)))
    slides = np.array([kind == "P" for kind in pattern])
    alpha, a, d, theta = rng.uniform(-1.5, 1.5, (4, 3))
    A = np.eye(3)
    A[2, 0] = -0.7
    table, model = DHTable("modified", alpha, a, d, theta, slides, A, np.eye(4)), pin.Model()
    model.gravity = pin.Motion(np.array([1.0, -2.0, -9.0]), np.zeros(3))
    bodies, parent = [], 0
    for i in range(3):
        offset = oracles.mdh(alpha[i], a[i], d[i], theta[i])  # Rz and Tz of one axis commute
        kind = pin.JointModelPZ() if slides[i] else pin.JointModelRZ()
        parent = model.addJoint(parent, kind, pin.SE3(offset[:3, :3], offset[:3, 3]), f"joint_{i}")
        tensor = np.diag(rng.uniform(1.0, 2.0, 3)) + 0.2
        bodies.append(Inertial.of(rng.uniform(1.0, 9.0), rng.normal(size=3), tensor))
        model.appendBodyToJoint(
            parent,
            pin.Inertia(bodies[-1].mass, np.array(bodies[-1].com), tensor),
            pin.SE3.Identity(),
        )
    groups, gravity = tuple((one,) for one in bodies), np.array([1.0, -2.0, -9.0])
    chain = Chain(table, groups, (), gravity, None, np.zeros(3), np.eye(3), np.eye(4))
    data = model.createData()
    for q, v, acceleration in rng.uniform(-2.0, 2.0, (10, 3, 3)):
        close(
            joint_loads(chain, q, v, acceleration).tau,
            A.T @ pin.rnea(model, data, A @ q, A @ v, A @ acceleration),
        )


def test_the_base_carries_the_weight():
    """At rest the first joint passes on the whole weight, upward."""
    robot = irb.load("irb930")
    found = joint_loads(chain_of(robot), np.zeros(4), np.zeros(4), np.zeros(4))
    mass = sum(
        oracles.inertial(row)[0]
        for link, row in oracles.weighed("irb930_12_105").items()
        if link != "base_link"
    )
    np.testing.assert_allclose(found.force[0], [0.0, 0.0, 9.81 * mass], rtol=1e-12, atol=1e-12)


def test_wrong_input_is_refused():
    """Bars with mass, wrong shapes and NaN are said in one line."""
    with pytest.raises(irb.InputError, match="closed loop"):
        joint_loads(chain_of(irb.load("irb1400")), np.zeros(6), np.zeros(6), np.zeros(6))
    chain, good = chain_of(irb.load("irb930")), np.zeros(4)
    for wrong in (
        (np.zeros(3), good, good),
        (good, np.zeros(5), good),
        (good, good, [0.0, np.nan, 0.0, 0.0]),
    ):
        with pytest.raises(irb.InputError, match=r"needs \(4,\) finite numbers"):
            joint_loads(chain, *wrong)
