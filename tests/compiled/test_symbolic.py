import subprocess
import sys
import time
import warnings
from functools import cache
from pathlib import Path

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from programs import answers, mechanism, reference
from random_trees import random_urdf

import irbmodels as irb
from irbmodels.compiled import queries
from irbmodels.compiled.program import OPERATIONS
from irbmodels.compiled.queries import OF_FRAMES, QUERIES, program_for
from irbmodels.compiled.symbolic import FEW, Dynamics
from irbmodels.errors import UnknownName
from irbmodels.model.mechanism import mechanism_of
from irbmodels.robot.robot import from_urdf_text

# of the largest entry: thousands of roundings of 1e-16 each, and sums that cancel a hundredfold
SAME = 1e-12
TILT = pin.rpy.rpyToMatrix(0.3, -0.5, 0.7)
LOAD = irb.payload(
    7.0, [0.05, -0.03, 0.11], [[0.05, 0.004, -0.003], [0.004, 0.07, 0.006], [-0.003, 0.006, 0.04]]
)
SETS = {
    "irb2400_10": ("obal2025", "obal2025_printed", "jia2018", "cad", "cad_lumped"),
    "irb2400_16": ("obal2025", "obal2025_printed", "jia2018", "cad", "cad_lumped"),
    "irb1400": ("cad", "cad_lumped", "stretched"),
    **dict.fromkeys(
        (name for name in oracles.NAMES if name not in oracles.PARALLELOGRAM), ("cad", "cad_scaled")
    ),
}
WITH_BARS = {"irb2400_10": ("cad",), "irb2400_16": ("cad",), "irb1400": ("cad",)}


