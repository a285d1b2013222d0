"""What S003 (Norrlof, LiTH-ISY-R-2208) prints wrongly about kinematics: the printed form fails, the
corrected one holds.

The truth is the package (Pinocchio on the IRB 1400's URDF) or plain numpy; formulas stand here
beside their tests. Test names start with the number of the item in docs/background/errata.md. ``theta`` are
joint variables of Table 2.1, ``phi`` the controller's axes.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path

import numpy as np
import oracles
import pytest

import irbmodels as irb

EXACT = 1e-13  # [m, -] products and sums of a dozen terms up to 2
PRINTED = 5e-5  # half of the last printed digit
D1, A1, A2, A3, D4, D6 = 0.475, 0.150, 0.600, 0.120, 0.720, 0.085  # [m] Table 2.1
B3, BETA = np.hypot(A3, D4), np.arctan2(D4, A3)
ALPHA = np.array([-1.0, 0.0, -1.0, 1.0, -1.0, 0.0]) * np.pi / 2
THETA_0 = np.array([0.0, -np.pi / 2, 0.0, 0.0, 0.0, np.pi])  # eq. 2.24
COUPLED = np.eye(6) - np.outer([0, 0, 1, 0, 0, 0], [0, 1, 0, 0, 0, 0])  # eq. 2.25
ROBOT = irb.load("irb1400")
RNG = np.random.default_rng(3)
LOW, HIGH = oracles.ranges("irb1400").T
# within the ranges, the coupled one included
PHI = np.linalg.solve(COUPLED, RNG.uniform(LOW, HIGH, (200, 6)).T).T
THETA = PHI @ COUPLED.T + THETA_0
WILD = RNG.uniform(-np.pi, np.pi, (200, 6))  # joint variables all around


def flange(theta: np.ndarray) -> np.ndarray:
    """Return Pinocchio's tool0 at joint variables of Table 2.1."""
    return ROBOT.pose(np.linalg.solve(COUPLED, theta - THETA_0), "tool0").homogeneous


def steps(theta: np.ndarray) -> list[np.ndarray]:
    """Return A_1 .. A_6 of eq. 2.23 and Table 2.1."""
    rows = zip(ALPHA, [A1, A2, A3, 0, 0, 0], [D1, 0, 0, D4, 0, D6], theta, strict=True)
    return [oracles.standard_dh(*row) for row in rows]


def wrapped(angle: np.ndarray | float) -> np.ndarray:
    """Return angles within half a turn."""
    return (np.asarray(angle) + np.pi) % (2.0 * np.pi) - np.pi


def rotations(count: int) -> list[np.ndarray]:
    """Return random rotation matrices, spread evenly."""
    return [to_matrix(q / np.linalg.norm(q)) for q in RNG.normal(size=(count, 4))]


def times(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    """Product of quaternions, scalar first (eq. 2.6)."""
    return np.r_[p[0] * q[0] - p[1:] @ q[1:], p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:])]


def to_matrix(q: np.ndarray) -> np.ndarray:
    """Rotation matrix of a unit quaternion (eq. 2.15)."""
    s, x, y, z = q
    return np.array([
        [1 - 2 * y**2 - 2 * z**2, 2 * x * y - 2 * s * z, 2 * x * z + 2 * s * y],
        [2 * x * y + 2 * s * z, 1 - 2 * x**2 - 2 * z**2, 2 * y * z - 2 * s * x],
        [2 * x * z - 2 * s * y, 2 * y * z + 2 * s * x, 1 - 2 * x**2 - 2 * y**2],
    ])  # fmt: skip


def to_quaternion(R: np.ndarray, wrong: str = "", sign=None) -> np.ndarray:
    """Quaternion of a rotation whose axis has x as its largest part (eq. 2.16-2.22); ``wrong`` is
    the equation as printed.
    """
    s = 0.5 * np.sqrt(max(np.trace(R) + 1.0, 0.0))
    near = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    last = R[1, 2] + R[0, 2] if wrong == "2.19" else R[2, 0] + R[0, 2]
    far = np.array([R[0, 0] - R[1, 1] - R[2, 2] + 1.0, R[1, 0] + R[0, 1], last])
    both = near + (sign or (lambda value: 1.0 if value >= 0.0 else -1.0))(near[0]) * far
    chosen = far if wrong == "2.22" else both
    return np.r_[s, np.sqrt(max(1.0 - s**2, 0.0)) / np.linalg.norm(chosen) * chosen]


