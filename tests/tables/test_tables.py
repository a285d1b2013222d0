"""The strict reader, and every shipped table: sourced, graded, physically possible."""

from __future__ import annotations

import os
import re
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Literal

import numpy as np
import oracles
import pytest
import yaml
from grouped import per_family, together

import irbmodels as irb
from irbmodels.errors import FileError, TableError
from irbmodels.model.provenance import Source
from irbmodels.tables import schema
from irbmodels.tables.datasheet import DataSheet
from irbmodels.tables.reader import Row, read

TABLES = sorted(oracles.URDF.rglob("*.yaml"))
SOURCED = [path for path in TABLES if path.name not in ("robots.yaml", "shapes.yaml")]
FAMILIES = ("irb2400", "irb1400", "irb1600", "irb930")
SETS = [(name, chosen) for name in oracles.NAMES for chosen in oracles.inertials(name)["sets"]]
of_files = partial(per_family, family=lambda path: path.parent.name, name=lambda path: path.name)
GRADES = {"measured", "identified", "published", "derived", "assumed"}


@dataclass(frozen=True, kw_only=True)
class Arm(Row):
    """A row with two numbers, a pair, a choice and an optional number."""

    length_mm: float
    mass_kg: float
    range_deg: tuple[float, float] | None = None
    kind: Literal["plain", "fancy"] = "plain"
    spare_mm: float | None = None


@dataclass(frozen=True)
class Table:
    """A made-up table."""

    sources: dict[str, Source]
    arms: dict[str, Arm]
    note: str = ""
    names: tuple[str, ...] = ()
    default: str | None = None
    weights: dict[str, float] = field(default_factory=dict)


