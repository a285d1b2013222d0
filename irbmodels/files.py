"""Writing files whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .errors import FileError


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``; it becomes ``path`` when the block ends well, else it is removed.

    Raises:
        FileError: if the folder does not exist or cannot be written.
    """
    target = Path(path)
    if target.is_dir() or not str(path):
        raise FileError(f"cannot write {str(path)!r}: it is a folder, not a file")
    try:
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}-", suffix=target.suffix, dir=target.parent)
        os.close(handle)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    temporary = Path(name)
    try:
        yield temporary
        temporary.chmod(0o666 & ~_umask())  # mkstemp lets nobody else read
        temporary.replace(target)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    finally:
        temporary.unlink(missing_ok=True)


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
