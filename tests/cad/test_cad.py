"""The parametric CAD: its vocabulary, its mass properties, and that it follows the tables."""

from functools import cache, lru_cache
from pathlib import Path

import numpy as np
import pytest
import shipped
import trimesh
from manifold3d import Manifold

import irbmodels as irb
from irbmodels.cad import body, builds, positioner, shapes
from irbmodels.cad.body import AIR, ALUMINIUM, GEAR, IRON, MOTOR, Body, Part
from irbmodels.cad.link_frames import link_frames
from irbmodels.model.urdf import parse_urdf

ROOT = Path(__file__).resolve().parents[2]

AXES = ("x", "y", "z")
DIFFERENT = (
    "irb2400_16",
    "irb1400",
    "irb1600_6_120",
    "irb1600_6_145",
    "irb930_12_105",
    "irb930_12_085",
)


@lru_cache
def drawn(name):
    """Return the links of a robot, in millimetres of its base at home."""
    return builds.bodies(irb.describe(name))


def circle(radius, facets):
    """Return the area of a circle of so many facets, corners on the circle."""
    return 0.5 * facets * np.sin(2.0 * np.pi / facets) * radius**2


def turned(profile, facets):
    """Return the volume of a profile of (radius, height), turned about the axis."""
    (r, z), (r2, z2) = np.array(profile).T, np.roll(np.array(profile), -1, axis=0).T
    return circle(1.0, facets) * float(np.sum((z2 - z) * (r * r + r * r2 + r2 * r2)) / 3.0)


def moments(solid):
    """Return volume, first and second moments of a solid, by tetrahedra from the origin: int 1, r,
    r r' dV.
    """
    mesh = solid.to_mesh64()
    corners = mesh.vert_properties[:, :3][mesh.tri_verts] / 1000.0
    volumes = np.linalg.det(corners) / 6.0
    sums = corners.sum(axis=1)
    second = np.einsum("t,tki,tkj->ij", volumes, corners, corners) + np.einsum(
        "t,ti,tj->ij", volumes, sums, sums
    )
    return np.concatenate([[volumes.sum()], volumes @ sums / 4.0, second.ravel() / 20.0])


def from_moments(values):
    """Return the body with these moments of mass."""
    mass, com, second = values[0], values[1:4] / values[0], values[4:].reshape(3, 3)
    covariance = second - mass * np.outer(com, com)
    return irb.Inertial.of(mass, com, np.trace(covariance) * np.eye(3) - covariance)


def assert_same_body(actual, expected, rtol):
    """Compare two bodies, lengths and moments in units of their size."""
    size = np.sqrt(np.trace(expected.tensor) / expected.mass)
    np.testing.assert_allclose(actual.mass, expected.mass, rtol=rtol)
    np.testing.assert_allclose(actual.com, expected.com, rtol=0, atol=rtol * size)
    np.testing.assert_allclose(
        actual.tensor, expected.tensor, rtol=0, atol=rtol * np.trace(expected.tensor)
    )


# The vocabulary


@pytest.mark.parametrize(
    ("axis", "box"),
    [
        ("x", (0, 100 - 50, 600 - 20, 90, 100 - 30, 600 - 10)),  # x became -z
        ("y", (100 + 10, 0, 600 + 30, 100 + 20, 90, 600 + 50)),  # and y -z
        ("z", (100 + 10, 600 - 50, 0, 100 + 20, 600 - 30, 90)),
    ],
)
def test_placed_turns_a_solid_and_moves_it(axis, box):
    """A box with three different sides, away from the axis, shows every sign."""
    solid = shapes.block((10, 20), (-50, -30), (0, 90), edge=0.0)
    np.testing.assert_allclose(
        shapes.placed(solid, axis, (100.0, 600.0)).bounding_box(), box, atol=1e-9
    )


@pytest.mark.parametrize("axis", AXES)
def test_round_things_stand_where_they_are_put(axis):
    """Cylinders of every kind reach from low to high along their axis, in either order, and around
    ``at`` beside it.
    """
    across = [name for name in AXES if name != axis]
    box = {axis: (-30.0, 90.0), across[0]: (60.0, 140.0), across[1]: (575.0, 655.0)}
    expected = [box[name][end] for end in (0, 1) for name in AXES]
    for solid in (
        shapes.disc(40, -30, 90, axis, (100, 615)),
        shapes.disc(40, 90, -30, axis, (100, 615), edge=15.0),
        shapes.plain(40, 90, -30, axis, (100, 615)),
        shapes.cone(40, 20, -30, 90, axis, (100, 615)),
        shapes.lathe([(0, -30), (40, 0), (30, 90), (0, 90)], axis, (100, 615)),
    ):
        np.testing.assert_allclose(solid.bounding_box(), expected, atol=1e-9)


