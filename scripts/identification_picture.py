"""Draw the confidence intervals of one simulated identification beside the truth:
docs/pictures/identification.png.

    python scripts/identification_picture.py [PICTURE]

The IRB 2400 with its spindle moves along a random Fourier series for 10 s; torques have the errors
of S000 Tab. 6, positions 2^20 counts per turn, filtered at 10 Hz.
"""

from __future__ import annotations

import sys
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.identification.fits import (
    Fit,
    Samples,
    TorqueEquations,
    accumulate,
    weighted_least_squares,
)
from irbmodels.report.figures import save
from irbmodels.robot.base_parameters import BaseParameters, base_parameters

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
from excited import excitation, inner, measured  # the noise that the tests are judged by

PICTURE = Path(__file__).resolve().parent.parent / "docs" / "pictures" / "identification.png"


def draw(fit: Fit, base: BaseParameters, truth: np.ndarray) -> Figure:
    """Return the figure: each interval about its estimate, the truth at 0, in units of the
    interval's half width.
    """
    half = fit.intervals()[:, 1] - fit.beta
    off = (fit.beta - truth) / half
    missed = np.abs(off) > 1.0
    figure = Figure(figsize=(11.0, 4.2), layout="constrained")
    axes = figure.add_subplot()
    axes.axhline(0.0, color="black", linewidth=0.8)
    for which, colour, label in (
        (~missed, "#1f77b4", "holds the truth"),
        (missed, "#d62728", "misses it"),
    ):
        if which.any():
            place = np.flatnonzero(which)
            axes.errorbar(
                place,
                off[which],
                np.ones(place.size),
                fmt="o",
                markersize=3,
                capsize=2,
                color=colour,
                label=label,
            )
    names = [name.split(" ")[0] + (" .." if " " in name else "") for name in base.names]
    axes.set_xticks(range(base.rank), names, rotation=90, fontsize=7)
    axes.set_xlim(-1.0, base.rank)
    axes.set_ylabel("estimate - truth,\nin half widths of the 95 % interval")
    axes.set_title(
        f"IRB 2400 with spindle, one log of 10 s at 250 Hz: {(~missed).sum()} of {base.rank}"
        " intervals hold the truth"
    )
    axes.legend(loc="upper right", ncols=2, fontsize=8)
    axes.set_ylim(-2.6, 2.6)
    return figure


def main() -> int:
    """Simulate, fit and draw."""
    robot = irb.load("irb2400", tool="spindle")
    base = base_parameters(robot, friction=True)
    log = inner(measured(excitation(robot), np.random.default_rng(0)))
    fit = weighted_least_squares(accumulate(Samples.of(log), TorqueEquations(robot, base)))
    picture = Path(sys.argv[1]) if len(sys.argv) > 1 else PICTURE
    save(draw(fit, base, base.values(robot.parameter_vector())), picture)
    print(picture)
    return 0


if __name__ == "__main__":
    sys.exit(main())
