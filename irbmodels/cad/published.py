"""published.yaml of a family: its bodies as papers and files of others give them."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np

from ..model.inertia import Inertial
from ..model.provenance import Source
from ..tables.description import Description
from ..tables.reader import Table, read
from ..tables.schema import BodyRow
from .link_frames import link_frames

Bodies = dict[str, Inertial]
"""Body of each link."""


@dataclass(frozen=True, kw_only=True)
class PublishedBody(BodyRow):
    """A body as its source gives it.

    ``origin_mm`` is where the source's own link frame stands at home.
    """

    origin_mm: tuple[float, float, float] = (0.0, 0.0, 0.0)


@dataclass(frozen=True)
class PublishedSet:
    """Bodies in their own MDH frames (link), or in base axes at q = 0 (home)."""

    frame: Literal["link", "home"]
    bodies: dict[str, PublishedBody]
    variant: str | None = None
    """That the bodies are of; None: of the family."""
    placeholders: tuple[str, ...] = ()
    """Bodies whose numbers the source has made up."""


@dataclass(frozen=True)
class Published(Table):
    """published.yaml."""

    sources: dict[str, Source]
    sets: dict[str, PublishedSet]


def published(robot: Description) -> dict[str, Bodies]:
    """Return the published sets of a family, every body in its own link frame, in SI units.

    Bodies that are no links of ours are in base axes at home.
    """
    frames = link_frames(robot)
    result: dict[str, Bodies] = {}
    for name, entry in read(robot.folder / "published.yaml", Published).sets.items():
        result[name] = {}
        for link, row in entry.bodies.items():
            body = row.inertial()
            if entry.frame == "home":
                frame = frames.get(link, np.eye(4))
                turn, place = frame[:3, :3].T, frame[:3, 3]
                body = body.moved(turn, turn @ (np.array(row.origin_mm) / 1000.0 - place))
            result[name][link] = body
    return result
