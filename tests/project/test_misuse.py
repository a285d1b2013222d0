"""Hostile arguments of public entrances: each is refused in one line, and nothing is written."""

from __future__ import annotations

import math

import numpy as np
import pytest
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.kinematics import singularities

ROBOT, SCARA = irb.load("irb2400"), irb.load("irb930")
Q, REST = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6]), np.zeros(6)
POSE = ROBOT.pose(Q)
MOTION = irb.Motion(np.linspace(0.0, 1.0, 9), np.tile(Q, (9, 1)))
NEITHER = [
    None,
    [],
    {},
    object(),
    1j,
    10**400,
    10**5000,
    np.zeros((2, 2)),
    b"x",
    math.nan,
    lambda: 0,
]
"""Neither a text, nor a number of use, nor a vector."""
LOOSE = [*NEITHER, "x", -1, 0, math.inf, [None] * 6, ["0"] * 6, np.full(6, np.nan)]

OF_NAMES = {
    "frame of pose": lambda x: ROBOT.pose(Q, frame=x),
    "frame of a Jacobian": lambda x: ROBOT.jacobian(Q, x),
    "reference of pose": lambda x: ROBOT.pose(Q, reference=x),
    "axes": lambda x: ROBOT.jacobian(Q, axes=x),
    "axes of a rate": lambda x: ROBOT.jacobian_rate(Q, REST, axes=x),
    "convention": ROBOT.dh,
    "query": ROBOT.symbolic,
    "frame of symbolic": lambda x: ROBOT.symbolic("pose", frame=x),
    "format": lambda x: irb.export(ROBOT, x, "out"),
    "name of a new robot": lambda x: irb.new_robot(x, "irb2400", "out"),
}
OF_PATHS = {
    "from_urdf": irb.from_urdf,
    "from_file": irb.from_file,
    "load": irb.load,
    "overlay": lambda x: irb.load("irb2400", overlays=[x]),
    "load_tool": irb.load_tool,
    "open_motion": lambda x: irb.open_motion(x, ROBOT),
    "write_motion": lambda x: irb.write_motion(x, MOTION, ROBOT),
    "export": lambda x: irb.export(ROBOT, "urdf", x),
    "write_c": lambda x: irb.write_c(ROBOT, x, ["gravity"]),
    "new_robot": lambda x: irb.new_robot("own", "irb2400", x),
    "save_page": lambda x: irb.save_page(ROBOT, x),
    "save_picture": lambda x: irb.save_picture(ROBOT, x),
}
OF_ROBOTS = {
    "export of": lambda x: irb.export(x, "urdf", "out"),
    "open_motion for": lambda x: irb.open_motion("motion.csv", x),
    "write_motion for": lambda x: irb.write_motion("motion.csv", MOTION, x),
    "write_motion of": lambda x: irb.write_motion("motion.csv", x, ROBOT),
    "options": lambda x: irb.export(ROBOT, "urdf", "out", x),
    "workspace_figure": irb.workspace_figure,
    "write_c of": lambda x: irb.write_c(x, "out"),
}
OF_NUMBERS = {
    "near": lambda x: ROBOT.damped_velocity(Q, REST, near=x),
    "length": lambda x: ROBOT.measures(Q, length=x),
    "length of J": lambda x: singularities.measures(np.eye(6), x),
    "twist": lambda x: ROBOT.inverse_velocity(Q, x),
    "damped twist": lambda x: ROBOT.damped_velocity(Q, x),
    "acceleration": lambda x: ROBOT.inverse_acceleration(Q, REST, x),
    "Jacobian": singularities.measures,
    "wrist": lambda x: ROBOT.workspace([0.0] if x is None else x),
    "wrist of a SCARA": lambda x: SCARA.workspace(
        [0.0, 0.0] if x is None or np.shape(x) == () else x
    ),
    "path": lambda x: ROBOT.cross_wrist(x, Q),
    "start": lambda x: ROBOT.cross_wrist(POSE.homogeneous[None], x),
    "pose": ROBOT.inverse_kinematics,
    "mounting": ROBOT.mounted,
    "position": ROBOT.gravity,
    "in_range": ROBOT.limits.in_range,
    "joint variables": ROBOT.dh().joint_variables,
    "points": ROBOT.workspace().contains,
    "ratios": lambda x: irb.Motors(x).known.any() or irb.Motors("x"),
    "law": lambda x: irb.Stribeck("x", x, x, x),
    "centre": lambda x: irb.Inertial.of(1.0, x, "x"),
}
IN_ARRAYS = {"in_range", "joint variables", "Jacobian"}  # NaN passes, as in any array
NONE_IS_DEFAULT = {"load", "overlay", "new_robot"}
CASES = [
    *((what, call, NEITHER) for kind in (OF_NAMES, OF_ROBOTS) for what, call in kind.items()),
    *(
        (what, call, [x for x in NEITHER if what not in NONE_IS_DEFAULT or x is not None])
        for what, call in OF_PATHS.items()
    ),
    *(
        (what, call, [x for x in LOOSE if what not in IN_ARRAYS or np.ndim(x) == 0])
        for what, call in OF_NUMBERS.items()
    ),
]


@pytest.mark.parametrize(
    ("call", "values"), [case[1:] for case in CASES], ids=[case[0] for case in CASES]
)
def test_hostile_arguments_are_refused_in_one_line(call, values, tmp_path, monkeypatch):
    """Whatever is given in place of a name, path, robot or number, the error is one of this
    package, and no file is left.
    """
    monkeypatch.chdir(tmp_path)
    for value in values:
        refused_in_one_line(lambda value=value: call(value), ".")
    assert not list(tmp_path.iterdir())


TOLD = {
    "near of 0": (
        lambda: ROBOT.damped_velocity(Q, REST, near=0),
        "near, the smallest singular value .* positive finite number, got 0",
    ),
    "length of -1": (
        lambda: ROBOT.measures(Q, length=-1),
        r"the characteristic length \[m\] must be a positive .* got -1",
    ),
    "a twist of text": (
        lambda: ROBOT.inverse_velocity(Q, "x"),
        "twist is not an array of numbers, but of str",
    ),
    "a wrist of 0": (
        lambda: ROBOT.workspace(wrist=0),
        r"wrist \[rad\], axes 4 to 6, needs \(3,\) finite numbers, got 0",
    ),
    "no path": (
        lambda: ROBOT.cross_wrist(None, Q),
        "poses of the TCP is not an array of numbers, but holds None",
    ),
    "an overlay of -1": (
        lambda: irb.load("irb2400", overlays=-1),
        "overlays are a list of files, not -1",
    ),
    "a frame of []": (lambda: ROBOT.pose(Q, frame=[]), r"no frame \[\] \(known: "),
    "a robot's name": (
        lambda: irb.open_motion("x.csv", "irb2400"),
        "a motion file is read for an irbmodels.Robot, not 'irb2400'",
    ),
    "options in a word": (
        lambda: irb.export(ROBOT, "urdf", "x", "serial"),
        r"irbmodels.Options\(coupling=...\), not 'serial'",
    ),
    "no file": (lambda: irb.from_urdf(None), "a file is a path, not None"),
    "zone": (
        lambda: ROBOT.cross_wrist(POSE.homogeneous[None], Q, -1.0),
        r"the zone \[rad\] must be a finite number in 0 .. 1.57",
    ),
}


@together("name", TOLD)
def test_what_is_wrong_is_named(name):
    """The message names the argument, what was given and what would be right."""
    refused_in_one_line(*TOLD[name])
