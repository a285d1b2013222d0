"""Every number of the terminal's tables, under its head and in its unit, from the query it shows.

Of an arm of six axes and of a SCARA, whose axis 3 is linear; a wrong column, axis, unit or sign is
another number, since no two of a table are equal.
"""

import re
from decimal import Decimal
from types import SimpleNamespace

import numpy as np
import pytest
import yaml
from scipy.spatial.transform import Rotation

import irbmodels as irb
from irbmodels.exchange.verify.check import Agreement
from irbmodels.exchange.verify.exports import Verdict
from irbmodels.identification.fits.payload import Load
from irbmodels.identification.fits.two_logs import DriveGains
from irbmodels.identification.friction.fit import FrictionFit
from irbmodels.identification.friction.plan import FrictionPlan
from irbmodels.model.load_limits import LoadShare
from irbmodels.report.balancer import balancer_record, balancer_table
from irbmodels.report.excitation import excitation_lines, excitation_tables
from irbmodels.report.friction import fit_table, plan_table
from irbmodels.report.ik_table import solutions_table
from irbmodels.report.jacobian import jacobian_record, jacobian_tables
from irbmodels.report.load_check import load_check_table
from irbmodels.report.loads import gain_table, load_table
from irbmodels.report.moving import motion_lines, motion_table
from irbmodels.report.pose import pose_text
from irbmodels.report.simulating import run_lines, run_table
from irbmodels.report.tables import (
    agreement_table,
    info_tables,
    prediction_tables,
    verdict_cells,
)
from irbmodels.trajectory import through
from irbmodels.trajectory.limit_shares import LimitShares
from irbmodels.trajectory.motion_files import open_motion, write_motion
from irbmodels.trajectory.torque_prediction import predict

SIX, SCARA = "irb1400", "irb930"


@pytest.fixture
def rng():
    return np.random.default_rng(34)


def numbers(text):
    return re.findall(r"-?\d+(?:\.\d+)?(?:e[-+]?\d+)?", text)


def assert_shows(text, *values):
    """The numbers of a text are values, to half a unit of the last digit that is printed."""
    printed = numbers(text)
    assert len(printed) == len(values), text
    for shown, value in zip(printed, values, strict=True):
        unit = 10.0 ** Decimal(shown).as_tuple().exponent
        assert abs(float(shown) - value) <= 0.5000001 * unit, (shown, value, text)


def columns(table):
    """Columns by their heads, which differ."""
    assert len(set(table.heads)) == len(table.heads)
    cells = zip(*table.rows, strict=True)
    return dict(zip(table.heads, cells, strict=True))


def assert_column(table, head, values):
    for cell, value in zip(columns(table)[head], values, strict=True):
        assert_shows(cell, value)


def posture(robot, rng, share=0.3):
    """A posture about the middle of the ranges."""
    lower, upper = robot.limits.envelope()
    return 0.5 * (lower + upper) + share * (upper - lower) * rng.uniform(-0.5, 0.5, robot.n)


@pytest.mark.parametrize("name", [SIX, SCARA])
def test_jacobian_and_its_measures(name, rng):
    robot = irb.load(name, tool="spindle")
    q, length = posture(robot, rng), 0.4
    jacobian, measures = jacobian_tables(jacobian_record(robot, q, length=length), robot)
    J, away = robot.jacobian(q), robot.singularities(q)
    linear = [name == SCARA and i == 2 for i in range(robot.n)]
    assert jacobian.heads[2:] == tuple(
        f"axis {i} [per {'m/s' if slides else 'rad/s'}]" for i, slides in enumerate(linear, 1)
    )
    for row, label, unit, values in zip(
        jacobian.rows, ("vx", "vy", "vz", "wx", "wy", "wz"), 3 * ["m/s"] + 3 * ["rad/s"], J,
        strict=True,
    ):  # fmt: skip
        assert row[:2] == (label, unit)
        assert_shows(" ".join(row[2:]), *values)
    assert_shows(jacobian.title.partition(" at ")[2], *np.where(linear, 1000 * q, np.degrees(q)))
    shown = {row[0]: row[1:] for row in measures.rows}
    scaled = J / np.repeat([length, 1.0], 3)[:, None]
    singular = np.sqrt(np.linalg.eigvalsh(scaled.T @ scaled)[::-1])
    assert_shows(shown["singular values, linear rows divided by 0.4 m"][0], *singular)
    assert_shows(shown["smallest of them"][0], singular[-1])
    assert_shows(shown["condition number"][0], singular[0] / singular[-1])
    volume = np.sqrt(np.linalg.det(J.T @ J))
    assert_shows(shown["manipulability, product of those of J"][0], volume)
    for label, value in (
        ("determinant at the TCP", away.determinant),
        ("wrist singularity away [deg]", np.degrees(away.wrist)),
        ("elbow singularity away [deg]", np.degrees(away.elbow)),
        ("shoulder singularity away [mm]", 1000.0 * away.shoulder),
    ):
        if np.isfinite(value):
            assert_shows(shown[label][0], value)
        else:
            assert not numbers(shown[label][0])
    bounds = [cells[1] for label, cells in shown.items() if "away" in label]
    assert bounds == ["near within 5", "near within 5", "near within 50"]
    assert shown["smallest of them"][1] == "near below 0.05"


