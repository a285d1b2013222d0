"""A program as the source of a numba module, whose loop over states LLVM vectorises."""

from __future__ import annotations

from .program import Program, pairs, scheduled

BLOCK_BYTES = 131_072  # of one block's buffers, which stay in a second-level cache
# more columns than a block has, so that its rows do not fall on the same sets of the cache
PADDING = 8
# numbers in the widest vector register: the loop runs over a multiple of it, without a scalar
# remainder
WIDTH = 16
SHUFFLED = 8  # most columns that LLVM takes apart with shuffles
INFIX = {"add": "+", "sub": "-", "mul": "*", "div": "/"}

HEAD = '''"""{name}: {count} operations; written by irbmodels/compiled/numba_writer.py."""
import numpy as np
from numba import boolean, njit, uint64, void
from numba import {real} as real
from irbmodels.compiled.simd_math import FLAGS, assume_noalias, at, transpose, {sign} as sign, {exp} as exp, {sincos} as sincos

CONSTANTS = {constants}
LENGTHS = {lengths}
SHAPES = {shapes}
vector, matrix = real[::1], real[:, ::1]


def compiled(*types):
    return njit(void(*types), fastmath=FLAGS, nogil={nogil}, error_model="numpy", cache=CACHE)
'''

BATCH = """
PLACES = {places}


@compiled({vectors}, vector, vector, uint64, uint64, uint64, uint64)
def core({given}, p, y, start, stride, groups, pitch):
{constant_lines}
    assume_noalias()
    for j in range(groups * uint64({width})):
{body}


@compiled({matrices}, vector, {result_matrices}, uint64, uint64)
def columns({given}, p, {made}, begin, end):
{columns}


@compiled({vectors}, vector, {results}, uint64, uint64)
def rows({given}, p, {made}, begin, end):
{rows}
"""

STATE = """

@compiled({vectors}, uint64, {results})
def one({given}, p, {made}):
    if {wrong}:
        raise ValueError
{constant_lines}
{body}


@njit(boolean({vectors}, uint64, uint64, {results}), cache=CACHE)
def near({given}, p, limits, {made}):
{squares}
    if {within}:
        one({given}, p, {made})
        return True
    return False
"""


def state_source(program: Program, single: bool = False) -> str:
    """Return a module with ``one(x.., p, y..)``, which fills in the results of one state.

    With ``single`` it is of float32. The constants are given by the address ``p`` of their array.

    ``near(x.., p, limits, y..)`` does so if the square of each input is within its limit, and says
    so; limits come by address. Whoever runs the module defines ``CACHE``: whether numba keeps what
    it compiles.
    """
    lines = _steps(program, single, "    ", "{k}")
    lines += [
        f"    y{i}[{k}] = t{step}"
        for i, output in enumerate(program.outputs)
        for k, step in enumerate(output.steps)
    ]
    sizes = {f"x{i}": length for i, (_, length) in enumerate(program.inputs)}
    sizes |= {f"y{i}": len(output.steps) for i, output in enumerate(program.outputs)}
    wrong = " or ".join(f"{name}.size != {size}" for name, size in sizes.items())
    return _head(program, single, nogil=False) + STATE.format(
        body="\n".join(lines),
        constant_lines="\n".join(
            f"    c{i} = at(p, {i}, real(0.0))" for i in range(len(program.constants))
        ),
        wrong=wrong,
        squares="\n".join(
            f"    s{i} = real(0.0)\n    for x in x{i}:\n        s{i} += x * x"
            for i in range(len(program.inputs))
        ),
        within=" and ".join(
            f"s{i} <= at(limits, {i}, real(0.0))" for i in range(len(program.inputs))
        ),
        **_names(program),
    )


