"""What S003 (Norrlof, LiTH-ISY-R-2208) prints wrongly about dynamics: the printed form fails, the
corrected one holds.

S003 prints no masses. The bodies are those of the golden file, placeholders in S003's own frames:
``FULL`` with everything a body can have, ``PLANE`` under the paper's assumptions (nothing across
the arm's plane, the rod's centre on its axis). The truth is Lagrange from energies by complex steps
(``oracles``), or Pinocchio. Test names start with the number of the item in docs/background/errata.md.
``theta`` of section 3 are the controller's axes.
"""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np
import oracles
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from scipy.linalg import expm

import irbmodels as irb
from irbmodels.dynamics.closed_forms import MainAxes
from irbmodels.dynamics.oracles import Bar, Chain
from irbmodels.model.inertia import Inertial

EXACT = 1e-11  # [kg m^2, N m] sums of dozens of terms up to 1000
G = 9.81  # [m/s^2]
GOLDEN = json.loads(
    (Path(__file__).parents[1] / "data" / "irb1400.json").read_text(encoding="utf-8")
)["irb1400"]["dynamics"]
L1X, L1Z, L2Z, L5X = (GOLDEN["geometry"][key] for key in ("l1x", "l1z", "l2z", "l5x"))
FULL, PLANE = GOLDEN["full"], GOLDEN["plane"]
STATES = (
    np.random.default_rng(31).uniform(-1.5, 1.5, (40, 3, 3)) * np.array([1.0, 1.5, 3.0])[:, None]
)
START = np.array([0.0, 0.3, -0.2, 2.0, 1.0, -1.0])  # [rad, rad/s] of the free motion in 3-25
UPRIGHT = oracles.rotation(0, -np.pi / 2)  # z of a joint along y


def bodies(given: dict) -> list[tuple[float, np.ndarray, np.ndarray]]:
    """Return mass, centre and tensor of bodies 2 to 5, in S003's frames."""
    return [
        tuple(map(np.array, (row["m"], row["com"], row["I_com"])))
        for row in (given["bodies"][str(i)] for i in (2, 3, 4, 5))
    ]


def arm(given: dict) -> oracles.Arm:
    """Return the linkage as joints: column, lower arm, upper arm on it, crank, rod on it; the first
    three q turn them.
    """
    back, unit = UPRIGHT[:3, :3].T, np.eye(3)
    shoulder = oracles.shift(L1X, 0, L1Z) @ UPRIGHT
    joints = [
        oracles.Joint(-1, np.eye(4), False, unit[0]),
        oracles.Joint(0, shoulder, False, unit[1]),
        oracles.Joint(1, oracles.shift(*back @ [0, 0, L2Z]), False, unit[2] - unit[1]),
        oracles.Joint(0, shoulder, False, unit[2]),
        oracles.Joint(3, oracles.shift(*back @ [L5X, 0, 0]), False, unit[1] - unit[2]),
    ]
    column = oracles.Body(0, 0.0, np.zeros(3), np.diag([0.0, 0.0, given["I1"]]))
    moving = [
        oracles.Body(joint, mass, back @ com, back @ tensor @ back.T)
        for joint, (mass, com, tensor) in zip((1, 2, 4, 3), bodies(given), strict=True)
    ]
    return oracles.Arm(joints, [column, *moving], 2, np.eye(4))


