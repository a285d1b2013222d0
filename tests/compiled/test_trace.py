import math
import operator
import subprocess
import sys
from pathlib import Path

import mpmath
import numpy as np
import pytest
from formulas import FORMULAS, NAMES, built
from hypothesis import given, settings
from programs import evaluate as evaluate_states

from irbmodels.compiled.program import OPERATIONS, evaluate, pairs
from irbmodels.compiled.trace import (
    Trace,
    Value,
    atan2,
    cos,
    exp,
    nearest,
    sign,
    sin,
    sqrt,
    where,
)

NUMPY = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
    "inv": np.reciprocal, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt,
    "sign": np.sign, "abs": np.abs, "less": np.less, "less_equal": np.less_equal,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "select": np.where,
    "atan2": np.arctan2, "nearest": np.rint,
}  # fmt: skip


@pytest.fixture
def trace():
    """Return an empty trace."""
    return Trace()


@pytest.fixture
def x(trace):
    """Return an input of three components."""
    return trace.input("x", 3)


def written(trace, *results):
    """Return the program of some results."""
    return trace.program("small", {"z": ((len(results),), results)})


def operations(trace, *results):
    """Return the names of the operations that some results take, in order."""
    steps = written(trace, *results).steps
    return [step.operation for step in steps if step.operation in OPERATIONS]


def numbers(trace, results, *inputs):
    """Return the results for numbers of the inputs."""
    with np.errstate(all="ignore"):
        [values] = evaluate(written(trace, *results), inputs, [], NUMPY)
    return values


# --- equal steps are one


def test_equal_formulas_are_one_value(trace, x):
    """Whatever the order of a sum's or product's operands."""
    a, b, c = x
    assert a + b is b + a
    assert a * b is b * a
    assert a - b is not b - a
    assert sin(a * b + c) is sin(c + b * a)
    assert atan2(a, b) is not atan2(b, a)
    assert a + 2.5 is 2.5 + a
    assert trace.value(2.5) is trace.value(2.5)


def test_a_shared_divisor_is_inverted_once(trace, x):
    """Two divisions by the same value are one reciprocal and two products."""
    a, b, c = x
    assert sorted(operations(trace, a / c, b / c)) == ["inv", "mul", "mul"]
    assert operations(trace, 1.0 / c) == ["inv"]


def test_equal_steps_of_two_outputs_are_one(trace, x):
    """What two outputs share is computed once."""
    s = sin(x[0] + x[1])
    both = trace.program("both", {"a": ((), [s]), "b": ((), [2.5 * sin(x[1] + x[0])])})
    assert both.count() == 3
    assert [output.name for output in both.outputs] == ["a", "b"]


def test_numbers_with_another_sign_of_zero_are_others(trace):
    """0 and -0 have other reciprocals."""
    assert trace.value(0.0) is not trace.value(-0.0)


# --- folding


def test_sums_and_products_with_0_and_1_fold(trace, x):
    """They leave no step behind; a product with 0 is the number 0."""
    a = x[0]
    assert a + 0.0 is a
    assert 0.0 + a is a
    assert a - 0.0 is a
    assert a * 1.0 is a
    assert 1.0 * a is a
    assert a / 1.0 is a
    assert a * 0.0 == 0.0
    assert 0.0 * a == 0.0
    assert a - a == 0.0
    assert isinstance(a * 0, float)
    assert isinstance(a - a, float)
    assert 0.0 - a is -a
    assert -1.0 * a is -a
    assert a * -1.0 is -a


def test_signs_move_outwards(trace, x):
    """A negative of a negative is gone, and sums take a sign in as a difference."""
    a, b, _ = x
    assert -(-a) is a  # noqa: B002
    assert (-a) * b is -(a * b)
    assert a * (-b) is -(a * b)
    assert (-a) * (-b) is a * b
    assert a + (-b) is a - b
    assert (-a) + b is b - a
    assert a - (-b) is a + b
    assert (-a) - b is -(a + b)
    assert abs(-a) is abs(a)
    assert cos(-a) is cos(a)
    assert sin(-a) is -sin(a)
    assert sign(-a) is -sign(a)


