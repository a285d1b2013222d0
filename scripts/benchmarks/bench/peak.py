"""How fast one core multiplies and moves numbers at best, by two loops written as LLVM IR, and what
share of it the kernels reach.
"""

from __future__ import annotations

import ctypes
import re
from functools import cache, partial
from typing import Any

import numpy as np

from irbmodels.compiled.llvm_entry import COLUMNS
from irbmodels.compiled.llvm_writer import module_text
from irbmodels.compiled.machine import assembly, host_target

from .arm import Arm
from .races import Contestant, Results, race

# chains of dependent operations: as many as two units with a latency of four need, and some more
CHAINS, STEPS = 12, 16
ARITHMETIC = re.compile(
    r"^\s*v(?:fn?m(?:add|sub)\d*|add|sub|mul|div|sqrt|max|min)pd\s.*%([xyz])mm", re.MULTILINE
)
DOUBLE, POINTER, SIZE = ctypes.c_double, ctypes.c_void_p, ctypes.c_int64
ARGUMENTS = {"multiply": [POINTER, POINTER, DOUBLE, DOUBLE, SIZE, SIZE], "triad": [POINTER] * 4}


def width() -> int:
    """Return the doubles of the widest register that multiplies and adds in one instruction."""
    import llvmlite.binding as llvm

    features = llvm.get_host_cpu_features()
    return 8 if features.get("avx512f") else 4 if features.get("fma") else 2


def multiply(x: Any, y: Any, a: float, b: float, repeats: int) -> None:
    """Multiply and add ``repeats`` times, ``CHAINS * STEPS`` per entry of x; sums go to y."""
    _function("multiply", width())(x.ctypes.data, y.ctypes.data, a, b, x.size, repeats)


def triad(a: Any, b: Any, c: Any, out: Any) -> None:
    """Read three arrays and write one, with hardly any arithmetic: the traffic of inverse
    dynamics.
    """
    lanes = width()
    assert out.size % lanes == 0
    assert all(each.flags.c_contiguous for each in (a, b, c, out))
    pointers = [each.ctypes.data for each in (a, b, c, out)]
    _function("triad", lanes)(*pointers, out.size)


def limits(arm: Arm, results: Results) -> None:
    """Measure the rate of fused multiply-adds, and in the same rounds what share of it the kernels
    of inverse dynamics reach.
    """
    x, y, repeats, effort = np.linspace(0.0, 1.0, 512), np.empty(512), 200, results.effort
    columns = arm.states(effort.batch).columns
    kernels = {"no friction": arm.bare.inverse_dynamics, "friction": arm.kernels.inverse_dynamics}
    out, done = np.empty_like(columns[0]), x.size * repeats * CHAINS * STEPS
    contestants = [Contestant("", "fma", lambda: multiply(x, y, 0.5, 0.25, repeats), done)]
    contestants += [
        Contestant("irbmodels", name, partial(kernel, *columns, out=out), effort.batch)
        for name, kernel in kernels.items()
    ]
    per_operation, *times = race(contestants, effort)
    results.number("one core", "fused multiply-adds", 1.0 / per_operation, "1/ns", "higher")
    for (name, kernel), ns in zip(kernels.items(), times, strict=True):
        where = {"states": effort.batch, "layout": "(n, N)", "precision": "double"}
        keep = partial(results.number, f"inverse dynamics, {name}, beside the peak", **where)
        operations = kernel.operations()
        keep("operations per state", operations, "1")
        keep("time per state", ns, "ns")
        keep("operations per time", operations / ns, "1/ns", better="higher")
        if not effort.quick and (count := instructions(kernel)):
            keep("arithmetic in machine code per state", count, "1")
            keep("share of the peak", 100.0 * count * per_operation / ns, "%", better="higher")


def instructions(kernel: Any) -> int:
    """Count vector instructions of arithmetic in the machine code of a kernel's loop, ``(n, N)``.

    Each answers one state per lane.

    There is one copy of the loop, with the widest registers. Sines and exponentials are inside;
    loads, shuffles, comparisons and integers do not count. 0 for other processors than x86-64.
    """
    target = host_target()
    lanes = target.bytes // kernel.dtype.itemsize
    text = module_text(kernel._program(), COLUMNS, kernel.dtype == np.float32, lanes)
    registers = ARITHMETIC.findall(assembly(text, target))
    return registers.count(max(registers, key="xyz".index)) if registers else 0


