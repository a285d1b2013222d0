"""Redrawn figures of S000 and S002: their numbers, against values typed from the papers or worked
out by hand.
"""

import importlib.util
import json
import subprocess
import sys
from functools import wraps
from pathlib import Path

import numpy as np
import pytest
from PIL import Image
from scipy.optimize import brentq

import irbmodels as irb

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = ROOT / "scripts"
NAMES = [f"s000_fig{number}" for number in (5, 8, 9, 10, 11, 12)] + ["s000_tab6"]
NAMES += [f"s002_fig{number}" for number in (4, 5, 6, 7)] + ["s002_tab3"]
MODEL_ALONE = {"s000_fig5"}
TABLE_5 = np.array(  # S000: Fs, Fc [N m], Fv [N m s/rad], v_St [rad/s]
    [
        [36.3, 24.2, 11.85, 0.0085],
        [39.2, 31.2, 8.323, 0.0031],
        [25.3, 16.9, 9.3613, 0.0094],
        [19.2, 7.9, 7.1228, 0.0175],
        [39.7, 13.7, 7.2654, 0.0176],
        [17.5, 8.8, 2.323, 0.0162],
    ]
)
TABLE_6 = np.array(  # S000: MAE, RMSE, AVG [N m], RMSE / AVG [%]
    [
        [3.16, 4.08, 35.13, 11.61],
        [8.52, 10.89, 319.60, 3.41],
        [2.9, 3.79, 102.91, 3.69],
        [0.73, 1.17, 13.69, 8.56],
        [0.58, 0.78, 10.03, 7.80],
        [0.64, 0.81, 8.96, 9.06],
    ]
)
# of the move on which S002 is redrawn
STROKE = np.radians([130.0, 90.0, 80.0, 170.0, 130.0, 270.0])
T = 3.0  # [s] its duration
STEP = 1.0 / 250.0  # [s]
COUNT = 2.0 * np.pi / 2**20 / np.sqrt(12.0)  # [rad] standard deviation of rounding to counts


def eq_54(v, row):
    """S000 eq. 54 for a positive speed."""
    Fs, Fc, Fv, v_St = row
    return Fc + (Fs - Fc) * np.exp(-((v / v_St) ** 2)) + Fv * v


@pytest.fixture(scope="module")
def script():
    """Return scripts/papers.py as a module; tests/support/paper_formulas.py has its name
    already.
    """
    with pytest.MonkeyPatch.context() as patch:
        patch.syspath_prepend(SCRIPTS)
        spec = importlib.util.spec_from_file_location("papers_script", SCRIPTS / "papers.py")
        module = importlib.util.module_from_spec(spec)
        spec.loader.exec_module(module)
        yield module


@pytest.fixture(scope="module")
def sheets(script):
    """Return what the one command has drawn, by name."""
    return {}


@pytest.fixture(scope="module")
def drawn(script, sheets, tmp_path_factory):
    """Return the folder with everything that the one command writes."""
    folder = tmp_path_factory.mktemp("papers") / "made" / "here"

    def kept(name, draw):
        return lambda: sheets.setdefault(name, draw())

    with pytest.MonkeyPatch.context() as patch:
        for name, draw in script.SHEETS.items():
            patch.setitem(script.SHEETS, name, wraps(draw)(kept(name, draw)))
        assert script.main(["-o", str(folder)]) == 0
    return folder


@pytest.fixture(scope="module")
def numbers(drawn):
    """Return the numbers of a figure by its name, lists as arrays."""

    def read(name):
        committed = json.loads((drawn / f"papers_{name}.json").read_text(encoding="utf-8"))
        return {
            key: np.array(value) if isinstance(value, list) else value
            for key, value in committed.items()
        }

    return read


def test_one_command_draws_all_that_is_named(script, drawn):
    """Each figure is a picture of some size, each table a text, and nothing else is written."""
    assert sorted(script.SHEETS) == sorted(NAMES)
    made = {path.name for path in drawn.iterdir()}
    pictures = [name for name in NAMES if name != "s000_tab6"]
    tables = ["s000_tab6", "s002_tab3"]
    wanted = {f"papers_{name}.json" for name in NAMES} | {f"papers_{name}.png" for name in pictures}
    assert made == wanted | {f"papers_{name}.md" for name in tables}
    for name in pictures:
        with Image.open(drawn / f"papers_{name}.png") as picture:
            assert picture.width > 1000
            # neither blank nor two colors only
            assert len(np.unique(np.asarray(picture.convert("L")))) > 50


