"""Machine code gives what the reference gives."""

import pickle
from pathlib import Path

import numpy as np
import pytest
from grouped import together
from inverse_cases import (
    OWN,
    ROBOTS,
    check_branches,
    compiled,
    forward,
    own_arm,
    postures,
    special_poses,
)
from own_arms import arm_urdf, written

import irbmodels as irb
from irbmodels.compiled import cache
from irbmodels.compiled.dispatch import WORTH
from irbmodels.kinematics.inverse import closed_form, solver
from irbmodels.kinematics.inverse import kernel as machine


@pytest.fixture(scope="module", params=["irb2400_16", "irb1600_6_120", "irb930_12_105", *OWN])
def robot(request):
    """Shipped arms and others."""
    return ROBOTS.get(request.param) or own_arm(request.param)


@together("seeded", [False, True])
def test_machine_code_is_the_reference(robot, seeded):
    """On random poses, singular ones, unreachable ones, and some that are no pose; one by one as in
    arrays.
    """
    solver, poses = compiled(robot), special_poses(robot)
    kernel, n = solver._machine, len(robot.limits.lower)
    near = np.array([0.5, -0.2, 0.3, 2.0, 0.4, 5.0])[:n] if seeded else None
    constants = solver._constants_for(near, None)
    actual, rigid = kernel.rows(poses, *constants)
    assert np.array_equal(rigid, closed_form.are_rigid(poses))
    check_branches(actual, solver.arm, poses, constants)
    for k in range(0, 1000, 7):
        count, q, bits, missing = kernel.one(poses[k], *(constants if seeded else (None, None)))
        if np.isnan(actual.missing[k]):
            assert count == -1
            continue
        kept = actual.bits[k] > 0
        assert count == len(q) == kept.sum()
        np.testing.assert_allclose(q, actual.q[k, kept], rtol=0, atol=1e-12)
        assert np.array_equal(bits, actual.bits[k, kept])
        np.testing.assert_allclose(missing, actual.missing[k], rtol=0, atol=1e-14)


def test_arrays_of_any_length_and_layout():
    """Blocks and their remainders, and arrays that machine code does not take as they are."""
    solver = compiled(ROBOTS["irb1600_6_120"])
    poses = forward("irb1600_6_120", postures("irb1600_6_120", machine.BLOCK + 3))
    expected, _ = solver._machine.rows(poses, None, None)
    unaligned = np.frombuffer(b"x" + poses.tobytes(), np.uint8)[1:].view(float)
    others = [poses[::-1], poses.astype(">f8"), np.asfortranarray(poses)]
    for given in (*others, unaligned.reshape(poses.shape)):
        rows, rigid = solver._machine.rows(given, None, None)
        assert rigid.all()
        assert np.array_equal(
            rows.q[:: -1 if given is others[0] else 1], expected.q, equal_nan=True
        )
        assert solver._machine.one(given[5], None, None)[0] > 0
    for count in (0, 1, 2, machine.BLOCK):
        part, _ = solver._machine.rows(poses[:count], None, None)
        np.testing.assert_allclose(part.q, expected.q[:count], rtol=0, atol=1e-12)
        assert np.array_equal(part.bits, expected.bits[:count])


def test_machine_code_at_a_folded_arm():
    """The kernel keeps axis 2 of the seed too."""
    robot = irb.from_urdf(
        written(arm_urdf(a2=0.6, a3=0.0, d4=0.6).replace('"0.01 -0.1 0.6"', '"0 -0.1 0.6"'))
    )
    q = np.array([0.3, 0.4, np.pi / 2, 0.5, 0.6, 0.7])
    compiled(robot)
    actual = robot.inverse_kinematics(robot.pose(q), near=q)
    assert actual[0].flags.elbow
    assert np.abs(actual[0].q - q).max() < 1e-9


def test_without_machine_code_numpy_answers(monkeypatch):
    """Where llvmlite is not installed the answers are the same."""
    robot, other = irb.load("irb1400"), ROBOTS["irb1400"]
    compiled(other)
    monkeypatch.setattr(solver, "installed", lambda: False)
    monkeypatch.setattr(solver, "is_installed", lambda: False)
    T = forward("irb1400", postures("irb1400", 2000, seed=13))
    a, b = robot.inverse_kinematics(T), other.inverse_kinematics(T)
    assert robot._inverse._machine is None
    assert np.array_equal(a.valid, b.valid)
    assert np.nanmax(np.abs(a.q - b.q)) < 1e-8


