"""Data sheets of arms: what they state, the tables made of them, and what is refused."""

from xml.etree import ElementTree

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.tables.datasheet import Arm, LengthsRow, ZeroRow, read_datasheet
from irbmodels.tables.datasheet_tables import tables_of_datasheet
from irbmodels.tables.schema import AxisRow
from irbmodels.tables.writing import write_tables

# lengths, ranges and working-range points of ABB's product manual IRB 120, 3HAC035728-001 Rev W
IRB120 = """\
schema: 1
title: IRB 120-3/0.58
build: serial
sources:
  pm: {ref: "ABB product manual IRB 120, 3HAC035728-001 Rev W", grade: published}
  ros: {ref: "ros-industrial/abb_experimental@20b9cf86", licence: Apache-2.0, grade: published}
lengths: {d1_mm: 290, a1_mm: 0, a2_mm: 270, a3_mm: 70, d4_mm: 302, d6_mm: 72, source: pm}
axes:
  axis_1: {range_deg: [-165, 165], speed_deg_s: 250, source: {range_deg: pm, speed_deg_s: ros}}
  axis_2: {range_deg: [-110, 110], speed_deg_s: 250, source: {range_deg: pm, speed_deg_s: ros}}
  axis_3: {range_deg: [-110, 70], speed_deg_s: 250, source: {range_deg: pm, speed_deg_s: ros}}
  axis_4: {range_deg: [-160, 160], speed_deg_s: 320, source: {range_deg: pm, speed_deg_s: ros}}
  axis_5: {range_deg: [-120, 120], speed_deg_s: 320, source: {range_deg: pm, speed_deg_s: ros}}
  axis_6: {range_deg: [-400, 400], speed_deg_s: 420, source: {range_deg: pm, speed_deg_s: ros}}
ratings: {payload_kg: 3, reach_mm: 580, mass_kg: 25, repeatability_mm: 0.01, source: pm}
variants:
  irb120_3_58: {}
  irb120t_3_58:
    title: IRB 120T-3/0.58
    axes:
      axis_4: {speed_deg_s: 420, source: ros}
"""
# x, z of the wrist centre [mm] and q2, q3 [deg]; D and H print z = 270 for the height of axis 2
DRAWING = (
    ("A", 302, 630, 0, 0),
    ("B", 0, 870, 0, -77),
    ("C", 169, 300, 0, 70),
    ("D", 580, 290, 90, -77),
    ("E", 545, 91, 110, -77),
    ("F", -440, -50, -110, -110),
    ("G", -67, 445, -110, 70),
    ("H", -580, 290, -90, -77),
    ("J", -545, 91, -110, -77),
)


def sheet_file(tmp_path, text=IRB120):
    path = tmp_path / "irb120.yaml"
    path.write_text(text, encoding="utf-8")
    return path


def arm_without_masses(tmp_path, variant="irb120_3_58"):
    """The robot of the sheet, loaded from its tables."""
    return without_masses(tmp_path, IRB120, variant)


def without_masses(tmp_path, text, variant):
    """A variant of a sheet, loaded from its tables."""
    tables = tables_of_datasheet(*read_datasheet(sheet_file(tmp_path, text)))
    unknown = {"unknown": {"about": "masses are unknown", "links": {}}}
    tables["inertials"] = {"sources": {}, "default": "unknown", "sets": unknown}
    tables["shapes"] = {"links": {}}
    write_tables(tmp_path / "irb120", tables, "From a data sheet.")
    return irb.load(tmp_path / "irb120" / variant)


def test_abbs_drawing_comes_out_of_the_sheet(tmp_path):
    """The wrist centre of the tables' robot stands on the nine points of ABB's drawing."""
    robot = arm_without_masses(tmp_path)
    for name, x, z, q2, q3 in DRAWING:
        at = 1000.0 * robot.pose(robot.from_controller([0, q2, q3, 0, 0, 0]), "link_5").translation
        assert np.abs(at[[0, 2]] - [x, z]).max() < 1.0, name


def test_tables_have_the_sources_that_their_rows_cite(tmp_path):
    """No number without its source, and the table of lengths does not name that of speeds."""
    robot = arm_without_masses(tmp_path)
    tables = robot.description
    assert set(tables.kinematics.sources) == {"pm"}
    assert set(tables.limits.sources) == {"pm", "ros"}
    row = tables.limits.axes["axis_4"]
    assert (row.source_of("range_deg"), row.source_of("speed_deg_s")) == ("pm", "ros")


