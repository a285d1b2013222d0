import re

import numpy as np
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.trajectory import FourierSeries, Motion, through
from irbmodels.trajectory import motion_files as logs
from irbmodels.trajectory.motion_files import open_motion, write_motion
from irbmodels.trajectory.rate_consistency import check_rates

DEG = np.radians(1.0)


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400")


@pytest.fixture(scope="module")
def motion(robot):
    postures = [
        robot.from_controller(p)
        for p in ([0, 0, 0, 0, 0, 0], [40, 30, 20, 30, 40, 60], [-20, 10, -10, 0, 20, 0])
    ]
    return through(postures, duration=2.0).sample(250.0)


def whole(file, **options):
    pieces = list(file.motions(**options))
    return [np.concatenate(field) for field in list(zip(*pieces, strict=True))[:4]]


def header(letter="q", unit="deg", n=6):
    return [f"{letter}{i + 1}_{unit}" for i in range(n)]


def write(path, columns, rows):
    path.write_text(
        "\n".join([",".join(columns), *(",".join(map(str, row)) for row in rows)]) + "\n"
    )
    return path


def good_rows(count=20):
    return [[i * 0.004, *[0.1 * i] * 6] for i in range(count)]


def test_what_is_written_is_read_back(tmp_path, robot, motion):
    """A motion written in degrees comes back in radians to the printed nine digits."""
    write_motion(tmp_path / "m.csv", motion, robot)
    read = whole(open_motion(tmp_path / "m.csv", robot))
    for got, wanted in zip(read, motion[:4], strict=True):
        np.testing.assert_allclose(got, wanted, rtol=1e-8, atol=1e-8)


def test_linear_axis_is_in_millimetres(tmp_path):
    """The SCARA's axis 3 is read as mm, mm/s, mm/s^2 and N."""
    scara = irb.load("irb930")
    still = np.zeros((6, 4))
    posture, torque = np.tile([0.1, 0.2, -0.15, 0.3], (6, 1)), np.tile([1.0, 2.0, 3.0, 4.0], (6, 1))
    motion = Motion(np.arange(6) * 0.01, posture, still, still, torque)
    write_motion(tmp_path / "m.csv", motion, scara)
    first = (tmp_path / "m.csv").read_text().splitlines()
    assert first[0].split(",")[:5] == ["t", "q1_deg", "q2_deg", "q3_mm", "q4_deg"]
    assert "tau3_N" in first[0].split(",")
    assert first[1].split(",")[3] == "-150"
    np.testing.assert_allclose(
        next(open_motion(tmp_path / "m.csv", scara).motions()).q, motion.q, atol=1e-9
    )


def test_derived_speeds_are_those_of_the_motion(tmp_path, robot, motion):
    """Without v and a columns both are derived within the filter's error for a smooth motion."""
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    _, _, v, a = whole(open_motion(tmp_path / "m.csv", robot))
    inside = slice(20, -20)
    # a cubic over 80 ms
    np.testing.assert_allclose(v[inside], motion.v[inside], atol=2e-3 * np.abs(motion.v).max())
    # corner between two moves
    np.testing.assert_allclose(a[inside], motion.a[inside], atol=8e-2 * np.abs(motion.a).max())


def test_derived_speeds_of_a_cubic_are_exact(tmp_path, robot):
    """The filter fits a cubic, so the speeds of a cubic are exact up to the printed digits, at the
    ends too.
    """
    t = np.arange(200) * 0.004
    q = np.stack([0.1 * (k + 1) * (t**3 - t**2 + 0.5 * t) for k in range(6)], axis=1)
    write_motion(tmp_path / "m.csv", Motion(t, q), robot)
    _, _, v, a = whole(open_motion(tmp_path / "m.csv", robot))
    scale = 0.1 * np.arange(1, 7)
    # 1e-10 of position over 4 ms
    np.testing.assert_allclose(v, scale * (3 * t**2 - 2 * t + 0.5)[:, None], atol=1e-6)
    np.testing.assert_allclose(a, scale * (6 * t - 2)[:, None], atol=1e-4)


