"""Motion under torques: against energies, other engines, a closed loop of bars, and a stick-slip cycle solved piece by piece."""

from __future__ import annotations

import mujoco
import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import quad, solve_ivp

import irbmodels as irb
from irbmodels.simulation import LuGre, Regularised, Run, SimulationError, simulate

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
SLIDE = """<robot name="slide"><link name="base_link"/><link name="block"><inertial><origin xyz="0 0 0"/><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="x" type="prismatic">
<parent link="base_link"/><child link="block"/><axis xyz="1 0 0"/><limit lower="{low}" upper="{high}" velocity="9" effort="99"/>
</joint></robot>"""


@pytest.fixture(scope="module")
def arm() -> irb.Robot:
    """Return the IRB 2400 with the spindle."""
    return irb.load("irb2400", tool="spindle")


@pytest.fixture
def slide(tmp_path):
    """Make a block of 2 kg on a horizontal rail."""

    def make(low: float = -50.0, high: float = 50.0) -> irb.Robot:
        (tmp_path / "slide.urdf").write_text(SLIDE.format(low=low, high=high))
        return irb.from_urdf(tmp_path / "slide.urdf")

    return make


def stribeck(robot: irb.Robot, Fs: float, Fc: float, Fv: float, v_St: float) -> irb.Stribeck:
    """Return a law that is the same for every axis."""
    return irb.Stribeck(*(np.full(robot.n, value) for value in (Fs, Fc, Fv, v_St)))


def energy(robot: irb.Robot, run: Run) -> np.ndarray:
    """Return the mechanical energy along a run."""
    model, (G, q0) = robot.model, robot.coupling
    data = model.createData()
    kinetic = [pin.computeKineticEnergy(model, data, G @ q + q0, G @ v) for q, v in zip(run.q, run.v, strict=True)]
    return np.array(kinetic) + [pin.computePotentialEnergy(model, data, G @ q + q0) for q in run.q]


def posture(robot: irb.Robot) -> np.ndarray:
    return robot.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0])


# --- energy ------------------------------------------------------------------------------------------------------------


def test_free_motion_keeps_its_energy(arm):
    """Without friction, stops and torques ten seconds of falling change the energy by less than 1e-9 of its size."""
    run = simulate(
        arm, posture(arm), [0.3, 0.2, 0.1, 0.5, 0.4, 0.3], duration=10.0, friction=False, stops=False, every=0.1, **TIGHT
    )
    total = energy(arm, run)
    assert np.ptp(total) < 1e-9 * np.abs(total).max()
    assert np.abs(run.v[:, 1]).max() > 2.0  # it did fall
    assert not run.events


def test_energy_and_dissipated_work_balance(arm):
    """With friction, stops and driven axes, energy is what was put in less what was lost, to 1e-8, through 70 events."""
    held = arm.gravity(posture(arm))
    size, rate = np.array([60.0, 80, 50, 25, 45, 25]), np.array([3.0, 2, 4, 5, 3, 6])
    run = simulate(arm, posture(arm), duration=5.0, torque=lambda t, q, v: held + size * np.sin(rate * t), every=0.05, **TIGHT)
    total = energy(arm, run)
    balance = total - total[0] - run["work"] + run["lost"]
    assert np.abs(balance).max() < 1e-8 * np.abs(total).max()
    assert (np.diff(run["lost"]) >= -1e-12).all()
    assert run["lost"][-1] > 500.0
    assert {event.kind for event in run.events} == {"sticks", "slips", "hits its stop", "leaves its stop"}


def test_a_sample_obeys_the_equation_of_motion(arm):
    """Every sample satisfies tau = M a + C v + g + friction - stops, with friction as the law has it where an axis moves."""
    held = arm.gravity(posture(arm))
    wrench = np.array([30.0, -20.0, 10.0, 2.0, 1.0, -3.0])
    drive = lambda t, q, v: held + np.array([50.0, 60, 40, 20, 45, 20]) * np.sin(4.0 * t)  # noqa: E731
    run = simulate(arm, posture(arm), duration=1.0, torque=drive, wrench=wrench, **TIGHT)
    needed = arm.inverse_dynamics(run.q, run.v, run.a, friction=False, wrench=wrench) + run["friction"] - run["stop"]
    np.testing.assert_allclose(run.tau, needed, rtol=0, atol=1e-8)
    moving = np.abs(run.v) > 1e-9
    np.testing.assert_allclose(
        run["friction"][moving], arm.friction(run.v)[moving], rtol=0, atol=1e-6
    )  # v_St turns 1e-9 into this
    assert (np.abs(run["friction"][~moving]) <= np.broadcast_to(arm.friction_model.Fs, moving.shape)[~moving] * (1 + 1e-8)).all()
    assert moving.any(axis=0).all()
    assert not moving.all(axis=0).any()
    np.testing.assert_allclose(run.tau, [drive(t, 0, 0) for t in run.t], rtol=1e-15)


# --- sticking ----------------------------------------------------------------------------------------------------------


def test_an_axis_stays_exactly_still_until_Fs(arm):
    """Under a slow ramp axis 6 does not move by a bit until its torque is Fs, and leaves then; the others stay."""
    held = arm.gravity(posture(arm))
    run = simulate(arm, posture(arm), duration=2.4, torque=lambda t, q, v: held + np.array([0, 0, 0, 0, 0, 7.5 * t]), every=0.01)
    (leaving,) = run.of_axis(6, "slips")
    np.testing.assert_allclose(leaving.t, 17.5 / 7.5, rtol=2e-9)  # Tab. 5; an axis leaves 1e-9 of Fs late
    before = run.t < leaving.t
    assert (run.q[before] == posture(arm)).all()
    assert (run.v[before] == 0.0).all()
    np.testing.assert_allclose(run["friction"][before][:, 5], 7.5 * run.t[before], rtol=0, atol=1e-9)
    assert run.v[-1, 5] > 0.01
    down = simulate(arm, posture(arm), duration=2.4, torque=lambda t, q, v: held - np.array([0, 0, 0, 0, 0, 7.5 * t]), every=0.1)
    assert down.v[-1, 5] < -0.01


