import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels import InputError
from irbmodels.identification.fits import load_from_sensor

BIAS = np.array([5.0, -3.0, 2.0, 0.4, 0.2, -0.1])  # N, N m
NOMINAL = pin.SE3(pin.rpy.rpyToMatrix(0.3, -0.2, 0.5), np.array([0.01, 0.02, 0.05]))


@pytest.fixture(scope="module")
def arm():
    return irb.load("irb2400", tool="spindle")


def poses(robot, count=12, seed=0):
    low, high = robot.limits.envelope()
    return np.random.default_rng(seed).uniform(
        np.maximum(low, -2.0), np.minimum(high, 2.0), (count, robot.n)
    )


def readings(robot, q, v, a, angle, nominal=NOMINAL):
    """What ``robot.sensor`` says, turned by the angle, with a bias."""
    turned = nominal * pin.SE3(pin.rpy.rpyToMatrix(0.0, 0.0, angle), np.zeros(3))
    return BIAS + [
        robot.sensor(*state, tool0_from_sensor=turned.homogeneous)
        for state in zip(q, v, a, strict=True)
    ]


@pytest.mark.parametrize("angle", [0.0, 0.7, -2.5, np.pi])
def test_still_poses_give_mass_centre_bias_and_angle(arm, angle):
    """S000 Tab. 4 comes out of twelve poses at rest, whatever the angle at which the sensor was
    mounted.
    """
    q = poses(arm)
    still = np.zeros_like(q)
    actual = load_from_sensor(
        arm, q, readings(arm, q, still, still, angle), tool0_from_sensor=NOMINAL.homogeneous
    )
    assert np.remainder(actual.angle - angle + np.pi, 2.0 * np.pi) - np.pi == pytest.approx(
        0.0, abs=1e-10
    )
    assert -np.pi <= actual.angle <= np.pi
    assert actual.noise.max() < 1e-9
    np.testing.assert_allclose(actual.bias, BIAS, atol=1e-9)
    assert actual.load.mass == pytest.approx(12.7, rel=1e-10)
    np.testing.assert_allclose(actual.load.com, [-0.0383, 0.0, 0.1293], atol=1e-10)
    assert np.isnan(actual.load.inertia).all()
    assert actual.load.frame == "tool0"


def test_the_angle_is_searched_everywhere(arm):
    """A few poses with much noise never lead to a mirror image: 30 sets, angles all round."""
    rng, far = np.random.default_rng(0), []
    for seed in range(30):
        count = int(rng.integers(5, 10))
        q, angle = poses(arm, count, seed), rng.uniform(-np.pi, np.pi)
        still = np.zeros_like(q)
        given = readings(arm, q, still, still, angle) + np.repeat([3.0, 0.6], 3) * rng.normal(
            size=(count, 6)
        )
        actual = load_from_sensor(arm, q, given, tool0_from_sensor=NOMINAL.homogeneous)
        far.append(abs(np.remainder(actual.angle - angle + np.pi, 2.0 * np.pi) - np.pi))
    assert np.max(far) < 0.3


def test_motion_gives_the_inertia(arm):
    """While the arm moves the tensor is told too, in the axes of tool0."""
    rng, q = np.random.default_rng(1), poses(arm, 20)
    v, a = rng.normal(size=q.shape), 3.0 * rng.normal(size=q.shape)
    given = readings(arm, q, v, a, 0.4)
    actual = load_from_sensor(arm, q, given, v=v, a=a, tool0_from_sensor=NOMINAL.homogeneous)
    np.testing.assert_allclose(actual.load.inertia, np.diag([0.269, 0.274, 0.193]), atol=1e-9)
    assert actual.angle == pytest.approx(0.4, abs=1e-10)


def test_a_known_angle_is_taken(arm):
    """With the angle given it is not searched; a wrong one shows in the residuals."""
    q = poses(arm)
    still = np.zeros_like(q)
    given = readings(arm, q, still, still, 0.7, pin.SE3.Identity())
    right, wrong = (load_from_sensor(arm, q, given, angle=angle) for angle in (0.7, 0.6))
    assert right.angle == 0.7
    assert right.angle_deviation == 0.0
    np.testing.assert_allclose(right.load.com, [-0.0383, 0.0, 0.1293], atol=1e-10)
    assert wrong.noise[0] > 1.0 > 1e-6 > right.noise[0]


