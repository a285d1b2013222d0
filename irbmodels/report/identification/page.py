"""One HTML page with tables and figures.

It needs nothing beside it, and asks nothing of a network.
"""

from __future__ import annotations

import html
from collections.abc import Iterator, Sequence
from datetime import date
from pathlib import Path
from string import Template

from ...files import replacing
from ...identification.validation.criteria import ERROR
from ...identification.validation.verdict import Verdict
from ...version import __version__
from ..html import bar, rows_html, style, svg
from .drawings import curves_figure, dependence_figure, memory_figure, sums_figure, torque_figure
from .tables import (
    COVERAGE,
    RESIDUALS,
    SUMS,
    accuracy_rows,
    coverage_rows,
    headline,
    remarks,
    residual_rows,
    sum_row,
)


def write_report(
    path: str | Path, verdict: Verdict, source: str = "", notes: Sequence[str] = ()
) -> None:
    """Write the page.

    Args:
        path: File to write.
        verdict: What is to be known about a set.
        source: The logs, for the heading.
        notes: What else was found in the logs, or done to them, one line each.

    Raises:
        FileError: if the file cannot be written; then nothing is.
    """
    text = report_html(verdict, source, notes)
    with replacing(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def report_html(verdict: Verdict, source: str = "", notes: Sequence[str] = ()) -> str:
    """Return the page as text."""
    said = html.escape
    template = Template(Path(__file__).with_name("page.html").read_text(encoding="utf-8"))
    title = f"{'Identification' if verdict.sums else 'Validation'}: {source or verdict.robot}"
    reasons = "".join(f"<li>{said(reason)}</li>" for reason in verdict.reasons)
    none = (
        "Held-out torques are met, nothing in what is left depends on the motion, and the logs"
        " cover what they should."
    )
    return template.substitute(
        style=style(),
        title=said(title),
        robot=said(verdict.robot),
        made=f"irbmodels {__version__}, {date.today():%Y-%m-%d}",
        state="good" if verdict.trustworthy else "bad",
        verdict=said(headline(verdict)),
        reasons=f"<ul>{reasons}</ul>" if reasons else none,
        cards="".join(
            f"<div><b>{said(value)}</b><span>{said(what)}</span></div>"
            for what, value in _cards(verdict)
        ),
        accuracy=_accuracy_html(verdict),
        torques=svg(torque_figure(verdict)),
        residuals=rows_html(RESIDUALS, residual_rows(verdict)),
        memory=svg(memory_figure(verdict)),
        dependence=svg(dependence_figure(verdict)),
        curves=svg(curves_figure(verdict)),
        coverage=_coverage_html(verdict),
        sums=_sums_html(verdict),
        remarks="".join(f"<li>{said(line)}</li>" for line in (*remarks(verdict), *notes)),
    )


def _cards(verdict: Verdict) -> Iterator[tuple[str, str]]:
    worst = int(verdict.held_out.rmse_over_average.argmax())
    yield (
        f"RMSE/AVG, worst: axis {verdict.axes[worst] + 1}",
        f"{verdict.held_out.rmse_over_average[worst]:.1f} %",
    )
    if verdict.before is not None:
        yield (
            "of the RMSE before, on average",
            f"{100.0 * (verdict.held_out.rmse / verdict.before.rmse).mean():.0f} %",
        )
    if verdict.condition is not None:
        yield "condition number", f"{verdict.condition:.3g}"
        sure = sum(one.state == "determined" for one in verdict.sums)
        yield "sums determined to 10 %", f"{sure} of {len(verdict.sums)}"
        yield "samples of the fit", f"{verdict.samples:,}"
    else:
        yield "samples", f"{verdict.held_samples:,}"
    yield "of the rated speed, slowest axis", f"{100.0 * verdict.coverage.speed_share.min():.0f} %"


def _table_html(heads: Sequence[str], rows: Iterator[tuple[Sequence[str], str]]) -> str:
    """Return a table of cells that are HTML already, each row with its class."""
    head = "".join(f"<th>{html.escape(cell)}</th>" for cell in heads)
    body = "".join(
        f'<tr class="{mark}">{"".join(f"<td>{cell}</td>" for cell in cells)}</tr>'
        for cells, mark in rows
    )
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _accuracy_html(verdict: Verdict) -> str:
    fit, before = verdict.estimation is not None, verdict.before is not None
    heads = [
        "axis",
        "MAE",
        "RMSE",
        "AVG",
        "RMSE/AVG, held out",
        *["RMSE of the fit"] * fit,
        *["RMSE before"] * before,
        "unit",
    ]

    def rows() -> Iterator[tuple[Sequence[str], str]]:
        for i, (axis, mae, rmse, average, share, own, old, unit) in enumerate(
            accuracy_rows(verdict)
        ):
            over = not verdict.held_out.rmse_over_average[i] <= 100.0 * ERROR
            others = [cell for cell, shown in ((own, fit), (old, before)) if shown]
            # a full bar is the largest error that is trusted
            width, state = min(float(share) / ERROR, 100.0), "over" if over else ""
            bar = f'<span class="bar {state}"><i style="width:{width:.1f}%"></i></span>'
            yield (
                [axis, mae, rmse, average, f"{bar}{share} %", *others, unit],
                "bad" if over else "",
            )

    return _table_html(heads, rows())


def _coverage_html(verdict: Verdict) -> str:
    def rows() -> Iterator[tuple[Sequence[str], str]]:
        for i, (axis, low, high, unit, _, speed, _, acceleration, slow) in enumerate(
            coverage_rows(verdict)
        ):
            span, share = (
                100.0 * float(part[i])
                for part in (verdict.coverage.span, verdict.coverage.speed_share)
            )
            yield [axis, low, high, unit, bar(span), speed, bar(share), acceleration, slow], ""

    return _table_html(COVERAGE, rows())


def _sums_html(verdict: Verdict) -> str:
    if not verdict.sums:
        return ""

    def rows() -> Iterator[tuple[Sequence[str], str]]:
        for one in verdict.sums:
            name, *cells = map(html.escape, sum_row(one))
            cells[4] = f'<span class="state {one.state}">{cells[4]}</span>'
            yield [f"<code>{name}</code>", *cells], ""

    table = _table_html(SUMS, rows())
    return (
        "<h2>What the torques determine</h2><section"
        f' class="sheet">{svg(sums_figure(verdict))}{table}</section>'
    )
