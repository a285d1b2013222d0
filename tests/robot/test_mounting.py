"""Robots whose base is not the world: poses, targets, work objects, gravity, checks of paths.

Expected poses are products of matrices written here from positions and quaternions.
"""

import numpy as np
import oracles
import pinocchio as pin
import pytest
from path_programs import program

import irbmodels as irb
from irbmodels import rapid
from irbmodels.robot.tool_extent import ToolExtent
from irbmodels.tasks.path_check import Box, check_path, programmed_motion
from irbmodels.tasks.rapid_targets import posture_lines, target_postures

UNUSED = "[9E9,9E9,9E9,9E9,9E9,9E9]"
Q = np.array([0.3, 0.2, -0.4, 0.5, 0.7, -0.6])
# on a slanted wall: position [m], and a quaternion of no two equal entries
PLACE, TURN = (1.2, -0.7, 2.5), (0.1, 0.7, -0.5, 0.5)
SPINDLE = "PERS tooldata tS:=[TRUE,[[0,0,0],[1,0,0,0]],[1,[0,0,50],[1,0,0,0],0,0,0]];"


def matrix(position, quaternion):
    """Pose of a position and a quaternion, scalar first, by the squares of its entries."""
    w, x, y, z = np.divide(quaternion, np.linalg.norm(quaternion))
    result = np.eye(4)
    result[:3, :3] = [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ]
    result[:3, 3] = position
    return result


BASE = matrix(PLACE, TURN)


def written(pose, conf=(0, 0, 0, 0)):
    """Text of a robtarget at a pose [m], with fifteen digits."""
    w, x, y, z = np.roll(pin.Quaternion(pose[:3, :3]).coeffs(), 1)
    place = ",".join(f"{1000.0 * value:.12f}" for value in pose[:3, 3])
    quaternion = ",".join(f"{value:.15f}" for value in (w, x, y, z))
    return f"[[{place}],[{quaternion}],[{','.join(map(str, conf))}],{UNUSED}]"


@pytest.fixture
def robot():
    return irb.load("irb2400", tool="spindle").mounted(BASE)


def test_the_base_stands_where_it_was_mounted(robot):
    """The pose is kept whole; of a rotation the base is at the origin; the answer is a copy."""
    np.testing.assert_array_equal(robot.world_from_base.homogeneous, BASE)
    turned = robot.mounted(BASE[:3, :3]).world_from_base
    np.testing.assert_array_equal(turned.rotation, BASE[:3, :3])
    np.testing.assert_array_equal(turned.translation, np.zeros(3))
    robot.world_from_base.translation[:] = 0.0
    np.testing.assert_array_equal(robot.mounted(pin.SE3(BASE)).world_from_base.translation, PLACE)
    assert irb.load("irb2400").world_from_base.isIdentity(0.0)
    for other in (robot.with_tool(None), robot.with_gravity([0, 0, -1]), robot.with_load()):
        np.testing.assert_array_equal(other.world_from_base.homogeneous, BASE)


@pytest.mark.parametrize("frame", ["tcp", "tool0", "link_3", "link_rod"])
def test_poses_in_the_world(robot, frame):
    """Pose of the base times pose in the base, of one state and of arrays; the base by default."""
    floor, point, rows = (
        irb.load("irb2400", tool="spindle"),
        [0.1, -0.2, 0.3],
        np.tile(Q, (2, 3, 1)),
    )
    base = floor.pose(Q, frame, point).homogeneous
    assert np.array_equal(robot.pose(Q, frame, point).homogeneous, base)
    one = robot.pose(Q, frame, point, reference="world")
    many = robot.pose(rows, frame, point, reference="world")
    assert isinstance(one, pin.SE3)
    assert many.shape == (2, 3, 4, 4)
    np.testing.assert_allclose(one.homogeneous, BASE @ base, rtol=0, atol=1e-14)
    np.testing.assert_allclose(many, np.broadcast_to(BASE @ base, many.shape), rtol=0, atol=1e-14)


