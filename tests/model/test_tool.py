"""Tools and payloads: ABB's tooldata and loaddata."""

from __future__ import annotations

import pickle
from copy import deepcopy
from dataclasses import FrozenInstanceError, replace

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.model.inertia import Inertial

BAD_PAYLOADS = {
    "no mass": ((0.0,), r"mass of a payload .* must be a positive"),
    "negative mass": ((-1.0,), r"mass of a payload .* must be a positive"),
    "mass that is no number": ((float("nan"),), r"mass of a payload .* must be a positive"),
    "infinite mass": ((float("inf"),), r"mass of a payload .* must be a positive"),
    "two coordinates": ((1.0, [0, 0]), "centre of mass"),
    "centre that is no number": ((1.0, [0, 0, np.nan]), r"centre of mass .* finite"),
    "tensor of the wrong shape": ((1.0, [0, 0, 0], np.eye(2)), "tensor"),
    "tensor that is no number": ((1.0, [0, 0, 0], np.full((3, 3), np.inf)), "tensor"),
    "tensor not symmetric": ((1.0, [0, 0, 0], [[1, 0.1, 0], [0, 1, 0], [0, 0, 1]]), "symmetric"),
    "tensor breaks the triangle": (
        (1.0, [0, 0, 0], np.diag([0.1, 0.1, 0.3])),
        "triangle inequality",
    ),
    "centre in mm": (
        (10.0, [0, 0, 100]),
        r"centre of mass of a payload is 100 m away; are these mm\?",
    ),
    "tensor in kg mm^2": (
        (10.0, [0, 0, 0.1], 1e4 * np.eye(3)),
        r"radius of gyration of 38.* m; is its tensor in kg mm\^2\?",
    ),
    "tensor not positive definite": (
        (1.0, [0, 0, 0], np.diag([0.1, 0.1, -0.1])),
        "not positive definite",
    ),
}


def test_payload_is_what_was_given():
    """Mass, centre and tensor come back; without a tensor it is a point mass, as ABB takes moments
    of zero.
    """
    tensor = np.array([[0.05, 0.004, -0.003], [0.004, 0.06, 0.002], [-0.003, 0.002, 0.03]])
    body = irb.payload(4.0, [0.03, -0.05, 0.12], tensor)
    assert body.mass == 4.0
    np.testing.assert_array_equal(body.com, [0.03, -0.05, 0.12])
    np.testing.assert_array_equal(body.tensor, tensor)
    assert not irb.payload(4.0).tensor.any()
    assert not irb.payload(4.0).com.any()


@together("case", BAD_PAYLOADS)
def test_impossible_payload_is_refused(case):
    """Payloads that no body can be are refused with the reason."""
    arguments, problem = BAD_PAYLOADS[case]
    with pytest.raises(irb.InputError, match=problem):
        irb.payload(*arguments)


def test_payload_is_a_copy():
    """Changing the caller's arrays later changes no payload, and the payload itself is
    read-only.
    """
    com, tensor = np.zeros(3), np.diag([0.1, 0.1, 0.1])
    body = irb.payload(1.0, com, tensor)
    com += 1.0
    tensor += 1.0
    assert not body.com.any()
    np.testing.assert_array_equal(body.tensor, np.diag([0.1, 0.1, 0.1]))
    with pytest.raises(ValueError, match="read-only"):
        body.tensor[0, 0] = 2.0


def test_payload_hangs_on_the_tcp_and_the_tool_on_tool0():
    """One kilogram at the TCP pulls with J_tcp' m g; the same at tool0's origin with J_tool0' m
    g.
    """
    robot, q = irb.load("irb2400", tool="spindle"), oracles.states("irb2400_16", 1, seed=1)[0, 0]
    weight = np.array([0, 0, 9.81])
    pulled = robot.with_payload(irb.payload(1.0)).gravity(q) - robot.gravity(q)
    # difference of 500 N m
    np.testing.assert_allclose(pulled, robot.jacobian(q)[:3].T @ weight, atol=1e-10)
    blob = irb.Tool("blob", irb.load_tool("spindle").tcp, irb.payload(1.0))
    pulled = irb.load("irb2400").with_tool(blob).gravity(q) - irb.load("irb2400").gravity(q)
    np.testing.assert_allclose(pulled, robot.jacobian(q, "tool0")[:3].T @ weight, atol=1e-10)


