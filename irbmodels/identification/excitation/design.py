"""Excitation: motions from which base parameters can be told, under every limit of the robot.

Fourier series [Swevers et al. 1997] and Freudenstein 1-3-5 moves (S002) are linear in their parameters; those are searched so
that the base regressor, stacked over the motion, has a small condition number with columns of unit length [Gautier & Khalil
1992], or a large determinant. A random series is what both are measured by.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike, NDArray

from ...base_parameters import BaseParameters, base_parameters
from ...checks import finite
from ...errors import InputError
from ...robot import Robot
from ...trajectory import Motion, Trajectory, rapid_module
from .bounds import Bounds, Limiting
from .families import Family, Moves, Waves
from .regressor import BaseRegressor, condition, log_det, singular_values
from .search import Step, search
from .task import Task

Array = NDArray[np.float64]

RAPID_RATE = 10.0  # [Hz] of targets; the controller plans its own course in between


@dataclass(frozen=True, eq=False)
class Excitation:
    """A motion that excites, verified sample by sample."""

    name: str
    """Such as ``Fourier, 5 harmonics``."""
    robot: Robot
    """With its tool."""
    base: BaseParameters
    trajectory: Trajectory
    x: Array
    """Parameters of the motion: of :class:`~irbmodels.trajectory.FourierSeries`, or postures; shape ``(size, n)``."""
    seed: int
    criterion: str | None
    """What it was made for, ``condition`` or ``logdet``; None for a random one."""
    rate: float
    """[Hz] of the samples in which all that follows was verified; ten times that of the search."""
    singular_values: Array
    """Of the stacked base regressor with columns of unit length, the largest first, shape ``(rank,)``."""
    condition: float
    """Largest by smallest of them."""
    logdet: float
    """Logarithm of the determinant of ``Y'Y`` per sample; it grows with what the motion tells, units as the parameters."""
    shares: Mapping[str, Array]
    """Largest share of each limit: ``range`` (the coupled one too), ``speed``, ``acceleration``, ``torque``, ``box``."""
    collision_free: bool
    """Whether collision was looked for, and not found."""
    history: tuple[tuple[float, ...], ...]
    """Condition number by iteration, for each start."""
    start: int
    """Number of the start that won."""

    @property
    def motion(self) -> Motion:
        """The verified samples."""
        return self.trajectory.sample(self.rate)

    def sample(self, rate: float) -> Motion:
        """Return samples at ``rate`` [Hz]."""
        return self.trajectory.sample(rate)

    def rapid(self, name: str = "Excitation", tool: str = "tool0", rate: float = RAPID_RATE) -> str:
        """Return a RAPID module that runs the motion; see :func:`irbmodels.trajectory.rapid_module`.

        Args:
            name: Of the module; its procedure is ``run<name>``.
            tool: Name of the controller's tooldata, whose load the motion was made for.
            rate: Targets per second [Hz].
        """
        return rapid_module(self.sample(rate), self.robot, name, tool)

    @property
    def fullest(self) -> str:
        """The limit that is used most, such as ``speed of axis 4, 99 %``."""
        kind = max(self.shares, key=lambda one: float(self.shares[one].max()))
        number = int(np.argmax(self.shares[kind]))
        where = f"of the {'xyz'[number]} edge" if kind == "box" else f"of axis {number + 1}"
        return f"{kind} {where}, {float(self.shares[kind][number]):.0%}"


def fourier_excitation(
    robot: Robot,
    *,
    duration: float = 5.0,
    harmonics: int = 5,
    criterion: str = "condition",
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    starts: int = 3,
    iterations: int = 60,
    seed: int = 0,
    progress: Callable[[Step], object] = lambda _: None,
) -> Excitation:
    """Search a finite Fourier series that starts and ends at rest.

    Args:
        robot: With its tool, as in the experiment.
        duration: Of one period [s].
        harmonics: Of the series, at least 2.
        criterion: ``condition`` (small) or ``logdet`` (large).
        base: The parameters to be told, whose axes move; default ``base_parameters(robot)``, bodies only.
        bounds: What to keep besides ranges, speeds and torques; default no self-collision.
        posture: Where starts are drawn about, and where axes that do not move stand [rad, m], shape ``(n,)``; default the
            middle of all ranges. For ``base_parameters(..., held=q)`` give the same ``q``.
        starts: Random starts.
        iterations: Of SLSQP, at most, in each of the three steps of a start.
        seed: Of the random starts; the same seed gives the same motion.
        progress: Called after each iteration.

    Raises:
        MissingExtra: without casadi.
        UnknownName: if there is no such criterion.
        InputError: if a number is out of its bounds, the posture keeps no limits, or no start ends without collision.
        MissingData: if collision is to be avoided and the robot has no shapes.
    """
    task = _task(robot, Waves(harmonics, duration), base, bounds, posture)
    return _searched(robot, task, criterion, starts, iterations, seed, progress)


