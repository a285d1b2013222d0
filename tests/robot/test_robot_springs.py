"""Springs in every query of a robot, by Pinocchio and by kernels, and in what is written of it."""

import shutil
import subprocess
from dataclasses import replace

import casadi
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.compiled.queries import mechanism_for, program_for
from irbmodels.exchange.c.codegen import write_c
from irbmodels.exchange.equations.equations import equations_text
from irbmodels.model.mechanism import mechanism_of
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.robot.queries import reference

SPRINGS = (
    irb.CoilSpring(2, before=(-0.35, -0.3), after=(0.3, 0.05), length=0.3, F0=2e3, k=3e3),
    irb.GasSpring(
        3, before=(-0.02, -0.8), after=(0.2, 0.0), length=0.6, F0=3e3, column=0.58, exponent=1.0
    ),
    irb.GasSpring(
        5, before=(-0.1, 0.5), after=(0.2, 0.1), length=0.6, F0=-300.0, column=-1.0, exponent=1.4
    ),
    irb.TorqueOffset(4, 1.5),
    irb.TorsionSpring(6, 20.0, 0.3),
    irb.TorqueOffset(2, -3.0),
)
QUERIES = {
    "inverse_dynamics": "qva",
    "forward_dynamics": "qvt",
    "gravity": "q",
    "coriolis_torque": "qv",
    "energy": "qv",
    "regressor": "qva",
    "inverse_dynamics_derivatives": "qva",
}


@pytest.fixture(scope="module", params=["serial", "parallelogram"])
def robot(request):
    """A robot with rotors, a tool, and springs of all kinds."""
    bare = irb.load("irb2400", "spindle", coupling=request.param)
    return bare.with_rotors([1.0, 2.0, 2.0, 0.2, 0.1, 0.1]).with_springs(SPRINGS)


@pytest.fixture(scope="module")
def state():
    """Positions, speeds, accelerations and torques of five states."""
    rng = np.random.default_rng(1)
    q, v, a = (scale * rng.normal(size=(5, 6)) for scale in (0.4, 1.0, 2.0))
    return {"q": q, "v": v, "a": a, "t": 100.0 * rng.normal(size=(5, 6))}


def by_hand(q):
    """Torque of the springs from pivots in the plane, without their class."""
    total = np.zeros(6)
    for spring in SPRINGS:
        angle, i = q[spring.axis - 1], spring.axis - 1
        if isinstance(spring, irb.TorqueOffset):
            total[i] += spring.offset
        elif isinstance(spring, irb.TorsionSpring):
            total[i] += spring.k * (angle - spring.rest)
        else:
            outer = complex(*spring.after) * np.exp(1j * angle)
            line = outer - complex(*spring.before)
            stroke = abs(line) - spring.length
            if isinstance(spring, irb.CoilSpring):
                force = spring.F0 + spring.k * stroke
            else:
                force = spring.F0 * (spring.column / (spring.column - stroke)) ** spring.exponent
            total[i] += force * (line.conjugate() * 1j * outer).real / abs(line)
    return total


def test_springs_add_their_torque(robot, state):
    """Gravity and inverse dynamics differ by the springs from those without, Coriolis does not;
    what accelerates the arm is less by them.
    """
    plain = robot.with_springs(None)
    assert plain.springs == ()
    assert robot.springs == SPRINGS
    for q, v, a in zip(*(state[name] for name in "qva"), strict=True):
        torque = by_hand(q)
        assert np.abs(torque[[1, 2, 4]]).min() > 1.0
        np.testing.assert_allclose(robot.gravity(q) - plain.gravity(q), torque, atol=1e-10)
        tau = robot.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(tau - plain.inverse_dynamics(q, v, a), torque, atol=1e-10)
        np.testing.assert_array_equal(robot.coriolis(q, v), plain.coriolis(q, v))
        np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-9)
        parts = robot.torque_parts(q, v, a)
        np.testing.assert_allclose(parts.gravity, robot.gravity(q), atol=1e-12)
        np.testing.assert_allclose(parts.total, tau, atol=1e-10)


