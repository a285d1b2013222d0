"""What must show: each query as arrays and one by one, beside the Pinocchio loop that gives the
same.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from functools import partial
from typing import Any

import numpy as np
import pinocchio as pin

from irbmodels.compiled.queries import QUERIES

from . import arm as loops
from .arm import Arm, Array, States
from .first_answer import COLUMNS, ONE, ROWS
from .peak import triad
from .races import Contestant, Results, calls

OURS = "irbmodels"
AGREE = 1e-9  # of the largest entry


class Disagreement(AssertionError):
    """Two contestants that should give the same do not: then their times say nothing."""


def measurements(arm: Arm) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    steps = [
        inverse_dynamics,
        user_layout,
        forward_dynamics,
        pose_and_jacobian,
        mass_matrix,
        regressor,
        derivatives,
        one_state,
    ]
    return [(step.__name__.replace("_", " "), partial(step, arm)) for step in (*steps, threads)]


def inverse_dynamics(arm: Arm, results: Results) -> None:
    """Arrays that fit into the cache, results written into an array that is there."""
    count = results.effort.batch
    states = arm.states(count)
    tree, columns = arm.tree(states), states.columns
    halves = [x.astype(np.float32) for x in columns]
    tau, half = np.empty_like(columns[0]), np.empty_like(halves[0])
    pool, matrices, parallel = (
        pin.ModelPool(arm.model, 1),
        [np.asfortranarray(x.T) for x in tree],
        np.empty((arm.robot.n, count), order="F"),
    )
    single = arm.robot.compiled(single=True).inverse_dynamics
    kernel, bare = arm.kernels.inverse_dynamics, arm.bare.inverse_dynamics
    contestants = [
        Contestant(OURS, "kernel, no friction", lambda: bare(*columns, out=tau), count, COLUMNS),
        Contestant(OURS, "kernel", lambda: kernel(*columns, out=tau), count, COLUMNS),
        Contestant(
            OURS, "kernel, float32", lambda: single(*halves, out=half), count, COLUMNS, "single"
        ),
        Contestant(OURS, "kernel, fresh result", lambda: kernel(*columns), count, COLUMNS),
        Contestant("pin", "loop over pin.rnea", lambda: loops.rnea(arm, tree), count),
        Contestant(
            "pin",
            "rneaInParallel, one thread",
            lambda: pin.rneaInParallel(1, pool, *matrices, parallel),
            count,
            COLUMNS,
        ),
    ]
    ns = results.race(f"inverse dynamics, N = {count}", contestants)
    same(arm.bare.inverse_dynamics(*columns), arm.to_axes(parallel.copy(), 0))
    same(single(*halves), arm.kernels.inverse_dynamics(*columns), 1e-4)
    for how, bare, parallel_bound in (("kernel, no friction", 100.0, 50.0), ("kernel", 75.0, 40.0)):
        what = (
            f"inverse dynamics, N = {count}, (6, N), {'no friction' if 'no' in how else 'friction'}"
        )
        results.faster(what, "pin.rnea loop", ns[how], ns["loop over pin.rnea"], bare)
        results.faster(
            what, "rneaInParallel", ns[how], ns["rneaInParallel, one thread"], parallel_bound
        )
    ratio = ns["kernel"] / ns["kernel, float32"]
    results.number("float32", "double / float32, N in cache", ratio, "x", "higher", states=count)


def user_layout(arm: Arm, results: Results) -> None:
    """Long arrays as a user has them, fresh results; and what moving as many bytes takes."""
    count, robot = results.effort.large, arm.robot
    states = arm.states(count)
    tree, columns, kept = arm.tree(states), states.columns, np.empty_like(states.q)
    rows = arm.robot.compiled(single=True).inverse_dynamics.rows
    halves = [x.astype(np.float32) for x in states]
    contestants = [
        Contestant(
            OURS, "robot.inverse_dynamics", lambda: robot.inverse_dynamics(*states), count, ROWS
        ),
        Contestant(
            OURS,
            "robot.inverse_dynamics, no friction",
            lambda: robot.inverse_dynamics(*states, friction=False),
            count,
            ROWS,
        ),
        Contestant(OURS, "kernel.rows, float32", lambda: rows(*halves), count, ROWS, "single"),
        Contestant(
            OURS,
            "kernel, (6, N)",
            lambda: arm.kernels.inverse_dynamics(*columns),
            count,
            COLUMNS,
        ),
        Contestant("pin", "loop over pin.rnea", lambda: loops.rnea(arm, tree), count),
        Contestant(
            "", "triad into a fresh array", lambda: triad(*states, np.empty_like(kept)), count
        ),
        Contestant("", "triad into the same array", lambda: triad(*states, kept), count),
    ]
    ns = results.race(f"inverse dynamics, N = {count}", contestants)
    same(robot.inverse_dynamics(*states), arm.kernels.inverse_dynamics(*columns).T)
    what, peer = (
        f"inverse dynamics, N = {count}, (N, 6), robot.inverse_dynamics",
        ns["loop over pin.rnea"],
    )
    results.faster(f"{what}, friction", "pin.rnea loop", ns["robot.inverse_dynamics"], peer, 50.0)
    results.faster(
        f"{what}, no friction",
        "pin.rnea loop",
        ns["robot.inverse_dynamics, no friction"],
        peer,
        50.0,
    )
    labels = {
        "robot.inverse_dynamics": "robot.inverse_dynamics",
        "kernel, (6, N)": "kernel, (6, N)",
    }
    labels |= {how: f"limit: {how}" for how in ns if how.startswith("triad")}
    moved = 4 * 8 * robot.n  # bytes per state: three vectors in, one out
    for how, name in labels.items():
        rate = moved / ns[how]
        results.number(f"memory, N = {count}", name, rate, "GB/s", "higher", states=count)
    ratio = ns["robot.inverse_dynamics"] / ns["kernel.rows, float32"]
    results.number("float32", "double / float32, N beyond it", ratio, "x", "higher", states=count)


def forward_dynamics(arm: Arm, results: Results) -> None:
    """Long arrays as a user has them, and arrays in the cache."""
    count, few = results.effort.large, results.effort.batch
    states = arm.states(count)
    tree, short = arm.tree(states), states.head(few).columns
    out = np.empty_like(short[0])
    contestants = [
        Contestant(
            OURS,
            "robot.forward_dynamics",
            lambda: arm.robot.forward_dynamics(*states),
            count,
            ROWS,
        ),
        Contestant(
            OURS,
            f"kernel, N = {few}",
            lambda: arm.kernels.forward_dynamics(*short, out=out),
            few,
            COLUMNS,
        ),
        Contestant("pin", "loop over pin.aba", lambda: loops.aba(arm, tree), count),
    ]
    ns = results.race(f"forward dynamics, N = {count}", contestants)
    what = f"forward dynamics, N = {count}, (N, 6), friction"
    results.faster(
        what, "pin.aba loop", ns["robot.forward_dynamics"], ns["loop over pin.aba"], 40.0
    )


def pose_and_jacobian(arm: Arm, results: Results) -> None:
    """Both results at the TCP, in the base."""
    count, n, kernel = results.effort.batch, arm.robot.n, arm.kernels.pose_and_jacobian
    states = arm.states(count)
    outs = np.empty((count, 4, 4)), np.empty((count, 6, n))
    tree = arm.tree(states)
    bare = calls(pin.computeJointJacobians, arm.model, arm.data, tree.q[0])
    loop = partial(loops.pose_and_jacobian, arm, tree, *outs)
    facade = lambda: (arm.robot.pose(states.q), arm.robot.jacobian(states.q))  # noqa: E731
    _against(
        results,
        "FK + Jacobian",
        kernel,
        states,
        loop,
        ("pin.computeJointJacobians", bare),
        facade,
        15.0,
    )


def mass_matrix(arm: Arm, results: Results) -> None:
    """Whole matrices."""
    count, n, kernel = results.effort.batch, arm.robot.n, arm.kernels.mass_matrix
    states = arm.states(count)
    tree = arm.tree(states)
    bare = calls(pin.crba, arm.model, arm.data, tree.q[0])
    loop = partial(loops.mass_matrix, arm, tree, np.empty((count, n, n)))
    _against(
        results,
        "mass matrix",
        kernel,
        states,
        loop,
        ("pin.crba", bare),
        lambda: arm.robot.mass_matrix(states.q),
        8.0,
    )


def regressor(arm: Arm, results: Results) -> None:
    """Columns of bodies, rotors and friction."""
    count, kernel = results.effort.batch, arm.kernels.regressor
    if _too_long(results, kernel):
        return
    states = arm.states(count)
    tree = arm.tree(states)
    bare = calls(pin.computeJointTorqueRegressor, arm.model, arm.data, *(x[0] for x in tree))
    loop = partial(
        loops.regressor,
        arm,
        tree,
        np.zeros((count, arm.robot.n, arm.robot.parameter_vector().size)),
    )
    facade = partial(arm.robot.regressor, *states)
    _against(
        results,
        "regressor",
        kernel,
        states,
        loop,
        ("pin.computeJointTorqueRegressor", bare),
        facade,
        5.0,
    )


def derivatives(arm: Arm, results: Results) -> None:
    """Derivatives of the torque with respect to position, speed and acceleration."""
    count, n, kernel = results.effort.batch, arm.robot.n, arm.kernels.inverse_dynamics_derivatives
    if _too_long(results, kernel):
        return
    states = arm.states(count)
    tree = arm.tree(states)
    bare = calls(pin.computeRNEADerivatives, arm.model, arm.data, *(x[0] for x in tree))
    loop = partial(loops.derivatives, arm, tree, *np.empty((3, count, n, n)))
    facade = partial(arm.robot.inverse_dynamics_derivatives, *states)
    _against(
        results,
        "derivatives",
        kernel,
        states,
        loop,
        ("pin.computeRNEADerivatives", bare),
        facade,
        5.0,
    )


def one_state(arm: Arm, results: Results) -> None:
    """One state per call, the same again and again.

    The robot has been asked often enough to use its kernel.
    """
    states = arm.states(2000)
    one, tree = [x[0].copy() for x in states], [x[0].copy() for x in arm.tree(states)]
    for state in zip(*states, strict=True):
        arm.robot.inverse_dynamics(*state)
    number = 20 if results.effort.quick else 2000
    ways = {
        "kernel, one state": (OURS, arm.kernels.inverse_dynamics, one),
        "robot.inverse_dynamics, one state": (OURS, arm.robot.inverse_dynamics, one),
        "pin.rnea, one state": ("pin", pin.rnea, [arm.model, arm.data, *tree]),
    }
    contestants = [
        Contestant(who, how, calls(run, *given, number=number), number, ONE)
        for how, (who, run, given) in ways.items()
    ]
    ns = results.race("inverse dynamics, one state per call", contestants)
    peer = ns["pin.rnea, one state"]
    results.not_slower(
        "one state, robot.compiled(), friction", "pin.rnea call", ns["kernel, one state"], peer, 1.0
    )
    results.not_slower(
        "one state, robot.inverse_dynamics, friction",
        "pin.rnea call",
        ns["robot.inverse_dynamics, one state"],
        peer,
        2.0,
    )


def threads(arm: Arm, results: Results) -> None:
    """Two threads against one."""
    if (os.cpu_count() or 1) < 2:
        results.notes.append("two threads: not measured, there is one core")
        return
    count = results.effort.large
    columns = arm.states(count).columns
    out = np.empty_like(columns[0])
    kernels = {number: arm.robot.compiled(threads=number).inverse_dynamics for number in (1, 2)}
    contestants = [
        Contestant(
            OURS,
            f"kernel, {number} thread{'s' * (number > 1)}",
            partial(kernel, *columns, out=out),
            count,
            COLUMNS,
        )
        for number, kernel in kernels.items()
    ]
    ns = results.race(f"inverse dynamics, N = {count}, (6, N), threads", contestants)
    results.faster(
        f"two threads, inverse dynamics, N = {count}, (6, N)",
        "one thread",
        ns["kernel, 2 threads"],
        ns["kernel, 1 thread"],
        1.6,
    )


def _against(
    results: Results,
    query: str,
    kernel: Any,
    states: States,
    loop: Callable[[], Any],
    bare: tuple[str, Callable[[], object]],
    facade: Callable[[], Any],
    bound: float,
) -> None:
    """Race a kernel, in both layouts, with the Pinocchio loop that gives the same.

    Results of one array go where one is.
    """
    count, inputs = len(states.q), len(QUERIES[kernel.name].inputs)
    rows, columns = states[:inputs], states.columns[:inputs]
    shown = kernel(*columns)
    keep = {} if isinstance(shown, tuple) else {"out": shown}
    contestants = [
        Contestant(OURS, "kernel, (n, N)", lambda: kernel(*columns, **keep), count, COLUMNS),
        Contestant(OURS, "kernel.rows, (N, n)", lambda: kernel.rows(*rows), count, ROWS),
        Contestant(OURS, "robot, (N, n)", facade, count, ROWS),
        Contestant("pin", "loop that gives the same", loop, count),
        Contestant("pin", f"{bare[0]} alone", bare[1], 2000, ONE),
    ]
    if results.effort.quick:  # the facade counts states before it compiles
        del contestants[2]
    ns = results.race(f"{query}, N = {count}", contestants)
    for ours, theirs in zip(_each(kernel.rows(*rows)), _each(loop()), strict=True):
        same(ours, theirs)
    for how, layout in (("kernel, (n, N)", "(6, N)"), ("kernel.rows, (N, n)", "(N, 6)")):
        results.faster(
            f"{query}, N = {count}, {layout}",
            "Pinocchio loop",
            ns[how],
            ns["loop that gives the same"],
            bound,
        )


def _each(result: Any) -> Sequence[Array]:
    return result if isinstance(result, tuple) else (result,)


def same(ours: Array, theirs: Array, within: float = AGREE) -> None:
    """Raise Disagreement where answers differ by more than a share of the largest entry."""
    difference = float(np.abs(ours - theirs).max() / np.abs(theirs).max())
    if not difference <= within:
        raise Disagreement(f"answers differ by {difference:.1e} of the largest entry")


def _too_long(results: Results, kernel: Any) -> bool:
    """Whether a quick run leaves a query out, because its kernel would have to be compiled."""
    left_out = results.effort.quick and not kernel.is_ready()
    if left_out:
        results.notes.append(
            f"{kernel.name}: left out of a quick run, since its kernel is not in the cache"
        )
    return left_out