def test_forces_and_moments_weigh_by_their_noise(arm):
    """At a known angle it is least squares of statics, ``F = m g + b`` and ``M = mc x g + b``, each
    kind divided by its noise.
    """
    rng, q = np.random.default_rng(4), poses(arm)
    still = np.zeros_like(q)
    given = readings(arm, q, still, still, 0.0, pin.SE3.Identity()) + np.repeat(
        [0.5, 0.02], 3
    ) * rng.normal(size=(12, 6))
    actual = load_from_sensor(arm, q, given, angle=0.0)
    rows, right = [], []
    for pose, reading in zip(q, given, strict=True):
        g = arm.pose(pose, "tool0").rotation.T @ [0.0, 0.0, -9.81]
        force = np.hstack([g[:, None], np.zeros((3, 3)), np.eye(3), np.zeros((3, 3))])
        moment = np.hstack([np.zeros((3, 1)), -pin.skew(g), np.zeros((3, 3)), np.eye(3)])
        rows += [force / actual.noise[0], moment / actual.noise[1]]
        right += [reading[:3] / actual.noise[0], reading[3:] / actual.noise[1]]
    whole = np.concatenate(rows)
    solved = np.linalg.lstsq(whole, np.concatenate(right), rcond=None)[0]
    np.testing.assert_allclose(actual.load.parameters[:4], solved[:4], rtol=1e-6, atol=1e-7)
    np.testing.assert_allclose(actual.bias, solved[4:], rtol=1e-6, atol=1e-7)
    spread = np.sqrt(np.diag(np.linalg.inv(whole.T @ whole)))
    np.testing.assert_allclose(actual.load.mass_deviation, spread[0], rtol=1e-6)
    np.testing.assert_allclose(actual.bias_deviation, spread[4:], rtol=1e-6)


def test_deviations_say_how_far_it_is_off(arm):
    """Over 40 noisy sets of readings errors are as large as the deviations say, and the noise of
    both kinds is found.
    """
    rng, q = np.random.default_rng(2), poses(arm, 30)
    still = np.zeros_like(q)
    exact, sigma = readings(arm, q, still, still, -1.2), np.repeat([0.5, 0.05], 3)
    errors, noise = [], []
    for _ in range(40):
        actual = load_from_sensor(
            arm,
            q,
            exact + sigma * rng.normal(size=exact.shape),
            tool0_from_sensor=NOMINAL.homogeneous,
        )
        load = actual.load
        errors.append(
            [
                (actual.angle + 1.2) / actual.angle_deviation,
                (load.mass - 12.7) / load.mass_deviation,
                *((load.com - [-0.0383, 0.0, 0.1293]) / load.com_deviation),
                *((actual.bias - BIAS) / actual.bias_deviation),
            ]
        )
        noise.append(actual.noise)
    np.testing.assert_allclose(np.std(errors, axis=0), 1.0, atol=0.3)  # 2.7 sigma of 40 repeats
    np.testing.assert_allclose(np.mean(noise, axis=0), [0.5, 0.05], rtol=0.03)


def test_too_few_directions_are_told(arm):
    """Poses that differ by axis 1 only, which gravity does not see, tell no centre of mass or
    bias.
    """
    q = np.zeros((8, 6))
    q[:, 0] = np.linspace(-1.0, 1.0, 8)
    still = np.zeros_like(q)
    actual = load_from_sensor(
        arm,
        q,
        readings(arm, q, still, still, 0.0),
        tool0_from_sensor=NOMINAL.homogeneous,
        angle=0.0,
    )
    assert np.isnan(actual.load.mass)
    assert np.isnan(actual.bias[:3]).all()
    with pytest.raises(InputError, match="angle"):
        load_from_sensor(
            arm, q, readings(arm, q, still, still, 0.0), tool0_from_sensor=NOMINAL.homogeneous
        )


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"q": np.zeros(6)}, "q needs"),
        ({"readings": np.zeros((12, 5))}, "readings needs"),
        ({"v": np.zeros((3, 6))}, "v needs"),
        ({"tool0_from_sensor": np.diag([2.0, 1.0, 1.0, 1.0])}, "rotation"),
        ({"readings": np.full((12, 6), np.nan)}, "readings needs"),
    ],
)
def test_wrong_shapes(arm, change, message):
    """Wrong shapes and poses that are none are one clear line."""
    arguments = {"q": poses(arm), "readings": np.ones((12, 6))} | change
    with pytest.raises(InputError, match=message):
        load_from_sensor(arm, **arguments)
