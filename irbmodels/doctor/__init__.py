"""What is wrong with a URDF, whoever wrote it: impossible bodies, limits that stop a planner, a tree that is none.

``examine`` looks at one file and says per finding how bad it is: an ``error`` breaks readers or physics, a ``warning`` is most
likely a mistake, a ``note`` is allowed but some tools stumble over it. docs/doctor.md lists what is checked.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

import numpy as np

from ..inertia import ROUNDING, Inertial, ball_moment, gyration, is_possible, moments_of
from .repairing import ENTRIES, Repair, body_of, repair
from .shapes import Measure, Solid, Unmeasured
from .topology import bodies_of, circles, end_of, path_of
from .xml import Tag, number, numbers, read, shown

__all__ = ["SEVERITIES", "Finding", "Repair", "Severity", "examine", "repair"]

Severity = Literal["error", "warning", "note"]

SEVERITIES: tuple[Severity, ...] = ("error", "warning", "note")
HEAVIEST = 20_000.0  # [kg/m^3] of the hulls: gold has 19,300, and parts inside the neighbour are seldom drawn
LIGHTEST = 5.0  # [kg/m^3] of the hulls: plastic foam has 15, air 1.2
STAND_IN = 1e-5  # [kg] and below: a mass that only keeps an engine content
ROUNDED = 1e-4  # relative excess over the triangle inequality that rounding to four digits explains
FAR = 1.0  # diagonals of the shapes' box between the box and a centre of mass that cannot belong to it
WIDEST = 20.0  # [m] radius of gyration of a link: with kg mm^2 for kg m^2 it is a thousand times too large
MOST_TURNS = 4.0  # of a revolute joint, either way: hoses and cables wind up long before
LONGEST = 50.0  # [m] of a prismatic joint
NORMALISED = 1e-3  # deviation of an axis' length from 1 that rounding explains

_PRINTED = 1e-9  # relative: a lead ball that repair wrote with twelve digits is one
_JOINTS = ("revolute", "continuous", "prismatic", "fixed", "floating", "planar")
_SINGLE = {
    "link": ("inertial",),
    "inertial": ("origin", "mass", "inertia"),
    "joint": ("origin", "parent", "child", "axis", "limit", "mimic"),
}


class Finding(NamedTuple):
    """One thing that is wrong, or worth knowing."""

    severity: Severity
    place: str
    """What kind of thing has it: ``robot``, ``link`` or ``joint``."""
    name: str
    """Name of that robot, link or joint, empty where it has none."""
    what: str
    """Kind of finding, the same few words in every file."""
    value: str
    """What stands in the file."""
    reason: str
    """Why it is wrong, or who stumbles over it."""
    line: int
    """Line of the file, from 1."""

    def __str__(self) -> str:
        """Return one line."""
        value = f" ({self.value})" if self.value else ""
        return f"{self.severity}: line {self.line}: {self.place} {shown(self.name)}: {self.what}{value}: {self.reason}"


def examine(path: str | Path) -> list[Finding]:
    """Return what is wrong with a URDF file, errors first, then by line; empty if nothing is.

    Raises:
        FileError: if the file cannot be read.
        UrdfError: if it is not XML, or has no ``<robot>``.
    """
    _, robot = read(path)
    with np.errstate(all="ignore"):  # numbers of strangers overflow; what becomes of them is compared, and no more
        found = [
            *_outline(robot),
            *_tree(robot),
            *_mimics(robot),
            *(finding for link in robot.all("link") for finding in _inertial(link)),
            *_materials(robot),
            *_shapes(robot, Path(path).absolute().parent),
            *(finding for joint in robot.all("joint") for finding in (*_axis(joint), *_limits(joint))),
        ]
    return sorted(found, key=lambda finding: (SEVERITIES.index(finding.severity), finding.line))


def _found(severity: Severity, owner: Tag, what: str, value: str, reason: str, at: Tag | None = None) -> Finding:
    return Finding(severity, owner.name, owner.get("name") or "", what, value, reason, (at or owner).line)


# Names, and tags that stand once


def _outline(robot: Tag) -> Iterator[Finding]:
    if not robot.get("name"):
        yield _found("error", robot, "no name", "", "URDF readers refuse a robot without a name")
    if not robot.all("link"):
        yield _found("error", robot, "no links", "", "a robot has at least one")
    macro = next((tag for tag in robot.inside if tag.name.startswith("xacro:")), None)
    if macro:
        yield _found("error", robot, "xacro", shown(macro.name), "expand the file with xacro first", macro)
    for kind in ("link", "joint"):
        lines: dict[str, int] = {}
        for tag in robot.all(kind):
            name = tag.get("name")
            if not name:
                yield _found("error", tag, "no name", "", f"nothing can refer to this {kind}")
            elif name in lines:
                yield _found("error", tag, "repeated name", f"also in line {lines[name]}", f"names of {kind}s are unique")
            else:
                lines[name] = tag.line
            for part in (tag, *tag.all("inertial")):
                yield from _repeated(tag, part)
            for part in (tag, *tag.inside):
                yield from _origin(tag, part)


def _repeated(owner: Tag, part: Tag) -> Iterator[Finding]:
    for name in _SINGLE.get(part.name, ()):
        tags = part.all(name)
        if len(tags) > 1:
            severity: Severity = "error" if name in ("parent", "child") else "warning"
            yield _found(severity, owner, "repeated tag", f"{len(tags)} <{name}>", "most readers take the first", tags[1])


def _origin(owner: Tag, part: Tag) -> Iterator[Finding]:
    origin = part.first("origin")
    for key in ("xyz", "rpy") if origin else ():
        if origin and origin.get(key) is not None and numbers(origin.get(key), 3) is None:
            value = f"{key}={shown(origin.get(key))}"
            yield _found("error", owner, "bad origin", value, "three finite numbers are needed", origin)
    turns = numbers(origin.get("rpy"), 3) if origin and origin.get("rpy") is not None else None
    if origin and turns and max(map(abs, turns)) > 2.0 * math.pi:
        value = f"rpy={shown(origin.get('rpy'))}"
        yield _found("warning", owner, "more than a turn", value, "URDF counts in radians: are these degrees?", origin)


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
            yield _found("error", joint, "unknown type", shown(joint.get("type")), f"URDF knows {', '.join(_JOINTS)}")
        for end in ("parent", "child"):
            name = end_of(joint, end)
            if name not in links:
                what, value = ("unknown link", f"{end} {shown(name)}") if name else (f"no {end}", "")
                yield _found("error", joint, what, value, "a joint connects two links of this file", joint.first(end))
                broken = True
        if end_of(joint, "parent") in links and end_of(joint, "child") in links:
            into[end_of(joint, "child")].append(joint)
    for child, joints in into.items():
        if len(joints) > 1:
            value = ", ".join(shown(joint.get("name"), 30) for joint in joints[:3])
            yield _found("error", links[child], "two parents", value, "in a tree one joint leads to each link")
    for loop in circles({child: end_of(joints[0], "parent") for child, joints in into.items()}):
        yield _found("error", links[loop[0]], "loop", path_of(loop[::-1]), "joints go in a circle, which URDF cannot say")
    roots, bodies = bodies_of(links, into)
    sizes = Counter(roots.values())
    main = max(sizes, key=sizes.__getitem__, default=None)
    for root, size in sizes.items() if not broken else ():  # a joint without ends is the fault then, and is named above
        if root != main:
            value = f"root of {size} of {len(links)} links"
            yield _found("error", links[root], "unreachable", value, f"no joint leads here from {shown(main)}")
    yield from _moving_bodies({name: links[name] for name in bodies}, bodies, set(sizes))


def _moving_bodies(links: dict[str, Tag], bodies: dict[str, str], roots: set[str]) -> Iterator[Finding]:
    """Links that move although nobody says how heavy they are; links joined by fixed joints are one body."""
    masses: dict[str, float] = defaultdict(float)
    for name, top in bodies.items():
        masses[top] += _mass(links[name])
    for name, link in links.items():
        top = bodies[name]
        if name == top and top not in roots and masses[top] == 0.0:
            value = "0 kg" if link.first("inertial") else "no <inertial>"
            reason = "MuJoCo refuses it or fills its shapes with water, PyBullet takes 1 kg, others nothing"
            yield _found("warning", link, "moves without mass", value, reason)
        elif top not in roots and not link.first("inertial"):
            yield _found("note", link, "no inertial", "", "fixed to a moving link: PyBullet takes 1 kg, others nothing")


def _mass(link: Tag) -> float:
    """Mass [kg] as written: 0 without <inertial>, NaN where there is one that does not tell."""
    inertial = link.first("inertial")
    mass = inertial.first("mass") if inertial else None
    return 0.0 if inertial is None else number(mass.get("value") if mass else None)


# Bodies


def _inertial(link: Tag) -> Iterator[Finding]:
    inertial = link.first("inertial")
    if inertial is None:
        return
    mass_tag, tensor_tag = inertial.first("mass"), inertial.first("inertia")
    text = mass_tag.get("value") if mass_tag else None
    mass = number(text)
    if mass_tag is None or text is None:
        yield _found("error", link, "no mass", "", "an <inertial> needs <mass value=...>", inertial)
    elif not math.isfinite(mass):
        yield _found("error", link, "bad mass", shown(text), "a finite number of kg is needed", mass_tag)
    elif mass < 0.0:
        yield _found("error", link, "negative mass", f"{mass:g} kg", "no body has it", mass_tag)
    if tensor_tag is None:
        yield _found("error", link, "no inertia", "", "an <inertial> needs <inertia ixx=... izz=...>", inertial)
        return
    wrong = [key for key in ENTRIES if not math.isfinite(number(tensor_tag.get(key)))]
    if wrong:
        value = ", ".join(f"{key} {shown(tensor_tag.get(key), 20)}" for key in wrong)
        yield _found("error", link, "bad inertia", value, "six finite numbers in kg m^2 are needed", tensor_tag)
        return
    body = body_of(link)
    if body is None and math.isfinite(mass) and not any(True for _ in _origin(link, inertial)):
        yield _found("error", link, "bad inertia", "beyond 1e30", "no body is that large", tensor_tag)
    elif body is not None and body.mass == 0.0 and body.tensor.any():
        value = f"0 kg, diagonal {', '.join(f'{entry:g}' for entry in np.diag(body.tensor))} kg m^2"
        yield _found("error", link, "tensor without mass", value, "what has inertia has mass", tensor_tag)
    elif body is not None and body.mass > 0.0:
        yield from _body(link, body, tensor_tag)


def _body(link: Tag, body: Inertial, at: Tag) -> Iterator[Finding]:
    """Judge a body of positive mass by its numbers alone."""
    low, middle, high = moments = moments_of(body.tensor)
    named = f"{body.mass:g} kg, principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m^2"
    trace, ball, isotropic = low + middle + high, 6.0 * ball_moment(body.mass), float(body.tensor[0, 0])
    if low <= ROUNDING * high:
        yield _found("error", link, "not positive definite", named, "turning it would take no effort, or give energy", at)
    elif not is_possible(moments):
        excess = high / (low + middle) - 1.0
        severity: Severity = "warning" if excess <= ROUNDED else "error"
        reason = f"the largest exceeds the sum of the others by {100.0 * excess:.3g} %, which no body does"
        yield _found(severity, link, "triangle inequality", named, reason, at)
    elif body.mass <= STAND_IN:
        yield _found("note", link, "stand-in mass", f"{body.mass:g} kg", "it keeps engines content and weighs nothing", at)
    elif _is_default(body):
        reason = "the same round number about every axis: a default that nobody replaced?"
        yield _found("warning", link, "default inertial", f"{body.mass:g} kg, {isotropic:g} kg m^2", reason, at)
    elif gyration(body) > WIDEST:
        reason = "no link reaches that far: are the moments in kg mm^2?"
        yield _found("warning", link, "implausible size", f"radius of gyration {gyration(body):.3g} m", reason, at)
    elif trace < ball * (1.0 - _PRINTED):
        reason = f"even a lead ball of {body.mass:g} kg has {ball / 3.0:.3g} about each axis"
        yield _found("warning", link, "implausible density", named, reason, at)


def _is_default(body: Inertial) -> bool:
    """Whether the tensor is the same power of ten about every axis, as editors fill it in."""
    isotropic = float(body.tensor[0, 0])
    return bool(isotropic > 0.0 and (body.tensor == isotropic * np.eye(3)).all() and math.log10(isotropic).is_integer())


def _shapes(robot: Tag, folder: Path) -> Iterator[Finding]:
    """Judge bodies by the size of what is drawn of them."""
    measure = Measure(folder)
    for link in robot.all("link"):
        kinds: list[list[Solid]] = []
        said = set()
        for kind in ("visual", "collision"):
            solids: list[Solid] | None = []
            for shape in link.all(kind):
                try:
                    solid = measure.solid(shape)
                except Unmeasured as problem:
                    solids = None  # part of the link is unseen
                    if problem.value not in said:
                        said.add(problem.value)
                        yield _found(problem.severity, link, problem.what, problem.value, problem.reason, shape)
                else:
                    solids = None if solids is None or solid is None else [*solids, solid]
            if solids:
                kinds.append(solids)
        body = body_of(link)
        if kinds and body is not None and body.mass > STAND_IN:
            yield from _fits(link, body, kinds)


def _fits(link: Tag, body: Inertial, kinds: list[list[Solid]]) -> Iterator[Finding]:
    volumes = [sum(solid.volume for solid in solids) for solids in kinds]
    densest, lightest = (body.mass / volume if volume > 0.0 else math.nan for volume in (min(volumes), max(volumes)))
    if lightest > HEAVIEST:
        reason = f"its shapes could not weigh that if they were gold ({HEAVIEST:g})"
        yield _found("warning", link, "implausible density", f"{lightest:.3g} kg/m^3", reason)
    elif densest < LIGHTEST:
        reason = f"its shapes are lighter than foam ({LIGHTEST:g})"
        yield _found("warning", link, "implausible density", f"{densest:.3g} kg/m^3", reason)
    told = lightest > HEAVIEST or densest < LIGHTEST or _is_default(body) or not is_possible(moments_of(body.tensor))
    low = np.min([solid.low for solids in kinds for solid in solids], axis=0)
    high = np.max([solid.high for solids in kinds for solid in solids], axis=0)
    outside = float(np.linalg.norm(np.maximum(np.maximum(low - body.com, body.com - high), 0.0)))
    size = float(np.linalg.norm(high - low))
    if not told and size < gyration(body) <= WIDEST:
        value = f"radius of gyration {gyration(body):.3g} m, shapes of {size:.3g} m"
        yield _found("warning", link, "implausible size", value, "mass inside the shapes has half of theirs at most")
    if outside > FAR * size:
        value = f"{outside:.3g} m outside shapes of {size:.3g} m"
        yield _found("warning", link, "centre of mass outside", value, "a body's centre lies among its parts")


def _materials(robot: Tag) -> Iterator[Finding]:
    used = [(link, tag) for link in robot.all("link") for visual in link.all("visual") for tag in visual.all("material")]
    defined = {tag.get("name") for tag in (*robot.all("material"), *(tag for _, tag in used)) if tag.inside}
    empty = {(link.line, tag.get("name")): (link, tag) for link, tag in used if not tag.inside}  # each name once per link
    for link, tag in empty.values():
        if tag.get("name") in defined:
            continue
        yield _found("note", link, "unknown material", shown(tag.get("name")), "no colour or texture is given for it", tag)


# Joints


def _axis(joint: Tag) -> Iterator[Finding]:
    if joint.get("type") not in ("revolute", "continuous", "prismatic", "planar"):
        return
    axis = joint.first("axis")
    if axis is None or axis.get("xyz") is None:
        yield _found("note", joint, "no axis", "", "URDF means x then; many expect z", axis)
        return
    vector = numbers(axis.get("xyz"), 3)
    length = math.nan if vector is None else math.hypot(*vector)
    if vector is None:
        yield _found("error", joint, "bad axis", shown(axis.get("xyz")), "three finite numbers are needed", axis)
    elif length == 0.0:
        yield _found("error", joint, "zero axis", shown(axis.get("xyz")), "it has no direction", axis)
    elif abs(length - 1.0) > NORMALISED:
        reason = f"its length is {length:.6g}: some readers normalise it, others scale the motion"
        yield _found("warning", joint, "axis not normalised", shown(axis.get("xyz")), reason, axis)


def _limits(joint: Tag) -> Iterator[Finding]:
    kind, limit = joint.get("type"), joint.first("limit")
    if kind not in ("revolute", "prismatic", "continuous"):
        return
    if limit is None:
        if kind != "continuous":
            yield _found("error", joint, "no limit", "", f"readers refuse a {kind} joint without <limit>")
        return
    for key in ("effort", "velocity"):
        text, value = limit.get(key), number(limit.get(key))
        if text is None:
            yield _found("error", joint, f"no {key}", "", f"readers refuse a <limit> without {key}", limit)
        elif not 0.0 <= value < math.inf:
            yield _found("error", joint, f"bad {key}", shown(text), "a finite number that is not negative is needed", limit)
        elif value == 0.0:
            severity: Severity = "note" if joint.first("mimic") else "warning"
            yield _found(severity, joint, f"zero {key}", shown(text), "engines and planners that obey it never move it", limit)
    if kind == "continuous":
        return
    lower, upper = (number(limit.get(key) or "0") for key in ("lower", "upper"))
    given = f"{shown(limit.get('lower'))} .. {shown(limit.get('upper'))}"
    if not (math.isfinite(lower) and math.isfinite(upper)):
        yield _found("error", joint, "bad range", given, "two finite numbers are needed", limit)
    elif lower > upper:
        yield _found("error", joint, "empty range", given, "lower exceeds upper", limit)
    elif lower == upper:
        yield _found("warning", joint, "empty range", given, "lower equals upper: the joint cannot move", limit)
    elif kind == "revolute" and max(abs(lower), abs(upper)) > 2.0 * math.pi * MOST_TURNS:
        reason = "URDF counts in radians: are these degrees? A joint without end is continuous"
        yield _found("warning", joint, "implausible range", given, reason, limit)
    elif kind == "prismatic" and upper - lower > LONGEST:
        yield _found("warning", joint, "implausible range", given, "URDF counts in metres: are these millimetres?", limit)


def _mimics(robot: Tag) -> Iterator[Finding]:
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
            yield _found("note", joint, "mimic without effect", shown(source), "a fixed joint follows nothing", tag)
        elif source not in joints:
            yield _found("error", joint, "mimic source", shown(tag.get("joint")), "no joint of this file", tag)
        elif joints[source].get("type") == "fixed":
            yield _found("error", joint, "mimic source", shown(source), "it is fixed and has no position to follow", tag)
        else:
            sources.setdefault(joint.get("name") or "", source)
        for key in ("multiplier", "offset"):
            if tag.get(key) is not None and not math.isfinite(number(tag.get(key))):
                yield _found("error", joint, "bad mimic", f"{key} {shown(tag.get(key))}", "a finite number is needed", tag)
    closed = list(circles(sources))
    for circle in closed:
        reason = "none of these joints has a position of its own"
        yield _found("error", joints[circle[0]], "mimic circle", path_of(circle), reason)
    members = {name for circle in closed for name in circle}
    for name, source in sources.items():
        if source in sources and name not in members:
            value = " -> ".join(shown(joint, 30) for joint in (name, source, sources[source]))
            yield _found("note", joints[name], "mimic chain", value, "some tools refuse a source that is itself a mimic")
