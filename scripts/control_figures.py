"""Draw the step and tracking figures of docs/howto/control on the IRB 930, and its block diagrams.

    python scripts/control_figures.py [NAME ...]

Every loop has samples of 4 ms, if nothing else is said. Dashed: the controller's model is the other
CAD set (cad_scaled), whose inertias are a third off. The IRB 930 has no friction data; where an arm
with friction is drawn, its numbers are ours.
"""

from __future__ import annotations

import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import control_diagrams
import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D

import irbmodels as irb
from irbmodels.control import (
    AdaptiveGains,
    AdaptiveMemory,
    Gains,
    Impedance,
    Measured,
    PidGains,
    PidMemory,
    adaptive,
    axis_speed,
    collision,
    computed_torque,
    feed_forward,
    follow,
    hold,
    impedance,
    pd_gravity,
    pid,
    residuals,
    run_loop,
    speed_servo,
    task_inverse_dynamics,
    tcp_along,
    tcp_error,
    tcp_hold,
    tcp_speed,
)
from irbmodels.report.figures import save
from irbmodels.robot.base_parameters import base_parameters
from irbmodels.trajectory import line, move, through

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
ROBOT, OTHER = irb.load("irb930"), irb.load("irb930", parameters="cad_scaled")
START = ROBOT.from_controller([20.0, -60.0, -50.0, 30.0])
END = ROBOT.from_controller([-40.0, 70.0, -250.0, -60.0])
STEP = START + np.array([np.radians(5.0), np.radians(-5.0), -0.010, np.radians(10.0)])
MOVE = follow(move(START, END, duration=1.0))
INERTIA = np.diag(ROBOT.mass_matrix(START))
COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7")  # Okabe-Ito, per axis
RUBBING = irb.Stribeck(
    [25.0, 12.0, 8.0, 0.02],
    [18.0, 8.0, 5.0, 0.012],
    [15.0, 6.0, 20.0, 0.004],
    [0.02, 0.02, 0.01, 0.05],
)
WRONG = "model: cad_scaled"
SHOWN = np.array([np.degrees(1.0), np.degrees(1.0), 1000.0, np.degrees(1.0)])


def panels(count: int, title: str) -> tuple[Figure, list[Axes]]:
    """Return a figure with panels side by side."""
    figure = Figure(figsize=(4.3 * count, 3.5), layout="constrained")
    axes = list(figure.subplots(1, count, squeeze=False)[0])
    figure.suptitle(title, fontsize="medium")
    for one in axes:
        one.grid(alpha=0.25, lw=0.5)
        one.set_xlabel("time [s]")
    return figure, axes


def legend(figure: Figure, *axes: Axes, dashed: str = "") -> None:
    """Put one legend below."""
    handles: dict[str, Any] = (
        {dashed: Line2D([], [], color="0.3", ls="--", lw=1.2)} if dashed else {}
    )
    for one in axes:
        for handle, label in zip(*one.get_legend_handles_labels(), strict=True):
            handles.setdefault(label, handle)
    figure.legend(
        handles.values(),
        handles.keys(),
        loc="outside lower center",
        ncols=6,
        frameon=False,
        fontsize="small",
    )


def in_axes(name: str, law: Callable[..., Any], memory: Any = None, **how: Any) -> Figure:
    """Draw step response, tracking error and torque of a law in axis positions."""
    figure, (step, track, torque) = panels(3, name)
    for model, style in ((ROBOT, "-"), (OTHER, "--")):
        run = run_loop(ROBOT, law, hold(STEP), 1.0, start=START, model=model, memory=memory, **how)
        moved = run_loop(ROBOT, law, MOVE, 1.4, model=model, memory=memory, **how)
        for i in range(4):
            label = f"axis {i + 1}" if style == "-" else None
            step.plot(
                run.t,
                (run.q[:, i] - START[i]) / (STEP[i] - START[i]),
                style,
                color=COLORS[i],
                lw=1.2,
                label=label,
            )
            track.plot(moved.t, moved["error"][:, i] * SHOWN[i], style, color=COLORS[i], lw=1.2)
            if i != 3:
                torque.plot(moved.t, moved.tau[:, i], style, color=COLORS[i], lw=1.2)
    step.axhline(1.0, color="0.6", lw=0.7)
    step.set_ylabel("step done [-]")
    track.set_ylabel("tracking error [deg, mm]")
    torque.set_ylabel("torque of axes 1, 2 [N m], 3 [N]")
    legend(figure, step, dashed=WRONG)
    return figure


