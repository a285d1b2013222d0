"""One motion in the forms of many loggers: each is read as the same recording, or refused in one
line that says where and what would be right.
"""

import re
import tracemalloc

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import read_recording

DEG = np.pi / 180.0
COUNT = 60
T = np.arange(COUNT) * 0.02
Q = np.round(
    np.array([10.0, 20.0, 15.0, 40.0, 30.0, 60.0]) * np.sin(2.0 * T[:, None] + range(6)), 6
)
TAU = np.round(5.0 * np.cos(7.0 * T[:, None]) + np.arange(6), 6)
OWN = ["t", *(f"q{i}_deg" for i in range(1, 7)), *(f"tau{i}_Nm" for i in range(1, 7))]


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400")


def text(header, first=T, q=Q, tau=TAU, delimiter=","):
    """A table; ``first`` are numbers or texts."""
    cells = [f"{x:.6f}" if isinstance(x, float) else x for x in list(first)]
    rows = [
        [cell, *(f"{x:.6f}" for x in (*a, *b))] for cell, a, b in zip(cells, q, tau, strict=True)
    ]
    return "\n".join(delimiter.join(row) for row in [header, *rows]) + "\n"


def headers(position, torque, time="t", base=1):
    axes = range(base, base + 6)
    return [time, *(position.format(i) for i in axes), *(torque.format(i) for i in axes)]


def stamps(pattern):
    moments = np.datetime64("2026-11-23T23:59:59.500000") + np.round(1e6 * T).astype("m8[us]")
    return [pattern(str(moment)) for moment in moments]


def commas(header):
    return text(header, delimiter=";").replace(".", ",")


FORMS = {
    "brackets": text(headers("q{} [deg]", "Torque J{} (Nm)", "Time [s]")),
    "words": text(headers("pos_{}_deg", "torque_j{}_nm", "time_s")),
    "from 0": text(headers("joint_{} [deg]", "effort[{}] [Nm]", "timestamp", base=0)),
    "radians": text(headers("Axis {} Position (rad)", "Trq {} N m"), q=Q * DEG),
    "kilo": text(headers("Actual position axis {} [°]", "Torque {} [kNm]"), tau=TAU * 1e-3),
    "milliseconds": text(headers("A{} [deg]", "A{} [Nm]", "Time (ms)"), first=1e3 * T),
    "decimal commas": commas([name.replace("_", " ", 1) for name in OWN]),
    "tabs": text(OWN, delimiter="\t").replace(".", ","),
    "spaces": "# " + text(OWN, delimiter=" "),
    "comments": "% a log\n#\n\n" + text(OWN),
    "row of units": text(
        ["time", *(f"q{i}" for i in range(1, 7)), *(f"tau {i}" for i in range(1, 7))]
    ).replace("\n", "\n" + ",".join(["s", *["deg"] * 6, *["Nm"] * 6]) + "\n", 1),
    "date and time": text(OWN, first=stamps(str)),
    "ISO 8601": text(OWN, first=stamps(lambda s: s + "Z")),
    "seconds since 1970": text(OWN, first=[f"{1.7e9 + t:.6f}" for t in T]),
    "newest first": text(OWN, T[::-1], Q[::-1], TAU[::-1]),
    "test signals": text(headers("4000 ROB_1 {}", "Torque ROB_1 axis {}", "Time [s]")),
}


@pytest.mark.parametrize("form", FORMS)
def test_forms_are_one_recording(tmp_path, robot, form):
    (tmp_path / "log.csv").write_text(FORMS[form], encoding="utf-8")
    log = read_recording(tmp_path / "log.csv", robot)
    np.testing.assert_allclose(log.t - log.t[0], T, atol=3e-7)  # a float of seconds since 1970
    np.testing.assert_allclose(log.q, Q * DEG, atol=1e-6 if form == "radians" else 1e-12)
    np.testing.assert_allclose(log.tau, TAU, atol=1e-3 if form == "kilo" else 1e-12)
    kept = [] if form != "newest first" else ["row 3, column 't': times go back here; rows sorted"]
    assert [str(finding)[: len(kept[0])] for finding in log.findings] == kept
    assert not log.extra


SPEEDS = {
    "v{}_deg_s": ("q{}_deg", np.degrees(1.0)),
    "Speed {} [deg/s]": ("q{} [deg]", np.degrees(1.0)),
    "Axis {} Velocity (rad s-1)": ("q{} [deg]", 1.0),
    "Speed J{} (rpm)": ("pos {} [rad]", 60.0 / (2.0 * np.pi)),
    "dq[{}] [1/min]": ("q{} (rad)", 60.0 / (2.0 * np.pi)),
    "Acc {} [deg/s^2]": ("q{} [deg]", np.degrees(1.0)),
    "qdd_{}_rad_s2": ("q{} [deg]", 1.0),
}


