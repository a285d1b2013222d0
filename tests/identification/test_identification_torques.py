import pickle

import numpy as np
import pytest
from excited import random_states

import irbmodels as irb
from irbmodels.identification.fits import TorqueEquations
from irbmodels.identification.fits.accumulator import BLOCK
from irbmodels.robot.base_parameters import base_parameters


def whole(rows, pieces):
    return (np.concatenate(part) for part in zip(*rows(pieces), strict=True))


@pytest.mark.parametrize("asked", [{}, {"rotors": True}, {"friction": True}])
def test_what_is_not_asked_is_known(asked):
    """Torques less what known friction and rotors give are ``Y beta`` for the parameters that are
    asked.
    """
    robot = irb.load("irb2400", tool="spindle").with_rotors(np.arange(1.0, 7.0))
    base = base_parameters(robot, **asked)
    motion = random_states(robot, 30)
    Y, y = whole(TorqueEquations(robot, base), [motion])
    np.testing.assert_allclose(
        Y @ base.values(robot.parameter_vector()), y, atol=1e-10 * np.abs(motion.tau).max()
    )
    assert Y.shape == (30, 6, base.rank)


def test_rows_do_not_depend_on_pieces():
    """However a log is cut, its equations are the same, in blocks that stay small."""
    robot = irb.load("irb930")
    rows = TorqueEquations(robot, base_parameters(robot, (1, 3)))
    motion = random_states(robot, BLOCK + 90, axes=(1, 3))
    assert [len(y) for _, y in rows([motion])] == [BLOCK, 90]
    pieces = [motion.each(lambda x: x[i:j]) for i, j in ((0, 1), (1, 300), (300, BLOCK + 90))]
    for one, other in zip(whole(rows, [motion]), whole(rows, pieces), strict=True):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)
    for one, other in zip(
        whole(rows, [motion]), whole(pickle.loads(pickle.dumps(rows)), [motion]), strict=True
    ):
        np.testing.assert_allclose(one, other, rtol=1e-12, atol=1e-12)  # as a worker gets them
    assert rows.size == 2
    assert len(rows.names) == len(rows.units) == rows.base.rank