GOOD = """\
sources:
  drawing: {ref: "drawing 7", grade: published}
  scale: {ref: weighed, grade: measured, how: twice}
arms:
  upper: {length_mm: 100, mass_kg: 2.5, range_deg: [-10, 20.5], source: drawing}
  lower: {length_mm: 1.5e+2, mass_kg: 3, kind: fancy, source: {length_mm: drawing, mass_kg: scale}}
names: [a, b, c]
"""
BAD = {  # text of GOOD, what stands there instead, key and problem in the message
    "repeated key": (
        "names: [a, b, c]",
        "names: [a]\nnames: [b]",
        "names",
        "key is repeated on line 8",
    ),
    "repeated key in a row": (
        "{length_mm: 100,",
        "{length_mm: 100, length_mm: 101,",
        "length_mm",
        "key is repeated on line 5",
    ),
    "repeated row": ("  lower:", "  upper:", "upper", "key is repeated on line 6"),
    "unknown key": ("names:", "nmaes:", "", "no key 'nmaes'; did you mean 'names'"),
    "unknown key in a row": (
        "kind: fancy",
        "knid: fancy",
        "arms.lower",
        "no key 'knid'; did you mean 'kind'",
    ),
    "key without unit": (
        "length_mm: 100",
        "length: 100",
        "arms.upper",
        "no key 'length'; did you mean 'length_mm'",
    ),
    "key with another unit": (
        "length_mm: 100",
        "length_m: 0.1",
        "arms.upper",
        "no key 'length_m'; did you mean 'length_mm'",
    ),
    "off as a key": ("names:", "off:", "off", "key on line 7 reads as False; quote it"),
    "yes as a key": ("names:", "yes:", "yes", "key on line 7 reads as True; quote it"),
    "number as a key": ("  lower:", "  7:", "7", "key on line 6 reads as 7; quote it"),
    "nothing as a key": ("  lower:", "  ~:", "~", "key on line 6 reads as None; quote it"),
    "missing key": (", mass_kg: 2.5", "", "arms.upper", "key 'mass_kg' is missing"),
    "number without point": (
        "mass_kg: 3",
        "mass_kg: 1e-6",
        "arms.lower.mass_kg",
        "'1e-6' is not a finite number (YAML 1.1 wants 1.0e-6",
    ),
    "not a number": (
        "mass_kg: 3",
        "mass_kg: .nan",
        "arms.lower.mass_kg",
        "nan is not a finite number",
    ),
    "infinite": (
        "mass_kg: 3",
        "mass_kg: -.inf",
        "arms.lower.mass_kg",
        "-inf is not a finite number",
    ),
    "word for a number": (
        "mass_kg: 3",
        "mass_kg: heavy",
        "arms.lower.mass_kg",
        "'heavy' is not a finite number",
    ),
    "truth for a number": (
        "mass_kg: 3",
        "mass_kg: true",
        "arms.lower.mass_kg",
        "True is not a finite number",
    ),
    "nothing for a number": (
        "mass_kg: 3",
        "mass_kg: ~",
        "arms.lower.mass_kg",
        "None is not a finite number",
    ),
    "list for a number": (
        "mass_kg: 3",
        "mass_kg: [3]",
        "arms.lower.mass_kg",
        "[3] is not a finite number",
    ),
    "number in quotes": (
        "mass_kg: 3",
        "mass_kg: '3'",
        "arms.lower.mass_kg",
        "'3' is not a finite number; numbers have no quotes",
    ),
    "number with its unit": (
        "length_mm: 100",
        "length_mm: 100 mm",
        "arms.upper.length_mm",
        "'100 mm' is not a finite number; its unit is the end of the key",
    ),
    "speed with its unit": (
        "mass_kg: 3",
        "mass_kg: 3.5deg/s",
        "arms.lower.mass_kg",
        "'3.5deg/s' is not a finite number; its unit is the end of the key",
    ),
    "number of 400 digits": (
        "mass_kg: 3",
        f"mass_kg: {'1' * 400}",
        "arms.lower.mass_kg",
        "1111 ... is not a finite number",
    ),
    "decimal comma": (
        "mass_kg: 2.5",
        "mass_kg: 2,5",
        "5",
        "reads as 5; quote it, or write decimals",
    ),
    "nothing for rows": ("names: [a, b, c]", "weights:", "weights", "nothing should be a mapping"),
    "date for a text": (
        "names: [a, b, c]",
        "note: 2026-11-23",
        "note",
        "should be a text; quote it",
    ),
    "too few numbers": (
        "[-10, 20.5]",
        "[-10]",
        "arms.upper.range_deg",
        "[-10] should be a list of 2 numbers",
    ),
    "too many numbers": (
        "[-10, 20.5]",
        "[-10, 0, 20.5]",
        "arms.upper.range_deg",
        "[-10, 0, 20.5] should be a list of 2 numbers",
    ),
    "number for a pair": (
        "[-10, 20.5]",
        "20.5",
        "arms.upper.range_deg",
        "20.5 should be a list of 2 numbers",
    ),
    "word in a pair": (
        "[-10, 20.5]",
        "[-10, far]",
        "arms.upper.range_deg",
        "'far' is not a finite number",
    ),
    "unknown choice": (
        "kind: fancy",
        "kind: fency",
        "arms.lower.kind",
        "'fency' is not one of plain, fancy",
    ),
    "number for a text": ("names: [a, b, c]", "note: 7", "note", "7 should be a text"),
    "number in a list of texts": ("[a, b, c]", "[a, 7]", "names", "7 should be a text"),
    "list for rows": (
        "names: [a, b, c]",
        "weights: [1, 2]",
        "weights",
        "[1, 2] should be a mapping",
    ),
    "text for a row": (
        "  upper: {length_mm: 100, mass_kg: 2.5, range_deg: [-10, 20.5], source: drawing}",
        "  upper: long",
        "arms.upper",
        "'long' should be a mapping",
    ),
    "row without source": (", source: drawing}", "}", "arms.upper", "the row names no source"),
    "unknown source": (
        "source: drawing}",
        "source: drawign}",
        "arms.upper.source",
        "no source 'drawign'; did you mean 'drawing'",
    ),
    "unknown source of a field": (
        "mass_kg: scale}",
        "mass_kg: scales}",
        "arms.lower.source",
        "no source 'scales'; did you mean 'scale'",
    ),
    "field without source": (
        "{length_mm: drawing, mass_kg: scale}",
        "{length_mm: drawing}",
        "arms.lower.source",
        "'mass_kg' has no source",
    ),
    "source of no field": (
        "mass_kg: scale}",
        "mass_kg: scale, spare_mm: scale}",
        "arms.lower.source",
        "'spare_mm' has a source and no number",
    ),
    "source is a list": (
        "source: drawing}",
        "source: [drawing]}",
        "arms.upper.source",
        "['drawing'] should be a",
    ),
    "unknown grade": (
        "grade: measured",
        "grade: guessed",
        "sources.scale.grade",
        "'guessed' is not one of measured, identified",
    ),
    "source without grade": (", grade: published", "", "sources.drawing", "key 'grade' is missing"),
    "source without reference": (
        'ref: "drawing 7", ',
        "",
        "sources.drawing",
        "key 'ref' is missing",
    ),
    "not YAML": ("names: [a, b, c]", "names: [a, b", "", "expected"),
    "tab": ("  upper:", "\tupper:", "", "cannot start any token"),
    "two documents": ("names:", "---\nnames:", "", "expected a single document"),
    "tag": (
        "mass_kg: 3",
        "mass_kg: !!python/object:os.system 3",
        "",
        "could not determine a constructor",
    ),
}