def test_jacobians_in_world_axes_are_slopes_of_world_poses(robot):
    """Against differences of poses in the world; its rate against differences of the Jacobian."""
    h, v = 1e-6, np.array([0.4, -0.3, 0.2, 0.6, -0.5, 0.1])
    jacobian = robot.jacobian(Q, axes="world")
    for k, step in enumerate(h * np.eye(6)):
        after, before = (robot.pose(q, reference="world") for q in (Q + step, Q - step))
        linear = (after.translation - before.translation) / (2 * h)
        turn = pin.log3(after.rotation @ before.rotation.T) / (2 * h)
        np.testing.assert_allclose(jacobian[:, k], [*linear, *turn], rtol=0, atol=1e-8)
    slope = [robot.jacobian(Q + s * h * v, axes="world") for s in (1.0, -1.0)]
    rate = robot.jacobian_rate(Q, v, axes="world")
    np.testing.assert_allclose(rate, (slope[0] - slope[1]) / (2 * h), rtol=0, atol=1e-8)
    both = robot.jacobian(np.stack([Q, Q]), axes="world")
    np.testing.assert_allclose(both, [jacobian, jacobian], rtol=0, atol=1e-14)


def test_postures_of_a_pose_in_the_world(robot):
    """The same postures as of the pose in the base, by one pose, SE3 and arrays."""
    base = robot.pose(Q).homogeneous
    expected = np.array([one.q for one in robot.inverse_kinematics(base)])
    assert len(expected) == 4
    for pose in (BASE @ base, pin.SE3(BASE @ base)):
        found = np.array([one.q for one in robot.inverse_kinematics(pose, reference="world")])
        np.testing.assert_allclose(found, expected, rtol=0, atol=1e-9)
    poses = np.stack([BASE @ base, np.full((4, 4), np.inf), BASE @ base])
    many = robot.inverse_kinematics(poses, reference="world")
    assert many.valid.sum(axis=1).tolist() == [4, 0, 4]
    for k in (0, 2):
        np.testing.assert_allclose(many.q[k][many.valid[k]], expected, rtol=0, atol=1e-9)


def test_a_robtarget_is_in_the_world(robot):
    """``wobj0`` is ABB's world frame, whatever the base; in the base on request."""
    conf = robot.configuration(Q)
    base = robot.pose(Q).homogeneous
    for pose, reference in ((BASE @ base, None), (BASE @ base, "world"), (base, "base")):
        found = robot.inverse_kinematics(written(pose, conf[:4]), reference=reference)
        assert found[0].programmed
        np.testing.assert_allclose(found[0].q, Q, rtol=0, atol=1e-9)
    chosen = robot.inverse_kinematics(written(BASE @ base), configuration=conf[:4])
    np.testing.assert_allclose(chosen[0].q, Q, rtol=0, atol=1e-9)


USER, OBJECT = ((0.9, 0.1, 1.4), (0.8, 0.3, -0.4, 0.3)), ((0.05, -0.1, 0.02), (0.9, 0.1, 0.3, -0.3))


def work_object():
    """A fixed work object with the user frame and the object frame above."""
    frames = []
    for place, quaternion in (USER, OBJECT):
        unit = np.divide(quaternion, np.linalg.norm(quaternion)).tolist()
        frames.append(f"[{[1000.0 * value for value in place]},{unit}]")
    return f'[FALSE,TRUE,"",{",".join(frames)}]'


def test_a_target_in_a_work_object_goes_through_world_and_base(robot):
    """Base from TCP is the inverse of the base frame, times user, object and target frame."""
    wobj = rapid.read_value(work_object(), rapid.WobjData)
    inside = np.linalg.inv(matrix(*USER) @ matrix(*OBJECT)) @ BASE @ robot.pose(Q).homogeneous
    target = rapid.read_value(written(inside), rapid.RobTarget)
    world = matrix(*USER) @ matrix(*OBJECT) @ inside
    np.testing.assert_allclose(target.pose(wobj).homogeneous, world, rtol=0, atol=1e-12)
    found = robot.inverse_kinematics(target.pose(wobj), near=Q, reference="world")
    np.testing.assert_allclose(found[0].q, Q, rtol=0, atol=1e-9)
    there = robot.pose(Q, reference="world")
    back = rapid.RobTarget(target.trans, target.rot, target.robconf, target.extax)
    assert str(back.moved(there, wobj)) == str(target)


