"""Faults of a URDF: impossible bodies, unusable limits, links and joints that form no tree.

``examine`` returns findings with their severity: an ``error`` breaks readers or physics, a
``warning`` is most likely a mistake, a ``note`` is allowed but not accepted by some tools.
docs/howto/doctor.md lists the checks.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from .bodies import inertial_findings, origin_findings, shape_findings
from .findings import SEVERITIES, Finding, Severity, finding_at
from .joints import axis, friction, limits, mimics
from .repairing import Repair, repair
from .topology import bodies_of, circles, end_of, path_of
from .xml import Tag, number, read, shown

__all__ = ["SEVERITIES", "Finding", "Repair", "Severity", "examine", "repair"]

_JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_SINGLE = {
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic"),
}


def examine(path: str | Path) -> list[Finding]:
    """Return the findings about a URDF file, errors first, then by line.

    Raises:
        FileError: if the file cannot be read.
        UrdfError: if it is not XML, or has no ``<robot>``.
    """
    _, robot = read(path)
    # numbers of the file may overflow; the results are only compared
    with np.errstate(all="ignore"):
        findings = [
            *_outline(robot),
            *_tree(robot),
            *mimics(robot),
            *(finding for link in robot.all("link") for finding in inertial_findings(link)),
            *_materials(robot),
            *shape_findings(robot, Path(path).absolute().parent),
            *(
                finding
                for joint in robot.all("joint")
                for finding in (*axis(joint), *limits(joint), *friction(joint))
            ),
        ]
    return sorted(findings, key=lambda finding: (SEVERITIES.index(finding.severity), finding.line))


# Names, and tags that stand once


def _outline(robot: Tag) -> Iterator[Finding]:
    if not robot.get("name"):
        yield finding_at(
            "error", robot, "no name", "", "URDF readers refuse a robot without a name"
        )
    if not robot.all("link"):
        yield finding_at("error", robot, "no links", "", "a robot has at least one")
    macro = next((tag for tag in robot.inside if tag.name.startswith("xacro:")), None)
    if macro:
        yield finding_at(
            "error", robot, "xacro", shown(macro.name), "expand the file with xacro first", macro
        )
    for kind in ("link", "joint"):
        lines: dict[str, int] = {}
        for tag in robot.all(kind):
            name = tag.get("name")
            if not name:
                yield finding_at("error", tag, "no name", "", f"nothing can refer to this {kind}")
            elif name in lines:
                yield finding_at(
                    "error",
                    tag,
                    "repeated name",
                    f"also in line {lines[name]}",
                    f"names of {kind}s are unique",
                )
            else:
                lines[name] = tag.line
            for part in (tag, *tag.all("inertial")):
                yield from _repeated(tag, part)
            for part in (tag, *tag.inside):
                yield from origin_findings(tag, part)


def _repeated(owner: Tag, part: Tag) -> Iterator[Finding]:
    for name in _SINGLE.get(part.name, ()):
        tags = part.all(name)
        if len(tags) > 1:
            severity: Severity = "error" if name in ("parent", "child") else "warning"
            yield finding_at(
                severity,
                owner,
                "repeated tag",
                f"{len(tags)} <{name}>",
                "most readers take the first",
                tags[1],
            )


# Links and joints as a tree


def _tree(robot: Tag) -> Iterator[Finding]:
    links: dict[str, Tag] = {}
    for link in robot.all("link"):
        if name := link.get("name"):
            links.setdefault(name, link)
    into: dict[str, list[Tag]] = defaultdict(list)
    broken = False
    for joint in robot.all("joint"):
        if joint.get("type") not in _JOINTS:
            yield finding_at(
                "error",
                joint,
                "unknown type",
                shown(joint.get("type")),
                f"URDF knows {', '.join(_JOINTS)}",
            )
        for end in ("parent", "child"):
            name = end_of(joint, end)
            if name not in links:
                what, value = (
                    ("unknown link", f"{end} {shown(name)}") if name else (f"no {end}", "")
                )
                yield finding_at(
                    "error",
                    joint,
                    what,
                    value,
                    "a joint connects two links of this file",
                    joint.first(end),
                )
                broken = True
        if end_of(joint, "parent") in links and end_of(joint, "child") in links:
            into[end_of(joint, "child")].append(joint)
    for child, joints in into.items():
        if len(joints) > 1:
            value = ", ".join(shown(joint.get("name"), 30) for joint in joints[:3])
            yield finding_at(
                "error",
                links[child],
                "two parents",
                value,
                "in a tree one joint leads to each link",
            )
    for loop in circles({child: end_of(joints[0], "parent") for child, joints in into.items()}):
        yield finding_at(
            "error",
            links[loop[0]],
            "loop",
            path_of(loop[::-1]),
            "joints go in a circle, which URDF cannot say",
        )
    roots, bodies = bodies_of(links, into)
    sizes = Counter(roots.values())
    main = max(sizes, key=sizes.__getitem__, default=None)
    # a joint without ends is the fault then, and is named above
    for root, size in sizes.items() if not broken else ():
        if root != main:
            value = f"root of {size} of {len(links)} links"
            yield finding_at(
                "error",
                links[root],
                "unreachable",
                value,
                f"no joint leads here from {shown(main)}",
            )
    yield from _moving_bodies({name: links[name] for name in bodies}, bodies, set(sizes))


def _moving_bodies(
    links: dict[str, Tag], bodies: dict[str, str], roots: set[str]
) -> Iterator[Finding]:
    """Findings about moving bodies without mass; links joined by fixed joints are one body."""
    masses: dict[str, float] = defaultdict(float)
    for name, top in bodies.items():
        masses[top] += _mass(links[name])
    for name, link in links.items():
        top = bodies[name]
        if name == top and top not in roots and masses[top] == 0.0:
            value = "0 kg" if link.first("inertial") else "no <inertial>"
            reason = (
                "MuJoCo refuses it or fills its shapes with water, PyBullet takes 1 kg, others"
                " nothing"
            )
            yield finding_at("warning", link, "moves without mass", value, reason)
        elif top not in roots and not link.first("inertial"):
            yield finding_at(
                "note",
                link,
                "no inertial",
                "",
                "fixed to a moving link: PyBullet takes 1 kg, others nothing",
            )


def _mass(link: Tag) -> float:
    """Mass [kg] as written: 0 without <inertial>, NaN where that has no number."""
    inertial = link.first("inertial")
    mass = inertial.first("mass") if inertial else None
    return 0.0 if inertial is None else number(mass.get("value") if mass else None)


def _materials(robot: Tag) -> Iterator[Finding]:
    used = [
        (link, tag)
        for link in robot.all("link")
        for visual in link.all("visual")
        for tag in visual.all("material")
    ]
    defined = {
        tag.get("name") for tag in (*robot.all("material"), *(tag for _, tag in used)) if tag.inside
    }
    # each name once per link
    empty = {(link.line, tag.get("name")): (link, tag) for link, tag in used if not tag.inside}
    for link, tag in empty.values():
        if tag.get("name") not in defined:
            value, reason = shown(tag.get("name")), "no colour or texture is given for it"
            yield finding_at("note", link, "unknown material", value, reason, tag)
