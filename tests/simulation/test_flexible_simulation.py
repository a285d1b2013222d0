import numpy as np
import oracles
import pytest
from elastic_arms import POSTURE as START
from elastic_arms import ROTORS, STIFFNESS, elastic
from grouped import together

import irbmodels as irb
from irbmodels.simulation import SimulationError, simulate
from irbmodels.simulation.flexible import Drive, FlexibleRobot


@pytest.fixture(scope="module")
def upright(tmp_path_factory):
    """Return a maker of arms with one upright axis, which gravity leaves alone; the link has 6 kg
    m^2.
    """
    path = tmp_path_factory.mktemp("arm") / "one.urdf"
    path.write_text(
        '<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="10"/><inertia'
        ' ixx="6" iyy="6" izz="6" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="turn"'
        ' type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/><limit'
        ' lower="-2" upper="2" velocity="0" effort="0"/></joint></robot>'
    )
    robot = irb.from_urdf(path)
    return lambda **numbers: FlexibleRobot(
        robot, [Drive(**({"stiffness": 8e4, "rotor_inertia": 8.0} | numbers))]
    )


def energies(arm, run):
    """Return kinetic, potential and elastic energy of every sample, shape ``(N, 3)``."""
    return np.stack(arm.energy(run.q, run.v, run["theta"], run["theta_dot"]), axis=1)


@pytest.mark.parametrize(
    ("name", "count"), [("irb1400", 3), ("irb2400_16", 2), ("irb930_12_105", 2)]
)
def test_energy_is_conserved(name, count):
    """Without motors' torque, friction and damping the energy stays the same to 1e-10 of what is
    exchanged.
    """
    arm = elastic(name, count, friction=False, hardening=1e9)
    start = START if arm.n == 6 else np.array([0.1, 0.2, -0.1, 0.3])
    v = np.linspace(0.8, -0.5, arm.n) * (1.0 if arm.n == 6 else 0.3)
    run = arm.simulate(start, v, duration=0.06, theta_dot=-v, rtol=1e-12, atol=1e-13, every=0.005)
    parts = energies(arm, run)
    exchanged = np.ptp(parts, axis=0).max()
    assert exchanged > 0.5
    assert np.ptp(parts.sum(axis=1)) < 1e-10 * exchanged
    # and the springs had something to do
    assert np.abs(run.q[-1] - run["theta"][-1])[:count].max() > 1e-4


def test_two_masses_swing_in_closed_form(upright):
    """One upright axis let go with a wound spring: cosines at the resonance of S003's model, about
    the centre of inertia.
    """
    arm = upright()
    run = arm.simulate(
        [0.1], [0.2], theta=[0.103], duration=0.2, rtol=1e-11, atol=1e-14, every=0.01
    )
    w = np.sqrt(8e4 * (1 / 6 + 1 / 8))
    centre, apart = (6 * 0.1 + 8 * 0.103) / 14 + 0.2 * run.t, 0.003 * np.cos(w * run.t)
    np.testing.assert_allclose(run.q[:, 0], centre - 8 / 14 * apart, atol=1e-12)
    np.testing.assert_allclose(run["theta"][:, 0], centre + 6 / 14 * apart, atol=1e-12)
    np.testing.assert_allclose(run.a[:, 0], 8e4 * apart / 6, atol=1e-7)
    np.testing.assert_allclose(
        run["theta_dot"][:, 0], 0.2 - 6 / 14 * 0.003 * w * np.sin(w * run.t), atol=1e-10
    )


def test_rest_stays_rest():
    """Motors default to where they hold the links; with their torques nothing moves, and the
    columns say so.
    """
    arm = elastic(count=3)
    rest = arm.equilibrium(START)
    run = arm.simulate(START, duration=0.1, torque=rest.torque, every=0.01)
    np.testing.assert_allclose(run.q, np.broadcast_to(START, run.q.shape), atol=1e-12)
    np.testing.assert_allclose(run["theta"], np.broadcast_to(rest.theta, run.q.shape), atol=1e-12)
    np.testing.assert_array_equal(run.tau, np.broadcast_to(rest.torque, run.q.shape))
    assert set(run.columns) == {
        "q",
        "v",
        "a",
        "tau",
        "theta",
        "theta_dot",
        "friction",
        "stop",
        "work",
        "lost",
    }
    assert run.t[-1] == pytest.approx(0.1)
    assert len(run) == 11
    assert len(run.notes["drives"]) == 6


