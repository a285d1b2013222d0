"""Chromium without a window, which turns a page into a picture."""

from __future__ import annotations

import os
import shutil
import subprocess
import tempfile
from pathlib import Path

from ..errors import MissingProgram
from ..files import replacing

_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable", "chrome")
_MAC = Path("/Applications/Google Chrome.app/Contents/MacOS/Google Chrome")
_FLAGS = (
    "--headless --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader"
    " --disable-quic --no-first-run --disable-background-networking --disable-component-update"
    " --disable-sync --hide-scrollbars"
)
_SECONDS = 120.0


def screenshot(page: Path, picture: str | Path, width: int = 900, height: int = 700) -> None:
    """Render a page to a PNG file.

    Raises:
        MissingProgram: if there is no Chromium.
        FileError: if the picture cannot be written.
    """
    with tempfile.TemporaryDirectory() as folder, replacing(picture) as temporary:
        drawn = Path(folder) / "picture.png"
        # without a budget of virtual time the picture is taken before the scene is there, and looks
        # like an empty room
        _run(
            page,
            f"--window-size={width},{height}",
            f"--screenshot={drawn}",
            "--virtual-time-budget=8000",
        )
        temporary.write_bytes(drawn.read_bytes())


def program() -> str:
    """Return the path of Chromium.

    Raises:
        MissingProgram: if there is none.
    """
    browser = next(filter(None, map(shutil.which, _NAMES)), str(_MAC) if _MAC.exists() else None)
    if browser is None:
        raise MissingProgram(
            "chromium",
            "pictures are drawn by a browser",
            "apt-get install chromium; or save a page (--save)",
        )
    return browser


def flags() -> list[str]:
    """Return what makes Chromium draw without a window or a graphics card, and keep to itself."""
    root = hasattr(os, "geteuid") and os.geteuid() == 0  # who cannot have a sandbox
    return [*_FLAGS.split(), *(["--no-sandbox"] if root else [])]


def _run(page: Path, *arguments: str) -> None:
    chromium = program()
    with tempfile.TemporaryDirectory(ignore_cleanup_errors=True) as profile:
        command = [
            chromium,
            *flags(),
            f"--user-data-dir={profile}",
            *arguments,
            page.resolve().as_uri(),
        ]
        try:
            subprocess.run(command, check=True, timeout=_SECONDS, capture_output=True)
        except (subprocess.CalledProcessError, subprocess.TimeoutExpired) as err:
            raise MissingProgram(
                "chromium",
                f"{chromium} did not draw the page ({err})",
                "save a page (--save) instead",
            ) from err
