"""Tables and the page of an identification."""

import re
from dataclasses import replace

import numpy as np
import pytest
import verdict_cases as cases
from html_pages import Page
from rich.console import Console
from terminals import assert_nothing_is_cut

import irbmodels as irb
from irbmodels.errors import FileError
from irbmodels.identification.recordings import Recording
from irbmodels.identification.validation import binned_mean, prepare
from irbmodels.identification.validation.evaluation import evaluate
from irbmodels.identification.validation.verdict import BaseParameterEstimate, Limitation
from irbmodels.report.identification import (
    headline,
    remarks,
    report_html,
    verdict_tables,
    write_report,
)
from irbmodels.report.identification.drawings import (
    curves_figure,
    dependence_figure,
    memory_figure,
    sums_figure,
    torque_figure,
)
from irbmodels.report.identification.page import accuracy_html, cards, coverage_html
from irbmodels.report.identification.record import verdict_record
from irbmodels.report.identification.tables import probability, sum_row


@pytest.fixture(scope="module")
def judged():
    return cases.good().verdict


@pytest.fixture(scope="module")
def checked():
    """A validation without a fit."""
    return evaluate(cases.truth(), [prepare(cases.log(1))])


def printed(tables):
    console = Console(width=220, markup=False)
    with console.capture() as text:
        for table in tables:
            console.print(table)
    return text.get()


def cells(text, title, axis):
    """The cells of a row of the table with that title."""
    lines = text[text.index(title) :].splitlines()
    return next(line.split() for line in lines if re.match(rf"\s*{axis}\s", line))


def test_tables_hold_the_numbers_of_the_verdict(judged):
    """Errors per axis as Tab. 6 of S000, residuals, coverage in degrees, and the sums that have
    moved most first.
    """
    text = printed(verdict_tables(judged))
    row = cells(text, "model against measurement", 2)
    accuracy = judged.held_out
    want = [*(column[1] for column in accuracy), judged.estimation.rmse[1], judged.previous.rmse[1]]
    share = f"{100.0 * judged.unexplained[1]:.1f}"
    assert row == ["2", *(f"{value:.2f}" for value in want), "N", "m", share, judged.levels[1]]
    white, cover, units = judged.whiteness, judged.coverage, "N m"
    tables = {table.title.partition(":")[0]: table for table in verdict_tables(judged)}
    residuals, covered = (
        tables[title].rows for title in ("residuals on held-out samples", "what the logs cover")
    )
    for i, (row, logs) in enumerate(zip(residuals, covered, strict=True)):
        share = judged.dependence.explained[i]
        kind, axis = np.unravel_index(np.nanargmax(share), share.shape)
        assert row == (
            str(i + 1), f"{white.statistic[i]:.1f}", probability(white.p[i]),
            f"{white.correlation_length[i]:.1f}", f"{'qva'[kind]}{axis + 1}",
            f"{100 * np.nanmax(share):.1f}", probability(judged.dependence.p[i, kind, axis]),
            # RMS of what depends on it
            f"{np.sqrt(np.nanmax(share)) * accuracy.rmse[i]:.2g} {units}",
        )  # fmt: skip
        low, high, speed, acceleration = (
            f"{np.degrees(one[i]):.1f}"
            for one in (cover.low, cover.high, cover.speed, cover.acceleration)
        )
        assert logs == (
            str(i + 1), low, high, "deg", f"{100 * cover.span[i]:.0f}", speed,
            f"{100 * cover.speed_share[i]:.0f}", acceleration, f"{100 * cover.slow[i]:.1f}",
        )  # fmt: skip
    moved = [one for one in judged.estimates if one.changed and one.significance != "insignificant"]
    first = max(moved, key=lambda one: abs(one.estimate - one.previous) / one.deviation)
    assert f"base parameters that have changed most, of {len(moved)}" in text
    assert next(
        line for line in text[text.index("base parameters that") :].splitlines() if "kg" in line
    ).startswith(f" {first.name}  ")
    assert len(
        [line for line in text[text.index("base parameters that") :].splitlines() if " yes" in line]
    ) == min(10, len(moved))
    unsure = printed(
        verdict_tables(
            replace(
                judged,
                estimates=(*judged.estimates, moved[0]._replace(significance="insignificant")),
            )
        )
    )
    # what may as well be 0 is left out
    assert f"base parameters that have changed most, of {len(moved)}" in unsure


