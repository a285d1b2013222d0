"""Working ranges by exact arcs against ABB's drawing, plain sampling with typed lengths, and
Pinocchio's poses.
"""

from __future__ import annotations

import math
from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from own_arms import arm_urdf, written
from scipy.spatial import cKDTree

import irbmodels as irb
from irbmodels import cli
from irbmodels.kinematics.planar_boundary import Arc, TwoLinks
from irbmodels.kinematics.workspace_of_arm import workspace_of
from irbmodels.report import figures
from irbmodels.report import workspace_drawing as drawings

DRAWN = 5e-4  # [m] rounding of ABB's drawing, which is in whole mm
REACH = {  # [m] data sheets and README
    "irb2400_10": 1.55,
    "irb2400_16": 1.55,
    "irb1400": 1.44,
    "irb1600_6_120": 1.225,
    "irb1600_6_145": 1.45,
    "irb1600_10_120": 1.225,
    "irb1600_10_145": 1.45,
    "irb930_12_105": 1.05,
    "irb930_22_105": 1.05,
    "irb930_12_085": 0.85,
}


def plane_point(name: str, one: np.ndarray, two: np.ndarray) -> np.ndarray:
    """Return wrist centers (x, z) at q2 and r3, of a SCARA the tool (x, y) at q1 and q2, from typed
    lengths.
    """
    if name in oracles.SCARA_ARMS:
        a1, a2 = oracles.SCARA_ARMS[name]
        return np.stack(
            [a1 * np.cos(one) + a2 * np.cos(one + two), a1 * np.sin(one) + a2 * np.sin(one + two)],
            -1,
        )
    d1, a1, a2, a3, d4, _ = oracles.DIMENSIONS[name]
    lean = one + two
    x = a1 + a2 * np.sin(one) + a3 * np.sin(lean) + d4 * np.cos(lean)
    return np.stack([x, d1 + a2 * np.cos(one) + a3 * np.cos(lean) - d4 * np.sin(lean)], -1)


def spans(name: str) -> np.ndarray:
    """Return the ranges of the two axes that move in the plane."""
    return oracles.ranges(name)[:2] if name in oracles.SCARA_ARMS else oracles.ranges(name)[1:3]


def cloud(name: str, count: int) -> np.ndarray:
    """Return the points of a grid over both ranges, ends included, shape ``(count * count, 2)``."""
    one, two = (np.linspace(low, high, count) for low, high in spans(name))
    return plane_point(name, *np.meshgrid(one, two)).reshape(-1, 2)


def distance_to(outlines: list[list[Arc]], points: np.ndarray) -> np.ndarray:
    """Return how far points are from the nearest arc, from the arcs sampled every 0.05 deg."""
    edge = np.concatenate([arc.sample(math.radians(0.05)) for loop in outlines for arc in loop])
    return cKDTree(edge).query(points)[0]


# --- ABB's drawing


@pytest.mark.parametrize("name", ["irb2400_10", "irb2400_16"])
def test_the_2400_is_abbs_drawing(name):
    """1550, -1350, 2065 and -393 mm (drawing xx1100000546, docs/reference/robots/irb2400.md) to its rounding."""
    actual = irb.load(name).workspace().extremes()
    assert actual[:4] == pytest.approx((1.550, -1.350, 2.065, -0.393), abs=DRAWN)
    assert actual.reach == pytest.approx(1.550, abs=DRAWN)


def test_the_2400_has_the_drawings_positions():
    """Pos 2, 3 and 5 are corners of the ranges, 3 and 5 of the outline; Pos 4 lies on the arc of q2
    = 110 deg.
    """
    robot = irb.load("irb2400")
    space = robot.workspace()
    drawn = {
        2: ((0, 65), (0.541, 0.693)),
        3: ((110, -60), (1.351, -0.118)),
        5: ((-100, -60), (-1.350, 0.624)),
    }
    for (q2, r3), point in drawn.values():
        x, _, z = robot.pose(robot.from_controller([0, q2, q2 + r3, 0, 0, 0]), "link_5").translation
        assert (x, z) == pytest.approx(point, abs=DRAWN)
        assert space.in_plane([x, z])
    corners = {
        tuple(np.round(np.degrees(corner.axes), 6)): corner.point for corner in space.corners()[0]
    }
    assert list(corners) == [(-100, 65), (110, 65), (110, -60), (-100, -60)]
    for number in (3, 5):
        assert corners[drawn[number][0]] == pytest.approx(drawn[number][1], abs=DRAWN)
    pos_4 = np.array([[0.400, -0.302]])
    assert distance_to(space.outlines, pos_4) < DRAWN
    (arc,) = (
        arc
        for arc in space.outlines[0]
        if space.fixed_row(arc) == pytest.approx((1, math.radians(110.0)))
    )
    assert abs(math.dist(arc.center, pos_4[0]) - arc.radius) < DRAWN


