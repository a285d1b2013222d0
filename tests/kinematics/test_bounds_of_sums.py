"""An arm with a range of q3 and a bound on q3 - q2, and a serial one with a bound on q3 + q2."""

import math
import re

import numpy as np
import pytest
from sheets import coupled, sheet_text, write_folder

import irbmodels as irb
from irbmodels.cad.family_readme import readme_file
from irbmodels.kinematics.tcp_extremes import tcp_extremes
from irbmodels.model.limits import Limits
from irbmodels.report.workspace_drawing import workspace_figure
from irbmodels.robot.collision import random_postures
from irbmodels.tables.datasheet import read_datasheet

LOW, HIGH = (
    np.radians([-180, -42, -20, -300, -120, -360]),
    np.radians([180, 85, 120, 300, 120, 360]),
)
MOST = math.radians(70.0)  # of |q3 - q2|
BOUND = "bound_of: q3 - q2, bound_deg: [-70, 70]"


@pytest.fixture(scope="module")
def arm(tmp_path_factory):
    """The arm with a parallelogram, a range of q3 and a bound on q3 - q2."""
    return irb.load(coupled(tmp_path_factory.mktemp("coupled")))


@pytest.fixture(scope="module")
def serial(tmp_path_factory):
    """A serial arm whose forearm slopes by -30 to 100 deg: a bound on q3 + q2."""
    folder = tmp_path_factory.mktemp("serial")
    text = sheet_text("middle").replace(
        "-180, 75]", "-180, 75], bound_of: q3 + q2, bound_deg: [-30, 100]"
    )
    write_folder(folder, "serial", text)
    return irb.load(folder / "serial")


def is_inside(q):
    """The definition of the ranges, written apart."""
    kept = ((q >= LOW - 1e-9) & (q <= HIGH + 1e-9)).all(axis=-1)
    return kept & (np.abs(q[..., 2] - q[..., 1]) <= MOST + 1e-9)


def wrist_center(q2, q3):
    """Wrist center [m], x and z, by the drawing's lengths, with axis 1 at 0."""
    x = 0.3 + 0.7 * np.sin(q2) + 0.893 * np.cos(q3) + 0.28 * np.sin(q3)
    return x, 0.8145 + 0.7 * np.cos(q2) - 0.893 * np.sin(q3) + 0.28 * np.cos(q3)


def grid(count=1271):
    """A grid over the ranges of q2 and q3 whose points keep both, ends of every range on it."""
    q2, q3 = np.meshgrid(*(np.linspace(LOW[i], HIGH[i], count) for i in (1, 2)))
    edges = [(q2[0], q2[0] + bound) for bound in (-MOST, MOST)]
    q2, q3 = (
        np.concatenate([x.ravel(), *(edge[i] for edge in edges)]) for i, x in enumerate((q2, q3))
    )
    kept = (np.abs(q3 - q2) <= MOST + 1e-12) & (q3 >= LOW[2] - 1e-12) & (q3 <= HIGH[2] + 1e-12)
    return q2[kept], q3[kept]


def test_a_posture_is_inside_by_the_definition(arm):
    q = np.random.default_rng(0).uniform(1.2 * LOW, 1.2 * HIGH, (20_000, 6))
    assert 0.05 < is_inside(q).mean() < 0.9
    np.testing.assert_array_equal(arm.in_range(q), is_inside(q))


def test_a_violation_names_the_sum():
    limits = Limits(
        *(np.full(3, bound) for bound in (-1.0, 1.0)), np.ones(2), np.ones(2),
        np.array([[1.0, 0.0], [0.0, 1.0], [-1.0, 1.0]]), np.zeros(2, bool),
        np.array([False, False, True]), np.zeros(2, bool), np.zeros(2, bool),
    )  # fmt: skip
    (row,) = limits.violations([-0.75, 0.75])
    assert row[:5] == (2, "q2 - q1", 1.5, -1.0, 1.0)
    assert (row.unit, row.assumed) == ("rad", True)
    assert str(row).startswith("axis 2: q2 - q1 = 85.9437 deg is outside its assumed bounds")
    assert [row.quantity for row in limits.violations([-2.0, 0.5])] == ["q1", "q2 - q1"]


