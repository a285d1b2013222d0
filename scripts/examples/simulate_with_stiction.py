"""Release an arm against its friction: which axes hold, which slip, and when.

python scripts/examples/simulate_with_stiction.py
"""

import numpy as np

import irbmodels as irb


def main() -> None:
    """Hold an IRB 2400 by its gravity torque, then ramp up the torque of axis 6 until it leaves its
    stiction.
    """
    robot = irb.load("irb2400", tool="spindle")
    q = robot.from_controller([0, 20, 10, 0, 30, 0])
    held = robot.gravity(q)
    ramp = np.array([0, 0, 0, 0, 0, 7.5])  # [N m/s]

    run = irb.simulate(robot, q, duration=2.5, torque=lambda t, q, v: held + ramp * t)
    for event in run.events:
        print(f"axis {event.axis} {event.kind} at {event.t:.3f} s")
    print(
        f"static friction of axis 6: {robot.friction_model.Fs[5]} N m, torque when it slips:"
        f" {7.5 * run.events[0].t:.3f} N m"
    )
    print("moved by [deg]:", np.degrees(run.q[-1] - q).round(2))
    print(f"lost to friction: {run['lost'][-1]:.3f} J of {run['work'][-1]:.3f} J of work")


if __name__ == "__main__":
    main()