def test_volumes_of_round_things():
    """Cylinder, cone, turned profile and rounded rim have the volume of their facets."""
    assert shapes.plain(40, 0, 90).volume() == pytest.approx(circle(40, 24) * 90, rel=1e-12)
    assert shapes.cone(40, 20, 0, 90).volume() == pytest.approx(
        circle(1, 24) * 90 * (1600 + 800 + 400) / 3, rel=1e-12
    )
    profile = [(0, 0), (50, 0), (30, 20), (30, 60), (0, 70)]
    assert shapes.lathe(profile).volume() == pytest.approx(turned(profile, 24), rel=1e-12)
    for edge, steps in ((6.0, 2), (15.0, 3)):  # facets of a rounded rim
        angles = np.radians(np.linspace(0.0, 90.0, steps + 1))
        upper = [(40 - edge + edge * np.cos(a), 90 - edge + edge * np.sin(a)) for a in angles]
        rounded = [(0, 0), *((r, 90 - z) for r, z in upper[::-1]), *upper, (0, 90)]
        assert shapes.disc(40, 0, 90, edge=edge).volume() == pytest.approx(
            turned(rounded, 24), rel=1e-8
        )


def test_blocks():
    """Bounds are kept with and without rounding; the rounded volume is Steiner's within 1 %."""
    bounds = (-10.0, 20.0, 5.0, 90.0, 80.0, 45.0)
    for edge in (0.0, 8.0, 500.0):
        block = shapes.block((-10, 90), (20, 80), (5, 45), edge)
        np.testing.assert_allclose(block.bounding_box(), bounds, atol=1e-9)
    assert shapes.block((-10, 90), (20, 80), (5, 45), 0.0).volume() == pytest.approx(
        100 * 60 * 40, rel=1e-12
    )
    e = 8.0
    a, b, c = 100 - 2 * e, 60 - 2 * e, 40 - 2 * e
    steiner = (
        a * b * c
        + 2 * e * (a * b + b * c + c * a)
        + np.pi * e**2 * (a + b + c)
        + 4 / 3 * np.pi * e**3
    )
    assert shapes.block((-10, 90), (20, 80), (5, 45), e).volume() == pytest.approx(
        steiner, rel=0.01
    )


def test_mirrored_and_union_and_hull():
    """The mirror image is in y = 0; a union counts an overlap once; a hull fills what is
    between.
    """
    one = shapes.block((0, 10), (5, 15), (0, 10), 0.0)
    both = shapes.mirrored(one)
    np.testing.assert_allclose(both.bounding_box(), (0, -15, 0, 10, 15, 10))
    assert both.volume() == pytest.approx(2000)
    assert shapes.hull(both).volume() == pytest.approx(3000)
    assert shapes.union(one, one.translate((5.0, 0.0, 0.0))).volume() == pytest.approx(1500)


@pytest.mark.parametrize("axis", AXES)
def test_bolts_stand_on_their_circle(axis):
    """Five bolts of a full turn, the first where ``phase`` says, all of them around the axis that
    was named.
    """
    group = shapes.bolts(5, 80.0, 6.0, 10.0, 30.0, axis, (100.0, 600.0), phase=20.0).decompose()
    assert len(group) == 5
    assert sum(bolt.volume() for bolt in group) == pytest.approx(5 * circle(6, 8) * 20)
    middle = np.array([bolt.bounding_box() for bolt in group]).reshape(5, 2, 3).mean(axis=1)
    at = {"x": (20.0, 100.0, 600.0), "y": (100.0, 20.0, 600.0), "z": (100.0, 600.0, 20.0)}[axis]
    away = middle - at
    along, first, second = {
        "x": (0, [0, 0, -1], [0, 1, 0]),
        "y": (1, [1, 0, 0], [0, 0, -1]),
        "z": (2, [1, 0, 0], [0, 1, 0]),
    }[axis]
    np.testing.assert_allclose(away[:, along], 0.0, atol=1e-9)
    turns = np.degrees(np.arctan2(away @ second, away @ first))  # right-handed about the axis
    np.testing.assert_allclose(np.sort(turns % 360.0), [20, 92, 164, 236, 308], atol=1e-6)
    np.testing.assert_allclose(np.linalg.norm(away, axis=1), 80.0, atol=1e-6)


