"""Mesh files of a URDF, copied beside an export."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from html import escape, unescape
from itertools import count
from pathlib import Path, PurePosixPath

from ...errors import FileError, InputError, warn
from ...files import replacing
from ...model.hulls import is_mesh
from ...model.mesh_paths import mesh_candidates
from ...tables.description import data_folder

_COMMENT = re.compile(r"(<!--.*?-->)", re.DOTALL)
_NAMED = re.compile(r"""(<(mesh|texture)\b[^>]*?\bfilename\s*=\s*)(?:"([^"]*)"|'([^']*)')""")
# what names another file in OBJ, MTL and COLLADA
_BESIDE = re.compile(
    r"^[ \t]*(?:mtllib|map_\w+|bump|disp|decal|refl)[ \t](?:.*[ \t])?(\S+)"
    r"|<init_from>\s*([^<]+?)\s*</init_from>",
    re.MULTILINE | re.IGNORECASE,
)
_MATERIALS = re.compile(rb"^[ \t]*newmtl\b", re.MULTILINE)
_IMAGE = re.compile(
    rb"\x89PNG\r\n\x1a\n|\xff\xd8\xff|GIF8[79]a|BM.{4}\0{4}|II\*\0|MM\0\*|DDS |RIFF.{4}WEBP",
    re.DOTALL,
)


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
    goes to a folder with a number; the same file twice is copied once. What an OBJ or DAE file
    names (materials, textures) comes with it. A URDF of unknown origin may name any file: only
    meshes, materials and images are copied, those from outside its package with a warning.

    Args:
        text: As :func:`copied_meshes`.
        folder: As :func:`copied_meshes`.
        prefix: What stands before ``meshes/...`` in the text, such as ``package://NAME/``.

    Returns:
        The text, and ``{"meshes/...": source}``, posix paths relative to the folder of the export.

    Raises:
        FileError: if a mesh is not there, or holds no mesh.
    """
    files: dict[str, Path] = {}
    placed: dict[Path, str] = {}

    def name_of(path: Path, tag: str) -> str | None:
        if tag == "texture" and not _is_image(path):
            warn(f"the texture {path} is no image; it is not copied")
            return None
        if path not in placed:
            if tag == "mesh" and not is_mesh(path):
                raise FileError(f"{path} holds no mesh that can be read; it is not copied")
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
        return prefix + placed[path]

    renamed = _renamed(text, folder, name_of)
    warn_of_foreign(files.values(), folder)
    return renamed, files


def warn_of_foreign(files: Iterable[Path], folder: Path) -> None:
    """Warn of files from outside the package of the URDF in ``folder``, links followed.

    The package is the next folder above with a ``package.xml``, else the nearest of three that
    holds ``meshes``, else the one that holds a folder ``urdf``, else ``folder``.
    """
    here = folder.resolve()
    above = (here, *here.parents)
    package, *_ = (
        *(path for path in above if (path / "package.xml").is_file()),
        *(path for path in above[:3] if (path / "meshes").is_dir()),
        here.parent if here.name == "urdf" else here,
    )
    inside = package, (data_folder().parent / "meshes").resolve()
    foreign = sorted(
        {str(file) for file in files if not any(map(file.resolve().is_relative_to, inside))}
    )
    if foreign:
        more = f" and {len(foreign) - 3} more" if len(foreign) > 3 else ""
        warn(f"copied from outside {package}: {', '.join(foreign[:3])}{more}")


def absolute_meshes(text: str, folder: Path) -> str:
    """Return the URDF with the absolute paths of its meshes.

    Arguments and errors as :func:`gathered_meshes`.
    """
    return _renamed(text, folder, lambda path, _: path.as_posix())


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


def refuse_to_replace(
    into: Path, files: Mapping[str, Path | str | bytes], signs: Mapping[str, str]
) -> None:
    """Refuse to replace files that another robot's export has in the same folder.

    Args:
        into: Folder of the export.
        files: As of :func:`write_files`.
        signs: By name of a file that every export of the format has, the text that it holds where
            it is of this robot.

    Raises:
        InputError: if a file of ``signs`` is another robot's, or another model there names a mesh
            that would become another one.
    """

    def text_of(path: Path) -> str:
        return path.read_text(encoding="utf-8", errors="replace")

    found = [into / name for name, sign in signs.items() if (into / name).is_file()]
    others = [path for path in found if signs[path.name] not in text_of(path)]
    changed = [
        name.removeprefix("meshes/")
        for name, content in files.items()
        if isinstance(content, Path) and (into / name).is_file() and not _same(into / name, content)
    ]
    if changed and not others:
        own = {_stem(Path(name)) for name in files}  # this robot, in other formats as well
        models = [path for path in into.iterdir() if path.suffix in (".urdf", ".xml", ".sdf")]
        texts = ((path, text_of(path)) for path in models if _stem(path) not in own)
        others = [path for path, text in texts if any(mesh in text for mesh in changed)]
    if others:
        raise InputError(f"{others[0]} is of another robot: export to another folder")


def _stem(path: Path) -> str:
    return path.stem.removesuffix("_serial")


def _renamed(text: str, folder: Path, name_of: Callable[[Path, str], str | None]) -> str:
    """Return the URDF with another name for each mesh and texture.

    Comments stay as they are, and so do lost textures, and what ``name_of`` gives no name.
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
        renamed = name_of(source, tag)
        return match[0] if renamed is None else f'{before}"{escape(renamed)}"'

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


def _is_image(path: Path) -> bool:
    with path.open("rb") as stream:
        return _IMAGE.match(stream.read(16)) is not None


def _beside(mesh: Path) -> Iterator[tuple[str, Path]]:
    """Yield material files and textures of an OBJ or DAE file below its own folder."""
    if mesh.suffix.lower() not in (".obj", ".dae"):
        return
    seen, waiting = {mesh}, [mesh]
    while waiting:
        for match in _BESIDE.finditer(waiting.pop().read_text(encoding="utf-8", errors="replace")):
            path = (mesh.parent / (match[1] or match[2])).resolve()
            if path in seen or mesh.parent not in path.parents or not path.is_file():
                continue
            seen.add(path)
            materials = path.suffix.lower() == ".mtl" and _MATERIALS.search(path.read_bytes())
            if materials:
                waiting.append(path)
            if materials or _is_image(path):
                yield path.relative_to(mesh.parent).as_posix(), path
            else:
                warn(f"{path}, which {mesh.name} names, is no image or material; it is not copied")