@pytest.fixture
def kept(tmp_path, monkeypatch):
    """Return an empty folder of kernels, which this process and others use."""
    pytest.importorskip("llvmlite")
    monkeypatch.setenv(cache.FOLDER, str(tmp_path))
    monkeypatch.setattr(cache, "_codes", {})
    tmp_path.chmod(0o700)
    return tmp_path


@pytest.mark.parametrize("name", ["irb1400", "irb930_12_105"])
def test_machine_code_waits_until_it_is_worth_it(name, kept, monkeypatch):
    """A thousand poses, in an array or one by one, bring machine code; fewer compile nothing."""
    robot, loaded = irb.load(name), []
    T, near = robot.pose(np.linspace(0.1, 0.3, robot.n)), np.full(robot.n, 0.1)
    load = machine.KernelSolver._load
    monkeypatch.setattr(
        machine.KernelSolver, "_load", lambda *given: (loaded.append(given[1]), load(*given))[1]
    )
    for _ in range(WORTH - 1):
        robot.inverse_kinematics(T)
    assert loaded == []
    before = irb.load(name).inverse_kinematics(T, near=near).q
    np.testing.assert_allclose(robot.inverse_kinematics(T, near=near).q, before, atol=1e-9)
    assert loaded == [machine.STATE]
    robot.inverse_kinematics(T.homogeneous[None])
    assert loaded == [machine.STATE, machine.ROWS]


def test_what_is_on_disk_answers_at_once(kept, monkeypatch):
    """The first pose of another process, and robot of this structure, is answered by machine code
    of its layout; another layout is not compiled for it, and a clear folder is no fault.
    """
    robot, other = irb.load("irb1400"), irb.load("irb120")
    T = other.pose(np.full(6, 0.3))
    expected = other._inverse._solve(T.homogeneous[None], None, None)
    robot._inverse._kernel_if_worth(machine.STATE, WORTH).one(np.eye(4), None, None)
    assert len(list(kept.iterdir())) == 1
    monkeypatch.setattr(cache, "_codes", {})  # as in another process
    asked = []
    one = machine.KernelSolver.one
    monkeypatch.setattr(
        machine.KernelSolver, "one", lambda *given: (asked.append(given[1]), one(*given))[1]
    )
    found = other.inverse_kinematics(T)
    assert len(asked) == 1
    np.testing.assert_allclose(found.q, expected.q[0], rtol=0, atol=1e-9)
    other.inverse_kinematics(T.homogeneous[None])
    assert len(list(kept.iterdir())) == 1
    cache.clear()
    monkeypatch.setattr(cache, "_codes", {})
    assert len(irb.load("irb120").inverse_kinematics(T)) == len(found)
    assert len(asked) == 1


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120"])
def test_half_a_turn_is_positive_by_either_way(name):
    """Machine code and NumPy show a posture in the same turn, also where rounding decides on which
    side of half a turn it is: there as 180 deg.
    """
    robot = ROBOTS[name]
    degrees = np.random.default_rng(14).choice([-90, -45, -30, 0, 10, 20, 30, 45, 90], (500, 6))
    T = np.array(robot.pose(np.radians(degrees)))
    solver = compiled(robot)
    reference = solver._solve(T, None, None).q
    np.testing.assert_allclose(solver.many(T, False, None, None).q, reference, rtol=0, atol=1e-7)
    half = np.abs(np.abs(reference[..., [0, 3, 5]]) - np.pi) < 1e-9
    assert half.sum() > 300
    assert (reference[..., [0, 3, 5]][half] > 0.0).all()


def test_other_formulas_are_compiled_anew(monkeypatch):
    """Machine code that is kept belongs to the formulas, and to the structure of the arm."""
    solver = compiled(ROBOTS["irb1400"])
    solver.many(np.eye(4)[None], False, None, None)
    assert machine.KernelSolver(solver.arm, solver._bounds).is_ready(machine.ROWS)
    machine._formulas.cache_clear()
    monkeypatch.setattr(Path, "read_bytes", lambda path: b"")
    assert not machine.KernelSolver(solver.arm, solver._bounds).is_ready(machine.ROWS)
    machine._formulas.cache_clear()


def test_robots_can_be_pickled_afterwards():
    """Machine code is left behind, and found again."""
    robot = ROBOTS["irb2400_16"]
    compiled(robot)
    other = pickle.loads(pickle.dumps(robot))
    T = robot.pose(np.full(6, 0.3))
    np.testing.assert_allclose(
        other.inverse_kinematics(T).q, robot.inverse_kinematics(T).q, atol=1e-12
    )
    assert isinstance(pickle.loads(pickle.dumps(robot._inverse)), solver.InverseKinematics)
