"""Compiled kernels on disk: one folder each, named after all that its machine code depends on.

A kernel is compiled in a folder of its own, sealed with a check sum, and then renamed into place,
so that processes that compile the same one at once do not meet. What is broken or belongs to other
versions is compiled again; where nothing can be written, or other users can write, kernels live as
long as their process.
"""

from __future__ import annotations

import hashlib
import json
import logging
import os
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Callable
from functools import cache
from pathlib import Path
from types import ModuleType
from typing import NamedTuple

from ..errors import require

FOLDER = "IRBMODELS_CACHE"
"""Environment variable that names another folder."""
SEAL = "seal.json"
log = logging.getLogger("irbmodels")
_refused: set[Path] = set()  # folders of which was said why nothing is kept


class Info(NamedTuple):
    """Content of the cache."""

    folder: Path
    kernels: int
    bytes: int


def folder() -> Path:
    """Folder in which kernels are kept."""
    import platformdirs  # 3 ms, and a named folder needs none

    named = os.environ.get(FOLDER)
    return (
        Path(named)
        if named
        else Path(platformdirs.user_cache_dir("irbmodels", appauthor=False)) / "kernels"
    )


def info() -> Info:
    """Count what is there."""
    kept = [path for path in _entries() if (path / SEAL).is_file()]
    return Info(folder(), len(kept), sum(_size(path) for path in _entries()))


def clear() -> Info:
    """Remove every kernel, and what interrupted processes left; return what was there."""
    before = info()
    for path in _entries():
        shutil.rmtree(path, ignore_errors=True)
    return before


def _entries() -> list[Path]:
    try:
        return [
            path
            for path in folder().iterdir()
            if path.is_dir() and path.name.startswith(("kernel_", "new_"))
        ]
    except OSError:
        return []


def _size(path: Path) -> int:
    total = 0
    for file in path.rglob("*"):
        try:
            total += file.stat().st_size if file.is_file() else 0
        except OSError:  # another process has just removed it
            continue
    return total


@cache
def environment_key() -> str:
    """Return what machine code depends on besides its program, as text.

    These are our writers, numba, LLVM, Python, and the processor.

    Raises:
        MissingExtra: without numba or casadi.
    """
    for package in ("numba", "casadi"):
        require(package, "fast")
    import llvmlite.binding as llvm
    import numba

    here = Path(__file__).parent
    sources = [*sorted(here.glob("*.py")), here.parent / "model" / "mechanism.py"]
    ours = hashlib.sha256(b"".join(path.read_bytes() for path in sources)).hexdigest()
    processor = (
        llvm.get_host_cpu_name(),
        llvm.get_host_cpu_features().flatten(),
        llvm.get_process_triple(),
    )
    return json.dumps([ours, numba.__version__, llvm.llvm_version_info, sys.version, processor])


def kernel_module(key: str, title: str, source: Callable[[], str]) -> ModuleType:
    """Return the module of a kernel: from this process, from disk, or compiled from its source.

    Args:
        key: Of its program, different from that of any other.
        title: Its name in messages.
        source: Writes the text of the module; called only where it must be compiled.
    """
    name = "kernel_" + hashlib.sha256(f"{key} {environment_key()}".encode()).hexdigest()[:24]
    if name in sys.modules:
        return sys.modules[name]
    place = folder() / name
    if _is_sealed(place):
        try:
            return _run(name, place / "kernel.py")
        except Exception as err:  # unpickling can raise anything
            log.info("the kept kernel %s is of no use (%s) and will be compiled again", title, err)
    started = time.perf_counter()
    text = source()
    module, kept = _compiled(name, text, place)
    where = f"kept in {place.parent}" if kept else f"not kept{_why_not(place.parent)}"
    log.warning("compiled %s in %.1f s (%s)", title, time.perf_counter() - started, where)
    return module


