"""Values in SI units: targets, work objects, jointtargets, orientations."""

from dataclasses import replace

import numpy as np
import pinocchio as pin
import pytest
from rapid_modules import MANUAL, pose

import irbmodels as irb
from irbmodels import rapid


def fixed(rng):
    return rapid.WobjData(False, True, "", rapid.Pose.of(pose(rng)), rapid.Pose.of(pose(rng)))


def test_target_through_a_work_object_and_back():
    """User frame times object frame times target; back, every digit is the printed one, whatever
    quaternion was printed.
    """
    rng = np.random.default_rng(1)
    for _ in range(200):
        wobj = fixed(rng)
        q = rng.normal(size=4)
        printed = [f"{value:.6f}".rstrip("0") for value in q / np.linalg.norm(q)]
        text = f"[[{rng.uniform(-2000, 2000):.2f},{rng.integers(-900, 900)},{rng.normal():.9f}],[{','.join(printed)}],"
        text += "[0,-1,0,1],[9E9,9E+09,9E9,9E9,9E9,9E9]]"
        target = rapid.read_value(text, rapid.RobTarget)
        there = target.pose(wobj)
        direct = (
            wobj.uframe.se3().homogeneous
            @ wobj.oframe.se3().homogeneous
            @ target.pose().homogeneous
        )
        np.testing.assert_allclose(there.homogeneous, direct, atol=1e-12)
        assert str(target.moved(there, wobj)) == text
    there.translation += [0, 0, 1e-3]
    assert str(target.moved(there, wobj)) != text
    turned = target.moved(target.pose() * pin.SE3(pin.rpy.rpyToMatrix(0, 0, 1e-6), np.zeros(3)))
    assert turned.trans == target.trans
    assert turned.rot != target.rot
    np.testing.assert_allclose(np.linalg.norm(turned.rot), 1.0, atol=1e-8)


def test_untaught_orientation_can_be_replaced():
    blank = rapid.read_value("[[0,0,0],[0,0,0,0],[0,0,0,0],[0,0,0,0,0,0]]", rapid.RobTarget)
    assert str(blank.moved(pin.SE3.Identity())) == "[[0,0,0],[1,0,0,0],[0,0,0,0],[0,0,0,0,0,0]]"


def test_unit_moves_the_user_frame():
    """The positioner's table carries the object: its axes are eax_a and eax_b in degrees, uframe is
    not used.
    """
    unit = irb.from_urdf(irb.urdf_path("positioner"))
    wobj = rapid.read_value(
        '[FALSE,FALSE,"STN1",[[111,222,333],[1,0,0,0]],[[0,0,120],[1,0,0,0]]]', rapid.WobjData
    )
    conf, orient = rapid.ConfData(0, 0, 0, 0), rapid.Orient(1, 0, 0, 0)
    target = rapid.RobTarget(rapid.Pos(100, 0, 0), orient, conf, rapid.ExtJoint(90, 0))
    # tilted by 90 deg about y at 700 mm: z of the table is x, its x is down
    there = target.pose(wobj, {"stn1": unit})
    np.testing.assert_allclose(there.translation, [0.120, 0.0, 0.700 - 0.100], atol=1e-12)
    moved = replace(target, extax=rapid.ExtJoint(90, 30)).pose(wobj, {"STN1": unit})
    np.testing.assert_allclose(
        moved.translation, [0.120, 0.05, 0.7 - 0.1 * np.cos(np.pi / 6)], atol=1e-12
    )
    assert str(target.moved(there, wobj, {"STN1": unit})) == str(target)
    for units, extax, reason in (
        (None, rapid.ExtJoint(1, 2), "units needs it .none is given"),
        ({"STN2": unit}, rapid.ExtJoint(1, 2), "moves with STN1; units needs it .given: STN2"),
        ({"STN1": unit}, rapid.ExtJoint(1), "has 2 axes"),
        ({"STN1": unit}, rapid.ExtJoint(None, 2), "has 2 axes"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            replace(target, extax=extax).pose(wobj, units)


def test_stationary_tool_and_held_object():
    """The TCP stands in the world, the object frame hangs on tool0; closing the loop gives the
    target back.
    """
    rng = np.random.default_rng(2)
    held, gun = (
        replace(fixed(rng), robhold=True),
        rapid.read_value(
            "[FALSE,[[900,0,700],[0,0,1,0]],[1,[0,0,1],[1,0,0,0],0,0,0]]", rapid.ToolData
        ),
    )
    target = rapid.read_value(MANUAL, rapid.RobTarget)
    tool0 = rapid.tool0_pose(target, gun, held)
    np.testing.assert_allclose(
        (tool0 * held.uframe.se3() * held.oframe.se3() * target.pose()).homogeneous,
        gun.tframe.se3().homogeneous,
        atol=1e-12,
    )
    spindle = rapid.tooldata_of(irb.load_tool("spindle"))
    np.testing.assert_allclose(
        (rapid.tool0_pose(target, spindle) * spindle.tframe.se3()).homogeneous,
        target.pose().homogeneous,
        atol=1e-12,
    )
    for call, reason in (
        (lambda: target.pose(held), "tool0_pose"),
        (lambda: target.moved(tool0, held), "tool0_pose"),
        (lambda: rapid.tool0_pose(target, spindle, held), "both tool and work object"),
        (lambda: rapid.tool0_pose(target, gun), "neither tool nor work object"),
        (lambda: rapid.tool_of(gun), "stationary"),
        (lambda: replace(held, ufprog=False).frame(), "robhold TRUE needs ufprog TRUE"),
    ):
        with pytest.raises(irb.InputError, match=reason):
            call()


def test_jointtargets_of_robots():
    """Degrees, and mm on the SCARA's axis 3; what the robot does not have is 0."""
    arm, scara = irb.load("irb2400"), irb.load("irb930")
    target = rapid.read_value("[[0,-20,15,0.5,30,-3],[9E9,9E9,9E9,9E9,9E9,9E9]]", rapid.JointTarget)
    np.testing.assert_allclose(target.q(arm), np.radians([0, -20, 15, 0.5, 30, -3]))
    assert str(rapid.JointTarget.of(arm, target.q(arm))) == str(target).replace("9E9", "9E+09")
    assert (
        str(rapid.JointTarget.of(scara, [0.0, 0.0, -0.1, 0.0]))
        == "[[0,0,-100,0,0,0],[9E+09,9E+09,9E+09,9E+09,9E+09,9E+09]]"
    )
    with pytest.raises(irb.InputError, match="does not fit the robot's 4 axes"):
        target.q(scara)


def test_euler_angles_of_orients():
    assert str(rapid.Orient.of_zyx_deg(0, 90, 0)) == "[0.707106781,0,0.707106781,0]"
    np.testing.assert_allclose(
        rapid.Orient.of_zyx_deg(10, 20, -30).zyx_deg(), (10, 20, -30), atol=1e-6
    )
    assert str(rapid.Orient.of(np.diag([-1.0, -1.0, 1.0]))) == "[0,0,0,1]"
