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
    page = tmp_path / "measured_arms.md"
    page.write_text(f"# Title\n\n{script.BEGIN}\nold\n{script.END}\nlast\n", encoding="utf-8")
    assert script.main(["--data", str(data), "--arms", "ur10e", "-o", str(tmp_path)]) == 0
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
    for name in ("parameters published by the authors", "`irbmodels identify`"):
        np.testing.assert_allclose([float(cell) for cell in rows[name]], NOISE, rtol=0.1)
    assert (tmp_path / "pictures/measured_ur10e.png").stat().st_size > 10_000
