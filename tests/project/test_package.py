import ast
import re
import subprocess
import sys
import tomllib
from importlib import import_module

import pytest
from structure import PACKAGE, ROOMS

import irbmodels as irb

ROOT = PACKAGE.parent


def test_every_public_name_exists():
    """All names of __all__ are there, sorted, and documented."""
    assert sorted(irb.__all__) == irb.__all__
    for name in irb.__all__:
        assert getattr(irb, name).__doc__


def test_the_stub_is_the_table_of_public_names():
    """Each of its lines exports one name to type checkers, and that name is imported from there;
    none is a module's.
    """
    lines = ast.parse((PACKAGE / "__init__.pyi").read_text(encoding="utf-8")).body
    assert all(
        isinstance(line, ast.ImportFrom) and line.level == 1 and len(line.names) == 1
        for line in lines
    )
    assert all(line.names[0].asname == line.names[0].name for line in lines)
    names = [line.names[0].name for line in lines]
    assert sorted(names) == sorted(["__version__", *irb.__all__])
    assert not set(names) & set(ROOMS)
    for line in lines:
        module = import_module(f"irbmodels.{line.module}")
        assert getattr(irb, line.names[0].name) is getattr(module, line.names[0].name)


def loaded(code, names):
    """Which of ``names`` a new process has loaded after ``code``."""
    code = f"import sys; {code}; print(*[name for name in {names} if name in sys.modules])"
    output = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout
    return output.splitlines()[-1].split()


def test_import_does_not_load_what_few_need():
    """Import irbmodels loads nothing of others; its common names neither scipy, matplotlib, xacro
    nor the terminal libraries.
    """
    heavy = ("scipy.signal", "scipy.linalg", "matplotlib", "meshcat", "xacro", "rich", "click")
    assert loaded("import irbmodels", ("numpy", "pinocchio", "irbmodels.errors", *heavy)) == []
    common = (
        "load, from_urdf, load_tool, export, view, save_page, open_motion, predict, new_robot,"
        " Motion"
    )
    assert loaded(f"from irbmodels import {common}", ("numpy", *heavy)) == ["numpy"]


def test_a_robot_is_loaded_and_answers_without_libraries_of_other_tasks():
    """No compiler, solver, drawing or macros for load and pose; the command imports besides only
    what reads and prints lines.
    """
    others = ("casadi", "lark", "llvmlite", "matplotlib", "meshcat", "mujoco", "numba", "numpy.ma")
    others += (
        "manifold3d",
        "numpy.random",
        "pandas",
        "pyarrow",
        "scipy",
        "sympy",
        "trimesh",
        "xacro",
    )
    lines = ("click", "rich")
    rooms = ("cad", "compiled", "exchange", "rapid", "simulation", "trajectory", "viewer")
    others += tuple(f"irbmodels.{room}" for room in rooms)
    code = "import irbmodels; irbmodels.load('irb2400', tool='spindle').pose([0.0] * 6)"
    assert loaded(code, ("pinocchio", *others, *lines)) == ["pinocchio"]
    code = "from irbmodels.cli import main; main(['pose', 'irb2400', '--tool', 'spindle'])"
    assert loaded(code, (*others, *lines, "rich.table")) == list(lines)


def test_a_robot_shows_itself_without_the_viewer_being_loaded_before():
    """A notebook finds how a robot shows itself, though the viewer is a room above and imported
    only then.
    """
    code = (
        'import sys, irbmodels; arm = irbmodels.load("irb930"); print("irbmodels.viewer" in'
        " sys.modules, arm._repr_html_()[:7])"
    )
    assert (
        subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=True
        ).stdout.strip()
        == "False <div><s"
    )


def test_nothing_names_a_machine():
    """No tracked text file holds a path of somebody's machine."""
    names = subprocess.run(
        ["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False
    ).stdout.split()
    if not names:
        pytest.skip("not a git checkout")
    pattern = re.compile(r"(/ho" + r"me/|/ro" + r"ot/|/Us" + r"ers/|/wo" + r"rk/)")
    for name in names:
        path = ROOT / name
        if (
            path.suffix in {".py", ".md", ".yaml", ".xacro", ".urdf", ".toml", ""}
            and path.is_file()
        ):
            assert not pattern.search(path.read_text(encoding="utf-8")), name


EXTRAS = {
    name: {re.split(r"[\[><=;]", requirement)[0] for requirement in requirements}
    for name, requirements in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))[
        "project"
    ]["optional-dependencies"].items()
}


