import copy
import math
import pickle

import numpy as np
import pytest
from grouped import together
from numpy.polynomial import Polynomial

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, drives_of
from irbmodels.simulation.flexible.drive import motors_of_drives
from irbmodels.simulation.flexible.springs import Springs

N = 118.461539  # gear ratio of axis 1 of the IRB 1400 (S003 section 3.3.2)


def test_table_has_s003s_drive_in_the_consistent_reading():
    """S003 Table 3.1: Jm and fm as printed on the motor side, k* = 677.2 * 118.461539 = 80 222 N
    m/rad; no other axis.
    """
    first, *others = drives_of(irb.load("irb1400"))
    assert (first.gear_ratio, first.rotor_inertia, first.viscous) == (N, 5.9e-4, 1.3e-2)
    assert first.stiffness == pytest.approx(677.2 * N, rel=1e-9)
    assert first.stiffness == pytest.approx(80222.0, abs=0.5)
    assert (first.damping, first.bearing, first.backlash, first.hardening, first.grade) == (
        0.0,
        0.0,
        0.0,
        0.0,
        "derived",
    )
    assert others == [None] * 5
    row = irb.describe("irb1400").drives.axes["axis_1"]
    assert row.load_inertia_kg_m2 == pytest.approx(5.2e-2 * N, rel=1e-9)
    sources = {
        name: irb.describe("irb1400").drives.sources[row.source_of(name)].grade
        for name in row.source
    }
    assert sources["viscous_N_m_s_rad"] == "identified"
    assert sources["load_inertia_kg_m2"] == "derived"


def test_motor_numbers_at_the_arm_side():
    """FACTS of S003's drive: Jm / r^2 = 8.28 kg m^2, fm / r^2 = 182 N m s/rad."""
    first = drives_of(irb.load("irb1400"))[0]
    assert first.reflected_inertia == pytest.approx(8.28, abs=0.005)
    assert first.reflected_viscous == pytest.approx(182.4, abs=0.05)
    assert Drive(1e4, 0.5).reflected_inertia == 0.5  # a ratio of 1: arm-side numbers


def test_other_robots_have_no_drives():
    """Nothing is known of the other robots' drives, so nothing is made up."""
    assert drives_of(irb.load("irb2400")) == [None] * 6
    assert drives_of(irb.load("irb930")) == [None] * 4
    with pytest.raises(irb.MissingData, match="comes from a URDF"):
        drives_of(irb.from_urdf(irb.urdf_path("irb1600")))


def test_stiffness_without_a_rotor_is_refused(tmp_path):
    """A specimen's stiffness of axis 2 alone makes no elastic axis."""
    overlay = tmp_path / "specimen.yaml"
    overlay.write_text(
        "robot: irb1400\nabout: the stiffness of one robot\nsources: {cert: {ref: certificate,"
        " grade: measured}}\ndrives: {axes: {axis_2: {gear_ratio: 100.0, stiffness_N_m_rad:"
        " 9.0e+04, source: cert}}}\n"
    )
    with pytest.raises(irb.MissingData, match="axis_2 has a stiffness, but no rotor inertia"):
        drives_of(irb.load("irb1400", overlays=[overlay]))


@pytest.mark.parametrize("field", ["viscous_N_m_s_rad", "load_inertia_kg_m2"])
def test_tables_with_impossible_numbers_are_refused(tmp_path, field):
    """Viscous friction and the load of an identified drive are positive, or absent."""
    overlay = tmp_path / "specimen.yaml"
    overlay.write_text(
        "robot: irb1400\nabout: one robot\nsources: {cert: {ref: certificate, grade:"
        f" measured}}}}\ndrives: {{axes: {{axis_1: {{{field}: -1.0, source: cert}}}}}}\n"
    )
    with pytest.raises(irb.TableError, match=rf"axes\.axis_1\.{field}: -1 should be positive"):
        drives_of(irb.load("irb1400", overlays=[overlay]))


@together(
    "changes, words",
    [
        ({"stiffness": 0.0}, "positive"),
        ({"stiffness": -1.0}, "positive"),
        ({"stiffness": math.nan}, "must be a positive finite number"),
        ({"stiffness": "80e3"}, "must be a positive finite number"),
        ({"stiffness": True}, "must be a positive finite number"),
        ({"rotor_inertia": 0.0}, "needs the inertia of its rotor"),
        (
            {"rotor_inertia": -1e-3},
            "rotor_inertia of a drive must be a finite number, at least 0, got -",
        ),
        ({"rotor_inertia": math.inf}, "must be a finite number"),
        ({"gear_ratio": 0.0}, "does not turn"),
        ({"viscous": -1.0}, "viscous of a drive must be a finite number, at least 0, got -"),
        ({"damping": -1.0}, "damping of a drive must be a finite number, at least 0, got -"),
        ({"bearing": -1.0}, "bearing of a drive must be a finite number, at least 0, got -"),
        ({"backlash": -1.0}, "backlash of a drive must be a finite number, at least 0, got -"),
        ({"hardening": -1.0}, "hardening of a drive must be a finite number, at least 0, got -"),
        ({"stiffness": math.inf, "damping": 1.0, "backlash": 1e-3}, "no damping and no backlash"),
        ({"turned_by": {0: 1.0}}, "axis numbers from 1"),
        ({"turned_by": {4: math.nan}}, r"turned_by\[4\], .* must be a finite number, got nan"),
    ],
)
def test_impossible_drives_are_refused(changes, words):
    with pytest.raises(irb.InputError, match=words):
        Drive(**({"stiffness": 8e4, "rotor_inertia": 5.0} | changes))


