"""Time this project beside its peers in one run and print ratios; nothing here is a test.

    python scripts/benchmark.py [--json FILE]

Peers: bare Pinocchio on the serial tree (no coupling, friction or checks), and MuJoCo where it is installed.
"""

from __future__ import annotations

import argparse
import json
import platform
import statistics
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin
from rich.console import Console
from rich.table import Table

import irbmodels as irb
from irbmodels.files import replacing

REPEATS = 15


def per_call(function: Callable[[], object], calls: int = 4000) -> float:
    """Median time of one call over repeated runs [us]."""
    times = []
    for _ in range(REPEATS):
        start = time.perf_counter()
        for _ in range(calls):
            function()
        times.append((time.perf_counter() - start) / calls)
    return 1e6 * statistics.median(times)


def import_time(statement: str) -> float:
    """Median wall time of a fresh interpreter that runs ``statement``, less that of an empty one [ms]."""

    def wall(code: str) -> float:
        start = time.perf_counter()
        subprocess.run([sys.executable, "-c", code], check=True)
        return time.perf_counter() - start

    pairs = [(wall(statement), wall("pass")) for _ in range(REPEATS)]
    return 1e3 * statistics.median(with_it - without for with_it, without in pairs)


def single_states() -> dict[str, float]:
    """Times of one state per call [us], IRB 2400 with the spindle."""
    robot = irb.load("irb2400", tool="spindle")
    model, rng = robot.model, np.random.default_rng(0)
    data = model.createData()
    q, v, a = rng.uniform(-1.0, 1.0, (3, robot.n))
    result = {
        "pin.rnea": per_call(lambda: pin.rnea(model, data, q, v, a)),
        "pin.aba": per_call(lambda: pin.aba(model, data, q, v, a)),
        "robot.inverse_dynamics, friction": per_call(lambda: robot.inverse_dynamics(q, v, a)),
        "robot.inverse_dynamics, no friction": per_call(lambda: robot.inverse_dynamics(q, v, a, friction=False)),
        "robot.forward_dynamics, friction": per_call(lambda: robot.forward_dynamics(q, v, a)),
        "robot.pose": per_call(lambda: robot.pose(q)),
        "robot.jacobian": per_call(lambda: robot.jacobian(q)),
        "robot.mass_matrix": per_call(lambda: robot.mass_matrix(q)),
    }
    Q, V, A = rng.uniform(-1.0, 1.0, (3, 4096, robot.n))
    result["robot.inverse_dynamics, array of 4096, per state"] = per_call(lambda: robot.inverse_dynamics(Q, V, A), calls=1) / 4096
    try:
        import mujoco
    except ImportError:
        return result
    engine = mujoco.MjModel.from_xml_string(irb.describe("irb2400").urdf("serial", tool="spindle"))
    engine.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_LIMIT | mujoco.mjtDisableBit.mjDSBL_CONTACT
    state = mujoco.MjData(engine)
    state.qpos[:], state.qvel[:], state.qacc[:] = q, v, a
    result["mujoco.mj_inverse"] = per_call(lambda: mujoco.mj_inverse(engine, state))
    return result


def main() -> None:
    """Measure, print, and write JSON if asked."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--json", type=Path, help="file to write")
    arguments = parser.parse_args()
    calls = single_states()
    irb.load("irb2400", tool="spindle")
    loading = {
        "load, warm [ms]": 1e-3 * per_call(lambda: irb.load("irb2400", tool="spindle"), calls=10),
        "import pinocchio, numpy, scipy [ms]": import_time("import pinocchio, numpy, scipy"),
        "import irbmodels [ms]": import_time("import irbmodels"),
    }
    bare = calls["pin.rnea"]
    table = Table(
        "one state per call",
        "us",
        "x pin.rnea",
        title=f"{platform.processor() or platform.machine()}, {platform.python_version()}",
    )
    for name, value in calls.items():
        table.add_row(name, f"{value:.2f}", f"{value / bare:.2f}")
    other = Table("start", "ms", "x bare import")
    for name, value in loading.items():
        ratio = value / loading["import pinocchio, numpy, scipy [ms]"] if name.startswith("import") else float("nan")
        other.add_row(name.removesuffix(" [ms]"), f"{value:.1f}", "" if np.isnan(ratio) else f"{ratio:.2f}")
    Console().print(table, other)
    if arguments.json:
        with replacing(arguments.json) as temporary:
            temporary.write_text(json.dumps({"us": calls, "ms": loading}, indent=2), encoding="utf-8")


if __name__ == "__main__":
    main()
