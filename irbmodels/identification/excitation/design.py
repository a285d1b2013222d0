"""Excitation: motions that make base parameters identifiable, under every limit of the robot.

Fourier series [Swevers et al. 1997] and Freudenstein 1-3-5 moves (S002) are linear in their
parameters; those are searched so that the base regressor, stacked over the motion, has a small
condition number with columns of unit length [Gautier & Khalil 1992], or a large determinant. A
random series is the reference for both.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, finite
from ...errors import InputError, require
from ...model.types import Array
from ...robot.base_parameters import BaseParameters, base_parameters
from ...robot.robot import Robot
from ...trajectory import Motion, RapidLog, Trajectory, rapid_module
from .bounds import Bounds, MotionLimits
from .parametrizations import Family, Fourier
from .problem import ExcitationProblem
from .regressor import BaseRegressor, condition, log_det, singular_values
from .search import SearchResult, Step, search

SERIES = Fourier(5, 5.0)  # five harmonics, five seconds
RAPID_RATE = 10.0  # [Hz] of targets; the controller interpolates between them


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
    """Parameters of the motion: of :class:`~irbmodels.trajectory.FourierSeries`, or postures.

    Shape ``(size, n)``.
    """
    seed: int
    criterion: str | None
    """Criterion of the search, ``condition`` or ``logdet``; None for a random one."""
    rate: float
    """[Hz] of the samples in which all that follows was verified; ten times that of the search."""
    singular_values: Array
    """Of the stacked base regressor with unit columns, the largest first, shape ``(rank,)``."""
    condition: float
    """Ratio of the largest to the smallest of them."""
    logdet: float
    """Logarithm of the determinant of ``Y'Y`` per sample.

    It grows with the information of the motion, units as the parameters.
    """
    shares: Mapping[str, Array]
    """Largest share of each limit by its kind.

    ``range`` (the coupled one too), ``speed``, ``acceleration``, ``torque``, ``box``.
    """
    collision_free: bool
    """True if collision was checked, and not found."""
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

    def rapid(
        self,
        name: str = "Excitation",
        tool: str = "tool0",
        rate: float = RAPID_RATE,
        log: RapidLog | None = None,
    ) -> str:
        """Return a RAPID module that runs the motion (:func:`.rapid_module`).

        Args:
            name: Of the module; its procedure is ``run<name>``.
            tool: Name of the controller's tooldata, whose load the motion was made for.
            rate: Targets per second [Hz].
            log: Of positions, speeds and torques, to a file on the controller; default none.
        """
        return rapid_module(self.sample(rate), self.robot, name, tool, log)

    @property
    def fullest(self) -> str:
        """The limit that is used most, such as ``speed of axis 4, 99 %``."""
        kind = max(self.shares, key=lambda one: float(self.shares[one].max()))
        number = int(np.argmax(self.shares[kind]))
        where = f"of the {'xyz'[number]} edge" if kind == "box" else f"of axis {number + 1}"
        return f"{kind} {where}, {float(self.shares[kind][number]):.0%}"


def optimal_excitation(
    robot: Robot,
    family: Family = SERIES,
    *,
    criterion: str = "condition",
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    starts: int = 3,
    iterations: int = 60,
    seed: int = 0,
    progress: Callable[[Step], object] = lambda _: None,
) -> Excitation:
    """Search a family of motions for the one that identifies parameters best.

    Args:
        robot: With its tool, as in the experiment.
        family: Family of motions: :class:`Fourier` or :class:`Freudenstein`.
        criterion: ``condition`` (small) or ``logdet`` (large).
        base: Parameters to be identified, whose axes move; default ``base_parameters(robot)``,
            bodies only.
        bounds: Bounds besides ranges, speeds and torques; default no self-collision.
        posture: Centre of random starts, and position of axes that do not move [rad, m], shape
            ``(n,)``; default the middle of all ranges. For ``base_parameters(..., held=q)`` give
            the same ``q``.
        starts: Number of random starts.
        iterations: Of SLSQP, at most, in each of the three steps of a start.
        seed: Of the random starts; the same seed gives the same motion.
        progress: Called after each iteration.

    Raises:
        MissingExtra: without casadi.
        UnknownName: if there is no such criterion.
        InputError: if a number is out of its bounds, the posture keeps no limits, or no start ends
            without collision.
        MissingData: if the speed limit of an axis that moves is unknown, or collision is to be
            avoided and the robot has no shapes.
    """
    problem = _problem(robot, family, base, bounds, posture)
    result = search(
        problem,
        criterion=criterion,
        starts=starts,
        iterations=iterations,
        seed=seed,
        progress=progress,
    )
    return _verify(robot, problem, family.name, result, seed, criterion)


def random_excitation(
    robot: Robot,
    family: Family = SERIES,
    *,
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    seed: int = 0,
) -> Excitation:
    """Return a random motion, scaled up to the first limit.

    Its free coefficients, or postures, are N(0, 1) about ``posture``, all at one scale. The free
    coefficients of a series are ``a_1 .. a_{L-1}`` and ``b_1 .. b_{L-2}``; the others follow from
    the rest at both ends. Arguments are those of :func:`optimal_excitation`, errors too. Where the
    robot would touch itself, the scale is smaller.
    """
    problem = _problem(robot, family, base, bounds, posture)
    direction = problem.random_direction(np.random.default_rng(seed))
    x = problem.shrink_to_limits(problem.scale_to_limits(direction, problem.fine))
    if x is None:
        raise InputError(
            "the robot touches itself however small this motion is: give another posture to move"
            " about"
        )
    result = SearchResult(x, start=0, history=())
    return _verify(robot, problem, f"random {family.name}, seed {seed}", result, seed)


def compare(excitations: Sequence[Excitation]) -> str:
    """Return a table in Markdown, a row per excitation.

    Raises:
        InputError: if there is none.
    """
    if not excitations:
        raise InputError("a table needs one excitation or more")
    rows = [
        "| excitation | made for | duration [s] | condition | log det | fullest limit |",
        "|---|---|---|---|---|---|",
    ]
    rows += [
        f"| {one.name} | {one.criterion or 'nothing'} | {one.trajectory.duration:g}"
        f" | {one.condition:.3g} | {one.logdet:.1f} | {one.fullest} |"
        for one in excitations
    ]
    return "\n".join(rows)


def _problem(
    robot: Robot,
    family: Family,
    base: BaseParameters | None,
    bounds: Bounds | None,
    posture: ArrayLike | None,
) -> ExcitationProblem:
    require("casadi", "symbolic")
    as_instance(robot, Robot, "what is excited is an irbmodels.Robot")
    as_instance(
        family,
        Family,
        "a family of motions is a Fourier(harmonics, duration) or a Freudenstein(moves, duration)",
    )
    as_instance(
        base, BaseParameters | None, "base parameters are those that base_parameters(robot) returns"
    )
    as_instance(bounds, Bounds | None, "bounds of an excitation are Bounds(...)")
    moved = np.ones(robot.n, dtype=bool) if base is None else np.isin(np.arange(robot.n), base.axes)
    robot.limits.need_speeds(robot.name, "an excitation", moved)
    chosen = base_parameters(robot) if base is None else base
    if chosen.grouping.shape[1] != robot.parameter_vector().size:
        raise InputError(
            f"these base parameters are not those of {robot.name}: take base_parameters(robot, ...)"
        )
    limits, friction = MotionLimits(robot, bounds or Bounds()), robot.friction_model
    alone = np.count_nonzero(robot.drive_axes, axis=0) == 1  # no other drive loads the axis
    for axis in np.intersect1d(chosen.axes, np.flatnonzero(alone)):
        # an excitation moves both ways
        breakaway = 0.0 if friction is None else float((friction.Fs + np.abs(friction.dFc))[axis])
        effort = float(robot.limits.effort[axis])
        if breakaway >= effort > 0.0:
            raise InputError(
                f"friction of axis {axis + 1} of {robot.name} takes {breakaway:g} before it moves,"
                f" its effort limit is {effort:g}: no motion keeps that"
            )
    centre = limits.middle if posture is None else finite(posture, (robot.n,), "posture [rad, m]")
    return ExcitationProblem(family, chosen, BaseRegressor(robot, chosen), limits, centre)


def _verify(
    robot: Robot,
    problem: ExcitationProblem,
    name: str,
    result: SearchResult,
    seed: int,
    criterion: str | None = None,
) -> Excitation:
    """Return the motion with the numbers of its own samples, not the search's."""
    trajectory = problem.family.trajectory(result.x)
    motion = trajectory.sample(problem.rate)
    assert motion.v is not None
    assert motion.a is not None
    Y = problem.regressor.stacked(motion.q, motion.v, motion.a)
    result.x.setflags(write=False)
    excitation = Excitation(
        name=name,
        robot=robot,
        base=problem.base,
        trajectory=trajectory,
        x=result.x,
        seed=seed,
        criterion=criterion,
        rate=problem.rate,
        singular_values=singular_values(Y),
        condition=condition(Y),
        logdet=log_det(Y, len(motion.t)),
        shares=problem.limits.largest_shares(motion.q, motion.v, motion.a),
        collision_free=problem.limits.bounds.collision,
        history=result.history,
        start=result.start,
    )
    if not np.isfinite(excitation.condition):  # it was made smaller and smaller, and stands
        raise InputError(
            f"no motion of {robot.name} about this posture keeps every limit: give another one, or"
            " wider bounds"
        )
    return excitation
