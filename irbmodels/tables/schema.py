"""The tables of a robot: one dataclass per row and per file.

The suffix of a name is the unit of its number.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..model.types import Array
from .reader import Row, Table


@dataclass(frozen=True, kw_only=True)
class MdhRow(Row):
    """Modified DH row: ``Rx(alpha) Tx(a) Rz(theta0 + q) Tz(d)``."""

    alpha_deg: float
    a_mm: float
    d_mm: float
    theta0_deg: float
    type: Literal["revolute", "prismatic"] = "revolute"


@dataclass(frozen=True, kw_only=True)
class ParallelogramRow(Row):
    """Linkage that drives axis 3 from the shoulder; its long side is the lower arm."""

    crank_mm: float


@dataclass(frozen=True, kw_only=True)
class LevelRow(MdhRow):
    """Passive joint of a palletizer, by ``-q3``, between axes 3 and 4: axis 4 stays upright.

    Two rods hold it, parallel to lower and upper arm, with a plate on axis 3 between them that
    stays level too. Pins are (ahead, up): of the lower rod from axis 2, and on the plate from axis
    3; of the upper rod on the plate from axis 3, and from this joint.
    """

    lower_pin_mm: tuple[float, float]
    upper_pin_mm: tuple[float, float]

    @property
    def mdh(self) -> MdhRow:
        """DH row of the joint alone, which no pin moves."""
        values = {name: getattr(self, name) for name in ("alpha_deg", "a_mm", "d_mm", "theta0_deg")}
        source = {name: self.source_of(name) for name in values}
        return MdhRow(source=source, type=self.type, **values)


@dataclass(frozen=True, kw_only=True)
class AxisRow(Row):
    """Range, speed and effort limit of one axis; of a linear axis in mm and N.

    Speeds and efforts that are absent are unknown.
    """

    range_deg: tuple[float, float] | None = None
    range_mm: tuple[float, float] | None = None
    range_of: Literal["q3 - q2"] | None = None
    bound_of: Literal["q3 - q2", "q3 + q2"] | None = None
    """Sum that is bounded beside the range of axis 3: the angle between the arms of a
    parallelogram, the slope of the forearm of a serial arm."""
    bound_deg: tuple[float, float] | None = None
    speed_deg_s: float | None = None
    speed_mm_s: float | None = None
    effort_N_m: float | None = None
    effort_N: float | None = None

    @property
    def speed(self) -> float | None:
        """Speed limit [deg/s, mm/s]; None where unknown."""
        return self.speed_deg_s if self.range_mm is None else self.speed_mm_s


@dataclass(frozen=True, kw_only=True)
class RatingsRow(Row):
    """Catalogue data of the whole robot."""

    payload_kg: float
    reach_mm: float
    mass_kg: float | None = None
    repeatability_mm: float | None = None


@dataclass(frozen=True, kw_only=True)
class BaseRow(Row):
    """Base link alone, as a controller or manual states it."""

    mass_kg: float
    com_mm: tuple[float, float, float] | None = None
    """Centre of mass in base axes: floor, x forward, z up."""


HANDLING = {
    **{f"M{axis}": f"M{axis}_N_m" for axis in (4, 5, 6)},
    **{f"J{axis}": f"J{axis}_kg_m2" for axis in (5, 6)},
}
"""Quantities that a load diagram may bound, with the keys of their rows."""


@dataclass(frozen=True, kw_only=True)
class CrankRow(Row):
    """Crank of a parallelogram with its counterweight, as a manual states it."""

    mass_kg: float


@dataclass(frozen=True, kw_only=True)
class HandlingRow(Row):
    """Load diagram of a six-axis arm: largest quantities of tool and payload together.

    What each is: :meth:`irbmodels.model.load_limits.LoadLimits.shares`.
    """

    M4_N_m: float | None = None
    """Static torque of the load about axis 4, the wrist torque."""
    M5_N_m: float | None = None
    M6_N_m: float | None = None
    J5_kg_m2: float | None = None
    """Moment of inertia about axis 5."""
    J6_kg_m2: float | None = None

    def known(self) -> dict[str, float]:
        """Return the quantities that are stated, by name."""
        values = {name: getattr(self, key) for name, key in HANDLING.items()}
        return {name: value for name, value in values.items() if value is not None}


@dataclass(frozen=True)
class Tensor:
    """Inertia tensor about the centre of mass; products are tensor entries (-int xy dm)."""

    xx: float
    yy: float
    zz: float
    xy: float
    xz: float
    yz: float

    def matrix(self) -> Array:
        """Return the symmetric ``(3, 3)`` matrix."""
        return np.array(
            [[self.xx, self.xy, self.xz], [self.xy, self.yy, self.yz], [self.xz, self.yz, self.zz]]
        )


@dataclass(frozen=True, kw_only=True)
class BodyRow(Row):
    """Mass, centre of mass and tensor about it, in the axes of the body's own frame."""

    mass_kg: float
    com_mm: tuple[float, float, float]
    inertia_kg_m2: Tensor

    def inertial(self) -> Inertial:
        """Return the row in SI units."""
        return Inertial.of(
            self.mass_kg, np.array(self.com_mm) / 1000.0, self.inertia_kg_m2.matrix()
        )


