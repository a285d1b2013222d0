"""Logs: what is read of them and how it is named; what is refused, with file, row, column, advice;
what is flagged.
"""

import locale
import re

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import (
    Finding,
    Flag,
    Recording,
    estimate_delay,
    flag_outliers,
    flag_rest,
    flag_saturation,
    merge_recordings,
    read_recording,
    resample,
    shift_signal,
)
from irbmodels.identification.recordings.recording import UNUSABLE

DEG = np.pi / 180.0
COUNT = 200
T = np.arange(COUNT) * 0.004
Q_DEG = np.array([10.0, 20.0, 15.0, 40.0, 30.0, 60.0]) * np.sin(2.0 * T[:, None] + np.arange(6))
V_DEG = (
    2.0 * np.array([10.0, 20.0, 15.0, 40.0, 30.0, 60.0]) * np.cos(2.0 * T[:, None] + np.arange(6))
)
TAU = 5.0 * np.cos(7.0 * T[:, None]) + np.arange(6)


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400")


def own(quantity, unit):
    return [f"{quantity}{i}_{unit}" for i in range(1, 7)]


def table(**changes):
    """Columns of a good log by name; changes replace, add, or with None remove."""
    columns = {"t": T}
    for quantity, unit, values in (("q", "deg", Q_DEG), ("v", "deg_s", V_DEG), ("tau", "Nm", TAU)):
        columns |= dict(zip(own(quantity, unit), values.T, strict=True))
    columns |= changes
    return {name: values for name, values in columns.items() if values is not None}


def written(path, columns, cells=()):
    """A CSV file; ``cells`` are (row of the file, column, text) to put in."""
    names, rows = (
        list(columns),
        [[f"{x:.9g}" for x in row] for row in np.column_stack(list(columns.values()))],
    )
    for row, name, text in cells:
        rows[row - 2][names.index(name)] = text
    path.write_text("\n".join([",".join(names), *(",".join(row) for row in rows)]) + "\n")
    return path


def whatever(recording):
    return "\n".join(map(str, recording.findings))


# --- reading


def test_the_own_form_is_read_in_si(tmp_path, robot):
    """Degrees become radians, torques stay; a good log has no findings and no flags."""
    log = read_recording(written(tmp_path / "log.csv", table()), robot)
    np.testing.assert_allclose(log.q, Q_DEG * DEG, atol=1e-9)  # nine digits in the file
    np.testing.assert_allclose(log.v, V_DEG * DEG, atol=1e-9)
    np.testing.assert_allclose(log.tau, TAU, atol=1e-8)
    assert log.a is None
    assert not log.flags.any()
    assert log.findings == ()
    assert not log.synthetic


def test_parquet_is_read_as_csv_is(tmp_path, robot):
    """The same table in both formats gives the same recording."""
    import pyarrow as pa
    from pyarrow import parquet

    columns = table(temperature1_degC=np.linspace(30.0, 35.0, COUNT))
    parquet.write_table(pa.table(columns), tmp_path / "log.parquet")
    one = read_recording(tmp_path / "log.parquet", robot)
    two = read_recording(written(tmp_path / "log.csv", columns), robot)
    for name in ("t", "q", "v", "tau"):
        np.testing.assert_allclose(getattr(one, name), getattr(two, name), rtol=0.0, atol=1e-7)
    np.testing.assert_allclose(one["temperature1_degC"], columns["temperature1_degC"])


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_a_recording_comes_back_from_its_file(tmp_path, robot, ending):
    """Values, flags, further columns and the label synthetic survive."""
    log = Recording(
        T, Q_DEG * DEG, V_DEG * DEG, None, TAU, {"load, kg": 12.7 + 0.0 * T}, synthetic=True
    )
    log = log.with_flag(np.arange(COUNT) % 7 == 0, Flag.SATURATED).with_flag(
        np.eye(COUNT, 6, dtype=bool), Flag.TORQUE_OUTLIER
    )
    log.save(tmp_path / f"log.{ending}")
    back = read_recording(tmp_path / f"log.{ending}", robot)
    for name in ("t", "q", "v", "tau"):
        # twelve digits
        np.testing.assert_allclose(getattr(back, name), getattr(log, name), rtol=1e-10, atol=1e-12)
    np.testing.assert_array_equal(back.flags, log.flags)
    assert back.synthetic
    assert list(back.extra) == ["load, kg"]


@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_further_columns_keep_names_in_any_alphabet(tmp_path, robot, ending):
    """Greek letters, degree signs, commas and quotes come back as they were, whatever the locale
    writes.
    """
    kept = locale.setlocale(locale.LC_CTYPE)
    names = ["θ1_cmd", "温度", "oil [°C]", 'valve "A", bar']
    locale.setlocale(locale.LC_CTYPE, "C")
    try:
        Recording(T, Q_DEG * DEG, extra={name: k + T for k, name in enumerate(names)}).save(
            tmp_path / f"log.{ending}"
        )
    finally:
        locale.setlocale(locale.LC_CTYPE, kept)
    back = read_recording(tmp_path / f"log.{ending}", robot)
    assert list(back.extra) == names
    for k, name in enumerate(names):
        np.testing.assert_allclose(back[name], k + T, atol=1e-11)


@pytest.mark.parametrize("name", ["t", "q1_deg", "tau6_Nm", "flags2", "synthetic"])
def test_further_columns_do_not_replace_measured_ones(tmp_path, name):
    """A log of commands and measurements, read by a mapping, keeps both; a file would lose one, or
    take it for the other.
    """
    log = Recording(T, Q_DEG * DEG, extra={name: 0.0 * T})
    with pytest.raises(
        irb.InputError,
        match=f"further column {name!r} has a name of the recording's own; rename it",
    ):
        log.save(tmp_path / "log.csv")
    assert not list(tmp_path.iterdir())
    log.changed(extra={f"{name}_command": 0.0 * T}).save(tmp_path / "log.csv")


def test_a_scara_has_millimetres_and_newtons(tmp_path):
    """Axis 3 of the IRB 930 is linear: mm and N in files, m and N inside."""
    arm = irb.load("irb930")
    log = Recording(
        T,
        np.tile([0.1, 0.2, -0.15, 0.3], (COUNT, 1)),
        tau=np.tile([1.0, 2.0, 30.0, 4.0], (COUNT, 1)),
        linear=(False, False, True, False),
    )
    log.save(tmp_path / "log.csv")
    header = (tmp_path / "log.csv").read_text().splitlines()[0]
    assert "q3_mm" in header
    assert "tau3_N," in header
    back = read_recording(tmp_path / "log.csv", arm)
    np.testing.assert_allclose(back.q, log.q)
    np.testing.assert_allclose(back.tau, log.tau)
    assert back.linear == (False, False, True, False)


