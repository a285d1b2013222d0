"""Identification of a tool or payload from the torques of the axes.

Spindles and grippers are known this way: S000 Tab. 4 came from the controller's routine. Ten
parameters about the origin of the frame are linear in the readings; what the motion does not tell
is NaN, such as the inertia where nothing moves.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import partial

import numpy as np
from numpy.typing import NDArray

from ...errors import MissingData, UnknownName
from ...model import tool
from ...model.inertia import Inertial
from ...model.tree import Tree
from ...model.types import Array, Mask
from ...robot.base_parameters import OF_BODY, UNITS_OF_BODY
from ...robot.robot import Robot
from ...robot.torque_bands import TorqueSlopes
from ...robot.uncertainty import ParameterUncertainty
from ...trajectory import Motion
from ..recordings.drives import Drives
from .accumulator import Blocks
from .block_covariance import BLOCKS, with_blocks
from .gain_deviations import with_gain_deviations
from .pseudo import frame_change, inertial_of
from .regression import EXCITED, Fit, invert_factor, weighted_least_squares
from .streaming import Samples, accumulate
from .torque_equations import blocks

SHORTEST = 10  # samples of a block of time; fewer do not show the colour of residuals


@dataclass(frozen=True, eq=False)
class Load:
    """A load as identified, in axes of one frame; NaN where the motion does not determine it."""

    frame: str
    parameters: Array
    """``[m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz]`` about the origin of the frame, shape ``(10,)``."""
    covariance: Array
    """Of the parameters, shape ``(10, 10)``."""
    degrees: float = np.inf
    """Of freedom of the covariance."""

    @property
    def mass(self) -> float:
        """[kg]."""
        return float(self.parameters[0])

    @property
    def com(self) -> Array:
        """Centre of mass [m], shape ``(3,)``."""
        return self.parameters[1:4] / self.mass

    @property
    def inertia(self) -> Array:
        """Tensor about the centre of mass [kg m^2], shape ``(3, 3)``.

        All NaN if one of its entries is not determined.
        """
        return inertial_of(self.parameters).tensor

    @property
    def mass_deviation(self) -> float:
        """Standard deviation of the mass [kg]."""
        return float(np.sqrt(self.covariance[0, 0]))

    @property
    def inertia_deviation(self) -> Array:
        """Standard deviation of each entry of the tensor about the centre, shape ``(3, 3)``."""
        mass, first, unit = self.mass, self.parameters[1:4], np.eye(3)
        slopes = np.zeros((10, 3, 3))
        # of the tensor about the origin less (h'h 1 - h h') / m, h the first moments
        slopes[0] = (first @ first * unit - np.outer(first, first)) / mass**2
        for k in range(3):
            turned = np.outer(unit[k], first)
            slopes[1 + k] = -(2.0 * first[k] * unit - turned - turned.T) / mass
        for k, (i, j) in enumerate(((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2)), start=4):
            slopes[k, i, j] = slopes[k, j, i] = 1.0
        variance = np.einsum("pij,pq,qij->ij", slopes, self.covariance, slopes)
        return np.asarray(np.sqrt(np.maximum(variance, 0.0)), dtype=float)

    def mass_interval(self, level: float = 0.95) -> tuple[float, float]:
        """Return the confidence interval of the mass [kg] (Student's t)."""
        half = self.quantile(level) * self.mass_deviation
        return self.mass - half, self.mass + half

    def quantile(self, level: float = 0.95) -> float:
        """Return half the width of a confidence interval per standard deviation (Student's t)."""
        from scipy.special import stdtrit

        return float(stdtrit(self.degrees, 0.5 + 0.5 * level))

    @property
    def com_deviation(self) -> Array:
        """Standard deviation of the centre of mass [m], shape ``(3,)``."""
        slope = np.column_stack([-self.com, np.eye(3)]) / self.mass
        return np.asarray(
            np.sqrt(np.einsum("ip,pq,iq->i", slope, self.covariance[:4, :4], slope)), dtype=float
        )

    def payload(self) -> Inertial:
        """Return the load as payload (frame ``tcp``) or as ``irbmodels.Tool`` (frame ``tool0``).

        A tensor that is not determined is left 0, as in ABB's loaddata.

        Raises:
            MissingData: if mass or centre of mass are not determined.
            InputError: if no body can have these numbers.
        """
        if not np.isfinite(self.parameters[:4]).all():
            raise MissingData(
                "these samples do not tell"
                f" {_listed(OF_BODY[:4], ~np.isfinite(self.parameters[:4]))} of the load"
            )
        tensor = self.inertia
        return tool.payload(self.mass, self.com, tensor if np.isfinite(tensor).all() else None)


@dataclass(frozen=True, eq=False)
class LoadColumns:
    """Columns of the parameters of a load on a frame, from those of the link that carries it."""

    first: int
    to_joint: Array
    """From parameters about the frame to those of the link, ``(10, 10)``."""

    @classmethod
    def of(cls, robot: Robot, frame: str) -> LoadColumns:
        """Return the columns for ``tool0`` or ``tcp``.

        Raises:
            UnknownName: if the frame is neither.
        """
        if frame not in ("tool0", "tcp"):
            raise UnknownName("frame of a load", frame, ("tool0", "tcp"))
        tree = robot.dynamic_model.tree
        return cls.at(tree, tree.frame(frame))

    @classmethod
    def at(cls, tree: Tree, number: int) -> LoadColumns:
        """Return the columns for a frame of a tree by its number."""
        place = tree.model.frames[number]
        return cls(10 * (place.parentJoint - 1), frame_change(place.placement.homogeneous))

    def __call__(self, regressor: Array) -> Array:
        """Return the columns ``(..., n, 10)`` of ``robot.regressor(...)``."""
        return regressor[..., self.first : self.first + 10] @ self.to_joint


@dataclass(frozen=True, eq=False)
class LoadEquations:
    """Equations of torques minus the robot's own, in the ten parameters of a load on a frame."""

    robot: Robot
    frame: str
    kept: tuple[int, ...] = tuple(range(10))
    """Parameters that are estimated, in their order."""

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(OF_BODY[k] for k in self.kept)

    @property
    def units(self) -> tuple[str, ...]:
        """Of the parameters."""
        return tuple(UNITS_OF_BODY[k] for k in self.kept)

    @property
    def size(self) -> int:
        """Number of axes."""
        return self.robot.n

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield ``Y`` ``(N, n, kept)`` and the torques that the robot itself does not need."""
        columns = LoadColumns.of(self.robot, self.frame)
        itself = self.robot.parameter_vector()
        for piece in pieces:
            for q, v, a, tau in blocks(piece, self.robot, "v", "a", "tau", masked=True):
                whole = self.robot.regressor(q, v, a)
                yield columns(whole)[..., list(self.kept)], tau - whole @ itself


def load_from_torques(
    samples: Samples, robot: Robot, frame: str = "tool0", drives: Drives | None = None
) -> Load:
    """Identify a load on a frame, unknown to the robot, from the torques that it adds.

    Deviations hold what residuals, the robot's own set (:attr:`.Robot.uncertainty`) and gains leave
    open. Where there is a log without the load, :func:`.load_from_two_logs` needs no set.

    Args:
        samples: Motion with ``v``, ``a`` and ``tau``.
        robot: Model without the load: its own errors go into the load, so identify it first.
        frame: ``tool0`` for a tool, ``tcp`` for a payload.
        drives: Whose gains made torques of currents, those of the robot's own set too.

    Raises:
        UnknownName: if the frame is neither.
        InputError: if the samples are too few.
    """
    LoadColumns.of(robot, frame)
    rows = LoadEquations(robot, frame)
    total = accumulate(samples, rows)
    kept, place = identifiable_columns(total.combined_factor()[:-1, :-1])
    rows = replace(rows, kept=tuple(kept))
    fit = weighted_least_squares(total.select(kept))
    if fit.samples >= SHORTEST * BLOCKS:
        fit = with_blocks(fit, samples, rows)
    if drives is not None:
        fit = with_gain_deviations(fit, samples, rows, drives.gain_covariance, robot.drive_axes)
    if robot.uncertainty is not None:
        with suppress(MissingData):  # mounted otherwise than while it was identified
            fit = _with_own_uncertainty(fit, samples, rows, robot.uncertainty)
    return load_from_fit(frame, fit, place)


@dataclass(frozen=True, eq=False)
class _Cross:
    """``sum Y' W Z`` of the columns of a load and the slopes of the robot, shape ``(kept, p)``."""

    total: Array

    def merge(self, other: _Cross) -> _Cross:
        return _Cross(self.total + other.total)


def _with_own_uncertainty(
    fit: Fit, samples: Samples, rows: LoadEquations, known: ParameterUncertainty
) -> Fit:
    """Return the fit with the covariance that the parameters of the robot itself add.

    An error ``e`` of theirs moves the estimates by ``-A^-1 sum Y' W Z e``.
    """
    crossed = samples.reduce(partial(_crossed, rows=rows, known=known, weights=fit.weights))
    inverse = invert_factor(fit.factor[:-1, :-1], fit.names)
    moves = inverse @ (inverse.T @ crossed.total) @ known.factor
    return replace(fit, covariance=fit.covariance + moves @ moves.T)


def _crossed(
    pieces: Iterable[Motion], rows: LoadEquations, known: ParameterUncertainty, weights: Array
) -> _Cross:
    slopes, columns = TorqueSlopes(rows.robot, known), LoadColumns.of(rows.robot, rows.frame)
    total = np.zeros((len(rows.kept), len(known.names)))
    seen = np.isin(np.arange(rows.size), known.axes)
    for piece in pieces:
        for q, v, a, tau in blocks(piece, rows.robot, "v", "a", "tau", masked=True):
            left = columns(rows.robot.regressor(q, v, a))[..., list(rows.kept)]
            weighted = weights * (seen & ~np.isnan(tau))
            total += np.einsum("nik,ni,nip->kp", left, weighted, slopes(q, v, a), optimize=True)
    return _Cross(total)


def identifiable_columns(factor: Array) -> tuple[list[int], NDArray[np.int_]]:
    """Return the columns of a factor that are no sums of others, and what they determine.

    Returns:
        The columns to keep, and for each parameter its place among them; -1 where it is left out,
        or shares its effect with one that is, so that its estimate would be that of a sum.
    """
    from scipy.linalg import qr, svd

    length = np.linalg.norm(factor, axis=0)
    unit = factor / np.where(length > EXCITED * length.max(), length, np.inf)
    _, values, directions = svd(unit)
    undetermined = directions[values < EXCITED * values[0]].T
    alone = (np.abs(undetermined) < np.sqrt(EXCITED)).all(axis=1)
    dropped = (
        np.asarray(qr(undetermined.T, pivoting=True, mode="r")[1])[: undetermined.shape[1]].tolist()
        if undetermined.size
        else []
    )
    kept = [k for k in range(factor.shape[1]) if k not in dropped]
    return kept, np.array(
        [kept.index(k) if alone[k] and k in kept else -1 for k in range(factor.shape[1])]
    )


def load_from_fit(frame: str, fit: Fit, place: NDArray[np.int_]) -> Load:
    """Return the load whose ten parameters stand at ``place`` in a fit.

    -1 where they are not determined.
    """
    known = np.flatnonzero(place >= 0)
    at = place[known]
    parameters, covariance = np.full(10, np.nan), np.full((10, 10), np.nan)
    parameters[known] = fit.beta[at]
    covariance[np.ix_(known, known)] = fit.covariance[np.ix_(at, at)]
    return Load(frame, parameters, covariance, fit.degrees)


def _listed(names: Sequence[str], which: Mask) -> str:
    return ", ".join(name for name, flag in zip(names, which, strict=True) if flag)
