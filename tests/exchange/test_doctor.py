"""The doctor on broken, clean, repaired and hostile URDFs."""

from __future__ import annotations

import codecs
import json
import random
import re
import time
from pathlib import Path
from typing import NamedTuple

import mujoco
import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels import cli
from irbmodels.exchange.doctor import examine, repair
from irbmodels.exchange.doctor import shapes as doctor_shapes
from irbmodels.exchange.doctor.repairing import body_of, is_possible, moments_of
from irbmodels.exchange.doctor.shapes import Measure
from irbmodels.exchange.doctor.xml import (
    DEEPEST,
    LARGEST,
    MOST,
    edited,
    number,
    numbers,
    parse,
    read,
)
from irbmodels.model.inertia import MARGIN, Inertial, ball_moment
from irbmodels.model.mesh_paths import with_mesh_paths

DOCS = Path(__file__).resolve().parents[2] / "docs"
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


BROKEN = [
    Fault("link", "link_2", MASS, '<mass value="-26.5"/>', "error", "negative mass"),
    Fault("link", "link_2", MASS, '<mass value="nan"/>', "error", "bad mass"),
    Fault("link", "link_2", MASS, '<mass value="26,5"/>', "error", "bad mass"),
    Fault("link", "link_2", MASS, '<mass value="1e999"/>', "error", "bad mass"),
    Fault("link", "link_2", MASS, '<mass value="1e200"/>', "error", "bad inertia"),
    Fault("link", "link_2", MASS, "", "error", "no mass"),
    Fault("link", "link_2", MASS, "<mass/>", "error", "no mass"),
    Fault("link", "base_link", MASS, '<mass value="0"/>', "error", "tensor without mass"),
    Fault("link", "link_2", INERTIA, "", "error", "no inertia"),
    Fault("link", "link_2", 'ixy="[^"]*"', "", "error", "bad inertia"),
    Fault("link", "link_2", 'iyy="[^"]*"', 'iyy="nan"', "error", "bad inertia"),
    Fault("link", "link_2", 'izz="[^"]*"', 'izz="${1/3}"', "error", "bad inertia"),
    Fault("link", "link_2", 'ixx="', 'ixx="-', "error", "not positive definite"),
    Fault(
        "link",
        "link_2",
        INERTIA,
        tensor(0.5, 0.7, 1.4, 0.58498, 0.22733, 0.56479),
        "error",
        "not positive definite",
    ),
    Fault("link", "link_2", INERTIA, tensor(0, 0, 0), "error", "not positive definite"),
    Fault("link", "link_2", INERTIA, tensor(1, 1, 2.5), "error", "triangle inequality"),
    Fault("link", "link_2", INERTIA, tensor(1, 1, 2.00001), "warning", "triangle inequality"),
    Fault(
        "link",
        "link_2",
        INERTIAL,
        f'<inertial><mass value="1"/>{tensor(1, 1, 1)}</inertial>',
        "warning",
        "default inertial",
    ),
    Fault("link", "link_2", INERTIA, tensor(1e-3, 1e-3, 1e-3), "warning", "default inertial"),
    Fault(
        "link", "link_2", INERTIA, tensor(1.1e-3, 1.2e-3, 1.3e-3), "warning", "implausible density"
    ),
    Fault("link", "base_link", MASS, '<mass value="0.02"/>', "warning", "implausible density"),
    Fault(
        "link",
        "link_2",
        f"{MASS}.*?{INERTIA}",
        f'<mass value="9e5"/>{tensor(6e4, 7e4, 8e4)}',
        "warning",
        "implausible density",
    ),
    Fault("link", "link_2", INERTIA, tensor(6.5e5, 6.4e5, 0.9e5), "warning", "implausible size"),
    Fault("link", "link_2", INERTIA, tensor(65, 64, 9), "warning", "implausible size"),
    Fault(
        "link",
        "link_2",
        r'xyz="[^"]*"',
        'xyz="253.4 47.7 7.0"',
        "warning",
        "centre of mass outside",
    ),
    Fault("link", "link_2", r'xyz="[^"]*"', 'xyz="0.25, 0.05, 0"', "error", "bad origin"),
    Fault("link", "link_2", r'rpy="[^"]*"', 'rpy="0 0 inf"', "error", "bad origin"),
    Fault("link", "link_2", INERTIAL, "", "warning", "moves without mass"),
    Fault(
        "link",
        "link_2",
        INERTIAL,
        f'<inertial><mass value="0"/>{tensor(0, 0, 0)}</inertial>',
        "warning",
        "moves without mass",
    ),
    Fault("link", "flange", INERTIAL, "", "note", "no inertial"),
    Fault(
        "link",
        "link_2",
        "</inertial>",
        f"</inertial><inertial><mass/>{tensor(1, 1, 1)}</inertial>",
        "warning",
        "repeated tag",
    ),
    Fault(
        "link",
        "link_2",
        INERTIAL,
        f'<inertial><mass value="1e-6"/>{tensor(1, 1, 1)}</inertial>',
        "note",
        "stand-in mass",
    ),
    Fault(
        "link", "link_2", "</link>", MESH.format("lost.stl") + "</link>", "warning", "missing mesh"
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        MESH.format("package://nowhere/lost.stl") + "</link>",
        "warning",
        "missing mesh",
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        MESH.format("file:///lost.stl") + "</link>",
        "warning",
        "missing mesh",
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        MESH.format("damaged.stl") + "</link>",
        "warning",
        "damaged mesh",
    ),
    Fault(
        "link", "link_2", "</link>", "<visual><geometry/></visual></link>", "error", "bad geometry"
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        '<collision><geometry><box size="1 1"/></geometry></collision></link>',
        "error",
        "bad geometry",
    ),
    Fault(
        "link",
        "link_2",
        "</visual>",
        '<material name="mauve"/></visual>',
        "note",
        "unknown material",
    ),
    Fault("link", "link_2", "</link>", '</link><link name="link_2"/>', "error", "repeated name"),
    Fault(
        "link",
        "link_2",
        "</link>",
        '</link><link name="lonely"/>',
        "error",
        "unreachable",
        "lonely",
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        f"</link>{JOINT.format('short', 'link_1', 'link_5')}",
        "error",
        "two parents",
        "link_5",
    ),
    Fault(
        "link",
        "link_2",
        "</link>",
        f"</link>{JOINT.format('ring', 'link_5', 'base_link')}",
        "error",
        "loop",
        "base_link",
    ),
    Fault("link", "link_2", "</link>", "</link><link/>", "error", "no name", ""),
    Fault("joint", "flange-tool0", 'name="flange-tool0"', "", "error", "no name", ""),
    Fault(
        "joint", "joint_5", 'name="joint_5"', 'name="joint_4"', "error", "repeated name", "joint_4"
    ),
    Fault("joint", "joint_2", 'type="revolute"', 'type="spherical"', "error", "unknown type"),
    Fault("joint", "joint_2", 'type="revolute"', "", "error", "unknown type"),
    Fault("joint", "joint_2", "<parent .*?/>", "", "error", "no parent"),
    Fault("joint", "joint_2", "<child .*?/>", "", "error", "no child"),
    Fault(
        "joint", "joint_2", '<child link="link_2"', '<child link="link2"', "error", "unknown link"
    ),
    Fault(
        "joint", "joint_2", "<child ", '<parent link="base_link"/><child ', "error", "repeated tag"
    ),
    Fault("joint", "joint_2", r'xyz="[^"]*"', 'xyz="0 0"', "error", "bad origin"),
    Fault("joint", "joint_2", AXIS, '<axis xyz="0 0 0"/>', "error", "zero axis"),
    Fault("joint", "joint_2", AXIS, '<axis xyz="0 nan 1"/>', "error", "bad axis"),
    Fault("joint", "joint_2", AXIS, '<axis xyz="0 1 1"/>', "warning", "axis not normalised"),
    Fault("joint", "joint_2", AXIS, "", "note", "no axis"),
    Fault("joint", "joint_2", LIMIT, "", "error", "no limit"),
    Fault("joint", "joint_2", r'effort="[^"]*"', "", "error", "no effort"),
    Fault("joint", "joint_2", r'velocity="[^"]*"', "", "error", "no velocity"),
    Fault("joint", "joint_2", LIMIT, limit(effort=0), "warning", "zero effort"),
    Fault("joint", "joint_2", LIMIT, limit(effort="inf"), "error", "bad effort"),
    Fault("joint", "joint_2", LIMIT, limit() + '<dynamics damping="-1"/>', "error", "bad friction"),
    Fault(
        "joint", "joint_2", LIMIT, limit() + '<dynamics friction="much"/>', "error", "bad friction"
    ),
    Fault("joint", "joint_2", LIMIT, limit(velocity=0), "warning", "zero velocity"),
    Fault("joint", "joint_2", LIMIT, limit(velocity="fast"), "error", "bad velocity"),
    Fault("joint", "joint_2", LIMIT, limit(velocity=-1), "error", "bad velocity"),
    Fault("joint", "joint_2", LIMIT, limit(lower=1, upper=-1), "error", "empty range"),
    Fault("joint", "joint_2", LIMIT, limit(lower=1, upper=1), "warning", "empty range"),
    Fault("joint", "joint_2", LIMIT, limit(lower="pi"), "error", "bad range"),
    Fault("joint", "joint_2", LIMIT, limit(lower=-110, upper=100), "warning", "implausible range"),
    Fault("joint", "joint_2", r'rpy="[^"]*"', 'rpy="-90 0 0"', "warning", "more than a turn"),
    Fault("joint", "joint_crank", LIMIT, limit(effort=0), "note", "zero effort"),
    Fault("joint", "joint_crank", MIMIC, MIMICS.format("joint_rod"), "note", "mimic chain"),
    Fault("joint", "joint_crank", MIMIC, MIMICS.format("joint_crank"), "error", "mimic circle"),
    Fault("joint", "joint_crank", MIMIC, MIMICS.format("joint_9"), "error", "mimic source"),
    Fault("joint", "joint_crank", MIMIC, "<mimic/>", "error", "mimic source"),
    Fault("joint", "joint_crank", MIMIC, MIMICS.format("flange-tool0"), "error", "mimic source"),
    Fault("joint", "joint_crank", 'multiplier="1"', 'multiplier="inf"', "error", "bad mimic"),
    Fault(
        "joint",
        "flange-tool0",
        "<child ",
        MIMICS.format("joint_2") + "<child ",
        "note",
        "mimic without effect",
    ),
    Fault("robot", "irb2400_16", '<robot name="irb2400_16">', "<robot>", "error", "no name", ""),
    Fault("robot", "irb2400_16", "<material", "<xacro:arm/><material", "error", "xacro"),
]


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