@pytest.mark.parametrize("name", [SIX, SCARA])
def test_pose(name, rng):
    robot = irb.load(name, tool="spindle")
    q = posture(robot, rng)
    title, position, quaternion, _, *matrix = pose_text(robot, q, "tcp").splitlines()
    shown = re.findall(r"(-?[\d.e-]+) (deg|mm)", title)
    assert [unit for _, unit in shown] == [
        "mm" if name == SCARA and i == 2 else "deg" for i in range(robot.n)
    ]
    slides = np.array([unit == "mm" for _, unit in shown])
    assert_shows(" ".join(value for value, _ in shown), *np.where(slides, 1000 * q, np.degrees(q)))
    pose = robot.pose(q)
    assert position.startswith("position [mm]")
    assert_shows(position.partition("]")[2], *(1000.0 * pose.translation))
    scalar_first = np.array(numbers(quaternion.partition("q4")[2]), float)
    turned = Rotation.from_quat(np.roll(scalar_first, -1)).as_matrix()
    np.testing.assert_allclose(turned, pose.rotation, atol=3e-7)  # seven decimals
    assert_shows(" ".join(matrix), *pose.homogeneous.ravel())


def test_postures_of_a_pose(rng):
    robot = irb.load(SIX)
    q = posture(robot, rng)
    found = robot.inverse_kinematics(robot.pose(q), near=q)
    table = solutions_table(robot, found)
    for row, one in zip(table.rows, found, strict=True):
        assert_shows(" ".join(row[1:7]), *np.degrees(one.q))
        shown = dict(zip(table.heads, row, strict=True))
        assert shown["cf1,cf4,cf6,cfx"].startswith(str(one.configuration))
        assert shown["range"] == ("inside" if robot.limits.in_range(one.q) else "OUTSIDE")
        assert_shows(shown["distance s"], one.distance)
    assert table.title == f"{robot.name}: {len(found)} solutions"


@pytest.mark.filterwarnings("ignore:.*no friction data:irbmodels.PhysicsWarning")
@pytest.mark.parametrize("name", ["irb2400", SCARA])
def test_torques_of_a_motion_and_their_accuracy(name, rng, tmp_path):
    robot = irb.load(name, tool="spindle").with_payload(irb.payload(2.0))
    ends = [posture(robot, rng) for _ in range(3)]
    motion = through(ends, duration=2.0).sample(100.0)
    q, v, a = motion.q, motion.v, motion.a
    tau = robot.inverse_dynamics(q, v, a)
    measured = tau + rng.normal(0.0, 3.0, tau.shape)
    write_motion(tmp_path / "m.csv", motion._replace(tau=measured), robot)
    peak, rms, accuracy = prediction_tables(predict(open_motion(tmp_path / "m.csv", robot)), robot)
    parts = {
        "inertia": np.einsum("kij,kj->ki", robot.mass_matrix(q), a),
        "gravity": robot.gravity(q),
        "friction": robot.friction(v) if robot.friction_model else np.zeros_like(v),
        "total": tau,
    }
    parts["coriolis"] = tau - sum(parts[key] for key in ("inertia", "gravity", "friction"))
    for head, values in parts.items():
        assert_column(peak, head, np.abs(values).max(axis=0))
        assert_column(rms, head, np.sqrt(np.mean(values**2, axis=0)))
    assert (peak.title, rms.title) == (
        f"{robot.name}: largest absolute torque",
        f"{robot.name}: rms torque",
    )
    error = measured - tau
    root, mean = np.sqrt(np.mean(error**2, axis=0)), np.abs(measured).mean(axis=0)
    for head, values in (
        ("MAE", np.abs(error).mean(axis=0)), ("RMSE", root), ("AVG measured", mean),
        ("RMSE/AVG %", 100.0 * root / mean),
    ):  # fmt: skip
        assert_column(accuracy, head, values)
    units = ["N" if name == SCARA and i == 2 else "N m" for i in range(robot.n)]
    for table in (peak, rms, accuracy):
        assert list(columns(table)["unit"]) == units
        assert list(columns(table)["axis"]) == [str(i + 1) for i in range(robot.n)]


