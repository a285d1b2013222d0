"""Readers of published logs: arm, logs of the fit, held-out log, and parameters of the authors."""

from __future__ import annotations

import re
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
from numpy.typing import NDArray
from scipy.io import loadmat

import irbmodels as irb
from irbmodels.identification.recordings import Recording, read_recording
from irbmodels.identification.validation import split_recording
from irbmodels.robot.robot import Robot

Array = NDArray[np.float64]
REPOSITORIES = {
    "dynamic_calibration": "https://github.com/shamilmamedov/dynamic_calibration",
    "Robot_Identification": "https://github.com/JonasWeigand/Robot_Identification",
    "inverse-dynamics-solver": "https://github.com/unisa-acg/inverse-dynamics-solver",
    "example-robot-data": "https://github.com/Gepetto/example-robot-data",
    "figaroh-examples": "https://github.com/thanhndv212/figaroh-examples",
    "FrankaEmikaPandaDynModel": "https://github.com/marcocognetti/FrankaEmikaPandaDynModel",
    "Dynamics_identification_Frank": "https://github.com/FrankJIE09/Dynamics_identification_Frank",
}
# turns of the motors of a TX40 per turn of its axes; motor 6 turns with axis 5 as well
# (examples/staubli_TX40/config/TX40_config.yaml and utils/staubli_tx40_tools.py)
TX40_RATIOS = (32.0, 32.0, 45.0, -48.0, 45.0, 32.0)
# standard DH rows [m, deg] of the KUKA KR 300: d, a, alpha, angle of the logs' zero; masses [kg],
# centres [mm] and tensors [kg mm^2] (xx, yy, zz, xy, yz, xz) about them, in frames of the rows, as
# robot_model/model_KUKA_Quantec_Ultra_KR300.m has them; the authors' payload is left out
KR300 = (
    (-0.675, 0.350, 90.0, 0.0, 395.40, (-353, 174, -4),
     (16733765, 29799119, 32814954, -1703664, 129384, 4404062)),
    (-0.189, 1.150, 0.0, -90.0, 339.12, (-709, -1, 23),
     (7507819, 88886691, 88673761, 430046, 173157, -4396607)),
    (0.189, 0.041, -90.0, 180.0, 105.21, (-18, -18, -76),
     (10783798, 10186135, 1943179, 118474, -606384, -101950)),
    (-1.0, 0.0, 90.0, 0.0, 35.80, (0, 236, 1), (425035, 217993, 428465, -4, -11353, -27)),
    (0.0, 0.0, -90.0, 0.0, 31.46, (0, -80, -9), (283826, 229562, 258266, -4, -19521, -120)),
    # no tensor is published: a ball of 80 mm
    (-0.24, 0.0, 180.0, 0.0, 17.78, (0, 0, -50), (45500, 45500, 45500, 0, 0, 0)),
)  # fmt: skip


@dataclass(frozen=True)
class MeasuredArm:
    """An arm with logs."""

    name: str
    title: str
    about: str
    """Signals and their origin."""
    robot: Robot
    fit: tuple[Recording, ...]
    held_out: Recording
    published: Callable[[Array, Array, Array], Array] | None = None
    """Torques ``(N, n)`` of the parameters that the authors publish, at ``q, v, a``."""


def ur10e(data: Path) -> MeasuredArm:
    """Return the UR10e of Mamedov & Mikhel: currents times the gains that the authors publish."""
    folder = data / "dynamic_calibration"
    robot = irb.from_urdf(folder / "URe/urdf/ur10e.urdf")
    text = (folder / "UR10E_parameters.txt").read_text(encoding="utf-8")
    published = {
        name: np.array(re.findall(r"[-+\d.eE]+", numbers), dtype=float)
        for name, numbers in re.findall(r"(\w+)\s*=\s*\[([^\]]*)\]", text)
    }

    def recording(name: str) -> Recording:
        path = folder / "dataset_ur10e/identification_data" / name
        lines = path.read_text(encoding="utf-8").splitlines()
        # a last line may be cut off
        rows = np.loadtxt([line for line in lines if line.count(",") == 30], delimiter=",")
        return Recording(
            rows[:, 0] - rows[0, 0],
            rows[:, 1:7],
            v=rows[:, 7:13],
            tau=published["drvGains"] * rows[:, 13:19],
            source=name,
        )

    # per link: tensor about the joint (xx, xy, xz, yy, yz, zz), first moment, mass
    bodies = published["pi_rgd"].reshape(6, 10)[:, [9, 6, 7, 8, 0, 1, 3, 2, 4, 5]].ravel()
    viscous, coulomb, offset = published["pi_frcn"].reshape(6, 3).T

    def torque(q: Array, v: Array, a: Array) -> Array:
        of_bodies = robot.regressor(q, v, a)[..., :60] @ bodies
        rotors = published["pi_drvs"] * a
        return np.asarray(of_bodies + rotors + viscous * v + coulomb * np.sign(v) + offset)

    return MeasuredArm(
        "ur10e",
        "UR10e",
        "positions, speeds and motor currents at about 94 Hz; torques are currents times the"
        " drive gains of the authors",
        robot,
        tuple(
            recording(f"ur-20_02_{name}.csv")
            for name in ("10-20sec_7harm", "10-30sec_12harm", "12-40sec_12harm")
        ),
        recording("ur-20_02_12-50sec_12harm.csv"),
        torque,
    )