def test_the_envelope_keeps_the_bound(tmp_path):
    """With -70 .. 20 deg axis 3 ends at 105 deg, and axis 2 at -40 deg: grid of both."""
    limits = irb.load(coupled(tmp_path, BOUND, BOUND.replace("70]", "-10]"))).limits
    q2, q3 = grid()
    kept = (q3 - q2 <= math.radians(-10.0) + 1e-12) & (q3 - q2 >= -MOST - 1e-12)
    low, high = limits.envelope()
    ends = [q2[kept].min(), q3[kept].min(), q2[kept].max(), q3[kept].max()]
    np.testing.assert_allclose([*low[1:3], *high[1:3]], ends, rtol=0, atol=math.radians(0.12))
    np.testing.assert_allclose(np.degrees([low[1], high[2]]), [-10.0, 75.0], atol=1e-12)
    assert limits.in_range(limits.middle)


def test_random_postures_are_inside_up_to_the_bound(arm):
    q = random_postures(arm.limits, 20_000, 3)
    assert is_inside(q).all()
    between = q[:, 2] - q[:, 1]
    assert between.min() < -MOST + 1e-9
    assert between.max() > MOST - 1e-9
    assert (np.abs(between) < 0.9 * MOST).mean() > 0.1


def test_extremes_are_those_of_a_grid(arm):
    """Reach, back, top and low [mm] by a grid; FACTS_ARMS has 1933.2, 2083.0 and -60.4 of them."""
    x, z = wrist_center(*grid())
    ahead, behind, top, bottom, reach = arm.workspace().extremes()
    np.testing.assert_allclose(
        [ahead, behind, top, bottom], [x.max(), x.min(), z.max(), z.min()], rtol=0, atol=1e-5
    )
    np.testing.assert_allclose([reach, top, bottom], [1.9332, 2.083, -0.0604], rtol=0, atol=1e-4)


def test_extremes_of_the_flange_with_the_wrist_held(arm):
    """Axis 5 at 50 deg: the flange is 200 mm ahead of the wrist center, turned down with q3."""
    (q2, q3), bent = grid(), math.radians(50.0)
    x, z = wrist_center(q2, q3)
    x, z = x + 0.2 * np.cos(q3 + bent), z - 0.2 * np.sin(q3 + bent)
    np.testing.assert_allclose(
        arm.workspace([0.0, bent, 0.0]).extremes()[:4],
        [x.max(), x.min(), z.max(), z.min()],
        rtol=0,
        atol=2e-5,
    )


def test_reach_of_the_data_sheet_is_that_of_the_grid(tmp_path):
    x, _ = wrist_center(*grid())
    _, (sheet,) = read_datasheet(coupled(tmp_path).parent / "coupled.yaml")
    assert sheet.reach == pytest.approx(1e3 * x.max(), abs=0.01)


def test_workspace_is_what_a_grid_reaches(arm):
    """Points that the grid reaches are inside; those of a raster that no posture of the grid comes
    near are outside, and the outline is reached and has points out of reach beside it.
    """
    from scipy.spatial import cKDTree

    space = arm.workspace()
    points = np.stack(wrist_center(*grid()), axis=-1)
    assert space.in_plane(points).all()
    raster = np.stack(np.meshgrid(np.arange(0.2, 2.1, 0.01), np.arange(-0.3, 2.3, 0.01)), axis=-1)
    distance = cKDTree(points).query(raster.reshape(-1, 2))[0]
    inside = space.in_plane(raster.reshape(-1, 2))
    assert (distance[inside] < 2e-3).all()
    assert inside[distance < 1e-12].all()
    edge = np.concatenate([arc.sample() for loop in space.outlines for arc in loop])
    assert (cKDTree(points).query(edge)[0] < 2e-3).all()
    assert space.area() == pytest.approx(inside.sum() * 1e-4, rel=5e-3)