def with_largest_x(count: int) -> list[np.ndarray]:
    """Return rotation matrices whose axis has its largest part along x."""
    quaternions = RNG.normal(size=(20 * count, 4))
    chosen = [q / np.linalg.norm(q) for q in quaternions if np.argmax(np.abs(q[1:])) == 0]
    return [to_matrix(q) for q in chosen[:count]]


def share_right(
    actual: list[np.ndarray], truth: list[np.ndarray], tolerance: float = 1e-6
) -> float:
    """Return the share of results that agree."""
    return float(
        np.mean(
            [
                np.abs(one - other).max() < tolerance
                for one, other in zip(actual, truth, strict=True)
            ]
        )
    )


def ikin1(p: np.ndarray, reuse: bool = False) -> np.ndarray:
    """Axes 1 to 3 for a wrist center in the order that is printed: eq. 2.31-2.40, with 2.30 and
    2.34 corrected.
    """
    rho, z, rows = np.hypot(p[0], p[1]), p[2] - D1, []
    for f in (1.0, -1.0):
        r = rho - A1 if f > 0 or reuse else rho + A1
        D = (r**2 + z**2 - A2**2 - B3**2) / (2.0 * A2 * B3)  # 2.32
        for bend in np.array([1.0, -1.0]) * np.arccos(np.clip(D, -1.0, 1.0)):  # 2.33
            lean = np.arctan2(r, z) - np.arctan2(B3 * np.sin(bend), A2 + B3 * np.cos(bend))  # 2.34
            first = np.arctan2(f * p[1], f * p[0])  # 2.35, 2.38
            rows.append([first, f * lean - np.pi / 2, f * bend - BETA])  # 2.36, 2.37, 2.39, 2.40
    return wrapped(np.array(rows))


def ikin2(U: np.ndarray) -> np.ndarray:
    """Axes 4 to 6 for R_3^6: eq. 2.47 corrected, 2.48, 2.49."""
    rows = []
    for s in (1.0, -1.0):
        fifth = np.arctan2(s * np.hypot(U[0, 2], U[1, 2]), U[2, 2])
        rows.append(
            [np.arctan2(-s * U[1, 2], -s * U[0, 2]), fifth, np.arctan2(-s * U[2, 1], s * U[2, 0])]
        )
    return np.array(rows)


def wrist_center(theta: np.ndarray) -> np.ndarray:
    """Return the wrist center of Pinocchio's pose (eq. 2.28)."""
    T = flange(theta)
    return T[:3, 3] - D6 * T[:3, 2]


def r_03(theta: np.ndarray) -> np.ndarray:
    """R_0^3 (eq. 2.42)."""
    (c1, _, _), (s1, _, _) = np.cos(theta[:3]), np.sin(theta[:3])
    c23, s23 = np.cos(theta[1] + theta[2]), np.sin(theta[1] + theta[2])
    return np.array([[c1 * c23, s1, -c1 * s23], [s1 * c23, -c1, -s1 * s23], [-s23, 0.0, -c23]])


# --- rotations and quaternions


def test_3_01_rotation_of_frame_1_in_0():
    """Columns of R_0^1 are frame 1's axes in frame 0, so it orients 1 in 0; det = 1 alone does not
    make a rotation.
    """
    q = PHI[0]
    np.testing.assert_allclose(
        ROBOT.pose(q, "link_1").rotation[:, 0], [np.cos(q[0]), np.sin(q[0]), 0.0], atol=EXACT
    )
    stretched = np.diag([2.0, 0.5, 1.0])
    assert np.linalg.det(stretched) == 1.0
    assert np.abs(stretched.T @ stretched - np.eye(3)).max() == 3.0


