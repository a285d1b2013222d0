import re
import shutil
import subprocess
import sys
import warnings
from pathlib import Path

import numpy as np
import oracles
import pytest

import irbmodels as irb
from irbmodels import rapid
from irbmodels.cli import main
from irbmodels.tasks.free_angle import feasible_angles
from irbmodels.tasks.path_check import check_path, programmed_motion

# of the specimen's twists
pytestmark = pytest.mark.filterwarnings("ignore:.*no inverse kinematics:irbmodels.PhysicsWarning")

SPECIMEN = """
schema: 1
robot: irb2400_16
about: calibration and friction of one robot
sources: {cert: {ref: birth certificate 24-1234, grade: measured}}
kinematics:
  joints:
    joint_2: {alpha_deg: -90.021, a_mm: 100.31, source: cert}
    joint_4: {alpha_deg: -89.987, theta0_deg: 0.013, d_mm: 754.8, source: cert}
  tool0: {d_mm: 85.1, source: cert}
limits: {axes: {axis_1: {range_deg: [-90, 90], source: cert}}}
friction:
  default: fit
  sets: {fit: {measured_to_rad_s: 1.0, axes: {axis_1: {Fc_N_m: 20.0, source: cert}}}}
inertials:
  default: weighed
  sets: {weighed: {about: one link weighed, links: {link_6: {mass_kg: 0.9, source: cert}}}}
drives: {axes: {axis_1: {gear_ratio: 100.5, rotor_inertia_kg_m2: 1.0e-03, source: cert}}}
"""

FORKED = """
import irbmodels as irb, os, sys
irb.load("irb2400", overlays=[sys.argv[1]])
if os.fork() == 0:
    sys.exit()
os.wait()
robot = irb.load("irb2400", overlays=[sys.argv[1]])
robot.pose([0] * 6, "link_rod")
print(robot.description.folder)
"""


@pytest.fixture
def overlay(tmp_path):
    def write(text=SPECIMEN, name="specimen.yaml"):
        path = tmp_path / name
        path.write_text(text)
        return path

    return write


def test_named_numbers_change_and_the_rest_stays_with_its_source(overlay):
    """A of joint 2 comes from the certificate, d from the paper, and info can tell."""
    robot = irb.load("irb2400", overlays=[overlay()])
    row = robot.description.kinematics.joints["joint_2"]
    assert (row.a_mm, row.d_mm, row.theta0_deg) == (100.31, 0.0, -90.0)
    assert row.source_of("a_mm") == "specimen.cert"
    assert row.source_of("theta0_deg") == "obal2025"
    assert robot.description.kinematics.sources["specimen.cert"].grade == "measured"
    assert robot.limits.upper[0] == pytest.approx(np.pi / 2)
    assert robot.limits.velocity[0] == pytest.approx(np.radians(150))
    np.testing.assert_allclose(robot.friction_model.Fc, [20.0, 31.2, 16.9, 7.9, 13.7, 8.8])
    # that of the axes which the overlay does not name
    assert robot.friction_model.measured_to == 0.5
    assert robot.parameters == "weighed"
    assert robot.motors.known.tolist() == [True, False, False, False, False, False]
    assert "specimen" in repr(robot)


