"""Joints and bodies of a robot as elements of a URDF: what Pinocchio reads, without looks and tool.

The same tree as that of ``irb.urdf.xacro``, which explains its links and joints, in a twentieth of
the time.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from math import atan2, cos, hypot, pi, radians, sin
from xml.etree.ElementTree import Element, SubElement

from ..errors import UrdfError
from .description import Coupling, Description
from .schema import AxisRow, BodyRow, FrameRow, MdhRow

Triple = tuple[float, float, float]
Limit = tuple[float, float, float, float]
"""Lower and upper end, speed and effort of a joint [SI]."""

_HERE: tuple[Triple, Triple] = ((0.0, 0.0, 0.0), (0.0, 0.0, 0.0))


def bare_urdf(description: Description, coupling: Coupling, parameters: str) -> Element:
    """Return the root element of the URDF of a robot with one set of inertials.

    Carriers, and bars without data, weigh nothing.

    Args:
        description: Tables of the robot.
        coupling: Tree to build, one of those that the robot has.
        parameters: Set of inertials; on a serial tree one without bars.

    Raises:
        UrdfError: if the row of tool0 turns.
    """
    tool0 = description.kinematics.tool0
    if tool0.alpha_deg or tool0.theta0_deg:
        raise UrdfError(f"{description.name}: tool0: only a and d may differ from 0")
    urdf = _Urdf(description.name, description.inertials.sets[parameters].links)
    urdf.body("base_link")
    urdf.body("base")
    urdf.joint("base_link-base", "fixed", "base_link", "base", _HERE)
    link = "base_link"
    if (frame := description.kinematics.arm_base) is not None:
        link = "arm_base"
        urdf.body(link)
        urdf.joint("base_link-arm_base", "fixed", "base_link", link, _frame(frame))
    for name, row in description.chain.items():
        parent, link = link, name.replace("joint", "link")
        if coupling == "parallelogram" and name == "joint_3":
            _add_linkage(urdf, description)
        elif name == "joint_level":
            _add_level(urdf, description)
        else:
            axes = description.limits.axes
            limit = _limit(axes[name.replace("joint", "axis")])
            # what joint_3 measures here
            if name == "joint_3" and axes["axis_3"].bound_of == "q3 - q2":
                limit = _between_arms(limit, _limit(axes["axis_2"]), axes["axis_3"])
            urdf.joint(name, row.type, parent, link, _origin(row), limit)
        urdf.body(link)
    for name in ("flange", "tool0", "tcp"):
        urdf.body(name)
    at, turn = (tool0.a_mm / 1000.0, 0.0, tool0.d_mm / 1000.0), pi / 2.0
    urdf.joint(f"{link}-flange", "fixed", link, "flange", (at, (0.0, -turn, 0.0)))
    urdf.joint("flange-tool0", "fixed", "flange", "tool0", (_HERE[0], (0.0, turn, 0.0)))
    urdf.joint("tool0-tcp", "fixed", "tool0", "tcp", _HERE)
    return urdf.root


class _Urdf:
    """URDF under construction."""

    def __init__(self, name: str, bodies: Mapping[str, BodyRow]) -> None:
        self.root, self._bodies = Element("robot", name=name), bodies

    def body(self, name: str) -> None:
        """Add a link with its row of inertials, or without mass where it has none."""
        inertial = SubElement(SubElement(self.root, "link", name=name), "inertial")
        mass, entries = 0.0, dict.fromkeys(("xx", "yy", "zz", "xy", "xz", "yz"), 0.0)
        if name in self._bodies:
            row = self._bodies[name]
            mass, entries = row.mass_kg, vars(row.inertia_kg_m2)
            x, y, z = row.com_mm
            SubElement(inertial, "origin", xyz=_text((x / 1000.0, y / 1000.0, z / 1000.0)))
        SubElement(inertial, "mass", value=repr(mass))
        SubElement(inertial, "inertia", {f"i{key}": repr(entries[key]) for key in entries})

    def joint(
        self,
        name: str,
        kind: str,
        parent: str,
        child: str,
        origin: tuple[Triple, Triple],
        limit: Limit | None = None,
        mimic: tuple[str, int] | None = None,
    ) -> None:
        """Add a joint along z, with position [m] and roll, pitch, yaw [rad] of its origin.

        ``mimic`` is the joint that it follows, and its turns per turn of that.
        """
        joint = SubElement(self.root, "joint", name=name, type=kind)
        SubElement(joint, "origin", xyz=_text(origin[0]), rpy=_text(origin[1]))
        SubElement(joint, "parent", link=parent)
        SubElement(joint, "child", link=child)
        if limit is not None:
            keys = ("lower", "upper", "velocity", "effort")
            SubElement(joint, "axis", xyz="0 0 1")
            SubElement(joint, "limit", dict(zip(keys, map(repr, limit), strict=True)))
        if mimic is not None:
            SubElement(joint, "mimic", joint=mimic[0], multiplier=str(mimic[1]))


def _add_linkage(urdf: _Urdf, description: Description) -> None:
    """Add joint_3 of a parallelogram, which measures q3 itself, crank and rod."""
    tables, axes = description.kinematics, description.limits.axes
    assert tables.parallelogram is not None
    shoulder, elbow = tables.joints["joint_2"], tables.joints["joint_3"]
    swing, raised = _limit(axes["axis_2"]), _slopes(axes)
    urdf.body("link_carrier")
    urdf.joint(
        *("joint_carrier", elbow.type, "link_2", "link_carrier", _origin(elbow)),
        *(_reversed(swing), ("joint_2", -1)),
    )
    urdf.joint("joint_3", "revolute", "link_carrier", "link_3", _HERE, raised)
    # what a calibrated offset of axis 3 turns in the upper arm, it turns in the crank, and not in
    # the rod
    turned = replace(shoulder, theta0_deg=shoulder.theta0_deg + elbow.theta0_deg)
    urdf.body("link_crank")
    urdf.joint(
        *("joint_crank", shoulder.type, "link_1", "link_crank", _origin(turned)),
        *(raised, ("joint_3", 1)),
    )
    # opposite to the upper arm: along y of link_3, or along x where its frame lies on the next axis
    back = -tables.parallelogram.crank_mm / 1000.0
    pin = (0.0, back, 0.0) if tables.level is None else (back, 0.0, 0.0)
    urdf.body("link_rod_carrier")
    urdf.joint(
        *("joint_rod_carrier", "revolute", "link_crank", "link_rod_carrier", (pin, _HERE[1])),
        *(_reversed(raised), ("joint_3", -1)),
    )
    undone = (_HERE[0], (0.0, 0.0, -radians(elbow.theta0_deg)))
    urdf.body("link_rod")
    urdf.joint(
        *("joint_rod", "revolute", "link_rod_carrier", "link_rod", undone, swing, ("joint_2", 1))
    )


def _add_level(urdf: _Urdf, description: Description) -> None:
    """Add the passive joint of a palletizer, which turns back by q3, and the rods that hold it.

    The plate between the rods is link_carrier: it turns back by q2 on the lower arm.
    """
    tables, axes = description.kinematics, description.limits.axes
    level, shoulder = tables.level, tables.joints["joint_2"]
    assert level is not None
    swing, raised = _limit(axes["axis_2"]), _slopes(axes)
    urdf.joint(
        *("joint_level", level.type, "link_3", "link_level", _origin(level)),
        *(_reversed(raised), ("joint_3", -1)),
    )
    (x, y, z), turn = _origin(shoulder)
    ahead, up = (number / 1000.0 for number in level.lower_pin_mm)
    urdf.body("link_lower_rod")
    urdf.joint(
        *("joint_lower_rod", "revolute", "link_1", "link_lower_rod"),
        *(((x + ahead, y, z + up), turn), swing, ("joint_2", 1)),
    )
    ahead, up = (number / 1000.0 for number in level.upper_pin_mm)
    urdf.body("link_upper_rod")
    urdf.joint(
        *("joint_upper_rod", "revolute", "link_carrier", "link_upper_rod"),
        *(((ahead, -up, 0.0), _HERE[1]), raised, ("joint_3", 1)),
    )


def _slopes(axes: Mapping[str, AxisRow]) -> Limit:
    """Return the limit of q3 itself, where its range is one of q3 - q2 too."""
    swing, knee = _limit(axes["axis_2"]), _limit(axes["axis_3"])
    if axes["axis_3"].range_of is None:
        return knee
    return knee[0] + swing[0], knee[1] + swing[1], *knee[2:]


def _frame(row: FrameRow) -> tuple[Triple, Triple]:
    """Return position [m], and roll, pitch, yaw [rad], of a frame."""
    (x, y, z), (roll, pitch, yaw) = row.xyz_mm, row.rpy_deg
    return (x / 1000.0, y / 1000.0, z / 1000.0), (radians(roll), radians(pitch), radians(yaw))


def _origin(row: MdhRow) -> tuple[Triple, Triple]:
    """Return position [m], and roll, pitch, yaw [rad], of a modified DH row.

    ``R = Rx(alpha) Rz(theta0)``. At multiples of 90 deg of alpha the angles can be read off the
    row; else (a calibrated arm) they follow from R, with pitch from atan2, because asin would lose
    half the digits near ``theta0 = 90 deg``.
    """
    alpha, theta0 = radians(row.alpha_deg), radians(row.theta0_deg)
    d = row.d_mm / 1000.0
    xyz = row.a_mm / 1000.0, -d * sin(alpha), d * cos(alpha)
    if row.alpha_deg % 90.0 == 0.0:
        return xyz, (alpha, -theta0 * sin(alpha), theta0 * cos(alpha))
    roll = atan2(sin(alpha) * cos(theta0), cos(alpha))
    pitch = atan2(-sin(alpha) * sin(theta0), hypot(cos(theta0), cos(alpha) * sin(theta0)))
    return xyz, (roll, pitch, atan2(cos(alpha) * sin(theta0), cos(theta0)))


def _limit(axis: AxisRow) -> Limit:
    """Return range, speed and effort in SI units; unknown speeds and efforts are 0, as in ROS."""
    if axis.range_mm is not None:
        low, high = axis.range_mm
        return low / 1000.0, high / 1000.0, (axis.speed_mm_s or 0.0) / 1000.0, axis.effort_N or 0.0
    assert axis.range_deg is not None
    low, high = axis.range_deg
    return radians(low), radians(high), radians(axis.speed_deg_s or 0.0), axis.effort_N_m or 0.0


def _between_arms(third: Limit, second: Limit, axis: AxisRow) -> Limit:
    """Return the limit of q3 - q2 by its bound and the ranges of both axes."""
    assert axis.bound_deg is not None
    low, high = map(radians, axis.bound_deg)
    return max(low, third[0] - second[1]), min(high, third[1] - second[0]), *third[2:]


def _reversed(limit: Limit) -> Limit:
    low, high, speed, effort = limit
    return -high, -low, speed, effort


def _text(values: Triple) -> str:
    return " ".join(map(repr, values))
