"""What S000 (doi 10.2478/ama-2025-0064) prints wrongly: each test shows the printed form fail and
the corrected one hold.

The truth is the package (Pinocchio on the URDF), plain numpy that shares no code with it, or
arithmetic. Test names start with the number of the item in docs/background/errata.md.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import oracles
import paper_formulas as papers
import pytest
from paper_formulas import A2, A3, D4, TOOL, Body

import irbmodels as irb

EXACT = 1e-14  # [m, -] products and sums of a dozen terms up to 2
TORQUE = 1e-11  # [N m] two recursions in double precision on torques up to 800
HERE = Path(__file__).resolve().parent
ROBOT = irb.load("irb2400", tool="spindle")
BARE = irb.load("irb2400")
SETS = irb.describe("irb2400").inertials.sets
SPREAD = np.array([2.5, 2.0, 5.0])[:, None]  # [rad, rad/s, rad/s^2]
STATES = np.random.default_rng(0).uniform(-SPREAD, SPREAD, (40, 3, 6))
POSITIONS = STATES[:, 0]
STILL = np.zeros(6)
STEPS = (papers.eq_3, papers.eq_4, papers.eq_5, papers.eq_6, papers.eq_7, papers.eq_8, papers.eq_9)
LAW = np.array([  # S000 Tab. 5: F_S, F_C, F_v, omega_St
    [36.3, 39.2, 25.3, 19.2, 39.7, 17.5],
    [24.2, 31.2, 16.9, 7.9, 13.7, 8.8],
    [11.85, 8.323, 9.3613, 7.1228, 7.2654, 2.323],
    [0.0085, 0.0031, 0.0094, 0.0175, 0.0176, 0.0162],
])  # fmt: skip
MAE, RMSE = (
    np.array([3.16, 8.52, 2.9, 0.73, 0.58, 0.64]),
    np.array([4.08, 10.89, 3.79, 1.17, 0.78, 0.81]),
)  # Tab. 6 [N m]
AVG, SHARE = (
    np.array([35.13, 319.60, 102.91, 13.69, 10.03, 8.96]),
    np.array([11.61, 3.41, 3.69, 8.56, 7.80, 9.06]),
)  # [N m, %]


def bodies(name: str = "obal2025") -> list[Body]:
    """Return links 1-6 of a set, then the spindle."""
    links = [Body(i, *SETS[name].links[f"link_{i}"].inertial()) for i in range(1, 7)]
    mass, com, tensor = oracles.SPINDLE
    return [*links, Body(7, mass, np.array(com), tensor)]


def printed(link: int) -> np.ndarray:
    """Return a tensor of Tab. 3."""
    return SETS["obal2025_printed"].links[f"link_{link}"].inertial().tensor


def repaired(link: int) -> np.ndarray:
    """Return the tensor that the package uses."""
    return SETS["obal2025"].links[f"link_{link}"].inertial().tensor


def is_possible(tensor: np.ndarray) -> bool:
    """Whether principal moments are positive and within the triangle inequality."""
    low, middle, high = np.linalg.eigvalsh(tensor)
    return bool(low > 0.0 and high <= low + middle)


def chain(q: np.ndarray, fourth=papers.eq_6) -> np.ndarray:
    """Return the pose of the TCP as the product of eq. 3-9 and 12."""
    pose = np.eye(4)
    for eq in (*STEPS[:3], fourth, *STEPS[4:]):
        pose = pose @ eq(q)
    return pose @ papers.eq_12()


def poses(q: np.ndarray, frame: str = "tcp") -> np.ndarray:
    """Return homogeneous poses of the package's robot with the spindle."""
    return ROBOT.pose(np.atleast_2d(q), frame)


def worst(eq, entry: tuple[int, int]) -> float:
    """Return the largest difference of a formula of eq. 14 to the robot's pose of the TCP."""
    return max(
        abs(eq(q) - pose[entry]) for q, pose in zip(POSITIONS, poses(POSITIONS), strict=True)
    )


def recursion(q, v, a, gravity=papers.eq_64, rubbing=None, chosen=None) -> np.ndarray:
    """Return tau_1..tau_6 of eq. 58-63."""
    motion = papers.eq_65_66(q, v, a)
    return papers.eq_58_63(
        motion, chosen or bodies(), [gravity(turn) for turn in motion.turn], rubbing
    )


def rigid(q, v, a) -> np.ndarray:
    """Return the package's torques without friction."""
    return ROBOT.inverse_dynamics(q, v, a, friction=False)