def test_3_02_eq_2_9_divides_by_the_norm_once():
    """As printed q q^-1 is the norm, with its square it is 1."""
    q = np.array([1.0, -0.5, 2.0, 0.3])
    conjugate, norm = q * [1, -1, -1, -1], np.linalg.norm(q)
    np.testing.assert_allclose(times(q, conjugate / norm), [norm, 0, 0, 0], atol=EXACT)
    assert norm == pytest.approx(2.31, abs=0.005)
    np.testing.assert_allclose(times(q, conjugate / norm**2), [1, 0, 0, 0], atol=EXACT)


def test_3_03_eq_2_10_loses_the_sign_of_s():
    """For s < 0 arctan gives the negative quaternion; atan2(abs(v), s) gives it back."""
    q = np.array([-0.6, 0.0, 0.8, 0.0])
    for angle, expected in ((np.arctan(0.8 / -0.6), -q), (np.arctan2(0.8, -0.6), q)):
        np.testing.assert_allclose([np.cos(angle), np.sin(angle)], expected[[0, 2]], atol=EXACT)


def test_3_04_eq_2_19_has_r23_for_r31():
    """Right for none of 500 rotations as printed, for all with r31 + r13."""
    turns = with_largest_x(500)
    assert share_right([to_matrix(to_quaternion(R, "2.19")) for R in turns], turns) < 0.01
    assert share_right([to_matrix(to_quaternion(R)) for R in turns], turns) == 1.0


def test_3_05_eq_2_20_needs_sign_0_to_be_1():
    """Half a turn about x: k' is 0, and MATLAB's sign(0) = 0 leaves nothing of the axis."""
    R = np.diag([1.0, -1.0, -1.0])
    with np.errstate(invalid="ignore", divide="ignore"):
        assert np.isnan(to_quaternion(R, sign=np.sign)).any()
    np.testing.assert_allclose(to_quaternion(R), [0, 1, 0, 0], atol=EXACT)


def test_3_06_eq_2_22_has_k2_for_k3():
    """With k'' the axis points the wrong way in half of all rotations; with k''' in none."""
    turns = with_largest_x(1000)
    assert share_right(
        [to_matrix(to_quaternion(R, "2.22")) for R in turns], turns
    ) == pytest.approx(0.5, abs=0.06)
    assert share_right([to_matrix(to_quaternion(R)) for R in turns], turns) == 1.0


def test_3_right_quaternions():
    """2.14 to 2.18 and 2.11: q a conj(q) = R a, the parts of k' and k'', and cos + k sin."""
    for q in RNG.normal(size=(50, 4)):
        q = q / np.linalg.norm(q)
        s, x, y, z = q
        R, a = to_matrix(q), RNG.normal(size=3)
        np.testing.assert_allclose(
            times(times(q, np.r_[0.0, a]), q * [1, -1, -1, -1])[1:], R @ a, atol=EXACT
        )
        assert 0.5 * np.sqrt(np.trace(R) + 1.0) == pytest.approx(abs(s), abs=1e-7)
        near = [R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]
        np.testing.assert_allclose(near, 4 * s * q[1:], atol=EXACT)
        assert R[0, 0] - R[1, 1] - R[2, 2] + 1.0 == pytest.approx(4 * x * x, abs=EXACT)
        np.testing.assert_allclose(
            [R[1, 0] + R[0, 1], R[2, 0] + R[0, 2]], [4 * x * y, 4 * x * z], atol=EXACT
        )


# --- positions


def test_3_07_the_arm_stands_in_the_x_z_plane():
    """Fig. 2.4: at home every frame has y = 0, and the tool is 955 mm ahead in x."""
    origins = np.array([ROBOT.pose(np.zeros(6), f"link_{i}").translation for i in range(1, 7)])
    assert np.abs(origins[:, 1]).max() < EXACT
    assert origins[-1, 0] > 0.8