@pytest.mark.parametrize("rows", [7, 64, 500])
def test_pieces_do_not_change_the_result(tmp_path, robot, motion, monkeypatch, rows):
    """The derived motion is the same however the file is cut into pieces."""
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    wanted = whole(open_motion(tmp_path / "m.csv", robot))
    monkeypatch.setattr(logs, "ROWS", rows)
    got = whole(open_motion(tmp_path / "m.csv", robot))
    for one, other in zip(got, wanted, strict=True):
        # the step is averaged over the first piece
        np.testing.assert_allclose(one, other, atol=1e-8)


def test_unknown_columns_are_named_and_ignored(tmp_path, robot):
    """Columns that mean nothing are listed, and may hold anything."""
    path = write(
        tmp_path / "m.csv", ["t", *header(), "comment"], [[*row, "hello"] for row in good_rows()]
    )
    file = open_motion(path, robot)
    assert file.ignored == {"comment": ""}
    assert len(whole(file)[0]) == 20


def test_semicolons_separate_too(tmp_path, robot):
    """A file with semicolons is read like one with commas; a byte order mark and blank lines at the
    end do no harm.
    """
    path = write(tmp_path / "m.csv", ["t", *header()], good_rows())
    path.write_text("\ufeff" + path.read_text().replace(",", ";") + "\n\n", encoding="utf-8")
    assert len(whole(open_motion(path, robot))[0]) == 20


def test_tabs_and_quotes_are_read(tmp_path, robot):
    """Tab-separated and quoted cells are numbers too."""
    path = write(
        tmp_path / "m.csv", ["t", *header()], [[f'"{cell}"' for cell in row] for row in good_rows()]
    )
    path.write_text(path.read_text().replace(",", "\t"))
    assert len(whole(open_motion(path, robot))[0]) == 20


def test_an_axis_that_waits_stands_still(tmp_path, robot):
    """Derived speeds of constant or barely noisy positions are exactly 0, so nothing is taken to
    rub.
    """
    t = np.arange(500) * 0.004
    # an encoder of 2^21 counts per turn
    noise = np.radians(np.random.default_rng(0).uniform(-1e-4, 1e-4, (500, 6)))
    for q in (np.tile(np.radians([0, 20, 10, 0, 30, 0]), (500, 1)), np.radians(20.0) + noise):
        write_motion(tmp_path / "m.csv", Motion(t, q), robot)
        assert not whole(open_motion(tmp_path / "m.csv", robot))[2].any()


def test_speeds_that_rounding_leaves_of_a_rest_are_none(tmp_path, robot):
    """A speed of 1e-17 in a file is a rest, and so is an axis that never moves; the slowest motion
    stays.
    """
    t = np.arange(200) * 0.004
    q = np.tile(np.radians([0, 20, 10, 0, 30, 0]), (200, 1))
    v = np.tile([1e-17, -3e-16, 1e-12, -1e-10, 2e-9, -1e-6], (200, 1))
    write_motion(tmp_path / "m.csv", Motion(t, q, v), robot)
    read = open_motion(tmp_path / "m.csv", robot).read().v
    assert not read[:, :4].any()
    np.testing.assert_allclose(read[:, 4:], v[:, 4:], rtol=1e-6)
    write_motion(tmp_path / "m.csv", Motion(t, q), robot)
    assert not np.any([part.v for part in open_motion(tmp_path / "m.csv", robot).motions(rest=0.0)])


def test_a_motion_that_starts_at_rest_starts_with_no_friction(tmp_path, robot, motion):
    """The one-sided filter at the first row must not invent a speed against the motion."""
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    v = whole(open_motion(tmp_path / "m.csv", robot))[2]
    assert (np.sign(v[:100]) * np.sign(motion.v[:100]) >= 0.0).all()


def test_time_stamps_rounded_to_milliseconds_are_a_steady_step(tmp_path, robot):
    """A cycle of 4.032 ms printed in whole milliseconds is no lost sample; a lost sample is."""
    t = np.arange(400) * 0.004032
    q = np.outer(np.sin(2.0 * t), np.ones(6))
    write_motion(tmp_path / "m.csv", Motion(np.round(t, 3), q), robot)
    v = whole(open_motion(tmp_path / "m.csv", robot))[2]
    np.testing.assert_allclose(v[:, 0], 2.0 * np.cos(2.0 * t), atol=5e-3)
    keep = np.arange(400) != 200
    write_motion(tmp_path / "m.csv", Motion(t[keep], q[keep]), robot)
    with pytest.raises(irb.MotionError, match="steady step"):
        whole(open_motion(tmp_path / "m.csv", robot))


