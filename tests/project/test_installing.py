"""What make installs: the tested versions, the package alone for the demo, and the rest into the
same environment.
"""

import importlib.util
import os
import re
import shutil
import subprocess
import sys
import tomllib
import zipfile
from importlib import metadata
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
MAKEFILE = (ROOT / "Makefile").read_text(encoding="utf-8")


def pins():
    """Versions of constraints.txt by canonical name."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()
    return {
        canonicalize_name(pin.name): pin
        for pin in (Requirement(line.partition("#")[0]) for line in lines[1:])
    }


def test_constraints_pin_every_dependency_within_its_bounds():
    """Each requirement of the package and its extras has one tested version, which its lower bound
    allows.
    """
    pinned = pins()
    for text in [
        *PROJECT["dependencies"],
        *(text for extra in PROJECT["optional-dependencies"].values() for text in extra),
    ]:
        requirement = Requirement(text)
        version = str(pinned[canonicalize_name(requirement.name)].specifier)
        assert version.startswith("=="), requirement.name
        assert version[2:] in requirement.specifier, f"{requirement} is tested with {version}"


def check_dist():
    """Return scripts/check_dist.py as a module."""
    spec = importlib.util.spec_from_file_location("check_dist", ROOT / "scripts" / "check_dist.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_a_wheel_with_more_or_less_than_the_package_is_refused():
    """Of the files of this tree none is amiss; one that is left out, of the tests, a cache or a
    picture is named.
    """
    check = check_dist()
    tree = check.packaged_files()
    metadata = {f"irbmodels-1.dist-info/{name}" for name in check.METADATA}
    assert len(tree) > 2000
    assert check.wrong_contents(tree | metadata, tree) == []
    left_out = {"irbmodels/py.typed", "irbmodels/__init__.pyi", "irbmodels/viewer/panel.js"}
    left_out |= {"irbmodels/urdf/robots.yaml", "irbmodels/meshes/LICENSE"}
    for name in left_out:  # from the wheel; from the tree, and so from both
        assert check.wrong_contents((tree | metadata) - {name}, tree) == [f"{name} is missing"]
        assert f"{name} is missing" in check.wrong_contents(metadata, {name})
    for name in (
        "tests/test_robot.py",
        "irbmodels/__pycache__/files.cpython-311.pyc",
        "irbmodels/docs/pictures/arms.png",
        "irbmodels/urdf/irb2400/photo.png",
        "irbmodels/meshes/irb2400/vendor.stl",
    ):
        for expected in (tree, tree | {name}):
            (*_, line) = check.wrong_contents({*tree, *metadata, name}, expected)
            assert line.startswith(f"{name} is of no kind"), expected
    lines = check.wrong_contents({*tree, *metadata, "irbmodels/left.py"}, tree)
    assert lines == ["irbmodels/left.py is not in the source tree"]
    lines = check.wrong_contents(tree | metadata - {min(metadata)} | {"x.dist-info/notes"}, tree)
    assert lines == [
        "METADATA of the metadata is missing",
        "notes of the metadata is not known",
    ]


def test_links_that_lead_nowhere_on_a_package_index_are_found():
    """Relative pictures and pages, in Markdown and in HTML; not those with an address."""
    page = (
        "[a](docs/a.md) ![b](docs/b.png) <img src='c.png'> [d](https://d) [e](#e) [f](mailto:f@g)"
    )
    assert check_dist().relative_links(page) == ["docs/a.md", "docs/b.png", "c.png"]


def test_archives_that_differ_name_what_differs(tmp_path):
    """Another text, another time and another mode of a member; none where bytes agree."""
    unlike = check_dist().unlike

    def wheel(name, text="a", date=(2020, 2, 2, 0, 0, 0), mode=0o644):
        (tmp_path / name).mkdir()
        with zipfile.ZipFile(tmp_path / name / "a.whl", "w") as archive:
            member = zipfile.ZipInfo("a.py", date)
            member.external_attr = mode << 16
            archive.writestr(member, text)
        return tmp_path / name / "a.whl"

    first = wheel("first")
    assert unlike(first, wheel("same")) == []
    others = wheel("text", text="b"), wheel("mode", mode=0o600)
    for other in (*others, wheel("time", date=(2021, 2, 2, 0, 0, 0))):
        assert unlike(first, other) != [], other


def test_constraints_are_sorted_and_name_packages_only():
    """One line per package, no file, no address."""
    lines = (ROOT / "constraints.txt").read_text(encoding="utf-8").splitlines()[1:]
    names = [canonicalize_name(Requirement(line.partition("#")[0]).name) for line in lines]
    assert names == sorted(set(names))
    assert not [line for line in lines if "/" in line or "@" in line]


def commands(folder, target):
    """Commands that make would run for ``target`` in ``folder``."""
    environment = {
        name: value for name, value in os.environ.items() if not name.startswith("MAKE")
    }  # of the make that runs tests
    done = subprocess.run(
        ["make", "--dry-run", target],
        cwd=folder,
        env=environment,
        capture_output=True,
        text=True,
        check=True,
    )
    return [line for line in done.stdout.splitlines() if not line.startswith("echo")]


@pytest.fixture
def fresh(tmp_path):
    """Folder with what make looks at, and nothing installed."""
    for name in ("Makefile", "pyproject.toml", "constraints.txt"):
        shutil.copy(ROOT / name, tmp_path)
    return tmp_path


def test_demo_installs_the_package_alone_and_tests_the_rest_into_the_same_environment(fresh):
    """From nothing, make demo makes .venv with the core; make test after it installs the extra dev
    and makes nothing anew.
    """
    installs = [line for line in commands(fresh, "demo") if "pip install" in line]
    assert [line.split()[-2:] for line in installs] == [["--editable", "."]]
    assert commands(fresh, "demo")[-1] == ".venv/bin/irbmodels demo"
    (fresh / ".venv").mkdir()
    (fresh / ".venv" / "installed-core").touch()
    assert commands(fresh, "demo") == [".venv/bin/irbmodels demo"]
    later = commands(fresh, "test")
    assert not [line for line in later if "-m venv" in line]
    assert [line.split()[-1] for line in later if "pip install" in line] == ['".[dev]"']
    (fresh / ".venv" / "installed-dev").touch()
    assert len(commands(fresh, "test")) == 1


def test_every_install_of_make_uses_the_tested_versions(fresh):
    """From nothing, each pip install names constraints.txt, and a change of it installs again."""
    installs = [line for line in commands(fresh, "test") if "pip install" in line]
    assert len(installs) == 2
    assert all("--constraint constraints.txt" in line for line in installs)
    assert "installed-core: pyproject.toml constraints.txt" in MAKEFILE


WITHOUT_POSIX = """
import os, shutil, signal, sys
from pathlib import Path