def batch_source(program: Program, single: bool = False) -> str:
    """Return a module with functions for arrays ``(n, N)`` and for arrays ``(N, n)``.

    With ``single`` it is of float32.

    ``core`` does the work on groups of states: inputs have one row of length ``stride`` per
    component, results one row per distinct value. Few results go anywhere, with a ``pitch`` from
    row to row; many into a block whose rows have a length known when it is compiled, because LLVM
    compares the rows of results pair by pair where it does not know.

    ``columns(x.., p, y.., begin, end)`` takes matrices ``(n, N)``, ``rows`` the flat arrays of
    ``(N, n)``; both fill in the results of the states begin .. end. Whoever runs the module defines
    ``CACHE``, as in :func:`state_source`.
    """
    program = scheduled(program)
    lengths = [length for _, length in program.inputs]
    distinct = {
        step: row
        for row, step in enumerate(
            dict.fromkeys(step for output in program.outputs for step in output.steps)
        )
    }
    places = [[distinct[step] for step in output.steps] for output in program.outputs]
    direct = (
        len(places) == 1 and places[0] == list(range(len(distinct))) and len(distinct) <= SHUFFLED
    )
    width = WIDTH if single else WIDTH // 2
    block = max(
        width,
        BLOCK_BYTES // ((4 if single else 8) * (sum(lengths) + len(distinct))) // width * width,
    )
    stride = block + PADDING
    given, made = [f"x{i}" for i in range(len(lengths))], [f"y{i}" for i in range(len(places))]
    results = f"    by = np.empty({len(distinct) * stride}, real)"
    buffers = [
        f"    b{name} = np.zeros({n * stride}, real)"
        for name, n in zip(given, lengths, strict=True)
    ]
    filled = ", ".join([*(f"b{name}" for name in given), "p", "by"])
    groups = f"(size + uint64({width - 1})) // uint64({width})"
    work = f"        core({filled}, uint64(0), uint64({stride}), {groups}, uint64({stride}))"

    blocks = [
        f"    for start in range(begin, end, uint64({block})):",
        f"        size = min(uint64({block}), end - start)",
    ]
    columns = []
    if direct:
        flat = ", ".join(
            [*(f"{name}.reshape(-1)" for name in given), "p", "y0.reshape(-1)[begin:]"]
        )
        columns += [
            f"    groups, length = (end - begin) // uint64({width}), uint64(x0.shape[1])",
            f"    core({flat}, begin, length, groups, length)",
            f"    begin += groups * uint64({width})",
        ]
    columns += [*buffers, results, *blocks]
    rows = [*buffers, results, *blocks]
    for name, n in zip(given, lengths, strict=True):
        columns += [f"        for k in range({n}):", "            for j in range(size):"]
        columns += [
            f"                b{name}[uint64(k) * uint64({stride}) + j] = {name}[k, start + j]"
        ]
        rows += ["        for j in range(size):"]
        rows += [
            f"            b{name}[uint64({k * stride}) + j] = {name}[uint64({n}) * (start + j) +"
            f" uint64({k})]"
            for k in range(n)
        ]
    columns += [work]
    rows += [work]
    for i, (name, place) in enumerate(zip(made, places, strict=True)):
        columns += [
            f"        for k, row in enumerate(PLACES[{i}]):",
            "            for j in range(size):",
        ]
        columns += [f"                {name}[k, start + j] = by[row * uint64({stride}) + j]"]
        rows += (
            _rows_of_few(name, place, stride)
            if len(place) <= SHUFFLED
            else _rows_of_many(name, i, len(place), stride)
        )
    stored = (
        "        y[uint64({row}) * pitch + j] = t{step}"
        if direct
        else "        y[uint64({place}) + j] = t{step}"
    )
    body = [*_steps(program, single, "        ", "{k} * stride + start + j")]
    body += [
        stored.format(row=row, place=row * stride, step=step) for step, row in distinct.items()
    ]
    return _head(program, single, nogil=True) + BATCH.format(
        constant_lines="\n".join(f"    c{i} = p[{i}]" for i in range(len(program.constants))),
        places=f"({' '.join(f'np.array({place}, np.uint64),' for place in places)})",
        width=width,
        body="\n".join(body),
        columns="\n".join(columns),
        rows="\n".join(rows),
        **_names(program),
    )