def test_work_and_losses_balance():
    """The motors' work less the dry and viscous friction of the robot is the energy: S000's law on
    the IRB 2400's motors.
    """
    arm = elastic("irb2400", 3)
    push = arm.robot.gravity(START) + np.array([80.0, -90.0, 70.0, 30.0, 45.0, 25.0])
    run = arm.simulate(START, duration=0.15, torque=push, rtol=1e-9, atol=1e-12, every=0.01)
    stored = energies(arm, run).sum(axis=1)
    scale = np.abs(run["work"]).max()
    # the integrator's share
    np.testing.assert_allclose(stored - stored[0], run["work"] - run["lost"], atol=1e-7 * scale)
    assert run["lost"][-1] > 0.1 * scale
    moving = np.abs(run["theta_dot"]) > 1e-6
    np.testing.assert_allclose(
        run["friction"][moving], oracles.friction_2400(run["theta_dot"])[moving], rtol=1e-6
    )


def test_damping_takes_energy_away(upright):
    """Damping d of the gear lets the swing die as exp(-d/2 (1/Ja + 1/Jm) t); a bearing stops the
    whole.
    """
    run = upright(damping=60.0).simulate(
        [0.0], theta=[0.003], duration=0.4, rtol=1e-10, atol=1e-13, every=0.01
    )
    sigma, w2 = 30.0 * (1 / 6 + 1 / 8), 8e4 * (1 / 6 + 1 / 8)
    w = np.sqrt(w2 - sigma**2)
    expected = 0.003 * np.exp(-sigma * run.t) * (np.cos(w * run.t) + sigma / w * np.sin(w * run.t))
    np.testing.assert_allclose(run["theta"][:, 0] - run.q[:, 0], expected, atol=1e-10)
    braked = upright(bearing=4.0, viscous=3.0, stiffness=8e5).simulate(
        [0.0], [1.0], duration=0.5, every=0.1
    )
    # as one body: the spring gives little
    np.testing.assert_allclose(braked.v[:, 0], np.exp(-7.0 / 14.0 * braked.t), rtol=5e-3)


def test_a_motor_sticks_while_its_link_swings(upright):
    """True stiction on the motor: within Fs it stands exactly still and the link swings at the
    antiresonance.
    """
    arm = upright()
    law = irb.Stribeck(np.array([500.0]), np.array([400.0]), np.array([0.0]), np.array([0.01]))
    robot = FlexibleRobot(arm.robot, arm.drives, law)
    run = robot.simulate(
        [0.005], theta=[0.0], theta_dot=[0.0], duration=0.2, rtol=1e-10, atol=1e-13, every=0.005
    )
    assert (run["theta"] == 0.0).all()
    np.testing.assert_allclose(run.q[:, 0], 0.005 * np.cos(np.sqrt(8e4 / 6) * run.t), atol=1e-11)
    # it holds against the spring
    np.testing.assert_allclose(run["friction"][:, 0], 8e4 * run.q[:, 0], rtol=1e-6, atol=1e-6)
    wound = robot.simulate(
        [0.02], theta=[0.0], theta_dot=[0.0], duration=0.2, rtol=1e-8, every=0.005
    )
    assert np.abs(wound["theta"]).max() > 1e-3  # 1600 N m of the spring pull it along
    assert wound.of_axis(1, "sticks")


