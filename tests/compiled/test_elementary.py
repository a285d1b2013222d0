import math
import re
from functools import cache
from itertools import product

import mpmath
import numpy as np
import pytest
from grouped import together
from machine_code import RUNNABLE, apply, machine_code, text_of

from irbmodels.compiled.llvm_entry import COLUMNS, STATE
from irbmodels.compiled.machine import TARGETS, assembly
from irbmodels.compiled.trace import Trace, atan2, cos, exp, log, nearest, sign, sin, sqrt, where

pytest.importorskip("llvmlite")

ULPS = 2.5  # what the module promises
ULPS_OF_ATAN2 = 4.0
FAR = 1e4  # [rad], as far as it promises it
FAR_SINGLE = 4 * np.pi
FORMULAS = {
    "sincos": lambda x, y: [sin(x), cos(x)],
    "sin": lambda x, y: [sin(x)],
    "cos": lambda x, y: [cos(x)],
    "exp": lambda x, y: [exp(x)],
    "log": lambda x, y: [log(x)],
    "sign": lambda x, y: [sign(x)],
    "abs": lambda x, y: [abs(x)],
    "sqrt": lambda x, y: [sqrt(x)],
    "nearest": lambda x, y: [nearest(x)],
    "atan2": lambda x, y: [atan2(x, y)],
    "quotients": lambda x, y: [
        x.apply("inv"), x.apply("div", y), 3.0 / y, y.apply("div", x), 1.0 / sqrt(abs(x))
    ],
    "masks": lambda x, y: [
        x < y, x <= y, x > y, x >= y, (x < y) & (y < 1.0), (x < y) | (x < 1.0), ~(x < y),
        where(x < y, x, y), where(~(x < y), x, y), where((x <= y) & ~(x < 0.0), x * y, 7.0),
    ],
}  # fmt: skip


@cache
def program(name):
    trace = Trace()
    (x,), (y,) = trace.input("x", 1), trace.input("y", 1)
    values = FORMULAS[name](x, y)
    return trace.program(name, {"z": ((len(values),), values)})


@pytest.fixture(scope="module", params=[np.float64, np.float32], ids=["double", "single"])
def dtype(request):
    return np.dtype(request.param)


@pytest.fixture(scope="module", params=product(RUNNABLE, (COLUMNS, STATE)), ids=" ".join)
def run(request, dtype):
    """Return ``run(name, x, y) -> values`` of one instruction set, on vectors or number by
    number.
    """
    made = {}
    target, layout = request.param

    def values(name, x, y=None):
        if name not in made:
            made[name] = machine_code(program(name), layout, target, dtype)
        x = np.asarray(x, dtype)
        given = [
            x[:, None],
            np.zeros_like(x)[:, None] if y is None else np.asarray(y, dtype)[:, None],
        ]
        size = len(program(name).outputs[0].steps)
        (results,) = apply(made[name], layout, given, [size])
        assert results.dtype == dtype
        return results[:, 0] if size == 1 else list(results.T)

    return values


def errors(ours, exact):
    """Return how far numbers are from exact ones, in units in the last place of the exact ones."""
    near = np.array([float(x) for x in exact]).astype(ours.dtype)
    rest = np.array([float(x - mpmath.mpf(float(y))) for x, y in zip(exact, near, strict=True)])
    return np.abs((ours.astype(float) - near.astype(float)) - rest) / np.spacing(
        np.abs(near)
    ).astype(float)


@cache
def _exactly(name, dtype, *columns):
    given = [np.frombuffer(column, dtype).astype(float) for column in columns]
    with mpmath.workprec(200):
        function = getattr(mpmath, name)
        return [function(*(mpmath.mpf(x) for x in row)) for row in zip(*given, strict=True)]


def exactly(name, *columns):
    return _exactly(name, columns[0].dtype, *(column.tobytes() for column in columns))


def same(ours, theirs):
    """Hold numbers to equal ones, where NaN is equal to NaN."""
    np.testing.assert_array_equal(ours, theirs)


# --- sine and cosine


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
    """Both are within 2.5 units in the last place, where the sine is all but 0 included; computed
    together or alone they are the same.
    """
    x = angles(dtype)
    sine, cosine = run("sincos", x)
    assert errors(sine, exactly("sin", x)).max() <= ULPS
    assert errors(cosine, exactly("cos", x)).max() <= ULPS
    same(run("sin", x), sine)
    same(run("cos", x), cosine)


