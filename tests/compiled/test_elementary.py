import math

import mpmath
import numpy as np
import pytest

numba = pytest.importorskip("numba")
elementary = pytest.importorskip("irbmodels.compiled.simd_math")

ULPS = 2.5  # what the module promises
FAR = 1e4  # [rad], as far as it promises it
FAR_SINGLE = 4 * np.pi
SUFFIXES = {np.dtype(np.float64): "", np.dtype(np.float32): "32"}


def compiled(name, dtype, vectorised):
    """Return an elementary function over arrays: as a loop that LLVM vectorises, or as calls for
    one number at a time.
    """
    function, real = (
        getattr(elementary, name + SUFFIXES[np.dtype(dtype)]),
        numba.from_dtype(np.dtype(dtype)),
    )
    if name == "sincos":
        if vectorised:

            def run(x, y, z):
                elementary.assume_noalias()
                for i in range(x.size):
                    y[i], z[i] = function(x[i])

            return numba.njit(
                numba.void(real[::1], real[::1], real[::1]), fastmath=elementary.FLAGS
            )(run)

        def one(x):
            return function(x)

        return numba.njit(numba.types.UniTuple(real, 2)(real), fastmath=elementary.FLAGS)(one)
    if vectorised:

        def run(x, y):
            elementary.assume_noalias()
            for i in range(x.size):
                y[i] = function(x[i])

        return numba.njit(numba.void(real[::1], real[::1]), fastmath=elementary.FLAGS)(run)
    return numba.njit(real(real), fastmath=elementary.FLAGS)(lambda x: function(x))


@pytest.fixture(scope="module", params=[np.float64, np.float32], ids=["double", "single"])
def dtype(request):
    return np.dtype(request.param)


@pytest.fixture(scope="module", params=[True, False], ids=["loop", "alone"])
def run(request, dtype):
    """Return ``run(name, x) -> values``, by a loop or number by number."""
    made = {}

    def apply(name, x):
        if name not in made:
            made[name] = compiled(name, dtype, request.param)
        x = np.ascontiguousarray(x, dtype)
        results = 2 if name == "sincos" else 1
        if request.param:
            out = [np.empty_like(x) for _ in range(results)]
            made[name](x, *out)
        else:
            out = np.array([made[name](number) for number in x], dtype).reshape(x.size, results).T
        return out if results == 2 else out[0]

    apply.made, apply.is_loop = made, request.param
    return apply


def errors(ours, exact):
    """Return how far numbers are from exact ones, in units in the last place of the exact ones."""
    near = np.array([float(x) for x in exact]).astype(ours.dtype)
    rest = np.array([float(x - mpmath.mpf(float(y))) for x, y in zip(exact, near, strict=True)])
    return np.abs((ours.astype(float) - near.astype(float)) - rest) / np.spacing(
        np.abs(near)
    ).astype(float)


def exactly(name, x):
    with mpmath.workprec(200):
        return [getattr(mpmath, name)(mpmath.mpf(float(number))) for number in x]


def angles(dtype):
    """Random angles over all magnitudes, and the numbers around multiples of pi/2 and of pi/4,
    where a quadrant begins.
    """
    rng, far = np.random.default_rng(0), FAR if dtype == np.float64 else FAR_SINGLE
    last = int(far / (np.pi / 4))
    multiples = np.arange(1, last + 1) if last < 100 else np.unique(rng.integers(1, last + 1, 1500))
    corners = (multiples * (np.pi / 4)).astype(dtype)
    around = [corners]
    for _ in range(3):
        around = [
            np.nextafter(around[0], dtype.type(0)),
            *around,
            np.nextafter(around[-1], dtype.type(np.inf)),
        ]
    small = 10.0 ** rng.uniform(np.log10(np.finfo(dtype).smallest_subnormal) + 1.0, 0.0, 500)
    drawn = np.concatenate(
        [rng.uniform(0.0, far, 2000), rng.uniform(0.0, 7.0, 1000), small, [0.0, 1.0, far]]
    )
    x = np.concatenate(
        [*around, drawn.astype(dtype), [np.finfo(dtype).tiny, np.finfo(dtype).smallest_subnormal]]
    ).astype(dtype)
    x = x[x <= dtype.type(far)]
    return np.concatenate([x, -x])


def test_sine_and_cosine_are_right_to_the_last_digits(run, dtype):
    """Both are within 2.5 units in the last place, where the sine is all but 0 included."""
    x = angles(dtype)
    sine, cosine = run("sincos", x)
    assert sine.dtype == cosine.dtype == dtype
    assert errors(sine, exactly("sin", x)).max() <= ULPS
    assert errors(cosine, exactly("cos", x)).max() <= ULPS