def test_rest_is_rest_for_a_minute(arm):
    """An arm that friction holds is where it was after 60 s, to the bit, without an event, however it is pulled within Fs."""
    pull = 0.9 * arm.friction_model.Fs * np.array([1, -1, 1, -1, 1, -1])
    held = arm.gravity(posture(arm))
    run = simulate(
        arm, posture(arm), duration=60.0, torque=lambda t, q, v: held + pull * np.sin(2.0 * t), every=1.0, max_step=0.5
    )
    assert (run.q == posture(arm)).all()
    assert not run.events


def test_stick_slip_has_the_period_of_its_pieces(slide):
    """A block pulled by a spring sticks and slips as a reference says that integrates each slip by itself."""
    m, k, pull, Fs, Fc, Fv, v_St = 2.0, 150.0, 0.1, 12.0, 7.0, 1.5, 0.02
    robot = slide()
    law = stribeck(robot, Fs, Fc, Fv, v_St)
    run = simulate(robot, [0.0], duration=8.0, torque=lambda t, q, v: k * (pull * t - q), friction=law, every=0.05, **TIGHT)
    leaves, rests, x, t = [], [], 0.0, 0.0

    def slipping(time, y):
        return [y[1], (k * (pull * time - y[0]) - (Fc + (Fs - Fc) * np.exp(-((y[1] / v_St) ** 2))) - Fv * y[1]) / m]

    def at_rest(time, y):
        return y[1]

    at_rest.terminal, at_rest.direction = True, -1
    while True:
        t = (Fs / k + x) / pull  # the spring has Fs then
        if t > 8.0:
            break
        leaves.append(t)
        slope = 1e-7  # where the instability is started: speed grows from nothing, as k pull t^2 / 2 m does
        start = [x + k * pull * slope**3 / (6 * m), k * pull * slope**2 / (2 * m)]
        slip = solve_ivp(slipping, (t + slope, t + 5.0), start, "Radau", events=at_rest, rtol=1e-11, atol=1e-14)
        t, x = slip.t_events[0][0], slip.y_events[0][0][0]
        rests.append(t)
    assert len(leaves) > 5
    times = [np.array([event.t for event in run.of_axis(1, kind)]) for kind in ("slips", "sticks")]
    np.testing.assert_allclose(times[0], leaves, rtol=0, atol=2e-6)  # 1e-9 of Fs late, grown by exp(t (Fs - Fc) / (m v_St^2) ...)
    np.testing.assert_allclose(times[1], rests[: len(times[1])], rtol=0, atol=2e-6)
    still = (run.t > rests[1] + 1e-5) & (run.t < leaves[2] - 1e-5)
    assert still.sum() > 3
    assert np.ptp(run.q[still]) == 0.0


def test_friction_stops_a_block_where_it_should(slide):
    """A block with Coulomb friction alone slides v^2 m / (2 F) far in v m / F, and stays there."""
    robot = slide()
    run = simulate(robot, [0.5], [3.0], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1), **TIGHT)
    (rest,) = run.of_axis(1, "sticks")
    np.testing.assert_allclose([rest.t, run.q[-1, 0]], [3.0 * 2.0 / 4.0, 0.5 + 9.0 * 2.0 / 8.0], rtol=1e-10)
    assert run.v[-1, 0] == 0.0
    back = simulate(robot, [0.5], [-3.0], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1), **TIGHT)
    np.testing.assert_allclose(back.q[-1, 0], 0.5 - 9.0 * 2.0 / 8.0, rtol=1e-10)


def test_two_events_in_one_step_come_in_their_order(tmp_path):
    """Two blocks that stop at different times, within one step of the integrator, both stop where they should."""
    second = SLIDE.format(low=-50, high=50).replace("</robot>", "").replace('name="slide"', 'name="two"')
    second += """<link name="other"><inertial><origin xyz="0 0 0"/><mass value="2"/>
    <inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="y" type="prismatic">
    <parent link="base_link"/><child link="other"/><axis xyz="0 1 0"/>
    <limit lower="-50" upper="50" velocity="9" effort="99"/></joint></robot>"""
    (tmp_path / "two.urdf").write_text(second)
    robot = irb.from_urdf(tmp_path / "two.urdf")
    run = simulate(robot, [0.0, 0.0], [3.0, 2.9], duration=3.0, friction=stribeck(robot, 4.0, 4.0, 0.0, 0.1))
    np.testing.assert_allclose(run.q[-1], [9.0 / 4.0, 2.9**2 / 4.0], rtol=1e-9)
    np.testing.assert_allclose([run.of_axis(i, "sticks")[0].t for i in (1, 2)], [1.5, 1.45], rtol=1e-9)


# --- other engines -----------------------------------------------------------------------------------------------------


