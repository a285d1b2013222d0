"""The macros on made-up rows, and the expanded URDF of every robot against numbers typed
elsewhere.
"""

from __future__ import annotations

import itertools
import re
from pathlib import Path
from xml.etree import ElementTree

import numpy as np
import oracles
import pytest
import xacro
from grouped import together

import irbmodels as irb

ENTRY = oracles.URDF / "irb.urdf.xacro"
ROWS = list(itertools.product((0, 90, -90, 180), (0, 90, -90, 180, 37)))  # alpha, theta0 [deg]
SHIPPED = [(name, coupling) for name in oracles.NAMES for coupling in irb.describe(name).couplings]
TENSOR = "{xx: 0.11, yy: 0.12, zz: 0.13, xy: 0.014, xz: -0.015, yz: 0.016}"
BODY = f"{{mass_kg: 3, com_mm: [11, -22, 33], inertia_kg_m2: {TENSOR}, source: made}}"
SOURCE = "sources: {made: {ref: made up, grade: assumed}}\n"


def write_robot(
    folder: Path, joints: list[str], links: str | None = None, tool0: str = "", extra: str = ""
) -> Path:
    """Write the tables of a robot whose joints have the given MDH rows; ``slides`` in a row's place
    marks its kind.
    """
    folder.mkdir(parents=True)
    numbers = range(1, len(joints) + 1)
    tool0 = tool0 or "{alpha_deg: 0, a_mm: 7, d_mm: 9, theta0_deg: 0, source: made}"
    rows = "".join(f"  joint_{i}: {row}\n" for i, row in zip(numbers, joints, strict=True))
    (folder / "kinematics.yaml").write_text(
        f"{SOURCE}joints:\n{rows}tool0: {tool0}\nvariants:\n  made: {{}}\n{extra}"
    )
    axes = ""
    for i, row in zip(numbers, joints, strict=True):
        turning = "range_deg: [-170, 180], speed_deg_s: 90, effort_N_m: 12"
        sliding = "range_mm: [-300, 400], speed_mm_s: 500, effort_N: 34"
        coupled = "range_of: q3 - q2, " if extra and i == 3 else ""
        axes += (
            f"  axis_{i}: {{{coupled}{sliding if 'prismatic' in row else turning}, source: made}}\n"
        )
    bodies = links or "".join(
        f"      {link}: {BODY}\n" for link in ("base_link", *(f"link_{i}" for i in numbers))
    )
    mass = sum(float(text) for text in re.findall(r"mass_kg: ([\d.]+)", bodies))
    ratings = f"ratings: {{payload_kg: 1, reach_mm: 1, mass_kg: {mass}, source: made}}\n"
    (folder / "limits.yaml").write_text(f"{SOURCE}axes:\n{axes}{ratings}")
    sets = f"default: made\nsets:\n  made:\n    about: made up\n    links:\n{bodies}"
    (folder / "inertials.yaml").write_text(SOURCE + sets)
    (folder / "friction.yaml").write_text("sources: {}\nsets: {}\n")
    (folder / "drives.yaml").write_text("sources: {}\naxes: {}\n")
    (folder / "shapes.yaml").write_text("links: {}\n")
    return folder


def row(alpha: float, theta0: float, kind: str = "revolute", a: float = 120, d: float = -80) -> str:
    """Return an MDH row with both lengths away from zero."""
    return (
        f"{{type: {kind}, alpha_deg: {alpha}, a_mm: {a}, d_mm: {d}, theta0_deg: {theta0}, source:"
        " made}"
    )


def joints_of(text: str) -> dict[str, ElementTree.Element]:
    """Return the joints of a URDF by name, in document order."""
    return {
        str(joint.get("name")): joint for joint in ElementTree.fromstring(text).iterfind("joint")
    }


def numbers(tag: ElementTree.Element, *names: str) -> list[float]:
    """Return attributes as numbers."""
    return [float(value) for name in names for value in tag.get(name, "").split()]


def origin_of(joint: ElementTree.Element) -> np.ndarray:
    """Return a joint's placement as URDF defines it: Rz(yaw) Ry(pitch) Rx(roll) after the
    translation.
    """
    roll, pitch, yaw = numbers(joint.find("origin"), "rpy")
    turn = oracles.rotation(2, yaw) @ oracles.rotation(1, pitch) @ oracles.rotation(0, roll)
    return oracles.shift(*numbers(joint.find("origin"), "xyz")) @ turn


