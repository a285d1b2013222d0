"""A robot as the page needs it: meshcat's commands for its shapes, and numbers for everything that moves or can be shown."""

from __future__ import annotations

import base64
import math
from abc import ABC, abstractmethod
from dataclasses import replace
from typing import Any, cast
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin

from ..checks import as_instance, finite, is_rotation
from ..errors import InputError, warn
from ..model.coupling import coupling_of
from ..model.limits import ROUNDING
from ..model.shapes import LOOKS, Shape, corners, link_of, placement_of
from ..model.tree import UNLIMITED
from ..model.types import Array
from ..model.urdf import parse_urdf
from ..robot.robot import Robot
from ..trajectory import Motion
from ..trajectory.motion_files import MotionFile
from .actor import Actor
from .shapes import READERS, drawn

_FIELD = 30.0  # [deg] of view
# [kg/m^3] a centre of mass is drawn as a ball of steel that weighs as much as its link
_STEEL = 7850.0
_LIGHT = 1e-4  # [kg] carriers of exchange files are not drawn
_NAMED = 4  # lost meshes in a warning; the page names all
_SAMPLES = 20_000  # of a motion in a page; longer ones are thinned


class Window(ABC):
    """What meshcat's Python side draws into."""

    def send(self, command: Any) -> None:
        """Take one meshcat command."""
        lowered = command.lower()
        for form in lowered.get("object", {}).get("geometries", ()):
            # its own viewer warns of this name in the console, once for each mesh
            if form["type"] == "_meshfile":
                form["type"] = "_meshfile_geometry"
        self.send_raw(lowered)

    @abstractmethod
    def send_raw(self, command: dict[str, Any]) -> None:
        """Take one command that meshcat's Python side would spoil (it lower-cases property names)."""


class Recorder(Window):
    """A window without a server: it keeps the commands, so that a page can hold them."""

    def __init__(self) -> None:
        """Start with an empty page."""
        self.commands: list[bytes] = []

    def send_raw(self, command: dict[str, Any]) -> None:
        """Keep one command."""
        import umsgpack

        self.commands.append(umsgpack.packb(command))


def checked(actor: Actor) -> Actor:
    """Return an actor whose posture, motion and place are arrays that fit its robot.

    Raises:
        InputError: if one of them does not.
    """
    robot = as_instance(
        actor.robot,
        Robot,
        "the robot of an irbmodels.Actor is one that irbmodels.load or from_urdf returns",
    )
    as_instance(actor.name, str | None, "the name of an irbmodels.Actor is a text")
    if not isinstance(actor.opacity, int | float) or not 0.0 <= actor.opacity <= 1.0:
        raise InputError(f"opacity is a number from 0 to 1, not {actor.opacity!r}")
    q = np.zeros(robot.n) if actor.q is None else finite(actor.q, (robot.n,), "q")
    motion = None if actor.motion is None else _checked(robot, actor.motion)
    return replace(actor, q=q, motion=motion, place=place_of(actor))


def put(window: Any, actors: list[Actor]) -> list[dict[str, Any]]:
    """Send lights, floor and the shapes of all actors to a meshcat window, and return what the page needs to move them."""
    import meshcat

    actors = [checked(actor) for actor in actors]
    _studio(meshcat.Visualizer(window=window), window, actors)
    data = [_put_actor(window, number, actor) for number, actor in enumerate(actors)]
    for one in data:
        if lost := one["lost"]:
            named = ", ".join(lost[:_NAMED]) + (
                f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
            )
            message = f"{one['name']} is shown without {named}: not there, or not readable"
            warn(message)
    return data


def reach_of(robot: Robot) -> float:
    """Return how far a robot reaches [m]: from the catalogue, or how far its links and shapes are at home."""
    if robot.description is not None:
        return robot.description.limits.ratings.reach_mm / 1000.0
    return max(
        0.01,
        float(
            np.linalg.norm(_corners(Actor(robot, np.zeros(robot.n), place=np.eye(4))), axis=1).max()
        ),
    )


def place_of(actor: Actor) -> Array:
    """Return the pose of an actor's base in the scene, ``(4, 4)``.

    Raises:
        InputError: if it is none.
    """
    if actor.place is None:
        return np.eye(4)
    pose = finite(getattr(actor.place, "homogeneous", actor.place), (4, 4), "place of an actor")
    if not is_rotation(pose[:3, :3]) or (pose[3] != [0.0, 0.0, 0.0, 1.0]).any():
        raise InputError(
            "place of an actor is no pose: rotation, translation and a last row 0 0 0 1"
        )
    return pose


