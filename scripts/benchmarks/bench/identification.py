"""What identification costs: a million samples of six axes in a process of its own.

Least squares alone, a log from its samples to the verdict, ten million in files on two workers; and
the search of a motion that excites.
"""

from __future__ import annotations

import json
import tempfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from .arm import NAME, TOOL
from .processes import run
from .races import Results

LIMIT_S, LIMIT_MB, LIMIT_OFF = 10.0, 1000.0, 1e-9
FILES = 20
ARM = f"""
import json, resource, sys, time
import numpy as np
import irbmodels as irb
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.identification.fits import Samples, TorqueEquations, accumulate, from_files, on_dask, weighted_least_squares
from irbmodels.trajectory import Motion

robot = irb.load({NAME!r}, tool={TOOL!r})
rows = TorqueEquations(robot, base_parameters(robot, friction=True))

def moved(count, seed):
    rng = np.random.default_rng(seed)
    q, v, a = rng.uniform(-1.0, 1.0, (3, count, 6))
    v[::3] *= robot.friction_model.v_St  # slow enough for Stribeck's drop
    tau = [robot.inverse_dynamics(*(x[i : i + 4096] for x in (q, v, a))) for i in range(0, count, 4096)]
    return Motion(np.arange(count) / 250.0, q, v, a, np.concatenate(tau))

def peak():
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024.0  # MB
"""
FIT = f"""
{ARM}
log = moved(int(sys.argv[1]), 0)
accumulate(Samples.of(log.each(lambda x: x[:2000])), rows)  # compiles
start, before = time.perf_counter(), time.process_time()
fit = weighted_least_squares(accumulate(Samples.of(log), rows))
spent = time.perf_counter() - start, time.process_time() - before
print(json.dumps([*spent, peak()]))
"""
LOG = f"""
{ARM}
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import identify, prepare, split_recording
from irbmodels.trajectory.fourier import FourierSeries

SERIES, MIDDLE = FourierSeries(harmonics=5, duration=10.0), 0.5 * sum(robot.limits.envelope())
MAPS = SERIES.maps(np.arange(2500) / 250.0)[:3]

def excited(rng):  # q, v, a of another series every ten seconds, rates below 0.7 of the rated ones
    x = rng.normal(size=(SERIES.size, 6))
    x[0] = 0.0
    q, v = (np.abs(rows @ x).max(axis=0) for rows in MAPS[:2])
    x *= 0.7 * np.minimum(1.2 / q, robot.limits.velocity / v)
    return [rows @ x + (MIDDLE if order == 0 else 0.0) for order, rows in enumerate(MAPS)]

def logged(count):
    rng = np.random.default_rng(1)
    parts = [excited(rng) for _ in range(count // 2500)]
    tau = np.concatenate([robot.inverse_dynamics(*part) for part in parts])
    tau += 0.02 * np.abs(tau).mean(axis=0) * rng.normal(size=tau.shape)
    q, step = np.concatenate([part[0] for part in parts]), 2.0 * np.pi / 2**20  # encoder
    q = step * np.round(q / step + rng.uniform(-0.5, 0.5, q.shape))
    return Recording(np.arange(len(q)) / 250.0, q, tau=tau)

def identified(log):
    estimation, held_out = map(prepare, split_recording(log))
    return identify(robot, [estimation], [held_out], method="wls")

identified(logged(20_000))  # compiles
log = logged(int(sys.argv[1]))
before = peak()
start, spent = time.perf_counter(), time.process_time()
fit = identified(log).fit
print(json.dumps([time.perf_counter() - start, time.process_time() - spent, peak() - before, fit.samples]))
"""
COLD = f"""
{LOG.split("identified(logged(20_000))")[0]}
import pinocchio as pin
from irbmodels.identification.validation import prepare_logs

count, repeats, options = int(sys.argv[1]), int(sys.argv[2]), json.loads(sys.argv[3])
first, last = split_recording(logged(count))
estimation = prepare(first)

def verdict():  # from samples as they were read
    ready = prepare_logs(robot, [first], [last], **options)
    return identify(robot, ready.estimation, ready.held_out)

def plain():  # least squares of Pinocchio's regressor, Coulomb and viscous friction beside it
    model, q, v, a, tau = robot.model, *(getattr(estimation, name) for name in ("q", "v", "a", "tau"))
    data, bodies = model.createData(), 10 * (model.njoints - 1)
    Y = np.zeros((len(q), 6, bodies + 12))
    for i in range(len(q)):
        Y[i, :, :bodies] = pin.computeJointTorqueRegressor(model, data, q[i], v[i], a[i])
    for j in range(6):
        Y[:, j, bodies + j], Y[:, j, bodies + 6 + j] = v[:, j], np.sign(v[:, j])
    return np.linalg.lstsq(Y.reshape(-1, bodies + 12), tau.ravel(), rcond=None)

def timed(call):
    start = time.process_time()
    call()
    return time.process_time() - start

cold = timed(verdict)
squares = [timed(plain) for _ in range(repeats)]
warm = [timed(verdict) for _ in range(repeats)]
print(json.dumps([cold, float(np.median(squares)), float(np.median(warm)), len(estimation)]))
"""
SEARCH = f"""
{ARM}
from irbmodels.identification.excitation import optimal_excitation, random_excitation

random_excitation(robot)  # compiles
start, spent = time.perf_counter(), time.process_time()
found = optimal_excitation(robot, starts=int(sys.argv[1]), iterations=int(sys.argv[2]))
print(json.dumps([time.perf_counter() - start, time.process_time() - spent, found.condition]))
"""
WRITE = f"""
{ARM}
from irbmodels.trajectory.motion_files import write_motion

for number, path in enumerate(sys.argv[2:]):
    log = moved(int(sys.argv[1]), number)
    noise = 4.0 * np.random.default_rng([number, 1]).normal(size=log.tau.shape)  # [N m]
    write_motion(path, log._replace(tau=log.tau + noise), robot)
print(json.dumps(None))
"""
READ = f"""
{ARM}
from contextlib import ExitStack
from distributed import Client, LocalCluster

workers, samples = int(sys.argv[1]), from_files(sys.argv[2:], robot)
with ExitStack() as stack:
    if workers:
        cluster = stack.enter_context(LocalCluster(n_workers=workers, threads_per_worker=1, dashboard_address=None))
        client = stack.enter_context(Client(cluster))
        samples = on_dask(samples, client)
    start = time.perf_counter()
    fit = weighted_least_squares(accumulate(samples, rows))
    spent = time.perf_counter() - start
    peaks = list(client.run(peak).values()) if workers else [peak()]
print(json.dumps([spent, peaks, fit.samples, fit.beta.tolist(), fit.covariance.tolist()]))
"""


