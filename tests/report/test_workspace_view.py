"""Working ranges drawn where a robot is mounted, against postures of the robot in the world."""

import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels.report import workspace_drawing as drawings
from irbmodels.report.workspace_view import shown_extremes, view_of

TILT = oracles.rotation(1, 0.5)
PLACES = {
    "pedestal": oracles.shift(0.4, -0.2, 0.7) @ oracles.rotation(2, 0.8),
    "ceiling": oracles.shift(0.5, 0.1, 3.0)
    @ oracles.rotation(2, -0.6)
    @ oracles.rotation(0, np.pi),
    "wall, x down": oracles.shift(0.0, 0.3, 1.5) @ oracles.rotation(1, np.pi / 2),
    "wall, x up": oracles.shift(0.0, 0.3, 1.5) @ oracles.rotation(1, -np.pi / 2),
    "leaning ahead": oracles.shift(0.2, 0.0, 1.0) @ oracles.rotation(2, 0.3) @ TILT,
    "hung and leaning": oracles.shift(0, 0, 3) @ oracles.rotation(0, np.pi) @ TILT,
}


@pytest.mark.parametrize("place", PLACES)
def test_the_plane_is_that_of_postures_in_the_world(place):
    """With axis 1 at 0: heights are z of the wrist centre in the world, the other coordinate is how
    far it is from the base in a level direction; nothing is outside the extremes.
    """
    robot = irb.load("irb1600").mounted(PLACES[place])
    space = robot.workspace()
    view, rng = view_of(robot, space, "world"), np.random.default_rng(2)
    q = rng.uniform(robot.limits.lower, robot.limits.upper, (4000, 6)) * [0, 1, 1, 0, 0, 0]
    flat = np.asarray(robot.pose(q, "link_5"))[:, [0, 2], 3]
    world = np.asarray(robot.pose(q, "link_5", reference="world"))[:, :3, 3]
    shown = view.points(flat)
    np.testing.assert_allclose(shown[:, 1], world[:, 2], rtol=0, atol=1e-12)
    level = world[:, :2] - PLACES[place][:2, 3]
    np.testing.assert_allclose(abs(shown[:, 0]), np.hypot(*level.T), rtol=0, atol=1e-12)
    assert np.ptp(np.sign(shown[:, 0]) * np.sign(level @ level[0])) == 0  # one side is positive
    ends = shown_extremes(space, view)
    for k, low, high in ((0, ends.behind, ends.ahead), (1, ends.bottom, ends.top)):
        assert low - 1e-9 <= shown[:, k].min() < low + 0.05
        assert high - 0.05 < shown[:, k].max() <= high + 1e-9


def test_x_ahead_is_to_the_right():
    """Where the robot looks level; where it looks up or down, axis 1 points to the right."""
    for place, expected in (("pedestal", [1, 0]), ("ceiling", [1, 0]), ("wall, x down", [0, 1])):
        robot = irb.load("irb1600").mounted(PLACES[place])
        np.testing.assert_allclose(
            view_of(robot, robot.workspace(), "world").turn[0], expected, rtol=0, atol=1e-12
        )


def test_arcs_are_turned_with_their_points():
    robot = irb.load("irb2400").mounted(PLACES["hung and leaning"])
    space = robot.workspace()
    view = view_of(robot, space, "world")
    for arc in (arc for loop in space.outlines for arc in loop):
        expected = view.points(arc.sample(0.1))
        np.testing.assert_allclose(view.arc(arc).sample(0.1), expected, rtol=0, atol=1e-12)


@pytest.mark.parametrize("place", ["pedestal", "ceiling"])
def test_a_scara_is_seen_from_above(place):
    """Its coordinates are x and y of the world, heights those of the TCP there."""
    robot = irb.load("irb930").mounted(PLACES[place])
    space = robot.workspace()
    view, rng = view_of(robot, space, "world"), np.random.default_rng(2)
    q = rng.uniform(robot.limits.lower, robot.limits.upper, (500, 4))
    flat = np.asarray(robot.pose(q))[:, :3, 3]
    world = np.asarray(robot.pose(q, reference="world"))[:, :3, 3]
    np.testing.assert_allclose(view.points(flat[:, :2]), world[:, :2], rtol=0, atol=1e-12)
    heights = [view.height(z) for z in flat[:, 2]]
    np.testing.assert_allclose(heights, world[:, 2], rtol=0, atol=1e-12)
    low, high = sorted(view.height(z) for z in space.heights)
    text = " ".join(
        t.get_text()
        for a in drawings.workspace_figure(robot, reference="world").axes
        for t in a.texts
    )
    assert f"z of the TCP: {1e3 * low:.1f} .. {1e3 * high:.1f} mm" in text


def test_tables_and_figure_of_a_ceiling():
    """3 m less the heights above the base; the title says where from."""
    floor = irb.load("irb1600")
    robot = floor.mounted(PLACES["ceiling"])
    here, there = floor.workspace().extremes(), drawings.workspace_tables(robot, None, "world")
    sizes = dict(there[0].rows)
    assert float(sizes["largest z"]) == pytest.approx(3000 - 1e3 * here.bottom, abs=0.06)
    assert float(sizes["smallest z"]) == pytest.approx(3000 - 1e3 * here.top, abs=0.06)
    assert float(sizes["largest x"]) == pytest.approx(1e3 * here.ahead, abs=0.06)
    home = dict((row[0], row[1:3]) for row in there[1].rows)["Pos 0"]
    place = robot.pose(np.zeros(6), "link_5", reference="world").translation
    assert float(home[1]) == pytest.approx(1e3 * place[2], abs=0.06)
    figure = drawings.workspace_figure(robot, reference="world")
    assert "x from the base, z in the world" in figure.get_suptitle()
    plain = drawings.workspace_figure(robot)
    assert "world" not in plain.get_suptitle()


@pytest.mark.parametrize(
    ("name", "turn"), [("irb1600", oracles.rotation(0, 0.4)), ("irb930", TILT)]
)
def test_a_plane_that_leans_is_refused(name, turn):
    with pytest.raises(irb.InputError, match=r"leans in the world: ask for .* in the base"):
        drawings.workspace_figure(irb.load(name).mounted(turn), reference="world")
