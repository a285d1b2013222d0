"""Terms beside S000's law: degressive, asymmetric, load-dependent, warm; and that none drives."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from grouped import together

import irbmodels as irb
from irbmodels import Stribeck
from irbmodels.model.friction import FURTHER, KINDS, check_law

LAW = Stribeck(
    Fs=[12.0, 9.0, 5.0],
    Fc=[8.0, 9.0, 4.0],
    Fv=[3.0, 2.0, 1.0],
    v_St=[0.1, 1.0, 0.05],
    Fd=[6.0, 0.0, 2.5],
    v_d=[0.3, 1.0, 0.7],
    dFc=[1.5, -2.0, 0.0],
    dFv=[-0.5, 0.0, 0.25],
    mu=[0.02, 0.0, 0.1],
    per_K=[-0.03, -0.01, 0.0],
    reference_temperature=25.0,
)
SPEEDS = np.concatenate([-np.geomspace(1e-4, 3.0, 9), [0.0], np.geomspace(1e-4, 3.0, 9)])


def written_out(axis: int, w: float, load: float) -> float:
    """Case by case, as one reads it from a measured curve: two directions, two levels each."""
    if w == 0.0:
        return 0.0
    forwards = w > 0.0
    Fc = [(9.5, 6.5), (7.0, 11.0), (4.0, 4.0)][axis][0 if forwards else 1]
    Fv = [(2.5, 3.5), (2.0, 2.0), (1.25, 0.75)][axis][0 if forwards else 1]
    peak = [4.0, 0.0, 1.0][axis] * np.exp(-((w / [0.1, 1.0, 0.05][axis]) ** 2))
    degressive = [6.0, 0.0, 2.5][axis] * abs(w) / ([0.3, 1.0, 0.7][axis] + abs(w))
    size = Fc + peak + Fv * abs(w) + degressive + [0.02, 0.0, 0.1][axis] * abs(load)
    return size if forwards else -size


def test_law_with_every_term_is_its_two_branches():
    """One state and arrays of states agree with the branches written out."""
    rng = np.random.default_rng(0)
    w = rng.choice(SPEEDS, size=(40, 3))
    load = rng.normal(scale=50.0, size=(40, 3))
    expected = [
        [written_out(i, w, g) for i, (w, g) in enumerate(zip(*row, strict=True))]
        for row in zip(w.tolist(), load.tolist(), strict=True)
    ]
    np.testing.assert_allclose(LAW.torque(w, load), expected, rtol=1e-13)
    np.testing.assert_allclose([LAW.torque(*row) for row in zip(w, load, strict=True)], expected)


def test_slopes_are_those_of_the_law():
    """By speed and by load, central differences away from the jump of the sign."""
    rng = np.random.default_rng(1)
    w = rng.choice(SPEEDS[np.abs(SPEEDS) > 1e-3], size=(40, 3))
    load, step = rng.normal(scale=50.0, size=(40, 3)), 1e-6
    by_speed = (LAW.torque(w + step, load) - LAW.torque(w - step, load)) / (2 * step)
    by_load = (LAW.torque(w, load + step) - LAW.torque(w, load - step)) / (2 * step)
    np.testing.assert_allclose(LAW.derivative(w), by_speed, rtol=1e-5, atol=1e-5)
    np.testing.assert_allclose(LAW.load_derivative(w, load), by_load, atol=1e-7)
    np.testing.assert_allclose(LAW.derivative(np.zeros(3)), [3 + 6 / 0.3, 2, 1 + 2.5 / 0.7])


def test_torque_is_linear_in_the_parameters_of_its_kinds():
    """Terms that are zero on every axis have no columns; parameters go in and come back."""
    assert LAW.kinds == ("Fv", "Fc", "Fs-Fc", "Fd", "dFc", "dFv", "mu") == tuple(KINDS)
    bare = replace(LAW, **{name: [value] * 3 for name, value in FURTHER.items()})
    assert bare.kinds == ("Fv", "Fc", "Fs-Fc")
    some = replace(LAW, dFc=np.zeros(3), mu=np.zeros(3))
    assert some.kinds == ("Fv", "Fc", "Fs-Fc", "Fd", "dFv")
    rng = np.random.default_rng(2)
    for law in (LAW, some, bare):
        w, load = rng.normal(scale=0.3, size=3), rng.normal(scale=50.0, size=3)
        Y, pi = law.regressor(w, load), law.parameters()
        assert Y.shape == (3, 3 * len(law.kinds))
        np.testing.assert_allclose(Y @ pi, law.torque(w, load), rtol=1e-13)
        doubled = law.with_parameters(2.0 * pi)
        np.testing.assert_allclose(doubled.torque(w, load), 2.0 * law.torque(w, load), rtol=1e-13)
        assert law.with_parameters(pi).same_as(law)
    assert not some.same_as(LAW)


def test_no_law_drives_an_axis_at_any_temperature():
    """Power ``w f(w)`` is never negative, at the edge of what is allowed, cold or hot, but for the
    rounding of levels that cancel there.
    """
    edge = replace(LAW, dFc=[8.0, -9.0, 4.0], dFv=[3.0, -2.0, -1.0], mu=[0.99, 0.0, 0.5])
    w = np.repeat(SPEEDS[:, None], 3, axis=1)
    for temperature in (-273.0, 0.0, 25.0, 90.0, 2000.0):
        law = check_law(edge.at(temperature), 3)
        rounding = 1e-15 * np.abs(w) * (law.Fc + law.Fv * np.abs(w))
        assert (w * law.torque(w, np.full_like(w, -70.0)) >= -rounding).all()


def test_viscous_terms_change_with_temperature():
    """Fv, dFv and Fd by exp(per_K dT); the law is as it was at its reference, and done with
    temperature.
    """
    warm, same = LAW.at(45.0), LAW.at(25.0)
    factor = np.exp([-0.6, -0.2, 0.0])
    for name in ("Fv", "dFv", "Fd"):
        np.testing.assert_allclose(getattr(warm, name), getattr(LAW, name) * factor)
    for name in ("Fs", "Fc", "v_St", "v_d", "dFc", "mu"):
        np.testing.assert_array_equal(getattr(warm, name), getattr(LAW, name))
    assert warm.reference_temperature is None
    assert not warm.per_K.any()
    np.testing.assert_array_equal(same.parameters(), LAW.parameters())
    each = LAW.at([45.0, 25.0, 0.0])
    np.testing.assert_allclose(each.Fv, [3.0 * np.exp(-0.6), 2.0, 1.0])
    with pytest.raises(irb.InputError, match=r"temperature \[deg C\]"):
        LAW.at(np.nan)
    with pytest.raises(irb.InputError, match=r"temperature \[deg C\]"):
        LAW.at([20.0, 30.0])


def test_a_law_with_load_asks_for_it():
    """Friction that depends on the load is not answered without it."""
    for ask in (LAW.torque, LAW.regressor):
        with pytest.raises(irb.MissingData, match=r"static torque at the drives \(mu\)"):
            ask(np.ones(3))
    assert LAW.needs_load
    assert not replace(LAW, mu=np.zeros(3)).needs_load


@together(
    "change, words",
    [
        (
            {"dFc": [0.0, 9.5, 0.0]},
            r"axis 2 would drive it: needs \|dFc\| <= Fc, got dFc 9.5, Fc 9",
        ),
        ({"dFc": [0.0, 0.0, -4.5]}, r"axis 3 would drive it: needs \|dFc\| <= Fc, got dFc -4.5"),
        ({"dFv": [0.0, 0.0, -1.5]}, r"axis 3 would drive it: needs \|dFv\| <= Fv, got dFv -1.5"),
        ({"Fd": [-1.0, 0.0, 0.0]}, "axis 1 would drive it: needs Fd >= 0 and v_d > 0, got Fd -1"),
        ({"v_d": [1.0, 0.0, 1.0]}, "axis 2 would drive it: needs Fd >= 0 and v_d > 0"),
        ({"mu": [0.0, 0.0, -0.1]}, "axis 3 would drive it: needs mu >= 0, got mu -0.1"),
        ({"mu": [1.0, 0.0, 0.0]}, "axis 1 would lock it: needs mu < 1, got mu 1"),
        ({"mu": [0.1]}, r"mu of the friction law .*\(3,\)"),
        ({"per_K": [np.nan] * 3}, "per_K of the friction law"),
        ({"reference_temperature": None}, "per_K needs reference_temperature"),
        ({"reference_temperature": np.inf}, "reference_temperature"),
    ],
)
def test_terms_that_no_drive_has_are_refused(change, words):
    """With the axis, the bound and the numbers."""
    with pytest.raises(irb.InputError, match=words):
        check_law(replace(LAW, **change), 3)
