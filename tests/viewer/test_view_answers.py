"""What a page computes by itself, in a real headless browser."""

from __future__ import annotations

import json
from itertools import pairwise
from pathlib import Path

import matplotlib.path
import numpy as np
import pinocchio as pin
import pytest
from headless import needs_chromium
from shipped import FAMILIES

import irbmodels as irb
from irbmodels.rapid import JointTarget, RobTarget, read_value
from irbmodels.viewer import page as pages
from irbmodels.viewer import save_page
from irbmodels.viewer.page_answers import answer_data
from irbmodels.viewer.page_data import limit_data

pytestmark = needs_chromium
SCRIPT = Path(pages.__file__).with_name("answers.js")
STATES = 20


def states(robot):
    """Return postures over the ranges, speeds and accelerations."""
    rng, limits = np.random.default_rng(8), robot.limits
    low, high = (np.clip(bound, -4.0, 4.0) for bound in limits.envelope())
    q = limits.moved_inside(rng.uniform(low, high, (STATES, robot.n)))
    q[0, 4:5] = 0.0  # where the wrist of an arm with six axes is singular
    return q, *rng.uniform(-2.0, 2.0, (2, STATES, robot.n))


def blank_page(path, robots, inputs):
    """Write a page that holds the answers of robots, and no scene."""
    functions = {}
    answers = [pages.with_numbers(answer_data(robot), functions) for robot in robots]
    scales = [np.where(robot.limits.linear, 1e3, np.degrees(1.0)).tolist() for robot in robots]
    data = [
        one | {"limits": limit_data(robot), "scales": scale}
        for one, robot, scale in zip(answers, robots, scales, strict=True)
    ]
    text = f"{SCRIPT.read_text()}\nconst FUNCTIONS = [{','.join(functions)}];"
    text += f"const data = {json.dumps(data)}, inputs = {json.dumps(inputs)}, irb = {{ready: Promise.resolve()}};"
    path.write_text(f"<!DOCTYPE html><meta charset=utf-8><script>{text}</script>", encoding="utf-8")
    return path.as_uri()


ASK = """
report.all = data.map((one, k) => {
  const answers = new Answers(one), [q, v, a] = inputs[k], axes = one.scales.map(scale => ({ scale })), rows = [0, 4, 8, 12];
  const found = x => {
    const T = Array.from(answers.pose(x)), { missing, postures } = answers.postures(rows.map(i => T.slice(i, i + 4)), q[1].map(x => 0.9 * x), one.limits);
    return { missing, postures: postures.map(({ slot, inside, q }) => [slot, inside, ...q]) };
  };
  return {
    ...Object.fromEntries(answers.known.map(name => [name, q.map((x, i) => Array.from(answers[name](x, v[i], a[i])))])),
    held: q.map(x => answers.held(x, 0.3, [0.01, -0.02, 0.03])),
    manipulability: q.map(x => answers.manipulability(x)),
    robtarget: q.map(x => answers.robtarget(x)),
    jointtarget: one.robax && q.map(x => answers.jointtarget(x, axes)),
    configuration: one.arm && q.map(x => answers.configuration(x)),
    distances: one.arm && !one.arm.offset && q.map(x => answers.distances(x)),
    inverse: answers.solve ? q.map(found) : null,
  };
});"""


@pytest.fixture(scope="module")
def robots():
    """One of every family, one mounted askew, and one with a tool."""
    wall = pin.SE3(pin.rpy.rpyToMatrix(0.3, 1.2, -0.5), np.array([0.5, -0.2, 2.0]))
    shipped = [irb.load(name) for name in FAMILIES]
    return [*shipped, irb.load("irb1600").mounted(wall), irb.load("irb2400", tool="spindle")]


def test_answers_of_every_family_are_those_of_python(robots, tmp_path, browser):
    """Each of them, to 1e-12 of the largest entry; texts of RAPID are read back."""
    inputs = [[x.tolist() for x in states(robot)] for robot in robots]
    report = browser.run(blank_page(tmp_path / "p.html", robots, inputs), ASK)
    assert report["complaints"] == []
    for robot, answers in zip(robots, report["all"], strict=True):
        q, v, a = states(robot)
        same(robot, answers, "pose", robot.pose(q))
        same(robot, answers, "jacobian", robot.jacobian(q))
        same(robot, answers, "manipulability", robot.measures(q).manipulability)
        if robot.dynamic_model.has_masses:
            friction = robot.friction_model is not None
            gravity = robot.gravity(q)
            same(robot, answers, "gravity", gravity)
            same(robot, answers, "mass_matrix", robot.mass_matrix(q))
            same(
                robot,
                answers,
                "inverse_dynamics",
                robot.inverse_dynamics(q, v, a, friction=friction),
            )
            loaded = robot.with_payload(irb.payload(0.3, [0.01, -0.02, 0.03]))
            same(robot, answers, "held", loaded.gravity(q) - gravity)
        else:
            assert "gravity" not in answers
        check_rapid(robot, answers, q)
        check_inverse(robot, answers, q)


