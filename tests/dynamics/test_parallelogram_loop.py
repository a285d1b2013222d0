"""The loop of a parallelogram against constraint forces computed by hand, and rigid against folded.

The oracle is the open tree of ``oracles.py``: eight coordinates, the energies' equations of motion
by complex steps, and the closure of the rod's upper pin as typed here. It shares no code with the
package.
"""

import warnings

import numpy as np
import oracles
import pinocchio as pin
import pytest

import irbmodels as irb
from irbmodels.dynamics.parallelogram_loop import LoopTree
from irbmodels.simulation.parallelogram_loop import ParallelogramLoop

ROD = {"irb2400_16": 0.705, "irb1400": 0.600}  # [m] long side of the parallelogram
MASSES = {"irb2400_16": ("obal2025", "cad"), "irb1400": ("cad", "stretched")}
GRAVITY = np.array([1.0, 2.0, -9.0])
AXES = [0, 1, 6, 3, 4, 5]  # coordinates of the oracle that motors drive: axis 3's is the crank
FREE = [2, 7]  # elbow and rod
CASES = [(name, parameters) for name, sets in MASSES.items() for parameters in sets]


def unfolded(name, parameters):
    """Return the arm with the spindle whose eight joints turn each by itself."""
    arm = oracles.carrying(
        oracles.arm(name, parameters, bars=True), *oracles.SPINDLE, tip=oracles.SPINDLE_TCP
    )
    unit = np.eye(len(arm.joints))
    return arm._replace(joints=[j._replace(gain=unit[i]) for i, j in enumerate(arm.joints)])


def upper_pin(arm, name, x):
    """Return place (2,) of the lever's pin in the rod's axes, and its Jacobian (2, 8)."""
    frames = oracles.poses(arm, x)
    lever = frames[2][:3, 3] - oracles.CRANK[name] * frames[2][:3, 1]
    turn, origin = frames[7][:3, :3], frames[7][:3, 3]
    on_arm = oracles.jacobian(arm, frames, 2, lever)[:3]
    own = oracles.jacobian(arm, frames, 7, origin)
    d = lever - origin
    swept = np.cross(own[3:], d, axisa=0, axisc=0)
    return (turn.T @ d)[:2], (turn.T @ (on_arm - own[:3] - swept))[:2]


def closed(arm, name, q, v, e=0.0, e_dot=0.0):
    """Return coordinates and speeds of the oracle with the loop closed, by the law of cosines."""
    crank, long, rod = oracles.CRANK[name], ROD[name], ROD[name] + e
    # in the plane, x along the lower arm, y as its frame's: shoulder at 0, elbow at (long, 0)
    pin_below = crank * np.array([np.sin(q[2] - q[1]), -np.cos(q[2] - q[1])])
    to_pin = pin_below - [long, 0.0]
    far = np.hypot(*to_pin)
    inner = np.arccos((crank**2 + far**2 - rod**2) / (2.0 * crank * far))
    lever = np.arctan2(to_pin[1], to_pin[0]) + inner  # direction of the lever, from the lower arm
    if np.cos(lever + np.pi / 2.0 - (q[2] - q[1])) < 0.5:
        lever -= 2.0 * inner
    elbow = lever + np.pi / 2.0
    top = np.array([long, 0.0]) + crank * np.array([np.cos(lever), np.sin(lever)])
    slope = np.arctan2(*(top - pin_below)[::-1])  # of the rod, from the lower arm
    x = np.zeros(8)
    x[AXES] = q
    x[2], x[7] = elbow, slope - (q[2] - q[1])
    x_dot = np.zeros(8)
    x_dot[AXES] = v
    J = upper_pin(arm, name, x)[1]
    x_dot[FREE] = np.linalg.solve(J[:, FREE], np.array([e_dot, 0.0]) - J @ x_dot)
    return x, x_dot


def oracle(name, parameters, state, given, rotors, force=None):
    """Return accelerations (8,), pin force (2,) and e'' under torques, solved with multipliers."""
    arm = unfolded(name, parameters)
    x, x_dot = closed(arm, name, *state)
    place, J = upper_pin(arm, name, x)
    e = state[2] if len(state) > 2 else 0.0
    np.testing.assert_allclose(place, [ROD[name] + e, 0.0], atol=1e-13)
    drift = upper_pin(arm, name, x + 1j * oracles.STEP * x_dot)[1].imag / oracles.STEP @ x_dot
    M = oracles.mass_matrix(arm, x)
    M[AXES, AXES] += rotors
    right = -oracles.lagrange(arm, x, x_dot, np.zeros(8), GRAVITY)
    right[AXES] += given
    rows = [0, 1] if force is None else [1]
    if force is not None:
        right += force * J[0]
    m = len(rows)
    K = np.block([[M, -J[rows].T], [J[rows], np.zeros((m, m))]])
    solution = np.linalg.solve(K, np.r_[right, -drift[rows]])
    pins = solution[8:] if force is None else np.r_[force, solution[8:]]
    return solution[:8], pins, J[0] @ solution[:8] + drift[0]


