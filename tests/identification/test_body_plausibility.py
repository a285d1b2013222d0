"""Bodies that can exist, and are unlikely for this robot."""

import re

import numpy as np
import pinocchio as pin
import pytest
import verdict_cases as cases

import irbmodels as irb
from irbmodels.identification.validation import identify, prepare
from irbmodels.identification.validation.body_plausibility import implausible_bodies
from irbmodels.model.inertia import Inertial
from irbmodels.model.tree import body_names
from irbmodels.robot.robot import from_urdf_text


def bodies_of(robot):
    model = robot.with_load().model
    return {
        link: Inertial.of(body.mass, body.lever, body.inertia)
        for link, body in zip(body_names(model), list(model.inertias)[1:], strict=True)
    }


def without_shapes(robot):
    """The robot of its URDF without visual and collision shapes."""
    text = re.sub(r"<(visual|collision)\b.*?</\1>", "", robot.urdf(), flags=re.S)
    return from_urdf_text(text, "bare.urdf")


SHAPES = """<visual><origin xyz="0.5 0 0"/><geometry><box size="1 0.2 0.2"/></geometry></visual>
<visual><origin xyz="0 0 0.3" rpy="0 1.5707963267948966 0"/>
<geometry><box size="0.2 0.2 0.2"/></geometry></visual>"""


def one_link(shapes, mass=50.0, com="0.5 0 0", hand=""):
    """An arm of one link with a hand fixed to it at 1 m, turned by 90 degrees about z."""
    text = f"""<robot name="arm"><link name="base"/>
<joint name="j" type="revolute"><parent link="base"/><child link="link"/><axis xyz="0 0 1"/>
<limit lower="-1" upper="1" effort="1" velocity="1"/></joint>
<link name="link"><inertial><origin xyz="{com}"/><mass value="{mass}"/>
<inertia ixx="1" ixy="0" ixz="0" iyy="5" iyz="0" izz="5"/></inertial>{shapes}</link>
<joint name="f" type="fixed"><parent link="link"/><child link="hand"/>
<origin xyz="1 0 0" rpy="0 0 1.5707963267948966"/></joint>
<link name="hand">{hand}</link></robot>"""
    return from_urdf_text(text, "arm.urdf")


def box(mass, sides, com):
    """A uniform box along the axes of its link."""
    x, y, z = np.square(sides)
    return Inertial.of(mass, com, np.diag([y + z, x + z, x + y]) * mass / 12.0)


def test_a_prior_is_plausible_itself():
    """Nothing is said of the robot's own bodies, nor of masses up to half as large again."""
    robot = irb.load("irb1600")
    own = bodies_of(robot)
    assert implausible_bodies(own, robot) == ()
    heavier = own | {"link_6": own["link_6"]._replace(mass=1.4 * own["link_6"].mass)}
    assert implausible_bodies(heavier, robot) == ()


@pytest.mark.parametrize("factor", [1.6, 0.6])
def test_another_mass_is_named(factor):
    """Both masses stand in the line."""
    robot = irb.load("irb1600")
    own = bodies_of(robot)
    body = own["link_6"]._replace(mass=factor * own["link_6"].mass)
    line, hint = implausible_bodies({"link_6": body}, robot)
    assert "spring or balancer" in hint
    assert line == f"link_6: {body.mass:.3g} kg, prior {own['link_6'].mass:.3g} kg"


@pytest.mark.parametrize(("side", "said"), [(0.049, False), (0.051, True)])
def test_a_centre_outside_of_the_body_is_named(side, said):
    """The prior is a box of 400 x 200 x 100 mm, turned: along its shortest side the centre may move
    by 50 mm.
    """
    robot = without_shapes(irb.load("irb1600"))
    turn = robot.pose(np.full(6, 0.4)).rotation
    own = box(10.0, (0.4, 0.2, 0.1), (0.0, 0.0, 0.0))
    prior = Inertial.of(10.0, (0.1, 0.2, 0.3), turn @ own.tensor @ turn.T)
    rows = robot.parameter_vector()[:60].reshape(6, 10).copy()
    rows[1] = pin.Inertia(10.0, np.array(prior.com), np.array(prior.tensor)).toDynamicParameters()
    other = robot.with_bodies(rows.ravel())
    moved = prior._replace(com=np.array(prior.com) + turn @ [0.15, 0.05, side])
    lines = implausible_bodies({"link_2": moved}, other)
    assert bool(lines) == said
    assert (
        not said or "link_2: centre of mass 166 mm from the prior's, outside of a box" in lines[0]
    )


# of the hull of SHAPES in the plane y = 0: a prism from y = -0.1 to 0.1, its area by Gauss' formula
CORNERS = np.array([(-0.1, 0.4), (0.1, 0.4), (1.0, 0.1), (1.0, -0.1), (0.0, -0.1), (-0.1, 0.2)])
VOLUME = (
    0.2
    * 0.5
    * abs(
        sum(
            x0 * z1 - x1 * z0
            for (x0, z0), (x1, z1) in zip(CORNERS, np.roll(CORNERS, -1, axis=0), strict=True)
        )
    )
)