def test_the_record_has_each_number_of_the_verdict(judged):
    verdict = verdict_record(judged)["verdict"]
    errors = ("mae", "rmse", "average", "rmse_over_average")
    for i, row in enumerate(verdict["axes"]):
        for key in ("held_out", "estimation", "previous"):
            expected = [getattr(getattr(judged, key), field)[i] for field in errors]
            assert list(row[key].values()) == expected
        assert (row["axis"], row["level"]) == (i + 1, judged.levels[i])
        assert row["unexplained_share"] == judged.unexplained[i]
        white, cover = judged.whiteness, judged.coverage
        assert (row["ljung_box"], row["white_p"]) == (white.statistic[i], white.p[i])
        assert row["memory_samples"] == white.correlation_length[i]
        share = judged.dependence.explained[i]
        assert row["dependence_share"] == np.nanmax(share)
        fields = ("low", "high", "span", "speed", "speed_share", "acceleration", "slow")
        assert list(row["coverage"].values()) == [getattr(cover, field)[i] for field in fields]
    assert (verdict["samples"], verdict["held_out_samples"]) == (
        judged.samples,
        judged.held_samples,
    )
    assert verdict["condition"] == judged.condition
    assert [one["estimate"] for one in verdict["base_parameters"]] == [
        one.estimate for one in judged.estimates
    ]


def test_tables_are_never_cut(judged, checked):
    assert_nothing_is_cut(verdict_tables(judged))
    assert_nothing_is_cut(verdict_tables(checked))


def test_tables_without_a_fit(checked):
    text = printed(verdict_tables(checked))
    assert "base parameter" not in text
    assert len(cells(text, "model against measurement", 2)) == 9
    sentences = remarks(checked)
    assert sentences[0] == f"{checked.held_samples} samples, none of them used for a fit"


def test_remarks_count_what_is_determined(judged):
    """Counts of base parameters by significance, parameters without influence, flags, and a long
    memory.
    """
    sentences = "\n".join(remarks(judged))
    counts = [
        sum(one.significance == state for one in judged.estimates)
        for state in ("significant", "weak", "insignificant")
    ]
    assert (
        f"{sum(counts)} base parameters: {counts[0]} significant (deviation up to 10%), {counts[1]}"
        f" weak (up to 50%), {counts[2]} insignificant"
    ) in sentences
    assert "no torque of these axes depends on m_1, " in sentences
    assert (
        f"{100 * judged.flagged['EDGE']:.1f}% of the samples are flagged EDGE and left out"
        in sentences
    )
    assert "every link is a body that can exist" in sentences
    assert "memory" not in sentences
    assert "friction law" not in sentences
    white = judged.whiteness._replace(correlation_length=np.array([1.0, 1.9, 7.3, 1.0, 1.0, 1.0]))
    assert "memory in samples of axis 3 (7); intervals" in "\n".join(
        remarks(replace(judged, whiteness=white))
    )
    assert "no body can be link_2, link_4" in "\n".join(
        remarks(replace(judged, impossible_bodies=("link_2", "link_4")))
    )


def test_remarks_say_what_a_missing_term_may_be(judged, checked):
    hint = "if the model misses a term: are positions and torques on one clock"
    assert hint not in "\n".join(remarks(judged))
    assert hint not in "\n".join(remarks(checked))
    share, p = (column.copy() for column in judged.dependence[:2])
    share[1, 2, 0], p[1, 2, 0] = 0.5, 1e-9
    rmse = np.maximum(judged.held_out.rmse, 0.05 * judged.held_out.average)
    depends = replace(
        judged,
        dependence=judged.dependence._replace(explained=share, p=p),
        held_out=judged.held_out._replace(rmse=rmse),
    )
    assert sum(hint in line for line in remarks(depends)) == 1


