"""Robots in 3D: what a real headless browser shows and says, the live page, and what is left behind
(nothing).
"""

from __future__ import annotations

import base64
import contextlib
import io
import json
import os
import re
import shutil
import signal
import socket
import subprocess
import sys
import threading
import time
import urllib.request
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pinocchio as pin
import pytest
from headless import Browser
from PIL import Image

import irbmodels as irb
from irbmodels.model.rotations import quaternion as quaternion_of
from irbmodels.robot.collision import random_postures
from irbmodels.trajectory import Motion, through
from irbmodels.trajectory.motion_files import write_motion
from irbmodels.viewer import LAYERS, save_page, save_picture
from irbmodels.viewer.live import Server
from irbmodels.viewer.shapes import drawable_shapes

POSTURES = {  # home, and two others, as the controller shows them
    "irb2400": [(0, 0, 0, 0, 0, 0), (40, 35, 20, -60, 70, 110), (-120, -30, -25, 90, -45, -200)],
    "irb1400": [(0, 0, 0, 0, 0, 0), (-35, 40, 10, 50, 60, -90), (100, -20, -30, -80, 30, 150)],
    "irb1600": [(0, 0, 0, 0, 0, 0), (60, 20, -30, 40, -80, 33), (-140, -40, -100, -90, 60, -120)],
    "irb930": [(0, 0, 0, 0), (40, 60, -120, 90), (-70, -100, -260, -45)],
}
T = np.array([0.0, 1.0])
TETRAHEDRON = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n"
needs_chromium = pytest.mark.skipif(
    shutil.which("chromium") is None, reason="the program chromium is not installed"
)


@pytest.fixture(scope="module")
def browser(tmp_path_factory):
    """Return the browser that shows one page after the other."""
    with Browser(tmp_path_factory.mktemp("browser")) as chromium:
        yield chromium


@pytest.fixture
def reported(browser):
    """Return a function that runs a script in a page and returns what it put into ``report``."""

    def report(page: Path, script: str, complaints: Sequence[str] = ()) -> dict:
        """Load the page; its console gets ``complaints`` and no more."""
        report = browser.run(page.as_uri(), script)
        assert report.pop("complaints") == list(complaints)
        return report

    return report


def orange(url: str) -> float:
    """Share of the pixels of a data URL that are robot orange."""
    picture = Image.open(io.BytesIO(base64.b64decode(url.partition(",")[2]))).convert("RGB")
    red, green, blue = np.asarray(picture, dtype=int).transpose(2, 0, 1)
    return float(
        ((red > 120) & (green > 0.25 * red) & (green < 0.65 * red) & (blue < 0.35 * red)).mean()
    )


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
    told = reported(
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
    )
    for posture, poses, picture, out in zip(
        POSTURES[name], told["poses"], told["pictures"], told["out"], strict=True
    ):
        q = robot.from_controller(posture)
        for link in links:
            np.testing.assert_allclose(
                poses[link], robot.pose(q, link).homogeneous, rtol=0, atol=1e-9, err_msg=link
            )
        assert 0.015 < orange(picture) < 0.25
        assert out == [violation.quantity for violation in robot.violations(q)]
    assert orange(told["empty"]) < 1e-4  # what is orange is the robot


