"""Machine code gives what the reference gives."""

import logging
import pickle

import numpy as np
import oracles
import pytest
from inverse_cases import ROBOTS, apart, compiled, forward, postures
from own_arms import arm_urdf, written

import irbmodels as irb
from irbmodels.kinematics.inverse import closed_form as branches
from irbmodels.kinematics.inverse import kernel_loader as machine
from irbmodels.kinematics.inverse import solver


def test_constants_of_the_kernel_are_those_of_the_reference():
    """What counts as singular, reachable and rigid is one number."""
    compiled(ROBOTS["irb2400_16"])
    module = machine.module()
    assert (module.SINGULAR, module.REACH, module.RIGID) == (
        branches.SINGULAR,
        branches.REACH,
        branches.RIGID,
    )


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_120", "own"])
@pytest.mark.parametrize("seeded", [False, True])
def test_machine_code_is_the_reference(name, seeded, tmp_path):
    """Same bits and positions on random poses, singular ones, unreachable ones, and with a seed."""
    if name == "own":
        base, signs = ((0.1, 0.2, 0.3), (0.4, 0.5, 0.6)), (1, -1, 1, -1, -1, 1)
        robot = irb.from_urdf(written(arm_urdf(side=0.1, base=base, signs=signs), tmp_path))
    else:
        robot = ROBOTS[name]
    Q = np.random.default_rng(12).uniform(-3.0, 3.0, (1003, 6))
    Q[:300, 4] = 0.0
    Q[200:400, 4] = np.pi
    if name in oracles.DIMENSIONS:  # stretched arms, and folded ones
        _, _, _, a3, d4, _ = oracles.DIMENSIONS[name]
        Q[600:800, 2] = (Q[600:800, 1] if name in oracles.PARALLELOGRAM else 0.0) - np.arctan2(
            d4, a3
        )
        Q[700:800, 2] += np.pi
    T = np.array([robot.pose(q).homogeneous for q in Q])
    T[500:600, :3, 3] *= 1.5
    actual, near = compiled(robot), np.array([0.5, -0.2, 0.3, 2.0, 0.4, 5.0]) if seeded else None
    reference, (ours, rigid) = (
        actual._solve(T, near, None),
        actual._kernel.rows(T, *actual._constants_for(near, None)),
    )
    assert rigid.all()
    assert np.array_equal(ours.bits, reference.bits)
    np.testing.assert_allclose(ours.missing, reference.missing, rtol=0, atol=1e-14)
    q = np.where(np.isnan(ours.q), 0.0, apart(name, ours.q, reference.q)[..., None])
    assert np.array_equal(np.isnan(ours.q), np.isnan(reference.q))
    assert (np.nanmax(q, axis=(1, 2)) < 1e-7).all()
    turns = np.abs(ours.q - reference.q) > 1.0  # rounding may show half a turn with either sign
    assert np.nanmax(np.abs(np.abs(ours.q[turns]) - np.pi), initial=0.0) < 1e-7 or seeded
    assert turns.mean() < 0.05
    for pose, expected, bits in list(zip(T, ours.q, ours.bits, strict=True))[::50]:
        count, one, flags, _ = actual._kernel.one(
            pose, *((None, None) if near is None else actual._constants_for(near, None))
        )
        assert np.array_equal(one, expected[bits > 0])
        assert np.array_equal(flags, bits[bits > 0])
        assert count == len(one)


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
    """Where numba is not installed the answers are the same."""
    monkeypatch.setattr(machine, "installed", lambda: False)
    robot, other = irb.load("irb1400"), ROBOTS["irb1400"]
    T = forward("irb1400", postures("irb1400", 2000, seed=13))
    a, b = robot.inverse_kinematics(T), other.inverse_kinematics(T)
    assert robot._inverse._kernel._one is None
    assert np.array_equal(a.valid, b.valid)
    assert np.nanmax(np.abs(a.q - b.q)) < 1e-8


def test_machine_code_waits_until_it_is_worth_it(caplog):
    """A thousand poses, in an array or one by one, bring machine code; fewer do not."""
    pytest.importorskip("numba")
    pytest.importorskip("casadi")
    robot = irb.load("irb1400")
    T = robot.pose(np.zeros(6))
    with caplog.at_level(logging.ERROR, "irbmodels"):
        for _ in range(machine.WORTH - 1):
            robot.inverse_kinematics(T)
        assert robot._inverse._kernel._one is None
        before = robot.inverse_kinematics(T, near=np.full(6, 0.1)).q
        assert robot._inverse._kernel._one is not None
    np.testing.assert_allclose(
        robot.inverse_kinematics(T, near=np.full(6, 0.1)).q, before, atol=1e-9
    )


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


def test_arctangent_is_right_to_the_last_digits():
    """Within 4 units in the last place in every octant, at 0 and at the edges; the loops over it
    are vectorised.
    """
    mpmath = pytest.importorskip("mpmath")
    numba = pytest.importorskip("numba")
    compiled(ROBOTS["irb2400_16"])
    function, flags = machine.module().atan2, machine.module().FLAGS

    @numba.njit(fastmath=flags, error_model="numpy")
    def run(y, x, out):
        for i in range(x.size):
            out[i] = function(y[i], x[i])

    rng = np.random.default_rng(14)
    angles = np.concatenate([rng.uniform(-np.pi, np.pi, 3000), np.arange(-16, 17) * np.pi / 8])
    angles = np.concatenate(
        [angles, 10.0 ** rng.uniform(-15, -1, 300), np.pi / 2 + 10.0 ** rng.uniform(-15, -1, 300)]
    )
    x, y = np.cos(angles), np.sin(angles)
    x, y = (
        np.concatenate([x, [0, 0, 1, -1, 0, 1e-300, 1e150]]),
        np.concatenate([y, [0, 1, 0, 0, -1, 1e-300, -1e150]]),
    )
    out = np.empty_like(x)
    run(y, x, out)
    exact = [
        mpmath.atan2(mpmath.mpf(float(b)), mpmath.mpf(float(a))) if a or b else mpmath.mpf(0)
        for a, b in zip(x, y, strict=True)
    ]
    near = np.array([float(value) for value in exact])
    off = np.array([float(mpmath.mpf(float(a)) - b) for a, b in zip(out, exact, strict=True)])
    assert (np.abs(off) <= 4.0 * np.spacing(np.abs(near))).all()
    with np.errstate(all="ignore"):
        run(np.array([np.nan, 1.0]), np.array([1.0, np.nan]), out[:2])
    assert np.isnan(out[:2]).all()
