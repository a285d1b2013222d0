"""Errors of the package: one line that says what was wrong, where, and what would be right."""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from typing import Any

WIDEST = 80  # characters of a value that an error shows


class IrbError(Exception):
    """Base of all errors of this package."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Keep message and values when pickled, whatever arguments the constructor takes."""
        return _rebuild, (type(self), self.args, dict(vars(self)))


def _rebuild(
    kind: type[IrbError], arguments: tuple[object, ...], values: dict[str, object]
) -> IrbError:
    error = kind.__new__(kind, *arguments)
    error.args = arguments
    vars(error).update(values)
    return error


def short_repr(value: object, widest: int = WIDEST) -> str:
    """Return a value as an error shows it: in one line, and a short one."""
    try:
        text = " ".join((repr(value.tolist()) if hasattr(value, "tolist") else repr(value)).split())
    except ValueError:  # Python writes no number of more than 4300 digits
        text = "an integer of too many digits"
    return text if len(text) <= widest else f"{text[: widest - 4]} ..."


class UnknownName(IrbError, LookupError):
    """A robot, tool, parameter set, frame or column that does not exist."""

    def __init__(
        self, kind: str, name: object, known: Iterable[str], listed: str | None = None
    ) -> None:
        """Name the kind, the unknown name, the nearest, and all known ones or ``listed``."""
        from difflib import get_close_matches

        self.kind, self.name, self.known = kind, name, tuple(known)
        lowered = {word.lower(): word for word in self.known}
        close = (
            get_close_matches(name.lower(), lowered, n=1, cutoff=0.5)
            if isinstance(name, str)
            else []
        )
        hint = f"; did you mean {lowered[close[0]]!r}?" if close else ""
        listed = listed or ", ".join(self.known) or "none"
        super().__init__(f"no {kind} {short_repr(name, 40)}{hint} (known: {listed})")

    def __str__(self) -> str:
        """Return the plain message (LookupError would quote it)."""
        return str(self.args[0])


class TableError(IrbError, ValueError):
    """A table of a robot or tool that breaks the format, or holds an impossible number."""

    def __init__(self, file: Path | str, key: str, problem: str) -> None:
        """Name the file, the key inside it and the problem."""
        self.file, self.key, self.problem = Path(file), key, problem
        super().__init__(f"{self.file}: {key}: {problem}" if key else f"{self.file}: {problem}")


class InputError(IrbError, ValueError):
    """An argument with the wrong shape, a value that is not finite, or the wrong unit."""


class FileError(IrbError, OSError):
    """A file that cannot be read or written."""


class MotionError(IrbError, ValueError):
    """A motion file with a missing column, a cell that is no number, or times that do not grow."""


class UrdfError(IrbError, ValueError):
    """A URDF that cannot become a robot."""


class RapidError(IrbError, ValueError):
    """A RAPID text that breaks the language, or holds a value that cannot be."""

    def __init__(self, line: int, column: int, reason: str, file: str = "") -> None:
        """Name line and column, 1-based, and the reason."""
        self.line, self.column, self.reason, self.file = line, column, reason, file
        super().__init__(f"{f'{file}: ' if file else ''}line {line}, column {column}: {reason}")


class MissingData(IrbError, LookupError):
    """A query that needs numbers that are not published for this robot."""


class NoSolution(IrbError, IndexError):
    """A posture of a number for which the inverse kinematics has no solution."""


class MissingExtra(IrbError, ImportError):
    """An optional package that is not installed."""

    def __init__(self, package: str, extra: str) -> None:
        """Name the package and the extra that brings it."""
        self.package, self.extra = package, extra
        super().__init__(
            f"{package} is not installed; get it with: pip install 'irbmodels[{extra}]'"
        )


def require(package: str, extra: str) -> None:
    """Raise :class:`MissingExtra` if an optional package is not installed."""
    if find_spec(package) is None:
        raise MissingExtra(package, extra)


class PhysicsWarning(UserWarning):
    """A model in use whose numbers are physically impossible or incomplete."""


def warn(message: str) -> None:
    """Give a :class:`PhysicsWarning` at the line outside the package that led here."""
    frame, level = sys._getframe(1), 2
    while (
        frame.f_back is not None
        and str(frame.f_globals.get("__name__")).partition(".")[0] == __package__
    ):
        frame, level = frame.f_back, level + 1
    warnings.warn(message, PhysicsWarning, stacklevel=level)


class MissingProgram(IrbError, OSError):
    """A program outside Python that is not installed, or does not work."""

    def __init__(self, program: str, purpose: str, remedy: str) -> None:
        """Name the program, what it is needed for, and what to do."""
        self.program = program
        super().__init__(f"no working {program}: {purpose}; {remedy}")
