"""The command simulate, against Pinocchio's dynamics of the URDF integrated by SciPy or by hand,
and friction written by hand.
"""

import json

import numpy as np
import pinocchio as pin
import pytest
from scipy.integrate import solve_ivp

import irbmodels as irb
from irbmodels.cli import simulating
from irbmodels.control import LAW_NAMES, Measured, hold, tuned_law
from irbmodels.trajectory import move
from irbmodels.trajectory.motion_files import write_motion


def model_of(name):
    model = pin.buildModelFromUrdf(str(irb.urdf_path(name)))
    return model, model.createData()


def states(path, n=6):
    """Times, axis positions and torques of a file of an arm without linear axes."""
    columns = np.genfromtxt(path, delimiter=",", names=True)
    q = np.stack([np.radians(columns[f"q{i}_deg"]) for i in range(1, n + 1)], axis=1)
    return columns["t"], q


@pytest.fixture
def simulated(run, tmp_path):
    """Call the command; its object, and the path of its file."""

    def call(*words):
        path = tmp_path / "run.csv"
        code, out, err = run("simulate", *words, "-o", path, "--json")
        assert code == 0, err
        return json.loads(out), path

    return call


def test_a_free_fall_is_that_of_pinocchio(simulated):
    """Half a second of the IRB 1600, of which no friction is known, from a posture with speed, and a
    constant push: SciPy on pin.aba of the URDF, to 1e-5 rad.
    """
    model, data = model_of("irb1600")
    q, v = np.radians([0, 20, -30, 10, 40, 0]), np.radians([20, 0, 10, -30, 0, 40])
    push = np.array([0, 40.0, 0, 0, 0, 0])

    def rates(_, x):
        return np.concatenate([x[6:], pin.aba(model, data, x[:6], x[6:], push)])

    truth = solve_ivp(
        rates, (0, 0.5), np.concatenate([q, v]), rtol=1e-10, atol=1e-10, dense_output=True
    )
    words = ("--q-deg", "0,20,-30,10,40,0", "--speed-deg", "20,0,10,-30,0,40", "--push", "2=40")
    record, path = simulated("irb1600", *words, "--duration", "0.5", "--no-stops")
    t, found = states(path)
    np.testing.assert_allclose(found, truth.sol(t)[:6].T, atol=1e-5)
    speed = np.abs(truth.sol(t)[6:]).max(axis=1)
    np.testing.assert_allclose(
        [one["largest_speed_rad_s"] for one in record["axes"]], speed, atol=1e-4
    )
    assert record["work_J"] == pytest.approx(40.0 * (found[-1, 1] - q[1]), abs=1e-3)
    assert record["events"] == []


def test_friction_holds_until_static_friction_and_then_brakes(simulated):
    """Axis 6 of the IRB 2400 (S000 Tab. 5: Fs 17.5, Fc 8.8, Fv 2.323): under 17.4 N m nothing
    moves by a bit; under 20 it ends at the speed at which Fc + Fv v is 20.
    """
    words = ("irb2400", "--q-deg", "0,20,10,0,30,0", "--torque", "held", "--duration", "1")
    record, path = simulated(*words, "--push", "6=17.4")
    _, q = states(path)
    assert (q == q[0]).all()
    assert record["lost_J"] == 0.0
    record, _ = simulated(*words, "--push", "6=20")
    assert record["axes"][5]["largest_speed_rad_s"] == pytest.approx((20 - 8.8) / 2.323, rel=2e-3)


