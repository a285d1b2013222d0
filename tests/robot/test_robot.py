"""The facade: units, other robots from one, messages, and what cannot be changed."""

from __future__ import annotations

import copy
import pickle
import re
import warnings
from dataclasses import replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from hypothesis import given, settings
from hypothesis import strategies as st

import irbmodels as irb
from irbmodels.model.tree import tree_from_urdf

TILT = (oracles.rotation(0, 0.6) @ oracles.rotation(1, -1.1))[:3, :3]


def same_answers(one: irb.Robot, other: irb.Robot, name: str, tolerance: float = 0.0) -> None:
    """Compare pose and torque of three states; exactly, unless a tolerance (of the largest torque)
    is given.
    """
    for q, v, a in oracles.states(name, 3):
        np.testing.assert_allclose(
            one.pose(q).homogeneous, other.pose(q).homogeneous, rtol=0, atol=min(tolerance, 1e-13)
        )
        expected = other.inverse_dynamics(q, v, a, friction=False)
        actual = one.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(
            actual, expected, rtol=0, atol=tolerance * np.abs(expected).max()
        )


def test_controller_units_of_a_six_axis_arm():
    """Degrees become radians and come back."""
    robot = irb.load("irb2400")
    q = robot.from_controller([0, 20, 10, -30, 90, 180])
    np.testing.assert_allclose(q, np.radians([0, 20, 10, -30, 90, 180]), rtol=1e-15)
    np.testing.assert_allclose(robot.to_controller(q), [0, 20, 10, -30, 90, 180], rtol=1e-15)


def test_controller_units_of_a_scara():
    """The linear axis counts in millimetres, the others in degrees; leading axes stay."""
    robot = irb.load("irb930")
    shown = np.array([[90, -45, -120, 30], [0, 10, -300, -60.0]])
    q = robot.from_controller(shown)
    np.testing.assert_allclose(q[0], [np.pi / 2, -np.pi / 4, -0.120, np.pi / 6], rtol=1e-15)
    np.testing.assert_allclose(robot.to_controller(q), shown, rtol=1e-14)
    np.testing.assert_allclose(robot.to_controller(q[1]), shown[1], rtol=1e-14)


BAD_POSITIONS = {
    "degrees": (
        "irb2400",
        [0, 20, 10, 0, 30, 0],
        "q5 = 30 rad .*more than three times the largest limit.*from_controller",
    ),
    "millimetres": (
        "irb930",
        [0, 0, -120, 0],
        "q3 = -120 m .*more than three times the largest limit.*from_controller",
    ),
    "not a number": ("irb2400", [0, np.nan, 0, 0, 0, 0], "q of irb2400_16 is not finite"),
    "infinite": ("irb2400", [0, 0, 0, 0, 0, -np.inf], "q of irb2400_16 is not finite"),
    "five numbers": (
        "irb2400",
        [0, 0, 0, 0, 0],
        r"q of irb2400_16 needs shape \(6,\) or \(\.\.\., 6\), got \(5,\)",
    ),
    "one number": ("irb2400", 0.0, r"needs shape \(6,\) or \(\.\.\., 6\), got \(\)"),
    "columns of samples": ("irb2400", np.zeros((6, 4)), r"got \(6, 4\)"),
    "words": ("irb2400", ["a"] * 6, "q of irb2400_16 is not an array of numbers"),
    "ragged": ("irb2400", [[0.0], [0.0, 1.0]], "q of irb2400_16 is not an array of numbers"),
    "nothing": ("irb2400", None, "needs shape|not an array"),
}
ASKS = {
    "pose": lambda robot, q: robot.pose(q),
    "jacobian": lambda robot, q: robot.jacobian(q),
    "gravity": lambda robot, q: robot.gravity(q),
    "mass_matrix": lambda robot, q: robot.mass_matrix(q),
    "in_range": lambda robot, q: robot.in_range(q),
    "to_controller": lambda robot, q: robot.to_controller(q),
    "coriolis": lambda robot, q: robot.coriolis(q, np.zeros(robot.n)),
    "energy": lambda robot, q: robot.energy(q, np.zeros(robot.n)),
    "inverse_dynamics": lambda robot, q: robot.inverse_dynamics(
        q, np.zeros(robot.n), np.zeros(robot.n), friction=False
    ),
    "forward_dynamics": lambda robot, q: robot.forward_dynamics(
        q, np.zeros(robot.n), np.zeros(robot.n), friction=False
    ),
    "regressor": lambda robot, q: robot.regressor(q, np.zeros(robot.n), np.zeros(robot.n)),
    "violations": lambda robot, q: robot.violations(q),
}


@together("ask", ASKS)
@together("case", BAD_POSITIONS)
def test_bad_position_is_refused_by_every_query(case, ask):
    """One state must be finite, of the right shape and near its range; the message says what it was
    and what it may be.
    """
    name, q, message = BAD_POSITIONS[case]
    with pytest.raises(irb.InputError, match=message):
        ASKS[ask](irb.load(name), q)


@pytest.mark.parametrize("what", ["v", "a", "tau"])
@pytest.mark.parametrize("value", [np.nan, np.inf])
def test_bad_rates_are_refused(what, value):
    """Speed, acceleration and torque of one state must be finite, in every query that takes them,
    and are named.
    """
    robot, good, bad = irb.load("irb2400"), np.zeros(6), np.zeros(6)
    bad[3] = value
    asks = {
        "v": [
            lambda: robot.inverse_dynamics(good, bad, good),
            lambda: robot.forward_dynamics(good, bad, good),
            lambda: robot.coriolis(good, bad),
            lambda: robot.friction(bad),
            lambda: robot.energy(good, bad),
            lambda: robot.regressor(good, bad, good),
            lambda: robot.torque_parts(good, bad, good),
        ],
        "a": [
            lambda: robot.inverse_dynamics(good, good, bad),
            lambda: robot.regressor(good, good, bad),
            lambda: robot.torque_parts(good, good, bad),
        ],
        "tau": [lambda: robot.forward_dynamics(good, good, bad)],
    }
    for ask in asks[what]:
        with pytest.raises(irb.InputError, match=f"^{what} of irb2400_16 is not finite"):
            ask()


