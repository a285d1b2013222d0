"""Dynamics of a robot in axis positions, with arguments checked."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache
from typing import TYPE_CHECKING, cast

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_bool, as_pose, broadcast, finite, six
from ..dynamics import derivatives, reactions
from ..dynamics import equations_of_motion as dynamics
from ..dynamics.derivatives import EnergyRegressor, ForwardDerivatives, InverseDerivatives
from ..dynamics.equations_of_motion import Energy, TorqueParts
from ..dynamics.reactions import Reactions
from ..errors import InputError, MissingData, warn
from ..kinematics import frames as kinematics
from ..model.friction import Stribeck
from ..model.inertia import Inertial
from ..model.tree import Tree, beyond_flange
from ..model.types import Array
from .base import RobotBase
from .torque_bands import TorqueBand, band_half_width

if TYPE_CHECKING:
    from .evaluator import BoundQuery

Wrench = ArrayLike | Mapping[str, ArrayLike]


class DynamicMethods(RobotBase):
    """Queries of torques, energies, their derivatives and reactions."""

    def inverse_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        friction: bool = True,
        wrench: Wrench | None = None,
    ) -> Array:
        """Axis torques of a motion: ``M a + C v + g + F(v) - J' w`` (S000 eq. 56).

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            v: Axis speeds [rad/s, m/s], same shape.
            a: Axis accelerations [rad/s^2, m/s^2], same shape.
            friction: Whether to add friction. A robot without friction data says so once and adds
                nothing.
            wrench: What the world exerts ON the robot, force [N] first, then moment [N m], in base
                axes at the origin of the TCP, shape ``(6,)`` or ``(..., 6)``; or a mapping from
                frame names to such wrenches.

        Returns:
            Torques on the arm side of the gearboxes [N m, N], shape ``(..., n)``.

        Raises:
            InputError: if a shape is wrong, or one state is not finite or far outside every range.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.inverse_dynamics(q, [0.1] * 6, [0.5] * 6).round(1)
            array([  56.1, -148.5, -230.8,   10. ,   -7.8,    8.8])
        """
        if friction is not True and friction is not False:
            friction = as_bool(friction, "friction")
        query, model = self.evaluate.inverse_dynamics, self.evaluate.models[friction]
        if wrench is None and (kernel := query.kernels.get(model)):
            tau = kernel.within(q, v, a)
            if tau is not None:
                return tau
        position, speed = self.states.position(q), self.states.velocity(v)
        acceleration = self.states.acceleration(a, position)
        if not position.ndim == speed.ndim == acceleration.ndim == 1:
            position, speed, acceleration = broadcast(position, speed, acceleration)
        tau = query(model, position, speed, acceleration)
        if friction and model.friction is None:  # not before an error
            warn_of_no_friction(self.name)
        if wrench is not None:
            tau, external = broadcast(tau, self.external_torque(position, wrench))
            tau = tau - external
        return tau

    def inverse_dynamics_band(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        level: float = 0.95,
        noise: bool = False,
    ) -> TorqueBand:
        """Confidence band of :meth:`inverse_dynamics` by the uncertainty of an identified set.

        Tool, payload and gravity count as known exactly, as they do in an identification.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            v: Axis speeds, same shape.
            a: Axis accelerations, same shape.
            level: Confidence: share of repeated identifications whose band holds the true torque.
            noise: True for the band that holds a measured torque, residuals included.

        Returns:
            Lower and upper torques [N m, N], shape ``(..., n)`` each; NaN on axes that were not
            identified, and where such an axis is not where it stood in the logs.

        Raises:
            MissingData: if the set in use has no covariance, or friction or rotors were given
                instead of those of the set.
            InputError: as :meth:`inverse_dynamics`, or if the level is none.
        """
        uncertainty = self.uncertainty
        if uncertainty is None:
            raise MissingData(
                f"the parameters of {self.name} have no covariance: bands are those of a set that"
                " irbmodels identify wrote, as it is (load(..., parameters='set.yaml'))"
            )
        states = self.states.motion(q, v, a)
        flat = [state.reshape(-1, self.n) for state in states]
        half = band_half_width(self, uncertainty, flat, level, as_bool(noise, "noise"))
        tau = self.inverse_dynamics(*states, friction=self.friction_model is not None)
        return TorqueBand(tau - half.reshape(tau.shape), tau + half.reshape(tau.shape))

    def forward_dynamics(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        friction: bool = True,
        wrench: Wrench | None = None,
    ) -> Array:
        """Axis accelerations [rad/s^2, m/s^2] under torques ``tau``.

        Arguments as :meth:`inverse_dynamics`.

        At rest friction is 0 (``sgn(0) = 0``): sticking is a matter of simulation, not of this
        formula.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> tau = robot.inverse_dynamics(q, [0.1] * 6, [0.5] * 6)
            >>> robot.forward_dynamics(q, [0.1] * 6, tau).round(6)
            array([0.5, 0.5, 0.5, 0.5, 0.5, 0.5])
        """
        if friction is not True and friction is not False:
            friction = as_bool(friction, "friction")
        query, model = self.evaluate.forward_dynamics, self.evaluate.models[friction]
        if wrench is None and (kernel := query.kernels.get(model)):
            acceleration = kernel.within(q, v, tau)
            if acceleration is not None:
                return acceleration
        position, speed, torque = broadcast(
            self.states.position(q), self.states.velocity(v), self.states.finite(tau, "tau")
        )
        if wrench is not None:
            position, speed, torque, external = broadcast(
                position, speed, torque, self.external_torque(position, wrench)
            )
            torque = torque + external
        acceleration = query(model, position, speed, torque)
        if friction and model.friction is None:  # not before an error
            warn_of_no_friction(self.name)
        return acceleration

    def torque_parts(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> TorqueParts:
        """Parts of a motion's torque: inertia ``M a``, Coriolis ``C v``, gravity, friction, sum.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> parts = robot.torque_parts(q, [0.1] * 6, [0.5] * 6)
            >>> parts.gravity.round(1)
            array([  -0. , -203.8, -266.3,    0.5,  -24. ,    0. ])
            >>> parts.total.round(1)
            array([  56.1, -148.5, -230.8,   10. ,   -7.8,    8.8])
        """
        position, speed, acceleration = self.states.motion(q, v, a)
        query, rigid = self.evaluate.inverse_dynamics, self.evaluate.models[False]
        moving = query(rigid, position, speed, acceleration)
        steady = query(rigid, position, speed, np.zeros_like(speed))
        held = self.gravity(position)
        if self.dynamic_model.friction is None:
            warn_of_no_friction(self.name)
            friction = np.zeros_like(speed)
        else:
            friction = self._friction(speed, held)
        return TorqueParts(moving - steady, steady - held, held, friction, moving + friction)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Joint-space mass matrix ``M`` [kg m^2], rotors included, shape ``(..., n, n)``.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.mass_matrix(q)[:3, :3].round(1)
            array([[59.3,  0.1,  0. ],
                   [ 0.1, 38.6,  9.3],
                   [ 0. ,  9.3, 23. ]])
        """
        return self.evaluate.mass_matrix(self.evaluate.models[False], self.states.position(q))

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Coriolis matrix of the Christoffel symbols (S000 eq. 51), shape ``(..., n, n)``.

        It satisfies ``dM/dt = C + C'``.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> v = [0.1, 0.2, 0.1, 0.0, 0.0, 0.0]
            >>> (robot.coriolis(q, v) @ v).round(2)
            array([ 1.44, -0.53,  0.68,  0.02,  0.11, -0.01])
        """
        states = broadcast(self.states.position(q), self.states.velocity(v))
        return self.evaluate.coriolis(self.evaluate.models[False], *states)

    def gravity(self, q: ArrayLike) -> Array:
        """Axis torques that hold the robot still [N m, N], shape ``(..., n)`` (S000 eq. 52).

        Springs, balancers and torque offsets of :attr:`springs` are part of it. Those of
        :attr:`unknown_springs`, such as the balancer of an IRB 6640, are not: no force is known.
        ``irbmodels.report.tables.notes(robot)`` lists what a model is without.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.gravity(q).round(1)
            array([  -0. , -203.8, -266.3,    0.5,  -24. ,    0. ])
        """
        return self.evaluate.gravity(self.evaluate.models[False], self.states.position(q))

    def friction(self, v: ArrayLike, q: ArrayLike | None = None) -> Array:
        """Friction torque of the axes [N m, N], shape ``(..., n)`` (S000 eq. 54).

        Args:
            v: Axis speeds [rad/s, m/s], shape ``(..., n)``.
            q: Axis positions [rad, m], same shape: a law with ``mu`` depends on the static torque.

        Raises:
            MissingData: if the robot has no friction data, or its law needs positions and has none.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> robot.friction([0.1, 0.0, -0.1, 0.0, 0.0, 0.2]).round(1)
            array([ 25.4,   0. , -17.8,   0. ,   0. ,   9.3])
        """
        law = self.dynamic_model.friction
        if law is None:
            raise MissingData(f"{self.name} has no friction data")
        speed = self.states.velocity(v)
        if self.dynamic_model.has_axis_friction:
            return law.torque(speed)
        if not law.needs_load:
            return self._friction(speed, None)
        if q is None:
            raise MissingData(
                f"friction of {self.name} depends on the static torque at its drives (mu): give"
                " positions too, friction(v, q)"
            )
        position, speed = broadcast(self.states.position(q), speed)
        return self._friction(speed, self.gravity(position))

    def _friction(self, speed: Array, held: Array | None) -> Array:
        """Friction of the axes at speeds and, where the law needs it, static torques."""
        model = self.dynamic_model
        law, D = cast(Stribeck, model.friction), model.drive_axes
        if not model.has_coupled_drives:
            return law.torque(speed, held)
        load = held @ model.loads_per_torque.T if law.needs_load and held is not None else None
        return np.asarray(law.torque(speed @ D.T, load) @ D)

    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy:
        """Kinetic and potential energy [J], shape ``(...)`` each.

        Potential is 0 for a mass at the base origin, and includes that of springs.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> round(float(robot.energy(q, [0.1] * 6).kinetic), 2)
            0.74
        """
        states = broadcast(self.states.position(q), self.states.velocity(v))
        return Energy(*self.evaluate.energy.outputs(self.evaluate.models[False], *states))

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Regressor of inverse dynamics, ``Y @ parameter_vector() = tau``, shape ``(..., n, p)``.

        Columns: per body of the tree [m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link origin
        (tool and payload inside the last link), then the rotor inertias, then the
        ``friction_model.kinds`` per drive where friction is known, Fv, Fc, Fs - Fc and others that
        the law has, then the coefficients of springs. Fixed are the speeds ``v_St`` and ``v_d``,
        and the load that ``mu`` multiplies.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> Y = robot.regressor(q, [0.1] * 6, [0.5] * 6)
            >>> tau = robot.inverse_dynamics(q, [0.1] * 6, [0.5] * 6)
            >>> bool(abs(Y @ robot.parameter_vector() - tau).max() < 1e-9)
            True
        """
        return self.evaluate.regressor(self.dynamic_model, *self.states.motion(q, v, a))

    def external_torque(self, q: ArrayLike, wrench: Wrench) -> Array:
        """Axis torques ``J' w`` of what the world exerts on the robot [N m, N], shape ``(..., n)``.

        Arguments as :meth:`inverse_dynamics`.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.external_torque(q, [0, 0, -100.0, 0, 0, 0]).round(1)
            array([ 0. , 24.1, 80.2, -0. ,  3.5, -0. ])
        """
        position = self.states.position(q)
        return np.zeros(position.shape) + self._projected(
            "...ij,...i->...j", self.evaluate.jacobian, position, wrench
        )

    def parameter_vector(self) -> Array:
        """Parameters in the order of :meth:`regressor`'s columns, shape ``(p,)``."""
        return dynamics.parameter_vector(self.dynamic_model)

    def mass_matrix_inverse(self, q: ArrayLike) -> Array:
        """Inverse of the mass matrix [1/(kg m^2)], rotors included, shape ``(..., n, n)``."""
        return derivatives.mass_matrix_inverse(self.mass_matrix(q))

    def inverse_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        friction: bool = True,
        wrench: Wrench | None = None,
    ) -> InverseDerivatives:
        """Derivatives of :meth:`inverse_dynamics` by q, v and a, shape ``(..., n, n)`` each.

        At ``v = 0`` friction has the slope of its continuous part, Fv + Fd / v_d. The wrench keeps
        its value and its frame.
        """
        return self._derivatives(self.states.motion(q, v, a), as_bool(friction, "friction"), wrench)

    def _derivatives(
        self, states: list[Array], friction: bool, wrench: Wrench | None
    ) -> InverseDerivatives:
        query = self.evaluate.inverse_dynamics_derivatives
        by_q, by_v, by_a = query.outputs(self.evaluate.models[friction], *states)
        by_load = self._projected("...iab,...i->...ab", self.evaluate.hessian, states[0], wrench)
        return InverseDerivatives(by_q - by_load, by_v, by_a)

    def forward_dynamics_derivatives(
        self,
        q: ArrayLike,
        v: ArrayLike,
        tau: ArrayLike,
        *,
        friction: bool = True,
        wrench: Wrench | None = None,
    ) -> ForwardDerivatives:
        """Derivatives of :meth:`forward_dynamics` by q, v and tau, shape ``(..., n, n)`` each."""
        states = (
            self.states.position(q),
            self.states.velocity(v),
            self.forward_dynamics(q, v, tau, friction=friction, wrench=wrench),
        )
        return derivatives.forward_dynamics(self._derivatives(broadcast(*states), friction, wrench))

    def energy_regressor(self, q: ArrayLike, v: ArrayLike) -> EnergyRegressor:
        """Regressors ``(p,)`` of the energies of one state, for :meth:`parameter_vector`."""
        return derivatives.energy_regressor(
            self.dynamic_model, self.states.one(q), self.states.one_velocity(v)
        )

    def reactions(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrench: Wrench | None = None
    ) -> Reactions:
        """Loads of bearings, flange, rod and pins at one state; see :class:`Reactions`.

        Friction does not change it.

        Raises:
            InputError: if a wrench acts at a bar and the tree in use has none.
            MissingData: if masses are unknown, or the arm is a palletizer.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> forces = robot.reactions(q, [0.0] * 6, [0.0] * 6)
            >>> round(float(forces.bars.rod))
            -1503
        """
        states = self.states.one_motion(q, v, a)
        if self.description is not None and self.description.kinematics.level is not None:
            raise MissingData(
                f"{self.name} is a palletizer: how its joints and the rods that keep its tool level"
                " share the load across their plane is not modelled; in the plane"
                " irbmodels.simulation.parallelogram_loop.ParallelogramLoop has the pin forces"
            )
        self.dynamic_model.need_masses()
        loads = self._loads(wrench)
        for tree, frame, _ in loads:
            if (name := tree.model.frames[frame].name) not in self.dynamic_model.tree.frames:
                raise InputError(
                    f"a wrench at {name} needs the tree with bars: load(...,"
                    " coupling='parallelogram')"
                )
        return reactions.reactions(self.dynamic_model, self._loads_on_flange(), *states, loads)

    def sensor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        wrench: Wrench | None = None,
        tool0_from_sensor: ArrayLike | pin.SE3 | None = None,
    ) -> Array:
        """Reading of a force/torque sensor between flange and tool.

        It is the tool's wrench ON the sensor, in axes of the sensor.

        At rest it is the weight of tool and payload. A cutting force follows from a log by
        subtraction: what the sensor read, less this without ``wrench``, is the force of the world
        on the tool, in sensor axes at the sensor's origin.

        Args:
            q: Axis positions [rad, m] of one state, shape ``(n,)``.
            v: Axis speeds.
            a: Axis accelerations.
            wrench: External wrenches at ``tcp`` or ``tool0``, as in :meth:`inverse_dynamics`.
            tool0_from_sensor: Pose of the sensor in tool0, ``(4, 4)``; default tool0 itself. All of
                the tool is beyond it.

        Returns:
            Force [N], then moment [N m], shape ``(6,)``.

        Raises:
            InputError: if a wrench acts elsewhere: what it does to the arm does not pass the
                sensor.
            MissingData: for a URDF whose joints go on beyond the flange, such as those of a
                gripper.
        """
        states = self.states.one_motion(q, v, a)
        self.dynamic_model.need_masses()
        carried = self._loads_on_flange()
        if carried is None:
            raise MissingData(
                f"{self.name} has joints beyond its flange: what they need passes the sensor too,"
                " and is not known"
            )
        for frame in _by_frame(wrench):
            if frame not in reactions.BEYOND_FLANGE:
                raise InputError(
                    f"a wrench at {frame} does not pass the sensor; those at tcp and tool0 do"
                )
        on_tool = reactions.flange_wrench(self.dynamic_model, carried, *states, self._loads(wrench))
        tool0 = kinematics.pose(self.dynamic_model.tree, self.dynamic_model.tree.flange, states[0])
        reading = -np.concatenate([tool0.rotation.T @ on_tool[:3], tool0.rotation.T @ on_tool[3:]])
        if tool0_from_sensor is None:
            return reading
        pose = as_pose(tool0_from_sensor, "tool0_from_sensor")
        sensor_from_tool0, position = pose[:3, :3].T, pose[:3, 3]
        moment = reading[3:] - np.cross(position, reading[:3])
        return np.concatenate([sensor_from_tool0 @ reading[:3], sensor_from_tool0 @ moment])

    def _loads_on_flange(self) -> list[Inertial] | None:
        """Bodies beyond the flange, in its axes, tool and payload included; None if joints move."""
        tree = self._bare.model.tree
        bodies = beyond_flange(tree)
        if bodies is None:
            return None
        bodies += [] if self.tool is None else [self.tool.load]
        if self.payload is not None:
            flange, own = (tree.model.frames[i] for i in (tree.flange, tree.frame("tcp")))
            if self.tool is None and own.parentJoint != flange.parentJoint:
                return None
            tcp = flange.placement.actInv(own.placement) if self.tool is None else self.tool.tcp
            bodies.append(self.payload.moved(tcp.rotation, tcp.translation))
        return bodies

    def _loads(self, wrench: Wrench | None) -> list[tuple[Tree, int, Array]]:
        """Wrenches of one state, each with the tree and frame it acts at."""
        return [
            (*self.find_frame(frame)[:2], finite(value, (6,), f"wrench at {frame} (force, moment)"))
            for frame, value in _by_frame(wrench).items()
        ]

    def _projected(
        self, subscripts: str, query: BoundQuery, q: Array, wrench: Wrench | None
    ) -> Array:
        """Sum of the products of each wrench with an array that belongs to its frame."""
        total = np.zeros(())
        for frame, value in _by_frame(wrench).items():
            load = six(value, f"wrench at {frame}", "force, moment")
            try:
                total = total + np.einsum(subscripts, query(self.find_frame(frame), q), load)
            except ValueError:
                raise InputError(
                    f"states of shape {q.shape} and wrenches of shape {load.shape} do not go"
                    " together"
                ) from None
        return total


def _by_frame(wrench: Wrench | None) -> Mapping[str, ArrayLike]:
    if wrench is None:
        return {}
    return wrench if isinstance(wrench, Mapping) else {"tcp": wrench}


@cache
def warn_of_no_friction(name: str) -> None:
    """Warn once per robot that torques with friction are without it."""
    warn(f"{name} has no friction data: friction adds nothing")