def test_torques_of_a_file_move_the_arm_along_its_motion(simulated, tmp_path):
    """Those of pin.rnea at each millisecond, held until the next: within 0.1 deg of the motion."""
    model, data = model_of("irb1600")
    robot = irb.load("irb1600")
    start, end = robot.from_controller([[0, 20, -30, 10, 40, 0], [20, 10, -20, 30, 20, 30]])
    motion = move(start, end, "quintic", duration=0.4).sample(1000.0)
    tau = [pin.rnea(model, data, *state) for state in zip(*motion[1:4], strict=True)]
    write_motion(tmp_path / "given.csv", motion._replace(tau=np.array(tau)), robot)
    words = ("--torque", tmp_path / "given.csv", "--duration", "0.4", "--every", "100")
    t, q = states(simulated("irb1600", *words)[1])
    np.testing.assert_allclose(q, motion.q[np.round(1000 * t).astype(int)], atol=np.radians(0.1))
    later = motion._replace(t=motion.t + 5.0, tau=np.array(tau))  # as of the middle of a log
    write_motion(tmp_path / "given.csv", later, robot)
    np.testing.assert_array_equal(states(simulated("irb1600", *words)[1])[1], q)


def scara_motion(path, elbow=70):
    robot = irb.load("irb930")
    ends = robot.from_controller([[20, -60, -50, 30], [-40, elbow, -250, -60]])
    trajectory = move(*ends, duration=1.0)
    write_motion(path, trajectory.sample(250.0), robot)
    return trajectory


def test_a_law_is_sampled_and_held(simulated, tmp_path):
    """Computed torque with half the mass matrix's frequency errs as a loop written by hand: torque
    of pin.rnea every 8 ms, SciPy on pin.aba in between.
    """
    model, data = model_of("irb930")
    wanted, w = scara_motion(tmp_path / "m.csv"), 20.0
    x, worst = np.concatenate([wanted.at(0.0).q, np.zeros(4)]), np.zeros(4)
    for k in range(125):
        goal = wanted.at(0.008 * k)
        error, rate = goal.q - x[:4], goal.v - x[4:]
        worst = np.maximum(worst, np.abs(error))
        tau = pin.rnea(model, data, x[:4], x[4:], goal.a + 2.0 * w * rate + w * w * error)
        step = solve_ivp(
            lambda _, y, tau=tau: np.concatenate([y[4:], pin.aba(model, data, y[:4], y[4:], tau)]),
            (0.0, 0.008),
            x,
            rtol=1e-8,
            atol=1e-10,
        )
        x = step.y[:, -1]
    words = ("irb930", "--motion", tmp_path / "m.csv", "--law", "computed-torque")
    record, _ = simulated(*words, "--period", "8", "--frequency", "20")
    errors = np.array([one["largest_error_rad"] for one in record["axes"]])
    np.testing.assert_allclose(errors, worst, rtol=0.1, atol=1e-5)  # steps of 1 ms inside
    assert record["law"] == "computed-torque"
    assert record["work_J"] is None
    wrong, _ = simulated(*words, "--period", "8", "--model", "cad_scaled")
    assert wrong["axes"][3]["largest_error_rad"] > 5.0 * errors[3]


@pytest.mark.parametrize("law", LAW_NAMES)
def test_every_law_follows(law, simulated, tmp_path):
    """That of the TCP on one side of the singularity; the command has the names of the laws."""
    assert simulating.LAWS == LAW_NAMES
    elbow = -20 if law == "task-inverse-dynamics" else 70
    scara_motion(tmp_path / "m.csv", elbow)
    record, _ = simulated("irb930", "--motion", tmp_path / "m.csv", "--law", law)
    end = irb.load("irb930").from_controller([-40, elbow, -250, -60])
    # without the model's inertia a law lags behind at the end of the motion
    bound = {"pd-gravity": 0.03, "pid": 0.01}.get(law, 1e-3)
    np.testing.assert_allclose([one["end_rad"] for one in record["axes"]], end, atol=bound)
    if law == "task-inverse-dynamics":
        assert 0.0 < record["largest_tcp_error_m"] < 1e-3


