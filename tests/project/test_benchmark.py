import ast
import importlib
import importlib.util
import io
import json
import sys
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from rich.console import Console
from rich.progress import Progress

import irbmodels as irb

BENCHMARKS = Path(__file__).resolve().parents[2] / "scripts" / "benchmarks"


@pytest.fixture(autouse=True)
def _scripts(monkeypatch):
    """Let scripts find their neighbours as when they are run."""
    monkeypatch.syspath_prepend(BENCHMARKS)


def quantity(name="kernel", median=100.0, half=1.0, rounds=9, who="irbmodels", **fields):
    """Row whose middle half of rounds reaches ``half`` to both sides of the median."""
    from bench.record import Row, Spread

    ends = median - half, median + half
    row = Row("dynamics", who, name, "ns/state", Spread(median, *ends, *ends, rounds), 4096)
    return row._replace(**fields)


def record_of(*rows, claims=(), notes=(), **fields):
    """Record of a machine that is typed here."""
    from bench.record import Record

    machine = {
        "processor": "Abacus", "llvm": "znver4", "features": ["avx2", "fma"], "cores": 2,
        "architecture": "x86_64", "memory [GB]": 8.2, "system": "Linux-6",
    }  # fmt: skip
    code, run = {"commit": "0123456789abcdef", "changed": False}, {"rounds": 9, "quick": False}
    versions = {"python": "3.11.7", "pin": "4.1.0", "casadi": None}
    date = "2026-01-02T03:04:05+00:00"
    record = Record(date, machine, versions, code, run, list(rows), list(claims), list(notes))
    return record._replace(**fields)


@pytest.fixture
def record():
    """Return a record that is typed here: a claim that holds, one that does not, two races, first
    answers and another number.
    """
    from bench.first_answers import COLD, DISK, WARM
    from bench.record import Claim

    spread = quantity().value
    wait = quantity(
        "pose", layout="(n, N)", group=COLD, unit="s", value=spread._replace(median=1.5)
    )
    rows = [
        quantity("loop over pin.rnea", 2345.6, who="pin", group="inverse dynamics, N = 64"),
        quantity("kernel, N in cache, friction", 20.0, group="inverse dynamics, N = 64"),
        quantity("mujoco", 5_000_000.0, who="mujoco", group="inverse dynamics, engines"),
        wait,
        wait._replace(group=DISK, value=spread._replace(median=0.0123)),
        wait._replace(group=WARM, unit="ns/state", value=spread._replace(median=7.25)),
        quantity("fused multiply-adds", 12.3456, group="one core", unit="1/ns", better="higher"),
    ]
    claims = [
        Claim("inverse dynamics", "pin.rnea loop", 20.0, 2345.6, 117.28, 75.0, True, "x"),
        Claim("memory", "", None, None, 65.5, 64.0, False, "MB"),
    ]
    return record_of(*rows, claims=claims, notes=["memory: not measured"])


def run_script(name, monkeypatch, *arguments):
    """Exit code of a script's main."""
    script = importlib.import_module(name)
    monkeypatch.setattr(sys, "argv", [name, *map(str, arguments)])
    return script.main()


def cells_of(text):
    """Cells of the rows of all Markdown tables."""
    return [
        [cell.strip() for cell in line.strip("|").split("|")]
        for line in text.splitlines()
        if line.startswith("|")
    ]


# --- records


def test_a_spread_is_that_of_the_rounds():
    """Median, quartiles and ends, in any order of rounds; of one value all are that value."""
    from bench.record import Spread

    assert Spread.of([5.0, 1.0, 4.0, 2.0, 30.0]) == (4.0, 2.0, 5.0, 1.0, 30.0, 5)
    assert Spread.of(3) == (3.0, 3.0, 3.0, 3.0, 3.0, 1)