def place(numbers: list[float]) -> Array:
    """Return the pose ``(4, 4)`` at x, y, z [mm], turned by roll, pitch, yaw [deg] if they are given; none is the origin."""
    xyz, rpy = np.zeros(3), np.zeros(3)
    xyz[: len(numbers[:3])], rpy[: len(numbers[3:])] = (
        np.array(numbers[:3]) / 1000.0,
        np.radians(numbers[3:]),
    )
    return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(*rpy), xyz).homogeneous)


def camera(actors: list[Actor]) -> dict[str, Any]:
    """Return where the camera is, where it looks [m], and how wide [deg]: all link frames are in the picture, and some room."""
    points = np.concatenate([_corners(actor) for actor in actors])
    target = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = 1.06 * float(np.linalg.norm(points - target, axis=1).max())
    from_target = np.array([0.66, -0.70, 0.28])
    away = 0.9 * radius / math.sin(math.radians(_FIELD) / 2.0) / np.linalg.norm(from_target)
    return {
        "position": (target + away * from_target).tolist(),
        "target": target.tolist(),
        "fov": _FIELD,
    }


def _corners(actor: Actor) -> Array:
    """Return points around an actor's shapes in the scene, and of a motion the link frames at several times, ``(N, 3)``."""
    robot, turn = actor.robot, place_of(actor)
    motion = _film(actor)
    q = np.asarray(actor.q if motion is None else motion.q[0], dtype=float)
    poses = {frame: np.asarray(robot.pose(q[None], frame))[0] for frame in robot.frames}
    points = [pose[None, :3, 3] for pose in poses.values()]
    points += [
        corners(shape) @ poses[shape.link][:3, :3].T + poses[shape.link][:3, 3]
        for shape in drawn(robot, "visual")[0]
    ]
    if motion is not None:
        postures = motion.q[:: max(1, len(motion.t) // 20)]
        points += [np.asarray(robot.pose(postures, frame))[:, :3, 3] for frame in robot.frames]
    return np.asarray(np.concatenate(points) @ turn[:3, :3].T + turn[:3, 3])


def _film(actor: Actor) -> Motion | None:
    return cast(Motion | None, actor.motion)  # checked() has read it


def _size(actors: list[Actor]) -> float:
    places = np.array([place_of(actor)[:3, 3] for actor in actors])
    apart = float(np.linalg.norm(places - places.mean(axis=0), axis=1).max())
    return max(reach_of(actor.robot) for actor in actors) + apart


def _put_actor(window: Any, number: int, actor: Actor) -> dict[str, Any]:
    import meshcat
    import meshcat.geometry as geometry

    robot, film = actor.robot, _film(actor)
    document = parse_urdf(robot.urdf())
    root = _part(f"{number}_{robot.name}")
    vis, paths = meshcat.Visualizer(window=window), _paths(document, root)
    vis[root].set_transform(place_of(actor))
    for joint in document.iterfind("joint"):
        child = paths[link_of(joint, "child")]
        vis[child.rpartition("/")[0]].set_transform(placement_of(joint.find("origin")))
    nodes: dict[str, list[str]] = {"visual": [], "collision": []}
    lost: list[str] = []
    for what in LOOKS:
        shapes, missing = drawn(robot, what)
        lost += missing
        for k, shape in enumerate(shapes):
            path = f"{paths[shape.link]}/{what}_{k}"
            colour = _hex(shape.colour) if what == "visual" else 0x2CA02C
            opacity = shape.colour[3] if what == "visual" else 0.35
            form, scale = _meshcat_geometry(shape)
            material = geometry.MeshPhongMaterial(
                color=colour, opacity=opacity, transparent=opacity < 1.0
            )
            vis[path].set_object(_object(form, material, path))
            vis[path].set_transform(shape.placement @ scale)
            nodes[what].append(path)
    joints = _joints(document, robot, paths)
    by_name = [joint["name"] for joint in joints]
    return {
        "name": actor.name or robot.name,
        "root": _split(paths[_root_link(document)]),
        "size": reach_of(robot),
        "opacity": actor.opacity,
        "axes": [_axis(robot, i, by_name.index(name)) for i, name in enumerate(robot.axes)],
        "limits": _limits(robot),
        "joints": joints,
        "links": {link: _split(path) for link, path in paths.items()},
        "tcp": _tcp(robot, paths),
        "frames": _frames(robot, paths),
        "bodies": _bodies(document, paths),
        "visuals": [_split(path) for path in nodes["visual"]],
        "hulls": [_split(path) for path in nodes["collision"]],
        "lost": list(dict.fromkeys(lost)),
        "q": np.asarray(actor.q, dtype=float).tolist(),
        "motion": None if film is None else _motion(robot, film),
    }


def _split(path: str) -> list[str]:
    return ["meshcat", *path.split("/")]


def _root_link(document: Element) -> str:
    children = {link_of(joint, "child") for joint in document.iterfind("joint")}
    return next(
        str(link.get("name"))
        for link in document.iterfind("link")
        if link.get("name") not in children
    )


def _paths(document: Element, root: str) -> dict[str, str]:
    """Return the node of every link: below its parent's, first the joint's place, then what the joint moves."""
    above = {link_of(joint, "child"): joint for joint in document.iterfind("joint")}
    result: dict[str, str] = {}

    def path(link: str) -> str:
        if link not in result:
            joint = above.get(link)
            start = (
                root
                if joint is None
                else f"{path(link_of(joint, 'parent'))}/{_part(str(joint.get('name')))}"
            )
            result[link] = f"{start}/{_part(link)}"
        return result[link]

    for link in document.iterfind("link"):
        path(str(link.get("name")))
    return result


def _part(name: str) -> str:
    """Return a name as one part of a path; meshcat drops parts that are empty."""
    return name.replace("/", ":") or "_"


def _joints(document: Element, robot: Robot, paths: dict[str, str]) -> list[dict[str, Any]]:
    moving = {
        str(joint.get("name")): joint
        for joint in document.iterfind("joint")
        if joint.get("type") != "fixed"
    }
    names = [*robot.axes, *(name for name in moving if name not in robot.axes)]
    coupling = coupling_of(document, names)
    result = []
    for name, row, offset in zip(names, coupling.G.tolist(), coupling.q0.tolist(), strict=True):
        joint = moving[name]
        tag = joint.find("axis")
        axis = np.array(
            [
                float(word)
                for word in (tag.get("xyz", "1 0 0") if tag is not None else "1 0 0").split()
            ]
        )
        result.append(
            {
                "name": name,
                "path": _split(paths[link_of(joint, "child")]),
                "axis": (axis / np.linalg.norm(axis)).tolist(),
                "slides": joint.get("type") == "prismatic",
                "row": row,
                "offset": offset,
            }
        )
    return result


def _axis(robot: Robot, i: int, joint: int) -> dict[str, Any]:
    linear = bool(robot.limits.linear[i])
    scale, unit = (1000.0, "mm") if linear else (math.degrees(1.0), "°")
    low, high = (float(bound[i]) for bound in robot.limits.envelope())
    unlimited = high - low >= UNLIMITED
    low, high = (-math.pi, math.pi) if unlimited else (low, high)
    effort = float(robot.limits.effort[i])
    return {
        "label": str(i + 1) if robot.description is not None else robot.axes[i],
        "unit": unit,
        "torque": "N" if linear else "N m",
        "scale": scale,
        "step": 1.0,
        "low": scale * low,
        "high": scale * high,
        "range": "unlimited" if unlimited else f"{scale * low:.6g} to {scale * high:.6g} {unit}",
        "joint": joint,
        "full": effort if math.isfinite(effort) else 100.0,
    }


def _limits(robot: Robot) -> list[dict[str, Any]]:
    limits = robot.limits
    ranges = zip(
        limits.names(), limits.A.tolist(), limits.lower.tolist(), limits.upper.tolist(), strict=True
    )
    return [
        {"row": row, "low": low - ROUNDING, "high": high + ROUNDING, "axis": i, "text": name}
        for i, (name, row, low, high) in enumerate(ranges)
    ]


def _tcp(robot: Robot, paths: dict[str, str]) -> dict[str, Any]:
    """Return where the TCP is: fixed to a link of the URDF, at a pose in it."""
    rng = np.random.default_rng(0)
    postures = np.stack([np.zeros(robot.n), rng.uniform(-0.3, 0.3, robot.n)])
    tcp = np.asarray(robot.pose(postures))
    for link in ("tcp", "tool0", *reversed(paths)):
        # a tool may have moved it
        if link in paths and link in robot.frames and not (link == "tcp" and robot.tool):
            offsets = np.linalg.inv(np.asarray(robot.pose(postures, link))) @ tcp
            if np.abs(offsets[0] - offsets[1]).max() < 1e-9:
                return {"path": _split(paths[link]), "matrix": offsets[0].tolist()}
    raise InputError(f"{robot.name}: the TCP is fixed to no link")


def _frames(robot: Robot, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return the frames worth drawing: the MDH frames and tool0 of a robot from tables, every link of another one."""
    names = [name for name in paths if name in robot.frames]
    if robot.description is not None:
        names = ["base", *(f"link_{i + 1}" for i in range(robot.n)), "tool0"]
    shown = [
        {"name": name.replace("link_", ""), "path": _split(paths[name]), "matrix": None}
        for name in names
    ]
    return [*shown, {"name": "tcp"} | _tcp(robot, paths)] if robot.tool is not None else shown


def _bodies(document: Element, paths: dict[str, str]) -> list[dict[str, Any]]:
    """Return centre, ball of the same mass, ellipsoid and box of the same inertia of every link that weighs anything."""
    result = []
    for link in document.iterfind("link"):
        inertial = link.find("inertial")
        mass, tensor = (
            (None, None) if inertial is None else (inertial.find("mass"), inertial.find("inertia"))
        )
        if (
            inertial is None
            or mass is None
            or tensor is None
            or float(mass.get("value", "0")) < _LIGHT
        ):
            continue
        kg, name = float(mass.get("value", "0")), str(link.get("name"))
        pose = placement_of(inertial.find("origin"))
        xx, yy, zz, xy, xz, yz = (
            float(tensor.get(f"i{key}", "0")) for key in ("xx", "yy", "zz", "xy", "xz", "yz")
        )
        moments, turn = np.linalg.eigh(np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]))
        turn[:, 2] *= np.linalg.det(turn)  # right-handed
        # root mean square of x, y, z
        spread = np.sqrt(np.maximum(0.5 * moments.sum() - moments, 0.0) / kg)
        result.append(
            {
                "path": _split(paths[name]),
                "com": pose[:3, 3].tolist(),
                "turn": pin.Quaternion(pose[:3, :3] @ turn).coeffs().tolist(),
                "ball": (3.0 * kg / (4.0 * math.pi * _STEEL)) ** (1.0 / 3.0),
                "ellipsoid": (math.sqrt(5.0) * spread).tolist(),
                "box": (math.sqrt(12.0) * spread).tolist(),
            }
        )
    return result


def _checked(robot: Robot, motion: Motion | MotionFile) -> Motion:
    """Return a motion as arrays that go together.

    Torques and speeds may have gaps (NaN), time and positions not.
    """
    if isinstance(motion, MotionFile):
        motion = motion.read()
    if not isinstance(motion, Motion):
        raise InputError(
            f"a motion is an irbmodels.Motion or what irbmodels.open_motion returns, not {motion!r}"
        )
    rows = np.shape(motion.t)
    if len(rows) != 1 or not rows[0]:
        raise InputError(
            f"a motion has at least one sample, and times in one row; its t has the shape {rows}"
        )
    t, q = (
        finite(motion.t, rows, "t of a motion"),
        finite(motion.q, (*rows, robot.n), f"q of a motion of {robot.name}"),
    )
    if (np.diff(t) <= 0.0).any():
        raise InputError("t of a motion does not grow")
    rest = [None if x is None else np.asarray(x, dtype=float) for x in motion[2:]]
    for name, x in zip(Motion._fields[2:], rest, strict=True):
        if x is not None and x.shape != q.shape:
            raise InputError(
                f"{name} of a motion of {robot.name} has the shape {x.shape}, its q {q.shape}"
            )
    return Motion(t, q, *rest)


def _motion(robot: Robot, motion: Motion) -> dict[str, Any]:
    some = np.unique(
        np.append(np.arange(0, len(motion.t), -(-len(motion.t) // _SAMPLES)), len(motion.t) - 1)
    )
    t, q = motion.t[some], motion.q[some]
    v, a = (None if x is None else np.asarray(x, dtype=float)[some] for x in (motion.v, motion.a))
    friction = robot.friction_model is not None
    tau = None if v is None or a is None else robot.inverse_dynamics(q, v, a, friction=friction)
    measured = None if motion.tau is None else np.asarray(motion.tau, dtype=float)[some]
    return {
        "t": _packed(t),
        "q": _packed(q),
        "v": _packed(v),
        "tau": _packed(tau),
        "measured": _packed(measured),
    }


def _packed(rows: Array | None) -> str | None:
    return (
        None
        if rows is None
        else base64.b64encode(np.ascontiguousarray(rows, dtype="<f8").tobytes()).decode()
    )


def _hex(colour: tuple[float, ...]) -> int:
    red, green, blue = (round(255.0 * min(max(value, 0.0), 1.0)) for value in colour[:3])
    return red << 16 | green << 8 | blue


def _meshcat_geometry(shape: Shape) -> tuple[Any, Array]:
    """Return meshcat's geometry of a shape, and the matrix from its axes to URDF's."""
    import meshcat.geometry as geometry

    if shape.kind == "box":
        return geometry.Box(list(shape.size)), np.eye(4)
    if shape.kind == "sphere":
        return geometry.Sphere(shape.size[0]), np.eye(4)
    if shape.kind == "cylinder":  # meshcat's stands along y, URDF's along z
        radius, length = shape.size
        along_z = np.array(
            [
                [1.0, 0.0, 0.0, 0.0],
                [0.0, 0.0, -1.0, 0.0],
                [0.0, 1.0, 0.0, 0.0],
                [0.0, 0.0, 0.0, 1.0],
            ]
        )
        return geometry.Cylinder(length, radius), along_z
    assert shape.file is not None  # a mesh has one
    reader = getattr(geometry, READERS[shape.file.suffix.lower()])
    return reader.from_file(str(shape.file)), np.diag([*shape.size, 1.0])


def _object(form: Any, material: Any, name: str) -> Any:
    """Return meshcat's object of a form, with identities that follow from its name, so that a page is the same each time."""
    import meshcat.geometry as geometry

    made = geometry.Mesh(form, material)
    for part, kind in ((form, "form"), (material, "material"), (made, "mesh")):
        part.uuid = f"{name}:{kind}"
    return made


def _studio(vis: Any, window: Any, actors: list[Actor]) -> None:
    """Light and floor for robots of this size."""
    import meshcat.geometry as geometry
    import meshcat.transformations as transform

    def put(path: str, name: str, value: object) -> None:
        window.send_raw({"type": "set_property", "path": path, "property": name, "value": value})

    size = _size(actors)
    middle = np.mean([place_of(actor)[:3, 3] for actor in actors], axis=0)
    put("/Background", "top_color", [0.93, 0.95, 0.97])
    put("/Background", "bottom_color", [0.78, 0.80, 0.83])
    put("/Axes", "visible", False)
    put("/Grid", "visible", False)
    put("/Lights/AmbientLight/<object>", "intensity", 0.42)
    put("/Lights/FillLight/<object>", "intensity", 0.30)
    for side in ("Negative", "Positive"):
        put(f"/Lights/PointLight{side}X/<object>", "intensity", 0.28)
    spot = "/Lights/SpotLight/<object>"
    put("/Lights/SpotLight", "visible", True)
    light = (middle + size * np.array([1.4, -2.1, 3.0])).tolist()
    for name, value in (
        ("position", light),
        ("intensity", 0.5),
        ("angle", 0.7),
        ("penumbra", 0.5),
        ("castShadow", True),
    ):
        put(spot, name, value)
    floor = vis["floor"]
    floor.set_object(
        _object(
            geometry.Cylinder(0.01, 1.25 * size),
            geometry.MeshLambertMaterial(color=0x8F959C),
            "floor",
        )
    )
    lying = transform.rotation_matrix(np.pi / 2, [1, 0, 0])
    # some URDFs hang below their origin
    lowest = min(0.0, *(float(_corners(actor)[:, 2].min()) for actor in actors))
    floor.set_transform(
        transform.translation_matrix([middle[0], middle[1], lowest - 0.006]) @ lying
    )
