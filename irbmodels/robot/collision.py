"""Self-collision of a robot and the clearance of its links, by convex pieces, on coal.

Links that a joint connects may overlap there; such pairs are left out. So are those that the
robot's SRDF names because they touch in every posture or in none (``cad/srdf.py``).
"""

from __future__ import annotations

import copy
import threading
from collections.abc import Iterable, Set
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import Any, NamedTuple, cast, overload
from weakref import WeakKeyDictionary
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import ArrayLike

from ..checks import as_instance, as_int, as_list, as_path, finite, number, rows
from ..errors import MissingData, UrdfError
from ..files import read_text
from ..model.limits import Limits
from ..model.shapes import UNCOLOURED, Shape, link_of, mesh_of, shapes_of
from ..model.tree import UNLIMITED
from ..model.types import AnyRows, Array, ManyRows, Mask, OneRow
from ..model.urdf import parse_urdf
from .body_hulls import shapes_urdf
from .robot import Robot

Pair = frozenset[str]
"""Names of two links."""

_POSTURES = 200  # in which a tool is tried for what it always touches


class Clearance(NamedTuple):
    """Smallest distance between links that no joint connects, of one posture or many."""

    distance: Any
    """A float [m]; negative is how deep they are in each other; of arrays an array ``(...)``."""
    links: Any
    """Names of the two links, a tuple; of arrays an array ``(..., 2)``."""
    points: Array
    """The nearest points, one on each link [m], base axes, shape ``(..., 2, 3)``."""


@overload
def collides(robot: Robot, q: AnyRows) -> Any: ...


@overload
def collides(robot: Robot, q: OneRow) -> bool: ...


@overload
def collides(robot: Robot, q: ManyRows) -> Mask: ...


@overload
def collides(robot: Robot, q: ArrayLike) -> Any: ...


def collides(robot: Robot, q: ArrayLike) -> bool | Mask:
    """Return whether the robot touches itself.

    Args:
        robot: A robot with collision shapes; those of its tool belong to it.
        q: Axis positions [rad, m], shape ``(..., n)``, inside the ranges or not.

    Returns:
        A bool for one posture, ``(...)`` for arrays.

    Raises:
        InputError: if a posture has the wrong shape or is not finite.
        MissingData: if the robot has no collision shapes.
        FileError: if a mesh of a URDF is lost.
        UrdfError: if a mesh is flat, so that nothing is inside it.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> irb.collides(robot, q)
        False
    """
    colliders = _colliders(robot)
    position = rows(q, robot.n, "q")
    touching = [colliders.at(robot, x).touches(x) for x in position.reshape(-1, robot.n)]
    if position.ndim == 1:
        return touching[0]
    return np.array(touching, dtype=bool).reshape(position.shape[:-1])


def contacts(robot: Robot, q: ArrayLike) -> list[tuple[str, str]]:
    """Return the pairs of links that touch in one posture [rad, m], shape ``(n,)``.

    Errors as :func:`collides`.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> irb.contacts(robot, q)
        []
    """
    colliders = _colliders(robot)
    position = finite(q, (robot.n,), "q")
    return colliders.at(robot, position).contacts(position)


def clearance(robot: Robot, q: ArrayLike) -> Clearance:
    """Return the smallest distance between links that can touch, of each posture.

    Errors as :func:`collides`.

    Links that never touch inside the ranges, such as bars that turn side by side, are left out
    there. Where no two links can touch, the distance is infinite, between no links.

    Args:
        robot: As for :func:`collides`.
        q: Axis positions [rad, m], shape ``(..., n)``.

    Returns:
        Distance, links and points; of arrays each with their leading axes.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> bool(irb.clearance(robot, q).distance > 0.02)
        True
    """
    colliders = _colliders(robot)
    position = rows(q, robot.n, "q")
    clearances = [colliders.at(robot, x).clearance(x) for x in position.reshape(-1, robot.n)]
    if position.ndim == 1:
        return clearances[0]
    leading = position.shape[:-1]
    return Clearance(
        np.array([one.distance for one in clearances], dtype=float).reshape(leading),
        np.array([one.links for one in clearances], dtype=str).reshape(*leading, 2),
        np.array([one.points for one in clearances], dtype=float).reshape(*leading, 2, 3),
    )


def random_postures(limits: Limits, count: int, seed: int = 0) -> Array:
    """Return postures inside the ranges, shape ``(count, n)``.

    One axis in four stands at an end of its range. What breaks a bound of a sum is moved on to it.
    """
    as_instance(limits, Limits, "postures are drawn inside limits, as robot.limits")
    as_int(count, "the number of postures")
    rng, n = np.random.default_rng(as_int(seed, "seed")), limits.n
    _, inverse, *ends_of_ranges = limits.axis_ranges
    low, high = (np.where(np.abs(x) >= UNLIMITED, np.sign(x) * np.pi, x) for x in ends_of_ranges)
    inside, ends = (
        rng.uniform(low, high, (count, n)),
        np.where(rng.random((count, n)) < 0.5, low, high),
    )
    drawn = np.where(rng.random((count, n)) < 0.25, ends, inside) @ inverse.T
    return limits.moved_inside(drawn)