@together("name", oracles.NAMES)
def test_reach_is_the_data_sheets(name):
    """The largest distance from axis 1 rounds to the reach that the maker states."""
    digits = len(str(REACH[name]).split(".")[1])
    assert round(irb.load(name).workspace().extremes().reach, digits) == REACH[name]


def test_an_arm_of_ones_own_has_its_reach():
    """The IRB 2400L (docs/howto/own_robot.md): other lengths in the same shape give 1.81 m."""
    robot = irb.load("irb2400")
    arm = replace(
        robot.workspace().arm, lower_arm_length=0.855, forearm_length=math.hypot(0.150, 0.870)
    )
    # the forearm's line against axis 3
    turned = math.atan2(0.870, 0.150) - math.atan2(0.755, 0.135)
    arm = replace(
        arm, axis_map=replace(arm.axis_map, h=arm.axis_map.h - np.array([0, 0, turned, 0, 0, 0]))
    )
    assert workspace_of(arm, robot.limits).extremes().reach == pytest.approx(1.8109, abs=DRAWN)


def test_an_arm_from_a_urdf_on_a_leaning_base(tmp_path):
    """Every posture's wrist center is inside, what is beyond the reach is not; axes turn both ways,
    ranges of any sign.
    """
    rng = np.random.default_rng(2)
    base = rng.uniform(-1, 1, 3), rng.uniform(-3, 3, 3)
    text = arm_urdf(0.2, 0.6, 0.1, 0.5, signs=(1, -1, 1, -1, 1, 1), base=base)
    robot = irb.from_urdf(
        written(text.replace('lower="-18" upper="18"', 'lower="-0.7" upper="1.9"'), tmp_path)
    )
    space = robot.workspace()
    at_wrist = robot.with_tool(
        irb.Tool("wrist", pin.SE3(np.eye(3), space.arm.wrist), irb.payload(1.0))
    )
    for q in rng.uniform(-0.7, 1.9, (300, 6)):
        assert space.contains(at_wrist.pose(q).translation)
    pairs = np.stack(
        np.meshgrid(np.linspace(-0.7, 1.9, 120), np.linspace(-0.7, 1.9, 120)), -1
    ).reshape(-1, 2)
    x = space.arm.axis_map.angles(
        np.concatenate([np.zeros((len(pairs), 1)), pairs, np.zeros((len(pairs), 3))], axis=1)
    )
    radius = (
        space.arm.a1
        + space.arm.lower_arm_length * np.sin(x[:, 1])
        + space.arm.forearm_length * np.sin(x[:, 2])
    )
    assert space.extremes().ahead == pytest.approx(radius.max(), abs=1e-3)
    assert space.extremes().ahead >= radius.max() - 1e-12
    assert drawings.workspace_figure(robot).axes


# --- arcs against sampling


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_posture_is_inside_and_the_edge_is_reached(name):
    """No sampled posture leaves the outline; each of its points has one within the grid's
    spacing.
    """
    space, points = irb.load(name).workspace(), cloud(name, 400)
    assert space.in_plane(points).all()
    edge = np.concatenate(
        [arc.sample(math.radians(4.0)) for loop in space.outlines for arc in loop]
    )
    spacing = 1.45 * np.radians(310.0) / 399 * 1.5
    for point in edge:
        assert np.hypot(*(points - point).T).min() < spacing
    grown = np.concatenate([_beside(loop, 1e-6) for loop in space.outlines])
    assert not space.in_plane(grown).any()
    assert space.in_plane(np.concatenate([_beside(loop, -1e-6) for loop in space.outlines])).all()


def _beside(loop: list[Arc], step: float) -> np.ndarray:
    """Return points ``step`` [m] to the right of a loop, away from its corners."""
    actual = []
    for arc in loop:
        angles = np.linspace(arc.start, arc.end, 27)[1:-1]
        outward = 1.0 if arc.end > arc.start else -1.0
        actual.append(
            np.array(arc.center)
            + (arc.radius + outward * step) * np.stack([np.cos(angles), np.sin(angles)], -1)
        )
    return np.concatenate(actual)