@pytest.fixture
def urdf(tmp_path):
    """Write text or bytes to a URDF file."""

    def write(content: str | bytes, name: str = "robot.urdf") -> Path:
        path = tmp_path / name
        path.write_bytes(content.encode() if isinstance(content, str) else content)
        return path

    return write


@pytest.mark.parametrize("fault", BROKEN, ids=lambda fault: f"{fault.what}-{fault.name}")
def test_each_fault_is_found_and_nothing_else(fault, urdf, tmp_path):
    """One edit of a clean file gives exactly one new finding: its kind, its severity, at its link
    or joint.
    """
    (tmp_path / "damaged.stl").write_bytes(b"solid nothing")
    before, after = (
        {(finding.severity, finding.what, finding.name) for finding in examine(urdf(text))}
        for text in (clean_text(), broken(clean_text(), fault))
    )
    assert after - before == {
        (fault.severity, fault.what, fault.name if fault.at is None else fault.at)
    }


def test_millimetres_of_a_prismatic_joint_are_suspected(urdf):
    """300 is no range of a SCARA's quill in metres."""
    text = irb.describe("irb930").urdf(looks=False)
    quill = re.search(r'<joint name="joint_3" type="prismatic">.*?</joint>', text, re.DOTALL)[0]
    found = examine(urdf(text.replace(quill, re.sub(LIMIT, limit(lower=-300, upper=0), quill))))
    assert [(finding.what, finding.name) for finding in found] == [("implausible range", "joint_3")]


