"""Peers that some Pythons cannot have, and the one reason for which CI lets a test be skipped."""

from __future__ import annotations

import importlib
import platform
import sys
from types import ModuleType

import pytest

ABSENT = "absent peer: "
# as in pyproject.toml
WITHOUT_WHEEL = {"pybullet": sys.version_info >= (3, 12) or sys.platform != "linux"}
MODULES = {"drake": "pydrake"}


def require_peer(name: str) -> ModuleType:
    """Import a peer, or skip the test where the package index has no wheel of it; elsewhere a
    missing peer fails the test.
    """
    try:
        return importlib.import_module(MODULES.get(name, name))
    except ModuleNotFoundError:
        if not WITHOUT_WHEEL.get(name):
            raise
        pytest.skip(
            f"{ABSENT}{name} has no wheel for Python {platform.python_version()} on {sys.platform}"
        )
