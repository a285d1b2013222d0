"""Semantic description (SRDF) of a robot: which links need not be checked against each other.

Adjacent: a moving joint connects them. Always: they touch in every one of 200 random postures.
Never: they touch in none of 10 000 random postures, in which one axis in four stands at an end of
its range; and lest the draw has missed one, they come no nearer than 2 mm where at most two axes
move them against each other, which so many postures cover densely, and 20 mm elsewhere.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np

from ..robot.collision import Collider, Pair, adjacent, always_touching, random_postures
from ..robot.robot import Robot, load
from ..tables.description import Description
from .output import Files

POSTURES = 10_000
# [m] where at most two axes are between two links, and elsewhere
MARGINS = {True: 0.002, False: 0.02}


def srdf_files(robots: Sequence[Description]) -> Files:
    """Return the SRDF of every variant of a family.

    Raises:
        MissingData: if a variant has no collision shapes.
    """
    return {Path(f"{robot.name}.srdf"): srdf(load(robot.folder / robot.name)) for robot in robots}


def disabled(robot: Robot) -> dict[Pair, str]:
    """Return the pairs of links that need no check, with the reason."""
    neighbours = adjacent(robot)
    collider = Collider(robot, ignored=neighbours)
    asked = collider.pairs
    always = always_touching(robot, collider)
    near: set[Pair] = set()
    for close, margin in MARGINS.items():
        alike = {pair for pair in asked - always if (axes_between(robot, pair) <= 2) == close}
        near |= _approaching(robot, collider.only(alike, margin))
    reasons = {"Adjacent": neighbours, "Always": always, "Never": asked - always - near}
    return {pair: reason for reason, pairs in reasons.items() for pair in pairs}


def _approaching(robot: Robot, collider: Collider) -> set[Pair]:
    """Return the pairs of a collider that come within its margin in any random posture."""
    near: set[Pair] = set()
    for q in random_postures(robot.limits, POSTURES):
        if collider.touches(q):
            near |= {frozenset(pair) for pair in collider.contacts(q)}
            collider = collider.only(collider.pairs - near)  # what is known costs nothing more
    return near


def axes_between(robot: Robot, pair: Pair) -> int:
    """Return how many axes move two links against each other."""
    one, other = sorted(pair)
    q = random_postures(robot.limits, 1)[0]
    postures = np.vstack([q, q + 0.1 * np.eye(robot.n)])
    relative = np.linalg.inv(np.asarray(robot.pose(postures, one))) @ np.asarray(
        robot.pose(postures, other)
    )
    return int((np.abs(relative[1:] - relative[0]).max(axis=(1, 2)) > 1e-9).sum())


def srdf(robot: Robot) -> str:
    """Return the SRDF of a robot with collision shapes."""
    pairs = {(min(pair), max(pair)): reason for pair, reason in disabled(robot).items()}
    rows = [
        f'  <disable_collisions link1="{one}" link2="{two}" reason="{why}"/>'
        for (one, two), why in sorted(pairs.items())
    ]
    home = [f'    <joint name="{joint}" value="0"/>' for joint in robot.axes]
    return "\n".join(
        [
            '<?xml version="1.0" ?>',
            "<!-- Written by irbmodels.cad, whose srdf.py says what the reasons mean. -->",
            f'<robot name="{robot.name}">',
            '  <group name="manipulator"><chain base_link="base_link" tip_link="tool0"/></group>',
            '  <group_state name="home" group="manipulator">',
            *home,
            "  </group_state>",
            *rows,
            "</robot>",
            "",
        ]
    )