@needs_chromium
def test_sliders_speak_the_controllers_language(tmp_path, reported):
    """Moving axis 2 keeps the upper arm's direction, the bars follow, and the coupled range turns
    axis 3 red.

    The quaternion has the sign of ``irbmodels.model.rotations`` in every posture, at 180 deg too.
    """
    robot, rng = irb.load("irb2400"), np.random.default_rng(5)
    others = [
        [0, 0, 0, 0, 90, 0],
        [0, 0, 0, 0, 90, 180],
        *rng.uniform(-150.0, 150.0, (12, 6)).tolist(),
    ]
    save_page(tmp_path / "p.html", robot)
    told = reported(
        tmp_path / "p.html",
        f"const others = {json.dumps(others)};"
        """
        const move = (i, value) => {
          const slider = document.getElementById(`slider-${i}`);
          slider.value = value;
          slider.dispatchEvent(new Event("input"));
        };
        const state = () => ({
          pose: Object.fromEntries(["link_2", "link_3", "link_crank", "link_rod", "tcp"].map(link => [link, irb.pose(link)])),
          fields: [...document.querySelectorAll(".axis input[type=number]")].map(field => Number(field.value)),
          red: [...document.querySelectorAll(".axis")].map(row => row.classList.contains("out")),
          notes: document.getElementById("notes").textContent, tcp: document.getElementById("tcp").textContent,
        });
        report.home = state();
        move(1, 40); report.forward = state();
        move(1, 80); report.beyond = state();
        move(2, 60); report.again = state();
        const field = document.getElementById("field-4"); field.value = 130; field.dispatchEvent(new Event("input"));
        report.typed = state();
        report.slider = [...document.querySelectorAll(".axis input[type=range]")].map(s => [Number(s.min), Number(s.max)]);
        report.quaternions = others.map(posture => {
          irb.set(posture);
          return document.getElementById("tcp").textContent.split(/\\s+/).slice(-4).map(Number);
        });
        """,
    )
    home, forward = told["home"], told["forward"]
    assert forward["fields"] == [0, 40, 0, 0, 0, 0]
    turn = {
        key: np.array(told[key]["pose"]["link_3"])[:3, :3] for key in ("home", "forward", "again")
    }
    # the upper arm keeps its direction
    np.testing.assert_allclose(turn["forward"], turn["home"], rtol=0, atol=1e-12)
    assert np.abs(turn["again"] - turn["forward"]).max() > 0.5
    q = robot.from_controller([0, 40, 0, 0, 0, 0])
    for link, pose in forward["pose"].items():
        np.testing.assert_allclose(
            pose, robot.pose(q, link).homogeneous, rtol=0, atol=1e-9, err_msg=link
        )
    assert not any(home["red"] + forward["red"])
    assert told["beyond"]["red"] == [False, False, True, False, False, False]  # q3 - q2 = -80 deg
    assert "q3 - q2 = -80.0" in told["beyond"]["notes"]
    assert not any(told["again"]["red"])
    # 130 deg is beyond axis 5
    assert told["typed"]["red"] == [False, False, False, False, True, False]
    low, high = (np.degrees(bound) for bound in robot.limits.envelope())
    np.testing.assert_allclose(told["slider"], np.stack([low, high], axis=1), atol=1e-9)
    pose = robot.pose(robot.from_controller([0, 80, 60, 0, 130, 0]))
    place, turn = (
        [float(word) for word in line.split()[-3 - k :]]
        for k, line in enumerate(told["typed"]["tcp"].split("\n"))
    )
    assert place == pytest.approx(pose.translation * 1000, abs=0.051)
    quaternion = pin.Quaternion(pose.rotation)  # ABB writes the scalar first
    shown = np.array([quaternion.w, quaternion.x, quaternion.y, quaternion.z])
    assert turn == pytest.approx(shown * np.sign(shown[0]), abs=6e-5)
    rotations = [robot.pose(robot.from_controller(posture)).rotation for posture in others]
    np.testing.assert_allclose(told["quaternions"], quaternion_of(rotations), atol=6e-5)


@needs_chromium
def test_what_makes_no_sense_changes_nothing(tmp_path, reported):
    """Commands with what is no posture, time, layer or view are one line in the page and the
    console, and no more than that.
    """
    save_page(tmp_path / "p.html", irb.load("irb930"))
    posture = "a posture of irb930_12_105 is 4 finite numbers (° ° mm °), not "
    refused = {
        "irb.set([NaN, 1, 2, 3])": posture + "[NaN, 1, 2, 3]",
        "irb.set([1, 2, 3, Infinity])": posture + "[1, 2, 3, Infinity]",
        "irb.set([1, 2, 3])": posture + "[1, 2, 3]",
        'irb.set("1234")': posture + "[1, 2, 3, 4]",
        "irb.set()": posture + "[]",
        "irb.set([1, 2, 3, 4], 1)": "no robot number 1 on this page; it has 1, counted from 0",
        'irb.layer("frame")': f"no frame; known are {', '.join(LAYERS)}",
        'irb.look("left")': "no left; known are 3D, front, side, top",
        "irb.seek(NaN)": "no motion on this page",
        "irb.play()": "no motion on this page",
    }
    told = reported(
        tmp_path / "p.html",
        f"""
        irb.layer("trace");
        irb.set([10, 20, -30, 40]);
        const [actor] = irb.actors, {{ position }} = irb.viewer.camera;
        const state = () => JSON.stringify([actor.q, irb.pose(), position, actor.layers.trace[0].count]);
        const before = state(), said = () => document.getElementById("refusal").textContent;
        report.said = {json.dumps(list(refused))}.map(text => {{ eval(text); return said(); }});
        report.same = state() === before;
        irb.set([0, 0, -100, 0]);
        report.cleared = said();
        """,
        complaints=list(refused.values()),
    )
    assert told == {"said": list(refused.values()), "same": True, "cleared": ""}


