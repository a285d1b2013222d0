"""Assumed effort bounds."""

import numpy as np
import shipped

import irbmodels as irb
from irbmodels.cad.efforts import bounds, rounded_up


def test_efforts_cover_what_they_promise():
    """An assumed effort bound exceeds the gravity torque of every posture tried, and is not a wild
    one.
    """
    for name in shipped.WEIGHED:
        robot, bound = irb.load(name), bounds(irb.describe(name))
        ruled = robot.limits.effort_assumed  # axis 3 of the 930 is published
        assert (robot.limits.effort >= bound)[ruled].all()
        # rows shared by variants take the largest
        assert (robot.limits.effort <= 2.5 * bound)[ruled].all()
        low, high = robot.limits.envelope()
        q = np.random.default_rng(1).uniform(low, high, (200, robot.n))
        assert (np.abs(robot.gravity(q)).max(axis=0) < robot.limits.effort).all()


def test_rounding_up_keeps_two_digits():
    """Two digits, never below the value."""
    assert [rounded_up(x) for x in (1234.0, 1200.0, 0.0321, 99.5)] == [1300.0, 1200.0, 0.033, 100.0]