import numpy as np
import pinocchio
import platformdirs.unix

for module in ("fcntl", "grp", "pwd", "resource", "termios"):
    sys.modules[module] = None
for name in ("fork", "geteuid", "getuid", "register_at_fork", "sched_getaffinity", "sysconf", "uname"):
    delattr(os, name)
for name in ("SIGALRM", "SIGHUP", "SIGKILL"):
    delattr(signal, name)

def refused(*_, **__):
    raise OSError(1314, "a required privilege is not held by the client")

os.symlink = refused
import irbmodels as irb
from irbmodels.compiled import cache
from irbmodels.tables.description import mesh_folder
from irbmodels.viewer.browser import flags

cache._is_private = lambda status: True  # asks os.name, which pathlib does too
own = irb.new_robot("small_arm", "irb1600", Path("small_arm"))
shutil.copytree(mesh_folder(own) / "irb1600", own / "meshes" / "irb1600")
row = "limits: {axes: {axis_1: {speed_deg_s: 99, source: mine}}}"
mine = "about: one\\nsources: {mine: {ref: mine, grade: measured}}"
for name, robot, meshes in (("shipped", "irb2400", False), ("own", own, True)):
    overlay = Path(f"{name}.yaml")
    overlay.write_text(f"{mine}\\n{row}\\n")
    arm = irb.load(robot, overlays=[overlay])
    assert abs(np.degrees(arm.limits.velocity[0]) - 99.0) < 1e-9
    assert (arm.description.folder / "meshes").is_dir() == meshes
    assert arm.description.urdf()