def in_space(name: str, law: Callable[..., Any]) -> Figure:
    """Draw step response, tracking error and axis speeds of a law in poses of the TCP."""
    figure, (step, track, speed) = panels(3, name)
    here = ROBOT.pose(START).homogeneous
    goal, there = (
        here.copy(),
        ROBOT.pose(ROBOT.from_controller([-20.0, -60.0, -150.0, -10.0])).homogeneous,
    )
    goal[:3, 3] += [0.03, -0.04, -0.02]
    for model, style in ((ROBOT, "-"), (OTHER, "--")):
        run = run_loop(ROBOT, law, tcp_hold(goal), 1.0, start=START, model=model)
        moved = run_loop(
            ROBOT, law, tcp_along(line(here, there), 1.0), 1.4, start=START, model=model
        )
        for i in range(3):
            done = 1.0 - run["tcp_error"][:, i] / run["tcp_error"][0, i]
            step.plot(
                run.t,
                done,
                style,
                color=COLORS[i],
                lw=1.2,
                label="xyz"[i] if style == "-" else None,
            )
            track.plot(moved.t, 1000.0 * moved["tcp_error"][:, i], style, color=COLORS[i], lw=1.2)
        turn = np.degrees(moved["turn_error"][:, 2])
        track.plot(
            moved.t,
            turn,
            style,
            color=COLORS[3],
            lw=1.2,
            label="turn about z" if style == "-" else None,
        )
        for i in range(4):
            speed.plot(
                moved.t,
                moved.v[:, i] * SHOWN[i] / (10.0 if i == 2 else 1.0),
                style,
                color=COLORS[i],
                lw=1.2,
            )
    step.axhline(1.0, color="0.6", lw=0.7)
    step.set_ylabel("step done [-]")
    track.set_ylabel("tracking error [mm, deg]")
    speed.set_ylabel("speed of axes 1 to 4 [deg/s, cm/s]")
    legend(figure, step, track, dashed=WRONG)
    return figure


def draw_axis_speed() -> Figure:
    """Position loop above a speed servo."""
    return in_axes("axis_speed above speed_servo: lambda = 15/s, drives 120/s", servo)


def servo(state: Any, reference: Any, model: Any) -> Any:
    """Kinematic law in the axes, with the drive below it."""
    return speed_servo(state, axis_speed(state, reference, 15.0), model, 120.0)


def tcp_servo(state: Any, reference: Any, model: Any, near: float | None = None) -> Any:
    """Kinematic law of the TCP, with the drive below it."""
    return speed_servo(state, tcp_speed(state, reference, model, 15.0, near=near), model, 120.0)


def draw_tcp_speed() -> Figure:
    """Kinematic law of the TCP."""
    return in_space("tcp_speed above speed_servo: r = 15/s, drives 120/s", tcp_servo)


def draw_pd_gravity() -> Figure:
    """PD with gravity."""
    gains = Gains(225.0 * INERTIA, 30.0 * INERTIA)
    return in_axes("pd_gravity: right at rest, late in motion", partial(pd_gravity, gains=gains))


def draw_computed_torque() -> Figure:
    """Computed torque."""
    return in_axes(
        "computed_torque: natural frequency 20 rad/s, critically damped",
        partial(computed_torque, gains=Gains.of(20.0)),
    )


def draw_task_inverse_dynamics() -> Figure:
    """Inverse dynamics in poses."""
    law = partial(task_inverse_dynamics, gains=Gains.of(20.0))
    return in_space("task_inverse_dynamics: natural frequency 20 rad/s, critically damped", law)


def draw_pid() -> Figure:
    """PID per axis within the efforts."""
    gains = PidGains(300.0 * INERTIA, 900.0 * INERTIA, 32.0 * INERTIA, ROBOT.limits.effort)
    memory = PidMemory(ROBOT.gravity(START))
    return in_axes(
        "pid: no model, gravity in the integral at the start", partial(pid, gains=gains), memory
    )


def draw_feed_forward() -> Figure:
    """Feed-forward on an arm with friction: a step, and a motion with friction in the law and
    without.
    """
    figure, axes = panels(3, "feed_forward on an arm with friction (ours)")
    gains = Gains(225.0 * INERTIA, 30.0 * INERTIA)
    known, unknown = (
        partial(feed_forward, gains=gains, friction=friction) for friction in (RUBBING, False)
    )
    step = run_loop(ROBOT, known, hold(STEP), 1.0, start=START, friction=RUBBING)
    for i in range(4):
        axes[0].plot(
            step.t,
            (step.q[:, i] - START[i]) / (STEP[i] - START[i]),
            color=COLORS[i],
            lw=1.2,
            label=f"axis {i + 1}",
        )
    axes[0].axhline(1.0, color="0.6", lw=0.7)
    axes[0].set_title("a step: PD alone, which sticks", fontsize="small")
    axes[0].set_ylabel("step done [-]")
    for one, law, name in (
        (axes[1], known, "motion, friction in the law"),
        (axes[2], unknown, "motion, no friction in the law"),
    ):
        run = run_loop(ROBOT, law, MOVE, 1.4, friction=RUBBING)
        for i in range(4):
            one.plot(run.t, run["error"][:, i] * SHOWN[i], color=COLORS[i], lw=1.2)
        one.set_title(name, fontsize="small")
        one.set_ylabel("tracking error [deg, mm]")
    legend(figure, axes[0])
    return figure


