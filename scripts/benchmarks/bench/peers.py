"""Other engines on the same states, one Python call per state unless they take arrays: state set,
answer copied out.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

import irbmodels as irb
from irbmodels.compiled.dispatch import WORTH
from irbmodels.exchange.verify.engines import load_engine

from . import arm as loops
from .arm import NAME, TOOL, Arm, States
from .claims import OURS, same
from .first_answer import COLUMNS, ONE, ROWS
from .races import Contestant, Results, calls

ENGINES = ("mujoco", "drake", "pybullet", "roboticstoolbox")
CRAWLING = {"roboticstoolbox": 50}  # how much slower its Python recursion is than the other loops
POSTURE = 1e-8  # [rad] that a posture found may be off
LOOSE = {"pybullet": 1e-6}  # its poses are single precision


def measurements(arm: Arm) -> list[tuple[str, Callable[[Results], None]]]:
    """Return everything here as steps of a run."""
    return [
        ("other engines", partial(torques, arm)),
        ("poses", partial(poses, arm)),
        ("inverse kinematics", partial(inverse_kinematics, arm)),
    ]


def torques(arm: Arm, results: Results) -> None:
    """Inverse dynamics of the serial tree in every engine, beside the bare Pinocchio loop and ours
    with friction.
    """
    few, count = results.effort.slow, results.effort.batch
    tree, columns = arm.tree(arm.states(few)), arm.states(count).columns
    wanted = arm.bare.inverse_dynamics.rows(*arm.states(few))
    contestants = [
        Contestant(
            OURS,
            "kernel, N in cache, friction",
            lambda: arm.kernels.inverse_dynamics(*columns),
            count,
            COLUMNS,
        ),
        Contestant("pin", "pin.rnea", lambda: loops.rnea(arm, tree), few),
    ]
    for engine in _engines(results):
        slower = max(few // CRAWLING.get(engine.name, 1), 1)
        same(arm.to_axes(engine.torque(tree.q[0], tree.v[0], tree.a[0]), 0), wanted[0])
        name = f"{engine.name}, URDF in Python" if engine.name in CRAWLING else engine.name
        contestants.append(_loop(engine.name, name, engine.torque, tree.head(slower)))
    try:
        dh = _dh_robot(arm)
        same(arm.to_axes(dh.rne(*(x[0] for x in tree)), 0), wanted[0])
        contestants.append(_loop("roboticstoolbox", "roboticstoolbox, DH in C", dh.rne, tree))
    except ImportError:
        pass
    results.race("inverse dynamics, engines", contestants)


def poses(arm: Arm, results: Results) -> None:
    """Poses of the TCP; of tool0 in py-opw-kinematics."""
    few, count = results.effort.slow, results.effort.batch
    states = arm.states(count)
    tree, columns, T = arm.tree(states), states.columns[0], np.empty((count, 4, 4))
    kernel, short = arm.kernels.pose, arm.tree(arm.states(few)).head(few)
    same(kernel.rows(states.q), loops.pose(arm, tree, T))
    contestants = [
        Contestant(OURS, "kernel, N in cache", lambda: kernel(columns), count, COLUMNS),
        Contestant(
            "pin", "forwardKinematics, updateFramePlacement", lambda: loops.pose(arm, short, T), few
        ),
    ]
    for engine in _engines(results, report=False):
        same(engine.pose(short.q[0]), loops.pose(arm, short, T)[0], LOOSE.get(engine.name, 1e-9))
        contestants.append(
            _loop(engine.name, engine.name, engine.pose, States(short.q, *np.empty((2, 0, 0))), 1)
        )
    if opw := _opw(arm):
        same(opw.batch_forward(tree.q).as_matrix(), arm.kernels.at("tool0").pose.rows(states.q))
        rows = [tuple(q) for q in short.q.tolist()]
        contestants.append(
            Contestant(
                "py-opw-kinematics", "batch_forward", lambda: opw.batch_forward(tree.q), count
            )
        )
        contestants.append(
            Contestant("py-opw-kinematics", "forward", lambda: [opw.forward(q) for q in rows], few)
        )
    results.race("forward kinematics", contestants)


def inverse_kinematics(arm: Arm, results: Results) -> None:
    """All postures of poses: ours of the TCP, with ranges and configuration; those of
    py-opw-kinematics of tool0, without a tool.
    """
    few, count = results.effort.slow, max(results.effort.batch, WORTH)
    q = arm.states(count).q
    poses = arm.kernels.pose.rows(q)
    found = arm.robot.inverse_kinematics(poses[:few])
    nearest = np.where(found.valid[..., None], np.abs(found.q - q[:few, None]), np.inf)
    assert nearest.max(axis=2).min(axis=1).max() < POSTURE
    contestants = [
        Contestant(
            OURS,
            "robot.inverse_kinematics, arrays",
            lambda: arm.robot.inverse_kinematics(poses),
            count,
            ROWS,
        ),
        Contestant(
            OURS,
            "robot.inverse_kinematics, one pose per call",
            calls(arm.robot.inverse_kinematics, poses[0], number=few),
            few,
            ONE,
        ),
    ]
    opw = _opw(arm)
    if opw is None:
        results.notes.append("py-opw-kinematics is not installed")
        results.race("inverse kinematics", contestants)
        return
    there = opw.batch_forward(arm.tree(arm.states(few)).q)
    each = [there[i] for i in range(few)]
    contestants += [
        Contestant(
            "py-opw-kinematics",
            "reach: 8 branches, arrays, one thread",
            lambda: opw.reach(there),
            few,
        ),
        Contestant(
            "py-opw-kinematics",
            "inverse: all solutions of one pose",
            lambda: [opw.inverse(pose) for pose in each],
            few,
        ),
        Contestant(
            "py-opw-kinematics",
            "batch_inverse: one solution per pose",
            lambda: opw.batch_inverse(there),
            few,
        ),
    ]
    results.race("inverse kinematics", contestants)


def _loop(
    who: str, how: str, function: Callable[..., object], states: States, inputs: int = 3
) -> Contestant:
    rows = states[:inputs]

    def run() -> None:
        for row in zip(*rows, strict=True):
            function(*row)

    return Contestant(who, how, run, len(rows[0]))


def _engines(results: Results, report: bool = True) -> Iterator[Any]:
    """Load the serial tree in every engine that is installed."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "serial.urdf"
        file.write_text(irb.describe(NAME).urdf("serial", tool=TOOL, looks=False), encoding="utf-8")
        for name in ENGINES:
            try:
                engine = load_engine(name, file)
            except irb.MissingExtra:
                if report:
                    results.notes.append(f"{name} is not installed")
                continue
            assert engine.joints == tuple(f"joint_{i}" for i in range(1, 7)), engine.joints
            yield engine