@pytest.mark.parametrize("name", SPEEDS)
def test_units_of_speeds_and_accelerations(tmp_path, robot, name):
    """A slow motion, in units written in many ways."""
    position, scale = SPEEDS[name]
    q = 0.5 * T[:, None] ** 2 * np.linspace(0.1, 0.2, 6)
    v = T[:, None] * np.linspace(0.1, 0.2, 6) if "cc" not in name and "dd" not in name else None
    a = np.tile(np.linspace(0.1, 0.2, 6), (COUNT, 1))
    shown = np.degrees(q) if "deg" in position else q
    values = scale * (a if v is None else v)
    (tmp_path / "log.csv").write_text(text(headers(position, name), q=shown, tau=values))
    log = read_recording(tmp_path / "log.csv", robot)
    np.testing.assert_allclose(log.q, q, atol=1e-6)
    np.testing.assert_allclose(log.a if v is None else log.v, a if v is None else v, atol=1e-6)


@pytest.mark.parametrize(("unit", "factor"), [("mm", 1e3), ("m", 1.0)])
def test_units_of_a_linear_axis(tmp_path, unit, factor):
    """Axis 3 of a SCARA is in mm and N; units of an angle do not fit it."""
    force = {"mm": "N", "m": "kN"}[unit]
    names = ["t", "q1 [deg]", "q2 [deg]", f"q3 [{unit}]", "q4 [deg]"]
    names += [f"v3 [{unit}/s]", f"Force 3 [{force}]"]
    z = -0.1 - 0.02 * np.sin(T)
    columns = [T, 10.0 * T, 5.0 * T, factor * z, T, -0.02 * factor * np.cos(T), 50.0 + 10.0 * T]
    columns[-1] = columns[-1] / {"N": 1.0, "kN": 1e3}[force]
    rows = [
        ",".join(names),
        *(",".join(f"{x:.7f}" for x in row) for row in zip(*columns, strict=True)),
    ]
    (tmp_path / "log.csv").write_text("\n".join(rows))
    log = read_recording(tmp_path / "log.csv", irb.load("irb930"))
    np.testing.assert_allclose(log.q[:, 2], z, atol=1e-7)
    np.testing.assert_allclose(log.v[:, 2], -0.02 * np.cos(T), atol=1e-7)
    np.testing.assert_allclose(log.tau[:, 2], 50.0 + 10.0 * T, atol=1e-4)
    (tmp_path / "log.csv").write_text("\n".join(rows).replace(f"q3 [{unit}]", "q3 [deg]"))
    with pytest.raises(irb.MotionError, match="one of a rotary axis, and axis 3 is linear"):
        read_recording(tmp_path / "log.csv", irb.load("irb930"))


def permuted(order):
    return text(OWN, T[order], Q[order], TAU[order])


EVERY = np.arange(COUNT)


@pytest.mark.parametrize(
    ("order", "kept", "finding"),
    [
        (np.insert(EVERY[:-1], 20, COUNT - 1), None, "row 23, column 't': 0.4 s does not come"),
        (np.r_[EVERY[:20], 21, 20, EVERY[22:]], EVERY, "row 23, column 't': times go back here"),
        (np.random.default_rng(3).permutation(COUNT), EVERY, "times go back here; rows sorted"),
        (
            np.insert(EVERY, 20, 19),
            EVERY,
            "row 22, column 't': 1 rows stand there twice; the later",
        ),
        (np.r_[EVERY, EVERY], None, "row 62, column 't': 0 s does not come after 1.18 s; are two"),
    ],
)
def test_rows_out_of_order_or_doubled(tmp_path, robot, order, kept, finding):
    """Late rows, a shuffled table, a row twice: in order and said, rows of the file still named;
    two logs in one file are refused.
    """
    (tmp_path / "log.csv").write_text(permuted(order))
    if kept is None:
        with pytest.raises(irb.MotionError, match=re.escape(finding)):
            read_recording(tmp_path / "log.csv", robot)
        return
    log = read_recording(tmp_path / "log.csv", robot)
    np.testing.assert_allclose(log.t, T[kept], atol=1e-12)
    np.testing.assert_allclose(log.q, Q[kept] * DEG, atol=1e-12)
    assert finding in str(log.findings[0])
    assert len(log.findings) == 1


