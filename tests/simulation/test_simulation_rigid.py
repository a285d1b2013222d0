"""Motion under torques: against energies, other engines, a closed loop of bars, and a stick-slip
cycle solved piece by piece.
"""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp
from simulated import SLIDE, TIGHT, energy, posture, stribeck

import irbmodels as irb
from irbmodels.simulation import simulate

# --- energy


def test_free_motion_keeps_its_energy(arm):
    """Without friction, stops and torques three seconds of falling change the energy by less than
    1e-9 of its size.
    """
    run = simulate(
        arm,
        posture(arm),
        [0.3, 0.2, 0.1, 0.5, 0.4, 0.3],
        duration=3.0,
        friction=False,
        stops=False,
        every=0.1,
        **TIGHT,
    )
    total = energy(arm, run)
    assert np.ptp(total) < 1e-9 * np.abs(total).max()
    assert np.abs(run.v[:, 1]).max() > 2.0  # it did fall
    assert not run.events


def test_energy_and_dissipated_work_balance(arm):
    """With friction, stops and driven axes, energy is what was put in less what was lost, to 1e-8,
    through 70 events.
    """
    held = arm.gravity(posture(arm))
    size, rate = np.array([60.0, 80, 50, 25, 45, 25]), np.array([3.0, 2, 4, 5, 3, 6])
    run = simulate(
        arm,
        posture(arm),
        duration=5.0,
        torque=lambda t, q, v: held + size * np.sin(rate * t),
        every=0.05,
        **TIGHT,
    )
    total = energy(arm, run)
    balance = total - total[0] - run["work"] + run["lost"]
    assert np.abs(balance).max() < 1e-8 * np.abs(total).max()
    assert (np.diff(run["lost"]) >= -1e-12).all()
    assert run["lost"][-1] > 500.0
    assert {event.kind for event in run.events} == {
        "sticks",
        "slips",
        "hits its stop",
        "leaves its stop",
    }


def test_a_sample_obeys_the_equation_of_motion(arm):
    """Every sample satisfies tau = M a + C v + g + friction - stops, with friction as the law has
    it where an axis moves.
    """
    held = arm.gravity(posture(arm))
    wrench = np.array([30.0, -20.0, 10.0, 2.0, 1.0, -3.0])
    drive = lambda t, q, v: held + np.array([50.0, 60, 40, 20, 45, 20]) * np.sin(4.0 * t)  # noqa: E731
    run = simulate(arm, posture(arm), duration=1.0, torque=drive, wrench=wrench, **TIGHT)
    needed = (
        arm.inverse_dynamics(run.q, run.v, run.a, friction=False, wrench=wrench)
        + run["friction"]
        - run["stop"]
    )
    np.testing.assert_allclose(run.tau, needed, rtol=0, atol=1e-8)
    moving = np.abs(run.v) > 1e-9
    np.testing.assert_allclose(
        run["friction"][moving], arm.friction(run.v)[moving], rtol=0, atol=1e-6
    )  # v_St turns 1e-9 into this
    assert (
        np.abs(run["friction"][~moving])
        <= np.broadcast_to(arm.friction_model.Fs, moving.shape)[~moving] * (1 + 1e-8)
    ).all()
    assert moving.any(axis=0).all()
    assert not moving.all(axis=0).any()
    np.testing.assert_allclose(run.tau, [drive(t, 0, 0) for t in run.t], rtol=1e-15)


# --- sticking


def test_an_axis_stays_exactly_still_until_Fs(arm):
    """Under a slow ramp axis 6 does not move by a bit until its torque is Fs, and leaves then; the
    others stay.
    """
    held = arm.gravity(posture(arm))
    run = simulate(
        arm,
        posture(arm),
        duration=2.4,
        torque=lambda t, q, v: held + np.array([0, 0, 0, 0, 0, 7.5 * t]),
        every=0.01,
    )
    (leaving,) = run.of_axis(6, "slips")
    # Tab. 5; an axis leaves 1e-9 of Fs late
    np.testing.assert_allclose(leaving.t, 17.5 / 7.5, rtol=2e-9)
    before = run.t < leaving.t
    assert (run.q[before] == posture(arm)).all()
    assert (run.v[before] == 0.0).all()
    np.testing.assert_allclose(
        run["friction"][before][:, 5], 7.5 * run.t[before], rtol=0, atol=1e-9
    )
    assert run.v[-1, 5] > 0.01
    down = simulate(
        arm,
        posture(arm),
        duration=2.4,
        torque=lambda t, q, v: held - np.array([0, 0, 0, 0, 0, 7.5 * t]),
        every=0.1,
    )
    assert down.v[-1, 5] < -0.01


