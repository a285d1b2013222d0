"""Design excitations of the IRB 1600, print the table of docs/excitation.md and draw its pictures.

    python scripts/excitation.py [FOLDER]

It takes a few minutes. The RAPID module of the best motion is written beside the pictures if FOLDER is given.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.base_parameters import BaseParameters
from irbmodels.identification.excitation import (
    Excitation,
    compare,
    excitation_figure,
    fourier_excitation,
    freudenstein_excitation,
    random_excitation,
)
from irbmodels.identification.excitation.design import Bounds
from irbmodels.identification.excitation.drawings import COLORS

ROBOT = irb.load("irb1600")
RANDOM = 100
COUNTED = Bounds(collision=False)  # random motions are only measured, not run


def random_conditions(moves: int | None, duration: float, base: BaseParameters) -> list[float]:
    """Return condition numbers of random series, or of random moves."""
    draws = (
        random_excitation(ROBOT, duration=duration, moves=moves, base=base, bounds=COUNTED, seed=seed) for seed in range(RANDOM)
    )
    return [one.condition for one in draws]


def history_figure(excitations: list[Excitation]) -> Figure:
    """Draw condition numbers by iteration, a line per start."""
    figure = Figure(figsize=(7.0, 4.0), layout="constrained")
    axes = figure.subplots()
    for one, color in zip(excitations, COLORS, strict=False):
        for start, values in enumerate(one.history):
            label = one.name if start == 0 else None
            axes.semilogy(np.arange(1, len(values) + 1), values, color=color, lw=1.2, label=label)
    axes.set(xlabel="iteration", ylabel="condition number")
    axes.grid(alpha=0.25, lw=0.5, which="both")
    axes.legend(frameon=False)
    return figure


def main(folder: str | None = None) -> None:
    """Print the table, and write the pictures."""
    out = Path(__file__).resolve().parent.parent / "docs" / "pictures" if folder is None else Path(folder)
    jobs = [
        ("Freudenstein, 1 move", lambda: freudenstein_excitation(ROBOT, moves=1, duration=3.0)),
        ("Freudenstein, 6 moves", lambda: freudenstein_excitation(ROBOT, moves=6, duration=5.0)),
        ("Fourier, condition", lambda: fourier_excitation(ROBOT)),
        ("Fourier, log det", lambda: fourier_excitation(ROBOT, criterion="logdet")),
    ]
    found = []
    for name, design in jobs:
        begin = time.process_time()
        found.append(design())
        print(f"{name}: {time.process_time() - begin:.1f} s of one core", file=sys.stderr)
    series, straight = random_conditions(None, 5.0, found[0].base), random_conditions(1, 3.0, found[0].base)
    typical = random_excitation(ROBOT, bounds=COUNTED, seed=int(np.argsort(series)[RANDOM // 2]))
    print(compare([*found, typical]))
    for what, values in (("random series", series), ("random single moves", straight)):
        low, middle, high = np.percentile(values, [0.0, 50.0, 100.0])
        print(f"{RANDOM} {what}: condition {low:.3g} .. {high:.3g}, median {middle:.3g}")
    one, six, fourier, _ = found
    excitation_figure([one, six, fourier, typical], random=series).savefig(out / "excitation_compare.png", dpi=110)
    history_figure([one, six, fourier]).savefig(out / "excitation_history.png", dpi=110)
    if folder is not None:
        (out / "Excitation.mod").write_text(fourier.rapid(), encoding="utf-8")


if __name__ == "__main__":
    main(*sys.argv[1:])
