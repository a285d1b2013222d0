"""Tool and payload: ABB's ``tooldata`` and ``loaddata`` in SI units."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import get_args

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, as_path, finite, positive
from ..errors import InputError, UnknownName, warn
from .equality import ByValue
from .inertia import Inertial, gyration
from .provenance import Grade

REACH = 1.0  # [m] of a centre of mass from the TCP or flange
WIDEST = 10.0  # [m] of a radius of gyration; of a tensor in kg mm^2 it is a thousandfold
# [mm] no tool has both its TCP and its centre of mass this near to the flange: they count in metres
_POINT = 3.0
LONGEST = 5.0  # [m] of a TCP from the flange


@dataclass(frozen=True, eq=False)
class Tool(ByValue):
    """TCP frame in tool0, and the tool's load in the axes of tool0."""

    name: str
    tcp: pin.SE3
    """``tool0_from_tcp``; always a copy, since a ``pin.SE3`` can be written into."""
    load: Inertial
    source: str = "given in code"
    grade: str = "assumed"
    path: Path | None = None
    """Its table, where it came from one."""

    def __post_init__(self) -> None:
        """Keep a frame and a load of its own, and check both.

        Raises:
            InputError: if the name is no text, the frame no ``pin.SE3``, or no body can have the
                load.
            UnknownName: if the grade is none.
        """
        for what in ("name", "source", "grade"):
            as_instance(getattr(self, what), str, f"the {what} of a tool is a text")
        if self.grade not in get_args(Grade):
            raise UnknownName("grade", self.grade, get_args(Grade))
        if self.path is not None:
            as_path(self.path, "the table of a tool")
        tcp = vars(self)["_tcp"]
        if not isinstance(tcp, pin.SE3) or not np.isfinite(tcp.homogeneous).all():
            raise InputError(f"tcp of tool {self.name!r} is no pin.SE3 of finite numbers")
        if (far := float(np.linalg.norm(tcp.translation))) > LONGEST:
            raise InputError(
                f"tcp of tool {self.name!r} is {far:.4g} m from the flange; are these mm? it counts"
                " in m"
            )
        as_instance(
            self.load,
            Inertial,
            f"the load of tool {self.name!r} is an Inertial, as irbmodels.payload makes it",
        )
        object.__setattr__(self, "load", Inertial.of(*self.load))
        if self.load.mass or np.any(self.load.tensor):
            try:
                payload(*self.load)
            except InputError as err:
                raise InputError(f"load of tool {self.name!r}: {err}") from None


class _OwnPose:
    """Descriptor of a pose that copies on setting and on getting."""

    def __get__(self, owner: Tool | None, kind: type[Tool]) -> pin.SE3:
        return self if owner is None else vars(owner)["_tcp"].copy()

    def __set__(self, owner: Tool, pose: pin.SE3) -> None:
        vars(owner)["_tcp"] = pose.copy() if isinstance(pose, pin.SE3) else pose


Tool.tcp = _OwnPose()


def doubt_metres(numbers: Sequence[float], whose: str) -> None:
    """Warn of a TCP and a centre of mass [mm] so near to the flange that they seem to be in m."""
    if 0.0 < max(map(abs, numbers)) < _POINT:
        message = (
            f"{whose}: TCP and centre of mass are within {_POINT:g} mm of the flange: these are mm,"
            " not m"
        )
        warn(message)


def payload(
    mass: float, com: ArrayLike = (0.0, 0.0, 0.0), inertia: ArrayLike | None = None
) -> Inertial:
    """Return a payload, ABB's ``loaddata``, in the TCP frame.

    It has mass [kg], centre of mass [m] and tensor about it [kg m^2]. Without ``inertia`` it is a
    point mass, as ABB takes ``loaddata`` whose moments are all zero.

    Raises:
        InputError: if the mass is not positive, an array has the wrong shape, no body can have
            these numbers, or the centre is farther away than a metre, or the radius of gyration is
            more than 10 m (mm?).

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> loaded = robot.with_payload(irb.payload(3.0, com=[0.0, 0.0, 0.05]))
        >>> (loaded.gravity(q) - robot.gravity(q)).round(1)
        array([  0. ,  -7.1, -22.7,   0. ,  -0.1,   0. ])
    """
    weight, centre = (
        positive(mass, "the mass of a payload [kg]"),
        finite(com, (3,), "the centre of mass of a payload [m]"),
    )
    tensor = finite(
        np.zeros((3, 3)) if inertia is None else inertia, (3, 3), "the tensor of a payload [kg m^2]"
    )
    if (far := float(np.linalg.norm(centre))) > REACH:
        raise InputError(
            f"the centre of mass of a payload is {far:.4g} m away; are these mm? it counts in m"
        )
    # R I R' rounds to 1e-16 of it
    symmetric = np.allclose(tensor, tensor.T, rtol=0.0, atol=1e-12 * abs(tensor).max())
    if not symmetric:
        raise InputError(
            f"the tensor of a payload [kg m^2] must be symmetric, got {tensor.tolist()}"
        )
    body = Inertial.of(weight, centre, tensor)
    if (wide := gyration(body)) > WIDEST:
        raise InputError(
            f"a payload of {weight:g} kg has a radius of gyration of {wide:.4g} m; is its tensor in"
            " kg mm^2?"
        )
    wrong = body.impossibilities() if tensor.any() else []
    if wrong:
        raise InputError(f"no body can be this payload: {'; '.join(wrong)}")
    return body