CROOKED = """
schema: 1
robot: irb1600_6_120
about: one number of a calibration
sources: {{cert: {{ref: certificate, grade: measured}}}}
kinematics: {{joints: {{joint_{}: {{{}, source: cert}}}}}}
"""


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize(
    ("joint", "number", "spherical"),
    [
        (2, "alpha_deg: -90.021", False),
        (3, "alpha_deg: 0.02", False),
        (5, "a_mm: 0.2", False),
        (4, "alpha_deg: -90.02", True),
        (2, "a_mm: 150.3", True),
        (6, "d_mm: 65.2", True),
        (3, "theta0_deg: -89.98", True),
    ],
)
def test_what_a_calibrated_specimen_answers(overlay, joint, number, spherical):
    """Twists and gaps of its axes leave out what only a regular arm has; all else answers for the
    specimen, and its postures are at the pose that was asked for.
    """
    robot = irb.load("irb1600", overlays=[overlay(CROOKED.format(joint, number))])
    if spherical:
        assert len(robot.singular_postures())
        return
    q, rest = np.full(6, 0.2), np.zeros(6)
    program = rapid.sequence_of(rapid.read(f"MODULE M\nPROC main()\n{MOVES}\nENDPROC\nENDMODULE\n"))
    for refused in (
        robot.singular_postures,
        lambda: robot.cross_wrist(robot.pose(q).homogeneous[None], q),
        lambda: feasible_angles(robot, robot.pose(q)),
    ):
        with pytest.raises(irb.MissingData, match="is not spherical"):
            refused()
    solutions = robot.inverse_kinematics(robot.pose(q), near=q)
    np.testing.assert_allclose(solutions[0].q, q, atol=1e-11)
    for one in solutions:
        np.testing.assert_allclose(robot.pose(one.q).homogeneous, robot.pose(q), atol=1e-13)
    assert robot.configuration(q)[:3] == (0, 0, 0)
    np.testing.assert_allclose(
        robot.singularities(q).determinant, np.linalg.det(robot.jacobian(q)), atol=1e-12
    )
    nominal = irb.load("irb1600")
    # both arms agree at home, so half a turn on they are twice the twist apart, 1.3 m away
    assert 1e-5 < robot.workspace().uncertainty < 2.6 * np.radians(0.021)
    assert nominal.workspace().uncertainty == 0.0
    assert robot.tcp_extremes().reach == pytest.approx(nominal.tcp_extremes().reach, abs=5e-4)
    assert len(programmed_motion(robot, program).motion.t)
    assert np.isfinite(robot.inverse_velocity(q, rest)).all()
    assert np.isfinite(robot.measures(q).manipulability)
    assert np.isfinite(robot.inverse_dynamics(q, rest, rest, friction=False)).all()
    assert check_path(robot, programmed_motion(robot, program[:1])).kept is not None


MOVES = """MoveAbsJ [[10,20,10,5,30,5],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;
MoveL [[600,100,900],[0.5,0,0.866025,0],[0,0,0,0],[9E9,9E9,9E9,9E9,9E9,9E9]],v100,fine,tool0;"""


def test_a_calibrated_twist_is_exact(overlay):
    """Angles that are no multiples of 90 deg reach the tree through roll, pitch and yaw without
    losing a digit.
    """
    robot, rng = irb.load("irb2400", overlays=[overlay()]), np.random.default_rng(0)
    rows = [list(row) for row in oracles.rows("irb2400_16")]
    rows[1][:2] = np.radians(-90.021), 0.10031
    rows[3][0], rows[3][2], rows[3][3] = np.radians(-89.987), 0.7548, np.radians(0.013)
    for q in rng.uniform(-np.pi, np.pi, (20, 6)):
        variables = q - np.array([0, 0, q[1], 0, 0, 0])
        pose = np.eye(4)
        for (alpha, a, d, theta0, _), variable in zip(rows, variables, strict=True):
            pose = pose @ oracles.mdh(alpha, a, d, theta0 + variable)
        np.testing.assert_allclose(
            robot.pose(q).homogeneous, pose @ oracles.shift(0, 0, 0.0851), atol=1e-14
        )


def test_dynamics_follow_the_weighed_link(overlay):
    """100 g more on link 6 is felt as 100 g at its centre of mass."""
    text = SPECIMEN[: SPECIMEN.index("kinematics:")] + SPECIMEN[SPECIMEN.index("inertials:") :]
    robot, plain, q = (
        irb.load("irb2400", overlays=[overlay(text)]),
        irb.load("irb2400"),
        np.full(6, 0.3),
    )
    weight = np.r_[0.0, 0.0, 0.1 * 9.81, 0.0, 0.0, 0.0]
    added = plain.jacobian(q, "link_6", point=[0.000208, 0.000035, 0.07227]).T @ weight
    np.testing.assert_allclose(robot.gravity(q) - plain.gravity(q), added, atol=1e-9)


