"""What S001 (Jia's report on the IRB 2400) prints wrongly: each test shows the printed form fail
and the corrected one hold.

The truth is the package (Pinocchio on the robot's URDF, or on that of the planar arm), plain numpy
that shares no code with it, or arithmetic. Test names start with the number of the item in
docs/background/errata.md. Angles of its six-axis arm are S001's own (``papers.axis_positions`` turns them into
the controller's), lengths the right ones unless a test says otherwise.
"""

from __future__ import annotations

import itertools
import json
from pathlib import Path

import numpy as np
import oracles
import paper_formulas as papers
import pytest
import yaml
from paper_formulas import A1, A2, A3, D1, D4, D6, S001_A1, S001_D1

import irbmodels as irb

EXACT = 1e-14  # [m, -] products and sums of a dozen terms up to 2; planar arm: entries up to 20
HERE = Path(__file__).resolve().parents[1]
ROBOT = irb.load("irb2400")
ANGLES = np.random.default_rng(1).uniform(-np.pi, np.pi, (40, 6))  # [rad]
HOME = np.array([0, -np.pi / 2, np.pi / 2, 0, 0, np.pi])  # S001's angles of ABB's zero position
AXIS_2 = np.array([A1, 0.0, D1])
POS_3, POS_4, POS_5 = (
    np.array([1.351, -0.118]),
    np.array([0.400, -0.302]),
    np.array([-1.350, 0.624]),
)  # ABB's drawing [m]
DRAWN = 5e-4  # [m] rounding of the drawing

PLANAR = papers.script("planar_3r")
TABLE = PLANAR.PRINTED  # the formulas are tested with the report's own numbers
BENT = np.array([0.3, 0.7, 1.1])  # [rad] position at which a difference is stated
PLANE = np.random.default_rng(2).uniform(-np.pi, np.pi, (20, 3))
APPENDIX = json.loads((HERE / "data" / "irb2400.json").read_text(encoding="utf-8"))["paper001"][
    "appendix"
]
CAD = yaml.safe_load((oracles.URDF / "irb2400" / "published.yaml").read_text(encoding="utf-8"))[
    "sets"
]["jia2018"]["bodies"]


@pytest.fixture(scope="module")
def arm(tmp_path_factory) -> irb.Robot:
    """Return the planar arm of the printed Table 2, read by Pinocchio."""
    return PLANAR.planar(TABLE, tmp_path_factory.mktemp("planar") / "arm.urdf")


def flange(q: np.ndarray) -> np.ndarray:
    """Return the pose of the package's tool0 at S001's angles."""
    return ROBOT.pose(papers.axis_positions(q), "tool0").homogeneous


def products(matrices: list[np.ndarray]) -> list[np.ndarray]:
    """Return A1, A1 A2, ... A1 .. A6."""
    return list(itertools.accumulate(matrices, np.matmul))


def jacobian(q: np.ndarray) -> np.ndarray:
    """Return the package's Jacobian of tool0 for the rates of S001's angles."""
    axes = papers.axis_positions
    slope = np.array([axes(step) - axes(np.zeros(6)) for step in np.eye(6)]).T
    return ROBOT.jacobian(axes(q), "tool0") @ slope


def largest(printed, truth) -> np.ndarray:
    """Return the largest difference of every entry over the random angles."""
    return np.max([np.abs(printed(q) - truth(q)) for q in ANGLES], axis=0)


def wrist(q2: float, r3: float) -> np.ndarray:
    """Return x and z of the wrist centre at axis 2 and angle between the arms in degrees."""
    return ROBOT.pose(np.radians([0, q2, q2 + r3, 0, 0, 0]), "link_5").translation[[0, 2]]


def symbol(arm: irb.Robot, name: str, q: np.ndarray) -> float:
    """Return c_ijk from Pinocchio: C_kj is the sum of c_ijk v_i."""
    i, j, k = (int(digit) - 1 for digit in name)
    return float(arm.coriolis(q, np.eye(3)[i])[k, j])


def check_symbol(arm: irb.Robot, name: str, off: float) -> None:
    """Check that a Christoffel symbol is printed ``off`` too large at BENT, and that the corrected
    one is Pinocchio's.
    """
    assert papers.s001_eq_17_printed(TABLE, BENT)[name] - symbol(arm, name, BENT) == pytest.approx(
        off, rel=5e-3
    )
    for q in PLANE:
        assert papers.s001_eq_17(TABLE, q)[name] == pytest.approx(symbol(arm, name, q), abs=EXACT)


def appendix_tensor(link: int, key: str = "L_at_com_kgmm2", sign: float = -1.0) -> np.ndarray:
    """Return a tensor of the appendix with ``sign`` on its products [kg mm^2]."""
    i = APPENDIX[f"link{link}"][key]
    xy, xz, yz = (sign * i[name] for name in ("xy", "xz", "yz"))
    return np.array([[i["xx"], xy, xz], [xy, i["yy"], yz], [xz, yz, i["zz"]]])


