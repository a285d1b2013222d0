"""The facade: an ABB robot that answers in the axis positions its controller shows."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import FrozenInstanceError, replace
from functools import cached_property
from pathlib import Path
from types import FunctionType
from typing import TYPE_CHECKING, Any, NoReturn, cast

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_list, as_pose, finite, is_rotation, numbers, short_repr
from ..errors import InputError, MissingData, warn
from ..files import read_text
from ..model.axis_springs import check_springs
from ..model.equality import are_equal
from ..model.friction import Stribeck, check_law
from ..model.inertia import Inertial
from ..model.joint_drives import JointFriction, JointRotor
from ..model.mesh_paths import with_mesh_paths
from ..model.model import JointBound
from ..model.motors import Motors
from ..model.springs import Spring
from ..model.tool import Tool
from ..model.tool import payload as checked_payload
from ..model.tree import copy_of
from ..model.types import Array
from ..tables.building import load_tool, motors_of
from ..tables.description import TABLES, Coupling, describe
from ..tables.overlays import is_file
from ..tables.writing import tables_of
from .composition import BareRobot, Choices, bare_of, compose, warnings_of
from .dynamics import DynamicMethods
from .kinematics import KinematicMethods
from .tool_shapes import add_tool_shapes
from .urdf_robot import bare_of_urdf, tables_of_urdf, with_parameter_file

if TYPE_CHECKING:
    from ..rapid import ToolData


_STRONGEST = 100.0  # [m/s^2] of gravity: four times that of Jupiter


def load(
    name_or_folder: str | Path,
    tool: str | Path | Tool | ToolData | None = None,
    parameters: str | Path | None = None,
    coupling: Coupling | None = None,
    overlays: Sequence[str | Path] = (),
) -> Robot:
    """Load a robot.

    Args:
        name_or_folder: A variant (``irb2400_16``), an alias (``irb2400``), or a folder with the
            same tables.
        tool: Name of a shipped tool (``spindle``), path of a tool table, ABB's tooldata (value or
            text), one of a RAPID file (``weld.mod:tGun``), or a :class:`Tool`.
        parameters: Named set of inertials; default the robot's own (``irbmodels info NAME`` lists
            them). Or the path of a .yaml file with a set, as ``irbmodels identify`` writes it:
            inertials, friction, rotors.
        coupling: Tree that dynamics run on. The answers are the same, always in the controller's
            axes; default ``serial`` where the bars carry no mass, else ``parallelogram``. Elastic
            rods: :class:`irbmodels.simulation.parallelogram_loop.ParallelogramLoop`.
        overlays: Files that change single numbers of the tables (a calibration, a friction fit),
            the last one on top.

    Raises:
        UnknownName: if robot, tool, set or coupling does not exist; the message has the nearest
            name.
        TableError: if a table breaks the format.
        FileError: if a file cannot be read.

    Files of sets and overlays name their robot, and perhaps the tool they were identified with:
    those of another robot are refused, another tool warns (docs/howto/own_robot.md).

    Example:
        >>> import irbmodels as irb
        >>> irb.load("irb2400", tool="spindle")
        <Robot irb2400_16: 6 axes, parameters obal2025, Stribeck friction, tool spindle>
        >>> irb.load("irb6700_200_260").n
        6
    """
    if isinstance(overlays, str | Path):
        raise InputError(f"overlays are a list of files: overlays=[{str(overlays)!r}]")
    files = tuple(
        Path(overlay).resolve()
        for overlay in as_list(overlays, str | Path, "overlays are a list of files")
    )
    robot = _robot(
        bare_of(describe(name_or_folder), files, parameters, coupling),
        Choices(tool=None if tool is None else tool_from(tool)),
    )
    for line in robot._warnings:
        warn(line)
    return robot


def from_urdf(path: str | Path, parameters: str | Path | None = None) -> Robot:
    """Return the same facade for any URDF.

    Joints with (chained) ``<mimic>`` tags follow their source.

    Axis positions are the joints without ``<mimic>``, in the tree's order. Friction is what
    ``<dynamics>`` states, viscous and Coulomb; where no joint states any (zeros state none) it is
    unknown. Rotors are unknown. A frame ``tcp`` is put on ``tool0``, or else on the last link,
    where the URDF has none.

    Args:
        path: The URDF.
        parameters: File with a set of parameters in place of the URDF's, as ``irbmodels identify``
            writes it: inertials, friction, rotors, springs.

    Raises:
        FileError: if a file cannot be read.
        UrdfError: if it is no URDF, has floating or planar joints, or friction that is negative or
            no number.
        TableError: if the file of parameters breaks the format, or is of another robot.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.from_urdf(irb.urdf_path("irb2400"))
        >>> robot.axes
        ('joint_1', 'joint_2', 'joint_3', 'joint_4', 'joint_5', 'joint_6')
    """
    return from_urdf_text(read_text(path), path, parameters=parameters)


def from_urdf_text(
    text: str,
    path: str | Path,
    friction: Sequence[JointFriction] = (),
    rotors: Sequence[JointRotor] = (),
    sums: Sequence[JointBound] = (),
    parameters: str | Path | None = None,
) -> Robot:
    """Return the same facade for the URDF text of a file, or in place of one of another format.

    Args:
        text: The URDF.
        path: Its file.
        friction: What the file states and a URDF has no place for.
        rotors: Likewise.
        sums: Likewise, ranges of sums of axes.
        parameters: As in :func:`from_urdf`.

    Raises:
        UrdfError: as :func:`from_urdf`.
    """
    bare = bare_of_urdf(text, path, friction, rotors, sums)
    if parameters is not None:
        bare = with_parameter_file(bare, parameters)
    robot = _robot(bare, Choices())
    for line in robot._warnings:
        warn(line)
    return robot


class Robot(KinematicMethods, DynamicMethods):
    """An immutable robot.

    ``q`` are axis positions as the controller shows them, in SI units [rad; m for a linear axis].

    One state is an array ``(n,)``; arrays with leading axes ``(..., n)`` give answers with the same
    leading axes. One state must be finite, and within stated multiples of the limits ("degrees?",
    docs/background/conventions.md); arrays check no range, and a sample that is not finite is
    answered with NaN in its own row. A robot may be used from many threads.
    ``with_...`` return another robot, the same in whatever order. Robots of equal tables, models,
    loads and mounting are equal.
    """

    def __setattr__(self, name: str, value: object) -> NoReturn:
        """Refuse any change."""
        raise FrozenInstanceError(
            f"{self.name} is immutable, {name!r} cannot be set: with_tool, with_payload and other"
            " with_... return another robot"
        )

    def __delattr__(self, name: str) -> NoReturn:
        """Refuse any change."""
        raise FrozenInstanceError(f"{self.name} is immutable, {name!r} cannot be deleted")

    def __eq__(self, other: object) -> bool:
        """Return whether another robot gives the same answers."""
        return (
            are_equal(self._values, other._values) if isinstance(other, Robot) else NotImplemented
        )

    def __hash__(self) -> int:
        """Hash what most robots differ in."""
        return hash((self.name, self.parameters, self.tool and self.tool.name))

    @property
    def _values(self) -> tuple[object, ...]:
        chosen, bare = self._choices, self._bare
        placed = (chosen.gravity, chosen.world_from_base, bare.urdf_text, self.uncertainty)
        own = (self.name, self.parameters, self.path, self.tool, self.payload, self.description)
        return (*own, *placed, self.dynamic_model)

    @property
    def model(self) -> pin.Model:
        """A copy of the ``pin.Model`` in use, tool and payload included.

        It goes with :attr:`coupling`.
        """
        return copy_of(self.dynamic_model.tree.model)

    @property
    def coupling(self) -> tuple[Array, Array]:
        """Constant ``G, q0`` of ``q_tree = G q + q0``.

        It follows that ``v_tree = G v``, ``tau = G' tau_tree`` and ``M = G' M_tree G``.
        """
        return self.dynamic_model.tree.coupling.G, self.dynamic_model.tree.coupling.q0

    @property
    def gravity_vector(self) -> Array:
        """Gravity in use [m/s^2] in base axes, shape ``(3,)``.

        It is that of :meth:`with_gravity`, rotated by :meth:`mounted`.
        """
        return self._choices.gravity_in_base

    @property
    def gravity_in_world(self) -> Array:
        """Gravity in use [m/s^2] in axes of the world, as :meth:`with_gravity` has it, ``(3,)``."""
        return self._choices.gravity

    @property
    def motors(self) -> Motors:
        """Motor side of the gearboxes, as far as drives.yaml has it.

        Raises:
            MissingData: for a robot from a URDF.
        """
        if self.description is None:
            raise MissingData(
                f"{self.name} comes from a URDF and has no table of drives; use"
                " irbmodels.Motors(ratios)"
            )
        return motors_of(self.description)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names of the joints that carry the axis positions, in the order of ``q``."""
        return self.dynamic_model.tree.coupling.axes

    @property
    def frames(self) -> tuple[str, ...]:
        """Names of all frames; of a parallelogram arm the bars' too."""
        return tuple(self.whole_tree.frames)

    def urdf(self) -> str:
        """Return the robot as URDF with absolute mesh paths, the parallelogram as mimic joints.

        A tool from a table is included. Tools made in code, payloads and gravity are no part of
        a URDF.
        """
        tool = self.tool.path if self.tool else None
        if self.description is not None:
            text = self.description.urdf(inertials=self.parameters, tool=tool)
            return with_mesh_paths(text, "absolute", self.folder)
        text = with_mesh_paths(str(self._bare.urdf_text), "absolute", self.folder)
        return text if tool is None else add_tool_shapes(text, self._bare.model.tree, tool)

    def tables(self) -> dict[str, dict[str, Any]]:
        """Return the numbers of the robot with their sources, as plain mappings of its tables.

        A robot from a URDF has inertials, friction, drives, and whose they are (``of``).
        """
        if self.description is not None:
            return tables_of(self.description)
        return tables_of_urdf(self._bare, self.dynamic_model)

    @property
    def folder(self) -> Path:
        """Folder of its tables, or of its URDF."""
        return cast(Path, self.path).parent if self.description is None else self.description.folder

    def __repr__(self) -> str:
        """Name, axes, parameters, friction and load, and kinds of data that are missing."""
        notes = self.description.drives.notes if self.description else {}
        absent = "".join(
            f", no {part.replace('_', ' ')}" for part in (*notes, *self.unknown_springs)
        )
        friction = (
            f"{self.dynamic_model.friction.terms} friction"
            if self.dynamic_model.friction
            else "no friction data"
        )
        sprung = sorted({str(spring.axis) for spring in self.springs})
        springs = f", springs of axis {', '.join(sprung)}" if sprung else ""
        tool = f", tool {self.tool.name}" if self.tool else ""
        carried = f", payload {self.payload.mass:g} kg" if self.payload else ""
        above = (
            f" with {', '.join(self.description.overlays)}"
            if self.description and self.description.overlays
            else ""
        )
        named = f"{self.name}{above}: {self.n} axes, parameters {self.parameters or 'of the URDF'}"
        return f"<Robot {named}, {friction}{springs}{absent}{tool}{carried}>"

    # --- another robot: each choice is independent of the others, and of the order; the last one of
    # a kind holds --------

    def with_tool(self, tool: str | Path | Tool | ToolData | None) -> Robot:
        """Return the robot with another tool instead of the present one, given as in :func:`load`.

        None takes it off.

        Raises:
            UnknownName: if there is no such tool.
            RapidError: if a text with brackets is no tooldata.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400")
            >>> for arm in (robot, robot.with_tool("spindle")):
            ...     print((arm.pose([0.0] * 6).translation * 1000).round(1) + 0.0)
            [ 940.    0. 1455.]
            [1102.    0. 1215.]
        """
        return self._with(tool=None if tool is None else tool_from(tool))

    def with_payload(self, payload: Inertial | None) -> Robot:
        """Return the robot with another payload in the TCP frame, or with None.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> heavy = robot.with_payload(irb.payload(2.0))
            >>> (heavy.gravity(q) - robot.gravity(q)).round(1)
            array([  0. ,  -4.7, -15.7,   0. ,  -0.7,   0. ])
        """
        if payload is not None and not isinstance(payload, Inertial):
            raise InputError(
                "a payload comes from irbmodels.payload(mass, com, inertia), not"
                f" {short_repr(payload)}"
            )
        return self._with(payload=None if payload is None else checked_payload(*payload))

    def with_load(self, tool: Tool | None = None, payload: Inertial | None = None) -> Robot:
        """Return the robot with this tool and payload alone, without a warning."""
        return _robot(self._bare, replace(self._choices, tool=tool, payload=payload))

    def with_parameters(self, parameters: str | Path | None) -> Robot:
        """Return the robot with another set of inertials, or with that of a file, as :func:`load`.

        It replaces the set and the file before; a name that only that file has keeps the file.
        Friction and rotors given by :meth:`with_friction` and :meth:`with_rotors` stay; so does the
        coupling that :func:`load` was given.

        Raises:
            UnknownName: if there is no such set.
            FileError: if there is no such file.
            TableError: if it breaks the format.
            MissingData: for the name of a set of a robot from a URDF, which has those of files.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> cad = robot.with_parameters("cad")
            >>> (cad.gravity(q) - robot.gravity(q)).round(0)
            array([ 0., -7., 87., -1., -0., -0.])
        """
        of = self._bare
        if of.tables is None or of.description is None:
            if parameters is None:
                return self._with(of.own or of)
            if not is_file(parameters):
                raise MissingData(
                    f"{self.name} comes from a URDF, which has no set {parameters!r}; name a .yaml"
                    " file that irbmodels identify wrote for it"
                )
            return self._with(with_parameter_file(of.own or of, parameters))
        overlays = of.overlays
        if (
            is_file(of.given)
            and parameters in of.description.inertials.sets
            and parameters not in of.tables.inertials.sets
        ):
            overlays = (*overlays, Path(str(of.given)).resolve())
        return self._with(bare_of(of.tables, overlays, parameters, of.coupling))

    def with_bodies(self, parameters: ArrayLike) -> Robot:
        """Return the robot with other bodies; tool and payload stay as they are.

        Args:
            parameters: Ten per body of the tree, as :meth:`parameter_vector` of the robot without
                tool and payload begins, shape ``(10 bodies,)``. They may be of no possible body.

        Raises:
            InputError: if there are not ten finite numbers per body.
        """
        model, tree = self._bare.model, self._bare.model.tree
        count = tree.model.njoints - 1
        values = finite(parameters, (10 * count,), f"parameters of the {count} bodies")
        other = copy_of(tree.model)
        for i, row in enumerate(values.reshape(-1, 10), start=1):
            # first moments without a mass have no centre
            of = pin.Inertia.FromDynamicParameters(row) if row[0] else pin.Inertia.Zero()
            other.inertias[i] = of
        return self._with(replace(self._bare, model=replace(model, tree=tree.with_model(other))))

    def with_gravity(self, gravity: ArrayLike) -> Robot:
        """Return the robot under another gravity [m/s^2], shape ``(3,)``, in axes of the world.

        Axes of the world are those of the base, unless mounted.

        Raises:
            InputError: if it is not three finite numbers, or one is above 100 m/s^2 (mm/s^2?).

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> robot.with_gravity([0.0, 0.0, 0.0]).gravity(q).round(9) + 0.0
            array([0., 0., 0., 0., 0., 0.])
        """
        vector = finite(gravity, (3,), "gravity [m/s^2]")
        if (strongest := float(np.abs(vector).max())) > _STRONGEST:
            raise InputError(
                f"gravity of {strongest:.4g} m/s^2 is more than that of any planet; is it in"
                " mm/s^2?"
            )
        return self._with(gravity=vector)

    def mounted(self, world_from_base: ArrayLike | pin.SE3) -> Robot:
        """Return the robot on a pedestal, a wall, a ceiling or a track: ABB's base frame.

        Gravity turns. Poses and Jacobians stay in the base unless ``reference="world"`` is asked
        for; robtargets are in the world, or in a work object that stands there.

        Args:
            world_from_base: Pose ``(4, 4)`` [m] of the base in the world whose axes gravity has (z
                up, unless :meth:`with_gravity` says otherwise), as ``pin.SE3`` or matrix; or its
                rotation ``(3, 3)``, for a base at the origin of the world.

        Raises:
            InputError: if it is neither a rotation nor a pose.

        Example:
            >>> import irbmodels as irb
            >>> robot = irb.load("irb2400", tool="spindle")
            >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
            >>> import numpy as np
            >>> ceiling = np.diag([1.0, -1.0, -1.0, 1.0])
            >>> ceiling[2, 3] = 2.5
            >>> hanging = robot.mounted(ceiling)
            >>> (hanging.pose(q, reference="world").translation * 1000).round(2)
            array([1143.04,   -0.  , 1563.29])
        """
        matrix = numbers(getattr(world_from_base, "homogeneous", world_from_base), "the mounting")
        if matrix.shape == (4, 4):
            return self._with(world_from_base=as_pose(matrix, "mounting"))
        if not is_rotation(matrix):
            raise InputError(
                "mounting needs a rotation matrix (3, 3), or a pose (4, 4), of the base in the"
                " world"
            )
        pose = np.eye(4)
        pose[:3, :3] = matrix
        return self._with(world_from_base=pose)

    def with_friction(self, law: Stribeck | None) -> Robot:
        """Return the robot with another friction law of its drives, arm side.

        None: friction is unknown, and torques are without it.

        It holds whatever the set of inertials is, before and after.

        Raises:
            InputError: if it is no law of this many axes, or would drive one.
        """
        return self._with(friction=None if law is None else check_law(law, self.n))

    def with_rotors(self, inertia: ArrayLike | None = None) -> Robot:
        """Return the robot with rotor inertias: ``M`` gains ``D' diag(inertia) D``.

        They replace those of a set.

        Args:
            inertia: Arm-side values ``J n^2`` [kg m^2, kg], shape ``(n,)``, as
                ``robot.motors.reflected(...)`` returns them; None takes those of drives.yaml.

        Raises:
            MissingData: if None is given and the tables know no rotor; a warning names the axes
                they do not know.
            InputError: if a value is negative or not finite.
        """
        if inertia is None:
            return self._with(rotors="drives")
        values = finite(inertia, (self.n,), "rotor inertias [kg m^2]")
        if (values < 0.0).any():
            raise InputError(f"rotor inertias must not be negative: {values.tolist()}")
        return self._with(rotors=values)

    def with_drives(self, turns: ArrayLike | None) -> Robot:
        """Return the robot with friction and rotors of coupled drives.

        Drive i moves at ``w_i`` of ``w = D v``, and its torque ``u_i`` loads the axes with
        ``D' u``: friction is ``D' f(D v)``. In a wrist, motor 6 may turn with axis 5.

        Args:
            turns: ``D``, turns of each drive per turn of each axis, in turns of its own axis, shape
                ``(n, n)``; that of motors comes from ``Motors(ratios).drive_axes``. None takes that
                of the tables, identity without.

        Raises:
            InputError: if it is not ``(n, n)``, not finite, or axes could move without a drive.
        """
        if turns is None:
            return self._with(drive_axes=None)
        D = finite(turns, (self.n, self.n), "turns of the drives per turn of the axes")
        if np.linalg.matrix_rank(D) < self.n:
            raise InputError(
                f"drives must turn all axes: the rows of {short_repr(D.tolist())} depend on each"
                " other"
            )
        return self._with(drive_axes=D)

    def at_temperature(self, temperature: ArrayLike) -> Robot:
        """Return the robot with its friction law at a temperature [deg C], or one per axis.

        A law without temperature stays.

        Raises:
            MissingData: if the robot has no friction data.
            InputError: if a temperature is not finite.
        """
        if self.friction_model is None:
            raise MissingData(f"{self.name} has no friction data")
        return self.with_friction(self.friction_model.at(temperature))

    def with_springs(self, springs: Sequence[Spring] | None) -> Robot:
        """Return the robot with these springs, balancers and torque offsets, and no others.

        They are part of gravity, energy, dynamics, regressor, simulation and kernels.

        Args:
            springs: :class:`TorqueOffset`, :class:`TorsionSpring`, :class:`CoilSpring` and
                :class:`GasSpring`; None or an empty list for none.

        Raises:
            InputError: if one is of an axis that the robot has not, or cannot exist in the range of
                its axis: a coil that pushes, a gas without volume, pivots that meet.
        """
        ends = self.limits.envelope()
        return self._with(springs=check_springs(springs, *ends, self.limits.linear))

    @cached_property
    def _warnings(self) -> tuple[str, ...]:
        return warnings_of(self._bare, self._choices)

    def _with(self, bare: BareRobot | None = None, **changes: Any) -> Robot:
        """Return the robot with other choices; issue the warnings that are new."""
        robot = _robot(bare or self._bare, replace(self._choices, **changes))
        for line in robot._warnings:
            if line not in self._warnings:
                warn(line)
        return robot


