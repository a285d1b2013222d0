"""Completion in shells by click's mechanism: of words, robots, tools, sets and frames."""

import os
import subprocess
import sys

import pytest
from click.shell_completion import BashComplete, FishComplete, ZshComplete

import irbmodels as irb
from irbmodels import viewer
from irbmodels.cli import COMMANDS, _program, completion
from irbmodels.cli.schema import schemas
from irbmodels.compiled import queries
from irbmodels.exchange import write
from irbmodels.exchange.equations import equations
from irbmodels.exchange.write import tables as write_tables
from irbmodels.identification.validation import model_terms, pipeline

VARIABLE = "_IRBMODELS_COMPLETE"
ALL = {name for modules in COMMANDS.values() for names in modules.values() for name in names}


def completed(line, shell=BashComplete):
    """Types and values for the last word of a line, which may be empty."""
    *words, last = line.split(" ")
    found = shell(_program(), {}, "irbmodels", VARIABLE).get_completions(words[1:], last)
    return {(one.type, one.value) for one in found}


def plain(*names):
    return {("plain", name) for name in names}


@pytest.mark.parametrize(
    ("line", "expected"),
    [
        ("irbmodels ", plain(*ALL)),
        ("irbmodels wo", plain("workspace")),
        ("irbmodels pose --fr", plain("--frame")),
        ("irbmodels pose irb24", plain("irb2400", "irb2400_10", "irb2400_16")),
        ("irbmodels view posi", plain("positioner")),
        ("irbmodels pose ./my", {("file", "./my")}),
        ("irbmodels path p.mod --robot irb930", plain("irb930", *(n for n in irb.robots() if n.startswith("irb930_")))),
        ("irbmodels pose irb2400 --tool ", plain(*irb.tools())),
        ("irbmodels pose irb2400 --frame ", plain(*irb.load("irb2400").frames)),
        ("irbmodels pose irb2400 --q-deg 1,2 --frame link_r", plain("link_rod", "link_rod_carrier")),
        ("irbmodels jacobian irb930 --frame t", plain("tool0", "tcp")),
        ("irbmodels pose nothing --frame t", set()),
        ("irbmodels pose --frame t", set()),
        ("irbmodels validate x.csv --robot irb2400 --parameters j", plain("jia2018")),
        ("irbmodels urdf nothing --parameters my", {("file", "my")}),
        ("irbmodels export irb2400 --to ", plain("urdf", "mjcf", "sdf", "ros2")),
        ("irbmodels view irb2400 --layer h", plain("handle", "hulls")),
        ("irbmodels codegen irb2400 --what pose,jac", plain("pose,jacobian")),
        ("irbmodels schema ", plain(*schemas())),
        ("irbmodels cache c", plain("clear")),
    ],
)  # fmt: skip
def test_words_are_completed(line, expected):
    """Files where no name begins so; nothing where the robot is not known, and no error."""
    assert completed(line) == expected


def test_completed_names_are_those_of_the_package():
    """Modules that have them import Pinocchio, for which a shell does not wait."""
    modules = (write, write_tables, equations, queries, viewer, pipeline, model_terms)
    for name in (
        "FORMATS", "MESHES", "TABLE_FORMATS", "EQUATION_FORMATS", "QUERIES", "LAYERS", "METHODS", "FRICTION"
    ):  # fmt: skip
        module = next(one for one in modules if hasattr(one, name))
        assert getattr(completion, name) == tuple(getattr(module, name))


def test_frames_of_any_urdf_are_completed(tmp_path):
    (tmp_path / "my.urdf").write_text(
        '<robot name="r"><link name="one"/><link name="two"/></robot>'
    )
    (tmp_path / "bad.urdf").write_text("<robot")
    assert completed(f"irbmodels pose {tmp_path}/my.urdf --frame t") == plain("two")
    assert completed(f"irbmodels pose {tmp_path}/bad.urdf --frame t") == set()


@pytest.mark.parametrize("shell", [ZshComplete, FishComplete])
def test_shells_show_what_a_command_does(shell, monkeypatch):
    """As each shell calls it: the summary stands beside the command."""
    monkeypatch.setenv("COMP_WORDS", "irbmodels bala")
    monkeypatch.setenv("COMP_CWORD", "bala" if shell is FishComplete else "1")
    text = shell(_program(), {}, "irbmodels", VARIABLE).complete()
    assert "balancer" in text
    assert "Print what a balancer bears" in text
    source = shell(_program(), {}, "irbmodels", VARIABLE).source()
    assert f"{VARIABLE}={shell.name}_complete" in source


def test_bash_completes_and_does_not_wait_for_pinocchio(tmp_path):
    """By the line that the help gives, with a program that refuses to import Pinocchio; the help,
    which imports the module of every command, does without it too.
    """
    program = tmp_path / "irbmodels"
    program.write_text(
        f"#!{sys.executable}\nimport sys\nsys.modules['pinocchio'] = None\n"
        "from irbmodels.cli import main\nsys.exit(main())\n"
    )
    program.chmod(0o755)
    script = (
        'irbmodels --help > help.txt && eval "$(_IRBMODELS_COMPLETE=bash_source irbmodels)"; for words in "wo" "pose irb24"'
        ' "pose irb2400 --frame fl" "torque irb2400 --pa" "path p.mod --robot irb14";'
        " do COMP_WORDS=(irbmodels $words); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); COMPREPLY=();"
        ' _irbmodels_completion irbmodels; echo "${COMPREPLY[@]}"; done'
    )
    done = subprocess.run(
        ["bash", "-c", script],
        cwd=tmp_path,
        env=os.environ | {"PATH": f"{tmp_path}:{os.environ['PATH']}"},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stderr == ""
    assert (
        'eval "$(_IRBMODELS_COMPLETE=bash_source irbmodels)"' in (tmp_path / "help.txt").read_text()
    )
    assert [line.split() for line in done.stdout.splitlines()] == [
        ["workspace"],
        ["irb2400", "irb2400_10", "irb2400_16"],
        ["flange"],
        ["--payload", "--parameters"],
        [name for name in (*irb.aliases(), *irb.robots()) if name.startswith("irb14")],
    ]