# --- Table 1 and the matrices


def test_1_01_table_1_has_wrong_lengths():
    """With d1 = 435 and a1 = 205 mm the flange at ABB's zero is at (1045, 1275) mm; with 615 and
    100 at (940, 1455).
    """
    printed = products(papers.table_1(HOME, S001_D1, S001_A1))[-1]
    np.testing.assert_allclose(printed[:3, 3], [1.045, 0, 1.275], rtol=0, atol=EXACT)
    np.testing.assert_allclose(
        ROBOT.pose(np.zeros(6), "tool0").translation, [0.940, 0, 1.455], rtol=0, atol=EXACT
    )
    for q in ANGLES:
        np.testing.assert_allclose(products(papers.table_1(q))[-1], flange(q), rtol=0, atol=EXACT)


def test_1_02_table_1_angles_are_not_the_controllers():
    """Read with the controller's angles the table puts the flange at home at (1.645, 0, 0.750) m,
    0.997 m off.
    """
    off = products(papers.table_1(np.zeros(6)))[-1][:3, 3]
    np.testing.assert_allclose(off, [1.645, 0, 0.750], rtol=0, atol=EXACT)
    assert np.linalg.norm(off - ROBOT.pose(np.zeros(6), "tool0").translation) == pytest.approx(
        0.997, abs=5e-4
    )
    np.testing.assert_allclose(papers.axis_positions(HOME), np.zeros(6), rtol=0, atol=EXACT)


def test_1_04_a1_lacks_d1():
    """A1 as printed leaves out the 615 mm of d1 and nothing else."""
    off = papers.table_1(ANGLES[0])[0] - papers.a_printed(ANGLES[0])[0]
    assert off[2, 3] == pytest.approx(0.615, abs=EXACT)
    assert np.abs(np.delete(off.ravel(), 11)).max() < EXACT
    np.testing.assert_allclose(
        papers.a_matrices(ANGLES[0])[0], papers.table_1(ANGLES[0])[0], rtol=0, atol=EXACT
    )


def test_1_05_a3_turns_a3_by_90_degrees():
    """A3 as printed has (c3, s3) for (s3, -c3): the origin of frame 3 is sqrt(2) a3 = 191 mm off at
    every angle.
    """
    for q in ANGLES:
        off = papers.a_printed(q)[2] - papers.table_1(q)[2]
        assert np.linalg.norm(off[:3, 3]) == pytest.approx(0.191, abs=5e-4)
        assert np.abs(off[:, :3]).max() < EXACT
        np.testing.assert_allclose(
            papers.a_matrices(q)[2], papers.table_1(q)[2], rtol=0, atol=EXACT
        )


def test_1_06_a4_is_a_reflection():
    """A4 as printed has determinant -1; with +1 in entry (3, 2) it is Table 1's."""
    for q in ANGLES:
        assert np.linalg.det(papers.a_printed(q)[3]) == pytest.approx(-1.0, abs=EXACT)
        np.testing.assert_allclose(
            papers.a_matrices(q)[3], papers.table_1(q)[3], rtol=0, atol=EXACT
        )


def test_1_07_a6_lost_its_third_row():
    """Without (0, 0, 1, d6) the flange is 85 mm short of the robot's; with it A6 is Table 1's."""
    q = ANGLES[0]
    short = products(
        [*papers.table_1(q)[:5], papers.a_matrices(q)[5] - np.outer([0, 0, 1, 0], [0, 0, 1, D6])]
    )[-1]
    assert np.linalg.norm(flange(q)[:3, 3] - short[:3, 3]) == pytest.approx(0.085, abs=EXACT)
    np.testing.assert_allclose(papers.a_matrices(q)[5], papers.table_1(q)[5], rtol=0, atol=EXACT)


def test_1_08_a2_has_a_zero_third_row():
    """A2 as printed has determinant 0: it flattens space; with 1 in entry (3, 3) it is Table
    1's.
    """
    for q in ANGLES:
        assert np.linalg.det(papers.a_printed(q)[1]) == 0.0
        np.testing.assert_allclose(
            papers.a_matrices(q)[1], papers.table_1(q)[1], rtol=0, atol=EXACT
        )


def test_1_09_r_is_no_rotation():
    """The printed r has determinant 0 and entries off by up to 2; it is the product of the printed
    A, faults and all.
    """
    off = largest(papers.r_printed, lambda q: flange(q)[:3, :3])
    assert (off > 1.0).all()
    assert 1.9 < off.max() < 2.0 + EXACT
    assert np.linalg.matrix_rank(papers.r_printed(np.zeros(6))) == 2
    for q in ANGLES:
        assert abs(np.linalg.det(papers.r_printed(q))) < EXACT
        np.testing.assert_allclose(
            papers.r_printed(q), products(papers.a_printed(q))[-1][:3, :3], rtol=0, atol=EXACT
        )
        np.testing.assert_allclose(papers.r_matrix(q), flange(q)[:3, :3], rtol=0, atol=EXACT)


