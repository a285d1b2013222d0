"""Faults of joints: axes, limits, friction, and joints that follow others."""

from __future__ import annotations

import math
from collections.abc import Iterator

from .findings import Finding, Rule, Severity, finding_at, first_finding
from .topology import circles, path_of
from .xml import Tag, number, numbers, shown

MOST_TURNS = 4.0  # of a revolute joint, either way: hoses and cables wind up long before
LONGEST = 50.0  # [m] of a prismatic joint
NOT_NEGATIVE = "a finite number that is not negative is needed"
NORMALISED = 1e-3  # deviation of an axis' length from 1 that rounding explains


def axis(joint: Tag) -> Iterator[Finding]:
    """Findings about the axis of a joint."""
    if joint.get("type") not in ("revolute", "continuous", "prismatic", "planar"):
        return
    tag = joint.first("axis")
    text = tag.get("xyz") if tag else None
    vector = numbers(text, 3)
    length = math.nan if vector is None else math.hypot(*vector)
    value = shown(text)
    reason = f"its length is {length:.6g}: some readers normalise it, others scale the motion"
    rules: list[Rule] = [
        (text is None, "note", "no axis", "", "URDF means x then; many expect z"),
        (vector is None, "error", "bad axis", value, "three finite numbers are needed"),
        (length == 0.0, "error", "zero axis", value, "it has no direction"),
        (abs(length - 1.0) > NORMALISED, "warning", "axis not normalised", value, reason),
    ]
    yield from first_finding(joint, tag, rules)


def friction(joint: Tag) -> Iterator[Finding]:
    """Findings about damping and friction of a joint."""
    tag = joint.first("dynamics") if joint.get("type") != "fixed" else None
    for key in ("damping", "friction") if tag else ():
        text = tag.get(key) if tag else None
        if text is not None and not 0.0 <= number(text) < math.inf:
            value = f"{key} {shown(text)}"
            yield finding_at("error", joint, "bad friction", value, NOT_NEGATIVE, tag)


def limits(joint: Tag) -> Iterator[Finding]:
    """Findings about range, speed and effort of a joint."""
    kind, limit = joint.get("type"), joint.first("limit")
    if kind not in ("revolute", "prismatic", "continuous"):
        return
    if limit is None:
        if kind != "continuous":
            reason = f"readers refuse a {kind} joint without <limit>"
            yield finding_at("error", joint, "no limit", "", reason)
        return
    severity: Severity = "note" if joint.first("mimic") else "warning"
    for key in ("effort", "velocity"):
        text, value = limit.get(key), number(limit.get(key))
        still = "engines and planners that obey it never move it"
        rules: list[Rule] = [
            (text is None, "error", f"no {key}", "", f"readers refuse a <limit> without {key}"),
            (not 0.0 <= value < math.inf, "error", f"bad {key}", shown(text), NOT_NEGATIVE),
            (value == 0.0, severity, f"zero {key}", shown(text), still),
        ]
        yield from first_finding(joint, limit, rules)
    if kind == "continuous":
        return
    lower, upper = (number(limit.get(key) or "0") for key in ("lower", "upper"))
    finite = math.isfinite(lower) and math.isfinite(upper)
    far = kind == "revolute" and max(abs(lower), abs(upper)) > 2.0 * math.pi * MOST_TURNS
    long = kind == "prismatic" and upper - lower > LONGEST
    given = f"{shown(limit.get('lower'))} .. {shown(limit.get('upper'))}"
    still = "lower equals upper: the joint cannot move"
    degrees = "URDF counts in radians: are these degrees? A joint without end is continuous"
    millimetres = "URDF counts in metres: are these millimetres?"
    rules = [
        (not finite, "error", "bad range", given, "two finite numbers are needed"),
        (lower > upper, "error", "empty range", given, "lower exceeds upper"),
        (lower == upper, "warning", "empty range", given, still),
        (far, "warning", "implausible range", given, degrees),
        (long, "warning", "implausible range", given, millimetres),
    ]
    yield from first_finding(joint, limit, rules)


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
        name, source = tag.get("joint"), tag.get("joint") or ""
        fixed = joint.get("type") == "fixed"
        still = source in joints and joints[source].get("type") == "fixed"
        unmoved = "it is fixed and has no position to follow"
        rules: list[Rule] = [
            (fixed, "note", "mimic without effect", shown(source), "a fixed joint follows nothing"),
            (source not in joints, "error", "mimic source", shown(name), "no joint of this file"),
            (still, "error", "mimic source", shown(source), unmoved),
        ]
        yield from first_finding(joint, tag, rules)
        if not fixed and source in joints and not still:
            sources.setdefault(joint.get("name") or "", source)
        for key in ("multiplier", "offset"):
            if tag.get(key) is not None and not math.isfinite(number(tag.get(key))):
                value = f"{key} {shown(tag.get(key))}"
                yield finding_at(
                    "error", joint, "bad mimic", value, "a finite number is needed", tag
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