def test_other_units_say_so_in_their_names(tmp_path, robot):
    """Radians, milliseconds and radians per second are understood where the name has them."""
    columns = table(t=None, **dict.fromkeys(own("q", "deg") + own("v", "deg_s")))
    columns |= {"t_ms": 1000.0 * T, **dict(zip(own("q", "rad"), (Q_DEG * DEG).T, strict=True))}
    columns |= dict(zip(own("v", "rad_s"), (V_DEG * DEG).T, strict=True))
    log = read_recording(written(tmp_path / "log.csv", columns), robot)
    np.testing.assert_allclose(log.t, T, atol=1e-9)
    np.testing.assert_allclose(log.q, Q_DEG * DEG, atol=1e-9)
    np.testing.assert_allclose(log.v, V_DEG * DEG, atol=1e-8)


def test_a_mapping_names_what_is_not_understood(tmp_path, robot):
    """The caller says which column is which; without it the message says how."""
    columns = {
        ("Resolver 1 [deg]" if name == "q1_deg" else name): values
        for name, values in table().items()
    }
    path = written(tmp_path / "log.csv", columns)
    with pytest.raises(
        irb.MotionError,
        match=r"row 1: column 'q1_deg' is missing.*columns=\{'q1_deg': 'its name here'\}",
    ):
        read_recording(path, robot)
    np.testing.assert_allclose(
        read_recording(path, robot, {"q1_deg": "Resolver 1 [deg]"}).q, Q_DEG * DEG, atol=1e-9
    )
    with pytest.raises(
        irb.MotionError,
        match=r"column 'Resolver 1 \[rad\]' for 'q1_deg' is missing, 'Resolver 1 \[deg\]' comes close",
    ):
        read_recording(path, robot, {"q1_deg": "Resolver 1 [rad]"})
    with pytest.raises(irb.InputError, match="'angle1' is no name of a column"):
        read_recording(path, robot, {"angle1": "Axis 1 [deg]"})


@pytest.mark.parametrize("first", [0, 1])
def test_names_of_egm_messages(tmp_path, robot, first):
    """Joints in degrees counted from 0 or 1, a clock of seconds and microseconds; test signals only
    by a mapping.
    """
    stamp = 1.7e9 + 0.25 + T
    columns = {
        "feedBack.time.sec": np.floor(stamp),
        "feedBack.time.usec": np.round((stamp % 1.0) * 1e6),
    }
    columns |= {f"feedBack.joints.{i + first}": Q_DEG[:, i] for i in range(6)}
    columns |= {f"testSignals.signals.{i}": TAU[:, i] for i in range(6)}
    names, rows = list(columns), np.column_stack(list(columns.values()))
    path = tmp_path / "egm.csv"
    path.write_text(
        "\n".join([",".join(names), *(",".join(f"{x:.16g}" for x in row) for row in rows)])
    )
    log = read_recording(path, robot)
    assert log.tau is None
    # clock in microseconds, seconds since 1970 taken off
    np.testing.assert_allclose(log.t, 0.25 + T, atol=2e-6)
    np.testing.assert_allclose(log.q, Q_DEG * DEG, atol=1e-9)
    log = read_recording(
        path, robot, {f"tau{i + 1}_Nm": f"testSignals.signals.{i}" for i in range(6)}
    )
    np.testing.assert_allclose(log.tau, TAU, atol=1e-9)


def test_names_of_test_signals(tmp_path, robot):
    """ABB's numbers 4000, 4001, 4002, or the words, with unit and axis: arm side, deg, deg/s, N
    m.
    """
    columns = {"Time [s]": T}
    columns |= {f"4000 ROB_1 {i + 1}": Q_DEG[:, i] for i in range(6)}
    columns |= {
        f"{'4001 ROB_1' if i % 2 else 'Speed ROB_1 axis'} {i + 1}": V_DEG[:, i] for i in range(6)
    }
    columns |= {f"4002 ROB_1 {i + 1}": TAU[:, i] for i in range(6)}
    log = read_recording(written(tmp_path / "signals.csv", columns), robot)
    np.testing.assert_allclose(log.q, Q_DEG * DEG, atol=1e-9)
    np.testing.assert_allclose(log.v, V_DEG * DEG, atol=1e-8)
    np.testing.assert_allclose(log.tau, TAU, atol=1e-8)


def test_motor_values_come_to_the_arm_side(tmp_path):
    """Radians of motors through the gear ratios, a coupled wrist included; torques the other way;
    unknown gears are refused.
    """
    arm = irb.load("irb1400")
    known = np.isfinite(np.diagonal(arm.motors.N))
    assert known[0]  # S003: 118.46
    ratio = 118.461539
    columns = table(
        q1_deg=None, tau1_Nm=None, qm1_rad=ratio * Q_DEG[:, 0] * DEG, taum1_Nm=TAU[:, 0] / ratio
    )
    path = written(tmp_path / "log.csv", columns)
    log = read_recording(path, arm)
    np.testing.assert_allclose(log.q, Q_DEG * DEG, atol=1e-8)
    np.testing.assert_allclose(log.tau, TAU, atol=1e-6)
    second = table(q2_deg=None, qm2_rad=Q_DEG[:, 1] * DEG)
    with pytest.raises(
        irb.MissingData,
        match="column 'qm2_rad' is of motor 2, whose gear ratio is unknown for irb1400",
    ):
        read_recording(written(tmp_path / "log.csv", second), arm)
    with pytest.raises(
        irb.MissingData,
        match="column 'qm1_rad' is of motor 1, whose gear ratio is unknown for irb930",
    ):
        read_recording(
            written(
                tmp_path / "s.csv",
                {"t": T, "qm1_rad": T, "q2_deg": T, "q3_mm": -100 + T, "q4_deg": T},
            ),
            irb.load("irb930"),
        )
    # motors turn, that of a linear axis too
    columns = {"t": T, "q1_deg": T, "q2_deg": T, "qm3_rad": T, "q4_deg": T}
    with pytest.raises(
        irb.MissingData,
        match="column 'qm3_rad' is of motor 3, whose gear ratio is unknown for irb930",
    ):
        read_recording(written(tmp_path / "s.csv", columns), irb.load("irb930"))


def test_speeds_and_torques_of_some_axes_only(tmp_path, robot):
    """What the file lacks is NaN and flagged on its axes, and said."""
    log = read_recording(written(tmp_path / "log.csv", table(tau2_Nm=None, tau5_Nm=None)), robot)
    assert np.isnan(log.tau[:, [1, 4]]).all()
    np.testing.assert_array_equal(
        log.has(Flag.NO_TORQUE).all(axis=0), [False, True, False, False, True, False]
    )
    assert "tau of axes 2, 5 is not in the file; flagged NO_TORQUE" in whatever(log)
    log = read_recording(written(tmp_path / "log.csv", table(v3_deg_s=None)), robot)
    assert "v of axes 3 is not in the file; flagged NO_SPEED" in whatever(log)


