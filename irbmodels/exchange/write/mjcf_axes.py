"""Axes of an MJCF: ranges, motors, friction, rotors, sensors, equalities of mimic joints."""

from __future__ import annotations

import math
from collections.abc import Iterator
from xml.etree import ElementTree

import numpy as np

from ...model.tree import UNLIMITED
from ...model.types import Array
from ...model.urdf_bodies import numbers
from ...robot.robot import Robot
from .elements import add
from .mjcf_joints import Chain

Element = ElementTree.Element

Terms = tuple[tuple[str, float], ...]
"""Joints and their coefficients: a sum of joint coordinates."""


def ranges_of(robot: Robot, chain: Chain) -> Iterator[tuple[Terms, Array, dict[str, str]]]:
    """Yield each bounded sum of joints, the same sum of axes, and its range."""
    limits = robot.limits
    for row, low, high in zip(limits.A, limits.lower.tolist(), limits.upper.tolist(), strict=True):
        if low > -UNLIMITED and high < UNLIMITED:
            terms = tuple(chain.coefficients(row).items())
            shift = chain.shift(terms)
            yield terms, row, {"range": numbers((low + shift, high + shift))}


def add_drives(robot: Robot, chain: Chain, root: Element, names: tuple[str, ...]) -> None:
    """Add motors, friction, rotors and sensors of the axes, on their joints or tendons."""
    joints = {str(tag.get("name")): tag for tag in root.iter("joint")}
    tendon = ElementTree.Element("tendon")
    made: dict[Terms, Element] = {}

    def on(row: Array, name: str) -> tuple[Element, str, float]:
        """Return joint or tendon of ``row @ q``, ``joint`` or ``tendon``, and a factor."""
        terms = tuple(chain.coefficients(row).items())
        if len(terms) == 1:
            return joints[terms[0][0]], "joint", terms[0][1]
        if terms not in made:
            made[terms] = _fixed_tendon(tendon, name, terms, robot.name)
        return made[terms], "tendon", 1.0

    axes = [on(row, name) for row, name in zip(np.eye(robot.n), names, strict=True)]
    for terms, row, bounds in ranges_of(robot, chain):
        if len(terms) > 1:
            on(row, f"range_{len(made)}")[0].attrib.update(bounds)
    law = robot.friction_model
    for number, row in enumerate(robot.drive_axes):  # rows are independent: each its own tag
        if law is not None or robot.rotors[number]:
            tag, _, factor = on(row, f"drive_{number + 1}")
            if law is not None:
                tag.set("frictionloss", repr(float(law.Fc[number]) * abs(factor)))
                tag.set("damping", repr(float(law.Fv[number]) * factor**2))
            if robot.rotors[number]:
                tag.set("armature", repr(float(robot.rotors[number]) * factor**2))
    equality = _equalities(robot, chain, tendon)
    root.extend(part for part in (tendon, equality) if len(part))
    actuator, sensor = add(root, "actuator"), add(root, "sensor")
    for name, (tag, kind, factor), effort in zip(
        names, axes, robot.limits.effort.tolist(), strict=True
    ):
        assert factor == 1.0  # an axis position is a joint's own, or a tendon's
        where = {kind: str(tag.get("name"))}
        bound = {
            key: numbers((-effort, effort))
            for key in ("ctrlrange", "forcerange")
            if math.isfinite(effort)
        }
        add(actuator, "motor", name=name, **where, **bound)
        add(sensor, f"{kind}pos", name=f"{name}_position", **where)
        add(sensor, f"{kind}vel", name=f"{name}_speed", **where)
    _custom(robot, root)
    order = [joint for joint in joints if joint in chain.rows]
    home = np.clip(np.zeros(robot.n), *robot.limits.envelope())
    position = numbers([chain.rows[joint] @ home + chain.offsets[joint] for joint in order])
    add(add(root, "keyframe"), "key", name="home", qpos=position, ctrl=numbers(robot.gravity(home)))


def _fixed_tendon(group: Element, name: str, terms: Terms, robot: str) -> Element:
    fixed = add(group, "fixed", name=name, **{"class": robot})
    for joint, coefficient in terms:
        add(fixed, "joint", joint=joint, coef=repr(coefficient))
    return fixed


def _equalities(robot: Robot, chain: Chain, tendon: Element) -> Element:
    """Return equalities between each mimic joint and the sum that it follows."""
    equality = ElementTree.Element("equality")
    for name in chain.followers:
        sources = chain.coefficients(chain.rows[name])
        offset = chain.offsets[name] - chain.shift(sources.items())
        own = {"class": robot.name, "name": name}
        if len(sources) == 1:
            ((source, factor),) = sources.items()
            own |= {"joint1": name, "joint2": source}
        else:
            slack, factor = f"{name}_slack", 0.0
            terms = ((name, 1.0), *((source, -c) for source, c in sources.items()))
            _fixed_tendon(tendon, slack, terms, robot.name)
            own["tendon1"] = slack
        kind = "joint" if len(sources) == 1 else "tendon"
        add(equality, kind, polycoef=numbers((offset, factor, 0, 0, 0)), **own)
    return equality


def _custom(robot: Robot, root: Element) -> None:
    custom, law = ElementTree.Element("custom"), robot.friction_model
    kept = {"speed_limit": robot.limits.velocity}
    if law is not None:
        further = [*law.kinds[3:], *(["v_d"] if "Fd" in law.kinds else [])]
        kept |= {f"friction_{name}": getattr(law, name) for name in ("Fs", "v_St", *further)}
    for label, values in kept.items():
        if np.isfinite(values).all():
            add(custom, "numeric", name=label, data=numbers(values))
    root.extend([custom] if len(custom) else [])
