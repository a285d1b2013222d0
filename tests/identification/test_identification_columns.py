"""Columns of foreign logs: mapped by name, scaled, without time, by the names of joints."""

import any_arms as arms
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import ColumnSource, read_recording

LOG = arms.log(1, 5.0)


@pytest.fixture(scope="module")
def robot():
    return arms.truth()


def write(path, columns):
    cells = np.column_stack(list(columns.values()))
    np.savetxt(path, cells, delimiter=",", header=",".join(columns), comments="", fmt="%.17g")
    return path


def own():
    columns = {f"q{i + 1}_rad": LOG.q[:, i] for i in range(3)}
    return {"t": LOG.t} | columns | {f"tau{i + 1}_Nm": LOG.tau[:, i] for i in range(3)}


@pytest.mark.parametrize("how", ["mapping", "source", "file"])
def test_scale_and_offset_hold_in_the_unit_of_our_name(tmp_path, robot, how):
    """``scale * column + offset`` gives degrees for q1_deg, and N m for tau1_Nm."""
    columns = own()
    del columns["q1_rad"], columns["tau1_Nm"]
    columns["counts"] = (np.degrees(LOG.q[:, 0]) - 12.0) / 0.25
    columns["torque A1"] = LOG.tau[:, 0] / -257.2
    named = {
        "q1_deg": {"column": "counts", "scale": 0.25, "offset": 12.0},
        "tau1_Nm": {"column": "torque A1", "scale": -257.2},
    }
    if how == "source":
        named = {ours: ColumnSource(**source) for ours, source in named.items()}
    elif how == "file":
        named = tmp_path / "columns.yaml"
        named.write_text(
            "q1_deg: {column: counts, scale: 0.25, offset: 12}\n"
            "tau1_Nm: {column: torque A1, scale: -257.2}\n"
        )
    log = read_recording(write(tmp_path / "log.csv", columns), robot, named)
    np.testing.assert_allclose(log.q, LOG.q, atol=1e-12)
    np.testing.assert_allclose(log.tau, LOG.tau, atol=1e-10)
    assert not log.extra


def test_one_column_may_stand_for_two(tmp_path, robot):
    """A current is kept in amperes, and is a torque by its gain."""
    columns = own()
    columns["I"] = columns.pop("tau2_Nm") / 10.5
    columns["T"] = 25.0 + LOG.t
    named = {
        "tau2_Nm": {"column": "I", "scale": 10.5},
        "current2_A": {"column": "I", "scale": -2.0},
        "temp2_degC": {"column": "T", "offset": 1.5},
    }
    log = read_recording(write(tmp_path / "log.csv", columns), robot, named)
    np.testing.assert_allclose(log.tau, LOG.tau, atol=1e-12)
    np.testing.assert_allclose(log["current2_A"], -2.0 * LOG.tau[:, 1] / 10.5, atol=1e-12)
    np.testing.assert_allclose(log["temp2_degC"], 26.5 + LOG.t, atol=1e-12)
    assert set(log.extra) == {"current2_A", "temp2_degC"}


def test_a_rate_stands_for_times(tmp_path, robot):
    columns = own()
    path = write(tmp_path / "timed.csv", columns)
    with pytest.raises(
        irb.MotionError, match=r"column 't' has the times; a rate \(--rate\) is for"
    ):
        read_recording(path, robot, rate=200.0)
    del columns["t"]
    path = write(tmp_path / "log.csv", columns)
    log = read_recording(path, robot, rate=200.0)
    np.testing.assert_allclose(log.t, LOG.t, atol=1e-12)
    np.testing.assert_allclose(log.q, LOG.q, atol=1e-12)
    with pytest.raises(irb.MotionError, match=r"rate of a log without times: rate=250.0 \(--rate"):
        read_recording(path, robot)
    with pytest.raises(irb.InputError, match="the rate of a log"):
        read_recording(path, robot, rate=0.0)


@pytest.mark.parametrize(
    "name", ["{0}_{1}", "/joint_states/{1}/{0}", "joint_states.{0}.{1}", "{1}.{0}"]
)
def test_names_of_joints(tmp_path, robot, name):
    """The order of columns is not that of the axes."""
    columns = {"t": LOG.t}
    for axis, joint in ((2, "elbow"), (0, "swing"), (1, "shoulder")):
        columns[name.format("effort", joint)] = LOG.tau[:, axis]
        columns[name.format("position", joint)] = LOG.q[:, axis]
    columns[name.format("position", "gripper")] = LOG.t
    log = read_recording(write(tmp_path / "log.csv", columns), robot)
    np.testing.assert_allclose(log.q, LOG.q, atol=1e-12)
    np.testing.assert_allclose(log.tau, LOG.tau, atol=1e-12)
    assert list(log.extra) == [name.format("position", "gripper")]