def test_the_last_overlay_is_on_top(overlay):
    """Two overlays stack; the upper one wins where both speak, and both keep their sources."""
    upper = overlay(
        "robot: irb2400\nabout: x\nsources: {me: {ref: tape, grade: measured}}\n"
        "kinematics: {joints: {joint_2: {a_mm: 99, source: me}}}",
        "tape.yaml",
    )
    robot = irb.load("irb2400", overlays=[overlay(), upper])
    row = robot.description.kinematics.joints["joint_2"]
    assert (row.a_mm, row.alpha_deg) == (99.0, -90.021)
    assert (row.source_of("a_mm"), row.source_of("alpha_deg")) == ("tape.me", "specimen.cert")
    assert (
        irb.load("irb2400", overlays=[upper, overlay()])
        .description.kinematics.joints["joint_2"]
        .a_mm
        == 100.31
    )


def test_the_shipped_robot_is_untouched(overlay):
    """Loading with an overlay changes no later load without one."""
    irb.load("irb2400", overlays=[overlay()])
    assert irb.load("irb2400").description.kinematics.joints["joint_2"].a_mm == 100.0


@pytest.mark.parametrize(
    ("old", "new", "words"),
    [
        (
            "a_mm: 100.31, source: cert",
            "a_mm: 100.31",
            "kinematics.joints.joint_2: the row names no source",
        ),
        (
            "source: cert}\n    joint_4",
            "source: crt}\n    joint_4",
            "no source 'specimen.crt'; did you mean 'specimen.cert'",
        ),
        ("a_mm: 100.31", "a_m: 0.1", "no key 'a_m'; did you mean 'a_mm'"),
        ("  joints:", "  jonts:", "kinematics.jonts: no key 'jonts'; did you mean 'joints'"),
        ("kinematics:", "kinematic:", "no key 'kinematic'; did you mean 'kinematics'"),
        (
            "mass_kg: 0.9",
            "mass_kg: -0.9",
            "sets.weighed.links.link_6: mass -0.9 kg is not positive",
        ),
        ("Fc_N_m: 20.0", "Fc_N_m: 90.0", "needs Fs >= Fc >= 0"),
        ("joint_2:", "joint_7:", "joint_7"),
    ],
)
def test_a_wrong_overlay_is_refused(overlay, old, new, words):
    """Keys, sources and impossible numbers are named as in any table."""
    assert old in SPECIMEN
    with pytest.raises(irb.TableError) as caught:
        irb.load("irb2400", overlays=[overlay(SPECIMEN.replace(old, new, 1))])
    assert words in str(caught.value)
    assert "\n" not in str(caught.value)


def test_a_missing_overlay_is_named(tmp_path):
    """A file that is not there."""
    with pytest.raises(irb.FileError, match=r"nothing\.yaml"):
        irb.load("irb2400", overlays=[tmp_path / "nothing.yaml"])


@pytest.mark.parametrize("like", ["irb2400", "irb1400", "irb1600_6_145", "irb930_12_085"])
def test_a_new_robot_starts_as_its_model_with_nothing_claimed(tmp_path, like):
    """Same motion, every number assumed, no friction or drives taken over."""
    folder = irb.new_robot("mine", like, tmp_path / "mine")
    assert all("\nschema: 1\n" in path.read_text() for path in folder.glob("*.yaml"))
    robot, model = irb.load(folder), irb.load(like)
    q, v, a = oracles.states(model.name, 1)[0]
    np.testing.assert_allclose(robot.pose(q).homogeneous, model.pose(q).homogeneous, atol=1e-15)
    tau = model.inverse_dynamics(q, v, a, friction=False)
    np.testing.assert_allclose(
        robot.inverse_dynamics(q, v, a, friction=False), tau, rtol=1e-12, atol=1e-12
    )
    assert robot.name == "mine"
    assert robot.friction_model is None
    assert not robot.motors.known.any()
    for table in (
        robot.description.kinematics,
        robot.description.limits,
        robot.description.inertials,
    ):
        assert {source.grade for source in table.sources.values()} == {"assumed"}
    assert robot.limits.range_assumed.all()


