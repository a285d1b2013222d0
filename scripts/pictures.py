"""Draw the pictures of README and docs/howto/gallery.md in headless Chromium.

    python scripts/pictures.py [NAME ...]

Needs the program chromium (Debian: apt-get install chromium), and for the sheet of all arms pillow
of the extra dev.
"""

from __future__ import annotations

import argparse
import math
import re
import sys
import tempfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import numpy as np
from rich.progress import track

import irbmodels as irb
from irbmodels.trajectory import through
from irbmodels.viewer.actor import check_actor, other_arms
from irbmodels.viewer.browser import screenshot
from irbmodels.viewer.meshcat_window import Recorder, named_mesh
from irbmodels.viewer.page import page_html
from irbmodels.viewer.scene import put_scene

FOLDER = Path(__file__).resolve().parent.parent / "docs" / "pictures"
SMALL = (720, 560)


def family(
    name: str, posture: tuple[float, ...], tool: str | None = None
) -> Callable[[Path], None]:
    """Return what draws one robot in a posture as the controller shows it, with its other arm."""

    def draw(path: Path) -> None:
        robot = irb.load(name, tool=tool)
        actor = irb.Actor(robot, robot.from_controller(posture))
        irb.save_picture(path, actor, *other_arms(robot))

    return draw


def layers(
    name: str, *shown: str, posture: tuple[float, ...] = (), tool: str | None = None
) -> Callable[[Path], None]:
    """Return what draws one robot with layers."""

    def draw(path: Path) -> None:
        robot = irb.load(name, tool=tool)
        q = robot.from_controller(posture) if posture else None
        irb.save_picture(path, robot, q=q, layers=shown, size=SMALL)

    return draw


def singular(kind: str) -> Callable[[Path], None]:
    """Return what draws the IRB 2400 in a singular posture, with its axes (S001 Fig. 6 and 7)."""

    def draw(path: Path) -> None:
        robot = irb.load("irb2400")
        q = SINGULAR[kind](robot)
        lowest = np.linalg.svd(robot.jacobian(q), compute_uv=False)[-1]
        assert lowest < 1e-12, (kind, lowest)
        irb.save_picture(path, robot, q=q, layers=("axes",), size=SMALL)

    return draw


def wrist(robot: irb.Robot) -> np.ndarray:
    """Axes 4 and 6 in one line: q5 = 0."""
    return robot.from_controller([20, 15, 10, 30, 0, 0])


def shoulder(robot: irb.Robot) -> np.ndarray:
    """The wrist centre on axis 1: a1 + a2 sin q2 + a3 sin q3 + d4 cos q3 = 0."""
    a1, a2, a3, d4 = _lengths(robot)
    q2 = math.radians(-30.0)
    q3 = math.atan2(a3, d4) - math.acos(-(a1 + a2 * math.sin(q2)) / math.hypot(a3, d4))
    return np.array([math.radians(20.0), q2, q3, 0.0, math.radians(60.0), 0.0])


def elbow(robot: irb.Robot) -> np.ndarray:
    """Shoulder, elbow and wrist centre in one line: tan(q3 - q2) = -d4 / a3, beyond the range of
    the real arm.
    """
    _, _, a3, d4 = _lengths(robot)
    q2 = math.radians(40.0)
    return np.array([math.radians(20.0), q2, q2 - math.atan2(d4, a3), 0.0, math.radians(40.0), 0.0])


def _lengths(robot: irb.Robot) -> tuple[float, float, float, float]:
    table = robot.dh("modified")
    return float(table.a[1]), float(table.a[2]), float(table.a[3]), float(table.d[3])


def motion(path: Path) -> None:
    """Draw the page of a motion: sliders, trace, torque arrows, strip charts."""
    robot = irb.load("irb2400", tool="spindle")
    postures = [(0, 0, 0, 0, 30, 0), (40, 25, 20, 30, 45, 60), (-35, 45, 40, -40, 60, -90)]
    film = through([robot.from_controller(posture) for posture in postures], duration=2.5).sample(
        250.0
    )
    actor = irb.Actor(robot, motion=film, name="IRB 2400 with spindle")
    irb.save_picture(path, actor, layers=("trace", "torques"), controls=True, size=(1200, 760))


