"""Drive gains from a known payload, and a payload from known gains, by logs without and with it.

Currents are ``i = c (Y beta + Y_L pi)`` per drive, ``c`` the inverse of its gain: base parameters
and what is unknown of gains and payload are estimated together from both logs, with the noise where
it is, in the currents [Gautier & Briot, Global identification of joint drive gains and dynamic
parameters of robots, J. Dyn. Sys. Meas. Control 136 (2014) 051025]. What is known with a deviation
keeps its value, and its deviation goes into those of the estimates. Residuals are taken as alike
within blocks of time, not as white: what a model lacks is larger than noise.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import as_instance, finite, number
from ...errors import InputError
from ...model.friction import frictionless
from ...model.types import Array, Mask
from ...robot.base_parameters import OF_BODY, UNITS_OF_BODY, BaseParameters, base_parameters
from ...robot.robot import Robot
from ...trajectory import Motion
from ..recordings.drives import Drives
from .accumulator import Accumulator, Blocks
from .block_covariance import jackknife, normal_parts
from .payload import Load, LoadColumns, identifiable_columns
from .streaming import Samples, accumulate
from .torque_equations import blocks

STEPS = 60
SETTLED = 1e-8  # relative change of the estimates
KNOWN = 0.5  # relative deviation of a gain; beyond it nothing is known of it


@dataclass(frozen=True, eq=False)
class DriveGains:
    """Gains of the drives as identified with a known payload."""

    gain: Array
    """Torque at each drive per current, arm side [N m/A, N/A], shape ``(n,)``.

    NaN where the logs do not determine it.
    """
    covariance: Array
    """Of the gains, relative, shape ``(n, n)``."""
    degrees: float
    """Of freedom of the covariance."""
    load: Load
    """The payload, with what was not known of it."""
    noise: Array
    """Standard deviation of the residuals [A], shape ``(n,)``."""

    @property
    def deviation(self) -> Array:
        """Relative standard deviation of each gain, shape ``(n,)``."""
        return np.asarray(np.sqrt(np.diagonal(self.covariance)), dtype=float)

    def half_width(self, level: float = 0.95) -> Array:
        """Return half the relative confidence interval of each gain, shape ``(n,)``."""
        from scipy.special import stdtrit

        return np.asarray(stdtrit(self.degrees, 0.5 + 0.5 * level) * self.deviation, dtype=float)

    def drives(self, others: Drives | None = None) -> Drives:
        """Return the gains as drives, with ratios and rotors of others."""
        base = others or Drives.unknown(self.gain.size)
        return base.with_gains(self.gain, np.nan_to_num(self.covariance))


def known_load(
    mass: float,
    com: ArrayLike | None = None,
    inertia: ArrayLike | None = None,
    *,
    mass_deviation: float = 0.0,
    com_deviation: float = 0.0,
    frame: str = "tool0",
) -> Load:
    """Return a load of which something is known beforehand.

    Args:
        mass: [kg].
        com: Centre of mass in the frame [m], shape ``(3,)``; None: unknown.
        inertia: Tensor about the centre of mass [kg m^2], shape ``(3, 3)``; None: unknown.
        mass_deviation: Standard deviation [kg].
        com_deviation: Standard deviation of each coordinate [m].
        frame: ``tool0`` or ``tcp``.

    Raises:
        InputError: if the mass is not positive, a deviation is negative, or an inertia is given
            without a centre.
    """
    if not number(mass, "the mass of a known load") > 0.0:
        raise InputError(f"the mass of a known load is positive, not {mass!r}")
    if min(mass_deviation, com_deviation) < 0.0:
        raise InputError("standard deviations of a known load must not be negative")
    if com is None and inertia is not None:
        raise InputError("the inertia of a load is about its centre: give com as well")
    centre = np.zeros(3) if com is None else finite(com, (3,), "centre of mass of a known load")
    tensor = np.zeros((3, 3)) if inertia is None else finite(inertia, (3, 3), "inertia of a load")
    known = np.arange(10) < (1 if com is None else 4 if inertia is None else 10)
    x = np.array([mass, *centre])

    def parameters(x: Array) -> Array:
        body = pin.Inertia(float(x[0]), x[1:], tensor)
        return np.asarray(body.toDynamicParameters(), dtype=float)

    step = 1e-5 * mass
    slope = np.stack(
        [(parameters(x + d) - parameters(x - d)) / (2.0 * step) for d in step * np.eye(4)], axis=1
    )
    spread = slope * [mass_deviation, *[com_deviation] * 3]
    covariance = np.where(np.outer(known, known), spread @ spread.T, np.nan)
    return Load(frame, np.where(known, parameters(x), np.nan), covariance)


def identify_gains(unloaded: Samples, loaded: Samples, robot: Robot, payload: Load) -> DriveGains:
    """Identify the gains of all drives with a known payload.

    An axis that feels the payload by its inertia only, such as a vertical first one, has a large
    deviation; one that does not feel it at all is NaN.

    Args:
        unloaded: Motion with ``v``, ``a``, and currents [A] in place of ``tau``.
        loaded: The same with the payload.
        robot: With the tool of both logs, without the payload; its friction law defines the
            terms of friction, Coulomb and viscous where it has none. Its bodies do not count.
        payload: From :func:`known_load`; NaN where it is not known.

    Raises:
        InputError: if nothing of the payload is known, samples are too few, or they
            determine no gain.
    """
    as_instance(payload, Load, "a payload that is known comes from known_load")
    if not np.isfinite(payload.parameters).any():
        raise InputError(
            "a payload of which nothing is known determines no gain: give its mass at least"
        )
    problem = _Problem.of(unloaded, loaded, robot, payload.frame, currents=True)
    n, p = problem.n, problem.base.rank
    known = np.isfinite(payload.parameters)
    free = np.concatenate([np.ones(n + p, dtype=bool), ~known])
    start = problem.linear_start(np.where(known, payload.parameters, 0.0), ~known)
    prior = np.zeros((free.size, free.size))
    prior[n + p :, n + p :] = np.nan_to_num(payload.covariance)
    solution = problem.solve(start, free, prior)
    c = solution.x[:n]
    determined = solution.determined[:n] & (
        np.sqrt(np.diagonal(solution.covariance)[:n]) < KNOWN * np.abs(c)
    )
    if not determined.any():
        raise InputError(
            "these logs determine no gain: is the payload too light, or are both logs without it?"
        )
    relative = solution.covariance[:n, :n] / np.outer(c, c)
    return DriveGains(
        np.where(determined, 1.0 / c, np.nan),
        np.where(np.outer(determined, determined), relative, np.nan),
        solution.degrees,
        problem.load(solution, payload.frame, payload),
        solution.noise,
    )


def load_from_two_logs(
    unloaded: Samples,
    loaded: Samples,
    robot: Robot,
    frame: str = "tool0",
    drives: Drives | None = None,
) -> Load:
    """Identify a load by logs without and with it, base parameters of the robot together with it.

    Args:
        unloaded: Motion with ``v``, ``a``, ``tau``.
        loaded: The same with the load.
        robot: With what it carries in both logs; its friction law defines the terms.
        frame: ``tool0`` for a tool, ``tcp`` for a payload.
        drives: Whose gains made torques of currents: their deviations go into that of the load.

    Raises:
        UnknownName: if the frame is neither.
        InputError: if samples are too few, or the drives are those of another robot.
    """
    problem = _Problem.of(unloaded, loaded, robot, frame, currents=False)
    n, p = problem.n, problem.base.rank
    prior = np.zeros((n + p + 10,) * 2)
    if drives is not None:
        if drives.n != n:
            raise InputError(f"drives of {drives.n} axes are not those of {robot.name} with {n}")
        prior[:n, :n] = drives.gain_covariance
    start = np.concatenate([np.ones(n), np.zeros(p + 10)])
    free = np.arange(n + p + 10) >= n
    return problem.load(problem.solve(start, free, prior), frame)


class _Solution(NamedTuple):
    x: Array
    """Inverse gains, base parameters, load."""
    covariance: Array
    determined: Mask
    """True where the logs determine a parameter by itself."""
    noise: Array
    degrees: float


@dataclass(frozen=True, eq=False)
class _Equations:
    """Torques at the drives in base parameters and the ten of a load, or their currents."""

    robot: Robot
    base: BaseParameters
    columns: LoadColumns
    loaded: bool
    currents: bool
    """True if ``tau`` holds currents of the drives, False if torques of the axes."""
    x: Array | None = None
    """Where they are linearized: inverse gains, base parameters, load; None is not at all."""

    @property
    def names(self) -> tuple[str, ...]:
        own = (*self.base.names, *(f"{name} of the load" for name in OF_BODY))
        gains = () if self.x is None else tuple(f"1/g_{i + 1}" for i in range(self.robot.n))
        return (*gains, *own)

    @property
    def units(self) -> tuple[str, ...]:
        gains = () if self.x is None else ("",) * self.robot.n
        return (*gains, *self.base.units, *UNITS_OF_BODY)

    @property
    def size(self) -> int:
        return self.robot.n

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        n, at_drives = self.robot.n, self.robot.dynamic_model.loads_per_torque
        for piece in pieces:
            for q, v, a, tau in blocks(piece, self.robot, "v", "a", "tau", masked=True):
                whole = self.robot.regressor(q, v, a)
                load = self.columns(whole) * float(self.loaded)
                own = at_drives @ np.concatenate([self.base.reduced(whole), load], axis=-1)
                measured = tau if self.currents else tau @ at_drives.T
                if self.x is None:
                    yield own, measured
                    continue
                c, b = self.x[:n], self.x[n:]
                torque = own @ b
                slopes = np.concatenate([torque[..., None] * np.eye(n), c[:, None] * own], axis=-1)
                # of the equations linear in x around it: J x less the model's own value
                yield slopes, measured - c * torque + slopes @ self.x


@dataclass(frozen=True, eq=False)
class _Problem:
    """Both logs, folded into one triangular factor per drive."""

    logs: tuple[tuple[Samples, bool], ...]
    robot: Robot
    base: BaseParameters
    columns: LoadColumns
    currents: bool

    @classmethod
    def of(
        cls, unloaded: Samples, loaded: Samples, robot: Robot, frame: str, currents: bool
    ) -> _Problem:
        if robot.friction_model is None:
            robot = robot.with_friction(frictionless(robot.n))
        columns = LoadColumns.of(robot, frame)
        base = base_parameters(robot, friction=True, rotors=True, springs=bool(robot.springs))
        return cls(((unloaded, False), (loaded, True)), robot, base, columns, currents)

    @property
    def n(self) -> int:
        return self.robot.n

    def equations(self, loaded: bool, x: Array | None = None) -> _Equations:
        return _Equations(self.robot, self.base, self.columns, loaded, self.currents, x)

    @cached_property
    def total(self) -> Accumulator:
        """Factor of ``[Y Y_L i]`` of each drive over both logs."""
        one, other = (accumulate(log, self.equations(loaded)) for log, loaded in self.logs)
        return one.merge(other)

    def linear_start(self, load: Array, unknown: Mask) -> Array:
        """Return the solution of ``g i - Y beta - Y_L pi = 0``, which noise in currents biases.

        Args:
            load: What is known of the load, ``(10,)``, 0 elsewhere.
            unknown: True for what is not.
        """
        n, p, factors = self.n, self.base.rank, self.total.factors
        free = np.concatenate([np.ones(p, dtype=bool), unknown])
        m = p + 10
        left = np.zeros((n, m + 1, n + int(free.sum())))
        for k, factor in enumerate(factors):
            left[k, :, k] = factor[:, m]
            left[k, :, n:] = -factor[:, :m][:, free]
        right = factors[:, :, p:m] @ load
        g = _least_norm(left.reshape(-1, left.shape[2]), right.ravel())
        # a drive that feels nothing of the load has no start of its own
        usual = float(np.median(np.abs(g[:n]))) or 1.0
        c = 1.0 / np.where(np.abs(g[:n]) > 1e-3 * usual, g[:n], usual)
        b = np.concatenate([np.zeros(p), load])
        b[free] = g[n:]
        return np.concatenate([c, b])

    def solve(self, start: Array, free: Mask, prior: Array) -> _Solution:
        """Estimate the free ones of inverse gains, base parameters and load (Gauss-Newton).

        Args:
            start: Of all of them, ``(n + p + 10,)``.
            free: True for those that are estimated.
            prior: Covariance of the others, 0 where they are exact.
        """
        n, factors, counts = self.n, self.total.factors, self.total.counts
        if counts.sum() <= free.sum() or not counts.all():
            raise InputError(
                f"{self.total.samples} samples are too few for {int(free.sum())} parameters"
            )
        m, x = factors.shape[1] - 1, start.copy()
        for _ in range(STEPS):
            c, b = x[:n], x[n:]
            residual = factors @ np.append(b, 0.0) * c[:, None] - factors[:, :, m]
            J = np.concatenate(
                [
                    (factors[:, :, :m] @ b)[:, :, None] * np.eye(n)[:, None],
                    c[:, None, None] * factors[:, :, :m],
                ],
                axis=2,
            )
            noise = np.sqrt(np.square(residual).sum(axis=1) / counts)
            largest = np.sqrt(np.square(factors[:, :, m]).sum(axis=1) / counts)
            weights = 1.0 / np.maximum(noise, 1e-12 * largest + 1e-300)
            left = (weights[:, None, None] * J).reshape(-1, x.size)
            move = np.zeros(x.size)
            move[free] = _least_norm(left[:, free], -(weights[:, None] * residual).ravel())
            x = x + move
            size = np.linalg.norm(left * x, axis=0)
            if (np.linalg.norm(left * move, axis=0) <= SETTLED * size.max()).all():
                break
        else:
            raise InputError(
                "gains and base parameters do not settle: is the payload in the second log alone,"
                " and heavy enough for currents to show it?"
            )
        return self._with_covariance(x, free, prior, left, weights)

    def _with_covariance(
        self, x: Array, free: Mask, prior: Array, left: Array, weights: Array
    ) -> _Solution:
        factor: Array = np.asarray(np.linalg.qr(left[:, free], mode="r"), dtype=float)
        kept, places = identifiable_columns(factor)
        chosen = np.flatnonzero(free)[kept]
        inverse = np.linalg.inv(np.linalg.qr(left[:, chosen], mode="r"))
        parts = [
            normal_parts(log, self.equations(loaded, x), x, np.square(weights), self.total.samples)
            for log, loaded in self.logs
        ]
        parted = parts[0].merge(parts[1]).blocks()
        own = jackknife(inverse, parted, chosen)
        # what is known with a deviation moves the estimates by - A^-1 J' J_known
        change = -inverse @ inverse.T @ (left[:, chosen].T @ left[:, ~free])
        covariance = np.zeros((x.size, x.size))
        covariance[np.ix_(chosen, chosen)] = own + change @ prior[np.ix_(~free, ~free)] @ change.T
        determined = ~free
        determined[np.flatnonzero(free)] = places >= 0
        return _Solution(x, covariance, determined, 1.0 / weights, len(parted) - 1.0)

    def load(self, solution: _Solution, frame: str, known: Load | None = None) -> Load:
        """Return the load of a solution; NaN where the logs do not determine it."""
        part = slice(self.n + self.base.rank, None)
        determined, covariance = (
            solution.determined[part],
            np.array(solution.covariance[part, part]),
        )
        if known is not None:
            own = np.isfinite(known.parameters)
            covariance[np.ix_(own, own)] = known.covariance[np.ix_(own, own)]
        covariance[~determined], covariance[:, ~determined] = np.nan, np.nan
        return Load(
            frame, np.where(determined, solution.x[part], np.nan), covariance, solution.degrees
        )


def _least_norm(left: Array, right: Array) -> Array:
    """Least squares with columns of unit length; 0 along directions that they do not determine."""
    size = np.linalg.norm(left, axis=0)
    scale = np.where(size > 0.0, size, 1.0)
    result: Array = np.linalg.lstsq(left / scale, right, rcond=1e-9)[0] / scale
    return result