@pytest.mark.parametrize("window", [0.0, -1.0, float("inf"), float("nan"), 0.01, 1e9])
def test_a_window_that_is_no_filter_is_refused(tmp_path, robot, motion, window):
    """Too short for a cubic, not a time, or longer than any file: one clear line."""
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    with pytest.raises(irb.InputError, match="window"):
        whole(open_motion(tmp_path / "m.csv", robot), window=window)


def test_a_window_longer_than_the_file_is_refused(tmp_path, robot, motion):
    """A filter that was asked for is not quietly another one."""
    write_motion(tmp_path / "m.csv", motion._replace(v=None, a=None), robot)
    with pytest.raises(irb.MotionError, match="the file has 1001 rows"):
        whole(open_motion(tmp_path / "m.csv", robot), window=100.0)


def test_a_pipe_is_refused(robot):
    """A pipe can be read once only, so it would lose its first rows."""
    import os

    reading, writing = os.pipe()
    try:
        with pytest.raises(irb.FileError, match="not a regular file"):
            open_motion(f"/dev/fd/{reading}", robot)
    finally:
        os.close(reading)
        os.close(writing)


def spoiled(row, column, value):
    rows = good_rows()
    rows[row][column] = value
    return rows


@pytest.mark.parametrize(
    ("columns", "rows", "words"),
    [
        (header(), [r[1:] for r in good_rows()], "column 't'"),
        (["t", *header()[:5]], [r[:6] for r in good_rows()], "column 'q6_deg' is missing"),
        (
            ["t", *header(unit="rad")],
            good_rows(),
            "column 'q1_deg' is missing (columns: t, q1_rad, ",
        ),
        (
            ["t", *header(), *header("v", "deg_s")[:3]],
            [[*r, 0, 0, 0] for r in good_rows()],
            "column 'v4_deg_s' is missing",
        ),
        (
            ["t", *header()[:5], "q6_deg", "q6_deg"],
            [[*r, 0] for r in good_rows()],
            "'q6_deg' stands there 2 times",
        ),
        (
            ["t", *header()],
            spoiled(4, 3, "abc"),
            "row 6, column 'q3_deg': 'abc' is not a finite number",
        ),
        (["t", *header()], spoiled(4, 3, ""), "row 6, column 'q3_deg': '' is not a finite number"),
        (
            ["t", *header()],
            spoiled(4, 3, "nan"),
            "row 6, column 'q3_deg': 'nan' is not a finite number",
        ),
        (
            ["t", *header()],
            spoiled(4, 3, "inf"),
            "row 6, column 'q3_deg': 'inf' is not a finite number",
        ),
        (
            ["t", *header()],
            spoiled(4, 0, 0.012),
            "row 6, column 't': 0.012 s does not come after 0.012 s",
        ),
        (
            ["t", *header()],
            spoiled(4, 0, 0.5),
            "row 7, column 't': 0.02 s does not come after 0.5 s",
        ),
        (
            ["t", *header()],
            spoiled(4, 3, 1e5),
            "row 6, column 'q3_deg': 100000 is more than three times",
        ),
        (["t", *header()], [*good_rows(), [1.0, 2.0]], "row 22 has 2 cells, the header has 7"),
        (["t", *header()], [], "a header and no rows"),
        (["t", *header()], good_rows(3), "too few"),
        (
            ["t", *header()],
            [[1.5 * r[0] if r[0] > 0.04 else r[0], *r[1:]] for r in good_rows()],
            "steady step",
        ),
        (
            ["t", *header(), *header("v", "deg_s")],
            [[*r, *[1e9] * 6] for r in good_rows()],
            "row 2, column 'v1_deg_s': 1e+09 is more",
        ),
    ],
)
def test_a_broken_file_says_where(tmp_path, robot, columns, rows, words):
    """The message names row and column, and what is wrong there."""
    path = write(tmp_path / "m.csv", columns, rows)
    with pytest.raises(irb.MotionError) as caught:
        whole(open_motion(path, robot))
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_an_error_far_into_the_file_names_its_row(tmp_path, robot):
    """Rows are counted across pieces."""
    rows = good_rows(2 * logs.ROWS + 10)
    rows = [[r[0], *[0.0] * 6] for r in rows]
    rows[2 * logs.ROWS + 5][2] = "x"
    path = write(tmp_path / "m.csv", ["t", *header()], rows)
    with pytest.raises(irb.MotionError, match=f"row {2 * logs.ROWS + 7}, column 'q2_deg'"):
        whole(open_motion(path, robot))


