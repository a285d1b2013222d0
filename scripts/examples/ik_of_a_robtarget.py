"""Every posture of a RAPID robtarget, and the one nearest to where the robot is.

python scripts/examples/ik_of_a_robtarget.py
"""

import irbmodels as irb
from irbmodels import rapid

TARGET = "CONST robtarget p10:=[[1200,0,1000],[0,0,1,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]];"


def main() -> None:
    """Print all postures, those of the programmed configuration first, and the nearest one."""
    robot = irb.load("irb2400", tool="spindle")
    # mm and quaternion, as in the program; target.pose() is in m
    target = rapid.read_value(TARGET, rapid.RobTarget)

    print(robot.inverse_kinematics(target))

    near = robot.from_controller([10, 10, 10, 0, 60, 0])
    best = robot.inverse_kinematics(target, near=near, in_range=True)[0]
    print("nearest [deg]:", robot.to_controller(best.q).round(2), "confdata", best.configuration)
    position = 1000.0 * robot.pose(best.q).translation
    print("TCP [mm]:", position.round(6))


if __name__ == "__main__":
    main()
