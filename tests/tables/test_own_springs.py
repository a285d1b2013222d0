"""A user's own force of a balancer: the command that writes it, its table, and bad numbers."""

import math

import numpy as np
import pytest

import irbmodels as irb
from irbmodels import cli

PLATE = ["--set", "F0_N=25000", "--set", "k_N_m=15000"]
STRUT = ["--set", "F0_N=-15000", "--set", "column_mm=-600", "--set", "exponent=1.2"]
# pivots (x, z) from axis 2 at home [mm]: column, lower arm; shortest and longest [mm] in the range
PIVOTS = {
    "irb6640_185_280": ((-684.7, -145.5), (-220.0, -67.2), 470, 698),
    "irb6700_235_265": ((-669.0, -142.0), (-220.0, -67.2), 454, 683),
    "irb4400_60_196": ((-679.3, -141.5), (121.7, 28.4), 697, 819),
}


def span(name, angle):
    """Distance of the pivots [m]: the lower arm's turned up towards forward."""
    (x, z), (u, v), *_ = PIVOTS[name]
    turned = u * math.cos(angle) + v * math.sin(angle), v * math.cos(angle) - u * math.sin(angle)
    return math.dist((x, z), turned) / 1000.0


def work(force, name, angle, step=1e-6):
    """Torque that a force along the line of the pivots takes, by virtual work."""
    rise = (span(name, angle + step) - span(name, angle - step)) / (2.0 * step)
    return force(span(name, angle) - span(name, 0.0)) * rise


@pytest.mark.parametrize("name", PIVOTS)
def test_shipped_pivots_leave_room_for_one_cylinder(name):
    """Over the range of axis 2 its stroke is shorter than itself."""
    *_, least, most = PIVOTS[name]
    low, high = (float(end[1]) for end in irb.load(name).limits.envelope())
    lengths = [1000.0 * span(name, angle) for angle in np.linspace(low, high, 400)]
    assert (round(min(lengths)), round(max(lengths))) == (least, most)
    assert most - least < least


@pytest.mark.parametrize(
    ("name", "numbers", "force"),
    [
        ("irb6640_185_280", PLATE, lambda s: 25000.0 + 15000.0 * s),
        ("irb4400_60_196", STRUT, lambda s: -15000.0 * (0.6 / (0.6 + s)) ** 1.2),
    ],
)
def test_a_plate_becomes_an_overlay_and_a_table(name, numbers, force, tmp_path, capsys):
    """Force at home and rate are enough: the file loads, and the columns add up."""
    file = tmp_path / "own.yaml"
    assert cli.main(["balancer", name, *numbers, "-o", str(file)]) == 0
    table = capsys.readouterr().out
    bare, robot = irb.load(name), irb.load(name, overlays=[file])
    assert robot.unknown_springs == {}
    rows = [[float(word) for word in line.split()] for line in table.splitlines()[4:] if line]
    rows = [row for row in rows if len(row) == 6]
    assert len(rows) == 10
    for degrees, length, pull, taken, weight, motor in rows:
        angle = math.radians(degrees)
        torque = work(force, name, angle)
        # printed angles are rounded to 0.05 deg of some 10 kN m/rad
        assert length == pytest.approx(1000.0 * span(name, angle), abs=0.3)
        assert pull == pytest.approx(force(span(name, angle) - span(name, 0.0)), abs=10.0)
        assert taken == pytest.approx(torque, abs=12.0)
        assert motor == pytest.approx(weight + taken, abs=1.0)
        q = np.radians(
            [0.0, degrees, degrees if name.startswith("irb4400") else 0.0, 0.0, 0.0, 0.0]
        )
        assert weight == pytest.approx(bare.gravity(q)[1], abs=12.0)
        assert robot.gravity(q)[1] - bare.gravity(q)[1] == pytest.approx(torque, abs=0.1)


def test_what_is_unknown_ends_with_a_command_that_works(tmp_path, capsys):
    """The line of info is pasted with its blanks filled in; a start without numbers loads too."""
    assert cli.main(["info", "irb1400"]) == 0
    line = capsys.readouterr().err
    command = line[line.index("irbmodels balancer") :].split()[1:]
    start, own = tmp_path / "start.yaml", tmp_path / "own.yaml"
    assert cli.main(["balancer", "irb1400", "-o", str(start)]) == 0
    assert irb.load("irb1400", overlays=[start]).springs == ()
    filled = [word.replace("X,Y", "-300,50").replace("=N", "=500") for word in command]
    filled[filled.index("after_mm=-300,50")] = "after_mm=-100,20"
    assert cli.main([*filled[:-1], str(own), "--overlay", str(start)]) == 0
    spring = irb.CoilSpring(2, (-0.3, 0.05), (-0.1, 0.02), math.hypot(0.2, 0.03), 500.0, 500.0)
    (loaded,) = irb.load("irb1400", overlays=[own]).springs
    assert loaded.length == pytest.approx(spring.length, abs=1e-6)
    np.testing.assert_allclose(loaded.torque([-0.9, 0.7]), spring.torque([-0.9, 0.7]), rtol=1e-5)


@pytest.mark.parametrize(
    ("name", "numbers", "expected"),
    [
        ("irb6640", "F0=3", "did you mean 'F0_N'"),
        ("irb6640", "F0_N", "'F0_N' is not F0_N=NUMBER, with finite numbers"),
        ("irb6640", "F0_N=25kN", "'F0_N=25kN' is not F0_N=NUMBER"),
        ("irb6640", "F0_N=nan", "with finite numbers"),
        ("irb6640", "before_mm=3", "before_mm=NUMBER,NUMBER"),
        ("irb6640", "F0_N=1 F0_N=2", "F0_N is given twice"),
        ("irb6640", "before_mm=0,0", "a pivot is on the axis"),
        ("irb6640", "after_mm=-684.7,145.5", "its pivots meet within the range"),
        ("irb6640", "length_mm=600 F0_N=1000 k_N_m=15000", "would push with 950"),
        ("irb6640", "length_mm=-5 F0_N=1 k_N_m=1", "its length of -0.005 m is no distance"),
        ("irb6640", "F0_N=25000 k_N_m=-1", "stiffness k = -1 N/m is negative"),
        ("irb6640", "column_mm=300", "a coil"),
        ("irb4400", "F0_N=15000 column_mm=-600 exponent=1.2", "need one sign"),
        ("irb4400", "F0_N=-15000 column_mm=-100 exponent=1.2", "compressed to nothing"),
        ("irb4400", "F0_N=-15000 column_mm=0 exponent=1.2", "column other than 0 m"),
        ("irb2400", "F0_N=3", "no spring or balancer in its tables; an overlay adds one"),
    ],
)
def test_a_balancer_that_cannot_be_is_one_line(name, numbers, expected, tmp_path, capsys):
    """What was wrong and what would be right; nothing is written."""
    file = tmp_path / "own.yaml"
    arguments = [word for number in numbers.split() for word in ("--set", number)]
    assert cli.main(["balancer", name, *arguments, "-o", str(file)]) == 2
    line = capsys.readouterr().err
    assert expected in line
    assert line.count("\n") == 1
    assert not file.exists()
