"""The version is written once, in pyproject.toml."""

import re
import runpy
import tomllib
from importlib import metadata
from pathlib import Path

import irbmodels as irb
from irbmodels import version

ROOT = Path(__file__).resolve().parents[2]


def version_read_again():
    """Return what the module says if it is run now; the one that is imported stays."""
    return runpy.run_path(version.__file__)["__version__"]


def test_the_version_is_that_of_pyproject():
    """An installed package has pyproject's number, wherever it is asked for; no module repeats
    it.
    """
    number = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    assert version_read_again() == irb.__version__ == metadata.version("irbmodels") == number
    assert re.fullmatch(r"\d+\.\d+\.\d+", number)  # as a ROS package needs it
    assert not [
        path
        for path in (ROOT / "irbmodels").rglob("*.py")
        if f'"{number}"' in path.read_text(encoding="utf-8")
    ]


def test_a_source_tree_that_is_not_installed_has_version_0(monkeypatch):
    """Nothing but the path leads to it: no metadata to ask."""

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert version_read_again() == "0.0.0"