for _part in Robot.__mro__[:-1]:  # Python's errors of arguments name a method by this
    for _method in vars(_part).values():
        if isinstance(_method, FunctionType):
            _method.__module__, _method.__qualname__ = __name__, f"Robot.{_method.__name__}"


def _robot(bare: BareRobot, choices: Choices) -> Robot:
    return Robot(
        bare.name,
        bare.description,
        bare.parameters,
        choices.tool,
        choices.payload,
        compose(bare, choices),
        bare.path,
        bare,
        choices,
    )


def tool_from(tool: str | Path | Tool | ToolData) -> Tool:
    """Return a tool given in any of the ways that :func:`load` knows."""
    if hasattr(tool, "tframe") or (
        isinstance(tool, str) and (tool.lstrip().startswith("[") or ":=" in tool)
    ):
        from ..rapid import tool_of  # few need it

        return tool_of(cast("ToolData | str", tool))
    if not isinstance(tool, str | Path | Tool):
        raise InputError(
            "a tool is a name, the path of a table, an irbmodels.Tool, or tooldata, not"
            f" {short_repr(tool)}"
        )
    if isinstance(tool, Tool):
        return tool
    file, _, name = str(tool).rpartition(":")
    if not file or Path(tool).suffix in TABLES:
        return load_tool(tool)
    from ..rapid.convert import tool_named
    from ..rapid.program.files import read_program

    return tool_named(read_program(Path(file)), name)
