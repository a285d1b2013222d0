"""What type checkers know of a user's program."""

import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PROGRAM = '''
from typing import Any, assert_type

import irbmodels as irb
import numpy as np
from irbmodels.model.types import SE3, Array, Mask, Matrices, Vector
from numpy.typing import NDArray

robot = irb.load("irb2400", tool="spindle")
q = robot.from_controller([0, 20, 10, 0, 30, 0])
states = np.zeros((5, 6))
assert_type(q, Vector)
assert_type(robot.from_controller(states), Array)

pose, poses = robot.pose(q), robot.pose(states)
assert_type(pose, SE3)
assert_type(robot.pose([0.0] * 6, "tool0", reference="world"), SE3)
assert_type(poses, Matrices)
assert_type(robot.pose([[0.0] * 6]), Matrices)
assert_type(robot.pose([q, q]), Matrices)

postures: list[Vector] = [found.q for found in robot.inverse_kinematics(pose, near=q)]
assert_type(robot.inverse_kinematics(pose)[0], irb.Solution)
assert_type(robot.inverse_kinematics(pose.homogeneous), irb.Solutions)
assert_type(robot.inverse_kinematics(robot.world_from_base.inverse() * pose), irb.Solutions)
assert_type(robot.inverse_kinematics("[[600,500,225.3],[1,0,0,0],[1,1,0,0]]"), irb.Solutions)
assert_type(robot.inverse_kinematics(poses), irb.Branches)
assert_type(robot.inverse_kinematics([pose.homogeneous]), irb.Branches)

assert_type(irb.collides(robot, q), bool)
assert_type(irb.collides(robot, states), Mask)
assert_type(robot.energy(q, q).kinetic, Array)


def of_unknown_shape(array: NDArray[np.float64]) -> None:
    """One state or many: neither is an error, as with an element of an array of NumPy."""
    assert_type(robot.pose(array), Any)
    assert_type(robot.inverse_kinematics(array), Any)


robot.inverse_kinematics(poses, nearest=q)  # type: ignore[call-overload]
'''


def test_one_state_and_many_have_their_own_types(tmp_path, request):
    """Strict mypy knows which of two results a call has, and refuses an unknown argument."""
    (tmp_path / "user.py").write_text(PROGRAM)
    cache = request.config.cache.mkdir("mypy")
    options = ["--strict", "--config-file=", "--follow-imports=silent", f"--cache-dir={cache}"]
    run = subprocess.run(
        [sys.executable, "-m", "mypy", *options, "user.py"],
        cwd=tmp_path,
        env={"MYPYPATH": str(ROOT)},
        capture_output=True,
        text=True,
    )
    assert run.stdout == "Success: no issues found in 1 source file\n"