def test_sine_and_cosine_of_what_is_no_angle(run, dtype):
    """NaN and infinities become NaN, and no lane beside them."""
    strange = [math.nan, math.inf, -math.inf]
    for number in strange:
        for lane in range(17):
            x = np.linspace(-3.0, 3.0, 17).astype(dtype)
            clean = run("sincos", x)
            x[lane] = number
            for ours, before in zip(run("sincos", x), clean, strict=True):
                assert np.isnan(ours[lane])
                assert np.array_equal(np.delete(ours, lane), np.delete(before, lane))


def test_exponential_is_right_to_the_last_digits(run, dtype):
    """Over all of its range, where results are subnormal too, the exponential is within 2.5 units
    in the last place.
    """
    rng = np.random.default_rng(1)
    low, high = (-745.2, 709.79) if dtype == np.float64 else (-104.0, 88.73)
    tiny = 10.0 ** rng.uniform(-30.0, 0.0, 300)
    halves = np.arange(-30, 31) * (np.log(2.0) / 2.0)
    x = np.concatenate(
        [
            rng.uniform(low, high, 3000),
            rng.uniform(low, low + 40.0, 1500),
            rng.uniform(-2.0, 0.0, 1000),
            tiny,
            -tiny,
        ]
    )
    x = np.concatenate([x, halves, [0.0, -0.0, 1.0, -1.0, high - 0.02, high - 0.2]]).astype(dtype)
    ours, exact = run("exp", x), exactly("exp", x)
    finite = np.array([value < np.finfo(dtype).max for value in exact])
    assert ours.dtype == dtype
    assert (
        errors(
            ours[finite], [value for value, fits in zip(exact, finite, strict=True) if fits]
        ).max()
        <= ULPS
    )
    assert np.isinf(ours[~finite]).all()
    assert run("exp", np.array([0.0]))[0] == 1.0


def test_exponential_beyond_its_range(run, dtype):
    """What is too large becomes infinity, what is too small 0, and NaN stays NaN."""
    limit = 709.8 if dtype == np.float64 else 88.8
    large = np.array([limit, limit + 0.5, 2 * limit, 1e4, 1e30, math.inf])
    small = np.array(
        [-746.0, -750.0, -1e4, -1e30, -math.inf]
        if dtype == np.float64
        else [-104.5, -110.0, -1e4, -1e30, -math.inf]
    )
    assert np.array_equal(run("exp", large), np.full(large.size, np.inf))
    assert np.array_equal(run("exp", small), np.zeros(small.size))
    assert not np.signbit(run("exp", small)).any()
    assert np.isnan(run("exp", np.array([math.nan, -math.nan]))).all()


def test_sign(run, dtype):
    """1 and -1 down to the smallest numbers, 0 with its own sign, and NaN."""
    least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    x = np.array([least, 1e-3, 1.0, most, math.inf], dtype)
    assert np.array_equal(run("sign", x), np.ones(5))
    assert np.array_equal(run("sign", -x), -np.ones(5))
    zeros = run("sign", np.array([0.0, -0.0] * 8))
    assert np.array_equal(zeros, np.zeros(16))
    assert np.array_equal(np.signbit(zeros), [False, True] * 8)
    assert np.isnan(run("sign", np.array([math.nan, -math.nan]))).all()


@pytest.mark.parametrize("name", ["sincos", "exp", "sign"])
def test_loops_are_vectorised(run, dtype, name):
    """LLVM computes the loop on vectors of numbers, for it has no calls and no branches."""
    if not run.is_loop:
        return
    run(name, np.zeros(3))
    (text,) = run.made[name].inspect_llvm().values()
    assert f" x {'double' if dtype == np.float64 else 'float'}>" in text


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
@pytest.mark.parametrize("rows", [8, 9, 13])
def test_transpose_moves_a_tile_and_nothing_else(dtype, rows):
    """Eight chosen rows of eight columns land as columns behind each other; all other places keep
    what they had.
    """
    real, length, gap = numba.from_dtype(np.dtype(dtype)), 21, 11

    @numba.njit(numba.void(real[::1], numba.uint64[::1], numba.uint64, numba.uint64, real[::1]))
    def move(source, places, first, column, target):
        elementary.transpose(
            source,
            places,
            first,
            numba.uint64(length),
            column,
            target,
            numba.uint64(5),
            numba.uint64(gap),
        )

    rng = np.random.default_rng(2)
    source = rng.normal(size=(7, length)).astype(dtype)
    places = rng.integers(0, 7, rows).astype(np.uint64)
    for first in {0, rows - 8}:
        for column in (0, 3, length - 8):
            target = np.full(5 + 8 * gap + 4, np.nan, dtype)
            move(source.reshape(-1), places, first, column, target)
            expected = np.full_like(target, np.nan)
            for state in range(8):
                expected[5 + gap * state :][:8] = source[places[first : first + 8], column + state]
            assert np.array_equal(target, expected, equal_nan=True)
