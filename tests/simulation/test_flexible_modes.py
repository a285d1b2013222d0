import numpy as np
import oracles
import pytest
import scipy.linalg
from elastic_arms import POSTURE, ROTORS, STIFFNESS, elastic

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot, identified


def gravity_slope(arm, q):
    """Return dg/dq of the oracle by central differences, good to 1e-9."""
    h, n = 1e-5, len(q)
    steps = h * np.eye(n)
    return np.stack(
        [oracles.gravity_torque(arm, q + s) - oracles.gravity_torque(arm, q - s) for s in steps],
        axis=1,
    ) / (2 * h)


def assembled(name, q, count=6, d=0.0, bearing=0.0, friction=0.0):
    """Return H, D, K of links and motors, put together from the oracle's energies."""
    arm, n = oracles.arm(name), len(q)
    size = n + count
    k, J = STIFFNESS[:count], ROTORS
    H, D, K = np.zeros((3, size, size))
    H[:n, :n], K[:n, :n] = oracles.mass_matrix(arm, q), gravity_slope(arm, q)
    motors = [n + i if i < count else i for i in range(n)]  # where the motor of each axis is
    for i, place in enumerate(motors):
        H[place, place] += J[i]
        D[place, place] += friction if np.isscalar(friction) else friction[i]
    for i in range(count):
        for X, value in ((K, k[i]), (D, d)):
            X[i, i] += value
            X[n + i, n + i] += value
            X[i, n + i] -= value
            X[n + i, i] -= value
        D[i, i] += bearing
    return H, D, K


@pytest.mark.parametrize(
    ("name", "count"),
    [("irb1400", 6), ("irb2400_16", 4), ("irb930_12_105", 2), ("irb1600_6_145", 1)],
)
def test_frequencies_are_eigenvalues_of_independent_matrices(name, count):
    """SciPy's generalized eigenproblem of the oracle's mass matrix, gravity gradient and typed
    springs, motors free and held.
    """
    arm = elastic(name, count)
    q = POSTURE[: arm.n] * (1.0 if arm.n == 6 else 0.1)
    H, _, K = assembled(name, q, count)
    free = np.sqrt(scipy.linalg.eigh(K, H, eigvals_only=True)[-count:]) / (2 * np.pi)
    held = np.sqrt(scipy.linalg.eigh(K[:count, :count], H[:count, :count], eigvals_only=True)) / (
        2 * np.pi
    )
    # the finite difference of gravity
    np.testing.assert_allclose(arm.frequencies(q), free, rtol=1e-9)
    np.testing.assert_allclose(arm.frequencies(q, "held"), held, rtol=1e-9)
    # a free motor stiffens: Rayleigh
    assert (arm.frequencies(q) > arm.frequencies(q, motors="held")).all()


def test_one_axis_of_s003_as_an_arm(tmp_path):
    """A single upright axis with S003's inertia has the antiresonance with its motor held, the
    resonance with it free.
    """
    axis = identified(irb.load("irb1400"))
    path = tmp_path / "one.urdf"
    path.write_text(
        '<robot name="one"><link name="base"/><link name="arm"><inertial><origin xyz="0.5 0'
        f' 0"/><mass value="10"/><inertia ixx="3" iyy="3" izz="{axis.inertia - 2.5!r}" ixy="0"'
        ' ixz="0" iyz="0"/></inertial></link><joint name="turn" type="continuous"><parent'
        ' link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>'
    )
    arm = FlexibleRobot(irb.from_urdf(path), [axis.drive])
    assert arm.frequencies([0.3])[0] == pytest.approx(23.99, abs=0.005)
    assert arm.frequencies([0.3], "held")[0] == pytest.approx(18.16, abs=0.005)
    model, gear, f = arm.linearized([0.3]), axis.drive.gear_ratio, np.array([2.0, 17.0, 23.0, 80.0])
    # motor angle and torque instead of those at the arm
    shaft = model.response(f)[:, 1, 0] * gear * gear
    np.testing.assert_allclose(shaft, axis.four_states().response(f)[:, 0, 0], rtol=1e-9)
    np.testing.assert_allclose(arm.one_axis([0.3], 1).resonance, axis.resonance, rtol=1e-12)


def test_arrays_of_postures():
    """A map of postures comes out with its axes; each as alone."""
    arm, postures = elastic("irb1400", 3), np.random.default_rng(0).uniform(-0.8, 0.8, (2, 3, 6))
    for motors in ("free", "held"):
        together = arm.frequencies(postures, motors)
        assert together.shape == (2, 3, 3)
        for at in np.ndindex(2, 3):
            np.testing.assert_allclose(
                together[at], arm.frequencies(postures[at], motors), rtol=1e-12
            )