def test_set_of_faults_is_large():
    """At least forty faults are tried, of every kind but a missing robot."""
    assert len(BROKEN) >= 40


@pytest.mark.parametrize(("name", "coupling"), SHIPPED)
def test_shipped_urdfs_are_clean(name, coupling):
    """The committed files have no error and no warning; notes only say that carriers and bars
    without data weigh nothing.
    """
    found = examine(irb.urdf_path(name, coupling))
    assert {finding.what for finding in found} <= {"stand-in mass"}
    assert {finding.severity for finding in found} <= {"note"}
    bars = (
        {"link_carrier", "link_crank", "link_rod_carrier", "link_rod"}
        if coupling == "parallelogram"
        else set()
    )
    assert sorted(finding.name for finding in found) == sorted(bars - set(oracles.weighed(name)))


def test_the_positioner_is_clean():
    """The URDF that stands beside a robot: two axes, nothing to complain of."""
    path = oracles.URDF / "positioner" / "positioner.urdf"
    assert examine(path) == []
    assert irb.from_urdf(path).n == 2


def test_a_finding_is_one_line_with_its_place(urdf):
    """str() names severity, line, link, what, value and reason."""
    path = urdf(one_body("1", tensor(1, 1, 2.5)))
    assert [str(finding) for finding in examine(path)] == [
        "error: line 1: link 'body': triangle inequality (1 kg, principal moments 1, 1, 2.5 kg"
        " m^2): the largest exceeds the sum of the others by 25 %, which no body does"
    ]


def test_errors_come_first_then_lines(urdf):
    """Findings are sorted by severity, then by line."""
    text = broken(clean_text(), Fault("joint", "joint_4", AXIS, '<axis xyz="0 0 0"/>', "", ""))
    text = broken(text, Fault("link", "link_2", INERTIA, tensor(1, 1, 1), "", ""))
    found = [(finding.severity, finding.line) for finding in examine(urdf(text))]
    assert [severity for severity, _ in found] == ["error", "warning"] + ["note"] * 4
    assert found[2:] == sorted(found[2:])
    line = text[: text.index('<axis xyz="0 0 0"/>')].count("\n") + 1
    assert found[0] == ("error", line)


def test_names_of_strangers_stay_on_one_line(urdf):
    """Line feeds, escapes and very long names cannot break or flood a line."""
    name = "a&#10;b&#9;" + "x" * 10_000
    for finding in examine(
        urdf(f'<robot name="{name}"><link name="{name}"/><link name="{name}"/></robot>')
    ):
        assert str(finding).isprintable()
        assert len(str(finding)) < 300


def test_joints_without_ends_do_not_accuse_the_links_they_lose(urdf):
    """A joint with a misspelt child leaves a second root; only the joint is named."""
    fault = Fault("joint", "joint_4", '<child link="link_4"', '<child link="link4"', "", "")
    assert [
        finding.name
        for finding in examine(urdf(broken(clean_text(), fault)))
        if finding.severity == "error"
    ] == ["joint_4"]


def test_bodies_joined_by_fixed_joints_share_their_mass(urdf):
    """A moving link without <inertial> is fine if a link fixed to it has the mass."""
    body = one_body("1", tensor(0.1, 0.1, 0.15)).replace('child link="body"', 'child link="hub"')
    text = body.replace(
        "</robot>", f'<link name="hub"/>{JOINT.format("weld", "hub", "body")}</robot>'
    )
    assert [(finding.severity, finding.name) for finding in examine(urdf(text))] == [
        ("note", "hub")
    ]


def test_mimics_of_each_other_are_one_circle(urdf):
    """Two joints that follow each other are one finding, at the first; who follows them is none."""
    text = broken(
        clean_text(),
        Fault("joint", "joint_2", LIMIT, limit() + MIMICS.format("joint_carrier"), "", ""),
    )
    found = [finding for finding in examine(urdf(text)) if finding.severity == "error"]
    assert [(finding.what, finding.name) for finding in found] == [("mimic circle", "joint_2")]
    assert found[0].value == "'joint_2' -> 'joint_carrier' -> 'joint_2'"


@pytest.mark.parametrize("suffix", ["stl", "obj"])
def test_meshes_count_as_their_hull(suffix, urdf, tmp_path):
    """A cube of 100 mm as ASCII STL or OBJ in millimetres: 1e-3 m^3, and 30 kg of it are more than
    gold.
    """
    corners = [(x, y, z) for x in (0, 100) for y in (0, 100) for z in (0, 100)]
    lines = [f"{'vertex' if suffix == 'stl' else 'v'} {x} {y} {z}" for x, y, z in corners]
    (tmp_path / f"cube.{suffix}").write_text("\n".join(lines))
    shape = MESH.replace("<mesh ", '<mesh scale="0.001 0.001 -0.001" ').format(f"cube.{suffix}")
    path = urdf(one_body("30", tensor(0.5, 0.5, 0.5), shape))
    solid = Measure(tmp_path).solid(read(path)[1].all("link")[1].all("visual")[0])
    assert solid is not None
    assert solid.volume == pytest.approx(1e-3)
    np.testing.assert_allclose([solid.low, solid.high], [[0, 0, -0.1], [0.1, 0.1, 0]], atol=1e-15)
    assert [finding.value for finding in examine(path)] == ["3e+04 kg/m^3"]