@dataclass(frozen=True, kw_only=True)
class FrictionRow(Row):
    """Friction of the drive of one axis (:class:`irbmodels.Stribeck`); of a linear axis in N and m.

    Where Fs = Fc, a Stribeck speed has no influence. Terms beside S000's law may be absent.
    """

    Fs_N_m: float | None = None
    Fc_N_m: float | None = None
    Fv_N_m_s: float | None = None
    v_St_rad_s: float | None = None
    Fs_N: float | None = None
    Fc_N: float | None = None
    Fv_N_s_m: float | None = None
    v_St_m_s: float | None = None
    Fd_N_m: float | None = None
    v_d_rad_s: float | None = None
    dFc_N_m: float | None = None
    dFv_N_m_s: float | None = None
    Fd_N: float | None = None
    v_d_m_s: float | None = None
    dFc_N: float | None = None
    dFv_N_s_m: float | None = None
    mu: float | None = None
    Fv_per_K: float | None = None
    """Relative change of Fv, dFv and Fd per kelvin."""
    presliding: float | None = None
    """Share of Fc that turns round over the presliding distance."""
    x_p_rad: float | None = None
    x_p_m: float | None = None


@dataclass(frozen=True, kw_only=True)
class DriveRow(Row):
    """Gearbox and motor of one axis.

    Rotor inertia and friction are on the motor side, stiffness on the arm side. Coulomb friction of
    the motor is in no torque of the model: those have a set of friction.yaml, on the arm side.
    """

    gear_ratio: float | None = None
    turned_by: dict[str, float] | None = None
    """Turns of this motor per turn of another axis, where a wrist couples them."""
    rotor_inertia_kg_m2: float | None = None
    stiffness_N_m_rad: float | None = None
    viscous_N_m_s_rad: float | None = None
    coulomb_N_m: float | None = None
    load_inertia_kg_m2: float | None = None
    """Load of the motor when the drive was identified, arm side; it belongs to one posture."""


@dataclass(frozen=True, kw_only=True)
class NoteRow(Row):
    """A part of the machine that the model is without, and what its results lack for it."""

    text: str


@dataclass(frozen=True, kw_only=True)
class RotorRow(Row):
    """Inertia of the rotor of one axis, arm side (``J n^2``); of a linear axis in kg."""

    inertia_kg_m2: float | None = None
    inertia_kg: float | None = None

    def value(self, linear: bool) -> float | None:
        """Return the inertia of a linear or a rotary axis [kg, kg m^2]."""
        return self.inertia_kg if linear else self.inertia_kg_m2


@dataclass(frozen=True, kw_only=True)
class FrameRow(Row):
    """Pose of a frame: position, then roll-pitch-yaw as in URDF."""

    xyz_mm: tuple[float, float, float]
    rpy_deg: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True, kw_only=True)