def kinetic(q: np.ndarray, v: np.ndarray, eq) -> float:
    """Return the sum of eq. 46 over links and spindle, with velocities from the package's
    Jacobians.
    """
    total = 0.0
    for body in bodies():
        frame = "tool0" if body.link == 7 else f"link_{body.link}"
        velocity = ROBOT.jacobian(q, frame, point=body.com) @ v
        total += eq(velocity[:3], velocity[3:], body, ROBOT.pose(q, frame).rotation)
    return total


def lines_apart(
    point: np.ndarray, along: np.ndarray, other: np.ndarray, other_along: np.ndarray
) -> float:
    """Return the distance of two lines."""
    normal = np.cross(along, other_along)
    return float(abs((other - point) @ normal) / np.linalg.norm(normal))


# --- kinematics


def test_0_01_eq_6_has_the_wrong_sign():
    """The printed rotation has determinant cos(2 q4) and puts the TCP 236 mm off; with -s4 the
    chain is the robot's pose.
    """
    q = ROBOT.from_controller([0, 0, 0, 40, 30, 50])
    assert np.linalg.det(papers.eq_6_printed(q)[:3, :3]) == pytest.approx(
        np.cos(2 * q[3]), abs=EXACT
    )
    assert np.cos(2 * q[3]) == pytest.approx(0.17, abs=0.005)
    off = chain(q, papers.eq_6_printed)[:3, 3] - ROBOT.pose(q).translation
    assert np.linalg.norm(off) == pytest.approx(0.236, abs=5e-4)
    for position in POSITIONS:
        np.testing.assert_allclose(
            chain(position), ROBOT.pose(position).homogeneous, rtol=0, atol=EXACT
        )


def test_0_02_eq_19_has_s1_for_s4():
    """At (90, 0, 90, -90, 0, 0) R22 as printed is 1 for -1; with s4 it is the robot's
    everywhere.
    """
    q = ROBOT.from_controller([90, 0, 90, -90, 0, 0])
    assert papers.eq_19_printed(q) == pytest.approx(1.0, abs=EXACT)
    assert ROBOT.pose(q).rotation[1, 1] == pytest.approx(-1.0, abs=EXACT)
    assert worst(papers.eq_19, (1, 1)) < EXACT


def test_0_03_eq_22_has_s6_for_s4():
    """At (0, 0, 0, -90, 0, 30) R32 as printed is 0.43 for -0.87; with s4 it is the robot's
    everywhere.
    """
    q = ROBOT.from_controller([0, 0, 0, -90, 0, 30])
    assert papers.eq_22_printed(q) == pytest.approx(0.43, abs=0.005)
    assert ROBOT.pose(q).rotation[2, 1] == pytest.approx(-0.87, abs=0.005)
    assert worst(papers.eq_22, (2, 1)) < EXACT


def test_0_04_eq_25_has_c1_for_s1():
    """With a TCP 100 mm to the side, y at (-45, 0, 90, 0, 0, 90) is 141 mm off; with s1 it is the
    robot's everywhere.
    """
    q, tool = ROBOT.from_controller([-45, 0, 90, 0, 0, 90]), np.array([0.240, 0.100, 0.162])
    assert papers.eq_25_printed(q, tool) - BARE.pose(q, "tool0", point=tool).translation[
        1
    ] == pytest.approx(0.141, abs=5e-4)
    assert papers.eq_25_printed(q) == papers.eq_25(q)  # the spindle has y_T = 0
    truth = [BARE.pose(position, "tool0", point=tool).translation[1] for position in POSITIONS]
    np.testing.assert_allclose(
        [papers.eq_25(position, tool) for position in POSITIONS], truth, rtol=0, atol=EXACT
    )


def test_0_05_eq_26_lacks_d4_sin_q3():
    """At q3 = 30 deg the printed height of the TCP is 377.5 mm too large; with - d4 s3 it is the
    robot's everywhere.
    """
    q = ROBOT.from_controller([0, 0, 30, 0, 0, 0])
    assert papers.eq_26_printed(q) == pytest.approx(1.1056, abs=5e-5)
    assert ROBOT.pose(q).translation[2] == pytest.approx(0.7281, abs=5e-5)
    # home shows nothing
    assert papers.eq_26_printed(STILL) == pytest.approx(ROBOT.pose(STILL).translation[2], abs=EXACT)
    assert worst(papers.eq_26, (2, 3)) < EXACT


def test_0_06_eq_11_middle_matrix_is_no_rotation():
    """At 90 deg the sign of c does not show; at 17 deg the printed matrix has determinant -0.83, a
    rotation about y has 1.
    """
    assert np.abs(papers.eq_11_printed(np.pi / 2) - papers.eq_11(np.pi / 2)).max() < EXACT
    assert np.linalg.det(papers.eq_11_printed(np.radians(17))) == pytest.approx(-0.83, abs=0.005)
    np.testing.assert_allclose(
        papers.eq_11(0.3), oracles.rotation(1, 0.3)[:3, :3], rtol=0, atol=EXACT
    )