def test_what_is_added_and_taken_away_cancels(trace, x):
    """Sums and differences lose a summand that is on both sides."""
    a, b, c = x
    assert (a - b) + b is a
    assert b + (a - b) is a
    assert (a + b) - b is a
    assert (a + b) - a is b
    assert (a - b) - a is -b
    assert a - (a - b) is b
    assert a - (a + b) is -b
    assert b - (a + b) is -a
    difference = a - c
    assert c - a is -difference


def test_functions_of_numbers_are_numbers():
    """Structure is plain floats all the way."""
    assert sin(0.5) == math.sin(0.5)
    assert cos(0.5) == math.cos(0.5)
    assert exp(0.5) == math.exp(0.5)
    assert sqrt(0.5) == math.sqrt(0.5)
    assert [sign(x) for x in (-2.0, 0.0, 3.0)] == [-1.0, 0.0, 1.0]
    assert where(True, 1.0, 2.0) == 1.0
    assert where(False, 1.0, 2.0) == 2.0


def test_numbers_of_numpy_take_our_operators(trace, x):
    """A NumPy float on the left makes no array of objects."""
    assert isinstance(np.float64(2.0) * x[0], Value)
    assert np.float64(2.0) * x[0] is 2.0 * x[0]
    assert np.float64(2.0) - x[0] is 2.0 - x[0]


# --- programs


def test_unused_steps_and_constants_are_dropped(trace, x):
    """A program names the constants that it reads, in the order given, and keeps its inputs."""
    one, two, three = (trace.constant(name) for name in ("one", "two", "three"))
    sin(x[1] * two)
    program = written(trace, three * x[0] + one)
    assert program.constants == ("one", "three")
    assert program.inputs == (("x", 3),)
    assert program.count() == 2
    [values] = evaluate(program, [[2.0, 0.0, 0.0]], [10.0, 3.0], NUMPY)
    assert values == [16.0]
    assert written(trace, 0.0 * one + x[0]).constants == ()


def test_matrices_are_written_row_by_row(trace, x):
    """Entry (i, j) of a matrix is place ``columns i + j`` of its output, zeros included."""
    entries = [0.0, x[0], 0.0, x[1], 0.0, x[2]]
    program = trace.program("small", {"z": ((2, 3), entries)})
    actual = evaluate_states(program, {}, x=np.array([[1.0, 2.0, 3.0]]))
    np.testing.assert_array_equal(actual["z"], [[[0.0, 1.0, 0.0], [2.0, 0.0, 3.0]]])


def test_pairs_are_angles_with_sine_and_cosine(trace, x):
    """A lone sine is no pair; a pair names angle, sine and cosine."""
    program = written(trace, cos(x[1]), sin(x[0]), sin(x[1]))
    [(angle, sine, cosine)] = pairs(program)
    assert program.steps[angle].operands == (0, 1)
    assert [program.steps[sine].operation, program.steps[cosine].operation] == ["sin", "cos"]
    assert program.steps[sine].operands == program.steps[cosine].operands == (angle,)


def test_uses_counts_operands_and_outputs(trace, x):
    """A value used twice by one step, and once as an output, is used three times."""
    s = sin(x[0])
    program = written(trace, s * s, s)
    sine = next(number for number, step in enumerate(program.steps) if step.operation == "sin")
    assert program.uses()[sine] == 3


def test_traces_are_the_same_in_every_process():
    """Another process with another hash seed writes the same program."""
    code = (
        "from irbmodels.compiled.trace import *; t = Trace(); x, y = t.input('x', 2);"
        "print(t.program('p', {'z': ((2,), [sin(x) * y - cos(y) / x, where(x < y, x, 2.5 * y)])}))"
    )
    texts = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed},
            cwd=Path(__file__).resolve().parents[2],
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "3")
    }
    assert len(texts) == 1
    assert "select" in texts.pop()


# --- meaning


