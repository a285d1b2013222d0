"""The command jacobian, against differences of the pose it is the derivative of."""

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.report.jacobian import jacobian_record

POSTURES = {
    "irb2400": ([10, 20, 10, 40, 3, -25], ["wrist"]),
    "irb930": ([10, 2, -50, 20], ["elbow"]),
    "irb1600": ([0, 20, -40, 30, 60, 10], []),
}
STEP = 1e-6  # [rad, m]: rounding of a pose over it, and its square, are 1e-10


def differences(robot, q, frame):
    """Linear and angular velocity of a frame per axis, by central differences of its pose."""
    columns = []
    for step in STEP * np.eye(robot.n):
        ahead, behind = (robot.pose(q + sign * step, frame).homogeneous for sign in (1, -1))
        turn = (ahead[:3, :3] - behind[:3, :3]) @ robot.pose(q, frame).rotation.T
        spin = np.array([turn[2, 1], turn[0, 2], turn[1, 0]])
        columns.append(np.concatenate([(ahead - behind)[:3, 3], spin]) / (2.0 * STEP))
    return np.array(columns).T


def rows_of(text):
    """Numbers of the printed Jacobian."""
    rows = [line.split() for line in text.splitlines()]
    return np.array(
        [row[2:] for row in rows if row and row[0] in ("vx", "vy", "vz", "wx", "wy", "wz")], float
    )


@pytest.mark.parametrize("name", POSTURES)
def test_it_prints_the_derivative_of_the_pose_and_what_is_near(name, run):
    """Rows are differences of the pose in base, world and own axes; the product of the singular
    values of six axes is the determinant; a posture 2 or 3 degrees from a singularity is near it.
    """
    degrees, near = POSTURES[name]
    robot = irb.load(name, tool="spindle")
    q, words = robot.from_controller(degrees), ",".join(map(str, degrees))
    down = np.diag([1.0, -1.0, -1.0])
    wanted = differences(robot, q, "tcp")
    own = robot.pose(q).rotation.T
    turned = {"base": np.eye(3), "world": down, "local": own}
    for axes, rotation in turned.items():
        code, out, err = run(
            "jacobian", name, "--tool", "spindle", "--q-deg", words, "--axes", axes,
            "--mounted", "0,0,2500,0,1,0,0",
        )  # fmt: skip
        assert code == 0
        expected = np.vstack([rotation @ wanted[:3], rotation @ wanted[3:]])
        np.testing.assert_allclose(rows_of(out), expected, atol=1.5e-6)  # six digits
    said = f"near the {near[0]} singularity" if near else "no singularity is near"
    assert said in err.splitlines()
    record = jacobian_record(robot, q, length=0.5)
    scaled = wanted / np.repeat([0.5, 1.0], 3)[:, None]
    np.testing.assert_allclose(
        np.square(record["singular_values"]), np.linalg.eigvalsh(scaled.T @ scaled)[::-1], atol=1e-8
    )
    square = wanted if robot.n == 6 else wanted[[0, 1, 2, 5]]
    assert record["determinant"] == pytest.approx(np.linalg.det(square), abs=1e-8)
    assert record["manipulability"] == pytest.approx(abs(np.linalg.det(square)), abs=1e-8)
    assert record["near"] == near