def written(tmp_path: Path, text: str) -> Path:
    """Write a table and return its path."""
    path = tmp_path / "table.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def test_good_table_is_read(tmp_path):
    """Numbers become floats, lists tuples, rows dataclasses; sources are found per row or per
    field.
    """
    table = read(written(tmp_path, GOOD), Table)
    assert table.arms["upper"] == Arm(
        length_mm=100.0, mass_kg=2.5, range_deg=(-10.0, 20.5), source="drawing"
    )
    assert isinstance(table.arms["upper"].length_mm, float)
    assert table.arms["lower"].length_mm == 150.0
    assert table.arms["lower"].source_of("mass_kg") == "scale"
    assert table.arms["upper"].source_of("mass_kg") == "drawing"
    assert table.sources["scale"] == Source(
        ref="weighed", grade="measured", licence="facts only", how="twice"
    )
    assert table.names == ("a", "b", "c")
    assert (table.note, table.default, table.weights) == ("", None, {})


@pytest.mark.parametrize("case", BAD)
def test_bad_table_is_refused_by_file_key_and_problem(case, tmp_path):
    """What YAML would let pass stops: the message names the file, the key and what is wrong with
    which value.
    """
    old, new, key, problem = BAD[case]
    assert old in GOOD
    path = written(tmp_path, GOOD.replace(old, new, 1))
    with pytest.raises(TableError) as caught:
        read(path, Table)
    assert caught.value.file == path
    assert str(caught.value).startswith(f"{path}: ")
    assert caught.value.key == key
    assert problem in caught.value.problem
    assert "\n" not in str(caught.value)


def test_missing_key_of_the_table_is_named(tmp_path):
    """A table without one of its parts says which."""
    with pytest.raises(TableError, match=r"table\.yaml: key 'arms' is missing"):
        read(written(tmp_path, "sources: {}\nnames: []\n"), Table)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("", "empty"),
        ("~\n", "empty"),
        ("just words\n", "should be a mapping"),
        ("- 1\n- 2\n", "should be a mapping"),
    ],
)
def test_table_that_is_no_mapping_is_refused(tmp_path, text, words):
    """An empty file, a text or a list is not a table."""
    with pytest.raises(TableError, match=words):
        read(written(tmp_path, text), Table)