def test_corners_and_held_rows_of_the_outline(arm):
    """Corners have the axis positions that reach them; every arc names the row at its end."""
    space, names = arm.workspace(), arm.limits.names()
    for loop in space.corners():
        for corner in loop:
            np.testing.assert_allclose(wrist_center(*corner.axes), corner.point, atol=1e-8)
    held = {
        (names[row], round(math.degrees(value)))
        for row, value in map(space.fixed_row, space.outlines[0])
    }
    assert held == {
        ("q2", -42),
        ("q2", 85),
        ("q3", -20),
        ("q3", 120),
        ("q3 - q2", 70),
        ("q3 - q2", -70),
    }


def test_inverse_kinematics_keeps_the_bound_and_misses_nothing(arm):
    """By NumPy and by machine code: every posture is found again, and nothing out of range."""
    q = random_postures(arm.limits, 3000, 5)
    poses = arm.pose(q)
    several = arm.inverse_kinematics(poses, in_range=True)
    assert is_inside(several.q[several.valid]).all()
    apart = np.abs(np.remainder(several.q - q[:, None] + np.pi, 2.0 * np.pi) - np.pi).max(axis=-1)
    assert (np.where(several.valid, apart, 9.0).min(axis=1) < 1e-6).all()
    outside = arm.pose(np.random.default_rng(5).uniform(LOW, HIGH, (1500, 6)))
    for some in (poses, outside, outside[:50]):
        free = arm.inverse_kinematics(some)
        np.testing.assert_array_equal(free.in_range[free.valid], is_inside(free.q[free.valid]))
        assert 0.1 < free.in_range[free.valid].mean() < 0.9
    for k in range(40):
        one = arm.inverse_kinematics(poses[k], in_range=True)
        assert len(one) == several.valid[k].sum()
        turned = arm.inverse_kinematics(poses[k], in_range=True, turns=True)
        assert is_inside(turned.q).all()


def test_turns_are_chosen_inside_the_bound(tmp_path):
    """Where the range of q3 has several turns, the one that keeps the bound is taken."""
    wide = "range_deg: [-400, 400], bound_of: q3 - q2, bound_deg: [290, 430]"
    folder = coupled(tmp_path, f"range_deg: [-20, 120], {BOUND}", wide)
    robot = irb.load(folder)
    for count in (300, 1500):  # by NumPy, and by machine code
        q = random_postures(robot.limits, count, 1)
        assert (q[:, 2] > 4.0).all()
        result = robot.inverse_kinematics(robot.pose(q), in_range=True)
        apart = np.abs(result.q - q[:, None])[..., 1:3].max(axis=-1)
        assert (np.where(result.valid, apart, 9.0).min(axis=1) < 1e-6).all()


def test_none_in_range_names_the_sum(arm):
    """Postures with |q3 - q2| above 70 deg whose pose has no other one in range."""
    q = np.random.default_rng(4).uniform(LOW, HIGH, (300, 6))
    notes = [arm.inverse_kinematics(arm.pose(one), in_range=True).note for one in q]
    outside = [note for note, one in zip(notes, q, strict=True) if note and not is_inside(one)]
    assert any(
        re.search(r"nearest has q3 - q2 = \d+\.\d not in -70 \.\. 70 deg", note) for note in outside
    )


def test_extremes_of_the_tcp_are_those_of_the_wrist_and_the_flange(arm):
    """The flange stands 200 mm from the wrist center, and can point any way there."""
    wrist = arm.workspace().extremes()
    result = tcp_extremes(arm.workspace().arm, arm.limits)
    np.testing.assert_allclose(
        result[:3], [wrist.reach + 0.2, wrist.top + 0.2, wrist.bottom - 0.2], atol=1e-6
    )
    assert is_inside(result.postures).all()


def test_the_elbow_is_singular_where_the_bound_lets_it(arm):
    stretched, folded = (row for row in arm.singular_postures() if row.kind == "elbow")
    assert stretched.where == "q3 - q2 = -72.591 deg, 2.6 deg outside the range (stretched)"
    assert not stretched.reachable
    assert folded.outside == pytest.approx(math.radians(107.409 - 70.0), abs=1e-5)


