"""Save a page with the robot in 3D and its motion, then show it live.

python scripts/examples/view_and_save_page.py [--live]
"""

import sys

import irbmodels as irb
from irbmodels.trajectory import through

POSTURES_DEG = (
    (0, 0, 0, 0, 30, 0),
    (40, 25, 20, 30, 45, 60),
    (-35, 45, 40, -40, 60, -90),
    (0, 0, 0, 0, 30, 0),
)


def main(*options: str) -> None:
    """Write one HTML file that needs no network; with --live also serve the robot until Ctrl-C."""
    robot = irb.load("irb2400", tool="spindle")
    motion = through(
        [robot.from_controller(posture) for posture in POSTURES_DEG], duration=2.5
    ).sample(250.0)
    irb.save_page("irb2400.html", robot, motion=motion, layers=("trace", "frames"))
    print(f"wrote irb2400.html, {motion.t[-1]:g} s of motion")
    if "--live" in options:
        with irb.view(robot, q=motion.q[0]) as viewer:
            print(viewer.url)
            viewer.wait()


if __name__ == "__main__":
    main(*sys.argv[1:])
