"""Shapes of every shipped variant: which neighbours but one may touch, and links as bodies."""

from functools import cache

import numpy as np
import pytest
import shipped

import irbmodels as irb
from irbmodels.model.hulls import hull_of
from irbmodels.model.shapes import mesh_of, shapes_of
from irbmodels.model.urdf import parse_urdf
from irbmodels.robot.collision import Collider, random_postures, read_srdf
from irbmodels.tables.description import BARS

# Pairs with one link between them that can touch inside the ranges, and why.
TOUCHING = {
    # Axis 2 turns on to 150 deg; the foot is that of the 1.20 m arm, which ends at 136 deg.
    "irb1600_6_145": {("base_link", "link_2")},
    # The motors behind the elbow meet the shoulder where axis 3 folds the forearm back over it:
    # below -200 deg on short lower arms of the build of the IRB 1600.
    "irb1600_6_120": {("link_1", "link_3")},
    "irb1300_7_140": {("link_1", "link_3")},
    "irb140_6_81": {("link_1", "link_3")},
    "irb140t_6_81": {("link_1", "link_3")},
    # The elbow comes down on the turret where the lower arm lies on it: 225 and 350 mm long.
    "irb1100_4_475": {("link_1", "link_3")},
    "irb1200_7_70": {("link_1", "link_3")},
    # The motors behind the elbow meet the stand in the corner of both ranges, q2 = -70 deg and
    # q3 - q2 = -60 deg.
    "irb4400_60_196": {("link_1", "link_3")},
    "irb4400_l30_243": {("link_1", "link_3")},
    # The same motors, where axis 2 leans back to its end, and the forearm points on along it.
    "irb7600_150_350": {("link_1", "link_3")},
    "irb7600_340_280": {("link_1", "link_3")},
}
DRAWN = [
    name
    for name in shipped.WEIGHED
    if irb.describe(name).inertials.default == "cad" and not name.startswith("crb")
]


@cache
def committed(name):
    """The URDF of a shipped variant."""
    path = irb.urdf_path(name)
    return parse_urdf(path.read_text(encoding="utf-8")), path.parent


@shipped.of_variants(name for name in shipped.ALL if not name.startswith("crb"))
def test_links_with_one_between_them_do_not_touch(name):
    """In no posture inside the ranges; exceptions are those of the list, with their reason."""
    disabled = read_srdf(irb.urdf_path(name).with_suffix(".srdf"))
    links = [link for link in irb.describe(name).links if link not in BARS]
    pairs = set(zip(links, links[2:], strict=False))
    assert {pair for pair in pairs if frozenset(pair) not in disabled} == TOUCHING.get(name, set())


@pytest.mark.parametrize("name", TOUCHING)
def test_those_that_touch_do_so_seldom(name):
    """In less than 1 % of postures, drawn uniformly."""
    robot = irb.load(name)
    (pair,) = TOUCHING[name]
    collider = Collider(robot).only({frozenset(pair)})
    limits = robot.limits
    ranges = np.random.default_rng(1).uniform(limits.lower, limits.upper, (1000, robot.n))
    q = ranges @ np.linalg.inv(limits.A).T
    assert sum(map(collider.touches, q)) < 10
    if name == "irb1600_6_145":
        touching = [x for x in random_postures(limits, 3000) if collider.touches(x)]
        assert touching
        assert min(np.degrees(touching)[:, 1]) > 136.0


@shipped.of_variants(DRAWN)
def test_links_are_bodies_of_machines(name):
    """In the committed URDF: the centre of mass lies in the hull of what is seen of a link, whose
    mean density is between that of a hollow casting and steel, and the parts weigh the robot.
    """
    document, folder = committed(name)
    points = {}
    for shape in shapes_of(document, folder, "visual"):
        rotation, place = shape.placement[:3, :3], shape.placement[:3, 3]
        corners = np.asarray(mesh_of(shape).vertices()) @ rotation.T + place
        points.setdefault(shape.link, []).append(corners)
    # the hull of a SCARA's inner arm has the arch of its hose in it
    masses, least = 0.0, 200.0 if len(irb.describe(name).axes) == 4 else 500.0
    for link in document.iterfind("link"):
        mark = link.get("name")
        if mark not in points:
            continue
        inertial = link.find("inertial")
        mass = float(inertial.find("mass").get("value"))
        centre = np.array(inertial.find("origin").get("xyz").split(), dtype=float)
        hull = hull_of(np.concatenate(points[mark]))
        assert (hull.normals @ centre + hull.offsets).max() < 0.0, mark
        assert least < mass / hull.volume < 7850.0, mark
        masses += mass
    ratings = irb.describe(name).limits.ratings
    assert masses == pytest.approx(ratings.mass_kg, rel=1e-4)