@cache
def loaded(name, parameters=None, coupling=None):
    """Return a robot without what its impossible sets warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        return irb.load(name, parameters=parameters, coupling=coupling)


def dressed(robot, seed=0):
    """Return a robot with tool, payload, tilted stand, and rotors that several axes turn."""
    rng = np.random.default_rng(seed)
    rotors, axes = (
        rng.uniform(0.5, 3.0, robot.n),
        np.eye(robot.n) + np.tril(rng.uniform(-0.3, 0.3, (robot.n, robot.n)), -1),
    )
    tcp = pin.SE3(pin.rpy.rpyToMatrix(0.2, 0.4, -0.3), np.array([0.1, -0.05, 0.2]))
    tool = irb.Tool("made", tcp, irb.payload(5.0, [0.02, 0.01, 0.1], np.diag([0.05, 0.06, 0.03])))
    return (
        robot.with_tool(tool).with_payload(LOAD).mounted(TILT).with_rotors(rotors).with_drives(axes)
    )


def states(robot, count=6, seed=0):
    """Return q, v, a ``(3, count, n)``; the first two at rest, the next two creeping through the
    Stribeck speed.
    """
    rng = np.random.default_rng(seed)
    small = np.where(robot.limits.linear, 0.1, 1.0)
    drawn = (
        rng.uniform(-1.0, 1.0, (3, count, robot.n))
        * small
        * np.array([2.5, 2.0, 5.0])[:, None, None]
    )
    drawn[1, :2] = 0.0
    drawn[1, 2] *= 1e-3
    drawn[1, 3] *= 1e-12
    return drawn


def agree(actual, expected, tolerance=SAME, measure=None):
    """Hold every output to the largest entry that it has at any of the states."""
    assert len(actual) == len(expected)
    for (name, ours), theirs in zip(actual.items(), expected, strict=True):
        assert ours.shape == np.shape(theirs), name
        largest = np.abs(theirs).max(initial=0.0) if measure is None else measure
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance * largest, err_msg=name)


# --- the robots


@pytest.mark.parametrize("name", oracles.NAMES)
@together("query", QUERIES)
def test_every_query_of_every_robot_is_the_reference(name, query):
    """With tool, payload, tilted stand and coupled rotors, at rest, creeping and moving, a program
    answers as Pinocchio.
    """
    robot = dressed(loaded(name))
    agree(answers(robot, query, states(robot)), reference(robot, query, states(robot)))


@together(
    "name, parameters, coupling, query",
    [
        (name, parameters, coupling, query)
        for name, sets in SETS.items()
        for parameters in sets
        for coupling in (
            ("serial", "parallelogram") if name in oracles.PARALLELOGRAM else ("serial",)
        )
        if not (coupling == "serial" and parameters in WITH_BARS.get(name, ()))
        for query in ("inverse_dynamics", "mass_matrix", "energy", "regressor", "jacobian")
    ],
)
def test_every_set_and_coupling_is_the_reference(name, parameters, coupling, query):
    """Every set of inertials answers as Pinocchio on the tree that it runs on, bars with mass
    included.
    """
    robot = loaded(name, parameters, coupling)
    agree(
        answers(robot, query, states(robot, seed=1)), reference(robot, query, states(robot, seed=1))
    )


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400", "irb930_12_105"])
@together("query", QUERIES)
def test_far_positions_are_the_reference(name, query):
    """At ten thousand radians answers differ by what the angle's own rounding, 1e4 eps = 2e-12,
    makes of them.
    """
    robot = dressed(loaded(name))
    q, v, a = states(robot, seed=2)
    q = np.where(robot.limits.linear, q, q / 2.5 * 1e4)
    # the slope of a row of products of sines, and M's condition
    tolerance = 50 * 1e4 * np.finfo(float).eps
    agree(
        answers(robot, query, np.stack([q, v, a])),
        reference(robot, query, np.stack([q, v, a])),
        tolerance,
    )


@together("frame", loaded("irb2400").frames)
def test_every_frame_and_point_of_an_arm_with_bars(frame):
    """Frames on carriers, bars and the base answer as Pinocchio, with and without a point fixed to
    them.
    """
    robot = dressed(loaded("irb2400"))
    for point in (None, np.array([0.1, -0.2, 0.3])):
        for query in OF_FRAMES:
            actual, expected = (
                ask(robot, query, states(robot), frame, point) for ask in (answers, reference)
            )
            agree(actual, expected, measure=1.0 + max(np.abs(x).max() for x in expected))


# --- any tree


def tree(seed):
    """Return a random robot; every second one with rotors, every third one on a stand that
    leans.
    """
    robot, rng = from_urdf_text(random_urdf(seed), "random.urdf"), np.random.default_rng(seed)
    if seed % 2:
        robot = robot.with_rotors(rng.uniform(0.5, 1.0, robot.n))
        robot = robot.with_drives(rng.uniform(-1.0, 1.0, (robot.n, robot.n)))
    return robot.with_gravity(rng.normal(size=3) * 9.0) if seed % 3 else robot


@pytest.mark.parametrize("seed", range(8))
def test_every_query_of_random_trees_is_the_reference(seed):
    """Random branches, axes, slides and chained mimics with offsets: every query, a random frame
    and a random point.
    """
    robot, rng = tree(seed), np.random.default_rng(seed)
    drawn, frame, point = (
        rng.uniform(-1.0, 1.0, (3, 4, robot.n)),
        str(rng.choice(robot.frames)),
        rng.normal(size=3),
    )
    condition = np.linalg.cond(robot.mass_matrix(drawn[0])).max()
    effort = np.abs(reference(robot, "inverse_dynamics", drawn)[0]).max()
    for query in QUERIES:
        actual, expected = (ask(robot, query, drawn, frame, point) for ask in (answers, reference))
        # entries that cancel to nothing are as good as 0
        largest = max(1.0, effort, *(np.abs(x).max() for x in expected))
        agree(actual, expected, SAME * (condition if query == "forward_dynamics" else 1.0), largest)


ARMS = {
    "slides under a turn under a slide": [
        ("prismatic", "0 0 1", ""),
        ("revolute", "0 1 0", ""),
        ("prismatic", "1 1 0", ""),
    ],
    "turns under a slide under a turn": [
        ("revolute", "0 0 -1", ""),
        ("prismatic", "0 -1 0", ""),
        ("revolute", "-1 0 0", ""),
    ],
    "slides only": [
        ("prismatic", "1 0 0", ""),
        ("prismatic", "0 1 0", ""),
        ("prismatic", "0 0 1", ""),
    ],
    "leans": [("revolute", "1 1 0", ""), ("revolute", "0 1 -1", ""), ("revolute", "1 -2 3", "")],
    "a gripper": [
        ("revolute", "0 0 1", ""),
        ("prismatic", "0 1 0", ""),
        ("prismatic", "0 -1 0", '<mimic joint="j2"/>'),
    ],
    "a slide that a turn drives": [
        ("revolute", "0 0 1", ""),
        ("prismatic", "1 0 0", '<mimic joint="j1" multiplier="0.2"/>'),
    ],
    "held by a mimic": [
        ("revolute", "0 0 1", ""),
        ("revolute", "0 1 0", '<mimic joint="j1" multiplier="0" offset="0.7"/>'),
    ],
    "backwards": [
        ("revolute", "0 0 1", ""),
        ("revolute", "0 0 1", '<mimic joint="j1" multiplier="-1" offset="-0.3"/>'),
    ],
}
BODY = (
    '<inertial><origin xyz="0.1 0.02 -0.03"/><mass value="2"/>'
    '<inertia ixx=".03" iyy=".04" izz=".05" ixy=".002" ixz=".003" iyz="-.004"/></inertial>'
)


def urdf(joints, massless=(), branch=False, xyz="0.3 0.1 0.2", rpy="0.1 0.2 0.3", base=""):
    """Return a URDF of joints (type, axis, mimic), one on the other, or every one after the first
    on the first.
    """
    text = f'<link name="l0">{base}</link>'
    for i, (kind, axis, mimic) in enumerate(joints, 1):
        below = min(i - 1, 1) if branch else i - 1
        text += f'<link name="l{i}">{"" if i in massless else BODY}</link>'
        text += (
            f'<joint name="j{i}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><parent'
            f' link="l{below}"/><child link="l{i}"/>'
        )
        text += (
            f'<axis xyz="{axis}"/><limit lower="-3" upper="3" effort="1"'
            f' velocity="1"/>{mimic}</joint>'
        )
    return from_urdf_text(f'<robot name="made">{text}</robot>', "made.urdf")


def asked(robot, seed=0, queries=tuple(QUERIES)):
    """Hold every query of a small robot to the reference."""
    drawn = np.random.default_rng(seed).uniform(-1.0, 1.0, (3, 5, robot.n))
    for query in queries:
        expected = reference(robot, query, drawn)
        largest = max(1e-3, *(np.abs(x).max() for x in expected))
        agree(answers(robot, query, drawn), expected, SAME, largest)


@together("branch", [False, True])
@together("arm", ARMS)
def test_turns_and_slides_in_every_order(arm, branch):
    """Slides and turns on one another, along any axis, driven and held by mimics, answer as
    Pinocchio.
    """
    asked(urdf(ARMS[arm], branch=branch))


def test_many_axes_take_the_recursion():
    """Coriolis matrix and derivatives by speed of an arm with more than seven axes."""
    arm = urdf([("revolute", axis, "") for axis in ("0 0 1", "0 1 0", "1 0 0", "0 1 1")] * 2)
    assert arm.n > FEW
    asked(arm, queries=("coriolis", "inverse_dynamics_derivatives"))


@pytest.mark.parametrize("turn", ["0 0 0", "3.141592653589793 0 0"], ids=["along", "against"])
def test_angles_about_parallel_axes_add_up(turn):
    """With offsets of mimics, along and against the axis below, and with a slide between."""
    mimic = '<mimic joint="j1" multiplier="-0.6" offset="-0.3"/>'
    joints = [
        ("revolute", "0 1 0", ""),
        ("revolute", "0 1 0", mimic),
        ("revolute", "0 1 0", ""),
        ("prismatic", "0 1 0", ""),
        ("revolute", "0 -1 0", ""),
    ]
    asked(urdf(joints, rpy=turn))


def test_a_base_with_mass_has_no_energy():
    """Potential energy leaves out what is fixed to the base, as the reference does."""
    joints = ARMS["leans"]
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 5, 3))
    heavy = urdf(joints, base=BODY.replace('"2"', '"50"'))
    agree(answers(heavy, "energy", drawn), reference(heavy, "energy", drawn))
    agree(answers(heavy, "energy", drawn), reference(urdf(joints), "energy", drawn))


def test_a_robot_without_any_mass_needs_no_torque():
    """Where nothing has mass nothing but the kinematics is left."""
    robot = urdf(ARMS["leans"], massless=(1, 2, 3))
    assert mechanism(robot, "inverse_dynamics").joints == ()
    asked(robot, queries=[query for query in QUERIES if query != "forward_dynamics"])


def test_weightlessness_leaves_no_gravity():
    """Without gravity its torque is 0 by structure."""
    robot = urdf(ARMS["leans"]).with_gravity([0.0, 0.0, 0.0])
    assert program_for("gravity", mechanism(robot, "gravity")).count() == 0
    asked(robot)


# --- laws that share no code


@together("name", oracles.NAMES)
def test_torques_are_those_of_the_papers(name):
    """Typed lengths and energies alone, and link-by-link Newton-Euler, give the torque, M, C and
    gravity of the programs.
    """
    robot, arm = loaded(name), oracles.arm(name)
    q, v, a = oracles.states(name, 3, seed=5).transpose(1, 0, 2)
    drawn = np.stack([q, v, a])
    tau = np.stack([oracles.lagrange(arm, *x) for x in zip(q, v, a, strict=True)])
    np.testing.assert_allclose(
        [oracles.newton_euler(arm, *x) for x in zip(q, v, a, strict=True)], tau, atol=1e-10
    )
    if name.startswith("irb2400"):
        tau = tau + np.stack([oracles.friction_2400(x) for x in v])
    agree(answers(robot, "inverse_dynamics", drawn), [tau], 1e-11)  # complex steps keep 1e-13
    agree(
        answers(robot, "mass_matrix", drawn),
        [np.stack([oracles.mass_matrix(arm, x) for x in q])],
        1e-11,
    )
    agree(
        answers(robot, "gravity", drawn),
        [np.stack([oracles.gravity_torque(arm, x) for x in q])],
        1e-11,
        np.abs(tau).max(),
    )
    C = [
        oracles.christoffel(oracles.mass_matrix_slopes(arm, x), y)
        for x, y in zip(q, v, strict=True)
    ]
    agree(answers(robot, "coriolis", drawn), [np.stack(C)], 1e-11)


FULL = {
    "irb2400": lambda: dressed(loaded("irb2400")),
    "irb930": lambda: dressed(loaded("irb930")),
    "tree": lambda: tree(3),
}


@pytest.fixture(params=FULL, scope="module")
def full(request):
    """Return a robot with all that a model can have."""
    return FULL[request.param]()


def test_regressor_times_parameters_is_the_torque(full):
    """``Y @ parameter_vector()`` of one program is the inverse dynamics of another, friction and
    rotors included.
    """
    drawn = states(full)
    Y, tau = answers(full, "regressor", drawn)["Y"], answers(full, "inverse_dynamics", drawn)["tau"]
    agree({"tau": Y @ full.parameter_vector()}, [tau])


def test_mass_matrix_is_symmetric_and_positive_definite(full):
    """Symmetric to the last digits, and every motion has energy."""
    M = answers(full, "mass_matrix", states(full))["M"]
    agree({"M": M}, [M.swapaxes(1, 2)], 1e-15)
    assert np.linalg.eigvalsh(M).min() > 0.0


def test_torque_is_the_sum_of_its_parts(full):
    """``M a + C v + g + F(v)``, each from its own program, is the inverse dynamics."""
    _, v, a = drawn = states(full)
    M, C, c, g, f, tau = (
        next(iter(answers(full, query, drawn).values()))
        for query in (
            "mass_matrix",
            "coriolis",
            "coriolis_torque",
            "gravity",
            "friction",
            "inverse_dynamics",
        )
    )
    turned = np.einsum("kij,kj->ki", C, v)
    np.testing.assert_allclose(turned, c, rtol=0.0, atol=SAME * np.abs(tau).max())
    agree({"tau": np.einsum("kij,kj->ki", M, a) + turned + g + f}, [tau])


def test_forward_dynamics_undoes_inverse_dynamics(full):
    """Accelerations come back from the torques that they take, to the condition of M."""
    q, v, a = drawn = states(full)
    tau = answers(full, "inverse_dynamics", drawn)["tau"]
    condition = np.linalg.cond(full.mass_matrix(q)).max()
    agree(answers(full, "forward_dynamics", np.stack([q, v, tau])), [a], 1e-14 * condition)


def test_kinetic_energy_is_that_of_the_mass_matrix(full):
    """``v' M v / 2``."""
    _, v, _ = drawn = states(full)
    M = answers(full, "mass_matrix", drawn)["M"]
    actual = answers(full, "energy", drawn)["kinetic"]
    agree({"kinetic": actual}, [0.5 * np.einsum("ki,kij,kj->k", v, M, v)])