@pytest.mark.parametrize("axis", AXES)
@pytest.mark.parametrize("end", [300.0, -100.0])
def test_motors_point_from_start_to_end(axis, end):
    """The thick flange is at ``start``, the thinner cap at ``end``, also backward; the connector
    box is where ``box`` says.
    """
    motor, number = shapes.motor(60.0, 100.0, end, axis, (0.0, 0.0), box=90.0), AXES.index(axis)
    low, high = np.reshape(motor.bounding_box(), (2, 3))
    assert (low[number], high[number]) == pytest.approx((min(100.0, end), max(100.0, end)))
    unit, length = np.eye(3)[number], end - 100.0

    def slice_at(share):
        place = 100.0 + share * length
        return motor.trim_by_plane(unit, place - 5.0).trim_by_plane(-unit, -place - 5.0).volume()

    assert slice_at(0.1) > 1.05 * slice_at(0.9)
    # 90 deg about x, y, z from -z, x, x: y, -z, y
    where, reach = {"x": (1, high), "y": (2, low), "z": (1, high)}[axis]
    assert abs(reach[where]) == pytest.approx(1.25 * 60.0, rel=1e-9)
    others = np.delete(
        np.abs([low, high]).ravel(), [number, number + 3, where + (3 if reach is high else 0)]
    )
    assert others.max() < 61.0


def test_arcs_and_skins():
    """An arc ends where it should; a skin over equal circles is a cylinder of as many facets, and
    closed.
    """
    points = np.array(shapes.arc((100.0, 50.0), 10.0, -90.0, 0.0))
    np.testing.assert_allclose(points[[0, -1]], [(100, 40), (110, 50)], atol=1e-9)
    np.testing.assert_allclose(np.linalg.norm(points - [100, 50], axis=1), 10.0, atol=1e-9)
    ring = np.array([(x, y, 0.0) for x, y in shapes.arc((0.0, 0.0), 20.0, 22.5, 360.0, 15)])
    up = np.array([0.0, 0.0, 35.0])
    skin = shapes.skinned([ring, ring + up, ring + 2.0 * up])
    assert skin.volume() == pytest.approx(circle(20, 16) * 70)
    assert skin.genus() == 0


# What a body weighs


def boxes():
    """Return parts that overlap on a grid of 1 mm, and the same as bounds and density."""
    rows = [
        (((2, 6), (2, 9), (1, 5)), MOTOR),
        (((4, 12), (3, 7), (2, 6)), AIR),
        (((0, 14), (0, 10), (0, 8)), IRON),
        (((10, 20), (4, 13), (3, 5)), ALUMINIUM),
    ]
    parts = tuple(Part(shapes.block(*bounds, edge=0.0), material) for bounds, material in rows)
    return parts, [(np.array(bounds).T, material) for bounds, material in rows]


def on_a_grid(rows, castings=1.0):
    """Return the body by adding up cubes of 1 mm: in each is the part that was named first."""
    places = np.stack(np.meshgrid(*[np.arange(0.5, 21.0)] * 3, indexing="ij"), axis=-1).reshape(
        -1, 3
    )
    density = np.zeros(len(places))
    for (low, high), material in reversed(rows):
        inside = ((places > low) & (places < high)).all(axis=1)
        density[inside] = material.density * (castings if material.closes else 1.0)
    mass, places = density * 1e-9, places / 1000.0
    second = np.einsum("k,ki,kj->ij", mass, places, places) + mass.sum() * np.eye(3) * 1e-6 / 12.0
    return from_moments(np.concatenate([[mass.sum()], mass @ places, second.ravel()]))


@pytest.mark.parametrize("castings", [1.0, 1.7])
def test_where_parts_overlap_the_first_is_there(castings):
    """Mass, CoM and tensor of overlapping boxes are those of a sum over cubes; air is a cavity in
    what comes after it.
    """
    parts, rows = boxes()
    assert_same_body(Body(parts, ()).weighed(castings), on_a_grid(rows, castings), 1e-12)
    turned_round = Body(parts[::-1], ()).weighed(castings)
    assert_same_body(turned_round, on_a_grid(rows[::-1], castings), 1e-12)
    assert turned_round.mass > Body(parts, ()).weighed(castings).mass * 1.1


def test_split_parts_do_not_overlap():
    """Together they have the volume of the union; the first is whole."""
    body_ = Body(boxes()[0], ())
    solids = [solid for solid, _ in body_.split]
    whole = shapes.union(*(part.solid for part in body_.parts))
    assert sum(solid.volume() for solid in solids) == pytest.approx(whole.volume(), rel=1e-12)
    assert solids[0].volume() == pytest.approx(body_.parts[0].solid.volume(), rel=1e-12)