def test_other_columns_are_kept(tmp_path, robot):
    """Temperature and load are there under their names; words are left out and said; a near miss is
    pointed at.
    """
    columns = table(
        temperature2_degC=30.0 + T,
        load_kg=0.0 * T,
        tau6_Nm=None,
        tau1_Nm=None,
        tau2_Nm=None,
        tau3_Nm=None,
        tau4_Nm=None,
        tau5_Nm=None,
    )
    columns |= {"tau1": TAU[:, 0], "remark": T}
    log = read_recording(written(tmp_path / "log.csv", columns, [(5, "remark", "started")]), robot)
    np.testing.assert_allclose(log["temperature2_degC"], 30.0 + T, atol=1e-7)
    assert "row 5, column 'remark': is no column of numbers ('started')" in whatever(log)
    assert (
        "column 'tau1': is kept under its own name, and not understood; columns={'tau1_Nm': 'tau1'}"
        " (--column tau1_Nm=tau1) if it is that, unit included" in whatever(log)
    )
    with pytest.raises(irb.UnknownName, match="did you mean 'load_kg'"):
        log["load"]


# --- bad logs: refused


@pytest.mark.parametrize(
    ("changes", "cells", "words"),
    [
        ({"q3_deg": None}, (), "row 1: column 'q3_deg' is missing"),
        ({"t": None}, (), "row 1: column 't' [s] is missing"),
        (
            {},
            [(9, "q2_deg", "abc")],
            "row 9, column 'q2_deg': 'abc' is not a number; leave the cell empty",
        ),
        ({}, [(9, "tau2_Nm", "1;5")], "row 9, column 'tau2_Nm': '1;5' is not a number"),
        ({}, [(9, "t", "")], "row 9, column 't': there is no time; remove the row"),
        (
            {},
            [(row, "t", "0.024") for row in (9, 10, 11)],
            "row 9, column 't': 0.024 s does not come after 0.024 s; write times with more digits",
        ),
        (
            {},
            [(9, "t", "0.001")],
            (
                "row 9, column 't': 0.001 s does not come after 0.024 s; are two logs in one file?"
                " cut it there"
            ),
        ),
        (
            {"t": 1000.0 * T},
            (),
            (
                "column 't': the usual step is 4 s; if it counts milli- or microseconds, name it"
                " t_ms or t_us"
            ),
        ),
        ({"q4_deg": Q_DEG[:, 3] / DEG}, (), "column 'q4_deg'"),
        (
            {"q6_rad": Q_DEG[:, 5], "q6_deg": None},
            (),
            "is more than 3 times the largest position of irb2400_16; are these degrees?",
        ),
        (
            {"q1_rad": Q_DEG[:, 0], "q1_deg": None},
            (),
            "column 'v1_deg_s': positions change 57.3 times as fast as it says",
        ),
        (
            {"v1_deg_s": V_DEG[:, 0] * DEG},
            (),
            (
                "column 'v1_deg_s': positions change 57.3 times as fast as it says: they are"
                " degrees in one, radians in the other"
            ),
        ),
        (
            {"v1_rad_s": V_DEG[:, 0], "v1_deg_s": None},
            (),
            (
                "column 'v1_rad_s': positions change 0.01745 times as fast as it says: they are"
                " radians in one, degrees in the other"
            ),
        ),
        (
            {"q1_rad": Q_DEG[:, 0] * DEG},
            (),
            "columns 'q1_deg' and 'q1_rad' are both q of axis 1; keep one",
        ),
        ({"t_ms": 1000.0 * T}, (), "row 1: columns 't' and 't_ms' are both times; keep one"),
        (
            {"t": 300.0 * T},
            (),
            "column 't': the usual step is 1.2 s; if it counts milli- or microseconds",
        ),
        (
            {"t": None, "t_ms": T},
            (),
            "the usual step of the times is 4e-06 s; if they are seconds, name their column t",
        ),
        (
            {},
            [(9, "v2_deg_s", "30000")],
            "row 9, column 'v2_deg_s': 523.6 in SI units is more than 100 times the speed limit",
        ),
        (
            {},
            [(9, "tau2_Nm", "1_000")],
            "row 9, column 'tau2_Nm': '1_000' is not a number; leave the cell empty",
        ),
        (
            {},
            [(9, "t", "00:00:09")],
            "row 9, column 't': '00:00:09' is not a number; a time is a number of seconds",
        ),
        (
            {},
            [(9, "q1_deg", "q1_deg")],
            "row 9, column 'q1_deg': 'q1_deg' is not a number; are two logs in one file?",
        ),
        (
            {},
            [(2, "q1_deg", "deg")],
            (
                "row 2, column 'q1_deg': 'deg' is not a number; leave the cell empty if it is"
                " unknown; a row of"
            ),
        ),
        (
            {"q2_deg": np.nan * T},
            (),
            "row 2, column 'q2_deg': no number in any of 200 rows; a log needs every position",
        ),
        ({"tau2_Nm": 1e4 * TAU[:, 1]}, (), "column 'tau2_Nm': half of it is above"),
        (
            dict(zip(own("tau", "Nm"), 1e-3 * TAU.T, strict=True)),
            (),
            (
                "column 'tau6_Nm': no torque is above 0.021 % of the effort of its axis, and the"
                " robot moves; are these of"
            ),
        ),
        (
            {"q5_deg": Q_DEG[:, 4] + 360.0 * (T > 0.4), "v5_deg_s": None},
            (),
            "row 103, column 'q5_deg': jumps by 360.",
        ),
    ],
)
def test_bad_logs_are_refused(tmp_path, robot, changes, cells, words):
    """One line with the file, and where there is one the row and the column; what is wrong, and
    what would be right.
    """
    path = written(tmp_path / "log.csv", table(**changes), cells)
    with pytest.raises(irb.MotionError) as caught:
        read_recording(path, robot)
    assert words in str(caught.value)
    assert str(path) in str(caught.value)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(("ratio", "findings"), [(0.9, 0), (1.1, 0), (0.6, 1), (1.6, 1)])
def test_speeds_that_are_off_by_some_are_found(tmp_path, robot, ratio, findings):
    """A tenth may be noise and delay, half is not; a factor near 57.3 is a mix-up of units even
    where it is not exact.
    """
    log = read_recording(written(tmp_path / "log.csv", table(v2_deg_s=ratio * V_DEG[:, 1])), robot)
    assert whatever(log).count("column 'v2_deg_s': is not the speed of its position") == findings
    with pytest.raises(irb.MotionError, match="positions change 55"):
        read_recording(
            written(tmp_path / "log.csv", table(v2_deg_s=DEG * V_DEG[:, 1] * 1.04)), robot
        )


