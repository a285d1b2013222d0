"""Symbols that an object file of any system leaves to others."""

from __future__ import annotations

import struct


def undefined_symbols(code: bytes) -> set[str]:
    """Return the names that an ELF, Mach-O or COFF object of 64 bits refers to elsewhere."""
    if code.startswith(b"\x7fELF"):
        return _of_elf(code)
    if code.startswith(b"\xcf\xfa\xed\xfe"):
        return _of_mach_o(code)
    return _of_coff(code)


def _text(code: bytes, start: int) -> str:
    return code[start : code.index(b"\0", start)].decode()


def _of_elf(code: bytes) -> set[str]:
    (start,) = struct.unpack_from("<Q", code, 40)
    (count,) = struct.unpack_from("<H", code, 60)
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, start + 64 * i) for i in range(count)]
    table = next(section for section in sections if section[1] == 2)
    strings = sections[table[6]][4]
    symbols = list(struct.iter_unpack("<IBBHQQ", code[table[4] : table[4] + table[5]]))
    return {_text(code, strings + symbol[0]) for symbol in symbols[1:] if symbol[3] == 0}


def _of_mach_o(code: bytes) -> set[str]:
    (count,) = struct.unpack_from("<I", code, 16)
    at, names = 32, set()
    for _ in range(count):
        command, size = struct.unpack_from("<II", code, at)
        if command == 2:
            table, symbols, strings = struct.unpack_from("<III", code, at + 8)
            for name, kind, *_ in struct.iter_unpack("<IBBHQ", code[table : table + 16 * symbols]):
                if kind & 0x0E == 0:
                    names.add(_text(code, strings + name))
        at += size
    return names


def _of_coff(code: bytes) -> set[str]:
    table, count = struct.unpack_from("<II", code, 8)
    strings, names, i = table + 18 * count, set(), 0
    while i < count:
        name, _, section, _, kind, more = struct.unpack_from("<8sIhHBB", code, table + 18 * i)
        if section == 0 and kind == 2:
            (place,) = struct.unpack_from("<I", name, 4)
            is_short = name[:4] != b"\0\0\0\0"
            names.add(name.rstrip(b"\0").decode() if is_short else _text(code, strings + place))
        i += 1 + more
    return names
