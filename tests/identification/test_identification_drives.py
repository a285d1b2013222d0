import numpy as np
import pytest

from irbmodels import FileError, InputError, TableError
from irbmodels.identification.recordings import Drives, read_drives, write_drives

AXES, ROTARY = ("base", "elbow", "slide"), (False, False, True)


def drives():
    return Drives(
        ratio=np.array([[101.0, 0.0, 0.0], [0.0, -50.0, 0.0], [2.5, 0.0, 30.0]]),
        gain=np.array([10.5, -8.25, 640.0]),
        gain_deviation=np.array([0.02, 0.0, 0.05]),
        rotor=np.array([1.5e-5, np.nan, np.nan]),
    )


def test_a_file_gives_back_what_was_written(tmp_path):
    """Ratios, coupled motors, signed gains with deviations and rotors come back; what is unknown
    stays so.
    """
    file = write_drives(tmp_path / "drives.yaml", drives(), AXES, ROTARY, "a test", "arm")
    again = read_drives(file, AXES, ROTARY)
    for name in ("ratio", "gain", "gain_deviation", "rotor"):
        np.testing.assert_array_equal(getattr(again, name), getattr(drives(), name))
    text = file.read_text()
    assert "turned_by: {base: 2.5}" in text
    assert "gain_N_A: 640.0" in text


def test_rows_may_be_numbered_and_left_out(tmp_path):
    """axis_2 names the second axis of any robot; axes without a row are unknown."""
    file = tmp_path / "drives.yaml"
    file.write_text("axes: {axis_2: {gain_N_m_A: 7, gain_deviation_percent: 3}}\n")
    read = read_drives(file, AXES, ROTARY)
    np.testing.assert_array_equal(read.gain, [np.nan, 7.0, np.nan])
    np.testing.assert_allclose(read.gain_deviation, [0.0, 0.03, 0.0])
    assert not read.motors.known.any()
    assert np.isnan(read.rotor).all()


def test_a_torque_constant_times_the_gear_ratio_is_a_gain(tmp_path):
    """0.1 N m/A behind -101 turns, and 0.3 N m/A on a pinion of 25 mm, 40 rad/m; with their
    deviations.
    """
    file = tmp_path / "drives.yaml"
    file.write_text(
        "axes:\n"
        "  base: {torque_constant_N_m_A: 0.1, gear_ratio: -101, gain_deviation_percent: 4}\n"
        "  elbow: {gain_N_m_A: 7, gear_ratio: 50}\n"
        "  slide: {torque_constant_N_m_A: 0.3, gear_ratio: 40}\n"
    )
    read = read_drives(file, AXES, ROTARY)
    np.testing.assert_allclose(read.gain, [-10.1, 7.0, 12.0])
    np.testing.assert_allclose(np.sqrt(np.diag(read.gain_covariance)), [0.04, 0.0, 0.0])
    again = read_drives(write_drives(file, read, AXES, ROTARY), AXES, ROTARY)
    np.testing.assert_allclose(again.gain, read.gain)


@pytest.mark.parametrize(
    ("row", "message"),
    [
        ("wrist: {gain_N_m_A: 7}", "'wrist' is no axis of this robot: base, elbow, slide"),
        ("slide: {gain_N_m_A: 7}", "the axis is linear: gain_N_A"),
        ("base: {gain_N_m_A: 0}", "never 0"),
        ("base: {turned_by: {elbow: 1}}", "needs the gear_ratio"),
        ("base: {torque_constant_N_m_A: 1}", "torque_constant_N_m_A: needs the gear_ratio"),
        (
            "base: {torque_constant_N_m_A: 1, gear_ratio: 9, gain_N_m_A: 9}",
            "torque_constant_N_m_A: makes gain_N_m_A: leave that out",
        ),
        ("base: {torque_constant_N_m_A: 1, gear_ratio: 9, gain_N_m_A: 0}", "leave that out"),
        ("base: {torque_constant_N_m_A: 0, gear_ratio: 9}", "never 0"),
        ("base: {gear_ratio: 3, turned_by: {base: 1}}", "names the axis itself"),
        ("base: {gain_N_m_A: 1, gain_deviation_percent: 100}", "from 0 up to 100"),
        ("base: {rotor_inertia_kg_m2: -1}", "negative"),
        ("base: {gain_N_m_A: 7}, axis_1: {gain_N_m_A: 7}", "is the axis of row 'base' too"),
        ("base: {gain: 7}", "gain"),
    ],
)
def test_wrong_rows_are_refused(tmp_path, row, message):
    """Each error of a row is said with the file and the key."""
    file = tmp_path / "drives.yaml"
    file.write_text(f"axes: {{{row}}}\n")
    with pytest.raises(TableError, match=r"drives\.yaml") as refused:
        read_drives(file, AXES, ROTARY)
    assert message in str(refused.value)


def test_wrong_arguments_are_refused(tmp_path):
    """Shapes, deviations and names that cannot be."""
    with pytest.raises(FileError):
        read_drives(tmp_path / "none.yaml", AXES, ROTARY)
    with pytest.raises(InputError, match="a file of drives is"):
        write_drives(tmp_path / "drives.txt", drives(), AXES, ROTARY)
    with pytest.raises(InputError, match="drives of 3 axes"):
        write_drives(tmp_path / "drives.yaml", drives(), AXES[:2], ROTARY[:2])
    nan = np.full(2, np.nan)
    for change, message in (
        ({"rotor": nan[:1]}, "needs shape"),
        ({"gain": np.array([0.0, 1.0])}, "gain of 0"),
        ({"gain_deviation": np.array([0.0, -0.1])}, "standard deviations"),
        ({"rotor": np.array([0.0, -1.0])}, "must not be negative"),
    ):
        with pytest.raises(InputError, match=message):
            Drives(
                **{"ratio": np.diag(nan), "gain": nan, "gain_deviation": np.zeros(2), "rotor": nan}
                | change
            )


def test_correlation_of_gains_is_kept(tmp_path):
    """Gains that one payload told have errors in common; their covariance comes back to the digits
    of the file, and what cannot be one is refused.
    """
    covariance = np.array([[4e-4, 3e-4, 0.0], [3e-4, 9e-4, -1e-4], [0.0, -1e-4, 1e-4]])
    known = drives().with_gains(np.array([10.0, -8.0, 600.0]), covariance)
    np.testing.assert_allclose(known.gain_covariance, covariance, atol=1e-18)
    file = write_drives(tmp_path / "drives.yaml", known, AXES, ROTARY)
    again = read_drives(file, AXES, ROTARY)
    np.testing.assert_allclose(again.gain_covariance, covariance, atol=1e-7)
    text = file.read_text()
    for broken, message in (
        (text.replace("0.5", "5.0"), "the correlation of gains is symmetric"),
        (text.replace("- [1.0]\n", ""), "rows of 1 to 3 numbers"),
    ):
        file.write_text(broken)
        with pytest.raises(TableError, match=message):
            read_drives(file, AXES, ROTARY)