@pytest.mark.parametrize(("limit_of", "bytes_read"), [("LARGEST_MESH", 20), ("MESH_BUDGET", 50)])
def test_large_meshes_are_not_read(limit_of, bytes_read, urdf, tmp_path, monkeypatch):
    """A link with a mesh beyond the limits, of one file or of all, is not weighed; the same mesh
    twice counts once.
    """
    for name in "ab":
        (tmp_path / f"{name}.obj").write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    monkeypatch.setattr(doctor_shapes, limit_of, bytes_read)
    measure, shapes = (
        Measure(tmp_path),
        [parse(f"<robot>{MESH.format(f'{name}.obj')}</robot>".encode()) for name in "aab"],
    )
    measured = [measure.solid(shape.inside[0]) is not None for shape in shapes]
    assert measured == ([False] * 3 if limit_of == "LARGEST_MESH" else [True, True, False])


def test_binary_stl_is_measured(urdf, tmp_path):
    """A tetrahedron with edges of 1, 2 and 3 m along the axes has 1 m^3."""
    corners = np.array([[0, 0, 0], [1, 0, 0], [0, 2, 0], [0, 0, 3]], dtype="<f4")
    faces = [
        b"\0" * 12 + corners[face].tobytes() + b"\0\0"
        for face in ([0, 1, 2], [0, 1, 3], [0, 2, 3], [1, 2, 3])
    ]
    (tmp_path / "t.stl").write_bytes(
        b"solid".ljust(80) + (4).to_bytes(4, "little") + b"".join(faces)
    )
    shape = read(urdf(one_body("1", "", MESH.format("t.stl"))))[1].all("link")[1].all("visual")[0]
    assert Measure(tmp_path).solid(shape).volume == pytest.approx(1.0)


@pytest.mark.parametrize(
    ("shape", "volume", "high"),
    [
        ('<box size="1 2 3"/>', 6.0, [0.5, 1.0, 1.5]),
        ('<sphere radius="2"/>', 32.0 / 3.0 * np.pi, [2.0, 2.0, 2.0]),
        ('<cylinder radius="1" length="4"/>', 4.0 * np.pi, [1.0, 1.0, 2.0]),
        ('<capsule radius="1" length="4"/>', 16.0 / 3.0 * np.pi, [1.0, 1.0, 3.0]),
    ],
)
def test_primitives_are_measured(shape, volume, high, tmp_path):
    """Volume and bounds of a primitive, and its bounds turned by 90 degrees about x, then about z,
    and moved.
    """
    still, turned = (
        Measure(tmp_path).solid(
            parse(
                f"<robot><visual>{place}<geometry>{shape}</geometry></visual></robot>".encode()
            ).inside[0]
        )
        for place in ("", '<origin xyz="0 0 10" rpy="1.5707963267948966 0 1.5707963267948966"/>')
    )
    assert still.volume == pytest.approx(volume)
    np.testing.assert_allclose(still.high, high, rtol=1e-12)
    x, y, z = high
    np.testing.assert_allclose(turned.high, [z, x, 10.0 + y], rtol=1e-12)
    np.testing.assert_allclose(turned.low, [-z, -x, 10.0 - y], rtol=1e-12)


@pytest.mark.parametrize(
    "reference",
    [
        "meshes/cube.obj",
        "package://arm/meshes/cube.obj",
        "package:///arm/meshes/cube.obj",
        "model://arm/meshes/cube.obj",
        "file",
    ],
)
def test_meshes_are_found(reference, tmp_path):
    """Relative to the file, in a folder above that is the package or holds it, and by file://."""
    (tmp_path / "arm" / "urdf").mkdir(parents=True)
    mesh = tmp_path / "arm" / "meshes" / "cube.obj"
    mesh.parent.mkdir()
    mesh.write_text("v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\n")
    names = {"file": mesh.as_uri(), "meshes/cube.obj": "../meshes/cube.obj"}
    path = tmp_path / "arm" / "urdf" / "arm.urdf"
    path.write_text(
        one_body("1", tensor(0.1, 0.1, 0.15), MESH.format(names.get(reference, reference)))
    )
    assert examine(path) == []


# Repair


def impossible_tensors(count: int) -> list[np.ndarray]:
    """Symmetric tensors that no body has: random ones, some scaled to be tiny or large."""
    rng, found = np.random.default_rng(5), []
    while len(found) < count:
        matrix = rng.normal(size=(3, 3)) * 10.0 ** rng.uniform(-6, 2)
        matrix += matrix.T
        if not is_possible(moments_of(matrix)):
            found.append(matrix)
    return found


@pytest.mark.parametrize("index", range(40))
def test_repaired_body_is_possible_and_nearest(index):
    """No body of that mass and centre, dense as lead at most, with second moments above the margin
    is nearer to the tensor.
    """
    rng = np.random.default_rng(index)
    body = Inertial.of(
        10.0 ** rng.uniform(-4, 2), rng.normal(size=3), impossible_tensors(40)[index]
    )
    after = body.nearest_possible()
    covariance, repaired = body.covariance(), after.covariance()
    floor = np.linalg.eigvalsh(repaired)[0]
    assert (after.mass, after.com.tolist()) == (body.mass, body.com.tolist())
    assert is_possible(moments_of(after.tensor))
    assert floor > 0.0
    distance = np.linalg.norm(repaired - covariance)
    for _ in range(200):
        factor = rng.normal(size=(3, 3)) * distance**0.5 * 10.0 ** rng.uniform(-3, 0)
        other = (
            repaired
            + (factor @ factor.T) * rng.choice([0.0, 1.0])
            + 0.1 * distance * np.diag(rng.uniform(-1, 1, 3))
        )
        values, axes = np.linalg.eigh(other)
        other = axes @ np.diag(np.maximum(values, floor)) @ axes.T
        other *= max(1.0, 3.0 * ball_moment(body.mass) / np.trace(other))
        assert np.linalg.norm(other - covariance) >= distance * (1.0 - 1e-9)


def test_repair_raises_only_the_moments_that_are_too_small():
    """By hand: second moments of (1, 1, 2.5) are 1.25, 1.25, -0.25; the last becomes a millionth of
    the largest.
    """
    after = Inertial.of(1.0, [0.0, 0.0, 0.0], np.diag([1.0, 1.0, 2.5])).nearest_possible()
    np.testing.assert_allclose(np.diag(after.covariance()), [1.25, 1.25, 1.25 * MARGIN], rtol=1e-9)
    np.testing.assert_allclose(np.diag(after.tensor), [1.25, 1.25, 2.5], rtol=1e-5)