@pytest.mark.parametrize("name", [SIX, SCARA])
def test_a_planned_motion(name, rng):
    robot = irb.load(name)
    trajectory = through([posture(robot, rng), posture(robot, rng)], duration=1.25)
    t = np.linspace(0.0, 1.25, 400)
    speed = rng.uniform(0.1, 0.9, (400, robot.n))
    torque = rng.uniform(0.1, 0.9, (400, robot.n))
    torque[:100, 1], torque[:1, 2] = 1.0, 0.985
    planned = SimpleNamespace(trajectory=trajectory, gap=0.0123, deviations=(0.0, 0.00456))
    shares = LimitShares(t, {"speed": speed, "torque": torque})
    table = motion_table(planned, shares, robot)
    for kind, values in shares.shares.items():
        assert_column(table, f"{kind} [%]", 100.0 * values.max(axis=0))
        assert_column(table, f"{kind} binds [% of time]", 100.0 * (values > 0.98).mean(axis=0))
    assert table.title == f"{robot.name}: 1.2500 s, largest shares of its limits (* assumed)"
    binds, fastest, *others = motion_lines(planned, shares, robot)
    assert binds == (
        "what binds: torque of axis 2 for 25 % of the time; used most: torque of axis 2, 100.0 % of"
        " its assumed limit"
    )
    state = trajectory.at(t)
    velocity = np.einsum("kij,kj->ki", robot.jacobian(state.q), state.v)[:, :3]
    assert fastest.endswith("mm/s")
    assert_shows(fastest, 1000.0 * np.linalg.norm(velocity, axis=1).max())
    assert "at most 1.23 % longer than the shortest possible" in others
    assert "corners are passed at 0.00, 4.56 mm; at 0 the TCP stops" in others


def test_a_simulation():
    robot = irb.load(SCARA)
    keys = (
        "start_rad",
        "end_rad",
        "largest_speed_rad_s",
        "largest_error_rad",
        "largest_torque_N_m",
    )
    counts = ("slips", "sticks", "hits_its_stop", "saturates")
    values = np.arange(1.0, 21.0).reshape(4, 5) / 7.0
    axes = [
        {
            "axis": i + 1,
            **dict(zip(keys, values[i], strict=True)),
            **{key: 10 * i + k for k, key in enumerate(counts)},
        }
        for i in range(4)
    ]
    record = {
        "axes": axes, "duration_s": 2.5, "samples": 2501, "stopped": "",
        "events": [{"t_s": 0.25, "axis": 3, "kind": "sticks"}],
        "work_J": 12.5, "lost_J": 3.25, "largest_tcp_error_m": 0.0015,
    }  # fmt: skip
    table = run_table(record, robot)
    factor = np.array([np.degrees(1.0), np.degrees(1.0), 1000.0, np.degrees(1.0)])
    for head, column in zip(("start", "end", "speed up to", "error up to"), values.T, strict=False):
        assert_column(table, head, factor * column)
    assert_column(table, "torque up to", values[:, 4])
    assert columns(table)["unit"] == ("deg", "deg", "mm", "deg")
    assert columns(table)["unit of it"] == ("N m", "N m", "N", "N m")
    for head, key in zip(("slips", "sticks", "meets its stop", "saturates"), counts, strict=True):
        assert_column(table, head, [row[key] for row in axes])
    assert table.title == "irb930_12_105: 2.5 s, 2501 samples"
    assert run_lines(record, robot) == [
        "t = 0.250000 s: axis 3 sticks",
        "work of the motors 12.5 J, lost to friction and stops 3.25 J",
        "largest error from the motion: 2000 mm of axis 3",
        "largest error of the TCP 1.5 mm",
    ]
    many = [{"t_s": 0.001 * k, "axis": 1, "kind": "slips"} for k in range(43)]
    lines = run_lines(record | {"events": many, "stopped": "the arm left its range"}, robot)
    assert lines[39:41] == ["t = 0.039000 s: axis 1 slips", "and 3 more events"]
    assert lines[-1] == "stopped: the arm left its range"


