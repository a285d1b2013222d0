"""Design excitations of the IRB 1600 side by side: the table of docs/howto/excitation.md, and its
pictures.

    python scripts/excitation.py [FOLDER]

It takes a few minutes. With FOLDER everything is written there instead, with a RAPID module of the
best series beside it.
"""

from __future__ import annotations

import sys
import time
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.identification.excitation import (
    Bounds,
    Excitation,
    Fourier,
    Freudenstein,
    compare,
    excitation_figure,
    optimal_excitation,
    random_excitation,
)
from irbmodels.identification.excitation.parametrizations import Family
from irbmodels.identification.figures import COLORS
from irbmodels.report.figures import save
from irbmodels.robot.base_parameters import BaseParameters

DOCS = Path(__file__).resolve().parent.parent / "docs"
BEGIN, END = "<!-- tables: scripts/excitation.py -->", "<!-- end of tables -->"
ROBOT = irb.load("irb1600")
SERIES, MOVE, MOVES = Fourier(5, 5.0), Freudenstein(1, 3.0), Freudenstein(6, 5.0)
SEARCHED = (
    (MOVE, "condition"),
    (Freudenstein(3, 5.0), "condition"),
    (MOVES, "condition"),
    (SERIES, "condition"),
    (MOVES, "logdet"),
    (SERIES, "logdet"),
)
DRAWN = (MOVE, MOVES, SERIES)
RANDOM = 100
COUNTED = Bounds(collision=False)  # random motions are only measured, not run


def searched(family: Family, criterion: str) -> Excitation:
    """Search with the default settings, and tell what it took."""
    begin = time.process_time()
    design = optimal_excitation(ROBOT, family, criterion=criterion)
    print(
        f"{design.name}, {criterion}: {time.process_time() - begin:.1f} s of one core",
        file=sys.stderr,
    )
    return design


def drawn(family: Family, base: BaseParameters) -> list[Excitation]:
    """Draw random motions; the smallest condition number comes first."""
    draws = [
        random_excitation(ROBOT, family, base=base, bounds=COUNTED, seed=seed)
        for seed in range(RANDOM)
    ]
    return sorted(draws, key=lambda one: one.condition)


def tables(designs: list[Excitation], random: list[list[Excitation]]) -> str:
    """Return the tables in Markdown: what was searched and the random motions in the middle, and
    what all random ones are.
    """
    rows = [
        f"| {RANDOM} random motions | smallest condition | median | largest |",
        "|---|---|---|---|",
    ]
    for draws in random:
        low, middle, high = np.percentile([one.condition for one in draws], [0.0, 50.0, 100.0])
        rows.append(
            f"| {draws[0].name.split(', seed')[0].removeprefix('random ')} | {low:.3g} |"
            f" {middle:.3g} | {high:.3g} |"
        )
    return (
        compare([*designs, *(draws[RANDOM // 2] for draws in random)])
        + "\n\n"
        + "\n".join(rows)
        + "\n"
    )


def random_figure(designs: list[Excitation], random: list[list[Excitation]]) -> Figure:
    """Draw a histogram of the condition numbers of each family's random motions, with the searched
    ones marked.
    """
    figure = Figure(figsize=(9.0, 4.4), layout="constrained")
    axes = figure.subplots()
    every = [one.condition for draws in random for one in draws]
    bins = np.geomspace(min(every), max(every), 40).tolist()
    for draws, color in zip(random, COLORS, strict=False):
        label = draws[0].name.split(", seed")[0]
        axes.hist([one.condition for one in draws], bins=bins, color=color, alpha=0.45, label=label)
    for number, one in enumerate(designs):
        where = one.condition, 0.97 - 0.08 * number
        axes.axvline(
            one.condition, color="0.25", lw=1.0, ls="-" if one.criterion == "condition" else ":"
        )
        label = f" {one.name}, {one.criterion}: {one.condition:.3g}"
        axes.text(
            *where,
            label,
            transform=axes.get_xaxis_transform(),
            va="top",
            fontsize="small",
            bbox={"fc": "white", "ec": "none", "pad": 0.6},
        )
    axes.set(
        xscale="log",
        xlabel="condition number, columns of unit length",
        ylabel=f"motions of {RANDOM}",
    )
    axes.grid(alpha=0.25, lw=0.5)
    axes.legend(frameon=False, loc="center right")
    return figure


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
    """Write the tables, and the pictures."""
    designs = [searched(*job) for job in SEARCHED]
    random = [drawn(family, designs[0].base) for family in DRAWN]
    one, _, six, series, *_ = designs
    out = DOCS / "pictures" if folder is None else Path(folder)
    out.mkdir(parents=True, exist_ok=True)
    conditions = [draw.condition for draw in random[-1]]
    save(
        excitation_figure([one, six, series, random[-1][RANDOM // 2]], random=conditions),
        out / "excitation_compare.png",
    )
    save(random_figure(designs, random), out / "excitation_random.png")
    save(history_figure([one, six, series]), out / "excitation_history.png")
    if folder is not None:
        (out / "tables.md").write_text(tables(designs, random), encoding="utf-8")
        (out / "Excitation.mod").write_text(series.rapid(), encoding="utf-8")
        return
    page = DOCS / "howto" / "excitation.md"
    before, rest = page.read_text(encoding="utf-8").split(BEGIN)
    page.write_text(
        f"{before}{BEGIN}\n\n{tables(designs, random)}\n{END}{rest.split(END)[1]}", encoding="utf-8"
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