def test_new_refuses_to_overwrite(tmp_path):
    """A folder that holds anything is left alone; a name must be one."""
    (tmp_path / "there").mkdir()
    (tmp_path / "there" / "x").write_text("mine")
    with pytest.raises(irb.InputError, match="not an empty folder"):
        irb.new_robot("a", "irb1600", tmp_path / "there")
    with pytest.raises(irb.InputError, match="is no name"):
        irb.new_robot("a b", "irb1600", tmp_path / "new")
    with pytest.raises(irb.UnknownName, match="did you mean 'irb1600'"):
        irb.new_robot("a", "irb160", tmp_path / "new")
    assert [path.name for path in tmp_path.iterdir()] == ["there"]


def test_an_offset_of_axis_3_turns_upper_arm_and_crank(overlay):
    """A calibrated theta0 keeps the loop closed: the rod still ends on the lever, and both trees
    give the same answers.
    """
    text = (
        "robot: irb2400\nabout: x\nsources: {cert: {ref: c, grade: measured}}\n"
        "kinematics: {joints: {joint_3: {theta0_deg: 0.7, source: cert}}}"
    )
    path = overlay(text)
    robot, bars = (
        irb.load("irb2400", overlays=[path]),
        irb.load("irb2400", overlays=[path], coupling="parallelogram"),
    )
    for q, v, a in oracles.states("irb2400_16", 5):
        arm, rod, crank, lower = (
            robot.pose(q, name) for name in ("link_3", "link_rod", "link_crank", "link_2")
        )
        pin_on_arm = arm.act(np.array([0.0, -0.180, 0.0]))
        np.testing.assert_allclose(rod.act(np.array([0.705, 0.0, 0.0])), pin_on_arm, atol=1e-14)
        np.testing.assert_allclose(
            crank.act(np.array([0.0, -0.180, 0.0])), rod.translation, atol=1e-14
        )
        np.testing.assert_allclose(rod.rotation, lower.rotation, atol=1e-14)
        turned = oracles.rotation(2, np.radians(0.7))[:3, :3]
        np.testing.assert_allclose(
            arm.rotation, irb.load("irb2400").pose(q, "link_3").rotation @ turned, atol=1e-14
        )
        wanted = robot.inverse_dynamics(q, v, a)
        np.testing.assert_allclose(
            bars.inverse_dynamics(q, v, a), wanted, rtol=0, atol=1e-12 * np.abs(wanted).max()
        )
        one, other = robot.reactions(q, v, a), bars.reactions(q, v, a)
        assert one.bars.rod == pytest.approx(other.bars.rod, rel=1e-10)


WEIGHED = """
robot: irb1400
about: a wrist weighed
sources: {scale: {ref: scale of the lab, grade: measured}}
inertials: {default: mine, sets: {mine: {about: wrist weighed, links: {link_6: {mass_kg: 0.6, source: scale}}}}}
"""


