"""S002 (Ogbemhe, Mpofu & Mokakabye 2022) Figs 4-7 and Tab. 3, for the IRB 1600-6/1.2.

Every joint makes one Freudenstein 1-3-5 move (eq. 13-15 without their misprints). The paper prints
neither its strokes, its duration and noise, nor usable parameters; all of them are ours: the
default inertials, friction as in eq. 2 with assumed numbers, encoders of 2^20 counts per turn, 250
Hz, and torque noise that is the same share of the mean torque as in S000 Tab. 6.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache

import numpy as np
from matplotlib.figure import Figure

import irbmodels as irb
from irbmodels.identification.fits import Fit, Samples, accumulate, weighted_least_squares
from irbmodels.identification.fits.accumulator import Blocks
from irbmodels.identification.recordings import Recording, Sensors, savitzky_golay, simulate_log
from irbmodels.robot.base_parameters import BaseParameters, base_parameters
from irbmodels.simulation import run_of
from irbmodels.trajectory import Motion, Move, move

from . import s000
from .sheet import BLACK, BLUE, GREEN, ORANGE, RED, Array, Sheet, grid, legend, markdown, stamped

DURATION = 3.0  # [s]
START_DEG, END_DEG = (-60, -30, -60, -90, -60, -120), (70, 60, 20, 80, 70, 150)
# where the fitted model is tried
OTHER_DEG = ((30, 40, -80, 60, 40, -90), (-50, -10, 10, -70, -30, 60))
# [N m] assumed: nobody has published any of this robot
FC = np.array([20.0, 25.0, 15.0, 6.0, 8.0, 5.0])
FV = np.array([10.0, 9.0, 8.0, 5.0, 5.0, 2.0])  # [N m s/rad] assumed
# [Hz] cutoff of the Savitzky-Golay filter in the figures; the paper prints neither window nor order
SMOOTH = 10.0
CUTOFFS = (40.0, 20.0, SMOOTH, 5.0, 3.0, 2.0, 1.0)  # [Hz] tried for Tab. 3
SEEDS = (1, 2, 3)
SHARE = 0.1  # of the move at each end that is left out: at rest friction has no sign
PRINTED = np.array(  # Tab. 3, its unit is not printed: nonlinear least squares, Savitzky-Golay
    [
        [0.00142, 0.0013],
        [0.0017, 0.0016],
        [0.0035, 0.0033],
        [0.0011, 0.0010],
        [0.00051, 0.00047],
        [0.00036, 0.00029],
    ]
)
RATE = 250.0  # [Hz]
_FINE = 2000.0  # [Hz] of the motion that the log is taken from


@cache
def robot() -> irb.Robot:
    """The paper's arm: its a2 of 475 mm is that of the IRB 1600-6/1.2."""
    return irb.load("irb1600_6_120")


def reference() -> Move:
    """The move that all joints make together."""
    return move(
        robot().from_controller(START_DEG),
        robot().from_controller(END_DEG),
        "freudenstein",
        duration=DURATION,
    )


def other() -> Move:
    """Another move, on which a fitted model is tried."""
    start, end = (robot().from_controller(posture) for posture in OTHER_DEG)
    return move(start, end, "freudenstein", duration=DURATION)


def torque(motion: Motion) -> Array:
    """Torques by the model with the friction of eq. 2, shape ``(N, 6)``: the truth that only a
    synthetic experiment has.
    """
    assert motion.v is not None
    assert motion.a is not None
    rigid = robot().inverse_dynamics(motion.q, motion.v, motion.a, friction=False)
    return np.asarray(rigid + FV * motion.v + FC * np.sign(motion.v), dtype=float)


@dataclass(frozen=True, eq=False)
class PaperRows:
    """Eq. 10: base parameters of the bodies, then Fv and Fc of eq. 2."""

    base: BaseParameters
    size: int = 6

    @property
    def names(self) -> tuple[str, ...]:
        """Of the parameters."""
        return (
            *self.base.names,
            *(f"{kind}_{axis}" for kind in ("Fv", "Fc") for axis in range(1, 7)),
        )

    @property
    def units(self) -> tuple[str, ...]:
        """Of the parameters."""
        return (*self.base.units, *["N m s/rad"] * 6, *["N m"] * 6)

    def matrix(self, motion: Motion) -> Array:
        """Regressors ``(N, 6, 48)``."""
        assert motion.v is not None
        assert motion.a is not None
        bodies = self.base.reduced(np.asarray(robot().regressor(motion.q, motion.v, motion.a)))
        viscous, dry = (values[:, :, None] * np.eye(6) for values in (motion.v, np.sign(motion.v)))
        return np.concatenate([bodies, viscous, dry], axis=2)

    def __call__(self, pieces: Iterable[Motion]) -> Blocks:
        """Yield the equations of each piece."""
        for piece in pieces:
            assert piece.tau is not None
            yield self.matrix(piece), piece.tau


