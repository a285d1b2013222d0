"""What a page shows of the inside of a robot: plane and working range, bodies, their sources."""

from __future__ import annotations

import numpy as np
import pinocchio as pin
import pytest
from headless import needs_chromium

import irbmodels as irb
from irbmodels.kinematics.singularities import NEAR_ANGLE, NEAR_AXIS
from irbmodels.rapid import RobTarget, read_value
from irbmodels.viewer import save_page

pytestmark = needs_chromium
DEG = np.radians(1.0)

PLANE = """
const actor = irb.actors[0], plane = actor.inPlane, area = loop => loop.reduce((sum, [x, y], k) => {
  const [u, v] = loop[(k + 1) % loop.length];
  return sum + (x * v - u * y) / 2;
}, 0);
report.nodes = postures.map(q => {
  actor.show(q);
  viewer.scene.updateMatrixWorld(true);
  return plane.nodes(actor.answers.angles(q)).map(([u, v]) => new THREE.Vector3(u, v, 0).applyMatrix4(plane.group.matrixWorld).toArray());
});
report.area = plane.outlines.reduce((sum, loop) => sum + area(loop), 0);
report.singular = plane.zones().reduce((sum, cell) => sum + Math.abs(area(cell)), 0);
irb.layer("range"); irb.layer("singular");
report.sheets = plane.group.children.filter(part => part.isMesh && part.visible).length;
document.getElementById("section").open = true;
await new Promise(done => setTimeout(done));
report.texts = [...document.querySelectorAll("#section text")].map(text => text.textContent);
"""


@pytest.mark.parametrize(
    ("name", "frame", "texts", "singular"),
    [
        ("irb2400", "link_5", ["d1 615", "a1 100", "a2 705", "a3 135", "d4 755"], True),
        ("irb4400", "link_5", ["d1 680", "a1 200", "a2 890", "a3 150", "d4 880"], True),
        ("irb660", "tool0", ["d1 800", "a1 300", "a2 1280", "a3 1350", "a4 260", "d5 247"], True),
        ("irb910sc", "tool0", ["a1 300", "a2 250"], True),
        ("crb15000", "link_5", ["d1 265", "a2 444", "a3 110", "d4 470"], False),
    ],
)
def test_the_plane_of_an_arm(name, frame, texts, singular, tmp_path, reported):
    """Its pieces end in the wrist centre, the last of six axes along axis 4, wherever the robot is
    mounted; the zones have the area of the postures that are near a singularity.
    """
    askew = pin.SE3(pin.rpy.rpyToMatrix(0.3, 1.2, -0.5), np.array([0.5, -0.2, 1.0]))
    robot = irb.load(name).mounted(askew)
    rng = np.random.default_rng(4)
    low, high = robot.limits.envelope()
    q = robot.limits.moved_inside(rng.uniform(low, high, (6, robot.n)))
    save_page(tmp_path / "p.html", robot)
    report = reported(tmp_path / "p.html", f"const postures = {q.tolist()};{PLANE}")
    ends = np.asarray(robot.pose(q, frame, reference="world"))[:, :3, 3]
    nodes = np.array(report["nodes"])[..., [0, 2, 1]] * [1, -1, 1]  # the viewer's y is up
    np.testing.assert_allclose(nodes[:, -1], ends, rtol=0, atol=1e-6)
    if robot.n == 6:
        along = np.asarray(robot.pose(q, "link_4", reference="world"))[:, :3, 2]
        beside = np.cross(nodes[:, -1] - nodes[:, -2], along)
        np.testing.assert_allclose(beside, 0.0, rtol=0, atol=1e-6)
    assert report["texts"] == texts
    assert report["area"] == pytest.approx(robot.workspace().area(), rel=1e-3)
    assert report["sheets"] == (2 if singular else 1)
    assert report["singular"] == pytest.approx(singular_area(robot) if singular else 0.0, rel=0.02)


def singular_area(robot):
    """Return the area that postures near a singularity cover, by the Jacobian of the plane."""
    i, j = (0, 1) if robot.name.startswith("irb910sc") else (1, 2)
    low, high = robot.limits.envelope()
    grid = [np.arange(low[k] + DEG / 6, high[k], DEG / 3) for k in (i, j)]
    q = np.zeros((len(grid[0]) * len(grid[1]), robot.n))
    q[:, [i, j]] = np.stack(np.meshgrid(*grid, indexing="ij"), axis=-1).reshape(-1, 2)
    sums = q @ robot.limits.A.T
    q = q[((sums >= robot.limits.lower) & (sums <= robot.limits.upper)).all(axis=1)]
    elbow, shoulder = robot.singularities(q).elbow, robot.singularities(q).shoulder
    near = (np.abs(elbow) < NEAR_ANGLE) | (np.abs(shoulder) < NEAR_AXIS)
    arm = robot.closed_form.arm
    return (arm.lower_arm_length * arm.forearm_length * np.abs(np.sin(elbow[near]))).sum() * (
        (DEG / 3) ** 2
    )