def test_gains_and_a_payload(rng):
    """Intervals are 1.96 standard deviations of a normal law, of the payload's as of the gains."""
    robot = irb.load(SCARA)
    mass, com = 2.5, np.array([0.011, -0.023, 0.047])
    entries = np.array([0.0211, -0.0013, 0.0324, 0.0017, -0.0029, 0.0418])
    tensor = np.zeros((3, 3))
    order = ((0, 0), (0, 1), (1, 1), (0, 2), (1, 2), (2, 2))
    for entry, value in zip(order, entries, strict=True):
        tensor[entry] = tensor[entry[::-1]] = value
    about = tensor + mass * (com @ com * np.eye(3) - np.outer(com, com))
    parameters = np.array([mass, *(mass * com), *(about[entry] for entry in order)])
    root = 1e-3 * rng.normal(size=(10, 10))
    load = Load("tcp", parameters, root @ root.T)
    table = load_table(load)
    assert columns(table)["quantity"] == (
        "mass", "centre x", "centre y", "centre z", "Ixx", "Ixy", "Iyy", "Ixz", "Iyz", "Izz",
    )  # fmt: skip
    assert columns(table)["unit"] == ("kg", *["mm"] * 3, *["kg m2"] * 6)
    assert_column(table, "value", [mass, *(1000.0 * com), *entries])
    # linear errors by differences of the physical parameters
    step = 1e-6 * np.eye(10)

    def physical(vector):
        changed = Load("tcp", vector, load.covariance)
        return np.array(
            [changed.mass, *(1000.0 * changed.com), *(changed.inertia[e] for e in order)]
        )

    slopes = np.array([(physical(parameters + d) - physical(parameters - d)) / 2e-6 for d in step])
    half = 1.959964 * np.linalg.norm(slopes.T @ root, axis=1)
    assert_column(table, "+- 95 %", half)
    assert "payload in tcp" in table.title
    gain, noise = np.array([1.5, 2.25, 31.0, 4.75]), np.array([0.1, 0.2, 0.3, 0.4])
    share = np.array([0.01, 0.02, 0.03, 0.04])
    gains = gain_table(DriveGains(gain, np.diag(share**2), np.inf, load, noise), robot)
    assert_column(gains, "torque per current", gain)
    assert_column(gains, "+- 95 % [%]", 195.9964 * share)
    assert_column(gains, "residuals [A]", noise)
    assert columns(gains)["unit"] == ("N m/A", "N m/A", "N/A", "N m/A")


def test_a_load_beside_its_limits():
    shares = [
        LoadShare(None, "load", 4.5, 6.0, "kg", False),
        LoadShare(4, "M4", 6.36, 8.5, "N m", True),
        LoadShare(6, "J6", 0.123456, np.inf, "kg m^2", False),
    ]
    table = load_check_table([("gun", shares)])
    assert table.heads == ("tool and payload", "load kg", "M4 N m", "J6 kg m2")
    assert table.rows == [
        ("gun", "4.5 of 6 (75 %)", "6.36 of 8.5* (75 %)", "0.1235, no limit known")
    ]
    assert "no load diagram" not in table.title


@pytest.mark.parametrize(("name", "axis"), [(SIX, 2), (SCARA, 3)])
def test_a_balancer_over_its_range(name, axis):
    robot = irb.load(name)
    q = np.array([-0.5, 0.0, 0.75])
    kinds = ("length_m", "force_N", "spring_N_m", "bodies_N_m", "motor_N_m")
    values = np.array([[0.5, 0.6, 0.7], [100, 200, 300], [-11, -12, -13], [21, 22, 23], [10, 9, 8]])
    record = {"part": "gas_spring", "axis": axis, "kind": "coil", "q_rad": q}
    record |= dict(zip(kinds, values, strict=True))
    table = balancer_table(record, robot)
    place, turning = ("mm", "N") if axis == 3 else ("deg", "N m")
    assert_column(table, f"axis {axis} {place}", 1000.0 * q if axis == 3 else np.degrees(q))
    assert_column(table, "length mm", 1000.0 * values[0])
    heads = ("force N", f"it takes {turning}", f"bodies {turning}", f"motor {turning}")
    for head, column in zip(heads, values[1:], strict=True):
        assert_column(table, head, column)
    assert table.title == f"{robot.name}: gas spring of axis {axis} (coil)"


