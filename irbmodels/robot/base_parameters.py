"""Base parameters: the least combinations of parameters that a robot's torques depend on.

Of the columns of ``robot.regressor`` some are always zero and some are sums of others. What is
left, with the coefficients of the sums, is found numerically: QR with column pivoting of the
regressor stacked over random states [Gautier 1991].
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ..checks import finite
from ..dynamics import equations_of_motion as dynamics
from ..errors import InputError, MissingData
from ..model.axis_springs import names_of, units_of
from ..model.friction import KINDS
from ..model.types import Array, Mask
from .base import RobotBase

STATES = 80  # rows are 80 n, columns at most 11 n + 3 n + 10 bars
# share of a unit column that rounding leaves of a sum of others; kept ones have 1e-3 and more
DEPENDENT = 1e-9
OF_BODY = ("m", "mx", "my", "mz", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz")
UNITS_OF_BODY = ("kg", *["kg m"] * 3, *["kg m^2"] * 6)


@dataclass(frozen=True, eq=False)
class BaseParameters:
    """Independent columns of a regressor and their parameters: ``Y pi = Y[:, columns] beta``."""

    columns: tuple[int, ...]
    """Columns of ``robot.regressor`` that are kept, in its order.

    As many as there are base parameters.
    """
    grouping: Array
    """``(rank, p)``: ``beta = grouping @ robot.parameter_vector()``.

    1 at its own column in each row.
    """
    names: tuple[str, ...]
    """The sums, such as ``Izz_1 + 0.3136 m_2``.

    The number of a body is that of its joint, moments are about its origin.
    """
    units: tuple[str, ...]
    axes: tuple[int, ...]
    """Axes that move, 0-based: rows of the regressor in use."""
    gap: tuple[float, float]
    """Least independent part of a column kept, and largest of one dropped, both of unit columns."""

    @property
    def rank(self) -> int:
        """Number of base parameters."""
        return len(self.columns)

    def reduced(self, regressor: Array) -> Array:
        """Return kept rows and columns of ``robot.regressor(...)``, shape ``(..., axes, rank)``."""
        rows = regressor
        if self.axes != tuple(range(regressor.shape[-2])):
            rows = regressor[..., np.array(self.axes), :]
        return np.take(rows, np.array(self.columns), axis=-1)

    def values(self, parameters: ArrayLike) -> Array:
        """Return ``beta`` for ``robot.parameter_vector()``, shape ``(rank,)``.

        Raises:
            InputError: if the vector has not one entry per column of the regressor.
        """
        return self.grouping @ finite(parameters, self.grouping.shape[1:], "parameter vector")


def base_parameters(
    robot: RobotBase,
    axes: Sequence[int] | None = None,
    *,
    rotors: bool = False,
    friction: bool = False,
    springs: bool | Collection[int] = False,
    falling: Sequence[int] | None = None,
    held: ArrayLike | None = None,
    seed: int = 0,
) -> BaseParameters:
    """Return the base parameters of a robot, its tool inside the last link, under its gravity.

    Args:
        robot: The robot. Only its lengths, gravity and Stribeck speeds count, not its masses.
        axes: Axes that move and whose torques are looked at, 1-based as on the controller; default
            all.
        rotors: Whether rotor inertias are parameters.
        friction: Whether Fv, Fc, Fs - Fc and other ``kinds`` that the friction law of a drive has
            are parameters of it.
        springs: Whether the coefficients of springs are parameters, or which of them, from 0. The
            cosine of an axis's own angle is in its weight too: what both share is one sum.
        falling: Axes whose Fs - Fc is one, 1-based; default those whose law has ``Fs != Fc``, since
            of others the Stribeck speed is unknown.
        held: Where the other axes stand [rad, m], shape ``(n,)``; default zero.
        seed: Of the random states.

    Raises:
        InputError: if an axis does not exist, or none is named.
        MissingData: if friction is asked of a robot that has no law.
    """
    moving = (
        tuple(range(robot.n)) if axes is None else tuple(sorted({int(axis) - 1 for axis in axes}))
    )
    if not moving or not set(moving) <= set(range(robot.n)):
        raise InputError(f"axes of {robot.name} are numbers from 1 to {robot.n}, got {axes!r}")
    if friction and robot.friction_model is None:
        raise MissingData(f"{robot.name} has no friction law whose parameters could be counted")
    names, units, asked = _parameters(robot, rotors, friction, springs, falling)
    rest = np.zeros(robot.n) if held is None else finite(held, (robot.n,), "held [rad, m]")
    states = _states(robot, moving, rest, np.random.default_rng(seed))
    stacked = np.concatenate(
        [dynamics.regressor(robot.dynamic_model, *state)[list(moving)] for state in states]
    )
    kept, grouping, gap = _independent(stacked * asked)
    sums = tuple(_sum(row, column, names) for row, column in zip(grouping, kept, strict=True))
    return BaseParameters(kept, grouping, sums, tuple(units[i] for i in kept), moving, gap)


def parameter_names(robot: RobotBase) -> tuple[str, ...]:
    """Names in the order of ``robot.parameter_vector()``, such as ``mx_2``, ``J_1``, ``Fc_3``."""
    return tuple(_parameters(robot, rotors=True, friction=True, springs=True, falling=None)[0])


def _parameters(
    robot: RobotBase,
    rotors: bool,
    friction: bool,
    springs: bool | Collection[int],
    falling: Sequence[int] | None,
) -> tuple[list[str], list[str], Mask]:
    """Names and units of the regressor's columns, and which of them are asked for.

    Bodies without mass are no bodies.
    """
    model = robot.dynamic_model.tree.model
    bodies = [str(name).removeprefix("joint_") for name in list(model.names)[1:]]
    weighs = [bool(inertia.toDynamicParameters().any()) for inertia in list(model.inertias)[1:]]
    names = [f"{kind}_{body}" for body in bodies for kind in OF_BODY]
    units = list(UNITS_OF_BODY) * len(bodies)
    asked = [weighed for weighed in weighs for _ in OF_BODY]
    axes = range(1, robot.n + 1)
    names += [f"J_{axis}" for axis in axes]
    units += ["kg" if linear else "kg m^2" for linear in robot.limits.linear]
    asked += [rotors] * robot.n
    if robot.friction_model is not None:
        kinds = robot.friction_model.kinds
        names += [f"{kind}_{axis}" for axis in axes for kind in kinds]
        units += [KINDS[kind][int(linear)] for linear in robot.limits.linear for kind in kinds]
        chosen = robot.friction_model.falls if falling is None else np.isin(axes, falling)
        law = robot.friction_model
        there = {kind: getattr(law, kind) != 0.0 for kind in kinds[3:]} | {"Fs-Fc": chosen}
        asked += [
            friction and bool(there[kind][i] if kind in there else True)
            for i in range(robot.n)
            for kind in kinds
        ]
    names += names_of(robot.springs)
    for spring in robot.springs:
        units += units_of(spring, bool(robot.limits.linear[spring.axis - 1]))
    count = len(names) - len(asked)
    asked += [springs if isinstance(springs, bool) else i in springs for i in range(count)]
    return names, units, np.array(asked)


def _states(
    robot: RobotBase, moving: tuple[int, ...], rest: Array, rng: np.random.Generator
) -> list[tuple[Array, Array, Array]]:
    """Random states; drives of every second one are as slow as the speeds of their law.

    Only there Fs - Fc shows, and Fd is not just another Fc.
    """
    low, high = robot.limits.envelope()
    # a URDF may leave an axis without limits
    low, high = np.maximum(low, -np.pi), np.minimum(high, np.pi)
    mask = np.isin(np.arange(robot.n), moving)
    law = robot.friction_model
    falling = degressive = np.ones(robot.n)
    if law is not None:
        falling = np.where(law.falls, law.v_St, np.where(law.Fd != 0.0, law.v_d, 1.0))
        degressive = np.where(law.Fd != 0.0, law.v_d, falling)
    scales = (1.0, falling, 1.0, degressive)
    axes_per_drive = robot.dynamic_model.loads_per_torque.T
    states = []
    for i in range(STATES):
        q = np.where(mask, rng.uniform(low, high), rest)
        v = axes_per_drive @ (rng.normal(size=robot.n) * scales[i % 4]) * mask
        states.append((q, v, rng.normal(size=robot.n) * mask))
    return states


def _independent(stacked: Array) -> tuple[tuple[int, ...], Array, tuple[float, float]]:
    """Return the columns kept, the rows of their parameters' sums, and the gap between them.

    QR with pivoting gives the rank. The choice of columns is free: here those that come first,
    nearest to the base, so that farther ones are added to them with lengths and their squares.
    """
    from scipy.linalg import lstsq, qr

    size = np.linalg.norm(stacked, axis=0)
    seen = np.flatnonzero(size > DEPENDENT * size.max(initial=0.0))
    if not seen.size:
        raise InputError("no parameter shows in any torque: has no body a mass?")
    units = stacked[:, seen] / size[seen]
    left = np.abs(np.diag(qr(units, mode="r", pivoting=True)[0][: seen.size]))
    rank = int((left > DEPENDENT).sum())
    first = np.abs(np.diag(qr(units, mode="r")[0][: seen.size])) > DEPENDENT
    kept = np.sort(seen[first])
    # a column so nearly a sum of others that the two ways of counting disagree
    if kept.size != rank:
        raise InputError(
            f"the regressor's columns are too nearly dependent to count: {rank} or {kept.size} base"
            " parameters"
        )
    others = np.setdiff1d(seen, kept)
    grouping = np.zeros((rank, stacked.shape[1]))
    grouping[np.arange(rank), kept] = 1.0
    if others.size:
        share = (
            lstsq(stacked[:, kept] / size[kept], stacked[:, others] / size[others])[0]
            * size[others]
            / size[kept][:, None]
        )
        share[np.abs(share) < DEPENDENT] = 0.0
        grouping[:, others] = share
    grouping.setflags(write=False)
    return (
        tuple(kept.tolist()),
        grouping,
        (float(left[rank - 1]), float(left[rank:].max(initial=0.0))),
    )


def _sum(row: Array, first: int, names: list[str]) -> str:
    """Return a sum of parameters as text, the column's own one first."""
    text = names[first]
    for i in np.flatnonzero(row):
        if i != first:
            factor = "" if abs(abs(row[i]) - 1.0) < DEPENDENT else f"{abs(row[i]):.6g} "
            text += f" {'-' if row[i] < 0.0 else '+'} {factor}{names[i]}"
    return text