@cache
def rows() -> PaperRows:
    """Equations of the paper's arm."""
    return PaperRows(base_parameters(robot()))


@cache
def log(seed: int) -> Recording:
    """Log of the move."""
    exact = reference().sample(_FINE)
    tau = torque(exact)
    noise = s000.printed()[:, 3] / 100.0 * np.abs(tau).mean(axis=0)
    sensors = Sensors(rate=RATE, counts=2.0**20, torque_noise=noise)
    return simulate_log(
        run_of(robot(), exact._replace(tau=tau), notes={"robot": robot().name}), sensors, seed
    )


def unfiltered(seed: int) -> Motion:
    """The log with plain differences as speeds and accelerations."""
    raw = log(seed)
    v = np.gradient(raw.q, raw.t, axis=0)
    return Motion(raw.t, raw.q, v, np.gradient(v, raw.t, axis=0), raw.tau)


def smoothed(seed: int, cutoff: float) -> Motion:
    """The log with everything smoothed, torques too, as the paper does."""
    return savitzky_golay(log(seed), cutoff, torque=True).recording.motion


def inner(motion: Motion) -> Motion:
    """Leave both ends out."""
    count = int(SHARE * DURATION * RATE)
    return motion.each(lambda values: values[count:-count])


def truth(moved: Move, t: Array) -> Motion:
    """What the arm did at the times of a log, with the torques that it took."""
    exact = Motion(t, *moved.at(t)[:3])
    return exact._replace(tau=torque(exact))


def fitted(motion: Motion) -> Fit:
    """Least squares: the model is linear in its parameters, and Levenberg-Marquardt ends where one
    step does (errata 2-25).
    """
    return weighted_least_squares(accumulate(Samples.of(motion), rows()))


@dataclass(frozen=True)
class Score:
    """Of a fitted model, per axis [N m], shape ``(6,)``."""

    deviation: Array
    """Standard deviation of the torques used from the model along the same samples: the measure of
    Tab. 3."""
    error: Array
    """RMS error of the model along the true motion against the true torque."""
    elsewhere: Array
    """The same along another move."""


def score(motion: Motion) -> Score:
    """Fit to a motion, and weigh the result."""
    used = inner(motion)
    assert used.tau is not None
    beta = fitted(used).beta
    deviation = (used.tau - rows().matrix(used) @ beta).std(axis=0)
    return Score(
        deviation, *(np.sqrt(np.square(Y @ beta - tau).mean(axis=0)) for Y, tau in _truths())
    )


@cache
def _truths() -> list[tuple[Array, Array]]:
    """Regressors and torques along both moves, where the logs are used."""
    t = inner(log(SEEDS[0]).motion).t
    exact = [truth(moved, t) for moved in (reference(), other())]
    return [(rows().matrix(motion), torque(motion)) for motion in exact]


@cache
def scores(cutoff: float | None) -> Score:
    """Mean (in square) of the scores over all seeds; without a cutoff of the unfiltered logs."""
    errors = [
        score(unfiltered(seed) if cutoff is None else smoothed(seed, cutoff)) for seed in SEEDS
    ]
    names = ("deviation", "error", "elsewhere")
    return Score(
        *(
            np.sqrt(np.mean([np.square(getattr(one, name)) for one in errors], axis=0))
            for name in names
        )
    )


def fig4() -> Sheet:
    """Fig. 4, positions of all joints on the reference trajectory, as logged and smoothed."""
    return _signals(4, "q", "position [rad]", RED, 1e6, "off the truth [µrad]")


def fig5() -> Sheet:
    """Fig. 5, speeds: differences of the log, and smoothed."""
    return _signals(5, "v", "speed [rad/s]", BLUE, 1e3, "off the truth [mrad/s]")


def fig6() -> Sheet:
    """Fig. 6, accelerations: second differences of the log, and smoothed."""
    return _signals(6, "a", "acceleration [rad/s²]", GREEN, 1.0, "off the truth [rad/s²]")


def fig7() -> Sheet:
    """Fig. 7, torques as logged and smoothed."""
    return _signals(7, "tau", "torque [N m]", "#8C564B", 1.0, "off the truth [N m]")


