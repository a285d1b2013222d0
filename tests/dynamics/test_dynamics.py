"""Torques, mass matrix, Coriolis, gravity, energy and regressor against Newton-Euler and Lagrange
in plain numpy.
"""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb

# of the largest entry: two recursions in double precision differ by some 1e-15 per operation
CLOSE = 1e-11
DIFFERENCED = 1e-7  # of the largest entry: central differences with a step of 1e-5 or 1e-6
BODY = (
    4.0,
    np.array([0.03, -0.05, 0.12]),
    np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.03]]),
)
TILT = (oracles.rotation(0, 0.6) @ oracles.rotation(1, -1.1) @ oracles.rotation(2, 0.4))[:3, :3]
WRENCH = np.array([120.0, -80.0, 60.0, 7.0, -5.0, 3.0])  # [N, N m]
SETS = [
    (name, chosen)
    for name in oracles.NAMES
    for chosen, entry in oracles.inertials(name)["sets"].items()
    if "impossible" not in entry
]
OPEN = [
    (name, chosen)
    for name, chosen in SETS
    if name in oracles.PARALLELOGRAM and not oracles.has_bars(name, chosen)
]
SEVERAL = {
    "irb2400_16": ("obal2025", "cad", "cad_lumped"),
    "irb1400": ("cad", "cad_lumped", "stretched"),
}
TREES = [
    (name, coupling, chosen)
    for name in oracles.NAMES
    for coupling in irb.describe(name).couplings
    for chosen in SEVERAL.get(name, (oracles.inertials(name)["default"],))
    if coupling == "parallelogram" or not oracles.has_bars(name, chosen)
]


def close(actual, expected, tolerance=CLOSE):
    """Compare to ``tolerance`` times the largest entry."""
    expected = np.asarray(expected)
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=tolerance * max(np.abs(expected).max(), 1e-12)
    )


def laden(
    name: str, coupling: str | None = None, parameters: str | None = None
) -> tuple[irb.Robot, oracles.Arm]:
    """Return a robot with the spindle and a payload, and its oracle."""
    robot = irb.load(name, tool="spindle", parameters=parameters, coupling=coupling).with_payload(
        irb.payload(*BODY)
    )
    arm = oracles.carrying(oracles.arm(name, parameters), *oracles.SPINDLE, oracles.SPINDLE_TCP)
    return robot, oracles.carrying(arm, *BODY)


@together("name, coupling, parameters", TREES)
def test_inverse_dynamics_is_newton_euler(name, coupling, parameters):
    """Bare robot, both trees: torques are those of the link-by-link recursion, projected to the
    controller's axes.
    """
    robot, arm = (
        irb.load(name, coupling=coupling, parameters=parameters),
        oracles.arm(name, parameters),
    )
    for q, v, a in oracles.states(name, 10):
        close(robot.inverse_dynamics(q, v, a, friction=False), oracles.newton_euler(arm, q, v, a))


@together("name, parameters", SETS)
def test_inverse_dynamics_of_every_set(name, parameters):
    robot, arm = irb.load(name, parameters=parameters), oracles.arm(name, parameters)
    for q, v, a in oracles.states(name, 5, seed=1):
        close(robot.inverse_dynamics(q, v, a, friction=False), oracles.newton_euler(arm, q, v, a))


@together("name, coupling, parameters", TREES)
def test_inverse_dynamics_with_everything_at_once(name, coupling, parameters):
    """Tool, payload, tilted stand, rotors and a wrench at the TCP: tau = M a + h + J_rotor a - J'
    w.
    """
    robot, arm = laden(name, coupling, parameters)
    rotors = np.linspace(0.5, 3.0, robot.n)
    robot = robot.mounted(TILT).with_rotors(rotors)
    for q, v, a in oracles.states(name, 5, seed=2):
        expected = oracles.newton_euler(arm, q, v, a, TILT.T @ oracles.GRAVITY, WRENCH) + rotors * a
        close(robot.inverse_dynamics(q, v, a, friction=False, wrench=WRENCH), expected)


