"""Shapes of every shipped variant: which neighbours but one may touch, and links as bodies."""

from functools import cache

import numpy as np
import pytest
import shipped

import irbmodels as irb
from irbmodels.model.hulls import hull_of
from irbmodels.model.shapes import mesh_of, shapes_of
from irbmodels.model.urdf import parse_urdf
from irbmodels.robot.collision import Collider, read_srdf
from irbmodels.tables.description import BARS

# Pairs with one link between them that can touch inside the ranges, and why.
TOUCHING = {
    # The motors behind the elbow meet the shoulder where axis 3 folds the forearm back over it:
    # below -200 deg on short lower arms of the build of the IRB 1600.
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


SHAFT = "the CAD's flange has a shaft through the wrist, the drawn one is the disc at its end"
OUTSIDE = {
    ("irb1600", "cad_scaled", "link_6"): (16, SHAFT),
    ("irb4400", "hiqp", "link_6"): (36, SHAFT),
    ("irb4400", "hiqp", "link_rod"): (162, "drawn beside the lower arm; the CAD has it behind"),
    ("irb4400", "hiqp", "link_crank"): (62, "the counterweight is drawn outside the rod's plane"),
    ("irb930", "cad_scaled", "link_3"): (287, "half of the quill, which is drawn on link_4"),
}
"""Centres of mass outside the hull of what is drawn of their link: by how much [mm], and why."""


@cache
def committed(name):
    """URDF of a shipped variant, and the hull of what is seen of each link, in its frame [m]."""
    path, points = irb.urdf_path(name), {}
    document = parse_urdf(path.read_text(encoding="utf-8"))
    for shape in shapes_of(document, path.parent, "visual"):
        rotation, place = shape.placement[:3, :3], shape.placement[:3, 3]
        corners = np.asarray(mesh_of(shape).vertices()) @ rotation.T + place
        points.setdefault(shape.link, []).append(corners)
    return document, {link: hull_of(np.concatenate(group)) for link, group in points.items()}


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


@shipped.of_variants(shipped.WEIGHED)
def test_centres_of_mass_lie_in_what_is_drawn(name):
    """Of every body of every set, or as far outside as the list says: a centre with a lost sign or
    digit does not. Sets for an open chain, whose links bear bars too, have no drawing.
    """
    robot, (_, hulls) = irb.describe(name), committed(name)
    sets = robot.inertials.sets
    chains = {entry.serial for entry in sets.values()}
    for key, entry in sets.items():
        for link, row in ({} if key in chains else entry.links).items():
            outside = (
                1000.0 * (hulls[link].normals @ row.inertial().com + hulls[link].offsets).max()
            )
            if (robot.family, key, link) in OUTSIDE:
                stated, _ = OUTSIDE[robot.family, key, link]
                assert outside == pytest.approx(stated, abs=0.5), (key, link)
            else:
                assert outside < 0.0, (key, link)


@shipped.of_variants(DRAWN)
def test_links_are_bodies_of_machines(name):
    """In the committed URDF: the mean density of what is seen of a link is between that of a hollow
    casting and steel, and the parts weigh the robot.
    """
    document, hulls = committed(name)
    # the hull of a SCARA's inner arm has the arch of its hose in it
    masses, least = 0.0, 200.0 if len(irb.describe(name).axes) == 4 else 500.0
    for link in document.iterfind("link"):
        mark = link.get("name")
        if mark not in hulls:
            continue
        mass = float(link.find("inertial/mass").get("value"))
        assert least < mass / hulls[mark].volume < 7850.0, mark
        masses += mass
    ratings = irb.describe(name).limits.ratings
    assert masses == pytest.approx(ratings.mass_kg, rel=1e-4)