def test_a_record_is_read_as_it_was_written(tmp_path, record):
    """Nothing is lost or rounded, and the file tells its schema."""
    from bench.record import read_record

    path = tmp_path / "run.json"
    record.write(path)
    assert read_record(path) == record
    content = json.loads(path.read_text(encoding="utf-8"))
    assert (content["format"], content["schema"]) == ("irbmodels benchmark", 1)
    assert content["rows"][1] == {
        "group": "inverse dynamics, N = 64", "who": "irbmodels", "name": "kernel, N in cache, friction",
        "unit": "ns/state", "states": 4096, "layout": "", "precision": "", "better": "lower",
        "median": 20.0, "lower": 19.0, "upper": 21.0, "least": 19.0, "largest": 21.0, "rounds": 9,
    }  # fmt: skip
    assert [claim["holds"] for claim in content["claims"]] == [True, False]


def test_the_machine_and_the_code_are_told():
    """What lets two runs be compared is there, and JSON holds it."""
    from bench import machine
    from bench.comparison import MACHINE

    here = machine.machine()
    assert set(here) == set(MACHINE)
    assert here["processor"]
    assert here["features"] == sorted(set(here["features"]))
    assert here["cores"] >= 1
    versions = machine.versions()
    assert versions["numpy"] == np.__version__
    assert versions["irbmodels"] == irb.__version__
    commit = machine.code()["commit"]
    assert commit is None or len(commit) == 40
    json.dumps([here, versions, machine.code(), machine.surroundings()])


BROKEN = {
    "is no JSON": "{",
    '"format" is not "irbmodels benchmark"': "[1, 2]",
    "has schema 2, and this reads 1": '{"format": "irbmodels benchmark", "schema": 2}',
    "'date' is missing": '{"format": "irbmodels benchmark", "schema": 1}',
}


@pytest.mark.parametrize("problem", BROKEN)
def test_what_is_no_record_is_refused_in_one_line(problem, tmp_path, monkeypatch, capsys, record):
    """Exit code 2, the file and its problem, whichever of the two it is; and no traceback."""
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    record.write(good)
    bad.write_text(BROKEN[problem], encoding="utf-8")
    for pair in ((good, bad), (bad, good)):
        assert run_script("compare", monkeypatch, *pair) == 2
        shown = capsys.readouterr()
        assert shown.out == ""
        assert shown.err.count("\n") == 1
        assert shown.err.startswith(f"error: {bad}: ")
        assert problem in shown.err


@pytest.mark.parametrize(
    ("change", "problem"),
    [
        (lambda content: content["rows"].append(content["rows"][0]), "two rows are"),
        (lambda content: content["rows"][1].update(median=float("nan")), "numbers of a spread"),
        (lambda content: content["rows"][1].update(median=True), "numbers of a spread"),
        (lambda content: content["rows"][1].update(name=None), "texts of a row"),
        (lambda content: content["rows"][1].update(better="more"), "texts of a row"),
        (lambda content: content["rows"][1].update(states=0.5), "states is 0.5"),
        (lambda content: content["rows"][1].pop("upper"), "'upper' is missing"),
        (lambda content: content.update(machine=[]), '"machine" is a list'),
        (lambda content: content.update(rows={}), '"rows" is a dict'),
        (lambda content: content["rows"].append(7), "row 7: is 7"),
    ],
)
def test_a_broken_record_is_refused(change, problem, tmp_path, record):
    """What was changed by hand is named; nothing is guessed."""
    from bench.record import read_record

    path = tmp_path / "run.json"
    record.write(path)
    content = json.loads(path.read_text(encoding="utf-8"))
    change(content)
    path.write_text(json.dumps(content), encoding="utf-8")
    with pytest.raises(irb.InputError, match=problem) as caught:
        read_record(path)
    assert "\n" not in str(caught.value)


# --- comparison


