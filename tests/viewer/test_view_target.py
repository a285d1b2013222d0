"""Poses that are typed or pasted into a page, its refusals and its names of postures."""

from __future__ import annotations

import json

import numpy as np
import pinocchio as pin
import pytest
from headless import needs_chromium

import irbmodels as irb
from irbmodels.model.rotations import quaternion
from irbmodels.robot.collision import random_postures
from irbmodels.viewer import save_page

pytestmark = needs_chromium
UNUSED = "[9E9,9E9,9E9,9E9,9E9,9E9]"
WALL = pin.SE3(pin.rpy.rpyToMatrix(0.3, 1.2, -0.5), np.array([0.5, -0.2, 2.0]))
# postures [deg, mm] of a serial arm with axis 6 a whole turn on, upright and on a wall, of arms
# with a parallelogram, a palletizer, a SCARA, an offset wrist and seven axes
POSTURES = {
    "irb1600": [20, 30, -10, 100, -40, 370],
    "irb2400": [-100, 20, 15, -40, 30, 120],
    "irb660": [-30, 20, 35, 200],
    "irb930": [40, -60, -50, 80],
    "crb15000": [10, 20, 10, 20, 30, 40],
    "irb14000": [10, -20, 10, 20, 10, 20, 10],
}


@pytest.fixture(scope="module")
def robots():
    """One of each structure, and one that hangs on a wall."""
    arms = {name: irb.load(name) for name in POSTURES}
    return {**arms, "wall": arms["irb1600"].mounted(WALL)}


@pytest.fixture(scope="module")
def page(robots, tmp_path_factory):
    """A page of all of them, each near its posture if it follows by iteration."""
    path = tmp_path_factory.mktemp("target") / "page.html"
    near = {"crb15000": 3.0, "irb14000": 3.0}
    actors = [
        irb.Actor(robot, robot.from_controller(np.array(POSTURES[name]) + near[name]))
        if name in near
        else robot
        for name, robot in robots.items()
    ]
    save_page(path, *actors)
    return path.as_uri()


def robtarget(robot, q):
    """Return a posture as a controller writes it: 4 digits of a mm, 9 of a quaternion."""
    pose = robot.pose(q, reference="world")
    place = ",".join(f"{x:.4f}" for x in 1e3 * pose.translation)
    turn = ",".join(f"{x:.9f}" for x in quaternion(pose.rotation))
    return f"[[{place}],[{turn}],{robot.configuration(q)},{UNUSED}]".replace("?", "")


GO = """
const field = document.getElementById("target"), said = () => document.getElementById("refusal").textContent;
const paste = text => {
  field.value = text;
  field.dispatchEvent(new InputEvent("input", { inputType: "insertFromPaste" }));
  return { q: panel.chosen.q, said: said(), text: field.value, invalid: field.ariaInvalid };
};
"""


def test_a_pasted_robtarget_moves_the_arm_to_its_configuration(page, robots, browser):
    """In wobj0, from home, with whole turns; nothing is said and the field is empty again. Seven
    numbers are a pose in the base, three keep the orientation.
    """
    wanted, texts, poses = {}, {}, {}
    for name, robot in robots.items():
        wanted[name] = robot.from_controller(POSTURES.get(name, POSTURES["irb1600"]))
        pose = robot.pose(wanted[name])
        numbers = [*(1e3 * pose.translation), *quaternion(pose.rotation)]
        poses[name] = " , ".join(f"{x:.9f}" for x in numbers)
        if robot.n < 7:
            texts[name] = f"  CONST robtarget p10:={robtarget(robot, wanted[name])}; "
    given = f"const names = {json.dumps([*robots])}, texts = {json.dumps(texts)}, poses = {json.dumps(poses)};"
    report = browser.run(
        page,
        given + GO + "report.went = {}; report.near = {}; report.up = {};"
        """
        names.forEach((name, i) => {
          const actor = irb.actors[i], start = actor.q, axis = actor.axes.length < 6 ? 1 : 2;
          panel.choose(actor);
          if (name in texts) report.went[name] = paste(texts[name]);
          panel.move(start);
          paste(poses[name]);
          report.near[name] = irb.pose("tcp", i);
          const before = irb.pose("tcp", i), place = before.slice(0, 3).map(row => 1000 * row[3]);
          place[axis] += 5;
          paste(place.join(" "));
          report.up[name] = irb.pose("tcp", i).map((row, k) => row.map((x, j) => x - before[k][j]));
        });
        """,
    )
    assert report["complaints"] == []
    for name, went in report["went"].items():
        assert (went["said"], went["text"], went["invalid"]) == ("", "", "false"), name
        np.testing.assert_allclose(went["q"], wanted[name], rtol=0, atol=1e-6, err_msg=name)
    for name, pose in report["near"].items():
        np.testing.assert_allclose(
            pose, robots[name].pose(wanted[name]).homogeneous, rtol=0, atol=1e-7, err_msg=name
        )
        step = np.zeros((4, 4))
        step[1 if robots[name].n < 6 else 2, 3] = 0.005
        np.testing.assert_allclose(report["up"][name], step, rtol=0, atol=1e-7, err_msg=name)


