"""Masses of the links of drawn arms: their split, what it is held against, and what it may be."""

import re

import numpy as np
import pytest
import yaml
from sheets import ARMS, described

import irbmodels as irb
from irbmodels.cad import mass_split, split_errors, split_table
from irbmodels.cad.builds import bodies, weighed
from irbmodels.cad.builds import mass_split as split_of
from irbmodels.cad.family import write_family
from irbmodels.cad.link_frames import link_frames
from irbmodels.cad.output import differing
from irbmodels.cad.reference_arms import LINKS, reference_arms
from irbmodels.exchange.doctor import examine
from irbmodels.model.hulls import hull_of
from irbmodels.tables.datasheet import read_datasheet
from irbmodels.tables.datasheet_tables import tables_of_datasheet

WEIGHED = [name for name, numbers in ARMS.items() if numbers[-1] is not None]
LARGE = ("irb2600_20_165", "irb6620_150_220", "irb1600_6_120")
SMALL = ("irb120_3_58", "irb1200_5_90")


def poses(joints, q):
    """Poses of the links' frames at joint angles, each turned about its z."""
    result, pose = [], np.eye(4)
    for joint, angle in zip(joints, q, strict=True):
        turn = np.eye(4)
        turn[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        pose = pose @ joint @ turn
        result.append(pose)
    return result


def by_levers(joints, links, q):
    """Gravity torque and inertia of each axis: every body beyond it at its lever arm."""
    at = poses(joints, q)
    torque, inertia = np.zeros(6), np.zeros(6)
    for axis in range(6):
        z, p = at[axis][:3, 2], at[axis][:3, 3]
        for link in range(axis, 6):
            body, R = links[LINKS[link]], at[link][:3, :3]
            lever = R @ body.com + at[link][:3, 3] - p
            swept = np.cross(z, lever)
            torque[axis] += 9.81 * body.mass * swept[2]
            inertia[axis] += body.mass * swept @ swept + z @ R @ body.tensor @ R.T @ z
    return torque, inertia


@pytest.mark.parametrize("name", ["irb120_3_58", "irb6620_150_220"])
def test_torques_and_inertias_of_references_are_sums_over_lever_arms(name):
    """Both engines see the published links, at random postures."""
    arm, q = reference_arms()[name], np.random.default_rng(1).uniform(-3.0, 3.0, (5, 6))
    torques, inertias = split_errors.gravity_and_inertia(arm.joints(), arm.bodies, q)
    for one, torque, inertia in zip(q, torques, inertias, strict=True):
        for actual, expected in zip(
            (torque, inertia), by_levers(arm.joints(), arm.bodies, one), strict=True
        ):
            np.testing.assert_allclose(actual, expected, atol=1e-9 * np.abs(expected).max())


def test_references_have_the_frames_of_the_tables(tmp_path):
    """Of a shipped arm, and of the IRB 120 made from a data sheet."""
    for name, robot in (
        ("irb1600_6_120", irb.describe("irb1600_6_120")),
        ("irb120_3_58", described("small", tmp_path)),
    ):
        joints, home = reference_arms()[name].joints(), link_frames(robot)
        for link, pose in zip(LINKS, poses(joints, np.zeros(6)), strict=True):
            np.testing.assert_allclose(pose, home[link], atol=1e-12)


def test_centres_of_references_lie_in_their_drawings():
    """A sign or a frame that is wrong in the table takes a centre out of its link; of link 6 the
    CAD of the IRB 1600 has more than the flange.
    """
    for arm in reference_arms().values():
        at = dict(zip(LINKS, poses(arm.joints(), np.zeros(6)), strict=True))
        for link, body in arm.bodies.items():
            hull = hull_of(points(arm.drawn()[link]))
            centre = at[link][:3, :3] @ body.com + at[link][:3, 3]
            assert link == "link_6" or hull.outside(centre) < 0.06 * hull.size, link
            assert not body.impossibilities()


@pytest.mark.parametrize(
    ("arm", "share"),
    [
        ("small", (7.632 / 25 + 16.2 / 54) / 2),
        ("large", (14 / 98 + 57.2 / 435) / 2),
        ("heavy", 238.53 / 1265),
    ],
)
def test_the_base_weighs_what_controllers_say(arm, share, tmp_path):
    """The mean share of the arms of its class; the rest is on the moving links."""
    robot = described(arm, tmp_path)
    links = weighed(robot, split_of(robot)).bodies
    assert links["base_link"].mass == pytest.approx(share * ARMS[arm][-1], rel=1e-5)
    assert sum(body.mass for body in links.values()) == pytest.approx(ARMS[arm][-1], rel=1e-5)


def test_corrections_move_mass_as_cads_have_it(tmp_path):
    """Of a large arm: less in the column, more in lower arm and forearm; shapes stay the drawing's.

    Ratios of the table's masses to drawings whose castings this test closes by a straight line.
    """
    medium, heavy = (14 / 98 + 57.2 / 435) / 2, 238.53 / 1265
    ratios = []
    for name, share in zip(LARGE, (medium, heavy, medium), strict=True):
        arm = reference_arms()[name]
        drawn = [arm.drawn()[link] for link in LINKS]
        light, whole = (
            np.array([body.weighed(castings).mass for body in drawn]) for castings in (0.5, 1.0)
        )
        rest = (1.0 - share) * arm.mass
        part = (rest - light.sum()) / (whole.sum() - light.sum())
        ours = light + part * (whole - light)
        known = np.array([arm.masses[link] for link in LINKS])
        ratios.append(np.log(known / known.sum() * rest / ours))
    expected = np.exp(np.sum(ratios, axis=0) / 4.0)
    robot = described("large", tmp_path)
    plain = weighed(robot, split_of(robot)._replace(corrections={})).bodies
    links = weighed(robot, split_of(robot)).bodies
    actual = np.array([links[link].mass / plain[link].mass for link in LINKS])
    # masses are rounded to 0.1 g
    np.testing.assert_allclose(actual / actual[0], expected / expected[0], rtol=2e-4)
    assert actual[0] < 0.9
    assert min(actual[1], actual[3]) > 1.15
    for link in LINKS:
        np.testing.assert_allclose(links[link].com, plain[link].com, atol=2e-6)
        per_kg = [one[link].tensor / one[link].mass for one in (links, plain)]
        np.testing.assert_allclose(*per_kg, atol=1e-4 * np.abs(per_kg[0]).max())
    assert not split_of(described("small", tmp_path)).corrections


def rms(names):
    """Errors of gravity at axes 2 and 3 and inertia of axes 1 to 3; of inertia of axes 4 and 5."""
    split_errors.split_errors.cache_clear()
    errors = [split_errors.split_errors(name) for name in names]
    split_errors.split_errors.cache_clear()
    main = [np.hstack([one.gravity[1:3], one.inertia[:3]]) for one in errors]
    wrist = [one.inertia[3:5] for one in errors]
    return [round(100.0 * float(np.sqrt(np.mean(np.square(group))))) for group in (main, wrist)]


def test_the_split_is_better_than_the_drawing_where_an_arm_is_left_out(monkeypatch):
    """Numbers of the module's text: large arms are corrected, small ones are not."""
    assert rms(LARGE) == [18, 78]
    small = rms(SMALL)
    monkeypatch.setattr(mass_split, "link_corrections", lambda size, without="": {})
    assert rms(LARGE) == [19, 104]
    assert rms(SMALL) == small

    def by_the_other(size, without=""):
        (other,) = set(SMALL) - {without}
        ratio = mass_split._known_over_drawn(other)
        return dict(zip(LINKS, np.sqrt(ratio), strict=True))

    monkeypatch.setattr(mass_split, "link_corrections", by_the_other)
    assert (small[0], rms(SMALL)[0]) == (17, 24)


@pytest.mark.parametrize("name", reference_arms())
def test_an_arm_that_is_left_out_says_nothing_of_itself(name, monkeypatch):
    """Its estimated bodies are the same when its table is another."""
    arm = reference_arms()[name]
    ours, known = split_errors.bodies_of(arm, name)
    table = mass_split.reference_table()
    other = dict(table.arms)
    if arm.base is not None:
        row = other[name].base
        base = type(row)(mass_kg=2.0 * row.mass_kg, source=row.source)
        other[name] = type(other[name])(other[name].ratings, base)
    monkeypatch.setattr(mass_split, "reference_table", lambda: type(table)(table.sources, other))
    changed = {
        link: mass * (1.0 + number) for number, (link, mass) in enumerate(arm.masses.items())
    }
    arms = reference_arms() | {name: arm._replace(masses=changed)}
    monkeypatch.setattr(mass_split, "reference_arms", lambda: arms)
    mass_split._known_over_drawn.cache_clear()
    again, moved = split_errors.bodies_of(arms[name], name)
    mass_split._known_over_drawn.cache_clear()
    assert [again[link].mass for link in LINKS] == [ours[link].mass for link in LINKS]
    assert moved["link_5"].mass > known["link_5"].mass


def test_no_error_where_the_drawing_is_right():
    """An arm that is what is drawn of it has no error; with one link twice as heavy it has."""
    arm = reference_arms()["irb1200_5_90"]
    ours, known = split_errors.bodies_of(arm, "irb1200_5_90")
    assert sum(body.mass for body in known.values()) == pytest.approx(54.0 - 16.2)
    assert sum(body.mass for body in ours.values()) == pytest.approx(54.0 * (1 - 7.632 / 25))
    ratio = {link: known[link].mass / mass for link, mass in arm.masses.items()}
    assert max(ratio.values()) == pytest.approx(min(ratio.values()))


def test_a_set_states_its_expected_error(tmp_path):
    """The largest of the class's arms, by sums over lever arms at postures of the test's own."""
    robot = described("heavy", tmp_path)
    write_family(robot, steps=["inertials"])
    entry = irb.describe(robot.folder).inertials.sets["cad"]
    gravity, inertia = re.findall(r": ([\d, ]+)", entry.about)
    stated = [*map(int, gravity.split(",")), *map(int, inertia.strip(", ").split(","))]
    arm = reference_arms()["irb6620_150_220"]
    ours, known = split_errors.bodies_of(arm, "irb6620_150_220")
    low, high = np.radians(split_errors.RANGES).T
    q = np.random.default_rng(9).uniform(low, high, (400, 6))
    one, other = (
        np.array([by_levers(arm.joints(), links, posture) for posture in q]).swapaxes(0, 1)
        for links in (ours, known)
    )
    size = np.sqrt(np.mean(other**2, axis=1))
    error = np.sqrt(np.mean((one - other) ** 2, axis=1)) / np.where(size > 1e-6, size, np.inf)
    expected = 100.0 * np.hstack([error[0][[1, 2, 4]], error[1][:5]])
    np.testing.assert_allclose(stated, expected, atol=1.0, rtol=0.08)


def test_the_committed_table_is_what_is_derived():
    """From the reference arms as they are drawn now."""
    assert differing(split_table.split_files(), split_table.TABLE.parent) == ()


def test_no_reference_is_drawn_for_a_family(tmp_path, monkeypatch):
    """The split of an arm and its errors are read."""
    monkeypatch.setattr(mass_split, "reference_arms", None)
    monkeypatch.setattr(split_errors, "reference_arms", None)
    robot = described("large", tmp_path)
    write_family(robot, steps=["inertials"])
    about = irb.describe(robot.folder).inertials.sets["cad"].about
    assert "expected error in % of gravity torques of axes 2, 3 and 5: 19, 34, 401;" in about


def test_a_class_is_as_wrong_as_its_worst_arm():
    """Axis by axis: of medium arms, at axis 2 the IRB 2600 and at axis 3 the IRB 1600."""
    stated = split_errors.class_errors("medium")
    one, other = map(split_errors.split_errors, ("irb2600_20_165", "irb1600_6_120"))
    assert stated.gravity[1] == one.gravity[1] > other.gravity[1]
    assert stated.gravity[2] == other.gravity[2] > one.gravity[2]


def test_drawings_of_parallelograms_are_as_wrong_as_the_worse_of_two():
    """From energies: of gravity a difference of heights, of inertias one axis in motion."""
    about = irb.describe("irb1400").inertials.sets["cad"].about
    stated = [int(value) for part in re.findall(r": ([\d, ]+)", about) for value in part.split(",")]
    gravity, inertia = [], []
    for name, known in (("irb2400_10", "obal2025"), ("irb4400_60_196", "hiqp")):
        drawn, robot = irb.load(name, parameters="cad"), irb.load(name, parameters=known)
        rng = np.random.default_rng(5)
        q = rng.uniform(robot.limits.lower, robot.limits.upper, (400, 6))
        q[:, 2] += q[:, 1]  # the range of axis 3 is one of q3 - q2
        errors = []
        for energy in (torque_of_heights, inertia_of_motion):
            one, other = (energy(which, q) for which in (drawn, robot))
            size = np.sqrt(np.mean(other**2, axis=0))
            errors.append(np.sqrt(np.mean((one - other) ** 2, axis=0)) / np.fmax(size, 1e-6))
        gravity.append(errors[0])
        inertia.append(errors[1])
    found = np.hstack([np.max(gravity, axis=0)[[1, 2, 4]], np.max(inertia, axis=0)[:5]])
    np.testing.assert_allclose(stated, 100.0 * found, atol=1.5, rtol=0.1)


def torque_of_heights(robot, q):
    """Derivatives of the potential energy [N m]."""
    step = 1e-5
    moves = step * np.eye(robot.n)
    rest = np.zeros(robot.n)
    return np.array(
        [
            [
                (
                    robot.energy(one + move, rest).potential
                    - robot.energy(one - move, rest).potential
                )
                / (2.0 * step)
                for move in moves
            ]
            for one in q
        ]
    )


def inertia_of_motion(robot, q):
    """Twice the kinetic energy of each axis at 1 rad/s [kg m^2]."""
    return np.array([[2.0 * robot.energy(one, v).kinetic for v in np.eye(robot.n)] for one in q])


def points(body):
    """Corners of what is seen of a link [m]."""
    solids = [part.solid for part in body.parts if part.colour is not None]
    return np.concatenate([one.to_mesh().vert_properties[:, :3] for one in solids]) / 1000.0


@pytest.mark.parametrize("arm", WEIGHED)
def test_every_link_is_a_body_of_a_machine(arm, tmp_path):
    """Centre of mass inside of the hull by 3 % of its diagonal, and a mean density in the hull
    between that of a hollow casting and steel.
    """
    robot = described(arm, tmp_path)
    links, home = weighed(robot, split_of(robot)).bodies, link_frames(robot)
    for link, body in bodies(robot).items():
        hull, pose = hull_of(points(body)), home[link]
        centre = pose[:3, :3] @ links[link].com + pose[:3, 3]
        assert (hull.normals @ centre + hull.offsets).max() < -0.03 * hull.size, link
        assert 500.0 < links[link].mass / hull.volume < 7850.0, link
        assert not links[link].impossibilities()


@pytest.mark.parametrize("arm", ["small", "large", "heavy"])
def test_doctor_finds_nothing(arm, tmp_path):
    """In the URDF of a family that was written from its data sheet, which has no efforts."""
    robot = described(arm, tmp_path)
    write_family(robot, steps=["meshes", "inertials", "urdf"])
    findings = examine(robot.folder / f"{robot.name}.urdf")
    assert {one.what for one in findings} == {"zero effort"}


def test_a_published_base_goes_before_the_share(tmp_path):
    """Its mass and centre are the family's; moving links share the rest."""
    robot = described("large", tmp_path)
    limits = robot.folder / "limits.yaml"
    row = "base: {mass_kg: 55.1, com_mm: [-51.4, 0, 78.6], source: x}\n"
    limits.write_text(limits.read_text(encoding="utf-8") + row, encoding="utf-8")
    write_family(robot, steps=["inertials"])
    table = irb.describe(robot.folder).inertials
    base = table.sets["cad"].links["base_link"]
    assert (base.mass_kg, base.com_mm) == (55.1, (-51.4, 0.0, 78.6))
    assert sum(body.mass_kg for body in table.sets["cad"].links.values()) == pytest.approx(435.0)
    assert "base 55.1 kg (12.7 %), as in limits.yaml" in table.sources["cad"].how


def test_motors_heavier_than_the_robot_are_refused(tmp_path):
    """A mass that is of another robot ends in one line."""
    robot = described("large", tmp_path)
    limits = robot.folder / "limits.yaml"
    text = limits.read_text(encoding="utf-8")
    limits.write_text(text + "base: {mass_kg: 430, source: x}\n", encoding="utf-8")
    robot = irb.describe(robot.folder)
    with pytest.raises(irb.InputError, match=r"^large: motors and gears .* mass_kg .* 435 kg"):
        weighed(robot, split_of(robot))


def two_variants(folder):
    """Tables of an arm with a variant whose mass is unknown, and shapes."""
    robot = described("middle", folder)
    for name in ("kinematics", "limits"):
        path = robot.folder / f"{name}.yaml"
        table = yaml.safe_load(path.read_text(encoding="utf-8"))
        table["variants"] = {"middle": {}, "twin": {}}
        if name == "limits":
            ratings = {"payload_kg": 12, "reach_mm": 1650, "source": "x"}
            table["variants"]["twin"] = {"ratings": ratings}
            table["sources"]["rule"] = {"ref": "irbmodels/cad/efforts.py", "grade": "assumed"}
            for axis in table["axes"].values():
                axis |= {"effort_N_m": 1, "source": {"range_deg": "x", "speed_deg_s": "x"}}
                axis["source"]["effort_N_m"] = "rule"
            text = ["schema: 1", *(f"{key}: {table[key]}" for key in ("sources", "ratings"))]
            text += ["axes:", *(f"  {axis}: {row}" for axis, row in table["axes"].items())]
            text += [f"variants: {table['variants']}"]
            path.write_text("\n".join(text).replace("'", "") + "\n", encoding="utf-8")
        else:
            path.write_text(yaml.safe_dump(table, sort_keys=False), encoding="utf-8")
    return robot.folder


def test_a_variant_of_unknown_mass_beside_one_of_known_mass(tmp_path):
    """The known one has dynamics, the other kinematics alone; both have shapes and a URDF."""
    folder = two_variants(tmp_path)
    write_family(folder / "middle")
    known, unknown = (irb.load(folder / name) for name in ("middle", "twin"))
    assert np.abs(known.gravity([0.0, 0.5, 0.0, 0.0, 0.0, 0.0])).max() > 100.0
    assert known.limits.effort[1] > 100.0
    with pytest.raises(irb.MissingData, match="no masses of twin are known"):
        unknown.gravity(np.zeros(6))
    table = unknown.description.inertials
    assert table.sets["cad"].unknown == ("twin",)
    assert not table.sets["cad"].links
    np.testing.assert_allclose(
        known.pose(np.full(6, 0.2)).homogeneous, unknown.pose(np.full(6, 0.2)).homogeneous
    )
    text = (folder / "twin.urdf").read_text(encoding="utf-8")
    assert {float(mass) for mass in re.findall(r'<mass value="([^"]*)"', text)} == {0.0}
    assert "meshes" in text
    own = irb.load(folder / "middle").description.inertials.sets["cad"].links
    assert len(own) == 7


@pytest.mark.parametrize(
    ("entry", "words"),
    [
        ("[twins]", r"sets\.cad\.unknown: no variant 'twins'; did you mean 'twin'"),
        ("[twin, middle]", r"sets\.cad\.unknown: middle is listed, but has bodies"),
    ],
)
def test_wrong_lists_of_unknown_variants(entry, words, tmp_path):
    """One line names the key and what is wrong."""
    folder = two_variants(tmp_path)
    path = folder / "inertials.yaml"
    write_family(folder / "middle", steps=["inertials"])
    text = path.read_text(encoding="utf-8").replace("unknown: [twin]", f"unknown: {entry}")
    rows = "    variants:\n      middle:\n        links: {}\n"
    path.write_text(text + rows, encoding="utf-8")
    with pytest.raises(irb.TableError, match=words):
        _ = irb.describe(folder / "middle").inertials


@pytest.mark.parametrize(
    ("mass", "words"),
    [(0, r"base\.mass_kg: 0 is not positive"), (435, r"base\.mass_kg: 435 is not below .* 435")],
)
def test_a_wrong_base_is_refused(mass, words, tmp_path):
    """In limits.yaml and in a data sheet."""
    robot = described("large", tmp_path)
    row = f"base: {{mass_kg: {mass}, source: x}}\n"
    for path, read in (
        (robot.folder / "limits.yaml", lambda: irb.describe(robot.folder).limits),
        (tmp_path / "large.yaml", lambda: read_datasheet(tmp_path / "large.yaml")),
    ):
        path.write_text(path.read_text(encoding="utf-8") + row, encoding="utf-8")
        with pytest.raises(irb.TableError, match=words):
            read()


def test_a_data_sheet_hands_its_base_to_the_tables(tmp_path):
    """With its source, and once for all variants."""
    described("large", tmp_path)
    path = tmp_path / "large.yaml"
    row = "base: {mass_kg: 57.2, com_mm: [-61.4, 1.9, 91.6], source: x}\n"
    path.write_text(path.read_text(encoding="utf-8") + row, encoding="utf-8")
    limits = tables_of_datasheet(*read_datasheet(path))["limits"]
    assert limits["base"] == {"mass_kg": 57.2, "com_mm": [-61.4, 1.9, 91.6], "source": "x"}
    assert set(limits["sources"]) == {"x"}