def differenced(full, query, name, q, v, a, dq, dv, step=1e-5):
    """Return the derivative of an output along a motion, by a central difference."""
    ahead, behind = (
        answers(full, query, np.stack([q + h * dq, v + h * dv, a]))[name] for h in (step, -step)
    )
    return (ahead - behind) / (2.0 * step)


def test_power_changes_energy(full):
    """The work of the torques, less friction's, is the change of energy along any motion."""
    q, v, a = drawn = states(full)
    rate = sum(
        differenced(full, "energy", name, q, v, a, v, a) for name in ("kinetic", "potential")
    )
    tau, f = answers(full, "inverse_dynamics", drawn)["tau"], answers(full, "friction", drawn)["f"]
    # truncation of the difference, 1e-10 of the third rate
    agree({"power": np.einsum("ki,ki->k", tau - f, v)}, [rate], 1e-7)


def test_mass_matrix_changes_as_coriolis_says(full):
    """``dM/dt = C + C'``."""
    q, v, a = drawn = states(full)
    C = answers(full, "coriolis", drawn)["C"]
    agree(
        {"rate": C + C.swapaxes(1, 2)}, [differenced(full, "mass_matrix", "M", q, v, a, v, a)], 1e-7
    )


@together(
    "query, slope, output, name",
    [
        ("pose", "jacobian", "T", "J"),
        ("jacobian", "hessian", "J", "H"),
        ("inverse_dynamics", "inverse_dynamics_derivatives", "tau", "dtau_dq"),
    ],
)
def test_derivatives_are_differences(full, query, slope, output, name):
    """Jacobian, Hessian and the torque's derivative by q are the differences of what they
    derive.
    """
    q, v, a = drawn = states(full)
    direction = np.random.default_rng(7).uniform(-1.0, 1.0, full.n)
    rate = differenced(full, query, output, q, v, a, np.broadcast_to(direction, q.shape), 0.0)
    actual = answers(full, slope, drawn)[name] @ direction
    if query == "pose":
        actual, rate = actual[:, :3], rate[:, :3, 3]
    agree({name: actual}, [rate], 1e-7)


