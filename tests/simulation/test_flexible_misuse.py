"""Everything of irbmodels.simulation.flexible that is called wrongly: one line that says what,
where, and what would be right.
"""

from __future__ import annotations

import math
from pydoc import plain, render_doc

import numpy as np
from grouped import together
from misuse import refused_in_one_line

import irbmodels as irb
from irbmodels.simulation.flexible import (
    Drive,
    FlexibleRobot,
    LinearModel,
    OneAxis,
    bode_figure,
    drives_of,
    identified,
    map_figure,
)

ROBOT = irb.load("irb930")
Q = np.array([0.3, -0.8, -0.1, 0.5])
DRIVE = Drive(stiffness=1e5, rotor_inertia=1e-3, gear_ratio=100.0)
ARM = FlexibleRobot(ROBOT, [DRIVE, DRIVE, None, DRIVE])
AXIS = OneAxis(DRIVE, 10.0)
MODEL = AXIS.four_states()

BAD = {
    "stiffness as an array": (
        lambda: Drive(np.ones((9, 9))),
        "stiffness of a drive, .* must be a positive finite number, got an array of shape",
    ),
    "turned by nothing": (
        lambda: Drive(turned_by=None),
        "turned_by takes axis numbers from 1 and finite turns, not None",
    ),
    "turned by a word": (
        lambda: Drive(turned_by={1: "a"}),
        r"turned_by\[1\], .* must be a finite number, got 'a'",
    ),
    "turned by a flag": (
        lambda: Drive(turned_by={True: 1.0}),
        "turned_by takes axis numbers from 1",
    ),
    "grade as an array": (lambda: Drive(grade=np.zeros(3)), "grade of a drive is a word, not"),
    "grade that is none": (lambda: Drive(grade="guessed"), "no grade 'guessed'"),
    "drives of a word": (
        lambda: drives_of("irb1400"),
        "drives are those of an irbmodels.Robot, not 'irb1400'",
    ),
    "an arm of a word": (
        lambda: FlexibleRobot("irb930", [None] * 4),
        "made of an irbmodels.Robot, not 'irb930'",
    ),
    "no drives": (
        lambda: FlexibleRobot(ROBOT, None),
        "needs 4 drives, one Drive or None per axis, not None",
    ),
    "drives in words": (
        lambda: FlexibleRobot(ROBOT, ["a"] * 4),
        "needs 4 drives, one Drive or None per axis, not 'a'",
    ),
    "three drives": (
        lambda: FlexibleRobot(ROBOT, [DRIVE] * 3),
        "needs 4 drives, one Drive or None per axis; got 3",
    ),
    "friction in words": (
        lambda: FlexibleRobot(ROBOT, [DRIVE] * 4, friction="a"),
        "friction is True .* not 'a'",
    ),
    "assumed in words": (
        lambda: FlexibleRobot.of(ROBOT, "abcd"),
        "needs 4 drives, one Drive or None per axis, not 'abcd'",
    ),
    "assumed of others": (lambda: FlexibleRobot.of(ROBOT, [DRIVE]), "needs 4 drives, .* got 1"),
    "motors as an array": (
        lambda: ARM.frequencies(Q, np.zeros(3)),
        "motors is one of free, held, not",
    ),
    "an answer in a list": (
        lambda: ARM.frequency_response(Q, 1.0, to=["tcp"]),
        "what answers is links, motors or a frame, not",
    ),
    "a frequency in words": (
        lambda: ARM.frequency_response(Q, "1"),
        r"frequencies \[Hz\] is not an array of numbers",
    ),
    "a frequency below 0": (lambda: MODEL.response([1.0, -1.0]), "must be finite and not negative"),
    "axis as a flag": (
        lambda: ARM.one_axis(Q, True),
        "an axis of irb930_12_105 must be a whole number, 1 to 4, got True",
    ),
    "axis beyond": (
        lambda: ARM.one_axis(Q, 5),
        "an axis of irb930_12_105 must be a whole number, 1 to 4, got 5",
    ),
    "a rigid axis": (lambda: ARM.one_axis(Q, 3), r"has elastic axes \[1, 2, 4\], not 3"),
    "inertia in words": (
        lambda: OneAxis(DRIVE, "a"),
        "inertia of the link .* positive finite number, got 'a'",
    ),
    "identified of a word": (
        lambda: identified("irb1400"),
        "a model is one of an irbmodels.Robot, not 'irb1400'",
    ),
    "model without A": (
        lambda: LinearModel(None, *MODEL[1:]).poles,
        "A of a linear model is not an array of numbers, but holds None",
    ),
    "model of words": (
        lambda: LinearModel(*MODEL[:3], "a").zeros,
        "D of a linear model is not an array of numbers",
    ),
    "model that misfits": (
        lambda: MODEL._replace(A=np.eye(3)).response(1.0),
        r"need shapes \(n, n\), \(n, m\), \(p, n\), \(p, m\)",
    ),
    "simulate stops": (
        lambda: ARM.simulate(Q, duration=0.01, stops="a"),
        "stops, .* is True or False, not 'a'",
    ),
    "simulate by an array": (
        lambda: ARM.simulate(Q, duration=0.01, method=np.zeros(3)),
        "the method is one of",
    ),
    "simulate a step": (
        lambda: ARM.simulate(Q, duration=0.01, max_step=np.zeros(3)),
        "max_step must be a positive finite number",
    ),
    "simulate in degrees": (
        lambda: ARM.simulate(Q, duration=0.01, theta=[30.0, 40.0, -0.1, 50.0]),
        "more than three times .* are these deg",
    ),
    "drawing of a number": (lambda: bode_figure(5), "what is drawn is a OneAxis, .* not 5"),
    "title of a number": (lambda: bode_figure(AXIS, 5), "the title is a text, not 5"),
    "map of a robot": (lambda: map_figure(ROBOT, Q), "what is drawn is a FlexibleRobot"),
    "map of one axis": (
        lambda: map_figure(ARM, Q, axes=(1, 1)),
        r"a map goes over two of the axes 1 to 4, not \(1, 1\)",
    ),
    "map of a number": (
        lambda: map_figure(ARM, Q, axes=5),
        "a map goes over two of the axes 1 to 4, not 5",
    ),
    "map of a mode": (
        lambda: map_figure(ARM, Q, axes=(1, 2), mode=9),
        "a mode of irb930_12_105 must be a whole number, 1 to 3",
    ),
    "map of one point": (
        lambda: map_figure(ARM, Q, axes=(1, 2), count=1),
        "postures per axis must be a whole number, at least 2",
    ),
}


@together("name", BAD)
def test_misuse_is_one_clear_line(name):
    refused_in_one_line(*BAD[name])


def test_help_of_a_drive_has_units():
    """Every number of a drive stands in its help, with its unit."""
    page = plain(render_doc(Drive))
    units = {
        "stiffness": "N m/rad",
        "rotor_inertia": "kg m^2",
        "viscous": "N m s/rad",
        "backlash": "rad",
        "hardening": "N m/rad^3",
    }
    for name, unit in {
        **units,
        "gear_ratio": "1",
        "damping": "N m s/rad",
        "bearing": "N m s/rad",
        "turned_by": "1",
    }.items():
        line = next(line for line in page.splitlines() if line.strip(" |").startswith(f"{name}: "))
        assert f"[{unit}]" in line, name
    assert math.isinf(Drive().stiffness)
