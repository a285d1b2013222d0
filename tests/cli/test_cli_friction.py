"""The commands friction-plan and friction-fit: from strokes to an overlay, on logs whose torques
are written by hand.
"""

import json
from contextlib import redirect_stderr, redirect_stdout
from io import StringIO

import jsonschema
import numpy as np
import pytest
from numpy import cos, deg2rad, exp, sign

import irbmodels as irb
from irbmodels.cli import main
from irbmodels.cli.schema import schema_of
from irbmodels.rapid import read, values_of

LAW = {"Fs": 41.0, "Fc": 29.0, "Fv": 12.5, "v_St": 0.006}  # of no robot
PLAN = ("friction-plan", "irb2400", "--tool", "spindle", "--axis", "2", "--count", "12")


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("friction")


@pytest.fixture(scope="module")
def planned(folder):
    """Columns of the motion that is planned, and what was printed."""
    out, err = StringIO(), StringIO()
    words = ("-o", folder / "plan.csv", "--rapid", folder / "Friction2.mod", "--json")
    with redirect_stdout(out), redirect_stderr(err):
        assert main([*PLAN, *map(str, words)]) == 0
    columns = np.genfromtxt(folder / "plan.csv", delimiter=",", names=True)
    return columns, json.loads(out.getvalue()), err.getvalue()


def log_of(columns, path, falls=True):
    """Write a log as the module does, of positions and the torque of one axis: gravity and the
    law by hand, with the temperature of the drive.
    """
    v, q = deg2rad(columns["v2_deg_s"]), deg2rad(columns["q2_deg"])
    drop = (LAW["Fs"] - LAW["Fc"]) * exp(-((v / LAW["v_St"]) ** 2)) if falls else 0.0
    tau = 700.0 * cos(q + 0.4) + (LAW["Fc"] + drop) * sign(v) + LAW["Fv"] * v
    names = ["t", *(f"q{i}_deg" for i in range(1, 7))]
    table = [*(columns[name] for name in names), tau, 31.0 + 0.0 * tau]
    header = ",".join([*names, "tau2_Nm", "temp2_degC"])
    every = slice(None, None, 10)  # 25 Hz
    np.savetxt(path, np.array(table).T[every], delimiter=",", header=header, comments="")


def test_strokes_go_both_ways_at_the_speeds_that_are_listed(planned, folder):
    """The motion has each speed forwards and backwards for 1.5 s or 2 mrad, others stand; the
    module strokes as far, in the same times.
    """
    columns, record, err = planned
    v = deg2rad(columns["v2_deg_s"])
    module = read((folder / "Friction2.mod").read_text())
    numbers = values_of(module, "num")
    assert [one["speed_rad_s"] for one in record["strokes"]] == pytest.approx(
        np.geomspace(1e-4, 0.5, 12)
    )
    for k, one in enumerate(record["strokes"]):
        speed = one["speed_rad_s"]
        for way in (1.0, -1.0):
            steady = np.count_nonzero(np.abs(v - way * speed) < 1e-9) / 250.0
            assert steady == pytest.approx(max(1.5, 2e-3 / speed), abs=0.02)
        assert 2.0 * deg2rad(numbers[f"half{{{k + 1}}}"]) == pytest.approx(
            one["stroke_rad"], rel=1e-6
        )
        assert numbers[f"seconds{{{k + 1}}}"] == pytest.approx(one["seconds"], rel=1e-6)
    still = ["q1_deg", "q3_deg", "q4_deg", "q5_deg", "q6_deg"]
    assert all(np.ptp(columns[name]) == 0.0 for name in still)
    assert columns["t"][-1] == pytest.approx(record["duration_s"])
    assert "temp2_degC" in err
    assert "friction-fit friction_axis2.csv --robot irb2400" in err


