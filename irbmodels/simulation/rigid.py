"""Motion of a rigid robot under torques; changes between sticking and slipping are events.

Between events one of SciPy's integrators does the work, with its error control; events are located
on its dense output. At an event contacts are resolved for all axes and stops at once
(:mod:`.stiction`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike

from ..checks import as_choice
from ..errors import InputError
from ..model.friction import Stribeck
from ..robot.robot import Robot
from .drives import DriveCoordinates
from .inputs import (
    Switches,
    TorqueInput,
    TorqueSource,
    WrenchInput,
    WrenchSource,
    check_settings,
    longest_step,
    sorted_switches,
)
from .integration import METHODS, Integrator, Progress
from .mechanics import Mechanics, Stops, check_robot, friction_law, start_state, torque_bounds
from .recorder import Recorder
from .run import Run, robot_notes
from .smooth_friction import FrictionLaw, LuGre, Regularised
from .world import World

RTOL, ATOL = 1e-6, 1e-8


def simulate(
    robot: Robot,
    q: ArrayLike | None = None,
    v: ArrayLike | None = None,
    *,
    duration: float,
    torque: TorqueInput = None,
    wrench: WrenchInput = None,
    friction: FrictionLaw = True,
    stops: bool = True,
    rebound: float = 0.0,
    torque_limit: ArrayLike | None = None,
    switches: Switches = (),
    method: str | None = None,
    rtol: float = RTOL,
    atol: float = ATOL,
    max_step: float = np.inf,
    every: float = 0.01,
    progress: Progress | bool = False,
    resume: Run | None = None,
) -> Run:
    """Simulate a robot from one state.

    Args:
        robot: With tool and payload.
        q: Axis positions at the start [rad, m], shape ``(n,)``.
        v: Axis speeds at the start [rad/s, m/s]; default at rest.
        duration: Time of the end [s]; of a simulation that is resumed too it counts from the first
            start.
        torque: Motor torques [N m, N], arm side: ``f(t, q, v)``, a constant ``(n,)``, or a
            :class:`irbmodels.Motion` with torques, each held until the next; default none. A
            function must be continuous but where an axis stops.
        wrench: What the world exerts on the robot at the TCP, base axes, force first: ``f(t,
            pose)`` or a constant ``(6,)``.
        friction: True for the robot's own law (none where none is published), False for
            none, another :class:`irbmodels.Stribeck`, or a smooth law (:class:`LuGre`,
            :class:`Regularised`).
        stops: True for hard stops at the ends of the ranges, the coupled range of a parallelogram
            included.
        rebound: Share of its speed with which an axis leaves a stop (coefficient of restitution),
            0 to 1.
        torque_limit: Bounds of the motor torques, shape ``(n,)``; ``robot.limits.effort`` is
            assumed, and used only if given.
        switches: Times and robots: from then on the other robot moves (a payload is picked up or
            dropped). Positions and speeds go on: a payload that is picked up has the speed of the
            tool.
        method: One of SciPy's: ``DOP853`` (default), ``RK45``; ``Radau`` (default with a smooth
            law, or one with Fs < Fc), ``BDF``, ``LSODA``.
        rtol: Relative tolerance of the integrator.
        atol: Absolute tolerance [rad, rad/s, J ...].
        max_step: Longest step [s]. Unless given, 20 ms where torque or wrench is a function, else
            none. At every quarter of a step sticking axes are checked: a load that comes and goes
            within 5 ms may be missed.
        every: Time between samples [s].
        progress: True shows a bar; a function is called with time and end after every step, and
            stops the simulation by returning False. Ctrl-C stops it too. What was computed is
            returned.
        resume: A run that stopped, to go on from, with the same arguments but ``q`` and ``v``.
            After a stop it goes on as if there had been none, to the last bit with ``DOP853`` and
            ``RK45``, else within the tolerances.

    Returns:
        Samples of q, v, a, tau, friction, stop, work (of motors, wrench and switches) and lost (to
        friction and impacts) [J].

    Raises:
        InputError: if an argument cannot be, or the start is out of range or moves through a stop.
        UnknownName: if there is no such method.
        SimulationError: if a function fails or returns no finite numbers, or the integrator gives
            up; with the time, and in ``.run`` everything until then.

    Example:
        >>> import irbmodels as irb
        >>> robot = irb.load("irb2400", tool="spindle")
        >>> q = robot.from_controller([0, 20, 10, 0, 30, 0])
        >>> run = irb.simulate(robot, q, duration=0.2, torque=robot.gravity(q))
        >>> bool((run.q[-1] == q).all())
        True
    """
    check_robot(robot)
    check_settings(duration, every, rtol, atol, max_step, rebound)
    if not callable(progress) and not isinstance(progress, bool):
        raise InputError(f"progress is True, False or a function of time and end, not {progress!r}")
    smooth = isinstance(friction, LuGre | Regularised)
    law = friction if isinstance(friction, LuGre | Regularised) else friction_law(robot, friction)
    curve = friction_law(robot, law.law if isinstance(law, LuGre | Regularised) else law)
    # friction that rises within some mrad/s
    stiff = smooth or bool((curve.Fs < curve.Fc).any())
    chosen = as_choice(method or ("Radau" if stiff else "DOP853"), METHODS, "method")
    hard_stops = Stops(robot, stops)
    motors = TorqueSource(robot, torque, torque_bounds(robot, torque_limit))
    load = WrenchSource(wrench)
    changes = sorted_switches(robot, switches, duration)
    drives = DriveCoordinates(robot.drive_axes)
    worlds = [
        (t, World(Mechanics(other), law, hard_stops.on_drives(drives), motors, load, rebound))
        for t, other in [(0.0, robot), *changes]
    ]
    has_friction = smooth or curve.terms != "no"
    settings = {
        "method": chosen,
        "rtol": rtol,
        "atol": atol,
        "friction": type(law).__name__ if has_friction else None,
        "stops": stops,
        "rebound": rebound,
    }
    if changes:
        settings["switches"] = [[t, robot_notes(other)] for t, other in changes]
    recorder = Recorder(robot, every, duration, settings)
    z = np.zeros(0 if isinstance(law, Stribeck) else law.states)
    if resume is None:
        if q is None:
            raise InputError("a simulation needs a position to start from, or a run to go on with")
        start = map(drives.drives, start_state(robot, hard_stops, q, v))
        integrator = Integrator(worlds, recorder, np.concatenate([*start, z, np.zeros(2)]))
    else:
        if q is not None or v is not None or not isinstance(resume, Run) or resume.end is None:
            raise InputError("resume goes on where a run of simulate ended: give neither q nor v")
        recorder.resume(resume)
        integrator = Integrator(worlds, recorder, np.zeros(2 * robot.n + len(z) + 2), resume.end)
    options = {"rtol": rtol, "atol": atol, "max_step": longest_step(max_step, motors, load)}
    if progress is not True:
        return integrator.run(chosen, options, float(duration), progress or None)
    from rich.progress import Progress as Bar  # few need it

    with Bar(transient=True) as bar:
        task = bar.add_task(f"simulating {robot.name}", total=float(duration))
        return integrator.run(
            chosen, options, float(duration), lambda t, end: bar.update(task, completed=t)
        )
