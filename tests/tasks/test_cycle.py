"""Power, energy, duty and RMS torque over a cycle against closed forms and scipy's quadrature."""

import json

import numpy as np
import pytest
from path_programs import motion
from scipy.integrate import quad

import irbmodels as irb
from irbmodels.report.path import check_record, check_tables, remarks
from irbmodels.tasks.path_check import check_path

MASS, LENGTH, INERTIA, DAMPING, COULOMB = 3.0, 0.4, 0.05, 0.7, 1.3  # of the pendulum below
GRAVITY = 9.81  # [m/s^2]
PERIOD, SWING = 2.0, 2.4  # [s, rad]
URDF = f"""<robot name="pendulum">
<link name="base"/>
<link name="arm"><inertial><origin xyz="0 0 {-LENGTH}"/><mass value="{MASS}"/>
<inertia ixx="{INERTIA}" iyy="{INERTIA}" izz="{INERTIA}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="joint_1" type="revolute"><parent link="base"/><child link="arm"/><axis xyz="0 1 0"/>
<limit lower="-3" upper="3" velocity="10" effort="99"/>
<dynamics damping="{DAMPING}" friction="{COULOMB}"/></joint>
</robot>"""


@pytest.fixture(scope="module")
def pendulum(tmp_path_factory):
    """A bar that hangs at q = 0 below a horizontal axis, with viscous and Coulomb friction."""
    file = tmp_path_factory.mktemp("pendulum") / "pendulum.urdf"
    file.write_text(URDF)
    return irb.from_urdf(file)


def position(t):
    """It swings out to SWING and back, then rests for half a period."""
    phase = 2.0 * np.pi * np.minimum(t, PERIOD) / PERIOD
    rate = 2.0 * np.pi / PERIOD * (t < PERIOD)
    return (
        0.5 * SWING * (1.0 - np.cos(phase)),
        0.5 * SWING * rate * np.sin(phase),
        0.5 * SWING * rate**2 * np.cos(phase),
    )


def torque(t):
    """Newton's law of the pendulum, and its friction."""
    q, v, a = position(t)
    held = MASS * GRAVITY * LENGTH * np.sin(q)
    rubbing = DAMPING * v + COULOMB * np.sign(v)
    return (INERTIA + MASS * LENGTH**2) * a + held + rubbing


def integral(function):
    """Integral over the swing and the rest, by adaptive quadrature between the reversals."""
    return sum(
        quad(function, *ends, epsabs=1e-12, limit=500)[0]
        for ends in ((0.0, 0.5 * PERIOD), (0.5 * PERIOD, PERIOD), (PERIOD, 1.5 * PERIOD))
    )


def driven(samples):
    t = np.linspace(0.0, 1.5 * PERIOD, samples)
    return irb.Motion(t, *(x[:, None] for x in position(t)))


def test_energy_power_and_duty_of_a_pendulum(pendulum):
    """Against quadrature of Newton's law; the net energy is what friction took, in closed form;
    errors fall with the square of the step, that of the jump of friction with the step.
    """
    power = lambda t: torque(t) * position(t)[1]  # noqa: E731
    expected = {
        "driven": integral(lambda t: max(power(t), 0.0)),
        "regenerated": integral(lambda t: max(-power(t), 0.0)),
        "rms": np.sqrt(integral(lambda t: torque(t) ** 2) / (1.5 * PERIOD)),
        "equivalent": (integral(lambda t: abs(torque(t)) ** 3 * abs(position(t)[1])) / (2 * SWING))
        ** (1 / 3),
    }
    assert expected["regenerated"] > 0.2 * expected["driven"]
    errors = []
    for samples in (1501, 3001, 6001):
        cycle = check_path(pendulum, driven(samples)).cycle
        actual = {
            "driven": cycle.axes.driven[0],
            "regenerated": cycle.axes.regenerated[0],
            "rms": cycle.rms_torque[0],
            "equivalent": cycle.equivalent_torque[0],
        }
        errors.append([abs(actual[name] / expected[name] - 1.0) for name in expected])
    energy, steady = np.array(errors)[:, :2], np.array(errors)[:, 2:]
    assert energy[-1].max() < 1e-6
    assert (energy[:-1] / energy[1:] > 3.5).all()
    assert steady[-1].max() < 1e-3
    assert (steady[:-1].max(axis=1) > 1.8 * steady[1:].max(axis=1)).all()
    viscous = DAMPING * (np.pi * SWING) ** 2 / (2.0 * PERIOD)  # integral of v^2: a sine's
    lost = viscous + COULOMB * 2.0 * SWING
    np.testing.assert_allclose(cycle.axes.net, lost, rtol=1e-5)
    np.testing.assert_allclose(cycle.friction, lost, rtol=1e-5)
    np.testing.assert_allclose(cycle.mean, lost / (1.5 * PERIOD), rtol=1e-5)
    t = np.linspace(0.0, PERIOD, 200_001)
    np.testing.assert_allclose(
        [cycle.axes.peak[0], cycle.axes.braking[0]], [power(t).max(), -power(t).min()], rtol=1e-5
    )
    np.testing.assert_allclose(cycle.moving, 2.0 / 3.0, atol=2e-3)
    assert cycle.together == tuple(part[0] for part in cycle.axes)


