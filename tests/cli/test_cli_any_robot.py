"""The commands identify and validate with robots that no table knows."""

import any_arms as arms
import numpy as np
import pytest

import irbmodels as irb


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
    assert "axis 1: RMSE is" in err


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
