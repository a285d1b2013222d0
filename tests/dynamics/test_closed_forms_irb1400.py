"""The closed form of axes 1 to 3 of a parallelogram arm against Pinocchio, and its 18 base
parameters.
"""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.dynamics.closed_forms import MainAxes
from irbmodels.dynamics.oracles import Chain
from irbmodels.exchange.verify.check import chain_of
from irbmodels.model.inertia import Inertial

CLOSE = 1e-12  # of the largest entry: sums of a hundred terms in double precision
BODY = (
    4.0,
    np.array([0.03, -0.05, 0.12]),
    np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.03]]),
)
BARS = ("joint_crank", "joint_rod")
MAIN = [0, 1, 2]


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    """Compare to ``CLOSE`` times the largest entry."""
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=CLOSE * max(np.abs(expected).max(), 1.0)
    )


def body(rng: np.random.Generator) -> Inertial:
    """Return a body of random numbers, possible ones."""
    cloud = rng.normal(size=(6, 3)) * 0.2
    tensor = sum(np.eye(3) * (p @ p) - np.outer(p, p) for p in cloud)
    return Inertial.of(rng.uniform(1.0, 40.0), rng.normal(size=3) * 0.2, tensor)


def random_arm(rng: np.random.Generator) -> tuple[Chain, pin.Model, np.ndarray]:
    """Return an IRB 1400 whose links and bars have random inertials: as numbers, and as Pinocchio's
    tree with its G.
    """
    robot = irb.load("irb1400")
    chain, model = chain_of(robot), robot.model
    links = [body(rng) for _ in range(6)]
    bars = tuple(bar._replace(body=body(rng)) for bar in chain.bars)
    assert [bar.parallel_to for bar in bars] == [2, 1]
    for name, one in zip(
        [*(f"joint_{i}" for i in range(1, 7)), *BARS],
        [*links, *(bar.body for bar in bars)],
        strict=True,
    ):
        model.inertias[model.getJointId(name)] = pin.Inertia(
            one.mass, np.array(one.com), np.array(one.tensor)
        )
    return (
        chain._replace(bodies=tuple((one,) for one in links), bars=bars),
        model,
        robot.coupling[0],
    )


@together("seed", range(12))
def test_closed_form_is_pinocchio_on_random_bodies(seed):
    """Five bodies and a wrist with random masses, centres and full tensors: D, C, g and torque,
    wherever the wrist stands.
    """
    rng = np.random.default_rng(seed)
    chain, model, G = random_arm(rng)
    q, v, a = rng.uniform(-np.pi, np.pi, (3, 6))
    v[3:] = a[3:] = 0.0
    data, arm = model.createData(), MainAxes.of(chain, q[3:])
    close(arm.mass_matrix(q[:3]), (G.T @ pin.crba(model, data, G @ q) @ G)[:3, :3])
    close(
        arm.coriolis(q[:3], v[:3]),
        (G.T @ pin.computeCoriolisMatrix(model, data, G @ q, G @ v) @ G)[:3, :3],
    )
    close(arm.gravity(q[:3]), (G.T @ pin.computeGeneralizedGravity(model, data, G @ q))[:3])
    close(
        arm.inverse_dynamics(q[:3], v[:3], a[:3]),
        (G.T @ pin.rnea(model, data, G @ q, G @ v, G @ a))[:3],
    )


@pytest.mark.parametrize(
    ("name", "parameters", "coupling"),
    [
        ("irb1400", "cad", "parallelogram"),
        ("irb1400", "stretched", "serial"),
        ("irb2400_16", "obal2025", "serial"),
        ("irb2400_16", "cad", None),
    ],
)
def test_closed_form_is_the_robot(name, parameters, coupling):
    """Shipped sets, with and without bars: the robot's rows of axes 1 to 3, a tool, a payload and
    rotors included.
    """
    robot = irb.load(name, parameters=parameters, coupling=coupling, tool="spindle").with_payload(
        irb.payload(*BODY)
    )
    robot = robot.with_rotors([8.0, 5.0, 3.0, 0.0, 0.0, 0.0])
    for q, v, a in oracles.states(name, 10):
        v[3:] = a[3:] = 0.0
        arm = MainAxes.of(chain_of(robot), q[3:])
        close(arm.mass_matrix(q[:3]), robot.mass_matrix(q)[:3, :3])
        close(arm.coriolis(q[:3], v[:3]), robot.coriolis(q, v)[:3, :3])
        close(arm.gravity(q[:3]), robot.gravity(q)[:3])
        close(
            arm.inverse_dynamics(q[:3], v[:3], a[:3]),
            robot.inverse_dynamics(q, v, a, friction=False)[:3],
        )