def test_0_07_eq_1_subtracts_one():
    """``Rot - 1`` leaves a matrix without the row 0 0 0 1; with the 1 in the index eq. 1 is eq. 2."""
    for row in np.random.default_rng(0).uniform(-2.0, 2.0, (20, 4)):
        assert papers.eq_1_printed(*row)[3, 3] == 0.0
        np.testing.assert_allclose(papers.eq_1(*row), papers.eq_2(*row), rtol=0, atol=EXACT)


def test_0_08_x_axes_meet_the_next_z_axis():
    """At r3 = 40 deg x3 misses z2 by 453 mm, and x4 misses z3 by d4; every x_i meets z_{i+1}."""
    q = ROBOT.from_controller([10, 20, 60, 30, 40, 50])
    frames = [
        np.eye(4),
        *(ROBOT.pose(q, f"link_{i}").homogeneous for i in range(1, 7)),
        ROBOT.pose(q, "tool0").homogeneous,
    ]
    before, after = [], []
    for i, frame in enumerate(frames):
        for actual, other in ((before, i - 1), (after, i + 1)):
            parallel = {i, other} == {0, 1} or {i, other} == {6, 7}  # one line for both z
            if 0 <= other < len(frames) and not parallel:
                x, z = (frame[:3, 3], frame[:3, 0]), (frames[other][:3, 3], frames[other][:3, 2])
                actual.append(lines_apart(*x, *z))
    assert max(before) == pytest.approx(D4, abs=EXACT)
    assert before[1] == pytest.approx(A2 * np.sin(np.radians(40)), abs=EXACT)
    assert before[1] == pytest.approx(0.453, abs=5e-4)
    assert max(after) < EXACT


def test_0_09_table_2_rows_hold_the_previous_index():
    """Row i as a_i, alpha_i puts tool0 at home 1.22 m off; as a_{i-1}, alpha_{i-1} one choice of
    signs gives eq. 3-9.
    """
    lengths = [(0.0, 0.615), (0.1, 0.0), (A2, 0.0), (A3, D4), (0.0, 0.0), (0.0, 0.0), (0.0, 0.085)]
    turned = np.array([0, 1, 0, 1, 1, 1, 0]) * np.pi / 2
    q = POSITIONS[0]
    theta = np.array([q[0], q[1] - np.pi / 2, q[2] - q[1], q[3], q[4] + np.pi, q[5], 0.0])
    fitting = []
    for signs in itertools.product((1, -1), repeat=4):
        alpha = turned.copy()
        alpha[turned > 0] *= signs
        rows = [papers.eq_2(alpha[i], a, theta[i], d) for i, (a, d) in enumerate(lengths)]
        if all(np.abs(row - eq(q)).max() < EXACT for row, eq in zip(rows, STEPS, strict=True)):
            fitting.append(signs)
    assert fitting == [(-1, -1, 1, 1)]
    alpha, home = turned * [0, -1, 0, -1, 1, 1, 0], np.eye(4)
    # the heading taken at its word: transform i has the row before
    for i, (_, d) in enumerate(lengths):
        a, twist = (lengths[i - 1][0], alpha[i - 1]) if i else (0.0, 0.0)
        home = home @ papers.eq_2(twist, a, [0, -np.pi / 2, 0, 0, np.pi, 0, 0][i], d)
    assert np.linalg.norm(home[:3, 3] - ROBOT.pose(STILL, "tool0").translation) == pytest.approx(
        1.22, abs=0.005
    )


def test_0_10_o_7_T_is_not_o_T_7():
    """The flange seen from the TCP is at (162, 0, -240) mm, the TCP seen from the flange at (240,
    0, 162) mm.
    """
    tcp_from_tool0 = ROBOT.pose(POSITIONS[0]).inverse() * ROBOT.pose(POSITIONS[0], "tool0")
    np.testing.assert_allclose(tcp_from_tool0.translation, [0.162, 0.0, -0.240], rtol=0, atol=EXACT)
    np.testing.assert_allclose(tcp_from_tool0.inverse().translation, TOOL, rtol=0, atol=EXACT)


def test_0_11_only_z4_and_z6_are_collinear():
    """At q5 = 0 z4 and z6 are one line; z5, which the text counts in, is normal to it."""
    q = POSITIONS[0] * [1, 1, 1, 1, 0, 1]
    four, five, six = (ROBOT.pose(q, f"link_{i}").rotation[:, 2] for i in (4, 5, 6))
    assert four @ six == pytest.approx(1.0, abs=EXACT)
    assert abs(four @ five) < EXACT


