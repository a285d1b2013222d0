"""Command on the cache of compiled kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from ..report.text_table import counted
from .commands import Commands
from .json_output import json_option, print_json
from .shared import print_lines

if TYPE_CHECKING:
    from ..compiled.cache import Info

app = Commands()


@app.group(cls=Commands, invoke_without_command=True, examples=["irbmodels cache"])
@click.pass_context
def cache(context: click.Context) -> None:
    """Print where compiled kernels are kept, or remove them."""
    if context.invoked_subcommand is None:
        context.invoke(cache_info)


@cache.command("info", examples=["irbmodels cache info"])
@json_option
def cache_info(as_json: bool = False) -> None:
    """Print where compiled kernels are kept, how many there are, and how much room they take."""
    from ..compiled import cache as kernels

    found = kernels.info()
    if as_json:
        print_json(None, found._asdict())
    else:
        print_lines(_contents(found))


@cache.command("clear", examples=["irbmodels cache clear"])
def cache_clear() -> None:
    """Remove all compiled kernels; they are compiled again when they are next needed."""
    from ..compiled import cache as kernels

    print_lines(f"removed {_contents(kernels.clear())}")


def _contents(info: Info) -> str:
    return f"{counted(info.kernels, 'kernel')}, {info.bytes / 1e6:.1f} MB, in {info.folder}"