def test_rest_is_rest_for_a_minute(arm):
    """An arm that friction holds is where it was after 60 s, to the bit, without an event, however
    it is pulled within Fs.
    """
    pull = 0.9 * arm.friction_model.Fs * np.array([1, -1, 1, -1, 1, -1])
    held = arm.gravity(posture(arm))
    run = simulate(
        arm,
        posture(arm),
        duration=60.0,
        torque=lambda t, q, v: held + pull * np.sin(2.0 * t),
        every=1.0,
        max_step=0.5,
    )
    assert (run.q == posture(arm)).all()
    assert not run.events


def test_stick_slip_has_the_period_of_its_pieces(slide):
    """A block pulled by a spring sticks and slips as a reference says that integrates each slip by
    itself.
    """
    m, k, pull, Fs, Fc, Fv, v_St = 2.0, 150.0, 0.1, 12.0, 7.0, 1.5, 0.02
    robot = slide()
    law = stribeck(robot, Fs, Fc, Fv, v_St)
    run = simulate(
        robot,
        [0.0],
        duration=4.5,
        torque=lambda t, q, v: k * (pull * t - q),
        friction=law,
        every=0.05,
        **TIGHT,
    )
    leaves, rests, x, t = [], [], 0.0, 0.0

    def slipping(time, y):
        return [
            y[1],
            (
                k * (pull * time - y[0])
                - (Fc + (Fs - Fc) * np.exp(-((y[1] / v_St) ** 2)))
                - Fv * y[1]
            )
            / m,
        ]

    def at_rest(time, y):
        return y[1]

    at_rest.terminal, at_rest.direction = True, -1
    while True:
        t = (Fs / k + x) / pull  # the spring has Fs then
        if t > 4.5:
            break
        leaves.append(t)
        # where the instability is started: speed grows from nothing, as k pull t^2 / 2 m does
        slope = 1e-7
        start = [x + k * pull * slope**3 / (6 * m), k * pull * slope**2 / (2 * m)]
        slip = solve_ivp(
            slipping, (t + slope, t + 5.0), start, "Radau", events=at_rest, rtol=1e-11, atol=1e-14
        )
        t, x = slip.t_events[0][0], slip.y_events[0][0][0]
        rests.append(t)
    assert len(leaves) > 2
    times = [np.array([event.t for event in run.of_axis(1, kind)]) for kind in ("slips", "sticks")]
    # 1e-9 of Fs late, grown by exp(t (Fs - Fc) / (m v_St^2) ...)
    np.testing.assert_allclose(times[0], leaves, rtol=0, atol=2e-6)
    np.testing.assert_allclose(times[1], rests[: len(times[1])], rtol=0, atol=2e-6)
    still = (run.t > rests[1] + 1e-5) & (run.t < leaves[2] - 1e-5)
    assert still.sum() > 3
    assert np.ptp(run.q[still]) == 0.0


def test_friction_stops_a_block_where_it_should(slide):
    """A block with Coulomb friction alone slides v^2 m / (2 F) far in v m / F, and stays there."""
    robot = slide()
    run = simulate(
        robot, [0.5], [3.0], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1), **TIGHT
    )
    (rest,) = run.of_axis(1, "sticks")
    np.testing.assert_allclose(
        [rest.t, run.q[-1, 0]], [3.0 * 2.0 / 4.0, 0.5 + 9.0 * 2.0 / 8.0], rtol=1e-10
    )
    assert run.v[-1, 0] == 0.0
    back = simulate(
        robot, [0.5], [-3.0], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1), **TIGHT
    )
    np.testing.assert_allclose(back.q[-1, 0], 0.5 - 9.0 * 2.0 / 8.0, rtol=1e-10)