@pytest.mark.parametrize(
    ("before", "after", "verdict"),
    [
        (quantity, {"median": 103.0, "half": 2.5}, "within noise"),
        (quantity, {"median": 104.0, "half": 2.5}, "worse"),
        (quantity, {"median": 90.0}, "better"),
        (quantity, {"median": 100.0}, "same"),
        (quantity, {"median": 101.0, "rounds": 1}, "worse, one round"),
    ],
)
def test_noise_is_where_the_middle_halves_overlap(before, after, verdict):
    """A ratio is judged by the quartiles of both runs; a single round has none."""
    from bench.comparison import Pair

    assert Pair(before(), quantity(**after)).verdict == verdict


def test_a_ratio_is_worse_in_the_direction_of_its_quantity():
    """More of a rate is better, more of a time is worse; of others neither; what is not positive
    has no ratio.
    """
    from bench.comparison import Pair

    for better, verdict, factor in (("lower", "worse", 2.0), ("higher", "better", 0.5)):
        pair = Pair(quantity(better=better), quantity(median=200.0, better=better))
        assert (pair.verdict, pair.factor, pair.ratio) == (verdict, factor, 2.0)
    pair = Pair(quantity(better=""), quantity(median=200.0, better=""))
    assert pair.verdict == "differs"
    for median in (0.0, -3.0):  # memory beside inputs and outputs may be less than before
        for rows in (quantity(median=median), quantity()), (quantity(), quantity(median=median)):
            pair = Pair(*rows)
            assert np.isnan(pair.ratio)
            assert np.isnan(pair.factor)
            assert pair.verdict == "differs"


def test_rows_are_compared_with_their_own_kind():
    """Another layout, precision, unit or number of states is another quantity."""
    from bench.comparison import only_in, pairs_of

    others = [
        quantity(layout="(N, n)"),
        quantity(precision="single"),
        quantity(unit="s"),
        quantity(states=64),
        quantity(group="statics"),
        quantity(who="pin"),
    ]
    before, after = record_of(quantity(), *others[:3]), record_of(*others[3:], quantity(median=7.0))
    (pair,) = pairs_of(before, after)
    assert (pair.before.value.median, pair.after.value.median) == (100.0, 7.0)
    assert only_in(before, after) == others[:3]
    assert only_in(after, before) == others[3:]


@pytest.fixture
def files(tmp_path):
    """Two records of which ours are worse, better and noisy, and Pinocchio's 1.25 times slower."""
    before = record_of(
        quantity("slower"),
        quantity("faster", layout="(n, N)"),
        quantity("noisy"),
        quantity("rate", better="higher", group="one core", unit="1/ns"),
        quantity("pin.rnea", who="pin"),
        quantity("gone"),
    )
    after = record_of(
        quantity("slower", 110.0),
        quantity("faster", 20.0, layout="(n, N)"),
        quantity("noisy", 150.0, half=60.0),
        quantity("rate", 97.0, better="higher", group="one core", unit="1/ns"),
        quantity("pin.rnea", 125.0, who="pin"),
        quantity("new"),
    )
    paths = tmp_path / "a.json", tmp_path / "b.json"
    for path, record in zip(paths, (before, after), strict=True):
        record.write(path)
    return paths


def test_compare_prints_ratios_of_both_and_lists_the_rest(files, monkeypatch, capsys):
    """Ratios B / A by group, what is noise, what one run alone has, and the drift of the machine."""
    assert run_script("compare", monkeypatch, *files, "--markdown") == 0
    shown = capsys.readouterr().out
    rows = cells_of(shown)
    for row in (
        ["dynamics", "", "unit", "A", "B", "B / A", ""],
        ["irbmodels", "slower, N = 4096", "ns/state", "100", "110", "1.1", "worse"],
        ["irbmodels", "faster, (n, N), N = 4096", "ns/state", "100", "20", "0.2", "better"],
        ["irbmodels", "noisy, N = 4096", "ns/state", "100", "150", "1.5", "within noise"],
        ["pin", "pin.rnea, N = 4096", "ns/state", "100", "125", "1.25", "worse"],
        ["irbmodels", "rate, N = 4096", "1/ns", "100", "97", "0.97", "worse"],
    ):
        assert row in rows, shown
    assert not any("gone" in cell or "new" in cell for row in rows for cell in row)
    for line in (
        "same machine, versions and settings",
        "5 quantities of both: 1 better, 1 within noise, 3 worse",
        "only in A: 1\ndynamics: gone, N = 4096",
        "only in B: 1\ndynamics: new, N = 4096",
        "B / A is 1.25 in the median of 1, from 1.25 to 1.25",
    ):
        assert line in shown, shown
    assert run_script("compare", monkeypatch, *files, "--group", "one core") == 0
    shown = capsys.readouterr().out
    assert "rate" in shown
    assert "slower" not in shown