def cell(path: Path) -> None:
    """Draw a cell: the IRB 2400 with the spindle and a two-axis positioner, as in S000 Fig. 1;
    place and type assumed.
    """
    robot = irb.load("irb2400", tool="spindle")
    table = irb.from_urdf(irb.urdf_path("positioner"))
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1.25, 0.0, 0.0]
    posed = irb.Actor(robot, q=robot.from_controller([0, 25, -10, 0, 10, 0]))
    irb.save_picture(path, posed, irb.Actor(table, q=[0.0, 0.4], pose=place), size=SMALL)


# the arms of a row and where they stand [m], from small to large
PALLETIZERS = {"irb260": 0.8, "irb460": 2.6, "irb660": 5.2, "irb760": 8.6}
ROWS: tuple[dict[str, float], ...] = (
    {
        **{"irb120": 0.4, "irb1200": 1.25, "irb1600": 2.15},
        **{"irb2600": 3.4, "irb4600": 4.95, "irb6700": 7.0, "irb7600": 9.15},
    },
    {
        **{"irb1100": 0.4, "crb15000": 1.3, "irb1300": 2.4, "irb1410": 3.7},
        **{"irb2400": 5.2, "irb4400": 6.9, "irb6640": 9.0},
    },
    {
        **{"irb910sc": 0.4, "irb14000": 1.4, "irb140": 2.3, "irb930": 3.2, "irb52": 4.6},
        **{"irb1400": 6.6, "irb6620": 8.8},
    },
    PALLETIZERS,
    {"irb6660": 2.4, "irb8700": 6.4},
)
# of arms by their joints and axes: six axes, palletizers, SCARAs, seven axes
POSTURES = {
    (6, 6): (0, 15, 10, 0, 35, 0),
    (5, 4): (0, 20, 25, 0),
    (4, 4): (20, 40, -100, 0),
    (7, 7): (0, -130, 30, 0, 40, 0, -135),
}
LEANING = {"irb8700": (0, 65, 25, 0, 30, 0)}  # too tall for its row
# five postures within the ranges of all arms of a build [deg]
OF_PALLETIZERS: tuple[tuple[float, ...], ...] = (
    (0, 0, 0, 0),  # home
    (25, 70, 15, 30),  # forward
    (-30, -20, -17, 0),  # high
    (40, 60, 115, 90),  # low
    (0, -28, 30, 0),  # folded
)
OF_RIGHT_ARM: tuple[tuple[float, ...], ...] = (
    (0, -130, 30, 0, 40, 0, -135),  # home
    (0, 0, 0, 0, 0, 0, 0),  # all at 0
    (60, -60, -80, 0, 0, 0, -60),  # stretched
    (36, -117, 36, 50, 46, -114, -100),  # forward
    (-60, -110, 35, 116, 100, 90, 30),  # raised
)
TILE = (280, 230)  # pixels
STAGE, HIGH = 11.6, 2.45  # [m] that a row shows across, and above the floor
PER_METRE = 160  # pixels
BELOW = 0.45  # [m] below the floor line, for the front of the floor and the labels
FAR = 60.0  # [m] from camera to row: all arms at one scale, almost without perspective
DOWN = math.radians(9.0)  # that the camera looks
FACING = math.radians(45.0)  # of the arms, towards the camera


def line_up(path: Path) -> None:
    """Draw one arm of each family at one scale, on floors with a grid of 1 m."""
    from PIL import Image

    drawn = {irb.describe(name).family for row in ROWS for name in row}
    missing = {irb.describe(name).family for name in irb.robots()} - drawn
    assert not missing, f"ROWS have no place for {', '.join(sorted(missing))}"
    width, height = round(STAGE * PER_METRE), round((HIGH + BELOW) * PER_METRE)
    sheet = Image.new("RGB", (width, height * len(ROWS)), "white")
    for number, row in enumerate(ROWS):
        with tempfile.TemporaryDirectory() as folder:
            page, picture = Path(folder, "row.html"), Path(folder, "row.png")
            page.write_text(row_page(row), encoding="utf-8")
            screenshot(page, picture, width, height)
            image = Image.open(picture).convert("RGB")
        label(image, row)
        sheet.paste(image, (0, number * height))
    sheet.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)


