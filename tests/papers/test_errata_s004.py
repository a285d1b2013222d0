"""What S004 (IRB 930 SCARA, ijre-7-037) prints wrongly about kinematics: the printed form fails,
the corrected one holds.

The truth is the package (Pinocchio on the IRB 930's URDF). Test names start with the number of the
item in docs/background/errata.md. S004's d3 is counted downward from the base plane, so ``q3 = -d3``, and its
tool is ``d4`` below frame 3; it prints no lengths.
"""

from __future__ import annotations

import numpy as np
import oracles
import pytest

import irbmodels as irb

EXACT = 1e-13  # [m, -, rad/s] products and sums of a dozen terms up to 2
A1, A2 = oracles.SCARA_ARMS["irb930_12_105"]
HEIGHT, D4 = 0.272 + 0.1235 + 0.1687, 0.1  # [m] of tool0 at q3 = 0; D4 is ours
ROBOT = irb.load("irb930")
RNG = np.random.default_rng(4)
STATES = np.stack([
    np.c_[RNG.uniform(-2.5, 2.5, (200, 2)), RNG.uniform(0.0, 0.3, 200), RNG.uniform(-3.0, 3.0, 200)],
    RNG.normal(size=(200, 4)), RNG.normal(size=(200, 4)),
], axis=1)  # S004's theta1, theta2, d3, theta4, then rates and accelerations # fmt: skip
UP = np.array([1.0, 1.0, -1.0, 1.0])  # S004's variables in the controller's axes
FRAMES = ("link_1", "link_2", "link_3", "tool0")


def pose(x: np.ndarray) -> np.ndarray:
    """Return Pinocchio's tool in S004's base: the plane of the arms, the tool d4 longer."""
    T = ROBOT.pose(UP * x, "tool0").homogeneous
    T[2, 3] -= HEIGHT + D4
    return T


def motion(
    x: np.ndarray, v: np.ndarray, a: np.ndarray
) -> tuple[list[np.ndarray], list[np.ndarray]]:
    """Return velocity and acceleration (linear, angular) of each frame in its own axes, by
    Pinocchio.
    """
    velocities, accelerations = [], []
    for frame in FRAMES:
        turn = np.kron(np.eye(2), ROBOT.pose(UP * x, frame).rotation.T)
        J, rate = ROBOT.jacobian(UP * x, frame), ROBOT.jacobian_rate(UP * x, UP * v, frame)
        velocities.append(turn @ J @ (UP * v))
        accelerations.append(turn @ (J @ (UP * a) + rate @ (UP * v)))
    return velocities, accelerations


def terms(x: np.ndarray) -> tuple[float, ...]:
    """Return c12, s12, c4, s4 and c1, s1, c2, s2."""
    return (
        np.cos(x[0] + x[1]),
        np.sin(x[0] + x[1]),
        np.cos(x[3]),
        np.sin(x[3]),
        *(f(x[i]) for i in (0, 1) for f in (np.cos, np.sin)),
    )


def wrapped(angle: float) -> float:
    """Return an angle within half a turn."""
    return float((angle + np.pi) % (2.0 * np.pi) - np.pi)


def atan2(*values: float, order: str = "yx") -> float:
    """Return the angle of two sides, in the order (y, x) of today or (x, y) of the paper."""
    return float(np.arctan2(*(values if order == "yx" else values[::-1])))


def inverse(
    T: np.ndarray, branch: float, order: str = "xy", root: str = "right", height: str = "right"
) -> np.ndarray:
    """Return joint variables for a pose by the paper's formulas, in its order of atan2's arguments
    unless ``order`` is "yx".

    ``root`` and ``height`` "printed" take ``sqrt(1 - c2)`` and ``oz + d4`` as they stand.
    """
    ox, oy, oz = T[:3, 3]
    c2 = (ox**2 + oy**2 - A1**2 - A2**2) / (2.0 * A1 * A2)
    s2 = branch * np.sqrt(max(1.0 - (c2 if root == "printed" else c2**2), 0.0))
    second = atan2(c2, s2, order=order)
    first = atan2(ox, oy, order=order) - atan2(
        A1 + A2 * np.cos(second), A2 * np.sin(second), order=order
    )
    turned = atan2(T[0, 0], T[0, 1], order=order)
    return np.array(
        [
            wrapped(first),
            second,
            oz + D4 if height == "printed" else -oz - D4,
            wrapped(first + second - turned),
        ]
    )