@pytest.mark.parametrize(
    "name", ["irb2400_16", "irb1400", "irb1600_6_120", "irb1600_10_120", "irb930_12_085"]
)
def test_inside_is_what_a_dense_grid_of_postures_covers(name):
    """Random points 10 mm or more from the outline: inside ones have a posture within 6 mm, outside
    ones none within 9 mm.
    """
    space, points = irb.load(name).workspace(), cloud(name, 700)
    low, high = points.min(axis=0) - 0.1, points.max(axis=0) + 0.1
    asked = np.random.default_rng(5).uniform(low, high, (250, 2))
    asked = asked[distance_to(space.outlines, asked) > 0.010]
    gaps = cKDTree(points).query(asked)[0]
    inside = space.in_plane(asked)
    assert 30 < inside.sum() < len(asked) - 30
    assert gaps[inside].max() < 0.006
    assert gaps[~inside].min() > 0.009


@pytest.mark.parametrize("name", oracles.NAMES)
def test_extremes_are_those_of_all_postures(name):
    """Sampling never goes beyond the extremes, and comes to within a tenth of a millimetre of
    them.
    """
    actual, points = irb.load(name).workspace().extremes(), cloud(name, 1500)
    (right, top), (left, bottom) = points.max(axis=0), points.min(axis=0)
    sampled = np.array([right, -left, top, -bottom])
    stated = np.array([actual.ahead, -actual.behind, actual.top, -actual.bottom])
    assert (sampled <= stated + 1e-12).all()
    np.testing.assert_allclose(sampled, stated, rtol=0, atol=1e-4)
    far = np.abs(points[:, 0]).max() if name in oracles.SIX_AXIS else np.hypot(*points.T).max()
    assert actual.reach == pytest.approx(far, abs=1e-4)


@pytest.mark.parametrize("name", oracles.NAMES)
def test_area_and_volume_are_those_of_a_fine_grid(name):
    """By arcs, against counting: cells of 3 mm in the plane, rings around axis 1 where it turns."""
    robot = irb.load(name)
    space, cell = robot.workspace(), 0.003
    actual = space.extremes()
    count = math.ceil(max(actual.reach, -actual.behind) / cell)
    x = (np.arange(-count, count) + 0.5) * cell
    z = np.arange(actual.bottom, actual.top, cell) + cell / 2.0
    filled = space.in_plane(np.stack(np.meshgrid(x, z, indexing="ij"), -1))
    assert space.area() == pytest.approx(filled.sum() * cell**2, rel=2e-4)
    if name in oracles.SCARA_ARMS:
        assert space.volume() == pytest.approx(space.area() * 0.3, rel=1e-12)
        return
    width = np.diff(oracles.ranges(name)[0])[0]
    radius, angle = x[x > 0], np.radians(np.arange(-180, 180) + 0.5)
    allowed = np.abs(angle) <= width / 2.0
    turned = np.roll(allowed, 180)
    front, back = filled[x > 0], filled[x < 0][::-1]
    ring = radius[:, None] * cell**2 * np.radians(1.0)
    pieces = [
        np.sum(ring * ((front & one) | (back & other)))
        for one, other in zip(allowed, turned, strict=True)
    ]
    assert space.volume() == pytest.approx(sum(pieces), rel=3e-4)


def test_full_turns_give_an_annulus():
    """Two circles, the inner one run clockwise; area in closed form."""
    links = TwoLinks((0.3, -0.2), 0.7, 0.4, ((-math.pi, math.pi), (-math.pi, math.pi)))
    outlines = links.outlines()
    assert [len(loop) for loop in outlines] == [1, 1]
    assert sorted(arc.radius for (arc,) in outlines) == pytest.approx([0.3, 1.1])
    assert sum(arc.area() for (arc,) in outlines) == pytest.approx(
        math.pi * (1.1**2 - 0.3**2), rel=1e-12
    )
    assert sum(arc.moment() for (arc,) in outlines) == pytest.approx(
        0.3 * math.pi * (1.1**2 - 0.3**2), rel=1e-12
    )


