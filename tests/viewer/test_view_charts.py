"""Charts of a motion in the page: torque by cause, violations, files to save, in a real browser."""

from __future__ import annotations

import csv
import io
import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest
from headless import needs_chromium
from with_band import scara_with_band

import irbmodels as irb
from irbmodels.dynamics import equations_of_motion as reference
from irbmodels.model import axis_springs
from irbmodels.trajectory import Motion, through
from irbmodels.viewer import save_page

pytestmark = needs_chromium
SAVED = """
const saved = async (name, kind) => {  // the file that a button hands to the browser
  const quantity = document.getElementById("quantity"), make = URL.createObjectURL, files = [];
  quantity.value = name;
  quantity.dispatchEvent(new Event("change"));
  URL.createObjectURL = blob => { files.push(blob); return make.call(URL, blob); };
  document.getElementById(`save-${kind}`).click();
  URL.createObjectURL = make;
  return files[0].text();
};
"""
ALL = SAVED + (
    "for (const { value } of document.getElementById('quantity').options)"
    " report[value] = await saved(value, 'csv');"
)


def table(text):
    """Return the columns of a CSV by name; empty cells are NaN."""
    header, *rows = csv.reader(io.StringIO(text))
    values = np.array([[float(cell or "nan") for cell in row] for row in rows])
    return dict(zip(header, values.T, strict=True))


def moving(robot, *postures, seed=1):
    """Return a motion through postures as the controller shows them, with a log beside it."""
    motion = through([robot.from_controller(x) for x in postures], duration=0.7).sample(125.0)
    noise = np.random.default_rng(seed).normal(0.0, 9.0, motion.q.shape)
    noise[20:23] = np.nan  # a gap
    return motion._replace(tau=noise)


def welding():
    """An IRB 2400 with tool, payload, and friction that depends on the load and the direction."""
    robot = irb.load("irb2400", tool="spindle")
    law = robot.friction_model
    law = replace(law, mu=np.full(6, 0.02), dFc=0.3 * law.Fc)
    robot = robot.with_friction(law).with_payload(irb.payload(4.0, [0.06, -0.02, 0.1]))
    return robot, moving(
        robot, (0, 0, 0, 0, 30, 0), (40, 25, 20, 30, 45, 60), (-35, 40, 30, 0, 9, 0)
    )


def sprung():
    """An IRB 1400 with a coil spring, and a torque offset of exactly 1 N m."""
    springs = [
        irb.CoilSpring(2, (-0.1, 0.3), (0.05, 0.6), length=0.2, F0=300.0, k=2000.0),
        irb.TorqueOffset(3, 1.0),
    ]
    robot = irb.load("irb1400").with_springs(springs)
    return robot, moving(robot, (0, 0, 0, 0, 0, 0), (30, 40, 20, 30, 45, 60))


def scara():
    """An IRB 930 whose set has a covariance: axis 3 slides, and friction is unknown."""
    robot = scara_with_band()
    return robot, moving(robot, (0, 0, -20, 0), (30, -40, -120, 90))


def expected_parts(robot, motion):
    """Return torque by cause from Pinocchio and the laws, state by state."""
    bare, full = (one.evaluate.models[False] for one in (robot.with_load(robot.tool), robot))
    rigid = replace(bare, springs=())
    zero, rows = np.zeros(robot.n), []
    for q, v, a in zip(motion.q, motion.v, motion.a, strict=True):
        gravity = reference.gravity(rigid, q)
        steady = reference.inverse_dynamics(rigid, q, v, zero)
        moving = reference.inverse_dynamics(rigid, q, v, a)
        springs = axis_springs.torque(robot.springs, q)
        payload = reference.inverse_dynamics(full, q, v, a) - moving - springs
        friction = reference.friction(robot.evaluate.models[True], q, v)
        rows.append([gravity, moving - steady, steady - gravity, friction, springs, payload])
    names = ("gravity", "inertia", "Coriolis", "friction", "springs", "payload")
    return dict(zip(names, np.moveaxis(np.array(rows), 1, 0), strict=True))


