"""The checks at the border: what passes, and the one line that everything else gets."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
import scipy.sparse
from grouped import together

import irbmodels as irb
from irbmodels import checks

BAD = {
    "text": (
        lambda: checks.finite(["0.1", "0.2"], (2,), "q"),
        r"q is not an array of numbers, but of str\d+: \['0.1', '0.2'\]",
    ),
    "complex": (
        lambda: checks.finite([1j, 0.0], (2,), "q"),
        "q is not an array of numbers, but of complex128",
    ),
    "truth": (
        lambda: checks.finite([True, False], (2,), "q"),
        "q is not an array of numbers, but of bool",
    ),
    "ragged": (
        lambda: checks.finite([[1.0, 2.0], [3.0]], (2,), "q"),
        "q is not an array of numbers: its rows are of unlike length",
    ),
    "nothing": (
        lambda: checks.finite(None, (2,), "q"),
        "q is not an array of numbers, but holds None",
    ),
    "nothing in a row": (
        lambda: checks.finite([0.0, None], (2,), "q"),
        "q is not an array of numbers, but holds None",
    ),
    "text among numbers": (
        lambda: checks.finite(np.array(["0", 1.0], object), (2,), "q"),
        "q is not .* but holds '0'",
    ),
    "truth among numbers": (
        lambda: checks.finite([10**30, True], (2,), "q"),
        "q is not .* but holds True",
    ),
    "complex among numbers": (
        lambda: checks.finite([10**30, np.complex128(1j)], (2,), "q"),
        "q is not .* but holds .*1j",
    ),
    "masked": (
        lambda: checks.finite(np.ma.array([0.0, 1.0], mask=[0, 1]), (2,), "q"),
        r"q is not .* masked; use .filled\(np.nan\)",
    ),
    "a date": (
        lambda: checks.finite(np.array(["2020-01-01"], "M8[D]"), (1,), "q"),
        "q is not an array of numbers, but of datetime64",
    ),
    "sparse": (
        lambda: checks.finite(scipy.sparse.eye(2).tocsr(), (2, 2), "q"),
        "q is not an array of numbers, but holds ",
    ),
    "beyond every float": (
        lambda: checks.finite([10**400], (1,), "q"),
        "q is not an array of numbers: int too large",
    ),
    "number beyond every float": (
        lambda: checks.number(10**400, "dt"),
        "dt must be a finite number, got 1000",
    ),
    "positive beyond every float": (
        lambda: checks.positive(10**5000, "dt"),
        "dt must be a positive finite number, got an integer of too",
    ),
    "whole beyond every float": (
        lambda: checks.as_int(10**400, "count"),
        "count must be a whole number, at least 0, got 1000",
    ),
    "six of five": (
        lambda: checks.six(np.zeros(5), "twist", "v, w"),
        r"twist needs six finite numbers \(v, w\), got",
    ),
    "six with one broken": (
        lambda: checks.six([0, 0, 0, 0, 0, math.inf], "twist", "v, w"),
        "twist needs six finite numbers",
    ),
    "a thing": (
        lambda: checks.finite(object(), (2,), "q"),
        "q is not an array of numbers, but holds <object",
    ),
    "shape": (
        lambda: checks.finite([1.0], (2,), "q"),
        r"q needs \(2,\) finite numbers, got \[1.0\]",
    ),
    "much": (
        lambda: checks.finite(np.zeros(30), (2,), "q"),
        r"q needs \(2,\) finite numbers, got shape \(30,\)",
    ),
    "nan of any shape": (
        lambda: checks.finite([math.nan], None, "q"),
        r"q needs only finite numbers, got \[nan\]",
    ),
    "rows": (lambda: checks.rows(np.zeros((2, 3)), 4, "q"), r"q needs \(2, 4\) finite numbers"),
    "a row of nothing": (
        lambda: checks.rows(1.0, 4, "q"),
        r"q needs \(4,\) finite numbers, got 1.0",
    ),
    "per axis": (
        lambda: checks.per_axis([1.0, 2.0], 3, "bound"),
        r"bound needs one number, or 3, one per axis; got \[1.0, 2.0\]",
    ),
    "a flag as number": (lambda: checks.number(True, "x"), "x must be a finite number, got True"),
    "a number in a box": (
        lambda: checks.number(np.array(1.0), "x"),
        "x must be a finite number, got 1.0",
    ),
    "infinite": (lambda: checks.number(math.inf, "x"), "x must be a finite number, got inf"),
    "below": (lambda: checks.number(-1, "x", 0.0), "x must be a finite number, at least 0, got -1"),
    "above": (
        lambda: checks.number(2.0, "x", 0.0, 0.5),
        r"x must be a finite number in 0 .. 0.5, got 2.0",
    ),
    "zero": (lambda: checks.positive(0.0, "x"), "x must be a positive finite number, got 0.0"),
    "positive nan": (
        lambda: checks.positive(math.nan, "x"),
        "x must be a positive finite number, got nan",
    ),
    "a half": (lambda: checks.as_int(2.0, "n", 1), "n must be a whole number, at least 1, got 2.0"),
    "a flag as count": (
        lambda: checks.as_int(True, "n", 0, 3),
        "n must be a whole number, 0 to 3, got True",
    ),
    "too many": (lambda: checks.as_int(4, "n", 0, 3), "n must be a whole number, 0 to 3, got 4"),
    "a word for a flag": (
        lambda: checks.as_bool("False", "stops"),
        "stops is True or False, not 'False'",
    ),
    "a flag of 1": (lambda: checks.as_bool(1, "stops"), "stops is True or False, not 1"),
    "another kind": (
        lambda: checks.as_instance(5, str, "a name is a text"),
        "a name is a text, not 5",
    ),
    "no function": (
        lambda: checks.as_callable(5, "a law is a function"),
        "a law is a function, not 5",
    ),
    "no list": (lambda: checks.as_list(5, int, "a list of rows"), "a list of rows, not 5"),
    "a word as list": (
        lambda: checks.as_list("ab", str, "a list of names"),
        "a list of names, not 'ab'",
    ),
    "one wrong": (
        lambda: checks.as_list([1, "a"], int, "a list of rows"),
        "a list of rows, not 'a'",
    ),
    "no path": (lambda: checks.as_path(5, "the table"), "the table is a path, not 5"),
}


@together("name", BAD)
def test_what_is_wrong_is_one_line(name):
    """Each check says what was wrong and what would be right, in one line."""
    call, message = BAD[name]
    with pytest.raises(irb.InputError, match=f"^{message}") as caught:
        call()
    assert "\n" not in str(caught.value)


def test_what_is_right_passes_as_a_copy():
    """Numbers of every kind become floats of one's own; NaN passes where only numbers are asked
    for.
    """
    given = np.array([1.0, 2.0])
    kept = checks.finite(given, (2,), "q")
    kept[0] = 5.0
    np.testing.assert_array_equal(given, [1.0, 2.0])
    np.testing.assert_array_equal(checks.finite([1, Fraction(1, 2)], (2,), "q"), [1.0, 0.5])
    np.testing.assert_array_equal(checks.numbers([math.nan, 1], "q"), [math.nan, 1.0])
    np.testing.assert_array_equal(checks.per_axis(2, 3, "bound"), [2.0, 2.0, 2.0])
    assert checks.rows(np.zeros((4, 0, 2)), 2, "q").shape == (4, 0, 2)
    assert checks.number(np.float32(0.5), "x", 0.0, 0.5) == 0.5
    assert checks.positive(3, "x") == 3.0
    assert checks.as_int(np.int64(3), "n", 3, 3) == 3
    assert checks.as_bool(np.True_, "x") is True
    assert checks.as_list((number for number in (1, 2)), int, "rows") == [1, 2]


def test_a_value_is_shown_short():
    """Whatever is wrong is shown in one line of at most 80 characters, a large array by its
    shape.
    """
    assert checks.short_repr(np.zeros((100, 6))) == "an array of shape (100, 6)"
    assert checks.short_repr(np.array([1.0, 2.0])) == "[1.0, 2.0]"
    assert checks.short_repr("a\nb") == r"'a\nb'"
    assert len(checks.short_repr(list(range(1000)))) == 80
    assert "\n" not in checks.short_repr([np.zeros((9, 9))])


@pytest.mark.parametrize(
    ("matrix", "turns"),
    [
        (np.eye(3), True),
        (np.diag([1.0, -1.0, -1.0]), True),
        (np.diag([1.0, 1.0, -1.0]), False),
        ((1.0 + 1e-6) * np.eye(3), False),
        (np.full((3, 3), math.nan), False),
        (np.full((3, 3), math.inf), False),
        (np.eye(2), False),
    ],
)
def test_a_rotation_neither_stretches_nor_mirrors(matrix, turns):
    """Only rotations are rotations."""
    assert checks.is_rotation(matrix) is turns
