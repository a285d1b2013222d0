"""Search of an evaluated set and its logs for usual mistakes, in the order that explains most."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import NamedTuple

import numpy as np

from ...model.types import Array
from ...robot.base_parameters import BaseParameters
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns, TorqueRegressor, first_of_friction
from ...trajectory import Motion
from ..fits.prior import impossible_bodies
from .fit_mistakes import check_bodies, find_fit_mistakes
from .levels import BOUNDS
from .mistakes import Blocks, Mistake, blocks_of, find_arrangement, find_mistakes, friction_columns

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

    def smallest_payload(self) -> float:
        """Return the smallest payload that counts [kg]."""
        description, ratings = self.robot.description, None
        if description is not None:
            ratings = description.limits.ratings
        if ratings is not None and ratings.payload_kg is not None:
            return LIGHT_LOAD * float(ratings.payload_kg)
        return LIGHT * sum(float(body.mass) for body in list(self.robot.model.inertias)[1:])


def search_mistakes(
    chosen: EvaluatedSet,
    held_out: Sequence[Motion],
    estimation: Sequence[Motion],
    unexplained: Array,
) -> tuple[Mistake, ...]:
    """Return mistakes in the logs against the set, and of a fit against the previous set too.

    Args:
        chosen: The set.
        held_out: Usable segments of logs that it is evaluated on.
        estimation: Those of the fit.
        unexplained: Share of the torque of each evaluated axis.
    """
    before, now, axes, parameters, base, bodies = chosen
    if axes != tuple(range(now.n)):
        return ()  # a tilt of axes that stand is none of the motion
    held_out, estimation = (
        [_at_reference(motion, now, parameters) for motion in motions]
        for motions in (held_out, estimation)
    )
    blocks = blocks_of(held_out)
    regressor = TorqueRegressor(now, bodies)
    last = 10 * (now.model.njoints - 2)

    def free(blocks: Blocks) -> Array:
        assert base is not None
        columns = base.reduced(regressor(blocks.q, blocks.v, blocks.a))
        none = np.zeros((*blocks.q.shape, 1))
        return np.concatenate([columns, friction_columns(blocks.v), none], axis=2)

    def known(robot: Robot, values: Array) -> Callable[[Blocks], Array]:
        of_robot = TorqueRegressor(robot, bodies)

        def columns(blocks: Blocks) -> Array:
            torque = of_robot.torque(blocks.q, blocks.v, blocks.a, values)
            return np.concatenate([friction_columns(blocks.v), torque[:, :, None]], axis=2)

        return columns

    models: list[Callable[[Blocks], Array]] = [known(now, parameters) if base is None else free]
    if base is not None and now is not before:
        models.append(known(before, before.parameter_vector()))
    everything = blocks_of([*held_out, *estimation])
    own = before.parameter_vector()
    if base is None and not impossible_bodies(before):
        of_robot = regressor(everything.q, everything.v, everything.a)
        units = check_bodies(everything, of_robot @ own, of_robot[:, :, last : last + 10], np.inf)
        if units and units[0].kind == "unit":
            return tuple(units)
    for model in models:
        if (arrangement := find_arrangement(everything, model)) is not None:
            return (arrangement,)
    smallest = chosen.smallest_payload()
    if base is not None and not impossible_bodies(before):
        kept = base

        def reduced(blocks: Blocks) -> Array:
            return kept.reduced(regressor(blocks.q, blocks.v, blocks.a))

        names = [f"Fc_{axis + 1}" for axis in axes]
        found = find_fit_mistakes(
            everything,
            lambda q, v, a: regressor.torque(q, v, a, parameters),
            reduced,
            [base.names.index(name) if name in base.names else -1 for name in names],
            now.limits.linear,
        )
        # beside a term that the model misses, small zeros and gains seem sure
        close = bool((unexplained <= BOUNDS[1]).all())
        found = [one for one in found if close or one.kind == "sign"]
        # a payload or other bodies move what is estimated of gains and zeros, a wrong sign both
        if not any(one.kind == "sign" for one in found):
            rows = TorqueRegressor(before, bodies)(everything.q, everything.v, everything.a)
            load = rows[:, :, last : last + 10]
            found = check_bodies(everything, rows @ own, load, smallest) or found
        if found or not close:
            return tuple(found)
    return tuple(
        find_mistakes(
            blocks,
            lambda q, v, a: regressor.torque(q, v, a, parameters),
            lambda q, v, a: regressor(q, v, a)[:, :, last : last + 4],
            now.limits.linear,
            smallest,
        )
    )


def _at_reference(motion: Motion, robot: Robot, parameters: Array) -> Motion:
    """Return a motion with the torques that it has at the reference temperature of a set."""
    law, D = robot.friction_model, robot.dynamic_model.drive_axes
    if law is None or not law.per_K.any() or motion.temperature is None:
        return motion
    first = first_of_friction(robot)
    fitted = law.with_parameters(parameters[first : first + len(law.kinds) * robot.n])
    change = fitted.viscous_change(np.asarray(motion.v) @ D.T, motion.temperature) @ D
    return motion._replace(tau=np.asarray(motion.tau) - change)
