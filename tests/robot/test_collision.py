"""Self-collision: against volumes of intersection, against distances known by hand, and what the
SRDF leaves out.
"""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import cache

import numpy as np
import pinocchio as pin
import pytest
import shipped
import trimesh
from grouped import together
from manifold3d import Manifold

import irbmodels as irb
from irbmodels.robot import collision
from irbmodels.robot.collision import (
    Collider,
    adjacent,
    always_touching,
    random_postures,
    read_srdf,
)
from irbmodels.tables.description import mesh_folder

BALLS = """<robot name="balls">
  <link name="base_link"/>
  <link name="plate"><collision><origin xyz="0 0.1 0"/><geometry><box size="0.4 0.4 0.2"/></geometry></collision></link>
  <joint name="bolted" type="fixed"><parent link="base_link"/><child link="plate"/>
    <origin xyz="0.1 0 -0.1" rpy="0 0 1.5707963267948966"/></joint>
  <link name="arm"/>
  <link name="post"><collision><origin xyz="0 0 0.5"/><geometry><cylinder radius="0.02" length="1"/></geometry></collision></link>
  <link name="hand"><collision><origin xyz="1 0 0"/><geometry><sphere radius="0.1"/></geometry></collision></link>
  <joint name="turn" type="revolute"><parent link="base_link"/><child link="arm"/><origin xyz="0 0 0.5"/><axis xyz="0 1 0"/>
    <limit lower="-3" upper="3" effort="1" velocity="1"/></joint>
  <joint name="slide" type="prismatic"><parent link="arm"/><child link="hand"/><axis xyz="1 0 0"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
  <joint name="lift" type="prismatic"><parent link="arm"/><child link="post"/><origin xyz="0 1.5 0"/><axis xyz="0 0 1"/>
    <limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
</robot>"""


@pytest.fixture
def balls(tmp_path):
    path = tmp_path / "balls.urdf"
    path.write_text(BALLS, encoding="utf-8")
    return irb.from_urdf(path)


loaded = cache(irb.load)  # colliders are kept with their robot


def hulls(robot):
    """Return the collision pieces of every link as manifolds in link axes."""
    shapes, meshes = robot.description.shapes.collision, mesh_folder(robot.folder)
    pieces = {}
    for link, rows in shapes.items():
        meshes_of_link = [trimesh.load(meshes / row.file, process=False) for row in rows]
        pieces[link] = [Manifold.hull_points(np.asarray(mesh.vertices)) for mesh in meshes_of_link]
    return pieces


def overlap(robot, pieces, q, pair):
    """Volume [m^3] that two links share in one posture, from their solids and not from coal."""
    placed = [
        [piece.transform(np.asarray(robot.pose(q, link).homogeneous)[:3]) for piece in pieces[link]]
        for link in sorted(pair)
    ]
    return sum((one ^ other).volume() for one in placed[0] for other in placed[1])


@pytest.mark.parametrize("name", ["irb2400", "irb1600_6_145", "irb1400"])
def test_links_touch_where_their_solids_overlap(name):
    """In random postures coal finds the pairs whose solids share a volume, and no others."""
    robot = irb.load(name)
    pieces, actual = hulls(robot), 0
    pairs = {frozenset((a, b)) for a in pieces for b in pieces if a != b} - adjacent(robot)
    for q in random_postures(robot.limits, 25, seed=4):
        touching = {frozenset(pair) for pair in irb.contacts(robot, q)}
        for pair in pairs:
            shared = overlap(robot, pieces, q, pair)
            if shared > 1e-9:  # a cubic millimetre; below it rounding decides
                assert pair in touching, (robot.to_controller(q), pair, shared)
            else:
                assert pair not in touching or shared > 0.0, (robot.to_controller(q), pair)
        assert irb.collides(robot, q) == bool(touching)
        actual += bool(touching)
    assert 0 < actual < 25


