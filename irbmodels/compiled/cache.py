"""Compiled kernels on disk: one file each, named after all that its machine code depends on.

A kernel is written under another name and then renamed, so that processes that compile the same one
at once do not meet. What is broken or belongs to other versions is compiled again; where nothing
can be written, or other users can write, kernels live as long as their process.
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import stat
import sys
import threading
import time
from ast import literal_eval
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import NamedTuple

from ..errors import MissingExtra
from .folder import FOLDER, folder
from .machine import host_target, link, load, map_file

_OURS = re.compile(r"kernel_[0-9a-f]{24}|new_kernel_[a-z0-9_]{8}")
_DIGEST = hashlib.sha256().digest_size
_codes: dict[str, Code] = {}  # of this process
_refused: set[Path] = set()  # folders of which was said why nothing is kept
_lock = threading.RLock()  # one thread compiles, the others wait for it


class Signature(NamedTuple):
    """Names and shapes of a kernel's arrays, and names of its constants."""

    constants: tuple[str, ...]
    inputs: tuple[tuple[str, int], ...]
    outputs: tuple[tuple[str, tuple[int, ...]], ...]


class Code(NamedTuple):
    """Machine code in memory."""

    address: int
    signature: Signature


class Info(NamedTuple):
    """Content of the cache."""

    folder: Path
    kernels: int
    bytes: int


def info() -> Info:
    """Count what is there."""
    sizes = [(path.name, _size(path)) for path in _entries()]
    kept = sum(name.startswith("kernel_") for name, _ in sizes)
    return Info(folder(), kept, sum(size for _, size in sizes))


def clear() -> Info:
    """Remove every kernel, and what interrupted processes left; return what was there."""
    before = info()
    for path in _entries():
        path.unlink(missing_ok=True)
    return before


def _entries() -> list[Path]:
    try:
        return [
            path
            for path in folder().iterdir()
            if _OURS.fullmatch(path.name) and path.is_file() and not path.is_symlink()
        ]
    except OSError:
        return []


def _size(path: Path) -> int:
    try:
        return path.stat().st_size
    except OSError:  # another process has just removed it
        return 0


@cache
def environment_key() -> str:
    """Return what machine code depends on besides its program, as text.

    These are our writers, llvmlite, system and processor, and the headers of Python's objects.

    Raises:
        MissingExtra: without llvmlite.
    """
    spec = importlib.util.find_spec("llvmlite")
    if spec is None or spec.origin is None:
        raise MissingExtra("llvmlite", "fast")
    here = Path(__file__).parent
    sources = [*sorted(here.glob("*.py")), here.parent / "model" / "mechanism.py"]
    version = Path(spec.origin).with_name("_version.py")  # to import it would take 25 ms
    ours, llvmlite = (
        hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
        for paths in (sources, [version])
    )
    system = f"{sys.platform} {platform.machine()}"
    return repr((ours, llvmlite, system, host_target().name, object.__basicsize__))


def kernel_code(key: str, title: str, compiled: Callable[[], tuple[bytes, Signature]]) -> Code:
    """Return machine code: from this process, from disk, or compiled.

    Args:
        key: Of its program and layout, different from that of any other.
        title: Its name in messages.
        compiled: Makes object file and signature; called only where it must be.
    """
    name = _name(key)
    with _lock:
        if name not in _codes:
            _codes[name] = _found(name) or _compiled(name, title, compiled)
        return _codes[name]


def is_ready(key: str) -> bool:
    """Return whether a kernel is in this process or on disk."""
    name = _name(key)
    if name not in _codes and (code := _found(name)):
        _codes[name] = code
    return name in _codes


def _name(key: str) -> str:
    return "kernel_" + hashlib.sha256(f"{key} {environment_key()}".encode()).hexdigest()[:24]


def _compiled(name: str, title: str, compiled: Callable[[], tuple[bytes, Signature]]) -> Code:
    import logging  # a kernel on disk needs neither this nor a name for a new file

    log = logging.getLogger("irbmodels")
    started = time.perf_counter()
    linked, signature = compiled()
    code, entry = link(linked)
    place = folder() / name
    is_kept = _keep(place, code, entry, signature)
    took = f"compiled {title} in {time.perf_counter() - started:.2f} s"
    if is_kept:
        log.info("%s (kept in %s)", took, place.parent)
    else:
        reason = _why_not(place.parent)
        log.log(logging.WARNING if reason else logging.INFO, "%s (not kept%s)", took, reason)
    return (_found(name) if is_kept else None) or Code(load(code), signature)


def _keep(place: Path, code: bytes, entry: int | None, signature: Signature) -> bool:
    """Write a kernel's file; return False where that cannot be done."""
    import tempfile

    described = repr((len(code), entry, *signature)).encode()
    content = b"".join([code, described, len(described).to_bytes(8, "little")])
    new = None
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(place.parent.stat()):
            return False
        descriptor, new = tempfile.mkstemp(prefix="new_kernel_", dir=place.parent)
        with open(descriptor, "wb") as file:
            file.write(content + hashlib.sha256(content).digest())
        os.replace(new, place)
    except OSError:  # read-only, full, or another process has removed the folder
        if new is not None:
            Path(new).unlink(missing_ok=True)
        return False
    return True


def _found(name: str) -> Code | None:
    """Return a kernel from disk, if its file is private, complete and unchanged.

    Machine code that is broken, or somebody else's, would not fail, but do anything.
    """
    place = folder() / name
    try:
        with place.open("rb") as file:
            status = os.fstat(file.fileno())
            if not (_is_private(status) and _is_private(place.parent.stat())):
                return None
            content = file.read()
            body = content[:-_DIGEST]
            if hashlib.sha256(body).digest() != content[-_DIGEST:]:
                return None
            end = len(body) - 8 - int.from_bytes(body[-8:], "little")
            size, entry, *rows = literal_eval(body[end:-8].decode())
            signature = Signature(*rows)
            if entry is not None:
                try:
                    return Code(map_file(file.fileno(), len(content), entry), signature)
                except OSError:  # files of this disk must not be run
                    pass
            return Code(load(body[:size]), signature)
    except (OSError, ValueError, TypeError, SyntaxError):
        return None


def _is_private(status: os.stat_result) -> bool:
    """Return whether only this user can write; Windows is left to the system."""
    if os.name != "posix":
        return True
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _why_not(wanted: Path) -> str:
    """Return why nothing can be kept in a folder; once per process."""
    if wanted in _refused:
        return ""
    _refused.add(wanted)
    nearest = next(
        path for path in (wanted.absolute(), *wanted.absolute().parents) if os.path.lexists(path)
    )
    if os.path.isdir(wanted) and not _is_private(wanted.stat()):
        return (
            f": other users can write in {wanted}, and machine code is run as it lies there; make"
            f" the folder yours alone (chmod 700), or name another one in {FOLDER}"
        )
    if os.path.isdir(nearest):
        return f": nothing can be written in {wanted}"
    return (
        f": {nearest} is a file where the folder of kernels should be; remove it, or name a folder"
        f" in {FOLDER}"
    )
