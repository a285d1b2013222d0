"""Closed forms as straight-line programs: all branches of a pose, singular cases by selects.

The formulas are those of :mod:`irbmodels.kinematics.inverse.closed_form`, where they are explained.
All numbers of an arm are constants: arms of one structure share a program.
"""

from __future__ import annotations

import math
from functools import reduce
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from ...compiled.program import Program
from ...compiled.trace import Scalar, Trace, Value, atan2, nearest, sqrt, where
from .closed_form import (
    ELBOW,
    HALF_TURN,
    INSIDE,
    REACH,
    RIGID,
    SHOULDER,
    SINGULAR,
    TILT,
    VALID,
    WRIST,
    sums_of_axis,
)
from .structure import Structure, constant_shapes

Numbers = NDArray[Any]
"""Values of a trace, and floats."""

FULL_TURN = 2.0 * math.pi
NAN = math.nan


def program_of(structure: Structure) -> Program:
    """Return the program from a pose of the TCP to all branches.

    Its input is ``base_from_tcp`` in row-major order, ``(16,)``. Outputs are the components of
    :class:`~irbmodels.kinematics.inverse.closed_form.BranchArrays`, bits as floats, and ``off``:
    the deviation from a rigid motion, NaN where the pose is not finite. Poses that are not rigid
    have no solution.
    """
    trace, n = Trace(), len(structure.linear)
    pose: Numbers = np.array(trace.input("pose", 16), object).reshape(4, 4)
    shapes = constant_shapes(structure.kind, len(structure.A))
    p = {name: _constant(trace, name, shape) for name, shape in shapes.items()}
    p["H"], p["A"] = np.where(structure.H, p["H"], 0.0), np.where(structure.A, p["A"], 0.0)
    off = _deviation(pose)
    branches = _Branches(p, structure, off <= RIGID)
    solve = {"six axes": _six_axis, "palletizer": _palletizer, "scara": _scara}
    missing = solve[structure.kind](branches, pose)
    missing = where(missing <= REACH, 0.0, where(missing < math.inf, missing, math.inf))
    slots = len(branches.bits)
    return trace.program(
        "inverse_kinematics",
        {
            "q": ((slots, n), branches.q),
            "bits": ((slots,), branches.bits),
            "missing": ((), [where(branches.rigid, missing, NAN)]),
            "off": ((), [off]),
        },
    )


def _constant(trace: Trace, name: str, shape: tuple[int, ...]) -> Any:
    entries = [trace.constant(f"{name}[{k}]") for k in range(math.prod(shape))]
    return np.array(entries, object).reshape(shape) if shape else entries[0]


class _Branches:
    """Slots of solutions that are being filled."""

    def __init__(self, p: dict[str, Any], structure: Structure, rigid: Value) -> None:
        self.p, self._structure, self.rigid = p, structure, rigid
        self.q: list[Scalar] = []
        self.bits: list[Scalar] = []

    def add(self, x: list[Scalar], valid: Value, flags: Scalar) -> None:
        """Fill one slot with a solution, in the full turns of the bounds.

        Args:
            x: Absolute angles.
            valid: True where there is this solution.
            flags: Bits of the singularities it is on.
        """
        q, inside = self._full_turns(np.array(x, object))
        valid = valid & self.rigid
        self.q += [where(valid, value, NAN) for value in q]
        self.bits.append(where(valid, flags + where(inside, VALID + INSIDE, VALID), 0.0))

    def _full_turns(self, x: Numbers) -> tuple[list[Scalar], Value]:
        """Return axis positions with full turns, and whether they keep every range."""
        p, pattern = self.p, np.array(self._structure.A)
        q: list[Scalar] = []
        inside: list[Value] = []
        for i, linear in enumerate(self._structure.linear):
            value = p["H"][i] @ x + p["h"][i]
            others = sum(a * b for a, b in zip(p["A"][i], q, strict=False))
            turn = value + others
            if not linear:
                seed, low, high = p["seed"][i], p["turn_lower"][i], p["turn_upper"][i]
                turned, fits = _turn_in_range(turn, low, high, seed)
                value = where(fits, turned - others, _wrap(value))
                for k in sums_of_axis(pattern, i):
                    shift = others - sum(a * b for a, b in zip(p["A"][k], q, strict=False))
                    low = _larger(low, p["lower"][k] + shift)
                    high = _smaller(high, p["upper"][k] + shift)
                    near = _smaller(_larger(seed, low), high)
                    turned, fits = _turn_in_range(turn, low, high, near)
                    value = where(fits, turned - others, value)
                turn = value + others
            q.append(value)
            inside.append((turn >= p["lower"][i]) & (turn <= p["upper"][i]))
        for k in range(len(q), len(p["A"])):
            total = p["A"][k] @ np.array(q, object)
            inside.append((total >= p["lower"][k]) & (total <= p["upper"][k]))
        return q, reduce(Value.__and__, inside)


