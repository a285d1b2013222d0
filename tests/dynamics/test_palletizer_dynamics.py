"""Dynamics of a palletizer against bodies that pins hold together, each free but for its pins.

The oracle shares no code with the package: ten rigid bodies, thirteen hinges typed from lengths of
the drawing, Lagrange multipliers for all of them, motors as wrenches between neighbours. The loops
are thirteen hinges around ten bodies, of which nothing is opened.
"""

from typing import NamedTuple
from xml.etree import ElementTree

import numpy as np
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.dynamics.parallelogram_loop import LoopTree
from irbmodels.robot.collision import random_postures
from irbmodels.simulation.parallelogram_loop import ParallelogramLoop

D1, A1, A2, A3, A4, CRANK = 0.8145, 0.3, 1.28, 1.35, 0.29, 0.5
NAME = "irb760"
GRAVITY = np.array([0.0, 0.0, -9.81])
# of the angles q1, q2, q3, q4: those by which each body is turned about y, and about z after it
TILT = {"link_2": 1, "link_rod": 1, "link_lower_rod": 1, "link_3": 2, "link_crank": 2,
        "link_upper_rod": 2}  # fmt: skip
BODIES = (
    "link_1", "link_2", "link_3", "link_level", "link_4", "link_crank", "link_rod",
    "link_carrier", "link_lower_rod", "link_upper_rod",
)  # fmt: skip
BARS = BODIES[5:]
UPWARD, AHEAD = np.array([0.0, 0.0, 1.0]), np.array([1.0, 0.0, 0.0])
RODS = {"link_rod": UPWARD, "link_lower_rod": UPWARD, "link_upper_rod": AHEAD}  # at home


class Solid(NamedTuple):
    """Mass [kg], centre at home in the base [m], tensor about it in base axes at home."""

    mass: float
    centre: np.ndarray
    tensor: np.ndarray


def pins_at_home():
    """Hinges ``(body, body, point at home, axis)`` by lengths of the arm; base is ''."""
    level = irb.describe(NAME).kinematics.level
    (bx, bz), (fx, fz) = (np.array(x) / 1e3 for x in (level.lower_pin_mm, level.upper_pin_mm))
    x, z = A1, D1
    up, y = z + A2, np.array([0.0, 1.0, 0.0])
    hinges = [
        ("link_1", "link_2", (x, z)), ("link_2", "link_3", (x, up)),
        ("link_3", "link_level", (x + A3, up)), ("link_1", "link_crank", (x, z)),
        ("link_crank", "link_rod", (x - CRANK, z)), ("link_rod", "link_3", (x - CRANK, up)),
        ("link_2", "link_carrier", (x, up)), ("link_1", "link_lower_rod", (x + bx, z + bz)),
        ("link_lower_rod", "link_carrier", (x + bx, up + bz)),
        ("link_carrier", "link_upper_rod", (x + fx, up + fz)),
        ("link_upper_rod", "link_level", (x + A3 + fx, up + fz)),
    ]  # fmt: skip
    rows = [(one, two, np.array([u, 0.0, w]), y) for one, two, (u, w) in hinges]
    upright = np.array([0.0, 0.0, 1.0])
    rows.append(("", "link_1", np.array([0.0, 0.0, z]), upright))
    rows.append(("link_level", "link_4", np.array([x + A3 + A4, 0.0, up]), upright))
    return rows


def solids(heavy_bars, seed=0):
    """Bodies of any masses and shapes; bars weigh nothing unless ``heavy_bars``."""
    rng = np.random.default_rng(seed)
    result = {}
    for name in BODIES:
        if name in BARS and not heavy_bars:
            result[name] = Solid(0.0, np.zeros(3), np.zeros((3, 3)))
            continue
        mass = rng.uniform(20.0, 300.0)
        centre = np.array([A1, 0.0, D1 + 0.5]) + rng.uniform(-0.8, 0.8, 3)
        spread = rng.uniform(-0.3, 0.3, (3, 3))
        product = mass * spread @ spread.T
        result[name] = Solid(mass, centre, np.trace(product) * np.eye(3) - product)
    return result


