"""Friction terms of measured gears in simulation: degressive, asymmetric, by load; passivity."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from scipy.optimize import brentq
from simulated import TIGHT, all_terms, check_energy, posture, smooth_torque, stribeck, wrist

import irbmodels as irb
from irbmodels.compiled.queries import program_for
from irbmodels.model.mechanism import mechanism_of
from irbmodels.simulation import LuGre, Plant, Regularised, rollouts, simulate
from irbmodels.simulation.mechanics import Stops
from irbmodels.simulation.step.program import Law, robot_step
from irbmodels.simulation.step.ranges import Ranges

MASS = 2.0  # of the block on its rail [kg]


def one(**terms: float) -> dict[str, np.ndarray]:
    """Return terms of a law of one axis."""
    return {name: np.array([value]) for name, value in terms.items()}


# --- one axis, in closed form


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_degressive_friction_stops_a_block(slide, sign):
    """``m v' = -Fd v / (v_d + v)`` has the first integral ``v + v_d ln v + Fd t / m``."""
    law = replace(stribeck(slide(), 0.0, 0.0, 0.0, 1.0), **one(Fd=3.0, v_d=0.2))
    run = simulate(slide(), [0.0], [sign * 1.5], duration=1.5, friction=law, **TIGHT)
    for t, v in zip(run.t, sign * run.v[:, 0], strict=True):
        left = 1.5 + 0.2 * np.log(1.5) - 3.0 * t / MASS
        wanted = brentq(lambda v: v + 0.2 * np.log(v) - left, 1e-12, 2.0, xtol=1e-15)
        np.testing.assert_allclose(v, wanted, rtol=0, atol=1e-9)
    np.testing.assert_allclose(
        run["friction"][:, 0], 3.0 * run.v[:, 0] / (0.2 + np.abs(run.v[:, 0])), rtol=1e-12
    )


@pytest.mark.parametrize("sign", [1.0, -1.0])
def test_each_direction_has_its_own_levels(slide, sign):
    """A block slides on as Fc + dFc and Fv + dFv in one direction say, and Fc - dFc and Fv - dFv
    in the other: ``v = (v0 + F / d) exp(-d t / m) - F / d`` until it stands.
    """
    law = replace(stribeck(slide(), 2.0, 2.0, 1.5, 1.0), **one(dFc=0.7, dFv=-0.4))
    run = simulate(slide(), [0.0], [sign * 2.0], duration=1.6, friction=law, **TIGHT)
    F, d = 2.0 + sign * 0.7, 1.5 - sign * 0.4
    end = MASS / d * np.log1p(2.0 * d / F)
    wanted = np.where(run.t < end, (2.0 + F / d) * np.exp(-d / MASS * run.t) - F / d, 0.0)
    np.testing.assert_allclose(sign * run.v[:, 0], wanted, rtol=0, atol=1e-9)
    np.testing.assert_allclose([event.t for event in run.events], [end], rtol=1e-9)


@pytest.mark.parametrize("sign", [1.0, -1.0])
@pytest.mark.parametrize("Fc", [2.0, 3.0])
def test_a_block_leaves_at_the_level_of_its_direction(slide, sign, Fc):
    """Under a growing load it slips at Fs + dFc one way, and at Fs - dFc the other; unloaded it
    stays, whatever dFc.
    """
    law = replace(stribeck(slide(), 3.0, Fc, 0.5, 0.1), **one(dFc=-1.8))
    rest = simulate(slide(), [0.0], duration=0.5, friction=law)
    assert not rest.v.any()
    assert not rest["friction"].any()
    run = simulate(
        slide(), [0.0], duration=2.5, torque=lambda t, q, v: [sign * 2.0 * t], friction=law
    )
    leaves = 0.5 * (3.0 - sign * 1.8)
    assert [event.kind for event in run.events] == ["slips"]
    np.testing.assert_allclose(run.events[0].t, leaves, rtol=1e-8)
    assert not run.v[run.t < leaves].any()
    assert sign * run.v[-1, 0] > 0.0
    # from the first moment, too
    for load, slips in ((2.0 * leaves - 0.01, False), (2.0 * leaves + 0.01, True)):
        from_rest = simulate(slide(), [0.0], duration=0.1, torque=[sign * load], friction=law)
        assert from_rest.v.any() == slips
        assert not from_rest.events


