import pickle

import numpy as np
import pytest

from irbmodels import InputError
from irbmodels.identification.fits import Accumulator
from irbmodels.identification.fits.accumulator import BLOCK, update_factor

NAMES, UNITS = ("a", "b", "c"), ("kg", "kg m", "kg m^2")


def equations(count, seed=0):
    rng = np.random.default_rng(seed)
    return rng.normal(size=(count, 2, 3)), rng.normal(size=(count, 2))


def filled(*blocks):
    total = Accumulator(2, NAMES, UNITS)
    for Y, y in blocks:
        total.add(Y, y)
    return total


def gram(total, i):
    return total.factors[i].T @ total.factors[i]


def test_factor_is_that_of_all_rows():
    """R'R of each equation is [Y y]'[Y y], whatever the number of blocks that LAPACK is given."""
    Y, y = equations(2 * BLOCK + 7)
    total = filled((Y, y))
    for i in range(2):
        whole = np.column_stack([Y[:, i], y[:, i]])
        # sums of 1000 squares
        np.testing.assert_allclose(gram(total, i), whole.T @ whole, rtol=1e-12, atol=1e-9)
        assert np.array_equal(total.factors[i], np.triu(total.factors[i]))
    assert total.samples == 2 * BLOCK + 7


def test_merging_is_adding_whatever_the_grouping():
    """Parts merged in two groupings, and pickled on the way, hold what one pass over all of them
    holds.
    """
    parts = [equations(count, seed) for seed, count in enumerate((5, 40, 11))]
    one, two, three = (pickle.loads(pickle.dumps(filled(part))) for part in parts)
    left, right, whole = one.merge(two).merge(three), one.merge(two.merge(three)), filled(*parts)
    for i in range(2):
        np.testing.assert_allclose(gram(left, i), gram(whole, i), rtol=1e-12, atol=1e-12)
        np.testing.assert_allclose(gram(right, i), gram(whole, i), rtol=1e-12, atol=1e-12)
    assert left.samples == right.samples == whole.samples == 56
    assert one.samples == 5  # merging makes a new one


def test_weights_scale_squares():
    """An equation of weight 4 counts as four, one of weight 0 not at all; the other equation of the
    sample has its own weight.
    """
    Y, y = equations(20)
    weights = np.ones((20, 2))
    weights[3], weights[7], weights[11, 1] = 4.0, 0.0, 9.0
    total = Accumulator(2, NAMES, UNITS).add(Y, y, weights)
    index = [i for i in range(20) if i != 7] + [3, 3, 3]
    for equation, more in enumerate(([], 8 * [11])):
        again = filled((Y[index + more], y[index + more]))
        np.testing.assert_allclose(
            gram(total, equation), gram(again, equation), rtol=1e-12, atol=1e-12
        )


def test_squares_are_those_of_the_residuals():
    """Residual squares come from the factor as from the samples."""
    Y, y = equations(30)
    beta = np.array([0.3, -1.0, 2.0])
    expected = np.square(y - Y @ beta).sum(axis=0)
    np.testing.assert_allclose(filled((Y, y)).residual_squares(beta), expected, rtol=1e-12)


def test_columns_of_zeros_stay_zero_until_they_are_not():
    """A column that comes alive in a later block is folded in like any other."""
    (Y, y), (Z, z) = equations(15, 1), equations(15, 2)
    Y[:, 0, 1] = 0.0
    total = filled((Y, y))
    assert not total.factors[0][:, 1].any()
    total.add(Z, z)
    whole = np.column_stack(
        [np.concatenate([Y[:, 0], Z[:, 0]]), np.concatenate([y[:, 0], z[:, 0]])]
    )
    np.testing.assert_allclose(gram(total, 0), whole.T @ whole, rtol=1e-12, atol=1e-12)
    assert not update_factor(np.zeros((3, 3)), np.zeros((4, 3))).any()
    # a block that says nothing takes nothing away
    dead = update_factor(total.factors[0], np.zeros((4, 4)))
    np.testing.assert_allclose(dead.T @ dead, gram(total, 0), rtol=1e-12, atol=1e-12)


def test_some_columns_of_all():
    """Leaving parameters out is the same as never having had their columns."""
    Y, y = equations(25)
    part = filled((Y, y)).select([0, 2])
    again = Accumulator(2, ("a", "c"), ("kg", "kg m^2")).add(Y[..., [0, 2]], y)
    assert part.names == again.names
    assert part.units == again.units
    assert part.samples == 25
    for i in range(2):
        np.testing.assert_allclose(gram(part, i), gram(again, i), rtol=1e-12, atol=1e-12)


def test_together_weighs_the_equations():
    """The common factor is that of the sum of the weighted squares."""
    total = filled(equations(25))
    whole = total.combined_factor([2.0, 0.25])
    np.testing.assert_allclose(
        whole.T @ whole, 2.0 * gram(total, 0) + 0.25 * gram(total, 1), rtol=1e-12, atol=1e-12
    )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        (lambda Y, y: (Y[:, :1], y, None), "regressors need shape"),
        (lambda Y, y: (Y[0], y, None), "regressors need shape"),
        (lambda Y, y: (Y, y[:-1], None), "right-hand side"),
        (lambda Y, y: (Y * np.nan, y, None), "finite"),
        (lambda Y, y: (Y, y + np.inf, None), "finite"),
        (lambda Y, y: (Y, y, -np.ones_like(y)), "negative"),
        (lambda Y, y: (Y, y, np.ones(3)), "weights needs"),
    ],
)
def test_bad_blocks_are_refused_whole(change, message):
    """A wrong shape, NaN or a negative weight is one clear line, and nothing is added."""
    total = filled(equations(4))
    before = total.factors.copy()
    with pytest.raises(InputError, match=message):
        total.add(*change(*equations(4, 1)))
    assert np.array_equal(total.factors, before)
    assert total.samples == 4


def test_only_the_same_parameters_merge():
    """Sums in other parameters are refused."""
    with pytest.raises(InputError, match="same parameters"):
        filled(equations(4)).merge(Accumulator(2, ("a", "b", "d"), UNITS))