@together("turn", [310.0, 330.0, 345.0, 359.0, 400.0])
@together("inner", [0.4, 0.7, 1.0])
def test_an_elbow_of_nearly_a_full_turn_or_more_has_its_whole_edge(inner, turn):
    """Outlines close, have the region to their left, and bound the area that a fine grid of points
    counts.
    """
    low = math.radians(-150.0)
    links = TwoLinks((0.3, -0.2), inner, 0.7, ((-0.6, 0.9), (low, low + math.radians(turn))))
    outlines = links.outlines()
    for loop in outlines:
        for one, other in zip(loop, [*loop[1:], loop[0]], strict=True):
            assert math.dist(one.points(one.end), other.points(other.start)) < 1e-6
    reach, count = inner + 0.7, 400
    ticks = reach * ((np.arange(count) + 0.5) / (count / 2) - 1.0)
    grid = np.stack(np.meshgrid(ticks, ticks), axis=-1) + np.array([0.3, -0.2])
    counted = np.count_nonzero(links.contains(grid)) * (2.0 * reach / count) ** 2
    # of the grid
    assert sum(arc.area() for loop in outlines for arc in loop) == pytest.approx(counted, rel=5e-3)


def test_arcs_say_where_they_are():
    """An arc's ends, length, extremes and mirror image."""
    arc = Arc((1.0, 2.0), 0.5, math.radians(-10.0), math.radians(100.0), 1, 0.0)
    assert arc.length == pytest.approx(0.5 * math.radians(110.0))
    assert np.max(arc.extremes(), axis=0) == pytest.approx([1.5, 2.5])
    left, low = arc.points(arc.end)[0], arc.points(arc.start)[1]
    assert np.min(arc.extremes(), axis=0) == pytest.approx([left, low])
    np.testing.assert_allclose(
        arc.mirror().points(arc.mirror().end), arc.points(arc.end) * [-1.0, 1.0]
    )
    assert arc.spans(0.0)
    assert arc.spans(2.0 * math.pi)
    assert not arc.spans(math.pi)


@together("name", oracles.NAMES)
def test_outlines_are_closed_and_their_corners_are_postures(name):
    """Each arc begins where the one before ends; the axes stated for a corner bring Pinocchio's
    wrist center there.
    """
    robot = irb.load(name)
    space = robot.workspace()
    for loop, corners in zip(space.outlines, space.corners(), strict=True):
        for one, other in zip(loop, [*loop[1:], loop[0]], strict=True):
            np.testing.assert_allclose(
                one.points(one.end), other.points(other.start), rtol=0, atol=1e-9
            )
        assert len(corners) == (len(loop) if len(loop) > 1 else 0)
        for corner in corners:
            q = np.zeros(robot.n)
            if robot.n == 4:
                q[:2] = corner.axes
                actual = robot.pose(q, "tool0").translation[:2]
            else:
                q[1], q[2] = (
                    corner.axes[0],
                    corner.axes[1] + (corner.axes[0] if name in oracles.PARALLELOGRAM else 0.0),
                )
                actual = robot.pose(q, "link_5").translation[[0, 2]]
            np.testing.assert_allclose(actual, corner.point, rtol=0, atol=1e-9)
            assert robot.in_range(q)


@pytest.mark.parametrize(
    ("name", "stretched"), [("irb1600_6_145", -math.pi / 2), ("irb930_12_105", 0.0)]
)
def test_a_stretched_corner_is_known_to_all_digits(name, stretched):
    """Where two arcs touch with the arm stretched, its angle is the exact one, not what arccos
    leaves of it (1e-8).
    """
    corners = [corner for loop in irb.load(name).workspace().corners() for corner in loop]
    assert sum(abs(corner.axes[1] - stretched) < 1e-15 for corner in corners) == 2


# --- in space


@together("name", oracles.NAMES)
def test_every_wrist_center_is_in_the_space(name):
    """Pinocchio's wrist center (TCP of a SCARA) of random positions within all ranges."""
    robot, low, high = irb.load(name), *oracles.ranges(name).T
    q = np.random.default_rng(6).uniform(low, high, (300, robot.n))
    if name in oracles.PARALLELOGRAM:
        q[:, 2] += q[:, 1]
    points = np.array(
        [robot.pose(one, "link_5" if robot.n == 6 else "tcp").translation for one in q]
    )
    space = robot.workspace()
    assert space.contains(points).all()
    assert space.contains(points.reshape(3, 100, 3)).shape == (3, 100)
    assert not space.contains(points + np.array([0.0, 0.0, 3.0])).any()


def test_the_space_of_the_1400_has_a_gap_behind():
    """Axis 1 turns +-170 deg: 1.2 m out is reached at 169 deg, not at 171; on axis 1 itself no
    azimuth matters.
    """
    space = irb.load("irb1400").workspace()
    for azimuth, reached in ((169.0, True), (171.0, False), (-169.0, True), (180.0, False)):
        angle = math.radians(azimuth)
        assert space.contains([1.2 * math.cos(angle), 1.2 * math.sin(angle), 1.0]) == reached
    assert space.contains([0.0, 0.0, 1.5])
    assert space.contains([-1e-12, 0.0, 1.5])
    assert not space.contains([0.0, 0.0, 1.0])


