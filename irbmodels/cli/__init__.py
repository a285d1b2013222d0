"""Command line: one verb per command; it parses, calls, prints and writes."""

from __future__ import annotations

import os
import sys
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from importlib import import_module
from typing import Any

import click

from ..errors import IrbError, PhysicsWarning
from .json_output import write_json
from .shared import Commands, err, out

COMMANDS = {  # of each module, which is imported for them alone; in the order of --help
    "robots": ("list", "info", "urdf", "new", "doctor"),
    "kinematics": ("pose", "jacobian", "workspace", "ik", "rapid"),
    "dynamics": ("torque", "friction", "check"),
    "springs": ("balancer",),
    "path": ("path",),
    "identification": ("identify", "validate"),
    "loads": ("gains", "payload"),
    "controller_logs": ("logger",),
    "friction": ("friction-plan", "friction-fit"),
    "viewing": ("view", "demo"),
    "writing": ("export", "tables", "equations", "codegen"),
    "kernels": ("cache",),
    "schema": ("schema",),
}


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a mistake of the caller is one line on stderr and exit code 2.

    With ``--json`` it is an object on stdout as well.
    """
    warnings.showwarning = _show_warning
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    refuse = partial(_refuse, as_json="--json" in given)
    try:
        result = _commands(given[0]).main(given, prog_name="irbmodels", standalone_mode=False)
        sys.stdout.flush()  # a full disk shows itself here
    except IrbError as error:
        return refuse(str(error), type(error).__name__)
    except click.ClickException as error:
        return refuse(error.format_message(), "UsageError")
    except (KeyboardInterrupt, click.Abort):
        return 130
    except BrokenPipeError:
        return 0
    except OSError as error:  # those of files are IrbError
        _discard_output()
        what = f"cannot write {error.filename or 'the output'}: {error.strerror or error}"
        return refuse(what, "FileError")
    return result if isinstance(result, int) else 0


def _refuse(message: str, kind: str, as_json: bool) -> int:
    line = " ".join(message.split())
    with suppress(OSError):  # where nobody can read it, the exit code says it
        if as_json:
            write_json({"error": {"kind": kind, "message": line}})
        err.print(f"error: {line}")
    return 2


def _discard_output() -> None:
    """Drop buffered output for a full disk, which Python would write again as it ends."""
    with suppress(OSError, ValueError):  # ValueError: a stream that is no file
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, PhysicsWarning):  # others are for developers
        err.print(f"warning: {message}")


def _commands(first: str) -> Commands:
    """Return the commands of the module that has the first word, or all where none has it."""
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version.",
    )
    commands = Commands(
        help=(
            "Industrial arms of ABB, IRB 120 to 7600: sourced tables, URDF, and dynamics in the"
            " controller's own axes."
        ),
        params=[version],
        context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    )
    for module in [name for name, words in COMMANDS.items() if first in words] or COMMANDS:
        commands.commands |= import_module(f".{module}", __name__).app.commands
    return commands


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ..version import __version__

        out.print(f"irbmodels {__version__}")
        context.exit()