def test_a_stamp_that_repeats_keeps_the_first_row(tmp_path, robot):
    """The row of the file is named of what comes after it, too."""
    times = np.where(EVERY == 20, T[19], T)
    tau = np.where((EVERY == 40)[:, None], np.nan, TAU)
    (tmp_path / "log.csv").write_text(text(OWN, times, tau=tau))
    log = read_recording(tmp_path / "log.csv", robot)
    np.testing.assert_allclose(log.t, np.delete(T, 20), atol=1e-12)
    np.testing.assert_allclose(log.q, np.delete(Q, 20, axis=0) * DEG, atol=1e-12)
    lines = "\n".join(map(str, log.findings))
    assert "row 22, column 't': 1 rows have the time of another, with other values" in lines
    assert "row 42, column 'tau1_Nm': no number here" in lines


def changed(names, line=None, cell=None):
    """The good log with other names, or another cell 2 in a line of the file."""
    lines = text([names.get(name, name) for name in OWN]).splitlines()
    if line is not None:
        cells = lines[line - 1].split(",")
        lines[line - 1] = ",".join([cells[0], cell, *cells[2:]])
    return "\n".join(lines) + "\n"


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (
            changed({"q2_deg": "q2 [gon]"}),
            "column 'q2 [gon]': its unit is none of a position: deg,",
        ),
        (changed({"q2_deg": "q2 [mm]"}), "column 'q2 [mm]': its unit is one of a linear axis, and"),
        (
            changed({"t": "Time [min]"}),
            "column 'Time [min]': its unit is none of a time: s, ms, us",
        ),
        (changed({"tau6_Nm": "Pos 6 [rad]"}), "'q6_deg' and 'Pos 6 [rad]' are both q of axis 6"),
        (changed({"t": "Time", "tau6_Nm": "timestamp"}), "are both times; say which, such as col"),
        (changed({"q2_deg": "q2_ref [deg]"}), "column 'q2_deg' is missing, 'q2_ref [deg]' comes"),
        (changed({}, 7, "ten"), "row 7, column 'q1_deg': 'ten' is not a number; leave the cell"),
        (FORMS["row of units"].replace("1.197122", "ten"), "row 6, column 'q1 [deg]': 'ten' is"),
        ("# t,q1_deg\n", "there are no rows of numbers"),
        ("\n\n", "the file is empty"),
        (text(OWN, first=["23.11.2026 09:15:00"] * COUNT), "row 2, column 't': '23.11.2026 09:15"),
        (text(OWN, first=["25:00:00"] * COUNT), "row 2, column 't': '25:00:00' is not a number"),
        (text(OWN, first=[*stamps(str)[:-1], "end"]), "row 61, column 't': 'end' is not a number"),
    ],
)
def test_bad_forms_are_refused(tmp_path, robot, content, message):
    (tmp_path / "log.csv").write_text(content)
    with pytest.raises(irb.MotionError) as caught:
        read_recording(tmp_path / "log.csv", robot)
    assert message in str(caught.value)
    assert "\n" not in str(caught.value)


def test_five_torques_a_foreign_unit_and_commands(tmp_path, robot):
    """What is measured is read; a torque of an unknown unit and a command stay apart, named."""
    names = {"tau2_Nm": "Torque 2 [%]", "tau6_Nm": "q1_ref [deg]"}
    (tmp_path / "log.csv").write_text(changed({"tau1_Nm": "Torque J1 (Nm)"} | names))
    log = read_recording(tmp_path / "log.csv", robot)
    np.testing.assert_array_equal(np.isnan(log.tau).all(axis=0), [0, 1, 0, 0, 0, 1])
    assert set(log.extra) == set(names.values())
    lines = "\n".join(map(str, log.findings))
    assert "tau of axes 2, 6 is not in the file; flagged NO_TORQUE" in lines
    assert (
        "column 'Torque 2 [%]': is kept under its own name, and not understood; its unit" in lines
    )
    log = read_recording(tmp_path / "log.csv", robot, {"tau1_Nm": "Torque 2 [%]"})
    np.testing.assert_allclose(log.tau[:, 0], TAU[:, 1], atol=1e-12)  # a mapping goes before names


def test_memory_is_that_of_the_numbers(tmp_path, robot):
    """Of a long file no copy of its text is kept: beside the numbers, as read and as a recording,
    there is a block of lines.
    """
    count = 60_000
    rows = "".join(
        ",".join([f"{0.004 * i:.3f}", *(f"{k + 10.0 * np.sin(0.004 * i):.9f}" for k in range(12))])
        + "\n"
        for i in range(count)
    )
    path = tmp_path / "log.csv"
    path.write_text(",".join(OWN) + "\n" + rows)
    tracemalloc.start()
    log = read_recording(path, robot)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert len(log) == count
    assert peak < 8.0 * log.q.nbytes + 20e6, peak
