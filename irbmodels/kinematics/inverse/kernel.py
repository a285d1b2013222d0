"""Closed form of one arm as machine code, which arms of the same structure share."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache, cached_property
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ...compiled.cache import Signature, is_ready, kernel_code
from ...compiled.llvm_entry import ROWS, STATE, TITLES
from ...compiled.machine import function
from ...model.types import Array, Mask
from ..arm_geometry import Arm
from .closed_form import RIGID, Bounds, BranchArrays
from .structure import (
    Structure,
    arm_constants,
    constant_names,
    kind_of,
    seed_constants,
    structure_of,
)

BLOCK = 4096  # poses whose bits, as numbers, stay in the second-level cache
DOUBLE = np.dtype(np.float64)
empty, uint8 = np.empty, np.uint8


class KernelSolver:
    """Closed form of one arm in machine code; that of each layout is compiled when it is needed."""

    def __init__(self, arm: Arm, bounds: Bounds) -> None:
        """Compile nothing yet."""
        self._arm, self._bounds = arm, bounds
        self._slots, self._n = arm.slots, bounds.seed.size
        self._codes: dict[str, tuple[int, NDArray[np.intp]]] = {}
        self._unseeded: dict[str, Callable[..., bool]] = {}

    def one(
        self, pose: Array, near: Array | None, bounds: Bounds | None
    ) -> tuple[int, Array, NDArray[np.uint8], float]:
        """Return the solutions of one pose: number, positions, bits, distance beyond reach.

        The number is -1 if it is no rigid motion. Without ``near`` and ``bounds``: those of the
        robot, no seed.
        """
        run = self._function(STATE, near, bounds)
        q, numbers = empty(self._slots * self._n), empty(self._slots)
        missing, off = empty(1), empty(1)
        if not run(pose.reshape(16), q, numbers, missing, off):  # not aligned, or of a subclass
            done = run(np.array(pose, float).reshape(16), q, numbers, missing, off)
            assert done
        if not off.item() <= RIGID:
            return -1, q, numbers.astype(uint8), np.nan
        postures, bits = q.reshape(self._slots, -1), numbers.astype(uint8)
        kept = bits.nonzero()[0]
        if len(kept) < self._slots:
            postures, bits = postures.take(kept, 0), bits.take(kept)
        return len(kept), postures, bits, missing.item()

    def rows(
        self, poses: Array, near: Array | None, bounds: Bounds | None
    ) -> tuple[BranchArrays, Mask]:
        """Return all branches of poses ``(N, 4, 4)``, and which poses are rigid.

        NaN is. Without ``near`` and ``bounds``: those of the robot, no seed.
        """
        run = self._function(ROWS, near, bounds)
        count, slots, n = len(poses), self._slots, self._n
        given = np.require(poses, float, ["C", "A"]).reshape(count, 16)
        q, bits = empty((count, slots * n)), empty((count, slots), uint8)
        missing, off = empty((count, 1)), empty((count, 1))
        numbers = empty((min(count, BLOCK), slots))
        for start in range(0, count, BLOCK):
            part = slice(start, start + BLOCK)
            size = len(given[part])
            done = run(given[part], q[part], numbers[:size], missing[part], off[part])
            assert done
            bits[part] = numbers[:size]
        return BranchArrays(q.reshape(count, slots, n), bits, missing[:, 0]), ~(off[:, 0] > RIGID)

    def _function(
        self, layout: str, near: Array | None, bounds: Bounds | None
    ) -> Callable[..., bool]:
        """Return machine code with the constants of a seed; it is compiled when first needed."""
        if near is not None and bounds is not None:
            return self._seeded(layout, near, bounds)
        run = self._unseeded.get(layout)
        if run is None:
            near = self._arm.axis_map.angles(np.zeros(self._n))
            run = self._unseeded[layout] = self._seeded(layout, near, self._bounds)
        return run

    def _seeded(self, layout: str, near: Array, bounds: Bounds) -> Callable[..., bool]:
        if layout not in self._codes:
            self._codes[layout] = self._load(layout)
        address, used = self._codes[layout]
        numbers = np.concatenate([seed_constants(near, bounds), self._arm_constants])
        return function(address, numbers[used], DOUBLE)

    def _load(self, layout: str) -> tuple[int, NDArray[np.intp]]:
        """Return the address of machine code, and the places of its constants among all."""
        title = f"inverse kinematics for {TITLES[layout]}"
        code = kernel_code(self._key(layout), title, lambda: self._compiled(layout))
        rows = len(self._bounds.A)
        places = {name: k for k, name in enumerate(constant_names(kind_of(self._arm), rows))}
        used = [places[name] for name in code.signature.constants]
        return code.address, np.array([*used, len(places)])

    @cached_property
    def _arm_constants(self) -> Array:
        """Constants that no seed changes, and NaN: poses have no limit."""
        return np.append(arm_constants(self._arm, self._bounds), np.nan)

    def is_ready(self, layout: str) -> bool:
        """Return whether machine code of a layout is in this process or on disk."""
        return is_ready(self._key(layout))

    def _key(self, layout: str) -> str:
        return f"inverse kinematics {layout} {self._structure} {_formulas()}"

    @cached_property
    def _structure(self) -> Structure:
        return structure_of(self._arm, self._bounds)

    def _compiled(self, layout: str) -> tuple[bytes, Signature]:
        from ...compiled.kernels import compiled_program  # what is on disk needs neither of them
        from .program import program_of

        return compiled_program(program_of(self._structure), layout)


@cache
def _formulas() -> str:
    """Return a hash of the formulas in use."""
    names = ("program.py", "closed_form.py", "structure.py")
    files = (Path(__file__).with_name(name) for name in names)
    return hashlib.sha256(b"".join(path.read_bytes() for path in files)).hexdigest()