@together("name", oracles.NAMES)
def test_inverse_dynamics_is_lagrange(name):
    """With tool and payload, torques follow from kinetic and potential energy alone."""
    robot, arm = laden(name)
    for q, v, a in oracles.states(name, 3, seed=3):
        close(robot.inverse_dynamics(q, v, a, friction=False), oracles.lagrange(arm, q, v, a))


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_bars_with_mass_move_as_the_linkage_says(name, copied):
    """A crank and a rod with mass add the torques of two more bodies, the crank turning by q3 and
    the rod by q2.
    """
    source, chosen = ("rest", "obal2025") if "2400" in name else ("stretched", "stretched")
    crank = (
        "mass_kg: 11, com_mm: [5, -90, -130], inertia_kg_m2: {xx: 0.2, yy: 0.1, zz: 0.25, xy: 0.01,"
        " xz: 0.02, yz: -0.01}"
    )
    rod = (
        "mass_kg: 7, com_mm: [340, 4, -130], inertia_kg_m2: {xx: 0.05, yy: 0.35, zz: 0.33, xy:"
        " 0.004, xz: -0.01, yz: 0.002}"
    )
    rows = (
        f"      {link}: {{{body}, source: {source}}}\n"
        for link, body in (("link_crank", crank), ("link_rod", rod))
    )
    bars = "".join(rows)
    about = oracles.inertials(name)["sets"][chosen]["about"] + '"\n    links:\n'
    folder = copied(oracles.FAMILY[name], "inertials.yaml", about, about + bars)
    robot, arm = irb.load(folder / name, parameters=chosen), oracles.arm(name, chosen, folder)
    assert robot.coupling[0].shape == (10, 6)
    for q, v, a in oracles.states(name, 5, seed=4):
        close(robot.inverse_dynamics(q, v, a, friction=False), oracles.newton_euler(arm, q, v, a))
        close(robot.mass_matrix(q), oracles.mass_matrix(arm, q))
        close(
            robot.forward_dynamics(
                q, v, robot.inverse_dynamics(q, v, a, friction=False), friction=False
            ),
            a,
            1e-9,
        )
    with pytest.raises(irb.InputError, match="bars with mass"):
        irb.load(folder / name, parameters=chosen, coupling="serial")


@together("name", oracles.NAMES)
def test_mass_matrix_is_the_one_of_the_kinetic_energy(name):
    """M = sum m Jv' Jv + Jw' I Jw (S000 eq. 50), with tool and payload."""
    robot, arm = laden(name)
    for q, _, _ in oracles.states(name, 5, seed=5):
        close(robot.mass_matrix(q), oracles.mass_matrix(arm, q))


@together("name, coupling, parameters", TREES)
def test_mass_matrix_is_symmetric_and_positive_definite(name, coupling, parameters):
    """Kinetic energy of any motion is positive."""
    robot = irb.load(name, coupling=coupling, parameters=parameters)
    for q, _, _ in oracles.states(name, 20, seed=6):
        M = robot.mass_matrix(q)
        close(M, M.T, 1e-14)
        # [kg m^2] axis 6 of the irb1600 turns 1.4e-5 without a tool
        assert np.linalg.eigvalsh(M)[0] > 1e-5


@together("name, coupling, parameters", TREES)
def test_mass_matrix_columns_are_torques_of_unit_accelerations(name, coupling, parameters):
    """Column i of M is the torque that accelerates axis i alone, from rest and without gravity;
    rotors included.
    """
    robot = irb.load(name, coupling=coupling, parameters=parameters).with_gravity([0, 0, 0])
    robot = robot.with_rotors(np.linspace(1, 2, robot.n))
    (q, _, _), still = oracles.states(name, 1, seed=7)[0], np.zeros(robot.n)
    columns = [robot.inverse_dynamics(q, still, unit, friction=False) for unit in np.eye(robot.n)]
    close(robot.mass_matrix(q), np.array(columns).T)


