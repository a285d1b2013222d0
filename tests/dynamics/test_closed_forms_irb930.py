"""The closed form of the SCARA against Pinocchio, its 8 base parameters, and what its printed cycle
time would ask for.
"""

from __future__ import annotations

import math

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.dynamics.closed_forms import Scara, cycle_peaks, cycle_time, tool_acceleration
from irbmodels.exchange.verify.check import chain_of
from irbmodels.model.inertia import Inertial

CLOSE = 1e-12  # of the largest entry: sums of a dozen terms in double precision
VARIANTS = ("irb930_12_105", "irb930_22_105", "irb930_12_085")
BODY = (
    12.0,
    np.array([0.03, -0.05, 0.12]),
    np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.03]]),
)


def close(actual: np.ndarray, expected: np.ndarray) -> None:
    """Compare to ``CLOSE`` times the largest entry."""
    np.testing.assert_allclose(
        actual, expected, rtol=0, atol=CLOSE * max(np.abs(expected).max(), 1.0)
    )


@pytest.mark.parametrize("name", VARIANTS)
def test_closed_form_is_the_robot(name):
    """M, C, g and torque of every variant with a payload beside the quill, and with rotors that
    several axes turn.
    """
    robot = irb.load(name).with_payload(irb.payload(*BODY))
    robot = robot.with_rotors([3.0, 2.0, 40.0, 0.5]).with_drives(np.eye(4) + 0.3 * np.tri(4, k=-1))
    arm = Scara.of(chain_of(robot))
    for q, v, a in oracles.states(name, 20):
        close(arm.mass_matrix(q), robot.mass_matrix(q))
        close(arm.coriolis(q, v), robot.coriolis(q, v))
        close(arm.gravity(q), robot.gravity(q))
        close(arm.inverse_dynamics(q, v, a), robot.inverse_dynamics(q, v, a, friction=False))


@pytest.mark.parametrize("seed", range(8))
def test_closed_form_is_pinocchio_on_random_bodies(seed):
    """Masses, centres and full tensors at random: also those of link 3, which the shipped sets keep
    on the axis.
    """
    rng, robot = np.random.default_rng(seed), irb.load("irb930")
    model, bodies = robot.model, []
    for i in range(4):
        cloud = rng.normal(size=(6, 3)) * 0.2
        tensor = sum(np.eye(3) * (p @ p) - np.outer(p, p) for p in cloud)
        bodies.append(Inertial.of(rng.uniform(1.0, 20.0), rng.normal(size=3) * 0.2, tensor))
        model.inertias[i + 1] = pin.Inertia(
            bodies[-1].mass, np.array(bodies[-1].com), np.array(bodies[-1].tensor)
        )
    arm, data = (
        Scara.of(chain_of(robot)._replace(bodies=tuple((one,) for one in bodies))),
        model.createData(),
    )
    q, v, a = rng.uniform(-np.pi, np.pi, (3, 4))
    close(arm.mass_matrix(q), pin.crba(model, data, q))
    close(arm.coriolis(q, v), pin.computeCoriolisMatrix(model, data, q, v))
    close(arm.inverse_dynamics(q, v, a), pin.rnea(model, data, q, v, a))


def test_a_hanging_arm_falls_upward():
    """Gravity of a SCARA on the ceiling pulls its quill out of it."""
    robot, q = (
        irb.load("irb930").mounted(np.diag([1.0, -1.0, -1.0])),
        np.array([0.3, 0.5, -0.1, 0.2]),
    )
    arm = Scara.of(chain_of(robot))
    close(arm.gravity(q), robot.gravity(q))
    assert arm.gravity(q)[2] < 0.0


