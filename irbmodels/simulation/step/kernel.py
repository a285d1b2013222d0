"""Machine code of a time step, with the numbers of one robot, its friction and its stops."""

from __future__ import annotations

import hashlib
from functools import cache, partial
from pathlib import Path

import numpy as np

from ...compiled.kernels import Kernel
from ...model.friction import Stribeck
from ...model.mechanism import mechanism_of
from ...robot.robot import Robot
from ..drives import DriveCoordinates
from ..mechanics import MAX_MOVE, Stops
from .program import Law, robot_step
from .ranges import Ranges

ROUNDS = 12
"""Of one step; what is not solved by then goes to the dual solve, which ends for certain."""


def step_kernel(
    robot: Robot, law: Stribeck, stops: Stops, dt: float, impulses: bool = False
) -> Kernel:
    """Return the kernel of :func:`.program.step_program`; it compiles nothing yet.

    Args:
        robot: With tool and payload.
        law: Of friction.
        stops: Hard stops, of the drives.
        dt: Step [s].
        impulses: True for the impulses of friction and stops besides.
    """
    mechanism, ranges = mechanism_of(robot.dynamic_model), Ranges.of(stops)
    structure, drives = Law.of(law), DriveCoordinates(robot.drive_axes)
    turns = drives.inverse.tolist() if drives.coupled else None
    bounds = {"max_speed": MAX_MOVE / dt, "max_move": MAX_MOVE}
    constants = mechanism.free | bounds | {"dt": dt}
    arrays = {
        "Fc": law.Fc, "drop": law.Fs - law.Fc, "exponent": -1.0 / np.square(law.v_St),
        "Fv": law.Fv, "Fd": law.Fd, "v_d": law.v_d, "dFc": law.dFc, "dFv": law.dFv, "mu": law.mu,
        "lower": stops.lower, "upper": stops.upper,
    }  # fmt: skip
    for name, array in arrays.items():
        constants |= {f"{name}{i}": value for i, value in enumerate(array.tolist(), 1)}
    return Kernel(
        "simulation step",
        f"{mechanism.key} {turns} {ranges} {structure} {impulses} {_sources()}",
        partial(robot_step, mechanism, ranges, structure, impulses, turns),
        constants,
    )


@cache
def _sources() -> str:
    """Return a hash of the code that writes the program."""
    folder = Path(__file__).parent
    others = [folder.parent / name for name in ("mechanics.py", "stiction.py")]
    paths = [*sorted(folder.glob("*.py")), *others]
    return hashlib.sha256(b"".join(path.read_bytes() for path in paths)).hexdigest()