@pytest.mark.parametrize(
    ("threshold", "worse"),
    [("1.2", []), ("1.1", []), ("1.09", ["slower"]), ("1.03", ["slower", "rate"])],
)
def test_a_threshold_sets_the_exit_code(threshold, worse, files, monkeypatch, capsys):
    """Only ours counts, only what is worse in its own direction, and no noise."""
    code = run_script("compare", monkeypatch, *files, "--threshold", threshold)
    lines = capsys.readouterr().err.splitlines()
    assert code == (1 if worse else 0)
    assert len(lines) == len(worse)
    assert all(name in line for name, line in zip(worse, lines, strict=True))


def test_a_threshold_below_one_is_refused(files, monkeypatch, capsys):
    """A factor that everything exceeds, or NaN, is a slip."""
    for threshold in ("0.97", "nan"):
        with pytest.raises(SystemExit) as caught:
            run_script("compare", monkeypatch, *files, "--threshold", threshold)
        assert caught.value.code == 2
        assert "at least 1" in capsys.readouterr().err


def test_a_run_that_says_little_is_marked(tmp_path, monkeypatch, capsys):
    """Code that was changed, a machine that had other work, and a quick run: in the line of it."""
    good = record_of(quantity(), run={"rounds": 9, "load before": 1.0})
    run = {"rounds": 2, "load before": 1.1, "quick": True}
    poor = record_of(quantity(), run=run, code={"commit": None, "changed": True})
    paths = tmp_path / "good.json", tmp_path / "poor.json"
    good.write(paths[0])
    poor.write(paths[1])
    assert run_script("compare", monkeypatch, *paths) == 0
    first, second = capsys.readouterr().out.splitlines()[:2]
    assert first.endswith(
        ".json, 2026-01-02T03:04:05+00:00, commit 0123456789, Abacus (znver4), 9 rounds"
    )
    assert second.endswith(
        "no commit, changed since, Abacus (znver4), 2 rounds, BUSY: load 1.1 before, on 2 cores,"
        " QUICK: no times to compare"
    )


def test_other_machines_and_versions_are_told():
    """Each difference in a line of its own: of features only what one of both has."""
    from bench.comparison import differences

    before = record_of(run={"quick": False, "batch": 64})
    machine = before.machine | {"processor": "Slide rule", "features": ["avx2", "avx512f"]}
    versions = before.versions | {"casadi": "0.60.0", "llvmlite": "0.50.0"}
    after = record_of(machine=machine, versions=versions, run={"quick": True, "batch": 64})
    assert differences(before, before) == []
    assert differences(before, after) == [
        "machines differ: processor: Abacus in A, Slide rule in B",
        "machines differ: features: only in A ['fma'], only in B ['avx512f']",
        "versions differ: casadi: None in A, 0.60.0 in B",
        "versions differ: llvmlite: None in A, 0.50.0 in B",
        "runs differ: quick: False in A, True in B",
    ]


# --- runs


