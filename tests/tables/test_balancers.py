"""Balancers of data sheets: their rows, their torque by virtual work, and what is left out."""

import numpy as np
import pytest
import yaml

import irbmodels as irb
from irbmodels.report.tables import left_out_springs, notes
from irbmodels.tables.datasheet import read_datasheet
from irbmodels.tables.datasheet_tables import tables_of_datasheet
from tests.support.sheets import ARMS, described, sheet_text

COLUMN, ARM = (-349.0, 638.0), (-220.0, -67.2)  # pivots (x, z) [mm]: base; from axis 2
LAW = {"length_mm": 470, "F0_N": 9000, "k_N_m": 40000}


def sheet(folder, **balancer):
    """The heavy arm's data sheet with a balancer."""
    row = {"kind": "coil", "link_1_pivot_mm": [*COLUMN], "link_2_pivot_mm": [*ARM], "source": "x"}
    row = {key: value for key, value in (row | balancer).items() if value is not None}
    file = folder / "heavy.yaml"
    file.write_text(sheet_text("heavy") + yaml.safe_dump({"balancers": {"balancer": row}}))
    return file


def robot_of(folder, **balancer):
    """The heavy arm with the tables of its data sheet."""
    arm = described("heavy", folder)
    tables = tables_of_datasheet(*read_datasheet(sheet(folder, **balancer)))
    (arm.folder / "springs.yaml").write_text(yaml.safe_dump({"schema": 1, **tables["springs"]}))
    return irb.load(arm.folder)


def pivots(robot, q):
    """Both pivots in the base [m], by the frames of the links and where they are at home."""
    a1, d1 = ARMS["heavy"][0][1], ARMS["heavy"][0][0]
    home = {
        "link_1": np.array([COLUMN[0], 0.0, COLUMN[1], 1000.0]) / 1000.0,
        "link_2": np.array([a1 + ARM[0], 0.0, d1 + ARM[1], 1000.0]) / 1000.0,
    }
    zero = np.zeros(6)
    return [
        (robot.pose(q, link).homogeneous @ np.linalg.inv(robot.pose(zero, link).homogeneous) @ at)[
            :3
        ]
        for link, at in home.items()
    ]


def test_the_pivots_of_a_sheet_are_those_of_the_links(tmp_path):
    """Distances between points carried by the links are the element's, in any posture."""
    robot = robot_of(tmp_path, **LAW)
    (spring,) = robot.springs
    rng = np.random.default_rng(0)
    for q in rng.uniform(*robot.limits.envelope(), (20, 6)):
        column, arm = pivots(robot, q)
        assert float(spring.distance(q[1])) == pytest.approx(np.linalg.norm(arm - column), abs=1e-9)


def test_axis_2_bears_the_work_of_the_force(tmp_path):
    """Torque by virtual work: force times the change of the distance of two points of the links,
    by central differences; of one axis alone, in any posture.
    """
    robot, step = robot_of(tmp_path, **LAW), 1e-6  # [rad]; 1e-10 m of 0.5 m, 2e-9 of the force
    (spring,) = robot.springs
    rng = np.random.default_rng(1)
    for q in rng.uniform(*robot.limits.envelope(), (10, 6)):
        ahead, behind = (
            float(np.linalg.norm(np.subtract(*pivots(robot, q + np.eye(6)[1] * end))))
            for end in (step, -step)
        )
        length = 0.5 * (ahead + behind)
        force = LAW["F0_N"] + LAW["k_N_m"] * (length - 0.47)
        lever = (ahead - behind) / (2.0 * step)
        # the motor bears dU/dq of a spring that pulls with that force
        assert float(spring.torque(q[1])) == pytest.approx(force * lever, abs=1e-3)