def test_a_variant_changes_what_it_states(tmp_path):
    """One speed of the faster arm differs; the range of that axis and all lengths are shared."""
    one, two = (arm_without_masses(tmp_path, name) for name in ("irb120_3_58", "irb120t_3_58"))
    ratio = two.limits.velocity / one.limits.velocity
    assert np.allclose(ratio, [1, 1, 1, 420 / 320, 1, 1])
    assert np.array_equal(two.limits.upper, one.limits.upper)
    q = np.full(6, 0.3)
    assert np.array_equal(two.pose(q).homogeneous, one.pose(q).homogeneous)


def test_reach_is_that_of_a_dense_search():
    """The largest distance over a grid of both ranges, for random arms and ranges, folded ones and
    such that reach behind the base included.
    """
    rng = np.random.default_rng(9)
    for _ in range(300):
        lengths = dict(
            zip(("a1_mm", "a2_mm", "a3_mm", "d4_mm"), rng.uniform(50, 900, 4), strict=True)
        )
        low, wide = rng.uniform(-170, 40, 2), rng.uniform(20, 180, 2)
        axes = {
            f"axis_{i + 2}": AxisRow(range_deg=(low[i], low[i] + wide[i]), source="")
            for i in (0, 1)
        }
        arm = Arm("x", "x", "serial", LengthsRow(source="", **lengths), axes, None, None, None)
        q2, r3 = (np.radians(np.linspace(low[i], low[i] + wide[i], 401)) for i in (0, 1))
        elbow = q2[:, None] + r3
        x = lengths["a1_mm"] + lengths["a2_mm"] * np.sin(q2[:, None])
        x = x + lengths["d4_mm"] * np.cos(elbow) + lengths["a3_mm"] * np.sin(elbow)
        assert 0.0 <= arm.reach - x.max() + 1e-9 < 0.1


@pytest.mark.parametrize("form", ["elbow", "elbow and slope", "bars", "bars, slope and elbow"])
def test_reach_does_not_depend_on_the_zero_posture(form):
    """An arm whose axes 2 and 3 are counted from another posture reaches as far, whatever its range
    of axis 3 and its bound are of: the angle between the arms, or the forearm's slope.
    """
    rng = np.random.default_rng(5)
    lengths = LengthsRow(a1_mm=100, a2_mm=700, a3_mm=120, d4_mm=650, source="")
    build = "parallelogram" if "bars" in form else "serial"
    for _ in range(50):
        low, wide, turned = (
            rng.uniform(-80, 10, 3),
            rng.uniform(60, 120, 3),
            rng.uniform(-40, 40, 2),
        )

        def arm(second, third, low=low, wide=wide):
            """q2 and the angle between the arms count from these angles, their slope from both."""
            ends = [
                (start - zero, start + width - zero)
                for start, width, zero in zip(
                    low, wide, (second, third, second + third), strict=True
                )
            ]
            of, bound = ("q3 - q2", None) if form == "bars" else (None, None)
            three = ends[1]
            if form == "elbow and slope":
                of, bound = None, {"bound_of": "q3 + q2", "bound_deg": ends[2]}
            if form == "bars, slope and elbow":
                three, bound = ends[2], {"bound_of": "q3 - q2", "bound_deg": ends[1]}
            axes = {
                "axis_2": AxisRow(range_deg=ends[0], source=""),
                "axis_3": AxisRow(range_deg=three, range_of=of, source="", **(bound or {})),
            }
            zero = ZeroRow(theta0_deg=(0, second - 90, third, 0, 180, 0), source="")
            return Arm("x", "x", build, lengths, axes, None, None, zero)

        assert arm(*turned).reach == pytest.approx(arm(0.0, 0.0).reach, abs=1e-9)


def test_axes_may_stand_in_any_order(tmp_path):
    """Tables have them in that of the axes."""
    lines = IRB120.splitlines(keepends=True)
    first, last = (next(i for i, line in enumerate(lines) if f"axis_{n}:" in line) for n in (1, 6))
    lines[first], lines[last] = lines[last], lines[first]
    robot = without_masses(tmp_path, "".join(lines), "irb120_3_58")
    assert robot.limits.upper[5] == pytest.approx(np.radians(400))