def test_1_11_d_x_and_d_y_add_a3_to_d4():
    """With the right rotation d_x and d_y as printed are off by up to sqrt(2) a3 = 191 mm;
    corrected they are the robot's.
    """
    q = np.array([0, 0, -np.pi / 4, 0, 0, 0])
    off = papers.d_printed(q, papers.r_matrix(q)) - flange(q)[:3, 3]
    assert off[0] == pytest.approx(np.sqrt(2) * A3, abs=EXACT)
    assert (
        largest(lambda x: papers.d_printed(x, papers.r_matrix(x)), lambda x: flange(x)[:3, 3])[
            :2
        ].max()
        < 0.191
    )
    for x in ANGLES:
        np.testing.assert_allclose(
            papers.d_vector(x, papers.r_matrix(x))[:2], flange(x)[:2, 3], rtol=0, atol=EXACT
        )


def test_1_12_d_z_lacks_d1_and_turns_a3():
    """With the right rotation d_z as printed is off by up to d1 + sqrt(2) a3 = 806 mm; corrected it
    is the robot's.
    """
    q = np.array([0, 0, np.pi / 4, 0, 0, 0])
    off = papers.d_printed(q, papers.r_matrix(q)) - flange(q)[:3, 3]
    assert off[2] == pytest.approx(-0.806, abs=5e-4)
    for x in ANGLES:
        assert papers.d_vector(x, papers.r_matrix(x))[2] == pytest.approx(
            flange(x)[2, 3], abs=EXACT
        )


# --- Jacobian


def test_1_13_origins_lack_d1_and_mix_terms():
    """All six heights lack d1 = 615 mm; o2y has c1 for s1, o3 to o6 turn a3; corrected they are the
    product's.
    """

    def truth(q):
        return np.array([pose[:3, 3] for pose in products(papers.table_1(q))])

    off = largest(lambda q: papers.o_printed(q, papers.r_matrix(q)), truth)
    assert (off[:, 2] >= 0.615 - EXACT).all()
    assert np.sqrt(2) * A1 >= off[1, 1] > 0.13
    assert (np.sqrt(2) * A3 >= off[2:, :2]).all()
    assert (off[2:, :2] > 0.15).all()
    assert off[:2, 0].max() < EXACT  # x of o1 and o2 is right
    assert largest(lambda q: papers.o_vectors(q, papers.r_matrix(q)), truth).max() < EXACT
    for q in ANGLES[:5]:
        np.testing.assert_allclose(truth(q)[5], flange(q)[:3, 3], rtol=0, atol=EXACT)


def test_1_14_axes_are_not_constant():
    """At home the printed z1 to z5 are x, x, z, z, z; right is y, y, x, y, x, and they turn with
    the arm.
    """
    x, y, z = np.eye(3)
    np.testing.assert_array_equal(papers.z_printed(HOME)[1:], [x, x, z, z, z])
    np.testing.assert_allclose(
        papers.z_vectors(HOME, papers.r_matrix(HOME))[1:], [y, y, x, y, x], rtol=0, atol=EXACT
    )
    for q in ANGLES:
        actual = papers.z_vectors(q, papers.r_matrix(q))
        np.testing.assert_allclose(actual.T, jacobian(q)[3:], rtol=0, atol=EXACT)


def test_1_15_printed_jacobian_has_rank_5():
    """The row of omega_y is 0, columns 5 and 6 are equal, entries are off by up to 2.5 m; z x (o6 -
    o) is the robot's.
    """
    off = largest(lambda q: papers.jacobian_printed(q, papers.r_printed(q)), jacobian)
    assert off[:3].max() == pytest.approx(2.54, abs=0.01)
    for q in ANGLES:
        J = papers.jacobian_printed(q, papers.r_printed(q))
        assert np.linalg.matrix_rank(J) == 5
        assert not J[4].any()
        np.testing.assert_array_equal(J[:, 4], J[:, 5])
        actual = papers.s001_eq_4_77(
            papers.z_vectors(q, papers.r_matrix(q)), papers.o_vectors(q, papers.r_matrix(q))
        )
        np.testing.assert_allclose(actual, jacobian(q), rtol=0, atol=EXACT)
        assert np.abs(actual[:3, 5]).max() < EXACT  # o6 - o5 lies along z5


