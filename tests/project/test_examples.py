"""Complete short programs in scripts/examples: each runs as a user starts it, and prints or writes
what it promises.
"""

import runpy
import sys
from pathlib import Path

import pytest

import irbmodels as irb

EXAMPLES = Path(__file__).resolve().parents[2] / "scripts" / "examples"
PROMISED = {  # lines that a run prints, and files that it writes
    "first_torque": (["   3    17.57      0.86  -266.35    -17.84  -265.76"], []),
    "ik_of_a_robtarget": (
        ["nearest [deg]: [  0.    7.3  15.7   0.  -15.7   0. ]", "TCP [mm]: [1200.    0. 1000.]"],
        [],
    ),
    "rapid_path_check": (
        ["line 7: MoveL 0.49 .. 1.19 s", "first: line 8, t = 1.19 s", "out of reach by 167.365 mm"],
        [],
    ),
    "simulate_with_stiction": (
        ["axis 6 slips at 2.333 s", "17.5 N m, torque when it slips: 17.500 N m"],
        [],
    ),
    "view_and_save_page": (["wrote irb2400.html, 7.5 s of motion"], ["irb2400.html"]),
    "identify_from_logs": (
        ["level reference\n", "<Robot irb2400_16 with specimen"],
        ["log.csv", "specimen.yaml"],
    ),
}


def test_every_example_is_run():
    """No program in the folder is without its promise."""
    assert {path.stem for path in EXAMPLES.glob("*.py")} == set(PROMISED)


@pytest.mark.parametrize("name", PROMISED)
def test_an_example_does_what_it_promises(name, tmp_path, monkeypatch, capsys):
    """Started in an empty folder without arguments."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(sys, "argv", [name])
    runpy.run_path(str(EXAMPLES / f"{name}.py"), run_name="__main__")
    printed = capsys.readouterr().out
    lines, files = PROMISED[name]
    for line in lines:
        assert line in printed, printed
    assert sorted(path.name for path in tmp_path.iterdir()) == files


def test_path_check_reads_a_program_of_the_user(tmp_path, monkeypatch, capsys):
    """With a file, that is checked: without the move beyond reach every bound is kept."""
    script = runpy.run_path(str(EXAMPLES / "rapid_path_check.py"))
    path = tmp_path / "Reach.mod"
    path.write_text(
        script["PROGRAM"].replace("Offs(p10,900,0,0)", "Offs(p10,90,0,0)"), encoding="utf-8"
    )
    script["main"](str(path))
    assert "every checked bound is kept" in capsys.readouterr().out


@pytest.mark.parametrize("name", PROMISED)
def test_an_example_is_short_and_explains_itself(name):
    """At most 60 lines, with a docstring that says how it is started."""
    text = (EXAMPLES / f"{name}.py").read_text(encoding="utf-8")
    assert len(text.splitlines()) <= 60
    assert f"python scripts/examples/{name}.py" in text.partition('"""')[2].partition('"""')[0]
    assert irb.__name__ in text
