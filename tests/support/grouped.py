"""A property of every file or variant, tested once a family."""

from __future__ import annotations

import inspect
from collections.abc import Callable, Iterable
from functools import wraps
from typing import Any

import pytest


def per_family(
    cases: Iterable[Any], family: Callable[[Any], str], name: Callable[[Any], str] = str
) -> Callable[[Callable[..., None]], Callable[..., None]]:
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

    def decorate(test: Callable[..., None]) -> Callable[..., None]:
        first, *fixtures = inspect.signature(test).parameters.values()

        @pytest.mark.parametrize("family", groups)
        @wraps(test)
        def of_family(family: str, **fixtures: Any) -> None:
            failures: dict[str, BaseException] = {}
            for case in groups[family]:
                try:
                    test(case, **fixtures)
                except (Exception, pytest.fail.Exception) as error:
                    failures[name(case)] = error
            if failures:
                lines = (
                    f"{case}: {' '.join(str(error).split()) or repr(error)}"
                    for case, error in failures.items()
                )
                raise AssertionError("\n".join(lines)) from next(iter(failures.values()))

        signature = inspect.Signature([first.replace(name="family"), *fixtures])
        of_family.__signature__ = signature  # type: ignore[attr-defined]  # what pytest looks at
        return of_family

    return decorate
