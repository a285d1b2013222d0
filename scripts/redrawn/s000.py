"""S000 (Obal & Gierlak 2025) Figs 5, 8-12 and Tab. 6, for the IRB 2400 with its spindle.

The arm is simulated: true stiction, and a controller that follows the motion. Its log has encoders
of 2^20 counts per turn at the arm, 250 Hz, and torque noise of the size of the paper's own errors
(Tab. 6, RMSE). The paper prints neither its motion nor its postures; these are ours.
"""

from __future__ import annotations

import tempfile
from functools import cache
from pathlib import Path

import numpy as np

import irbmodels as irb
from irbmodels.identification.friction import (
    FrictionFit,
    coarse_grid,
    fit_friction,
    friction_plan,
    friction_points,
)
from irbmodels.identification.friction.fit import NAMES
from irbmodels.identification.recordings import (
    Recording,
    Sensors,
    simulate_log,
    simulate_tracking,
    synthetic_recording,
)
from irbmodels.trajectory import Motion, through
from irbmodels.trajectory.motion_files import open_motion, write_motion
from irbmodels.trajectory.torque_prediction import Prediction, predict

from .sheet import BLACK, BLUE, GREEN, ORANGE, RED, Array, Sheet, grid, legend, markdown, stamped

AXIS = 2  # the one of Figs 8 and 9
NEAR_ZERO = np.zeros(6)  # q2 = 0 as in the paper; where the other axes stood it does not say
CONSTANT = 0.093  # [rad/s] printed "9,3", which no IRB 2400 can do (errata 0-23)
SPEEDS = coarse_grid(1e-3, 0.5, 20)  # [rad/s] 20 in place of the 2725 of eq. 74
FIGURE_9 = 0.15  # [rad/s] how far Fig. 9 goes
MOVE_TIME, HOLD = 2.0, 0.5  # [s]
MOVING = 0.1  # [rad/s] above it the Stribeck part of every axis is gone
# leaning back with the forearm raised, where the mean torques of Tab. 6 have their size
POSTURES_DEG = (
    (0, -30, -45, 0, 40, 0),
    (45, -45, -60, 50, 25, 80),
    (-20, -25, -35, -30, 40, -40),
    (-60, -50, -55, -60, 60, 60),
    (0, -30, -45, 0, 40, 0),
)
SEED = 2025


@cache
def robot() -> irb.Robot:
    """The arm of the paper."""
    return irb.load("irb2400", tool="spindle")


@cache
def printed() -> Array:
    """Return Tab. 6 as printed: MAE, RMSE, AVG [N m] and RMSE / AVG [%] of each axis, shape ``(6,
    4)``.
    """
    validation = irb.describe("irb2400").validation
    assert validation is not None
    rows = validation.torque_accuracy.values()
    return np.array(
        [[row.MAE_N_m, row.RMSE_N_m, row.AVG_N_m, row.RMSE_over_AVG_percent] for row in rows],
        dtype=float,
    )


def sensors() -> Sensors:
    """What lies between arm and log."""
    return Sensors(counts=2.0**20, torque_noise=printed()[:, 1])


def fig5() -> Sheet:
    """Fig. 5, the friction law (eq. 54), with the numbers of axis 2 (Tab. 5): the model alone, no
    data.
    """
    law = robot().friction_model
    assert law is not None
    fine = np.linspace(0.0, 0.3, 30001)[1:]
    torque = law.torque(np.repeat(fine[:, None], 6, axis=1))
    dip, i = torque.argmin(axis=0), AXIS - 1
    figure, panels = grid(
        1, 2, "S000 Fig. 5: friction over speed, axis 2 (eq. 54, Tab. 5)", (9.5, 3.8)
    )
    v = np.concatenate([-fine[::-1], [-1e-9, 1e-9], fine])
    shown = law.torque(np.repeat(v[:, None], 6, axis=1))[:, i]
    straight = law.Fc[i] + law.Fv[i] * fine
    for panel, end in zip(panels[0], (0.15, 0.015), strict=True):
        panel.plot(v, shown, color=ORANGE, lw=1.8, label="friction")
        panel.plot(fine, straight, color="0.4", lw=0.9, ls="--", label="$F_c + F_v v$")
        panel.plot([0.0], [law.Fs[i]], "o", color=BLUE, ms=5, label="$F_s$")
        panel.plot([fine[dip[i]]], [torque[dip[i], i]], "v", color=RED, ms=5, label="least")
        panel.set(xlabel="speed [rad/s]", ylabel="friction [N m]", xlim=(-end, end))
    panels[0, 1].set(ylim=(28.0, 41.0), xlim=(0.0, 0.015))
    legend(figure, panels[0, 0])
    least = {"v_least_rad_s": fine[dip], "least_N_m": torque[dip, np.arange(6)]}
    return Sheet(
        {"Fs_N_m": law.Fs, "Fc_N_m": law.Fc, "Fv_N_m_s": law.Fv, "v_St_rad_s": law.v_St, **least},
        figure,
    )