def turned(name, q):
    """Rotation of a body from home."""
    angle = q[0] - (q[3] if name == "link_4" else 0.0)
    c, s = np.cos(angle), np.sin(angle)
    Rz = np.array([[c, -s, 0.0 * c], [s, c, 0.0 * c], [0.0 * c, 0.0 * c, 1.0 + 0.0 * c]])
    tilt = q[TILT[name]] if name in TILT else 0.0 * q[0]
    c, s = np.cos(tilt), np.sin(tilt)
    return Rz @ np.array([[c, 0.0 * c, s], [0.0 * c, 1.0 + 0.0 * c, 0.0 * c], [-s, 0.0 * c, c]])


def positions(q, hinges):
    """Where each body carries a point that is at home there: ``p + R (x - p_home)``."""
    at = {"": (np.eye(3), np.zeros(3))}
    for name, parent in (
        ("link_1", ""), ("link_2", "link_1"), ("link_3", "link_2"), ("link_level", "link_3"),
        ("link_4", "link_level"), ("link_crank", "link_1"), ("link_rod", "link_crank"),
        ("link_carrier", "link_2"), ("link_lower_rod", "link_1"),
        ("link_upper_rod", "link_carrier"),
    ):  # fmt: skip
        home = next(point for one, two, point, _ in hinges if (one, two) == (parent, name))
        R, shift = at[parent]
        own = turned(name, q)
        at[name] = own, R @ home + shift - own @ home
    return at


def rates(q, v, bodies, hinges):
    """Angular velocity, centre and its velocity of each body, by the complex step."""
    step = 1e-30
    still, moved = positions(q, hinges), positions(q + 1j * step * v, hinges)
    result = {}
    for name in BODIES:
        R, shift = still[name]
        dR, dp = np.imag(moved[name][0]) / step, np.imag(moved[name][1]) / step
        W = dR @ R.T
        centre = bodies[name].centre
        spin = np.array([W[2, 1], W[0, 2], W[1, 0]])
        result[name] = spin, R @ centre + shift, dR @ centre + dp
    return result


def cross(a):
    """Matrix of a cross product."""
    return np.array([[0.0, -a[2], a[1]], [a[2], 0.0, -a[0]], [-a[1], a[0], 0.0]])


class Moved(NamedTuple):
    """Answer of the pinned bodies."""

    a: np.ndarray  # of the axes (4,)
    gap: float  # [m] the largest of a pin
    pins: np.ndarray  # [N] of each rod on the body at its far pin, along and across, (3, 2)
    stretch: np.ndarray  # [m/s^2] of each rod, (3,)


