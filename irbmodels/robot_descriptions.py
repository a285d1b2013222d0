"""Robots as modules of the package ``robot_descriptions``, for its loaders.

    import irbmodels.robot_descriptions
    from robot_descriptions.loaders.pinocchio import load_robot_description

    robot = load_robot_description("irb2400_description")

``NAME_description`` has the URDF and the SRDF of a variant or alias, ``NAME_serial_description``
the open chain of an arm with a parallelogram, ``NAME_mj_description`` the MuJoCo model, written
below the user's cache when it is first asked for. Without that package the modules are here: ``from
irbmodels.robot_descriptions import irb2400_description``.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Callable
from pathlib import Path
from types import ModuleType

from .errors import UnknownName
from .tables.description import Coupling, aliases, data_folder, describe, robots, urdf_path

__all__ = ["DESCRIPTIONS"]


class Description(ModuleType):
    """A module whose paths are looked up on access.

    It has ``URDF_PATH``, ``XACRO_PATH`` (give it ``robot:=NAME``), ``SRDF_PATH``, ``PACKAGE_PATH``
    (folder of the URDF, where its mesh paths start) and ``REPOSITORY_PATH``; one of MuJoCo
    ``MJCF_PATH``, ``PACKAGE_PATH`` and ``REPOSITORY_PATH``.
    """

    def __init__(self, name: str, doc: str, paths: dict[str, Callable[[], Path]]) -> None:
        """Make the module ``name`` of this package; ``paths`` find the files."""
        super().__init__(f"{__name__}.{name}", doc)
        self._paths = paths

    def __getattr__(self, name: str) -> str:
        """Return a path, and keep it."""
        if name.startswith("_") or name not in self._paths:
            raise AttributeError(f"module {self.__name__!r} has no attribute {name!r}")
        path = str(self._paths[name]())
        setattr(self, name, path)
        return path

    def __dir__(self) -> list[str]:
        """List the paths too."""
        return sorted({*super().__dir__(), *self._paths})


def _of_urdf(name: str, coupling: Coupling | None) -> dict[str, Callable[[], Path]]:
    def beside() -> Path:
        return urdf_path(name, coupling)

    return {
        "URDF_PATH": beside,
        "XACRO_PATH": lambda: data_folder() / "irb.urdf.xacro",
        "SRDF_PATH": lambda: describe(name).folder / f"{describe(name).name}.srdf",
        "PACKAGE_PATH": lambda: beside().parent,
        "REPOSITORY_PATH": lambda: data_folder().parent,
    }


def _of_mujoco(name: str) -> dict[str, Callable[[], Path]]:
    def written() -> Path:
        from .exchange.write import export
        from .robot.robot import load

        return export(load(name), "mjcf", _cache() / "mjcf" / describe(name).name)[0]

    return {
        "MJCF_PATH": written,
        "PACKAGE_PATH": lambda: written().parent,
        "REPOSITORY_PATH": lambda: written().parent,
    }


def _cache() -> Path:
    """Return the cache folder: of the variable ``IRBMODELS_CACHE``, or the user's own."""
    own = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(os.environ.get("IRBMODELS_CACHE") or Path(own) / "irbmodels").resolve()


def _modules() -> dict[str, Description]:
    modules = {}
    for name, variant in {**{name: name for name in robots()}, **aliases()}.items():
        paths = {
            f"{name}_description": _of_urdf(name, None),
            f"{name}_mj_description": _of_mujoco(name),
        }
        if (describe(variant).folder / f"{variant}_serial.urdf").is_file():
            paths[f"{name}_serial_description"] = _of_urdf(name, "serial")
        for module, entries in paths.items():
            modules[module] = Description(module, f"{module} of irbmodels.", entries)
    return modules


DESCRIPTIONS: dict[str, Description] = _modules()
"""The modules by name."""

for _name, _module in DESCRIPTIONS.items():
    sys.modules[f"{__name__}.{_name}"] = _module
    # where the loaders of that package look
    sys.modules.setdefault(f"robot_descriptions.{_name}", _module)


def __getattr__(name: str) -> Description:
    """Return a module by name.

    Raises:
        AttributeError: if there is no such module; the message has the nearest name.
    """
    if name.startswith("_"):
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    try:
        return DESCRIPTIONS[name]
    except KeyError:
        raise AttributeError(str(UnknownName("description", name, DESCRIPTIONS))) from None
