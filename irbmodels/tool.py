"""What the robot carries: ABB's ``tooldata`` and ``loaddata`` in SI units."""

from __future__ import annotations

from dataclasses import dataclass
from math import radians
from pathlib import Path

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .description import check_shape, mesh_folder, tool_path
from .errors import InputError, TableError
from .inertia import Inertial
from .rows import ToolTable
from .tables import read

Array = NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Tool:
    """TCP frame in tool0, and the tool's load in the axes of tool0."""

    name: str
    tcp: pin.SE3
    """``tool0_from_tcp``."""
    load: Inertial
    source: str = "given in code"
    grade: str = "assumed"
    path: Path | None = None
    """Its table, where it came from one."""

    def __post_init__(self) -> None:
        """Keep a frame of its own, and check the load.

        Raises:
            InputError: if the frame is no ``pin.SE3``, or no body can have the load.
        """
        if not isinstance(self.tcp, pin.SE3) or not np.isfinite(self.tcp.homogeneous).all():
            raise InputError(f"tcp of tool {self.name!r} is no pin.SE3 of finite numbers")
        object.__setattr__(self, "tcp", self.tcp.copy())
        if self.load.mass or np.any(self.load.tensor):
            try:
                payload(*self.load)
            except InputError as err:
                raise InputError(f"load of tool {self.name!r}: {err}") from None


def load_tool(name_or_path: str | Path) -> Tool:
    """Read a shipped tool by name, or a tool table by path.

    Raises:
        UnknownName: if there is no such tool.
        TableError: if the table breaks the format, or no body can have its load.
    """
    path = tool_path(name_or_path)
    table = read(path, ToolTable)
    inertial = table.load.inertial()
    wrong = inertial.impossibilities()
    if wrong:
        raise TableError(path, "load", "; ".join(wrong))
    for key, rows in (("shapes", table.shapes), ("collision", table.collision)):
        for number, row in enumerate(rows):
            check_shape(row, path, f"{key}[{number}]", mesh_folder(path.parent))
    turn = pin.rpy.rpyToMatrix(*(radians(angle) for angle in table.tcp.rpy_deg))
    source = table.sources[table.load.source_of("mass_kg")]
    return Tool(path.stem, pin.SE3(turn, np.array(table.tcp.xyz_mm) / 1000.0), inertial, source.ref, source.grade, path)


def payload(mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike | None = None) -> Inertial:
    """Return a payload, ABB's ``loaddata``: mass [kg], centre of mass [m] and tensor about it [kg m^2] in the TCP frame.

    Without ``inertia`` it is a point mass, as ABB takes ``loaddata`` whose moments are all zero.

    Raises:
        InputError: if the mass is not positive, an array has the wrong shape, or no body can have these numbers.
    """
    try:
        weight, centre = float(mass), np.asarray(com, dtype=float)
        tensor = np.zeros((3, 3)) if inertia is None else np.asarray(inertia, dtype=float)
    except (TypeError, ValueError) as err:
        raise InputError(f"a payload needs numbers: {err}") from None
    if centre.shape != (3,) or tensor.shape != (3, 3) or not np.isfinite(centre).all() or not np.isfinite(tensor).all():
        raise InputError("a payload needs a finite centre of mass (3,) and tensor (3, 3)")
    symmetric = np.allclose(tensor, tensor.T, rtol=0.0, atol=1e-12 * abs(tensor).max())  # R I R' rounds to 1e-16 of it
    if not (np.isfinite(weight) and weight > 0.0 and symmetric):
        raise InputError(f"a payload needs a positive mass (got {mass!r}) and a symmetric tensor")
    body = Inertial.of(weight, centre, tensor)
    wrong = body.impossibilities() if tensor.any() else []
    if wrong:
        raise InputError(f"no body can be this payload: {'; '.join(wrong)}")
    return body
