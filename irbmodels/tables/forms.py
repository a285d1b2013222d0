"""Modified DH rows of each build: which length stands where, and the angles of its zero posture."""

from __future__ import annotations

from typing import Literal, NamedTuple

Build = Literal["serial", "parallelogram", "palletizer", "seven_axis", "scara"]


SEVEN_AXIS_CHAIN = (1, 2, 7, 3, 4, 5, 6)
"""Axes of a seven-axis arm from base to flange: the controller's axis 7 stands in the upper arm."""


class MdhForm(NamedTuple):
    """Modified DH row of a build: angles [deg], and names of lengths, "" for 0."""

    alpha: float
    a: str
    d: str
    theta0: float
    back: bool = False
    """True if the length is measured against the row's x: ``a_mm`` is less than 0."""
    of: str = ""
    """Length whose source says where a row without lengths comes from; default ``d1_mm``."""


_SIX = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(-90, "a1_mm", "", -90),
    MdhForm(0, "a2_mm", "d3_mm", 0),
    MdhForm(-90, "a3_mm", "d4_mm", 0),
    MdhForm(90, "", "", 180),
    MdhForm(90, "a5_mm", "", 0, back=True),
)
# axis 4 looks down; LEVEL turns back by what axis 3 turns
_PALLETIZER = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(-90, "a1_mm", "", -90),
    MdhForm(0, "a2_mm", "", 90),
    MdhForm(-90, "a4_mm", "d5_mm", 180),
)
LEVEL = MdhForm(0, "a3_mm", "", 0)
"""Row of the passive joint of a palletizer, between those of axes 3 and 4."""
_SEVEN = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(-90, "a1_mm", "", 0, back=True),
    MdhForm(90, "a1_mm", "a2_mm", 0),
    MdhForm(-90, "a3_mm", "", -90),
    MdhForm(-90, "a3_mm", "d4_mm", 180),
    MdhForm(-90, "a5_mm", "", 0),
    MdhForm(90, "a5_mm", "d6_mm", 0, back=True),
)
# axis 3 is positive upwards; axis 4 and the tool look down
_SCARA = (
    MdhForm(0, "", "d1_mm", 0),
    MdhForm(0, "a1_mm", "d2_mm", 0),
    MdhForm(0, "a2_mm", "d3_mm", 0),
    MdhForm(180, "", "d4_mm", 0),
)
FORMS: dict[Build, tuple[tuple[MdhForm, ...], MdhForm]] = {
    "serial": (_SIX, MdhForm(0, "", "d6_mm", 0)),
    "parallelogram": (_SIX, MdhForm(0, "", "d6_mm", 0)),
    "palletizer": (_PALLETIZER, MdhForm(0, "", "", 0, of="d5_mm")),
    "seven_axis": (_SEVEN, MdhForm(0, "", "", 0, of="d6_mm")),
    "scara": (_SCARA, MdhForm(0, "", "", 0, of="d4_mm")),
}
"""Rows of the joints from base to flange, and of tool0."""
SLIDE = "joint_3"  # of a SCARA