def robot(name, parameters, rotors=0.0):
    """Return the arm with the spindle, skew gravity and rotors of axes 1 to 6."""
    given = irb.load(name, tool="spindle", parameters=parameters, coupling="parallelogram")
    given = given.with_gravity(GRAVITY)
    return given.with_rotors(np.full(6, rotors)) if rotors else given


@pytest.mark.parametrize("rotors", [0.0, 3.0])
@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_rigid_bars_move_as_multipliers_say(name, parameters, rotors):
    """Accelerations and pin force under torques equal the oracle's, bars with mass or without."""
    arm = ParallelogramLoop(robot(name, parameters, rotors))
    for q, v, tau in oracles.states(name, 6, seed=5) * [[0.4], [1.0], [60.0]]:
        a, pins, _ = oracle(name, parameters, (q, v), tau, rotors)
        moved = arm.forward_dynamics(q, v, tau)
        np.testing.assert_allclose(moved.a, a[AXES], atol=1e-10 * np.abs(a).max())
        np.testing.assert_allclose(moved.pins[0], pins, atol=1e-9 * np.abs(pins).max())
        assert not moved.e_ddot.any()


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_an_elastic_rod_moves_as_multipliers_say(name, parameters):
    """With the rod's spring and damper: accelerations of axes and elongation, and the pin force."""
    k, d, rotors = 4.0e6, 900.0, 3.0
    arm = ParallelogramLoop(robot(name, parameters, rotors), k, d)
    rng = np.random.default_rng(8)
    for q, v, tau in oracles.states(name, 6, seed=6) * [[0.3], [1.0], [60.0]]:
        e, e_dot = rng.normal(size=2) * [2e-3, 0.05]
        a, pins, e_ddot = oracle(
            name, parameters, (q, v, e, e_dot), tau, rotors, -k * e - d * e_dot
        )
        moved = arm.forward_dynamics(q, v, tau, e=e, e_dot=e_dot)
        np.testing.assert_allclose(moved.a, a[AXES], atol=1e-10 * np.abs(a).max())
        np.testing.assert_allclose(moved.pins[0], pins, atol=1e-9 * np.abs(pins).max())
        assert moved.e_ddot[0] == pytest.approx(e_ddot, rel=1e-9)


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_a_rod_of_another_length_turns_the_elbow_as_multipliers_say(name, parameters):
    """Where a rod is 3 mm longer and stays so, the loop is no parallelogram, and its angles
    accelerate of themselves; torques bring back the accelerations they are made of.
    """
    tree = LoopTree(robot(name, parameters, 3.0).dynamic_model)
    for q, v, tau in oracles.states(name, 4, seed=7) * [[0.3], [1.0], [60.0]]:
        a, pins, _ = oracle(name, parameters, (q, v, 3e-3), tau, 3.0)
        state = tree.state(q, v, np.array([3e-3]))
        moved = tree.acceleration(state, tau, np.zeros(6), np.zeros(1))
        np.testing.assert_allclose(moved.a, a[AXES], atol=1e-10 * np.abs(a).max())
        needed = tree.torque(state, a[AXES], np.zeros(6))
        np.testing.assert_allclose(needed.torque, tau, atol=1e-9 * np.abs(tau).max())
        np.testing.assert_allclose(needed.pins[0], pins, atol=1e-9 * np.abs(pins).max())


@pytest.mark.parametrize(("name", "parameters"), CASES)
def test_kinetic_energy_with_an_elastic_rod(name, parameters):
    """``u' M u / 2`` of axes and elongation is the energy of the bodies, by the oracle."""
    arm, open_arm = ParallelogramLoop(robot(name, parameters, 3.0), 1e6), unfolded(name, parameters)
    for q, v, _ in oracles.states(name, 4, seed=9) * [[0.3], [1.0], [1.0]]:
        x, x_dot = closed(open_arm, name, q, v, 2e-3, 0.4)
        wanted = x_dot @ oracles.mass_matrix(open_arm, x) @ x_dot + 3.0 * v @ v
        u = np.r_[v, 0.4]
        assert u @ arm.mass_matrix(q, e=2e-3) @ u == pytest.approx(wanted, rel=1e-12)


