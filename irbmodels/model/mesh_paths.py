"""Mesh paths of a URDF: rewrite for the reader of the file, and resolved to files."""

from __future__ import annotations

import html
import os
import re
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import unquote

from ..errors import InputError, UrdfError


def with_mesh_paths(text: str, style: str, here: Path, target: Path | None = None) -> str:
    """Return the URDF with its relative mesh paths rewrite.

    Args:
        text: URDF whose mesh paths are relative to the folder ``here``.
        style: ``relative`` (to the folder ``target``), ``absolute``, or ``package://NAME`` (below
            the folder that holds ``meshes``).
        here: Folder that the paths are relative to.
        target: Folder that the file is written to; default ``here``.

    Raises:
        InputError: if the style is none of these.
    """
    package = re.fullmatch(r"package://([A-Za-z][\w-]*)/?", style)
    if style not in ("relative", "absolute") and not package:
        raise InputError(f"mesh paths {style!r}: choose relative, absolute or package://NAME")

    def rewrite(match: re.Match[str]) -> str:
        before, name = match[1], html.unescape(match[2][1:-1])
        if "://" in name or Path(name).is_absolute():
            return match[0]
        path = (here / name).resolve()
        if package:
            return before + _quoted(
                f"package://{package[1]}/{path.relative_to(_above_meshes(path)).as_posix()}"
            )
        if style == "absolute":
            return before + _quoted(path.as_posix())
        return before + _quoted(Path(os.path.relpath(path, (target or here).resolve())).as_posix())

    return re.sub(r"""(<mesh\b[^>]*?\bfilename\s*=\s*)("[^"]*"|'[^']*')""", rewrite, text)


def _quoted(value: str) -> str:
    return f'"{html.escape(value, quote=True)}"'


def mesh_candidates(name: str, folder: Path) -> Iterator[str]:
    """Yield the paths of a mesh: beside the URDF, or below a folder above it.

    The latter for ``package://`` and ``model://``, where a folder above holds the package.
    """
    if name.startswith(("package://", "model://")):
        rest = name.partition("://")[2].lstrip("/")
        yield from (os.path.join(above, rest) for above in (folder, *folder.parents))
    elif name.startswith("file://"):
        yield os.path.join(folder, unquote(name.removeprefix("file://")))
    elif "://" not in name:
        yield os.path.join(folder, name)


def _above_meshes(path: Path) -> Path:
    above = [folder.parent for folder in path.parents if folder.name == "meshes"]
    if not above:
        raise UrdfError(
            f"mesh {path.name} does not lie below a folder 'meshes'; a package:// path cannot"
            " name it"
        )
    return above[0]
