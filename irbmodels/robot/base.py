"""Base of the robot: its model, the checks of states, and the evaluation of queries."""

from __future__ import annotations

from dataclasses import dataclass, fields
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, overload

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import (
    as_bool,
    as_choice,
    as_int,
    finite,
)
from ..errors import require
from ..model.friction import Stribeck
from ..model.inertia import Inertial
from ..model.limits import Limits, Violation
from ..model.load_limits import LoadShare
from ..model.model import Model, load_on_flange, loaded
from ..model.springs import PullingElement, Spring
from ..model.tool import Tool
from ..model.tree import Frame, Tree
from ..model.types import SE3, AnyRows, Array, Mask, OneRow, Vector
from ..tables.building import tree_of
from ..tables.description import Description
from ..tables.spring_rows import unknown_numbers
from .composition import BareRobot, Choices
from .state_check import StateCheck
from .uncertainty import ParameterUncertainty

if TYPE_CHECKING:
    from ..compiled.kernels import Kernels
    from .evaluator import Evaluator


@dataclass(frozen=True, eq=False, repr=False)
class RobotBase:
    """Model of a robot, with what its queries use: checks, frames and evaluators."""

    name: str
    description: Description | None
    """The tables with their sources; None for a robot from a URDF."""
    parameters: str | None
    """Name of the set of inertials."""
    tool: Tool | None
    payload: Inertial | None
    dynamic_model: Model
    """Tree, friction, rotors, springs and limits in use, tool and payload included; read-only."""
    path: Path | None
    """File of a robot that does not come from tables."""
    _bare: BareRobot
    _choices: Choices

    def __getstate__(self) -> dict[str, Any]:
        """Leave kernels and work spaces behind when copied or pickled."""
        return {field.name: getattr(self, field.name) for field in fields(self)}

    @cached_property
    def states(self) -> StateCheck:
        """Checks of what comes in: shapes, finite values, units."""
        return StateCheck(self.name, self.dynamic_model)

    @cached_property
    def evaluate(self) -> Evaluator:
        """Queries of the model, by Pinocchio or by kernels."""
        from .evaluator import Evaluator  # with the programs of queries; a pose needs none

        return Evaluator.of(self.dynamic_model, self.states)

    @cached_property
    def n(self) -> int:
        """Number of axes."""
        return self.dynamic_model.n

    @property
    def limits(self) -> Limits:
        """Ranges (the coupled one included), speeds and efforts.

        ``limits.effort_assumed`` says which efforts are assumed; unknown ones are infinite.
        """
        return self.dynamic_model.limits

    @property
    def friction_model(self) -> Stribeck | None:
        """Friction law with its parameters, or None where there is no friction data."""
        return self.dynamic_model.friction

    @property
    def uncertainty(self) -> ParameterUncertainty | None:
        """Covariance of the set in use, where it was identified; None if it is not known.

        Friction, rotors or springs given instead of those of the set have none.
        """
        chosen = self._choices
        own = [isinstance(one, str) for one in (chosen.friction, chosen.rotors, chosen.springs)]
        return self._bare.uncertainty if all(own) and chosen.rotors == "set" else None

    @property
    def springs(self) -> tuple[Spring, ...]:
        """Springs, balancers and torque offsets of the axes, in use in every query."""
        return self.dynamic_model.springs

    @property
    def unknown_springs(self) -> dict[str, list[str]]:
        """Springs of the tables that no torque holds, by name: the fields that are unknown.

        One that was given instead, by :meth:`with_springs` between two pivots of its axis, is none.
        """
        if self.description is None:
            return {}
        given = {spring.axis for spring in self.springs if isinstance(spring, PullingElement)}
        result: dict[str, list[str]] = {}
        for name, row in self.description.springs.elements.items():
            place = self.description.axes.index(row.axis)
            unknown = unknown_numbers(row, bool(self.limits.linear[place]))
            if unknown and place + 1 not in given:
                result[name] = unknown
        return result

    @property
    def rotors(self) -> Array:
        """Rotor inertias in use, arm side [kg m^2, kg], shape ``(n,)``.

        Zero unless :meth:`with_rotors` was called.
        """
        return self.dynamic_model.rotors

    @property
    def drive_axes(self) -> Array:
        """Turns of each drive per turn of each axis, in turns of its own axis, shape ``(n, n)``.

        Identity unless tables or :meth:`with_drives` couple them.
        """
        return self.dynamic_model.drive_axes

    @property
    def world_from_base(self) -> SE3:
        """Pose of the base in the world [m], as :meth:`.Robot.mounted` was given it.

        It is ABB's base frame; identity unless mounted.
        """
        placement: SE3 = pin.SE3(self._choices.world_from_base)
        return placement

    @overload
    def from_controller(self, position: AnyRows) -> Array: ...

    @overload
    def from_controller(self, position: OneRow) -> Vector: ...

    @overload
    def from_controller(self, position: ArrayLike) -> Array: ...

    def from_controller(self, position: ArrayLike) -> Array:
        """Return ``q`` [rad, m] of positions ``(..., n)`` as the controller shows them [deg, mm].

        Raises:
            InputError: if one position has the wrong shape, is not finite, or is far outside every
                range.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> robot.from_controller([0, 90, 0, 0, 180, 0]).round(4)
            array([0.    , 1.5708, 0.    , 0.    , 3.1416, 0.    ])
        """
        return self.states.from_controller(position)

    def to_controller(self, q: ArrayLike) -> Array:
        """Return ``q`` [rad, m], shape ``(..., n)``, as the controller shows it [deg, mm].

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> robot.to_controller([0.0, 0.5, 0.0, 0.0, 1.0, 0.0]).round(2)
            array([ 0.  , 28.65,  0.  ,  0.  , 57.3 ,  0.  ])
        """
        position = self.states.position(q)
        return np.where(self.limits.linear, position * 1000.0, np.degrees(position))

    def in_range(self, q: ArrayLike) -> Mask:
        """Return whether positions are in every range, coupled ones included, shape ``(...)``.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> bool(robot.in_range(robot.from_controller([0, 80, 0, 0, 0, 0])))
            False
        """
        return self.limits.in_range(self.states.position(q))

    def violations(
        self, q: ArrayLike, v: ArrayLike | None = None, tau: ArrayLike | None = None
    ) -> list[Violation]:
        """Return the violated bounds on position, speed, torque [SI units] and load of a state.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> for violation in robot.violations(robot.from_controller([0, 80, 0, 0, 0, 0])):
            ...     print(violation)
            axis 3: q3 - q2 = -80 deg is outside its bounds -60 .. 65 deg
        """
        speed = None if v is None else finite(v, (self.n,), "v")
        torque = None if tau is None else finite(tau, (self.n,), "tau")
        return [*self.limits.violations(self.states.one(q), speed, torque), *self.overload]

    @cached_property
    def overload(self) -> tuple[Violation, ...]:
        """Violated bounds on mass, wrist torques and inertia of tool and payload."""
        return tuple(self.limits.load_violations(load_on_flange(self.tool, self.payload)))

    @property
    def load_shares(self) -> tuple[LoadShare, ...]:
        """Mass, wrist torques and inertia of tool and payload, each with its limit.

        Empty without a load, and where no limit of the load is known, as of a URDF.
        """
        load, limits = load_on_flange(self.tool, self.payload), self.limits.load
        return () if load is None or limits is None else tuple(limits.shares(load))

    def compiled(self, *, friction: bool = True, single: bool = False, threads: int = 1) -> Kernels:
        """Return the bare kernels, for loops of your own.

        They check no values, and take components first: ``(n,)`` or ``(n, N)``.

        Args:
            friction: Whether torques include friction, where it is known.
            single: Compute in single precision (float32 in and out), right to 1e-4 of the largest
                entry within two turns.
            threads: How many threads share an array.

        Raises:
            MissingExtra: without llvmlite.
            InputError: if ``threads`` is not a positive number.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> kernels = robot.compiled()
            >>> import numpy as np
            >>> states = np.tile(q[:, None], (1, 5))
            >>> kernels.gravity(states).shape
            (6, 5)
        """
        from ..compiled.cache import environment_key
        from ..compiled.kernels import Kernels

        environment_key()
        model = self.evaluate.models[as_bool(friction, "friction")]
        narrow, count = as_bool(single, "single"), as_int(threads, "threads", 1)
        return Kernels(model, self.find_frame, narrow, count)

    def symbolic(
        self, query: str, *, friction: bool = True, frame: str = "tcp", parameters: bool = False
    ) -> Any:
        """Return a query as ``casadi.Function``, for derivatives or problems of optimal control.

        Args:
            query: ``inverse_dynamics``, ``forward_dynamics``, ``mass_matrix``, ``pose``,
                ``jacobian``, ``energy`` ...
            friction: Whether torques include friction, where it is known.
            frame: Frame of ``pose``, ``jacobian`` and ``hessian``.
            parameters: Whether inertials, rotors, friction and springs are a further input, in the
                order of :meth:`parameter_vector`.

        Raises:
            MissingExtra: without casadi.
            UnknownName: if there is no such query or frame.
        """
        from ..compiled.queries import OF_FRAMES, QUERIES, casadi_function, mechanism_for
        from ..model.mechanism import unreduced_mechanism_of

        require("casadi", "symbolic")
        if as_choice(query, QUERIES, "query") in OF_FRAMES:
            return casadi_function(query, mechanism_for(query, self.find_frame(frame)))
        model = self.evaluate.models[as_bool(friction, "friction")]
        if as_bool(parameters, "parameters"):
            return casadi_function(query, unreduced_mechanism_of(model), True)
        return casadi_function(query, mechanism_for(query, model))

    @cached_property
    def whole_tree(self) -> Tree:
        """Tree with every frame, the bars' included; the one in use where that has no bars."""
        if self.description is None or not self.description.kinematics.parallelogram:
            return self.dynamic_model.tree
        whole = tree_of(self.description, "parallelogram", str(self.parameters))
        return loaded(whole, self.tool, self.payload, self._choices.gravity_in_base)

    def find_frame(self, name: str, point: ArrayLike | None = None) -> Frame:
        """Return a frame, or a point [m] fixed to it in its axes, with the tree that has it.

        Raises:
            UnknownName: if there is no such frame.
            InputError: if the point is not three finite numbers.
        """
        own = self.dynamic_model.tree
        tree = own if isinstance(name, str) and name in own.frames else self.whole_tree
        offset = None if point is None else finite(point, (3,), "point [m]")
        return Frame(tree, tree.frame(name), offset)
