"""Arms that are mounted another way than the robot that is given."""

from functools import cache

import numpy as np
import pytest
import verdict_cases as cases
from spoilt import spoilt

from irbmodels.identification.recordings import Sensors, synthetic_recording
from irbmodels.identification.validation import evaluate, identify, prepare, split_recording

SIDE, TILTED = (0.0, 9.81, 0.0), (0.0, 9.81 * np.sin(0.7), -9.81 * np.cos(0.7))


def log(gravity, seed=2):
    """Log of an IRB 2400 whose torques are Pinocchio's under this gravity."""
    arm, motion = cases.truth().with_gravity(gravity), cases.motion(seed)
    sensors = Sensors(counts=2**20, torque_noise=cases.SIGMA)
    return synthetic_recording(arm, motion, sensors, controller=False, seed=seed)


@cache
def bound():
    """Five standard deviations of gravity [m/s^2], ``(3,)``, of least squares on a log's torques:
    these are linear in gravity, by Pinocchio, and in the friction beside which it is fitted, and
    their noise is white.
    """
    arm, motion = cases.truth(), cases.motion(2)
    columns = [arm.with_gravity(unit).gravity(motion.q) for unit in np.eye(3)]
    for axis in np.eye(6):
        columns += [column * axis for column in (np.sign(motion.v), motion.v, np.ones(6))]
    columns = [np.broadcast_to(column, motion.q.shape) for column in columns]
    rows = (np.stack(columns, axis=2) / cases.SIGMA[:, None]).reshape(-1, len(columns))
    return 5.0 * np.sqrt(np.diag(np.linalg.inv(rows.T @ rows))[:3])


def check_gravity(mistake, gravity, angle):
    """The vector, and the angle [deg] to that of the robot, within what noise explains."""
    assert np.all(np.abs(np.subtract(mistake.gravity, gravity)) < bound())
    off = np.degrees(np.linalg.norm(bound()) / 9.81)
    assert np.degrees(mistake.estimate) == pytest.approx(angle, abs=off)


@pytest.mark.parametrize(("gravity", "angle"), [(SIDE, 90.0), (TILTED, np.degrees(0.7))])
def test_gravity_of_a_log_is_named(gravity, angle):
    """Its vector, and the angle to that of the robot."""
    verdict = evaluate(cases.truth(), [prepare(log(gravity))])
    (mistake,) = verdict.mistakes
    assert (mistake.kind, verdict.level) == ("mounting", "wrong")
    check_gravity(mistake, gravity, angle)
    assert verdict.reasons[0].startswith(
        f"the arm is mounted another way, by {np.degrees(mistake.estimate):.0f} deg: gravity in its"
    )


def test_a_robot_that_hangs_is_asked_in_axes_of_its_base():
    """The right mounting is none, and the floor is 180 deg from it."""
    hanging = np.diag([1.0, -1.0, -1.0, 1.0])
    spindle_down = log((0.0, 0.0, 9.81))
    assert evaluate(cases.truth().mounted(hanging), [prepare(spindle_down)]).mistakes == ()
    (mistake,) = evaluate(cases.truth().mounted(hanging), [prepare(cases.log(2))]).mistakes
    check_gravity(mistake, (0.0, 0.0, -9.81), 180.0)


def test_a_robot_that_leans_is_asked_in_axes_of_its_base():
    """Base frame on a slope that leans about two axes: the log of such a robot has no mistake, and
    one of the floor is as far off as the base leans.
    """
    c, s = np.cos(0.6), np.sin(0.6)
    about_x = np.array([[1.0, 0.0, 0.0], [0.0, c, -s], [0.0, s, c]])
    about_y = np.array([[c, 0.0, s], [0.0, 1.0, 0.0], [-s, 0.0, c]])
    slope = np.eye(4)
    slope[:3, :3], slope[:3, 3] = about_y @ about_x, (0.4, -2.0, 1.5)
    leaning = cases.truth().mounted(slope)
    gravity = slope[:3, :3].T @ np.array([0.0, 0.0, -9.81])
    assert evaluate(leaning, [prepare(log(tuple(gravity)))]).mistakes == ()
    (mistake,) = evaluate(leaning, [prepare(cases.log(2))]).mistakes
    assert mistake.kind == "mounting"
    lean = np.degrees(np.arccos(c * c))  # of the base's z against the vertical
    check_gravity(mistake, (0.0, 0.0, -9.81), lean)


def test_an_identification_names_it_by_its_prior():
    """Bodies are fitted, and no body turns a wall into a floor."""
    first, last = split_recording(log(SIDE, seed=1))
    verdict = identify(cases.truth(), [prepare(first)], [prepare(last)]).verdict
    assert [one.kind for one in verdict.mistakes] == ["mounting"]


@pytest.mark.parametrize(
    ("kind", "axis", "size"),
    [("zero", 1, np.deg2rad(5.0)), ("swap", 1, 0.0), ("sign", 2, 0.0), ("gain", 1, 1.3)],
)
def test_other_mistakes_are_no_mounting(kind, axis, size):
    verdict = evaluate(cases.truth(), [prepare(spoilt(cases.log(2), kind, axis, size))])
    assert verdict.mistakes
    assert "mounting" not in {one.kind for one in verdict.mistakes}


def test_a_tilt_as_small_as_a_shifted_zero_is_no_mounting():
    """15 deg about the y axis: a zero of axis 2 may be shifted by as much."""
    angle = np.deg2rad(15.0)
    tilted = log((9.81 * np.sin(angle), 0.0, -9.81 * np.cos(angle)))
    verdict = evaluate(cases.truth(), [prepare(tilted)])
    assert verdict.level == "wrong"
    assert "mounting" not in {one.kind for one in verdict.mistakes}


def test_bodies_of_another_size_tell_no_mounting():
    """Torques on the wall, of a set whose bodies weigh a fifth: gravity would be 49 m/s^2."""
    arm = cases.truth()
    count = 10 * (arm.with_tool(None).model.njoints - 1)
    light = arm.with_bodies(0.2 * arm.with_tool(None).parameter_vector()[:count]).with_tool(None)
    verdict = evaluate(light, [prepare(log(SIDE))])
    assert verdict.level == "wrong"
    assert "mounting" not in {one.kind for one in verdict.mistakes}


def test_without_gravity_there_is_none():
    floating = cases.truth().with_gravity((0.0, 0.0, 0.0))
    verdict = evaluate(floating, [prepare(log((0.0, 0.0, 0.0)))])
    assert verdict.mistakes == ()