def test_1_16_jv1_has_y_for_x():
    """At home Jv1 says that the flange moves by 1 m/rad sideways; with (-o6y, o6x, 0) it is 0.94
    m/rad, as the robot's.
    """
    r = papers.r_matrix(HOME)
    assert papers.jacobian_printed(HOME, r)[1, 0] == pytest.approx(1.0, abs=EXACT)
    assert jacobian(HOME)[1, 0] == pytest.approx(0.94, abs=EXACT)
    off = largest(
        lambda q: papers.jacobian_printed(q, papers.r_matrix(q))[:2, 0],
        lambda q: jacobian(q)[:2, 0],
    )
    assert (off > 0.9).all()
    for q in ANGLES:
        o6 = papers.o_vectors(q, papers.r_matrix(q))[5]
        np.testing.assert_allclose([-o6[1], o6[0], 0], jacobian(q)[:3, 0], rtol=0, atol=EXACT)


# --- workspace


def test_1_17_radius_r1_adds_lengths_at_right_angles():
    """The flange is never 1680 mm from axis 2: at most 1557.0 mm, 1555.8 with q5 = 0; the wrist
    centre 1472.0 mm.
    """

    def reach(r3: float, q5: float, frame: str = "tool0") -> float:
        return float(np.linalg.norm(ROBOT.pose([0, 0, r3, 0, q5, 0], frame).translation - AXIS_2))

    bend = np.arctan2(A3, D4)
    printed = A2 + A3 + D4 + D6
    assert printed == pytest.approx(1.680, abs=EXACT)
    best = reach(bend - np.pi / 2, -bend)
    assert best == pytest.approx(A2 + np.hypot(A3, D4) + D6, abs=EXACT)
    assert best == pytest.approx(1.5570, abs=5e-5)
    assert reach(np.arctan2(A3, D4 + D6) - np.pi / 2, 0.0) == pytest.approx(1.5558, abs=5e-5)
    assert reach(bend - np.pi / 2, 0.0, "link_5") == pytest.approx(1.4720, abs=5e-5)
    tried = np.random.default_rng(3).uniform(-np.pi, np.pi, (500, 2))
    assert max(reach(r3, q5) for r3, q5 in tried) < best


def test_1_18_radius_r2_uses_the_wrong_height():
    """Pos 2 is 447.8 mm from axis 2 by the drawing, not 510; the robot has the wrist there with the
    lower arm upright.
    """
    assert np.hypot(0.541 - 0.100, 0.693 - S001_D1) == pytest.approx(0.511, abs=5e-4)
    right = np.hypot(0.541 - 0.100, 0.693 - D1)
    assert right == pytest.approx(0.4478, abs=5e-5)
    np.testing.assert_allclose(wrist(0, 65), [0.541, 0.693], rtol=0, atol=DRAWN)
    assert np.linalg.norm(wrist(0, 65) - AXIS_2[[0, 2]]) == pytest.approx(right, abs=DRAWN)


def test_1_19_elbow_of_pos_3():
    """At Pos 3 joint 3 is at (762.5, 373.9) mm, not (827, 195), 767.0 mm from the wrist, not 840;
    its own atan is 41.5 deg.
    """
    elbow = ROBOT.pose(np.radians([0, 110, 50, 0, 0, 0]), "link_3").translation[[0, 2]]
    np.testing.assert_allclose(wrist(110, -60), POS_3, rtol=0, atol=DRAWN)
    np.testing.assert_allclose(elbow, [0.7625, 0.3739], rtol=0, atol=5e-5)
    assert np.linalg.norm(wrist(110, -60) - elbow) == pytest.approx(0.7670, abs=5e-5)
    # not even its own radius
    assert np.linalg.norm(POS_3 - [0.827, 0.195]) == pytest.approx(0.610, abs=5e-4)
    across, down = wrist(110, -60) - elbow
    assert np.degrees(np.arctan2(down, across)) == pytest.approx(-39.86, abs=5e-3)
    assert np.degrees(np.arctan2(118 + 435, 1351 - 727)) == pytest.approx(41.5, abs=0.05)


def test_1_20_workspace_inequalities_are_a_box():
    """Their corner is sqrt(2) R1 from axis 2; (4) is the line through base and Pos 4, but excludes
    Pos 5, which is reached.
    """
    q2 = np.radians(np.linspace(-120, 120, 241))
    q1 = np.radians(np.linspace(-180, 180, 361))
    corner = (
        np.array([np.max(np.sin(q1)) * 1.680 + 0.100, np.max(np.sin(q2)) * 1.680 + 0.615]) - 1e-6
    )  # satisfies (1)
    assert np.linalg.norm(corner - AXIS_2[[0, 2]]) == pytest.approx(np.sqrt(2) * 1.680, abs=1e-5)
    assert 400 * POS_4[1] + 302 * POS_4[0] == pytest.approx(0.0, abs=1e-12)
    x, z = wrist(-100, -60)
    np.testing.assert_allclose([x, z], POS_5, rtol=0, atol=DRAWN)
    assert ROBOT.in_range(np.radians([0, -100, -160, 0, 0, 0]))
    assert 400 * z + 302 * x < -100


# --- planar arm


