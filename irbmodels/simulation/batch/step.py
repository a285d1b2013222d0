"""One step of :mod:`.plant` for many states at once, as machine code.

Blocks of states are solved with a guess that is mostly right (:mod:`.block`); states for which it
is wrong go one by one.
"""

from __future__ import annotations

import hashlib
import inspect
from functools import cache
from types import ModuleType

import numpy as np

from ...errors import require
from ...model.types import Mask
from .. import mechanics, stiction
from ..stiction import balance, settle
from . import states as arrays
from .block import borne, checked, guessed, leaning, solved
from .one_state import lean, moved, slide, solve, step_one
from .states import States, Walls, Work

BLOCK = 64  # states whose factors stay in the first-level cache

_CONSTANTS = {
    stiction: ("LOW", "STILL", "HIGH", "_GIVE", "_ROUNDS", "_ROUNDING"),
    mechanics: ("CONTACT",),
    arrays: ("OWN", "ODD", "HELD"),
}
_HEAD = """import math
import numpy as np
from numba import njit, types
from numba.types import f8, i1, i8
from irbmodels.compiled.simd_math import exp
from irbmodels.simulation.batch.states import States, Walls, Work
Array = Mask = ActiveSet = object
STATES = types.NamedTuple((f8[:, :, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, ::1], f8[:, :, ::1]), States)
WALLS = types.NamedTuple((f8[:, ::1], f8[::1], f8[:, ::1], i8[::1], f8[::1], i8[::1]), Walls)
WORK = types.NamedTuple((*[f8[:, ::1]] * 6, f8[:, :, ::1], *[f8[:, ::1]] * 3, f8[::1]), Work)
"""
_TYPES = {
    "moved": '"f8[::1](f8[:, ::1], f8[::1], f8[::1])"',
    "solve": '"f8[:, ::1](f8[:, ::1], f8[:, ::1])"',
    "settle": '"f8[::1](f8[:, ::1], f8[::1], f8[::1], f8[::1], i1[::1])"',
    "balance": '"UniTuple(f8[::1], 2)(f8[:, ::1], f8[::1], f8[::1], f8[:, ::1], i1[::1])"',
    "slide": '"void(f8[:, ::1], f8[::1], f8[::1], f8[::1], f8[::1], i1[::1], f8[::1], f8[:, ::1])"',
    "lean": (
        "types.b1(f8[:, ::1], f8[::1], f8[::1], types.b1[::1], WALLS, i1[::1], f8[::1], f8[:, ::1])"
    ),
    "step_one": "types.b1(i8, STATES, WALLS, f8, f8)",
    "guessed": "types.b1(i8, i8, STATES, WALLS, f8, WORK)",
    "leaning": "types.void(i8, i8, STATES, WALLS, WORK)",
    "solved": "types.void(i8, i8, STATES, WALLS, f8, types.b1, WORK)",
    "checked": "types.void(i8, i8, STATES, WALLS, f8, f8, types.b1, WORK)",
    "borne": "types.void(i8, WALLS, WORK)",
    "step_all": "types.void(STATES, WALLS, f8, f8, types.b1[::1])",
}


def step_all(states: States, walls: Walls, dt: float, farthest: float, bad: Mask) -> None:
    """Move every state by one step, in place.

    Args:
        states: Of which positions and speeds change.
        walls: Ends of the ranges of all.
        dt: Step [s].
        farthest: Largest move of an axis in a step.
        bad: States that are left alone; those whose step is too large are added, ``(N,)``.
    """
    n, count = states.q.shape
    a = np.zeros((9, n, BLOCK))
    L, wrong = np.zeros((n, n, BLOCK)), np.zeros(BLOCK)
    work = Work(a[0], a[1], a[2], a[3], a[4], a[5], L, a[6], a[7], a[8], wrong)
    for start in range(0, count, BLOCK):
        size = min(BLOCK, count - start)
        near = guessed(start, size, states, walls, dt, work)
        if near:
            leaning(start, size, states, walls, work)
        solved(start, size, states, walls, dt, near, work)
        checked(start, size, states, walls, dt, farthest, near, work)
        if near:
            borne(size, walls, work)
        for s in range(size):
            if bad[start + s]:
                continue
            if wrong[s] != 0.0:
                bad[start + s] = not step_one(start + s, states, walls, dt, farthest)
                continue
            for i in range(n):
                states.q[i, start + s], states.v[i, start + s] = work.ahead[i, s], work.x[i, s]


@cache
def machine_code() -> ModuleType:
    """Return a module with :func:`step_all` as machine code, from the cache or compiled.

    Raises:
        MissingExtra: without casadi and numba.
    """
    for package in ("numba", "casadi"):
        require(package, "fast")
    from ...compiled.cache import kernel_module

    constants = {"BLOCK": BLOCK} | {
        name: getattr(module, name) for module, names in _CONSTANTS.items() for name in names
    }
    written = (
        solve,
        moved,
        settle,
        balance,
        slide,
        lean,
        step_one,
        guessed,
        leaning,
        solved,
        checked,
        borne,
        step_all,
    )
    parts = [
        f"@njit({_TYPES[f.__name__]}, cache=CACHE, nogil=True,"
        f" error_model='numpy')\n{inspect.getsource(f)}"
        for f in written
    ]
    text = "\n".join(
        [_HEAD, *(f"{name} = {value!r}" for name, value in constants.items()), "", *parts]
    )
    key = hashlib.sha256(text.encode()).hexdigest()
    return kernel_module(f"simulation {key}", "steps of a batch", lambda: text)
