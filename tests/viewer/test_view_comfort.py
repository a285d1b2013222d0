"""Use of a page by keyboard, finger and screen reader, in windows of any size, by day and night."""

from __future__ import annotations

import json
from importlib.resources import files

import numpy as np
import pytest
from headless import needs_chromium

import irbmodels as irb
from irbmodels.trajectory import through
from irbmodels.viewer import save_page
from irbmodels.viewer.actor import other_arms

pytestmark = needs_chromium
SHIFT, CTRL = 8, 2
TOLD = "document.activeElement.id || document.activeElement.textContent || document.activeElement.tagName"


@pytest.fixture(scope="module")
def arm():
    """An arm with every part of the panel: coupled ranges, several postures, torques."""
    return irb.load("irb2400")


@pytest.fixture(scope="module")
def page(arm, tmp_path_factory):
    """Its page."""
    path = tmp_path_factory.mktemp("comfort") / "page.html"
    save_page(path, arm)
    return path.as_uri()


@pytest.fixture(scope="module")
def moving(arm, tmp_path_factory):
    """A page of two robots with motions, one with a measured log."""
    path = tmp_path_factory.mktemp("moving") / "page.html"
    motion = through([np.zeros(6), np.full(6, 0.3)], duration=2.0).sample(50.0)
    measured = motion._replace(tau=arm.inverse_dynamics(motion.q, motion.v, motion.a) + 5.0)
    save_page(path, irb.Actor(arm, motion=measured), irb.Actor(arm, motion=motion))
    return path.as_uri()


def test_tab_reaches_every_control_and_shows_where_it_is(page, browser):
    """In the order of the page, each in sight with an outline when it has the focus."""
    wanted = """[...document.querySelectorAll("button, input, select, summary, [tabindex]")]
      .filter(one => one.checkVisibility()).map(one => one.id || one.textContent || one.tagName)"""
    seen = f"""(() => {{ const one = document.activeElement, {{ top, bottom, left, right }} = one.getBoundingClientRect(), style = getComputedStyle(one);
      return [{TOLD}, style.outlineStyle !== "none" && parseFloat(style.outlineWidth) >= 2, top < innerHeight && bottom > 0 && left >= 0 && right <= innerWidth]; }})()"""

    async def use(tab):
        expected, reached = await tab.evaluate(wanted), []
        for _ in expected:
            await tab.press("Tab")
            reached.append(await tab.evaluate(seen))
        return expected, reached

    expected, reached = browser.visit(page, use)
    assert len(expected) > 40
    assert reached == [[name, True, True] for name in expected]


def test_keys_step_sliders_and_undo_brings_back_the_posture(page, browser):
    """1 degree, with Shift 0.1, by pages 10, in the slider and its field; a step of undo is what
    one press or one command moved, and the posture is the same number.
    """

    async def use(tab):
        async def state():
            return await tab.evaluate(
                "[irb.actors[0].q, ['undo', 'redo'].map(id => document.getElementById(id).ariaDisabled)]"
            )

        steps, back = [await state()], []
        await tab.evaluate("document.getElementById('slider-0').focus()")
        for key, modifiers in (("ArrowRight", 0), ("ArrowUp", SHIFT), ("PageUp", 0)):
            await tab.press(key, modifiers)
            steps.append(await state())
        await tab.evaluate("irb.set([1 / 3, 20, 10, 1e-7, 30, 0])")
        steps.append(await state())
        await tab.evaluate("document.getElementById('field-4').select()")
        for key in "71":  # a number that is typed is one step, and no view
            await tab.press(key)
        steps.append(await state())
        await tab.press("ArrowDown", SHIFT)
        steps.append(await state())
        for _ in range(len(steps) + 1):
            back.append(await state())
            await tab.press("z", CTRL)
        await tab.evaluate("document.getElementById('redo').focus()")
        for key, modifiers in (("Enter", 0), ("y", CTRL), ("Z", CTRL + SHIFT)):
            await tab.press(key, modifiers)
        return steps, back, await state(), await tab.evaluate(TOLD)

    steps, back, again, focused = browser.visit(page, use)
    shown = [np.degrees(q) for q, _ in steps]
    first = [0.0, 1.0, 1.1, 11.1, 1 / 3, 1 / 3, 1 / 3]
    np.testing.assert_allclose([q[0] for q in shown], first, rtol=0, atol=1e-9)
    np.testing.assert_allclose([q[4] for q in shown[4:]], [30.0, 71.0, 70.9], rtol=0, atol=1e-9)
    assert [q for q, _ in back] == [*[q for q, _ in reversed(steps)], steps[0][0]]
    assert [flags for _, flags in back[::7]] == [["false", "true"], ["true", "false"]]
    assert again == [steps[3][0], ["false", "false"]]
    assert focused == "redo"