def test_articulated_body_algorithm_has_them_too(state):
    """Without rotors accelerations come from another algorithm."""
    robot = irb.load("irb2400", coupling="serial").with_springs(SPRINGS[:1])
    q, v, a = (state[name][0] for name in "qva")
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-9)


def test_gravity_is_the_slope_of_the_potential_energy(robot, state):
    """By central differences of 1e-5 rad, right to 1e-7 N m of some 1000."""
    h, rest = 1e-5, np.zeros(6)
    for q in state["q"]:
        slope = [
            (robot.energy(q + step, rest).potential - robot.energy(q - step, rest).potential)
            / (2.0 * h)
            for step in h * np.eye(6)
        ]
        np.testing.assert_allclose(robot.gravity(q), slope, atol=1e-6)


def test_derivatives_by_position(robot, state):
    """By central differences of the torques."""
    h = 1e-6
    q, v, a = (state[name][0] for name in "qva")
    slopes = robot.inverse_dynamics_derivatives(q, v, a)
    numeric = [
        (robot.inverse_dynamics(q + step, v, a) - robot.inverse_dynamics(q - step, v, a))
        / (2.0 * h)
        for step in h * np.eye(6)
    ]
    np.testing.assert_allclose(slopes.q, np.transpose(numeric), atol=1e-4)


def test_regressors_have_columns_for_the_coefficients(robot, state):
    """Their products with the parameters are torque and energies; the last columns are the
    springs', and their parameters the numbers that were given.
    """
    parameters = robot.parameter_vector()
    coefficients = [2e3, 3e3, 3e3, -300.0, 1.5, 20.0, -3.0]
    assert parameters[-7:].tolist() == coefficients
    for q, v, a in zip(*(state[name] for name in "qva"), strict=True):
        Y = robot.regressor(q, v, a)
        np.testing.assert_allclose(Y @ parameters, robot.inverse_dynamics(q, v, a), atol=1e-9)
        np.testing.assert_allclose(Y[:, -7:] @ coefficients, by_hand(q), atol=1e-10)
        kinetic, potential = robot.energy_regressor(q, v)
        energy = robot.energy(q, v)
        assert kinetic @ parameters == pytest.approx(energy.kinetic, abs=1e-9)
        assert potential @ parameters == pytest.approx(energy.potential, abs=1e-8)


def test_base_parameters_count_them(robot):
    """All are parameters but the second offset of no other axis; asked for only where told."""
    without = base_parameters(robot, friction=True)
    both = base_parameters(robot, friction=True, springs=True)
    assert both.names[: without.rank] == without.names
    added = [name.split(" ")[0] for name in both.names[without.rank :]]
    assert added == [
        *("F0_spring_2", "k_spring_2", "F0_gas_3", "F0_gas_5", "offset_4", "k_torsion_6"),
        "offset_2",
    ]
    assert both.units[-2:] == ("N m/rad", "N m")
    assert both.values(robot.parameter_vector()).shape == (both.rank,)


def test_a_spring_that_looks_like_weight_is_no_parameter_of_its_own():
    """A coil from straight above a vertical link's axis with no free length, ``F = k L``, has the
    torque ``k R r sin q``; the weight of the only link has it too, and they are one sum.
    """
    text = """<robot name="arm"><link name="base"/><link name="arm"><inertial>
    <origin xyz="0.5 0 0"/><mass value="4"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"
    iyz="0"/></inertial></link><joint name="turn" type="revolute"><parent link="base"/><child
    link="arm"/><axis xyz="0 1 0"/><limit lower="-1" upper="1" effort="9" velocity="9"/></joint>
    </robot>"""
    from irbmodels.robot.robot import from_urdf_text

    arm = from_urdf_text(text, "arm.urdf")
    coil = irb.CoilSpring(1, before=(-0.5, 0.0), after=(0.0, 0.3), length=0.0, F0=0.0, k=500.0)
    base = base_parameters(arm.with_springs([coil]), springs=True)
    assert [name for name in base.names if name.startswith("k_spring")] == []
    assert any("k_spring_1" in name for name in base.names)


