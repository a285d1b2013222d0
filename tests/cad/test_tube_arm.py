"""The drawing of collaborative arms: links meet at their joints, and none is inside another."""

from itertools import combinations, pairwise

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.cad.builds import bodies, has_offset_wrist, is_serial
from irbmodels.cad.lengths import Lengths, Ratings
from irbmodels.cad.tube_arm import tube_arm, usual_mass

ARMS = {  # a1, d1, a2, a3, d4, d6 [mm], payload and mass [kg]: CRB 15000-5, -10 and -12
    "5/0.95": ((0, 265, 444, 110, 470, 101), 5, 28),
    "10/1.52": ((150, 400, 707, 110, 637, 101), 10, 51),
    "12/1.27": ((0, 338, 707, 110, 534, 101), 12, 48),
}


def drawn(name):
    """Solids of the links of an arm at home [mm]."""
    lengths, payload, mass = ARMS[name]
    links = tube_arm(Lengths(*map(float, lengths)), 80.0, Ratings(payload, mass))
    return {link: sum_of(body.drawn().values()) for link, body in links.items()}


def sum_of(solids):
    """One solid of several."""
    first, *others = solids
    for other in others:
        first = first + other
    return first


@pytest.mark.parametrize("name", ARMS)
def test_links_meet_and_do_not_overlap(name):
    """Neighbours are a seam apart, 4 mm at most, and no two links share any room."""
    links = list(drawn(name).values())
    for one, other in pairwise(links):
        assert one.min_gap(other, 50.0) < 4.0
    for one, other in combinations(links, 2):
        assert (one ^ other).volume() < 1.0


@pytest.mark.parametrize("name", ARMS)
def test_the_flange_is_at_the_end_of_axis_6(name):
    """Its face and its middle; the foot stands on the floor: to rounding, as manifold merges
    corners that are 1e-9 of a solid's size apart.
    """
    a1, d1, a2, a3, d4, d6 = ARMS[name][0]
    links = drawn(name)
    box = np.reshape(links["link_6"].bounding_box(), (2, 3))
    assert box[1, 0] == pytest.approx(a1 + d4 + d6, abs=1e-6)
    np.testing.assert_allclose(box.mean(axis=0)[1:], [0.0, d1 + a2 + a3 + 80.0], atol=1e-6)
    assert links["base_link"].bounding_box()[2] == pytest.approx(0.0, abs=1e-6)


def test_the_build_follows_the_offset():
    """Axis 6 beside axis 5 makes the arm a collaborative one; its parts close to its mass."""
    gofa, other = irb.describe("crb15000"), irb.describe("irb1200")
    assert (has_offset_wrist(gofa), has_offset_wrist(other)) == (True, False)
    assert (is_serial(gofa), is_serial(other)) == (False, True)
    boxes = [np.reshape(part.bounding_box(), (2, 3)) for part in bodies(gofa)["link_2"].pieces]
    assert max(box[1, 1] for box in boxes) < -60.0  # the lower arm is on the right side


def test_a_forearm_without_room_is_refused():
    """One line with what it needs."""
    short = Lengths(0.0, 265.0, 444.0, 110.0, 200.0, 101.0)
    with pytest.raises(irb.InputError, match="200 mm is too short for the joints of a collabor"):
        tube_arm(short, 80.0, Ratings(5.0, 28.0))


def test_the_usual_mass_is_that_of_the_three():
    """Within 5 %."""
    for (_, payload, mass), reach in zip(ARMS.values(), (950.0, 1520.0, 1270.0), strict=True):
        assert usual_mass(payload, reach) == pytest.approx(mass, rel=0.05)
