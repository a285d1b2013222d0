import re
from dataclasses import replace

import numpy as np
import pytest
import scipy.linalg
import scipy.signal
from grouped import together
from misuse import refused_in_one_line
from two_masses import Joint, N, axis_of, recorded, sines, step_map

import irbmodels as irb
from irbmodels.errors import InputError
from irbmodels.identification.flexible import FlexibleFit, OneAxisData, flexible_fit
from irbmodels.identification.flexible import model as linear_model
from irbmodels.identification.flexible.search import Problem
from irbmodels.simulation.flexible import Drive, FlexibleRobot, LinearModel, OneAxis, identified
from irbmodels.trajectory import Motion

STEP = 0.002  # [s], S003: 500 Hz
S003 = Joint()
FULL = Joint(8e-4, 7.0, 9e4, 0.02, 25.0, 12.0, -100.0)  # every number there, and the gear reverses
ALL = ("Jm", "Ja", "k", "fm", "d", "fa")


def data_of(joint, torque, states, *, noise=None, hold="zero", arm=None, **more):
    t = STEP * np.arange(len(torque))
    speed = states[:, 1] + (0.0 if noise is None else noise)
    return OneAxisData(
        t, torque, speed, joint.n, hold=hold, synthetic=True, **({} if arm is None else arm), **more
    )


def off(fit, joint):
    return fit.values / [getattr(joint, name) for name in fit.names] - 1.0


def hits_and_scores(fits):
    """Number of 95 % intervals that hold S003's parameters, and errors in deviations."""
    true = np.array(S003[:4])
    low, high = np.array([fit.intervals() for fit in fits]).transpose(2, 0, 1)
    scores = [(fit.values - true) / fit.deviation for fit in fits]
    return ((low < true) & (true < high)).sum(axis=0), np.array(scores)


@pytest.fixture(scope="module")
def s003():
    """Torques of 5 s, and the states that S003's axis has under them."""
    torque = sines(2500, STEP)
    return torque, recorded(S003, torque, STEP)[:, :, 0]


@pytest.fixture(scope="module")
def short():
    """The same of 2.5 s, for many fits."""
    torque = sines(1250, STEP)
    return torque, recorded(S003, torque, STEP)[:, :, 0]


@pytest.fixture(scope="module")
def noisy(s003):
    """Data with noise, and their fit."""
    torque, states = s003
    noise = 0.5 * np.random.default_rng(4).standard_normal(len(torque))
    data = data_of(S003, torque, states, noise=noise)
    return data, flexible_fit(data)


@pytest.mark.parametrize("hold", ["zero", "linear"])
@pytest.mark.parametrize(
    "how", [{}, {"highpass": 2.5, "start": 0.3, "end": 0.2}, {"highpass": 4.0, "order": 5}]
)
def test_exact_data_give_table_3_1_back(hold, how):
    """Table 3.1 comes back from samples without noise, whatever was filtered, trimmed and centred.

    Asked for are 1e-6; 1e-8 is a hundred times what the ODE solver leaves.
    """
    torque = sines(1500, STEP) + 0.4  # with a mean, which means of the speed do not undo at once
    data = data_of(
        S003, torque, recorded(S003, torque, STEP, hold=hold)[:, :, 0], hold=hold
    ).prepared(**how)
    fit = flexible_fit(data, starts=2)
    np.testing.assert_allclose(off(fit, S003), 0.0, atol=1e-8)
    assert fit.percentage()[0] > 99.999
    np.testing.assert_allclose(
        [fit.antiresonance.value, fit.resonance.value], S003.frequencies, rtol=1e-8
    )


@pytest.mark.parametrize("wrong", ["zero", "linear"])
def test_the_hold_matters(wrong):
    """Data fitted with the other hold give Jm wrong by more than 0.5 %."""
    right = {"zero": "linear", "linear": "zero"}[wrong]
    torque = sines(1500, STEP)
    data = data_of(S003, torque, recorded(S003, torque, STEP, hold=right)[:, :, 0], hold=wrong)
    assert abs(off(flexible_fit(data, axis_of(S003)), S003)[0]) > 0.005


def test_all_six_parameters_come_back():
    """Damping of the gear and friction of the link too, with a gear that reverses."""
    torque = sines(2000, STEP)
    data = data_of(FULL, torque, recorded(FULL, torque, STEP)[:, :, 0])
    fit = flexible_fit(data, estimate=ALL, starts=2)
    assert fit.names == ALL
    # friction of motor and link are hard to tell apart
    np.testing.assert_allclose(off(fit, FULL), 0.0, atol=1e-6)
    assert fit.axis.drive.gear_ratio == -100.0


