"""One first answer in a process of its own: what it imports, and how long it takes.

Started by first_answers.py with a case as JSON; prints times [s] and imported modules as JSON.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable, Iterable
from importlib import import_module
from typing import Any

COLUMNS, ROWS, ONE = "(n, N)", "(N, n)", "one state"
STATES = 64  # of an array of a kernel
LIBRARIES = ("numpy", "scipy", "casadi", "llvmlite")
"""What others import before what imports others."""
OURS, REST = "irbmodels", "other modules"


def question(case: dict[str, Any], robot: Any) -> Callable[[], object]:
    """Return the call whose first answer is timed; everything before it is not."""
    import numpy as np

    query, layout, n = case["query"], case["layout"], robot.n
    if query == "inverse_kinematics":
        from irbmodels.compiled.dispatch import WORTH

        pose = robot.pose(np.zeros(n)).homogeneous
        poses = np.repeat(pose[None], WORTH, axis=0)
        return lambda: robot.inverse_kinematics(poses)
    if query == "rollouts":
        q, step = np.zeros((2, n)), 1e-3

        def simulated() -> object:
            from irbmodels.simulation import rollouts

            return rollouts(robot, q, duration=2 * step, step=step, every=2 * step)

        return simulated
    shape = {COLUMNS: (n, STATES), ROWS: (STATES, n), ONE: (n,)}[layout]
    single = case["precision"] == "single"
    state = np.zeros(shape, np.float32 if single else float)

    def answer() -> object:
        kernel = getattr(robot.compiled(single=single), query)
        ask = kernel.rows if layout == ROWS else kernel
        return ask(*[state] * case["inputs"])

    return answer


def import_times(modules: Iterable[str]) -> dict[str, float]:
    """Import modules, and return the seconds that each library took, without those before it.

    Names that only exist once something has run are left out.
    """
    times: dict[str, float] = {}
    rank = {name: place for place, name in enumerate((*LIBRARIES, REST, OURS))}
    for name in sorted(modules, key=lambda name: rank.get(_library(name), 0)):
        start = time.perf_counter()
        try:
            import_module(name)
        except Exception:  # a name that some library put into sys.modules raises anything
            continue
        finally:
            library = _library(name)
            times[library] = times.get(library, 0.0) + time.perf_counter() - start
    return times


def _library(module: str) -> str:
    name = module.partition(".")[0]
    return name if name in (*LIBRARIES, OURS) else REST


def main() -> None:
    """Import, load, answer, and print."""
    case = json.loads(sys.argv[1])
    start = time.perf_counter()
    import pinocchio  # noqa: F401

    pinocchio_time = time.perf_counter() - start
    start = time.perf_counter()
    import irbmodels as irb

    ask = question(case, irb.load(case["robot"], tool=case["tool"]))
    load_time = time.perf_counter() - start
    before = set(sys.modules)
    imports = import_times(case["imports"])
    start, processor = time.perf_counter(), time.process_time()
    ask()
    answer = time.perf_counter() - start
    times = {
        "answer": answer,
        "processor": time.process_time() - processor,
        "import pinocchio": pinocchio_time,
        "import irbmodels, load": load_time,
    }
    modules = [name for name in sys.modules if name not in before]
    print(json.dumps({"times": times, "imports": imports, "modules": modules}))


if __name__ == "__main__":
    main()
