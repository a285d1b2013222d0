"""Readers of published logs, and the page of them, on synthetic files of the same form."""

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.io import savemat

import irbmodels as irb

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
GAINS = np.array([12.0, 11.0, 10.0, 9.0, 8.0, 7.0])
RATIOS = np.array([250.0, 260.0, 240.0, 220.0, 230.0, 150.0])
ROTORS, OFFSET = np.array([3.0, 4.0, 2.0, 0.5, 0.4, 0.3]), np.array([1.0, -2.0, 0.5, 0.1, 0.0, 0.2])
VISCOUS, COULOMB = np.array([20, 20, 10, 3, 2, 1.0]), np.array([12, 13, 5, 2, 2, 1.0])
NOISE = 0.5  # [N m]


@pytest.fixture(scope="module")
def script():
    sys.path.insert(0, str(SCRIPTS))
    spec = importlib.util.spec_from_file_location("measured_arms", SCRIPTS / "measured_arms.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules["measured_arms"] = module
    spec.loader.exec_module(module)
    yield module
    sys.path.remove(str(SCRIPTS))


@pytest.fixture(scope="module")
def sources(script):
    return sys.modules["measured.sources"]


def motion(seed, duration, step):
    """Fourier motion of six axes."""
    rng, t = np.random.default_rng(seed), np.arange(0.0, duration, step)
    q, v, a = np.zeros((3, t.size, 6))
    for k in (1, 2, 3):
        w, phase, size = 0.6 * k, rng.uniform(0.0, 6.0, 6), 0.5 / k
        q += size * np.sin(w * t[:, None] + phase)
        v += size * w * np.cos(w * t[:, None] + phase)
        a -= size * w * w * np.sin(w * t[:, None] + phase)
    return t, q, v, a, rng


def torque(robot, q, v, a):
    of_bodies = robot.inverse_dynamics(q, v, a, friction=False)
    return of_bodies + ROTORS * a + VISCOUS * v + COULOMB * np.sign(v) + OFFSET


@pytest.fixture(scope="module")
def data(tmp_path_factory, sources):
    """Folders of both authors, with logs that a model made."""
    root = tmp_path_factory.mktemp("fetched")
    folder = root / "dynamic_calibration"
    logs, urdf = folder / "dataset_ur10e/identification_data", folder / "URe/urdf/ur10e.urdf"
    logs.mkdir(parents=True)
    urdf.parent.mkdir(parents=True)
    # any six-axis arm does
    urdf.write_text(sources.urdf_of_dh("arm", sources.KR300), encoding="utf-8")
    robot = irb.from_urdf(urdf)
    names = ("10-20sec_7harm", "10-30sec_12harm", "12-40sec_12harm", "12-50sec_12harm")
    for seed, name in enumerate(names):
        t, q, v, a, rng = motion(seed, 12.0, 0.01)
        current = (torque(robot, q, v, a) + NOISE * rng.normal(size=q.shape)) / GAINS
        rows = np.column_stack([798.0 + t, q, v, current, np.zeros((t.size, 12))])
        text = "\n".join(",".join(f"{value:.9f}" for value in row) for row in rows)
        # the last line of some logs is cut off
        (logs / f"ur-20_02_{name}.csv").write_text(text + "\n798.1,0.0,0.1", encoding="utf-8")
    bodies = []
    for link in list(robot.model.inertias)[1:]:
        tensor = link.inertia - link.mass * np.linalg.matrix_power(_skew(link.lever), 2)
        bodies += [*tensor[np.triu_indices(3)], *(link.mass * link.lever), link.mass]
    friction = np.column_stack([VISCOUS, COULOMB, OFFSET]).ravel()
    lines = [
        f"{key} = [{' '.join(f'{value:.15e}' for value in values)}]"
        for key, values in (
            ("drvGains", GAINS), ("pi_drvs", ROTORS), ("pi_frcn", friction), ("pi_rgd", bodies)
        )
    ]  # fmt: skip
    (folder / "UR10E_parameters.txt").write_text("\n".join(lines), encoding="utf-8")
    for name in "ABC":
        folder = root / "Robot_Identification/data/recorded_trajectories"
        folder /= f"2020-10-21 10s FF {name} 08ms"
        folder.mkdir(parents=True)
        t, q, v, a, _ = motion(ord(name), 4.0, 0.004)
        log = {
            "time_cont": t,
            "act_pos_se_deg": np.degrees(q.T) * [[1], [1], [1], [0], [0], [0]],
            "act_pos_mot_deg": np.degrees(q.T) + np.array([1, 1, 1, 0, 0, 0])[:, None],
            "act_torque_abs_nm": torque(robot, q, v, a).T / RATIOS[:, None],
        }
        savemat(folder / "data.mat", {"rec": log, "para": {"u": RATIOS}})
    return root


def _skew(x):
    return np.cross(np.eye(3), x).T


def test_the_ur10e_is_read_as_its_authors_define_it(data, sources):
    """Torques are currents times gains; parameters are those of their own order."""
    arm = sources.ur10e(data)
    t, q, v, a, _ = motion(3, 12.0, 0.01)
    log = arm.held_out
    np.testing.assert_allclose(log.t, t, atol=1e-9)
    np.testing.assert_allclose(log.q, q, atol=1e-8)
    exact = torque(arm.robot, q, v, a)
    assert np.std(log.tau - exact) == pytest.approx(NOISE, rel=0.05)
    np.testing.assert_allclose(arm.published(q, v, a), exact, rtol=1e-9, atol=1e-7)


def test_the_kr300_is_read_on_the_arm_side(data, sources):
    arm = sources.kr300(data)
    _, q, v, a, _ = motion(ord("C"), 4.0, 0.004)
    np.testing.assert_allclose(arm.held_out.q, q, atol=1e-12)
    np.testing.assert_allclose(arm.held_out.tau, torque(arm.robot, q, v, a), rtol=1e-9)


def test_the_tx40_is_read_on_the_arm_side(sources, tmp_path):
    """Motor 6 turns 32 times with axis 5 and with axis 6; motors and axes have the same power."""
    folder = tmp_path / "figaroh-examples/examples/staubli_TX40"
    (folder / "data").mkdir(parents=True)
    (folder / "urdf").mkdir()
    urdf = sources.urdf_of_dh("arm", sources.KR300)
    (folder / "urdf/tx40_mdh_modified.urdf").write_text(urdf, encoding="utf-8")
    rng = np.random.default_rng(0)
    q, torques = rng.normal(size=(38001, 6)), rng.normal(size=(38001, 6))
    zeros = np.array([0.0, np.pi / 2, -np.pi / 2, 0.0, 0.0, 0.0])
    motors = (q + zeros) * np.array([32.0, 32.0, 45.0, -48.0, 45.0, 32.0])
    motors[:, 5] += 32.0 * q[:, 4]
    for name, rows in (("pos_read_data", motors), ("curr_data", torques)):
        np.savetxt(folder / f"data/{name}.csv", rows, "%.12g", ",", header="six", comments="")
    arm = sources.tx40(tmp_path)
    (first,), last = arm.fit, arm.held_out
    np.testing.assert_allclose(np.concatenate([first.q, last.q]), q[:38000], atol=1e-9)
    power = (np.diff(q[:2], axis=0) * first.tau[:1]).sum()
    assert power == pytest.approx((np.diff(motors[:2], axis=0) * torques[:1]).sum(), rel=1e-6)
    np.testing.assert_array_equal(arm.robot.drive_axes[5], [0, 0, 0, 0, 1, 1])


def test_the_panda_is_read_without_its_hand(sources, tmp_path):
    """Rows of seven numbers, one per line; hand and fingers weigh nothing."""
    folder = tmp_path / "FrankaEmikaPandaDynModel/matlab/data/Exciting_Traj/Trajectory_1/rbt_log"
    urdf = tmp_path / "example-robot-data/robots/panda_description/urdf/panda.urdf"
    folder.mkdir(parents=True)
    urdf.parent.mkdir(parents=True)
    hand = (
        '<joint name="panda_hand_joint" type="fixed"><parent link="link_6"/>'
        '<child link="panda_hand"/></joint><link name="panda_hand"><inertial><mass value="3"/>'
        '<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link></robot>'
    )
    text = sources.urdf_of_dh("arm", sources.KR300).replace("</robot>", hand)
    urdf.write_text(text, encoding="utf-8")
    q = np.arange(2400.0).reshape(400, 6) * 1e-3
    for name, rows in (("positions", q), ("velocity", 2.0 * q), ("torques", 3.0 * q)):
        np.savetxt(folder / f"exciting_traj_{name}.txt", rows.ravel())
    np.savetxt(folder / "exciting_traj_time.txt", 1e-3 * np.arange(400))
    arm = sources.panda(tmp_path)
    np.testing.assert_allclose(arm.held_out.q, q[300:])
    np.testing.assert_allclose(arm.held_out.tau, 3.0 * q[300:])
    assert arm.robot.model.inertias[6].mass == pytest.approx(sources.KR300[-1][4])


def test_simulated_friction_brakes_and_no_law_is_it(script):
    """Of an IRB 1600: Pinocchio's torques of the bodies are right, the rest takes power."""
    arms = sys.modules["measured.simulated_arms"]
    arm, true = arms.simulated("irb1600_6_120"), irb.load("irb1600_6_120").with_friction(None)
    motion = arms.excitation(true, 20.0, seed=6)
    bodies = true.inverse_dynamics(motion.q, motion.v, motion.a, friction=False)
    rest = arm.fit[0].tau - bodies
    assert ((rest * motion.v).mean(axis=0) > 0.0).all()
    columns = [np.sign(motion.v), motion.v, np.ones_like(motion.v)]
    for axis in range(6):
        X = np.column_stack([column[:, axis] for column in columns])
        left = rest[:, axis] - X @ np.linalg.lstsq(X, rest[:, axis], rcond=None)[0]
        assert np.std(left) > 1.2 * arms.NOISE * np.std(arm.fit[0].tau[:, axis] - rest[:, axis])
    masses = [[body.mass for body in list(robot.model.inertias)[1:]] for robot in (arm.robot, true)]
    ratio = np.divide(*masses)
    assert (np.abs(np.log(ratio)) <= np.log(arms.OTHER_MASS) + 1e-9).all()
    assert np.ptp(ratio) > 0.1


def test_a_threshold_is_chosen_without_the_arm_that_tries_it(script):
    """Between the largest clean statistic of others and the next spoilt one: arm c, cleaner than
    others, is told by them; arm b, less clean, raises an alarm.
    """
    rule = sys.modules["measured.leave_one_out"]
    arms = {
        "a": rule.Tried([0.1, 0.2], [0.6, 0.05]),
        "b": rule.Tried([0.5], [0.9]),
        "c": rule.Tried([0.0], [0.7]),
    }
    assert rule.choice(list(arms.values())) == (0.5, 0.6)
    assert rule.choice([arms["a"], arms["c"]]) == (0.2, 0.6)
    assert rule.choice([rule.Tried([0.8], [0.3])]) == (0.8, 1.0)
    first = next(rule.rows({one.name: arms for one in rule.THRESHOLDS}))
    sure = rule.THRESHOLDS[0]
    assert first[:4] == (
        f"`SURE`: {sure.about}",
        "5",
        f"{sure.value(0.5):.2g}",
        f"{sure.value(0.6):.2g}",
    )
    # without a: 0.5 and 0.7; without b: 0.2 and 0.6; without c: 0.5 and 0.6
    assert first[4] == f"{sure.value(0.4):.2g} to {sure.value(0.6):.2g}"
    assert first[5] == "b"
    assert first[6] == "3 of 4 (not: a 1)"


def test_a_statistic_is_the_strictest_value_that_names_a_mistake(script):
    """Of a search that names a zero of 7 deviations, by that constant of the package."""
    rule = sys.modules["measured.leave_one_out"]

    class Case:
        def kinds(self, _):
            return {"zero"} if rule.mistakes.SURE < 7.0 else set()

    sure = rule.THRESHOLDS[0]
    before = rule.mistakes.SURE
    found = sure.value(sure.statistic(Case(), ("zero", "gain")))
    assert found < 7.0 < found * (sure.strict / sure.lax) ** (1.0 / rule.STEPS)
    assert sure.statistic(Case(), ("swap",)) == 0.0
    assert sure.statistic(None, ("zero",)) == 1.0
    assert before == rule.mistakes.SURE


def test_urdf_of_dh_rows_has_their_poses(sources, tmp_path):
    """Against the product of standard DH matrices."""
    (tmp_path / "arm.urdf").write_text(sources.urdf_of_dh("arm", sources.KR300), encoding="utf-8")
    robot, q = irb.from_urdf(tmp_path / "arm.urdf"), np.array([0.3, -0.4, 0.5, 1.0, -0.7, 0.2])
    pose = np.diag([1.0, -1.0, -1.0, 1.0])
    for (d, a, alpha, theta, *_), angle in zip(sources.KR300, q, strict=True):
        c, s = np.cos(angle + np.deg2rad(theta)), np.sin(angle + np.deg2rad(theta))
        ca, sa = np.cos(np.deg2rad(alpha)), np.sin(np.deg2rad(alpha))
        pose = pose @ [
            [c, -s * ca, s * sa, a * c],
            [s, c * ca, -c * sa, a * s],
            [0.0, sa, ca, d],
            [0.0, 0.0, 0.0, 1.0],
        ]
    last = robot.pose(q, "link_6").homogeneous
    (d, a, alpha, *_) = sources.KR300[-1]
    ca, sa = np.cos(np.deg2rad(alpha)), np.sin(np.deg2rad(alpha))
    beyond = np.array([[1, 0, 0, a], [0, ca, -sa, 0], [0, sa, ca, d], [0, 0, 0, 1]])
    np.testing.assert_allclose(last @ beyond, pose, atol=1e-9)


def test_the_page_is_written_between_its_marks(script, data, tmp_path):
    """RMSE of the true parameters and of the fit is the noise; the text around stays."""
    (tmp_path / "pictures").mkdir()
    page = tmp_path / "background" / "measured_arms.md"
    page.parent.mkdir()
    page.write_text(f"# Title\n\n{script.BEGIN}\nold\n{script.END}\nlast\n", encoding="utf-8")
    assert script.main(["--data", str(data), "--arms", "ur10e", "-o", str(page.parent)]) == 0
    text = page.read_text(encoding="utf-8")
    assert text.startswith("# Title\n\n<!--")
    assert text.endswith("-->\nlast\n")
    assert "old" not in text
    rows = {
        cells[0]: cells[1:]
        for line in text.splitlines()
        if line.startswith("| ")
        for cells in [[cell.strip() for cell in line.strip("|").split("|")]]
    }
    noise = "white noise per sample, of second differences"
    for name in ("parameters published by the authors", "`irbmodels identify`", noise):
        np.testing.assert_allclose([float(cell) for cell in rows[name]], NOISE, rtol=0.1)
    assert (tmp_path / "pictures/measured_ur10e.png").stat().st_size > 10_000
