"""The course of a simulation: stopped and resumed, driven by functions, and what goes wrong on its
way.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from simulated import posture, stribeck

import irbmodels as irb
from irbmodels.simulation import LuGre, Regularised, Run, SimulationError, simulate
from irbmodels.simulation.inputs import TorqueSource, WrenchSource
from irbmodels.simulation.mechanics import Mechanics, Stops
from irbmodels.simulation.smooth_phase import SmoothPhase
from irbmodels.simulation.world import Modes, World

# --- long runs


@pytest.mark.parametrize("method", ["DOP853", "RK45"])
def test_a_resumed_run_is_the_uninterrupted_one_to_the_bit(arm, method, tmp_path):
    """A run stopped twice, saved and resumed has the samples and events of one that was not."""
    held = arm.gravity(posture(arm))
    given = {
        "duration": 0.6,
        "torque": lambda t, q, v: held + np.array([60.0, 80, 50, 25, 45, 25]) * np.sin(8.0 * t),
        "method": method,
    }
    whole = simulate(arm, posture(arm), **given)
    part = simulate(arm, posture(arm), progress=lambda t, end: t < 0.2, **given)
    assert part.notes["stopped"].startswith("stopped at t = 0.2")
    assert 0.19 <= part.t[-1] < 0.3
    part.save(tmp_path / "part.parquet")
    part = simulate(
        arm, progress=lambda t, end: t < 0.4, resume=Run.load(tmp_path / "part.parquet"), **given
    )
    rest = simulate(arm, resume=part, **given)
    assert "stopped" not in rest.notes
    assert rest.events == whole.events
    assert rest.end == whole.end
    np.testing.assert_array_equal(rest.t, whole.t)
    np.testing.assert_array_equal(rest.q[-20:], whole.q[-20:])
    # those that were in the file in degrees
    np.testing.assert_allclose(rest.q, whole.q, rtol=1e-15)


def test_interrupting_keeps_what_is_computed(arm):
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
    reports = []
    simulate(arm, posture(arm), duration=0.3, progress=lambda *x: reports.append(x))
    times = [t for t, _ in reports]
    assert times == sorted(times)
    assert reports[-1] == (0.3, 0.3)


def test_a_bar_shows_progress(arm, monkeypatch):
    """With progress=True a bar goes from nothing to the end."""
    shown = []
    monkeypatch.setattr(
        "rich.progress.Progress.update", lambda self, task, completed: shown.append(completed)
    )
    simulate(arm, posture(arm), duration=0.3, progress=True)
    assert shown == sorted(shown)
    assert shown[-1] == 0.3


# --- going on


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (
            irb.payload(5.1, [0.0, 0.0, 0.1], 0.02 * np.eye(3)),
            "a run with payload_kg = 5.0 does not go on with payload_kg = 5.1",
        ),
        (
            irb.payload(5.0, [0.0, 0.01, 0.1], 0.02 * np.eye(3)),
            r"payload_com_m = \[0.0, 0.01, 0.1\]",
        ),
        (irb.payload(5.0, [0.0, 0.0, 0.1], 0.03 * np.eye(3)), "payload_inertia_kg_m2"),
        (None, "payload_kg = 5.0 does not go on with payload_kg = None"),
    ],
)
def test_a_run_goes_on_only_with_its_own_payload(arm, other, message, tmp_path):
    """Mass, centre of mass and inertia all have to be the same, from a file too, also after a
    switch to that payload.
    """
    loaded = arm.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1], 0.02 * np.eye(3)))
    changed, given = (
        arm.with_payload(other),
        {"duration": 0.02, "torque": arm.gravity(posture(arm))},
    )
    simulate(loaded, posture(arm), **given).save(tmp_path / "run.parquet")
    run = Run.load(tmp_path / "run.parquet")
    assert simulate(loaded, resume=run, **given | {"duration": 0.03}).t[-1] == 0.03
    with pytest.raises(irb.InputError, match=message):
        simulate(changed, resume=run, **given | {"duration": 0.03})
    switched = simulate(arm, posture(arm), switches=[(0.01, loaded)], **given)
    with pytest.raises(
        irb.InputError, match=f"after a switch at 0.01 s .*{message.removeprefix('a run with ')}"
    ):
        simulate(arm, resume=switched, switches=[(0.01, changed)], **given | {"duration": 0.03})


def test_a_run_goes_on_only_as_it_began(arm):
    """Another tool, payload, gravity, law, its numbers, stops, rebound, or other switches are
    refused with what differs.
    """
    loaded = arm.with_payload(irb.payload(5.0, [0.0, 0.0, 0.1]))
    q, law = posture(arm), arm.friction_model
    moved = replace(arm.tool, tcp=arm.tool.tcp * pin.SE3(np.eye(3), np.array([0.0, 0.0, 1e-3])))
    heavy = replace(arm.tool, load=arm.tool.load._replace(mass=1.01 * arm.tool.load.mass))
    given = {"duration": 0.1, "torque": arm.gravity(q)}
    run = simulate(arm, q, **given)
    assert simulate(arm, resume=run, **given | {"duration": 0.2}).t[-1] == 0.2
    for change, message in (
        ({"robot": irb.load("irb2400")}, "tool = 'spindle' does not go on with tool = None"),
        ({"robot": arm.with_tool(moved)}, "tool_tcp"),
        ({"robot": arm.with_tool(heavy)}, "tool_kg"),
        ({"robot": loaded}, "payload_kg"),
        ({"robot": arm.with_gravity([0, 0, -1.6])}, "gravity"),
        (
            {"friction": LuGre(law, 1e5, 100.0)},
            "friction = 'Stribeck' does not go on with friction = 'LuGre'",
        ),
        ({"friction": False}, "friction"),
        (
            {"friction": irb.Stribeck(law.Fs, law.Fc, 2.0 * law.Fv, law.v_St)},
            r"a run with Fv = \[.*\] of the friction law",
        ),
        ({"friction": irb.Stribeck(law.Fs, law.Fc, law.Fv, 1.01 * law.v_St)}, "v_St"),
        ({"stops": False}, "stops"),
        ({"rebound": 0.5}, "rebound"),
        ({"switches": [(0.05, loaded)]}, "switches"),
    ):
        with pytest.raises(irb.InputError, match=message):
            simulate(**{"robot": arm, "resume": run, **given, "duration": 0.2, **change})
    changed = simulate(arm, q, switches=[(0.05, loaded)], **given)
    for switches in ((), [(0.05, arm)], [(0.06, loaded)], [(0.01, arm), (0.05, loaded)]):
        with pytest.raises(irb.InputError, match="a run after"):
            simulate(arm, resume=changed, switches=switches, **given | {"duration": 0.2})
    on = simulate(arm, resume=changed, switches=[(0.05, loaded)], **given | {"duration": 0.2})
    assert [event.t for event in on.events if event.kind == "robot"] == [0.05]
    bristles = simulate(arm, q, friction=LuGre(law, 1e5, 100.0), **given)
    with pytest.raises(irb.InputError, match="friction"):
        simulate(arm, resume=bristles, **given | {"duration": 0.2})
    damaged = Run(run.t, run.columns, run.units, run.linear, run.events, run.notes, {"t": 0.1})
    with pytest.raises(irb.InputError, match="damaged"):
        simulate(arm, resume=damaged, **given | {"duration": 0.2})


# --- functions that drive


def pulse(t: float) -> float:
    """Twice Fs of axis 6, for 0.4 s; it passes Fs at 2.1 s and 2.3 s."""
    return 35.0 * np.sin(np.pi * (t - 2.0) / 0.4) ** 2 if 2.0 < t < 2.4 else 0.0


def test_a_load_after_a_long_rest_is_seen(arm):
    """A pulse after two seconds in which nothing moved makes the axis leave when it passes Fs,
    from a motor or the world.
    """
    held, q = arm.gravity(posture(arm)), posture(arm)
    run = simulate(
        arm, q, duration=2.5, torque=lambda t, q, v: held + np.array([0, 0, 0, 0, 0, pulse(t)])
    )
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 2.1, rtol=0, atol=1e-8)
    about = arm.jacobian(q)[3:, 5]  # axis 6
    run = simulate(
        arm,
        q,
        duration=2.5,
        torque=held,
        wrench=lambda t, pose: np.concatenate([np.zeros(3), pulse(t) * about]),
    )
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 2.1, rtol=0, atol=1e-8)


@pytest.mark.parametrize(
    "law", [lambda law: Regularised(law, 1e-3), lambda law: LuGre(law, 5e4, 100.0)]
)
def test_smooth_laws_see_a_load_after_a_long_rest(arm, law):
    """An axis with a smooth law, which had no reason for short steps, moves as far as one that
    sticks, but for its creep.
    """
    held, q = arm.gravity(posture(arm)), posture(arm)
    drive = {"duration": 2.4, "torque": lambda t, q, v: held + np.array([0, 0, 0, 0, 0, pulse(t)])}
    sticking = simulate(arm, q, **drive).q[-1, 5] - q[5]
    assert sticking > 0.1
    np.testing.assert_allclose(
        simulate(arm, q, friction=law(arm.friction_model), **drive).q[-1, 5] - q[5],
        sticking,
        rtol=0.05,
    )


@pytest.mark.parametrize("start", [1.0013, 1.0089, 1.0171])
def test_a_load_of_six_milliseconds_is_seen(slide, start):
    """Steps of 20 ms, looked at four times each, let no load beyond Fs pass that lasts 6 ms; a
    longer step may be asked for.
    """
    robot = slide()
    drive = lambda t, q, v: np.array([13.0 if start < t < start + 0.006 else 0.0])  # noqa: E731
    given = {"duration": 2.0, "torque": drive, "friction": stribeck(robot, 12.0, 12.0, 0.0, 0.1)}
    assert simulate(robot, [0.0], **given).of_axis(1, "slips")
    assert not simulate(robot, [0.0], max_step=10.0, **given).events


def test_a_function_that_asks_the_robot_is_not_lost_in_trial_steps(arm):
    """A torque that asks for gravity, which refuses absurd angles, goes through a break-away at the
    end of a long rest.
    """
    run = simulate(
        arm,
        posture(arm),
        duration=1.3,
        torque=lambda t, q, v: arm.gravity(q) + np.array([0, 0, 0, 0, 0, 17.5 * t]),
    )
    np.testing.assert_allclose(run.of_axis(6, "slips")[0].t, 1.0, rtol=2e-9)
    assert run.t[-1] == 1.3


@pytest.mark.parametrize("method", ["DOP853", "RK45", "Radau", "BDF", "LSODA"])
def test_a_failure_in_a_trial_step_is_none(slide, method):
    """A block glides freely, until a spring turns it before 1.2 m; a function that refuses 1.25 m
    changes nothing.

    Long trial steps go there. One that refuses 0.25 m fails when the block comes there, and not
    before.
    """
    robot, refused = slide(), []

    def torque(t, q, v, most=1.25):
        if q[0] > most:
            refused.append(t)
            raise ValueError("too far")
        return np.array([-4.0 - 4.0 * np.tanh(40.0 * (q[0] - 0.9))])

    given = {"friction": False, "duration": 2.0, "method": method, "max_step": 2.0}
    run = simulate(robot, [0.0], [1.5], torque=torque, **given)
    # whose error control shortens its steps before they go there
    assert refused or method == "RK45"
    free = simulate(robot, [0.0], [1.5], torque=lambda t, q, v: torque(t, q, v, np.inf), **given)
    assert 1.1 < free.q.max() < 1.2
    np.testing.assert_allclose(
        run.q, free.q, rtol=0, atol=5e-6
    )  # steps cut elsewhere: 1e-6 m at rtol 1e-6 by BDF, less by the others
    with pytest.raises(SimulationError, match="too far") as caught:
        simulate(robot, [0.0], [1.5], torque=lambda t, q, v: torque(t, q, v, 0.25), **given)
    # [s]; LSODA does not tell how far a trial step goes
    early = 1e-5 if method == "LSODA" else 1e-7
    np.testing.assert_allclose(caught.value.t, 0.25 / 1.5, rtol=0, atol=early)


def test_a_function_that_fails_from_a_time_on_names_that_time(arm):
    """However long the steps, the error has the time from which the function fails, and the samples
    until then.
    """

    def torque(t, q, v):
        if t > 0.1234:
            raise ValueError("switched off")
        return np.zeros(6)

    with pytest.raises(SimulationError, match="switched off") as caught:
        simulate(arm, posture(arm), duration=1.0, torque=torque)
    np.testing.assert_allclose(caught.value.t, 0.1234, rtol=0, atol=1e-7)
    assert caught.value.run.t[-1] == 0.12


def test_a_function_may_use_its_array_again(arm):
    """Torques are those that a function returned at each time, also if it returns one array for
    ever.
    """
    held, kept = arm.gravity(posture(arm)), np.zeros(6)

    def torque(t, q, v):
        kept[:] = held
        kept[5] += np.sin(3.0 * t)
        return kept

    run = simulate(arm, posture(arm), duration=1.0, torque=torque)
    np.testing.assert_allclose(run.tau[:, 5] - held[5], np.sin(3.0 * run.t), rtol=0, atol=1e-12)


# --- what goes wrong


@pytest.mark.parametrize(
    "torque",
    [
        lambda t, q, v: np.full(6, np.nan if t > 0.1 else 0.0),
        lambda t, q, v: [0.0] * (6 if t < 0.1 else 5),
    ],
)
def test_a_bad_torque_names_its_time_and_keeps_the_samples(arm, torque):
    """A torque that becomes NaN, or changes its shape, ends the run with the time, and the samples
    before are kept.
    """
    with pytest.raises(
        SimulationError,
        match=(
            r"at t = 0\.[12]\d* s: torque needs \(6,\) finite|at t = 0\.[12]\d* s: torque needs 6"
        ),
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


@together(
    "change, message",
    [
        ({"q": [0, 3.0, 0, 0, 0, 0]}, "out of range: axis 2"),
        (
            {"q": np.radians([0, 0, 65.0, 0, 0, 0]), "v": [0, 0, 0.1, 0, 0, 0]},
            "moves through a stop: q3 - q2",
        ),
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
        *(
            ({name: bad}, name)
            for name in ("duration", "every", "rtol", "atol", "max_step", "rebound")
            for bad in ("a", None)
        ),
        ({"torque_limit": "a"}, "torque_limit"),
        *(
            ({"switches": bad}, "switch")
            for bad in (None, [irb.load("irb930")], (0.1, irb.load("irb930")), [("a", 1)])
        ),
        ({"progress": 5}, "progress"),
        ({"robot": "irb2400"}, "needs a robot"),
        ({"resume": 5, "q": None}, "resume"),
    ],
)
def test_bad_input_is_refused_in_one_line(arm, change, message):
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


@pytest.mark.parametrize("end", [1.0, -1.0])
@pytest.mark.parametrize(
    ("load", "friction", "stop"),
    [
        (90.0, (50.0, 40.0), (50.0, -50.0)),
        (30.0, (10.0, 20.0), (10.0, -10.0)),
        (-30.0, (0.0, -30.0), (0.0, 0.0)),
    ],
)
def test_what_holds_an_arm_at_its_coupled_stop_bears_no_more_than_it_can(end, load, friction, stop):
    """Axes 2 and 3 hold, and the stop of q3 - q2: axis 3 bears Fs at most, with the sign of its
    load, and no stop pulls.
    """
    robot, n = irb.load("irb2400"), 6
    law = irb.Stribeck(
        np.full(n, [20.0, 60.0, 40.0, 10.0, 10.0, 5.0]),
        np.full(n, 4.0),
        np.full(n, 2.0),
        np.full(n, 0.02),
    )
    walls, q = Stops(robot), np.zeros(n)
    row = 2 + (n if end > 0.0 else 0)
    q[2] = robot.limits.upper[2] if end > 0.0 else robot.limits.lower[2]
    tau = robot.gravity(q) + end * load * np.eye(n)[2]
    motors, wrench = TorqueSource(robot, tau, None), WrenchSource(None)
    world = World(Mechanics(robot), law, walls, motors, wrench, 0.0)
    y = np.concatenate([q, np.zeros(n + 2)])
    modes = Modes(np.ones(n, bool), np.zeros(n), np.arange(2 * n) == row)
    acts = SmoothPhase(world, modes).release_overloaded(0.0, y).loads(0.0, y)
    np.testing.assert_allclose(acts.a, 0.0, atol=1e-9)
    np.testing.assert_allclose(acts.friction[1:3], end * np.array(friction), atol=1e-6)
    np.testing.assert_allclose(acts.stop[1:3], end * np.array(stop), atol=1e-6)
    np.testing.assert_allclose(tau - robot.gravity(q) - acts.friction + acts.stop, 0.0, atol=1e-9)
    run = simulate(robot, q, duration=0.02, torque=tau, friction=law)
    assert not run.v.any()
    assert (np.abs(run["friction"]) <= law.Fs * (1.0 + 1e-9)).all()
    assert (end * run["stop"][:, 2] <= 1e-9).all()
    np.testing.assert_allclose(
        tau - robot.gravity(q) - run["friction"] + run["stop"], 0.0, atol=1e-9
    )