def test_a_unit_carries_its_work_object_where_it_is_mounted():
    """Both axes of the positioner at 0: its base frame, its table, the object frame."""
    unit = irb.from_urdf(irb.urdf_path("positioner"))
    wobj = rapid.read_value(
        '[FALSE,FALSE,"STN1",[[9,9,9],[1,0,0,0]],[[0,0,120],[1,0,0,0]]]', rapid.WobjData
    )
    extax = rapid.ExtJoint(0, 0)
    alone = wobj.frame(extax, {"STN1": unit}).homogeneous
    placed = wobj.frame(extax, {"STN1": unit.mounted(BASE)}).homogeneous
    np.testing.assert_allclose(placed, BASE @ alone, rtol=0, atol=1e-14)
    assert not np.allclose(placed, alone)


def moves(shift=(0.0, 0.0, 0.0)):
    """A program in a work object, whose user frame is moved by ``shift`` [m] in the world."""
    user = matrix(*USER)
    user[:3, 3] += shift
    start = [0, 0, 0, 0, 40, 0]
    return program(
        f"MoveAbsJ [{start},{UNUSED}],v500,fine,tS;\nMoveJ a,v500,fine,tS\\WObj:=w;\n"
        "MoveL b,v200,fine,tS\\WObj:=w;\nMoveC c,d,v200,fine,tS\\WObj:=w;",
        f"{SPINDLE} PERS wobjdata w:={work_object()};" + targets(user),
    )


def targets(user):
    """Four robtargets of the IRB 2400 on ``BASE``, in the work object."""
    floor = irb.load("irb2400")
    here = floor.pose(floor.from_controller([10, 10, 5, 0, 50, 0])).homogeneous
    conf = floor.configuration(floor.from_controller([10, 10, 5, 0, 50, 0]))[:4]
    inside = np.linalg.inv(user @ matrix(*OBJECT)) @ BASE
    places = {"a": (0, 0, 0), "b": (0.1, 0, 0), "c": (0.15, 0.05, 0), "d": (0.1, 0.1, 0)}
    return "".join(
        f"CONST robtarget {name}:={written(inside @ oracles.shift(*place) @ here, conf)};"
        for name, place in places.items()
    )


def test_a_program_of_a_mounted_robot_goes_where_its_work_object_stands():
    """Every move ends at the pose that was programmed in the world: the arm is at the postures of
    the same way on the floor.
    """
    robot = irb.load("irb2400").mounted(BASE)
    made = programmed_motion(robot, rapid.sequence_of(moves()), step=0.05)
    assert not made.findings, made.findings
    start = robot.pose(robot.from_controller([10, 10, 5, 0, 50, 0])).homogeneous
    ends = {}
    for line, q in zip(made.lines.tolist(), made.motion.q, strict=True):
        ends[line] = q
    passed = [ends[line] for line in sorted(ends)][-3:]
    for q, place in zip(passed, [(0, 0, 0), (0.1, 0, 0), (0.1, 0.1, 0)], strict=True):
        expected = oracles.shift(*place) @ start
        np.testing.assert_allclose(robot.pose(q).homogeneous, expected, rtol=0, atol=1e-9)
    arc = made.motion.q[made.lines == max(ends)]
    ways = np.array([robot.pose(q).translation - start[:3, 3] for q in arc])
    radii = np.linalg.norm(ways - [0.1, 0.05, 0.0], axis=1)
    np.testing.assert_allclose(radii, 0.05, rtol=0, atol=1e-9)  # the circle point in the base too
    assert ways[:, 0].max() > 0.14


def test_the_box_of_a_path_stands_in_the_world():
    """TCP coordinates, and those of the tool's shapes, are the world's."""
    floor = irb.load("irb2400", tool="spindle")
    q = np.linspace(Q - 0.1, Q + 0.1, 5)
    motion = irb.Motion(0.1 * np.arange(5), q, np.zeros((5, 6)), np.zeros((5, 6)))
    hung = oracles.shift(3.0, 4.0, 5.0) @ np.diag([1.0, -1.0, -1.0, 1.0])
    tcp = np.array([hung @ [*floor.pose(one).translation, 1.0] for one in q])[:, :3]
    below = Box((-9, -9, -9), (9, 9, 5))
    check = check_path(floor.mounted(hung), motion, box=below)
    assert not [one for one in check.findings if one.kind == "box"]
    np.testing.assert_allclose(check.trace.tcp, tcp, rtol=0, atol=1e-12)
    low, _ = ToolExtent(floor).ends(q, np.array([floor.pose(one).translation for one in q]))
    assert low[:, 2].min() < 5.0 - tcp[:, 2].max() - 0.001  # the tool is lower than its TCP
    top = 5.0 - low[:, 2].min()  # what is lowest on the floor is highest when hung
    for height, found in ((top - 1e-6, {"tool z"}), (top + 1e-6, set())):
        check = check_path(floor.mounted(hung), motion, box=Box((-9, -9, -9), (9, 9, height)))
        assert {one.quantity for one in check.findings if one.kind == "box"} == found
    turned = check_path(floor.mounted(oracles.shift(3.0, 4.0, 5.0)), motion, box=below)
    found = {one.quantity for one in turned.findings if one.kind == "box"}
    assert found == {"TCP z", "tool z"}