def test_a_hanging_arm_falls_upward():
    """Gravity of a robot on the ceiling has the other sign, and nothing else changes."""
    floor = irb.load("irb1400")
    ceiling = floor.mounted(np.diag([1.0, -1.0, -1.0]))
    q, below, above = (
        np.array([0.3, 0.5, -0.2]),
        MainAxes.of(chain_of(ceiling)),
        MainAxes.of(chain_of(floor)),
    )
    close(below.gravity(q), -above.gravity(q))
    close(below.gravity(q), ceiling.gravity(np.r_[q, 0, 0, 0])[:3])
    assert below._replace(g=9.81) == above


def test_coriolis_is_half_of_what_the_mass_matrix_changes():
    """``dD/dt = C + C'`` by central differences, and ``D`` is symmetric and positive definite."""
    arm, step = MainAxes.of(chain_of(irb.load("irb1400")), [0.2, 0.5, -0.3]), 1e-6
    for state in oracles.states("irb1400", 10):
        q, v = state[0, :3], state[1, :3]
        slope = (arm.mass_matrix(q + step * v) - arm.mass_matrix(q - step * v)) / (2.0 * step)
        C, D = arm.coriolis(q, v), arm.mass_matrix(q)
        # rounding of D, 1e-14, over the step
        np.testing.assert_allclose(C + C.T, slope, rtol=0, atol=1e-7)
        np.testing.assert_array_equal(D, D.T)
        assert np.linalg.eigvalsh(D)[0] > 0.0


def ranks(robot: irb.Robot, rows: list[int], columns: np.ndarray, moving: np.ndarray) -> np.ndarray:
    """Return singular values of the regressor over 60 states, each column scaled to 1, zero columns
    left out.
    """
    Y = np.vstack(
        [
            robot.regressor(q, v * moving, a * moving)[rows][:, columns]
            for q, v, a in oracles.states("irb1400", 60)
        ]
    )
    size = np.linalg.norm(Y, axis=0)
    seen = size > 1e-9 * size.max()  # the others are rounding of columns that are zero
    return np.linalg.svd(Y[:, seen] / size[seen], compute_uv=False)


def of_bodies(robot: irb.Robot, bodies: tuple[str, ...]) -> np.ndarray:
    """Return the columns of the regressor that belong to bodies, named by their joints."""
    names = list(robot.model.names)[1:]
    return np.concatenate([10 * names.index(name) + np.arange(10) for name in bodies])


def test_five_bodies_have_18_base_parameters():
    """Of 50 columns (five bodies, rigid, axes 1 to 3 moving, gravity on, no friction, no rotors) 18
    are independent.
    """
    robot = irb.load("irb1400")
    columns = of_bodies(robot, ("joint_1", "joint_2", "joint_3", *BARS))
    values = ranks(robot, MAIN, columns, np.array([1.0, 1, 1, 0, 0, 0]))
    assert len(columns) == 50
    assert values[17] / values[0] > 1e-3  # 0.07, then 1e-15
    assert values[18] / values[0] < 1e-14
    assert len(MainAxes._fields) - len(("l1x", "g")) == 18


def test_six_axes_have_39_base_parameters():
    """Of 80 columns (links 1 to 6, crank and rod; six axes, gravity on, no friction, no rotors) 39
    are independent.
    """
    robot = irb.load("irb1400")
    columns = of_bodies(robot, (*(f"joint_{i}" for i in range(1, 7)), *BARS))
    values = ranks(robot, list(range(6)), columns, np.ones(6))
    assert len(columns) == 80
    assert values[38] / values[0] > 1e-4
    assert values[39] / values[0] < 1e-14