def fig8() -> Sheet:
    """Fig. 8, axis 2 at a constant speed forwards and back: position and speed, and the motor's
    torque.
    """
    plan = friction_plan(robot(), AXIS, [CONSTANT], posture=NEAR_ZERO)
    log = synthetic_recording(robot(), plan.motion(), sensors(), seed=SEED)
    i, t = AXIS - 1, log.t
    v = np.gradient(log.q[:, i], t)
    friction = friction_points(log, AXIS, plan.speeds)
    figure, panels = grid(
        3, 1, "S000 Fig. 8: axis 2 at ±0.093 rad/s about q2 = 0", (8.5, 6.5), sharex=True
    )
    asked = plan.motion()
    assert asked.v is not None
    assert log.tau is not None
    panels[0, 0].plot(t, np.degrees(log.q[:, i]), color=BLUE, lw=1.4)
    panels[0, 0].set_ylabel("position [deg]")
    panels[1, 0].plot(t, v, color=BLUE, lw=0.8, label="of the encoder")
    panels[1, 0].plot(asked.t, asked.v[:, i], color=BLACK, lw=1.0, ls="--", label="asked for")
    panels[1, 0].set_ylabel("speed [rad/s]")
    panels[1, 0].legend(frameon=False)
    panels[2, 0].plot(t, log.tau[:, i], color=GREEN, lw=0.8)
    panels[2, 0].set(xlabel="time [s]", ylabel="torque [N m]")
    for level, name in ((friction.forward[0], "$u^+$"), (friction.backward[0], "$u^-$")):
        panels[2, 0].axhline(level, color=RED, lw=1.0, ls="--")
        panels[2, 0].annotate(
            name, (0.01, level), xycoords=("axes fraction", "data"), va="bottom", color=RED
        )
    numbers = {
        "speed_rad_s": friction.speed[0],
        "forward_N_m": friction.forward[0],
        "backward_N_m": friction.backward[0],
        "friction_eq73_N_m": friction.friction[0],
        "deviation_N_m": friction.deviation[0],
        "truth_N_m": robot().friction(friction.speed[0] * np.eye(6)[i])[i],
    }
    return Sheet(numbers, stamped(figure))


@cache
def friction_fit() -> FrictionFit:
    """Run the experiment of section 7 on axis 2, and fit eq. 54."""
    plan = friction_plan(robot(), AXIS, SPEEDS, posture=NEAR_ZERO, steady=0.6, pause=0.2)
    log = synthetic_recording(robot(), plan.motion(), sensors(), seed=SEED)
    return fit_friction(friction_points(log, AXIS, plan.speeds))


def fig9() -> Sheet:
    """Fig. 9, friction of axis 2 at many speeds (eq. 73) and the law fitted to it, with what it was
    made from.
    """
    fit, law = friction_fit(), robot().friction_model
    assert law is not None
    figure = fit.figure(FIGURE_9)
    figure.suptitle("S000 Fig. 9: friction of axis 2 and eq. 54 fitted", fontsize="medium")
    truth = np.array([law.Fs[AXIS - 1], law.Fc[AXIS - 1], law.Fv[AXIS - 1], law.v_St[AXIS - 1]])
    numbers = {
        "parameters": list(NAMES),
        "fitted": fit.values,
        "intervals_95": fit.intervals(),
        "truth": truth,
        "points": len(fit.points.speed),
        "largest_error_N_m": np.abs(
            fit.torque(SPEEDS) - law.torque(np.repeat(SPEEDS[:, None], 6, 1))[:, AXIS - 1]
        ).max(),
    }
    return Sheet(numbers, stamped(figure))


@cache
def validation() -> tuple[Prediction, Prediction, Recording]:
    """Return the model along the log of the motion, along the same log without noise, and the
    log.
    """
    arm = robot()
    stops = [arm.from_controller(posture) for posture in POSTURES_DEG]
    moved = through(stops, duration=MOVE_TIME)
    held = Motion.joined([moved.sample(500.0), _still(stops[-1], moved.duration)])
    run = simulate_tracking(arm, held)
    logs = [simulate_log(run, chosen, SEED) for chosen in (sensors(), Sensors())]
    with tempfile.TemporaryDirectory() as folder:
        predictions = []
        for number, log in enumerate(logs):
            path = Path(folder) / f"{number}.csv"
            write_motion(path, log.motion, arm)
            predictions.append(predict(open_motion(path, arm)))
    return predictions[0], predictions[1], logs[0]


