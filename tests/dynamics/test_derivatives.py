import numpy as np
import oracles
import pytest

import irbmodels as irb

# [rad] of a central difference: its error is about STEP^2 and rounding / STEP, both near 1e-10
# relative
STEP = 1e-6
WRENCH = np.array([30.0, -20.0, 50.0, 3.0, -2.0, 5.0])
CASES = ["irb2400_16", "irb1400", "irb1600_6_145", "irb930_12_105"]


def loaded(name):
    """Return a robot with tool, payload, tilted base and, on a wrist, coupled rotors."""
    robot = (
        irb.load(name, tool="spindle")
        .with_payload(irb.payload(2.0, [0.05, 0.02, 0.1]))
        .with_gravity([2.0, -3.0, -9.0])
    )
    turns = np.eye(robot.n) + 0.1 * np.tri(robot.n, k=-1)
    return robot.with_rotors(np.linspace(0.5, 2.0, robot.n)).with_drives(turns)


def quiet(robot):
    return {"friction": robot.friction_model is not None, "wrench": WRENCH}


def slopes(function, x):
    """Return central differences of a vector function, one column per entry of ``x``."""
    return np.stack(
        [(function(x + STEP * e) - function(x - STEP * e)) / (2 * STEP) for e in np.eye(len(x))],
        axis=-1,
    )


def states(name, count=6):
    return oracles.states(name, count, seed=5)


@pytest.mark.parametrize("name", CASES)
def test_inverse_dynamics_derivatives_are_the_slopes_of_the_torque(name):
    """With respect to q, v and a; friction, wrench, rotors, payload and mounting included."""
    robot = loaded(name)
    for q, v, a in states(name):
        actual = robot.inverse_dynamics_derivatives(q, v, a, **quiet(robot))
        wanted = (
            slopes(lambda x: robot.inverse_dynamics(x, v, a, **quiet(robot)), q),
            slopes(lambda x: robot.inverse_dynamics(q, x, a, **quiet(robot)), v),
            slopes(lambda x: robot.inverse_dynamics(q, v, x, **quiet(robot)), a),
        )
        for ours, numerical in zip(actual, wanted, strict=True):
            np.testing.assert_allclose(ours, numerical, atol=1e-7 * np.abs(numerical).max())


@pytest.mark.parametrize("name", CASES)
def test_forward_dynamics_derivatives_are_the_slopes_of_the_acceleration(name):
    """With respect to q, v and tau, by central differences of forward_dynamics itself."""
    robot = loaded(name)
    for q, v, a in states(name, 3):
        tau = robot.inverse_dynamics(q, v, a, **quiet(robot))
        actual = robot.forward_dynamics_derivatives(q, v, tau, **quiet(robot))
        wanted = (
            slopes(lambda x: robot.forward_dynamics(x, v, tau, **quiet(robot)), q),
            slopes(lambda x: robot.forward_dynamics(q, x, tau, **quiet(robot)), v),
            slopes(lambda x: robot.forward_dynamics(q, v, x, **quiet(robot)), tau),
        )
        for ours, numerical in zip(actual, wanted, strict=True):
            # condition of M on top
            np.testing.assert_allclose(ours, numerical, atol=3e-7 * np.abs(numerical).max())


def test_at_rest_friction_has_the_slope_of_its_continuous_part():
    """At v = 0 d tau / d v is Fv on the diagonal beside the Coriolis part, which is 0 there."""
    robot = irb.load("irb2400")
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    actual = robot.inverse_dynamics_derivatives(q, np.zeros(6), np.ones(6)).v
    np.testing.assert_allclose(
        actual, np.diag([11.85, 8.323, 9.3613, 7.1228, 7.2654, 2.323]), atol=1e-12
    )


@pytest.mark.parametrize("name", CASES)
def test_hessian_is_the_slope_of_the_jacobian(name):
    """For tcp, an inner link, a bar where there is one, and a point off the origin."""
    robot = loaded(name)
    frames = ["tcp", "link_2", *(["link_rod"] if name in oracles.PARALLELOGRAM else [])]
    for q, _, _ in states(name, 3):
        for frame in frames:
            for point in (None, [0.1, -0.2, 0.3]):
                numerical = slopes(lambda x: robot.jacobian(x, frame, point), q)
                np.testing.assert_allclose(robot.hessian(q, frame, point), numerical, atol=2e-9)