BODIES = """
const bodies = panel.bodies, scene = document.getElementById("scene");
const rows = id => [...document.querySelectorAll(`#${id} tr`)].map(row => [...row.children].map(cell => cell.textContent));
const click = (dx = 0) => {
  const at = new THREE.Vector3(...irb.actors[0].position()).applyMatrix4(irb.actors[0].base.matrixWorld).project(viewer.camera);
  const box = scene.getBoundingClientRect(), point = { clientX: box.left + (at.x + 1) / 2 * box.width, clientY: box.top + (1 - at.y) / 2 * box.height, bubbles: true, button: 0 };
  scene.dispatchEvent(new PointerEvent("pointerdown", point));
  scene.dispatchEvent(new PointerEvent("pointerup", { ...point, clientX: point.clientX + dx }));
};
for (const part of [scene, scene.querySelector("canvas")]) part.setPointerCapture = part.releasePointerCapture = () => {};  // of a pointer that is none
irb.layer("handle", false);
irb.look("front");
viewer.camera.updateMatrixWorld(true);
click(20);
report.dragged = bodies.node.open;
click();
report.clicked = bodies.link.value;
bodies.other.value = "cad";
bodies.other.dispatchEvent(new Event("change"));
bodies.pick("link_2");
report.body = rows("body");
report.titles = [...document.querySelectorAll("#body tr:nth-child(2) td")].map(cell => cell.title);
report.sources = document.getElementById("sources").textContent;
report.gravity = rows("gravity-of-sets");
bodies.other.value = "obal2025_printed";
bodies.other.dispatchEvent(new Event("change"));
report.impossible = document.querySelector(".impossible").textContent;
"""


def test_bodies_of_a_robot_and_their_sources(tmp_path, reported):
    """A click chooses the link; numbers are those of the tables, gravity that of both sets."""
    robot = irb.load("irb2400")
    q = robot.from_controller([0, 20, 10, 30, 0, 50])
    save_page(tmp_path / "p.html", irb.Actor(robot, q=q))
    report = reported(tmp_path / "p.html", BODIES)
    assert (report["dragged"], report["clicked"]) == (False, "link_6")  # the flange is in front
    table = robot.description.inertials
    sets = [table.sets[name].links["link_2"] for name in ("obal2025", "cad")]
    head, mass, centre, *moments = report["body"]
    assert head == ["link_2", "obal2025", "cad"]
    assert [float(text) for text in mass[1:]] == pytest.approx([r.mass_kg for r in sets], rel=1e-4)
    for column, row in enumerate(sets, start=1):
        values = [float(text) for text in centre[column].split(", ")]
        np.testing.assert_allclose(values, row.com_mm, rtol=1e-4, atol=1e-12)
        six = row.inertia_kg_m2
        expected = [six.xx, six.yy, six.zz, six.xy, six.xz, six.yz]
        np.testing.assert_allclose([float(r[column]) for r in moments], expected, rtol=1e-3)
    assert report["titles"] == ["published: obal2025", "derived: cad"]
    for key in {key for row in sets for key in (row.source_of("mass_kg"), row.source_of("com_mm"))}:
        assert table.sources[key].ref in report["sources"]
    shown = np.array([[float(text) for text in row[1:]] for row in report["gravity"][1:]])
    one, two = robot.gravity(q), robot.with_parameters("cad").gravity(q)
    np.testing.assert_allclose(shown, np.stack([one, two, two - one], axis=1), rtol=0, atol=0.051)
    assert "obal2025_printed" in report["impossible"]


CELL = """
const names = document.getElementById("actor"), answers = [];
for (const number of [0, 1]) {
  names.selectedIndex = number;
  names.dispatchEvent(new Event("change"));
  const { axes } = irb.actors[number];
  answers.push({ robtarget: document.getElementById("robtarget").value, torques: axes.map((_, i) => document.getElementById(`torque-${i}`).value) });
}
report.answers = answers;
"""


def test_every_robot_of_a_cell_answers_for_itself(tmp_path, reported):
    """The chosen one's torques and its target in the world, wherever each is mounted."""
    wall = pin.SE3(pin.rpy.rpyToMatrix(0.0, 1.2, 0.4), np.array([1.5, 0.2, 0.6]))
    robots = [irb.load("irb2400"), irb.load("irb1600").mounted(wall)]
    q = np.radians([10, 20, -5, 30, 40, 10])
    save_page(tmp_path / "p.html", *(irb.Actor(robot, q=q) for robot in robots))
    report = reported(tmp_path / "p.html", CELL)
    for robot, answer in zip(robots, report["answers"], strict=True):
        target = read_value(answer["robtarget"], RobTarget)
        place = robot.pose(q, reference="world")
        np.testing.assert_allclose(target.pose().homogeneous, place.homogeneous, atol=6e-8)
        torques = [float(text.split()[0]) for text in answer["torques"]]
        np.testing.assert_allclose(torques, robot.gravity(q), rtol=0, atol=0.051)
