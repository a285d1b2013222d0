"""Pieces of a program's motion in time, and the postures in which its moves may start."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

import numpy as np

from ...model.types import Array, IntArray
from ...rapid import Move
from ...robot.robot import Robot
from ...trajectory import Motion
from .joint_segments import JointSegment, MoveTiming, run_segments
from .program_loads import Held

SAME = 1e-9  # [m, rad] a shorter move is none


class Start(NamedTuple):
    """Where a move may start."""

    q: Array | None
    """Axis positions [rad, m]; None if the program does not tell where the arm comes from."""
    line: int
    """Of the move that ends there; 0 where the program begins."""
    held: Held
    """Payload that the robot has there."""


class Starts:
    """Starts of a program's moves: each begins where one of those right before it may end."""

    def __init__(self, first: Start) -> None:
        """Begin with the start of the program."""
        self._first = (first,)
        self._ends: list[tuple[Start, ...]] = []

    def of(self, move: Move) -> tuple[Start, ...]:
        """Return the starts of the next instruction of a sequence, each once."""
        number, starts = len(self._ends), list[Start]()
        for back in move.after:
            for end in self._ends[number - back] if back <= number else self._first:
                if not any(_same(end, start) for start in starts):
                    starts.append(end)
        # where the program begins, the posture is not known: another start with the payload is
        held = [start.held for start in starts if start.q is not None]
        return tuple(
            start
            for start in starts
            if start.q is not None or not any(start.held is one for one in held)
        )

    def add(self, ends: Sequence[Start]) -> None:
        """Take where the instruction ends, from each of its starts."""
        self._ends.append(tuple(ends))


def _same(one: Start, other: Start) -> bool:
    if one.q is None or other.q is None:
        return one.q is other.q and one.held is other.held
    same = one.q is other.q or float(np.abs(one.q - other.q).max()) <= SAME
    return same and one.held is other.held


@dataclass
class MotionPieces:
    """Pieces of a motion, one after another; times go on from piece to piece."""

    robot: Robot
    step: float
    """[s] between samples."""
    slow: bool
    """Whether moves are slowed to the rated speeds."""
    t: float = 0.0
    """[s] where the last piece ends."""
    pieces: list[Motion] = field(default_factory=list)
    lines: list[IntArray] = field(default_factory=list)
    timings: list[MoveTiming] = field(default_factory=list)
    segments: list[JointSegment] = field(default_factory=list)
    """Joint moves with times that wait for a point to stop at."""

    def begin(self, q: Array) -> None:
        """Leave a step of time before a piece that begins in another posture than the last ends."""
        self.run_segments()
        if self.pieces and not self._goes_on(q):
            self.t += self.step

    def append(self, motion: Motion, timing: MoveTiming) -> None:
        """Append the motion of a move, whose times begin at 0."""
        first = int(self._goes_on(motion.q[0]))
        self.pieces.append(motion.each(lambda x: x[first:])._replace(t=self.t + motion.t[first:]))
        self.lines.append(np.full(len(motion.t) - first, timing.line))
        self.timings.append(timing)
        self.t = timing.end

    def run_segments(self) -> bool:
        """Append the motion of the joint moves that wait; return whether it passes points."""
        waiting, self.segments = self.segments, []
        if not waiting:
            return False
        start = waiting[0].start
        if self.pieces and not self._goes_on(start):
            self.t += self.step
        first = int(self._goes_on(start))
        motion, lines, timings = run_segments(
            self.robot, waiting, self.t, self.step, self.slow, first
        )
        self.pieces.append(motion)
        self.lines.append(lines)
        self.timings += timings
        self.t = timings[-1].end
        return len(waiting) > 1

    def stand(self, line: int, q: Array) -> None:
        """Stand at a posture, for one sample."""
        self.begin(q)
        if self._goes_on(q):
            return
        rest = np.zeros((1, len(q)))
        self.pieces.append(Motion(np.array([self.t]), q[None].copy(), rest, rest.copy()))
        self.lines.append(np.array([line]))

    def joined(self) -> tuple[Motion, IntArray]:
        """Return the whole motion, and the line of each sample."""
        empty = Motion(np.zeros(0), *np.zeros((3, 0, self.robot.n)))
        lines = np.concatenate([np.zeros(0, dtype=np.int64), *self.lines])
        return Motion.joined([empty, *self.pieces]), lines

    def _goes_on(self, q: Array) -> bool:
        """Return whether a posture is that of the last sample, with which a piece then begins."""
        return bool(self.pieces) and float(np.abs(self.pieces[-1].q[-1] - q).max()) <= SAME