@pytest.mark.parametrize(("pull", "sign"), [(5.0, 1.0), (5.0, -1.0), (-5.0, 1.0)])
def test_friction_by_load_decelerates_a_block(slide, pull, sign):
    """On a tilted rail gravity's pull, and Fc + mu |m g|, give a constant deceleration; the motor
    takes the pull in part.
    """
    robot = slide().with_gravity([pull, 0.0, -8.0])
    law = replace(stribeck(robot, 1.0, 1.0, 0.0, 1.0), **one(mu=0.3))
    run = simulate(robot, [0.0], [sign * 2.0], duration=0.25, torque=[-pull], friction=law, **TIGHT)
    force = MASS * pull - pull - sign * (1.0 + 0.3 * MASS * abs(pull))
    assert 2.0 * sign * (2.0 * sign + force / MASS * 0.25) > 0.0  # slides until the end
    np.testing.assert_allclose(run.v[:, 0], 2.0 * sign + force / MASS * run.t, rtol=1e-9)


def test_load_holds_a_block_that_weighs_on_its_drive(slide):
    """A tilted block that mu alone holds leaves where the motor's torque and its weight exceed
    ``mu |m g|``.
    """
    robot = slide().with_gravity([4.0, 0.0, -8.0])
    law = replace(stribeck(robot, 0.0, 0.0, 0.2, 1.0), **one(mu=0.5))
    run = simulate(
        robot, [0.0], duration=2.0, torque=lambda t, q, v: [-7.0 + 2.0 * t], friction=law
    )
    np.testing.assert_allclose(run.events[0].t, 0.5 * (0.5 * 8.0 - 8.0 + 7.0), rtol=1e-8)
    assert not run.v[run.t < 1.5].any()
    assert run.v[-1, 0] > 0.0


def test_a_held_motor_bears_what_its_load_of_now_allows():
    """Motors of a coupled arm that stick bear ``Fs + mu |g|`` about dFc at most, g at the position
    of now, and leave just there: the load of those that others move changes while they stick.
    """
    arm, D = irb.load("irb2400", tool="spindle"), np.eye(6)
    D[5, 4] = 0.75
    arm, law = arm.with_drives(D), all_terms(6)
    law = replace(law, Fs=5.0 * law.Fs, mu=np.full(6, 0.3))
    q, swing = posture(arm), np.array([400.0, 500.0, 300.0, 5.0, 5.0, 5.0])
    run = simulate(
        arm,
        q,
        duration=0.5,
        torque=lambda t, q, v: arm.gravity(q) * (1.0 - t) + swing * np.sin(12.0 * t),
        friction=law,
        every=5e-4,
        rtol=1e-8,
    )
    u, f, load = (
        run.v @ D.T,
        np.linalg.solve(D.T, run["friction"].T).T - law.dFc,
        np.linalg.solve(D.T, arm.gravity(run.q).T).T,
    )
    most, sticks, left = law.Fs + law.mu * np.abs(load), np.abs(u) < 1e-12, 0
    assert (np.abs(f) <= most * (1.0 + 1e-8))[sticks].all()
    for event in run.events:
        if event.kind != "slips" or event.t < 0.01:
            continue
        i, last = event.axis - 1, int(np.searchsorted(run.t, event.t)) - 1
        if sticks[last - 2 : last + 1, i].all():
            reached = np.polyval(
                np.polyfit(run.t[last - 2 : last + 1], np.abs(f / most)[last - 2 : last + 1, i], 2),
                event.t,
            )
            np.testing.assert_allclose(reached, 1.0, rtol=0, atol=1e-3)
            left += np.ptp(load[sticks[:, i], i]) > 1.0
    assert left >= 2


# --- energy