@pytest.mark.parametrize("number", ["010", "1:30", "0x10", "0b11", "1_000", "+0o7", "1:30.5"])
def test_number_that_yaml_would_misread_is_refused(tmp_path, number):
    """YAML 1.1 takes 010 for 8, 1:30 for 90 and 0x10 for 16: no table means that, and the line is
    named.
    """
    with pytest.raises(TableError, match=r"table\.yaml: .*" + re.escape(repr(number))):
        read(written(tmp_path, GOOD.replace("mass_kg: 3", f"mass_kg: {number}")), Table)


@pytest.mark.parametrize(
    ("text", "value"),
    [("7", 7), ("-0.5", -0.5), (".5", 0.5), ("5.", 5), ("1.0e-6", 1e-6), ("2.5E+3", 2500)],
)
def test_plain_decimal_numbers_are_read(tmp_path, text, value):
    """Signs, points and exponents with a point are numbers as written."""
    assert (
        read(written(tmp_path, GOOD.replace("mass_kg: 3", f"mass_kg: {text}")), Table)
        .arms["lower"]
        .mass_kg
        == value
    )


@pytest.mark.parametrize("text", ["[" * 900_000, "- " * 60_000, "a: {" * 51 + "}" * 51])
def test_deep_nesting_is_refused_before_it_ends_the_process(tmp_path, text):
    """PyYAML recurses in C, where 50 000 levels are beyond the stack."""
    with pytest.raises(TableError, match=r"table\.yaml: nests deeper than 50 levels"):
        read(written(tmp_path, text), Table)


def test_what_is_no_file_is_refused(tmp_path):
    """A folder, and a pipe, which nobody writes to and a reader would wait for."""
    os.mkfifo(tmp_path / "pipe.yaml")
    for path in (tmp_path, tmp_path / "pipe.yaml"):
        with pytest.raises(FileError, match="is a folder, a device or a pipe, not a file"):
            read(path, Table)
    with pytest.raises(FileError, match="null"):
        read(Path("a\0b.yaml"), Table)


def test_missing_and_unreadable_files_are_file_errors(tmp_path):
    """A file that is not there, or is no text, names its path."""
    with pytest.raises(FileError, match=r"none\.yaml"):
        read(tmp_path / "none.yaml", Table)
    path = tmp_path / "noise.yaml"
    path.write_bytes(b"\xff\xfe\x00\x80names")
    with pytest.raises((FileError, TableError), match=r"noise\.yaml"):
        read(path, Table)
    with pytest.raises(FileError):
        read(tmp_path, Table)


def test_changed_file_is_read_again(tmp_path):
    """A table is kept in memory only as long as its file is as it was, older or newer."""
    path = written(tmp_path, GOOD)
    first = read(path, Table)
    assert read(path, Table) is first
    path.write_text(GOOD.replace("length_mm: 100", "length_mm: 200"), encoding="utf-8")
    os.utime(path, (1_000_000_000, 1_000_000_000))
    assert read(path, Table).arms["upper"].length_mm == 200.0


def test_rows_are_read_only(tmp_path):
    """A table that is shared cannot be changed by accident."""
    table = read(written(tmp_path, GOOD), Table)
    with pytest.raises(AttributeError):
        table.arms["upper"].length_mm = 5.0