@together("name, coupling, parameters", TREES)
def test_coriolis_is_the_matrix_of_christoffel_symbols(name, coupling, parameters):
    """C comes from the derivatives of M in axis coordinates (S000 eq. 51), not only some C with the
    right C v.
    """
    robot, arm = (
        irb.load(name, coupling=coupling, parameters=parameters),
        oracles.arm(name, parameters),
    )
    for q, v, _ in oracles.states(name, 3, seed=8):
        close(robot.coriolis(q, v), oracles.christoffel(oracles.mass_matrix_slopes(arm, q), v))


@together("name, coupling, parameters", TREES)
def test_mass_matrix_changes_as_coriolis_says(name, coupling, parameters):
    """dM/dt = C + C' along any motion: Coriolis forces do no work."""
    robot, step = irb.load(name, coupling=coupling, parameters=parameters), 1e-5
    for q, v, _ in oracles.states(name, 3, seed=9):
        C = robot.coriolis(q, v)
        close(
            (robot.mass_matrix(q + step * v) - robot.mass_matrix(q - step * v)) / (2 * step),
            C + C.T,
            DIFFERENCED,
        )


@together("name, coupling, parameters", TREES)
def test_velocity_torque_is_coriolis_plus_gravity(name, coupling, parameters):
    robot = irb.load(name, coupling=coupling, parameters=parameters)
    for q, v, _ in oracles.states(name, 3, seed=10):
        expected = robot.coriolis(q, v) @ v + robot.gravity(q)
        close(robot.inverse_dynamics(q, v, np.zeros(robot.n), friction=False), expected)


@together("name, coupling, parameters", TREES)
def test_gravity_is_the_slope_of_potential_energy(name, coupling, parameters):
    """Gravity is dP/dq, for a laden robot on a tilted stand: of the oracle's P and of the robot's
    own.
    """
    robot, arm = laden(name, coupling, parameters)
    robot, g, step = robot.mounted(TILT), TILT.T @ oracles.GRAVITY, 1e-5
    for q, _, _ in oracles.states(name, 3, seed=11):
        close(robot.gravity(q), oracles.gravity_torque(arm, q, g))
        still = np.zeros(robot.n)
        up = [
            robot.energy(q + e, still).potential - robot.energy(q - e, still).potential
            for e in step * np.eye(robot.n)
        ]
        close(robot.gravity(q), np.array(up) / (2 * step), DIFFERENCED)


@together("name, coupling, parameters", TREES)
def test_energy_is_that_of_the_bodies(name, coupling, parameters):
    """Kinetic energy is v' M v / 2 with the rotors in M; potential energy is 0 for a mass at the
    base origin.
    """
    robot, arm = laden(name, coupling, parameters)
    rotors = np.linspace(1, 2, robot.n)
    robot = robot.with_rotors(rotors)
    for q, v, _ in oracles.states(name, 3, seed=12):
        energy = robot.energy(q, v)
        assert energy.kinetic == pytest.approx(
            v @ (oracles.mass_matrix(arm, q) + np.diag(rotors)) @ v / 2, rel=1e-12
        )
        assert energy.potential == pytest.approx(oracles.potential(arm, q), rel=1e-12)


@together("name, coupling, parameters", TREES)
def test_power_of_the_torques_is_the_change_of_energy(name, coupling, parameters):
    """Along any motion tau' v = d(K + P)/dt, rotors included."""
    robot, _ = laden(name, coupling, parameters)
    robot, step = robot.with_rotors(np.linspace(1, 2, robot.n)), 1e-5
    for q, v, a in oracles.states(name, 3, seed=13):
        totals = [sum(robot.energy(q + t * v + t**2 * a / 2, v + t * a)) for t in (step, -step)]
        power = robot.inverse_dynamics(q, v, a, friction=False) @ v
        # 1e3 J / 1e-5 s * 1e-15
        assert (totals[0] - totals[1]) / (2 * step) == pytest.approx(power, rel=1e-6, abs=1e-4)