def test_two_events_in_one_step_come_in_their_order(tmp_path):
    """Two blocks that stop at different times, within one step of the integrator, both stop where
    they should.
    """
    second = (
        SLIDE.format(low=-50, high=50).replace("</robot>", "").replace('name="slide"', 'name="two"')
    )
    second += """<link name="other"><inertial><origin xyz="0 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="y" type="prismatic">
    <parent link="base_link"/><child link="other"/><axis xyz="0 1 0"/>
    <limit lower="-50" upper="50" velocity="9" effort="99"/></joint></robot>"""
    (tmp_path / "two.urdf").write_text(second)
    robot = irb.from_urdf(tmp_path / "two.urdf")
    run = simulate(
        robot, [0.0, 0.0], [3.0, 2.9], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1)
    )
    np.testing.assert_allclose(run.q[-1], [9.0 / 4.0, 2.9**2 / 4.0], rtol=1e-9)
    np.testing.assert_allclose(
        [run.of_axis(i, "sticks")[0].t for i in (1, 2)], [1.5, 1.45], rtol=1e-9
    )


# --- other engines


def test_same_trajectory_as_mujoco():
    """The IRB 2400's open chain moves in MuJoCo as here, within 1e-6 rad for 2 s."""
    spec = mujoco.MjSpec.from_file(str(irb.urdf_path("irb2400", "serial")))
    spec.compiler.fusestatic, spec.compiler.discardvisual = False, True
    model = spec.compile()
    model.opt.gravity[:], model.opt.timestep, model.opt.integrator = (
        [0, 0, -9.81],
        5e-4,
        mujoco.mjtIntegrator.mjINT_RK4,
    )
    model.opt.disableflags |= (
        mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    )
    data = mujoco.MjData(model)
    robot = irb.load("irb2400")
    q, v, tau = (
        posture(robot),
        np.array([0.3, -0.2, 0.1, 0.2, 0.1, -0.6]),
        robot.gravity(posture(robot)) * 1.1,
    )
    from_axis = np.eye(6)
    from_axis[2, 1] = -1.0  # joint 3 of the open chain is q3 - q2
    data.qpos, data.qvel, data.qfrc_applied = (
        from_axis @ q,
        from_axis @ v,
        np.linalg.inv(from_axis.T) @ tau,
    )
    run = simulate(
        robot, q, v, duration=2.0, torque=tau, friction=False, stops=False, every=0.1, **TIGHT
    )
    for row in run.q[1:]:
        for _ in range(200):
            mujoco.mj_step(model, data)
        np.testing.assert_allclose(np.linalg.inv(from_axis) @ data.qpos, row, rtol=0, atol=1e-6)
    assert np.abs(run.q[-1] - q).max() > 0.5


def closed_loop(robot: irb.Robot, long: float, crank: float):
    """Return the arm with its bars as a tree without couplings, and the pin that closes the
    loop.
    """
    whole, model = robot.whole_tree.model, pin.Model()
    model.gravity = whole.gravity
    place = {
        "joint_3": whole.jointPlacements[3] * whole.jointPlacements[4],
        "joint_rod": whole.jointPlacements[9] * whole.jointPlacements[10],
    }
    # in depth first order, as Pinocchio's algorithms need it
    parents = {"joint_1": "universe", "joint_2": "joint_1"}
    parents |= {f"joint_{i}": f"joint_{i - 1}" for i in (3, 4, 5, 6)} | {
        "joint_crank": "joint_1",
        "joint_rod": "joint_crank",
    }
    for name, parent in parents.items():
        number = whole.getJointId(name)
        placement = place.get(name, whole.jointPlacements[number])
        own = model.addJoint(model.getJointId(parent), pin.JointModelRZ(), placement, name)
        model.appendBodyToJoint(own, whole.inertias[number], pin.SE3.Identity())
    upper, rod = model.getJointId("joint_3"), model.getJointId("joint_rod")
    ends = (
        pin.SE3(np.eye(3), np.array([0.0, -crank, 0.0])),
        pin.SE3(np.eye(3), np.array([long, 0.0, 0.0])),
    )
    pin_joint = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, upper, ends[0], rod, ends[1], pin.ReferenceFrame.LOCAL
    )
    from_axes = np.zeros((model.nv, 6))
    for name, row in {
        "joint_1": [1],
        "joint_2": [0, 1],
        "joint_crank": [0, 0, 1],
        "joint_rod": [0, 1, -1],
        "joint_3": [0, -1, 1],
    }.items():
        from_axes[model.joints[model.getJointId(name)].idx_v, : len(row)] = row
    for i in (4, 5, 6):
        from_axes[model.joints[model.getJointId(f"joint_{i}")].idx_v, i - 1] = 1.0
    return model, pin_joint, from_axes


