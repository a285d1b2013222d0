"""Figures of elastic joints, as matplotlib objects."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import ArrayLike

from ...checks import as_instance, as_int, as_list, short_repr
from ...errors import InputError
from ...model.tree import UNLIMITED
from ...model.types import Array
from .linear import OneAxis
from .modes import MotorState
from .robot import FlexibleRobot

if TYPE_CHECKING:
    from matplotlib.figure import Figure


_BLUE, _ORANGE, _GREEN = "#0072B2", "#D55E00", "#009E73"  # Okabe-Ito


def bode_figure(axis: OneAxis, title: str = "") -> Figure:
    """Draw gain and phase from motor torque to motor speed, with resonance and antiresonance.

    The model is S003's with three states.
    """
    from matplotlib.figure import Figure

    as_instance(axis, OneAxis, "what is drawn is a OneAxis, as arm.one_axis(q, axis) makes it")
    as_instance(title, str, "the title is a text")
    dip, peak = axis.antiresonance, axis.resonance
    f = np.unique(
        np.concatenate(
            [np.geomspace(0.05 * dip, 20.0 * peak, 1500), np.linspace(0.9 * dip, 1.1 * peak, 1500)]
        )
    )
    response = axis.three_states().response(f)[:, 0, 0]
    figure = Figure(figsize=(7.0, 5.5), layout="constrained")
    gain, phase = figure.subplots(2, 1, sharex=True, height_ratios=[3, 2])
    gain.semilogx(f, 20.0 * np.log10(np.abs(response)), color=_BLUE, lw=1.6)
    phase.semilogx(f, np.degrees(np.unwrap(np.angle(response))), color=_BLUE, lw=1.6)
    for panel in (gain, phase):
        panel.axvline(dip, color=_ORANGE, lw=1.2, ls="--", label=f"antiresonance {dip:.2f} Hz")
        panel.axvline(peak, color=_GREEN, lw=1.2, ls="--", label=f"resonance {peak:.2f} Hz")
        panel.grid(alpha=0.3, which="both", lw=0.4)
    gain.legend(frameon=False, loc="upper right")
    gain.set_ylabel("gain [dB, (rad/s)/(N m)]")
    phase.set_ylabel("phase [deg]")
    phase.set_xlabel("frequency [Hz]")
    gain.set_title(title or "motor torque to motor speed")
    return figure


def map_figure(
    arm: FlexibleRobot,
    q: ArrayLike,
    axes: tuple[int, int] = (2, 3),
    mode: int = 1,
    motors: MotorState = "free",
    count: int = 49,
) -> Figure:
    """Draw an eigenfrequency over two axes, the others held at ``q``; the title has the grades.

    Args:
        arm: The arm.
        q: Positions of the other axes [rad, m], shape ``(n,)``.
        axes: Which two axes, by their numbers from 1.
        mode: Which eigenfrequency, 1 the lowest.
        motors: ``free`` or ``held``.
        count: Postures per axis.

    Raises:
        InputError: if an axis or mode does not exist, or an axis has no range.
    """
    from matplotlib.figure import Figure

    robot = as_instance(arm, FlexibleRobot, "what is drawn is a FlexibleRobot").robot
    what = f"a map goes over two of the axes 1 to {arm.n}"
    pair = [as_int(axis, what, 1, arm.n) for axis in as_list(axes, int, what)]
    if len(pair) != 2 or pair[0] == pair[1]:
        raise InputError(f"{what}, not {short_repr(axes)}")
    as_int(mode, f"a mode of {arm.robot.name}", 1, arm.elastic.size)
    as_int(count, "the number of postures per axis", 2)
    first, second = (axis - 1 for axis in axes)
    ends: Array = np.array(robot.limits.axis_ranges[2:])
    if (np.abs(ends[:, [first, second]]) >= UNLIMITED).any():
        raise InputError(
            f"axes {axes[0]} and {axes[1]} of {robot.name} need ranges to be mapped over"
        )
    postures = np.broadcast_to(robot.states.one(q), (count, count, arm.n)).copy()
    x, y = (np.linspace(ends[0, i], ends[1, i], count) for i in (first, second))
    postures[..., first], postures[..., second] = np.meshgrid(x, y)
    values = np.where(
        robot.in_range(postures), arm.frequencies(postures, motors)[..., mode - 1], np.nan
    )
    shown = robot.to_controller(postures)
    figure = Figure(figsize=(7.0, 5.6), layout="constrained")
    panel = figure.subplots()
    filled = panel.contourf(
        shown[..., first], shown[..., second], values, levels=15, cmap="viridis"
    )
    lines = panel.contour(
        shown[..., first],
        shown[..., second],
        values,
        levels=np.asarray(filled.levels)[::3],
        colors="white",
        linewidths=0.7,
    )
    panel.clabel(lines, fmt="%.4g Hz", fontsize=8)
    units = ["mm" if robot.limits.linear[i] else "deg" for i in (first, second)]
    panel.set_xlabel(f"q{axes[0]} [{units[0]}]")
    panel.set_ylabel(f"q{axes[1]} [{units[1]}]")
    figure.colorbar(filled, label=f"eigenfrequency {mode}, motors {motors} [Hz]")
    grades: dict[str, list[str]] = {}
    for i in arm.elastic:
        if (drive := arm.drives[i]) is not None:
            grades.setdefault(drive.grade, []).append(str(i + 1))
    stiffness = "; ".join(
        f"{grade} (axis {', '.join(numbers)})" for grade, numbers in grades.items()
    )
    panel.set_title(f"{robot.name}: stiffness {stiffness}", fontsize="medium")
    return figure
