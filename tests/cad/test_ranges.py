"""Room that serial arms are drawn with for the ranges of their axes, and sections of variants."""

import numpy as np
import pytest
import yaml
from sheets import described

import irbmodels as irb
from irbmodels.cad.builds import bodies
from irbmodels.cad.lengths import Lengths, Ratings, Swing, drawn_ratings
from irbmodels.cad.serial_arm import serial_arm, sizes, usual_mass
from irbmodels.cad.shapes import union

LARGE = (Lengths(150, 445, 700, 115, 795, 85), 20.0, 272.0)  # IRB 2600-20/1.65
LONG = (Lengths(175, 495, 1095, 175, 1270, 135), 40.0, 435.0)  # IRB 4600-40/2.55
SMALL = (Lengths(0, 399.1, 448, 42, 451, 82), 5.0, 54.0)  # IRB 1200-5/0.9


def seen(body):
    """What is seen of a link, as one solid."""
    return union(*body.drawn().values())


def turned(solid, centre, angle):
    """Return a solid turned about y by an angle [deg] around a point (x, z)."""
    x, z = centre
    return solid.translate((-x, 0.0, -z)).rotate((0.0, angle, 0.0)).translate((x, 0.0, z))


def overlap(arm, angle, swing):
    """Largest volume [mm^3] that base and lower arm share at ``angle`` of axis 2, all round."""
    bodies = serial_arm(*arm, swing=swing)
    base, lower = seen(bodies["base_link"]), seen(bodies["link_2"])
    swung = turned(lower, (arm[0].a1, arm[0].d1), angle)
    return max((base ^ swung.rotate((0.0, 0.0, turn))).volume() for turn in range(0, 360, 8))


@pytest.mark.parametrize(("arm", "angle"), [(LARGE, 155.0), (LONG, 150.0)])
def test_the_foot_leaves_room_for_the_lower_arm(arm, angle):
    """Axis 2 at the end of ABB's range, axis 1 anywhere; drawn for less, the foot is in the way."""
    assert overlap(arm, angle, Swing(angle)) == 0.0
    assert overlap(arm, angle, Swing(110.0)) > 1e5


def test_a_foot_that_is_not_in_the_way_stays():
    """Up to the range of the IRB 1600-6/1.20, after which it is drawn."""
    arm = (Lengths(150, 486.5, 475, 0, 600, 65), 6.0, 250.0)
    one, other = (serial_arm(*arm, swing=Swing(angle))["base_link"] for angle in (0.0, 136.0))
    assert seen(one).bounding_box() == seen(other).bounding_box()
    assert seen(one).volume() == seen(other).volume()


@pytest.mark.parametrize("angle", [120.0, 130.0])
def test_the_fork_leaves_room_for_the_flange(angle):
    """With axis 5 at either end of its range, flange and hub are not in the forearm."""
    lengths = SMALL[0]
    bodies = serial_arm(*SMALL, swing=Swing(axis_5=angle))
    fork = seen(bodies["link_4"])
    centre = (lengths.a1 + lengths.d4, lengths.d1 + lengths.a2 + lengths.a3)
    for link in ("link_5", "link_6"):
        for bend in (-angle, -90.0, 90.0, angle):
            bent = turned(seen(bodies[link]), centre, bend)
            assert (bent ^ fork).volume() < 1.0, (link, bend)
    narrow = seen(serial_arm(*SMALL, swing=Swing(axis_5=100.0))["link_4"])
    bent = turned(seen(bodies["link_6"]), centre, 130.0)
    assert (bent ^ narrow).volume() > 10.0


def test_swing_is_that_of_the_ranges(tmp_path):
    """Of the data sheet, of whichever sign."""
    assert Swing.of(described("large", tmp_path)) == (150.0, 115.0)
    path = tmp_path / "large" / "limits.yaml"
    text = path.read_text(encoding="utf-8")
    assert "[-115, 115]" in text
    path.write_text(text.replace("[-115, 115]", "[-125, 100]"), encoding="utf-8")
    assert Swing.of(irb.describe(tmp_path / "large")) == (150.0, 125.0)


def family(folder, ratings):
    """Tables of the large arm in variants with these ratings; a mass of None is unknown."""
    robot = described("large", folder)
    variants = {f"arm_{i}": rows for i, rows in enumerate(ratings)}
    for name in ("kinematics", "limits"):
        path = robot.folder / f"{name}.yaml"
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        table["variants"] = {variant: {} for variant in variants}
        if name == "limits":
            for variant, (payload, mass) in variants.items():
                row = {"payload_kg": payload, "reach_mm": 2550, "source": "x"}
                row |= {} if mass is None else {"mass_kg": mass}
                table["variants"][variant] = {"ratings": row}
            table["ratings"] = table["variants"]["arm_0"]["ratings"]
        path.write_text(yaml.safe_dump(table, sort_keys=False), encoding="utf-8")
    return [irb.describe(robot.folder / name) for name in variants]


def test_variants_have_sections_of_their_own_where_they_differ(tmp_path):
    """Wrist or size more than 10 % apart; ratings as those of the IRB 4600, and without mass."""
    robots = family(tmp_path, [(60, 425), (45, 425), (20, 412), (60, None), (60, 700)])
    drawn = [drawn_ratings(robot, usual_mass, sizes) for robot in robots]
    assert drawn == [(60, 425), (60, 425), (20, 412), (60, 425), (60, 700)]
    wrists = [sizes(Ratings(payload, 425.0))[1] for payload in (60, 45, 20)]
    assert wrists[0] / wrists[1] < 1.1 < wrists[0] / wrists[2]
    one, other = (bodies(robot)["link_5"] for robot in (robots[0], robots[2]))
    assert seen(one).volume() > 1.5 * seen(other).volume()


def test_a_family_without_a_mass_is_drawn_for_the_usual_one(tmp_path):
    """Of its own payload and reach."""
    robots = family(tmp_path, [(20, None), (60, None)])
    for robot, payload in zip(robots, (20.0, 60.0), strict=True):
        drawn = drawn_ratings(robot, usual_mass, sizes)
        assert drawn == pytest.approx((payload, usual_mass(payload, 2550.0)))
    assert np.ptp([usual_mass(payload, 2550.0) for payload in (20.0, 60.0)]) > 10.0
