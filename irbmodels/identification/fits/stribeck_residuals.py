"""Residuals of the torque equations as functions of the speeds of friction laws, folded.

Only where an axis is slow does its torque depend on ``v_St``; everything faster is linear, and is
kept as triangular factors, whatever its length. On ``v_d`` torques depend at all speeds: then every
sample of the axis counts as slow. Of the slow samples too all columns are linear but ``exp(-(v /
v_St)^2) sgn(v)``, ``v / (v_d + |v|)`` and their derivatives: these are projected on the others at
each speed, and leave a triangular factor with a row per column.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...model.types import Array
from ...robot.torque_regressor import first_of_friction
from ...trajectory import Motion
from .accumulator import Accumulator, Equations, update_factor
from .regression import residual_noise
from .torque_equations import TorqueEquations

ColumnIndices = NDArray[np.intp]

# singular value of unit columns of one axis that rounding leaves of 0; others have 1e-4 and more
DEPENDENT = 1e-11


SPEED_OF = {"Fs-Fc": "v_St", "Fd": "v_d"}
"""Kinds of friction parameters whose column depends on a speed of the law, and its name."""
NONLINEAR = SPEED_OF | {"Fv": "per_K"}
"""The same, and the change of viscous friction with temperature, which Fv stands for."""


class SpeedTerm(NamedTuple):
    """A column that depends on a speed, or change with temperature, which is not known."""

    axis: int
    """0-based."""
    kind: str
    """Of :data:`NONLINEAR`."""
    equation: int
    """Of the axis among those that move."""
    column: int
    """Of the coefficient."""

    @property
    def name(self) -> str:
        """Of the speed, such as ``v_St_2``; of a change with temperature ``per_K_2``."""
        return f"{NONLINEAR[self.kind]}_{self.axis + 1}"


def friction_columns(
    rows: TorqueEquations, kinds: Sequence[str] = ("Fv", "Fc", "Fs-Fc")
) -> ColumnIndices:
    """Columns of kinds of friction of each moving axis, ``(size, kinds)``; -1 where there are none.

    Args:
        rows: Equations.
        kinds: Of :data:`irbmodels.model.friction.KINDS`.
    """
    base, law, first = rows.base, rows.robot.friction_model, first_of_friction(rows.robot)
    known = () if law is None else law.kinds
    place = {column: i for i, column in enumerate(base.columns)}
    return np.array(
        [
            [
                place.get(first + len(known) * axis + known.index(kind), -1)
                if kind in known
                else -1
                for kind in kinds
            ]
            for axis in base.axes
        ]
    )


def speed_terms(rows: TorqueEquations, kind: str) -> list[SpeedTerm]:
    """Return the terms of one kind among the base parameters.

    Drives that load several axes, or that several axes turn, have none: their columns are in
    equations of all of these.
    """
    columns, D = friction_columns(rows, [kind])[:, 0], rows.robot.dynamic_model.drive_axes
    return [
        SpeedTerm(axis, kind, i, int(columns[i]))
        for i, axis in enumerate(rows.base.axes)
        if columns[i] >= 0
        and np.count_nonzero(D[axis]) == np.count_nonzero(D[:, axis]) == 1
        and D[axis, axis] == 1.0
    ]


def unit_torque(kind: str, w: Array, speed: float, factor: Array) -> tuple[Array, Array]:
    """Torque of a term with a coefficient of 1, and its derivative by the logarithm of the speed.

    Args:
        kind: Of :data:`SPEED_OF`.
        w: Speeds of the drive [rad/s, m/s], shape ``(N,)``.
        speed: ``v_St`` or ``v_d``.
        factor: Of viscous friction at the temperature of the drive, shape ``(N,)``.
    """
    if kind == "Fs-Fc":
        ratio = np.square(w / speed)
        falling = np.exp(-ratio) * np.sign(w)
        return falling, 2.0 * ratio * falling
    rising = factor * w / (speed + np.abs(w))
    return rising, -speed * rising / (speed + np.abs(w))


class Split(Accumulator):
    """Factors of the fast samples of each axis, and the slow ones as rows ``[Y y]``."""

    def __init__(self, size: int, names: Sequence[str], units: Sequence[str]) -> None:
        super().__init__(size, names, units)
        self.slow: list[list[tuple[ColumnIndices, Array]]] = [[] for _ in range(size)]
        """Per axis the columns that are not zero, and their rows."""
        self.slow_states: list[list[Array]] = [[] for _ in range(size)]
        """Per axis the speeds of its drive in these rows, and its :meth:`viscous_factor`."""

    def merge(self, other: Accumulator) -> Split:
        """Return what both hold together."""
        assert isinstance(other, Split)
        both, fast = Split(self.size, self.names, self.units), super().merge(other)
        both.samples, both.counts, both.factors = fast.samples, fast.counts, fast.factors
        both.slow = [mine + theirs for mine, theirs in zip(self.slow, other.slow, strict=True)]
        both.slow_states = [
            mine + theirs for mine, theirs in zip(self.slow_states, other.slow_states, strict=True)
        ]
        return both

    def slow_rows(self, i: int) -> Array:
        """Return the slow samples of one axis, ``(N, p + 1)``, and forget them."""
        parts, self.slow[i] = self.slow[i], []
        rows = np.zeros((sum(len(part) for _, part in parts), self.p + 1))
        end = 0
        for columns, part in parts:
            rows[end : end + len(part), columns] = part
            end += len(part)
        return rows


def add_split(
    total: Split,
    pieces: Iterable[Motion],
    rows: TorqueEquations,
    reach: Array,
) -> Split:
    """Add samples; an axis is slow where its speed is below its ``reach`` ``(size,)``.

    Args:
        total: Sums so far.
        pieces: Of one log.
        rows: Equations.
        reach: Speed above which nothing depends on the speeds of the laws; 0 if nothing does.
    """
    law, axes = rows.robot.friction_model, list(rows.base.axes)
    assert law is not None
    for Y, y, (_, v, temperature) in rows.with_states(pieces):
        w, factor = v[:, axes], law.viscous_factor(temperature)[:, axes]
        is_slow = np.abs(w) < reach
        for i, slow in enumerate(is_slow.T):
            seen = ~np.isnan(y[:, i])
            total.slow_states[i].append(np.stack([w[:, i], factor[:, i]])[:, seen & slow])
            block, slow = np.column_stack([Y[:, i], y[:, i]])[seen], slow[seen]
            total.factors[i] = update_factor(total.factors[i], block[~slow])
            columns = np.flatnonzero(block.any(axis=0))
            total.slow[i].append((columns, block[np.ix_(slow, columns)]))
        total.samples += len(y)
        total.counts += (~np.isnan(y)).sum(axis=0)
    return total


class _AxisFactor:
    """Triangular factor of the equations of one axis, as a function of the speeds of its law."""

    def __init__(self, fast: Array, slow: Array, states: Array, terms: Sequence[SpeedTerm]) -> None:
        """Fold all columns but those that vary.

        Args:
            fast: Triangular factor of fast samples, ``(p + 1, p + 1)``.
            slow: Slow samples, ``(N, p + 1)``.
            states: Their speeds, and factors of viscous friction, ``(2, N)``.
            terms: Those of this axis.
        """
        self.terms, self.varying = terms, [term.column for term in terms]
        linear = np.any(fast[:, :-1], axis=0) | np.any(slow[:, :-1], axis=0)
        linear[self.varying] = False
        self.linear = np.flatnonzero(linear)
        self.speed, self.warmth = states
        self.fast, self.slow = fast[:, self.linear], slow[:, self.linear]
        size = self.linear.size
        self.factor = update_factor(update_factor(np.zeros((size, size)), self.fast), self.slow)
        length = np.linalg.norm(self.factor, axis=0)
        _, values, directions = np.linalg.svd(self.factor / length)
        kept = values > DEPENDENT * values[0]
        # [fast, slow] @ inverse has orthonormal columns; those of one axis may be dependent
        self.inverse = directions[kept].T / values[kept] / length[:, None]
        self.right = self._projected(fast[:, -1:], slow[:, -1:])
        self._at: tuple[tuple[float, ...], Array] = (), np.zeros((0, 0))

    def _projected(self, fast: Array, slow: Array) -> tuple[Array, Array, Array]:
        """Coordinates of columns in the linear ones, and their residual columns."""
        shares = self.inverse @ (self.inverse.T @ (self.fast.T @ fast + self.slow.T @ slow))
        return shares, fast - self.fast @ shares, slow - self.slow @ shares

    def at(self, log_speeds: Array) -> Array:
        """Factor of the linear columns, those that vary, their slopes by logarithms, and torques.

        Shape ``(size + 2 terms + 1, size + 2 terms + 1)``.
        """
        key = tuple(log_speeds.tolist())
        if self._at[0] != key:  # residuals and their Jacobian are asked for one by one
            pairs = [
                unit_torque(term.kind, self.speed, float(np.exp(log_speed)), self.warmth)
                for term, log_speed in zip(self.terms, key, strict=True)
            ]
            slow = np.column_stack([pair[k] for k in (0, 1) for pair in pairs])
            more = slow.shape[1] + 1
            parts = self._projected(np.zeros((len(self.fast), more - 1)), slow), self.right
            shares, above, below = (np.hstack(pair) for pair in zip(*parts, strict=True))
            size = self.linear.size
            whole = np.zeros((size + more, size + more))
            whole[:size, :size], whole[:size, size:] = self.factor, self.factor @ shares
            whole[size:, size:] = update_factor(update_factor(np.zeros((more, more)), above), below)
            self._at = key, whole
        return self._at[1]


class Residuals:
    """Residuals of ``x = [beta, log speeds]`` and their Jacobian, up to a rotation per ``x``."""

    def __init__(self, split: Split, terms: Sequence[SpeedTerm]) -> None:
        """Fold what does not vary; the rows of ``split`` are used up.

        Args:
            split: The samples.
            terms: In the order of their speeds in ``x``.
        """
        self.split, self.p, self.size = split, split.p, split.p + len(terms)
        self.terms = tuple(terms)
        self.own = [
            split.p + np.flatnonzero([term.equation == i for term in terms])
            for i in range(split.size)
        ]
        """Per axis the places of its speeds in ``x``."""
        self.axes = [
            _AxisFactor(
                split.factors[i],
                split.slow_rows(i),
                np.concatenate(split.slow_states[i], axis=1),
                [terms[k - split.p] for k in own.tolist()],
            )
            if own.size
            else None
            for i, own in enumerate(self.own)
        ]
        # residuals and their derivatives are asked for one by one
        self._eliminated: tuple[object, tuple[Array, Array, Array]] | None = None

    def of_axis(self, i: int, x: Array) -> tuple[Array, Array]:
        """Jacobian of one axis in N m, and what it must explain of the torques."""
        axis, own = self.axes[i], self.own[i]
        if axis is None:
            factor = self.split.factors[i]
            return np.pad(factor[:, :-1], ((0, 0), (0, self.size - self.p))), factor[:, -1]
        whole, linear, count = axis.at(x[own]), axis.linear.size, own.size
        jacobian = np.zeros((len(whole), self.size))
        jacobian[:, axis.linear] = whole[:, :linear]
        jacobian[:, axis.varying] = whole[:, linear : linear + count]
        jacobian[:, own] = x[axis.varying] * whole[:, linear + count : -1]
        return jacobian, whole[:, -1]

    def eliminated(self, noise: Array, log_speeds: Array) -> tuple[Array, Array, Array]:
        """Residuals over their noise with the best ``beta``, and their derivatives by the speeds.

        Variable projection [Golub & Pereyra, SIAM J. Numer. Anal. 10 (1973) 413], without the part
        of second order of the derivatives [Kaufman, BIT 15 (1975) 49], which the gradient of the
        squares does not depend on.

        Args:
            noise: Standard deviation of each axis [N m, N].
            log_speeds: Logarithms of the speeds, shape ``(terms,)``.

        Returns:
            Residuals ``(terms + 1,)`` and derivatives ``(terms + 1, terms)``, up to a rotation per
            speeds, and ``beta`` ``(p,)``.
        """
        key = log_speeds.tolist(), noise.tolist()
        if self._eliminated is None or self._eliminated[0] != key:
            factor = np.zeros((self.size + 1,) * 2)
            units = np.append(np.ones(self.p), log_speeds)  # slopes of coefficients of 1
            for i, deviation in enumerate(noise.tolist()):
                jacobian, right = self.of_axis(i, units)
                factor = update_factor(factor, jacobian / deviation, right / deviation)
            p, length = self.p, np.linalg.norm(factor[: self.p, : self.p], axis=0)
            beta = np.linalg.solve(factor[:p, :p] / length, factor[:p, -1]) / length
            derivatives = factor[p:, p:-1] * beta[[term.column for term in self.terms]]
            self._eliminated = key, (-factor[p:, -1], derivatives, beta)
        return self._eliminated[1]

    def noise(self, x: Array) -> Array:
        """Standard deviation of the residuals of each axis [N m, N]."""
        squares = [
            np.square(jacobian[:, : self.p] @ x[: self.p] - right).sum()
            for jacobian, right in (self.of_axis(i, x) for i in range(len(self.axes)))
        ]
        return residual_noise(np.array(squares), self.split.counts, x.size)

    def accumulated(self, x: Array, equations: Equations) -> Accumulator:
        """Return the factors of equations linearized at ``x = [beta, v_St]``.

        Without columns of speeds where these equations have none.
        """
        total = Accumulator(len(self.axes), equations.names, equations.units)
        total.samples, total.counts = self.split.samples, self.split.counts
        logs = np.append(x[: self.p], np.log(x[self.p :]))
        for i in range(total.size):
            jacobian, right = self.of_axis(i, logs)
            if total.p > self.p:
                right = right + jacobian[:, self.p :].sum(axis=1)
                jacobian[:, self.p :] /= x[self.p :]
            total.factors[i] = update_factor(total.factors[i], jacobian[:, : total.p], right)
        return total