def measurements(large: bool = False) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run.

    What takes minutes and gigabytes of files only if asked for.
    """
    return [
        ("identification", fitting),
        ("identification of a log", identifying),
        ("identification over least squares", comparing),
        ("search of an excitation", searching),
    ] + ([("identification from files", streaming)] if large else [])


def fitting(results: Results) -> None:
    """Weighted least squares of all base parameters, friction included: time of clock and
    processors, and memory with the log.
    """
    count = 10_000 if results.effort.quick else 1_000_000
    clock, processor, memory = _asked(FIT, count)
    results.within(
        f"identification, {count} samples of 6 axes, all base parameters", clock, LIMIT_S, "s"
    )
    results.within("its memory, the log and the libraries included", memory, LIMIT_MB, "MB")
    for name, value, unit in (
        ("least squares of all base parameters", clock, "s"),
        ("least squares of all base parameters, processor time", processor, "s"),
        ("memory, the log and the libraries included", memory, "MB"),
    ):
        results.number("identification", name, value, unit, states=count)


def identifying(results: Results) -> None:
    """A log as it was read, filtered, fitted with friction as its samples tell it, and judged."""
    count = 20_000 if results.effort.quick else 1_000_000
    clock, processor, memory, used = _asked(LOG, count)
    results.notes.append(f"identification of a log: {used:.0f} of {count} samples in the fit")
    for name, value, unit in (
        ("a log from its samples to the verdict", clock, "s"),
        ("a log from its samples to the verdict, processor time", processor, "s"),
        ("memory beside the log", memory, "MB"),
    ):
        results.number("identification", name, value, unit, states=count)


def comparing(results: Results) -> None:
    """Identification of a log as it was read, over least squares of Pinocchio's regressor with
    Coulomb and viscous friction: the same samples, processor time in one process, first with
    nothing compiled.
    """
    count = 13_600
    for options, what in (
        ({"bandwidth": 10.0, "late": 0.0}, "bandwidth and delay given"),
        ({}, "without options"),
    ):
        with tempfile.TemporaryDirectory() as folder:
            arguments = str(round(count / 0.75)), "5", json.dumps(options)
            answer = run("-c", COLD, *arguments, IRBMODELS_CACHE=folder)
        cold, squares, warm, used = json.loads(answer)
        results.notes.append(
            f"identification of a log, {what}, {used} samples in the fit, nothing compiled:"
            f" {cold / squares:.1f} times plain least squares of Pinocchio's regressor"
            f" ({warm / squares:.1f} times once compiled)"
        )
        for name, value in (
            (f"a log to the verdict, {what}, nothing compiled", cold),
            (f"a log to the verdict, {what}, compiled", warm),
            (f"plain least squares of Pinocchio's regressor, in the run {what}", squares),
        ):
            results.number("identification over least squares", name, value, "s", states=used)


def searching(results: Results) -> None:
    """Default search of a Fourier series with a small condition number."""
    starts, iterations = (1, 5) if results.effort.quick else (3, 60)
    clock, processor, condition = _asked(SEARCH, starts, iterations)
    results.notes.append(f"search of an excitation: condition number {condition:.3g}")
    for name, value in (("search of an excitation", clock), ("its processor time", processor)):
        results.number("identification", name, value, "s")


def streaming(results: Results) -> None:
    """The same from files, by one process and by two workers of Dask: memory of each, and how far
    their numbers are apart.
    """
    count = (10_000 if results.effort.quick else 10_000_000) // FILES
    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / f"log{number:02d}.parquet") for number in range(FILES)]
        _asked(WRITE, count, *paths)
        size = sum(Path(path).stat().st_size for path in paths)
        alone, shared = (_asked(READ, workers, *paths) for workers in (0, 2))
    total = alone[2]
    for (_, peaks, *_), who in ((alone, "one process"), (shared, "each of two Dask workers")):
        results.within(
            f"memory of {who}, {total} samples in {FILES} files", max(peaks), LIMIT_MB, "MB"
        )
    for what, one, other in zip(("estimates", "covariances"), alone[3:], shared[3:], strict=True):
        results.within(
            f"two workers instead of one process: {what}, relative",
            _apart(one, other),
            LIMIT_OFF,
            "",
        )
    for name, value, unit in (
        ("files", size / 1e9, "GB"),
        ("one process", alone[0], "s"),
        ("two workers", shared[0], "s"),
        ("workers", float(np.mean(shared[1])), "MB"),
    ):
        results.number("identification from files", name, value, unit, states=total)


def _apart(one: Any, other: Any) -> float:
    """Largest difference of two lists of numbers, or of rows, over the number itself, or the
    largest of its row.
    """
    first, second = (
        np.array(values, dtype=float).reshape(len(values), -1) for values in (one, other)
    )
    return float((np.abs(first - second).max(axis=1) / np.abs(first).max(axis=1)).max())


def _asked(code: str, *arguments: Any) -> Any:
    return json.loads(run("-c", code, *map(str, arguments)))