@pytest.mark.parametrize("wrist", [(0, 30, 0), (0, -60, 180), (180, 40, 0)])
@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_145"])
def test_a_tcp_with_held_wrist_has_exact_arcs_too(name, wrist):
    """The spindle's TCP with axes 4 to 6 held where it stays in the plane: all of Pinocchio's TCPs
    inside, extremes attained.
    """
    robot = irb.load(name, tool="spindle")
    space, held = robot.workspace(np.radians(wrist)), np.radians(wrist)
    one, two = (np.linspace(low, high, 25) for low, high in spans(name))
    points = []
    for q2 in one:
        for r3 in two:
            x, y, z = robot.pose(
                [0.0, q2, r3 + (q2 if name in oracles.PARALLELOGRAM else 0.0), *held]
            ).translation
            assert abs(y) < 1e-9
            points.append([x, z])
    actual = space.extremes()
    assert space.in_plane(np.array(points)).all()
    (right, top), (left, bottom) = np.max(points, axis=0), np.min(points, axis=0)
    assert np.array([right, top, -left, -bottom]) == pytest.approx(
        [actual.ahead, actual.top, -actual.behind, -actual.bottom], abs=0.02
    )
    for loop, corners in zip(space.outlines, space.corners(), strict=True):
        for arc, corner in zip(loop, corners, strict=False):
            q3 = corner.axes[1] + (corner.axes[0] if name in oracles.PARALLELOGRAM else 0.0)
            x, _, z = robot.pose([0.0, corner.axes[0], q3, *held]).translation
            assert (x, z) == pytest.approx(arc.points(arc.start).tolist(), abs=1e-9)


def test_a_tcp_beside_the_plane_is_refused():
    """With axis 4 turned the spindle leaves the plane: no outline is claimed."""
    with pytest.raises(irb.InputError, match=r"the TCP is -?\d+\.?\d* mm beside the arm's plane"):
        irb.load("irb2400", tool="spindle").workspace(np.radians([40, 30, 0]))


def test_a_scaras_tcp_beside_its_flange():
    """With a tool off axis 4 and axis 4 held, the TCP's region is that of a bent second arm."""
    robot = irb.load("irb930", tool="spindle")
    space, q4 = robot.workspace([0.7]), 0.7
    rng = np.random.default_rng(7)
    low, high = oracles.ranges("irb930_12_105").T
    for q in rng.uniform(low, high, (50, 4)):
        q[3] = q4
        point = robot.pose(q).translation
        assert space.in_plane(point[:2])
        assert space.contains(point)
    for corner in space.corners()[0]:
        point = robot.pose([*corner.axes, -0.1, q4]).translation
        np.testing.assert_allclose(point[:2], corner.point, rtol=0, atol=1e-9)


@pytest.mark.parametrize(
    ("name", "tool"), [("irb2400_16", "spindle"), ("irb1400", None), ("irb1600_10_120", "spindle")]
)
def test_a_free_wrist_adds_the_length_of_the_tool(name, tool):
    """Where the wrist can point the TCP straight on, the extremes are those of the wrist center and
    the distance from it.
    """
    robot = irb.load(name, tool=tool)
    actual, arcs = robot.tcp_extremes(), robot.workspace().extremes()
    tip = oracles.SPINDLE_TCP[:3, 3] if tool else np.zeros(3)
    arm = np.linalg.norm(tip + np.array([0.0, 0.0, oracles.DIMENSIONS[name][5]]))
    assert actual[:3] == pytest.approx(
        (arcs.reach + arm, arcs.top + arm, arcs.bottom - arm), abs=1e-6
    )
    far, high, low = (robot.pose(q).translation for q in actual.postures)
    assert (np.hypot(*far[:2]), high[2], low[2]) == pytest.approx(actual[:3], abs=1e-9)
    assert robot.in_range(actual.postures).all()


def test_a_scaras_tool_adds_its_arm():
    """Reach and height of the spindle on a SCARA: a1 + a2 + its 240 mm, and axis 3 from end to
    end.
    """
    robot = irb.load("irb930", tool="spindle")
    actual = robot.tcp_extremes()
    assert actual[:3] == pytest.approx(
        (1.05 + 0.240, 0.5642 - 0.162, 0.5642 - 0.162 - 0.3), abs=1e-6
    )
    far, high, low = (robot.pose(q).translation for q in actual.postures)
    assert (np.hypot(*far[:2]), high[2], low[2]) == pytest.approx(actual[:3], abs=1e-9)