def test_what_needs_data_says_that_they_are_synthetic(sheets, drawn):
    """The word stands in the title and across every figure but the one that shows the model
    alone.
    """
    for name in NAMES:
        figure = sheets[name].figure
        if figure is None:
            continue
        across = [text.get_text() for text in figure.texts]
        assert (
            ("synthetic" in figure.get_suptitle())
            is ("synthetic" in across)
            is (name not in MODEL_ALONE)
        ), name
    assert "all RMSE" in (drawn / "papers_s000_tab6.md").read_text(encoding="utf-8")


def test_a_second_run_writes_the_same_bytes(drawn, tmp_path):
    """Another process draws one figure of each paper, and every file is the same."""
    command = [
        sys.executable,
        SCRIPTS / "papers.py",
        "-o",
        tmp_path,
        "--figure",
        "s000_fig8",
        "s002_fig4",
    ]
    subprocess.run(command, check=True, capture_output=True)
    made = sorted(tmp_path.iterdir())
    assert [path.name for path in made] == [
        f"papers_{n}.{end}" for n in ("s000_fig8", "s002_fig4") for end in ("json", "png")
    ]
    for path in made:
        assert path.read_bytes() == (drawn / path.name).read_bytes(), path.name


def test_help_names_every_figure(script, capsys):
    """--help lists them with what they are; another name is refused."""
    with pytest.raises(SystemExit, match="0"):
        script.main(["--help"])
    shown = capsys.readouterr().out
    assert all(name in shown for name in NAMES)
    with pytest.raises(SystemExit, match="2"):
        script.main(["-o", "nowhere", "--figure", "s000_fig7"])
    assert not Path("nowhere").exists()


# --- S000


def test_s000_fig5_is_eq_54_with_its_dip(numbers):
    """Parameters are those of Tab. 5; friction is least where its slope is 0."""
    actual = numbers("s000_fig5")
    keys = ("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s")
    np.testing.assert_array_equal(np.stack([actual[key] for key in keys], axis=1), TABLE_5)
    for row, v, least in zip(TABLE_5, actual["v_least_rad_s"], actual["least_N_m"], strict=True):
        Fs, Fc, Fv, v_St = row

        def slope(v, drop=Fs - Fc, Fv=Fv, v_St=v_St):
            return Fv - 2.0 * drop * v / v_St**2 * np.exp(-((v / v_St) ** 2))

        dip = brentq(slope, v_St, 20.0 * v_St)
        assert v == pytest.approx(dip, abs=1e-5)  # the curve's grid
        assert least == pytest.approx(eq_54(dip, row), rel=1e-5)


def test_s000_fig8_halves_the_difference(numbers):
    """Half the difference of both ways is eq. 54 at that speed, their mean the weight of the arm at
    q2 = 0.
    """
    actual = numbers("s000_fig8")
    assert actual["speed_rad_s"] == pytest.approx(0.093, rel=1e-3)
    assert actual["friction_eq73_N_m"] == pytest.approx(
        0.5 * (actual["forward_N_m"] - actual["backward_N_m"]), abs=1e-4
    )
    assert actual["truth_N_m"] == pytest.approx(eq_54(0.093, TABLE_5[1]), rel=1e-5)
    assert actual["friction_eq73_N_m"] == pytest.approx(
        actual["truth_N_m"], abs=3.0 * actual["deviation_N_m"]
    )
    assert 0.3 < actual["deviation_N_m"] < 1.0  # noise of 10.89 N m over 450 samples: 0.51
    weight = 0.5 * (actual["forward_N_m"] + actual["backward_N_m"])
    # eq. 57 with the parallelogram (errata 0-16), noise of 0.5
    assert weight == pytest.approx(-12.40, abs=2.0)