def in_postures(
    names: Iterable[str], postures: tuple[tuple[float, ...], ...]
) -> Callable[[Path], None]:
    """Return what draws robots, a row each, in postures as the controller shows them."""
    robots = [*names]

    def draw(path: Path) -> None:
        from PIL import Image

        width, height = TILE
        sheet = Image.new("RGB", (width * len(postures), height * len(robots)), "white")
        for row, name in enumerate(robots):
            robot = irb.load(name)
            for column, posture in enumerate(postures):
                q = robot.from_controller(posture)
                assert robot.limits.in_range(q), (name, posture)
                with tempfile.TemporaryDirectory() as folder:
                    picture = Path(folder, "posture.png")
                    irb.save_picture(picture, robot, q=q, size=(2 * width, 2 * height))
                    tile = Image.open(picture).convert("RGB")
                    tile = tile.resize(TILE, Image.Resampling.LANCZOS)
                sheet.paste(tile, (column * width, row * height))
        sheet.quantize(256, dither=Image.Dither.NONE).save(path, optimize=True)

    return draw


def row_page(row: dict[str, float]) -> str:
    """Return the page of a row of arms along y, seen along -x, with its camera."""
    turned = np.array(
        [
            [math.cos(FACING), -math.sin(FACING), 0],
            [math.sin(FACING), math.cos(FACING), 0],
            [0, 0, 1],
        ]
    )
    actors = []
    for name, y in row.items():
        robot, pose = irb.load(name), np.eye(4)
        pose[:3, :3], pose[1, 3] = turned, y
        usual = POSTURES[len(robot.description.chain), robot.n]
        q = robot.from_controller(LEANING.get(name, usual))
        actors.append(check_actor(irb.Actor(robot, q=q, pose=pose)))
    recorder = Recorder()
    data = put_scene(recorder, actors)
    put_floor(recorder)
    # in the middle of what is shown above and below the floor line
    middle = 0.5 * (HIGH - BELOW)
    target = np.array([0.0, 0.5 * STAGE, middle])
    away = FAR * np.array([math.cos(DOWN), 0.0, math.sin(DOWN)])
    view = {
        "position": (target + away).tolist(),
        "target": target.tolist(),
        "fov": 2.0 * math.degrees(math.atan(0.5 * (HIGH + BELOW) / FAR)),
    }
    return page_html(recorder.commands, data, view, controls=False)


def put_floor(recorder: Recorder) -> None:
    """Put a floor with a line every metre in place of the scene's round one."""
    import meshcat
    import meshcat.geometry as geometry

    near, back = 2.0, -4.0  # [m] of the floor before and behind the arms
    deep, middle = near - back, 0.5 * (near + back)
    slabs = {"floor": (0xD2D6DA, (deep, 3 * STAGE, 0.01), (middle, 0.5 * STAGE, -0.006))}
    for y in range(-2, math.ceil(STAGE) + 3):
        slabs[f"across_{y}"] = (0x9AA0A7, (deep, 0.025, 0.02), (middle, y, 0.0))
    for x in range(int(back), int(near) + 1):
        slabs[f"along_{x}"] = (0x9AA0A7, (0.025, 3 * STAGE, 0.02), (x, 0.5 * STAGE, 0.0))
    for path, (colour, size, place) in slabs.items():
        material = geometry.MeshLambertMaterial(color=colour)
        node, pose = meshcat.Visualizer(window=recorder)[path], np.eye(4)
        pose[:3, 3] = place
        node.set_object(named_mesh(geometry.Box(size), material, path))
        node.set_transform(pose)