arm = irb.load("irb930")
q = np.full((2000, 4), 0.1)
assert np.allclose(arm.gravity(q)[5], arm.gravity(q[5]))
with irb.Viewer(irb.Actor(arm)) as viewer:
    assert viewer.url
assert "--no-sandbox" not in flags()
print("works")
"""


def test_nothing_needs_what_only_posix_has(tmp_path):
    """Without forks, user ids, symbolic links and POSIX's modules, as on Windows: overlays, machine
    code and a live view work.
    """
    done = subprocess.run(
        [sys.executable, "-c", WITHOUT_POSIX],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.stdout == "works\n", done.stderr


NOTEBOOKS = [
    page
    for page in sorted((ROOT / "docs").rglob("*.md"))
    if "mystnb" in page.read_text(encoding="utf-8")[:100]
]


def names(requirements):
    """Canonical names of packages."""
    return {canonicalize_name(Requirement(text).name) for text in requirements}


@pytest.mark.parametrize("page", NOTEBOOKS, ids=lambda page: page.stem)
def test_the_extra_of_the_site_brings_what_its_notebooks_import(page):
    """What a notebook imports, and the extras that it says it needs, belong to the extra docs."""
    extras, text = PROJECT["optional-dependencies"], page.read_text(encoding="utf-8")
    brought = names([*PROJECT["dependencies"], *extras["docs"]])
    for extra in re.findall(r"irbmodels\[([\w,]+)\]", text):
        for name in extra.split(","):
            assert names(extras[name]) <= brought, name
    cells = "".join(re.findall(r"^```\{code-cell\}.*?^```", text, re.MULTILINE | re.DOTALL))
    modules = set(re.findall(r"^(?:import|from) (\w+)", cells, re.MULTILINE))
    packages = {"pinocchio": "pin", "pydrake": "drake"}  # of another name than their module
    foreign = {packages.get(name, name) for name in modules - sys.stdlib_module_names}
    assert foreign - {"irbmodels"} <= brought


def test_a_site_without_its_extra_names_package_and_extra(monkeypatch):
    """Before anything is built; packages of other extras may be missing."""
    monkeypatch.syspath_prepend(ROOT / "docs" / "_ext")
    extra = importlib.import_module("extra")
    needs = ["numpy>=2.0", 'sphinx; extra == "docs"', 'drake>=1.30; extra == "docs"']
    monkeypatch.setattr(extra, "requires", lambda _: [*needs, 'lark; extra == "rapid"'])

    def distribution(name):
        if name != "sphinx":
            raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(extra, "distribution", distribution)
    with pytest.raises(extra.ConfigError) as raised:
        extra.check_extra()
    assert str(raised.value) == "the site needs drake; get it with: pip install '.[docs]'"


def test_no_page_installs_what_is_not_published():
    """Who has nothing yet installs a folder or a wheel; an extra of the installed package is found
    by its name, without an index.
    """
    pages = [
        ROOT / "README.md",
        *(ROOT / "docs").rglob("*.md"),
        *(ROOT / "irbmodels").rglob("*.py"),
    ]
    texts = {page: page.read_text(encoding="utf-8") for page in pages}
    assert not [page for page, text in texts.items() if re.search(r"pip install irbmodels\b", text)]
    asked = re.findall(r"pip install ['\"]irbmodels\[([\w,]+)\]['\"]", "".join(texts.values()))
    extras = sorted({extra for row in asked for extra in row.split(",")})
    assert set(extras) <= set(PROJECT["optional-dependencies"])
    install = [sys.executable, "-m", "pip", "install", "--no-index", "--no-deps", "--dry-run"]
    done = subprocess.run(
        [*install, f"irbmodels[{','.join(extras)}]"], capture_output=True, text=True, check=False
    )
    assert "Requirement already satisfied: irbmodels[" in done.stdout, done.stderr
