"""from_urdf on trees nobody designed: random joints, random chained mimics, against a model with
constraint forces.
"""

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from random_trees import random_urdf

import irbmodels as irb


def constrained(text):
    """Return the free model, and rows ``A`` with ``A q_free = b`` read from the mimic tags one by
    one, chains unresolved.
    """
    from xml.etree import ElementTree

    root = ElementTree.fromstring(text)
    for joint in root.iterfind("joint"):
        if joint.get("type") == "continuous":
            joint.set("type", "revolute")
    model = pin.buildModelFromXML(ElementTree.tostring(root, encoding="unicode"))
    rows, offsets = [], []
    for joint in root.iterfind("joint"):
        tag = joint.find("mimic")
        if tag is not None:
            row = np.zeros(model.nq)
            row[model.joints[model.getJointId(joint.get("name"))].idx_q] = 1.0
            row[model.joints[model.getJointId(tag.get("joint"))].idx_q] -= float(
                tag.get("multiplier")
            )
            rows.append(row)
            offsets.append(float(tag.get("offset")))
    return model, np.array(rows).reshape(-1, model.nq), np.array(offsets)


@pytest.fixture
def loaded(tmp_path):
    def load(seed):
        path = tmp_path / f"{seed}.urdf"
        path.write_text(random_urdf(seed))
        return irb.from_urdf(path), *constrained(path.read_text())

    return load


@together("seed", range(60))
def test_dynamics_equal_the_model_with_constraint_forces(loaded, seed):
    """Accelerations, torques, energy and TCP of the reduced robot are those of the free tree held
    by constraint forces.
    """
    robot, model, A, b = loaded(seed)
    rng, data = np.random.default_rng(seed), model.createData()
    q, v, tau = rng.uniform(-1.0, 1.0, (3, robot.n))
    G, q0 = robot.coupling
    tree_q, tree_v = G @ q + q0, G @ v
    np.testing.assert_allclose(A @ tree_q, b, atol=1e-12)  # every mimic holds, one by one
    np.testing.assert_allclose(A @ tree_v, 0.0, atol=1e-12)
    actuated = np.array(
        [list(model.names).index(name) - 1 for name in robot.dynamic_model.tree.coupling.axes]
    )
    pushed = np.zeros(model.nv)
    pushed[actuated] = tau
    M, h = pin.crba(model, data, tree_q), pin.nonLinearEffects(model, data, tree_q, tree_v)
    free, held = model.nv, len(A)
    system = np.block([[M, -A.T], [A, np.zeros((held, held))]])
    solved = np.linalg.solve(system, np.r_[pushed - h, np.zeros(held)])
    a = robot.forward_dynamics(q, v, tau, friction=False)
    size = max(np.abs(solved[:free]).max(), 1.0)
    # condition of M up to 1e4 here
    np.testing.assert_allclose(G @ a, solved[:free], atol=1e-9 * size)
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a, friction=False),
        tau,
        atol=1e-9 * max(np.abs(tau).max(), 1.0),
    )
    assert robot.energy(q, v).kinetic == pytest.approx(0.5 * tree_v @ M @ tree_v, rel=1e-10)


@together("seed", range(60, 80))
def test_the_whole_query_set_answers(loaded, seed):
    """Jacobian, Hessian, derivatives, regressors, reactions: each consistent with the others on the
    same random tree.
    """
    robot, *_ = loaded(seed)
    rng, h = np.random.default_rng(seed), 1e-6
    q, v, a = rng.uniform(-1.0, 1.0, (3, robot.n))
    ahead, behind = robot.pose(q + h * v), robot.pose(q - h * v)
    np.testing.assert_allclose(
        (ahead.translation - behind.translation) / (2 * h), (robot.jacobian(q) @ v)[:3], atol=1e-7
    )
    rate = (robot.jacobian(q + h * v) - robot.jacobian(q - h * v)) / (2 * h)
    np.testing.assert_allclose(robot.jacobian_rate(q, v), rate, atol=1e-6)
    tau = robot.inverse_dynamics(q, v, a, friction=False)
    M, C = robot.mass_matrix(q), robot.coriolis(q, v)
    size = max(np.abs(tau).max(), 1.0)
    np.testing.assert_allclose(M @ a + C @ v + robot.gravity(q), tau, atol=1e-10 * size)
    np.testing.assert_allclose(
        robot.regressor(q, v, a) @ robot.parameter_vector(), tau, atol=1e-9 * size
    )
    slope = (robot.mass_matrix(q + h * v) - robot.mass_matrix(q - h * v)) / (2 * h)
    np.testing.assert_allclose(slope, C + C.T, atol=1e-6 * np.abs(M).max())
    derivative = robot.inverse_dynamics_derivatives(q, v, a, friction=False)
    step = robot.inverse_dynamics(q + h * a, v, a, friction=False) - robot.inverse_dynamics(
        q - h * a, v, a, friction=False
    )
    np.testing.assert_allclose(derivative.q @ a, step / (2 * h), atol=1e-6 * size)
    rows, energy = robot.energy_regressor(q, v), robot.energy(q, v)
    assert rows.kinetic @ robot.parameter_vector() == pytest.approx(energy.kinetic, rel=1e-9)
    assert np.isfinite(np.concatenate(list(robot.reactions(q, v, a).joints.values()))).all()
