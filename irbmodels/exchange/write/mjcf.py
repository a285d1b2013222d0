"""MJCF for MuJoCo: an open chain in which axis 3 of a parallelogram is a tendon.

So the coupling is no constraint.
``joint_3`` is the angle between the arms, as in the serial URDF, and the axis position ``q3 =
joint_2 + joint_3`` the length of a fixed tendon. Motor, friction and rotor of axis 3 act on that
tendon, which is ``tau_joint = J' tau`` exactly. Only the bars are held by equalities. The text is
written here, not by MjSpec: its writer keeps six digits and no comments.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin

from ...errors import FileError, InputError, MissingExtra, UrdfError
from ...model.inertia import Inertial
from ...model.shapes import LOOKS, Shape, shapes_of
from ...model.types import Array
from ...model.urdf import parse_urdf
from ...model.urdf_bodies import numbers
from ...robot.body_hulls import shapes_urdf
from ...robot.collision import Collider, adjacent, always_touching, read_srdf, srdf_path
from ...robot.robot import Robot
from ..text import linear_form
from . import Options
from .elements import add, serialised
from .meshes import refuse_to_replace, warn_of_foreign, write_files
from .mjcf_axes import add_drives, ranges_of
from .mjcf_joints import BAR, Chain, chain_of
from .mjcf_springs import add_springs
from .mjcf_springs import notes as spring_notes
from .urdf import file_name

Element = ElementTree.Element

TIMESTEP = 0.0005  # [s]
# the stiffest that MuJoCo allows: a time constant of two steps, critically damped
SOLREF = f"{2.0 * TIMESTEP!r} 1"
SOLIMP = "0.9999 0.9999 0.001 0.5 2"  # the largest impedance that MuJoCo allows
READABLE = (".obj", ".stl", ".msh")  # meshes that MuJoCo opens
# [kg] of a link that turns hard and weighs nothing, as some URDFs have them
NEXT_TO_NOTHING = 1e-12


def write(robot: Robot, folder: Path, options: Options) -> list[Path]:
    """Write ``NAME.xml``, ``scene.xml`` and the meshes they use.

    Args:
        robot: Any robot; tool, payload, gravity and rotors of it are written; it stands in the
            worldbody where it is mounted.
        folder: An existing folder.
        options: ``serial`` leaves the bars of a parallelogram out.

    Returns:
        The robot's file, the scene, the meshes.

    Raises:
        MissingExtra: if MuJoCo is not installed; it loads each file once before it is handed out.
        InputError: if the options do not go with the robot or with MuJoCo.
        UrdfError: if MuJoCo refuses the robot, such as for an inertia that no body can have.
        FileError: if a file cannot be written, or a mesh is lost.
    """
    try:
        import mujoco
    except ImportError as err:
        raise MissingExtra("mujoco", "export") from err
    if options.meshes != "relative":
        raise InputError(
            f"meshes={options.meshes!r} is for a URDF; an MJCF has its meshes beside it"
        )
    name = file_name(robot)
    chain, meshes = chain_of(robot, options), _Meshes()
    texts = {f"{name}.xml": serialised(_model(robot, chain, meshes)), "scene.xml": _scene(name)}
    try:
        # from memory: a robot that MuJoCo refuses leaves nothing behind, and MuJoCo's cache, which
        # keeps meshes by path or else by content, holds each mesh once
        files = {file: text.encode() for file, text in texts.items()}
        files |= {f"meshes/{target}": path.read_bytes() for path, target in meshes.files.items()}
        for text in texts.values():
            mujoco.MjModel.from_xml_string(text, files)
        warn_of_foreign(meshes.files, robot.folder)
    except ValueError as err:
        raise UrdfError(f"MuJoCo refuses {robot.name}: {' '.join(str(err).split())}") from err
    except OSError as err:
        raise FileError(f"cannot read a mesh of {robot.name}: {err.strerror or err}") from err
    sources = {f"meshes/{target}": path for path, target in meshes.files.items()}
    refuse_to_replace(folder, {**sources, **texts}, {"scene.xml": f'file="{name}.xml"'})
    copied = write_files(folder, dict(sorted(sources.items())))  # before the files that name them
    return [*write_files(folder, texts), *copied]


@dataclass
class _Meshes:
    """Mesh files in use, and the assets made of them."""

    files: dict[Path, str] = field(default_factory=dict)
    """Path below ``meshes/`` by source."""
    assets: dict[tuple[str, tuple[float, ...]], str] = field(default_factory=dict)
    """Name by file and scale."""
    colours: dict[tuple[float, ...], str] = field(default_factory=dict)
    unread: list[str] = field(default_factory=list)
    """Meshes that MuJoCo cannot open."""

    def add(self, shape: Shape, what: str) -> str | None:
        """Return the name of the asset of a mesh; None if MuJoCo cannot open it."""
        assert shape.file is not None
        source = shape.file.resolve()
        if source.suffix.lower() not in READABLE:
            self.unread.append(source.name)
            return None
        if source not in self.files:
            self.files[source] = _free(f"{what}/{source.name}", self.files.values())
        key = self.files[source], shape.size
        if key not in self.assets:
            self.assets[key] = _free(
                re.sub(r"\W", "_", str(Path(key[0]).with_suffix(""))), self.assets.values()
            )
        return self.assets[key]

    def colour(self, rgba: tuple[float, ...]) -> str:
        """Return the name of the material of a colour."""
        return self.colours.setdefault(rgba, f"colour_{len(self.colours) + 1}")


def _free(name: str, taken: Iterable[str]) -> str:
    """Return ``name``, with a number if it is taken; case is ignored, as by some file systems."""
    path, number, lowered = Path(name), 1, {other.lower() for other in taken}
    while name.lower() in lowered:
        number += 1
        name = path.with_name(f"{path.stem}_{number}{path.suffix}").as_posix()
    return name


def _model(robot: Robot, chain: Chain, meshes: _Meshes) -> Element:
    root = ElementTree.Element("mujoco", model=robot.name)
    for line in _notes(robot, chain):
        root.append(ElementTree.Comment(f" {line.replace('--', '- -')} "))
    add(
        root,
        "compiler",
        angle="radian",
        autolimits="true",
        meshdir="meshes",
        inertiafromgeom="false",
        fusestatic="false",
    )
    damped = robot.friction_model is not None
    root.append(ElementTree.Comment(f" {_INTEGRATORS[damped]} "))
    integrator = "implicitfast" if damped else "RK4"
    option = add(
        root,
        "option",
        timestep=repr(TIMESTEP),
        integrator=integrator,
        gravity=numbers(robot.gravity_in_world),
    )
    if any(
        chain.bodies[link].mass < BAR
        for link, joint in chain.joints.items()
        if joint.name in chain.followers
    ):
        option.set("tolerance", "1e-12")  # or what holds the lightest bodies gets lost in it
    _defaults(root, robot)
    asset, world = add(root, "asset"), add(root, "worldbody")
    _bodies(robot, chain, meshes, world)
    for rgba, name in meshes.colours.items():
        add(asset, "material", name=name, rgba=numbers(rgba))
    for (file, scale), name in meshes.assets.items():
        more = {} if set(scale) == {1.0} else {"scale": numbers(scale)}
        # or MuJoCo refuses a flat one
        more |= {"inertia": "shell"} if file.startswith("visual/") else {}
        add(asset, "mesh", name=name, file=file, **more)
    if meshes.unread:
        asset.append(
            ElementTree.Comment(
                f" MuJoCo opens no {', '.join(sorted(set(meshes.unread)))}: left out. "
            )
        )
    _contacts(robot, root, {str(body.get("name")) for body in world.iter("body")})
    add_drives(robot, chain, root, _axis_names(robot))
    add_springs(robot, chain, root, _axis_names(robot))
    return root


def _axis_names(robot: Robot) -> tuple[str, ...]:
    """Return ``axis_1 ..`` for a robot from tables, the joints' own names for one from a URDF."""
    return robot.axes if robot.description is None else robot.description.axes


