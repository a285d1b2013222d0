"""Tests of many cases as one, which names the cases that fail."""

from __future__ import annotations

import inspect
import reprlib
from collections.abc import Callable, Iterable
from functools import partial, wraps
from typing import Any

import pytest

Test = Callable[..., None]
SHORT = reprlib.Repr()
SHORT.maxstring = SHORT.maxother = SHORT.maxlong = (
    80  # letters of a value by which a failure names it
)


def per_family(
    cases: Iterable[Any], family: Callable[[Any], str], name: Callable[[Any], str] = str
) -> Callable[[Test], Test]:
    """Make a test of one case into one test a family, which names all of its cases that fail.

    A test of its own for each of a thousand files costs more in pytest than in the test.

    Args:
        cases: Values of the test's first parameter; all others are fixtures, which the cases of a
            family share.
        family: Returns the family of a case.
        name: Returns the words by which a failure names a case.
    """
    groups: dict[str, list[Any]] = {}
    for case in cases:
        groups.setdefault(family(case), []).append(case)
    assert groups, "a test without a case"

    def decorate(test: Test) -> Test:
        first, *fixtures = inspect.signature(test).parameters.values()

        @pytest.mark.parametrize("family", groups)
        @wraps(test)
        def of_family(family: str, **fixtures: Any) -> None:
            check_all((name(one), partial(test, one, **fixtures)) for one in groups[family])

        return with_parameters(of_family, [first.replace(name="family"), *fixtures])

    return decorate


def together(
    names: str, cases: Iterable[Any], name: Callable[[Any], str] = SHORT.repr
) -> Callable[[Test], Test]:
    """Make a test of one case into one test of all cases, which names those that fail.

    Takes the place of ``pytest.mark.parametrize`` where cases are many and quick; what pytest
    parametrizes besides stands above it.

    Args:
        names: Names of the parameters, separated by commas; all others are shared by the cases.
        cases: A value, or a value of each parameter where they are several.
        name: Returns the words by which a failure names a case.
    """
    own, values = [one.strip() for one in names.split(",")], list(cases)
    assert values, "a test without a case"

    def decorate(test: Test) -> Test:
        @wraps(test)
        def of_all(**others: Any) -> None:
            check_all(
                (
                    name(value),
                    partial(test, **others, **dict(zip(own, each, strict=True))),
                )
                for value in values
                for each in [value if len(own) > 1 else (value,)]
            )

        parameters = inspect.signature(test).parameters
        assert parameters.keys() >= set(own)
        return with_parameters(of_all, [parameters[key] for key in parameters if key not in own])

    return decorate


def check_all(calls: Iterable[tuple[str, Callable[[], None]]]) -> None:
    """Make every call, and fail with a line for each that failed, by its name."""
    failures: dict[str, BaseException] = {}
    for case, call in calls:
        try:
            call()
        except (Exception, pytest.fail.Exception) as error:
            failures[case] = error
    if failures:
        lines = (
            f"{case}: {' '.join(str(error).split()) or repr(error)}"
            for case, error in failures.items()
        )
        raise AssertionError("\n".join(lines)) from next(iter(failures.values()))


def with_parameters(test: Test, parameters: list[inspect.Parameter]) -> Test:
    """Give a test the parameters that pytest shall look at."""
    test.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    return test
