import numpy as np
import pytest
from grouped import together
from programs import reference

import irbmodels as irb
from irbmodels.compiled.queries import OF_FRAMES, QUERIES

casadi = pytest.importorskip("casadi")

SAME = 1e-12  # of the largest entry


def given(function, q, v, a, parameters=None):
    """Return the inputs of a function by their names."""
    values = {"q": q, "v": v, "a": a, "tau": a, "parameters": parameters}
    return [values[name] for name in function.name_in()]


def state(robot):
    """Return q, v and a."""
    size = np.where(robot.limits.linear, 0.1, 1.0)
    return np.random.default_rng(0).uniform(-1.0, 1.0, (3, robot.n)) * size


def agree(function, inputs, expected):
    """Hold each output to the largest entry of what is expected."""
    for actual, theirs in zip(function.call(inputs), expected, strict=True):
        columns = theirs.shape[-1] if theirs.ndim > 1 else 1
        theirs = theirs.reshape(-1, columns)
        size = np.abs(theirs).max(initial=1e-3)
        np.testing.assert_allclose(actual.full(), theirs, rtol=0.0, atol=SAME * size)


@together("query", QUERIES)
@together("name", ["irb2400", "irb1400", "irb930"])
def test_every_query_is_the_reference(name, query):
    """One state, in columns and matrices; an array of three dimensions has its last in columns."""
    robot = irb.load(name)
    function = robot.symbolic(query)
    drawn = state(robot)
    expected = [x[0] for x in reference(robot, query, drawn[:, None])]
    assert function.name() == query
    assert function.name_in() == list(QUERIES[query].inputs)
    assert function.name_out() == list(QUERIES[query].outputs)
    agree(function, given(function, *drawn), expected)


@together("query", [query for query in QUERIES if query not in OF_FRAMES])
@together("name", ["irb2400", "irb1600"])
def test_parameters_are_an_input(name, query):
    """With the robot's own it answers as without; with others, in another way where they count."""
    robot = (
        irb.load(name)
        .with_rotors(np.arange(1.0, 7.0))
        .with_drives(np.eye(6) + np.eye(6, k=-1) / 3.0)
    )
    function = robot.symbolic(query, parameters=True)
    assert function.name_in() == [*QUERIES[query].inputs, "parameters"]
    parameters, drawn = robot.parameter_vector(), state(robot)
    expected = [x[0] for x in reference(robot, query, drawn[:, None])]
    agree(function, given(function, *drawn, parameters), expected)
    if query == "inverse_dynamics":
        Y = robot.regressor(*drawn)
        other = parameters * np.random.default_rng(1).uniform(0.5, 2.0, len(parameters))
        agree(function, given(function, *drawn, other), [Y @ other])


def test_zeros_by_structure_are_left_out():
    """So derivatives and solvers know them; what varies stays."""
    arm, scara = irb.load("irb2400"), irb.load("irb930")
    assert scara.symbolic("gravity").sparsity_out(0).nnz() == 1
    assert scara.symbolic("mass_matrix").sparsity_out(0).nnz() == 10  # the slide moves alone
    pose = arm.symbolic("pose")
    assert pose.sparsity_out(0).nnz() == 13
    assert (pose(np.zeros(6)).full()[3] == [0.0, 0.0, 0.0, 1.0]).all()
    Y = arm.symbolic("regressor")
    drawn = state(arm)
    kept = np.array(casadi.DM(Y.sparsity_out(0), 1.0).full(), bool)
    values = arm.regressor(*drawn)
    assert np.abs(values[~kept]).max() < 1e-12 * np.abs(values).max()
    assert kept.sum() < 0.6 * kept.size


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_casadi_differentiates_it(name):
    """Its own derivatives are Pinocchio's; of the kinetic energy by v they are ``M v``."""
    robot = irb.load(name)
    q, v, a = state(robot)
    function = robot.symbolic("inverse_dynamics")
    symbols = [casadi.SX.sym(x, robot.n) for x in "qva"]
    tau = function(*symbols)
    by = casadi.Function("by", symbols, [casadi.jacobian(tau, x) for x in symbols])
    expected = [
        x[0] for x in reference(robot, "inverse_dynamics_derivatives", np.stack([q, v, a])[:, None])
    ]
    agree(by, [q, v, a], expected)
    energy = robot.symbolic("energy")
    kinetic, _ = energy(*symbols[:2])
    momentum = casadi.Function("p", symbols[:2], [casadi.gradient(kinetic, symbols[1])])
    agree(momentum, [q, v], [robot.mass_matrix(q) @ v])


def test_a_missing_casadi_is_named(monkeypatch):
    """With its extra, before anything is traced."""
    monkeypatch.setattr("irbmodels.errors.find_spec", lambda name: None)
    with pytest.raises(irb.MissingExtra, match=r"irbmodels\[symbolic\]"):
        irb.load("irb930").symbolic("gravity")