def test_same_trajectory_as_mujoco():
    """The IRB 2400's open chain moves in MuJoCo as here, within 1e-6 rad for 2 s."""
    spec = mujoco.MjSpec.from_file(str(irb.urdf_path("irb2400", "serial")))
    spec.compiler.fusestatic, spec.compiler.discardvisual = False, True
    model = spec.compile()
    model.opt.gravity[:], model.opt.timestep, model.opt.integrator = [0, 0, -9.81], 5e-4, mujoco.mjtIntegrator.mjINT_RK4
    model.opt.disableflags |= mujoco.mjtDisableBit.mjDSBL_CONTACT | mujoco.mjtDisableBit.mjDSBL_LIMIT
    data = mujoco.MjData(model)
    robot = irb.load("irb2400")
    q, v, tau = posture(robot), np.array([0.3, -0.2, 0.1, 0.2, 0.1, -0.6]), robot.gravity(posture(robot)) * 1.1
    from_axis = np.eye(6)
    from_axis[2, 1] = -1.0  # joint 3 of the open chain is q3 - q2
    data.qpos, data.qvel, data.qfrc_applied = from_axis @ q, from_axis @ v, np.linalg.inv(from_axis.T) @ tau
    run = simulate(robot, q, v, duration=2.0, torque=tau, friction=False, stops=False, every=0.1, **TIGHT)
    for row in run.q[1:]:
        for _ in range(200):
            mujoco.mj_step(model, data)
        np.testing.assert_allclose(np.linalg.inv(from_axis) @ data.qpos, row, rtol=0, atol=1e-6)
    assert np.abs(run.q[-1] - q).max() > 0.5


def closed_loop(robot: irb.Robot, long: float, crank: float):
    """Return the arm with its bars as a tree without couplings, and the pin that closes the loop."""
    whole, model = robot.whole_tree.model, pin.Model()
    model.gravity = whole.gravity
    place = {
        "joint_3": whole.jointPlacements[3] * whole.jointPlacements[4],
        "joint_rod": whole.jointPlacements[9] * whole.jointPlacements[10],
    }
    parents = {"joint_1": "universe", "joint_2": "joint_1"}  # in depth first order, as Pinocchio's algorithms need it
    parents |= {f"joint_{i}": f"joint_{i - 1}" for i in (3, 4, 5, 6)} | {"joint_crank": "joint_1", "joint_rod": "joint_crank"}
    for name, parent in parents.items():
        number = whole.getJointId(name)
        placement = place.get(name, whole.jointPlacements[number])
        own = model.addJoint(model.getJointId(parent), pin.JointModelRZ(), placement, name)
        model.appendBodyToJoint(own, whole.inertias[number], pin.SE3.Identity())
    upper, rod = model.getJointId("joint_3"), model.getJointId("joint_rod")
    ends = pin.SE3(np.eye(3), np.array([0.0, -crank, 0.0])), pin.SE3(np.eye(3), np.array([long, 0.0, 0.0]))
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
    ("name", "parameters", "long", "crank"), [("irb1400", None, 0.6, 0.1532), ("irb2400", "cad", 0.705, 0.18)]
)
def test_same_trajectory_as_a_closed_loop_of_bars(name, parameters, long, crank):
    """Arm, crank and rod as separate bodies, held together by a pin, move as the robot does with its constant coupling."""
    robot = irb.load(name, parameters=parameters)
    model, pin_joint, from_axes = closed_loop(robot, long, crank)
    constraints, constraint_data, data = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData(), model.createData()
    constraints.append(pin_joint)
    constraint_data.append(pin_joint.createData())
    settings = pin.ProximalSettings(1e-12, 1e-8, 20)  # the pin's force across the plane of the bars is not determined
    pin.initConstraintDynamics(model, data, constraints, constraint_data)
    q = robot.from_controller([5.0, 20.0, 10.0, 10.0, 30.0, 0.0])
    v, tau = np.array([0.3, -0.4, 0.5, 0.5, 0.4, -0.6]), robot.gravity(q) * 0.9
    driven = np.zeros(model.nv)
    for i, joint in enumerate(("joint_1", "joint_2", "joint_crank", "joint_4", "joint_5", "joint_6")):
        driven[model.joints[model.getJointId(joint)].idx_v] = tau[i]

    def rate(_, y):
        a = pin.constraintDynamics(model, data, y[: model.nv], y[model.nv :], driven, constraints, constraint_data, settings)
        return np.concatenate([y[model.nv :], a])

    found = solve_ivp(rate, (0.0, 0.5), np.concatenate([from_axes @ q, from_axes @ v]), "DOP853", rtol=1e-9, atol=1e-11)
    run = simulate(robot, q, v, duration=0.5, torque=tau, friction=False, stops=False, every=0.5, **TIGHT)
    np.testing.assert_allclose(found.y[: model.nv, -1], from_axes @ run.q[-1], rtol=0, atol=1e-7)  # of rtol, and the pin's drift
    assert np.abs(run.q[-1] - q).max() > 0.1


# --- stops, torques, wrenches, switches --------------------------------------------------------------------------------


def test_a_stop_holds_and_lets_go(slide):
    """A pushed block stops at the end of its rail, leans on it with what friction leaves over, and leaves when pulled off."""
    robot = slide(high=0.3)
    law = stribeck(robot, 2.0, 1.0, 0.5, 0.1)
    run = simulate(robot, [0.0], duration=4.0, torque=lambda t, q, v: [10.0 * np.cos(t)], friction=law, **TIGHT)
    (hit,), (left,) = run.of_axis(1, "hits its stop"), run.of_axis(1, "leaves its stop")
    leaning = (run.t > hit.t) & (run.t < left.t)
    assert (run.q[leaning, 0] == 0.3).all()
    np.testing.assert_allclose(
        run["stop"][leaning, 0] + 10.0 * np.cos(run.t[leaning]), run["friction"][leaning, 0], rtol=0, atol=1e-9
    )
    np.testing.assert_allclose(left.t, np.arccos(0.2), rtol=1e-7)  # 2 of 10 N: friction holds the rest, until
    (slips,) = (event for event in run.of_axis(1, "slips") if event.t > left.t)
    np.testing.assert_allclose(slips.t, np.arccos(-0.2), rtol=1e-7)  # it is pulled with Fs
    assert run.q.max() <= 0.3 + 1e-12
    assert run.q[-1, 0] < 0.2