def test_linear_model_is_the_derivative_of_the_motion():
    """A and B are central differences of forward_dynamics about the equilibrium: friction's Fv,
    damping, hardening included.
    """
    arm = elastic("irb2400", 5, damping=40.0, bearing=3.0, viscous=2.0, hardening=1e10)
    # differences cannot pass the jump of dry friction
    free = FlexibleRobot(arm.robot, arm.drives, friction=False)
    n, m = 6, 5
    theta, torque = free.equilibrium(POSTURE)
    rest = np.concatenate([POSTURE, theta[:5], np.zeros(n + m)])

    def rate(x, u):
        q, v = x[:n], x[n + m : 2 * n + m]
        motors, speeds = np.append(x[n : n + m], 0.0), np.append(x[2 * n + m :], 0.0)
        a, b = free.forward_dynamics(q, v, motors, speeds, u)
        return np.concatenate([x[n + m :], a, b[:5]])

    h = 1e-7  # of positions and speeds; the error is hardening h^2 / k = 5e-9, and rounding / h
    by_x = np.stack(
        [(rate(rest + s, torque) - rate(rest - s, torque)) / (2 * h) for s in h * np.eye(22)],
        axis=1,
    )
    by_u = np.stack(
        [(rate(rest, torque + s) - rate(rest, torque - s)) / 2 for s in np.eye(n)], axis=1
    )
    model = free.linearized(POSTURE)
    np.testing.assert_allclose(model.A, by_x, atol=1e-8 * np.abs(by_x).max())
    np.testing.assert_allclose(model.B, by_u, atol=1e-9 * np.abs(by_u).max())
    viscous = np.array([11.85, 8.323, 9.3613, 7.1228, 7.2654, 2.323])  # S000 Tab. 5
    slower = arm.linearized(POSTURE).A - model.A
    H = assembled("irb2400_16", POSTURE, 5)[0]
    P = np.zeros((6, 11))
    P[5, 5], P[np.arange(5), 6 + np.arange(5)] = 1.0, 1.0
    np.testing.assert_allclose(
        slower[11:, 11:], -np.linalg.solve(H, P.T @ np.diag(viscous) @ P), atol=1e-8
    )
    np.testing.assert_array_equal(slower[:, :11], 0.0)
    x = np.random.default_rng(1).normal(size=22)
    np.testing.assert_array_equal(model.C @ x, np.concatenate([x[:6], x[6:11], x[5:6]]))
    assert not model.D.any()


def test_frequency_response_at_the_tcp():
    """From torques of the motors and from a force at the TCP: the oracle's Jacobian about the
    oracle's (K + i w D - w^2 H).
    """
    arm = elastic("irb1400", damping=40.0, bearing=3.0, viscous=2.0)
    H, D, K = assembled("irb1400", POSTURE, 6, 40.0, 3.0, 2.0)
    robot = oracles.arm("irb1400")
    J = oracles.jacobian(
        robot, oracles.poses(robot, POSTURE), robot.wrist, oracles.tip_pose(robot, POSTURE)[:3, 3]
    )
    f = np.array([3.0, 12.0, 25.0, 300.0])
    for k, frequency in enumerate(f):
        w = 2 * np.pi * frequency
        inner = np.linalg.inv(K + 1j * w * D - w * w * H)
        for source, right in (("torque", np.eye(12)[:, 6:]), ("wrench", np.eye(12)[:, :6] @ J.T)):
            answers = {
                "tcp": np.hstack([J, np.zeros((6, 6))]),
                "links": np.eye(6, 12),
                "motors": np.eye(12)[6:],
            }
            for to, out in answers.items():
                expected = out @ inner @ right
                answer = arm.frequency_response(POSTURE, f, to=to, source=source)[k]
                # gravity's difference
                np.testing.assert_allclose(answer, expected, atol=1e-8 * np.abs(expected).max())
        held = J @ np.linalg.inv((K + 1j * w * D - w * w * H)[:6, :6]) @ J.T
        answer = arm.frequency_response(POSTURE, frequency, source="wrench", motors="held")
        np.testing.assert_allclose(answer, held, atol=1e-8 * np.abs(held).max())


def test_static_compliance_with_held_motors():
    """At 0 Hz a small force moves the TCP of the nonlinear arm by what the response says: found by
    Newton on its equilibrium.
    """
    arm, force = elastic("irb1400", 3), np.array([2.0, -1.0, 3.0, 0.0, 0.0, 0.0])
    theta = arm.equilibrium(POSTURE).theta
    q = POSTURE.copy()
    # motors stay: only axes 1 to 3 give way, until the springs carry gravity less the force
    for _ in range(20):
        q[:3] += (theta - arm.equilibrium(q, wrench=force).theta)[:3]
    moved = arm.robot.pose(q).translation - arm.robot.pose(POSTURE).translation
    compliance = arm.frequency_response(POSTURE, 0.0, source="wrench", motors="held")
    # 3 N move it by 20 um: linear to 1e-4
    np.testing.assert_allclose((compliance @ force)[:3].real, moved, rtol=1e-3)
    assert not compliance.imag.any()


def test_wrench_and_displacement_belong_to_the_tcp():
    """With a tool on, force in and displacement out at one point make a symmetric matrix (Maxwell),
    and do not at two.
    """
    robot = irb.load("irb2400", tool="spindle")
    arm = FlexibleRobot(robot, [Drive(k, J) for k, J in zip(STIFFNESS, ROTORS, strict=True)])
    response = arm.frequency_response(POSTURE, 7.0, source="wrench")
    np.testing.assert_allclose(response, response.T, rtol=1e-9, atol=1e-15)
    elsewhere = arm.frequency_response(POSTURE, 7.0, to="tool0", source="wrench")
    assert np.abs(elsewhere - elsewhere.T).max() > 0.1 * np.abs(elsewhere).max()