def test_headline_says_whether(judged):
    assert (
        headline(judged)
        == f"level {judged.level} (axes: "
        + ", ".join(f"{i} {level}" for i, level in enumerate(judged.levels, 1))
        + ")"
    )
    axis_2 = Limitation("a", "poor", 1)
    assert headline(replace(judged, limitations=(axis_2,))) == (
        "level poor (axes: 1 reference, 2 poor, 3 reference, 4 reference, 5 reference, 6 reference)"
    )
    whole = headline(replace(judged, limitations=(Limitation("a", "wrong"),)))
    assert whole.startswith("level wrong (axes: 1 reference, 2 reference")


def test_the_page_stands_on_its_own(judged, tmp_path):
    """No address but namespaces, no script, well-formed; figures, tables, verdict; dangerous names
    are escaped.
    """
    path = tmp_path / "r.html"
    write_report(
        path,
        replace(judged, limitations=(Limitation("axis 2: <worse>", "poor", 1),)),
        "<b>&.csv",
        ["log: found & done"],
    )
    text = path.read_text(encoding="utf-8")
    page = Page(text)
    assert page.open == []
    assert set(re.findall(r"[a-z]+://[^\s\"'<)]+", text)) <= {
        "http://www.w3.org/2000/svg",
        "http://www.w3.org/1999/xlink",
    }
    assert not {"script", "img", "link", "iframe", "object"} & {tag for tag, _ in page.tags}
    assert sum(tag == "svg" for tag, _ in page.tags) == 5
    assert len([1 for tag, _ in page.tags if tag == "code"]) == len(judged.estimates)
    words = " ".join(page.words)
    for what in (
        "level poor (axes: 1 reference, 2 poor,",
        "axis 2: <worse>",
        "Identification: <b>&.csv",
        "log: found & done",
        "irb2400_16 with spindle",
    ):
        assert what in words
    for column in judged.held_out:
        assert f"{column[3]:.2f}" in words
    assert ("section", {"class": "verdict bad"}) in page.tags
    assert len(text) < 1_500_000
    with pytest.raises(FileError):
        write_report(tmp_path / "none" / "r.html", judged)


def test_the_page_of_a_validation(checked):
    """Without a fit there are four figures and no sums; the banner is green where nothing speaks
    against the set.
    """
    page = Page(report_html(checked, "log.csv"))
    assert sum(tag == "svg" for tag, _ in page.tags) == 4
    assert ("section", {"class": "verdict good"}) in page.tags
    assert "Validation: log.csv" in " ".join(page.words)
    assert "RMSE before" not in page.words
    assert "within the 95% band" not in " ".join(page.words)  # a shipped set has no covariance


def test_the_cards_sum_up(judged):
    """The worst axis, the error against the previous one, what the fit determines, and the axis
    that was slowest.
    """
    percent = np.array([3.0, 2.0, 9.0, 1.0, 2.0, 3.0])
    held = judged.held_out._replace(
        rmse_over_average=percent, rmse=np.array([1.0, 2.0, 3.0, 4.0, 5.0, 6.0])
    )
    # ratios 0.5 and 1 in turn
    before = judged.previous._replace(rmse=np.array([2.0, 2.0, 6.0, 4.0, 10.0, 6.0]))
    cover = judged.coverage._replace(speed_share=np.array([0.9, 0.8, 0.7, 0.31, 0.6, 0.5]))
    shown = dict(cards(replace(judged, held_out=held, previous=before, coverage=cover)))
    assert shown["RMSE/AVG, worst: axis 3"] == "9.0 %"
    assert shown["of the RMSE before, on average"] == "75 %"
    assert shown["of the rated speed, slowest axis"] == "31 %"
    assert shown["condition number"] == f"{judged.condition:.3g}"
    sure = sum(one.deviation <= 0.1 * abs(one.estimate) for one in judged.estimates)
    assert shown["base parameters significant (to 10 %)"] == f"{sure} of {len(judged.estimates)}"
    assert shown["samples of the fit"] == f"{judged.samples:,}"