@pytest.mark.parametrize(
    "joint",
    [Joint(1e-3, 30.0, 30.0 * 50.0**2, 0.01), Joint(4e-4, 0.8, 0.8 * 350.0**2, 0.004, n=60.0)],
)
def test_other_axes_are_found_without_a_first_guess(joint):
    """Antiresonances of 8 and 56 Hz, resonances far above and near, amid noise of 2 % of the
    speed.
    """
    torque = sines(4000, STEP, high=110.0)
    states = recorded(joint, torque, STEP)[:, :, 0]
    noise = 0.02 * states[:, 1].std() * np.random.default_rng(3).standard_normal(4000)
    fit = flexible_fit(data_of(joint, torque, states, noise=noise))
    np.testing.assert_allclose(
        [fit.antiresonance.value, fit.resonance.value], joint.frequencies, rtol=0.01
    )
    assert (np.abs(off(fit, joint)) < 5.0 * fit.deviation / fit.values).all()


@pytest.mark.parametrize("how", [{}, {"highpass": 2.5, "start": 0.5}])
def test_intervals_of_output_error_hold_the_truth(short, how):
    """Of 60 intervals for 95 % at least 51 hold the truth (a right one has fewer once in 1000);
    deviations are not too wide.
    """
    torque, states = short
    rng = np.random.default_rng(11)
    noises = 0.5 * rng.standard_normal((60, len(torque)))
    logs = [data_of(S003, torque, states, noise=noise).prepared(**how) for noise in noises]
    hits, scores = hits_and_scores([flexible_fit(log, axis_of(S003)) for log in logs])
    assert (hits >= 51).all(), hits
    spread = np.std(scores, axis=0)
    # 1 but for chance, 0.09; and a little less, since an AR model of a high-pass is cautious
    assert ((spread > 0.75) & (spread < 1.3)).all()


def test_coloured_noise_widens_deviations_as_it_should(short):
    """Noise that neighbouring samples share: deviations match the scatter of 40 fits, which those
    for white noise miss twice.
    """
    torque, states = short
    rng = np.random.default_rng(12)
    fits = []
    for _ in range(40):
        noise = scipy.signal.lfilter([0.15], [1.0, -1.6, 0.7], rng.standard_normal(len(torque)))
        fits.append(flexible_fit(data_of(S003, torque, states, noise=noise), axis_of(S003)))
    white = []
    for fit in fits[:3]:
        shuffled = fit.simulated()[:, 0] + rng.permutation(fit.residual[:, 0])
        white.append(flexible_fit(replace(fit.data, speed=shuffled), fit.axis).deviation)
    scatter = np.std([fit.values for fit in fits], axis=0, ddof=1)
    ratio = np.mean([fit.deviation for fit in fits], axis=0) / scatter
    # 40 fits know their scatter to 11 %; 1.4 is three times that
    assert (np.abs(np.log(ratio)) < np.log(1.4)).all(), ratio
    assert (scatter > 1.5 * np.mean(white, axis=0)).any()


def disturbed(count, repeats, seed):
    rng = np.random.default_rng(seed)
    torque = sines(count, STEP)
    disturbance, push = (size * rng.standard_normal((count, repeats)) for size in (0.1, 3.0))
    states = recorded(S003, torque, STEP, disturbance=disturbance, push=push)
    return torque, states, 0.5 * rng.standard_normal((count, repeats))


def test_prediction_error_is_sure_where_torques_disturb_the_arm():
    """Of 20 intervals for 95 % at least 15 hold the truth (a right one has fewer once in 3000)
    under unseen torques.
    """
    torque, states, noise = disturbed(1250, 20, 5)
    logs = [data_of(S003, torque, states[:, :, i], noise=noise[:, i]) for i in range(20)]
    fits = [flexible_fit(log, axis_of(S003), method="prediction-error") for log in logs]
    assert min(fit.whiteness().p for fit in fits) > 1e-4
    hits, scores = hits_and_scores(fits)
    assert (hits >= 15).all()
    assert (np.std(scores, axis=0) > 0.55).all()  # 1 but for chance, 0.16


