import numpy as np
import pytest
from scipy import optimize, stats

from irbmodels import InputError
from irbmodels.identification.fits import (
    Samples,
    accumulate,
    huber,
    least_squares,
    weighted_least_squares,
)
from irbmodels.identification.fits.robust import TUNING, _expected
from irbmodels.trajectory import Motion

TRUTH, SIGMA = np.array([3.0, -2.0, 0.5]), np.array([1.0, 20.0])


class Line:
    """Two equations per sample in three parameters: q are the regressors, tau what they give."""

    names, units, size = ("a", "b", "c"), ("", "", ""), 2

    def __call__(self, pieces):
        """Yield the equations of each piece."""
        for piece in pieces:
            yield piece.q.reshape(-1, 2, 3), piece.tau


def samples(count=600, seed=0, share=0.0):
    """Noisy samples, a share of them far off to one side."""
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(count, 2, 3))
    y = Y @ TRUTH + SIGMA * rng.normal(size=(count, 2))
    y += 30.0 * SIGMA * (rng.random((count, 2)) < share)
    half = count // 2
    motion = Motion(np.arange(count), Y.reshape(count, 6), tau=y)
    return Samples([0, 1], lambda k: [motion.each(lambda x: x[k * half : (k + 1) * half])]), Y, y


def test_it_is_the_least_of_hubers_loss():
    """The estimate minimises Huber's loss at its own noise, as scipy finds it, and the noise
    fulfils proposal 2.
    """
    logs, Y, y = samples(share=0.1)
    fit = huber(logs, Line())

    def residual(beta):
        return ((y - Y @ beta) / fit.noise).ravel()

    actual = optimize.least_squares(
        residual, TRUTH, loss="huber", f_scale=TUNING, xtol=1e-14, ftol=1e-14, gtol=1e-14
    )
    np.testing.assert_allclose(fit.beta, actual.x, atol=1e-5 * fit.deviation.min())
    clipped = np.square(np.clip(residual(fit.beta).reshape(-1, 2), -TUNING, TUNING)).sum(axis=0)
    expected = stats.norm.expect(lambda x: min(x * x, TUNING**2), lb=-10.0, ub=10.0)
    np.testing.assert_allclose(clipped / (600 - 1.5), expected, rtol=1e-4)
    assert _expected(TUNING) == pytest.approx(expected, rel=1e-6)


def test_clean_data_cost_five_percent():
    """On Gaussian noise it agrees with least squares, at 95 % of the efficiency."""
    logs, _, _ = samples(20_000)
    robust, plain = huber(logs, Line()), weighted_least_squares(accumulate(logs, Line()))
    np.testing.assert_allclose(robust.beta, plain.beta, atol=1.5 * plain.deviation.max())
    np.testing.assert_allclose((plain.deviation / robust.deviation) ** 2, 0.95, atol=0.02)
    np.testing.assert_allclose(robust.noise, SIGMA, rtol=0.02)


def test_without_outliers_it_is_least_squares():
    """Where no residual counts as outlier, estimates and covariance are those of least squares
    with weights from the same noise, whose degrees of freedom are those of 20 samples.
    """
    logs, _, _ = samples(20)
    robust, total = huber(logs, Line(), 1e3), accumulate(logs, Line())
    plain = least_squares(total, 1.0 / np.square(robust.noise), robust.noise)
    np.testing.assert_allclose(robust.beta, plain.beta, rtol=1e-9)
    np.testing.assert_allclose(robust.covariance, plain.covariance, rtol=1e-4)
    degrees = 20 - 3 / 2
    squares = total.residual_squares(robust.beta) / degrees
    np.testing.assert_allclose(robust.noise, np.sqrt(squares), rtol=1e-5)


def test_outliers_move_least_squares_and_not_this():
    """Of 40 logs with 5 % outliers it holds the truth in its intervals; least squares is several
    times as far off.
    """
    inside, ratio = [], []
    for seed in range(40):
        logs, _, _ = samples(600, seed, share=0.05)
        robust, plain = huber(logs, Line()), weighted_least_squares(accumulate(logs, Line()))
        lower, upper = robust.intervals().T
        inside.append((lower <= TRUTH) & (upper >= TRUTH))
        ratio.append(np.square(plain.beta - TRUTH).sum() / np.square(robust.beta - TRUTH).sum())
    assert 0.88 <= np.mean(inside) <= 1.0  # 120 intervals of 95 %: 3.5 sigma
    assert np.median(ratio) > 9.0


def test_exact_data_stay_exact():
    """Data without noise are no trap."""
    _, Y, _ = samples(60)
    exact = Motion(np.arange(60), Y.reshape(60, 6), tau=Y @ TRUTH)
    np.testing.assert_allclose(huber(Samples.of(exact), Line()).beta, TRUTH, rtol=1e-10)


@pytest.mark.parametrize("k", [0.0, -1.0, np.nan])
def test_k_is_positive(k):
    """A tuning constant that is none is refused."""
    with pytest.raises(InputError, match="k is a positive number"):
        huber(samples()[0], Line(), k)