@pytest.fixture(scope="module")
def chains(tmp_path_factory):
    """Two robots of 20 joints, one for every row: all revolute, all prismatic."""
    root = tmp_path_factory.mktemp("chains")
    return {
        kind: write_robot(root / kind, [row(*pair, kind) for pair in ROWS])
        for kind in ("revolute", "prismatic")
    }


@together("kind", ["revolute", "prismatic"])
@together("alpha, theta0", ROWS)
def test_joint_origin_is_the_constant_part_of_its_mdh_row(chains, kind, alpha, theta0):
    """The joint's xyz and rpy are Rx(alpha) Tx(a) Rz(theta0) Tz(d), for every alpha that URDF can
    hold.
    """
    joint = joints_of(irb.describe(chains[kind]).urdf())[f"joint_{ROWS.index((alpha, theta0)) + 1}"]
    expected = oracles.mdh(np.radians(alpha), 0.120, -0.080, np.radians(theta0))
    np.testing.assert_allclose(origin_of(joint), expected, rtol=0, atol=1e-15)
    assert joint.get("type") == kind
    assert numbers(joint.find("axis"), "xyz") == [0, 0, 1]


@pytest.mark.parametrize("kind", ["revolute", "prismatic"])
def test_pose_of_a_made_up_robot_is_its_mdh_product(chains, kind):
    """A chain of all rows at once stands where the plain product says."""
    robot = irb.load(chains[kind])
    for q in np.random.default_rng(0).uniform(-0.5, 0.5, (5, len(ROWS))):
        expected = np.eye(4)
        for (alpha, theta0), position in zip(ROWS, q, strict=True):
            moved = (0.0, position) if kind == "prismatic" else (position, 0.0)
            expected = expected @ oracles.mdh(
                np.radians(alpha), 0.120, -0.080 + moved[1], np.radians(theta0) + moved[0]
            )
        np.testing.assert_allclose(
            robot.pose(q).homogeneous, expected @ oracles.shift(0.007, 0, 0.009), atol=1e-13
        )


def test_mixed_chain(tmp_path):
    """Revolute and prismatic rows in turn, each with its own limits in rad or m."""
    kinds = ["revolute", "prismatic", "prismatic", "revolute"]
    folder = write_robot(tmp_path / "mixed", [row(90, 37, kind) for kind in kinds])
    robot, q, expected = irb.load(folder), np.array([0.3, -0.2, 0.1, -0.4]), np.eye(4)
    for kind, position in zip(kinds, q, strict=True):
        turned, slid = (position, 0.0) if kind == "revolute" else (0.0, position)
        expected = expected @ oracles.mdh(np.pi / 2, 0.120, -0.080 + slid, np.radians(37) + turned)
    np.testing.assert_allclose(
        robot.pose(q).homogeneous, expected @ oracles.shift(0.007, 0, 0.009), atol=1e-14
    )
    for kind, joint in zip(
        kinds, list(joints_of(irb.describe(folder).urdf()).values())[1:], strict=False
    ):
        si = (
            [np.radians(-170), np.pi, np.pi / 2, 12] if kind == "revolute" else [-0.3, 0.4, 0.5, 34]
        )
        np.testing.assert_allclose(
            numbers(joint.find("limit"), "lower", "upper", "velocity", "effort"), si, rtol=1e-15
        )


@pytest.mark.parametrize("theta0", [0, 90, -90, 180, 30, 89.99])
@pytest.mark.parametrize("alpha", [45, -60, 89.98, -90.02, 0.001, 179.9])
def test_any_alpha_is_exact(tmp_path, alpha, theta0):
    """A calibrated twist goes through roll, pitch and yaw without losing digits, near their
    singular pitch too.
    """
    robot = irb.load(write_robot(tmp_path / "bent", [row(0, 0), row(alpha, theta0)]))
    pose = oracles.mdh(0, 0.120, -0.080, 0.3) @ oracles.mdh(
        np.radians(alpha), 0.120, -0.080, np.radians(theta0) - 0.2
    )
    np.testing.assert_allclose(
        robot.pose([0.3, -0.2]).homogeneous, pose @ oracles.shift(0.007, 0, 0.009), atol=1e-14
    )