def test_0_12_eq_36_is_a_product_of_two_conditions():
    """Eq.

    36 is elbow times shoulder; stretched out with the wrist 603 mm from axis 1 the Jacobian is
    singular.
    """
    for q in POSITIONS:
        assert papers.eq_36(q) == pytest.approx(papers.elbow(q) * papers.shoulder(q), abs=EXACT)
    stretched = np.radians([0, 20, 20 - 79.862196146914854, 0, 30, 0])
    assert papers.shoulder(stretched) == pytest.approx(0.603, abs=5e-4)
    assert abs(np.sin(stretched[4])) > 0.4
    assert np.linalg.svd(ROBOT.jacobian(stretched), compute_uv=False)[-1] < 1e-14


# --- energies and friction


def test_0_13_eq_46_lacks_the_sum_and_one_half():
    """With 1/2 on the first term only, M44 comes out 52 % and M66 91 % too large; with both, the
    sum is the robot's energy.
    """
    q = ROBOT.from_controller([10, 20, 30, 40, 50, 60])
    M = np.diag(ROBOT.mass_matrix(q))
    raised = [
        2.0 * kinetic(q, v, papers.eq_46_printed) / m - 1.0
        for v, m in zip(np.eye(6), M, strict=True)
    ]
    np.testing.assert_allclose(
        raised, [0.185, 0.030, 0.072, 0.524, 0.317, 0.912], rtol=0, atol=5e-4
    )  # last digit
    for position, v, _ in STATES[:5]:
        assert kinetic(position, v, papers.eq_46) == pytest.approx(
            ROBOT.energy(position, v).kinetic, rel=1e-13
        )


def test_0_14_eq_48_needs_gravity_upward():
    """With g pointing down the gradient of eq. 48 is minus the gravity torque; with g = (0, 0,
    +9.81) it is the torque.
    """
    carried, down = bodies(), np.array([0.0, 0.0, -9.81])

    def gradient(q: np.ndarray, g: np.ndarray) -> np.ndarray:
        def energy(position: np.ndarray) -> complex:
            frames = list(itertools.accumulate((eq(position) for eq in STEPS), np.matmul))
            centres = [(frames[body.link - 1] @ [*body.com, 1.0])[:3] for body in carried]
            return papers.eq_48(centres, [body.mass for body in carried], g)

        return np.array(
            [np.imag(energy(q + step)) / oracles.STEP for step in 1j * oracles.STEP * np.eye(6)]
        )

    for q in POSITIONS[:5]:
        np.testing.assert_allclose(gradient(q, down), -ROBOT.gravity(q), rtol=0, atol=TORQUE)
        np.testing.assert_allclose(gradient(q, -down), ROBOT.gravity(q), rtol=0, atol=TORQUE)
    assert np.abs(ROBOT.gravity(POSITIONS[0])).max() > 100.0  # so the sign matters


def test_0_15_eq_55_has_positions_in_the_exponent():
    """Axis 2 at 0.5 rad and 0.001 rad/s: printed 31.208 N m, right 38.418 N m."""
    q, v = np.full(6, 0.5), np.full(6, 0.001)
    assert papers.eq_55_printed(q, v, LAW)[1] == pytest.approx(31.208, abs=5e-4)
    assert ROBOT.friction(v)[1] == pytest.approx(38.418, abs=5e-4)
    np.testing.assert_allclose(papers.eq_54(v, LAW), ROBOT.friction(v), rtol=1e-14)


# --- Newton-Euler


def test_0_16_eq_57_lacks_the_parallelogram():
    """At home u_2 = z tau_2 gives -268.8 N m, right is -12.4 N m; with - z tau_3 the recursion is
    the robot's torque.
    """
    assert papers.eq_57_printed(recursion(STILL, STILL, STILL))[1] == pytest.approx(
        -268.8, abs=0.05
    )
    assert rigid(STILL, STILL, STILL)[1] == pytest.approx(-12.4, abs=0.05)
    for state in STATES:
        tau = recursion(*state)
        np.testing.assert_allclose(papers.eq_57(tau), rigid(*state), rtol=0, atol=TORQUE)
        np.testing.assert_allclose(
            np.delete(papers.eq_57_printed(tau), 1),
            np.delete(rigid(*state), 1),
            rtol=0,
            atol=TORQUE,
        )


