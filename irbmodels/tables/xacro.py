"""URDF text that xacro expands from the tables."""

from __future__ import annotations

import re
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path

import yaml

from ..errors import UrdfError

_XACRO = threading.Lock()  # xacro keeps its state in module globals


def expand(entry: Path, arguments: dict[str, str], inputs: list[Path]) -> str:
    """Run xacro and return the URDF text.

    Results are cached for the same arguments and unchanged ``inputs``.

    Raises:
        UrdfError: if xacro stops.
    """
    state = tuple(
        (str(path), stat.st_mtime_ns, stat.st_size)
        for path in sorted(inputs)
        for stat in [path.stat()]
    )
    return _expand(entry, tuple(arguments.items()), state)


@lru_cache(maxsize=256)  # all shipped robots, some 40 kB each
def _expand(
    entry: Path, arguments: tuple[tuple[str, str], ...], state: tuple[tuple[str, int, int], ...]
) -> str:
    import xacro  # imported here: only robots built from tables need it

    del state  # part of the key only
    with _XACRO, _libyaml():
        try:
            document = xacro.process_file(str(entry), mappings=dict(arguments))
        except Exception as err:  # xacro lets through whatever an expression of a table raises
            raise UrdfError(
                f"{entry.name} with {dict(arguments)}: {' '.join(str(err).split())}"
            ) from err
    for node in list(document.childNodes):
        if node.nodeType == node.COMMENT_NODE:  # xacro's banner names a path of this machine
            document.removeChild(node)
    return re.sub(r"\n\s*\n+", "\n", str(document.toprettyxml(indent="  ")))


@contextmanager
def _libyaml() -> Iterator[None]:
    """Let ``yaml.safe_load``, by which xacro reads tables, parse by libyaml where it is there.

    PyYAML's own parser is a third of an expansion.
    """
    own = yaml.SafeLoader
    yaml.SafeLoader = getattr(yaml, "CSafeLoader", own)  # type: ignore[misc]
    try:
        yield
    finally:
        yaml.SafeLoader = own  # type: ignore[misc]
