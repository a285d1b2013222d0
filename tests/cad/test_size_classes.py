"""Serial arms of all sizes, drawn from lengths, payload, reach and mass."""

from itertools import pairwise

import numpy as np
import pytest
from manifold3d import Manifold, OpType
from sheets import ARMS, described

import irbmodels as irb
from irbmodels.cad.builds import bodies
from irbmodels.cad.family import write_family
from irbmodels.robot.collision import Collider, adjacent


def whole(body):
    """What is seen of a link, as one solid."""
    return Manifold.batch_boolean(list(body.drawn().values()), OpType.Add)


@pytest.mark.parametrize("arm", ARMS)
def test_links_join_their_neighbours(arm, tmp_path):
    """At home no link stands apart from the one that carries it; 12 mm is a joint's gap of the
    largest.
    """
    links = list(bodies(described(arm, tmp_path)).values())
    for one, other in pairwise(map(whole, links)):
        assert one.min_gap(other, 200.0) < 12.0


def test_an_arm_is_of_its_size(tmp_path):
    """Motors are inside of a small arm, and stands have the size of ABB's."""
    small, middle, heavy = (
        bodies(described(arm, tmp_path)) for arm in ("small", "middle", "heavy")
    )
    behind = [
        np.reshape(whole(arm["link_3"]).bounding_box(), (2, 3))[0, 0] for arm in (small, middle)
    ]
    assert behind[0] > -60.0  # mm behind the elbow: no motor of the wrist
    assert behind[1] < -50.0
    one, two = (arm["base_link"].drawn()["orange"] for arm in (small, heavy))
    sides = np.array(
        [np.ptp(np.reshape(solid.bounding_box(), (2, 3)), axis=0) for solid in (one, two)]
    )
    assert (sides[0][:2] < 230).all()  # mm; the IRB 120 stands on 180 by 180
    assert (sides[1][:2] > 600).all()  # the IRB 6700 on 1004 by 720


def test_the_balancer_stands_where_the_tables_say(tmp_path):
    """The cylinder lies on the line of its pivots; without one the column is another."""
    robot = described("heavy", tmp_path)
    added = bodies(robot)["link_1"].shown()["black", "balancer_cylinder"]
    (robot.folder / "springs.yaml").unlink()
    assert not [part for _, part in bodies(irb.describe(robot.folder))["link_1"].shown() if part]
    middle = added.to_mesh().vert_properties[:, :3].mean(axis=0)
    first, last = np.array([320.0 - 669.0, 780.0 - 142.0]), np.array([100.0, 780.0 - 67.2])
    along = (last - first) / np.linalg.norm(last - first)
    off = middle[[0, 2]] - first
    assert added.volume() > 5e6
    assert abs(off[0] * along[1] - off[1] * along[0]) < 5.0


@pytest.mark.parametrize("name", ["irb6640_185_280", "irb6700_235_265", "irb4400_60_196"])
def test_the_rod_of_a_balancer_never_leaves_its_cylinder(name):
    """Over the range of axis 2 its end lies in the cylinder, and neither end comes out: distances
    of two points of the links, turned apart from the CAD.
    """
    robot = irb.describe(name)
    row, rows = robot.springs.elements["balancer"], robot.kinematics.joints
    shoulder = np.array([rows["joint_2"].a_mm, rows["joint_1"].d_mm])
    column = shoulder + np.array([row.before_mm[0], -row.before_mm[1]])
    arm = np.array([row.after_mm[0], -row.after_mm[1]])
    angles = np.radians(np.linspace(*robot.limits.axes["axis_2"].range_deg, 151))
    lug = shoulder + np.stack(
        [
            arm[0] * np.cos(angles) + arm[1] * np.sin(angles),
            arm[1] * np.cos(angles) - arm[0] * np.sin(angles),
        ],
        axis=1,
    )
    lengths = np.linalg.norm(lug - column, axis=1)
    home = np.linalg.norm(shoulder + arm - column)
    along = (shoulder + arm - column) / home
    shown = bodies(robot)["link_1"].shown()
    places = {
        part: (solid.to_mesh().vert_properties[:, [0, 2]] - column) @ along
        for (_, part), solid in shown.items()
        if part
    }
    can, rod = places["balancer_cylinder"], places["balancer_rod"]
    tail = rod.min() - home + lengths  # of the rod, when the pivots are that far apart
    assert can.min() < tail.min()
    assert tail.max() < can.max() - 20.0
    assert lengths.min() > can.max()  # the end of the cylinder does not reach the lower arm's lug


@pytest.mark.parametrize("arm", ["small", "heavy"])
def test_a_drawn_arm_collides_nowhere_at_rest(arm, tmp_path):
    """Home, stretched and folded postures of an arm whose meshes stand beside its tables."""
    robot = described(arm, tmp_path)
    write_family(robot, steps=["meshes"])
    loaded = irb.load(robot.folder)
    collider = Collider(loaded, ignored=adjacent(loaded))
    for posture in ((0, 0, 0, 0, 0, 0), (90, 80, -70, 0, 0, 0), (0, -60, 60, 90, 100, 0)):
        assert not list(collider.contacts(loaded.from_controller(posture)))
