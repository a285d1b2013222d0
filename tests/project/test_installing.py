"""What make installs: the tested versions, the package alone for the demo, and the rest into the
same environment.
"""

import os
import shutil
import subprocess
import tomllib
import zlib
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


def test_the_wheel_is_small():
    """Packed as in a wheel or worse, package, tables and meshes are below the 25 MB that
    scripts/check_dist.py asks of the real one.
    """
    files = [
        path
        for folder in ("irbmodels", "urdf", "meshes")
        for path in (ROOT / folder).rglob("*.*")
        if path.is_file() and "__pycache__" not in path.parts
    ]
    assert len(files) > 1000
    assert sum(len(zlib.compress(path.read_bytes(), 1)) for path in files) < 25e6


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