@pytest.mark.parametrize("name", DIFFERENT)
def test_parts_are_named_in_the_order_that_hollows_castings(name):
    """A cavity lies (bores: half of it) in what is named after it; motors and gears lose little,
    castings keep their walls.
    """
    for link, one in drawn(name).items():
        for number, (part, (left, material)) in enumerate(zip(one.parts, one.split, strict=True)):
            where, kept = f"{link} {number} {material.name}", left.volume() / part.solid.volume()
            if material is AIR:
                later = [
                    other.solid for other in one.parts[number + 1 :] if other.material is not AIR
                ]
                assert (left ^ shapes.union(*later)).volume() > 0.45 * left.volume(), where
            elif material in (MOTOR, GEAR):
                assert kept > 0.7, where  # of a nut the bore is lost
            elif material.closes:
                assert kept > 0.15, where


def test_a_prism_has_the_tensor_of_the_formula():
    """A regular 24-gon of iron on the y axis: m r^2 / 6 (2 + cos) about it, half of that and m h^2
    / 12 across.
    """
    r, h, corner = 0.04, 0.09, np.cos(2 * np.pi / 24)
    actual = Body((Part(shapes.plain(40, -30, 60, "y", (100, 600)), IRON),), ()).weighed()
    mass = circle(r, 24) * h * IRON.density
    polar = mass * r**2 / 6 * (2 + corner)
    across = polar / 2 + mass * h**2 / 12
    assert_same_body(
        actual, irb.Inertial.of(mass, (0.1, 0.015, 0.6), np.diag([across, polar, across])), 1e-12
    )


def test_castings_close_to_the_mass():
    """The factor scales what closes and nothing else, and the bodies then weigh what was asked."""
    cast, bought = (
        shapes.block((0, 100), (0, 100), (0, 100), 0.0),
        shapes.block((50, 150), (0, 100), (0, 100), 0.0),
    )
    bodies = {
        "one": Body((Part(bought, MOTOR), Part(cast, IRON)), ()),
        "two": Body((Part(cast, ALUMINIUM),), ()),
    }
    factor = body.closing(bodies, 12.0)
    assert factor == pytest.approx((12.0 - 4.5) / (3.6 + 2.7))
    assert sum(one.weighed(factor).mass for one in bodies.values()) == pytest.approx(
        12.0, rel=1e-12
    )


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "irb930_12_105"])
def test_links_weigh_what_an_integral_says(name):
    """Each part adds its density times what the union grew by, integrated over tetrahedra; and the
    whole closes.
    """
    bodies, weighed = drawn(name), builds.weighed(irb.describe(name))
    poses, total = link_frames(irb.describe(name)), 0.0
    for link, one in bodies.items():
        values, before, whole = np.zeros(13), np.zeros(13), Manifold()
        for part in one.parts:
            whole = whole + part.solid
            now = moments(whole)
            values += (
                (now - before)
                * part.material.density
                * (weighed.castings if part.material.closes else 1.0)
            )
            before = now
        expected = from_moments(values)
        assert_same_body(one.weighed(weighed.castings), expected, 1e-6)
        turn, place = poses[link][:3, :3].T, poses[link][:3, 3]
        # of light parts 0.1 g are lost
        assert_same_body(weighed.bodies[link], expected.moved(turn, -turn @ place), 2e-3)
        total += values[0]
    assert total == pytest.approx(irb.describe(name).limits.ratings.mass_kg, rel=1e-9)


# What was committed of it


@shipped.of_variants(shipped.WEIGHED)
def test_the_cad_weighs_what_the_robot_weighs(name):
    """The links of the set sum to the catalogue mass within 0.1 %, bars included; no density is far
    from its metal's.
    """
    robot = irb.describe(name)
    rows = robot.inertials.sets["cad"].links
    assert set(rows) == set(robot.links)
    assert sum(row.mass_kg for row in rows.values()) == pytest.approx(
        robot.limits.ratings.mass_kg, rel=1e-3
    )
    castings = body.closing(drawn(name), robot.limits.ratings.mass_kg)
    assert 0.6 < castings < 1.5


