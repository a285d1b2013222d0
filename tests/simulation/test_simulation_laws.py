"""Friction laws other than the table's: smooth ones, and ones with a zero."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import quad
from simulated import energy, stribeck

import irbmodels as irb
from irbmodels.simulation import LuGre, Regularised, simulate

# --- smooth laws


def test_a_regularised_law_creeps_where_stiction_holds(slide):
    """Under half of Fs the block creeps by what the slope of the law says; with stiction it
    stays.
    """
    robot = slide()
    law = stribeck(robot, 6.0, 6.0, 0.0, 0.1)
    creeping = simulate(
        robot, [0.0], duration=1.0, torque=[3.0], friction=Regularised(law, 1e-3), rtol=1e-9
    )
    np.testing.assert_allclose(creeping.v[-1, 0], 1e-3 * np.arctanh(0.5), rtol=1e-6)
    assert simulate(robot, [0.0], duration=1.0, torque=[3.0], friction=law).q[-1, 0] == 0.0


def test_lugre_bends_and_comes_back(slide):
    """Under half of Fs a LuGre block settles where its bristle holds, and loaded beyond Fs it
    slides as the curve says.
    """
    robot = slide()
    law = stribeck(robot, 6.0, 4.0, 2.0, 0.5)
    bristles = LuGre(law, 1e4, 100.0)
    held = simulate(
        robot,
        [0.0],
        duration=10.0,
        torque=lambda t, q, v: [0.3 * t],
        friction=bristles,
        rtol=1e-7,
        atol=1e-10,
    )
    bent = -6.0 / 1e4 * np.log(1.0 - 3.0 / 6.0)  # x of dz = (1 - s0 z / Fs) dx, at s0 z = 3
    np.testing.assert_allclose(held.q[-1, 0], bent, rtol=5e-3)  # damping takes 0.3 % of the load
    np.testing.assert_allclose(held["friction"][-1, 0], 3.0, rtol=5e-3)
    tight = {"friction": bristles, "rtol": 1e-8, "atol": 1e-11}
    sliding = simulate(robot, [0.0], duration=8.0, torque=[10.0], **tight)
    # after 8 time constants of m / Fv = 1 s
    np.testing.assert_allclose(sliding.v[-1, 0], (10.0 - 4.0) / 2.0, rtol=1e-3)
    back = simulate(robot, [0.0], duration=2.0, torque=[-10.0], **tight)
    np.testing.assert_allclose(back.v, -sliding.v[: len(back)], rtol=0, atol=1e-6)


def test_a_bristle_rings_as_a_damped_spring(slide):
    """A small push makes a LuGre block swing with the bristle's stiffness and damping."""
    bristles = LuGre(stribeck(slide(), 6.0, 4.0, 2.0, 0.5), 1e4, 100.0)
    run = simulate(
        slide(), [0.0], [1e-5], duration=0.1, friction=bristles, every=0.005, rtol=1e-9, atol=1e-16
    )
    # of m x'' + (s1 + Fv) x' + s0 x = 0
    decay, rate = (100.0 + 2.0) / 4.0, np.sqrt(1e4 / 2.0 - (102.0 / 4.0) ** 2)
    wanted = 1e-5 / rate * np.exp(-decay * run.t) * np.sin(rate * run.t)
    # the bend is 2e-4 of what Fs bends
    np.testing.assert_allclose(run.q[:, 0], wanted, rtol=0, atol=1e-3 * wanted.max())


@pytest.mark.parametrize(
    ("kind", "numbers", "message"),
    [
        (Regularised, [0.0], "must be positive"),
        (Regularised, [[1.0, 2.0]], "needs one number, or 1, one per axis"),
        (LuGre, [-1.0, 1.0], "must be positive"),
        (LuGre, [1.0, np.nan], "must be positive"),
        (LuGre, ["a", 1.0], "not an array of numbers"),
    ],
)
def test_smooth_laws_refuse_what_cannot_be(slide, kind, numbers, message):
    """Widths, stiffness and damping are positive."""
    with pytest.raises(irb.InputError, match=message):
        kind(stribeck(slide(), 6.0, 4.0, 2.0, 0.01), *numbers)