@pytest.mark.parametrize("name", ["irb2400", "irb1400", "irb4400_60_196", "irb4400_l30_243"])
@pytest.mark.parametrize("rotors", [0.0, 2.0])
def test_rigid_bars_are_the_reduced_model(name, rotors):
    """Torques, accelerations, mass matrix, rod and pin forces are those of the folded tree."""
    given = irb.load(name, coupling="parallelogram").with_gravity(GRAVITY)
    given = given.with_payload(irb.payload(3.0, [0.1, 0.02, 0.05]))
    given = given.with_rotors(np.full(6, rotors)) if rotors else given
    given = given.with_springs([irb.TorsionSpring(2, 800.0, 0.3), irb.TorqueOffset(3, 90.0)])
    arm, rng = ParallelogramLoop(given), np.random.default_rng(4)
    wrench = np.array([40.0, -30.0, 20.0, 2.0, 3.0, -4.0])
    for _ in range(5):
        q, v, a, tau = rng.uniform(-0.5, 0.5, (4, 6)) * [[1.0], [3.0], [6.0], [400.0]]
        needed = arm.inverse_dynamics(q, v, a, wrench=wrench)
        wanted = given.inverse_dynamics(q, v, a, friction=False, wrench=wrench)
        size = np.abs(wanted).max()
        np.testing.assert_allclose(needed.torque, wanted, atol=1e-12 * size)
        bars = given.reactions(q, v, a, wrench=wrench).bars
        along, across = given.pose(q, "link_rod").rotation[:, :2].T
        pins = [bars.upper_pin @ along, bars.upper_pin @ across]
        np.testing.assert_allclose(needed.pins[0], pins, atol=1e-11 * np.abs(pins).max())
        np.testing.assert_allclose(needed.pins[0, 0] + 0.0, bars.rod, atol=1e-11 * np.abs(bars.rod))
        free = given.forward_dynamics(q, v, tau, friction=False, wrench=wrench)
        moved = arm.forward_dynamics(q, v, tau, wrench=wrench)
        np.testing.assert_allclose(moved.a, free, atol=1e-11 * np.abs(free).max())
        M = given.mass_matrix(q)
        np.testing.assert_allclose(arm.mass_matrix(q), M, atol=1e-12 * np.abs(M).max())


PARALLELOGRAMS = [name for name in irb.robots() if irb.describe(name).kinematics.parallelogram]
MADE = {  # kg, mm: made up, so that arms whose masses are unknown have a loop too
    "base_link": (90, 0, 0),
    "link_1": (80, 50, -20),
    "link_2": (60, 200, 5),
    "link_3": (40, 30, 60),
    "link_4": (20, 0, 5),
    "link_5": (5, 0, 1),
    "link_6": (2, 1, 0),
    "link_crank": (9, 10, -70),
    "link_rod": (7, 340, 5),
}


@pytest.mark.parametrize("name", PARALLELOGRAMS)
def test_every_parallelogram_closes_with_masses_of_its_bars(name, tmp_path):
    """Made-up bodies, bars among them: torques and rod force of every arm with a parallelogram."""
    inertia = "inertia_kg_m2: {xx: 1.0, yy: 1.2, zz: 1.4, xy: 0.1, xz: 0, yz: 0}"
    bodies = {link: MADE.get(link, (15, 30, 40)) for link in irb.describe(name).links}
    rows = "".join(
        f"      {link}: {{mass_kg: {mass}, com_mm: [{x}, {y}, 10], source: made, {inertia}}}\n"
        for link, (mass, x, y) in bodies.items()
    )
    (tmp_path / "made.yaml").write_text(
        f"robot: {name}\nabout: made\nsources: {{made: {{ref: made up, grade: assumed}}}}\n"
        f"inertials:\n  default: made_up\n  sets:\n    made_up:\n     about: made\n     links:\n{rows}"
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)  # the masses are no robot's
        given = irb.load(name, overlays=[tmp_path / "made.yaml"])
    arm, rng = ParallelogramLoop(given), np.random.default_rng(0)
    for q, v, a in rng.uniform(-0.4, 0.4, (3, 3, given.n)):
        needed = arm.inverse_dynamics(q, v, a)
        wanted = given.inverse_dynamics(q, v, a, friction=False)
        np.testing.assert_allclose(needed.torque, wanted, atol=1e-12 * np.abs(wanted).max())
        if len(arm.rods) == 1:  # those of palletizers: test_palletizer_dynamics.py
            rod = given.reactions(q, v, a).bars.rod
            assert needed.pins[0, 0] == pytest.approx(rod, rel=1e-10)


