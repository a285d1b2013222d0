"""The extra ``docs``: what the site is built with, and what its notebooks import."""

from __future__ import annotations

from importlib.metadata import PackageNotFoundError, distribution, requires

from packaging.requirements import Requirement
from sphinx.errors import ConfigError


def check_extra() -> None:
    """Check that all packages of the extra are installed, before a notebook fails without one.

    Raises:
        ConfigError: with the packages that are not, and the extra that brings them.
    """
    missing = []
    for need in map(Requirement, requires("irbmodels") or []):
        if need.marker and need.marker.evaluate({"extra": "docs"}):
            try:
                distribution(need.name)
            except PackageNotFoundError:
                missing.append(need.name)
    if missing:
        raise ConfigError(
            f"the site needs {', '.join(missing)}; get it with: pip install '.[docs]'"
        )