def test_0_17_force_f_acts_on_the_outer_link():
    """With f_{i+1} as the force of the outer link, eq. 58 lets the base carry 1729 N; as printed
    signs mean it, all 2847 N.
    """
    motion = papers.eq_65_66(STILL, STILL, STILL)
    weight = 9.81 * sum(body.mass for body in bodies())
    assert weight == pytest.approx(2847, abs=0.5)
    assert papers.eq_60_at_rest(motion, bodies(), -1.0)[2] == pytest.approx(1729, abs=0.5)
    assert papers.eq_60_at_rest(motion, bodies(), 1.0)[2] == pytest.approx(weight, rel=1e-14)


def test_0_20_eq_64_lacks_the_transpose():
    """At rest at (0, 20, 10, 0, 30, 0) the moment about axis 2 comes out as -9.9 N m; with R' it is
    the robot's -470.1 N m.
    """
    q = ROBOT.from_controller([0, 20, 10, 0, 30, 0])
    truth = ROBOT.gravity(q)
    truth[1] += truth[2]  # moments of the open chain, before item 0-16
    assert recursion(q, STILL, STILL, papers.eq_64_printed)[1, 2] == pytest.approx(-9.9, abs=0.05)
    assert truth[1] == pytest.approx(-470.1, abs=0.05)
    np.testing.assert_allclose(recursion(q, STILL, STILL)[:, 2], truth, rtol=0, atol=TORQUE)


def test_0_34_friction_must_not_run_through_the_recursion():
    """With only axis 6 turning at home, eq. 61 hands its 9.96 N m on to axis 4; right is 0."""
    v = np.array([0, 0, 0, 0, 0, 0.5])
    rubbing = ROBOT.friction(v)
    added = papers.eq_57(recursion(STILL, v, STILL, rubbing=rubbing)) - papers.eq_57(
        recursion(STILL, v, STILL)
    )
    np.testing.assert_allclose(added, [0, 0, 0, rubbing[5], 0, rubbing[5]], rtol=0, atol=TORQUE)
    assert rubbing[5] == pytest.approx(9.96, abs=0.005)
    after = papers.eq_57(recursion(STILL, v, STILL)) + rubbing
    np.testing.assert_allclose(after, ROBOT.inverse_dynamics(STILL, v, STILL), rtol=0, atol=TORQUE)


# --- numbers


def test_0_22_eq_76_squares_the_sum():
    """Errors +1 and -1 have RMSE 0 as printed, less than their MAE; Tab. 6 never has, and neither
    has the right formula.
    """
    error = np.array([1.0, -1.0])
    assert papers.eq_76_printed(error) == 0.0
    assert papers.eq_76(error) == papers.eq_75(error) == 1.0
    noise = np.random.default_rng(0).normal(size=1000)
    assert papers.eq_76_printed(noise) > 0.0  # about 1 as well: a single number would not tell
    assert papers.eq_76(noise) == pytest.approx(
        np.linalg.norm(noise) / np.sqrt(noise.size), rel=1e-14
    )
    assert (RMSE >= MAE).all()


def test_0_23_joint_2_never_turned_at_9_3_rad_s():
    """9.3 rad/s is 3.6 times the catalogue speed of axis 2, and 18.6 times the fastest speed of eq.
    74.
    """
    assert 9.3 / ROBOT.limits.velocity[1] == pytest.approx(3.55, abs=0.01)
    assert 9.3 / papers.eq_74()[-1] == pytest.approx(18.6, rel=1e-12)


def test_0_24_only_the_rmse_is_about_3_5_percent():
    """Of the mean torque of axes 2 and 3 the RMSE is 3.4 and 3.7 %, the MAE, which the text counts
    in, 2.7 and 2.8 %.
    """
    # last digit
    np.testing.assert_allclose(100.0 * RMSE[1:3] / AVG[1:3], [3.4, 3.7], rtol=0, atol=0.05)
    # last digit
    np.testing.assert_allclose(100.0 * MAE[1:3] / AVG[1:3], [2.7, 2.8], rtol=0, atol=0.05)


def test_0_25_eq_37_to_42_drop_entries_of_table_3():
    """Centres of mass as eq. 37-42 have them change gravity by up to 0.54 N m on axes 3 and 4; Tab.
    3 is what holds.
    """
    kept = {1: (0, 0, 1), 2: (1, 1, 0), 3: (1, 1, 0), 4: (0, 0, 1), 5: (0, 0, 0), 6: (0, 0, 1)}
    thinned = [body._replace(com=body.com * kept.get(body.link, (1, 1, 1))) for body in bodies()]
    low, high = ROBOT.limits.envelope()
    positions = np.random.default_rng(0).uniform(low, high, (300, 6))
    off = [
        papers.eq_57(recursion(q, STILL, STILL, chosen=thinned)) - ROBOT.gravity(q)
        for q in positions
    ]
    largest = np.abs(off).max(axis=0)
    # of these 300 postures
    np.testing.assert_allclose(largest[2:4], [0.543, 0.544], rtol=0, atol=5e-4)
    assert largest[:2].max() < TORQUE
    assert 0.01 < largest[4] < 0.025
    np.testing.assert_allclose(
        [papers.eq_57(recursion(q, STILL, STILL)) for q in positions[:10]],
        ROBOT.gravity(positions[:10]),
        rtol=0,
        atol=TORQUE,
    )


