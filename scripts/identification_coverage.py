"""Measure how often intervals hold the truth, and whether consistent sets are bodies, in seeded
repeats of simulated logs.

    python scripts/identification_coverage.py [--repeats 200] [--workers 2] [--markdown
    docs/howto/identification.md]

Every repeat is a log of a Fourier series with the largest determinant of 10 s at 250 Hz: encoders
of 2^20 counts per turn on the arm side, torques with the errors of S000 Tab. 6, positions filtered
at 10 Hz, rests left out, as ``irbmodels identify`` does it. Held out is a log of a random series,
with noise of its own, without the few samples at which an axis is too slow for a sign. The prior of
a consistent set is the arm with every body stretched and of another density. Six-axis arms without
published friction borrow that of the IRB 2400. Coloured noise is that of the torques through a
zero-phase filter.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, replace
from functools import cached_property, lru_cache, partial
from pathlib import Path
from typing import NamedTuple

import numpy as np
from rich.console import Console
from rich.progress import Progress

import irbmodels as irb
from irbmodels.files import replacing
from irbmodels.identification.excitation import Bounds, Fourier, optimal_excitation
from irbmodels.identification.fits import (
    Fit,
    Samples,
    TorqueEquations,
    accumulate,
    consistent_fit,
    weighted_least_squares,
    with_autocorrelation,
    with_blocks,
    with_filter,
)
from irbmodels.identification.recordings import Sensors, simulate_log
from irbmodels.identification.validation import prepare, usable_segments
from irbmodels.robot.base_parameters import BaseParameters, base_parameters
from irbmodels.robot.robot import Robot
from irbmodels.simulation import Run, run_of
from irbmodels.trajectory import Motion

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "tests"))
# the noise that the tests are judged by
from excited import RATE, SIGMA, excitation, low_pass, random_states, torques

ARMS = {"irb2400_16": "spindle", "irb1600_6_120": None, "irb1400": None, "irb930_12_105": None}
COLOURED = ("irb2400_16", "irb930_12_105")
MOTION = Fourier(harmonics=5, duration=10.0)
# [rad/s, m/s] five deviations of a speed: dry friction of a sample that is slower has no sign that
# a log knows
SLOW = 1e-4
CUTOFFS = (5.0, 10.0, 30.0)  # [Hz] of the filters that colour noise
STRETCH, DENSITY = (0.8, 1.25), (0.6, 1.6)  # bounds of what makes a prior of the truth
BEGIN, END = "<!-- tables: scripts/identification_coverage.py -->", "<!-- end of tables -->"
HEAD = (
    "arm",
    "sums",
    "intervals that hold",
    "fewest of a sum",
    "held-out error / noise: median, worst",
    "sets of bodies",
    "error of bodies / of fit: median, worst",
)
Array = np.ndarray


class Repeat(NamedTuple):
    """What one log says."""

    inside: Array
    """Whether the interval of each parameter holds the truth."""
    free: float
    """RMSE of the fit on held-out samples, over that of their noise.

    All axes, each in units of its noise.
    """
    bound: float
    """The same of the consistent set."""
    possible: bool
    """Whether every body of that set can exist."""


class Coloured(NamedTuple):
    """Which intervals hold the truth where noise went through a filter."""

    plain: Array
    known: Array
    """With the filter known."""
    unknown: Array
    """With the noise's colour found."""
    blocks: Array
    """With blocks of time."""


@dataclass(frozen=True, eq=False)
class Case:
    """An arm that moves, and what is thought of it."""

    truth: Robot
    prior: Robot
    base: BaseParameters
    moved: Run
    held: Run

    @cached_property
    def beta(self) -> Array:
        """True base parameters."""
        return self.base.values(self.truth.parameter_vector())

    @cached_property
    def rows(self) -> TorqueEquations:
        """Equations; they know lengths and tool, which truth and prior have in common."""
        return TorqueEquations(self.prior, self.base)

    def logged(self, run: Run, seed: int, cutoff: float | None = None) -> list[Motion]:
        """Return usable samples of a log, whose torque noise has gone through a zero-phase filter
        where a cut-off is given.
        """
        recording = simulate_log(
            run, Sensors(rate=RATE, counts=2**20, torque_noise=SIGMA[: self.truth.n]), seed
        )
        if cutoff is not None:
            recording = recording.changed(tau=run.tau + low_pass(recording.tau - run.tau, cutoff))
        return usable_segments([prepare(recording)], self.base.axes)

    def fitted(self, log: list[Motion]) -> Fit:
        """Return the weighted fit."""
        return weighted_least_squares(accumulate(Samples.of(*log), self.rows))

    def inside(self, fit: Fit) -> Array:
        """Return which 95 % intervals hold the truth."""
        lower, upper = fit.intervals().T
        return (lower <= self.beta) & (self.beta <= upper)