@pytest.mark.parametrize("query", QUERIES)
def test_kernels_agree(robot, state, query):
    """Machine code of every query that springs touch, and the answers for one state."""
    kernels = robot.compiled()
    given = [state[name] for name in QUERIES[query]]
    answers = reference(query, robot.dynamic_model)
    expected = [answers(*row) for row in zip(*given, strict=True)]
    results = getattr(kernels, query)(*(x.T.copy() for x in given))
    results = results if isinstance(results, tuple) else (results,)
    for k, result in enumerate(results):
        wanted = np.moveaxis(np.array([row[k] for row in expected]), 0, -1)
        scale = max(1.0, np.abs(wanted).max())
        np.testing.assert_allclose(np.asarray(result), wanted, rtol=0, atol=1e-11 * scale)


@pytest.mark.parametrize("parameters", [False, True])
def test_casadi_functions_agree(robot, state, parameters):
    """With the numbers inside, and with the parameters as an input."""
    q, v, a = (state[name][0] for name in "qva")
    given = [q, v, a, robot.parameter_vector()] if parameters else [q, v, a]
    function = robot.symbolic("inverse_dynamics", parameters=parameters)
    tau = np.array(casadi.DM(function(*given))).ravel()
    np.testing.assert_allclose(tau, robot.inverse_dynamics(q, v, a), atol=1e-9)


@pytest.mark.parametrize("query", QUERIES)
def test_programs_without_springs_are_the_same(query):
    """Coefficients of 0 fold away, and with them every step: the program is that of a robot
    without springs. The regressor keeps columns.
    """
    plain = irb.load("irb2400").with_rotors([1.0, 2.0, 2.0, 0.2, 0.1, 0.1])
    none = plain.with_springs(
        [spring.with_values(0.0 * spring.values) for spring in (*SPRINGS[:1], *SPRINGS[3:])]
    )
    one, other = (
        program_for(query, mechanism_for(query, robot.dynamic_model)) for robot in (plain, none)
    )
    assert (one == other) == (query != "regressor")
    sprung = plain.with_springs(SPRINGS)
    assert mechanism_of(sprung.dynamic_model).key != mechanism_of(plain.dynamic_model).key


def test_robots_of_one_structure_share_programs():
    """Other numbers, the same program; another axis or kind, another one."""
    bare = irb.load("irb2400")
    keys = [
        mechanism_of(bare.with_springs([spring]).dynamic_model).key
        for spring in (
            irb.TorsionSpring(2, 5.0, 0.1),
            irb.TorsionSpring(2, 7.0, 0.2),
            irb.TorsionSpring(3, 5.0, 0.1),
            irb.TorqueOffset(2, 5.0),
        )
    ]
    assert keys[0] == keys[1]
    assert len(set(keys)) == 3


def test_c_code_agrees_with_its_own_test(tmp_path):
    """The self-test compares the C functions with Pinocchio's answers; constants of springs are
    explained.
    """
    if shutil.which("gcc") is None:
        pytest.skip("needs gcc")
    robot = irb.load("irb2400").with_springs(SPRINGS)
    what = ["inverse_dynamics", "forward_dynamics", "energy", "regressor"]
    write_c(robot, tmp_path, what)
    name = "irb2400_16"
    text = (tmp_path / f"{name}.c").read_text()
    assert "logarithm" in text
    assert "stiffness of spring 1 (axis 2)" in text
    subprocess.run(
        [
            "gcc",
            "-std=c99",
            "-O1",
            "-Wall",
            "-Werror",
            f"{name}.c",
            f"{name}_selftest.c",
            "-o",
            "t",
        ],
        cwd=tmp_path,
        check=True,
    )
    done = subprocess.run([tmp_path / "t"], capture_output=True, text=True)
    assert done.returncode == 0, done.stdout