@pytest.mark.parametrize("name", ["irb2400_16", "irb1600_6_145", "irb930_12_105"])
def test_the_search_moves_the_tcp_as_pinocchio_does(name):
    """Where it puts the TCP in random positions, axis 1 at 0."""
    robot = irb.load(name, tool="spindle")
    arm = robot.workspace().arm
    for q in oracles.states(name, 30)[:, 0]:
        q[0] = 0.0
        np.testing.assert_allclose(
            arm.in_plane(arm.axis_map.angles(q)), robot.pose(q).translation, rtol=0, atol=1e-12
        )


def test_extremes_of_a_tcp_are_never_passed():
    """No random posture within the ranges comes beyond them."""
    robot = irb.load("irb2400", tool="spindle")
    q = np.random.default_rng(10).uniform(*oracles.ranges("irb2400_16").T, (1000, 6))
    q[:, 2] += q[:, 1]
    points = np.array([robot.pose(one).translation for one in q])
    actual = robot.tcp_extremes()
    assert np.hypot(*points[:, :2].T).max() <= actual.reach
    assert points[:, 2].max() <= actual.top
    assert points[:, 2].min() >= actual.bottom


# --- maps


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400", "irb1600_10_145", "irb930_12_105"])
def test_manipulability_is_the_best_of_all_postures(name):
    """At wrist centers of random postures: abs(det) of Pinocchio's Jacobian is never more, and one
    posture has it.
    """
    robot, (low, high) = irb.load(name), oracles.ranges(name).T
    q = np.random.default_rng(8).uniform(low, high, (200, robot.n))
    if name in oracles.PARALLELOGRAM:
        q[:, 2] += q[:, 1]
    frame = "link_5" if robot.n == 6 else "tcp"
    rows, columns = (slice(3), slice(3)) if robot.n == 6 else (slice(2), slice(2))
    own = np.array([abs(np.linalg.det(robot.jacobian(one, frame)[rows, columns])) for one in q])
    points = np.array([robot.pose(one, frame).translation for one in q])
    best = robot.workspace().measure_at(points)
    assert (own <= best + 1e-12).all()
    assert np.mean(np.abs(own - best) < 1e-12) > 0.4
    assert np.isnan(robot.workspace().measure_at(points + np.array([0.0, 0.0, 5.0]))).all()


def test_dexterity_is_the_share_of_the_cones_that_axis_5_opens():
    """One posture: a cone of 120 deg about the forearm is 3/4 of the sphere, of 115 deg (1 - cos
    115)/2; two wide apart: all.
    """
    of_115 = (1.0 - math.cos(math.radians(115.0))) / 2.0
    for name, reachable, share in (
        ("irb2400", [1.2, 0.3, 0.2], 0.75),
        ("irb1400", [1.2, 0.1, 0.8], of_115),
    ):
        space = irb.load(name).workspace()
        actual = space.measure_at([reachable, [3.0, 0.0, 0.0]], "dexterity", 2000)
        assert actual[0] == pytest.approx(share, abs=2e-3)
        assert np.isnan(actual[1])
    above = irb.load("irb2400").workspace().measure_at([0.2, 0.0, 1.8], "dexterity", 500)
    assert 0.75 < above <= 1.0


def test_dexterity_agrees_with_sampled_wrists():
    """Tool directions of random wrists in both postures over axis 1 lie in the share's cones:
    sampled by Pinocchio.
    """
    robot = irb.load("irb2400")
    point = np.array([0.25, 0.0, 1.9])
    space, rng = robot.workspace(), np.random.default_rng(9)
    postures = []
    for side, q1 in ((1.0, 0.0), (-1.0, math.pi)):
        for t1, t2 in zip(*space.links.solve(np.array([side * point[0], point[2]])), strict=True):
            if np.isfinite(t1):
                q2, r3 = space.ranges_at(t1, t2)
                postures.append([q1, float(q2), float(q2 + r3)])
                np.testing.assert_allclose(
                    robot.pose([*postures[-1], 0, 0, 0], "link_5").translation,
                    point,
                    rtol=0,
                    atol=1e-12,
                )
    assert len(postures) == 2
    heads = []
    low, high = oracles.ranges("irb2400_16").T
    for posture in postures:
        forward = robot.pose([*posture, 0.0, 0.0, 0.0], "tool0").rotation[:, 2]
        for wrist in rng.uniform(low[3:], high[3:], (50, 3)):
            head = robot.pose([*posture, *wrist], "tool0").rotation[:, 2]
            assert head @ forward >= math.cos(math.radians(120.0)) - 1e-12
        heads.append(forward)
    wanted = rng.normal(size=(20000, 3))
    wanted /= np.linalg.norm(wanted, axis=1)[:, None]
    covered = np.any(
        [wanted @ head >= math.cos(math.radians(120.0)) for head in heads], axis=0
    ).mean()
    assert space.measure_at(point, "dexterity", 2000) == pytest.approx(covered, abs=0.01)


