"""A robot as independent choices: its model is composed of all at once, in no order."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Literal

import numpy as np

from ..errors import InputError, MissingData, UnknownName
from ..model.friction import Stribeck
from ..model.inertia import Inertial
from ..model.model import GRAVITY, Model, load_on_flange, loaded
from ..model.springs import Spring
from ..model.tool import Tool
from ..model.types import Array
from ..tables.building import model_of, motors_of, rotors_of
from ..tables.description import Coupling, Description, has_bars
from ..tables.overlays import NOT_STATED, is_file, overlay_for, overlay_warnings, with_set
from ..tables.parameter_file import ParameterFile
from .uncertainty import ParameterUncertainty, uncertainty_of_record

# bodies by rated mass: data sheets round to 5 or 10 kg, and do not say whether cables and oil count
HEAVIEST = 1.1
# of a set that has its base: motors, gears and castings left out of a drawing weigh less than what
# is in it
LIGHTEST = 0.5
# [m] of a base from the world's origin: what the inverse kinematics takes for mm too
FAR = 50.0
PLACEHOLDER = 0.01  # base by rated mass: less is no base, which moves no axis and may be left out


@dataclass(frozen=True, eq=False)
class BareRobot:
    """Robot as its tables or its URDF give it, without the choices of code."""

    name: str
    model: Model
    """Without tool and payload; friction and rotors are those of tables and set."""
    description: Description | None = None
    """The tables with overlays and the file of parameters; None for a robot from a URDF."""
    parameters: str | None = None
    """Name of the set of inertials."""
    tables: Description | None = None
    """The tables alone."""
    overlays: tuple[Path, ...] = ()
    given: str | Path | None = None
    """Set of inertials as it was asked for: a name, a file, or None for the tables' own."""
    coupling: Coupling | None = None
    """Tree that was asked for; None leaves it to the set of inertials."""
    tools: tuple[tuple[Path, str | None], ...] = ()
    """Files of overlays and of the set that say which tool they were identified with, and its name.

    None: without.
    """
    warnings: tuple[str, ...] = ()
    """Reasons to doubt the tables and their set of inertials."""
    path: Path | None = None
    """File of a robot that does not come from tables."""
    urdf_text: str | None = None
    """Its URDF, with the bodies in use."""
    own: BareRobot | None = None
    """The robot of that file alone, where a file of parameters is laid on it."""
    table: ParameterFile | None = None
    """File of parameters in use of a robot that does not come from tables."""
    uncertainty: ParameterUncertainty | None = None
    """Of the set, where its file states it."""


@dataclass(frozen=True, eq=False)
class Choices:
    """Load and mounting of a robot, and friction, rotors and springs in place of its tables'."""

    tool: Tool | None = None
    payload: Inertial | None = None
    """In the TCP frame."""
    gravity: Array = field(default_factory=lambda: GRAVITY)
    """[m/s^2], in axes of the world."""
    world_from_base: Array = field(default_factory=lambda: np.eye(4))
    """Pose of the base in the world [m], shape ``(4, 4)``."""
    friction: Stribeck | Literal["tables"] | None = "tables"
    """None: unknown."""
    rotors: Array | Literal["set", "drives"] = "set"
    """Those that belong to the set of inertials, those of drives.yaml, or given ones.

    Arm side, ``J n^2`` [kg m^2, kg], shape ``(n,)``.
    """
    drive_axes: Array | None = None
    """Turns of drives per turn of axes, shape ``(n, n)``; None: those of the tables."""
    springs: tuple[Spring, ...] | Literal["tables"] = "tables"

    def __post_init__(self) -> None:
        """Make the shared arrays read-only."""
        for array in (self.gravity, self.world_from_base):
            array.setflags(write=False)

    @cached_property
    def gravity_in_base(self) -> Array:
        """Gravity [m/s^2] in base axes, shape ``(3,)``, read-only."""
        result: Array = self.world_from_base[:3, :3].T @ self.gravity
        result.setflags(write=False)
        return result


def bare_of(
    tables: Description,
    overlays: tuple[Path, ...],
    parameters: str | Path | None,
    coupling: Coupling | None,
) -> BareRobot:
    """Return the robot of tables with overlays and one set of inertials.

    The set is given by name, by file, or by None for the tables' own.

    Raises:
        UnknownName: if there is no such set or coupling.
        InputError: if bars of the set weigh, and an open chain is asked for; or for closed loops.
    """
    description, chosen = with_set(tables, overlays, parameters)
    if str(coupling) == "loop":
        raise InputError(
            "no coupling 'loop': bars that pins join may be elastic, and then have a state of their"
            " own; irbmodels.simulation.parallelogram_loop.ParallelogramLoop(load(...,"
            " coupling='parallelogram')) closes the loops, with accelerations and pin forces"
        )
    if coupling is not None and coupling not in description.couplings:
        raise UnknownName(f"coupling of {description.name}", coupling, description.couplings)
    name = description.parameter_set(chosen)
    bodies = description.inertials.sets[name]
    heavy_bars = has_bars(bodies)
    if coupling == "serial" and heavy_bars:
        other = (
            f"; on an open chain the set {bodies.serial!r} stands for it" if bodies.serial else ""
        )
        problem = (
            f"set {name!r} of {description.name} has bars with mass; they exist only on the"
            " parallelogram tree"
        )
        raise InputError(problem + other)
    chosen_tree = description.couplings[0] if heavy_bars else description.couplings[-1]
    model = model_of(description, coupling or chosen_tree, name)
    files = (*overlays, Path(str(parameters)).resolve()) if is_file(parameters) else overlays
    tools = ((file, overlay_for(tables, file).tool) for file in files)
    stated = tuple((file, tool) for file, tool in tools if tool != NOT_STATED)
    doubts = [*_impossible(description, name), *_weight(description, name)]
    uncertainty = None
    if files:  # what an overlay lays on top of a set is none of the set
        uncertainty = uncertainty_of_record(overlay_for(tables, files[-1]).identified, files[-1])
    doubts += [line for file in files for line in overlay_warnings(tables, file)]
    return BareRobot(
        description.name,
        model,
        description,
        name,
        tables,
        overlays,
        parameters,
        coupling,
        stated,
        tuple(doubts),
        uncertainty=uncertainty,
    )


