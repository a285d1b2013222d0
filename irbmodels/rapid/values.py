"""ABB's data types as values, in mm, degrees and kg as in the text; methods return SI units."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, ClassVar, Literal, Protocol

from numpy.typing import ArrayLike

from ..checks import as_instance, short_repr
from ..errors import InputError
from ..model.types import SE3, Array
from .records import Orient, Pos, Pose, Value, components, round_values
from .text import UNUSED, literal


class Unit(Protocol):
    """A mechanical unit that moves a work object: any ``irbmodels.Robot``."""

    @property
    def n(self) -> int:
        """Number of its axes."""

    @property
    def rapid_axes(self) -> tuple[int, ...]:
        """Their numbers in a jointtarget, rax_1 and on."""

    def from_controller(self, position: ArrayLike) -> Array:
        """Return positions in SI units of positions in degrees and mm."""

    def pose(self, q: ArrayLike, frame: str = ..., *, reference: Literal["world"]) -> Any:
        """Return the pose of a frame in the world that the unit stands in."""


@dataclass(frozen=True, repr=False)
class ConfData(Value):
    """Configuration of the arm: quadrants of axes 1, 4 and 6, and the robot's own cfx."""

    rapid: ClassVar[str] = "confdata"
    cf1: float
    cf4: float
    cf6: float
    cfx: float

    def __post_init__(self) -> None:
        """Check that they are whole.

        Raises:
            InputError: if one is not.
        """
        super().__post_init__()
        for name, value in zip(components(ConfData), self.values, strict=True):
            if value != int(value):
                raise InputError(f"{name} is a whole number, not {literal(value)}")


@dataclass(frozen=True, repr=False)
class RobJoint(Value):
    """Positions of the robot's axes [deg; mm for a linear axis]."""

    rapid: ClassVar[str] = "robjoint"
    rax_1: float
    rax_2: float
    rax_3: float
    rax_4: float
    rax_5: float
    rax_6: float


@dataclass(frozen=True, repr=False)
class ExtJoint(Value):
    """Positions of external axes [deg; mm]; 9E9, or None, is an axis that is not used."""

    rapid: ClassVar[str] = "extjoint"
    eax_a: float = UNUSED
    eax_b: float = UNUSED
    eax_c: float = UNUSED
    eax_d: float = UNUSED
    eax_e: float = UNUSED
    eax_f: float = UNUSED

    def __post_init__(self) -> None:
        """Take None for 9E9."""
        for name in components(ExtJoint):
            if getattr(self, name) is None:
                object.__setattr__(self, name, UNUSED)
        super().__post_init__()

    @property
    def used(self) -> tuple[float | None, ...]:
        """Positions [deg, mm] of axes a..f; None for an axis that is not used."""
        return tuple(None if value == UNUSED else value for value in self.values)


@dataclass(frozen=True, repr=False)
class JointTarget(Value):
    """Positions of all axes."""

    rapid: ClassVar[str] = "jointtarget"
    robax: RobJoint
    extax: ExtJoint

    @classmethod
    def of(cls, robot: Any, q: ArrayLike, extax: ExtJoint | None = None) -> JointTarget:
        """Return the target of axis positions ``q`` [rad, m] of a robot.

        Axes that it does not have are 0. Axis 7 of an arm of seven axes is ``eax_a``.

        Raises:
            InputError: if the robot has more axes than a target, or both it and ``extax`` eax_a.
        """
        shown = round_values(robot.to_controller(robot.from_controller(robot.to_controller(q))))
        if len(shown) > 7:
            raise InputError(f"a jointtarget has six axes and eax_a, {robot.name} {len(shown)}")
        external = extax or ExtJoint()
        robax = [0.0] * 6
        for number, value in zip(robot.rapid_axes, shown, strict=True):
            if number == 7 and external.eax_a != UNUSED:
                raise InputError(f"eax_a is axis 7 of {robot.name}, and extax states it besides")
            if number == 7:
                external = replace(external, eax_a=value)
            else:
                robax[number - 1] = value
        return cls(RobJoint(*robax), external)

    def q(self, robot: Unit) -> Array:
        """Return axis positions [rad, m] of a robot, shape ``(n,)``.

        Raises:
            InputError: if the target moves axes that the robot does not have, does not state axis
                7 of one that has it, or is far outside every range.
        """
        if not hasattr(robot, "from_controller"):
            raise InputError(
                f"axis positions are those of an irbmodels.Robot, not {short_repr(robot)}"
            )
        known = robot.rapid_axes
        values = dict(enumerate(self.robax.values, start=1))
        if 7 in known:
            values[7] = self.extax.eax_a
            if values[7] == UNUSED:
                raise InputError(
                    f"the target states no eax_a, which is axis 7 of the robot: {self}"
                )
        beyond = [i for i in values if i not in known and values[i] not in (0.0, UNUSED)]
        if beyond or max(known) > 7:
            axes = ", ".join(f"rax_{number}" for number in known)
            raise InputError(f"{self.robax} does not fit the robot's {robot.n} axes, {axes}")
        return robot.from_controller([values[number] for number in known])


