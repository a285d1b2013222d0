"""Friction of joints, as URDF, SDF and MJCF state it, made a law of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import UrdfError
from .coupling import AxisCoupling
from .friction import ANY_SPEED, Stribeck


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
