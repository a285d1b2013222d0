"""Sample files of other loggers (tests/data/logs, with their origin): each holds the same motion."""

import re
from importlib.util import find_spec
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import read_recording

SAMPLES = Path(__file__).resolve().parents[1] / "data" / "logs"
COUNT = 25
T = 0.02 * np.arange(COUNT)
Q = np.array([10.0, 20.0, 15.0, 40.0, 30.0, 60.0]) * np.sin(2.0 * T[:, None] + np.arange(6))
TAU = 5.0 * np.cos(7.0 * T[:, None]) + np.arange(6)
KEPT = {
    "motion_program_exec.bin": {"cmdnum"},
    "egm_state.mat": {"motors_on", *(f"torque_ref[{i}]" for i in range(1, 7))},
}


@pytest.fixture(scope="module")
def robot():
    return irb.load("irb2400")


@pytest.mark.parametrize(
    "file", sorted(path.name for path in SAMPLES.iterdir() if path.suffix != ".md")
)
def test_samples_are_read_without_a_mapping(robot, file):
    """Six digits after the point, or seven digits of a float of 32 bits."""
    if file.endswith(".h5"):
        pytest.importorskip("h5py")
    assert file in (SAMPLES / "README.md").read_text(encoding="utf-8")
    log = read_recording(SAMPLES / file, robot)
    np.testing.assert_allclose(log.t, T, atol=1e-7)
    np.testing.assert_allclose(log.q, np.radians(Q), atol=1e-7)
    if file in KEPT:  # of messages and logs without torques
        assert log.tau is None
    else:
        np.testing.assert_allclose(log.tau, TAU, atol=1e-6)
    assert set(log.extra) == KEPT.get(file, set())
    expected = "\n".join(
        ["row 1, column 'gains': is no column of numbers ('array of shape (6,)') and is left out"]
        * (file == "arrays.h5")
    )
    assert "\n".join(map(str, log.findings)) == expected


LONG = "t,axis,q_deg\n" + "".join(f"{t:.2f},{i},{t + i}\n" for t in T for i in range(1, 7))


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("a.h5", b"", "the file is empty"),
        ("a.h5", b"t,q1_deg\n0,1\n", "is no HDF5 file"),
        ("a.mat", b"MATLAB 5.0 MAT-file" + bytes(200), "cannot be read as a MATLAB file:"),
        ("a.mat", bytes(200), "cannot be read as a MATLAB file: Mat file appears to be corrupt"),
        ("a.csv", "t,axis\n0,1\n0,2\n", "column 'q1_deg' is missing"),
        ("a.bin", b"\0" * 40, "is no log of abb_motion_program_exec"),
        ("a.bin", np.float32([10011, 90]).tobytes() + b"12345", "the header of the log is damaged"),
        (
            "a.csv",
            LONG.replace("0.04,2,", "0.02,2,"),
            "row 15, column 't': row 9 has the same time",
        ),
        (
            "a.csv",
            LONG.replace("0.04,2,", "0.04,2.5,"),
            "row 15, column 'axis': 2.5 is no number of",
        ),
        ("a.csv", LONG.replace("0.04,2,", "0.04,,"), "row 15: no time, axis or signal"),
        ("a.csv", LONG.replace(",2,", ",9,"), "column 'q2_deg' is missing"),
        (
            "a.csv",
            "t,signal,value\n" + "".join(f"{i / 50:.2f},q{1 + i % 6}_deg,1\n" for i in range(60)),
            "only 17% have a value: they have times of their own",
        ),
    ],
)
def test_bad_files_are_refused(tmp_path, robot, name, content, message):
    path = tmp_path / name
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    with pytest.raises((irb.MotionError, irb.FileError), match=re.escape(message)) as caught:
        read_recording(path, robot)
    assert "\n" not in str(caught.value)


def test_arrays_of_matlab_that_are_no_log(tmp_path, robot):
    """Nothing that is a number; columns without a unit; files that are cut off."""
    from scipy.io import savemat

    savemat(tmp_path / "a.mat", {"note": "text"})
    with pytest.raises(
        irb.MotionError, match=r"no arrays of numbers; tables and timeseries of MAT"
    ):
        read_recording(tmp_path / "a.mat", robot)
    savemat(tmp_path / "a.mat", {"t": T, "q": Q})
    with pytest.raises(irb.MotionError, match=r"column 'q1_deg' is missing \(columns: t, q\[1\],"):
        read_recording(tmp_path / "a.mat", robot)
    log = read_recording(tmp_path / "a.mat", robot, {f"q{i}_deg": f"q[{i}]" for i in range(1, 7)})
    np.testing.assert_allclose(log.q, np.radians(Q), atol=1e-12)
    # gains outnumber the columns, a time is in a struct of its own
    gains = {f"gain{i}": np.zeros(6) for i in range(9)}
    savemat(tmp_path / "a.mat", gains | {"clock": {"tick": T}, "q_deg": Q.T, "tau_Nm": TAU})
    columns = read_recording(tmp_path / "a.mat", robot, {"t": "clock/tick"})
    np.testing.assert_allclose(columns.q, np.radians(Q), atol=1e-12)
    np.testing.assert_allclose(columns.tau, TAU, atol=1e-12)
    content = (SAMPLES / "egm_state.mat").read_bytes()
    for cut in range(130, len(content), 97):  # no file that is cut off leaves a traceback
        (tmp_path / "a.mat").write_bytes(content[:cut])
        with pytest.raises(irb.MotionError):
            read_recording(tmp_path / "a.mat", robot)


def test_a_cell_of_200_kb_is_no_table(tmp_path, robot):
    """What is no table of numbers is refused, not a traceback of the reader of CSV."""
    (tmp_path / "log.txt").write_text('"' + "1," * 100_000 + "\n")
    with pytest.raises(irb.MotionError, match=r"holds numbers|is missing|one cell"):
        read_recording(tmp_path / "log.txt", robot)


@pytest.mark.skipif(find_spec("h5py") is None, reason="could not import 'h5py'")
def test_damaged_and_huge_stores(tmp_path, robot):
    """A file that is cut off, and an array of 48 GB in a file of a few bytes."""
    import h5py

    content = (SAMPLES / "arrays.h5").read_bytes()
    for cut in range(10, len(content), 997):
        (tmp_path / "a.h5").write_bytes(content[:cut])
        with pytest.raises(irb.MotionError, match="cannot be read as an HDF5 file"):
            read_recording(tmp_path / "a.h5", robot)
    with h5py.File(tmp_path / "a.h5", "w") as store:
        store["t"] = T
        store.create_dataset("q_deg", (10**9, 6), dtype="f8", chunks=(1000, 6))
    with pytest.raises(irb.MotionError, match=r"array 'q_deg' has the shape .*, too large"):
        read_recording(tmp_path / "a.h5", robot)