def test_rates_of_the_wrong_shape_are_refused():
    """Speeds and accelerations need one entry per axis."""
    robot, good = irb.load("irb2400"), np.zeros(6)
    with pytest.raises(irb.InputError, match=r"v of irb2400_16 needs shape .* got \(5,\)"):
        robot.inverse_dynamics(good, np.zeros(5), good)
    with pytest.raises(irb.InputError, match=r"a of irb2400_16 needs shape .* got \(7,\)"):
        robot.inverse_dynamics(good, good, np.zeros(7))
    with pytest.raises(irb.InputError, match="tau of irb2400_16"):
        robot.forward_dynamics(good, good, 3.0)


def test_batches_that_do_not_fit_are_refused():
    """Three positions and two speeds make no batch."""
    robot = irb.load("irb2400")
    for ask in (robot.inverse_dynamics, robot.forward_dynamics, robot.regressor):
        with pytest.raises(ValueError, match=r"shape|broadcast"):
            ask(np.zeros((3, 6)), np.zeros((2, 6)), np.zeros((3, 6)))


@pytest.mark.parametrize(
    "wrench", [[1, 2, 3], np.full(6, np.nan), np.zeros((6, 1)), {"tcp": [0, 0, 1]}]
)
def test_bad_wrench_is_refused(wrench):
    """A wrench is six finite numbers, and the frame it acts on is named."""
    robot, zero = irb.load("irb2400"), np.zeros(6)
    for ask in (robot.inverse_dynamics, robot.forward_dynamics):
        with pytest.raises(irb.InputError, match="wrench at tcp needs six finite numbers"):
            ask(zero, zero, zero, wrench=wrench)


def test_unknown_frames_and_axes_name_the_nearest():
    """Pinocchio would answer for a frame that does not exist; Robot names the nearest."""
    robot, q = irb.load("irb2400"), np.zeros(6)
    for ask in (robot.pose, robot.jacobian):
        with pytest.raises(irb.UnknownName, match="no frame 'link3'; did you mean 'link_3'"):
            ask(q, "link3")
    with pytest.raises(irb.UnknownName, match="no frame 'tpc'; did you mean 'tcp'"):
        robot.inverse_dynamics(q, q, q, wrench={"tpc": np.zeros(6)})
    with pytest.raises(irb.UnknownName, match="no axes 'lokal'; did you mean 'local'"):
        robot.jacobian(q, axes="lokal")


@pytest.mark.parametrize("point", [[0, 0], [0, 0, np.nan], "abc", [[0, 0, 0]]])
def test_bad_point_is_refused(point):
    """A point is three finite numbers."""
    robot = irb.load("irb2400")
    for ask in (robot.pose, robot.jacobian):
        with pytest.raises(irb.InputError, match=r"point \[m\]"):
            ask(np.zeros(6), point=point)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"parameters": "jia"}, "no parameter set of irb2400_16 'jia'; did you mean 'jia2018'"),
        (
            {"coupling": "paralel"},
            "no coupling of irb2400_16 'paralel'; did you mean 'parallelogram'",
        ),
        ({"tool": "spindel"}, "no tool 'spindel'; did you mean 'spindle'"),
    ],
)
def test_unknown_choices_of_load_name_the_nearest(arguments, message):
    """Sets, couplings and tools are told apart by name."""
    with pytest.raises(irb.UnknownName, match=message):
        irb.load("irb2400", **arguments)


@pytest.mark.parametrize("gravity", [[0, 0], 9.81, [0, 0, np.nan], "down", None])
def test_bad_gravity_is_refused(gravity):
    """Gravity is three finite numbers."""
    with pytest.raises(irb.InputError, match="gravity"):
        irb.load("irb2400").with_gravity(gravity)


@pytest.mark.parametrize(
    "mount",
    [
        np.diag([1, 1, -1.0]),
        2 * np.eye(3),
        np.eye(2),
        np.full((3, 3), np.nan),
        np.zeros(3),
        np.ones((4, 4)),
    ],
)
def test_bad_mounting_is_refused(mount):
    """A mounting is a rotation or a pose: no mirror, no stretch."""
    with pytest.raises(irb.InputError, match="mounting needs a rotation"):
        irb.load("irb2400").mounted(mount)


@pytest.mark.parametrize(
    ("rotors", "message"),
    [
        ([1] * 5, "rotor inertias"),
        ([1, 1, 1, 1, 1, -1], "negative"),
        ([np.inf] * 6, "rotor inertias"),
    ],
)
def test_bad_rotors_are_refused(rotors, message):
    """Rotor inertias are one number per axis, none negative."""
    with pytest.raises(irb.InputError, match=message):
        irb.load("irb2400").with_rotors(rotors)


def test_mounting_takes_rotation_pose_or_se3():
    """Of a pose only the rotation turns gravity; poses of the robot stay in base axes."""
    robot, q = irb.load("irb1600"), oracles.states("irb1600_6_120", 1)[0, 0]
    pose = oracles.shift(1, 2, 3)
    pose[:3, :3] = TILT
    expected = robot.with_gravity(TILT.T @ [0, 0, -9.81]).gravity(q)
    for mount in (TILT, pose, pin.SE3(pose)):
        np.testing.assert_allclose(robot.mounted(mount).gravity(q), expected, atol=1e-12)
        np.testing.assert_array_equal(
            robot.mounted(mount).pose(q).homogeneous, robot.pose(q).homogeneous
        )