def test_friction_has_the_slope_of_its_continuous_part_at_rest():
    """At ``v = 0`` the torque's derivative by v is Fv alone; a hair beside it, that of the Stribeck
    curve.
    """
    robot = loaded("irb2400").with_gravity([0.0, 0.0, 0.0])
    q, a = np.zeros((2, 3, 6))
    v = np.array([0.0, 1e-4, -1e-4])[:, None] * np.ones(6)
    slopes = np.diagonal(
        answers(robot, "inverse_dynamics_derivatives", np.stack([q, v, a]))["dtau_dv"],
        axis1=1,
        axis2=2,
    )
    np.testing.assert_allclose(slopes[0], robot.friction_model.Fv, rtol=1e-14)
    # Coriolis adds 0.004
    np.testing.assert_allclose(slopes[1:], robot.friction_model.derivative(v[1:]), rtol=1e-3)


def test_nan_stays_in_its_sample():
    """A position that is not a number spoils its own state only."""
    robot = loaded("irb2400")
    drawn = states(robot)
    drawn[0, 2, 1] = np.nan
    tau = answers(robot, "inverse_dynamics", drawn)["tau"]
    assert np.isnan(tau[2]).any()
    assert np.isfinite(np.delete(tau, 2, axis=0)).all()


# --- programs


