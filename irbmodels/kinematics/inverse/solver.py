"""Postures that bring the TCP to a pose: closed forms, full turns, ranges, order, choice."""

from __future__ import annotations

import itertools
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ...checks import numbers
from ...compiled.dispatch import WORTH, installed, is_installed
from ...compiled.folder import folder
from ...compiled.llvm_entry import ROWS, STATE
from ...errors import InputError, RapidError
from ...model.limits import ROUNDING, Limits
from ...model.tree import UNLIMITED
from ...model.types import Array
from ..arm_geometry import Arm, OffsetWrist, Palletizer, SixAxis
from ..configuration import Configuration, checked, configuration_of, matches, seeds
from ..seven_axis import HeldAxis
from . import closed_form as branches
from .closed_form import INSIDE, VALID, Bounds, BranchArrays
from .solutions import Branches, Flags, Solutions, broken_ranges, flags_of

if TYPE_CHECKING:
    from ...compiled.program import Program
    from ...rapid import RobTarget
    from .kernel import KernelSolver


_QUADRANTS = (-2, -1, 0, 1)  # of axis 2
_ROUNDED = 1e-5  # deviation of a float32 rotation, or of a product of a few
_FAR = 50.0  # [m] out of reach: numbers in mm
_LARGEST = 1e100  # entry of a matrix whose products are numbers
_SAME = 1e-6  # [rad, m] one posture, by whatever configuration


class ClosedForm(NamedTuple):
    """Inverse kinematics of one robot as a straight-line program, for writers of other languages.

    Its input is the pose of the TCP in the base ``(16,)``, row by row.
    """

    arm: Arm
    program: Program | None
    """None for an offset wrist, which is solved by iteration."""
    constants: dict[str, float]
    """Values of the program's constants by name."""