def test_ten_samples_a_second_are_no_mix_up(tmp_path, robot):
    """What a RAPID timer writes is read."""
    slow = {
        name: values[::25] for name, values in table(**dict.fromkeys(own("v", "deg_s"))).items()
    }
    assert len(read_recording(written(tmp_path / "log.csv", slow), robot)) == 8


def test_the_row_of_a_far_position_is_named(tmp_path, robot):
    """3.5e4 deg in row 50 is no position of this robot."""
    path = written(tmp_path / "log.csv", table(), [(50, "q5_deg", "35000")])
    with pytest.raises(
        irb.MotionError,
        match=r"row 50, column 'q5_deg': 610\.9 in SI units is more than 3 times the largest",
    ):
        read_recording(path, robot)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "the file is empty"),
        ("t,q1_deg\n", "there are no rows of numbers"),
        ("0,1,2\n1,2,3\n", "row 1 holds numbers; put a header before it"),
        (
            "t,q1_deg\n0,1\n0.1\n",
            "row 3 has 1 cells, the header has 2; the last row may be cut off",
        ),
        (
            "t,q1_deg\n0,1,5\n0.1,1\n",
            "row 2 has 3 cells, the header has 2; is a comma a decimal point there?",
        ),
        (
            "t,q1_deg\n0,1,\n0.1,1,\n",
            "row 2 has 3 cells, the header has 2; is there a comma too many at its end?",
        ),
        ("t,q1_deg\n0\n0.1,1\n", "row 2 has 1 cells, the header has 2; are cells lost there?"),
        ("t,q1_deg\n0,1\n\n0.1,1\n", "row 3 has 0 cells, the header has 2; it is empty: remove it"),
        (
            "a log\nt,q1_deg\n0,1\n",
            (
                "row 1 is 'a log', one cell; it should name the columns, parted by commas,"
                " semicolons or tabs"
            ),
        ),
        ("t;q1_deg\n0;1,5\n1;1.5\n", "row 2 has '1,5' and row 3 has '1.5': only one of comma"),
        ("t;q1_deg\n0;1.234,5\n", "column 'q2_deg' is missing"),
        (
            "t,q1_deg,q2_deg,q3_deg,q4_deg,q5_deg,q6_deg\n0,1,2,3,4,5,6\n",
            "row 2 is the only one; a log needs two rows or more",
        ),
        ("t,q1_deg\n0,\0\0\n", "row 2 holds a zero byte, which no text has"),
        ("t,t\n0,1\n", "row 1, column 't' stands there 2 times"),
    ],
)
def test_broken_tables_are_refused(tmp_path, robot, text, words):
    """What is no table is named with its row."""
    (tmp_path / "log.csv").write_text(text)
    with pytest.raises(irb.MotionError, match=re.escape(words)):
        read_recording(tmp_path / "log.csv", robot)


def test_a_missing_file_and_a_false_parquet(tmp_path, robot):
    """Each is one clear line."""
    with pytest.raises(irb.FileError, match=r"none\.csv"):
        read_recording(tmp_path / "none.csv", robot)
    with pytest.raises(irb.FileError, match=r"none\.parquet"):
        read_recording(tmp_path / "none.parquet", robot)
    (tmp_path / "log.parquet").write_text("t,q1_deg\n")
    with pytest.raises(irb.MotionError, match="is no Parquet file"):
        read_recording(tmp_path / "log.parquet", robot)


@pytest.mark.parametrize(
    ("start", "words"),
    [
        (b"\x1f\x8b\x08\0", "is packed by gzip; unpack it"),
        (b"PK\x03\x04\0", "is an Excel workbook or a zip archive; save its sheet as CSV"),
        (b"PAR1\0", "is a Parquet file; let its name end in .parquet"),
        ("t,q1_deg\n0,1\n".encode("utf-16"), "is text in UTF-16; save it in UTF-8"),
    ],
)
def test_files_that_are_no_text_are_named(tmp_path, robot, start, words):
    """What a file is instead, and what to do; a folder is none."""
    (tmp_path / "log.csv").write_bytes(start)
    with pytest.raises(irb.MotionError, match=re.escape(f"log.csv: {words}")):
        read_recording(tmp_path / "log.csv", robot)
    for name in ("folder.csv", "folder.parquet"):
        (tmp_path / name).mkdir()
        with pytest.raises(irb.FileError, match=f"{name}: is a folder"):
            read_recording(tmp_path / name, robot)


@pytest.mark.parametrize(
    ("mark", "eol", "delimiter"), [("\ufeff", "\r\n", ","), ("", "\r", ";"), ("", "\n", "\t")]
)
def test_other_forms_of_text_are_read(tmp_path, robot, mark, eol, delimiter):
    """A mark at the start, ends of lines of Windows, semicolons, quotes, empty lines at the end:
    the same numbers.
    """
    path = written(tmp_path / "log.csv", table())
    lines = path.read_text().replace("q1_deg", '"q1_deg"').replace(",", delimiter).splitlines()
    path.write_bytes((mark + eol.join([*lines, "", "  ", ""])).encode())
    np.testing.assert_allclose(read_recording(path, robot).q, Q_DEG * DEG, atol=1e-9)


def test_a_degree_sign_of_windows_is_read(tmp_path, robot):
    """Text in the alphabet of Windows: its names can be typed in a mapping."""
    columns = {
        ("Axis 1 [\N{DEGREE SIGN}]" if name == "q1_deg" else name): values
        for name, values in table().items()
    }
    path = written(tmp_path / "log.csv", columns)
    path.write_bytes(path.read_text(encoding="utf-8").encode("cp1252"))
    np.testing.assert_allclose(
        read_recording(path, robot, {"q1_deg": "Axis 1 [\N{DEGREE SIGN}]"}).q,
        Q_DEG * DEG,
        atol=1e-9,
    )


@pytest.mark.parametrize(
    "cell",
    ["", "NA", "n/a", "null", "None", "-", "1.#QNAN", "#N/A", "nan", "inf", "-Infinity", "1e999"],
)
def test_holes_have_many_names(tmp_path, robot, cell):
    """What programs write where they have no number is NaN and flagged, in a table of numbers else
    and in one with words.
    """
    for extra in ({}, {"remark": T}):
        cells = [(9, "tau2_Nm", cell), *[(3, name, "started") for name in extra]]
        log = read_recording(written(tmp_path / "log.csv", table(**extra), cells), robot)
        assert np.isnan(log.tau[7, 1])
        assert np.isfinite(log.tau).sum() == 6 * COUNT - 1
        assert "row 9, column 'tau2_Nm': no number here" in whatever(log)


