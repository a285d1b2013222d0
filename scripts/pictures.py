"""Draw the pictures of README and docs in headless Chromium.

    python scripts/pictures.py

Needs the program chromium (Debian: apt-get install chromium).
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

import irbmodels as irb
from irbmodels.files import replacing
from irbmodels.view import save_page

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
POSTURES = {  # as the controller shows them
    "irb2400": (25, 15, 5, 0, 35, 0),
    "irb1400": (25, 20, 10, 0, 30, 0),
    "irb1600": (25, 10, 10, 0, 40, 0),
    "irb930": (25, 40, -120, 0),
}
FLAGS = (
    "--headless --no-sandbox --disable-gpu --use-gl=angle --use-angle=swiftshader --enable-unsafe-swiftshader --disable-quic"
    " --no-first-run --disable-background-networking --disable-component-update --disable-sync --hide-scrollbars"
)


def screenshot(page: Path, picture: Path, width: int = 900, height: int = 700) -> None:
    """Render a page to PNG. The virtual time budget lets the scene load first; without it the picture is empty."""
    chromium = shutil.which("chromium")
    if chromium is None:
        raise SystemExit("the program chromium is not installed (Debian: apt-get install chromium)")
    with tempfile.TemporaryDirectory() as profile, replacing(picture) as temporary:
        where = [
            f"--user-data-dir={profile}",
            f"--window-size={width},{height}",
            f"--screenshot={temporary}",
            page.resolve().as_uri(),
        ]
        command = [chromium, *FLAGS.split(), "--virtual-time-budget=5000", *where]
        subprocess.run(command, check=True, timeout=120, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)


def main() -> int:
    """Write one picture per family."""
    FOLDER.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        for name, posture in POSTURES.items():
            robot = irb.load(name, tool="spindle" if name == "irb2400" else None)
            page, picture = Path(folder) / f"{name}.html", FOLDER / f"{name}.png"
            save_page(page, robot, robot.from_controller(posture), controls=False)
            screenshot(page, picture)
            print(f"docs/pictures/{picture.name}: {picture.stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
