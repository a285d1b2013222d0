import numpy as np
import pytest
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.tasks.path_check import check_path
from irbmodels.trajectory import through
from irbmodels.trajectory import torque_prediction as module
from irbmodels.trajectory.motion_files import open_motion, write_motion
from irbmodels.trajectory.torque_prediction import predict


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400", tool="spindle")


@pytest.fixture(scope="module")
def motion(robot):
    postures = [
        robot.from_controller(p)
        for p in ([0, 0, 0, 0, 30, 0], [40, 30, 20, 30, 45, 60], [-20, 10, -10, 0, 20, 0])
    ]
    return through(postures, duration=2.0).sample(100.0)


@pytest.fixture(autouse=True)
def no_kernels(monkeypatch):
    """Compiling would take longer than the tests."""
    monkeypatch.setattr("irbmodels.compiled.dispatch.WORTH", np.inf)


@pytest.fixture
def file(tmp_path, robot, motion):
    def written(tau=None):
        write_motion(tmp_path / "m.csv", motion._replace(tau=tau), robot)
        return open_motion(tmp_path / "m.csv", robot)

    return written


def test_parts_are_those_of_the_equation_of_motion(tmp_path, robot, motion, file):
    """The written parts are M a, C v, g and friction, and sum to the written total."""
    predict(file(), tmp_path / "tau.csv")
    with (tmp_path / "tau.csv").open() as stream:
        names = stream.readline().strip().split(",")
        table = dict(zip(names, np.loadtxt(stream, delimiter=",").T, strict=True))
    assert names[:6] == [
        "t",
        "tau1_inertia_Nm",
        "tau1_coriolis_Nm",
        "tau1_gravity_Nm",
        "tau1_friction_Nm",
        "tau1_total_Nm",
    ]
    wanted = {
        "inertia": np.einsum("kij,kj->ki", robot.mass_matrix(motion.q), motion.a),
        "coriolis": np.einsum("kij,kj->ki", robot.coriolis(motion.q, motion.v), motion.v),
        "gravity": robot.gravity(motion.q),
        "friction": robot.friction(motion.v),
    }
    for word, values in wanted.items():
        got = np.stack([table[f"tau{i + 1}_{word}_Nm"] for i in range(6)], axis=1)
        # at rest friction hangs on the ninth printed digit of the speed
        moving = np.abs(motion.v).min(axis=1) > 1e-3
        # nine printed digits of degrees and of torque
        np.testing.assert_allclose(got[moving], values[moving], atol=1e-5)
    total = np.stack([table[f"tau{i + 1}_total_Nm"] for i in range(6)], axis=1)
    np.testing.assert_allclose(total[moving], sum(wanted.values())[moving], atol=1e-5)


def test_friction_turns_round_over_the_presliding_distance(
    tmp_path, robot, motion, file, monkeypatch
):
    """Friction follows Dahl's state, summed here step by step, across the pieces of a file too."""
    share, distance = np.linspace(0.3, 1.0, 6), np.full(6, 0.05)
    law = robot.friction_model
    after = irb.Stribeck(law.Fs, law.Fc, law.Fv, law.v_St, presliding=share, x_p=distance)
    file()
    monkeypatch.setattr("irbmodels.trajectory.motion_files.ROWS", 97)
    result = predict(open_motion(tmp_path / "m.csv", robot.with_friction(after)))
    plain = predict(open_motion(tmp_path / "m.csv", robot))
    # as the file has them: printed digits decide on signs at rest
    q, v = result.trace.motion.q, result.trace.motion.v
    z, late = np.zeros(6), []
    for k, speed in enumerate(v):
        sign = np.sign(speed)
        step = np.abs(q[k] - q[k - 1]) if k else np.zeros(6)
        moved = np.where(z == 0.0, sign, sign + (z - sign) * np.exp(-step / distance))
        z = np.where(sign != 0.0, moved, z)
        late.append(share * law.Fc * (z - sign))
    assert np.abs(late).max() > 10.0
    parts, before = result.trace.parts, plain.trace.parts
    np.testing.assert_allclose(parts.friction - before.friction, late, atol=1e-6)
    np.testing.assert_allclose(parts.total - before.total, late, atol=1e-6)


def test_accuracy_is_eq_75_to_77(robot, motion, file):
    """MAE, RMSE and RMSE/AVG of a known disturbance, computed here from the definitions."""
    rng = np.random.default_rng(0)
    measured = robot.inverse_dynamics(motion.q, motion.v, motion.a) + rng.normal(
        0.0, 2.0, motion.q.shape
    )
    result = predict(file(measured))
    model = result.trace.parts.total
    assert len(model) == len(measured)  # short files are kept whole
    error = model - measured
    np.testing.assert_allclose(result.accuracy.mae, np.abs(error).mean(axis=0), rtol=1e-6)
    np.testing.assert_allclose(result.accuracy.rmse, np.sqrt((error**2).mean(axis=0)), rtol=1e-6)
    np.testing.assert_allclose(result.accuracy.average, np.abs(measured).mean(axis=0), rtol=1e-6)
    share = 100 * np.sqrt((error**2).mean(axis=0)) / np.abs(measured).mean(axis=0)
    np.testing.assert_allclose(result.accuracy.rmse_over_average, share, rtol=1e-6)