def motion(q, v, tau, bodies, forces=None):
    """Motion by Lagrange multipliers.

    With forces along the rods (3,) these elongate freely: their far pins slide along them.
    """
    hinges = pins_at_home()
    at, moving = positions(q, hinges), rates(q, v, bodies, hinges)
    count = 6 * len(BODIES)
    M, force, rows, right = np.zeros((count, count)), np.zeros(count), [], []
    place = {name: 6 * k for k, name in enumerate(BODIES)}
    for name, k in place.items():
        R, (spin, _, _) = at[name][0], moving[name]
        tensor = R @ bodies[name].tensor @ R.T
        M[k : k + 3, k : k + 3] = bodies[name].mass * np.eye(3)
        M[k + 3 : k + 6, k + 3 : k + 6] = tensor
        force[k : k + 3] = bodies[name].mass * GRAVITY
        force[k + 3 : k + 6] = -np.cross(spin, tensor @ spin)
    gap, slides, numbers = 0.0, [], []
    for one, two, home, axis in hinges:
        ends, blocks = [], []
        for name, sign in ((one, -1.0), (two, 1.0)):
            R, shift = at[name]
            point = R @ home + shift
            ends.append(point)
            if not name:
                continue
            spin, centre, _ = moving[name]
            arm = point - centre
            J, k = np.zeros((6, count)), place[name]
            J[:3, k : k + 3], J[:3, k + 3 : k + 6] = sign * np.eye(3), -sign * cross(arm)
            J[3:, k + 3 : k + 6] = sign * np.eye(3)
            bias = sign * np.cross(spin, np.cross(spin, arm))
            blocks.append((J, np.concatenate([bias, np.zeros(3)])))
        gap = max(gap, float(np.abs(ends[0] - ends[1]).max()))
        n = at[two][0] @ axis
        across = np.linalg.svd(n[None])[2][1:]
        spin_1 = moving[one][0] if one else np.zeros(3)
        rate = (moving[two][0] - spin_1) @ n
        J, bias = sum(J for J, _ in blocks), sum(bias for _, bias in blocks)
        turning = -rate * np.cross(spin_1, n)  # the axis turns with the body that carries it
        point, wanted = J[:3], -bias[:3]
        if one in RODS:
            along = at[one][0] @ RODS[one]
            axes = np.stack([along, np.cross(n, along), n])
            point, wanted = axes @ point, axes @ wanted
            slides.append((point[0], wanted[0]))
            if forces is not None:
                force += point[0] * forces[len(slides) - 1]
                point, wanted = point[1:], wanted[1:]
            numbers.append(sum(map(len, rows)))
        rows += [point, across @ J[3:]]
        right += [wanted, -across @ turning]
        motor = {("", "link_1"): (0, 1.0), ("link_1", "link_2"): (1, 1.0),
                 ("link_1", "link_crank"): (2, 1.0), ("link_level", "link_4"): (3, -1.0)}  # fmt: skip
        if (one, two) in motor:
            axis_number, sign = motor[one, two]
            for name, side in ((one, -1.0), (two, 1.0)):
                if name:
                    force[place[name] + 3 : place[name] + 6] += side * sign * tau[axis_number] * n
    J, gamma = np.concatenate(rows), np.concatenate(right)
    # multipliers of thirteen hinges are not unique; accelerations are: those in the null space of J
    # solve the reduced equations
    start = np.linalg.lstsq(J, gamma, rcond=1e-11)[0]
    _, values, directions = np.linalg.svd(J)
    free = directions[int((values > 1e-9).sum()) :].T
    assert free.shape[1] == (4 if forces is None else 7)
    rest = np.linalg.solve(free.T @ M @ free, free.T @ (force - M @ start))
    total = start + free @ rest
    # what thirteen hinges share is across the plane of the loops
    borne = np.linalg.lstsq(J.T, M @ total - force, rcond=1e-11)[0]
    first = [borne[k] for k in numbers] if forces is None else forces
    second = [borne[k + (forces is None)] for k in numbers]
    stretch = [row @ total - value for row, value in slides]
    spins = {name: total[k + 3 : k + 6] for name, k in place.items()}
    side = at["link_1"][0] @ [0.0, 1.0, 0.0]
    up = np.array([0.0, 0.0, 1.0])
    turned_1 = spins["link_1"] @ up
    tilts = [spins[name] @ side for name in ("link_2", "link_crank")]
    a = np.array([turned_1, *tilts, turned_1 - spins["link_4"] @ up])
    return Moved(a, gap, np.stack([first, second], axis=1), np.array(stretch))


def robot_of(bodies, tmp_path):
    """The URDF of the arm with these bodies, read as anyone's."""
    urdf = irb.describe(NAME).urdf(looks=False)
    home = irb.load(NAME)
    root = ElementTree.fromstring(urdf)
    for link in root.iterfind("link"):
        for old in link.findall("inertial"):
            link.remove(old)
        body = bodies.get(str(link.get("name")))
        if body is None or body.mass == 0.0:
            continue
        frame = home.pose(np.zeros(4), str(link.get("name")))
        centre = frame.actInv(body.centre)
        tensor = frame.rotation.T @ body.tensor @ frame.rotation
        tag = ElementTree.SubElement(link, "inertial")
        ElementTree.SubElement(tag, "origin", xyz=" ".join(map(repr, centre.tolist())))
        ElementTree.SubElement(tag, "mass", value=repr(body.mass))
        entries = {f"i{'xyz'[i]}{'xyz'[j]}": repr(float(tensor[i, j])) for i in range(3)
                   for j in range(i, 3)}  # fmt: skip
        ElementTree.SubElement(tag, "inertia", entries)
    path = tmp_path / "palletizer.urdf"
    path.write_text(ElementTree.tostring(root, encoding="unicode"), encoding="utf-8")
    return irb.from_urdf(path)


