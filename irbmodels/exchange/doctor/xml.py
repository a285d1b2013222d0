"""URDF files of any origin: read within bounds of time and memory, and edited in place.

The standard library's expat does the parsing; every tag remembers its line and its first byte, so
that one attribute can be replaced while comments, formatting, DOCTYPE and encoding stay as they
are.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from xml.parsers import expat

from ...errors import FileError, UrdfError

LARGEST = 16 << 20  # [bytes] the largest URDF of the robots that were surveyed has 0.2 MB
MOST = 100_000  # tags
DEEPEST = 100  # tags inside each other; URDF itself needs seven

_ENCODING = re.compile(
    r"utf-?(8|16)|(us-)?ascii|iso-8859-\d+|latin-?\d|windows-125\d|cp125\d", re.IGNORECASE
)
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_INFINITE = re.compile(r"[+-]?inf(inity)?", re.IGNORECASE)
_ATTRIBUTE = re.compile(r"""\s+([^\s=<>"'/]+)\s*=\s*("[^"]*"|'[^']*')""")
_START = re.compile(r"<[^\s/>]+")
_LONGEST_TAG = 1 << 16  # [bytes] looked at when one attribute is replaced


@dataclass(frozen=True, slots=True)
class Tag:
    """One element of the file; text between tags is not kept, since URDF gives it no meaning."""

    name: str
    attributes: dict[str, str]
    line: int
    """From 1."""
    start: int
    """Number of its first byte in the file, from 0."""
    inside: list[Tag] = field(default_factory=list)

    def get(self, key: str) -> str | None:
        """Return an attribute, None where it is missing."""
        return self.attributes.get(key)

    def all(self, name: str) -> list[Tag]:
        """Return the tags of that name right inside this one."""
        return [tag for tag in self.inside if tag.name == name]

    def first(self, name: str) -> Tag | None:
        """Return the first of ``all(name)``, which is the one that urdfdom reads."""
        return next((tag for tag in self.inside if tag.name == name), None)


def read(path: str | Path) -> tuple[bytes, Tag]:
    """Return the bytes of a URDF file and its ``<robot>``.

    Raises:
        FileError: if it is not a regular file, cannot be read, or is larger than ``LARGEST``.
        UrdfError: as ``parse``.
    """
    file = Path(path)
    try:
        if file.exists() and not file.is_file():  # a pipe or a device would keep us waiting
            raise FileError(f"{file}: not a regular file")
        with file.open("rb") as stream:
            data = stream.read(LARGEST + 1)
    except FileError:
        raise
    except (OSError, ValueError) as err:  # ValueError: a name that no file can have
        raise FileError(f"{file}: {getattr(err, 'strerror', None) or err}") from err
    if len(data) > LARGEST:
        raise FileError(f"{file}: larger than {LARGEST >> 20} MB, which no URDF is")
    return data, parse(data, file)


def parse(data: bytes, file: str | Path = "URDF") -> Tag:
    """Return the root tag of a URDF.

    Entities that the file declares are refused: a kilobyte of them can stand for gigabytes.

    Raises:
        UrdfError: if it is not XML, has no ``<robot>`` as its root, declares entities, or has more
            than ``MOST`` tags or tags nested deeper than ``DEEPEST``.
    """
    parser = expat.ParserCreate()
    parser.specified_attributes = True  # none that a DOCTYPE multiplies
    path: list[Tag] = []
    roots: list[Tag] = []
    count = 0

    def begin(name: str, attributes: dict[str, str]) -> None:
        nonlocal count
        count += 1
        if count > MOST or len(path) >= DEEPEST:
            raise UrdfError(
                f"{file}: more than {MOST} tags, or tags nested deeper than {DEEPEST}; not examined"
            )
        tag = Tag(name, attributes, parser.CurrentLineNumber, parser.CurrentByteIndex)
        (path[-1].inside if path else roots).append(tag)
        path.append(tag)

    def end(_: str) -> None:
        path.pop()

    def refuse(*_: object) -> None:
        raise UrdfError(
            f"{file}: declares an XML entity, which can grow without bound; not examined"
        )

    def declare(_: str, encoding: str | None, __: int) -> None:
        # expat would try any codec of Python
        if encoding is not None and not _ENCODING.fullmatch(encoding):
            raise UrdfError(
                f"{file}: not examined in the encoding {shown(encoding)}; save it as UTF-8"
            )

    parser.StartElementHandler, parser.EndElementHandler = begin, end
    parser.EntityDeclHandler, parser.XmlDeclHandler = refuse, declare
    try:
        parser.Parse(data, True)
    except UrdfError:
        raise
    # the last two: an encoding that does not exist or does not fit
    except (expat.ExpatError, LookupError, ValueError) as err:
        raise UrdfError(f"{file}: not XML: {err}") from err
    if roots[0].name != "robot":
        raise UrdfError(f"{file}: the root element is {shown(roots[0].name)}, not 'robot'")
    return roots[0]


def number(text: str | None) -> float:
    """Return a number as every URDF reader understands it.

    NaN where there is none, infinity where it says or exceeds it.
    """
    text = (text or "").strip()
    if len(text) <= 100 and _NUMBER.fullmatch(text):
        return float(text)
    return (
        math.copysign(math.inf, -1.0 if text[0] == "-" else 1.0)
        if _INFINITE.fullmatch(text)
        else math.nan
    )


def numbers(text: str | None, count: int) -> list[float] | None:
    """Return the ``count`` finite numbers of an attribute, None where it has others."""
    words = (text or "").split(maxsplit=count)
    values = [number(word) for word in words]
    return values if len(values) == count and all(map(math.isfinite, values)) else None


def shown(text: str | None, width: int = 60) -> str:
    """Return foreign text for one line of a message: quoted, short, without control characters."""
    if text is None:
        return "missing"
    return repr(text if len(text) <= width else text[: width - 3] + "...")


def edited(data: bytes, changes: Mapping[int, Mapping[str, str]]) -> bytes:
    """Return the file with some attributes replaced and every other byte as it was.

    Args:
        data: The file.
        changes: New ASCII values by attribute, by the first byte of the tag.

    Raises:
        UrdfError: if a tag does not write such an attribute.
    """
    pieces, done = [], 0
    for start, values in sorted(changes.items()):
        for first, last, value in sorted(_spans(data, start, values)):
            pieces += [data[done:first], value]
            done = last
    return b"".join([*pieces, data[done:]])


def _spans(data: bytes, start: int, values: Mapping[str, str]) -> list[tuple[int, int, bytes]]:
    """Return the bytes between the quotes of values, and their replacements."""
    wide = {
        b"\xff\xfe": "utf-16-le",
        b"<\0": "utf-16-le",
        b"\xfe\xff": "utf-16-be",
        b"\0<": "utf-16-be",
    }
    # all other encodings that expat reads write ASCII as ASCII
    codec = wide.get(data[:2], "latin-1")
    text = data[start : start + _LONGEST_TAG].decode(codec, "replace")
    place, spans = _START.match(text), {}
    while place is not None and (place := _ATTRIBUTE.match(text, place.end())):
        first, last = (
            start + len(text[:i].encode(codec, "replace"))
            for i in (place.start(2) + 1, place.end(2) - 1)
        )
        spans[place[1]] = (first, last)
    if not values.keys() <= spans.keys():
        raise UrdfError(
            f"byte {start}: the tag does not write"
            f" {', '.join(sorted(values.keys() - spans.keys()))}; cannot edit it"
        )
    return [(*spans[key], value.encode(codec)) for key, value in values.items()]
