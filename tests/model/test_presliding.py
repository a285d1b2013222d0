"""Presliding: Dahl's state against its differential equation, and what no friction may do."""

from itertools import pairwise

import numpy as np
import pytest
from drives import COUPLED
from scipy.integrate import solve_ivp

import irbmodels as irb
from irbmodels.model.friction import check_law, frictionless
from irbmodels.model.presliding import DahlState, FrictionDirection, friction_direction

DISTANCE = np.array([2e-3, 4e-2])  # [rad]


def motion(t):
    """Positions and speeds of two drives that turn round, sometimes before they slide again."""
    x = np.stack([0.01 * np.sin(3.0 * t) + 0.004 * np.sin(11.0 * t), 0.1 * np.cos(2.0 * t)])
    v = np.stack(
        [0.03 * np.cos(3.0 * t) + 0.044 * np.cos(11.0 * t), -0.2 * np.sin(2.0 * t)],
    )
    return x.T, v.T


def equation(t, start, distance=DISTANCE):
    """Dahl's states by the solution of dz/dt = (|w| / x_p) (sgn(w) - z)."""

    def slope(time, z):
        w = motion(np.array([time]))[1][0]
        return np.abs(w) / distance * (np.sign(w) - z)

    solution = solve_ivp(slope, t[[0, -1]], start, t_eval=t, rtol=1e-9, atol=1e-9, max_step=1e-3)
    return solution.y.T


def test_the_state_solves_dahls_equation():
    """Reversals between samples are off by the square of the step; a share of them is partial."""
    t = np.arange(0.3, 4.3, 2e-4)
    x, w = motion(t)
    expected = equation(t, np.sign(w[0]))
    assert (np.abs(expected[:, 0]) < 0.9).mean() > 0.2
    np.testing.assert_allclose(DahlState(DISTANCE)(x, w), expected, atol=2e-3)


def test_a_motion_may_come_in_pieces():
    """Of any length, none and one sample included, at several distances."""
    t = np.arange(0.0, 4.0, 2e-3)
    x, w = motion(t)
    distances = np.array([DISTANCE, [1e-4, 1e-2], [1e-1, 1e-3]])
    whole, pieces = DahlState(distances)(x, w), DahlState(distances)
    cuts = [0, 0, 1, 2, 40, 41, 700, len(t)]
    parts = [pieces(x[a:b], w[a:b]) for a, b in pairwise(cuts)]
    np.testing.assert_allclose(np.concatenate(parts), whole, atol=1e-12)
    for k, distance in enumerate(distances):
        np.testing.assert_array_equal(whole[:, k], DahlState(distance)(x, w))


def test_a_drive_at_rest_keeps_its_state():
    """Before it has moved it has none; what moves first slides."""
    w = np.array([0.0, 0.0, 1.0, 1.0, -1.0, 0.0, 0.0, -1.0])[:, None]
    x = np.cumsum(w, axis=0) * 1e-3
    near, far = np.exp(-1.0), np.exp(-2.0)
    turned = [0.0, 0.0, 1.0, 1.0, 2 * near - 1, 2 * near - 1, 2 * near - 1, 2 * far - 1]
    np.testing.assert_allclose(DahlState(np.array([1e-3]))(x, w)[:, 0], turned, rtol=1e-12)
    state = DahlState(np.array([1e-3]))
    assert state(np.zeros((3, 1)), np.zeros((3, 1))).tolist() == [[0.0]] * 3
    assert state(np.zeros((0, 1)), np.zeros((0, 1))).shape == (0, 1)


def test_presliding_gives_back_no_more_than_it_stored():
    """Whatever the motion: ``Fc x_p (1 - ln 2)``, the integral of ``1 - 2 exp(-x / x_p)`` up to its
    zero, is all that the share of a drive can return.
    """
    rng, law = np.random.default_rng(0), one_law()
    x = np.cumsum(rng.normal(size=(200_000, 1)), axis=0)
    x = np.convolve(x[:, 0], np.ones(500) / 500, mode="valid")[:, None] * 4e-6
    w = np.gradient(x, 1e-3, axis=0)
    torque = law.Fc * FrictionDirection(law, np.eye(1))(x, w)
    steps = np.diff(x[:, 0])
    work = np.append(0.0, np.cumsum(0.5 * (torque[1:, 0] + torque[:-1, 0]) * steps))
    least = (work - np.maximum.accumulate(work)).min()
    assert -1.02 * 5.0 * 3e-4 * (1.0 - np.log(2.0)) < least < -0.5 * 5.0 * 3e-4 * 0.3


def one_law(share=1.0):
    return irb.Stribeck(*np.array([[5.0], [5.0], [1.0], [1.0]]), presliding=[share], x_p=[3e-4])


def test_the_share_turns_round_and_the_rest_does_at_once():
    """On coupled drives, whose speeds and positions are sums of those of axes."""
    rng, t = np.random.default_rng(1), np.arange(0.0, 3.0, 1e-3)[:, None]
    size, rate = rng.uniform(0.01, 0.03, 6), rng.uniform(2.0, 6.0, 6)
    q, v = size * np.sin(rate * t), size * rate * np.cos(rate * t)
    law = irb.Stribeck(
        *np.ones((4, 6)) * [[7.0], [7.0], [1.0], [1.0]],
        presliding=np.linspace(0.0, 1.0, 6),
        x_p=np.geomspace(1e-3, 1e-2, 6),
    )
    w, x = v @ COUPLED.T, q @ COUPLED.T
    z = DahlState(law.x_p)(x, w)
    expected = (1.0 - law.presliding) * np.sign(w) + law.presliding * z
    np.testing.assert_allclose(friction_direction(law, COUPLED)(q, v), expected, atol=1e-12)
    change = friction_direction(law, COUPLED).torque_change(q, v)
    np.testing.assert_allclose(change, 7.0 * (expected - np.sign(w)) @ COUPLED, atol=1e-11)
    assert np.abs(change).max() > 5.0
    own = law.regressor(w, direction=expected) @ law.parameters()
    np.testing.assert_allclose(own, law.torque(w) + 7.0 * (expected - np.sign(w)), rtol=1e-12)


def test_a_law_without_presliding_follows_no_motion():
    assert friction_direction(None, np.eye(3)) is None
    assert friction_direction(frictionless(3), np.eye(3)) is None
    assert friction_direction(one_law(0.0), np.eye(1)) is None
    assert one_law().terms == "viscous and Coulomb and presliding"
    assert one_law().same_as(one_law())
    assert not one_law().same_as(one_law(0.5))


@pytest.mark.parametrize("change", [{"presliding": [1.1]}, {"presliding": [-0.1]}, {"x_p": [0.0]}])
def test_presliding_that_no_drive_has_is_refused(change):
    law = one_law()
    values = {"presliding": law.presliding, "x_p": law.x_p} | change
    wrong = irb.Stribeck(law.Fs, law.Fc, law.Fv, law.v_St, **values)
    with pytest.raises(irb.InputError, match=r"axis 1 .* presliding from 0 to 1 and x_p > 0, got"):
        check_law(wrong, 1)
