import ast
import importlib
import importlib.util
import io
import json
import re
import sys
from decimal import Decimal
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from rich.progress import Progress

import irbmodels as irb

SCRIPTS = Path(__file__).resolve().parents[2] / "scripts"
BENCHMARKS = SCRIPTS / "benchmarks"


@pytest.fixture
def loaded(monkeypatch):
    """Return a loader of scripts, which find their neighbours as when they are run."""

    def load(name, folder=SCRIPTS):
        monkeypatch.syspath_prepend(folder)
        spec = importlib.util.spec_from_file_location(name, folder / f"{name}.py")
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
    """READMEs of families have the script's torques: with 900 of its 5000 states, too few to
    compile anything, within 15 %.
    """
    script = loaded("compare_sets")
    page = (SCRIPTS.parent / "urdf" / irb.describe(name).family / "README.md").read_text(
        encoding="utf-8"
    )
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
    """M11 and M23 are off by what the README says; everything else of the mass matrix is that of
    the set with bars.
    """
    robots = [irb.load(name, parameters=parameters) for parameters in ("cad", "cad_lumped")]
    page = " ".join(
        (SCRIPTS.parent / "urdf" / robots[0].description.family / "README.md")
        .read_text(encoding="utf-8")
        .split()
    )
    m23, m11 = map(
        float,
        re.search(
            r"M23 by at most ([\d.]+) kg m\^2.*?M11 by at most ([\d.]+) kg m\^2", page
        ).groups(),
    )
    first, second = loaded("compare_sets").lumped(name)
    off = np.abs(first - second).max(axis=0)
    assert (round(off[0, 0], 2), round(off[1, 2], 2)) == (m11, m23)
    off[0, 0] = off[1, 2] = off[2, 1] = 0.0
    np.testing.assert_allclose(off, 0.0, atol=1e-7)


def test_efforts_cover_what_they_promise(loaded):
    """An assumed effort bound exceeds the gravity torque of every posture tried, and is not a wild
    one.
    """
    script = loaded("derive_limits")
    for name in irb.robots():
        robot, bound = irb.load(name), script.bounds(name)
        ruled = robot.limits.effort_assumed  # axis 3 of the 930 is published
        assert (robot.limits.effort >= bound)[ruled].all()
        # rows shared by variants take the largest
        assert (robot.limits.effort <= 2.5 * bound)[ruled].all()
        low, high = robot.limits.envelope()
        q = np.random.default_rng(1).uniform(low, high, (200, robot.n))
        assert (np.abs(robot.gravity(q)).max(axis=0) < robot.limits.effort).all()


def test_rounding_up_keeps_two_digits(loaded):
    """Two digits, never below the value."""
    rounded = loaded("derive_limits").rounded_up
    assert [rounded(x) for x in (1234.0, 1200.0, 0.0321, 99.5)] == [1300.0, 1200.0, 0.033, 100.0]


@pytest.fixture
def results(monkeypatch):
    """Return a benchmark's results that are typed here: a claim that holds, one that does not, and
    two queries.
    """
    monkeypatch.syspath_prepend(BENCHMARKS)
    from bench.races import QUICK, Claim, Results, Timing

    results = Results(QUICK, Progress(disable=True))
    results.timings = [
        Timing("inverse dynamics, N = 64", "pin", "loop over pin.rnea", 2345.6),
        Timing("inverse dynamics, N = 64", "irbmodels", "kernel, N in cache, friction", 20.0),
        Timing("inverse dynamics, engines", "mujoco", "mujoco", 5_000_000.0),
    ]
    results.claims = [
        Claim("inverse dynamics", "pin.rnea loop", 20.0, 2345.6, 117.28, 75.0, True, "x"),
        Claim("memory", "", None, None, 65.5, 64.0, False, "MB"),
    ]
    results.numbers = {"one core": {"fused multiply-adds per ns": 12.3456}}
    results.notes = ["memory: not measured"]
    return results


def test_benchmark_writes_what_was_measured(tmp_path, results, loaded, monkeypatch, capsys):
    """Text, page, JSON and picture hold the same results: fastest first, ratios to the loop, and
    which claim holds.
    """
    script, page = loaded("benchmark", BENCHMARKS), tmp_path / "speed.md"
    page.write_text(f"# Speed\n\n{script.BEGIN}\nold\n{script.END}\n\nbelow\n", encoding="utf-8")
    asked = []
    monkeypatch.setattr(
        script, "measured", lambda quick, console, large: asked.append((quick, large)) or results
    )
    files = {"--json": tmp_path / "b.json", "--figure": tmp_path / "b.png", "--markdown": page}
    monkeypatch.setattr(
        sys,
        "argv",
        ["benchmark", "--quick", *(str(word) for pair in files.items() for word in pair)],
    )
    assert script.main() == 0
    assert asked == [(True, False)]
    shown = capsys.readouterr().out
    rows = [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in shown.splitlines()
        if line.startswith("|")
    ]
    for row in (
        ["inverse dynamics", "pin.rnea loop", "20", "2,346", "117 x", "at least 75 x", "PASS"],
        ["memory", "", "", "", "65.5 MB", "at most 64 MB", "above"],
        ["inverse dynamics, N = 64", "how", "ns per state", "speed / loop over pin.rnea"],
        ["mujoco", "mujoco", "5,000,000", ""],
        ["fused multiply-adds per ns", "12.35"],
    ):
        assert row in rows, shown
    fast, slow = (
        ["irbmodels", "kernel, N in cache, friction", "20", "117 x"],
        ["pin", "loop over pin.rnea", "2,346", "1 x"],
    )
    assert rows.index(slow) == rows.index(fast) + 1
    assert "memory: not measured" in shown
    assert (
        page.read_text(encoding="utf-8")
        == f"# Speed\n\n{script.BEGIN}\n\n{shown.rstrip()}\n\n{script.END}\n\nbelow\n"
    )
    kept = json.loads(files["--json"].read_text(encoding="utf-8"))
    assert kept["quick"]
    assert kept["machine"]["processor"]
    assert kept["machine"]["versions"]["pin"]
    assert [claim["holds"] for claim in kept["claims"]] == [True, False]
    assert kept["timings"][1] == {
        "query": "inverse dynamics, N = 64", "who": "irbmodels", "how": "kernel, N in cache, friction", "ns": 20.0,
    }  # fmt: skip
    assert kept["numbers"]["one core"] == {"fused multiply-adds per ns": 12.3456}
    with Image.open(files["--figure"]) as picture:
        assert len(np.unique(np.asarray(picture.convert("L")))) > 50


