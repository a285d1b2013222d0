"""Command line: one verb per command; it parses, calls, prints and writes."""

from __future__ import annotations

import sys
import traceback
import warnings
from collections.abc import Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import click

from ..errors import IrbError, PhysicsWarning
from .commands import Program
from .json_output import write_json
from .shared import discard, err, out, write_out

COMMANDS: dict[
    str, dict[str, tuple[str, ...]]
] = {  # in the order of --help: by task, of each module its commands
    "Look at robots": {
        "robots": ("list", "info"),
        "viewing": ("view", "demo"),
    },
    "Ask a robot": {
        "kinematics": ("pose", "jacobian", "ik", "workspace"),
        "dynamics": ("torque", "friction", "check"),
        "springs": ("balancer",),
    },
    "Move a robot": {
        "moving": ("move",),
        "simulating": ("simulate",),
        "kinematics": ("rapid",),
        "path": ("path",),
    },
    "Identify a robot from logs": {
        "excitation": ("excite",),
        "controller_logs": ("logger",),
        "identification": ("identify", "validate"),
        "loads": ("gains", "payload"),
        "friction": ("friction-plan", "friction-fit"),
    },
    "Exchange robots with other programs": {
        "robots": ("urdf", "doctor"),
        "writing": ("export", "tables", "equations", "codegen"),
    },
    "Extend irbmodels": {
        "robots": ("new",),
        "schema": ("schema",),
        "kernels": ("cache",),
    },
}

_HELP = """Robot models of ABB arms, from IRB 14000 (YuMi) to IRB 8700.

Sourced tables, URDF, and dynamics in the controller's own axes; most commands take any other URDF
as well. Every command has --help with examples, and those that print numbers have --json.
"""
_EPILOG = """\b
Exit codes:
  0    Done, and what was judged holds.
  1    Done, and the verdict is negative: see the help of the command.
  2    A word, a file or a number is wrong; one line says which.
  70   A fault of irbmodels; please report it with what it printed.
  130  Interrupted by Ctrl-C; 143 ended by a signal, the live view.

\b
Completion of commands, options, robots, tools and frames, in the shell's file:
  ~/.bashrc                   eval "$(_IRBMODELS_COMPLETE=bash_source irbmodels)"
  ~/.zshrc                    eval "$(_IRBMODELS_COMPLETE=zsh_source irbmodels)"
  ~/.config/fish/config.fish  _IRBMODELS_COMPLETE=fish_source irbmodels | source
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the command line; a mistake of the caller is one line on stderr and exit code 2.

    With ``--json`` it is an object on stdout as well.
    """
    warnings.showwarning = _show_warning
    given = list(sys.argv[1:] if arguments is None else arguments) or ["--help"]
    refuse = partial(_refuse, as_json="--json" in given)
    try:
        record: dict[str, object] = {}
        result = _program().main(given, "irbmodels", standalone_mode=False, obj=record)
        if record:
            write_json(record)
        write_out()
    except IrbError as error:
        return refuse(str(error), type(error).__name__)
    except click.ClickException as error:
        return refuse(error.format_message(), "UsageError")
    except (KeyboardInterrupt, click.Abort):
        return 130
    except SystemExit as error:
        if error.code != 1:
            raise
        return 0  # click ends so where nobody reads its help: no verdict
    except OSError as error:  # those of files are IrbError
        discard(sys.stdout)  # Python would write it again as it ends
        what = f"cannot write {error.filename or 'the output'}: {error.strerror or error}"
        return refuse(what, "FileError")
    except Exception as error:  # not 1, which is a verdict
        traceback.print_exc()
        return refuse(f"{type(error).__name__}: {error}", "InternalError", code=70)
    return result if isinstance(result, int) else 0


def _refuse(message: str, kind: str, as_json: bool, code: int = 2) -> int:
    line = " ".join(message.split())
    with suppress(OSError):  # where nobody can read it, the exit code says it
        if as_json:
            write_json({"error": {"kind": kind, "message": line}})
        err.print(f"error: {line}")
    return code


def _show_warning(message: Warning | str, category: type[Warning], *_: Any, **__: Any) -> None:
    if issubclass(category, PhysicsWarning):  # others are for developers
        err.print(f"warning: {message}")


def _program() -> Program:
    version = click.Option(
        ["--version"],
        is_flag=True,
        is_eager=True,
        expose_value=False,
        callback=_print_version,
        help="Print the version.",
    )
    return Program(
        COMMANDS,
        __name__,
        help=_HELP,
        epilog=_EPILOG,
        params=[version],
        context_settings={"help_option_names": ["-h", "--help"], "show_default": True},
    )


def _print_version(context: click.Context, _: click.Parameter, wanted: bool) -> None:
    if wanted:
        from ..version import __version__

        out.print(f"irbmodels {__version__}")
        context.exit()