def test_every_operation_means_what_it_says(trace):
    """Each operator and function is NumPy's of the same name."""
    (x,), (y,) = trace.input("x", 1), trace.input("y", 1)
    rng = np.random.default_rng(0)
    u, w = rng.uniform(-2.0, 2.0, (2, 50))
    u[:5], w[3:8] = [0.0, -0.0, 1.5, 2.5, -0.5], 0.0
    with np.errstate(all="ignore"):
        cases = [
            (x + y, u + w), (x - y, u - w), (x * y, u * w), (y / x, w / u), (-x, -u),
            (1.0 / x, 1.0 / u), (3.0 - x, 3.0 - u), (x / 4.0, u / 4.0),
            (sin(x), np.sin(u)), (cos(x), np.cos(u)), (exp(x), np.exp(u)),
            (sqrt(abs(x)), np.sqrt(np.abs(u))), (sign(x), np.sign(u)), (abs(x), np.abs(u)),
            (nearest(x), np.rint(u)), (atan2(x, y), np.arctan2(u, w)),
            (where(x < y, x, y), np.minimum(u, w)), (where(x > y, x, 7.0), np.where(u > w, u, 7)),
            (where(x <= 0.0, 1.0, 2.0), np.where(u <= 0, 1, 2)),
            (where(x >= y, 1.0, 2.0), np.where(u >= w, 1, 2)),
            (where((x < y) & (y < 1.0), 1.0, 2.0), np.where((u < w) & (w < 1), 1, 2)),
            (where((x < y) | (y < 1.0), 1.0, 2.0), np.where((u < w) | (w < 1), 1, 2)),
            (where(~(x < y), 1.0, 2.0), np.where(u < w, 2, 1)),
        ]  # fmt: skip
    actual = numbers(trace, [ours for ours, _ in cases], [u], [w])
    for ours, (value, theirs) in zip(actual, cases, strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=4e-16, err_msg=value.operation)


def test_comparisons_with_nan_are_false(trace):
    """Each of the four, whatever side it stands on; so a denied one is true."""
    (x,), (y,) = trace.input("x", 1), trace.input("y", 1)
    masks = [x < y, x <= y, x > y, x >= y, x < 1.0, y >= x]
    results = [where(mask, 1.0, 2.0) for mask in masks]
    for pair in ([np.nan, 0.0], [0.0, np.nan], [np.nan, np.nan]):
        values = numbers(trace, results, pair[:1], pair[1:])
        expected = [2.0] * 6
        if not np.isnan(pair[0]):
            expected[4] = 1.0
        np.testing.assert_array_equal(values, expected)
    [denied] = numbers(trace, [where(~(x < y), 1.0, 2.0)], [np.nan], [0.0])
    assert denied == 1.0


def test_a_selection_leaves_nan_of_the_other_side(trace):
    """Both sides are evaluated; the one that is not chosen does not show."""
    (x,) = trace.input("x", 1)
    [value] = numbers(trace, [where(x < 0.0, 5.0, sqrt(x))], [np.float64(-1.0)])
    assert value == 5.0


@settings(max_examples=300, deadline=None)
@given(FORMULAS)
def test_random_formulas_keep_their_value(formula):
    """Folding, cancelling and moving signs change no formula: 50 digits of mpmath stay."""
    trace = Trace()
    values = dict(zip(NAMES, trace.input("x", 3), strict=True))
    # functions of numbers would be rounded as they fold
    functions = {"sin": lambda a: sin(trace.value(a)), "cos": lambda a: cos(trace.value(a))}
    result = built(formula, values, functions)
    with mpmath.workdps(50):
        point = {name: mpmath.mpf(x) for name, x in zip(NAMES, (0.37, -1.21, 2.03), strict=True)}
        exact = {
            "add": operator.add, "sub": operator.sub, "mul": operator.mul, "neg": operator.neg,
            "sin": mpmath.sin, "cos": mpmath.cos,
        }  # fmt: skip
        [[actual]] = evaluate(written(trace, result), [list(point.values())], [], exact)
        expected = built(formula, point, {"sin": mpmath.sin, "cos": mpmath.cos})
        assert abs(actual - expected) <= mpmath.mpf(10) ** -40 * (1 + abs(expected))