def test_what_a_build_fixes_has_the_source_of_the_row(tmp_path):
    """Angles of a SCARA's rows come with its arms, those of axis 4 and the tool with the tool."""
    text = """\
schema: 1
title: a SCARA
build: scara
sources:
  height: {ref: a guess, grade: assumed}
  arms: {ref: catalogue, grade: published}
  tool: {ref: drawing, grade: derived}
lengths: {d1_mm: 220, a1_mm: 300, a2_mm: 250, d4_mm: 30, source: {d1_mm: height, a1_mm: arms, a2_mm: arms, d4_mm: tool}}
axes:
  axis_1: {range_deg: [-140, 140], speed_deg_s: 415, source: arms}
  axis_2: {range_deg: [-150, 150], speed_deg_s: 659, source: arms}
  axis_3: {range_mm: [-180, 0], speed_mm_s: 1020, source: arms}
  axis_4: {range_deg: [-400, 400], speed_deg_s: 2400, source: arms}
ratings: {payload_kg: 3, reach_mm: 550, source: arms}
variants:
  scara: {}
"""
    robot = without_masses(tmp_path, text, "scara")
    rows = robot.description.kinematics
    sources = [row.source for row in (*rows.joints.values(), rows.tool0)]
    assert sources == ["height", "arms", "arms", "tool", "tool"]
    tip = robot.pose(robot.from_controller([0, 0, -100, 0])).translation
    np.testing.assert_allclose(tip, [0.55, 0.0, 0.09], atol=1e-12)