@pytest.mark.parametrize(("axis", "ends"), [("axis_3", (-230.0, 55.0)), ("axis_2", (10.0, 90.0))])
def test_a_balancer_is_shown_at_the_ends_and_at_0(axis, ends, tmp_path):
    """Nine positions of the range, and 0 where it is inside."""
    (tmp_path / "own.yaml").write_text(
        f"""{{schema: 1, robot: irb1600_6_120, about: a, sources: {{b: {{ref: b, grade: measured}}}},
limits: {{axes: {{{axis}: {{range_deg: [{ends[0]}, {ends[1]}], source: b}}}}}},
springs: {{elements: {{coil: {{axis: {axis}, kind: torsion, k_N_m_rad: 30.0, rest_deg: 20.0, source: b}}}}}}}}"""
    )
    robot = irb.load("irb1600", overlays=[tmp_path / "own.yaml"])
    record = balancer_record(robot, "coil", robot.description.springs.elements["coil"])
    expected = np.linspace(*ends, 9)
    expected = np.sort(np.append(expected, 0.0)) if ends[0] < 0.0 else expected
    np.testing.assert_allclose(np.degrees(record["q_rad"]), expected, atol=1e-9)
    np.testing.assert_allclose(record["spring_N_m"], 30.0 * np.radians(expected - 20.0))


def test_an_excitation(rng):
    robot = irb.load(SIX)
    ranges = robot.limits.names()
    shares = {
        "range": rng.uniform(0.1, 1.0, len(ranges)),
        "speed": rng.uniform(0.1, 1.0, 6),
        "box": np.array([0.25, 0.5, 0.75]),
    }
    base = SimpleNamespace(names=("a", "b - c"), units=("kg m", "kg m^2"), rank=2, axes=range(6))
    made = SimpleNamespace(
        name="fourier", criterion="log det", robot=robot, base=base, shares=shares, condition=7.125,
        trajectory=SimpleNamespace(duration=12.5), logdet=-31.25, fullest="speed of axis 2", collision_free=True,
    )  # fmt: skip
    parameters, limits = excitation_tables(made)
    assert parameters.rows == [("1", "a", "kg m"), ("2", "b - c", "kg m^2")]
    assert columns(limits)["range of"] == tuple(ranges)
    assert columns(limits)["axis"][:6] == tuple(f"axis {i}" for i in range(1, 7))
    assert_column(limits, "range [%]", 100.0 * shares["range"])
    for cell, value in zip(columns(limits)["speed [%]"][:6], shares["speed"], strict=True):
        assert_shows(cell, 100.0 * value)
    assert limits.notes == ["box, x: 25.0 %", "box, y: 50.0 %", "box, z: 75.0 %"]
    assert excitation_lines(made) == [
        "fourier, 12.5 s, made for log det",
        "condition number 7.125 of 2 columns of unit length; log determinant -31.2",
        "fullest limit: speed of axis 2; the robot does not touch itself",
    ]


