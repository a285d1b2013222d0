import importlib.util
import json
import re
import subprocess
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"


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


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_comparisons_of_sets_are_those_of_the_script(name, loaded):
    """READMEs of families have the script's torques: with 900 of its 5000 states, too few to compile anything, within 15 %."""
    script = loaded("compare_sets")
    page = (SCRIPTS.parent / "urdf" / irb.describe(name).family / "README.md").read_text(encoding="utf-8")
    shown = dict(re.findall(r"^\| (.*?) \| (.*) \|$", page, re.MULTILINE))
    rows = dict(script.compare(name, *script.SETS[name][0], count=900))
    compared = set(rows) & set(shown)
    assert len(compared) >= 2
    for label in compared:
        cells = [Decimal(cell.strip()) for cell in shown[label].split("|")]
        numbers = np.array([float(cell) for cell in cells])
        digit = np.array([10.0 ** int(cell.as_tuple().exponent) for cell in cells])
        assert (np.abs(rows[label] - numbers) <= 0.15 * numbers + 0.5 * digit).all(), label


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400"])
def test_what_a_lumped_set_gets_wrong_is_on_its_page(name, loaded):
    """M11 and M23 are off by what the README says; everything else of the mass matrix is that of the set with bars."""
    robots = [irb.load(name, parameters=parameters) for parameters in ("cad", "cad_lumped")]
    page = " ".join((SCRIPTS.parent / "urdf" / robots[0].description.family / "README.md").read_text(encoding="utf-8").split())
    m23, m11 = map(float, re.search(r"M23 by at most ([\d.]+) kg m\^2.*?M11 by at most ([\d.]+) kg m\^2", page).groups())
    first, second = loaded("compare_sets").lumped(name)
    off = np.abs(first - second).max(axis=0)
    assert (round(off[0, 0], 2), round(off[1, 2], 2)) == (m11, m23)
    off[0, 0] = off[1, 2] = off[2, 1] = 0.0
    np.testing.assert_allclose(off, 0.0, atol=1e-7)


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


def test_benchmark_runs(tmp_path):
    """A quick run of the benchmark finishes and fills in every part of its JSON; how fast it was proves nothing."""
    command = [
        sys.executable,
        SCRIPTS / "benchmarks" / "benchmark.py",
        "--quick",
        "--json",
        tmp_path / "b.json",
        "--figure",
        tmp_path / "b.png",
    ]
    shown = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    told = json.loads((tmp_path / "b.json").read_text(encoding="utf-8"))
    assert told["quick"]
    assert told["machine"]["processor"]
    assert told["machine"]["versions"]["pin"]
    for claim in told["claims"]:
        assert claim["holds"] == (claim["reached"] >= claim["bound"] if claim["at_least"] else claim["reached"] <= claim["bound"])
        assert claim["what"] in shown
    assert {claim["unit"] for claim in told["claims"]} == {"x", "s", "MB"}
    assert {"irbmodels", "pin", "mujoco", "drake", "roboticstoolbox"} <= {timing["who"] for timing in told["timings"]}
    assert all(timing["ns"] > 0.0 for timing in told["timings"])
    assert told["numbers"]["one core"]["fused multiply-adds per ns"] > 0.0
    assert (tmp_path / "b.png").stat().st_size > 10_000


def test_contestants_take_turns(monkeypatch):
    """Everybody runs once per round, in the same order, and the median counts."""
    monkeypatch.syspath_prepend(SCRIPTS / "benchmarks")
    from bench.races import QUICK, Contestant, race

    ran = []
    contestants = [Contestant("", name, lambda name=name: ran.append(name), 10) for name in "ab"]
    times = race(contestants, QUICK._replace(rounds=5, turn=0.0))
    assert "".join(ran) == "aaabbb" + "ab" * 5  # three runs to warm up
    assert all(0.0 < ns < 1e6 for ns in times)


def test_a_claim_holds_at_its_bound(monkeypatch):
    """A bound that is just reached is kept, in both directions."""
    monkeypatch.syspath_prepend(SCRIPTS / "benchmarks")
    from bench.races import Claim

    for at_least, reached, holds in ((True, 2.0, True), (True, 1.9, False), (False, 2.0, True), (False, 2.1, False)):
        assert Claim("", "", None, None, reached, 2.0, at_least, "x").holds is holds
