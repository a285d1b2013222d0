"""Kinematics and dynamics of ABB's industrial arms in the controller's own axes.

Public names are those of ``__init__.pyi``, one line each, which type checkers read as well; a name
is imported when it is first asked for, since Pinocchio alone takes longer to import than all that a
script may want of this package.
"""

import re
import sys
from importlib import import_module
from pathlib import Path

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
_MODULES = {
    name: module
    for module, name in re.findall(r"^from (\S+) import (\w+) as \2$", _STUB, flags=re.MULTILINE)
}

__all__ = sorted(name for name in _MODULES if not name.startswith("_"))


def __dir__() -> list[str]:
    """Return the public names, imported or not."""
    return sorted({*_MODULES, *(name for name in globals() if name.startswith("__"))})


def __getattr__(name: str) -> object:
    """Import a public name, and keep it."""
    if name not in _MODULES:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    value = globals()[name] = getattr(import_module(_MODULES[name], __name__), name)
    if robots := sys.modules.get(f"{__name__}.robot.robot"):
        robots.Robot._repr_html_ = _notebook  # the one thing that a robot has from a room above
    return value


def _notebook(robot: object) -> str:
    return import_module(".viewer.sketch", __name__).sketch(robot)
