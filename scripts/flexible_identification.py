"""Draw the figures of docs/howto/flexible_identification.md: S003's Figures 3.3 to 3.6 on simulated data.

    python scripts/flexible_identification.py [-o FOLDER]

S003's measurements are not published. Here an arm with one axis has the numbers of its Table 3.1;
torques like those of its two experiments (around one point, and on the way to another) move it, and
its motor is seen at 500 Hz with noise. Torques, noise and dry friction are assumed.

- flexible_identification_raw.png, _processed.png, _validation.png, _angle.png: Figures 3.3, 3.4,
  3.5, 3.6.
- flexible_identification_response.png: the model beside the frequency response that the samples
  have without it.
- flexible_identification_residual.png: autocorrelation of the residual, poles and zeros.
- flexible_identification_friction.png: what the same fit finds at other amplitudes where dry
  friction brakes the motor.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import replace
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from numpy.typing import NDArray

import irbmodels as irb
from irbmodels.identification.flexible import (
    OneAxisData,
    angle_figure,
    data_figure,
    flexible_fit,
    residual_figure,
    resonance_check,
    response_figure,
    validation_figure,
)
from irbmodels.model.friction import Stribeck
from irbmodels.report.figures import save
from irbmodels.simulation.flexible import FlexibleRobot, OneAxis, identified
from irbmodels.trajectory import Motion

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
STEP, DURATION = 0.002, 10.0  # [s]: 500 Hz as in S003
NOISE = 0.3  # of the motor's speed [rad/s]; assumed
DRY = 0.25  # Coulomb friction of the motor, motor side [N m]; assumed
URDF = """<robot name="one_axis"><link name="base"/><link name="arm"><inertial><mass value="1"/>
<inertia ixx="1" iyy="{0}" izz="{0}" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="axis_1" type="continuous"><parent link="base"/><child link="arm"/><axis xyz="0 0 1"/></joint></robot>"""


def arm_of(axis: OneAxis, dry: float = 0.0) -> FlexibleRobot:
    """Return an arm whose only axis is that of the table, with dry friction of the motor [N m,
    motor side].
    """
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "one_axis.urdf"
        path.write_text(URDF.format(axis.inertia), encoding="utf-8")
        robot = irb.from_urdf(path)
    friction = dry * axis.drive.gear_ratio
    law = Stribeck([friction], [friction], [0.0], [0.01]) if dry else False
    return FlexibleRobot(robot, [axis.drive], law)


def excitation(t: NDArray[np.float64], seed: int, amplitude: float = 0.12) -> NDArray[np.float64]:
    """Torque of the motor [N m]: sines from 1 to 60 Hz with random phases."""
    rng = np.random.default_rng(seed)
    frequency = np.arange(1.0, 60.0, 0.3)
    phase = rng.uniform(0.0, 2.0 * np.pi, frequency.size)
    return amplitude * np.cos(2.0 * np.pi * np.outer(t, frequency) + phase).sum(axis=1)


def move(t: NDArray[np.float64], axis: OneAxis, angle: float) -> NDArray[np.float64]:
    """Torque of the motor [N m] that turns the axis by an angle [rad] and stops it, rigidly
    seen.
    """
    n, T = axis.drive.gear_ratio, t[-1]
    s = t / T
    speed = angle * n * 30.0 * s**2 * (1.0 - s) ** 2 / T
    acceleration = angle * n * 60.0 * s * (1.0 - s) * (1.0 - 2.0 * s) / T**2
    return (
        axis.drive.viscous * speed + (axis.drive.rotor_inertia + axis.inertia / n**2) * acceleration
    )


def experiment(arm: FlexibleRobot, torque: NDArray[np.float64], seed: int) -> OneAxisData:
    """Simulate the arm under torques of the motor, and return what its motor saw."""
    t, n = STEP * np.arange(torque.size), arm.drives[0].gear_ratio
    # each torque is held until the next
    samples = Motion(t, np.zeros((t.size, 1)), None, None, n * torque[:, None])
    run = arm.simulate([0.0], duration=t[-1], torque=samples, every=STEP)
    data = OneAxisData.of_run(run, 1, n)
    noise = NOISE * np.random.default_rng(seed).standard_normal(len(data))
    return replace(
        data, speed=data.speed + noise, source="one axis with the numbers of S003 Table 3.1"
    )


def friction_figure(axis: OneAxis) -> Figure:
    """Draw friction and resonances that fits find at several amplitudes, with dry friction and
    without.
    """
    t = STEP * np.arange(round(DURATION / STEP) + 1)
    amplitudes = np.array([0.06, 0.12, 0.24])
    figure = Figure(figsize=(8.5, 3.6), layout="constrained")
    left, right = figure.subplots(1, 2)
    for dry, color, mark in ((0.0, "#0072B2", "o"), (DRY, "#D55E00", "s")):
        arm = arm_of(axis, dry)
        fits = []
        for amplitude in amplitudes:
            raw = experiment(arm, excitation(t, 1, amplitude), 3)
            fits.append(flexible_fit(raw.prepared(0.5, 0.5, highpass=2.5), starts=2))
        level = [np.std(excitation(t, 1, amplitude)) for amplitude in amplitudes]
        label = f"dry friction {dry:g} N m"
        style = {"color": color, "marker": mark, "capsize": 3, "lw": 1.0, "label": label}
        left.errorbar(
            level,
            [1e3 * fit.values[3] for fit in fits],
            [1.96e3 * fit.deviation[3] for fit in fits],
            **style,
        )
        right.errorbar(
            level,
            [fit.resonance.value for fit in fits],
            [1.96 * fit.resonance.deviation for fit in fits],
            **style,
        )
        for fit, height in zip(fits, level, strict=True):
            print(
                f"dry {dry:g}, torque {height:.2f} N m rms: fit {fit.percentage()[0]:.1f} %,"
                f" {fit!r}"
            )
    left.axhline(1e3 * axis.drive.viscous, color="black", lw=0.8, ls="--")
    right.axhline(axis.resonance, color="black", lw=0.8, ls="--", label="Table 3.1")
    left.set_ylabel("viscous friction fm [1e-3 N m s/rad]")
    right.set_ylabel("resonance [Hz]")
    for panel in (left, right):
        panel.set_xlabel("torque of the motor, rms [N m]")
        panel.grid(alpha=0.3, lw=0.4)
    right.legend(frameon=False, fontsize="small")
    return figure


def main() -> int:
    """Write the pictures."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("-o", "--output", type=Path, default=FOLDER, help="folder for the pictures")
    folder: Path = parser.parse_args().output
    axis = identified(irb.load("irb1400"))
    arm = arm_of(axis)
    t = STEP * np.arange(round(DURATION / STEP) + 1)
    around = experiment(arm, excitation(t, 1), 1)
    moving = experiment(arm, excitation(t, 2) + move(t, axis, 1.5), 2)
    estimation, validation = (one.prepared(0.5, 0.5, highpass=2.5) for one in (around, moving))
    fit = flexible_fit(estimation)
    check = resonance_check(fit, validation)
    print(fit.report())
    print(
        "fit on validation data:",
        fit.percentage(validation).round(2),
        "%;",
        *check.findings or ("the resonances are there",),
    )
    pictures = {
        "raw": data_figure(
            [around, moving],
            ["around one point", "on the way to another"],
            ("torque", "speed", "angle"),
        ),
        "processed": data_figure([estimation, validation], ["estimation data", "validation data"]),
        "validation": validation_figure(fit, validation),
        "angle": angle_figure(fit, validation),
        "response": response_figure(fit, check),
        "residual": residual_figure(flexible_fit(around)),
        "friction": friction_figure(axis),
    }
    for name, figure in pictures.items():
        save(figure, folder / f"flexible_identification_{name}.png")
        print(folder / f"flexible_identification_{name}.png")
    return 0


if __name__ == "__main__":
    sys.exit(main())