def test_0_26_tensor_of_link_2_is_impossible():
    """None of the 48 arrangements and signs of its products is positive definite; the tensor in use
    is possible.
    """
    tensor = printed(2)
    np.testing.assert_allclose(
        np.linalg.eigvalsh(tensor), [-0.037, 0.701, 1.960], rtol=0, atol=6e-4
    )
    products = tensor[0, 1], tensor[0, 2], tensor[1, 2]
    for order in itertools.permutations(products):
        for signs in itertools.product((1, -1), repeat=3):
            xy, xz, yz = np.array(order) * signs
            arranged = np.diag(np.diag(tensor)) + np.array([[0, xy, xz], [xy, 0, yz], [xz, yz, 0]])
            assert np.linalg.eigvalsh(arranged)[0] < -0.02
    off = tensor - np.diag(np.diag(tensor))
    assert is_possible(tensor - 0.82 * off)
    assert not is_possible(tensor - 0.81 * off)
    assert is_possible(repaired(2))


def test_0_27_tensor_of_link_3_is_impossible():
    """It is indefinite, and its trace is below that of a lead ball of 25.7 kg; the tensor in use is
    possible.
    """
    low, middle, high = np.linalg.eigvalsh(printed(3))
    np.testing.assert_allclose([low, middle, high], [-0.014, 0.010, 0.042], rtol=0, atol=6e-4)
    ball = 3 * 0.4 * 25.7 * (3 * 25.7 / (4 * np.pi * 11340)) ** (2 / 3)
    assert ball == pytest.approx(0.205, abs=5e-4)
    assert np.trace(printed(3)) == pytest.approx(0.0373, abs=5e-5)
    np.testing.assert_allclose(
        np.sqrt(np.diag(printed(3)) / 25.7), [0.0236, 0.0234, 0.0186], rtol=0, atol=5e-5
    )
    assert is_possible(repaired(3))
    assert np.trace(repaired(3)) > ball


def test_0_28_tensor_of_link_4_repeats_numbers_of_link_6():
    """Ixy and Ixz are the x and y of link 6's centre of mass in mm and break the triangle
    inequality; without them it holds.
    """
    tensor, com = printed(4), SETS["obal2025_printed"].links["link_6"].com_mm
    assert (tensor[0, 1], tensor[0, 2]) == tuple(com[:2])
    np.testing.assert_allclose(np.linalg.eigvalsh(tensor), [0.094, 0.523, 0.939], rtol=0, atol=6e-4)
    assert not is_possible(tensor)
    without = tensor.copy()
    without[0, 1:] = without[1:, 0] = 0.0
    assert is_possible(without)
    assert is_possible(repaired(4))


def test_0_29_tensor_of_link_6_cannot_be_solved_with():
    """Without a tool M66 is 3.6e-8 kg m^2 and cond(M) 1e9 at home; with the tensor in use 3.2e-4
    and 1e5.
    """
    assert not is_possible(printed(6))
    with pytest.warns(irb.PhysicsWarning, match="impossible"):
        M = irb.load("irb2400", parameters="obal2025_printed").mass_matrix(STILL)
    assert M[5, 5] == pytest.approx(3.6e-8, rel=0.02)
    assert np.linalg.cond(M) == pytest.approx(1e9, rel=0.02)
    M = BARE.mass_matrix(STILL)
    assert M[5, 5] == pytest.approx(3.2e-4, rel=0.02)
    assert np.linalg.cond(M) == pytest.approx(1.1e5, rel=0.03)
    assert is_possible(repaired(6))


