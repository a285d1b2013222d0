"""Identify arms from published measured logs, and write docs/background/measured_arms.md with its figures.

    python scripts/measured_arms.py --data DIR [--arms ur10e kr300 ...]

DIR holds checkouts of the repositories that the page names, under their own names. Nothing of them
is part of this project. Each arm is fitted by ``irbmodels.identification`` as a user does, with no
option, and by plain least squares on the same samples; where the authors publish parameters, these
are tried as well.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from textwrap import dedent

import numpy as np
from matplotlib.figure import Figure
from measured import baseline, leave_one_out, spoilt_logs
from measured.simulated_arms import NAMES, simulated
from measured.sources import ARMS, REPOSITORIES, MeasuredArm
from rich.console import Console
from rich.progress import track

from irbmodels.files import replacing
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import (
    Identification,
    identify,
    prepare_logs,
    usable_segments,
)
from irbmodels.report.figures import save
from irbmodels.report.panels import blank_figure, legend_below
from irbmodels.trajectory import Motion

DOCS = Path(__file__).resolve().parents[1] / "docs"
BEGIN, END = "<!-- results -->", "<!-- end of results -->"
MADE = "<!-- numbers: scripts/measured_arms.py -->"
SPOILT = (
    "Copies of the same logs with one mistake each. `validate` judges the set above on a spoilt copy"
    " of the held-out log; `identify` fits spoilt copies of all logs. The cell says the level and"
    " what holds it down most."
)
LEFT_OUT = (
    "Each constant that tells wrong from right has a statistic: its strictest value at which a"
    " mistake is named, with all others as they are. It is chosen without an arm, as the geometric"
    " middle between the largest statistic of clean logs of all others and the next larger one of"
    " their spoilt logs, and tried on that arm: does its clean log raise an alarm, and which of its"
    " spoilt logs are found? Statistics are of `validate` and `identify`; arms are those above and"
    " four of the tables, simulated with another set as prior, and with noise, ripple and friction"
    " that no law of the package has: {simulated}."
)
SHOWN = 12.0  # [s] of the held-out log in a figure


@dataclass(frozen=True)
class Result:
    """Identification of an arm, beside what it is compared with."""

    arm: MeasuredArm
    identification: Identification
    findings: tuple[str, ...]
    """On the logs, each once."""
    plain: baseline.Array
    """RMSE of plain least squares on the held-out samples [N m], ``(n,)``."""
    published: baseline.Array | None
    """RMSE of the authors' parameters on the same samples."""


def result_of(arm: MeasuredArm) -> Result:
    """Return what the logs of an arm give."""
    logs = prepare_logs(arm.robot, arm.fit, [arm.held_out])
    fit, held_out = logs.estimation, logs.held_out
    identification = identify(arm.robot, fit, held_out)
    axes = range(arm.robot.n)
    ours, theirs = usable_segments(fit, axes), usable_segments(held_out, axes)
    rows, tau, usable = _equations(arm, ours)
    parameters = baseline.least_squares(rows, tau, usable)
    rows, tau, usable = _equations(arm, theirs)
    published = None
    if arm.published is not None:
        q, v, a = (baseline.joined([getattr(part, name) for part in theirs]) for name in "qva")
        published = baseline.rmse(tau - arm.published(q, v, a), usable)
    lines = (f"{log.source}: {finding}" for log in (*fit, *held_out) for finding in log.findings)
    findings = dict.fromkeys([*map(str, logs.findings), *lines])
    plain = baseline.rmse(tau - rows @ parameters, usable)
    return Result(arm, identification, tuple(findings), plain, published)


def _equations(
    arm: MeasuredArm, segments: Sequence[Motion]
) -> tuple[baseline.Array, baseline.Array, np.ndarray]:
    q, v, a, tau = (
        baseline.joined([getattr(part, name) for part in segments])
        for name in ("q", "v", "a", "tau")
    )
    return baseline.regressor(arm.robot.model, q, v, a), np.nan_to_num(tau), np.isfinite(tau)