def test_a_serial_arm_with_a_bound_of_the_forearm(serial):
    """Reach of workspace and data sheet, and IK, by a grid over q2 and q3 with the bound."""
    limits = serial.limits
    assert limits.names()[6] == "q3 + q2"
    q2, q3 = np.meshgrid(
        np.radians(np.linspace(-95, 155, 1001)), np.radians(np.linspace(-180, 75, 1021))
    )
    slope = q2 + q3
    kept = (slope >= math.radians(-30.0) - 1e-12) & (slope <= math.radians(100.0) + 1e-12)
    x = 0.15 + 0.7 * np.sin(q2) + 0.795 * np.cos(slope) + 0.115 * np.sin(slope)
    z = 0.445 + 0.7 * np.cos(q2) - 0.795 * np.sin(slope) + 0.115 * np.cos(slope)
    ends = x[kept].max(), x[kept].min(), z[kept].max(), z[kept].min()
    np.testing.assert_allclose(serial.workspace().extremes()[:4], ends, rtol=0, atol=2e-3)
    assert serial.workspace().in_plane(np.stack([x[kept], z[kept]], axis=-1)).all()
    free = serial.inverse_kinematics(serial.pose(random_postures(limits, 300, 2)))
    slopes = free.q[free.valid][:, 1:3].sum(axis=-1)
    inside = (slopes >= math.radians(-30.0) - 1e-9) & (slopes <= math.radians(100.0) + 1e-9)
    assert not free.in_range[free.valid][~inside].any()
    assert free.in_range[free.valid].any()


@pytest.mark.parametrize(
    ("instead", "message"),
    [
        ("bound_of: q3 - q2, bound_deg: [70, -70]", "axis_3.bound_deg: [70, -70] is empty"),
        (
            "bound_of: q3 - q2, bound_deg: [170, 200]",
            "axis_3.bound_deg: [170, 200] leaves no posture: ranges of axes 2 and 3 leave q3 - q2"
            " between -105 and 162",
        ),
        ("bound_of: q3 - q2", "axis_3: bound_of and bound_deg come together"),
        (
            "bound_of: q3 + q2, bound_deg: [-70, 70]",
            "axis_3.bound_of: 'q3 + q2': beside the range of axis 3 with a parallelogram goes"
            " 'q3 - q2'",
        ),
        (f"range_of: q3 - q2, {BOUND}", "axis_3.bound_of: 'q3 - q2' has its range already"),
    ],
)  # fmt: skip
def test_a_bound_that_cannot_be_is_refused(tmp_path, instead, message):
    with pytest.raises(irb.TableError, match=re.escape(message)):
        coupled(tmp_path, BOUND, instead)
    assert not (tmp_path / "coupled").exists()


def test_a_parallelogram_needs_a_bound_between_its_arms(tmp_path):
    with pytest.raises(irb.TableError, match="missing: with a parallelogram range_deg is one of"):
        coupled(tmp_path, f"{BOUND}, ", "")


def test_the_drawing_shows_the_arm_beside_a_range_that_is_all_ahead(arm):
    """Axis 1 and the stand are in the picture, and both distances have a line of their own."""
    figure = workspace_figure(arm)
    drawing = figure.axes[0]
    assert drawing.get_xlim()[0] < -300.0
    dimensions = {text.get_text(): text.get_position()[1] for text in drawing.texts}
    assert dimensions["575.0"] > dimensions["1933.2"]
    lines = "\n".join(text.get_text() for panel in figure.axes for text in panel.texts)
    assert "q3 - q2: -70 .. 70 deg" in lines


@pytest.mark.parametrize(
    ("bound", "idle"), [((-60, 60), False), ((-105, 170), True), ((-200, 100), False)]
)
def test_the_readme_of_a_family_names_a_bound_that_never_binds(tmp_path, bound, idle):
    """Ranges of -42 .. 85 and -20 .. 120 deg leave q3 - q2 between -105 and 162 deg."""
    folder = coupled(tmp_path, BOUND, f"bound_of: q3 - q2, bound_deg: {list(bound)}")
    (folder / "datasheet.yaml").write_text((tmp_path / "coupled.yaml").read_text("utf-8"), "utf-8")
    (text,) = readme_file([irb.describe(folder)]).values()
    line = (
        "Why `coupled` bounds q3 - q2 by -105 .. 170 deg: the ranges of both axes leave it between"
    )
    assert (f"{line} -105 and 162 deg." in str(text)) == idle
    assert ("Why" in str(text)) == idle