STRANGE = (math.nan, -math.nan, math.inf, -math.inf)


@together("name", ["sincos", "exp", "log", "sign", "sqrt", "nearest", "atan2", "masks"])
def test_no_lane_changes_another(run, dtype, name):
    """In whichever lane a NaN or an infinity is, all others keep their bits."""
    count = 35  # two vectors of the widest registers and some
    x = np.linspace(-3.0, 3.0, count).astype(dtype)
    y = np.cos(x)
    clean = np.atleast_2d(run(name, x, y))
    for number, lane in product(STRANGE, range(count)):
        broken = x.copy()
        broken[lane] = number
        ours = np.atleast_2d(run(name, broken, y))
        same(np.delete(ours, lane, axis=1), np.delete(clean, lane, axis=1))
        if name != "masks" and (math.isnan(number) or name == "sincos"):
            assert np.isnan(ours[:, lane]).all()


# --- exponential


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
    kept = [value for value, fits in zip(exact, finite, strict=True) if fits]
    assert errors(ours[finite], kept).max() <= ULPS
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
    same(run("exp", large), np.full(large.size, np.inf))
    same(run("exp", small), np.zeros(small.size))
    assert not np.signbit(run("exp", small)).any()
    assert np.isnan(run("exp", np.array([math.nan, -math.nan]))).all()


# --- logarithm


def test_logarithm_is_right_to_the_last_digits(run, dtype):
    """Of all normal numbers, beside 1 and where the power of two changes too, the logarithm is
    within 2.5 units in the last place.
    """
    rng, info = np.random.default_rng(7), np.finfo(dtype)
    ends = np.log10([float(info.tiny), float(info.max)])
    borders = np.sqrt(2.0) * 2.0 ** np.arange(-20.0, 20.0)
    x = [10.0 ** rng.uniform(*ends, 3000), rng.uniform(0.5, 2.0, 2000), borders, [1.0, 2.0]]
    x += [1.0 + sign * 10.0 ** rng.uniform(-12.0, -1.0, 300) for sign in (1.0, -1.0)]
    x = np.concatenate([*x, [float(info.tiny), float(info.max)]]).astype(dtype)
    x = np.concatenate([x, np.nextafter(x[:-2], dtype.type(0)), np.nextafter(x[:-2], info.max)])
    ours, exact = run("log", x), exactly("log", x)
    assert errors(ours, exact).max() <= ULPS
    assert (run("log", np.ones(16)) == 0.0).all()


def test_logarithm_of_what_has_none(run):
    """NaN of 0, of negative numbers, infinity and NaN."""
    assert np.isnan(run("log", np.array([0.0, -0.0, -1.0, -1e-30, -math.inf, *STRANGE]))).all()


# --- angle of a point


def points(dtype):
    """Points all around, on the axes and diagonals and beside the borders of the reduction, of
    every magnitude.
    """
    rng, info = np.random.default_rng(2), np.finfo(dtype)
    turns = [rng.uniform(-np.pi, np.pi, 1500), np.arange(-16, 17) * (np.pi / 16)]
    turns += [np.arange(-4, 4) * (np.pi / 4) + np.pi / 8 + delta for delta in (-1e-7, 0.0, 1e-7)]
    turns += [sign * 10.0 ** rng.uniform(-18.0, -1.0, 200) for sign in (-1.0, 1.0)]
    angle = np.concatenate(turns)
    radius = 10.0 ** rng.uniform(-3.0, 3.0, angle.size)
    y, x = radius * np.sin(angle), radius * np.cos(angle)
    least, most = float(info.smallest_subnormal), float(info.max) / 2.0
    chosen = [0.0, -0.0, 1.0, -1.0, 1e-3, -1e-3, least, -least, float(info.tiny), most, -most]
    apart = np.array(list(product(chosen, repeat=2)))
    near = np.log10([info.smallest_subnormal * 10.0, info.max / 2.0])
    wild = np.array([1.0, -1.0])[rng.integers(0, 2, (800, 2))] * 10.0 ** rng.uniform(
        *near, (800, 2)
    )
    small = rng.uniform(-100.0, 100.0, (200, 2)) * float(info.tiny) / 64.0
    all_points = np.concatenate([np.stack([y, x], axis=1), apart, wild, small]).astype(dtype)
    return np.ascontiguousarray(all_points.T)