def test_s000_fig9_finds_table_5_again(numbers):
    """The 95 % intervals hold the four parameters that the log was made from, and the law is off by
    less than 1 N m.
    """
    actual = numbers("s000_fig9")
    np.testing.assert_allclose(actual["truth"], TABLE_5[1])
    assert (actual["intervals_95"][:, 0] < TABLE_5[1]).all()
    assert (actual["intervals_95"][:, 1] > TABLE_5[1]).all()
    v = np.geomspace(1e-3, 0.5, 20)
    error = np.abs(eq_54(v, actual["fitted"]) - eq_54(v, TABLE_5[1])).max()
    assert actual["largest_error_N_m"] == pytest.approx(error, rel=1e-3)
    assert error < 1.0  # noise of 10.89 N m over 400 samples is 0.5


def test_s000_fig10_and_11_show_the_motion(numbers, script):
    """Strokes are those of the postures; the main axes are as fast as the law says, 2 h/T."""
    postures = np.radians(script.s000.POSTURES_DEG)
    shown = [numbers("s000_fig10"), numbers("s000_fig11")]
    stroke = np.concatenate([actual["stroke_rad"] for actual in shown])
    # true stiction lets the wrist overshoot
    np.testing.assert_allclose(stroke, np.ptp(postures, axis=0), rtol=0, atol=0.025)
    fastest = 2.0 * np.abs(np.diff(postures, axis=0)).max(axis=0) / script.s000.MOVE_TIME
    # followed, and through a filter of 80 ms
    np.testing.assert_allclose(shown[0]["fastest_rad_s"], fastest[:3], rtol=0.01)


def test_s000_tab6_is_eq_75_to_77(numbers, script):
    """Of all samples it is what predict() says; printed is Tab. 6; where an axis moves what is left
    is the noise put in.
    """
    actual = numbers("s000_tab6")
    np.testing.assert_array_equal(actual["printed"], TABLE_6)
    prediction = script.s000.validation()[0]
    np.testing.assert_allclose(
        actual["all_samples"], np.stack(prediction.accuracy, axis=1), rtol=1e-5
    )  # written with six digits
    moving = actual["moving"]
    np.testing.assert_allclose(moving[:, 3], 100.0 * moving[:, 1] / moving[:, 2], rtol=1e-4)
    exact = actual["RMSE_without_noise_N_m"]
    expected = np.hypot(TABLE_6[:, 1], exact["moving"])
    # 1000 samples: 2 %; wrist spikes that noise of q moves: more
    np.testing.assert_allclose(moving[:, 1], expected, rtol=0.08)
    # stuck axes are where a law of speed fails
    assert (np.array(exact["all_samples"]) > 3.0 * np.array(exact["moving"])).all()
    # postures were chosen for it
    np.testing.assert_allclose(moving[1:3, 2], TABLE_6[1:3, 2], rtol=0.05)
    # of normal noise
    np.testing.assert_allclose(moving[:3, 0] / moving[:3, 1], np.sqrt(2.0 / np.pi), rtol=0.03)


def test_s000_fig12_draws_what_tab_6_counts(numbers):
    """One prediction is behind both."""
    np.testing.assert_array_equal(
        numbers("s000_fig12")["RMSE_N_m"], numbers("s000_tab6")["all_samples"][:, 1]
    )


# --- S002


@pytest.mark.parametrize(
    ("name", "peak", "noise"),
    [
        ("s002_fig4", None, COUNT),
        ("s002_fig5", 2.0 / T, COUNT / np.sqrt(2.0) / STEP),  # (q1 - q-1) / 2 dt
        # (q2 - 2 q + q-2) / 4 dt^2
        ("s002_fig6", 240.0 * np.pi / 149.0 / T**2, np.sqrt(6.0) / 4.0 * COUNT / STEP**2),
    ],
)
def test_s002_figures_have_the_law_and_the_noise_of_an_encoder(name, peak, noise, numbers):
    """Peaks are 2 h/T and 5.0603 h/T^2; the error of differences is that of rounding to counts, and
    smoothing lowers it.
    """
    actual = numbers(name)
    np.testing.assert_allclose(actual["stroke_rad"], STROKE, rtol=1e-5)
    assert actual["duration_s"] == T
    if peak is not None:
        # samples beside the peak
        np.testing.assert_allclose(actual["largest_of_the_truth"], peak * STROKE, rtol=1e-4)
    # an encoder's zero is off by up to half a count; 600 samples
    centered = 2.0 if name == "s002_fig4" else 1.12
    assert (actual["rms_error_as_logged"] > noise / 1.12).all()
    assert (actual["rms_error_as_logged"] < noise * centered).all()
    assert (actual["rms_error_smoothed"] < actual["rms_error_as_logged"]).all()