@shipped.of_variants(shipped.WEIGHED)
def test_the_cad_is_a_body_inside_what_is_seen(name):
    """Every tensor is possible, and the centre of mass lies inside the hull of the visual meshes as
    committed.
    """
    robot = irb.describe(name)
    for link in robot.links:
        actual = robot.inertials.sets["cad"].links[link].inertial()
        assert actual.impossibilities() == [], link
        hull = hull_of_files(tuple(row.file for row in robot.shapes.links[link]))
        depth = ((hull.triangles[:, 0] - actual.com) * hull.face_normals).sum(axis=1).min()
        assert depth > 1e-3, link
        low, high = hull.bounds
        # all of it at the ends of the diagonal
        largest = actual.mass * np.linalg.norm(high - low) ** 2 / 4.0
        assert np.linalg.eigvalsh(actual.tensor)[-1] < largest, link


@cache
def hull_of_files(files):
    """Return the convex hull of meshes, which variants of a family share."""
    meshes = [trimesh.load(ROOT / "meshes" / file, process=False) for file in files]
    return trimesh.convex.convex_hull(np.concatenate([mesh.vertices for mesh in meshes]))


@pytest.mark.parametrize("link", ["base_link", "tilt", "table"])
def test_the_positioner_is_made_of_bodies(link):
    """Its inertials in the URDF are those of the solids, rounded, possible, and with the centre of
    mass inside the meshes.
    """
    path = ROOT / "urdf" / "positioner" / "positioner.urdf"
    tag = next(
        tag
        for tag in parse_urdf(path.read_text(encoding="utf-8")).iter("link")
        if tag.get("name") == link
    )
    numbers = tag.find("inertial/inertia")
    xx, xy, xz, yy, yz, zz = (
        float(numbers.get(f"i{key}")) for key in ("xx", "xy", "xz", "yy", "yz", "zz")
    )
    com = np.array(tag.find("inertial/origin").get("xyz").split(), dtype=float)
    actual = irb.Inertial.of(
        float(tag.find("inertial/mass").get("value")),
        com,
        [[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]],
    )
    assert actual.impossibilities() == []
    expected = (
        positioner.bodies()[link].weighed().moved(np.eye(3), -positioner.frames()[link][:3, 3])
    )
    assert_same_body(actual, expected, 1e-3)
    files = [path.parent / mesh.get("filename") for mesh in tag.findall("visual/geometry/mesh")]
    hull = trimesh.convex.convex_hull(
        np.concatenate([trimesh.load(file, process=False).vertices for file in files])
    )
    assert ((hull.triangles[:, 0] - com) * hull.face_normals).sum(axis=1).min() > 1e-3


@pytest.mark.parametrize("name", DIFFERENT)
def test_meshes_enclose_what_the_solids_do(name):
    """Per link and colour, the volume inside the committed mesh is that of the solid within 1 %."""
    robot = irb.describe(name)
    for link, one in drawn(name).items():
        solids, rows = one.drawn(), robot.shapes.links[link]
        assert [row.colour for row in rows] == list(solids)
        for row, solid in zip(rows, solids.values(), strict=True):
            mesh = trimesh.load(ROOT / "meshes" / row.file, process=False)
            assert mesh.volume * 1e9 == pytest.approx(solid.volume(), rel=0.01), row.file


@shipped.of_variants(shipped.ALL)
def test_link_frames_are_the_robot_s(name):
    """Meshes and inertials are written in frames that are Robot's at home, the bars' included."""
    robot = irb.load(name)
    poses = link_frames(irb.describe(name))
    assert set(poses) == set(irb.describe(name).links)
    for link, pose in poses.items():
        np.testing.assert_allclose(
            pose, robot.pose(np.zeros(robot.n), link).homogeneous, atol=1e-12, err_msg=link
        )


@pytest.mark.parametrize("name", DIFFERENT)
def test_solids_stand_between_floor_and_tool0(name):
    """The base stands on the floor, and the flange's face is tool0's plane, to a micrometre."""
    robot = irb.load(name)
    bodies = drawn(name)
    lowest = min(solid.bounding_box()[2] for solid in bodies["base_link"].drawn().values())
    assert lowest == pytest.approx(0.0, abs=1e-3)
    tool0 = 1000.0 * robot.pose(np.zeros(robot.n), "tool0").translation
    tip = bodies[f"link_{robot.n}"].drawn()
    if robot.n == 6:
        assert max(solid.bounding_box()[3] for solid in tip.values()) == pytest.approx(
            tool0[0], abs=1e-3
        )
        y, z = np.reshape(tip["grey"].bounding_box(), (2, 3)).mean(axis=0)[1:]
        assert (y, z) == pytest.approx(tuple(tool0[1:]), abs=1e-3)
    else:
        ring = min(tip["black"].decompose(), key=lambda part: part.bounding_box()[2])
        assert ring.bounding_box()[5] == pytest.approx(tool0[2], abs=1e-3)