def test_a_race_of_the_benchmark_fills_in_its_results(loaded):
    """Every measurement is listed; one simulates, is timed and held against its bound.

    How fast it was proves nothing.
    """
    benchmark = loaded("benchmark", BENCHMARKS)
    from bench.races import QUICK, Results

    planned = []
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Results, "steps", lambda self, steps: planned.extend(steps))
        benchmark.measured(quick=False, console=Console(file=io.StringIO()), large=True)
    names = [name for name, _ in planned]
    assert len(set(names)) == len(names)
    assert {
        "inverse dynamics",
        "regressor",
        "limits",
        "other engines",
        "viewer",
        "roll-outs",
        "memory",
    } <= set(names)
    results = Results(QUICK, Progress(disable=True))
    results.steps([(name, step) for name, step in planned if name == "simulation"])
    assert {timing.who for timing in results.timings} == {"irbmodels"}
    assert len(results.timings) == len(results.claims) == 2
    for timing, claim in zip(results.timings, results.claims, strict=True):
        # 10 s of motion, of which a quick run takes 0.1 s
        assert claim.reached == pytest.approx(1e-9 * timing.ns * 10.0 / 0.1)
        assert claim.unit == "s"


def test_loops_of_the_benchmark_give_what_ours_give(monkeypatch):
    """Pinocchio's loops, coupled and with friction, answer as the robot does in three states."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from bench import arm as loops

    arm, count = loops.Arm(), 3
    robot, states = arm.robot, arm.states(count)
    tree, n = arm.tree(states), robot.n
    poses, jacobians = loops.pose_and_jacobian(
        arm, tree, np.empty((count, 4, 4)), np.empty((count, 6, n))
    )
    derivatives = loops.derivatives(arm, tree, *np.empty((3, count, n, n)))
    regressor = loops.regressor(arm, tree, np.zeros((count, n, robot.parameter_vector().size)))
    for i, state in enumerate(zip(*states, strict=True)):
        q = state[0]
        np.testing.assert_allclose(poses[i], robot.pose(q).homogeneous, rtol=0, atol=1e-12)
        np.testing.assert_allclose(jacobians[i], robot.jacobian(q), rtol=0, atol=1e-12)
        pairs = [
            (loops.mass_matrix(arm, tree, np.empty((count, n, n)))[i], robot.mass_matrix(q)),
            (regressor[i], robot.regressor(*state)),
        ]
        pairs += list(
            zip(
                (each[i] for each in derivatives),
                robot.inverse_dynamics_derivatives(*state),
                strict=True,
            )
        )
        for theirs, ours in pairs:
            np.testing.assert_allclose(theirs, ours, rtol=0, atol=1e-10 * np.abs(ours).max())


@pytest.mark.parametrize("name", ["around", "costs", "identification"])
def test_what_the_benchmark_runs_in_other_processes_can_be_imported(name, monkeypatch):
    """Programs that are kept as text are Python, and every name that they import exists."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    texts = [
        text
        for text in vars(importlib.import_module(f"bench.{name}")).values()
        if isinstance(text, str)
    ]
    programs = [
        ast.parse(text) for text in texts if "\nimport " in text or text.startswith("import ")
    ]
    assert programs
    for node in (node for program in programs for node in ast.walk(program)):
        if isinstance(node, ast.ImportFrom):
            module = importlib.import_module(str(node.module))
            assert all(hasattr(module, alias.name) for alias in node.names), ast.unparse(node)
        elif isinstance(node, ast.Import):
            assert all(importlib.util.find_spec(alias.name) for alias in node.names)
        elif (
            isinstance(node, ast.Attribute)
            and isinstance(node.value, ast.Name)
            and node.value.id == "irb"
        ):
            assert hasattr(irb, node.attr), node.attr


def test_contestants_take_turns(monkeypatch):
    """Everybody runs once per round, in the same order, and the median counts."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from bench.races import QUICK, Contestant, race

    ran = []
    contestants = [Contestant("", name, lambda name=name: ran.append(name), 10) for name in "ab"]
    times = race(contestants, QUICK._replace(rounds=5, turn=0.0))
    assert "".join(ran) == "aaabbb" + "ab" * 5  # three runs to warm up
    assert all(0.0 < ns < 1e6 for ns in times)


def test_a_claim_holds_at_its_bound(monkeypatch):
    """A bound that is just reached is kept, in both directions."""
    monkeypatch.syspath_prepend(BENCHMARKS)
    from bench.races import Claim

    for at_least, reached, holds in (
        (True, 2.0, True),
        (True, 1.9, False),
        (False, 2.0, True),
        (False, 2.1, False),
    ):
        assert Claim("", "", None, None, reached, 2.0, at_least, "x").holds is holds
