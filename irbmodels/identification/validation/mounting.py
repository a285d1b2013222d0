"""Direction of gravity that torques of a log show, against that of the robot."""

from __future__ import annotations

import numpy as np

from ...model.types import Array, Mask
from ...robot.robot import Robot
from ...robot.torque_regressor import BodyColumns, TorqueRegressor, first_of_friction
from .arrangements import ARRANGED, thinned_blocks, torque_error
from .fit_mistakes import SIZE
from .mistakes import LARGEST_ZERO, Blocks, Mistake, friction_columns
from .stretch_equations import StretchSums


def find_mounting(
    blocks: Blocks, robot: Robot, columns: BodyColumns, parameters: Array, axes: Mask
) -> Mistake | None:
    """Return how gravity turns the robot's bodies, if that explains torques much better.

    Torques are linear in the vector of gravity: it is fitted beside any friction. Angles that a
    shifted zero may have as well are none of a mounting.

    Args:
        blocks: Of the logs.
        robot: Mounted as its user states.
        columns: Of its bodies.
        parameters: Of the set, in the order of ``robot.parameter_vector()``.
        axes: That are in question, ``(n,)``.
    """
    q, v, a = (thinned := thinned_blocks(blocks))[:3]
    given = robot.gravity_vector
    if not given.any():
        return None
    bodies = parameters[: first_of_friction(robot)]
    weight = columns.at_rest(q) @ bodies
    unit = np.empty((*q.shape, 3))
    *others, last = np.argsort(np.abs(given)).tolist()
    upright = robot.mounted(np.eye(4))
    for k in others:
        unit[:, :, k] = BodyColumns(upright.with_gravity(np.eye(3)[k])).at_rest(q) @ bodies
    unit[:, :, last] = (weight - unit[:, :, others] @ given[others]) / given[last]
    weightless = TorqueRegressor(robot, columns).torque(q, v, a, parameters) - weight
    own = friction_columns(thinned)
    free = np.concatenate([own, unit, weightless[:, :, None]], axis=2)
    # as the robot is mounted, and in any unit
    stated = (weightless + unit @ given)[:, :, None]
    stated = np.concatenate([own, stated, np.zeros_like(stated)], axis=2)
    if not torque_error(thinned, free, axes) < ARRANGED * torque_error(thinned, stated, axes):
        return None
    sums = StretchSums.of(free[:, :, :-1], np.where(axes, thinned.tau - weightless, np.nan))
    gravity = sums.estimate(jackknife=False).value[-3:]
    length = float(np.linalg.norm(gravity) / np.linalg.norm(given))
    if not 1.0 / SIZE < length < SIZE:
        return None  # torques of other bodies, or in another unit
    cosine = gravity @ given / (length * (given @ given))
    angle = float(np.arccos(np.clip(cosine, -1.0, 1.0)))
    if angle < LARGEST_ZERO:
        return None
    x, y, z = (float(value) for value in gravity)
    return Mistake("mounting", (), angle, np.nan, (x, y, z))
