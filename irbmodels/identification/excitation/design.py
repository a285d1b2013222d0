"""Excitation: motions from which base parameters can be told, under every limit of the robot.

Fourier series [Swevers et al. 1997] and Freudenstein 1-3-5 moves (S002) are linear in their
parameters; those are searched so that the base regressor, stacked over the motion, has a small
condition number with columns of unit length [Gautier & Khalil 1992], or a large determinant. A
random series is what both are measured by.
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
from ...trajectory import Motion, Trajectory, rapid_module
from .bounds import Bounds, Limiting
from .parametrizations import Family, Fourier
from .problem import Task
from .regressor import BaseRegressor, condition, log_det, singular_values
from .search import Step, search

SERIES = Fourier(5, 5.0)  # five harmonics, five seconds
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
    """Parameters of the motion: of :class:`~irbmodels.trajectory.FourierSeries`, or postures.

    Shape ``(size, n)``.
    """
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
    """Logarithm of the determinant of ``Y'Y`` per sample.

    It grows with what the motion tells, units as the parameters.
    """
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
        """Return a RAPID module that runs the motion.

        See :func:`irbmodels.trajectory.rapid_module`.

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
    """Search a family of motions for the one that tells parameters apart best.

    Args:
        robot: With its tool, as in the experiment.
        family: What moves: :class:`Fourier` or :class:`Freudenstein`.
        criterion: ``condition`` (small) or ``logdet`` (large).
        base: The parameters to be told, whose axes move; default ``base_parameters(robot)``, bodies
            only.
        bounds: What to keep besides ranges, speeds and torques; default no self-collision.
        posture: Where starts are drawn about, and where axes that do not move stand [rad, m], shape
            ``(n,)``; default the middle of all ranges. For ``base_parameters(..., held=q)`` give
            the same ``q``.
        starts: Random starts.
        iterations: Of SLSQP, at most, in each of the three steps of a start.
        seed: Of the random starts; the same seed gives the same motion.
        progress: Called after each iteration.

    Raises:
        MissingExtra: without casadi.
        UnknownName: if there is no such criterion.
        InputError: if a number is out of its bounds, the posture keeps no limits, or no start ends
            without collision.
        MissingData: if collision is to be avoided and the robot has no shapes.
    """
    require("casadi", "fast")
    task = _task(robot, family, base, bounds, posture)
    found = search(
        task,
        criterion=criterion,
        starts=starts,
        iterations=iterations,
        seed=seed,
        progress=progress,
    )
    return _verified(robot, task, family.name, found.x, seed, criterion, found.history, found.start)


def random_excitation(
    robot: Robot,
    family: Family = SERIES,
    *,
    base: BaseParameters | None = None,
    bounds: Bounds | None = None,
    posture: ArrayLike | None = None,
    seed: int = 0,
) -> Excitation:
    """Return a random motion: free coefficients, or postures, N(0, 1) about ``posture``, one common scale up to the first limit.

    The free coefficients of a series are ``a_1 .. a_{L-1}`` and ``b_1 .. b_{L-2}``; the others
    follow from the rest at both ends. Arguments are those of :func:`optimal_excitation`, errors
    too. Where the robot would touch itself, the scale is smaller.
    """
    require("casadi", "fast")
    task = _task(robot, family, base, bounds, posture)
    x = task.kept(task.scaled(task.drawn(np.random.default_rng(seed)), task.fine))
    if x is None:
        raise InputError(
            "the robot touches itself however small this motion is: give another posture to move"
            " about"
        )
    return _verified(robot, task, f"random {family.name}, seed {seed}", x, seed)


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
    for one in excitations:
        cells = (
            one.name,
            one.criterion or "nothing",
            f"{one.trajectory.duration:g}",
            f"{one.condition:.3g}",
            f"{one.logdet:.1f}",
            one.fullest,
        )
        rows.append(f"| {' | '.join(cells)} |")
    return "\n".join(rows)


def _task(
    robot: Robot,
    family: Family,
    base: BaseParameters | None,
    bounds: Bounds | None,
    posture: ArrayLike | None,
) -> Task:
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
    chosen = base_parameters(robot) if base is None else base
    if chosen.grouping.shape[1] != robot.parameter_vector().size:
        raise InputError(
            f"these base parameters are not those of {robot.name}: take base_parameters(robot, ...)"
        )
    limiting, law = Limiting(robot, Bounds() if bounds is None else bounds), robot.friction_model
    for axis in chosen.axes:
        takes, most = 0.0 if law is None else float(law.Fs[axis]), float(robot.limits.effort[axis])
        if takes >= most > 0.0:
            raise InputError(
                f"friction of axis {axis + 1} of {robot.name} takes {takes:g} before it moves, its"
                f" effort limit is {most:g}: no motion keeps that"
            )
    place = limiting.middle if posture is None else finite(posture, (robot.n,), "posture [rad, m]")
    return Task(family, chosen, BaseRegressor(robot, chosen), limiting, place)


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
    found = Excitation(
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
    if not np.isfinite(found.condition):  # it was made smaller and smaller, and stands
        raise InputError(
            f"no motion of {robot.name} about this posture keeps every limit: give another one, or"
            " wider bounds"
        )
    return found
