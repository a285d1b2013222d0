"""Serial arms of other sizes than the IRB 1600: similar, in one piece, free, and as heavy as metal."""

from functools import cache
from itertools import combinations

import numpy as np
import pytest

from irbmodels.cad.body import closing
from irbmodels.cad.lengths import Lengths
from irbmodels.cad.serial_arm import serial_arm, usual_mass
from irbmodels.cad.shapes import plain, union

# Lengths, payload [kg] and mass [kg] of arms as ABB and public files of their drawings give them:
# without a shoulder offset, with an elbow offset and without, short and heavy ones.
ARMS = {
    "irb120": (Lengths(0, 290, 270, 70, 302, 72), 3.0, 25.0),
    "irb140": (Lengths(70, 352, 360, 0, 380, 65), 6.0, 98.0),
    "irb1200_7_70": (Lengths(0, 399.1, 350, 42, 351, 82), 7.0, 52.0),
    "irb1600_6_120": (Lengths(150, 486.5, 475, 0, 600, 65), 6.0, 250.0),
    "irb2600_20_165": (Lengths(150, 445, 700, 115, 795, 85), 20.0, 272.0),
    "irb4600_60_205": (Lengths(175, 495, 900, 175, 960, 135), 60.0, 425.0),
    "irb6700_235_265": (Lengths(320, 780, 1135, 200, 1182.5, 200), 235.0, 1205.0),
}


@cache
def drawn(name):
    """Return links and the solids that are seen of them [mm]."""
    bodies = serial_arm(*ARMS[name])
    return bodies, {link: union(*body.drawn().values()) for link, body in bodies.items()}


@pytest.mark.parametrize("name", ARMS)
def test_links_are_whole_and_hang_together(name):
    """Each link is one piece, the gap to the next is that of a joint, and none is in another."""
    _, solids = drawn(name)
    size = (ARMS[name][2] / 250.0) ** (1 / 3)
    for solid in solids.values():
        assert len([piece for piece in solid.decompose() if piece.volume() > 1e3]) == 1
    for one, two in zip(list(solids.values()), list(solids.values())[1:], strict=False):
        assert one.min_gap(two, 100.0) < 5.0 * size
    for one, two in combinations(solids.values(), 2):
        assert (one ^ two).volume() < 20.0 * size**3  # [mm^3] heads of screws in a joint


@pytest.mark.parametrize("name", ARMS)
def test_an_arm_of_its_mass_is_made_of_metal(name):
    """The density of castings that closes an arm to its mass is that of their metals within 20 %:
    sections follow from mass.
    """
    bodies, _ = drawn(name)
    assert 0.8 < closing(bodies, ARMS[name][2]) < 1.2


@pytest.mark.parametrize("name", ARMS)
def test_axes_are_where_the_lengths_say(name):
    """Stand on the floor, motors and hubs about the axes, face of the flange at tool0."""
    lengths, _, _ = ARMS[name]
    bodies, solids = drawn(name)
    assert solids["base_link"].bounding_box()[2] == pytest.approx(0.0, abs=1e-6)
    flange = np.reshape(solids["link_6"].bounding_box(), (2, 3))
    height = lengths.d1 + lengths.a2 + lengths.a3
    tip = (lengths.a1 + lengths.d4 + lengths.d6, 0.0, height)
    np.testing.assert_allclose((flange[1, 0], *flange.mean(axis=0)[1:]), tip, atol=1e-3)
    for link, (x, z) in {
        "link_2": (lengths.a1, lengths.d1),
        "link_3": (lengths.a1, lengths.d1 + lengths.a2),
        "link_5": (lengths.a1 + lengths.d4, height),
    }.items():
        thread = plain(1.0, -1000.0, 1000.0, "y", at=(x, z))
        one, other = (
            plain(5.0, -1000.0, 1000.0, "y", at=(x + aside, z)) for aside in (-10.0, 10.0)
        )
        solid = union(*(part.solid for part in bodies[link].parts))
        assert (solid ^ thread).volume() > 0.0
        assert (solid ^ one).volume() == pytest.approx((solid ^ other).volume(), rel=0.35)


def test_a_similar_arm_is_similar():
    """Twice the lengths at eight times mass and payload is every solid twice as large."""
    lengths, payload, mass = ARMS["irb1600_6_120"]
    twice = Lengths(
        *(2.0 * getattr(lengths, name) for name in ("a1", "d1", "a2", "a3", "d4", "d6"))
    )
    larger = serial_arm(twice, 8.0 * payload, 8.0 * mass)
    for link, body in drawn("irb1600_6_120")[0].items():
        for part, other in zip(body.parts, larger[link].parts, strict=True):
            assert other.solid.volume() == pytest.approx(8.0 * part.solid.volume(), rel=1e-6)
            box = 2.0 * np.array(part.solid.bounding_box())
            np.testing.assert_allclose(other.solid.bounding_box(), box, atol=1e-5)


def test_mass_thickens_the_stand_and_payload_the_wrist():
    """At the same lengths, each alone: eight times the mass is twice the stand; the share of payload
    of an IRB 6700-235/2.65 makes the wrist half again as thick and leaves the stand, and more of it
    makes it no thicker.
    """
    _, payload, mass = ARMS["irb1600_6_120"]

    def width(solids, link):
        return np.ptp(np.reshape(solids[link].bounding_box(), (2, 3)), axis=0)[1]

    def grown(bodies, link):
        solids = {name: union(*body.drawn().values()) for name, body in bodies.items()}
        return width(solids, link) / width(drawn("irb1600_6_120")[1], link)

    long = Lengths(150, 486.5, 475, 0, 1200, 120)
    for share in (0.04 * 1.5**4, 0.64):
        strong = serial_arm(long, share * mass, mass)
        assert grown(strong, "base_link") == pytest.approx(1.0)
        assert grown(strong, "link_5") == pytest.approx(1.5)
    heavy = serial_arm(Lengths(300, 973, 950, 0, 1200, 130), payload, 8.0 * mass)
    assert grown(heavy, "base_link") == pytest.approx(2.0)
    assert grown(heavy, "link_5") == pytest.approx(2.0)


def test_variants_of_the_1600_share_their_shapes():
    """6 and 10 kg on one mass: the same wrist."""
    lengths, _, mass = ARMS["irb1600_6_120"]
    light, strong = (serial_arm(lengths, payload, mass)["link_5"] for payload in (6.0, 10.0))
    assert light.drawn()["orange"].volume() == strong.drawn()["orange"].volume()


def test_a_mass_that_is_unknown_is_guessed_from_payload_and_reach():
    """Within a factor of 1.72 of the catalogue's: the size is right to 20 %."""
    for name, reach in {
        "irb120": 580,
        "irb140": 810,
        "irb2600_20_165": 1650,
        "irb4600_60_205": 2050,
        "irb6700_235_265": 2650,
    }.items():
        _, payload, mass = ARMS[name]
        assert 1 / 1.72 < usual_mass(payload, reach) / mass < 1.72