def test_1_21_axis_4_is_not_parallel_to_2_and_5():
    """Axes 2, 3 and 5 are parallel wherever axis 4 is 0; axis 4, which the report takes for 3, is
    normal to them.
    """
    q = np.radians([0, 20, 30, 0, 40, 0])
    two, three, four, five = (ROBOT.pose(q, f"link_{i}").rotation[:, 2] for i in (2, 3, 4, 5))
    assert two @ three == pytest.approx(1.0, abs=EXACT)
    assert abs(two @ five) == pytest.approx(1.0, abs=EXACT)
    assert abs(two @ four) < EXACT


def test_1_22_table_2_halves_two_masses():
    """m3 + m4 is 21.02 kg and m5 + m6 is 0.419 kg; 10.51 and 0.21 are half of that."""
    sums = [
        CAD[a]["mass_kg"] + CAD[b]["mass_kg"]
        for a, b in (("link_3", "link_4"), ("link_5", "link_6"))
    ]
    np.testing.assert_allclose(sums, [21.02, 0.41945], rtol=0, atol=5e-5)
    np.testing.assert_allclose(
        [TABLE[1].mass, TABLE[2].mass], np.array(sums) / 2, rtol=0, atol=5e-3
    )
    np.testing.assert_allclose([link.mass for link in PLANAR.corrected()[1:]], sums, rtol=1e-14)


def test_1_23_table_2_takes_moments_about_the_vertical():
    """The printed values are Lzz of links 2, 3 and 5; about the joint axes the composites have
    0.6407, 1.8869 and 7.829e-4.
    """
    for link, name in zip(TABLE, ("link_2", "link_3", "link_5"), strict=True):
        assert link.inertia == pytest.approx(CAD[name]["inertia_kg_m2"]["zz"], rel=4e-4)
        # the axis is base y
        assert abs(ROBOT.pose(np.zeros(6), name).rotation[1, 2]) == pytest.approx(1.0, abs=EXACT)
    lyy = [CAD[name]["inertia_kg_m2"]["yy"] for name in ("link_2", "link_3", "link_5")]
    np.testing.assert_allclose(lyy, [0.6407, 0.3272, 5.448e-4], rtol=2e-4)
    np.testing.assert_allclose(
        [link.inertia for link in PLANAR.corrected()], [0.6407, 1.8869, 7.829e-4], rtol=1e-4
    )


def test_1_24_centres_are_not_half_way():
    """Centres of mass are 323.2, 208.2 and 8.7 mm from the joint, not half the length; link 2 is
    767.0 mm long, not 755.
    """
    actual = PLANAR.corrected()
    np.testing.assert_allclose(
        [link.com for link in actual], [0.3232, 0.2082, 0.0087], rtol=0, atol=5e-5
    )
    np.testing.assert_allclose(
        [link.com for link in TABLE], [link.length / 2 for link in TABLE], rtol=1e-14
    )
    elbow, centre = (ROBOT.pose(ANGLES[0], f"link_{i}").translation for i in (3, 5))
    assert actual[1].length == pytest.approx(np.linalg.norm(centre - elbow), abs=EXACT)
    assert actual[1].length == pytest.approx(0.7670, abs=5e-5)
    assert TABLE[1].length == D4


def test_1_25_eq_7_and_11_lose_rotations(arm):
    """At rates (1, 1, 1) link 3 turns at 3, for eq. 7 at 2: 8.6e-4 J of its energy are missing;
    with I3 ones(3) it is right.
    """
    rates, turning = np.ones(3), np.array([1.0, 2.0, 3.0])
    truth = 0.5 * sum(link.inertia * w**2 for link, w in zip(TABLE, turning, strict=True))
    assert 0.5 * rates @ papers.s001_eq_7_printed(TABLE) @ rates - truth == pytest.approx(
        -8.6e-4, abs=5e-6
    )
    np.testing.assert_array_equal(
        papers.s001_eq_7_printed(TABLE), papers.s001_eq_11_inertia_printed(TABLE)
    )
    assert 0.5 * rates @ papers.s001_eq_11_inertia(TABLE) @ rates == pytest.approx(truth, rel=1e-14)
    points = [link._replace(inertia=0.0) for link in TABLE]
    rotational = arm.mass_matrix(BENT) - papers.s001_eq_12(points, BENT)
    np.testing.assert_allclose(papers.s001_eq_11_inertia(TABLE), rotational, rtol=0, atol=EXACT)


def test_1_26_d11_has_a_term_too_many(arm):
    """m2 2 l1 lc2^2 makes d11 2.11 kg m^2 too large (15.2 at q = 0); without it it is
    Pinocchio's.
    """
    off = papers.s001_eq_12_printed(TABLE, BENT)[0, 0] - arm.mass_matrix(BENT)[0, 0]
    assert off == pytest.approx(2.112, abs=5e-4)
    for q in PLANE:
        assert papers.s001_eq_12(TABLE, q)[0, 0] == pytest.approx(
            arm.mass_matrix(q)[0, 0], abs=EXACT
        )


