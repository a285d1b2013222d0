"""The commands identify and validate."""

import json
import re

import jsonschema
import numpy as np
import pytest
import verdict_cases as cases
import yaml

import irbmodels as irb
from irbmodels.cli.identification import asked_springs
from irbmodels.cli.schema import schema_of


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """Two good logs, one that hardly moves, and what is identified from the good ones."""
    place = tmp_path_factory.mktemp("logs")
    cases.log(1).save(place / "one.csv")
    cases.log(2).save(place / "two.csv")
    cases.log(1, scale=(0.02,) * 6).save(place / "small.csv")
    cases.log(1, scale=(1.0, 1.0, 1.0, 0.0, 1.0, 1.0)).save(place / "stands.csv")
    return place


ARM = ("--robot", "irb2400", "--tool", "spindle")


def record_of(ran):
    """Exit code and the object that a command printed, which is of its schema."""
    record = json.loads(ran[1])
    schema = schema_of(record["command"])
    jsonschema.validate(record, schema, jsonschema.Draft202012Validator)
    return ran[0], record


def test_from_logs_to_a_set(folder, run, tmp_path):
    """Good logs: exit code 0, tables, a report, and a set that validate and urdf take."""
    path, page = tmp_path / "set.yaml", tmp_path / "out.html"
    code, out, err = run(
        "identify",
        folder / "one.csv",
        folder / "two.csv",
        *ARM,
        "--parameters",
        "jia2018",
        "-o",
        path,
        "--report",
        page,
    )
    assert code == 0, err
    assert "RMSE/AVG %" in out
    assert "one.csv: the last 25% of the log, from t = 9" in err
    assert "\nbandwidth 10 Hz: usual; 6.67" in err
    assert re.search(
        r"^torques are logged later than positions by -?0\.\d+ \+- ", err, re.MULTILINE
    )
    assert f"wrote {path}" in err
    assert f"wrote {page}" in err
    assert err.rstrip().endswith("5 reference, 6 reference)")
    assert page.read_text().startswith("<!DOCTYPE html>")
    robot = irb.load("irb2400", tool="spindle", parameters=path)
    # the file has 12 digits of q
    np.testing.assert_allclose(robot.parameter_vector(), cases.good().parameters.vector, atol=0.02)
    code, out, err = run("validate", folder / "two.csv", *ARM, "--parameters", path)
    assert code == 0, err
    assert "base parameter" not in out
    printed = [row.split()[2] for row in out.splitlines() if row.rstrip().endswith("reference")]
    record = record_of(run("validate", folder / "two.csv", *ARM, "--parameters", path, "--json"))[1]
    errors = [one["held_out"]["rmse_N_m"] for one in record["verdict"]["axes"]]
    assert [f"{error:.2f}" for error in errors] == printed
    assert len(errors) == 6
    code, out, err = run(
        "validate",
        folder / "two.csv",
        *ARM,
        "--parameters",
        path,
        "--delay",
        "3.5",
        "--bandwidth",
        "8",
    )
    assert "torques are taken as logged 3.5 ms later than positions" in err
    assert "bandwidth" not in err
    words = (folder / "two.csv", *ARM, "--parameters", path, "--bandwidth", "8")
    code, out, err = run("validate", *words, "--delay", "3.5,3.5,3.5,3.5,1.5,3.5")
    assert "torques are taken as logged 3.5 ms later than positions" in err
    assert err.count("moved by") == 1
    assert "torques of axis 5 moved by -2 ms to earlier times" in err
    log, other = folder / "two.csv", "irb1600"
    for words in (("validate", log, "--robot", other), ("urdf", other), ("torque", other, log)):
        code, out, err = run(*words, "--parameters", path)
        assert (code, out) == (2, "")
        assert re.search(
            r"^error: .*set\.yaml: robot: the numbers are those of irb2400_16, not of"
            r" irb1600_6_120",
            err,
        )
    code, _, err = run(
        "urdf", "irb2400", "--tool", "spindle", "--parameters", path, "-o", tmp_path / "arm.urdf"
    )
    assert code == 0, err
    arm, state = irb.from_urdf(tmp_path / "arm.urdf"), np.full(6, 0.3)
    # carriers of 1e-6 kg
    np.testing.assert_allclose(arm.gravity(state), robot.gravity(state), atol=1e-3)
    assert np.abs(arm.gravity(state) - cases.prior().gravity(state)).max() > 1.0


def test_a_poor_set_is_written_and_marked(folder, run, tmp_path):
    """Too little motion: exit code 1, reasons on stderr, a set that says so in its file."""
    path = tmp_path / "set.yaml"
    code, out, err = run("identify", folder / "small.csv", *ARM, "-o", path, "--json")
    record = record_of((code, out, err))[1]
    assert code == 1
    assert "- the condition number is" in err
    assert ": level " in err.splitlines()[-1]
    assert f"wrote {path}" in err
    table = yaml.safe_load(path.read_text())["identified"]
    assert table["level"] in ("poor", "wrong")
    assert any("condition number" in reason for reason in table["reasons"])
    assert (record["level"], record["reasons"]) == (table["level"], table["reasons"])
    assert record["verdict"]["condition"] > 100.0


