"""The tree that is built straight from the tables, against the one that xacro writes."""

import oracles
import pytest

import irbmodels as irb
from irbmodels.model.tree import tree_from_urdf
from irbmodels.tables.building import tree_of
from irbmodels.tables.description import describe, has_bars
from irbmodels.tables.overlays import with_overlays

CALIBRATED = """about: a made-up calibration that turns every axis out of its right angles
sources: {made: {ref: made up, grade: assumed}}
kinematics:
  joints:
    joint_1: {theta0_deg: 0.7, d_mm: 616.1, source: made}
    joint_2: {alpha_deg: -89.3, theta0_deg: -90.4, d_mm: 2.3, source: made}
    joint_3: {theta0_deg: 1.1, a_mm: 703.2, source: made}
    joint_4: {alpha_deg: 91.6, d_mm: 250.7, source: made}
inertials: {default: made, sets: {made: {about: bars that weigh, links: {LINKS}}}}
"""
BODY = "{mass_kg: 4.0, com_mm: [1.0, 2.0, 3.0], inertia_kg_m2: TENSOR, source: made}".replace(
    "TENSOR", "{xx: 0.1, yy: 0.11, zz: 0.12, xy: 0.01, xz: 0.02, yz: 0.03}"
)


def assert_trees_of_xacro(robot):
    """With every coupling and set the same ``pin.Model`` in every bit, names, frames and limits
    included.
    """
    for coupling in robot.couplings:
        for parameters, chosen in robot.inertials.sets.items():
            if coupling == "serial" and has_bars(chosen):
                continue
            actual = tree_of(robot, coupling, parameters)
            text = robot.urdf(coupling, parameters, carrier_kg=0.0, looks=False)
            expected = tree_from_urdf(text)
            if coupling == "serial":
                expected = expected.with_axes(robot.dh("modified").A)
            assert actual.model == expected.model
            assert actual.frames == expected.frames
            assert actual.coupling.axes == expected.coupling.axes
            assert (actual.coupling.G == expected.coupling.G).all()
            assert (actual.coupling.q0 == expected.coupling.q0).all()


@pytest.mark.parametrize("name", oracles.NAMES)
def test_trees_are_those_of_xacro(name):
    assert_trees_of_xacro(describe(name))


@pytest.mark.parametrize(("name", "link"), [("irb2400", "rod"), ("irb1600", "1"), ("irb930", "1")])
def test_trees_of_calibrated_arms_are_those_of_xacro(name, link, tmp_path):
    """Angles that are no multiples of 90 deg, an offset of axis 3 in the linkage, and a rod that
    weighs.
    """
    file = tmp_path / "made.yaml"
    file.write_text(CALIBRATED.replace("LINKS", f"link_{link}: {BODY}"))
    robot = with_overlays(describe(name), [file])
    assert (link == "rod") == has_bars(robot.inertials.sets["made"])
    assert_trees_of_xacro(robot)


def test_a_turned_tool0_is_refused(copied):
    """As xacro refuses it: tool0 stands in the flange without a turn."""
    folder = copied("irb1600", "kinematics.yaml", "tool0: {alpha_deg: 0", "tool0: {alpha_deg: 30")
    with pytest.raises(irb.UrdfError, match=r"^irb1600_6_120: tool0: only a and d may differ"):
        irb.load(folder / "irb1600_6_120")


def test_loading_checks_the_tables_that_no_tree_needs(copied):
    """Shapes and drives too, so that a robot that is loaded can be drawn."""
    folder = copied("irb1600", "shapes.yaml", "shape: mesh", "shape: ball")
    with pytest.raises(irb.TableError, match="'ball' is not one of mesh"):
        irb.load(folder / "irb1600_6_120")