def test_1_27_d33_has_c3_for_lc3(arm):
    """At q3 = 0 printed 0.2103 kg m^2, right 7.2e-4 at every angle."""
    assert papers.s001_eq_12_printed(TABLE, np.zeros(3))[2, 2] == pytest.approx(0.2103, abs=5e-5)
    for q in PLANE:
        assert arm.mass_matrix(q)[2, 2] == pytest.approx(7.223e-4, abs=5e-8)
        assert papers.s001_eq_12(TABLE, q)[2, 2] == pytest.approx(
            arm.mass_matrix(q)[2, 2], abs=EXACT
        )


def test_1_28_d12_d22_d23_lack_i3(arm):
    """Each is 3.43e-4 kg m^2 too small, which is all of I3; with it D is Pinocchio's."""
    for q in PLANE:
        off = papers.s001_eq_12_printed(TABLE, q) - arm.mass_matrix(q)
        np.testing.assert_allclose([off[0, 1], off[1, 1], off[1, 2]], -3.43e-4, rtol=0, atol=EXACT)
        assert abs(off[0, 2]) < EXACT  # d13 is right
        np.testing.assert_allclose(
            papers.s001_eq_12(TABLE, q), arm.mass_matrix(q), rtol=0, atol=EXACT
        )


def test_1_29_c121_has_l2_for_lc3(arm):
    """At (0.3, 0.7, 1.1) rad it is 0.103 too low; -(A + B) is Pinocchio's."""
    check_symbol(arm, "121", -0.1027)


def test_1_30_c131_has_l2_for_l1(arm):
    """At (0.3, 0.7, 1.1) rad it is 4.3e-4 too low; -(B + E) is Pinocchio's."""
    check_symbol(arm, "131", -4.346e-4)


def test_1_31_c231_counts_b_twice(arm):
    """At (0.3, 0.7, 1.1) rad it is B / 2 = 3.1e-3 too low; -(B + E) is Pinocchio's."""
    check_symbol(arm, "231", -3.064e-3)


def test_1_32_c112_lacks_m3(arm):
    """At (0.3, 0.7, 1.1) rad it is 0.023 too high, a length squared instead of kg m^2; A + B is
    Pinocchio's.
    """
    check_symbol(arm, "112", 0.02305)


def test_1_33_c132_has_half_of_b_left(arm):
    """At (0.3, 0.7, 1.1) rad it is B / 2 = 3.1e-3 too low; -E is Pinocchio's."""
    check_symbol(arm, "132", -3.064e-3)


def test_1_34_c232_differentiates_by_q2(arm):
    """At (0.3, 0.7, 1.1) rad it is 0 for -E = -6.0e-3; -E is Pinocchio's."""
    check_symbol(arm, "232", 6.005e-3)


def test_1_35_c113_has_s2_for_s3(arm):
    """At (0.3, 0.7, 1.1) rad it is 1.7e-3 too low; B + E is Pinocchio's."""
    check_symbol(arm, "113", -1.664e-3)


def test_1_36_c333_is_zero(arm):
    """At (0.3, 0.7, 1.1) rad it is -0.170 for 0; d33 is constant, and of the printed d33 the half
    derivative is -0.085.
    """
    check_symbol(arm, "333", -0.1698)
    step = np.array([0, 0, 1e-6])
    ahead, behind = (papers.s001_eq_12_printed(TABLE, BENT + sign * step)[2, 2] for sign in (1, -1))
    assert 0.5 * (ahead - behind) / 2e-6 == pytest.approx(-0.1698 / 2, abs=1e-4)


def test_1_37_eq_18_takes_two_wrong_symbols(arm):
    """With the printed symbols c12 moves by 0.072 N m s; with the right ones nothing shows, as c211
    = c221 and c311 = c331.
    """
    v = np.array([0.5, -0.7, 0.9])
    symbols = papers.s001_eq_17_printed(TABLE, BENT)
    off = papers.s001_eq_18_printed(symbols, v) - papers.s001_eq_18(symbols, v)
    assert off[0, 1] == pytest.approx(0.0719, abs=5e-5)
    assert off[0, 2] == pytest.approx(-3.91e-4, abs=5e-7)
    for q in PLANE:
        symbols = papers.s001_eq_17(TABLE, q)
        np.testing.assert_allclose(
            papers.s001_eq_18(symbols, v), arm.coriolis(q, v), rtol=0, atol=EXACT
        )
        np.testing.assert_allclose(
            papers.s001_eq_18_printed(symbols, v), arm.coriolis(q, v), rtol=0, atol=EXACT
        )