@pytest.mark.parametrize(("name", "axis"), [(SIX, 2), (SCARA, 3)])
def test_a_friction_test_and_its_law(name, axis, rng):
    """By hand: a stroke at v has ramps of v^2 / (2 a), which take v / a each."""
    robot = irb.load(name)
    q, speeds, travel = posture(robot, rng), np.array([0.01, 0.2, 0.5]), np.array([0.1, 0.15, 0.2])
    plan = FrictionPlan(robot, axis, q, speeds, travel, 2.0, 0.5, np.zeros(5))
    table = plan_table(plan)
    unit, factor = ("mm", 1000.0) if axis == 3 else ("deg", np.degrees(1.0))
    assert_column(table, f"speed [{unit}/s]", factor * speeds)
    assert_column(table, f"at it [{unit}]", factor * travel)
    assert_column(table, f"with ramps [{unit}]", factor * (travel + speeds**2 / 2.0))
    assert_column(table, "time [s]", travel / speeds + 2.0 * speeds / 2.0)
    slides = robot.limits.linear
    assert table.title.startswith(f"Axis {axis} of {robot.name} about (")
    shown = np.where(slides, 1000.0 * q, np.degrees(q))
    assert_shows(table.title.partition("(")[2], *shown)
    points = SimpleNamespace(axis=axis, linear=axis == 3, speed=np.linspace(0.01, 1.0, 23))
    values, spread = np.array([31.0, 24.5, 8.25, 0.125]), np.array([0.4, 0.3, 0.2, 0.01])
    law = FrictionFit(points, values, np.diag(spread**2), 1.0, ())
    fitted = fit_table([law])
    half = (law.intervals()[:, 1] - law.intervals()[:, 0]) / 2.0
    for head, value, width in zip(("Fs", "Fc", "Fv", "v_St"), values, half, strict=True):
        shown, _, bound = columns(fitted)[head][0].partition(" +- ")
        assert_shows(shown, value)
        assert_shows(bound, width)
    units = "N, N s/m, m/s" if axis == 3 else "N m, N m s/rad, rad/s"
    assert (columns(fitted)["units"], columns(fitted)["speeds"]) == ((units,), ("23",))


@pytest.mark.parametrize("name", ["irb1600_6_120", "irb930_12_105", "irb2400_10"])
def test_numbers_of_a_robot_are_those_of_its_files(name):
    """Lengths, limits, ratings, bodies and friction as the files of a first variant state them, read
    without this package; a star marks what the grade of its source calls assumed.
    """
    description = irb.describe(name)
    lengths, limits, *others = info_tables(description)

    def raw(key):
        return yaml.safe_load((description.folder / f"{key}.yaml").read_text())

    kinematics = raw("kinematics")
    heads = {"alpha deg": "alpha_deg", "a mm": "a_mm", "d mm": "d_mm", "theta0 deg": "theta0_deg"}
    shown = {row[0]: dict(zip(lengths.heads, row, strict=True)) for row in lengths.rows}
    for joint, values in (kinematics["joints"] | {"tool0": kinematics["tool0"]}).items():
        assert {head: float(shown[joint][head]) for head in heads} == {
            head: values[key] for head, key in heads.items()
        }
        assert shown[joint]["source"] == values["source"]
    stated = raw("limits")

    def text(values, key):
        source = values["source"] if isinstance(values["source"], str) else values["source"][key]
        star = "*" * (stated["sources"][source]["grade"] == "assumed")
        numbers = values[key] if isinstance(values[key], list) else [values[key]]
        return [f"{number:g}{star}" for number in numbers]

    shown = {row[0]: row for row in limits.rows}
    for axis, values in stated["axes"].items():
        place, turning = ("mm", "N") if "range_mm" in values else ("deg", "N_m")
        keys = (f"range_{place}", f"speed_{place}_s", f"effort_{turning}")
        assert shown[axis.removeprefix("axis_")][2:7] == (
            *(cell for key in keys for cell in text(values, key)),
            f"{place}, {turning.replace('_', ' ')}",
        )
    for key in ("payload_kg", "reach_mm", "mass_kg", "repeatability_mm"):
        assert [shown[key.replace("_", " ")][3]] == text(stated["ratings"], key)
    tables = {table.title: table for table in others}
    bodies = raw("inertials")
    for chosen, entry in bodies["sets"].items():
        default = ", the default" if chosen == bodies["default"] else ""
        table = tables[f"inertials in the link frames: set {chosen}{default}"]
        for link, *cells in table.rows:
            body = entry["links"][link]
            assert_shows(cells[0], body["mass_kg"])
            assert_shows(cells[1], *body["com_mm"])
            xx, xy, xz, yy, yz, zz = (
                body["inertia_kg_m2"][key] for key in ("xx", "xy", "xz", "yy", "yz", "zz")
            )
            moments = np.linalg.eigvalsh([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])
            assert_shows(cells[2], *moments)
    friction = raw("friction") if (description.folder / "friction.yaml").exists() else {}
    if friction.get("default"):
        (table,) = (table for title, table in tables.items() if title.startswith("Stribeck"))
        axes = friction["sets"][friction["default"]]["axes"].values()
        for row, values in zip(table.rows, axes, strict=True):
            keys = ("Fs_N_m", "Fc_N_m", "Fv_N_m_s", "v_St_rad_s")
            assert_shows(" ".join(row[1:5]), *(values[key] for key in keys))