def test_rebound(slide):
    """A block leaves its stop with the share of its speed that was asked for, and comes to rest in the end."""
    robot = slide(low=-1.0, high=1.0)
    run = simulate(robot, [0.0], [2.0], duration=2.0, friction=False, rebound=0.5, **TIGHT)
    np.testing.assert_allclose(run.v[(run.t > 0.51) & (run.t < 2.0)], -1.0, rtol=1e-9)
    np.testing.assert_allclose(run["lost"][-1], 0.5 * 2.0 * (4.0 - 1.0), rtol=1e-9)
    lower = simulate(robot, [0.0], [-2.0], duration=1.0, friction=False, rebound=1.0, **TIGHT)
    np.testing.assert_allclose(lower.v[-1], 2.0, rtol=1e-9)
    heavy = simulate(robot, [0.5], duration=3.0, torque=[20.0], friction=False, rebound=0.5, **TIGHT)
    assert heavy.q[-1, 0] == 1.0
    assert len(heavy.of_axis(1, "hits its stop")) > 5


def test_the_coupled_range_is_a_wall(arm):
    """Axis 2 driven alone takes axis 3 along when q3 - q2 is at its end; no range is ever left, and both go on together."""
    torque = arm.gravity(posture(arm)) + np.array([0, 150.0, 0, 0, 0, 0])
    run = simulate(arm, posture(arm), duration=1.2, torque=torque, **TIGHT)
    assert any(event.kind == "hits its stop" for event in run.of_axis(3))
    assert arm.in_range(run.q).all()
    together = (run["stop"][:, 2] > 1.0) & (run["stop"][:, 1] < -1.0)
    assert together.sum() > 3
    np.testing.assert_allclose(run["stop"][together, 1], -run["stop"][together, 2], rtol=1e-9)
    np.testing.assert_allclose(run.v[together, 1], run.v[together, 2], rtol=0, atol=1e-12)
    np.testing.assert_allclose((run.q[together, 2] - run.q[together, 1]), np.radians(-60.0), rtol=1e-11)
    free = simulate(arm, posture(arm), duration=1.2, torque=torque, stops=False)
    assert not arm.in_range(free.q).all()


def test_an_arm_thrown_against_its_stops_goes_on(arm):
    """Thrown about between its stops, with axes that lean, hold and kick each other, the arm stays inside; energies balance."""
    rng, limits = np.random.default_rng(0), arm.limits
    for i in range(25):
        q = np.linalg.solve(limits.A, rng.uniform(limits.lower, limits.upper))
        v, size, rate = rng.uniform(-2, 2, 6), rng.uniform(-1, 1, 6) * limits.effort * 0.7, rng.uniform(1, 20, 6)
        rebound = 0.6 * rng.integers(0, 2)
        if i not in (0, 1, 14, 23):  # the others pass too; in 14 and 23 a slow impact meets axes that hold
            continue
        swing = {"torque": lambda t, q, v: size * np.sin(rate * t), "rebound": float(rebound)}
        run = simulate(arm, q, v, duration=1.5, rtol=1e-8, atol=1e-10, every=0.02, **swing)
        total = energy(arm, run)
        assert np.abs(total - total[0] - run["work"] + run["lost"]).max() < 1e-7 * np.abs(total).max()
        assert arm.in_range(run.q).all()
        assert len(run.events) < 300


def test_torque_limits_bound_the_motors(slide):
    """A torque beyond its limit is cut on both sides, and a block moves by what is left."""
    robot = slide()
    run = simulate(robot, [0.0], duration=1.0, torque=[50.0], torque_limit=[4.0], friction=False, **TIGHT)
    np.testing.assert_allclose(run.q[-1], 0.5 * 4.0 / 2.0, rtol=1e-9)
    assert (run.tau == 4.0).all()
    other = simulate(robot, [0.0], duration=1.0, torque=[-50.0], torque_limit=[4.0], friction=False, **TIGHT)
    np.testing.assert_allclose(other.q[-1], -0.5 * 4.0 / 2.0, rtol=1e-9)


def test_sampled_torques_are_held(slide):
    """Samples of a motion act as steps: position and speed are those of pieces of constant force."""
    robot = slide()
    t, tau = np.array([0.0, 0.25, 0.5]), np.array([[4.0], [-8.0], [2.0]])
    motion = irb.Motion(t, np.zeros((3, 1)), tau=tau)
    run = simulate(robot, [0.0], duration=1.0, torque=motion, friction=False, every=0.25, **TIGHT)
    np.testing.assert_allclose(run.v[:, 0], [0.0, 0.5, -0.5, -0.25, 0.0], rtol=0, atol=1e-12)
    np.testing.assert_allclose(run.q[:, 0], [0.0, 0.0625, 0.0625, -0.03125, -0.0625], rtol=0, atol=1e-12)


def test_a_wrench_of_time_and_pose_moves_the_tcp(arm):
    """A force on the TCP that is a spring in space acts through the Jacobian, and its work is counted."""
    anchor = arm.pose(posture(arm)).translation + np.array([0.0, 0.2, 0.0])
    seen = []

    def spring(t, pose):
        seen.append(pose.translation.copy())
        return np.concatenate([400.0 * (anchor - pose.translation), np.zeros(3)])

    loose = {"rtol": 1e-9, "atol": 1e-11}
    run = simulate(arm, posture(arm), duration=0.5, torque=lambda t, q, v: arm.gravity(q), wrench=spring, friction=False, **loose)
    for i in (0, 20, 45):
        force = 400.0 * (anchor - arm.pose(run.q[i]).translation)
        a = arm.forward_dynamics(run.q[i], run.v[i], run.tau[i], friction=False, wrench=[*force, 0, 0, 0])
        np.testing.assert_allclose(run.a[i], a, rtol=0, atol=1e-8)
    stored = [200.0 * np.sum((anchor - arm.pose(q).translation) ** 2) for q in run.q]
    moved = arm.energy(run.q, run.v).kinetic + np.array(stored)  # gravity is undone by the motors
    np.testing.assert_allclose(moved, moved[0], rtol=1e-9)