def test_distance_between_simple_shapes_is_the_one_by_hand(balls):
    """Ball, post and box of a little machine: distances, nearest points and contacts follow from a
    drawing.
    """
    # ball at (1, 0, 0.5), post at y = 1.5, box below z = 0
    level = irb.clearance(balls, [0.0, 0.0, 0.0])
    assert set(level.links) == {"hand", "plate"}
    assert level.distance == pytest.approx(np.hypot(0.8, 0.5) - 0.1, abs=1e-9)
    assert np.linalg.norm(level.points[0] - level.points[1]) == pytest.approx(
        level.distance, abs=1e-9
    )
    order = [level.links.index("plate"), level.links.index("hand")]
    np.testing.assert_allclose(level.points[order[0]][[0, 2]], [0.2, 0.0], atol=1e-6)
    toward = np.array([0.8, 0.5]) / np.hypot(0.8, 0.5)
    np.testing.assert_allclose(level.points[order[1]][[0, 2]], [1.0, 0.5] - 0.1 * toward, atol=1e-6)
    assert balls.axes == ("turn", "lift", "slide")
    down = [np.pi / 2, 0.0, -0.45]  # the ball hangs at z = 0.5 - 0.55 = -0.05, inside the box
    assert irb.collides(balls, down)
    assert irb.contacts(balls, down) == [("hand", "plate")]
    # its middle is 0.05 below the face
    assert irb.clearance(balls, down).distance == pytest.approx(-0.15, abs=1e-6)
    assert not irb.collides(balls, [0.0, 0.0, 0.0])


def test_arrays_answer_as_single_postures(balls):
    """Leading axes go through; the wrong shape, or a posture that is not finite, is refused in one
    line.
    """
    postures = random_postures(balls.limits, 12).reshape(3, 4, 3)
    answer = irb.collides(balls, postures)
    assert answer.shape == (3, 4)
    assert answer.dtype == bool
    assert answer.tolist() == [[irb.collides(balls, q) for q in row] for row in postures]
    for wrong in ([0.0, 0.0], [0.0, np.nan, 0.0], "home"):
        with pytest.raises(irb.InputError, match="q "):
            irb.collides(balls, wrong)


@shipped.of_variants(shipped.ALL)
def test_home_is_free_and_near_home_too(name):
    """No robot touches itself at home, nor a tenth of its ranges away from it."""
    robot = loaded(name)
    assert not irb.collides(robot, np.zeros(robot.n))
    postures = 0.1 * random_postures(robot.limits, 50)
    assert not irb.collides(robot, postures).any()


def test_an_arm_folded_onto_its_column_collides():
    """The 2400 at q2 = 110 deg and q3 - q2 = 65 deg presses its forearm into the column; a little
    less, and it is free.
    """
    robot = irb.load("irb2400")
    assert ("link_1", "link_4") in irb.contacts(
        robot, robot.from_controller([0, 110, 175, 0, 0, 0])
    )
    assert not irb.collides(robot, robot.from_controller([0, 60, 60, 0, 0, 0]))


def test_both_trees_and_the_file_collide_alike():
    """The serial twin as a plain URDF, and the robot from tables, agree posture by posture; the
    bars never decide.
    """
    robot, twin = irb.load("irb2400"), irb.from_urdf(irb.urdf_path("irb2400", "serial"))
    postures = random_postures(robot.limits, 60, seed=3)
    alike = irb.collides(twin, postures @ robot.dh("modified").A.T)
    np.testing.assert_array_equal(irb.collides(robot, postures), alike)
    assert 0 < alike.sum() < 60


def test_a_tool_collides_too():
    """With the spindle turned back at the wrist the robot meets its own forearm or column; without,
    it is free.
    """
    bare, armed = irb.load("irb2400"), irb.load("irb2400", tool="spindle")
    postures = random_postures(bare.limits, 150, seed=1)
    only_tool = irb.collides(armed, postures) & ~irb.collides(bare, postures)
    assert only_tool.any()
    pairs = {pair for q in postures[only_tool] for pair in irb.contacts(armed, q)}
    assert all("tool0" in pair for pair in pairs)
    assert not (irb.collides(bare, postures) & ~irb.collides(armed, postures)).any()
    assert not irb.collides(armed, np.zeros(6))