@pytest.mark.parametrize(
    "wrong",
    [
        "alpha_deg: 90, a_mm: 0, d_mm: 9, theta0_deg: 0",
        "alpha_deg: 0, a_mm: 0, d_mm: 9, theta0_deg: 5",
    ],
)
def test_turned_tool0_stops(tmp_path, wrong):
    """tool0 only stands off along x and z of the last frame."""
    folder = write_robot(tmp_path / "turned", [row(0, 0)], tool0=f"{{{wrong}, source: made}}")
    with pytest.raises(irb.UrdfError, match="tool0: only a and d may differ from 0"):
        irb.load(folder)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"robot": "irb2401"}, "no robot irb2401; known: irb2400_10"),
        (
            {"robot": "irb2400", "inertials": "obal"},
            "no parameter set obal in irb2400; known: obal2025",
        ),
        (
            {"robot": "irb1600", "coupling": "parallelogram"},
            "irb1600_6_120 has no coupling parallelogram",
        ),
        ({"robot": "irb2400", "coupling": "seriel"}, "irb2400_16 has no coupling seriel"),
        ({}, "robot"),
    ],
)
def test_xacro_alone_stops_on_wrong_arguments(arguments, message):
    """Called without the package, the entry refuses what does not exist, and has no default
    robot.
    """
    with pytest.raises(Exception, match=message):
        xacro.process_file(str(ENTRY), mappings=dict(arguments))


def test_xacro_alone_puts_no_bars_on_an_open_chain():
    """Of a set with bars the serial tree gets the one that stands for it, and the robot its whole
    mass.
    """
    text = xacro.process_file(
        str(ENTRY), mappings={"robot": "irb1400", "coupling": "serial"}
    ).toxml()
    masses = [
        float(tag.get("value"))
        for tag in ElementTree.fromstring(text).iterfind("link/inertial/mass")
    ]
    assert sum(masses) == pytest.approx(225.0, abs=1e-3)
    assert "set cad_lumped" in text


@pytest.mark.parametrize(
    "arguments",
    [{"robot": "irb2400"}, {"robot": "irb2400", "tool": "spindle"}, {"robot": "irb1600_10_145"}],
)
def test_xacro_alone_gives_the_same_robot(arguments):
    """The entry works without the package: an alias, a tool by its name, every default."""
    alone = joints_of(xacro.process_file(str(ENTRY), mappings=dict(arguments)).toxml())
    packaged = joints_of(irb.describe(arguments["robot"]).urdf(tool=arguments.get("tool")))
    assert list(alone) == list(packaged)
    for name, joint in alone.items():
        np.testing.assert_array_equal(origin_of(joint), origin_of(packaged[name]))


ENTRIES = {"xx": (0, 0), "yy": (1, 1), "zz": (2, 2), "xy": (0, 1), "xz": (0, 2), "yz": (1, 2)}


@pytest.mark.parametrize("entry", ENTRIES)
def test_every_inertia_entry_lands_in_its_place_with_its_sign(tmp_path, entry):
    """Each table entry is the URDF attribute and the tensor entry of the same name: products are
    -int, nothing is swapped.
    """
    folder = write_robot(tmp_path / "body", [row(0, 0)])
    written = {"xx": 0.11, "yy": 0.12, "zz": 0.13, "xy": 0.014, "xz": -0.015, "yz": 0.016}
    link = ElementTree.fromstring(irb.describe(folder).urdf()).find("link[@name='link_1']/inertial")
    assert float(link.find("inertia").get(f"i{entry}")) == written[entry]
    body = irb.load(folder).model.inertias[1]
    assert body.inertia[ENTRIES[entry]] == pytest.approx(written[entry], abs=1e-15)
    assert body.inertia[ENTRIES[entry][::-1]] == pytest.approx(written[entry], abs=1e-15)


def test_mass_and_centre_land_in_their_place(tmp_path):
    """Millimetres become metres, in the axes of the link."""
    folder = write_robot(tmp_path / "body", [row(90, 37)])
    link = ElementTree.fromstring(irb.describe(folder).urdf()).find("link[@name='link_1']/inertial")
    np.testing.assert_allclose(
        numbers(link.find("origin"), "xyz"), [0.011, -0.022, 0.033], rtol=1e-15
    )
    assert numbers(link.find("origin"), "rpy") == [0, 0, 0]
    assert float(link.find("mass").get("value")) == 3
    np.testing.assert_allclose(
        irb.load(folder).model.inertias[1].lever, [0.011, -0.022, 0.033], rtol=1e-15
    )


@pytest.mark.parametrize(("name", "coupling"), SHIPPED)
def test_limits_of_every_axis_are_in_si_units(name, coupling):
    """Ranges are the typed ones, on the angle that the joint measures; speeds and efforts are those
    of the tables.
    """
    actual, limits = joints_of(irb.describe(name).urdf(coupling)), irb.load(name).limits
    for i, (low, high) in enumerate(oracles.ranges(name)):
        if coupling == "parallelogram" and i == 2:
            low, high = oracles.ranges(name)[1] + (low, high)
        limit = numbers(
            actual[f"joint_{i + 1}"].find("limit"), "lower", "upper", "velocity", "effort"
        )
        np.testing.assert_allclose(
            limit, [low, high, limits.velocity[i], limits.effort[i]], rtol=1e-14
        )