def test_3_09_text_after_2_29_swaps_the_arguments():
    """The second theta1 is atan2(py, px) + pi: swapped it is right for none of 200 positions."""
    truth, swapped = [], []
    for theta in THETA:
        p = wrist_center(theta)
        truth.append(wrapped(np.arctan2(-p[1], -p[0])))
        swapped.append(wrapped(np.arctan2(p[0], p[1]) + np.pi))
        assert np.abs(wrapped(np.arctan2(p[1], p[0]) + np.pi - truth[-1])) < EXACT
    assert share_right(swapped, truth) < 0.02


def test_3_10_eq_2_30_turns_the_height_into_y():
    """R_0^1 holds alpha1, so d1 becomes a step sideways: the distance to axis 2 is wrong
    everywhere, right with Rot_z(theta1).
    """
    for theta in THETA:
        p, R = wrist_center(theta), steps(theta)[0][:3, :3]
        # law of cosines, from theta3 alone
        elbow = np.sqrt(A2**2 + B3**2 + 2 * A2 * B3 * np.cos(theta[2] + BETA))
        for offset, right in (([A1, 0, D1], False), ([A1, -D1, 0], True)):
            assert (abs(np.linalg.norm(p - R @ offset) - elbow) < EXACT) == right
        assert np.linalg.norm(
            p - oracles.rotation(2, theta[0])[:3, :3] @ [A1, 0, D1]
        ) == pytest.approx(elbow, abs=EXACT)


def test_3_11_eq_2_34_needs_atan2_and_coordinates_in_the_plane():
    """With arctan right for 80 to 90 % within the ranges and half all around; with the base's px /
    py for none.
    """

    def shares(angles: np.ndarray) -> tuple[float, float, float]:
        actual: dict[str, list] = {"atan2": [], "arctan": [], "base": []}
        for theta in angles:
            bend, p = theta[2] + BETA, wrist_center(theta)
            r, z = p[0] * np.cos(theta[0]) + p[1] * np.sin(theta[0]) - A1, p[2] - D1
            top, bottom = B3 * np.sin(bend), A2 + B3 * np.cos(bend)
            actual["atan2"].append(wrapped(np.arctan2(r, z) - np.arctan2(top, bottom)))
            actual["arctan"].append(wrapped(np.arctan(r / z) - np.arctan(top / bottom)))
            actual["base"].append(wrapped(np.arctan(p[0] / p[1]) - np.arctan(top / bottom)))
        truth = [wrapped(theta[1] + np.pi / 2) for theta in angles]
        return tuple(share_right(actual[name], truth) for name in ("atan2", "arctan", "base"))

    within, around = shares(THETA), shares(WILD)
    assert within[0] == around[0] == 1.0
    assert 0.75 < within[1] < 0.95
    assert 0.4 < around[1] < 0.6
    assert within[2] == around[2] == 0.0


def test_3_12_arctan_of_d4_over_a3_fails_without_a3():
    """2.37 and 2.40: right here, as a3 > 0; the IRB 1600 has a3 = 0, where only atan2 knows the
    quarter turn.
    """
    assert np.arctan(D4 / A3) == pytest.approx(BETA, abs=EXACT)
    with pytest.raises(ZeroDivisionError):
        _ = 0.6 / float(irb.load("irb1600").dh().a[3])
    assert np.arctan2(0.6, irb.load("irb1600").dh().a[3]) == np.pi / 2
    assert np.arctan(D4 / -A3) != pytest.approx(np.arctan2(D4, -A3))


def test_3_13_four_arms_times_two_wrists():
    """Four solutions for axes 1 to 3, as the text counts; with the wrist's two there are eight, all
    with the pose asked for.
    """
    several = 0
    for theta in THETA[:60]:
        T, actual = flange(theta), []
        for main in ikin1(wrist_center(theta)):
            # reachable turned round too
            if np.linalg.norm(wrist_center(np.r_[main, 0, 0, 0]) - wrist_center(theta)) < 1e-9:
                actual += [np.r_[main, wrist] for wrist in ikin2(r_03(main).T @ T[:3, :3])]
        for one in actual:
            np.testing.assert_allclose(flange(one), T, rtol=0, atol=1e-9)
        assert len(actual) in (4, 8)
        assert min(np.abs(wrapped(one - theta)).max() for one in actual) < 1e-6
        assert (
            min(np.abs(wrapped(a - b)).max() for a, b in itertools.combinations(actual, 2)) > 1e-6
        )
        several += len(actual) == 8
    assert several > 20


