"""The commands gains and payload, on logs with currents of an arm that no table knows."""

import json

import any_arms as arms
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.identification.recordings import read_drives

GAIN = np.array([12.0, 9.0, 5.0])  # [N m/A]


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Logs without and with a payload of 3 kg, and the arm."""
    place = tmp_path_factory.mktemp("loads")
    carrying = arms.truth().with_payload(irb.payload(3.0, [0.05, 0.0, 0.02]))
    for seed, name, robot in ((1, "bare", None), (2, "loaded", carrying)):
        log = arms.log(seed, robot=robot)
        currents = {f"current{i + 1}_A": x for i, x in enumerate((log.tau / GAIN).T)}
        log.changed(tau=None, extra=currents).save(place / f"{name}.csv")
    (place / "arm.urdf").write_text(arms.urdf())
    return place


def numbers_after(text, head):
    """First two numbers of the row that begins so."""
    row = next(line.split() for line in text.splitlines() if line.split()[: len(head)] == head)
    return [float(word) for word in row[len(head) : len(head) + 2]]


def test_gains_of_one_pair_tell_the_payload_of_currents(folder, run, tmp_path):
    """The file of drives that the first command writes makes torques for the second; true gains
    and the true mass lie in the intervals.
    """
    drives = tmp_path / "drives.yaml"
    pair = (folder / "bare.csv", "--loaded", folder / "loaded.csv", "--robot", folder / "arm.urdf")
    code, out, err = run("gains", *pair, "--payload", "3", "--frame", "tcp", "-o", drives)
    assert code == 0, err
    for i, gain in enumerate(GAIN):
        value, percent = numbers_after(out, [str(i + 1)])
        assert abs(value / gain - 1.0) < 0.015 * percent
        assert percent < 15.0
    assert "known" in out
    assert "\nbandwidth 10 Hz: usual" in err
    assert "torques are logged later than positions by" in err
    written = read_drives(drives, ("swing", "shoulder", "elbow"), (False,) * 3)
    np.testing.assert_allclose(written.gain, GAIN, rtol=0.05)
    assert written.gain_correlation[1, 2] != 0.0
    record = json.loads(run("gains", *pair, "--payload", "3", "--frame", "tcp", "--json")[1])
    gains = [one["gain_N_m_A"] for one in record["axes"]]
    np.testing.assert_allclose(gains, written.gain, rtol=1e-6)
    code, out, err = run("payload", *pair, "--frame", "tcp", "--drives", drives)
    assert code == 0, err
    mass, half = numbers_after(out, ["mass"])
    assert abs(mass - 3.0) < 1.5 * half < 1.0
    x, half = numbers_after(out, ["centre", "x"])
    assert abs(x - 50.0) < 1.5 * half < 60.0
    assert "torques are currents times gains" in err
    words = ("payload", *pair, "--frame", "tcp", "--drives", drives, "--json")
    load = json.loads(run(*words)[1])["load"]
    assert abs(load["mass_kg"] - 3.0) < 1.5 * load["mass_half_width_kg"] < 1.0
    assert load["mass_kg"] == pytest.approx(mass, rel=1e-3)
    assert 1000.0 * load["com_half_width_m"][0] == pytest.approx(half, rel=0.1)


def test_what_is_missing_is_said(folder, run, tmp_path):
    """No torques, no currents, no such payload, no gain."""
    pair = (folder / "bare.csv", "--loaded", folder / "loaded.csv", "--robot", folder / "arm.urdf")
    code, _, err = run("payload", *pair)
    assert code == 2
    assert "no torques" in err
    arms.log(1).save(tmp_path / "torques.csv")
    words = ("--loaded", tmp_path / "torques.csv", *pair[3:], "--payload", "3")
    code, _, err = run("gains", folder / "bare.csv", *words)
    assert code == 2
    assert "no currents: columns current1_A, current2_A, current3_A are missing" in err
    for command in ("gains", "payload"):
        words = (*pair, "--payload", "3") if command == "gains" else pair
        code, _, err = run(command, *words, "--delay", "1,2")
        assert (code, err.splitlines()) == (
            2,
            [
                "error: --delay '1,2' is not one delay in ms, or 3 of them, comma separated, for"
                " axes 1 to 3 of digger"
            ],
        )
    for text, message in (("3,1", "MASS in kg"), ("-3", "positive"), ("much", "number")):
        code, _, err = run("gains", *pair, "--payload", text)
        assert code == 2
        assert message in err
    (tmp_path / "drives.yaml").write_text("axes: {swing: {gain_N_m_A: 12}}\n")
    code, _, err = run("payload", *pair, "--drives", tmp_path / "drives.yaml")
    assert code == 2
    assert "the gain of axis 2 is unknown" in err
    code, _, err = run("gains", *pair, "--payload", "3", "-o", tmp_path / "drives.txt")
    assert code == 2
    assert not (tmp_path / "drives.txt").exists()


def test_a_known_centre_of_the_payload_is_in_millimetres(folder, run):
    """50 mm ahead and 20 mm up, as the payload of the log has it."""
    pair = (folder / "bare.csv", "--loaded", folder / "loaded.csv", "--robot", folder / "arm.urdf")
    words = ("gains", *pair, "--payload", "3,50,0,20", "--frame", "tcp", "--json")
    load = json.loads(run(*words)[1])["load"]
    np.testing.assert_allclose(load["com_m"], [0.05, 0.0, 0.02], atol=1e-9)