@pytest.mark.parametrize("heavy_bars", [True, False])
def test_torques_move_the_pinned_bodies_as_asked(heavy_bars, tmp_path):
    """Torques of the robot for any motion give just this motion to the bodies."""
    bodies = solids(heavy_bars)
    robot = robot_of(bodies, tmp_path)
    assert robot.n == 4
    rng = np.random.default_rng(1)
    for q in random_postures(irb.load(NAME).limits, 20, seed=1):
        v, a = rng.uniform(-2.0, 2.0, 4), rng.uniform(-5.0, 5.0, 4)
        tau = robot.inverse_dynamics(q, v, a, friction=False)
        found = motion(q, v, tau, bodies)
        assert found.gap < 1e-12
        np.testing.assert_allclose(found.a, a, rtol=0.0, atol=1e-8)
        np.testing.assert_allclose(
            robot.forward_dynamics(q, v, tau, friction=False), a, rtol=0.0, atol=1e-8
        )


@pytest.mark.parametrize("heavy_bars", [True, False])
def test_rods_bear_what_the_pinned_bodies_ask(heavy_bars, tmp_path):
    """Accelerations and pin forces of the closed loops with rigid rods; and with rods that forces
    along them stretch, which need bars with mass.
    """
    bodies = solids(heavy_bars)
    robot = robot_of(bodies, tmp_path)
    rng, loop = np.random.default_rng(3), ParallelogramLoop(robot)
    assert loop.rods == tuple(RODS)
    stretched = LoopTree(robot.dynamic_model, elastic=(0, 1, 2))
    for q in random_postures(irb.load(NAME).limits, 10, seed=3):
        v, tau, forces = (rng.uniform(-1.0, 1.0, size) for size in (4, 4, 3))
        found, moved = motion(q, v, 5e3 * tau, bodies), loop.forward_dynamics(q, v, 5e3 * tau)
        np.testing.assert_allclose(moved.a, found.a, rtol=0.0, atol=1e-8)
        size = np.abs(found.pins).max()
        np.testing.assert_allclose(moved.pins, found.pins, rtol=0.0, atol=1e-9 * size)
        needed = loop.inverse_dynamics(q, v, moved.a)
        np.testing.assert_allclose(needed.torque, 5e3 * tau, rtol=0.0, atol=1e-7)
        np.testing.assert_allclose(needed.pins, found.pins, rtol=0.0, atol=1e-9 * size)
        if heavy_bars:
            found = motion(q, v, 5e3 * tau, bodies, 1e4 * forces)
            state = stretched.state(q, v)
            moved = stretched.acceleration(state, 5e3 * tau, np.zeros(6), 1e4 * forces)
            size = np.abs(found.stretch).max()
            np.testing.assert_allclose(moved.e_ddot, found.stretch, rtol=0.0, atol=1e-9 * size)
            np.testing.assert_allclose(moved.a, found.a, rtol=0.0, atol=1e-9 * size)
            np.testing.assert_allclose(moved.pins, found.pins, rtol=0.0, atol=1e-5)


def test_elongated_rods_end_at_their_pins_and_keep_energy(tmp_path):
    """Far ends of elongated rods meet the pins of their bodies; and a swing keeps its energy."""
    bodies, q = solids(True), np.array([0.2, 0.3, 0.6, -0.4])
    robot = robot_of(bodies, tmp_path)
    stiffness = {"link_rod": 2e7, "link_upper_rod": 1e7}
    loop = ParallelogramLoop(robot, stiffness)
    e, tree = np.array([4e-3, 0.0, -3e-3]), loop.tree
    home = {two: point for one, two, point, _ in pins_at_home() if one in RODS}
    at_home, state = tree.state(np.zeros(4), np.zeros(4)), tree.state(q, np.zeros(4), e)

    def poses(state):
        model, data = tree.tree.model, tree.tree.data
        pin.forwardKinematics(model, data, state.q)
        names = [*RODS, *home]
        joints = [model.getJointId(name.replace("link", "joint")) for name in names]
        return {name: data.oMi[joint].copy() for name, joint in zip(names, joints, strict=True)}

    before, after = poses(at_home), poses(state)
    for (rod, length), longer, (body, point) in zip(
        {"link_rod": A2, "link_lower_rod": A2, "link_upper_rod": A3}.items(),
        e,
        home.items(),
        strict=True,
    ):
        end = after[rod].act(np.array([length + longer, 0.0, 0.0]))
        np.testing.assert_allclose(
            end, after[body].act(before[body].actInv(point)), rtol=0.0, atol=1e-12
        )
    run = loop.simulate(q, [0.3, -0.2, 0.4, 0.5], duration=0.04, e=0.0, every=0.004)
    energy = []
    for q_now, v, e_now, e_dot in zip(run.q, run.v, run.e, run.e_dot, strict=True):
        now, data = tree.state(q_now, v, e_now, e_dot), tree.tree.model.createData()
        total = pin.computeKineticEnergy(tree.tree.model, data, now.q, now.v)
        total += pin.computePotentialEnergy(tree.tree.model, data, now.q)
        elastic = 0.5 * (np.array([2e7, 0.0, 1e7]) @ e_now**2)
        energy.append((total + elastic, elastic))
    total, elastic = np.transpose(energy)
    assert not run.e[:, 1].any()
    assert np.abs(run.e).max(axis=0)[[0, 2]].min() > 1e-5
    assert np.ptp(total) < 1e-6 * np.ptp(elastic)
    rates, damped = np.array([0.1, 0.0, -0.2]), ParallelogramLoop(robot, stiffness, 900.0)
    forces = damped.forward_dynamics(q, np.zeros(4), np.zeros(4), e_dot=rates).pins[:, 0]
    np.testing.assert_allclose(forces[[0, 2]], -900.0 * rates[[0, 2]], rtol=1e-9)


