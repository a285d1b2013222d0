"""CONTRIBUTING.md: its tree is that of the package, and the way of ``q`` is the way that calls
take.
"""

import re
import sys
from pathlib import Path

import numpy as np
import pytest
from structure import ROOMS

import irbmodels as irb
from irbmodels.cli import main

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "irbmodels"
PAGE = (ROOT / "CONTRIBUTING.md").read_text(encoding="utf-8")
ROUTES = [
    re.findall(r"^(?:\d+\. )?`(\w+/\w+\.py)` `(\w+)`", part, re.MULTILINE)
    for part in PAGE.split("\n\n1. ")[1:4]
]


def test_tree_has_every_room_in_the_order_of_imports():
    """Rooms and their folders, no more and no fewer; a room stands below all that it imports
    from.
    """
    tree = re.search(r"```text\nirbmodels/\n(.*?)^urdf/", PAGE, re.MULTILINE | re.DOTALL)[1]
    rows = re.findall(r"^( +)([\w.]+?)(/|\.py) +\S", tree, re.MULTILINE)
    assert len(rows) == len(tree.splitlines())
    rooms = [name for indent, name, _ in rows if len(indent) == 2]
    assert rooms == [name for name in ROOMS if name]
    assert all(
        (PACKAGE / f"{name}{end.rstrip('/')}").exists()
        for indent, name, end in rows
        if len(indent) == 2
    )
    listed, room = set(), ""
    for indent, name, _ in rows:
        room = name if len(indent) == 2 else room
        listed |= {f"{room}/{name}"} if len(indent) == 4 else set()
    folders = {
        path.parent.relative_to(PACKAGE).as_posix() for path in PACKAGE.glob("*/*/__init__.py")
    }
    assert listed == folders


def calls(run):
    """Functions of the package that ``run`` calls, as (file, name) in order."""
    seen = []

    def record(frame, event, _):
        code = frame.f_code
        if event == "call" and code.co_filename.startswith(str(PACKAGE)):
            seen.append((Path(code.co_filename).relative_to(PACKAGE).as_posix(), code.co_name))

    before = sys.getprofile()
    sys.setprofile(record)
    try:
        run()
    finally:
        sys.setprofile(before)
    return seen


def command():
    assert main(["pose", "irb1400", "--q-deg", "0,20,10,0,30,0"]) == 0


def one_state():
    robot = irb.load("irb2400", tool="spindle")
    robot.inverse_dynamics(robot.from_controller([0, 20, 10, 0, 30, 0]), [0.1] * 6, [0.0] * 6)


def many_states():
    robot = irb.load("irb2400", tool="spindle")
    robot.inverse_dynamics(*np.zeros((3, 1000, 6)))


@pytest.mark.parametrize(
    ("route", "run"),
    [*zip(ROUTES, (command, one_state, many_states), strict=True)],
    ids=["pose", "one", "many"],
)
def test_way_of_q_is_the_way_of_the_calls(route, run, capsys):
    """Every step of the page is called, after the step before it."""
    assert len(route) >= 3
    seen = iter(calls(run))
    for step in route:
        assert step in seen, f"{step} is not called after the steps before it"