def test_1_38_p3_has_q2_for_q1_plus_q2(arm):
    """At (0.3, 0.7, 1.1) rad it is 0.31 J too low; with q1 + q2 the sum is eq. 19 and Pinocchio's
    energy.
    """
    assert papers.p_3_printed(TABLE, BENT, 9.81) - papers.p_3(TABLE, BENT, 9.81) == pytest.approx(
        -0.307, abs=5e-4
    )
    for q in PLANE:
        alone = papers.s001_eq_19_potential(
            [*(link._replace(mass=0.0) for link in TABLE[:2]), TABLE[2]], q, 9.81
        )
        assert papers.p_3(TABLE, q, 9.81) == pytest.approx(alone, abs=EXACT)
        assert papers.s001_eq_19_potential(TABLE, q, 9.81) == pytest.approx(
            arm.energy(q, np.zeros(3)).potential, abs=1e-12
        )


def test_1_39_g3_is_the_derivative_by_q3(arm):
    """dP/dq2, as the label has it, is 21.8 N m at (0.3, 0.7, 1.1) rad; g3 is -0.044 N m, the
    derivative by q3.
    """

    def slope(i: int) -> float:
        step = 1e-5 * np.eye(3)[i]  # error about 1e-10 x P
        ahead, behind = (
            papers.s001_eq_19_potential(TABLE, BENT + sign * step, 9.81) for sign in (1, -1)
        )
        return float((ahead - behind) / 2e-5)

    g3 = papers.s001_eq_21_22(TABLE, BENT, 9.81)[2]
    assert slope(1) == pytest.approx(21.8, abs=0.05)
    assert slope(2) == pytest.approx(g3, abs=1e-8)
    assert g3 == pytest.approx(-0.0442, abs=5e-5)
    for q in PLANE:
        np.testing.assert_allclose(
            papers.s001_eq_21_22(TABLE, q, 9.81), arm.gravity(q), rtol=0, atol=1e-12
        )


def test_1_41_five_values_are_no_position():
    """Section 4.1 prints five angles; the robot refuses five, and takes the six of the report's
    program.
    """
    printed = [np.pi / 3, -np.pi / 4, np.pi / 4, np.pi / 4, np.pi / 4]
    with pytest.raises(irb.InputError, match=r"needs shape \(6,\)"):
        ROBOT.pose(printed)
    ROBOT.pose([*printed, np.pi / 4])


def test_1_42_gravity_of_9_8(arm):
    """9.8 for 9.81 m/s^2 makes every gravity torque 0.1 % smaller, 0.17 N m on joint 1 stretched
    out.
    """
    q = np.zeros(3)
    light = arm.with_gravity([0, 0, -9.8]).gravity(q)
    np.testing.assert_allclose(light / arm.gravity(q), 9.8 / 9.81, rtol=1e-14)
    assert arm.gravity(q)[0] - light[0] == pytest.approx(0.173, abs=5e-4)


def test_1_43_the_differences_are_errors_not_lost_information():
    """At the angles of section 4.1 the printed flange is 0.76 m off; with the items above put right
    nothing is left.
    """
    q = np.array([np.pi / 3, -np.pi / 4, np.pi / 4, np.pi / 4, np.pi / 4, np.pi / 4])
    off = papers.d_printed(q, papers.r_printed(q), S001_A1) - flange(q)[:3, 3]
    assert np.linalg.norm(off) == pytest.approx(0.76, abs=0.005)
    right = products(papers.a_matrices(q))[-1]
    np.testing.assert_allclose(right, flange(q), rtol=0, atol=EXACT)
    np.testing.assert_allclose(
        papers.d_vector(q, papers.r_matrix(q)), right[:3, 3], rtol=0, atol=EXACT
    )


def test_1_44_fig_9_moves_twice_as_far(arm):
    """The program's q = q' t with q' = 0.1 t has q'' = 0.2; after 5 s joint 1 needs -93 N m there,
    at 0.05 t^2 it is 7.7.
    """
    t = PLANAR.TIME
    second = np.diff((0.1 * t) * t, 2) / (t[1] - t[0]) ** 2
    np.testing.assert_allclose(second, 0.2, rtol=1e-10)
    np.testing.assert_allclose(np.diff(0.05 * t**2, 2) / (t[1] - t[0]) ** 2, 0.1, rtol=1e-10)
    printed = arm.inverse_dynamics(
        np.full(3, 2.5), np.full(3, 0.5), np.full(3, 0.1), friction=False
    )
    assert printed[0] == pytest.approx(-93.2, abs=0.05)
    assert PLANAR.torques(arm)[-1, 0] == pytest.approx(7.69, abs=0.005)


# --- appendix


def test_1_a1_products_are_plus_integrals():
    """With the products of L negated the principal moments are the printed ones; as tensor entries
    they miss by 413 kg mm^2.
    """
    missed = []
    for link in (2, 3, 4, 5):  # of links 1 and 6 L or P is lost
        printed = APPENDIX[f"link{link}"]["P_kgmm2"]
        np.testing.assert_allclose(
            np.linalg.eigvalsh(appendix_tensor(link)), printed, rtol=0, atol=2e-5
        )
        missed.append(np.abs(np.linalg.eigvalsh(appendix_tensor(link, sign=1.0)) - printed).max())
    assert max(missed) == pytest.approx(413, abs=0.5)


