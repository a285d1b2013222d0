"""Robots, layers and shapes of a page, in a real headless browser."""

from __future__ import annotations

import json

import numpy as np
import oracles
import pinocchio as pin
import pytest
from headless import TETRAHEDRON, needs_chromium, orange

import irbmodels as irb
from irbmodels.trajectory import Motion, through
from irbmodels.viewer import LAYERS, save_page

POSTURES = {  # home, and two others, as the controller shows them
    "irb2400": [(0, 0, 0, 0, 0, 0), (40, 35, 20, -60, 70, 110), (-120, -30, -25, 90, -45, -200)],
    "irb1400": [(0, 0, 0, 0, 0, 0), (-35, 40, 10, 50, 60, -90), (100, -20, -30, -80, 30, 150)],
    "irb1600": [(0, 0, 0, 0, 0, 0), (60, 20, -30, 40, -80, 33), (-140, -40, -100, -90, 60, -120)],
    "irb930": [(0, 0, 0, 0), (40, 60, -120, 90), (-70, -100, -260, -45)],
}


@needs_chromium
@pytest.mark.parametrize("name", POSTURES)
def test_a_browser_shows_every_family(tmp_path, reported, name):
    """At home and in two other postures the picture is orange with robot, and every link stands
    where robot.pose has it.
    """
    robot = irb.load(name)
    save_page(tmp_path / "p.html", robot)
    links = [
        frame
        for frame in robot.frames
        if frame.startswith("link_") or frame in ("base", "tool0", "tcp")
    ]
    shown = reported(
        tmp_path / "p.html",
        f"""
        report.poses = []; report.pictures = []; report.out = [];
        for (const posture of {json.dumps(POSTURES[name])}) {{
          irb.set(posture);
          report.poses.push(Object.fromEntries({json.dumps(links)}.map(link => [link, irb.pose(link)])));
          report.pictures.push(irb.viewer.capture_image());
          report.out.push(irb.violations());
        }}
        irb.viewer.scene_tree.find(irb.page.actors[0].root).object.visible = false;
        report.empty = irb.viewer.capture_image();
        """,
        drawn=True,
    )
    for posture, poses, picture, out in zip(
        POSTURES[name], shown["poses"], shown["pictures"], shown["out"], strict=True
    ):
        q = robot.from_controller(posture)
        for link in links:
            np.testing.assert_allclose(
                poses[link], robot.pose(q, link).homogeneous, rtol=0, atol=1e-9, err_msg=link
            )
        assert 0.015 < orange(picture) < 0.25
        assert out == [violation.quantity for violation in robot.violations(q)]
    assert orange(shown["empty"]) < 1e-4  # what is orange is the robot