PLACE, TURN, CONF = "[800,0,900]", "[0,0,1,0]", "[0,0,0,0]"
WRONG = {
    "hello": "3 or 7 numbers, not 1",
    "1,2,3,4": "3 or 7 numbers, not 4",
    "800 0 x": "x, y, z are 3 numbers, not [800, 0, NaN]",
    f"[{PLACE},{TURN}]": "a robtarget is [[x,y,z],[q1,q2,q3,q4],",
    f"[{PLACE},{TURN},{CONF},{UNUSED}": "a robtarget is [[x,y,z],",
    f"[[800,0],{TURN},{CONF},{UNUSED}]": "x, y, z are 3 numbers, not [800, 0]",
    f"[{PLACE},[0,0,1],{CONF},{UNUSED}]": "q1, q2, q3, q4 are 4 numbers, not [0, 0, 1]",
    f"[{PLACE},[0,0,0.9,0],{CONF},{UNUSED}]": "has length 0.9, not 1",
    f"[{PLACE},[0,0,0,0],{CONF},{UNUSED}]": "has length 0, not 1",
    f"[{PLACE},{TURN},[0,0,0.5,0],{UNUSED}]": "are whole numbers, not [0, 0, 0.5, 0]",
    f"[{PLACE},{TURN},{CONF},[9E9]]": "the external axes are 6 numbers",
    f"[[0.8,0,0.9],{TURN},{CONF},{UNUSED}]": "x, y, z = 0.8, 0, 0.9 are mm",
    f"[[8000,0,900],{TURN},{CONF},{UNUSED}]": "out of reach by ",
    f"[{PLACE},{TURN},[0,0,0,7],{UNUSED}]": "no posture of this pose has the configuration [0,0,0,7]; it has [",
}  # fmt: skip


def test_a_wrong_target_is_a_line_and_moves_nothing(page, robots, browser):
    """What is wrong with it, or why the arm does not go there; the field keeps it, marked."""
    beyond = robots["irb1600"].from_controller([0, -75, 0, 0, 30, 0])
    report = browser.run(
        page,
        GO
        + f"report.said = {json.dumps(list(WRONG))}.map(text => [text, ...Object.values(paste(text))]);"
        f"report.beyond = paste({json.dumps(robtarget(robots['irb1600'], beyond))}).said;"
        """
        panel.choose(irb.actors[5]);
        report.seven = paste("[[400,0,300],[0,0,1,0],[0,0,0,0],[0,9E9,9E9,9E9,9E9,9E9]]").said;
        """,
    )
    assert report["complaints"] == []
    for text, q, said, kept, invalid in report["said"]:
        assert WRONG[text] in said
        assert "\n" not in said
        assert (kept, invalid) == (text, "true")
        assert q == [0.0] * 6
    assert report["beyond"].startswith("q2 would be -75.0 °, range -6")
    assert "a robtarget of 7 axes has an arm angle" in report["seven"]


