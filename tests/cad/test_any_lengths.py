"""Serial arms of lengths that nobody has built: drawn whole, or refused with what they need."""

import re
from itertools import pairwise

import numpy as np
import pytest
import trimesh

import irbmodels as irb
from irbmodels.cad.lengths import Lengths, Swing
from irbmodels.cad.obj import convex, visual
from irbmodels.cad.serial_arm import serial_arm, usual_mass
from irbmodels.cad.shapes import union

DRAWN, TOO_SHORT = (0, 4, 22, 25, 26), (2, 3, 5, 8, 11)
REFUSED = (
    r"a (height of axis 2|lower arm|forearm|flange) of [\d.]+ mm is too short for an arm of \d+ kg"
    r" with [\d.]+ kg: it needs \d+ mm"
)


def some_arm(rng):
    """Lengths, payload and usual mass: reach 300 to 3500 mm, 2 to 300 kg, some without a shoulder
    offset, with an elbow offset upward, downward or none, and of any share of the forearm.
    """
    reach, payload = np.exp(rng.uniform(np.log([300, 2]), np.log([3500, 300])))
    a1 = rng.choice([0.0, 1.0]) * rng.uniform(0.03, 0.2) * reach
    a2 = rng.uniform(0.3, 0.65) * (reach - a1)
    beyond = reach - a1 - a2
    a3 = rng.choice([0.0, 1.0, -1.0]) * rng.uniform(0.02, 0.25) * beyond
    d1, d6 = rng.uniform([0.15, 0.03], [0.6, 0.12]) * reach
    lengths = (a1, d1, a2, a3, np.sqrt(beyond**2 - a3**2), d6)
    return Lengths(*np.round(lengths, 1).tolist()), float(payload), usual_mass(payload, reach)


def whole(text):
    """The mesh of an OBJ file."""
    return trimesh.load(trimesh.util.wrap_as_stream(text), file_type="obj", process=True)


@pytest.mark.parametrize("seed", [*DRAWN, *TOO_SHORT])
def test_an_arm_is_whole_or_refused(seed):
    """Each link is one closed solid that touches the next but for the gap of a joint, no two are in
    each other, and the flange is where the lengths say.
    """
    lengths, payload, mass = some_arm(np.random.default_rng(seed))
    bodies, said = {}, ""
    try:
        bodies = serial_arm(lengths, payload, mass, swing=Swing(135.0, 125.0))
    except irb.InputError as err:
        said = str(err)
    assert bool(bodies) == (seed in DRAWN)
    if not bodies:
        assert re.fullmatch(REFUSED, said)
        return
    solids = {link: union(*body.drawn().values()) for link, body in bodies.items()}
    size = (mass / (25.0 if mass < 90.0 else 250.0)) ** (1.0 / 3.0)
    for link, solid in solids.items():
        parts = [part for part in solid.decompose() if part.volume() > 1e3 * size**3]
        assert len(parts) == 1, link
        assert all(whole(convex(piece, np.eye(4))).is_watertight for piece in bodies[link].pieces)
        assert whole(visual(solid, np.eye(4))).volume > 0.0
    for (one, solid), (two, other) in pairwise(solids.items()):
        assert solid.min_gap(other, 12.0 * size) < 10.0 * size, (one, two)
        assert (solid ^ other).volume() < 2e3 * size**3, (one, two)
    tip = solids["link_6"].bounding_box()[3]
    assert tip == pytest.approx(lengths.a1 + lengths.d4 + lengths.d6, abs=1e-3)
    assert solids["base_link"].bounding_box()[2] == pytest.approx(0.0, abs=1e-6)


LARGE = ({"a1": 150, "d1": 486.5, "a2": 475, "a3": 0, "d4": 600, "d6": 65}, 6.0, 250.0)
SMALL = ({"a1": 0, "d1": 290, "a2": 270, "a3": 70, "d4": 302, "d6": 72}, 3.0, 25.0)


@pytest.mark.parametrize(
    ("arm", "name", "what", "needed"),
    [
        (LARGE, "d1", "a height of axis 2", 186),
        (LARGE, "a2", "a lower arm", 160),
        (LARGE, "d4", "a forearm", 335),
        (LARGE, "d6", "a flange", 43),
        (SMALL, "d1", "a height of axis 2", 142),
        (SMALL, "a2", "a lower arm", 138),
        (SMALL, "d4", "a forearm", 177),
        (SMALL, "d6", "a flange", 35),
    ],
)
def test_a_length_that_is_too_short_is_refused_with_what_it_needs(arm, name, what, needed):
    """Which then is drawn, slimmer than an arm of that mass and as long as it says."""
    numbers, payload, mass = arm
    short = Lengths(**numbers | {name: needed - 2.0})
    with pytest.raises(irb.InputError, match=rf"^{what} of .* is too short .* needs {needed} mm$"):
        serial_arm(short, payload, mass)
    bodies = serial_arm(Lengths(**numbers | {name: needed + 0.5}), payload, mass)
    column, lower = (union(*bodies[link].drawn().values()) for link in ("link_1", "link_2"))
    assert (column ^ lower).volume() < 1e-3 * lower.volume()
    usual = serial_arm(Lengths(**numbers), payload, mass)
    width = [
        np.ptp(np.reshape(union(*one["base_link"].drawn().values()).bounding_box(), (2, 3))[:, 1])
        for one in (bodies, usual)
    ]
    assert width[0] == pytest.approx(0.8 * width[1], rel=0.02)


def test_a_forearm_below_the_elbow_needs_a_longer_lower_arm():
    """By as much as it is lower; above, it needs none."""
    for numbers, payload, mass in (LARGE, SMALL):
        short = numbers | {"a2": 190.0, "a3": -60.0}
        with pytest.raises(irb.InputError, match="a lower arm of 190 mm is too short"):
            serial_arm(Lengths(**short), payload, mass)
        assert serial_arm(Lengths(**short | {"a3": 60.0}), payload, mass)