@pytest.mark.parametrize("axes", ["base", "local"])
@pytest.mark.parametrize("name", CASES)
def test_jacobian_rate_is_the_derivative_along_the_motion(name, axes):
    """d/dt J(q(t)), in base axes and in the frame's own, by central differences along v."""
    robot = loaded(name)
    for q, v, _ in states(name, 3):
        for point in (None, [0.1, -0.2, 0.3]):
            ahead, behind = (
                robot.jacobian(q + sign * STEP * v, "tcp", point, axes) for sign in (1, -1)
            )
            rate = robot.jacobian_rate(q, v, "tcp", point, axes)
            np.testing.assert_allclose(rate, (ahead - behind) / (2 * STEP), atol=1e-8)


def test_jacobian_rate_gives_the_acceleration_of_the_tcp():
    """J a + rate v is the second derivative of the TCP position."""
    # [s]; a second difference errs by h^2 and rounding / h^2
    robot, h = irb.load("irb2400", tool="spindle"), 1e-4
    q, v, a = oracles.states("irb2400_16", 1, seed=8)[0]
    at = [robot.pose(q + s * h * v + 0.5 * (s * h) ** 2 * a).translation for s in (-1, 0, 1)]
    actual = robot.jacobian(q) @ a + robot.jacobian_rate(q, v) @ v
    np.testing.assert_allclose(actual[:3], (at[0] - 2 * at[1] + at[2]) / h**2, atol=1e-5)


@pytest.mark.parametrize("name", CASES)
def test_mass_matrix_inverse(name):
    """It is the inverse, exactly symmetric, rotors included."""
    robot = loaded(name)
    for q, _, _ in states(name, 3):
        inverse = robot.mass_matrix_inverse(q)
        np.testing.assert_allclose(inverse @ robot.mass_matrix(q), np.eye(robot.n), atol=1e-9)
        np.testing.assert_array_equal(inverse, inverse.T)


@pytest.mark.parametrize("name", CASES)
def test_energy_regressors_give_the_energies(name):
    """Their products with the parameter vector are kinetic and potential energy; friction stores
    none.
    """
    robot = loaded(name)
    for q, v, _ in states(name, 3):
        rows, energy = robot.energy_regressor(q, v), robot.energy(q, v)
        np.testing.assert_allclose(
            rows.kinetic @ robot.parameter_vector(), energy.kinetic, rtol=1e-12
        )
        np.testing.assert_allclose(
            rows.potential @ robot.parameter_vector(), energy.potential, rtol=1e-10, atol=1e-9
        )


def test_coupled_rotors_enter_every_query_alike():
    """M, inverse and forward dynamics, energy and regressor with N' J N of a coupled wrist."""
    bare, turns = irb.load("irb2400"), np.eye(6)
    turns[4, 3] = turns[5, 4] = -1.0
    inertia = np.array([1.0, 2.0, 3.0, 0.4, 0.5, 0.6])
    robot, bare = bare.with_rotors(inertia).with_drives(turns), bare.with_drives(turns)
    q, v, a = oracles.states("irb2400_16", 1, seed=9)[0]
    added = turns.T @ np.diag(inertia) @ turns
    np.testing.assert_allclose(robot.mass_matrix(q) - bare.mass_matrix(q), added, atol=1e-12)
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(tau - bare.inverse_dynamics(q, v, a), added @ a, atol=1e-11)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, atol=1e-10)
    np.testing.assert_allclose(
        robot.energy(q, v).kinetic - bare.energy(q, v).kinetic, 0.5 * v @ added @ v, atol=1e-10
    )
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameter_vector(), tau, atol=1e-9)


def test_derivatives_of_arrays_are_those_of_single_states():
    robot = irb.load("irb2400", tool="spindle")
    rng = np.random.default_rng(4)
    q, v, x = rng.uniform(-1.0, 1.0, (3, 2, 3, 6))
    loads = rng.uniform(-100.0, 100.0, (2, 3, 6))
    for query in (robot.inverse_dynamics_derivatives, robot.forward_dynamics_derivatives):
        together = query(q, v, x, wrench={"link_4": loads})
        for index in np.ndindex(2, 3):
            alone = query(q[index], v[index], x[index], wrench={"link_4": loads[index]})
            for name, value in zip(together._fields, together, strict=True):
                np.testing.assert_allclose(
                    value[index], getattr(alone, name), rtol=0.0, atol=1e-12 * abs(value).max()
                )


def test_derivatives_refuse_wrenches_that_do_not_fit():
    """Wrenches for another number of states are refused with a clear line."""
    robot = irb.load("irb2400")
    with pytest.raises(irb.InputError, match="do not go together"):
        robot.inverse_dynamics_derivatives(
            np.zeros((2, 6)), np.zeros(6), np.zeros(6), wrench=np.zeros((3, 6))
        )
