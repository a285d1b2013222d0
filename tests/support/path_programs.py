"""Motions and RAPID programs for checks of a path."""

import numpy as np

import irbmodels as irb
from irbmodels import rapid

FRAME = "[9E9,9E9,9E9,9E9,9E9,9E9]"


def motion(q, v=None, a=None, step=0.01):
    q = np.atleast_2d(np.asarray(q, dtype=float))
    zero = np.zeros_like(q)
    return irb.Motion(
        step * np.arange(len(q)), q, zero if v is None else v, zero if a is None else a
    )


def ramp(robot, axis, start_deg, stop_deg, count, base=(0, 0, 0, 0, 30, 0)):
    """One axis moves evenly, the others stand; positions in the controller's degrees."""
    shown = np.tile(np.array(base, dtype=float), (count, 1))
    shown[:, axis - 1] = np.linspace(start_deg, stop_deg, count)
    return robot.from_controller(shown)


def kinds(check):
    return [(one.kind, one.axis) for one in check.findings]


def program(body, declarations=""):
    return rapid.read(f"MODULE m\n{declarations}\nPROC main()\n{body}\nENDPROC\nENDMODULE")


def joints(*degrees):
    return f"[[{','.join(map(str, degrees))}],{FRAME}]"


def target(robot, q_deg, conf=None):
    """A robtarget that the robot is on at a posture, with its own configuration."""
    q = robot.from_controller(q_deg)
    pose, actual = rapid.Pose.of(robot.pose(q)), robot.configuration(q)
    return rapid.RobTarget(pose.trans, pose.rot, conf or actual[:4], rapid.ExtJoint())


SPINDLE = f"PERS tooldata tSp:={rapid.tooldata_of(irb.load_tool('spindle'))};"