def test_benchmark_writes_what_was_measured(tmp_path, record, monkeypatch, capsys):
    """Text, page, record and picture hold the same results: fastest first, ratios to the loop,
    which claim holds, and one line per query of cold, from disk and warm.
    """
    benchmark, page = importlib.import_module("benchmark"), tmp_path / "speed.md"
    page.write_text(
        f"# Speed\n\n{benchmark.BEGIN}\nold\n{benchmark.END}\n\nbelow\n", encoding="utf-8"
    )
    asked = []
    monkeypatch.setattr(benchmark, "measured", lambda *settings: asked.append(settings) or record)
    files = {"--json": tmp_path / "b.json", "--figure": tmp_path / "b.png", "--markdown": page}
    words = [word for pair in files.items() for word in pair]
    assert run_script("benchmark", monkeypatch, "--quick", "--rounds", 3, *words) == 0
    ((effort, _, only, large),) = asked
    assert (effort.quick, effort.rounds, only, large) == (True, 3, [], False)
    shown = capsys.readouterr().out
    rows = cells_of(shown)
    for row in (
        ["inverse dynamics", "pin.rnea loop", "20", "2,346", "117 x", "at least 75 x", "PASS"],
        ["memory", "", "", "", "65.5 MB", "at most 64 MB", "above"],
        ["inverse dynamics, N = 64", "how", "ns per state", "quartiles", "speed / loop over pin.rnea"],
        ["mujoco", "mujoco", "5,000,000", "4,999,999 to 5,000,001", ""],
        ["fused multiply-adds", "1/ns", "12.35", "11.3 to 13.3"],
        ["pose", "(n, N)", "1.5", "", "12.3", "", "7.25"],
    ):  # fmt: skip
        assert row in rows, shown
    fast, slow = (
        ["irbmodels", "kernel, N in cache, friction", "20", "19 to 21", "117 x"],
        ["pin", "loop over pin.rnea", "2,346", "2,345 to 2,347", "1 x"],
    )
    assert rows.index(slow) == rows.index(fast) + 1
    assert "memory: not measured" in shown
    assert (
        page.read_text(encoding="utf-8")
        == f"# Speed\n\n{benchmark.BEGIN}\n\n{shown.rstrip()}\n\n{benchmark.END}\n\nbelow\n"
    )
    with Image.open(files["--figure"]) as picture:
        assert len(np.unique(np.asarray(picture.convert("L")))) > 50
    assert run_script("benchmark", monkeypatch, "--read", files["--json"]) == 0
    assert capsys.readouterr().out == shown
    assert len(asked) == 1
    record._replace(claims=[]).write(files["--json"])
    assert run_script("benchmark", monkeypatch, "--read", files["--json"]) == 0
    assert "what must show" not in capsys.readouterr().out


def test_a_race_of_the_benchmark_fills_in_its_results(monkeypatch, capsys):
    """Every step has a name of its own; one that is asked for alone simulates, is timed and held
    against its bound. How fast it was proves nothing.
    """
    benchmark = importlib.import_module("benchmark")
    from bench.arm import Arm
    from bench.races import QUICK

    names = [name for name, _ in benchmark.steps(Arm(), large=True)]
    assert len(set(names)) == len(names)
    steps = "inverse dynamics, regressor, limits, first answers, other engines, viewer, roll-outs"
    assert set(steps.split(", ")) <= set(names)
    record = benchmark.measured(QUICK, Console(file=io.StringIO()), only=["simulation"])
    assert {row.who for row in record.rows} == {"irbmodels"}
    assert {row.value.rounds for row in record.rows} == {QUICK.rounds}
    assert len(record.rows) == len(record.claims) == 2
    assert record.run["steps"] == ["simulation"]
    assert record.run["quick"]
    for row, claim in zip(record.rows, record.claims, strict=True):
        # 10 s of motion, of which a quick run takes 0.1 s
        assert claim.reached == pytest.approx(1e-9 * row.value.median * 10.0 / 0.1)
        assert claim.unit == "s"
    assert run_script("benchmark", monkeypatch, "--quick", "--only", "simulatoin") == 2
    assert "did you mean 'simulation'?" in capsys.readouterr().err


def test_loops_of_the_benchmark_give_what_ours_give():
    """Pinocchio's loops, coupled and with friction, answer as the robot does in three states."""
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


@pytest.mark.parametrize("name", ["costs", "identification"])
def test_what_the_benchmark_runs_in_other_processes_can_be_imported(name):
    """Programs that are kept as text are Python, and every name that they import exists."""
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