def kr300(data: Path) -> MeasuredArm:
    """Return the KUKA KR 300 of Weigand et al.: motor torques times gear ratios."""
    folder = data / "Robot_Identification/data/recorded_trajectories"

    def recording(name: str) -> Recording:
        path = folder / f"2020-10-21 10s FF {name} 08ms/data.mat"
        content = loadmat(path, simplify_cells=True)
        log, ratio = content["rec"], np.array(content["para"]["u"], dtype=float)
        # axes 1 to 3 have encoders on the arm side
        q = np.deg2rad(np.vstack([log["act_pos_se_deg"][:3], log["act_pos_mot_deg"][3:]])).T
        return Recording(
            np.array(log["time_cont"], dtype=float),
            q,
            tau=log["act_torque_abs_nm"].T * ratio,
            source=f"{path.parent.name}/{path.name}",
        )

    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "kr300.urdf"
        path.write_text(urdf_of_dh("kr300", KR300), encoding="utf-8")
        robot = irb.from_urdf(path)
    return MeasuredArm(
        "kr300",
        "KUKA KR 300",
        "positions (axes 1 to 3 on the arm side, 4 to 6 of the motors) and motor torques at 250 Hz,"
        " a hydraulic counterbalance on axis 2",
        robot,
        (recording("A"), recording("B")),
        recording("C"),
    )


def ur10(data: Path) -> MeasuredArm:
    """Return the UR10 of Petrone et al.: a rosbag2 with efforts; its last quarter is held out."""
    robot = irb.from_urdf(data / "example-robot-data/robots/ur_description/urdf/ur10_robot.urdf")
    folder = data / "inverse-dynamics-solver/ur10_inverse_dynamics_solver/bagfiles"
    log = read_recording(folder / "ur10_exciting_trajectory.db3", robot)
    log = replace(log, source="ur10_exciting_trajectory.db3")
    first, last = split_recording(log)
    about = (
        "joint states with efforts at 125 Hz, which have passed a low-pass filter of about 1 Hz, as a"
        " rosbag2; the last quarter is held out"
    )
    return MeasuredArm("ur10", "UR10", about, robot, (first,), last)


def tx40(data: Path) -> MeasuredArm:
    """Return the Staubli TX40 of the FIGAROH examples: motor positions and torques at 5 kHz."""
    folder = data / "figaroh-examples/examples/staubli_TX40"
    motors, torques = (
        np.loadtxt(folder / "data" / name, delimiter=",", skiprows=1)
        for name in ("pos_read_data.csv", "curr_data.csv")
    )
    ratio = np.diag(TX40_RATIOS)
    turns = np.array(ratio)
    turns[5, 4] = TX40_RATIOS[5]
    # zeros of the logs against those of the URDF, as their authors have them
    q = motors @ np.linalg.inv(turns).T + np.array([0.0, -0.5, 0.5, 0.0, 0.0, 0.0]) * np.pi
    robot = irb.from_urdf(folder / "urdf/tx40_mdh_modified.urdf")
    robot = robot.with_drives(np.linalg.inv(ratio) @ turns)
    moving = slice(0, 38000)  # all axes stand for the last 1.4 s
    log = Recording(2e-4 * np.arange(38000), q[moving], tau=(torques @ turns)[moving], source="csv")
    first, last = split_recording(log)
    about = (
        "motor positions and torques at 5 kHz, of which 7.6 s move; motor 6 turns with axis 5; the"
        " last quarter is held out"
    )
    return MeasuredArm("tx40", "Staubli TX40", about, robot, (first,), last)


