"""Robots, laws and energies that the tests of simulations share."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import numpy as np
import pinocchio as pin

import irbmodels as irb
from irbmodels.simulation import Run

TIGHT = {"rtol": 1e-11, "atol": 1e-12}
SLIDE = """<robot name="slide"><link name="base_link"/><link name="block"><inertial><origin xyz="0 0 0"/><mass value="2"/>
<inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0" iyz="0"/></inertial></link><joint name="x" type="prismatic">
<parent link="base_link"/><child link="block"/><axis xyz="1 0 0"/><limit lower="{low}" upper="{high}" velocity="9" effort="99"/>
</joint></robot>"""


def rail(folder: Path, low: float = -50.0, high: float = 50.0) -> irb.Robot:
    """Make a block of 2 kg on a horizontal rail."""
    (folder / "slide.urdf").write_text(SLIDE.format(low=low, high=high))
    return irb.from_urdf(folder / "slide.urdf")


def stribeck(robot: irb.Robot, Fs: float, Fc: float, Fv: float, v_St: float) -> irb.Stribeck:
    """Return a law that is the same for every axis."""
    return irb.Stribeck(*(np.full(robot.n, value) for value in (Fs, Fc, Fv, v_St)))


def all_terms(n: int) -> irb.Stribeck:
    """Return a law with every term, no two axes alike."""
    rng = np.random.default_rng(3)

    def draw(low, high):
        return rng.uniform(low, high, n)

    Fc, Fv = draw(0.5, 1.5), draw(0.2, 0.6)
    return irb.Stribeck(
        Fc + draw(0.1, 0.6),
        Fc,
        Fv,
        draw(0.05, 0.2),
        Fd=draw(0.5, 2.0),
        v_d=draw(0.1, 0.5),
        dFc=Fc * draw(-0.9, 0.9),
        dFv=Fv * draw(-0.9, 0.9),
        mu=draw(0.02, 0.15),
    )


def energy(robot: irb.Robot, run: Run) -> np.ndarray:
    """Return the mechanical energy along a run."""
    model, (G, q0) = robot.model, robot.coupling
    data = model.createData()
    kinetic = [
        pin.computeKineticEnergy(model, data, G @ q + q0, G @ v)
        for q, v in zip(run.q, run.v, strict=True)
    ]
    return np.array(kinetic) + [pin.computePotentialEnergy(model, data, G @ q + q0) for q in run.q]


def posture(robot: irb.Robot) -> np.ndarray:
    """Return axis positions away from all stops."""
    return robot.from_controller([0.0, 20.0, 10.0, 0.0, 30.0, 0.0])


def smooth_torque(rng: np.random.Generator, scale: np.ndarray) -> Callable:
    """Return smooth random torques of time."""
    n = len(scale)
    amplitude, rate, phase = (rng.uniform(low, 1.0, n) for low in (-1.0, 0.2, -1.0))
    return lambda t, q, v: scale * amplitude * np.sin(20.0 * rate * t + 6.0 * phase)


def check_energy(robot: irb.Robot, run: Run) -> None:
    """Energy, work and losses balance, rotors included, and nothing gives energy back."""
    total = energy(robot, run) + 0.5 * np.einsum(
        "ti,ij,tj->t", run.v, robot.dynamic_model.rotor_inertia, run.v
    )
    np.testing.assert_allclose(
        total - total[0], run["work"] - run["lost"], rtol=0, atol=1e-6 * np.ptp(total) + 1e-7
    )
    assert (np.diff(run["lost"]) >= -1e-12).all()


WRIST = """<robot name="wrist"><link name="base_link"/><link name="tilt"/><link name="hand"><inertial>
<origin xyz="0.3 0 0"/><mass value="4"/><inertia ixx="0.2" iyy="0.14" izz="0.14" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="pitch" type="revolute"><parent link="base_link"/><child link="tilt"/><axis xyz="0 1 0"/>
<limit lower="-9" upper="9" velocity="9" effort="99"/></joint><joint name="roll" type="revolute"><parent link="tilt"/>
<child link="hand"/><axis xyz="1 0 0"/><limit lower="{low}" upper="{high}" velocity="9" effort="99"/></joint></robot>"""


def wrist(
    folder: Path, turns: float, low: float = -9.0, high: float = 9.0, rotors: object = (0.0, 0.0)
) -> irb.Robot:
    """Make a wrist whose motor 2 turns ``turns`` times as fast as axis 1, and with axis 2.

    About axis 1 (horizontal) its inertia is 0.5 kg m^2, about axis 2 0.2, whatever the positions;
    gravity's torque on axis 1 is ``-4 9.81 0.3 cos(q1)``.
    """
    (folder / "wrist.urdf").write_text(WRIST.format(low=low, high=high))
    robot = irb.from_urdf(folder / "wrist.urdf").with_rotors(rotors)
    return robot.with_drives([[1.0, 0.0], [turns, 1.0]])
