"""Figures of excitations, as matplotlib objects."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
from numpy.typing import ArrayLike

from ...errors import InputError
from ..figures import COLORS, label, new_figure
from .design import Excitation

if TYPE_CHECKING:
    from matplotlib.figure import Figure

MARKERS = "osD^v<>"
MOST = 5  # side by side
_LONG = 30  # letters of a title that is as wide as its panel


def excitation_figure(excitations: Sequence[Excitation], random: ArrayLike | None = None) -> Figure:
    """Draw positions, singular values and condition numbers of excitations side by side.

    Args:
        excitations: Two to five of one robot.
        random: Condition numbers of random motions, drawn as a histogram; default no such panel.

    Raises:
        InputError: if there are too few or too many, or they are not of one robot.
    """
    if not 2 <= len(excitations) <= MOST or len({one.robot.name for one in excitations}) > 1:
        raise InputError(
            f"a figure takes 2 to {MOST} excitations of one robot, got"
            f" {[one.name for one in excitations]}"
        )
    figure = new_figure(3.2 * len(excitations) + 1.0, 7.0)
    bands: Any = figure.subfigures(2, 1, height_ratios=[1.0, 1.15])
    above, below = bands
    robot = excitations[0].robot
    linear = robot.limits.linear.any()
    columns = above.subplots(1, len(excitations), sharey=not linear, squeeze=False)[0]
    for panel, one in zip(columns, excitations, strict=True):
        t = np.linspace(0.0, one.trajectory.duration, 600)
        positions = robot.to_controller(one.trajectory.at(t).q)
        for axis, color in zip(range(robot.n), np.resize(COLORS, robot.n), strict=True):
            panel.plot(t, positions[:, axis], color=color, lw=1.3, label=f"axis {axis + 1}")
        label(panel, "time [s]")
        panel.set_title(one.name, fontsize="medium" if len(one.name) < _LONG else "small")
    columns[0].set_ylabel("position [deg, mm]" if linear else "position [deg]")
    above.legend(
        *columns[0].get_legend_handles_labels(),
        loc="outside lower center",
        ncols=robot.n,
        frameon=False,
    )
    left, *others = below.subplots(1, 1 if random is None else 2, squeeze=False)[0]
    for one, color, marker in zip(excitations, COLORS, MARKERS, strict=False):
        left.semilogy(
            np.arange(1, one.singular_values.size + 1),
            one.singular_values,
            color=color,
            marker=marker,
            ms=3.5,
            lw=1.0,
            label=f"{one.name}: {one.condition:.3g}",
        )
    label(left, "number", "singular value, columns of unit length")
    left.legend(title="condition number", frameon=False, fontsize="small", loc="lower left")
    if random is None:
        return figure
    (right,) = others
    label(right, "condition number", "random motions", xscale="log")
    for one, color in zip(excitations, COLORS, strict=False):
        right.axvline(one.condition, color=color, lw=1.6)
    known = np.asarray(random, dtype=float)
    known = known[np.isfinite(known)]
    median, bins = float(np.median(known)), np.geomspace(known.min(), known.max(), 20).tolist()
    right.hist(known, bins=bins, color="0.8", edgecolor="0.5", lw=0.5)
    right.axvline(median, color="0.3", lw=1.2, ls="--")
    top = right.get_xaxis_transform()
    right.text(median, 0.98, " median", transform=top, va="top", color="0.3")
    return figure