@needs_chromium
def test_layers_stand_where_the_physics_is(tmp_path, reported):
    """Balls at the centres of mass, boxes and ellipsoids with each link's inertia, frames and
    hulls: there when asked for.
    """
    robot = irb.load("irb2400", tool="spindle")
    save_page(tmp_path / "p.html", robot, q=robot.from_controller([30, 20, 10, 40, 50, 60]))
    shown = reported(
        tmp_path / "p.html",
        f"""
        for (const layer of {json.dumps([name for name in LAYERS if name != "torques"])}) {{ irb.layer(layer); }}
        irb.viewer.scene.updateMatrixWorld(true);
        const actor = irb.actors[0], rows = matrix => [0, 1, 2, 3].map(r => [0, 1, 2, 3].map(c => matrix.elements[r + 4 * c]));
        const inBase = object => rows(actor.base.matrixWorld.clone().invert().multiply(object.matrixWorld));
        for (const layer of ["com", "boxes", "ellipsoids", "frames"]) report[layer] = actor.layers[layer].map(inBase);
        report.names = actor.frames.map(frame => frame.name);
        report.links = actor.bodies.map(body => body.path[body.path.length - 1]);
        report.hulls = actor.layers.hulls.length;
        report.dots = actor.layers.trace[0].count;
        irb.layer("com", false);
        report.hidden = actor.layers.com.every(object => !object.visible);
        const near = (a, b) => Math.hypot(...[12, 13, 14].map(k => a[k] - b[k]));
        const dots = () => {{
          const [trace] = actor.layers.trace, all = trace.instanceMatrix.array;
          return Array.from({{ length: trace.count }}, (_, k) => all.slice(16 * k, 16 * k + 16));
        }};
        irb.set([0, 0, 0, 0, 0, 0]); irb.set([90, 0, 0, 0, 0, 0]); irb.set([0, 0, 0, 0, 0, 0]);
        report.jumped = dots().length;
        for (let k = 1; k <= 40; k++) irb.set([k / 2, 0, 0, 0, 0, 0]);
        report.apart = dots().slice(1).map((dot, k) => near(dot, dots()[k]));
        report.radii = dots().map(dot => Math.hypot(dot[12], dot[13]));
        report.boxes_ticked = [...document.querySelectorAll("#layers input")].map(box => [box.id, box.checked]);
        """,
    )
    q = robot.from_controller([30, 20, 10, 40, 50, 60])
    rows = robot.description.inertials.sets[robot.parameters].links
    bodies = {link: row.inertial() for link, row in rows.items()} | {"tool0": robot.tool.load}
    assert set(shown["links"]) == set(bodies)
    for link, ball, box, ellipsoid in zip(
        shown["links"], shown["com"], shown["boxes"], shown["ellipsoids"], strict=True
    ):
        pose, body = robot.pose(q, link), bodies[link]
        place = pose.rotation @ body.com + pose.translation
        tensor = pose.rotation @ body.tensor @ pose.rotation.T
        # second moments of a unit cube, of a unit ball
        for shape, spread in ((box, 1 / 12), (ellipsoid, 1 / 5)):
            matrix = np.array(shape)
            np.testing.assert_allclose(matrix[:3, 3], place, atol=1e-9)
            covariance = body.mass * spread * matrix[:3, :3] @ matrix[:3, :3].T
            same = np.trace(covariance) * np.eye(3) - covariance
            np.testing.assert_allclose(same, tensor, rtol=0, atol=1e-9 * np.abs(tensor).max())
        radius = np.linalg.norm(np.array(ball)[:3, 0])
        assert 7850.0 * 4.0 / 3.0 * np.pi * radius**3 == pytest.approx(body.mass, rel=1e-9)
    for name, matrix in zip(shown["names"], shown["frames"], strict=True):
        frame = name if name in robot.frames else f"link_{name}"
        np.testing.assert_allclose(matrix, robot.pose(q, frame).homogeneous, atol=1e-9)
    assert shown["hulls"] == sum(map(len, robot.description.shapes.collision.values())) + 6
    assert shown["hidden"]
    assert dict(shown["boxes_ticked"])["layer-com"] is False
    # nothing moves, so there is no torque to show
    assert "layer-torques" not in dict(shown["boxes_ticked"])
    assert shown["dots"] == shown["jumped"] == 0  # a robot that is put elsewhere has drawn nothing
    np.testing.assert_allclose(shown["apart"], 0.004, atol=1e-4)
    radius = np.linalg.norm(robot.pose(np.zeros(6)).translation[:2])
    assert len(shown["apart"]) == pytest.approx(radius * np.radians(20.0) / 0.004, abs=3)
    np.testing.assert_allclose(shown["radii"], radius, atol=1e-4)  # chords of half a degree


