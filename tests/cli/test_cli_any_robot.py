"""The commands identify and validate with robots that no table knows."""

import any_arms as arms
import numpy as np
import pytest

import irbmodels as irb
from irbmodels.exchange.write.urdf import annotated_urdf
from irbmodels.model.springs import TorqueOffset


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    place = tmp_path_factory.mktemp("any")
    for seed, name in ((1, "one"), (2, "two")):
        arms.log(seed).save(place / f"{name}.csv")
    (place / "arm.urdf").write_text(arms.urdf())
    return place


def test_a_urdf_without_limits_is_identified(folder, run, tmp_path):
    """No ranges, speeds, efforts: nothing is said of them, and the level is that of the errors."""
    page = tmp_path / "page.html"
    code, out, err = run(
        "identify", folder / "one.csv", folder / "two.csv", "--robot", folder / "arm.urdf",
        "--report", page,
    )  # fmt: skip
    assert code == 0, err
    assert "of the range" not in err
    assert "rated speed" not in err
    assert "nan" not in out + page.read_text()


def test_a_urdf_without_friction_does_not_predict(folder, run):
    code, _, err = run("validate", folder / "one.csv", "--robot", folder / "arm.urdf")
    assert code == 1
    assert "level wrong (axes: 1 wrong" in err


@pytest.mark.parametrize("to", ["mjcf", "sdf"])
def test_mjcf_and_sdf_give_what_the_urdf_gives(folder, run, tmp_path, to):
    arm = irb.from_urdf(folder / "arm.urdf")
    (file, *_) = irb.export(arm, to, tmp_path)
    words = ("identify", folder / "one.csv", "--method", "wls", "--robot")
    code, same, err = run(*words, folder / "arm.urdf")
    assert code == 0, err
    code, out, err = run(*words, file)
    assert code == 0, err
    numbers = [np.array([float(x) for x in text.split() if _is_number(x)]) for text in (out, same)]
    assert len(numbers[0]) > 50
    np.testing.assert_allclose(*numbers, rtol=2e-3, atol=2e-3)


def _is_number(text):
    return text.replace(".", "", 1).lstrip("-").isdigit()


def test_a_set_and_a_urdf_are_written_and_taken_by_commands(folder, run, tmp_path):
    """The set predicts as the URDF and its friction do, in every command that takes a robot file."""
    words = (folder / "one.csv", folder / "two.csv", "--robot", folder / "arm.urdf")
    path, urdf = tmp_path / "set.yaml", tmp_path / "repaired.urdf"
    code, _, err = run("identify", *words, "-o", path, "--urdf", urdf)
    assert code == 0, err
    assert f"wrote {path}\nwrote {urdf}" in err
    assert "Left out" not in urdf.read_text()
    assert "<!-- Written by irbmodels identify one.csv, two.csv. -->" in urdf.read_text()
    tables = []
    for robot in ((folder / "arm.urdf", "--parameters", path), (urdf,)):
        code, out, err = run("validate", folder / "two.csv", "--robot", *robot)
        assert code == 0, err
        tables.append([float(word) for word in out.split() if _is_number(word)][:20])
    np.testing.assert_allclose(*tables, atol=0.02)
    code, out, err = run("export", folder / "arm.urdf", "--to", "urdf", "-o", tmp_path / "out",
                         "--parameters", path)  # fmt: skip
    assert code == 0, err
    arm = irb.from_urdf(folder / "arm.urdf", parameters=path)
    copy = irb.from_urdf(tmp_path / "out" / "digger.urdf")
    state = np.array([0.3, -0.4, 0.5])
    np.testing.assert_allclose(copy.gravity(state), arm.gravity(state), rtol=1e-12)


