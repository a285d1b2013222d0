"""Figures for a paper, as matplotlib objects.

Nothing here opens a window or touches pyplot's global state.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import InputError, MissingData, UnknownName
from ..exchange.verify.check import TcpPath
from ..files import replacing
from ..model.types import Array
from ..robot.robot import Robot
from ..trajectory import Motion
from ..trajectory.torque_prediction import Prediction
from .panels import blank_figure, legend_below

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure


# One color per cause, distinguishable without color vision (Okabe-Ito), and always in this order.
COLORS = {
    "inertia": "#0072B2",
    "coriolis": "#56B4E9",
    "gravity": "#009E73",
    "friction": "#E69F00",
    "total": "#000000",
}
MEASURED = "#D55E00"


def torque_figure(prediction: Prediction, robot: Robot) -> Figure:
    """Draw torque per axis by cause, and measured torque, above position and speed.

    As S000 Figs 10-12.
    """
    motion, parts = prediction.trace
    figure = blank_figure(3.1 * robot.n, 7.5)
    grid = figure.subplots(3, robot.n, sharex=True, squeeze=False, height_ratios=[2.2, 1, 1])
    shown = robot.to_controller(motion.q)
    speed = (
        np.zeros_like(shown)
        if motion.v is None
        else np.where(robot.limits.linear, motion.v * 1e3, np.degrees(motion.v))
    )
    for i in range(robot.n):
        linear = bool(robot.limits.linear[i])
        torque, position, velocity = grid[:, i]
        if motion.tau is not None:
            torque.plot(motion.t, motion.tau[:, i], color=MEASURED, lw=1.0, label="measured")
        for name, values in zip(parts._fields, parts, strict=True):
            if name == "friction" and robot.friction_model is None:
                continue
            torque.plot(
                motion.t,
                values[:, i],
                color=COLORS[name],
                lw=1.6 if name == "total" else 1.0,
                label=name,
            )
        torque.set_title(f"axis {i + 1}")
        torque.set_ylabel("force [N]" if linear else "torque [N m]")
        position.plot(motion.t, shown[:, i], color="0.25", lw=1.2)
        position.set_ylabel("position [mm]" if linear else "position [deg]")
        velocity.plot(motion.t, speed[:, i], color="0.25", lw=1.2)
        velocity.set_ylabel("speed [mm/s]" if linear else "speed [deg/s]")
        velocity.set_xlabel("time [s]")
    tool = f" with {robot.tool.name}" if robot.tool else ""
    figure.suptitle(f"{robot.name}{tool}", fontsize="medium")
    legend_below(figure, grid[0, 0])
    return figure


def friction_figure(robot: Robot) -> Figure:
    """Draw the friction law of each axis over speed (S000 Fig. 5), measured speeds shaded.

    Raises:
        MissingData: if the robot has no friction data.
    """
    law = robot.friction_model
    if law is None:
        raise MissingData(f"{robot.name} has no friction data (nobody has published any)")
    columns = min(robot.n, 3)
    rows = -(-robot.n // columns)
    figure = blank_figure(4.2 * columns, 3.2 * rows)
    grid = figure.subplots(rows, columns, squeeze=False)
    for i, axes in enumerate(grid.ravel()[: robot.n]):
        _draw_friction(axes, robot, i)
    for axes in grid.ravel()[robot.n :]:
        axes.axis("off")
    shaded = (
        "" if law.measured_to is None else f"; shaded: measured, up to {law.measured_to:g} rad/s"
    )
    unloaded = " without load" if law.needs_load else ""
    figure.suptitle(f"{robot.name}: {law.terms} friction{unloaded}, arm side{shaded}")
    return figure


def tcp_figure(paths: dict[str, TcpPath], motion: Motion, robot: Robot) -> Figure:
    """Draw TCP position, rotation angle and velocity by several derivations, with residuals.

    As S001 Figs 11-17.
    """
    figure = blank_figure(13.0, 6.5)
    grid = figure.subplots(2, 3, sharex=True, squeeze=False, height_ratios=[2, 1])
    reference = paths["pinocchio"]
    columns: tuple[tuple[str, Callable[[TcpPath], Array]], ...] = (
        ("position [m]", lambda path: path.position),
        ("angle from the base [rad]", lambda path: path.angle[:, None]),
        ("velocity [m/s]", lambda path: path.velocity),
    )
    styles: tuple[dict[str, Any], ...] = (
        {"lw": 6.0, "alpha": 0.3},
        {"lw": 1.6},
        {"lw": 3.0, "ls": ":"},
    )  # all three stay visible on top of each other
    for (above, below), (label, values) in zip(grid.T, columns, strict=True):
        for name, style in zip(paths, styles, strict=False):
            for i, column in enumerate(values(paths[name]).T):
                axis = "xyz"[i] + " " if values(reference).shape[1] == 3 else ""
                above.plot(motion.t, column, color=f"C{i}", label=f"{axis}{name}", **style)
        for k, name in enumerate(name for name in paths if name != "pinocchio"):
            difference = np.abs(values(paths[name]) - values(reference)).max(axis=1)
            below.semilogy(
                motion.t,
                np.maximum(difference, 1e-17),
                color=f"C{k + 4}",
                lw=1.0,
                label=f"{name} - pinocchio",
            )
        above.set_ylabel(label)
        below.set_ylabel("residual")
        below.set_xlabel("time [s]")
    handles, labels = (
        above + below
        for above, below in zip(*(a.get_legend_handles_labels() for a in grid[:, 0]), strict=True)
    )
    figure.legend(
        handles, labels, loc="outside lower center", ncols=len(paths) + 1, fontsize=8, frameon=False
    )
    figure.suptitle(f"{robot.name}: the TCP at constant axis speeds (S001 section 4.2)")
    return figure


def _draw_friction(axes: Axes, robot: Robot, i: int) -> None:
    law = robot.friction_model
    if law is None:
        return
    limit, title = float(robot.limits.velocity[i]), f"axis {i + 1}"
    if not np.isfinite(limit):
        limit, title = law.measured_to or 1.0, f"{title}: speed limit unknown"
    positive = np.concatenate([[1e-6], np.geomspace(1e-4, limit, 2000)])
    speed = np.concatenate([-positive[::-1], positive])
    v = np.zeros((len(speed), robot.n))
    v[:, i] = speed
    # of a drive; its share that grows with the load is another in every posture
    torque = law.torque(v, np.zeros_like(v))[:, i]
    axes.plot(speed, torque, color=COLORS["friction"], lw=1.8)
    if law.measured_to is not None:
        axes.axvspan(-law.measured_to, law.measured_to, color="0.9", zorder=0)
    axes.axhline(0.0, color="0.7", lw=0.6)
    axes.set_title(title)
    linear = robot.limits.linear[i]
    axes.set_xlabel("speed [m/s]" if linear else "speed [rad/s]")
    axes.set_ylabel("friction [N]" if linear else "friction [N m]")
    inset = axes.inset_axes((0.6, 0.1, 0.37, 0.36))
    ahead = speed <= (10.0 * law.v_St[i] if law.falls[i] else 0.1 * speed[-1])
    near = ahead & (speed > 0.0)
    inset.plot(speed[near] * 1e3, torque[near], color=COLORS["friction"], lw=1.5)
    inset.set_title("near rest [mm/s]" if linear else "near rest [mrad/s]", fontsize=8)
    inset.tick_params(labelsize=7)


def check_format(path: str | Path) -> None:
    """Check that matplotlib can write a figure under this name, before the work that makes it.

    Raises:
        InputError: if the ending of the name is no format.
    """
    known = sorted(blank_figure(1.0, 1.0).canvas.get_supported_filetypes())
    ending = Path(path).suffix.lstrip(".").lower()
    if ending not in known:
        unknown = UnknownName("figure format", ending, known)
        raise InputError(
            f"{path}: {unknown}"
            if ending
            else f"{path}: the name of a figure ends in its format (png, pdf, svg)"
        )


def save(figure: Figure, path: str | Path) -> None:
    """Write a figure; the ending of the name decides the format (png, pdf, svg ...).

    Raises:
        InputError: if matplotlib has no such format.
        FileError: if the file cannot be written; then nothing is.
    """
    check_format(path)
    with replacing(path) as temporary:
        figure.savefig(temporary, dpi=150)
