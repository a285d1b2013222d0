"""Faults of bodies: mass, tensor, and shapes that do not match them."""

from __future__ import annotations

import math
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from ...model.inertia import ROUNDING, Inertial, ball_moment, gyration, is_possible, moments_of
from .findings import Finding, Rule, Severity, finding_at, first_finding
from .repairing import ENTRIES, body_of
from .shapes import Measure, Solid, Unmeasured
from .xml import Tag, number, numbers, shown

# [kg/m^3] of the hulls: gold has 19,300, and parts inside the neighbour are seldom drawn
HEAVIEST = 20_000.0
LIGHTEST = 5.0  # [kg/m^3] of the hulls: plastic foam has 15, air 1.2
STAND_IN = 1e-5  # [kg] and below: a mass that only keeps an engine content
ROUNDED = 1e-4  # relative excess over the triangle inequality that rounding to four digits explains
# diagonals of the shapes' box between the box and a centre of mass that cannot belong to it
FAR = 1.0
# [m] radius of gyration of a link: with kg mm^2 for kg m^2 it is a thousand times too large
WIDEST = 20.0


def origin_findings(owner: Tag, part: Tag) -> Iterator[Finding]:
    """Findings about the origin of a link, joint or part of one."""
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


def inertial_findings(link: Tag) -> Iterator[Finding]:
    """Findings about the inertial of a link."""
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
        if math.isfinite(mass) and not any(True for _ in origin_findings(link, inertial)):
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


def shape_findings(robot: Tag, folder: Path) -> Iterator[Finding]:
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