def test_gain_is_that_of_the_kalman_filter():
    """The estimated gain is the one that Riccati's equation has for the noise that was added."""
    torque, states, noise = disturbed(12000, 1, 6)
    fit = flexible_fit(
        data_of(S003, torque, states[:, :, 0], noise=noise[:, 0]),
        axis_of(S003),
        method="prediction-error",
    )
    free, driven = step_map(S003, STEP)
    # motor speed, link speed, deflection
    to = np.array([[0, 1, 0, 0], [0, 0, 0, 1], [1 / N, 0, -1, 0]])
    back = np.linalg.pinv(to)
    A, G, C = to @ free @ back, to @ driven @ np.diag([0.1, 3.0]), np.array([[1.0, 0.0, 0.0]])
    P = scipy.linalg.solve_discrete_are(A.T, C.T, G @ G.T, np.array([[0.25]]))
    gain = A @ P @ C.T / (C @ P @ C.T + 0.25)
    error = np.abs(fit.gain - gain)[:, 0]
    # four times the scatter of 12 such fits; gain: 0.456, -3e-5, 3.5e-6
    assert (error < [0.025, 5e-4, 2.8e-6]).all()
    # 1 / sqrt(2 N) is 0.0065
    assert fit.noise[0] == pytest.approx(np.sqrt((C @ P @ C.T + 0.25).item()), rel=0.03)


def test_feedback_biases_output_error_but_not_prediction_error():
    """Where a controller feeds white disturbances back, output error is off by far more than it
    says, prediction error is not.
    """
    rng = np.random.default_rng(8)
    count, free, driven = 6000, *step_map(S003, STEP)
    wanted, push = sines(count, STEP, amplitude=0.08), 50.0 * rng.standard_normal(count)
    x, torque, seen = np.zeros(4), np.zeros(count), np.zeros(count)
    for i in range(count):
        seen[i] = x[1] + 0.1 * rng.standard_normal()
        torque[i] = wanted[i] - 0.05 * seen[i]
        x = free @ x + driven @ [torque[i], push[i]]
    data = OneAxisData(STEP * np.arange(count), torque, seen, N)
    output, prediction = (
        flexible_fit(data, axis_of(S003), method=m) for m in ("output-error", "prediction-error")
    )
    assert (np.abs(off(prediction, S003)) < 4.0 * prediction.deviation / prediction.values).all()
    assert np.abs(off(output, S003) * output.values / output.deviation).max() > 6.0
    problem = Problem(data, prediction.axis, prediction.names, np.ones(1))
    gain = prediction.gain / problem.scale[:, None]
    slopes = problem.jacobian(
        np.concatenate([np.log(prediction.values[:3]), prediction.values[3:], gain.ravel()])
    )
    # of parameters and gain, which feedback entangles
    whole = prediction.noise[0] ** 2 * np.linalg.inv(slopes.T @ slopes)
    alone = prediction.noise[0] ** 2 * np.linalg.inv(slopes[:, :4].T @ slopes[:, :4])
    np.testing.assert_allclose(
        np.diagonal(prediction.covariance), np.diagonal(whole)[:4], rtol=0.02
    )
    assert (np.diagonal(whole)[:4] > 1.1 * np.diagonal(alone)).any()


@pytest.mark.parametrize("sensor", ["arm_speed", "arm_acceleration"])
def test_a_sensor_on_the_arm_is_a_second_output(s003, sensor):
    """Exact samples of both give Table 3.1 back; with noise, the sensor makes Ja surer, and weights
    are the noise of each.
    """
    torque, states = s003
    seen = {"arm_speed": states[:, 3], "arm_acceleration": S003.rates(states.T, torque)[3]}[sensor]
    # a constant offset is no matter
    fit = flexible_fit(data_of(S003, torque, states, arm={sensor: seen + 0.3}), starts=1)
    np.testing.assert_allclose(off(fit, S003), 0.0, atol=1e-8)
    rng = np.random.default_rng(2)
    noise, level = 0.5 * rng.standard_normal(len(torque)), 0.02 * seen.std()
    alone = flexible_fit(data_of(S003, torque, states, noise=noise), axis_of(S003))
    arm = {sensor: seen + level * rng.standard_normal(len(torque))}
    both = flexible_fit(data_of(S003, torque, states, noise=noise, arm=arm), axis_of(S003))
    assert both.deviation[1] < 0.9 * alone.deviation[1]
    np.testing.assert_allclose(both.noise, [0.5, level], rtol=0.06)  # 1 / sqrt(2 N) is 0.014
    np.testing.assert_allclose(both.residual.std(axis=0), both.noise, rtol=0.01)
    again = flexible_fit(both.data, both.axis, passes=1)
    # weights are those of the noise, whatever the start
    np.testing.assert_allclose(again.values, both.values, rtol=1e-3)
    np.testing.assert_allclose(again.deviation, both.deviation, rtol=1e-2)
    assert (np.abs(off(both, S003)) < 4.0 * both.deviation / both.values).all()


