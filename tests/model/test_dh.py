"""DH tables in both conventions (S003 eq. 2.23-2.25, S000 eq. 1 and Tab. 2)."""

from __future__ import annotations

import numpy as np
import oracles
import pytest
from grouped import together

import irbmodels as irb
from irbmodels.model.dh import DHTable

EXACT = 1e-14  # products of a dozen matrices with entries up to 2
RIGHT = np.pi / 2


@together("name", oracles.NAMES)
def test_modified_table_is_the_typed_one(name):
    """alpha, a, d, theta0 and the kind of every joint are those of the sources."""
    table, rows = irb.describe(name).dh("modified"), oracles.rows(name)
    alpha, a, d, theta, slides = (np.array(column) for column in zip(*rows, strict=True))
    for actual, expected in zip(
        (table.alpha, table.a, table.d, table.theta), (alpha, a, d, theta), strict=True
    ):
        np.testing.assert_allclose(actual, expected.astype(float), rtol=0, atol=1e-15)
    assert table.prismatic.tolist() == slides.tolist()
    np.testing.assert_allclose(table.tool0, oracles.arm(name).tip, atol=1e-15)


@together("name", oracles.NAMES)
@together("convention", ["modified", "standard"])
def test_both_conventions_give_the_robots_tool_pose(name, convention):
    """The plain product of either table is the pose of the URDF's tree."""
    robot = irb.load(name)
    for q, _, _ in oracles.states(name, 5):
        np.testing.assert_allclose(
            robot.dh(convention).frames(q)[-1], robot.pose(q, "tool0").homogeneous, atol=EXACT
        )


@together("name", oracles.NAMES)
def test_rows_multiply_as_their_convention_says(name):
    """Rx Tx Rz Tz for modified rows, Rz Tz Tx Rx for standard ones, as an outsider multiplies
    them.
    """
    for convention, factor in (("modified", oracles.mdh), ("standard", oracles.standard_dh)):
        table, q = irb.describe(name).dh(convention), oracles.states(name, 1)[0, 0]
        variables, pose = table.joint_variables(q), np.eye(4)
        for i, variable in enumerate(variables):
            d, theta = (variable, table.theta[i]) if table.prismatic[i] else (table.d[i], variable)
            pose = pose @ factor(table.alpha[i], table.a[i], d, theta)
            np.testing.assert_allclose(table.frames(q)[i], pose, atol=EXACT)
        np.testing.assert_allclose(table.frames(q)[-1], pose @ table.tool0, atol=EXACT)


@pytest.mark.parametrize("name", oracles.SIX_AXIS)
def test_standard_table_is_table_2_1_of_norrlof(name):
    """Standard rows are those that S003 prints for the 1400; the others differ in lengths only."""
    table = irb.describe(name).dh("standard")
    d1, a1, a2, a3, d4, d6 = oracles.DIMENSIONS[name]
    np.testing.assert_allclose(table.alpha, [-RIGHT, 0, -RIGHT, RIGHT, -RIGHT, 0], atol=1e-15)
    np.testing.assert_allclose(table.a, [a1, a2, a3, 0, 0, 0], atol=1e-15)
    np.testing.assert_allclose(table.d, [d1, 0, 0, d4, 0, d6], atol=1e-15)
    np.testing.assert_allclose(table.theta, [0, -RIGHT, 0, 0, 0, np.pi], atol=1e-15)
    np.testing.assert_array_equal(table.tool0, np.eye(4))


@pytest.mark.parametrize("name", oracles.PARALLELOGRAM)
def test_coupling_matrix_is_eq_2_25(name):
    """Eq. 2.25 is theta = A phi + theta0 with -1 at (3, 2), in both conventions."""
    expected = np.eye(6)
    expected[2, 1] = -1
    for convention in ("modified", "standard"):
        np.testing.assert_array_equal(irb.describe(name).dh(convention).A, expected)


@together("name", oracles.NAMES)
def test_axis_positions_undo_joint_variables(name):
    """From axis positions to joint variables and back, one state or many."""
    table, q = irb.describe(name).dh("modified"), oracles.states(name, 6)[:, 0]
    np.testing.assert_allclose(table.axis_positions(table.joint_variables(q)), q, atol=1e-15)
    np.testing.assert_allclose(table.axis_positions(table.joint_variables(q[0])), q[0], atol=1e-15)
    np.testing.assert_allclose(
        table.joint_variables(q)[3], table.A @ q[3] + table.offsets, atol=1e-15
    )


def test_joint_variable_of_a_sliding_joint_is_its_d():
    """Axis 3 of the SCARA adds to d, 168.7 mm at zero."""
    table = irb.describe("irb930").dh("modified")
    np.testing.assert_allclose(
        table.joint_variables([0.1, 0.2, -0.3, 0.4]), [0.1, 0.2, -0.1313, 0.4], atol=1e-15
    )


def test_half_turns_are_passed_outward():
    """A modified table with an offset of 180 deg anywhere has a standard twin with the same tool
    pose, whatever follows.
    """
    rng = np.random.default_rng(0)
    for half in ((0, 0, 1, 0, 0), (0, -1, 1, 1, 0), (1, 0, 0, 0, 1)):
        theta = np.pi * np.array(half) + np.array([0, 0, 0, 0, 0.3])
        alpha, a = np.array([0, RIGHT, -RIGHT, RIGHT, RIGHT]), np.array([0, 0, 0.2, 0, 0.1])
        table = DHTable(
            "modified",
            alpha,
            a,
            rng.normal(size=5),
            theta,
            np.zeros(5, bool),
            np.eye(5),
            oracles.shift(0.1, 0, 0.2),
        )
        for q in rng.uniform(-3, 3, (5, 5)):
            np.testing.assert_allclose(
                table.as_standard().frames(q)[-1], table.frames(q)[-1], atol=EXACT
            )


@pytest.mark.parametrize("part", ["alpha", "a", "tool0"])
def test_no_standard_twin_for_a_first_row_with_alpha_or_a_turned_tool(part):
    """A standard table cannot hold a transform before axis 1 or a turned tool0."""
    table = irb.describe("irb1600").dh("modified")
    changed = {"alpha": table.alpha + 0.1, "a": table.a + 0.1, "tool0": oracles.rotation(0, 0.1)}[
        part
    ]
    with pytest.raises(ValueError, match="standard row cannot hold"):
        table._replace(**{part: changed}).as_standard()


def test_unknown_convention_is_refused():
    """Only modified and standard exist; the nearest is named."""
    with pytest.raises(
        irb.InputError, match="no DH convention 'standart'; did you mean 'standard'"
    ):
        irb.load("irb1600").dh("standart")


def test_robot_of_a_urdf_has_no_table():
    """A URDF does not say its DH parameters."""
    with pytest.raises(irb.MissingData, match="has no DH table"):
        irb.from_urdf(irb.urdf_path("irb1600")).dh()