_INTEGRATORS = {
    True: (
        "implicitfast: friction of a light wrist is too fast for RK4 at this step. Without friction"
        " RK4 is the more exact one."
    ),
    False: "RK4: nothing here is damped, and it is the most exact one.",
}


def _notes(robot: Robot, chain: Chain) -> Iterator[str]:
    """Yield comments on the content of the file, and on what MJCF cannot express."""
    yield (
        f"{robot.name}, written by irbmodels. {chain.note} Tool:"
        f" {robot.tool.name if robot.tool else 'none'}."
    )
    names = _axis_names(robot)
    for axis, (name, row) in enumerate(zip(names, np.eye(len(names)), strict=True)):
        sources = chain.coefficients(row)
        if sources != {chain.main[axis]: 1.0}:
            shift = chain.shift(sources.items())
            shifted = f" {'minus' if shift < 0.0 else 'plus'} {abs(shift):.12g}" if shift else ""
            yield (
                f"Tendon {name} is the axis position that the controller shows{shifted}:"
                f" {linear_form(sources.items(), digits=12)}. No constraint: exact."
            )
    if robot.description is not None:
        assumed = [
            name for name, guess in zip(names, robot.limits.effort_assumed, strict=True) if guess
        ]
        if assumed:
            yield f"Effort limits of {', '.join(assumed)} are ASSUMED: none is published."
    yield "MuJoCo has no speed limits; where known they are kept in custom/speed_limit."
    if robot.friction_model is None:
        yield "Friction is not known: none is here."
    else:
        yield (
            "Friction: Fc as frictionloss, Fv as damping, of the motors' axes. MuJoCo has no"
            " Stribeck law: what Fs exceeds Fc by near standstill is left out; Fs and v_St are kept"
            " in custom/."
        )
        if lost := robot.friction_model.kinds[3:]:
            yield f"LEFT OUT of friction, kept in custom/: its terms {', '.join(lost)}."
    yield from spring_notes(robot, chain)
    for name in chain.followers:
        sources = chain.coefficients(chain.rows[name])
        offset = chain.offsets[name] - chain.shift(sources.items())
        value = linear_form(sources.items(), offset, 12)
        yield f"{name} = {value} by a stiff equality: nearly exact, see docs/howto/tools/mujoco.md."