@pytest.mark.parametrize(
    ("name", "parameters"),
    [
        ("irb2400_16", "obal2025"),
        ("irb1400", "stretched"),
        ("irb1400", "cad_lumped"),
        ("irb1600_10_145", "cad"),
        ("irb930_22_105", "cad"),
    ],
)
def test_swapping_a_tool_is_building_with_it(name, parameters):
    """with_tool gives the robot of the URDF that xacro builds with that tool; taking it off gives
    the bare one again.
    """
    bare = irb.load(name, parameters=parameters)
    held = bare.with_tool("spindle")
    same_answers(irb.load(name, tool="spindle", parameters=parameters), held, name)
    same_answers(held.with_tool(None), bare, name)
    same_answers(held.with_tool("spindle"), held, name)
    tree = tree_from_urdf(irb.describe(name).urdf("serial", parameters, "spindle", looks=False))
    A, data = irb.describe(name).dh("modified").A, tree.model.createData()
    for q, v, a in oracles.states(name, 3):
        tau = A.T @ pin.rnea(tree.model, data, A @ q, A @ v, A @ a)
        np.testing.assert_allclose(
            held.inverse_dynamics(q, v, a, friction=False),
            tau,
            rtol=0,
            atol=1e-12 * np.abs(tau).max(),
        )
        pin.framesForwardKinematics(tree.model, data, A @ q)
        np.testing.assert_allclose(
            held.pose(q).homogeneous, data.oMf[tree.frame("tcp")].homogeneous, atol=1e-13
        )


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400"])
def test_swapping_a_tool_is_building_with_it_where_bars_weigh(name):
    """As above on the parallelogram's own URDF, its carriers without mass."""
    bare = irb.load(name, parameters="cad")
    held = bare.with_tool("spindle")
    same_answers(irb.load(name, tool="spindle", parameters="cad"), held, name)
    same_answers(held.with_tool(None), bare, name)
    tree = tree_from_urdf(
        irb.describe(name).urdf("parallelogram", "cad", "spindle", carrier_kg=0.0, looks=False)
    )
    (G, q0), data = held.coupling, tree.model.createData()
    assert list(tree.model.names) == list(held.model.names)
    for q, v, a in oracles.states(name, 3):
        tau = G.T @ pin.rnea(tree.model, data, G @ q + q0, G @ v, G @ a)
        np.testing.assert_allclose(
            held.inverse_dynamics(q, v, a, friction=False),
            tau,
            rtol=0,
            atol=1e-12 * np.abs(tau).max(),
        )
        pin.framesForwardKinematics(tree.model, data, G @ q + q0)
        np.testing.assert_allclose(
            held.pose(q).homogeneous, data.oMf[tree.frame("tcp")].homogeneous, atol=1e-13
        )


def test_tool_moves_with_the_bars_tree_too():
    """The TCP of a tool is the same on the tree that holds the bars."""
    robot, q = irb.load("irb2400", tool="spindle"), oracles.states("irb2400_16", 1)[0, 0]
    other = irb.load("irb2400", tool="spindle", coupling="parallelogram")
    np.testing.assert_allclose(robot.pose(q).homogeneous, other.pose(q).homogeneous, atol=1e-14)


def test_everything_else_is_kept_by_each_change():
    """Tool, payload, gravity, rotors, parameters and tree change one at a time, in any order."""
    body = irb.payload(3.0, [0, 0, 0.1])
    changes = [
        lambda robot: robot.with_tool("spindle"),
        lambda robot: robot.with_payload(body),
        lambda robot: robot.mounted(TILT),
        lambda robot: robot.with_rotors([1, 2, 3, 4, 5, 6]),
        lambda robot: robot.with_parameters("jia2018"),
    ]
    one = other = irb.load("irb2400")
    for change in changes:
        one = change(one)
    for change in reversed(changes):
        other = change(other)
    same_answers(one, other, "irb2400_16")
    assert one.parameters == "jia2018"
    assert one.tool.name == "spindle"
    np.testing.assert_array_equal(one.rotors, [1, 2, 3, 4, 5, 6])
    arm = oracles.carrying(
        oracles.arm("irb2400_16", "jia2018"), *oracles.SPINDLE, oracles.SPINDLE_TCP
    )
    arm = oracles.carrying(arm, body.mass, body.com, body.tensor)
    q, v, a = oracles.states("irb2400_16", 1, seed=9)[0]
    expected = (
        oracles.newton_euler(arm, q, v, a, TILT.T @ oracles.GRAVITY) + np.arange(1.0, 7.0) * a
    )
    np.testing.assert_allclose(
        one.inverse_dynamics(q, v, a, friction=False),
        expected,
        rtol=0,
        atol=1e-11 * abs(expected).max(),
    )


DRIVES = """
robot: irb2400
about: drives of every axis
sources: {motors: {ref: made up, grade: measured}}
drives: {axes: {ROWS}}
""".replace(
    "ROWS",
    ", ".join(
        f"axis_{i}: {{gear_ratio: {90 + i}, rotor_inertia_kg_m2: 0.001, source: motors}}"
        for i in range(1, 7)
    ),
)
SET = """
robot: irb2400
about: a set of a file, with friction and rotors of its own
sources: {bench: {ref: made up, grade: measured}}
inertials:
  default: bench
  sets:
    bench:
      about: heavier forearm
      links: {link_4: {mass_kg: 40, com_mm: [20, 0, -150], source: bench}}
      rotors: {axis_1: {inertia_kg_m2: 7, source: bench}, axis_5: {inertia_kg_m2: 2, source: bench}}
friction:
  default: bench
  sets: {bench: {axes: {axis_2: {Fs_N_m: 200, Fc_N_m: 150, Fv_N_m_s: 11, v_St_rad_s: 0.1, source: bench}}}}
drives: {axes: {axis_3: {rotor_inertia_kg_m2: 0.002, source: bench}}}
"""
LAW = irb.Stribeck([9.0] * 6, [7.0] * 6, np.arange(6.0), [0.2] * 6)
URDF = irb.urdf_path("irb2400")
CALLS = {
    "with_tool": [
        "spindle",
        None,
        irb.Tool("block", pin.SE3(np.eye(3), np.array([0.0, 0.1, 0.2])), irb.payload(1.5)),
    ],
    "with_payload": [irb.payload(2.0, [0.1, 0.0, 0.05]), irb.payload(1.0), None],
    "with_gravity": [[0.0, 0.0, -1.62], [1.0, -2.0, -9.0]],
    "mounted": [TILT, np.diag([1.0, -1.0, -1.0]), np.eye(3)],
    "with_friction": [LAW, None],
    "with_rotors": [np.arange(1.0, 7.0), None],
    "with_drives": [np.eye(6) + np.eye(6, k=-1) / 3.0, None],
}