def test_missing_file(tmp_path, robot):
    """A file that is not there is named."""
    with pytest.raises(irb.FileError, match=r"nothing\.csv: No such file"):
        open_motion(tmp_path / "nothing.csv", robot)


def test_a_binary_file_is_no_motion(tmp_path, robot):
    """Bytes that are no text give the ordinary message."""
    (tmp_path / "m.csv").write_bytes(bytes(range(256)) * 20)
    with pytest.raises(irb.MotionError, match="column 't'"):
        open_motion(tmp_path / "m.csv", robot)


def test_memory_does_not_grow_with_the_file(tmp_path, robot):
    """Reading and differentiating a file of 200 000 rows takes less than a tenth of its size in
    memory.
    """
    import tracemalloc

    t = np.arange(200_000) * 0.004
    write_motion(tmp_path / "m.csv", Motion(t, np.outer(np.sin(t), np.ones(6))), robot)
    tracemalloc.start()
    rows = sum(len(piece.t) for piece in open_motion(tmp_path / "m.csv", robot).motions())
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert rows == 200_000
    # bytes: some pieces of 8192 rows; the table alone would be 11 MB, its text 18 MB
    assert peak < 14e6


def test_time_in_milliseconds_is_suspected(tmp_path, robot):
    """Steps of four seconds derive no speeds; a window of one's own is taken at its word."""
    path = write(
        tmp_path / "m.csv", ["t", *header()], [[1000.0 * row[0], *row[1:]] for row in good_rows()]
    )
    with pytest.raises(
        irb.MotionError, match=r"a time step of 4 s is too coarse .*is t in milliseconds"
    ):
        whole(open_motion(path, robot))
    assert whole(open_motion(path, robot), window=20.0)[1].shape == (20, 6)


def test_noise_at_rest_is_no_motion(tmp_path, robot):
    """0.0005 deg of noise while waiting moves nothing; the threshold is the caller's to change."""
    noise = np.random.default_rng(0).normal(0.0, 5e-4, (500, 6))
    path = write(
        tmp_path / "m.csv", ["t", *header()], [[i * 0.004, *row] for i, row in enumerate(noise)]
    )
    file = open_motion(path, robot)
    assert not whole(file)[2].any()
    assert whole(file, rest=1e-4)[2].any()
    with pytest.raises(irb.InputError, match=r"rest .* at least 0, got -1\.0"):
        file.motions(rest=-1.0)


def test_a_comma_in_quotes_is_no_column(tmp_path, robot):
    """A comment with commas, in a column that nobody asked for."""
    path = write(
        tmp_path / "m.csv",
        ["t", *header(), "comment"],
        [[*row, '"moving, slowly"'] for row in good_rows()],
    )
    plain = write(tmp_path / "p.csv", ["t", *header()], good_rows())
    for one, other in zip(
        whole(open_motion(path, robot)), whole(open_motion(plain, robot)), strict=True
    ):
        np.testing.assert_array_equal(one, other)


def test_a_name_that_comes_close_is_pointed_at(tmp_path, robot):
    """tau1 without its unit is ignored, and said to be so."""
    rows = [[*row, *[1.0] * 6] for row in good_rows()]
    path = write(tmp_path / "m.csv", ["t", *header(), *(f"tau{i + 1}" for i in range(6))], rows)
    assert open_motion(path, robot).ignored["tau2"] == "tau2_Nm"


def test_a_motion_of_another_robot_is_not_written(tmp_path, motion):
    """Six columns are no motion of a SCARA."""
    with pytest.raises(
        irb.InputError,
        match=r"q of a motion of irb930_12_105 needs shape \(1001, 4\), got \(1001, 6\)",
    ):
        write_motion(tmp_path / "m.csv", motion, irb.load("irb930"))
    assert not list(tmp_path.iterdir())