def test_a_payload_is_dropped(arm):
    """The arm moves as the loaded one until the payload is dropped, and as the empty one after, without a jump of the speed."""
    loaded = arm.with_payload(irb.payload(8.0, [0.0, 0.0, 0.05]))
    torque = arm.gravity(posture(arm))
    both = simulate(loaded, posture(arm), duration=0.6, torque=torque, switches=[(0.3, arm)], **TIGHT)
    first = simulate(loaded, posture(arm), duration=0.3, torque=torque, **TIGHT)
    second = simulate(arm, first.q[-1], first.v[-1], duration=0.3, torque=torque, **TIGHT)
    np.testing.assert_allclose(both.q[:31], first.q, rtol=0, atol=1e-9)
    np.testing.assert_allclose(both.q[31:], second.q[1:], rtol=0, atol=1e-9)
    assert np.abs(both.a[31] - both.a[29]).max() > 0.1
    assert [event for event in both.events if event.kind == "robot"] == [(0.3, 0, "robot")]
    total = np.array([sum((loaded if t <= 0.3 else arm).energy(q, v)) for t, q, v in zip(both.t, both.q, both.v, strict=True)])
    np.testing.assert_allclose(total - total[0], both["work"] - both["lost"], rtol=0, atol=1e-7)


# --- long runs ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_a_resumed_run_is_the_uninterrupted_one_to_the_bit(arm, method, tmp_path):
    """A run stopped twice, saved and resumed has the samples and events of one that was not."""
    held = arm.gravity(posture(arm))
    given = {
        "duration": 0.8,
        "torque": lambda t, q, v: held + np.array([60.0, 80, 50, 25, 45, 25]) * np.sin(8.0 * t),
        "method": method,
    }
    whole = simulate(arm, posture(arm), **given)
    part = simulate(arm, posture(arm), progress=lambda t, end: t < 0.2, **given)
    assert part.notes["stopped"].startswith("stopped at t = 0.2")
    assert 0.19 <= part.t[-1] < 0.3
    part.save(tmp_path / "part.parquet")
    part = simulate(arm, progress=lambda t, end: t < 0.5, resume=Run.load(tmp_path / "part.parquet"), **given)
    rest = simulate(arm, resume=part, **given)
    assert "stopped" not in rest.notes
    assert rest.events == whole.events
    assert rest.end == whole.end
    np.testing.assert_array_equal(rest.t, whole.t)
    np.testing.assert_array_equal(rest.q[-20:], whole.q[-20:])
    np.testing.assert_allclose(rest.q, whole.q, rtol=1e-15)  # those that were in the file in degrees


def test_interrupting_keeps_what_is_computed(arm):
    """Ctrl-C ends a run, which has everything until then."""
    calls = []

    def torque(t, q, v):
        calls.append(t)
        if len(calls) > 150:
            raise KeyboardInterrupt
        return np.zeros(6)

    run = simulate(arm, posture(arm), duration=5.0, torque=torque)
    assert run.notes["stopped"].startswith("interrupted")
    assert 0 < len(run) < 500
    again = simulate(arm, duration=run.end["t"] + 0.1, resume=run)
    assert again.t[-1] > run.t[-1]


def test_progress_is_told(arm):
    """Progress gets growing times and the end."""
    told = []
    simulate(arm, posture(arm), duration=0.3, progress=lambda *x: told.append(x))
    times = [t for t, _ in told]
    assert times == sorted(times)
    assert told[-1] == (0.3, 0.3)


def test_a_bar_shows_progress(arm, monkeypatch):
    """With progress=True a bar goes from nothing to the end."""
    shown = []
    monkeypatch.setattr("rich.progress.Progress.update", lambda self, task, completed: shown.append(completed))
    simulate(arm, posture(arm), duration=0.3, progress=True)
    assert shown == sorted(shown)
    assert shown[-1] == 0.3


# --- what goes wrong ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "torque", [lambda t, q, v: np.full(6, np.nan if t > 0.1 else 0.0), lambda t, q, v: [0.0] * (6 if t < 0.1 else 5)]
)
def test_a_bad_torque_names_its_time_and_keeps_the_samples(arm, torque):
    """A torque that becomes NaN, or changes its shape, ends the run with the time, and the samples before are kept."""
    with pytest.raises(
        SimulationError, match=r"at t = 0\.[12]\d* s: torque needs \(6,\) finite|at t = 0\.[12]\d* s: torque needs 6"
    ) as caught:
        simulate(arm, posture(arm), duration=1.0, torque=torque, max_step=0.02)
    assert caught.value.t >= 0.1
    assert caught.value.run.t[-1] >= 0.07
    assert caught.value.run.q.shape == (len(caught.value.run), 6)


