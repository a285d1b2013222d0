"""A robot as URDF: either tree, its tool and payload, meshes beside it."""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import Comment, Element, SubElement

import numpy as np
import pinocchio as pin

from ...errors import InputError, UnknownName
from ...model.axis_springs import names_of
from ...model.inertia import Inertial
from ...model.shapes import link_of
from ...model.urdf_bodies import inertial_element, parse_with_comments, urdf_text
from ...robot.robot import Robot
from ..text import free_name
from ..urdf_parts import set_origin
from . import CARRIER_KG, MESHES, Options
from .meshes import absolute_meshes, gathered_meshes, refuse_to_replace, write_files
from .springs import note_on_springs, notes_on_losses, spring_files


def write(robot: Robot, folder: Path, options: Options) -> list[Path]:
    """Write ``NAME.urdf`` and ``meshes/``.

    The open chain of a parallelogram arm is ``NAME_serial.urdf``. A robot that is mounted stands
    below a link ``world``.

    Mesh paths ``relative`` and ``package`` (``package://FOLDER/meshes/...``) lead to copies,
    ``absolute`` ones to the originals.

    Raises:
        InputError: if an option does not go with the robot, or the folder is the one that the robot
            comes from.
        FileError: if a mesh is not there, or a file cannot be written.
    """
    if options.meshes not in MESHES:
        raise UnknownName("style of mesh paths", options.meshes, MESHES)
    if folder.resolve() == robot.folder.resolve():
        raise InputError(f"{folder} is the folder that {robot.name} comes from; choose another one")
    text, here = standing(urdf_of(robot, options), robot), robot.folder
    files: dict[str, Path] = {}
    if options.meshes == "absolute":
        text = absolute_meshes(text, here)
    else:
        package = folder.resolve().name
        if options.meshes == "package" and not re.fullmatch(r"[A-Za-z][\w-]*", package):
            raise InputError(
                f"package:// paths take the folder's name, and {package!r} is no name of a package"
            )
        prefix = f"package://{package}/" if options.meshes == "package" else ""
        text, files = gathered_meshes(text, here, prefix)
    for note in filter(None, (note_on_springs(robot), *notes_on_losses(robot, "urdf"))):
        text = text.replace("</robot>", f"  <!-- {note} -->\n</robot>")
    name = f"{file_name(robot)}{'_serial' if is_serial_twin(robot, options) else ''}.urdf"
    refuse_to_replace(folder, {**files, name: text}, {})
    meshes = write_files(folder, files)  # before the URDF, which names them
    springs = spring_files(robot, file_name(robot))
    return [*write_files(folder, {name: text} | springs), *meshes]


def urdf_of(robot: Robot, options: Options) -> str:
    """Return the robot as URDF text, tool and payload included.

    Mesh paths start in ``robot.folder``, or are absolute.

    A tool made in code and a payload become links of their own, fixed to where they are mounted.
    Gravity, rotors and friction are no part of it, but for what the URDF that a robot comes from
    states itself.

    Raises:
        InputError: if an option does not go with the robot.
        UnknownName: if the robot has no such coupling.
    """
    kg, description = options.carrier_kg, robot.description
    if kg is not None and not (math.isfinite(kg) and kg >= 0.0):
        raise InputError(f"a carrier weighs a finite number of kg, 0 or more, not {kg!r}")
    if description is None:
        for option, value in (("coupling", options.coupling), ("carrier_kg", kg)):
            if value is not None:
                raise InputError(
                    f"{robot.name} comes from a URDF, which has the tree and the bodies it has:"
                    f" leave {option} out"
                )
        text, is_complete = robot.urdf(), robot.tool is None
    else:
        tool, carrier_kg = robot.tool.path if robot.tool else None, CARRIER_KG if kg is None else kg
        text = description.urdf(options.coupling, robot.parameters, tool, carrier_kg=carrier_kg)
        is_complete = robot.tool is None or tool is not None
    return text if is_complete and robot.payload is None else with_load(text, robot)


def standing(text: str, robot: Robot) -> str:
    """Return a URDF whose root is a link ``world``, as ROS has it, where the robot is mounted.

    A fixed joint holds the base. At the origin of the world the text stays as it is.
    """
    base = robot.world_from_base
    if base.isIdentity(0.0):
        return text
    root = parse_with_comments(text)
    links, joints = (
        {str(one.get("name")) for one in root.iterfind(tag)} for tag in ("link", "joint")
    )
    children = {link_of(joint, "child") for joint in root.iterfind("joint")}
    (foot,) = links - children
    world = free_name("world", links)
    joint = Element("joint", {"name": free_name(f"{world}-{foot}", joints), "type": "fixed"})
    set_origin(joint, base)
    SubElement(joint, "parent", {"link": world})
    SubElement(joint, "child", {"link": foot})
    root.insert(0, Element("link", {"name": world}))
    root.insert(1, joint)
    return urdf_text(root)