def test_parquet_is_a_motion_file_too(tmp_path, robot, motion):
    """Written and read by its ending, piece by piece, with the same numbers; speeds are derived the
    same way.
    """
    for kept in (motion, motion._replace(v=None, a=None)):
        write_motion(tmp_path / "m.parquet", kept, robot)
        write_motion(tmp_path / "m.csv", kept, robot)
        seen = []
        pieces = list(open_motion(tmp_path / "m.parquet", robot).motions(advance=seen.append))
        same = whole(open_motion(tmp_path / "m.csv", robot))
        for one, other in zip(Motion.joined(pieces)[:4], same, strict=True):
            # nine digits in the CSV file, twice differentiated
            np.testing.assert_allclose(one, other, rtol=1e-6, atol=1e-4)
        assert sum(seen) == pytest.approx((tmp_path / "m.parquet").stat().st_size, rel=0.01)


def test_broken_parquet_files_say_where(tmp_path, robot, motion):
    """Row (the first is 1) and column of a hole, a time that does not grow, words, and what is no
    Parquet file.
    """
    import pyarrow as pa
    from pyarrow import parquet

    def read_with(**changes):
        write_motion(tmp_path / "m.parquet", motion, robot)
        table = parquet.read_table(tmp_path / "m.parquet")
        columns = {name: table[name].to_numpy() for name in table.column_names}
        parquet.write_table(pa.table(columns | changes), tmp_path / "m.parquet")
        return whole(open_motion(tmp_path / "m.parquet", robot))

    hole = np.degrees(motion.q[:, 2])
    hole[10] = np.nan
    with pytest.raises(irb.MotionError, match="row 11, column 'q3_deg': there is no finite number"):
        read_with(q3_deg=hole)
    with pytest.raises(irb.MotionError, match="row 6, column 't'"):
        read_with(t=np.where(np.arange(len(motion.t)) == 5, 0.0, motion.t))
    with pytest.raises(irb.MotionError, match="column 'q3_deg' holds no numbers"):
        read_with(q3_deg=["x"] * len(motion.t))
    (tmp_path / "m.parquet").write_text("t,q1_deg\n")
    with pytest.raises(irb.MotionError, match="is no Parquet file"):
        open_motion(tmp_path / "m.parquet", robot)
    with pytest.raises(irb.FileError, match=r"none\.parquet"):
        open_motion(tmp_path / "none.parquet", robot)
    write_motion(tmp_path / "m.parquet", motion, robot)
    parquet.write_table(parquet.read_table(tmp_path / "m.parquet")[:0], tmp_path / "m.parquet")
    with pytest.raises(irb.MotionError, match="no rows"):
        whole(open_motion(tmp_path / "m.parquet", robot))


# --- speeds held against positions


def swing(robot, rate, seed=0, seconds=6.0):
    """A motion of all axes, a few harmonics each, with its exact speeds and accelerations."""
    series, rng = FourierSeries(4, seconds), np.random.default_rng(seed)
    x = 0.15 * rng.normal(size=(series.size, robot.n)) * np.where(robot.limits.linear, 0.1, 1.0)
    x[0] = 0.5 * (np.maximum(robot.limits.lower, -1.0) + np.minimum(robot.limits.upper, 1.0))
    return series.trajectory(x).sample(rate)


def scaled(motion, quantity, axis, factor):
    values = getattr(motion, quantity).copy()
    values[:, axis] *= factor
    return motion._replace(**{quantity: values})