def _defaults(root: Element, robot: Robot) -> None:
    main = add(add(root, "default"), "default", **{"class": robot.name})
    stiff = {"solreflimit": "0.004 1", "solreffriction": SOLREF, "solimpfriction": SOLIMP}
    add(main, "joint", **stiff)
    add(main, "tendon", **stiff)
    add(main, "equality", solref=SOLREF, solimp=SOLIMP)
    visual = add(main, "default", **{"class": f"{robot.name}_visual"})
    add(visual, "geom", group="2", contype="0", conaffinity="0")
    collision = add(main, "default", **{"class": f"{robot.name}_collision"})
    add(collision, "geom", group="3", rgba="0.3 0.5 0.8 0.5")


def _bodies(robot: Robot, chain: Chain, meshes: _Meshes, world: Element) -> None:
    """Add every link below the world: a body where it moves, weighs or has a shape, else a site."""
    document, tree = chain.document, robot.whole_tree
    shapes: dict[str, list[tuple[str, Shape]]] = {}
    for what in LOOKS:
        for shape in shapes_of(document, robot.folder, what):
            shapes.setdefault(shape.link, []).append((what, shape))
    made: dict[str, Element] = {}  # body by link
    ranges = {terms: bounds for terms, _, bounds in ranges_of(robot, chain)}

    def grow(link: str, parent: Element, placement: Array) -> None:
        joint = chain.joints.get(link)
        moving = joint is not None and joint.name in chain.rows
        weighs = chain.bodies[link].mass or chain.bodies[link].tensor.any()
        if link == "world" or not (moving or joint is None or weighs or link in shapes):
            if link not in ("tcp", "world"):
                add(parent, "site", name=link, **_pose(placement))
            body, here = parent, placement
        else:
            body, here = add(parent, "body", name=link, **_pose(placement)), np.eye(4)
            if parent is world:
                body.set("childclass", robot.name)
            _weigh(body, chain.bodies[link])
            if joint is not None and moving:
                kind = "slide" if joint.kind == "prismatic" else "hinge"
                tag = add(body, "joint", name=joint.name, type=kind, axis=numbers(joint.axis))
                tag.attrib.update(ranges.get(((joint.name, 1.0),), {}))
            for what, shape in shapes.get(link, []):
                _geom(body, what, shape, meshes, robot.name)
            if link in ("tool0", "flange"):
                add(body, "site", name=link)
        made[link] = body
        for child, below in chain.joints.items():
            if below.parent == link:
                grow(child, body, here @ below.placement)

    stand = np.asarray(robot.world_from_base.homogeneous)
    grow(chain.root, world, stand)
    child_of = {joint.name: child for child, joint in chain.joints.items()}

    def carrier(frame: pin.Frame) -> tuple[Element, Array]:
        """Return the body that moves with a frame, and the frame's pose in it."""
        link = child_of.get(tree.model.names[frame.parentJoint], chain.root)
        body, pose = made[link], np.asarray(frame.placement.homogeneous)
        return body, stand @ pose if body is world else pose

    flange, tcp = tree.model.frames[tree.flange], tree.model.frames[tree.frame("tcp")]
    if robot.tool is not None:
        body, pose = carrier(flange)
        tool = add(body, "body", name=_free("tool", made), **_pose(pose))
        _weigh(tool, robot.tool.load)
        for what in LOOKS:
            for shape in [] if chain.tool is None else shapes_of(chain.tool, robot.folder, what):
                if shape.link not in shapes:
                    _geom(tool, what, shape, meshes, robot.name)
    body, pose = carrier(tcp)
    if robot.payload is not None:
        _weigh(add(body, "body", name=_free("payload", made), **_pose(pose)), robot.payload)
    add(body, "site", name="tcp", **_pose(pose))