def _six_axis(branches: _Branches, pose: Numbers) -> Scalar:
    """Fill eight slots; return the distance beyond reach."""
    p = branches.p
    R, lengths = pose[:3, :3], (p["lower_arm_length"], p["forearm_length"])
    px, py, pz = p["arm_from_base"] @ (pose[:3, 3] + R @ p["wrist"] - p["origin"])
    M = p["arm_from_base"] @ (R @ p["E"])
    rho, side = sqrt(px * px + py * py), abs(p["d"])
    gap = rho - side
    above, wide = gap < SINGULAR, where(gap > 0.0, gap, 0.0)
    radius = where(above, 0.0, sqrt(wide * (rho + side)))
    free = list(zip(p["free_sin"], p["free_cos"], strict=True))
    distances = []
    for f in (1, -1):
        X = f * radius
        s1, c1 = _unit(X * py - p["d"] * px, X * px + p["d"] * py, free[0])
        for e in (1, -1):
            planar = _two_links(X - p["a1"], pz, *lengths, e * f, free[1])
            aside = wide - gap
            beyond = sqrt(planar.beyond * planar.beyond + aside * aside)
            distances.append(beyond)
            valid = beyond <= REACH
            # of branches that a singularity makes one, the first is kept
            valid = valid if f > 0 else valid & ~above
            valid = valid if e > 0 else valid & ~planar.straight
            # W = C Ry(-x3) Rz(-x1) M = Rz(x4) Ry(x5) Rz(x6)
            sb, cb = planar.sin_b, planar.cos_b
            Rz = np.array([[c1, s1, 0.0], [-s1, c1, 0.0], [0.0, 0.0, 1.0]], object)
            Ry = np.array([[cb, 0.0, -sb], [0.0, 1.0, 0.0], [sb, 0.0, cb]], object)
            W = p["C"] @ (Ry @ (Rz @ M))
            h = sqrt(W[0, 2] * W[0, 2] + W[1, 2] * W[1, 2])
            in_line = h < SINGULAR
            size = p["wrist_sign"] / where(in_line, 1.0, h)
            s4 = where(in_line, free[3][0], size * W[1, 2])
            c4 = where(in_line, free[3][1], size * W[0, 2])
            x123 = [atan2(s1, c1), atan2(planar.sin_a, planar.cos_a)]
            x123.append(atan2(sb, cb))
            x4, x5 = atan2(s4, c4), atan2(c4 * W[0, 2] + s4 * W[1, 2], W[2, 2])
            x6 = atan2(c4 * W[1, 0] - s4 * W[0, 0], c4 * W[1, 1] - s4 * W[0, 1])
            flags = where(above, float(SHOULDER), 0.0) + where(planar.straight, float(ELBOW), 0.0)
            branches.add([*x123, x4, x5, x6], valid, flags + where(in_line, float(WRIST), 0.0))
            # the wrist flipped
            branches.add([*x123, x4 - math.pi, -x5, x6 - math.pi], valid & ~in_line, flags)
    return reduce(_smaller, distances)


def _palletizer(branches: _Branches, pose: Numbers) -> Scalar:
    """Fill four slots; return the distance beyond reach, inf where the tool would have to lean."""
    p = branches.p
    R, lengths = pose[:3, :3], (p["lower_arm_length"], p["forearm_length"])
    px, py, pz = p["arm_from_base"] @ (pose[:3, 3] + R @ p["wrist"] - p["origin"])
    upright, tool = _upright(p["arm_from_base"] @ (R @ p["E"].T))
    rho, side = sqrt(px * px + py * py), abs(p["d"])
    gap = rho - side
    above, wide = gap < SINGULAR, where(gap > 0.0, gap, 0.0)
    radius = where(above, 0.0, sqrt(wide * (rho + side)))
    free = list(zip(p["free_sin"], p["free_cos"], strict=True))
    distances = []
    for f in (1, -1):
        X = f * radius
        s1, c1 = _unit(X * py - p["d"] * px, X * px + p["d"] * py, free[0])
        for e in (1, -1):
            planar = _two_links(X - p["a1"] - p["a4"], pz - p["height"], *lengths, e * f, free[1])
            aside = wide - gap
            beyond = sqrt(planar.beyond * planar.beyond + aside * aside)
            distances.append(beyond)
            valid = (beyond <= REACH) & upright
            valid = valid if f > 0 else valid & ~above
            valid = valid if e > 0 else valid & ~planar.straight
            arms = [atan2(planar.sin_a, planar.cos_a), atan2(planar.sin_b, planar.cos_b)]
            flags = where(above, float(SHOULDER), 0.0) + where(planar.straight, float(ELBOW), 0.0)
            branches.add([atan2(s1, c1), *arms, tool], valid, flags)
    return where(upright, reduce(_smaller, distances), math.inf)


