"""Arrays between pages that must not be touched: who reads or writes beyond them, crashes."""

from __future__ import annotations

import ctypes
import mmap

import numpy as np

_PAGE = mmap.PAGESIZE
_NONE, _READ = 0, 1  # of mprotect


class Guarded:
    """Arrays whose neighbours are protected; they live as long as this does."""

    def __init__(self) -> None:
        """Start without arrays."""
        self._protect = ctypes.CDLL(None, use_errno=True).mprotect
        self._protect.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_int)
        self._kept: list[mmap.mmap] = []

    def array(self, values: np.ndarray, at_end: bool, read_only: bool = False) -> np.ndarray:
        """Return a copy of an array that begins or ends where a protected page does.

        Args:
            values: What it holds.
            at_end: True for one that ends before a protected page, else one begins behind one.
            read_only: True for one that the processor does not let anybody write.
        """
        pages = max(1, -(-values.nbytes // _PAGE))
        memory = mmap.mmap(-1, (pages + 2) * _PAGE)
        self._kept.append(memory)
        start = _PAGE + (pages * _PAGE - values.nbytes if at_end else 0)
        array = np.frombuffer(memory, values.dtype, values.size, start).reshape(values.shape)
        array[...] = values
        first = np.frombuffer(memory, np.uint8).ctypes.data
        for page, access in ((0, _NONE), (pages + 1, _NONE)):
            self._set(first + page * _PAGE, _PAGE, access)
        if read_only:
            self._set(first + _PAGE, pages * _PAGE, _READ)
        return array

    def _set(self, address: int, size: int, access: int) -> None:
        if self._protect(address, size, access):
            raise OSError(ctypes.get_errno(), "mprotect")
