"""CAD of a two-axis positioner: a cradle tilts between two columns, a round table turns in it.

A neutral stand-in for the positioner beside the robot of S000, whose type and dimensions are not
printed: everything here is assumed. Millimetres in base axes at home: x forward, y along the tilt
axis, z up; origin on the floor below the table.
"""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

import numpy as np
from manifold3d import Manifold

from ..model.types import Array
from .body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, PLASTIC, STEEL, Body, Part
from .meshes import LinkFiles, MeshFamily
from .output import Files
from .shapes import Point, block, bolts, disc, hull, mirrored, motor, plain, union

TILT = 700.0  # height of the tilt axis
FACE = 120.0  # from the tilt axis up to the face of the table
TABLE = 500.0  # diameter of the table
WALL = 10.0  # of columns and cradle
INSIDE = 345.0  # from the middle to the inner face of a column


def files() -> Files:
    """Return the meshes and the URDF that shows them."""
    family = MeshFamily("positioner")
    family.add("positioner", bodies(), frames())
    return family.files() | {Path("positioner.urdf"): _urdf(family.shapes["positioner"])}


def bodies() -> dict[str, Body]:
    """Return the frame, the cradle and the table at home."""
    return {"base_link": _frame(), "tilt": _cradle(), "table": _table()}


def frames() -> dict[str, Array]:
    """Return the pose of each link's frame at home, ``(4, 4)`` [m].

    Those of cradle and table are where the two axes meet.
    """
    middle = np.eye(4)
    middle[2, 3] = TILT / 1000.0
    return {"base_link": np.eye(4), "tilt": middle, "table": middle}


def _urdf(shapes: Mapping[str, LinkFiles]) -> str:
    poses, lines = frames(), ['<?xml version="1.0" ?>', '<robot name="positioner">']
    lines += [
        "  <!-- Two-axis positioner, type and every number assumed. Written by irbmodels.cad. -->"
    ]
    for name, colour in (
        ("orange", "1.0 0.43 0.05 1.0"),
        ("black", "0.12 0.12 0.13 1.0"),
        ("grey", "0.66 0.68 0.70 1.0"),
    ):
        lines.append(f'  <material name="{name}"><color rgba="{colour}"/></material>')
    lines.append('  <mujoco><compiler discardvisual="false" strippath="false"/></mujoco>')
    for link, body in bodies().items():
        inertial = body.weighed()
        xyz = " ".join(f"{x:.4f}" for x in inertial.com - poses[link][:3, 3])
        (xx, xy, xz), (_, yy, yz), (_, _, zz) = inertial.tensor
        named = zip(("xx", "xy", "xz", "yy", "yz", "zz"), (xx, xy, xz, yy, yz, zz), strict=True)
        visuals, pieces = shapes[link]
        lines += [
            f'  <link name="{link}">',
            "    <inertial>",
            f'      <origin xyz="{xyz}" rpy="0 0 0"/>',
            f'      <mass value="{inertial.mass:.3f}"/>',
            "      <inertia " + " ".join(f'i{key}="{value:.4f}"' for key, value in named) + "/>",
            "    </inertial>",
            *(
                f'    <visual><geometry><mesh filename="../../meshes/{path}"/></geometry><material'
                f' name="{colour}"/></visual>'
                for path, colour, _ in visuals
            ),
            *(
                "    <collision><geometry><mesh"
                f' filename="../../meshes/{path}"/></geometry></collision>'
                for path in pieces
            ),
            "  </link>",
        ]
    for joint, parent, child, place, axis, reach, effort in (
        ("joint_tilt", "base_link", "tilt", f"0 0 {TILT / 1000.0}", "0 1 0", 2.3562, 3000),
        ("joint_table", "tilt", "table", "0 0 0", "0 0 1", 6.2832, 600),
    ):
        lines += [
            f'  <joint name="{joint}" type="revolute">',
            f'    <origin xyz="{place}" rpy="0 0 0"/>',
            f'    <parent link="{parent}"/>',
            f'    <child link="{child}"/>',
            f'    <axis xyz="{axis}"/>',
            f'    <limit lower="{-reach}" upper="{reach}" velocity="2.0944" effort="{effort}"/>',
            "  </joint>",
        ]
    return "\n".join([*lines, "</robot>", ""])


