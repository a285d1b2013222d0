"""Command line: one verb per command; it parses, calls, prints and writes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from typing import Annotated, Any

import typer

from ..errors import IrbError, PhysicsWarning
from ..version import __version__

# isort: off
# --help lists the commands in the order of these imports
from . import robots, kinematics, dynamics, path, identification, viewing, writing, kernels

# isort: on
from .shared import app, err, out


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a mistake of the caller is one line on stderr and exit code 2."""
    warnings.showwarning = _show_warning
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    try:
        result = typer.main.get_command(app)(
            args=given, prog_name="irbmodels", standalone_mode=False
        )
        sys.stdout.flush()  # a full disk shows itself here
    except IrbError as error:
        return _refuse(str(error))
    except typer.TyperException as error:
        return _refuse(error.format_message())
    except (KeyboardInterrupt, typer.Abort):
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:  # those of files are IrbError
        _discard_output()
        return _refuse(f"cannot write {error.filename or 'the output'}: {error.strerror or error}")
    return result if isinstance(result, int) else 0


def _refuse(message: str) -> int:
    with suppress(OSError):  # where nobody can read it, the exit code says it
        err.print(f"error: {' '.join(message.split())}")
    return 2


def _discard_output() -> None:
    """Drop buffered output for a full disk, which Python would write again as it ends."""
    with suppress(OSError, ValueError):  # ValueError: a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, PhysicsWarning):  # others are for developers
        err.print(f"warning: {message}")


def _version(wanted: bool) -> None:
    if wanted:
        out.print(f"irbmodels {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version.")
    ] = False,
) -> None:
    """ABB's IRB 2400, 1400, 1600 and 930 as models in the controller's own axes."""