@pytest.mark.parametrize(
    ("density", "said"), [(99, True), (101, False), (11700, False), (11800, True)]
)
def test_a_mass_has_a_density_of_machines(density, said):
    """In the hull of all shapes of a link, whatever the prior is: here it states no mass."""
    robot = one_link(SHAPES).with_bodies(np.zeros(10))
    body = box(density * VOLUME, (0.5, 0.2, 0.2), (0.4, 0.0, 0.0))
    lines = implausible_bodies({"link": body}, robot)
    assert bool(lines) == said
    assert not said or f"kg in a hull of {1e3 * VOLUME:.3g} l, " in lines[0]


@pytest.mark.parametrize(("beyond", "said"), [(0.09, False), (0.11, True)])
def test_a_centre_lies_in_the_hull(beyond, said):
    """But for a tenth of its diagonal; the prior's box would end 10 mm from its centre."""
    robot = one_link(SHAPES, com="0.9 0 0")
    size = np.sqrt(1.1**2 + 0.2**2 + 0.5**2)
    inside = robot.with_bodies([50.0, 45.0, 0, 0, 0.1, 0, 41.0, 0, 0, 41.0])
    body = bodies_of(inside)["link"]._replace(com=np.array([0.5, -0.1 - beyond * size, 0.0]))
    lines = implausible_bodies({"link": body}, inside)
    assert bool(lines) == said
    assert not said or f"{1e3 * beyond * size:.0f} mm outside of the hull" in lines[0]


def test_shapes_of_fixed_links_belong_to_the_body():
    """The hand is fixed at 1 m and turned: its bar of 1.2 m lies along y of the link."""
    bar = '<origin xyz="0.6 0 0"/><geometry><box size="1.2 0.2 0.2"/></geometry>'
    robot = one_link("", hand=f"<collision>{bar}</collision>", com="1 0.5 0")
    own = bodies_of(robot)["link"]
    inside, outside = (own._replace(com=np.array([1.0, y, 0.0])) for y in (1.1, -0.5))
    assert implausible_bodies({"link": inside}, robot) == ()
    assert "500 mm outside of the hull" in implausible_bodies({"link": outside}, robot)[0]


def test_shapes_that_exclude_the_prior_do_not_count():
    """They belong to no such body: its box stands in."""
    robot = one_link(SHAPES.replace('<origin xyz="', '<origin xyz="5'))
    own = bodies_of(robot)["link"]
    assert implausible_bodies({"link": own}, robot) == ()
    far = own._replace(com=np.array([0.5, 3.0, 0.0]))
    assert "box with the prior's inertia" in implausible_bodies({"link": far}, robot)[0]


def test_a_lost_mesh_is_a_note():
    """The link and its mesh are named after what is unlikely; the box of the prior stands in."""
    robot = one_link(SHAPES + '<visual><geometry><mesh filename="l.stl"/></geometry></visual>')
    own = bodies_of(robot)["link"]
    note = "not compared with shapes that cannot be read: link (l.stl)"
    assert implausible_bodies({"link": own}, robot) == (note,)
    far = own._replace(com=np.array([0.5, 3.0, 0.0]))
    lines = implausible_bodies({"link": far}, robot)
    assert "box with the prior's inertia" in lines[0]
    assert "has an axis a spring or balancer that the robot does not have" in lines[1]
    assert lines[2:] == (note,)
    assert "has axis 2, 3 a spring" in implausible_bodies({"link": far}, robot, (1, 2))[1]


def test_bars_have_hulls_of_their_own():
    """A rod of 30 kg in its 1.7 l."""
    robot = irb.load("irb2400", parameters="cad")
    rod = bodies_of(robot)["link_rod"]
    assert implausible_bodies({"link_rod": rod}, robot) == ()
    lines = implausible_bodies({"link_rod": rod._replace(mass=30.0)}, robot)
    assert "link_rod: 30 kg, prior 5.82 kg; 30 kg in a hull of 1.71 l" in lines[0]


def test_links_heavier_than_the_robot_are_named():
    """A sum above 1.1 times the rated mass of the data sheet."""
    robot = irb.load("irb1600")
    own = bodies_of(robot)
    rated = robot.description.limits.ratings.mass_kg
    factor = 1.2 * rated / sum(body.mass for body in own.values())
    lines = implausible_bodies(
        {link: body._replace(mass=factor * body.mass) for link, body in own.items()}, robot
    )
    assert f"more than the whole robot ({rated:.4g} kg)" in lines[-2]


def test_a_balancer_that_the_robot_does_not_have_is_suspected():
    """A balancer of axis 2 takes torque like a mass behind the axis: bodies that can exist and have
    its torque are many times heavier than the arm, and that is said. A good set has no such note.
    """
    truth = cases.truth()
    sprung = [
        cases.plus(log, np.outer(-800.0 * np.sin(log.q[:, 1]), np.eye(6)[1]))
        for log in (cases.log(1), cases.log(2))
    ]
    fit = identify(truth, [prepare(sprung[0])], [prepare(sprung[1])])
    notes = fit.verdict.notes
    assert fit.parameters.inertials["link_2"].mass > 300.0
    assert any(note.startswith("link_2: ") and "kg, prior 26.5 kg" in note for note in notes)
    assert any("more than the whole robot (380 kg)" in note for note in notes)
    assert "has axis 2 a spring or balancer that the robot does not have" in notes[-2]
    assert notes[-1].startswith("axis 2 moves from -52.3 deg to ")
    known = identify(truth, [prepare(cases.log(1))], [prepare(cases.log(2))])
    assert not any("link_2: " in note for note in known.verdict.notes)