@pytest.mark.parametrize(
    "law",
    [
        pytest.param(lambda law: law, id="stiction"),
        pytest.param(lambda law: Regularised(law, 1e-2), id="regularised"),
    ],
)
@pytest.mark.parametrize("term", ["Fd", "dFc", "dFv", "mu", "all"])
def test_no_term_feeds_energy_in(tmp_path, term, law):
    """Energy, work and losses balance in random runs of a coupled wrist, and losses only grow."""
    robot, whole = wrist(tmp_path, -0.6, rotors=(0.1, 0.05)), all_terms(2)
    kept = irb.Stribeck(whole.Fs, whole.Fc, whole.Fv, whole.v_St)
    if term != "all":
        extra = {term: getattr(whole, term)} | ({"v_d": whole.v_d} if term == "Fd" else {})
        whole = replace(kept, **extra)
    rng = np.random.default_rng(7)
    run = simulate(
        robot,
        rng.uniform(-0.5, 0.5, 2),
        rng.uniform(-2.0, 2.0, 2),
        duration=0.5,
        torque=smooth_torque(rng, np.array([15.0, 4.0])),
        friction=law(whole),
        rtol=1e-9,
        atol=1e-11,
    )
    check_energy(robot, run)
    # against the law's own formula, wherever motors turn
    D = robot.drive_axes
    u, f = run.v @ D.T, np.linalg.solve(D.T, run["friction"].T).T
    load = np.linalg.solve(D.T, robot.gravity(run.q).T).T
    moves = np.abs(u) > 0.1
    assert moves.any(axis=0).all()
    np.testing.assert_allclose(f[moves], whole.torque(u, load)[moves], rtol=0, atol=1e-6)


def test_a_bristle_slides_as_the_law_says(slide):
    """LuGre's steady friction is the law's, in both directions and under load."""
    robot = slide().with_gravity([1.0, 0.0, -8.0])
    law = replace(
        stribeck(robot, 3.0, 2.0, 5.0, 0.1), **one(dFc=0.8, dFv=0.2, mu=0.2, Fd=1.0, v_d=0.3)
    )
    for push in (9.0, -9.0):
        run = simulate(
            robot, [0.0], duration=8.0, torque=[push], friction=LuGre(law, 1e4, 100.0), every=1.0
        )
        steady = law.torque(run.v[-1], np.array([-MASS]))
        np.testing.assert_allclose(run["friction"][-1], steady, rtol=1e-5)
        np.testing.assert_allclose(push + MASS - steady, MASS * run.a[-1], rtol=0, atol=1e-5)
    with pytest.raises(irb.InputError, match="bends by Fs and Fc"):
        LuGre(replace(law, dFc=np.array([2.0])), 1e4, 100.0)
    with pytest.raises(irb.InputError, match="bends by Fs and Fc"):
        LuGre(replace(stribeck(robot, 0.0, 0.0, 0.1, 1.0), **one(mu=0.1)), 1e4, 100.0)


# --- fixed steps


def test_the_plant_takes_every_term(tmp_path):
    """The plant comes near to the simulation in the order of its step, and takes energy out."""
    robot, law = wrist(tmp_path, -0.6, rotors=(0.1, 0.05)), all_terms(2)
    start, tau, errors = ([0.2, 0.1], [1.5, -2.0]), np.array([-6.0, 1.5]), []
    true = simulate(robot, *start, duration=0.3, torque=tau, friction=law, **TIGHT)
    for step in (1e-3, 2.5e-4):
        plant = Plant(robot, friction=law, step=step)
        state, lost = plant.start(*start), 0.0
        for _ in range(60):
            state = plant.advance(state, tau, 0.005)
            assert state.friction @ state.v >= -1e-9 or state.sticks.any()
            lost += 0.005 * state.friction @ state.v
        errors.append(np.abs(state.q - true.q[-1]).max())
        np.testing.assert_allclose(lost, true["lost"][-1], rtol=0.03)
    assert errors[1] < 0.35 * errors[0] < 1e-3