def freudenstein_excitation(
    robot: Robot,
    *,
    moves: int = 1,
    duration: float = 5.0,
    criterion: str = "condition",
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    starts: int = 3,
    iterations: int = 60,
    seed: int = 0,
    progress: Callable[[Step], object] = lambda _: None,
) -> Excitation:
    """Search the postures between which Freudenstein 1-3-5 moves run, one after another, all in the same time.

    Args:
        robot: With its tool, as in the experiment.
        moves: How many; S002 has one.
        duration: Of all moves together [s].
        criterion: As of :func:`fourier_excitation`, like all that follow.
        base: Parameters to be told.
        bounds: What to keep.
        posture: Where starts are drawn about.
        starts: Random starts.
        iterations: At most, per step.
        seed: Of the starts.
        progress: Called after each iteration.

    Raises:
        InputError: as :func:`fourier_excitation`, whose other errors it raises too.
    """
    task = _task(robot, Moves(moves, duration), base, bounds, posture)
    return _searched(robot, task, criterion, starts, iterations, seed, progress)


def random_excitation(
    robot: Robot,
    *,
    duration: float = 5.0,
    harmonics: int = 5,
    moves: int | None = None,
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    seed: int = 0,
) -> Excitation:
    """Return a random Fourier series: free coefficients N(0, 1), one common scale up to the first limit.

    The free coefficients are ``a_1 .. a_{L-1}`` and ``b_1 .. b_{L-2}``; the others follow from the rest at both ends.

    Args:
        robot: With its tool.
        duration: Of one period, or of all moves [s].
        harmonics: Of the series.
        moves: Instead of a series as many Freudenstein moves, between postures N(0, 1) about ``posture``, scaled alike.
        base: Parameters to be told.
        bounds: What to keep; where the robot would touch itself, the scale is smaller.
        posture: Where it starts and ends; default the middle of all ranges.
        seed: Of the coefficients.

    Raises:
        InputError: as :func:`fourier_excitation`.
    """
    family: Family = Waves(harmonics, duration) if moves is None else Moves(moves, duration)
    task = _task(robot, family, base, bounds, posture)
    direction = task.drawn(np.random.default_rng(seed))
    x = task.kept(task.scaled(direction, task.fine))
    if x is None:
        raise InputError("the robot touches itself however small this motion is: give another posture to move about")
    return _verified(robot, task, f"random {_named(family)}, seed {seed}", x, seed)


def compare(excitations: Sequence[Excitation]) -> str:
    """Return a table in Markdown, a row per excitation.

    Raises:
        InputError: if there is none.
    """
    if not excitations:
        raise InputError("a table needs one excitation or more")
    rows = ["| excitation | duration [s] | condition | log det | fullest limit |", "|---|---|---|---|---|"]
    for one in excitations:
        cells = one.name, f"{one.trajectory.duration:g}", f"{one.condition:.3g}", f"{one.logdet:.1f}", one.fullest
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _task(robot: Robot, family: Family, base: BaseParameters | None, bounds: Bounds | None, posture: ArrayLike | None) -> Task:
    chosen = base_parameters(robot) if base is None else base
    if chosen.grouping.shape[1] != robot.parameter_vector().size:
        raise InputError(f"these base parameters are not those of {robot.name}: take base_parameters(robot, ...)")
    limiting = Limiting(robot, Bounds() if bounds is None else bounds)
    place = limiting.middle if posture is None else finite(posture, (robot.n,), "posture [rad, m]")
    return Task(family, chosen, BaseRegressor(robot, chosen), limiting, place)


def _named(family: Family) -> str:
    if isinstance(family, Moves):
        return f"Freudenstein, {family.count} move{'s' if family.count > 1 else ''}"
    return f"Fourier, {family.waves} harmonics"


def _searched(
    robot: Robot, task: Task, criterion: str, starts: int, iterations: int, seed: int, progress: Callable[[Step], object]
) -> Excitation:
    found = search(task, criterion=criterion, starts=starts, iterations=iterations, seed=seed, progress=progress)
    return _verified(robot, task, _named(task.family), found.x, seed, criterion, found.history, found.start)


def _verified(
    robot: Robot,
    task: Task,
    name: str,
    x: Array,
    seed: int,
    criterion: str | None = None,
    history: tuple[tuple[float, ...], ...] = (),
    start: int = 0,
) -> Excitation:
    """Return the motion with what its own samples say, not the search's."""
    trajectory = task.family.trajectory(x)
    motion = trajectory.sample(task.rate)
    assert motion.v is not None
    assert motion.a is not None
    Y = task.regressor.stacked(motion.q, motion.v, motion.a)
    x.setflags(write=False)
    return Excitation(
        name=name,
        robot=robot,
        base=task.base,
        trajectory=trajectory,
        x=x,
        seed=seed,
        criterion=criterion,
        rate=task.rate,
        singular_values=singular_values(Y),
        condition=condition(Y),
        logdet=log_det(Y, len(motion.t)),
        shares=task.limiting.worst(motion.q, motion.v, motion.a),
        collision_free=task.limiting.bounds.collision,
        history=history,
        start=start,
    )
