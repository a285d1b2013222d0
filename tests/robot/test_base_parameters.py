"""Base parameters: how many there are, and that they say all about the torque."""

import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels.robot.base_parameters import base_parameters

ROUNDING = 1e-9  # of the largest entry; the sums' coefficients are solved from 480 equations


@pytest.mark.parametrize(
    ("name", "rigid", "with_rotors"),
    [("irb1600", 36, 40), ("irb2400", 36, 39), ("irb1400", 39, 42), ("irb930", 8, 11)],
)
def test_ranks(name, rigid, with_rotors):
    """Known ranks (ERRATA on S002, S003, S004); rotor 3 of a parallelogram arm turns with the upper
    arm and adds nothing.
    """
    robot = irb.load(name)
    base = base_parameters(robot)
    assert base.rank == rigid
    assert base_parameters(robot, rotors=True).rank == with_rotors
    assert base.gap[0] > 1e-3
    assert base.gap[1] < 1e-13


def test_rank_equals_that_of_singular_values():
    """The count is that of the singular values of a stack made of other states."""
    for name in ("irb930_12_105", "irb1600_6_120"):
        robot = irb.load(name)
        rows = np.concatenate(
            [
                robot.regressor(*state)[:, : 10 * robot.n]
                for state in oracles.states(name, 60, seed=9)
            ]
        )
        size = np.linalg.norm(rows, axis=0)
        seen = size > 1e-9 * size.max()
        values = np.linalg.svd(rows[:, seen] / size[seen], compute_uv=False)
        assert (values > 1e-9 * values[0]).sum() == base_parameters(robot).rank


def test_main_axes_of_the_1400_have_18():
    """Axes 1 to 3 of the IRB 1400, the wrist held, have 18 (S003's five bodies), wherever the wrist
    is held.
    """
    robot = irb.load("irb1400")
    assert base_parameters(robot, [1, 2, 3]).rank == 18
    assert base_parameters(robot, (3, 1, 2), held=np.full(6, 0.4)).rank == 18
    assert base_parameters(robot, [1]).rank == 1


def test_gravity_decides():
    """A floor robot's axis 1 feels no gravity: on a tilted stand two first moments of link 1 count
    too.
    """
    for name, tilted in (("irb1600", 38), ("irb930", 10), ("irb2400", 38), ("irb1400", 41)):
        assert base_parameters(irb.load(name).with_gravity([3.0, 2.0, -9.0])).rank == tilted


def test_friction_adds_three_per_axis():
    """Fv, Fc and Fs - Fc of each axis are independent of all else; without data there are none to
    count.
    """
    robot = irb.load("irb2400")
    assert base_parameters(robot, friction=True).rank == 36 + 18
    assert (
        base_parameters(robot, [2, 3], friction=True).rank
        == base_parameters(robot, [2, 3]).rank + 6
    )
    with pytest.raises(irb.MissingData, match="no friction law"):
        base_parameters(irb.load("irb930"), friction=True)


@pytest.mark.parametrize(
    ("name", "variant", "options"),
    [
        ("irb930", "irb930_12_105", {}),
        ("irb2400", "irb2400_16", {}),
        ("irb2400", "irb2400_16", {"friction": True}),
        ("irb1600", "irb1600_6_120", {}),
        ("irb1400", "irb1400", {}),
    ],
)
def test_base_parameters_say_all_about_the_torque(name, variant, options):
    """The reduced regressor times the base parameters is the torque of Lagrange's equations, at
    states not used before.
    """
    robot, arm = irb.load(name), oracles.arm(variant, bars=oracles.has_bars(variant))
    base = base_parameters(robot, **options)
    beta = base.values(robot.parameter_vector())
    for q, v, a in oracles.states(variant, 5, seed=77):
        expected = oracles.lagrange(arm, q, v, a) + (oracles.friction_2400(v) if options else 0.0)
        tau = base.reduced(robot.regressor(q, v, a)) @ beta
        np.testing.assert_allclose(tau, expected, rtol=0, atol=ROUNDING * np.abs(expected).max())


def test_any_parameters_with_the_same_sums_give_the_same_torque():
    """Parameters that differ in what no torque shows have the same base parameters; others have
    not.
    """
    robot, rng = irb.load("irb1600"), np.random.default_rng(2)
    base = base_parameters(robot, rotors=True)
    change = rng.normal(size=base.grouping.shape[1])
    unseen = change - np.linalg.pinv(base.grouping) @ (base.grouping @ change)
    for q, v, a in oracles.states("irb1600_6_120", 5, seed=3):
        Y = robot.regressor(q, v, a)
        assert np.abs(Y @ unseen).max() < 1e-9 * np.abs(Y).max() * np.abs(unseen).max() * 66
        assert np.abs(Y @ change).max() > 1.0


