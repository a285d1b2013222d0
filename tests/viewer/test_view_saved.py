"""Pages and pictures as files, and what is refused or left out."""

from __future__ import annotations

import base64
import io
import json
import re
from pathlib import Path

import meshcat
import numpy as np
import pytest
from headless import fetch, needs_chromium, orange
from PIL import Image

import irbmodels as irb
from irbmodels.robot.collision import random_postures
from irbmodels.trajectory import Motion, through
from irbmodels.trajectory.motion_files import write_motion
from irbmodels.viewer import save_page, save_picture
from irbmodels.viewer.shapes import drawable_shapes

T = np.array([0.0, 1.0])


@needs_chromium
def test_a_picture_is_a_png_with_a_robot(tmp_path):
    save_picture(tmp_path / "p.png", irb.load("irb930"), size=(400, 300))
    picture = Image.open(tmp_path / "p.png")
    assert picture.size == (400, 300)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    assert 0.02 < orange("," + base64.b64encode(buffer.getvalue()).decode()) < 0.25


def test_the_page_needs_nothing_else(tmp_path):
    """One file below 3 MB, the same bytes each time, with viewer and icon inside (without an icon a
    browser asks the server for one) and no address to fetch anything from.
    """
    for name in ("a.html", "b.html"):
        save_page(tmp_path / name, irb.load("irb2400"))
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(page) < 3e6
    assert "<script src" not in page
    assert re.findall(r'<link rel="(\w+)" href="(\w+:)', page) == [("icon", "data:")]
    assert page.count("<link") == 1
    assert page == (tmp_path / "b.html").read_text(encoding="utf-8")


def test_a_page_carries_the_licences_of_what_it_copies(tmp_path):
    """Those that meshcat's package has, whole, before its program."""
    viewer = Path(meshcat.__file__).parent / "viewer"
    libraries = json.loads(
        (viewer / "dist" / "main.min.js.THIRD_PARTY_LICENSES.json").read_text(encoding="utf-8")
    )
    save_page(tmp_path / "p.html", irb.load("irb930"))
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    licences = page[page.index('id="licences"') :].partition("</script>")[0]
    assert page.index('id="licences"') < page.index("MeshCat=") < page.index("const page =")
    assert (viewer / "LICENSE").read_text(encoding="utf-8").strip() in licences
    assert {"three", "msgpack-lite", "dat.gui"} <= {library["name"] for library in libraries}
    for library in libraries:
        assert f"In it, {library['name']} {library['version']}" in licences
        assert (library["licenseText"] or "").strip() in licences, library["name"]


def test_without_a_browser_the_way_out_is_named(tmp_path, monkeypatch):
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(irb.MissingProgram, match="--save"):
        save_picture(tmp_path / "p.png", irb.load("irb1600"))
    assert not list(tmp_path.iterdir())


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda robot, folder: save_page(folder / "p.txt", robot), "ends in .html"),
        (lambda robot, folder: save_picture(folder / "p.jpg", robot), "ends in .png"),
        (lambda robot, folder: save_page(folder / "p.html"), "no robot to show"),
        (
            lambda robot, folder: save_page(folder / "p.html", "irb2400"),
            "is a robot or an irbmodels.Actor, not 'irb2400'",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", robot, layers=["frame"]),
            "did you mean 'frames'",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", robot, q=[0.0] * 5),
            r"q needs \(6,\) finite numbers",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", robot, robot, q=[0.0] * 6),
            "a single robot",
        ),
        (
            lambda robot, folder: save_page(
                folder / "p.html", irb.Actor(robot, pose=np.ones((4, 4)))
            ),
            "a last row 0 0 0 1",
        ),
        (lambda robot, folder: save_page(folder / "no" / "p.html", robot), "cannot write"),
        (
            lambda robot, folder: save_page(
                folder / "p.html", robot, motion=Motion(T, np.zeros((2, 4)))
            ),
            "q of a motion of irb",
        ),
        (
            lambda robot, folder: save_page(
                folder / "p.html", robot, motion=Motion(T, np.full((2, 6), np.nan))
            ),
            "finite",
        ),
        (
            lambda robot, folder: save_page(
                folder / "p.html", robot, motion=Motion(0 * T, np.zeros((2, 6)))
            ),
            "does not grow",
        ),
        (
            lambda robot, folder: save_page(
                folder / "p.html", robot, motion=Motion(T[:0], np.zeros((0, 6)))
            ),
            "one sample",
        ),
        (
            lambda robot, folder: save_page(
                folder / "p.html", robot, motion=Motion(T, np.zeros((2, 6)), tau=T)
            ),
            "tau of a motion",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", irb.Actor(robot, opacity=7.0)),
            "from 0 to 1",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", irb.Actor("irb2400")),
            "irbmodels.load or from_urdf returns, not 'irb",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", irb.Actor(robot, name=7)),
            "is a text, not 7",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", robot, layers="frames"),
            "layers are a list of names, not 'frames'",
        ),
        (
            lambda robot, folder: save_page(folder / "p.html", robot, layers=None),
            "layers are a list of names, not None",
        ),
        (lambda robot, folder: save_picture(folder / "p.png", robot, size=(0, 9)), "120 x 120"),
    ],
)
def test_a_mistake_is_one_line_and_no_file(tmp_path, call, message):
    with pytest.raises(irb.IrbError, match=message):
        call(irb.load("irb2400"), tmp_path)
    assert not list(tmp_path.iterdir())