def test_what_a_tool_always_touches_says_nothing(tmp_path):
    """A sleeve around the flange is in link 5 whatever the axes do: home is free all the same, and
    the rest still counts.
    """
    text = irb.load_tool("spindle").path.read_text(encoding="utf-8")
    start = text.index("shapes:")
    sleeve = "{shape: cylinder, axis: z, at_mm: [0, 0, 0], radius_mm: 60, length_mm: 100}"
    blade = "{shape: box, at_mm: [0, 0, 500], size_mm: [20, 20, 900]}"
    (tmp_path / "sleeve.yaml").write_text(
        f"{text[:start]}collision:\n  - {sleeve}\n  - {blade}\n", encoding="utf-8"
    )
    robot = irb.load("irb1600", tool=tmp_path / "sleeve.yaml")
    assert not irb.collides(robot, np.zeros(6))
    touched = {pair for q in random_postures(robot.limits, 100) for pair in irb.contacts(robot, q)}
    assert ("link_5", "tool0") not in touched
    assert ("link_1", "tool0") in touched  # the blade


def test_a_collider_of_some_pairs_is_one_built_for_them():
    """Same contacts, same margin; the collider that it came of goes on with all its pairs."""
    robot = irb.load("irb1600")
    whole = Collider(robot, ignored=adjacent(robot))
    some = {pair for pair in whole.pairs if "link_1" in pair}
    others = {frozenset(("link_1", "nothing")), *adjacent(robot)}
    for margin in (None, 0.15):
        one = whole.only(some | others, margin)
        built = Collider(robot, margin or 0.0, Collider(robot).pairs - some)
        assert one.pairs == built.pairs == some
        contacts = [built.contacts(q) for q in random_postures(robot.limits, 300)]
        assert [one.contacts(q) for q in random_postures(robot.limits, 300)] == contacts
        assert any(contacts)
    assert whole.pairs > some
    assert whole.margin == 0.0


def test_many_threads_get_their_own_answers():
    """Each thread has its own work space."""
    robot = irb.load("irb1600")
    postures = random_postures(robot.limits, 200, seed=5)
    alone = irb.collides(robot, postures)
    with ThreadPoolExecutor(4) as pool:
        parts = list(pool.map(lambda part: irb.collides(robot, part), np.split(postures, 8)))
    np.testing.assert_array_equal(np.concatenate(parts), alone)
    collider, ready = Collider(robot), threading.Barrier(2)

    def space(q):
        actual = collider._update_placements(q)
        ready.wait(timeout=10)
        return id(actual)

    with ThreadPoolExecutor(2) as pool:
        assert len(set(pool.map(space, postures[:2]))) == 2


def test_a_robot_without_collision_shapes_says_so(tmp_path):
    """No shapes, no answer."""
    bare = tmp_path / "bare.urdf"
    bare.write_text(irb.describe("irb1600").urdf(looks=False), encoding="utf-8")
    with pytest.raises(irb.MissingData, match="no collision shapes"):
        irb.collides(irb.from_urdf(bare), np.zeros(6))


@shipped.of_variants(shipped.ALL)
def test_pairs_left_out_never_touch(name):
    """Each variant has an SRDF; in postures of another seed none of its pairs touches but those
    that a joint connects.
    """
    robot = loaded(name)
    reasons = read_srdf(robot.folder / f"{name}.srdf")
    assert set(reasons.values()) <= {"Adjacent", "Never", "Always"}
    assert {pair for pair, reason in reasons.items() if reason == "Adjacent"} == adjacent(robot)
    silent = {pair for pair, reason in reasons.items() if reason == "Never"}
    whole = Collider(robot)
    collider = whole.only(silent & whole.pairs)
    for q in random_postures(robot.limits, 400, seed=11):
        assert not collider.touches(q), robot.to_controller(q)
    if always := {pair for pair, reason in reasons.items() if reason == "Always"}:
        collider = whole.only(always & whole.pairs)
        for q in random_postures(robot.limits, 50, seed=12):
            assert always <= {frozenset(pair) for pair in collider.contacts(q)}


