"""Faults of a URDF: impossible bodies, unusable limits, links and joints that form no tree.

``examine`` returns findings with their severity: an ``error`` breaks readers or physics, a
``warning`` is most likely a mistake, a ``note`` is allowed but not accepted by some tools.
docs/doctor.md lists the checks.
"""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...model.inertia import ROUNDING, Inertial, ball_moment, gyration, is_possible, moments_of
from .findings import SEVERITIES, Finding, Rule, Severity, finding_at, first_finding
from .joints import axis, friction, limits, mimics
from .repairing import ENTRIES, Repair, body_of, repair
from .shapes import Measure, Solid, Unmeasured
from .topology import bodies_of, circles, end_of, path_of
from .xml import Tag, number, numbers, read, shown

__all__ = ["SEVERITIES", "Finding", "Repair", "Severity", "examine", "repair"]

# [kg/m^3] of the hulls: gold has 19,300, and parts inside the neighbour are seldom drawn
HEAVIEST = 20_000.0
LIGHTEST = 5.0  # [kg/m^3] of the hulls: plastic foam has 15, air 1.2
STAND_IN = 1e-5  # [kg] and below: a mass that only keeps an engine content
ROUNDED = 1e-4  # relative excess over the triangle inequality that rounding to four digits explains
# diagonals of the shapes' box between the box and a centre of mass that cannot belong to it
FAR = 1.0
# [m] radius of gyration of a link: with kg mm^2 for kg m^2 it is a thousand times too large
WIDEST = 20.0

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
            *(finding for link in robot.all("link") for finding in _inertial(link)),
            *_materials(robot),
            *_shapes(robot, Path(path).absolute().parent),
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
                yield from _origin(tag, part)


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


