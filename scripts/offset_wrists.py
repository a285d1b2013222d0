"""Postures of arms whose wrist axes miss one point, missed and counted: ``python
scripts/offset_wrists.py [--general]``.

Poses are made from random postures, which have to come back: of three CRB 15000, and of calibrated
arms (every twist 0.05 deg, every length 1 mm off), any posture, stretched arms, axis 5 within
1e-3 rad of 0 and the wrist centre within 3 mm of axis 1. A pose with an odd number of postures has
lost one. ``--general`` compares with ``ssik`` (``pip install ssik``), a general solver, pose by
pose; times are CPU times of this process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path
from time import process_time

import numpy as np
from numpy.typing import NDArray

import irbmodels as irb
from irbmodels.kinematics.arm_geometry import OffsetWrist
from irbmodels.kinematics.normal_form import arm_of

sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "kinematics"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "support"))
from test_inverse_offset_wrist import specimen

Array = NDArray[np.float64]


def robots(folder: Path) -> Iterator[tuple[str, irb.Robot]]:
    """Yield names and robots."""
    for name in ("crb15000_5_95", "crb15000_10_152", "crb15000_12_127"):
        yield name, irb.load(name)
    for name in ("irb1600", "irb2400"):
        yield f"{name} calibrated", specimen(name, np.random.default_rng(3), folder)[0]


def samples(robot: irb.Robot, count: int) -> Iterator[tuple[str, Array]]:
    """Yield postures ``(count, 6)`` of each kind."""
    rng = np.random.default_rng(0)
    tcp = robot.find_frame("tcp")
    arm = arm_of(tcp.tree, tcp.number, robot.name)
    assert isinstance(arm, OffsetWrist)
    x = rng.uniform(-np.pi, np.pi, (4, count, 6))
    yield "any", arm.axis_map.positions(x[0])
    x[1, :, 2] = x[1, :, 1] + rng.uniform(-0.03, 0.03, count)
    yield "stretched", arm.axis_map.positions(x[1])
    x[2, :, 4] = rng.uniform(-1e-3, 1e-3, count)
    yield "axis 5 at 0", arm.axis_map.positions(x[2])
    ahead = rng.uniform(-0.003, 0.003, count) - arm.a1 - arm.forearm_length * np.sin(x[3, :, 2])
    within = np.abs(ahead) < arm.lower_arm_length
    x[3, :, 1] = np.arcsin(np.where(within, ahead / arm.lower_arm_length, 0.0))
    yield "over axis 1", arm.axis_map.positions(x[3][within])


def apart(one: Array, other: Array) -> Array:
    """Return the largest difference of postures ``(..., 6)``, full turns aside [rad]."""
    return np.asarray(np.abs(np.angle(np.exp(1j * (one - other)))).max(axis=-1))


def general(robot: irb.Robot, q: Array) -> tuple[int, int, int, float]:
    """Return the number of a general solver's postures, ours and its alone, and ms per pose."""
    from ssik import Manipulator

    tcp = robot.find_frame("tcp")
    arm = arm_of(tcp.tree, tcp.number, robot.name)
    assert isinstance(arm, OffsetWrist)
    rotation, axes, steps = np.eye(3), [], []
    for joint in arm.chain.joints:
        steps.append(rotation @ joint.position)
        rotation = rotation @ joint.rotation
        axes.append(rotation[:, 2])
    assert arm.chain.frame is not None
    steps.append(rotation @ arm.chain.frame.position)
    solver = Manipulator.from_axes(np.array(axes), np.array(steps))
    rows = np.stack([joint.row for joint in arm.chain.joints])
    zero = np.array([joint.offset for joint in arm.chain.joints])
    poses, home = np.asarray(robot.pose(q)), rotation @ arm.chain.frame.rotation
    found = robot.inverse_kinematics(poses)
    start, count, ours, its = process_time(), 0, 0, 0
    for pose, postures, valid in zip(poses, found.q, found.valid, strict=True):
        target = pose.copy()
        target[:3, :3] = pose[:3, :3] @ home.T
        theirs = np.array([s.q for s in solver.solve(target, respect_limits=False)]).reshape(-1, 6)
        between = apart(theirs[:, None], (postures[valid] @ rows.T + zero)[None])
        count += len(theirs)
        ours += int((between.min(axis=0, initial=9.0) > 1e-4).sum())
        its += int((between.min(axis=1, initial=9.0) > 1e-4).sum())
    return count, ours, its, 1e3 * (process_time() - start) / len(q)


def main() -> None:
    """Print a row per arm and kind of posture."""
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--general", action="store_true")
    options.add_argument("--count", type=int, default=10000)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        for name, robot in robots(Path(folder)):
            for kind, q in samples(robot, given.count):
                poses = robot.pose(q)
                start = process_time()
                found = robot.inverse_kinematics(poses)
                spent = 1e3 * (process_time() - start) / len(q)
                valid, near = found.valid, apart(found.q, q[:, None])
                missed = int((np.where(valid, near, 9.0).min(axis=1) > 1e-6).sum())
                number = valid.sum(axis=1)
                print(
                    f"{name:20} {kind:12} {len(q)} postures, {missed} missed, odd numbers"
                    f" {int((number % 2).sum())}, at most {number.max()}, {spent:.2f} ms"
                )
                if given.general:
                    count, ours, its, theirs = general(robot, q[:200])
                    print(
                        f"  general solver: {count}, alone {its}, ours alone {ours}, {theirs:.0f} ms"
                    )


if __name__ == "__main__":
    main()
