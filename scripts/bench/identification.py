"""What identification costs: a million samples of six axes, in a process of its own."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import Callable

from .arm import NAME, TOOL
from .races import Results

LIMIT_S, LIMIT_MB = 10.0, 1000.0
FIT = f"""
import json, resource, sys, time
import numpy as np
import irbmodels as irb
from irbmodels.base_parameters import base_parameters
from irbmodels.identification.fits import Samples, TorqueRows, accumulated, weighted
from irbmodels.trajectory import Motion

count = int(sys.argv[1])
robot = irb.load({NAME!r}, tool={TOOL!r})
rows = TorqueRows(robot, base_parameters(robot, friction=True))
rng = np.random.default_rng(0)
q, v, a = rng.uniform(-1.0, 1.0, (3, count, 6))
v[::3] *= robot.friction_model.v_St  # slow enough for Stribeck's drop
log = Motion(np.arange(count) / 250.0, q, v, a, np.concatenate(
    [robot.inverse_dynamics(*(x[i : i + 4096] for x in (q, v, a))) for i in range(0, count, 4096)]))
accumulated(Samples.of(log.each(lambda x: x[:2000])), rows)  # compiles
start, before = time.perf_counter(), time.process_time()
fit = weighted(accumulated(Samples.of(log), rows))
spent = time.perf_counter() - start, time.process_time() - before
print(json.dumps([*spent, resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0]))
"""


def measurements() -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [("identification", fitting)]


def fitting(results: Results) -> None:
    """Weighted least squares of all base parameters, friction included: time of clock and processors, and memory with the log."""
    count = 10_000 if results.effort.quick else 1_000_000
    done = subprocess.run([sys.executable, "-P", "-c", FIT, str(count)], capture_output=True, text=True)
    if done.returncode:
        raise RuntimeError(f"a process that was measured failed:\n{done.stderr}")
    clock, processor, memory = json.loads(done.stdout)
    results.within(f"identification, {count} samples of 6 axes, all base parameters", clock, LIMIT_S, "s")
    results.within("its memory, the log and the libraries included", memory, LIMIT_MB, "MB")
    results.numbers["identification"] = {"seconds of processor time": processor, "samples": float(count)}
