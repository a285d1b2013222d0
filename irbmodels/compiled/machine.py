"""Machine code: LLVM IR compiled for a processor, and its functions as functions of Python."""

from __future__ import annotations

import ctypes
import mmap
import platform
import struct
import sys
from collections.abc import Callable
from functools import cache
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray

from .llvm_entry import ENTRY, HEADER


class Target(NamedTuple):
    """Instructions that machine code may use."""

    name: str
    cpu: str
    features: str
    bytes: int
    """Of a vector: the width that was measured to be the fastest."""


TARGETS = {
    "avx512": Target("avx512", "x86-64-v4", "-prefer-256-bit", 64),
    "avx2": Target("avx2", "x86-64-v3", "", 32),
    "sse2": Target("sse2", "x86-64", "", 16),
    "neon": Target("neon", "generic", "+neon", 16),
}
_METH_FASTCALL = 0x80  # of Python's C interface
_ELF_X86_64 = (b"\x7fELF\x02\x01", 62)  # 64 bits, little-endian; machine
_RELA, _SYMTAB, _PC32, _PLT32 = 4, 2, 2, 4


@cache
def host_target() -> Target:
    """Return the widest of :data:`TARGETS` that this processor and its system run."""
    if platform.machine().lower() in ("arm64", "aarch64"):
        return TARGETS["neon"]
    extensions = np.show_config(mode="dicts")["SIMD Extensions"]
    features = {*extensions.get("baseline", ()), *extensions.get("found", ())}
    fused = "X86_V3" in features or {"AVX2", "FMA3"} <= features
    wide = fused and not features.isdisjoint({"X86_V4", "AVX512_SKX"})
    return TARGETS["avx512" if wide else "avx2" if fused else "sse2"]


def compile_object(text: str, target: Target, triple: str | None = None) -> bytes:
    """Compile a module of LLVM IR.

    Args:
        text: The module.
        target: Instructions to be used.
        triple: Of another system; default this one.

    Returns:
        An object file.
    """
    return bytes(_target_machine(target, triple).emit_object(_parsed(text, triple)))


def assembly(text: str, target: Target, triple: str | None = None) -> str:
    """Compile a module of LLVM IR to the text of its instructions."""
    return str(_target_machine(target, triple).emit_assembly(_parsed(text, triple)))


def _parsed(text: str, triple: str | None) -> Any:
    import llvmlite.binding as llvm

    if triple is None:  # instructions are those of the target, their order is this processor's
        tuned = f'attributes #0 = {{ "tune-cpu"="{llvm.get_host_cpu_name()}" '
        text = text.replace("attributes #0 = { ", tuned, 1)
    module = llvm.parse_assembly(text)
    module.verify()
    return module


@cache
def _target_machine(target: Target, triple: str | None) -> Any:
    import llvmlite.binding as llvm

    if triple is None:
        llvm.initialize_native_target()
        llvm.initialize_native_asmprinter()
    else:
        llvm.initialize_all_targets()
        llvm.initialize_all_asmprinters()
    where = llvm.Target.from_triple(triple or llvm.get_process_triple())
    return where.create_target_machine(
        cpu=target.cpu, features=target.features, opt=2, reloc="pic", codemodel="small"
    )


class _References(NamedTuple):
    """References of an object file to itself, as it lies in memory."""

    offsets: dict[int, int]
    """Relative address by place."""
    entry: int
    """Place of the function."""


def _references(code: bytes) -> _References | None:
    """Return the references of an object file; None where it cannot run as it lies.

    That takes Linux on x86-64, and none but relative references to what is in the file.
    """
    magic, machine = _ELF_X86_64
    if not (
        sys.platform == "linux"
        and code.startswith(magic)
        and struct.unpack_from("<H", code, 18)[0] == machine
    ):
        return None
    (start,) = struct.unpack_from("<Q", code, 40)
    count, _ = struct.unpack_from("<HH", code, 60)
    # name, type, flags, address, offset, size, link, info, alignment, entry size
    sections = [struct.unpack_from("<IIQQQQIIQQ", code, start + 64 * i) for i in range(count)]
    table = next(section for section in sections if section[1] == _SYMTAB)
    # name, binding, visibility, section, value, size
    symbols = list(struct.iter_unpack("<IBBHQQ", code[table[4] : table[4] + table[5]]))

    def place_of(number: int) -> int:
        _, _, _, section, value, _ = symbols[number]
        return int(sections[section][4] + value)

    offsets = {}
    for _, kind, _, _, offset, size, _, target, _, _ in sections:
        if kind != _RELA:
            continue
        for at in range(offset, offset + size, 24):
            where, info, addend = struct.unpack_from("<QQq", code, at)
            number, reference = info >> 32, info & 0xFFFFFFFF
            if reference not in (_PC32, _PLT32) or not 0 < symbols[number][3] < count:
                return None
            place = sections[target][4] + where
            offsets[place] = place_of(number) + addend - place
    name, names = ENTRY.encode() + b"\0", sections[table[6]][4]
    (number,) = (i for i, symbol in enumerate(symbols) if code.startswith(name, names + symbol[0]))
    return _References(offsets, place_of(number))