def _weigh(body: Element, inertial: Inertial) -> None:
    if inertial.mass or inertial.tensor.any():
        entries = numbers(
            [inertial.tensor[i] for i in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2))]
        )
        attributes = {
            "pos": numbers(inertial.com),
            "mass": repr(inertial.mass or NEXT_TO_NOTHING),
            # of a point mass
            **({"fullinertia": entries} if inertial.tensor.any() else {"diaginertia": "0 0 0"}),
        }
        body.insert(0, ElementTree.Element("inertial", attributes))


def _geom(body: Element, what: str, shape: Shape, meshes: _Meshes, name: str) -> None:
    form: dict[str, str] = {"type": shape.kind}
    if shape.kind == "mesh":
        mesh = meshes.add(shape, what)
        if mesh is None:
            return
        form["mesh"] = mesh
    elif shape.kind == "sphere":
        form["size"] = repr(shape.size[0])
    elif shape.kind == "cylinder":
        form["size"] = numbers((shape.size[0], 0.5 * shape.size[1]))
    else:
        form["size"] = numbers([0.5 * side for side in shape.size])
    if what == "visual":
        form["material"] = meshes.colour(shape.colour)
    add(body, "geom", **{"class": f"{name}_{what}"}, **form, **_pose(shape.placement))


def _contacts(robot: Robot, root: Element, bodies: set[str]) -> None:
    """Exclude links that a joint connects, that touch in every posture, or that never can."""
    if not shapes_of(parse_urdf(shapes_urdf(robot)), robot.folder, "collision"):
        return
    path = srdf_path(robot)
    known = adjacent(robot) | set({} if path is None else read_srdf(path))
    collider = Collider(robot, ignored=known)
    new = {pair for pair in collider.pairs if path is None or "tool0" in pair}
    known |= always_touching(robot, collider.only(new))
    contact = ElementTree.Element("contact")
    for pair in sorted(tuple(sorted(pair)) for pair in known):
        moving = (link for link in pair if link in bodies or link == "tool0")
        names = [link if link in bodies else "tool" for link in moving]
        if len(names) == 2 and set(names) <= bodies:
            add(contact, "exclude", body1=names[0], body2=names[1])
    root.extend([contact] if len(contact) else [])


def _scene(name: str) -> str:
    root = ElementTree.Element("mujoco", model=f"{name} scene")
    add(root, "include", file=f"{name}.xml")
    add(root, "statistic", center="0.4 0 0.7", extent="2")
    visual = add(root, "visual")
    add(visual, "headlight", diffuse="0.6 0.6 0.6", ambient="0.3 0.3 0.3", specular="0 0 0")
    add(visual, "global", azimuth="140", elevation="-20")
    asset, world = add(root, "asset"), add(root, "worldbody")
    sky = {"rgb1": "0.75 0.82 0.9", "rgb2": "0.35 0.42 0.5", "width": "256", "height": "1536"}
    add(asset, "texture", type="skybox", builtin="gradient", **sky)
    tiles = {"rgb1": "0.55 0.57 0.6", "rgb2": "0.5 0.52 0.55", "width": "256", "height": "256"}
    add(asset, "texture", type="2d", name="floor", builtin="checker", **tiles)
    add(asset, "material", name="floor", texture="floor", texuniform="true", texrepeat="2 2")
    add(world, "light", pos="0 -2 4", dir="0 0.4 -1", type="directional")
    add(world, "geom", name="floor", type="plane", size="0 0 0.1", material="floor")
    return serialised(root)


def _pose(placement: Array) -> dict[str, str]:
    """Return ``pos`` and ``quat`` (w first) of a pose that is not the identity."""
    result = {}
    if placement[:3, 3].any():
        result["pos"] = numbers(placement[:3, 3])
    if not np.array_equal(placement[:3, :3], np.eye(3)):
        x, y, z, w = pin.Quaternion(placement[:3, :3]).coeffs()
        result["quat"] = numbers((w, x, y, z))
    return result