def test_equations_name_them():
    """The constants of a spring stand above the equations with their meaning."""
    robot = irb.load("irb2400").with_springs(SPRINGS[:2])
    for fmt in ("sympy", "latex", "matlab"):
        text = equations_text(robot, "gravity", fmt)
        assert "force F0 of spring 2 (axis 3)" in text
        assert "sqrt" in text


def test_choices_keep_their_springs():
    """Springs stay with a tool, gravity and friction; the text of a robot says which axes have
    them; a wrong one is refused.
    """
    robot = irb.load("irb2400").with_springs(SPRINGS[3:5])
    for other in (
        robot.with_tool("spindle"),
        robot.with_gravity([0, 0, 0]),
        robot.with_friction(None),
    ):
        assert other.springs == SPRINGS[3:5]
    assert "springs of axis 4, 6" in repr(robot)
    assert "spring" not in repr(irb.load("irb2400"))
    with pytest.raises(irb.InputError, match="TorqueOffset of axis 7: the robot has 6 axes"):
        robot.with_springs([irb.TorqueOffset(7, 1.0)])


def test_reactions_are_those_of_all_that_acts_across_a_joint(state):
    """What passes a joint keeps the bodies behind it moving, whoever exerts it: springs change
    nothing; the moment about an axis is the torque of motor and spring without friction.
    """
    robot = irb.load("irb2400").with_springs(SPRINGS)
    q, v, a = (state[name][0] for name in "qva")
    with_springs, without = (
        one.reactions(q, v, a).joints for one in (robot, robot.with_springs(None))
    )
    for name, wrench in with_springs.items():
        np.testing.assert_array_equal(wrench, without[name])


def test_load_dependent_friction_bears_springs():
    """``mu |g|`` is of the static torque of drives with springs: by Pinocchio, in machine code, in
    slopes and in the regressor.
    """
    bare = irb.load("irb2400")
    turns = np.eye(6)
    turns[5, 4] = 0.3
    law = replace(bare.friction_model, mu=np.full(6, 0.05))
    robot = bare.with_friction(law).with_drives(turns).with_springs(SPRINGS)
    rng = np.random.default_rng(4)
    q, v, a = (scale * rng.normal(size=(1200, 6)) for scale in (0.4, 1.0, 2.0))
    fast = robot.inverse_dynamics(q, v, a)
    for i in range(3):
        load = np.linalg.solve(turns.T, bare.gravity(q[i]) + by_hand(q[i]))
        speed = turns @ v[i]
        dry = replace(law, mu=np.zeros(6)).torque(speed)
        friction = turns.T @ (dry + 0.05 * np.abs(load) * np.sign(speed))
        rigid = bare.inverse_dynamics(q[i], v[i], a[i], friction=False) + by_hand(q[i])
        np.testing.assert_allclose(robot.inverse_dynamics(q[i], v[i], a[i]), rigid + friction)
        np.testing.assert_allclose(fast[i], rigid + friction)
        Y = robot.regressor(q[i], v[i], a[i])
        np.testing.assert_allclose(Y @ robot.parameter_vector(), rigid + friction, atol=1e-9)
    h = 1e-6
    numeric = [
        (
            robot.inverse_dynamics(q[0] + x, v[0], a[0])
            - robot.inverse_dynamics(q[0] - x, v[0], a[0])
        )
        / (2.0 * h)
        for x in h * np.eye(6)
    ]
    slopes = robot.inverse_dynamics_derivatives(q[0], v[0], a[0])
    np.testing.assert_allclose(slopes.q, np.transpose(numeric), atol=1e-4)