def share_right(**how: str) -> float:
    """Return how many of the 200 poses one of both branches gives back."""
    actual = [[inverse(pose(x), branch, **how) for branch in (1.0, -1.0)] for x in STATES[:, 0]]
    meets = [
        min(np.abs(pose(one) - pose(x)).max() for one in both)
        for both, x in zip(actual, STATES[:, 0], strict=True)
    ]
    return float(np.mean(np.array(meets) < 1e-9))


# --- poses


def eq_2(alpha: float, a: float, d: float, theta: float) -> np.ndarray:
    """DH transform as printed."""
    c, s, ca, sa = np.cos(theta), np.sin(theta), np.cos(alpha), np.sin(alpha)
    return np.array(
        [[c, -s * ca, s * sa, a * c], [s, c * ca, -c * sa, a * s], [0, sa, ca, d], [0, 0, 0, 1]]
    )


def test_4_01_eq_4_mirrors():
    """Entry (3,3) is +1 as printed: determinant -1, and the tool d3 + d4 above the plane; with -1
    the chain is the pose.
    """
    for x in STATES[:40, 0]:
        parts = [
            eq_2(0, A1, 0, x[0]),
            eq_2(np.pi, A2, 0, x[1]),
            eq_2(0, 0, x[2], 0),
            eq_2(0, 0, D4, x[3]),
        ]
        np.testing.assert_allclose(np.linalg.multi_dot(parts), pose(x), rtol=0, atol=EXACT)
        printed = parts[1].copy()
        printed[2, 2] = 1.0
        assert np.linalg.det(printed[:3, :3]) == pytest.approx(-1.0)
        wrong = np.linalg.multi_dot([parts[0], printed, *parts[2:]])
        assert wrong[2, 2] == pytest.approx(1.0)
        assert wrong[2, 3] == pytest.approx(x[2] + D4)


def test_4_02_alpha_and_a_belong_to_x_i():
    """Eq.

    2 turns by alpha about, and shifts by a along, x_i: taken about x_{i-1}, as the text says, it is
    another matrix.
    """
    alpha, a, d, theta = 0.7, 0.3, 0.2, 1.1
    about_own = (
        oracles.rotation(2, theta)
        @ oracles.shift(0, 0, d)
        @ oracles.shift(a, 0, 0)
        @ oracles.rotation(0, alpha)
    )
    np.testing.assert_allclose(eq_2(alpha, a, d, theta), about_own, rtol=0, atol=EXACT)
    about_previous = (
        oracles.rotation(0, alpha)
        @ oracles.shift(a, 0, 0)
        @ oracles.rotation(2, theta)
        @ oracles.shift(0, 0, d)
    )
    assert np.abs(eq_2(alpha, a, d, theta) - about_previous).max() > 0.1


def test_4_03_joint_4_turns_and_the_upper_half_is_linear():
    """Joints 1, 2, 4 are revolute; the first rows of J move the tool, and column 4 moves nothing
    but its orientation.
    """
    assert ROBOT.dh().prismatic.tolist() == [False, False, True, False]
    x, step = STATES[0, 0], 1e-6
    J = ROBOT.jacobian(UP * x, "tool0")
    slope = (pose(x + step * np.eye(4)[1]) - pose(x - step * np.eye(4)[1]))[:3, 3] / (2 * step)
    np.testing.assert_allclose(J[:3, 1], slope, rtol=0, atol=1e-9)
    np.testing.assert_allclose(J[:, 3], [0, 0, 0, 0, 0, -1], atol=EXACT)


def test_4_04_atan2_takes_x_first():
    """With today's order (y, x) no pose comes back, with the paper's (x, y), which it does not
    state, all do.
    """
    assert share_right(order="yx") < 0.02
    assert share_right(order="xy") == 1.0


def test_4_05_the_root_needs_a_square():
    """``sqrt(1 - c2)`` gives back no pose, ``sqrt(1 - c2^2)`` every one."""
    assert share_right(root="printed") < 0.02
    assert share_right() == 1.0


def test_4_06_d3_has_the_wrong_sign():
    """``oz + d4`` contradicts eq. 19: no pose comes back; ``-oz - d4`` does."""
    assert share_right(height="printed") < 0.02
    for x in STATES[:20, 0]:
        assert pose(x)[2, 3] == pytest.approx(-x[2] - D4, abs=EXACT)  # eq. 19


def test_4_07_o4_has_d3_upward():
    """``d3 - d4`` contradicts eq. 19 (``-d3 - d4``); J does not notice, as z x (0, 0, z) = 0."""
    x = STATES[0, 0]
    assert pose(x)[2, 3] == pytest.approx(-x[2] - D4, abs=EXACT)
    assert abs(pose(x)[2, 3] - (x[2] - D4)) > 0.01
    np.testing.assert_array_equal(np.cross([0, 0, 1], [0, 0, x[2] - D4]), 0)