def test_prediction_error_takes_a_sensor_too():
    torque, states, noise = disturbed(2500, 1, 9)
    data = data_of(
        S003,
        torque,
        states[:, :, 0],
        noise=noise[:, 0],
        arm={"arm_speed": states[:, 3, 0] + 0.02 * noise[::-1, 0]},
    )
    fit = flexible_fit(data, axis_of(S003), method="prediction-error")
    assert fit.gain.shape == (3, 2)
    assert (np.abs(off(fit, S003)) < 4.0 * fit.deviation / fit.values).all()


def test_a_simulated_arm_is_identified():
    """FlexibleRobot.simulate with torques held for 2 ms, read by of_run: Table 3.1 comes back to
    1e-6 (its rtol is 1e-8).
    """
    axis = identified(irb.load("irb1400"))
    torque = N * sines(300, STEP)[:, None]
    samples = Motion(STEP * np.arange(300), np.zeros((300, 1)), None, None, torque)
    run = one_axis_arm(axis).simulate([0.0], duration=299 * STEP, torque=samples, every=STEP)
    data = OneAxisData.of_run(run, 1, N, arm=True)
    assert data.synthetic
    np.testing.assert_allclose(data.torque, torque[:299, 0] / N, atol=1e-12)
    np.testing.assert_allclose(data.arm_speed, run.v[:299, 0])
    np.testing.assert_allclose(data.angle, N * run["theta"][:299, 0])
    np.testing.assert_allclose(
        off(flexible_fit(replace(data, arm_speed=None), axis), S003), 0.0, atol=1e-6
    )
    with pytest.raises(InputError, match="axis of this run must be a whole number, 1 to 1, got 2"):
        OneAxisData.of_run(run, 2, N)


def one_axis_arm(axis):
    text = f"""<robot name="one"><link name="base"/><link name="arm"><inertial><mass value="1"/>
    <inertia ixx="1" iyy="{axis.inertia}" izz="{axis.inertia}" ixy="0" ixz="0" iyz="0"/></inertial></link>
    <joint name="a" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""
    from irbmodels.robot.robot import from_urdf_text

    return FlexibleRobot(from_urdf_text(text, "one.urdf"), [axis.drive], False)


def test_what_is_known_need_not_be_estimated(noisy):
    """With the rotor's inertia of a data sheet the other parameters are found, and surer."""
    data, free = noisy
    held = flexible_fit(data, axis_of(S003), estimate=("k", "fm", "Ja"))
    assert held.names == ("Ja", "k", "fm")
    assert held.axis.drive.rotor_inertia == S003.Jm
    assert (held.deviation < free.deviation[1:]).all()
    assert (np.abs(off(held, S003)) < 4.0 * held.deviation / held.values).all()


def test_deviations_of_resonances_are_those_of_the_parameters(noisy):
    """Delta method against parameters drawn from their covariance."""
    _, fit = noisy
    drawn = np.random.default_rng(0).multivariate_normal(np.zeros(4), fit.covariance, 4000)
    Jm, Ja, k = (fit.values[:3] * np.exp(drawn[:, :3])).T
    dip, peak = Joint(Jm, Ja, k).frequencies
    # 1 / sqrt(2 * 4000) is 0.011
    assert fit.antiresonance.deviation == pytest.approx(dip.std(), rel=0.05)
    assert fit.resonance.deviation == pytest.approx(peak.std(), rel=0.05)
    apart = np.linalg.norm(fit.deviation[1:3] / fit.values[1:3]) / 2.0 * fit.antiresonance.value
    # Ja and k err together: taken apart they would say much less
    assert fit.antiresonance.deviation < 0.5 * apart
    size = np.sqrt(np.diagonal(fit.covariance))
    np.testing.assert_allclose(fit.deviation, size * [*fit.values[:3], 1.0])
    np.testing.assert_allclose(np.diagonal(fit.correlation), 1.0)
    low, high = fit.intervals(0.6826894921370859).T
    np.testing.assert_allclose(np.log(high[:3] / low[:3]) / 2.0, size[:3], rtol=1e-6)
    assert high[3] - low[3] == pytest.approx(2.0 * size[3], rel=1e-6)