@cache
def _function(name: str, lanes: int) -> Any:
    """Compile one of the loops for this processor."""
    import llvmlite.binding as llvm

    llvm.initialize_native_target()
    llvm.initialize_native_asmprinter()
    machine = llvm.Target.from_default_triple().create_target_machine(
        cpu=llvm.get_host_cpu_name(), features=llvm.get_host_cpu_features().flatten(), opt=3
    )
    text = multiply_text(lanes) if name == "multiply" else triad_text(lanes)
    engine = llvm.create_mcjit_compiler(llvm.parse_assembly(text), machine)
    engine.finalize_object()
    kind = ctypes.CFUNCTYPE(None, *ARGUMENTS[name], *([SIZE] if name == "triad" else []))
    function = kind(engine.get_function_address(name))
    function.engine = engine  # owns the machine code
    return function


def multiply_text(lanes: int) -> str:
    """LLVM IR of ``multiply``, the loop over entries within the loop over repeats."""
    vector = f"<{lanes} x double>"
    call = f"call {vector} @llvm.fma.v{lanes}f64({vector}"
    chains = range(CHAINS)
    starts = [f"%t{k}.0 = fadd {vector} %x0, {_vector(lanes, k)}" for k in chains]
    links = [
        f"%t{k}.{step + 1} = {call} %t{k}.{step}, {vector} %a0, {vector} %b0)"
        for step in range(STEPS)
        for k in chains
    ]
    sums = [f"%s0 = fadd {vector} %t0.{STEPS}, %t1.{STEPS}"]
    sums += [f"%s{k - 1} = fadd {vector} %s{k - 2}, %t{k}.{STEPS}" for k in chains[2:]]
    body = "\n  ".join([*starts, *links, *sums])
    return f"""
declare {vector} @llvm.fma.v{lanes}f64({vector}, {vector}, {vector})

define void @multiply(ptr noalias %x, ptr noalias %y, double %a, double %b, i64 %n, i64 %repeats) {{
start:
  {_splat(lanes, "a")}
  {_splat(lanes, "b")}
  br label %again
again:
  %r = phi i64 [ 0, %start ], [ %r1, %end ]
  br label %loop
loop:
  %i = phi i64 [ 0, %again ], [ %i1, %loop ]
  %from = getelementptr double, ptr %x, i64 %i
  %x0 = load {vector}, ptr %from, align 8
  {body}
  %to = getelementptr double, ptr %y, i64 %i
  store {vector} %s{CHAINS - 2}, ptr %to, align 8
  %i1 = add i64 %i, {lanes}
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  %r1 = add i64 %r, 1
  %left = icmp ult i64 %r1, %repeats
  br i1 %left, label %again, label %done
done:
  ret void
}}
"""


def triad_text(lanes: int) -> str:
    """LLVM IR of ``out = a + b / 2 + c``."""
    vector = f"<{lanes} x double>"
    loads = "\n  ".join(
        f"%{name}p = getelementptr double, ptr %{name}, i64 %i\n"
        f"  %{name}0 = load {vector}, ptr %{name}p, align 8"
        for name in "abc"
    )
    return f"""
declare {vector} @llvm.fma.v{lanes}f64({vector}, {vector}, {vector})

define void @triad(ptr noalias %a, ptr noalias %b, ptr noalias %c, ptr noalias %out, i64 %n) {{
start:
  br label %loop
loop:
  %i = phi i64 [ 0, %start ], [ %i1, %loop ]
  {loads}
  %ac = fadd {vector} %a0, %c0
  %sum = call {vector} @llvm.fma.v{lanes}f64({vector} {_vector(lanes, 0.5)}, {vector} %b0, {vector} %ac)
  %to = getelementptr double, ptr %out, i64 %i
  store {vector} %sum, ptr %to, align 8
  %i1 = add i64 %i, {lanes}
  %more = icmp ult i64 %i1, %n
  br i1 %more, label %loop, label %end
end:
  ret void
}}
"""


def _vector(lanes: int, number: float) -> str:
    return f"<{', '.join([f'double {number:.1f}'] * lanes)}>"


def _splat(lanes: int, name: str) -> str:
    vector = f"<{lanes} x double>"
    return (
        f"%{name}1 = insertelement {vector} poison, double %{name}, i32 0\n"
        f"  %{name}0 = shufflevector {vector} %{name}1, {vector} poison, <{lanes} x i32>"
        " zeroinitializer"
    )
