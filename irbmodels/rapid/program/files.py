"""Recognition of RAPID files, and programs of several modules."""

from __future__ import annotations

import re
from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple
from xml.etree import ElementTree

from ...errors import FileError, InputError, RapidError
from ...files import read_bytes
from ..module import Module
from ..parser import modules_in, read_file
from .moves import routines_of

SUFFIXES = (".mod", ".modx", ".sys", ".sysx", ".prg")
"""Of modules: ``.modx``, ``.sysx`` of RobotWare 7, ``.mod``, ``.sys`` of 6, ``.prg`` of S4."""
_PROGRAM = ".pgf"
"""Of a program file, an XML list of modules."""
_SYSTEM = (".sys", ".sysx")
_START = 65_536  # bytes of a file that are looked at
_MODULE = re.compile(r"\s*(?:%%%.*?%%%\s*)?(?:![^\n]*\n\s*)*MODULE\b", re.IGNORECASE | re.DOTALL)
_MAIN = re.compile(rb"^[^!\n]*\bPROC\s+main\s*\(", re.IGNORECASE | re.MULTILINE)
_TABLE = re.compile(r'\s*"?[^\s,;\t]+"?\s*[,;\t]')


def holds_rapid(path: Path) -> bool:
    """Return whether a file holds RAPID: by its content, or if that is no table by its suffix."""
    known = path.suffix.lower() in (*SUFFIXES, _PROGRAM)
    try:
        with path.open("rb") as stream:
            start = stream.read(_START)
    except (OSError, ValueError):  # reading it raises the reason
        return known
    text = start.decode("latin-1").removeprefix("\xef\xbb\xbf")
    return bool(_MODULE.match(text)) or (known and not _TABLE.match(text.partition("\n")[0]))


def read_program(path: Path, others: Sequence[Path] = ()) -> Module:
    """Read a module with other modules as its ``uses``, whichever of them uses which.

    Args:
        path: A file of a module or of several (``.prg``), or a program file (``.pgf``): of
            several, the module with ``main``, or else the first.
        others: Modules, or program files, whose records, constants and data it uses.

    Raises:
        FileError: if a file cannot be read, or a program file lists no modules.
        InputError: if a file holds no RAPID.
        RapidError: as :func:`irbmodels.rapid.read`.
    """
    first, *rest = _parts(path)
    parts = [first, *rest, *(part for other in others for part in _parts(other))]
    waiting = list(dict.fromkeys(parts)) if rest else list(dict.fromkeys(parts[1:]))
    read: dict[_Part, Module] = {}
    while waiting:
        left: list[_Part] = []
        failed: RapidError | None = None
        for part in waiting:
            try:
                read[part] = part.read(list(read.values()))
            except RapidError as err:  # it may use one that is read later
                left, failed = [*left, part], failed or err
        if failed is not None and len(left) == len(waiting):
            raise failed
        waiting = left
    if rest:
        first = next((part for part, module in read.items() if _has_main(module)), first)
    return first.read([module for part, module in read.items() if part != first])


def read_task(path: Path, others: Sequence[Path] = ()) -> Module:
    """Read the program of a task, from a file or from the task's folder in a backup.

    Args:
        path: A module, a program file (``.pgf``), or a folder that holds one program file, or
            modules of which one has ``main``, at any depth; its system modules are read, too.
        others: Modules whose records and data it uses.

    Raises:
        InputError: if a folder holds no program, or several.
        FileError: as :func:`read_program`; so ``RapidError``.
    """
    if not path.is_dir():
        return read_program(path, others)
    files = sorted(file for file in path.rglob("*") if file.is_file())
    programs = [file for file in files if file.suffix.lower() == _PROGRAM]
    modules = [file for file in files if file.suffix.lower() in SUFFIXES]
    firsts = programs or [file for file in modules if _MAIN.search(read_bytes(file))]
    if len(firsts) != 1:
        names = ", ".join(str(file.relative_to(path)) for file in firsts[:5])
        raise InputError(
            f"the folder of a task holds one .pgf, or modules of which one has main; in {path}:"
            f" {names or 'none'}"
        )
    # a program file lists its program modules itself
    rest = [file for file in modules if not programs or file.suffix.lower() in _SYSTEM]
    return read_program(firsts[0], [*(file for file in rest if file != firsts[0]), *others])


class _Part(NamedTuple):
    """One module of a file."""

    path: Path
    number: int

    def read(self, uses: Sequence[Module]) -> Module:
        return read_file(self.path, uses, self.number)


def _parts(path: Path) -> list[_Part]:
    """Return the modules of a file, or of those that a program file lists."""
    return [_Part(file, i) for file in _modules(path) for i in range(modules_in(file))]


def _modules(path: Path) -> list[Path]:
    """Return a module's file, or those that a program file lists."""
    if path.suffix.lower() != _PROGRAM:
        if not holds_rapid(path) and path.is_file():
            raise InputError(
                f"{path} holds no RAPID module, which begins with MODULE and a name; irbmodels path"
                " checks motions"
            )
        return [path]
    try:
        root = ElementTree.fromstring(read_bytes(path))
    except (ElementTree.ParseError, ValueError) as err:
        raise FileError(
            f"{path}: a program file is XML, <Program><Module>Main.mod</Module></Program>: {err}"
        ) from None
    names = [(one.text or "").strip().replace("\\", "/") for one in root.iter("Module")]
    if not any(names):
        raise FileError(
            f"{path}: lists no module, as <Program><Module>Main.mod</Module></Program> does"
        )
    return [path.parent / name for name in names if name]


def _has_main(module: Module) -> bool:
    return any(one.name.lower() == "main" and one.kind == "proc" for one in routines_of(module)[1])
