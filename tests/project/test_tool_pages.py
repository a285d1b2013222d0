import re
import runpy
from pathlib import Path

import numpy as np
import pytest
from grouped import together
from peers import require_peer
from PIL import Image

import irbmodels as irb

ROOT = Path(__file__).resolve().parents[2]
FOLDER = ROOT / "docs" / "howto" / "tools"
ROWS = [
    [cell.strip() for cell in line.strip("|").split("|")]
    for line in (FOLDER / "index.md").read_text(encoding="utf-8").splitlines()
    if re.search(r"\]\(\w+\.md\)", line) and line.startswith("|")
]
PAIR = re.compile(r"```python\n(.*?)```\s*```text\n(.*?)```", re.DOTALL)
PICTURES = sorted((ROOT / "docs" / "pictures" / "tools").glob("*.png"))
NOT_RUN = "not run here"


def linked(cell):
    """Return the file that a cell of the table leads to."""
    return FOLDER / re.search(r"\]\(([^)]+)\)", cell)[1]


def test_every_page_stands_in_the_table():
    """The table has a row per page and no other; urdf.md, which is no tool, is named below it."""
    pages = {path.name for path in FOLDER.glob("*.md")} - {"index.md", "urdf.md"}
    assert sorted(linked(row[2]).name for row in ROWS) == sorted(pages)
    assert "(../exchange.md)" in (FOLDER / "index.md").read_text(encoding="utf-8")


@together("row", ROWS, name=lambda row: row[0])
def test_a_page_has_its_picture_or_says_that_it_was_not_run(row):
    """A picture that the table claims is shown on the page; a page without says so."""
    _, _, page, picture = row
    text = linked(page).read_text(encoding="utf-8")
    if "](" in picture:
        assert f"](../../pictures/tools/{linked(picture).name})" in text
        assert linked(picture).resolve() in PICTURES
    else:
        assert "pictures/tools" not in text
        assert ("was not run**" in text) == (picture == NOT_RUN)


@pytest.mark.parametrize("row", [row for row in ROWS if row[3] != NOT_RUN], ids=lambda row: row[0])
def test_a_tool_that_runs_here_is_run(row):
    """Its page has Python that test_docs runs, and that imports the tool."""
    page = linked(row[2])
    imports = re.compile(rf"^(import|from) (\w+\.)?(py)?{page.stem}\b", re.MULTILINE)
    assert any(imports.search(code) for code, _ in PAIR.findall(page.read_text(encoding="utf-8")))


@pytest.mark.parametrize("path", PICTURES, ids=lambda path: path.stem)
def test_a_picture_is_small_and_shows_a_robot(path):
    """600 x 450, below 120 kB, the robot in its color and whole; sticks are red."""
    assert path.stat().st_size < 120_000
    with Image.open(path) as picture:
        pixels = np.array(picture.convert("RGB"))
    assert pixels.shape == (450, 600, 3)
    shown = reddish(pixels)
    assert shown.sum() > 2_000
    assert not np.concatenate([shown[0], shown[-1], shown[:, 0], shown[:, -1]]).any()


def test_there_is_no_picture_without_a_page():
    """Every picture belongs to a row of the table, and is what the script draws."""
    drawn = set(runpy.run_path(str(ROOT / "scripts" / "tool_pictures.py"))["TOOLS"])
    assert (
        {path.stem for path in PICTURES}
        == {linked(row[3]).stem for row in ROWS if "](" in row[3]}
        == drawn
    )


def test_pybullet_draws_the_exported_file_in_color(tmp_path):
    """PyBullet's TinyRenderer needs no screen: the robot is orange, as large as in the committed
    picture, and in its place.
    """
    require_peer("pybullet")
    script = runpy.run_path(str(ROOT / "scripts" / "tool_pictures.py"))
    robot = irb.load("irb2400", tool="spindle")
    large = script["pybullet"](robot, robot.from_controller(script["SHOWN"]), tmp_path / "arm")
    with Image.open(ROOT / "docs" / "pictures" / "tools" / "pybullet.png") as picture:
        small = np.array(picture.convert("RGB"))
    drawn, committed = reddish(large[::2, ::2]), reddish(small)
    assert drawn.sum() > 10_000
    assert (drawn & committed).sum() > 0.97 * (drawn | committed).sum()


def reddish(pixels):
    """Return where a picture is orange, or red."""
    red, green, blue = np.moveaxis(pixels.astype(int), -1, 0)
    return (red > 80) & (red > 1.35 * green) & (red > 1.5 * blue)