def test_postures_of_a_module_are_those_of_the_mounted_robot():
    """The lines of a module's targets list the posture as programmed."""
    robot = irb.load("irb2400").mounted(BASE)
    lines = list(posture_lines(target_postures(moves(), robot, "w"), robot))
    starred = next(line for line in lines if line.startswith("  *"))
    shown = [float(word) for word in starred.split()[1:7]]
    np.testing.assert_allclose(shown, [10, 10, 5, 0, 50, 0], rtol=0, atol=1e-3)


def test_gravity_of_a_ceiling_is_that_of_a_turned_base():
    """Pinocchio with the whole arm hung from the ceiling, gravity down: the torques of the robot."""
    floor = irb.load("irb1600", tool="spindle")
    G, q0 = floor.coupling
    for base in (matrix((0, 0, 3), (0, 1, 0, 0)), BASE):
        model = pin.buildModelFromXML(floor.urdf())
        model.gravity.linear = np.array([0.0, 0.0, -9.81])
        model.jointPlacements[1] = pin.SE3(base) * model.jointPlacements[1]
        expected = G.T @ pin.computeGeneralizedGravity(model, model.createData(), G @ Q + q0)
        np.testing.assert_allclose(
            floor.mounted(base).gravity(Q), expected, rtol=0, atol=1e-10 * abs(expected).max()
        )


def test_a_base_in_millimetres_is_doubted():
    """A base 1500 m away is asked about; one at the end of a long track is not."""
    robot = irb.load("irb2400")
    with pytest.warns(irb.PhysicsWarning, match=r"mounted 1500 m .* in mm\? it counts in m"):
        robot.mounted(matrix((0.0, 0.0, 1500.0), (0, 1, 0, 0)))
    robot.mounted(matrix((30.0, 0.0, 0.5), (1, 0, 0, 0)))


@pytest.mark.parametrize(
    ("ask", "message"),
    [
        (lambda robot: robot.pose(Q, reference="wrld"), "did you mean 'world'"),
        (lambda robot: robot.pose(Q, reference=None), "reference"),
        (lambda robot: robot.inverse_kinematics(np.eye(4), reference="tool"), "reference 'tool'"),
        (lambda robot: robot.jacobian(Q, axes="wold"), "did you mean 'world'"),
    ],
)
def test_an_unknown_reference_is_refused(robot, ask, message):
    with pytest.raises(irb.UnknownName, match=message):
        ask(robot)


@pytest.mark.parametrize("axes", ["world", "local"])
def test_speeds_and_accelerations_for_twists_in_other_axes(robot, axes):
    """A twist in world or tool axes needs the axis speeds of the same twist in base axes."""
    turn = BASE[:3, :3] if axes == "world" else robot.pose(Q).rotation.T
    twist, v = np.array([0.2, -0.1, 0.3, 0.4, -0.5, 0.1]), np.full(6, 0.3)
    other = np.concatenate([turn @ twist[:3], turn @ twist[3:]])
    speeds = robot.inverse_velocity(Q, twist)
    np.testing.assert_allclose(robot.inverse_velocity(Q, other, axes=axes), speeds, atol=1e-12)
    many = robot.inverse_velocity(np.stack([Q, Q]), np.stack([other, other]), axes=axes)
    np.testing.assert_allclose(many, [speeds, speeds], atol=1e-12)
    damped, there = robot.damped_velocity(Q, twist), robot.damped_velocity(Q, other, axes=axes)
    np.testing.assert_allclose(there.v, damped.v, atol=1e-12)
    singular = Q * [1, 1, 1, 1, 0, 1]
    turn = BASE[:3, :3] if axes == "world" else robot.pose(singular).rotation.T
    other = np.concatenate([turn @ twist[:3], turn @ twist[3:]])
    missed = robot.damped_velocity(singular, twist).missed
    there = robot.damped_velocity(singular, other, axes=axes).missed
    np.testing.assert_allclose(there[:3], turn @ missed[:3], atol=1e-12)
    np.testing.assert_allclose(there[3:], turn @ missed[3:], atol=1e-12)
    a = robot.inverse_acceleration(Q, v, twist, axes=axes)
    reached = robot.jacobian(Q, axes=axes) @ a + robot.jacobian_rate(Q, v, axes=axes) @ v
    np.testing.assert_allclose(reached, twist, atol=1e-12)