def test_dexterity_asks_for_the_range_of_axis_4():
    """Lopsided ranges of axes 4 and 5: the share is that of directions which a wrist in Pinocchio's
    forearm can point to.
    """
    robot, bounds = irb.load("irb2400"), np.radians([[-10.0, 100.0], [0.0, 100.0]])
    limits = with_ranges(robot, {3: bounds[0], 4: bounds[1]})
    space = workspace_of(robot.workspace().arm, limits)
    point = np.array([0.1, 0.0, 1.9])
    wanted = np.random.default_rng(11).normal(size=(20000, 3))
    wanted /= np.linalg.norm(wanted, axis=1)[:, None]
    reached = np.zeros(len(wanted), dtype=bool)
    for side, q1 in ((1.0, 0.0), (-1.0, math.pi)):
        for t1, t2 in zip(*space.links.solve(np.array([side * point[0], point[2]])), strict=True):
            if np.isfinite(t1):
                q2, r3 = (float(value) for value in space.ranges_at(t1, t2))
                # z ahead, x down, y to the left
                tool0 = robot.pose([q1, q2, q2 + r3, 0.0, 0.0, 0.0], "tool0").rotation
                ahead, left, up = (
                    wanted @ tool0[:, 2],
                    wanted @ tool0[:, 1],
                    -wanted @ tool0[:, 0],
                )
                for sign in (1.0, -1.0):
                    q5, q4 = sign * np.arccos(ahead), np.arctan2(sign * left, -sign * up)
                    inside = [
                        (low <= q) & (q <= high)
                        for q, (low, high) in zip((q4, q5), bounds, strict=True)
                    ]
                    reached |= inside[0] & inside[1]
    assert 0.2 < reached.mean() < 0.6
    assert space.measure_at(point, "dexterity", 4000) == pytest.approx(reached.mean(), abs=0.01)


def with_ranges(robot: irb.Robot, changed: dict[int, np.ndarray]) -> irb.Limits:
    """Return a robot's limits with other ranges for some axes."""
    lower, upper = robot.limits.lower.copy(), robot.limits.upper.copy()
    for axis, (low, high) in changed.items():
        lower[axis], upper[axis] = low, high
    return replace(robot.limits, lower=lower, upper=upper)


def test_on_axis_1_no_azimuth_matters():
    """Axis 1 limited to +-60 deg: a point on its line is reached, though its azimuth is any; 1 mm
    beside only ahead or behind.
    """
    robot = irb.load("irb2400")
    space = workspace_of(robot.workspace().arm, with_ranges(robot, {0: np.radians([-60.0, 60.0])}))
    assert space.contains([[0.0, 1e-12, 1.5], [1e-3, 0.0, 1.5], [-1e-3, 0.0, 1.5]]).all()
    assert not space.contains([0.0, 1e-3, 1.5])
    # ahead and behind lie at other azimuths: nothing is counted once that is there twice
    whole = robot.workspace()
    cell, actual = 0.004, whole.extremes()
    x, z = (
        np.arange(low, high, cell) + cell / 2.0
        for low, high in ((actual.behind, actual.ahead), (actual.bottom, actual.top))
    )
    filled = whole.in_plane(np.stack(np.meshgrid(x, z, indexing="ij"), -1))
    assert space.volume() == pytest.approx(
        np.sum(filled * np.abs(x)[:, None]) * cell**2 * math.radians(120.0), rel=1e-3
    )


def test_maps_over_a_grid_have_its_shape():
    """A cube around the arm; what is out of reach is NaN, all else positive."""
    robot = irb.load("irb2400")
    space = robot.workspace()
    grid = space.grid(0.25)
    actual = space.measure_at(grid)
    assert actual.shape == grid.shape[:3]
    np.testing.assert_array_equal(np.isfinite(actual), space.contains(grid))
    assert 0.5 < np.nanmax(actual) < 0.7
    with pytest.raises(irb.UnknownName, match="did you mean 'dexterity'"):
        space.measure_at(grid, "dexterty")
    with pytest.raises(irb.MissingData, match="always points down"):
        irb.load("irb930").workspace().measure_at([0.5, 0.0, 0.4], "dexterity")