@pytest.mark.parametrize(
    ("family", "file", "old", "new", "words"),
    [
        (
            "irb2400",
            "kinematics.yaml",
            "a_mm: 705",
            "a: 0.705",
            r"kinematics\.yaml: joints\.joint_3: no key 'a'",
        ),
        (
            "irb2400",
            "kinematics.yaml",
            "a_mm: 705",
            "a_mm: 705, a_mm: 855",
            r"kinematics\.yaml: a_mm: key is repeated on line 9",
        ),
        (
            "irb2400",
            "kinematics.yaml",
            "d_mm: 615, ",
            "",
            r"kinematics\.yaml: joints\.joint_1: key 'd_mm' is missing",
        ),
        (
            "irb2400",
            "kinematics.yaml",
            "source: dwg2400",
            "source: dwg",
            r"parallelogram\.source: no source 'dwg'; did you mean 'dwg2400'",
        ),
        (
            "irb930",
            "kinematics.yaml",
            "type: prismatic",
            "type: linear",
            r"joint_3\.type: 'linear' is not one of revolute, prismatic",
        ),
        (
            "irb2400",
            "limits.yaml",
            "range_of: q3 - q2",
            "range_of: q2 - q3",
            r"axis_3\.range_of: 'q2 - q3' is not one of q3 - q2",
        ),
        (
            "irb2400",
            "limits.yaml",
            "effort_N_m: rule}",
            "effort_Nm: rule}",
            r"limits\.yaml: axes\.axis_1\.source: 'effort_N_m' has no source",
        ),
        (
            "irb2400",
            "limits.yaml",
            "payload_kg: name, ",
            "",
            r"ratings\.source: 'payload_kg' has no source",
        ),
        (
            "irb2400",
            "inertials.yaml",
            "com_mm: [21, 22, -188.5]",
            "com_mm: [21, 22]",
            r"links\.link_1\.com_mm: \[21, 22\] should be a list of 3",
        ),
        (
            "irb2400",
            "inertials.yaml",
            "xx: 2.0e-05",
            "xx: 2e-05",
            r"link_6\.inertia_kg_m2\.xx: '2e-05' is not a finite number",
        ),
        (
            "irb2400",
            "inertials.yaml",
            ", inertia_kg_m2: products}",
            "}",
            r"links\.link_2\.source: 'inertia_kg_m2' has no source",
        ),
        (
            "irb2400",
            "inertials.yaml",
            "yz: 0.10946",
            "zy: 0.10946",
            r"link_1\.inertia_kg_m2: no key 'zy'",
        ),
        (
            "irb2400",
            "friction.yaml",
            "Fs_N_m: 36.3",
            "Fs: 36.3",
            r"axis_1: no key 'Fs'; did you mean 'Fs_N",
        ),
        (
            "irb2400",
            "friction.yaml",
            "v_St_rad_s: 0.0085",
            "v_St_rad_s: .inf",
            r"axis_1\.v_St_rad_s: inf is not a finite number",
        ),
        (
            "irb1400",
            "drives.yaml",
            "grade: identified",
            "grade: fitted",
            r"drives\.yaml: sources\.norrlof1999\.grade: 'fitted' is not one of",
        ),
    ],
)
def test_broken_robot_tables_are_refused(copied, family, file, old, new, words):
    """The strict reader guards every table of a robot, not only made-up ones."""
    folder = copied(family, file, old, new)
    variant = {"irb2400": "irb2400_16", "irb1400": "irb1400", "irb930": "irb930_12_105"}[family]
    with pytest.raises(irb.TableError, match=words):
        irb.load(folder / variant).with_rotors()


@of_files(TABLES)
def test_every_table_states_its_schema_and_a_newer_one_is_refused(path, tmp_path):
    """One line names the file, the schema it was written for, and what to do."""
    text = path.read_text(encoding="utf-8")
    assert re.search(r"^schema: 1$", text, re.MULTILINE)
    special = {"tools": "ToolTable", "urdf": "Catalogue"}
    kind = getattr(schema, special.get(path.parent.name, f"{path.stem.title()}Table"), None)
    if path.name == "datasheet.yaml":
        kind = DataSheet
    if kind is None:
        assert path.name == "published.yaml"  # its layout is that of irbmodels/cad/published.py
        return
    assert read(path, kind).schema == 1
    newer = written(tmp_path, text.replace("schema: 1", "schema: 2"))
    problem = "was written for schema 2; this irbmodels reads 1: update irbmodels"
    with pytest.raises(TableError, match=f"^{re.escape(str(newer))}: {problem}$"):
        read(newer, kind)


