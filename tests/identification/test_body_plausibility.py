"""Bodies that can exist, and are unlikely for this robot."""

import numpy as np
import pinocchio as pin
import pytest
import verdict_cases as cases

import irbmodels as irb
from irbmodels.identification.validation import identify, prepare
from irbmodels.identification.validation.body_plausibility import SUSPECTS, implausible_bodies
from irbmodels.model.inertia import Inertial
from irbmodels.model.tree import body_names


def bodies_of(robot):
    model = robot.with_load().model
    return {
        link: Inertial.of(body.mass, body.lever, body.inertia)
        for link, body in zip(body_names(model), list(model.inertias)[1:], strict=True)
    }


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
    robot, turn = irb.load("irb1600"), irb.load("irb1600").pose(np.full(6, 0.4)).rotation
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
    assert notes[-1] == SUSPECTS
    known = identify(truth, [prepare(cases.log(1))], [prepare(cases.log(2))])
    assert not any("link_2: " in note for note in known.verdict.notes)