@together("query", QUERIES)
def test_programs_are_straight_lines_without_waste(full, query):
    """Every step comes after its operands, has a known name, is needed, and is the only one of its
    kind; so is every constant.
    """
    written = program_for(query, mechanism(full, query))
    used = written.uses()
    for number, step in enumerate(written.steps):
        if step.operation in OPERATIONS:
            assert len(step.operands) == OPERATIONS[step.operation]
            assert all(0 <= operand < number for operand in step.operands)
        assert used[number], f"step {number} {step} is of no use"
    assert len(set(written.steps)) == len(written.steps)
    assert {step.operation for step in written.steps} <= {
        *OPERATIONS,
        "input",
        "constant",
        "number",
    }
    assert not any(step.operation == "div" for step in written.steps)
    read = [step.operands[0] for step in written.steps if step.operation == "constant"]
    assert sorted(read) == list(range(len(written.constants)))
    free = list(mechanism(full, query).free)
    # in the order of the free ones
    assert list(written.constants) == [name for name in free if name in written.constants]
    assert written.count() == sum(step.operation in OPERATIONS for step in written.steps)
    assert [name for name, _ in written.inputs] == list(QUERIES[query].inputs)
    assert {length for _, length in written.inputs} == {full.n}


MOST = {
    "inverse_dynamics": 586,
    "forward_dynamics": 975,
    "mass_matrix": 271,
    "coriolis": 998,
    "coriolis_torque": 488,
    "gravity": 89,
    "friction": 60,
    "energy": 263,
    "regressor": 896,
    "inverse_dynamics_derivatives": 2695,
    "pose": 101,
    "jacobian": 146,
    "pose_and_jacobian": 156,
    "hessian": 331,
}


