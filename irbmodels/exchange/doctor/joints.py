"""Faults of joints: axes, limits, friction, and joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .findings import Finding, Severity, finding_at
from .topology import circles, path_of
from .xml import Tag, number, numbers, shown

MOST_TURNS = 4.0  # of a revolute joint, either way: hoses and cables wind up long before
LONGEST = 50.0  # [m] of a prismatic joint
NORMALISED = 1e-3  # deviation of an axis' length from 1 that rounding explains


def axis(joint: Tag) -> Iterator[Finding]:
    """Findings about the axis of a joint."""
    if joint.get("type") not in ("revolute", "continuous", "prismatic", "planar"):
        return
    tag = joint.first("axis")
    if tag is None or tag.get("xyz") is None:
        yield finding_at("note", joint, "no axis", "", "URDF means x then; many expect z", tag)
        return
    vector = numbers(tag.get("xyz"), 3)
    length = math.nan if vector is None else math.hypot(*vector)
    if vector is None:
        yield finding_at(
            "error",
            joint,
            "bad axis",
            shown(tag.get("xyz")),
            "three finite numbers are needed",
            tag,
        )
    elif length == 0.0:
        yield finding_at(
            "error", joint, "zero axis", shown(tag.get("xyz")), "it has no direction", tag
        )
    elif abs(length - 1.0) > NORMALISED:
        reason = f"its length is {length:.6g}: some readers normalise it, others scale the motion"
        yield finding_at(
            "warning", joint, "axis not normalised", shown(tag.get("xyz")), reason, tag
        )


def friction(joint: Tag) -> Iterator[Finding]:
    """Findings about damping and friction of a joint."""
    tag = joint.first("dynamics") if joint.get("type") != "fixed" else None
    for key in ("damping", "friction") if tag else ():
        if tag and tag.get(key) is not None and not 0.0 <= number(tag.get(key)) < math.inf:
            value = f"{key} {shown(tag.get(key))}"
            yield finding_at(
                "error",
                joint,
                "bad friction",
                value,
                "a finite number that is not negative is needed",
                tag,
            )


def limits(joint: Tag) -> Iterator[Finding]:
    """Findings about range, speed and effort of a joint."""
    kind, limit = joint.get("type"), joint.first("limit")
    if kind not in ("revolute", "prismatic", "continuous"):
        return
    if limit is None:
        if kind != "continuous":
            yield finding_at(
                "error", joint, "no limit", "", f"readers refuse a {kind} joint without <limit>"
            )
        return
    for key in ("effort", "velocity"):
        text, value = limit.get(key), number(limit.get(key))
        if text is None:
            yield finding_at(
                "error", joint, f"no {key}", "", f"readers refuse a <limit> without {key}", limit
            )
        elif not 0.0 <= value < math.inf:
            yield finding_at(
                "error",
                joint,
                f"bad {key}",
                shown(text),
                "a finite number that is not negative is needed",
                limit,
            )
        elif value == 0.0:
            severity: Severity = "note" if joint.first("mimic") else "warning"
            yield finding_at(
                severity,
                joint,
                f"zero {key}",
                shown(text),
                "engines and planners that obey it never move it",
                limit,
            )
    if kind == "continuous":
        return
    lower, upper = (number(limit.get(key) or "0") for key in ("lower", "upper"))
    given = f"{shown(limit.get('lower'))} .. {shown(limit.get('upper'))}"
    if not (math.isfinite(lower) and math.isfinite(upper)):
        yield finding_at("error", joint, "bad range", given, "two finite numbers are needed", limit)
    elif lower > upper:
        yield finding_at("error", joint, "empty range", given, "lower exceeds upper", limit)
    elif lower == upper:
        yield finding_at(
            "warning",
            joint,
            "empty range",
            given,
            "lower equals upper: the joint cannot move",
            limit,
        )
    elif kind == "revolute" and max(abs(lower), abs(upper)) > 2.0 * math.pi * MOST_TURNS:
        reason = "URDF counts in radians: are these degrees? A joint without end is continuous"
        yield finding_at("warning", joint, "implausible range", given, reason, limit)
    elif kind == "prismatic" and upper - lower > LONGEST:
        yield finding_at(
            "warning",
            joint,
            "implausible range",
            given,
            "URDF counts in metres: are these millimetres?",
            limit,
        )


def mimics(robot: Tag) -> Iterator[Finding]:
    """Findings about joints that follow others."""
    joints: dict[str, Tag] = {}
    for joint in robot.all("joint"):
        joints.setdefault(joint.get("name") or "", joint)
    sources: dict[str, str] = {}
    for joint in robot.all("joint"):
        tag = joint.first("mimic")
        if tag is None:
            continue
        source = tag.get("joint") or ""
        if joint.get("type") == "fixed":
            yield finding_at(
                "note",
                joint,
                "mimic without effect",
                shown(source),
                "a fixed joint follows nothing",
                tag,
            )
        elif source not in joints:
            yield finding_at(
                "error",
                joint,
                "mimic source",
                shown(tag.get("joint")),
                "no joint of this file",
                tag,
            )
        elif joints[source].get("type") == "fixed":
            yield finding_at(
                "error",
                joint,
                "mimic source",
                shown(source),
                "it is fixed and has no position to follow",
                tag,
            )
        else:
            sources.setdefault(joint.get("name") or "", source)
        for key in ("multiplier", "offset"):
            if tag.get(key) is not None and not math.isfinite(number(tag.get(key))):
                yield finding_at(
                    "error",
                    joint,
                    "bad mimic",
                    f"{key} {shown(tag.get(key))}",
                    "a finite number is needed",
                    tag,
                )
    closed = list(circles(sources))
    for circle in closed:
        reason = "none of these joints has a position of its own"
        yield finding_at("error", joints[circle[0]], "mimic circle", path_of(circle), reason)
    members = {name for circle in closed for name in circle}
    for name, source in sources.items():
        if source in sources and name not in members:
            value = " -> ".join(shown(joint, 30) for joint in (name, source, sources[source]))
            yield finding_at(
                "note",
                joints[name],
                "mimic chain",
                value,
                "some tools refuse a source that is itself a mimic",
            )