def test_unlike_rods_swing_as_the_pinned_bodies(tmp_path):
    """Frequencies of three elastic rods with free motors, by what forces along them stretch."""
    bodies, stiffness = solids(True), dict(zip(RODS, (2e7, 5e6, 1e7), strict=True))
    q, still = np.array([0.2, 0.3, 0.6, -0.4]), np.zeros(4)
    forces = 1e4 * np.vstack([np.zeros(3), np.eye(3)])
    bare, *pushed = (motion(q, still, still, bodies, force).stretch for force in forces)
    compliance = np.transpose(pushed - bare) / 1e4
    squares = np.linalg.eigvals(compliance @ np.diag(list(stiffness.values())))
    wanted = np.sqrt(np.sort(squares.real)) / (2.0 * np.pi)
    loop = ParallelogramLoop(robot_of(bodies, tmp_path), stiffness)
    np.testing.assert_allclose(loop.frequencies(q, "free"), wanted, rtol=1e-8)


TREE = {  # body: body that carries it, its axis, and its angle from that of q1 to q4
    "link_1": ("", "0 0 1", (1, 0, 0, 0)), "link_2": ("link_1", "0 1 0", (0, 1, 0, 0)),
    "link_3": ("link_2", "0 1 0", (0, -1, 1, 0)), "link_level": ("link_3", "0 1 0", (0, 0, -1, 0)),
    "link_4": ("link_level", "0 0 -1", (0, 0, 0, 1)), "link_crank": ("link_1", "0 1 0", (0, 0, 1, 0)),
    "link_rod": ("link_crank", "0 1 0", (0, 1, -1, 0)),
    "link_carrier": ("link_2", "0 1 0", (0, -1, 0, 0)),
    "link_lower_rod": ("link_1", "0 1 0", (0, 1, 0, 0)),
    "link_upper_rod": ("link_carrier", "0 1 0", (0, 0, 1, 0)),
}  # fmt: skip
MOTORS = ("link_1", "link_2", "link_crank", "link_4")


def looped_mjcf(bodies):
    """MJCF of the bodies in home axes: ten hinges, and three loops closed by connect."""
    home = {(one, two): point for one, two, point, _ in pins_at_home()}
    rows = {name: home[TREE[name][0], name] for name in BODIES}
    root = ElementTree.Element("mujoco")
    option = {"timestep": "1e-5", "gravity": "0 0 -9.81", "jacobian": "dense"}
    ElementTree.SubElement(root, "option", option)
    tags = {"": ElementTree.SubElement(root, "worldbody")}
    for name in BODIES:
        parent, axis, _ = TREE[name]
        at = rows[name] - (rows[parent] if parent else 0.0)
        tag = ElementTree.SubElement(
            tags[parent], "body", name=name, pos=" ".join(map(repr, at.tolist()))
        )
        ElementTree.SubElement(tag, "joint", name=name, type="hinge", axis=axis)
        body, place = bodies[name], bodies[name].centre - rows[name]
        t = body.tensor
        six = (t[0, 0], t[1, 1], t[2, 2], t[0, 1], t[0, 2], t[1, 2])
        numbers = {
            "pos": " ".join(map(repr, place.tolist())),
            "mass": repr(body.mass),
            "fullinertia": " ".join(repr(float(value)) for value in six),
        }
        ElementTree.SubElement(tag, "inertial", numbers)
        tags[name] = tag
    loops, joints = ElementTree.SubElement(root, "equality"), set(TREE)
    for one, two in home:
        if two not in joints or TREE[two][0] != one:
            anchor = " ".join(map(repr, (home[one, two] - rows[one]).tolist()))
            stiff = {"solref": "2e-5 1", "solimp": "0.9999 0.9999 0.001 0.5 2"}
            ElementTree.SubElement(
                loops, "connect", {"body1": one, "body2": two, "anchor": anchor} | stiff
            )
    assert len(loops) == 3
    return ElementTree.tostring(root, encoding="unicode")


