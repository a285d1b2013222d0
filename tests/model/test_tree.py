"""Trees from URDF text: joint kinds, the TCP frame, and what is refused."""

from __future__ import annotations

import numpy as np
import oracles
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.model.tree import copy_of, tree_from_urdf

INERTIAL = (
    '<inertial><mass value="2"/><inertia ixx="0.1" iyy="0.1" izz="0.1" ixy="0" ixz="0"'
    ' iyz="0"/></inertial>'
)


def one_joint(
    kind: str = "revolute",
    limit: str = '<limit lower="-1" upper="2" velocity="3" effort="4"/>',
    last: str = "hand",
) -> str:
    """Return a URDF with one joint about y, 0.5 m up."""
    return (
        f'<robot name="one"><link name="base"/><link name="{last}">{INERTIAL}</link><joint'
        f' name="turn" type="{kind}"><parent link="base"/><child link="{last}"/><origin xyz="0 0'
        f' 0.5"/><axis xyz="0 1 0"/>{limit}</joint></robot>'
    )


def saved(tmp_path, text: str):
    """Write a URDF and return its path."""
    path = tmp_path / "robot.urdf"
    path.write_text(text, encoding="utf-8")
    return path


def test_continuous_joint_has_one_coordinate_and_no_limit(tmp_path):
    """Pinocchio's cosine-and-sine pair is avoided; any angle is in range."""
    for limit in ("", '<limit velocity="3" effort="4"/>'):
        robot = irb.from_urdf(saved(tmp_path, one_joint("continuous", limit)))
        assert robot.n == robot.model.nq == 1
        assert robot.in_range([1000.0])
        np.testing.assert_allclose(
            robot.pose([7.0]).rotation, oracles.rotation(1, 7.0)[:3, :3], atol=1e-14
        )


def test_prismatic_joint_slides(tmp_path):
    """A prismatic axis counts in metres."""
    robot = irb.from_urdf(saved(tmp_path, one_joint("prismatic")))
    np.testing.assert_allclose(robot.pose([0.25]).translation, [0, 0.25, 0.5], atol=1e-15)
    assert robot.limits.linear.tolist() == [True]
    assert robot.to_controller([0.25]).tolist() == [250.0]


def test_limits_of_a_joint_are_read(tmp_path):
    """Range, speed and effort are the URDF's."""
    limits = irb.from_urdf(saved(tmp_path, one_joint())).limits
    assert (limits.lower[0], limits.upper[0], limits.velocity[0], limits.effort[0]) == (-1, 2, 3, 4)


@pytest.mark.parametrize("kind", ["floating", "planar", "spherical"])
def test_other_joints_are_refused(tmp_path, kind):
    """Joints with more than one coordinate stop with their name."""
    with pytest.raises(irb.UrdfError, match=f"joint 'turn' is '{kind}'"):
        irb.from_urdf(saved(tmp_path, one_joint(kind)))


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "not XML"),
        ("joints: {}", "not XML"),
        ("<robot", "not XML"),
        ("<mujoco/>", "root element is <mujoco>"),
        (
            '<robot name="x"><link name="a"/><link name="b"/></robot>',
            "Pinocchio cannot read this URDF",
        ),
    ],
)
def test_text_that_is_no_robot_is_refused(tmp_path, text, problem):
    """Not XML, not a robot, or two roots: one line says which."""
    with pytest.raises(irb.UrdfError, match=problem):
        irb.from_urdf(saved(tmp_path, text))


def test_unreadable_file_is_a_file_error(tmp_path):
    """A missing file, a folder and bytes that are no text name the path."""
    (tmp_path / "noise.urdf").write_bytes(b"\xff\xfe\xfa\x00")
    for path in (tmp_path / "none.urdf", tmp_path, tmp_path / "noise.urdf"):
        with pytest.raises(irb.FileError, match=str(path)):
            irb.from_urdf(path)


def test_tcp_is_put_on_tool0_or_else_on_the_last_link(tmp_path):
    """Every robot has a frame tcp: the URDF's own, tool0, or the last link."""
    q = [0.3]
    for last in ("hand", "tool0", "tcp"):
        robot = irb.from_urdf(saved(tmp_path, one_joint(last=last)))
        assert robot.frames.count("tcp") == 1
        np.testing.assert_array_equal(robot.pose(q).homogeneous, robot.pose(q, last).homogeneous)


