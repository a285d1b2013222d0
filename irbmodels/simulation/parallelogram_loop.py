"""An arm with its parallelograms as closed loops, whose rods may be elastic along themselves.

With rigid bars it answers what :class:`irbmodels.Robot` does, by another road. An elastic rod adds
one degree of freedom: its elongation ``e``, which the upper arm follows while crank and lower arm
stand where the motors hold them. That is why it is a class of its own, and no coupling of ``load``:
a ``Robot`` has the state of its axes.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property, partial
from typing import Any, Literal, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_choice, as_instance, finite, number, positive
from ..dynamics.parallelogram_loop import LoopAcceleration, LoopTorque, LoopTree
from ..errors import InputError, NoSolution, UnknownName
from ..model.types import Array, Mask
from ..robot.robot import Robot
from .inputs import MAX_FUNCTION_STEP, TorqueInput, TorqueSource, check_settings
from .run import SimulationError

MotorState = Literal["held", "free"]
_STEPS = 30  # of the search for an equilibrium, whose error shrinks by weight / (k crank) each
_EXACT = 1e-12  # of the elongation, where that search ends


class LoopEquilibrium(NamedTuple):
    """An arm at rest on elastic rods; ``m`` rods, in the order of ``ParallelogramLoop.rods``."""

    e: Array
    """Elongations of the rods [m], ``(m,)``, negative where one is pressed together."""
    rods: Array
    """Forces along the rods [N], ``(m,)``, positive where one pushes its pins apart."""
    torque: Array
    """Torques of the motors in axis coordinates that hold it [N m], shape ``(n,)``."""
    tcp: pin.SE3
    """Pose of the TCP in the base."""


class LoopMotion(NamedTuple):
    """A simulated motion, one row per sample."""

    t: Array
    """Time [s], shape ``(N,)``."""
    q: Array
    """Positions of the axes [rad], ``(N, n)``; that of axis 3 is the crank's."""
    v: Array
    """Their speeds [rad/s], ``(N, n)``."""
    e: Array
    """Elongations of the rods [m], ``(N, m)``."""
    e_dot: Array
    """Their rates [m/s], ``(N, m)``."""
    rods: Array
    """Forces along the rods [N], ``(N, m)``, positive where one pushes its pins apart."""