@together("query", MOST)
def test_programs_of_the_2400_stay_cheap(query):
    """With spindle they take no more operations than when their kernels reached their speed."""
    robot = irb.load("irb2400", tool="spindle")
    assert program_for(query, mechanism(robot, query)).count() <= MOST[query]
    if query == "inverse_dynamics":
        assert program_for(query, mechanism_of(robot.dynamic_model, friction=False)).count() <= 523


def test_the_shorter_of_two_formulas_is_written():
    """Gravity by recursion where bars or a tool make that short, else as a gradient."""
    for name, most in (("irb2400", 89), ("irb1400", 34), ("irb1600", 34)):
        assert program_for("gravity", mechanism(irb.load(name), "gravity")).count() <= most
    leaning = urdf([("revolute", "1 1 0", "")] * 6)
    assert program_for("hessian", mechanism(leaning, "hessian", leaning.frames[-1])).count() < 1500


@together("query", [query for query in QUERIES if query != "regressor"])
def test_bars_without_mass_cost_nothing(query):
    """The tree with the parallelogram has the programs of the serial one where its bars weigh
    nothing.
    """
    serial, coupled = (
        loaded("irb2400", "obal2025", coupling) for coupling in ("serial", "parallelogram")
    )
    assert len(coupled.coupling[0]) == 10
    one, other = (program_for(query, mechanism(robot, query)) for robot in (serial, coupled))
    if query in OF_FRAMES:
        assert other.count() <= one.count()
    else:
        assert other == one


def test_robots_of_one_structure_share_their_programs(monkeypatch):
    """Nothing is traced again for another tool, or for the same robot once more."""
    one, other = (
        irb.load("irb2400").with_payload(irb.payload(m, [0.1, 0.02, 0.3])) for m in (3.0, 5.0)
    )
    first = program_for("inverse_dynamics", mechanism(one, "inverse_dynamics"))
    monkeypatch.setattr(Dynamics, "__init__", lambda *_: pytest.fail("traced again"))
    assert program_for("inverse_dynamics", mechanism(other, "inverse_dynamics")) is first


def test_programs_that_are_kept_are_few(monkeypatch):
    """The oldest goes where there are too many."""
    monkeypatch.setattr(queries, "_programs", kept := {})
    monkeypatch.setattr(queries, "KEPT", 3)
    stripped = mechanism(loaded("irb930"), "gravity")
    for query in ("gravity", "friction", "mass_matrix", "energy"):
        program_for(query, stripped)
    assert [query for query, _ in kept] == ["friction", "mass_matrix", "energy"]


def test_programs_are_the_same_in_every_process():
    """Another process with another hash seed writes the same steps in the same order."""
    code = (
        "import irbmodels as irb; from irbmodels.compiled.queries import program_for;from"
        " irbmodels.model.mechanism import mechanism_of; m ="
        " mechanism_of(irb.load('irb2400').dynamic_model, True);print(m.key, [repr(program_for(x,"
        " m)) for x in ('forward_dynamics', 'inverse_dynamics_derivatives')])"
    )
    root = Path(__file__).resolve().parents[2]
    keys = [
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            cwd=root,
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2")
    ]
    assert keys[0] == keys[1]
    stripped = mechanism_of(loaded("irb2400").dynamic_model, True)
    written = [
        repr(program_for(query, stripped))
        for query in ("forward_dynamics", "inverse_dynamics_derivatives")
    ]
    assert keys[0].strip() == f"{stripped.key} {written}"


def test_an_unknown_query_names_the_known_ones():
    """A misspelt query is answered with the nearest name."""
    with pytest.raises(
        UnknownName, match="no query 'inverse_dynamic'; did you mean 'inverse_dynamics'"
    ):
        program_for("inverse_dynamic", mechanism_of(loaded("irb930").dynamic_model))


def test_a_mechanism_without_frame_has_no_pose():
    """Kinematics need a mechanism of ``chain_of``."""
    with pytest.raises(ValueError, match="no frame"):
        program_for("pose", mechanism_of(loaded("irb930").dynamic_model))


def test_wide_trees_are_written_in_seconds():
    """Forty axes on one base: programs grow with what depends on one another, not with the square
    of the axes for every joint.
    """
    robot = urdf([("revolute", "0 1 0", "")] * 40, branch=True)
    start = time.process_time()
    program_for("mass_matrix", mechanism(robot, "mass_matrix"))
    # 0.5 s; much more where every pair of joints touches every entry of M
    assert time.process_time() - start < 5.0
