"""The plant by machine code: what its dual solve makes of the same samples, once it is worth it."""

from __future__ import annotations

import pickle
from dataclasses import replace

import numpy as np
import pytest
from simulated import posture

from irbmodels.simulation import Plant
from irbmodels.simulation.step.kernel import step_kernel


def advance_by(worth, monkeypatch, plant, *args):
    """Advance a plant whose machine code is worth compiling after a number of steps."""
    monkeypatch.setattr("irbmodels.simulation.plant.WORTH", worth)
    return plant.advance(*args)


@pytest.mark.parametrize("coupled", [False, True])
def test_machine_code_and_the_dual_solve_agree(arm, monkeypatch, coupled):
    """Samples of arms pressed against stops are the same by both, with the same axes at rest, and
    the same sums of friction and stops.

    Machine code gives a stop the least that friction leaves to it; the dual solve comes near to
    that. With a stop of three axes machine code leaves steps to the dual solve.
    """
    if coupled:
        A = arm.limits.A.copy()
        A[2, 0] = 0.1
        model = arm.dynamic_model
        arm = replace(arm, dynamic_model=replace(model, limits=replace(arm.limits, A=A)))
    rng, wrench = np.random.default_rng(1), np.array([30.0, -20.0, 50.0, 1.0, 2.0, -3.0])
    plants, leans, rests, law = (Plant(arm), Plant(arm)), 0, 0, arm.friction_model
    for _ in range(6):
        tau = arm.gravity(posture(arm)) + rng.uniform(-1, 1, 6) * [300, 300, 300, 60, 80, 60]
        state = plants[0].start(posture(arm), rng.uniform(-0.5, 0.5, 6))
        for _ in range(150):
            one, other = (
                advance_by(worth, monkeypatch, plant, state, tau, 0.004, wrench)
                for worth, plant in zip((np.inf, 0), plants, strict=True)
            )
            np.testing.assert_allclose(other.q, one.q, rtol=0, atol=1e-12)
            np.testing.assert_allclose(other.v, one.v, rtol=0, atol=1e-10)
            assert (one.sticks == other.sticks).all()
            # torques up to 2e5 in impacts
            np.testing.assert_allclose(
                other.stop - other.friction, one.stop - one.friction, rtol=1e-10, atol=1e-7
            )
            np.testing.assert_allclose(other.friction, one.friction, rtol=0, atol=0.02)
            stands = one.sticks & state.sticks
            assert (np.abs(other.friction) <= law.Fs * (1.0 + 1e-9))[stands].all()
            leans += np.abs(other.stop).max() > 1.0
            rests += one.sticks.any()
            state = one
    assert leans > 200
    assert rests > 200


def test_machine_code_waits_until_it_is_worth_it(arm, monkeypatch):
    """A short simulation compiles nothing; a plant that has machine code can still be pickled."""
    monkeypatch.setattr("irbmodels.simulation.plant.WORTH", 20)
    made = []
    monkeypatch.setattr(
        "irbmodels.simulation.step.one_state.step_kernel",
        lambda *args, **kwargs: made.append(args) or step_kernel(*args, **kwargs),
    )
    plant, tau = Plant(arm), arm.gravity(posture(arm)) + 50.0
    state = plant.start(posture(arm))
    for i in range(8):
        state = plant.advance(state, tau, 0.004)
        assert len(made) == (i >= 4)
    again = pickle.loads(pickle.dumps(plant)).advance(state, tau, 0.004)
    np.testing.assert_array_equal(again.v, plant.advance(state, tau, 0.004).v)
    plant.advance(state, tau, 0.003)  # steps of another length
    plant.advance(state, tau, 0.0025)
    assert [args[3] for args in made] == [0.001, 0.0025 / 3]
