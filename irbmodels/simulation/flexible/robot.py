"""A whole arm with elastic joints: S003 eq. 3.70 with the misprints corrected, for any robot.

Each elastic joint has a motor position ``theta`` beside the position ``q`` of its link, both in
axis coordinates: ``theta`` is the angle of the motor divided by the gear ratio (of a coupled wrist
``N^-1`` times the angles of the motors), and equals ``q`` where no spring is loaded. With the
springs' torque ``phi(theta - q)``

    M(q) q'' + C(q, q') q' + g(q) + f_a q'  =  phi(theta - q) + d (theta' - q') + J' w
    B theta'' + F(theta') + phi(theta - q) + d (theta' - q')  =  tau

A rotor's energy is that of its turning about its own axis; its mass belongs to the link that
carries it [Spong 1987]. So B is constant, and the rigid arm with ``M + B`` is the limit of growing
stiffness. An axis without elasticity has ``theta = q``.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_int, broadcast
from ...dynamics import equations_of_motion as dynamics
from ...errors import InputError, MissingData
from ...model.friction import Stribeck
from ...model.types import Array, ComplexArray
from ...robot.dynamics import Wrench
from ...robot.robot import Robot
from ..inputs import TorqueInput, WrenchInput
from ..run import Run
from . import modes
from .drive import Drive, drives_of
from .feedforward import Feedforward, feedforward
from .linear import LinearModel, OneAxis
from .model import FlexibleModel, check_drives
from .simulation import simulate


class FlexibleEnergy(NamedTuple):
    """Mechanical energy [J]: of links and rotors in motion, of gravity, and in the springs."""

    kinetic: Array | float
    potential: Array | float
    elastic: Array | float


@dataclass(frozen=True, eq=False, repr=False)
class FlexibleRobot(FlexibleModel):
    """A robot with the drives of its axes.

    One Drive per axis, None for a rigid axis whose rotor is unknown.

    ``q, v`` are those of the links, ``theta, theta_dot`` those of the motors, all in axis
    coordinates [rad, m], shape ``(..., n)``; of a rigid axis ``theta`` is not read, since it is
    ``q``. Torques of the motors are in axis coordinates too. :attr:`motors` converts. Friction acts
    on the motors, where it is measured: the robot's own law, if it has one, or another, and the
    drives' viscous friction; it ends at the gear, so what reaches a link has passed the spring.

    Raises:
        InputError: if there is not one drive per axis, or the robot carries rotors already: the
            drives bring them.
    """

    @staticmethod
    def of(
        robot: Robot,
        assumed: Sequence[Drive | None] | None = None,
        friction: Stribeck | bool = True,
    ) -> FlexibleRobot:
        """Return a robot with the drives of its tables, and ``assumed`` ones for the other axes.

        Args:
            robot: A robot from tables.
            assumed: One per axis; None, and every axis without ``assumed``, stays rigid. Where the
                tables know the stiffness alone, a drive without one, of rotor and gear.
            friction: True for the robot's own friction law, False for none, or another.

        Raises:
            MissingData: if nothing makes an axis elastic, or rotor or gear of one are unknown.
            InputError: if an axis is assumed that the tables know.
        """
        others = check_drives(robot, [None] * robot.n if assumed is None else assumed)
        drives = drives_of(robot, others)
        if not any(drive is not None and drive.elastic for drive in drives):
            raise MissingData(
                f"no stiffness of {robot.name} is known; give FlexibleRobot(robot, [Drive(...),"
                " ...])"
            )
        return FlexibleRobot(robot, drives, friction)

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        theta: ArrayLike,
        theta_dot: ArrayLike,
        torque: ArrayLike,
        *,
        wrench: Wrench | None = None,
    ) -> tuple[Array, Array]:
        """Accelerations of links and motors [rad/s^2, m/s^2] under torques, ``(..., n)`` each.

        Args:
            q: Positions of the links [rad, m], shape ``(..., n)``.
            v: Their speeds [rad/s, m/s].
            theta: Positions of the motors in axis coordinates.
            theta_dot: Their speeds.
            torque: Torques of the motors in axis coordinates [N m, N].
            wrench: What the world exerts ON the robot, as in ``robot.inverse_dynamics``.

        Raises:
            InputError: if a shape is wrong, or one state is not finite or far outside every range.
        """
        states = self._states(q, v, theta, theta_dot, torque=torque)
        external = np.zeros(self.n)
        if wrench is not None:
            *states, external = broadcast(*states, self.robot.external_torque(states[0], wrench))
        q, v, theta, theta_dot, torque = states
        speed, model = self.motor_values(v, theta_dot), self.robot.dynamic_model
        torque = torque - self.friction_torque(q, speed)
        x = np.concatenate([q, theta[..., self.elastic]], axis=-1)
        x_dot = np.concatenate([v, speed[..., self.elastic]], axis=-1)
        right = torque @ self.motor_positions
        right[..., : self.n] += external
        a = np.empty_like(x)
        for i in np.ndindex(*q.shape[:-1]):
            h = dynamics.inverse_dynamics(model, q[i], v[i], np.zeros(self.n))
            M = self.inertia(dynamics.mass_matrix(model, q[i]))
            a[i] = np.linalg.solve(M, right[i] - self.bias(h, x[i], x_dot[i]))
        return a[..., : self.n], a @ self.motor_positions.T

    def energy(
        self, q: ArrayLike, v: ArrayLike, theta: ArrayLike, theta_dot: ArrayLike
    ) -> FlexibleEnergy:
        """Kinetic, potential and elastic energy [J], shape ``(...)`` each.

        Arguments as :meth:`forward_dynamics`.
        """
        q, v, theta, theta_dot = self._states(q, v, theta, theta_dot)
        speed = self.motor_values(v, theta_dot)
        links = self.robot.energy(q, v)
        rotors = 0.5 * np.einsum("...i,ij,...j->...", speed, self.rotor_inertia, speed)
        stored = self.springs.energy(theta[..., self.elastic] - q[..., self.elastic]).sum(axis=-1)
        return FlexibleEnergy(links.kinetic + rotors, links.potential, stored)

    def linearized(self, q: ArrayLike) -> LinearModel:
        """Return the linear model of small motions about the :meth:`equilibrium` at ``q``.

        States: ``q, theta`` of the elastic axes, and the speeds of both, ``2 (n + m)``. Inputs:
        torques of the motors, ``n``. Outputs: ``q, theta`` of all axes, ``2 n``. Gravity's gradient
        is included; friction has its slope at rest, Fv, without the dry part.
        """
        return modes.linearized(self, self.robot.states.one(q))

    def frequencies(self, q: ArrayLike, motors: modes.MotorState = "free") -> Array:
        """Undamped eigenfrequencies about rest [Hz], ascending, one per elastic axis, ``(..., m)``.

        Args:
            q: Posture of the links, shape ``(..., n)``; springs have the stiffness they have under
                gravity there.
            motors: ``free`` (resonances from the motors' torque on; the arm's motion as a whole is
                left out) or ``held`` (brakes on, or a stiff control: antiresonances where there is
                one axis).

        Returns:
            NaN where gravity is stronger than a spring, 0 for an axis that floats in its dead zone.
        """
        return modes.frequencies(self, self.robot.states.position(q), motors)

    def frequency_response(
        self,
        q: ArrayLike,
        frequency: ArrayLike,
        *,
        to: str = "tcp",
        source: modes.Source = "torque",
        motors: modes.MotorState = "free",
    ) -> ComplexArray:
        """Frequency response about rest at one posture.

        Args:
            q: Posture of the links, shape ``(n,)``.
            frequency: Frequencies [Hz], shape ``(F,)`` or one.
            to: Output: a frame's displacement and small rotation [m, rad] in base axes (6), or the
                ``links`` or the ``motors``, in axis coordinates (n).
            source: Input: the motors' ``torque`` [N m] (n columns), or a ``wrench`` [N, N m] at the
                TCP (6 columns).
            motors: ``free``, or ``held``, which goes with a wrench only.

        Returns:
            Shape ``(F, rows, columns)``.

        Raises:
            UnknownName: if there is no such frame, source or way to hold motors.
            InputError: if held motors should excite, or a frequency is negative.
        """
        return modes.frequency_response(
            self, self.robot.states.one(q), frequency, to, source, motors
        )

    def feedforward(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        jerk: ArrayLike,
        snap: ArrayLike,
        *higher: ArrayLike,
    ) -> Feedforward:
        """Motion and torque of the motors for a motion of the links.

        [De Luca 1998, Buondonno & De Luca 2015] Without gear damping it is exact: the springs'
        torque is the inverse dynamics of the links, and its two time derivatives, in Taylor
        arithmetic without differences, give the motion of the motors. Damping is a series: each
        derivative beyond snap that is given makes the torque right to one more power of it (with
        none it is right where the damping is 0). A motor cannot cross backlash in no time: where a
        spring's torque changes its sign, ``theta`` jumps.

        Args:
            q: Positions of the links [rad, m], shape ``(..., n)``.
            v: Speeds.
            a: Accelerations.
            jerk: Third derivatives [rad/s^3].
            snap: Fourth derivatives [rad/s^4].
            higher: Fifth, sixth ... derivatives.
        """
        more = {"jerk": jerk, "snap": snap} | {
            f"derivative {k} of q": x for k, x in enumerate(higher, start=5)
        }
        motion = self.robot.states.motion(q, v, a)
        return feedforward(
            self,
            np.stack(
                broadcast(*motion, *(self.robot.states.finite(x, name) for name, x in more.items()))
            ),
        )

    def simulate(
        self,
        q: ArrayLike,
        v: ArrayLike | None = None,
        *,
        duration: float,
        torque: TorqueInput = None,
        wrench: WrenchInput = None,
        theta: ArrayLike | None = None,
        theta_dot: ArrayLike | None = None,
        stops: bool = True,
        rebound: float = 0.0,
        torque_limit: ArrayLike | None = None,
        method: str = "DOP853",
        rtol: float = 1e-8,
        atol: float = 1e-10,
        max_step: float = np.inf,
        every: float = 0.001,
    ) -> Run:
        """Simulate a motion, as :func:`irbmodels.simulation.simulate`, with stiction on the motors.

        Args:
            q: Links at the start [rad, m], shape ``(n,)``.
            v: Their speeds; default rest.
            duration: [s].
            torque: Torques of the motors in axis coordinates [N m, N]: constant, samples, or a
                function of time and encoders, ``torque(t, theta, theta_dot)``; default none.
            wrench: What the world exerts ON the robot at the TCP: constant ``(6,)``, or ``f(t,
                pose)``.
            theta: Motors at the start; default where they hold the links against gravity.
            theta_dot: Their speeds; default those of the links.
            stops: True for hard stops at the ends of the links' ranges.
            rebound: Share of its speed with which a link leaves a stop, 0 to 1.
            torque_limit: Bounds of the motors' torques in axis coordinates, shape ``(n,)``.
            method: One of SciPy's; ``Radau`` where springs are very stiff.
            rtol: Relative tolerance of the integrator.
            atol: Absolute tolerance.
            max_step: Longest step [s]; unless given 20 ms where torque or wrench is a function.
            every: Time between samples [s].

        Returns:
            A run with ``q, v, a`` of the links, ``tau``, ``theta``, ``theta_dot`` and ``friction``
            of the motors, in axis coordinates, ``stop``, ``work`` (of motors and wrench) and
            ``lost`` (to the robot's friction law and to impacts; viscous friction and damping of
            the drives are not in it) [J].

        Raises:
            InputError: if an argument is wrong, or the start is out of range.
            UnknownName: if there is no such method.
            SimulationError: if a function fails, or the integrator gives up; ``.run`` has the
                samples until then.
        """
        return simulate(
            self,
            (q, v, theta, theta_dot),
            duration,
            torque,
            wrench,
            stops=stops,
            rebound=rebound,
            torque_limit=torque_limit,
            method=method,
            rtol=rtol,
            atol=atol,
            max_step=max_step,
            every=every,
        )

    def one_axis(self, q: ArrayLike, axis: int) -> OneAxis:
        """Return the two-mass model of one axis at a posture, the others held.

        Raises:
            InputError: if the axis does not exist, is rigid, or has a spring that is not linear.
        """
        if (
            drive := self.drives[as_int(axis, f"an axis of {self.robot.name}", 1, self.n) - 1]
        ) is None:
            raise InputError(
                f"{self.robot.name} has elastic axes {(self.elastic + 1).tolist()}, not {axis}"
            )
        return OneAxis(
            drive, float(self.robot.mass_matrix(self.robot.states.one(q))[axis - 1, axis - 1])
        )

    def __repr__(self) -> str:
        """Name the elastic axes with the grade of their stiffness, and the rigid ones."""
        grades = [
            f"{i + 1} ({drive.grade})"
            for i in self.elastic
            if (drive := self.drives[i]) is not None
        ]
        rigid = [str(i + 1) for i in range(self.n) if i not in self.elastic]
        axes = [f"elastic axes {', '.join(grades) or 'none'}"]
        if rigid:
            axes.append(f"rigid axes {', '.join(rigid)}")
        return f"<FlexibleRobot {self.robot.name}: {'; '.join(axes)}>"

    def _states(
        self, q: ArrayLike, v: ArrayLike, theta: ArrayLike, theta_dot: ArrayLike, **rates: ArrayLike
    ) -> list[Array]:
        robot = self.robot
        links, motors = (
            (robot.states.position(q), robot.states.velocity(v)),
            (robot.states.position(theta, "theta"), robot.states.velocity(theta_dot, "theta_dot")),
        )
        return broadcast(
            *links, *motors, *(robot.states.finite(x, name) for name, x in rates.items())
        )