def test_entries_are_those_of_the_page():
    """M11 to M44 as docs/reference/robots/irb930.md prints them."""
    arm = Scara.of(chain_of(irb.load("irb930").with_payload(irb.payload(*BODY))))
    for q, _, _ in oracles.states("irb930_12_105", 10):
        M, (c2, s2, c4, s4) = (
            arm.mass_matrix(q),
            (f(q[i]) for i in (1, 3) for f in (np.cos, np.sin)),
        )
        A = arm.a1 * (arm.px * c2 - arm.py * s2)
        B = arm.a1 * (arm.mx4 * np.cos(q[1] - q[3]) - arm.my4 * np.sin(q[1] - q[3]))
        K = arm.a2 * (arm.mx4 * c4 + arm.my4 * s4)
        expected = np.zeros((4, 4))
        expected[0, 0] = arm.p1 + arm.p2 + arm.p4 + 2.0 * (A + B + K)
        expected[0, 1] = expected[1, 0] = arm.p2 + arm.p4 + A + B + 2.0 * K
        expected[0, 3] = expected[3, 0] = -(arm.p4 + B + K)
        expected[1, 1] = arm.p2 + arm.p4 + 2.0 * K
        expected[1, 3] = expected[3, 1] = -(arm.p4 + K)
        expected[2, 2], expected[3, 3] = arm.m34, arm.p4
        close(M, expected)


def test_a_symmetric_load_leaves_one_velocity_term():
    """With every centre on its arm: tau1 -a1 px s2 (2 v1 v2 + v2^2), tau2 +a1 px s2 v1^2, nothing
    on axes 3 and 4.
    """
    arm = Scara.of(chain_of(irb.load("irb930")))._replace(py=0.0, mx4=0.0, my4=0.0)
    for q, v, _ in oracles.states("irb930_12_105", 10):
        lever = arm.a1 * arm.px * np.sin(q[1])
        close(
            arm.coriolis(q, v) @ v,
            np.array([-lever * (2 * v[0] * v[1] + v[1] ** 2), lever * v[0] ** 2, 0.0, 0.0]),
        )


def test_the_scara_has_8_base_parameters():
    """Of 40 columns 8 are independent, and the closed form is linear in 8 of which none can be had
    from the others.
    """
    robot = irb.load("irb930").with_payload(irb.payload(*BODY))
    arm = Scara.of(chain_of(robot))
    names = Scara._fields[3:-1]
    parts = [arm._replace(**(dict.fromkeys(names, 0.0) | {name: 1.0})) for name in names]
    rows, columns = [], []
    for q, v, a in oracles.states("irb930_12_105", 40):
        rows.append(np.column_stack([part.inverse_dynamics(q, v, a) for part in parts]))
        columns.append(robot.regressor(q, v, a)[:, :40])
        close(rows[-1] @ np.array(arm[3:-1]), arm.inverse_dynamics(q, v, a))
    assert (
        len(names)
        == np.linalg.matrix_rank(np.vstack(rows), tol=1e-6)
        == np.linalg.matrix_rank(np.vstack(columns), tol=1e-9)
        == 8
    )


def test_other_arms_are_refused():
    """Six axes, an askew stand, wrong shapes and NaN are said in one line."""
    for name in ("irb1400", "irb1600"):
        with pytest.raises(irb.InputError, match="that of a SCARA"):
            Scara.of(chain_of(irb.load(name)))
    robot = irb.load("irb930")
    with pytest.raises(irb.InputError, match="upright SCARA"):
        Scara.of(chain_of(robot.mounted(oracles.rotation(0, 0.3)[:3, :3])))
    chain = chain_of(robot)
    leaning = chain.table._replace(alpha=np.array([0.0, 0.2, 0.0, np.pi]))
    turned, aside = (
        chain.table._replace(theta=np.full(4, 0.3)),
        chain.table._replace(a=chain.table.a + 0.1 * np.eye(4)[3]),
    )
    for table in (leaning, turned, aside):
        with pytest.raises(irb.InputError, match="that of a SCARA"):
            Scara.of(chain._replace(table=table))
    coupled = np.eye(4)
    coupled[3, 2] = 1.0
    with pytest.raises(irb.InputError, match="axes are not coupled"):
        Scara.of(chain._replace(table=chain.table._replace(A=coupled)))
    arm, good = Scara.of(chain), np.zeros(4)
    for call in (
        lambda: arm.mass_matrix(np.zeros(3)),
        lambda: arm.gravity([0.0, 0.0, np.nan, 0.0]),
        lambda: arm.coriolis(good, np.zeros(6)),
        lambda: arm.inverse_dynamics(good, good, np.zeros(3)),
    ):
        with pytest.raises(irb.InputError, match=r"needs \(4,\) finite numbers"):
            call()