class InverseKinematics:
    """The closed form of one robot, with its ranges."""

    def __init__(self, arm: Arm | HeldAxis, limits: Limits) -> None:
        """Prepare what does not depend on the pose."""
        self.arm, self._limits = arm, limits
        lower = np.where(limits.lower <= -UNLIMITED, -np.inf, limits.lower - ROUNDING)
        upper = np.where(limits.upper >= UNLIMITED, np.inf, limits.upper + ROUNDING)
        self._ranges = lower, upper
        # of an axis of unknown speed 1 rad/s or m/s
        self._speed = np.where(np.isfinite(limits.velocity), limits.velocity, 1.0)
        self._bounds = self._bounds_for(np.zeros(limits.n), None)
        self._poses = 0
        self._machine: KernelSolver | None = None
        self._kernels: dict[str, KernelSolver | None] = {}
        """Machine code by layout; None where none is on disk, and poses are too few as yet."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Leave machine code behind when pickled."""
        return InverseKinematics, (self.arm, self._limits)

    def __call__(
        self,
        pose: Any,
        in_range: bool,
        near: Array | None,
        turns: bool,
        configuration: object | None,
        base_from_world: Array | None = None,
    ) -> Solutions | Branches:
        """Solve for one pose, robtarget, or array; arguments as of ``Robot.inverse_kinematics``.

        They are in the base, or in a world whose pose ``(4, 4)`` in the base is given.
        """
        if isinstance(pose, str) or hasattr(pose, "rapid"):
            target = as_target(pose)
            matrix = _moved(target.pose().homogeneous, base_from_world)
            return self.of_target(target, matrix, in_range, near, turns, configuration)
        if type(pose) is pin.SE3:
            matrix = _moved(pose.homogeneous, base_from_world)
            return self.one(matrix, in_range, near, turns, configuration)
        matrix = _moved(as_poses(getattr(pose, "homogeneous", pose)), base_from_world)
        if matrix.ndim == 2:
            return self.one(matrix, in_range, near, turns, configuration)
        if turns:
            raise InputError(
                "full turns are listed for one pose, not for arrays: their number differs from pose"
                " to pose"
            )
        return self.many(matrix, in_range, near, configuration)

    def one(
        self,
        matrix: Array,
        in_range: bool,
        near: Array | None,
        turns: bool,
        configuration: object | None,
    ) -> Solutions:
        """Return the solutions of one pose.

        Raises:
            InputError: if it is no finite rigid motion, or the configuration is none.
        """
        kernel = self._kernels.get(STATE) or self._kernel_if_worth(STATE, 1)
        wanted = None if configuration is None else checked(self.arm, configuration)
        plain = near is None and wanted is None
        if kernel:
            seed = (None, None) if plain else self._constants_for(near, wanted)
            count, q, bits, missing = kernel.one(matrix, *seed)
            if count < 0:
                raise InputError(_not_rigid(matrix))
        else:
            if not np.isfinite(matrix).all() or not branches.are_rigid(matrix[None])[0]:
                raise InputError(_not_rigid(matrix))
            branch = self._solve(matrix[None], near, wanted)
            kept = np.flatnonzero(branch.bits[0] & VALID)
            q, bits, missing = branch.q[0, kept], branch.bits[0, kept], float(branch.missing[0])
        if not len(q):
            return Solutions(
                self.arm, self._limits, q, bits, missing, self._why_none(matrix, missing), None
            )
        if plain and not in_range and not turns:
            return Solutions(self.arm, self._limits, q, bits, missing, "", None)
        note = ""
        if wanted is not None:
            right = matches(self.arm, q, wanted)
            q, bits = q[right], bits[right]
            note = "" if len(q) else self._none_configured(matrix, near, wanted)
        if turns and len(q):
            q, bits = self._with_turns(
                q, bits, () if wanted is None else tuple(seeds(self.arm, wanted))
            )
        if in_range and len(q):
            inside, postures = (bits & INSIDE) != 0, q
            q, bits = q[inside], bits[inside]
            note = "" if len(q) else self._none_in_range(postures)
        distances = None
        if near is not None:
            distances = self.distances(q, near)
            order = np.argsort(distances, kind="stable")
            q, bits, distances = q[order], bits[order], distances[order]
        return Solutions(self.arm, self._limits, q, bits, missing, note, distances)

    def of_target(
        self,
        target: RobTarget,
        matrix: Array,
        in_range: bool,
        near: Array | None,
        turns: bool,
        configuration: object | None,
    ) -> Solutions:
        """Return the solutions of a robtarget, those with its configuration first.

        ``matrix`` is its pose in the base.
        Another configuration is a filter. Where ABB's rule for cfx is not known for sure, cf1, cf4
        and cf6 decide if no posture has all four.

        Raises:
            InputError: if its rotation was never taught, or this kind of arm has no such cfx.
        """
        if isinstance(self.arm, HeldAxis):
            raise InputError(
                "a robtarget of a seven-axis arm states its arm angle: give its pose, and axis_7"
            )
        if configuration is not None:
            return self.one(matrix, in_range, near, turns, configuration)
        every = self.one(matrix, in_range, near, turns, None)
        own, note = [self.one(matrix, in_range, near, turns, target.robconf.values)], ""
        if not own[0] and every and isinstance(self.arm, SixAxis) and self.arm.coupled:
            cf1, cf4, cf6, _ = target.robconf.values
            own = [
                self.one(matrix, in_range, near, turns, (cf1, cf4, cf6, cfx)) for cfx in _QUADRANTS
            ]
            note = "cfx of this kind of arm is not known for sure: cf1, cf4 and cf6 choose"
        q, count = np.concatenate([one.q for one in own]), sum(map(len, own))
        others = [
            k
            for k, posture in enumerate(every.q)
            if not np.isclose(posture, q, atol=_SAME).all(axis=1).any()
        ]
        q = np.concatenate([q, every.q[others]])
        distances = None if near is None else self.distances(q, near)
        bits = np.concatenate([*(one._bits for one in own), every._bits[others]])
        if not every:
            note = every.note or own[-1].note
        elif not count:
            note = f"none has the configuration {target.robconf}"
        return Solutions(self.arm, self._limits, q, bits, every.missing, note, distances, count)

    def many(
        self, poses: Array, in_range: bool, near: Array | None, configuration: object | None
    ) -> Branches:
        """Return the branches of poses ``(..., 4, 4)``.

        Raises:
            InputError: if one of them is no rigid motion; NaN is none, but stays in its own sample.
        """
        wanted = None if configuration is None else checked(self.arm, configuration)
        leading, poses = poses.shape[:-2], poses.reshape(-1, 4, 4)
        kernel = self._kernels.get(ROWS) or self._kernel_if_worth(ROWS, len(poses))
        if kernel:
            plain = near is None and wanted is None
            seed = (None, None) if plain else self._constants_for(near, wanted)
            result, rigid = kernel.rows(poses, *seed)
        else:
            rigid = branches.are_rigid(poses)
            result = (
                self._solve(poses, near, wanted)
                if rigid.all()
                else BranchArrays(np.empty(0), np.empty(0, np.uint8), np.empty(0))
            )
        if not rigid.all():
            first = int(np.argmin(rigid))
            raise InputError(f"pose {first}: {_not_rigid(poses[first])}")
        valid, inside = (result.bits & VALID) != 0, (result.bits & INSIDE) != 0
        if in_range:
            valid &= inside
        if wanted is not None:
            valid &= matches(self.arm, result.q, wanted)
        flags, slots = flags_of(result.bits), (*leading, self.arm.slots)
        return Branches(
            result.q.reshape(*slots, self._limits.n),
            valid.reshape(slots),
            Flags(*(flag.reshape(slots) for flag in flags)),
            inside.reshape(slots),
            result.missing.reshape(leading),
        )

    def distances(self, q: Array, near: Array) -> Array:
        """Return the distances of postures ``(k, n)`` from a seed: see :attr:`Solution.distance`.

        Unknown speeds count as 1 rad/s.
        """
        return np.asarray(np.linalg.norm((q - near) / self._speed, axis=-1))

    def closed_form(self) -> ClosedForm:
        """Return the closed form as a program with its constants, without a seed."""
        assert not isinstance(self.arm, HeldAxis)
        from .program import program_of
        from .structure import (
            arm_constants,
            constant_names,
            kind_of,
            seed_constants,
            structure_of,
        )

        if isinstance(self.arm, OffsetWrist):
            return ClosedForm(self.arm, None, {})
        near, bounds = self._constants_for(None, None)
        names = constant_names(kind_of(self.arm), len(bounds.A))
        values = np.concatenate([seed_constants(near, bounds), arm_constants(self.arm, bounds)])
        constants = dict(zip(names, values.tolist(), strict=True))
        return ClosedForm(self.arm, program_of(structure_of(self.arm, bounds)), constants)

    def _kernel_if_worth(self, layout: str, poses: int) -> KernelSolver | None:
        """Count poses; return machine code if it is on disk, or once they make up for compiling it.

        The disk is asked once.
        """
        self._poses += poses
        is_worth, is_asked = self._poses >= WORTH, layout in self._kernels
        if isinstance(self.arm, OffsetWrist | HeldAxis) or (is_asked and not is_worth):
            return None
        self._kernels[layout] = None
        if installed() if is_worth else folder().is_dir() and is_installed():
            from .kernel import KernelSolver

            self._machine = self._machine or KernelSolver(self.arm, self._bounds)
            if is_worth or self._machine.is_ready(layout):
                self._kernels[layout] = self._machine
        return self._kernels[layout]

    def _solve(
        self, poses: Array, near: Array | None, wanted: Configuration | None
    ) -> BranchArrays:
        if isinstance(self.arm, HeldAxis):
            from .held_axis import held_axis  # few arms need it

            seed = np.zeros(self._limits.n) if near is None else near
            return held_axis(self.arm, poses, seed, self._bounds_for(seed, None))
        free, bounds = self._constants_for(near, wanted)
        with np.errstate(all="ignore"):
            if isinstance(self.arm, OffsetWrist):
                from .offset_wrist import offset_wrist

                return offset_wrist(self.arm, poses, bounds)
            if isinstance(self.arm, SixAxis):
                return branches.six_axis(self.arm, poses, free, bounds)
            if isinstance(self.arm, Palletizer):
                return branches.palletizer(self.arm, poses, free, bounds)
            return branches.scara(self.arm, poses, free, bounds)

    def _constants_for(
        self, near: Array | None, wanted: Configuration | None
    ) -> tuple[Array, Bounds]:
        assert not isinstance(self.arm, HeldAxis)
        seed = np.zeros(self._limits.n) if near is None else near
        plain = near is None and wanted is None
        return self.arm.axis_map.angles(seed), (
            self._bounds if plain else self._bounds_for(seed, wanted)
        )

    def _bounds_for(self, near: Array, wanted: Configuration | None) -> Bounds:
        A, n, (lower, upper) = self._limits.A, self._limits.n, self._ranges
        low, high, seed = lower[:n], upper[:n], near
        if wanted is not None:  # the turn is prescribed, in range or not
            low, high, seed = low.copy(), high.copy(), seed.copy()
            for axis, middle in seeds(self.arm, wanted).items():
                low[axis], high[axis], seed[axis] = -np.inf, np.inf, middle
        seed = np.minimum(np.maximum(A[:n] @ seed, low), high)
        return Bounds(np.asarray(A), lower, upper, low, high, seed, self._limits.linear)

    def _with_turns(self, q: Array, bits: Any, fixed: tuple[int, ...]) -> tuple[Array, Any]:
        """Add every full turn of every axis that its range and bounds of sums allow.

        An axis without range stays as it is.
        """
        bounds, (A, back, *_) = self._bounds, self._limits.axis_ranges
        more: list[Array] = []
        kinds: list[Any] = []
        for posture, kind in zip(q, bits, strict=True):
            choices = []
            for axis, value in enumerate(A @ posture):
                low, high = float(bounds.lower[axis]), float(bounds.upper[axis])
                whole = 2.0 * np.pi
                if (
                    bounds.linear[axis]
                    or axis in fixed
                    or not low <= value <= high
                    or not np.isfinite(high - low)
                ):
                    choices.append([value])
                else:
                    turns = range(-int((value - low) // whole), int((high - value) // whole) + 1)
                    choices.append([value + whole * turn for turn in sorted(turns, key=abs)])
            values = np.array(list(itertools.product(*choices)))
            turned = posture + (values - A @ posture) @ back.T
            kept = self._limits.keep_sums(turned) | (values == values[0]).all(axis=1)
            more.append(turned[kept])
            kinds += [kind] * int(kept.sum())
        return np.concatenate(more), np.array(kinds, dtype=np.uint8)

    def _none_configured(self, matrix: Array, near: Array | None, wanted: Configuration) -> str:
        postures = self.one(matrix, False, near, False, None).q
        there = dict.fromkeys(str(configuration_of(self.arm, q)).rstrip("?") for q in postures)
        return (
            f"none of {len(postures)} solutions has the configuration {wanted}; there are"
            f" {', '.join(there)}"
        )

    def _none_in_range(self, postures: Array) -> str:
        values = postures @ self._limits.A.T
        excess = np.maximum(self._limits.lower - values, values - self._limits.upper).max(axis=1)
        nearest = broken_ranges(self._limits, postures[int(np.argmin(excess))])
        return f"none of {len(postures)} solutions is in range; the nearest has {nearest}"

    def _why_none(self, pose: Array, missing: float) -> str:
        if isinstance(self.arm, HeldAxis):
            position = np.degrees(self.arm.position)
            return f"out of reach, or not with this orientation, with axis 7 at {position:.6g} deg"
        if not isinstance(self.arm, SixAxis):
            R = self.arm.arm_from_base @ pose[:3, :3] @ self.arm.E.T
            lean = np.arctan2(np.hypot(R[0, 2], R[1, 2]), R[2, 2])
            if lean > branches.TILT:
                why = "the axes of a SCARA are parallel"
                if isinstance(self.arm, Palletizer):
                    why = "that of a palletizer is kept level"
                return f"the tool would have to lean by {np.degrees(lean):.3g} deg, and {why}"
        if isinstance(self.arm, OffsetWrist) and missing == np.inf:
            return "the wrist would be within reach, but not with this orientation of the tool"
        unit = "; is the pose in mm? it counts in m" if missing > _FAR else ""
        return f"out of reach by {1000.0 * missing:.6g} mm{unit}"


def as_target(value: Any) -> RobTarget:
    """Return a robtarget, parsed if it is text.

    Raises:
        InputError: if it is none.
    """
    from ...rapid import RobTarget, read_value

    if isinstance(value, str):
        try:
            return read_value(value, RobTarget)
        except RapidError as err:
            shape = "[[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[9E9,...]]"
            raise InputError(f"the text of a target is a robtarget {shape} in mm: {err}") from None
    if not isinstance(value, RobTarget):
        hint = (
            "; it has axis positions already: target.q(robot)"
            if value.rapid == "jointtarget"
            else ""
        )
        raise InputError(f"a target is a robtarget, not a {value.rapid}{hint}")
    return value


def as_poses(value: ArrayLike) -> Array:
    """Return one pose or an array of them as numbers.

    Raises:
        InputError: if the shape is wrong.
    """
    try:
        array = numbers(value, "what is given")
    except InputError as err:
        raise InputError(
            f"a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4): {err}"
        ) from None
    if array.shape[-2:] != (4, 4):
        raise InputError(
            f"a pose is a pin.SE3, or numbers of shape (4, 4) or (..., 4, 4), got {array.shape}"
        )
    return array


def _moved(poses: Array, base_from_world: Array | None) -> Array:
    """Return poses ``(..., 4, 4)`` in the base; None: they are in it."""
    if base_from_world is None:
        return poses
    with np.errstate(invalid="ignore", over="ignore"):  # what is not finite is found later
        return np.asarray(base_from_world @ poses)


def _not_rigid(matrix: Array) -> str:
    if not np.isfinite(matrix).all():
        return "the pose is not finite"
    largest = np.abs(matrix[:3, :3]).max()
    if largest > _LARGEST:
        return f"the pose is no rigid motion: its rotation has an entry of {largest:.3g}"
    square = matrix[:3, :3] @ matrix[:3, :3].T
    off = float(np.abs(square - np.eye(3)).max())
    if (
        off < _ROUNDED
        and np.linalg.det(matrix[:3, :3]) > 0.0
        and (matrix[3] == (0.0, 0.0, 0.0, 1.0)).all()
    ):
        return (
            f"the pose is no rigid motion: its rotation is off by {off:.1g}, as float32 rounds;"
            " orthogonalise it in float64"
        )
    return (
        "the pose is no rigid motion (a rotation, and 0, 0, 0, 1 below):"
        f" {np.round(matrix, 9).tolist()}"
    )
