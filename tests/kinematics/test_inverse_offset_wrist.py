"""Arms whose wrist axes miss one point: every posture of a pose, against a search from many starts
with kinematics of its own, and against the postures that poses were made from.
"""

from functools import partial
from itertools import combinations

import numpy as np
import oracles
import pytest
from own_arms import arm_urdf, written
from scipy.spatial.transform import Rotation

import irbmodels as irb
from irbmodels.kinematics.inverse.newton import partners
from irbmodels.model.mechanism import chain_of

GOFA = {"d1": 0.265, "a1": 0.0, "a2": 0.444, "a3": 0.110, "d4": 0.470, "d6": 0.101, "a5": 0.080}
LONG = {"d1": 0.400, "a1": 0.15, "a2": 0.707, "a3": 0.110, "d4": 0.637, "d6": 0.101, "a5": 0.080}
"""CRB 15000-5/0.95 and -10/1.52 [m], of RobotComponents' presets."""


def gofa_urdf(d1, a1, a2, a3, d4, d6, a5):
    """Six axes as on the drawing: z up, x ahead, axis 6 above axis 5 by a5."""
    places = [(0, 0, d1), (a1, 0, 0), (0, 0, a2), (0, 0, a3), (d4, 0, 0), (0, 0, a5)]
    axes = ["0 0 1", "0 1 0", "0 1 0", "1 0 0", "0 1 0", "1 0 0"]
    text = '<robot name="gofa"><link name="l0"/>'
    for k, (place, axis) in enumerate(zip(places, axes, strict=True), 1):
        text += (
            f'<link name="l{k}"/><joint name="j{k}" type="revolute"><parent link="l{k - 1}"/>'
            f'<child link="l{k}"/><origin xyz="{" ".join(map(str, place))}"/><axis xyz="{axis}"/>'
            '<limit lower="-4.6" upper="4.6" velocity="2" effort="100"/></joint>'
        )
    return text + (
        '<link name="tool0"/><joint name="flange" type="fixed"><parent link="l6"/>'
        f'<child link="tool0"/><origin xyz="{d6} 0 0" rpy="0 {np.pi / 2} 0"/></joint></robot>'
    )


def mdh_pose(lengths, q):
    """Pose of tool0 from modified DH rows, ``(..., 4, 4)`` for ``q`` ``(..., 6)``."""
    d1, a1, a2, a3, d4, d6, a5 = lengths.values()
    h = np.pi / 2
    rows = [(0, 0, d1, 0), (-h, a1, 0, -h), (0, a2, 0, 0), (-h, a3, d4, 0), (h, 0, 0, 2 * h)]
    pose = np.eye(4)
    for k, (alpha, a, d, zero) in enumerate([*rows, (h, -a5, 0, 0)]):
        pose = pose @ modified(alpha, a, d, zero + q[..., k])
    return pose @ oracles.shift(0, 0, d6)


def modified(alpha, a, d, theta):
    """Rx(alpha) Tx(a) Tz(d) Rz(theta) for an array of theta."""
    c, s, o, i = np.cos(theta), np.sin(theta), np.zeros_like(theta), np.ones_like(theta)
    turn = np.stack([c, -s, o, o, s, c, o, o, o, o, i, o, o, o, o, i], axis=-1)
    return oracles.mdh(alpha, a, d, 0.0) @ turn.reshape(*np.shape(theta), 4, 4)


def table_pose(rows, drive, q):
    """Pose from rows (alpha, a, d, theta0) with joint angles ``theta0 + drive q``."""
    angles, pose = q @ drive.T, np.eye(4)
    for k, (alpha, a, d, zero) in enumerate(rows):
        pose = pose @ modified(alpha, a, d, zero + angles[..., k])
    return pose


