"""Sliders, charts and commands of a page, in a real headless browser."""

from __future__ import annotations

import json

import numpy as np
import pinocchio as pin
import pytest
from headless import needs_chromium
from with_band import scara_with_band

import irbmodels as irb
from irbmodels.model.rotations import quaternion as quaternion_of
from irbmodels.trajectory import through
from irbmodels.viewer import LAYERS, save_page


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
    page_report = reported(
        tmp_path / "p.html",
        f"const others = {json.dumps(others)};"
        """
        const quaternion = () => document.querySelector("#tcp pre").textContent.split(/\\s+/).slice(-4).map(Number);
        const move = (i, value) => {
          const slider = document.getElementById(`slider-${i}`);
          slider.value = value;
          slider.dispatchEvent(new Event("input"));
        };
        const state = () => ({
          pose: Object.fromEntries(["link_2", "link_3", "link_crank", "link_rod", "tcp"].map(link => [link, irb.pose(link)])),
          fields: [...document.querySelectorAll(".axis input[type=number]")].map(field => Number(field.value)),
          red: [...document.querySelectorAll(".axis")].map(row => row.classList.contains("out")),
          notes: document.getElementById("notes").textContent, tcp: [..."xyz"].map(name => Number(document.getElementById(`tcp-${name}`).value)), turn: quaternion(),
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
          return quaternion();
        });
        """,
    )
    home, forward = page_report["home"], page_report["forward"]
    assert forward["fields"] == [0, 40, 0, 0, 0, 0]
    turn = {
        key: np.array(page_report[key]["pose"]["link_3"])[:3, :3]
        for key in ("home", "forward", "again")
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
    assert page_report["beyond"]["red"] == [
        False,
        False,
        True,
        False,
        False,
        False,
    ]  # q3 - q2 = -80 deg
    assert "q3 - q2 = -80.0" in page_report["beyond"]["notes"]
    assert not any(page_report["again"]["red"])
    # 130 deg is beyond axis 5
    assert page_report["typed"]["red"] == [False, False, False, False, True, False]
    low, high = (np.degrees(bound) for bound in robot.limits.envelope())
    np.testing.assert_allclose(page_report["slider"], np.stack([low, high], axis=1), atol=1e-9)
    pose = robot.pose(robot.from_controller([0, 80, 60, 0, 130, 0]))
    place, turn = page_report["typed"]["tcp"], page_report["typed"]["turn"]
    assert place == pytest.approx(pose.translation * 1000, abs=0.051)
    quaternion = pin.Quaternion(pose.rotation)  # ABB writes the scalar first
    shown = np.array([quaternion.w, quaternion.x, quaternion.y, quaternion.z])
    assert turn == pytest.approx(shown * np.sign(shown[0]), abs=6e-5)
    rotations = [robot.pose(robot.from_controller(posture)).rotation for posture in others]
    np.testing.assert_allclose(page_report["quaternions"], quaternion_of(rotations), atol=6e-5)


@needs_chromium
def test_all_bars_of_a_palletizer_follow_its_sliders(tmp_path, reported):
    """Every body is where the robot has it; the bound of q3 - q2 turns axis 3 red."""
    robot = irb.load("irb460")
    assert robot.description is not None
    links = list(robot.description.links)
    save_page(tmp_path / "p.html", robot)
    page_report = reported(
        tmp_path / "p.html",
        f"const links = {json.dumps([*links, 'tcp'])};"
        """
        [25, 50, 70, -80].forEach((value, i) => {
          const slider = document.getElementById(`slider-${i}`);
          slider.value = value;
          slider.dispatchEvent(new Event("input"));
        });
        report.pose = Object.fromEntries(links.map(link => [link, irb.pose(link)]));
        const red = () => [...document.querySelectorAll(".axis")].map(row => row.classList.contains("out"));
        report.red = red();
        irb.set([25, 50, -16, -80]);
        report.beyond = red();
        """,
    )
    q = robot.from_controller([25, 50, 70, -80])
    assert len(links) == 11
    for link in [*links, "tcp"]:
        pose = robot.pose(q, link).homogeneous
        np.testing.assert_allclose(page_report["pose"][link], pose, atol=1e-9, err_msg=link)
    assert not any(page_report["red"])
    assert page_report["beyond"] == [False, False, True, False]


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
    page_report = reported(
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
    assert page_report == {"said": list(refused.values()), "same": True, "cleared": ""}


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
    page_report = reported(
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
        const charts = document.getElementById("charts"), { left, width } = charts.querySelector("svg").getBoundingClientRect();
        const at = share => ({ clientX: left + share * width });
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
    np.testing.assert_allclose(page_report["at"]["poses"][0], robot.pose(q).homogeneous, atol=1e-9)
    np.testing.assert_allclose(
        page_report["at"]["poses"][1], robot.pose(q, "link_rod").homogeneous, atol=1e-9
    )
    assert page_report["at"]["clock"] == "3.22 s"
    assert page_report["at"]["lines"] == pytest.approx([300 * t / 10.0] * 6)
    assert page_report["end"]["clock"] == "10.00 s"
    np.testing.assert_allclose(
        page_report["end"]["poses"][0], robot.pose(motion.q[-1]).homogeneous, atol=1e-9
    )
    tau = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    now = np.array([np.interp(t, motion.t, column) for column in tau.T])
    np.testing.assert_allclose(page_report["at"]["arrows"], now / robot.limits.effort, atol=1e-9)
    assert (
        page_report["paths"].count("own")
        == page_report["paths"].count("other")
        == page_report["paths"].count("measured")
        == 6
    )
    assert page_report["choices"] == [
        "torque",
        "torque by cause",
        "residual",
        "share of torque limit",
        "position",
        "speed",
        "share of speed limit",
    ]
    largest = max(np.abs(tau[:, 1]).max(), np.abs(tau[:, 1] + 5.0).max())
    assert page_report["labels"][1] == f"2  ±{largest:.0f} N m"
    assert page_report["position"][0] == f"1  ±{np.degrees(np.abs(motion.q[:, 0]).max()):.1f} °"
    path = robot.pose(through(postures, duration=5.0).sample(2000.0).q)[:, :3, 3]
    assert (
        page_report["dots"]
        == page_report["trace"]
        == pytest.approx(np.linalg.norm(np.diff(path, axis=0), axis=1).sum() / 0.004, rel=0.02)
    )
    for key, when in (("at", t), ("hovered", 2.5), ("left", t)):
        value = np.array([np.interp(when, motion.t, column) for column in tau.T])
        shown = np.array(page_report[key]["values"], dtype=float)
        np.testing.assert_allclose(shown, np.stack([value + 5.0, value, value], axis=1), atol=0.051)
        assert page_report[key]["when"] == f"at {when:.2f} s"
        assert page_report[key]["clock"] == "3.22 s"
    name = f"{robot.name} with spindle"
    assert page_report["legend"] == [f"{name} measured", f"{name} computed", f"{name} computed"]
    # who moves the robot, pauses
    assert [name for name, (loops, *_) in page_report["paused"].items() if loops] == []
    np.testing.assert_allclose(
        page_report["paused"]["set"][2], robot.from_controller([1, 2, 3, 4, 5, 6]), atol=1e-12
    )
    assert page_report["paused"]["slider"][2][1] == pytest.approx(np.radians(17.0))
    assert [page_report["paused"][name][1] for name in ("time", "chart")] == ["4.00 s", "5.00 s"]
    arrows = {name: shown for name, (*_, shown) in page_report["paused"].items()}
    # of the motion only
    assert arrows == {"slider": False, "grip": True, "set": False, "time": True, "chart": True}
    assert page_report["later"] == 1.0  # half a second at twice the speed, from the start again
    # play twice is one loop, and none after the pause
    assert (page_report["running"], page_report["waiting"]) == (1, 0)


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
    page_report = reported(
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
          const cut = [...page.querySelectorAll("#side, #side *")].filter(part => !part.ownerSVGElement && part.scrollWidth > part.clientWidth + 1
            || part.getBoundingClientRect().right > width).map(part => part.id || part.tagName);
          report.windows.push({{ there, cut, play: play && play.id }});
          frame.remove();
        }}
        """,
    )
    assert page_report["windows"] == [{"there": ["CANVAS"] * 5, "cut": [], "play": "play"}] * len(
        sizes
    )


@needs_chromium
def test_the_band_of_a_set_lies_about_the_computed_torque(tmp_path, reported):
    """Where the set has a covariance, the area between both ends of the band of a measurement is
    drawn behind each torque, to its scale; of positions there is none.
    """
    robot = scara_with_band()
    motion = through([np.zeros(4), np.array([0.5, -0.8, 0.1, 1.0])], duration=2.0).sample(20.0)
    page = tmp_path / "p.html"
    save_page(page, irb.Actor(robot, motion=motion))
    page_report = reported(
        page,
        """
        const paths = () => [...document.querySelectorAll(".strip path.band")].map(path => path.getAttribute("d"));
        report.torque = paths();
        report.legend = [...document.querySelectorAll("#legend span")].map(entry => entry.textContent);
        report.label = document.querySelector(".strip span").textContent;
        const quantity = document.getElementById("quantity");
        quantity.value = "position"; quantity.dispatchEvent(new Event("change"));
        report.position = paths();
        """,
    )
    assert page_report["position"] == []
    assert page_report["legend"] == ["95 % of measurements", "computed"]
    assert len(page_report["torque"]) == 4
    lower, upper = robot.inverse_dynamics_band(motion.q, motion.v, motion.a, noise=True)
    for i, path in enumerate(page_report["torque"]):
        corners = np.array([pair.split(",") for pair in path[1:-1].split("L")], dtype=float)
        top = max(np.abs(lower[:, i]).max(), np.abs(upper[:, i]).max())
        count = len(motion.t)
        assert len(corners) == 2 * count
        np.testing.assert_allclose(corners[:count, 0], 300.0 * motion.t / motion.t[-1], atol=0.26)
        np.testing.assert_allclose(corners[:count, 1], -18.0 * upper[:, i] / top, atol=0.006)
        np.testing.assert_allclose(
            corners[: count - 1 : -1, 1], -18.0 * lower[:, i] / top, atol=0.006
        )
    assert page_report["label"] == f"1  ±{np.abs([lower, upper])[..., 0].max():.1f} N m"
