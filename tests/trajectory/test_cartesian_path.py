import numpy as np
import pinocchio as pin
import pytest
from grouped import together
from misuse import refused_in_one_line
from scipy.spatial.transform import Rotation, Slerp

from irbmodels.trajectory import arc, joined, line


def random_poses(seed, count):
    rng = np.random.default_rng(seed)
    poses = np.tile(np.eye(4), (count, 1, 1))
    poses[:, :3, :3] = Rotation.random(count, rng).as_matrix()
    poses[:, :3, 3] = rng.uniform(-1.0, 1.0, (count, 3))
    return poses


def at(x=0.0, y=0.0, z=0.0, rotvec=(0.0, 0.0, 0.0)):
    pose = np.eye(4)
    pose[:3, :3], pose[:3, 3] = Rotation.from_rotvec(rotvec).as_matrix(), (x, y, z)
    return pose


def spins(before, here, after, step):
    """Angular rate in base axes by central differences of rotation matrices."""
    W = (after[:, :3, :3] - before[:, :3, :3]) / (2 * step) @ np.swapaxes(here[:, :3, :3], 1, 2)
    return np.stack([W[:, 2, 1], W[:, 0, 2], W[:, 1, 0]], axis=1)


def paths(seed):
    a, b, c, d, e, f = random_poses(seed, 6)
    turn = at(*f[:3, 3], Rotation.from_matrix(f[:3, :3]).as_rotvec() + np.array([0.3, 0.2, -0.4]))
    on_the_spot = [line(f, turn), line(turn, at(*f[:3, 3], [0.1, 0.9, 0.4]))]
    return {
        "line": line(a, b),
        "arc": arc(b, c, d),
        "turn": line(f, turn),
        "joined": joined([line(a, b), arc(b, c, d), line(d, e)], [0.2, 0.1]),
        "joined turns": joined(on_the_spot, 0.01),
        "joined twice": joined([joined([line(a, b), line(b, c)], 0.15), line(c, e)], 0.1),
    }


@pytest.mark.parametrize("kind", paths(0))
def test_twists_and_accelerations_are_derivatives(kind):
    """Twist and acceleration equal central differences of poses and twists, in base axes."""
    path = paths(0)[kind]
    # [m] rounding leaves 1e-10; the rest is step^2 times a derivative two orders higher
    step = 1e-6
    s = np.linspace(2 * step, path.length - 2 * step, 57)
    here, before, after = path.at(s), path.at(s - step), path.at(s + step)
    # 4e3 rad/m^2 where turns on the spot blend within 14 mm
    sharp = max(1.0, float(np.abs(here.accelerations).max()))
    np.testing.assert_allclose(
        (after.poses[:, :3, 3] - before.poses[:, :3, 3]) / (2 * step),
        here.twists[:, :3],
        atol=1e-9 * sharp,
    )
    np.testing.assert_allclose(
        spins(before.poses, here.poses, after.poses, step), here.twists[:, 3:], atol=2e-9 * sharp
    )
    np.testing.assert_allclose(
        (after.twists - before.twists) / (2 * step), here.accelerations, atol=1e-6 * sharp
    )


@pytest.mark.parametrize("kind", paths(0))
def test_poses_stay_rigid_and_s_is_the_distance(kind):
    """Rotations stay orthogonal, and the twist has unit size where the point moves, 10 rad/m where
    it turns on the spot.
    """
    path = paths(0)[kind]
    actual = path.at(np.linspace(0.0, path.length, 200))
    R = actual.poses[:, :3, :3]
    np.testing.assert_allclose(
        R @ np.swapaxes(R, 1, 2), np.broadcast_to(np.eye(3), R.shape), atol=1e-13
    )
    part, size = (slice(3, 6), 10.0) if "turn" in kind else (slice(0, 3), 1.0)
    np.testing.assert_allclose(np.linalg.norm(actual.twists[:, part], axis=1), size, atol=1e-12)


@pytest.mark.parametrize("seed", range(4))
def test_line_is_scipys_slerp(seed):
    """Position is linear, orientation scipy's slerp, from the first pose to the second."""
    a, b = random_poses(seed, 2)
    path = line(a, pin.SE3(b))
    share = np.linspace(0.0, 1.0, 9)
    poses = path.poses(share * path.length)
    np.testing.assert_allclose(
        poses[:, :3, 3], a[:3, 3] + share[:, None] * (b - a)[:3, 3], atol=1e-14
    )
    expected = Slerp([0.0, 1.0], Rotation.from_matrix([a[:3, :3], b[:3, :3]]))(share).as_matrix()
    np.testing.assert_allclose(poses[:, :3, :3], expected, atol=1e-13)
    assert path.length == pytest.approx(np.linalg.norm((b - a)[:3, 3]), abs=1e-15)


