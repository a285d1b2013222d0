import importlib.util
from functools import partial
from pathlib import Path

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.simulation.flexible import Drive, FlexibleRobot, bode_figure, identified, map_figure

MADE_UP = [None, Drive(8e4, 7.0), Drive(7e4, 7.0), None, None, None]


def test_bode_figure_marks_both_frequencies():
    """S003's numbers stand in the legend, and the curve is the response of the model with three
    states.
    """
    axis = identified(irb.load("irb1400"))
    figure = bode_figure(axis)
    gain, phase = figure.axes
    labels = [text.get_text() for text in gain.get_legend().get_texts()]
    assert labels == ["antiresonance 18.16 Hz", "resonance 23.99 Hz"]
    f, decibels = gain.lines[0].get_data()
    response = axis.three_states().response(f)[:, 0, 0]
    np.testing.assert_allclose(10 ** (decibels / 20), np.abs(response), rtol=1e-12)
    np.testing.assert_allclose(
        np.exp(1j * np.radians(phase.lines[0].get_ydata())), response / np.abs(response), atol=1e-12
    )
    assert f[0] < 1.0 < 100.0 < f[-1]
    assert gain.lines[1].get_xdata()[0] == axis.antiresonance
    assert gain.lines[2].get_xdata()[0] == axis.resonance


def test_map_figure_says_what_is_assumed():
    """The title names the grade of every stiffness; values are those of frequencies(), none outside
    the coupled range.
    """
    arm = FlexibleRobot.of(irb.load("irb1400"), MADE_UP)
    figure = map_figure(arm, np.zeros(6), count=9, mode=2, motors="held")
    panel = figure.axes[0]
    assert panel.get_title() == "irb1400: stiffness derived (axis 1); assumed (axis 2, 3)"
    assert (panel.get_xlabel(), panel.get_ylabel()) == ("q2 [deg]", "q3 [deg]")
    q2, q3 = (np.radians(np.linspace(-70, 70, 9)), np.radians(np.linspace(*panel.get_ylim(), 9)))
    robot = arm.robot
    postures = np.zeros((9, 9, 6))
    postures[..., 1], postures[..., 2] = np.meshgrid(q2, q3)
    inside = robot.in_range(postures)
    assert 0 < inside.sum() < inside.size
    drawn = np.concatenate(
        [path.vertices for path in panel.collections[0].get_paths() if len(path.vertices)]
    )
    assert np.abs(drawn[:, 1] - drawn[:, 0]).max() < 70.0 + 1e-9  # the range of q3 - q2 in degrees
    values = arm.frequencies(postures[inside], "held")[:, 1]
    levels = figure.axes[1].get_ylim()
    assert levels[0] <= values.min()
    assert levels[1] >= values.max()
    assert levels[1] - levels[0] < 1.5 * np.ptp(values)


@pytest.mark.parametrize(
    ("asked", "words"),
    [
        ({"axes": (2, 2)}, "two of the axes 1 to 6"),
        ({"axes": (0, 2)}, "two of the axes 1 to 6"),
        ({"axes": (2, 7)}, "two of the axes 1 to 6"),
        ({"mode": 4}, "a mode of irb1400 must be a whole number, 1 to 3"),
        ({"mode": 0}, "a mode of irb1400 must be a whole number, 1 to 3"),
    ],
)
def test_maps_of_nothing_are_refused(asked, words):
    with pytest.raises(irb.InputError, match=words):
        map_figure(FlexibleRobot.of(irb.load("irb1400"), MADE_UP), np.zeros(6), **asked)


def test_a_map_needs_ranges(tmp_path):
    """Continuous axes of a URDF have no ranges to draw over."""
    joints = "".join(
        f'<link name="l{i}"><inertial><mass value="1"/><inertia ixx="1" iyy="1" izz="1" ixy="0"'
        f' ixz="0" iyz="0"/></inertial></link><joint name="j{i}" type="continuous"><parent'
        f' link="l{i - 1}"/><child link="l{i}"/><axis xyz="0 0 1"/></joint>'
        for i in (1, 2)
    )
    path = tmp_path / "two.urdf"
    path.write_text(f'<robot name="two"><link name="l0"/>{joints}</robot>')
    arm = FlexibleRobot(irb.from_urdf(path), [Drive(1e4, 1.0), Drive(1e4, 1.0)])
    with pytest.raises(irb.InputError, match="need ranges"):
        map_figure(arm, np.zeros(2), axes=(1, 2))


def test_the_script_draws_the_page(tmp_path, monkeypatch):
    """The script beside docs/howto/flexible_joints.md writes its five pictures; here with a coarser
    map.
    """
    path = Path(__file__).resolve().parents[2] / "scripts" / "flexible_joints.py"
    spec = importlib.util.spec_from_file_location("flexible_joints", path)
    script = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(script)
    monkeypatch.setattr(script, "map_figure", partial(map_figure, count=9))
    monkeypatch.setattr("sys.argv", ["flexible_joints", "-o", str(tmp_path)])
    assert script.main() == 0
    assert sorted(file.name for file in tmp_path.iterdir()) == [
        f"flexible_{name}.png" for name in ("bode", "map", "rod", "rod_forces", "steps")
    ]
    page = (path.parent.parent / "docs" / "howto" / "flexible_joints.md").read_text(
        encoding="utf-8"
    )
    assert all(file.name in page for file in tmp_path.iterdir())