@pytest.fixture(scope="module")
def bench(tmp_path_factory):
    """Folder with a file of parameters, and one of drives."""
    folder = tmp_path_factory.mktemp("bench")
    for name, text in (("set", SET), ("drives", DRIVES)):
        (folder / f"{name}.yaml").write_text(text, encoding="utf-8")
    return folder


def made(robot: irb.Robot, calls) -> irb.Robot:
    """Call one after the other on a robot, and use every intermediate one as a program would."""
    for method, argument in calls:
        robot.mass_matrix(np.zeros(6))
        robot = getattr(robot, method)(argument)
    return robot


def everything(robot: irb.Robot) -> dict[str, object]:
    """All that a robot is and answers at one state, as values that can be compared."""
    q, v, a = oracles.states("irb2400_16", 1, seed=4)[0]
    law, tool = robot.friction_model, robot.tool
    with warnings.catch_warnings():
        # said once per robot's name: no friction data
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        moving = robot.inverse_dynamics(q, v, a)
        back = robot.forward_dynamics(q, v, moving)
    return {
        "text": repr(robot),
        "parameters": robot.parameters,
        "law": None if law is None else [law.Fs, law.Fc, law.Fv, law.v_St],
        "rotors": [robot.rotors, robot.drive_axes],
        "tool": None if tool is None else [tool.name, tool.tcp.homogeneous, *tool.load],
        "payload": robot.payload,
        "gravity": robot.gravity_vector,
        "coupling": robot.coupling,
        "frames": robot.frames,
        "pose": robot.pose(q).homogeneous,
        "rod": robot.pose(q, robot.frames[-2]).homogeneous,
        "M": robot.mass_matrix(q),
        "C": robot.coriolis(q, v),
        "g": robot.gravity(q),
        "tau": moving,
        "a": back,
        "Y": robot.regressor(q, v, a),
        "x": robot.parameter_vector(),
        "energy": robot.energy(q, v),
        "sensor": robot.sensor(q, v, a),
        "violations": [str(line) for line in robot.violations(q, v, moving)],
    }


def same_robot(one: irb.Robot, other: irb.Robot) -> None:
    """Compare two robots in everything, to the last bit."""
    left, right = everything(one), everything(other)
    for name in left:
        np.testing.assert_equal(left[name], right[name], err_msg=name)
    assert one == other
    assert hash(one) == hash(other)


@st.composite
def two_orders(draw, calls):
    """Some calls, each method perhaps more than once, and the last call of each method alone in
    another order.
    """
    methods = draw(st.lists(st.sampled_from(sorted(calls)), max_size=9))
    chosen = [(method, draw(st.sampled_from(calls[method]))) for method in methods]
    return chosen, draw(st.permutations(list(dict(chosen).items())))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data(), coupling=st.sampled_from([None, "parallelogram"]))
def test_any_order_of_choices_gives_the_same_robot(bench, data, coupling):
    """Tool, payload, set, gravity, mount, friction and rotors: the last of each kind counts, and
    nothing of the order.
    """
    one, other = data.draw(
        two_orders(CALLS | {"with_parameters": ["jia2018", "cad", None, bench / "set.yaml"]})
    )
    robot = irb.load("irb2400", coupling=coupling, overlays=[bench / "drives.yaml"])
    same_robot(made(robot, one), made(robot, other))


@settings(max_examples=25, deadline=None, derandomize=True)
@given(data=st.data())
def test_any_order_of_choices_gives_the_same_robot_of_a_urdf(data):
    """As above for a robot that has no tables, and so neither another set nor drives."""
    one, other = data.draw(two_orders(CALLS | {"with_rotors": [np.arange(1.0, 7.0), np.zeros(6)]}))
    robot = irb.from_urdf(irb.urdf_path("irb1600"))
    same_robot(made(robot, one), made(robot, other))


def test_what_is_given_stays_through_another_set(bench):
    """A law, no law and rotors given in code hold before and after a set; a set by name drops the
    file before it.
    """
    robot, file = irb.load("irb2400"), bench / "set.yaml"
    assert robot.with_friction(LAW).with_parameters("cad").friction_model.same_as(LAW)
    assert robot.with_friction(None).with_parameters("cad").friction_model is None
    assert robot.with_friction(None).with_parameters(file).friction_model is None
    assert robot.with_parameters(file).friction_model.Fs[1] == 200.0
    assert robot.with_parameters(file).rotors.tolist() == [7, 0, 0, 0, 2, 0]
    assert robot.with_rotors([1] * 6).with_parameters(file).rotors.tolist() == [1] * 6
    same_robot(
        robot.with_parameters(file).with_parameters("cad"), irb.load("irb2400", parameters="cad")
    )
    same_robot(
        robot.with_parameters(file).with_parameters("bench"), irb.load("irb2400", parameters=file)
    )
    with pytest.raises(irb.UnknownName, match="no parameter set of irb2400_16 'bench'"):
        robot.with_parameters(file).with_parameters("cad").with_parameters("bench")