def right(given: dict, q: np.ndarray, v: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Return D, C and g from energies."""
    truth = arm(given)
    C = oracles.christoffel(oracles.mass_matrix_slopes(truth, q), v)
    return oracles.mass_matrix(truth, q).real, C, oracles.gravity_torque(truth, q)


def eq_3_55(given: dict, q: np.ndarray, mended: bool = False) -> np.ndarray:
    """D as printed; ``mended`` has theta3 in the term of m5 (3-22)."""
    (m2, r2, J2), (m3, r3, J3), (m4, r4, J4), (m5, r5, J5) = bodies(given)
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    angle, sine = (q[2], s3) if mended else (q[1], s2)
    d11 = given["I1"] + m4 * (L1X + L5X * c3 + r4[2] * s2) ** 2
    d11 += (
        m2
        / 2
        * (
            2 * L1X**2
            + r2 @ r2
            + 4 * L1X * r2[0] * c2
            + (r2[0] ** 2 - r2[2] ** 2) * np.cos(2 * q[1])
        )
    )
    d11 += m2 / 2 * (4 * L1X * r2[2] * s2 + 2 * r2[0] * r2[2] * np.sin(2 * q[1]))
    d11 += m3 * (L1X + r3[0] * c3 + L2Z * s2 + r3[2] * s3) ** 2
    d11 += (
        m5
        / 2
        * (
            2 * L1X**2
            + r5 @ r5
            + 4 * L1X * r5[0] * c3
            + (r5[0] ** 2 - r5[2] ** 2) * np.cos(2 * angle)
        )
    )
    d11 += m5 / 2 * (4 * L1X * r5[2] * sine + 2 * r5[0] * r5[2] * np.sin(2 * q[2]))
    d22 = J2[1, 1] + J4[1, 1] + m2 * r2 @ r2 + m3 * L2Z**2 + m4 * r4[2] ** 2
    d23 = m3 * L2Z * r3[2] * np.cos(q[1] - q[2]) + (m3 * L2Z * r3[0] + m4 * L5X * r4[2]) * np.sin(
        q[1] - q[2]
    )
    d33 = J3[1, 1] + J5[1, 1] + m3 * r3 @ r3 + m4 * L5X**2 + m5 * r5 @ r5
    return np.array([[d11, 0.0, 0.0], [0.0, d22, d23], [0.0, d23, d33]])


def eq_3_58(given: dict, q: np.ndarray, v: np.ndarray) -> np.ndarray:
    """C as printed."""
    (m2, r2, _), (m3, r3, _), (m4, r4, _), (m5, r5, _) = bodies(given)
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    inner = (
        L1X * L2Z * m3
        + L1X * m2 * r2[2]
        + L1X * m4 * r4[2]
        + (L2Z * m3 * r3[0] + L5X * m4 * r4[2]) * c3
    )
    inner += (
        L2Z**2 * m3 - m2 * r2[0] ** 2 + m2 * r2[2] ** 2 + m4 * r4[2] ** 2
    ) * s2 + L2Z * m3 * r3[2] * s3
    c12 = v[0] * (m2 * r2[0] * r2[2] * c2**2 - m2 * r2[0] * s2 * (L1X + r2[2] * s2) + c2 * inner)
    c13 = -L5X * m4 * (L1X + L5X * c3 + r4[2] * s2) * s3
    c13 += m3 * (r3[2] * c3 - r3[0] * s3) * (L1X + r3[0] * c3 + L2Z * s2 + r3[2] * s3)
    c13 = v[0] * (c13 + m5 * (r5[2] * c3 - r5[0] * s3) * (L1X + r5[0] * c3 + r5[2] * s3))
    return np.array([[0.0, c12, c13], [-c12, 0.0, 0.0], [-c13, 0.0, 0.0]])


def eq_3_59(given: dict, q: np.ndarray, mended: bool = False) -> np.ndarray:
    """Gravity torque as printed with g_z = 9.81; ``mended`` has -m3 l2z (3-26)."""
    (m2, r2, _), (m3, r3, _), (m4, r4, _), (m5, r5, _) = bodies(given)
    (_, c2, c3), (_, s2, s3) = np.cos(q), np.sin(q)
    of_elbow = -m3 * L2Z if mended else m3 * L2Z
    g2 = (-m2 * r2[2] + of_elbow - m4 * r4[2]) * s2 - m2 * r2[0] * c2
    g3 = (-m3 * r3[2] - m5 * r5[2]) * s3 + (-m3 * r3[0] - m4 * L5X - m5 * r5[0]) * c3
    return G * np.array([0.0, g2, g3])


def h_terms(given: dict, q: np.ndarray) -> tuple[float, float, float]:
    """Return h2, h3 and h23 of 3-23 and 3-24 under the paper's assumptions."""
    (_, _, _), (m3, r3, _), (m4, r4, _), _ = bodies(given)
    C = eq_3_58(given, q, np.array([1.0, 0.0, 0.0]))
    difference = q[1] - q[2]
    h23 = (m3 * L2Z * r3[0] + m4 * L5X * r4[2]) * np.cos(difference) - m3 * L2Z * r3[2] * np.sin(
        difference
    )
    return C[0, 1], C[0, 2], h23


def rms(values: list) -> np.ndarray:
    """Return the root mean square along the first axis."""
    return np.sqrt(np.mean(np.square(values), axis=0))


# --- energies, Lagrange


def test_3_16_eq_3_38_turns_the_tensor_twice():
    """J' R' I J R J fits only three axes, and is wrong for them; J' R I R' J is what a tensor adds
    to Pinocchio's mass matrix.
    """
    robot, q = irb.load("irb1400"), np.array([0.4, 0.5, -0.3, 0.9, 0.6, -1.1])
    J, R = robot.jacobian(q, "tool0")[3:], robot.pose(q, "tool0").rotation
    tensor = np.diag([0.9, 2.5, 2.4]) + 0.1
    with pytest.raises(ValueError, match="mismatch"):
        J.T @ R.T @ tensor @ J @ R @ J
    heavy, light = (
        robot.with_payload(irb.payload(1.0, inertia=body)).mass_matrix(q)
        for body in (tensor, 0.1 * tensor)
    )
    np.testing.assert_allclose(
        J.T @ R @ (0.9 * tensor) @ R.T @ J, heavy - light, rtol=0, atol=EXACT
    )
    three = robot.jacobian(q, "link_3")[3:, :3]
    R = robot.pose(q, "link_3").rotation
    literal, mended = three.T @ R.T @ tensor @ three @ R @ three, three.T @ R @ tensor @ R.T @ three
    assert np.abs(literal - mended).max() > 0.5
    np.testing.assert_allclose(mended, mended.T, atol=1e-14)


def test_3_17_eq_3_39_needs_gravity_upward():
    """V = g' r m with g = (0, 0, -9.81), as gravity points, gives minus the torque that holds the
    arm.
    """
    truth, q = arm(FULL), STATES[0, 0]
    frames = oracles.poses(truth, q)
    places = [
        (body.mass, frames[body.joint][:3, :3] @ body.com + frames[body.joint][:3, 3])
        for body in truth.bodies
    ]
    literal = sum(mass * (np.array([0.0, 0.0, -G]) @ place) for mass, place in places)
    assert literal == pytest.approx(-oracles.potential(truth, q))
    lifted = sum(mass * G * place[2] for mass, place in places)
    assert lifted == pytest.approx(oracles.potential(truth, q))


def test_3_18_eq_3_43_subtracts_gravity():
    """- dV/dphi: a torque that would throw the arm down; + holds it, by Pinocchio as well."""
    missed = []
    for q, _, _ in STATES:
        g = oracles.gravity_torque(arm(FULL), q)
        np.testing.assert_allclose(closed(FULL).gravity(q), g, rtol=0, atol=EXACT)
        missed.append(-g - g)
    assert rms(missed)[1:] == pytest.approx([606.5, 97.56], rel=1e-3)  # [N m]
    robot, q = irb.load("irb1400"), np.array([0.2, 0.5, -0.4, 0.3, 0.2, 0.1])
    step = 1e-6
    slopes = [
        (robot.energy(q + e, 0 * q).potential - robot.energy(q - e, 0 * q).potential) / (2 * step)
        for e in step * np.eye(6)
    ]
    np.testing.assert_allclose(robot.gravity(q), slopes, rtol=0, atol=1e-6)


def test_3_19_eq_3_45_lacks_the_speed():
    """C as printed does not depend on the speed, so its torque grows with v, not with v^2; step 3
    of Algorithm 2 is right.
    """
    for q, v, _ in STATES[:10]:
        slopes = oracles.mass_matrix_slopes(arm(FULL), q)
        # [p, j, i]
        symbols = 0.5 * (slopes + slopes.transpose(0, 2, 1) - slopes.transpose(2, 1, 0))
        literal, mended = symbols.sum(axis=2), symbols @ v
        np.testing.assert_allclose(mended, closed(FULL).coriolis(q, v), rtol=0, atol=EXACT)
        assert np.abs(literal @ v - mended @ v).max() > 0.1
        np.testing.assert_allclose(symbols @ (2 * v) @ (2 * v), 4 * mended @ v, rtol=0, atol=EXACT)


# --- the main axes


def closed(given: dict) -> MainAxes:
    """Return the package's closed form of the golden bodies."""
    # base axes from those of links 2 and 3 at home
    home = np.array([[0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [1.0, 0.0, 0.0]])
    lower, upper, rod, crank = (
        Inertial.of(*row).moved(home.T, np.zeros(3)) for row in bodies(given)
    )
    nothing = Inertial.of(0.0, np.zeros(3), np.zeros((3, 3)))
    column = Inertial.of(0.0, np.zeros(3), np.diag([0.0, 0.0, given["I1"]]))
    bars = (Bar(crank, 2, np.zeros(3)), Bar(rod, 1, np.array([0.0, L5X, 0.0])))
    groups = tuple((body,) for body in (column, lower, upper, nothing, nothing, nothing))
    table = irb.load("irb1400").dh()
    return MainAxes.of(
        Chain(
            table, groups, bars, np.array([0.0, 0.0, -G]), None, np.zeros(6), np.eye(6), np.eye(4)
        )
    )


@pytest.mark.parametrize("given", [FULL, PLANE], ids=["full", "plane"])
def test_3_right_closed_form(given):
    """The corrected closed form, as irbmodels.dynamics.closed_forms has it, is Lagrange's D, C and
    g, and the golden file's.
    """
    for q, v, _ in STATES:
        D, C, g = right(given, q, v)
        np.testing.assert_allclose(closed(given).mass_matrix(q), D, rtol=0, atol=EXACT)
        np.testing.assert_allclose(closed(given).coriolis(q, v), C, rtol=0, atol=EXACT)
        np.testing.assert_allclose(closed(given).gravity(q), g, rtol=0, atol=EXACT)
    for row in GOLDEN["main"]:
        golden = row["full" if given is FULL else "plane"]
        tau = closed(given).inverse_dynamics(row["q"], row["qd"], row["qdd"])
        # twelve digits of numbers up to 1000
        np.testing.assert_allclose(tau, golden["tau"], rtol=0, atol=1e-8)


def test_3_right_places_of_the_bodies():
    """3.49 to 3.52: points of arms and bars from absolute angles are where Pinocchio has them;
    section 3's theta is phi.
    """
    robot, home = irb.load("irb1400"), np.array([[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]])
    crank, r = -oracles.CRANK["irb1400"], np.array([0.1, 0.02, 0.3])
    for q, _, _ in STATES[:10]:
        turn = [
            oracles.rotation(2, q[0])[:3, :3] @ oracles.rotation(1, q[i])[:3, :3] for i in (1, 2)
        ]
        l1 = oracles.rotation(2, q[0])[:3, :3] @ [0.150, 0, 0.475]
        for frame, place in (
            ("link_2", l1 + turn[0] @ r),
            ("link_3", l1 + turn[0] @ [0, 0, 0.600] + turn[1] @ r),
            ("link_rod", l1 + turn[1] @ [crank, 0, 0] + turn[0] @ r),
            ("link_crank", l1 + turn[1] @ r),
        ):
            pose = robot.pose(np.r_[q, 0, 0, 0], frame)
            np.testing.assert_allclose(
                pose.rotation @ home @ r + pose.translation, place, rtol=0, atol=1e-13
            )


def test_3_right_entries_of_d_c_and_g():
    """Under the paper's assumptions d12, d13, d22, d23, d33, c12, c13, c21, c31 and g3 are right as
    printed.
    """
    for q, v, _ in STATES:
        D, C, g = right(PLANE, q, v)
        np.testing.assert_allclose(eq_3_55(PLANE, q).ravel()[1:], D.ravel()[1:], rtol=0, atol=EXACT)
        printed = eq_3_58(PLANE, q, v)
        for entry in ((0, 1), (0, 2), (1, 0), (2, 0), (1, 1), (2, 2)):
            assert printed[entry] == pytest.approx(C[entry], abs=EXACT)
        np.testing.assert_allclose(eq_3_59(PLANE, q)[[0, 2]], g[[0, 2]], rtol=0, atol=EXACT)


def test_3_20_eq_3_54_drops_all_but_iyy():
    """A lower arm on its side turns with axis 1 about its other axes: d11 lacks up to 2.7 kg m^2,
    d12 and d13 are not 0.
    """
    missed = []
    for q, v, _ in STATES:
        truth, only = right(FULL, q, v)[0], {"I1": FULL["I1"], "bodies": {}}
        for key, row in FULL["bodies"].items():
            only["bodies"][key] = row | {"I_com": np.diag([0.0, row["I_com"][1][1], 0.0]).tolist()}
        missed.append(np.abs(truth - right(only, q, v)[0]))
        s, c = np.sin(q), np.cos(q)
        lower, upper = (bodies(FULL)[i][2] + bodies(FULL)[j][2] for i, j in ((0, 2), (1, 3)))
        added = sum(
            J[0, 0] * s[i] ** 2 + J[2, 2] * c[i] ** 2 - 2 * J[0, 2] * s[i] * c[i]
            for i, J in ((1, lower), (2, upper))
        )
        assert right(only, q, v)[0][0, 0] + added == pytest.approx(truth[0, 0], abs=EXACT)
        assert -lower[0, 1] * s[1] + lower[1, 2] * c[1] == pytest.approx(
            (truth - right(only, q, v)[0])[0, 1], abs=EXACT
        )
        assert -upper[0, 1] * s[2] + upper[1, 2] * c[2] == pytest.approx(
            (truth - right(only, q, v)[0])[0, 2], abs=EXACT
        )
    assert np.max(missed, axis=0)[0, 0] == pytest.approx(3.6, abs=0.05)


def test_3_21_d12_and_d13_are_zero_only_in_the_plane():
    """Centres beside the arm's plane, or products Jxy, Jyz, make d12 and d13; a rod with x4 changes
    d22, d23, g2.
    """
    for q, v, _ in STATES:
        np.testing.assert_allclose(right(PLANE, q, v)[0][0, 1:], 0.0, rtol=0, atol=EXACT)
    largest = np.max([np.abs(right(FULL, q, v)[0][0, 1:]) for q, v, _ in STATES], axis=0)
    assert largest == pytest.approx([0.58, 0.22], abs=0.005)
    off = {
        "I1": PLANE["I1"],
        "bodies": PLANE["bodies"] | {"4": PLANE["bodies"]["4"] | {"com": [0.05, 0.0, 0.3]}},
    }
    q, v, _ = STATES[0]
    changed = right(off, q, v)[0] - eq_3_55(off, q, mended=True)
    m4, r4, _ = bodies(off)[2]
    assert changed[1, 1] == pytest.approx(m4 * r4[0] ** 2, abs=EXACT)
    assert changed[1, 2] == pytest.approx(m4 * L5X * r4[0] * np.cos(q[1] - q[2]), abs=EXACT)
    assert (right(off, q, v)[2] - eq_3_59(off, q, mended=True))[1] == pytest.approx(
        -G * m4 * r4[0] * np.cos(q[1]), abs=EXACT
    )


def test_3_22_d11_has_theta2_for_theta3():
    """In the crank's term: off by m5 (s2 - s3) (2 l1x z5 + (z5^2 - x5^2) (s2 + s3)); the printed
    c13 belongs to the right one.
    """
    m5, r5, _ = bodies(PLANE)[3]
    largest = 0.0
    for q, v, _ in STATES:
        D, s2, s3 = right(PLANE, q, v)[0], np.sin(q[1]), np.sin(q[2])
        assert eq_3_55(PLANE, q, mended=True)[0, 0] == pytest.approx(D[0, 0], abs=EXACT)
        error = m5 * (s2 - s3) * (2 * L1X * r5[2] + (r5[2] ** 2 - r5[0] ** 2) * (s2 + s3))
        assert eq_3_55(PLANE, q)[0, 0] - D[0, 0] == pytest.approx(error, abs=EXACT)
        largest = max(largest, abs(error))
    assert largest == pytest.approx(0.094, abs=5e-4)


def test_3_23_eq_3_58_lacks_c11():
    """c11 = h2 v2 + h3 v3 with c12 = h2 v1, c13 = h3 v1: without it row 1 gives exactly half of the
    Coriolis torque.
    """
    for q, v, _ in STATES:
        (h2, h3, _), C = h_terms(PLANE, q), right(PLANE, q, v)[1]
        assert h2 * v[1] + h3 * v[2] == pytest.approx(C[0, 0], abs=EXACT)
        assert (eq_3_58(PLANE, q, v) @ v)[0] == pytest.approx((C @ v)[0] / 2.0, abs=EXACT)


def test_3_24_eq_3_58_lacks_c23_and_c32():
    """c23 = -h23 v3, c32 = h23 v2: without them neither arm feels the other's centrifugal force."""
    missed = []
    for q, v, _ in STATES:
        h23, C = h_terms(PLANE, q)[2], right(PLANE, q, v)[1]
        assert [-h23 * v[2], h23 * v[1]] == pytest.approx([C[1, 2], C[2, 1]], abs=EXACT)
        missed.append((eq_3_58(PLANE, q, v) @ v - C @ v)[1:])
    assert rms(missed) == pytest.approx([6.76, 7.74], abs=0.01)


def test_3_25_printed_c_makes_energy():
    """No torque, no friction: the arm as printed gains or loses energy, corrected keeps it to ten
    digits.
    """
    balance = []
    for q, v, _ in STATES:
        rate = oracles.mass_matrix_slopes(arm(PLANE), q) @ v
        C = right(PLANE, q, v)[1]
        balance.append(v @ (rate / 2.0 - eq_3_58(PLANE, q, v)) @ v)
        assert v @ (rate / 2.0 - C) @ v == pytest.approx(0.0, abs=EXACT)
    assert rms(balance) == pytest.approx(33.6, abs=0.1)
    main = closed(PLANE)

    def energy(x: np.ndarray) -> float:
        return x[3:] @ main.mass_matrix(x[:3]) @ x[3:] / 2.0 + float(
            oracles.potential(arm(PLANE), x[:3]).real
        )

    def drift(coriolis) -> np.ndarray:
        def rate(_: float, x: np.ndarray) -> np.ndarray:
            q, v = x[:3], x[3:]
            return np.r_[
                v, np.linalg.solve(main.mass_matrix(q), -coriolis(q, v) @ v - main.gravity(q))
            ]

        run = solve_ivp(rate, (0.0, 2.0), START, method="DOP853", rtol=1e-12, atol=1e-12)
        return np.array([energy(x) for x in run.y.T]) - energy(START)

    assert energy(START) == pytest.approx(986.0, abs=0.1)
    assert np.abs(drift(lambda q, v: eq_3_58(PLANE, q, v))).max() == pytest.approx(154.0, rel=0.01)
    # 1e-12 of each step's state, some thousand steps
    assert np.abs(drift(main.coriolis)).max() < 1e-8


def test_3_26_g2_lifts_the_elbow_the_wrong_way():
    """+m3 l2z for -m3 l2z: off by 2 g m3 l2z s2."""
    missed = []
    m3 = bodies(PLANE)[1][0]
    for q, v, _ in STATES:
        g = right(PLANE, q, v)[2]
        np.testing.assert_allclose(eq_3_59(PLANE, q, mended=True), g, rtol=0, atol=EXACT)
        missed.append((eq_3_59(PLANE, q) - g)[1])
        assert missed[-1] == pytest.approx(2 * G * m3 * L2Z * np.sin(q[1]), abs=EXACT)
    assert rms(missed) == pytest.approx(486.9, abs=0.1)


# --- Newton-Euler


def test_3_27_eq_3_68_has_f_without_index():
    """f_i, with which 3.67 and 3.68 are Pinocchio's torques of six axes; the other force there, R
    f_(i+1), is not.
    """
    robot = irb.load("irb1600")
    model, worst = robot.model, {"own": 0.0, "next": 0.0}
    data = model.createData()
    for q, v, a in oracles.states("irb1600_6_120", 10):
        pin.forwardKinematics(model, data, q, v, a)
        truth = pin.rnea(model, model.createData(), q, v, a)
        for reading in worst:
            f, tau, actual = np.zeros(3), np.zeros(3), []
            for i in range(6, 0, -1):
                body, w, dw = model.inertias[i], data.v[i].angular, data.a[i].angular
                lever, origin = np.array(body.lever), pin.classicAcceleration(data.v[i], data.a[i])
                step = data.oMi[i].actInv(data.oMi[i + 1]) if i < 6 else pin.SE3.Identity()
                acceleration = origin + np.cross(dw, lever) + np.cross(w, np.cross(w, lever))
                passed = step.rotation @ f
                # 3.67
                f = passed + body.mass * (acceleration - data.oMi[i].rotation.T @ oracles.GRAVITY)
                spun = body.inertia @ dw + np.cross(w, body.inertia @ w)
                first = f if reading == "own" else passed
                beyond = np.cross(passed, lever - step.translation)
                tau = step.rotation @ tau - np.cross(first, lever) + beyond + spun  # 3.68
                actual.append(tau[2])
            worst[reading] = max(worst[reading], np.abs(np.array(actual[::-1]) - truth).max())
    assert worst["own"] < EXACT
    assert worst["next"] > 10.0


# --- the flexible joint

R = 1.0 / 118.461539
JM, JA, FM, K = 5.9e-4, 5.2e-2, 1.3e-2, 677.2  # Table 3.1


def eq_3_73(ja: float = JA, k: float = K, fm: float = FM, reflected: bool = False) -> np.ndarray:
    """A of theta_m, theta_m', theta_a, theta_a' as printed; ``reflected`` has the motor feel r
    times the spring's torque.
    """
    gain = R if reflected else 1.0
    return np.array([
        [0, 1, 0, 0], [-gain * k * R / JM, -fm / JM, gain * k / JM, 0],
        [0, 0, 0, 1], [k * R / ja, 0, -k / ja, 0],
    ])  # fmt: skip


def peak(A: np.ndarray) -> tuple[float, float]:
    """Return frequencies [Hz] of the highest peak, and of the dip before it, of the motor's speed
    under torque.
    """
    hertz = np.linspace(17.0, 26.0, 9001)
    answer = [
        abs(np.linalg.solve(2j * np.pi * f * np.eye(4) - A, [0, 1 / JM, 0, 0])[1]) for f in hertz
    ]
    dip = int(np.argmin(answer))
    return float(hertz[dip + int(np.argmax(answer[dip:]))]), float(hertz[dip])


def test_3_28_the_motor_feels_r_times_the_spring():
    """Without friction 3.69 to 3.71 do not keep the energy, that of the spring included; with r on
    the motor's side they do.
    """
    stretched = np.array([R, 0.0, -1.0, 0.0])
    energy = np.diag([0.0, JM, 0.0, JA]) + K * np.outer(stretched, stretched)
    x = np.array([1.0, 5.0, 0.0, 0.02])
    for reflected in (True, False):
        moved = [
            expm(eq_3_73(fm=0.0, reflected=reflected) * t) @ x for t in np.linspace(0.0, 0.5, 40)
        ]
        drift = max(abs(y @ energy @ y / (x @ energy @ x) - 1.0) for y in moved)
        assert drift < 1e-10 if reflected else drift > 10.0


def test_3_29_the_spring_turns_by_r_theta_m():
    """``k (theta_m - theta_a)``: at rest without load, theta_a = r theta_m, it would pull with k (1
    / r - 1) theta_a.
    """
    motor, resting = 1.0, R
    assert K * (motor - resting) == pytest.approx(K * (1.0 / R - 1.0) * resting)
    assert K * (motor - resting) > 600.0
    assert K * (R * motor - resting) == 0.0
    rest = eq_3_73() @ [motor, 0, resting, 0]
    np.testing.assert_allclose(rest, 0.0, atol=1e-9)  # 3.71 has the r that the text lacks


def test_3_31_eq_3_73_lacks_r():
    """Row 2 is -k r^2 / Jm, +k r / Jm: then the spring's torques on both masses are r : -1, as 3.28
    wants, and angles balance.
    """
    for reflected in (True, False):
        A = eq_3_73(reflected=reflected)
        torque = JM * A[1, [0, 2]], JA * A[3, [0, 2]]
        balanced = np.abs(torque[0] + R * torque[1]).max() < 1e-9
        assert balanced == reflected
    np.testing.assert_allclose(
        eq_3_73(reflected=True)[1], [-K * R**2 / JM, -FM / JM, K * R / JM, 0], rtol=1e-14
    )
    assert len(eq_3_73()) == 4 * 1  # 3-30: four states for one axis


def test_3_32_the_three_state_model_is_unstable():
    """A23 = -k / Ja pushes the arm away from the motor: a pole at +74.5 1/s.

    With + its poles are those of 3.73.
    """
    wrong = np.array([[-FM / JM, 0, -K / JM], [0, 0, -K / JA], [R, -1, 0]])
    assert np.linalg.eigvals(wrong).real.max() == pytest.approx(74.47, abs=0.005)
    for reflected in (False, True):
        mended = np.array(
            [[-FM / JM, 0, -(R if reflected else 1.0) * K / JM], [0, 0, K / JA], [R, -1, 0]]
        )
        assert np.linalg.eigvals(mended).real.max() < 0.0
        four = np.linalg.eigvals(eq_3_73(reflected=reflected))
        kept = four[np.argsort(np.abs(four))[1:]]
        np.testing.assert_allclose(
            np.sort_complex(kept), np.sort_complex(np.linalg.eigvals(mended)), rtol=1e-9
        )


def test_3_34_table_3_1_is_not_on_the_arm_side():
    """Its k and Ja are r times those of the arm: with k / r and Ja / r the energy-keeping equations
    are the printed ones.
    """
    np.testing.assert_allclose(eq_3_73(JA / R, K / R, reflected=True), eq_3_73(), rtol=1e-12)
    # 0.0063 has two digits
    np.testing.assert_allclose([K / R, JA / R, R**2 * JA / JM], [80222.0, 6.160, 0.0063], rtol=5e-3)
    np.testing.assert_allclose(
        np.abs(np.linalg.eigvals(eq_3_73())).max() / (2 * np.pi), 23.92, atol=0.005
    )
    assert peak(eq_3_73()) == pytest.approx((23.99, 18.16), abs=0.005)
    actual, dip = peak(eq_3_73(reflected=True))  # taken as arm-side numbers the arm is hardly there
    assert dip == pytest.approx(18.16, abs=0.005)
    assert 0.04 < actual - dip < 0.08


def test_3_right_antiresonance():
    """sqrt(k / Ja) = 18.16 Hz with 0.50 Hz, resonance 23.99 Hz with 0.60 Hz, from Table 3.1's
    standard deviations.
    """
    values, spread = np.array([JM, JA, K]), np.array([2.2e-5, 1.8e-3, 29.0])
    dip = lambda x: np.sqrt(x[2] / x[1]) / (2 * np.pi)  # noqa: E731
    ring = lambda x: np.sqrt(x[2] / x[1] + x[2] * R / x[0]) / (2 * np.pi)  # noqa: E731
    for law, value, deviation in ((dip, 18.16, 0.50), (ring, 23.99, 0.60)):
        slopes = [(law(values + e) - law(values - e)) / 2.0 for e in 0.01 * np.diag(spread)]
        assert law(values) == pytest.approx(value, abs=0.005)
        assert np.linalg.norm(np.array(slopes) * 100.0) == pytest.approx(deviation, abs=0.01)
