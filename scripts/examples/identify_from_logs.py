"""Fit parameters to logs and load the result as a robot.

python scripts/examples/identify_from_logs.py [LOG.csv ...]

Without arguments it makes a log of its own: an IRB 2400 with the spindle, simulated with encoders
and torque noise.
"""

import sys
from pathlib import Path

import numpy as np

import irbmodels as irb
from irbmodels.identification import validation
from irbmodels.identification.recordings import Sensors, read_recording, synthetic_recording
from irbmodels.trajectory import Motion
from irbmodels.trajectory.fourier import FourierSeries

TORQUE_NOISE = (4.1, 10.9, 3.8, 1.2, 0.8, 0.8)  # [N m]


def synthetic_log(path: Path) -> None:
    """Write a log of 16 s at 250 Hz, by a Fourier series within ranges and speeds."""
    arm = irb.load("irb2400", tool="spindle")
    series, rng = FourierSeries(harmonics=5, duration=16.0), np.random.default_rng(1)
    x, t = rng.normal(size=(series.size, 6)), np.arange(0.0, 16.0, 0.004)
    x[0], largest = 0.0, series.amplitudes(x)
    low, high = arm.limits.lower, arm.limits.upper
    x *= np.minimum(0.4 * (high - low) / largest.offset, 0.8 * arm.limits.velocity / largest.speed)
    x[0] = 0.5 * (low + high)  # [rad], in the middle of every range
    q, v, a = (matrix @ x for matrix in series.maps(t)[:3])
    sensors = Sensors(counts=2**20, torque_noise=TORQUE_NOISE)
    synthetic_recording(arm, Motion(t, q, v, a), sensors, controller=False).save(path)


def main(*paths: str) -> None:
    """Fit, print whether the set can be trusted, and write it beside the program."""
    if not paths:
        synthetic_log(Path("log.csv"))
    # what is known before: a CAD model
    known = irb.load("irb2400", tool="spindle", parameters="jia2018")
    logs = [read_recording(path, known) for path in paths or ("log.csv",)]
    estimation, held_out = zip(*map(validation.split_recording, logs), strict=True)
    ready = validation.prepare_logs(known, estimation, held_out)  # bandwidth, delay of torques
    print("\n".join(map(str, ready.findings)))

    result = validation.identify(known, ready.estimation, ready.held_out)
    verdict = result.verdict
    print("\n".join([f"level {verdict.level}", *verdict.reasons]))
    print("RMSE before [N m]:", verdict.previous.rmse.round(1))
    print("RMSE now    [N m]:", verdict.held_out.rmse.round(1))

    path = Path("specimen.yaml")
    validation.write_parameter_set(path, result.parameters, verdict, "identify_from_logs.py")
    print(irb.load("irb2400", tool="spindle", parameters=path))


if __name__ == "__main__":
    main(*sys.argv[1:])