def test_an_open_chain_that_was_asked_for_stays_one():
    """No set with heavy bars turns it into the parallelogram tree in silence."""
    with pytest.raises(
        irb.InputError, match="bars with mass; they exist only on the parallelogram tree"
    ):
        irb.load("irb2400", coupling="serial").with_parameters("cad")


@pytest.mark.parametrize(
    "again", [copy.copy, copy.deepcopy, lambda robot: pickle.loads(pickle.dumps(robot))]
)
def test_copies_are_the_same_robot_and_can_be_changed(again):
    """A copied or pickled robot answers alike, and takes further choices."""
    robot = made(irb.load("irb2400"), [(method, choices[0]) for method, choices in CALLS.items()])
    same_robot(again(robot), robot)
    same_robot(
        again(robot).with_friction(None).with_tool(None), robot.with_tool(None).with_friction(None)
    )


def test_another_set_keeps_the_tree():
    """A robot on the parallelogram tree stays on it with another set of inertials."""
    robot = irb.load("irb2400", coupling="parallelogram").with_parameters("jia2018")
    assert robot.coupling[0].shape == (10, 6)
    assert robot.parameters == "jia2018"


def test_default_set_comes_back():
    """with_parameters(None) is the robot's own set."""
    same_answers(
        irb.load("irb2400", parameters="jia2018").with_parameters(None),
        irb.load("irb2400"),
        "irb2400_16",
    )


def test_moon():
    """Gravity scales with gravity."""
    robot, q = irb.load("irb2400"), oracles.states("irb2400_16", 1)[0, 0]
    np.testing.assert_allclose(
        robot.with_gravity([0, 0, -1.62]).gravity(q),
        robot.gravity(q) * 1.62 / 9.81,
        rtol=0,
        atol=1e-12,
    )


def test_robot_cannot_be_changed():
    """A robot is a value: no attribute and no shared array can be written."""
    for robot in (
        irb.load("irb2400"),
        irb.load("irb2400", tool="spindle").with_rotors([1] * 6),
        irb.load("irb930"),
    ):
        for name in ("name", "n", "limits", "of_a_subclass"):
            with pytest.raises(AttributeError, match=f"{robot.name} is immutable, '{name}' cannot"):
                setattr(robot, name, "other")
        with pytest.raises(AttributeError, match="immutable"):
            del robot.n
        for array in (robot.rotors, *robot.coupling, robot.limits.lower):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 5.0


@pytest.mark.parametrize("load", [lambda: irb.load("irb2400"), lambda: irb.from_urdf(URDF)])
def test_robots_are_equal_by_value(load):
    """The same tables or URDF make equal robots, and their parts are equal; each choice counts."""
    robot, again = load(), load()
    assert robot is not again
    assert robot == again
    assert robot.limits == again.limits
    assert robot.friction_model == again.friction_model
    with_tool = robot.with_tool("spindle")
    assert with_tool.tool == again.with_tool("spindle").tool
    assert len({robot, again, with_tool, again.with_tool("spindle")}) == 2
    changes = [(method, choices[0]) for method, choices in CALLS.items() if method != "with_tool"]
    others = [with_tool, *(made(robot, [change]) for change in changes)]
    assert len({robot, *others}) == 1 + len(others)


def test_robots_of_other_tables_are_unequal():
    """Another set, another tree and a URDF of the same arm are other robots."""
    robot = irb.load("irb2400")
    assert robot == irb.load("irb2400_16", parameters=robot.parameters)
    for other in (
        irb.load("irb2400", parameters="cad"),
        irb.load("irb2400", coupling="parallelogram"),
        irb.from_urdf(URDF),
        irb.load("irb120"),
        "irb2400_16",
    ):
        assert robot != other


@pytest.mark.parametrize("method", ["inverse_dynamics", "pose", "in_range", "with_payload"])
def test_a_call_without_arguments_names_the_method_of_robot(method):
    """Not that of a private class which Robot is made of; and a method can be pickled."""
    with pytest.raises(TypeError, match=rf"^Robot\.{method}\(\) missing"):
        getattr(irb.load("irb2400"), method)()
    assert pickle.loads(pickle.dumps(getattr(irb.Robot, method))) is getattr(irb.Robot, method)


def test_changing_what_a_robot_hands_out_changes_no_robot():
    """The model is a copy; the arrays that went in are copied."""
    robot, (q, v, a) = irb.load("irb2400", tool="spindle"), oracles.states("irb2400_16", 1)[0]
    before = robot.inverse_dynamics(q, v, a)
    model = robot.model
    model.gravity = pin.Motion.Zero()
    for i in range(model.njoints):
        model.inertias[i] = pin.Inertia.Zero()
    dh = robot.dh()
    dh.d[:] = dh.A[:] = 7.0
    gravity, rotors = np.array([0, 0, -9.81]), np.ones(6)
    tilted, heavy = robot.with_gravity(gravity), robot.with_rotors(rotors)
    gravity[:] = rotors[:] = 100.0
    np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a), before)
    np.testing.assert_array_equal(tilted.inverse_dynamics(q, v, a), before)
    np.testing.assert_array_equal(heavy.rotors, np.ones(6))


def test_robots_from_one_robot_share_nothing_that_changes():
    """Using one robot leaves the others as they were."""
    robot, (q, v, a) = irb.load("irb2400"), oracles.states("irb2400_16", 1)[0]
    before = robot.inverse_dynamics(q, v, a)
    for other in (
        robot.with_tool("spindle"),
        robot.with_payload(irb.payload(5)),
        robot.mounted(TILT),
        robot.with_rotors([1] * 6),
    ):
        other.inverse_dynamics(q, v, a)
        np.testing.assert_array_equal(robot.inverse_dynamics(q, v, a), before)


