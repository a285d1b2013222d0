"""Robots from a URDF, and sets of parameters laid on them from files of their own."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ..errors import UrdfError
from ..model.friction import Stribeck
from ..model.inertia import Inertial
from ..model.joint_drives import JointFriction, JointRotor, friction_of_urdf, joint_drives
from ..model.model import JointBound, Model, limits_of_tree
from ..model.tree import Tree, body_names, kinematics_key, tree_from_urdf
from ..model.types import Array
from ..model.urdf import parse_urdf
from ..model.urdf_bodies import with_bodies
from ..tables.building import rotors_of_set
from ..tables.friction_rows import friction_row, law_of
from ..tables.overlays import NOT_STATED, identification_warnings
from ..tables.parameter_file import RobotIdentity, drive_rows, read_parameter_file
from ..tables.writing import body_row, plain
from .composition import BareRobot
from .uncertainty import uncertainty_of_record


def bare_of_urdf(
    text: str,
    path: str | Path,
    friction: Sequence[JointFriction] = (),
    rotors: Sequence[JointRotor] = (),
    sums: Sequence[JointBound] = (),
) -> BareRobot:
    """Return the robot of a URDF text; arguments as in :func:`.from_urdf_text`.

    Raises:
        UrdfError: as :func:`.from_urdf`.
    """
    try:
        parts = [*friction_of_urdf(parse_urdf(text)), *friction]
        tree = tree_from_urdf(text)
    except UrdfError as err:
        raise UrdfError(f"{path}: {err}") from err
    drives = joint_drives(parts, rotors, tree.coupling)
    doubts = [
        f"{path}: what {joint} moves is impossible: {reason}; irbmodels doctor says more"
        for joint, reason in _impossible(tree)
    ]
    if drives.incomplete:
        doubts.append(
            f"{path}: friction of what {', '.join(drives.incomplete)} turn together is left out: no"
            " law per drive holds it"
        )
    model = Model(tree, limits_of_tree(tree, sums), drives.friction, drives.rotors, drives.axes)
    file = Path(path).resolve()
    return BareRobot(tree.model.name, model, path=file, urdf_text=text, warnings=tuple(doubts))


def with_parameter_file(bare: BareRobot, parameters: str | Path) -> BareRobot:
    """Return a robot of a URDF with the set of parameters of a file.

    Raises:
        FileError: if the file cannot be read.
        TableError: if it breaks the format, or is of another robot.
    """
    file, model = Path(parameters).resolve(), bare.model
    links, linear = body_names(model.tree.model), model.limits.linear.tolist()
    table, springs = read_parameter_file(file, identity_of(bare), bare.name, links, model.limits)
    chosen = table.friction_set
    law = model.friction if chosen is None else law_of(chosen, linear)
    D = table.drive_axes()
    bodies = {link: row.inertial() for link, row in table.bodies.links.items()}
    stated = None if law is None else dict(_stated_friction(law, D, model.tree))
    text = with_bodies(str(bare.urdf_text), bodies, stated)
    tree = tree_from_urdf(text)
    rotors = rotors_of_set(table.bodies, table.of.axes, linear)
    doubts = [f"{file}: {joint}: {reason}" for joint, reason in _impossible(tree)]
    doubts += identification_warnings(table.identified, file)
    return replace(
        bare,
        model=replace(model, tree=tree, friction=law, rotors=rotors, drive_axes=D, springs=springs),
        parameters=table.inertials.default,
        given=parameters,
        tools=() if table.tool == NOT_STATED else ((file, table.tool),),
        warnings=tuple(doubts),
        urdf_text=text,
        own=bare,
        table=table,
        uncertainty=uncertainty_of_record(table.identified, file),
    )


def identity_of(bare: BareRobot) -> RobotIdentity:
    """Return what a file of parameters says of the robot whose numbers it has."""
    tree, path = bare.model.tree, bare.path
    name = "" if path is None else path.name
    return RobotIdentity(name, tree.coupling.axes, kinematics_key(tree))


def tables_of_urdf(bare: BareRobot, model: Model) -> dict[str, dict[str, Any]]:
    """Return a robot of a URDF as tables: inertials, friction and drives with their sources.

    Args:
        bare: The robot.
        model: With the drives in use.
    """
    if bare.table is not None:
        table = plain(bare.table)
        parts = {key: table.get(key, {"sets": {}}) for key in ("inertials", "friction")}
        parts = {key: part | {"sources": table["sources"]} for key, part in parts.items()}
    else:
        source = {"file": {"ref": identity_of(bare).file, "grade": "assumed"}}
        inertias = list(bare.model.tree.model.inertias)[1:]
        links = {
            link: body_row(Inertial.of(body.mass, body.lever, body.inertia), "file")
            for link, body in zip(body_names(bare.model.tree.model), inertias, strict=True)
        }
        impossible = [link for link, _ in _impossible(bare.model.tree, links)]
        own = {"about": f"as {identity_of(bare).file} states them", "links": links}
        own |= {"impossible": impossible} if impossible else {}
        parts = {
            "inertials": {"sources": source, "sets": {"file": own}},
            "friction": {"sources": source, "sets": {}},
        }
        if bare.model.friction is not None:
            linear = bare.model.limits.linear.tolist()
            rows = {
                axis: friction_row(bare.model.friction, i, linear[i]) | {"source": "file"}
                for i, axis in enumerate(bare.model.tree.coupling.axes)
            }
            parts["friction"] |= {"default": "file", "sets": {"file": {"axes": rows}}}
    drives = drive_rows(model.drive_axes, list(model.tree.coupling.axes), "given")
    return {**parts, "of": plain(identity_of(bare)), "drives": {"axes": drives}}


def _impossible(tree: Tree, names: Mapping[str, Any] | None = None) -> Iterator[tuple[str, str]]:
    """Yield joints, or names in their place, that move what no body can be, with the reason."""
    inertias = list(tree.model.inertias)[1:]
    for name, body in zip(names or list(tree.model.names)[1:], inertias, strict=True):
        if wrong := Inertial.of(body.mass, body.lever, body.inertia).impossibilities():
            yield name, wrong[0]


def _stated_friction(
    law: Stribeck, D: Array, tree: Tree
) -> Iterator[tuple[str, tuple[float, float]]]:
    """Yield viscous and Coulomb friction of axes as ``<dynamics>`` can state them.

    Terms beside them, and what drives of several axes add, are left out.
    """
    alone = (D != 0.0).sum(axis=1) == 1
    for i, axis in enumerate(tree.coupling.axes):
        if alone[i] and D[i, i]:
            yield axis, (float(law.Fv[i] * D[i, i] ** 2), float(law.Fc[i] * abs(D[i, i])))
