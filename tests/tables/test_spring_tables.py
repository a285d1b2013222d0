"""springs.yaml, overlays and sets with springs: read strictly, written and read again."""

import shutil

import numpy as np
import pytest
import yaml

import irbmodels as irb
from irbmodels import new_robot
from irbmodels.report.tables import info_tables, notes
from irbmodels.tables.schema import SpringRow
from irbmodels.tables.spring_rows import spring_of, spring_rows

SOURCE = {"test": {"ref": "made for a test", "grade": "assumed"}}
COIL = {
    "axis": "axis_2",
    "kind": "coil",
    "before_mm": [-350, -300],
    "after_mm": [300, 50],
    "length_mm": 300,
    "F0_N": 2000,
    "k_N_m": 3000,
    "source": "test",
}
GAS = {
    "axis": "axis_3",
    "kind": "gas",
    "before_mm": [-20, -800],
    "after_mm": [200, 0],
    "length_mm": 600,
    "F0_N": 3000,
    "column_mm": 580,
    "exponent": 1,
    "source": "test",
}
OFFSET = {"axis": "axis_4", "kind": "offset", "offset_N_m": 1.5, "source": "test"}
TORSION = {"axis": "axis_6", "kind": "torsion", "k_N_m_rad": 20, "rest_deg": 30, "source": "test"}
ELEMENTS = {"balancer": COIL, "cylinder": GAS, "cables": TORSION, "offset_4": OFFSET}


def overlay(folder, elements, robot="irb2400_16", **more):
    """Write an overlay with springs."""
    table = {
        "about": "a test",
        "robot": robot,
        "sources": SOURCE,
        "springs": {"elements": elements},
    }
    file = folder / "springs.yaml"
    file.write_text(yaml.safe_dump(table | more, sort_keys=False))
    return file


def test_an_overlay_brings_springs(tmp_path):
    """Numbers in mm, degrees and N become elements in SI units, in every torque."""
    robot = irb.load("irb2400", overlays=[overlay(tmp_path, ELEMENTS)])
    assert robot.springs == (
        irb.CoilSpring(2, (-0.35, -0.3), (0.3, 0.05), length=0.3, F0=2e3, k=3e3),
        irb.GasSpring(3, (-0.02, -0.8), (0.2, 0.0), 0.6, 3e3, column=0.58, exponent=1.0),
        irb.TorsionSpring(6, 20.0, np.radians(30.0)),
        irb.TorqueOffset(4, 1.5),
    )
    plain, q = irb.load("irb2400"), np.array([0.1, 0.2, -0.3, 0.4, 0.5, 0.6])
    torque = robot.gravity(q) - plain.gravity(q)
    np.testing.assert_allclose(torque[[3, 5]], [1.5, 20.0 * (0.6 - np.radians(30.0))])
    assert (torque[[1, 2]] != 0.0).all()
    assert robot.with_springs(None).springs == ()


def test_a_linear_axis_has_other_units(tmp_path):
    """Of the IRB 930's quill offset and spring are in N, N/m and mm."""
    name = irb.describe("irb930").name
    elements = {
        "offset": {"axis": "axis_3", "kind": "offset", "offset_N": 4.0, "source": "test"},
        "coil": {
            "axis": "axis_3", "kind": "torsion", "k_N_m": 900.0, "rest_mm": -20.0, "source": "test"
        },
    }  # fmt: skip
    robot = irb.load("irb930", overlays=[overlay(tmp_path, elements, name)])
    assert robot.springs == (irb.TorqueOffset(3, 4.0), irb.TorsionSpring(3, 900.0, -0.02))


def test_unknown_forces_leave_an_element_out(tmp_path):
    """The model is without it; ``info`` and the notes on torques say which axis and what is
    missing, unless code gives one.
    """
    unknown = {key: value for key, value in COIL.items() if key not in ("F0_N", "k_N_m")}
    robot = irb.load("irb2400", overlays=[overlay(tmp_path, {"balancer": unknown})])
    assert robot.springs == ()
    expected = (
        "irb2400_16: balancer of axis 2 (coil) left out of every torque; unknown: F0_N, k_N_m. Give"
        " them, for --overlay own.yaml: irbmodels balancer irb2400_16 --set F0_N=N --set k_N_m=N"
        " -o own.yaml"
    )
    assert expected in notes(robot)
    table = next(t for t in info_tables(robot.description) if t.title.startswith("springs"))
    assert "k_N_m unknown" in table.rows[0][3]
    given = robot.with_springs(
        [irb.CoilSpring(2, (-0.35, -0.3), (0.3, 0.05), length=0.3, F0=2e3, k=3e3)]
    )
    assert expected not in notes(given)
    assert expected in notes(robot.with_springs([irb.TorqueOffset(2, 1.0)]))