@lru_cache
def case(name: str) -> Case:
    """Return the case of an arm."""
    truth = irb.load(name, tool=ARMS[name])
    if truth.friction_model is None and truth.n == 6:
        truth = truth.with_friction(irb.load("irb2400").friction_model)
    prior = stretched(truth).with_friction(truth.friction_model)
    base = base_parameters(prior, friction=truth.friction_model is not None)
    plan = optimal_excitation(
        truth.with_friction(None),
        MOTION,
        criterion="logdet",
        starts=1,
        bounds=Bounds(collision=False),
    )
    planned = plan.sample(RATE)
    planned = planned._replace(tau=torques(truth, planned.q, planned.v, planned.a))
    return Case(
        truth,
        prior,
        base,
        *(run_of(truth, motion) for motion in (planned, excitation(truth, seed=77))),
    )


def stretched(truth: Robot) -> Robot:
    """Return an arm whose bodies are those of another, stretched along their axes, and of another
    density.
    """
    robot, random = truth.with_friction(None), np.random.default_rng(5)
    base = base_parameters(robot)
    exact = weighted_least_squares(
        accumulate(Samples.of(random_states(robot, 300)), TorqueEquations(robot, base))
    )
    identified = consistent_fit(exact, robot, base)
    bodies = {
        link: body.stretched(random.uniform(*STRETCH, 3), float(random.uniform(*DENSITY)))
        for link, body in identified.inertials.items()
    }
    with tempfile.TemporaryDirectory() as folder:
        path = replace(identified, inertials=bodies).write(
            Path(folder) / "prior.yaml", "prior", "stretched by a script"
        )
        return truth.with_parameters(path)


def repeat(name: str, seed: int) -> Repeat:
    """Fit one log, make bodies of it, and try both on a log that is held out."""
    here = case(name)
    fit = here.fitted(here.logged(here.moved, seed))
    identified = consistent_fit(fit, here.prior, here.base)
    squares = np.zeros(3)  # of noise, fit and bodies, over all held-out samples
    for whole in here.logged(here.held, 1000 + seed):
        known = (np.abs(whole.v) > SLOW).all(axis=1)
        piece = whole.each(lambda x, known=known: x[known])
        Y = here.prior.regressor(piece.q, piece.v, piece.a)
        exact = here.held.tau[np.round(piece.t * RATE).astype(int)]
        free = here.base.reduced(Y) @ fit.beta + Y @ here.rows.known
        for k, torque in enumerate((exact, free, Y @ identified.vector)):
            squares[k] += np.square((piece.tau - torque) / SIGMA[: here.truth.n]).sum()
    floor, fitted, bound = np.sqrt(squares)
    tool = here.prior.parameter_vector() - here.prior.with_tool(None).parameter_vector()
    bodies = (identified.vector - tool)[: 10 * (here.truth.model.njoints - 1)].reshape(-1, 10)
    return Repeat(here.inside(fit), fitted / floor, bound / floor, all(map(is_possible, bodies)))


def is_possible(body: Array) -> bool:
    """Whether a body can have ten parameters ``[m, m c, Ixx Ixy Iyy Ixz Iyz Izz]``, by what they
    mean; massless carriers can.
    """
    if not body.any():
        return True
    mass, first = body[0], body[1:4]
    about_origin = np.array(
        [[body[4], body[5], body[7]], [body[5], body[6], body[8]], [body[7], body[8], body[9]]]
    )
    com = first / mass
    moments = np.linalg.eigvalsh(about_origin - mass * (com @ com * np.eye(3) - np.outer(com, com)))
    second = 0.5 * np.trace(about_origin) * np.eye(3) - about_origin
    pseudo = np.linalg.eigvalsh(
        np.block([[second, first[:, None]], [first[None, :], np.array([[mass]])]])
    )
    return bool(
        mass > 0.0 and moments[0] > 0.0 and moments[2] < moments[0] + moments[1] and pseudo[0] > 0.0
    )


