"""A scene of robots: meshcat's commands for its shapes, and the data of its page."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..errors import warn
from ..model.shapes import LOOKS, UNCOLOURED, Shape, corners, link_of, placement_of
from ..model.types import Array
from ..model.urdf import parse_urdf
from ..robot.robot import Robot
from .actor import SceneActor
from .meshcat_window import Window, geometry_of, named_mesh
from .page_answers import answer_data
from .page_data import (
    axis_data,
    balancer_data,
    body_data,
    frame_data,
    joint_data,
    limit_data,
    link_paths,
    motion_data,
    node_name,
    node_path,
    root_link,
    tcp_data,
)
from .page_inside import plane_data, set_data
from .shapes import drawable_shapes

_FIELD_OF_VIEW = 30.0  # [deg]
_TOOL = 0x4A4F55  # colour of a tool without shapes
_TIP = 0.3  # of the way from flange to TCP
_NAMED = 4  # lost meshes in a warning; the page names all


def put_scene(window: Window, actors: Sequence[SceneActor]) -> list[dict[str, Any]]:
    """Send lights, floor and shapes to a window, and return the data of each actor's page."""
    import meshcat

    _put_studio(meshcat.Visualizer(window=window), window, actors)
    data = [_put_actor(window, number, actor) for number, actor in enumerate(actors)]
    for one in data:
        if lost := one["lost"]:
            more = f" and {len(lost) - _NAMED} more" if len(lost) > _NAMED else ""
            named = f"{', '.join(lost[:_NAMED])}{more}"
            warn(f"{one['name']} is shown without {named}: not there, or not readable")
    return data


def reach_of(robot: Robot) -> float:
    """Return the reach of a robot [m]: its rating, or the farthest point of its shapes at home."""
    if robot.description is not None:
        return robot.description.limits.ratings.reach_mm / 1000.0
    home = SceneActor(robot, np.zeros(robot.n), None, np.eye(4), 1.0, robot.name)
    return max(0.01, float(np.linalg.norm(_outer_points(home), axis=1).max()))


def pose_from(numbers: Sequence[float]) -> Array:
    """Return the pose ``(4, 4)`` at x, y, z [mm] with roll, pitch, yaw [deg], by default 0."""
    x, y, z, *angles = numbers
    rotation = pin.rpy.rpyToMatrix(*np.radians(angles or np.zeros(3)))
    return np.asarray(pin.SE3(rotation, np.array([x, y, z]) / 1000.0).homogeneous)


def camera(actors: Sequence[SceneActor]) -> dict[str, Any]:
    """Return position and target [m] and field of view [deg] of a camera that shows all shapes."""
    points = np.concatenate([_outer_points(actor) for actor in actors])
    target = 0.5 * (points.min(axis=0) + points.max(axis=0))
    radius = 1.06 * float(np.linalg.norm(points - target, axis=1).max())
    from_target = np.array([0.66, -0.70, 0.28])
    away = 0.9 * radius / math.sin(math.radians(_FIELD_OF_VIEW) / 2.0) / np.linalg.norm(from_target)
    return {
        "position": (target + away * from_target).tolist(),
        "target": target.tolist(),
        "fov": _FIELD_OF_VIEW,
    }


