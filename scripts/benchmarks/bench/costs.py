"""What machine code costs besides the first answer: starting, and memory.

Each is measured in processes of its own.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

from .arm import NAME, TOOL
from .processes import run
from .races import Results

STARTS = {"arrays": "(6, 8)", "one state": "6"}

START = f"""
import sys
import numpy as np
import irbmodels as irb

kernel = irb.load({NAME!r}, tool={TOOL!r}).compiled().inverse_dynamics
kernel(*[np.zeros(SHAPE)] * 3)
"""
MEMORY = f"""
import json, re, sys
from pathlib import Path
import numpy as np
import irbmodels as irb

def size(field):
    return 1024 * int(re.search(field + r":\\s*(\\d+) kB", Path("/proc/self/status").read_text())[1])

count, layout = int(sys.argv[1]), sys.argv[2]
robot, rng = irb.load({NAME!r}, tool={TOOL!r}), np.random.default_rng(0)
kernel = robot.compiled().inverse_dynamics
ask = kernel if layout == "(6, N)" else robot.inverse_dynamics
ask(*np.zeros((3, 6, 2000) if layout == "(6, N)" else (3, 2000, 6)))
before = size("VmRSS")
if layout == "(6, N)":
    states = [rng.random((6, count)) for _ in range(3)]
elif layout == "(N, 6)":
    states = [rng.random((count, 6)) for _ in range(3)]
elif layout == "(N, 6) of a (6, N)":
    states = [rng.random((6, count)).T for _ in range(3)]
else:
    states = [rng.random((count, 6), np.float32) for _ in range(3)]
answer = ask(*states)
print(json.dumps((size("VmHWM") - before - sum(x.nbytes for x in states) - answer.nbytes) / 2**20))
"""


def measurements() -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [("starting", starting), ("memory", memory)]


def starting(results: Results) -> None:
    """A process that starts, loads the robot, finds its kernel in the cache, answers and ends."""
    for name, shape in STARTS.items():
        times = []
        for _ in range(results.effort.rounds + 1):
            start = time.perf_counter()
            run("-c", START.replace("SHAPE", shape))
            times.append(time.perf_counter() - start)
        what = f"process: start, load, answer {name} from disk, end"
        results.number("start", what, times[1:], "s")
        results.within(what, times[1:], 0.5, "s")


def memory(results: Results) -> None:
    """What a long array takes beyond inputs and outputs."""
    if not Path("/proc/self/status").is_file():
        results.notes.append("memory: not measured, /proc is missing")
        return
    count = 10_000 if results.effort.quick else 1_000_000
    for layout in ("(N, 6)", "(6, N)", "(N, 6) of a (6, N)", "(N, 6) of float32"):
        extra = _asked(MEMORY, str(count), layout)
        what = "memory beside inputs and outputs"
        results.number("memory", what, extra, "MB", states=count, layout=layout)
        results.within(f"{what}, N = {count}, {layout}", extra, 64.0, "MB")


def _asked(code: str, *arguments: str) -> Any:
    return json.loads(run("-c", code, *arguments))