def test_tensor_that_tells_nothing_becomes_a_lead_ball():
    """A zero tensor of 3 kg: r = (3 m / 4 pi rho)^(1/3) = 39.8 mm, I = 2/5 m r^2 about every
    axis.
    """
    after = Inertial.of(3.0, [0.0, 0.0, 0.0], np.zeros((3, 3))).nearest_possible()
    radius = (3.0 * 3.0 / (4.0 * np.pi * 11_340.0)) ** (1.0 / 3.0)
    np.testing.assert_allclose(after.tensor, 0.4 * 3.0 * radius**2 * np.eye(3), rtol=1e-12)
    assert ball_moment(3.0) == pytest.approx(0.2 * 3.0 * radius**2)


def test_a_needle_too_dense_rises_to_the_trace_of_a_lead_ball():
    """By hand, in moments of the ball: (2, 0.5, -1) becomes (2.25, 0.75, 0), of sum 3 as the
    ball's; the last is the least.
    """
    mass = 3.0
    unit = ball_moment(mass)
    before = np.diag([2.0, 0.5, -1.0]) * unit
    body = Inertial.of(mass, [0.1, 0.0, 0.0], np.trace(before) * np.eye(3) - before)
    second = np.diag(body.nearest_possible().covariance()) / unit
    np.testing.assert_allclose(
        second, [2.25 - MARGIN, 0.75 - MARGIN, 2.0 * MARGIN], rtol=0, atol=1e-9
    )
    assert not body.nearest_possible().is_too_dense()


@pytest.mark.parametrize("index", range(40))
def test_a_repaired_file_passes_every_check(index, urdf, tmp_path):
    """Random impossible tensors, most of them of bodies too heavy for their size, turned any way:
    no warning, no finding left.
    """
    rng = np.random.default_rng(100 + index)
    mass = 10.0 ** rng.uniform(-3, 3)
    matrix = impossible_tensors(40)[index]
    matrix *= (
        ball_moment(mass)
        * 10.0 ** rng.uniform(-2, 2)
        / np.abs(matrix).max()
        * rng.choice([0.0, 1.0], p=[0.1, 0.9])
    )
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    place = " ".join(map(repr, rng.uniform(-1, 1, 6).tolist())).split()
    origin = f'<origin xyz="{" ".join(place[:3])}" rpy="{" ".join(place[3:])}"/>'
    text = one_body(repr(mass), tensor(xx, yy, zz, xy, xz, yz)).replace(
        "<inertial><mass", f"<inertial>{origin}<mass"
    )
    assert origin in text
    path, out = urdf(text), tmp_path / "out.urdf"
    with pytest.warns(irb.PhysicsWarning, match="is impossible"):
        irb.from_urdf(path)
    repair(path, out)
    irb.from_urdf(out)
    assert not [
        finding
        for finding in examine(out)
        if finding.what in ("triangle inequality", "implausible density")
    ]


def test_possible_bodies_are_not_touched(urdf, tmp_path):
    """Repair of a clean file is the same file, byte for byte."""
    for name, coupling in SHIPPED:
        path = irb.urdf_path(name, coupling)
        assert repair(path, tmp_path / "out.urdf") == []
        assert (tmp_path / "out.urdf").read_bytes() == path.read_bytes()


@pytest.mark.parametrize(
    "matrix", impossible_tensors(20), ids=lambda matrix: f"{np.abs(matrix).max():.0e}"
)
def test_mujoco_takes_what_it_refused(matrix, urdf, tmp_path):
    """MuJoCo refuses the file; it loads the repaired one, with the moments that the repair says."""
    (xx, xy, xz), (_, yy, yz), (_, _, zz) = matrix
    path, out = urdf(one_body("2.5", tensor(xx, yy, zz, xy, xz, yz))), tmp_path / "out.urdf"
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_path(str(path))
    (mended,) = repair(path, out)
    model = mujoco.MjModel.from_xml_path(str(out))
    expected = moments_of(mended.after.tensor)
    np.testing.assert_allclose(
        np.sort(model.body("body").inertia), expected, rtol=1e-6, atol=1e-10 * expected[2]
    )
    assert not [finding for finding in examine(out) if finding.severity == "error"]


def test_mujoco_takes_the_repaired_tensor_of_a_grain(urdf, tmp_path):
    """A needle of a milligram, whose millionth MuJoCo would refuse: no second moment is below 1e-13
    kg m^2.
    """
    path, out = urdf(one_body("1e-6", tensor(1e-9, 1e-9, -1e-12))), tmp_path / "out.urdf"
    repair(path, out)
    assert mujoco.MjModel.from_xml_path(str(out)).body("body").inertia.min() == pytest.approx(
        2e-13, rel=1e-6
    )


def test_published_tensors_of_the_irb2400_become_loadable(urdf, tmp_path):
    """S000 Tab. 3 as printed: four impossible links are found, and with them repaired MuJoCo loads
    the arm.
    """
    path, out = (
        urdf(irb.describe("irb2400").urdf("serial", "obal2025_printed", looks=False)),
        tmp_path / "out.urdf",
    )
    wrong = ["link_2", "link_3", "link_4", "link_6"]
    assert [finding.name for finding in examine(path) if finding.severity == "error"] == wrong
    with pytest.raises(ValueError, match="inertia"):
        mujoco.MjModel.from_xml_path(str(path))
    assert [mended.link for mended in repair(path, out)] == wrong
    assert mujoco.MjModel.from_xml_path(str(out)).nv == 6
    assert masked(out.read_bytes()) == masked(path.read_bytes())


