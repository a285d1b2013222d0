"""Possible bodies nearest to data that no body has, and the bound on what they lack."""

from functools import cache

import numpy as np
import pytest
from excited import excitation, inner

import irbmodels as irb
from irbmodels.identification.fits import (
    Samples,
    TorqueEquations,
    accumulate,
    consistent_fit,
    weighted_least_squares,
)
from irbmodels.identification.fits.nearest_bodies import (
    ACCURACY,
    FLOOR,
    LEAD,
    Answer,
    NearestBodies,
)
from irbmodels.identification.fits.pseudo import parameters_of, pseudo_inertia
from irbmodels.model.inertia import Inertial
from irbmodels.robot.base_parameters import base_parameters

# half a metre of steel, and a plate
PRIORS = (
    Inertial.of(30.0, [0.1, 0.0, 0.25], np.diag([0.7, 0.6, 0.2])),
    Inertial.of(8.0, [0.02, -0.05, 0.0], np.diag([0.05, 0.04, 0.08])),
)


def parameters(body):
    """Ten parameters about the origin of the frame."""
    J = np.zeros((4, 4))
    J[:3, :3] = body.covariance() + body.mass * np.outer(body.com, body.com)
    J[:3, 3] = J[3, :3] = body.mass * body.com
    J[3, 3] = body.mass
    return parameters_of(J)


@cache
def problem(kind):
    """Data of two bodies and two scalars: of possible ones, of bodies denser than
    lead, and of bodies flatter than flat with scalars below 0.
    """
    rng = np.random.default_rng(3)
    truth = np.concatenate([*(parameters(body) for body in PRIORS), [2.0, 3.0]])
    size = np.abs(truth) + 0.05
    A = (
        rng.normal(size=(30 if kind == "flat" else 12, 22))
        / size
        * {"possible": 10.0, "dense": 1e3, "flat": 1e4}[kind]
    )
    if kind == "dense":
        truth[[0, 10]] *= 30.0
        truth[[4, 6, 9, 14, 16, 19]] *= 0.02
    if kind == "flat":
        for start in (0, 10):
            J = pseudo_inertia(truth[start : start + 10])
            J[2, 2] *= -0.5
            truth[start : start + 10] = parameters_of(J)
        truth[20:] *= -1.0
    C = np.zeros((2, 22))
    C[:, 20:] = np.eye(2)
    roots = [np.linalg.cholesky(pseudo_inertia(parameters(body))) for body in PRIORS]
    return NearestBodies(A, A @ truth, roots, 4.0, C, np.zeros(2))


def objective(of, z):
    """Misfit and divergence, as the docstring has them."""
    total = 0.5 * np.sum(np.square(of.A @ z - of.b))
    for root, x in zip(of.roots, z[:20].reshape(2, 10), strict=True):
        X = np.linalg.solve(root, np.linalg.solve(root, pseudo_inertia(x)).T)
        total += of.weight * (np.trace(X) - np.linalg.slogdet(X)[1] - 4.0)
    return total


def possible_sets(of, count):
    """Random parameters that keep all constraints."""
    rng = np.random.default_rng(0)
    for _ in range(count):
        bodies = []
        for root in of.roots:
            spread = root @ (np.eye(4) + 0.3 * rng.normal(size=(4, 4)))
            bodies.append(parameters_of(spread @ spread.T + FLOOR * root @ root.T))
        yield np.concatenate([*bodies, rng.uniform(0.0, 5.0, 2)])


@pytest.mark.parametrize("kind", ["possible", "dense", "flat"])
def test_nothing_possible_is_better(kind):
    """The problem is convex: no way towards any possible set leads down."""
    of = problem(kind)
    z = of.solution().z
    least = objective(of, z)
    for other in possible_sets(of, 40):
        for share in (1e-4, 1e-2, 0.3):
            assert objective(of, z + share * (other - z)) > least - ACCURACY * max(1.0, least)


