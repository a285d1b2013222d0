"""Questions about a state, in axis positions: what comes in is checked here, what goes out comes from the floors below."""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable, Iterator, Mapping
from functools import cache, cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from . import derivatives, dynamics, kinematics, reactions
from .checks import each, finite, is_rotation, together
from .compiled.dispatch import Dispatch
from .derivatives import EnergyRegressor, ForwardDerivatives, InverseDerivatives
from .dh import Convention, DHTable
from .dynamics import Energy, TorqueParts
from .errors import InputError, MissingData, PhysicsWarning, UnknownName, require
from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits, Violation
from .model import Model
from .reactions import Reactions
from .tool import Tool
from .tree import Tree, beyond_flange

if TYPE_CHECKING:
    from .compiled.kernels import Kernel, Kernels
    from .crossing import Crossing
    from .singularities import DampedVelocity, Measures, Singularities, SingularPosture
    from .velocities import LinkMotion
    from .workspace import Workspace

Array = NDArray[np.float64]
Wrench = ArrayLike | Mapping[str, ArrayLike]


class Queries:
    """All that a model can be asked; :class:`irbmodels.Robot` adds where the model comes from."""

    name: str
    tool: Tool | None
    payload: Inertial | None
    _bare: Tree
    """Without tool and payload."""
    _model: Model

    @cached_property
    def n(self) -> int:
        """Number of axes."""
        return self._model.n

    @property
    def limits(self) -> Limits:
        """Ranges (the coupled one included), speeds and efforts; the last are assumed for every ABB robot here."""
        return self._model.limits

    @property
    def friction_model(self) -> Stribeck | None:
        """Friction law with its parameters, or None where nobody has published any."""
        return self._model.friction

    @property
    def rotors(self) -> Array:
        """Rotor inertias in use, arm side [kg m^2, kg], shape ``(n,)``; zero unless :meth:`with_rotors` was called."""
        return self._model.rotors

    @property
    def rotor_axes(self) -> Array:
        """How the axes turn each rotor, in turns of its own axis, shape ``(n, n)``."""
        return self._model.rotor_axes

    # --- units and limits ------------------------------------------------------------------------------------------

    def from_controller(self, position: ArrayLike) -> Array:
        """Return ``q`` [rad, m] for positions as the controller shows them [deg, mm], shape ``(..., n)``.

        Raises:
            InputError: if one position has the wrong shape, is not finite, or is far outside every range.
        """
        shown = self._shaped(position, "position")
        q = np.where(self.limits.linear, shown / 1000.0, np.radians(shown))
        if q.ndim == 1:
            self._refuse_far(q, shown)
        return q

    def to_controller(self, q: ArrayLike) -> Array:
        """Return positions as the controller shows them [deg, mm] for ``q`` [rad, m], shape ``(..., n)``."""
        position = self._position(q)
        return np.where(self.limits.linear, position * 1000.0, np.degrees(position))

    def in_range(self, q: ArrayLike) -> NDArray[np.bool_]:
        """Whether every range is kept, the coupled one of axis 3 included, shape ``(...)``."""
        return self.limits.in_range(self._position(q))

    def violations(self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None) -> list[Violation]:
        """Return every bound on position, speed [rad/s] or torque [N m] that one state does not keep."""
        speed = None if v is None else finite(v, (self.n,), "v")
        torque = None if tau is None else finite(tau, (self.n,), "tau")
        return self.limits.violations(self._one(q), speed, torque)

    # --- kinematics ------------------------------------------------------------------------------------------------

    def pose(self, q: ArrayLike, frame: str = "tcp", point: ArrayLike | None = None) -> pin.SE3 | Array:
        """Pose of a frame in the base.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`: ``tcp``, ``tool0``, ``flange``, ``link_3``, ``link_rod`` ...
            point: Point fixed to the frame [m], in its axes; becomes the origin of the answer.

        Returns:
            ``pin.SE3`` for one state, homogeneous matrices ``(..., 4, 4)`` for arrays.

        Raises:
            UnknownName: if there is no such frame.
        """
        tree, number = self._frame(frame)
        offset = None if point is None else finite(point, (3,), "point [m]")
        position = self._position(q)
        if position.ndim == 1:
            return kinematics.pose(tree, number, position, offset)
        reference = partial(kinematics.homogeneous, tree, number, point=offset)
        return self._answer("pose", reference, (4, 4), position, frame=frame, point=offset)

    def jacobian(
        self, q: ArrayLike, frame: str = "tcp", point: ArrayLike | None = None, axes: Literal["base", "local"] = "base"
    ) -> Array:
        """Geometric Jacobian at a frame's origin, or at a point fixed to it: ``[v; w] = J q'``.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`.
            point: Point fixed to the frame [m], in its axes.
            axes: Express the velocity in ``base`` axes, or in those of the frame (``local``).

        Returns:
            Shape ``(..., 6, n)``, linear rows first (S000 eq. 33).
        """
        if axes not in ("base", "local"):
            raise UnknownName("axes", axes, ("base", "local"))
        tree, number = self._frame(frame)
        offset = None if point is None else finite(point, (3,), "point [m]")
        reference = partial(kinematics.jacobian, tree, number, point=offset, local=axes == "local")
        if axes == "local":
            return each(reference, (6, self.n), self._position(q))
        return self._answer("jacobian", reference, (6, self.n), self._position(q), frame=frame, point=offset)

    # --- singularities, workspace, velocities ----------------------------------------------------------------------

    def dh(self, convention: Convention = "modified") -> DHTable:
        """Return the Denavit-Hartenberg table, where there is one."""
        raise MissingData(f"{self.name} has no DH table")

    def singularities(self, q: ArrayLike) -> Singularities:
        """Signed distances from wrist [rad], elbow [rad] and shoulder [m] singularity, and det J in closed form.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.

        Raises:
            MissingData: for an arm with neither a spherical wrist nor the shape of a SCARA; :meth:`measures` serves any.
        """
        from .singularities import singularities

        return singularities(self._arm, self._position(q))

    def singular_postures(self) -> list[SingularPosture]:
        """Every way in which the arm can be singular: where, whether its ranges let it, boundary or interior (S004)."""
        from .singularities import singular_postures

        return singular_postures(self._arm, self.limits)

    def measures(self, q: ArrayLike, frame: str = "tcp", length: float = 1.0) -> Measures:
        """Manipulability, condition number and smallest singular value of :meth:`jacobian`, shape ``(...)`` each.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`.
            length: Characteristic length [m] at which 1 m/s counts as much as 1 rad/s.
        """
        from .singularities import measures

        return measures(self.jacobian(q, frame), length)

    def inverse_velocity(self, q: ArrayLike, twist: ArrayLike, frame: str = "tcp") -> Array:
        """Axis speeds ``(..., n)`` that move a frame with ``twist`` ``(..., 6)``: [m/s], then [rad/s], base axes (S003 eq. 2.68).

        Raises:
            InputError: if one state cannot have that twist, being singular or of fewer axes. In arrays NaN stands there.
        """
        return self._solved(self.jacobian(q, frame), _six(twist, "twist"), "velocity")

    def inverse_acceleration(self, q: ArrayLike, v: ArrayLike, acceleration: ArrayLike, frame: str = "tcp") -> Array:
        """Axis accelerations ``(..., n)`` for a frame's acceleration ``(..., 6)`` while axes move with ``v`` (S003 eq. 2.69).

        Raises:
            InputError: as :meth:`inverse_velocity`.
        """
        drift = np.einsum("...ij,...j->...i", self.jacobian_rate(q, v, frame), self._rate(v, "v"))
        return self._solved(self.jacobian(q, frame), _six(acceleration, "acceleration") - drift, "acceleration")

    def damped_velocity(self, q: ArrayLike, twist: ArrayLike, frame: str = "tcp", near: float = 0.05) -> DampedVelocity:
        """Axis speeds for a twist that stay bounded through singularities; see :func:`singularities.damped_velocity`."""
        from .singularities import damped_velocity

        return damped_velocity(self.jacobian(q, frame), _six(twist, "twist"), near)

    def link_motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> LinkMotion:
        """Velocity and acceleration of every link and the TCP at one state, link by link in their own axes (S004 eq. 30-33)."""
        from .velocities import link_motion

        return link_motion(self.dh(), self._one(q), self._one_rate(v, "v"), self._one_rate(a, "a"), self._tcp)

    def workspace(self, wrist: ArrayLike | None = None) -> Workspace:
        """Where the wrist center can be, exactly; with axes 4 to 6 held at ``wrist`` [rad] where the TCP can be.

        Raises:
            InputError: if the TCP then lies beside the arm's plane.
            MissingData: as :meth:`singularities`.
        """
        from .workspace import workspace_of

        return workspace_of(self._arm, self.limits, self._tcp[:3, 3], wrist)

    def cross_wrist(self, poses: ArrayLike, start: ArrayLike, zone: float = math.radians(5.0)) -> Crossing:
        """Axis positions along poses of the TCP ``(N, 4, 4)`` through ``q5 = 0``; see :mod:`irbmodels.crossing` for the rule.

        Raises:
            InputError: if ``start`` is not on the first pose, or a pose is out of reach.
            MissingData: for an arm without a spherical wrist.
        """
        from .crossing import cross_wrist

        if self.n != 6:
            raise MissingData(f"{self.name} has no wrist to cross")
        return cross_wrist(self._arm, self._tcp, np.asarray(poses, dtype=float), self._one(start), zone)

    @cached_property
    def _arm(self) -> Any:
        from .arms import arm_of

        return arm_of(self.dh(), self.name)

    @property
    def _tcp(self) -> Array:
        """Pose of the TCP in tool0."""
        tcp: Array = np.eye(4) if self.tool is None else self.tool.tcp.homogeneous
        return tcp

    def _solved(self, J: Array, wanted: Array, what: str) -> Array:
        from .velocities import axis_rates

        jacobians, values = (J, wanted) if J.shape[:-2] == wanted.shape[:-1] else _alike(J, wanted)
        rates, possible = axis_rates(jacobians, values)
        if rates.ndim == 1 and not possible:
            raise InputError(f"{self.name} cannot have this {what} here: its Jacobian has lost that direction")
        return rates

    # --- dynamics --------------------------------------------------------------------------------------------------

    def inverse_dynamics(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, friction: bool = True, wrench: Wrench | None = None
    ) -> Array:
        """Axis torques of a motion: ``M a + C v + g + F(v) - J' w`` (S000 eq. 56).

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            v: Axis speeds [rad/s, m/s], same shape.
            a: Axis accelerations [rad/s^2, m/s^2], same shape.
            friction: Whether to add friction. A robot without friction data says so once and adds nothing.
            wrench: What the world exerts ON the robot, force [N] first, then moment [N m], in base axes at the origin of
                the TCP, shape ``(6,)`` or ``(..., 6)``; or a mapping from frame names to such wrenches.

        Returns:
            Torques on the arm side of the gearboxes [N m, N], shape ``(..., n)``.

        Raises:
            InputError: if a shape is wrong, or one state is not finite or far outside every range.
        """
        if wrench is None and (kernel := self._dispatch.in_use["inverse_dynamics"][bool(friction)]):
            tau = self._quick(kernel, q, v, a)
            if tau is not None:
                return tau
        position, speed, acceleration = self._position(q), self._rate(v, "v"), self._rate(a, "a")
        if not position.ndim == speed.ndim == acceleration.ndim == 1:
            position, speed, acceleration = together(position, speed, acceleration)
        if friction and self._model.friction is None:
            _say_no_friction(self.name)
        reference = self._torque_with_friction if friction else self._torque
        tau = self._answer("inverse_dynamics", reference, (self.n,), position, speed, acceleration, friction=friction)
        if wrench is not None:
            tau, pull = together(tau, self._pull(position, wrench))
            tau = tau - pull
        return tau

    def forward_dynamics(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, friction: bool = True, wrench: Wrench | None = None
    ) -> Array:
        """Axis accelerations [rad/s^2, m/s^2] under torques ``tau``; arguments as :meth:`inverse_dynamics`.

        At rest friction is 0 (``sgn(0) = 0``): sticking is a matter of simulation, not of this formula.
        """
        if wrench is None and (kernel := self._dispatch.in_use["forward_dynamics"][bool(friction)]):
            acceleration = self._quick(kernel, q, v, tau)
            if acceleration is not None:
                return acceleration
        position, speed, torque = together(self._position(q), self._rate(v, "v"), self._rate(tau, "tau"))
        if friction and self._model.friction is None:
            _say_no_friction(self.name)
        if wrench is not None:
            position, speed, torque, pull = together(position, speed, torque, self._pull(position, wrench))
            torque = torque + pull
        reference = self._acceleration_with_friction if friction else partial(dynamics.forward_dynamics, self._model)
        return self._answer("forward_dynamics", reference, (self.n,), position, speed, torque, friction=friction)

    def torque_parts(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> TorqueParts:
        """Split the torque of a motion into inertia ``M a``, Coriolis ``C v``, gravity, friction, and their sum."""
        position, speed, acceleration = together(self._position(q), self._rate(v, "v"), self._rate(a, "a"))
        moving = self._answer("inverse_dynamics", self._torque, (self.n,), position, speed, acceleration)
        steady = self._answer("inverse_dynamics", self._torque, (self.n,), position, speed, np.zeros_like(speed))
        held = self.gravity(position)
        if self._model.friction is None:
            _say_no_friction(self.name)
        rubbing = np.zeros_like(speed) + self._friction(speed)
        return TorqueParts(moving - steady, steady - held, held, rubbing, moving + rubbing)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Joint-space mass matrix ``M`` [kg m^2], rotors included, shape ``(..., n, n)``."""
        return self._answer("mass_matrix", partial(dynamics.mass_matrix, self._model), (self.n, self.n), self._position(q))

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Coriolis matrix of the Christoffel symbols (S000 eq. 51): ``dM/dt = C + C'``, shape ``(..., n, n)``."""
        states = together(self._position(q), self._rate(v, "v"))
        return self._answer("coriolis", partial(dynamics.coriolis, self._model), (self.n, self.n), *states)

    def gravity(self, q: ArrayLike) -> Array:
        """Axis torques that hold the robot still [N m, N], shape ``(..., n)`` (S000 eq. 52)."""
        return self._answer("gravity", partial(dynamics.gravity, self._model), (self.n,), self._position(q))

    def friction(self, v: ArrayLike) -> Array:
        """Friction torque at axis speeds ``v`` [N m, N], shape ``(..., n)`` (S000 eq. 54).

        Raises:
            MissingData: if nobody has published friction of this robot.
        """
        if self._model.friction is None:
            raise MissingData(f"{self.name} has no friction data")
        return self._model.friction.torque(self._rate(v, "v"))

    def energy(self, q: ArrayLike, v: ArrayLike) -> Energy:
        """Kinetic and potential energy [J], shape ``(...)`` each; potential is 0 for a mass at the base origin."""
        states = together(self._position(q), self._rate(v, "v"))
        return Energy(*self._answers("energy", partial(dynamics.energy, self._model), ((), ()), *states))

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Matrix ``Y`` with ``Y @ parameter_vector() = inverse_dynamics(q, v, a)``, shape ``(..., n, p)``.

        Columns: per body of the tree [m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link origin (tool and payload inside
        the last link), then the rotor inertias, then Fv, Fc, Fs - Fc per axis (``v_St`` fixed) where friction is known.
        """
        states = together(self._position(q), self._rate(v, "v"), self._rate(a, "a"))
        shape = (self.n, self.parameter_vector().size)
        return self._answer("regressor", partial(dynamics.regressor, self._model), shape, *states, friction=True)

    def parameter_vector(self) -> Array:
        """Parameters in the order of :meth:`regressor`'s columns, shape ``(p,)``."""
        return dynamics.parameter_vector(self._model)

    # --- derivatives and reactions ---------------------------------------------------------------------------------

    def mass_matrix_inverse(self, q: ArrayLike) -> Array:
        """Inverse of the mass matrix [1/(kg m^2)], rotors included, shape ``(..., n, n)``."""
        return derivatives.mass_matrix_inverse(self.mass_matrix(q))

    def hessian(self, q: ArrayLike, frame: str = "tcp", point: ArrayLike | None = None) -> Array:
        """Derivative of the base-axes Jacobian, ``H[..., i, j, k] = d J_ij / d q_k``, shape ``(..., 6, n, n)``."""
        tree, number = self._frame(frame)
        offset = None if point is None else finite(point, (3,), "point [m]")
        reference = partial(derivatives.hessian, tree, number, point=offset)
        return self._answer("hessian", reference, (6, self.n, self.n), self._position(q), frame=frame, point=offset)

    def jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        axes: Literal["base", "local"] = "base",
    ) -> Array:
        """Time derivative of :meth:`jacobian` along a motion, shape ``(..., 6, n)``: accelerations are ``J a + rate v``.

        In base axes that is the frame's classical acceleration; in local axes the derivative of its local components.
        """
        if axes not in ("base", "local"):
            raise UnknownName("axes", axes, ("base", "local"))
        tree, number = self._frame(frame)
        offset = None if point is None else finite(point, (3,), "point [m]")
        states = together(self._position(q), self._rate(v, "v"))
        rate = derivatives.jacobian_rate
        return each(lambda x, y: rate(tree, number, x, y, offset, axes == "local"), (6, self.n), *states)

    def inverse_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, friction: bool = True, wrench: Wrench | None = None
    ) -> InverseDerivatives:
        """Derivatives of :meth:`inverse_dynamics` with respect to q, v and a, shape ``(..., n, n)`` each.

        At ``v = 0`` friction has the slope of its continuous part, Fv. The wrench keeps its value and its frame.
        """
        states = together(self._position(q), self._rate(v, "v"), self._rate(a, "a"))
        reference = partial(derivatives.inverse_dynamics, self._model, friction=friction)
        shapes = ((self.n, self.n),) * 3
        by_q, by_v, by_a = self._answers("inverse_dynamics_derivatives", reference, shapes, *states, friction=friction)
        by_load = self._projected("...iab,...i->...ab", self.hessian, states[0], wrench)
        return InverseDerivatives(by_q - by_load, by_v, by_a)

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, friction: bool = True, wrench: Wrench | None = None
    ) -> ForwardDerivatives:
        """Derivatives of :meth:`forward_dynamics` with respect to q, v and tau, shape ``(..., n, n)`` each."""
        a = self.forward_dynamics(q, v, tau, friction=friction, wrench=wrench)
        return derivatives.forward_dynamics(self.inverse_dynamics_derivatives(q, v, a, friction=friction, wrench=wrench))

    def energy_regressor(self, q: ArrayLike, v: ArrayLike) -> EnergyRegressor:
        """Rows whose products with :meth:`parameter_vector` are the energies of one state, shape ``(p,)`` each."""
        return derivatives.energy_regressor(self._model, self._one(q), self._one_rate(v, "v"))

    def reactions(self, q: ArrayLike, v: ArrayLike, a: ArrayLike, *, wrench: Wrench | None = None) -> Reactions:
        """What bearings, flange, rod and pins carry at one state; see :class:`Reactions`. Friction does not change it.

        Raises:
            InputError: if a wrench acts at a bar and the tree in use has none.
        """
        states = self._one(q), self._one_rate(v, "v"), self._one_rate(a, "a")
        loads = self._loads(wrench)
        for tree, frame, _ in loads:
            if (name := tree.model.frames[frame].name) not in self._model.tree.frames:
                raise InputError(f"a wrench at {name} needs the tree with bars: load(..., coupling='parallelogram')")
        return reactions.reactions(self._model, self._carried(), *states, loads)

    def sensor(
        self,
        q: ArrayLike,
        v: ArrayLike,
        a: ArrayLike,
        *,
        wrench: Wrench | None = None,
        tool0_from_sensor: ArrayLike | pin.SE3 | None = None,
    ) -> Array:
        """What a force/torque sensor between flange and tool reads, in its own axes: the tool's wrench ON the sensor.

        At rest it is the weight of tool and payload. A cutting force follows from a log by subtraction: what the sensor read,
        less this without ``wrench``, is the force of the world on the tool, in sensor axes at the sensor's origin.

        Args:
            q: Axis positions [rad, m] of one state, shape ``(n,)``.
            v: Axis speeds.
            a: Axis accelerations.
            wrench: External wrenches at ``tcp`` or ``tool0``, as in :meth:`inverse_dynamics`.
            tool0_from_sensor: Pose of the sensor in tool0, ``(4, 4)``; default tool0 itself. All of the tool is beyond it.

        Returns:
            Force [N], then moment [N m], shape ``(6,)``.

        Raises:
            InputError: if a wrench acts elsewhere: what it does to the arm does not pass the sensor.
            MissingData: for a URDF whose joints go on beyond the flange, such as those of a gripper.
        """
        states = self._one(q), self._one_rate(v, "v"), self._one_rate(a, "a")
        carried = self._carried()
        if carried is None:
            raise MissingData(f"{self.name} has joints beyond its flange: what they need passes the sensor too, and is not told")
        for frame in wrench if isinstance(wrench, Mapping) else ():
            if frame not in reactions.BEYOND_FLANGE:
                raise InputError(f"a wrench at {frame} does not pass the sensor; those at tcp and tool0 do")
        on_tool = reactions.flange_wrench(self._model, carried, *states, self._loads(wrench))
        tool0 = kinematics.pose(self._model.tree, self._model.tree.flange, states[0])
        reading = -np.concatenate([tool0.rotation.T @ on_tool[:3], tool0.rotation.T @ on_tool[3:]])
        if tool0_from_sensor is None:
            return reading
        pose = finite(getattr(tool0_from_sensor, "homogeneous", tool0_from_sensor), (4, 4), "tool0_from_sensor")
        if not is_rotation(pose[:3, :3]):
            raise InputError("tool0_from_sensor needs a rotation in its upper left 3 by 3 numbers")
        turn, place = pose[:3, :3].T, pose[:3, 3]
        return np.concatenate([turn @ reading[:3], turn @ (reading[3:] - np.cross(place, reading[:3]))])

    # --- inside ----------------------------------------------------------------------------------------------------

    @cached_property
    def _farthest(self) -> Array:
        """Largest position taken for radians and metres: three times the largest limit."""
        return 3.0 * self.limits.largest()

    @cached_property
    def _surely_near(self) -> float:
        """Square of a distance within which no axis can be too far."""
        return float(self._farthest.min()) ** 2

    def _frame(self, name: str) -> tuple[Tree, int]:
        tree = self._model.tree if name in self._model.tree.frames else self.whole_tree
        return tree, tree.frame(name)

    def _shaped(self, value: ArrayLike, what: str) -> Array:
        try:
            array = np.asarray(value, dtype=float)
        except (TypeError, ValueError) as err:
            raise InputError(f"{what} of {self.name} is not an array of numbers: {err}") from None
        if array.ndim == 0 or array.shape[-1] != self.n:
            raise InputError(f"{what} of {self.name} needs shape ({self.n},) or (..., {self.n}), got {array.shape}")
        return array

    def _position(self, q: ArrayLike) -> Array:
        array = self._shaped(q, "q")
        if array.ndim == 1 and not array.dot(array) <= self._surely_near:  # cheap, and nearly every call passes; false for NaN
            self._refuse_far(array)
        return array

    def _refuse_far(self, q: Array, shown: Array | None = None) -> None:
        share = q / self._farthest
        if not np.isfinite(q).all():
            raise InputError(f"q of {self.name} is not finite: {q.tolist()}")
        axis = int(np.argmax(np.abs(share)))
        if abs(share[axis]) > 1.0:
            unit, other = ("m", "mm") if self.limits.linear[axis] else ("rad", "deg")
            what = f"q{axis + 1} = {q[axis]:g} {unit}" if shown is None else f"q{axis + 1} = {shown[axis]:g} {other}"
            advice = f"; are these {other}? use robot.from_controller(...)" if shown is None else ""
            raise InputError(f"{what} of {self.name} is more than three times the largest limit{advice}")

    def _one(self, q: ArrayLike) -> Array:
        position = self._position(q)
        if position.ndim != 1:
            raise InputError(f"q of {self.name} needs shape ({self.n},), got {position.shape}")
        return position

    def _rate(self, value: ArrayLike, what: str) -> Array:
        array = self._shaped(value, what)
        if array.ndim == 1 and not math.isfinite(array.dot(array)) and not np.isfinite(array).all():
            raise InputError(f"{what} of {self.name} is not finite: {array.tolist()}")
        return array

    def _one_rate(self, value: ArrayLike, what: str) -> Array:
        rate = self._rate(value, what)
        if rate.ndim != 1:
            raise InputError(f"{what} of {self.name} needs shape ({self.n},), got {rate.shape}")
        return rate

    def _carried(self) -> list[Inertial] | None:
        """What is beyond the flange, in its axes: tool, payload, and what a URDF has there; None if something moves there."""
        bodies = beyond_flange(self._bare)
        if bodies is None:
            return None
        bodies += [] if self.tool is None else [self.tool.load]
        if self.payload is not None:
            frames = self._bare.model.frames
            flange, own = frames[self._bare.flange], frames[self._bare.frame("tcp")]
            if self.tool is None and own.parentJoint != flange.parentJoint:
                return None
            tcp = flange.placement.actInv(own.placement) if self.tool is None else self.tool.tcp
            bodies.append(self.payload.moved(tcp.rotation, tcp.translation))
        return bodies

    def _loads(self, wrench: Wrench | None) -> list[tuple[Tree, int, Array]]:
        """Wrenches of one state, each with the tree and frame it acts at."""
        if wrench is None:
            return []
        given = wrench if isinstance(wrench, Mapping) else {"tcp": wrench}
        return [
            (*self._frame(frame), finite(value, (6,), f"wrench at {frame} (force, moment)")) for frame, value in given.items()
        ]

    def _friction(self, v: Array) -> Array | float:
        return 0.0 if self._model.friction is None else self._model.friction.torque(v)

    def _pull(self, q: Array, wrench: Wrench) -> Array:
        """``J' w`` of every wrench, shape ``(..., n)`` with the leading axes of states and wrenches together."""
        return np.zeros(q.shape) + self._projected("...ij,...i->...j", self.jacobian, q, wrench)

    def _projected(self, subscripts: str, of_frame: Callable[[Array, str], Array], q: Array, wrench: Wrench | None) -> Array:
        """Sum of the products of each wrench with an array that belongs to its frame."""
        total = np.zeros(())
        for frame, load in self._wrenches(wrench):
            try:
                total = total + np.einsum(subscripts, of_frame(q, frame), load)
            except ValueError:
                raise InputError(f"states of shape {q.shape} and wrenches of shape {load.shape} do not go together") from None
        return total

    def _wrenches(self, wrench: Wrench | None) -> Iterator[tuple[str, Array]]:
        """Frames with their wrenches, ``(..., 6)``; one wrench must be finite."""
        for frame, value in (wrench if isinstance(wrench, Mapping) else {} if wrench is None else {"tcp": wrench}).items():
            try:
                load = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                raise InputError(f"wrench at {frame} is not an array of numbers: {value!r}") from None
            if load.shape[-1:] != (6,) or (load.ndim == 1 and not np.isfinite(load).all()):
                raise InputError(f"wrench at {frame} needs six finite numbers (force, moment), got {load.tolist()}")
            yield frame, load

    # --- reference and machine code --------------------------------------------------------------------------------

    def compiled(self, *, friction: bool = True, single: bool = False, threads: int = 1) -> Kernels:
        """Return the bare kernels, for loops of your own: no checks of values, components first, ``(n,)`` or ``(n, N)``.

        Args:
            friction: Whether torques include friction, where it is known.
            single: Compute in single precision (float32 in and out), right to 1e-4 of the largest entry within two turns.
            threads: How many threads share an array.

        Raises:
            MissingExtra: without casadi and numba.
            InputError: if ``threads`` is not a positive number.
        """
        from .compiled.cache import surroundings
        from .compiled.kernels import Kernels

        surroundings()
        if not isinstance(threads, int) or threads < 1:
            raise InputError(f"threads is a positive whole number, not {threads!r}")
        return Kernels(self._model, self._frame, friction, single, threads)

    def symbolic(self, query: str, *, friction: bool = True, frame: str = "tcp", parameters: bool = False) -> Any:
        """Return a query as ``casadi.Function``, to be differentiated, or to build an optimal control problem on.

        Args:
            query: ``inverse_dynamics``, ``forward_dynamics``, ``mass_matrix``, ``pose``, ``jacobian``, ``energy`` ...
            friction: Whether torques include friction, where it is known.
            frame: Frame of ``pose``, ``jacobian`` and ``hessian``.
            parameters: Whether inertials, rotors and friction are a further input, in the order of :meth:`parameter_vector`.

        Raises:
            MissingExtra: without casadi.
            UnknownName: if there is no such query or frame.
        """
        from .compiled import queries
        from .compiled.mechanism import chain_of, mechanism_of, whole_of

        require("casadi", "fast")
        if query in queries.OF_FRAMES:
            return queries.casadi_function(query, chain_of(*self._frame(frame)))
        strip = whole_of if parameters or query == "regressor" else mechanism_of
        return queries.casadi_function(query, strip(self._model, friction), parameters)

    def _quick(self, kernel: Kernel, q: ArrayLike, v: ArrayLike, x: ArrayLike) -> Array | None:
        """Answer for one state that surely needs no message; None for any other, which takes the long way."""
        if type(q) is type(v) is type(x) is np.ndarray and q.ndim == 1:
            try:
                return kernel.within(self._surely_near, q, v, x)
            except (TypeError, ValueError):  # no doubles, or not one state
                pass
        return None

    def _answer(
        self,
        query: str,
        reference: Callable[..., Array],
        shape: tuple[int, ...],
        /,
        *states: Array,
        friction: bool = False,
        frame: str | None = None,
        point: Array | None = None,
    ) -> Array:
        """Answer for states with the same leading axes: by machine code where that is in use, else state by state."""
        first = states[0]
        count = first.size // self.n
        make = partial(self._kernel, query, friction, frame, point)
        kernel = self._dispatch.kernel((query, friction, frame), count, make, remember=point is None)
        if kernel is None:
            return each(reference, shape, *states)
        if query in self._dispatch.in_use:
            self._dispatch.in_use[query][bool(friction)] = kernel
        if first.ndim == 1:
            one: Array = kernel(*states)
            return one
        rows: Array = kernel.rows(*(state.reshape(count, self.n) for state in states))
        return rows.reshape(*first.shape[:-1], *shape)

    def _answers(
        self,
        query: str,
        reference: Callable[..., tuple[Array | float, ...]],
        shapes: tuple[tuple[int, ...], ...],
        /,
        *states: Array,
        friction: bool = False,
    ) -> tuple[Array, ...]:
        """Do the same for a query with several results."""
        first = states[0]
        count, leading = first.size // self.n, first.shape[:-1]
        kernel = self._dispatch.kernel((query, friction, None), count, partial(self._kernel, query, friction))
        flat = [state.reshape(count, self.n) for state in states]
        if kernel is not None:
            found: tuple[Array, ...] = kernel.rows(*flat)
        else:
            each_state = [reference(*state) for state in zip(*flat, strict=True)]
            found = tuple(np.array([results[i] for results in each_state], dtype=float) for i in range(len(shapes)))
        return tuple(result.reshape((*leading, *shape))[()] for result, shape in zip(found, shapes, strict=True))

    def _kernel(self, query: str, friction: bool, frame: str | None = None, point: Array | None = None) -> Kernel:
        kernels = self._kernels[friction]
        kernel: Kernel = getattr(kernels if frame is None else kernels.at(frame, point), query)
        return kernel

    @cached_property
    def _kernels(self) -> dict[bool, Kernels]:
        return {friction: self.compiled(friction=friction) for friction in (False, True)}

    @cached_property
    def _dispatch(self) -> Dispatch:
        return Dispatch()

    def _torque(self, q: Array, v: Array, a: Array) -> Array:
        return dynamics.inverse_dynamics(self._model, q, v, a)

    def _torque_with_friction(self, q: Array, v: Array, a: Array) -> Array:
        tau = dynamics.inverse_dynamics(self._model, q, v, a)
        tau += self._friction(v)
        return tau

    def _acceleration_with_friction(self, q: Array, v: Array, tau: Array) -> Array:
        return dynamics.forward_dynamics(self._model, q, v, tau - self._friction(v))

    @cached_property
    def whole_tree(self) -> Tree:
        """Tree with every frame; the one in use, where that has them all."""
        return self._model.tree


@cache
def _say_no_friction(name: str) -> None:
    warnings.warn(f"{name} has no friction data: friction adds nothing", PhysicsWarning, stacklevel=3)


def _six(value: ArrayLike, what: str) -> Array:
    """Return velocities or accelerations ``(..., 6)``."""
    array = np.asarray(value, dtype=float)
    if array.shape[-1:] != (6,) or (array.ndim == 1 and not np.isfinite(array).all()):
        raise InputError(f"{what} needs six finite numbers (linear, angular), got {array.tolist()}")
    return array


def _alike(J: Array, wanted: Array) -> tuple[Array, Array]:
    """Return Jacobians and velocities with the same leading axes."""
    try:
        leading = np.broadcast_shapes(J.shape[:-2], wanted.shape[:-1])
    except ValueError:
        raise InputError(f"states of shape {J.shape[:-2]} and velocities of shape {wanted.shape} do not go together") from None
    return np.broadcast_to(J, (*leading, *J.shape[-2:])), np.broadcast_to(wanted, (*leading, 6))
