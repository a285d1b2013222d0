"""The machine: its name, and how fast one core multiplies and moves numbers at best."""

from __future__ import annotations

import os
import platform
import re
from functools import partial
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from typing import Any

import numpy as np

from .arm import Arm
from .races import Contestant, Results, race

PACKAGES = (
    "numpy",
    "pin",
    "numba",
    "llvmlite",
    "casadi",
    "mujoco",
    "drake",
    "pybullet",
    "roboticstoolbox-python",
    "py-opw-kinematics",
)
# chains of dependent operations: as many as two units with a latency of four need, and some more
CHAINS, STEPS = 12, 16
ARITHMETIC = re.compile(
    r"^\s*v(?:fn?m(?:add|sub)\d*|add|sub|mul|div|sqrt|max|min)pd\s.*%([xyz])mm", re.MULTILINE
)
LANES = {"x": 2, "y": 4, "z": 8}  # doubles in a register


def described() -> dict[str, Any]:
    """Return the name of the processor, what LLVM takes it for, its cores, and versions."""
    import llvmlite.binding as llvm

    cpuinfo = Path("/proc/cpuinfo")
    names = (
        re.findall(r"model name\s*: (.*)", cpuinfo.read_text(encoding="utf-8"))
        if cpuinfo.is_file()
        else []
    )
    return {
        "processor": names[0] if names else platform.processor() or platform.machine(),
        "llvm": llvm.get_host_cpu_name(),
        "cores": os.cpu_count(),
        "system": platform.system(),
        "python": platform.python_version(),
        "versions": {name: _version(name) for name in PACKAGES},
    }


def _version(package: str) -> str | None:
    try:
        return version(package)
    except PackageNotFoundError:
        return None


def triad(a: Any, b: Any, c: Any, out: Any) -> None:
    """Read three arrays and write one, with hardly any arithmetic: the traffic of inverse
    dynamics.
    """
    _compiled("triad")(a.reshape(-1), b.reshape(-1), c.reshape(-1), out.reshape(-1))


def limits(arm: Arm, results: Results) -> None:
    """Measure the rate of fused multiply-adds, and in the same rounds what share of it the kernels
    of inverse dynamics reach.
    """
    x, y, repeats, effort = np.linspace(0.0, 1.0, 512), np.empty(512), 200, results.effort
    multiply, columns = _compiled("multiply"), arm.states(effort.batch).columns
    kernels = {"no friction": arm.bare.inverse_dynamics, "friction": arm.kernels.inverse_dynamics}
    out, done = np.empty_like(columns[0]), x.size * repeats * CHAINS * STEPS
    contestants = [Contestant("numba", "fma", lambda: multiply(x, y, 0.5, 0.25, repeats), done)]
    contestants += [
        Contestant("irbmodels", name, partial(kernel, *columns, out=out), effort.batch)
        for name, kernel in kernels.items()
    ]
    per_operation, *times = race(contestants, effort)
    results.numbers["one core"] = {"fused multiply-adds per ns": 1.0 / per_operation}
    for (name, kernel), ns in zip(kernels.items(), times, strict=True):
        operations = kernel.operations()
        counts = {
            "operations per state": operations,
            "ns per state": ns,
            "operations per ns": operations / ns,
        }
        if not effort.quick and (count := _instructions(kernel)):
            counts |= {
                "arithmetic in machine code per state": count,
                "share of the peak [%]": 100.0 * count * per_operation / ns,
            }
        results.numbers[f"inverse dynamics, {name}, N = {effort.batch}"] = counts


def _instructions(kernel: Any) -> int:
    """Count vector instructions of arithmetic in the machine code of a kernel's loop.

    Each answers one state per lane.

    LLVM does not unroll so long a loop, so that there is one copy with the widest registers. Sines
    and exponentials are inside; loads, shuffles, comparisons and integers do not count.
    """
    from irbmodels.compiled.numba_writer import batch_source

    from irbmodels.compiled.queries import program_for

    namespace: dict[str, Any] = {"CACHE": False, "__name__": "benchmark"}
    exec(
        compile(batch_source(program_for(kernel.query, kernel._mechanism)), "<benchmark>", "exec"),
        namespace,
    )
    text = "".join(namespace["core"].inspect_asm().values())
    registers = ARITHMETIC.findall(text)
    return registers.count(max(registers, key="xyz".index)) if registers else 0


def _compiled(name: str) -> Any:
    if name not in _made:
        from numba import njit

        source = TRIAD if name == "triad" else MULTIPLY
        namespace: dict[str, Any] = {}
        exec(source, namespace)
        _made[name] = njit(namespace[name], fastmath={"contract"}, nogil=True, error_model="numpy")
    return _made[name]


_made: dict[str, Any] = {}
TRIAD = """
def triad(a, b, c, out):
    for i in range(out.size):
        out[i] = a[i] + 0.5 * b[i] + c[i]
"""
_LINES = [f"            t{k} = t{k} * a + b" for _ in range(STEPS) for k in range(CHAINS)]
MULTIPLY = f"""
def multiply(x, y, a, b, repeats):
    for _ in range(repeats):
        for j in range(x.size):
            {"; ".join(f"t{k} = x[j] + {k}.0" for k in range(CHAINS))}
{chr(10).join(_LINES)}
            y[j] = {" + ".join(f"t{k}" for k in range(CHAINS))}
"""