def adjacent(robot: Robot) -> set[Pair]:
    """Return the pairs of links that a moving joint connects, closed loops included.

    Links that are fixed to each other are one body; a carrier, which follows an axis and has no
    shape, is passed over.
    """
    document = parse_urdf(shapes_urdf(_checked(robot)))
    above = {link_of(joint, "child"): joint for joint in document.iterfind("joint")}

    def body(link: str) -> str:
        """Return the first link of those that are fixed to this one."""
        while link in above and above[link].get("type") == "fixed":
            link = link_of(above[link], "parent")
        return link

    shaped: dict[str, set[str]] = {}
    for shape in shapes_of(document, robot.folder, "collision"):
        shaped.setdefault(body(shape.link), set()).add(shape.link)
    pairs: set[Pair] = set()
    for outer, links in shaped.items():
        inner = body(link_of(above[outer], "parent")) if outer in above else outer
        while inner not in shaped and inner in above and above[inner].find("mimic") is not None:
            inner = body(link_of(above[inner], "parent"))
        if inner != outer:
            pairs |= {frozenset((one, other)) for one in links for other in shaped.get(inner, ())}
    return pairs | (
        {frozenset(pin) for pin in robot.description.pins} if robot.description else set()
    )


@dataclass
class _Data:
    """Placements and results of one thread."""

    geometry: pin.GeometryData
    boxes: pin.BroadPhaseManager_DynamicAABBTreeCollisionManager | None = None


class Collider:
    """Collision shapes of one robot; may be used from many threads."""

    def __init__(self, robot: Robot, margin: float = 0.0, ignored: Iterable[Pair] = ()) -> None:
        """Build the shapes.

        Args:
            robot: A robot with collision shapes.
            margin: Distance [m] within which shapes count as touching.
            ignored: Pairs of links that are left out.
        """
        shapes = shapes_of(parse_urdf(shapes_urdf(_checked(robot))), robot.folder, "collision")
        if not shapes:
            raise MissingData(
                f"{robot.name} has no collision shapes; irbmodels.cad.write_family makes those"
                " of a robot from tables"
            )
        self._tree, self.margin = robot.whole_tree, number(margin, "margin [m]")
        self._geometry = pin.GeometryModel()
        links = [shape.link for shape in shapes]
        for i, shape in enumerate(shapes):
            index = self._tree.frame(shape.link)
            frame = self._tree.model.frames[index]
            placement, name = frame.placement * pin.SE3(shape.placement), f"{shape.link}_{i}"
            self._geometry.addGeometryObject(
                pin.GeometryObject(name, frame.parentJoint, index, placement, _coal_shape(shape))
            )
        left_out = set(
            as_list(ignored, frozenset, "pairs that are ignored are frozensets of two names")
        )
        joints = [form.parentJoint for form in self._geometry.geometryObjects]
        for i, one in enumerate(links):
            for j in range(i):
                if joints[i] != joints[j] and frozenset((one, links[j])) not in left_out:
                    self._geometry.addCollisionPair(pin.CollisionPair(j, i))
        self._links, self._local = links, threading.local()

    def only(self, pairs: Set[Pair], margin: float | None = None) -> Collider:
        """Return a collider of the same shapes that checks these of its pairs.

        Args:
            pairs: Pairs of links; others than its own are passed over.
            margin: As for the constructor; default its own.
        """
        one = copy.copy(self)
        one._geometry, one._local = self._geometry.copy(), threading.local()
        one.margin = self.margin if margin is None else number(margin, "margin [m]")
        one._geometry.removeAllCollisionPairs()
        for i, pair in enumerate(self._geometry.collisionPairs):
            if self._pair(i) in pairs:
                one._geometry.addCollisionPair(pair)
        return one

    @property
    def pairs(self) -> set[Pair]:
        """Pairs of links that are checked."""
        return {self._pair(number) for number in range(len(self._geometry.collisionPairs))}

    def touches(self, q: Array) -> bool:
        """Return whether any pair touches in one posture."""
        data, tree = self._data(), self._tree
        if not len(self._geometry.collisionPairs):
            return False
        if data.boxes is None:  # boxes around the shapes leave few pairs to look at
            data.boxes = pin.BroadPhaseManager_DynamicAABBTreeCollisionManager(
                tree.model, self._geometry, data.geometry
            )
        position = tree.coupling.position(q)
        return bool(pin.computeCollisions(tree.model, tree.data, data.boxes, position, True))

    def contacts(self, q: Array) -> list[tuple[str, str]]:
        """Return the pairs of links that touch in one posture, sorted."""
        data = self._update_placements(q)
        pin.computeCollisions(self._geometry, data, False)
        touching = {
            self._pair(i) for i, result in enumerate(data.collisionResults) if result.isCollision()
        }
        return sorted((min(pair), max(pair)) for pair in touching)

    def clearance(self, q: Array) -> Clearance:
        """Return the smallest distance in one posture."""
        if not len(self._geometry.collisionPairs):
            return Clearance(np.inf, ("", ""), np.full((2, 3), np.nan))
        data = self._update_placements(q)
        number = pin.computeDistances(self._geometry, data)
        result, pair = data.distanceResults[number], self._geometry.collisionPairs[number]
        points = np.array([result.getNearestPoint1(), result.getNearestPoint2()])
        return Clearance(
            float(result.min_distance), (self._links[pair.first], self._links[pair.second]), points
        )

    def _pair(self, number: int) -> Pair:
        pair = self._geometry.collisionPairs[number]
        return frozenset((self._links[pair.first], self._links[pair.second]))

    def _update_placements(self, q: Array) -> pin.GeometryData:
        data, tree = self._data().geometry, self._tree
        pin.updateGeometryPlacements(
            tree.model, tree.data, self._geometry, data, tree.coupling.position(q)
        )
        return data

    def _data(self) -> _Data:
        """Return what this thread computes with."""
        try:
            return cast(_Data, self._local.data)
        except AttributeError:
            geometry = self._geometry.createData()
            for request in geometry.collisionRequests:
                request.security_margin = self.margin
            data = self._local.data = _Data(geometry)
            return data