def test_parquet_of_other_types(tmp_path, robot):
    """Nulls and infinite numbers are holes, decimals are numbers; text and truth values are refused
    with their column.
    """
    from decimal import Decimal

    import pyarrow as pa
    from pyarrow import parquet

    def read(**columns):
        parquet.write_table(pa.table(table(**columns)), tmp_path / "log.parquet")
        return read_recording(tmp_path / "log.parquet", robot)

    for hole in (None, np.inf):
        log = read(tau2_Nm=[hole if i == 5 else x for i, x in enumerate(TAU[:, 1])])
        assert "row 6, column 'tau2_Nm': no number here, and in 1 rows of 200 in all" in whatever(
            log
        )
        assert np.isnan(log.tau[5, 1])
    log = read(
        tau2_Nm=[Decimal(f"{x:.6f}") for x in TAU[:, 1]],
        v1_deg_s=pa.array(V_DEG[:, 0], pa.float32()),
    )
    np.testing.assert_allclose(log.tau, TAU, atol=1e-6)
    assert log.findings == ()
    for values, words in (
        (map(str, TAU[:, 1]), "the column is one of text: write it as numbers"),
        (TAU[:, 1] > 0.0, "'True' is not"),
    ):
        with pytest.raises(irb.MotionError, match=rf"row 1, column 'tau2_Nm'.*{words}"):
            read(tau2_Nm=list(values))
    parquet.write_table(
        pa.table({name: values[:0] for name, values in table().items()}), tmp_path / "log.parquet"
    )
    with pytest.raises(irb.MotionError, match="there are no rows of numbers"):
        read_recording(tmp_path / "log.parquet", robot)


def test_every_unit_comes_to_si(tmp_path):
    """Each unit of each quantity of a SCARA, whose axis 3 is linear, and each clock; EGM and test
    signals count deg and mm.
    """
    arm = irb.load("irb930")
    q = np.array([0.1, 0.2, -0.15, 0.3]) + 0.05 * np.sin(2.0 * T[:, None] + np.arange(4)) * [
        1.0,
        1.0,
        0.1,
        1.0,
    ]
    v = 0.1 * np.cos(2.0 * T[:, None] + np.arange(4)) * [1.0, 1.0, 0.1, 1.0]
    a = -4.0 * (q - [0.1, 0.2, -0.15, 0.3])
    tau = np.array([3.0, 2.0, 30.0, 1.0]) + np.cos(T[:, None] + np.arange(4))
    shown = {"deg": 1.0 / DEG, "mm": 1e3, "rad": 1.0, "m": 1.0}

    def columns(rotary, linear, end, quantity, values):
        units = [rotary, rotary, linear, rotary]
        return {
            f"{quantity}{i + 1}_{unit}{end}": shown[unit] * values[:, i]
            for i, unit in enumerate(units)
        }

    torques = {f"tau{i + 1}_{'N' if i == 2 else 'Nm'}": tau[:, i] for i in range(4)}
    for rotary, linear in (("deg", "mm"), ("rad", "m")):
        motion = (
            columns(rotary, linear, "", "q", q)
            | columns(rotary, linear, "_s", "v", v)
            | columns(rotary, linear, "_s2", "a", a)
        )
        for time, factor in (
            ("t", 1.0),
            ("t_s", 1.0),
            ("t_ms", 1e3),
            ("t_us", 1e6),
            ("header.tm", 1e3),
            ("Time [s]", 1.0),
        ):
            log = read_recording(
                written(tmp_path / "log.csv", {time: factor * T, **motion, **torques}), arm
            )
            for actual, expected in zip(
                (log.t, log.q, log.v, log.a, log.tau), (T, q, v, a, tau), strict=True
            ):
                np.testing.assert_allclose(actual, expected, atol=1e-7)
            assert log.findings == ()
    degrees = list(columns("deg", "mm", "", "q", q).values())
    egm = {
        "header.tm": 1e3 * T,
        **{f"feedBack.joints.{i}": x for i, x in enumerate([*degrees, 0.0 * T, 0.0 * T])},
    }
    log = read_recording(written(tmp_path / "log.csv", egm), arm)
    np.testing.assert_allclose(log.q, q, atol=1e-7)
    assert (
        "column 'feedBack.joints.4': is of an axis that irb930_12_105 has not; kept under its own"
        " name" in whatever(log)
    )
    signals = {"Time [s]": T, **{f"4000 ROB_1 {i + 1}": x for i, x in enumerate(degrees)}}
    np.testing.assert_allclose(
        read_recording(written(tmp_path / "log.csv", signals), arm).q, q, atol=1e-7
    )
    metres = {"t": T, **columns("rad", "m", "", "q", q), "q3_m": 1e3 * q[:, 2]}
    with pytest.raises(
        irb.MotionError, match=r"row 2, column 'q3_m'.*are these millimetres\? name it \.\._mm"
    ):
        read_recording(written(tmp_path / "log.csv", metres), arm)
    down = {"t": T, **columns("rad", "m", "", "q", q), "q3_m": -q[:, 2]}
    log = read_recording(written(tmp_path / "log.csv", down), arm)
    assert re.search(
        r"row 2: q3 leaves its range here and in 200 rows in all, by 15\d(\.\d+)? mm at most",
        whatever(log),
    )
    little = {
        "t": T,
        **columns("rad", "m", "", "q", q),
        "q3_m": -0.15 + 1e-3 * (q[:, 2] + 0.15) * 50.0,
    }
    assert re.search(
        r"axis 3 moves within 0\.\d+ mm only",
        whatever(read_recording(written(tmp_path / "log.csv", little), arm)),
    )


def test_degrees_labelled_radians_are_told_by_their_speed(tmp_path, robot):
    """Within three times the largest position, yet on average faster than the axis can be."""
    slow = dict.fromkeys(own("v", "deg_s") + own("q", "deg")) | dict(
        zip(own("q", "rad"), 0.3 * Q_DEG.T, strict=True)
    )
    with pytest.raises(
        irb.MotionError,
        match=(
            r"column 'q\d_rad': changes at .* more than 3 times the speed limit; is it in degrees"
        ),
    ):
        read_recording(written(tmp_path / "log.csv", table(**slow)), robot)
    spiky = written(
        tmp_path / "log.csv",
        table(**dict.fromkeys(own("v", "deg_s"))),
        [(90, "q2_deg", "170"), (91, "q2_deg", "-170")],
    )
    # spikes are flagged, not refused
    assert flag_outliers(read_recording(spiky, robot)).has(Flag.POSITION_OUTLIER)[88:90, 1].all()


# --- bad logs: flagged


