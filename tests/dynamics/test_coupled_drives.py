"""Friction of coupled drives: ``D' f(D v, D^-T g)`` beside pin.rnea, in every query of a robot."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from drives import COUPLED, every_term

import irbmodels as irb
from irbmodels.dynamics import equations_of_motion as dynamics
from irbmodels.robot.base_parameters import base_parameters

D, LAW = COUPLED, every_term()

SPRING, REST = 25.0, 0.4  # of axis 4 [N m/rad, rad]


@pytest.fixture(scope="module", params=["irb2400", "irb1600"])
def robot(request):
    bare = irb.load(request.param).with_rotors([3.0, 2.0, 1.0, 0.5, 0.4, 0.3])
    bare = bare.with_springs([irb.TorsionSpring(4, SPRING, REST)])
    return bare.with_payload(irb.payload(4.0, [0.05, 0.02, 0.1])).with_drives(D).with_friction(LAW)


def rubbed(w, load):
    """Drive by drive, with the two directions of a measured curve."""
    torques = []
    for i, (speed, held) in enumerate(zip(w.tolist(), load.tolist(), strict=True)):
        way, size = np.sign(speed), abs(speed)
        level = LAW.Fc[i] + way * LAW.dFc[i] + LAW.mu[i] * abs(held)
        level += (LAW.Fs[i] - LAW.Fc[i]) * np.exp(-(speed**2) / LAW.v_St[i] ** 2)
        level += LAW.Fv[i] * size + way * LAW.dFv[i] * size + LAW.Fd[i] * size / (LAW.v_d[i] + size)
        torques.append(way * level)
    return np.array(torques)


def expected(robot, q, v, a):
    """Torque by pin.rnea and a law written by hand."""
    model, (G, q0) = robot.model, robot.coupling
    data, tree = model.createData(), (G @ q + q0, G @ v, G @ a)
    rigid = G.T @ pin.rnea(model, data, *tree)
    sprung = SPRING * (q[3] - REST) * np.eye(6)[3]
    held = G.T @ pin.computeGeneralizedGravity(model, data, tree[0]) + sprung
    rotors = D.T @ (robot.rotors * (D @ a))
    return rigid + sprung + rotors + D.T @ rubbed(D @ v, np.linalg.solve(D.T, held))


def states(robot, count=6):
    return oracles.states(robot.name, count, seed=3)


def test_torques_are_those_of_rnea_and_a_law_by_hand(robot):
    """Inverse and forward dynamics, parts, friction alone, regressor, one state and arrays."""
    drawn = states(robot)
    for q, v, a in drawn:
        tau = expected(robot, q, v, a)
        scale = 1e-12 * np.abs(tau).max()
        np.testing.assert_allclose(robot.inverse_dynamics(q, v, a), tau, rtol=0, atol=scale)
        np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, rtol=0, atol=1e-8)
        np.testing.assert_allclose(robot.torque_parts(q, v, a).total, tau, rtol=0, atol=scale)
        product = robot.regressor(q, v, a) @ robot.parameter_vector()
        np.testing.assert_allclose(product, tau, rtol=0, atol=10 * scale)
        alone = tau - robot.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(robot.friction(v, q), alone, rtol=0, atol=10 * scale)
    q, v, _ = np.swapaxes(drawn, 0, 1)
    each = [robot.friction(speed, position) for position, speed in zip(q, v, strict=True)]
    np.testing.assert_allclose(robot.friction(v, q), each, rtol=1e-12, atol=1e-12)
    with pytest.raises(irb.MissingData, match=r"\(mu\): give positions too, friction\(v, q\)"):
        robot.friction(v)


def test_derivatives_are_finite_differences(robot):
    """By q, v and a, with the load of gravity in the friction."""
    step = 1e-6
    for q, v, a in states(robot, 3):
        actual = robot.inverse_dynamics_derivatives(q, v, a)
        for name, point in (("q", q), ("v", v), ("a", a)):
            columns = []
            for unit in step * np.eye(6):
                ends = [{"q": q, "v": v, "a": a} | {name: point + way * unit} for way in (1, -1)]
                high, low = (robot.inverse_dynamics(*end.values()) for end in ends)
                columns.append((high - low) / (2.0 * step))
            wanted = np.transpose(columns)
            close = 1e-6 * np.abs(wanted).max()
            np.testing.assert_allclose(getattr(actual, name), wanted, rtol=0, atol=close)


def test_friction_takes_power_from_every_motion(robot):
    """``v' D' f(D v)`` is never negative."""
    for q, v, _ in states(robot, 20):
        assert v @ robot.friction(v, q) > 0.0
        assert not robot.friction(np.zeros(6), q).any()


def test_every_kind_of_every_drive_is_a_base_parameter(robot):
    """Random states tell all terms that a drive has apart, from masses, rotors and springs too."""
    base = base_parameters(robot, rotors=True, friction=True, springs=True)
    values = dict(zip(LAW.kinds, LAW.parameters().reshape(6, -1).T, strict=True))
    names = {f"{kind}_{axis}": values[kind][axis - 1] for kind in values for axis in range(1, 7)}
    wanted = {name for name, value in names.items() if value or name.startswith(("Fv", "Fc"))}
    assert {name for name in base.names if name in names} == wanted
    q, v, a = states(robot, 1)[0]
    product = base.reduced(robot.regressor(q, v, a)) @ base.values(robot.parameter_vector())
    np.testing.assert_allclose(product, robot.inverse_dynamics(q, v, a), rtol=1e-8, atol=1e-8)
    assert base.units[base.names.index("mu_6")] == "1"


def test_terms_of_creeping_drives_are_base_parameters():
    """Of coupled drives whose peak ends at 1e-5 rad/s, and whose degressive friction is dry friction
    but for 1e-7 rad/s.
    """
    law = replace(LAW, v_St=np.full(6, 1e-5), v_d=np.full(6, 1e-7))
    robot = irb.load("irb1600").with_drives(D).with_friction(law)
    names = set(base_parameters(robot, friction=True).names)
    assert {"Fs-Fc_1", "Fs-Fc_4", "Fs-Fc_6", "Fd_1", "Fd_3", "Fd_4", "Fd_6"} <= names


def test_laws_without_coupling_and_terms_are_as_before():
    """Identity couples nothing, None takes the tables' own, and numbers stay to the last bit."""
    robot = irb.load("irb2400")
    law = robot.friction_model
    same, zeros = robot.with_drives(np.eye(6)), np.zeros(6)
    plain = robot.with_friction(replace(law, Fd=zeros, dFc=zeros, dFv=zeros, mu=zeros))
    for q, v, a in states(robot, 3):
        for other in (same, plain, robot.with_drives(D).with_drives(None)):
            tau = other.inverse_dynamics(q, v, a)
            np.testing.assert_array_equal(tau, robot.inverse_dynamics(q, v, a))
            np.testing.assert_array_equal(other.friction(v), law.torque(v))
    assert not same.dynamic_model.has_coupled_drives
    np.testing.assert_array_equal(robot.with_drives(D).drive_axes, D)


def test_a_warm_robot_rubs_less():
    """``at_temperature`` is the law at a temperature; others of a robot stay."""
    law = replace(LAW, mu=np.zeros(6), per_K=[-0.02] * 6, reference_temperature=20.0)
    robot = irb.load("irb1600").with_friction(law)
    v = np.linspace(-1.0, 1.0, 6)
    np.testing.assert_array_equal(robot.at_temperature(35.0).friction(v), law.at(35.0).torque(v))
    assert (np.abs(robot.at_temperature(35.0).friction(v)) < np.abs(robot.friction(v))).all()
    with pytest.raises(irb.MissingData, match="no friction data"):
        irb.load("irb1600").at_temperature(35.0)


def test_static_torque_of_drives_balances_that_of_axes(robot):
    """``D' load = g``."""
    q = states(robot, 1)[0][0]
    load = dynamics.drive_load(robot.dynamic_model, q)
    np.testing.assert_allclose(D.T @ load, robot.gravity(q), atol=1e-10)
