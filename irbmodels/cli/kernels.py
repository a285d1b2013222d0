"""Command on the cache of compiled kernels."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from ..report.text_table import counted
from .shared import Commands, print_lines

if TYPE_CHECKING:
    from ..compiled.cache import Info

app = typer.Typer()
cache_app = typer.Typer(
    cls=Commands,
    help="Print where compiled kernels are kept, or remove them.",
    invoke_without_command=True,
)
app.add_typer(cache_app, name="cache")


@cache_app.callback()
def cache(context: typer.Context) -> None:
    """Print where compiled kernels are kept, or remove them."""
    if context.invoked_subcommand is None:
        cache_info()


@cache_app.command("info")
def cache_info() -> None:
    """Print where compiled kernels are kept, how many there are, and how much room they take."""
    from ..compiled import cache

    print_lines(_contents(cache.info()))


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove all compiled kernels; they are compiled again when they are next needed."""
    from ..compiled import cache

    print_lines(f"removed {_contents(cache.clear())}")


def _contents(info: Info) -> str:
    return f"{counted(info.kernels, 'kernel')}, {info.bytes / 1e6:.1f} MB, in {info.folder}"