def test_the_start_lists_every_extra_with_its_packages():
    """Its table is pyproject's; what ``dev`` brings contains all others."""
    rows = re.findall(
        r"^\| `(\w+)` \| ([^|]+) \|",
        (ROOT / "docs" / "start" / "index.md").read_text(encoding="utf-8"),
        flags=re.MULTILINE,
    )
    listed = {name: set(packages.split(", ")) for name, packages in rows if name in EXTRAS}
    assert listed.keys() == EXTRAS.keys()
    assert all(packages == EXTRAS[name] for name, packages in listed.items() if name != "dev")
    assert set().union(*EXTRAS.values()) == EXTRAS["dev"]


def test_every_missing_extra_exists_and_brings_its_package():
    """Each call of require and MissingExtra in the package names an extra of pyproject that brings
    what is missing.
    """
    modules = {"distributed": "dask"}
    named = [
        pair
        for path in PACKAGE.rglob("*.py")
        for pair in re.findall(
            r'(?:require|MissingExtra)\("(\w+)", "(\w+)"\)', path.read_text(encoding="utf-8")
        )
    ]
    assert len(named) > 10
    for module, extra in named:
        assert modules.get(module, module) in EXTRAS[extra], (module, extra)


def test_dir_lists_what_is_public():
    """Names that are not imported yet too; no modules."""
    names = {name for name in dir(irb) if not name.startswith("__")}
    assert names == set(irb.__all__)
    assert {"simulate", "collides", "clearance", "from_file"} <= names
    assert "__version__" in dir(irb)
    with pytest.raises(AttributeError, match="module 'irbmodels' has no attribute 'lod'"):
        irb.lod  # noqa: B018


MISSING = {
    "identify nothing.csv --robot irb2400": ("cvxpy", "identify"),
    "equations irb1600 --what nothing": ("sympy", "equations"),
    "rapid program.mod": ("lark", "rapid"),
    "path program.mod --robot irb2400": ("lark", "rapid"),
    "validate log.parquet --robot irb2400": ("pyarrow", "logs"),
    "validate log.mcap --robot irb2400": ("rosbags", "logs"),
    "excite irb2400 -o excite.parquet": ("pyarrow", "logs"),
    "excite irb2400 -o excite.csv": ("casadi", "symbolic"),
    "simulate irb2400 -o run.parquet": ("pyarrow", "logs"),
    "move irb1600 --law fastest --via 0,0,0,0,30,0 --via 9,0,0,0,30,0": ("toppra", "motion"),
}


@pytest.mark.parametrize("command", MISSING)
def test_a_missing_extra_is_named_before_any_work(command, monkeypatch, tmp_path, capsys):
    """What comes later would fail too: the files hold nothing; yet it is the extra that is named,
    in one line.
    """
    from irbmodels.cli import main

    package, extra = MISSING[command]
    (tmp_path / "program.mod").write_text("MODULE nothing")
    (tmp_path / "log.parquet").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(
        "irbmodels.errors.find_spec", lambda name: None if name == package else object()
    )
    before = sorted(tmp_path.iterdir())
    assert main(command.split()) == 2
    assert (
        capsys.readouterr().err
        == f"error: {package} is not installed; get it with: pip install 'irbmodels[{extra}]'\n"
    )
    assert sorted(tmp_path.iterdir()) == before


def test_the_cad_names_its_extra_when_it_is_imported():
    """Without manifold3d or trimesh the package works, and its CAD says what brings them."""
    for package in ("manifold3d", "trimesh"):
        code = (
            f"import sys; sys.modules[{package!r}] = None; import irbmodels; irbmodels.load('irb930')\n"
            "try: import irbmodels.cad.family\nexcept irbmodels.MissingExtra as err: print(err)"
        )
        done = subprocess.run(
            [sys.executable, "-c", code], capture_output=True, text=True, check=False
        )
        install = "get it with: pip install 'irbmodels[cad]'"
        assert done.stdout == f"{package} is not installed; {install}\n", done.stderr


def test_excitation_and_identify_name_their_extra_first(monkeypatch):
    """In Python too: arguments that are wrong are not looked at."""
    from irbmodels.identification.excitation import optimal_excitation, random_excitation
    from irbmodels.identification.validation import identify

    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    for call in (optimal_excitation, random_excitation, lambda robot: identify(robot, [], [])):
        with pytest.raises(irb.MissingExtra):
            call(None)
