"""Lists of robots and families, as tables and as JSON."""

import json
import re

import pytest
import shipped
import yaml
from grouped import together

import irbmodels as irb
from irbmodels.report import robot_list
from irbmodels.tables.description import data_folder

ORDER = ("measured", "identified", "published", "derived", "assumed")


def test_every_variant_is_in_one_family():
    """In the order of robots.yaml, families as robots."""
    rows, families = robot_list.listed_robots(), robot_list.listed_families()
    assert tuple(row.name for row in rows) == shipped.ALL
    assert tuple(one.family for one in families) == shipped.FAMILIES
    assert tuple(name for one in families for name in one.variants) == shipped.ALL
    assert {row.alias: row.name for row in rows if row.alias} == irb.aliases()


@pytest.mark.parametrize(
    ("family", "expected"),
    [
        (
            "irb2400",
            (
                "parallelogram",
                (10, 16),
                (1550, 1550),
                (380, 380),
                "published",
                "published",
                "derived",
            ),
        ),
        ("irb120", ("serial", (3, 3), (580, 580), (25, 25), "published", "assumed", "derived")),
        ("irb1100", ("serial", (4, 4), (475, 580), None, None, "published", None)),
        (
            "irb6700",
            ("serial", (150, 235), (2600, 3200), (1205, 1250), "published", "published", "derived"),
        ),
        ("irb930", ("scara", (12, 22), (850, 1050), (60, 60), "assumed", "assumed", "assumed")),
    ],
)
def test_ratings_and_worst_grades(family, expected):
    """Numbers of the catalogue; the 120T's lengths are assumed, so are the 930's masses."""
    (row,) = (one for one in robot_list.listed_families() if one.family == family)
    assert (
        *(row.build, row.payload_kg, row.reach_mm),
        *(row.mass_kg, row.mass_grade, row.kinematics, row.inertials),
    ) == expected


@together("family", shipped.FAMILIES)
def test_the_worst_grade_of_lengths_is_that_of_the_table(family):
    """Of every source that kinematics.yaml, read as plain YAML, names in any row."""
    text = (data_folder() / family / "kinematics.yaml").read_text(encoding="utf-8")
    table = yaml.safe_load(text)
    named, rows = set(), [{key: row for key, row in table.items() if key != "sources"}]
    while rows:
        for key, row in rows.pop().items():
            if key == "source":
                named |= {row} if isinstance(row, str) else set(row.values())
            elif isinstance(row, dict):
                rows.append(row)
    worst = max((table["sources"][name]["grade"] for name in named), key=ORDER.index)
    (row,) = (one for one in robot_list.listed_families() if one.family == family)
    assert row.kinematics == worst


def test_what_is_unknown_is_said():
    """Masses and speeds of some or all variants, balancers without force, friction and gears."""
    unknown = {one.family: one.unknown for one in robot_list.listed_families()}
    assert unknown["irb2400"] == ("gears",)
    assert unknown["irb1100"] == ("mass", "friction", "gears")
    assert unknown["irb6700"] == ("mass of 4", "balancer", "friction", "gears")
    assert "balancing springs" in unknown["irb1400"]
    assert unknown["irb7600"] == ("mass of 3", "speeds of 2", "balancer", "friction", "gears")
    assert unknown["crb15000"] == ("friction", "gears")
    assert "gears" not in unknown["irb1400"]


def test_a_row_is_printed_per_family(run):
    """Ranges where variants differ, a mark at an assumed mass."""
    code, out, err = run("list", "--families")
    assert (code, err) == (0, "")
    lines = {line.split()[0]: line for line in out.splitlines() if line.strip()}
    assert set(shipped.FAMILIES) < set(lines)
    assert "412 to 435*" in lines["irb4600"]
    assert "mass of 4, balancer" in lines["irb6700"]


def test_json_has_the_same_rows(run):
    """Of robots, and of families, in m; unknown is null."""
    robots = json.loads(run("list", "--json")[1])["robots"]
    families = json.loads(run("list", "--families", "--json")[1])["families"]
    assert [row["name"] for row in robots] == list(shipped.ALL)
    assert [row["family"] for row in families] == list(shipped.FAMILIES)
    assert next(row for row in robots if row["name"] == "irb1100_4_58")["mass_kg"] is None
    assert next(row for row in families if row["family"] == "irb6640")["reach_m"] == [2.55, 2.8]
    assert next(row for row in robots if row["name"] == "irb2400_16")["reach_m"] == 1.55


REACH = {
    "irb2400": "wrist centre from axis 1",
    "irb6700": "wrist centre from axis 1",
    "irb660": "axis 4 from axis 1",
    "irb910sc": "axis 4 from axis 1",
    "crb15000": "axis 6 from axis 1",
    "irb14000": "wrist from shoulder",
}


def test_a_reach_says_what_it_is_of(run):
    """For programs in words; for people where it is not that of a wrist centre."""
    robots = json.loads(run("list", "--json")[1])["robots"]
    of = {row["family"]: row["reach_of"] for row in robots}
    assert {family: of[family] for family in REACH} == REACH
    families = json.loads(run("list", "--families", "--json")[1])["families"]
    assert {row["family"]: row["reach_of"] for row in families} == of
    for options in ([], ["--families"]):
        out = run("list", *options)[1]
        assert "1520, axis 6" in out
        assert "559, wrist from shoulder" in out
        assert "from axis 1 to the wrist centre" in out
        assert "1550," not in out


def test_the_gallery_has_the_rows():
    """The table of docs/howto/gallery.md says of each family what the list says, and shows it."""
    page = (data_folder().parent / "docs" / "howto" / "gallery.md").read_text(encoding="utf-8")
    for one in robot_list.listed_families():
        title = re.sub(r"(?<=RB)", " ", one.family.upper())
        (row,) = (line for line in page.splitlines() if line.startswith(f"| [{title}]("))
        cells = [cell.strip() for cell in row.strip("|").split("|")]
        payload, reach = (
            " to ".join(f"{number:g}" for number in sorted(set(ends)))
            for ends in (one.payload_kg, one.reach_mm)
        )
        end = {"wrist centre": "", "wrist from shoulder": ", wrist from shoulder"}
        point = one.reach_of.removesuffix(" from axis 1")
        reach += end.get(point, f", {point}")
        assert cells[1:5] == [one.build, ", ".join(f"`{n}`" for n in one.variants), payload, reach]
        mass = " to ".join(f"{number:g}" for number in sorted(set(one.mass_kg or ()))) or "unknown"
        assert cells[5].rstrip("*") == mass
        assert cells[5].endswith("*") == (one.mass_grade == "assumed")
        assert cells[6:] == [one.kinematics, one.inertials or "unknown", ", ".join(one.unknown)]
        assert f"(../pictures/{one.family}.png)" in page