def test_a_gas_cylinder_of_a_sheet_pushes_where_its_numbers_do(tmp_path):
    """A strut: pressure by the law of a gas in a column, its work by differences of energy."""
    law = {"length_mm": 470, "F0_N": -9000, "column_mm": -900, "exponent": 1.3}
    robot = robot_of(tmp_path, kind="gas", **law)
    (spring,) = robot.springs
    for q in (-0.9, 0.3, 1.2):
        stroke = float(spring.distance(q)) - 0.47
        force = -9000.0 * (0.9 / (0.9 + stroke)) ** 1.3  # p V^kappa is constant
        column, arm = pivots(robot, np.array([0.0, q, 0.0, 0.0, 0.0, 0.0]))
        assert float(spring.force(q)) == pytest.approx(force, rel=1e-12)
        assert np.linalg.norm(arm - column) - 0.47 == pytest.approx(stroke, abs=1e-9)
        rise = float(spring.energy(q + 1e-5) - spring.energy(q - 1e-5)) / 2e-5
        assert float(spring.torque(q)) == pytest.approx(rise, abs=1e-3)


def test_an_unknown_force_leaves_the_balancer_out_and_says_so(tmp_path):
    """In no torque; notes and repr name part, axis and numbers; an overlay brings the law."""
    robot = robot_of(tmp_path)
    assert robot.springs == ()
    assert robot.unknown_springs == {"balancer": ["length_mm", "F0_N", "k_N_m"]}
    line = (
        "heavy: balancer of axis 2 (coil) left out of every torque; unknown: length_mm, F0_N, k_N_m."
        " Give them, for --overlay own.yaml: irbmodels balancer heavy --set F0_N=N --set k_N_m=N"
        " -o own.yaml"
    )
    assert left_out_springs(robot) == [line]
    assert line in notes(robot)
    assert "no balancer" in repr(robot)
    mine = tmp_path / "mine.yaml"
    elements = {"balancer": {**LAW, "source": "cert"}}
    table = {
        "robot": "heavy", "about": "mine", "sources": {"cert": {"ref": "r", "grade": "measured"}},
        "springs": {"elements": elements},
    }  # fmt: skip
    mine.write_text(yaml.safe_dump(table))
    own = irb.load(robot.folder, overlays=[mine])
    assert own.springs == robot_of(tmp_path, **LAW).springs
    assert own.unknown_springs == {}
    assert "no balancer" not in repr(own)
    assert "springs of axis 2" in repr(own)


@pytest.mark.parametrize(
    ("balancer", "expected"),
    [
        ({"kind": "rubber"}, "'rubber' is not one of coil, gas"),
        ({"link_7_pivot_mm": [0, 0]}, "link_7_pivot_mm"),
        ({"link_1_pivot_mm": [320, 780]}, "a pivot is on the axis"),
        ({"link_2_pivot_mm": [0, 0]}, "a pivot is on the axis"),
        ({"link_2_pivot_mm": [-669, -142]}, "its pivots meet within the range"),
        ({**LAW, "F0_N": -20000}, "would push with"),
        ({**LAW, "k_N_m": -1}, "stiffness k = -1 N/m is negative"),
        ({"k_N_m": 1, "kind": "gas"}, "see k_N_m"),
        (
            {"kind": "gas", "length_mm": 470, "F0_N": 9, "column_mm": 100, "exponent": 1.3},
            "its gas is compressed to nothing",
        ),
        ({"source": "nobody"}, "nobody"),
        ({"link_1_pivot_mm": "-349 mm"}, "link_1_pivot_mm"),
    ],
)
def test_a_balancer_that_cannot_be_is_one_line(tmp_path, balancer, expected):
    """File, key and reason, before anything is written."""
    with pytest.raises(irb.TableError, match=expected) as caught:
        read_datasheet(sheet(tmp_path, **balancer))
    assert "\n" not in str(caught.value)
    assert "balancers.balancer" in str(caught.value)


def test_variants_with_another_shoulder_have_their_own_rows(tmp_path):
    """Pivots of a sheet are from the floor, those of springs.yaml from axis 2."""
    file = sheet(tmp_path)
    own = {"heavy": {}, "taller": {"lengths": {"d1_mm": 800, "source": "x"}}}
    file.write_text(file.read_text() + yaml.safe_dump({"variants": own}))
    springs = tables_of_datasheet(*read_datasheet(file))["springs"]
    assert springs["elements"]["balancer"]["before_mm"] == [-669, 142]
    taller = springs["variants"]["taller"]["elements"]["balancer"]
    assert taller["before_mm"] == [-669, 162]
    assert taller["after_mm"] == [-220, 67.2]