# --- the cycle


def test_acceleration_behind_the_printed_cycle_time():
    """0.38 s there and back: 4 x 0.3 m / (0.19 s)^2 where corners cost nothing, 2.5 times that with
    a stop in each corner.
    """
    # 33.2 m/s^2
    assert tool_acceleration(overlap=1.0) == pytest.approx(4.0 * 0.300 / 0.19**2, rel=1e-12)
    assert tool_acceleration(overlap=0.0) == pytest.approx(
        (4.0 * (0.300**0.5 + 2.0 * 0.025**0.5) / 0.38) ** 2, rel=1e-12
    )
    assert tool_acceleration(overlap=0.0) == pytest.approx(82.7, abs=0.05)
    # [m/s], behind limits.yaml
    assert math.sqrt(tool_acceleration(overlap=1.0) * 0.300) == pytest.approx(3.158, abs=5e-4)


@together("overlap", [0.0, 0.4, 1.0])
@together("speed", [math.inf, 4.0, 2.2])
@together("duration", [0.38, 0.6, 100.0])
def test_the_acceleration_gives_back_the_time(overlap, speed, duration):
    """Solved for the acceleration, the cycle takes the time that was asked for, with and without a
    speed limit in the way.
    """
    found = tool_acceleration(duration, overlap=overlap, speed=speed)
    assert cycle_time(found, overlap=overlap, speed=speed) == pytest.approx(duration, rel=1e-12)


def test_cycle_time_of_a_speed_limit():
    """At 2 m/s and 20 m/s^2 the way across takes 0.25 s (two ramps of 0.1 s and 0.1 m), up or down
    0.0707 s.
    """
    assert cycle_time(20.0, overlap=0.0, speed=2.0) == pytest.approx(
        2.0 * (0.25 + 2.0 * 2.0 * math.sqrt(0.025 / 20.0)), rel=1e-12
    )
    assert cycle_time(20.0, overlap=1.0, speed=2.0) == pytest.approx(0.5, rel=1e-12)
    assert cycle_time(20.0, overlap=1.0, speed=2.0, span=0.5) == pytest.approx(0.7, rel=1e-12)
    # sqrt(20 x 0.3) = 2.45 m/s at most
    assert cycle_time(20.0, overlap=0.3, speed=2.5) == cycle_time(20.0, overlap=0.3)