def test_what_a_urdf_cannot_say_is_named_in_it(folder, run, tmp_path):
    """A spring, a static friction and rotors stay in the set of parameters."""
    law = irb.Stribeck(arms.Fc + 2.0, arms.Fc, arms.Fv, np.full(3, 0.2))
    coupled = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.5, 1.0]])
    arm = irb.from_urdf(folder / "arm.urdf").with_friction(law).with_rotors([0.0, 0.2, 0.1])
    text = annotated_urdf(
        arm.with_drives(coupled).with_springs([TorqueOffset(2, 3.0)]), "Made--so."
    )
    assert "<!-- Made- -so. Left out: friction (Stribeck). Left out: rotor inertias" in text
    assert "0, 0.2, 0.1. Left out: springs: offset_2. -->" in text


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("-o", "a.urdf"), "a set of parameters is a .yaml file, not 'a.urdf'; --urdf writes a"),
        (("--urdf", "{}/arm.urdf"), "is an input of this command; write to another file"),
        (("--urdf", "a.yaml", "-o", "a.yaml"), "cannot be both the set and the URDF"),
        (("--parameters", "cad"), "has no sets by name; --parameters 'cad' should be a .yaml file"),
        (("--parameters", "none.yaml"), "none.yaml"),
        (("--overlay", "{}/arm.urdf"), "has no tables; --overlay is for robots that do"),
    ],
)
def test_bad_options_are_one_line(folder, run, words, message):
    words = [word.format(folder) for word in words]
    code, _, err = run("identify", folder / "one.csv", "--robot", folder / "arm.urdf", *words)
    assert (code, len(err.strip().splitlines())) == (2, 1), err
    assert message in err


def test_options_say_which_columns_are_which(folder, run, tmp_path):
    """A log with other names, units and no time tells the same as one with ours."""
    log, foreign = arms.log(1), tmp_path / "foreign.csv"
    names = [f"angle A{i}" for i in (1, 2, 3)] + [f"torque A{i}" for i in (1, 2, 3)]
    cells = np.column_stack([np.degrees(log.q), -log.tau / 250.0])
    np.savetxt(foreign, cells, delimiter=",", header=",".join(names), comments="", fmt="%.15g")
    rows = [f"q{i}_deg: angle A{i}" for i in (1, 2, 3)]
    rows += [f"tau{i}_Nm: {{column: torque A{i}, scale: -250}}" for i in (1, 3)]
    (tmp_path / "columns.yaml").write_text("\n".join([*rows, "tau2_Nm: angle A2"]))
    np.savetxt(
        tmp_path / "scaled.csv",
        np.column_stack([cells, log.tau[:, 1]]),
        delimiter=",",
        header=",".join([*names, "T2"]),
        comments="",
        fmt="%.15g",
    )
    words = ("identify", "--robot", folder / "arm.urdf", "--method", "ls")
    code, same, err = run(*words, folder / "one.csv")
    assert code == 0, err
    told = ("--columns", tmp_path / "columns.yaml", "--column", "tau2_Nm=T2", "--rate", 200)
    code, out, err = run(*words, tmp_path / "scaled.csv", *told)
    assert code == 0, err
    assert out == same
    code, _, err = run(*words, tmp_path / "scaled.csv", *told[:4])
    assert (code, err.count("\n")) == (2, 1)
    assert "(--rate 250)" in err
    code, _, err = run(*words, foreign, "--rate", 200)
    assert (code, err.count("\n")) == (2, 1)
    assert "column 'q1_deg' of joint 'swing' is missing" in err
    assert "(--column q1_deg='its name here')" in err
    for column in ("tau1_Nm", "=x", "tau1_Nm="):
        code, _, err = run(*words, foreign, "--column", column)
        assert code == 2
        assert "is not NAME=COLUMN" in err


def test_drives_couple_the_robot_and_its_motors(folder, run, tmp_path):
    """Friction of a motor that two axes turn is identified at the motor, and kept in the set."""
    D = np.array([[1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, -0.5, 1.0]])
    arm = arms.truth().with_drives(D)
    arms.log(4, robot=arm).save(tmp_path / "coupled.csv")
    (tmp_path / "drives.yaml").write_text(
        "axes:\n  elbow: {gear_ratio: 60, turned_by: {shoulder: -30}}\n  shoulder: {gear_ratio: 80}"
    )
    words = ("identify", tmp_path / "coupled.csv", "--robot", folder / "arm.urdf")
    path = tmp_path / "set.yaml"
    code, _, err = run(*words, "--drives", tmp_path / "drives.yaml", "-o", path)
    assert code == 0, err
    found = irb.from_urdf(folder / "arm.urdf", parameters=path)
    np.testing.assert_array_equal(found.drive_axes, D)
    np.testing.assert_allclose(found.friction_model.Fc, arms.Fc, atol=0.3)
    code, _, err = run(*words, "--drives", folder / "arm.urdf")
    assert (code, err.count("\n")) == (2, 1)
