"""Poses, postures and comparisons that tests of the inverse kinematics share."""

import numpy as np
import oracles
import pinocchio as pin
import pytest
from own_arms import arm_urdf, urdf, written

import irbmodels as irb
from irbmodels.compiled.dispatch import WORTH
from irbmodels.compiled.llvm_entry import STATE
from irbmodels.kinematics.inverse import closed_form

CLOSE = 1e-9  # [m, rad] what is asked of every solution
# rounding of a pose with lengths of some metres; over the sine of an angle it is what a posture can
# be off
EPS = 2e-14
TOOLS = {"irb2400_16": oracles.SPINDLE_TCP}
OWN = ("beside", "folding", "hanging")
SAME = ("irb2400_16", "irb1400", "irb1600_6_120", "irb1600_10_145")


def about(axis, angle, v):
    """Return vectors (3, N) turned about axis 0, 1 or 2 by angles (N,)."""
    i, j = (axis + 1) % 3, (axis + 2) % 3
    c, s, result = np.cos(angle), np.sin(angle), v.copy()
    result[i], result[j] = c * v[i] - s * v[j], s * v[i] + c * v[j]
    return result


def forward(name, Q):
    """Poses (N, 4, 4) of the TCP from the formula of FACTS 1, axis by axis, for positions (N, n) as
    the controller shows them.
    """
    tcp, q = TOOLS.get(name, np.eye(4)), np.asarray(Q, dtype=float).T
    T = np.zeros((q.shape[1], 4, 4))
    T[:, 3, 3] = 1.0
    for k in range(4):
        v = np.repeat(tcp[:3, k : k + 1], q.shape[1], axis=1)
        step = 1.0 if k == 3 else 0.0  # points move, directions do not
        if name in oracles.SCARA_ARMS:
            inner, outer = oracles.SCARA_ARMS[name]
            v = about(0, np.full(q.shape[1], np.pi), about(2, q[3], v))
            v[0] += step * outer
            v[2] += step * (q[2] + 0.272 + 0.1235 + 0.1687)
            v = about(2, q[1], v)
            v[0] += step * inner
            T[:, :3, k] = about(2, q[0], v).T
            continue
        d1, a1, a2, a3, d4, d6 = oracles.DIMENSIONS[name]
        v = about(0, q[5], about(1, np.full(q.shape[1], np.pi / 2), v))
        v[0] += step * d6
        v = about(0, q[3], about(1, q[4], v))
        v[0] += step * d4
        v[2] += step * a3
        v = about(1, q[2] - q[1] if name in oracles.PARALLELOGRAM else q[2], v)
        v[2] += step * a2
        v = about(1, q[1], v)
        v[0] += step * a1
        v[2] += step * d1
        T[:, :3, k] = about(2, q[0], v).T
    return T


def arm(name):
    return irb.load(name, tool="spindle" if name in TOOLS else None)


def postures(name, count, seed=0):
    """Random positions inside the ranges, the coupled one of axis 3 included."""
    key = name if name in oracles.RANGES else oracles.FAMILY[name]
    low, high = np.array(oracles.RANGES[key], dtype=float).T
    values = np.random.default_rng(seed).uniform(low, high, (count, len(low)))
    if name in oracles.PARALLELOGRAM:
        values[:, 2] += values[:, 1]
    if name in oracles.SCARA_ARMS:
        return np.column_stack(
            [np.radians(values[:, :2]), values[:, 2] / 1000.0, np.radians(values[:, 3])]
        )
    return np.radians(values)


def ranges_kept(name, Q):
    """Whether positions (..., n) keep the ranges typed in oracles, to 1e-9."""
    shown = np.degrees(Q)
    if name in oracles.SCARA_ARMS:
        shown[..., 2] = 1000.0 * Q[..., 2]
    if name in oracles.PARALLELOGRAM:
        shown[..., 2] -= shown[..., 1]
    low, high = np.array(
        oracles.RANGES[name if name in oracles.RANGES else oracles.FAMILY[name]], dtype=float
    ).T
    return ((shown >= low - 1e-6) & (shown <= high + 1e-6)).all(axis=-1)


def apart(name, a, b):
    """Largest difference of positions, without full turns; a slide has none."""
    off = a - b
    turned = off - 2.0 * np.pi * np.round(off / (2.0 * np.pi))
    if name in oracles.SCARA_ARMS:
        turned[..., 2] = off[..., 2]
    return np.abs(turned).max(axis=-1)


def same_sets(name, ours, theirs, tolerance):
    """Whether two lists of positions hold the same postures."""
    if len(ours) != len(theirs):
        return False
    table = apart(name, np.asarray(ours)[:, None], np.asarray(theirs)[None])
    return bool((table.min(axis=0) <= tolerance).all() and (table.min(axis=1) <= tolerance).all())