def test_range_of_joint_3_of_the_2400():
    """The serial joint_3 has the catalogue's -60..65 deg, the parallelogram's the envelope
    -160..175 deg.
    """
    for coupling, degrees in (("serial", [-60, 65]), ("parallelogram", [-160, 175])):
        limit = joints_of(irb.describe("irb2400").urdf(coupling))["joint_3"].find("limit")
        np.testing.assert_allclose(
            np.degrees(numbers(limit, "lower", "upper")), degrees, rtol=1e-14
        )


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_bars_may_go_wherever_the_axes_may(name):
    """For every position in range, each joint of the tree, carriers and bars included, is within
    its own limits.
    """
    robot = irb.load(name, coupling="parallelogram")
    bounds, rng = oracles.ranges(name), np.random.default_rng(0)
    q = rng.uniform(bounds[:, 0], bounds[:, 1], (500, 6))
    q[:, 2] += q[:, 1]
    G, q0 = robot.coupling
    model, tree_q = robot.model, q @ G.T + q0
    assert (tree_q >= model.lowerPositionLimit - 1e-12).all()
    assert (tree_q <= model.upperPositionLimit + 1e-12).all()
    # and not wider than needed
    np.testing.assert_allclose(tree_q.min(axis=0), model.lowerPositionLimit, atol=0.35)
    np.testing.assert_allclose(tree_q.max(axis=0), model.upperPositionLimit, atol=0.35)


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_source_of_every_mimic_stands_before_it(name):
    """Parsers that look a mimic's source up at once find it, in document and in alphabetical order
    of the siblings.
    """
    seen = []
    for joint in joints_of(irb.describe(name).urdf("parallelogram")).values():
        mimic = joint.find("mimic")
        assert mimic is None or mimic.get("joint") in seen
        seen.append(joint.get("name"))


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_serial_twin_has_no_bars_and_no_mimics(name):
    """The open chain is one joint per axis."""
    actual = joints_of(irb.describe(name).urdf("serial"))
    assert [joint for joint in actual if joint.startswith("joint_")] == [
        f"joint_{i}" for i in range(1, 7)
    ]
    assert all(joint.find("mimic") is None for joint in actual.values())


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_bars_without_data_weigh_next_to_nothing(name):
    """In exchange files carriers and bars weigh 1e-6 kg and 1e-9 kg m^2, inside Robot nothing."""
    bars = ("link_carrier", "link_crank", "link_rod_carrier", "link_rod")
    chosen = {"irb1400": "stretched"}.get(name)
    robot = ElementTree.fromstring(irb.describe(name).urdf("parallelogram", chosen))
    for bar in bars:
        body = robot.find(f"link[@name='{bar}']/inertial")
        assert float(body.find("mass").get("value")) == 1e-6
        inertia = numbers(body.find("inertia"), "ixx", "iyy", "izz", "ixy", "ixz", "iyz")
        np.testing.assert_allclose(inertia, [1e-9, 1e-9, 1e-9, 0, 0, 0], rtol=1e-12)
    model = irb.load(name, coupling="parallelogram", parameters=chosen).model
    for bar in bars:
        body = model.inertias[model.frames[model.getFrameId(bar)].parentJoint]
        assert body.mass == 0.0
        assert not body.inertia.any()


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_bars_with_data_have_their_own_inertials(name):
    """Of a set that weighs crank and rod both are in the URDF and inside Robot as the table says;
    the carriers are stand-ins.
    """
    urdf = ElementTree.fromstring(irb.describe(name).urdf("parallelogram", "cad"))
    model = irb.load(name, parameters="cad").model
    for bar in ("link_crank", "link_rod"):
        mass, com, tensor = oracles.inertial(oracles.weighed(name, "cad")[bar])
        body = urdf.find(f"link[@name='{bar}']/inertial")
        assert float(body.find("mass").get("value")) == mass
        np.testing.assert_allclose(numbers(body.find("origin"), "xyz"), com, rtol=1e-12)
        entries = numbers(body.find("inertia"), "ixx", "ixy", "ixz", "iyy", "iyz", "izz")
        np.testing.assert_allclose(entries, tensor[np.triu_indices(3)], rtol=1e-12)
        inside = model.inertias[model.frames[model.getFrameId(bar)].parentJoint]
        assert inside.mass == mass
        np.testing.assert_allclose(inside.inertia, tensor, rtol=1e-9, atol=1e-15)
    for carrier in ("link_carrier", "link_rod_carrier"):
        assert float(urdf.find(f"link[@name='{carrier}']/inertial/mass").get("value")) == 1e-6
        assert model.inertias[model.frames[model.getFrameId(carrier)].parentJoint].mass == 0.0