def test_3_14_eq_2_47_loses_small_angles():
    """theta5 = 1e-8 comes back as 0 from arccos(u33), to ten digits from atan2."""
    U = np.linalg.multi_dot(
        [np.eye(3), *(step[:3, :3] for step in steps(np.array([0, 0, 0, 0.4, 1e-8, 0.7]))[3:])]
    )
    assert np.arccos(np.clip(U[2, 2], -1.0, 1.0)) == 0.0
    assert np.arctan2(np.hypot(U[0, 2], U[1, 2]), U[2, 2]) == pytest.approx(1e-8, rel=1e-7)


def test_3_15_eq_2_50_loses_the_sign():
    """theta4 + sgn(c5) theta6 from arccos is right in half of all wrists, from atan2(sgn u21, sgn
    u11) in all.
    """
    actual, mended, truth = [], [], []
    for c5, fourth, sixth in zip(
        np.tile([1.0, -1.0], 100), *RNG.uniform(-np.pi, np.pi, (2, 200)), strict=True
    ):
        parts = steps(np.array([0, 0, 0, fourth, 0.0 if c5 > 0 else np.pi, sixth]))[3:]
        U = np.linalg.multi_dot([step[:3, :3] for step in parts])
        truth.append(wrapped(fourth + c5 * sixth))
        actual.append(np.arccos(np.clip(c5 * U[0, 0], -1.0, 1.0)))
        mended.append(np.arctan2(c5 * U[1, 0], c5 * U[0, 0]))
    assert share_right(actual, truth) == pytest.approx(0.5, abs=0.12)
    assert np.abs(wrapped(np.array(mended) - truth)).max() < 1e-12


def test_3_33_the_upper_arm_runs_along_z3():
    """The text calls x3 the upper arm: at home x3 is up, and the arm goes forward along z3.

    Its angle is constant still.
    """
    T = np.linalg.multi_dot(steps(THETA_0)[:3])
    forearm = np.linalg.multi_dot(steps(THETA_0)[:4])[:3, 3] - T[:3, 3]
    np.testing.assert_allclose(T[:3, 0], [0, 0, 1], atol=EXACT)
    np.testing.assert_allclose(forearm, D4 * T[:3, 2], atol=EXACT)
    for second in (-0.5, 0.3, 0.8):  # motor 2 alone
        theta = COUPLED @ [0.2, second, 0.4, 0, 0, 0] + THETA_0
        turned = np.linalg.multi_dot(steps(theta)[:3])
        assert turned[2, 0] == pytest.approx(np.cos(0.4), abs=EXACT)


def test_3_right_forward_kinematics():
    """Table 2.1, 2.23 to 2.25: the chain is Pinocchio's pose; at home T and the quaternion are
    those printed.
    """
    for phi, theta in zip(PHI, THETA, strict=True):
        chain = np.linalg.multi_dot(steps(theta))
        np.testing.assert_allclose(chain, ROBOT.pose(phi, "tool0").homogeneous, rtol=0, atol=EXACT)
        np.testing.assert_allclose(
            chain[:3, 3], wrist_center(theta) + D6 * chain[:3, 2], atol=EXACT
        )  # 2.27
    T = np.array([[0, 0, 1, 0.955], [0, 1, 0, 0], [-1, 0, 0, 1.195], [0, 0, 0, 1.0]])
    np.testing.assert_allclose(flange(THETA_0), T, rtol=0, atol=PRINTED)
    np.testing.assert_allclose(
        to_matrix(np.array([0.7071, 0, 0.7071, 0])), T[:3, :3], rtol=0, atol=2 * PRINTED
    )


