import re
import warnings
from dataclasses import replace
from functools import cache

import numpy as np
import oracles
import pinocchio as pin
import pytest
from grouped import together
from programs import answers, evaluate, mechanism, reference
from random_trees import random_urdf

import irbmodels as irb
from irbmodels.compiled.queries import QUERIES, program_for
from irbmodels.model.mechanism import (
    INERTIALS,
    FixedFrame,
    Mechanism,
    chain_of,
    mechanism_of,
    moved_inertials,
    regroup,
    unreduced_mechanism_of,
)
from irbmodels.robot.robot import from_urdf_text

SAME = 1e-12  # of the largest entry, as in test_symbolic
TILT = pin.rpy.rpyToMatrix(0.3, -0.5, 0.7)
RIGHT = "1.5707963267948966"


@cache
def loaded(name, parameters=None, coupling=None):
    """Return a robot without what its impossible sets warn of."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", irb.PhysicsWarning)
        return irb.load(name, parameters=parameters, coupling=coupling)


def body(m=2.0, c=(0.1, 0.02, -0.03), size=0.2):
    """Return an inertial with a full tensor."""
    xx, yy, zz, off = (m * size**2 * share for share in (0.4, 0.5, 0.6, 0.03))
    tensor = f'ixx="{xx}" iyy="{yy}" izz="{zz}" ixy="{off}" ixz="{-off}" iyz="{off / 2}"'
    return (
        f'<inertial><origin xyz="{c[0]} {c[1]} {c[2]}"/><mass value="{m}"/><inertia'
        f" {tensor}/></inertial>"
    )


def joint(i, below, kind="revolute", xyz="0.3 0.1 0.2", rpy="0.1 0.2 0.3", axis="0 0 1", mimic=""):
    """Return joint ``j<i>`` from a link to link ``l<i>``."""
    return (
        f'<joint name="j{i}" type="{kind}"><origin xyz="{xyz}" rpy="{rpy}"/><parent'
        f' link="l{below}"/><child link="l{i}"/><axis xyz="{axis}"/><limit lower="-3" upper="3"'
        f' effort="1" velocity="1"/>{mimic}</joint>'
    )


def made(*joints, links=None):
    """Return a robot of joints; link ``i`` has ``links[i]`` as its inertial, else a full one."""
    bodies = {i: body() for i in range(1, len(joints) + 1)} | {0: ""} | (links or {})
    text = "".join(f'<link name="l{i}">{inertial}</link>' for i, inertial in sorted(bodies.items()))
    return from_urdf_text(f'<robot name="made">{text}{"".join(joints)}</robot>', "made.urdf")


def mimic(source, multiplier=1.0, offset=0.0):
    """Return the tag of a joint that follows another."""
    return f'<mimic joint="j{source}" multiplier="{multiplier}" offset="{offset}"/>'


def agrees(robot, *queries, frame="tcp", each_axis=False, tolerance=SAME):
    """Hold queries of a robot to the reference, by the largest entry there or in its torques, or
    each axis by its own.
    """
    drawn = np.random.default_rng(0).uniform(-1.0, 1.0, (3, 5, robot.n))
    effort = np.abs(reference(robot, "inverse_dynamics", drawn)[0]).max()
    for query in queries:
        expected = reference(robot, query, drawn, frame)
        for ours, theirs in zip(
            answers(robot, query, drawn, frame).values(), expected, strict=True
        ):
            largest = np.abs(theirs).max(axis=0) if each_axis else max(np.abs(theirs).max(), effort)
            assert (np.abs(ours - theirs) <= tolerance * largest).all(), query


# --- what belongs to the structure


@pytest.mark.parametrize("friction", [False, True])
def test_the_four_irb1600_share_every_program(friction):
    """Arms that differ in lengths and masses only have one key, and their constants come in one
    order.
    """
    arms = [
        mechanism_of(loaded(name).dynamic_model, friction)
        for name in oracles.NAMES
        if "1600" in name
    ]
    assert len({arm.key for arm in arms}) == 1
    assert len({tuple(arm.free) for arm in arms}) == 1
    assert len({tuple(arm.values) for arm in arms}) == 2  # the payload class is in the limits alone


def test_tool_mass_friction_and_payload_are_constants():
    """Another load of the same kind, and another friction, need no other program."""
    tools = [
        irb.Tool(
            "t", pin.SE3(TILT, np.ones(3)), irb.payload(m, [0.1, 0.02 * m, 0.1], np.eye(3) * m)
        )
        for m in (2.0, 5.0)
    ]
    light, heavy = (loaded("irb2400").with_tool(tool) for tool in tools)
    assert mechanism(light, "inverse_dynamics").key == mechanism(heavy, "inverse_dynamics").key
    carrying = light.with_payload(irb.payload(3.0, [0.1, 0.2, 0.3], np.eye(3)))
    assert mechanism(carrying, "inverse_dynamics").key == mechanism(heavy, "inverse_dynamics").key
    law = light.dynamic_model.friction
    rubbing = replace(
        light,
        dynamic_model=replace(
            light.dynamic_model, friction=replace(law, Fc=2 * law.Fc, Fv=3 * law.Fv)
        ),
    )
    assert mechanism(rubbing, "inverse_dynamics").key == mechanism(light, "inverse_dynamics").key
    assert not np.array_equal(
        mechanism(rubbing, "inverse_dynamics").values, mechanism(light, "inverse_dynamics").values
    )


TWO = (joint(1, 0), joint(2, 1), joint(3, 2))
DIFFERENT = {
    "a branch elsewhere": made(joint(1, 0), joint(2, 1), joint(3, 1)),
    "a slide": made(joint(1, 0), joint(2, 1), joint(3, 2, "prismatic")),
    "follows": made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(1))),
    "follows against": made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(1, -1.0))),
    "follows another": made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(2))),
    "follows by half": made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(1, 0.5))),
    "starts elsewhere": made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(1, 1.0, 0.4))),
    "no length": made(joint(1, 0), joint(2, 1), joint(3, 2, xyz="0 0.1 0.2")),
    "no turn": made(joint(1, 0), joint(2, 1), joint(3, 2, rpy="0 0 0")),
    "a right angle": made(joint(1, 0), joint(2, 1), joint(3, 2, rpy=f"{RIGHT} 0 0")),
    "a right angle back": made(joint(1, 0), joint(2, 1), joint(3, 2, rpy=f"-{RIGHT} 0 0")),
    "upside down": made(joint(1, 0), joint(2, 1), joint(3, 2, rpy="3.141592653589793 0 0")),
    "on its axis": made(*TWO, links={3: body(c=(0.0, 0.0, 0.1))}),
    "gravity in x": made(*TWO).with_gravity([9.81, 0.0, 0.0]),
    "weightless": made(*TWO).with_gravity([0.0, 0.0, 0.0]),
    "rotors": made(*TWO).with_rotors([1.0, 2.0, 3.0]),
    "coupled rotors": made(*TWO)
    .with_rotors([1.0, 2.0, 3.0])
    .with_drives([[1, 0, 0], [0, 1, 0], [0, 0.5, 1]]),
    "a plain one": made(*TWO),
    "fewer": made(*TWO[:2]),
}


@pytest.mark.parametrize("query", ["inverse_dynamics", "regressor", "jacobian"])
def test_models_of_different_structure_have_different_keys(query):
    """A key stands for one program: wherever two models share it, both have the very same one
    written.
    """
    written = {}
    for name, robot in DIFFERENT.items():
        stripped = mechanism(robot, query)
        written.setdefault(stripped.key, {})[name] = program_for(query, stripped)
    for programs in written.values():
        assert len(set(programs.values())) == 1, list(programs)
    if query == "inverse_dynamics":
        assert len(written) == len(DIFFERENT), [list(programs) for programs in written.values()]


def test_sizes_and_factors_are_constants():
    """Lengths, angles, masses, multipliers and offsets other than 0, 1 and -1 share a key."""
    half = made(joint(1, 0), joint(2, 1), joint(3, 2, mimic=mimic(1, 0.5, 0.1)))
    third = made(
        joint(1, 0, xyz="1 2 3"),
        joint(2, 1, rpy="1 1 1"),
        joint(3, 2, mimic=mimic(1, 0.25, 1.0)),
        links={2: body(1.0, (1, 1, 1))},
    )
    for query in QUERIES:
        assert mechanism(half, query).key == mechanism(third, query).key, query


def test_frame_and_friction_belong_to_the_structure():
    """Another frame, and friction where there was none, are other programs."""
    robot = loaded("irb2400")
    tree = robot.dynamic_model.tree
    keys = {
        chain_of(tree, tree.frame(frame)).key
        for frame in ("link_4", "link_5", "link_6", "tcp", "base_link")
    }
    assert len(keys) == 5
    branched = unreduced_mechanism_of(made(joint(1, 0), joint(2, 1), joint(3, 1)).dynamic_model)
    held = [
        replace(branched, frame=FixedFrame(number, np.eye(3), np.ones(3)))
        for number in (-1, 0, 1, 2)
    ]
    assert len({stripped.key for stripped in (branched, *held)}) == 5
    assert (
        mechanism_of(robot.dynamic_model, True).key != mechanism_of(robot.dynamic_model, False).key
    )
    assert (
        unreduced_mechanism_of(robot.dynamic_model, True).key
        != unreduced_mechanism_of(robot.dynamic_model, False).key
    )


@together("query", ["inverse_dynamics", "forward_dynamics", "energy", "regressor", "jacobian"])
@together("seed", [2, 5, 11])
def test_a_program_serves_every_model_of_its_key(seed, query):
    """Written for one tree, with the constants of another of other lengths, masses, angles and
    factors, it is right for that.
    """
    text, rng = random_urdf(seed), np.random.default_rng(seed)

    def changed(match):
        numbers = np.array(match[2].split(), dtype=float)
        return f'{match[1]}"{" ".join(map(str, numbers * rng.uniform(0.9, 1.1, numbers.size)))}"'

    other = from_urdf_text(
        re.sub(r'((?:origin xyz|rpy|mass value|multiplier|offset)=)"([^"]*)"', changed, text),
        "other.urdf",
    )
    robot = from_urdf_text(text, "one.urdf")
    first, second = mechanism(robot, query), mechanism(other, query)
    assert first.key == second.key
    assert list(first.free) == list(second.free)
    assert not np.array_equal(first.values, second.values)
    written = program_for(query, first)
    drawn = rng.uniform(-1.0, 1.0, (3, 4, robot.n))
    given = dict(zip(("q", "v", "a"), drawn, strict=True)) | {"tau": drawn[2]}
    actual = evaluate(written, second.free, **{name: given[name] for name, _ in written.inputs})
    tolerance = SAME * (
        np.linalg.cond(other.mass_matrix(drawn[0])).max() if query == "forward_dynamics" else 1.0
    )
    for ours, theirs in zip(actual.values(), reference(other, query, drawn), strict=True):
        np.testing.assert_allclose(ours, theirs, rtol=0.0, atol=tolerance * np.abs(theirs).max())


def test_constants_have_a_name_each():
    """No two numbers share a name, with so many axes that their numbers have two digits."""
    n = 12
    robot = made(joint(1, 0), *(joint(i, i - 1) for i in range(2, n + 1)))
    rng = np.random.default_rng(0)
    robot = robot.with_rotors(rng.uniform(1.0, 2.0, n)).with_drives(rng.uniform(-1.0, 1.0, (n, n)))
    stripped = unreduced_mechanism_of(robot.dynamic_model)
    assert len(stripped.constants) == 3 + n * (9 + 3 + 10 + n + 1 + 9) + n * n + 4 + n * n
    agrees(robot, "inverse_dynamics", "regressor")


def test_free_constants_are_read_only_and_in_order():
    """What kernels take is the values of ``free``, none of them 0, and nobody may change them."""
    stripped = mechanism_of(dressed_2400().dynamic_model, True)
    assert stripped.values.tolist() == list(stripped.free.values())
    assert (stripped.values != 0.0).all()
    with pytest.raises(ValueError, match="read-only"):
        stripped.values[0] = 1.0


def dressed_2400():
    """Return an arm with a tool, on a stand that leans."""
    return irb.load("irb2400", tool="spindle").mounted(TILT)


# --- carriers, bars and empty links


@pytest.mark.parametrize(
    ("name", "parameters", "joints"),
    [("irb2400", "obal2025", 6), ("irb2400", "cad", 8), ("irb1400", "cad", 8)],
)
def test_bars_without_mass_are_dropped_and_carriers_merged(name, parameters, joints):
    """Of ten joints of a parallelogram stay six, and crank and rod where they have mass; carriers
    never.
    """
    robot = loaded(name, parameters, "parallelogram")
    stripped = mechanism_of(robot.dynamic_model)
    assert len(robot.coupling[0]) == 10
    assert len(stripped.joints) == joints
    assert all(link.body.any() for link in stripped.joints)


def test_the_merged_forearm_turns_by_its_own_axis():
    """Axis 3 of a parallelogram is absolute: the merged forearm hangs on the upper arm and turns by
    q3 - q2.
    """
    rows = np.array(
        [
            link.row
            for link in mechanism_of(loaded("irb2400", None, "parallelogram").dynamic_model).joints
        ]
    )
    np.testing.assert_array_equal(rows, np.eye(6) - np.diag([0, 1, 0, 0, 0], -1))


CARRIERS = {
    "one": made(joint(1, 0), joint(2, 1, xyz="0 0 0.4", rpy="0 0 0.7"), links={1: ""}),
    "with offsets": made(
        joint(1, 0),
        joint(2, 1, mimic=mimic(1, -0.7, 0.3)),
        joint(3, 2, xyz="0 0 0", rpy="0 0 0.2"),
        links={2: ""},
    ),
    "two in a row": made(
        joint(1, 0),
        joint(2, 1, xyz="0 0 1", rpy="0 0 1"),
        joint(3, 2, xyz="0 0 2", rpy="0 0 2"),
        joint(4, 3),
        links={1: "", 2: ""},
    ),
    "under two": made(
        joint(1, 0),
        joint(2, 1, xyz="0 0 1", rpy="0 0 1"),
        joint(3, 1, xyz="0 0 2", rpy="0 0 0"),
        links={1: ""},
    ),
    "under an empty branch": made(
        joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="0 0 1"), joint(3, 1), links={1: "", 3: ""}
    ),
    "along another axis": made(
        joint(1, 0, axis="1 0 0"),
        joint(2, 1, xyz="0.3 0 0", rpy="0.7 0 0", axis="1 0 0"),
        links={1: ""},
    ),
}
NO_CARRIERS = {
    "beside": made(joint(1, 0), joint(2, 1, xyz="0.1 0 0", rpy="0 0 1"), links={1: ""}),
    "beside in y": made(joint(1, 0), joint(2, 1, xyz="0 0.1 0", rpy="0 0 1"), links={1: ""}),
    "across": made(joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="1 0 0"), links={1: ""}),
    "against": made(
        joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="3.141592653589793 0 0"), links={1: ""}
    ),
    "barely tilted": made(joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="1e-7 0 0"), links={1: ""}),
    "barely tilted over": made(
        joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="0 -3e-9 0.4"), links={1: ""}
    ),
    "slides": made(joint(1, 0, "prismatic"), joint(2, 1, xyz="0 0 1", rpy="0 0 1"), links={1: ""}),
    "under a slide": made(
        joint(1, 0), joint(2, 1, "prismatic", xyz="0 0 1", rpy="0 0 1"), links={1: ""}
    ),
    "one of two": made(
        joint(1, 0), joint(2, 1, xyz="0 0 1", rpy="0 0 1"), joint(3, 1), links={1: ""}
    ),
}
EVERY = (
    "inverse_dynamics",
    "mass_matrix",
    "coriolis_torque",
    "gravity",
    "energy",
    "regressor",
    "jacobian",
    "pose",
)


@pytest.mark.parametrize("arm", CARRIERS)
def test_what_turns_about_the_line_of_a_carrier_turns_by_both(arm):
    """A massless link whose children turn about its own line costs nothing; the answers stay the
    reference's.
    """
    robot = CARRIERS[arm]
    assert len(mechanism_of(robot.dynamic_model).joints) == sum(
        inertia.mass > 0.0 for inertia in list(robot.model.inertias)[1:]
    )
    agrees(robot, *EVERY)


@together("arm", NO_CARRIERS)
def test_what_does_not_turn_about_its_line_keeps_the_carrier(arm):
    """A massless link stays where its child stands beside it, leans, however little, or slides."""
    robot = NO_CARRIERS[arm]
    assert len(mechanism_of(robot.dynamic_model).joints) == len(robot.coupling[0])
    agrees(robot, *EVERY)


@pytest.mark.parametrize("frame", ["l0", "l1", "l2", "l3", "tcp"])
def test_frames_on_carriers_stay_on_them(frame):
    """A frame on a carrier turns with it alone, and one beyond it with both."""
    agrees(CARRIERS["with offsets"], "pose", "jacobian", "hessian", frame=frame, tolerance=1e-11)
    agrees(CARRIERS["under two"], "pose", "jacobian", frame=min(frame, "l3"), tolerance=1e-11)


def test_a_chain_has_only_the_joints_below_its_frame():
    """Branches beside the way to a frame, and all beyond it, are no part of its program."""
    robot = made(joint(1, 0), joint(2, 1), joint(3, 1), joint(4, 3), joint(5, 4))
    assert [len(mechanism(robot, "pose", f"l{i}").joints) for i in range(6)] == [0, 1, 2, 2, 3, 4]
    for frame in ("l2", "l4"):
        agrees(robot, "jacobian", "pose", "hessian", frame=frame)


def test_a_carrier_is_merged_beside_a_branch_that_the_frame_does_not_need():
    """For the pose of a frame, what hangs on the carrier elsewhere does not count."""
    robot = NO_CARRIERS["one of two"]
    assert len(mechanism(robot, "pose", "l2").joints) == 1
    agrees(robot, "pose", "jacobian", frame="l2")


# --- inertials


def test_regrouping_leaves_at_most_seven_parameters_per_turn_and_four_per_slide():
    """Of a body that turns M, MZ and YY are 0; of one that slides the tensor is [Gautier & Khalil
    1990].
    """
    robot = made(
        joint(1, 0),
        joint(2, 1, "prismatic"),
        joint(3, 2),
        joint(4, 3, "prismatic", axis="1 1 0"),
        joint(5, 2),
    )
    for link in mechanism_of(robot.dynamic_model).joints:
        zero = ("XX", "XY", "YY", "XZ", "YZ", "ZZ") if link.prismatic else ("M", "MZ", "YY")
        assert [
            name for name, value in zip(INERTIALS, link.body, strict=True) if value == 0.0
        ] == list(zero)
    agrees(robot, *EVERY)


def test_regrouping_keeps_what_moves_and_what_weighs():
    """Before and after, the same motion takes the same torque and has the same energies, ground
    included.
    """
    whole = replace(
        unreduced_mechanism_of(loaded("irb930").mounted(TILT).dynamic_model, False), drive_axes=None
    )
    drawn = dict(
        zip("qva", np.random.default_rng(0).uniform(-1.0, 1.0, (3, 4, whole.n)), strict=True)
    )
    for query in ("inverse_dynamics", "energy", "mass_matrix"):
        actual = []
        for stripped in (whole, regroup(whole)):
            written = program_for(query, stripped)
            actual.append(
                evaluate(
                    written, stripped.free, **{name: drawn[name] for name, _ in written.inputs}
                )
            )
        for name, one in actual[0].items():
            np.testing.assert_allclose(
                actual[1][name], one, rtol=0.0, atol=SAME * np.abs(one).max()
            )


def test_moving_inertials_is_pinocchios():
    """Ten inertials elsewhere are what Pinocchio makes of a body."""
    rng = np.random.default_rng(0)
    for _ in range(5):
        pose, inertia = pin.SE3.Random(), pin.Inertia.Random()
        there = inertia.se3Action(pose).toDynamicParameters()
        np.testing.assert_allclose(
            moved_inertials(inertia.toDynamicParameters(), pose.rotation, pose.translation),
            there,
            atol=1e-13,
        )
    turn = pin.SE3.Random().rotation
    ten = rng.uniform(-1.0, 1.0, 10)  # regrouped inertials need not be a body's
    moved = moved_inertials(ten, turn, np.array([1.0, 2.0, 3.0]))
    back = moved_inertials(moved, turn.T, -turn.T @ [1.0, 2.0, 3.0])
    np.testing.assert_allclose(back, ten, atol=1e-13)


@pytest.mark.parametrize(
    ("length", "mass"), [(1e-2, 1e-3), (1e-3, 1e-6), (100.0, 1e6)], ids=["1 g", "1 mg", "1000 t"]
)
def test_small_and_huge_robots_lose_nothing(length, mass):
    """Every axis is right by its own measure, however small the numbers."""
    bodies = {
        i: body(mass, (0.3 * length, 0.1 * length, -0.2 * length), 0.4 * length) for i in (1, 2, 3)
    }
    places = {"xyz": f"{length} {0.2 * length} {-0.3 * length}"}
    robot = made(
        joint(1, 0, **places),
        joint(2, 1, **places),
        joint(3, 2, "prismatic", **places),
        links=bodies,
    )
    agrees(robot, "inverse_dynamics", "gravity", "coriolis_torque", each_axis=True)


def test_a_feather_on_a_crane_keeps_its_inertia():
    """What rounding left is measured by what it was summed from: a tip of 1e-9 kg on 1e7 kg still
    has its torque.
    """
    robot = made(
        joint(1, 0), joint(2, 1), joint(3, 2), links={1: body(1e7, size=20.0), 3: body(1e-9)}
    )
    agrees(robot, "inverse_dynamics", each_axis=True)
    drawn = (
        np.random.default_rng(0).uniform(-1.0, 1.0, (3, 3, 3))
        * np.array([1.0, 1.0, 1e-12])[:, None, None]
    )
    assert np.isfinite(answers(robot, "forward_dynamics", drawn)["a"]).all()


def test_right_angles_are_exact():
    """What cosines of right angles leave, 6e-17, is no constant of a robot's arms, and costs no
    operation.
    """
    for name in oracles.NAMES:
        for stripped in (
            mechanism_of(loaded(name).dynamic_model),
            unreduced_mechanism_of(loaded(name).dynamic_model),
        ):
            for link in stripped.joints:
                assert set(np.abs(link.rotation).ravel()) <= {0.0, 1.0}
                assert all(abs(x) > 1e-3 for x in link.position if x)
                assert set(link.row) <= {0.0, 1.0, -1.0}
            for part in (slice(0, 1), slice(1, 4), slice(4, 10)):
                numbers = np.abs([link.body[part] for link in stripped.joints])
                assert numbers[numbers > 0.0].min(initial=np.inf) > 1e-10 * numbers.max()


@together(
    "axis", ["1 0 0", "0 1 0", "0 0 1", "-1 0 0", "0 -1 0", "0 0 -1", "1 1 0", "0 -1 1", "1 2 -3"]
)
@together("kind", ["revolute", "prismatic"])
def test_any_axis_becomes_z(kind, axis):
    """Along the axes of the frame nothing but zeros and ones enters; along others the answers are
    the reference's.
    """
    robot = made(
        joint(1, 0, rpy="0 0 0"),
        joint(2, 1, kind, rpy="0 0 0", axis=axis),
        joint(3, 2, rpy="0 0 0"),
    )
    links = unreduced_mechanism_of(robot.dynamic_model).joints
    for link in links:
        for turn in (link.rotation, link.tree_rotation):
            np.testing.assert_allclose(turn @ turn.T, np.eye(3), atol=1e-15)
            assert np.linalg.det(turn) == pytest.approx(1.0)
    if sum(number != "0" for number in axis.split()) == 1:
        assert all(set(np.abs(link.rotation).ravel()) == {0.0, 1.0} for link in links)
    agrees(robot, *EVERY)


def test_a_mechanism_owns_its_numbers():
    """Nothing of a robot changes when somebody writes into a mechanism's arrays, and the other way
    round.
    """
    robot = made(*TWO)
    before = robot.coupling[0].copy()
    stripped: Mechanism = mechanism_of(robot.dynamic_model)
    for link in stripped.joints:
        for array in (link.row, link.body, link.position, link.rotation):
            if array.flags.writeable:
                array[...] = 7.0
    np.testing.assert_array_equal(robot.coupling[0], before)
    agrees(robot, "inverse_dynamics")