@pytest.mark.parametrize("e", [0.0, 3e-3])
@pytest.mark.parametrize("name", ["irb1400", "irb4400_60_196"])
def test_pinocchio_closes_the_same_loop_where_bars_have_mass(name, e):
    """``constraintDynamics`` with a 3D point constraint at the pin: same accelerations and force,
    also where the rod is longer and stays so.

    Its third row binds nothing in a planar loop: the force across the plane means nothing, and only
    a proximal term (1e-10 here) keeps the rest right. Without one it is off by 1e-2 in silence.
    """
    given = irb.load(name, coupling="parallelogram").with_gravity(GRAVITY)
    tree, rng = LoopTree(given.dynamic_model), np.random.default_rng(2)
    model = tree.tree.model
    rod, arm = model.getJointId("joint_rod"), model.getJointId("joint_3")
    at_rod = pin.SE3(np.eye(3), np.array([tree.lengths[0] + e, 0.0, 0.0]))
    crank = given.dynamic_model.linkage.crank
    at_arm = pin.SE3(np.eye(3), np.array([0.0, -crank, 0.0]))
    point = pin.RigidConstraintModel(
        pin.ContactType.CONTACT_3D, model, rod, at_rod, arm, at_arm, pin.ReferenceFrame.LOCAL
    )
    for _ in range(3):
        q, v, tau = rng.uniform(-0.5, 0.5, (3, 6)) * [[1.0], [2.0], [400.0]]
        state, data = tree.state(q, v, np.array([e])), model.createData()
        points, constraints = pin.StdVec_RigidConstraintModel(), pin.StdVec_RigidConstraintData()
        points.append(point)
        constraints.append(point.createData())
        given_tau = np.zeros(model.nv)
        given_tau[tree.driven] = tau
        pin.initConstraintDynamics(model, data, points, constraints)
        exact = pin.ProximalSettings(1e-14, 1e-14, 1e-10, 100)
        a = pin.constraintDynamics(
            model, data, state.q, state.v, given_tau, points, constraints, exact
        )
        moved = tree.acceleration(state, tau, np.zeros(6), np.zeros(1))
        np.testing.assert_allclose(moved.a, a[tree.driven], atol=1e-11 * np.abs(a).max())
        force = constraints[0].contact_force.linear[:2]
        np.testing.assert_allclose(
            -force, moved.pins[0], atol=1e-9 * np.abs(moved.pins).max()
        )  # on the rod


def test_the_axes_are_coordinates_of_the_tree():
    """The motors' joints are axes one to one, and rigid bars close the loop without a search."""
    tree = LoopTree(irb.load("irb2400", coupling="parallelogram").dynamic_model)
    assert np.array_equal(tree.tree.coupling.G[tree.driven], np.eye(6))
    q, v = np.random.default_rng(0).uniform(-0.5, 0.5, (2, 6))
    state = tree.state(q, v)
    np.testing.assert_allclose(state.q, tree.tree.coupling.G @ q, atol=1e-14)
    np.testing.assert_allclose(state.v, tree.tree.coupling.G @ v, atol=1e-14)


def test_a_calibrated_loop_closes(tmp_path):
    """Length and zero of a calibration: the loop closes, and is still the reduced model."""
    (tmp_path / "calibrated.yaml").write_text(
        "robot: irb2400\nabout: calibrated\n"
        "sources: {made: {ref: made up for this test, grade: assumed}}\n"
        "kinematics: {joints: {joint_3: {a_mm: 705.3, theta0_deg: 0.2, source: made}}}\n"
    )
    overlays = [tmp_path / "calibrated.yaml"]
    calibrated = irb.load("irb2400", coupling="parallelogram", overlays=overlays)
    arm, (q, v, a) = ParallelogramLoop(calibrated), oracles.states("irb2400_16", 1, seed=1)[0] / 3.0
    needed = arm.inverse_dynamics(q, v, a)
    wanted = calibrated.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(needed.torque, wanted, atol=1e-11 * np.abs(wanted).max())
    assert needed.pins[0, 0] == pytest.approx(calibrated.reactions(q, v, a).bars.rod, rel=1e-10)
