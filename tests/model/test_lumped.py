"""The set that stands for weighed bars on an open chain: what of the linkage it keeps, and what no
open chain can have.
"""

import numpy as np
import oracles
import pytest

import irbmodels as irb

NAMES = ["irb2400_16", "irb1400"]
COUNTERWEIGHT = "irb4400_60_196"
ROUNDED = 1e-9  # of the largest entry: the table has nine digits
TILTED = np.array([3.0, -5.0, -8.0])  # [m/s^2]


def both(name):
    """Return the robot with weighed bars, and the one that stands for it."""
    return irb.load(name, parameters="cad"), irb.load(name, parameters="cad_lumped")


def excess(name):
    """Return what the open chain has too much of [kg m^2]: all that turns with q3 hangs on the end
    of the lower arm.

    That is the lower arm times the first moment, backwards, of crank and rod; in the linkage the
    rod alone hangs on both, and its centre is where the lower arm's end is not.
    """
    rows, lower, crank = (
        oracles.weighed(name, "cad"),
        oracles.DIMENSIONS[name][2],
        oracles.CRANK[name],
    )
    (bar, at, _), (rod, centre, _) = (
        oracles.inertial(rows[link]) for link in ("link_crank", "link_rod")
    )
    # both lie along themselves, so one number says it all
    np.testing.assert_array_equal([at[0], centre[1]], 0.0)
    return lower * (rod * crank - bar * at[1]) - rod * centre[0] * crank


@pytest.mark.parametrize("name", NAMES)
def test_cad_runs_on_the_linkage_and_its_stand_in_on_an_open_chain(name):
    """The set with bars names the one without; the linkage's tree has ten joints, the open chain
    six.
    """
    linkage, chain = both(name)
    assert (linkage.model.nq, chain.model.nq) == (10, 6)
    assert linkage.description.inertials.sets["cad"].serial == "cad_lumped"
    assert irb.load("irb1400").parameters == "cad"
    with pytest.raises(
        irb.InputError,
        match=(
            r"only on the parallelogram tree; on an open chain the set 'cad_lumped' stands for it"
        ),
    ):
        irb.load(name, parameters="cad", coupling="serial")
    assert linkage.description.urdf("serial", "cad") == linkage.description.urdf(
        "serial", "cad_lumped"
    )
    assert 'joint_crank"' not in linkage.description.urdf("serial", "cad")


@pytest.mark.parametrize("tool", [None, "spindle"])
@pytest.mark.parametrize("gravity", [oracles.GRAVITY, TILTED])
@pytest.mark.parametrize("name", [*NAMES, COUNTERWEIGHT])
def test_gravity_is_that_of_the_linkage(name, gravity, tool):
    """In every posture, upright and on a tilted stand, with and without a tool."""
    linkage, chain = (robot.with_gravity(gravity).with_tool(tool) for robot in both(name))
    q = np.random.default_rng(0).uniform(-np.pi, np.pi, (200, 6))
    expected = linkage.gravity(q)
    np.testing.assert_allclose(
        chain.gravity(q), expected, rtol=0, atol=ROUNDED * np.abs(expected).max()
    )


@pytest.mark.parametrize("name", NAMES)
def test_all_bodies_weigh_the_same(name):
    """Crank and rod are in links 2 and 3 with all their mass; every other body is as it was."""
    bodies, lumped = oracles.weighed(name, "cad"), oracles.weighed(name, "cad_lumped")
    assert set(bodies) - set(lumped) == {"link_crank", "link_rod"}
    masses = [sum(row["mass_kg"] for row in rows.values()) for rows in (bodies, lumped)]
    assert masses[0] == pytest.approx(masses[1], rel=ROUNDED)
    for link in set(lumped) - {"link_2", "link_3"}:
        assert lumped[link] == bodies[link]


@pytest.mark.parametrize("name", NAMES)
def test_only_m11_and_m23_are_not_those_of_the_linkage(name):
    """The crank points backwards: M23 has ``excess sin(q3 - q2)`` too much, M11 ``2 excess sin q2
    cos q3`` too little.
    """
    linkage, chain = both(name)
    q = np.random.default_rng(1).uniform(-np.pi, np.pi, (200, 6))
    M = linkage.mass_matrix(q)
    wrong = np.zeros_like(M)
    wrong[:, 0, 0] = -2.0 * excess(name) * np.sin(q[:, 1]) * np.cos(q[:, 2])
    wrong[:, 1, 2] = wrong[:, 2, 1] = excess(name) * np.sin(q[:, 2] - q[:, 1])
    np.testing.assert_allclose(chain.mass_matrix(q) - M, wrong, rtol=0, atol=ROUNDED * M.max())
    assert excess(name) < 0.09 * np.abs(M[:, 1, 2]).max()  # of the largest M23


@pytest.mark.parametrize("name", NAMES)
def test_torques_of_one_axis_moving_alone(name):
    """Axis 2, 3, 4, 5 or 6 alone, at any speed, needs the linkage's torque on itself."""
    linkage, chain = both(name)
    for q, v, a in oracles.states(name, 20, seed=2):
        for i, alone in enumerate(np.eye(6)[1:], start=1):
            wanted, actual = (
                robot.inverse_dynamics(q, v * alone, a * alone, friction=False)
                for robot in (linkage, chain)
            )
            # [N m] torques are some 1e3
            assert actual[i] == pytest.approx(wanted[i], abs=ROUNDED * 1e3)


@pytest.mark.parametrize(("chosen", "excess"), [("cad", 1.16), ("hiqp", 1.13)])
def test_a_counterweight_makes_axis_3_of_the_open_chain_too_heavy_to_turn(chosen, excess):
    """No body of link 3's mass has its first moment, so mass of link 2 on axis 3 goes along, with
    the nearest possible tensor. What axis 2 alone bears stays.
    """
    linkage = irb.load(COUNTERWEIGHT, parameters=chosen)
    chain = irb.load(COUNTERWEIGHT, parameters=f"{chosen}_lumped", coupling="serial")
    M, other = (robot.mass_matrix(np.zeros(6)) for robot in (linkage, chain))
    assert other[1, 1] == pytest.approx(M[1, 1], rel=1e-6)
    assert other[2, 2] / M[2, 2] == pytest.approx(excess, abs=0.005)