@pytest.mark.parametrize(
    "axis",
    [[1.0, 0.0, 0.0], [-1.0, 0.0, 0.0], [0.0, -1.0, 0.0], [0.0, 0.6, -0.8], [-0.6, 0.0, 0.8]],
)
def test_half_turn_has_the_stated_sense(axis):
    """At 180 deg the turn is right-handed about the axis whose first nonzero component is positive,
    and arrives.
    """
    end = at(0.3, 0.0, 0.0, np.pi * np.array(axis))
    path = line(at(), end)
    upward = np.array(axis) * np.sign(axis[np.flatnonzero(axis)[0]])
    np.testing.assert_allclose(path.twists(0.0)[3:] * path.length, np.pi * upward, atol=1e-12)
    np.testing.assert_allclose(path.poses(path.length), end, atol=1e-15)


@pytest.mark.parametrize("angle", [np.pi - 1e-7, np.pi + 1e-7, 1e-9])
def test_turns_near_half_and_near_none_arrive(angle):
    """A turn just below or above 180 deg goes the short way, a tiny one keeps its digits."""
    path = line(at(), at(1.0, 0.0, 0.0, [0.0, 0.0, angle]))
    short = angle if angle <= np.pi else angle - 2 * np.pi
    assert path.twists(0.5)[5] == pytest.approx(short, rel=1e-7)


def test_turn_on_the_spot_counts_a_tenth_of_a_metre_per_radian():
    """A turn on the spot of 2 rad is 0.2 m long, and its point does not move."""
    path = line(at(1.0, 2.0, 3.0), at(1.0, 2.0, 3.0, [0.0, 2.0, 0.0]))
    assert path.length == pytest.approx(0.2, abs=1e-15)
    assert (path.poses(np.linspace(0.0, 0.2, 5))[:, :3, 3] == [1.0, 2.0, 3.0]).all()


@pytest.mark.parametrize("seed", range(5))
def test_arc_goes_through_its_three_points(seed):
    """Points have one distance from a centre, lie in the plane of the three, and the third pose
    comes after the via point.
    """
    a, via, b = random_poses(seed, 3)
    path = arc(a, via[:3, 3], b)
    poses = path.poses(np.linspace(0.0, path.length, 20001))
    p = poses[:, :3, 3]
    np.testing.assert_allclose(poses[[0, -1]], [a, b], atol=1e-12)
    # half a step, and some
    assert np.linalg.norm(p - via[:3, 3], axis=1).min() < path.length / 20000
    normal = np.cross(via[:3, 3] - a[:3, 3], b[:3, 3] - a[:3, 3])
    assert np.abs((p - a[:3, 3]) @ normal).max() < 1e-12
    curvature = np.linalg.norm(path.accelerations(0.3 * path.length)[:3])
    centre = p[0] + path.accelerations(0.0)[:3] / curvature**2
    np.testing.assert_allclose(np.linalg.norm(p - centre, axis=1), 1.0 / curvature, rtol=1e-10)


@pytest.mark.parametrize("degrees", [30.0, 90.0, 179.0, 181.0, 270.0, 350.0])
def test_arc_has_the_angle_that_via_asks_for(degrees):
    """An arc of the unit circle is as long as its angle, beyond half a circle too, and turns the
    way of its via point.
    """
    angle = np.radians(degrees)
    for sense in (1.0, -1.0):
        end = at(np.cos(angle), sense * np.sin(angle))
        via = [np.cos(angle / 3), sense * np.sin(angle / 3), 0.0]
        path = arc(at(1.0), via, end)
        assert path.length == pytest.approx(angle, abs=1e-12)
        np.testing.assert_allclose(path.twists(0.0)[:3], [0.0, sense, 0.0], atol=1e-12)


def test_orientation_of_an_arc_is_slerp_and_ignores_via():
    """The orientation goes from start to end about one axis, whatever that of via is."""
    a, via, b = random_poses(3, 3)
    path, other = arc(a, via, b), arc(a, at(*via[:3, 3]), b)
    share = np.linspace(0.0, 1.0, 7)
    expected = Slerp([0.0, 1.0], Rotation.from_matrix([a[:3, :3], b[:3, :3]]))(share).as_matrix()
    np.testing.assert_allclose(path.poses(share * path.length)[:, :3, :3], expected, atol=1e-13)
    np.testing.assert_array_equal(path.poses(0.4 * path.length), other.poses(0.4 * path.length))


@pytest.mark.parametrize("degrees", [5.0, 90.0, 150.0])
def test_blend_of_two_lines_has_the_stated_deviation(degrees):
    """Between lines that turn by phi the blend passes the corner at 3/8 zone sin(phi/2); far from
    it nothing changes.
    """
    phi, zone = np.radians(degrees), 0.3
    corner, end = at(1.0), at(1.0 + np.cos(phi), np.sin(phi))
    path = joined([line(at(), corner), line(corner, end)], zone)
    assert path.deviations[0] == pytest.approx(3 / 8 * zone * np.sin(phi / 2), rel=1e-9)
    s = np.linspace(0.0, path.length, 4001)
    p = path.poses(s)[:, :3, 3]
    assert np.linalg.norm(p - corner[:3, 3], axis=1).min() == pytest.approx(
        path.deviations[0], rel=1e-4
    )
    np.testing.assert_allclose(path.poses(0.7), at(0.7), atol=1e-14)
    np.testing.assert_allclose(
        path.poses(path.length - 0.7)[:3, 3],
        end[:3, 3] - 0.7 * np.array([np.cos(phi), np.sin(phi), 0]),
    )
    chords = np.linalg.norm(np.diff(p, axis=0), axis=1).sum()
    # chords are shorter by the square of the step
    assert path.length == pytest.approx(chords, rel=1e-5)