def test_rows_of_a_table_beside_the_joints():
    """Crank and pins of palletizers, where an arm stands, drives and a drive that another turns."""
    lengths = info_tables(irb.describe("irb460"))[0]
    raw = yaml.safe_load((irb.describe("irb460").folder / "kinematics.yaml").read_text())
    shown = {row[0]: dict(zip(lengths.heads, row, strict=True)) for row in lengths.rows}
    assert float(shown["crank"]["a mm"]) == raw["parallelogram"]["crank_mm"]
    for pin in ("lower_pin", "upper_pin"):
        row = shown[f"{pin}: ahead, up"]
        assert [float(row[head]) for head in ("a mm", "d mm")] == raw["level"][f"{pin}_mm"]
    assert [shown[f"joint_{i}"]["variable"] for i in (1, 2, 3)] == ["q1", "q2", "q3 - q2"]
    first = info_tables(irb.describe("irb14000_left"))[0].rows[0]
    assert first[:6] == ("arm_base", "", "xyz 0 50 384", "", "rpy -20 60 0", "")
    description = irb.describe("irb1400")
    (drives,) = (one for one in info_tables(description) if one.title.startswith("drives"))
    motor = yaml.safe_load((description.folder / "drives.yaml").read_text())["axes"]["axis_1"]
    row = dict(zip(drives.heads, drives.rows[0], strict=True))
    for head, key in (
        ("gear ratio", "gear_ratio"), ("rotor kg m2", "rotor_inertia_kg_m2"),
        ("stiffness N m/rad", "stiffness_N_m_rad"), ("viscous N m s/rad", "viscous_N_m_s_rad"),
    ):  # fmt: skip
        assert float(row[head]) == motor[key]
    assert (row["axis"], row["turned by"], row["Coulomb N m"]) == ("1", "", "")


def test_turned_drives_are_named(tmp_path):
    (tmp_path / "wrist.yaml").write_text(
        """{schema: 1, robot: irb1600_6_120, about: a, sources: {b: {ref: b, grade: measured}},
drives: {axes: {axis_5: {gear_ratio: 70.0, turned_by: {axis_4: -35.0}, source: b}}}}"""
    )
    robot = irb.load("irb1600", overlays=[tmp_path / "wrist.yaml"])
    (drives,) = (one for one in info_tables(robot.description) if one.title.startswith("drives"))
    assert drives.rows[0][:3] == ("5", "70", "4: -35")


@pytest.mark.parametrize(
    ("difference", "shown"),
    [(0.0, "1e-12"), (2e-12, "1e-09"), (2e-9, "1e-06"), (1.5e-6, "2e-06"), (np.nan, "-")],
)
def test_differences_of_other_tools_are_bounds(difference, shown):
    """The smallest of 1e-12, 1e-9 and 1e-6 above it, beyond these the difference."""
    cells = verdict_cells(Verdict("urdf", "mujoco", 0.5, difference, 0.0, 0.0, 1e-6, "friction"))
    assert cells == ("urdf", "mujoco", "5e-01", shown, "kept", "kept", "friction")
    wrong = verdict_cells(Verdict("urdf", "mujoco", 0.0, 0.0, 12.345, 0.02, 1e-6, ""))
    assert wrong[4:6] == ("12.3 kg missing", "2e-02 off")
    absent = verdict_cells(Verdict("urdf", "mujoco", np.nan, 1.0, 1.0, 1.0, 1e-6, "all"))
    assert absent == ("urdf", "mujoco", "-", "-", "-", "-", "all")


def test_agreements_show_difference_and_bound():
    rows = [
        Agreement("pose", "mujoco", 3.4e-14, 1e-12), Agreement("torque", "drake", 2e-9, 1e-9),
        Agreement("energy", "pybullet", np.nan, 1e-8),
    ]  # fmt: skip
    assert agreement_table(rows, irb.load(SIX)).rows == [
        ("pose", "mujoco", "3.4e-14", "1e-12", "agrees"),
        ("torque", "drake", "2.0e-09", "1e-09", "DIFFERS"),
        ("energy", "pybullet", "-", "-", "not compared"),
    ]