def always_touching(robot: Robot, collider: Collider) -> set[Pair]:
    """Return the collider's pairs that touch in every one of some random postures, by design."""
    touching = collider.pairs
    for q in random_postures(robot.limits, _POSTURES):
        touching &= {frozenset(pair) for pair in collider.contacts(q)}
        if not touching:
            break
    return touching


def read_srdf(path: Path) -> dict[Pair, str]:
    """Return the pairs of links that an SRDF leaves out, with its reasons.

    Raises:
        FileError: if it cannot be read.
        UrdfError: if it is no XML.
    """
    path = as_path(path, "an SRDF")
    try:
        document = ElementTree.fromstring(read_text(path))
    except ElementTree.ParseError as err:
        raise UrdfError(f"{path}: not XML: {err}") from err
    tags = document.iterfind("disable_collisions")
    return {
        frozenset((str(tag.get("link1")), str(tag.get("link2")))): str(tag.get("reason", ""))
        for tag in tags
    }


def srdf_path(robot: Robot) -> Path | None:
    """Return the SRDF beside a robot's tables or its URDF, where there is one."""
    _checked(robot)
    path = (
        robot.folder / f"{robot.name}.srdf"
        if robot.path is None
        else robot.path.with_suffix(".srdf")
    )
    return path if path.is_file() else None


class _Colliders(NamedTuple):
    """The pairs of links that can touch inside the ranges; and all, for postures outside."""

    inside: Collider
    outside: Collider

    def at(self, robot: Robot, q: Array) -> Collider:
        return self.inside if robot.in_range(q) else self.outside


_COLLIDERS: WeakKeyDictionary[Robot, _Colliders] = WeakKeyDictionary()


def _colliders(robot: Robot) -> _Colliders:
    try:
        return _COLLIDERS[_checked(robot)]
    except KeyError:
        pass
    path = srdf_path(robot)
    known = dict.fromkeys(adjacent(robot), "Adjacent") | ({} if path is None else read_srdf(path))
    collider = Collider(robot)
    asked = collider.pairs - set(known)
    new = {pair for pair in asked if path is None or "tool0" in pair}
    always = always_touching(robot, collider.only(new))
    far = {pair for pair, reason in known.items() if reason == "Never"}
    inside = collider.only(asked - always)
    both = _Colliders(inside, collider.only(inside.pairs | far))
    return _COLLIDERS.setdefault(robot, both)


def _checked(robot: Robot) -> Robot:
    return as_instance(robot, Robot, "what collides is an irbmodels.Robot")


def _coal_shape(shape: Shape) -> object:
    """Return a shape as coal has it, a mesh as its convex hull."""
    import coal

    if shape.kind == "box":
        return coal.Box(*shape.size)
    if shape.kind == "sphere":
        return coal.Sphere(shape.size[0])
    if shape.kind == "cylinder":
        return coal.Cylinder(*shape.size)
    assert shape.file is not None  # a mesh has one
    changed = shape.file.stat().st_mtime_ns if shape.file.is_file() else 0
    return _mesh_hull(shape.link, shape.file, shape.size, changed)


@lru_cache(maxsize=1024)  # shipped are 1019; four fifths of the time of a first question
def _mesh_hull(link: str, file: Path, scale: tuple[float, ...], _changed: int) -> object:
    mesh = mesh_of(Shape(link, "mesh", scale, np.eye(4), UNCOLOURED, file))
    corners = np.asarray(mesh.vertices())
    spread = (
        np.linalg.svd(corners - corners.mean(axis=0), compute_uv=False)
        if len(corners) > 3
        else np.zeros(3)
    )
    if spread[-1] <= 1e-9 * spread[0]:  # coal would not survive it
        raise UrdfError(
            f"{file}: the collision mesh of link {link!r} is flat, so nothing is inside it"
        )
    try:
        mesh.buildConvexHull(True, "Qt")
    except RuntimeError as err:
        raise UrdfError(f"{file}: the collision mesh of link {link!r} has no hull") from err
    return mesh.convex