@pytest.mark.parametrize(
    ("name", "quantity", "axis", "factor", "column", "words"),
    [
        ("irb2400", "v", 0, DEG, "'v1_deg_s': 'q1_deg'", "it looks like rad/s"),
        ("irb2400", "v", 3, -1.0, "'v4_deg_s': 'q4_deg'", "its sign is the opposite"),
        (
            "irb2400",
            "v",
            3,
            -DEG,
            "'v4_deg_s': 'q4_deg'",
            "it looks like rad/s with the opposite sign",
        ),
        ("irb2400", "v", 5, 1.0 / DEG, "'v6_deg_s': 'q6_deg'", "'q6_deg' looks like rad"),
        ("irb2400", "a", 1, DEG, "'a2_deg_s2': 'v2_deg_s'", "it looks like rad/s^2"),
        ("irb2400", "a", 4, -1.0, "'a5_deg_s2': 'v5_deg_s'", "its sign is the opposite"),
        ("irb930", "v", 2, 1e-3, "'v3_mm_s': 'q3_mm'", "it looks like m/s"),
        ("irb930", "a", 2, 1e-3, "'a3_mm_s2': 'v3_mm_s'", "it looks like m/s^2"),
        ("irb930", "v", 0, -1.0, "'v1_deg_s': 'q1_deg'", "its sign is the opposite"),
    ],
)
@pytest.mark.parametrize(("rate", "noise"), [(25.0, 0.0), (1000.0, 1e-4)])
def test_speeds_of_another_unit_or_sign_are_refused(
    tmp_path, name, quantity, axis, factor, column, words, rate, noise
):
    """Column, factor, and the unit or sign it looks like, at any rate, with noise or without;
    nothing is written.
    """
    robot = irb.load(name)
    motion, rng = scaled(swing(robot, rate), quantity, axis, factor), np.random.default_rng(1)
    q = motion.q + noise * rng.normal(size=motion.q.shape) * np.where(robot.limits.linear, 0.1, 1.0)
    write_motion(tmp_path / "m.csv", motion._replace(q=q), robot)
    file = open_motion(tmp_path / "m.csv", robot)
    with pytest.raises(irb.MotionError) as caught:
        irb.predict(file, tmp_path / "tau.csv")
    message = str(caught.value).replace(str(tmp_path), "")
    ending = re.escape(f", from t = 0 s on: {words}")
    changes = re.fullmatch(
        rf"/m.csv: column {column} changes (-?[0-9.]+) times as fast as it says{ending}", message
    )
    assert changes, message
    # trapezoids, 37 a period of the fastest harmonic
    assert float(changes[1]) == pytest.approx(1.0 / factor, rel=0.05)
    assert not (tmp_path / "tau.csv").exists()
    with pytest.raises(irb.MotionError):
        file.read()


def test_accelerations_are_held_against_derived_speeds_too(tmp_path, robot):
    """A file without speeds: those that are derived say which unit accelerations are in."""
    motion = scaled(swing(robot, 250.0), "a", 2, DEG)._replace(v=None)
    write_motion(tmp_path / "m.csv", motion, robot)
    with pytest.raises(irb.MotionError, match=r"column 'a3_deg_s2'.*looks like rad/s"):
        open_motion(tmp_path / "m.csv", robot).read()


def test_a_fault_far_into_a_file_is_found_in_its_piece(tmp_path, robot):
    """Each piece is held against itself: a bias of hours does not hide it, and memory does not
    grow.
    """
    motion = swing(robot, 250.0)
    pieces = [scaled(motion, "v", 0, -1.0 if k > 5 else 1.0) for k in range(16)]
    late = irb.Motion.joined(
        [piece._replace(t=piece.t + 6.1 * k) for k, piece in enumerate(pieces)]
    )
    write_motion(tmp_path / "m.csv", late, robot)
    with pytest.raises(irb.MotionError, match="column 'v1_deg_s'"):
        open_motion(tmp_path / "m.csv", robot).read()


def test_speeds_of_another_factor_only_warn(tmp_path, robot):
    """A gear ratio, or a motion run slower, is no unit: once per column."""
    motion = scaled(swing(robot, 250.0, seconds=60.0), "v", 2, 100.0)._replace(a=None)
    write_motion(tmp_path / "m.csv", motion, robot)
    with pytest.warns(
        irb.PhysicsWarning, match=r"column 'v3_deg_s': 'q3_deg' changes 0\.01 times"
    ) as warned:
        open_motion(tmp_path / "m.csv", robot).read()
    assert len(warned) == 1