def draw_adaptive() -> Figure:
    """What is learnt over repeated moves, from half of every parameter."""
    base = base_parameters(ROBOT)
    true = base.values(ROBOT.parameter_vector())
    gains = AdaptiveGains(
        12.0, 15.0 * INERTIA, np.array([20.0, 5.0, 2.0, 5.0, 2.0, 1e-4, 1e-4, 1e-6])
    )
    reference = follow(through([START, END] * 3 + [START], duration=1.0))
    law = partial(adaptive, gains=gains, base=base)
    figure, (step, track, learnt) = panels(3, "adaptive: starts with half of every base parameter")
    first = run_loop(ROBOT, law, hold(STEP), 1.0, start=START, memory=AdaptiveMemory(0.5 * true))
    run = run_loop(ROBOT, law, reference, 6.4, memory=AdaptiveMemory(0.5 * true))
    for i in range(4):
        done = (first.q[:, i] - START[i]) / (STEP[i] - START[i])
        step.plot(first.t, done, color=COLORS[i], lw=1.2, label=f"axis {i + 1}")
        track.plot(run.t, run["error"][:, i] * SHOWN[i], color=COLORS[i], lw=1.2)
    step.axhline(1.0, color="0.6", lw=0.7)
    step.set_ylabel("step done [-]")
    track.set_ylabel("tracking error [deg, mm]")
    for k, color in zip((0, 1, 3, 4), COLORS, strict=True):
        learnt.plot(
            run.t,
            run["memory_parameters"][:, k] / true[k],
            color=color,
            ls="-.",
            lw=1.2,
            label=base.names[k],
        )
    learnt.axhline(1.0, color="0.6", lw=0.7)
    learnt.set_ylabel("parameter over its true value [-]")
    legend(figure, step, learnt)
    return figure


def draw_observer() -> Figure:
    """Residual and true external torque under a push."""
    push, gain, threshold = (
        np.array([40.0, -30.0, 25.0, 0.0, 0.0, 0.0]),
        60.0,
        np.array([6.0, 4.0, 8.0, 0.1]),
    )
    run = run_loop(
        ROBOT,
        partial(computed_torque, gains=Gains.of(20.0)),
        MOVE,
        1.0,
        period=0.001,
        wrench=lambda t: push if 0.5 <= t < 0.75 else np.zeros(6),
    )
    residual = residuals(run.motion, ROBOT, gain)
    true = np.array(
        [
            ROBOT.jacobian(q).T @ np.r_[f, m]
            for q, f, m in zip(run.q, run["force"], run["moment"], strict=True)
        ]
    )
    hit = collision(run.t, residual, threshold)
    figure, axes = panels(
        3,
        f"momentum observer, K = {gain:g}/s: pushed from 0.5 s on, found"
        f" {1e3 * (hit.time - 0.5):.0f} ms later",
    )
    for i, one in enumerate(axes):
        one.plot(run.t, true[:, i], color="0.55", lw=2.5, label="true external torque")
        one.plot(run.t, residual[:, i], color=COLORS[i], lw=1.2, label=f"residual of axis {i + 1}")
        for sign in (-1.0, 1.0):
            one.axhline(sign * threshold[i], color="0.3", lw=0.8, ls=":", label="threshold")
        one.axvline(hit.time, color="#D55E00", lw=0.8, label="collision found")
        one.set_ylabel("force [N]" if i == 2 else "torque [N m]")
    legend(figure, *axes)
    return figure