@pytest.mark.parametrize("case", [welding, sprung, scara])
def test_saved_tables_are_those_of_python(case, tmp_path, reported):
    """Every quantity at every sample: torques by cause add up to the computed one, the residual is
    what the log has beside it, shares are of the limits.
    """
    robot, motion = case()
    save_page(tmp_path / "p.html", irb.Actor(robot, motion=motion))
    report = reported(tmp_path / "p.html", ALL)
    tables = {name: table(text) for name, text in report.items()}
    for columns in tables.values():
        assert np.array_equal(columns.pop("t_s"), motion.t)
    friction = robot.friction_model is not None
    tau = robot.inverse_dynamics(motion.q, motion.v, motion.a, friction=friction)
    parts = expected_parts(robot, motion)
    parts = {name: rows for name, rows in parts.items() if np.abs(rows).max() > 1e-9}
    linear = robot.limits.linear
    in_units = np.where(linear, 1e3, np.degrees(1.0))
    effort, fastest = 100.0 / robot.limits.effort, 100.0 / robot.limits.velocity
    torque, angle, speed = (
        [one[flag] for flag in linear.tolist()]
        for one in (("Nm", "N"), ("deg", "mm"), ("deg_s", "mm_s"))
    )
    percent = ["percent"] * robot.n
    expected = {
        "torque": [("tau", "measured", torque, motion.tau), ("tau", "computed", torque, tau)],
        "torque by cause": [("tau", name, torque, rows) for name, rows in parts.items()],
        "residual": [("tau", "residual", torque, motion.tau - tau)],
        "share of torque limit": [
            ("tau", "measured", percent, motion.tau * effort),
            ("tau", "computed", percent, tau * effort),
        ],
        "position": [("q", "", angle, motion.q * in_units)],
        "speed": [("v", "", speed, motion.v * in_units)],
        "share of speed limit": [("v", "", percent, motion.v * fastest)],
    }
    if robot.uncertainty is not None:
        for name, centre in (("torque", 0.0), ("residual", tau)):
            ends = robot.inverse_dynamics_band(motion.q, motion.v, motion.a, noise=True)
            for word, rows in zip(("lower95", "upper95"), ends, strict=True):
                expected[name].append(("tau", word, torque, rows - centre))
    assert list(tables) == list(expected)
    for quantity, series in expected.items():
        columns, names = tables[quantity], []
        for letter, word, units, rows in series:
            for i, unit in enumerate(units):
                if np.isinf(effort[i] if letter == "tau" else fastest[i]):
                    continue
                names.append("_".join(filter(None, [f"{letter}{i + 1}", word, unit])))
                scale = max(1.0, float(np.nanmax(np.abs(rows[:, i]))))
                np.testing.assert_allclose(
                    columns[names[-1]], rows[:, i], rtol=0, atol=1e-9 * scale, err_msg=names[-1]
                )
        assert sorted(names) == sorted(columns), quantity
    causes = tables["torque by cause"]
    for i, unit in enumerate(torque):
        total = sum(causes[f"tau{i + 1}_{name}_{unit}"] for name in parts)
        np.testing.assert_allclose(total, tau[:, i], rtol=0, atol=1e-9 * np.abs(tau).max())


BROKEN = (
    SAVED
    + """
report.drawing = await saved("speed", "svg");
report.spans = irb.actors.map(({ motion }) => motion.broken.map(({ kind, axis, from, to, worst }) => ({ kind, axis, from, to, worst })));
const text = document.getElementById("violation");
report.first = text.textContent;
text.click();
report.there = [player.t, player.quantity.value];
const marks = document.getElementById("marks"), box = marks.getBoundingClientRect();
report.marks = marks.querySelector("path").getAttribute("d");
marks.dispatchEvent(new MouseEvent("click", { clientX: box.left + 0.79 * box.width }));
report.last = [player.t, player.quantity.value];
report.bands = {};
report.bounds = {};
for (const name of ["torque", "position", "speed", "share of torque limit"]) {
  const quantity = document.getElementById("quantity");
  quantity.value = name;
  quantity.dispatchEvent(new Event("change"));
  report.bounds[name] = [...document.querySelectorAll(".strip svg")].map(strip => [...strip.querySelectorAll(".bound")].map(line => Number(line.getAttribute("y1"))));
  report.bands[name] = [...document.querySelectorAll(".strip svg")].map(strip => [...strip.querySelectorAll(".broken")].map(path => path.getAttribute("d")).join(""));
}
"""
)