@pytest.mark.parametrize("name", ["irb930", "irb1400"])
def test_outside_its_ranges_every_pair_is_asked(name):
    """What never touches inside the ranges may touch outside; solids say where."""
    robot = irb.load(name)
    pieces = hulls(robot)
    rng, actual = np.random.default_rng(2), 0
    pairs = {frozenset((a, b)) for a in pieces for b in pieces if a != b} - adjacent(robot)
    reasons = read_srdf(robot.folder / f"{name if name == 'irb1400' else 'irb930_12_105'}.srdf")
    pairs -= {pair for pair, reason in reasons.items() if reason == "Always"}
    low, high = robot.limits.envelope()
    for q in rng.uniform(
        np.where(robot.limits.linear, low, -np.pi),
        np.where(robot.limits.linear, high, np.pi),
        (60, robot.n),
    ):
        shared = any(overlap(robot, pieces, q, pair) > 1e-9 for pair in pairs)
        assert irb.collides(robot, q) or not shared, robot.to_controller(q)
        actual += shared
    assert actual


def test_where_nothing_can_touch_the_distance_is_infinite():
    """The arms of the SCARA pass each other inside their ranges."""
    assert irb.clearance(irb.load("irb930"), np.zeros(4)).distance == np.inf


@pytest.mark.parametrize(
    ("mesh", "error"),
    [("v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nf 1 2 3\nf 1 3 4\n", "is flat"), ("nonsense", "mesh")],
)
def test_a_mesh_that_cannot_collide_is_named(tmp_path, mesh, error):
    """A flat or broken mesh is one line, and not the end of the process."""
    (tmp_path / "m.obj").write_text(mesh, encoding="utf-8")
    shape = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    (tmp_path / "m.urdf").write_text(
        BALLS.replace('<link name="arm"/>', f'<link name="arm">{shape}</link>'), encoding="utf-8"
    )
    with pytest.raises(irb.IrbError, match=error):
        irb.collides(irb.from_urdf(tmp_path / "m.urdf"), np.zeros(3))


def test_pinocchio_reads_the_srdf():
    """Pinocchio's own reader takes the same pairs out of its own model of the committed URDF."""
    path = irb.urdf_path("irb2400")
    model = pin.buildModelFromUrdf(str(path))
    shapes = pin.buildGeomFromUrdf(
        model, str(path), pin.GeometryType.COLLISION, package_dirs=[str(path.parent)]
    )
    shapes.addAllCollisionPairs()
    before = len(shapes.collisionPairs)
    pin.removeCollisionPairs(model, shapes, str(path.with_suffix(".srdf")))
    names = [shape.name.rpartition("_")[0] for shape in shapes.geometryObjects]
    left = {frozenset((names[pair.first], names[pair.second])) for pair in shapes.collisionPairs}
    assert len(shapes.collisionPairs) < before
    assert not left & set(read_srdf(path.with_suffix(".srdf")))


def test_clearance_of_many_postures_is_that_of_each(balls):
    """Distances, links and points have the leading axes of the postures, and are those that one
    posture has.
    """
    q = random_postures(balls.limits, 6, seed=2).reshape(2, 3, 3)
    every = irb.clearance(balls, q)
    assert every.distance.shape == (2, 3)
    assert every.links.shape == (2, 3, 2)
    assert every.points.shape == (2, 3, 2, 3)
    assert np.ptp(every.distance) > 0.0
    for at in np.ndindex(2, 3):
        one = irb.clearance(balls, q[at])
        assert isinstance(one.distance, float)
        assert one.links == tuple(every.links[at])
        # coal begins its search where the last one ended
        assert every.distance[at] == pytest.approx(one.distance, abs=1e-7)
        # 1e-7 m of distance, across round hulls
        np.testing.assert_allclose(one.points, every.points[at], rtol=0, atol=1e-4)
    none = irb.clearance(balls, np.zeros((0, 3)))
    assert (none.distance.shape, none.links.shape, none.points.shape) == ((0,), (0, 2), (0, 2, 3))