def test_a_function_that_fails_is_named(arm):
    """An exception of the caller's own function becomes the cause of an error with the time."""
    with pytest.raises(SimulationError, match="wrench fails: ZeroDivisionError") as caught:
        simulate(arm, posture(arm), duration=1.0, wrench=lambda t, pose: [1 / 0])
    assert isinstance(caught.value.__cause__, ZeroDivisionError)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": [0, 3.0, 0, 0, 0, 0]}, "out of range: axis 2"),
        ({"q": np.radians([0, 0, 65.0, 0, 0, 0]), "v": [0, 0, 0.1, 0, 0, 0]}, "moves through a stop: q3 - q2"),
        ({"q": [0, np.nan, 0, 0, 0, 0]}, "not finite"),
        ({"v": [0, 0, 0]}, "v of irb2400_16 at t = 0 s needs"),
        ({"duration": -1.0}, "duration"),
        ({"every": 0.0}, "every"),
        ({"rebound": 1.5}, "rebound"),
        ({"torque": [1.0]}, "tau of irb2400_16"),
        ({"torque_limit": [1.0]}, "torque_limit"),
        ({"wrench": [1.0]}, "wrench"),
        ({"method": "RK4"}, "no method 'RK4'; did you mean 'RK45'"),
        ({"friction": 3.0}, "friction is True"),
        ({"switches": [(0.1, None)]}, "a switch is a time"),
        ({"q": None}, "a position to start from"),
        ({"duration": 1e9}, "samples"),
        *(({name: bad}, name) for name in ("duration", "every", "rtol", "atol", "max_step", "rebound") for bad in ("a", None)),
        ({"torque_limit": "a"}, "torque_limit"),
        *(({"switches": bad}, "switch") for bad in (None, [irb.load("irb930")], (0.1, irb.load("irb930")), [("a", 1)])),
        ({"progress": 5}, "progress"),
        ({"robot": "irb2400"}, "needs a robot"),
        ({"resume": 5, "q": None}, "resume"),
    ],
)
def test_bad_input_is_refused_in_one_line(arm, change, message):
    """What cannot be is refused before anything is computed, with what was wrong."""
    with pytest.raises(irb.IrbError, match=message.replace("(", r"\(")):
        simulate(**{"robot": arm, "q": posture(arm), "duration": 1.0, **change})


def test_a_run_goes_on_only_with_its_own_robot(arm):
    """A run of one robot is not resumed with another, nor with other sample times."""
    run = simulate(arm, posture(arm), duration=0.1)
    with pytest.raises(irb.InputError, match="does not go on"):
        simulate(irb.load("irb2400_10"), duration=0.2, resume=run)
    with pytest.raises(irb.InputError, match="does not go on"):
        simulate(arm, duration=0.2, every=0.02, resume=run)
    with pytest.raises(irb.InputError, match="neither"):
        simulate(arm, posture(arm), duration=0.2, resume=run)


# --- smooth laws -------------------------------------------------------------------------------------------------------


def test_a_regularised_law_creeps_where_stiction_holds(slide):
    """Under half of Fs the block creeps by what the slope of the law says; with stiction it stays."""
    robot = slide()
    law = stribeck(robot, 6.0, 6.0, 0.0, 0.1)
    creeping = simulate(robot, [0.0], duration=1.0, torque=[3.0], friction=Regularised(law, 1e-3), rtol=1e-9)
    np.testing.assert_allclose(creeping.v[-1, 0], 1e-3 * np.arctanh(0.5), rtol=1e-6)
    assert simulate(robot, [0.0], duration=1.0, torque=[3.0], friction=law).q[-1, 0] == 0.0


def test_lugre_bends_and_comes_back(slide):
    """Under half of Fs a LuGre block settles where its bristle holds, and loaded beyond Fs it slides as the curve says."""
    robot = slide()
    law = stribeck(robot, 6.0, 4.0, 2.0, 0.5)
    bristles = LuGre(law, 1e4, 100.0)
    held = simulate(robot, [0.0], duration=10.0, torque=lambda t, q, v: [0.3 * t], friction=bristles, rtol=1e-9, atol=1e-12)
    bent = -6.0 / 1e4 * np.log(1.0 - 3.0 / 6.0)  # x of dz = (1 - s0 z / Fs) dx, at s0 z = 3
    np.testing.assert_allclose(held.q[-1, 0], bent, rtol=5e-3)  # damping takes 0.3 % of the load
    np.testing.assert_allclose(held["friction"][-1, 0], 3.0, rtol=5e-3)
    sliding = simulate(robot, [0.0], duration=8.0, torque=[10.0], friction=bristles, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(sliding.v[-1, 0], (10.0 - 4.0) / 2.0, rtol=1e-3)  # after 8 time constants of m / Fv = 1 s
    back = simulate(robot, [0.0], duration=8.0, torque=[-10.0], friction=bristles, rtol=1e-9, atol=1e-12)
    np.testing.assert_allclose(back.v, -sliding.v, rtol=0, atol=1e-6)


def test_a_bristle_rings_as_a_damped_spring(slide):
    """A small push makes a LuGre block swing with the bristle's stiffness and damping."""
    bristles = LuGre(stribeck(slide(), 6.0, 4.0, 2.0, 0.5), 1e4, 100.0)
    run = simulate(slide(), [0.0], [1e-5], duration=0.1, friction=bristles, every=0.005, rtol=1e-9, atol=1e-16)
    decay, rate = (100.0 + 2.0) / 4.0, np.sqrt(1e4 / 2.0 - (102.0 / 4.0) ** 2)  # of m x'' + (s1 + Fv) x' + s0 x = 0
    wanted = 1e-5 / rate * np.exp(-decay * run.t) * np.sin(rate * run.t)
    np.testing.assert_allclose(run.q[:, 0], wanted, rtol=0, atol=1e-3 * wanted.max())  # the bend is 2e-4 of what Fs bends


def test_smooth_laws_refuse_what_cannot_be(slide):
    """Widths, stiffness and damping are positive."""
    law = stribeck(slide(), 6.0, 4.0, 2.0, 0.01)
    for make in (
        *(lambda: Regularised(law, 0.0), lambda: LuGre(law, -1.0, 1.0), lambda: LuGre(law, 1.0, np.nan)),
        *(lambda: LuGre(law, "a", 1.0), lambda: Regularised(law, [1.0, 2.0])),
        lambda: LuGre(stribeck(slide(), 0.0, 1.0, 0.0, 0.1), 1.0, 1.0),
    ):
        with pytest.raises(irb.InputError, match="positive"):
            make()
    with pytest.raises(irb.InputError, match=r"goes by an irbmodels\.Stribeck"):
        LuGre(None, 1.0, 1.0)


def test_a_switch_after_the_end_is_refused():
    """It would be forgotten without a word; those within stand in the notes."""
    robot = irb.load("irb2400")
    loaded = robot.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1]))
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    with pytest.raises(irb.InputError, match=r"a switch at 5 s is after the end of the simulation at 0.2 s"):
        simulate(robot, q, duration=0.2, switches=[(5.0, loaded)])
    run = simulate(robot, q, duration=0.02, torque=robot.gravity(q), switches=[(0.01, loaded)])
    assert run.notes["switches"] == [[0.01, "irb2400_16", None, 5.0]]
    assert simulate(irb.load("irb930"), np.zeros(4), duration=0.01).notes["friction"] is None


