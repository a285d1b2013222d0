"""CAD of the electric milling spindle of S000.

Millimetres in tool0: x and y in the flange, z out of it.
"""

from __future__ import annotations

import numpy as np

from .body import ALUMINIUM, MOTOR, STEEL, Body, Part
from .meshes import MeshFamily
from .output import Files
from .shapes import block, bolts, cone, disc, hull, mirrored, plain, union

HEIGHT = 162.0  # the spindle's axis above the flange
TIP = 240.0  # the end of the cutter is the TCP


def files() -> Files:
    """Return the meshes; ``urdf/tools/spindle.yaml`` names them."""
    family = MeshFamily("spindle")
    family.add("spindle", bodies(), {"tool0": np.eye(4)})
    return family.files()


def bodies() -> dict[str, Body]:
    """Return the tool: bracket with clamp, motor with cooling rings, nose, collet and cutter."""
    at, side = (0.0, HEIGHT), (0.0, HEIGHT + 14.0)
    can = disc(47.0, -192.0, 62.0, "x", at, edge=5.0) + disc(
        42.0, -208.0, -188.0, "x", at, edge=10.0
    )
    cooling = [
        plain(50.0, x, x + 7.0, "x", at) for x in (-176.0, -162.0, -148.0, -134.0, 32.0, 46.0)
    ]
    plug = disc(14.0, -232.0, -200.0, "x", side, edge=4.0) + plain(17.0, -214.0, -200.0, "x", side)
    nose = cone(41.0, 27.0, 62.0, 100.0, "x", at) + disc(27.0, 96.0, 130.0, "x", at, edge=3.0)
    nut = disc(21.0, 133.0, 166.0, "x", at, edge=5.0) + plain(16.0, 128.0, 136.0, "x", at)
    cutter = plain(6.0, 160.0, 205.0, "x", at) + plain(8.0, 203.0, TIP, "x", at)

    plate = disc(48.0, 0.0, 16.0, edge=3.0)
    foot = block((-104.0, 46.0), (-58.0, 58.0), (12.0, 34.0), edge=5.0)
    below = block((-98.0, 10.0), (38.0, 56.0), (22.0, 34.0), edge=4.0)
    wall = hull(below, block((-96.0, 0.0), (44.0, 62.0), (118.0, 140.0), edge=4.0))
    clamp = block((-100.0, 4.0), (-66.0, 66.0), (108.0, 160.5), edge=8.0)
    cap = block((-100.0, 4.0), (-66.0, 66.0), (163.5, 216.0), edge=8.0)
    screws = union(
        *(plain(6.0, 205.0, 220.0, at=(x, y)) for x in (-84.0, -12.0) for y in (-56.0, 56.0))
    )
    heads = bolts(6, 31.5, 6.0, 30.0, 38.0)
    bracket = union(plate, foot, mirrored(wall), clamp, cap)
    motor = union(can, *cooling)
    parts = (
        Part(motor, MOTOR, "black"),
        Part(union(plug, screws, heads), STEEL, "black"),
        Part(nut + cutter, STEEL, "grey"),
        Part(nose, ALUMINIUM, "grey"),
        Part(bracket - plain(47.0, -120.0, 20.0, "x", at), ALUMINIUM, "grey"),
    )
    return {
        "tool0": Body(
            parts, (plate + foot, mirrored(wall), clamp + cap, motor + plug, nose + nut, cutter)
        )
    }