def test_a_held_plant_has_the_bounds_of_each_direction(slide):
    """A block in the plant stays under Fs + dFc one way and Fs - dFc the other."""
    law = replace(stribeck(slide(), 3.0, 2.0, 0.5, 0.1), **one(dFc=-1.8))
    plant = Plant(slide(), friction=law)
    for push, stays in ((1.19, True), (1.21, False), (-4.79, True), (-4.81, False)):
        state = plant.advance(plant.start([0.0]), [push], 0.004)
        assert state.sticks[0] == stays
        if stays:
            np.testing.assert_allclose(state.friction, push, rtol=1e-12)


def test_machine_code_takes_every_term(tmp_path, monkeypatch):
    """Samples and rollouts under a law with every term are the same by machine code."""
    robot, law = wrist(tmp_path, -0.6, -0.3, 0.3, (0.1, 0.05)), all_terms(2)
    rng, plants = np.random.default_rng(2), (Plant(robot, friction=law), Plant(robot, friction=law))
    q, v = rng.uniform(-0.2, 0.2, (4, 2)), rng.uniform(-2.0, 2.0, (4, 2))
    tau = [-11.0, 0.0] + rng.uniform(-1.0, 1.0, (4, 2)) * [8.0, 3.0]
    batch = rollouts(robot, q, v, duration=0.2, torque=tau, every=0.02, friction=law)
    rests = 0
    for i in range(4):
        state = plants[0].start(q[i], v[i])
        for sample in range(1, 11):
            states = []
            for plant, worth in zip(plants, (np.inf, 0), strict=True):
                monkeypatch.setattr("irbmodels.simulation.plant.WORTH", worth)
                states.append(plant.advance(state, tau[i], 0.02))
            state, other = states
            for name in ("q", "v", "friction", "stop"):
                np.testing.assert_allclose(
                    getattr(other, name), getattr(state, name), rtol=1e-9, atol=1e-9
                )
            rests += state.sticks.any()
            np.testing.assert_allclose(batch.q[i, sample], state.q, rtol=0, atol=1e-10)
            np.testing.assert_allclose(batch.v[i, sample], state.v, rtol=0, atol=1e-8)
    assert rests > 3


def test_terms_of_zero_cost_nothing():
    """The step of a law without further terms has none of their constants and operations, and no
    torque at rest.
    """
    robot = irb.load("irb930")
    mechanism, ranges = mechanism_of(robot.dynamic_model), Ranges.of(Stops(robot))
    plain = Law.of(stribeck(robot, 2.0, 1.0, 0.5, 0.1))
    assert plain == Law(True, True)
    bare = robot_step(mechanism, ranges, plain, False)
    assert not {name[:-1] for name in bare.constants} & {"Fd", "v_d", "dFc", "dFv", "mu"}
    whole = robot_step(mechanism, ranges, Law.of(all_terms(4)), False)
    assert {name[:-1] for name in whole.constants} >= {"Fd", "v_d", "dFc", "dFv", "mu"}
    more = program_for("gravity", mechanism).count() + 4 * 20
    assert bare.count() < whole.count() < bare.count() + more


@pytest.mark.parametrize(
    ("terms", "message"),
    [
        ({"dFc": 2.5}, "dFc of the friction law would drive an axis"),
        ({"dFv": -0.6}, "dFv of the friction law would drive an axis"),
        ({"Fd": -1.0}, "Fd of the friction law must be positive"),
        ({"v_d": 0.0}, "v_d of the friction law must be positive"),
        ({"mu": np.nan}, "mu of the friction law"),
    ],
)
def test_a_law_that_drives_is_refused(slide, terms, message):
    """Terms that would give energy are refused before anything moves."""
    law = replace(stribeck(slide(), 2.0, 2.0, 0.5, 0.1), **one(**terms))
    for start in (
        lambda: simulate(slide(), [0.0], duration=0.1, friction=law),
        lambda: Plant(slide(), friction=law),
    ):
        with pytest.raises(irb.InputError, match=message):
            start()
