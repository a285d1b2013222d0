"""Arms of the same lengths under several names: one drawing, and one split of mass."""

from itertools import groupby, pairwise

import numpy as np
import shipped
from grouped import together

import irbmodels as irb
from irbmodels.tables.description import data_folder


def lengths(name):
    """Rows of the chain to the flange, and the crank of an arm with bars [mm]."""
    robot = irb.describe(name)
    rows = (*robot.chain.values(), robot.kinematics.tool0)
    bars = robot.kinematics.parallelogram
    crank = 0.0 if bars is None else bars.crank_mm
    return (robot.axes, *((row.a_mm, row.d_mm) for row in rows), crank)


TWINS = [
    pair
    for _, group in groupby(sorted(shipped.ALL, key=lengths), key=lengths)
    for pair in pairwise(sorted(group, key=shipped.ALL.index))
    if "irb14000_left" not in pair  # the mirrored arm
]


def test_twins_of_other_families_are_found():
    """By their lengths alone."""
    assert ("irb1400", "irb1410_5_144") in TWINS
    assert ("irb1600_10_120", "irb52_7_120") in TWINS
    assert ("irb1600_10_145", "irb52_7_145") in TWINS


def seen(name):
    """Colours and texts of the visual meshes of every link."""
    folder = data_folder().parent / "meshes"
    return {
        link: [(row.colour, (folder / row.file).read_text(encoding="utf-8")) for row in rows]
        for link, rows in irb.describe(name).shapes.links.items()
    }


@together("twins", TWINS)
def test_twins_look_alike(twins):
    """To the last corner of each mesh."""
    one, other = map(seen, twins)
    assert one == other


@together("twins", [pair for pair in TWINS if set(pair) <= set(shipped.WEIGHED)])
def test_twins_weigh_alike(twins):
    """Gravity per kilogram of the robot, at postures of the test's own; masses have 0.1 g."""
    q = np.random.default_rng(4).uniform(-3.0, 3.0, (20, irb.load(twins[0]).n))
    one, other = (
        irb.load(name).gravity(q) / irb.describe(name).limits.ratings.mass_kg for name in twins
    )
    np.testing.assert_allclose(one, other, atol=1e-5 * np.abs(one).max())