def _signals(number: int, what: str, label: str, color: str, scale: float, below: str) -> Sheet:
    """Draw one quantity of all joints: before (black) and after smoothing, and below how far both
    are off the truth.
    """
    before, after = unfiltered(1), smoothed(1, SMOOTH)
    exact = truth(reference(), before.t)
    raw, smooth, right = (np.asarray(getattr(motion, what)) for motion in (before, after, exact))
    title = f"S002 Fig. {number}: {label.split(' [')[0]} on the Freudenstein 1-3-5 move"
    figure, panels = grid(2, 6, title, (14.5, 4.8), sharex=True, height_ratios=[1.6, 1.0])
    for i, (above, rest) in enumerate(panels.T):
        above.plot(before.t, raw[:, i], color=BLACK, lw=0.6, label="as logged")
        above.plot(
            before.t, smooth[:, i], color=color, lw=1.6, label=f"Savitzky-Golay, {SMOOTH:g} Hz"
        )
        above.plot(before.t, right[:, i], color=ORANGE, lw=1.0, ls=":", label="truth")
        rest.plot(before.t, scale * (raw - right)[:, i], color=BLACK, lw=0.5)
        rest.plot(before.t, scale * (smooth - right)[:, i], color=color, lw=1.2)
        above.set_title(f"joint {i + 1}")
        rest.set_xlabel("time [s]")
    panels[0, 0].set_ylabel(label)
    panels[1, 0].set_ylabel(below)
    legend(figure, panels[0, 0])
    kept = slice(int(SHARE * len(raw)), -int(SHARE * len(raw)))
    numbers = {
        "stroke_rad": reference().stroke,
        "duration_s": DURATION,
        "largest_of_the_truth": np.abs(right).max(axis=0),
        "rms_error_as_logged": np.sqrt(np.square((raw - right)[kept]).mean(axis=0)),
        "rms_error_smoothed": np.sqrt(np.square((smooth - right)[kept]).mean(axis=0)),
    }
    return Sheet(numbers, stamped(figure))


def tab3() -> Sheet:
    """Tab. 3, deviation of the estimated torque before and after smoothing, and beside it the error
    against the truth.
    """
    plain, chosen, strong = scores(None), scores(SMOOTH), scores(CUTOFFS[-1])
    ratio = PRINTED[:, 1] / PRINTED[:, 0]
    heads = [
        "joint",
        "printed NLS",
        "printed S-G",
        "printed ratio",
        "deviation",
        "10 Hz",
        "ratio",
        "1 Hz",
    ]
    heads += ["error", "error 10 Hz", "error 1 Hz", "other move", "other 10 Hz", "other 1 Hz"]
    deviations = [
        plain.deviation,
        chosen.deviation,
        chosen.deviation / plain.deviation,
        strong.deviation,
    ]
    errors = [
        *(one.error for one in (plain, chosen, strong)),
        *(one.elsewhere for one in (plain, chosen, strong)),
    ]
    columns = [*PRINTED.T, ratio, *deviations, *errors]
    body = [[i + 1, *(column[i] for column in columns)] for i in range(6)]
    numbers = {
        "ratio_printed": ratio,
        "cutoffs_Hz": ["none", *CUTOFFS],
        "deviation_N_m": [scores(cutoff).deviation for cutoff in (None, *CUTOFFS)],
        "error_N_m": [scores(cutoff).error for cutoff in (None, *CUTOFFS)],
        "error_on_another_move_N_m": [scores(cutoff).elsewhere for cutoff in (None, *CUTOFFS)],
        "condition": fitted(inner(truth(reference(), log(1).t))).condition,
    }
    return Sheet(numbers, stamped(_over_cutoffs()), markdown(heads, body))


def _over_cutoffs() -> Figure:
    """Deviation and error of every joint over the cutoff."""
    title = "S002 Tab. 3: smoothing lowers the deviation whatever it does to the truth"
    figure, panels = grid(1, 6, title, (14.5, 3.2), sharex=True)
    x = [2.5 * CUTOFFS[0], *CUTOFFS]
    for i, panel in enumerate(panels[0]):
        for name, color, shown in (
            ("deviation", BLACK, "deviation, as Tab. 3"),
            ("error", RED, "error against the truth"),
            ("elsewhere", BLUE, "the same on another move"),
        ):
            y = [getattr(scores(cutoff), name)[i] for cutoff in (None, *CUTOFFS)]
            panel.loglog(x, y, "o-", ms=4, lw=1.2, color=color, label=shown)
        panel.set(title=f"joint {i + 1}", xlabel="cutoff [Hz]")
        panel.set_xticks([1, 3, 10, 40, 100], ["1", "3", "10", "40", "none"])
        panel.minorticks_off()
    panels[0, 0].set_ylabel("torque [N m]")
    legend(figure, panels[0, 0])
    return figure