def test_response_at_another_frame_and_with_rigid_axes():
    """The response at a frame is its Jacobian on that of the links; rigid axes answer as motors
    with their links.
    """
    arm = elastic("irb1600", 4)
    links = arm.frequency_response(POSTURE, 7.0, to="links")
    np.testing.assert_allclose(
        arm.frequency_response(POSTURE, 7.0, to="link_3"),
        arm.robot.jacobian(POSTURE, "link_3") @ links,
    )
    np.testing.assert_allclose(arm.frequency_response(POSTURE, 7.0, to="motors")[4:], links[4:])
    assert arm.frequency_response(POSTURE, [7.0, 8.0], to="tcp").shape == (2, 6, 6)


def test_gravity_stronger_than_a_spring():
    """An arm that its springs do not hold upright has no frequency there, and says NaN."""
    robot = irb.load("irb1600")
    up = np.array([0.0, 0.0, -np.pi / 2, 0.0, 0.0, 0.0])
    soft = FlexibleRobot(robot, [None, Drive(50.0, 7.0), None, None, None, None])
    assert np.isnan(soft.frequencies(up, "held")).all()
    # gravity then adds what it took
    hung = FlexibleRobot(robot.with_gravity([0, 0, 9.81]), soft.drives)
    slope = gravity_slope(oracles.arm("irb1600_6_120"), up)[1, 1]
    assert slope < -50.0
    expected = np.sqrt(
        (50.0 - slope) / oracles.mass_matrix(oracles.arm("irb1600_6_120"), up)[1, 1]
    ) / (2 * np.pi)
    assert hung.frequencies(up, "held")[0] == pytest.approx(expected, rel=1e-9)
    weightless = FlexibleRobot(robot.with_gravity([0, 0, 0]), soft.drives)
    expected = np.sqrt(50.0 / oracles.mass_matrix(oracles.arm("irb1600_6_120"), up)[1, 1]) / (
        2 * np.pi
    )
    assert weightless.frequencies(up, "held")[0] == pytest.approx(expected, rel=1e-9)


def test_springs_have_the_stiffness_under_gravity():
    """A hardening spring is stiffer where it carries more; in the dead zone an unloaded axis floats
    at 0 Hz.
    """
    arm = FlexibleRobot(
        irb.load("irb1400"), [None, Drive(8e4, 7.0, hardening=1e12), None, None, None, None]
    )
    robot = oracles.arm("irb1400")
    load = oracles.gravity_torque(robot, POSTURE)[1]
    u = np.real(next(root for root in np.roots([1e12, 0.0, 8e4, -load]) if abs(root.imag) < 1e-12))
    k = 8e4 + 3e12 * u**2 + gravity_slope(robot, POSTURE)[1, 1]
    expected = np.sqrt(k / oracles.mass_matrix(robot, POSTURE)[1, 1]) / (2 * np.pi)
    assert arm.frequencies(POSTURE, "held")[0] == pytest.approx(expected, rel=1e-9)
    loose = FlexibleRobot(arm.robot, [Drive(8e4, 7.0, backlash=1e-3), *[None] * 5])
    assert loose.frequencies(POSTURE, "held").tolist() == [0.0]
    both = FlexibleRobot(arm.robot, [Drive(8e4, 7.0, backlash=1e-3), Drive(8e4, 7.0), *[None] * 4])
    assert both.frequencies(POSTURE, "held")[0] == 0.0  # exactly, though the eigenvalue is rounding
    H, K = np.diag([0.0] * 6 + [7.0, 7.0]), np.zeros((8, 8))
    H[:6, :6], K[:6, :6] = oracles.mass_matrix(robot, POSTURE), gravity_slope(robot, POSTURE)
    K[np.ix_([1, 7], [1, 7])] += 8e4 * np.array([[1, -1], [-1, 1]])
    expected = np.sqrt(scipy.linalg.eigh(K, H, eigvals_only=True)[-1]) / (2 * np.pi)
    np.testing.assert_allclose(
        both.frequencies(np.stack([POSTURE, POSTURE])), [[0.0, expected]] * 2, rtol=1e-9
    )


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"motors": "locked"}, irb.UnknownName, "motors 'locked'"),
        ({"source": "force"}, irb.UnknownName, "source 'force'"),
        ({"to": "tpc"}, irb.UnknownName, "'tcp'"),
        ({"motors": "held"}, irb.InputError, "held motors excite nothing"),
        ({"frequency": -3.0}, irb.InputError, "not negative"),
    ],
)
def test_wrong_questions_are_refused(asked, error, words):
    arm = elastic("irb1600")
    with pytest.raises(error, match=words):
        arm.frequency_response(POSTURE, **({"frequency": 5.0} | asked))
    with pytest.raises(irb.UnknownName, match="motors 'locked'"):
        arm.frequencies(POSTURE, "locked")