@pytest.mark.parametrize("law", LAW_NAMES[:4])
def test_gains_have_the_frequency_that_is_asked_for(law):
    """The torque of a small error, at rest: w^2 times the inertia of Pinocchio (three times that
    of a PID, whose triple pole is at -w); of its speed 2 w (3 w).
    """
    model, data = model_of("irb930")
    robot, w, e = irb.load("irb930"), 7.0, 1e-3
    q = robot.from_controller([20, -60, -50, 30])
    M = pin.crba(model, data, q)
    inertia = M if law == "computed-torque" else np.diag(np.diag(M))
    kp, kd = (3.0, 3.0) if law == "pid" else (1.0, 2.0)
    tuned = tuned_law(law, robot, q, w)
    more = {"memory": tuned.memory, "period": 0.0} if law == "pid" else {}

    def torque(q_now, v_now):
        result = tuned.law(Measured(q_now, v_now), hold(q)(0.0), robot, **more)
        return result[0] if law == "pid" else result

    rest = torque(q, np.zeros(4))
    for i in range(4):
        step = e * np.eye(4)[i]
        # gravity of the SCARA does not depend on q
        expected = kp * w * w * inertia[:, i] * e
        tau = torque(q - step, np.zeros(4)) - rest
        np.testing.assert_allclose(tau, expected, rtol=5e-3, atol=1e-6)
        tau = torque(q, -step) - rest
        np.testing.assert_allclose(tau, kd * w * inertia[:, i] * e, rtol=5e-3, atol=1e-4)


@pytest.mark.parametrize(
    ("words", "message"),
    [
        (("--torque", "much"), "much"),
        (("--push", "9=3"), "no axis from 1 to 4"),
        (("--push", "3"), "no axis from 1 to 4"),
        (("--law", "pid"), "that follows a motion: --motion FILE"),
        (("--motion", "m.csv", "--q-deg", "0,0,0,0"), "from its first posture"),
        (("--motion", "m.csv", "--frequency", "0"), "the frequency of gains [rad/s] must be"),
        (("--motion", "m.csv", "--frequency", "2000"), "the loop may be unstable"),
        (("--torque", "m.csv"), "has no torques"),
        (("--duration", "0"), "duration must be a positive finite number, got 0.0"),
        (("--q-deg", "0,0,-320,0"), "range"),
        (("-o", "run.txt", "--figure", "x.abc"), "figure format"),
    ],
)
def test_what_cannot_be_simulated_is_refused_in_one_line(
    words, message, run, tmp_path, monkeypatch
):
    monkeypatch.chdir(tmp_path)
    scara_motion(tmp_path / "m.csv")
    code, _, err = run("simulate", "irb930", "-o", "run.csv", *words)
    assert (code, err.count("\n"), [one.name for one in tmp_path.iterdir()]) == (2, 1, ["m.csv"])
    assert message in err


def test_the_law_by_default_tracks_a_light_wrist_with_friction(run, tmp_path):
    """Axis 6 of an IRB 2400 without a tool has 3e-4 kg m^2 and sticks up to 17.5 N m (S000 Tab. 5):
    within 2 deg by default, 90 deg off by computed torque, which says so.
    """
    robot = irb.load("irb2400")
    ends = robot.from_controller([[0, 0, 0, 0, 30, 0], [40, 25, 20, 30, 45, 60]])
    write_motion(tmp_path / "m.csv", move(*ends, duration=2.0).sample(250.0), robot)
    words = ("simulate", "irb2400", "--motion", tmp_path / "m.csv")
    errors = []
    for law in ((), ("--law", "computed-torque")):
        _, out, err = run(*words, *law, "--json")
        record = json.loads(out)
        errors.append(max(np.degrees(one["largest_error_rad"]) for one in record["axes"]))
        said = next(line for line in err.splitlines() if line.startswith("largest error from"))
        assert float(said.split()[5]) == pytest.approx(errors[-1], rel=1e-3)
        assert record["law"] == (law[1] if law else "feed-forward")
    assert errors[0] < 2.0
    assert errors[1] > 30.0
    assert said.endswith("deg of axis 6")
