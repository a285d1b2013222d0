"""An arm of whose axes 1 and 2 no speed is known: what still answers, and what says so."""

import re

import numpy as np
import pytest
import yaml
from sheets import sheet_text

import irbmodels as irb
from irbmodels.identification.excitation.design import optimal_excitation
from irbmodels.identification.friction.plan import friction_plan
from irbmodels.report.figures import friction_figure
from irbmodels.trajectory import axis_path, time_optimal

SPEED = np.radians(100.0)  # of the axes whose speed is known
OVERLAY = """\
schema: 1
about: speeds of this arm
robot: arm
sources: {mine: {ref: made up, grade: assumed}}
limits: {axes: {axis_1: {speed_deg_s: 120, source: mine}, axis_2: {speed_deg_s: 90, source: mine}}}
"""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """The arm, made from a data sheet without these two speeds."""
    folder = tmp_path_factory.mktemp("slow")
    sheet = folder / "arm.yaml"
    sheet.write_text(sheet_text("middle").replace(", speed_deg_s: 100", "", 2), encoding="utf-8")
    irb.new_robot("arm", folder=folder / "arm", datasheet=sheet)
    return folder / "arm"


def test_an_unknown_speed_bounds_nothing_and_is_no_assumption(folder):
    """In Python it is infinite, in a URDF 0 as in ROS, from xacro and from the tables alike."""
    arm = irb.load(folder / "arm")
    np.testing.assert_allclose(arm.limits.velocity, [np.inf, np.inf, *4 * [SPEED]], rtol=1e-15)
    assert not arm.limits.velocity_assumed.any()
    # by the rule of efforts an axis without a speed has none
    assert np.isinf(arm.limits.effort).tolist() == [True, True, *4 * [False]]
    assert arm.limits.effort_assumed.tolist() == [False, False, *4 * [True]]
    assert arm.violations(np.zeros(6), [90.0, -90.0, 0, 0, 0, 0], [1e6, -1e6, 0, 0, 0, 0]) == []
    assert [row.quantity for row in arm.violations(np.zeros(6), np.full(6, 1.1 * SPEED))] == [
        *("v3", "v4", "v5", "v6")
    ]
    text = (folder / "arm.urdf").read_text(encoding="utf-8")
    assert "Speeds of axes 1, 2 are not known: velocity 0 bounds nothing." in text
    written = [float(value) for value in re.findall(r'<limit .*velocity="([^"]*)"', text)]
    np.testing.assert_allclose(written, [0, 0, *4 * [SPEED]], rtol=1e-15)
    tree = arm.dynamic_model.tree.model  # made of the tables without xacro
    np.testing.assert_allclose(tree.velocityLimit, written, rtol=1e-15)
    read = irb.from_urdf(folder / "arm.urdf").limits
    np.testing.assert_array_equal(read.velocity, arm.limits.velocity)
    assert "Speeds of axes 1 and 2 of `arm`." in (folder / "README.md").read_text(encoding="utf-8")
    limits = (folder / "limits.yaml").read_text(encoding="utf-8")
    assert "axis_1: {range_deg: [-180, 180], source: x}" in limits


NEEDS = {
    "timing": lambda arm: time_optimal(axis_path([np.zeros(6), np.full(6, 0.1)]), arm),
    "excitation": lambda arm: optimal_excitation(arm, starts=1, iterations=1),
    "friction": lambda arm: friction_plan(arm, 2),
}


@pytest.mark.parametrize("what", NEEDS)
def test_what_needs_a_speed_names_axes_and_robot(folder, tmp_path, what):
    """One line with the way out, which an overlay is; axes that do not move need no speed."""
    which = "axis 2" if what == "friction" else "axes 1 and 2"
    with pytest.raises(irb.MissingData) as caught:
        NEEDS[what](irb.load(folder / "arm"))
    assert f"the speed limit of {which} of arm, which is unknown; give your own: speed_deg_s" in (
        str(caught.value)
    )
    (tmp_path / "mine.yaml").write_text(OVERLAY, encoding="utf-8")
    arm = irb.load(folder / "arm", overlays=[tmp_path / "mine.yaml"])
    np.testing.assert_allclose(np.degrees(arm.limits.velocity), [120, 90, 100, 100, 100, 100])
    assert arm.limits.velocity_assumed.tolist() == [True, True, *4 * [False]]
    if what == "friction":
        assert friction_plan(arm, 2).speeds[-1] < arm.limits.velocity[1]
        assert friction_plan(irb.load(folder / "arm"), 3).speeds.size  # its own speed is known
        assert friction_plan(irb.load(folder / "arm"), 2, [0.1, 0.2]).speeds.tolist() == [0.1, 0.2]


def test_a_timing_takes_bounds_in_place_of_unknown_speeds(folder):
    """A bang-bang move of 0.1 rad at 5 rad/s^2 takes 2 sqrt(0.1 / 5) s."""
    arm = irb.load(folder / "arm")
    path = axis_path([np.zeros(6), [0.1, 0, 0, 0, 0, 0]])
    timing = time_optimal(
        path, arm, velocity=np.inf, acceleration=5.0, torque=np.inf, friction=False
    )
    assert timing.duration == pytest.approx(2.0 * np.sqrt(0.1 / 5.0), rel=1e-3)
    third = axis_path([np.zeros(6), [0, 0, 0.1, 0, 0, 0]])
    assert time_optimal(third, arm, acceleration=5.0, torque=np.inf, friction=False).duration > 0.0


def test_what_is_written_says_unknown(folder, tmp_path):
    """ROS 2 has no velocity limit there, and a friction curve says so."""
    arm = irb.load(folder / "arm")
    irb.export(arm, "ros2", tmp_path)
    (path,) = tmp_path.rglob("joint_limits.yaml")
    rows = yaml.safe_load(path.read_text(encoding="utf-8"))["joint_limits"]
    assert [row["has_velocity_limits"] for row in rows.values()] == [False, False, *4 * [True]]
    assert ["max_velocity" in row for row in rows.values()] == [False, False, *4 * [True]]
    figure = friction_figure(arm.with_friction(irb.load("irb2400").friction_model))
    titles = [axes.get_title() for axes in figure.axes]
    assert [title for title in titles if title.endswith("speed limit unknown")] == [
        "axis 1: speed limit unknown",
        "axis 2: speed limit unknown",
    ]