@needs_chromium
def test_layers_stand_where_the_physics_is(tmp_path, reported):
    """Balls at the centres of mass, boxes and ellipsoids with each link's inertia, frames and
    hulls: there when asked for.
    """
    robot = irb.load("irb2400", tool="spindle")
    save_page(tmp_path / "p.html", robot, q=robot.from_controller([30, 20, 10, 40, 50, 60]))
    told = reported(
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
    assert set(told["links"]) == set(bodies)
    for link, ball, box, ellipsoid in zip(
        told["links"], told["com"], told["boxes"], told["ellipsoids"], strict=True
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
    for name, matrix in zip(told["names"], told["frames"], strict=True):
        frame = name if name in robot.frames else f"link_{name}"
        np.testing.assert_allclose(matrix, robot.pose(q, frame).homogeneous, atol=1e-9)
    assert told["hulls"] == sum(map(len, robot.description.shapes.collision.values())) + 6
    assert told["hidden"]
    assert dict(told["boxes_ticked"])["layer-com"] is False
    # nothing moves, so there is no torque to show
    assert "layer-torques" not in dict(told["boxes_ticked"])
    assert told["dots"] == told["jumped"] == 0  # a robot that is put elsewhere has drawn nothing
    np.testing.assert_allclose(told["apart"], 0.004, atol=1e-4)
    radius = np.linalg.norm(robot.pose(np.zeros(6)).translation[:2])
    assert len(told["apart"]) == pytest.approx(radius * np.radians(20.0) / 0.004, abs=3)
    np.testing.assert_allclose(told["radii"], radius, atol=1e-4)  # chords of half a degree


@needs_chromium
def test_a_motion_moves_robot_plots_and_arrows_together(tmp_path, reported):
    """Time moves the robot along the file's postures, the cursor in the plots, and the arrows with
    the torque.
    """
    robot = irb.load("irb2400", tool="spindle")
    postures = [
        np.zeros(6),
        robot.from_controller([40, 20, 10, 30, 20, 50]),
        robot.from_controller([-20, 40, 30, -30, 60, 0]),
    ]
    motion = through(postures, duration=5.0).sample(250.0)
    measured = motion._replace(tau=robot.inverse_dynamics(motion.q, motion.v, motion.a) + 5.0)
    page = tmp_path / "p.html"
    save_page(
        page,
        irb.Actor(robot, motion=measured),
        irb.Actor(robot, motion=motion, opacity=0.4),
        layers=("torques", "trace"),
    )
    assert page.stat().st_size < 8e6  # 10 s at 250 Hz, twice
    told = reported(
        page,
        """
        const state = () => ({
          poses: [irb.pose("tcp", 0), irb.pose("link_rod", 1)], clock: document.getElementById("clock").textContent,
          lines: [...document.querySelectorAll("line.now")].map(line => Number(line.getAttribute("x1"))),
          arrows: irb.actors[0].layers.torques.map(arrow => arrow.scale.z),
          values: [...document.querySelectorAll(".values")].map(strip => [...strip.children].map(value => value.textContent)),
          when: document.getElementById("when").textContent,
        });
        irb.seek(3.217); report.at = state();
        const charts = document.getElementById("charts"), { left } = charts.getBoundingClientRect();
        const at = share => ({ clientX: left + share * charts.clientWidth });
        const point = (kind, share) => charts.dispatchEvent(new PointerEvent(kind, at(share)));
        point("pointermove", 0.25); report.hovered = state();
        point("pointerleave", 0.25); report.left = state();
        report.legend = [...document.querySelectorAll("#legend span")].map(entry => entry.textContent);
        report.trace = irb.actors[0].layers.trace[0].count;
        irb.seek(99); report.end = state();
        report.paths = [...document.querySelectorAll(".strip path")].map(path => path.getAttribute("class"));
        report.labels = [...document.querySelectorAll(".strip span")].map(label => label.textContent);
        const quantity = document.getElementById("quantity");
        report.choices = [...quantity.options].map(option => option.value);
        quantity.value = "position"; quantity.dispatchEvent(new Event("change"));
        report.position = [...document.querySelectorAll(".strip span")].map(label => label.textContent);
        document.getElementById("speed").value = "2";
        const frames = []; window.requestAnimationFrame = frame => frames.push(frame);
        window.cancelAnimationFrame = () => frames.pop();
        document.getElementById("play").click();
        for (const ms of [5000, 5250, 5500]) frames.pop()(ms);
        irb.play(); report.running = frames.length;
        document.getElementById("play").click(); report.waiting = frames.length;
        report.later = Number(document.getElementById("clock").textContent.split(" ")[0]);
        const slider = document.getElementById("slider-1"), time = document.getElementById("time");
        report.paused = {};
        const hands = {
          slider: () => { slider.value = 17; slider.dispatchEvent(new Event("input")); },
          grip: () => slider.dispatchEvent(new PointerEvent("pointerdown")),
          set: () => irb.set([1, 2, 3, 4, 5, 6]),
          time: () => { time.value = 4; time.dispatchEvent(new Event("input")); },
          chart: () => point("pointerdown", 0.5),
        };
        for (const [name, hand] of Object.entries(hands)) {
          irb.play(); frames.pop()(0); hand();
          report.paused[name] = [frames.length, document.getElementById("clock").textContent, irb.actors[0].q];
          report.paused[name].push(irb.actors[0].layers.torques.some(arrow => Math.abs(arrow.scale.z) > 1e-3));
          irb.pause(); frames.length = 0;
        }
        report.dots = irb.actors[0].layers.trace[0].count;
        """,
    )
    t = 3.217
    q = np.array([np.interp(t, motion.t, column) for column in motion.q.T])
    np.testing.assert_allclose(told["at"]["poses"][0], robot.pose(q).homogeneous, atol=1e-9)
    np.testing.assert_allclose(
        told["at"]["poses"][1], robot.pose(q, "link_rod").homogeneous, atol=1e-9
    )
    assert told["at"]["clock"] == "3.22 s"
    assert told["at"]["lines"] == pytest.approx([300 * t / 10.0] * 6)
    assert told["end"]["clock"] == "10.00 s"
    np.testing.assert_allclose(
        told["end"]["poses"][0], robot.pose(motion.q[-1]).homogeneous, atol=1e-9
    )
    tau = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    now = np.array([np.interp(t, motion.t, column) for column in tau.T])
    np.testing.assert_allclose(told["at"]["arrows"], now / robot.limits.effort, atol=1e-9)
    assert (
        told["paths"].count("own")
        == told["paths"].count("other")
        == told["paths"].count("measured")
        == 6
    )
    assert told["choices"] == ["torque", "position", "speed"]
    largest = max(np.abs(tau[:, 1]).max(), np.abs(tau[:, 1] + 5.0).max())
    assert told["labels"][1] == f"2  ±{largest:.0f} N m"
    assert told["position"][0] == f"1  ±{np.degrees(np.abs(motion.q[:, 0]).max()):.1f} °"
    path = robot.pose(through(postures, duration=5.0).sample(2000.0).q)[:, :3, 3]
    assert (
        told["dots"]
        == told["trace"]
        == pytest.approx(np.linalg.norm(np.diff(path, axis=0), axis=1).sum() / 0.004, rel=0.02)
    )
    for key, when in (("at", t), ("hovered", 2.5), ("left", t)):
        value = np.array([np.interp(when, motion.t, column) for column in tau.T])
        shown = np.array(told[key]["values"], dtype=float)
        np.testing.assert_allclose(shown, np.stack([value + 5.0, value, value], axis=1), atol=0.051)
        assert told[key]["when"] == f"at {when:.2f} s"
        assert told[key]["clock"] == "3.22 s"
    assert told["legend"] == [
        f"{robot.name} measured",
        f"{robot.name} computed",
        f"{robot.name} computed",
    ]
    # who moves the robot, pauses
    assert [name for name, (loops, *_) in told["paused"].items() if loops] == []
    np.testing.assert_allclose(
        told["paused"]["set"][2], robot.from_controller([1, 2, 3, 4, 5, 6]), atol=1e-12
    )
    assert told["paused"]["slider"][2][1] == pytest.approx(np.radians(17.0))
    assert [told["paused"][name][1] for name in ("time", "chart")] == ["4.00 s", "5.00 s"]
    arrows = {name: shown for name, (*_, shown) in told["paused"].items()}
    # of the motion only
    assert arrows == {"slider": False, "grip": True, "set": False, "time": True, "chart": True}
    assert told["later"] == 1.0  # half a second at twice the speed, from the start again
    # play twice is one loop, and none after the pause
    assert (told["running"], told["waiting"]) == (1, 0)


@needs_chromium
def test_controls_are_beside_the_scene_in_every_window(tmp_path, reported):
    """From a phone to a screen: along its motion the TCP is in sight and not behind the controls;
    none of these is cut off.
    """
    robot, sizes = irb.load("irb2400", tool="spindle"), [(1280, 800), (768, 1024), (390, 844)]
    postures = [
        robot.from_controller(x)
        for x in ((90, 60, 30, 0, 0, 0), (-90, 60, 30, 0, 30, 0), (0, 90, 20, 0, 0, 0))
    ]
    save_page(tmp_path / "p.html", robot, motion=through(postures, duration=1.0).sample(50.0))
    text = json.dumps((tmp_path / "p.html").read_text(encoding="utf-8")).replace("<", "\\u003c")
    frames = (
        "<html><head></head><body><script>const irb = { ready: Promise.resolve() }, text ="
        f" {text};</script></body></html>"
    )
    (tmp_path / "frames.html").write_text(frames, encoding="utf-8")
    told = reported(
        tmp_path / "frames.html",
        f"""
        report.windows = [];
        for (const [width, height] of {json.dumps(sizes)}) {{
          const frame = document.createElement("iframe");
          frame.style.cssText = `border: 0; width: ${{width}}px; height: ${{height}}px`;
          frame.srcdoc = text;
          const loaded = new Promise(done => {{ frame.onload = done; }});
          document.body.append(frame);
          await loaded;
          const page = frame.contentDocument, irb = frame.contentWindow.eval("irb"), {{ THREE }} = frame.contentWindow.MeshCat;
          await irb.ready;
          const camera = irb.viewer.camera, canvas = page.querySelector("canvas").getBoundingClientRect();
          camera.updateMatrixWorld(true);
          camera.updateProjectionMatrix();
          const there = [0, 0.5, 1, 1.5, 2].map(t => {{
            irb.seek(t);
            const tcp = new THREE.Vector3(...irb.pose().slice(0, 3).map(row => row[3]));
            const {{ x, y }} = tcp.applyMatrix4(irb.actors[0].base.matrixWorld).project(camera);
            const across = canvas.left + canvas.width * (1 + x) / 2, down = canvas.top + canvas.height * (1 - y) / 2;
            return (page.elementFromPoint(across, down) || {{}}).tagName;
          }});
          const {{ x, y }} = page.getElementById("play").getBoundingClientRect(), play = page.elementFromPoint(x + 5, y + 15);
          const cut = [...page.querySelectorAll("#side, #side *")].filter(part => part.scrollWidth > part.clientWidth + 1
            || part.getBoundingClientRect().right > width).map(part => part.id || part.tagName);
          report.windows.push({{ there, cut, play: play && play.id }});
          frame.remove();
        }}
        """,
    )
    assert told["windows"] == [{"there": ["CANVAS"] * 5, "cut": [], "play": "play"}] * len(sizes)


@needs_chromium
def test_a_cell_of_two_machines(tmp_path, reported):
    """The two-axis positioner from its URDF stands where it was put, and turns by its own
    sliders.
    """
    robot, table = irb.load("irb2400"), irb.from_urdf(irb.urdf_path("positioner"))
    place = np.eye(4)
    place[:3, :3], place[:3, 3] = [[0, -1, 0], [1, 0, 0], [0, 0, 1]], [1.2, 0.1, 0.0]
    save_page(tmp_path / "p.html", robot, irb.Actor(table, q=[0.3, -0.5], pose=place, name="table"))
    told = reported(
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
    )
    inside = table.pose([0.3, -0.5], "table").homogeneous
    np.testing.assert_allclose(told["pose"], inside, atol=1e-9)
    np.testing.assert_allclose(told["world"], (place @ inside)[:3, 3], atol=1e-9)
    assert told["names"] == ["irb2400_16", "table"]
    assert told["axes"] == ["joint_tilt", "joint_table"]
    assert orange(told["picture"]) > 0.01


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
    told = reported(
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
    np.testing.assert_allclose(told["boxes"], wanted, atol=2e-3)
    np.testing.assert_allclose(told["tcp"], armed.pose(np.zeros(6)).homogeneous, atol=1e-9)


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
    told = reported(
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
    assert told["names"] == ["irb930_12_105", "irb1600_6_120", "<!--<script>", "irb1600_6_120"]
    for link, pose in zip(("/b", "l/c"), told["odd"], strict=True):
        np.testing.assert_allclose(pose, odd.pose([np.pi / 2], link).homogeneous, atol=1e-9)
    assert told["low"] == pytest.approx(-180.0)
    assert told["glass"] == [0.2, True]
    # the arm's torque is measured, not predicted; the others rest
    assert told["arrows"] == [4, 0, 0, 0]
    np.testing.assert_allclose(told["tcp"], tooled.pose(np.zeros(6)).homogeneous, atol=1e-9)
    assert len(told["labels"]) == 7  # axis 3 in N m and in N
    assert not any("NaN" in label for label in told["labels"])
    (before, _), (value, arrow), (after, _) = told["gap"]
    assert (value, arrow) == ("–", 1e-3)
    tau = flat.inverse_dynamics(*(rows[[24, 26]] for rows in flat_film[1:4]), friction=False)[:, 0]
    assert [float(before), float(after)] == pytest.approx(tau, abs=6e-3)
    assert told["shorter"] == ["–", "1.000", "–", "1.000", "–"]
    assert sorted(told["positions"]) == ["mm", *["°"] * 6]


@needs_chromium
def test_a_picture_is_a_png_with_a_robot(tmp_path):
    """save_picture draws without a window, in the size asked for."""
    save_picture(tmp_path / "p.png", irb.load("irb930"), size=(400, 300))
    picture = Image.open(tmp_path / "p.png")
    assert picture.size == (400, 300)
    buffer = io.BytesIO()
    picture.save(buffer, "PNG")
    assert 0.02 < orange("," + base64.b64encode(buffer.getvalue()).decode()) < 0.25


def test_the_page_needs_nothing_else(tmp_path):
    """One file below 3 MB, the same bytes each time, with the viewer inside and no address to fetch
    anything from.
    """
    for name in ("a.html", "b.html"):
        save_page(tmp_path / name, irb.load("irb2400"))
    page = (tmp_path / "a.html").read_text(encoding="utf-8")
    assert len(page) < 3e6
    assert "<script src" not in page
    assert "<link" not in page
    assert page == (tmp_path / "b.html").read_text(encoding="utf-8")


def test_without_a_browser_the_way_out_is_named(tmp_path, monkeypatch):
    """No Chromium: one line that says how to get one or to save a page, and no file."""
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
    """What cannot be shown is refused before anything is written."""
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
        assert f"is shown without {name}" in robot._repr_html_()
    with (
        pytest.warns(irb.PhysicsWarning, match="is shown without"),
        irb.view(robot, browser=False) as viewer,
    ):
        assert f"is shown without {name}" in answer(viewer.url)[1]
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


def answer(url, **headers):
    """Return status and text of a request."""
    try:
        with urllib.request.urlopen(
            urllib.request.Request(url, headers=headers), timeout=10
        ) as reply:
            return reply.status, reply.read().decode()
    except urllib.error.HTTPError as err:
        with err:
            return err.code, ""


def heard(url, count, **headers):
    """Return the first events of a stream."""
    events, deadline = [], time.monotonic() + 15.0
    with urllib.request.urlopen(urllib.request.Request(url, headers=headers), timeout=10) as stream:
        while len(events) < count:
            # signs of life keep the stream open for ever
            assert time.monotonic() < deadline, f"heard only {events}"
            line = stream.readline()
            if line.startswith(b"data: "):
                events.append(json.loads(line[6:]))
    return events


def test_a_live_page_hears_all_that_came_after_it():
    """Between page and stream nothing is lost; the newest posture counts; a page opened later shows
    the same.
    """
    import meshcat.geometry as geometry

    robot = irb.load("irb1600")
    with irb.view(robot, browser=False) as viewer:
        _, page = answer(viewer.url)
        stream = viewer.url + re.search(r'"events": "([^"]*)"', page)[1]
        viewer.scene["workpiece"].set_object(geometry.Box([0.1, 0.1, 0.1]))
        viewer.show(np.full(6, 0.3))
        viewer.show(np.full(6, 0.1), np.int64(0))
        box, posture = heard(stream, 2)
        assert b"workpiece" in base64.b64decode(box["command"])
        assert posture == {"actor": 0, "q": [0.1] * 6}
        threading.Timer(0.2, lambda: viewer.show(np.full(6, 0.2))).start()
        assert heard(stream, 1, **{"Last-Event-ID": str(viewer.server.number)}) == [
            {"actor": 0, "q": [0.2] * 6}
        ]
        _, later = answer(viewer.url)
        assert '"q": [0.2, 0.2, 0.2, 0.2, 0.2, 0.2]' in later
        for wrong in (([0.0] * 5, 0), ([np.nan] * 6, 0), ([0.0] * 6, 1)):
            with pytest.raises(irb.InputError):
                viewer.show(*wrong)
        assert answer(viewer.url + "?again")[0] == 200
        assert answer(viewer.url + "other")[0] == 404
        assert answer(viewer.url + "events/of-another-view")[0] == 404
        assert answer(viewer.url, Host="elsewhere.example:7000")[0] == 403
    assert not viewer.server.listening
    viewer.close()
    with pytest.raises(irb.InputError, match="closed"):
        viewer.show(np.zeros(6))
    with pytest.raises(OSError, match="refused"):
        urllib.request.urlopen(viewer.url, timeout=2)


def test_a_scene_that_changes_for_long_does_not_grow():
    """Of each node only the newest command is kept, and what is deleted goes with all below it."""
    import meshcat.geometry as geometry

    with irb.view(irb.load("irb930"), browser=False) as viewer:
        before = len(viewer.server.commands)
        viewer.scene["part/left"].set_object(geometry.Box([0.1, 0.1, 0.1]))
        for k in range(50):
            viewer.scene["part/left"].set_transform(np.diag([1.0, 1.0, 1.0, 1.0]) * (k + 1.0))
        assert len(viewer.server.commands) == before + 2
        viewer.scene["part"].delete()
        assert len(viewer.server.commands) == before + 1
        viewer.scene["parting"].set_object(geometry.Sphere(0.1))
        viewer.scene["part"].delete()
        assert any(b"parting" in command for command in viewer.server.commands)


def test_a_taken_port_is_left_alone():
    """Where somebody listens on 7000, the page goes elsewhere; two views have two addresses."""
    with socket.socket() as taken:
        taken.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            taken.bind(("127.0.0.1", 7000))
            taken.listen()
        except OSError:
            pass  # somebody else has it, which is as good
        servers = [Server(lambda server: "") for _ in range(2)]
        addresses = {server.url for server in servers}
        for server in servers:
            server.close()
    assert len(addresses) == 2
    assert "http://127.0.0.1:7000/" not in addresses


def listening(url: str) -> bool:
    host, port = url.removeprefix("http://").strip("/").split(":")
    with socket.socket() as probe:
        probe.settimeout(1.0)
        return probe.connect_ex((host, int(port))) == 0


@pytest.mark.parametrize("end", [signal.SIGTERM, signal.SIGINT, signal.SIGKILL])
def test_ending_the_command_ends_its_server(end):
    """However `irbmodels view` ends, nobody listens any more and no process is left."""
    # its own: other tests listen on 7000
    port = str(np.random.default_rng(end).integers(20000, 50000))
    command = [sys.executable, "-m", "irbmodels.cli", "view", "irb1600", "--port", port]
    blind = {
        name: value
        for name, value in os.environ.items()
        if name not in ("DISPLAY", "WAYLAND_DISPLAY")
    }
    pipes = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, "text": True, "env": blind}
    # a shell's background jobs are deaf to Ctrl-C
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    with (
        subprocess.Popen(command, **pipes, preexec_fn=heard) as process,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(process.kill)  # else a test that fails would wait for it for ever
        url = process.stdout.readline().split()[-1]
        assert listening(url)
        children = subprocess.run(
            ["pgrep", "-P", str(process.pid)], capture_output=True, text=True, check=False
        ).stdout
        assert not children.split()  # the server lives in the process itself
        elsewhere = process.stderr.readline()
        number = url.rstrip("/").rpartition(":")[2]
        assert f": ssh -L {number}:127.0.0.1:{number} {socket.gethostname()} (" in elsewhere
        assert "Ctrl-C" in process.stderr.readline()
        process.send_signal(end)
        process.wait(timeout=20)
        assert (
            process.returncode == {signal.SIGTERM: 143, signal.SIGINT: 130, signal.SIGKILL: -9}[end]
        )
    assert not listening(url)


@pytest.mark.parametrize("ending", ["", "raise ValueError('stop')", "import sys; sys.exit(3)"])
def test_a_script_that_forgets_to_close_leaves_nothing(ending):
    """A script may end, fail or exit with an open view; it ends at once and its server with it."""
    start = f"v = irb.view(irb.load('irb930'), port={51000 + 100 * len(ending)}, browser=False)"
    code = f"import irbmodels as irb; {start}; print(v.url, flush=True); {ending}"
    done = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, timeout=30, check=False
    )
    assert done.returncode == {"": 0, "r": 1, "i": 3}[ending[:1]]
    assert not listening(done.stdout.split()[0])


def test_a_view_says_where_it_is(monkeypatch, capsys):
    """Address and ``wait`` on stderr, a tunnel where there is no browser; in a notebook a frame
    instead; closed is closed.
    """
    opened = []
    monkeypatch.setattr("webbrowser.open", lambda url: opened.append(url) or True)
    monkeypatch.delenv("WAYLAND_DISPLAY", raising=False)
    monkeypatch.delenv("DISPLAY", raising=False)
    robot = irb.load("irb930")
    with irb.view(robot, irb.Actor(robot, name="R & D")) as viewer:
        said, names = capsys.readouterr(), "irb930_12_105, R & D"
        number = viewer.url.rstrip("/").rpartition(":")[2]
        where, elsewhere = said.err.splitlines()
        assert (
            where
            == f"showing {names} at {viewer.url} until this program ends (.wait() keeps it running)"
        )
        assert f"ssh -L {number}:127.0.0.1:{number} {socket.gethostname()}" in elsewhere
        assert said.out == ""
        assert opened == []
        assert repr(viewer) == f"<Viewer of {names} at {viewer.url}>"
        frame = viewer._repr_html_()
        assert f'<iframe title="irb930_12_105, R &amp; D" src="{viewer.url}"' in frame
        assert f'<a href="{viewer.url}"' in frame
        assert f"ssh -L {number}:127.0.0.1:{number}" in frame
    assert repr(viewer) == f"<Viewer of {names}, closed>"
    assert viewer._repr_html_() == "<p>&lt;Viewer of irb930_12_105, R &amp; D, closed&gt;</p>"
    viewer.wait()  # at once
    monkeypatch.setenv("DISPLAY", ":0")
    assert not viewer.open()  # no tab on what is closed
    for browser, count in ((None, 1), (False, 0), (True, 1)):
        with irb.view(robot, browser=browser):
            assert len(opened) == count
            assert len(capsys.readouterr().err.splitlines()) == 1
        opened.clear()
    monkeypatch.setitem(
        sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=None))
    )
    with irb.view(robot):
        assert opened == []
        assert capsys.readouterr().err == ""


def test_a_script_that_waits_keeps_its_page():
    """``wait`` ends with Ctrl-C, the script goes on, and nobody listens any more; or with a close
    from another thread.
    """
    code = (
        "import irbmodels as irb; irb.view(irb.load('irb930'), port=52300, browser=False).wait();"
        " print('after')"
    )
    heard = partial(signal.signal, signal.SIGINT, signal.SIG_DFL)
    pipes = {
        "stdout": subprocess.PIPE,
        "stderr": subprocess.PIPE,
        "text": True,
        "preexec_fn": heard,
    }
    with (
        subprocess.Popen([sys.executable, "-c", code], **pipes) as process,
        contextlib.ExitStack() as stack,
    ):
        stack.callback(process.kill)
        url = re.search("http://[0-9.:]+/", process.stderr.readline())[0]
        with pytest.raises(subprocess.TimeoutExpired):
            process.wait(timeout=1.0)
        assert listening(url)
        process.send_signal(signal.SIGINT)
        printed, said = process.communicate(timeout=20)
        assert (process.returncode, printed) == (0, "after\n")
        assert "Traceback" not in said
    assert not listening(url)
    with irb.view(irb.load("irb930"), browser=False) as viewer:
        threading.Timer(0.2, viewer.close).start()
        viewer.wait()
        assert not viewer.server.listening


def test_a_notebook_shows_the_robot():
    """A robot's rich display is its page in a frame; its plain one stays the short text."""
    from html import unescape

    from IPython.core.formatters import DisplayFormatter

    robot = irb.load("irb930")
    shown, _ = DisplayFormatter().format(robot)
    assert shown["text/plain"] == repr(robot)
    frame = shown["text/html"]
    assert frame.startswith('<iframe title="irb930_12_105"')
    start = frame.index('srcdoc="') + len('srcdoc="')
    inside = unescape(frame[start : frame.index('"', start)])
    assert inside.startswith("<!DOCTYPE html>")
    assert "MeshCat.Viewer" in inside or "MeshCat" in inside


def until(ask, seconds=30.0):
    """Ask until there is an answer."""
    deadline = time.monotonic() + seconds
    while time.monotonic() < deadline:
        try:
            if found := ask():
                return found
        except (OSError, ValueError):
            pass
        time.sleep(0.1)
    raise AssertionError("no answer in time")


@needs_chromium
def test_an_open_page_follows_what_python_shows(browser):
    """In a real browser the sliders of an open page go where viewer.show puts the robot, without a
    reload.
    """
    robot = irb.load("irb2400")
    with irb.view(robot, browser=False, port=23000) as viewer:
        browser.open(viewer.url)
        assert browser.evaluate("irb.ready.then(() => irb.actors[0].q)") == [0.0] * 6
        q = robot.from_controller([10, 30, 20, 40, 50, 60])
        viewer.show(q)
        assert until(lambda: browser.evaluate("irb.actors[0].q[0]"))
        pose = browser.evaluate("irb.pose('link_rod')")
        fields = browser.evaluate(
            "[...document.querySelectorAll('.axis input[type=number]')].map(f => Number(f.value))"
        )
        viewer.close()
        gone = until(
            lambda: browser.evaluate("document.getElementById('notes-of-page').textContent")
        )
    np.testing.assert_allclose(pose, robot.pose(q, "link_rod").homogeneous, atol=1e-9)
    assert fields == [10, 30, 20, 40, 50, 60]
    assert gone == "no longer connected: the program that showed this page has ended or closed it"