def test_0_30_products_of_table_3_are_tensor_entries():
    """Those of link 1 have the signs and the size of the CAD's; the other sign moves torques of
    axis 1 by up to 12.3 N m.
    """
    entries = ([0, 0, 1], [1, 2, 2])
    cad = SETS["jia2018"].links["link_1"].inertial().tensor
    # of another revision of the CAD: near 1, never near -1
    ratio = printed(1)[entries] / cad[entries]
    np.testing.assert_allclose(ratio, [1.21, 0.78, 0.79], rtol=0, atol=0.005)
    turned = [
        (
            body
            if body.link == 7
            else body._replace(tensor=2.0 * np.diag(np.diag(body.tensor)) - body.tensor)
        )
        for body in bodies("obal2025_printed")
    ]
    off = [
        recursion(*s, chosen=turned) - recursion(*s, chosen=bodies("obal2025_printed"))
        for s in STATES
    ]
    assert np.abs(off)[:, 0, 2].max() == pytest.approx(12.3, abs=0.1)


def test_0_31_mean_torque_of_axis_5_is_below_its_friction():
    """Moving, axis 5 needs at least 14.06 N m to both sides on average; a mean of 10.03 N m means
    rest for over a quarter.
    """
    speeds = np.linspace(1e-4, 0.5, 5000)
    least = ROBOT.friction(np.outer(speeds, np.ones(6)))[:, 4].min()
    assert least == pytest.approx(14.06, abs=0.005)
    for g in np.linspace(-20, 20, 41):  # slowly to and fro over the same positions
        assert (abs(least + g) + abs(-least + g)) / 2 == pytest.approx(
            max(least, abs(g)), abs=1e-12
        )
    assert 1.0 - AVG[4] / least == pytest.approx(0.287, abs=5e-4)


def test_0_32_both_dh_variants_have_one_jacobian():
    """The Jacobian in base axes from the classic table's frames is the robot's, so its condition
    number is the same.
    """
    table = BARE.dh("standard")
    for q in POSITIONS:
        variables, frames = table.joint_variables(q), [np.eye(4)]
        for row in zip(table.alpha, table.a, table.d, variables, strict=True):
            frames.append(frames[-1] @ oracles.standard_dh(*row))
        columns = [
            np.r_[np.cross(f[:3, 2], frames[-1][:3, 3] - f[:3, 3]), f[:3, 2]] for f in frames[:-1]
        ]
        J = np.array(columns).T @ table.A
        np.testing.assert_allclose(J, BARE.jacobian(q), rtol=0, atol=EXACT)
        assert np.linalg.cond(J) == pytest.approx(np.linalg.cond(BARE.jacobian(q)), rel=1e-9)


def test_0_33_spindle_needs_the_stronger_variant():
    """12.7 kg are more than the payload in the name of the IRB 2400/10, less than in that of the
    /16.
    """
    weak, strong = (
        irb.describe(name).limits.ratings.payload_kg for name in ("irb2400_10", "irb2400_16")
    )
    assert weak < oracles.SPINDLE[0] < strong


# --- notes, and what is right as printed


def test_0_note_a_elbow_singularity_is_out_of_the_coupled_range():
    """r3 = -79.86 deg is 19.9 deg below the range of q3 - q2; a range of the same numbers on q3
    alone would contain it.
    """
    angle = -np.degrees(np.arctan2(D4, A3))
    assert -60.0 - angle == pytest.approx(19.86, abs=0.005)
    q = ROBOT.from_controller([0, 20, 20 + angle, 0, 30, 0])
    assert papers.elbow(q) == pytest.approx(0.0, abs=EXACT)
    assert not ROBOT.in_range(q)
    assert -60.0 < 20 + angle < 65.0
    assert 180.0 + angle > 65.0


def test_0_note_b_determinant_of_the_jacobian():
    """Det J is -a2 s5 times eq. 36, for any tool."""
    for robot in (ROBOT, BARE):
        for q in POSITIONS:
            expected = -A2 * np.sin(q[4]) * papers.eq_36(q)
            assert np.linalg.det(robot.jacobian(q)) == pytest.approx(expected, abs=EXACT)


def test_0_note_c_gravity_torque_of_axis_2():
    """It is -9.81 (57.26 s2 + 1.264 c2) at every position of the other axes: 562 N m at most."""
    for q in POSITIONS:
        expected = -9.81 * (57.2636 * np.sin(q[1]) + 1.26405 * np.cos(q[1]))
        assert ROBOT.gravity(q)[1] == pytest.approx(expected, abs=1e-9)
    assert 9.81 * np.hypot(57.2636, 1.26405) == pytest.approx(562, abs=0.5)


def test_0_note_c_mass_of_link_1_enters_no_torque():
    """Of link 1 only Izz + m (x^2 + y^2) = 8.480 kg m^2 about axis 1 enters: half the mass there
    changes nothing else.
    """
    link = bodies()[0]
    about = link.tensor[2, 2] + link.mass * (link.com[0] ** 2 + link.com[1] ** 2)
    assert about == pytest.approx(8.480, abs=5e-4)
    tensor = np.diag([1.0, 1.0, about])
    bar = [Body(1, 96.0, np.zeros(3), tensor), *bodies()[1:]]
    for state in STATES[:5]:
        tau = papers.eq_57(recursion(*state, chosen=bar))
        np.testing.assert_allclose(tau, rigid(*state), rtol=0, atol=TORQUE)


