"""Page of an identification or validation: one HTML file, no network."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from html import escape
from pathlib import Path

import numpy as np

from ...files import write_text
from ...identification.validation.levels import BOUNDS
from ...identification.validation.verdict import Verdict
from ..html import Markup, bar, cards_html, list_html, page_html, svg, table_html
from .drawings import (
    curves_figure,
    dependence_figure,
    memory_figure,
    spring_figure,
    sums_figure,
    torque_figure,
)
from .tables import (
    COVERAGE,
    FRICTION,
    RESIDUALS,
    SPRINGS,
    SUMS,
    accuracy_rows,
    coverage_rows,
    friction_rows,
    headline,
    remarks,
    residual_rows,
    spring_rows,
    sum_row,
)


def write_report(
    path: str | Path, verdict: Verdict, source: str = "", notes: Sequence[str] = ()
) -> None:
    """Write the page.

    Args:
        path: File to write.
        verdict: Result of an identification or validation.
        source: Names of the logs, for the heading.
        notes: Findings in the logs and changes made to them, one line each.

    Raises:
        FileError: if the file cannot be written; then nothing is.
    """
    write_text(path, report_html(verdict, source, notes))


def report_html(verdict: Verdict, source: str = "", notes: Sequence[str] = ()) -> str:
    """Return the page as text."""
    title = f"{'Identification' if verdict.estimates else 'Validation'}: {source or verdict.robot}"
    none = (
        "Held-out torques are met, no mistake explains the residuals, and the logs cover what they"
        " should."
    )
    return page_html(
        Path(__file__).with_name("page.html"),
        title=escape(title),
        robot=escape(verdict.robot),
        state="bad" if verdict.level in ("poor", "wrong") else "good",
        verdict=escape(headline(verdict)),
        reasons=f"<ul>{list_html(verdict.reasons)}</ul>" if verdict.reasons else none,
        cards=cards_html(cards(verdict)),
        accuracy=accuracy_html(verdict),
        torques=svg(torque_figure(verdict)),
        residuals=table_html(RESIDUALS, residual_rows(verdict)),
        memory=svg(memory_figure(verdict)),
        dependence=svg(dependence_figure(verdict)),
        curves=svg(curves_figure(verdict)),
        coverage=coverage_html(verdict),
        sums=_sums_html(verdict) + _friction_html(verdict) + _springs_html(verdict),
        remarks=list_html((*remarks(verdict), *notes)),
    )


def cards(verdict: Verdict) -> Iterator[tuple[str, str]]:
    """Yield the numbers that sum the page up: label and value."""
    worst = int(verdict.held_out.rmse_over_average.argmax())
    yield (
        f"RMSE/AVG, worst: axis {verdict.axes[worst] + 1}",
        f"{verdict.held_out.rmse_over_average[worst]:.1f} %",
    )
    if verdict.previous is not None:
        yield (
            "of the RMSE before, on average",
            f"{100.0 * (verdict.held_out.rmse / verdict.previous.rmse).mean():.0f} %",
        )
    if verdict.condition is not None:
        yield "condition number", f"{verdict.condition:.3g}"
        sure = sum(one.significance == "significant" for one in verdict.estimates)
        yield "base parameters significant (to 10 %)", f"{sure} of {len(verdict.estimates)}"
        yield "samples of the fit", f"{verdict.samples:,}"
    else:
        yield "samples", f"{verdict.held_samples:,}"
    shares = verdict.coverage.speed_share
    if np.isfinite(shares).any():
        yield "of the rated speed, slowest axis", f"{100.0 * np.nanmin(shares):.0f} %"


def accuracy_html(verdict: Verdict) -> str:
    """Return errors per axis; a full bar is the largest unexplained share that is usable."""
    fit, before = verdict.estimation is not None, verdict.previous is not None
    heads = [
        *("axis", "MAE", "RMSE", "AVG", "RMSE/AVG %"),
        *["RMSE of the fit"] * fit,
        *["RMSE before"] * before,
        *("unit", "unexplained, held out", "level"),
    ]
    over = [level in ("poor", "wrong") for level in verdict.levels]
    rows = [
        [
            *errors,
            *[fit_rmse] * fit,
            *[rmse_before] * before,
            unit,
            bar(float(share) / BOUNDS[2], f"{share} %", bad),
            level,
        ]
        for (*errors, fit_rmse, rmse_before, unit, share, level), bad in zip(
            accuracy_rows(verdict), over, strict=True
        )
    ]
    return table_html(heads, rows, over)


def coverage_html(verdict: Verdict) -> str:
    """Return positions, speeds and accelerations per axis, shares of range and speed as bars."""
    cover, rows = verdict.coverage, [list(row) for row in coverage_rows(verdict)]
    for i, row in enumerate(rows):
        for place, share in ((4, cover.span[i]), (6, cover.speed_share[i])):
            row[place] = bar(100.0 * share) if np.isfinite(share) else row[place]
    return table_html(COVERAGE, rows)


def _sums_html(verdict: Verdict) -> str:
    if not verdict.estimates:
        return ""
    rows = []
    for one in verdict.estimates:
        name, *cells = sum_row(one)
        cells[4] = Markup(f'<span class="state {one.significance}">{escape(cells[4])}</span>')
        rows.append([Markup(f"<code>{escape(name)}</code>"), *cells])
    return (
        "<h2>What the torques determine</h2><section"
        f' class="sheet">{svg(sums_figure(verdict))}{table_html(SUMS, rows)}</section>'
    )


def _friction_html(verdict: Verdict) -> str:
    rows = list(friction_rows(verdict))
    if not rows:
        return ""
    about = (
        "Models of friction on stretches of the logs that their fit has not seen: mean square over"
        " all axes, of that without further terms; +- is the standard error of its difference to"
        " the best. The simplest within one standard error of the best is chosen."
    )
    return (
        f'<h2>How friction was chosen</h2><section class="sheet"><p>{about}</p>'
        f"{table_html(FRICTION, rows)}</section>"
    )


def _springs_html(verdict: Verdict) -> str:
    rows = list(spring_rows(verdict))
    if not rows:
        return ""
    about = (
        "Springs of axes whose residuals depend on their own position, chosen as friction is. A"
        " spring counts only where the logs tell its torque from weight, friction and an offset."
    )
    drawing = svg(spring_figure(verdict)) if verdict.sprung else ""
    return (
        f'<h2>How springs were chosen</h2><section class="sheet"><p>{about}</p>'
        f"{drawing}{table_html(SPRINGS, rows)}</section>"
    )