def test_logs_that_tell_nothing_write_nothing(folder, run, tmp_path):
    """An axis that stands: exit code 1, one reason, no set; without it, a set of the others."""
    path = tmp_path / "set.yaml"
    code, out, err = run("identify", folder / "stands.csv", *ARM, "-o", path, "--json")
    assert record_of((code, out, err))[1]["verdict"] is None
    assert code == 1
    assert "level wrong: no sample of axis 4 can be used" in err
    assert not path.exists()
    code, out, _ = run("identify", folder / "stands.csv", *ARM, "-o", path, "--axes", "1,2,3,5,6")
    assert code == 0
    assert "\n 4 " not in out
    law = irb.load("irb2400", tool="spindle", parameters=path).friction_model
    assert law.Fc[3] == 7.9  # Tab. 5 of S000: kept
    assert law.measured_to == 0.5  # rad/s: kept too, for it


def test_logs_may_be_held_out_whole(folder, run):
    code, _, err = run(
        "identify", folder / "one.csv", *ARM, "--held-out", folder / "two.csv", "--method", "ls"
    )
    assert "held out, " not in err
    assert "the last" not in err
    used = int(err[: err.index(" samples for the fit")].split("\n")[-1])
    assert used > 2700  # of 3000
    assert code in (0, 1)


def test_a_wrong_tool_fails_a_validation(folder, run, tmp_path):
    """Without its tool the set does not predict the log: exit code 1, the axes and their errors on
    stderr, and the report.
    """
    code, _, err = run(
        "validate", folder / "one.csv", "--robot", "irb2400", "--report", tmp_path / "v.html"
    )
    assert code == 1
    assert "kg more on the flange than the robot carries" in err
    assert "level wrong" in err
    assert "verdict bad" in (tmp_path / "v.html").read_text()


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("identify", "none.csv", *ARM), "none.csv"),
        (("identify", "{}/one.csv", *ARM, "-o", "set.json"), "a set of parameters is a .yaml file"),
        (
            ("identify", "{}/one.csv", *ARM, "--method", "best"),
            "--method 'best' is none of consistent, huber, wls, ls",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--axes", "one"),
            "--axes 'one' is not a comma separated list",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--axes", "7"),
            "axes of irb2400_16 are numbers from 1 to 6",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--bandwidth", "200"),
            "a cutoff [Hz] is positive and below half the rate",
        ),
        (("identify", "{}/one.csv", "--robot", "irb2401"), "no robot 'irb2401'"),
        (
            ("identify", "{}/one.csv", *ARM, "--report", "{}/one.csv"),
            "is an input of this command; write to another file",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--report", "a.yaml", "-o", "a.yaml"),
            "cannot be both the set and the report",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--held-out", "{}/../{base}/one.csv"),
            "one.csv is given twice",
        ),
        (("identify", "{}/one.csv", "{}/one.csv", *ARM), "one.csv is given twice"),
        (("validate", "{}/one.csv", "{}/one.csv", *ARM), "one.csv is given twice"),
        (
            ("identify", "{}/one.csv", *ARM, "--seed", "-1"),
            "the seed must be a whole number, at least 0, got -1",
        ),
        (
            ("identify", "{}/one.csv", *ARM, "--axes", "1"),
            "axes other than 1 must each stand at one place",
        ),
        (
            ("identify", "{}/rows.csv", *ARM, "--held-out", "{}/one.csv"),
            "a log of three samples or more to stand out of, not 2",
        ),
        (
            ("identify", "{}/brief.csv", *ARM),
            "of each log the last quarter is held out unless --held-out names others",
        ),
        (("identify", "{}/brief.csv", *ARM), "brief.csv, from t = "),
        (
            ("validate", "{}/rows.csv", *ARM, "--bandwidth", "-1"),
            "the bandwidth [Hz] must be a positive finite number, got -1.0",
        ),
        (("validate", "{}/brief.csv", *ARM, "--bandwidth", "1"), "(the cutoff is --bandwidth)"),
        (
            ("validate", "{}/one.csv", *ARM, "--delay", "nan"),
            "error: --delay 'nan' is not one delay in ms, or 6 of them",
        ),
        (("validate", "{}/one.csv", *ARM, "--delay", "1,2"), "error: --delay '1,2' is not one"),
        (("validate", "{}/one.csv", *ARM, "--delay", "1,2,3,4,5,x"), "for axes 1 to 6 of irb2400"),
        (("identify", "{}/one.csv", *ARM, "--delay", ""), "error: --delay '' is not one delay"),
        (("validate", "{}/one.csv", *ARM, "--parameters", "none.yaml"), "none.yaml"),
        (("validate", "{}/broken.csv", *ARM), "broken.csv"),
        (("validate", "{}/silent.csv", *ARM), "no torques"),
    ],
)
def test_bad_input_is_one_line(folder, run, words, message):
    (folder / "broken.csv").write_text("t,q1_deg\n0,1\n")
    cases.log(1).changed(tau=None).save(folder / "silent.csv")
    cases.log(1).select(slice(0, 2)).save(folder / "rows.csv")
    cases.log(1).select(slice(0, 150)).save(folder / "brief.csv")
    code, _, err = run(*(word.format(folder, base=folder.name) for word in words))
    assert code == 2
    assert message in err
    assert len(err.strip().splitlines()) == 1


@pytest.mark.parametrize(
    ("texts", "none", "message"),
    [
        (("2=gas",), True, "exclude each other"),
        (("gas",), False, "no axis with a kind"),
        (("2=gas", "2=coil"), False, "each axis once"),
    ],
)
def test_springs_that_are_asked_for_are_axes_with_kinds(texts, none, message):
    """One line says what is right; axes and kinds themselves are looked at by ``identify``."""
    with pytest.raises(irb.InputError, match=message):
        asked_springs(texts, none)
    assert asked_springs(("2=gas", "3= offset"), False) == {2: "gas", 3: "offset"}
    assert asked_springs((), True) is False
    assert asked_springs((), False) is True