def test_angle_of_a_point_is_right_to_the_last_digits(run, dtype):
    """Over all quadrants and magnitudes atan2 is within 4 units in the last place; its sign is that
    of y.
    """
    y, x = points(dtype)
    ours = run("atan2", y, x)
    away = (y != 0.0) | (x != 0.0)
    exact = exactly("atan2", y[away], x[away])
    assert errors(ours[away], exact).max() <= ULPS_OF_ATAN2
    assert (np.abs(ours) <= dtype.type(np.pi)).all()
    moved = (y != 0.0) & (ours != 0.0)
    same(np.signbit(ours[moved]), np.signbit(y[moved]))


def test_angle_of_points_on_the_axes(run, dtype):
    """0, right angles and pi are the nearest numbers; the origin has 0 whatever the signs of its
    zeros.
    """
    least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max / 2
    for r in (1.0, 1e-3, least, most):
        for zero in (0.0, -0.0):
            same(
                run("atan2", [zero, r, -r], [r, zero, zero]),
                np.array([0, np.pi / 2, -np.pi / 2], dtype),
            )
            same(run("atan2", [zero], [-r]), np.array([np.pi], dtype))
    zeros = np.array(list(product((0.0, -0.0), repeat=2)) * 9)
    same(run("atan2", *zeros.T), np.zeros(36))


@pytest.mark.parametrize("first", [True, False])
def test_angle_of_nan(run, first):
    """A coordinate that is NaN makes the angle NaN, in any lane, and whatever the other is."""
    other = np.array([0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan] * 5)
    broken = np.full(other.size, math.nan)
    given = (broken, other) if first else (other, broken)
    assert np.isnan(run("atan2", *given)).all()


# --- exact operations


def numbers(dtype):
    """Numbers of all kinds, by which any other may be divided."""
    info = np.finfo(dtype)
    rng = np.random.default_rng(3)
    kinds = [0.0, 1.0, 2.0, 0.5, 3.0, info.smallest_subnormal, info.tiny, info.max, math.inf]
    kinds = np.array([*kinds, math.nan, info.tiny / 3, info.eps], dtype)
    drawn = 10.0 ** rng.uniform(np.log10(info.tiny), np.log10(info.max), 300)
    x = np.concatenate([kinds, drawn.astype(dtype)])
    return np.concatenate([x, -x])


def test_sign(run, dtype):
    """1 and -1 down to the smallest numbers, 0 with its own sign, and NaN."""
    least, most = np.finfo(dtype).smallest_subnormal, np.finfo(dtype).max
    x = np.array([least, 1e-3, 1.0, most, math.inf], dtype)
    same(run("sign", x), np.ones(5))
    same(run("sign", -x), -np.ones(5))
    zeros = run("sign", np.array([0.0, -0.0] * 8))
    same(zeros, np.zeros(16))
    same(np.signbit(zeros), [False, True] * 8)
    assert np.isnan(run("sign", np.array([math.nan, -math.nan]))).all()


def test_square_root_and_magnitude_are_exact(run, dtype):
    """Both are those of the processor: the nearest number, and NaN of a negative one."""
    x = numbers(dtype)
    with np.errstate(invalid="ignore"):
        same(run("sqrt", x), np.sqrt(x))
    same(run("abs", x), np.abs(x))
    assert not np.signbit(run("abs", x)[~np.isnan(x)]).any()


def test_quotients_are_rounded_once(run, dtype):
    """Each quotient is the nearest number, for no reciprocal is estimated: of subnormal numbers, 0
    and infinity too.
    """
    x = numbers(dtype)
    y = np.random.default_rng(4).permutation(x)
    one = dtype.type(1.0)
    with np.errstate(all="ignore"):
        wanted = [one / x, x / y, dtype.type(3.0) * (one / y), y / x, one / np.sqrt(np.abs(x))]
    for ours, theirs in zip(run("quotients", x, y), wanted, strict=True):
        same(ours, theirs)