def test_a_sum_says_how_sure_it_is():
    """Half its interval, its deviation in per cent of it, nothing where nobody knew it before;
    small probabilities are bounds.
    """
    one = BaseParameterEstimate("Fc_1", "N m", 20.0, 0.5, 19.0, 21.0, 25.0, "significant")
    assert sum_row(one) == ("Fc_1", "20", "1", "N m", "2.5", "significant", "25", "yes")
    assert sum_row(one._replace(previous=20.5))[-2:] == ("20.5", "")
    assert sum_row(one._replace(previous=np.nan))[-2:] == ("", "")
    assert (
        sum_row(one._replace(estimate=0.0))[4] == sum_row(one._replace(estimate=0.01))[4] == ">1000"
    )
    assert [probability(p) for p in (0.5, 0.001, 0.0009)] == ["0.500", "0.001", "< 0.001"]


def test_bars_are_as_long_as_their_numbers(judged):
    """A full bar of an unexplained share is 20 %; that of a poor axis is red."""
    shares = np.array(judged.unexplained)
    shares[:2] = 0.1, 0.3
    bad = (Limitation("a", "poor", 1),)
    text = accuracy_html(replace(judged, unexplained=shares, limitations=bad))
    assert '<span class="bar "><i style="width:50.0%"></i></span>10.0 %' in text
    assert '<span class="bar over"><i style="width:100.0%"></i></span>30.0 %' in text
    cover = judged.coverage._replace(span=np.full(6, 0.42), speed_share=np.full(6, 0.84))
    table = coverage_html(replace(judged, coverage=cover))
    rows = [re.findall(r"<td.*?</td>", row) for row in re.findall(r"<tr.*?</tr>", table)[1:]]
    for row, speed in zip(rows, np.degrees(cover.speed), strict=True):
        assert [cell.endswith("42 %</td>") for cell in row] == [i == 4 for i in range(9)]
        assert row[5] == f"<td>{speed:.1f}</td>"
        assert row[6].endswith("84 %</td>")


