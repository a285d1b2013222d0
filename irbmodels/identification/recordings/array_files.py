"""Arrays by their names in HDF5 and MATLAB files, as columns of a log.

Arrays of one column per axis are ``q_deg[1]``, ``q_deg[2]`` ..; groups and fields of structs that
all arrays share are left out of the names; an attribute ``unit`` of HDF5 is written behind.
"""

from __future__ import annotations

import posixpath
import re
import struct
import warnings
import zlib
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import suppress
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...errors import FileError, MotionError, require
from ...model.types import Array
from .header_words import header_meaning

SUFFIXES = (".h5", ".hdf5", ".hdf", ".mat")
_MOST = 250_000_000  # numbers of an array, 2 GB: a packed file of little size can claim any
_HDF5 = b"\x89HDF\r\n\x1a\n"
_DATA = re.compile(r"/(data|values?)$", re.IGNORECASE)
_FOLDERS = ("#refs#", "#subsystem#")  # MATLAB's own, in its files of version 7.3
_DAMAGE: tuple[type[Exception], ...] = (
    *(OSError, EOFError, LookupError, RuntimeError, TypeError, ValueError, AttributeError),
    *(struct.error, zlib.error, MemoryError, NotImplementedError),
)
"""Errors of h5py and SciPy on damaged files, of which neither has one of its own."""


class _Named(NamedTuple):
    name: str
    """With its groups or structs, parted by slashes."""
    shape: tuple[int, ...]
    load: Callable[[], NDArray[Any]]
    unit: str = ""


def read_arrays(file: Path) -> tuple[dict[str, Array], dict[str, tuple[int, str]]]:
    """Read the arrays of numbers of a file as columns of one length.

    Returns:
        Columns by their names, holes as NaN; and what is left out, with row 1 and its shape.

    Raises:
        FileError: if it cannot be read.
        MissingExtra: for HDF5, and MATLAB's version 7.3, without h5py.
        MotionError: if it is damaged, or holds no arrays of numbers of one length.
    """
    try:
        with file.open("rb") as stream:
            start = stream.read(1024)
    except OSError as err:
        raise FileError(f"{file}: {err.strerror or err}") from None
    if not start:
        raise MotionError(f"{file}: the file is empty")
    # MATLAB writes a text of 512 bytes before the HDF5 of its version 7.3
    stored = _HDF5 in (start[:8], start[512:520])
    if stored:
        require("h5py", "logs")
    elif file.suffix.lower() != ".mat":
        raise MotionError(f"{file}: is no HDF5 file")
    try:
        if not stored:
            return _columns(file, list(_of_matlab(file)))
        import h5py

        with h5py.File(file, "r") as store:
            return _columns(file, list(_of_store(store)))
    except _DAMAGE as err:
        if isinstance(err, MotionError):
            raise
        reason = " ".join(str(err).split())[:200] or type(err).__name__
        kind = "an HDF5" if stored else "a MATLAB"
        raise MotionError(f"{file}: cannot be read as {kind} file: {reason}") from None


def _columns(
    file: Path, arrays: list[_Named]
) -> tuple[dict[str, Array], dict[str, tuple[int, str]]]:
    arrays = [array for array in arrays if np.prod(array.shape, dtype=float) > 1.0]
    if not arrays:
        raise MotionError(
            f"{file}: there are no arrays of numbers; tables and timeseries of MATLAB are objects"
            " of its own: save their columns as arrays"
        )
    for array in arrays:
        if np.prod(array.shape, dtype=float) > _MOST:
            raise MotionError(
                f"{file}: array {array.name!r} has the shape {array.shape}, too large"
            )
    shared = _shared_folder([array.name for array in arrays])
    count = _length(arrays)
    columns: dict[str, Array] = {}
    others: dict[str, tuple[int, str]] = {}
    for array in arrays:
        name = array.name[shared:]
        shape = tuple(size for size in array.shape if size > 1)
        if len(shape) > 2 or count not in shape:
            others[name] = (1, f"array of shape {array.shape}")
            continue
        values = np.asarray(array.load(), dtype=float).reshape(shape)
        values = np.where(np.isfinite(values), values, np.nan)
        unit = f" [{array.unit}]" if array.unit else ""
        if len(shape) == 1:
            columns[name + unit] = values
            continue
        for i, column in enumerate(values.T if shape[0] == count else values, start=1):
            columns[f"{name}[{i}]{unit}"] = column
    return columns, others


def _length(arrays: list[_Named]) -> int:
    """Return the number of rows: the length of the times, or else that of most numbers."""
    lengths = Counter[int]()
    for array in arrays:
        meaning = header_meaning(array.name.rpartition("/")[2])
        if meaning is not None and meaning.quantity == "t":
            return max(array.shape)
        lengths[max(array.shape)] += int(np.prod(array.shape))
    return lengths.most_common(1)[0][0]


def _shared_folder(names: list[str]) -> int:
    """Return the length of the folder that all names share, slash included."""
    shared = posixpath.commonpath([name.rpartition("/")[0] for name in names])
    return len(shared) + 1 if shared else 0


def _of_store(store: Any) -> Iterator[_Named]:
    """Yield the arrays of numbers of an open HDF5 file."""
    import h5py

    found: list[tuple[str, Any]] = []
    store.visititems(lambda name, item: found.append((name, item)))
    for name, item in found:
        if name.split("/")[0] in _FOLDERS or not isinstance(item, h5py.Dataset):
            continue
        # letters of MATLAB are numbers of two bytes
        if item.dtype.kind not in "fiu" or item.attrs.get("MATLAB_class") == b"char":
            continue
        unit = next((item.attrs[key] for key in ("unit", "units") if key in item.attrs), "")
        unit = unit.decode() if isinstance(unit, bytes) else str(unit)
        yield _Named(_DATA.sub("", name), item.shape, partial(item.__getitem__, ()), unit)


def _of_matlab(file: Path) -> Iterator[_Named]:
    """Yield the arrays of numbers of a MATLAB file up to version 7, those in structs too."""
    from scipy.io import loadmat, whosmat
    from scipy.io.matlab import MatReadError, MatReadWarning

    listed: list[tuple[str, tuple[int, ...], str]] = []
    try:
        with suppress(TypeError):  # SciPy cannot list a file with objects, but reads it
            listed = whosmat(file)
    except MatReadError as err:  # no error of a kind that is caught above
        raise ValueError(err) from None
    for name, shape, _ in listed:
        if np.prod(shape, dtype=float) > _MOST:
            raise MotionError(f"{file}: array {name!r} has the shape {shape}, too large")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", MatReadWarning)  # of objects, which have no names
        content = loadmat(file, struct_as_record=False, squeeze_me=True)
    waiting = [(name, value) for name, value in content.items() if not name.startswith("__")]
    while waiting:
        name, value = waiting.pop(0)
        fields = getattr(value, "_fieldnames", None)
        if fields is not None:
            waiting += [(f"{name}/{field}", getattr(value, field)) for field in fields]
        elif isinstance(value, np.ndarray) and value.dtype.kind in "fiu":
            yield _Named(_DATA.sub("", name), value.shape, value.copy)
