"""Questions about a state, in axis positions: what comes in is checked here, what goes out comes from the floors below."""

from __future__ import annotations

import math
import warnings
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Literal

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from . import derivatives, dynamics, kinematics, reactions
from .checks import each, finite, is_rotation, together
from .derivatives import EnergyRegressor, ForwardDerivatives, InverseDerivatives
from .dynamics import Energy, TorqueParts
from .errors import InputError, MissingData, PhysicsWarning, UnknownName
from .friction import Stribeck
from .inertia import Inertial
from .limits import Limits, Violation
from .model import Model
from .reactions import Reactions
from .tool import Tool
from .tree import Tree, beyond_flange

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

    @property
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
        return each(lambda x: kinematics.pose(tree, number, x, offset).homogeneous, (4, 4), position)

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
        return each(lambda x: kinematics.jacobian(tree, number, x, offset, axes == "local"), (6, self.n), self._position(q))

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
        position, speed, acceleration = self._position(q), self._rate(v, "v"), self._rate(a, "a")
        if position.ndim == speed.ndim == acceleration.ndim == 1:
            tau = dynamics.inverse_dynamics(self._model, position, speed, acceleration)
        else:
            position, speed, acceleration = together(position, speed, acceleration)
            tau = each(lambda *x: dynamics.inverse_dynamics(self._model, *x), (self.n,), position, speed, acceleration)
        if friction:
            tau += self._friction(speed)
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
        position, speed, torque = together(self._position(q), self._rate(v, "v"), self._rate(tau, "tau"))
        if friction:
            torque = torque - self._friction(speed)
        if wrench is not None:
            position, speed, torque, pull = together(position, speed, torque, self._pull(position, wrench))
            torque = torque + pull
        return each(lambda *x: dynamics.forward_dynamics(self._model, *x), (self.n,), position, speed, torque)

    def torque_parts(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> TorqueParts:
        """Split the torque of a motion into inertia ``M a``, Coriolis ``C v``, gravity, friction, and their sum."""
        position, speed, acceleration = together(self._position(q), self._rate(v, "v"), self._rate(a, "a"))
        model, n, still = self._model, self.n, np.zeros(self.n)
        moving = each(lambda *x: dynamics.inverse_dynamics(model, *x), (n,), position, speed, acceleration)
        steady = each(lambda x, y: dynamics.inverse_dynamics(model, x, y, still), (n,), position, speed)
        held = self.gravity(position)
        rubbing = np.zeros_like(speed) + self._friction(speed)
        return TorqueParts(moving - steady, steady - held, held, rubbing, moving + rubbing)

    def mass_matrix(self, q: ArrayLike) -> Array:
        """Joint-space mass matrix ``M`` [kg m^2], rotors included, shape ``(..., n, n)``."""
        return each(lambda x: dynamics.mass_matrix(self._model, x), (self.n, self.n), self._position(q))

    def coriolis(self, q: ArrayLike, v: ArrayLike) -> Array:
        """Coriolis matrix of the Christoffel symbols (S000 eq. 51): ``dM/dt = C + C'``, shape ``(..., n, n)``."""
        states = together(self._position(q), self._rate(v, "v"))
        return each(lambda *x: dynamics.coriolis(self._model, *x), (self.n, self.n), *states)

    def gravity(self, q: ArrayLike) -> Array:
        """Axis torques that hold the robot still [N m, N], shape ``(..., n)`` (S000 eq. 52)."""
        return each(lambda x: dynamics.gravity(self._model, x), (self.n,), self._position(q))

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
        both = each(lambda *x: np.array(dynamics.energy(self._model, *x)), (2,), *states)
        return Energy(both[..., 0], both[..., 1])

    def regressor(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> Array:
        """Matrix ``Y`` with ``Y @ parameter_vector() = inverse_dynamics(q, v, a)``, shape ``(..., n, p)``.

        Columns: per body of the tree [m, m c, Ixx, Ixy, Iyy, Ixz, Iyz, Izz] about the link origin (tool and payload inside
        the last link), then the rotor inertias, then Fv, Fc, Fs - Fc per axis (``v_St`` fixed) where friction is known.
        """
        states = together(self._position(q), self._rate(v, "v"), self._rate(a, "a"))
        columns = self.parameter_vector().size
        return each(lambda *x: dynamics.regressor(self._model, *x), (self.n, columns), *states)

    def parameter_vector(self) -> Array:
        """Parameters in the order of :meth:`regressor`'s columns, shape ``(p,)``."""
        return dynamics.parameter_vector(self._model)

    # --- derivatives and reactions ---------------------------------------------------------------------------------

    def mass_matrix_inverse(self, q: ArrayLike) -> Array:
        """Inverse of the mass matrix [1/(kg m^2)], rotors included, shape ``(..., n, n)``."""
        inverse = derivatives.mass_matrix_inverse
        return each(lambda x: inverse(dynamics.mass_matrix(self._model, x)), (self.n, self.n), self._position(q))

    def hessian(self, q: ArrayLike, frame: str = "tcp", point: ArrayLike | None = None) -> Array:
        """Derivative of the base-axes Jacobian, ``H[..., i, j, k] = d J_ij / d q_k``, shape ``(..., 6, n, n)``."""
        tree, number = self._frame(frame)
        offset = None if point is None else finite(point, (3,), "point [m]")
        shape = (6, self.n, self.n)
        return each(lambda x: derivatives.hessian(tree, number, x, offset), shape, self._position(q))

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
        """Derivatives of :meth:`inverse_dynamics` with respect to q, v and a, shape ``(n, n)`` each, at one state.

        At ``v = 0`` friction has the slope of its continuous part, Fv. The wrench keeps its value and its frame.
        """
        position, speed, acceleration = self._one(q), self._one_rate(v, "v"), self._one_rate(a, "a")
        return derivatives.inverse_dynamics(self._model, position, speed, acceleration, friction, self._loads(wrench))

    def forward_dynamics_derivatives(
        self, q: ArrayLike, v: ArrayLike, tau: ArrayLike, *, friction: bool = True, wrench: Wrench | None = None
    ) -> ForwardDerivatives:
        """Derivatives of :meth:`forward_dynamics` with respect to q, v and tau, shape ``(n, n)`` each, at one state."""
        position, speed, torque = self._one(q), self._one_rate(v, "v"), self._one_rate(tau, "tau")
        loads = self._loads(wrench)
        a = self.forward_dynamics(position, speed, torque, friction=friction, wrench=wrench)
        return derivatives.forward_dynamics(self._model, position, speed, a, friction, loads)

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
        if self._model.friction is None:
            _say_no_friction(self.name)
            return 0.0
        return self._model.friction.torque(v)

    def _pull(self, q: Array, wrench: Wrench) -> Array:
        """``J' w`` of every wrench, shape ``(..., n)`` with the leading axes of states and wrenches together."""
        total = np.zeros(q.shape)
        for frame, value in (wrench if isinstance(wrench, Mapping) else {"tcp": wrench}).items():
            try:
                load = np.asarray(value, dtype=float)
            except (TypeError, ValueError):
                raise InputError(f"wrench at {frame} is not an array of numbers: {value!r}") from None
            if load.shape[-1:] != (6,) or (load.ndim == 1 and not np.isfinite(load).all()):
                raise InputError(f"wrench at {frame} needs six finite numbers (force, moment), got {load.tolist()}")
            jacobian = self.jacobian(q, frame)
            try:
                total = total + np.einsum("...ij,...i->...j", jacobian, load)
            except ValueError:
                raise InputError(f"states of shape {q.shape} and wrenches of shape {load.shape} do not go together") from None
        return total

    @cached_property
    def whole_tree(self) -> Tree:
        """Tree with every frame; the one in use, where that has them all."""
        return self._model.tree


@cache
def _say_no_friction(name: str) -> None:
    warnings.warn(f"{name} has no friction data: friction adds nothing", PhysicsWarning, stacklevel=4)