def test_what_stands_for_a_set_stands_for_no_other(overlay, tmp_path):
    """Bodies changed, the open chain's set is not theirs: an open chain is refused in one line, of
    a new robot's copy too.
    """
    path = overlay(WEIGHED)
    changed = irb.load("irb1400", overlays=[path])
    copied = irb.load(irb.new_robot("copy", "irb1400", tmp_path / "copy"))
    for robot in (changed, copied):
        assert robot.coupling[0].shape == (10, 6)
        with pytest.raises(irb.InputError) as caught:
            robot.description.urdf("serial")
        line = (
            f"set {robot.parameters!r} of {robot.name} has bars with mass; they exist only on the"
            " parallelogram tree"
        )
        assert str(caught.value) == line
    with pytest.raises(
        irb.InputError,
        match=r"^set 'mine' of irb1400 has bars with mass; .* on the parallelogram tree$",
    ):
        irb.load("irb1400", overlays=[path], coupling="serial")
    assert changed.description.inertials.sets["cad"].serial == "cad_lumped"


def test_an_overlay_may_name_what_stands_for_its_set(overlay):
    """An overlay that brings a set for the open chain too says so, and the serial URDF has its
    masses.
    """
    text = WEIGHED.replace("wrist weighed, links", "wrist weighed, serial: open, links")
    text = text.replace(
        "}}}}}",
        "}}}, open: {about: wrist weighed, links: {link_crank: {mass_kg: 0.6, source: scale}}}}}",
    )
    with pytest.raises(irb.TableError, match=r"sets\.mine\.serial: no set without bars 'open'"):
        irb.load("irb1400", overlays=[overlay(text)])
    robot = irb.load(
        "irb1400", overlays=[overlay(text.replace("serial: open", "serial: cad_lumped"))]
    )
    assert robot.description.urdf("serial") == robot.description.urdf("serial", "cad_lumped")


def test_two_overlays_of_one_name_keep_their_sources(tmp_path):
    """Each number says which of the two files it is from."""
    for folder, grade, axis in (("a", "measured", 1), ("b", "assumed", 2)):
        (tmp_path / folder).mkdir()
        row = f"axis_{axis}: {{speed_deg_s: 70, source: s}}"
        text = (
            f"robot: irb2400\nabout: x\nsources: {{s: {{ref: lab {folder}, grade:"
            f" {grade}}}}}\nlimits: {{axes: {{{row}}}}}"
        )
        (tmp_path / folder / "calib.yaml").write_text(text)
    robot = irb.load(
        "irb2400", overlays=[tmp_path / "a" / "calib.yaml", tmp_path / "b" / "calib.yaml"]
    )
    assert robot.limits.velocity_assumed[:3].tolist() == [False, True, False]


def test_a_forked_child_leaves_the_tables(overlay):
    """Merged tables belong to the process that made them; lost ones are made again."""
    path = overlay()
    robot = irb.load("irb2400", overlays=[path])
    done = subprocess.run(
        [sys.executable, "-c", FORKED, str(path)], capture_output=True, text=True, check=True
    )
    assert not Path(done.stdout.strip()).exists()  # gone with its process
    shutil.rmtree(robot.description.folder)
    assert irb.load("irb2400", overlays=[path]).pose([0] * 6, "link_rod")


@pytest.mark.parametrize(
    ("axis", "problem"),
    [
        ("axis_4", "needs gear_ratio"),
        ("axis_5", "no axis 'axis_5'"),
        ("axis_9", "no axis 'axis_9'"),
    ],
)
def test_what_an_overlay_breaks_is_said_of_the_overlay(overlay, axis, problem):
    """The merged file is nobody's; a gear that others turn needs a ratio of its own, and others."""
    text = SPECIMEN.replace(
        "drives: {axes: {axis_1: {gear_ratio: 100.5, rotor_inertia_kg_m2: 1.0e-03,",
        f"drives: {{axes: {{axis_5: {{turned_by: {{{axis}: 0.1}},",
    )
    with pytest.raises(
        irb.TableError, match=rf"specimen\.yaml: drives\.axes\.axis_5\.turned_by: {problem}"
    ):
        irb.load("irb2400", overlays=[overlay(text)])