@pytest.mark.parametrize(
    ("columns", "error", "message"),
    [
        ({"tau1_kNm": "tau1_Nm"}, irb.InputError, "'tau1_kNm' is no name of a column, such as t"),
        ({"tau4_Nm": "tau1_Nm"}, irb.InputError, "'tau4_Nm' is no name of a column"),
        ({"q1_deg": "q1"}, irb.MotionError, "column 'q1' for 'q1_deg' is missing, 'q1_rad' comes"),
        ({"q1_rad": {"name": "q1"}}, irb.InputError, "{'column': name, 'scale': factor"),
        ({"q1_rad": {"column": "q1_rad", "scale": "x"}}, irb.InputError, "scale of 'q1_rad'"),
        ({"q1_rad": 1}, irb.InputError, "'q1_rad' is the name of one in the file, or"),
        ({"q1_deg": "q2_rad"}, irb.MotionError, "are both q of axis 1"),
    ],
)
def test_wrong_mappings(tmp_path, robot, columns, error, message):
    path = write(tmp_path / "log.csv", own())
    with pytest.raises(error) as caught:
        read_recording(path, robot, columns)
    assert message in str(caught.value)


def test_wrong_files_of_columns(tmp_path, robot):
    path, file = write(tmp_path / "log.csv", own()), tmp_path / "columns.yaml"
    for text, message in (
        ("q1_rad: {column: q1, factor: 2}", "no key 'factor'"),
        ("q1_rad: a\nq1_rad: b", "key is repeated"),
        ("[a, b]", "should be a mapping"),
        ("q1_rad: 5", "5 should be a text"),
    ):
        file.write_text(text)
        with pytest.raises(irb.TableError) as caught:
            read_recording(path, robot, file)
        assert message in str(caught.value), text
    with pytest.raises(irb.FileError):
        read_recording(path, robot, tmp_path / "none.yaml")


RATIOS = np.array([[-120.0, 0.0, 0.0], [0.0, 80.0, 0.0], [0.0, -30.0, 60.0]])
DRIVES = """
axes:
  swing: {gear_ratio: -120, gain_N_m_A: 9.5}
  shoulder: {gear_ratio: 80, gain_N_m_A: 12.0}
  elbow: {gear_ratio: 60, turned_by: {shoulder: -30}, gain_N_m_A: -7.0, rotor_inertia_kg_m2: 1.0e-5}
"""


def test_columns_of_motors_come_to_the_arm_side(tmp_path, robot):
    """Angles ``q_m = N q`` and torques ``tau = N' tau_m`` of a coupled motor, by a file of drives."""
    motor = {"t": LOG.t}
    motor |= {f"qm{i + 1}_rad": row for i, row in enumerate(RATIOS @ LOG.q.T)}
    motor |= {f"taum{i + 1}_Nm": row for i, row in enumerate(np.linalg.solve(RATIOS.T, LOG.tau.T))}
    path = write(tmp_path / "motors.csv", motor)
    with pytest.raises(irb.MissingData, match=r"\(--drives\): 'axes: \{swing: \{gear_ratio: 100"):
        read_recording(path, robot)
    (tmp_path / "drives.yaml").write_text(DRIVES)
    log = read_recording(path, robot, drives=tmp_path / "drives.yaml")
    np.testing.assert_allclose(log.q, LOG.q, atol=1e-12)
    np.testing.assert_allclose(log.tau, LOG.tau, atol=1e-10)


def test_gains_make_torques_of_currents(tmp_path, robot):
    """Torque of the coupled drive loads both axes: ``tau = D' (k i)``."""
    D = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.5, 1.0]])
    current = np.linalg.solve(D.T, LOG.tau.T).T / [9.5, 12.0, -7.0]
    columns = {name: values for name, values in own().items() if not name.startswith("tau")}
    columns |= {f"current{i + 1}_A": current[:, i] for i in range(3)}
    (tmp_path / "drives.yaml").write_text(DRIVES)
    path = write(tmp_path / "log.csv", columns)
    log = read_recording(path, robot, drives=tmp_path / "drives.yaml")
    np.testing.assert_allclose(log.tau, LOG.tau, atol=1e-10)
    assert read_recording(path, robot).tau is None
