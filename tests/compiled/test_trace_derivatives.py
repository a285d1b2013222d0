import mpmath
import numpy as np
import pytest
from formulas import FORMULAS, NAMES, built
from grouped import together
from hypothesis import given, settings
from programs import evaluate

from irbmodels.compiled.derivatives import jacobian
from irbmodels.compiled.trace import Trace, Value, cos, exp, log, sign, sin, sqrt, where

POINT = np.array([0.37, -1.21, 2.03])


def slopes(trace, results, inputs, point=POINT):
    """Return the numbers of a jacobian."""
    rows = jacobian(results, inputs)
    shape = len(results), len(inputs)
    program = trace.program("slopes", {"J": (shape, [x for row in rows for x in row])})
    return evaluate(program, {}, x=point[None])["J"][0]


ELEMENTARY = {
    "sum": lambda f, x, y, z: x + y * z,
    "difference": lambda f, x, y, z: x - y * z - 3.0,
    "product": lambda f, x, y, z: x * y * z,
    "square": lambda f, x, y, z: (x * y) * (x * y),
    "quotient": lambda f, x, y, z: (x + y) / (z + x),
    "reciprocal": lambda f, x, y, z: 1.0 / (x + y),
    "negative": lambda f, x, y, z: -(x * y),
    "sine": lambda f, x, y, z: f.sin(x * y),
    "cosine": lambda f, x, y, z: f.cos(x + y * z),
    "exponential": lambda f, x, y, z: f.exp(x * y),
    "logarithm": lambda f, x, y, z: f.log(z + x * y),
    "root": lambda f, x, y, z: f.sqrt(z + x * y),
    "size": lambda f, x, y, z: abs(x * y) * z,
    "sign": lambda f, x, y, z: f.sign(y) * x * y,
    "chain": lambda f, x, y, z: f.exp(f.sin(x * y) * f.sqrt(z)) / f.cos(x - z),
    "number": lambda f, x, y, z: 2.5,
}


class Traced:
    """Functions of traced values."""

    sin, cos, exp, log, sqrt, sign = (staticmethod(f) for f in (sin, cos, exp, log, sqrt, sign))


@together("name", ELEMENTARY)
def test_derivatives_are_those_of_mpmath(name):
    """Each rule, and their chain: to rounding as differences with 50 digits."""
    trace = Trace()
    x = trace.input("x", 3)
    formula = ELEMENTARY[name]
    actual = slopes(trace, [formula(Traced, *x)], x)
    with mpmath.workdps(50):
        expected = [
            mpmath.diff(lambda *u: formula(mpmath, *u), tuple(POINT), order)
            for order in ((1, 0, 0), (0, 1, 0), (0, 0, 1))
        ]
    np.testing.assert_allclose(actual[0], np.array(expected, float), rtol=4e-15, atol=4e-15)


@settings(max_examples=200, deadline=None)
@given(FORMULAS)
def test_derivatives_of_random_formulas_are_those_of_casadi(formula):
    """First and second derivatives; zeros by structure are numbers."""
    ca = pytest.importorskip("casadi")
    trace, symbols = Trace(), ca.SX.sym("x", 3)
    x = trace.input("x", 3)
    result = built(formula, dict(zip(NAMES, x, strict=True)), {"sin": sin, "cos": cos})
    leaves = dict(zip(NAMES, ca.vertsplit(symbols), strict=True))
    theirs = ca.SX(built(formula, leaves, {"sin": ca.sin, "cos": ca.cos}))
    gradient = jacobian([result], x)[0]
    hessian = slopes(trace, gradient, x)
    second, first = ca.hessian(theirs, symbols)
    evaluated = ca.Function("f", [symbols], [first, second])(POINT)
    size = 1.0 + max(np.abs(part.full()).max() for part in evaluated)
    expected = evaluated[0].full()[:, 0], evaluated[1].full()
    np.testing.assert_allclose(
        slopes(trace, [result], x)[0], expected[0], rtol=0, atol=1e-13 * size
    )
    np.testing.assert_allclose(hessian, expected[1], rtol=0, atol=1e-13 * size)


def test_zeros_by_structure_are_numbers():
    """Where nothing depends on an input there is no step."""
    trace = Trace()
    x, y, z = trace.input("x", 3)
    rows = jacobian([x * y, 3.0, z], [x, y, z])
    assert rows == [[y, x, 0.0], [0.0, 0.0, 0.0], [0.0, 0.0, 1.0]]
    assert all(isinstance(entry, float) for entry in [rows[0][2], *rows[1], *rows[2]])
    assert jacobian([1.0, 2.0], [x]) == [[0.0], [0.0]]


def test_derivatives_by_values_between():
    """Inputs of a jacobian may be steps: what lies before them counts as constant."""
    trace = Trace()
    x, y, _ = trace.input("x", 3)
    s = sin(x)
    [[by_s, by_y]] = jacobian([s * s * y + x], [s, y])
    assert by_s is (s + s) * y
    assert by_y is s * s


def test_results_may_be_inputs():
    """The derivative of an input by itself is 1, by others 0."""
    trace = Trace()
    x = trace.input("x", 3)
    assert jacobian(x, x) == np.eye(3).tolist()


def test_shared_factors_are_computed_once():
    """Twice the operand of a square, and the slope of a function, serve every input."""
    trace = Trace()
    x, y, z = trace.input("x", 3)
    angle = x * y * z
    rows = jacobian([sin(angle), angle * angle], [x, y, z])
    program = trace.program("small", {"J": ((2, 3), [entry for row in rows for entry in row])})
    names = [step.operation for step in program.steps]
    assert names.count("cos") == 1
    assert names.count("add") == 1


def test_masks_have_no_derivative():
    """Where a branch is chosen by a comparison, it is refused."""
    trace = Trace()
    x, y, _ = trace.input("x", 3)
    result = where(x < y, x, y)
    assert isinstance(result, Value)
    with pytest.raises(KeyError, match="less"):
        jacobian([result], [x])