def label(picture: Any, row: dict[str, float]) -> None:
    """Write the name, payload and reach of each arm below it, and the length of a square."""
    from matplotlib import font_manager
    from PIL import ImageDraw, ImageFont

    pen = ImageDraw.Draw(picture)
    bold, normal = (
        ImageFont.truetype(font_manager.findfont(font_manager.FontProperties(weight=weight)), size)
        for weight, size in (("bold", 21), ("normal", 17))
    )
    bottom = round((HIGH + BELOW) * PER_METRE)
    for name, y in row.items():
        robot = irb.describe(name)
        ratings, x = robot.limits.ratings, round(y * PER_METRE)
        title = re.sub(r"(?<=RB)", " ", robot.family.upper())
        numbers = f"{ratings.payload_kg:g} kg, {ratings.reach_mm / 1000.0:.2f} m"
        for text, font, above in ((title, bold, 52), (numbers, normal, 26)):
            pen.text((x, bottom - above), text, fill="black", font=font, anchor="ma")
    pen.line([(16, 40), (16 + PER_METRE, 40)], fill="black", width=3)
    pen.text((16 + PER_METRE // 2, 14), "1 m", fill="black", font=bold, anchor="ma")
    pen.text((16, 50), "payload, reach; squares of 1 m", fill="black", font=normal)


def page_answers(path: Path) -> None:
    """Draw the whole page of a robot in a posture."""
    robot = irb.load("irb2400")
    actor = irb.Actor(robot, q=robot.from_controller([10, 20, -5, 30, 40, 10]))
    irb.save_picture(path, actor, layers=("handle",), controls=True, size=(1280, 900))


def page_inside(path: Path) -> None:
    """Draw the page of a robot with its working range, singular zones, and a link's body."""
    robot = irb.load("irb2400")
    page = path.with_suffix(".html")
    actor = irb.Actor(robot, q=robot.from_controller([20, 10, 10, 20, 30, 0]))
    irb.save_page(page, actor, layers=("range", "singular"))
    opened = (
        "irb.ready.then(() => {"
        " document.querySelectorAll('#answers details').forEach(part => { part.open = false; });"
        " panel.section.node.open = true; panel.bodies.other.value = 'cad';"
        " panel.bodies.pick('link_2'); });"
    )
    text = page.read_text(encoding="utf-8").replace("</body>", f"<script>{opened}</script></body>")
    page.write_text(text, encoding="utf-8")
    screenshot(page, path, 1280, 900)
    page.unlink()


SINGULAR = {"wrist": wrist, "shoulder": shoulder, "elbow": elbow}
PICTURES: dict[str, Callable[[Path], None]] = {
    "all_arms": line_up,
    "irb2400": family("irb2400", (25, 15, 5, 0, 35, 0), "spindle"),
    "irb1400": family("irb1400", (25, 20, 10, 0, 30, 0)),
    "irb1600": family("irb1600", (25, 10, 10, 0, 40, 0)),
    "irb930": family("irb930", (25, 40, -120, 0)),
    "irb910sc": family("irb910sc", (25, 40, -80, 0)),
    "irb14000": family("irb14000", (0, -130, 30, 0, 40, 0, -135)),
    **{name: family(name, (25, 15, 20, 0)) for name in PALLETIZERS},
    **{
        name: family(name, (25, 10, 10, 0, 40, 0))
        for row in ROWS
        for name in row
        if len(POSTURES[len(irb.describe(name).chain), len(irb.describe(name).axes)]) == 6
        and name not in ("irb2400", "irb1400", "irb1600")
    },
    "palletizers": in_postures(PALLETIZERS, OF_PALLETIZERS),
    "irb14000_postures": in_postures(["irb14000_right"], OF_RIGHT_ARM),
    "frames": layers("irb2400", "frames"),
    "inertia": layers("irb2400", "com", "boxes"),
    "hulls": layers("irb1600", "hulls", posture=(25, 10, 10, 0, 40, 0)),
    "motion": motion,
    "page_answers": page_answers,
    "page_inside": page_inside,
    "cell": cell,
    **{f"singular_{kind}": singular(kind) for kind in SINGULAR},
}


def main() -> int:
    """Write the pictures, or some of them."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument(
        "name", nargs="*", choices=[*PICTURES, []], help="pictures to draw; default all"
    )
    wanted = parser.parse_args().name or list(PICTURES)
    FOLDER.mkdir(parents=True, exist_ok=True)
    for name in track(wanted, description="pictures", disable=not sys.stderr.isatty()):
        PICTURES[name](FOLDER / f"{name}.png")
        print(f"docs/pictures/{name}.png: {(FOLDER / f'{name}.png').stat().st_size / 1024:.0f} kB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