def test_no_measurement_no_accuracy(file):
    """Without measured torques there is no accuracy."""
    assert predict(file()).accuracy is None


def test_bounds_are_counted(robot, motion, file):
    """Rows outside the coupled range and axes faster than the friction measurement are counted."""
    result = predict(file())
    assert result.out_of_range == int((~robot.in_range(motion.q)).sum()) == 0
    assert result.extrapolated.tolist() == (np.abs(motion.v).max(axis=0) > 0.5).tolist()
    assert result.extrapolated.any()
    assert not result.extrapolated.all()
    assert result.rows == 401
    assert result.duration == pytest.approx(4.0)


def test_friction_is_extrapolated_by_the_speeds_of_drives(tmp_path, robot, motion, file):
    """A motor that turns with two axes is faster than each of them."""
    D = np.eye(6)
    D[4, 3] = 3.0
    fast = np.abs(motion.v @ D.T).max(axis=0) > 0.5
    assert fast.tolist() != (np.abs(motion.v).max(axis=0) > 0.5).tolist()
    coupled = robot.with_drives(D)
    file()
    path = tmp_path / "m.csv"
    assert predict(open_motion(path, coupled)).extrapolated.tolist() == fast.tolist()
    assert check_path(coupled, motion).extrapolated.tolist() == fast.tolist()


def test_a_row_outside_the_coupled_range_counts(tmp_path, robot):
    """q3 alone is inside -60..65 deg there, but q3 - q2 is not."""
    postures = [robot.from_controller(p) for p in ([0, 80, 30, 0, 0, 0], [0, 95, 30, 0, 0, 0])]
    write_motion(tmp_path / "m.csv", through(postures, duration=1.0).sample(100.0), robot)
    assert predict(open_motion(tmp_path / "m.csv", robot)).out_of_range > 20


def test_failure_leaves_nothing_behind(tmp_path, robot, motion):
    """A wrong row late in the file leaves neither output nor temporary files, and an old output as
    it was.
    """
    write_motion(tmp_path / "m.csv", motion, robot)
    lines = (tmp_path / "m.csv").read_text().splitlines()
    lines[300] = lines[300].replace(",", ",x", 1)
    (tmp_path / "m.csv").write_text("\n".join(lines))
    (tmp_path / "tau.csv").write_text("old")
    with pytest.raises(irb.MotionError):
        predict(open_motion(tmp_path / "m.csv", robot), tmp_path / "tau.csv")
    assert (tmp_path / "tau.csv").read_text() == "old"
    assert sorted(p.name for p in tmp_path.iterdir()) == ["m.csv", "tau.csv"]


def test_output_folder_must_exist(tmp_path, file):
    """A folder that does not exist is named."""
    with pytest.raises(irb.FileError, match=r"cannot write .*nowhere"):
        predict(file(), tmp_path / "nowhere" / "tau.csv")


@pytest.mark.parametrize("size", [10, 50, 100])
def test_the_trace_is_an_even_selection(monkeypatch, tmp_path, robot, motion, size):
    """However long the file, the trace keeps at most the wanted number of evenly spaced rows, and
    more than a third.
    """
    from irbmodels.trajectory import motion_files as logs

    monkeypatch.setattr(module, "_TRACE", size)
    monkeypatch.setattr(logs, "ROWS", 37)
    write_motion(tmp_path / "m.csv", motion, robot)
    trace = predict(open_motion(tmp_path / "m.csv", robot)).trace
    assert size / 3 < len(trace.motion.t) <= size
    steps = np.diff(trace.motion.t)
    np.testing.assert_allclose(steps, steps[0], rtol=1e-6)
    assert trace.motion.t[0] == 0.0


def test_progress_adds_up_to_the_file(robot, motion, file):
    """The bytes reported are those of the rows."""
    seen = []
    motion_file = file()
    predict(motion_file, advance=seen.append)
    first_line = len(motion_file.path.read_text().splitlines()[0]) + 1
    assert sum(seen) == motion_file.size - first_line


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"file": "m.csv"}, "what is predicted is a motion file, .* not 'm.csv'"),
        ({"output": 5}, "the table to write is a path, not 5"),
        ({"window": "a"}, "window, .* must be a positive finite number, got 'a'"),
        ({"rest": -1.0}, "rest .* must be a finite number, at least 0, got -1.0"),
        ({"advance": 5}, "advance is a function of a number of bytes, not 5"),
    ],
)
def test_misuse_is_one_clear_line(file, options, message):
    refused_in_one_line(lambda: predict(**{"file": file(), **options}), message)


def test_a_prediction_prints_one_short_line(robot, motion, file):
    """Rows, duration, what it needs at most, how far off, and what it does not keep."""
    result = predict(file(motion.q))
    largest = ", ".join(f"{value:.4g}" for value in result.largest.total)
    assert repr(result).startswith(
        f"<Prediction of {result.rows} rows, {result.duration:.4g} s: largest torques {largest} N m"
    )
    assert "off the measured ones by " in repr(result)
    assert ("over the speed limit" in repr(result)) == bool(result.over_speed.any())
    assert "off the measured" not in repr(predict(file()))
    assert "\n" not in repr(result)
    assert len(repr(result)) < 400