def _dh_robot(arm: Arm) -> Any:
    """The arm of roboticstoolbox whose recursion is written in C."""
    import roboticstoolbox as rtb

    table, bodies = arm.robot.dh(), list(arm.model.inertias)[1:]
    rows = zip(table.a, table.alpha, table.d, table.theta, bodies, strict=True)
    links = [
        rtb.RevoluteMDH(
            a=a,
            alpha=alpha,
            d=d,
            offset=theta,
            m=body.mass,
            r=np.array(body.lever),
            I=np.array(body.inertia),
        )
        for a, alpha, d, theta, body in rows
    ]
    return rtb.DHRobot(links, gravity=[0.0, 0.0, -9.81])


def _opw(arm: Arm) -> Any:
    """The arm of py-opw-kinematics, without a tool."""
    try:
        import py_opw_kinematics as opw
    except ImportError:
        return None
    table = arm.robot.dh()
    (_, a1, long, a2, *_), (c1, _, _, c3, *_) = table.a, table.d
    lengths = {
        "a1": a1,
        "a2": -a2,
        "b": 0.0,
        "c1": c1,
        "c2": long,
        "c3": c3,
        "c4": table.tool0[2, 3],
    }
    offsets = (0.0, 0.0, -0.5 * np.pi, 0.0, 0.0, 0.0)
    return opw.Robot(opw.KinematicModel(**lengths, offsets=offsets), degrees=False)
