"""URDFs with one fault, and the edits that make them."""

from __future__ import annotations

import re
from typing import NamedTuple

import oracles

import irbmodels as irb
from irbmodels.model.mesh_paths import with_mesh_paths

SHIPPED = [(name, coupling) for name in oracles.NAMES for coupling in irb.describe(name).couplings]
PATIENCE = 10.0  # [s] of processor time for a file that takes 3 s at most

INERTIA = r"<inertia .*?/>"
MASS = r"<mass .*?/>"
LIMIT = r"<limit .*?/>"
AXIS = r"<axis .*?/>"
MIMIC = r"<mimic .*?/>"
INERTIAL = r"<inertial>.*?</inertial>"
MESH = '<visual><geometry><mesh filename="{}"/></geometry></visual>'
JOINT = '<joint name="{}" type="fixed"><parent link="{}"/><child link="{}"/></joint>'
MIMICS = '<mimic joint="{}" multiplier="1" offset="0"/>'


def tensor(ixx, iyy, izz, ixy=0, ixz=0, iyz=0):
    """Return the tag of a tensor."""
    return f'<inertia ixx="{ixx}" ixy="{ixy}" ixz="{ixz}" iyy="{iyy}" iyz="{iyz}" izz="{izz}"/>'


def limit(lower=-1, upper=1, effort=10, velocity=2):
    """Return the tag of a limit."""
    return f'<limit lower="{lower}" upper="{upper}" effort="{effort}" velocity="{velocity}"/>'


class Fault(NamedTuple):
    """One edit of a clean file, and what the doctor says about it."""

    place: str
    name: str
    old: str
    new: str
    severity: str
    what: str
    at: str | None = None
    """Name of the link or joint that is named, where it is not the edited one."""


def clean_text() -> str:
    """Return the parallelogram URDF of the IRB 2400, which may be written to any folder."""
    robot = irb.describe("irb2400_16")
    return with_mesh_paths(robot.urdf("parallelogram"), "absolute", robot.folder)


def broken(text: str, fault: Fault) -> str:
    """Return the URDF with one match inside one link or joint replaced."""
    block = re.search(rf'<{fault.place} name="{fault.name}".*?</{fault.place}>', text, re.DOTALL)
    assert block, f"no {fault.place} {fault.name}"
    changed, count = re.subn(fault.old, lambda _: fault.new, block[0], count=1, flags=re.DOTALL)
    assert count == 1, f"nothing to break: {fault.old}"
    return text[: block.start()] + changed + text[block.end() :]


def masked(data: bytes) -> bytes:
    """Return a file without the numbers of its tensors, which a repair may change."""
    return re.sub(rb"""(i[xyz]{2}\s*=\s*["'])[^"']*""", rb"\1", data)


def one_body(mass: str, inertia: str, extra: str = "") -> str:
    """Return a robot of one link that turns."""
    return (
        '<robot name="one"><link name="world"/><link name="body"><inertial><mass'
        f' value="{mass}"/>{inertia}</inertial>{extra}</link><joint name="turn"'
        ' type="revolute"><parent link="world"/><child link="body"/><axis xyz="0 0'
        f' 1"/>{limit()}</joint></robot>'
    )


BILLION_LAUGHS = '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>'
