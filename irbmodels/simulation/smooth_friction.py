"""Friction laws that are smooth functions of a state: what to compare true stiction with, or to feed to a gradient.

A regularised law replaces the jump at zero speed by a steep slope, so that a loaded axis creeps.
LuGre [Canudas de Wit et al. 1995, IEEE TAC 40(3)] has a bristle per axis that bends before the axis
slips: it holds with a spring, and drifts under vibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..errors import InputError
from ..model.friction import Stribeck
from ..model.types import Array
from .mechanics import dry_level


class SmoothLaw(Protocol):
    """A law whose torque is a function of the speeds and of internal states."""

    @property
    def law(self) -> Stribeck:
        """The curve that it goes by."""
        ...

    @property
    def states(self) -> int:
        """Number of internal states."""
        ...

    def torque(self, v: Array, z: Array) -> tuple[Array, Array]:
        """Friction torque at speeds ``v`` and internal states ``z``, and the rate of ``z``."""
        ...


@dataclass(frozen=True, eq=False)
class Regularised:
    """Eq. 54 with ``tanh(v / width)`` for the sign."""

    law: Stribeck
    width: float | Array
    """Speed at which the torque has three quarters of its height [rad/s, m/s], one or per axis."""

    def __post_init__(self) -> None:
        """Check the width.

        Raises:
            InputError: if it is not positive.
        """
        object.__setattr__(self, "width", _positive(self.width, self.law, "width [rad/s]"))

    states = 0

    def torque(self, v: Array, z: Array) -> tuple[Array, Array]:
        """Friction torque, shape ``(n,)``; there are no internal states."""
        return dry_level(self.law, v) * np.tanh(v / self.width) + self.law.Fv * v, z


@dataclass(frozen=True, eq=False)
class LuGre:
    """``s0 z + s1 z' + Fv v`` with ``z' = v - s0 |v| z / g(v)``, ``g`` the dry part of eq. 54."""

    law: Stribeck
    stiffness: float | Array
    """``s0`` of the bristles [N m/rad, N/m], one or per axis.

    Nobody has measured it for these robots.
    """
    damping: float | Array
    """``s1`` of the bristles [N m s/rad, N s/m], one or per axis.

    More than ``Fv Fc / (Fs - Fc)`` can feed energy in, and let an axis go below Fs [Barahanov and
    Ortega 2000, IEEE TAC 45(4)].
    """

    def __post_init__(self) -> None:
        """Check stiffness and damping.

        Raises:
            InputError: if one is not positive, or only one of Fs and Fc is.
        """
        object.__setattr__(
            self, "stiffness", _positive(self.stiffness, self.law, "stiffness [N m/rad]")
        )
        object.__setattr__(
            self, "damping", _positive(self.damping, self.law, "damping [N m s/rad]")
        )
        if ((self.law.Fs > 0.0) != (self.law.Fc > 0.0)).any():
            raise InputError(
                "a bristle bends by Fs and Fc over its stiffness: both are positive, or both 0"
            )

    @property
    def states(self) -> int:
        """One deflection [rad, m] per axis."""
        return len(self.law.Fc)

    def torque(self, v: Array, z: Array) -> tuple[Array, Array]:
        """Friction torque and rate of the deflections, shape ``(n,)`` each.

        An axis without dry friction has no bristle.
        """
        level = dry_level(self.law, v)
        there = level > 0.0
        rate = np.where(
            there, v - self.stiffness * np.abs(v) * z / np.where(there, level, 1.0), 0.0
        )
        return self.stiffness * z + self.damping * rate + self.law.Fv * v, rate


FrictionLaw = Stribeck | Regularised | LuGre | bool


def numbers_of(law: Stribeck | SmoothLaw) -> dict[str, list[float]]:
    """Return every number of a law by its name, as plain data."""
    if isinstance(law, Stribeck):
        return {name: getattr(law, name).tolist() for name in ("Fs", "Fc", "Fv", "v_St")}
    return numbers_of(law.law) | {
        name: value.tolist() for name, value in vars(law).items() if isinstance(value, np.ndarray)
    }


def _positive(value: ArrayLike, law: Stribeck, what: str) -> Array:
    if not isinstance(law, Stribeck):
        raise InputError(
            f"a smooth law goes by an irbmodels.Stribeck, such as robot.friction_model, not {law!r}"
        )
    try:
        array = np.array(np.broadcast_to(np.asarray(value, dtype=float), law.Fc.shape))
    except (TypeError, ValueError):
        raise InputError(
            f"{what} must be one positive number or {law.Fc.size}, not {value!r}"
        ) from None
    if not (np.isfinite(array) & (array > 0.0)).all():
        raise InputError(f"{what} must be positive, not {array.tolist()}")
    array.setflags(write=False)
    return array