def test_gravity_is_stated_not_inherited(tmp_path):
    """A tree falls with 9.81 m/s^2 along -z of its base."""
    tree = tree_from_urdf(one_joint())
    np.testing.assert_array_equal(tree.model.gravity.linear, [0, 0, -9.81])
    np.testing.assert_array_equal(tree.model.gravity.angular, [0, 0, 0])


def test_pendulum_has_its_textbook_dynamics(tmp_path):
    """A point mass m at r on one axis: M = m r^2 + I, g = -m g r sin q for a y axis and a mass
    above it.
    """
    text = one_joint().replace("<inertial>", '<inertial><origin xyz="0 0 0.3"/>')
    robot, q = irb.from_urdf(saved(tmp_path, text)), 0.4
    assert robot.mass_matrix([q])[0, 0] == pytest.approx(2 * 0.09 + 0.1)
    assert robot.gravity([q])[0] == pytest.approx(-2 * 9.81 * 0.3 * np.sin(q))
    assert robot.energy([q], [2.0]).kinetic == pytest.approx(0.5 * 0.28 * 4)
    assert robot.energy([q], [2.0]).potential == pytest.approx(2 * 9.81 * (0.5 + 0.3 * np.cos(q)))
    np.testing.assert_allclose(
        robot.inverse_dynamics([q], [0], [1.5], friction=False), robot.gravity([q]) + 1.5 * 0.28
    )


@pytest.mark.parametrize(
    ("name", "coupling"),
    [("irb2400", "parallelogram"), ("irb2400", "serial"), ("irb930", "serial")],
)
def test_shipped_urdf_is_a_robot_like_any_other(name, coupling):
    """from_urdf answers as load does, in the joints of the URDF; carriers of 1e-6 kg change nothing
    that matters.
    """
    loaded, read = irb.load(name), irb.from_urdf(irb.urdf_path(name, coupling))
    A = np.eye(loaded.n)
    if name == "irb2400" and coupling == "serial":
        A[2, 1] = -1.0
    for q, v, a in oracles.states("irb2400_16" if name == "irb2400" else "irb930_12_105", 3):
        np.testing.assert_allclose(
            read.pose(A @ q).homogeneous, loaded.pose(q).homogeneous, atol=1e-12
        )
        tau = A.T @ read.inverse_dynamics(A @ q, A @ v, A @ a, friction=False)
        expected = loaded.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(
            tau, expected, rtol=0, atol=1e-7 * np.abs(expected).max()
        )  # four carriers of 1e-6 kg in 200 kg


def test_frames_of_a_tree_are_its_links():
    """Joints are not frames, and an unknown frame is an error instead of Pinocchio's silent wrong
    number.
    """
    robot = irb.load("irb1600")
    assert robot.frames == (
        "base_link",
        "base",
        *(f"link_{i}" for i in range(1, 7)),
        "flange",
        "tool0",
        "tcp",
    )
    with pytest.raises(irb.UnknownName, match="no frame 'joint_3'"):
        robot.pose(np.zeros(6), "joint_3")


def test_frames_of_a_parallelogram_include_the_bars():
    """The bars are frames whichever tree dynamics run on."""
    for coupling in ("serial", "parallelogram"):
        frames = irb.load("irb2400", coupling=coupling).frames
        assert {"link_crank", "link_rod", "link_3", "tcp"} <= set(frames)


def test_copied_model_is_another_model():
    """Changing a copy leaves the shared model alone."""
    tree = tree_from_urdf(one_joint())
    changed = copy_of(tree.model)
    changed.gravity = pin.Motion.Zero()
    changed.inertias[1] = pin.Inertia.Zero()
    assert tree.model.gravity.linear[2] == -9.81
    assert tree.model.inertias[1].mass == 2.0


DYNAMICS = (
    '<limit lower="-9" upper="9" velocity="3" effort="4"/><dynamics damping="{}" friction="{}"/>'
)