def least_sine(name, Q):
    """Product of what errors are divided by on their way outwards: distance from axis 1 over 1 m,
    sines of elbow and wrist.
    """
    if name in oracles.SCARA_ARMS:
        return np.abs(np.sin(Q[:, 1]))
    _, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    forearm = Q[:, 2] if name in oracles.PARALLELOGRAM else Q[:, 1] + Q[:, 2]
    forearm = forearm + np.arctan2(d4, a3)
    ahead = a1 + a2 * np.sin(Q[:, 1]) + np.hypot(a3, d4) * np.sin(forearm)
    return np.prod(
        np.minimum(np.abs([np.sin(Q[:, 4]), np.sin(forearm - Q[:, 1]), ahead]), 1.0), axis=0
    )


ROBOTS = {name: arm(name) for name in ("irb2400_16", "irb1600_6_120", "irb1400", "irb930_12_105")}


def compiled(robot):
    """Return the closed form of a robot with machine code in use."""
    pytest.importorskip("llvmlite")
    solver = robot._inverse
    assert solver._kernel_if_worth(STATE, WORTH)
    return solver


def check_branches(actual, arm, poses, constants):
    """Hold branches of poses to the NumPy reference: the same bits, NaN, distances, and positions
    but for half turns, which rounding may show with either sign.
    """
    closed = closed_form.six_axis if arm.slots == 8 else closed_form.scara
    with np.errstate(all="ignore"):
        expected = closed(arm, poses, *constants)
    for values, none in zip(expected, (np.nan, 0, np.nan), strict=True):
        values[~closed_form.are_rigid(poses)] = none
    assert np.array_equal(actual.bits, expected.bits)
    assert np.array_equal(np.isnan(actual.q), np.isnan(expected.q))
    difference = np.abs(actual.q - expected.q)
    turned = difference > 1.0
    assert turned.mean() < 0.05
    np.testing.assert_allclose(difference[turned], 2.0 * np.pi, rtol=0, atol=1e-7)
    assert np.nanmax(difference[~turned]) < 1e-7  # nearly stretched
    np.testing.assert_allclose(actual.missing, expected.missing, rtol=0, atol=1e-14)


def own_arm(kind):
    """Return an arm that nobody sells: tilted base, forearm beside the plane, folding to a point,
    or a SCARA whose axes point down.
    """
    base = ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6))
    if kind == "beside":
        text = arm_urdf(side=0.1, base=base, signs=(1, -1, 1, -1, -1, 1))
    elif kind == "folding":
        text = arm_urdf(a2=0.6, a3=0.0, d4=0.6).replace('"0.01 -0.1 0.6"', '"0 -0.1 0.6"')
    else:
        down, up, flat = (0, 0, -1), (0, 0, 1), (np.pi, 0, 0.3)
        text = urdf(
            [
                ("fixed", *base, up),
                ("prismatic", (0.1, 0.2, 0.3), (0, 0, 0.2), down),
                ("revolute", (0.2, 0.3, 0.1), flat, up),
                ("revolute", (0.4, 0.1, 0.2), flat, down),
                ("revolute", (0.3, 0.2, 0.1), flat, up),
                ("fixed", (0.1, 0.2, 0.3), (0.4, 0.5, 0.6), up),
            ]
        )
    return irb.from_urdf(written(text))


def special_poses(robot):
    """Poses (1000, 4, 4) of random positions; the first 450 are made special: singular, at the edge
    of reach, beyond it, leaning, not finite, not rigid.
    """
    arm, linear = robot._inverse.arm, robot._inverse._limits.linear
    Q = np.random.default_rng(5).uniform(-3.0, 3.0, (1000, len(linear)))
    x = arm.axis_map.angles(np.where(linear, 0.1 * Q, Q))
    six = x.shape[1] == 6
    upper, fore = (1, 2) if six else (0, 1)
    x[:100, fore] = x[:100, upper]  # stretched
    x[100:200, fore] = x[100:200, upper] + np.pi  # folded
    if six:
        x[200:300, 4] = np.pi * (np.arange(100) % 2)
    poses = np.array([robot.pose(q).homogeneous for q in arm.axis_map.positions(x)])
    center = poses[:, :3, 3] + poses[:, :3, :3] @ arm.wrist - arm.origin
    along, radius = (
        center @ arm.arm_from_base.T,
        np.array([arm.a1, arm.d, 0.0] if six else [0.0] * 3),
    )
    along -= about(2, x[:, 0], np.repeat(radius[:, None], len(x), axis=1)).T
    along[:, 2] *= six
    along /= np.linalg.norm(along, axis=1, keepdims=True)
    poses[:50, :3, 3] += 5e-11 * along[:50] @ arm.arm_from_base  # beyond reach, as by rounding
    poses[300:330, :3, 3] -= center[300:330]  # on axis 1
    poses[330:350, :3, 3] += 5.0 * arm.arm_from_base[2]
    poses[350:400, :3, 3] *= 1.5
    poses[400:410, :3, 1:3] *= -1.0  # upside down
    lean = np.array([3e-9, 4e-9, 0.0])  # [rad], less than a matrix shows
    poses[410:420] = poses[410:420] @ pin.SE3(pin.exp3(lean), np.zeros(3)).homogeneous
    poses[420, 0, 0], poses[421, 2, 3], poses[422, 3, 1] = np.nan, np.inf, np.nan
    poses[423, :3, :3] = 0.0
    return poses
