"""The kernels that are kept between runs."""

from __future__ import annotations

from typing import TYPE_CHECKING

import typer

from .shared import app, say

if TYPE_CHECKING:
    from ..compiled.cache import Info

cache_app = typer.Typer(
    help="Compiled kernels that are kept between runs: what there is, and how to be rid of it.", no_args_is_help=True
)
app.add_typer(cache_app, name="cache")


@cache_app.command("info")
def cache_info() -> None:
    """Print where compiled kernels are kept, how many there are, and how much room they take."""
    from ..compiled import cache

    say(_kept(cache.info()))


@cache_app.command("clear")
def cache_clear() -> None:
    """Remove all compiled kernels; they are compiled again when they are next needed."""
    from ..compiled import cache

    say(f"removed {_kept(cache.clear())}")


def _kept(info: Info) -> str:
    return f"{info.kernels} kernel{'' if info.kernels == 1 else 's'}, {info.bytes / 1e6:.1f} MB, in {info.folder}"
