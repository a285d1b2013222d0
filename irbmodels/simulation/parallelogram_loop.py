"""An arm with its parallelogram as a closed loop, whose rod may be elastic along itself.

With rigid bars it answers what :class:`irbmodels.Robot` does, by another road. An elastic rod adds
one degree of freedom: its elongation ``e``, which the upper arm follows while crank and lower arm
stand where the motors hold them.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Literal, NamedTuple

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_choice, as_instance, finite, number, positive
from ..dynamics.parallelogram_loop import LoopAcceleration, LoopTorque, LoopTree
from ..errors import InputError, NoSolution
from ..model.types import Array
from ..robot.robot import Robot
from .inputs import MAX_FUNCTION_STEP, TorqueInput, TorqueSource, check_settings
from .run import SimulationError

MotorState = Literal["held", "free"]
_STEPS = 30  # of the search for an equilibrium, whose error shrinks by weight / (k crank) each
_EXACT = 1e-12  # of the elongation, where that search ends


class LoopEquilibrium(NamedTuple):
    """An arm at rest on an elastic rod."""

    e: float
    """Elongation of the rod [m], negative where it is pressed together."""
    rod: float
    """Force along the rod [N], positive where it pushes lever and crank apart."""
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
    """Elongation of the rod [m], ``(N,)``."""
    e_dot: Array
    """Its rate [m/s], ``(N,)``."""
    rod: Array
    """Force along the rod [N], ``(N,)``, positive where it pushes lever and crank apart."""


@dataclass(frozen=True, eq=False, repr=False)
class ParallelogramLoop:
    """An arm with a parallelogram whose elbow, crank and rod turn freely, joined by the rod's pins.

    ``q, v`` are in the controller's axes: axis 3 is the crank, where its motor is. Torques are
    those of the motors in axis coordinates, without friction, which the loop does not have; springs
    of the axes, rotors, tool, payload and mounting are the robot's. Bars with mass need a set of
    inertials that has them.

    An elastic rod elongates at its upper end: its mass stays with the lower pin.

    Raises:
        InputError: if the robot has no parallelogram, was loaded without its bars, its loop does
            not close, or stiffness or damping are none.
        MissingData: if its masses are unknown.
    """

    robot: Robot
    rod_stiffness: float | None = None
    """Of the rod and its two bearings along the rod [N/m]; None for a rigid rod. None is published:
    there is no default."""
    rod_damping: float = 0.0
    """Likewise [N s/m]."""

    def __post_init__(self) -> None:
        """Check what is given."""
        as_instance(self.robot, Robot, "the arm of a ParallelogramLoop is an irbmodels.Robot")
        if self.rod_stiffness is not None:
            positive(self.rod_stiffness, "rod_stiffness [N/m]")
        number(self.rod_damping, "rod_damping [N s/m]", 0.0)
        if self.rod_damping and self.rod_stiffness is None:
            raise InputError(
                "a rigid rod has no damping: give rod_stiffness [N/m] with rod_damping"
            )
        _ = self.tree

    @cached_property
    def tree(self) -> LoopTree:
        """The open tree and the closure of its loop."""
        return LoopTree(self.robot.dynamic_model)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        torque: ArrayLike,
        *,
        e: float = 0.0,
        e_dot: float = 0.0,
        wrench: ArrayLike | None = None,
    ) -> LoopAcceleration:
        """Accelerations of axes and elongation, and the pin force, at one state.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            v: Axis speeds [rad/s].
            torque: Torques of the motors in axis coordinates [N m], without friction.
            e: Elongation of the elastic rod [m].
            e_dot: Its rate [m/s].
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.

        Raises:
            InputError: if a shape is wrong, a rigid rod should elongate, or the loop cannot close.
        """
        position, speed = self.robot.states.one(q), self.robot.states.one_velocity(v)
        tau = finite(torque, (self.robot.n,), f"torque of {self.robot.name}")
        length, rate = number(e, "e [m]"), number(e_dot, "e_dot [m/s]")
        if self.rod_stiffness is None and (length or rate):
            raise InputError("a rigid rod does not elongate: give rod_stiffness [N/m]")
        return self._acceleration(position, speed, tau, _load(wrench), length, rate)

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrench: ArrayLike | None = None
    ) -> LoopTorque:
        """Motor torques and pin force of a motion with a rod that keeps its length.

        Arguments as :meth:`forward_dynamics`.

        Raises:
            InputError: if a shape is wrong, or the rod is elastic: its elongation along a motion is
                the solution of a differential equation, which :meth:`simulate` solves.
        """
        if self.rod_stiffness is not None:
            raise InputError(
                "torques of a motion are those of a rigid rod: ParallelogramLoop(robot)"
                ".inverse_dynamics(...); an elastic one has equilibrium and simulate"
            )
        position, speed, acceleration = self.robot.states.one_motion(q, v, a)
        state = self.tree.state(position, speed)
        return self.tree.torque(state, acceleration, _load(wrench))

    def mass_matrix(self, q: ArrayLike, *, e: float = 0.0) -> Array:
        """Inertia of the axes, rotors included, ``(n, n)``; with an elastic rod ``(n + 1, n + 1)``.

        The last row and column are those of the elongation [kg, kg m].

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            e: Elongation of the elastic rod [m].
        """
        n = self.robot.n if self.rod_stiffness is None else self.robot.n + 1
        return self.tree.mass_matrix(self.robot.states.one(q), number(e, "e [m]"))[:n, :n]

    def equilibrium(self, q: ArrayLike, *, wrench: ArrayLike | None = None) -> LoopEquilibrium:
        """Return the arm at rest, its motors held at ``q``.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.

        Raises:
            InputError: if a shape is wrong, or crank and lower arm are in one line.
            NoSolution: if the rod is too soft for what it carries.
        """
        position, load, still = self.robot.states.one(q), _load(wrench), np.zeros(self.robot.n)
        k, e, state = self.rod_stiffness, 0.0, self.tree.state(position, still)
        for _ in range(_STEPS):
            held = self.tree.torque(state, still, load)
            wanted = 0.0 if k is None else -float(held.pin[0]) / k
            if abs(wanted - e) <= _EXACT * max(abs(wanted), _EXACT):
                return LoopEquilibrium(e, float(held.pin[0]), held.torque, self.tree.tcp(state))
            e = wanted
            try:
                state = self.tree.state(position, still, e)
            except InputError:
                break
        raise NoSolution(
            f"a rod of {k} N/m does not hold {self.robot.name} at q = {position.tolist()}: it"
            f" would be {e * 1e3:.3g} mm longer"
        )

    def frequency(self, q: ArrayLike, motors: MotorState = "held") -> float:
        """Undamped eigenfrequency of the arm on its elastic rod [Hz], about rest at ``q``.

        ``k / m`` with the inertia of the elongation: ``M_ee`` where the motors are held, ``1 /
        (M^-1)_ee`` where they are free. What weight does to it, of the order of the elongation by
        the crank's length, is left out.

        Args:
            q: Axis positions [rad], shape ``(n,)``.
            motors: ``held`` (brakes on, or a stiff control) or ``free``.

        Raises:
            InputError: if the rod is rigid, or free motor 3 and bars have no inertia.
            UnknownName: if there is no such way to hold motors.
        """
        as_choice(motors, ("held", "free"), "state of the motors")
        if self.rod_stiffness is None:
            raise InputError("a rigid rod does not vibrate: give rod_stiffness [N/m]")
        position = self.robot.states.one(q)
        M = self.tree.mass_matrix(position)
        if motors == "held":
            return float(np.sqrt(self.rod_stiffness / M[-1, -1]) / (2.0 * np.pi))
        self.tree.need_inertia(position)
        return float(np.sqrt(self.rod_stiffness * np.linalg.inv(M)[-1, -1]) / (2.0 * np.pi))

    def simulate(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        duration: float,
        torque: TorqueInput = None,
        wrench: ArrayLike | None = None,
        e: float | None = None,
        every: float = 0.001,
        rtol: float = 1e-8,
        atol: float = 1e-10,
    ) -> LoopMotion:
        """Simulate a motion, without friction and stops, by DOP853.

        Elbow and rod follow from the closure at every step, so that the loop stays closed.

        Args:
            q: Axes at the start [rad], shape ``(n,)``.
            v: Their speeds; default rest.
            duration: [s].
            torque: Torques of the motors in axis coordinates [N m]: a constant, or a function
                ``torque(t, q, v)``; default none.
            wrench: What the world exerts on the TCP [N, N m], base axes, ``(6,)``.
            e: Elongation of an elastic rod at the start [m]; default where it carries the arm.
            every: Time between samples [s].
            rtol: Relative tolerance of the integrator.
            atol: Absolute tolerance.

        Raises:
            InputError: if an argument is wrong, or nothing has inertia where the rod leaves it
                free.
            SimulationError: if the function fails, the loop cannot stay closed, or the integrator
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
        start = self._start(position, load, e)

        def acceleration(t: float, x: Array) -> LoopAcceleration:
            now, fast = x[:n], x[n + 1 : -1]
            return self._acceleration(now, fast, source(t, now, fast), load, x[n], x[-1])

        def rate(t: float, x: Array) -> Array:
            try:
                moved = acceleration(t, x)
            except InputError as err:
                raise SimulationError(t, str(err)) from None
            return np.concatenate([x[n + 1 :], moved.a, [moved.e_ddot]])

        first = np.concatenate([position, [start], speed, [0.0]])
        acceleration(0.0, first)  # what is wrong at the start is wrong input
        times = np.minimum(every * np.arange(np.floor(duration / every + 1e-9) + 1.0), duration)
        longest = MAX_FUNCTION_STEP if source.is_function else np.inf
        solved = solve_ivp(
            *(rate, (0.0, duration), first, "DOP853", times),
            **{"rtol": rtol, "atol": atol, "max_step": longest},
        )
        if not solved.success:
            raise SimulationError(float(solved.t[-1]), f"the integrator gave up: {solved.message}")
        x = solved.y.T
        rod = [acceleration(t, row).pin[0] for t, row in zip(solved.t, x, strict=True)]
        return LoopMotion(solved.t, x[:, :n], x[:, n + 1 : -1], x[:, n], x[:, -1], np.array(rod))

    def __repr__(self) -> str:
        """Name the arm and what its rod is."""
        rod = "rigid" if self.rod_stiffness is None else f"{self.rod_stiffness:g} N/m"
        return f"<ParallelogramLoop {self.robot.name}: rod {rod}>"

    def _start(self, q: Array, load: Array, e: float | None) -> float:
        if e is None:
            return self.equilibrium(q, wrench=load).e
        if self.rod_stiffness is None and e:
            raise InputError("a rigid rod does not elongate: give rod_stiffness [N/m]")
        return number(e, "e [m]")

    def _acceleration(
        self, q: Array, v: Array, torque: Array, load: Array, e: float, e_dot: float
    ) -> LoopAcceleration:
        state = self.tree.state(q, v, e, e_dot)
        if self.rod_stiffness is None:
            return self.tree.acceleration(state, torque, load)
        force = -self.rod_stiffness * e - self.rod_damping * e_dot
        return self.tree.acceleration(state, torque, load, force)


def _load(wrench: ArrayLike | None) -> Array:
    if wrench is None:
        return np.zeros(6)
    return finite(wrench, (6,), "wrench at tcp (force, moment)")