MISUSED = {
    "no robot": (
        lambda arm: irb.collides("irb2400", np.zeros(3)),
        "what collides is an irbmodels.Robot, not 'irb2400'",
    ),
    "posture in words": (lambda arm: irb.clearance(arm, "home"), "q is not an array of numbers"),
    "posture of four": (
        lambda arm: irb.clearance(arm, np.zeros(4)),
        r"q needs \(3,\) finite numbers",
    ),
    "rags": (lambda arm: irb.collides(arm, [[1, 2, 3], [4]]), "q is not an array of numbers"),
    "many contacts": (
        lambda arm: irb.contacts(arm, np.zeros((2, 3))),
        r"q needs \(3,\) finite numbers",
    ),
    "neighbours of none": (
        lambda arm: adjacent(None),
        "what collides is an irbmodels.Robot, not None",
    ),
    "margin in words": (
        lambda arm: Collider(arm, "a"),
        r"margin \[m\] must be a finite number, got 'a'",
    ),
    "pairs of words": (
        lambda arm: Collider(arm, ignored=["ab"]),
        "pairs that are ignored are frozensets of two names, not 'ab'",
    ),
    "postures of a robot": (
        lambda arm: random_postures(arm, 2),
        "postures are drawn inside limits, as robot.limits, not",
    ),
    "a half posture": (
        lambda arm: random_postures(arm.limits, 0.5),
        "the number of postures must be a whole number",
    ),
    "a seed": (
        lambda arm: random_postures(arm.limits, 1, "a"),
        "seed must be a whole number, at least 0, got 'a'",
    ),
    "no file": (lambda arm: read_srdf(None), "an SRDF is a path, not None"),
    "a file nowhere": (lambda arm: read_srdf("/nowhere/a.srdf"), "/nowhere/a.srdf: No such file"),
}


@together("name", MISUSED)
def test_misuse_is_one_clear_line(balls, name):
    """What was wrong, where, and what would be right."""
    call, message = MISUSED[name]
    with pytest.raises(irb.IrbError, match=message) as caught:
        call(balls)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize("margin", [0.0, 0.02])
@pytest.mark.parametrize("name", ["irb2400", "irb6700", "irb930"])
def test_boxes_around_shapes_hide_no_contact(name, margin):
    """A posture touches where any pair of all is found to, one after the other."""
    robot = irb.load(name)
    collider = Collider(robot, margin, ignored=adjacent(robot))
    collider = collider.only(collider.pairs - always_touching(robot, collider))
    postures = random_postures(robot.limits, 400, seed=3)
    each = [bool(collider.contacts(q)) for q in postures]
    assert [collider.touches(q) for q in postures] == each
    assert name == "irb930" or 5 < sum(each) < 395


def test_a_mesh_is_read_once_until_its_file_changes(tmp_path, monkeypatch):
    """Robots of the same files share hulls: the second reads none; one of a larger
    mesh, in the same file, touches what the first did not.
    """
    read, mesh_of = [], collision.mesh_of
    monkeypatch.setattr(collision, "mesh_of", lambda shape: read.append(shape) or mesh_of(shape))
    file = tmp_path / "m.obj"
    wedge = "v 0 0 0\nv {0} 0 0\nv 0 {0} 0\nv 0 0 {0}\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
    shape = '<collision><geometry><mesh filename="m.obj"/></geometry></collision>'
    path = tmp_path / "arm.urdf"
    path.write_text(re.sub(r'(<link name="hand">).*?(?=</link>)', rf"\1{shape}", BALLS))
    touching = []
    for size, reads in ((1.0, 1), (1.0, 1), (3.0, 2)):
        if reads > len(read):
            file.write_text(wedge.format(size), encoding="utf-8")
        touching.append(irb.collides(irb.from_urdf(path), np.zeros(3)))
        assert len(read) == reads
    assert touching == [False, False, True]