def test_violations_are_found_where_they_are(tmp_path, reported):
    """Spans of a range, a coupled range, speeds and torques, as Python finds them sample by sample;
    in words, on the strips, and on the way there by a click.
    """
    robot, count = irb.load("irb2400"), 200
    t, still = 2.0 + 0.01 * np.arange(count), np.zeros((count, 6))
    q, v, tau = (np.array(still) for _ in range(3))
    q[:, 4] = robot.limits.envelope()[1][4] + 1e-10  # a rounding is kept
    q[40:46, 1] = np.radians(70.0)  # q3 - q2 leaves its range, q2 does not
    q[44, 1] = np.radians(80.0)
    v[90, 0], v[120:122, 5] = -1.1 * robot.limits.velocity[0], 1.01 * robot.limits.velocity[5]
    tau[160, 2] = -1.2 * robot.limits.effort[2]
    tau[10], v[11] = np.nan, np.nan  # gaps
    motion = Motion(t, q, v, None, tau)
    save_page(tmp_path / "p.html", irb.Actor(robot, motion=motion))
    report = reported(tmp_path / "p.html", BROKEN)
    kinds = {"q": "range", "v": "speed", "t": "torque"}
    python = [
        (kinds[one.quantity[0]], one.axis - 1, k, one.value)
        for k in range(count)
        if k not in (10, 11)
        for one in robot.violations(q[k], v[k], tau[k])
    ]
    (spans,) = report["spans"]
    shown = [
        (one["kind"], one["axis"], k)
        for one in spans
        for k in np.flatnonzero((t >= one["from"]) & (t <= one["to"])).tolist()
    ]
    assert sorted(shown) == sorted((kind, axis, k) for kind, axis, k, _ in python)
    assert [(one["kind"], one["axis"]) for one in spans] == [
        ("range", 2),
        ("speed", 0),
        ("speed", 5),
        ("torque", 2),
    ]
    worst = {(kind, axis): max(python, key=lambda x: ((x[:2] == (kind, axis)), abs(x[3])))[3]
             for kind, axis, *_ in python}  # fmt: skip
    for one in spans:
        assert one["worst"] == pytest.approx(worst[one["kind"], one["axis"]], rel=1e-12)
    assert report["first"].startswith("axis 3 out of its range from 2.40 s: q3 - q2 = -80.0 °, ")
    assert report["first"].endswith("; 3 more")
    assert report["there"] == [t[40], "position"]
    assert report["last"] == [t[160], "torque"]
    assert report["marks"].count("M") == 4

    bounds = report["bounds"]
    for name in ("torque", "share of torque limit"):
        assert bounds[name][2] == pytest.approx([18.0 / 1.2, -18.0 / 1.2])
    assert bounds["speed"][0] == pytest.approx([18.0 / 1.1, -18.0 / 1.1])
    assert bounds["position"][4] == pytest.approx([18.0, -18.0], abs=1e-6)
    drawing = ElementTree.fromstring(report["drawing"].encode())
    words = [one.text for one in drawing.iterfind("{http://www.w3.org/2000/svg}text")]
    assert words[1:3] == ["limit", "limit not kept"]
    classes = [one.get("class") for one in drawing.iter()]
    assert (classes.count("broken"), classes.count("bound")) == (2, 4)

    def ends(path):
        numbers = path[1:-1].split("H")
        return float(numbers[0].split(",")[0]), float(numbers[1].split("V")[0])

    drawn = {
        name: {i: ends(path) for i, path in enumerate(paths) if path}
        for name, paths in report["bands"].items()
    }
    at = 300.0 * (t - t[0]) / (t[-1] - t[0])
    assert {name: list(strips) for name, strips in drawn.items()} == {
        "torque": [2],
        "position": [2],
        "speed": [0, 5],
        "share of torque limit": [2],
    }
    assert drawn["position"][2] == pytest.approx((at[40] - 1.0, at[45] + 1.0), abs=0.01)
    assert drawn["speed"][5] == pytest.approx((at[120] - 1.0, at[121] + 1.0), abs=0.01)