def test_grades_are_those_of_the_tables():
    """A drive is measured, identified, published, derived or assumed."""
    with pytest.raises(irb.UnknownName, match="grade 'guessed'"):
        Drive(8e4, 5.0, grade="guessed")


def test_repr_shows_what_is_set():
    text = repr(Drive(8e4, 5e-4, 100.0, backlash=1e-3, turned_by={4: -1.5}))
    assert (
        text == "Drive(stiffness=80000, rotor_inertia=0.0005, gear_ratio=100, backlash=0.001,"
        " turned_by={4: -1.5}, grade='assumed')"
    )
    assert repr(Drive()) == "Drive(stiffness=inf, gear_ratio=1, grade='assumed')"


def test_coupled_motors_become_a_map():
    """Gear ratios on the diagonal, turned_by beside it, NaN where there is no drive."""
    motors = motors_of_drives(
        [Drive(gear_ratio=80.0), None, Drive(gear_ratio=-60.0, turned_by={1: 1.5})]
    )
    np.testing.assert_array_equal(motors.N, [[80.0, 0.0, 0.0], [np.nan] * 3, [1.5, 0.0, -60.0]])
    for turned_by in ({2: 1.0}, {4: 1.0}):
        with pytest.raises(irb.InputError, match="number of another axis"):
            motors_of_drives([None, Drive(turned_by=turned_by), None])


# --- springs

SPRINGS = Springs.of(
    [
        Drive(8e4, 1.0),
        Drive(2e4, 1.0, hardening=3e10),
        Drive(5e4, 1.0, backlash=2e-3),
        Drive(1e4, 1.0, backlash=1e-3, hardening=1e9, damping=7.0),
    ]
)


def test_spring_torque_by_hand():
    """Torque k u + h u^3 beyond half the backlash on each side; nothing inside."""
    np.testing.assert_allclose(
        SPRINGS.torque(np.full(4, 2e-3)), [160.0, 40.0 + 240.0, 50.0, 15.0 + 3.375], rtol=1e-13
    )
    np.testing.assert_allclose(
        SPRINGS.torque(np.full(4, -2e-3)), [-160.0, -280.0, -50.0, -18.375], rtol=1e-13
    )
    np.testing.assert_array_equal(SPRINGS.torque(np.full(4, 4e-4))[2:], [0.0, 0.0])
    assert SPRINGS.damping.tolist() == [0.0, 0.0, 0.0, 7.0]


def test_torque_is_the_slope_of_the_energy():
    """Energy, torque and stiffness are integral, function and derivative of one law, inside and
    outside the dead zone.
    """
    apart, h = np.random.default_rng(0).uniform(-4e-3, 4e-3, (200, 4)), 1e-7
    clear = np.abs(np.abs(apart) - 0.5 * SPRINGS.backlash) > 2 * h  # of the kink
    by_energy = (SPRINGS.energy(apart + h) - SPRINGS.energy(apart - h)) / (2 * h)
    # [N m] of 2000: h^2, and rounding / h
    np.testing.assert_allclose(by_energy[clear], SPRINGS.torque(apart)[clear], atol=1e-5)
    by_torque = (SPRINGS.torque(apart + h) - SPRINGS.torque(apart - h)) / (2 * h)
    np.testing.assert_allclose(by_torque[clear], SPRINGS.slope(apart)[clear], rtol=1e-7, atol=1e-3)
    assert SPRINGS.slope(np.zeros(4)).tolist() == [8e4, 2e4, 0.0, 0.0]


def test_deflection_undoes_torque():
    """The closed form of the cubic gives back every torque, and 0 for none: the middle of the dead
    zone.
    """
    torque = np.random.default_rng(1).uniform(-500.0, 500.0, (200, 4))
    np.testing.assert_allclose(SPRINGS.torque(SPRINGS.deflection(torque)), torque, rtol=1e-12)
    assert SPRINGS.deflection(np.zeros(4)).tolist() == [0.0] * 4
    hardly = Springs.of([Drive(8e4, 1.0, hardening=1e-9)])
    # no loss where the cubic is tiny
    np.testing.assert_allclose(hardly.deflection(np.array([100.0])), 100.0 / 8e4, rtol=1e-13)


def test_series_of_the_spring():
    """Taylor coefficients of the deflection: put into the law by polynomial arithmetic they give
    the torque's back.
    """
    torque = np.array(
        [
            [100.0, 200.0, -150.0, 50.0],
            [7.0, -900.0, 30.0, 4e3],
            [50.0, 2e3, -3e3, 1e3],
            [1e4, 3e3, 2e3, -5e3],
        ]
    )
    apart = SPRINGS.deflection_series(torque)
    for i in range(4):
        u = Polynomial(apart[:, i]) - np.sign(torque[0, i]) * 0.5 * SPRINGS.backlash[i]
        law = (SPRINGS.stiffness[i] * u + SPRINGS.hardening[i] * u**3).coef[:4]
        np.testing.assert_allclose(law, torque[:, i], rtol=1e-11)  # rounding of the cube


def test_drives_can_be_copied_pickled_and_hashed():
    """A drive that turns another axis too, with the rest of its numbers."""
    drive = Drive(8e4, 5e-4, 118.0, 0.01, 20.0, 1.0, 1e-4, 1e7, {5: -0.5}, "identified")
    for again in (pickle.loads(pickle.dumps(drive)), copy.deepcopy(drive)):
        assert again == drive
        assert hash(again) == hash(drive)
