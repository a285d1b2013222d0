"""The kernel of the six-axis closed form, with the numbers of one arm: compiled once per machine, for all arms."""

from __future__ import annotations

import threading
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...compiled.dispatch import WORTH, installed
from ...model.types import Array, Mask
from ..arm_geometry import SixAxis
from .closed_form import Bounds, Found

_lock = threading.RLock()  # numba compiles in one thread at a time
empty = np.empty


@cache
def module() -> Any:
    """Return the compiled module, from the cache of kernels or made anew."""
    from ...compiled.cache import kernel_module

    text = (Path(__file__).parent / "kernel.py").read_text(encoding="utf-8")
    with _lock:
        return kernel_module(f"inverse kinematics {text}", "inverse kinematics", lambda: text)


class Machine:
    """Counts what is asked for, and answers by machine code once that is worth compiling.

    See ``compiled.dispatch``.
    """

    def __init__(self, arm: SixAxis, bounds: Bounds) -> None:
        """Compile nothing yet."""
        self._arm, self._asked = arm, 0
        self._plain = packed(arm, arm.axis_map.angles(np.zeros(6)), bounds)
        self._one: Callable[..., int] | None = None

    def ready(self, poses: int) -> Machine | None:
        """Count poses; return this if machine code is in use, or worth it from now on."""
        if self._one is not None:
            return self
        self._asked += poses
        if self._asked < WORTH or not installed():
            return None
        self._one = module().one
        return self

    def one(
        self, pose: Array, near: Array, bounds: Bounds | None
    ) -> tuple[int, Array, NDArray[np.uint8], float]:
        """Return number (-1: no rigid motion), positions and bits of the solutions of one pose, and how far it is beyond reach.

        Without ``bounds`` it is the robot's own, and no seed.
        """
        q, bits, missing = empty((8, 6)), empty(8, np.uint8), empty(1)
        assert self._one is not None
        count = self._one(
            pose,
            self._plain if bounds is None else packed(self._arm, near, bounds),
            q,
            bits,
            missing,
        )
        return count, q[:count], bits[:count], missing.item()

    def rows(self, poses: Array, near: Array, bounds: Bounds) -> tuple[Found, Mask]:
        """Return all branches of poses ``(N, 4, 4)``, and which poses are rigid: all, or all but the first that is not."""
        count = len(poses)
        q, bits, missing = np.empty((count, 8, 6)), np.empty((count, 8), np.uint8), np.empty(count)
        flat = np.ascontiguousarray(poses, float).reshape(-1)
        constants = packed(self._arm, near, bounds)
        bad = module().rows(flat, constants, q.reshape(-1), bits.reshape(-1), missing, 0, count)
        rigid = np.ones(count, dtype=bool)
        if bad >= 0:
            rigid[bad] = False
        return Found(q, bits, missing), rigid


def packed(arm: SixAxis, near: Array, bounds: Bounds) -> Array:
    """Return the numbers of an arm in the order in which the kernel takes them."""
    free = [trigonometric(near[i]) for i in (0, 1, 3) for trigonometric in (np.sin, np.cos)]
    lengths = [arm.a1, arm.d, arm.lower_arm_length, arm.forearm_length, arm.wrist_sign]
    parts: list[ArrayLike] = [
        arm.arm_from_base,
        arm.origin,
        arm.wrist,
        arm.E,
        arm.C,
        lengths,
        free,
        arm.axis_map.H,
        arm.axis_map.h,
        *bounds[:6],
    ]
    return np.concatenate([np.ravel(part) for part in parts])
