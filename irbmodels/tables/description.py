"""A robot as its tables, read strictly for one variant, and expanded to URDF by xacro."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cached_property
from math import radians
from os.path import relpath
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import FileError, InputError, MissingData, TableError, UnknownName, short_repr
from ..model.dh import Convention, DHTable, modified_row
from ..model.rotations import rotation_x, rotation_y, rotation_z, translation
from ..model.types import Array
from .friction_rows import check_friction, check_temperature
from .reader import Row, check_known, read
from .row_checks import (
    check_axis,
    check_bodies,
    check_crank,
    check_handling,
    check_level,
    check_part,
    check_ratings,
    check_rotors,
    check_shape,
    check_sums,
)
from .schema import (
    BodyRows,
    Catalogue,
    DriveRows,
    DrivesTable,
    FrictionTable,
    InertialSet,
    InertialsTable,
    KinematicsTable,
    LimitRows,
    LimitsTable,
    MdhRow,
    ShapeRows,
    ShapesTable,
    SpringRows,
    SpringsTable,
    ValidationTable,
)
from .spring_rows import check_spring
from .xacro import expand

Coupling = Literal["parallelogram", "serial"]
TABLES = (".yaml", ".yml")
"""Suffixes of tables of tools."""
COUPLINGS: tuple[Coupling, ...] = ("parallelogram", "serial")
MODEL_FILES = (".urdf", ".sdf", ".world", ".xml", ".mjcf")
"""Endings of files that hold a robot without tables."""
BARS = ("link_crank", "link_rod")
LEVEL_BARS = ("link_carrier", "link_lower_rod", "link_upper_rod")
"""Plate and rods that keep the tool of a palletizer level."""
_DRIVE_NUMBERS = (
    "rotor_inertia_kg_m2",
    "stiffness_N_m_rad",
    "viscous_N_m_s_rad",
    "coulomb_N_m",
    "load_inertia_kg_m2",
    "gear_ratio",
)


def data_folder() -> Path:
    """Return the folder ``urdf``: beside the package in a checkout, inside it in a wheel."""
    package = Path(__file__).resolve().parents[1]
    beside = package.parent / "urdf"
    return (
        beside
        if (package.parent / "pyproject.toml").exists() and beside.is_dir()
        else package / "urdf"
    )


def urdf_path(name: str, coupling: Coupling | None = None) -> Path:
    """Return the path of a shipped URDF, for any tool that reads one.

    Args:
        name: A variant or an alias; or ``positioner``, a two-axis positioner for cells.
        coupling: ``parallelogram`` (default where the arm has one: joint_3 is the controller's axis
            3, the bars are ``<mimic>`` joints) or ``serial`` (open chain: joint_3 is the angle
            between the arms).

    Raises:
        UnknownName: if there is no such robot or coupling.
        FileError: if the robot is not a shipped one.

    Example:
        >>> import irbmodels as irb
        >>> irb.urdf_path("irb2400").name
        'irb2400_16.urdf'
    """
    if name in fixtures():
        return data_folder() / name / f"{name}.urdf"
    robot = describe(name)
    if coupling is not None and coupling not in robot.couplings:
        raise UnknownName(f"coupling of {robot.name}", coupling, robot.couplings)
    serial_twin = coupling == "serial" and len(robot.couplings) > 1
    path = robot.folder / f"{robot.name}{'_serial' if serial_twin else ''}.urdf"
    if not path.is_file():
        raise FileError(
            f"{path} does not exist; write one with: irbmodels urdf {name} -o FILE.urdf"
        )
    return path


def robots() -> tuple[str, ...]:
    """Return the names of all variants.

    Example:
        >>> import irbmodels as irb
        >>> "irb2400_16" in irb.robots()
        True
    """
    return tuple(_catalogue().robots)


def aliases() -> dict[str, str]:
    """Return the short names and the variant each stands for."""
    return dict(_catalogue().aliases)


def fixtures() -> tuple[str, ...]:
    """Return the names of what stands beside robots in a cell: URDFs without tables."""
    return tuple(
        sorted(
            path.stem
            for path in data_folder().glob("*/*.urdf")
            if not (path.parent / "kinematics.yaml").exists()
        )
    )


def tools() -> tuple[str, ...]:
    """Return the names of all shipped tools."""
    return tuple(sorted(path.stem for path in (data_folder() / "tools").glob("*.yaml")))


def tool_path(name_or_path: str | Path) -> Path:
    """Return the table of a shipped tool or of a YAML path.

    Raises:
        UnknownName: if it is neither.
    """
    path = Path(name_or_path)
    if path.suffix in TABLES:
        if not path.is_file():
            raise UnknownName("tool file", str(name_or_path), tools())
        return path.resolve()
    if str(name_or_path) not in tools():
        unknown = UnknownName("tool", str(name_or_path), tools())
        raise (
            InputError(
                f"{unknown}; a tool of your own is a path that ends in .yaml, or a tooldata of a"
                " RAPID file, such as weld.mod:tGun"
            )
            if "/" in str(name_or_path) or path.is_file()
            else unknown
        )
    return data_folder() / "tools" / f"{name_or_path}.yaml"


def describe(name_or_folder: str | Path) -> Description:
    """Return the tables of a shipped robot, or of a folder with the same tables.

    Args:
        name_or_folder: A variant (``irb2400_16``), an alias (``irb2400``), or a folder that holds
            kinematics.yaml; where that has several variants, ``folder/variant``.

    Raises:
        UnknownName: if there is no such robot.
        TableError: if a table breaks the format.

    Example:
        >>> import irbmodels as irb
        >>> description = irb.describe("irb2400")
        >>> description.limits.ratings.payload_kg
        16.0
        >>> description.limits.sources["rule"].grade
        'assumed'
    """
    if not isinstance(name_or_folder, str | Path):
        raise InputError(f"a robot is a name or a folder, not {short_repr(name_or_folder)}")
    catalogue, name = _catalogue(), str(name_or_folder)
    variant = catalogue.aliases.get(name, name)
    if variant in catalogue.robots:
        return Description(variant, data_folder() / catalogue.robots[variant])
    path = Path(name_or_folder)
    for folder, wanted in ((path, None), (path.parent, path.name)):
        if (folder / "kinematics.yaml").is_file() and (wanted is None or path.parent != Path()):
            known = read(folder.resolve() / "kinematics.yaml", KinematicsTable).variants
            if wanted is None and len(known) == 1:
                (wanted,) = known
            if wanted is None:
                choices = ", ".join(str(folder / variant) for variant in known)
                raise InputError(
                    f"{folder} describes {len(known)} robots; name one of them: {choices or 'none'}"
                )
            if wanted not in known:
                raise UnknownName(f"variant in {folder}", wanted, known)
            return Description(str(wanted), folder.resolve())
    if path.suffix.lower() in MODEL_FILES:
        raise InputError(
            f"{name} is a model in one file, without tables; irbmodels.from_file({name!r}) reads it"
        )
    if "/" in name or path.is_dir():
        raise InputError(f"no robot folder {name!r}: {path / 'kinematics.yaml'} does not exist")
    families = ", ".join(dict.fromkeys(catalogue.robots.values()))
    raise UnknownName(
        "robot",
        name,
        (*catalogue.aliases, *catalogue.robots),
        f"{families}; variants: irbmodels list",
    )


def _catalogue() -> Catalogue:
    return read(data_folder() / "robots.yaml", Catalogue)


@dataclass(frozen=True)
class Description:
    """The tables of one variant. Each table is read and checked on first use."""

    name: str
    folder: Path
    overlays: tuple[str, ...] = ()
    """Names of the overlays that are merged into the tables."""

    @property
    def family(self) -> str:
        """Name of the folder of tables."""
        return self.folder.name

    @cached_property
    def kinematics(self) -> KinematicsTable:
        """MDH rows with this variant's own rows in place."""
        file = self.folder / "kinematics.yaml"
        table = read(file, KinematicsTable)
        if not re.fullmatch(r"[A-Za-z][\w-]*", self.name):
            problem = f"{self.name!r} is no name: letters, digits, _ and -"
            raise TableError(file, "variants", problem)
        own = table.variants[self.name]
        rows = {**table.joints, **own.joints}
        # of seven axes ABB's axis 7 stands inside the arm
        numbered = [name for name in rows if name != "joint_7" or len(rows) != 7]
        for number, name in enumerate(numbered, start=1):
            if name != f"joint_{number}":
                raise TableError(file, f"joints.{name}", f"expected joint_{number}")
        bars, elbow = own.parallelogram or table.parallelogram, rows.get("joint_3")
        if bars and (elbow is None or elbow.alpha_deg or elbow.d_mm):
            problem = (
                "joint_3 needs alpha_deg 0 and d_mm 0: its axis lies parallel to joint_2's, and the"
                " bars in one plane"
            )
            raise TableError(file, "parallelogram", problem)
        if bars and bars.crank_mm <= 0.0:
            raise TableError(file, "parallelogram.crank_mm", "a crank has a positive length")
        level = own.level or table.level
        check_level(level, rows, bars is not None, file)
        return replace(
            table,
            joints=rows,
            tool0=own.tool0 or table.tool0,
            parallelogram=bars,
            level=level,
            arm_base=own.arm_base or table.arm_base,
        )

    @cached_property
    def limits(self) -> LimitsTable:
        """Limits with this variant's own rows in place."""
        file = self.folder / "limits.yaml"
        table = read(file, LimitsTable)
        check_known("variant", table.variants, self.kinematics.variants, file, "variants")
        own = table.variants.get(self.name, LimitRows())
        axes = {**table.axes, **own.axes}
        self._need_axes(file, "axes", axes)
        for (name, row), linear in zip(axes.items(), self.linear, strict=True):
            check_axis(row, linear, file, f"axes.{name}")
        check_sums(axes, self.kinematics.parallelogram is not None, file, "axes")
        ratings, handling = own.ratings or table.ratings, own.handling or table.handling
        check_ratings(ratings, file, "ratings")
        check_handling(handling, len(axes), file, "handling")
        check_part(table.base, ratings.mass_kg, file, "base")
        bars = self.kinematics.parallelogram is not None and self.kinematics.level is None
        check_crank(table.crank, bars, ratings.mass_kg, file, "crank")
        return replace(table, axes=axes, ratings=ratings, handling=handling)

    @cached_property
    def inertials(self) -> InertialsTable:
        """Inertial sets with this variant's own bodies in place, each physically consistent.

        A set without bodies is that of an arm whose masses are unknown; so is every set for a
        variant that it lists as unknown.
        """
        file = self.folder / "inertials.yaml"
        table = read(file, InertialsTable)
        sets = {name: self._inertial_set(file, name, entry) for name, entry in table.sets.items()}
        check_known("parameter set", [table.default], sets, file, "default")
        open_chains = [name for name, entry in sets.items() if not has_bars(entry)]
        for name, entry in sets.items():
            serial = [] if entry.serial is None else [entry.serial]
            check_known("set without bars", serial, open_chains, file, f"sets.{name}.serial")
        return replace(table, sets=sets)

    @cached_property
    def friction(self) -> FrictionTable:
        """Friction sets; a table without sets where nothing is known."""
        file = self.folder / "friction.yaml"
        if not file.exists():
            return FrictionTable({}, {})
        table = read(file, FrictionTable)
        if table.sets and table.default is None:
            raise TableError(file, "default", f"names none of the sets {', '.join(table.sets)}")
        for name, entry in table.sets.items():
            self._need_axes(file, f"sets.{name}.axes", entry.axes)
            for (axis, row), linear in zip(entry.axes.items(), self.linear, strict=True):
                check_friction(row, linear, file, f"sets.{name}.axes.{axis}")
            check_temperature(entry, file, f"sets.{name}")
        chosen = [] if table.default is None else [table.default]
        check_known("friction set", chosen, table.sets, file, "default")
        return table

    @cached_property
    def drives(self) -> DrivesTable:
        """Gears and motors with this variant's own rows in place, as far as known."""
        file = self.folder / "drives.yaml"
        if not file.exists():
            return DrivesTable({}, {})
        table = read(file, DrivesTable)
        check_known("variant", table.variants, self.kinematics.variants, file, "variants")
        axes = {**table.axes, **table.variants.get(self.name, DriveRows()).axes}
        check_known("axis", axes, self.axes, file, "axes")
        for name, row in axes.items():
            for field in _DRIVE_NUMBERS:
                value = getattr(row, field)
                if value is not None and (value == 0.0 or (value < 0.0 and field != "gear_ratio")):
                    wanted = "not 0" if field == "gear_ratio" else "positive"
                    raise TableError(file, f"axes.{name}.{field}", f"{value:g} should be {wanted}")
            key, others = f"axes.{name}.turned_by", row.turned_by or {}
            known = self.axes if name not in others else [a for a in self.axes if a != name]
            check_known("axis", others, known, file, key)
            if others and row.gear_ratio is None:
                raise TableError(
                    file, key, "needs gear_ratio: a motor turned by others has its own gear"
                )
        own = {axis: axes[axis] for axis in self.axes if axis in axes}
        cited = {name for row in (*own.values(), *table.notes.values()) for name in row.cited}
        sources = {name: one for name, one in table.sources.items() if name in cited}
        return replace(table, sources=sources, axes=own)

    @cached_property
    def springs(self) -> SpringsTable:
        """Springs, balancers and torque offsets with this variant's own in place."""
        file = self.folder / "springs.yaml"
        if not file.exists():
            return SpringsTable({}, {})
        table = read(file, SpringsTable)
        check_known("variant", table.variants, self.kinematics.variants, file, "variants")
        own = table.variants.get(self.name, SpringRows())
        elements = {**table.elements, **own.elements}
        for name, row in elements.items():
            check_spring(row, self.axes, self.linear, file, f"elements.{name}")
        return replace(table, elements=elements)

    @cached_property
    def validation(self) -> ValidationTable | None:
        """Measurements on a real robot, where there are any."""
        file = self.folder / "validation.yaml"
        return read(file, ValidationTable) if file.exists() else None

    @cached_property
    def shapes(self) -> ShapesTable:
        """Visual and collision shapes of the links, with this variant's own in place."""
        file = self.folder / "shapes.yaml"
        table = read(file, ShapesTable)
        check_known("variant", table.variants, self.kinematics.variants, file, "variants")
        own = table.variants.get(self.name, ShapeRows())
        links, collision = {**table.links, **own.links}, {**table.collision, **own.collision}
        meshes = mesh_folder(self.folder)
        for key, group in (("links", links), ("collision", collision)):
            check_known("link", group, self.links, file, key)
            for link, rows in group.items():
                for number, row in enumerate(rows):
                    check_shape(row, file, f"{key}.{link}[{number}]", meshes)
        return replace(table, links=links, collision=collision)

    @property
    def axes(self) -> tuple[str, ...]:
        """Names ``axis_1 ..`` in the controller's order."""
        return tuple(name.replace("joint", "axis") for name in self._numbered)

    @property
    def _numbered(self) -> list[str]:
        """Names of the joints in the order of their numbers."""
        return sorted(self.kinematics.joints, key=lambda name: int(name.removeprefix("joint_")))

    @property
    def links(self) -> tuple[str, ...]:
        """Names of the bodies: ``base_link``, ``link_1 ..``, and the bars of a parallelogram."""
        moving = (joint.replace("joint", "link") for joint in self.chain)
        return ("base_link", *moving, *self.bars)

    @property
    def bars(self) -> tuple[str, ...]:
        """Names of the bodies of linkages, beside the chain from base to flange."""
        linkages = BARS if self.kinematics.parallelogram else ()
        return (*linkages, *(LEVEL_BARS if self.kinematics.level else ()))

    @property
    def pins(self) -> tuple[tuple[str, str], ...]:
        """Pairs of bodies that a pin holds together, beside the joints of the tree."""
        upper = (("link_rod", "link_3"),) if self.kinematics.parallelogram else ()
        level = (("link_lower_rod", "link_carrier"), ("link_upper_rod", "link_level"))
        return (*upper, *(level if self.kinematics.level else ()))

    @property
    def chain(self) -> dict[str, MdhRow]:
        """MDH rows from base to flange: those of the axes, and of a passive joint that keeps level.

        That is ``joint_level``, between those of axes 3 and 4.
        """
        rows, level = self.kinematics.joints, self.kinematics.level
        if level is None:
            return rows
        items = list(rows.items())
        return dict([*items[:3], ("joint_level", level.mdh), *items[3:]])

    @property
    def linear(self) -> tuple[bool, ...]:
        """For each axis whether it slides."""
        return tuple(self.kinematics.joints[name].type == "prismatic" for name in self._numbered)

    @property
    def couplings(self) -> tuple[Coupling, ...]:
        """Trees that exist for this robot, the default first."""
        if self.kinematics.level is not None:  # no chain of one-source mimics keeps level
            return COUPLINGS[:1]
        return COUPLINGS if self.kinematics.parallelogram else ("serial",)

    def parameter_set(self, name: str | None) -> str:
        """Return ``name``, or the default set if None.

        Raises:
            UnknownName: if there is no such set.
            MissingData: if it has bodies of other variants only.
        """
        sets = self.inertials.sets
        if name is not None and name not in sets:
            raise UnknownName(f"parameter set of {self.name}", name, sets)
        own = [one for one, entry in sets.items() if entry.links]
        if name is not None and own and name not in own:
            raise MissingData(
                f"set {name!r} has no bodies of {self.name}; sets that have: {', '.join(own)}"
            )
        return name or self.inertials.default

    def dh(self, convention: Convention) -> DHTable:
        """Return the DH table in SI units.

        Raises:
            InputError: if ``convention`` is neither ``"standard"`` nor ``"modified"``.
        """
        if not isinstance(convention, str) or convention not in ("standard", "modified"):
            raise InputError(
                str(UnknownName("DH convention", convention, ("standard", "modified")))
            )
        rows, tool0 = list(self.chain.values()), self.kinematics.tool0
        table = DHTable(
            "modified",
            alpha=np.array([radians(row.alpha_deg) for row in rows]),
            a=np.array([row.a_mm / 1000.0 for row in rows]),
            d=np.array([row.d_mm / 1000.0 for row in rows]),
            theta=np.array([radians(row.theta0_deg) for row in rows]),
            prismatic=np.array([row.type == "prismatic" for row in rows]),
            A=self._joint_from_axis(),
            tool0=modified_row(
                radians(tool0.alpha_deg),
                tool0.a_mm / 1000.0,
                radians(tool0.theta0_deg),
                tool0.d_mm / 1000.0,
            ),
            base=self._arm_base(),
        )
        return table if convention == "modified" else table.as_standard()

    def urdf(
        self,
        coupling: Coupling | None = None,
        inertials: str | None = None,
        tool: str | Path | None = None,
        carrier_kg: float | None = None,
        looks: bool = True,
    ) -> str:
        """Expand the xacro and return the URDF text.

        Args:
            coupling: Which tree; default the parallelogram where there is one.
            inertials: Parameter set; default the robot's own. On a serial tree a set whose bars
                weigh is replaced by the one that it names for that.
            tool: Tool whose load and TCP are built in.
            carrier_kg: Mass of each massless bar or carrier; default that of exchange files (1e-6
                kg).
            looks: True for links with visuals.

        Raises:
            UnknownName: if coupling, set or tool does not exist.
        """
        if coupling is not None and coupling not in self.couplings:
            raise UnknownName(f"coupling of {self.name}", coupling, self.couplings)
        name = self.parameter_set(inertials)
        if (
            coupling == "serial"
            and has_bars(self.inertials.sets[name])
            and self.inertials.sets[name].serial is None
        ):
            raise InputError(
                f"set {name!r} of {self.name} has bars with mass; they exist only on the"
                " parallelogram tree"
            )
        self.check()  # errors of xacro are less specific
        arguments = {
            "robot": self.name,
            "folder": str(self.folder),
            "coupling": coupling or self.couplings[0],
            "inertials": name,
            "tool": "" if tool is None else str(tool_path(tool)),
            "looks": "true" if looks else "false",
            "meshes": relpath(mesh_folder(self.folder), self.folder),
        }
        if tool is not None:
            arguments["tool_meshes"] = relpath(
                mesh_folder(Path(arguments["tool"]).parent), self.folder
            )
        if carrier_kg is not None:
            arguments["carrier_kg"] = repr(carrier_kg)
        root = data_folder()
        inputs = [
            *self.folder.glob("*.yaml"),
            *root.glob("*.*"),
            *(root / "common").glob("*"),
            *(root / "tools").glob("*"),
        ]
        return expand(
            root / "irb.urdf.xacro",
            arguments,
            [*inputs, *([Path(arguments["tool"])] if tool else [])],
        )

    def check(self) -> None:
        """Read and check every table of the robot.

        Raises:
            TableError: with the first that breaks the format.
        """
        _ = self.kinematics, self.inertials, self.limits, self.shapes, self.friction, self.drives
        _ = self.springs

    def _arm_base(self) -> Array:
        row = self.kinematics.arm_base
        if row is None:
            return np.eye(4)
        x, y, z = (value / 1000.0 for value in row.xyz_mm)
        roll, pitch, yaw = map(radians, row.rpy_deg)
        turn = rotation_z(yaw) @ rotation_y(pitch) @ rotation_x(roll)
        return np.asarray(translation(x, y, z) @ turn)

    def _joint_from_axis(self) -> Array:
        result = np.eye(len(self.axes))
        result = result[[self._numbered.index(name) for name in self.kinematics.joints]]
        if self.kinematics.parallelogram:
            result[2, 1] = -1.0
        if self.kinematics.level:
            result = np.insert(result, 3, -np.eye(len(self.axes))[2], axis=0)
        return result

    def _need_axes(self, file: Path, key: str, rows: Mapping[str, Row]) -> None:
        if tuple(rows) != self.axes:
            raise TableError(
                file, key, f"axes are {', '.join(rows) or 'none'}; expected {', '.join(self.axes)}"
            )

    def _inertial_set(self, file: Path, name: str, entry: InertialSet) -> InertialSet:
        key = f"sets.{name}"
        variants = self.kinematics.variants
        check_known("variant", entry.variants, variants, file, f"{key}.variants")
        check_known("variant", entry.unknown, variants, file, f"{key}.unknown")
        for name in entry.unknown:
            if name in entry.variants:
                raise TableError(file, f"{key}.unknown", f"{name} is listed, but has bodies")
        if self.name in entry.unknown:
            return replace(entry, links={}, impossible=(), rotors={})
        links = {**entry.links, **entry.variants.get(self.name, BodyRows()).links}
        check_known("link", links, self.links, file, f"{key}.links")
        for link in self.links:
            if links and link not in links and link not in self.bars:
                raise TableError(file, f"{key}.links", f"{link} is missing")
        check_bodies(replace(entry, links=links), file, key)
        check_rotors(entry.rotors, self.axes, self.linear, file, key)
        return replace(entry, links=links)


def has_bars(chosen: InertialSet) -> bool:
    """Return whether crank, rods or plate of a set have mass."""
    return bool({*BARS, *LEVEL_BARS} & set(chosen.links))


def mesh_folder(folder: Path) -> Path:
    """Return the folder of meshes of a folder of tables: its own ``meshes``, or the shipped one."""
    own = folder / "meshes"
    return own if own.is_dir() else data_folder().parent / "meshes"
