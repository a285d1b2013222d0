"""The command excite, against Pinocchio's regressor of the URDF and differences of the motion."""

import json

import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.rapid import read, values_of

OF_BODY = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
SCARA = ("excite", "irb930", "--starts", "1", "--iterations", "15")


@pytest.mark.parametrize(
    "words", [("--no-collision",), ("--moves", "3", "--criterion", "logdet", "--no-collision")]
)
def test_the_motion_determines_what_is_printed(words, run, tmp_path):
    """The condition number is that of Pinocchio's regressor, of the columns whose sums are listed,
    along the file; shares of speed are those of differences of its positions, and below 1; the
    module's targets are on the motion.
    """
    path, module = tmp_path / "excite.csv", tmp_path / "Excite.mod"
    files = ("-o", path, "--rapid", module, "--figure", tmp_path / "f.svg")
    code, out, err = run(*SCARA, *words, *files, "--json")
    assert code == 0, err
    record, columns = json.loads(out), np.genfromtxt(path, delimiter=",", names=True)
    t, shown = columns["t"], [columns[f"q{i}_{'mm' if i == 3 else 'deg'}"] for i in range(1, 5)]
    q = np.stack([x / 1000.0 if i == 2 else np.radians(x) for i, x in enumerate(shown)], axis=1)
    v = np.gradient(q, t, axis=0, edge_order=2)
    a = np.gradient(v, t, axis=0, edge_order=2)
    model = pin.buildModelFromUrdf(str(irb.urdf_path("irb930")))
    data = model.createData()
    Y = np.vstack(
        [
            pin.computeJointTorqueRegressor(model, data, *state)
            for state in zip(q, v, a, strict=True)
        ]
    )
    own = [one["name"].split(" ")[0].split("_") for one in record["parameters"]]
    kept = Y[:, [10 * (int(body) - 1) + OF_BODY.index(name) for name, body in own]]
    values = np.linalg.svd(kept / np.linalg.norm(kept, axis=0), compute_uv=False)
    assert record["condition"] == pytest.approx(values[0] / values[-1], rel=0.02)
    assert (len(values), np.linalg.matrix_rank(Y, 1e-6 * np.linalg.norm(Y))) == (8, 8)
    limits = irb.load("irb930").limits
    speeds = np.abs(v).max(axis=0) / limits.velocity
    # the command's are of the Fourier series, these of the samples of the file
    np.testing.assert_allclose(record["shares"]["speed"], speeds, atol=0.005)
    assert max(max(share) for share in record["shares"].values()) <= 0.991
    assert limits.in_range(q).all()
    assert f"condition number {record['condition']:.4g} of 8 columns" in err
    targets = values_of(read(module.read_text()), "jointtarget").values()
    at = np.stack([np.interp(np.linspace(0.0, 5.0, 51), t, x) for x in shown], axis=1)
    listed = [irb.load("irb930").to_controller(one.q(irb.load("irb930"))) for one in targets]
    np.testing.assert_allclose(listed, at, atol=1e-5)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--axes", "9"), "axes of irb930_12_105 are numbers from 1 to 4"),
        (("--moves", "2", "--harmonics", "3"), "give one of them"),
        (("--harmonics", "0"), "at least 2, got 0"),
        (("--rapid", "x.txt"), "a RAPID module ends in .mod"),
        (("--rate", "0"), "--rate 0: samples per second are positive"),
        (("--box", "1,2"), "list of 6 numbers"),
        (("--posture-deg", "1000,0,0,0"), "range limit"),
    ],
)
def test_what_cannot_be_searched_is_refused_in_one_line(words, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*SCARA, "-o", "e.csv", *words)
    assert (code, err.count("\n"), list(tmp_path.iterdir())) == (2, 1, [])
    assert message in err