def _upright(M: Numbers) -> tuple[Value, Scalar]:
    """Return whether a rotation is about z, and its angle."""
    lean = sqrt(M[0, 2] * M[0, 2] + M[1, 2] * M[1, 2])
    return (lean <= TILT) & (M[2, 2] > 0.0), atan2(M[1, 0] - M[0, 1], M[0, 0] + M[1, 1])


def _scara(branches: _Branches, pose: Numbers) -> Scalar:
    """Fill two slots; return the distance beyond reach, inf where the tool would have to lean."""
    p = branches.p
    R, from_origin = pose[:3, :3], pose[:3, 3] - p["origin"]
    upright, tool = _upright(p["arm_from_base"] @ (R @ p["E"].T))
    x, y, _ = p["arm_from_base"] @ (from_origin + R @ p["wrist"])
    height = p["arm_from_base"][2] @ from_origin - p["height"]
    free = p["free_sin"][0], p["free_cos"][0]
    for e in (1, -1):
        planar = _two_links(y, x, p["lower_arm_length"], p["forearm_length"], e, free)
        valid = (planar.beyond <= REACH) & upright
        valid = valid if e > 0 else valid & ~planar.straight
        angles = [atan2(planar.sin_a, planar.cos_a), atan2(planar.sin_b, planar.cos_b)]
        branches.add([*angles, tool, height], valid, where(planar.straight, float(ELBOW), 0.0))
    return where(upright, planar.beyond, math.inf)


class _PlanarAngles(NamedTuple):
    """As ``closed_form.PlanarAngles``."""

    sin_a: Scalar
    cos_a: Scalar
    sin_b: Scalar
    cos_b: Scalar
    beyond: Scalar
    straight: Value


def _two_links(
    r: Scalar, z: Scalar, lower: Value, fore: Value, e: int, free: tuple[Value, Value]
) -> _PlanarAngles:
    """Solve a planar arm: see ``closed_form.solve_two_links``."""
    c = sqrt(r * r + z * z)
    longest, shortest = lower + fore, abs(lower - fore)
    outer, inner = longest - c, c - shortest
    least = _smaller(outer, inner)
    straight, folded = least < SINGULAR, c < SINGULAR
    area = outer * (longest + c) * inner * (c + shortest)
    S = e * where(straight, 0.0, sqrt(area))
    excess = (lower - fore) * longest
    K, L = c * c + excess, c * c - excess
    size_a, size_b = (1.0 / where(folded, 1.0, c * sqrt(k * k + S * S)) for k in (K, L))
    return _PlanarAngles(
        where(folded, free[0], (r * K - z * S) * size_a),
        where(folded, free[1], (z * K + r * S) * size_a),
        where(folded, -free[0], (r * L + z * S) * size_b),
        where(folded, -free[1], (z * L - r * S) * size_b),
        where(least < 0.0, -least, 0.0),
        straight,
    )


def _deviation(pose: Numbers) -> Scalar:
    """Return how far a matrix is from a rigid motion: see ``closed_form.are_rigid``."""
    first, second, third = R = pose[:3, :3]
    cofactors = np.stack([_cross(second, third), _cross(third, first), _cross(first, second)])
    off = [first @ first - 1.0, *(R - cofactors).ravel(), *pose[3, :3], pose[3, 3] - 1.0]
    largest = reduce(lambda a, b: where(b > a, b, a), map(abs, off))
    every = sum(x * 2.0**-5 for x in pose.ravel())  # which no finite numbers bring to infinity
    return where(abs(every) < math.inf, largest, NAN)


def _cross(a: Numbers, b: Numbers) -> Numbers:
    return np.array([a[i] * b[j] - a[j] * b[i] for i, j in ((1, 2), (2, 0), (0, 1))], object)


def _unit(y: Scalar, x: Scalar, free: tuple[Value, Value]) -> tuple[Scalar, Scalar]:
    """Return sine and cosine of the angle of a point; those of ``free`` at the origin."""
    length = sqrt(x * x + y * y)
    none = length <= 0.0
    size = 1.0 / where(none, 1.0, length)
    return where(none, free[0], y * size), where(none, free[1], x * size)


def _turn_in_range(turn: Scalar, low: Scalar, high: Scalar, seed: Scalar) -> tuple[Scalar, Value]:
    """Return an angle in the turn nearest to a seed or next to it, and whether it is in range."""
    turn = seed + _wrap(turn - seed)
    below, above = turn < low, turn > high
    turn = where(above, turn - FULL_TURN, where(below, turn + FULL_TURN, turn))
    return turn, (turn >= low) & (turn <= high)


def _larger(a: Scalar, b: Scalar) -> Scalar:
    return where(a > b, a, b)


def _smaller(a: Scalar, b: Scalar) -> Scalar:
    return where(a < b, a, b)


def _wrap(angle: Scalar) -> Scalar:
    """Return an angle within half a turn of 0; half a turn is positive, however it is rounded."""
    return angle - FULL_TURN * nearest(angle * (1.0 / FULL_TURN) - HALF_TURN)