@pytest.mark.parametrize("kind", ["possible", "dense", "flat"])
def test_the_bound_is_one(kind):
    """Whatever the parameters and multipliers, they exceed the minimum by no more than is said."""
    of = problem(kind)
    answer = of.solution()
    least, rng = objective(of, answer.z), np.random.default_rng(1)
    told = 0
    for other in possible_sets(of, 10):
        for share in (1e-7, 1e-5, 1e-3, 1e-1):
            z = answer.z + share * (other - answer.z)
            factors = 1.0 + share * rng.normal(size=3)
            multipliers = (part * f for part, f in zip(answer[1:], factors, strict=True))
            excess, value = of.excess(Answer(z, *multipliers))
            assert value == pytest.approx(objective(of, z), rel=1e-9)
            assert excess * max(1.0, value) > value - least - 1e-9 * least
            told += np.isfinite(excess)
    assert told > 10


def test_bodies_at_their_bounds():
    """Bodies that data make flatter than flat are as flat as the floor allows; heavy small
    ones have the density of lead.
    """
    of = problem("flat")
    z = of.solution().z
    X = np.linalg.solve(of.roots[0], np.linalg.solve(of.roots[0], pseudo_inertia(z[:10])).T)
    assert np.linalg.eigvalsh(X)[0] == pytest.approx(FLOOR, rel=1e-3)
    body = pseudo_inertia(problem("dense").solution().z[:10])
    moments = np.trace(body[:3, :3]) - body[:3, 3] @ body[:3, 3] / body[3, 3]
    assert moments == pytest.approx(LEAD * body[3, 3] ** (5.0 / 3.0), rel=1e-4)


@pytest.mark.parametrize(("kind", "share"), [("possible", 1e-3), ("dense", 0.99)])
def test_a_body_beyond_the_constraints_is_no_answer(kind, share):
    """Of a body with less second moments, flatter than flat or denser than lead, nothing is known."""
    of = problem(kind)
    answer = of.solution()
    J = pseudo_inertia(answer.z[:10])
    about = J[:3, :3] - np.outer(J[:3, 3], J[:3, 3]) / J[3, 3]
    J[:3, :3] -= (1.0 - share) * about
    if kind == "possible":
        J[2, 2] -= about[2, 2]
    z = np.concatenate([parameters_of(J), answer.z[10:]])
    assert of.excess(answer._replace(z=z))[0] == np.inf


def hard_fit(kind, seed, n):
    """Base parameters of a log of an IRB 2400 whose inputs are ``1 + 1e-12 n`` times as large."""
    truth = irb.load("irb2400")
    tool = Inertial.of(16.0, [0.0, 0.0, 0.2], 0.1 * np.eye(3))
    robot = {
        "right": truth,
        "tool": truth.with_payload(tool),  # which was not there
        "robot": irb.load("irb1600").with_friction(truth.friction_model),
        "short": truth,
        "still": truth.with_payload(tool),
    }[kind]
    motion = inner(excitation(truth, 2.0 if kind == "short" else 8.0, seed=seed))
    if kind == "still":  # nearly
        q, v, a = (0.02 * part for part in (motion.q, motion.v, motion.a))
        motion = motion._replace(
            q=q, v=v, a=a, tau=truth.regressor(q, v, a) @ truth.parameter_vector()
        )
    noise = 1e-3 * np.abs(motion.tau).max(axis=0)
    tau = motion.tau + noise * np.random.default_rng(seed).normal(size=motion.tau.shape)
    larger = 1.0 + 1e-12 * n
    samples = Samples.of(motion._replace(q=larger * motion.q, tau=larger * tau))
    base = base_parameters(robot, friction=True)
    fit = weighted_least_squares(accumulate(samples, TorqueEquations(robot, base)))
    return fit, robot, base


@pytest.mark.parametrize("kind", ["right", "tool", "robot", "short", "still"])
def test_hard_logs_have_an_answer_that_rounding_does_not_move(kind):
    """Torques that no possible bodies make have the nearest ones; a change of the inputs in the
    last digits moves the distance by as little as ``ACCURACY`` allows.
    """
    for seed in (1, 2):
        distances = [consistent_fit(*hard_fit(kind, seed, n)).distance for n in (0, 1)]
        assert distances[0] == pytest.approx(distances[1], rel=np.sqrt(2.0 * ACCURACY))