def test_shortcuts_look_go_home_and_are_listed(page, browser):
    """Views, home, the tool along its axes, the list and its way out; a single key can be
    switched off.
    """

    async def use(tab):
        got = {}
        camera = "[viewer.camera.position.toArray(), document.getElementById('help').open]"
        await tab.evaluate("irb.set([10, 20, 10, 30, 40, 0])")
        for key in ("4", "?", "2", "Escape", "3"):
            await tab.press(key)
            got[key] = await tab.evaluate(camera)
        await tab.evaluate("document.querySelector('canvas').focus()")
        got["before"] = await tab.evaluate("irb.pose()")
        await tab.press("y")
        got["y"] = await tab.evaluate("irb.pose()")
        await tab.press("Y", SHIFT)
        got["Y"] = await tab.evaluate("irb.pose()")
        for key in ("ArrowLeft", "+"):
            await tab.press(key)
            got[key] = await tab.evaluate(camera)
        await tab.evaluate("panel.keys.single.click()")
        await tab.press("h")
        got["off"] = await tab.evaluate("irb.actors[0].q")
        await tab.evaluate("panel.keys.single.click()")
        await tab.press("h")
        got["home"] = await tab.evaluate("irb.actors[0].q")
        got["target"] = await tab.evaluate("viewer.controls.target.toArray()")
        await tab.evaluate("irb.set([10, 20, 10, 30, 40, 0])")
        await tab.evaluate(
            "[...document.querySelectorAll('#postures button')].find(one => one.ariaPressed === 'false' && !one.className).focus()"
        )
        pressed = "[document.activeElement.parentNode.id, document.activeElement.ariaPressed, document.querySelectorAll('#postures button').length]"
        got["choice"] = await tab.evaluate(pressed)
        await tab.press("Enter")
        got["chosen"] = await tab.evaluate(pressed)
        return got

    got = browser.visit(page, use)
    above = np.subtract(got["4"][0], got["target"])
    assert above[1] > 0.99 * np.linalg.norm(above)  # y is up in the browser
    assert [got[key][1] for key in ("4", "?", "2", "Escape")] == [False, True, True, False]
    assert got["2"] == got["?"]  # behind the list no key works
    before, there = (np.array(got[name]) for name in ("before", "y"))
    np.testing.assert_allclose(there[:3, 3] - before[:3, 3], 0.01 * before[:3, 1], atol=1e-12)
    np.testing.assert_allclose(there[:3, :3], before[:3, :3], rtol=0, atol=1e-12)
    np.testing.assert_allclose(got["Y"], before, rtol=0, atol=1e-12)
    away = [np.subtract(got[key][0], got["target"]) for key in ("3", "ArrowLeft", "+")]
    start, turned, near = (np.linalg.norm(x) for x in away)
    assert turned == pytest.approx(start)
    assert near == pytest.approx(0.9 * start)
    assert away[0][1] == pytest.approx(away[1][1])  # about the vertical
    assert np.abs(away[1] - away[0]).max() > 0.05 * start
    assert np.abs(got["off"]).max() > 0.1
    assert got["home"] == [0] * 6
    assert got["choice"] == ["postures", "false", got["choice"][2]]
    assert got["chosen"] == ["postures", "true", got["choice"][2]]  # which keeps the focus