def jacobian(x: np.ndarray) -> np.ndarray:
    """J of eq. 27."""
    c12, s12, _, _, c1, s1, _, _ = terms(x)
    columns = [
        [-A1 * s1 - A2 * s12, A1 * c1 + A2 * c12, 0, 0, 0, 1], [-A2 * s12, A2 * c12, 0, 0, 0, 1],
        [0, 0, -1, 0, 0, 0], [0, 0, 0, 0, 0, -1],
    ]  # fmt: skip
    return np.array(columns, dtype=float).T


def test_4_08_eq_29_has_a1_for_a2():
    """Its determinant is -a1^2 s2 as printed, -a1 a2 s2 right; det of the rows vx, vy, vz, wz is a1
    a2 s2.
    """
    for x in STATES[:20, 0]:
        c12, s12, _, _, c1, s1, _, s2 = terms(x)
        first = np.array([-A1 * s1 - A2 * s12, A1 * c1 + A2 * c12, 0.0])
        for length in (A1, A2):
            J11 = np.array([first, [-length * s12, length * c12, 0.0], [0.0, 0.0, -1.0]]).T
            assert np.linalg.det(J11) == pytest.approx(-A1 * length * s2, abs=EXACT)
        np.testing.assert_allclose(
            J11, (ROBOT.jacobian(UP * x, "tool0") * UP)[:3, :3], rtol=0, atol=EXACT
        )
        assert np.linalg.det(jacobian(x)[[0, 1, 2, 5]]) == pytest.approx(A1 * A2 * s2, abs=EXACT)


def test_4_right_poses_and_jacobian():
    """Eq.

    3, 5, 6 and 8 to 19 are Pinocchio's pose, 24 to 27 its Jacobian; q2 = 0 and half a turn are the
    only singularities.
    """
    for x in STATES[:, 0]:
        c12, s12, c4, s4, c1, s1, _, s2 = terms(x)
        printed = np.array([
            [c12 * c4 + s12 * s4, s12 * c4 - c12 * s4, 0, A1 * c1 + A2 * c12],
            [s12 * c4 - c12 * s4, -s12 * s4 - c12 * c4, 0, A1 * s1 + A2 * s12],
            [0, 0, -1, -x[2] - D4],
            [0, 0, 0, 1],
        ])  # fmt: skip
        np.testing.assert_allclose(printed, pose(x), rtol=0, atol=EXACT)
        J = ROBOT.jacobian(UP * x, "tool0") * UP
        np.testing.assert_allclose(jacobian(x), J, rtol=0, atol=EXACT)
        np.testing.assert_array_equal(np.abs(J[3:5]) < EXACT, True)
        assert (np.linalg.svd(J, compute_uv=False)[-1] < 1e-9) == (abs(s2) < 1e-9)
    for second in (0.0, np.pi):
        assert (
            np.linalg.svd(jacobian(np.array([0.4, second, 0.1, 0.2])), compute_uv=False)[-1] < 1e-15
        )


# --- velocities and accelerations


def propagate(
    x: np.ndarray, v: np.ndarray, a: np.ndarray, wrong: str = ""
) -> list[tuple[np.ndarray, ...]]:
    """Velocity and acceleration (w, V, and their rates) of S004's frames, link by link in modified
    DH; ``wrong`` is as printed.

    Its z of axis 3 points down: alpha is 180 deg before it, which is where its equations for a
    prismatic joint break.
    """
    w, V, dw, dV = np.zeros((4, 3))
    actual = []
    rows = [(0, 0, 0, x[0]), (0, A1, 0, x[1]), (np.pi, A2, x[2], 0), (0, 0, D4, x[3])]
    for i, (row, rate, gain) in enumerate(zip(rows, v, a, strict=True)):
        alpha, length, d, theta = row
        step = oracles.mdh(alpha, length, d, theta)
        R, P = step[:3, :3].T, step[:3, 3]
        spin, push = np.array([0, 0, rate]), np.array([0, 0, gain])
        carried = dV + np.cross(dw, P) + np.cross(w, np.cross(w, P))
        if i == 2:
            dV = R @ carried + push + 2 * np.cross(R @ w, spin)
            if wrong == "44":
                dV = R @ (carried + push + 2 * np.cross(R @ w, push))
            V = (
                R @ (V + np.cross(w, P) + spin)
                if wrong == "33"
                else R @ (V + np.cross(w, P)) + spin
            )
            w, dw = R @ w, R @ dw
        else:
            V, dV = R @ (V + np.cross(w, P)), R @ carried
            dw = (
                R @ (dw + np.cross(w, spin)) + push
                if wrong == "alpha"
                else R @ dw + np.cross(R @ w, spin) + push
            )
            w = R @ w + spin
        actual.append((w, V, dw, dV))
    return actual


