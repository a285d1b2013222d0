"""The robot in 3D: a live meshcat view, and one self-contained HTML page that can be mailed."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from xml.etree.ElementTree import Element

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike, NDArray

from .errors import InputError, MissingData
from .files import replacing
from .robot import Robot
from .trajectory import Motion
from .tree import parse_urdf

Array = NDArray[np.float64]

FRAMES_PER_SECOND = 30.0
_FLOOR = 1.25  # radius of the floor in reaches


@dataclass(frozen=True, eq=False)
class Shape:
    """One visual of a link: its URDF geometry, its pose in the link, its color as 0xRRGGBB."""

    link: str
    geometry: Element
    placement: Array
    color: int


class Recorder:
    """A meshcat window without a server: it keeps the commands, so that a page can hold them."""

    def __init__(self) -> None:
        """Start with an empty page."""
        self.commands: list[bytes] = []

    def send(self, command: Any) -> None:
        """Keep one meshcat command."""
        self.send_raw(command.lower())

    def send_raw(self, command: dict[str, Any]) -> None:
        """Keep one command that meshcat's Python side would spoil (it lower-cases property names)."""
        import umsgpack

        self.commands.append(umsgpack.packb(command))

    def html(self, title: str, controls: bool) -> str:
        """Return a page with the viewer and all commands; it needs no network."""
        import meshcat

        script = Path(meshcat.__file__).parent / "viewer" / "dist" / "main.min.js"
        data = ",\n".join(f'"{base64.b64encode(command).decode()}"' for command in self.commands)
        menu = "" if controls else 'viewer.gui.domElement.style.display = "none";'
        return _PAGE.format(title=title, script=script.read_text(encoding="utf-8"), commands=data, menu=menu)


class Scene:
    """A robot in a meshcat window, live or recorded."""

    def __init__(self, window: Any, robot: Robot) -> None:
        """Set up lights, floor and camera, and put the robot's visuals in."""
        import meshcat

        self.robot, self.window = robot, window
        self.root = meshcat.Visualizer(window=window)["robot"]
        self.shapes = shapes_of(robot)
        self.links = list(dict.fromkeys(shape.link for shape in self.shapes))
        _studio(meshcat.Visualizer(window=window), window, robot)
        for number, shape in enumerate(self.shapes):
            node = self.root[shape.link][f"visual_{number}"]
            geometry, scale = _meshcat_geometry(shape.geometry)
            node.set_object(geometry, meshcat.geometry.MeshPhongMaterial(color=shape.color))
            node.set_transform(shape.placement @ scale)
        self.show(np.zeros(robot.n))

    def show(self, q: ArrayLike) -> None:
        """Show one posture."""
        for link in self.links:
            self.root[link].set_transform(_homogeneous(self.robot.pose(q, link)))

    def play(self, motion: Motion) -> None:
        """Play a motion, with the viewer's own controls for pause, speed and time."""
        import meshcat.animation as animation

        frames = np.arange(int((motion.t[-1] - motion.t[0]) * FRAMES_PER_SECOND) + 1)
        q = np.stack([np.interp(motion.t[0] + frames / FRAMES_PER_SECOND, motion.t, column) for column in motion.q.T], axis=1)
        clips = animation.Animation(default_framerate=FRAMES_PER_SECOND)
        for link in self.links:
            poses = np.asarray(self.robot.pose(q, link))
            turns = [pin.Quaternion(pose[:3, :3]).coeffs().tolist() for pose in poses]
            clip = animation.AnimationClip(fps=FRAMES_PER_SECOND)
            for name, kind, values in (("position", "vector3", poses[:, :3, 3].tolist()), ("quaternion", "quaternion", turns)):
                clip.tracks[name] = animation.AnimationTrack(name, kind, frames.tolist(), values)
            clips.clips[self.root[link].path] = clip
        self.root.set_animation(clips)


class Viewer(Scene):
    """A live view in a browser. Close it when done; as a context manager it closes itself."""

    def __init__(self, robot: Robot) -> None:
        """Start a local server on a free port and draw the robot."""
        import meshcat

        shapes_of(robot)  # refuses a robot without tables before a server starts
        super().__init__(_live(meshcat.Visualizer().window), robot)

    @property
    def url(self) -> str:
        """Address to open in a browser on this machine."""
        return str(self.window.web_url)

    def close(self) -> None:
        """Stop the server and let go of its pipes."""
        server = self.window.server_proc
        if server.poll() is None:
            self.window.zmq_socket.close(linger=0)
            server.kill()
            server.wait()
            for pipe in (server.stdout, server.stderr):
                pipe.close()

    def __enter__(self) -> Viewer:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def view(robot: Robot, q: ArrayLike | None = None, motion: Motion | None = None) -> Viewer:
    """Show a robot in a browser and return the viewer; ``viewer.show(q)`` moves it, ``viewer.close()`` ends it.

    Args:
        robot: Any robot.
        q: Posture [rad, m], shape ``(n,)``; default all zero.
        motion: Motion to play.
    """
    viewer = Viewer(robot)
    try:
        if q is not None:
            viewer.show(q)
        if motion is not None:
            viewer.play(motion)
    except BaseException:
        viewer.close()
        raise
    return viewer