def test_repair_says_how_much_moved(urdf, tmp_path):
    """Absolute and relative change are those between the two files."""
    path, out = urdf(one_body("3", tensor(1, 1, 2.5, 0.1))), tmp_path / "out.urdf"
    (mended,) = repair(path, out)
    before, after = (body_of(read(file)[1].all("link")[1]).tensor for file in (path, out))
    moved = np.linalg.norm(after - before)
    assert mended.moved == pytest.approx(moved)
    assert mended.relative == pytest.approx(moved / np.linalg.norm(before))
    assert str(mended).startswith(
        f"link 'body': tensor moved by {moved:.3g} kg m^2 ({100 * mended.relative:.3g} %)"
    )
    assert str(mended).isprintable()


STRANGE = (
    '<?xml version="1.0" encoding="{}"?>\r\n<!DOCTYPE robot>\r\n<!-- gr\u00f6\u00dfe <inertia'
    " ixx=\"7\"/> -->\r\n<robot name='\u00e9'>\t<link  name='w'/><link name='b'"
    " >\r\n<inertial><mass value = '1' /><inertia note='ixx=\"1\" >'\r\n  izz = '2.5'"
    " iyy=\"1\"\tixx='1' ixy='0' ixz='0' iyz='0'  ></inertia></inertial ></link></robot>\r\n\r\n"
)


@pytest.mark.parametrize(
    "encoding", ["utf-8", "utf-8 with mark", "iso-8859-1", "utf-16", "utf-16-be", "windows-1252"]
)
def test_repair_keeps_formatting_and_encoding(encoding, urdf, tmp_path):
    """Comments, DOCTYPE, quotes, order, line ends and encoding stay; only the text of the moments
    changes.
    """
    codec, mark = (
        encoding.removesuffix(" with mark"),
        codecs.BOM_UTF8 if encoding.endswith("mark") else b"",
    )
    mark = codecs.BOM_UTF16_BE if codec == "utf-16-be" else mark
    declared = "utf-16" if codec == "utf-16-be" else codec
    path, out = urdf(mark + STRANGE.format(declared).encode(codec)), tmp_path / "out.urdf"
    (mended,) = repair(path, out)
    after = out.read_bytes()
    assert after.startswith(mark)
    xx, yy, zz = (f"{value:.12g}" for value in np.diag(mended.after.tensor))
    expected = STRANGE.format(declared).replace("izz = '2.5'", f"izz = '{zz}'")
    expected = expected.replace('iyy="1"', f'iyy="{yy}"').replace("\tixx='1'", f"\tixx='{xx}'")
    assert after.removeprefix(mark).decode(codec) == expected


def test_repair_leaves_what_cannot_be_computed(urdf, tmp_path):
    """A body without a positive mass, or with a tensor that is no number, stays as it is."""
    for mass, inertia in (
        ("-1", tensor(1, 1, 9)),
        ("0", tensor(1, 1, 1)),
        ("x", tensor(1, 1, 9)),
        ("1", tensor("nan", 1, 1)),
    ):
        path = urdf(one_body(mass, inertia))
        assert repair(path, tmp_path / "out.urdf") == []
        assert (tmp_path / "out.urdf").read_bytes() == path.read_bytes()


@pytest.mark.parametrize("way", ["same", "link", "detour"])
def test_repair_does_not_overwrite_its_input(way, urdf, tmp_path):
    """The input by its own name, through a link or by another path is refused, and stays."""
    path = urdf(one_body("1", tensor(1, 1, 9)))
    (tmp_path / "link.urdf").symlink_to(path)
    content = path.read_bytes()
    target = {
        "same": path,
        "link": tmp_path / "link.urdf",
        "detour": tmp_path / ".." / tmp_path.name / path.name,
    }[way]
    with pytest.raises(irb.InputError, match="is the file that is examined"):
        repair(path, target)
    assert path.read_bytes() == content


def test_an_attribute_that_is_not_written_cannot_be_edited():
    """A value that only a DOCTYPE gives has no place in the tag."""
    with pytest.raises(irb.UrdfError, match="does not write ixx"):
        edited(b"<robot><inertia iyy='1'/></robot>", {7: {"ixx": "1"}})


# Hostile files


STRANGE_VALUES = [
    *(
        "",
        " ",
        "nan",
        "-inf",
        "1e999",
        "-1e-999",
        "1e308",
        "-1e308",
        "1e30",
        "1e-320",
        "0",
        "-1",
        "9" * 5000,
        "0x1p9",
        "1_0",
    ),
    *(
        "0 0",
        "1 2 3 4",
        "nan nan nan",
        "1e300 1e300 1e300",
        "${x}",
        "&#10;",
        "\u0663",
        "\U0001d7d9",
        "\u202e",
        "a" * 9000,
    ),
    *(
        "../" * 50,
        "package://",
        "package:///x",
        "file://%00%ff",
        "http://x/y.stl",
        "base_link",
        "link_1",
        "joint_2",
        "joint_3",
    ),
    *("revolute", "floating", "spherical"),
]


def fuzzed(count: int) -> list[bytes]:
    """Damaged URDFs: bytes of a shipped file, or its tags and values, changed at random."""
    rng = random.Random(11)
    whole = irb.describe("irb2400").urdf("parallelogram", looks=False)
    shapes = irb.describe("irb930").urdf()
    found: list[bytes] = []
    while len(found) < count:
        text = rng.choice([whole, shapes])
        if len(found) % 2:
            data = bytearray(text.encode())
            for _ in range(rng.choice([1, 3, 20, 200])):
                at = rng.randrange(len(data))
                match rng.randrange(4):
                    case 0:
                        data[at] = rng.randrange(256)
                    case 1:
                        del data[at : at + rng.randrange(1, 99)]
                    case 2:
                        data[at:at] = data[
                            (start := rng.randrange(len(data))) : start + rng.randrange(1, 99)
                        ]
                    case _:
                        data[at:at] = rng.randbytes(rng.randrange(1, 9))
            found.append(bytes(data))
            continue
        pieces = re.split(r"(<[^>]*>)", text)
        for _ in range(rng.choice([1, 3, 20])):
            at = rng.randrange(1, len(pieces), 2)
            match rng.randrange(4):
                case 0:
                    pieces[at] = re.sub(
                        r'"[^"]*"',
                        lambda _: f'"{rng.choice(STRANGE_VALUES)}"',
                        pieces[at],
                        count=rng.choice([0, 1]),
                    )
                case 1 if pieces[at].endswith("/>"):
                    pieces[at] = ""
                case 2 if pieces[at].endswith("/>"):
                    pieces[rng.randrange(1, len(pieces), 2)] += pieces[at]
                case _:
                    pieces[at] = re.sub(r'\s\w+="[^"]*"', "", pieces[at], count=1)
        found.append("".join(pieces).encode("utf-8", "surrogatepass"))
    return found


