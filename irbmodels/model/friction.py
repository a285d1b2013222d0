"""Stribeck friction per axis (S000 eq. 54), in axis coordinates, each axis with its own gearbox."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from xml.etree.ElementTree import Element

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite, numbers, short_repr
from ..errors import InputError, UrdfError
from .coupling import AxisCoupling
from .types import Array, Mask

ANY_SPEED = 1.0  # stands for a Stribeck speed that has no influence
NAMES = ("Fs", "Fc", "Fv", "v_St")
"""Parameters of the law."""


@dataclass(frozen=True, eq=False)
class Stribeck:
    """``(Fc + (Fs - Fc) exp(-(v / v_St)^2)) sgn(v) + Fv v`` with ``sgn(0) = 0``.

    Arrays of shape ``(n,)``, arm side.
    """

    Fs: Array
    """Static friction [N m, N]."""
    Fc: Array
    """Coulomb friction [N m, N]."""
    Fv: Array
    """Viscous friction [N m s/rad, N s/m]."""
    v_St: Array
    """Stribeck speed [rad/s, m/s]; without influence where ``Fs = Fc``."""
    measured_to: float | None = None
    """Speed up to which it was measured [rad/s, m/s]; beyond it the law is extrapolation."""

    def __post_init__(self) -> None:
        """Keep read-only copies."""
        for name in NAMES:
            array = numbers(getattr(self, name), f"{name} of a friction law")
            array.setflags(write=False)
            object.__setattr__(self, name, array)

    @property
    def falls(self) -> Mask:
        """True for axes whose dry friction falls from Fs to Fc with speed, shape ``(n,)``.

        ``v_St`` has no influence on the others.
        """
        return np.asarray(self.Fs != self.Fc, dtype=bool)

    @property
    def terms(self) -> str:
        """The terms that are not zero, in words."""
        if self.falls.any():
            return "Stribeck"
        return (
            " and ".join(
                name for name, term in (("viscous", self.Fv), ("Coulomb", self.Fc)) if term.any()
            )
            or "no"
        )

    def same_as(self, other: Stribeck) -> bool:
        """Return whether both laws have the same numbers."""
        return all(np.array_equal(getattr(self, name), getattr(other, name)) for name in NAMES)

    def torque(self, v: Array) -> Array:
        """Friction torque at speeds ``(..., n)``: positive where it opposes a positive speed."""
        if v.ndim == 1:  # on six numbers this loop takes half the time of the formula below
            one_state = []
            for speed, (coulomb, drop, steepness, viscous) in zip(
                v.tolist(), self._rows, strict=True
            ):
                dry = (
                    math.copysign(coulomb + drop * math.exp(steepness * speed * speed), speed)
                    if speed
                    else 0.0
                )
                one_state.append(dry + viscous * speed)
            return np.array(one_state)
        level = self.Fc + (self.Fs - self.Fc) * np.exp(-np.square(v / self.v_St))
        return np.asarray(level * np.sign(v) + self.Fv * v)

    @cached_property
    def _rows(self) -> list[tuple[float, float, float, float]]:
        steepness = -1.0 / np.square(self.v_St)
        return list(
            zip(
                self.Fc.tolist(),
                (self.Fs - self.Fc).tolist(),
                steepness.tolist(),
                self.Fv.tolist(),
                strict=True,
            )
        )

    def derivative(self, v: ArrayLike) -> Array:
        """``d torque / d v``, shape ``(..., n)``.

        At ``v = 0`` it is ``Fv``, the slope of the continuous part.
        """
        speed = np.asarray(v, dtype=float)
        ratio = speed / self.v_St
        falling = -2.0 * (self.Fs - self.Fc) / self.v_St * np.abs(ratio) * np.exp(-np.square(ratio))
        return np.asarray(self.Fv + falling)

    def parameters(self) -> Array:
        """``Fv, Fc, Fs - Fc`` per axis, axis after axis, shape ``(3 n,)``.

        The torque is linear in them.
        """
        return np.stack([self.Fv, self.Fc, self.Fs - self.Fc], axis=1).ravel()

    def regressor(self, v: Array) -> Array:
        """Matrix ``(n, 3 n)`` from :meth:`parameters` to a state's torque; ``v_St`` is fixed."""
        stribeck = np.exp(-np.square(v / self.v_St)) * np.sign(v)
        columns = np.stack([v, np.sign(v), stribeck], axis=1)
        return np.asarray((np.eye(len(v))[:, :, None] * columns).reshape(len(v), -1))