@pytest.mark.parametrize(("speed", "distance"), [(math.inf, None), (1.5, 0.9)])
def test_peaks_of_the_axes(speed, distance):
    """Axis speeds, accelerations and torques along the way, by Pinocchio's Jacobian and differences
    of the robot's own poses.
    """
    robot = irb.load("irb930").with_payload(irb.payload(2.0, [0.02, 0.01, 0.05]))
    a1, a2 = oracles.SCARA_ARMS["irb930_12_105"]
    x, a, h = distance or math.hypot(a1, a2), tool_acceleration(0.5, overlap=1.0, speed=speed), 1e-5
    top = min(speed, math.sqrt(a * 0.3))
    ramp = top / a
    total = 2.0 * ramp + (0.3 - top * ramp) / top

    def place(t: float) -> float:
        if t > total / 2.0:
            return 0.3 - place(total - t)
        return a * t * t / 2.0 if t < ramp else a * ramp**2 / 2.0 + top * (t - ramp)

    def axes(t: float) -> np.ndarray:
        y = place(t) - 0.15
        second = math.acos((x * x + y * y - a1 * a1 - a2 * a2) / (2.0 * a1 * a2))
        first = math.atan2(y, x) - math.atan2(a2 * math.sin(second), a1 + a2 * math.cos(second))
        return np.array([first, second, 0.0, first + second])

    moments = [
        t for t in np.linspace(h, total - h, 400) if min(abs(t - ramp), abs(t - total + ramp)) > h
    ]
    before, now, after = (np.array([axes(t + step) for t in moments]) for step in (-h, 0.0, h))
    reached = np.array([pose[:2, 3] for pose in robot.pose(now, "tool0")])
    wanted = np.column_stack([np.full(len(moments), x), [place(t) - 0.15 for t in moments]])
    np.testing.assert_allclose(reached, wanted, atol=1e-12)
    v, gain = (after - before) / (2.0 * h), (after - 2.0 * now + before) / h**2
    torques = robot.inverse_dynamics(now, v, gain, friction=False)
    peaks = np.abs([v, gain, torques]).max(axis=1)
    found = cycle_peaks(Scara.of(chain_of(robot)), a, speed=speed, distance=distance)
    turning = [0, 1, 3]
    # 400 moments, ends left out
    np.testing.assert_allclose(np.array(found)[:, turning], peaks[:, turning], rtol=0.01)
    weight = robot.gravity(np.zeros(4))[2]
    assert found.a[2] == a
    assert found.v[2] == pytest.approx(math.sqrt(a * 0.025))
    assert found.tau[2] == pytest.approx(weight * (1.0 + a / 9.81))


def test_peak_of_the_vertical_axis():
    """The quill reaches the speed limit of the tool, or that of its rise."""
    arm = Scara.of(chain_of(irb.load("irb930")))
    assert cycle_peaks(arm, 20.0, speed=0.4).v[2] == 0.4
    assert cycle_peaks(arm, 20.0, rise=0.05).v[2] == pytest.approx(1.0)


def test_impossible_cycles_are_refused():
    """What is not positive, no share, too fast or out of reach is said in one line."""
    arm = Scara.of(chain_of(irb.load("irb930")))
    for call, words in (
        (lambda: cycle_time(0.0, overlap=1.0), "positive acceleration"),
        (lambda: cycle_time(1.0, overlap=1.0, speed=-1.0), "positive speed"),
        (lambda: cycle_time(1.0, overlap=1.0, rise=0.0), "positive rise"),
        (lambda: cycle_time(1.0, overlap=1.0, span=math.nan), "positive span"),
        (lambda: cycle_time(1.0, overlap=1.5), "a share, 0 to 1"),
        (lambda: cycle_time(1.0, overlap=-0.1), "a share, 0 to 1"),
        (lambda: cycle_time(1.0, overlap=1.0, rise=0.3), "sinks before it has risen"),
        (lambda: tool_acceleration(0.0, overlap=1.0), "positive duration"),
        (lambda: tool_acceleration(math.inf, overlap=1.0), "positive duration"),
        (lambda: tool_acceleration(0.3, overlap=1.0, speed=2.0), r"takes more than 0.3 s"),
        (lambda: tool_acceleration(0.34, overlap=0.0, speed=2.0), r"takes more than 0.35 s"),
        (lambda: tool_acceleration(0.38, overlap=1.1), "a share, 0 to 1"),
        (lambda: cycle_peaks(arm, 10.0, distance=1.045), "out of reach"),
        (lambda: cycle_peaks(arm, 10.0, distance=0.05), "out of reach"),
        (lambda: cycle_peaks(arm, -10.0), "positive acceleration"),
    ):
        with pytest.raises(irb.InputError, match=words):
            call()
