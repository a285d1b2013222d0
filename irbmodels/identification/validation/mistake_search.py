"""Search of an evaluated set and its logs for usual mistakes, in the order that explains most."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from ...model.types import Array, Mask
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns, TorqueRegressor, first_of_friction
from ...trajectory import Motion
from ..fits.payload import LoadColumns
from ..fits.prior import impossible_bodies
from .arrangements import Columns, find_arrangement
from .fit_mistakes import check_bodies, driving_friction, find_fit_mistakes
from .levels import BOUNDS
from .mistakes import (
    Blocks,
    Mistake,
    Predict,
    ResidualEquations,
    Segment,
    Visible,
    block_size,
    blocks_of,
    friction_columns,
    position_slopes,
)
from .mounting import find_mounting

# payloads that count: of the rated one, or of the arm's mass where none is known
LIGHT_LOAD, LIGHT = 0.05, 0.02


class EvaluatedSet(NamedTuple):
    """A set of parameters under evaluation."""

    before: Robot
    """With the previous set."""
    robot: Robot
    """With the friction law of the set."""
    axes: tuple[int, ...]
    """Evaluated axes, 0-based."""
    parameters: Array
    """In the order of ``robot.parameter_vector()``."""
    base: BaseParameters | None
    """Of the fit, if there was one."""
    bodies: BodyColumns
    """Columns of the regressor that others have computed."""

    def regressor(self, robot: Robot) -> TorqueRegressor:
        """Return the regressor of the robot, with the previous set or this one."""
        return TorqueRegressor(robot, self.bodies)

    def rows(self, robot: Robot, blocks: Blocks) -> Array:
        """Return the regressor of a robot at blocks, ``(N, n, p)``."""
        states = blocks.q, blocks.v, blocks.a
        parts = self.regressor(robot).parts(*states, None, lambda q, v: blocks.direction)
        return np.concatenate(parts, axis=2)

    def fitted_columns(self, blocks: Blocks) -> Array:
        """Return columns of the fitted parameters ``(N, n, p)``, 0 for axes that stand."""
        assert self.base is not None
        rows = self.base.reduced(self.rows(self.robot, blocks))
        columns = np.zeros((*blocks.q.shape, rows.shape[2]))
        columns[:, list(self.base.axes)] = rows
        return columns

    def free_columns(self) -> Columns:
        """Return columns of fitted parameters and any friction."""
        assert self.base is not None
        # any friction has Fv and Fc of a drive that turns its own axis alone: columns that are
        # there twice make equations singular, and slow to solve
        twice = () if self.robot.dynamic_model.has_coupled_drives else ("Fv_", "Fc_")
        kept = [i for i, name in enumerate(self.base.names) if not name.startswith(twice)]

        def columns(blocks: Blocks) -> Array:
            none = np.zeros((*blocks.q.shape, 1))
            fitted = np.take(self.fitted_columns(blocks), kept, axis=2)
            return np.concatenate([fitted, friction_columns(blocks), none], axis=2)

        return columns

    def known_columns(self, robot: Robot, values: Array) -> Columns:
        """Return columns of any friction, and torques of a set."""

        def columns(blocks: Blocks) -> Array:
            torque = self.torque(robot, values, blocks)(blocks.q, blocks.v, blocks.a)
            return np.concatenate([friction_columns(blocks), torque[:, :, None]], axis=2)

        return columns

    def torque(self, robot: Robot, values: Array, blocks: Blocks) -> Predict:
        """Return torques of a set at other states, whose friction has the direction of blocks."""
        regressor = self.regressor(robot)
        return lambda q, v, a: regressor.torque(q, v, a, values, None, lambda *_: blocks.direction)

    def segment(self, motion: Motion) -> Segment:
        """Return a segment of a log, its torques as they are at the reference temperature."""
        steady = at_reference(motion, self.robot, self.parameters)
        regressor, D = self.regressor(self.robot), self.robot.dynamic_model.drive_axes
        q, v, a = (np.asarray(x) for x in (motion.q, motion.v, motion.a))
        along = regressor.start()
        direction = np.sign(v @ D.T) if along is None else along(q, v)
        predicted = regressor.torque(q, v, a, self.parameters, None, lambda *_: direction)
        return Segment(steady, direction, predicted)

    def blocks(self, motions: Sequence[Motion]) -> Blocks:
        """Return block means of logs, with torques of the evaluated axes alone."""
        law, n = self.robot.friction_model, self.robot.n
        gradual = np.zeros(n, dtype=bool) if law is None else law.presliding > 0.0
        blocks = blocks_of([self.segment(motion) for motion in motions], gradual)
        return _of_axes(blocks, np.isin(np.arange(n), self.axes))

    def without_friction(self) -> Array:
        """Return the parameters with those of friction 0."""
        law, first = self.robot.friction_model, first_of_friction(self.robot)
        still = np.array(self.parameters)
        if law is not None:
            still[first : first + len(law.kinds) * self.robot.n] = 0.0
        return still

    def smallest_payload(self) -> float:
        """Return the smallest payload that counts [kg]."""
        description, ratings = self.robot.description, None
        if description is not None:
            ratings = description.limits.ratings
        if ratings is not None and ratings.payload_kg is not None:
            return LIGHT_LOAD * float(ratings.payload_kg)
        return LIGHT * sum(float(body.mass) for body in list(self.robot.model.inertias)[1:])


class Search(NamedTuple):
    """Result of a search."""

    mistakes: tuple[Mistake, ...]
    visible: Visible | None = None
    """Smallest ones that the logs would show; None where others hide them."""


def search_mistakes(
    chosen: EvaluatedSet,
    held_out: Sequence[Motion],
    estimation: Sequence[Motion],
    unexplained: Array,
) -> Search:
    """Return mistakes in the logs against the set, and of a fit against the previous set too.

    Args:
        chosen: The set.
        held_out: Usable segments of logs that it is evaluated on.
        estimation: Those of the fit.
        unexplained: Share of the torque of each evaluated axis.
    """
    before, now, axes, parameters, base, _ = chosen
    if not any(map(block_size, held_out)):
        return Search(())
    seen = np.isin(np.arange(now.n), axes)
    blocks, everything = map(chosen.blocks, (held_out, [*held_out, *estimation]))
    exists, own = not impossible_bodies(before), before.parameter_vector()
    models = [chosen.known_columns(now, parameters) if base is None else chosen.free_columns()]
    if base is not None and now is not before:
        models.append(chosen.known_columns(before, own))
    found = (find_arrangement(everything, model, axes, now.limits.linear) for model in models)
    arrangement = next((one for one in found if one is not None), None)
    if arrangement is not None and arrangement.kind == "degrees":
        return Search((arrangement,))
    if base is None or exists:
        robot, values = (now, parameters) if base is None else (before, own)
        mounting = find_mounting(everything, robot, chosen.bodies, values, seen)
        if mounting is not None:
            return Search((mounting,))
    tree, bodies = now.dynamic_model.tree, list[Mistake]()
    load = LoadColumns.at(tree, tree.flange)
    if exists:
        rows = chosen.rows(before, everything)
        bodies = check_bodies(everything, rows @ own, load(rows), chosen.smallest_payload())
        if bodies and bodies[0].kind == "unit":
            return Search(tuple(bodies))
    if arrangement is not None:
        return Search((arrangement,))
    visible = None
    if base is not None:
        fitted = chosen.fitted_columns(everything)
        names = [f"Fc_{axis + 1}" for axis in range(now.n)]
        coulomb = [base.names.index(name) if name in base.names else -1 for name in names]
        if driving := driving_friction(everything, fitted, coulomb):
            return Search(tuple(driving))
        # a payload or other bodies move what is estimated of gains and zeros
        if bodies:
            return Search(tuple(bodies))
        # beside a term that the model misses, small zeros and gains seem sure
        left = np.full(now.n, np.inf)
        left[list(axes)] = unexplained
        close = left <= BOUNDS[1]
        still = chosen.without_friction()
        mistakes, visible = find_fit_mistakes(
            _of_axes(everything, close),
            chosen.torque(now, parameters, everything)(*everything[:3]),
            position_slopes(chosen.torque(now, still, everything), everything),
            fitted,
            now.limits.linear,
            np.flatnonzero(close).tolist(),
            np.where(close, left, 0.0),
        )
        if mistakes or not close[list(axes)].all():
            return Search(tuple(mistakes), visible)
    equations = ResidualEquations.of(
        blocks,
        chosen.torque(now, parameters, blocks),
        lambda q, v, a: load(chosen.regressor(now)(q, v, a))[:, :, :4],
        now.limits.linear,
        axes,
    )
    mistakes = equations.mistakes(chosen.smallest_payload())
    return Search(tuple(mistakes), equations.visible() if visible is None else visible)


def _of_axes(blocks: Blocks, axes: Mask) -> Blocks:
    """Return blocks with torques of some axes alone."""
    tau, residual = (np.where(axes, x, np.nan) for x in (blocks.tau, blocks.residual))
    return blocks._replace(tau=tau, residual=residual)


def at_reference(motion: Motion, robot: Robot, parameters: Array) -> Motion:
    """Return a motion with the torques that it has at the reference temperature of a set."""
    law, D = robot.friction_model, robot.dynamic_model.drive_axes
    if law is None or not law.per_K.any() or motion.temperature is None:
        return motion
    first = first_of_friction(robot)
    fitted = law.with_parameters(parameters[first : first + len(law.kinds) * robot.n])
    change = fitted.viscous_change(np.asarray(motion.v) @ D.T, motion.temperature) @ D
    return motion._replace(tau=np.asarray(motion.tau) - change)
