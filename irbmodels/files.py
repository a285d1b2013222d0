"""Writing files whole or not at all."""

from __future__ import annotations

import os
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
    import secrets  # loads OpenSSL, which few need

    target = Path(os.path.realpath(path))  # a link stays one, and what it points to is replaced
    if target.is_dir() or not str(path):
        raise FileError(f"cannot write {str(path)!r}: it is a folder, not a file")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {str(path)!r}: it is a device or pipe, not a file")
    temporary = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    try:
        temporary.touch(exist_ok=False)  # readable to whom the process lets read; tempfile's are not
        if target.exists():
            temporary.chmod(target.stat().st_mode & 0o777)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    try:
        yield temporary
        temporary.replace(target)
    except OSError as err:
        raise FileError(f"cannot write {target}: {err.strerror or err}") from err
    finally:
        temporary.unlink(missing_ok=True)