def test_smooth_laws_need_a_whole_stribeck_law(slide):
    """Fs without Fc, or no law at all, is refused."""
    with pytest.raises(irb.InputError, match="both are positive, or both 0"):
        LuGre(stribeck(slide(), 0.0, 1.0, 0.0, 0.1), 1.0, 1.0)
    with pytest.raises(irb.InputError, match=r"goes by an irbmodels\.Stribeck"):
        LuGre(None, 1.0, 1.0)


def test_a_switch_after_the_end_is_refused():
    """It would be forgotten without a word; those within stand in the notes."""
    robot = irb.load("irb2400")
    loaded = robot.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1]))
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    with pytest.raises(
        irb.InputError, match=r"a switch at 5 s is after the end of the simulation at 0.2 s"
    ):
        simulate(robot, q, duration=0.2, switches=[(5.0, loaded)])
    run = simulate(robot, q, duration=0.02, torque=robot.gravity(q), switches=[(0.01, loaded)])
    ((time, changes),) = run.notes["switches"]
    assert time == 0.01
    assert (changes["robot"], changes["tool"], changes["payload_kg"]) == ("irb2400_16", None, 5.0)
    assert changes["payload_com_m"] == [0.0, 0.0, 0.1]
    assert simulate(irb.load("irb930"), np.zeros(4), duration=0.01).notes["friction"] is None


# --- laws with a zero


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_axis_without_static_friction_creeps_at_the_speed_of_its_load(slide, way):
    """With Fs = 0 and Fc = 20 N a load of 10 N moves a block at v_St sqrt(ln 2), where half of Fc
    is reached; no load, none.
    """
    robot = slide()
    law = stribeck(robot, 0.0, 20.0, 0.0, 0.01)
    run = simulate(robot, [0.0], duration=1.0, friction=law, torque=[10.0 * way])
    # rtol 1e-6, and atol of 1e-8 m/s
    np.testing.assert_allclose(run.v[-1, 0], way * 0.01 * np.sqrt(np.log(2.0)), rtol=1e-4)
    np.testing.assert_allclose(run["friction"][-1, 0], 10.0 * way, rtol=1e-4)
    later = simulate(
        robot,
        [0.0],
        duration=2.0,
        friction=law,
        torque=lambda t, q, v: [10.0 * way * np.clip(10 * t - 10, 0, 1)],
    )
    assert not later.v[later.t < 1.0].any()
    np.testing.assert_allclose(later.v[-1, 0], way * 0.01 * np.sqrt(np.log(2.0)), rtol=1e-4)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_axis_without_coulomb_friction_still_sticks(slide, way):
    """With Fc = 0 a block slows down as if free, and at rest Fs holds it, although its friction at
    speed was none to the bit.
    """
    robot = slide()
    law = stribeck(robot, 20.0, 0.0, 0.0, 0.01)
    run = simulate(robot, [0.0], [0.5 * way], duration=5.0, friction=law, torque=[-0.5 * way])
    (rest,) = run.of_axis(1, "sticks")
    slowing = lambda v: (0.5 + 20.0 * np.exp(-((v / 0.01) ** 2))) / 2.0  # noqa: E731
    time = quad(lambda v: 1.0 / slowing(v), 0.0, 0.5, points=[0.03], limit=200)[0]
    way_long = quad(lambda v: v / slowing(v), 0.0, 0.5, points=[0.03], limit=200)[0]
    np.testing.assert_allclose([rest.t, run.q[-1, 0]], [time, way * way_long], rtol=1e-5)
    assert run.v[-1, 0] == 0.0
    np.testing.assert_allclose(run["friction"][-1, 0], -0.5 * way, rtol=1e-9)


@pytest.mark.parametrize("tilt", [(-100.0, -60.0), (-90.0, -55.0)])
def test_an_axis_that_friction_and_a_stop_both_hold_comes_through(arm, tilt):
    """An axis pressed against its stop by more than Fs, share by share, does not bring the
    simulation to a standstill.
    """
    q = arm.from_controller([0.0, *tilt, 0.0, 0.0, 0.0])
    run = simulate(
        arm,
        q,
        duration=1.0,
        torque=arm.gravity(q) + np.array([500, -300, -300, 60, 60, 30]),
    )
    total = energy(arm, run)
    assert run.t[-1] == 1.0
    assert len(run.events) < 200
    # J of 900 J, at rtol 1e-6
    np.testing.assert_allclose(total - total[0], run["work"] - run["lost"], rtol=0, atol=1e-3)