def four_joints(*friction: tuple[object, object]) -> str:
    """Return a URDF with two axes and two joints that follow: c = -2 a, and d = 0.5 c."""
    joint = (
        '<joint name="{0}" type="revolute"><parent link="{1}"/><child link="{0}"/><axis xyz="0 1'
        ' 0"/>{2}{3}</joint>'
    )
    follows = {
        "c": '<mimic joint="a" multiplier="-2"/>',
        "d": '<mimic joint="c" multiplier="0.5" offset="0.1"/>',
    }
    rows = zip("abcd", ["base", *"abc"], friction, strict=True)
    joints = "".join(
        joint.format(name, above, DYNAMICS.format(*of), follows.get(name, ""))
        for name, above, of in rows
    )
    links = "".join(f'<link name="{name}">{INERTIAL}</link>' for name in "abcd")
    return f'<robot name="four"><link name="base"/>{links}{joints}</robot>'


def test_friction_of_a_urdf_is_read(tmp_path):
    """A joint that follows axis i m times as fast adds m^2 d and |m| f to it, in every query; repr
    says what there is.
    """
    robot = irb.from_urdf(saved(tmp_path, four_joints((3, 0.2), (0, 0.5), (5, 0.7), (7, 0.9))))
    np.testing.assert_allclose(robot.friction_model.Fv, [3 + 4 * 5 + 7, 0])
    np.testing.assert_allclose(robot.friction_model.Fc, [0.2 + 2 * 0.7 + 0.9, 0.5])
    assert (
        repr(robot) == "<Robot four: 2 axes, parameters of the URDF, viscous and Coulomb friction>"
    )
    q, v, a = np.array([0.3, -0.4]), np.array([0.5, -0.6]), np.array([1.0, 2.0])
    expected = [30 * 0.5 + 2.5, -0.5]
    np.testing.assert_allclose(robot.friction(v), expected, rtol=1e-14)
    tau = robot.inverse_dynamics(q, v, a)
    np.testing.assert_allclose(
        tau - robot.inverse_dynamics(q, v, a, friction=False), expected, rtol=1e-12
    )
    np.testing.assert_allclose(robot.regressor(q, v, a) @ robot.parameter_vector(), tau, rtol=1e-12)
    np.testing.assert_allclose(robot.forward_dynamics(q, v, tau), a, rtol=1e-12)
    np.testing.assert_allclose(robot.torque_parts(q, v, a).friction, expected, rtol=1e-14)
    np.testing.assert_allclose(
        robot.inverse_dynamics_derivatives(q, v, a).v[0, 0] - 30, _slope(robot, q, v, a), atol=1e-8
    )
    assert "no friction data" in repr(robot.with_friction(None))


def _slope(robot, q, v, a):
    """``d tau_1 / d v_1`` without friction, by central differences."""
    low, high = (
        robot.inverse_dynamics(q, v + np.array([step, 0]), a, friction=False)[0]
        for step in (-1e-5, 1e-5)
    )
    return (high - low) / 2e-5


@pytest.mark.parametrize(("friction", "terms"), [((2, 0), "viscous"), ((0, 2), "Coulomb")])
def test_repr_names_the_terms_of_friction(tmp_path, friction, terms):
    """A URDF with damping alone has viscous friction alone."""
    robot = irb.from_urdf(saved(tmp_path, one_joint(limit=DYNAMICS.format(*friction))))
    assert repr(robot).endswith(f"parameters of the URDF, {terms} friction>")


def test_zeros_state_no_friction(tmp_path):
    """Zeros, as many exporters write them, mean that friction is unknown."""
    robot = irb.from_urdf(saved(tmp_path, one_joint(limit=DYNAMICS.format(0, "0.0"))))
    assert robot.friction_model is None
    assert repr(robot).endswith("no friction data>")


@pytest.mark.parametrize(
    ("value", "message"),
    [
        ("-1", "damping -1 and friction 2 should be finite and not negative"),
        ("nan", "damping nan"),
        ("inf", "damping inf"),
        ("much", "<dynamics> of joint 'turn': damping='much' is no number"),
        ("", "damping='' is no number"),
    ],
)
def test_friction_that_is_none_is_refused(tmp_path, value, message):
    """Negative, infinite or unreadable friction stops in one line that names joint and value."""
    with pytest.raises(irb.UrdfError, match=message) as raised:
        irb.from_urdf(saved(tmp_path, one_joint(limit=DYNAMICS.format(value, 2))))
    assert "turn" in str(raised.value)
    assert len(str(raised.value)) < 250