class ShapeRow:
    """A mesh in the link's frame, or an ordinary shape whose ``axis`` is the long direction.

    No physics is taken from it.
    """

    shape: Literal["mesh", "box", "cylinder", "capsule"]
    colour: Literal["orange", "black", "grey"] = "grey"
    file: str | None = None
    """Path below the folder of meshes."""
    part: str | None = None
    """Part that moves within its link, drawn where it is at home: SPRING_cylinder, SPRING_rod."""
    at_mm: tuple[float, float, float] | None = None
    size_mm: tuple[float, float, float] | None = None
    axis: Literal["x", "y", "z"] | None = None
    radius_mm: float | None = None
    length_mm: float | None = None


@dataclass(frozen=True, kw_only=True)
class AccuracyRow(Row):
    """Absolute position accuracy of one specimen."""

    average_mm: float
    maximum_mm: float
    deviation_mm: float


@dataclass(frozen=True, kw_only=True)
class TorqueAccuracyRow(Row):
    """Torque model against measurement for one axis (eq. 75-77)."""

    MAE_N_m: float
    RMSE_N_m: float
    AVG_N_m: float
    RMSE_over_AVG_percent: float


@dataclass(frozen=True)
class KinematicRows:
    """Rows of one variant that replace the shared ones."""

    joints: dict[str, MdhRow] = field(default_factory=dict)
    tool0: MdhRow | None = None
    parallelogram: ParallelogramRow | None = None
    level: LevelRow | None = None
    arm_base: FrameRow | None = None


@dataclass(frozen=True)
class KinematicsTable(Table):
    """kinematics.yaml: MDH rows and the linkage."""

    sources: dict[str, Source]
    joints: dict[str, MdhRow]
    """From base to flange; joint_7 stands where axis 7 is in the chain, the others in order."""
    tool0: MdhRow
    variants: dict[str, KinematicRows]
    parallelogram: ParallelogramRow | None = None
    level: LevelRow | None = None
    arm_base: FrameRow | None = None
    """Frame that the first row starts from, in the base; absent where it is the base itself."""


@dataclass(frozen=True)
class LimitRows:
    """Rows of one variant that replace the shared ones."""

    axes: dict[str, AxisRow] = field(default_factory=dict)
    ratings: RatingsRow | None = None
    handling: HandlingRow | None = None


@dataclass(frozen=True)
class LimitsTable(Table):
    """limits.yaml: ranges, speeds, efforts and ratings."""

    sources: dict[str, Source]
    axes: dict[str, AxisRow]
    ratings: RatingsRow
    variants: dict[str, LimitRows] = field(default_factory=dict)
    handling: HandlingRow | None = None
    """None: no load diagram is known, and only the mass of a load is checked."""
    base: BaseRow | None = None
    """Of every variant, where it is published; the CAD weighs the base by it."""
    crank: CrankRow | None = None
    """Of every variant of an arm with a counterweight; the CAD draws it so heavy."""


@dataclass(frozen=True)
class BodyRows:
    """Bodies of one variant that replace the shared ones."""

    links: dict[str, BodyRow] = field(default_factory=dict)


@dataclass(frozen=True)
class InertialSet:
    """A named set of inertials in the link frames; ``impossible`` lists its impossible bodies."""

    about: str
    links: dict[str, BodyRow]
    impossible: tuple[str, ...] = ()
    unknown: tuple[str, ...] = ()
    """Variants that have none of its bodies: their masses are unknown, or it is of another one."""
    serial: str | None = None
    """The set that stands for this one on an open chain, where bars with mass cannot be."""
    variants: dict[str, BodyRows] = field(default_factory=dict)
    rotors: dict[str, RotorRow] = field(default_factory=dict)
    """By axis, where they were identified along with the bodies and belong to them.

    Not those of drives.yaml.
    """


@dataclass(frozen=True)
class InertialsTable(Table):
    """inertials.yaml."""

    sources: dict[str, Source]
    default: str
    sets: dict[str, InertialSet]