def test_damaged_files_are_examined_or_refused(urdf, tmp_path):
    """Four hundred damaged files: findings of one printable line each, or one line of refusal, each
    in bounded time.
    """
    examined, slowest, refusals = 0, 0.0, set()
    for data in fuzzed(400):
        path, start = urdf(data), time.process_time()
        try:
            found = examine(path)
            repair(path, tmp_path / "out.urdf")
        except irb.IrbError as refusal:
            refusals.add(str(refusal))
        else:
            examined += 1
            assert all(str(finding).isprintable() for finding in found)
            assert masked((tmp_path / "out.urdf").read_bytes()) == masked(data)
        slowest = max(slowest, time.process_time() - start)
    assert examined > 120  # the others are no XML any more
    assert all(refusal.isprintable() for refusal in refusals)
    assert slowest < PATIENCE


def links(count: int, text: str) -> str:
    """Return a robot with a numbered text many times."""
    return (
        '<robot name="r"><link name="l0"/>'
        + "".join(text.replace("#", str(i)) for i in range(1, count))
        + "</robot>"
    )


CHAIN = (
    '<link name="l#"/><joint name="j#" type="revolute"><parent link="{}"/><child'
    ' link="{}"/></joint>'
)
HOSTILE = {
    "billion laughs": (
        '<!DOCTYPE r [<!ENTITY a "ha"><!ENTITY b "&a;&a;&a;&a;">]><robot name="&b;"/>'
    ),
    "parameter entity": "<!DOCTYPE r [<!ENTITY % a \"<!ENTITY b 'x'>\"> %a;]><robot name='&b;'/>",
    "external entity": (
        '<!DOCTYPE r [<!ENTITY a SYSTEM "file:///etc/hostname">]><robot name="r"><link'
        ' name="&a;"/></robot>'
    ),
    "undeclared entity": '<robot name="&a;"/>',
    "deep": "<robot name='r'>" + "<link>" * DEEPEST + "</link>" * DEEPEST + "</robot>",
    "many tags": links(MOST, '<link name="l#"/>'),
    "large": "<robot>" + " " * LARGEST,
    "empty": "",
    "zeros": "\0" * 1000,
    "zero inside": '<robot name="a\0b"/>',
    "not a robot": '<sdf version="1.7"/>',
    "two roots": "<robot/><robot/>",
    "unclosed": '<robot name="r"><link name="a">',
    "unknown encoding": '<?xml version="1.0" encoding="rot13"?><robot/>',
    "wrong encoding": '<?xml version="1.0" encoding="utf-16"?><robot/>',
}
HEAVY = {
    "attributes of a DOCTYPE": (
        f'<!DOCTYPE r [<!ATTLIST link q CDATA "{"x" * 10**6}">]>' + links(20_000, "<link/>")
    ),
    "star": links(10_000, CHAIN.format("l0", "l#")),
    "links on themselves": links(10_000, CHAIN.format("l#", "l#")),
    "many roots": links(10_000, CHAIN.format("l#", "l0")),
    "mimics": links(15_000, '<joint name="j#" type="revolute"><mimic joint="j0#"/></joint>'),
    "lost meshes": links(10_000, f'<link name="l#">{MESH.format("package://a/#.stl")}</link>'),
    "impossible bodies": links(
        10_000, f'<link name="l#"><inertial><mass value="1"/>{tensor(1, 1, 3)}</inertial></link>'
    ),
    "long name": f'<robot name="r"><link name="{"x" * 10**7}"/></robot>',
    "long number": one_body("9" * 10**7, tensor(1, 1, 1)),
    "many attributes": (
        '<robot name="r"><link name="a" '
        + " ".join(f'a{i}=""' for i in range(10**5))
        + "/></robot>"
    ),
    "long comment": f'<robot name="r"><link name="a"/><!--{"x" * 10**7}--></robot>',
}


@pytest.mark.parametrize("kind", HOSTILE)
def test_hostile_files_are_refused(kind, urdf):
    """What is no XML, no robot, or without bound is refused in one line, at once."""
    path, start = urdf(HOSTILE[kind]), time.process_time()
    with pytest.raises((irb.UrdfError, irb.FileError)) as caught:
        examine(path)
    assert str(caught.value).startswith(str(path))
    assert str(caught.value).isprintable()
    assert time.process_time() - start < PATIENCE


def test_attributes_of_a_doctype_are_not_multiplied():
    """Defaults that a DOCTYPE gives to every tag are left out."""
    assert parse(b'<!DOCTYPE r [<!ATTLIST robot a CDATA "x">]><robot b="y"/>').attributes == {
        "b": "y"
    }


@pytest.mark.parametrize("kind", HEAVY)
def test_heavy_files_take_bounded_time(kind, urdf, tmp_path):
    """Nothing grows faster than the file: each ends, and repair too."""
    path, start = urdf(HEAVY[kind]), time.process_time()
    assert isinstance(examine(path), list)
    repair(path, tmp_path / "out.urdf")
    assert time.process_time() - start < PATIENCE


def test_long_chains_of_mimics_and_links_are_followed(urdf):
    """A chain of ten thousand links, each mimic following the one before it: a circle at its end is
    found once.
    """
    text = links(10_000, CHAIN.format("l#", "l#"))
    text = re.sub(
        r'<parent link="l(\d+)"/>', lambda match: f'<parent link="l{int(match[1]) - 1}"/>', text
    )
    text = re.sub(
        r'(name="j(\d+)" type="revolute">)',
        lambda m: f'{m[1]}<mimic joint="j{max(int(m[2]) - 1, 1)}"/>',
        text,
    )
    found = [finding for finding in examine(urdf(text)) if "mimic" in finding.what]
    assert [finding.name for finding in found if finding.what == "mimic circle"] == ["j1"]
    assert sum(finding.what == "mimic chain" for finding in found) == 9_998


