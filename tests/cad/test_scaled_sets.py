"""Sets made of the CAD of others: published masses of the IRB 120 and 1200, closed to the robot's."""

import shutil

import numpy as np
import pytest

import irbmodels as irb
from irbmodels.cad.family import write_family
from irbmodels.exchange.doctor import examine
from irbmodels.tables.description import data_folder

# masses of links 1 to 5 as printed, of the robot, of the base by a controller, and of the flange's
# drawing [kg]; centre of the base [mm]
ARMS = {
    "irb120_3_58": ((3.067, 3.909, 2.944, 1.328, 0.546), 25.0, 7.632, (-3.06, 0.05, 89.04)),
    "irb1200_5_90": ((11.8419, 17.5394, 7.46365, 2.74436, 0.62953), 54.0, 16.2, (-6.0, 1.0, 130.0)),
}
# centres of links 1 to 3 in base axes at home, and xx of link 1 there, as the xacro of the IRB 120
# prints them [m, kg m^2]
PRINTED = ((9.77e-05, -0.00012, 0.23841), (0.00078, -0.00212, 0.39124), (0.02281, 0.00106, 0.61791))


@pytest.mark.parametrize("name", ARMS)
def test_masses_close_to_the_robot(name):
    """Links 1 to 5 keep their ratios, the base weighs what a controller says, link 6 is drawn."""
    printed, whole, base, centre = ARMS[name]
    sets = irb.describe(name).inertials.sets
    rows, drawn = sets["ros_scaled"].links, sets["cad"].links
    masses = np.array([rows[f"link_{i}"].mass_kg for i in range(1, 6)])
    np.testing.assert_allclose(masses / masses.sum(), np.divide(printed, sum(printed)), rtol=1e-8)
    assert sum(row.mass_kg for row in rows.values()) == pytest.approx(whole, rel=1e-8)
    assert (rows["base_link"].mass_kg, rows["base_link"].com_mm) == (base, centre)
    assert rows["link_6"].inertial().mass == drawn["link_6"].inertial().mass
    np.testing.assert_array_equal(
        rows["link_6"].inertial().tensor, drawn["link_6"].inertial().tensor
    )


def test_centres_at_home_are_those_of_the_source():
    """Frames of the xacro are parallel to the base at home, in the axes; ours are turned."""
    robot = irb.load("irb120", parameters="ros_scaled")
    rows = irb.describe("irb120").inertials.sets["ros_scaled"].links
    for number, printed in enumerate(PRINTED, start=1):
        com = np.array(rows[f"link_{number}"].com_mm) / 1000.0
        place = robot.pose(np.zeros(6), f"link_{number}", com).translation
        np.testing.assert_allclose(place, printed, rtol=0, atol=6e-6)


def test_tensors_keep_their_shape():
    """A density scales a tensor as it scales the mass: that of link 2, as printed about x of ours."""
    rows = irb.describe("irb120").inertials.sets["ros_scaled"].links
    ratio = rows["link_2"].mass_kg / 3.909
    tensor = rows["link_2"].inertia_kg_m2
    printed = (0.0259548, 0.0603111, 0.041569)  # along the arm, along axis 2, across
    np.testing.assert_allclose(
        (tensor.xx, tensor.yy, tensor.zz), np.multiply(printed, ratio), rtol=1e-7
    )


def test_the_default_is_the_drawing_that_every_variant_has():
    """The set is of the variant whose CAD it is; another one says which sets it has."""
    for one, other in (("irb120_3_58", "irb120t_3_58"), ("irb1200_5_90", "irb1200_7_70")):
        assert irb.load(one).parameters == irb.load(other).parameters == "cad"
        assert irb.load(one, parameters="ros_scaled").mass_matrix(np.zeros(6))[1, 1] > 0.1
        with pytest.raises(irb.MissingData, match=f"no bodies of {other}; sets that have: cad"):
            irb.load(other, parameters="ros_scaled")


@pytest.mark.parametrize("name", ARMS)
def test_doctor_finds_nothing(name, tmp_path):
    file = tmp_path / "arm.urdf"
    file.write_text(irb.describe(name).urdf(inertials="ros_scaled", looks=False))
    assert [str(finding) for finding in examine(file)] == []


@pytest.mark.parametrize(
    ("before", "after", "problem"),
    [
        ("variant: irb120_3_58", "variant: irb120_3_85", "variant: no variant 'irb120_3_85'"),
        ("    variant: irb120_3_58\n", "", "sets.ros: needs variant: the arm that"),
        ("xx: 0.0142175", "xx: 0.9142175", "links.link_1: "),
    ],
)
def test_a_wrong_published_set_is_refused(tmp_path, before, after, problem):
    """A variant that is none; a tensor that no body can have, when the set is read."""
    folder = tmp_path / "irb120"
    shutil.copytree(data_folder() / "irb120", folder)
    file = folder / "published.yaml"
    text = file.read_text()
    assert before in text
    file.write_text(text.replace(before, after))
    with pytest.raises(irb.TableError, match=problem):  # noqa: PT012
        write_family(folder, steps=["inertials"])
        irb.load(folder / "irb120_3_58", parameters="ros_scaled")
