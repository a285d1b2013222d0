"""Demonstration without input: the IRB 2400 moves the spindle; motion, torques, figure, page."""

from __future__ import annotations

from pathlib import Path
from typing import NamedTuple

from ..errors import FileError
from ..report import figures
from ..robot.robot import Robot, load
from ..trajectory import through
from ..trajectory.motion_files import open_motion, write_motion
from ..trajectory.torque_prediction import Prediction, predict
from ..viewer import save_page

_POSTURES_DEG = (
    (0, 0, 0, 0, 30, 0),
    (40, 25, 20, 30, 45, 60),
    (-35, 45, 40, -40, 60, -90),
    (-60, -20, -10, 0, 40, 0),
    (0, 0, 0, 0, 30, 0),
)
_MOVE = 2.5  # [s] per move
_RATE = 250.0  # [Hz], as the controller streams


class Demo(NamedTuple):
    """Robot, torques and files of the demonstration."""

    robot: Robot
    prediction: Prediction
    files: dict[str, Path]


def demo(folder: str | Path = "demo") -> Demo:
    """Write motion.csv, torque.csv, torque.png and irb2400.html into ``folder``.

    Raises:
        FileError: if the folder cannot be made or written.
    """
    target = Path(folder)
    try:
        target.mkdir(parents=True, exist_ok=True)
    except OSError as err:
        raise FileError(f"cannot make the folder {target}: {err.strerror or err}") from err
    files = {
        "motion": target / "motion.csv",
        "torque by cause": target / "torque.csv",
        "figure": target / "torque.png",
        "3D page": target / "irb2400.html",
    }
    robot = load("irb2400", tool="spindle")
    motion = through(
        [robot.from_controller(posture) for posture in _POSTURES_DEG], duration=_MOVE
    ).sample(_RATE)
    write_motion(files["motion"], motion, robot)
    prediction = predict(open_motion(files["motion"], robot), files["torque by cause"])
    figures.save(figures.torque_figure(prediction, robot), files["figure"])
    save_page(files["3D page"], robot, motion=motion, layers=("trace",))
    return Demo(robot, prediction, files)
