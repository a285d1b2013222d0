"""Folder in which compiled kernels are kept; a module of its own, since few processes read more."""

from __future__ import annotations

import os
import sys
from pathlib import Path

FOLDER = "IRBMODELS_CACHE"
"""Environment variable that names another folder."""


def folder() -> Path:
    """Folder in which kernels are kept."""
    if named := os.environ.get(FOLDER):
        return Path(named)
    if sys.platform == "linux":  # as platformdirs has it, which takes 6 ms to import
        above = Path(os.environ.get("XDG_CACHE_HOME", "").strip() or "~/.cache").expanduser()
        return above / "irbmodels" / "kernels"
    import platformdirs

    return Path(platformdirs.user_cache_dir("irbmodels", appauthor=False)) / "kernels"