def test_typed_coordinates_move_the_tool(page, robots, browser):
    """By Enter and by arrow keys in mm of the base; the orientation stays; one step of undo each."""

    async def use(tab):
        shown = "[irb.pose('tcp', 6), ['x', 'y', 'z'].map(one => Number(document.getElementById(`tcp-${one}`).value)), document.getElementById('refusal').textContent]"
        await tab.evaluate("panel.choose(irb.actors[6]); irb.set([0, 20, -10, 0, 40, 0], 6)")
        steps = [await tab.evaluate(shown)]
        await tab.evaluate("document.getElementById('tcp-y').select()")
        for key in ("-", "1", "5", "0", "Enter", "ArrowUp"):
            await tab.press(key)
        steps.append(await tab.evaluate(shown))
        await tab.evaluate("document.getElementById('tcp-x').select()")
        for key in ("9", "9", "9", "9", "Enter"):
            await tab.press(key)
        steps.append(await tab.evaluate(shown))
        for _ in range(2):
            await tab.press("z", 2)
        return [*steps, await tab.evaluate(shown)]

    (start, *_), (moved, fields, said), (far, _, refused), (back, *_) = browser.visit(page, use)
    way = np.array(moved) - start
    np.testing.assert_allclose(way[:, :3], 0.0, rtol=0, atol=1e-9)
    np.testing.assert_allclose(way[:3, 3], [0.0, -0.149 - start[1][3], 0.0], rtol=0, atol=1e-9)
    np.testing.assert_allclose(fields, 1e3 * np.array(moved)[:3, 3], rtol=0, atol=0.051)
    assert said == ""
    assert far == moved
    assert "out of reach by" in refused
    np.testing.assert_allclose(back, start, rtol=0, atol=1e-12)


def test_a_refusal_ends_with_the_next_move(page, browser):
    """By whatever hand, and when another robot is chosen."""
    report = browser.run(
        page,
        """
        const said = () => document.getElementById("refusal").textContent, put = (id, value) => { const field = document.getElementById(id); field.value = value; field.dispatchEvent(new Event("input")); };
        const hands = {
          home: () => [...document.querySelectorAll("#views button")].pop().click(), field: () => put("field-1", 7), slider: () => put("slider-2", 3),
          posture: () => document.querySelector("#postures button[aria-pressed=false]").click(), undo: () => panel.undo.undo(),
          command: () => irb.set([1, 2, 3, 4, 5, 6]), program: () => panel.move(irb.actors[1].q, null, irb.actors[1]),
          drag: () => irb.actors[0].towards(irb.pose()), other: () => panel.choose(irb.actors[1]),
        };
        report.said = Object.entries(hands).map(([name, hand]) => {
          panel.choose(irb.actors[0]);
          irb.actors[0].towards(irb.pose().map((row, i) => i ? row : [...row.slice(0, 3), 30]));
          const before = said();
          hand();
          return [name, before.includes("out of reach by"), said()];
        });
        """,
    )
    assert report["complaints"] == []
    assert [name for name, refused, after in report["said"] if not refused or after] == []
    assert len(report["said"]) == 9


def test_postures_are_told_apart_and_name_the_axes_out_of_range(page, robots, browser):
    """Labels are unique; where configuration data are not, the elbow that is up is the higher one
    and the front is where the arm looks; axes out of range are those of Python.
    """
    names = ["irb1600", "irb2400", "irb660", "irb930"]
    asked = [
        (number, q.tolist())
        for number, name in enumerate(POSTURES)
        if name in names
        for q in random_postures(robots[name].limits, 8)
    ]
    report = browser.run(
        page,
        f"const asked = {json.dumps(asked)};"
        """
        report.all = asked.map(([number, q]) => {
          panel.choose(irb.actors[number]);
          panel.move(q);
          const found = panel.answers.found(), labels = [...document.querySelectorAll("#postures button")].map(one => one.textContent);
          return found.map((one, k) => [labels[k], one.q]);
        });
        """,
    )
    assert report["complaints"] == []
    elbows = 0
    for (number, _), found in zip(asked, report["all"], strict=True):
        robot = robots[[*POSTURES][number]]
        labels = [label for label, _ in found]
        assert len({*labels}) == len(labels), labels
        heights = {}
        for label, q in found:
            broken = {str(one.axis) for one in robot.limits.violations(np.array(q))}
            outside = label.partition("OUTSIDE axis ")[2]
            assert {*filter(None, outside.split(", "))} == broken, label
            configuration = label.partition("]")[0]
            if "elbow" in label and robot.n != 4:
                up = "elbow up" in label
                z = robot.pose(np.array(q), "link_3").translation[2]
                heights.setdefault((configuration, "back" in label), {})[up] = z
            elbows += "elbow" in label
        for pair in heights.values():
            assert len(pair) < 2 or pair[True] > pair[False]
    assert elbows > 10