@pytest.mark.parametrize(
    ("name", "parameters", "long", "crank"),
    [("irb1400", None, 0.6, 0.1532), ("irb2400", "cad", 0.705, 0.18)],
)
def test_same_trajectory_as_a_closed_loop_of_bars(name, parameters, long, crank):
    """Arm, crank and rod as separate bodies, held together by a pin, move as the robot does with
    its constant coupling.
    """
    robot = irb.load(name, parameters=parameters)
    model, pin_joint, from_axes = closed_loop(robot, long, crank)
    constraints, constraint_data, data = (
        pin.StdVec_RigidConstraintModel(),
        pin.StdVec_RigidConstraintData(),
        model.createData(),
    )
    constraints.append(pin_joint)
    constraint_data.append(pin_joint.createData())
    # the pin's force across the plane of the bars is not determined
    settings = pin.ProximalSettings(1e-12, 1e-8, 20)
    pin.initConstraintDynamics(model, data, constraints, constraint_data)
    q = robot.from_controller([5.0, 20.0, 10.0, 10.0, 30.0, 0.0])
    v, held, springs = (
        np.array([0.9, -1.2, 1.5, 1.5, 1.2, -1.8]),
        robot.gravity(q),
        np.array([200, 500, 400, 8, 8, 3]),
    )
    motors = [
        model.joints[model.getJointId(f"joint_{name}")].idx_v for name in (1, 2, "crank", 4, 5, 6)
    ]

    def rate(_, y):
        driven = np.zeros(model.nv)
        driven[motors] = held + springs * (q - y[motors])
        a = pin.constraintDynamics(
            model,
            data,
            y[: model.nv],
            y[model.nv :],
            driven,
            constraints,
            constraint_data,
            settings,
        )
        return np.concatenate([y[model.nv :], a])

    # Springs keep the bars off their dead centre, where the pin's equations are singular; without
    # springs the arm folds the bars flat within 1 to 1.5 s, and the two solutions were seen to part
    times = np.arange(0.5, 1.75, 0.5)
    start = np.concatenate([from_axes @ q, from_axes @ v])
    actual = solve_ivp(rate, (0.0, 1.5), start, "DOP853", t_eval=times, rtol=1e-11, atol=1e-13)
    torque = lambda t, q_now, v_now: held + springs * (q - q_now)  # noqa: E731
    run = simulate(
        robot, q, v, duration=1.5, torque=torque, friction=False, stops=False, every=0.5, **TIGHT
    )
    # both integrate to 1e-11
    np.testing.assert_allclose(actual.y[: model.nv].T, run.q[1:] @ from_axes.T, rtol=0, atol=1e-10)
    assert np.ptp(run.q[:, 1:3], axis=0).min() > 0.1  # the bars do move


# --- stops, torques, wrenches, switches


def test_a_stop_holds_and_lets_go(slide):
    """A pushed block stops at the end of its rail, leans on it with what friction leaves over, and
    leaves when pulled off.
    """
    robot = slide(high=0.3)
    law = stribeck(robot, 2.0, 1.0, 0.5, 0.1)
    run = simulate(
        robot, [0.0], duration=4.0, torque=lambda t, q, v: [10.0 * np.cos(t)], friction=law, **TIGHT
    )
    (hit,), (left,) = run.of_axis(1, "hits its stop"), run.of_axis(1, "leaves its stop")
    leaning = (run.t > hit.t) & (run.t < left.t)
    assert (run.q[leaning, 0] == 0.3).all()
    np.testing.assert_allclose(
        run["stop"][leaning, 0] + 10.0 * np.cos(run.t[leaning]),
        run["friction"][leaning, 0],
        rtol=0,
        atol=1e-9,
    )
    # 2 of 10 N: friction holds the rest, until
    np.testing.assert_allclose(left.t, np.arccos(0.2), rtol=1e-7)
    (slips,) = (event for event in run.of_axis(1, "slips") if event.t > left.t)
    np.testing.assert_allclose(slips.t, np.arccos(-0.2), rtol=1e-7)  # it is pulled with Fs
    assert run.q.max() <= 0.3 + 1e-12
    assert run.q[-1, 0] < 0.2