def _still(q: Array, start: float) -> Motion:
    t = start + np.arange(1, int(HOLD * 500.0) + 1) / 500.0
    return Motion(t, np.tile(q, (len(t), 1)), np.zeros((len(t), 6)), np.zeros((len(t), 6)))


def fig10() -> Sheet:
    """Fig. 10, positions and speeds of axes 1 to 3 that the model is fed with."""
    return _inputs(10, (0, 1, 2))


def fig11() -> Sheet:
    """Fig. 11, the same of axes 4 to 6."""
    return _inputs(11, (3, 4, 5))


def _inputs(number: int, axes: tuple[int, ...]) -> Sheet:
    prediction, _, log = validation()
    motion = prediction.trace.motion
    assert motion.v is not None
    first, last = axes[0] + 1, axes[-1] + 1
    title = f"S000 Fig. {number}: positions and speeds of axes {first} to {last}"
    figure, panels = grid(2, 3, title, (11.0, 5.0), sharex=True)
    for column, i in enumerate(axes):
        panels[0, column].plot(log.t, np.degrees(log.q[:, i]), color=BLUE, lw=1.4)
        panels[1, column].plot(motion.t, motion.v[:, i], color=BLUE, lw=1.2)
        panels[0, column].set(title=f"axis {i + 1}", ylabel="position [deg]")
        panels[1, column].set(xlabel="time [s]", ylabel="speed [rad/s]")
    kept = list(axes)
    numbers = {
        "fastest_rad_s": np.abs(motion.v[:, kept]).max(axis=0),
        "stroke_rad": np.ptp(log.q[:, kept], axis=0),
    }
    return Sheet(numbers, stamped(figure))


def fig12() -> Sheet:
    """Fig. 12, torques of the model and of the log, axes 1 to 6."""
    prediction, _, _ = validation()
    motion, parts = prediction.trace
    assert motion.tau is not None
    assert prediction.accuracy is not None
    figure, panels = grid(
        2, 3, "S000 Fig. 12: torque of the model and as logged", (11.5, 6.0), sharex=True
    )
    for i, panel in enumerate(panels.ravel()):
        panel.plot(motion.t, motion.tau[:, i], color=RED, lw=0.7, label="logged")
        panel.plot(motion.t, parts.total[:, i], color=BLACK, lw=1.1, label="model")
        panel.set(title=f"axis {i + 1}", ylabel="torque [N m]")
    for panel in panels[-1]:
        panel.set_xlabel("time [s]")
    legend(figure, panels[0, 0])
    return Sheet({"RMSE_N_m": prediction.accuracy.rmse}, stamped(figure))


def accuracy(prediction: Prediction, moving: bool = False) -> Array:
    """MAE, RMSE, AVG and RMSE / AVG (eq. 75-77, with the square inside the sum) of each axis, shape
    ``(6, 4)``.


    Over all samples, or over those in which the axis moves.
    """
    motion, parts = prediction.trace
    assert motion.v is not None
    assert motion.tau is not None
    kept = np.abs(motion.v) > MOVING if moving else np.ones_like(motion.v, dtype=bool)
    error = np.where(kept, parts.total - motion.tau, np.nan)
    average = np.nanmean(np.where(kept, np.abs(motion.tau), np.nan), axis=0)
    rmse = np.sqrt(np.nanmean(np.square(error), axis=0))
    return np.stack(
        [np.nanmean(np.abs(error), axis=0), rmse, average, 100.0 * rmse / average], axis=1
    )


def tab6() -> Sheet:
    """Tab. 6, MAE, RMSE, AVG and RMSE / AVG (eq. 75-77): as printed, of all samples, and where the
    axis moves.
    """
    noisy, exact, _ = validation()
    whole, moved = accuracy(noisy), accuracy(noisy, moving=True)
    without = [accuracy(exact, moving)[:, 1] for moving in (False, True)]
    heads = [
        f"{of} {what}"
        for of in ("printed", "all", "moving")
        for what in ("MAE", "RMSE", "AVG", "RMSE/AVG [%]")
    ]
    heads = ["axis", *heads, "all RMSE without noise", "moving RMSE without noise"]
    rows = [
        [i + 1, *printed()[i], *whole[i], *moved[i], without[0][i], without[1][i]] for i in range(6)
    ]
    numbers = {
        "columns": ["MAE_N_m", "RMSE_N_m", "AVG_N_m", "RMSE_over_AVG_percent"],
        "printed": printed(),
        "all_samples": whole,
        "moving": moved,
        "RMSE_without_noise_N_m": {"all_samples": without[0], "moving": without[1]},
        "MAE_over_RMSE": {
            "printed": printed()[:, 0] / printed()[:, 1],
            "moving": moved[:, 0] / moved[:, 1],
        },
    }
    return Sheet(numbers, table=markdown(heads, rows))