# --- functions that drive ----------------------------------------------------------------------------------------------


def pulse(t: float) -> float:
    """Twice Fs of axis 6, for 0.4 s; it passes Fs at 5.1 s and 5.3 s."""
    return 35.0 * np.sin(np.pi * (t - 5.0) / 0.4) ** 2 if 5.0 < t < 5.4 else 0.0


def test_a_load_after_a_long_rest_is_seen(arm):
    """A pulse after five seconds in which nothing moved makes the axis leave when it passes Fs, from a motor or the world."""
    held, q = arm.gravity(posture(arm)), posture(arm)
    run = simulate(arm, q, duration=6.0, torque=lambda t, q, v: held + np.array([0, 0, 0, 0, 0, pulse(t)]))
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 5.1, rtol=0, atol=1e-8)
    about = arm.jacobian(q)[3:, 5]  # axis 6
    run = simulate(arm, q, duration=6.0, torque=held, wrench=lambda t, pose: np.concatenate([np.zeros(3), pulse(t) * about]))
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 5.1, rtol=0, atol=1e-8)


@pytest.mark.parametrize("law", [lambda law: Regularised(law, 1e-3), lambda law: LuGre(law, 5e4, 100.0)])
def test_smooth_laws_see_a_load_after_a_long_rest(arm, law):
    """An axis with a smooth law, which had no reason for short steps, moves as far as one that sticks, but for its creep."""
    held, q = arm.gravity(posture(arm)), posture(arm)
    drive = {"duration": 5.4, "torque": lambda t, q, v: held + np.array([0, 0, 0, 0, 0, pulse(t)])}
    sticking = simulate(arm, q, **drive).q[-1, 5] - q[5]
    assert sticking > 0.1
    np.testing.assert_allclose(simulate(arm, q, friction=law(arm.friction_model), **drive).q[-1, 5] - q[5], sticking, rtol=0.05)


@pytest.mark.parametrize("start", [1.0013, 1.0089, 1.0171])
def test_a_load_of_six_milliseconds_is_seen(slide, start):
    """Steps of 20 ms, looked at four times each, let no load beyond Fs pass that lasts 6 ms; a longer step may be asked for."""
    robot = slide()
    drive = lambda t, q, v: np.array([13.0 if start < t < start + 0.006 else 0.0])  # noqa: E731
    given = {"duration": 2.0, "torque": drive, "friction": stribeck(robot, 12.0, 12.0, 0.0, 0.1)}
    assert simulate(robot, [0.0], **given).of_axis(1, "slips")
    assert not simulate(robot, [0.0], max_step=10.0, **given).events


def test_a_function_that_asks_the_robot_is_not_lost_in_trial_steps(arm):
    """A torque that asks for gravity, which refuses absurd angles, goes through a break-away at the end of a long rest."""
    run = simulate(arm, posture(arm), duration=3.0, torque=lambda t, q, v: arm.gravity(q) + np.array([0, 0, 0, 0, 0, 7.5 * t]))
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 17.5 / 7.5, rtol=2e-9)
    assert run.t[-1] == 3.0


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "LSODA"])
def test_a_failure_in_a_trial_step_is_none(slide, method):
    """A block glides freely, until a spring turns it before 1.2 m; a function that refuses 1.25 m changes nothing.

    Long trial steps go there. One that refuses 0.25 m fails when the block comes there, and not before.
    """
    robot, refused = slide(), []

    def torque(t, q, v, most=1.25):
        if q[0] > most:
            refused.append(t)
            raise ValueError("too far")
        return np.array([-4.0 - 4.0 * np.tanh(40.0 * (q[0] - 0.9))])

    given = {"friction": False, "duration": 2.0, "method": method, "max_step": 2.0}
    run = simulate(robot, [0.0], [1.5], torque=torque, **given)
    assert refused or method == "RK45"  # whose error control shortens its steps before they go there
    free = simulate(robot, [0.0], [1.5], torque=lambda t, q, v: torque(t, q, v, np.inf), **given)
    assert 1.1 < free.q.max() < 1.2
    np.testing.assert_allclose(run.q, free.q, rtol=0, atol=1e-4)
    with pytest.raises(SimulationError, match="too far") as caught:
        simulate(robot, [0.0], [1.5], torque=lambda t, q, v: torque(t, q, v, 0.25), **given)
    early = 1e-5 if method == "LSODA" else 1e-7  # [s]; LSODA does not tell how far a trial step goes
    np.testing.assert_allclose(caught.value.t, 0.25 / 1.5, rtol=0, atol=early)


def test_a_function_that_fails_from_a_time_on_names_that_time(arm):
    """However long the steps, the error has the time from which the function fails, and the samples until then."""

    def torque(t, q, v):
        if t > 0.1234:
            raise ValueError("switched off")
        return np.zeros(6)

    with pytest.raises(SimulationError, match="switched off") as caught:
        simulate(arm, posture(arm), duration=1.0, torque=torque)
    np.testing.assert_allclose(caught.value.t, 0.1234, rtol=0, atol=1e-7)
    assert caught.value.run.t[-1] == 0.12