def test_3_right_matrices_of_the_wrist():
    """2.42, 2.44 and 2.46 are the products of the rotations of Table 2.1."""
    for theta in WILD:
        parts = [step[:3, :3] for step in steps(theta)]
        R03, R36 = np.linalg.multi_dot(parts[:3]), np.linalg.multi_dot(parts[3:])
        np.testing.assert_allclose(r_03(theta), R03, rtol=0, atol=EXACT)
        (c4, c5, c6), (s4, s5, s6) = np.cos(theta[3:]), np.sin(theta[3:])
        printed = np.array([
            [c4 * c5 * c6 - s4 * s6, -c4 * c5 * s6 - s4 * c6, -c4 * s5],
            [s4 * c5 * c6 + c4 * s6, -s4 * c5 * s6 + c4 * c6, -s4 * s5],
            [s5 * c6, -s5 * s6, c5],
        ])  # fmt: skip
        np.testing.assert_allclose(printed, R36, rtol=0, atol=EXACT)
        (r1, r2, r3), c1, s1 = R03 @ R36, np.cos(theta[0]), np.sin(theta[0])
        c23, s23 = np.cos(theta[1] + theta[2]), np.sin(theta[1] + theta[2])
        u = [
            c1 * c23 * r1 + s1 * c23 * r2 - s23 * r3,
            -c1 * r2 + s1 * r1,
            -c23 * r3 - c1 * s23 * r1 - s1 * s23 * r2,
        ]
        np.testing.assert_allclose(u, R36, rtol=0, atol=EXACT)
        assert min(np.abs(wrapped(row - theta[3:])).max() for row in ikin2(R36)) < 1e-9


def test_3_right_second_arm_needs_its_own_radius():
    """2.38 to 2.40 hold with the radius rho + a1; with the angles of the first solution they reach
    nothing.
    """
    right = reused = count = 0
    for theta in THETA:
        p = wrist_center(theta)
        if (
            abs(
                ((np.hypot(p[0], p[1]) + A1) ** 2 + (p[2] - D1) ** 2 - A2**2 - B3**2)
                / (2 * A2 * B3)
            )
            <= 1.0
        ):
            count += 1
            right += np.linalg.norm(wrist_center(np.r_[ikin1(p)[2], 0, 0, 0]) - p) < 1e-9
            reused += (
                np.linalg.norm(wrist_center(np.r_[ikin1(p, reuse=True)[2], 0, 0, 0]) - p) < 1e-9
            )
    assert count > 50
    assert right == count
    assert reused == 0


def test_3_right_ikin1():
    """Its four rows in the printed order; the input's rounding alone moves them by up to 4e-4."""
    printed = [
        [0.1, -1.1567, 0.0297],
        [0.1, 0.4488, -2.8410],
        [-3.0416, -2.6007, -1.8924],
        [-3.0416, -3.1359, -0.9189],
    ]
    p = np.array([1.0877, 0.1091, 0.8235])
    np.testing.assert_allclose(ikin1(p), printed, rtol=0, atol=5e-4)
    for row in ikin1(p):
        np.testing.assert_allclose(wrist_center(np.r_[row, 0, 0, 0]), p, rtol=0, atol=1e-12)
    moved = [
        np.abs(ikin1(p + PRINTED * np.array(signs)) - ikin1(p)).max()
        for signs in itertools.product((1, -1), repeat=3)
    ]
    assert 2e-4 < max(moved) < 4.5e-4


def test_3_right_ikin2():
    """Its two rows in the printed order; R03 is that of ikin1's first row, and the wrist is not
    singular (s = 0).
    """
    R = np.array([[-0.0003, -0.1983, 0.9801], [0.0007, 0.9801, 0.1983], [-1.0, 0.0007, -0.0001]])
    R03 = np.array([[0.4272, 0.0998, 0.8986], [0.0429, -0.9950, 0.0902], [0.9031, 0.0, -0.4294]])
    printed = np.array([[2.9128, 0.4540, 0.2070], [-0.2288, -0.4540, -2.9346]])
    np.testing.assert_allclose(ikin2(R03.T @ R), printed, rtol=0, atol=5e-4)
    np.testing.assert_allclose(r_03(np.array([0.1, -1.1567, 0.0297])), R03, rtol=0, atol=2e-4)
    assert (np.abs(np.sin(printed[:, 1])) > 0.4).all()


# --- velocities


