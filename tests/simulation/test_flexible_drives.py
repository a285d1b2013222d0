"""Friction of the motors of a coupled wrist with elastic joints: law, events, losses, damping."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from simulated import all_terms, wrist

import irbmodels as irb
from irbmodels.model.springs import TorqueOffset
from irbmodels.simulation.flexible import Drive, FlexibleRobot

RATIO, TURNS = 50.0, -0.6
D, LINKS = np.array([[1.0, 0.0], [TURNS, 1.0]]), np.array([[0.5, 0.0], [0.0, 0.2]])
OFFSET = 1.5  # of axis 2, which has no weight [N m]
STIFFNESS, INERTIA = np.array([4e3, 2e3]), np.array([0.3, 0.05])


def elastic_wrist(folder, law: irb.Stribeck, axes: int = 2) -> FlexibleRobot:
    """Return the wrist with springs in the first axes, whose motor 2 turns with motor 1."""
    robot = wrist(folder, 0.0).with_springs([TorqueOffset(2, OFFSET)])
    drives = [
        Drive(
            stiffness=STIFFNESS[i] if i < axes else np.inf,
            rotor_inertia=INERTIA[i] / RATIO**2,
            gear_ratio=RATIO,
            turned_by={1: RATIO * TURNS} if i == 1 else {},
        )
        for i in range(2)
    ]
    return FlexibleRobot(robot, drives, law)


@pytest.mark.parametrize("axes", [1, 2])
def test_motors_have_the_friction_of_their_own_speed(tmp_path, axes):
    """Accelerations of links and motors are those of Lagrange's equations with ``D' f(D w)`` on the
    motors, loaded by the links' weight; axis 2 is elastic or rigid, axis 1 elastic.
    """
    law, rng = all_terms(2), np.random.default_rng(5)
    arm = elastic_wrist(tmp_path, law, axes)
    q, v, w, tau = rng.uniform(-1.0, 1.0, (4, 2))
    theta = q + np.array([0.002, -0.003])
    w = np.where(np.arange(2) < axes, w, v)
    weight = np.array([-4.0 * 9.81 * 0.3 * np.cos(q[0]), OFFSET])
    friction = D.T @ law.torque(D @ w, np.linalg.solve(D.T, weight))
    rotors = D.T @ np.diag(INERTIA) @ D
    springs = np.where(np.arange(2) < axes, STIFFNESS * (theta - q), 0.0)
    P = np.zeros((2, 2 + axes))  # motors from links and elastic motors
    P[:axes, 2:], P[axes:, axes:2] = np.eye(axes), np.eye(2 - axes)
    H = P.T @ rotors @ P
    H[:2, :2] += LINKS
    right = P.T @ (tau - friction)
    right[:2] += springs - weight
    right[2:] -= springs[:axes]
    wanted = np.linalg.solve(H, right)
    a, theta_ddot = arm.forward_dynamics(q, v, theta, w, tau)
    np.testing.assert_allclose(a, wanted[:2], rtol=1e-9)
    np.testing.assert_allclose(theta_ddot, P @ wanted, rtol=1e-9)


@pytest.mark.parametrize("axes", [1, 2])
def test_a_motor_sticks_while_springs_swing(tmp_path, axes):
    """A simulated wrist loses energy to the motors' friction only; while motor 2 sticks its axis,
    held by motor 1's, goes on. Samples obey the equations of motion.
    """
    law = replace(all_terms(2), Fs=np.array([1.5, 1.9]))
    arm = elastic_wrist(tmp_path, law, axes)
    run = arm.simulate(
        [0.4, 0.1], [1.0, -0.5], duration=0.4, torque=[-11.0, OFFSET], rtol=1e-10, atol=1e-12
    )
    w = run["theta_dot"] @ D.T
    stuck = (np.abs(w) < 1e-12) & (np.abs(run["theta_dot"]).min(axis=1) > 1e-3)[:, None]
    assert stuck[:, 1].sum() > 20
    assert not stuck[:, 0].any()
    assert {(event.axis, event.kind) for event in run.events} >= {(2, "sticks")}
    total = np.sum(arm.energy(run.q, run.v, run["theta"], run["theta_dot"]), axis=0)
    np.testing.assert_allclose(total - total[0], run["work"] - run["lost"], rtol=0, atol=1e-8)
    assert (np.diff(run["lost"]) >= 0.0).all()
    moves = (np.abs(w) > 1e-9).all(axis=1)
    a, _ = arm.forward_dynamics(run.q, run.v, run["theta"], run["theta_dot"], run.tau)
    np.testing.assert_allclose(run.a[moves], a[moves], rtol=0, atol=1e-7)


def test_feedforward_and_rigid_limit_have_the_same_friction(tmp_path):
    """Fed forward, a motion costs the friction that its rigid limit has, whose motors are coupled
    and loaded too.
    """
    law = all_terms(2)
    arm = elastic_wrist(tmp_path, law)
    motion = np.zeros((5, 2))
    motion[:3] = [0.4, 0.2], [0.8, -0.6], [1.5, 2.0]
    without = FlexibleRobot(arm.robot, arm.drives, friction=False)
    result = arm.feedforward(*motion)
    friction = result.torque - without.feedforward(*motion).torque
    weight = np.array([-4.0 * 9.81 * 0.3 * np.cos(0.4), OFFSET])
    wanted = D.T @ law.torque(D @ result.theta_dot, np.linalg.solve(D.T, weight))
    np.testing.assert_allclose(friction, wanted, rtol=1e-12)
    rigid = arm.rigid
    np.testing.assert_allclose(
        rigid.inverse_dynamics(*motion[:3]),
        (LINKS + D.T @ np.diag(INERTIA) @ D) @ motion[2]
        + weight
        + D.T @ law.torque(D @ motion[1], np.linalg.solve(D.T, weight)),
        rtol=1e-9,
    )


def test_small_motions_are_damped_by_viscous_friction_at_rest(tmp_path):
    """The linear model has the slope of forward dynamics at rest, degressive friction included,
    across both axes.
    """
    law = replace(all_terms(2), Fs=np.zeros(2), Fc=np.zeros(2), dFc=np.zeros(2), mu=np.zeros(2))
    arm = elastic_wrist(tmp_path, replace(law, dFv=np.zeros(2)))
    q = np.array([0.3, -0.2])
    theta, hold = arm.equilibrium(q)
    A = arm.linearized(q).A
    for i in range(2):
        step = 1e-7 * np.eye(2)[i]
        ahead, behind = (
            np.concatenate(arm.forward_dynamics(q, np.zeros(2), theta, sign * step, hold))
            for sign in (1.0, -1.0)
        )
        slope = (ahead - behind) / 2e-7
        np.testing.assert_allclose(A[4:, 6 + i], slope, rtol=1e-5, atol=1e-6)
