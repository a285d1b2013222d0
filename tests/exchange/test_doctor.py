"""The doctor on broken and clean URDFs, and its command."""

from __future__ import annotations

import json
import re
from pathlib import Path

import numpy as np
import oracles
import pytest
from grouped import together
from urdf_faults import (
    AXIS,
    BILLION_LAUGHS,
    INERTIA,
    INERTIAL,
    JOINT,
    LIMIT,
    MASS,
    MESH,
    MIMIC,
    MIMICS,
    SHIPPED,
    Fault,
    broken,
    clean_text,
    limit,
    one_body,
    tensor,
)

import irbmodels as irb
from irbmodels import cli
from irbmodels.exchange.doctor import examine
from irbmodels.exchange.doctor import shapes as doctor_shapes
from irbmodels.exchange.doctor.shapes import Measure
from irbmodels.exchange.doctor.xml import (
    parse,
    read,
)

DOCS = Path(__file__).resolve().parents[2] / "docs"

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
    actual = examine(urdf(text.replace(quill, re.sub(LIMIT, limit(lower=-300, upper=0), quill))))
    assert [(finding.what, finding.name) for finding in actual] == [
        ("implausible range", "joint_3")
    ]


def test_set_of_faults_is_large():
    """At least forty faults are tried, of every kind but a missing robot."""
    assert len(BROKEN) >= 40


@together("name, coupling", SHIPPED)
def test_shipped_urdfs_are_clean(name, coupling):
    """The committed files have no error and no warning; notes only say that carriers and bars
    without data weigh nothing.
    """
    actual = examine(irb.urdf_path(name, coupling))
    assert {finding.what for finding in actual} <= {"stand-in mass"}
    assert {finding.severity for finding in actual} <= {"note"}
    bars = (
        {"link_carrier", "link_crank", "link_rod_carrier", "link_rod"}
        if coupling == "parallelogram"
        else set()
    )
    assert sorted(finding.name for finding in actual) == sorted(bars - set(oracles.weighed(name)))


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
    actual = [(finding.severity, finding.line) for finding in examine(urdf(text))]
    assert [severity for severity, _ in actual] == ["error", "warning"] + ["note"] * 4
    assert actual[2:] == sorted(actual[2:])
    line = text[: text.index('<axis xyz="0 0 0"/>')].count("\n") + 1
    assert actual[0] == ("error", line)


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
    actual = [finding for finding in examine(urdf(text)) if finding.severity == "error"]
    assert [(finding.what, finding.name) for finding in actual] == [("mimic circle", "joint_2")]
    assert actual[0].value == "'joint_2' -> 'joint_carrier' -> 'joint_2'"


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
    code, printed, stderr = run(irb.urdf_path("irb2400", "parallelogram"))
    assert (code, printed.count("\n"), stderr) == (0, 4, "0 errors, 0 warnings, 4 notes\n")
    for inertia, stderr in (
        (tensor(1, 1, 9), "1 error, 0 warnings, 0 notes\n"),
        (tensor(1, 1, 1), "0 errors, 1 warning, 0 notes\n"),
    ):
        code, printed, complaint = run(urdf(one_body("1", inertia)))
        assert (code, printed.count("\n"), complaint) == (1, 1, stderr)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("oops", "not XML"),
        ("<sdf/>", "the root element is 'sdf', not 'robot'"),
        (BILLION_LAUGHS, "declares an XML entity"),
        (None, "No such file"),
    ],
)
def test_unusable_files_are_one_line(content, words, run, urdf, tmp_path):
    """No XML, no robot, no file: one line on stderr and exit code 2."""
    path = tmp_path / "absent.urdf" if content is None else urdf(content)
    code, printed, stderr = run(path)
    assert (code, printed) == (2, "")
    assert stderr.startswith("error: ")
    assert words in stderr
    assert stderr.count("\n") == 1


def test_json_holds_every_field(run, urdf):
    """--json prints findings and repairs as lists of objects, empty ones for a clean file."""
    path = urdf(one_body("1", tensor(1, 1, 9)))
    code, printed, _ = run(path, "--json")
    record = json.loads(printed)
    assert (code, record["file"], record["repairs"]) == (1, str(path), [])
    assert record["findings"] == [finding._asdict() for finding in examine(path)]
    clean = json.loads(run(irb.urdf_path("irb1600"), "--json")[1])
    assert (clean["findings"], clean["repairs"]) == ([], [])


def test_repair_on_the_command_line(run, urdf, tmp_path):
    """--repair writes the other file and says what moved; onto the file itself it is one line, and
    the file stays.
    """
    path, out = urdf(one_body("1", tensor(1, 1, 9))), tmp_path / "out.urdf"
    code, _, stderr = run(path, "--repair", out)
    assert code == 1  # about the file that was examined
    assert "repaired link 'body': tensor moved by" in stderr
    assert run(out)[0] == 0
    content = path.read_bytes()
    code, printed, stderr = run(path, "--repair", path)
    assert (code, printed, stderr.count("\n")) == (2, "", 1)
    assert "is the file that is examined" in stderr
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
    """docs/howto/doctor.md names what the doctor looks for."""
    page = (DOCS / "howto" / "doctor.md").read_text(encoding="utf-8")
    assert {fault.what for fault in BROKEN if f"`{fault.what}`" not in page} == set()