LOST = {
    "gone.stl": None,
    "package://nowhere/meshes/gone.stl": None,
    "http://example.org/gone.obj": None,
    "m.stl": "not a mesh",
    "m.obj": "",
    "m.dae": "<COLLADA/>",
    "m.ply": (
        "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty"
        " float z\nelement face 1\n"
        # which meshcat does not draw
        "property list uchar int vertex_indices\nend_header\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n"
    ),
}


@pytest.mark.parametrize("name", LOST)
@pytest.mark.parametrize("what", ["visual", "collision"])
def test_a_lost_or_broken_mesh_leaves_the_rest_visible(tmp_path, name, what):
    """One warning and the page name a mesh of a URDF that is not there or holds none, once for all
    links; the rest is shown.
    """
    pytest.importorskip("meshcat")  # which warns of its own imports
    if LOST[name] is not None:
        (tmp_path / name).write_text(LOST[name], encoding="utf-8")
    shape = f'<{what}><geometry><mesh filename="{name}"/></geometry></{what}>'
    box = '<visual><geometry><box size=".1 .2 .3"/></geometry></visual>'
    text = irb.describe("irb930").urdf(looks=False)
    for link, shapes in (("link_1", shape), ("link_2", shape + box)):
        text = text.replace(f'<link name="{link}">', f'<link name="{link}">{shapes}')
    (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
    robot = irb.from_urdf(tmp_path / "r.urdf")
    with pytest.warns(
        irb.PhysicsWarning, match=f"is shown without {re.escape(name)}: not there, or not readable$"
    ) as raised:
        save_page(tmp_path / "p.html", robot)
    assert len(raised) == 1
    assert raised[0].filename == __file__
    page = (tmp_path / "p.html").read_text(encoding="utf-8")
    assert page.count(f"irb930_12_105 is shown without {name}") == 1
    with pytest.warns(irb.PhysicsWarning, match="is shown without"):
        assert f"is shown without {name}" in irb.Actor(robot)._repr_html_()
    assert (f"<br>shown without {name}<br>" in robot._repr_html_()) == (what == "visual")
    with (
        pytest.warns(irb.PhysicsWarning, match="is shown without"),
        irb.view(robot, browser=False) as viewer,
    ):
        assert f"is shown without {name}" in fetch(viewer.url)[1]
    if what == "collision" and name != "m.ply":  # an answer without one would be wrong
        with pytest.raises(irb.IrbError, match=re.escape(name)):
            irb.collides(robot, np.zeros(4))


def test_shapes_without_sizes_leave_the_rest_visible(tmp_path):
    """A scale of four numbers and a box of two are named with their link; many lost meshes are
    counted, and named on the page.
    """
    mesh = '<visual><geometry><mesh filename="{}.stl"/></geometry></visual>'
    wrong = '<mesh filename="base.stl" scale="1 1 1 1"/>', '<box size="1 2"/>'
    odd = "".join(f"<visual><geometry>{tag}</geometry></visual>" for tag in wrong)
    names = [f"gone_{i}" for i in range(9)]
    text = irb.describe("irb930").urdf(looks=False)
    text = text.replace(
        '<link name="link_1">', f'<link name="link_1">{odd}{"".join(map(mesh.format, names))}'
    )
    (tmp_path / "r.urdf").write_text(text, encoding="utf-8")
    with pytest.warns(
        irb.PhysicsWarning,
        match=r"scale='1 1 1 1' should be 3 numbers, link .*, gone_1.stl and 7 more:",
    ) as raised:
        save_page(tmp_path / "p.html", irb.from_urdf(tmp_path / "r.urdf"))
    assert "link 'link_1' has a <mesh> without its sizes" in str(raised[0].message)
    assert all(f"{name}.stl" in (tmp_path / "p.html").read_text(encoding="utf-8") for name in names)


def test_a_tool_on_a_robot_from_a_urdf_is_drawn_and_collides(tmp_path):
    """The spindle's shapes hang on tool0, as on the robot from tables; a motion may be an opened
    file.
    """
    tables, file = (
        irb.load("irb1600", tool="spindle"),
        irb.from_urdf(irb.urdf_path("irb1600")).with_tool("spindle"),
    )
    shapes = [
        (shape.link, shape.file.name, shape.colour) for shape in drawable_shapes(file, "visual")[0]
    ]
    assert shapes == [
        (shape.link, shape.file.name, shape.colour)
        for shape in drawable_shapes(tables, "visual")[0]
    ]
    assert sum(link == "tool0" for link, _, _ in shapes) == 2
    postures = random_postures(tables.limits, 40)
    np.testing.assert_array_equal(irb.collides(file, postures), irb.collides(tables, postures))
    q = np.zeros(6)
    near = [
        irb.clearance(robot, q).distance
        for robot in (irb.from_urdf(irb.urdf_path("irb1600")), irb.load("irb1600"))
    ]
    assert near[0] == pytest.approx(near[1], rel=1e-9)  # the SRDF beside the file counts
    write_motion(
        tmp_path / "m.csv", through([q, np.full(6, 0.1)], duration=1.0).sample(50.0), tables
    )
    save_page(tmp_path / "p.html", tables, motion=irb.open_motion(tmp_path / "m.csv", tables))
    with pytest.raises(irb.InputError, match="a motion is an"):
        save_page(tmp_path / "p.html", tables, motion="m.csv")