@dataclass(frozen=True)
class JointFriction:
    """Viscous and Coulomb friction of one part of a mechanism, as URDF, SDF and MJCF state it."""

    damping: float
    """[N m s/rad, N s/m]."""
    coulomb: float
    """[N m, N]."""
    turned_by: dict[str, float]
    """Speed of the part per speed of the joints that move it."""

    def __post_init__(self) -> None:
        """Refuse friction that would drive the part, or is no number."""
        if not (0.0 <= self.damping < math.inf and 0.0 <= self.coulomb < math.inf):
            stated = (
                f"friction of {', '.join(self.turned_by)}: damping {self.damping:g} and friction"
                f" {self.coulomb:g}"
            )
            raise UrdfError(f"{stated} should be finite and not negative")


def friction_of_urdf(robot: Element) -> list[JointFriction]:
    """Return the friction in the ``<dynamics>`` tags of a URDF.

    Joints without one, or with zeros, are left out.

    Raises:
        UrdfError: if a value is negative, infinite or no number.
    """
    parts = []
    for joint in robot.iterfind("joint"):
        tag, name = joint.find("dynamics"), str(joint.get("name"))
        if tag is not None and joint.get("type") != "fixed":
            damping, coulomb = (_stated(tag, key, name) for key in ("damping", "friction"))
            if damping or coulomb:
                parts.append(JointFriction(damping, coulomb, {name: 1.0}))
    return parts


def _stated(tag: Element, key: str, joint: str) -> float:
    text = tag.get(key, "0")
    try:
        return float(text)
    except ValueError:
        raise UrdfError(f"<dynamics> of joint {joint!r}: {key}={text!r} is no number") from None


def axis_friction(
    parts: Sequence[JointFriction], coupling: AxisCoupling
) -> tuple[Stribeck | None, list[str]]:
    """Return the friction of axes that results from that of joints, and axes it is incomplete for.

    A part that turns ``g`` times as fast as axis i adds ``g^2 d`` and ``|g| f`` to it (``tau = G'
    tau_tree``). One that several axes turn has no law per axis; of such parts viscous friction is
    kept where together it couples no axes.

    Args:
        parts: Friction of joints, and of what several joints turn.
        coupling: Of the tree with these joints.

    Returns:
        The law, None where no part has friction that a law per axis can represent; and the axes of
        parts that had to be left out.
    """
    n = len(coupling.axes)
    viscous, coulomb, coupled, lost = (
        np.zeros(n),
        np.zeros(n),
        np.zeros((n, n)),
        np.zeros(n, dtype=bool),
    )
    for part in parts:
        speeds = sum(
            (
                factor * coupling.G[coupling.joints.index(name)]
                for name, factor in part.turned_by.items()
            ),
            np.zeros(n),
        )
        if np.count_nonzero(speeds) <= 1:
            viscous += part.damping * np.square(speeds)
            coulomb += part.coulomb * np.abs(speeds)
        else:
            coupled += part.damping * np.outer(speeds, speeds)
            if part.coulomb:
                lost |= speeds != 0.0
    diagonal = np.diagonal(coupled)
    if np.abs(coupled - np.diag(diagonal)).max() <= 1e-12 * diagonal.max():  # rounding of the sums
        viscous += diagonal
    else:
        lost |= diagonal > 0.0
    known = viscous.any() or coulomb.any()
    law = Stribeck(coulomb, coulomb, viscous, np.full(n, ANY_SPEED)) if known else None
    return law, [name for name, is_lost in zip(coupling.axes, lost, strict=True) if is_lost]


def frictionless(n: int) -> Stribeck:
    """Return the law of ``n`` axes without friction."""
    return Stribeck(np.zeros(n), np.zeros(n), np.zeros(n), np.full(n, ANY_SPEED))


def check_law(law: Stribeck, n: int) -> Stribeck:
    """Return a law that ``n`` axes can have.

    Raises:
        InputError: if it is no law, of other axes, or would drive an axis.
    """
    if not isinstance(law, Stribeck):
        raise InputError(f"a friction law is an irbmodels.Stribeck, not {short_repr(law)}")
    static, coulomb, viscous, stribeck = (
        finite(getattr(law, name), (n,), f"{name} of the friction law") for name in NAMES
    )
    wrong = np.flatnonzero(
        (static < coulomb) | (coulomb < 0.0) | (viscous < 0.0) | (stribeck <= 0.0)
    )
    if wrong.size:
        raise InputError(
            f"friction of axis {wrong[0] + 1} would drive it: needs Fs >= Fc >= 0, Fv >= 0 and v_St"
            f" > 0, got Fs {static[wrong[0]]:g}, Fc {coulomb[wrong[0]]:g}, Fv"
            f" {viscous[wrong[0]]:g}, v_St {stribeck[wrong[0]]:g}"
        )
    return law