def test_missing_numbers_keep_their_place(tmp_path, robot):
    """Empty cells and NaN are flagged where they are; the first row and the number of them are
    said.
    """
    path = written(
        tmp_path / "log.csv",
        table(),
        [(12, "q2_deg", ""), (13, "q2_deg", "NaN"), (40, "tau4_Nm", "nan"), (41, "v1_deg_s", "")],
    )
    log = read_recording(path, robot)
    assert len(log) == COUNT
    np.testing.assert_array_equal(np.argwhere(log.has(Flag.NO_POSITION)), [[10, 1], [11, 1]])
    np.testing.assert_array_equal(np.argwhere(log.has(Flag.NO_TORQUE)), [[38, 3]])
    np.testing.assert_array_equal(np.argwhere(log.has(Flag.NO_SPEED)), [[39, 0]])
    assert "row 12, column 'q2_deg': no number here, and in 2 rows of 200 in all" in whatever(log)
    motions, finding = log.usable()
    assert sum(len(motion.t) for motion in motions) == COUNT - 3
    assert finding.message == (
        "3 of 200 samples left out, and 1 torques of single axes (2 NO_POSITION, 1 NO_SPEED, 1"
        " NO_TORQUE)"
    )
    assert all(np.isfinite(motion.q).all() for motion in motions)
    missing = np.concatenate([~np.isfinite(motion.tau) for motion in motions])
    np.testing.assert_array_equal(np.argwhere(missing), [[36, 3]])


def test_time_jumps_are_found(tmp_path, robot):
    """Two holes: the larger one's row, and how many samples are lost; nothing runs across them."""
    keep = np.ones(COUNT, bool)
    keep[[50, 120, 121, 122]] = False
    log = read_recording(
        written(tmp_path / "log.csv", {name: values[keep] for name, values in table().items()}),
        robot,
    )
    assert (
        "row 121, column 't': time jumps at 2 places, here by 0.016 s instead of 0.004 s: some 4"
        " samples are lost" in whatever(log)
    )
    assert [part.stop - part.start for part in log.segments()] == [50, 69, 77]
    # nobody knows the way between the samples that are left
    assert "is not the speed" not in whatever(log)


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        (
            {"tau3_Nm": 0.0 * T},
            (
                "column 'tau3_Nm': is 0 in SI units throughout, although the axis moves; its signal"
                " is dead"
            ),
        ),
        (
            {"v3_deg_s": 5.0 + 0.0 * T},
            "column 'v3_deg_s': is 0.0872665 in SI units throughout, although the axis moves",
        ),
        (
            {"q3_deg": 90.0 + 0.0 * T},
            "column 'q3_deg': is 1.5708 in SI units throughout, although the axis moves",
        ),
        (
            {"q3_deg": 90.0 + 0.0 * T, "v3_deg_s": 0.0 * T},
            "column 'q3_deg': is 1.5708 in SI units throughout; the axis is held",
        ),
        (
            {"q3_deg": 1.0 + 0.2 * np.sin(2.0 * T + 2.0), "v3_deg_s": 0.4 * np.cos(2.0 * T + 2.0)},
            "axis 3 moves within 0.269 deg only; too little",
        ),
        (
            {"tau3_Nm": np.nan * T},
            (
                "row 2, column 'tau3_Nm': no number in any of 200 rows; flagged; was the signal"
                " logged?"
            ),
        ),
        (
            {"tau7_Nm": T},
            (
                "column 'tau7_Nm': is of an axis that irb2400_16 has not; kept under its own name;"
                " is the log of another"
            ),
        ),
        ({"tau3_Nm": np.repeat(TAU[::10, 2], 10)}, "column 'tau3_Nm': repeats itself in 9"),
        (
            dict(zip(own("tau", "Nm"), 0.03 * TAU.T, strict=True)),
            "no torque is above 0.62 % of the effort of its axis; are these of the motors",
        ),
        (
            {"tau3_Nm": None, "tau3_lbf": T},
            "columns={'tau3_Nm': 'tau3_lbf'} (--column tau3_Nm=tau3_lbf) if it is that, unit included",
        ),
        (
            {"v4_deg_s": -V_DEG[:, 3]},
            "column 'v4_deg_s': is not the speed of its position: that changes -1 times as fast",
        ),
    ],
)
def test_suspicious_signals_are_found(tmp_path, robot, changes, words):
    """Dead signals, too little motion, a speed that is not that of its position; the log stays."""
    log = read_recording(written(tmp_path / "log.csv", table(**changes)), robot)
    assert words in whatever(log)
    assert len(log) == COUNT


def test_radians_without_speeds_are_suspected(tmp_path, robot):
    """A file whose positions all lie within 2 pi is perhaps one in radians; one that goes farther
    is not.
    """
    columns = table(**dict.fromkeys(own("v", "deg_s")))
    radians = columns | {name: columns[name] * DEG for name in own("q", "deg")}
    assert "if these are radians, name the columns q1_rad" in whatever(
        read_recording(written(tmp_path / "r.csv", radians), robot)
    )
    assert "radians" not in whatever(read_recording(written(tmp_path / "d.csv", columns), robot))


def test_outliers_are_flagged_and_stay(robot):
    """Spikes are found, and only they: not noise, not a step of friction at a reversal."""
    rng = np.random.default_rng(0)
    t = np.arange(3000) * 0.004
    tau = np.column_stack(
        [
            80.0 * np.where(np.sin(t) < 0.0, -1.0, 1.0) + rng.normal(0.0, 1.0, t.size),
            rng.normal(0.0, 0.5, t.size),
        ]
    )
    q = np.column_stack([np.sin(t), np.cos(t)]) + rng.normal(0.0, 1e-5, (t.size, 2))
    places = [(100, 0), (1700, 1), (2999, 0)]
    for i, j in places:
        tau[i, j] += 25.0
    q[500, 1] += 1e-2
    log = Recording(t, q, tau=tau)
    marked = flag_outliers(log)
    np.testing.assert_array_equal(np.argwhere(marked.has(Flag.TORQUE_OUTLIER)), places)
    np.testing.assert_array_equal(np.argwhere(marked.has(Flag.POSITION_OUTLIER)), [(500, 1)])
    np.testing.assert_array_equal(marked.tau, log.tau)
    counted = np.round(np.column_stack([np.sin(3.0 * t), np.cos(0.1 * t)]) / 1e-5) * 1e-5
    # an encoder without noise, at its turning points and nearly at rest
    assert flag_outliers(Recording(t, counted)).findings == ()
    assert flag_outliers(Recording(t, np.column_stack([np.sin(3.0 * t), t]))).findings == ()
    assert "3 outliers of tau" in whatever(marked)
    with pytest.raises(irb.InputError, match="a window of three samples"):
        flag_outliers(log, window=0.001)
    with pytest.raises(irb.InputError, match="a positive threshold"):
        flag_outliers(log, threshold=-1.0)


