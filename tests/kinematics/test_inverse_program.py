"""The programs of the closed forms give what the reference gives."""

from dataclasses import replace

import numpy as np
import pytest
from grouped import together
from inverse_cases import OWN, ROBOTS, check_branches, forward, own_arm, postures, special_poses

from irbmodels.compiled.program import evaluate
from irbmodels.kinematics.arm_geometry import AxisMap
from irbmodels.kinematics.inverse import closed_form
from irbmodels.kinematics.inverse.closed_form import BranchArrays
from irbmodels.kinematics.inverse.program import program_of
from irbmodels.kinematics.inverse.structure import (
    arm_constants,
    constant_names,
    seed_constants,
    structure_of,
)

FUNCTIONS = {
    "add": np.add, "sub": np.subtract, "mul": np.multiply, "neg": np.negative,
    "inv": np.reciprocal, "sqrt": np.sqrt, "abs": np.abs, "less": np.less,
    "less_equal": np.less_equal, "and": np.logical_and, "not": np.logical_not,
    "select": np.where, "atan2": np.arctan2, "nearest": np.round,
}  # fmt: skip
SEED = np.array([0.5, -0.2, 0.3, 2.0, 0.4, 5.0])


def branches_of(arm, poses, near, bounds):
    """Evaluate the program of an arm in NumPy: branches, and the deviations of the poses."""
    structure = structure_of(arm, bounds)
    program = program_of(structure)
    numbers = np.concatenate([seed_constants(near, bounds), arm_constants(arm, bounds)])
    constants = dict(zip(constant_names(structure.kind, len(bounds.A)), numbers, strict=True))
    with np.errstate(all="ignore"):
        q, bits, missing, off = evaluate(
            program,
            [poses.reshape(-1, 16).T],
            [constants[name] for name in program.constants],
            FUNCTIONS,
        )
    count, n = len(poses), len(near)
    arrays = (
        np.array(q).T.reshape(count, -1, n),
        np.array(bits).T.astype(np.uint8),
        np.array(missing[0]),
    )
    return BranchArrays(*arrays), off[0]


@pytest.fixture(scope="module", params=["irb2400_16", "irb1600_6_120", "irb930_12_105", *OWN])
def robot(request):
    """Shipped arms and others."""
    return ROBOTS.get(request.param) or own_arm(request.param)


@together("seed", [None, "middle", "lower end"])
def test_program_is_the_reference(robot, seed):
    """On random poses, singular ones, unreachable ones, and some that are no pose."""
    solver = robot._inverse
    n = solver.arm.axis_map.h.size
    seeds = {"middle": SEED[:n], "lower end": robot.limits.lower + 0.1}
    constants = solver._constants_for(seeds.get(seed), None)
    poses = special_poses(robot)
    actual, off = branches_of(solver.arm, poses, *constants)
    check_branches(actual, solver.arm, poses, constants)
    assert np.array_equal(closed_form.are_rigid(poses), ~(off > closed_form.RIGID))
    assert ((actual.bits & closed_form.VALID) > 0).any(axis=1).mean() > 0.8
    assert ((actual.bits & closed_form.INSIDE) > 0).any()


def test_arms_share_programs():
    """Six axes with a parallelogram and without share one, and SCARAs share another."""
    inverse = {name: robot._inverse for name, robot in ROBOTS.items()}
    structures = {name: structure_of(one.arm, one._bounds) for name, one in inverse.items()}
    assert len(set(structures.values())) == 2
    assert structures["irb2400_16"] == structures["irb1600_6_120"] == structures["irb1400"]


def test_poses_that_are_not_rigid_have_no_solution():
    """Whichever number of the matrix is wrong, or by how little more than is allowed."""
    for name in ("irb2400_16", "irb930_12_105"):
        solver = ROBOTS[name]._inverse
        pose = forward(name, postures(name, 1, seed=6))[0]
        poses = np.repeat(pose[None], 17, axis=0)
        for k in range(16):
            if divmod(k, 4)[1] < 3 or k == 15:
                poses.reshape(17, 16)[k, k] += 1e-8
        wrong = ~closed_form.are_rigid(poses)
        actual, off = branches_of(solver.arm, poses, *solver._constants_for(None, None))
        assert np.array_equal(off > closed_form.RIGID, wrong)
        assert wrong.sum() == 13
        assert np.isnan(actual.q[wrong]).all()
        assert np.isnan(actual.missing[wrong]).all()
        assert not actual.bits[wrong].any()
        assert actual.bits[~wrong].any(axis=1).all()


@pytest.mark.parametrize("name", ["irb1600_6_120", "irb930_12_105"])
def test_unusual_couplings(name):
    """Axes that carry others along, and ranges of sums of axes, have programs of their own."""
    solver, random = ROBOTS[name]._inverse, np.random.default_rng(7)
    n = solver.arm.axis_map.h.size
    H = np.rint(solver.arm.axis_map.H)
    H[n - 1, :2] += 1.0
    H[1, 0] -= 2.0
    A = np.tril(random.integers(-1, 2, (n, n)), -1) + np.eye(n)
    arm = replace(solver.arm, axis_map=AxisMap(H, random.uniform(-1.0, 1.0, n)))
    _, bounds = solver._constants_for(None, None)
    bounds = bounds._replace(A=A, seed=random.uniform(-1.0, 1.0, n))
    assert structure_of(arm, bounds) != structure_of(solver.arm, solver._bounds)
    poses, constants = forward(name, postures(name, 500)), (np.zeros(n), bounds)
    check_branches(branches_of(arm, poses, *constants)[0], arm, poses, constants)