def annotated_urdf(robot: Robot, about: str) -> str:
    """Return :meth:`.Robot.urdf` with a comment: its origin, and what a URDF cannot carry of it."""
    root = parse_with_comments(robot.urdf())
    lines = [about, *(f"Left out: {part}." for part in _beyond_urdf(robot, root))]
    comment = Comment(" " + " ".join(lines).replace("--", "- -") + " ")
    root.insert(0, comment)
    return urdf_text(root)


def _beyond_urdf(robot: Robot, root: Element) -> Iterator[str]:
    """Yield what the model of a robot has, and its URDF cannot state."""
    law, D = robot.friction_model, robot.drive_axes
    if law is not None and root.find("joint/dynamics") is None and law.terms != "no":
        yield f"friction ({law.terms})"
    elif law is not None:
        terms = {"Fs-Fc": law.falls.any(), **dict.fromkeys(law.kinds[3:], True)}
        terms["change with temperature"] = law.per_K.any()
        terms["presliding"] = law.presliding.any()
        if beyond := ", ".join(name for name, there in terms.items() if there):
            yield f"friction beyond viscous and Coulomb: {beyond}"
        coupled = [robot.axes[i] for i in np.flatnonzero((D != 0.0).sum(axis=1) > 1).tolist()]
        if coupled:
            yield f"friction of the drives of {', '.join(coupled)}, which other axes turn too"
    if robot.rotors.any():
        values = ", ".join(f"{value:.4g}" for value in robot.rotors)
        yield f"rotor inertias, on the arm side [kg m^2, kg]: {values}"
    if robot.springs:
        yield f"springs: {', '.join(names_of(robot.springs))}"


def is_serial_twin(robot: Robot, options: Options) -> bool:
    """Return whether the options ask for the open chain of a parallelogram arm."""
    return (
        robot.description is not None
        and options.coupling == "serial"
        and len(robot.description.couplings) > 1
    )


def file_name(robot: Robot) -> str:
    """Return the robot's name as the name of a file."""
    return re.sub(r"[^\w.-]", "_", robot.name).lstrip(".") or "robot"


def with_load(text: str, robot: Robot) -> str:
    """Add tool and payload to a URDF that does not contain them."""
    tree, root = robot.whole_tree, parse_with_comments(text)
    frames, tcp = tree.model.frames, tree.model.frames[tree.frame("tcp")].placement
    links = {str(link.get("name")): link for link in root.iterfind("link")}
    flange = frames[tree.flange]
    mount = flange.name if flange.type == pin.FrameType.BODY else frames[flange.parentFrame].name
    joint = next(
        (joint for joint in root.iterfind("joint") if link_of(joint, "child") == "tcp"), None
    )
    if joint is not None and (mount == "tcp" or robot.tool is not None):
        if joint.get("type") != "fixed":
            raise InputError(
                f"the URDF of {robot.name} moves its link 'tcp' by a joint: a tool cannot be put"
                " there"
            )
        parent = link_of(joint, "parent")
        mount = parent if mount == "tcp" else mount
    from_tables = robot.description is not None and robot.tool is not None and robot.tool.path
    if robot.tool is not None and not from_tables:
        if robot.tool.load.mass:
            pose = frames[tree.frame(mount)].placement.actInv(flange.placement)
            bare = links[mount]
            if pose.isIdentity(1e-12) and not _mass(bare):
                # one link more would branch the chain, which some readers lose track of
                for inertial in bare.findall("inertial"):
                    bare.remove(inertial)
                bare.insert(0, inertial_element(robot.tool.load))
            else:
                _add_body(root, free_name("tool", links), mount, pose, robot.tool.load)
        if joint is not None:
            set_origin(joint, frames[tree.frame(parent)].placement.actInv(tcp))
    if "tcp" not in links:
        _add_body(root, "tcp", mount, frames[tree.frame(mount)].placement.actInv(tcp), None)
    if robot.payload is not None:
        payload = free_name("payload", links)
        _add_body(root, payload, "tcp", pin.SE3.Identity(), robot.payload)
    return urdf_text(root)


def _add_body(root: Element, name: str, parent: str, pose: pin.SE3, body: Inertial | None) -> None:
    """Add a link fixed to another one.

    Without a body it is a frame, whose explicit zero keeps PyBullet from giving it 1 kg.
    """
    SubElement(root, "link", {"name": name}).append(inertial_element(body))
    joint = SubElement(root, "joint", {"name": f"{parent}-{name}", "type": "fixed"})
    set_origin(joint, pose)
    SubElement(joint, "parent", {"link": parent})
    SubElement(joint, "child", {"link": name})


def _mass(link: Element) -> float:
    mass = link.find("inertial/mass")
    return 0.0 if mass is None else float(mass.get("value", "0"))
