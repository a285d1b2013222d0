"""Samples of a path with every number that it is checked by."""

from __future__ import annotations

import warnings
from typing import NamedTuple

import numpy as np

from ...checks import as_instance, as_list
from ...dynamics.equations_of_motion import TorqueParts
from ...errors import InputError, MissingData, PhysicsWarning
from ...model.tree import UNLIMITED
from ...model.types import Array, IntArray, Mask
from ...robot.robot import Robot
from ...trajectory import Motion
from ..milling import CuttingForce, process_torque
from ..milling.loads import stiffness_of


class Samples(NamedTuple):
    """States of ``N`` samples and the numbers that follow from them, SI units."""

    t: Array
    q: Array
    v: Array
    a: Array
    lines: IntArray
    """Lines of the program, or rows of the file; 0 for a motion made in code."""
    margin: Array
    """Distance to the nearer end of the range of each axis [rad, m], ``(N, n)``; negative outside.

    A bound of a sum counts as one of its last axis: ``q3 - q2`` of axis 3.
    """
    used: Array
    """Used share of each half range, ``(N, n)``: 0 in its middle or without ends, 1 at an end."""
    speed: Array
    """``|v|`` as a share of its limit, ``(N, n)``; NaN where that is unknown."""
    acceleration: Array | None
    """The same of ``|a|``; None without a limit."""
    torque: Array
    """The same of ``|tau|``; the limits are assumed. NaN, too, where masses are unknown."""
    parts: TorqueParts
    """Torques by cause [N m, N], ``(N, n)`` each; the total includes that of a cut."""
    wrist: Array
    """Signed distances from singularities [rad, rad, m], ``(N,)``.

    Infinite where an arm has no such one, NaN if not known.
    """
    elbow: Array
    shoulder: Array
    smallest: Array
    """Smallest singular value of the TCP's Jacobian at 1 m/rad, ``(N,)``."""
    manipulability: Array
    """Product of its singular values, ``(N,)``."""
    tcp: Array
    """Position of the TCP [m] in the world, ``(N, 3)``."""
    deflection: Array | None
    """Displacement of the TCP by a cut [m], ``(N,)``; None without a cut or a stiffness."""

    @property
    def tau(self) -> Array:
        """Torque of each axis [N m, N], ``(N, n)``, that of a cut included."""
        return self.parts.total

    @property
    def power(self) -> Array:
        """Mechanical power of each axis [W], ``(N, n)``; negative where the arm drives the axis."""
        return self.tau * self.v

    @property
    def total_power(self) -> Array:
        """Mechanical power of all axes together [W], ``(N,)``."""
        total: Array = self.power.sum(axis=1)
        return total


class Cut(NamedTuple):
    """A cut along a path, or along a part of it."""

    force: CuttingForce
    stiffness: Array | None = None
    """Of each axis, arm side [N m/rad, N/m], shape ``(n,)``."""
    lines: tuple[int | range, ...] | None = None
    """Lines of the program, or rows of the file, in which the tool cuts, and ranges of them.

    None: in all.
    """


def checked_cut(cut: Cut, n: int) -> Cut:
    """Return a cut of an arm with ``n`` axes.

    Raises:
        InputError: if it is none, or its lines or stiffness cannot be.
    """
    as_instance(cut, Cut, "a cut is Cut(force, stiffness, lines)")
    what = "the force of a cut is a CuttingForce, as Milling(...).mean() returns it"
    as_instance(cut.force, CuttingForce, what)
    if cut.lines is not None:
        what = "lines of a cut are numbers and ranges of them"
        cut = cut._replace(lines=tuple(as_list(cut.lines, int | range, what)))
    if any(isinstance(one, range) and one.step != 1 for one in cut.lines or ()):
        raise InputError("ranges of lines of a cut go in steps of 1")
    if cut.stiffness is not None:
        cut = cut._replace(stiffness=stiffness_of(cut.stiffness, n))
    return cut


def in_lines(lines: IntArray, wanted: tuple[int | range, ...]) -> Mask:
    """Return which of the lines of samples are among lines and ranges of them."""
    ranges = [one if isinstance(one, range) else range(one, one + 1) for one in wanted]
    inside = [(lines >= one.start) & (lines < one.stop) for one in ranges]
    return np.any(inside, axis=0) if inside else np.zeros(lines.shape, dtype=bool)


def format_lines(lines: tuple[int | range, ...]) -> str:
    """Return ``line 3`` or ``lines 3, 5-7``."""
    words = [f"{one.start}-{one.stop - 1}" if isinstance(one, range) else str(one) for one in lines]
    return f"line{'' if len(lines) == 1 and isinstance(lines[0], int) else 's'} {', '.join(words)}"


def evaluate_samples(
    robot: Robot,
    motion: Motion,
    lines: IntArray,
    acceleration: Array | None = None,
    cut: Cut | None = None,
) -> Samples:
    """Return the samples of a motion with the numbers that follow from them.

    Args:
        robot: With its tool.
        motion: With speeds and accelerations.
        lines: Line or row of each sample ``(N,)``; 0 for none.
        acceleration: Limits ``(n,)`` [rad/s^2, m/s^2], or None.
        cut: What is milled: its torque is added in the lines where the tool cuts.
    """
    q, v, a = motion.q, motion.v, motion.a
    assert v is not None
    assert a is not None
    limits = robot.limits
    low = np.where(limits.lower <= -UNLIMITED, -np.inf, limits.lower)
    high = np.where(limits.upper >= UNLIMITED, np.inf, limits.upper)
    parts = TorqueParts(*np.full((len(TorqueParts._fields), *q.shape), np.nan))
    if robot.dynamic_model.has_masses:
        with warnings.catch_warnings():
            # the result itself shows that friction is not known
            warnings.simplefilter("ignore", PhysicsWarning)
            parts = robot.torque_parts(q, v, a)
    deflection = None
    if cut is not None:
        cutting = None if cut.lines is None else in_lines(lines, cut.lines)
        _, torque, bent = process_torque(robot, q, v, cut.force, cut.stiffness, cutting)
        parts = parts._replace(total=parts.total + torque)
        deflection = None if bent is None else np.linalg.norm(bent[:, :3], axis=1)
    try:
        wrist, elbow, shoulder, _ = robot.singularities(q)
    except MissingData:
        wrist = elbow = shoulder = np.full(len(q), np.nan)
    measures = robot.measures(q)
    values = q @ limits.A.T
    margin, half = np.minimum(values - low, high - values), 0.5 * (high - low)
    bounded = np.isfinite(half)
    used = np.where(bounded, 1.0 - np.where(bounded, margin, 0.0) / half, 0.0)
    return Samples(
        motion.t,
        q,
        v,
        a,
        lines,
        margin=-limits.by_axis(-margin),
        used=limits.by_axis(used),
        speed=_shares(v, limits.velocity),
        acceleration=None if acceleration is None else np.abs(a) / acceleration,
        torque=_shares(parts.total, limits.effort),
        parts=parts,
        wrist=wrist,
        elbow=elbow,
        shoulder=shoulder,
        smallest=measures.smallest,
        manipulability=measures.manipulability,
        tcp=np.asarray(robot.pose(q, reference="world"))[:, :3, 3],
        deflection=deflection,
    )


def _shares(values: Array, bound: Array) -> Array:
    """Return sizes ``(N, n)`` as shares of their bounds ``(n,)``; NaN of an infinite one."""
    return np.asarray(np.abs(values) / np.where(np.isfinite(bound), bound, np.nan))
