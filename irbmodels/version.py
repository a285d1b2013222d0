"""Version of the installed package; ``pyproject.toml`` is the one place that states it."""

from importlib.metadata import PackageNotFoundError, version

try:
    __version__ = version("irbmodels")
except PackageNotFoundError:  # a source tree that is not installed
    __version__ = "0.0.0"