def test_model_and_coupling_go_together():
    """The model a robot hands out, asked through its coupling, gives the robot's torques."""
    q, v, a = oracles.states("irb2400_16", 1)[0]
    for coupling in ("serial", "parallelogram"):
        robot = irb.load("irb2400", tool="spindle", coupling=coupling).mounted(TILT)
        model, (G, q0) = robot.model, robot.coupling
        tau = G.T @ pin.rnea(model, model.createData(), G @ q + q0, G @ v, G @ a)
        np.testing.assert_allclose(tau, robot.inverse_dynamics(q, v, a, friction=False), rtol=1e-13)


def test_repr_says_what_is_loaded_and_what_is_not_known():
    """The short text names robot, set, friction, tool and payload."""
    assert (
        repr(irb.load("irb2400"))
        == "<Robot irb2400_16: 6 axes, parameters obal2025, Stribeck friction>"
    )
    robot = irb.load("irb930", tool="spindle").with_payload(irb.payload(2.5))
    assert (
        repr(robot)
        == "<Robot irb930_12_105: 4 axes, parameters cad, no friction data, tool spindle, payload"
        " 2.5 kg>"
    )
    read = irb.from_urdf(irb.urdf_path("irb1600"))
    assert repr(read) == "<Robot irb1600_6_120: 6 axes, parameters of the URDF, no friction data>"


def test_printed_set_warns_and_names_its_impossible_links():
    """Tab. 3 as printed loads under its own name, and says at the caller's line which links no body
    can be.
    """
    with pytest.warns(irb.PhysicsWarning) as caught:
        robot = irb.load("irb2400", parameters="obal2025_printed")
    assert len(caught) == 1
    text = str(caught[0].message)
    named, reasons = text.split(": ", 1)
    assert named.endswith("impossible in link_2, link_3, link_4, link_6")
    assert re.findall(r"(link_\d): ", reasons) == ["link_2", "link_3", "link_4", "link_6"]
    assert caught[0].filename == __file__
    assert robot.parameters == "obal2025_printed"


def test_warning_of_another_set_points_to_the_caller():
    """with_parameters warns of an impossible set at the line that asked for it, as load does."""
    with pytest.warns(irb.PhysicsWarning, match="obal2025_printed") as caught:
        irb.load("irb2400").with_parameters("obal2025_printed")
    assert caught[0].filename == __file__