def worst(wrong: str, quantity: int, frame: int = 3) -> float:
    """Return the largest difference of one quantity of a frame from Pinocchio's; frame 3 is the
    tool.
    """
    largest = 0.0
    for state in STATES:
        velocities, accelerations = motion(*state)
        truth = (
            velocities[frame][3:],
            velocities[frame][:3],
            accelerations[frame][3:],
            accelerations[frame][:3],
        )[quantity]
        largest = max(largest, np.abs(propagate(*state, wrong)[frame][quantity] - truth).max())
    return largest


def test_4_right_eq_30_to_32():
    """Corrected, the recursion gives Pinocchio's velocities and accelerations of both arms and of
    the tool.
    """
    for frame in (0, 1, 3):
        for quantity in range(4):
            assert worst("", quantity, frame) < 5e-12


def test_4_09_eq_33_turns_the_sliding_speed():
    """Inside R the speed of axis 3 changes its sign, twice the speed is missing; outside the tool
    moves as Pinocchio says.
    """
    assert worst("33", 1) == pytest.approx(2.0 * np.abs(STATES[:, 1, 2]).max(), rel=1e-9)
    assert worst("", 1) < 1e-12


def test_4_10_eq_34_has_a2_for_a1():
    """V2 as printed, (0, -a2 th1', 0), against (a1 s2, a1 c2, 0) th1'."""
    for x, v, a in STATES[:20]:
        truth = motion(x, v, a)[0][1][:3]
        c2, s2 = np.cos(x[1]), np.sin(x[1])
        np.testing.assert_allclose(
            np.array([A1 * s2, A1 * c2, 0.0]) * v[0], truth, rtol=0, atol=EXACT
        )
        assert np.abs(np.array([0.0, -A2 * v[0], 0.0]) - truth).max() > 1e-3


def test_4_11_eq_36_to_38_lose_theta4():
    """The tool turns at th1' + th2' - th4', not at th1' - th2'."""
    truth = np.array([ROBOT.jacobian(UP * x, "tool0")[5] @ (UP * v) for x, v, _ in STATES])
    v = STATES[:, 1]
    np.testing.assert_allclose(v[:, 0] + v[:, 1] - v[:, 3], truth, rtol=0, atol=EXACT)
    missed = np.sqrt(np.mean((v[:, 0] - v[:, 1] - truth) ** 2))
    assert missed > np.sqrt(np.mean(truth**2))


def test_4_12_eq_39_is_not_the_jacobian():
    """Printed (-a2 th1' s12, -a2 th1' c12, -d3'): contradicts eq. 27; its z alone is right."""
    errors = []
    for x, v, _ in STATES:
        c12, s12, _, _, c1, s1, _, _ = terms(x)
        truth = (ROBOT.jacobian(UP * x, "tool0") @ (UP * v))[:3]
        both = v[0] + v[1]
        right = [-A1 * s1 * v[0] - A2 * s12 * both, A1 * c1 * v[0] + A2 * c12 * both, -v[2]]
        np.testing.assert_allclose(right, truth, rtol=0, atol=EXACT)
        errors.append(np.array([-A2 * v[0] * s12, -A2 * v[0] * c12, -v[2]]) - truth)
    rms = np.sqrt(np.mean(np.square(errors), axis=0))
    assert rms[0] > 0.3
    assert rms[1] > 0.3
    assert rms[2] < EXACT


def test_4_19_prismatic_acceleration():
    """Inside R d'' changes its sign; in the Coriolis term d'' stands for d', which a link sliding
    on a turning one shows.
    """
    assert worst("44", 3) == pytest.approx(2.0 * np.abs(STATES[:, 2, 2]).max(), rel=1e-9)
    w, spin, push = np.array([0.4, -0.3, 0.8]), np.array([0, 0, 0.7]), np.array([0, 0, -1.9])
    # a link that slides along z of a frame that turns: its acceleration by central differences
    step = 1e-5
    turn = lambda t: _turned(w * t)  # noqa: E731
    place = lambda t: turn(t) @ (spin * t + push * t * t / 2.0)  # noqa: E731
    truth = (place(step) - 2.0 * place(0.0) + place(-step)) / step**2
    np.testing.assert_allclose(push + 2 * np.cross(w, spin), truth, rtol=0, atol=1e-5)
    assert np.abs(push + 2 * np.cross(w, push) - truth).max() > 0.5


