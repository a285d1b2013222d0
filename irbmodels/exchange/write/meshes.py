"""Mesh files of a URDF, copied beside an export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Mapping
from html import escape, unescape
from itertools import count
from pathlib import Path, PurePosixPath

from ...errors import FileError
from ...files import replacing
from ...model.mesh_paths import mesh_candidates

_COMMENT = re.compile(r"(<!--.*?-->)", re.DOTALL)
_NAMED = re.compile(r"""(<(mesh|texture)\b[^>]*?\bfilename\s*=\s*)(?:"([^"]*)"|'([^']*)')""")
# what names another file in OBJ and MTL
_BESIDE = ("mtllib", "map_", "bump", "disp", "decal", "refl")


def copied_meshes(text: str, folder: Path, into: Path) -> tuple[str, list[Path]]:
    """Copy the meshes of a URDF to ``into / "meshes"``; return the URDF with relative paths.

    Args:
        text: The URDF; its mesh paths are absolute, relative to ``folder``, or of packages in a
            folder above it.
        folder: Where the URDF stands, or its tables (``robot.folder``).
        into: Folder of the export.

    Returns:
        The URDF's text, and the files in ``into`` that it names, each once, in the order of the
        text.

    Raises:
        FileError: if a mesh is not there or a copy cannot be written; meshes are looked for before
            anything is copied.
    """
    renamed, files = gathered_meshes(text, folder)
    return renamed, write_files(into, files)


def gathered_meshes(text: str, folder: Path, prefix: str = "") -> tuple[str, dict[str, Path]]:
    """Return the URDF with new mesh paths, and the source of each; nothing is written.

    A mesh keeps its path below a folder ``meshes``, else its name. Another file of the same name
    goes to a folder with a number; the same file twice is copied once. What an OBJ file names
    (materials, textures) comes with it.

    Args:
        text: As :func:`copied_meshes`.
        folder: As :func:`copied_meshes`.
        prefix: What stands before ``meshes/...`` in the text, such as ``package://NAME/``.

    Returns:
        The text, and ``{"meshes/...": source}``, posix paths relative to the folder of the export.

    Raises:
        FileError: if a mesh is not there.
    """
    files: dict[str, Path] = {}
    placed: dict[Path, str] = {}

    def name_of(path: Path) -> str:
        if path not in placed:
            beside = dict(_beside(path))
            wanted = _below_meshes(path)
            for number in count(1):
                name = wanted if number == 1 else _numbered(wanted, number)
                here = {
                    name: path,
                    **{
                        str(PurePosixPath(name).parent / rest): source
                        for rest, source in beside.items()
                    },
                }
                if all(_same(files[key], source) for key, source in here.items() if key in files):
                    files.update({key: source for key, source in here.items() if key not in files})
                    placed[path] = name
                    break
        return placed[path]

    return _renamed(text, folder, lambda path: prefix + name_of(path)), files


def absolute_meshes(text: str, folder: Path) -> str:
    """Return the URDF with the absolute paths of its meshes.

    Arguments and errors as :func:`gathered_meshes`.
    """
    return _renamed(text, folder, Path.as_posix)


def write_files(into: Path, files: Mapping[str, Path | str | bytes]) -> list[Path]:
    """Write files below a folder, each whole or not at all; return their paths in order.

    Args:
        into: Folder; it and folders below it are made.
        files: Posix paths relative to ``into``, and what they hold: text, bytes, or a file to copy.
            A file that holds it already is left alone.

    Raises:
        FileError: if something cannot be read or written.
    """
    contents: dict[Path, bytes] = {}
    for name, content in files.items():  # read all before the first is written
        try:
            data = content.read_bytes() if isinstance(content, Path) else content
        except OSError as err:
            raise FileError(f"cannot read {content!s}: {err.strerror or err}") from err
        contents[into / name] = data.encode() if isinstance(data, str) else data
    for path, data in contents.items():
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            if path.is_file() and path.read_bytes() == data:
                continue
        except OSError as err:
            raise FileError(f"cannot write {path}: {err.strerror or err}") from err
        with replacing(path) as temporary:
            temporary.write_bytes(data)
    return list(contents)


def _renamed(text: str, folder: Path, name_of: Callable[[Path], str]) -> str:
    """Return the URDF with another name for each mesh and texture.

    Comments stay as they are, and so do lost textures.
    """

    def rewritten(match: re.Match[str]) -> str:
        before, tag, double, single = match.groups()
        name = unescape(double if double is not None else single)
        source = next(
            (path.resolve() for path in map(Path, mesh_candidates(name, folder)) if path.is_file()),
            None,
        )
        if source is None:
            if tag == "texture":
                return match[0]
            raise FileError(f"the mesh {name} is not there (looked in and above {folder})")
        return f'{before}"{escape(name_of(source))}"'

    return "".join(
        part if part.startswith("<!--") else _NAMED.sub(rewritten, part)
        for part in _COMMENT.split(text)
    )


def _below_meshes(path: Path) -> str:
    parts = path.parts
    start = (
        len(parts) - 1 - parts[::-1].index("meshes") + 1
        if "meshes" in parts[:-1]
        else len(parts) - 1
    )
    return PurePosixPath("meshes", *parts[start:]).as_posix()


def _numbered(name: str, number: int) -> str:
    return PurePosixPath("meshes", str(number), *PurePosixPath(name).parts[1:]).as_posix()


def _same(one: Path, other: Path) -> bool:
    return one == other or one.read_bytes() == other.read_bytes()


def _beside(mesh: Path) -> Iterator[tuple[str, Path]]:
    """Yield material files and textures of an OBJ file below its own folder."""
    if mesh.suffix.lower() != ".obj":
        return
    seen, waiting = {mesh}, [mesh]
    while waiting:
        for line in waiting.pop().read_text(encoding="utf-8", errors="replace").splitlines():
            if not line.lstrip().lower().startswith(_BESIDE) or len(words := line.split()) < 2:
                continue
            path = (mesh.parent / words[-1]).resolve()
            if path.is_file() and path not in seen and mesh.parent in path.parents:
                seen.add(path)
                yield path.relative_to(mesh.parent).as_posix(), path
                if path.suffix.lower() == ".mtl":
                    waiting.append(path)