def test_overlays_stack_and_change_single_numbers(tmp_path):
    """A second overlay changes one number, and the others stay with their sources."""
    first = overlay(tmp_path, {"balancer": COIL})
    (tmp_path / "second").mkdir()
    second = overlay(tmp_path / "second", {"balancer": {"F0_N": 2500.0, "source": "test"}})
    robot = irb.load("irb2400", overlays=[first, second])
    (spring,) = robot.springs
    assert (spring.F0, spring.k) == (2500.0, 3000.0)
    assert robot.description.springs.sources.keys() == {"springs_1.test", "springs_2.test"}


def test_a_folder_of_tables_has_its_own(tmp_path):
    """Rows of the family, those of the variant in their place, and none in a new robot."""
    folder = new_robot("own", "irb2400", tmp_path / "own")
    assert irb.load(folder).springs == ()
    table = {
        "schema": 1,
        "sources": SOURCE,
        "elements": {"balancer": COIL, "offset": OFFSET},
        "variants": {"own": {"elements": {"offset": OFFSET | {"offset_N_m": 9.0}}}},
    }
    (folder / "springs.yaml").write_text(yaml.safe_dump(table))
    assert [type(spring).__name__ for spring in irb.load(folder).springs] == [
        "CoilSpring",
        "TorqueOffset",
    ]
    assert irb.load(folder).springs[1].offset == 9.0
    copy = new_robot("other", "irb2400", tmp_path / "other")
    shutil.copy(folder / "springs.yaml", copy)
    with pytest.raises(irb.TableError, match="variants"):
        irb.load(copy)


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"axis": "axis_7"}, "axis_7"),
        ({"kind": "rubber"}, "'rubber' is not one of offset, torsion, coil, gas"),
        ({"before_mm": [0.0, 0.0]}, "a pivot is on the axis"),
        ({"column_mm": 3.0}, "see column_mm"),
        ({"offset_N": 3.0}, "see offset_N"),
        ({"F0_N": -2000.0}, "would push with"),
        ({"k_N_m": -1.0}, "negative"),
        ({"stiffness": 3.0}, "stiffness"),
        ({"source": "nobody"}, "nobody"),
    ],
)
def test_rows_are_read_strictly(tmp_path, change, expected):
    """One line with file, key and reason."""
    row = {key: value for key, value in (COIL | change).items() if value is not None}
    with pytest.raises(irb.TableError, match=expected) as caught:
        irb.load("irb2400", overlays=[overlay(tmp_path, {"balancer": row})])
    assert "\n" not in str(caught.value)
    assert "springs" in str(caught.value)


def test_rows_of_elements_are_read_back(tmp_path):
    """``spring_rows`` writes what ``spring_of`` reads, to rounding; names are one of a kind."""
    robot = irb.load("irb2400", overlays=[overlay(tmp_path, ELEMENTS)])
    elements = (*robot.springs, irb.TorqueOffset(4, -2.0))
    axes, linear = robot.description.axes, robot.description.linear
    rows = spring_rows(elements, axes, linear)
    assert list(rows) == ["coil_2", "gas_3", "torsion_6", "offset_4", "offset_4_2"]
    again = [
        spring_of(SpringRow(**row | {"source": "x"}), axes, linear)
        for row in yaml.safe_load(yaml.safe_dump(rows, sort_keys=False)).values()
    ]
    for one, other in zip(elements, again, strict=True):
        assert type(one) is type(other)
        for q in (-0.3, 0.4):
            assert float(other.torque(q)) == pytest.approx(float(one.torque(q)), rel=1e-13)
            assert float(other.energy(q)) == pytest.approx(float(one.energy(q)), rel=1e-12)


def test_files_name_units_in_their_keys(tmp_path):
    """A row without unit is an unknown key, as in every table."""
    file = overlay(tmp_path, {"balancer": {**COIL, "length": 0.3}})
    with pytest.raises(irb.TableError, match="length"):
        irb.load("irb2400", overlays=[file])