@of_files(SOURCED)
def test_every_row_of_every_table_names_a_source_of_that_table(path):
    """Read as plain YAML: each row of numbers names sources that stand in its own table, each with
    reference and grade.
    """
    table = oracles.plain_yaml(path.read_text(encoding="utf-8"))
    for name, source in table["sources"].items():
        assert len(source["ref"]) > 10, name
        assert source["grade"] in GRADES, name
    rows = []

    def collect(item, key):
        if isinstance(item, dict) and key != "sources":
            numeric = (
                any(isinstance(value, int | float | list) for value in item.values())
                or "inertia_kg_m2" in item
            )
            if "source" in item or (
                numeric
                and key not in ("inertia_kg_m2", "shapes")
                and "about" not in item
                and "axes" not in item
                and "bodies" not in item  # a published set, which lists placeholders
            ):
                rows.append((key, item))
            else:
                for name, value in item.items():
                    collect(value, name)

    for name, value in table.items():
        if name not in ("sources", "shapes"):
            collect(value, name)
    for key, row in rows:
        named = row["source"] if isinstance(row["source"], dict) else {"*": row["source"]}
        assert set(named.values()) <= set(table["sources"]), key
        if isinstance(row["source"], dict):
            assert set(named) == set(row) - {
                "source",
                "type",
                "range_of",
                "bound_of",
                "axis",
                "kind",
            }, key


@of_files(SOURCED)
def test_every_source_is_used(path):
    """A source that no row names is a leftover."""
    text = path.read_text(encoding="utf-8")
    for name in oracles.plain_yaml(text)["sources"]:
        assert text.count(name) > 1, name


@together("name", oracles.NAMES)
def test_every_table_of_every_robot_reads(name):
    """All tables of all variants pass the strict reader and every check that needs more than one of
    them.
    """
    robot = irb.describe(name)
    for table in (
        "kinematics",
        "limits",
        "inertials",
        "friction",
        "drives",
        "validation",
        "shapes",
    ):
        getattr(robot, table)


@together("name, chosen", [(name, chosen) for name, chosen in SETS if chosen != "obal2025_printed"])
def test_set_is_physically_possible(name, chosen):
    """Checked by eigenvalues here: positive mass and moments, triangle inequality, no denser than
    lead, centre inside 1.5 m.
    """
    for body in oracles.arm(name, chosen).bodies:
        low, middle, high = np.linalg.eigvalsh(body.tensor)
        assert body.mass > 0
        assert low > 0
        assert high <= low + middle
        radius = (3 * body.mass / (4 * np.pi * 11_340.0)) ** (1 / 3)
        assert low + middle + high >= 1.2 * body.mass * radius**2
        assert np.abs(body.com).max() < 1.5


@pytest.mark.parametrize("family", FAMILIES)
def test_only_sets_marked_impossible_are_impossible(family):
    """Every shipped set is checked by eigenvalues: the bodies that fail are exactly those that the
    set lists.
    """
    table = yaml.safe_load((oracles.URDF / family / "inertials.yaml").read_text(encoding="utf-8"))
    for chosen in table["sets"].values():
        for links in (
            chosen["links"],
            *(variant["links"] for variant in chosen.get("variants", {}).values()),
        ):
            failing = []
            for link, row in links.items():
                _, _, tensor = oracles.inertial(row)
                low, middle, high = np.linalg.eigvalsh(tensor)
                failing += [] if low > 1e-12 * high and high <= low + middle else [link]
            assert failing == chosen.get("impossible", [])
    assert not table["sets"][table["default"]].get("impossible")


@together("name, chosen", SETS)
def test_arm_base_and_bars_weigh_the_catalogue_mass(name, chosen):
    """The bodies of every set sum to the catalogue mass within 0.1 % (1400 and 930: an assumed
    mass).
    """
    mass = sum(row["mass_kg"] for row in oracles.weighed(name, chosen).values())
    catalogue = {"irb2400": 380.0, "irb1400": 225.0, "irb1600": 250.0, "irb930": 60.0}[
        oracles.FAMILY[name]
    ]
    assert mass == pytest.approx(catalogue, rel=1e-3)
