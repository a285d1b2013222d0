"""Tools and loads from and to ABB's data."""

import numpy as np
import pytest
from rapid_modules import pose

import irbmodels as irb
from irbmodels import rapid
from irbmodels.rapid.convert import principal


def body(rng):
    """A body of random points, whose tensor is possible and has any axes."""
    r = rng.normal(size=(8, 3)) * rng.uniform(0.02, 0.2, 3)
    r -= r.mean(axis=0)
    tensor = sum(float(x @ x) * np.eye(3) - np.outer(x, x) for x in r)
    return irb.payload(8.0, rng.uniform(-0.2, 0.2, 3), tensor)


def test_tooldata_of_random_tools_and_back():
    """TCP and tensor return to nine digits; the axes are right-handed and as near to tool0's as
    any; text to text is exact.
    """
    rng = np.random.default_rng(3)
    for _ in range(100):
        tool = irb.Tool("t", pose(rng), body(rng))
        data = rapid.tooldata_of(tool)
        again = rapid.tool_of(str(data))
        np.testing.assert_allclose(again.tcp.homogeneous, tool.tcp.homogeneous, atol=3e-9)
        np.testing.assert_allclose(
            again.load.tensor, tool.load.tensor, atol=3e-9 * np.trace(tool.load.tensor)
        )
        np.testing.assert_allclose(again.load.com, tool.load.com, atol=1e-12)
        assert again.load.mass == tool.load.mass
        assert str(rapid.read_value(str(data), rapid.ToolData)) == str(data)
        _, turn = principal(tool.load.tensor)
        assert abs(np.linalg.det(turn) - 1.0) < 1e-12
        # the largest turn of a cube with no symmetric one nearer
        assert data.tload.aom.q1 > np.cos(np.radians(62.8 / 2)) - 1e-6


def test_diagonal_and_nearly_diagonal_tensors_keep_their_order():
    """Moments keep the places x, y, z although a solver sorts them; equal ones are not turned."""
    for moments in ((3.0, 1.0, 2.5), (2.0, 2.0, 1.0), (1.0, 1.0, 1.0)):
        actual = rapid.loaddata_of(irb.payload(5.0, (0.1, 0.0, 0.0), np.diag(moments)))
        assert str(actual.aom) == "[1,0,0,0]"
        assert (actual.ix, actual.iy, actual.iz) == moments
    tilted = np.diag([3.0, 1.0, 2.5])
    tilted[0, 1] = tilted[1, 0] = 0.01
    actual = rapid.loaddata_of(irb.payload(5.0, (0.1, 0.0, 0.0), tilted))
    np.testing.assert_allclose((actual.ix, actual.iy, actual.iz), (3.0, 1.0, 2.5), atol=1e-3)
    np.testing.assert_allclose(rapid.body_of(actual).tensor, tilted, atol=1e-8)


def test_aom_turns_the_moments():
    """The moment ix is about the x axis of aom: turned by 90 deg about z, it is the tool's Iyy."""
    data = rapid.read_value(
        "[2,[10,20,30],[0.707106781,0,0,0.707106781],0.03,0.02,0.04]", rapid.LoadData
    )
    actual = rapid.body_of(data)
    np.testing.assert_allclose(actual.tensor, np.diag([0.02, 0.03, 0.04]), atol=1e-9)
    np.testing.assert_allclose(actual.com, [0.01, 0.02, 0.03])
    turned = rapid.read_value(
        "[2,[0,0,0],[0.923879533,0,0,0.382683432],0.03,0.02,0.04]", rapid.LoadData
    )
    # R diag R', + for a turn about +z
    assert rapid.body_of(turned).tensor[0, 1] == pytest.approx(0.005)


def test_point_mass_and_undefined_loads():
    """All moments zero is a point mass whatever aom says; mass 0, -1 and impossible moments are
    refused.
    """
    assert not rapid.body_of(
        rapid.read_value("[2,[1,2,3],[0,0,0,0],0,0,0]", rapid.LoadData)
    ).tensor.any()
    assert (
        str(rapid.loaddata_of(irb.payload(2.5, (0.001, 0, 0)))) == "[2.5,[1,0,0],[1,0,0,0],0,0,0]"
    )
    for text, reason in (
        ("[-1,[0,0,0],[1,0,0,0],0,0,0]", "mass -1 kg: this load was never defined"),
        ("[0,[0,0,0],[1,0,0,0],0,0,0]", "never defined"),
        ("[2,[0,0,0],[1,0,0,0],1,1,3]", "triangle"),
        ("[2,[0,0,0],[0,0,0,0],0.1,0.1,0.1]", "four zeros"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            rapid.body_of(rapid.read_value(text, rapid.LoadData))


def test_spindle_as_tooldata_gives_the_same_torques():
    named = irb.load("irb2400", tool="spindle")
    data = rapid.tooldata_of(named.tool)
    text = "[TRUE,[[240,0,162],[0.707106781,0,0.707106781,0]],[12.7,[-38.3,0,129.3],[1,0,0,0],0.269,0.274,0.193]]"
    assert str(data) == text
    q = np.array([0.1, 0.2, 0.3, 0.4, 0.5, 0.6])
    for tool in (data, text, f"PERS tooldata tSpindle:={text};"):
        armed = irb.load("irb2400", tool=tool)
        np.testing.assert_allclose(
            armed.inverse_dynamics(q, q, q), named.inverse_dynamics(q, q, q), rtol=1e-9
        )
        np.testing.assert_allclose(armed.pose(q).homogeneous, named.pose(q).homogeneous, atol=1e-8)
    assert armed.tool.name == "tSpindle"
    with pytest.raises(
        irb.RapidError, match=r"line 1, column 2: tooldata\.robhold is TRUE or FALSE"
    ):
        irb.load("irb2400").with_tool("[1,2,3]".replace("3", "[1,2,3,4,5,6]"))
    with pytest.raises(irb.UnknownName):
        irb.load("irb2400", tool="spindel")
    with pytest.raises(irb.InputError, match="tooldata"):
        irb.load("irb2400").with_tool(5)