def test_friction_takes_power_out_at_every_speed():
    """Friction of each axis opposes its speed, so a motion always loses power to it."""
    robot, speeds = irb.load("irb2400"), np.linspace(-3, 3, 600)
    assert (robot.friction(np.repeat(speeds[:, None], 6, axis=1)) * speeds[:, None] > 0).all()


@together("name, coupling, parameters", TREES)
def test_forward_dynamics_undoes_inverse_dynamics(name, coupling, parameters):
    """ABA on the serial tree and Cholesky elsewhere (bars, rotors) return the accelerations put in,
    wrench included.
    """
    robot, _ = laden(name, coupling, parameters)
    for machine in (robot, robot.with_rotors(np.linspace(1, 2, robot.n))):
        for q, v, a in oracles.states(name, 3, seed=14):
            tau = machine.inverse_dynamics(q, v, a, friction=False, wrench=WRENCH)
            # cond(M) about 1e4
            close(machine.forward_dynamics(q, v, tau, friction=False, wrench=WRENCH), a, 1e-9)


def test_forward_dynamics_undoes_inverse_dynamics_with_friction():
    """Friction is taken off the torque that was put in."""
    robot = irb.load("irb2400", tool="spindle")
    for q, v, a in oracles.states("irb2400_16", 5, seed=15):
        close(robot.forward_dynamics(q, v, robot.inverse_dynamics(q, v, a)), a, 1e-9)


def test_aba_and_cholesky_agree():
    """The square coupling is solved by ABA, the other by Cholesky: same accelerations."""
    serial, linkage = (
        irb.load("irb2400", coupling="serial"),
        irb.load("irb2400", coupling="parallelogram"),
    )
    for q, v, tau in oracles.states("irb2400_16", 5, seed=16):
        close(
            serial.forward_dynamics(q, v, 50 * tau, friction=False),
            linkage.forward_dynamics(q, v, 50 * tau, friction=False),
            1e-9,
        )


@pytest.mark.parametrize(("name", "parameters"), OPEN)
def test_both_trees_give_the_same_answers(name, parameters):
    """Every query of the parallelogram tree answers as the serial one, when the bars weigh
    nothing.
    """
    serial, linkage = (
        laden(name, coupling, parameters)[0] for coupling in ("serial", "parallelogram")
    )

    def answers(robot, q, v, a):
        return [
            robot.inverse_dynamics(q, v, a, friction=False, wrench={"link_4": WRENCH}),
            robot.mass_matrix(q),
            robot.coriolis(q, v),
            robot.gravity(q),
            np.array(robot.energy(q, v)),
            robot.jacobian(q, "link_rod"),
        ]

    for state in oracles.states(name, 3, seed=17):
        for found, expected in zip(answers(linkage, *state), answers(serial, *state), strict=True):
            close(found, expected, 1e-12)


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_wrench_may_act_on_any_frame(name):
    """A wrench on a frame costs J' w of that frame, and wrenches add up."""
    robot, arm = irb.load(name), oracles.arm(name)
    other = np.roll(WRENCH, 2)
    for q, v, a in oracles.states(name, 3, seed=18):
        frames = oracles.poses(arm, q)
        expected = oracles.newton_euler(arm, q, v, a)
        for joint, load in ((1, WRENCH), (2, other)):
            expected = (
                expected - oracles.jacobian(arm, frames, joint, frames[joint][:3, 3]).T @ load
            )
        both = {"link_2": WRENCH, "link_3": other}
        close(robot.inverse_dynamics(q, v, a, friction=False, wrench=both), expected)