def draw_impedance() -> Figure:
    """Answer to a push, with the arm's inertia and with one asked for."""
    push = np.array([20.0, -20.0, 20.0, 0.0, 0.0, 0.0])
    goal = tcp_hold(ROBOT.pose(START))
    stiffness, damping = np.array([800.0, 800.0, 800.0, 2.0]), np.array([160.0, 160.0, 120.0, 0.02])
    figure, (own, asked, track) = panels(
        3, "impedance: pushed with 20 N along x, -y and z from 0.1 to 1.1 s"
    )
    kinds = (
        (own, "own inertia, no force sensor", None),
        (asked, "8 kg asked for, force measured", np.array([8.0, 8.0, 8.0, 5e-3])),
    )
    for one, name, inertia in kinds:
        law = partial(impedance, wanted=Impedance(stiffness, damping, inertia))
        pushes = partial(_pushes, push)
        for model, style in ((ROBOT, "-"), (OTHER, "--")):
            run = run_loop(ROBOT, law, goal, 2.0, start=START, wrench=pushes, model=model)
            for i in range(3):
                one.plot(
                    run.t,
                    -1000.0 * run["tcp_error"][:, i],
                    style,
                    color=COLORS[i],
                    lw=1.2,
                    label="xyz"[i] if style == "-" else None,
                )
        for sign in (-1.0, 1.0):
            one.axhline(sign * 25.0, color="0.6", lw=0.7)
        one.set_title(name, fontsize="small")
        one.set_ylabel("deviation [mm]")
    here, there = (
        ROBOT.pose(START).homogeneous,
        ROBOT.pose(ROBOT.from_controller([-20.0, -60.0, -150.0, -10.0])).homogeneous,
    )
    law = partial(impedance, wanted=Impedance(stiffness, damping))
    for model, style in ((ROBOT, "-"), (OTHER, "--")):
        run = run_loop(ROBOT, law, tcp_along(line(here, there), 1.0), 1.4, start=START, model=model)
        for i in range(3):
            track.plot(run.t, -1000.0 * run["tcp_error"][:, i], style, color=COLORS[i], lw=1.2)
    track.set_title("tracking, no force", fontsize="small")
    track.set_ylabel("deviation [mm]")
    legend(figure, own, dashed=WRONG)
    return figure


def _pushes(push: np.ndarray, t: float) -> np.ndarray:
    return push if 0.1 <= t < 1.1 else np.zeros(6)


def draw_damped() -> Figure:
    """A line that leaves the reach of the arm: the exact inverse, and the damped one, as speeds
    that are followed exactly.
    """
    start, period = ROBOT.from_controller([30.0, -100.0, -100.0, 0.0]), 0.001
    here = ROBOT.pose(start).homogeneous
    there = here.copy()
    there[:2, 3] *= 1.07 / np.linalg.norm(here[:2, 3])  # the arm reaches 1.05 m
    goal = tcp_along(line(here, there), 1.0)
    figure, (speed, error, least) = panels(
        3, "tcp_speed out of reach: exact (dashed, until it is refused) and damped"
    )
    for near, style in ((None, "--"), (0.1, "-")):
        q, rows = start.copy(), []
        for t in np.arange(0.0, 1.5, period):
            state = Measured(q, np.zeros(4))
            try:
                v = tcp_speed(state, goal(t), ROBOT, 15.0, near=near)
            except irb.InputError:
                break
            if np.abs(v).max() > 100.0:
                break
            value = np.linalg.svd(ROBOT.jacobian(q), compute_uv=False)[-1]
            rows.append(
                (
                    t,
                    *np.degrees(v[:2]),
                    1e3 * np.linalg.norm(tcp_error(ROBOT.pose(q), goal(t).pose)[:3]),
                    value,
                )
            )
            q = q + period * v
        t, first, second, off, value = np.array(rows).T
        speed.plot(t, first, style, color=COLORS[0], lw=1.2, label="axis 1" if near else None)
        speed.plot(t, second, style, color=COLORS[1], lw=1.2, label="axis 2" if near else None)
        error.semilogy(t, np.maximum(off, 1e-4), style, color=COLORS[2], lw=1.2)
        least.plot(t, value, style, color=COLORS[3], lw=1.2)
    speed.set_ylim(-400.0, 800.0)
    speed.set_ylabel("speed [deg/s]")
    error.set_ylabel("distance from the reference [mm]")
    least.set_ylabel("smallest singular value")
    least.axhline(0.1, color="0.4", ls=":", lw=0.8, label="near")
    legend(figure, speed, least, dashed="exact inverse")
    return figure


FIGURES: dict[str, Callable[[], Figure]] = {
    name.removeprefix("draw_"): draw
    for name, draw in list(globals().items())
    if name.startswith("draw_")
}


def main() -> int:
    """Draw what was named, or all."""
    names = sys.argv[1:] or list(FIGURES)
    for name in names:
        path = FOLDER / f"control_{name}.png"
        save(FIGURES[name](), path)
        print(path)
    if not sys.argv[1:]:
        control_diagrams.main()
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
