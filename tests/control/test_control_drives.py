"""Friction of coupled drives in control: what laws compensate, and events of the sampled loop."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated import all_terms, wrist

import irbmodels as irb
from irbmodels.control import (
    AxisReference,
    Gains,
    Measured,
    computed_torque,
    feed_forward,
    hold,
    run_loop,
)
from irbmodels.control.observer import momentum_rate

TURNS = -0.6
Q, V, A = np.array([0.4, -0.3]), np.array([0.7, 0.2]), np.array([1.0, -2.0])


def friction(law: irb.Stribeck) -> np.ndarray:
    """Return the friction of the wrist at Q and V, written out: motor 2 turns with axis 1."""
    weight = -4.0 * 9.81 * 0.3 * np.cos(Q[0])
    w, load = (V[0], V[1] + TURNS * V[0]), (weight, 0.0)
    f = []
    for i in range(2):
        way = np.sign(w[i])
        level = law.Fc[i] + (law.Fs - law.Fc)[i] * np.exp(-((w[i] / law.v_St[i]) ** 2))
        dry = (level + law.mu[i] * abs(load[i])) * way + law.dFc[i]
        slope = law.Fv[i] + way * law.dFv[i] + law.Fd[i] / (law.v_d[i] + abs(w[i]))
        f.append(dry + slope * w[i])
    return np.array([f[0] + TURNS * f[1], f[1]])


@pytest.mark.parametrize("law", [all_terms(2), replace(all_terms(2), mu=np.zeros(2))])
def test_laws_compensate_friction_of_the_motors(tmp_path, law):
    """Model-based laws and the observer add ``D' f(D v)`` with the load of the positions, of the
    model's law or of another.
    """
    model = wrist(tmp_path, TURNS)
    state, goal, gains = Measured(Q, V), AxisReference(Q, V, A), Gains(0.0, 0.0)
    for which, robot in ((law, model), (True, model.with_friction(law))):
        for control in (feed_forward, computed_torque):
            torques = (control(state, goal, robot, gains, friction=f) for f in (which, False))
            np.testing.assert_allclose(np.subtract(*torques), friction(law), rtol=1e-9)
        rates = (momentum_rate(state, A, robot, friction=f) for f in (False, which))
        np.testing.assert_allclose(np.subtract(*rates), friction(law), rtol=1e-9)


def test_events_of_the_loop_are_those_of_motors(tmp_path):
    """Motor 1 slips in a loop and takes axis 2 along while motor 2 sticks: one event, of drive 1."""
    robot, start = wrist(tmp_path, TURNS), np.array([0.2, 0.1])
    law = irb.Stribeck(*np.array([[3.0, 1.5], [2.0, 0.9], [0.4, 0.3], [0.3, 0.2]]))

    def pull(state, reference, model):
        return np.array([-7.0, 0.0])

    run = run_loop(robot, pull, hold(start), 0.2, start=start, friction=law)
    assert [(event.axis, event.kind) for event in run.events] == [(1, "slips")]
    assert (np.abs(run.v[5:]) > 1e-3).all()
    np.testing.assert_allclose(run.q @ [TURNS, 1.0], start @ [TURNS, 1.0], rtol=0, atol=1e-15)
