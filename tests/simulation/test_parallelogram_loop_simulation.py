"""An elastic rod: statics and frequencies by hand, energy kept, MuJoCo's motion, the rigid limit."""

import mujoco
import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels.simulation.parallelogram_loop import ParallelogramLoop

K = 3.0e6  # [N/m] made up
ROTORS = [60.0, 55.0, 40.0, 2.0, 2.0, 1.0]  # [kg m^2] made up
Q = np.array([0.2, 0.3, -0.15, 0.4, -0.5, 0.6])
CRANK, LONG = 0.180, 0.705  # [m] IRB 2400


def robot():
    """Return an IRB 2400 with weightless bars, the spindle, and made-up rotors."""
    return irb.load("irb2400", tool="spindle", coupling="parallelogram").with_rotors(ROTORS)


def about_elbow():
    """Return inertia and moment of weight about the elbow, of all that hangs on it, by the oracle."""
    arm = oracles.carrying(
        oracles.arm("irb2400_16", "obal2025"), *oracles.SPINDLE, tip=oracles.SPINDLE_TCP
    )
    unit = np.eye(6)
    arm = arm._replace(joints=[j._replace(gain=unit[i]) for i, j in enumerate(arm.joints)])
    x = Q.copy()
    x[2] -= x[1]
    return oracles.mass_matrix(arm, x)[2, 2], oracles.gravity_torque(arm, x)[2]


def test_held_motors_leave_the_arm_on_its_spring():
    """``f = sqrt(k (crank cos q3 - q2)^2 / I) / 2 pi``, I about the elbow [standard beam-free rod].

    The spring of 3e6 N/m gives by 0.2 mm, 1e-3 of the crank, within which the formula holds.
    """
    lever = CRANK * np.cos(Q[2] - Q[1])
    inertia, _ = about_elbow()
    by_hand = np.sqrt(K * lever**2 / inertia) / (2.0 * np.pi)
    assert ParallelogramLoop(robot(), K).frequency(Q) == pytest.approx(by_hand, rel=2e-3)
    stiff = ParallelogramLoop(robot(), 1e4 * K).frequency(Q)
    assert stiff == pytest.approx(100.0 * by_hand, rel=1e-6)


def test_free_motors_swing_against_the_arm():
    """Axis 3 alone, all else heavy: two inertias on a spring, ``sqrt(k_a (1/I + 1/J))``."""
    heavy = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    arm = ParallelogramLoop(heavy.with_rotors([1e9, 1e9, 40.0, 1e9, 1e9, 1e9]), 1e4 * K)
    lever, (inertia, _) = CRANK * np.cos(Q[2] - Q[1]), about_elbow()
    stiffness = 1e4 * K * lever**2
    by_hand = np.sqrt(stiffness * (1.0 / inertia + 1.0 / 40.0)) / (2.0 * np.pi)
    assert arm.frequency(Q, "free") == pytest.approx(by_hand, rel=1e-4)
    assert arm.frequency(Q, "free") > arm.frequency(Q, "held")


def test_weight_presses_the_rod_by_hand():
    """Force and elongation of the rod, and the sag of the TCP, from moments about the elbow."""
    given = robot()
    rest = ParallelogramLoop(given, 1e3 * K).equilibrium(Q)
    lever, (_, moment) = CRANK * np.cos(Q[2] - Q[1]), about_elbow()
    assert rest.rod == pytest.approx(given.reactions(Q, 0 * Q, 0 * Q).bars.rod, rel=1e-5)
    assert abs(rest.rod) == pytest.approx(abs(moment / lever), rel=1e-5)
    assert rest.e == -rest.rod / (1e3 * K)
    turned = -abs(rest.e) / lever * np.sign(moment)  # the weight turns the upper arm down
    elbow, axis = given.pose(Q, "link_3"), given.pose(Q, "link_3").rotation[:, 2]
    sag = np.cross(axis, given.pose(Q).translation - elbow.translation) * turned
    moved = rest.tcp.translation - given.pose(Q).translation
    np.testing.assert_allclose(moved, sag, atol=1e-3 * np.linalg.norm(sag))