def save_page(
    path: str | Path, robot: Robot, q: ArrayLike | None = None, motion: Motion | None = None, *, controls: bool = True
) -> None:
    """Write one HTML file that shows a robot, or plays a motion, in any browser and without a network.

    Args:
        path: File to write.
        robot: Any robot with tables.
        q: Posture [rad, m], shape ``(n,)``; default all zero.
        motion: Motion to play.
        controls: Whether the page has the viewer's menu (play, pause, speed).

    Raises:
        InputError: if the name does not end in .html.
        FileError: if the file cannot be written; then nothing is.
    """
    if Path(path).suffix.lower() not in (".html", ".htm"):
        raise InputError(f"{path}: the name of a page ends in .html")
    recorder = Recorder()
    scene = Scene(recorder, robot)
    if q is not None:
        scene.show(q)
    if motion is not None:
        scene.play(motion)
    with replacing(path) as temporary:
        temporary.write_text(recorder.html(robot.name, controls), encoding="utf-8")


def shapes_of(robot: Robot) -> list[Shape]:
    """Return the visuals of a robot and its tool, as the URDF describes them.

    Raises:
        MissingData: for a robot from a URDF, whose text is not kept.
    """
    if robot.description is None:
        raise MissingData(f"{robot.name} comes from a URDF; view that file with a URDF viewer")
    document = parse_urdf(robot.description.urdf(tool=robot.tool.path if robot.tool else None))
    colors = {str(m.get("name")): _color(m.find("color")) for m in document.iterfind("material")}
    shapes = []
    for link in document.iterfind("link"):
        for visual in link.iterfind("visual"):
            geometry, material = visual.find("geometry"), visual.find("material")
            if geometry is not None and len(geometry):
                color = colors.get(str(material.get("name")), 0xBBBBBB) if material is not None else 0xBBBBBB
                shapes.append(Shape(str(link.get("name")), geometry[0], _placement(visual.find("origin")), color))
    return shapes


def _placement(origin: Element | None) -> Array:
    xyz, rpy = (_numbers(origin, key) for key in ("xyz", "rpy"))
    return np.asarray(pin.SE3(pin.rpy.rpyToMatrix(*rpy), xyz).homogeneous)


def _numbers(tag: Element | None, key: str) -> Array:
    text = None if tag is None else tag.get(key)
    return np.array([float(word) for word in (text or "0 0 0").split()])


def _color(tag: Element | None) -> int:
    red, green, blue = (
        round(255 * float(word)) for word in str(tag.get("rgba") if tag is not None else "0.7 0.7 0.7 1").split()[:3]
    )
    return red << 16 | green << 8 | blue


def _meshcat_geometry(tag: Element) -> tuple[Any, Array]:
    """Return meshcat's geometry of a URDF shape, and the matrix from its axes to URDF's."""
    import meshcat.geometry as shape

    if tag.tag == "box":
        return shape.Box(_numbers(tag, "size").tolist()), np.eye(4)
    if tag.tag == "sphere":
        return shape.Sphere(float(str(tag.get("radius")))), np.eye(4)
    if tag.tag == "cylinder":  # meshcat's stands along y, URDF's along z
        along_z = np.array([[1.0, 0.0, 0.0, 0.0], [0.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, 0.0], [0.0, 0.0, 0.0, 1.0]])
        return shape.Cylinder(float(str(tag.get("length"))), float(str(tag.get("radius")))), along_z
    raise MissingData(f"no drawing for a URDF <{tag.tag}>")


def _homogeneous(pose: pin.SE3 | Array) -> Array:
    return np.asarray(getattr(pose, "homogeneous", pose))


def _live(window: Any) -> Any:
    """Give a live meshcat window the method that the recorder has."""
    import umsgpack

    def send_raw(command: dict[str, Any]) -> None:
        kind, path = command["type"].encode(), command["path"].encode()
        window.zmq_socket.send_multipart([kind, path, umsgpack.packb(command)])
        window.zmq_socket.recv()

    window.send_raw = send_raw
    return window


def _studio(vis: Any, window: Any, robot: Robot) -> None:
    """Light, floor and camera for a robot of this size."""
    import meshcat.geometry as shape
    import meshcat.transformations as transform

    def put(path: str, name: str, value: object) -> None:
        window.send_raw({"type": "set_property", "path": path, "property": name, "value": value})

    limits = robot.limits
    reach = 1.5 if robot.description is None else robot.description.limits.ratings.reach_mm / 1000.0
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
    for name, value in (
        ("position", [1.4 * reach, -2.1 * reach, 3.0 * reach]),
        ("intensity", 0.5),
        ("angle", 0.7),
        ("penumbra", 0.5),
        ("castShadow", True),
    ):
        put(spot, name, value)
    floor = vis["floor"]
    floor.set_object(shape.Cylinder(0.01, _FLOOR * reach), shape.MeshLambertMaterial(color=0x8F959C))
    floor.set_transform(transform.translation_matrix([0.0, 0.0, -0.006]) @ transform.rotation_matrix(np.pi / 2, [1, 0, 0]))
    height = 0.5 * reach if not limits.linear.any() else 0.38 * reach
    vis["/meshcat"].set_transform(transform.translation_matrix([-0.22 * reach, 0.0, -height]))  # meshcat looks at the origin
    put("/Cameras/default/rotated/<object>", "position", [1.75 * reach, 0.75 * reach, 1.85 * reach])
    put("/Cameras/default/rotated/<object>", "fov", 28.0)


_PAGE = """<!DOCTYPE html>
<html lang="en">
<head><meta charset="utf-8"><title>{title}</title>
<style>body {{margin: 0}} #meshcat-pane {{width: 100vw; height: 100vh; overflow: hidden}}</style></head>
<body><div id="meshcat-pane"></div>
<script>{script}</script>
<script>
const viewer = new MeshCat.Viewer(document.getElementById("meshcat-pane"));
for (const command of [
{commands}
]) viewer.handle_command_bytearray(Uint8Array.from(atob(command), letter => letter.charCodeAt(0)));
{menu}
</script></body></html>
"""
