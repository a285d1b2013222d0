import shutil
import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import pinocchio as pin
import pytest
import umsgpack

import irbmodels as irb
from irbmodels.trajectory import through
from irbmodels.view import FRAMES_PER_SECOND, Recorder, Scene, save_page

sys.path.insert(0, str(Path(__file__).resolve().parent.parent / "scripts"))
needs_chromium = pytest.mark.skipif(shutil.which("chromium") is None, reason="the program chromium is not installed")


def commands(recorder):
    return [umsgpack.unpackb(command) for command in recorder.commands]


def link_transforms(recorder):
    found = {}
    for command in commands(recorder):
        if command["type"] == "set_transform" and command["path"].count("/") == 3:
            found[command["path"].split("/")[-1]] = np.array(command["matrix"]).reshape(4, 4).T
    return found


@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb1600_6_145", "irb930"])
def test_links_stand_where_the_robot_has_them(name):
    """Every drawn link is at robot.pose, the bars of the parallelogram included."""
    robot = irb.load(name)
    q = robot.from_controller([20, 30, -25, 10][: robot.n] + [40, 50] * (robot.n == 6))
    recorder = Recorder()
    scene = Scene(recorder, robot)
    scene.show(q)
    drawn = link_transforms(recorder)
    assert {"base_link", "link_1", "link_2"} <= set(drawn)
    assert ("link_rod" in drawn) == (name in ("irb2400", "irb1400"))
    for link, matrix in drawn.items():
        np.testing.assert_allclose(matrix, robot.pose(q, link).homogeneous, atol=1e-12)


def test_a_cylinder_lies_along_the_z_axis_of_its_urdf_origin():
    """Meshcat's cylinder stands along y; the drawn one must lie along URDF's z."""
    recorder = Recorder()
    scene = Scene(recorder, irb.load("irb2400"))
    number, shape = next((i, s) for i, s in enumerate(scene.shapes) if s.geometry.tag == "cylinder" and s.link == "link_6")
    matrix = next(
        np.array(c["matrix"]).reshape(4, 4).T
        for c in commands(recorder)
        if c["path"].endswith(f"link_6/visual_{number}") and "matrix" in c
    )
    np.testing.assert_allclose(matrix[:3, :3] @ [0, 1, 0], shape.placement[:3, 2], atol=1e-12)


def test_the_animation_holds_the_poses_of_the_motion():
    """Key k of every link is its pose at t = k / 30 s."""
    robot = irb.load("irb2400")
    motion = through([np.zeros(6), robot.from_controller([40, 20, 10, 30, 20, 50])], 1.0, 250.0)
    recorder = Recorder()
    Scene(recorder, robot).play(motion)
    animation = next(c for c in commands(recorder) if c["type"] == "set_animation")["animations"]
    track = {entry["path"].split("/")[-1]: {t["name"]: t["keys"] for t in entry["clip"]["tracks"]} for entry in animation}
    frame = 18
    q = np.array([np.interp(frame / FRAMES_PER_SECOND, motion.t, column) for column in motion.q.T])
    for link in ("link_3", "link_rod", "link_6"):
        pose = robot.pose(q, link)
        key = track[link][".position"][frame]
        assert key["time"] == frame
        np.testing.assert_allclose(key["value"], pose.translation, atol=1e-12)
        turn = pin.Quaternion(np.array(track[link][".quaternion"][frame]["value"])).toRotationMatrix()
        np.testing.assert_allclose(turn, pose.rotation, atol=1e-12)


def test_the_tool_is_drawn_where_it_is_mounted():
    """With the spindle, tool0 has shapes; without, none."""
    drawn = {s.link for s in Scene(Recorder(), irb.load("irb2400", tool="spindle")).shapes}
    assert "tool0" in drawn
    assert "tool0" not in {s.link for s in Scene(Recorder(), irb.load("irb2400")).shapes}


def test_the_page_needs_nothing_else(tmp_path):
    """One file below 2 MB, with the viewer inside and no address to fetch a script from."""
    save_page(tmp_path / "p.html", irb.load("irb2400"))
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert len(page) < 2e6
    assert "<script src" not in page
    assert "<link" not in page
    with pytest.raises(irb.FileError):
        save_page(tmp_path / "nowhere" / "p.html", irb.load("irb2400"))


@needs_chromium
@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb1600", "irb930"])
def test_a_browser_shows_the_robot(tmp_path, name):
    """In headless Chromium 2 to 20 % of the picture is robot orange; with the camera turned away there would be none."""
    from pictures import screenshot
    from PIL import Image

    robot = irb.load(name)
    save_page(tmp_path / "p.html", robot, controls=False)
    screenshot(tmp_path / "p.html", tmp_path / "p.png")
    red, green, blue = np.asarray(Image.open(tmp_path / "p.png").convert("RGB"), dtype=int).transpose(2, 0, 1)
    orange = (red > 120) & (green > 0.25 * red) & (green < 0.65 * red) & (blue < 0.35 * red)
    assert 0.02 < orange.mean() < 0.2


def test_a_live_view_shows_and_ends():
    """The live view draws through its server, and close leaves no server behind."""
    with irb.view(irb.load("irb2400"), q=np.full(6, 0.1)) as viewer:
        assert viewer.url.startswith("http://127.0.0.1:")
        process = viewer.window.server_proc
        assert process.poll() is None
        viewer.show(np.zeros(6))
    assert process.poll() is not None


def test_terminating_the_command_ends_its_server(tmp_path):
    """SIGTERM to `irbmodels view` leaves no meshcat server."""
    command = [sys.executable, "-m", "irbmodels.cli", "view", "irb1600"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as process:
        assert "http" in process.stdout.readline() + process.stdout.readline()
        assert "Ctrl-C" in process.stderr.readline()
        children = subprocess.run(["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=True).stdout.split()
        assert children
        process.terminate()
        process.wait(timeout=20)
        time.sleep(0.2)
        for child in children:
            assert not Path(f"/proc/{child}").exists()


def test_a_urdf_without_tables_cannot_be_drawn_yet(tmp_path):
    """A robot from a URDF says so."""
    with pytest.raises(irb.MissingData, match="comes from a URDF"):
        Scene(Recorder(), irb.from_urdf(irb.urdf_path("irb1600")))
