"""Small programs as machine code, for every instruction set that this processor can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from irbmodels.compiled.llvm_entry import COLUMNS, ROWS, STATE
from irbmodels.compiled.llvm_writer import module_text
from irbmodels.compiled.machine import TARGETS, Target, compile_object, function, host_target, load
from irbmodels.compiled.program import Program

_X86 = ("avx512", "avx2", "sse2")  # each of them also runs what the next one does
_HOST = host_target().name
RUNNABLE = _X86[_X86.index(_HOST) :] if _HOST in _X86 else (_HOST,)
"""Names of the instruction sets that this processor runs, the widest first."""


def width_of(layout: str, target: Target, dtype: DTypeLike) -> int:
    """Return the lanes of a vector."""
    return 1 if layout == STATE else target.bytes // np.dtype(dtype).itemsize


def text_of(program: Program, layout: str, target: Target, dtype: DTypeLike = float) -> str:
    """Return the module of a program as a kernel has it."""
    single = np.dtype(dtype) == np.float32
    return module_text(program, layout, single, width_of(layout, target, dtype))


def machine_code(
    program: Program,
    layout: str,
    target: str = _HOST,
    dtype: DTypeLike = float,
    numbers: Sequence[float] = (),
) -> Callable[..., bool]:
    """Return a program as the function of arrays that Python calls.

    Args:
        program: What is computed.
        layout: Of the arrays.
        target: Name of the instruction set.
        dtype: Of the arrays.
        numbers: Constants; limits of one state follow, without any where none are given.
    """
    target_of_name = TARGETS[target]
    code = compile_object(text_of(program, layout, target_of_name, dtype), target_of_name)
    room = len(program.constants) + len(program.inputs)
    numbers = [*numbers, *[np.nan] * (room - len(numbers))]
    return function(load(code), numbers, np.dtype(dtype))


def apply(
    run: Callable[..., bool],
    layout: str,
    inputs: Sequence[np.ndarray],
    sizes: Sequence[int],
) -> list[np.ndarray]:
    """Run over states ``(N, n)`` in any layout; return results ``(N, size)``."""
    dtype, count = inputs[0].dtype, len(inputs[0])
    if layout == COLUMNS:
        results: list[Any] = [np.full((size, count), np.nan, dtype) for size in sizes]
        assert run(*(x.T.copy() for x in inputs), *results)
        return [result.T for result in results]
    results = [np.full((count, size), np.nan, dtype) for size in sizes]
    if layout == ROWS:
        assert run(*(x.copy() for x in inputs), *results)
        return results
    for i in range(count):
        assert run(*(x[i].copy() for x in inputs), *(y[i] for y in results))
    return results