def test_pushing_up_on_the_tcp_relieves_axis_2():
    """The world holding the tool up takes load off the motors: a force that carries the tool leaves
    less torque.
    """
    robot, q = irb.load("irb2400", tool="spindle"), np.radians([0, 60, 10, 0, 0, 0])
    still, up = np.zeros(6), np.array([0, 0, 200.0, 0, 0, 0])
    alone, helped = (robot.inverse_dynamics(q, still, still, wrench=w) for w in (None, up))
    assert abs(helped[1]) < abs(alone[1])
    # lever of the lower arm alone
    assert helped[1] - alone[1] == pytest.approx(200 * 0.705 * np.sin(np.radians(60)))


@together("name, coupling, parameters", TREES)
def test_regressor_times_parameters_is_the_torque(name, coupling, parameters):
    """Y p = tau with tool, payload, tilt, rotors, and friction where it is known."""
    robot, _ = laden(name, coupling, parameters)
    robot = robot.mounted(TILT).with_rotors(np.linspace(1, 2, robot.n))
    known = robot.friction_model is not None
    for q, v, a in oracles.states(name, 3, seed=19):
        Y, p = robot.regressor(q, v, a), robot.parameter_vector()
        assert Y.shape == (robot.n, p.size)
        close(Y @ p, robot.inverse_dynamics(q, v, a, friction=known))


def test_parameter_vector_is_in_the_stated_order():
    """Ten numbers per link about its origin, then rotors, then Fv, Fc, Fs - Fc per axis."""
    robot = irb.load("irb2400").with_rotors([1, 2, 3, 4, 5, 6])
    p = robot.parameter_vector()
    assert p.size == 60 + 6 + 18
    mass, com = 192.0, np.array([0.021, 0.022, -0.1885])
    tensor = np.array(
        [[9.82183, 0.50571, -1.0596], [0.50571, 6.16127, 0.10946], [-1.0596, 0.10946, 8.30224]]
    )
    about = tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))
    xx, xy, yy, xz, yz, zz = (
        about[0, 0],
        about[0, 1],
        about[1, 1],
        about[0, 2],
        about[1, 2],
        about[2, 2],
    )
    np.testing.assert_allclose(p[:10], [mass, *(mass * com), xx, xy, yy, xz, yz, zz], rtol=1e-12)
    np.testing.assert_array_equal(p[60:66], [1, 2, 3, 4, 5, 6])
    np.testing.assert_allclose(p[66:69], [11.85, 24.2, 36.3 - 24.2], rtol=1e-14)


def test_torque_parts_add_up_and_stand_for_themselves():
    """Inertia is M a, Coriolis is C v, gravity and friction are their own queries; their sum is the
    torque.
    """
    robot, (q, v, a) = (
        irb.load("irb2400", tool="spindle"),
        oracles.states("irb2400_16", 1, seed=20)[0],
    )
    parts = robot.torque_parts(q, v, a)
    close(parts.inertia, robot.mass_matrix(q) @ a)
    close(parts.coriolis, robot.coriolis(q, v) @ v)
    close(parts.gravity, robot.gravity(q))
    close(parts.friction, oracles.friction_2400(v))
    close(parts.total, robot.inverse_dynamics(q, v, a))
    close(parts.inertia + parts.coriolis + parts.gravity + parts.friction, parts.total)


def test_friction_is_added_per_axis_after_the_projection():
    """Only axis 2 moving rubs only on axis 2, although joint_3 of the serial tree turns with it."""
    robot, v = irb.load("irb2400"), np.array([0, 0.4, 0, 0, 0, 0])
    q, still = np.zeros(6), np.zeros(6)
    rubbing = robot.inverse_dynamics(q, v, still) - robot.inverse_dynamics(
        q, v, still, friction=False
    )
    close(rubbing, oracles.friction_2400(v), 1e-12)