def test_mujoco_with_closed_loops_accelerates_alike(tmp_path):
    """From rest: its mass matrix, weight and loops, solved exactly; loops are closed everywhere.

    At rest, as MuJoCo leaves the velocity terms of its loops to their stiffness.
    """
    mujoco = pytest.importorskip("mujoco")
    bodies = solids(True)
    robot = robot_of(bodies, tmp_path)
    model = mujoco.MjModel.from_xml_string(looped_mjcf(bodies))
    data = mujoco.MjData(model)
    names = [model.joint(k).name for k in range(model.njnt)]
    rows = np.array([TREE[name][2] for name in names], dtype=float)
    motors = np.array([[name == motor for motor in MOTORS] for name in names], dtype=float)
    rng = np.random.default_rng(2)
    for q in random_postures(irb.load(NAME).limits, 10, seed=2):
        tau = rng.uniform(-5000.0, 5000.0, 4)
        data.qpos[:], data.qvel[:] = rows @ q, 0.0
        mujoco.mj_forward(model, data)
        assert data.nefc == 9
        assert np.abs(data.efc_pos).max() < 1e-12
        M, J = np.zeros((model.nv, model.nv)), data.efc_J.reshape(-1, model.nv)
        mujoco.mj_fullM(model, data, M)
        _, values, directions = np.linalg.svd(J)
        free = directions[int((values > 1e-9).sum()) :].T
        assert free.shape[1] == 4
        force = motors @ tau - data.qfrc_bias
        moved = free @ np.linalg.solve(free.T @ M @ free, free.T @ force)
        a = robot.forward_dynamics(q, np.zeros(4), tau, friction=False)
        np.testing.assert_allclose(moved, rows @ a, rtol=0.0, atol=1e-9)


def test_mujoco_falls_alike(tmp_path):
    """0.1 s from rest under the arm's weight by MuJoCo's own solver and loops."""
    mujoco = pytest.importorskip("mujoco")
    bodies = solids(True)
    robot = robot_of(bodies, tmp_path)
    model = mujoco.MjModel.from_xml_string(looped_mjcf(bodies))
    data = mujoco.MjData(model)
    rows = np.array([TREE[model.joint(k).name][2] for k in range(model.njnt)], dtype=float)
    q, v = np.radians([10.0, 10.0, 30.0, 20.0]), np.array([0.3, 0.0, 0.0, 0.2])
    data.qpos[:], data.qvel[:] = rows @ q, rows @ v
    for _ in range(10_000):
        mujoco.mj_step(model, data)
    h = 1e-3

    def slope(q, v):
        return v, robot.forward_dynamics(q, v, np.zeros(4), friction=False)

    for _ in range(100):  # fourth order
        k1 = slope(q, v)
        k2 = slope(q + 0.5 * h * k1[0], v + 0.5 * h * k1[1])
        k3 = slope(q + 0.5 * h * k2[0], v + 0.5 * h * k2[1])
        k4 = slope(q + h * k3[0], v + h * k3[1])
        q = q + h / 6.0 * (k1[0] + 2.0 * k2[0] + 2.0 * k3[0] + k4[0])
        v = v + h / 6.0 * (k1[1] + 2.0 * k2[1] + 2.0 * k3[1] + k4[1])
    assert np.abs(v).max() > 0.4
    np.testing.assert_allclose(data.qpos, rows @ q, rtol=0.0, atol=2e-5)
    np.testing.assert_allclose(data.qvel, rows @ v, rtol=0.0, atol=2e-4)