@needs_chromium
def test_mounted_robots_stand_in_the_world(tmp_path, reported):
    """One hangs from the ceiling, one leans on a pedestal: their flanges are where the world has
    them; an actor's own pose comes before the mounting.
    """
    over, q = np.diag([1.0, -1.0, -1.0, 1.0]), np.array([0.3, 0.2, -0.1, 0.4, 0.5, 0.6])
    over[:3, 3] = [0.2, -0.3, 2.5]
    lean = oracles.shift(1.5, 0.4, 0.3) @ oracles.rotation(1, 0.4)
    hung, leaning = irb.load("irb1600").mounted(over), irb.load("irb2400").mounted(lean)
    moved = irb.Actor(hung, q, pose=oracles.shift(0.0, 2.0, 0.0))
    save_page(tmp_path / "p.html", irb.Actor(hung, q), irb.Actor(leaning, q), moved)
    shown = reported(
        tmp_path / "p.html",
        """
        report.world = [0, 1, 2].map(number => {
          const link = irb.viewer.scene_tree.find(irb.actors[number].links.link_6).object;
          const world = link.matrixWorld.elements;
          return [world[12], -world[14], world[13]];
        });
        """,
    )
    flanges = [one.pose(q, "link_6").homogeneous for one in (hung, leaning, hung)]
    bases = over, lean, oracles.shift(0.0, 2.0, 0.0)
    places = [(base @ flange)[:3, 3] for base, flange in zip(bases, flanges, strict=True)]
    np.testing.assert_allclose(shown["world"], places, rtol=0, atol=1e-6)


@needs_chromium
def test_a_cell_of_two_machines(tmp_path, reported):
    robot, table = irb.load("irb2400"), irb.from_urdf(irb.urdf_path("positioner"))
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1.2, 0.1, 0.0]
    save_page(tmp_path / "p.html", robot, irb.Actor(table, q=[0.3, -0.5], pose=place, name="table"))
    shown = reported(
        tmp_path / "p.html",
        """
        report.pose = irb.pose("table", 1);
        const world = irb.viewer.scene_tree.find(irb.actors[1].links.table).object.matrixWorld.elements;
        report.world = [world[12], -world[14], world[13]];
        report.names = [...document.getElementById("actor").options].map(option => option.textContent);
        document.getElementById("actor").selectedIndex = 1; document.getElementById("actor").dispatchEvent(new Event("change"));
        report.axes = [...document.querySelectorAll(".axis b")].map(label => label.textContent);
        report.picture = irb.viewer.capture_image();
        """,
        drawn=True,
    )
    inside = table.pose([0.3, -0.5], "table").homogeneous
    np.testing.assert_allclose(shown["pose"], inside, atol=1e-9)
    np.testing.assert_allclose(shown["world"], (place @ inside)[:3, 3], atol=1e-9)
    assert shown["names"] == ["irb2400_16", "table"]
    assert shown["axes"] == ["joint_tilt", "joint_table"]
    assert orange(shown["picture"]) > 0.01