@together("name", oracles.NAMES)
def test_frames_without_bodies_say_that_they_weigh_nothing(name):
    """base, flange, tool0 and tcp have an explicit mass of 0, or PyBullet would give each 1 kg."""
    robot = ElementTree.fromstring(irb.describe(name).urdf())
    for frame in ("base", "flange", "tool0", "tcp"):
        assert robot.find(f"link[@name='{frame}']/inertial/mass").get("value") == "0"


@together("name", oracles.NAMES)
def test_tree_is_one_tree(name):
    """Every link but the root is the child of exactly one joint, and names are unique."""
    for coupling in irb.describe(name).couplings:
        robot = ElementTree.fromstring(irb.describe(name).urdf(coupling))
        links = [link.get("name") for link in robot.iterfind("link")]
        children = [joint.find("child").get("link") for joint in robot.iterfind("joint")]
        assert sorted(links) == sorted(["base_link", *children])
        assert len(set(links)) == len(links)
        assert robot.get("name") == name


def test_looks_can_be_left_out():
    """Without looks there are no visuals, and the dynamics are the same."""
    dressed, bare = irb.describe("irb2400").urdf(), irb.describe("irb2400").urdf(looks=False)
    assert "<visual>" in dressed
    assert "<visual>" not in bare
    assert list(joints_of(dressed)) == list(joints_of(bare))


def test_shapes_lie_along_their_axis(tmp_path):
    """Cylinders and capsules point along the named axis of the link; a capsule's ends are half its
    length away.
    """
    folder = write_robot(tmp_path / "shapes", [row(0, 0)])
    shapes = "".join(
        f"    - {{shape: capsule, axis: {axis}, at_mm: [10, 20, 30], radius_mm: 5, length_mm: 80,"
        " colour: grey}\n"
        for axis in "xyz"
    )
    box = "    - {shape: box, at_mm: [1, 2, 3], size_mm: [100, 200, 300], colour: orange}\n"
    (folder / "shapes.yaml").write_text(f"links:\n  link_1:\n{shapes}{box}")
    visuals = ElementTree.fromstring(irb.describe(folder).urdf()).findall(
        "link[@name='link_1']/visual"
    )
    assert len(visuals) == 10
    for axis in range(3):
        body, *ends = visuals[3 * axis : 3 * axis + 3]
        np.testing.assert_allclose(np.abs(origin_of(body)[:3, 2]), np.eye(3)[axis], atol=1e-15)
        np.testing.assert_allclose(origin_of(body)[:3, 3], [0.01, 0.02, 0.03])
        assert numbers(body.find("geometry/cylinder"), "radius", "length") == [0.005, 0.08]
        for end, side in zip(ends, (-1, 1), strict=True):
            np.testing.assert_allclose(
                origin_of(end)[:3, 3], np.array([0.01, 0.02, 0.03]) + side * 0.04 * np.eye(3)[axis]
            )
            assert float(end.find("geometry/sphere").get("radius")) == 0.005
    assert numbers(visuals[-1].find("geometry/box"), "size") == [0.1, 0.2, 0.3]


def test_made_up_parallelogram_closes(tmp_path):
    """Any arm with parallel axes 2 and 3 may have the linkage, wherever its shoulder stands."""
    joints = [row(0, 20), row(-90, 37), row(0, 0, a=400, d=0), row(90, -90)]
    folder = write_robot(
        tmp_path / "linkage", joints, extra="parallelogram: {crank_mm: 150, source: made}\n"
    )
    robot = irb.load(folder, coupling="parallelogram")
    for q in np.random.default_rng(0).uniform(-1, 1, (10, 4)):
        end, lug = robot.pose(q, "link_rod", [0.4, 0, 0]), robot.pose(q, "link_3", [0, -0.15, 0])
        np.testing.assert_allclose(end.translation, lug.translation, atol=1e-14)
        serial = irb.load(folder, coupling="serial")
        np.testing.assert_allclose(
            robot.pose(q).homogeneous, serial.pose(q).homogeneous, atol=1e-14
        )