def compose(bare: BareRobot, choices: Choices) -> Model:
    """Return the model of a robot with everything that was chosen.

    Raises:
        MissingData: if rotors of drives.yaml are chosen, and the tables know none.
    """
    tree = loaded(bare.model.tree, choices.tool, choices.payload, choices.gravity_in_base)
    friction = bare.model.friction if isinstance(choices.friction, str) else choices.friction
    springs = bare.model.springs if isinstance(choices.springs, str) else choices.springs
    rotors = _rotors(bare, choices.rotors)
    D = bare.model.drive_axes if choices.drive_axes is None else choices.drive_axes
    return replace(
        bare.model, tree=tree, friction=friction, rotors=rotors, drive_axes=D, springs=springs
    )


def warnings_of(bare: BareRobot, choices: Choices) -> tuple[str, ...]:
    """Return every reason to doubt a composed robot, one line each."""
    return (
        *bare.warnings,
        *_overload(bare, choices),
        *_other_tool(bare, choices),
        *_unknown_rotors(bare, choices),
        *_far_base(bare, choices),
    )


def _rotors(bare: BareRobot, rotors: Array | Literal["set", "drives"]) -> Array:
    if not isinstance(rotors, str):
        return rotors
    if rotors == "set":
        return bare.model.rotors
    if bare.description is None:
        raise MissingData(
            f"{bare.name} comes from a URDF; give one rotor inertia per axis, arm side [kg m^2]"
        )
    return motors_of(bare.description).reflected(rotors_of(bare.description))


def _impossible(description: Description, name: str) -> Iterator[str]:
    chosen = description.inertials.sets[name]
    if not chosen.impossible:
        return
    reasons = "; ".join(
        f"{link}: {chosen.links[link].inertial().impossibilities()[0]}"
        for link in chosen.impossible
    )
    sources = description.inertials.sources
    fitted = any(
        sources[chosen.links[link].source_of("mass_kg")].grade == "identified"
        for link in chosen.impossible
    )
    how = "identified without keeping to bodies" if fitted else "as printed"
    yield (
        f"set {name!r} of {description.name} is {how}, and impossible in"
        f" {', '.join(chosen.impossible)}: {reasons}"
    )


def _weight(description: Description, name: str) -> Iterator[str]:
    bodies, rated = description.inertials.sets[name].links, description.limits.ratings.mass_kg
    if not bodies or rated is None:
        return
    total, base = sum(row.mass_kg for row in bodies.values()), bodies["base_link"].mass_kg
    left_out = base < PLACEHOLDER * rated
    if total > HEAVIEST * rated or (total < LIGHTEST * rated and not left_out):
        how = "" if left_out else ", base included"
        yield (
            f"bodies of set {name!r} weigh {total:.4g} kg together{how}, and {description.name}"
            f" {rated:g} kg (mass_kg of its ratings): masses and rating are not of one robot"
        )


def _overload(bare: BareRobot, choices: Choices) -> Iterator[str]:
    load, limits = load_on_flange(choices.tool, choices.payload), bare.model.limits
    beyond = limits.load_violations(load)
    if load is None or limits.load is None or not beyond:
        return
    tool, payload = choices.tool, choices.payload
    parts = [
        *([f"tool {tool.name} {tool.load.mass:g} kg"] if tool else []),
        *([f"payload {payload.mass:g} kg"] if payload else []),
    ]
    if beyond[0].axis is None:
        yield (
            f"{bare.name} carries {load.mass:g} kg on its flange ({', '.join(parts)}), and is rated"
            f" for {limits.load.mass:g} kg"
        )
    for row in beyond:
        if row.axis is not None:
            yield f"{bare.name} carries a load ({', '.join(parts)}) whose {row}"


def _other_tool(bare: BareRobot, choices: Choices) -> Iterator[str]:
    mounted = None if choices.tool is None else choices.tool.name
    for file, tool in bare.tools:
        if tool != mounted:
            here, there = (f"tool {name}" if name else "no tool" for name in (mounted, tool))
            yield (
                f"{file} was identified with {there}, and {bare.name} has {here}: errors of a"
                " tool's load are in the last links"
            )


def _far_base(bare: BareRobot, choices: Choices) -> Iterator[str]:
    away = float(np.linalg.norm(choices.world_from_base[:3, 3]))
    if away > FAR:
        yield (
            f"{bare.name} is mounted {away:.6g} m from the origin of the world: is its pose in mm?"
            " it counts in m"
        )


def _unknown_rotors(bare: BareRobot, choices: Choices) -> Iterator[str]:
    if not isinstance(choices.rotors, str) or choices.rotors == "set" or bare.description is None:
        return
    drives = bare.description.drives.axes
    unknown = [
        axis
        for axis in bare.description.axes
        if axis not in drives or drives[axis].rotor_inertia_kg_m2 is None
    ]
    if unknown:
        yield f"{bare.name}: no rotor inertia is known for {', '.join(unknown)}; theirs is left out"
