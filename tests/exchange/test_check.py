import warnings
from dataclasses import replace

import numpy as np
import oracles as reference
import pytest
import shipped
import yaml
from drives import every_term

import irbmodels as irb
from irbmodels.dynamics import oracles
from irbmodels.exchange.verify import check, engines

SETS = [
    (name, chosen)
    for name in shipped.WEIGHED
    for chosen, entry in irb.describe(name).inertials.sets.items()
    if entry.links  # a set may have bodies of other variants only
]
PARTS = [("link_crank",), ("link_rod",), ("link_crank", "link_rod")]


# of calibrated twists
pytestmark = pytest.mark.filterwarnings("ignore:.*no inverse kinematics:irbmodels.PhysicsWarning")


@pytest.fixture
def only_mujoco(monkeypatch):
    """Leave the other engines out, where what one finds is enough."""
    monkeypatch.setattr(check, "PEERS", ("mujoco",))


@pytest.fixture
def heavy(tmp_path):
    """Return a loader of arms whose bars weigh much, off their plane and askew, and whose axes 2
    and 3 may be calibrated.
    """

    def load(name, bars, calibrated=False, **options):
        rng, rows = np.random.default_rng(len(bars)), {}
        for bar in bars:
            cloud = np.cov(rng.normal(size=(3, 5)))
            tensor = 9.0 * (np.trace(cloud) * np.eye(3) - cloud)  # of points: a body can have it
            moments = {
                "xyz"[i] + "xyz"[j]: float(tensor[i, j]) for i in range(3) for j in range(i, 3)
            }
            com = rng.uniform(-400.0, 400.0, 3).tolist()
            rows[bar] = {
                "mass_kg": rng.uniform(20.0, 60.0),
                "com_mm": com,
                "inertia_kg_m2": moments,
                "source": "made",
            }
        total = irb.describe(name).limits.ratings.mass_kg + sum(
            row["mass_kg"] for row in rows.values()
        )
        table = {
            "robot": name,
            "about": "bars heavy as none is",
            "sources": {"made": {"ref": "made up for this test", "grade": "assumed"}},
            "limits": {"ratings": {"mass_kg": total, "source": "made"}},
            "inertials": {
                "default": "heavy",
                "sets": {"heavy": {"about": "bars weighed", "links": rows}},
            },
        }
        if calibrated:
            rows = {
                "joint_2": {"alpha_deg": -89.0, "d_mm": 3.0, "source": "made"},
                "joint_3": {"theta0_deg": 0.7, "source": "made"},
            }
            table["kinematics"] = {"joints": rows}
        (tmp_path / "heavy.yaml").write_text(yaml.safe_dump(table))
        return irb.load(name, overlays=[tmp_path / "heavy.yaml"], **options)

    return load