def test_torques_at_rest_do_the_work_of_the_weight():
    """Torques that hold the arm on its rod are the slope of potential energy at equilibrium.

    By differences: the elongation is free to follow, so its own energy counts.
    """
    arm, step = ParallelogramLoop(robot(), K), 1e-4
    rest = arm.equilibrium(Q)

    def energy(q):
        at = arm.equilibrium(q)
        tree, state = arm.tree, arm.tree.state(q, np.zeros(6), at.e)
        import pinocchio as pin

        weight = pin.computePotentialEnergy(tree.model, tree.model.createData(), state.q)
        return weight + 0.5 * K * at.e**2

    slope = [(energy(Q + d) - energy(Q - d)) / (2.0 * step) for d in step * np.eye(6)]
    np.testing.assert_allclose(rest.torque, slope, atol=2e-5 * np.abs(slope).max())


def test_growing_stiffness_is_the_rigid_arm():
    """Ten times the stiffness, a tenth of the distance to the rigid arm at rest."""
    given = robot()
    rigid = ParallelogramLoop(given).equilibrium(Q)
    assert rigid.e == 0.0
    np.testing.assert_allclose(rigid.torque, given.gravity(Q), atol=1e-9)
    np.testing.assert_allclose(rigid.tcp.homogeneous, given.pose(Q).homogeneous, atol=1e-12)
    gaps = []
    for k in (1e7, 1e8, 1e9):
        rest = ParallelogramLoop(given, k).equilibrium(Q)
        at = rest.tcp.translation - rigid.tcp.translation
        gaps.append([abs(rest.e), np.linalg.norm(at), np.abs(rest.torque - rigid.torque).max()])
    ratio = np.array(gaps[:-1]) / gaps[1:]
    np.testing.assert_allclose(ratio, 10.0, rtol=5e-3)


def total_energy(arm, motion, k):
    """Kinetic, potential and elastic energy of samples, from poses of the bodies alone."""
    import pinocchio as pin

    model, result = arm.tree.model, []
    for q, v, e, e_dot in zip(motion.q, motion.v, motion.e, motion.e_dot, strict=True):
        state = arm.tree.state(q, v, e, e_dot)
        data = model.createData()
        kinetic = pin.computeKineticEnergy(model, data, state.q, state.v)
        kinetic += 0.5 * float(v**2 @ ROTORS)
        weight = pin.computePotentialEnergy(model, data, state.q)
        result.append(kinetic + weight + 0.5 * k * e**2)
    return np.array(result)


def test_a_motion_keeps_its_energy_and_damping_takes_it():
    """Energy stays to 1e-7 of what the motion exchanges; a damper only takes."""
    v = np.array([0.5, -0.8, 1.0, 1.0, -1.0, 2.0])
    arm = ParallelogramLoop(robot(), K)
    motion = arm.simulate(Q, v, duration=0.1, e=4e-4, every=0.002, rtol=1e-9)
    energy = total_energy(arm, motion, K)
    exchanged = np.ptp(0.5 * K * motion.e**2)
    assert exchanged > 0.1
    assert np.ptp(energy) < 1e-6 * exchanged
    np.testing.assert_allclose(motion.rod, -K * motion.e, atol=1e-9 * K * 1e-3)
    damped = ParallelogramLoop(robot(), K, 2e3)
    motion = damped.simulate(Q, v, duration=0.1, e=4e-4, every=0.002)
    energy = total_energy(damped, motion, K)
    assert (np.diff(energy) < 1e-9 * energy[0]).all()
    assert energy[0] - energy[-1] > 0.5 * exchanged


def test_a_rigid_loop_moves_as_the_robot_does():
    """0.2 s under torques: the motion of ``irb.simulate`` without friction."""
    given = robot()
    tau = np.array([20.0, -300.0, 200.0, 5.0, 5.0, 1.0])
    motion = ParallelogramLoop(given).simulate(Q, duration=0.2, torque=tau, every=0.02)
    wanted = irb.simulate(
        given.with_friction(None), Q, duration=0.2, torque=tau, every=0.02, stops=False
    )
    np.testing.assert_allclose(motion.q, wanted.q[: len(motion.q)], atol=1e-7)
    assert not motion.e.any()


def mujoco_arm(tmp_path, given, bars):
    """Return the exported arm without couplings, with a crank of its own; ``bars`` joins them."""
    path = irb.export(given, "mjcf", tmp_path, bars)[0]
    spec = mujoco.MjSpec.from_file(str(path))
    for thing in [*spec.equalities, *spec.tendons, *spec.actuators, *spec.sensors, *spec.keys]:
        spec.delete(thing)
    return spec