def test_0_note_d_friction_has_one_dip_per_axis():
    """The least torque of each moving axis, and the speed that has it; at rest the slope is F_v, so
    before the dip is a rise.
    """
    speeds = np.geomspace(1e-3, 0.5, 20001)
    table = ROBOT.friction(np.outer(speeds, np.ones(6)))
    dip = table.argmin(axis=0)
    np.testing.assert_allclose(
        speeds[dip], [0.0215, 0.0085, 0.0233, 0.0432, 0.0465, 0.0432], rtol=0, atol=5e-5
    )  # last digit
    np.testing.assert_allclose(
        table.min(axis=0), [24.47, 31.28, 17.14, 8.23, 14.06, 8.91], rtol=0, atol=6e-3
    )
    for i in range(6):
        assert (np.diff(table[: dip[i], i]) < 0).all()
        assert (np.diff(table[dip[i] :, i]) > 0).all()
    assert (ROBOT.friction(np.full(6, 1e-6)) > ROBOT.friction(np.full(6, 1e-9))).all()


def test_0_note_d_eq_73_and_74_find_the_friction():
    """2725 speeds each way; gravity and centrifugal torques cancel in eq. 73, so it returns eq. 54."""
    speeds = papers.eq_74()
    assert speeds.size == 1499 + 925 + 301 == 2725
    assert (np.diff(speeds) > 0).all()
    q = POSITIONS[0]
    for v in speeds[::500, None] * np.eye(6)[1]:
        ahead, back = ROBOT.inverse_dynamics(q, v, STILL), ROBOT.inverse_dynamics(q, -v, STILL)
        np.testing.assert_allclose(
            papers.eq_73(ahead, back)[1], papers.eq_54(v, LAW)[1], rtol=0, atol=TORQUE
        )


def test_0_right_entries_of_eq_14():
    """Eq. 15-18, 20, 21, 23 and 24 are right as printed."""
    entries = {
        (0, 0): papers.eq_15,
        (0, 1): papers.eq_16,
        (0, 2): papers.eq_17,
        (1, 0): papers.eq_18,
        (1, 2): papers.eq_20,
    }
    entries |= {(2, 0): papers.eq_21, (2, 2): papers.eq_23, (0, 3): papers.eq_24}
    for entry, eq in entries.items():
        assert worst(eq, entry) < EXACT


def test_0_right_jacobian_of_eq_33():
    """Column 2 moves the elbow and turns nothing; the other columns are z x (o_T - o) over z."""
    for q in POSITIONS:
        o = np.array([ROBOT.pose(q, f"link_{i}").translation for i in range(1, 7)])
        z = np.array([ROBOT.pose(q, f"link_{i}").rotation[:, 2] for i in range(1, 7)])
        J = np.vstack([np.cross(z, ROBOT.pose(q).translation - o).T, z.T])
        J[:, 1] = np.r_[np.cross(z[1], o[2] - o[1]), np.zeros(3)]
        np.testing.assert_allclose(J, ROBOT.jacobian(q), rtol=0, atol=EXACT)


def test_0_right_table_6_divides_by_the_mean_torque():
    """RMSE/AVG of Tab. 6 is the quotient of its columns within their rounding, all six rows."""
    error = 100.0 * (0.005 / AVG + RMSE * 0.005 / AVG**2) + 0.005
    assert (np.abs(100.0 * RMSE / AVG - SHARE) <= error).all()


# --- the page


def test_page_and_tests_name_each_other():
    """Every test that docs/background/errata.md names exists and has its item's number; every test here and
    for S001 is named there.
    """
    page = (HERE.parents[1] / "docs" / "background" / "errata.md").read_text(encoding="utf-8")
    written: set[str] = set()
    for file in ("test_errata_s000.py", "test_errata_s001.py"):
        written |= set(
            re.findall(
                r"^def (test_[01]_\w+)\(", (HERE / file).read_text(encoding="utf-8"), re.MULTILINE
            )
        )
    named: set[str] = set()
    for line in page.splitlines():
        tests = re.findall(r"`(test_[01]_\w+)`", line)
        row = re.match(r"\| ([01])-(\w+) \|", line)
        if row:
            number = row[2].zfill(2).lower()
            assert all(test.startswith(f"test_{row[1]}_{number}_") for test in tests), line
        named |= set(tests)
    assert named == written