def test_nearest_whole_number(run, dtype):
    """Halves go to the even one, up to where numbers have no fraction."""
    rng = np.random.default_rng(5)
    last = 2.0**51 if dtype == np.float64 else 2.0**22
    halves = np.arange(-40, 41) / 2.0
    x = np.concatenate(
        [halves, rng.uniform(-9.0, 9.0, 500), rng.uniform(-last, last, 500), [0.499, -0.499, 1e-30]]
    ).astype(dtype)
    x = np.concatenate([x, np.nextafter(x, dtype.type(np.inf)), np.nextafter(x, dtype.type(0.0))])
    x = x[np.abs(x) < last]
    same(run("nearest", x), np.rint(x))
    assert np.isnan(run("nearest", [math.nan])).all()


def test_masks_and_selections(run, dtype):
    """Comparisons with NaN are false, their opposites true; a selection takes one side's bits."""
    kinds = [math.nan, -math.inf, -1.5, -0.0, 0.0, 0.5, 1.0, 2.0, math.inf]
    x, y = np.array(list(product(kinds, repeat=2)), dtype).T
    less, at_most = x < y, x <= y
    with np.errstate(invalid="ignore"):
        wanted = [
            less, at_most, y < x, y <= x, less & (y < 1.0), less | (x < 1.0), ~less,
            np.where(less, x, y), np.where(less, y, x),
            np.where(at_most & ~(x < 0.0), x * y, dtype.type(7.0)),
        ]  # fmt: skip
    for ours, theirs in zip(run("masks", x, y), wanted, strict=True):
        same(ours, theirs.astype(dtype))


# --- instructions


def instructions(text, function):
    """Return the instructions of one function of an x86-64 assembly."""
    body = text.split(f"\n{function}:", 1)[1].split(".Lfunc_end", 1)[0]
    return re.findall(r"^\t([a-z]\S*)[ \t]*(.*)$", body, re.MULTILINE)


REGISTERS = {"avx512": "zmm", "avx2": "ymm", "sse2": "xmm"}


@together("name", FORMULAS)
@together("target", REGISTERS)
def test_loops_are_vectorised(dtype, target, name):
    """The loop computes on whole registers: it has no calls, no branches, no arithmetic of single
    numbers; products and sums are fused where there are instructions for it.
    """
    chosen = TARGETS[target]
    triple = "x86_64-unknown-linux-gnu"
    text = assembly(text_of(program(name), COLUMNS, chosen, dtype), chosen, triple)
    called = re.findall(r"\bcall\S*\s+([^*\s]\S*)", text)
    assert {each.removesuffix("@PLT") for each in called} <= {"core", "run", "copy", "spread"}
    loop = instructions(text, "core")
    operations = [operation for operation, _ in loop]
    assert not any(operation.startswith("call") for operation in operations)
    assert sum(operation.startswith("j") for operation in operations) == 1, "the loop's own"
    letter = "d" if dtype == np.float64 else "s"
    arithmetic = re.compile(rf"v?(add|sub|mul|div|sqrt|max|min|fn?m(add|sub)\d+)s{letter}")
    assert not [operation for operation in operations if arithmetic.fullmatch(operation)]
    assert any(REGISTERS[target] in operands for _, operands in loop)
    fused = [operation for operation in operations if "fmadd" in operation or "fnmadd" in operation]
    if target == "sse2":
        assert not fused
    elif name in ("sincos", "sin", "cos", "exp", "atan2"):
        assert len(fused) >= 6
        assert all(operation.endswith(f"p{letter}") for operation in fused)


@together("name", FORMULAS)
@together("target", REGISTERS)
def test_one_state_calls_nothing(dtype, target, name):
    """Code for one state has no calls but those of Python's True and False."""
    chosen = TARGETS[target]
    text = assembly(
        text_of(program(name), STATE, chosen, dtype), chosen, "x86_64-unknown-linux-gnu"
    )
    called = re.findall(r"\bcall\S*\s+([^*\s]\S*)", text)
    assert {each.removesuffix("@PLT") for each in called} <= {"core"}


@together("name", FORMULAS)
def test_leave_of_the_compiler(dtype, name):
    """Instructions may be fused and take either 0 for the other; NaN, infinities, quotients and the
    order of sums stay as written, in any version of LLVM.
    """
    for layout in (COLUMNS, STATE):
        text = text_of(program(name), layout, TARGETS["avx2"], dtype)
        assert not re.search(r"\b(fast|nnan|ninf|arcp|afn|reassoc)\b", text)
