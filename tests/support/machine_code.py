"""Small programs as machine code, for every instruction set that this processor can run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from irbmodels.compiled.llvm_entry import COLUMNS, ROWS, STATE
from irbmodels.compiled.llvm_writer import module_text
from irbmodels.compiled.machine import TARGETS, Target, compile_object, function, host_target, load
from irbmodels.compiled.program import Program, evaluate
from irbmodels.compiled.trace import Trace

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
    """Run over states ``(N, n)`` in any layout; return results ``(N, size)``.

    Arrays without states may be refused: NumPy gives them any strides.
    """
    dtype, count = inputs[0].dtype, len(inputs[0])
    if layout == COLUMNS:
        results: list[Any] = [np.full((size, count), np.nan, dtype) for size in sizes]
        assert run(*(x.T.copy() for x in inputs), *results) or not count
        return [result.T for result in results]
    results = [np.full((count, size), np.nan, dtype) for size in sizes]
    if layout == ROWS:
        assert run(*(x.copy() for x in inputs), *results) or not count
        return results
    for i in range(count):
        assert run(*(x[i].copy() for x in inputs), *(y[i] for y in results))
    return results


FUNCTIONS: dict[str, Callable[..., Any]] = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "div": np.divide, "neg": np.negative,
    "inv": np.reciprocal, "sin": np.sin, "cos": np.cos, "exp": np.exp, "log": np.log,
    "sqrt": np.sqrt,
    "sign": np.sign, "abs": np.abs, "less": np.less, "less_equal": np.less_equal,
    "and": np.logical_and, "or": np.logical_or, "not": np.logical_not, "select": np.where,
    "atan2": np.arctan2, "nearest": np.rint,
}  # fmt: skip
"""Every operation as NumPy computes it."""


def by_numpy(
    program: Program, inputs: Sequence[np.ndarray], numbers: Sequence[float] = ()
) -> list[np.ndarray]:
    """Return results ``(N, size)`` of states ``(N, n)``, by NumPy in their precision."""
    dtype, count = inputs[0].dtype, len(inputs[0])
    steps = tuple(step._replace(number=dtype.type(step.number)) for step in program.steps)
    constants = [dtype.type(number) for number in numbers]
    outputs = evaluate(replace(program, steps=steps), [x.T for x in inputs], constants, FUNCTIONS)
    return [
        np.stack([np.broadcast_to(entry, count) for entry in entries], axis=1).astype(dtype)
        for entries in outputs
    ]


def made_up(lengths: Sequence[int], sizes: Sequence[int], distinct: int, seed: int = 0) -> Program:
    """Return a program of products and sums, whose rounding no whole numbers below 100 show.

    Args:
        lengths: Of the inputs.
        sizes: Of the results.
        distinct: How many values they have between them; further entries repeat some.
        seed: Of the random formulas. The constant ``c`` has few digits in tests.
    """
    rng = np.random.default_rng(seed)
    trace = Trace()
    leaves: list[Any] = [
        x for i, length in enumerate(lengths) for x in trace.input(f"x{i}", length)
    ]
    constant = trace.constant("c")
    leaves += [constant, trace.value(0.5)]
    values: list[Any] = [constant * leaves[0] + leaves[-3]]
    while len(values) < distinct:
        a, b, c = (leaves[int(i)] for i in rng.integers(0, len(leaves), 3))
        value = a * b + c + leaves[len(values) % len(leaves)] + float(len(values))
        values += [value] if all(value is not other for other in values) else []
    outputs = {}
    for i, size in enumerate(sizes):
        chosen = (
            values
            if size == distinct
            else [values[int(k)] for k in rng.integers(0, distinct, size)]
        )
        outputs[f"y{i}"] = ((size,), chosen)
    return trace.program("made_up", outputs)