def test_contestants_take_turns():
    """Everybody runs once per round, in the same order, and every round is kept."""
    from bench.races import QUICK, Contestant, Results, race

    ran = []
    contestants = [
        Contestant("", name, lambda name=name: ran.append(name), 10, layout)
        for name, layout in (("a", "(n, N)"), ("b", "one state"))
    ]
    effort = QUICK._replace(rounds=5, turn=0.0)
    times = race(contestants, effort)
    assert "".join(ran) == "aaabbb" + "ab" * 5  # three runs to warm up
    assert all(ns.shape == (5,) and (ns > 0.0).all() and (ns < 1e6).all() for ns in times)
    results = Results(effort, Progress(disable=True))
    kept = results.race("letters", contestants)
    for row, states in zip(results.rows, (10, 1), strict=True):
        ns = kept[row.name]
        assert (row.group, row.states, row.value.rounds) == ("letters", states, 5)
        assert (row.value.median, row.value.least) == (np.median(ns), ns.min())


def test_fewer_rounds_start_fewer_processes():
    """In proportion, and at least one of each."""
    from bench.races import FULL

    assert FULL.with_rounds(FULL.rounds) == FULL
    assert FULL.with_rounds(2 * FULL.rounds).fresh == 2 * FULL.fresh
    assert FULL.with_rounds(1)[:2] == (1, 1)


def test_a_claim_holds_at_its_bound():
    """A bound that is just reached is kept, in both directions."""
    from bench.record import Claim

    for at_least, reached, holds in (
        (True, 2.0, True),
        (True, 1.9, False),
        (False, 2.0, True),
        (False, 2.1, False),
    ):
        assert Claim("", "", None, None, reached, 2.0, at_least, "x").holds is holds


# --- first answers


def test_first_answers_ask_for_what_their_case_says(monkeypatch):
    """Kernels are asked in the layout and precision of the case, and only when the time runs."""
    from bench.first_answer import question

    asked = []

    class Kernels:
        class pose:  # noqa: N801
            def __init__(self, *states):
                asked.append(("columns or state", states))

            @staticmethod
            def rows(*states):
                asked.append(("rows", states))

    case = {"query": "pose", "inputs": 2}

    class Arm:
        n = 6

        def compiled(self, single):
            asked.append(single)
            return Kernels

    for layout, precision, shape, how in (
        ("(n, N)", "single", (6, 64), "columns or state"),
        ("(N, n)", "double", (64, 6), "rows"),
        ("one state", "double", (6,), "columns or state"),
    ):
        ask = question(case | {"layout": layout, "precision": precision}, Arm())
        assert asked == []
        ask()
        single, (name, states) = asked
        assert (single, name, len(states)) == (precision == "single", how, 2)
        assert {x.shape for x in states} == {shape}
        assert {x.dtype for x in states} == {np.dtype("f4" if single else "f8")}
        asked.clear()


def test_processes_run_as_an_installed_package_does(tmp_path, monkeypatch):
    """They keep byte code whatever this process does, take what they are told, and import nothing
    of the working directory; a failure is told with what they wrote.
    """
    from bench.processes import run

    monkeypatch.setenv("PYTHONDONTWRITEBYTECODE", "1")
    monkeypatch.setenv("GREETING", "no")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "here.py").write_text("")
    text = "import os, sys; print(sys.dont_write_bytecode, os.environ['GREETING'], sys.argv[1:])"
    assert run("-c", text, "a b", GREETING="yes") == "False yes ['a b']\n"
    with pytest.raises(RuntimeError, match="No module named 'here'"):
        run("-c", "import here")