def test_s002_fig7_has_the_share_of_noise_of_table_6(numbers, script):
    """The noise of the torques is RMSE / AVG of S000 Tab. 6 of the mean torque; 27 samples leave
    0.28 of it.
    """
    actual, motion = numbers("s002_fig7"), script.s002.reference().sample(2000.0)
    arm = irb.load("irb1600_6_120")
    rigid = np.array(
        [
            arm.inverse_dynamics(q, v, a, friction=False)
            for q, v, a in zip(*motion[1:4], strict=True)
        ][::20]
    )
    whole = rigid + script.s002.FC * np.sign(motion.v[::20]) + script.s002.FV * motion.v[::20]
    noise = TABLE_6[:, 3] / 100.0 * np.abs(whole).mean(axis=0)
    np.testing.assert_allclose(actual["rms_error_as_logged"], noise, rtol=0.1)  # 600 samples: 3 %
    np.testing.assert_allclose(
        actual["rms_error_smoothed"] / actual["rms_error_as_logged"], 0.28, atol=0.06
    )


def test_s002_fit_of_exact_data_is_exact(script):
    """Without noise the same equations give the truth, on another move too: errors in Tab. 3 come
    from the noise alone.
    """
    s002 = script.s002
    fit = s002.fitted(s002.inner(s002.truth(s002.reference(), s002.log(1).t)))
    elsewhere = s002.inner(s002.truth(s002.other(), s002.log(1).t))
    np.testing.assert_allclose(
        s002.rows().matrix(elsewhere) @ fit.beta, elsewhere.tau, rtol=0, atol=1e-6
    )  # condition 2e3
    np.testing.assert_allclose(fit.beta[36:], [*s002.FV, *s002.FC], rtol=0, atol=1e-6)


def test_s002_tab3_smaller_deviation_proves_nothing(numbers, script):
    """Smoothing divides the deviation by 4 and more; the error against the truth stays, and at 1 Hz
    it grows.
    """
    actual = numbers("s002_tab3")
    np.testing.assert_allclose(
        actual["ratio_printed"], script.s002.PRINTED[:, 1] / script.s002.PRINTED[:, 0], rtol=1e-5
    )
    # S002 Tab. 3, added up by hand
    assert script.s002.PRINTED.sum(axis=0) == pytest.approx([0.00859, 0.00796])
    cutoffs = actual["cutoffs_Hz"].tolist()
    deviation, error, elsewhere = (
        actual[key] for key in ("deviation_N_m", "error_N_m", "error_on_another_move_N_m")
    )
    ten, one = cutoffs.index("10.0"), cutoffs.index("1.0")
    assert cutoffs[0] == "none"
    assert (deviation[ten] < 0.31 * deviation[0]).all()
    assert (np.diff(deviation[: ten + 3], axis=0) < 0.0).all()
    assert (deviation[one] < 0.2 * deviation[0]).all()
    assert (error[ten] > 0.7 * error[0]).all()
    assert (error[one, :5] > 2.0 * error[0, :5]).all()
    # one move does not tell the parameters apart (errata 2-24)
    assert (elsewhere[0, :5] > 3.0 * error[0, :5]).all()
    assert actual["condition"] > 500.0


def test_the_page_shows_what_the_command_writes(drawn):
    """Tables of docs/background/papers.md are those written here, up to 2 % where compilers round a simulation
    differently.
    """
    page = (ROOT / "docs" / "background" / "papers.md").read_text(encoding="utf-8")
    for name in ("s000_tab6", "s002_tab3"):
        written = (drawn / f"papers_{name}.md").read_text(encoding="utf-8").strip().splitlines()
        heads, shown = written[0], page.splitlines()
        start = shown.index(heads)
        for mine, theirs in zip(written[2:], shown[start + 2 : start + len(written)], strict=True):
            values = [
                np.array([float(cell) for cell in line.strip("| ").split("|")])
                for line in (mine, theirs)
            ]
            np.testing.assert_allclose(values[0], values[1], rtol=0.02)
    for name in NAMES:
        if (drawn / f"papers_{name}.png").exists():
            assert f"pictures/papers_{name}.png" in page
