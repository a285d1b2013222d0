"""Kernel of the six-axis closed form: compiled once per machine, called with an arm's constants."""

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
from .closed_form import Bounds, BranchArrays

_lock = threading.RLock()  # numba compiles in one thread at a time


@cache
def module() -> Any:
    """Return the compiled module, from the cache of kernels or made anew."""
    from ...compiled.numba_cache import kernel_module

    text = (Path(__file__).parent / "kernel.py").read_text(encoding="utf-8")
    with _lock:
        return kernel_module(f"inverse kinematics {text}", "inverse kinematics", lambda: text)


class KernelSolver:
    """Closed form of one arm in machine code, once the number of poses is worth compiling it.

    See ``compiled.dispatch``.
    """

    def __init__(self, arm: SixAxis, bounds: Bounds) -> None:
        """Compile nothing yet."""
        self._arm, self._poses = arm, 0
        self._defaults = pack_constants(arm, arm.axis_map.angles(np.zeros(6)), bounds)
        self._one: Callable[..., int] | None = None

    def ready(self, poses: int) -> KernelSolver | None:
        """Count poses; return this if machine code is in use, or worth it from now on."""
        if self._one is not None:
            return self
        self._poses += poses
        if self._poses < WORTH or not installed():
            return None
        self._one = module().one
        return self

    def one(
        self, pose: Array, near: Array, bounds: Bounds | None
    ) -> tuple[int, Array, NDArray[np.uint8], float]:
        """Return the solutions of one pose: number, positions, bits, distance beyond reach.

        The number is -1 if it is no rigid motion. Without ``bounds``: those of the robot, no seed.
        """
        q, bits, missing = np.empty((8, 6)), np.empty(8, np.uint8), np.empty(1)
        assert self._one is not None
        constants = self._defaults if bounds is None else pack_constants(self._arm, near, bounds)
        count = self._one(pose, constants, q, bits, missing)
        return count, q[:count], bits[:count], missing.item()

    def rows(self, poses: Array, near: Array, bounds: Bounds) -> tuple[BranchArrays, Mask]:
        """Return all branches of poses ``(N, 4, 4)``, and which poses are rigid.

        Of those that are not, only the first is marked.
        """
        count = len(poses)
        q, bits, missing = np.empty((count, 8, 6)), np.empty((count, 8), np.uint8), np.empty(count)
        flat = np.ascontiguousarray(poses, float).reshape(-1)
        constants = pack_constants(self._arm, near, bounds)
        bad = module().rows(flat, constants, q.reshape(-1), bits.reshape(-1), missing, 0, count)
        rigid = np.ones(count, dtype=bool)
        if bad >= 0:
            rigid[bad] = False
        return BranchArrays(q, bits, missing), rigid


def pack_constants(arm: SixAxis, near: Array, bounds: Bounds) -> Array:
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
