"""Kinematics of a robot: poses, Jacobians, postures for a pose, singularities, reach."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_bool, as_choice, broadcast, map_states, number, six
from ..checks import poses as checked_poses
from ..errors import InputError, MissingData
from ..kinematics import frames as kinematics
from ..kinematics.frames import Reference, in_world
from ..model.dh import Convention, DHTable

if TYPE_CHECKING:
    from ..kinematics.arm_geometry import Arm
    from ..kinematics.configuration import Configuration
    from ..kinematics.inverse.solutions import Branches, Solutions
    from ..kinematics.inverse.solver import ClosedForm, InverseKinematics
    from ..kinematics.seven_axis import SevenAxis
    from ..kinematics.singularities import DampedVelocity, Measures, Singularities, SingularPosture
    from ..kinematics.tcp_extremes import TcpExtremes
    from ..kinematics.workspace import Workspace
    from ..kinematics.wrist_crossing import Crossing
    from ..model.dh_motion import LinkMotion
    from ..rapid import RobTarget

from ..model.types import (
    SE3,
    AnyRows,
    Array,
    ManyMatrices,
    ManyRows,
    Matrices,
    OneMatrix,
    OneRow,
)
from .base import RobotBase

Axes = Literal["base", "world", "local"]
AXES = ("base", "world", "local")


class KinematicMethods(RobotBase):
    """Queries that depend on the lengths of an arm alone."""

    @overload
    def pose(
        self,
        q: AnyRows,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        reference: Reference = "base",
    ) -> Any: ...

    @overload
    def pose(
        self,
        q: OneRow,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        reference: Reference = "base",
    ) -> SE3: ...

    @overload
    def pose(
        self,
        q: ManyRows,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        reference: Reference = "base",
    ) -> Matrices: ...

    @overload
    def pose(
        self,
        q: ArrayLike,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        reference: Reference = "base",
    ) -> Any: ...

    def pose(
        self,
        q: ArrayLike,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        reference: Reference = "base",
    ) -> SE3 | Array:
        """Pose of a frame in the base, or in the world that the robot is :meth:`.mounted` in.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`: ``tcp``, ``tool0``, ``flange``, ``link_3``,
                ``link_rod`` ...
            point: Point fixed to the frame [m], in its axes; becomes the origin of the answer.
            reference: ``base`` or ``world``.

        Returns:
            ``pin.SE3`` for one state, homogeneous matrices ``(..., 4, 4)`` for arrays.

        Raises:
            UnknownName: if there is no such frame or reference.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> (robot.pose(q).translation * 1000).round(2)
            array([1143.04,    0.  ,  936.71])
        """
        world = in_world(reference)
        target = self.find_frame(frame, point)
        position = self.states.position(q)
        if position.ndim == 1:
            pose = kinematics.pose(target.tree, target.number, position, target.point)
            return self.world_from_base * pose if world else pose
        poses = self.evaluate.pose(target, position)
        return self._choices.world_from_base @ poses if world else poses

    def jacobian(
        self,
        q: ArrayLike,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        axes: Axes = "base",
    ) -> Array:
        """Geometric Jacobian at a frame's origin, or at a point fixed to it: ``[v; w] = J q'``.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`.
            point: Point fixed to the frame [m], in its axes.
            axes: Express the velocity in ``base`` axes, those of the ``world`` that the robot is
                :meth:`.mounted` in, or those of the frame (``local``).

        Returns:
            Shape ``(..., 6, n)``, linear rows first (S000 eq. 33).

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> twist = robot.jacobian(q) @ [0.1, 0, 0, 0, 0, 0]
            >>> twist.round(4) + 0.0
            array([0.    , 0.1143, 0.    , 0.    , 0.    , 0.1   ])
        """
        as_choice(axes, AXES, "axes")
        target = self.find_frame(frame, point)
        position = self.states.position(q)
        if axes != "local":
            jacobian = self.evaluate.jacobian(target, position)
            return jacobian if axes == "base" else self._in_world_axes(jacobian)
        return map_states(
            lambda x: kinematics.jacobian(target.tree, target.number, x, target.point, local=True),
            (6, self.n),
            position,
        )

    def hessian(self, q: ArrayLike, frame: str = "tcp", point: ArrayLike | None = None) -> Array:
        """Derivative of the Jacobian in base axes, wherever it is mounted, ``(..., 6, n, n)``.

        ``H[..., i, j, k] = d J_ij / d q_k``; arguments as :meth:`jacobian`.
        """
        return self.evaluate.hessian(self.find_frame(frame, point), self.states.position(q))

    def jacobian_rate(
        self,
        q: ArrayLike,
        v: ArrayLike,
        frame: str = "tcp",
        point: ArrayLike | None = None,
        axes: Axes = "base",
    ) -> Array:
        """Time derivative of :meth:`jacobian` along a motion, shape ``(..., 6, n)``.

        The acceleration of the frame is ``J a + rate v``.
        In base or world axes that is the frame's classical acceleration; in local axes the
        derivative of its local components.
        """
        as_choice(axes, AXES, "axes")
        tree, number, offset = self.find_frame(frame, point)
        states = broadcast(self.states.position(q), self.states.velocity(v))
        rate = kinematics.jacobian_rate
        rates = map_states(
            lambda x, y: rate(tree, number, x, y, offset, axes == "local"), (6, self.n), *states
        )
        return self._in_world_axes(rates) if axes == "world" else rates

    def dh(self, convention: Convention = "modified") -> DHTable:
        """Return the Denavit-Hartenberg table, ``theta = A q + theta0`` (S003 eq. 2.24-2.25).

        Raises:
            MissingData: for a robot from a URDF.

        Example:
            >>> import irbmodels as irb
            >>> irb.load("irb2400").dh().a
            array([0.   , 0.1  , 0.705, 0.135, 0.   , 0.   ])
        """
        if self.description is None:
            raise MissingData(f"{self.name} comes from a URDF and has no DH table")
        return self.description.dh(convention)

    def singularities(self, q: ArrayLike) -> Singularities:
        """Signed distances from wrist [rad], elbow [rad] and shoulder [m] singularity, and det J.

        They do not depend on where the robot is mounted.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.

        Raises:
            MissingData: for an arm that has no :meth:`inverse_kinematics`; :meth:`measures` serves
                any.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> round(float(robot.singularities(q).wrist), 3)
            0.524
        """
        from ..kinematics.singularities import singularities

        return singularities(self._arm, self.states.position(q))

    def singular_postures(self) -> list[SingularPosture]:
        """Kinds of singular postures: where, in range or not, boundary or interior (S004)."""
        from ..kinematics.singularities import singular_postures

        return singular_postures(self._arm, self.limits)

    def measures(self, q: ArrayLike, frame: str = "tcp", length: float = 1.0) -> Measures:
        """Manipulability, condition number and least singular value of the Jacobian, ``(...)``.

        They are the same in base and world axes.

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            frame: Any name of :attr:`frames`.
            length: Characteristic length [m] at which 1 m/s counts as much as 1 rad/s.
        """
        from ..kinematics.singularities import measures

        return measures(self.jacobian(q, frame), length)

    def inverse_velocity(
        self, q: ArrayLike, twist: ArrayLike, frame: str = "tcp", axes: Axes = "base"
    ) -> Array:
        """Axis speeds ``(..., n)`` that move a frame with a twist (S003 eq. 2.68).

        Args:
            q: Axis positions [rad, m], shape ``(..., n)``.
            twist: Velocity [m/s], then angular velocity [rad/s], shape ``(..., 6)``.
            frame: Any name of :attr:`frames`.
            axes: Axes that the twist is in, as in :meth:`jacobian`.

        Raises:
            InputError: if one state cannot have that twist, being singular or of fewer axes. In
                arrays NaN stands there.
        """
        return self._solved(
            self.jacobian(q, frame, axes=axes), six(twist, "twist", "linear, angular"), "velocity"
        )

    def inverse_acceleration(
        self,
        q: ArrayLike,
        v: ArrayLike,
        acceleration: ArrayLike,
        frame: str = "tcp",
        axes: Axes = "base",
    ) -> Array:
        """Axis accelerations ``(..., n)`` of an acceleration of a frame at ``v`` (S003 eq. 2.69).

        ``acceleration`` has shape ``(..., 6)``: [m/s^2], then [rad/s^2], in ``axes`` as
        :meth:`jacobian_rate` has them.

        Raises:
            InputError: as :meth:`inverse_velocity`.
        """
        drift = np.einsum(
            "...ij,...j->...i", self.jacobian_rate(q, v, frame, axes=axes), self.states.velocity(v)
        )
        wanted = six(acceleration, "acceleration", "linear, angular") - drift
        return self._solved(self.jacobian(q, frame, axes=axes), wanted, "acceleration")

    def damped_velocity(
        self,
        q: ArrayLike,
        twist: ArrayLike,
        frame: str = "tcp",
        near: float = 0.05,
        axes: Axes = "base",
    ) -> DampedVelocity:
        """Axis speeds for a twist that stay bounded through singularities.

        Twist and what is missed of it are in ``axes`` as in :meth:`jacobian`; see
        :func:`singularities.damped_velocity`.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.damped_velocity(q, [0.1, 0, 0, 0, 0, 0]).v.round(4)
            array([-0.    ,  0.1511, -0.0475,  0.    ,  0.0475, -0.    ])
        """
        from ..kinematics.singularities import damped_velocity

        return damped_velocity(
            self.jacobian(q, frame, axes=axes), six(twist, "twist", "linear, angular"), near
        )

    def link_motion(self, q: ArrayLike, v: ArrayLike, a: ArrayLike) -> LinkMotion:
        """Velocity and acceleration of each link and the TCP, in own axes (S004 eq. 30-33)."""
        from ..model.dh_motion import link_motion

        return link_motion(self.dh(), *self.states.one_motion(q, v, a), self._tcp)

    def workspace(self, wrist: ArrayLike | None = None) -> Workspace:
        """Exact workspace of the wrist centre, or of the TCP with axes 4 to 6 at ``wrist`` [rad].

        In the arm's plane and base axes; its points are in the world on request.

        Raises:
            InputError: if the TCP then lies beside the arm's plane.
            MissingData: as :meth:`singularities`.

        Example:
            >>> import irbmodels as irb
            >>> round(irb.load("irb2400").workspace().area(), 2)
            3.48
        """
        from ..kinematics.workspace_of_arm import workspace_of

        space = workspace_of(self._arm, self.limits, wrist)
        return replace(space, world_from_base=self._choices.world_from_base)

    def tcp_extremes(self, reference: Reference = "base") -> TcpExtremes:
        """Extremes of the TCP with all axes free, with postures, by search.

        They are the largest radius about axis 1 and the highest and lowest point: along axis 1
        above the ``base``, or above the origin of the ``world`` that the robot is :meth:`.mounted`
        in.

        Raises:
            MissingData: as :meth:`singularities`.
        """
        from ..kinematics.tcp_extremes import tcp_extremes

        base = self._choices.world_from_base if in_world(reference) else None
        return tcp_extremes(self._arm, self.limits, base)

    def cross_wrist(
        self,
        poses: ArrayLike,
        start: ArrayLike,
        zone: float = math.radians(5.0),
        reference: Reference = "base",
    ) -> Crossing:
        """Axis positions along poses of the TCP ``(N, 4, 4)`` through ``q5 = 0``.

        The poses are in the ``base``, or in the ``world`` that the robot is :meth:`.mounted` in.
        :mod:`irbmodels.kinematics.wrist_crossing` has the rule.

        Raises:
            InputError: if ``start`` is not on the first pose, or a pose is out of reach.
            MissingData: for an arm without a spherical wrist.
        """
        from ..kinematics.wrist_crossing import cross_wrist

        band = number(zone, "the zone [rad]", 0.0, math.pi / 2)
        path = checked_poses(poses, "poses of the TCP")
        if in_world(reference):
            path = self.world_from_base.inverse().homogeneous @ path
        return cross_wrist(self._arm, path, self.states.one(start, "start"), band)

    @overload
    def inverse_kinematics(
        self,
        pose: AnyRows,
        *,
        in_range: bool = False,
        near: ArrayLike | None = None,
        turns: bool = False,
        configuration: Sequence[int] | None = None,
        axis_7: float | None = None,
        reference: Reference | None = None,
    ) -> Any: ...

    @overload
    def inverse_kinematics(
        self,
        pose: SE3 | OneMatrix | RobTarget | str,
        *,
        in_range: bool = False,
        near: ArrayLike | None = None,
        turns: bool = False,
        configuration: Sequence[int] | None = None,
        axis_7: float | None = None,
        reference: Reference | None = None,
    ) -> Solutions: ...

    @overload
    def inverse_kinematics(
        self,
        pose: ManyMatrices,
        *,
        in_range: bool = False,
        near: ArrayLike | None = None,
        turns: bool = False,
        configuration: Sequence[int] | None = None,
        axis_7: float | None = None,
        reference: Reference | None = None,
    ) -> Branches: ...

    @overload
    def inverse_kinematics(
        self,
        pose: ArrayLike,
        *,
        in_range: bool = False,
        near: ArrayLike | None = None,
        turns: bool = False,
        configuration: Sequence[int] | None = None,
        axis_7: float | None = None,
        reference: Reference | None = None,
    ) -> Any: ...

    def inverse_kinematics(
        self,
        pose: SE3 | ArrayLike | RobTarget | str,
        *,
        in_range: bool = False,
        near: ArrayLike | None = None,
        turns: bool = False,
        configuration: Sequence[int] | None = None,
        axis_7: float | None = None,
        reference: Reference | None = None,
    ) -> Solutions | Branches:
        """All axis positions of a pose of the TCP, in closed form (S003 eq. 2.29-2.49, corrected).

        Six axes with a spherical wrist have up to eight: front and back of axis 1, elbow up and
        down, axis 5 positive and negative, in this order; a SCARA two; six axes whose wrist axes
        miss one point up to 16 (:mod:`irbmodels.kinematics.inverse.offset_wrist`). Each position is
        shown in the full turn that is in range, nearest to ``near`` or else to 0. A SCARA or
        palletizer reaches poses that lean by up to 1e-5 rad, from rounded quaternions, upright.

        Where a singularity leaves an axis free (``flags``), it is kept as in ``near``, or else 0:
        axis 4 where axes 4 and 6 are in line, axis 1 where the wrist centre is on it. Postures that
        are one there are returned once.

        Args:
            pose: Pose of the TCP in metres: ``pin.SE3`` or ``(4, 4)``, or an array ``(..., 4,
                4)``. Arrays let what is not finite pass in its own sample. Or a robtarget, or its
                text ``[[x,y,z],[q1,q2,q3,q4],[cf1,cf4,cf6,cfx],[9E9,...]]`` in mm as RAPID writes
                it, in ``wobj0`` (``target.pose(wobj)`` is the pose in the world of one in a work
                object): all its solutions come, those with its configuration data first and
                ``programmed``.
            in_range: Return only what keeps every range, the coupled one of axis 3 included.
            near: Seed ``(n,)`` [rad, m]: solutions of one pose are sorted by their distance to it.
            turns: Return every full turn that is in range as a solution of its own; for one pose.
            configuration: ABB's ``cf1, cf4, cf6, cfx``: return only solutions that have it, in the
                full turns that it tells, whatever a robtarget programs.
            axis_7: Position of axis 7 [rad] of an arm of seven axes (``eax_a`` of a jointtarget):
                the pose leaves one axis free, and all postures with this one are returned, up to 16
                (:mod:`irbmodels.kinematics.inverse.general_chain`). Seven axes have no
                configuration data here, and a robtarget states their arm angle instead.
            reference: Frame that the pose is in: ``base``, or the ``world`` that the robot is
                :meth:`.mounted` in. None is the base for a pose, and the world for a robtarget,
                whose ``wobj0`` is ABB's world frame.

        Returns:
            For one pose a sequence of solutions, each with ``q``, ``configuration``, ``flags`` and
            ``in_range``; empty where the pose is out of reach, with ``missing`` [m] and the reason
            as ``note``; printed, a table. For arrays ``q`` ``(..., 8, 6)`` with the masks
            ``valid``, ``flags`` and ``in_range`` ``(..., 8)``, and ``missing`` ``(...)``; a SCARA
            has 2 slots, a palletizer 4, an offset wrist 16.

        Raises:
            InputError: if a pose is no rigid motion, one pose is not finite, or a shape is wrong.
            MissingData: if the arm is no SCARA, and no six-axis arm of which axes 4 and 5 meet, and
                has no axis 7 that is given.
            UnknownName: if there is no such reference.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> for solution in robot.inverse_kinematics(robot.pose(q), in_range=True):
            ...     print(robot.to_controller(solution.q).round(1) + 0.0)
            [ 0. 20. 10.  0. 30.  0.]
            [  0.  20.  10. 180. -30. 180.]
            [ 180.   -82.6 -121.4  180.    98.6    0. ]
            [ 180.   -82.6 -121.4    0.   -98.6  180. ]
        """
        if reference is None:
            world = isinstance(pose, str) or hasattr(pose, "rapid")
        else:
            world = in_world(reference)
        inside, every = as_bool(in_range, "in_range"), as_bool(turns, "turns")
        inverse = self._inverse if axis_7 is None else self._inverse_at(number(axis_7, "axis 7"))
        return inverse(
            pose,
            inside,
            None if near is None else self.states.one(near, "near"),
            every,
            configuration,
            self.world_from_base.inverse().homogeneous if world else None,
        )

    def configuration(self, q: ArrayLike) -> Configuration:
        """ABB's configuration data of one posture: cf1, cf4, cf6, cfx, and their certainty.

        Raises:
            MissingData: if the arm is no SCARA, and no six-axis arm of which axes 4 and 5 meet.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.configuration(q)
            Configuration(cf1=0, cf4=0, cf6=0, cfx=0, sure=False)
        """
        from ..kinematics.configuration import configuration_of

        return configuration_of(self._arm, self.states.one(q))

    @property
    def closed_form(self) -> ClosedForm:
        """Inverse kinematics as a straight-line program with its constants, for writers.

        Raises:
            MissingData: if the arm is no SCARA, and no six-axis arm of which axes 4 and 5 meet.
        """
        return self._inverse.closed_form()

    @cached_property
    def rapid_axes(self) -> tuple[int, ...]:
        """Numbers of the axes in RAPID: 1, 2, 3 and 6 of a palletizer, else 1 to ``n``.

        ``rax_6`` of a jointtarget holds the last axis of a palletizer, 0 stands in for the others.
        Of an arm of seven axes axis 7, which is ``eax_a``, stands third in the chain, and where
        its axis is in ``q``: last, or third of a robot that :func:`.from_urdf` has read.
        """
        try:
            return (self._seven_axis if self.n == 7 else self._arm).rapid_axes
        except MissingData:  # of another shape
            return tuple(range(1, self.n + 1))

    def arm_angle(self, q: ArrayLike) -> float:
        """Arm angle of a posture of an arm of seven axes [rad]: ``eax_a`` of its robtarget.

        It tells how far the elbow is turned about the line from shoulder to wrist
        (:meth:`.SevenAxis.arm_angle` has formula and sources).

        Raises:
            MissingData: if the arm has other axes, or its reference direction is not known.
        """
        return self._seven_axis.arm_angle(self.states.one(q))

    @cached_property
    def _arm(self) -> Arm:
        from ..kinematics.normal_form import arm_of

        tcp = self.find_frame("tcp")
        return arm_of(tcp.tree, tcp.number, self.name)

    @cached_property
    def _seven_axis(self) -> SevenAxis:
        from ..kinematics.seven_axis import seven_axis_of

        tcp = self.find_frame("tcp")
        return seven_axis_of(tcp.tree, tcp.number, self.name)

    @property
    def _tcp(self) -> Array:
        """Pose of the TCP in tool0."""
        tcp: Array = np.eye(4) if self.tool is None else self.tool.tcp.homogeneous
        return tcp

    def _in_world_axes(self, motion: Array) -> Array:
        """Return linear over angular rows ``(..., 6, n)`` in base axes, turned into the world's."""
        rotation, rows = self._choices.world_from_base[:3, :3], motion.shape[:-2]
        parts = rotation @ motion.reshape(*rows, 2, 3, self.n)
        return np.asarray(parts.reshape(motion.shape))

    def _solved(self, J: Array, wanted: Array, what: str) -> Array:
        from ..kinematics.axis_rates import axis_rates

        jacobians, values = (J, wanted) if J.shape[:-2] == wanted.shape[:-1] else _alike(J, wanted)
        rates, possible = axis_rates(jacobians, values)
        if rates.ndim == 1 and not possible:
            raise InputError(
                f"{self.name} cannot have this {what} here: its Jacobian has lost that direction"
            )
        return rates

    def _inverse_at(self, axis_7: float) -> InverseKinematics:
        from ..kinematics.inverse.solver import InverseKinematics
        from ..kinematics.seven_axis import HeldAxis

        return InverseKinematics(HeldAxis(self._seven_axis, axis_7), self.limits)

    @cached_property
    def _inverse(self) -> InverseKinematics:
        from ..kinematics.inverse.solver import InverseKinematics

        return InverseKinematics(self._arm, self.limits)


def _alike(J: Array, wanted: Array) -> tuple[Array, Array]:
    """Return Jacobians and velocities with the same leading axes."""
    try:
        leading = np.broadcast_shapes(J.shape[:-2], wanted.shape[:-1])
    except ValueError:
        raise InputError(
            f"states of shape {J.shape[:-2]} and velocities of shape {wanted.shape} do not go"
            " together"
        ) from None
    return np.broadcast_to(J, (*leading, *J.shape[-2:])), np.broadcast_to(wanted, (*leading, 6))