def coloured(name: str, cutoff: float, seed: int) -> Coloured:
    """Fit one log whose noise is coloured, and account for that in three ways."""
    here = case(name)
    log = here.logged(here.moved, seed, cutoff)
    fit, samples = here.fitted(log), Samples.of(*log)
    count = len(here.moved.t)
    taps = low_pass(np.eye(count, 1, -(count // 2))[:, 0], cutoff)
    known = with_filter(fit, samples, here.rows, taps)
    coloured = with_autocorrelation(fit, samples, here.rows, round(RATE / cutoff))
    blocks = with_blocks(fit, samples, here.rows)
    return Coloured(*(here.inside(one) for one in (fit, known, coloured, blocks)))


def of_repeats(name: str, repeats: list[Repeat]) -> tuple[str, ...]:
    """Return a row of the first table."""
    held = np.mean([one.inside for one in repeats], axis=0)
    free, bound = (np.array([getattr(one, key) for one in repeats]) for key in ("free", "bound"))
    ratio = bound / free
    return (
        name,
        f"{len(held)}",
        f"{held.mean():.1%}",
        f"{held.min():.0%}",
        f"{np.median(free):.4f}, {free.max():.4f}",
        f"{sum(one.possible for one in repeats)} of {len(repeats)}",
        f"{np.median(ratio):.4f}, {ratio.max():.4f}",
    )


def of_colours(name: str, cutoff: float, repeats: list[Coloured]) -> tuple[str, ...]:
    """Return a row of the second table."""
    shares = (f"{np.mean([getattr(one, key) for one in repeats]):.1%}" for key in Coloured._fields)
    return (name, f"{cutoff:.0f} Hz", *shares)


def table(*rows: tuple[str, ...]) -> str:
    """Return a table in Markdown; the first row is its head."""
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + "---|" * len(rows[0]), *lines[1:]]) + "\n"


def measured(repeats: int, workers: int, console: Console) -> str:
    """Run everything and return the page's section."""
    first, second = (
        [HEAD],
        [
            (
                "arm",
                "noise below",
                "plain",
                "`with_filter`",
                "`with_autocorrelation`",
                "`with_blocks`",
            )
        ],
    )
    with (
        ProcessPoolExecutor(workers) as pool,
        Progress(console=console, transient=True) as progress,
    ):

        def all_of(what: str, one: Callable[[int], tuple[Array, ...]]) -> list[tuple[Array, ...]]:
            return list(
                progress.track(
                    pool.map(one, range(repeats), chunksize=5), total=repeats, description=what
                )
            )

        for name in ARMS:
            first.append(of_repeats(name, all_of(name, partial(repeat, name))))
            console.print(*first[-1], sep=" | ")
        for name in COLOURED:
            for cutoff in CUTOFFS:
                results = all_of(
                    f"{name}, noise below {cutoff:.0f} Hz", partial(coloured, name, cutoff)
                )
                second.append(of_colours(name, cutoff, results))
                console.print(*second[-1], sep=" | ")
    return (
        f"{repeats} logs of each arm:\n\n{table(*first)}\nColoured noise, intervals that hold the"
        f" truth:\n\n{table(*second)}"
    )


def paste(page: Path, text: str) -> None:
    """Replace what is between the marks of a page."""
    before, begin, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end):
        sys.exit(f"{page} has no marks {BEGIN} and {END} to write between")
    with replacing(page) as temporary:
        temporary.write_text(f"{before}{BEGIN}\n\n{text}\n{END}{after}", encoding="utf-8")


def main() -> int:
    """Measure, print, and write what was asked for."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--repeats", type=int, default=200, help="logs of each arm")
    parser.add_argument("--workers", type=int, default=os.cpu_count() or 1, help="processes")
    parser.add_argument(
        "--markdown",
        type=Path,
        help="page whose tables to replace, such as docs/howto/identification.md",
    )
    arguments = parser.parse_args()
    text = measured(arguments.repeats, arguments.workers, Console(stderr=True))
    print(text)
    if arguments.markdown:
        paste(arguments.markdown, text)
    return 0


if __name__ == "__main__":
    sys.exit(main())