def _why_not(wanted: Path) -> str:
    """Return why nothing can be kept in a folder; once per process."""
    if wanted in _refused:
        return ""
    _refused.add(wanted)
    nearest = next(
        path for path in (wanted.absolute(), *wanted.absolute().parents) if os.path.lexists(path)
    )
    if wanted.is_dir() and not _is_private(wanted):
        return (
            f": other users can write in {wanted}, and machine code is run as it lies there; make"
            f" the folder yours alone (chmod 700), or name another one in {FOLDER}"
        )
    if nearest.is_dir():
        return f": nothing can be written in {wanted}"
    return (
        f": {nearest} is a file where the folder of kernels should be; remove it, or name a folder"
        f" in {FOLDER}"
    )


def is_ready(key: str) -> bool:
    """Return whether a kernel is in this process or on disk."""
    name = "kernel_" + hashlib.sha256(f"{key} {environment_key()}".encode()).hexdigest()[:24]
    return name in sys.modules or _is_sealed(folder() / name)


def _compiled(name: str, text: str, place: Path) -> tuple[ModuleType, bool]:
    """Compile in a new folder beside ``place`` and move it there.

    In memory alone where that cannot be done.
    """
    new = None
    try:
        place.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_private(place.parent):
            raise PermissionError(place.parent)
        new = Path(tempfile.mkdtemp(prefix="new_", dir=place.parent))
        (new / "kernel.py").write_text(f"CACHE = True\n{text}", encoding="utf-8")
        module = _run(name, new / "kernel.py")
        (new / SEAL).write_text(json.dumps(_sums(new)), encoding="utf-8")
        shutil.rmtree(place, ignore_errors=True)
        new.rename(place)
        return module, True
    # read-only, full, or another process was first, or has removed the folder; what else it is
    # comes again
    except Exception:
        kept = _is_sealed(place)
        if name not in sys.modules:
            module = ModuleType(name)
            exec(compile(f"CACHE = False\n{text}", f"<{name}>", "exec"), vars(module))
            sys.modules[name] = module
        return sys.modules[name], kept
    finally:
        if new is not None and new.exists():
            shutil.rmtree(new, ignore_errors=True)


def _run(name: str, path: Path) -> ModuleType:
    """Run a kernel's file, without a ``.pyc`` that no seal covers.

    Numba finds its machine code beside it, or puts it there.
    """
    from numba.core import config

    module = ModuleType(name)
    module.__file__ = str(path.absolute())
    code = compile(path.read_bytes(), module.__file__, "exec", dont_inherit=True)
    sys.modules[name] = module  # numba looks for it while unpickling
    elsewhere, config.CACHE_DIR = config.CACHE_DIR, ""  # type: ignore[attr-defined]  # NUMBA_CACHE_DIR would lead out of the sealed folder
    try:
        exec(code, vars(module))
    except BaseException:
        del sys.modules[name]
        raise
    finally:
        config.CACHE_DIR = elsewhere  # type: ignore[attr-defined]
    return module


def _sums(place: Path) -> dict[str, str]:
    files = [
        path
        for path in sorted(place.rglob("*"))
        if path.is_file() and path.suffix in (".py", ".nbi", ".nbc")
    ]
    return {
        str(path.relative_to(place)): hashlib.sha256(path.read_bytes()).hexdigest()
        for path in files
    }


def _is_private(place: Path) -> bool:
    """Return whether only this user can write in a folder; Windows is left to the system."""
    if os.name != "posix":
        return True
    status = place.stat()
    return status.st_uid == os.geteuid() and not status.st_mode & (stat.S_IWGRP | stat.S_IWOTH)


def _is_sealed(place: Path) -> bool:
    """Return whether a kernel's folder is private, complete and unchanged.

    Machine code that is broken, or somebody else's, would not fail, but do anything.
    """
    try:
        sums = json.loads((place / SEAL).read_text(encoding="utf-8"))
        private = _is_private(place.parent) and _is_private(place)
        return private and any(name.endswith(".nbc") for name in sums) and sums == _sums(place)
    except (OSError, ValueError, AttributeError, TypeError):
        return False