def test_3_right_jacobian_at_home():
    """Both printed listings: J of the joint variables at home, which Pinocchio's J of the axes
    gives through eq. 2.25.
    """
    printed = np.array([
        [0, 0.72, 0.12, 0, 0, 0], [0.955, 0, 0, 0, 0, 0], [0, -0.805, -0.805, 0, -0.085, 0],
        [0, 0, 0, 1, 0, 1], [0, 1, 1, 0, 1, 0], [1, 0, 0, 0, 0, 0],
    ])  # fmt: skip
    J = ROBOT.jacobian(np.zeros(6), "tool0") @ np.linalg.inv(COUPLED)
    np.testing.assert_allclose(J, printed, rtol=0, atol=PRINTED)


def test_3_right_columns_of_the_jacobian():
    """2.51 to 2.65: columns z x (d - d_i) over z are the derivative of the pose, revolute, and z
    over 0 for a prismatic joint.
    """
    for theta in WILD[:20]:
        poses = [np.eye(4), *itertools.accumulate(steps(theta), np.matmul)]
        columns = [
            np.r_[np.cross(T[:3, 2], poses[-1][:3, 3] - T[:3, 3]), T[:3, 2]] for T in poses[:-1]
        ]
        J = ROBOT.jacobian(np.linalg.solve(COUPLED, theta - THETA_0), "tool0") @ np.linalg.inv(
            COUPLED
        )
        np.testing.assert_allclose(np.array(columns).T, J, rtol=0, atol=EXACT)
    scara = irb.load("irb930")
    np.testing.assert_allclose(
        scara.jacobian([0.3, 0.4, -0.1, 0.2], "tool0")[:, 2], [0, 0, 1, 0, 0, 0], atol=EXACT
    )


def test_3_right_inverse_velocity_and_acceleration():
    """2.66 to 2.69: rates and accelerations come back from the tool's; a singular J solves only
    what lies in its range.
    """
    for phi in PHI[:20]:
        v, a = RNG.normal(size=(2, 6))
        twist = ROBOT.jacobian(phi) @ v
        np.testing.assert_allclose(ROBOT.inverse_velocity(phi, twist), v, rtol=0, atol=1e-8)
        acceleration = ROBOT.jacobian(phi) @ a + ROBOT.jacobian_rate(phi, v) @ v
        np.testing.assert_allclose(
            ROBOT.inverse_acceleration(phi, v, acceleration), a, rtol=0, atol=1e-8
        )
    singular = PHI[0] * [1, 1, 1, 1, 0, 1]
    J = ROBOT.jacobian(singular)
    actual = ROBOT.inverse_velocity(singular, J @ np.ones(6))
    np.testing.assert_allclose(J @ actual, J @ np.ones(6), rtol=0, atol=1e-12)
    lost = np.linalg.svd(J)[0][:, -1]
    assert np.linalg.matrix_rank(np.c_[J, lost], tol=1e-9) > np.linalg.matrix_rank(J, tol=1e-9)
    with pytest.raises(irb.InputError, match="has lost that direction"):
        ROBOT.inverse_velocity(singular, lost)


# --- the page


def test_page_and_tests_of_s003_and_s004_name_each_other():
    """Every test that docs/background/errata.md names exists and has its item's number; every test here and
    for S004 is named there.
    """
    page, here = (
        (Path(__file__).resolve().parents[2] / "docs" / "background" / "errata.md").read_text(
            encoding="utf-8"
        ),
        Path(__file__).parent,
    )
    texts = [
        path.read_text(encoding="utf-8") for path in sorted(here.glob("test_errata_s00[34]*.py"))
    ]
    written = {
        name for text in texts for name in re.findall(r"^def (test_[34]_\w+)\(", text, re.MULTILINE)
    }
    named: set[str] = set()
    for line in page.splitlines():
        tests = re.findall(r"`(test_[34]_\w+)`", line)
        row = re.match(r"\| ([34])-(\d+) \|", line)
        if row:
            assert all(test.startswith(f"test_{row[1]}_{row[2].zfill(2)}_") for test in tests), line
        named |= set(tests)
    assert named == written