@pytest.mark.parametrize("window", [0.02, 0.03, 0.1, 0.6])
def test_outliers_are_those_of_the_definition(window):
    """Near ends, across blocks, and with few and many neighbours the flags are those that medians
    sample by sample give.
    """
    rng, count = np.random.default_rng(0), 4200
    x = np.cumsum(rng.normal(size=count)).round(1)
    spikes = rng.choice(count, 60, replace=False)
    x[spikes] += rng.uniform(3.0, 30.0, 60) * rng.choice([-1.0, 1.0], 60)
    x[[0, 2, 4090, 4095, 4096, 4097, count - 1]] += [40.0, -40.0, 40.0, 40.0, -40.0, 40.0, -40.0]
    half = int(0.5 * window * 250.0)
    reach = max(half, 2)

    def middle(values, i):
        at = min(max(i, half), count - 1 - half)
        return np.median(values[at - half : at + half + 1])

    def between(i):
        pairs = []
        for k in range(1, reach + 1):
            if i + k >= count:
                pairs.append(2.0 * x[i - k] - x[i - 2 * k])
            elif i - k < 0:
                pairs.append(2.0 * x[i + k] - x[i + 2 * k])
            else:
                pairs.append(0.5 * (x[i - k] + x[i + k]))
        return np.median(pairs)

    rough = np.array([abs(x[i] - between(i)) for i in range(count)])
    off = np.array([min(abs(x[i] - middle(x, i)), rough[i]) for i in range(count)])
    steps = np.abs(np.diff(x))
    noise = [max(1.4826 * middle(rough, i), steps[steps > 0.0].min()) for i in range(count)]
    expected = (off > 2.0 * np.array(noise)) & (off > 1e-9 * np.abs(x))
    log = flag_outliers(Recording(np.arange(count) / 250.0, x[:, None]), window, 2.0)
    assert log.has(Flag.POSITION_OUTLIER)[:, 0].tolist() == expected.tolist()
    assert expected.sum() > 20


def test_a_recording_is_its_own():
    """It keeps arrays that nobody can write to, and copies all others: those that can be written
    to, and read-only views of them.
    """
    q = np.zeros((20, 2))
    view = q[:]
    view.setflags(write=False)
    log = Recording(np.arange(20.0), q, tau=view)
    q[:] = 1.0
    assert not log.q.any()
    assert log.tau is not None
    assert not log.tau.any()
    flagged = log.with_flag(np.ones(20, dtype=bool), Flag.SATURATED)
    assert flagged.q is log.q
    assert log.select(slice(3, 9)).q.tolist() == log.q[3:9].tolist()
    for array in (log.q, log.tau, flagged.flags, log.select(slice(3, 9)).q):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 2


def test_saturation_is_flagged(robot):
    """Torques that are cut off at their largest value; or those near limits that are given."""
    t = np.arange(1000) * 0.004
    tau = np.column_stack([np.clip(50.0 * np.sin(2.0 * t), -40.0, 40.0), 50.0 * np.sin(2.0 * t)])
    log = Recording(t, np.zeros((1000, 2)), tau=tau)
    expected = np.column_stack([np.abs(tau[:, 0]) == 40.0, np.zeros(1000, bool)])
    np.testing.assert_array_equal(flag_saturation(log).has(Flag.SATURATED), expected)
    np.testing.assert_array_equal(
        flag_saturation(log, [100.0, 45.0]).has(Flag.SATURATED)[:, 1],
        np.abs(tau[:, 1]) >= 0.999 * 45.0,
    )
    short = np.sin(t)[:, None] * [1.0, 1.0]
    short[100:105, 0] = short[100:104, 1] = -2.0  # five in a row are a limit, four are none
    np.testing.assert_array_equal(
        flag_saturation(log.changed(tau=short)).has(Flag.SATURATED).sum(axis=0), [5, 0]
    )
    assert flag_saturation(log.changed(tau=log.tau * [0.5, 1.0] + 1e-3 * t[:, None])).findings == ()
    with pytest.raises(irb.InputError, match="has no torques"):
        flag_saturation(Recording(t, np.zeros((1000, 2))))
    with pytest.raises(irb.InputError, match="limits of torque are positive"):
        flag_saturation(log, [-1.0, 1.0])


def test_rest_is_flagged():
    """An axis that waits, with noise, is at rest; one that creeps is not, and rest alone excludes
    no sample.
    """
    t = np.arange(1000) * 0.004
    q = np.column_stack([np.where(t < 2.0, 0.3, 0.3 + 0.1 * (t - 2.0)), 0.01 * t])
    log = flag_rest(Recording(t, q + np.random.default_rng(0).uniform(-2e-5, 2e-5, q.shape)))
    rest = log.has(Flag.AT_REST)
    assert rest[:480, 0].all()
    assert not rest[505:, 0].any()
    assert not rest[:, 1].any()
    assert sum(len(motion.t) for motion in log.usable()[0]) == 1000
    assert not UNUSABLE & Flag.AT_REST
    with pytest.raises(irb.InputError, match="rest and window"):
        flag_rest(log, rest=0.0)


# --- clocks


def wandering(t, seed=0):
    """A smooth signal that does not repeat itself, at any times."""
    rng = np.random.default_rng(seed)
    f, phase, size = rng.uniform(0.2, 4.0, 12), rng.uniform(0.0, 6.0, 12), rng.normal(size=12)
    return (size * np.sin(2.0 * np.pi * f * np.asarray(t)[:, None] + phase)).sum(axis=1)


@pytest.mark.parametrize("late", [-0.0513, -0.004, 0.0, 0.00037, 0.0226])
def test_a_delay_is_found_between_samples(late):
    """Noise-free to a millionth of a sample, whatever the factor between the signals, and with the
    sign of its definition.
    """
    t = np.arange(2000) * 0.004
    actual = estimate_delay(-3.0 * wandering(t - late) + 2.0, wandering(t), 0.004)
    assert actual.seconds == pytest.approx(late, abs=4e-9)
    assert actual.correlation == pytest.approx(1.0, abs=1e-6)


def test_the_deviation_of_a_delay_is_honest():
    """Over many draws of noise the error is as large as it says."""
    t, step = np.arange(800) * 0.004, 0.004
    errors, deviations = [], []
    for seed in range(60):
        rng = np.random.default_rng(seed)
        actual = estimate_delay(
            wandering(t - 0.0113) + rng.normal(0.0, 0.3, t.size), wandering(t), step
        )
        errors.append(actual.seconds - 0.0113)
        deviations.append(actual.deviation)
    assert 0.8 < np.std(errors) / np.mean(deviations) < 1.25  # 60 draws: +-9 %
    assert np.mean(deviations) < step / 5.0