def test_1_a2_moments_at_the_origin_agree():
    """I = L + m (y^2 + z^2, ..., + x y, ...) for links 2, 3, 4 and 6, so none of their digits is
    lost; all are possible.
    """
    for link in (2, 3, 4, 6):
        body = APPENDIX[f"link{link}"]
        x, y, z = body["com_mm"]
        squares = {
            "xx": y * y + z * z,
            "yy": x * x + z * z,
            "zz": x * x + y * y,
            "xy": x * y,
            "xz": x * z,
            "yz": y * z,
        }
        for key, square in squares.items():
            moved = body["L_at_com_kgmm2"][key] + body["mass_kg"] * square
            # five decimals of a mass of 0.04890 kg, and of larger ones
            rounding = 1e-4 if link == 6 else 1e-5
            assert moved == pytest.approx(body["I_at_output_kgmm2"][key], rel=rounding)
    for link in (2, 3, 4, 5, 6):
        low, middle, high = np.linalg.eigvalsh(appendix_tensor(link))
        assert low > 0.0
        assert high <= low + middle


def test_1_a4_lost_blocks_follow_from_what_is_left():
    """L of link 1 from its principal moments and axes is the CAD file's within 6 kg mm^2; so are
    the lost third axes.
    """
    body = APPENDIX["link1"]
    left, _, right = np.linalg.svd(body["principal_axes_rows"])
    axes = left @ right  # the rotation nearest to the rows of five decimals
    rebuilt = axes.T @ np.diag(body["P_kgmm2"]) @ axes
    entries = CAD["link_1"]["inertia_kg_m2"]
    for (i, j), key in {
        (0, 0): "xx",
        (1, 1): "yy",
        (2, 2): "zz",
        (0, 1): "xy",
        (0, 2): "xz",
        (1, 2): "yz",
    }.items():
        assert rebuilt[i, j] == pytest.approx(1e6 * entries[key], abs=6.0)
    for link, third in ((2, (0.99904, -0.02692, 0.03442)), (4, (-0.00082, 0.00477, 0.99999))):
        first, second, lost = APPENDIX[f"link{link}"]["principal_axes_rows"]
        assert lost is None
        np.testing.assert_allclose(np.cross(first, second), third, rtol=0, atol=2e-5)


def test_1_a5_masses_are_volumes():
    """At 1000 kg/m^3 the six links weigh 90.1 kg and with the base 135.2 kg; the robot's catalogue
    mass is 380 kg.
    """
    moving = sum(APPENDIX[f"link{link}"]["mass_kg"] for link in range(1, 7))
    assert moving == pytest.approx(90.1, abs=0.05)
    assert moving + CAD["base_link"]["mass_kg"] == pytest.approx(135.2, abs=0.05)
    assert irb.describe("irb2400").limits.ratings.mass_kg == 380.0
    for link in range(1, 7):
        body = APPENDIX[f"link{link}"]
        assert body["mass_kg"] == pytest.approx(1000.0 * body["volume_m3"], abs=0.006)


def test_1_a6_the_cad_stands_in_abbs_base_frame():
    """Link 6's centre in frame 6 of the arm with d1 = 615, a1 = 100 is Tab. 3's of S000; with 435
    and 205 it is 208 mm off.
    """
    com = np.append(np.array(APPENDIX["link6"]["com_mm"]) / 1000.0, 1.0)
    table = irb.describe("irb2400").inertials.sets["obal2025_printed"].links["link_6"].com_mm
    home = ROBOT.pose(np.zeros(6), "link_6").homogeneous
    np.testing.assert_allclose(1000.0 * (np.linalg.inv(home) @ com)[:3], table, rtol=0, atol=0.01)
    home[:3, 3] += [S001_A1 - A1, 0, S001_D1 - D1]
    assert np.linalg.norm(1000.0 * (np.linalg.inv(home) @ com)[:3] - table) == pytest.approx(
        208.4, abs=0.1
    )


# --- what is right as printed


def test_1_right_symbols_of_eq_17(arm):
    """Ten Christoffel symbols are right as printed, zeros included."""
    for name in ("111", "221", "331", "122", "222", "332", "123", "133", "223", "233"):
        for q in PLANE:
            assert papers.s001_eq_17_printed(TABLE, q)[name] == pytest.approx(
                symbol(arm, name, q), abs=EXACT
            )


def test_1_right_matrix_a5():
    """A5 is right as printed."""
    for q in ANGLES:
        np.testing.assert_allclose(papers.a_printed(q)[4], papers.table_1(q)[4], rtol=0, atol=EXACT)