def figure_of(result: Result) -> Figure:
    """Draw measured and predicted torques of the held-out log, residuals below."""
    verdict = result.identification.verdict
    n, part = len(verdict.axes), max(verdict.logs, key=lambda one: len(one.measured))
    t = np.asarray(part.motion.t) - part.motion.t[0]
    shown = t <= SHOWN
    figure = blank_figure(12.0, 1.55 * ((n + 1) // 2))
    for i, panel in enumerate(figure.subplots((n + 1) // 2, 2, sharex=True, squeeze=False).flat):
        if i >= n:
            panel.set_visible(False)
            continue
        measured, predicted = part.measured[shown, i], part.predicted[shown, i]
        panel.plot(t[shown], measured, color="0.6", lw=0.8, label="measured")
        panel.plot(t[shown], predicted, color="#0072B2", lw=1.0, label="predicted")
        panel.plot(t[shown], measured - predicted, color="#D55E00", lw=0.7, label="residual")
        panel.set_ylabel(f"axis {verdict.axes[i] + 1} [{verdict.units[i]}]")
        if i >= n - 2:
            panel.set_xlabel("t [s], held-out log")
    legend_below(figure, figure.axes[0])
    figure.align_ylabels()
    return figure


def section_of(result: Result, picture: str) -> Iterator[str]:
    """Yield the lines of an arm's section."""
    arm, verdict = result.arm, result.identification.verdict
    yield from (f"## {arm.title}", "", MADE, "")
    logs = ", ".join(f"`{log.source}` ({len(log)} samples)" for log in arm.fit)
    yield f"{arm.about[0].upper()}{arm.about[1:]}. Fit: {logs}. Held out: {_source(arm.held_out)}."
    yield ""
    n = arm.robot.n
    header = ["RMSE on the held-out log [N m]", *(f"axis {i + 1}" for i in range(n))]
    rows = [["plain least squares", *_numbers(result.plain)]]
    if result.published is not None:
        rows.append(["parameters published by the authors", *_numbers(result.published)])
    rows.append(["`irbmodels identify`", *_numbers(verdict.held_out.rmse)])
    noise = baseline.white_noise([log.measured - log.predicted for log in verdict.logs])
    rows.append(["white noise per sample, of second differences", *_numbers(noise)])
    rows.append(["mean torque", *_numbers(verdict.held_out.average)])
    rows.append(["level", *verdict.levels])
    yield from _table([header, ["---", *["---:"] * n], *rows])
    yield ""
    yield f"Level of the whole: **{verdict.level}**."
    yield ""
    yield from (f"- {note}" for note in (*verdict.notes, *verdict.reasons))
    yield ""
    yield f"![Torques of the {arm.title}](../pictures/{picture})"
    yield ""
    yield "<details><summary>Findings in the logs</summary>"
    yield ""
    yield from (f"- {finding}" for finding in result.findings)
    yield ""
    yield "</details>"
    yield ""


def _table(rows: Sequence[Sequence[str]]) -> Iterator[str]:
    yield from (f"| {' | '.join(row)} |" for row in rows)


def _others(names: Sequence[str]) -> Iterator[list[str]]:
    """Yield for each name those that follow it, round and round."""
    yield from ([*names[i + 1 :], *names[:i]] for i in range(len(names)))


def _source(log: Recording) -> str:
    return f"`{log.source}` ({len(log)} samples)"


def _numbers(values: baseline.Array) -> list[str]:
    return [f"{value:.3g}" for value in values]


def main(arguments: list[str] | None = None) -> int:
    """Identify the arms, write the page and the figures."""
    listed = "\n".join(f"  {name:26}{address}" for name, address in REPOSITORIES.items())
    parser = argparse.ArgumentParser(
        description=dedent(__doc__ or ""),
        epilog=f"folders of DIR:\n{listed}",
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--data", type=Path, required=True, metavar="DIR", help="fetched data")
    parser.add_argument("--arms", nargs="+", choices=ARMS, default=list(ARMS), help="default: all")
    parser.add_argument(
        "-o", "--output", type=Path, default=DOCS / "background", help="folder of the page"
    )
    options = parser.parse_args(arguments)
    page, console = options.output / "measured_arms.md", Console(stderr=True)
    lines: list[str] = []
    results = {
        name: result_of(ARMS[name](options.data))
        for name in track(options.arms, description="identifying", console=console)
    }
    for name, result in results.items():
        picture = f"measured_{name}.png"
        save(figure_of(result), options.output.parent / "pictures" / picture)
        lines += section_of(result, picture)
    if len(results) > 1:
        lines += ["## Spoilt copies", "", MADE, "", SPOILT, ""]
    for (name, result), others in zip(results.items(), _others(list(results)), strict=True):
        arm, clean = result.arm, result.identification
        known = (results[one].identification for one in others)
        other = next((one for one in known if one.parameters.robot.n == arm.robot.n), None)
        if other is not None:
            spoilt = spoilt_logs.rows(name, arm.robot, other, clean, arm.fit, arm.held_out)
            listed = list(track(spoilt, arm.title, spoilt_logs.COPIES, console=console))
            header = [arm.title, "`validate`, the set of the log before", "`identify`"]
            lines += [*_table([header, ["---"] * 3, *listed]), ""]
    if len(results) > 1:
        arms = [one.arm for one in results.values()] + [simulated(name) for name in NAMES]
        listed = list(
            leave_one_out.rows(leave_one_out.tried(track(arms, "left out", console=console)))
        )
        lines += [
            "## One robot left out",
            "",
            MADE,
            "",
            LEFT_OUT.format(simulated=", ".join(NAMES)),
            "",
        ]
        lines += [*_table([leave_one_out.HEADER, ["---"] * len(leave_one_out.HEADER), *listed]), ""]
    before, _, rest = page.read_text(encoding="utf-8").partition(BEGIN)
    after = rest.partition(END)[2]
    with replacing(page) as temporary:
        body = "\n".join(lines)
        temporary.write_text(f"{before}{BEGIN}\n\n{body}\n{END}{after}", encoding="utf-8")
    console.print(f"wrote {page}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