def same(robot, answers, name, expected):
    """Compare arrays of all states."""
    expected = np.asarray(expected).reshape(STATES, -1)
    error = np.abs(np.array(answers[name]).reshape(STATES, -1) - expected).max()
    assert error <= 1e-12 * max(1.0, np.abs(expected).max()), f"{robot.name} {name}: {error:.1e}"


def check_rapid(robot, answers, q):
    """Compare targets and configuration data."""
    poses = np.asarray(robot.pose(q, reference="world"))
    for k, posture in enumerate(q):
        target = read_value(answers["robtarget"][k], RobTarget)
        shown = target.pose()  # of four digits of a mm, and nine of a quaternion
        np.testing.assert_allclose(shown.translation, poses[k, :3, 3], rtol=0, atol=6e-8)
        np.testing.assert_allclose(shown.rotation, poses[k, :3, :3], rtol=0, atol=3e-9)
        if answers["jointtarget"]:
            joints = read_value(answers["jointtarget"][k], JointTarget)
            np.testing.assert_allclose(joints.q(robot), posture, rtol=0, atol=1e-6)
        if answers["configuration"]:
            assert answers["configuration"][k] == [*robot.configuration(posture)[:4]]
            assert target.robconf.values == robot.configuration(posture)[:4]


def check_inverse(robot, answers, q):
    """Compare branches and distances from singularities; others have no closed form."""
    if answers["distances"]:
        expected = robot.singularities(q)._asdict()
        for k, distances in enumerate(answers["distances"]):
            for kind, value in distances.items():
                assert abs(value - expected[kind][k]) < 1e-12, f"{robot.name} {kind}"
    if answers["configuration"] is None:  # another shape
        with pytest.raises(irb.MissingData):
            _ = robot.closed_form
        return
    if not answers["inverse"]:
        assert robot.n > 6 or robot.closed_form.program is None
        return
    branches = robot.inverse_kinematics(np.asarray(robot.pose(q)), near=0.9 * q[1])
    for k, found in enumerate(answers["inverse"]):
        slots = [row[0] for row in found["postures"]]
        assert sorted(slots) == np.flatnonzero(branches.valid[k]).tolist(), robot.name
        assert found["missing"] == branches.missing[k]
        for slot, inside, *posture in found["postures"]:
            np.testing.assert_allclose(posture, branches.q[k, slot], rtol=0, atol=1e-9)
            assert inside == branches.in_range[k, slot]


HOLD = """
const value = i => document.getElementById(`torque-${i}`).value;
const put = (id, text) => { const field = document.getElementById(id); field.value = text; field.dispatchEvent(new Event("input")); };
report.empty = robotAxes.map(value);
put("payload-mass-field", 12); put("payload-x-field", 50); put("payload-z-field", 120);
report.loaded = robotAxes.map(value);
report.rating = ["", "16.1"].map(mass => { put("payload-mass-field", mass || 15.9); return document.getElementById("rating").textContent; });
put("payload-mass-field", 12);
report.robtarget = document.getElementById("robtarget").value;
report.postures = [...document.querySelectorAll("#postures button")].map(one => [one.textContent, one.ariaPressed === "true", one.className]);
const before = irb.pose();
[...document.querySelectorAll("#postures button")].find(one => one.ariaPressed === "false" && !one.className).click();
report.other = irb.actors[0].q;
report.moved = Math.max(...irb.pose().flat().map((x, i) => Math.abs(x - before.flat()[i])));
report.region = document.querySelector(".region polygon").getAttribute("points").split(" ").map(point => point.split(",").map(Number));
"""


