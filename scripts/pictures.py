"""Draw the pictures of README and docs/gallery.md in headless Chromium.

    python scripts/pictures.py [NAME ...]

Needs the program chromium (Debian: apt-get install chromium).
"""

from __future__ import annotations

import argparse
import math
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
from rich.progress import track

import irbmodels as irb
from irbmodels.trajectory import through

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SMALL = (720, 560)


def family(
    name: str, posture: tuple[float, ...], tool: str | None = None
) -> Callable[[Path], None]:
    """Return what draws one robot in a posture as the controller shows it."""

    def draw(path: Path) -> None:
        robot = irb.load(name, tool=tool)
        irb.save_picture(path, robot, q=robot.from_controller(posture))

    return draw


def layers(
    name: str, *shown: str, posture: tuple[float, ...] = (), tool: str | None = None
) -> Callable[[Path], None]:
    """Return what draws one robot with layers."""

    def draw(path: Path) -> None:
        robot = irb.load(name, tool=tool)
        q = robot.from_controller(posture) if posture else None
        irb.save_picture(path, robot, q=q, layers=shown, size=SMALL)

    return draw


def singular(kind: str) -> Callable[[Path], None]:
    """Return what draws the IRB 2400 in a singular posture, with its axes (S001 Fig. 6 and 7)."""

    def draw(path: Path) -> None:
        robot = irb.load("irb2400")
        q = SINGULAR[kind](robot)
        lowest = np.linalg.svd(robot.jacobian(q), compute_uv=False)[-1]
        assert lowest < 1e-12, (kind, lowest)
        irb.save_picture(path, robot, q=q, layers=("axes",), size=SMALL)

    return draw


def wrist(robot: irb.Robot) -> np.ndarray:
    """Axes 4 and 6 in one line: q5 = 0."""
    return robot.from_controller([20, 15, 10, 30, 0, 0])


def shoulder(robot: irb.Robot) -> np.ndarray:
    """The wrist centre on axis 1: a1 + a2 sin q2 + a3 sin q3 + d4 cos q3 = 0."""
    a1, a2, a3, d4 = _lengths(robot)
    q2 = math.radians(-30.0)
    q3 = math.atan2(a3, d4) - math.acos(-(a1 + a2 * math.sin(q2)) / math.hypot(a3, d4))
    return np.array([math.radians(20.0), q2, q3, 0.0, math.radians(60.0), 0.0])


def elbow(robot: irb.Robot) -> np.ndarray:
    """Shoulder, elbow and wrist centre in one line: tan(q3 - q2) = -d4 / a3, beyond the range of
    the real arm.
    """
    _, _, a3, d4 = _lengths(robot)
    q2 = math.radians(40.0)
    return np.array([math.radians(20.0), q2, q2 - math.atan2(d4, a3), 0.0, math.radians(40.0), 0.0])


def _lengths(robot: irb.Robot) -> tuple[float, float, float, float]:
    table = robot.dh("modified")
    return float(table.a[1]), float(table.a[2]), float(table.a[3]), float(table.d[3])


def motion(path: Path) -> None:
    """Draw the page of a motion: sliders, trace, torque arrows, strip charts."""
    robot = irb.load("irb2400", tool="spindle")
    postures = [(0, 0, 0, 0, 30, 0), (40, 25, 20, 30, 45, 60), (-35, 45, 40, -40, 60, -90)]
    film = through([robot.from_controller(posture) for posture in postures], duration=2.5).sample(
        250.0
    )
    actor = irb.Actor(robot, motion=film, name="IRB 2400 with spindle")
    irb.save_picture(path, actor, layers=("trace", "torques"), controls=True, size=(1200, 760))


def cell(path: Path) -> None:
    """Draw a cell: the IRB 2400 with the spindle and a two-axis positioner, as in S000 Fig. 1;
    place and type assumed.
    """
    robot = irb.load("irb2400", tool="spindle")
    table = irb.from_urdf(irb.urdf_path("positioner"))
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1.25, 0.0, 0.0]
    posed = irb.Actor(robot, q=robot.from_controller([0, 25, -10, 0, 10, 0]))
    irb.save_picture(path, posed, irb.Actor(table, q=[0.0, 0.4], pose=place), size=SMALL)


SINGULAR = {"wrist": wrist, "shoulder": shoulder, "elbow": elbow}
PICTURES: dict[str, Callable[[Path], None]] = {
    "irb2400": family("irb2400", (25, 15, 5, 0, 35, 0), "spindle"),
    "irb1400": family("irb1400", (25, 20, 10, 0, 30, 0)),
    "irb1600": family("irb1600", (25, 10, 10, 0, 40, 0)),
    "irb930": family("irb930", (25, 40, -120, 0)),
    "frames": layers("irb2400", "frames"),
    "inertia": layers("irb2400", "com", "boxes"),
    "hulls": layers("irb1600", "hulls", posture=(25, 10, 10, 0, 40, 0)),
    "motion": motion,
    "cell": cell,
    **{f"singular_{kind}": singular(kind) for kind in SINGULAR},
}


def main() -> int:
    """Write the pictures, or some of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "name", nargs="*", choices=[*PICTURES, []], help="pictures to draw; default all"
    )
    wanted = parser.parse_args().name or list(PICTURES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in track(wanted, description="pictures", disable=not sys.stderr.isatty()):
        PICTURES[name](FOLDER / f"{name}.png")
        print(f"docs/pictures/{name}.png: {(FOLDER / f'{name}.png').stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