def test_a_wrist_is_crossed_along_poses_in_the_world(robot):
    """The postures are those of the same path in the base."""
    start = Q * [1, 1, 1, 0.1, -0.1, 1]
    line = [oracles.shift(0, 0, 0.002 * k) @ robot.pose(start).homogeneous for k in range(60)]
    here = robot.cross_wrist(line, start)
    there = robot.cross_wrist([BASE @ pose for pose in line], start, reference="world")
    np.testing.assert_allclose(there.q, here.q, rtol=0, atol=1e-9)
    np.testing.assert_array_equal(there.inside, here.inside)


def test_working_range_in_the_world(robot):
    """Points and maps of the world are those of the same points in the base."""
    space = robot.workspace()
    points = np.random.default_rng(3).uniform(-2.0, 2.0, (200, 3))
    world = points @ BASE[:3, :3].T + BASE[:3, 3]
    inside = space.contains(points)
    assert 20 < inside.sum() < 180
    np.testing.assert_array_equal(space.contains(world, reference="world"), inside)
    there, here = space.measure_at(world, reference="world"), space.measure_at(points)
    np.testing.assert_allclose(there, here, rtol=1e-9)
    scara = irb.load("irb930").mounted(BASE).workspace()
    np.testing.assert_array_equal(
        scara.contains(world, "world"), irb.load("irb930").workspace().contains(points)
    )
    with pytest.raises(irb.UnknownName, match="reference"):
        space.contains(points, reference="floor")


@pytest.mark.parametrize("name", ["irb2400", "irb930"])
def test_highest_and_lowest_tcp_in_the_world(name):
    """Its postures are there; of 20000 others none is higher, nor any next to it."""
    robot = irb.load(name).mounted(BASE)
    ends = robot.tcp_extremes(reference="world")
    lower, upper = robot.limits.envelope()
    rng = np.random.default_rng(5)
    many = rng.uniform(np.maximum(lower, -7.0), np.minimum(upper, 7.0), (20000, robot.n))
    near = ends.postures[rng.integers(1, 3, 4000)] + rng.normal(0.0, 0.01, (4000, robot.n))
    q = np.concatenate([many, near])
    q = q[robot.limits.in_range(q)]
    assert len(q) > 4000
    heights = np.asarray(robot.pose(q, reference="world"))[:, 2, 3]
    for k, height in ((1, ends.top), (2, ends.bottom)):
        there = robot.pose(ends.postures[k], reference="world").translation[2]
        assert there == pytest.approx(height, abs=1e-9)
    assert heights.max() <= ends.top + 1e-6
    assert heights.min() >= ends.bottom - 1e-6
    assert ends.reach == pytest.approx(irb.load(name).tcp_extremes().reach, abs=2e-6)


def test_a_ceiling_turns_the_extremes_over():
    """Top and bottom change places; 3 m less what was above the base."""
    floor = irb.load("irb1600")
    hung = oracles.shift(0.5, 0.0, 3.0) @ np.diag([1.0, -1.0, -1.0, 1.0])
    here, there = floor.tcp_extremes(), floor.mounted(hung).tcp_extremes(reference="world")
    assert there.top == pytest.approx(3.0 - here.bottom, abs=2e-6)
    assert there.bottom == pytest.approx(3.0 - here.top, abs=2e-6)
    assert floor.mounted(hung).tcp_extremes().top == here.top
