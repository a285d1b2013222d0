import numpy as np
import pytest

from irbmodels import InputError
from irbmodels.identification.fits import RecursiveLeastSquares

NOISE = np.array([0.5, 2.0])


def stream(count, seed=0):
    rng = np.random.default_rng(seed)
    Y = rng.normal(size=(count, 2, 3))
    return Y, Y @ [3.0, -2.0, 0.5] + NOISE * rng.normal(size=(count, 2))


def explicit(Y, y, guess, spread, forgetting):
    """Weighted least squares at once: sample k of N weighs forgetting^(N - k); the prior always
    1.
    """
    weights = forgetting ** np.arange(len(Y))[::-1]
    information = np.diag(1.0 / spread**2) + np.einsum(
        "n,nip,i,niq->pq", weights, Y, NOISE**-2.0, Y
    )
    right = guess / spread**2 + np.einsum("n,nip,i,ni->p", weights, Y, NOISE**-2.0, y)
    return np.linalg.solve(information, right), np.linalg.inv(information)


@pytest.mark.parametrize("forgetting", [1.0, 0.97, 0.5])
def test_it_is_weighted_least_squares_after_every_sample(forgetting):
    """Estimate and covariance are those of all samples at once, older ones weighing less, and of
    the prior.
    """
    Y, y = stream(40)
    guess, spread = np.array([1.0, 0.0, 2.0]), np.array([2.0, 5.0, 1.0])
    running = RecursiveLeastSquares(guess, spread, NOISE, forgetting)
    np.testing.assert_allclose(running.beta, guess, rtol=1e-14)
    for k in range(40):
        beta = running.add(Y[k], y[k])
        expected, covariance = explicit(Y[: k + 1], y[: k + 1], guess, spread, forgetting)
        np.testing.assert_allclose(beta, expected, rtol=1e-10)
        np.testing.assert_allclose(running.covariance, covariance, rtol=1e-9, atol=1e-14)


def test_it_follows_a_parameter_that_changes():
    """With forgetting it finds the new value; without, it stays between."""
    Y, y = stream(800)
    y[400:] += Y[400:] @ [0.0, 0.0, 10.0]
    actual = {}
    for forgetting in (0.95, 1.0):
        running = RecursiveLeastSquares(np.zeros(3), 100.0 * np.ones(3), NOISE, forgetting)
        for k in range(800):
            actual[forgetting] = running.add(Y[k], y[k])[2]
    assert actual[0.95] == pytest.approx(10.5, abs=0.5)
    assert 3.0 < actual[1.0] < 8.0


def test_standing_still_forgets_and_never_blows_up():
    """After a million samples' worth of nothing the covariance is that of the prior, and the next
    sample counts as the first.
    """
    Y, y = stream(50)
    spread = np.array([2.0, 5.0, 1.0])
    running = RecursiveLeastSquares(np.zeros(3), spread, NOISE, 0.5)
    for k in range(50):
        running.add(Y[k], y[k])
    for _ in range(2000):  # 0.5^2000 underflows
        running.add(np.zeros((2, 3)), np.zeros(2))
    np.testing.assert_allclose(running.covariance, np.diag(spread**2), rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(running.beta, 0.0, atol=1e-12)
    fresh = RecursiveLeastSquares(np.zeros(3), spread, NOISE, 0.5)
    np.testing.assert_allclose(running.add(Y[0], y[0]), fresh.add(Y[0], y[0]), rtol=1e-9)


def test_long_runs_keep_their_digits():
    """After 5000 samples of nearly parallel regressors it still agrees with least squares at
    once.
    """
    rng = np.random.default_rng(0)
    Y = np.ones((5000, 1, 2)) + 1e-4 * rng.normal(size=(5000, 1, 2))
    y = Y @ [1.0, 2.0]
    running = RecursiveLeastSquares(np.zeros(2), 1e6 * np.ones(2), [1e-3])
    for k in range(5000):
        running.add(Y[k], y[k])
    np.testing.assert_allclose(running.beta, [1.0, 2.0], rtol=1e-8)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (([0.0], [1.0], [1.0], 0.0), "forgetting"),
        (([0.0], [1.0], [1.0], 1.5), "forgetting"),
        (([0.0], [0.0], [1.0]), "must be positive"),
        (([0.0], [1.0], [-1.0]), "must be positive"),
        (([0.0, 1.0], [1.0], [1.0]), "deviation needs"),
    ],
)
def test_bad_starts(arguments, message):
    """What cannot be a prior, a noise or a memory is refused."""
    with pytest.raises(InputError, match=message):
        RecursiveLeastSquares(*arguments)


def test_a_bad_sample_changes_nothing():
    """NaN is refused, and the estimate stays."""
    running = RecursiveLeastSquares([1.0], [1.0], [1.0], 0.9)
    with pytest.raises(InputError, match="y needs"):
        running.add([[1.0]], [np.nan])
    np.testing.assert_array_equal(running.beta, [1.0])
