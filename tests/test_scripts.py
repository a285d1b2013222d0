import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb

SCRIPTS = Path(__file__).resolve().parent.parent / "scripts"


@pytest.fixture
def loaded(monkeypatch):
    """Return a loader of scripts, which find their neighbours as when they are run."""
    monkeypatch.syspath_prepend(SCRIPTS)

    def load(name):
        spec = importlib.util.spec_from_file_location(name, SCRIPTS / f"{name}.py")
        module = importlib.util.module_from_spec(spec)
        sys.modules[name] = module
        spec.loader.exec_module(module)
        return module

    return load


@pytest.mark.parametrize("name", ["derive_inertials", "derive_limits", "build_urdf"])
def test_committed_files_are_what_the_script_writes(name, loaded, monkeypatch, capsys):
    """Running the generator again changes nothing."""
    monkeypatch.setattr(sys, "argv", [name, "--check"])
    assert loaded(name).main() == 0, capsys.readouterr().out


def test_efforts_cover_what_they_promise(loaded):
    """An assumed effort bound exceeds the gravity torque of every posture tried, and is not a wild one."""
    script = loaded("derive_limits")
    for name in irb.robots():
        robot, bound = irb.load(name), script.bounds(name)
        ruled = robot.limits.effort_assumed  # axis 3 of the 930 is published
        assert (robot.limits.effort >= bound)[ruled].all()
        assert (robot.limits.effort <= 2.5 * bound)[ruled].all()  # rows shared by variants take the largest
        low, high = robot.limits.envelope()
        q = np.random.default_rng(1).uniform(low, high, (200, robot.n))
        assert (np.abs(robot.gravity(q)).max(axis=0) < robot.limits.effort).all()


def test_rounding_up_keeps_two_digits(loaded):
    """Two digits, never below the value."""
    rounded = loaded("derive_limits").rounded_up
    assert [rounded(x) for x in (1234.0, 1200.0, 0.0321, 99.5)] == [1300.0, 1200.0, 0.033, 100.0]