LINKED = """
const said = () => document.getElementById("refusal").textContent, state = () => irb.actors.map(actor => actor.q);
const go = hash => new Promise(done => { addEventListener("hashchange", () => done([state(), said()]), { once: true }); location.hash = hash; });
irb.set([1 / 3, -20.123456789, 10, 1e-7, 30, 400]); irb.set([0, 12.5, -2, 0, 0, 0], 1);
document.getElementById("link").click();
const [hash, before] = [location.hash, state()];
irb.set([0, 0, 0, 0, 0, 0]); irb.set([0, 0, 0, 0, 0, 0], 1);
report.hash = hash; report.before = before; report.zero = state();
report.there = await go(hash.replaceAll(",", "%2C"));
report.bad = [];
for (const bad of BAD) report.bad.push((await go(bad)));
report.other = await go("#elsewhere");
report.first = await go("#q=1,2,3,4,5,6");
panel.undo.undo();
report.undone = state();
"""
SIX = "a posture of irb2400_16 is 6 finite numbers (° ° ° ° ° °), not "
BAD = {
    "#q=1,2,3": SIX + "[1, 2, 3]",
    "#q=": SIX + "[NaN]",
    "#q=1,2,,4,5,6": SIX + "[1, 2, NaN, 4, 5, 6]",
    "#q=1,2,0x10,4,5,1e999": SIX + "[1, 2, NaN, 4, 5, Infinity]",
    "#q=1,2,%zz,4,5,6": SIX + "[1, 2, NaN, 4, 5, 6]",
    "#q=9,9,9,9,9,9;1,2": SIX + "[1, 2]",  # none of both is moved
    "#q=" + ";".join(["1,2,3,4,5,6"] * 3): "no robot number 2 on this page; it has 2, counted from 0",
}  # fmt: skip


def test_a_link_carries_the_posture_or_is_refused_in_a_line(moving, browser):
    """In degrees, to 1e-9 of them, for each robot; what is no posture moves nothing."""
    script = LINKED.replace("of BAD", f"of {json.dumps(list(BAD))}")
    report = browser.run(moving, script)
    assert report["complaints"] == list(BAD.values())
    assert report["hash"] == "#q=0.333333333,-20.123456789,10,1e-7,30,400;0,12.5,-2,0,0,0"
    assert report["there"][1] == ""
    np.testing.assert_allclose(report["there"][0], report["before"], rtol=0, atol=2e-11)
    assert report["bad"] == [[report["there"][0], message] for message in BAD.values()]
    assert report["other"][0] == report["there"][0]
    np.testing.assert_allclose(np.degrees(report["first"][0][0]), [1, 2, 3, 4, 5, 6], atol=1e-12)
    assert report["first"][1] == ""
    assert report["undone"] == report["there"][0]
    start = browser.run(
        moving + "#q=10,20,30,0,0,5", "report.q = irb.actors.map(actor => actor.q);"
    )
    np.testing.assert_allclose(np.degrees(start["q"]), [[10, 20, 30, 0, 0, 5], [0] * 6], atol=1e-12)


OUTSIDE = """(async () => {
  await new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)));
  const scene = document.querySelector("canvas").getBoundingClientRect(), side = document.getElementById("side").getBoundingClientRect();
  const parts = [...document.querySelectorAll("body *:not(script)")].filter(one => one.checkVisibility() && !one.closest("svg *, .unseen") && one.getClientRects().length);
  const cut = parts.filter(one => {
    const { left, right } = one.getBoundingClientRect();
    return left < -0.5 || right > innerWidth + 0.5 || one.scrollWidth > one.clientWidth + 1 && getComputedStyle(one).display !== "inline";
  }).map(one => one.id || one.tagName);
  const below = parts.filter(one => {  // and cannot be scrolled to
    one.scrollIntoView({ block: "nearest" });
    const { top, bottom, height } = one.getBoundingClientRect();
    return height < innerHeight / 3 && (top < -0.5 || bottom > innerHeight + 0.5);
  }).map(one => one.id || one.tagName);
  const over = Math.min(scene.right, side.right) - Math.max(scene.left, side.left) > 0.5 && Math.min(scene.bottom, side.bottom) - Math.max(scene.top, side.top) > 0.5;
  document.getElementById("panel").scrollTop = document.getElementById("side").scrollTop = 0;
  return { cut, below, over, room: Math.min(scene.width / innerWidth, scene.height / innerHeight), parts: parts.length > 40 };
})()"""