def test_imports_are_timed_by_library(monkeypatch, tmp_path):
    """Each library without those that it needs; what only exists once something ran is left out."""
    from bench import first_answer

    wait = "import time; time.sleep(0.02)\n"
    for name, text in {"lowest": wait, "higher": f"import lowest\n{wait}", "unused": wait}.items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.syspath_prepend(tmp_path)
    monkeypatch.setattr(first_answer, "LIBRARIES", ("lowest", "higher"))
    times = first_answer.import_times(["higher", "made_at_run_time", "lowest", "bisect"])
    for name in ("lowest", "higher"):
        assert 0.02 <= times[name] < 0.2
        del sys.modules[name]
    assert set(times) == {"lowest", "higher", "other modules"}


def test_first_answers_become_rows_and_claims():
    """Cold and from disk are of their own processes; the ratio is of each process by itself."""
    from bench.first_answers import CASES, COLD, DISK_RATIO, IMPORTS, keep
    from bench.races import QUICK, Results

    def answer(seconds, pinocchio, **imports):
        times = {"answer": seconds, "processor": 0.5 * seconds, "import irbmodels, load": 0.2}
        return {"times": times | {"import pinocchio": pinocchio}, "imports": imports}

    results = Results(QUICK, Progress(disable=True))
    cold = {
        case: [answer(0.25, 0.1, llvmlite=0.02), answer(0.35, 0.1, llvmlite=0.04)] for case in CASES
    }
    disk = {case: [answer(0.01, 0.1), answer(0.04, 0.2)] for case in CASES}
    disk[CASES[5]] = [answer(0.06, 0.1)] * 2
    keep(results, cold, disk)
    rows = {row.key: row for row in results.rows}
    assert len(rows) == len(results.rows)  # no two are the same quantity
    find = {(row.group, row.name, row.layout, row.precision): row.value for row in results.rows}
    first = CASES[0]
    assert find[COLD, first.name, first.layout, "double"].median == pytest.approx(0.3)
    assert find[f"{COLD}, processor time", first.name, first.layout, "double"].largest == 0.175
    ratio = find[DISK_RATIO, first.name, first.layout, "double"]
    assert (ratio.least, ratio.largest) == pytest.approx((0.1, 0.2))
    assert find[IMPORTS, "beyond that: llvmlite", "", ""].median == pytest.approx(0.03)
    in_third, from_disk = results.claims
    assert in_third.holds
    assert in_third.reached == pytest.approx(0.3)
    assert CASES[5].name in from_disk.what
    assert from_disk.reached == pytest.approx(0.6)
    assert not from_disk.holds


def test_cases_cover_every_query_in_every_form():
    """All kernels in three forms, inverse kinematics of both arms, and roll-outs."""
    from bench.first_answers import CASES

    from irbmodels.compiled.queries import QUERIES

    double = {(case.name, case.layout) for case in CASES if case.precision == "double"}
    forms = {(query, form) for query in QUERIES for form in ("(n, N)", "(N, n)", "one state")}
    others = {
        (name, "(N, n)")
        for name in ("inverse_kinematics", "inverse_kinematics, irb930", "rollouts")
    }
    assert double == forms | others
    assert len(set(CASES)) == len(CASES)


# --- peak


def test_loops_of_the_peak_compute_what_they_say():
    """In every width of a register: chains of multiply-adds, and the triad."""
    from bench import peak

    rng = np.random.default_rng(0)
    x, y = rng.uniform(-1.0, 1.0, (2, 64))
    wanted = np.zeros(64)
    for k in range(peak.CHAINS):
        t = x + k
        for _ in range(peak.STEPS):
            t = 0.75 * t + 0.5
        wanted += t
    a, b, c, out = rng.uniform(-1.0, 1.0, (4, 8, 6))
    for lanes in (2, 4, 8):
        y[:] = np.nan
        peak._function("multiply", lanes)(x.ctypes.data, y.ctypes.data, 0.75, 0.5, 64, 3)
        np.testing.assert_allclose(y, wanted, rtol=1e-13)
        out[:] = np.nan
        pointers = [each.ctypes.data for each in (a, b, c, out)]
        peak._function("triad", lanes)(*pointers, out.size)
        np.testing.assert_allclose(out, a + 0.5 * b + c, rtol=0, atol=1e-15)