# --- drawing and command


@pytest.mark.parametrize("name", oracles.NAMES)
def test_every_variant_is_drawn_with_its_numbers(name, tmp_path):
    """The figure holds the extremes, the lengths and the positions; it can be written as SVG."""
    robot = irb.load(name)
    figure = drawings.workspace_figure(robot)
    figures.save(figure, tmp_path / "range.svg")
    assert (tmp_path / "range.svg").read_text(encoding="utf-8").startswith("<?xml")
    texts = {text.get_text() for axes in figure.axes for text in axes.texts}
    actual = robot.workspace().extremes()
    assert {f"{1e3 * value:.1f}" for value in actual[:4]} <= texts
    typed = oracles.DIMENSIONS.get(name) or oracles.SCARA_ARMS[name]
    names = ("d1", "a1", "a2", "a3", "d4", "d6") if robot.n == 6 else ("a1", "a2")
    assert {
        f"{label} {1e3 * length:g}" for label, length in zip(names, typed, strict=True) if length
    } <= texts
    cells = [cell.get_text().get_text() for cell in figure.axes[1].tables[0].get_celld().values()]
    assert ("z mm" in cells, "y mm" in cells) == (robot.n == 6, robot.n == 4)
    assert sum(cell.isdigit() for cell in cells) == 1 + sum(
        len(loop) for loop in robot.workspace().corners()
    )


def test_a_held_wrist_is_drawn_with_the_tool():
    """The title says what is held; Pos 0 is Pinocchio's TCP with the other axes at zero, and a line
    leads to it.
    """
    robot = irb.load("irb2400", tool="spindle")
    wrist = np.radians([0.0, 30.0, 0.0])
    figure = drawings.workspace_figure(robot, wrist)
    assert "TCP with spindle, wrist held at 0, 30, 0 deg" in figure.get_suptitle()
    x, _, z = robot.pose([0.0, 0.0, 0.0, *wrist]).translation
    assert drawings.positions(robot.workspace(wrist))[0].point == pytest.approx((x, z), abs=1e-12)
    dashed = [line for line in figure.axes[0].lines if line.get_linestyle() == "--"]
    assert np.any([np.allclose(line.get_xydata()[-1], [1e3 * x, 1e3 * z]) for line in dashed])


def test_command_prints_and_draws(tmp_path, capsys):
    """Tables on the terminal, a file with -o; mistakes are one line."""

    def run(*arguments: str) -> tuple[int, str, str]:
        return cli.main(list(arguments)), *capsys.readouterr()

    code, printed, _ = run("workspace", "irb2400")
    assert code == 0
    for words in (
        "1550.0",
        "-1349.9",
        "2065.0",
        "-393.1",
        "q3 - q2 = -60.00 deg",
        "19.9 deg outside the range",
        "13.024",
    ):
        assert words in printed
    code, printed, _ = run("workspace", "irb2400", "--tool", "spindle", "--wrist-deg", "0,30,0")
    assert code == 0
    assert "of the TCP" in printed
    file = tmp_path / "range.png"
    assert run("workspace", "irb930", "-o", str(file))[0] == 0
    assert file.read_bytes().startswith(b"\x89PNG")
    for arguments, words in (
        (["irb2400", "--wrist-deg", "0,30"], "comma separated list of 3 angles"),
        (["irb2400", "--wrist-deg", "0,nan,0"], "comma separated list of 3 angles"),
        (["irb2400", "-o", "range.xyz"], "no figure format"),
        (["irb2400", "--tool", "spindle", "--wrist-deg", "40,30,0"], "beside the arm's plane"),
    ):
        code, _, message = run("workspace", *arguments)
        assert code == 2
        assert words in message


def test_it_prints_as_one_line():
    """Extremes, area and volume in metres; a SCARA's plane is x, y."""
    assert (
        repr(irb.load("irb2400").workspace())
        == "<Workspace: x -1.350 .. 1.550 m, z -0.393 .. 2.065 m, reach 1.550 m, area 3.485 m^2,"
        " volume 13.024 m^3>"
    )
    assert "y -1.050 .. 1.050 m" in repr(irb.load("irb930").workspace())