def test_rotors_belong_to_axis_coordinates():
    """The rotor of motor 3 turns with q3, not with the angle between the arms: M gains a
    diagonal.
    """
    robot, q = irb.load("irb1400"), oracles.states("irb1400", 1)[0, 0]
    gained = robot.with_rotors([1, 2, 3, 4, 5, 6]).mass_matrix(q) - robot.mass_matrix(q)
    close(gained, np.diag([1.0, 2, 3, 4, 5, 6]), 1e-12)


@together("name", oracles.NAMES)
def test_hanging_from_the_ceiling_turns_gravity_round(name):
    """Upside down every gravity torque changes its sign; on the wall it is what the turned oracle
    says.
    """
    robot, arm = irb.load(name), oracles.arm(name)
    q = oracles.states(name, 1, seed=21)[0, 0]
    close(robot.mounted(np.diag([1.0, -1, -1])).gravity(q), -robot.gravity(q))
    wall = oracles.rotation(1, np.pi / 2)
    close(
        robot.mounted(wall).gravity(q),
        oracles.gravity_torque(arm, q, wall[:3, :3].T @ oracles.GRAVITY),
    )


QUERIES = {
    "inverse_dynamics": lambda robot, q, v, a: robot.inverse_dynamics(q, v, a, wrench=WRENCH),
    "forward_dynamics": lambda robot, q, v, a: robot.forward_dynamics(
        q, v, a, wrench={"link_3": WRENCH}
    ),
    "mass_matrix": lambda robot, q, v, a: robot.mass_matrix(q),
    "coriolis": lambda robot, q, v, a: robot.coriolis(q, v),
    "gravity": lambda robot, q, v, a: robot.gravity(q),
    "friction": lambda robot, q, v, a: robot.friction(v),
    "regressor": lambda robot, q, v, a: robot.regressor(q, v, a),
    "kinetic": lambda robot, q, v, a: robot.energy(q, v).kinetic,
    "potential": lambda robot, q, v, a: robot.energy(q, v).potential,
    "torque_parts": lambda robot, q, v, a: np.moveaxis(
        np.array(robot.torque_parts(q, v, a)), 0, -2
    ),
    "jacobian": lambda robot, q, v, a: robot.jacobian(q),
}
MACHINES = {
    "serial": lambda: irb.load("irb2400", tool="spindle"),
    "parallelogram": lambda: irb.load("irb2400", coupling="parallelogram"),
    "rotors": lambda: irb.load("irb2400").with_rotors([1, 2, 3, 4, 5, 6]),
}


@together("machine", MACHINES)
@together("query", QUERIES)
def test_arrays_give_the_answers_of_single_states(query, machine):
    """Leading axes (2, 3, n) come back in front of the very numbers that single states give."""
    robot, ask = MACHINES[machine](), QUERIES[query]
    q, v, a = np.moveaxis(oracles.states("irb2400_16", 6, seed=22), 1, 0).reshape(3, 2, 3, 6)
    whole = np.asarray(ask(robot, q, v, a))
    assert whole.shape[:2] == (2, 3)
    for i, j in np.ndindex(2, 3):
        close(whole[i, j], ask(robot, q[i, j], v[i, j], a[i, j]), 1e-14)


@together("machine", MACHINES)
@together("query", QUERIES)
def test_nan_stays_in_its_own_sample(query, machine):
    """A NaN in position, speed or acceleration shows in its own sample, and every other sample is
    as without it.
    """
    robot, ask = MACHINES[machine](), QUERIES[query]
    q, v, a = np.moveaxis(oracles.states("irb2400_16", 3, seed=23), 1, 0)
    clean = np.asarray(ask(robot, q, v, a))
    for parts in ([0, 1, 2], [0], [1], [2]):
        broken = np.array([q, v, a])
        broken[parts, 1, 4] = np.nan
        found = np.asarray(ask(robot, *broken))
        np.testing.assert_array_equal(found[[0, 2]], clean[[0, 2]])
        assert len(parts) == 1 or np.isnan(found[1]).any()


