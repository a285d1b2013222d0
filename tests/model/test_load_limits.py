"""Static torques and inertia of a load at the wrist, against Pinocchio and by hand."""

import numpy as np
import pytest
from scipy.optimize import minimize

import irbmodels as irb


@pytest.mark.parametrize("name", ["irb140", "irb4400", "irb1600"])
def test_wrist_torques_are_those_of_gravity_in_the_worst_posture(name):
    """The largest difference of gravity torques with and without the load, over all postures of
    axes 2 to 6; inertias are the largest differences of the mass matrix over the turn of axis 6.
    """
    robot = irb.load(name)
    load = irb.payload(2.0, [0.09, 0.0, 0.13], np.diag([0.02, 0.03, 0.012]))
    loaded = robot.with_payload(load)
    shares = {row.quantity: row for row in loaded.load_shares}
    lower, upper = (robot.from_controller(x) for x in ([0, 0, -20, -90, -100, -200],
                                                       [0, 40, 20, 90, 100, 200]))  # fmt: skip
    starts = np.random.default_rng(0).uniform(lower, upper, (2000, 6))

    def torque(q, axis):
        return abs((loaded.gravity(q) - robot.gravity(q))[axis - 1])

    for axis in (4, 5, 6):
        best = max(starts, key=lambda q: torque(q, axis))
        found = minimize(
            lambda q: -torque(q, axis),
            best,
            bounds=list(zip(lower, upper + 1e-9, strict=True)),
            method="L-BFGS-B",
            tol=1e-14,
        )
        assert shares[f"M{axis}"].value == pytest.approx(-found.fun, rel=1e-6)
    added = np.array(
        [
            np.diag(loaded.mass_matrix(q) - robot.mass_matrix(q))
            for q in robot.from_controller([[0, 0, 0, 0, 30, q6] for q6 in range(-180, 180, 10)])
        ]
    ).max(axis=0)
    assert shares["J5"].value == pytest.approx(added[4], rel=1e-9)
    assert shares["J6"].value == pytest.approx(added[5], rel=1e-9)


def test_wrist_torques_of_the_irb_140_are_those_of_5_kg():
    """Its three wrist torques are those of 5 kg, 110 mm before and 100 mm beside the flange, each
    rounded to 0.01 N m; a bit farther before breaks M4 and M5, and says so.
    """
    robot = irb.load("irb140")
    ahead = robot.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1099]))
    beside = robot.with_payload(irb.payload(5.0, [0.1, 0.0, -0.065]))
    share = {row.quantity: row.share for row in (*ahead.load_shares, *beside.load_shares)}
    assert share["M6"] == pytest.approx(1.0, abs=0.002)
    assert not ahead.overload
    assert not beside.overload
    with pytest.warns(
        irb.PhysicsWarning, match=r"whose axis ([45]): M\1 = 8\.68185 N m is outside"
    ):
        heavy = robot.with_payload(irb.payload(5.0, [0.0, 0.0, 0.112]))
    assert [row.quantity for row in heavy.overload] == ["M4", "M5"]


@pytest.mark.parametrize(
    ("name", "quantities"),
    [("irb660", 1), ("irb910sc", 1), ("crb15000", 1), ("irb2400", 6), ("irb120", 6)],
)
def test_what_is_not_known_has_no_share(name, quantities):
    """An arm without a common wrist centre has its mass alone; without a load diagram the rest is a
    number without a limit, which nothing breaks; a URDF has no limits at all.
    """
    robot = irb.load(name).with_payload(irb.payload(1.0, [0.0, 0.0, 0.05]))
    shares = robot.load_shares
    assert [row.quantity for row in shares] == ["load", "M4", "M5", "M6", "J5", "J6"][:quantities]
    known = {row.quantity for row in shares if np.isfinite(row.share)}
    assert known == ({"load", "J5", "J6"} if name == "irb120" else {"load"})
    assert not robot.overload
    assert irb.load(name).load_shares == ()
    tree = irb.from_urdf(irb.urdf_path(name)).with_payload(irb.payload(1.0))
    assert tree.load_shares == ()
