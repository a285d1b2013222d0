"""Ranges (the coupled one included), speeds, efforts, and what breaks them."""

from __future__ import annotations

import warnings
from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb


@pytest.mark.parametrize(("name", "low", "high"), [("irb2400", -160, 175), ("irb1400", -140, 140)])
def test_envelope_of_the_coupled_axis(name, low, high):
    """q3 itself reaches as far as axis 2 and the angle between the arms let it."""
    lower, upper = irb.load(name).limits.envelope()
    assert np.degrees(lower[2]) == pytest.approx(low)
    assert np.degrees(upper[2]) == pytest.approx(high)
    np.testing.assert_allclose(np.delete(lower, 2), np.delete(irb.load(name).limits.lower, 2))
    np.testing.assert_allclose(np.delete(upper, 2), np.delete(irb.load(name).limits.upper, 2))


def test_envelope_holds_for_any_coupling():
    """The envelope is the box around all corners of the range, whichever sign a coupling has."""
    limits = irb.load("irb1600").limits
    for entry in (-1.0, 1.0, 0.5):
        A = np.eye(6)
        A[2, 1] = A[5, 4] = entry
        coupled = replace(limits, A=A)
        bounds = np.array([limits.lower, limits.upper])
        corners = np.array(
            [
                [bounds[side, axis] for axis, side in enumerate(sides)]
                for sides in np.ndindex(*[2] * 6)
            ]
        )
        positions = corners @ np.linalg.inv(A).T
        np.testing.assert_allclose(
            coupled.envelope(), [positions.min(axis=0), positions.max(axis=0)], atol=1e-14
        )


@together("name", oracles.NAMES)
def test_in_range_is_every_bound_at_once(name):
    """A position is in range when A q keeps every typed bound, and only then."""
    robot, bounds = irb.load(name), oracles.ranges(name)
    q = np.random.default_rng(0).uniform(
        1.2 * bounds[:, 0], 1.2 * bounds[:, 1] + 0.01, (2000, robot.n)
    )
    angles = q.copy()
    if name in oracles.PARALLELOGRAM:
        angles[:, 2] -= q[:, 1]
    expected = ((angles >= bounds[:, 0]) & (angles <= bounds[:, 1])).all(axis=1)
    assert 50 < expected.sum() < 1950
    np.testing.assert_array_equal(robot.in_range(q), expected)
    np.testing.assert_array_equal(
        robot.in_range(q.reshape(4, 500, robot.n)), expected.reshape(4, 500)
    )
    assert robot.in_range(q[expected][0])


def test_bounds_themselves_are_in_range():
    """Ranges are closed, through the rounding of degrees and of q3 - q2 too: the printed limit is
    allowed, a hair more is not.
    """
    for name in oracles.NAMES:
        robot, bounds = irb.load(name), oracles.ranges(name)
        for q in (bounds[:, 0].copy(), bounds[:, 1].copy()):
            q[2] += q[1] if name in oracles.PARALLELOGRAM else 0.0
            assert robot.in_range(q)
            assert robot.violations(q) == []
            assert not robot.in_range(q + 1e-7 * np.sign(q[0]))


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_coupled_bounds_hold_for_degrees_typed_at_the_controller(name):
    """With axis 2 at any whole degree, axis 3 at its printed limit is in range although q3 - q2
    rounds in radians.
    """
    robot = irb.load(name)
    low, high = np.degrees(oracles.ranges(name)).round()[1:3].astype(int).T
    for q2 in range(low[0], high[0] + 1):
        for r3 in (low[1], high[1]):
            q = robot.from_controller([0, q2, q2 + r3, 0, 0, 0])
            assert robot.in_range(q)
            assert robot.violations(q) == []


def test_coupled_range_moves_with_axis_2():
    """q3 = 100 deg is fine with the lower arm leaning forward and out of range with it upright."""
    robot = irb.load("irb2400")
    assert robot.in_range(np.radians([0, 60, 100, 0, 0, 0]))
    assert not robot.in_range(np.radians([0, 0, 100, 0, 0, 0]))
    assert not robot.in_range(np.radians([0, 60, -10, 0, 0, 0]))


def test_nan_is_never_in_range():
    """A position that is not a number keeps no range."""
    q = np.zeros((2, 6))
    q[1, 3] = np.nan
    assert irb.load("irb2400").in_range(q).tolist() == [True, False]