def test_stiff_springs_move_as_the_rigid_arm():
    """Under the same torques the links go to the rigid arm's motion as 1 / k."""
    push = np.array([60.0, -90.0, 30.0, 5.0, 4.0, 3.0])
    robot = irb.load("irb1400")
    ends, duration = [], 0.12
    for grown in (1.0, 4.0, 16.0):
        springs = [
            Drive(grown * STIFFNESS[i], ROTORS[i], damping=grown**0.5 * 800.0) for i in range(3)
        ]
        arm = FlexibleRobot(
            robot, [*springs, *(Drive(rotor_inertia=ROTORS[i]) for i in range(3, 6))]
        )
        ends.append(
            arm.simulate(START, duration=duration, torque=push, rtol=1e-9, every=duration).q[-1]
        )
    rigid = FlexibleRobot(robot, [Drive(rotor_inertia=J) for J in ROTORS])
    end = rigid.simulate(START, duration=duration, torque=push, rtol=1e-9, every=duration).q[-1]
    missed = np.abs(np.array(ends) - end).max(axis=1)
    assert missed[0] > 1e-5
    # what still swings at the end is of the same order
    np.testing.assert_allclose(missed[:-1] / missed[1:], 4.0, rtol=0.25)
    theirs = simulate(
        rigid.rigid,
        START,
        duration=duration,
        torque=push,
        friction=False,
        rtol=1e-9,
        every=duration,
    )
    np.testing.assert_allclose(theirs.q[-1], end, atol=1e-9)


def test_backlash_lets_the_motor_run_alone(upright):
    """Until half the backlash is used up the motor is a free body, and the link rests."""
    arm = upright(backlash=0.02)
    run = arm.simulate(
        [0.0], theta=[0.0], torque=[40.0], duration=0.08, rtol=1e-10, atol=1e-13, every=0.004
    )
    meeting = np.sqrt(2 * 0.01 * 8.0 / 40.0)
    before = run.t < meeting
    np.testing.assert_allclose(run["theta"][before, 0], 2.5 * run.t[before] ** 2, atol=1e-11)
    assert not run.q[before].any()
    later = arm.simulate(
        [0.0], theta=[0.0], torque=[40.0], duration=1.2 * meeting, every=0.2 * meeting
    )
    assert later.q[-1, 0] > 1e-6


def test_the_controller_sees_the_motors():
    """A torque function gets time, theta and theta'; of rigid axes they are those of the links."""
    arm, seen = elastic(count=2), []

    def control(t, theta, theta_dot):
        seen.append((t, theta, theta_dot))
        return 2e3 * (START - theta) - 50.0 * theta_dot

    run = arm.simulate(
        START + 0.01,
        np.full(6, 0.1),
        theta=START + 0.02,
        theta_dot=np.full(6, -0.1),
        torque=control,
        duration=0.01,
    )
    t, theta, theta_dot = seen[0]
    assert t == 0.0
    np.testing.assert_allclose(theta - START, [0.02, 0.02, 0.01, 0.01, 0.01, 0.01])
    np.testing.assert_allclose(theta_dot, [-0.1, -0.1, 0.1, 0.1, 0.1, 0.1])
    np.testing.assert_allclose(
        run.tau, 2e3 * (START - run["theta"]) - 50.0 * run["theta_dot"], atol=1e-9
    )


def test_links_meet_their_stops(upright):
    """The end of the range stops the link, not the motor, which runs on into the spring."""
    run = upright().simulate([1.99], [1.0], duration=0.05, every=0.001, rtol=1e-9)
    assert run.q.max() <= 2.0
    assert run["theta"].max() > 2.0
    assert [(event.axis, event.kind) for event in run.events[:1]] == [(1, "hits its stop")]
    assert upright().simulate([1.99], [1.0], duration=0.05, every=0.001, stops=False).q.max() > 2.0
    leaning = upright().simulate([2.0], theta=[2.001], duration=0.001, every=0.001)
    # what the spring pushes, pushed back
    assert leaning["stop"][0, 0] == pytest.approx(-80.0, rel=1e-9)
    assert leaning.q[-1, 0] == 2.0


def test_a_wrench_acts_at_the_tcp():
    """A constant force gives the links the acceleration that forward_dynamics says."""
    arm, w = elastic(count=3), np.array([40.0, -30.0, 50.0, 1.0, 2.0, 3.0])
    rest = arm.equilibrium(START)
    run = arm.simulate(START, duration=0.0002, torque=rest.torque, wrench=w, every=0.0001)
    expected, _ = arm.forward_dynamics(
        START, np.zeros(6), rest.theta, np.zeros(6), rest.torque, wrench=w
    )
    np.testing.assert_allclose(run.a[0], expected, atol=1e-9)
    # the motors feel it as the springs give: as t^3
    assert np.abs(run["theta_dot"][1, :3]).max() < 1e-6