A2, FAST = "  axis_2: {range_deg: [-110, 110]", "      axis_4: {speed_deg_s: 420, source: ros}"
BAD = {
    # ranges
    "reversed range": (
        "[-110, 110]",
        "[110, -110]",
        "axes.axis_2.range_deg: [110, -110] is empty; its",
    ),
    "range of one end": (
        "[-110, 110]",
        "[110]",
        "axes.axis_2.range_deg: [110] should be a list of 2",
    ),
    "range as text": ("[-110, 110]", "-110 .. 110", "'-110 .. 110' should be a list of 2 numbers"),
    "range in rad": (
        "[-110, 110]",
        "[-1.92, 1.92]",
        "ratings.reach_mm: 580 mm, but lengths and ranges",
    ),
    "range without unit": (f"{A2}", "  axis_2: {range: [-1, 1]", "axes.axis_2: no key 'range'"),
    "no range": (
        f"{A2}, ",
        "  axis_2: {",
        "axes.axis_2.source: 'range_deg' has a source and no number",
    ),
    "range in mm": (
        f"{A2}",
        f"{A2}, range_mm: [0, 5]",
        "axes.axis_2.source: 'range_mm' has no source",
    ),
    "coupled": ("-110, 70],", "-110, 70], range_of: q3 - q2,", "range of axis 3 of an arm with"),
    # speeds and efforts
    "negative speed": (
        "420, source",
        "-420, source",
        "axes.axis_6.speed_deg_s: -420 is not positive",
    ),
    "no speed": (", speed_deg_s: 420", "", "axes.axis_6.source: 'speed_deg_s' has a source and no"),
    "speed NaN": ("speed_deg_s: 420", "speed_deg_s: .nan", "axes.axis_6.speed_deg_s: nan is not a"),
    "speed in quotes": (
        "speed_deg_s: 420",
        "speed_deg_s: '420'",
        "'420' is not a finite number; numbers",
    ),
    "speed with unit": (
        "speed_deg_s: 420",
        "speed_deg_s: 420 deg/s",
        "'420 deg/s' is not a finite number",
    ),
    "speed in rad": ("speed_deg_s: 420", "speed_rad_s: 7.3", "did you mean 'speed_deg_s'"),
    "effort of 0": (
        "speed_deg_s: 420, source: {",
        "speed_deg_s: 420, effort_N_m: 0, source: {effort_N_m: ros, ",
        "axes.axis_6.effort_N_m: 0 is not positive; leave it out if unknown",
    ),
    # lengths
    "key without unit": ("a2_mm: 270", "a2: 270", "lengths: no key 'a2'; did you mean 'a2_mm'"),
    "length with unit": (
        "d1_mm: 290",
        'd1_mm: "290 mm"',
        "lengths.d1_mm: '290 mm' is not a finite",
    ),
    "length in m": ("d1_mm: 290", "d1_m: 0.29", "lengths: no key 'd1_m'; did you mean 'd1_mm'"),
    "negative length": ("a2_mm: 270", "a2_mm: -270", "lengths.a2_mm: -270 is not positive"),
    "missing length": ("d4_mm: 302, ", "", "lengths.d4_mm: missing: a serial arm needs it"),
    "other length": (
        "d4_mm: 302",
        "d4_mm: 302, crank_mm: 5",
        "lengths.crank_mm: a serial arm has no",
    ),
    "length twice": ("d4_mm: 302", "d4_mm: 302, d4_mm: 302", "d4_mm: key is repeated on line 7"),
    "no lengths": ("lengths: {", "length: {", "no key 'length'; did you mean 'lengths'"),
    # sources
    "no source": (", source: pm}\naxes", "}\naxes", "lengths: the row names no source"),
    "unknown source": ("source: pm}\naxes", "source: xx}\naxes", "lengths.source: no source 'xx'"),
    "source of a part": (
        "source: pm}\naxes",
        "source: {d1_mm: pm}}\naxes",
        "'a1_mm' has no source",
    ),
    "source as number": (
        "source: pm}\naxes",
        "source: 5}\naxes",
        "lengths.source: 5 should be a text",
    ),
    "no grade": (", grade: published}\n  ros", "}\n  ros", "sources.pm: key 'grade' is missing"),
    "other grade": (
        "grade: published}\n  ros",
        "grade: sure}\n  ros",
        "'sure' is not one of measured",
    ),
    # build, title, schema
    "build": (
        "build: serial",
        "build: gantry",
        "'gantry' is not one of serial, parallelogram, palletizer, seven_axis, scara",
    ),
    "no build": ("build: serial\n", "", "key 'build' is missing"),
    "build of four axes": (
        "build: serial",
        "build: scara",
        "lengths.a3_mm: a scara arm has no such",
    ),
    "build with bars": (
        "build: serial",
        "build: parallelogram",
        "lengths.crank_mm: missing: a par",
    ),
    "no title": ("title: IRB 120-3/0.58", "title: ''", "title: '' is no title of one line"),
    "title of two lines": ("title: IRB 120-3/0.58", 'title: "a\\nb"', "is no title of one line"),
    "title as number": (
        "title: IRB 120-3/0.58",
        "title: 120",
        "title: 120 should be a text; quote it",
    ),
    "other schema": ("schema: 1", "schema: 2", "was written for schema 2; this irbmodels reads 1"),
    "unknown key": ("build:", "rating: {}\nbuild:", "no key 'rating'; did you mean 'ratings'"),
    # ratings
    "reach": (
        "reach_mm: 580",
        "reach_mm: 680",
        "ranges of axes 2 and 3 of irb120_3_58 give 580.0 mm",
    ),
    "reach in m": ("reach_mm: 580", "reach_mm: 0.58", "ratings.reach_mm: 0.58 mm, but lengths"),
    "negative mass": ("mass_kg: 25", "mass_kg: -25", "ratings.mass_kg: -25 is not positive"),
    "unknown mass": (
        "mass_kg: 25",
        "mass_kg: unknown",
        "ratings.mass_kg: 'unknown' is not a finite",
    ),
    "payload of its mass": ("payload_kg: 3", "payload_kg: 30", "but irb120_3_58 weighs 25 kg"),
    "no payload": ("payload_kg: 3, ", "", "ratings.payload_kg: missing: every arm has one"),
    "negative repeatability": ("_mm: 0.01", "_mm: -0.01", "ratings.repeatability_mm: -0.01 is not"),
    "base of its mass": (
        "variants:",
        "base: {mass_kg: 26, source: pm}\nvariants:",
        "base.mass_kg: 26 is not below mass_kg of the ratings, 25",
    ),
    "counterweight without bars": (
        "variants:",
        "crank: {mass_kg: 5, source: pm}\nvariants:",
        "crank: a counterweight is drawn on arms with a parallelogram, and on no palletizer",
    ),
    "load diagram": (
        "variants:",
        "handling: {J5_kg_m2: -1, J6_kg_m2: 1, source: pm}\nvariants:",
        "handling: needs a six-axis arm, and limits that are positive: M4_N_m, M5_N_m",
    ),
    "zero of two axes": (
        "variants:",
        "zero: {theta0_deg: [0, 0], source: pm}\nvariants:",
        "zero.theta0_deg: 2 angles for 6 joints",
    ),
    "balancer of a turned arm": (
        "variants:",
        "zero: {theta0_deg: [0, -80, 0, 0, 180, 0], source: pm}\n"
        "balancers: {b: {kind: gas, link_1_pivot_mm: [-200, 300], link_2_pivot_mm: [-90, 30], source: pm}}\n"
        "variants:",
        "zero.theta0_deg: an arm with a balancer",
    ),
    # axes
    "missing axis": ("  axis_6:", "  axis_7:", "axes.axis_6: missing: a serial arm has axis_1"),
    "axis too many": (
        "ratings:",
        "  axis_7: {range_deg: [-9, 9], speed_deg_s: 1, source: pm}\nratings:",
        "axes.axis_7: no such axis: a serial arm has axis_1",
    ),
    "axis twice": ("  axis_6:", "  axis_5:", "axis_5: key is repeated on line 14"),
    # variants: a number of their own is named there
    "name": ("irb120_3_58: {}", "irb 120: {}", "variants: 'irb 120' is no name: letters"),
    "path as name": ("irb120_3_58: {}", "../arm: {}", "variants: '../arm' is no name: letters"),
    "variant twice": ("irb120t_3_58:", "irb120_3_58:", "irb120_3_58: key is repeated on line 18"),
    "variant in capitals": ("irb120t_3_58:", "IRB120_3_58:", "from irb120_3_58 by capitals alone"),
    "variant of nothing": ("irb120_3_58: {}", "irb120_3_58:", "nothing should be a mapping"),
    "variant's speed": (
        FAST,
        FAST.replace("420", "-420"),
        "variants.irb120t_3_58.axes.axis_4.speed_deg_s: -420 is not positive",
    ),
    "variant's axis": (
        FAST,
        FAST.replace("_4", "_9"),
        "variants.irb120t_3_58.axes.axis_9: no such",
    ),
    "variant's row of nothing": (
        FAST,
        "      axis_4: {source: ros}",
        "variants.irb120t_3_58.axes.axis_4: states no number",
    ),
    "variant's length": (
        "    axes:\n      axis_4",
        "    lengths: {d4_mm: 402, source: ros}\n    axes:\n      axis_4",
        "ratings.reach_mm: 580 mm, but lengths and ranges of axes 2 and 3 of irb120t_3_58 give",
    ),
    # YAML
    "tab": ("  axis_6:", "\taxis_6:", "at line 14, column 1"),
    "open brace": (
        "source: pm}\naxes",
        "source: pm\naxes",
        "while parsing a flow mapping at line 7",
    ),
    "object": (
        "title: IRB 120-3/0.58",
        "title: !!python/name:os.system",
        "constructor for the tag",
    ),
    "merge": ("variants:", "<<: {}\nvariants:", "constructor for the tag"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_sheet_that_is_wrong_is_refused_by_key(tmp_path, case):
    """One line that names the file, the key and what is wrong there."""
    old, new, said = BAD[case]
    assert old in IRB120
    with pytest.raises(irb.IrbError) as caught:
        read_datasheet(sheet_file(tmp_path, IRB120.replace(old, new, 1)))
    assert said in str(caught.value)
    assert "irb120.yaml" in str(caught.value)
    assert "\n" not in str(caught.value)


def test_aliases_that_grow_and_large_files_are_refused(tmp_path):
    """A bomb of 40 doublings ends at once, and so does a file of 3 MB."""
    doubled = "".join(f"b{i}: &b{i} [*b{i - 1}, *b{i - 1}]\n" for i in range(1, 40))
    with pytest.raises(irb.TableError, match="aliases stand for more than"):
        read_datasheet(sheet_file(tmp_path, f"b0: &b0 [1, 1]\n{doubled}"))
    with pytest.raises(irb.TableError, match="a table has at most"):
        read_datasheet(sheet_file(tmp_path, IRB120 + "# x\n" * 750_000))


def test_an_arm_without_masses_moves_but_has_no_torques(tmp_path):
    """Poses, inverse kinematics and the regressor answer; every torque names what is missing."""
    robot = arm_without_masses(tmp_path)
    q = np.full(6, 0.3)
    solutions = robot.inverse_kinematics(robot.pose(q))
    assert any(np.allclose(one.q, q) for one in solutions)
    assert robot.regressor(q, q, q).shape == (6, 66)
    assert np.isinf(robot.limits.effort).all()
    assert not robot.limits.effort_assumed.any()
    many = np.zeros((3000, 6))
    refused = (
        lambda: robot.gravity(q),
        lambda: robot.inverse_dynamics(q, q, q, friction=False),
        lambda: robot.forward_dynamics(q, q, q, friction=False),
        lambda: robot.mass_matrix(many),
        lambda: robot.energy(q, q),
        lambda: robot.reactions(q, q, q),
        lambda: robot.sensor(q, q, q),
        lambda: robot.with_payload(irb.payload(1.0, [0, 0, 0])).gravity(q),
        lambda: irb.simulate(robot, duration=0.1),
        lambda: irb.export(robot, "mjcf", tmp_path / "mjcf"),
        lambda: irb.write_c(robot, tmp_path / "c", ["gravity"]),
        lambda: irb.export(robot, "sdf", tmp_path / "sdf"),
    )
    for query in refused:
        with pytest.raises(irb.MissingData, match="no masses of irb120_3_58 are known"):
            query()


def test_a_urdf_without_masses_has_no_inertials_and_the_same_poses(tmp_path):
    """Links whose masses are unknown have none in the URDF, and efforts are 0, as ROS has it."""
    robot = arm_without_masses(tmp_path)
    (path,) = irb.export(robot, "urdf", tmp_path / "out")
    text = path.read_text(encoding="utf-8")
    masses = ElementTree.fromstring(text).findall("link/inertial/mass")
    assert {float(mass.get("value")) for mass in masses} == {0.0}
    assert 'effort="0"' in text
    q = np.array([0.1, 0.2, -0.3, 0.4, 0.5, -0.6])
    other = irb.from_urdf(path).pose(q)
    assert np.allclose(other.homogeneous, robot.pose(q).homogeneous, atol=1e-12)


def test_engines_agree_on_poses_of_an_arm_without_masses(tmp_path):
    """Checks compare poses, and no torque."""
    from irbmodels.exchange.verify.check import check

    agreements = check(arm_without_masses(tmp_path))
    assert all(one.holds for one in agreements)
    assert {one.quantity for one in agreements if one.compared} == {"TCP pose"}


TWO_CRANKS = """\
schema: 1
title: an arm with bars
build: parallelogram
sources:
  one: {ref: drawing, grade: published}
  two: {ref: another drawing, grade: derived}
lengths: {d1_mm: 615, a1_mm: 100, a2_mm: 705, a3_mm: 135, d4_mm: 755, d6_mm: 85, crank_mm: 180, source: one}
axes:
  axis_1: {range_deg: [-165, 165], speed_deg_s: 150, source: one}
  axis_2: {range_deg: [-100, 110], speed_deg_s: 120, source: one}
  axis_3: {range_deg: [-60, 65], range_of: q3 - q2, speed_deg_s: 120, source: one}
  axis_4: {range_deg: [-200, 200], speed_deg_s: 225, source: one}
  axis_5: {range_deg: [-120, 120], speed_deg_s: 250, source: one}
  axis_6: {range_deg: [-400, 400], speed_deg_s: 330, source: one}
ratings: {payload_kg: 16, reach_mm: 1550, mass_kg: 380, source: one}
variants:
  short: {}
  long: {lengths: {d6_mm: 135, crank_mm: 250, source: two}}
"""


@pytest.mark.parametrize(("name", "flange", "crank"), [("short", 85, 180), ("long", 135, 250)])
def test_a_variant_may_have_its_own_flange_and_crank(tmp_path, name, flange, crank):
    """Tables, the model made of them, and the URDF that xacro makes, each with its source."""
    robot = without_masses(tmp_path, TWO_CRANKS, name)
    (tmp_path / "arm.urdf").write_text(robot.description.urdf(), encoding="utf-8")
    for arm in (robot, irb.from_urdf(tmp_path / "arm.urdf")):
        wrist, tip = (arm.pose(np.zeros(6), frame) for frame in ("link_6", "tool0"))
        assert tip.translation[0] - wrist.translation[0] == pytest.approx(flange / 1000.0)
    pins = ElementTree.parse(tmp_path / "arm.urdf").findall(
        "joint[@name='joint_rod_carrier']/origin"
    )
    tables = robot.description.kinematics
    assert [np.abs(np.array(pin.get("xyz").split(), float)).max() for pin in pins] == [crank / 1000]
    assert tables.parallelogram.crank_mm == crank
    source = "one" if name == "short" else "two"
    assert tables.parallelogram.source == tables.tool0.source == source