def test_tool_given_in_code_is_graded_assumed():
    """A tool that names no source is assumed."""
    tool = irb.Tool("blob", irb.load_tool("spindle").tcp, irb.payload(1.0))
    assert (tool.source, tool.grade) == ("given in code", "assumed")


def test_nothing_that_is_handed_out_changes_a_tool():
    """Writing into a tool's frame, or into what it was made of, leaves it as it is; loads are
    read-only.
    """
    spindle = irb.load("irb2400", tool="spindle")
    frame = spindle.tool.tcp
    frame.translation[0] = 9.0
    frame.rotation = np.eye(3)
    np.testing.assert_allclose(spindle.tool.tcp.homogeneous, oracles.SPINDLE_TCP, atol=1e-15)
    mine, com = pin.SE3.Identity(), np.zeros(3)
    tool = irb.Tool("mine", mine, Inertial(1.0, com, 0.01 * np.eye(3)))
    mine.translation[0], com[0] = 5.0, 5.0
    assert tool.tcp.translation[0] == 0.0
    assert tool.load.com[0] == 0.0
    for array in (
        tool.load.com,
        tool.load.tensor,
        irb.payload(1.0).com,
        spindle.limits.upper,
        spindle.friction_model.Fc,
    ):
        with pytest.raises(ValueError, match="read-only"):
            array[0] = 5.0
    for copy in (pickle.loads(pickle.dumps(tool)), deepcopy(tool), replace(tool, name="yours")):
        np.testing.assert_array_equal(copy.tcp.homogeneous, np.eye(4))
    with pytest.raises(FrozenInstanceError):
        tool.tcp = pin.SE3.Identity()


MISUSED = {
    "a tool of 5": (
        lambda: irb.load_tool(5),
        "a tool is a name or a path; what is given is a path, not 5",
    ),
    "a name of 5": (
        lambda: irb.Tool(5, pin.SE3.Identity(), irb.payload(1.0)),
        "the name of a tool is a text, not 5",
    ),
    "a frame of numbers": (
        lambda: irb.Tool("a", np.eye(4), irb.payload(1.0)),
        "tcp of tool 'a' is no pin.SE3",
    ),
    "a load of 5": (
        lambda: irb.Tool("a", pin.SE3.Identity(), 5.0),
        "the load of tool 'a' is an Inertial, .* not 5.0",
    ),
    "a grade": (
        lambda: irb.Tool("a", pin.SE3.Identity(), irb.payload(1.0), grade="good"),
        "no grade 'good'",
    ),
    "a path of 5": (
        lambda: irb.Tool("a", pin.SE3.Identity(), irb.payload(1.0), path=5),
        "the table of a tool is a path, not 5",
    ),
    "a frame in mm": (
        lambda: irb.Tool("a", pin.SE3(np.eye(3), np.array([0.0, 0.0, 200.0])), irb.payload(1.0)),
        r"tcp of tool 'a' is 200 m from the flange; are these mm\?",
    ),
    "a load in mm": (
        lambda: irb.Tool(
            "a", pin.SE3.Identity(), irb.Inertial.of(1.0, [0.0, 0.0, 80.0], np.zeros((3, 3)))
        ),
        r"load of tool 'a': the centre of mass of a payload is 80 m away; are these mm\?",
    ),
    "a mass in words": (
        lambda: irb.payload("1"),
        r"the mass of a payload \[kg\] must be a positive finite number, got '1'",
    ),
    "a centre in words": (
        lambda: irb.payload(1.0, "abc"),
        r"the centre of mass of a payload \[m\] is not an array of numbers",
    ),
}


@together("name", MISUSED)
def test_misuse_is_one_clear_line(name):
    """What was wrong, where, and what would be right."""
    call, message = MISUSED[name]
    with pytest.raises(irb.IrbError, match=message) as caught:
        call()
    assert "\n" not in str(caught.value)