def loaded(name, parameters):
    """Return a robot with everything on: tool, payload, tilted base, coupled rotors."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)  # the set as printed is meant
        return laden(irb.load(name, tool="spindle", parameters=parameters))


def laden(robot):
    """Return the robot with payload, tilted base, coupled drives and friction of every kind."""
    robot = robot.with_payload(irb.payload(2.0, [0.1, 0.0, 0.1])).with_gravity([1.0, -2.0, 9.0])
    turns = np.eye(robot.n) + 0.1 * np.tri(robot.n, k=-1)
    robot = robot.with_rotors(np.arange(1.0, robot.n + 1)).with_drives(turns)
    return robot.with_friction(every_term(robot.n))


@pytest.mark.parametrize(("name", "parameters"), SETS)
def test_both_derivations_and_pinocchio_agree(name, parameters):
    """Euler-Lagrange, Newton-Euler and the robot within 1e-10 of the largest entry, with all that
    may be on a robot.
    """
    compare_with_oracles(loaded(name, parameters))


@pytest.mark.parametrize("calibrated", [False, True])
@pytest.mark.parametrize("bars", PARTS)
@pytest.mark.parametrize("name", reference.PARALLELOGRAM)
def test_bars_with_mass_are_in_both_derivations(name, bars, calibrated, heavy):
    """As above, with one bar or both; also where axis 2 is not square to axis 1, and axis 3 has an
    offset.
    """
    compare_with_oracles(laden(heavy(name, bars, calibrated, tool="spindle")))


def compare_with_oracles(robot):
    """Compare torques and energies of five states."""
    chain = check.chain_of(robot)
    options = {"friction": robot.friction_model is not None}
    wrench = np.array([20.0, -30.0, 40.0, 1.0, 2.0, 3.0])
    for q, v, a in check.states(robot, 5, seed=2):
        tau = robot.inverse_dynamics(q, v, a, wrench=wrench, **options)
        size = np.abs(tau).max()
        np.testing.assert_allclose(
            oracles.euler_lagrange(chain, q, v, a, wrench), tau, atol=1e-10 * size
        )
        np.testing.assert_allclose(
            oracles.newton_euler(chain, q, v, a, wrench), tau, atol=1e-10 * size
        )
        kinetic, potential = oracles.energy(chain, q, v)
        energy = robot.energy(q, v)
        assert kinetic == pytest.approx(energy.kinetic, rel=1e-10)
        still = (
            robot.energy(np.zeros(robot.n), v).potential
            - oracles.energy(chain, np.zeros(robot.n), v)[1]
        )
        # the two count from other heights
        assert potential - energy.potential == pytest.approx(-still, abs=1e-8)


@pytest.mark.parametrize("name", ["irb2400_16", "irb930_12_105"])
def test_the_package_s_oracles_equal_the_tests_own(name):
    """Two people wrote the laws of motion down; they agree."""
    chain, arm = check.chain_of(irb.load(name)), reference.arm(name)
    for q, v, a in reference.states(name, 5):
        wanted = reference.lagrange(arm, q, v, a)
        actual = oracles.newton_euler(chain._replace(friction=None), q, v, a)
        np.testing.assert_allclose(actual, wanted, atol=1e-10 * np.abs(wanted).max())


@pytest.mark.parametrize("name", reference.PARALLELOGRAM)
def test_the_package_s_bars_are_the_tests_own(name, heavy):
    """The tests' arm has crank and rod on joints of their own: torques (with a wrench on tool0) and
    energies are the same.
    """
    robot = heavy(name, PARTS[-1]).with_gravity([1.0, -2.0, 9.0])
    chain = check.chain_of(robot)._replace(friction=None)
    arm = reference.arm(name, "heavy", robot.description.folder)
    wrench = np.array([120.0, -80.0, 60.0, 7.0, -5.0, 3.0])
    assert len(arm.bodies) == 8
    for q, v, a in reference.states(name, 5):
        wanted = reference.newton_euler(arm, q, v, a, robot.gravity_vector, wrench)
        for derive in (oracles.newton_euler, oracles.euler_lagrange):
            np.testing.assert_allclose(
                derive(chain, q, v, a, wrench), wanted, rtol=0, atol=1e-10 * np.abs(wanted).max()
            )
        M, C, G = oracles.lagrange_terms(chain, q, v)
        np.testing.assert_allclose(M, reference.mass_matrix(arm, q), rtol=0, atol=1e-10 * M.max())
        steady = reference.newton_euler(arm, q, v, 0.0 * a, robot.gravity_vector)
        np.testing.assert_allclose(C @ v + G, steady, rtol=0, atol=1e-10 * np.abs(steady).max())
        potential = reference.potential(arm, q, robot.gravity_vector)
        assert oracles.energy(chain, q, v)[1] == pytest.approx(potential, rel=1e-10)


def with_model(robot, model):
    """Return the robot of another ``pin.Model``, of which its tables know nothing."""
    bare = replace(robot._bare.model, tree=robot._bare.model.tree.with_model(model))
    return replace(robot, _bare=replace(robot._bare, model=bare))


@pytest.mark.usefixtures("only_mujoco")
def test_a_wrong_model_is_found_out():
    """A product of inertia with the wrong sign, a mass off by a gram: check says so."""
    robot = irb.load("irb2400")
    model = robot.model
    model.inertias[2].mass += 1e-3
    wrong = with_model(robot, model).with_tool("spindle")
    actual = {(item.quantity, item.against): item.holds for item in check.check(wrong)}
    assert not actual["torque", "Newton-Euler"]
    assert not actual["torque", "mujoco"]
    assert actual["TCP pose", "MDH product"]


def test_check_uses_every_installed_engine():
    """All comparisons of the SCARA hold, and each installed engine made its own."""
    actual = check.check(irb.load("irb930", tool="spindle"))
    assert all(item.holds for item in actual)
    compared = {item.against for item in actual if not np.isnan(item.difference)}
    assert {
        "MDH product",
        "Newton-Euler",
        "Euler-Lagrange",
        "mujoco",
        "drake",
        "yourdfpy",
    } <= compared


@pytest.mark.parametrize("name", ["irb2400_16", "irb1400"])
def test_check_asks_every_engine_for_the_tree_with_heavy_bars(name, heavy, tmp_path, monkeypatch):
    """All comparisons hold for the parallelogram, each engine's among them, and MuJoCo has nothing
    to write in its log.
    """
    monkeypatch.chdir(tmp_path)
    robot = laden(heavy(name, PARTS[-1], calibrated=True, tool="spindle"))
    actual = check.check(robot)
    assert all(item.holds for item in actual)
    compared = {(item.quantity, item.against) for item in actual if not np.isnan(item.difference)}
    assert {("torque", "mujoco"), ("torque", "drake"), ("TCP pose", "yourdfpy")} <= compared
    paths = check.tcp_paths(robot, check.reference_motion(robot, 0.2))
    for path in paths.values():
        np.testing.assert_allclose(path.position, paths["pinocchio"].position, rtol=0, atol=1e-12)
        np.testing.assert_allclose(path.velocity, paths["pinocchio"].velocity, rtol=0, atol=1e-9)
    assert not (tmp_path / "MUJOCO_LOG.TXT").exists()


@pytest.mark.usefixtures("only_mujoco")
@pytest.mark.parametrize("bar", PARTS[-1])
def test_a_wrong_bar_is_found_out(bar, heavy):
    """Ten grams more in a bar: both derivations and the engines say so."""
    robot = heavy("irb2400", PARTS[-1])
    model = robot.model
    model.inertias[model.getJointId(bar.replace("link", "joint"))].mass += 1e-2
    wrong = with_model(robot, model).with_tool(None)
    holds = {(item.quantity, item.against): item.holds for item in check.check(wrong)}
    assert not any(
        holds["torque", against] for against in ("Newton-Euler", "Euler-Lagrange", "mujoco")
    )
    assert holds["TCP pose", "MDH product"]


def test_an_impossible_set_is_not_given_to_engines():
    """They would refuse it, or replace it in silence; the table says so."""
    actual = check.check(loaded("irb2400", "obal2025_printed"))
    assert {item.quantity for item in actual if item.against == "mujoco"} == {
        "refused: impossible inertias"
    }


def test_tcp_paths_agree_along_the_reference_motion():
    """Closed form, Pinocchio and MuJoCo: positions to 1e-12 m, velocities to the error of their
    differences.
    """
    robot = irb.load("irb2400", tool="spindle")
    motion = check.reference_motion(robot)
    np.testing.assert_allclose(motion.q[-1], 3.0 * np.array([0.5, -0.3, -0.2, 0.2, 0.1, 0.1]))
    paths = check.tcp_paths(robot, motion)
    assert list(paths) == ["closed form", "pinocchio", "mujoco"]
    for path in paths.values():
        np.testing.assert_allclose(path.position, paths["pinocchio"].position, atol=1e-12)
        np.testing.assert_allclose(path.velocity, paths["pinocchio"].velocity, atol=1e-9)
    np.testing.assert_allclose(
        np.gradient(paths["pinocchio"].position, motion.t, axis=0)[5],
        paths["pinocchio"].velocity[5],
        atol=1e-5,
    )


def test_unknown_engine_is_named(tmp_path):
    """An engine that is none."""
    with pytest.raises(irb.UnknownName, match="no engine 'mujoko'; did you mean 'mujoco'"):
        engines.load_engine("mujoko", tmp_path)


def test_a_robot_without_tables_has_no_oracle():
    """from_urdf has no tables to derive anything from."""
    with pytest.raises(irb.MissingData, match="comes from a URDF"):
        check.chain_of(irb.from_urdf(irb.urdf_path("irb1600")))


@pytest.mark.usefixtures("only_mujoco")
def test_no_number_is_no_agreement():
    """A robot whose torques are NaN agrees with nobody."""
    robot = irb.load("irb2400")
    broken = replace(
        robot,
        dynamic_model=replace(
            robot.dynamic_model, friction=replace(robot.friction_model, Fv=np.full(6, np.nan))
        ),
    )
    actual = {(item.quantity, item.against): item.holds for item in check.check(broken)}
    assert not actual["torque", "Newton-Euler"]
    assert actual["mass matrix", "Euler-Lagrange"]


@pytest.mark.usefixtures("only_mujoco")
def test_a_tool_made_in_code_is_no_fault():
    """The engines' URDF cannot hold it; the oracles do, and everybody agrees."""
    tool = irb.Tool("blob", irb.load_tool("spindle").tcp, irb.payload(3.0, [0.0, 0.1, 0.2]))
    robot = irb.load("irb2400", tool=tool)
    assert all(item.holds for item in check.check(robot))
    paths = check.tcp_paths(robot, check.reference_motion(robot, 0.2))
    np.testing.assert_allclose(paths["mujoco"].position, paths["pinocchio"].position, atol=1e-12)