@together("name", oracles.NAMES)
def test_default_robots_load_without_a_warning(name):
    """Default sets are possible bodies: nothing to warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert irb.load(name).n == len(oracles.rows(name))


def test_robot_of_a_urdf_knows_what_it_does_not_know():
    """Without tables there is no DH table, no other set and no rotor; gravity, tool and payload
    work.
    """
    robot = irb.from_urdf(irb.urdf_path("irb1600"))
    for ask in (robot.dh, lambda: robot.with_parameters("cad_scaled"), robot.with_rotors):
        with pytest.raises(irb.MissingData, match="irb1600_6_120 comes from a URDF"):
            ask()
    q, v, a = oracles.states("irb1600_6_120", 1)[0]
    changed, loaded = (
        r.with_tool("spindle").with_payload(irb.payload(2)).mounted(TILT)
        for r in (robot, irb.load("irb1600"))
    )
    expected = loaded.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(
        changed.inverse_dynamics(q, v, a, friction=False),
        expected,
        rtol=0,
        atol=1e-12 * abs(expected).max(),
    )
    np.testing.assert_allclose(changed.pose(q).homogeneous, loaded.pose(q).homogeneous, atol=1e-14)


def test_tool_of_a_urdf_without_tool0_hangs_on_its_last_link(tmp_path):
    """Where a URDF names no tool0, a tool is mounted on the last link."""
    text = irb.urdf_path("irb1600").read_text(encoding="utf-8")
    path = tmp_path / "plain.urdf"
    path.write_text(text.replace('"tool0"', '"wrist"').replace('"tcp"', '"end"'), encoding="utf-8")
    robot, q = irb.from_urdf(path).with_tool("spindle"), oracles.states("irb1600_6_120", 1)[0, 0]
    np.testing.assert_allclose(
        robot.pose(q).homogeneous,
        irb.load("irb1600", tool="spindle").pose(q).homogeneous,
        atol=1e-14,
    )


def test_errors_are_of_one_family_and_of_the_builtin_kind():
    """Everything raised on purpose is an IrbError and can be caught as the builtin it is."""
    kinds = {
        irb.UnknownName: LookupError,
        irb.TableError: ValueError,
        irb.InputError: ValueError,
        irb.FileError: OSError,
        irb.MotionError: ValueError,
        irb.UrdfError: ValueError,
        irb.MissingData: LookupError,
        irb.MissingExtra: ImportError,
    }
    for error, builtin in kinds.items():
        assert issubclass(error, irb.IrbError)
        assert issubclass(error, builtin)
    assert "pip install 'irbmodels[export]'" in str(irb.MissingExtra("mujoco", "export"))


PENDULUM = """<robot name="pendulum">
<link name="base"/>
<link name="rod"><inertial><origin xyz="0.5 0 0"/><mass value="2"/>
<inertia ixx="0.1" iyy="0.2" izz="0.2" ixy="0" ixz="0" iyz="0"/></inertial></link>
<joint name="swing" type="{kind}"><parent link="base"/><child link="rod"/><axis xyz="{axis}"/>{limit}</joint>
</robot>"""


def urdf_robot(tmp_path, text: str) -> irb.Robot:
    """Write a URDF and load it."""
    (tmp_path / "robot.urdf").write_text(text, encoding="utf-8")
    return irb.from_urdf(tmp_path / "robot.urdf")


def test_one_joint_answers_every_query(tmp_path):
    """A pendulum of 2 kg, 0.5 m off its horizontal axis, by hand; a single column keeps its
    axis.
    """
    robot = urdf_robot(tmp_path, PENDULUM.format(kind="continuous", axis="0 1 0", limit=""))
    q, v, a, force = (
        np.array([0.4]),
        np.array([0.7]),
        np.array([-0.3]),
        np.array([3.0, 0.0, -2.0, 0.0, 5.0, 0.0]),
    )
    inertia, weight = 0.2 + 2 * 0.25, -2 * 9.81 * 0.5 * np.cos(0.4)
    assert robot.mass_matrix(q) == pytest.approx(inertia)
    torque = inertia * a + weight
    np.testing.assert_allclose(robot.inverse_dynamics(q, v, a, friction=False), torque, rtol=1e-13)
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a, friction=False, wrench=force), torque - 5.0, rtol=1e-13
    )
    pushed = robot.forward_dynamics(q, v, torque - 5.0, friction=False, wrench=force)
    np.testing.assert_allclose(pushed, a, rtol=1e-12)
    np.testing.assert_allclose(
        robot.regressor(q, v, a) @ robot.parameter_vector(), torque, rtol=1e-13
    )
    np.testing.assert_allclose(
        robot.jacobian(q, point=[1.0, 0, 0])[:, 0],
        [-np.sin(0.4), 0, -np.cos(0.4), 0, 1, 0],
        atol=1e-15,
    )
    assert (robot.hessian(q).shape, robot.jacobian_rate(q, v).shape) == ((6, 1, 1), (6, 1))
    slopes = robot.inverse_dynamics_derivatives(q, v, a, friction=False, wrench=force)
    assert slopes.q[0, 0] == pytest.approx(2 * 9.81 * 0.5 * np.sin(0.4))
    assert robot.axes == ("swing",)
    assert robot.violations(q, v, [1e6]) == []  # nothing in the file bounds it


def test_zeros_that_mean_unknown_bound_nothing(tmp_path):
    """Speed, effort and range of 0, as writers of URDF leave them, refuse no state."""
    limit = '<limit effort="0" velocity="0"/>'
    robot = urdf_robot(tmp_path, PENDULUM.format(kind="revolute", axis="0 1 0", limit=limit))
    assert robot.violations([3.0], [100.0], [1e5]) == []
    assert robot.gravity([3.0]).shape == (1,)


def test_an_axis_that_points_nowhere_is_refused(tmp_path):
    """Pinocchio would answer with matrices that are no rotations."""
    with pytest.raises(irb.UrdfError, match="joint 'swing' has no axis"):
        urdf_robot(tmp_path, PENDULUM.format(kind="continuous", axis="0 0 -0.0", limit=""))


def test_a_urdf_that_does_not_move_is_refused(tmp_path):
    """No joint, no axis positions."""
    with pytest.raises(irb.UrdfError, match="no joint of this URDF moves"):
        urdf_robot(tmp_path, PENDULUM.format(kind="fixed", axis="0 1 0", limit=""))


def test_impossible_bodies_of_a_urdf_are_warned_about(tmp_path):
    """Negative mass: an answer, and a warning with the way to learn more."""
    text = PENDULUM.format(kind="continuous", axis="0 1 0", limit="").replace(
        'mass value="2"', 'mass value="-2"'
    )
    with pytest.warns(
        irb.PhysicsWarning,
        match=r"swing moves is impossible: mass -2 kg is not positive; irbmodels doctor",
    ):
        urdf_robot(tmp_path, text)


def test_limits_of_followers_bound_their_axis(tmp_path):
    """A joint that turns twice as far as its source, and the other way, may not leave its own
    range.
    """
    follower = """<link name="tip"/><joint name="twice" type="revolute"><parent link="rod"/><child link="tip"/>
    <limit lower="-0.5" upper="0.8" effort="1" velocity="1"/>
    <mimic joint="swing" multiplier="-2" offset="0.1"/></joint></robot>"""
    limit = '<limit lower="-1" upper="1" effort="1" velocity="1"/>'
    text = PENDULUM.format(kind="revolute", axis="0 1 0", limit=limit).replace("</robot>", follower)
    robot = urdf_robot(tmp_path, text)
    np.testing.assert_allclose(
        [robot.limits.lower[0], robot.limits.upper[0]], [-0.35, 0.3], rtol=1e-14
    )


@pytest.mark.parametrize("renamed", [{"tool0": "wrist"}, {"tool0": "wrist", "tcp": "end"}])
def test_a_tool_weighs_the_same_wherever_it_is_mounted(tmp_path, renamed):
    """Without tool0 a tool hangs where the URDF has its tcp, or on its last link: same place, so
    the same torque.
    """
    text = irb.urdf_path("irb1600").read_text(encoding="utf-8")
    for old, new in renamed.items():
        text = text.replace(f'"{old}"', f'"{new}"')
    robot, whole = urdf_robot(tmp_path, text), irb.load("irb1600")
    robot, whole = (
        each.with_tool("spindle").with_payload(irb.payload(2.0, [0.1, 0, 0]))
        for each in (robot, whole)
    )
    same_answers(robot, whole, "irb1600_6_120", 1e-12)


def test_a_tcp_on_another_joint_moves_to_the_tool(tmp_path):
    """The URDF's tcp is on the forearm: with a tool it is the tool's, on the wrist."""
    text = irb.urdf_path("irb1600").read_text(encoding="utf-8")
    at_wrist = re.search(
        r'<joint name="[^"]*" type="fixed">(?:(?!</joint>).)*<child link="tcp"/>', text, re.DOTALL
    )[0]
    text = text.replace(
        at_wrist, re.sub(r'<parent link="[^"]*"/>', '<parent link="link_4"/>', at_wrist)
    )
    same_answers(
        urdf_robot(tmp_path, text).with_tool("spindle"),
        irb.load("irb1600", tool="spindle"),
        "irb1600_6_120",
        1e-12,
    )


@pytest.mark.parametrize("coupling", ["serial", "parallelogram"])
@pytest.mark.parametrize("rotors", [0.0, 3.0])
def test_wrench_arrays_go_with_states(coupling, rotors):
    """One wrench per state, many wrenches on one state, two frames: as one by one, there and
    back.
    """
    robot = irb.load("irb2400", coupling=coupling, tool="spindle").with_rotors(np.full(6, rotors))
    q, v, a = oracles.states("irb2400_16", 6).swapaxes(0, 1)
    # six of six, where rows could pass for columns
    w = np.random.default_rng(3).uniform(-50, 50, (6, 6))
    both = {"tcp": w, "link_3": 2.0 * w}
    tau = robot.inverse_dynamics(q, v, a, wrench=both)
    one = [
        robot.inverse_dynamics(*x, wrench={"tcp": y, "link_3": 2.0 * y})
        for *x, y in zip(q, v, a, w, strict=True)
    ]
    np.testing.assert_allclose(tau, one, rtol=0, atol=1e-12 * np.abs(tau).max())
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau, wrench=both), a, rtol=0, atol=1e-9)
    many = robot.inverse_dynamics(q[0], v[0], a[0], wrench=w)
    np.testing.assert_allclose(
        many, [robot.inverse_dynamics(q[0], v[0], a[0], wrench=y) for y in w], rtol=0, atol=1e-10
    )
    np.testing.assert_allclose(
        robot.forward_dynamics(q[0], v[0], many, wrench=w), np.tile(a[0], (6, 1)), rtol=0, atol=1e-9
    )
    for ask in (robot.inverse_dynamics, robot.forward_dynamics):
        with pytest.raises(irb.InputError, match="do not go together"):
            ask(q[:4], v[:4], a[:4], wrench=w[:3])
        with pytest.raises(irb.InputError, match="wrench at tcp is not an array of numbers"):
            ask(q, v, a, wrench="abc")


def test_gravity_and_mounting_are_two_choices():
    """On the ceiling on Mars, in either order of saying so; the last mounting holds, and turns
    gravity once.
    """
    robot, ceiling = irb.load("irb2400"), np.diag([1.0, -1.0, -1.0])
    mars = [0.5, 0, -3.7]
    for other in (
        robot.with_gravity(mars).mounted(ceiling),
        robot.mounted(TILT).mounted(ceiling).with_gravity(mars),
    ):
        np.testing.assert_allclose(other.gravity_vector, [0.5, 0, 3.7], rtol=0, atol=1e-15)
    np.testing.assert_array_equal(robot.with_gravity(mars).gravity_vector, mars)
    ceiling[:] = np.eye(3)
    np.testing.assert_allclose(
        other.mounted(TILT).gravity_vector, TILT.T @ mars, rtol=0, atol=1e-15
    )
    with pytest.raises(ValueError, match="read-only"):
        other.gravity_vector[0] = 1.0


def test_what_is_on_the_robot_is_checked_wherever_it_comes_from():
    """Tool and payload made by hand are refused like those from tables; a tool's frame cannot be
    changed from outside.
    """
    robot, tcp = irb.load("irb2400"), irb.load_tool("spindle").tcp
    heavy = irb.payload(2.0, [0.1, 0, 0])
    for bad in (
        heavy._replace(mass=-50.0),
        heavy._replace(mass=np.nan),
        heavy._replace(com=np.zeros(2)),
    ):
        with pytest.raises(irb.InputError, match="payload"):
            robot.with_payload(bad)
        with pytest.raises(irb.InputError, match="load of tool 'mine'"):
            irb.Tool("mine", tcp, bad)
    with pytest.raises(irb.InputError, match=r"tcp of tool 'mine' is no pin\.SE3"):
        irb.Tool("mine", np.eye(4), heavy)
    tool = irb.Tool("mine", tcp, heavy)
    tcp.translation = np.ones(3)
    assert not np.allclose(tool.tcp.translation, 1.0)
    with pytest.raises(
        irb.InputError, match=r"overlays are a list of files: overlays=\['x.yaml'\]"
    ):
        irb.load("irb2400", overlays="x.yaml")
    with pytest.raises(irb.InputError, match=r"turns of the drives .*\(6, 6\)"):
        robot.with_drives(np.ones(6))
    with pytest.raises(irb.InputError, match="drives must turn all axes"):
        robot.with_drives(np.ones((6, 6)))


def test_checks_and_evaluators_follow_the_model():
    """Another model in place of the present one is what the robot answers from; copies share no
    evaluator.
    """
    robot = irb.load("irb2400")
    q, v, a = np.full((3, 6), 0.1)
    before = robot.inverse_dynamics(q, v, a)
    law = replace(robot.friction_model, Fc=2.0 * robot.friction_model.Fc)
    other = replace(robot, dynamic_model=replace(robot.dynamic_model, friction=law))
    more = law.torque(v) - robot.friction(v)
    np.testing.assert_allclose(other.inverse_dynamics(q, v, a) - before, more, atol=1e-9)
    assert np.abs(more).max() > 1.0
    for again in (copy.copy(robot), pickle.loads(pickle.dumps(robot))):
        assert not {"evaluate", "states", "whole_tree"} & vars(again).keys()
        np.testing.assert_array_equal(again.inverse_dynamics(q, v, a), before)


@pytest.mark.parametrize("query", ["inverse_dynamics", "forward_dynamics", "torque_parts"])
def test_missing_masses_come_without_a_warning_of_friction(query, recwarn):
    """An error says all; friction is warned of where there is an answer."""
    robot = irb.load("irb910sc")
    with pytest.raises(irb.MissingData, match="no masses of"):
        getattr(robot, query)(*np.zeros((3, 4)))
    assert [one for one in recwarn if issubclass(one.category, irb.PhysicsWarning)] == []