def test_figures_draw_the_arrays(judged):
    """Curves are measured less predicted torques; squares are the shares; the framed one is what
    counts.
    """
    axes = torque_figure(judged).axes[1]
    lines = {line.get_label(): line for line in axes.lines}
    part = judged.logs[0]
    count = len(part.measured)
    np.testing.assert_array_equal(lines["measured"].get_ydata()[:count], part.measured[:, 1])
    np.testing.assert_array_equal(lines["model"].get_ydata()[:count], part.predicted[:, 1])
    np.testing.assert_allclose(lines["residual"].get_ydata()[:count], judged.residual()[:count, 1])
    np.testing.assert_allclose(lines["model"].get_xdata()[:count], part.motion.t - part.motion.t[0])
    assert np.isnan(lines["model"].get_ydata()[count])
    (band,) = axes.collections
    edge = band.get_paths()[0].vertices
    upper = part.predicted[:, 1] + part.half_width[:, 1]
    assert edge[:, 1].max() >= upper.max() > part.predicted[:, 1].max()
    for value in upper[:5]:
        assert np.abs(edge[:, 1] - value).min() < 1e-9
    assert (np.diff(lines["model"].get_xdata()) >= 0.0).all()  # one stretch after another
    share, p = np.zeros((6, 3, 6)), np.ones((6, 3, 6))
    share[2, 1, 3], p[2, 1, 3] = 0.4, 1e-9
    figure = dependence_figure(
        replace(judged, dependence=judged.dependence._replace(explained=share, p=p))
    )
    image = figure.axes[0].images[0].get_array()
    assert image[2, 9] == pytest.approx(40.0)
    ticks = [label.get_text() for label in figure.axes[0].get_xticklabels()]
    assert ticks == [f"${name}_{axis}$" for name in "qva" for axis in range(1, 7)]
    (frame,) = [patch for patch in figure.axes[0].patches if not patch.get_fill()]
    assert frame.get_xy() == (8.5, 1.5)
    bars = memory_figure(judged).axes[4].collections[1].get_segments()
    np.testing.assert_allclose([bar[1][1] for bar in bars], judged.whiteness.autocorrelation[:, 4])
    residual, q = judged.residual()[:, 0], np.degrees(judged.state("q")[:, 0])
    line = curves_figure(judged).axes[0].lines[0]
    low = q <= np.quantile(q, 0.05)
    np.testing.assert_allclose(
        line.get_xydata()[0], [q[low].mean(), residual[low].mean()], rtol=0.05, atol=0.05
    )
    memory = judged.whiteness.correlation_length[0]
    wide = binned_mean(residual, q, float(memory)).error[0]
    (band,) = curves_figure(judged).axes[0].collections
    ends = [y for x, y in band.get_paths()[0].vertices if x == line.get_xdata()[0]]
    np.testing.assert_allclose(
        [min(ends), max(ends)], line.get_ydata()[0] + 2.0 * wide * np.array([-1.0, 1.0])
    )
    band = memory_figure(judged).axes[4].collections[0].get_paths()[0].vertices
    assert np.abs(band[:, 1]).max() == judged.whiteness.bound[:, 4].max()
    sums, figure = (
        sorted(judged.estimates, key=lambda one: one.deviation / abs(one.estimate)),
        sums_figure(judged),
    )
    assert [line.get_ydata()[0] for line in figure.axes[0].lines] == [10.0, 50.0]
    away = figure.axes[1].collections[0].get_offsets()[:, 1]
    np.testing.assert_allclose(
        away, [(one.previous - one.estimate) / one.deviation for one in sums]
    )
    points = figure.axes[0].collections[0].get_offsets()
    relative = sorted(100.0 * one.deviation / abs(one.estimate) for one in judged.estimates)
    np.testing.assert_allclose(points[:, 1], np.minimum(relative, 1e4))


def test_a_linear_axis_has_its_own_units():
    """The SCARA's third axis is drawn and tabled in millimetres and newtons, and it has no friction
    to speak of.
    """
    scara = irb.load("irb930")
    t = np.arange(1500) / 250.0
    q = np.stack(
        [
            0.5 * np.sin(2.0 * t),
            0.4 * np.sin(3.1 * t),
            -0.15 + 0.1 * np.sin(2.3 * t),
            np.sin(1.7 * t),
        ],
        axis=1,
    )
    wave = Recording(
        t, q, tau=np.random.default_rng(0).normal(size=q.shape), linear=(False, False, True, False)
    )
    judged = evaluate(scara, [prepare(wave)])
    assert judged.units == ("N m", "N m", "N", "N m")
    assert np.isnan(judged.coverage.slow).all()
    row = cells(printed(verdict_tables(judged)), "what the logs cover", 3)
    assert row[3] == "mm"
    assert float(row[1]) == pytest.approx(-250.0, abs=1.0)
    assert len(torque_figure(judged).axes) == 4
    assert dependence_figure(judged).axes[0].images[0].get_array().shape == (4, 12)
    assert "the robot has no friction law" in "\n".join(remarks(judged))
    panel = curves_figure(judged).axes[6]
    np.testing.assert_allclose(panel.lines[0].get_xdata()[[0, -1]], [-250.0, -50.0], atol=5.0)  # mm
    assert panel.get_ylabel() == "axis 3\n[N]"
    some = evaluate(scara, [prepare(wave)], axes=[3, 4])  # panels and curves are of these axes
    first, last = (figure.axes for figure in (curves_figure(some), memory_figure(some)))
    np.testing.assert_allclose(first[0].lines[0].get_xdata()[[0, -1]], [-250.0, -50.0], atol=5.0)
    assert [axes.get_title(loc="left") for axes in last] == ["axis 3", "axis 4"]
