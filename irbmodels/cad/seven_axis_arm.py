"""CAD of seven-axis arms on a body, after the IRB 14000: a sketch of tubes and drums.

Every link is drawn in its own frame, whose z is the axis that it turns about: tubes stand about
their own axis and end in one half of the drum of the next; bends are its other half, and lead on.
Lengths are the robot's own. Radii are ours, about half the widths of the boxes by which
rparak/PyBullet_Industrial_Robotics_Gym (MIT) surrounds the links of an IRB 14000, 140 mm at the
shoulder to 63 mm at the flange; the tubes are slimmer, so that the forearm folds on the upper arm.
The body is a column without ABB's details. Millimetres.
"""

from __future__ import annotations

import numpy as np
from manifold3d import Manifold

from ..errors import InputError
from ..model.types import Array
from ..tables.description import Description
from .body import ALUMINIUM, STEEL, Body, Part
from .link_frames import link_frames
from .shapes import Point, block, disc, hull, union

GAP = 2.0  # seam between links
SHOULDER, ELBOW, WRIST = 60.0, 52.0, 24.0  # radii of drums
UPPER, FORE, NECK, FLANGE = 48.0, 42.0, 31.0, 31.5  # radii of tubes
PLATE = 10.0  # thickness of the flange
BESIDE = -36.0  # along axis 5: the forearm's half of the wrist, clear of the flange
CLEAR = 74.0  # of the forearm below axis 5: the corner of the flange turns with 69 mm
STAND = 20.0  # of axis 1 in the body
FAR = 400.0  # longer than any drum
LEAST = 200.0  # of upper arm and forearm, between the drums at both ends


def bodies(robot: Description) -> dict[str, Body]:
    """Return the links of an arm, in millimetres of its base at home.

    Raises:
        InputError: if upper arm or forearm are too short for their joints.
    """
    rows, poses = robot.kinematics.joints, link_frames(robot)
    upper, fore = rows["joint_7"].d_mm, rows["joint_4"].d_mm
    for length, what in ((upper, "an upper arm"), (fore, "a forearm")):
        if length < LEAST:
            raise InputError(
                f"{what} of {length:g} mm is too short for the joints of a seven-axis arm: it needs"
                f" {LEAST:g} mm"
            )
    foot = rows["joint_1"].d_mm - STAND
    wrist = PLATE - rows["joint_6"].d_mm
    drawn = {
        "link_1": tube(SHOULDER, (foot, SHOULDER + 6.0), SHOULDER, rows["joint_2"].a_mm),
        "link_2": bend(SHOULDER, UPPER, rows["joint_7"].a_mm, -0.42 * upper),
        "link_7": tube(UPPER, (0.58 * upper, ELBOW + 6.0), ELBOW, rows["joint_3"].a_mm),
        "link_3": bend(ELBOW, FORE, rows["joint_4"].a_mm, 0.42 * fore),
        "link_4": tube(FORE, (0.58 * fore, CLEAR), WRIST, rows["joint_5"].a_mm, BESIDE),
        "link_5": bend(WRIST, NECK, rows["joint_6"].a_mm, wrist, BESIDE),
        "link_6": [disc(FLANGE, GAP - PLATE, 0.0, edge=2.0)],
    }
    links = {"base_link": [_placed(solid, np.eye(4)) for solid in _body(poses["link_1"], foot)]}
    links |= {link: [_placed(one, poses[link]) for one in solids] for link, solids in drawn.items()}
    return {
        link: Body(
            (Part(union(*solids), STEEL if link == "link_6" else ALUMINIUM, "grey"),),
            tuple(solids),
        )
        for link, solids in links.items()
    }


def tube(
    radius: float, below: Point, drum: float, ahead: float, seam: float = 0.0
) -> list[Manifold]:
    """Tube about the link's own axis z, and its half of a drum about the next axis, along y.

    Args:
        radius: Of the tube.
        below: Its ends, below the height of the next axis.
        drum: Radius of the drum.
        ahead: Next axis, along x.
        seam: Along the next axis: where the link's half of its drum ends.
    """
    low, high = -below[0] + GAP, -below[1]
    half = disc(drum, min(seam - 0.9 * drum, -radius - 8.0), seam - GAP, "y", (ahead, 0.0))
    foot = disc(radius, high - 20.0, high)
    return [disc(radius, low, high), hull(foot ^ _half_space(seam - GAP), half)]


def bend(
    drum: float, radius: float, ahead: float, reach: float, seam: float = 0.0
) -> list[Manifold]:
    """Other half of the drum about the link's own axis z, and a tube about the next one, along y.

    Args:
        drum: Radius of the drum.
        radius: Of the tube.
        ahead: Next axis, along x.
        reach: Signed, from the link's own axis to the end of the tube along y.
        seam: Along the link's own axis: where its half of the drum starts.
    """
    inner = reach - np.sign(reach) * min(20.0, 0.8 * abs(reach))
    half = disc(drum, seam, max(seam, 0.0) + 0.9 * drum)
    end = disc(radius, inner, reach, "y", (ahead, 0.0))
    beyond = _half_space(-seam).rotate((-90.0, 0.0, 0.0))
    return [hull(half, end ^ beyond), end]


def _half_space(y: float) -> Manifold:
    """Return all that lies below a plane across y, as far as links go."""
    return block((-FAR, FAR), (y - FAR, y), (-FAR, FAR), edge=0.0)


def _body(shoulder: Array, foot: float) -> list[Manifold]:
    """Column on the floor, and the arm that bears axis 1 up to the seam of link_1."""
    axis = shoulder.copy()
    axis[:3, 3] = (axis[:3, 3] * 1000.0 - foot * axis[:3, 2]) / 1000.0
    stub = _placed(disc(SHOULDER, -60.0, 0.0), axis)
    neck = _placed(disc(SHOULDER, -60.0, -24.0), axis)  # its rim about axis 1 stays to be seen
    column = block((-110.0, 70.0), (-75.0, 75.0), (30.0, 400.0), 30.0)
    seam = -axis[:3, 2], -1000.0 * float(axis[:3, 2] @ axis[:3, 3])
    column = column.trim_by_plane(*seam)  # its corner would reach into link_1
    return [
        block((-130.0, 170.0), (-120.0, 120.0), (0.0, 40.0), 10.0),
        column,
        hull(column, neck),
        stub,
    ]


def _placed(solid: Manifold, pose: Array) -> Manifold:
    """Return a solid [mm] of a link's frame in base axes; its places keep 9 digits."""
    turned = np.round(pose[:3], 12)
    return solid.transform(np.column_stack([turned[:, :3], 1000.0 * turned[:, 3]]))