def _origin(owner: Tag, part: Tag) -> Iterator[Finding]:
    origin = part.first("origin")
    for key in ("xyz", "rpy") if origin else ():
        if origin and origin.get(key) is not None and numbers(origin.get(key), 3) is None:
            value = f"{key}={shown(origin.get(key))}"
            yield finding_at(
                "error", owner, "bad origin", value, "three finite numbers are needed", origin
            )
    turns = numbers(origin.get("rpy"), 3) if origin and origin.get("rpy") is not None else None
    if origin and turns and max(map(abs, turns)) > 2.0 * math.pi:
        value = f"rpy={shown(origin.get('rpy'))}"
        yield finding_at(
            "warning",
            owner,
            "more than a turn",
            value,
            "URDF counts in radians: are these degrees?",
            origin,
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


# Bodies


def _inertial(link: Tag) -> Iterator[Finding]:
    inertial = link.first("inertial")
    if inertial is None:
        return
    mass_tag, tensor_tag = inertial.first("mass"), inertial.first("inertia")
    text = mass_tag.get("value") if mass_tag else None
    mass = number(text)
    if text is None:
        reason = "an <inertial> needs <mass value=...>"
        yield finding_at("error", link, "no mass", "", reason, inertial)
    else:
        finite, needed = math.isfinite(mass), "a finite number of kg is needed"
        rules: list[Rule] = [
            (not finite, "error", "bad mass", shown(text), needed),
            (mass < 0.0, "error", "negative mass", f"{mass:g} kg", "no body has it"),
        ]
        yield from first_finding(link, mass_tag, rules)
    if tensor_tag is None:
        reason = "an <inertial> needs <inertia ixx=... izz=...>"
        yield finding_at("error", link, "no inertia", "", reason, inertial)
        return
    wrong = [key for key in ENTRIES if not math.isfinite(number(tensor_tag.get(key)))]
    if wrong:
        value = ", ".join(f"{key} {shown(tensor_tag.get(key), 20)}" for key in wrong)
        reason = "six finite numbers in kg m^2 are needed"
        yield finding_at("error", link, "bad inertia", value, reason, tensor_tag)
        return
    body = body_of(link)
    if body is None:
        if math.isfinite(mass) and not any(True for _ in _origin(link, inertial)):
            reason = "no body is that large"
            yield finding_at("error", link, "bad inertia", "beyond 1e30", reason, tensor_tag)
    elif body.mass > 0.0:
        yield from _body(link, body, tensor_tag)
    elif body.mass == 0.0 and body.tensor.any():
        diagonal = ", ".join(f"{entry:g}" for entry in np.diag(body.tensor))
        value, reason = f"0 kg, diagonal {diagonal} kg m^2", "what has inertia has mass"
        yield finding_at("error", link, "tensor without mass", value, reason, tensor_tag)


def _body(link: Tag, body: Inertial, at: Tag) -> Iterator[Finding]:
    """Findings about a body of positive mass."""
    low, middle, high = moments = moments_of(body.tensor)
    excess, radius = np.divide(high, low + middle) - 1.0, gyration(body)
    possible, mass = is_possible(moments), f"{body.mass:g} kg"
    value = f"{mass}, principal moments {low:.4g}, {middle:.4g}, {high:.4g} kg m^2"
    default = f"{mass}, {body.tensor[0, 0]:g} kg m^2"
    impossible = (
        f"the largest exceeds the sum of the others by {100.0 * excess:.3g} %, which no body does"
    )
    dense = f"even a lead ball of {mass} has {2.0 * ball_moment(body.mass):.3g} about each axis"
    severity: Severity = "warning" if excess <= ROUNDED else "error"
    rules: list[Rule] = [
        (
            bool(low <= ROUNDING * high),
            "error",
            "not positive definite",
            value,
            "turning it would take no effort, or give energy",
        ),
        (not possible, severity, "triangle inequality", value, impossible),
        (
            body.mass <= STAND_IN,
            "note",
            "stand-in mass",
            mass,
            "it keeps engines content and weighs nothing",
        ),
        (
            _is_default(body),
            "warning",
            "default inertial",
            default,
            "the same round number about every axis: a default that nobody replaced?",
        ),
        (
            radius > WIDEST,
            "warning",
            "implausible size",
            f"radius of gyration {radius:.3g} m",
            "no link reaches that far: are the moments in kg mm^2?",
        ),
        (body.is_too_dense(), "warning", "implausible density", value, dense),
    ]
    yield from first_finding(link, at, rules)


def _is_default(body: Inertial) -> bool:
    """Return whether the tensor is one power of ten about every axis, as editors fill it in."""
    isotropic = float(body.tensor[0, 0])
    return bool(
        isotropic > 0.0
        and (body.tensor == isotropic * np.eye(3)).all()
        and math.log10(isotropic).is_integer()
    )


def _shapes(robot: Tag, folder: Path) -> Iterator[Finding]:
    """Findings about bodies from the size of their shapes."""
    measure = Measure(folder)
    for link in robot.all("link"):
        kinds: list[list[Solid]] = []
        reported = set()
        for kind in ("visual", "collision"):
            solids: list[Solid] | None = []
            for shape in link.all(kind):
                try:
                    solid = measure.solid(shape)
                except Unmeasured as problem:
                    solids = None  # the bounds of the link are unknown
                    severity, what, value, reason = problem.words
                    if value not in reported:
                        reported.add(value)
                        yield finding_at(severity, link, what, value, reason, shape)
                else:
                    solids = None if solids is None or solid is None else [*solids, solid]
            if solids:
                kinds.append(solids)
        body = body_of(link)
        if kinds and body is not None and body.mass > STAND_IN:
            yield from _fits(link, body, kinds)


def _fits(link: Tag, body: Inertial, kinds: list[list[Solid]]) -> Iterator[Finding]:
    volumes = [sum(solid.volume for solid in solids) for solids in kinds]
    densest, lightest = (
        body.mass / volume if volume > 0.0 else math.nan for volume in (min(volumes), max(volumes))
    )
    what, gold = "implausible density", "its shapes could not weigh that if they were gold"
    rules: list[Rule] = [
        (lightest > HEAVIEST, "warning", what, f"{lightest:.3g} kg/m^3", f"{gold} ({HEAVIEST:g})"),
        (
            densest < LIGHTEST,
            "warning",
            what,
            f"{densest:.3g} kg/m^3",
            f"its shapes are lighter than foam ({LIGHTEST:g})",
        ),
    ]
    density = list(first_finding(link, None, rules))
    yield from density
    low = np.min([solid.low for solids in kinds for solid in solids], axis=0)
    high = np.max([solid.high for solids in kinds for solid in solids], axis=0)
    outside = float(np.linalg.norm(np.maximum(np.maximum(low - body.com, body.com - high), 0.0)))
    size, radius = float(np.linalg.norm(high - low)), gyration(body)
    is_reported = density or _is_default(body) or not is_possible(moments_of(body.tensor))
    if not is_reported and size < radius <= WIDEST:
        value = f"radius of gyration {radius:.3g} m, shapes of {size:.3g} m"
        reason = "mass inside the shapes has half of theirs at most"
        yield finding_at("warning", link, "implausible size", value, reason)
    if outside > FAR * size:
        value = f"{outside:.3g} m outside shapes of {size:.3g} m"
        reason = "a body's centre lies among its parts"
        yield finding_at("warning", link, "centre of mass outside", value, reason)


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