@needs_chromium
def test_simple_shapes_and_scaled_meshes_stand_where_urdf_puts_them(tmp_path, reported):
    """What bounds a cylinder, a box, a ball and a scaled mesh in the page is what the URDF says; a
    tool made in code counts.
    """
    (tmp_path / "tetra.obj").write_text(TETRAHEDRON, encoding="utf-8")
    shapes = (
        (
            '<origin xyz="0 0 0.5" rpy="1.5707963267948966 0 0"/><geometry><cylinder radius="0.1"'
            ' length="0.6"/></geometry>'
        ),
        (
            '<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/><geometry><box size="0.2 0.4'
            ' 0.6"/></geometry>'
        ),
        '<origin xyz="0 2 0"/><geometry><sphere radius="0.25"/></geometry>',
        (
            '<origin xyz="0.5 0 3" rpy="0 0 3.141592653589793"/><geometry><mesh'
            ' filename="tetra.obj" scale=".1 .2 .3"/></geometry>'
        ),
    )
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    joint = (
        '<joint name="j" type="revolute"><parent link="a"/><child link="b"/><axis xyz="0 0'
        f' 1"/>{limit}</joint>'
    )
    visuals = "".join(f"<visual>{shape}</visual>" for shape in shapes)
    text = f'<robot name="s"><link name="a"/><link name="b">{visuals}</link>{joint}</robot>'
    (tmp_path / "s.urdf").write_text(text, encoding="utf-8")
    tcp = pin.SE3(pin.rpy.rpyToMatrix(0.1, 0.2, 0.3), np.array([0.1, 0.0, 0.2]))
    armed = irb.load("irb1600").with_tool(irb.Tool("pen", tcp, irb.load_tool("spindle").load))
    save_page(tmp_path / "p.html", irb.from_urdf(tmp_path / "s.urdf"), armed)
    shown = reported(
        tmp_path / "p.html",
        """
        report.boxes = irb.actors[0].visuals.map(path => {
          const box = new MeshCat.THREE.Box3().setFromObject(irb.viewer.scene_tree.find(path).object);
          return [[box.min.x, -box.max.z, box.min.y], [box.max.x, -box.min.z, box.max.y]];
        });
        report.tcp = irb.pose("tcp", 1);
        """,
    )
    wanted = [
        [[-0.1, -0.3, 0.4], [0.1, 0.3, 0.6]],
        [[0.8, -0.1, -0.3], [1.2, 0.1, 0.3]],
        [[-0.25, 1.75, -0.25], [0.25, 2.25, 0.25]],
        [[0.4, -0.2, 3.0], [0.5, 0.0, 3.3]],
    ]
    # meshcat's ball and cylinder have corners
    np.testing.assert_allclose(shown["boxes"], wanted, atol=2e-3)
    np.testing.assert_allclose(shown["tcp"], armed.pose(np.zeros(6)).homogeneous, atol=1e-9)


@needs_chromium
def test_a_tool_without_shapes_is_a_rod_from_flange_to_tcp(tmp_path, reported):
    """That of a tooldata, on arms from tables and from a file; a tool with shapes has none."""
    text = "PERS tooldata tGun:=[TRUE,[[30,20,240],[0.92388,0,0.382683,0]],[5,[40,0,80],[1,0,0,0],0,0,0]];"
    arms = [irb.load("irb2400"), irb.from_urdf(irb.urdf_path("irb1600")), irb.load("irb660")]
    robots = [robot.with_tool(text) for robot in arms]
    spindle = irb.load("irb2400", tool="spindle")
    actors = [irb.Actor(robot, 0.1 * np.ones(robot.n)) for robot in (*robots, spindle)]
    save_page(tmp_path / "p.html", *actors)
    shown = reported(
        tmp_path / "p.html",
        """
        report.title = document.title;
        report.rods = irb.actors.map(actor => actor.visuals.filter(path => path[path.length - 1].startsWith("tool_")).map(path => {
          const ends = [];
          node(path).traverse(({ geometry, matrixWorld }) => {
            if (geometry) for (const side of [-1, 1]) ends.push(new THREE.Vector3(0, side * geometry.parameters.height / 2, 0).applyMatrix4(matrixWorld).toArray());
          });
          return ends.map(([x, y, z]) => [x, -z, y]);
        }));
        """,
    )
    assert shown["title"].startswith("irb2400_16 with tGun, irb1600_6_120 with tGun, ")
    assert [len(rods) for rods in shown["rods"]] == [2, 2, 2, 0]
    for robot, rods in zip(robots, shown["rods"], strict=False):
        q = 0.1 * np.ones(robot.n)
        tcp = robot.pose(q)
        flange = (tcp * robot.tool.tcp.inverse()).translation
        ends = {tuple(np.round(end, 6)) for rod in rods for end in rod}
        assert len(ends) == 3  # they meet
        distances = np.linalg.norm([np.subtract(end, flange) for end in ends], axis=1)
        assert distances.min() < 1e-5
        (last,) = [rod for rod in rods if min(np.linalg.norm(rod - flange, axis=1)) > 1e-5]
        far, near = sorted(
            map(np.array, last), key=lambda end: np.linalg.norm(end - tcp.translation)
        )[::-1]
        np.testing.assert_allclose(near, tcp.translation, rtol=0, atol=1e-6)
        along = (near - far) / np.linalg.norm(near - far)
        np.testing.assert_allclose(along, tcp.rotation[:, 2], rtol=0, atol=1e-6)


