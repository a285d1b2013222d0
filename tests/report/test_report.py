import io

import numpy as np
import pytest
import shipped
from rich.console import Console

import irbmodels as irb
from irbmodels.report import figures, robot_list
from irbmodels.report import tables as report
from irbmodels.report.panels import blank_figure
from irbmodels.report.pose import pose_text
from irbmodels.trajectory import through
from irbmodels.trajectory.motion_files import open_motion, write_motion
from irbmodels.trajectory.torque_prediction import predict


def text(*tables):
    console = Console(file=io.StringIO(), width=250, markup=False)
    for table in tables:
        console.print(table)
    return console.file.getvalue()


def test_list_names_every_robot_with_grades():
    shown = text(robot_list.robots_table())
    for name in shipped.ALL:
        assert name in shown
    line = next(row for row in shown.splitlines() if "irb2400_16" in row)
    assert "identified" in line
    assert "irb2400 " in line
    line = next(row for row in shown.splitlines() if "irb930_12_085" in row)
    assert "unknown" in line
    assert "60*" in line


@shipped.of_variants(shipped.ALL)
def test_info_shows_every_source(name):
    """All sources of all tables are printed."""
    description = irb.describe(name)
    shown = text(*report.info_tables(description))
    for table in (
        description.kinematics,
        description.limits,
        description.inertials,
        description.friction,
        description.drives,
    ):
        for source in table.sources:
            assert source in shown


def test_info_prints_tab_1_and_tab_6():
    shown = text(*report.info_tables(irb.describe("irb2400")))
    for number in ("0.18", "0.38", "0.07", "11.61", "319.6", "8.96"):
        assert number in shown


def test_balancing_springs_of_the_1400_are_named_wherever_torques_are():
    """ABB takes springs off its lower arm: ``info`` says with source that the model lacks them, so
    do ``torque`` and repr.
    """
    robot = irb.load("irb1400", tool="spindle")
    shown = " ".join(text(*report.info_tables(irb.describe("irb1400"))).split())
    assert "balancing springs 2 coil before_mm unknown; after_mm unknown" in shown
    assert "3HAC021111-001" in shown
    assert [
        note for note in report.notes(robot) if "balancing springs" in note and "axis 2" in note
    ]
    assert "no balancing springs" in repr(robot)


def test_parts_that_the_model_is_without_are_notes_of_any_robot(tmp_path):
    """A note of drives.yaml needs text and source, is shown by all reports, and stays under an
    overlay.
    """
    arm = irb.new_robot("arm", like="irb1600", folder=tmp_path / "arm")
    drives, overlay = arm / "drives.yaml", tmp_path / "mine.yaml"
    overlay.write_text(
        "robot: arm\nabout: a\nsources: {m: {ref: r, grade: measured}}\nlimits: {axes: {axis_1:"
        " {effort_N_m: 9, source: m}}}"
    )
    note = "notes: {gas_spring: {text: a gas spring lifts axis 3, source: seen}}\n"
    drives.write_text("sources: {seen: {ref: a look, grade: measured}}\naxes: {}\n" + note)
    for robot in (irb.load(arm), irb.load(arm, overlays=[overlay])):
        assert "arm: a gas spring lifts axis 3" in report.notes(robot)
        assert "no gas spring" in repr(robot)
        assert "gas spring  seen" in text(*report.info_tables(robot.description))
    drives.write_text("sources: {}\naxes: {}\n" + note)
    with pytest.raises(irb.TableError, match=r"notes.gas_spring.source: no source 'seen'"):
        report.notes(irb.load(arm))
    assert "no gas spring" not in repr(irb.load("irb1600"))


def test_pose_text_is_in_abbs_terms():
    """Home of the 2400: (940, 0, 1455) mm and the quaternion of S003."""
    robot = irb.load("irb2400")
    shown = pose_text(robot, np.zeros(6), "tool0")
    assert "940.0000      0.0000   1455.0000" in shown
    assert "0.7071068   0.0000000   0.7071068   0.0000000" in shown
    assert "-0.0000" not in shown
    # at 180 deg the scalar is 0, and gives no sign
    for posture in ([0, 0, 0, 0, 90, 0], [180, 90, 45, 0, 45, 180]):
        shown = pose_text(robot, robot.from_controller(posture), "tcp")
        assert "0.0000000   0.0000000   1.0000000   0.0000000" in shown, posture


@pytest.fixture(scope="module")
def predicted(tmp_path_factory):
    robot = irb.load("irb2400", tool="spindle")
    motion = through([np.zeros(6), np.full(6, 0.3)], duration=1.0).sample(100.0)
    path = tmp_path_factory.mktemp("report") / "m.csv"
    write_motion(
        path, motion._replace(tau=robot.inverse_dynamics(motion.q, motion.v, motion.a) + 1.0), robot
    )
    return robot, predict(open_motion(path, robot))


def test_torque_figure_draws_what_was_predicted(predicted):
    """Each axis has five parts and the measurement above position and speed; the lines are the
    data, in degrees.
    """
    robot, prediction = predicted
    figure = figures.torque_figure(prediction, robot)
    assert len(figure.axes) == 18
    torque, position, speed = figure.axes[1], figure.axes[7], figure.axes[13]
    lines = {line.get_label(): line.get_ydata() for line in torque.lines}
    assert list(lines) == ["measured", "inertia", "coriolis", "gravity", "friction", "total"]
    np.testing.assert_array_equal(lines["gravity"], prediction.trace.parts.gravity[:, 1])
    np.testing.assert_array_equal(lines["measured"], prediction.trace.motion.tau[:, 1])
    np.testing.assert_allclose(
        position.lines[0].get_ydata(), np.degrees(prediction.trace.motion.q[:, 1])
    )
    np.testing.assert_allclose(
        speed.lines[0].get_ydata(), np.degrees(prediction.trace.motion.v[:, 1])
    )


def test_friction_figure_is_the_law_and_marks_what_was_measured():
    """The curve is eq. 54 over the whole speed range, odd, with 0.5 rad/s shaded."""
    figure = figures.friction_figure(irb.load("irb2400"))
    axes = figure.axes[1]
    x, y = axes.lines[0].get_data()
    np.testing.assert_allclose(y, -y[::-1])
    at = np.argmin(np.abs(x - 1.0))
    assert y[at] == pytest.approx(31.2 + 8.323 * x[at], abs=1e-6)
    assert x.max() == pytest.approx(np.radians(150.0))
    spans = [patch for patch in axes.patches if patch.get_width() == pytest.approx(1.0)]
    assert len(spans) == 1


def test_no_friction_no_figure():
    with pytest.raises(irb.MissingData, match="irb1600_6_120 has no friction data"):
        figures.friction_figure(irb.load("irb1600"))


def test_figures_are_saved_whole_or_not_at_all(tmp_path):
    figure = blank_figure(1.0, 1.0)
    with pytest.raises(irb.InputError, match="figure format 'pgn'; did you mean 'png'"):
        figures.save(figure, tmp_path / "f.pgn")
    assert not list(tmp_path.iterdir())
    for ending, start in (("png", b"\x89PNG"), ("pdf", b"%PDF"), ("svg", b"<?xml")):
        figures.save(figure, tmp_path / f"f.{ending}")
        assert (tmp_path / f"f.{ending}").read_bytes().startswith(start)