def test_rebound(slide):
    """A block leaves its stop with the share of its speed that was asked for, and comes to rest in
    the end.
    """
    robot = slide(low=-1.0, high=1.0)
    run = simulate(robot, [0.0], [2.0], duration=2.0, friction=False, rebound=0.5, **TIGHT)
    np.testing.assert_allclose(run.v[(run.t > 0.51) & (run.t < 2.0)], -1.0, rtol=1e-9)
    np.testing.assert_allclose(run["lost"][-1], 0.5 * 2.0 * (4.0 - 1.0), rtol=1e-9)
    lower = simulate(robot, [0.0], [-2.0], duration=1.0, friction=False, rebound=1.0, **TIGHT)
    np.testing.assert_allclose(lower.v[-1], 2.0, rtol=1e-9)
    heavy = simulate(
        robot, [0.5], duration=3.0, torque=[20.0], friction=False, rebound=0.5, **TIGHT
    )
    assert heavy.q[-1, 0] == 1.0
    assert len(heavy.of_axis(1, "hits its stop")) > 5


def test_the_coupled_range_is_a_wall(arm):
    """Axis 2 driven alone takes axis 3 along when q3 - q2 is at its end; no range is ever left, and
    both go on together.
    """
    torque = arm.gravity(posture(arm)) + np.array([0, 150.0, 0, 0, 0, 0])
    run = simulate(arm, posture(arm), duration=1.2, torque=torque, **TIGHT)
    assert any(event.kind == "hits its stop" for event in run.of_axis(3))
    assert arm.in_range(run.q).all()
    together = (run["stop"][:, 2] > 1.0) & (run["stop"][:, 1] < -1.0)
    assert together.sum() > 3
    np.testing.assert_allclose(run["stop"][together, 1], -run["stop"][together, 2], rtol=1e-9)
    np.testing.assert_allclose(run.v[together, 1], run.v[together, 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        (run.q[together, 2] - run.q[together, 1]), np.radians(-60.0), rtol=1e-11
    )
    free = simulate(arm, posture(arm), duration=1.2, torque=torque, stops=False)
    assert not arm.in_range(free.q).all()


def test_an_arm_thrown_against_its_stops_goes_on(arm):
    """Thrown about between its stops, with axes that lean, hold and kick each other, the arm stays
    inside; energies balance.
    """
    rng, limits = np.random.default_rng(0), arm.limits
    for i in range(25):
        q = np.linalg.solve(limits.A, rng.uniform(limits.lower, limits.upper))
        v, size, rate = (
            rng.uniform(-2, 2, 6),
            rng.uniform(-1, 1, 6) * limits.effort * 0.7,
            rng.uniform(1, 20, 6),
        )
        rebound = 0.6 * rng.integers(0, 2)
        # the others pass too; in 14 and 23 a slow impact meets axes that stick
        if i not in (1, 14, 23):
            continue
        swing = {"torque": lambda t, q, v: size * np.sin(rate * t), "rebound": float(rebound)}
        run = simulate(arm, q, v, duration=1.2, rtol=1e-8, atol=1e-10, every=0.02, **swing)
        total = energy(arm, run)
        assert (
            np.abs(total - total[0] - run["work"] + run["lost"]).max() < 1e-7 * np.abs(total).max()
        )
        assert arm.in_range(run.q).all()
        assert len(run.events) < 300


def test_torque_limits_bound_the_motors(slide):
    """A torque beyond its limit is cut on both sides, and a block moves by what is left."""
    robot = slide()
    run = simulate(
        robot, [0.0], duration=1.0, torque=[50.0], torque_limit=[4.0], friction=False, **TIGHT
    )
    np.testing.assert_allclose(run.q[-1], 0.5 * 4.0 / 2.0, rtol=1e-9)
    assert (run.tau == 4.0).all()
    other = simulate(
        robot, [0.0], duration=1.0, torque=[-50.0], torque_limit=[4.0], friction=False, **TIGHT
    )
    np.testing.assert_allclose(other.q[-1], -0.5 * 4.0 / 2.0, rtol=1e-9)


def test_sampled_torques_are_held(slide):
    """Samples of a motion act as steps: position and speed are those of pieces of constant
    force.
    """
    robot = slide()
    t, tau = np.array([0.0, 0.25, 0.5]), np.array([[4.0], [-8.0], [2.0]])
    motion = irb.Motion(t, np.zeros((3, 1)), tau=tau)
    run = simulate(robot, [0.0], duration=1.0, torque=motion, friction=False, every=0.25, **TIGHT)
    np.testing.assert_allclose(run.v[:, 0], [0.0, 0.5, -0.5, -0.25, 0.0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(
        run.q[:, 0], [0.0, 0.0625, 0.0625, -0.03125, -0.0625], rtol=0, atol=1e-12
    )


def test_a_wrench_of_time_and_pose_moves_the_tcp(arm):
    """A force on the TCP that is a spring in space acts through the Jacobian, and its work is
    counted.
    """
    anchor = arm.pose(posture(arm)).translation + np.array([0.0, 0.2, 0.0])
    seen = []

    def spring(t, pose):
        seen.append(pose.translation.copy())
        return np.concatenate([400.0 * (anchor - pose.translation), np.zeros(3)])

    loose = {"rtol": 1e-9, "atol": 1e-11}
    run = simulate(
        arm,
        posture(arm),
        duration=0.5,
        torque=lambda t, q, v: arm.gravity(q),
        wrench=spring,
        friction=False,
        **loose,
    )
    for i in (0, 20, 45):
        force = 400.0 * (anchor - arm.pose(run.q[i]).translation)
        a = arm.forward_dynamics(
            run.q[i], run.v[i], run.tau[i], friction=False, wrench=[*force, 0, 0, 0]
        )
        np.testing.assert_allclose(run.a[i], a, rtol=0, atol=1e-8)
    stored = [200.0 * np.sum((anchor - arm.pose(q).translation) ** 2) for q in run.q]
    moved = arm.energy(run.q, run.v).kinetic + np.array(stored)  # gravity is undone by the motors
    np.testing.assert_allclose(moved, moved[0], rtol=1e-9)


def test_a_payload_is_dropped(arm):
    """The arm moves as the loaded one until the payload is dropped, and as the empty one after,
    without a jump of the speed.
    """
    loaded = arm.with_payload(irb.payload(8.0, [0.0, 0.0, 0.05]))
    torque = arm.gravity(posture(arm))
    both = simulate(
        loaded, posture(arm), duration=0.6, torque=torque, switches=[(0.3, arm)], **TIGHT
    )
    first = simulate(loaded, posture(arm), duration=0.3, torque=torque, **TIGHT)
    second = simulate(arm, first.q[-1], first.v[-1], duration=0.3, torque=torque, **TIGHT)
    np.testing.assert_allclose(both.q[:31], first.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(both.q[31:], second.q[1:], rtol=0, atol=1e-9)
    assert np.abs(both.a[31] - both.a[29]).max() > 0.1
    assert [event for event in both.events if event.kind == "robot"] == [(0.3, 0, "robot")]
    total = np.array(
        [
            sum((loaded if t <= 0.3 else arm).energy(q, v))
            for t, q, v in zip(both.t, both.q, both.v, strict=True)
        ]
    )
    np.testing.assert_allclose(total - total[0], both["work"] - both["lost"], rtol=0, atol=1e-7)


@pytest.mark.parametrize("torque", [1e6, -1e12, lambda t, q, v: np.full(6, 1e12)])
@pytest.mark.parametrize("stops", [True, False])
def test_absurd_torques_end_at_a_speed_that_no_arm_has(arm, torque, stops):
    """A torque in another unit is refused at the speed it drives an axis to, within some hundred
    steps, and names that axis.
    """
    steps = []
    driven = torque if callable(torque) else np.full(6, torque)
    with pytest.raises(
        irb.simulation.SimulationError,
        match=r"axis . has .* over 100 times its limit; are torques in N m",
    ) as caught:
        simulate(
            arm,
            np.zeros(6),
            duration=1.0,
            torque=driven,
            stops=stops,
            progress=lambda t, end: steps.append(t),
        )
    assert len(steps) < 500
    assert caught.value.t < 1e-3
    assert caught.value.run is not None
