"""Figures of excitations, as matplotlib objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from .design import Excitation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

COLORS = ("#0072B2", "#E69F00", "#009E73", "#CC79A7", "#56B4E9", "#D55E00", "#000000")  # Okabe-Ito
MARKS = "osD^v<>"
MOST = 5  # side by side


def excitation_figure(excitations: Sequence[Excitation], random: ArrayLike | None = None) -> Figure:
    """Draw excitations side by side: positions, singular values of the base regressor, and condition numbers.

    Args:
        excitations: Two to five of one robot.
        random: Condition numbers of random motions, to be drawn as a histogram.

    Raises:
        InputError: if there are too few or too many, or they are not of one robot.
    """
    if not 2 <= len(excitations) <= MOST or len({one.robot.name for one in excitations}) > 1:
        raise InputError(
            f"a figure takes 2 to {MOST} excitations of one robot, got"
            f" {[one.name for one in excitations]}"
        )
    from matplotlib.figure import Figure

    figure = Figure(figsize=(3.2 * len(excitations) + 1.0, 7.0), layout="constrained")
    bands: Any = figure.subfigures(2, 1, height_ratios=[1.0, 1.15])
    above, below = bands
    robot = excitations[0].robot
    columns = above.subplots(
        1, len(excitations), sharey=not robot.limits.linear.any(), squeeze=False
    )[0]
    for panel, one in zip(columns, excitations, strict=True):
        t = np.linspace(0.0, one.trajectory.duration, 600)
        shown = robot.to_controller(one.trajectory.at(t).q)
        for axis, color in zip(range(robot.n), np.resize(COLORS, robot.n), strict=True):
            panel.plot(t, shown[:, axis], color=color, lw=1.3, label=f"axis {axis + 1}")
        panel.set(title=one.name, xlabel="time [s]")
        panel.grid(alpha=0.25, lw=0.5)
    columns[0].set_ylabel("position [deg, mm]" if robot.limits.linear.any() else "position [deg]")
    above.legend(
        *columns[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=robot.n,
        frameon=False,
    )
    left, right = below.subplots(1, 2)
    for one, color, mark in zip(excitations, COLORS, MARKS, strict=False):
        values = one.singular_values
        label = f"{one.name}: {one.condition:.3g}"
        left.semilogy(
            np.arange(1, values.size + 1),
            values,
            color=color,
            marker=mark,
            ms=3.5,
            lw=1.0,
            label=label,
        )
        right.axvline(one.condition, color=color, lw=1.6)
    left.set(xlabel="number", ylabel="singular value, columns of unit length")
    left.legend(title="condition number", frameon=False, fontsize="small", loc="lower left")
    right.set(xlabel="condition number", xscale="log", ylabel="random motions")
    if random is None:
        right.yaxis.set_visible(False)
    else:
        known = np.asarray(random, dtype=float)
        known = known[np.isfinite(known)]
        right.hist(
            known,
            bins=np.geomspace(known.min(), known.max(), 20).tolist(),
            color="0.8",
            edgecolor="0.5",
            lw=0.5,
        )
        right.axvline(float(np.median(known)), color="0.3", lw=1.2, ls="--")
        right.text(
            float(np.median(known)),
            0.98,
            " median",
            transform=right.get_xaxis_transform(),
            va="top",
            color="0.3",
        )
    for panel in (left, right):
        panel.grid(alpha=0.25, lw=0.5, which="both")
    return figure