def test_panel_answers_for_the_posture(tmp_path, reported):
    """Torques with a payload of its sliders, the target's text, another posture at a click."""
    robot = irb.load("irb2400")
    q = robot.from_controller([10, 20, -5, 30, 40, 10])
    save_page(tmp_path / "p.html", irb.Actor(robot, q=q))
    script = f"const robotAxes = {list(range(robot.n))};{HOLD}"
    report = reported(tmp_path / "p.html", script)
    loaded = robot.with_payload(irb.payload(12.0, [0.05, 0.0, 0.12]))
    for name, one in (("empty", robot), ("loaded", loaded)):
        gravity = one.gravity(q)
        share = 100.0 * np.abs(gravity) / robot.limits.effort
        # of assumed limits, all six
        expected = [f"{x:.1f} N m {p:.0f} %*" for x, p in zip(gravity + 0.0, share, strict=True)]
        assert report[name] == [text.replace("-0.0 ", "0.0 ") for text in expected]
    assert "rated" not in report["rating"][0]
    assert report["rating"][1].endswith(": 16.1 kg with the tool, above the rated 16 kg")
    assert read_value(report["robtarget"], RobTarget).robconf.values == (0, 0, 0, 0)
    # a flipped wrist is half a turn away, up or down
    turns = np.array([1000, 4, 4, 1000])
    expected = [
        (*np.mod(one.configuration[:4], turns), "" if one.in_range else "out")
        for one in robot.inverse_kinematics(robot.pose(q), near=q)
    ]
    named = [(text.partition("]")[0] + "]", style) for text, _, style in report["postures"]]
    shown = [(*np.mod(json.loads(text), turns), style) for text, style in named]
    assert sorted(shown) == sorted(expected)
    assert [here for _, here, _ in report["postures"]].count(True) == 1
    assert np.abs(np.array(report["other"]) - q).max() > 0.1
    assert report["moved"] < 1e-9
    low, high = robot.limits.envelope()
    points = np.random.default_rng(3).uniform(low[1:3], high[1:3], (200, 2))
    drawn = (points - low[1:3]) / (high - low)[1:3] * [200, -96] + [0, 96]
    inside = matplotlib.path.Path(report["region"]).contains_points(drawn)
    kept = [not robot.limits.violations(np.array([0, *two, 0, 0, 0])) for two in points]
    assert inside.tolist() == kept
    assert 0.2 < inside.mean() < 0.8


DRAG = """
const actor = irb.actors[0], canvas = document.querySelector("#scene canvas"), box = document.getElementById("scene").getBoundingClientRect();
const screen = local => {
  const at = new THREE.Vector3(...local).applyMatrix4(actor.handle.group.matrixWorld).project(viewer.camera);
  return [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height];
};
const drag = (from, to) => {
  const event = (kind, [clientX, clientY]) => new PointerEvent(kind, { clientX, clientY, bubbles: true, button: 0, buttons: 1 });
  canvas.dispatchEvent(event("pointerdown", from));
  const { kind, axis } = actor.handle.part;
  for (let k = 1; k <= 10; k++) dispatchEvent(event("pointermove", from.map((x, i) => x + k / 10 * (to[i] - x))));
  dispatchEvent(event("pointerup", to));
  return { kind, axis, q: actor.q, note: document.getElementById("refusal").textContent, held: Boolean(actor.handle.part) };
};
const size = 0.16 * actor.size, ring = angle => screen([0.8 * size * Math.cos(angle), 0.8 * size * Math.sin(angle), 0]);
report.arrow = drag(screen([0.9 * size, 0, 0]), screen([0.9 * size + 0.05, 0, 0]));
const free = [...Array(60).keys()].map(k => k / 10).find(angle => {  // where nothing is in front of the ring
  const [clientX, clientY] = ring(angle);
  actor.handle.aim({ clientX, clientY });
  const [hit] = actor.handle.ray.intersectObjects(actor.handle.parts);
  return hit && hit.object.userData.kind === "turn" && hit.object.userData.axis === 2;
});
report.ring = drag(ring(free), ring(free + 0.3));
report.ball = drag(screen([0, 0, 0]), screen([0, 0, 0]).map(x => x - 20));
report.range = drag(screen([0, 0, 0]), [box.left + 5, box.bottom - 5]);
report.camera = viewer.camera.position.toArray();
"""