@dataclass(frozen=True)
class FrictionSet:
    """Friction of every axis, and the speed up to which it was measured."""

    axes: dict[str, FrictionRow]
    measured_to_rad_s: float | None = None
    reference_temperature_degC: float | None = None
    """Temperature that the numbers hold at."""


@dataclass(frozen=True)
class FrictionTable(Table):
    """friction.yaml; without sets where nothing is known."""

    sources: dict[str, Source]
    sets: dict[str, FrictionSet]
    default: str | None = None


@dataclass(frozen=True)
class DriveRows:
    """Drives of one variant besides the shared ones, or in their place."""

    axes: dict[str, DriveRow] = field(default_factory=dict)


@dataclass(frozen=True)
class DrivesTable(Table):
    """drives.yaml; axes without a row are unknown."""

    sources: dict[str, Source]
    axes: dict[str, DriveRow]
    variants: dict[str, DriveRows] = field(default_factory=dict)
    notes: dict[str, NoteRow] = field(default_factory=dict)
    """By the name of the part."""


@dataclass(frozen=True, kw_only=True)
class SpringRow(Row):
    """Spring, balancer or torque offset of one axis; numbers that are absent are unknown.

    Pivots are in the plane perpendicular to the axis, from the axis, the first coordinate turned
    towards the second by a positive motion; the one after the axis is where it is at 0 deg.
    """

    axis: str
    kind: Literal["offset", "torsion", "coil", "gas"]
    offset_N_m: float | None = None
    offset_N: float | None = None
    k_N_m_rad: float | None = None
    k_N_m: float | None = None
    """Stiffness of a coil, or of a spring along a linear axis [N/m]."""
    rest_deg: float | None = None
    rest_mm: float | None = None
    before_mm: tuple[float, float] | None = None
    after_mm: tuple[float, float] | None = None
    length_mm: float | None = None
    """Distance of the pivots at which the force is F0."""
    F0_N: float | None = None
    column_mm: float | None = None
    """Length of the gas there: volume by area of the piston."""
    exponent: float | None = None


@dataclass(frozen=True)
class SpringRows:
    """Elements of one variant besides the shared ones, or in their place."""

    elements: dict[str, SpringRow] = field(default_factory=dict)


@dataclass(frozen=True)
class SpringsTable(Table):
    """springs.yaml; without elements where there are none, or nothing is known."""

    sources: dict[str, Source]
    elements: dict[str, SpringRow]
    """By the name of the part."""
    variants: dict[str, SpringRows] = field(default_factory=dict)


@dataclass(frozen=True)
class ValidationTable(Table):
    """validation.yaml: measurements on a real robot."""

    sources: dict[str, Source]
    position_accuracy: AccuracyRow | None = None
    torque_accuracy: dict[str, TorqueAccuracyRow] = field(default_factory=dict)


@dataclass(frozen=True)
class ShapeRows:
    """Shapes of one variant that replace the shared ones, link by link."""

    links: dict[str, tuple[ShapeRow, ...]] = field(default_factory=dict)
    collision: dict[str, tuple[ShapeRow, ...]] = field(default_factory=dict)


@dataclass(frozen=True)
class ShapesTable(Table):
    """shapes.yaml: visual shapes of the links, and convex pieces for collisions."""

    links: dict[str, tuple[ShapeRow, ...]]
    collision: dict[str, tuple[ShapeRow, ...]] = field(default_factory=dict)
    variants: dict[str, ShapeRows] = field(default_factory=dict)


@dataclass(frozen=True)
class ToolTable(Table):
    """tools/NAME.yaml: TCP frame, load and looks in tool0."""

    sources: dict[str, Source]
    tcp: FrameRow
    load: BodyRow
    shapes: tuple[ShapeRow, ...] = ()
    collision: tuple[ShapeRow, ...] = ()


@dataclass(frozen=True)
class Catalogue(Table):
    """robots.yaml: the family of every variant, and short names."""

    robots: dict[str, str]
    aliases: dict[str, str]