@together("query", QUERIES)
def test_one_state_is_paired_with_many(query):
    """A single position, speed or acceleration goes with each sample of the others."""
    robot, ask = MACHINES["serial"](), QUERIES[query]
    (q, v, a), many = oracles.states("irb2400_16", 1)[0], oracles.states("irb2400_16", 4, seed=24)
    for pick in range(3):
        arguments = [q, v, a]
        arguments[pick] = many[:, pick]
        found = np.asarray(ask(robot, *arguments))
        if found.shape == np.asarray(ask(robot, q, v, a)).shape:
            continue  # this query does not look at that argument
        assert len(found) == 4
        arguments[pick] = many[2, pick]
        close(found[2], ask(robot, *arguments), 1e-14)


@together("query", QUERIES)
def test_no_samples_give_no_answers(query):
    """An empty array of states is a batch like any other."""
    none = np.zeros((0, 6))
    assert np.asarray(QUERIES[query](MACHINES["serial"](), none, none, none)).shape[0] == 0


@together("machine", MACHINES)
@together("query", QUERIES)
def test_questions_leave_their_arguments_alone(query, machine):
    robot, states = MACHINES[machine](), np.moveaxis(oracles.states("irb2400_16", 3, seed=25), 1, 0)
    for given in (states.copy(), states[:, 0].copy()):
        before = given.copy()
        QUERIES[query](robot, *given)
        np.testing.assert_array_equal(given, before)
        given.setflags(write=False)
        QUERIES[query](robot, *given)


@together("machine", MACHINES)
@together("query", QUERIES)
def test_answers_are_copies(query, machine):
    """An answer does not change when the next question is asked, and writing into it changes
    nothing.
    """
    robot, ask = MACHINES[machine](), QUERIES[query]
    first, second = oracles.states("irb2400_16", 2, seed=26)
    answer = ask(robot, *first)
    before = np.array(answer)
    ask(robot, *second)
    np.testing.assert_array_equal(answer, before)
    if isinstance(answer, np.ndarray) and answer.ndim:
        answer += 1.0
    np.testing.assert_array_equal(ask(robot, *first), before)


def test_eight_threads_get_the_answers_of_one():
    """One robot serves many threads: each has its own work space."""
    robot, states = irb.load("irb2400", tool="spindle"), oracles.states("irb2400_16", 300, seed=27)
    linkage = irb.load("irb2400", coupling="parallelogram")

    def answers(state):
        q, v, a = state
        tau = robot.inverse_dynamics(q, v, a)
        accelerations = linkage.forward_dynamics(q, v, tau)
        return np.r_[
            tau, accelerations, robot.jacobian(q, "link_rod").ravel(), robot.pose(q).translation
        ]

    alone = [answers(state) for state in states]
    with ThreadPoolExecutor(8) as pool:
        together = list(pool.map(answers, states))
    np.testing.assert_array_equal(together, alone)


def test_eight_threads_load_robots_at_once():
    """Although xacro keeps its state in module globals, loading from many threads mixes no robots
    up.
    """
    robots = [(name, way) for name in oracles.NAMES for way in irb.describe(name).couplings]
    # masses that no other test uses
    wanted = [(*robot, 0.25 * (1 + i % 2)) for i, robot in enumerate(robots[::2])]

    def text(case):
        return irb.describe(case[0]).urdf(case[1], carrier_kg=case[2])

    with ThreadPoolExecutor(8) as pool:
        found = list(pool.map(text, wanted))
    for (name, coupling, kg), urdf in zip(wanted, found, strict=True):
        assert f'<robot name="{name}">' in urdf
        assert ("link_carrier" in urdf) == (coupling == "parallelogram")
        assert ('name="link_carrier"' not in urdf) or f'<mass value="{kg}"/>' in urdf