def _turned(rotation: np.ndarray) -> np.ndarray:
    """Rotation matrix of a rotation vector (Rodrigues)."""
    angle = np.linalg.norm(rotation)
    if angle == 0.0:
        return np.eye(3)
    x, y, z = rotation / angle
    K = np.array([[0, -z, y], [z, 0, -x], [-y, x, 0]])
    return np.eye(3) + np.sin(angle) * K + (1.0 - np.cos(angle)) * K @ K


def six_axes(wrong: str) -> float:
    """Return the largest error of link 6's angular acceleration on an arm of six axes, the rotary
    line as printed or not.
    """
    robot, largest = irb.load("irb1600"), 0.0
    for q, v, a in oracles.states("irb1600_6_120", 20):
        w, dw = np.zeros(3), np.zeros(3)
        for (alpha, length, d, theta, _), variable, rate, gain in zip(
            oracles.rows("irb1600_6_120"), q, v, a, strict=True
        ):
            R = oracles.mdh(alpha, length, d, theta + variable)[:3, :3].T
            spin, push = np.array([0, 0, rate]), np.array([0, 0, gain])
            dw = (
                R @ (dw + np.cross(w, spin)) + push
                if wrong
                else R @ dw + np.cross(R @ w, spin) + push
            )
            w = R @ w + spin
        back = robot.pose(q, "link_6").rotation.T
        truth = back @ (
            robot.jacobian(q, "link_6")[3:] @ a + robot.jacobian_rate(q, v, "link_6")[3:] @ v
        )
        largest = max(largest, np.abs(dw - truth).max())
    return largest


def test_4_20_rotary_angular_acceleration():
    """``R (alpha + w x th')`` mixes axes of two frames: nothing shows on parallel axes, several
    rad/s^2 on an arm of six.
    """
    assert worst("alpha", 2) < 1e-12
    assert six_axes("printed") > 1.0
    assert six_axes("") < 1e-11


def test_4_21_acceleration_of_the_centre_of_mass():
    """``w x (a x P)`` has the unit of a jerk times a speed; ``alpha x P + w x (w x P)`` is the
    second derivative.
    """
    for x, v, a in STATES[:20]:
        _, accelerations = motion(x, v, a)
        w, _, dw, dV = propagate(x, v, a)[1]
        P, turn = np.array([0.2, -0.012, 0.09]), ROBOT.pose(UP * x, "link_2").rotation
        J = ROBOT.jacobian(UP * x, "link_2", point=P)
        rate = ROBOT.jacobian_rate(UP * x, UP * v, "link_2", point=P)
        truth = turn.T @ (J @ (UP * a) + rate @ (UP * v))[:3]
        np.testing.assert_allclose(
            dV + np.cross(dw, P) + np.cross(w, np.cross(w, P)), truth, rtol=0, atol=1e-12
        )
        assert (
            np.abs(dV + np.cross(w, np.cross(dV, P)) + np.cross(w, np.cross(w, P)) - truth).max()
            > 1e-3
        )
        np.testing.assert_allclose(accelerations[1][:3], dV, rtol=0, atol=1e-12)


# --- kinematic control


def test_4_24_kinematic_control_feeds_nothing_back():
    """Two dots stand for a tilde: in ``q' = q_d' + lambda q''`` no position occurs, and q' grows by
    e^(t / lambda).
    """
    gain, step, count = 0.5, 1e-3, 3000
    speed = error = 1e-3  # goal at rest
    for _ in range(count):
        speed += step * speed / gain  # printed, solved for q''
        error -= step * gain * error  # q' = lambda (q_d - q)
    assert speed == pytest.approx(0.40, abs=0.005)
    assert error == pytest.approx(1e-3 * np.exp(-gain * step * count), rel=1e-3)


def test_4_25_a_6_by_4_jacobian_has_no_inverse():
    """J^-1 of eq. 27 does not exist; its rows vx, vy, vz, wz have one, and a tilting tool is
    refused by the package.
    """
    x, v = STATES[0, 0], STATES[0, 1]
    with pytest.raises(np.linalg.LinAlgError):
        np.linalg.inv(jacobian(x))
    twist = jacobian(x) @ v
    np.testing.assert_allclose(
        np.linalg.solve(jacobian(x)[[0, 1, 2, 5]], twist[[0, 1, 2, 5]]), v, rtol=0, atol=1e-11
    )
    np.testing.assert_allclose(ROBOT.inverse_velocity(UP * x, twist), UP * v, rtol=0, atol=1e-11)
    with pytest.raises(irb.InputError, match="cannot have this velocity"):
        ROBOT.inverse_velocity(UP * x, twist + 0.1 * np.eye(6)[3])