@together("rate", [1.0, 2.0, 4.0, 10.0, 25.0, 100.0, 250.0, 1000.0])
@together("name", ["irb2400", "irb930"])
def test_good_motions_are_never_refused(name, rate):
    """Seen rarely, quantised, noisy, late, differenced from an encoder, or without accelerations:
    warnings are errors here.
    """
    robot = irb.load(name)
    linear = robot.limits.linear.tolist()
    names = {letter: header(letter) for letter in "qva"}
    size = np.where(robot.limits.linear, 0.1, 1.0)
    for seed in range(6):
        seconds = float(np.random.default_rng(100 + seed).uniform(2.0, 20.0))
        motion, rng = swing(robot, rate, seed, seconds), np.random.default_rng(seed)
        step = np.where(robot.limits.linear, 1e-5, np.radians(0.01))
        coarse = step * np.round(motion.q / step)
        noisy = motion.v + 0.05 * size * rng.normal(size=motion.v.shape)
        late = np.roll(motion.v, min(int(0.01 * rate), 5), axis=0)
        variants = [
            motion,
            motion._replace(q=coarse),
            motion._replace(q=coarse, v=noisy),
            motion._replace(v=late, a=0.0 * motion.a),
        ]
        if len(motion.t) > 2:
            variants.append(motion._replace(q=coarse, v=np.gradient(coarse, motion.t, axis=0)))
        variants.append(
            motion._replace(
                q=np.repeat(motion.q[:1], len(motion.t), axis=0) + 1e-5 * noisy,
                v=noisy,
                a=0.0 * noisy,
            )
        )
        for variant in variants:
            starts = range(0, len(variant.t), logs.ROWS)
            pieces = [variant.slice(start, start + logs.ROWS) for start in starts]
            assert [*check_rates(iter(pieces), "va", names, linear, "m.csv")] == pieces


def test_unrelated_states_are_no_motion_to_judge():
    """Rows that are states of their own, for their torques alone, have speeds that are of no
    positions.
    """
    rng, names = np.random.default_rng(0), {letter: header(letter) for letter in "qva"}
    for count in np.repeat([8, 10, 20, 200], 20):
        states = Motion(np.arange(count) * 1.0, *rng.uniform(-0.5, 0.5, (3, count, 6)))
        assert [*check_rates(iter([states]), "va", names, [False] * 6, "m.csv")] == [states]


@pytest.mark.parametrize("bend", [400.0, 9.0, 6.0, 0.8])
def test_slow_reversals_are_motions_but_for_their_instant(tmp_path, robot, bend):
    """Of ``q = bend t^2 / 2`` a speed is 0 only where the window moves, or the speed would, less
    than 0.005 deg; else exact.
    """
    t = np.arange(-400, 401) * 0.001
    q = np.tile(np.radians([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]), (len(t), 1))
    q[:, 3] += np.radians(0.5 * bend * t**2)
    write_motion(tmp_path / "m.csv", Motion(t - t[0], q), robot)
    v = np.degrees(whole(open_motion(tmp_path / "m.csv", robot))[2][:, 3])
    half, inner = 0.040, slice(100, -100)  # 81 samples
    speed, far, near = bend * t, np.abs(t) + half, np.maximum(np.abs(t) - half, 0.0)
    moved, would = 0.5 * bend * (far**2 - near**2), np.abs(speed) * 0.081
    rests = (moved <= 0.005) | (would <= 0.005)
    clear = np.minimum(np.abs(moved / 0.005 - 1.0), np.abs(would / 0.005 - 1.0)) > 0.02
    assert not v[inner][(rests & clear)[inner]].any()
    np.testing.assert_allclose(
        v[inner][(~rests & clear)[inner]],
        speed[inner][(~rests & clear)[inner]],
        rtol=1e-3,
        atol=1e-4,
    )
    assert (~rests)[inner].sum() > 100
    assert rests[inner].any()


@pytest.mark.parametrize(("amplitude", "moves"), [(1.0, True), (0.0023, False)])
def test_an_oscillation_as_long_as_the_window_is_a_motion_by_its_range(
    tmp_path, robot, amplitude, moves
):
    """Its ends of the window lie together though it reverses within; one of 0.0046 deg in all is
    noise, however steep.
    """
    t = np.arange(801) * 0.001
    q = np.tile(np.radians([0.0, 20.0, 10.0, 0.0, 30.0, 0.0]), (len(t), 1))
    # 80 steps, from end to end of 81 samples
    q[:, 3] += np.radians(amplitude * np.sin(2.0 * np.pi * t / 0.080))
    write_motion(tmp_path / "m.csv", Motion(t, q), robot)
    v = whole(open_motion(tmp_path / "m.csv", robot))[2][100:-100, 3]
    assert (np.mean(v != 0.0) > 0.9) == moves
    assert v.any() == moves