def test_a_function_may_use_its_array_again(arm):
    """Torques are those that a function returned at each time, also if it returns one array for ever."""
    held, kept = arm.gravity(posture(arm)), np.zeros(6)

    def torque(t, q, v):
        kept[:] = held
        kept[5] += np.sin(3.0 * t)
        return kept

    run = simulate(arm, posture(arm), duration=1.0, torque=torque)
    np.testing.assert_allclose(run.tau[:, 5] - held[5], np.sin(3.0 * run.t), rtol=0, atol=1e-12)


# --- laws with a zero --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_axis_without_static_friction_creeps_at_the_speed_of_its_load(slide, way):
    """With Fs = 0 and Fc = 20 N a load of 10 N moves a block at v_St sqrt(ln 2), where half of Fc is reached; no load, none."""
    robot = slide()
    law = stribeck(robot, 0.0, 20.0, 0.0, 0.01)
    run = simulate(robot, [0.0], duration=1.0, friction=law, torque=[10.0 * way])
    np.testing.assert_allclose(run.v[-1, 0], way * 0.01 * np.sqrt(np.log(2.0)), rtol=1e-4)  # rtol 1e-6, and atol of 1e-8 m/s
    np.testing.assert_allclose(run["friction"][-1, 0], 10.0 * way, rtol=1e-4)
    later = simulate(robot, [0.0], duration=2.0, friction=law, torque=lambda t, q, v: [10.0 * way * np.clip(10 * t - 10, 0, 1)])
    assert not later.v[later.t < 1.0].any()
    np.testing.assert_allclose(later.v[-1, 0], way * 0.01 * np.sqrt(np.log(2.0)), rtol=1e-4)


@pytest.mark.parametrize("way", [1.0, -1.0])
def test_an_axis_without_coulomb_friction_still_sticks(slide, way):
    """With Fc = 0 a block slows down as if free, and at rest Fs holds it, although its friction at speed was none to the bit."""
    robot = slide()
    law = stribeck(robot, 20.0, 0.0, 0.0, 0.01)
    run = simulate(robot, [0.0], [0.5 * way], duration=5.0, friction=law, torque=[-0.5 * way])
    (rest,) = run.of_axis(1, "sticks")
    slowing = lambda v: (0.5 + 20.0 * np.exp(-((v / 0.01) ** 2))) / 2.0  # noqa: E731
    time = quad(lambda v: 1.0 / slowing(v), 0.0, 0.5, points=[0.03], limit=200)[0]
    way_long = quad(lambda v: v / slowing(v), 0.0, 0.5, points=[0.03], limit=200)[0]
    np.testing.assert_allclose([rest.t, run.q[-1, 0]], [time, way * way_long], rtol=1e-5)
    assert run.v[-1, 0] == 0.0
    np.testing.assert_allclose(run["friction"][-1, 0], -0.5 * way, rtol=1e-9)


@pytest.mark.parametrize("tilt", [(-100.0, -60.0), (-90.0, -55.0)])
def test_an_axis_that_friction_and_a_stop_both_hold_comes_through(arm, tilt):
    """An axis pressed against its stop by more than Fs, share by share, does not bring the simulation to a standstill."""
    q = arm.from_controller([0.0, *tilt, 0.0, 0.0, 0.0])
    run = simulate(
        arm,
        q,
        duration=1.0,
        torque=arm.gravity(q) + np.array([500, -300, -300, 60, 60, 30]),
    )
    total = energy(arm, run)
    assert run.t[-1] == 1.0
    assert len(run.events) < 200
    np.testing.assert_allclose(total - total[0], run["work"] - run["lost"], rtol=0, atol=1e-3)  # J of 900 J, at rtol 1e-6


# --- going on ----------------------------------------------------------------------------------------------------------


def test_a_run_goes_on_only_as_it_began(arm):
    """Another tool, gravity, law, its numbers, stops, rebound, or other switches are refused with what differs."""
    loaded = arm.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1]))
    q, law = posture(arm), arm.friction_model
    given = {"duration": 0.1, "torque": arm.gravity(q)}
    run = simulate(arm, q, **given)
    assert simulate(arm, resume=run, **given | {"duration": 0.2}).t[-1] == 0.2
    for change, message in (
        ({"robot": irb.load("irb2400")}, "tool"),
        ({"robot": loaded}, "payload_kg"),
        ({"robot": arm.with_gravity([0, 0, -1.6])}, "gravity"),
        ({"friction": LuGre(law, 1e5, 100.0)}, "friction = 'Stribeck' does not go on with friction = 'LuGre'"),
        ({"friction": False}, "friction"),
        ({"friction": irb.Stribeck(law.Fs, law.Fc, 2.0 * law.Fv, law.v_St)}, "other numbers"),
        ({"stops": False}, "stops"),
        ({"rebound": 0.5}, "rebound"),
        ({"switches": [(0.05, loaded)]}, "switches"),
    ):
        with pytest.raises(irb.InputError, match=message):
            simulate(**{"robot": arm, "resume": run, **given, "duration": 0.2, **change})
    changed = simulate(arm, q, switches=[(0.05, loaded)], **given)
    for switches in ((), [(0.05, arm)], [(0.06, loaded)], [(0.01, arm), (0.05, loaded)]):
        with pytest.raises(irb.InputError, match="switches"):
            simulate(arm, resume=changed, switches=switches, **given | {"duration": 0.2})
    on = simulate(arm, resume=changed, switches=[(0.05, loaded)], **given | {"duration": 0.2})
    assert [event.t for event in on.events if event.kind == "robot"] == [0.05]
    bristles = simulate(arm, q, friction=LuGre(law, 1e5, 100.0), **given)
    with pytest.raises(irb.InputError, match="friction"):
        simulate(arm, resume=bristles, **given | {"duration": 0.2})
    damaged = Run(run.t, run.columns, run.units, run.linear, run.events, run.notes, {"t": 0.1})
    with pytest.raises(irb.InputError, match="damaged"):
        simulate(arm, resume=damaged, **given | {"duration": 0.2})