def _head(program: Program, single: bool, nogil: bool) -> str:
    """Write what both modules begin with.

    For one state, letting other threads run takes as long as the answer.
    """
    suffix = "32" if single else ""
    return HEAD.format(
        name=program.name,
        count=program.count(),
        nogil=nogil,
        real=f"float{'32' if single else '64'}",
        sign=f"sign{suffix}",
        exp=f"exp{suffix}",
        sincos=f"sincos{suffix}",
        constants=program.constants,
        lengths=[length for _, length in program.inputs],
        shapes=tuple(output.shape for output in program.outputs),
    )


def _names(program: Program) -> dict[str, str]:
    """Arguments of the functions and their types."""
    given, made = len(program.inputs), len(program.outputs)
    return {
        "given": ", ".join(f"x{i}" for i in range(given)),
        "made": ", ".join(f"y{i}" for i in range(made)),
        "vectors": ", ".join(["vector"] * given),
        "matrices": ", ".join(["matrix"] * given),
        "results": ", ".join(["vector"] * made),
        "result_matrices": ", ".join(["matrix"] * made),
    }


def _rows_of_few(name: str, place: list[int], stride: int) -> list[str]:
    """Write the loop that brings few results of a block from rows to columns."""
    lines = [
        f"            {name}[uint64({len(place)}) * (start + j) + uint64({k})] ="
        f" by[uint64({row * stride}) + j]"
        for k, row in enumerate(place)
    ]
    return ["        for j in range(size):", *lines]


def _rows_of_many(name: str, output: int, length: int, stride: int) -> list[str]:
    """Write the same for many results: tiles of eight by eight, then single states.

    The last tiles overlap.
    """
    return [
        "        whole = size // uint64(8) * uint64(8)",
        "        for j in range(uint64(0), whole, uint64(8)):",
        f"            for k in range(uint64(0), uint64({length}), uint64(8)):",
        f"                first = min(k, uint64({length - 8}))",
        (
            f"                transpose(by, PLACES[{output}], first, uint64({stride}), j, {name},"
            f" uint64({length}) * (start + j) + first, uint64({length}))"
        ),
        "        for j in range(whole, size):",
        f"            for k, row in enumerate(PLACES[{output}]):",
        (
            f"                {name}[uint64({length}) * (start + j) + uint64(k)] = by[row *"
            f" uint64({stride}) + j]"
        ),
    ]


def _steps(program: Program, single: bool, indent: str, index: str) -> list[str]:
    """Write one line per step; the sine and cosine of one angle on one line."""
    together = {number: pair for pair in pairs(program) for number in pair[1:]}
    lines = []
    for number, step in enumerate(program.steps):
        values = [f"t{i}" for i in step.operands]
        if step.operation in INFIX:
            text = f"t{number} = {values[0]} {INFIX[step.operation]} {values[1]}"
        elif number in together:
            angle, sine, cosine = together[number]
            if number != min(sine, cosine):
                continue
            text = f"t{sine}, t{cosine} = sincos(t{angle})"
        else:
            text = (
                f"t{number} = "
                + {
                    "input": (
                        f"x{step.operands[0]}[{index.format(k=f'uint64({step.operands[-1]})')}]"
                        if step.operands
                        else ""
                    ),
                    "constant": f"c{step.operands[0]}" if step.operands else "",
                    "number": f"real({step.number!r})" if single else repr(step.number),
                    "neg": f"-{values[0]}" if values else "",
                    "inv": f"real(1.0) / {values[0]}" if values else "",
                    "sin": f"sincos({values[0]})[0]" if values else "",
                    "cos": f"sincos({values[0]})[1]" if values else "",
                    "exp": f"exp({values[0]})" if values else "",
                    "sqrt": f"np.sqrt({values[0]})" if values else "",
                    "sign": f"sign({values[0]})" if values else "",
                    "abs": f"abs({values[0]})" if values else "",
                }[step.operation]
            )
        lines.append(indent + text)
    return lines