def test_percentage_is_of_the_simulated_speed(s003):
    """100 (1 - |y - y_model| / |y - mean|) on other data; prediction error is judged by its
    simulation too.
    """
    torque, states = s003
    noise = 2.0 * np.random.default_rng(5).standard_normal(len(torque))
    estimation, validation = data_of(S003, torque, states, noise=noise).split(0.6)
    for method in ("output-error", "prediction-error"):
        fit = flexible_fit(estimation, axis_of(S003), method=method)
        y, model = validation.speed, fit.simulated(validation)[:, 0]
        expected = 100.0 * (1.0 - np.linalg.norm(y - model) / np.linalg.norm(y - y.mean()))
        assert fit.percentage(validation)[0] == pytest.approx(expected)
        assert np.std(y - model) == pytest.approx(2.0, rel=0.1)
        assert (fit.percentage() == fit.percentage(estimation)).all()
    with pytest.raises(InputError, match="gear ratio 118"):
        fit.percentage(replace(validation, gear_ratio=100.0))


def printed(Jm, Ja, k, fm):
    """S003's model with three states as it is printed."""
    A = np.array([[-fm / Jm, 0.0, -k / Jm], [0.0, 0.0, -k / Ja], [1.0 / N, -1.0, 0.0]])
    return LinearModel(
        A, np.array([[1.0 / Jm], [0.0], [0.0]]), np.array([[1.0, 0.0, 0.0]]), np.zeros((1, 1))
    )


def test_the_printed_model_fits_nothing(s003):
    """A23 = -k/Ja is unstable with Table 3.1 (+74.47) and whatever the parameters, and is refused;
    the corrected one fits.
    """
    torque, states = s003
    data = data_of(S003, torque, states)
    table = printed(5.9e-4, 5.2e-2, 677.2, 1.3e-2)
    assert table.poles.real.max() == pytest.approx(74.47, abs=0.005)
    with pytest.raises(InputError, match=r"unstable: its pole at \+74.47 1/s"):
        linear_model.simulate(table, data, data.measured)
    rng = np.random.default_rng(0)
    for factors in np.exp(rng.normal(0.0, 3.0, (200, 4))):
        assert printed(*(factors * [5.9e-4, 5.2e-2, 677.2, 1.3e-2])).poles.real.max() > 0.0
    table.A[1, 2] *= -1.0
    assert (
        linear_model.fit_percentages(
            linear_model.simulate(table, data, data.measured), data.measured
        )[0]
        > 99.9999
    )


def test_derivatives_are_those_of_differences():
    """Of what the sampled predictor says, with respect to every parameter and entry of the gain, by
    central differences.
    """
    torque = sines(200, STEP)
    outputs = ("speed", "arm_speed", "arm_acceleration")
    rng = np.random.default_rng(0)
    for hold in ("zero", "linear"):
        data = data_of(FULL, torque, rng.standard_normal((200, 2)), hold=hold)
        # outputs of a state of size 1
        gain = 0.002 * rng.standard_normal((3, 3)) / [1024.0, 16.0, 1600.0]
        values = np.array([*np.log(FULL[:3]), FULL.fm, FULL.d, FULL.fa, *gain.ravel()])
        scale = linear_model.state_scale(linear_model.output_model(axis_of(FULL), outputs))
        inputs = np.hstack([linear_model.inputs_of(data), rng.standard_normal((200, 3))])

        def predicted(x, data=data, inputs=inputs, scale=scale):
            axis = linear_model.axis_of(
                dict(zip(ALL, [*np.exp(x[:3]), *x[3:6]], strict=True)), FULL.n
            )
            model = linear_model.output_model(axis, outputs)
            system = linear_model.with_predictor_gain(
                linear_model.discretize(
                    model, linear_model.model_derivatives(axis, model, outputs, ALL), data, scale
                ),
                x[6:].reshape(3, 3),
            )
            assert linear_model.is_stable(system)
            rows, slopes = linear_model.markov_parameters(system, 200)
            y = linear_model.forced_response(rows, system.B, inputs)
            return y, np.array(
                [
                    linear_model.forced_response(s, system.B, inputs)
                    + linear_model.forced_response(rows, b, inputs)
                    for s, b in zip(slopes, system.slopes.B, strict=True)
                ]
            )

        _, slopes = predicted(values)
        for i, value in enumerate(values):
            h = 1e-5 * max(abs(value), 1e-4)
            ahead, back = (
                predicted(values + sign * h * np.eye(values.size)[i])[0] for sign in (1, -1)
            )
            expected = (ahead - back) / (2.0 * h)
            # of differences of second order
            np.testing.assert_allclose(slopes[i], expected, atol=2e-6 * np.abs(expected).max())