def test_events_name_axes_of_the_robot():
    """Events of motors carry the number of their axis, also where axes before them are rigid."""
    robot = irb.load("irb2400")
    arm = FlexibleRobot(robot, [None, None, None, None, Drive(2e4, 0.8), None])
    held, more = robot.gravity(START), np.array([0.0, 0.0, 0.0, 0.0, 60.0, 0.0])
    run = arm.simulate(
        START, duration=0.05, torque=lambda t, *_: held + t / 0.05 * more, every=0.01
    )
    assert [(event.axis, event.kind) for event in run.events] == [(5, "slips")]
    # Fs of axis 5 (S000 Tab. 5)
    assert run.events[0].t == pytest.approx(0.05 * 39.7 / 60.0, abs=1e-4)
    assert not run["theta_dot"][:, :4].any()


def test_a_load_after_a_long_rest_is_seen():
    """A pulse of twice Fs moves a motor that has stood in equilibrium for two seconds."""
    robot = irb.load("irb2400")
    arm = FlexibleRobot(robot, [None, None, None, None, Drive(2e4, 0.8), None])
    held = robot.gravity(START)

    def drive(t, *_):
        return held + np.array(
            [0, 0, 0, 0, 2 * 39.7 * np.sin(np.pi * (t - 2) / 0.4) ** 2 if 2 < t < 2.4 else 0, 0]
        )

    run = arm.simulate(START, duration=2.2, torque=drive, every=0.01)
    assert (run.events[0].axis, run.events[0].kind) == (5, "slips")
    # where the load passes Fs of axis 5 (S000 Tab. 5)
    assert run.events[0].t == pytest.approx(2.1, abs=1e-4)


@together(
    "changes, error, words",
    [
        ({"duration": 0.0}, irb.InputError, "duration must be a positive finite number"),
        ({"every": -1.0}, irb.InputError, "every must be a positive finite number"),
        ({"rtol": 0.0}, irb.InputError, "rtol must be a positive finite number"),
        ({"atol": np.nan}, irb.InputError, "atol must be a positive finite number"),
        ({"max_step": 0.0}, irb.InputError, "max_step must be a positive finite number"),
        ({"rebound": 2.0}, irb.InputError, "rebound, .* must be a finite number in 0 .. 1"),
        ({"method": "Euler"}, irb.UnknownName, "method 'Euler'"),
        ({"theta": np.zeros(5)}, irb.InputError, "theta"),
        ({"theta_dot": np.full(6, np.nan)}, irb.InputError, "theta_dot"),
        ({"torque": np.zeros(5)}, irb.InputError, "tau"),
        ({"torque_limit": np.zeros(6)}, irb.InputError, "limit"),
        (
            {"torque": lambda t, theta, theta_dot: np.full(6, np.nan)},
            SimulationError,
            "torque needs 6 finite numbers",
        ),
    ],
)
def test_wrong_settings_are_refused(changes, error, words):
    with pytest.raises(error, match=words):
        elastic(count=3).simulate(START, **({"duration": 0.01} | changes))


def test_a_failure_keeps_what_was_computed():
    def control(t, theta, theta_dot):
        return np.zeros(6) if t < 0.005 else np.full(6, np.inf)

    with pytest.raises(SimulationError) as caught:
        elastic(count=3).simulate(START, duration=0.02, torque=control, max_step=1e-3)
    assert 3 <= len(caught.value.run) <= 6
    assert caught.value.run["theta"].shape == (len(caught.value.run), 6)


def test_absurd_torques_are_refused_by_the_axis_that_they_drive():
    """A motor far beyond its speed limit is named by its axis, not by its coordinate."""
    arm = elastic(count=3)
    torque = np.zeros(6)
    torque[1] = 1e12
    with pytest.raises(
        irb.simulation.SimulationError, match=r"axis 2 has .* over 100 times its limit"
    ):
        arm.simulate(np.zeros(6), duration=1.0, torque=torque)