@pytest.mark.parametrize(
    ("signal", "reference", "most", "words"),
    [
        (
            np.sin(5.0 * np.pi * np.arange(2000) * 0.004),
            np.sin(5.0 * np.pi * np.arange(2000) * 0.004),
            0.5,
            "repeats itself",
        ),
        (np.ones(500), wandering(np.arange(500) * 0.004), 0.1, "is constant"),
        (
            wandering(np.arange(100) * 0.004),
            wandering(np.arange(100) * 0.004),
            0.5,
            "too few for delays up to 0.5 s",
        ),
        (np.ones(500), np.ones(400), 0.1, "one shape without holes"),
        (np.append(np.nan, np.ones(499)), np.ones(500), 0.1, "one shape without holes"),
        (np.ones(500), np.ones(500), 0.0, "most not below step"),
        (
            np.sin(0.4 * np.arange(2000) * 0.004 - 0.12),
            np.sin(0.4 * np.arange(2000) * 0.004),
            0.1,
            "give a larger 'most'",
        ),
    ],
)
def test_delays_that_nobody_can_tell_are_refused(signal, reference, most, words):
    """A motion that repeats itself, a dead signal, too few samples, holes."""
    with pytest.raises(irb.InputError, match=words):
        estimate_delay(signal, reference, 0.004, most)


def test_late_torques_are_shifted_back():
    """What was logged 6 ms late stands where it belongs; at the end it is missing and flagged."""
    t = np.arange(1000) * 0.004
    log = Recording(t, np.zeros((1000, 1)), tau=wandering(t - 0.006)[:, None])
    back = shift_signal(log, 0.006)
    # straight lines: |tau''| dt^2 / 8
    np.testing.assert_allclose(back.tau[:-2, 0], wandering(t)[:-2], atol=0.02)
    assert np.isnan(back.tau[-1, 0])
    assert back.has(Flag.NO_TORQUE)[-1, 0]
    with pytest.raises(irb.InputError, match="no 'v' that could be shifted"):
        shift_signal(log, 0.01, "v")


def test_two_clocks_become_one():
    """Torques of a log whose clock is 37.4 ms off, at another rate, come to the positions of the
    first.
    """
    t, s = np.arange(2500) * 0.004, np.arange(1200) * 0.0083
    one = Recording(t, np.column_stack([wandering(t), wandering(t, 1)]))
    two = Recording(
        s,
        np.column_stack([wandering(s - 0.0374), wandering(s - 0.0374, 1)]),
        tau=np.column_stack([wandering(s - 0.0374, 2)] * 2),
        extra={"load": s},
    )
    both, actual = merge_recordings(one, two)
    # the second log is interpolated by straight lines
    assert actual.seconds == pytest.approx(0.0374, abs=2e-4)
    there = ~both.has(Flag.NO_TORQUE)[:, 0]
    assert there.sum() > 2400
    # |tau''| dt^2 / 8, and the delay's error
    np.testing.assert_allclose(both.tau[there, 0], wandering(t, 2)[there], atol=0.1)
    assert "load" in both.extra
    assert "is 37.4" in whatever(both)
    with pytest.raises(irb.InputError, match="not of one robot"):
        merge_recordings(one, Recording(s, np.zeros((1200, 3))))
    with pytest.raises(irb.InputError, match="no time in common"):
        merge_recordings(one, two.changed(t=s + 100.0))


def test_resampling_keeps_what_was_measured():
    """A finer rate on a cubic spline; samples that lie in holes are flagged, in longer ones
    missing.
    """
    t = np.arange(1000) * 0.004
    keep = np.ones(1000, bool)
    keep[300] = keep[600:650] = False
    whole = (
        Recording(t, np.sin(3.0 * t)[:, None], tau=np.cos(3.0 * t)[:, None])
        .with_flag(t == t[100], Flag.SATURATED)
        .select(keep)
    )
    finer = resample(whole, 1000.0)
    made = finer.has(Flag.INTERPOLATED)[:, 0]
    solid = ~made & ~finer.has(Flag.NO_POSITION)[:, 0]
    np.testing.assert_allclose(finer.q[solid, 0], np.sin(3.0 * finer.t[solid]), atol=1e-6)
    np.testing.assert_allclose(
        finer.tau[solid, 0], np.cos(3.0 * finer.t[solid]), atol=9.0 * 0.004**2 / 8.0 * 1.01
    )
    assert np.isfinite(finer.q[made & (finer.t < 2.0), 0]).all()  # one lost sample is bridged
    assert finer.has(Flag.NO_POSITION)[(finer.t > 2.405) & (finer.t < 2.595), 0].all()
    assert finer.has(Flag.INTERPOLATED)[np.argmin(np.abs(finer.t - 1.2)), 0]
    near = np.abs(finer.t - t[100]) < 0.0039
    assert finer.has(Flag.SATURATED)[near, 0].all()
    np.testing.assert_array_equal(finer.has(Flag.SATURATED)[:, 0], near)


def test_a_lower_rate_does_not_alias():
    """90 Hz at 250 Hz would be seen as 10 Hz at 100 Hz; it is taken off first, and said."""
    t = np.arange(5000) * 0.004
    log = Recording(
        t, np.sin(2.0 * t)[:, None], tau=(np.sin(2.0 * t) + np.sin(2.0 * np.pi * 90.0 * t))[:, None]
    )
    slow = resample(log, 100.0)
    inner = slice(50, -50)
    np.testing.assert_allclose(slow.tau[inner, 0], np.sin(2.0 * slow.t[inner]), atol=0.02)
    assert "low-passed at 40 Hz" in whatever(slow)
    assert slow.step == pytest.approx(0.01)
    with pytest.raises(irb.InputError, match="a rate is a positive number"):
        resample(log, 0.0)


# --- the recording itself


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"t": np.zeros(5)}, "growing times"),
        ({"t": np.array([0.0, 1.0, 2.0, 3.0, np.nan])}, "growing times"),
        ({"q": np.zeros(5)}, "growing times"),
        ({"tau": np.zeros((4, 2))}, "tau of this recording needs shape"),
        ({"extra": {"load": np.zeros(4)}}, "column 'load'"),
        ({"flags": np.zeros((5, 1))}, "flags of this recording"),
        ({"linear": (True,)}, "flags of this recording"),
    ],
)
def test_a_recording_checks_its_shapes(change, words):
    """What does not fit together is no recording."""
    with pytest.raises(irb.InputError, match=words):
        Recording(**({"t": np.arange(5.0), "q": np.zeros((5, 2))} | change))


def test_a_recording_is_read_only_and_its_report_complete():
    """Arrays cannot be changed; the report has every finding and the flags of every axis."""
    log = Recording(np.arange(5.0), np.zeros((5, 2)), synthetic=True, source="here").with_findings(
        Finding("odd", "look", 3, "q1_deg")
    )
    with pytest.raises(ValueError, match="read-only"):
        log.q[0, 0] = 1.0
    text = log.with_flag(np.eye(5, 2, dtype=bool), Flag.SATURATED).report().splitlines()
    assert text == [
        "Synthetic recording here: 5 samples, 0 .. 4 s, q",
        "row 3, column 'q1_deg': odd; look",
        "SATURATED: axis 1: 1, axis 2: 1",
    ]
