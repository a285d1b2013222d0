"""Convex hulls of the bodies that moving joints carry, from the shapes of their links."""

from __future__ import annotations

import os
from collections.abc import Collection
from contextlib import suppress
from typing import NamedTuple

import numpy as np

from ..errors import FileError
from ..model.hulls import Hull, hull_of, is_readable, shape_points
from ..model.shapes import LOOKS, Look, LostShape, shapes_of
from ..model.tree import body_names
from ..model.types import Array
from ..model.urdf import parse_urdf
from ..tables.description import data_folder, urdf_path
from .robot import Robot


class BodyHulls(NamedTuple):
    """Hulls of bodies by the link that a moving joint carries, in its axes."""

    hulls: dict[str, Hull]
    lost: dict[str, str]
    """Bodies whose shapes cannot all be read, with the mesh that is missing or another reason.

    Files are named as from the robot's folder.
    """


def body_hulls(robot: Robot) -> BodyHulls:
    """Return the hull of each body without tool: of its visual shapes, or else of collision shapes.

    Collision shapes go before visual ones that only the loader behind Pinocchio reads (DAE): those
    of an arm take it half a second. Links that are fixed to a moving one belong to its body; bars
    of a parallelogram are bodies. A body without shapes, or with flat ones, has no hull.
    """
    bare = robot.with_load()
    tree, document = bare.whole_tree, parse_urdf(shapes_urdf(bare))
    names = body_names(tree.model)
    frames = {link: tree.model.frames[number] for link, number in tree.frames.items()}

    def hulls_of(look: Look, known: Collection[str], by_loader: bool) -> BodyHulls:
        points: dict[str, list[Array]] = {}
        lost: list[LostShape] = []
        for shape in shapes_of(document, bare.folder, look, lost):
            frame = frames[shape.link]
            # the base has no joint above it
            if not frame.parentJoint or names[frame.parentJoint - 1] in known:
                continue
            try:
                if not by_loader and shape.file is not None and not is_readable(shape.file):
                    raise FileError(str(shape.file))
                local = shape_points(shape)
            except FileError:
                lost.append(LostShape(shape.link, str(shape.file)))
                continue
            rotation, origin = frame.placement.rotation, frame.placement.translation
            link = names[frame.parentJoint - 1]
            points.setdefault(link, []).append(local @ rotation.T + origin)
        unread = {
            names[frames[one.link].parentJoint - 1]: one.reason
            for one in lost
            if frames[one.link].parentJoint
        }
        hulls = {
            link: hull
            for link, parts in points.items()
            if link not in unread and (hull := hull_of(np.concatenate(parts))) is not None
        }
        return BodyHulls(hulls, unread)

    hulls: dict[str, Hull] = {}
    for by_loader in (False, True):
        unread: dict[str, str] = {}
        for look in LOOKS:
            found = hulls_of(look, hulls, by_loader)
            hulls |= found.hulls
            unread = found.lost | unread
    folder = f"{bare.folder.resolve()}{os.sep}"
    lost = {
        link: reason.removeprefix(folder) for link, reason in unread.items() if link not in hulls
    }
    return BodyHulls(hulls, lost)


def shapes_urdf(robot: Robot) -> str:
    """Return a URDF with the joints and shapes of a robot; mesh paths start at its folder.

    The file of a shipped robot without a tool has those that xacro expands its tables to, in a
    hundredth of the time.
    """
    described = robot.description
    if robot.tool is None and described is not None and described.folder.parent == data_folder():
        with suppress(FileError):
            return urdf_path(described.name).read_text(encoding="utf-8")
    return robot.urdf()