def test_violations_name_axis_bound_and_value():
    """Every broken bound is listed with what was asked and what is allowed; assumed ones say so."""
    robot = irb.load("irb2400")
    q, v, tau = (
        np.radians([0, 0, 100, 0, -121, 0]),
        np.array([0, 3.0, 0, 0, 0, 0]),
        np.array([0, 0, 0, 0, 0, -1e4]),
    )
    actual = robot.violations(q, v, tau)
    assert [(item.axis, item.quantity, item.assumed) for item in actual] == [
        (3, "q3 - q2", False),
        (5, "q5", False),
        (2, "v2", False),
        (6, "tau6", True),
    ]
    assert actual[0].value == pytest.approx(np.radians(100))
    assert (actual[0].lower, actual[0].upper) == (
        pytest.approx(np.radians(-60)),
        pytest.approx(np.radians(65)),
    )
    assert (actual[2].lower, actual[2].upper) == (
        pytest.approx(np.radians(-150)),
        pytest.approx(np.radians(150)),
    )
    assert str(actual[0]).startswith(
        "axis 3: q3 - q2 = 100 deg is outside its bounds -60 .. 65 deg"
    )
    assert "assumed bounds" in str(actual[3])
    assert robot.violations(np.zeros(6), np.zeros(6), np.zeros(6)) == []


def test_violations_take_one_finite_state():
    """Arrays of states and numbers that are none are refused."""
    robot = irb.load("irb2400")
    with pytest.raises(irb.InputError, match="needs shape"):
        robot.violations(np.zeros((2, 6)))
    with pytest.raises(irb.InputError, match="finite"):
        robot.violations(np.zeros(6), v=np.full(6, np.nan))
    with pytest.raises(irb.InputError, match="finite"):
        robot.violations(np.zeros(6), tau=np.zeros(5))


@together("name", oracles.NAMES)
def test_limits_cannot_be_changed(name):
    """Bounds are shared, so every array is read-only."""
    limits = irb.load(name).limits
    for array in (
        limits.lower,
        limits.upper,
        limits.velocity,
        limits.effort,
        limits.A,
        limits.linear,
        limits.range_assumed,
    ):
        assert not array.flags.writeable


def test_limits_of_a_urdf_are_those_of_its_axes():
    """A robot from a URDF has the limits of the joints without mimic, and nothing coupled."""
    limits = irb.from_urdf(irb.urdf_path("irb2400")).limits
    degrees = [(-180, 180), (-100, 110), (-160, 175), (-200, 200), (-120, 120), (-400, 400)]
    np.testing.assert_allclose(
        np.column_stack([limits.lower, limits.upper]), np.radians(degrees), rtol=1e-12
    )
    np.testing.assert_allclose(
        np.degrees(limits.velocity), [150, 150, 150, 360, 360, 450], rtol=1e-12
    )
    np.testing.assert_array_equal(limits.effort, irb.load("irb2400").limits.effort)
    np.testing.assert_array_equal(limits.A, np.eye(6))


def overloads(robot):
    """Violations of a robot at home, as text."""
    return [str(row) for row in robot.violations(np.zeros(robot.n))]


def test_a_load_above_the_rating_warns_and_is_a_violation():
    """Tool and payload count together, in either order; what is rated passes; the warning names
    parts and rating.
    """
    robot = irb.load("irb2400_16")
    with pytest.warns(
        irb.PhysicsWarning,
        match=r"^irb2400_16 carries 60 kg on its flange \(payload 60 kg\), and is rated for 16 kg$",
    ) as seen:
        heavy = robot.with_payload(irb.payload(60.0))
    assert (len(seen), seen[0].filename) == (1, __file__)
    (row,) = heavy.violations(np.zeros(6))
    assert row == (None, "load", 60.0, 0.0, 16.0, "kg", False)
    assert overloads(heavy) == ["load = 60 kg is outside its bounds 0 .. 16 kg"]
    assert overloads(heavy.with_payload(None)) == []
    both = r"carries 18 kg on its flange \(tool own 12 kg, payload 6 kg\), and is rated for 16 kg"
    tool = irb.Tool("own", pin.SE3.Identity(), irb.payload(12.0, [0.0, 0.0, 0.1]))
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with_tool, with_payload = robot.with_tool(tool), robot.with_payload(irb.payload(6.0))
        robot.with_payload(irb.payload(16.0)).with_friction(None)
        # whose rating nobody knows
        irb.from_urdf(irb.urdf_path("irb2400")).with_payload(irb.payload(99.0))
    with pytest.warns(irb.PhysicsWarning, match=both):
        one = with_tool.with_payload(irb.payload(6.0))
    with pytest.warns(irb.PhysicsWarning, match=both):
        other = with_payload.with_tool(tool)
    assert overloads(one) == overloads(other) == ["load = 18 kg is outside its bounds 0 .. 16 kg"]
    with pytest.warns(
        irb.PhysicsWarning, match="irb2400_10 carries 12 kg .*rated for 10 kg"
    ) as seen:
        irb.load("irb2400_10", tool=tool)
    assert (len(seen), seen[0].filename) == (1, __file__)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        one.with_friction(None).mounted(np.eye(3))  # said once