@dataclass(frozen=True, eq=False, repr=False)
class ParallelogramLoop:
    """An arm with parallelograms, whose bars turn freely and whose rods' pins join them.

    ``q, v`` are in the controller's axes: axis 3 is the crank, where its motor is. Torques are
    those of the motors in axis coordinates, without friction, which the loop does not have; springs
    of the axes, rotors, tool, payload and mounting are the robot's. Bars with mass need a set of
    inertials that has them.

    An elastic rod elongates at its far end: its mass stays with the pin that carries it.

    Raises:
        InputError: if the robot has no parallelogram, was loaded without its bars, its loops do
            not close, or stiffness or damping are none.
        UnknownName: if there is no such rod.
        MissingData: if its masses are unknown.
    """

    robot: Robot
    rod_stiffness: float | Mapping[str, float] | None = None
    """Of a rod and its two bearings along the rod [N/m]: of every rod, or by link, others rigid
    (``{"link_rod": 2e7}``); None where all are rigid. None is published: there is no default."""
    rod_damping: float | Mapping[str, float] = 0.0
    """Of the elastic rods likewise [N s/m]."""

    def __post_init__(self) -> None:
        """Check what is given."""
        as_instance(self.robot, Robot, "the arm of a ParallelogramLoop is an irbmodels.Robot")
        if self._damping[~self._is_elastic].any():
            raise InputError(
                "a rigid rod has no damping: give rod_stiffness [N/m] with rod_damping"
            )

    @cached_property
    def tree(self) -> LoopTree:
        """The open tree and the closures of its loops."""
        rigid = LoopTree(self.robot.dynamic_model)
        stiffness = _per_rod(self.rod_stiffness, rigid.rods, positive, "rod_stiffness [N/m]")
        return replace(rigid, elastic=tuple(np.flatnonzero(stiffness).tolist()))

    @property
    def rods(self) -> tuple[str, ...]:
        """Links that are rods: ``link_rod``, and those that keep the tool of a palletizer level."""
        return self.tree.rods

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        torque: ArrayLike,
        *,
        e: ArrayLike | None = None,
        e_dot: ArrayLike | None = None,
        wrench: ArrayLike | None = None,
    ) -> LoopAcceleration:
        """Accelerations of axes and elongations, and the pin forces, at one state.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            v: Axis speeds [rad/s].
            torque: Torques of the motors in axis coordinates [N m], without friction.
            e: Elongations of the rods [m], ``(m,)``, or one number for all elastic ones; default
                none.
            e_dot: Their rates [m/s].
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.

        Raises:
            InputError: if a shape is wrong, a rigid rod should elongate, or the loops cannot close.
        """
        position, speed = self.robot.states.one(q), self.robot.states.one_velocity(v)
        tau = finite(torque, (self.robot.n,), f"torque of {self.robot.name}")
        lengths, rates = self._of_elastic(e, "e [m]"), self._of_elastic(e_dot, "e_dot [m/s]")
        return self._acceleration(position, speed, tau, _load(wrench), lengths, rates)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrench: ArrayLike | None = None
    ) -> LoopTorque:
        """Motor torques and pin forces of a motion with rods that keep their lengths.

        Arguments as :meth:`forward_dynamics`.

        Raises:
            InputError: if a shape is wrong, or a rod is elastic: its elongation along a motion is
                the solution of a differential equation, which :meth:`simulate` solves.
        """
        if self.tree.elastic:
            raise InputError(
                "torques of a motion are those of a rigid rod: ParallelogramLoop(robot)"
                ".inverse_dynamics(...); an elastic one has equilibrium and simulate"
            )
        position, speed, acceleration = self.robot.states.one_motion(q, v, a)
        state = self.tree.state(position, speed)
        return self.tree.torque(state, acceleration, _load(wrench))

    def mass_matrix(self, q: ArrayLike, *, e: ArrayLike | None = None) -> Array:
        """Inertia of the axes, rotors included, and of the elongations of elastic rods after them.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            e: Elongations of the rods [m], as :meth:`forward_dynamics`.

        Returns:
            Shape ``(n + k, n + k)`` with ``k`` elastic rods; their rows are in kg and kg m.
        """
        position, still = self.robot.states.one(q), np.zeros(self.robot.n)
        state = self.tree.state(position, still, self._of_elastic(e, "e [m]"))
        free = self.tree.free
        return np.asarray(self.tree.mass_matrix(state)[np.ix_(free, free)])

    def equilibrium(self, q: ArrayLike, *, wrench: ArrayLike | None = None) -> LoopEquilibrium:
        """Return the arm at rest, its motors held at ``q``.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.

        Raises:
            InputError: if a shape is wrong, or crank and lower arm are in one line.
            NoSolution: if a rod is too soft for what it carries.
        """
        position, load, still = self.robot.states.one(q), _load(wrench), np.zeros(self.robot.n)
        e, state = np.zeros(len(self.rods)), self.tree.state(position, still)
        for _ in range(_STEPS):
            held = self.tree.torque(state, still, load)
            along = held.pins[:, 0]
            wanted = np.zeros(len(e))
            np.divide(-along, self._stiffness, out=wanted, where=self._is_elastic)
            if (np.abs(wanted - e) <= _EXACT * np.maximum(np.abs(wanted), _EXACT)).all():
                return LoopEquilibrium(e, along, held.torque, self.tree.tcp(state))
            e = wanted
            try:
                state = self.tree.state(position, still, e)
            except InputError:
                break
        soft = int(np.abs(e).argmax())
        raise NoSolution(
            f"{self.rods[soft]} of {self._stiffness[soft]:g} N/m does not hold {self.robot.name} at"
            f" q = {position.tolist()}: it would be {e[soft] * 1e3:.3g} mm longer"
        )

    def frequencies(self, q: ArrayLike, motors: MotorState = "held") -> Array:
        """Undamped eigenfrequencies of the arm on its elastic rods [Hz], about rest at ``q``.

        One per elastic rod, ascending. They are those of the rods' stiffness ``K`` on the inertia
        of the elongations: ``M_ee`` where the motors are held, the inverse of ``(M^-1)_ee`` where
        they are free. What weight does to them, of the order of the elongation by the crank's
        length, is left out.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            motors: ``held`` (brakes on, or a stiff control) or ``free``.

        Raises:
            InputError: if all rods are rigid, or free motor 3 and bars have no inertia.
            UnknownName: if there is no such way to hold motors.
        """
        as_choice(motors, ("held", "free"), "state of the motors")
        if not self.tree.elastic:
            raise InputError("a rigid rod does not vibrate: give rod_stiffness [N/m]")
        M, n = self.mass_matrix(q), self.robot.n
        if motors == "free":
            self.tree.need_inertia(M)
            compliance = np.linalg.inv(M)[n:, n:]
        else:
            compliance = np.linalg.inv(M[n:, n:])
        root = np.sqrt(self._stiffness[self._is_elastic])
        squares = np.linalg.eigvalsh(root[:, None] * compliance * root)
        return np.asarray(np.sqrt(squares) / (2.0 * np.pi))

    def simulate(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        duration: float,
        torque: TorqueInput = None,
        wrench: ArrayLike | None = None,
        e: ArrayLike | None = None,
        every: float = 0.001,
        rtol: float = 1e-8,
        atol: float = 1e-10,
    ) -> LoopMotion:
        """Simulate a motion, without friction and stops, by DOP853.

        Bars follow from the closures at every step, so that the loops stay closed.

        Args:
            q: Axes at the start [rad], shape ``(n,)``.
            v: Their speeds; default rest.
            duration: [s].
            torque: Torques of the motors in axis coordinates [N m]: a constant, or a function
                ``torque(t, q, v)``; default none.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.
            e: Elongations of elastic rods at the start [m]; default where they carry the arm.
            every: Time between samples [s].
            rtol: Relative tolerance of the integrator.
            atol: Absolute tolerance.

        Raises:
            InputError: if an argument is wrong, or nothing has inertia where a rod leaves it free.
            SimulationError: if the function fails, the loops cannot stay closed, or the integrator
                gives up.
        """
        from scipy.integrate import solve_ivp  # not for those who only ask for forces

        robot, n, load = self.robot, self.robot.n, _load(wrench)
        position = robot.states.one(q)
        speed = np.zeros(n) if v is None else robot.states.one_velocity(v)
        source = TorqueSource(robot, torque, None)
        if len(source.times):
            raise InputError("torques of a loop are a constant or a function of time, q and v")
        check_settings(duration, every, rtol, atol, np.inf, 0.0)
        if e is None:
            start = self.equilibrium(position, wrench=load).e
        else:
            start = self._of_elastic(e, "e [m]")
        ends = np.cumsum([n, len(start), n])

        def acceleration(t: float, x: Array) -> LoopAcceleration:
            now, length, fast, rate = np.split(x, ends)
            return self._acceleration(now, fast, source(t, now, fast), load, length, rate)

        def slope(t: float, x: Array) -> Array:
            try:
                moved = acceleration(t, x)
            except InputError as err:
                raise SimulationError(t, str(err)) from None
            return np.concatenate([x[ends[1] :], moved.a, moved.e_ddot])

        first = np.concatenate([position, start, speed, 0.0 * start])
        acceleration(0.0, first)  # what is wrong at the start is wrong input
        times = np.minimum(every * np.arange(np.floor(duration / every + 1e-9) + 1.0), duration)
        longest = MAX_FUNCTION_STEP if source.is_function else np.inf
        solved = solve_ivp(
            *(slope, (0.0, duration), first, "DOP853", times),
            **{"rtol": rtol, "atol": atol, "max_step": longest},
        )
        if not solved.success:
            raise SimulationError(float(solved.t[-1]), f"the integrator gave up: {solved.message}")
        x = solved.y.T
        along = [acceleration(t, row).pins[:, 0] for t, row in zip(solved.t, x, strict=True)]
        q_of, e_of, v_of, rates = np.split(x, ends, axis=1)
        return LoopMotion(solved.t, q_of, v_of, e_of, rates, np.array(along))

    def __repr__(self) -> str:
        """Name the arm and what its rods are."""
        rods = ", ".join(
            f"{name} {f'{k:g} N/m' if k else 'rigid'}"
            for name, k in zip(self.rods, self._stiffness, strict=True)
        )
        return f"<ParallelogramLoop {self.robot.name}: {rods}>"

    @cached_property
    def _stiffness(self) -> Array:
        """Stiffness of the rods [N/m], ``(m,)``, 0 for rigid ones."""
        return _per_rod(self.rod_stiffness, self.rods, positive, "rod_stiffness [N/m]")

    @cached_property
    def _is_elastic(self) -> Mask:
        return np.asarray(self._stiffness > 0.0)

    @cached_property
    def _damping(self) -> Array:
        """Damping of the rods [N s/m], ``(m,)``: one number is that of all elastic ones."""
        damping = _per_rod(
            self.rod_damping, self.rods, partial(number, low=0.0), "rod_damping [N s/m]"
        )
        if self.tree.elastic and not isinstance(self.rod_damping, Mapping):
            damping[~self._is_elastic] = 0.0
        return damping

    def _of_elastic(self, value: ArrayLike | None, what: str) -> Array:
        """Return one number per rod, ``(m,)``; one for all is that of the elastic ones."""
        m = len(self.rods)
        if value is None:
            return np.zeros(m)
        given = finite(value, None, what)
        if given.ndim == 0:
            given = given * np.where(self._is_elastic, 1.0, not self.tree.elastic)
        given = finite(given, (m,), what)
        if given[~self._is_elastic].any():
            raise InputError(f"{what}: a rigid rod does not elongate: give rod_stiffness [N/m]")
        return given

    def _acceleration(
        self, q: Array, v: Array, torque: Array, load: Array, e: Array, e_dot: Array
    ) -> LoopAcceleration:
        force = -self._stiffness * e - self._damping * e_dot
        return self.tree.acceleration(self.tree.state(q, v, e, e_dot), torque, load, force)


def _per_rod(
    given: float | Mapping[str, float] | None,
    rods: Sequence[str],
    check: Callable[[Any, str], float],
    what: str,
) -> Array:
    """Return one number per rod, ``(m,)``, 0 where none is given."""
    if given is None:
        return np.zeros(len(rods))
    if not isinstance(given, Mapping):
        return np.full(len(rods), check(given, what))
    for name in given:
        if name not in rods:
            raise UnknownName(what, name, rods)
    return np.array(
        [check(given[name], f"{what} of {name}") if name in given else 0.0 for name in rods]
    )


def _load(wrench: ArrayLike | None) -> Array:
    if wrench is None:
        return np.zeros(6)
    return finite(wrench, (6,), "wrench at tcp (force, moment)")