def test_handle_drags_the_tool(tmp_path, reported):
    """An arrow moves the TCP along its axis, a ring turns it about one, the ball keeps the
    orientation; what cannot be reached leaves the robot where it was and says why.
    """
    robot = irb.load("irb2400")
    q = robot.from_controller([-45, 20, -5, 20, 15, 10])
    save_page(tmp_path / "p.html", irb.Actor(robot, q=q))
    report = reported(tmp_path / "p.html", DRAG)
    poses = [robot.pose(q)]
    for name, kind, axis in (("arrow", "move", 0), ("ring", "turn", 2), ("ball", "plane", None)):
        part = report[name]
        assert (part["kind"], part["axis"], part["note"], part["held"]) == (kind, axis, "", False)
        poses.append(robot.pose(np.array(part["q"])))
    moved, turned, held = (a.actInv(b) for a, b in pairwise(poses))
    np.testing.assert_allclose(moved.translation, [0.05, 0, 0], rtol=0, atol=2e-3)
    np.testing.assert_allclose(moved.rotation, np.eye(3), rtol=0, atol=1e-12)
    np.testing.assert_allclose(turned.translation, 0, rtol=0, atol=1e-12)
    angle = np.arctan2(turned.rotation[1, 0], turned.rotation[0, 0])
    assert abs(angle - 0.3) < 0.02
    np.testing.assert_allclose(held.rotation, np.eye(3), rtol=0, atol=1e-12)
    assert np.linalg.norm(held.translation) > 0.02
    assert "out of reach by" in report["range"]["note"] or "range" in report["range"]["note"]
    assert robot.limits.violations(np.array(report["range"]["q"])) == []


FOLLOW = """
const actor = irb.actors[0], start = actor.q, flat = Array.from(actor.answers.pose(start)), from = [0, 4, 8, 12].map(i => flat.slice(i, i + 4));
const put = (pose, way, turn) => {
  const matrix = new THREE.Matrix4().set(...pose.flat()).multiply(new THREE.Matrix4().makeRotationAxis(new THREE.Vector3(0.6, 0, 0.8), turn));
  const e = matrix.elements;
  return [0, 1, 2, 3].map(row => [e[row], e[row + 4], e[row + 8], e[row + 12] + (way[row] || 0)]);
};
report.steps = [];
for (let k = 1; k <= 25; k++) {
  const target = put(from, [0.002 * k, -0.004 * k, 0.003 * k], 0.03 * k);
  report.steps.push({ moved: actor.towards(target), target, q: actor.q });
}
const before = actor.q;
report.far = { moved: actor.towards(put(from, [30, 0, 0], 0)), note: document.getElementById("refusal").textContent, still: actor.q.every((x, i) => x === before[i]) };
irb.set(edge.map((x, i) => x * actor.axes[i].scale));
const beyond = edge.map((x, i) => i === 2 ? x + 0.1 : x), there = Array.from(actor.answers.pose(beyond));
report.range = { moved: actor.towards([0, 4, 8, 12].map(i => there.slice(i, i + 4))), note: document.getElementById("refusal").textContent };
document.getElementById("rapid").open = true;
report.shown = ["robtarget", "jointtarget"].map(kind => document.getElementById(kind).offsetParent !== null);
report.twists = poses.map(pose => actor.answers.twist(start, pose));
report.jump = actor.answers.nearby(put(from, [0.05, 0.05, 0], 2.5), start);
"""


@pytest.mark.parametrize("name", ["crb15000", "irb14000"])
def test_handle_of_an_arm_without_a_closed_form(name, tmp_path, reported):
    """Its posture follows the tool step by step; what it does not reach leaves it where it was."""
    robot = irb.load(name)
    q = np.radians([20, -10, 40, 30, 60, 10, 25][: robot.n])
    save_page(tmp_path / "p.html", irb.Actor(robot, q=q))
    edge = q.copy()
    edge[2] = robot.limits.envelope()[1][2] - 0.005
    rng, at = np.random.default_rng(2), robot.pose(q)
    turns = rng.uniform(-1.7, 1.7, (8, 3))
    poses = [pin.SE3(pin.exp3(turn) @ at.rotation, rng.normal(size=3)) for turn in turns]
    given = {"edge": edge.tolist(), "poses": [pose.homogeneous.tolist() for pose in poses]}
    constants = "".join(f"const {name} = {value};" for name, value in given.items())
    report = reported(tmp_path / "p.html", constants + FOLLOW)
    ways = [pose.translation - at.translation for pose in poses]
    np.testing.assert_allclose(report["twists"], np.hstack([ways, turns]), rtol=0, atol=1e-12)
    for step in report["steps"]:
        assert step["moved"]
        reached = robot.pose(np.array(step["q"])).homogeneous
        np.testing.assert_allclose(reached, step["target"], rtol=0, atol=1e-9)
    ways = np.diff([q, *(step["q"] for step in report["steps"])], axis=0)
    assert np.abs(ways).max() < 0.2, "another posture of the pose"
    far = report["far"]
    assert (far["moved"], far["still"]) == (False, True)
    assert far["note"].startswith("not reached from here: ")
    assert (report["range"]["moved"], "range" in report["range"]["note"]) == (False, True)
    assert report["shown"] == [robot.n == 6, True]  # a robtarget of seven axes has an arm angle
    assert np.linalg.norm(report["jump"]["off"]) < 1e-6