@pytest.mark.parametrize(
    "content",
    [b"", b"\0" * 84, b"\0" * 80 + b"\xff" * 8, b"solid\nvertex nan 0 0\n" * 9, b"vertex " * 10**6],
)
@pytest.mark.parametrize("suffix", ["stl", "obj"])
def test_damaged_meshes_are_named(content, suffix, urdf, tmp_path):
    """A mesh without three finite vertices is a warning, whatever it holds."""
    (tmp_path / f"m.{suffix}").write_bytes(content)
    found = examine(urdf(one_body("1", tensor(0.1, 0.1, 0.15), MESH.format(f"m.{suffix}"))))
    assert [finding.what for finding in found] == ["damaged mesh"]


@pytest.mark.parametrize("name", ["folder", "absent.urdf", "pipe", "x" * 5000])
def test_paths_that_are_no_file_are_refused(name, tmp_path):
    """A folder, nothing, a pipe and an impossible name are refused, without waiting."""
    import os

    (tmp_path / "folder").mkdir()
    os.mkfifo(tmp_path / "pipe")
    with pytest.raises(irb.FileError):
        examine(tmp_path / name)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("1", 1.0),
        (" -2.5e3 ", -2500.0),
        (".5", 0.5),
        ("5.", 5.0),
        ("1e999", np.inf),
        ("-INF", -np.inf),
        ("infinity", np.inf),
    ]
    + [
        (text, np.nan)
        for text in (None, "", "nan", "1,5", "1_0", "0x10", "1 2", "\u0663", "e5", "9" * 101)
    ],
)
def test_numbers_are_read_as_urdf_readers_do(text, value):
    """Decimal ASCII numbers only; what Python alone would read is none."""
    np.testing.assert_equal(number(text), value)


def test_vectors_have_as_many_numbers_as_wanted():
    """Three finite numbers, or nothing."""
    assert numbers("1 2\t3", 3) == [1.0, 2.0, 3.0]
    assert [numbers(text, 3) for text in (None, "", "1 2", "1 2 3 4", "1 2 nan", "1, 2, 3")] == [
        None
    ] * 6


# Command line and page


@pytest.fixture
def run(capsys):
    """Run the command line in this process: exit code, what it printed, what it complained."""

    def call(*arguments):
        code = cli.main(["doctor", *map(str, arguments)])
        return code, *capsys.readouterr()

    return call


def test_exit_codes(run, urdf):
    """0 for a clean file, notes allowed; 1 for warnings and errors; 2 for what is no URDF."""
    assert run(irb.urdf_path("irb1600")) == (0, "", "0 errors, 0 warnings, 0 notes\n")
    code, printed, said = run(irb.urdf_path("irb2400", "parallelogram"))
    assert (code, printed.count("\n"), said) == (0, 4, "0 errors, 0 warnings, 4 notes\n")
    for inertia, said in (
        (tensor(1, 1, 9), "1 error, 0 warnings, 0 notes\n"),
        (tensor(1, 1, 1), "0 errors, 1 warning, 0 notes\n"),
    ):
        code, printed, complaint = run(urdf(one_body("1", inertia)))
        assert (code, printed.count("\n"), complaint) == (1, 1, said)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("oops", "not XML"),
        ("<sdf/>", "the root element is 'sdf', not 'robot'"),
        (HOSTILE["billion laughs"], "declares an XML entity"),
        (None, "No such file"),
    ],
)
def test_unusable_files_are_one_line(content, words, run, urdf, tmp_path):
    """No XML, no robot, no file: one line on stderr and exit code 2."""
    path = tmp_path / "absent.urdf" if content is None else urdf(content)
    code, printed, said = run(path)
    assert (code, printed) == (2, "")
    assert said.startswith("error: ")
    assert words in said
    assert said.count("\n") == 1


def test_json_holds_every_field(run, urdf):
    """--json prints findings and repairs as lists of objects, empty ones for a clean file."""
    path = urdf(one_body("1", tensor(1, 1, 9)))
    code, printed, _ = run(path, "--json")
    assert (code, json.loads(printed)) == (
        1,
        {"findings": [finding._asdict() for finding in examine(path)], "repairs": []},
    )
    assert json.loads(run(irb.urdf_path("irb1600"), "--json")[1]) == {"findings": [], "repairs": []}


def test_repair_on_the_command_line(run, urdf, tmp_path):
    """--repair writes the other file and says what moved; onto the file itself it is one line, and
    the file stays.
    """
    path, out = urdf(one_body("1", tensor(1, 1, 9))), tmp_path / "out.urdf"
    code, _, said = run(path, "--repair", out)
    assert code == 1  # about the file that was examined
    assert "repaired link 'body': tensor moved by" in said
    assert run(out)[0] == 0
    content = path.read_bytes()
    code, printed, said = run(path, "--repair", path)
    assert (code, printed, said.count("\n")) == (2, "", 1)
    assert "is the file that is examined" in said
    assert path.read_bytes() == content


def test_names_that_the_terminal_cannot_show_are_escaped(run, urdf, monkeypatch):
    """A terminal without the letters of a name gets them escaped, not a traceback."""
    monkeypatch.setattr(type(cli.out), "encoding", "ascii")
    code, printed, _ = run(
        urdf('<robot name="r"><link name="gr\u00f6\u00dfe"/><link name="\u65e5"/></robot>')
    )
    assert code == 1
    assert printed.isascii()


def test_page_lists_every_kind_of_finding():
    """docs/doctor.md names what the doctor looks for."""
    page = (DOCS / "doctor.md").read_text(encoding="utf-8")
    assert {fault.what for fault in BROKEN if f"`{fault.what}`" not in page} == set()