@needs_chromium
def test_robots_of_all_kinds_share_a_page(tmp_path, reported):
    """Names that HTML and paths would trip over, glass, a resting robot beside a moving one, charts
    of unlike axes.
    """
    folder = tmp_path / 'R&D "x"'
    folder.mkdir()
    (folder / "t.obj").write_text(TETRAHEDRON, encoding="utf-8")
    glass = '<material name="glass"><color rgba="0 0 1 0.2"/></material>'
    visual = f"<visual><geometry><mesh filename='t.obj'/></geometry>{glass}</visual>"
    ends = '<parent link="/a"/><child link="/b"/><origin xyz="0 0 1"/><axis xyz="1 0 0"/>'
    joint = f'<joint name="/j" type="continuous">{ends}</joint>'
    follow = (
        joint.replace('"/j"', '"k"')
        .replace('"/a"', '"/b"', 1)
        .replace('child link="/b"', 'child link="l/c"')
    )
    follow = follow.replace("</joint>", '<mimic joint="/j" multiplier="3"/></joint>')
    links = f'<link name="/a"/><link name="/b">{visual}</link><link name="l/c"/>'
    text = f'<robot name="&lt;!--&lt;script>">{links}{joint}{follow}</robot>'
    (folder / "odd.urdf").write_text(text, encoding="utf-8")
    odd, arm, flat = irb.from_urdf(folder / "odd.urdf"), irb.load("irb1600"), irb.load("irb930")
    tooled = irb.from_urdf(irb.urdf_path("irb1600")).with_tool("spindle")
    t = np.array([0.25, 0.5, 0.75, 0.8125, 0.875])  # later, and ended before the other
    film = Motion(t, np.zeros((5, 6)), tau=np.where(t[:, None] == 0.5, np.nan, np.ones((5, 6))))
    flat_film = through([np.zeros(4), np.full(4, -0.1)], duration=1.0).sample(50.0)
    flat_film.v[25] = np.nan  # a gap, of one sample
    actors = [irb.Actor(flat, motion=flat_film), irb.Actor(arm, motion=film), odd, tooled]
    save_page(tmp_path / "p.html", *actors, layers=("torques", "frames"))
    shown = reported(
        tmp_path / "p.html",
        """
        report.names = irb.actors.map(actor => actor.name);
        irb.set([90], 2); report.odd = ["/b", "l/c"].map(link => irb.pose(link, 2)); report.low = irb.actors[2].axes[0].low;
        irb.layer("frames", false); irb.layer("torques", false);
        irb.viewer.scene_tree.find(irb.actors[2].visuals[0]).object.traverse(part => {
          if (part.material) report.glass = [part.material.opacity, part.material.transparent];
        });
        report.arrows = irb.actors.map(actor => actor.layers.torques.length);
        const axis = () => [document.querySelector(".values .own").textContent, irb.actors[0].layers.torques[0].scale.z];
        report.gap = [24, 25, 26].map(k => { irb.seek(irb.actors[0].motion.t[k]); return axis(); });
        const other = t => { irb.seek(t); return document.querySelector(".values .other").textContent; };
        report.shorter = [0.2, 0.25, 0.5, 0.875, 0.9].map(other);
        report.tcp = irb.pose("tcp", 3);
        report.labels = [...document.querySelectorAll(".strip span")].map(label => label.textContent);
        const quantity = document.getElementById("quantity");
        quantity.value = "position"; quantity.dispatchEvent(new Event("change"));
        report.positions = [...document.querySelectorAll(".strip span")].map(label => label.textContent.split(" ").pop());
        """,
    )
    assert shown["names"][:3] == ["irb930_12_105", "irb1600_6_120", "<!--<script>"]
    assert shown["names"][3] == "irb1600_6_120 with spindle"
    for link, pose in zip(("/b", "l/c"), shown["odd"], strict=True):
        np.testing.assert_allclose(pose, odd.pose([np.pi / 2], link).homogeneous, atol=1e-9)
    assert shown["low"] == pytest.approx(-180.0)
    assert shown["glass"] == [0.2, True]
    # the arm's torque is measured, not predicted; the others rest
    assert shown["arrows"] == [4, 0, 0, 0]
    np.testing.assert_allclose(shown["tcp"], tooled.pose(np.zeros(6)).homogeneous, atol=1e-9)
    assert len(shown["labels"]) == 7  # axis 3 in N m and in N
    assert not any("NaN" in label for label in shown["labels"])
    (before, _), (value, arrow), (after, _) = shown["gap"]
    assert (value, arrow) == ("–", 1e-3)
    tau = flat.inverse_dynamics(*(rows[[24, 26]] for rows in flat_film[1:4]), friction=False)[:, 0]
    assert [float(before), float(after)] == pytest.approx(tau, abs=6e-3)
    assert shown["shorter"] == ["–", "1.000", "–", "1.000", "–"]
    assert sorted(shown["positions"]) == ["mm", *["°"] * 6]