def test_every_base_parameter_counts():
    """The torque is linear in the 18 fields, and no one of them can be had from the others."""
    arm = MainAxes.of(chain_of(irb.load("irb1400")))
    names, nothing = MainAxes._fields[2:], arm._replace(**dict.fromkeys(MainAxes._fields[2:], 0.0))
    parts = [nothing._replace(**{name: 1.0}) for name in names]
    rows = []
    for state in oracles.states("irb1400", 30):
        q, v, a = state[:, :3]
        rows.append(np.column_stack([part.inverse_dynamics(q, v, a) for part in parts]))
        close(rows[-1] @ np.array(arm[2:]), arm.inverse_dynamics(q, v, a))
    assert np.linalg.matrix_rank(np.vstack(rows), tol=1e-6) == 18


def test_rotors_hide_in_three_base_parameters():
    """Rotors of axes 1 to 3 add to column, d22 and d33 alone: no motion tells them from the
    arms.
    """
    robot = irb.load("irb1400").with_rotors([2.0, 5.0, 3.0, 1.0, 1.0, 1.0])
    robot = robot.with_drives(np.diag([2.0, 1, 1, 1, 1, 1]))
    bare, full = MainAxes.of(chain_of(irb.load("irb1400"))), MainAxes.of(chain_of(robot))
    added = {
        name: new - old
        for name, old, new in zip(MainAxes._fields, bare, full, strict=True)
        if new != old
    }
    assert added == pytest.approx({"column": 8.0, "d22": 5.0, "d33": 3.0})


@pytest.mark.parametrize("name", ["irb1600", "irb930"])
def test_other_arms_are_refused(name):
    """An open chain and a SCARA have another closed form."""
    with pytest.raises(irb.InputError, match="arm with a parallelogram"):
        MainAxes.of(chain_of(irb.load(name)))


@pytest.mark.parametrize(
    ("column", "row"), [("alpha", 2), ("theta", 1), ("a", 0), ("d", 1), ("d", 2)]
)
def test_another_geometry_is_refused(column, row):
    """A coupled arm whose first three axes stand otherwise would get wrong numbers."""
    chain = chain_of(irb.load("irb1400"))
    changed = getattr(chain.table, column) + 0.1 * np.eye(6)[row]
    with pytest.raises(irb.InputError, match="arm with a parallelogram"):
        MainAxes.of(chain._replace(table=chain.table._replace(**{column: changed})))


def test_wrong_input_is_refused():
    """Askew mounting, a rotor turned by two axes, wrong shapes and NaN are said in one line."""
    robot = irb.load("irb1400")
    chain = chain_of(robot)
    with pytest.raises(irb.InputError, match="floor or a ceiling"):
        MainAxes.of(chain_of(robot.mounted(oracles.rotation(0, 0.3)[:3, :3])))
    turned = np.eye(6)
    turned[2, 1] = -1.0
    with pytest.raises(irb.InputError, match="one rotor for each"):
        MainAxes.of(chain._replace(rotors=np.ones(6), drive_axes=turned))
    with pytest.raises(irb.InputError, match="positions of the wrist"):
        MainAxes.of(chain, [0.0, 0.0])
    arm, good = MainAxes.of(chain), np.zeros(3)
    for call in (
        lambda: arm.mass_matrix(np.zeros(6)),
        lambda: arm.coriolis(good, [0.0, np.nan, 0.0]),
        lambda: arm.coriolis(np.zeros(6), good),
        lambda: arm.gravity([0.0, np.inf, 0.0]),
        lambda: arm.inverse_dynamics(good, good, np.zeros(6)),
        lambda: arm.inverse_dynamics(good, np.zeros(6), good),
    ):
        with pytest.raises(irb.InputError, match=r"of axes 1 to 3 needs \(3,\) finite numbers"):
            call()