@dataclass(frozen=True, repr=False)
class WobjData(Value):
    """A work object: user frame in the world, or in tool0 if held; object frame in the former."""

    rapid: ClassVar[str] = "wobjdata"
    robhold: bool
    ufprog: bool
    """True for a fixed user frame ``uframe``, False for one that the unit ``ufmec`` moves."""
    ufmec: str
    uframe: Pose
    oframe: Pose

    def frame(self, extax: ExtJoint | None = None, units: Mapping[str, Unit] | None = None) -> SE3:
        """Return the object frame [m] in the world, or in tool0 if the robot holds the object.

        A movable user frame is the ``tcp`` frame of its unit, the last link of a positioner;
        ``uframe`` is not used then, as ABB's manual says. The unit's first axis is eax_a.

        Args:
            extax: External axes of the target.
            units: Mechanical units by name, each mounted where it stands in the world.

        Raises:
            InputError: if the unit is not among ``units``, or a target does not say where its axes
                are.
        """
        if self.ufprog:
            return self.uframe.se3() * self.oframe.se3()
        if self.robhold:
            raise InputError(
                "a work object that the robot holds has no movable user frame: robhold TRUE needs"
                " ufprog TRUE"
            )
        known = {name.lower(): unit for name, unit in (units or {}).items()}
        if self.ufmec.lower() not in known:
            given = f"given: {', '.join(units)}" if units else "none is given"
            raise InputError(
                f"the work object moves with {self.ufmec or 'a unit without a name'}; units needs"
                f" it ({given})"
            )
        unit = known[self.ufmec.lower()]
        used = [value for value in (extax or ExtJoint()).used[: unit.n] if value is not None]
        if len(used) < unit.n:
            raise InputError(
                f"{self.ufmec} has {unit.n} axes, eax_a and on, and the target says"
                f" {extax or ExtJoint()}"
            )
        world_from_user: SE3 = unit.pose(unit.from_controller(used), "tcp", reference="world")
        return world_from_user * self.oframe.se3()


@dataclass(frozen=True, repr=False)
class RobTarget(Value):
    """A pose of the TCP in the work object, with configuration and external axes."""

    rapid: ClassVar[str] = "robtarget"
    trans: Pos
    rot: Orient
    robconf: ConfData
    extax: ExtJoint

    def pose(self, wobj: WobjData | None = None, units: Mapping[str, Unit] | None = None) -> SE3:
        """Return the TCP pose [m] in the world; the robot's base unless it is mounted elsewhere.

        Without ``wobj`` as ABB's ``wobj0``.

        Raises:
            InputError: if the robot holds the work object (see :func:`tool0_pose`), or the object's
                unit is not known.
        """
        if wobj is None:
            return Pose(self.trans, self.rot).se3()
        _refuse_held(wobj)
        return wobj.frame(self.extax, units) * Pose(self.trans, self.rot).se3()

    def moved(
        self,
        world_from_tcp: SE3,
        wobj: WobjData | None = None,
        units: Mapping[str, Unit] | None = None,
    ) -> RobTarget:
        """Return the target at another TCP pose [m] in the world; configuration and axes stay.

        An unchanged coordinate or orientation keeps its text; others have nine decimals.
        """
        pose = world_from_tcp
        if wobj is not None:
            _refuse_held(wobj)
            pose = wobj.frame(self.extax, units).actInv(world_from_tcp)
        new = Pose(self.trans, self.rot).moved(pose)
        return RobTarget(new.trans, new.rot, self.robconf, self.extax)


@dataclass(frozen=True, repr=False)
class LoadData(Value):
    """Mass [kg], centre of gravity [mm], axes of moment and moments [kg m^2] about it."""

    rapid: ClassVar[str] = "loaddata"
    mass: float
    cog: Pos
    aom: Orient
    ix: float
    iy: float
    iz: float


@dataclass(frozen=True, repr=False)
class ToolData(Value):
    """A tool: TCP frame in tool0, or in the world if stationary; load in tool0."""

    rapid: ClassVar[str] = "tooldata"
    robhold: bool
    tframe: Pose
    tload: LoadData


@dataclass(frozen=True, repr=False)
class SpeedData(Value):
    """Speeds of TCP [mm/s], reorientation [deg/s] and external axes [mm/s], [deg/s]."""

    rapid: ClassVar[str] = "speeddata"
    v_tcp: float
    v_ori: float
    v_leax: float
    v_reax: float


@dataclass(frozen=True, repr=False)
class ZoneData(Value):
    """Stop point or fly-by point, with the sizes of its zones [mm, deg]."""

    rapid: ClassVar[str] = "zonedata"
    finep: bool
    pzone_tcp: float
    pzone_ori: float
    pzone_eax: float
    zone_ori: float
    zone_leax: float
    zone_reax: float


RECORDS: dict[str, type[Value]] = {
    kind.rapid: kind
    for kind in (
        *(Pos, Orient, Pose, ConfData, RobJoint, ExtJoint, JointTarget),
        *(WobjData, RobTarget, LoadData, ToolData, SpeedData, ZoneData),
    )
}
"""ABB's record types by their names in RAPID."""


def _refuse_held(wobj: WobjData) -> None:
    if as_instance(
        wobj, WobjData, "a work object is a WobjData, as read_value(text, WobjData) reads it"
    ).robhold:
        raise InputError(
            "the robot holds this work object: its TCP stands still;"
            " irbmodels.rapid.tool0_pose(target, tool, wobj)"
        )