PIVOTS = {  # (x, z) [mm]: on link 1 in the base, on the lower arm from axis 2; shoulder (x, z)
    "irb6640": ((-364.7, 634.5), (-220.0, -67.2), (320.0, 780.0)),
    "irb4400": ((-479.3, 538.5), (121.7, 28.4), (200.0, 680.0)),
}


@needs_chromium
@pytest.mark.parametrize("name", PIVOTS)
def test_cylinder_and_rod_stay_on_their_pivots(tmp_path, reported, name):
    """The cylinder's pivot stays where link 1 has it, the rod's end where the lower arm has it, and
    both lie along the line between them, over the range of axis 2.
    """
    robot, zero = irb.load(name), np.zeros(6)
    save_page(tmp_path / "p.html", robot)
    postures = [(0, 0, 0, 0, 0, 0), (50, -60, 0, 0, 0, 0), (-120, 80, 60, 10, 20, 30)]
    shown = reported(
        tmp_path / "p.html",
        f"""
        report.matrices = [];
        const {{ base, balancers: [one] }} = irb.actors[0];
        for (const posture of {json.dumps(postures)}) {{
          irb.set(posture);
          const home = base.matrixWorld.clone().invert();
          report.matrices.push(["cylinder", "rod"].map(part =>
            home.clone().multiply(one[part].matrixWorld).elements.slice()));
        }}
        """,
    )
    column, arm, shoulder = ([x / 1000.0, 0.0, z / 1000.0] for x, z in PIVOTS[name])
    at = {
        "link_1": np.array([*column, 1.0]),
        "link_2": np.array([*np.add(shoulder, arm), 1.0]),
    }
    local = {  # where both pivots are at home, in link 1, in which both meshes stand
        link: np.linalg.inv(robot.pose(zero, "link_1").homogeneous) @ point
        for link, point in at.items()
    }
    for posture, matrices in zip(postures, shown["matrices"], strict=True):
        cylinder, rod = (np.reshape(columns, (4, 4)).T for columns in matrices)
        q = robot.from_controller(posture)
        held = {
            link: robot.pose(q, link).homogeneous
            @ np.linalg.inv(robot.pose(zero, link).homogeneous)
            @ point
            for link, point in at.items()
        }
        np.testing.assert_allclose(cylinder @ local["link_1"], held["link_1"], atol=1e-6)
        np.testing.assert_allclose(rod @ local["link_2"], held["link_2"], atol=1e-6)
        line = held["link_2"] - held["link_1"]
        for part in (cylinder, rod):
            along = part @ (local["link_2"] - local["link_1"])
            cross = np.cross(along[:3], line[:3]) / np.linalg.norm(along) / np.linalg.norm(line)
            np.testing.assert_allclose(cross, 0.0, atol=1e-6)
            assert along @ line > 0.0