def test_a_load_diagram_bounds_centre_and_inertia(tmp_path):
    """Made-up J5 and J6: by hand on point masses and a box on a tool, on and beyond the bound."""
    folder = irb.new_robot("made", "irb1600", tmp_path / "made")
    file = folder / "limits.yaml"
    file.write_text(file.read_text() + "handling: {J5_kg_m2: 0.5, J6_kg_m2: 0.2, source: copied}\n")
    robot = irb.load(folder)
    d6 = float(
        np.linalg.norm(
            robot.pose(np.zeros(6), "tool0").translation
            - robot.pose(np.zeros(6), "link_5").translation
        )
    )
    beside, along = 0.2**0.5, 0.1**0.5 - d6  # [m] of 1 and of 5 kg
    for mass, x, z, words in (
        (1.0, beside - 1e-6, 0.0, None),
        (
            1.0,
            beside + 1e-4,
            0.0,
            "axis 6: J6 = 0.200089 kg m^2 is outside its assumed bounds 0 .. 0.2 kg m^2",
        ),
        (5.0, 0.0, along - 1e-6, None),
        (
            5.0,
            0.0,
            along + 1e-4,
            "axis 5: J5 = 0.500316 kg m^2 is outside its assumed bounds 0 .. 0.5 kg m^2",
        ),
    ):
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter("always")
            loaded = robot.with_payload(irb.payload(mass, [0.6 * x, 0.8 * x, z]))
        assert overloads(loaded) == ([words] if words else [])
        assert [str(one.message) for one in seen] == (
            [f"made carries a load (payload {mass:g} kg) whose {words}"] if words else []
        )
    tool = irb.Tool(
        "arm",
        pin.SE3(np.eye(3), np.array([0.2, 0.0, 0.05])),
        irb.payload(1.0, [0.1, 0.0, 0.0], np.diag([0.01, 0.02, 0.02])),
    )
    with pytest.warns(
        irb.PhysicsWarning, match=r"carries a load \(tool arm 1 kg, payload 4 kg\) whose axis 6: J6"
    ):
        held = robot.with_tool(tool).with_payload(
            irb.payload(4.0, [0.0, 0.0, 0.1], np.diag([0.03, 0.04, 0.05]))
        )
    centre = np.array([(1.0 * 0.1 + 4.0 * 0.2) / 5.0, 0.0, 4.0 * 0.15 / 5.0])
    # of two points 0.1 m apart in x and 0.15 m in z
    spread = 1.0 * 4.0 / 5.0 * np.array([0.15**2, 0.1**2 + 0.15**2, 0.1**2])
    Jx, Jy, Jz = spread + np.array([0.04, 0.06, 0.07])
    rows = {row.quantity: row.value for row in held.violations(np.zeros(6))}
    assert rows["J6"] == pytest.approx(5.0 * centre[0] ** 2 + Jz)
    file.write_text(
        file.read_text().replace("J5_kg_m2: 0.5, J6_kg_m2: 0.2", "J5_kg_m2: 0.01, J6_kg_m2: 9")
    )
    with pytest.warns(irb.PhysicsWarning, match="J5"):
        held = irb.load(folder).with_tool(tool).with_payload(held.payload)
    rows = {row.quantity: row.value for row in held.violations(np.zeros(6))}
    assert rows["J5"] == pytest.approx(5.0 * ((centre[2] + d6) ** 2 + centre[0] ** 2) + max(Jx, Jy))
    file.write_text(file.read_text().replace("J6_kg_m2: 9", "J6_kg_m2: 0"))
    with pytest.raises(
        irb.TableError,
        match="handling: needs a six-axis arm, and limits that are positive: M4_N_m, M5_N_m",
    ):
        irb.load(folder)