ROTORS = """
robot: [irb1600, irb930]
about: bodies that were identified with the rotors of two axes
sources: {fit: {ref: a log, grade: identified}}
inertials:
  default: together
  sets:
    together:
      {about: bodies and rotors, links: {}, rotors: {axis_1: {inertia_kg_m2: 2.5, source: fit}, AXIS: {KEY: 0.75, source: fit}}}
"""


@pytest.mark.parametrize(
    ("name", "axis", "key"),
    [("irb1600", "axis_4", "inertia_kg_m2"), ("irb930", "axis_3", "inertia_kg")],
)
def test_a_set_brings_the_rotors_that_it_was_identified_with(overlay, name, axis, key):
    """Rotors of a set add to the mass matrix of whoever loads it, arm side, and go with it when
    another set is taken.
    """
    path = overlay(ROTORS.replace("AXIS", axis).replace("KEY", key))
    robot, bare = irb.load(name, parameters=path), irb.load(name)
    number, q = int(axis[-1]) - 1, np.full(bare.n, -0.1)
    added = np.zeros((bare.n, bare.n))
    added[0, 0], added[number, number] = 2.5, 0.75
    np.testing.assert_allclose(robot.mass_matrix(q) - bare.mass_matrix(q), added, atol=1e-12)
    sets = robot.description.inertials
    row = sets.sets["together"].rotors[axis]
    assert sets.sources[row.source_of(key)].grade == "identified"
    np.testing.assert_array_equal(robot.with_parameters(bare.parameters).rotors, np.zeros(bare.n))
    np.testing.assert_array_equal(bare.with_parameters(path).rotors, np.diag(added))
    own = bare.with_rotors(np.ones(bare.n))
    # they belong to no set
    np.testing.assert_array_equal(own.with_parameters(bare.parameters).rotors, np.ones(bare.n))
    np.testing.assert_array_equal(
        robot.with_tool(None).with_payload(irb.payload(1.0)).rotors, robot.rotors
    )


@pytest.mark.parametrize(
    ("axis", "row", "words"),
    [
        ("axis_7", "{inertia_kg_m2: 1, source: fit}", r"together.rotors.axis_7: .*axis_1"),
        (
            "axis_4",
            "{inertia_kg: 1, source: fit}",
            r"together.rotors.axis_4: needs inertia_kg_m2, 0 or more, and nothing else",
        ),
        (
            "axis_4",
            "{inertia_kg_m2: -1, source: fit}",
            r"together.rotors.axis_4: needs inertia_kg_m2, 0 or more",
        ),
        ("axis_4", "{inertia_kg_m2: 1}", r"together.rotors.axis_4: the row names no source"),
        ("axis_4", "{inertia_kg_m2: 1, source: nobody}", "nobody"),
    ],
)
def test_wrong_rotors_of_a_set_are_refused(overlay, axis, row, words):
    """An axis that is not there, another unit, a negative number, and a number without a source end
    with file and key.
    """
    path = overlay(ROTORS.replace("AXIS: {KEY: 0.75, source: fit}", f"{axis}: {row}"))
    with pytest.raises(irb.TableError, match=words):
        irb.load("irb1600", parameters=path)


@pytest.mark.parametrize(
    ("head", "words"),
    [
        (
            "robot: irb1600",
            (
                r"robot: the numbers are those of irb1600, not of irb2400_16; .* write robot:"
                r" \[irb1600, irb2400_16\]"
            ),
        ),
        (
            "robot: [irb2400_10, irb1400]",
            "robot: the numbers are those of irb2400_10, irb1400, not of irb2400_16",
        ),
        ("robot: []", "robot: the numbers are those of no robot"),
        ("robot: 3", "robot: 3 should be a text"),
        (
            "schema: 2\nrobot: irb2400\nnovel: {}",
            "was written for schema 2; this irbmodels reads 1: update irbmodels",
        ),
        ("schema: yes\nrobot: irb2400", "schema: True is not the number 1"),
        ("robot: irb2400\ntool: [spindle]", r"tool: \['spindle'\] should be a text"),
    ],
)
def test_numbers_of_another_robot_are_refused(overlay, head, words):
    """Names and schema are checked first, for overlays and for sets; one short line."""
    path = overlay(f"{head}\n{WEIGHED[WEIGHED.index('about') :]}")
    for keys in ({"overlays": [path]}, {"parameters": path}):
        with pytest.raises(irb.TableError, match=words) as caught:
            irb.load("irb2400", **keys)
        assert len(str(caught.value).replace(str(path.parent), "")) < 250
    with pytest.raises(irb.TableError, match=words):
        irb.load("irb2400").with_parameters(path)