def test_the_oracles_rub_nothing_at_rest():
    """sgn(0) = 0 in both derivations: a robot that stands still needs gravity's torque alone, one
    moving axis rubs alone.
    """
    robot = irb.load("irb2400")
    chain, q, still = check.chain_of(robot), np.full(6, 0.3), np.zeros(6)
    for derive in (oracles.newton_euler, oracles.euler_lagrange):
        np.testing.assert_allclose(
            derive(chain, q, still, still), robot.gravity(q), rtol=0, atol=1e-10
        )
    moving = np.array([0.0, 0.0, 0.2, 0.0, 0.0, 0.0])
    np.testing.assert_allclose(
        oracles.friction(chain, moving, still),
        [0, 0, 16.9 + 9.3613 * 0.2, 0, 0, 0],
        rtol=0,
        atol=1e-12,
    )


def test_a_path_without_speeds_is_refused():
    """No speeds, no velocity of the TCP to compare."""
    robot = irb.load("irb1600")
    with pytest.raises(irb.InputError, match="needs a motion with speeds"):
        check.tcp_paths(robot, check.reference_motion(robot, 0.1)._replace(v=None))


def test_what_bullet_refuses_is_named_and_not_compared(monkeypatch):
    """Its inverse dynamics takes tensors that are symmetric to the last bit; poses it answers."""
    pybullet = pytest.importorskip("pybullet")

    def refuse(*arguments, **named):
        raise SystemError("returned a result with an exception set")

    monkeypatch.setattr(pybullet, "calculateInverseDynamics", refuse)
    asked = {
        one.quantity: one for one in check.check(irb.load("irb1600")) if one.against == "pybullet"
    }
    assert set(asked) == {"TCP pose", "torque: refused"}
    assert asked["TCP pose"].compared
    assert asked["torque: refused"].holds
    assert not asked["torque: refused"].compared