def test_saved_drawing_stands_alone(tmp_path, reported):
    """An SVG with titles, units, legend, and axis numbers that the curves keep to."""
    robot, motion = welding()
    name = 'IRB <2400> & "tool"'
    save_page(tmp_path / "p.html", irb.Actor(robot, motion=motion, name=name))
    script = SAVED + "report.svg = await saved('torque', 'svg'); report.page = document.title;"
    script += "report.share = await saved('share of torque limit', 'svg');"
    report = reported(tmp_path / "p.html", script)
    text = report["svg"]
    assert report["share"].count("[% of assumed]") == robot.n
    tree = ElementTree.fromstring(text.encode())
    assert tree.tag == "{http://www.w3.org/2000/svg}svg"
    assert tree.get("width") == "180mm"
    tag = tree.tag.removesuffix("svg")
    words = [one.text for one in tree.iterfind(f"{tag}text")]
    assert words[0] == f"{name}: torque"
    assert words[1:4] == ["measured", "computed", "axis 1 [N m]"]
    assert "time [s]" in words
    assert [one for one in words if one.startswith("axis")] == [
        f"axis {i} [N m]" for i in range(1, 7)
    ]
    times = [one for one in tree.iterfind(f"{tag}text") if one.get("class") == "time"]
    (left,) = {float(one.get("transform")[10:].split(",")[0]) for one in tree.iterfind(f"{tag}g")}
    from_time = np.polyfit(
        [float(one.text) for one in times], [float(one.get("x")) for one in times], 1
    )
    tau = robot.inverse_dynamics(motion.q, motion.v, motion.a)
    for i, box in enumerate(tree.iterfind(f"{tag}g")):
        grid = [float(one.get("y1")) for one in box if one.get("class") == "grid"]
        numbers = [float(one.text) for one in box if one.get("class") == "value"]
        assert len(numbers) >= 3
        from_value = np.polyfit(numbers, grid, 1)
        assert from_value[0] < 0.0  # upwards
        for kind, rows in (("own", tau), ("measured", motion.tau)):
            (curve,) = (one.get("d") for one in box if one.get("class") == kind)
            assert curve.count("M") == (1 if kind == "own" else 2)  # a gap is one
            points = np.array(
                [pair.split(",") for pair in curve[1:].replace("M", "L").split("L")], float
            )
            inside = np.isfinite(rows[:, i])
            # times stand in columns of half a unit, values are written to 0.01
            np.testing.assert_allclose(
                points[::2, 0] + left, np.polyval(from_time, motion.t)[inside], rtol=0, atol=0.3
            )
            np.testing.assert_allclose(
                points[::2, 1], np.polyval(from_value, rows[inside, i]), rtol=0, atol=0.02
            )


def test_what_is_unknown_is_not_shown(tmp_path, reported):
    """A robot without masses has positions and speeds; of two robots each has its own samples."""
    robot = irb.load("irb660")
    motion = moving(robot, (0, 0, 0, 0), (30, 20, 40, 90))
    motion = motion._replace(t=motion.t + 9.7, tau=None)
    other = Motion(motion.t[::2] + 0.004, motion.q[::2], motion.v[::2], motion.a[::2], None)
    save_page(
        tmp_path / "p.html",
        irb.Actor(robot, motion=motion, name="one"),
        irb.Actor(robot, motion=other, name='two, "late"'),
    )
    report = reported(tmp_path / "p.html", ALL)
    assert list(report)[:2] == ["position", "speed"]
    columns = table(report["position"])
    t = columns["t_s"]
    assert t.tolist() == sorted({*motion.t.tolist(), *other.t.tolist()})
    for name, one in (("one", motion), ('two, "late"', other)):
        shown = columns[f"{name} q2_deg"]
        assert t[np.isfinite(shown)].tolist() == one.t.tolist()
        np.testing.assert_allclose(shown[np.isfinite(shown)], np.degrees(one.q[:, 1]), atol=1e-9)
    assert json.loads(json.dumps(report))
