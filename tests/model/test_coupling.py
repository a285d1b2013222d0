"""The map from axis positions to tree joints, read from ``<mimic>`` tags."""

from __future__ import annotations

import pickle

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.model.coupling import AxisCoupling, coupling_of
from irbmodels.model.urdf import parse_urdf


def urdf_of(mimics: dict[str, tuple[str, str]], fixed: tuple[str, ...] = ()) -> str:
    """Return a chain of joints j1, j2, ... along z, some with a mimic tag (source, attributes)."""
    text = '<robot name="chain"><link name="l0"/>'
    for number in range(1, 5):
        name = f"j{number}"
        source, attributes = mimics.get(name, ("", ""))
        tag = f'<mimic joint="{source}" {attributes}/>' if source else ""
        kind = "fixed" if name in fixed else "revolute"
        text += (
            f'<link name="l{number}"/><joint name="{name}" type="{kind}"><parent'
            f' link="l{number - 1}"/><child link="l{number}"/><origin xyz="0.1 0 0.2"/><axis xyz="0'
            f' 1 0"/><limit lower="-3" upper="3" velocity="1" effort="1"/>{tag}</joint>'
        )
    return text + "</robot>"


def read(mimics: dict[str, tuple[str, str]], fixed: tuple[str, ...] = ()) -> AxisCoupling:
    """Return the coupling of such a chain."""
    joints = [name for name in ("j1", "j2", "j3", "j4") if name not in fixed]
    return coupling_of(parse_urdf(urdf_of(mimics, fixed)), joints)


def test_without_mimics_every_joint_is_an_axis():
    """No mimic: G is the identity, q0 is zero."""
    coupling = read({})
    np.testing.assert_array_equal(coupling.G, np.eye(4))
    np.testing.assert_array_equal(coupling.q0, np.zeros(4))
    assert coupling.axes == coupling.joints == ("j1", "j2", "j3", "j4")
    assert coupling.is_square


def test_chained_mimics_multiply_and_shift_along_the_chain():
    """j2 = 2 j1 + 0.1 and j4 = -3 j2 + 0.5 give j4 = -6 j1 + 0.2."""
    coupling = read(
        {"j2": ("j1", 'multiplier="2" offset="0.1"'), "j4": ("j2", 'multiplier="-3" offset="0.5"')}
    )
    np.testing.assert_allclose(coupling.G, [[1, 0], [2, 0], [0, 1], [-6, 0]], rtol=0, atol=1e-15)
    np.testing.assert_allclose(coupling.q0, [0, 0.1, 0, 0.2], rtol=0, atol=1e-15)
    assert coupling.axes == ("j1", "j3")
    assert not coupling.is_square


def test_mimic_may_name_a_joint_further_out():
    """The source may come later in the tree; multiplier and offset default to 1 and 0."""
    coupling = read({"j1": ("j4", "")})
    np.testing.assert_array_equal(coupling.G, [[0, 0, 1], [1, 0, 0], [0, 1, 0], [0, 0, 1]])
    assert coupling.axes == ("j2", "j3", "j4")


def test_mimic_of_a_fixed_joint_is_nothing():
    """A fixed joint moves nowhere, whatever its mimic tag says."""
    assert read({"j3": ("j1", "")}, fixed=("j3",)).axes == ("j1", "j2", "j4")


@pytest.mark.parametrize(
    ("mimics", "fixed", "message"),
    [
        ({"j1": ("j2", ""), "j2": ("j1", "")}, (), "circle: j1 -> j2 -> j1"),
        ({"j3": ("j3", "")}, (), "circle: j3 -> j3"),
        (
            {"j1": ("j2", ""), "j2": ("j4", ""), "j4": ("j1", "")},
            (),
            "circle: j1 -> j2 -> j4 -> j1",
        ),
        ({"j2": ("j9", "")}, (), "joint 'j2' mimics 'j9'"),
        ({"j2": ("j3", "")}, ("j3",), "joint 'j2' mimics 'j3'"),
        ({"j2": ("j1", 'multiplier="two"')}, (), "joint 'j2': multiplier='two' is not a number"),
        ({"j2": ("j1", 'multiplier="nan"')}, (), "joint 'j2': multiplier='nan' is not a number"),
        ({"j2": ("j1", 'offset="inf"')}, (), "joint 'j2': offset='inf' is not a number"),
    ],
)
def test_wrong_mimics_are_refused_by_name(mimics, fixed, message):
    """Circles, missing or fixed sources and numbers that are none stop with the joint's name."""
    with pytest.raises(irb.UrdfError, match=message.replace("(", r"\(")):
        read(mimics, fixed)