def test_the_fit_finds_the_law_of_a_log_and_the_overlay_carries_it(planned, folder, run):
    """To 1e-4 of each number, under 700 N m of gravity; other axes keep theirs."""
    log_of(planned[0], folder / "friction_axis2.csv")
    words = ("--robot", "irb2400", "-o", folder / "own.yaml", "--figure", folder / "f.svg")
    code, out, err = run("friction-fit", folder / "friction_axis2.csv", *words, "--json")
    assert code == 0, err
    record = json.loads(out)
    jsonschema.validate(record, schema_of("friction-fit"), jsonschema.Draft202012Validator)
    (fit,) = record["axes"]
    keys = {"Fs": "Fs_N_m", "Fc": "Fc_N_m", "Fv": "Fv_N_m_s", "v_St": "v_St_rad_s"}
    for name, key in keys.items():
        assert fit[key] == pytest.approx(LAW[name], rel=1e-4)
    assert (fit["axis"], fit["points"]) == (2, 12)
    assert fit["conditions"]["temp2_degC"] == [31.0, 31.0]
    assert (folder / "f.svg").stat().st_size > 1000
    law, before = (
        irb.load("irb2400", overlays=files).friction_model for files in ([folder / "own.yaml"], [])
    )
    for name in keys:
        own, old = getattr(law, name), getattr(before, name)
        assert own[1] == pytest.approx(LAW[name], rel=1e-4)
        np.testing.assert_array_equal(np.delete(own, 1), np.delete(old, 1))


def test_a_log_that_does_not_tell_the_law_writes_no_overlay(planned, folder, run):
    """Without a drop from Fs to Fc both are not known: exit code 1. Two axes that move: refused."""
    columns = planned[0].copy()
    log_of(columns, folder / "flat.csv", falls=False)
    words = ("--robot", "irb2400", "-o", folder / "flat.yaml")
    code, out, err = run("friction-fit", folder / "flat.csv", *words)
    assert (code, (folder / "flat.yaml").exists()) == (1, False)
    assert "unknown" in out
    assert "flat.csv:" in err
    columns["q1_deg"] = columns["q2_deg"]
    log_of(columns, folder / "both.csv")
    code, _, err = run("friction-fit", folder / "both.csv", *words)
    assert (code, err.count("\n")) == (2, 1)
    assert "moves one axis and holds the others" in err


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--axis", "7"), "axis"),
        (("--fastest", "400"), None),  # the limit is 150 deg/s: it is kept
        (("--slowest", "40", "--fastest", "30"), "a grid needs 0 < slowest < fastest"),
        (("--steady", "1", "--rapid", "F.mod"), "14 are needed"),
        (("--rapid", "F.txt"), "a RAPID module ends in .mod"),
    ],
)
def test_plans_that_cannot_be_are_refused_in_one_line(words, message, run, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    code, _, err = run(*PLAN, *words)
    assert not list(tmp_path.iterdir())
    if message is None:
        assert code == 0
    else:
        assert (code, err.count("\n")) == (2, 1)
        assert message in err


def test_without_masses_the_posture_is_given_and_gravity_unknown(run):
    words = ("friction-plan", "irb8700", "--axis", "2", "--count", "6", "--json")
    code, _, err = run(*words)
    assert (code, err.count("\n")) == (2, 1)
    assert "no masses of irb8700_800_350 are known" in err
    code, out, err = run(*words, "--posture-deg", "0,0,0,0,0,0")
    assert (code, json.loads(out)["gravity_N_m"]) == (0, [None, None])
    assert "gravity, which is unknown, cancels" in err


def test_a_linear_axis_has_strokes_within_its_range(run):
    """In mm/s, and half the range of 300 mm at most."""
    code, out, err = run("friction-plan", "irb930", "--axis", "3", "--count", "6", "--json")
    record = json.loads(out)
    assert code == 0, err
    assert max(one["stroke_rad"] for one in record["strokes"]) == pytest.approx(0.15)
    assert record["strokes"][0]["speed_rad_s"] == pytest.approx(1e-4)