def link(code: bytes) -> tuple[bytes, int | None]:
    """Resolve the references of an object file to itself, as it lies in memory.

    Returns:
        The object file, and the offset of its function; None where it cannot run as it lies.
    """
    references = _references(code)
    if references is None:
        return code, None
    image = bytearray(code)
    for place, offset in references.offsets.items():
        struct.pack_into("<i", image, place, offset)
    return bytes(image), references.entry


_loaded: list[Any] = []  # machine code and descriptions of functions live as long as the process


def load(code: bytes) -> int:
    """Return the address of the function of an object file, linked or not, which LLVM loads."""
    import llvmlite.binding as llvm

    references = _references(code)
    if references is not None:  # LLVM adds what lies there to each relative address
        image = bytearray(code)
        for place in references.offsets:
            struct.pack_into("<i", image, place, 0)
        code = bytes(image)
    machine = _target_machine(host_target(), None)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(""), machine)
    engine.add_object_file(llvm.ObjectFileRef.from_data(code))
    engine.finalize_object()
    _loaded.append(engine)
    return int(engine.get_function_address(ENTRY))


def map_file(descriptor: int, size: int, entry: int) -> int:
    """Return the address of the function of a linked object file, mapped from an open file.

    Raises:
        OSError: where files cannot be run as they lie.
    """
    protection = mmap.PROT_READ | mmap.PROT_EXEC
    memory = mmap.mmap(descriptor, size, flags=mmap.MAP_PRIVATE, prot=protection)
    view = np.frombuffer(memory, np.uint8)
    _loaded.append(view)
    return int(view.ctypes.data) + entry


class _PyMethodDef(ctypes.Structure):
    """Python's description of a built-in function."""

    _fields_ = (
        ("name", ctypes.c_char_p),
        ("function", ctypes.c_void_p),
        ("flags", ctypes.c_int),
        ("doc", ctypes.c_char_p),
    )


def function(address: int, numbers: ArrayLike, dtype: np.dtype[Any]) -> Callable[..., bool]:
    """Return machine code as a function of arrays.

    Args:
        address: Of the function of a module, as of :mod:`.llvm_entry`.
        numbers: Its constants, and of one state the limits.
        dtype: Of all arrays.
    """
    method = _described(address)
    make = ctypes.pythonapi.PyCFunction_NewEx
    make.restype = ctypes.py_object
    make.argtypes = (ctypes.c_void_p, ctypes.py_object, ctypes.c_void_p)
    result: Callable[..., bool] = make(ctypes.addressof(method), _table(numbers, dtype), None)
    return result


@cache
def _described(address: int) -> _PyMethodDef:
    return _PyMethodDef(ENTRY.encode(), address, _METH_FASTCALL, None)


def _table(numbers: ArrayLike, dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    """Return what machine code refers to, as bytes: addresses, then numbers."""
    values = np.ravel(np.asarray(numbers, dtype))
    return np.concatenate([_addresses(dtype), values.view(np.uint8)])


@cache
def _addresses(dtype: np.dtype[Any]) -> NDArray[np.uint8]:
    python = ctypes.pythonapi
    functions = (python.PyBool_FromLong, python.PyEval_SaveThread, python.PyEval_RestoreThread)
    addresses = [id(np.ndarray), id(dtype)]
    addresses += [ctypes.cast(each, ctypes.c_void_p).value or 0 for each in functions]
    assert len(addresses) == HEADER
    return np.array(addresses, np.uint64).view(np.uint8)