@pytest.mark.parametrize("name", ["irb2400", "irb660", "crb15000", "irb930", "two in motion"])
def test_nothing_is_cut_in_any_window(name, moving, tmp_path, browser):
    """Beside the scene or below it, all of the panel can be seen, with eight values above each
    chart too; the page of one robot has less than 3 MB.
    """
    url = moving
    if name != "two in motion":
        save_page(tmp_path / "p.html", irb.load(name))
        assert (tmp_path / "p.html").stat().st_size < 3e6
        url = (tmp_path / "p.html").as_uri()

    async def use(tab):
        windows = []
        await tab.evaluate(
            """(() => {
              const quantity = document.getElementById("quantity");
              if (quantity) { quantity.value = "torque by cause"; quantity.dispatchEvent(new Event("change")); irb.seek(1.2); }
            })()"""
        )
        for size in ((1440, 900), (1280, 800), (390, 844)):
            await tab.resize(*size)
            windows.append(await tab.evaluate(OUTSIDE))
        return windows

    for window in browser.visit(url, use):
        assert window.pop("room") > 0.4
        assert window == {"cut": [], "below": [], "over": False, "parts": True}


IN_SIGHT = """(() => {  // how far the corners of all parts are from the middle of the scene to its edges
  viewer.camera.updateMatrixWorld(true);
  const ends = { x: [1, -1], y: [1, -1] }, at = new THREE.Vector3();
  for (const actor of irb.actors) for (const path of actor.visuals) node(path).traverse(({ geometry, matrixWorld }) => {
    const place = geometry && geometry.attributes.position;
    for (let k = 0; place && k < place.count; k++) {
      at.fromBufferAttribute(place, k).applyMatrix4(matrixWorld).project(viewer.camera);
      for (const axis of ["x", "y"]) ends[axis] = [Math.min(ends[axis][0], at[axis]), Math.max(ends[axis][1], at[axis])];
    }
  });
  return [ends.x, ends.y];
})()"""


def test_a_robot_fills_a_window_of_any_shape(tmp_path, browser):
    """From every side all of it is in sight, both arms of a YuMi too, and in a narrow window it
    reaches from edge to edge, its handle hidden.
    """
    right = irb.load("irb14000")
    pages = {"irb2400": [irb.load("irb2400")], "irb14000": [right, *other_arms(right)]}

    async def use(tab):
        seen = {}
        await tab.evaluate("irb.layer('handle', false)")
        for size in ((1280, 800), (768, 1024), (390, 844), (500, 1200)):
            await tab.resize(*size)
            await tab.evaluate("new Promise(done => requestAnimationFrame(done))")
            for view in ("3D", "front", "top"):
                await tab.evaluate(f"irb.look('{view}')")
                seen[size[0], view] = await tab.evaluate(IN_SIGHT)
            await tab.evaluate("irb.look('3D')")
        await tab.resize(768, 1024)  # the view that is there is fitted again
        await tab.evaluate("new Promise(done => requestAnimationFrame(done))")
        seen[768, "again"] = await tab.evaluate(IN_SIGHT)
        return seen

    for name, robots in pages.items():
        save_page(tmp_path / "p.html", *robots)
        seen = browser.visit((tmp_path / "p.html").as_uri(), use)
        for window, ends in seen.items():
            assert np.abs(ends).max() < 0.99, (name, window)
        for view in ("3D", "again"):
            assert np.ptp(seen[768, view], axis=1).max() > 1.8, (name, seen[768, view])
        np.testing.assert_allclose(seen[768, "again"], seen[768, "3D"], rtol=0, atol=1e-9)


def test_every_chart_of_six_axes_is_whole_on_a_small_screen(moving, browser):
    """At 1280 x 800 and 720 no strip is cut by the edge of the charts, and the panel stays open."""
    strips = """(() => {
      const charts = document.getElementById("charts"), { top, bottom } = charts.getBoundingClientRect();
      const boxes = [...charts.children].map(one => one.getBoundingClientRect());
      return [boxes.length, boxes.every(box => box.top >= top - 0.5 && box.bottom <= bottom + 0.5), document.getElementById("panel").clientHeight];
    })()"""

    async def use(tab):
        shown = []
        for height in (800, 720):
            await tab.resize(1280, height)
            shown.append(await tab.evaluate(strips))
        return shown

    for count, whole, panel in browser.visit(moving, use):
        assert (count, whole) == (6, True)
        assert panel > 130


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(scheme, page, moving, browser):
    """No rule of axe-core is broken, labels, roles, contrast and sizes of targets among them."""
    pytest.importorskip("axe_playwright_python")
    axe = files("axe_playwright_python").joinpath("axe.min.js").read_text(encoding="utf-8")
    check = """axe.run(document, { rules: { "target-size": { enabled: true } } }).then(({ violations, passes }) => [passes.length, violations.map(
      ({ id, impact, nodes }) => `${id} (${impact}): ${nodes.map(one => one.html.slice(0, 99)).join(", ")}`)])"""

    async def use(tab):
        await tab.evaluate(f"{axe}; 0")
        # what is struck out, red and folded is looked at too
        await tab.evaluate(
            "irb.set([0, 80, 0, 0, 130, 0]); document.querySelectorAll('details').forEach(one => { one.open = true; }); 0"
        )
        results = [await tab.evaluate(check)]
        await tab.resize(390, 844)
        results.append(await tab.evaluate(check))
        await tab.press("?")
        return [*results, await tab.evaluate(check)]

    for url in (page, moving):
        for passed, broken in browser.visit(url, use, prefers_color_scheme=scheme):
            assert broken == []
            assert passed > 15