def test_maps_are_transposes_of_each_other():
    """Power is the same on both sides: tau' v = tau_tree' v_tree."""
    coupling = read({"j2": ("j1", 'multiplier="2" offset="0.1"'), "j4": ("j2", 'multiplier="-3"')})
    rng = np.random.default_rng(0)
    v, tau_tree, q = rng.normal(size=2), rng.normal(size=4), rng.normal(size=2)
    assert coupling.torque(tau_tree) @ v == pytest.approx(
        tau_tree @ coupling.velocity(v), abs=1e-14
    )
    np.testing.assert_allclose(coupling.position(q), coupling.G @ q + coupling.q0, atol=1e-15)


def test_other_axis_positions_are_chained_behind():
    """``then`` puts a map of axis positions before the coupling: G A q + q0."""
    coupling = read({"j2": ("j1", 'multiplier="2" offset="0.1"')})
    A = np.array([[1.0, 0, 0], [-1, 1, 0], [0, 0, 3]])
    q = np.array([0.3, -0.2, 0.7])
    np.testing.assert_allclose(coupling.then(A).position(q), coupling.position(A @ q), atol=1e-15)


def test_inverse_of_the_square_map():
    """G_inverse undoes G."""
    coupling = read({}).then(np.array([[1.0, 0, 0, 0], [0, 1, 0, 0], [0, -1, 1, 0], [0, 0, 0, 1]]))
    np.testing.assert_allclose(coupling.G_inverse @ coupling.G, np.eye(4), atol=1e-15)


def test_coupling_cannot_be_changed():
    """G, q0 and the inverse are shared, so they are read-only."""
    for name in oracles.PARALLELOGRAM:
        G, q0 = irb.load(name).coupling
        for array in (G, q0, read({}).G_inverse):
            with pytest.raises(ValueError, match="read-only"):
                array[0] = 1.0


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_coupling_of_the_parallelogram_tree(name):
    """Every joint of the tree turns by what the drawing of the linkage says."""
    robot = irb.load(name, coupling="parallelogram")
    expected = {
        "joint_1": [1, 0, 0, 0, 0, 0],
        "joint_2": [0, 1, 0, 0, 0, 0],
        "joint_carrier": [0, -1, 0, 0, 0, 0],
        "joint_3": [0, 0, 1, 0, 0, 0],
        "joint_4": [0, 0, 0, 1, 0, 0],
        "joint_5": [0, 0, 0, 0, 1, 0],
        "joint_6": [0, 0, 0, 0, 0, 1],
        "joint_crank": [0, 0, 1, 0, 0, 0],
        "joint_rod_carrier": [0, 0, -1, 0, 0, 0],
        "joint_rod": [0, 1, 0, 0, 0, 0],
    }
    G, q0 = robot.coupling
    actual = dict(zip(list(robot.model.names)[1:], G.tolist(), strict=True))
    assert actual == expected
    np.testing.assert_array_equal(q0, np.zeros(10))


@together("name", oracles.NAMES)
def test_coupling_of_the_serial_tree(name):
    """On the serial tree only joint_3 of a parallelogram arm is coupled: it turns by q3 - q2."""
    G, q0 = irb.load(name, coupling="serial", parameters=oracles.open_chain(name)).coupling
    expected = np.eye(len(G))
    if name in oracles.PARALLELOGRAM:
        expected[2, 1] = -1
    np.testing.assert_array_equal(G, expected)
    np.testing.assert_array_equal(q0, np.zeros(len(G)))


def test_robot_of_a_urdf_moves_by_its_mimics(tmp_path):
    """Poses follow chained mimics with offsets: three axes of a chain turn by q, 2 q + 0.1, -6 q +
    0.2.
    """
    path = tmp_path / "chain.urdf"
    path.write_text(
        urdf_of(
            {
                "j2": ("j1", 'multiplier="2" offset="0.1"'),
                "j4": ("j2", 'multiplier="-3" offset="0.5"'),
            }
        )
    )
    robot, q, expected = irb.from_urdf(path), np.array([0.3, -0.4]), np.eye(4)
    for angle in (q[0], 2 * q[0] + 0.1, q[1], -6 * q[0] + 0.2):
        expected = expected @ oracles.shift(0.1, 0, 0.2) @ oracles.rotation(1, angle)
    np.testing.assert_allclose(robot.pose(q).homogeneous, expected, atol=1e-14)


def test_a_pickled_coupling_cannot_be_changed_either():
    """What is shared is read-only, before and after the way to another process."""
    coupling = pickle.loads(
        pickle.dumps(irb.load("irb2400", coupling="parallelogram"))
    ).dynamic_model.tree.coupling
    with pytest.raises(ValueError, match="read-only"):
        coupling.G[0, 0] = 2.0