def searched(forward, target, starts):
    """Return all postures of a pose that Levenberg's method with difference quotients finds."""

    def error(q):
        off = target - forward(q)
        return np.concatenate([off[:, :3, 3], off[:, :3, :3].reshape(-1, 9)], axis=1)

    q, damping = starts.copy(), np.full((len(starts), 1, 1), 1e-2)
    size = np.square(error(q)).sum(axis=1)
    for _ in range(50):
        columns = [(error(q + 1e-6 * e) - error(q - 1e-6 * e)) / 2e-6 for e in np.eye(6)]
        J = np.stack(columns, axis=-1)
        Jt = np.swapaxes(J, 1, 2)
        step = np.linalg.solve(Jt @ J + damping * np.eye(6), Jt @ error(q)[..., None])[..., 0]
        tried = np.square(error(q - step)).sum(axis=1)
        better = tried < size
        q[better] -= step[better]
        size = np.where(better, tried, size)
        damping *= np.where(better, 0.2, 5.0)[:, None, None]
        damping = np.clip(damping, 1e-12, 1e6)
    found = []
    for one in q[size < 1e-18]:
        if all(apart(one, other) > 1e-4 for other in found):
            found.append(one)
    return found


def apart(q, other):
    """Largest difference of two postures, full turns aside [rad]."""
    return np.abs(np.angle(np.exp(1j * (q - other)))).max(axis=-1)


@pytest.fixture(params=[GOFA, LONG], ids=["5/0.95", "10/1.52"])
def gofa(request, tmp_path):
    """A CRB 15000 with its own forward kinematics."""
    lengths = request.param
    robot = irb.from_urdf(written(gofa_urdf(**lengths), tmp_path))
    return robot, partial(mdh_pose, lengths)


def check_all(robot, forward, q, poses_searched=3):
    """Every posture is among those of its pose, all are at it, and a search finds no other."""
    poses = forward(q)
    np.testing.assert_allclose(robot.pose(q), poses, atol=1e-13)
    found = robot.inverse_kinematics(poses)
    owner, _ = np.nonzero(found.valid)
    solutions = found.q[found.valid]
    np.testing.assert_allclose(forward(solutions), poses[owner], atol=2e-11)
    distance = np.where(found.valid, apart(found.q, q[:, None]), np.inf).min(axis=1)
    assert distance.max() < 1e-6
    assert not (found.valid.sum(axis=1) % 2).any()  # a closed curve is crossed twice
    starts = np.random.default_rng(1).uniform(-np.pi, np.pi, (150, 6))
    for k in range(poses_searched):
        known = found.q[k][found.valid[k]]
        for other in searched(forward, poses[k], starts):
            assert apart(known, other).min() < 1e-5
    return found


def test_every_posture_of_a_gofa(gofa):
    """1000 postures come back among up to 16, and a search finds no other."""
    robot, forward = gofa
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (1000, 6))
    found = check_all(robot, forward, q)
    assert found.valid.sum(axis=1).max() > 8


def test_any_base_signs_tool_and_lateral_offset(tmp_path):
    """What the wrist misses one point by may point anywhere square to axis 5."""
    rng = np.random.default_rng(2)
    for side, wrist in (
        (0.0, (0.1, 0.0, 0.05)),
        (0.08, (0.0, 0.0, -0.12)),
        (0.05, (0.0, 0.3, 0.02)),
    ):
        base = (tuple(rng.uniform(-1.0, 1.0, 3)), tuple(rng.uniform(-3.0, 3.0, 3)))
        signs = tuple(rng.choice([-1, 1], 6))
        text = arm_urdf(side=side, wrist=wrist, signs=signs, base=base)
        robot = irb.from_urdf(written(text, tmp_path))
        q = rng.uniform(-np.pi, np.pi, (200, 6))
        found = robot.inverse_kinematics(robot.pose(q))
        distance = np.where(found.valid, apart(found.q, q[:, None]), np.inf).min(axis=1)
        assert distance.max() < 1e-6
        assert not (found.valid.sum(axis=1) % 2).any()