def luminance(rgb):
    """Relative luminance of sRGB numbers up to 1 (WCAG 2.2)."""
    rgb = np.asarray(rgb, dtype=float)
    linear = np.where(rgb <= 0.04045, rgb / 12.92, ((rgb + 0.055) / 1.055) ** 2.4)
    return float(linear @ [0.2126, 0.7152, 0.0722])


def test_marks_in_scene_and_charts_stand_out_by_day_and_night(page, browser):
    """Contrast of 3 (WCAG 1.4.11) of the handle with the scene behind, of curves with their card;
    the scene follows the system while the page is open.
    """
    ask = """(() => {
      const { top_color, bottom_color } = viewer.scene_tree.find(["Background"]).object, rgb = text => text.match(/\\d+/g).slice(0, 3).map(x => x / 255);
      const hex = colour => [16, 8, 0].map(shift => (colour >> shift & 255) / 255);
      return { behind: [top_color, bottom_color].map(x => x.map(y => y / 255)), card: [rgb(getComputedStyle(document.getElementById("panel")).backgroundColor)],
        handle: irb.actors[0].handle.parts.filter(part => part.userData.axis !== null).map(part => hex(part.material.color.getHex())),
        curves: COLOURS.map(text => hex(parseInt(text.slice(1), 16))), floor: hex(viewer.scene_tree.find(["meshcat", "floor", "<object>"]).object.material.color.getHex()) };
    })()"""

    async def use(tab):
        states = [await tab.evaluate(ask)]
        for value in ("dark", "light"):
            media = {"features": [{"name": "prefers-color-scheme", "value": value}]}
            await tab.ask("Emulation.setEmulatedMedia", media)
            await tab.evaluate(
                "new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))"
            )
            states.append(await tab.evaluate(ask))
        return states

    day, night, again = browser.visit(page, use, prefers_color_scheme="light")
    assert day == again
    for shown in (day, night):
        for marks, grounds in (("handle", "behind"), ("curves", "card")):
            for mark in shown[marks]:
                for ground in shown[grounds]:
                    low, high = sorted([luminance(mark), luminance(ground)])
                    assert (high + 0.05) / (low + 0.05) >= 3.0, (marks, mark, ground)
    assert luminance(night["behind"][0]) < 0.1 < 0.6 < luminance(day["behind"][0])
    assert luminance(night["floor"]) < luminance(day["floor"])


def test_a_finger_takes_the_handle_and_a_second_one_leaves_it(page, browser):
    """A touch 10 px beside the tip of an arrow holds it, and moves the tool along that axis."""
    tip = """(() => {
      const { handle, size } = irb.actors[0], box = document.getElementById("scene").getBoundingClientRect();
      const [a, b] = [0.16 * size, 0.1 * size].map(x => new THREE.Vector3(x, 0, 0).applyMatrix4(handle.group.matrixWorld).project(viewer.camera))
        .map(at => [box.left + (at.x + 1) / 2 * box.width, box.top + (1 - at.y) / 2 * box.height]);
      return [a, b];
    })()"""
    second = """(() => {  // moves and leaves before the second step of the first one
      const other = (kind, { clientX, clientY }) => dispatchEvent(new PointerEvent(kind, { pointerId: 99, clientX: clientX + 9, clientY: clientY + 9 }));
      let steps = 0;
      addEventListener("pointermove", event => {
        if (event.pointerId === 99 || ++steps !== 2) return;
        window.poses = [irb.pose()];
        other("pointermove", event); other("pointerup", event);
        window.poses.push(irb.pose());
      });
    })()"""

    async def use(tab):
        before = await tab.evaluate("irb.pose()")
        (x, y), (u, v) = await tab.evaluate(tip)
        along = np.array([x - u, y - v]) / np.hypot(x - u, y - v)
        start = np.array([x, y]) + 10.0 * along
        await tab.evaluate(second)
        await tab.touch(*(tuple(map(float, start + k * along)) for k in (0, 4, 8)))
        return before, await tab.evaluate("irb.pose()"), await tab.evaluate("window.poses")

    before, after, poses = (np.array(x) for x in browser.visit(page, use))
    step = np.linalg.inv(before) @ after
    np.testing.assert_allclose(step[:3, :3], np.eye(3), rtol=0, atol=1e-12)
    assert step[0, 3] > 0.003
    np.testing.assert_allclose(step[1:3, 3], 0, rtol=0, atol=1e-12)
    half = np.linalg.inv(before) @ poses[0]
    np.testing.assert_array_equal(poses[1], poses[0])
    assert 0.001 < half[0, 3] < 0.7 * step[0, 3]  # the first finger went on