def _outer_points(actor: SceneActor) -> Array:
    """Return corners of shapes, and link frames along a motion, in the scene, ``(N, 3)``."""
    robot, motion, rotation = actor.robot, actor.motion, actor.pose[:3, :3]
    q = actor.q if motion is None else motion.q[0]
    poses = {frame: np.asarray(robot.pose(q[None], frame))[0] for frame in robot.frames}
    points = [pose[None, :3, 3] for pose in poses.values()]
    points += [
        corners(shape) @ poses[shape.link][:3, :3].T + poses[shape.link][:3, 3]
        for shape in drawable_shapes(robot, "visual")[0]
    ]
    if motion is not None:
        postures = motion.q[:: max(1, len(motion.t) // 20)]
        points += [np.asarray(robot.pose(postures, frame))[:, :3, 3] for frame in robot.frames]
    return np.asarray(np.concatenate(points) @ rotation.T + actor.pose[:3, 3])


def _put_actor(window: Window, number: int, actor: SceneActor) -> dict[str, Any]:
    import meshcat
    from meshcat.geometry import MeshPhongMaterial

    robot = actor.robot
    document = parse_urdf(robot.urdf())
    root = node_name(f"{number}_{robot.name}")
    vis, paths = meshcat.Visualizer(window=window), link_paths(document, root)
    vis[root].set_transform(actor.pose)
    for joint in document.iterfind("joint"):
        child = paths[link_of(joint, "child")]
        vis[child.rpartition("/")[0]].set_transform(placement_of(joint.find("origin")))
    balancers = balancer_data(robot, paths)
    moving = {one[part][-1] for one in balancers for part in ("cylinder", "rod")}
    nodes: dict[str, list[list[str]]] = {look: [] for look in LOOKS}
    lost: list[str] = []
    for look in LOOKS:
        shapes, missing = drawable_shapes(robot, look)
        lost += missing
        for k, shape in enumerate(shapes):
            part = f"/{shape.label}" if shape.label in moving else ""
            path = f"{paths[shape.link]}{part}/{look}_{k}"
            colour, opacity = 0x2CA02C, 0.35
            if look == "visual":
                colour, opacity = _hex(shape.colour), shape.colour[3]
            material = MeshPhongMaterial(color=colour, opacity=opacity, transparent=opacity < 1.0)
            geometry, scale = geometry_of(shape)
            vis[path].set_object(named_mesh(geometry, material, path))
            vis[path].set_transform(shape.placement @ scale)
            nodes[look].append(node_path(path))
    tcp = tcp_data(robot, paths)
    for k, (geometry, placement) in enumerate(_bare_tool(robot, tcp["matrix"])):
        path = f"{'/'.join(tcp['path'][1:])}/tool_{k}"
        material = MeshPhongMaterial(color=_TOOL)
        vis[path].set_object(named_mesh(geometry, material, path))
        vis[path].set_transform(placement)
        nodes["visual"].append(node_path(path))
    joints = joint_data(document, robot, paths)
    by_name = [joint["name"] for joint in joints]
    return {
        "name": actor.name,
        "root": node_path(paths[root_link(document)]),
        "size": reach_of(robot),
        "opacity": actor.opacity,
        "axes": [axis_data(robot, i, by_name.index(name)) for i, name in enumerate(robot.axes)],
        "limits": limit_data(robot),
        "joints": joints,
        "balancers": balancers,
        "links": {link: node_path(path) for link, path in paths.items()},
        "tcp": tcp,
        "frames": frame_data(robot, paths),
        "bodies": body_data(document, paths),
        "visuals": nodes["visual"],
        "hulls": nodes["collision"],
        "lost": list(dict.fromkeys(lost)),
        "answers": answer_data(robot),
        "plane": plane_data(robot),
        "sets": set_data(robot, document),
        "q": actor.q.tolist(),
        "motion": None if actor.motion is None else motion_data(robot, actor.motion),
    }


def _bare_tool(robot: Robot, link_from_tcp: ArrayLike) -> list[tuple[Any, Array]]:
    """Return cylinders, with their poses in the link, for a tool of which no shape is known.

    A rod leads from the flange towards the TCP; its thinner end is along z of the tool.
    """
    if robot.tool is None or len(drawable_shapes(robot, "visual")[0]) > len(
        drawable_shapes(robot.with_load(), "visual")[0]
    ):
        return []
    tcp = np.asarray(link_from_tcp)
    flange = tcp @ np.linalg.inv(robot.tool.tcp.homogeneous)
    tip, start = tcp[:3, 3], flange[:3, 3]
    bend = tip - _TIP * float(np.linalg.norm(tip - start)) * tcp[:3, 2]
    rods = []
    for radius, begin, end in ((0.014, start, bend), (0.007, bend, tip)):
        along = end - begin
        if (length := float(np.linalg.norm(along))) < 1e-6:
            continue
        rod = Shape("", "cylinder", (radius * reach_of(robot), length), np.eye(4), UNCOLOURED)
        geometry, axes = geometry_of(rod)
        turn = pin.Quaternion.FromTwoVectors(np.array([0.0, 0.0, 1.0]), along / length)
        pose = pin.SE3(turn, 0.5 * (begin + end)).homogeneous
        rods.append((geometry, pose @ axes))
    return rods


def _hex(colour: tuple[float, ...]) -> int:
    red, green, blue = (round(255.0 * min(max(value, 0.0), 1.0)) for value in colour[:3])
    return red << 16 | green << 8 | blue


def _put_studio(vis: Any, window: Window, actors: Sequence[SceneActor]) -> None:
    """Send background, lights and a floor for robots of this size."""
    import meshcat.geometry as geometry
    import meshcat.transformations as transform

    origins = np.array([actor.pose[:3, 3] for actor in actors])
    middle = origins.mean(axis=0)
    spacing = float(np.linalg.norm(origins - middle, axis=1).max())
    size = max(reach_of(actor.robot) for actor in actors) + spacing
    spot = "/Lights/SpotLight/<object>"
    for path, name, value in (
        ("/Background", "top_color", [0.93, 0.95, 0.97]),
        ("/Background", "bottom_color", [0.78, 0.80, 0.83]),
        ("/Axes", "visible", False),
        ("/Grid", "visible", False),
        ("/Lights/AmbientLight/<object>", "intensity", 0.42),
        ("/Lights/FillLight/<object>", "intensity", 0.30),
        ("/Lights/PointLightNegativeX/<object>", "intensity", 0.28),
        ("/Lights/PointLightPositiveX/<object>", "intensity", 0.28),
        ("/Lights/SpotLight", "visible", True),
        (spot, "position", (middle + size * np.array([1.4, -2.1, 3.0])).tolist()),
        (spot, "intensity", 0.5),
        (spot, "angle", 0.7),
        (spot, "penumbra", 0.5),
        (spot, "castShadow", True),
    ):
        window.send_raw({"type": "set_property", "path": path, "property": name, "value": value})
    material = geometry.MeshLambertMaterial(color=0x8F959C)
    vis["floor"].set_object(named_mesh(geometry.Cylinder(0.01, 1.25 * size), material, "floor"))
    # some URDFs hang below their origin
    lowest = min(0.0, *(float(_outer_points(actor)[:, 2].min()) for actor in actors))
    vis["floor"].set_transform(
        transform.translation_matrix([middle[0], middle[1], lowest - 0.006])
        @ transform.rotation_matrix(np.pi / 2, [1, 0, 0])
    )