def _frame() -> Body:
    """U of a floor plate and two hollow columns.

    The tilt drive is on the left one, a bearing on the right one.
    """
    corners = [(x, y) for x in (-260.0, 260.0) for y in (-500.0, 500.0)]
    plate = hull(*(plain(40.0, 0.0, 30.0, at=at) for at in corners))
    holes = union(
        *(union(plain(11.0, -1.0, 31.0, at=at), plain(20.0, 20.0, 31.0, at=at)) for at in corners)
    )

    def column(wall: float) -> Manifold:
        head = disc(
            125.0 - wall, INSIDE + wall, INSIDE + 130.0 - wall, "y", at=(0.0, TILT), edge=16.0
        )
        foot = block(
            (-190.0 + wall, 190.0 - wall),
            (INSIDE + wall, INSIDE + 150.0 - wall),
            (20.0, 90.0),
            edge=16.0,
        )
        return hull(head, foot)

    ends = [
        disc(r, INSIDE + 95.0, INSIDE + 200.0, "y", at=(0.0, z), edge=8.0)
        for r, z in ((95.0, 200.0), (60.0, 480.0))
    ]
    window = hull(*ends)
    drive = motor(70.0, INSIDE + 140.0, INSIDE + 390.0, "y", (0.0, TILT), box=-90.0)
    flange = disc(100.0, INSIDE + 120.0, INSIDE + 146.0, "y", at=(0.0, TILT), edge=5.0)
    cap = disc(80.0, -INSIDE - 142.0, -INSIDE - 120.0, "y", at=(0.0, TILT), edge=8.0)
    screws = union(
        bolts(8, 88.0, 6.0, INSIDE + 140.0, INSIDE + 151.0, "y", at=(0.0, TILT)),
        bolts(8, 102.0, 6.0, -INSIDE - 136.0, -INSIDE - 120.0, "y", at=(0.0, TILT), phase=22.5),
    )
    cabinet = block((-330.0, -210.0), (-130.0, 130.0), (24.0, 190.0), edge=14.0)
    plugs = [
        disc(r, -362.0, -325.0, "x", at=(y, 110.0), edge=4.0)
        for r, y in ((28.0, -60.0), (28.0, 20.0), (16.0, 85.0))
    ]
    parts = (
        Part(plain(90.0, INSIDE + 5.0, INSIDE + 120.0, "y", at=(0.0, TILT)), GEAR),
        Part(union(drive, *plugs), MOTOR, "black"),
        Part(screws, STEEL, "black"),
        Part(cap, PLASTIC, "black"),
        Part(mirrored(column(WALL)), AIR),
        Part(block((-324.0, -216.0), (-124.0, 124.0), (30.0, 184.0), edge=10.0), AIR),
        Part(union(mirrored(column(0.0) - window), flange, cabinet, plate - holes), IRON, "grey"),
    )
    right = union(column(0.0).mirror((0.0, 1.0, 0.0)), cap)
    return Body(parts, (plate, column(0.0), right, union(flange, drive), union(cabinet, *plugs)))


def _cradle() -> Body:
    """Two trunnions, two arms down and a bridge with the drive of the table under it."""
    top, bottom = TILT + FACE - 60.0, TILT - 60.0
    trunnion = disc(85.0, INSIDE - 75.0, INSIDE - 8.0, "y", at=(0.0, TILT), edge=10.0)
    seal = plain(62.0, INSIDE - 10.0, INSIDE - 1.0, "y", at=(0.0, TILT))
    elbow = block(
        (-100.0, 100.0), (180.0, INSIDE - 12.0), (bottom - 30.0, bottom + 50.0), edge=20.0
    )
    arm = hull(trunnion, elbow)

    def bridge(wall: float) -> Manifold:
        ends = [
            block(
                (-100.0 + wall, 100.0 - wall), y, (bottom - 30.0 + wall, bottom + 50.0 - wall), 20.0
            )
            for y in _ends(wall)
        ]
        return hull(
            *ends, disc(170.0 - wall, bottom - 20.0 + wall, bottom + 50.0 - wall, edge=18.0)
        )

    seat = disc(150.0, bottom + 40.0, top - 6.0, edge=12.0)
    drive = motor(62.0, bottom - 45.0, bottom - 235.0, "z", (0.0, 0.0), box=0.0)
    flange = disc(95.0, bottom - 48.0, bottom - 10.0, edge=8.0)
    parts = (
        Part(plain(110.0, bottom, top - 14.0), GEAR),
        Part(union(drive, mirrored(seal), plain(128.0, top - 8.0, top - 2.0)), MOTOR, "black"),
        Part(bolts(8, 82.0, 6.0, bottom - 54.0, bottom - 40.0, phase=22.5), STEEL, "black"),
        Part(bridge(WALL), AIR),
        Part(union(bridge(0.0), mirrored(arm), seat, flange), ALUMINIUM, "orange"),
    )
    return Body(parts, (bridge(0.0), arm, arm.mirror((0.0, 1.0, 0.0)), seat, union(flange, drive)))


def _ends(wall: float) -> tuple[Point, Point]:
    """Return where the two ends of the bridge are along y."""
    outer = INSIDE - 12.0 - wall
    return (-outer, -180.0), (180.0, outer)


def _table() -> Body:
    """Round table with eight T-slots and a bore in the middle."""
    top, radius = TILT + FACE, TABLE / 2.0
    plate = union(
        disc(radius, top - 45.0, top, edge=4.0), disc(140.0, top - 60.0, top - 40.0, edge=4.0)
    )
    slot = union(
        block((75.0, radius + 10.0), (-7.0, 7.0), (top - 24.0, top + 1.0), 0.0),
        block((75.0, radius + 10.0), (-12.5, 12.5), (top - 24.0, top - 13.0), 0.0),
    )
    slots = union(*(slot.rotate((0.0, 0.0, 45.0 * k)) for k in range(8)))
    groove = plain(radius - 60.0, top - 1.5, top + 1.0) - plain(radius - 63.0, top - 2.0, top + 2.0)
    bore = plain(40.0, top - 70.0, top + 1.0)
    return Body((Part(plate - slots - groove - bore, IRON, "grey"),), (plate,))