def test_rows_of_a_subset():
    """For a subset of axes the rows are theirs, in axis order, and give their torques while the
    others stand.
    """
    robot = irb.load("irb1600")
    base = base_parameters(robot, [5, 2])
    assert base.axes == (1, 4)
    q, v, a = (
        x * np.isin(np.arange(6), [1, 4]) for x in oracles.states("irb1600_6_120", 1, seed=4)[0]
    )
    tau = base.reduced(robot.regressor(q, v, a)) @ base.values(robot.parameter_vector())
    np.testing.assert_allclose(
        tau, robot.inverse_dynamics(q, v, a, friction=False)[[1, 4]], rtol=0, atol=1e-9
    )


def test_scara_sums_are_those_of_the_closed_form():
    """The eight sums of the IRB 930 by name, unit and value: ERRATA's closed form, with m34 taken
    out of p1, px and p2.
    """
    robot = irb.load("irb930")
    base = base_parameters(robot)
    assert base.names == (
        *("Izz_1 + 0.3136 m_2", "mx_2 + mx_3", "my_2 + my_3", "Izz_2 + 0.98 mx_3 + Izz_3"),
        *("m_3 + m_4", "mx_4", "my_4", "Izz_4"),
    )
    assert base.units == ("kg m^2", "kg m", "kg m", "kg m^2", "kg", "kg m", "kg m", "kg m^2")
    bodies = sorted(oracles.arm("irb930_12_105").bodies, key=lambda body: body.joint)
    a1, a2 = oracles.SCARA_ARMS["irb930_12_105"]
    (m1, c1, I1), (m2, c2, I2), (m3, c3, I3), (m4, c4, I4) = (
        (body.mass, body.com, body.tensor[2, 2]) for body in bodies
    )
    p1 = I1 + m1 * (c1[0] ** 2 + c1[1] ** 2) + (m2 + m3 + m4) * a1**2
    px = m2 * c2[0] + m3 * (a2 + c3[0]) + m4 * a2
    py = m2 * c2[1] + m3 * c3[1]
    p2 = (
        I2
        + m2 * (c2[0] ** 2 + c2[1] ** 2)
        + I3
        + m3 * ((a2 + c3[0]) ** 2 + c3[1] ** 2)
        + m4 * a2**2
    )
    m34 = m3 + m4
    last = [m34, m4 * c4[0], m4 * c4[1], I4 + m4 * (c4[0] ** 2 + c4[1] ** 2)]
    expected = [p1 - a1**2 * m34, px - a2 * m34, py, p2 - a2**2 * m34, *last]
    np.testing.assert_allclose(
        base.values(robot.parameter_vector()), expected, rtol=1e-9, atol=1e-9
    )


def test_masses_do_not_matter():
    """Another set of inertials and another seed have the same columns and the same sums."""
    first = base_parameters(irb.load("irb930"))
    for other in (
        base_parameters(irb.load("irb930", parameters="cad_scaled")),
        base_parameters(irb.load("irb930"), seed=5),
    ):
        assert other.columns == first.columns
        np.testing.assert_allclose(other.grouping, first.grouping, rtol=0, atol=1e-9)


def test_bad_input_is_refused():
    """Axes that do not exist, none at all, and a parameter vector of another robot are clear
    errors.
    """
    robot = irb.load("irb930")
    for axes in ([0], [5], []):
        with pytest.raises(irb.InputError, match="numbers from 1 to 4"):
            base_parameters(robot, axes)
    with pytest.raises(irb.InputError, match="held"):
        base_parameters(robot, [1], held=[0.0])
    with pytest.raises(irb.InputError, match="parameter vector"):
        base_parameters(robot).values(np.zeros(7))


def test_a_robot_whose_parameters_are_all_independent(tmp_path):
    """One joint that turns about the vertical: one base parameter, and no sums."""
    link = (
        '<link name="a"><inertial><mass value="2"/><inertia ixx="1" iyy="1" izz="1" ixy="0" ixz="0"'
        ' iyz="0"/></inertial></link>'
    )
    joint = (
        '<joint name="j" type="revolute"><parent link="base"/><child link="a"/><axis xyz="0 0 1"/>'
    )
    joint += '<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>'
    path = tmp_path / "one.urdf"
    path.write_text(f'<robot name="one"><link name="base"/>{link}{joint}</robot>', encoding="utf-8")
    actual = base_parameters(irb.from_urdf(path))
    assert actual.rank == 1
    assert actual.names == ("Izz_j",)
