"""Friction and rotors of joints, as URDF, SDF and MJCF state them, made drives of the axes."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple
from xml.etree.ElementTree import Element

import numpy as np

from ..errors import UrdfError
from .coupling import AxisCoupling
from .friction import ANY_SPEED, Stribeck
from .types import Array, Mask

ROUNDING = 1e-12  # of sums and products of turns, relative to the largest
INDEPENDENT = 1e-6  # least part of a direction that no other has


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


class JointRotor(NamedTuple):
    """A rotor that joints turn."""

    inertia: float
    """On the arm side [kg m^2, kg]."""
    turned_by: dict[str, float]
    """Turns of the rotor per turn of each joint."""


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


class JointDrives(NamedTuple):
    """Drives of axes that stand for friction and rotors of joints."""

    axes: Array
    """Turns of the drives per turn of the axes, shape ``(n, n)``."""
    rotors: Array
    """Rotor inertias [kg m^2, kg], shape ``(n,)``."""
    friction: Stribeck | None
    """None where no part has friction that a law per drive can represent."""
    incomplete: list[str]
    """Axes of parts whose friction had to be left out."""


def joint_drives(
    friction: Sequence[JointFriction], rotors: Sequence[JointRotor], coupling: AxisCoupling
) -> JointDrives:
    """Return drives with the friction and the rotors of joints, and of what joints turn together.

    A part that turns ``g`` times as fast as drive i adds ``g^2 d`` and ``|g| f`` to it. Of a part
    that turns with several drives, no law per drive holds dry friction; viscous friction of such
    parts is kept where together it couples no drives. So drives are the axes if nothing is lost by
    that, else they turn as the parts do, where these move independently. Rotors are always kept.

    Args:
        friction: Friction of joints, and of what several joints turn.
        rotors: Rotors likewise.
        coupling: Of the tree with these joints.
    """
    n = len(coupling.axes)
    turns = _turns([part.turned_by for part in friction], coupling)
    rotor_turns = _turns([rotor.turned_by for rotor in rotors], coupling)
    J = (rotor_turns.T * [rotor.inertia for rotor in rotors]) @ rotor_turns
    dry = np.array([part.coulomb > 0.0 for part in friction], dtype=bool)
    made: list[JointDrives] = []
    for rows in (
        np.empty((0, n)),
        np.concatenate([rotor_turns, turns]),
        np.concatenate([rotor_turns, turns[dry]]),
        np.linalg.eigh(J)[1].T,  # as many rotors as there are axes, with the same effect
    ):
        D = _drives_along(rows)
        if D is None:
            continue
        back = np.linalg.inv(D)
        inertia = back.T @ J @ back
        if _is_diagonal(inertia):
            law, lost = _friction(friction, _without_rounding(turns @ back))
            names = [coupling.axes[i] for i in np.flatnonzero(turns[lost].any(axis=0))]
            made.append(JointDrives(D, np.maximum(np.diagonal(inertia), 0.0), law, names))
    return min(made, key=lambda drives: len(drives.incomplete))


def _turns(turned_by: Sequence[dict[str, float]], coupling: AxisCoupling) -> Array:
    """Turns of parts per turn of each axis, shape ``(parts, n)``."""
    rows = np.zeros((len(turned_by), len(coupling.joints)))
    for row, joints in zip(rows, turned_by, strict=True):
        for name, factor in joints.items():
            row[coupling.joints.index(name)] += factor
    return np.asarray(rows @ coupling.G)


def _drives_along(rows: Array) -> Array | None:
    """Return drives, one of which turns as each of the rows; None where rows are dependent.

    They turn once per turn of their own axis, and the others are the axes'.
    """
    from scipy.linalg import qr
    from scipy.optimize import linear_sum_assignment

    n = rows.shape[1]
    directions: list[Array] = []
    for row in rows[rows.any(axis=1)]:
        unit = row / np.linalg.norm(row)
        if not any(abs(unit @ other) > 1.0 - ROUNDING for other in directions):
            directions.append(unit)
    D = np.eye(n)
    if not directions:
        return D
    units = np.array(directions)
    # columns from the last axis on: of two axes a motor of a wrist stands at the outer one
    _, R, pivots = qr(units[:, ::-1], mode="economic", pivoting=True)
    if len(units) > n or abs(R[-1, len(units) - 1]) < INDEPENDENT:
        return None
    axes = np.sort(n - 1 - pivots[: len(units)])
    with np.errstate(divide="ignore"):
        sizes = np.log(np.abs(units[:, axes]))
    drives, columns = linear_sum_assignment(np.maximum(sizes, -1e3), maximize=True)
    for drive, column in zip(drives, columns, strict=True):
        D[axes[column]] = units[drive] / units[drive, axes[column]]
    return D


def _friction(parts: Sequence[JointFriction], turns: Array) -> tuple[Stribeck | None, Mask]:
    """Law of drives, and the parts that it is without; ``turns`` of parts per turn of drives."""
    n = turns.shape[1]
    viscous, coulomb, coupled = np.zeros(n), np.zeros(n), np.zeros((n, n))
    several = np.count_nonzero(turns, axis=1) > 1
    lost = np.zeros(len(parts), dtype=bool)
    for number, (part, row) in enumerate(zip(parts, turns, strict=True)):
        if several[number]:
            coupled += part.damping * np.outer(row, row)
            lost[number] = part.coulomb > 0.0
        else:
            viscous += part.damping * np.square(row)
            coulomb += part.coulomb * np.abs(row)
    if _is_diagonal(coupled):
        viscous += np.diagonal(coupled)
    else:
        lost |= several & np.array([part.damping > 0.0 for part in parts], dtype=bool)
    known = viscous.any() or coulomb.any()
    return Stribeck(coulomb, coulomb, viscous, np.full(n, ANY_SPEED)) if known else None, lost


def _is_diagonal(matrix: Array) -> bool:
    diagonal = np.diagonal(matrix)
    return bool(np.abs(matrix - np.diag(diagonal)).max() <= ROUNDING * diagonal.max())


def _without_rounding(rows: Array) -> Array:
    largest = np.abs(rows).max(axis=1, initial=0.0, keepdims=True)
    return np.where(np.abs(rows) <= ROUNDING * largest, 0.0, rows)
