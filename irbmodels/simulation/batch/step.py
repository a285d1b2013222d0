"""One step of :mod:`.plant` for many states at once, as machine code.

Blocks of states are solved with a guess that is mostly right (:mod:`.block`); states for which it
is wrong are solved one by one (:mod:`.one_state`).
"""

from __future__ import annotations

import hashlib
import inspect
from collections.abc import Callable
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from ...errors import require
from ...model.types import Mask
from .. import mechanics, stiction
from ..stiction import pivot_forces, solve_contacts
from . import states as arrays
from .block import (
    check_contacts,
    check_slip,
    guess_contacts,
    guess_slip,
    row_values,
    solve_block,
)
from .one_state import pivot_speeds, row_motion, solve, step_one
from .states import BatchStops, States, Work

BLOCK = 64  # states whose factors stay in the first-level cache

_CONSTANTS = {
    stiction: ("LOW", "STILL", "HIGH", "_COMPLIANCE", "_ROUNDS", "_ROUNDING"),
    mechanics: ("CONTACT",),
    arrays: ("UNCOUPLED", "UNSUPPORTED", "STICK"),
}
_HEAD = """import math
import numpy as np
from numba import njit, types
from numba.types import f8, i1, i8
from irbmodels.compiled.simd_math import exp
from irbmodels.simulation.batch.states import BatchStops, States, Work
Array = Mask = ActiveSet = object
STATES = types.NamedTuple((f8[:, :, ::1], *[f8[:, ::1]] * 4, f8[:, :, ::1]), States)
STOPS = types.NamedTuple((f8[:, ::1], f8[::1], f8[:, ::1], i8[::1], f8[::1], i8[::1]), BatchStops)
WORK = types.NamedTuple((*[f8[:, ::1]] * 6, f8[:, :, ::1], *[f8[:, ::1]] * 3, f8[::1]), Work)
"""
_SIGNATURES: dict[Callable[..., Any], str] = {
    row_motion: "f8[::1](f8[:, ::1], f8[::1], f8[::1])",
    solve: "f8[:, ::1](f8[:, ::1], f8[:, ::1])",
    pivot_forces: "f8[::1](f8[:, ::1], f8[::1], f8[::1], f8[::1], i1[::1])",
    solve_contacts: (
        "types.UniTuple(f8[::1], 2)(f8[:, ::1], f8[::1], f8[::1], f8[:, ::1], i1[::1])"
    ),
    pivot_speeds: (
        "types.void(f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1], i1[::1], f8[::1], f8[:, ::1])"
    ),
    step_one: "types.b1(i8, STATES, STOPS, f8, f8)",
    row_values: "types.void(f8[:, ::1], i8, f8[:, ::1], i8, i8, f8[::1])",
    guess_slip: "types.b1(i8, i8, STATES, STOPS, f8, WORK)",
    guess_contacts: "types.void(i8, i8, STATES, STOPS, WORK)",
    solve_block: "types.void(i8, i8, STATES, STOPS, f8, types.b1, WORK)",
    check_slip: "types.void(i8, i8, STATES, STOPS, f8, f8, types.b1, WORK)",
    check_contacts: "types.void(i8, STOPS, WORK)",
}


def step_all(states: States, stops: BatchStops, dt: float, max_move: float, failed: Mask) -> None:
    """Advance every state by one step, in place.

    Args:
        states: Of which positions and speeds change.
        stops: Hard stops of all.
        dt: Step [s].
        max_move: Largest move of an axis in a step.
        failed: States that are left alone; those whose step is too large are added, ``(N,)``.
    """
    n, count = states.q.shape
    a = np.zeros((9, n, BLOCK))
    L, wrong = np.zeros((n, n, BLOCK)), np.zeros(BLOCK)
    work = Work(a[0], a[1], a[2], a[3], a[4], a[5], L, a[6], a[7], a[8], wrong)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        near = guess_slip(start, size, states, stops, dt, work)
        if near:
            guess_contacts(start, size, states, stops, work)
        solve_block(start, size, states, stops, dt, near, work)
        check_slip(start, size, states, stops, dt, max_move, near, work)
        if near:
            check_contacts(size, stops, work)
        for s in range(size):
            if failed[start + s]:
                continue
            if wrong[s] != 0.0:
                failed[start + s] = not step_one(start + s, states, stops, dt, max_move)
                continue
            for i in range(n):
                states.q[i, start + s], states.v[i, start + s] = work.q_end[i, s], work.x[i, s]


@cache
def machine_code() -> ModuleType:
    """Return a module with :func:`step_all` as machine code, from the cache or compiled.

    Raises:
        MissingExtra: without casadi and numba.
    """
    for package in ("numba", "casadi"):
        require(package, "fast")
    from ...compiled.numba_cache import kernel_module

    constants = [("BLOCK", BLOCK)] + [
        (name, getattr(module, name)) for module, names in _CONSTANTS.items() for name in names
    ]
    signatures = _SIGNATURES | {step_all: "types.void(STATES, STOPS, f8, f8, types.b1[::1])"}
    functions = [
        f"@njit({signature}, cache=CACHE, nogil=True,"
        f" error_model='numpy')\n{inspect.getsource(function)}"
        for function, signature in signatures.items()
    ]
    text = "\n".join([_HEAD, *(f"{name} = {value!r}" for name, value in constants), "", *functions])
    key = hashlib.sha256(text.encode()).hexdigest()
    return kernel_module(f"simulation {key}", "steps of a batch", lambda: text)
