import ast
import re
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import irbmodels as irb

ROOT = Path(__file__).resolve().parent.parent
PACKAGE = ROOT / "irbmodels"
FLOORS = [  # a module imports only from floors before its own
    {"errors", "tables", "inertia", "dh", "rows", "urdf_text", "description", "files", "checks", "overlays", "urdf_parts"}
    | {"orientation"},
    {"coupling", "tree", "friction", "limits", "tool", "motors", "model", "composition", "geometry", "outline"}
    | {"sdf_text", "mjcf_text"},
    {"workspace", "singularities", "crossing", "velocities", "reach", "rapid"}
    | {"kinematics", "dynamics", "derivatives", "reactions", "guards", "oracles", "trajectory", "engines", "compiled"}
    | {"inverse", "configuration", "closed_forms", "arms", "spans"},
    {"asking", "kinematic_queries", "queries", "robot", "logs", "speeds", "reading"},
    {"base_parameters", "collision", "simulation", "flexible", "redundancy"},
    {
        "control",
        "identification",
        "machining",
        "path_check",
        "prediction",
        "check",
        "doctor",
        "export",
        "equations",
        "codegen",
        "c_selftest",
        "robot_descriptions",
    },
    {"report", "path_report", "identification_report", "postures", "targets", "drawings", "figures", "view", "demo", "pages"}
    | {"text_table"},
    {"cli"},
]
ROOMS = ["recordings", "fits", "excitation", "friction", "flexible", "verdict"]  # of identification, in the same order


def imports_of(path, above=0):
    """Names that a module imports from the package, or from ``above`` folders below it on its own path."""
    depth = len(path.relative_to(PACKAGE).parts) - above
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.ImportFrom) and node.level == depth:
            yield from [node.module.partition(".")[0]] if node.module else [alias.name for alias in node.names]


def test_every_public_name_exists():
    """All names of __all__ are there, sorted, and documented."""
    assert sorted(irb.__all__) == irb.__all__
    for name in irb.__all__:
        assert getattr(irb, name).__doc__


@pytest.mark.parametrize("path", sorted(PACKAGE.rglob("*.py")), ids=lambda path: path.stem)
def test_modules_import_only_downwards(path):
    """No module imports from a floor above its own, and imports within a floor make no circle."""
    if path == PACKAGE / "__init__.py":
        return
    here = path.relative_to(PACKAGE).with_suffix("").parts[0]
    floor = next(i for i, names in enumerate(FLOORS) if here in names)
    for name in imports_of(path):
        if name in ("__version__",):
            continue
        assert name in set().union(*FLOORS[: floor + 1]), f"{path.stem} imports {name}"
        if name in FLOORS[floor] and path.parent == PACKAGE and path.with_name(f"{name}.py").exists():
            assert path.stem not in set(imports_of(path.with_name(f"{name}.py"))), f"{path.stem} and {name} import each other"


@pytest.mark.parametrize("path", sorted((PACKAGE / "identification").glob("*/*.py")), ids=lambda path: path.stem)
def test_rooms_of_identification_import_only_downwards(path):
    """No room imports from one after it, and every room has its place."""
    assert set(imports_of(path, above=1)) <= set(ROOMS[: ROOMS.index(path.parent.name)])


def test_import_does_not_load_what_few_need():
    """Import irbmodels loads neither scipy, matplotlib, meshcat, xacro nor the terminal libraries."""
    heavy = ("scipy.signal", "scipy.linalg", "matplotlib", "meshcat", "xacro", "rich", "typer")
    code = f"import sys, irbmodels; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.strip() == "[]"


def test_nothing_names_a_machine():
    """No tracked text file holds a path of somebody's machine."""
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=False).stdout.split()
    if not names:
        pytest.skip("not a git checkout")
    pattern = re.compile(r"(/ho" + r"me/|/ro" + r"ot/|/Us" + r"ers/|/wo" + r"rk/)")
    for name in names:
        path = ROOT / name
        if path.suffix in {".py", ".md", ".yaml", ".xacro", ".urdf", ".toml", ""} and path.is_file():
            assert not pattern.search(path.read_text(encoding="utf-8")), name


EXTRAS = {
    name: {re.split(r"[\[><=;]", requirement)[0] for requirement in requirements}
    for name, requirements in tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "optional-dependencies"
    ].items()
}


def test_the_readme_lists_every_extra_with_its_packages():
    """Its table is pyproject's; what ``dev`` brings contains all others."""
    rows = re.findall(r"^\| `(\w+)` \| ([^|]+) \|", (ROOT / "README.md").read_text(encoding="utf-8"), flags=re.MULTILINE)
    listed = {name: set(packages.split(", ")) for name, packages in rows if name in EXTRAS}
    assert listed.keys() == EXTRAS.keys()
    assert all(packages == EXTRAS[name] for name, packages in listed.items() if name != "dev")
    assert set().union(*EXTRAS.values()) == EXTRAS["dev"]


def test_every_missing_extra_exists_and_brings_its_package():
    """Each call of require and MissingExtra in the package names an extra of pyproject that brings what is missing."""
    modules = {"distributed": "dask"}
    named = [
        pair
        for path in PACKAGE.rglob("*.py")
        for pair in re.findall(r'(?:require|MissingExtra)\("(\w+)", "(\w+)"\)', path.read_text(encoding="utf-8"))
    ]
    assert len(named) > 10
    for module, extra in named:
        assert modules.get(module, module) in EXTRAS[extra], (module, extra)


def test_dir_lists_what_is_public():
    """Names that are imported later too; neither TYPE_CHECKING nor modules."""
    names = {name for name in dir(irb) if not name.startswith("__")}
    assert names == set(irb.__all__)
    assert {"simulate", "collides", "clearance", "from_file"} <= names
    assert set(irb._LATER) <= names


MISSING = {
    "identify nothing.csv --robot irb2400": ("cvxpy", "identify"),
    "codegen irb1600 --what pose -o arm": ("casadi", "fast"),
    "equations irb1600 --what nothing": ("casadi", "fast"),
    "rapid program.mod": ("lark", "rapid"),
    "path program.mod --robot irb2400": ("lark", "rapid"),
    "validate log.parquet --robot irb2400": ("pyarrow", "logs"),
}


@pytest.mark.parametrize("command", MISSING)
def test_a_missing_extra_is_named_before_any_work(command, monkeypatch, tmp_path, capsys):
    """What comes later would fail too: the files hold nothing; yet it is the extra that is named, in one line."""
    from irbmodels.cli import main

    package, extra = MISSING[command]
    (tmp_path / "program.mod").write_text("MODULE nothing")
    (tmp_path / "log.parquet").write_text("nothing")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None if name == package else object())
    before = sorted(tmp_path.iterdir())
    assert main(command.split()) == 2
    assert capsys.readouterr().err == f"error: {package} is not installed; get it with: pip install 'irbmodels[{extra}]'\n"
    assert sorted(tmp_path.iterdir()) == before


def test_excitation_and_identify_name_their_extra_first(monkeypatch):
    """In Python too: arguments that are wrong are not looked at."""
    from irbmodels.identification.excitation import optimal_excitation, random_excitation
    from irbmodels.identification.verdict import identify

    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    for call in (optimal_excitation, random_excitation, lambda robot: identify(robot, [], [])):
        with pytest.raises(irb.MissingExtra):
            call(None)
