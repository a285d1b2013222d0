"""Reading text, and writing files entirely or not at all."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from .checks import as_path
from .errors import FileError

_UTF16 = (b"\xff\xfe", b"\xfe\xff")  # marks at its beginning, as Windows writes them


def read_bytes(path: str | Path) -> bytes:
    """Return the bytes of a file of text, in UTF-8 or another code of which ASCII is a part.

    Raises:
        FileError: if it cannot be read, is a device, or is UTF-16.
    """
    as_path(path, "a file")
    if Path(path).is_char_device():  # /dev/zero has no end
        raise FileError(f"{path}: is a device, not a file")
    try:
        data = Path(path).read_bytes()
    except (OSError, ValueError) as err:  # ValueError: a name that no file can have
        raise FileError(f"{path}: {getattr(err, 'strerror', None) or err}") from err
    refuse_utf16(path, data)
    return data


def read_text(path: str | Path) -> str:
    """Return the text of a file in UTF-8, with or without its mark, lines ended by line feeds.

    Raises:
        FileError: if it cannot be read, or is in another code.
    """
    data = read_bytes(path)
    try:
        return io.TextIOWrapper(io.BytesIO(data), encoding="utf-8-sig").read()
    except UnicodeDecodeError as err:
        raise FileError(
            f"{path}: byte {err.start + 1} is not UTF-8; save the file in UTF-8"
        ) from err


def refuse_utf16(path: str | Path, data: bytes) -> None:
    """Raise :class:`FileError` if text begins as in UTF-16: a mark, or letters with zero bytes."""
    start = data[:8]
    if data.startswith(_UTF16) or (
        len(start) > 1 and any(start) and not (any(start[::2]) and any(start[1::2]))
    ):
        raise FileError(f"{path}: is text in UTF-16; save it in UTF-8")


def check_writable(path: str | Path) -> Path:
    """Return the file that a path means, links followed, if one can be written there.

    Before the work that makes it.

    Raises:
        FileError: if it is a folder, a device or a pipe, or lies in no folder.
    """
    # a link stays one, and what it points to is replaced
    target = Path(os.path.realpath(as_path(path, "a file to write")))
    if target.is_dir() or not str(path):
        raise FileError(f"cannot write {str(path)!r}: it is a folder, not a file")
    if target.exists() and not target.is_file():
        raise FileError(f"cannot write {str(path)!r}: it is a device or pipe, not a file")
    if not target.parent.is_dir():
        raise FileError(f"cannot write {target}: there is no folder {target.parent}")
    return target


@contextmanager
def replacing(path: str | Path) -> Iterator[Path]:
    """Give a temporary path beside ``path``.

    It becomes ``path`` when the block ends well, else it is removed.

    Raises:
        FileError: if the folder does not exist or cannot be written.
    """
    import secrets  # loads OpenSSL, which few need

    target = check_writable(path)
    temporary = target.with_name(f".{target.stem}-{secrets.token_hex(4)}{target.suffix}")
    try:
        # readable to whom the process lets read; tempfile's are not
        temporary.touch(exist_ok=False)
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


def write_text(path: str | Path, text: str) -> None:
    """Write a file of text in UTF-8, entirely or not at all.

    Raises:
        FileError: if it cannot be written.
    """
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")