@pytest.mark.parametrize("names", ["irb2400", "irb2400_16", "[irb1600_6_120, irb2400]"])
def test_a_robot_is_named_by_variant_alias_or_in_a_list(overlay, names):
    """What load takes for the robot is taken in its files."""
    assert (
        irb.load("irb2400", overlays=[overlay(SPECIMEN.replace("irb2400_16", names))]).parameters
        == "weighed"
    )


def test_an_overlay_without_a_robot_warns(overlay, capsys, monkeypatch):
    """It is taken, with the line to add; on the command line too."""
    path = overlay(SPECIMEN.replace("robot: irb2400_16\n", ""))
    with pytest.warns(
        irb.PhysicsWarning,
        match="specimen.yaml does not say whose .* add the line: robot: irb2400_16$",
    ) as warned:
        irb.load("irb2400", overlays=[path])
    assert warned[0].filename == __file__
    unnamed = overlay(WEIGHED.replace("robot: irb1400\n", ""), "set.yaml")
    with pytest.warns(irb.PhysicsWarning, match="add the line: robot: irb2400_16$"):
        irb.load("irb2400").with_parameters(unnamed)
    monkeypatch.setattr(warnings, "showwarning", warnings.showwarning)
    for words in (("info", "irb2400"), ("pose", "irb2400"), ("friction", "irb2400")):
        with warnings.catch_warnings():
            warnings.simplefilter("default")
            assert main([*words, "--overlay", str(path)]) == 0
        assert capsys.readouterr().err.count("add the line: robot: irb2400_16\n") == 1
        assert main([words[0], "irb2400_10", "--overlay", str(overlay(name="other.yaml"))]) == 2
        out, err = capsys.readouterr()
        assert out == ""
        assert re.search(
            r"^error: .*robot: the numbers are those of irb2400_16, not of irb2400_10", err
        )


@pytest.mark.parametrize(("tool", "here"), [("null", None), ("spindle", "spindle")])
def test_another_tool_than_that_of_the_file_warns(overlay, tool, here):
    """Named or null: only that one is mounted without a warning; a file that says nothing takes
    any.
    """
    path, other = (
        overlay(SPECIMEN.replace("schema: 1", f"tool: {tool}")),
        {None: "spindle", "spindle": None}[here],
    )
    robot = irb.load("irb2400", tool=here, overlays=[path])
    with pytest.warns(
        irb.PhysicsWarning, match="was identified with (no )?tool.*, and irb2400_16 has "
    ):
        changed = robot.with_tool(other)
    changed.with_tool(here).with_payload(irb.payload(1.0))
    irb.load("irb2400", overlays=[overlay()]).with_tool("spindle").with_tool(None)


def test_a_copy_of_a_robot_is_another_robot(overlay, tmp_path):
    """A folder with a name of its own refuses the shipped robot's numbers, unless the file names
    both.
    """
    own = irb.new_robot("own", "irb2400", tmp_path / "own")
    with pytest.raises(irb.TableError, match="those of irb2400_16, not of own"):
        irb.load(own, overlays=[overlay()])
    assert (
        irb.load(
            own, overlays=[overlay(WEIGHED.replace("irb1400", "[irb2400_16, own]"))]
        ).parameters
        == "mine"
    )
