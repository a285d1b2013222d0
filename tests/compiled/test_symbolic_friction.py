"""Friction of coupled drives and its further terms as machine code, against Pinocchio's answers."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import oracles
import pytest
from drives import COUPLED, every_term

import irbmodels as irb
from irbmodels.compiled.queries import mechanism_for, program_for
from irbmodels.robot.queries import reference

D, LAW = COUPLED, every_term()
WITH_FRICTION = {
    "inverse_dynamics": "qva",
    "forward_dynamics": "qvt",
    "friction": "qv",
    "regressor": "qva",
    "inverse_dynamics_derivatives": "qva",
}
ROBOTS = {
    "all terms, coupled": lambda robot: robot.with_drives(D).with_friction(LAW),
    "all terms": lambda robot: robot.with_friction(LAW),
    "S000's law, coupled": lambda robot: robot.with_drives(D).with_friction(
        irb.Stribeck(LAW.Fs, LAW.Fc, LAW.Fv, LAW.v_St)
    ),
    "load alone": lambda robot: robot.with_friction(
        irb.Stribeck(LAW.Fs, LAW.Fc, LAW.Fv, LAW.v_St, mu=LAW.mu)
    ),
}


def drawn(robot, count, seed=1):
    q, v, a = np.swapaxes(oracles.states(robot.name, count, seed=seed), 0, 1)
    v[0] = 0.0
    return {"q": q, "v": v, "a": a, "t": np.random.default_rng(seed).normal(0, 100, q.shape)}


def near(actual, wanted):
    np.testing.assert_allclose(actual, wanted, rtol=0, atol=1e-11 * np.abs(wanted).max())


@pytest.mark.parametrize("query", list(WITH_FRICTION))
@pytest.mark.parametrize("made", list(ROBOTS))
def test_kernels_are_the_reference(made, query):
    """One state and arrays, at rest too; a robot on the tree with bars."""
    robot = irb.load("irb2400", coupling="parallelogram").with_rotors([3, 2, 1, 0.5, 0.4, 0.3])
    robot = robot.with_springs([irb.TorsionSpring(4, 25.0, 0.4)])
    robot = ROBOTS[made](robot.with_payload(irb.payload(4.0, [0.05, 0.02, 0.1])))
    kernel, values = getattr(robot.compiled(), query), drawn(robot, 5)
    inputs = WITH_FRICTION[query]
    if query == "friction" and not robot.friction_model.needs_load:
        inputs = "v"
    value = reference(query, robot.dynamic_model)
    for state in zip(*(values[name] for name in inputs), strict=True):
        outputs = kernel(*state)
        outputs = outputs if isinstance(outputs, tuple) else (outputs,)
        for actual, wanted in zip(outputs, value(*state), strict=True):
            near(actual, wanted)
    if query != "inverse_dynamics_derivatives":
        together = kernel.rows(*(values[name] for name in inputs))
        near(together[2], value(*(values[name][2] for name in inputs))[0])


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_terms_that_are_zero_cost_nothing(name):
    """Zeros on every drive and identity leave programs and constants as S000's law has them."""
    robot, n = irb.load(name), irb.load(name).n
    law = irb.Stribeck(*np.array([3.0, 2.0, 1.0, 0.1])[:, None] * np.ones(n))
    zeros = np.zeros(n)
    full = replace(law, Fd=zeros, dFc=zeros, dFv=zeros, mu=zeros, v_d=np.full(n, 0.3))
    plain, same = robot.with_friction(law), robot.with_drives(np.eye(n)).with_friction(full)
    for query in WITH_FRICTION:
        one, other = (mechanism_for(query, arm.dynamic_model) for arm in (plain, same))
        assert one.key == other.key
        assert one.free == other.free
        assert program_for(query, one) is program_for(query, other)


def test_a_term_of_one_drive_costs_that_drive_alone():
    """Degressive friction is a division, asymmetric levels a product with |sgn|, load needs g(q)."""
    plain = irb.Stribeck(LAW.Fs, LAW.Fc, LAW.Fv, LAW.v_St)
    robot, one = irb.load("irb1600"), np.eye(6)[4]

    def steps(law):
        mechanism = mechanism_for("inverse_dynamics", robot.with_friction(law).dynamic_model)
        kept = program_for("inverse_dynamics", mechanism).steps
        return sum(step.operation not in ("constant", "input", "number") for step in kept)

    bare = steps(plain)
    assert steps(replace(plain, Fd=one)) - bare == 6
    assert steps(replace(plain, dFc=one)) - bare == 3
    assert steps(replace(plain, dFv=0.1 * one)) - bare == 3
    assert 5 < steps(replace(plain, mu=0.1 * one)) - bare < 120


def test_parameters_as_input_of_casadi():
    """Friction of every kind comes from the parameter vector, and gravity of the load as well."""
    pytest.importorskip("casadi")
    robot = ROBOTS["all terms, coupled"](irb.load("irb1600").with_rotors(np.arange(1.0, 7.0)))
    function = robot.symbolic("inverse_dynamics", parameters=True)
    values = drawn(robot, 3)
    changed = robot.with_friction(replace(LAW, mu=0.5 * LAW.mu, Fd=2.0 * LAW.Fd))
    for arm in (robot, changed):
        for q, v, a in zip(values["q"], values["v"], values["a"], strict=True):
            tau = np.array(function(q, v, a, arm.parameter_vector())).ravel()
            near(tau, arm.inverse_dynamics(q, v, a))
