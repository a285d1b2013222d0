"""The version is written once, in pyproject.toml."""

import importlib
import re
import tomllib
from importlib import metadata
from pathlib import Path

import pytest

import irbmodels as irb
from irbmodels import version

ROOT = Path(__file__).resolve().parents[2]


@pytest.fixture
def reloaded():
    """The module, read again; once more after the test."""
    yield lambda: importlib.reload(version).__version__
    importlib.reload(version)


def test_the_version_is_that_of_pyproject(reloaded):
    """An installed package has pyproject's number, wherever it is asked for; no module repeats
    it.
    """
    number = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"][
        "version"
    ]
    assert reloaded() == irb.__version__ == metadata.version("irbmodels") == number
    assert not [
        path
        for path in (ROOT / "irbmodels").rglob("*.py")
        if f'"{number}"' in path.read_text(encoding="utf-8")
    ]


def test_a_source_tree_that_is_not_installed_has_version_0(reloaded, monkeypatch):
    """Nothing but the path leads to it: no metadata to ask; three numbers, as a ROS package needs
    them.
    """

    def missing(name):
        raise metadata.PackageNotFoundError(name)

    monkeypatch.setattr(metadata, "version", missing)
    assert reloaded() == "0.0.0"
    assert re.fullmatch(r"\d+\.\d+\.\d+", version.__version__)
    monkeypatch.undo()