def panda(data: Path) -> MeasuredArm:
    """Return the Panda of Gaz et al., without its hand: torques of sensors in the joints."""
    folder = data / "FrankaEmikaPandaDynModel/matlab/data/Exciting_Traj/Trajectory_1/rbt_log"
    t, q, v, tau = (
        np.loadtxt(folder / f"exciting_traj_{name}.txt")
        for name in ("time", "positions", "velocity", "torques")
    )
    tree = ElementTree.parse(data / "example-robot-data/robots/panda_description/urdf/panda.urdf")
    root = tree.getroot()
    for part in [*root.iter("joint"), *root.iter("link")]:
        if "hand" in str(part.get("name")) or "finger" in str(part.get("name")):
            root.remove(part)
    with tempfile.TemporaryDirectory() as temporary:
        path = Path(temporary) / "panda.urdf"
        tree.write(path)
        robot = irb.from_urdf(path)
    size = (-1, robot.n)
    log = Recording(t, q.reshape(size), v=v.reshape(size), tau=tau.reshape(size), source="rbt_log")
    first, last = split_recording(log)
    about = (
        "positions, speeds and torques of sensors behind the gears at 1 kHz, some of whose rows are"
        " lost or doubled; the last quarter is held out"
    )
    return MeasuredArm("panda", "Franka Panda", about, robot, (first,), last)


def ar5(data: Path) -> MeasuredArm:
    """Return a Rokae AR5 that hangs sideways, as its torques say: gravity is along its x axis."""
    folder = data / "Dynamics_identification_Frank"
    robot = irb.from_urdf(folder / "urdf/AR5-5_07R-W4C4A2.urdf").with_gravity([9.81, 0.0, 0.0])
    name = "dynamics_identification_data_real.csv"
    rows = np.loadtxt(folder / "src/config" / name, delimiter=",", skiprows=1)
    log = Recording(rows[:, 0], rows[:, 1:8], v=rows[:, 8:15], tau=rows[:, 22:29], source=name)
    first, last = split_recording(log)
    about = "joint positions, speeds and torques at 50 Hz, mounted sideways; the last quarter is held out"
    return MeasuredArm("ar5", "Rokae AR5", about, robot, (first,), last)


def urdf_of_dh(name: str, rows: Sequence[Sequence[Any]]) -> str:
    """Return the URDF of standard DH rows, the base turned by 180 deg about x as theirs."""
    lines = [f'<robot name="{name}">', '<link name="base_link"/>']
    before, position = pin.rpy.rpyToMatrix(np.pi, 0.0, 0.0), np.zeros(3)
    for i, (d, a, alpha, theta, mass, centre, tensor) in enumerate(rows, 1):
        rpy = pin.rpy.matrixToRpy(before @ pin.rpy.rpyToMatrix(0.0, 0.0, np.deg2rad(theta)))
        before, after = pin.rpy.rpyToMatrix(np.deg2rad(alpha), 0.0, 0.0), np.array([a, 0.0, d])
        com = before @ np.array(centre) * 1e-3 + after
        xx, yy, zz, xy, yz, xz = (1e-6 * entry for entry in tensor)
        body = before @ np.array([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]]) @ before.T
        named = zip(("xx", "xy", "xz", "yy", "yz", "zz"), body[np.triu_indices(3)], strict=True)
        inertia = " ".join(f'i{key}="{value:.9g}"' for key, value in named)
        parent = "base_link" if i == 1 else f"link_{i - 1}"
        lines += [
            f'<joint name="joint_{i}" type="revolute"><parent link="{parent}"/>'
            f'<child link="link_{i}"/><axis xyz="0 0 1"/>'
            f'<origin xyz="{_three(position)}" rpy="{_three(rpy)}"/>'
            '<limit lower="-6.2" upper="6.2" velocity="3" effort="10000"/></joint>',
            f'<link name="link_{i}"><inertial><origin xyz="{_three(com)}"/>'
            f'<mass value="{mass}"/><inertia {inertia}/></inertial></link>',
        ]
        position = after
    return "\n".join([*lines, "</robot>"])


def _three(values: Array) -> str:
    return " ".join(f"{value:.12g}" for value in values)


ARMS: dict[str, Callable[[Path], MeasuredArm]] = {
    "ur10e": ur10e,
    "kr300": kr300,
    "ur10": ur10,
    "tx40": tx40,
    "panda": panda,
    "ar5": ar5,
}