def test_what_is_not_excited_is_a_finding():
    """Below the antiresonance only the whole inertia is determined; between both resonances k / Ja
    too; above nothing is missing.
    """
    fits = []
    for high in (12.0, 21.0, 60.0):
        torque = sines(4000, STEP, high=high, amplitude=0.2)
        states = recorded(S003, torque, STEP)[:, :, 0]
        noise = 0.2 * np.random.default_rng(7).standard_normal(4000)
        fits.append(flexible_fit(data_of(S003, torque, states, noise=noise), axis_of(S003)))
    low, middle, full = ("; ".join(fit.findings) for fit in fits)
    assert re.search("below the antiresonance .*inertia of motor and link together", low)
    assert "between antiresonance and resonance" in middle
    assert not full
    whole = [fit.values[0] + fit.values[1] / N**2 for fit in fits]
    np.testing.assert_allclose(whole, S003.Jm + S003.Ja / N**2, rtol=0.01)
    relative = [fit.deviation[0] / fit.values[0] for fit in fits]
    assert relative[0] > 10.0 * relative[2]


def test_friction_that_is_not_there_ends_at_its_bound(s003):
    """Damping of the gear that does not exist is found as 0 or within its deviation, never below 0,
    and a bound is said.
    """
    torque, states = s003
    at_bound = 0
    for seed in range(6):
        noise = 0.5 * np.random.default_rng(seed).standard_normal(len(torque))
        fit = flexible_fit(
            data_of(S003, torque, states, noise=noise), axis_of(S003), estimate=(*ALL[:4], "d")
        )
        assert 0.0 <= fit.values[4] < 4.0 * fit.deviation[4]
        at_zero = any(line.startswith("d ended at its bound") for line in fit.findings)
        assert at_zero == (fit.values[4] < 1e-3 * fit.deviation[4])
        at_bound += at_zero
    assert at_bound >= 1


def test_one_sine_does_not_determine_four_parameters():
    """Amplitude and phase are two numbers: the message names what cannot be separated."""
    torque = 2.0 * np.sin(2.0 * np.pi * 10.0 * STEP * np.arange(4000))
    data = data_of(S003, torque, recorded(S003, torque, STEP)[:, :, 0])
    with pytest.raises(InputError, match="cannot separate: Jm, Ja"):
        flexible_fit(data.prepared(start=6.0), axis_of(S003))  # the transient, exp(-28), is gone


def test_report_has_every_result(noisy):
    _, fit = noisy
    lines = fit.report().splitlines()
    assert "output-error fit of 2500 samples (synthetic data); simulated: speed 97" in lines[0]
    names = "Jm Ja k fm antiresonance resonance"
    assert " ".join(line.split()[0] for line in lines[1:7]) == names
    assert fit.units == ("kg m^2", "kg m^2", "N m/rad", "N m s/rad")
    assert fit.agreeing[0] >= 2
    assert repr(fit).startswith("<FlexibleFit, output-error: Jm=0.00059")
    assert fit.axis.drive.grade == "identified"
    assert isinstance(fit, FlexibleFit)


@together(
    "options, message",
    [
        ({"estimate": ("Jm", "J")}, "no parameter 'J'"),
        ({"estimate": ()}, "at least one"),
        ({"estimate": ("k", "k")}, "different names"),
        ({"estimate": ("Ja", "k", "fm")}, "Jm would not be estimated: give initial"),
        ({"method": "pem"}, "no method 'pem'"),
        ({"starts": 0}, "starts must be a whole number, at least 1, got 0"),
        ({"passes": 1.5}, "passes must be a whole number, at least 1, got 1.5"),
        ({"initial": OneAxis(Drive(8e4, 6e-4, 100.0), 6.0)}, "gear ratio of the data, 118.462"),
        ({"initial": {"k": 1.0}}, "initial is an OneAxis"),
    ],
)
def test_bad_requests_are_one_clear_line(noisy, options, message):
    refused_in_one_line(lambda: flexible_fit(noisy[0], **options), message)


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda data, fit: flexible_fit(data.torque), "takes OneAxisData, not an array of shape"),
        (
            lambda data, fit: flexible_fit(replace(data, torque=-data.torque)),
            "torque and speed have opposite signs",
        ),
        (lambda data, fit: fit.intervals(95), "between 0 and 1"),
    ],
)
def test_bad_data_are_refused(noisy, call, message):
    refused_in_one_line(lambda: call(*noisy), message)