def test_sliders_leave_no_stray_dots_and_little_to_read_aloud(page, arm, browser):
    """Dots of the trace lie where the tool was, also after it was hidden; a drag of a slider is
    read aloud once, when it is over.
    """
    script = """
    const slider = document.getElementById("slider-0"), put = value => { slider.value = value; slider.dispatchEvent(new Event("input")); };
    let spoken = [];
    new MutationObserver(() => spoken.push(document.getElementById("said").textContent)).observe(document.getElementById("said"), { childList: true });
    irb.layer("trace");
    put(5); put(9); put(-100);  // the last is a jump
    irb.layer("trace", false); put(-95); irb.layer("trace"); put(-94); put(-92);
    const trace = irb.actors[0].layers.trace[0], all = trace.instanceMatrix.array;
    report.angles = [...Array(trace.count).keys()].map(k => Math.atan2(all[16 * k + 13], all[16 * k + 12]) * 180 / Math.PI);
    report.radii = [...Array(trace.count).keys()].map(k => Math.hypot(all[16 * k + 12], all[16 * k + 13]));
    put(0);
    const second = document.getElementById("slider-1");
    for (let k = 0; k < 60; k++) { second.value = 60 + 25 * (k % 2); second.dispatchEvent(new Event("input")); }
    await new Promise(done => setTimeout(done, 800));
    report.spoken = spoken;
    report.live = [...document.querySelectorAll("output")].filter(one => one.getAttribute("aria-live") !== "off").length;
    """
    report = browser.run(page, script)
    assert report["complaints"] == []
    angles = np.array(report["angles"])
    assert ((angles > 0) & (angles < 9.01) | (angles > -95.01) & (angles < -91.99)).all()
    assert ((angles > 0).sum(), (angles < 0).sum()) > (30, 8)
    radius = arm.pose(np.zeros(6)).translation[0]
    np.testing.assert_allclose(report["radii"], radius, rtol=0, atol=2e-3)
    assert report["spoken"] == ["out of range: q3 - q2"]
    assert report["live"] == 0


def test_nothing_moves_by_itself(moving, browser):
    """Where less motion is asked for: no autoplay, no smooth way of the camera, no transition; a
    motion plays when it is asked for, by a key.
    """

    async def use(tab):
        shown = await tab.evaluate(
            """(async () => {
              const before = document.getElementById("clock").textContent, view = viewer.camera.position.toArray();
              irb.look("top");
              const there = viewer.camera.position.toArray();
              await new Promise(done => setTimeout(done, 300));
              return { clock: before === document.getElementById("clock").textContent, still: `${there}` === `${viewer.camera.position.toArray()}`,
                went: `${view}` !== `${there}`, damped: viewer.controls.enableDamping, moving: document.getAnimations().length };
            })()"""
        )
        shown["names"] = []
        for _ in range(2):
            await tab.press("p")
            shown["names"].append(
                await tab.evaluate("[player.playing, document.getElementById('play').ariaLabel]")
            )
        return shown

    shown = browser.visit(moving, use, prefers_reduced_motion="reduce")
    assert shown.pop("names") == [[True, "pause"], [False, "play"]]
    assert shown == {"clock": True, "still": True, "went": True, "damped": False, "moving": 0}