@pytest.mark.parametrize("seed", range(3))
def test_blends_are_twice_continuously_differentiable(seed):
    """Twist and acceleration are continuous where blends begin and end, position and orientation
    alike.
    """
    a, b, c, d, e, _ = random_poses(seed, 6)
    first, second, third = line(a, b), arc(b, c, d), line(d, e)
    zones = [0.2, 0.1]
    path = joined([first, second, third], zones)
    blend = path.length - (first.length - 0.2) - (second.length - 0.3) - (third.length - 0.1)
    begin = first.length - 0.2
    assert path.stops == ()
    assert 0.0 < blend < 0.6
    before, after = path.at(begin - 1e-9), path.at(begin + 1e-9)
    np.testing.assert_allclose(after.twists, before.twists, atol=1e-6)
    np.testing.assert_allclose(after.accelerations, before.accelerations, atol=1e-4)
    fine = path.accelerations(np.linspace(0.0, path.length, 16001))
    finer, steps = (np.abs(np.diff(a, axis=0)).max() for a in (fine, fine[::2]))
    assert finer < 0.6 * steps  # a jump would stay as large


def test_corners_without_a_blend_are_stops():
    """Without a zone the path passes each corner exactly, and says that the twist jumps there."""
    a, b, c, *_ = random_poses(1, 3)
    path = joined([line(a, b), line(b, c)])
    edge = line(a, b).length
    assert path.stops == (edge,)
    assert path.deviations == (0.0,)
    np.testing.assert_allclose(path.poses(edge), b, atol=1e-12)
    straight = joined([line(at(), at(1.0)), line(at(1.0), at(2.0))])
    assert straight.stops == ()
    assert joined([path, line(c, a)], 0.1).stops == (edge,)
    later = joined([line(at(), a), path], 0.1)
    np.testing.assert_allclose(later.poses(later.stops[0]), b, atol=1e-12)


def test_arrays_of_s_keep_their_leading_axes():
    """One s gives (4, 4) and (6,), an array of s its own leading axes; ends may be passed by
    rounding.
    """
    path = line(at(), at(2.0))
    assert path.poses(0.5).shape == (4, 4)
    assert path.twists(np.zeros((2, 3))).shape == (2, 3, 6)
    np.testing.assert_array_equal(path.poses(2.0 + 1e-10), at(2.0))


STRETCHED = np.diag([1.0, 1.0, 2.0, 1.0])


@together(
    "wrong, message",
    [
        (lambda: line(at(), at()), "same pose"),
        (lambda: line(STRETCHED, at(1.0)), "start, a pose .* needs a rotation"),
        (lambda: line(at(), np.eye(3)), "end, a pose"),
        (lambda: line(at(float("nan")), at(1.0)), "start, a pose"),
        (lambda: arc(at(), at(1.0), at()), "full circle of two arcs"),
        (lambda: arc(at(), at(1.0), at(2.0)), "on one line"),
        (lambda: arc(at(), at(), at(2.0)), "via is one of the ends"),
        (lambda: arc(at(), at(2.0), at(2.0)), "via is one of the ends"),
        (lambda: arc(at(), [1.0, 2.0], at(2.0)), "via, a pose or a position"),
        (lambda: joined([]), "list of paths"),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.1), at(2.0))]),
            "do not meet: their poses differ by 100 mm",
        ),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.0, rotvec=(0, 0, 0.1)), at(2.0))]),
            "do not meet",
        ),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.0), at(1.0, 1.0))], -0.1),
            "must not be negative",
        ),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.0), at(1.0, 1.0))], [0.1, 0.2]),
            r"zones of 1 corners",
        ),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.0), at(1.0, 1.0))], 1.1),
            "zones of path 1 overlap",
        ),
        (lambda: joined([line(at(), at(1.0)), line(at(1.0), at(0.2))], 0.1), "straight back"),
        (
            lambda: joined([line(at(), at(1.0)), line(at(1.0), at(1.0, rotvec=(0, 0, 1.0)))], 0.05),
            "turn on the spot",
        ),
        (
            lambda: joined(
                [
                    joined([line(at(), at(1.0)), line(at(1.0), at(1.0, 1.0))]),
                    line(at(1.0, 1.0), at()),
                ],
                1.2,
            ),
            "overlap|of its own",
        ),
        (lambda: line(at(), at(1.0)).poses(1.1), "s = 1.1 m is not on the path"),
        (lambda: line(at(), at(1.0)).poses([0.0, float("nan")]), "s = nan m is not on the path"),
        (lambda: line(at(), at(1.0)).poses("far"), "not an array of numbers"),
    ],
)
def test_wrong_input_is_one_clear_line(wrong, message):
    refused_in_one_line(wrong, message)
