"""Smooth friction laws, to compare with true stiction or to differentiate.

A regularised law replaces the jump at zero speed by a steep slope, so that a loaded axis creeps.
LuGre [Canudas de Wit et al. 1995, IEEE TAC 40(3)] has a bristle per axis that bends before the axis
slips: it holds with a spring, and drifts under vibration.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_instance, per_axis
from ..errors import InputError
from ..model.friction import FURTHER, NAMES, Stribeck
from ..model.types import Array
from .mechanics import dry_friction, viscous_slope


class SmoothLaw(Protocol):
    """A law whose torque is a function of the speeds and of internal states."""

    @property
    def law(self) -> Stribeck:
        """Its Stribeck curve."""
        ...

    @property
    def states(self) -> int:
        """Number of internal states."""
        ...

    def torque(self, v: Array, z: Array, load: Array | None) -> tuple[Array, Array]:
        """Friction torque and rate of the internal states.

        Args:
            v: Speeds of the drives.
            z: Internal states.
            load: Static torques at the drives, where the law needs them.
        """
        ...


@dataclass(frozen=True, eq=False)
class Regularised:
    """A Stribeck law with ``tanh(v / width)`` for the sign."""

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

    def torque(self, v: Array, z: Array, load: Array | None) -> tuple[Array, Array]:
        """Friction torque, shape ``(n,)``; there are no internal states."""
        sign = np.tanh(v / self.width)
        dry = dry_friction(self.law, v, load) * sign + self.law.dFc * sign * sign
        return dry + viscous_slope(self.law, v) * v, z


@dataclass(frozen=True, eq=False)
class LuGre:
    """Bristles ``s0 z + s1 z'`` and viscous friction, with ``z' = v - s0 |v| z / g(v)``.

    ``g`` is dry friction in the direction of the speed, ``Fc + ... + dFc sgn(v)``.
    """

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
        for name, unit in (("stiffness", "N m/rad"), ("damping", "N m s/rad")):
            value = _positive(getattr(self, name), self.law, f"{name} [{unit}]")
            object.__setattr__(self, name, value)
        law = self.law
        least = np.minimum(law.Fs, law.Fc) - np.abs(law.dFc)
        if ((least <= 0.0) & ((law.Fs > 0.0) | (law.Fc > 0.0) | (law.mu > 0.0))).any():
            raise InputError(
                "a bristle bends by Fs and Fc over its stiffness: both are positive, or both 0, and"
                " more than |dFc| and 0 where dFc or mu is not 0"
            )

    @property
    def states(self) -> int:
        """One deflection [rad, m] per axis."""
        return len(self.law.Fc)

    def torque(self, v: Array, z: Array, load: Array | None) -> tuple[Array, Array]:
        """Friction torque and rate of the deflections, shape ``(n,)`` each.

        A drive without dry friction has no bristle.
        """
        level = dry_friction(self.law, v, load) + self.law.dFc * np.sign(v)
        has_dry = level > 0.0
        bend = self.stiffness * np.abs(v) * z / np.where(has_dry, level, 1.0)
        rate = np.where(has_dry, v - bend, 0.0)
        return self.stiffness * z + self.damping * rate + viscous_slope(self.law, v) * v, rate


FrictionLaw = Stribeck | Regularised | LuGre | bool


def parameters_of(law: Stribeck | SmoothLaw) -> dict[str, list[float]]:
    """Return the parameters of a law by their names, as plain data."""
    if isinstance(law, Stribeck):
        return {name: getattr(law, name).tolist() for name in (*NAMES, *FURTHER)}
    return parameters_of(law.law) | {
        name: value.tolist() for name, value in vars(law).items() if isinstance(value, np.ndarray)
    }


def _positive(value: ArrayLike, law: Stribeck, what: str) -> Array:
    kind = "a smooth law goes by an irbmodels.Stribeck, such as robot.friction_model"
    array = per_axis(value, as_instance(law, Stribeck, kind).Fc.size, what)
    if not (np.isfinite(array) & (array > 0.0)).all():
        raise InputError(f"{what} must be positive, not {array.tolist()}")
    array.setflags(write=False)
    return array