@pytest.mark.parametrize("side", [0.25, -0.25])
def test_how_far_a_side_offset_keeps_the_wrist(side, tmp_path):
    """By hand, with axis 6 upright: the wrist centre is on a circle about it, and 0.25 m beside the
    plane of axis 1, in which lower arm and forearm reach.
    """
    robot = irb.from_urdf(written(arm_urdf(a1=0.1, side=side, wrist=(0.0, 0.0, -0.12)), tmp_path))
    q = np.array([0.1, 0.2, -0.3, 0.4, 0.5, 0.6])
    v, w = np.split(robot.jacobian(q)[:, 5], 2)
    tcp = robot.pose(q).homogeneous
    # axis 6 in the tool: its direction, and the point of it next to the TCP
    axis, point = tcp[:3, :3].T @ w, tcp[:3, :3].T @ np.cross(w, v)
    upright = Rotation.align_vectors([[0.0, 0.0, 1.0]], [axis])[0].as_matrix()
    length, height = np.hypot(0.01, 0.7) + np.hypot(0.1, 0.8), 0.5  # reach from axis 2, its height
    circle = 0.12 * np.cos(0.5)  # axis 6 is turned by 0.5 rad in the plane of the offset
    for away, missing in (
        (0.0, 0.25 - circle),
        (0.05, 0.25 - 0.05 - circle),
        (2.5, np.sqrt((2.5 - circle) ** 2 - 0.25**2) - 0.1 - length),
    ):
        pose = np.eye(4)
        pose[:3, :3], pose[:3, 3] = upright, [away, 0.0, height] - upright @ point
        lift = np.linspace(-1.0, 1.0, 401)  # of the wrist centre over the foot of the TCP
        poses = np.repeat(pose[None], len(lift), axis=0)
        poses[:, 2, 3] += lift
        found = robot.inverse_kinematics(poses)
        assert not found.valid.any()
        assert found.missing.min() == pytest.approx(missing, abs=2e-5)  # heights are 5 mm apart


def specimen(name, rng, folder):
    """A calibrated arm, every twist 0.05 deg and every length 1 mm off, and its own pose."""
    nominal, bars = irb.load(name), name == "irb2400"
    rows, lines = [], []
    for k, row in enumerate(oracles.rows(nominal.name)):
        off = rng.uniform(-1.0, 1.0, 4) * [np.radians(0.05), 1e-3, 1e-3, np.radians(0.05)]
        if bars and k == 2:  # out of one plane the bars would not close
            off[[0, 2]] = 0.0
        alpha, a, d, zero = np.array(row[:4]) + off
        rows.append((alpha, a, d, zero))
        twist = f"alpha_deg: {np.degrees(alpha):.17g}, d_mm: {1e3 * d:.17g}, "
        lines.append(
            f"    joint_{k + 1}: {{{'' if bars and k == 2 else twist}a_mm: {1e3 * a:.17g},"
            f" theta0_deg: {np.degrees(zero):.17g}, source: cert}}\n"
        )
    path = folder / "specimen.yaml"
    path.write_text(
        f"schema: 1\nrobot: {nominal.name}\nabout: made up\nsources: {{cert: {{ref: certificate,"
        f" grade: measured}}}}\nkinematics:\n  joints:\n{''.join(lines)}"
    )
    robot, drive = irb.load(name, overlays=[path]), np.eye(6)
    drive[2, 1] = -1.0 if bars else 0.0
    flange = oracles.shift(0, 0, 0.085 if bars else 0.065)
    return robot, lambda q: table_pose(rows, drive, q) @ flange


@pytest.mark.parametrize(("name", "stretched"), [("irb1600", -90.0), ("irb2400", -79.862)])
def test_a_calibrated_table(name, stretched, tmp_path):
    """Nothing is missed, next to singularities neither, where the calibration decides."""
    rng = np.random.default_rng(3)
    robot, forward = specimen(name, rng, tmp_path)
    q = rng.uniform(-np.pi, np.pi, (400, 6))
    q[:100, 2] = np.radians(stretched) + rng.uniform(-0.03, 0.03, 100)
    q[:100, 2] += q[:100, 1] if name == "irb2400" else 0.0
    q[100:200, 4] = rng.uniform(-1e-3, 1e-3, 100)
    check_all(robot, forward, q, 1)


def test_the_partner_of_a_posture_next_to_a_singularity(gofa):
    """Of two postures that are almost one, each leads next to the other."""
    robot, _ = gofa
    tcp, checked = robot.find_frame("tcp"), 0
    chain = chain_of(tcp.tree, tcp.number)
    q = np.random.default_rng(5).uniform(-np.pi, np.pi, (400, 6))
    found = robot.inverse_kinematics(robot.pose(q))
    for postures, valid in zip(found.q, found.valid, strict=True):
        for one, other in combinations(postures[valid], 2):
            if 1e-3 < (far := apart(one, other)) < 0.1:
                assert apart(partners(chain, one[None])[0], other) < 0.2 * far
                checked += 1
    assert checked > 5