def test_two_samples_by_hand(pendulum):
    """5 N m at -1 and at 2 rad/s, 0.3 s apart: power goes from -5 to 10 W and is 0 at 0.1 s."""
    v = np.array([-1.0, 2.0])
    rubbing = DAMPING * v + COULOMB * np.sign(v)
    a = (5.0 - rubbing) / (INERTIA + MASS * LENGTH**2)
    path = irb.Motion(np.array([0.0, 0.3]), np.zeros((2, 1)), v[:, None], a[:, None])
    cycle = check_path(pendulum, path).cycle
    np.testing.assert_allclose(np.array(cycle.axes)[:, 0], [10, 5, 1.0, 0.25], rtol=1e-12)
    np.testing.assert_allclose([cycle.rms_torque, cycle.equivalent_torque], 5.0, rtol=1e-12)
    np.testing.assert_allclose(cycle.friction, 0.15 * (rubbing @ v), rtol=1e-12)


def test_axes_feed_one_another_and_pieces_join(monkeypatch):
    """All axes together need what the sum at each instant needs: at most the sum of the axes; the
    net is that of the energies at the ends and of friction, and pieces change nothing.
    """
    robot = irb.load("irb2400", tool="spindle")
    t = np.linspace(0.0, 1.2, 601)
    way = np.radians([40.0, 30.0, 25.0, 60.0, -50.0, 80.0])
    s, rate = (t / 1.2 - np.sin(2 * np.pi * t / 1.2) / (2 * np.pi)), 2 * np.pi / 1.2
    v, a = (1 - np.cos(rate * t)) / 1.2, rate * np.sin(rate * t) / 1.2
    q = robot.from_controller([0, 0, 0, 0, 30, 0]) + s[:, None] * way
    path = irb.Motion(t, q, v[:, None] * way, a[:, None] * way)
    cycle = check_path(robot, path).cycle
    assert cycle.together.driven < cycle.axes.driven.sum() - 1.0
    np.testing.assert_allclose(cycle.together.net, cycle.axes.net.sum(), rtol=1e-12)
    stored = [sum(robot.energy(x, np.zeros(6))) for x in (q[0], q[-1])]
    lost = sum(
        0.5 * np.sum((f * w)[1:] + (f * w)[:-1]) * (t[1] - t[0])
        for f, w in zip(robot.friction(path.v).T, path.v.T, strict=True)
    )
    np.testing.assert_allclose(cycle.together.net, stored[1] - stored[0] + lost, rtol=1e-5)
    monkeypatch.setattr("irbmodels.tasks.path_check.check.ROWS", 7)
    pieces = check_path(robot, path).cycle
    for whole, joined in zip(
        [*cycle.axes, *cycle.together, *cycle[3:]],
        [*pieces.axes, *pieces.together, *pieces[3:]],
        strict=True,
    ):
        np.testing.assert_allclose(whole, joined, rtol=1e-12)


def test_a_rated_torque_is_held_against_the_rms(pendulum):
    """Below the rating nothing; above it one finding over the whole time; unknown is said so."""
    path = driven(301)
    rms = check_path(pendulum, path).cycle.rms_torque
    assert check_path(pendulum, path, rated_torque=1.001 * rms).kept
    check = check_path(pendulum, path, rated_torque=0.8 * rms)
    (one,) = check.findings
    assert (one.kind, one.axis, one.start, one.end) == ("rms torque", 1, 0.0, 1.5 * PERIOD)
    assert one.what.startswith(f"axis 1: rms of tau1 = {rms[0]:.6g} N m is outside its bounds 0 ..")
    table = next(table for table in check_tables(check, pendulum) if "power" in table.title)
    assert table.rows[0][-2:] == ("125.0", "1.562")
    assert not any("RMS" in line for line in remarks(check, pendulum))
    assert any("RMS torques were held" in x for x in remarks(check_path(pendulum, path), pendulum))
    with pytest.raises(irb.InputError, match=r"rated torques are positive, got \[0\.0\]"):
        check_path(pendulum, path, rated_torque=[0.0])


def test_a_record_is_json_with_none_for_unknown():
    """Of a still posture and an arm without masses: no power, but a duty; tables leave it out."""
    for name, moved in (("irb2400", False), ("irb1100_4_58", True)):
        robot = irb.load(name)
        q = np.linspace(0.0, 0.1, 3 if moved else 1)[:, None] * np.eye(6)[0]
        check = check_path(robot, motion(q, np.full_like(q, 1.0 * moved)))
        record = json.loads(json.dumps(check_record(check, robot), allow_nan=False))
        assert record["kept"] is moved
        assert len(record["axes"]) == 6
        first = record["axes"][0]
        assert (first["peak_power_W"] is None) == moved
        assert first["rms_torque_N_m"] is None
        assert first["moving_share"] == (1.0 if moved else None)
        assert not any("power" in table.title for table in check_tables(check, robot))
